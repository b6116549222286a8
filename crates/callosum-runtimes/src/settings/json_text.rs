//! Edits of a JSON text that leave every byte alone that they are not about, comments and indentation too.
//!
//! A parser tells where things stand; what is added is put between them, in the manner of what is there.

use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast};
use jsonc_parser::{Scanner, ScannerOptions};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// White space in JSON. Comments may end in other white space, which is theirs.
const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Why a text can't be edited, and where: line and column from 1.
#[derive(Debug)]
pub struct Misfit {
    /// Its line.
    pub line: usize,
    /// Its column, in characters.
    pub column: usize,
    /// Why: a clause.
    pub message: String,
}

impl Misfit {
    /// At this byte of `text`.
    pub fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Self { line, column, message: message.into() }
    }

    fn from_parser(error: &ParseError) -> Self {
        let message = error.kind().to_string();
        let mut chars = message.chars();
        let first = chars.next().map(|c| c.to_ascii_lowercase());
        Self {
            line: error.line_display(),
            column: error.column_display(),
            message: first.into_iter().chain(chars).collect(),
        }
    }
}

/// The text of an object, without comments, with more elements at the end of the list under `key`.
///
/// # Errors
/// Where the text is no such object, or has no such list.
pub fn with_elements(text: &str, key: &str, values: &[impl Serialize]) -> Result<String, Misfit> {
    let mut longer = text.to_owned();
    for value in values {
        let root = parse(&longer, false)?;
        let list = match &root {
            Some(Value::Object(root)) => root.get(key).map(|property| &property.value),
            _ => None,
        };
        let list = list.filter(|list| matches!(list, Value::Array(_)));
        let list = list.and_then(|list| Container::new(&longer, list));
        let missing = || Misfit::at(&longer, 0, format!("it has no list `{key}`"));
        longer = list.ok_or_else(missing)?.append(None, value);
    }
    Ok(longer)
}

/// The text of an object, without comments, with `value` under `key`, or without that property where `value` is `None`.
///
/// # Errors
/// Where the text is no such object.
pub fn with_property(text: &str, key: &str, value: Option<&str>) -> Result<String, Misfit> {
    let root = parse(text, false)?;
    let Some(Value::Object(object)) = &root else {
        return Err(Misfit::at(text, 0, "it is no object"));
    };
    let place = object.properties.iter().position(|property| property.name.as_str() == key);
    let without = match (place, root.as_ref().and_then(|root| Container::new(text, root))) {
        (Some(place), Some(container)) => container.without(place),
        _ => text.to_owned(),
    };
    let Some(value) = value else { return Ok(without) };
    let root = parse(&without, false)?;
    let container = root.as_ref().and_then(|root| Container::new(&without, root));
    Ok(container.map_or_else(|| without.clone(), |container| container.append(Some(key), &value)))
}

/// The value that `text` is, if it is more than white space and comments.
pub(super) fn parse(text: &str, comments: bool) -> Result<Option<Value<'_>>, Misfit> {
    Ok(collected(text, comments, &CollectOptions::default())?.value)
}

/// The text with `…` for every value that is no object, no list and no word, and for every line of a comment; the values at
/// `shown` stay.
///
/// # Errors
/// Where the text is not what [`parse`] takes.
pub(super) fn masked(text: &str, comments: bool, shown: &[Range]) -> Result<String, Misfit> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let tokens = collected(text, comments, &collect)?.tokens.unwrap_or_default();
    let (mut masked, mut copied) = (String::with_capacity(text.len()), 0);
    for (number, token) in tokens.iter().enumerate() {
        let is_masked = match token.token {
            Token::CommentLine(_) | Token::CommentBlock(_) => true,
            Token::String(_) | Token::Number(_) => {
                let is_name = tokens.get(number + 1).is_some_and(|next| next.token == Token::Colon);
                !is_name && !shown.contains(&token.range)
            }
            _ => false,
        };
        if is_masked {
            masked.push_str(text.get(copied..token.range.start).unwrap_or_default());
            let hidden = text.get(token.range.start..token.range.end).unwrap_or_default();
            masked.push_str(&vec!["…"; hidden.split('\n').count()].join("\n"));
            copied = token.range.end;
        }
    }
    masked.push_str(text.get(copied..).unwrap_or_default());
    Ok(masked)
}

fn collected<'t>(text: &'t str, comments: bool, collect: &CollectOptions) -> Result<ParseResult<'t>, Misfit> {
    let options = ParseOptions {
        allow_comments: comments,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, collect, &options).map_err(|error| Misfit::from_parser(&error))?;
    match raw_control_character(text) {
        Some(at) => Err(Misfit::at(text, at, "a string contains a raw control character")),
        None => Ok(parsed),
    }
}

