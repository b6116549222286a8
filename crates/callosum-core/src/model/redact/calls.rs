//! Secrets in code: what functions are called with, what a field of a page is filled with, what stands behind a type.

use std::ops::Range;

use super::names::is_number;
use super::text::{Text, in_name};

/// Which of a function's arguments is the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    First,
    /// The last text that is not the first argument: `login("me", "x")`.
    Last,
    /// What follows the user: `connect("h", "me", "x", "db")`, `connect("h", 22, "me", "x")`.
    BehindUser,
}

/// Functions, whose names say less than these words, that are given a secret.
#[rustfmt::skip]
pub(super) const CALLS: &[&str] = &[
    "login(", "_superuser(", "create_user(", "smtp.start(", "connect(", "mysqli(", "crypt(", "hashpw(",
];

/// The argument of function number `number` of the table, whose name ends at `found`.
pub(super) fn argument_of(text: Text<'_>, found: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let which = match *CALLS.get(number)? {
        "crypt(" | "hashpw(" => Which::First,
        "connect(" | "mysqli(" => Which::BehindUser,
        _ => Which::Last,
    };
    // `decrypt(` and `disconnect(` are others.
    let before = text.skip_back(found.start, in_name);
    let is_whole = before == found.start
        || ["b", "imap_", "mysqli_", "mysql_", "pg_", "do_", "smtp_"]
            .contains(&text.part(before..found.start));
    if which != Which::Last && !is_whole {
        return None;
    }
    let arguments = arguments(text, found.end);
    let text_at = |place: usize| arguments.get(place).and_then(|argument| quoted(text, argument.start));
    match which {
        Which::First => text_at(0),
        Which::Last => (1..arguments.len()).rev().find_map(text_at),
        Which::BehindUser => {
            let port = arguments.get(1).filter(|_| arguments.len() > 2)?;
            let place = if is_number(text.part(port.clone()).trim()) { 3 } else { 2 };
            text_at(place)
        }
    }
    .filter(|argument| !text.part(argument.clone()).bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// A text, also one with a letter before it: `b"x"`.
fn quoted(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let letters = text.skip(from, |byte| byte.is_ascii_alphabetic());
    text.quoted(if letters - from < 3 { letters } else { from }).map(|(value, _)| value)
}

/// At most this many arguments of a call are examined.
const MAX_ARGUMENTS: usize = 8;

/// The arguments of the call whose `(` is before `from`, as far as no parenthesis stands in one.
fn arguments(text: Text<'_>, from: usize) -> Vec<Range<usize>> {
    let (mut arguments, mut begin) = (Vec::new(), text.skip(from, |byte| byte.is_ascii_whitespace()));
    let mut place = begin;
    while place < text.len() && arguments.len() < MAX_ARGUMENTS {
        match text.at(place) {
            b'"' | b'\'' | b'\\' => place = text.quoted(place).map_or(place + 1, |(_, end)| end),
            b',' => {
                arguments.push(begin..place);
                begin = text.skip(place + 1, |byte| byte.is_ascii_whitespace());
                place = begin;
            }
            b')' | b'(' | b';' | b'\n' => break,
            _ => place += 1,
        }
    }
    if place > begin {
        arguments.push(begin..place);
    }
    arguments
}

/// The first text of a call's arguments; the second where the first is a user or nothing: `NetworkCredential("u", "x")`, `auth=("u", "x")`,
/// `PlainAuth("", "u", "x", "h")`; all where each may be one: `changePassword("x", "y")`.
pub(super) fn argument(text: Text<'_>, name: &Range<usize>, place: usize) -> Option<Range<usize>> {
    let (first, mut end) = text.quoted(place)?;
    let name = text.part(name.clone()).to_ascii_lowercase();
    let next = |end: usize| {
        let comma = text.blanks(end);
        text.quoted(text.blanks(comma + 1)).filter(|_| text.at(comma) == b',')
    };
    if ["auth", "credential", "credentials"].iter().any(|end| name.ends_with(end)) {
        let second = next(end);
        let third = second.as_ref().filter(|_| first.is_empty()).and_then(|(_, end)| next(*end));
        return Some(third.or(second).map_or(first, |(value, _)| value));
    }
    let mut last = first.end;
    if name.ends_with("password") {
        while let Some((value, behind)) = next(end) {
            (last, end) = (value.end, behind);
        }
    }
    Some(first.start..last)
}

/// What a script writes into the field of a page that was named: `('password').value = 'x'`, `.fill('x')`.
pub(super) fn filled_in(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let end = text.skip(from, in_name);
    let does = ["value", "val", "fill", "type", "send_keys", "sendKeys"].contains(&text.part(from..end));
    let sign = text.blanks(end);
    let holds = matches!(text.at(sign), b'=' | b'(') && text.at(sign + 1) != b'=';
    if does && holds { text.quoted(text.blanks(sign + 1)).map(|(value, _)| value) } else { None }
}

/// Words that types begin with in front of a value: `token: string = 'x'`.
const TYPES: &[&str] =
    &["string", "str", "any", "unknown", "char", "option", "optional", "final", "bytes", "secretstr"];

/// The value behind the type at `place`: `const TOKEN: &str = "x"`.
pub(super) fn behind_type(text: Text<'_>, place: usize) -> Option<Range<usize>> {
    let word = text.part(place..text.skip(place, in_name));
    if text.at(place) != b'&' && !TYPES.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        return None;
    }
    let sign = text.skip(place, |byte| !matches!(byte, b'=' | b'\n' | b'"' | b';' | b',' | b'{'));
    let value = text.blanks(sign + 1);
    if text.at(sign) == b'=' && sign - place < 60 { text.quoted(value).map(|(value, _)| value) } else { None }
}
