//! What a request says in its query and in its body: JSON, forms, and fields that clients make these of.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::Command;
use super::cmdlet::{self, is_cmdlet};

/// A body is read to this length; what a longer one says is not known.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// At most this many values of one field are told.
const MAX_VALUES: usize = 64;

/// The options of curl that give a request a body.
#[rustfmt::skip]
pub(super) const OF_CURL: &[&str] = &[
    "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--expand-data", "--json", "-F", "--form",
    "--form-string",
];

/// The texts that a command gives as the body of its requests, as they are written.
pub(super) fn texts(command: &Command<'_>) -> Vec<String> {
    let named = if is_cmdlet(command.program()) {
        cmdlet::values(command, "-body")
    } else {
        command.values(of(command.program()))
    };
    let input = || command.invocation.input.iter().map(|text| text.to_string());
    // A file has been read, if the line has written it.
    let is_input = |text: &str| text == "-" || text.starts_with('@');
    let mut texts: Vec<String> =
        named.iter().filter(|text| !is_input(text)).map(|text| (*text).to_owned()).collect();
    let is_of_file = || !command.values(&["--input"]).is_empty();
    if named.iter().any(|text| is_input(text) || text.contains("=@")) || named.is_empty() || is_of_file() {
        texts.extend(input());
    }
    if matches!(command.program(), "http" | "https" | "xh" | "xhs" | "gh" | "glab" | "ntn") {
        texts.extend(command.plain().skip(1).filter_map(item));
    }
    texts
}

/// The options of a program that give a request a body.
fn of(program: &str) -> &'static [&'static str] {
    match program {
        "curl" | "curlie" => OF_CURL,
        "wget" => &["--post-data", "--body-data"],
        "gh" | "glab" | "ntn" | "xurl" => &["-f", "-F", "--field", "--raw-field", "-d", "--data"],
        "http" | "https" | "xh" | "xhs" => &["--raw"],
        _ => &[],
    }
}

/// An item of httpie (`name=value`, `name:=json`) as a field; `None` for headers and what belongs to the address.
fn item(word: &str) -> Option<String> {
    let at = word.find([':', '=', '@'])?;
    let (name, rest) = word.split_at(at);
    let value =
        rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=').filter(|rest| !rest.starts_with('=')))?;
    Some(format!("{name}={value}"))
}

/// The query of an address.
pub(super) fn query(url: &str) -> &str {
    let (_, query) = url.split_once('?').unwrap_or_default();
    query.split('#').next().unwrap_or_default()
}

/// The values of a field in a form (`a=1&b=2`), brackets of a nested name as dots: `a[b]` is `a.b`.
pub(super) fn in_form(text: &str, path: &str) -> Vec<String> {
    let value = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let name = decoded(name).replace("[]", "").replace('[', ".").replace(']', "");
        (name == path).then(|| decoded(value).into_owned())
    };
    text.split('&').filter_map(value).filter(|value| !value.is_empty()).take(MAX_VALUES).collect()
}

fn decoded(text: &str) -> Cow<'_, str> {
    // A plus stays one: in what names a target it is that of a telephone number that nobody encoded, not a space.
    percent_decode_str(text).decode_utf8_lossy()
}

/// The values of a field, by its dotted path, in a body: JSON, or a form.
pub(super) fn in_body(text: &str, path: &str) -> Vec<String> {
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let trimmed = text.trim_start();
    if trimmed.starts_with(['{', '[']) {
        return serde_json::from_str(trimmed).map(|value| in_json(&value, path)).unwrap_or_default();
    }
    let mut found = in_form(text, path);
    // What is given as one field may be a structure: `payload={"channel":"ops"}`.
    if found.is_empty() && text.contains("={") {
        let inner = text.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| decoded(value));
        found = inner
            .filter_map(|value| serde_json::from_str(&value).ok())
            .flat_map(|value| in_json(&value, path))
            .collect();
    }
    found
}

/// What stands in a structure under a name or a number; in a list, under the name in each of its elements.
fn below<'v>(value: &'v Value, name: &str) -> Vec<&'v Value> {
    match (value, name.parse::<usize>()) {
        (Value::Array(list), Err(_)) => list.iter().filter_map(|one| one.get(name)).collect(),
        (value, Ok(at)) => value.get(at).into_iter().collect(),
        (value, Err(_)) => value.get(name).into_iter().collect(),
    }
}

fn in_json(value: &Value, path: &str) -> Vec<String> {
    let mut values: Vec<&Value> = vec![value];
    for name in path.split('.') {
        values = values.into_iter().flat_map(|value| below(value, name)).take(MAX_VALUES).collect();
    }
    let text = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let all = values.into_iter().flat_map(|value| match value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    });
    all.filter_map(text).take(MAX_VALUES).collect()
}

/// Whether a part of a path only says the version of an interface: `v1`, `v2.1`, `r0`.
pub(super) fn is_version(part: &str) -> bool {
    let digits = part.strip_prefix(['v', 'r']).unwrap_or_default();
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_in_whatever_form_it_is_sent() {
        for (text, path, values) in [
            (r#"{"channel":"C1","blocks":[{"text":"x"}]}"#, "channel", &["C1"][..]),
            (r#"{"to":[{"email":"a@x"},{"email":"b@x"}]}"#, "to.email", &["a@x", "b@x"]),
            (r#"{"to":["+1","+2"]}"#, "to", &["+1", "+2"]),
            (r#"{"chat_id":-100123}"#, "chat_id", &["-100123"]),
            (r#"{"a":{"b":{"c":"x"}}}"#, "a.b.c", &["x"]),
            ("channel=%23ops&text=hi", "channel", &["#ops"]),
            ("metadata[order_id]=7", "metadata.order_id", &["7"]),
            ("To=+15550100", "To", &["+15550100"]),
            (r#"payload={"channel":"ops"}"#, "channel", &["ops"]),
            (r#"{"channel":""}"#, "channel", &[]),
            (r#"{"channel":"C1""#, "channel", &[]),
            ("@file.json", "channel", &[]),
        ] {
            assert_eq!(in_body(text, path), values, "{text}");
        }
    }

    #[test]
    fn a_deep_or_long_body_says_nothing() {
        assert!(in_body(&"[".repeat(50_000), "a").is_empty());
        assert!(in_body(&format!("a={}", "x".repeat(MAX_BYTES)), "a").is_empty());
    }
}
