//! A line with its long texts taken out: here-documents, what stands in quotes with nothing to expand, comments. A mark stands
//! for each while the line is parsed; then they are put back. So the parser, whose time grows faster than the line, is given
//! code alone. Here-documents are taken out of short lines too: the parser knows few of their marks, and takes a `<<` in a
//! text for one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::here_document::Mark;
use super::words::end_of_sum;

/// Shorter lines are parsed as they are, if they have no here-document.
const MIN_LINE: usize = 2 * 1024;
/// Shorter texts stay.
const MIN_TEXT: usize = 64;
/// Shorter comments stay.
const MIN_COMMENT: usize = 4;
/// A mark is one of these characters, which no text is to have, a number, and the other one.
const MARK: (char, char) = ('\u{e000}', '\u{e001}');
/// What stands in front of the mark of a here-document: it is read as a text that is given in the line itself.
const HERE_STRING: &str = "<<<";
/// At most this many `((` of a line may turn out to be no sums: the line is looked through for what closes each.
const MAX_NO_SUMS: usize = 64;
/// The names of so many files that a line writes are looked for elsewhere in it.
const MAX_FILES: usize = 64;

/// What was taken out.
#[derive(Debug)]
enum Taken {
    /// Of a text in quotes.
    Quoted(String),
    Comment(String),
    Document(Document),
}

/// A here-document.
#[derive(Debug)]
pub(super) struct Document {
    /// From its `<<` to the end of its mark.
    written: String,
    /// Its lines, and the one that ends it.
    lines: String,
    /// How many bytes of these come before the last line.
    length: usize,
    strips_tabs: bool,
    /// What is to be expanded in it is expanded.
    pub(super) expands: bool,
    /// The name of the file that it goes to, and does nothing else.
    stored_in: Option<String>,
}

impl Document {
    /// What a program reads.
    pub(super) fn text(&self) -> String {
        let text = self.lines.get(..self.length).unwrap_or_default();
        if !self.strips_tabs {
            return text.to_owned();
        }
        text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
    }
}

/// The texts that were taken out of a line.
#[derive(Debug, Default)]
pub(super) struct Kept(Vec<Taken>);

/// A line without its long texts; `None` when it has none, or it is not certain where they end.
pub(super) fn compact(line: &str) -> Option<(String, Kept)> {
    let is_long = line.len() > MIN_LINE;
    let is_odd = !is_long && !line.contains("<<")
        || line.contains([MARK.0, MARK.1])
        // The `)` of a `case` ends no parenthesis.
        || line.contains("esac") && line.contains("$(");
    if is_odd {
        return None;
    }
    let min_text = if is_long { MIN_TEXT } else { usize::MAX };
    let scan =
        Scan { line, at: 0, copied: 0, min_text, out: String::new(), kept: Kept::default(), no_sums: 0 };
    scan.run()
}

