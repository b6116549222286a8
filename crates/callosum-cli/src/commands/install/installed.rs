//! What of ours stands in a runtime's settings, for who only looks.

use std::path::{Path, PathBuf};

use callosum_runtimes::runtime::Runtime;
use callosum_runtimes::settings::entries::{self, Amiss};
use callosum_runtimes::settings::json_text::Misfit;
use callosum_runtimes::settings::runtime::{self, TAG};

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
    /// Hooks of ours are there.
    Hooks(Hooks),
}

/// Our hooks in a runtime's settings.
pub(crate) struct Hooks {
    /// The settings.
    pub(crate) file: PathBuf,
    /// What they run, by event, as it stands there.
    pub(crate) commands: Vec<(String, String)>,
    /// The program that is run before each call (or, without such a hook, by the first one), and the state directory that is
    /// named for it; `None` when that can't be told.
    pub(crate) program: Option<(PathBuf, Option<String>)>,
    /// Where they are not what `install` would write for this program and state directory now.
    pub(crate) amiss: Vec<(String, Amiss)>,
    /// What keeps the runtime from running them: a clause.
    pub(crate) off: Option<&'static str>,
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
        match Hooks::in_settings(runtime, &file, &text) {
            Err(misfit) => place(misfit),
            Ok(Some(hooks)) => Self::Hooks(hooks),
            Ok(None) => Self::None { folder: folder.to_owned() },
        }
    }
}

impl Hooks {
    fn in_settings(runtime: Runtime, file: &Path, text: &str) -> Result<Option<Self>, Misfit> {
        let commands = entries::commands(text, runtime)?;
        if commands.is_empty() {
            return Ok(None);
        }
        let gating = commands.iter().find(|(event, _)| event == runtime::gating_event(runtime));
        let gating = gating.or_else(|| commands.first());
        let program = gating.and_then(|(_, command)| runtime::parts(command));
        let entries = runtime::entries(runtime, |event| {
            // One that names no state directory was written by an older version, whatever it would name.
            let wanted = program.as_ref().and_then(|(program, state_dir)| {
                Some(runtime::command(runtime, event, program.to_str()?, state_dir.as_deref().unwrap_or("/")))
            });
            wanted.unwrap_or_default()
        });
        let settings = entries::value(text, runtime)?;
        let is_disabled =
            gating.is_some_and(|(_, command)| runtime::is_disabled(runtime, &settings, command));
        let disabled = is_disabled.then_some("`hooksConfig.disabled` names them");
        Ok(Some(Self {
            file: file.to_owned(),
            amiss: entries::amiss(text, runtime, &entries)?,
            off: runtime::off(runtime, &settings).or(disabled),
            program,
            commands,
        }))
    }
}
