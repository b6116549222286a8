//! The system's disk, on which single reads and writes go wrong.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use callosum_core::store::disk::{Disk, DiskFile, Facts, Open, SystemDisk};
use callosum_core::store::state_dir::StateDir;
use tempfile::TempDir;

/// A disk that meets reads and writes with what it was told, one after another, and then does as it should. It notes what
/// was flushed or made private, and counts what is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlakyDisk {
    pub(crate) reads: Arc<Mutex<Vec<Mishap>>>,
    pub(crate) writes: Arc<Mutex<Vec<Mishap>>>,
    pub(crate) done: Arc<Mutex<Vec<&'static str>>>,
    /// What is to be deleted here, somebody else deletes a moment before.
    pub(crate) others_delete: bool,
    /// Bytes.
    pub(crate) was_read: Arc<AtomicU64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Mishap {
    Fails(io::ErrorKind),
    Takes(usize),
    /// It goes as it should.
    None,
}

#[derive(Debug)]
struct FlakyFile(Box<dyn DiskFile>, FlakyDisk);

impl FlakyDisk {
    /// A state directory on this disk.
    pub(crate) fn folder(&self) -> (TempDir, StateDir) {
        let folder = tempfile::tempdir().unwrap();
        let directory = StateDir { path: folder.path().to_owned(), disk: Arc::new(self.clone()) };
        (folder, directory)
    }

    /// What was done since this was asked last.
    pub(crate) fn done(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.done.lock().unwrap())
    }
}

impl Disk for FlakyDisk {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(FlakyFile(SystemDisk.open(path, purpose)?, self.clone())))
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
    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.others_delete {
            SystemDisk.remove(path)?;
        }
        SystemDisk.remove(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.done.lock().unwrap().push("folder");
        SystemDisk.sync_folder(path)
    }
}

impl DiskFile for FlakyFile {
    fn facts(&self) -> io::Result<Facts> {
        self.0.facts()
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let got = match self.1.reads.lock().unwrap().pop() {
            Some(Mishap::Fails(kind)) => return Err(kind.into()),
            Some(Mishap::Takes(most)) => self.0.read_at(&mut buffer[..most], offset)?,
            Some(Mishap::None) | None => self.0.read_at(buffer, offset)?,
        };
        self.1.was_read.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.1.writes.lock().unwrap().pop() {
            Some(Mishap::Fails(kind)) => Err(kind.into()),
            Some(Mishap::Takes(most)) => self.0.write(&bytes[..most]),
            Some(Mishap::None) | None => self.0.write(bytes),
        }
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_size(size)
    }
    fn make_private(&self) -> io::Result<()> {
        self.1.done.lock().unwrap().push("private");
        self.0.make_private()
    }
    fn sync(&self) -> io::Result<()> {
        self.1.done.lock().unwrap().push("file");
        self.0.sync()
    }
}
