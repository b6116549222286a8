//! Lines that need no grammar: words, quotes without expansions, `;`, `&&`, `||`, `|`, plain redirections, and behind the
//! line one here-document with nothing to expand in it. Most lines are so, and are read here in a fraction of the parser's
//! time. What is anything else, or may be, is left to the parser; a test compares the two.

use super::braces;
use super::printed::Access;
use super::words::unquote;

/// Longer lines, a document aside, are left to the parser, which has limits of its own.
const MAX_BYTES: usize = 2 * 1024;

/// Whether a word means something to the parser where it stands alone, or stands first.
#[rustfmt::skip]
fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "!" | "{" | "}" | "[[" | "]]" | "case" | "coproc" | "do" | "done" | "elif" | "else" | "esac" | "fi" | "for" | "function"
            | "if" | "in" | "select" | "then" | "time" | "until" | "while"
    )
}

/// The bytes that are no more than a part of a word, wherever they stand in it.
static IN_WORD: [bool; 256] = in_word();

#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
const fn in_word() -> [bool; 256] {
    let (mut is_in, mut byte) = ([true; 256], 0_u8);
    while byte <= 0x7f {
        is_in[byte as usize] = !matches!(
            byte,
            0..=b' '
                | b'"'
                | b'\''
                | b';'
                | b'|'
                | b'&'
                | b'<'
                | b'>'
                | b'\\'
                | b'`'
                | b'$'
                | b'('
                | b')'
                | b'#'
                | 0x7f
        );
        byte += 1;
    }
    is_in
}

/// A command of a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// Without their quotes.
    pub(super) words: Vec<String>,
    /// The here-document that it reads.
    pub(super) document: Option<String>,
    /// The files that it reads from or prints to.
    pub(super) files: Vec<File>,
    /// The files that it writes to by another descriptor: `2> f`.
    pub(super) others: Vec<File>,
}

/// A file that a command reads from or prints to: `< f`, `> f`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct File {
    /// Without its quotes.
    pub(super) path: String,
    pub(super) access: Access,
}

/// Of each pipeline the commands.
pub(super) type Pipelines = Vec<Vec<Command>>;

/// The pipelines of a text; `None` where the parser must read it.
pub(super) fn pipelines(text: &str) -> Option<Pipelines> {
    // Of a long text only the first line may be one; the rest is a document.
    let line = if text.len() > MAX_BYTES { text.lines().next()? } else { text };
    if line.len() > MAX_BYTES {
        return None;
    }
    let mut reader = Reader { text, line, at: 0 };
    let mut has_document = false;
    let mut pipelines = vec![vec![Command::default()]];
    // The next redirection is of a descriptor that no pipe is on.
    let mut is_elsewhere = false;
    // An operator before it asks for a command; a `;` may end the line.
    let mut is_asked_for = true;
    loop {
        reader.skip_blanks();
        let command = pipelines.last_mut()?.last_mut()?;
        let Some(byte) = reader.peek() else { break };
        let is_empty = command.words.is_empty();
        match byte {
            b';' | b'|' | b'&' if is_empty => return None,
            b';' => {
                reader.at += 1;
                pipelines.push(vec![Command::default()]);
                is_asked_for = false;
            }
            b'|' | b'&' => {
                reader.at += 1;
                let is_double = reader.peek() == Some(byte);
                if is_double {
                    reader.at += 1;
                    pipelines.push(vec![Command::default()]);
                } else if byte == b'|' {
                    pipelines.last_mut()?.push(Command::default());
                } else {
                    return None;
                }
                is_asked_for = true;
            }
            b'<' | b'>' if is_empty => return None,
            b'<' if reader.peek_next() == Some(b'<') => {
                if has_document {
                    return None;
                }
                command.document = Some(reader.document()?);
                has_document = true;
            }
            b'<' | b'>' => {
                let file = reader.redirection()?;
                if !std::mem::take(&mut is_elsewhere) {
                    command.files.extend(file);
                } else if let Some(file) = file.filter(|file| file.access != Access::Read) {
                    command.others.push(file);
                }
            }
            _ => {
                let word = reader.word()?;
                if is_empty && word.contains('=') {
                    return None;
                }
                let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
                if is_number && matches!(reader.peek(), Some(b'<' | b'>')) {
                    // The descriptor of a redirection.
                    if is_empty || word.len() > 1 {
                        return None;
                    }
                    let usual = if reader.peek() == Some(b'<') { "0" } else { "1" };
                    is_elsewhere = word != usual;
                } else if braces::may_expand(word) {
                    let (words, is_all) = braces::expanded(word);
                    if !is_all {
                        return None;
                    }
                    command.words.extend(words.iter().map(|word| unquote(word)));
                } else {
                    command.words.push(unquote(word));
                }
            }
        }
    }
    if line.len() < text.len() && !has_document {
        return None;
    }
    if pipelines.last()?.last()?.words.is_empty() {
        if is_asked_for {
            return None;
        }
        pipelines.pop();
    }
    Some(pipelines)
}

