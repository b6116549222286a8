//! Where in a text one of the words may begin: a table that the compiler makes. Most texts have no such place; they never come to the
//! automaton, and a process whose texts have none never makes it.

use super::names::STEMS;
use super::programs::PROGRAMS;
use super::shapes::{PATHS, PREFIXES};

/// Words that are no rows of a table.
pub(super) const OTHERS: &[&str] = &["://", "-----BEGIN ", "bearer", "basic", ":AA"];

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
        while place < STEMS.len() {
            made.add(STEMS[place].as_bytes(), 0, false);
            place += 1;
        }
        place = 0;
        while place < OTHERS.len() {
            made.add(OTHERS[place].as_bytes(), 0, false);
            place += 1;
        }
        place = 0;
        while place < PREFIXES.len() {
            made.add(PREFIXES[place].0.as_bytes(), 0, false);
            place += 1;
        }
        place = 0;
        while place < PATHS.len() {
            made.add(PATHS[place].0.as_bytes(), 0, false);
            place += 1;
        }
        place = 0;
        while place < PROGRAMS.len() {
            let names = PROGRAMS[place].0.as_bytes();
            let mut at = 0;
            made.add(names, 0, true);
            while at < names.len() && names[at] != b' ' {
                if names[at] == b'|' {
                    made.add(names, at + 1, true);
                }
                at += 1;
            }
            place += 1;
        }
        made
    }

    /// Adds the word that begins at `from` and ends with the text, a blank or a `|`. A program's name is followed by a blank.
    const fn add(&mut self, text: &[u8], from: usize, is_program: bool) {
        let mut bytes = 0;
        let mut length = 0;
        let mut ends = false;
        while length < 4 && !ends {
            let at = from + length;
            let byte = if at < text.len() && text[at] != b'|' { text[at] } else { b' ' };
            ends = byte == b' ';
            if ends && !is_program && at >= text.len() {
                break;
            }
            bytes = bytes << 5 | (byte & 31) as u32;
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

/// The first place where one of the words may begin.
pub(super) fn first(text: &str) -> Option<usize> {
    let has = |table: &[u64; 512], number: u32| {
        table.get((number >> 6) as usize).is_some_and(|bits| bits >> (number & 63) & 1 == 1)
    };
    let mut bytes = 0;
    // Two more bytes, for a word of two at the end.
    for (end, byte) in text.bytes().chain([0, 0]).enumerate() {
        bytes = bytes << 5 | u32::from(byte & 31);
        if end >= 3
            && has(&BEGINNINGS.three, bytes >> 5 & 0x7fff)
            && has(&BEGINNINGS.four, number_of_four(bytes))
        {
            return Some(end - 3);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_whatever_case_and_wherever_it_stands() {
        let words = STEMS.iter().chain(OTHERS).copied();
        let words =
            words.chain(PREFIXES.iter().map(|(word, ..)| *word)).chain(PATHS.iter().map(|(word, ..)| *word));
        let programs = super::super::programs::names().map(|(_, name)| format!("{name} "));
        for word in words.map(str::to_owned).chain(programs) {
            for text in [
                word.clone(),
                word.to_uppercase(),
                format!("é {word}"),
                format!("é {word}é"),
                format!("zz{word}."),
            ] {
                let place =
                    text.find(&word).or_else(|| text.find(&word.to_uppercase())).unwrap_or(text.len());
                assert!(first(&text).is_some_and(|first| first <= place), "{text}");
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
            assert_eq!(first(text), None, "{text}");
        }
    }
}
