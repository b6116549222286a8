//! The state directory: one for every session on the machine, one Unix user's, private.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::error::StateError;

/// The environment variable that names the state directory where no setting does.
pub const ENVIRONMENT_VARIABLE: &str = "CALLOSUM_STATE_DIR";

/// Finds the state directory: the setting, else `CALLOSUM_STATE_DIR`, else `~/.callosum`. A leading `~/`
/// stands for `home`; a relative path starts from `home`, because a gateway's working folder is anybody's
/// guess and two processes must find the same directory.
#[must_use]
pub fn locate(setting: Option<&str>, environment: Option<&str>, home: &Path) -> PathBuf {
    let chosen = [setting, environment].into_iter().flatten().find(|text| !text.trim().is_empty());
    match chosen {
        Some(text) => home.join(text.strip_prefix("~/").unwrap_or(text)),
        None => home.join(".callosum"),
    }
}

/// Makes the directory if it is missing (mode 0700) and checks that it can be trusted.
///
/// # Errors
/// When it can't be made, is no directory, is another user's, or others may write it.
pub fn prepare(path: &Path) -> Result<(), StateError> {
    match fs::metadata(path) {
        Ok(metadata) => check(path, &metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(|source| StateError::io("create", path, source))?;
            if let Some(parent) = path.parent() {
                // Some file systems can't flush a folder; the directory is usable all the same.
                let _ = File::open(parent).and_then(|parent| parent.sync_all());
            }
            let metadata = fs::metadata(path).map_err(|source| StateError::io("examine", path, source))?;
            check(path, &metadata)
        }
        Err(source) => Err(StateError::io("examine", path, source)),
    }
}

/// Looks again whether a directory in use can still be trusted. One that is gone is no matter of trust.
///
/// # Errors
/// When it is no directory, is another user's, or others may write it.
pub fn verify(path: &Path) -> Result<(), StateError> {
    match fs::metadata(path) {
        Ok(metadata) => check(path, &metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StateError::io("examine", path, source)),
    }
}

fn check(path: &Path, metadata: &fs::Metadata) -> Result<(), StateError> {
    if !metadata.is_dir() {
        return Err(StateError::NotADirectory { path: path.to_owned() });
    }
    let us = rustix::process::geteuid().as_raw();
    if metadata.uid() != us {
        return Err(StateError::ForeignOwner { path: path.to_owned(), owner: metadata.uid(), us });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(StateError::WritableByOthers { path: path.to_owned(), mode });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_setting_wins_over_the_environment_and_both_over_the_default() {
        let home = Path::new("/home/ann");
        assert_eq!(locate(Some("/srv/state"), Some("/env"), home), Path::new("/srv/state"));
        assert_eq!(locate(Some(" "), Some("/env"), home), Path::new("/env"));
        assert_eq!(locate(None, None, home), Path::new("/home/ann/.callosum"));
        assert_eq!(locate(Some("~/s"), None, home), Path::new("/home/ann/s"));
    }

    #[test]
    fn a_new_directory_is_private_and_one_that_others_may_write_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        prepare(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o770)).unwrap();
        let error = prepare(&path).unwrap_err();
        assert_eq!(error.code(), "writable-by-others");
        assert!(error.remedy().contains("chmod go-w"));
    }

    #[test]
    fn a_file_in_its_place_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("state");
        fs::write(&path, "").unwrap();
        assert_eq!(prepare(&path).unwrap_err().code(), "not-a-directory");
    }
}
