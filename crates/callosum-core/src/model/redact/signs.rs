//! Where in a text the words stand beside which secrets do: names, programs, what tokens and addresses begin with. All are tables that
//! the compiler makes. An automaton of them takes three million instructions to make, five times what a hook does in
//! all; so a text is looked at for where one of the words may begin, which most texts have nowhere, and only there for which it is.

use std::ops::Range;

use super::calls::CALLS;
use super::languages;
use super::programs::PROGRAMS;
use super::shapes::{HOOKS, HOSTS, PREFIXES};
use super::words::STEMS;

/// What a word that was found may be a sign of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    /// A name that tells of its value.
    Name,
    /// A program, by its line in the table.
    Program(usize),
    /// A token, by its prefix's place in the table.
    Token(usize),
    /// A name in another language.
    Word,
    /// A host whose addresses are secrets in part, by its place in the table.
    Hook(usize),
    /// The end of a host that is a secret in part.
    Host,
    Address,
    Pem,
    Scheme,
    BotToken,
    /// A line of `.pgpass`: its port.
    PgPass,
    /// A password's hash, as it stands in a file of users.
    Crypt,
    /// A proxy, which may be given with a user.
    Proxy,
    /// A function that is called with a secret, by its place in the table.
    Call(usize),
    /// The line of a script that says a user, and may say the password.
    User,
    /// The same of a mail client.
    Login,
    /// A script that waits for what a program asks.
    Expect,
    /// What is to be hidden from a log.
    Mask,
}

/// Words that are no rows of another table.
const OTHERS: &[(&str, Sign)] = &[
    ("://", Sign::Address),
    ("-----BEGIN ", Sign::Pem),
    ("bearer", Sign::Scheme),
    ("basic", Sign::Scheme),
    (":AA", Sign::BotToken),
    (":543", Sign::PgPass),
    (":6432:", Sign::PgPass),
    (":*:", Sign::PgPass),
    ("$apr1$", Sign::Crypt),
    ("$2a$", Sign::Crypt),
    ("$2b$", Sign::Crypt),
    ("$2y$", Sign::Crypt),
    ("$1$", Sign::Crypt),
    ("$5$", Sign::Crypt),
    ("$6$", Sign::Crypt),
    ("$y$", Sign::Crypt),
    ("$argon2", Sign::Crypt),
    ("{SHA}", Sign::Crypt),
    ("{SSHA}", Sign::Crypt),
    ("proxy", Sign::Proxy),
    ("user ", Sign::User),
    ("open -u ", Sign::User),
    ("LOGIN ", Sign::Login),
    ("expect", Sign::Expect),
    ("::add-mask::", Sign::Mask),
];

#[derive(Clone, Copy)]
struct Word {
    bytes: &'static [u8],
    sign: Sign,
}

#[expect(clippy::indexing_slicing, reason = "run by the compiler: what is out of bounds does not compile")]
impl Word {
    /// By its letters, then by its length.
    const fn rank(&self) -> usize {
        number_of_two(self.bytes[0], self.bytes[1]) * (MAX_WORD + 1) + self.bytes.len()
    }
}

/// Bits of a byte that count where words are told apart at first: they are the same for both cases of a letter.
const LETTER: u8 = 31;

/// All words by the two letters that they begin with, short ones first.
struct Words {
    words: [Word; COUNT],
    /// Where the words of each two letters begin, and those of the last end.
    begin: [u16; PAIRS + 1],
}

/// Numbers that two letters make.
const PAIRS: usize = 1024;

const fn number_of_two(one: u8, two: u8) -> usize {
    ((one & LETTER) as usize) << 5 | (two & LETTER) as usize
}

/// Longer words are none: the compiler fails where a table has one.
const MAX_WORD: usize = 48;

#[expect(clippy::indexing_slicing, reason = "run by the compiler: what is out of bounds does not compile")]
const COUNT: usize = {
    let mut names = 0;
    let mut line = 0;
    while line < PROGRAMS.len() {
        names += count_names(PROGRAMS[line].0.as_bytes());
        line += 1;
    }
    STEMS.len()
        + languages::WORDS.len()
        + OTHERS.len()
        + CALLS.len()
        + PREFIXES.len()
        + HOOKS.len()
        + HOSTS.len()
        + names
};

