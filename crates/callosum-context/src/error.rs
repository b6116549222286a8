//! Why something was not done.

use std::io;
use std::path::Path;

/// What kind of a problem it is: the `code` of the error document that `--json` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It has changed since it was looked at.
    Stale,
    /// There is no such item.
    Unknown,
    /// There are several.
    Ambiguous,
    /// Only a person may do it.
    NotYours,
    /// A limit of the shared context is reached.
    Limit,
    /// What was asked for can't be written or read: bad input, or the disk.
    CannotWrite,
    /// Nobody knows who asks.
    Unidentified,
}

impl Code {
    /// As the error document names it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Unknown => "unknown",
            Self::Ambiguous => "ambiguous",
            Self::NotYours => "not-yours",
            Self::Limit => "limit",
            Self::CannotWrite => "cannot-write",
            Self::Unidentified => "unidentified",
        }
    }

    /// The exit code of a command that fails so: 1 where the state of things refuses it, 2 where the input was wrong or it can't be
    /// done.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Stale | Self::NotYours | Self::Limit => 1,
            Self::Unknown | Self::Ambiguous | Self::CannotWrite | Self::Unidentified => 2,
        }
    }
}

/// Why something was not done, and what to do about it. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {remedy}")]
pub struct Problem {
    /// What kind it is.
    pub code: Code,
    /// What is wrong: a clause that names the thing.
    pub message: String,
    /// What to do about it: a clause.
    pub remedy: String,
}

impl Problem {
    /// A problem.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code, message: message.into(), remedy: remedy.into() }
    }

    /// Input that can't be used.
    #[must_use]
    pub fn input(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Code::CannotWrite, message, remedy)
    }

    /// What the system said when `step` was done to `path`.
    #[must_use]
    pub fn io(step: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("can't {step} `{}`: {error}", path.display());
        Self::new(Code::CannotWrite, message, "check that this user may write there, and that there is room")
    }
}
