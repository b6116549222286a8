//! Why something was not done.

use callosum_core::model::error::QueryError;
use serde::{Serialize, Serializer};

/// What is wrong, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The request can't be understood.
    BadRequest,
}

impl Code {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Stale => "stale",
            Self::Blocked => "blocked",
            Self::Cycle => "cycle",
            Self::Unknown => "unknown",
            Self::Ambiguous => "ambiguous",
            Self::NotYours => "not-yours",
            Self::Limit => "limit",
            Self::Policy => "policy",
            Self::CannotWrite => "cannot-write",
            Self::Unidentified => "unidentified",
            Self::BadRequest => "bad-request",
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
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
    /// Which field of the request is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Refusal {
    /// A refusal for this reason.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code, message: message.into(), remedy: remedy.into(), path: None }
    }

    /// A field of the request is wrong: what it is, or what was expected.
    #[must_use]
    pub fn field(path: &str, message: impl Into<String>) -> Self {
        let said = message.into();
        let message = if path.is_empty() { said } else { format!("`{path}`: {said}") };
        let path = Some(path.to_owned());
        Self { path, ..Self::new(Code::BadRequest, message, "correct the field, and send it again") }
    }

    /// The same of the field `path`, by which whoever asks knows the one that it names.
    #[must_use]
    pub fn of(mut self, path: &str) -> Self {
        if let Some(known) = self.path.replace(path.to_owned()) {
            let named =
                self.message.strip_prefix(&format!("`{known}`")).map(|rest| format!("`{path}`{rest}"));
            self.message = named.unwrap_or(self.message);
        }
        self
    }

    /// Whether it could not be done at all; else the state of things speaks against it.
    #[must_use]
    pub fn cannot_be_done(&self) -> bool {
        matches!(self.code, Code::CannotWrite | Code::Unidentified | Code::BadRequest)
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
