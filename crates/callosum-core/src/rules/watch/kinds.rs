//! The kinds of bytes that a text is made of: what one look at it tells of many words.

/// The kinds of bytes that a text is made of, a bit for each, at even places and at odd ones: a text in which one of a word's kinds is
/// missing has not that word in it, and that is told of many words by one look at the text. Capital letters are of their small ones' kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds([u64; 2]);

/// The kind of each byte. What has none says nothing.
const KINDS: [u64; 256] = kinds();
/// What patterns of the shell begin with, and variables.
pub(super) const PATTERN: u64 = Kinds::of("*[{$").0[0] | Kinds::of("*[{$").0[1];
/// Quotes and backslashes.
pub(super) const QUOTE: u64 = Kinds::of("'").0[0];
/// What leads from one command to the next.
pub(super) const BAR: u64 = Kinds::of("|").0[0];
/// What commands end at within a line; `!` is of the same kind as parentheses, so it counts, too.
pub(super) const ENDS: u64 = ENDING | BAR | Kinds::of("(").0[0];
/// Those of them that say nothing of words: names may have them, and texts hide them in codes.
const ENDING: u64 = Kinds::of(";").0[0];
/// What else words may be hidden by.
const HIDING: u64 = QUOTE | Kinds::of("^").0[0] | Kinds::of("$").0[0] | Kinds::of("{").0[0];

#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
const fn kinds() -> [u64; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => 1 << (byte - b'a'),
            b'A'..=b'Z' => 1 << (byte - b'A'),
            b'0'..=b'9' => 1 << (26 + byte - b'0'),
            b'*' | b'?' => 1 << 36,
            b'[' => 1 << 37,
            b'{' => 1 << 38,
            b'~' => 1 << 39,
            b'.' => 1 << 40,
            b'-' => 1 << 41,
            b'_' => 1 << 42,
            b'/' => 1 << 43,
            b'\'' | b'"' | b'\\' => 1 << 44,
            b'^' => 1 << 45,
            b'$' => 1 << 46,
            b'!' | b'(' => 1 << 47,
            b' ' | b'\t' => 1 << 48,
            b'|' => 1 << 49,
            b';' | b'&' | b')' | b'`' | b'\n' => 1 << 50,
            _ => 0,
        };
        byte += 1;
    }
    kinds
}

impl Kinds {
    /// Those of a text.
    pub(super) const fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// Those that a text has in which this word stands.
    pub(super) const fn of_word(word: &str) -> Self {
        let Self([even, odd]) = Self::of(word);
        Self([even & !ENDING, odd & !ENDING])
    }

    #[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
    const fn of_bytes(bytes: &[u8]) -> Self {
        let (mut all, mut rest) = (Self([0, 0]), bytes);
        while let [even, odd, others @ ..] = rest {
            all.0[0] |= KINDS[*even as usize];
            all.0[1] |= KINDS[*odd as usize];
            rest = others;
        }
        if let [even] = rest {
            all.0[0] |= KINDS[*even as usize];
        }
        all
    }

    /// The kinds, wherever they stand.
    pub(super) fn anywhere(self) -> u64 {
        let Self([even, odd]) = self;
        even | odd
    }

    /// Whether a text of these kinds has a byte of one of those.
    pub(super) fn has_any(self, kinds: u64) -> bool {
        self.anywhere() & kinds != 0
    }

    /// Whether a text of these kinds may have words in it that quoting hides, or variables, or braces.
    pub(super) fn may_hide(self) -> bool {
        self.has_any(HIDING)
    }

    /// Whether a text of these kinds may have a word of others in it.
    #[inline]
    pub(super) fn may_have(self, word: Self) -> bool {
        let Self([even, odd]) = self;
        let Self([first, second]) = word;
        word.anywhere() & !self.anywhere() == 0
            && (first & !even | second & !odd == 0 || first & !odd | second & !even == 0)
    }
}

/// A text that is looked for in others as it stands.
#[derive(Debug)]
pub struct Mark {
    pub(super) text: &'static str,
    kinds: Kinds,
}

impl Mark {
    /// This text.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self { text, kinds: Kinds::of_word(text) }
    }

    #[inline]
    pub(super) fn is_in(&self, text: &str, kinds: Kinds) -> bool {
        kinds.may_have(self.kinds) && text.contains(self.text)
    }

    /// What it is made of.
    pub(super) fn made_of(&self) -> u64 {
        self.kinds.anywhere()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn only_words_of_other_kinds_of_bytes_are_left_out() {
        let may = |text: &str, word: &str| Kinds::of(text).may_have(Kinds::of_word(word));
        let (text, mut words) = ("xa-b/c_1.Dµ~", Vec::new());
        for from in 0..text.len() {
            words.extend((from..=text.len()).filter_map(|to| Some((text, text.get(from..to)?))));
        }
        for (text, word) in
            words.into_iter().chain([("", ""), ("xyza", "za"), ("µ", "ä"), ("xAb", "ab"), ("ab", "AB")])
        {
            assert!(may(text, word), "{text} {word}");
        }
        for (text, word) in
            [("", "a"), ("b", "a"), ("a", "a/"), ("axb", "ab"), ("x", "1"), ("1", "2"), ("a", "a.")]
        {
            assert!(!may(text, word), "{text} {word}");
        }
        let has_pattern = |text| Kinds::of(text).has_any(PATTERN);
        assert!(has_pattern("{") && has_pattern("[x") && has_pattern("a?") && !has_pattern("x~."));
        // What hides words from a look at a line (`callosum_shell::unhidden`).
        assert!(["'", "\"", "\\", "^", "{", "$"].iter().all(|sign| Kinds::of(sign).may_hide()));
        assert!(!Kinds::of("cat a-b/c.d ~ *").may_hide());
        // What ends a command (`callosum_shell::heads`), which says nothing of the words of a text.
        assert!(["\n", ";", "|", "&", "(", ")", "`"].iter().all(|sign| Kinds::of(sign).has_any(ENDS)));
        assert!(!Kinds::of("A=1 sudo acme --to 'a' > x # \"b\" $c {d} [e] ~").has_any(ENDS));
        assert_eq!(Kinds::of_word("a;&)`\n"), Kinds::of_word("a"));
        // Each printed sign by itself, so that no two words are taken for one another.
        let all: Vec<u64> = (b'!'..=b'~').map(|byte| Kinds::of(&char::from(byte).to_string()).0[0]).collect();
        assert!(all.iter().all(|kind| kind.count_ones() <= 1));
        assert_eq!(Kinds::of("a").0.first().unwrap(), &Kinds::of("A").anywhere());
    }
}
