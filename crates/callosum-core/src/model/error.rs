//! Why the shared state can't be used: what, where and how to fix it. Why a question has no answer.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

/// The kind of error where something else stands in a file's place.
pub const NO_FILE: io::ErrorKind = io::ErrorKind::InvalidData;

/// A failure of the shared state. Its text is a lowercase fragment with the path in backticks; the cause
/// is the source, the remedy is separate.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The operating system refused a step.
    #[error("can't {step} `{}`", path.display())]
    Io {
        /// The step, in a few words: `open`, `append to` …
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The path of the state directory is something else.
    #[error("`{}` is not a directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The state directory's path is not the same folder for every process.
    #[error("`{}` can't be the state directory: {why}", path.display())]
    NoPlace {
        /// The path, as it was given.
        path: PathBuf,
        /// What is wrong with it: a clause.
        why: &'static str,
    },
    /// Somebody else could write what we would believe.
    #[error("`{}` can be written by other users (mode {mode:o})", path.display())]
    WritableByOthers {
        /// The path.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The directory is another user's.
    #[error("`{}` belongs to user {owner}, and this process runs as user {us}", path.display())]
    ForeignOwner {
        /// The path.
        path: PathBuf,
        /// The owner's user id.
        owner: u32,
        /// Our effective user id.
        us: u32,
    },
    /// The state guard was not free in time.
    #[error("the state guard `{}` was not free for {waited_ms} ms", path.display())]
    GuardTimeout {
        /// The guard's file.
        path: PathBuf,
        /// How long it was tried, milliseconds.
        waited_ms: u64,
    },
    /// What is in the journal could not be read in time; the next attempt goes on from there.
    #[error("not all of the journal in `{}` could be read in time", path.display())]
    Unread {
        /// The state directory.
        path: PathBuf,
    },
    /// Locking the guard excludes nobody.
    #[error("file locks do nothing on `{}`", path.display())]
    GuardUseless {
        /// The guard's file.
        path: PathBuf,
    },
    /// The journal holds lines of a format that only newer code can read.
    #[error("the journal in `{}` has lines of format {version}, and this version reads up to {known}", path.display())]
    NewerFormat {
        /// The state directory.
        path: PathBuf,
        /// The format met.
        version: u32,
        /// The newest format known here.
        known: u32,
    },
    /// The journal was deleted or replaced while it was open.
    #[error("the journal in `{}` was replaced while it was open", path.display())]
    Replaced {
        /// The state directory.
        path: PathBuf,
    },
    /// A flush failed before, so that nothing in this segment can be called durable any more.
    #[error("an earlier flush of `{}` failed", path.display())]
    FlushFailed {
        /// The segment.
        path: PathBuf,
    },
    /// A record could not be written as JSON.
    #[error("can't encode a record for `{}`", path.display())]
    Encode {
        /// The segment.
        path: PathBuf,
        /// What serde said.
        source: serde_json::Error,
    },
}

impl StateError {
    /// Wraps a system error with its step and path.
    pub fn io(step: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { step, path: path.to_owned(), source }
    }

    /// A short stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::NotADirectory { .. } => "not-a-directory",
            Self::NoPlace { .. } => "no-place",
            Self::WritableByOthers { .. } => "writable-by-others",
            Self::ForeignOwner { .. } => "foreign-owner",
            Self::GuardTimeout { .. } => "guard-timeout",
            Self::Unread { .. } => "unread",
            Self::GuardUseless { .. } => "guard-useless",
            Self::NewerFormat { .. } => "newer-format",
            Self::Replaced { .. } => "replaced",
            Self::FlushFailed { .. } => "flush-failed",
            Self::Encode { .. } => "encode",
        }
    }

    /// What an operator can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Io { source, path, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "free some disk space".to_owned()
                }
                io::ErrorKind::PermissionDenied => {
                    format!("let this user read and write `{}`", path.display())
                }
                io::ErrorKind::ReadOnlyFilesystem => {
                    "make the file system writable, or set `stateDir` to a folder that is".to_owned()
                }
                io::ErrorKind::NotFound => {
                    "create the folder, or set `stateDir` to one that can be created".to_owned()
                }
                NO_FILE => format!("move `{}` away", path.display()),
                _ => "check the disk and the permissions, or set another `stateDir`".to_owned(),
            },
            Self::NoPlace { .. } => {
                "give `stateDir`, `--state-dir` or CALLOSUM_STATE_DIR an absolute path, written out, and check that HOME is one"
                    .to_owned()
            }
            Self::NotADirectory { .. } => "move it away, or set another `stateDir`".to_owned(),
            Self::WritableByOthers { path, .. } => format!("run `chmod go-w {}`", path.display()),
            Self::ForeignOwner { path, us, .. } => {
                format!("run `chown -R {us} {}`, or set another `stateDir`", path.display())
            }
            Self::GuardTimeout { path, .. } => {
                format!("find the process that holds it (`fuser {}`), and resume or end it", path.display())
            }
            Self::Unread { path } => format!(
                "wait: each attempt goes on from there; if it lasts, look for what else writes to the journal in `{}`",
                path.display()
            ),
            Self::GuardUseless { .. } => "set `stateDir` to a folder on a local disk".to_owned(),
            Self::NewerFormat { .. } => "update Callosum here".to_owned(),
            Self::Replaced { .. } => "nothing to do: it is opened again at the next call".to_owned(),
            Self::FlushFailed { .. } => "check the disk".to_owned(),
            Self::Encode { .. } => "report this as a bug".to_owned(),
        }
    }

    /// The failure and its causes in one line.
    #[must_use]
    pub fn in_full(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }
}

/// Why an instance can't use the shared state, as its status shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Degraded {
    /// Short stable name of the failure.
    pub code: &'static str,
    /// What failed, where, and why.
    pub cause: String,
    /// What to do about it.
    pub remedy: String,
    /// Since when, RFC 3339.
    pub since: String,
}

impl Degraded {
    /// By this failure, since then (RFC 3339).
    #[must_use]
    pub fn by(error: &StateError, since: String) -> Self {
        Self { code: error.code(), cause: error.in_full(), remedy: error.remedy(), since }
    }
}

/// Why a question about the journal has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// For programs: `bad-request`, `busy`, `internal`, or a [`StateError`]'s code.
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
