//! What a request that can't be answered gets, whoever serves it.

use callosum_core::gate::NotAdmitted;
use callosum_core::query::QueryError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::NotYours;

/// Why there is no answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// For programs.
    pub code: String,
    /// For people: what, and where.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
    /// Which field of the request is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A request that is not answered.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The status of HTTP.
    pub status: u16,
    /// Why.
    pub problem: Problem,
    /// Seconds after which it is worth trying again.
    pub retry_after: Option<u32>,
}

impl Refused {
    /// One with the status `status`.
    pub fn new(status: u16, code: &str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let problem =
            Problem { code: code.to_owned(), message: message.into(), remedy: remedy.into(), path: None };
        Self { status, problem, retry_after: None }
    }

    /// The same, worth trying again after so many seconds.
    #[must_use]
    pub fn after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    fn about(mut self, path: &str) -> Self {
        self.problem.path = Some(path.to_owned());
        self
    }

    /// A field is wrong: what it is, and what was expected.
    pub fn field(path: &str, message: impl Into<String>) -> Self {
        Self::new(400, "bad-request", message, "correct the field, and send it again").about(path)
    }

    /// Something broke inside.
    #[must_use]
    pub fn broken() -> Self {
        let message = "the answer could not be worked out; what broke stands in the log of the program that serves this";
        Self::new(500, "internal", message, "report this as a bug, with that log")
    }
}

impl From<NotAdmitted> for Refused {
    fn from(reason: NotAdmitted) -> Self {
        match reason {
            NotAdmitted::State { code, cause, remedy, .. } => Self::new(503, code, cause, remedy).after(5),
            NotAdmitted::Reused => Self::field(
                "call",
                "the session has an open call of this id that does something else; expected an id of its own for each call",
            ),
            NotAdmitted::Several => Self::field(
                "session",
                "it is missing, and calls of several sessions have this id; expected the one that made the call",
            ),
        }
    }
}

impl From<NotYours> for Refused {
    fn from(reason: NotYours) -> Self {
        match reason {
            NotYours::Others(own) => {
                let message = format!("this token speaks only for {own}");
                let remedy = "name one of these, or make a token for the other";
                Self::new(403, "not-yours", message, remedy).about("instance")
            }
            NotYours::Ambiguous(own) => Self::field(
                "instance",
                format!("it is missing, and this token speaks for several; expected one of {own}"),
            ),
            NotYours::Wrong(why) => Self::field("instance", format!("it can't be an instance: {why}")),
        }
    }
}

impl From<QueryError> for Refused {
    fn from(error: QueryError) -> Self {
        let QueryError { code, message } = error;
        match code.as_str() {
            "bad-request" => Self::new(400, &code, message, "correct the request, and send it again"),
            "internal" => Self::broken(),
            _ => Self::new(503, &code, message, "see `callosum status` and `callosum doctor`").after(5),
        }
    }
}