struct Reader<'l> {
    /// All there is: the line, and the document behind it.
    text: &'l str,
    line: &'l str,
    at: usize,
}

impl<'l> Reader<'l> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn peek_next(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at + 1).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes over `> file`, `>> file`, `< file`, `>&1`, and tells the file of the first three.
    fn redirection(&mut self) -> Option<Option<File>> {
        let first = self.peek()?;
        self.at += 1;
        let second = self.peek().filter(|byte| first == b'>' && matches!(byte, b'>' | b'&'));
        if second.is_some() {
            self.at += 1;
        }
        self.skip_blanks();
        let path = unquote(self.word()?);
        let is_descriptor = path == "-" || path.bytes().all(|byte| byte.is_ascii_digit());
        if second == Some(b'&') && !is_descriptor {
            return None;
        }
        let access = match (first, second) {
            (b'<', _) => Access::Read,
            (_, Some(_)) => Access::Append,
            _ => Access::Write,
        };
        Some((second != Some(b'&')).then_some(File { path, access }))
    }

    /// Passes over `<<'TAG'`, and takes the document off the text: all that is behind this line must be it. Where the tag
    /// has no quotes, nothing may be in the document that means more than it says.
    fn document(&mut self) -> Option<String> {
        self.at += 2;
        let line_end = self.at + memchr::memchr(b'\n', self.text.as_bytes().get(self.at..)?)?;
        self.line = self.text.get(..line_end)?;
        self.skip_blanks();
        let mark = self.word()?;
        let tag = mark.trim_matches(['\'', '"']);
        let is_name = !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let behind = self.text.get(line_end + 1..)?;
        let document = behind.strip_suffix('\n').unwrap_or(behind).strip_suffix(tag)?;
        let is_whole = document.is_empty() || document.ends_with('\n');
        let is_plain = tag.len() < mark.len() || !document.contains(['$', '`', '\\']);
        let is_cut = document.lines().any(|line| line == tag);
        (is_name && is_whole && is_plain && !is_cut).then(|| document.to_owned())
    }

    /// The word that begins here, as it is written; `None` where it is none, or not a plain one.
    fn word(&mut self) -> Option<&'l str> {
        let start = self.at;
        let mut quote = None;
        loop {
            let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
            let is_in = |byte: &&u8| IN_WORD.get(usize::from(**byte)).copied().unwrap_or(true);
            self.at += rest.iter().take_while(is_in).count();
            let Some(byte) = self.peek() else { break };
            match (quote, byte) {
                (Some(open), _) if byte == open => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b' ' | b'\t' | b';' | b'|' | b'&' | b'<' | b'>') => break,
                (_, b'\\' | b'`') => return None,
                (_, b'$') => {
                    let next = self.line.as_bytes().get(self.at + 1)?;
                    if !next.is_ascii_alphanumeric() && *next != b'_' {
                        return None;
                    }
                }
                (None, b'(' | b')' | b'#' | 0..b' ' | 0x7f) => return None,
                _ => {}
            }
            self.at += 1;
        }
        let word = self.line.get(start..self.at)?;
        (quote.is_none() && !word.is_empty() && !is_reserved(word)).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use std::fs;

    use brush_parser::ast::{
        Command as Parsed, CommandPrefixOrSuffixItem as Item, CompoundListItem, IoFileRedirectKind,
        IoFileRedirectTarget, IoRedirect, SeparatorOperator,
    };

    use super::super::grammar::parse;
    use super::super::here_document::has_odd_mark;
    use super::super::words::substitutions;
    use super::*;

    /// The pipelines of a line as the parser reads it; `None` where it has anything that a plain line has not.
    fn parsed(line: &str) -> Option<Pipelines> {
        let lists = parse(line).ok()?.complete_commands;
        let [list] = lists.as_slice() else { return None };
        let mut pipelines = Vec::new();
        for CompoundListItem(and_or, separator) in &list.0 {
            if !matches!(separator, SeparatorOperator::Sequence) {
                return None;
            }
            for (_, pipeline) in and_or {
                if pipeline.bang || pipeline.timed.is_some() {
                    return None;
                }
                pipelines.push(pipeline.seq.iter().map(simple).collect::<Option<_>>()?);
            }
        }
        Some(pipelines)
    }

    fn simple(command: &Parsed) -> Option<Command> {
        let Parsed::Simple(command) = command else { return None };
        if command.prefix.is_some() {
            return None;
        }
        let name = braces::expanded(&command.word_or_name.as_ref()?.value).0;
        let mut words: Vec<String> = name.iter().map(|word| unquote(word)).collect();
        let (mut document, mut files, mut others) = (None, Vec::new(), Vec::new());
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    if !substitutions(&word.value, false).0.is_empty() {
                        return None;
                    }
                    words.extend(braces::expanded(&word.value).0.iter().map(|word| unquote(word)));
                }
                Item::IoRedirect(IoRedirect::File(of, kind, target)) => match target {
                    IoFileRedirectTarget::Filename(word)
                        if !substitutions(&word.value, false).0.is_empty() =>
                    {
                        return None;
                    }
                    IoFileRedirectTarget::ProcessSubstitution(..) => return None,
                    IoFileRedirectTarget::Filename(word) => {
                        let access = match kind {
                            IoFileRedirectKind::Read => Access::Read,
                            IoFileRedirectKind::Append => Access::Append,
                            _ => Access::Write,
                        };
                        let usual = if access == Access::Read { 0 } else { 1 };
                        if of.is_none_or(|of| of == usual) {
                            files.push(File { path: unquote(&word.value), access });
                        } else if access != Access::Read {
                            others.push(File { path: unquote(&word.value), access });
                        }
                    }
                    _ => {}
                },
                Item::IoRedirect(IoRedirect::HereDocument(_, here)) if document.is_none() => {
                    let text = &here.doc.value;
                    if here.remove_tabs || here.requires_expansion && text.contains(['$', '`', '\\']) {
                        return None;
                    }
                    document = Some(text.clone());
                }
                _ => return None,
            }
        }
        Some(Command { words, document, files, others })
    }

    /// Whether the line is a plain one; then the parser, where it is asked, reads it just so.
    fn is_plain_and_the_same(line: &str) -> bool {
        let Some(pipelines) = pipelines(line) else { return false };
        if !has_odd_mark(line) {
            assert_eq!(Some(pipelines), parsed(line), "{line:?}");
        }
        true
    }

    #[test]
    fn ordinary_lines_are_plain() {
        for line in [
            "ls",
            " git push\torigin main ",
            "cd /srv && git add -A && git commit -m 'Fix: it; all' && git push;",
            "grep -rn \"a $b (c) # d\" src | head -20 || echo no",
            "make all > out.txt 2>&1; tail -n 5 out.txt <from 2>/dev/null >>x",
            "himalaya message send --to a@x.com --subject=Report --body 'Grüße\nan alle'",
            "A-b=c x=y z",
            "find . -name '*.rs' -exec x {} +",
            "export X=1 Y='a b'",
            "sendmail -t <<'EOF'\nTo: a@x\n\n$(b) `c` \\ \"d\nEOF\n",
            "cat <<EOF | mail -s 'a b' a@x && echo ok\nsome 'text\nEOF",
            "cat > out.txt << \"E_1\"; b\nE_1",
            &format!("send --to a@x <<'END'\n{}END\n", "A line of some length.\n".repeat(100)),
        ] {
            assert_eq!(is_plain_and_the_same(line), !line.starts_with("A-b"), "{line}");
        }
    }

    #[test]
    fn what_needs_a_grammar_is_left_to_the_parser() {
        let long = format!("echo {}", "a".repeat(MAX_BYTES));
        for line in [
            "",
            " ",
            ";",
            "a;;b",
            "a; ;",
            "a &&",
            "a | ",
            "| a",
            "a & b",
            "a &> b",
            "a |& b",
            "a\nb",
            "(a)",
            "{ a; }",
            "! a",
            "if a; then b; fi",
            "echo if",
            "time a",
            "A=b c",
            "a=",
            "a >|b",
            "a <>b",
            "a <<E",
            "a <<E\n",
            "a <<E\nb",
            "a <<E\nb\n E",
            "a <<E\nb\nE\nc",
            "a <<E\nE\nc\nE",
            "a <<E\n$b\nE",
            "a <<'E' <<F\nE\nF",
            "a <<'E' 'b\nc'\nE",
            "a <<'E' |\nE",
            "a <<-E\nb\nE",
            "a <<\"\"\nb\n",
            "a <<E-F\nb\nE-F",
            "<<E a\nE",
            "a <<<b",
            "a <&0",
            ">a b",
            "2>a b",
            "a 22>b",
            "a >",
            "a > ;",
            "echo $(b)",
            "echo `b`",
            "echo ${b}",
            "echo $'b'",
            "echo $\"b\"",
            "echo $",
            "echo '$'",
            "a\\ b",
            "a # b",
            "a 'b",
            "a \"b",
            "a \"b\\\"\"",
            "f()",
            "a=(b)",
            "a <(b)",
            "a\r",
            "[[ -f x ]]",
            &long,
        ] {
            assert_eq!(pipelines(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_plain_line_is_read_as_the_parser_reads_it() {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/commands");
        for file in fs::read_dir(corpus).unwrap() {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            is_plain_and_the_same(&text);
            for line in text.lines() {
                is_plain_and_the_same(line);
            }
        }
        #[rustfmt::skip]
        let pieces = [
            "a", "b-c", "git", "x=y", "=", "--to=a@x", "'", "\"", "'a b'", "\"a;b\"", "$X", "$", "{", "}", "{}", "[", "]", "[[", "!", "~",
            "*", "?", "@", "+", "%", "^", ",", ".", "/", ":", "-", "_", "1", "2", "23", "if", "in", "do", "time", "for", "ü", "\u{a0}", "\t", "#",
            "\\", "`", "(", ")", "\n", "<", ">", ">>", ">&", "2>&1", "<<", "&", "&&", "||", "|", ";", ";;", "export", "cd", "-p", "select",
        ];
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let lines = 30_000;
        let mut plain = 0;
        for _ in 0..lines {
            let mut line = String::new();
            for _ in 0..=random(12) {
                // Those in front are in plain lines: half of all pieces are of them.
                let count = if random(2) == 0 { 10 } else { pieces.len() };
                line.push_str(pieces[random(count)]);
                line.push_str(["", " ", " "][random(3)]);
            }
            if random(4) == 0 {
                let mark = ["E", "'E'", "\"E\"", "-E", "\\E", "$E", "'E", "E'F'"][random(8)];
                let end = ["E", "E\n", " E", "E ", "\tE", "E\nE", "E\nls", "F", "E\n\n"][random(9)];
                let body = ["", "\n", "a 'b\n", "$X\n", "E x\n", "xE\n", "E\r\n", "ü \\\n"];
                line.push_str(&format!(" <<{mark}{}\n", ["", " b", "|c", ";d", " <<'F'", " >e"][random(6)]));
                (0..random(3)).for_each(|_| line.push_str(body[random(8)]));
                line.push_str(end);
            }
            plain += usize::from(is_plain_and_the_same(&line));
        }
        assert!(plain > lines / 20, "{plain} of {lines} are plain");
    }
}
