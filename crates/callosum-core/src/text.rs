//! Text from tool calls made fit for models, terminals and web pages.

use std::borrow::Cow;

/// What a character becomes in a line that people and models read.
pub(crate) enum Shown {
    /// The character itself, or what stands for it.
    As(char),
    /// Nothing: it only picks a glyph for the character before it.
    Dropped,
}

/// How `c` is shown: line breaks, tabs and other control characters become a space; characters that
/// reorder, hide or join text become `�`, so that a reader sees that something was there.
pub(crate) fn shown(c: char) -> Shown {
    match c {
        ' '..='~' => Shown::As(c),
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Shown::Dropped,
        _ if is_invisible(c) => Shown::As('\u{fffd}'),
        _ if c.is_control() || c.is_whitespace() => Shown::As(' '),
        _ => Shown::As(c),
    }
}

/// Format characters that are not seen themselves but change what is: bidi controls, zero-width
/// characters, fillers, interlinear annotation, tags; and private use and noncharacters.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

/// `text` as one line of at most `max_chars` characters; what was cut off is replaced by `…`, which counts.
/// Reads no more of `text` than it shows.
#[must_use]
pub fn one_line(text: &str, max_chars: usize) -> String {
    as_one_line(text, max_chars).into_owned()
}

/// Whether `text` is shown as it is: letters, digits and signs of ASCII, and spaces.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether JSON writes `text` as it is, between quotes.
pub(crate) fn is_plain_json(text: &str) -> bool {
    // All bytes are looked at, whatever they are: so it is done many at a time.
    text.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'"') & (byte != b'\\'))
}

/// The same as [`one_line`], without a copy of what already is such a line.
pub(crate) fn as_one_line(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.len() <= max_chars && is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len().min(max_chars));
    let mut length = 0;
    // Dropped characters do not lengthen the line: this keeps a long run of them from being read to its end.
    for c in text.chars().take(max_chars.saturating_mul(4).saturating_add(1)) {
        let Shown::As(c) = shown(c) else { continue };
        if length == max_chars {
            line.pop();
            if max_chars > 0 {
                line.push('…');
            }
            return Cow::Owned(line);
        }
        line.push(c);
        length += 1;
    }
    Cow::Owned(line)
}

/// The first `max_chars` characters of `text`, and whether that is less than all of it.
pub(crate) fn head(text: &str, max_chars: usize) -> (&str, bool) {
    if text.len() <= max_chars {
        return (text, false);
    }
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => (text.get(..end).unwrap_or_default(), true),
        None => (text, false),
    }
}

/// The known name that was probably meant: at most a third of the letters apart, case aside.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = head(name, 40).0.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::osa_distance(&name, &known.to_lowercase()), known))
        .filter(|(edits, known)| *edits <= known.len().min(name.len()).div_ceil(3))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known)
}

/// Whether `known` may be what was meant by `typed`: it has that in it, or is two slips away, case aside.
#[must_use]
pub fn is_alike(typed: &str, known: &str) -> bool {
    let (typed, known) = (typed.to_lowercase(), known.to_lowercase());
    // Longer texts are not compared letter by letter: that takes as long as both lengths multiplied.
    let is_short = |text: &str| text.len() <= 300;
    known.contains(&typed)
        || is_short(&typed) && is_short(&known) && strsim::osa_distance(&typed, &known) <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_has_it_or_is_two_slips_away() {
        let known = "email:alice@example.com";
        for typed in
            ["alice@example.com", "ALICE", "email:alcie@example.com", "emial:alice@exmple.com", known]
        {
            assert!(is_alike(typed, known), "{typed}");
        }
        for typed in ["email:nobody@example.com", "email:bob@example.com", "email:alice@example.org.uk"] {
            assert!(!is_alike(typed, known), "{typed}");
        }
        assert!(!is_alike(&"x".repeat(100_000), &"y".repeat(100_000)));
    }

    #[test]
    fn the_nearest_name_is_one_that_was_probably_meant() {
        let known = ["contextKey", "commandPattern", "command", "name"];
        for (name, nearest_name) in [
            ("contextkey", Some("contextKey")),
            ("context_key", Some("contextKey")),
            ("comandPattern", Some("commandPattern")),
            ("nmae", Some("name")),
            ("commands", Some("command")),
            ("zzzzzzzzzz", None),
            ("co", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), nearest_name, "{name}");
        }
        assert_eq!(nearest(&"é".repeat(1_000_000), known), None);
    }

    #[test]
    fn a_line_is_one_line_and_shows_what_was_hidden() {
        for (text, line) in [
            ("plain", "plain"),
            ("a\nb\r\nc\td", "a b  c d"),
            ("\u{1b}[31mred\u{7}", " [31mred "),
            ("a\u{2028}b\u{2029}c\u{85}d\u{a0}e", "a b c d e"),
            ("evil\u{202e}txt.exe", "evil\u{fffd}txt.exe"),
            ("zero\u{200b}width\u{feff}", "zero\u{fffd}width\u{fffd}"),
            ("tag\u{e0041}", "tag\u{fffd}"),
            ("heart ❤\u{fe0f}", "heart ❤"),
            ("žluťoučký 你好", "žluťoučký 你好"),
        ] {
            assert_eq!(one_line(text, 100), line, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_ends_in_an_ellipsis_within_its_limit() {
        assert_eq!(one_line("abcdef", 6), "abcdef");
        assert_eq!(one_line("abcdefg", 6), "abcde…");
        assert_eq!(one_line("ééééééé", 3), "éé…");
        assert_eq!(one_line("abc", 0), "");
        assert!(one_line(&"\u{fe0f}".repeat(1_000_000), 10).is_empty());
    }
}
