//! Where a runtime keeps its settings, and how it reads them.

use std::path::{Path, PathBuf};

/// The settings that hold the user's own hooks.
#[derive(Debug)]
pub struct Place {
    /// The folder of the runtime's settings, in the home folder.
    pub folder: &'static str,
    /// The file in it.
    pub file: &'static str,
    /// The variable that moves them.
    pub variable: Variable,
    /// Whether the runtime reads the file although it holds comments, or begins with a byte order mark.
    pub takes_comments: bool,
    /// What the time-outs in it count.
    pub timeout_unit: TimeoutUnit,
}

/// A variable that moves a runtime's settings.
#[derive(Debug, PartialEq, Eq)]
pub enum Variable {
    /// It names the folder of the settings.
    Folder(&'static str),
    /// It names the folder that stands for the home folder.
    Home(&'static str),
}

/// What a time-out in settings counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

impl Place {
    /// The file, with this home folder and these variables. An empty variable is none, as it is to the runtimes.
    pub fn path(&self, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let set = |name| variable(name).filter(|value| !value.as_os_str().is_empty());
        let folder = match self.variable {
            Variable::Folder(name) => set(name).unwrap_or_else(|| home.join(self.folder)),
            Variable::Home(name) => set(name).unwrap_or_else(|| home.to_owned()).join(self.folder),
        };
        folder.join(self.file)
    }
}

impl TimeoutUnit {
    /// So many seconds in this unit.
    #[must_use]
    pub fn of_seconds(self, seconds: u32) -> u32 {
        match self {
            Self::Seconds => seconds,
            Self::Milliseconds => seconds.saturating_mul(1_000),
        }
    }
}