/// The first control character within a text of the JSON. The parser takes it, and the runtimes refuse the whole file.
fn raw_control_character(text: &str) -> Option<usize> {
    let mut scanner = Scanner::new(text, &ScannerOptions::default());
    while let Ok(Some(token)) = scanner.scan() {
        let range = scanner.token_start()..scanner.token_end();
        let found = || text.get(range.clone())?.find(|c: char| c < ' ').map(|at| range.start + at);
        if let (Token::String(_), Some(at)) = (token, found()) {
            return Some(at);
        }
    }
    None
}

/// `text`, which holds no value, with an empty object.
pub(super) fn with_object(text: &str) -> String {
    let newline = newline(text);
    let comments = without_last_white(text);
    let between = if comments.is_empty() { "" } else { newline };
    format!("{comments}{between}{{}}{newline}")
}

/// An object or an array within a text.
pub(super) struct Container<'t> {
    text: &'t str,
    /// With its brackets.
    range: Range,
    /// Its properties or elements.
    children: Vec<Range>,
    is_root: bool,
}

impl<'t> Container<'t> {
    /// `None` for what is neither object nor array.
    pub(super) fn new(text: &'t str, value: &Value<'_>) -> Option<Self> {
        let children = match value {
            Value::Object(object) => object.properties.iter().map(Ranged::range).collect(),
            Value::Array(array) => array.elements.iter().map(Ranged::range).collect(),
            _ => return None,
        };
        let range = value.range();
        let is_root = blank_but_for_comments(text.get(..range.start).unwrap_or_default());
        Some(Self { text, range, children, is_root })
    }

    /// The text with one more child at the end: `value`, under `key` in an object.
    pub(super) fn append(&self, key: Option<&str>, value: &impl Serialize) -> String {
        let line = Layout::Line;
        match (self.children.first(), self.children.last()) {
            (Some(first), Some(last)) => {
                let lines = self.between(self.range.start, first.start).contains('\n')
                    || self.between(last.end, self.range.end).contains('\n');
                let (place, child) = if lines {
                    let indent = self.indent_of(first.start).unwrap_or_else(|| self.inner_indent());
                    let child = render(key, value, &self.layout(&indent));
                    (self.end_of_line_comment(last.end), format!("{}{indent}{child}", newline(self.text)))
                } else {
                    (last.end, format!(" {}", render(key, value, &line)))
                };
                let comments = self.between(last.end, place);
                self.spliced(Range::new(last.end, place), &format!(",{comments}{child}"))
            }
            _ => {
                let inner = Range::new(self.range.start + 1, self.range.end.saturating_sub(1));
                let kept = without_last_white(self.between(inner.start, inner.end));
                if !self.is_root && !self.text.trim_matches(WHITE).contains('\n') {
                    return self.spliced(inner, &render(key, value, &line));
                }
                let indent = self.inner_indent();
                let child = render(key, value, &self.layout(&indent));
                let (newline, outer) = (newline(self.text), self.line_indent(self.range.start));
                self.spliced(inner, &format!("{kept}{newline}{indent}{child}{newline}{outer}"))
            }
        }
    }

    /// The text without the child of this number. Comments stay.
    pub(super) fn without(&self, number: usize) -> String {
        let Some(child) = self.children.get(number) else { return self.text.to_owned() };
        let before = number.checked_sub(1).and_then(|number| self.children.get(number));
        let after = self.children.get(number + 1);
        let from = before.map_or(self.range.start + 1, |before| before.end);
        let to = after.map_or(self.range.end.saturating_sub(1), |after| after.start);
        if before.is_none()
            && after.is_none()
            && self.between(from, child.start).trim_matches(WHITE).is_empty()
        {
            let rest = self.between(child.end, to);
            let rest = if rest.trim_matches(WHITE).is_empty() { "" } else { rest };
            return self.spliced(Range::new(from, to), rest);
        }
        let (ahead, behind) = (self.between(from, child.start), self.between(child.end, to));
        // The comma behind it goes, or that before it when it is the last.
        let (ahead, behind) = if after.is_some() {
            (ahead.to_owned(), without_comma(behind))
        } else {
            (without_comma(ahead), behind.to_owned())
        };
        let kept = without_last_white(&ahead);
        // A line comment must not swallow what follows.
        let open = pieces(kept).last().is_some_and(|(piece, _)| *piece == Piece::LineComment);
        let ends_line = behind.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let kept = if open && !ends_line { ahead.as_str() } else { kept };
        self.spliced(Range::new(from, to), &format!("{kept}{behind}"))
    }

    /// Whether it holds this child alone, and no comment.
    pub(super) fn holds_only(&self, number: usize) -> bool {
        let [child] = self.children.as_slice() else { return false };
        let blank = |from, to| self.between(from, to).trim_matches(WHITE).is_empty();
        number == 0
            && blank(self.range.start + 1, child.start)
            && blank(child.end, self.range.end.saturating_sub(1))
    }

