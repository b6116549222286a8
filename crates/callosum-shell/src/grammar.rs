//! The parser, kept from what it can't take: texts that are too long, too deep, or that its tokenizer never ends on.

use std::borrow::Cow;
use std::panic;

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token, TokenizerOptions, parse_tokens, uncached_tokenize_str};

use super::here_document::{has_mark, has_odd_mark};
use super::unread::Limit;

/// Longer commands are not parsed.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// The tokenizer calls itself for each expansion inside another: so many in all are let through.
pub(super) const MAX_EXPANSIONS: usize = 128;
/// With a here-document in it, the tokenizer's time is the square of the number of tokens.
const MAX_WITH_HERE_DOCUMENT: (usize, usize) = (32 * 1024, 2048);
/// The parser calls itself for each command inside another, and tries parentheses that are never closed in
/// twice as many ways for each.
const MAX_DEPTH: (usize, usize) = (32, 8);

/// The tree of a command line.
pub(super) fn parse(command: &str) -> Result<Program, Limit> {
    if command.len() > MAX_BYTES {
        return Err(Limit::Length);
    }
    if expansions(command) > MAX_EXPANSIONS {
        return Err(Limit::Depth);
    }
    let breaks = || command.bytes().filter(|byte| b" \t\n;&|()<>".contains(byte)).count();
    let (max_bytes, max_breaks) = MAX_WITH_HERE_DOCUMENT;
    if has_mark(command) && (command.len() > max_bytes || breaks() > max_breaks) {
        return Err(Limit::Length);
    }
    if has_odd_mark(command) {
        return Err(Limit::Syntax);
    }
    // Tokenizer and parser unwrap in places (an unfinished here-document inside `$(…)`), and a command that breaks
    // them is only a command with broken syntax. The cached entry points would keep commands, with the secrets
    // in them, for the life of the process.
    let tree = parsed(&escaped(command));
    match rewritten(command).filter(|_| tree.is_err()) {
        Some(command) => parsed(&escaped(&command)),
        None => tree,
    }
}

fn parsed(command: &str) -> Result<Program, Limit> {
    let parse = || {
        let tokens =
            uncached_tokenize_str(command, &TokenizerOptions::default()).map_err(|_| Limit::Syntax)?;
        if !is_shallow(&tokens) {
            return Err(Limit::Depth);
        }
        if has_huge_descriptor(&tokens) {
            return Err(Limit::Syntax);
        }
        parse_tokens(&tokens, &ParserOptions::default()).map_err(|_| Limit::Syntax)
    };
    panic::catch_unwind(parse).unwrap_or(Err(Limit::Syntax))
}

/// A text in which what the parser does not know is said as it knows it: each pattern of a `case` in parentheses, without which
/// their `)` ends a `$(`, and `for` in the place of `select`. `None` where there is none of these.
fn rewritten(command: &str) -> Option<String> {
    if !(command.contains("case ") && command.contains("esac") || command.contains("select ")) {
        return None;
    }
    let bytes = command.as_bytes();
    let (mut whole, mut copied, mut at, mut is_first) =
        (String::with_capacity(command.len() + 16), 0, 0, true);
    // The cases that are open, each with whether its `in` was seen; and whether a `"` is.
    let (mut cases, mut in_double): (Vec<bool>, Vec<bool>) = (Vec::new(), vec![false]);
    while let Some(byte) = bytes.get(at) {
        let is_double = in_double.last() == Some(&true);
        let rest = command.get(at..).unwrap_or_default();
        let starts = |word: &str| {
            rest.strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', ')', '&']))
        };
        let mut begins_pattern = false;
        let mut length = 1;
        match byte {
            b'\\' => length = 2,
            b'"' => in_double.last_mut().into_iter().for_each(|open| *open = !*open),
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                in_double.push(false);
                length = 2;
                is_first = true;
            }
            b')' if !is_double && in_double.len() > 1 && cases.is_empty() => drop(in_double.pop()),
            _ if is_double => {}
            b'\'' => length = rest.get(1..).and_then(|rest| rest.find('\'')).map_or(1, |end| end + 2),
            b'#' if is_first
                || at
                    .checked_sub(1)
                    .is_some_and(|before| bytes.get(before).is_some_and(u8::is_ascii_whitespace)) =>
            {
                length = rest.find('\n').unwrap_or(rest.len());
            }
            b'c' if is_first && starts("case") => {
                cases.push(false);
                length = 4;
            }
            b'i' if cases.last() == Some(&false) && starts("in") => {
                cases.last_mut().into_iter().for_each(|seen| *seen = true);
                (begins_pattern, length) = (true, 2);
            }
            b'e' if is_first && starts("esac") => {
                cases.pop();
                length = 4;
            }
            b's' if is_first && starts("select") => {
                whole.push_str(command.get(copied..at).unwrap_or_default());
                whole.push_str("for");
                copied = at + "select".len();
                length = "select".len();
            }
            b';' if cases.last() == Some(&true) && matches!(bytes.get(at + 1), Some(b';' | b'&')) => {
                length = if rest.starts_with(";;&") { 3 } else { 2 };
                begins_pattern = true;
            }
            _ => {}
        }
        let is_word = matches!(
            rest.split([' ', '\t', '\n', ';']).next(),
            Some("then" | "do" | "else" | "{" | "!" | "if" | "while" | "time")
        );
        is_first = match byte {
            b';' | b'&' | b'|' | b'(' | b'\n' => true,
            b'$' => is_first,
            b' ' | b'\t' => is_first,
            b')' => true,
            _ if is_first && is_word => {
                length = rest.find([' ', '\t', '\n', ';']).unwrap_or(rest.len()).max(1);
                true
            }
            _ => false,
        };
        at += length;
        if begins_pattern {
            loop {
                let rest = command.get(at..).unwrap_or_default();
                at += rest.len() - rest.trim_start().len();
                let rest = command.get(at..).unwrap_or_default();
                if !rest.starts_with('#') {
                    break;
                }
                at += rest.find('\n').unwrap_or(rest.len());
            }
            let rest = command.get(at..).unwrap_or_default();
            let is_end = rest
                .strip_prefix("esac")
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
            if !rest.starts_with('(') && !is_end {
                whole.push_str(command.get(copied..at).unwrap_or_default());
                whole.push('(');
                copied = at;
            }
            is_first = is_end;
            // A `)` of a pattern ends nothing.
            if !is_end {
                at += rest.find(')').map_or(0, |end| end + 1);
                is_first = true;
            }
        }
    }
    whole.push_str(command.get(copied..).unwrap_or_default());
    (copied > 0).then_some(whole)
}

