//! JSON of requests.

use callosum_core::model::text::one_line;
use serde::de::DeserializeOwned;

use crate::Refused;

/// Reads JSON.
///
/// # Errors
/// Names the field that is wrong.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    // serde reads a list as an object's fields in their order, which nobody means.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(Refused::field("", "expected an object, not a list"));
    }
    // Keeping track of the field costs as much again.
    if let Ok(read) = serde_json::from_slice(bytes) {
        return Ok(read);
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "" } else { &path };
        Refused::field(path, one_line(&error.inner().to_string(), 300))
    })?;
    reader.end().map_err(|error| Refused::field("", format!("expected one JSON document: {error}")))?;
    Ok(read)
}
