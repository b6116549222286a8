//! `context.json` in the state directory: the folders of shared contexts that it knows, which a policy covers and sessions are told of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use callosum_core::model::text::one_line;
use callosum_core::store::state_dir::locate;
use serde::{Deserialize, Serialize};

use crate::error::Problem;
use crate::folder::replace_file;
use crate::lock::{self, Lock};
use crate::names::sha256;

/// The variable that names the folder where no setting does.
pub const VARIABLE: &str = "CALLOSUM_SHARED_CONTEXT_DIR";
/// The folder where nothing names one, in the user's home.
const DEFAULT: &str = ".openclaw/workspace/shared-context";
const FILE: &str = "context.json";
/// Bytes of the file at most: a larger one is a mistake.
const MOST: u64 = 1 << 20;

/// What the write policy does with a call that breaks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMode {
    /// It is refused.
    #[default]
    Enforce,
    /// It is only written down.
    Observe,
    /// Nothing; nobody is told of the folder either.
    Off,
}

impl PolicyMode {
    /// As files name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Observe => "observe",
            Self::Off => "off",
        }
    }
}

/// A folder that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Where it really lies.
    pub path: PathBuf,
    /// As it was named, where that leads there by a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<PathBuf>,
    /// What the policy does.
    #[serde(default)]
    pub mode: PolicyMode,
    /// The instance that recorded it.
    #[serde(default)]
    pub by: String,
    /// When: RFC 3339.
    #[serde(default)]
    pub at: String,
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    /// The folders, the one that was recorded last at the end.
    #[serde(default)]
    pub folders: Vec<Recorded>,
}

impl Registry {
    /// What a state directory has recorded: nothing where there is no file.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn read(state_dir: &Path) -> Result<Self, Problem> {
        let path = file(state_dir);
        let unusable = |why: String| {
            Problem::input(
                format!("`{}` {why}", path.display()),
                "fix it, or delete it and run `callosum context init`",
            )
        };
        let bytes = match fs::metadata(&path) {
            Ok(found) if !found.is_file() || found.len() > MOST => {
                Err(unusable("is no file of ours".to_owned()))
            }
            Ok(_) => fs::read(&path).map_err(|error| Problem::io("read", &path, &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => Err(Problem::io("read", &path, &error)),
        }?;
        serde_json::from_slice(&bytes)
            .map_err(|error| unusable(format!("can't be read: {}", one_line(&error.to_string(), 120))))
    }

    /// Whether a state directory has recorded anything.
    #[must_use]
    pub fn is_there(state_dir: &Path) -> bool {
        file(state_dir).exists()
    }

    /// Keeps all others from changing it, until what this gives is dropped: whoever reads it, changes it and writes it holds that. Two
    /// gateways that start at once must not lose one another's folder.
    ///
    /// # Errors
    /// When somebody else holds it for long, or the state directory can't be used.
    pub(crate) fn hold(state_dir: &Path) -> Result<Lock, Problem> {
        Lock::take(&remembered_in(state_dir).join("registry.lock"), lock::PATIENCE)
    }

    /// Writes it in one step.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write(&self, state_dir: &Path) -> Result<(), Problem> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        replace_file(&file(state_dir), text.as_bytes())
    }

    /// Records a folder, in the place of what was recorded of it before. Whether that changes anything but when and by whom.
    pub fn record(&mut self, folder: Recorded) -> bool {
        let before =
            self.folders.iter().position(|known| known.path == folder.path).map(|at| self.folders.remove(at));
        let is_new = before.is_none_or(|before| before.mode != folder.mode);
        self.folders.push(folder);
        is_new
    }

    /// What is recorded of the folder that really lies at `path`.
    #[must_use]
    pub fn of(&self, path: &Path) -> Option<&Recorded> {
        self.folders.iter().find(|folder| folder.path == path)
    }

    /// The folders that are in use.
    pub fn in_use(&self) -> impl Iterator<Item = &Recorded> {
        self.folders.iter().filter(|folder| folder.mode != PolicyMode::Off)
    }

    /// Where the shared context lies: what the setting says, else the variable, else what was recorded last and is in use, else
    /// `~/.openclaw/workspace/shared-context`. What stands for the home is understood as in the state directory's path.
    #[must_use]
    pub fn locate(&self, setting: Option<&str>, variable: Option<&str>, home: &Path) -> PathBuf {
        if [setting, variable].into_iter().flatten().any(|text| !text.trim().is_empty()) {
            return locate(setting, variable, home);
        }
        let recorded = self.in_use().last().map(|folder| folder.path.clone());
        recorded.unwrap_or_else(|| home.join(DEFAULT))
    }
}

/// Where the state directory keeps what belongs to the folder that really lies at `root`: shadows, copies, decisions.
#[must_use]
pub fn home_of(state_dir: &Path, root: &Path) -> PathBuf {
    let mut hash = sha256(root.as_os_str().as_encoded_bytes());
    hash.truncate(16);
    remembered_in(state_dir).join(hash)
}

/// Where that of all folders lies.
#[must_use]
pub(crate) fn remembered_in(state_dir: &Path) -> PathBuf {
    // With room for what is put behind it: every hook does that.
    let mut folder = PathBuf::with_capacity(state_dir.as_os_str().len() + 80);
    folder.extend([state_dir, Path::new("context")]);
    folder
}

/// The file that names the folders.
pub(crate) fn file(state_dir: &Path) -> PathBuf {
    state_dir.join(FILE)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn recorded(path: &str, mode: PolicyMode) -> Recorded {
        Recorded {
            path: path.into(),
            named: None,
            mode,
            by: "here".to_owned(),
            at: "2026-11-24T10:15:00.000Z".to_owned(),
        }
    }

    #[test]
    fn a_setting_wins_over_the_variable_that_over_what_is_recorded_and_that_over_the_default() {
        let home = Path::new("/home/ann");
        let mut registry = Registry::default();
        let default = home.join(".openclaw/workspace/shared-context");
        assert_eq!(registry.locate(None, None, home), default);
        assert!(registry.record(recorded("/a", PolicyMode::Enforce)));
        assert!(registry.record(recorded("/b", PolicyMode::Observe)));
        assert_eq!(registry.locate(None, Some(" "), home), Path::new("/b"));
        assert!(registry.record(recorded("/b", PolicyMode::Off)));
        assert!(!registry.record(recorded("/b", PolicyMode::Off)));
        assert_eq!(registry.locate(None, None, home), Path::new("/a"));
        assert_eq!(registry.locate(None, Some("~/v"), home), Path::new("/home/ann/v"));
        assert_eq!(registry.locate(Some("/s"), Some("/v"), home), Path::new("/s"));
    }

    #[test]
    fn the_file_has_the_form_that_the_policy_reads() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(Registry::read(state.path()).unwrap(), Registry::default());
        let mut registry = Registry::default();
        registry.record(recorded("/a", PolicyMode::Enforce));
        registry.write(state.path()).unwrap();
        let text = fs::read_to_string(state.path().join("context.json")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value,
            serde_json::json!({"folders": [{"path": "/a", "mode": "enforce", "by": "here", "at": "2026-11-24T10:15:00.000Z"}]})
        );
        assert_eq!(Registry::read(state.path()).unwrap(), registry);
        fs::write(state.path().join("context.json"), "{").unwrap();
        assert!(Registry::read(state.path()).unwrap_err().message.contains("context.json"));
    }
}
