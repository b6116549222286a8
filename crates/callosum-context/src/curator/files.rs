//! How the curator changes files: a temporary file, flushed, then renamed. Whoever is killed leaves the old file or the new one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use callosum_core::store::disk::{Disk, Open};

use crate::error::Problem;
use crate::folder::{Folder, UNFINISHED};

/// The files of one folder, and what was changed there.
pub(crate) struct Files<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) folder: &'a Folder,
    /// Nothing is changed; what would be is told all the same.
    pub(crate) is_dry: bool,
    /// Below the folder.
    pub(crate) changed: Vec<String>,
}

impl Files<'_> {
    /// Gives a file these bytes, unless it has them.
    pub(crate) fn replace(&mut self, below: &Path, bytes: &[u8]) -> Result<(), Problem> {
        self.replace_if(below, bytes, || true).map(|_| ())
    }

    /// The same, if `is_still` says so once the new file is ready; whether it was not refused.
    pub(crate) fn replace_if(
        &mut self,
        below: &Path,
        bytes: &[u8],
        is_still: impl FnOnce() -> bool,
    ) -> Result<bool, Problem> {
        let path = self.folder.path(below)?;
        if has(&path, bytes).map_err(|error| Problem::io("read", &path, &error))? {
            return Ok(true);
        }
        if !self.is_dry {
            self.make_folder_of(below)?;
            if !put(self.disk, &path, bytes, is_still).map_err(|error| Problem::io("write", &path, &error))? {
                return Ok(false);
            }
        }
        self.changed.push(below.to_string_lossy().into_owned());
        Ok(true)
    }

    /// Moves a file to where nothing lies yet, or the same.
    pub(crate) fn rename(&mut self, from: &Path, to: &Path) -> Result<(), Problem> {
        let (from_path, mut to_path) = (self.folder.path(from)?, self.folder.path(to)?);
        let mut below = to.to_owned();
        let trouble = |error: &io::Error| Problem::io("move", from, error);
        let bytes = fs::read(&from_path).map_err(|error| trouble(&error))?;
        for copy in 2.. {
            if fs::symlink_metadata(&to_path).is_err()
                || has(&to_path, &bytes).map_err(|error| trouble(&error))?
            {
                break;
            }
            below = beside(to, copy);
            to_path = self.folder.path(&below)?;
        }
        if !self.is_dry {
            self.make_folder_of(to)?;
            self.disk.rename(&from_path, &to_path).map_err(|error| trouble(&error))?;
            self.flush_folder(&to_path);
        }
        self.changed.push(below.to_string_lossy().into_owned());
        Ok(())
    }

    /// Some file systems can't flush a folder; the file is there all the same.
    fn flush_folder(&self, path: &Path) {
        if let Some(folder) = path.parent() {
            let _ = self.disk.sync_folder(folder);
        }
    }

    fn make_folder_of(&self, below: &Path) -> Result<(), Problem> {
        let folder = self.folder.path(below.parent().unwrap_or(Path::new("")))?;
        if folder.is_dir() {
            return Ok(());
        }
        self.folder.check()?;
        self.disk.make_folder(&folder).map_err(|error| Problem::io("create", &folder, &error))
    }
}

/// `x.md` as `x.2.md`.
fn beside(path: &Path, copy: u32) -> PathBuf {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("{copy}.{extension}"))
}

/// Whether a file has exactly these bytes. A link is no file.
fn has(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(facts) if !facts.is_file() => Err(io::Error::other("it is no regular file")),
        Ok(facts) if facts.len() != bytes.len() as u64 => Ok(false),
        Ok(_) => Ok(fs::read(path)? == bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Puts a file in the place of another, if `is_still` says so once it is ready; whether it did.
fn put(disk: &dyn Disk, path: &Path, bytes: &[u8], is_still: impl FnOnce() -> bool) -> io::Result<bool> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ready = path.with_file_name(format!("{UNFINISHED}{name}"));
    // One that a killed run left, or a link that somebody put there.
    if fs::symlink_metadata(&ready).is_ok() {
        disk.remove(&ready)?;
    }
    let file = disk.open(&ready, Open::Create)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let taken = file.write(rest)?;
        if taken == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    file.sync()?;
    if !is_still() {
        disk.remove(&ready)?;
        return Ok(false);
    }
    disk.rename(&ready, path)?;
    if let Some(folder) = path.parent() {
        // Some file systems can't flush a folder; the file is there all the same.
        let _ = disk.sync_folder(folder);
    }
    Ok(true)
}