impl Kept {
    /// The text with what was taken out of it put back. False where a mark stands where no text of its kind can.
    pub(super) fn put_back<'t>(&self, text: &'t str) -> (Cow<'t, str>, bool) {
        if self.0.is_empty() || !text.contains(MARK.0) {
            return (Cow::Borrowed(text), true);
        }
        let (mut whole, mut rest, mut is_right) = (String::new(), text, true);
        // In `$(…)` all of them stand in a word.
        let has_code = text.contains("$(");
        // Documents begin behind the line of their mark.
        let mut documents: Vec<&Document> = Vec::new();
        let copy = |whole: &mut String, part: &str, documents: &mut Vec<&Document>| {
            let begin = part.split_once('\n').filter(|_| !documents.is_empty());
            let Some((line, after)) = begin else {
                whole.push_str(part);
                return;
            };
            whole.push_str(line);
            whole.push('\n');
            for document in documents.drain(..) {
                whole.push_str(&document.lines);
                whole.push('\n');
            }
            whole.push_str(after);
        };
        while let Some((before, number, after)) = next_mark(rest) {
            let taken = number.and_then(|number| self.0.get(number));
            let before = match taken {
                Some(Taken::Document(_)) => before.strip_suffix(HERE_STRING).unwrap_or(before),
                _ => before,
            };
            copy(&mut whole, before, &mut documents);
            match taken {
                Some(Taken::Quoted(text)) => whole.push_str(text),
                Some(Taken::Comment(text)) => {
                    is_right &= has_code;
                    whole.push_str(text);
                }
                Some(Taken::Document(document)) => {
                    is_right &= has_code;
                    whole.push_str(&document.written);
                    documents.push(document);
                }
                None => is_right = false,
            }
            rest = after;
        }
        copy(&mut whole, rest, &mut documents);
        for document in documents {
            whole.push('\n');
            whole.push_str(&document.lines);
        }
        (Cow::Owned(whole), is_right)
    }

    /// Documents that go to a file which `line` names elsewhere, too, are more than stored: it may run.
    fn forget_where_named_again(&mut self, line: &str) {
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        for taken in &self.0 {
            if let Taken::Document(Document { stored_in: Some(name), .. }) = taken {
                *files.entry(name.clone()).or_default() += 1;
            }
        }
        let mut looked_for = 0;
        files.retain(|name, documents| {
            looked_for += 1;
            // Of more files than this nobody can look for each.
            looked_for > MAX_FILES || line.matches(name.as_str()).count() > *documents
        });
        for taken in &mut self.0 {
            if let Taken::Document(document) = taken {
                document.stored_in.take_if(|name| files.contains_key(name));
            }
        }
    }

    /// What of a text may run: without its comments, and without documents that go to a file which is never named again.
    pub(super) fn code<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut code, mut rest) = (String::new(), text);
        while let Some((before, number, after)) = next_mark(rest) {
            code.push_str(before);
            match number.and_then(|number| self.0.get(number)) {
                Some(Taken::Quoted(text)) => code.push_str(text),
                Some(Taken::Document(document)) if document.stored_in.is_none() => {
                    code.push('\n');
                    code.push_str(&document.text());
                }
                Some(Taken::Document(_) | Taken::Comment(_)) | None => {}
            }
            rest = after;
        }
        code.push_str(rest);
        Cow::Owned(code)
    }

    /// The here-document that a word stands for.
    pub(super) fn document(&self, word: &str) -> Option<&Document> {
        match next_mark(word)? {
            ("", Some(number), "") => match self.0.get(number)? {
                Taken::Document(document) => Some(document),
                Taken::Quoted(_) | Taken::Comment(_) => None,
            },
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What stands before the next mark in a text, its number, and what stands behind it.
fn next_mark(text: &str) -> Option<(&str, Option<usize>, &str)> {
    let (before, marked) = text.split_once(MARK.0)?;
    let (number, after) = marked.split_once(MARK.1)?;
    Some((before, number.parse().ok(), after))
}

struct Scan<'l> {
    line: &'l str,
    at: usize,
    /// Up to here the line has been copied, or taken out.
    copied: usize,
    min_text: usize,
    out: String,
    kept: Kept,
    /// How many `((` were none.
    no_sums: usize,
}

/// What is open while a line is gone through: `"`, `(` of commands, and each `(` of a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Quote,
    Parenthesis,
    Sum,
}

