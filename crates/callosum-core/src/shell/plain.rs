//! Lines that need no grammar: words, quotes without expansions, `;`, `&&`, `||`, `|` and plain redirections. Most
//! lines are so, and are read here in a fraction of the parser's time. What is anything else, or may be, is left to
//! the parser; a test compares the two.

use super::words::unquote;

/// Longer lines are left to the parser, which has limits of its own.
const MAX_BYTES: usize = 2 * 1024;

/// Words that mean something to the parser where they stand alone, or stand first.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// Of each pipeline, of each command in it, the words without their quotes.
pub(super) type Pipelines = Vec<Vec<Vec<String>>>;

/// The pipelines of a line; `None` where the parser must read it.
pub(super) fn pipelines(line: &str) -> Option<Pipelines> {
    if line.len() > MAX_BYTES {
        return None;
    }
    let mut reader = Reader { line, at: 0 };
    let mut pipelines = vec![vec![Vec::new()]];
    // An operator before it asks for a command; a `;` may end the line.
    let mut is_asked_for = true;
    loop {
        reader.skip_blanks();
        let command: &mut Vec<String> = pipelines.last_mut()?.last_mut()?;
        let Some(byte) = reader.peek() else { break };
        let is_empty = command.is_empty();
        match byte {
            b';' | b'|' | b'&' if is_empty => return None,
            b';' => {
                reader.at += 1;
                pipelines.push(vec![Vec::new()]);
                is_asked_for = false;
            }
            b'|' | b'&' => {
                reader.at += 1;
                let is_double = reader.peek() == Some(byte);
                if is_double {
                    reader.at += 1;
                    pipelines.push(vec![Vec::new()]);
                } else if byte == b'|' {
                    pipelines.last_mut()?.push(Vec::new());
                } else {
                    return None;
                }
                is_asked_for = true;
            }
            b'<' | b'>' if is_empty => return None,
            b'<' | b'>' => reader.redirection()?,
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
                } else {
                    command.push(unquote(word));
                }
            }
        }
    }
    if pipelines.last()?.last()?.is_empty() {
        if is_asked_for {
            return None;
        }
        pipelines.pop();
    }
    Some(pipelines)
}

struct Reader<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Reader<'l> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes over `> file`, `>> file`, `< file`, `>&1`.
    fn redirection(&mut self) -> Option<()> {
        let first = self.peek()?;
        self.at += 1;
        if first == b'>' && matches!(self.peek(), Some(b'>' | b'&')) {
            self.at += 1;
        }
        self.skip_blanks();
        self.word().map(drop)
    }

    /// The word that begins here, as it is written; `None` where it is none, or not a plain one.
    fn word(&mut self) -> Option<&'l str> {
        let start = self.at;
        let mut quote = None;
        while let Some(byte) = self.peek() {
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
        (quote.is_none() && !word.is_empty() && !RESERVED.contains(&word)).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use std::fs;

    use brush_parser::ast::{
        Command, CommandPrefixOrSuffixItem as Item, CompoundListItem, IoFileRedirectTarget, IoRedirect,
        SeparatorOperator,
    };

    use super::super::parse::parse;
    use super::super::words::substitutions;
    use super::*;

    /// The pipelines of a line as the parser reads it; `None` where it has anything that a plain line has not.
    fn parsed(line: &str) -> Option<Pipelines> {
        let lists = parse(line)?.complete_commands;
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

    fn simple(command: &Command) -> Option<Vec<String>> {
        let Command::Simple(command) = command else { return None };
        if command.prefix.is_some() {
            return None;
        }
        let mut words = vec![unquote(&command.word_or_name.as_ref()?.value)];
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    if !substitutions(&word.value, false).is_empty() {
                        return None;
                    }
                    words.push(unquote(&word.value));
                }
                Item::IoRedirect(IoRedirect::File(_, _, target)) => match target {
                    IoFileRedirectTarget::Filename(word) if !substitutions(&word.value, false).is_empty() => {
                        return None;
                    }
                    IoFileRedirectTarget::ProcessSubstitution(..) => return None,
                    _ => {}
                },
                _ => return None,
            }
        }
        Some(words)
    }

    /// Whether the line is a plain one; then the parser reads it just so.
    fn is_plain_and_the_same(line: &str) -> bool {
        let Some(pipelines) = pipelines(line) else { return false };
        assert_eq!(Some(pipelines), parsed(line), "{line:?}");
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
            plain += usize::from(is_plain_and_the_same(&line));
        }
        assert!(plain > lines / 20, "{plain} of {lines} are plain");
    }
}
