//! How the curator changes files: a temporary file, flushed, then renamed. Whoever is killed leaves the old file or the new one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use callosum_core::store::disk::{Disk, OpenMode};

use crate::error::Problem;
use crate::folder::{Folder, UNFINISHED};
use crate::names::sha256;

/// Somebody who saves a file so often in a moment does so for ever.
const MOST_EXCHANGES: usize = 8;

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
        self.changing(below, bytes, |files, path| {
            let ready = make_ready(files.disk, path, bytes)?;
            files.disk.rename(&ready, path)?;
            Ok(true)
        })
        .map(|_| ())
    }

    /// The same, if `is_still` says that it may go of what the file says then (nothing where there is none); whether it did. Where the
    /// system exchanges two files in one step, what it says is seen of the very file that was replaced: one that somebody saved in that
    /// moment is put back.
    pub(crate) fn replace_if(
        &mut self,
        below: &Path,
        bytes: &[u8],
        is_still: impl Fn(Option<&[u8]>) -> bool,
    ) -> Result<bool, Problem> {
        self.changing(below, bytes, |files, path| {
            let ready = make_ready(files.disk, path, bytes)?;
            let now = files.said(below);
            if !is_still(now.as_deref()) {
                files.disk.remove(&ready)?;
                return Ok(false);
            }
            if now.is_none() {
                files.disk.rename(&ready, path)?;
                return Ok(true);
            }
            // From now on it may be another's file that has this name.
            let aside = path.with_file_name(aside_name(below));
            files.disk.rename(&ready, &aside)?;
            match files.disk.exchange(&aside, path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    files.disk.rename(&aside, path)?;
                    return Ok(true);
                }
                Err(error) => return Err(error),
            }
            let out = files.said(&below.with_file_name(aside_name(below)));
            let is_replaced = is_still(out.as_deref());
            if is_replaced {
                files.disk.remove(&aside)?;
            } else {
                files.put_back(below, bytes)?;
            }
            Ok(is_replaced)
        })
    }

    /// Changes a file that has other bytes.
    fn changing(
        &mut self,
        below: &Path,
        bytes: &[u8],
        change: impl FnOnce(&Self, &Path) -> io::Result<bool>,
    ) -> Result<bool, Problem> {
        let path = self.folder.path(below)?;
        if has(&path, bytes).map_err(|error| Problem::io("read", &path, &error))? {
            return Ok(true);
        }
        if !self.is_dry {
            self.make_folder_of(below)?;
            if !change(self, &path).map_err(|error| Problem::io("write", &path, &error))? {
                return Ok(false);
            }
            self.flush_folder(&path);
        }
        self.changed.push(below.to_string_lossy().into_owned());
        Ok(true)
    }

    /// Puts back what came out of an exchange with `bytes`. Who saves meanwhile has the last word.
    fn put_back(&self, below: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, aside) = (self.folder.root(), below.with_file_name(aside_name(below)));
        let mut there = Some(bytes.to_vec());
        for _ in 0..MOST_EXCHANGES {
            let back = self.said(&aside);
            self.disk.exchange(&folder.join(&aside), &folder.join(below))?;
            if self.said(&aside) == there {
                break;
            }
            there = back;
        }
        self.disk.remove(&folder.join(&aside))
    }

    /// What a file says; nothing where there is none, or what is none.
    fn said(&self, below: &Path) -> Option<Vec<u8>> {
        self.folder.read(below).ok().flatten()
    }

    /// What became of the file that came out of an exchange, when its run was killed before it was looked at. `ours` is the digest of what was
    /// put in its place, `before` of what it was to say. What somebody saved is put back where it was, or given to `keep` if they saved
    /// again since.
    pub(crate) fn settle(
        &mut self,
        below: &Path,
        (ours, before): (&str, &str),
        keep: impl FnOnce(&[u8]) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let aside = below.with_file_name(aside_name(below));
        let path = self.folder.path(&aside)?;
        let failed = |error: io::Error| Problem::io("write", &path, &error);
        if self.is_dry || fs::symlink_metadata(&path).is_err() {
            return Ok(());
        }
        let out = self.said(&aside).unwrap_or_default();
        if ![ours, before].contains(&&*sha256(&out)) {
            let now = self.said(below).unwrap_or_default();
            if sha256(&now) == ours {
                return self.put_back(below, &now).map_err(failed);
            }
            keep(&out)?;
        }
        self.disk.remove(&path).map_err(failed)
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

/// What a file is called that is exchanged for another, or came out of that.
fn aside_name(path: &Path) -> String {
    format!("{}.out", ready_name(path))
}

fn ready_name(path: &Path) -> String {
    format!("{UNFINISHED}{}", path.file_name().unwrap_or_default().to_string_lossy())
}

/// Writes a flushed file beside another, in whose place it is to come.
fn make_ready(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let ready = path.with_file_name(ready_name(path));
    // One that a killed run left, or a link that somebody put there.
    if fs::symlink_metadata(&ready).is_ok() {
        disk.remove(&ready)?;
    }
    let file = disk.open(&ready, OpenMode::Create)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let taken = file.write(rest)?;
        if taken == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    file.sync()?;
    Ok(ready)
}
