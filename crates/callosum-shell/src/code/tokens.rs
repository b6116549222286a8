//! Code cut into names, texts, numbers and signs.

use super::Language;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    /// A text in quotes, escapes undone; `true` where names in braces stand for values.
    Text(String, bool),
    Number(String),
    /// A sign, or two that belong together: `=>`, `::`.
    Sign(&'static str),
    /// The end of a line.
    Break,
}

/// Signs of several characters before those that are their beginning.
const SIGNS: &[&str] = &[
    "===", "!==", "...", "=>", "==", "!=", "<=", ">=", "+=", "?.", "::", "->", "&&", "||", "??", "**", "(",
    ")", "[", "]", "{", "}", ",", ".", ":", ";", "=", "+", "-", "*", "/", "%", "<", ">", "!", "?", "&", "|",
    "@", "^", "~", "\\",
];

pub(super) fn tokens(language: Language, code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let comment = match language {
            Language::Hash => rest.starts_with('#'),
            Language::Slashes => rest.starts_with("//"),
        };
        let length = if comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if language == Language::Slashes && rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if c == '\n' {
            tokens.push(Token::Break);
            1
        } else if c.is_whitespace() {
            c.len_utf8()
        } else if let Some((text, has_names, length)) = quoted(language, rest) {
            tokens.push(Token::Text(text, has_names));
            length
        } else if c.is_alphabetic() || matches!(c, '_' | '$') {
            let length =
                rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(rest.len());
            tokens.push(Token::Name(rest.get(..length).unwrap_or_default().to_owned()));
            length
        } else if c.is_ascii_digit() {
            let is_of_it = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
            let length = rest.find(|c: char| !is_of_it(c)).unwrap_or(rest.len());
            tokens.push(Token::Number(rest.get(..length).unwrap_or_default().replace('_', "")));
            length
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            tokens.extend(sign.map(|sign| Token::Sign(sign)));
            sign.map_or(c.len_utf8(), |sign| sign.len())
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

/// The text in quotes at the beginning: what it says, whether names in braces stand for values in it, and how long it is with its quotes.
fn quoted(language: Language, code: &str) -> Option<(String, bool, usize)> {
    let letters = code.bytes().take_while(u8::is_ascii_alphabetic).count();
    let prefix = code.get(..letters)?;
    let behind = code.get(letters..)?;
    let is_prefix = letters <= 2
        && prefix.bytes().all(|letter| b"rRbBfFuU".contains(&letter))
        && language == Language::Hash;
    if letters > 0 && !is_prefix {
        return None;
    }
    let marks: &[&str] = match language {
        Language::Hash => &["\"\"\"", "'''", "\"", "'"],
        Language::Slashes => &["\"", "'", "`"],
    };
    let mark = marks.iter().find(|mark| behind.starts_with(**mark))?;
    let body = behind.get(mark.len()..)?;
    let is_raw = prefix.contains(['r', 'R']);
    let (mut text, mut at) = (String::new(), 0);
    while let Some(c) = body.get(at..)?.chars().next() {
        if body.get(at..)?.starts_with(*mark) {
            let has_names = prefix.contains(['f', 'F']) || *mark == "`" || text.contains("#{");
            return Some((text, has_names, letters + mark.len() + at + mark.len()));
        }
        at += c.len_utf8();
        if c != '\\' || is_raw {
            text.push(c);
            continue;
        }
        let Some(escaped) = body.get(at..)?.chars().next() else { break };
        at += escaped.len_utf8();
        match escaped {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '\n' => {}
            other => text.push(other),
        }
    }
    None
}
