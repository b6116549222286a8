//! The one disk under tests: another one, the system's or one in memory, whose every step a [`Fault`] looks at and may spoil.

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callosum_core::store::disk::{Disk, DiskFile, Metadata, OpenMode, SystemDisk};
use callosum_core::store::state_dir::StateDir;
use tempfile::TempDir;

use crate::memory::{MemoryDisk, MemoryFile};

/// What a disk is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each has the name of the method")]
pub enum Kind {
    Open,
    OpenGuard,
    Metadata,
    List,
    MakeFolder,
    Rename,
    Exchange,
    Remove,
    SyncFolder,
    FileMetadata,
    Size,
    Read,
    Write,
    SetSize,
    MakePrivate,
    Sync,
}

/// A step that is about to be taken.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// What is asked for.
    pub kind: Kind,
    /// The file or folder; of two that are renamed or exchanged the first.
    pub path: &'a Path,
    /// What the file is, or was, opened for; of a step on a path nothing.
    pub purpose: Option<OpenMode>,
    /// How many bytes are to be read or written.
    pub length: usize,
}

/// How a step goes.
#[derive(Debug)]
pub enum Course {
    /// As it should.
    Well,
    /// It is not taken, and this is told.
    Fails(io::Error),
    /// It reads or writes so many bytes at most.
    Takes(usize),
    /// It is taken, a write as far as so many bytes, and in place of its answer comes an end.
    Ends(usize, End),
}

/// The end of the process or of its thread; where it comes back, that is told in place of the step's answer.
pub type End = fn() -> io::Error;

/// What is wrong with a disk.
pub trait Fault: Debug + Send + Sync {
    /// Looks at a step before it is taken, and says how it goes.
    fn meet(&self, step: &Step<'_>) -> Course;
    /// Is told of bytes that were read.
    fn has_read(&self, bytes: usize) {
        let _ = bytes;
    }
}

/// What lies under the faults.
#[derive(Clone, Debug)]
enum Under {
    System,
    Memory(MemoryDisk),
}

/// A disk with a fault, which it hands out as what it points to. Clones are the same disk.
#[derive(Debug)]
pub struct TestDisk<F> {
    under: Under,
    fault: Arc<F>,
}

#[derive(Debug)]
enum FileUnder {
    System(Box<dyn DiskFile>),
    Memory(MemoryFile),
}

#[derive(Debug)]
struct TestFile<F> {
    file: FileUnder,
    path: PathBuf,
    purpose: OpenMode,
    fault: Arc<F>,
}

impl<F> Clone for TestDisk<F> {
    fn clone(&self) -> Self {
        Self { under: self.under.clone(), fault: Arc::clone(&self.fault) }
    }
}

impl<F> Deref for TestDisk<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.fault
    }
}

impl<F: Fault + Default> Default for TestDisk<F> {
    fn default() -> Self {
        Self::new(F::default())
    }
}

impl<F: Fault> TestDisk<F> {
    /// The system's disk with a fault.
    pub fn new(fault: F) -> Self {
        Self { under: Under::System, fault: Arc::new(fault) }
    }

    /// A disk in memory with a fault.
    pub fn on(disk: &MemoryDisk, fault: F) -> Self {
        Self { under: Under::Memory(disk.clone()), fault: Arc::new(fault) }
    }

    fn disk(&self) -> &dyn Disk {
        match &self.under {
            Under::System => &SystemDisk,
            Under::Memory(disk) => disk,
        }
    }

    fn take<T>(
        &self,
        kind: Kind,
        path: &Path,
        purpose: Option<OpenMode>,
        step: impl FnOnce(&dyn Disk) -> io::Result<T>,
    ) -> io::Result<T> {
        match self.fault.meet(&Step { kind, path, purpose, length: 0 }) {
            Course::Well | Course::Takes(_) => step(self.disk()),
            Course::Fails(error) => Err(error),
            Course::Ends(_, end) => {
                drop(step(self.disk()));
                Err(end())
            }
        }
    }
}

impl<F: Fault + 'static> TestDisk<F> {
    /// A state directory on this disk.
    #[must_use]
    pub fn folder(&self) -> (TempDir, StateDir) {
        let folder = tempfile::tempdir().unwrap();
        let directory = StateDir { path: folder.path().to_owned(), disk: Arc::new(self.clone()) };
        (folder, directory)
    }
}

impl<F: Fault + 'static> Disk for TestDisk<F> {
    fn open(&self, path: &Path, purpose: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let file = self.take(Kind::Open, path, Some(purpose), |disk| match &self.under {
            Under::System => Ok(FileUnder::System(disk.open(path, purpose)?)),
            Under::Memory(memory) => Ok(FileUnder::Memory(memory.open_file(path, purpose)?)),
        })?;
        Ok(Box::new(TestFile { file, path: path.to_owned(), purpose, fault: Arc::clone(&self.fault) }))
    }
    fn open_guard(&self, path: &Path) -> io::Result<File> {
        self.take(Kind::OpenGuard, path, None, |disk| disk.open_guard(path))
    }
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.take(Kind::Metadata, path, None, |disk| disk.metadata(path))
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.take(Kind::List, folder, None, |disk| disk.list(folder))
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.take(Kind::MakeFolder, path, None, |disk| disk.make_folder(path))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.take(Kind::Rename, from, None, |disk| disk.rename(from, to))
    }
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.take(Kind::Exchange, one, None, |disk| disk.exchange(one, other))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.take(Kind::Remove, path, None, |disk| disk.remove(path))
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.take(Kind::SyncFolder, path, None, |disk| disk.sync_folder(path))
    }
}

impl<F: Fault> TestFile<F> {
    fn file(&self) -> &dyn DiskFile {
        match &self.file {
            FileUnder::System(file) => file.as_ref(),
            FileUnder::Memory(file) => file,
        }
    }

    /// Takes a step; `step` gets how many bytes it may read or write.
    fn take<T>(
        &self,
        kind: Kind,
        length: usize,
        step: impl FnOnce(&dyn DiskFile, usize) -> io::Result<T>,
    ) -> io::Result<T> {
        let asked = Step { kind, path: &self.path, purpose: Some(self.purpose), length };
        match self.fault.meet(&asked) {
            Course::Well => step(self.file(), length),
            Course::Takes(most) => step(self.file(), most.min(length)),
            Course::Fails(error) => {
                if let (Kind::Sync, FileUnder::Memory(file)) = (kind, &self.file) {
                    file.fail_to_sync();
                }
                Err(error)
            }
            Course::Ends(most, end) => {
                drop(step(self.file(), most.min(length)));
                Err(end())
            }
        }
    }
}

impl<F: Fault> DiskFile for TestFile<F> {
    fn metadata(&self) -> io::Result<Metadata> {
        self.take(Kind::FileMetadata, 0, |file, _| file.metadata())
    }
    fn size(&self) -> io::Result<u64> {
        self.take(Kind::Size, 0, |file, _| file.size())
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let length = buffer.len();
        let got = self.take(Kind::Read, length, |file, most| file.read_at(&mut buffer[..most], offset))?;
        self.fault.has_read(got);
        Ok(got)
    }
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.take(Kind::Write, bytes.len(), |file, most| file.write(&bytes[..most]))
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.take(Kind::SetSize, 0, |file, _| file.set_size(size))
    }
    fn make_private(&self) -> io::Result<()> {
        self.take(Kind::MakePrivate, 0, |file, _| file.make_private())
    }
    fn sync(&self) -> io::Result<()> {
        self.take(Kind::Sync, 0, |file, _| file.sync())
    }
}
