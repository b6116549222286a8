//! The file of a segment: its name, reading at any place, and its flush.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::error::StateError;
use crate::record::{Action, Line, Record};
use crate::store::disk::{Disk, DiskFile, Metadata, OpenMode};
use crate::store::state_dir::StateDir;

/// File name of the active segment.
pub const ACTIVE: &str = "journal.jsonl";
/// File name of the next active segment while it is being made.
pub(super) const NEXT: &str = "journal.next";
/// No journal grows to this many bytes: a larger number is damaged, and would overflow what is added to it.
const MAX_BASE: u64 = 1 << 60;
/// No line of ours has so many bytes.
pub(crate) const MAX_LINE: u64 = 16 << 20;
/// Bytes read at once.
pub(super) const CHUNK: usize = 64 * 1024;
/// Bytes in which a first line nearly always ends.
const HEAD: usize = 4 * 1024;

/// Where the closed segment that begins at `base` lies.
#[must_use]
pub fn segment_path(directory: &Path, base: u64) -> PathBuf {
    directory.join(format!("journal.{base}.jsonl"))
}

/// The closed segments in `directory`, oldest first: base and path.
///
/// # Errors
/// When the directory can't be listed.
pub fn closed_segments(directory: &StateDir) -> Result<Vec<(u64, PathBuf)>, StateError> {
    let names = directory.disk.list(&directory.path);
    let mut segments: Vec<(u64, PathBuf)> = names
        .map_err(|source| StateError::io("list", &directory.path, source))?
        .iter()
        .filter_map(|name| {
            let base = name.to_str()?.strip_prefix("journal.")?.strip_suffix(".jsonl")?.parse().ok()?;
            (base < MAX_BASE).then(|| (base, directory.path.join(name)))
        })
        .collect();
    segments.sort_unstable_by_key(|(base, _)| *base);
    Ok(segments)
}

/// A segment's open file, shared with the threads that flush it.
#[derive(Debug)]
pub struct SegmentFile {
    pub(super) file: Box<dyn DiskFile>,
    disk: Arc<dyn Disk>,
    path: PathBuf,
    flushed: Mutex<Flushed>,
    /// A flush failed. Beside the lock, which is held as long as the disk takes.
    failed: AtomicBool,
}

#[derive(Debug, Default)]
struct Flushed {
    /// Bytes known to be on the disk.
    upto: u64,
    /// Whether the file's name is on the disk too.
    name: bool,
}

impl SegmentFile {
    /// Opens the file at `path`; nothing of it is known to be flushed.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(disk: &Arc<dyn Disk>, path: PathBuf, purpose: OpenMode) -> io::Result<Self> {
        let file = disk.open(&path, purpose)?;
        let (flushed, failed) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { file, disk: Arc::clone(disk), path, flushed, failed })
    }

    /// Opens the closed segment at `path` that begins at `base`; `None` when another one lies there.
    ///
    /// # Errors
    /// What the system says.
    pub fn open_closed(disk: &Arc<dyn Disk>, path: &Path, base: u64) -> io::Result<Option<Self>> {
        let file = Self::open(disk, path.to_owned(), OpenMode::Read)?;
        let is_another = file.belongs_elsewhere(base).map_err(io::Error::other)?;
        Ok((!is_another).then_some(file))
    }

    /// The path it was opened at.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is known of the file now.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn metadata(&self) -> Result<Metadata, StateError> {
        self.file.metadata().map_err(|source| StateError::io("examine", &self.path, source))
    }

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// When the system refuses, or the file ends before.
    pub fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> Result<(), StateError> {
        while !buffer.is_empty() {
            let got = self.read_at(buffer, offset)?;
            if got == 0 {
                return Err(StateError::io("read", &self.path, io::ErrorKind::UnexpectedEof.into()));
            }
            buffer = buffer.get_mut(got..).unwrap_or_default();
            offset += got as u64;
        }
        Ok(())
    }

    /// Reads at `offset`.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, StateError> {
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(|source| StateError::io("read", &self.path, source)),
            }
        }
    }

    /// The segment's first line, when it is an `opened` record that says where it begins.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn opening_record(&self) -> Result<Option<Record>, StateError> {
        let mut head = vec![0; HEAD];
        let mut got = self.read_at(&mut head, 0)?;
        if got == HEAD && memchr::memchr(b'\n', &head).is_none() {
            head.resize(CHUNK, 0);
            got = self.read_at(&mut head, 0)?;
        }
        let line = head.get(..got).and_then(|head| head.split(|byte| *byte == b'\n').next());
        Ok(match line.map(Line::read) {
            // Where a segment begins stands there twice: a damaged number must not move every line behind it.
            Some(Line::Record(record))
                if record.action == Action::Opened
                    && record.base.is_some_and(|base| base < MAX_BASE)
                    && (record.of.is_empty() || record.of.first().copied() == record.base) =>
            {
                Some(*record)
            }
            _ => None,
        })
    }

    /// Whether its first line says, twice, that it begins elsewhere than at `base`: a copy of another segment. One number
    /// alone may be damaged.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn belongs_elsewhere(&self, base: u64) -> Result<bool, StateError> {
        let opened = self.opening_record()?;
        Ok(opened.is_some_and(|opened| opened.base != Some(base) && !opened.of.is_empty()))
    }

    /// Whether a flush of it failed. Waits for none that is under way.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Makes the first `end` bytes durable. Calls that wait for each other share one flush. After a failure
    /// every further call fails: the kernel may have dropped what it could not write, and a second
    /// `fdatasync` would then report success. Returns whether the disk was asked: an earlier flush may have gone as far.
    ///
    /// # Errors
    /// When this flush or an earlier one of this file failed.
    pub fn flush(&self, end: u64) -> Result<bool, StateError> {
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        if self.has_failed() {
            return Err(StateError::FlushFailed { path: self.path.clone() });
        }
        if flushed.upto >= end {
            return Ok(false);
        }
        let step = |source| StateError::io("flush", &self.path, source);
        let result = (|| {
            let metadata = self.file.metadata().map_err(step)?;
            if metadata.links == 0 {
                // Deleted since: on the disk, but nobody can find it.
                let parent = self.path.parent().unwrap_or(&self.path);
                return Err(StateError::Replaced { path: parent.to_owned() });
            }
            let written = metadata.size;
            self.file.sync().map_err(step)?;
            if written < end {
                // Cut off since: what was to be made durable is gone.
                let parent = self.path.parent().unwrap_or(&self.path);
                return Err(StateError::Replaced { path: parent.to_owned() });
            }
            if !flushed.name {
                // Without its name on the disk the file is gone after a power cut, whatever is in it.
                let parent = self.path.parent().unwrap_or(Path::new("."));
                self.disk.sync_folder(parent).map_err(step)?;
            }
            Ok(written)
        })();
        match result {
            Ok(written) => {
                flushed.upto = written.max(end);
                flushed.name = true;
                Ok(true)
            }
            Err(error) => {
                self.failed.store(true, Ordering::Release);
                Err(error)
            }
        }
    }
}

/// Writes a new file at `path`, or empties the one that is there and writes it anew.
///
/// # Errors
/// When it can't be created or not be written whole.
pub(crate) fn write_whole(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StateError> {
    let file = disk.open(path, OpenMode::Create).map_err(|source| StateError::io("create", path, source))?;
    let mut rest = bytes;
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(StateError::io("write", path, io::ErrorKind::WriteZero.into())),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(StateError::io("write", path, source)),
        }
    }
    Ok(())
}
