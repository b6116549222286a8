//! What of ours stands in a runtime's settings, for who only looks.

use std::path::{Path, PathBuf};

use callosum_runtimes::Runtime;
use callosum_runtimes::settings::entry::TAG;
use callosum_runtimes::settings::installed::Hooks;
use callosum_runtimes::settings::json_text::Misfit;

use super::file::look;
use super::settings_path;
use crate::output::long;

/// What was found.
pub(crate) enum Installed {
    /// The runtime keeps nothing here.
    NoRuntime,
    /// The runtime is here, and none of our hooks is in its settings.
    None {
        /// The folder of the settings.
        folder: PathBuf,
    },
    /// The settings can't be read.
    Unreadable {
        /// A fragment that names file and place, fit for a terminal.
        why: String,
        /// Whether our hooks seem to be in them.
        has_ours: bool,
    },
    /// Hooks of ours are in the settings in this file.
    Hooks(PathBuf, Hooks),
}

impl Installed {
    /// Looks at the runtime's own settings.
    pub(crate) fn of(runtime: Runtime) -> Self {
        let Some(file) = settings_path(runtime) else { return Self::NoRuntime };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let shown = long(&file.display().to_string());
        let bytes = match look(&file) {
            Ok(Some(bytes)) => bytes,
            Ok(None) if folder.is_dir() => return Self::None { folder: folder.to_owned() },
            Ok(None) => return Self::NoRuntime,
            Err(why) => {
                return Self::Unreadable { why: format!("`{shown}`: {}", long(&why)), has_ours: false };
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let place = |misfit: Misfit| Self::Unreadable {
            why: format!("{shown}:{}:{}: {}", misfit.line, misfit.column, long(&misfit.message)),
            has_ours: text.contains(TAG),
        };
        match Hooks::read(runtime, &text) {
            Err(misfit) => place(misfit),
            Ok(Some(hooks)) => Self::Hooks(file, hooks),
            Ok(None) => Self::None { folder: folder.to_owned() },
        }
    }
}
