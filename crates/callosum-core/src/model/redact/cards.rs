//! Numbers of payment cards, by the fields that they stand in: none of their names tells of a secret by itself.

use serde_json::Value;

/// No card's number has fewer digits, or more.
const DIGITS: std::ops::RangeInclusive<usize> = 12..=19;

/// Whether a field of this name is a card, or its number.
pub(super) fn names_one(name: &str) -> bool {
    let ends = |end: &str| {
        let at = name.len().checked_sub(end.len());
        at.and_then(|at| name.get(at..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    ends("card") || name.eq_ignore_ascii_case("pan")
}

/// Whether a field of a card is its number, by its name.
pub(super) fn names_its_number(name: &str) -> bool {
    ["number", "num", "no", "pan"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a value may be such a number, as people write it or not.
pub(super) fn is_number(value: &Value) -> bool {
    let is_one = |text: &str| {
        let is_in = |byte: u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-');
        text.bytes().all(is_in) && DIGITS.contains(&text.bytes().filter(u8::is_ascii_digit).count())
    };
    match value {
        Value::String(text) => text.len() <= 2 * DIGITS.end() && is_one(text),
        Value::Number(number) => number.as_u64().is_some_and(|number| is_one(&number.to_string())),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}
