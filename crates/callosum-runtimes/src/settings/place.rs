//! Where a runtime keeps its settings and its MCP servers, and how it reads them.

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

/// The settings that name the user's own MCP servers.
#[derive(Debug)]
pub struct ServerPlace {
    /// The file.
    pub file: &'static str,
    /// Whether it lies beside the folder of the runtime's settings, where no variable moves that.
    pub is_beside_folder: bool,
    /// How they are written.
    pub form: Form,
    /// What its user may do to be asked no more about calls of our tools: a clause.
    pub allowing: &'static str,
}

/// How settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As JSON, a server as an object under `mcpServers`.
    Json {
        /// Whether comments may stand in it.
        takes_comments: bool,
    },
    /// As TOML, a server as a table under `mcp_servers`.
    Toml,
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

impl ServerPlace {
    /// The file, with this home folder and these variables.
    pub fn path(&self, place: &Place, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let settings = place.path(home, &variable);
        let is_moved = match place.variable {
            Variable::Folder(name) => variable(name).is_some_and(|value| !value.as_os_str().is_empty()),
            Variable::Home(_) => false,
        };
        if self.is_beside_folder && !is_moved {
            home.join(self.file)
        } else {
            settings.with_file_name(self.file)
        }
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
