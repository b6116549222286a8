//! A disk that is gone or full from some step on, and one on which a person saves a file meanwhile.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use callosum_core::store::disk::{Disk, DiskFile, Facts, Open, SystemDisk};

/// Does so many steps, of a write half, and then the process is gone: nothing that it would have done then is done. Or the disk is full,
/// and the process is told.
#[derive(Debug, Clone)]
pub(crate) struct Killed {
    pub(crate) steps: Arc<AtomicUsize>,
    pub(crate) after: usize,
    is_full: bool,
}

impl Killed {
    pub(crate) fn after(after: usize) -> Self {
        Self { steps: Arc::default(), after, is_full: false }
    }

    pub(crate) fn full_after(after: usize) -> Self {
        Self { is_full: true, ..Self::after(after) }
    }

    fn is_now(&self) -> bool {
        self.steps.fetch_add(1, Ordering::SeqCst) >= self.after
    }

    fn step(&self) -> io::Result<()> {
        if self.is_now() { self.end() } else { Ok(()) }
    }

    fn end<T>(&self) -> io::Result<T> {
        if self.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        // Without the hook, which would print it.
        std::panic::resume_unwind(Box::new("killed"))
    }
}

#[derive(Debug)]
struct KilledFile {
    disk: Killed,
    file: Box<dyn DiskFile>,
}

impl Disk for Killed {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        self.step()?;
        Ok(Box::new(KilledFile { disk: self.clone(), file: SystemDisk.open(path, purpose)? }))
    }
    fn open_guard(&self, path: &Path) -> io::Result<File> {
        SystemDisk.open_guard(path)
    }
    fn facts(&self, path: &Path) -> io::Result<Facts> {
        SystemDisk.facts(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        SystemDisk.list(folder)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.make_folder(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.rename(from, to)
    }
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.exchange(one, other)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        // There is always room for that.
        if !self.is_full {
            self.step()?;
        }
        SystemDisk.remove(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        SystemDisk.sync_folder(path)
    }
}

impl DiskFile for KilledFile {
    fn facts(&self) -> io::Result<Facts> {
        self.file.facts()
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        if self.disk.is_now() {
            self.file.write(&bytes[..bytes.len() / 2])?;
            return self.disk.end();
        }
        self.file.write(bytes)
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_size(size)
    }
    fn make_private(&self) -> io::Result<()> {
        self.file.make_private()
    }
    fn sync(&self) -> io::Result<()> {
        self.disk.step()?;
        self.file.sync()
    }
}

/// When a person saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// A new file is made that is to take the place of theirs.
    IsMade,
    /// It was looked for the last time whether theirs is still as it was: the new one is about to be put there.
    IsPut,
}

/// A person saves `text` at `path` in such a moment, so many times.
#[derive(Debug)]
pub(crate) struct Edited {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) when: When,
    pub(crate) times: AtomicUsize,
    /// After the first save that comes so late the process is gone.
    pub(crate) is_killed: bool,
}

impl Edited {
    pub(crate) fn new(path: PathBuf, text: &str, when: When, times: usize) -> Self {
        Self { path, text: text.to_owned(), when, times: times.into(), is_killed: false }
    }

    /// As most editors do: a new file in the place of the old one.
    fn save(&self) -> io::Result<bool> {
        let left = self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let Ok(before) = left else { return Ok(false) };
        let new = self.path.with_extension("new");
        std::fs::write(&new, format!("{}- save {}\n", self.text, before - 1))?;
        std::fs::rename(new, &self.path)?;
        Ok(true)
    }
}

impl Disk for Edited {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        let name = format!(".cx.{}", self.path.file_name().unwrap().to_str().unwrap());
        if self.when == When::IsMade && path.file_name().unwrap().to_str().unwrap() == name {
            self.save()?;
        }
        SystemDisk.open(path, purpose)
    }
    fn open_guard(&self, path: &Path) -> io::Result<File> {
        SystemDisk.open_guard(path)
    }
    fn facts(&self, path: &Path) -> io::Result<Facts> {
        SystemDisk.facts(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        SystemDisk.list(folder)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.make_folder(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.rename(from, to)
    }
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let is_saved = self.when == When::IsPut && self.save()?;
        SystemDisk.exchange(one, other)?;
        if is_saved && self.is_killed {
            std::panic::resume_unwind(Box::new("killed"));
        }
        Ok(())
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.sync_folder(path)
    }
}
