//! What stands where the commands of a line begin: one quick look at its words, for who counts programs. Nothing is decided by it.

use crate::words::is_assignment;

/// Of a longer line only the begin is looked at.
const MAX_BYTES: usize = 1024;

/// What a word is where a command begins.
enum Role {
    /// It stands in front of a command.
    Before,
    /// Its line names no program up to the next separator.
    NoCommand,
    /// A program that is given a command as it stands.
    Carrier,
    Program,
}

impl Role {
    fn of(word: &str) -> Self {
        match word {
            "!" | "do" | "elif" | "else" | "if" | "then" | "until" | "while" | "{" | "}" => Self::Before,
            "[[" | "case" | "done" | "esac" | "fi" | "for" | "function" | "select" => Self::NoCommand,
            "bunx" | "command" | "doas" | "env" | "exec" | "nohup" | "npx" | "pnpx" | "sudo" | "time"
            | "uvx" => Self::Carrier,
            _ => Self::Program,
        }
    }
}

/// Options of carriers that take no value.
const PLAIN_OPTIONS: &[&str] = &["--yes", "-E", "-y"];

/// The begin of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head<'l> {
    /// The program, as it is written.
    pub program: &'l str,
    behind: &'l str,
}

impl<'l> Head<'l> {
    /// The word behind the program, unless that has quotes or stands for something else.
    pub fn word(&self) -> Option<&'l str> {
        match (Scan { line: self.behind, at: 0 }).next() {
            Some(Token::Plain(word)) => Some(word),
            Some(Token::Other(_) | Token::End) | None => None,
        }
    }
}

/// The begins of the commands in the first KiB of a line. What a here-document, a quoted text, an option's value or a script has in it is
/// not looked into, and a program that is quoted or stands in a variable is left out.
pub fn heads(line: &str) -> impl Iterator<Item = Head<'_>> {
    let mut scan = Scan { line: begin_of(line), at: 0 };
    let mut is_within = false;
    std::iter::from_fn(move || {
        // Who asks for no more than the first is spared the rest of its command.
        if std::mem::replace(&mut is_within, true) {
            scan.pass_command();
        }
        if scan.at < scan.line.len() { scan.next_head() } else { None }
    })
}

/// At most so much of a line, and no half word.
fn begin_of(line: &str) -> &str {
    let Some(begin) = line.as_bytes().get(..MAX_BYTES).filter(|_| line.len() > MAX_BYTES) else {
        return line;
    };
    let end = begin.iter().rposition(|byte| matches!(byte, b' ' | b'\n')).unwrap_or(0);
    line.get(..end).unwrap_or_default()
}

/// Bytes that are themselves wherever they stand in a word.
static PLAIN: [bool; 256] = all_but(b" \t\r\n;|&<>()`'\"\\$*?");
/// Bytes in a command that say nothing of where it ends.
static INSIDE: [bool; 256] = all_but(b"\n;|&<>()`'\"\\#");

#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
const fn all_but(bytes: &[u8]) -> [bool; 256] {
    let mut all = [true; 256];
    let mut rest = bytes;
    while let [byte, others @ ..] = rest {
        all[*byte as usize] = false;
        rest = others;
    }
    all
}

struct Scan<'l> {
    line: &'l str,
    at: usize,
}

