//! Values that stand apart from their names, with words that say which is which: `{"name": "token", "value": "x"}`, `name: TOKEN` above
//! `value: x`, `--name TOKEN --value x`, parts of a form.

use std::ops::Range;

use super::blocks;
use super::text::{Text, in_name};

/// What a name stands behind that another field has the value of.
const LABELS: &[&str] = &[
    "name",
    "key",
    "k",
    "n",
    "field",
    "type",
    "param",
    "parameter",
    "header",
    "label",
    "variable",
    "option",
    "property",
    "id",
    "variable_name",
    "variableName",
];
/// What the place of a value stands behind, of which the last name tells: `{"op": "replace", "path": "/auth/token", "value": "x"}`.
const PATHS: &[&str] = &["path", "pointer", "keyPath", "fieldPath", "jsonPath", "json_path"];
/// What the value does then: other words are of files.
pub(super) const HELD_AT: &[&str] = &["value", "newValue", "new_value"];
/// What the value stands behind.
const HELD: &[&str] = &[
    "value",
    "values",
    "val",
    "v",
    "content",
    "data",
    "text",
    "default",
    "newValue",
    "new_value",
    "variable_value",
    "variableValue",
];
/// So far from its name the value is looked for.
const NEAR: usize = 400;

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The value that another field of the same object, item or command holds for `name`, which a field itself holds.
pub(super) fn held(text: Text<'_>, name: &Range<usize>) -> Option<Range<usize>> {
    let path = text.skip_back(name.start, |byte| {
        in_name(byte) || matches!(byte, b'/' | b'.' | b'~' | b'$' | b'[' | b']')
    });
    let is_path =
        path < name.start && matches!(text.before(name.start), b'/' | b'.') && is_quote(text.at(name.end));
    let label_end =
        text.skip_back(if is_path { path } else { name.start }, |byte| is_quote(byte) || byte == b' ');
    let has_sign = matches!(text.before(label_end), b':' | b'=');
    let label_end = text.skip_back(label_end - usize::from(has_sign), |byte| is_quote(byte) || byte == b' ');
    let label = text.part(text.skip_back(label_end, in_name)..label_end);
    let word = label.trim_start_matches('-');
    let is_place = is_one_of(PATHS, word);
    if !is_place && (is_path || !is_one_of(LABELS, word)) || !has_sign && !label.starts_with('-') {
        return None;
    }
    let fields = if is_place { HELD_AT } else { HELD };
    let among = |from, to| value_of_one(text, fields, from, to);
    among(name.end, end_of_item(text, name.end))
        .or_else(|| among(start_of_item(text, name.start), name.start))
}

/// Where the object or the item of a list ends that `from` is in, as far as it is near.
fn end_of_item(text: Text<'_>, from: usize) -> usize {
    let far = (from + NEAR).min(text.len());
    let mut place = from;
    while place < far {
        place = text.skip(place, |byte| !matches!(byte, b'}' | b'\n' | b';')).min(far);
        let next = text.blanks(place + 1);
        if text.at(place) != b'\n' || matches!(text.at(next), b'\n' | b'\r' | b'-') {
            break;
        }
        place = next;
    }
    place
}

/// Where it begins.
fn start_of_item(text: Text<'_>, from: usize) -> usize {
    let far = from.saturating_sub(NEAR);
    let mut place = from;
    loop {
        let before = text.skip_back(place, |byte| !matches!(byte, b'{' | b'\n' | b';'));
        let line = text.blanks(before);
        if before <= far || text.before(before) != b'\n' || matches!(text.at(line), b'-' | b'\n' | b'\r') {
            return before.max(far);
        }
        place = before - 1;
    }
}

/// The first value among the fields that stand there.
pub(super) fn value_among(text: Text<'_>, from: usize, to: usize) -> Option<Range<usize>> {
    value_of_one(text, HELD, from, to)
}

/// The first value of those of them that have such names.
fn value_of_one(text: Text<'_>, fields: &[&str], from: usize, to: usize) -> Option<Range<usize>> {
    let mut place = from;
    while place < to {
        if in_name(text.at(place)) {
            if let Some(value) = value_of(text, fields, place).filter(|value| value.end <= to) {
                return Some(value);
            }
            place = text.skip(place, in_name);
        } else {
            place += 1;
        }
    }
    None
}

/// The value of the field whose name is at `place`, if it is one that holds what another one names.
pub(super) fn value_of_field(text: Text<'_>, place: usize) -> Option<Range<usize>> {
    value_of(text, HELD, place)
}

fn value_of(text: Text<'_>, fields: &[&str], place: usize) -> Option<Range<usize>> {
    let end = text.skip(place, in_name);
    let field = text.part(place..end);
    if !is_one_of(fields, field.trim_start_matches('-')) {
        return None;
    }
    let sign = text.blanks(text.skip(end, is_quote));
    let value = match text.at(sign) {
        b':' | b'=' => text.skip(sign + 1, |byte| byte.is_ascii_whitespace() || byte == b'['),
        _ if field.starts_with('-') && sign > end => sign,
        _ => return None,
    };
    if let Some(block) = blocks::block(text, place, value) {
        return Some(block);
    }
    let range = match text.quoted(value) {
        Some((inside, _)) => inside,
        None => {
            value..text.skip(value, |byte| !byte.is_ascii_whitespace() && !b"\"'`,;&{}[]|<>".contains(&byte))
        }
    };
    (!range.is_empty()).then_some(range)
}

/// The length of a line's end at `place`, also of one that is written as `\r\n`.
fn line_break(text: Text<'_>, place: usize) -> usize {
    let rest = text.rest(place);
    ["\r\n", "\n", "\\r\\n", "\\n"].iter().find(|end| rest.starts_with(**end)).map_or(0, |end| end.len())
}

/// Whether the name in quotes at `name` is that of a part of a form.
pub(super) fn is_part_of_form(text: Text<'_>, name: usize) -> bool {
    let line = text.part(text.line_start(name)..text.skip_back(name, is_quote));
    line.ends_with("name=") && line.contains("form-data")
}

/// The part of a form whose headers go on at `from`: the line behind the empty one.
pub(super) fn part_of_form(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let mut place = from;
    while place < (from + NEAR).min(text.len()) {
        let first = line_break(text, place);
        let second = if first > 0 { line_break(text, place + first) } else { 0 };
        if second > 0 {
            let begin = place + first + second;
            let mut end = begin;
            while end < text.len() && line_break(text, end) == 0 {
                end += 1;
            }
            return Some(begin..end);
        }
        place += 1.max(first);
    }
    None
}