    /// The text with another value for the element of this number.
    pub(super) fn with_element(&self, number: usize, value: &impl Serialize) -> String {
        let Some(child) = self.children.get(number) else { return self.text.to_owned() };
        let layout = match self.indent_of(child.start) {
            Some(indent) => self.layout(&indent),
            None => Layout::Line,
        };
        self.spliced(*child, &render(None, value, &layout))
    }

    fn between(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn spliced(&self, range: Range, with: &str) -> String {
        let (before, after) = (self.between(0, range.start), self.between(range.end, self.text.len()));
        [before, with, after].concat()
    }

    fn layout(&self, indent: &str) -> Layout {
        Layout::Lines { newline: newline(self.text), indent: indent.to_owned(), step: self.step().to_owned() }
    }

    /// What stands before the first thing on the line of `offset`.
    fn line_indent(&self, offset: usize) -> &'t str {
        let line = self.between(0, offset).rsplit('\n').next().unwrap_or_default();
        let end = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..end).unwrap_or_default()
    }

    /// The same, when what stands at `offset` is the first thing on its line and not on the first line.
    fn indent_of(&self, offset: usize) -> Option<String> {
        let (_, line) = self.between(0, offset).rsplit_once('\n')?;
        line.chars().all(|c| c == ' ' || c == '\t').then(|| line.to_owned())
    }

    fn inner_indent(&self) -> String {
        [self.line_indent(self.range.start), self.step()].concat()
    }

    /// By how much the text indents: as far as the first line that is indented.
    fn step(&self) -> &'t str {
        let mut lines = self.text.split('\n').skip(1);
        let indented = lines.find_map(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            let ours = rest.starts_with('"').then(|| line.len() - rest.len())?;
            line.get(..ours).filter(|indent| !indent.is_empty())
        });
        indented.unwrap_or("  ")
    }

    /// Behind the comments that follow `offset` on its line.
    fn end_of_line_comment(&self, offset: usize) -> usize {
        let mut end = offset;
        let mut place = offset;
        for (piece, text) in pieces(self.between(offset, self.range.end.saturating_sub(1))) {
            place += text.len();
            match piece {
                Piece::White | Piece::BlockComment if text.contains('\n') => break,
                Piece::White | Piece::Comma => {}
                Piece::BlockComment | Piece::LineComment => end = place,
            }
        }
        end
    }
}

/// How a value is written.
enum Layout {
    /// On one line.
    Line,
    /// On lines of its own; the first is indented already.
    Lines { newline: &'static str, indent: String, step: String },
}

fn render(key: Option<&str>, value: &impl Serialize, layout: &Layout) -> String {
    // Strings, numbers, structs and lists of them always serialize.
    let key = key.and_then(|key| serde_json::to_string(key).ok()).map(|key| key + ": ").unwrap_or_default();
    let value = match layout {
        Layout::Line => serde_json::to_string(value).unwrap_or_default(),
        Layout::Lines { newline, indent, step } => {
            let mut bytes = Vec::new();
            let formatter = PrettyFormatter::with_indent(step.as_bytes());
            let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
            let text = written.ok().and_then(|()| String::from_utf8(bytes).ok()).unwrap_or_default();
            text.replace('\n', &[newline, indent.as_str()].concat())
        }
    };
    key + &value
}

fn newline(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((line, _)) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// What stands between values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    White,
    LineComment,
    BlockComment,
    Comma,
}

/// Cuts what stands between values; ends at what does not belong there.
fn pieces(mut text: &str) -> Vec<(Piece, &str)> {
    let mut pieces = Vec::new();
    while let Some(first) = text.chars().next() {
        let (piece, length) = match first {
            ',' => (Piece::Comma, 1),
            '/' if text.starts_with("//") => {
                (Piece::LineComment, text.find(['\r', '\n']).unwrap_or(text.len()))
            }
            '/' => {
                let end = text.get(2..).and_then(|comment| comment.find("*/"));
                (Piece::BlockComment, end.map_or(text.len(), |end| end + 4))
            }
            c if WHITE.contains(&c) => (Piece::White, text.len() - text.trim_start_matches(WHITE).len()),
            _ => break,
        };
        let (head, rest) = text.split_at(length);
        pieces.push((piece, head));
        text = rest;
    }
    pieces
}

/// White space at the end of a line comment is the comment's.
fn without_last_white(text: &str) -> &str {
    match pieces(text).last() {
        Some((Piece::White, white)) => text.strip_suffix(white).unwrap_or(text),
        _ => text,
    }
}

fn without_comma(text: &str) -> String {
    pieces(text).into_iter().filter(|(piece, _)| *piece != Piece::Comma).map(|(_, text)| text).collect()
}

fn blank_but_for_comments(text: &str) -> bool {
    let pieces = pieces(text);
    pieces.iter().map(|(_, text)| text.len()).sum::<usize>() == text.len()
        && !pieces.iter().any(|(piece, _)| *piece == Piece::Comma)
}
