//! How answers are sent.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// A document that is JSON text already.
pub(crate) fn json(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], text).into_response()
}

/// That the shared state can be used.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadyAnswer {
    /// Always true: otherwise there is no answer but why not.
    pub(crate) ready: bool,
}
