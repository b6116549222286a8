//! Globs: `*` for any text, `?` for one character.

use wildmatch::WildMatch;

/// Whether a name is a glob.
pub(crate) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether the name or glob `wide` surely matches every text that the name or glob `narrow` matches.
pub(crate) fn covers(wide: &str, narrow: &str) -> bool {
    // A glob goes through the other's signs as through letters. Only its `?` must not take a `*` for one letter.
    let counts_signs = wide.contains('?') && narrow.contains('*');
    wide == narrow || is_glob(wide) && !counts_signs && WildMatch::new(wide).matches(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

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