/// A text with a backslash in front of each parenthesis that a `${…}` opens and does not close: `${line#*(}`. The tokenizer
/// takes what stands behind it up to the next `)` to be a part of the word, the commands of whole lines too; to a shell both
/// say the same.
fn escaped(command: &str) -> Cow<'_, str> {
    let bytes = command.as_bytes();
    let Some(first) = memchr::memmem::find(bytes, b"${") else { return Cow::Borrowed(command) };
    if memchr::memchr(b'(', bytes.get(first..).unwrap_or_default()).is_none() {
        return Cow::Borrowed(command);
    }
    // What must close, the parentheses in a `${…}` that are open, each with how deep, and those that never close.
    let (mut open, mut groups, mut odd): (Vec<u8>, Vec<(usize, usize)>, Vec<usize>) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match (open.last(), byte) {
            (_, b'\\') => at += 1,
            (Some(b'"'), b'"') => drop(open.pop()),
            (Some(b'}'), b'}') => {
                while let Some((_, at)) = groups.pop_if(|(depth, _)| *depth >= open.len()) {
                    odd.push(at);
                }
                open.pop();
            }
            (_, b'$') if next == Some(&b'{') => {
                open.push(b'}');
                at += 1;
            }
            (_, b'$') if next == Some(&b'(') => {
                open.push(b')');
                at += 1;
            }
            (Some(b'"'), _) => {}
            (_, b'$') if next == Some(&b'\'') => {
                at += 2;
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'\'') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
            }
            (_, b'"') => open.push(b'"'),
            (_, b'\'') if open.iter().rfind(|close| matches!(close, b'"' | b')')) != Some(&b'"') => {
                let rest = bytes.get(at + 1..).unwrap_or_default();
                at += memchr::memchr(b'\'', rest).map_or(rest.len(), |length| length + 1);
            }
            (Some(b'}'), b'(') => groups.push((open.len(), at)),
            (Some(b'}'), b')') => drop(groups.pop_if(|(depth, _)| *depth == open.len())),
            (Some(b')'), b'(') => open.push(b')'),
            (Some(b')'), b')') => drop(open.pop()),
            (None | Some(b')'), b'#')
                if at
                    .checked_sub(1)
                    .is_none_or(|at| matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b';'))) =>
            {
                let rest = bytes.get(at..).unwrap_or_default();
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            _ => {}
        }
        at += 1;
    }
    if odd.is_empty() {
        return Cow::Borrowed(command);
    }
    odd.sort_unstable();
    let (mut whole, mut copied) = (String::with_capacity(command.len() + odd.len()), 0);
    for at in odd {
        whole.push_str(command.get(copied..at).unwrap_or_default());
        whole.push('\\');
        copied = at;
    }
    whole.push_str(command.get(copied..).unwrap_or_default());
    Cow::Owned(whole)
}

/// How many expansions a text has.
pub(super) fn expansions(command: &str) -> usize {
    command.as_bytes().windows(2).filter(|pair| matches!(pair, [b'$', b'(' | b'{' | b'['])).count()
}

/// Whether a redirection names a descriptor that is no number a machine has: the parser does not expect one.
fn has_huge_descriptor(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| {
        let [Token::Word(word, at), Token::Operator(operator, next)] = pair else { return false };
        let is_number = word.len() > 9 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_number && operator.contains(['<', '>']) && at.end.index == next.start.index
    })
}

/// Whether commands stand inside each other no deeper than the parser can take. Words that open a compound
/// command count wherever they stand.
fn is_shallow(tokens: &[Token]) -> bool {
    let (mut depth, mut parentheses, mut negations) = (0_usize, 0_usize, 0_usize);
    let (max_depth, max_parentheses) = MAX_DEPTH;
    for token in tokens {
        negations = if token.to_str() == "!" { negations + 1 } else { 0 };
        match token.to_str() {
            "(" | "((" => parentheses += 1,
            ")" | "))" => parentheses = parentheses.saturating_sub(1),
            "{" | "if" | "for" | "while" | "until" | "case" | "select" | "[[" | "coproc" => depth += 1,
            "}" | "fi" | "done" | "esac" | "]]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth.max(negations) > max_depth || parentheses > max_parentheses {
            return false;
        }
    }
    true
}