const WORDS: &Words = &Words::of_all();

#[expect(clippy::indexing_slicing, reason = "run by the compiler: what is out of bounds does not compile")]
const fn count_names(pattern: &[u8]) -> usize {
    let mut count = 1;
    let mut at = 0;
    while at < pattern.len() && pattern[at] != b' ' {
        if pattern[at] == b'|' {
            count += 1;
        }
        at += 1;
    }
    count
}

#[expect(clippy::indexing_slicing, reason = "run by the compiler: what is out of bounds does not compile")]
impl Words {
    const fn of_all() -> Self {
        let mut all = [Word { bytes: b"", sign: Sign::Name }; COUNT];
        let mut count = 0;
        let mut place = 0;
        while place < STEMS.len() {
            all[count] = Word { bytes: STEMS[place].as_bytes(), sign: Sign::Name };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < OTHERS.len() {
            all[count] = Word { bytes: OTHERS[place].0.as_bytes(), sign: OTHERS[place].1 };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < CALLS.len() {
            all[count] = Word { bytes: CALLS[place].as_bytes(), sign: Sign::Call(place) };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < PREFIXES.len() {
            all[count] = Word { bytes: PREFIXES[place].0.as_bytes(), sign: Sign::Token(place) };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < HOOKS.len() {
            all[count] = Word { bytes: HOOKS[place].0.as_bytes(), sign: Sign::Hook(place) };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < HOSTS.len() {
            all[count] = Word { bytes: HOSTS[place].as_bytes(), sign: Sign::Host };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < languages::WORDS.len() {
            all[count] = Word { bytes: languages::WORDS[place].as_bytes(), sign: Sign::Word };
            (count, place) = (count + 1, place + 1);
        }
        place = 0;
        while place < PROGRAMS.len() {
            let names = PROGRAMS[place].0.as_bytes();
            let (mut from, mut at) = (0, 0);
            loop {
                if at == names.len() || names[at] == b' ' || names[at] == b'|' {
                    let bytes = names.split_at(at).0.split_at(from).1;
                    all[count] = Word { bytes, sign: Sign::Program(place) };
                    count += 1;
                    from = at + 1;
                    if at == names.len() || names[at] == b' ' {
                        break;
                    }
                }
                at += 1;
            }
            place += 1;
        }
        assert!(count == COUNT);
        Self::in_order(&all)
    }

    const fn in_order(all: &[Word; COUNT]) -> Self {
        let mut made = Self { words: [all[0]; COUNT], begin: [0; PAIRS + 1] };
        let mut count = 0;
        while count < COUNT {
            let word = all[count];
            assert!(word.bytes.len() <= MAX_WORD);
            // Before the first that is longer, or of later letters.
            let mut to = count;
            while to > 0 && word.rank() < made.words[to - 1].rank() {
                made.words[to] = made.words[to - 1];
                to -= 1;
            }
            made.words[to] = word;
            count += 1;
        }
        let (mut pair, mut place) = (0, 0);
        while pair <= PAIRS {
            while place < COUNT && made.words[place].rank() / (MAX_WORD + 1) < pair {
                place += 1;
            }
            made.begin[pair] = place as u16;
            pair += 1;
        }
        made
    }
}

const BEGINNINGS: &Beginnings = &Beginnings::of_all();

/// A bit for each three bytes that a word begins with, and one for each number that four make. Of a byte five bits count:
/// they are the same for both cases of a letter.
struct Beginnings {
    three: [u64; 512],
    four: [u64; 512],
}

const fn number_of_four(bytes: u32) -> u32 {
    (bytes & 0xf_ffff).wrapping_mul(0x9e37_79b1) >> 17
}

#[expect(clippy::indexing_slicing, reason = "run by the compiler: what is out of bounds does not compile")]
impl Beginnings {
    const fn of_all() -> Self {
        let mut made = Self { three: [0; 512], four: [0; 512] };
        let mut place = 0;
        while place < WORDS.words.len() {
            made.add(&WORDS.words[place]);
            place += 1;
        }
        made
    }

    const fn add(&mut self, word: &Word) {
        let mut bytes = 0;
        let mut length = 0;
        while length < 4 && length < word.bytes.len() {
            bytes = bytes << 5 | (word.bytes[length] & LETTER) as u32;
            length += 1;
        }
        // A program's name is followed by a blank.
        if length < 4 && matches!(word.sign, Sign::Program(_)) {
            bytes = bytes << 5 | (b' ' & LETTER) as u32;
            length += 1;
        }
        // What may follow a word that is shorter.
        let missing = 5 * (4 - length as u32);
        let mut rest = 0;
        while rest < 1 << missing {
            let four = bytes << missing | rest;
            let three = four >> 5;
            self.three[(three >> 6) as usize] |= 1 << (three & 63);
            let number = number_of_four(four);
            self.four[(number >> 6) as usize] |= 1 << (number & 63);
            rest += 1;
        }
    }
}

/// Where one of the words may begin, in order.
fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    let has = |table: &[u64; 512], number: u32| {
        table.get((number >> 6) as usize).is_some_and(|bits| bits >> (number & 63) & 1 == 1)
    };
    let text = text.as_bytes();
    let (mut bytes, mut end) = (0, 0);
    std::iter::from_fn(move || {
        // Two more bytes, for a word of two at the end.
        while end < text.len() + 2 {
            bytes = bytes << 5 | u32::from(text.get(end).map_or(0, |byte| byte & LETTER));
            end += 1;
            if has(&BEGINNINGS.three, bytes >> 5 & 0x7fff)
                && has(&BEGINNINGS.four, number_of_four(bytes))
                && end > 3
            {
                return Some(end - 4);
            }
        }
        None
    })
}

/// The words that stand in a text, in whatever case, and what each is a sign of: in order, of one place the short ones first.
pub(super) fn found(text: &str) -> impl Iterator<Item = (Range<usize>, Sign)> {
    beginnings(text).flat_map(move |from| {
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let pair = rest.first_chunk().map_or(PAIRS, |[one, two]| number_of_two(*one, *two));
        let words = WORDS.begin.get(pair).zip(WORDS.begin.get(pair + 1));
        let words = words.and_then(|(begin, end)| WORDS.words.get(usize::from(*begin)..usize::from(*end)));
        let words = words.unwrap_or_default();
        words.iter().filter_map(move |word| {
            let stands = rest.get(..word.bytes.len())?.eq_ignore_ascii_case(word.bytes);
            stands.then(|| (from..from + word.bytes.len(), word.sign))
        })
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn every_word_is_found_in_whatever_case_and_wherever_it_stands() {
        let words = STEMS.iter().copied().chain(OTHERS.iter().map(|(word, _)| *word));
        let words = words.chain(PREFIXES.iter().map(|(word, ..)| *word)).chain(HOSTS.iter().copied());
        let words = words.chain(HOOKS.iter().map(|(word, ..)| *word));
        let programs = WORDS.words.iter().filter(|word| matches!(word.sign, Sign::Program(_)));
        let programs =
            programs.map(|word| (format!("{} ", str::from_utf8(word.bytes).unwrap()), word.bytes.len()));
        for (word, length) in words.map(|word| (word.to_owned(), word.len())).chain(programs) {
            for text in [
                word.clone(),
                word.to_uppercase(),
                format!("é {word}"),
                format!("é {word}é"),
                format!("zz{word}."),
            ] {
                let place =
                    text.find(&word).or_else(|| text.find(&word.to_uppercase())).unwrap_or(text.len());
                assert!(found(&text).any(|(at, _)| at == (place..place + length)), "{text}");
            }
        }
        for text in [
            "",
            "a",
            "zz",
            "The report is done.",
            "team-12",
            "himalaya message send --to reader-1@example.com --subject Hello",
        ] {
            assert!(found(text).next().is_none(), "{text}");
        }
    }
}