impl Scan<'_> {
    fn run(mut self) -> Option<(String, Kept)> {
        let mut open: Vec<Open> = Vec::new();
        let mut marks: Vec<(usize, Mark)> = Vec::new();
        while let Some(byte) = self.byte(0) {
            if open.last() == Some(&Open::Quote) {
                match byte {
                    b'"' => {
                        open.pop();
                        self.at += 1;
                    }
                    b'\\' => self.at += 2,
                    b'`' => return None,
                    b'$' if self.byte(1) == Some(b'(') => {
                        self.at += 1;
                        self.open(&mut open)?;
                    }
                    b'$' => self.at += 1,
                    _ => {
                        let length = self.rest()?.iter().position(|byte| b"\"\\`$".contains(byte))?;
                        self.take(Taken::Quoted, length);
                    }
                }
                continue;
            }
            match byte {
                b'\\' => self.at += 2,
                b'`' => return None,
                b'"' => {
                    open.push(Open::Quote);
                    self.at += 1;
                }
                b'\'' if self.before() == Some(b'$') => self.skip_escaped()?,
                b'\'' => {
                    self.at += 1;
                    let length = memchr::memchr(b'\'', self.rest()?)?;
                    self.take(Taken::Quoted, length);
                    self.at += 1;
                }
                b'#' if self.before().is_none_or(|before| b" \t\n;&|()".contains(&before)) => {
                    self.at += 1;
                    let rest = self.rest()?;
                    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.comment(length);
                }
                b'<' if self.byte(1) == Some(b'<') && self.byte(2) == Some(b'<') => self.at += 3,
                b'<' if self.byte(1) == Some(b'<') && open.last() == Some(&Open::Sum) => self.shift()?,
                b'<' if self.byte(1) == Some(b'<') => marks.push(self.mark(open.is_empty())?),
                b'\n' => {
                    self.at += 1;
                    for (number, mark) in marks.drain(..) {
                        self.document(number, &mark)?;
                    }
                }
                b'(' => self.open(&mut open)?,
                b')' => {
                    open.pop();
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        let is_whole = open.is_empty() && marks.is_empty() && !self.kept.is_empty();
        self.out.push_str(self.line.get(self.copied..)?);
        self.kept.forget_where_named_again(&self.out);
        is_whole.then_some((self.out, self.kept))
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.line.as_bytes().get(self.at + ahead).copied()
    }

    fn before(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at.checked_sub(1)?).copied()
    }

    fn rest(&self) -> Option<&[u8]> {
        self.line.as_bytes().get(self.at..)
    }

    /// Goes into a parenthesis.
    fn open(&mut self, open: &mut Vec<Open>) -> Option<()> {
        let is_in_sum = open.last() == Some(&Open::Sum) && self.before() != Some(b'$');
        let begins_sum = !is_in_sum && self.byte(1) == Some(b'(') && {
            let is_sum = end_of_sum(self.line.as_bytes(), self.at + 1).is_some();
            self.no_sums += usize::from(!is_sum);
            is_sum
        };
        open.push(if is_in_sum || begins_sum { Open::Sum } else { Open::Parenthesis });
        self.at += 1;
        (self.no_sums <= MAX_NO_SUMS).then_some(())
    }

    /// Goes behind the next `length` bytes, and takes them out when they are many, or look like a here-document.
    fn take(&mut self, kind: fn(String) -> Taken, length: usize) {
        let end = self.at + length;
        if let Some(text) = self.line.get(self.at..end)
            && (length >= self.min_text || text.contains("<<"))
        {
            self.replace(kind(text.to_owned()), end);
        }
        self.at = end;
    }

    /// Goes behind a comment. One that stays would be looked through for commands, were the line not parsed.
    fn comment(&mut self, length: usize) {
        let min_text = self.min_text;
        self.min_text = min_text.min(MIN_COMMENT);
        self.take(Taken::Comment, length);
        self.min_text = min_text;
    }

    /// Puts a mark in the place of what stands up to `end`.
    fn replace(&mut self, taken: Taken, end: usize) {
        let Some(before) = self.line.get(self.copied..self.at) else { return };
        self.out.push_str(before);
        if matches!(taken, Taken::Document(_)) {
            self.out.push_str(HERE_STRING);
        }
        self.out.push_str(&format!("{}{}{}", MARK.0, self.kept.0.len(), MARK.1));
        self.kept.0.push(taken);
        self.copied = end;
        self.at = end;
    }

    /// Goes behind `'…'` with escapes in it.
    fn skip_escaped(&mut self) -> Option<()> {
        self.at += 1;
        let mut length = 0;
        while self.byte(length)? != b'\'' {
            length += if self.byte(length) == Some(b'\\') { 2 } else { 1 };
        }
        self.take(Taken::Quoted, length);
        self.at += 1;
        Some(())
    }

    /// Goes behind the `<<` of a sum, which ends in its line.
    fn shift(&mut self) -> Option<()> {
        let rest = self.line.get(self.at..)?;
        rest.lines().next().filter(|line| line.contains("))"))?;
        self.replace(Taken::Quoted("<<".to_owned()), self.at + 2);
        Some(())
    }

    /// Goes behind `<<'TAG'`: the number of the document, and its mark.
    fn mark(&mut self, is_outside: bool) -> Option<(usize, Mark)> {
        let mark = Mark::read(self.line.as_bytes().get(self.at + 2..)?)?;
        let end = self.at + 2 + mark.length;
        let document = Document {
            written: self.line.get(self.at..end)?.to_owned(),
            lines: String::new(),
            length: 0,
            strips_tabs: mark.strips_tabs,
            expands: !mark.is_quoted,
            stored_in: if is_outside { self.stored_in(end) } else { None },
        };
        let number = self.kept.0.len();
        self.replace(Taken::Document(document), end);
        Some((number, mark))
    }

    /// The name of the file that the document goes to which is announced here, if it does nothing else: `cat > a/f <<EOF`.
    fn stored_in(&self, end: usize) -> Option<String> {
        let before = self.line.get(..self.at).unwrap_or_default();
        let begin = before.rfind(['\n', ';', '|', '&']).map_or(0, |at| at + 1);
        let before = before.get(begin..).unwrap_or_default().trim_start();
        let behind = self.line.get(end..).unwrap_or_default().lines().next().unwrap_or_default();
        let has_more = behind.contains(['|', '(', '{', '}']) || behind.contains(">&");
        let behind = behind.split([';', '&']).next().unwrap_or_default();
        let is_elsewhere = [before, behind].iter().any(|part| part.contains("/dev/"));
        if !before.starts_with("cat ") || has_more || is_elsewhere {
            return None;
        }
        let (_, path) = before.rsplit_once('>').or_else(|| behind.rsplit_once('>'))?;
        let name = path.split_whitespace().next()?.rsplit('/').next()?;
        Some(name.trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty())
    }

    /// Takes out a here-document, with the line that ends it.
    fn document(&mut self, number: usize, mark: &Mark) -> Option<()> {
        let (length, end) = mark.document(self.rest()?)?;
        let lines = self.line.get(self.at..self.at + end)?.to_owned();
        self.out.push_str(self.line.get(self.copied..self.at)?);
        let Some(Taken::Document(document)) = self.kept.0.get_mut(number) else { return None };
        if document.expands && (lines.contains("$(") || lines.contains('`')) {
            document.stored_in = None;
        }
        document.lines = lines;
        document.length = length;
        self.at = (self.at + end + 1).min(self.line.len());
        self.copied = self.at;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the programs of a line read that here-documents are for; `None` where the line is not compacted.
    fn documents(line: &str) -> Option<Vec<String>> {
        let (_, Kept(kept)) = compact(line)?;
        let documents = kept.iter().filter_map(|taken| match taken {
            Taken::Document(document) => Some(document.text()),
            Taken::Quoted(_) | Taken::Comment(_) => None,
        });
        Some(documents.collect())
    }

    #[test]
    fn what_goes_to_a_file_may_run_where_the_file_is_named_again() {
        for (line, may_run) in [
            ("cat > a/x.sh <<'E'\nb c\nE\n", false),
            ("cat > 'a/x.sh' <<'E'\nb c\nE\nsh x.sh", true),
            ("cat <<'E' > x.sh\nb c\nE\ncp a/x.sh y; sh y", true),
            ("cat > x.sh <<'E'\nb c\nE\nsh y.sh", false),
            ("cat > x.sh <<'E'\nb c\nE\ncat > x.sh <<'E'\nd\nE\n", false),
            ("cat > x.sh <<'E'\nb c\nE\ncat > x.sh <<'E'\nd\nE\nsh x.sh", true),
            ("cat > x.sh <<E\n$(b c)\nE\n", true),
        ] {
            let (short, kept) = compact(line).unwrap_or_default();
            assert_eq!(kept.code(&short).contains("b c"), may_run, "{line}");
        }
    }

    #[test]
    fn two_parentheses_are_a_sum_only_where_two_close_it() {
        for (line, expected) in [
            ("echo \"$(( ( bash <<E\na\nE\n) )\n)\"", Some(&["a\n"][..])),
            ("echo $((bash <<E\na\nE\n) )", Some(&["a\n"])),
            ("echo $((bash <<E\na\nE\n); b)", Some(&["a\n"])),
            ("((bash <<E\na\nE\n) )", Some(&["a\n"])),
            ("((true); (bash <<E\na\nE\n))", Some(&["a\n"])),
            ("x=$(((1 << 2) + 3)); bash <<E\na\nE\n", Some(&["a\n"])),
            ("x=$((1 << (2 + $((3 << 4)) ))); bash <<E\na\nE\n", Some(&["a\n"])),
            ("((x = 1 << 2)) && bash <<E\na\nE\n", Some(&["a\n"])),
            // For one shell a sum, for another a command.
            ("((bash <<E\na\nE\n))", None),
        ] {
            let expected = expected.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect());
            assert_eq!(documents(line), expected, "{line}");
        }
        let nested = |count: usize| format!("{}cat <<E\na\nE\n{}", "((a); ".repeat(count), ")".repeat(count));
        assert!(documents(&nested(MAX_NO_SUMS)).is_some());
        assert_eq!(documents(&nested(MAX_NO_SUMS + 1)), None);
    }
}
