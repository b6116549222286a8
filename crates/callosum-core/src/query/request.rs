//! How a request is read.

use serde::de::DeserializeOwned;

use crate::model::error::QueryError;

/// Reads a request from JSON text.
pub(super) fn request<T: DeserializeOwned>(text: &str) -> Result<T, QueryError> {
    serde_json::from_str(text).map_err(|error| QueryError::bad_request(format!("bad request: {error}")))
}
