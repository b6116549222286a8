//! The marks of here-documents, and where the documents end that they announce.

/// The mark of a here-document, as it stands behind a `<<`: `EOF`, `-'E.1'`, `"E O"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// What the line is that ends the document.
    pub(super) tag: Vec<u8>,
    /// Nothing is expanded in the document: a part of the mark stands in quotes.
    pub(super) is_quoted: bool,
    /// Tabs in front of its lines are taken away: `<<-`.
    pub(super) strips_tabs: bool,
    /// How many bytes the mark takes.
    pub(super) length: usize,
}

impl Mark {
    /// Reads the mark that stands behind a `<<`; `None` where there is none, or it is not certain what it is.
    pub(super) fn read(behind: &[u8]) -> Option<Self> {
        let strips_tabs = behind.first() == Some(&b'-');
        let mut at = usize::from(strips_tabs);
        at += behind.get(at..)?.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let (mut tag, mut is_quoted) = (Vec::new(), false);
        while let Some(byte) = behind.get(at) {
            at += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => {
                    at -= 1;
                    break;
                }
                b'\'' => {
                    let length = memchr::memchr(b'\'', behind.get(at..)?)?;
                    tag.extend(behind.get(at..at + length)?);
                    at += length + 1;
                    is_quoted = true;
                }
                b'"' => {
                    is_quoted = true;
                    loop {
                        let byte = *behind.get(at)?;
                        at += 1;
                        match byte {
                            b'"' => break,
                            b'$' | b'`' => return None,
                            b'\\' => {
                                let escaped = *behind.get(at)?;
                                if !matches!(escaped, b'"' | b'\\' | b'$' | b'`') {
                                    tag.push(b'\\');
                                }
                                tag.push(escaped);
                                at += 1;
                            }
                            _ => tag.push(byte),
                        }
                    }
                }
                b'\\' => {
                    tag.push(*behind.get(at)?);
                    at += 1;
                    is_quoted = true;
                }
                b'`' => return None,
                b'$' if matches!(behind.get(at), Some(b'\'' | b'"' | b'(' | b'{' | b'[')) => return None,
                b'#' if tag.is_empty() && !is_quoted => return None,
                _ => tag.push(*byte),
            }
        }
        let is_one = (is_quoted || !tag.is_empty()) && !tag.contains(&b'\n');
        is_one.then_some(Self { tag, is_quoted, strips_tabs, length: at })
    }

    /// The document of this mark that `text` begins with: where its last line begins, which is nothing but the mark, and
    /// where that ends. `None` when it never ends.
    pub(super) fn document(&self, text: &[u8]) -> Option<(usize, usize)> {
        let mut start = 0;
        loop {
            let rest = text.get(start..)?;
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..length)?;
            let tabs = line.iter().take_while(|byte| self.strips_tabs && **byte == b'\t').count();
            if line.get(tabs..) == Some(self.tag.as_slice()) && (length > 0 || length < rest.len()) {
                return Some((start, start + length));
            }
            if length == rest.len() {
                return None;
            }
            start += length + 1;
        }
    }
}

/// Whether the mark of a here-document may be empty, as that of `<<''` is, or be more than a name in quotes or without. The
/// parser's tokenizer takes blanks to be the mark in `<<  E` inside `$(…)`, and in `<<"E$(  "`; and where a text ends behind
/// a mark of nothing, it goes on for ever and takes all memory. It is asked of what is left when `compact` has taken the
/// documents out that it knows the ends of, and of all texts that are not certain enough for that.
pub(super) fn has_odd_mark(command: &str) -> bool {
    let is_name = |behind: &str| {
        let mark = behind.strip_prefix('-').unwrap_or(behind);
        let mark = mark.strip_prefix([' ', '\t']).unwrap_or(mark);
        let quote = mark.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let mark = mark.strip_prefix(['\'', '"', '\\']).unwrap_or(mark);
        // `END-OF-MAIL`, `E.1`
        let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let begins = mark.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let after = if begins { mark.trim_start_matches(in_name) } else { mark };
        let end = quote.map_or(Some(after), |quote| after.strip_prefix(quote));
        let ends = |end: &str| {
            end.is_empty() || end.starts_with([' ', '\t', '\r', '\n', ';', '|', '&', '<', '>', ')'])
        };
        mark.len() > after.len() && end.is_some_and(ends)
    };
    marks(command).any(|behind| !is_name(behind))
}

/// Whether there may be a here-document in a text, and not only texts behind `<<<`.
pub(super) fn has_mark(command: &str) -> bool {
    marks(command).next().is_some()
}

/// What stands behind each `<<` that may announce a here-document.
fn marks(command: &str) -> impl Iterator<Item = &str> {
    let mut rest = command;
    std::iter::from_fn(move || {
        loop {
            let (before, after) = rest.split_once("<<")?;
            let behind = after.trim_start_matches('<');
            let is_here_string = after.len() == behind.len() + 1 && !before.ends_with('\\');
            rest = behind;
            if !is_here_string {
                return Some(behind);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_mark_is_the_word_that_a_shell_takes_it_for() {
        for (behind, tag, is_quoted, strips_tabs) in [
            ("EOF\n", "EOF", false, false),
            ("!\n", "!", false, false),
            (".", ".", false, false),
            ("  E;x", "E", false, false),
            ("-'A-B' | x", "A-B", true, true),
            ("- E", "E", false, true),
            ("\"E O\"\n", "E O", true, false),
            ("\\EOF", "EOF", true, false),
            ("''\n", "", true, false),
            ("E'F'\"G\"H>x", "EFGH", true, false),
            ("$X\n", "$X", false, false),
            ("E)", "E", false, false),
        ] {
            let mark = Mark::read(behind.as_bytes()).unwrap();
            let expected = (tag.as_bytes(), is_quoted, strips_tabs);
            assert_eq!((mark.tag.as_slice(), mark.is_quoted, mark.strips_tabs), expected, "{behind:?}");
        }
        for behind in ["", " ", "\n", "'E", "\"E", "\"E$(\"", "$(x)", "`x`", "#", "$'E'", "'a\nb'", "\\"] {
            assert_eq!(Mark::read(behind.as_bytes()), None, "{behind:?}");
        }
    }

    #[test]
    fn a_document_ends_with_a_line_of_nothing_but_its_mark() {
        let end = |mark: &str, text: &str| Mark::read(mark.as_bytes()).unwrap().document(text.as_bytes());
        assert_eq!(end("E", "a\n E\n\tE\nEE\nE\nb"), Some((11, 12)));
        assert_eq!(end("-E", "a\n\t\tE\nb"), Some((2, 5)));
        assert_eq!(end("E", "E"), Some((0, 1)));
        assert_eq!(end("''", "a\n\nb"), Some((2, 2)));
        assert_eq!(end("''", "a\n"), None);
        assert_eq!(end("E", "a\nE "), None);
        assert_eq!(end("E", ""), None);
    }
}
