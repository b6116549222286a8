//! A settings file, a runtime's or one's own rules: read with care, replaced in one step, with one backup beside it.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::output::{Failure, counted, long};

/// Larger files are no settings.
const MAX_BYTES: u64 = 4 << 20;

/// Permissions of what is created: settings may hold secrets.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// A settings file as it was found.
pub(crate) struct SettingsFile {
    /// As the runtime names it.
    path: PathBuf,
    /// Where it is: `path`, unless that is a symbolic link.
    target: PathBuf,
    found: Option<Found>,
}

struct Found {
    bytes: Vec<u8>,
    mode: u32,
    group: u32,
    /// Names that it has.
    links: u64,
}

impl SettingsFile {
    /// # Errors
    /// When there is something that can't be read, or that must not be replaced: no file, somebody else's, write-protected.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let path = std::path::absolute(path).map_err(|error| refused(path, &error.to_string()))?;
        if let Err(error) = fs::symlink_metadata(&path) {
            return match error.kind() {
                io::ErrorKind::NotFound => Ok(Self { target: path.clone(), path, found: None }),
                _ => Err(refused(&path, &error.to_string())),
            };
        }
        let target = fs::canonicalize(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => refused(&path, "is a link to nothing"),
            _ => refused(&path, &error.to_string()),
        })?;
        let found = read(&target).map_err(|reason| refused(&path, &reason))?;
        Ok(Self { path, target, found: Some(found) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it; nothing when there is none.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.found.as_ref().map(|found| found.bytes.as_slice()).unwrap_or_default()
    }

    pub(crate) fn exists(&self) -> bool {
        self.found.is_some()
    }

    /// Whether the runtime's path leads to it by a symbolic link.
    pub(super) fn is_linked(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_symlink())
    }

    /// What is to be known before it is changed: it has other names, which a new file in its place would not have.
    pub(super) fn caution(&self) -> Option<String> {
        let links = self.found.as_ref().map(|found| found.links).filter(|links| *links > 1)?;
        Some(format!(
            "{} has {} (hard links), which all stay: the file is written in place instead of being replaced in one step.",
            shown(&self.path),
            counted(links, "name")
        ))
    }

    pub(super) fn backup_path(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".callosum-backup");
        self.path.with_file_name(name)
    }

    /// What the backup holds, if there is one that can be read.
    pub(super) fn backup(&self) -> Option<Vec<u8>> {
        read(&self.backup_path()).ok().map(|found| found.bytes)
    }

    /// Whether something stands in the backup's place that is not `bytes`: it may be the only copy of what is in it.
    pub(super) fn has_other_backup(&self, bytes: &[u8]) -> bool {
        fs::symlink_metadata(self.backup_path()).is_ok() && self.backup().is_none_or(|backup| backup != bytes)
    }

    /// Keeps what was found in a file beside it, unless there is such a file yet. Whether it is kept.
    ///
    /// # Errors
    /// When it can't be written.
    pub(super) fn keep_backup(&self) -> Result<bool, Failure> {
        let path = self.backup_path();
        let Some(found) = &self.found else { return Ok(false) };
        let written = draft(&path, &found.bytes, found.mode, Some(found.group)).and_then(|draft| match draft
            .persist_noclobber(&path)
        {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
            Ok(_) => {
                flush_folder(&path);
                Ok(true)
            }
        });
        written.map_err(|error| refused(&path, &error.to_string()))
    }

    /// # Errors
    /// When it is there and can't be removed.
    pub(super) fn remove_backup(&self) -> Result<(), Failure> {
        remove(&self.backup_path())
    }

    /// Puts `bytes` in its place in one step; permissions, group and other names stay. Where a new file can't have them, it is
    /// written where it is.
    ///
    /// # Errors
    /// When it can't be written, or has changed since it was read.
    pub(crate) fn replace(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mode = self.found.as_ref().map_or(FILE_MODE, |found| found.mode);
        let failed = |error: io::Error| refused(&self.path, &error.to_string());
        if let Some(folder) = self.target.parent() {
            DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder).map_err(failed)?;
        }
        let draft =
            draft(&self.target, bytes, mode, self.found.as_ref().map(|found| found.group)).map_err(failed)?;
        self.still_as_found()?;
        let is_like_it = |found: &Found| {
            found.links == 1
                && draft
                    .as_file()
                    .metadata()
                    .is_ok_and(|new| (new.gid(), new.mode() & 0o7777) == (found.group, found.mode))
        };
        if self.found.as_ref().is_none_or(is_like_it) {
            draft.persist(&self.target).map_err(|error| failed(error.error))?;
            flush_folder(&self.target);
            return Ok(());
        }
        // There was room for the draft, so there is for this.
        let room = draft.close();
        let written =
            room.and_then(|()| File::options().write(true).open(&self.target)).and_then(|mut file| {
                file.write_all(bytes)?;
                file.set_len(u64::try_from(bytes.len()).unwrap_or_default())?;
                file.sync_all()
            });
        written.map_err(failed)
    }

    /// # Errors
    /// When it can't be removed, or has changed since it was read.
    pub(super) fn remove(&self) -> Result<(), Failure> {
        self.still_as_found()?;
        remove(&self.path)
    }

    /// A running session of the runtime may write its settings too.
    fn still_as_found(&self) -> Result<(), Failure> {
        let now = match fs::read(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(refused(&self.path, &error.to_string())),
        };
        if now.as_ref() == self.found.as_ref().map(|found| &found.bytes) {
            return Ok(());
        }
        Err(Failure::CantChange {
            fragment: format!("another program has just changed `{}`", shown(&self.path)),
            remedy: "nothing was written; try again".to_owned(),
        })
    }
}

