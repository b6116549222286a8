//! What is wrong with JSON that somebody sent, in words of JSON: serde names types of Rust.

use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};

use super::text::one_line;

/// Characters of what serde says that are told.
const SAID_CHARS: usize = 300;

/// The field that is wrong, by its path, and what was expected of it. `path` is where serde found it, empty for the whole document, and
/// `said` what it says: of a field that is missing it names the object around it.
#[must_use]
pub fn wrong_field(path: &str, said: &str) -> (String, String) {
    let missing = said.strip_prefix("missing field `").and_then(|rest| rest.split_once('`'));
    match missing {
        Some((field, _)) if path.is_empty() => (field.to_owned(), "it is missing".to_owned()),
        Some((field, _)) => (format!("{path}.{field}"), "it is missing".to_owned()),
        None => (path.to_owned(), one_line(&in_plain_words(said), SAID_CHARS)),
    }
}

/// Reads one of some words: for `deserialize_with`. By itself serde takes an object with one of them as its field, too, and speaks of that.
///
/// # Errors
/// When it is no text, or none of them.
pub fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

/// The same with what was expected in the words of JSON.
fn in_plain_words(said: &str) -> String {
    let Some((found, expected)) = said.rsplit_once(", expected ") else { return said.to_owned() };
    let (kind, place) = expected.find(" at line ").map_or((expected, ""), |at| expected.split_at(at));
    let kind = match kind {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" => "a text",
        "a map" => "an object",
        "a sequence" => "a list",
        kind if kind.starts_with("struct ") => "an object",
        kind => kind,
    };
    let found = found.replacen(": map", ": an object", 1).replacen(": sequence", ": a list", 1);
    let found = found.replacen(": string", ": the text", 1);
    format!("{found}, expected {kind}{place}")
}