/// What comes next in a line.
enum Token<'l> {
    /// A word that is what it says.
    Plain(&'l str),
    /// A word with quotes or expansions.
    Other(&'l str),
    /// The end of a command.
    End,
}

impl<'l> Scan<'l> {
    /// The next program, up to behind its name.
    fn next_head(&mut self) -> Option<Head<'l>> {
        let mut is_carried = false;
        loop {
            let (word, is_plain) = match self.next()? {
                Token::End => {
                    is_carried = false;
                    continue;
                }
                Token::Plain(word) => (word, true),
                Token::Other(word) => (word, false),
            };
            if word.as_bytes().contains(&b'=') && is_assignment(word) {
                // What follows `X=` was rather meant as its value.
                if is_plain && word.ends_with('=') {
                    self.pass_command();
                }
                continue;
            }
            match Role::of(word) {
                _ if !is_plain => self.pass_command(),
                Role::NoCommand => self.pass_command(),
                Role::Carrier => is_carried = true,
                Role::Before => {}
                Role::Program if is_carried && PLAIN_OPTIONS.contains(&word) => {}
                Role::Program if word.starts_with('-') => self.pass_command(),
                Role::Program => {
                    let behind = self.line.get(self.at..).unwrap_or_default();
                    return Some(Head { program: word, behind });
                }
            }
        }
    }

    /// Goes to the end of the command.
    fn pass_command(&mut self) {
        loop {
            self.pass(&INSIDE);
            match self.peek(0) {
                None => return,
                Some(quote @ (b'\'' | b'"')) => self.pass_quoted(quote),
                Some(b'\\') => self.at += 2,
                // Inside a word it is no comment.
                Some(b'#') if !self.line.get(..self.at).is_some_and(|before| before.ends_with(' ')) => {
                    self.at += 1;
                }
                Some(_) => match self.next() {
                    None | Some(Token::End) => return,
                    Some(Token::Plain(_) | Token::Other(_)) => {}
                },
            }
        }
    }

    /// Goes past the bytes of a kind.
    fn pass(&mut self, kind: &[bool; 256]) {
        let rest = self.line.as_bytes().get(self.at..).unwrap_or_default();
        let is_other = |byte: &u8| !kind.get(usize::from(*byte)).copied().unwrap_or(true);
        self.at += rest.iter().position(is_other).unwrap_or(rest.len());
    }

    /// Goes past a quoted text, from its first quote to behind its last.
    fn pass_quoted(&mut self, quote: u8) {
        let (bytes, mut at) = (self.line.as_bytes(), self.at + 1);
        while let Some(byte) = bytes.get(at) {
            at += 1;
            if *byte == quote {
                break;
            }
            if *byte == b'\\' && quote == b'"' {
                at += 1;
            }
        }
        self.at = at;
    }

    fn peek(&self, behind: usize) -> Option<u8> {
        self.line.as_bytes().get(self.at + behind).copied()
    }

    /// `None` at the end of what is looked at.
    #[inline]
    fn next(&mut self) -> Option<Token<'l>> {
        loop {
            match self.peek(0)? {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'&' if self.peek(1) == Some(b'>') => self.at += 1,
                b'<' if self.peek(1) == Some(b'<') => self.at = self.line.len(),
                b'<' | b'>' => {
                    while matches!(self.peek(0), Some(b'<' | b'>' | b'&' | b'|' | b' ')) {
                        self.at += 1;
                    }
                    let _ = self.word();
                }
                b'#' => self.at += memchr::memchr(b'\n', self.line.as_bytes().get(self.at..)?)?,
                b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'`' => {
                    self.at += 1;
                    return Some(Token::End);
                }
                _ => return self.word(),
            }
        }
    }

    #[inline]
    fn word(&mut self) -> Option<Token<'l>> {
        let (start, mut is_plain) = (self.at, true);
        loop {
            self.pass(&PLAIN);
            let Some(byte) = self.peek(0) else { break };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`' => break,
                b'\'' | b'"' => {
                    is_plain = false;
                    self.pass_quoted(byte);
                    continue;
                }
                b'\\' => {
                    is_plain = false;
                    self.at += 1;
                }
                b'$' | b'*' | b'?' => is_plain = false,
                _ => {}
            }
            self.at += 1;
        }
        let word = self.line.get(start..self.at)?;
        Some(if is_plain { Token::Plain(word) } else { Token::Other(word) })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn shown(line: &str) -> String {
        let of = |head: Head<'_>| format!("{}:{}", head.program, head.word().unwrap_or("-"));
        heads(line).map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_begins_of_commands_are_found() {
        for (line, expected) in [
            ("acme deploy --prod", "acme:deploy"),
            ("cd app && ./deploy.sh prod; ls", "cd:app ./deploy.sh:prod ls:-"),
            ("A=1 B='x y' acme send 'hello; rm x' | tee out", "acme:send tee:out"),
            ("A=1 acme send x", "acme:send"),
            ("TOKEN= s3cr3t; b", "b:-"),
            ("sudo -E acme post && npx -y other publish", "acme:post other:publish"),
            ("sudo -u bob acme post; b c", "b:c"),
            ("if acme check; then acme send; fi", "acme:check acme:send"),
            ("for x in a b; do acme pay $x; done", "acme:pay"),
            ("acme > out.txt 2>&1; b", "acme:2 b:-"),
            ("acme &> out; b", "acme:- b:-"),
            ("acme send <<EOF\nother pay\nEOF", "acme:send"),
            ("# acme send\nb c", "b:c"),
            ("x=$(acme send)", "acme:send"),
            ("$CMD send; \"acme\" send; b", "b:-"),
            ("acme \"deploy\"", "acme:-"),
            ("acme 'unclosed", "acme:-"),
            ("  ", ""),
            ("", ""),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn of_a_long_line_the_begin_is_looked_at_and_no_half_word() {
        let long = format!("a {} behind", "é".repeat(MAX_BYTES));
        assert_eq!(shown(&long), "a:-");
        let many = "acme send; ".repeat(1000);
        assert_eq!(heads(&many).count(), MAX_BYTES / "acme send; ".len());
        assert_eq!(shown(&"é".repeat(MAX_BYTES)), "");
    }

    #[test]
    fn nothing_in_the_corpus_is_too_odd() {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/commands");
        for file in std::fs::read_dir(corpus).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(heads(&text).all(|head| !head.program.is_empty() && text.contains(head.program)));
        }
    }
}
