//! The state directory: one for every session on the machine, one Unix user's, private.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::error::StateError;

use super::disk::{Disk, Metadata, SystemDisk};

/// The environment variable that names the state directory where no setting does.
pub const ENVIRONMENT_VARIABLE: &str = "CALLOSUM_STATE_DIR";

/// What [`ENVIRONMENT_VARIABLE`] says, if it is set. What is no UTF-8 in it becomes U+FFFD, as Node makes of it, and is refused.
#[must_use]
pub fn variable() -> Option<String> {
    std::env::var_os(ENVIRONMENT_VARIABLE).map(|value| value.to_string_lossy().into_owned())
}

/// What a command line that names `path` says, as [`variable`] would: a path there starts from the working folder, unlike one from
/// a setting. A shell does not expand the `~` of `--state-dir=~/folder`: that is left to [`locate`].
///
/// # Errors
/// Why it can't be said: a clause.
pub fn named(path: &Path) -> Result<String, String> {
    if let Some(text) = path.to_str().filter(|text| text.starts_with("~/")) {
        return Ok(text.to_owned());
    }
    let absolute = std::path::absolute(path).map_err(|error| error.to_string())?;
    absolute.to_str().map(str::to_owned).ok_or_else(|| "its path is not valid UTF-8".to_owned())
}

/// Finds the state directory: the setting, else `CALLOSUM_STATE_DIR`, else `~/.callosum`. A leading `~`, `$HOME` or `${HOME}`
/// stands for `home`: who writes an environment file has no shell that would read it. A relative path starts from `home`,
/// because a gateway's working folder is anybody's guess and two processes must find the same directory. What is the same
/// folder for nobody else is given as it is, and [`StateDir`] refuses it ([`is_place`]).
#[must_use]
pub fn locate(setting: Option<&str>, environment: Option<&str>, home: &Path) -> PathBuf {
    let chosen = [setting, environment].into_iter().flatten().find(|text| !text.trim().is_empty());
    let Some(text) = chosen else { return home.join(".callosum") };
    let in_home = ["~", "$HOME", "${HOME}"].iter().find_map(|name| {
        let rest = text.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest.trim_start_matches('/'))
    });
    match in_home {
        Some("") => home.to_owned(),
        Some(rest) => home.join(rest),
        // Another user's home, or another variable.
        None if text.starts_with(['~', '$']) => PathBuf::from(text),
        None => home.join(text),
    }
}

/// Whether a path is the same folder for every process.
///
/// # Errors
/// Why not: a clause.
pub fn is_place(path: &Path) -> Result<(), &'static str> {
    match path.to_str() {
        // Node puts this in for what is no UTF-8, and so does the command line.
        None => Err("it is not valid UTF-8"),
        Some(text) if text.contains('\u{fffd}') => Err("it is not valid UTF-8"),
        Some(text) if text.starts_with('~') => Err("`~` with a name is not understood"),
        Some(text) if text.starts_with('$') => Err("no variable but HOME is understood"),
        Some(_) if !path.is_absolute() => Err("it is relative, and so a different folder in each"),
        Some(_) => Ok(()),
    }
}

/// A state directory and the disk it is on.
#[derive(Clone, Debug)]
pub struct StateDir {
    /// Its path.
    pub path: PathBuf,
    /// Its disk.
    pub disk: Arc<dyn Disk>,
}

impl StateDir {
    /// The directory at `path`, on the system's disk.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, disk: Arc::new(SystemDisk) }
    }

    /// Makes the directory if it is missing (mode 0700) and checks that it can be trusted.
    ///
    /// # Errors
    /// When it can't be made, is no directory, is another user's, or others may write it.
    pub fn prepare(&self) -> Result<(), StateError> {
        let path = &self.path;
        self.check_place()?;
        let examine = |source| StateError::io("examine", path, source);
        match self.disk.metadata(path) {
            Ok(metadata) => self.check(&metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let missing: Vec<&Path> =
                    path.ancestors().take_while(|folder| self.disk.metadata(folder).is_err()).collect();
                self.disk.make_folder(path).map_err(|source| StateError::io("create", path, source))?;
                for parent in missing.iter().filter_map(|folder| folder.parent()) {
                    // Some file systems can't flush a folder; the directory is usable all the same.
                    let _ = self.disk.sync_folder(parent);
                }
                self.check(&self.disk.metadata(path).map_err(examine)?)
            }
            Err(source) => Err(examine(source)),
        }
    }

    /// Looks again whether a directory in use can still be trusted. One that is gone is no matter of trust.
    ///
    /// # Errors
    /// When it is no directory, is another user's, or others may write it.
    pub fn verify(&self) -> Result<(), StateError> {
        self.check_place()?;
        match self.disk.metadata(&self.path) {
            Ok(metadata) => self.check(&metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(StateError::io("examine", &self.path, source)),
        }
    }

    /// Checks that its path is the same folder for every process.
    ///
    /// # Errors
    /// When it is not.
    pub fn check_place(&self) -> Result<(), StateError> {
        is_place(&self.path).map_err(|why| StateError::NoPlace { path: self.path.clone(), why })
    }

    fn check(&self, metadata: &Metadata) -> Result<(), StateError> {
        let path = || self.path.clone();
        if !metadata.is_folder {
            return Err(StateError::NotADirectory { path: path() });
        }
        let us = rustix::process::geteuid().as_raw();
        if metadata.owner != us {
            return Err(StateError::ForeignOwner { path: path(), owner: metadata.owner, us });
        }
        if metadata.mode & 0o022 != 0 {
            return Err(StateError::WritableByOthers { path: path(), mode: metadata.mode });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::fs;
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
    fn a_path_that_no_shell_has_read_is_read_here_or_refused() {
        let home = Path::new("/home/ann");
        for (text, expected) in [
            ("~", "/home/ann"),
            ("~/", "/home/ann"),
            ("$HOME/x", "/home/ann/x"),
            ("${HOME}/x", "/home/ann/x"),
            ("$HOME", "/home/ann"),
            ("s", "/home/ann/s"),
        ] {
            assert_eq!(locate(None, Some(text), home), Path::new(expected));
            assert!(is_place(Path::new(expected)).is_ok());
        }
        for (text, home) in [
            ("~bob/x", "/home/ann"),
            ("$HOMES/x", "/home/ann"),
            ("${XDG_STATE_HOME}/x", "/home/ann"),
            ("/srv/\u{fffd}", "/home/ann"),
            ("x", "ann"),
            ("~/x", "."),
            ("", ""),
        ] {
            let path = locate(None, Some(text), Path::new(home));
            assert_eq!(StateDir::new(path.clone()).prepare().unwrap_err().code(), "no-place", "{text}");
            assert_eq!(StateDir::new(path).verify().unwrap_err().code(), "no-place", "{text}");
        }
    }

    #[test]
    fn a_new_directory_is_private_and_one_that_others_may_write_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let directory = StateDir::new(path.clone());
        directory.prepare().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o770)).unwrap();
        let error = directory.prepare().unwrap_err();
        assert_eq!(error.code(), "writable-by-others");
        assert!(error.remedy().contains("chmod go-w"));
    }

    #[test]
    fn a_file_in_its_place_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("state");
        fs::write(&path, "").unwrap();
        assert_eq!(StateDir::new(path).prepare().unwrap_err().code(), "not-a-directory");
    }
}
