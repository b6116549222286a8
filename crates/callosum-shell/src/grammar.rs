//! The parser, kept from what it can't take: texts that are too long, too deep, or that its tokenizer never ends on.

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