/// A path fit for a terminal.
pub(super) fn shown(path: &Path) -> String {
    long(&path.display().to_string())
}

fn refused(path: &Path, reason: &str) -> Failure {
    Failure::CantChange {
        fragment: format!("can't change `{}`: {}", shown(path), long(reason)),
        remedy: "nothing was changed; make it a writable file of your own, and try again".to_owned(),
    }
}

fn read(path: &Path) -> Result<Found, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if metadata.permissions().readonly() {
        return Err("it is write-protected".to_owned());
    }
    Ok(Found {
        bytes: bytes_of(path)?,
        mode: metadata.mode() & 0o7777,
        group: metadata.gid(),
        links: metadata.nlink(),
    })
}

/// What is in the file at `path`, for who only looks; `None` when there is none.
///
/// # Errors
/// Why it can't be read.
pub(super) fn look(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
        Ok(metadata) if !metadata.is_file() => Err("it is not a file".to_owned()),
        Ok(_) => bytes_of(path).map(Some),
    }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES) {
        return Err("it is too large to be a settings file".to_owned());
    }
    Ok(bytes)
}

/// A file beside `path`, flushed, that only wants its name. What its group may do, no other group may.
fn draft(path: &Path, bytes: &[u8], mode: u32, group: Option<u32>) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut draft = tempfile::Builder::new().prefix(".callosum-").tempfile_in(folder)?;
    draft.write_all(bytes)?;
    let is_of_group = group.is_none_or(|group| fchown(draft.as_file(), None, Some(group)).is_ok());
    // Not at its creation: that would be subject to the umask. And behind the group: to give that away takes bits.
    let mode = if is_of_group { mode } else { mode & !0o7070 };
    draft.as_file().set_permissions(Permissions::from_mode(mode))?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

fn flush_folder(path: &Path) {
    // Some file systems can't flush a folder; the file is there all the same.
    let _ = File::open(path.parent().unwrap_or(Path::new("/"))).and_then(|folder| folder.sync_all());
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(refused(path, &error.to_string())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::chown;

    use super::*;

    #[test]
    fn what_somebody_wrote_in_between_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let new = SettingsFile::read(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(new.replace(b"ours").unwrap_err().to_string().contains("has just changed"));
        let old = SettingsFile::read(&path).unwrap();
        fs::write(&path, "theirs again").unwrap();
        assert!(old.replace(b"ours").is_err() && old.remove().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs again");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn another_users_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, "{}").unwrap();
        // Only root can give a file away.
        if chown(&path, Some(12345), None).is_ok() {
            let error = SettingsFile::read(&path).err().unwrap();
            assert!(error.to_string().contains("another user"), "{error}");
        }
    }
}
