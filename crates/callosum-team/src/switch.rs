//! Whether sessions work together here: off until a person turns it on.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use callosum_core::store::rules_file;
use serde::{Deserialize, Serialize};

/// The file in the state directory that says so: it is there, or it is not.
pub const FILE: &str = "team.json";

/// Whether it is on in this state directory. One look at the disk: every hook may take it.
#[must_use]
pub fn is_on(state_dir: &Path) -> bool {
    state_dir.join(FILE).symlink_metadata().is_ok_and(|facts| facts.is_file())
}

/// What goes beyond that, each for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Wanted {
    /// A session whose turn ends goes on where a request to it waits.
    pub continue_on_request: bool,
    /// `callosum inject` may type into terminals.
    pub live_injection: bool,
    /// Who makes tasks that count as accepted: sessions, agents, runtimes, roles.
    pub task_trusted_agents: Vec<String>,
}

/// How it is set; `None` while it is off. What can't be read of it is off.
#[must_use]
pub fn wanted(state_dir: &Path) -> Option<Wanted> {
    if !is_on(state_dir) {
        return None;
    }
    let text = rules_file::read(&state_dir.join(FILE)).unwrap_or_default();
    Some(serde_json::from_str(&text).unwrap_or_default())
}

/// Turns it on or off, and leaves what goes beyond that as it is. Whether that changed anything.
///
/// # Errors
/// When the file can't be written or removed.
pub fn set(state_dir: &Path, on: bool) -> io::Result<bool> {
    set_to(state_dir, on.then(|| wanted(state_dir).unwrap_or_default()))
}

/// Turns it on, with what goes beyond that, or off. Whether that changed anything.
///
/// # Errors
/// When the file can't be written or removed.
pub fn set_to(state_dir: &Path, to: Option<Wanted>) -> io::Result<bool> {
    if wanted(state_dir) == to {
        return Ok(false);
    }
    let path = state_dir.join(FILE);
    match to {
        None => std::fs::remove_file(path)?,
        Some(to) => {
            DirBuilder::new().recursive(true).mode(0o700).create(state_dir)?;
            let mut file = tempfile::NamedTempFile::new_in(state_dir)?;
            file.write_all(format!("{}\n", serde_json::to_string(&to)?).as_bytes())?;
            file.persist(path)?;
        }
    }
    Ok(true)
}
