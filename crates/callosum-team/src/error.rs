//! Why something was not done.

use callosum_core::model::error::QueryError;
use serde::Serialize;

/// What is wrong, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// Another one has it.
    Claimed,
    /// It has been claimed anew since.
    Stale,
    /// It waits for others.
    Blocked,
    /// It would wait for itself.
    Cycle,
    /// Nobody knows it.
    Unknown,
    /// It may mean several.
    Ambiguous,
    /// Another one's, or a person's to decide.
    NotYours,
    /// More than may be.
    Limit,
    /// Not allowed as things are set.
    Policy,
    /// The journal can't be written from here.
    CannotWrite,
    /// Nobody can tell which agent asks.
    Unidentified,
}

/// A refusal: what is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}; {remedy}")]
pub struct Refusal {
    /// For programs.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Refusal {
    /// A refusal for this reason.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code, message: message.into(), remedy: remedy.into() }
    }

    /// Whether it could not be done at all; else the state of things speaks against it.
    #[must_use]
    pub fn cannot_be_done(&self) -> bool {
        matches!(self.code, Code::CannotWrite | Code::Unidentified)
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Self {
        Self::new(
            Code::CannotWrite,
            error.message,
            "run it where the state directory can be written: an agent in a sandbox uses Callosum's tools instead",
        )
    }
}
