//! A long script cut between its commands into pieces that the parser can take, one by one.
//!
//! Where a piece ends is told from quotes, parentheses and the words that open and close compound commands. What that gets
//! wrong is a piece that is no shell command, and is read roughly; no piece is more than the parser can take.

use super::grammar::{MAX_BYTES, MAX_EXPANSIONS, expansions};
use super::here_document::has_mark;

/// The pieces of a script that is too much for the parser; `None` when it is not, or can't be cut.
pub(super) fn pieces(script: &str) -> Option<Vec<&str>> {
    let is_much = script.len() > MAX_BYTES || expansions(script) > MAX_EXPANSIONS;
    if !is_much || has_mark(script) {
        return None;
    }
    let (mut pieces, mut start, mut end, mut inside) = (Vec::new(), 0, 0, 0);
    let ends = Scan {
        bytes: script.as_bytes(),
        at: 0,
        open: Vec::new(),
        depth: 0,
        expects_command: true,
        continues: false,
    };
    for next in ends.chain(std::iter::once(script.len())) {
        let more = expansions(script.get(end..next)?);
        if end > start && (inside + more > MAX_EXPANSIONS || next - start > MAX_BYTES) {
            pieces.push(script.get(start..end)?);
            (start, inside) = (end, 0);
        }
        inside += more;
        end = next;
    }
    pieces.extend(script.get(start..).filter(|last| !last.is_empty()));
    (pieces.len() > 1).then_some(pieces)
}

/// Goes through a script, and tells where its commands end.
struct Scan<'s> {
    bytes: &'s [u8],
    at: usize,
    /// What must close before a command may end, and whether it is part of a word: `"`, the `)` of `$(…)`.
    open: Vec<(u8, bool)>,
    /// How many compound commands are open.
    depth: usize,
    /// The next word is a command's first.
    expects_command: bool,
    /// What stands in front needs the next command: a `&&`, a `|`, the `f()` of a function.
    continues: bool,
}

impl Iterator for Scan<'_> {
    type Item = usize;

    /// The place behind the next `;` or line break that no quote, parenthesis or compound command is around.
    fn next(&mut self) -> Option<usize> {
        while let Some(byte) = self.bytes.get(self.at) {
            let is_word_start = self.at.checked_sub(1).is_none_or(|before| self.is_break(before));
            let is_outside = self.open.is_empty();
            let continues = std::mem::take(&mut self.continues);
            self.at += 1;
            match (self.open.last().map(|(close, _)| close), byte) {
                (_, b'\\') => {
                    self.continues = continues && self.bytes.get(self.at) == Some(&b'\n');
                    self.at += 1;
                    self.expects_command = false;
                }
                (Some(close), _) if byte == close => {
                    let is_in_word = self.open.pop().is_some_and(|(_, is_in_word)| is_in_word);
                    self.expects_command = !is_in_word;
                    self.continues = !is_in_word && self.has_read(b"()") && !self.has_read(b"=()");
                }
                (None, b')') => self.expects_command = true,
                (_, b'$') => match self.bytes.get(self.at) {
                    Some(b'\'') if self.open.last() != Some(&(b'"', true)) => self.pass_escaped(),
                    Some(b'(') => self.enter(b')'),
                    Some(b'{') => self.enter(b'}'),
                    _ => self.expects_command = false,
                },
                (Some(b'"'), _) => {}
                (_, b'"') => self.open.push((b'"', true)),
                (_, b'\'') => self.pass(b'\''),
                (_, b'`') => self.pass(b'`'),
                (Some(b'}'), b'(') => {}
                (_, b'(') => self.open.push((b')', false)),
                (_, b'#') if is_word_start => {
                    self.pass(b'\n');
                    self.at -= 1;
                    self.continues = continues;
                }
                (None, b';' | b'\n') => {
                    self.expects_command = true;
                    self.continues = continues;
                    if self.depth == 0 && !continues && self.bytes.get(self.at) != Some(&b';') {
                        return Some(self.at);
                    }
                }
                (None, b'&' | b'|') => {
                    self.expects_command = true;
                    self.continues = *byte == b'|' || self.has_read(b"&&");
                }
                (None, b' ' | b'\t') => self.continues = continues,
                _ if is_word_start && is_outside && self.expects_command => self.word(),
                _ => {}
            }
        }
        None
    }
}

impl Scan<'_> {
    /// Whether this is what was read last.
    fn has_read(&self, text: &[u8]) -> bool {
        self.bytes.get(..self.at).is_some_and(|read| read.ends_with(text))
    }

    fn is_break(&self, at: usize) -> bool {
        self.bytes.get(at).is_none_or(|byte| b" \t\n;&|()".contains(byte))
    }

    fn enter(&mut self, close: u8) {
        self.open.push((close, true));
        self.at += 1;
    }

    /// Goes behind the next such byte.
    fn pass(&mut self, end: u8) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(end, rest).map_or(rest.len() + 1, |length| length + 1);
    }

    /// Goes behind `'…'` with escapes in it.
    fn pass_escaped(&mut self) {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| **byte != b'\'') {
            self.at += if *byte == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }

    /// Goes behind the first word of a command, of which the first byte is behind already.
    fn word(&mut self) {
        let start = self.at - 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| b" \t\n;&|()<>\"'`$\\".contains(byte)).unwrap_or(rest.len());
        self.at = start + length.max(1);
        let word = rest.get(..length).unwrap_or_default();
        match word {
            b"if" | b"while" | b"until" | b"case" | b"{" | b"for" | b"select" => self.depth += 1,
            b"fi" | b"done" | b"esac" | b"}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.expects_command = matches!(
            word,
            b"if" | b"while" | b"until" | b"{" | b"then" | b"do" | b"else" | b"elif" | b"!" | b"time"
        );
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::grammar::parse;
    use super::*;

    /// Of a script that the parser can take whole, each command again and again.
    #[test]
    fn a_long_script_is_cut_where_its_commands_end() {
        let script = r#"set -euo pipefail
# it's a comment; with "signs
for f in "${FILES[@]}"; do
  if [[ -f "$f" ]]; then echo "$(cat "$f"; echo ')')" >> out; elif test -d x; then :; else break; fi
done; x=$((1 + (2))); y=${z:-"a ; b"}
case "$1" in
  a) echo 'it; is' ;;
  b|c) while read -r l; do echo "done; $l"; done < f ;;
esac
f() {
  local a=`date; echo "x"`
  { echo a; echo \; b; } | sort
}
( cd x; ls ) && echo fi then; echo $'a\'b' a\
 b; f "multi
line; text"
a &&
  b |
  # and
  c || \
  d
g()
{ a; }
x=()
n=${line#*(}
"#;
        assert!(parse(script).is_ok());
        assert_eq!(pieces(script), None);
        let long = script.repeat(400);
        let pieces = pieces(&long).unwrap();
        assert_eq!(pieces.concat(), long);
        assert!(pieces.len() > 10);
        for piece in pieces {
            assert!(parse(piece).is_ok(), "{piece} {:?}", parse(piece));
        }
    }

    #[test]
    fn no_script_breaks_the_cut() {
        for text in
            ["$(", "\"", "'", "${", "`", "(", "#", "\\", "{ ", "if ", "a;", "\n", "é;", "<<E\n", "$((", ";;"]
        {
            for around in ["", "echo ", "${x} "] {
                let long = format!("{around}{text}").repeat(40_000);
                for piece in pieces(&long).into_iter().flatten() {
                    assert!(!piece.is_empty());
                }
            }
        }
    }
}
