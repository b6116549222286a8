//! A long line with its long texts taken out: here-documents, what stands in quotes with nothing to expand, comments. A
//! mark stands for each while the line is parsed; then they are put back. So the parser, whose time grows faster than
//! the line, is given code alone.

use std::borrow::Cow;

/// Shorter lines are parsed as they are.
const MIN_LINE: usize = 2 * 1024;
/// Shorter texts stay.
const MIN_TEXT: usize = 64;
/// A mark is one of these characters, which no text is to have, a number, and the other one.
const MARK: (char, char) = ('\u{e000}', '\u{e001}');

/// What was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Quoted,
    Document,
    Comment,
}

/// The texts that were taken out of a line.
#[derive(Debug, Default)]
pub(super) struct Kept(Vec<(Kind, String)>);

/// A line without its long texts; `None` when it has none, or it is not certain where they end.
pub(super) fn compact(line: &str) -> Option<(String, Kept)> {
    compact_from(line, MIN_LINE, MIN_TEXT)
}

fn compact_from(line: &str, min_line: usize, min_text: usize) -> Option<(String, Kept)> {
    let is_odd = line.len() <= min_line
        || line.contains([MARK.0, MARK.1])
        // The `)` of a `case` ends no parenthesis.
        || line.contains("esac") && line.contains("$(");
    if is_odd {
        return None;
    }
    let scan = Scan { line, at: 0, copied: 0, min_text, out: String::new(), kept: Kept::default() };
    scan.run()
}

impl Kept {
    /// The text with what was taken out of it put back. False where a mark stands where no text of its kind can.
    pub(super) fn put_back<'t>(&self, text: &'t str, kind: Kind) -> (Cow<'t, str>, bool) {
        if self.0.is_empty() || !text.contains(MARK.0) {
            return (Cow::Borrowed(text), true);
        }
        let (mut whole, mut rest, mut is_right) = (String::new(), text, true);
        while let Some((before, marked)) = rest.split_once(MARK.0) {
            whole.push_str(before);
            let Some((number, after)) = marked.split_once(MARK.1) else { break };
            match number.parse::<usize>().ok().and_then(|number| self.0.get(number)) {
                Some((of, kept)) => {
                    // In `$(…)` all of them stand in a word.
                    is_right &= *of == kind || text.contains("$(");
                    whole.push_str(kept);
                }
                None => is_right = false,
            }
            rest = after;
        }
        whole.push_str(rest);
        (Cow::Owned(whole), is_right)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct Scan<'l> {
    line: &'l str,
    at: usize,
    /// Up to here the line has been copied, or taken out.
    copied: usize,
    min_text: usize,
    out: String,
    kept: Kept,
}

impl<'l> Scan<'l> {
    fn run(mut self) -> Option<(String, Kept)> {
        // What is open: `"`, `(`.
        let mut open: Vec<u8> = Vec::new();
        let mut documents: Vec<&'l str> = Vec::new();
        while let Some(byte) = self.byte(0) {
            if open.last() == Some(&b'"') {
                match byte {
                    b'"' => {
                        open.pop();
                        self.at += 1;
                    }
                    b'\\' => self.at += 2,
                    b'`' => return None,
                    b'$' if self.byte(1) == Some(b'(') => {
                        open.push(b'(');
                        self.at += 2;
                    }
                    b'$' => self.at += 1,
                    _ => {
                        let rest = self.line.as_bytes().get(self.at..)?;
                        let length = rest.iter().position(|byte| b"\"\\`$".contains(byte))?;
                        self.take(Kind::Quoted, length);
                    }
                }
                continue;
            }
            match byte {
                b'\\' => self.at += 2,
                b'`' => return None,
                b'"' => {
                    open.push(b'"');
                    self.at += 1;
                }
                b'\'' if self.before() == Some(b'$') => self.skip_escaped()?,
                b'\'' => {
                    self.at += 1;
                    let length = memchr::memchr(b'\'', self.line.as_bytes().get(self.at..)?)?;
                    self.take(Kind::Quoted, length);
                    self.at += 1;
                }
                b'#' if self.before().is_none_or(|before| b" \t\n;&|()".contains(&before)) => {
                    self.at += 1;
                    let rest = self.line.as_bytes().get(self.at..)?;
                    self.take(Kind::Comment, memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
                }
                b'<' if self.byte(1) == Some(b'<') && self.byte(2) == Some(b'<') => self.at += 3,
                b'<' if self.byte(1) == Some(b'<') => documents.push(self.mark()?),
                b'\n' => {
                    self.at += 1;
                    for tag in documents.drain(..) {
                        self.document(tag)?;
                    }
                }
                b'(' => {
                    open.push(b'(');
                    self.at += 1;
                }
                b')' => {
                    open.pop();
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        let is_whole = open.is_empty() && documents.is_empty() && !self.kept.is_empty();
        self.out.push_str(self.line.get(self.copied..)?);
        is_whole.then_some((self.out, self.kept))
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.line.as_bytes().get(self.at + ahead).copied()
    }

    fn before(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at.checked_sub(1)?).copied()
    }

    /// Goes behind the next `length` bytes, and takes them out when they are many.
    fn take(&mut self, kind: Kind, length: usize) {
        let end = self.at + length;
        if length >= self.min_text
            && let (Some(before), Some(text)) =
                (self.line.get(self.copied..self.at), self.line.get(self.at..end))
        {
            self.out.push_str(before);
            self.out.push_str(&format!("{}{}{}", MARK.0, self.kept.0.len(), MARK.1));
            self.kept.0.push((kind, text.to_owned()));
            self.copied = end;
        }
        self.at = end;
    }

    /// Goes behind `'…'` with escapes in it.
    fn skip_escaped(&mut self) -> Option<()> {
        self.at += 1;
        while self.byte(0)? != b'\'' {
            self.at += if self.byte(0) == Some(b'\\') { 2 } else { 1 };
        }
        self.at += 1;
        Some(())
    }

    /// Goes behind `<<'TAG'`: the tag.
    fn mark(&mut self) -> Option<&'l str> {
        let rest = self.line.get(self.at + 2..)?;
        let mark = rest.strip_prefix('-').unwrap_or(rest);
        let mark = mark.trim_start_matches([' ', '\t']);
        let quote = mark.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let name = mark.strip_prefix(['\'', '"', '\\']).unwrap_or(mark);
        let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let tag = name.get(..name.len() - after.len()).filter(|tag| !tag.is_empty())?;
        let after = quote.map_or(Some(after), |quote| after.strip_prefix(quote))?;
        self.at = self.line.len() - after.len();
        Some(tag)
    }

    /// Goes behind a here-document, to the line that ends it.
    fn document(&mut self, tag: &str) -> Option<()> {
        let document = self.line.get(self.at..)?;
        // Where the line begins that has nothing but the tag, and tabs before it.
        let last_line = |at: usize| {
            let (before, after) = document.split_at_checked(at)?;
            let whole = before.trim_end_matches('\t');
            let is_line = (whole.is_empty() || whole.ends_with('\n'))
                && matches!(after.as_bytes().get(tag.len()), None | Some(b'\n'));
            is_line.then_some((whole.len(), at + tag.len()))
        };
        let (body, end) = memchr::memmem::find_iter(document.as_bytes(), tag).find_map(last_line)?;
        let start = self.at;
        // The newline before the tag stays.
        self.take(Kind::Document, body.saturating_sub(1));
        self.at = start + end;
        Some(())
    }
}
