//! Whether sessions work together here: off until a person turns it on.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The file in the state directory that says so: it is there, or it is not.
pub const FILE: &str = "team.json";

/// Whether it is on in this state directory. One look at the disk: every hook may take it.
#[must_use]
pub fn is_on(state_dir: &Path) -> bool {
    state_dir.join(FILE).symlink_metadata().is_ok_and(|facts| facts.is_file())
}

/// Turns it on or off. Whether that changed anything.
///
/// # Errors
/// When the file can't be written or removed.
pub fn set(state_dir: &Path, on: bool) -> io::Result<bool> {
    let is_on = is_on(state_dir);
    let path = state_dir.join(FILE);
    match (is_on, on) {
        (true, false) => std::fs::remove_file(path)?,
        (false, true) => {
            DirBuilder::new().recursive(true).mode(0o700).create(state_dir)?;
            let mut file = tempfile::NamedTempFile::new_in(state_dir)?;
            file.write_all(b"{\"on\":true}\n")?;
            file.persist(path)?;
        }
        _ => {}
    }
    Ok(is_on != on)
}
