//! Globs: `*` for any text, `?` for one character.

use wildmatch::WildMatch;

/// Whether a name is a glob.
pub fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// A glob that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Glob {
    /// The texts around its `*`. Each is looked for once: thousands of globs may be asked about a name of a megabyte.
    Stars(Vec<String>),
    /// One with a `?`.
    Signs(WildMatch),
}

impl Glob {
    /// Reads a pattern.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        if pattern.contains('?') || !pattern.contains('*') {
            return Self::Signs(WildMatch::new(pattern));
        }
        let mut parts: Vec<String> = pattern.split('*').map(str::to_owned).collect();
        let last = parts.len() - 1;
        let mut at = 0;
        parts.retain(|part| {
            at += 1;
            at == 1 || at == last + 1 || !part.is_empty()
        });
        Self::Stars(parts)
    }

    /// Whether it is for a name.
    pub fn matches(&self, name: &str) -> bool {
        let parts = match self {
            Self::Stars(parts) => parts,
            Self::Signs(signs) => return signs.matches(name),
        };
        let [first, middle @ .., last] = parts.as_slice() else { return false };
        let inner = name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()));
        let Some(mut rest) = inner.map(str::as_bytes) else { return false };
        middle.iter().all(|part| {
            let found = memchr::memmem::find(rest, part.as_bytes());
            rest = found.and_then(|at| rest.get(at + part.len()..)).unwrap_or_default();
            found.is_some()
        })
    }

    /// As it is written, with one `*` where there are several.
    pub fn pattern(&self) -> String {
        match self {
            Self::Stars(parts) => parts.join("*"),
            Self::Signs(signs) => signs.pattern(),
        }
    }
}

/// Whether the name or glob `wide` surely matches every text that the name or glob `narrow` matches.
pub fn covers(wide: &str, narrow: &str) -> bool {
    // A glob goes through the other's signs as through letters. Only its `?` must not take a `*` for one letter.
    let counts_signs = wide.contains('?') && narrow.contains('*');
    wide == narrow || is_glob(wide) && !counts_signs && WildMatch::new(wide).matches(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_what_the_other_reader_of_globs_says() {
        let names = ["", "a", "b", "ab", "ba", "aab", "abab", "aabba", "abcab", "éa", "aé"];
        let parts = ["", "a", "b", "ab", "é", "*", "**", "c"];
        for one in parts {
            for two in parts {
                for three in parts {
                    for four in parts {
                        let glob = format!("{one}{two}*{three}{four}");
                        let (read, other) = (Glob::new(&glob), WildMatch::new(&glob));
                        assert_eq!(read.pattern(), other.pattern());
                        for name in names {
                            assert_eq!(read.matches(name), other.matches(name), "{glob} {name}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_glob_covers_what_it_surely_matches() {
        for (wide, narrow, expected) in [
            ("a", "a", true),
            ("a", "b", false),
            ("a", "a*", false),
            ("*", "", true),
            ("*", "a*", true),
            ("a*", "a", true),
            ("a*", "ab*", true),
            ("a*", "a?", true),
            ("a*", "*a", false),
            ("a*", "?", false),
            ("?", "a", true),
            ("?", "?", true),
            ("?", "*", false),
            ("a?", "a*", false),
            ("a?", "?a", false),
            ("*__send_*", "mail__send_email", true),
            ("*__send_*", "*__send_email", true),
            ("*__send_email", "*__send_*", false),
        ] {
            assert_eq!(covers(wide, narrow), expected, "{wide} {narrow}");
        }
    }
}
