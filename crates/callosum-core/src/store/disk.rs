//! The file system as the journal needs it. Everything the journal, its index and its guard do to files goes
//! through [`Disk`], so that tests can put a disk underneath that forgets what was not flushed, fails at any
//! step, or kills the process there. The product has one implementation, [`SystemDisk`], and no failpoints.

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

use rustix::fs::OFlags;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::{
    fs::{CWD, RenameFlags},
    io::Errno,
};

use crate::model::error::NO_FILE;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// To read an existing file.
    Read,
    /// To read an existing file and to write at its end.
    Append,
    /// To write a new file, readable by its owner only; what was at the path is emptied.
    Create,
}

/// What the system says of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Bytes.
    pub size: u64,
    /// Device and inode: two names with the same pair are one file.
    pub identity: (u64, u64),
    /// Names it has; 0 once it was deleted.
    pub links: u64,
    /// Permission bits, and those above them.
    pub mode: u32,
    /// The owner's user id.
    pub owner: u32,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// When it was last written, wall-clock milliseconds.
    pub modified_ms: i64,
}

/// A file system.
pub trait Disk: Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// What the system says, also in all further methods.
    fn open(&self, path: &Path, purpose: OpenMode) -> io::Result<Box<dyn DiskFile>>;
    /// Opens the file that the guard locks, making it if it is missing. Locks belong to the operating system,
    /// so this is a file of its own, on every disk.
    ///
    /// # Errors
    /// What the system says.
    fn open_guard(&self, path: &Path) -> io::Result<File>;
    /// What is known of the file or folder at `path`.
    ///
    /// # Errors
    /// What the system says; `NotFound` where there is none.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// The names in a folder.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>>;
    /// Makes a folder that only its owner may use, and the folders above it.
    ///
    /// # Errors
    /// What the system says.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Gives a file another name, replacing what had it.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives each of two files the other's name, in one step.
    ///
    /// # Errors
    /// What the system says; `Unsupported` where it can't do that.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let _ = (one, other);
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Deletes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    ///
    /// # Errors
    /// What the system says.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// An open file of a [`Disk`].
pub trait DiskFile: Debug + Send + Sync {
    /// What is known of it now.
    ///
    /// # Errors
    /// What the system says, also in all further methods.
    fn metadata(&self) -> io::Result<Metadata>;
    /// How large it is now, in bytes: less to ask than all that is known.
    ///
    /// # Errors
    /// What the system says.
    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.size)
    }
    /// Reads at `offset`, as much as fits or is there.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes at the end with one system call; returns how many bytes were taken.
    ///
    /// # Errors
    /// What the system says.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;
    /// Cuts the file.
    ///
    /// # Errors
    /// What the system says.
    fn set_size(&self, size: u64) -> io::Result<()>;
    /// Takes all rights but the owner's away.
    ///
    /// # Errors
    /// What the system says.
    fn make_private(&self) -> io::Result<()>;
    /// Makes its contents durable (`fdatasync`).
    ///
    /// # Errors
    /// What the system says.
    fn sync(&self) -> io::Result<()>;
}

/// The operating system's file systems.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn open(&self, path: &Path, purpose: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        match purpose {
            OpenMode::Read => options.read(true),
            OpenMode::Append => options.read(true).append(true),
            OpenMode::Create => options.write(true).create(true).truncate(true).mode(0o600),
        };
        Ok(Box::new(open_file(&mut options, path)?))
    }

    fn open_guard(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        open_file(options.read(true).write(true).create(true).truncate(false).mode(0o600), path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        fs::metadata(path).map(|metadata| metadata_from(&metadata))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let swapped = rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
        swapped.map_err(|error| match error {
            // What a file system says that can't.
            Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => io::ErrorKind::Unsupported.into(),
            error => error.into(),
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }
}

/// Opens a file, and nothing else: who opens a pipe, or reads a device, may wait for ever.
fn open_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // It changes nothing about files.
    let file = options.custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(NO_FILE, "it is no regular file"))
}

impl DiskFile for File {
    fn metadata(&self) -> io::Result<Metadata> {
        File::metadata(self).map(|metadata| metadata_from(&metadata))
    }

    fn size(&self) -> io::Result<u64> {
        // Its position is used by nobody: reads name theirs, writes go to the end.
        let mut file = self;
        file.seek(SeekFrom::End(0))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self;
        Write::write(&mut file, bytes)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.set_len(size)
    }

    fn make_private(&self) -> io::Result<()> {
        self.set_permissions(Permissions::from_mode(0o600))
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

fn metadata_from(metadata: &fs::Metadata) -> Metadata {
    let modified = metadata.modified().ok().and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
    Metadata {
        size: metadata.len(),
        identity: (metadata.dev(), metadata.ino()),
        links: metadata.nlink(),
        mode: metadata.mode() & 0o7777,
        owner: metadata.uid(),
        is_folder: metadata.is_dir(),
        modified_ms: modified.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
    }
}
