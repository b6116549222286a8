//! How a question is read, and why one has no answer.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::gate::transaction::NotNow;
use crate::model::error::StateError;

/// Why a question about the journal has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// For programs: `bad-request`, `busy`, or a [`StateError`]'s code.
    pub code: String,
    /// For people: what, where and what to do.
    pub message: String,
}

impl QueryError {
    /// A question that can't be understood.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { code: "bad-request".to_owned(), message: message.into() }
    }
}

impl From<StateError> for QueryError {
    fn from(error: StateError) -> Self {
        let message = format!("{}; to fix it: {}", error.in_full(), error.remedy());
        Self { code: error.code().to_owned(), message }
    }
}

impl From<NotNow> for QueryError {
    fn from(reason: NotNow) -> Self {
        match reason {
            NotNow::Failed(error) => error.into(),
            NotNow::Busy => {
                Self { code: "busy".to_owned(), message: "the journal is busy; try again".to_owned() }
            }
        }
    }
}

/// Reads a request from JSON text.
pub(super) fn request<T: DeserializeOwned>(text: &str) -> Result<T, QueryError> {
    serde_json::from_str(text).map_err(|error| QueryError::bad_request(format!("bad request: {error}")))
}
