//! Values that stand below or beside their names: in tables of Markdown and of a database's client, in CSV, in `INSERT`.

use std::ops::Range;

use super::text::{Text, in_name, is_blank};
use super::words::SORTS;

/// Rows of a table that are looked at.
const ROWS: usize = 100;

/// The values of the column, or of the row, that the name at `name` is the head of.
pub(super) fn values(text: Text<'_>, name: &Range<usize>) -> Vec<Range<usize>> {
    let is_around = |byte: u8| is_blank(byte) || matches!(byte, b'*' | b'`' | b'"' | b'\'');
    let after = text.skip(name.end, is_around);
    let before = text.skip_back(name.start, is_around);
    let line = text.line_start(name.start);
    match (text.at(after), text.before(before)) {
        (b'|', _) | (_, b'|') => in_table(text, line, name.start, after),
        (b')', b',' | b'(') | (b',', b'(') => inserted(text, name.start),
        (b',', b',') => Some(inserted(text, name.start))
            .filter(|values| !values.is_empty())
            .unwrap_or_else(|| in_lines(text, line, name.start)),
        (b',', _) | (b'\n' | b'\r', b',') => in_lines(text, line, name.start),
        _ => Vec::new(),
    }
}

/// Where the line begins that follows the one at `from`.
fn next_line(text: Text<'_>, from: usize) -> usize {
    let end = text.line_end(from);
    text.skip(end, |byte| byte == b'\r') + 1
}

/// What stands between signs, without what it is marked up with.
fn bare(text: Text<'_>, cell: Range<usize>) -> Range<usize> {
    let is_markup = |byte: u8| is_blank(byte) || matches!(byte, b'*' | b'`' | b'"' | b'\'');
    let begin = text.skip(cell.start, is_markup).min(cell.end);
    begin..text.skip_back(cell.end, is_markup).max(begin)
}

/// The part number `number` of the line at `line`, divided by `sign`.
fn cell(text: Text<'_>, line: usize, sign: u8, number: usize) -> Option<Range<usize>> {
    let line_end = text.line_end(line);
    let mut begin = line;
    for _ in 0..number {
        begin = text.skip(begin, |byte| byte != sign) + 1;
    }
    (begin <= line_end).then(|| bare(text, begin..text.skip(begin, |byte| byte != sign).min(line_end)))
}

fn count(text: Text<'_>, range: Range<usize>, sign: u8) -> usize {
    text.part(range).bytes().filter(|byte| *byte == sign).count()
}

/// Tables explain fields more often than they give their values: what it is of words or of a sort is no value.
fn is_value(text: Text<'_>, cell: &Range<usize>) -> bool {
    let said = text.part(cell.clone());
    !said.is_empty() && !said.contains(' ') && !SORTS.iter().any(|sort| said.eq_ignore_ascii_case(sort))
}

/// `| password | x |`, and the column below `| user | password |`.
fn in_table(text: Text<'_>, line: usize, name: usize, after: usize) -> Vec<Range<usize>> {
    let rule = next_line(text, line);
    let ruled = text.part(rule..text.line_end(rule));
    let is_rule = ruled.contains("--") && ruled.bytes().all(|byte| b"|-+: \t".contains(&byte));
    if is_rule {
        let number = count(text, line..name, b'|');
        let mut rows = Vec::new();
        let mut row = next_line(text, rule);
        while rows.len() < ROWS && text.part(row..text.line_end(row)).contains('|') {
            rows.extend(cell(text, row, b'|', number));
            row = next_line(text, row);
        }
        rows.retain(|cell| is_value(text, cell));
        return rows;
    }
    let is_row = text.part(line..name).trim_start().starts_with('|') && text.at(after) == b'|';
    let value = bare(text, after + 1..text.skip(after + 1, |byte| !matches!(byte, b'|' | b'\n' | b'\r')));
    if is_row && is_value(text, &value) { vec![value] } else { Vec::new() }
}

/// The column below a line of names: `user,password`.
fn in_lines(text: Text<'_>, line: usize, name: usize) -> Vec<Range<usize>> {
    let head_end = text.line_end(line);
    let columns = count(text, line..head_end, b',');
    // A sentence has blanks between its words, too.
    let is_head = |byte: u8| in_name(byte) || matches!(byte, b'"' | b'.') || !byte.is_ascii();
    let heads = text.part(line..head_end).split(',').map(|head| head.trim_matches([' ', '\r']));
    if columns == 0 || !heads.into_iter().all(|head| !head.is_empty() && head.bytes().all(is_head)) {
        return Vec::new();
    }
    let number = count(text, line..name, b',');
    let mut rows = Vec::new();
    let mut row = next_line(text, line);
    while rows.len() < ROWS && row < text.len() && count(text, row..text.line_end(row), b',') == columns {
        rows.extend(cell(text, row, b',', number));
        row = next_line(text, row);
    }
    rows.retain(|cell| is_value(text, cell));
    rows
}

/// `(user, password) VALUES ('me', 'x')`.
fn inserted(text: Text<'_>, name: usize) -> Vec<Range<usize>> {
    let open = text.skip_back(name, |byte| byte != b'(');
    let close = text.skip(name, |byte| byte != b')');
    let words = text.skip(close + 1, |byte| byte.is_ascii_whitespace());
    let behind = text.part(words..words + "values".len());
    if open == 0 || !behind.eq_ignore_ascii_case("values") {
        return Vec::new();
    }
    let number = count(text, open..name, b',');
    let mut values = Vec::new();
    let mut row = words + behind.len();
    while values.len() < ROWS {
        row = text.skip(row, |byte| byte.is_ascii_whitespace() || byte == b',');
        if text.at(row) != b'(' {
            break;
        }
        let (mut place, mut column) = (row + 1, 0);
        while place < text.len() && text.at(place) != b')' {
            place = text.skip(place, |byte| byte.is_ascii_whitespace());
            let (value, end) = text.quoted(place).unwrap_or_else(|| {
                let end = text.skip(place, |byte| !matches!(byte, b',' | b')'));
                (place..end, end)
            });
            if column == number {
                values.push(value);
            }
            place = text.skip(end, |byte| !matches!(byte, b',' | b')'));
            (place, column) = (place + usize::from(text.at(place) == b','), column + 1);
        }
        row = place + 1;
    }
    values
}
