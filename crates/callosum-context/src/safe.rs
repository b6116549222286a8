//! Text that somebody else wrote, made fit for the shared files: secrets taken out, and nothing in it can be taken for a marker or a
//! heading of ours.

use callosum_core::model::redact::redact;
use callosum_core::model::text::one_line;

use crate::limits::{LIST_CHARS, LIST_ITEMS};

/// What stands for a secret, as the core writes it.
const REDACTED: &str = "[redacted]";

/// A text, and how many secrets were taken out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Safe {
    /// The text.
    pub text: String,
    /// Secrets that were replaced.
    pub redacted: usize,
}

/// `text` without secrets and without comments that could be taken for ours. Line ends become `\n`, other control characters but
/// tabs go, and so do blank lines around it.
#[must_use]
pub fn body(text: &str) -> Safe {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let plain: String = lines.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    let clean = redact(&plain);
    let redacted = clean.matches(REDACTED).count().saturating_sub(plain.matches(REDACTED).count());
    let text = clean.replace("<!--", "&lt;!--").replace("-->", "--&gt;");
    Safe { text: text.trim_matches('\n').trim_end().to_owned(), redacted }
}

/// `text` as one line of at most `max_chars` characters, likewise.
#[must_use]
pub fn line(text: &str, max_chars: usize) -> String {
    let clean = redact(text);
    one_line(&clean, max_chars).replace("<!--", "&lt;!--").replace("-->", "--&gt;").trim().to_owned()
}

/// A list of short texts, likewise: no more than an item may have, empty ones left out.
#[must_use]
pub fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let lines = texts.into_iter().map(|text| line(text, LIST_CHARS));
    lines.filter(|text| !text.is_empty()).take(LIST_ITEMS).collect()
}

/// `text` with a backslash before what would begin a heading, also one that is underlined: no entry of an inbox begins another.
#[must_use]
pub fn without_headings(text: &str) -> String {
    let escaped = text.split('\n').map(|line| {
        let bare = line.trim_start_matches([' ', '\t']);
        let is_underline = !bare.is_empty()
            && (bare.trim_end().bytes().all(|byte| byte == b'=')
                || bare.trim_end().bytes().all(|byte| byte == b'-'));
        if bare.starts_with('#') || is_underline { format!("\\{bare}") } else { line.to_owned() }
    });
    escaped.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_markers_do_not_get_through() {
        let told = body("\r\nkey: ghp_0123456789abcdefghijABCDEFGHIJ012345\r\n<!-- cx:id=1 -->\u{7}\n\n");
        assert_eq!(told.redacted, 1);
        assert_eq!(told.text, "key: [redacted]\n&lt;!-- cx:id=1 --&gt;");
        assert_eq!(body("[redacted]").redacted, 0);
        assert_eq!(line("a\nb <!-- x -->", 80), "a b &lt;!-- x --&gt;");
        assert_eq!(list(["", " a ", "b"]), ["a", "b"]);
    }

    #[test]
    fn no_line_of_a_text_is_a_heading() {
        let told = without_headings("# a\n  ## b\nc\n===\nd\n---\n- e");
        assert_eq!(told, "\\# a\n\\## b\nc\n\\===\nd\n\\---\n- e");
    }
}
