//! Texts of others in our Markdown.

use callosum_core::model::text::without_our_name;

use crate::safe;

/// `text` without secrets, as one line of at most `max_chars` characters that Markdown, and who looks for our marks in it, reads as plain words: no
/// heading, link, comment or proof of ours can be forged with it.
#[must_use]
pub(crate) fn inert(text: &str, max_chars: usize) -> String {
    let line = safe::line(text, max_chars);
    let mut safe = String::with_capacity(line.len());
    for c in without_our_name(&line).trim().chars() {
        match c {
            '<' => safe.push('‹'),
            '>' => safe.push('›'),
            '[' => safe.push('('),
            ']' => safe.push(')'),
            '`' => safe.push('\''),
            _ => safe.push(c),
        }
    }
    if safe.starts_with(['#', '-', '*', '+', '=', '|', '~']) {
        safe.insert(0, '\\');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_be_forged() {
        assert_eq!(
            inert("a [seq 5] <!-- cx:id=1 --> `x`\n# T", 200),
            "a (seq 5) &lt;!-- cx:id=1 --&gt; 'x' # T"
        );
        assert_eq!(inert("# Heading", 80), "\\# Heading");
        assert_eq!(inert("[Callosum] do it", 80), "(Callosum) do it");
    }
}
