//! JSON of requests.

use callosum_core::model::text::one_line;
use callosum_core::model::wrong_field::wrong_field;
use serde::de::DeserializeOwned;

use crate::Refused;
use crate::unique::repeated;

/// Reads JSON.
///
/// # Errors
/// Names the field that is wrong.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    // serde reads a list as an object's fields in their order, which nobody means.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(Refused::field("", "expected an object, not a list"));
    }
    // Of a field that is there twice nobody can tell which is meant, and serde takes the last where it reads values.
    let whole = match repeated(bytes) {
        Ok(Some(path)) => return Err(Refused::field(&one_line(&path, 300), "it is there more than once")),
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    // Keeping track of the field costs as much again.
    if let Ok(read) = serde_json::from_slice(bytes) {
        // Fields that nobody knows are passed over without being read.
        return whole.map(|()| read).map_err(|error| wrong("", &error.to_string()));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        // Where the text ends too early, what would have come next is a `?`.
        let path = path.trim_end_matches(['.', '?']);
        wrong(path, &error.inner().to_string())
    })?;
    reader.end().map_err(|error| Refused::field("", format!("expected one JSON document: {error}")))?;
    Ok(read)
}

/// What is wrong at `path`, by what serde says.
fn wrong(path: &str, said: &str) -> Refused {
    let (path, expected) = wrong_field(path, said);
    Refused::field(&path, expected)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde::Deserialize;
    use serde_json::{Map, Value};

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Asked {
        _tier: u8,
        _size: Option<usize>,
        _more: Option<Map<String, Value>>,
    }

    #[test]
    fn what_is_wrong_is_said_without_types_of_rust_and_names_the_field() {
        for (text, path, said) in [
            ("{}", "_tier", "it is missing"),
            ("5", "", "expected an object"),
            ("\"x\"", "", "expected an object"),
            (r#"{"_tier":300}"#, "_tier", "from 0 to 255"),
            (r#"{"_tier":1,"_size":-1}"#, "_size", "a whole number that is not negative"),
            (r#"{"_tier":1,"_more":[]}"#, "_more", "invalid type: a list, expected an object"),
            (r#"{"_tier":1,"_tier":2}"#, "_tier", "more than once"),
            (r#"{"_tier":1,"_more":{"a":[0,{"b":1,"c":2,"b":3}]}}"#, "_more.a[1].b", "more than once"),
            ("{", "", "EOF"),
            (r#"{"_tier":1,"_more":{"a":"#, "_more.a", "EOF"),
            // In whatever way it is written.
            (r#"{"_tier":1,"_more":{"a":1,"\u0061":2}}"#, "_more.a", "more than once"),
        ] {
            let refused = read::<Asked>(text.as_bytes()).unwrap_err().problem;
            assert_eq!(refused.path.as_deref(), Some(path), "{text}");
            assert!(refused.message.contains(said), "{text}: {}", refused.message);
            let types = ["usize", "u8", "i64", "struct", "Asked"];
            assert!(!types.iter().any(|name| refused.message.contains(name)), "{}", refused.message);
        }
    }
}
