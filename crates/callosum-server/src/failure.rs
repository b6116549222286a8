//! Why the program could not do what it was started for.

use std::fmt;

use callosum_core::model::error::StateError;

/// What failed, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    fragment: String,
    remedy: String,
}

impl Failure {
    /// Both are clauses in lower case.
    pub(crate) fn new(fragment: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { fragment: fragment.into(), remedy: remedy.into() }
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::new(error.in_full(), error.remedy())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; to fix it: {}", self.fragment, self.remedy)
    }
}
