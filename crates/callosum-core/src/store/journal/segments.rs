//! All segments together: for reading back, and for single lines.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::error::StateError;
use crate::store::disk::Disk;
#[cfg(test)]
use crate::store::disk::OpenMode;
use crate::store::state_dir::StateDir;

use super::segment_file::{MAX_LINE, SegmentFile, closed_segments};

/// Bytes read for a line: most are much shorter.
const CHUNK: usize = 4 * 1024;

/// All segments that are there: the closed ones by path, the active one by its open file, because at its
/// path there may be another one a moment later.
#[derive(Clone, Debug)]
pub struct Segments {
    /// Base and path, oldest first. Shared: there may be hundreds, and most who have them look at none.
    pub closed: Arc<Vec<(u64, PathBuf)>>,
    /// Base and file of the active one.
    pub active: (u64, Arc<SegmentFile>),
    /// The disk they are on.
    pub disk: Arc<dyn Disk>,
}

impl Segments {
    /// Bytes in all of them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let size = |path: &PathBuf| self.disk.metadata(path).map_or(0, |metadata| metadata.size);
        let closed: u64 = self.closed.iter().map(|(_, path)| size(path)).sum();
        closed + self.active.1.metadata().map_or(0, |metadata| metadata.size)
    }

    /// The sequence number that the next record will have.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.active.0 + self.active.1.metadata().map_or(0, |metadata| metadata.size)
    }

    /// Reads single lines by sequence number.
    #[must_use]
    pub fn lines(&self) -> LinesAt {
        let Self { closed, active, disk } = self.clone();
        LinesAt { closed: Closed::Listed(closed), active, disk, open: None, chunk: Vec::new(), chunk_at: 0 }
    }
}

/// Reads lines by sequence number; cheap where they lie close together.
#[derive(Debug)]
pub struct LinesAt {
    closed: Closed,
    active: (u64, Arc<SegmentFile>),
    disk: Arc<dyn Disk>,
    /// Base of the segment that is open, and its file.
    open: Option<(u64, Arc<SegmentFile>)>,
    /// What was read last of it, and from which offset.
    chunk: Vec<u8>,
    chunk_at: u64,
}

/// The closed segments of [`LinesAt`].
#[derive(Debug)]
enum Closed {
    /// Base and path, oldest first.
    Listed(Arc<Vec<(u64, PathBuf)>>),
    /// Those in this folder, which nobody has looked at yet.
    In(StateDir),
}

impl LinesAt {
    /// The lines of the segments in `directory`, whose active one is `active`. The folder is listed when a line of a closed
    /// one is asked for: a hook's process seldom does.
    #[must_use]
    pub fn within(directory: StateDir, active: (u64, Arc<SegmentFile>)) -> Self {
        let disk = Arc::clone(&directory.disk);
        Self { closed: Closed::In(directory), active, disk, open: None, chunk: Vec::new(), chunk_at: 0 }
    }

    /// Base and path of the closed segment that `seq` lies in, if it is there. An error when nobody can tell.
    fn closed_segment_of(&mut self, seq: u64) -> Result<Option<(u64, PathBuf)>, StateError> {
        if let Closed::In(directory) = &self.closed {
            let mut closed = closed_segments(directory)?;
            closed.retain(|(base, _)| *base < self.active.0);
            self.closed = Closed::Listed(Arc::new(closed));
        }
        let Closed::Listed(closed) = &self.closed else { return Ok(None) };
        let place = closed.partition_point(|(base, _)| *base <= seq).checked_sub(1);
        Ok(place.and_then(|place| closed.get(place)).cloned())
    }

    /// Whether the segment that held `seq` is there no longer.
    #[must_use]
    pub fn was_pruned(&mut self, seq: u64) -> bool {
        if seq >= self.active.0 {
            return false;
        }
        let closed = self.closed_segment_of(seq);
        let is_gone =
            |path: &Path| self.disk.metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        closed.is_ok_and(|closed| closed.is_none_or(|(_, path)| is_gone(&path)))
    }

    /// The line that begins at sequence number `seq`, without its newline; `None` when there is none.
    pub fn at(&mut self, seq: u64) -> Option<Vec<u8>> {
        let base = self.open_segment_of(seq)?;
        let mut line = Vec::new();
        let mut offset = seq.checked_sub(base)?;
        loop {
            let rest = self.read_from(offset)?;
            match memchr::memchr(b'\n', rest) {
                Some(newline) => {
                    line.extend_from_slice(rest.get(..newline)?);
                    return Some(line);
                }
                // Too long to be one.
                None if line.len() as u64 > MAX_LINE => return None,
                None => {
                    offset += rest.len() as u64;
                    line.extend_from_slice(rest);
                }
            }
        }
    }

    /// Opens the segment that `seq` lies in, unless it is the one that is open; returns its base.
    fn open_segment_of(&mut self, seq: u64) -> Option<u64> {
        let (base, path) = if seq >= self.active.0 {
            (self.active.0, None)
        } else {
            let (base, path) = self.closed_segment_of(seq).ok()??;
            (base, Some(path))
        };
        if self.open.as_ref().is_none_or(|(open, _)| *open != base) {
            let file = match path {
                None => Arc::clone(&self.active.1),
                Some(path) => Arc::new(SegmentFile::open_closed(&self.disk, &path, base).ok()??),
            };
            self.open = Some((base, file));
            self.chunk.clear();
        }
        Some(base)
    }

    /// Bytes of the open segment from `offset` on, at least one.
    fn read_from(&mut self, offset: u64) -> Option<&[u8]> {
        let (_, file) = self.open.as_ref()?;
        let within = offset.checked_sub(self.chunk_at).and_then(|start| usize::try_from(start).ok());
        let start = match within.filter(|start| *start < self.chunk.len()) {
            Some(start) => start,
            None => {
                self.chunk.resize(CHUNK, 0);
                let got = file.read_at(&mut self.chunk, offset).ok()?;
                self.chunk.truncate(got);
                self.chunk_at = offset;
                0
            }
        };
        self.chunk.get(start..).filter(|rest| !rest.is_empty())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::fs;

    use super::*;
    use crate::store::disk::SystemDisk;

    /// Segments of these texts, the last one active, that begin at 100.
    fn segments(folder: &std::path::Path, texts: &[&str]) -> Segments {
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        let mut base = 100;
        let mut closed = Vec::new();
        for text in texts {
            let path = folder.join(format!("journal.{base}.jsonl"));
            fs::write(&path, text).unwrap();
            closed.push((base, path));
            base += text.len() as u64;
        }
        let (base, path) = closed.pop().unwrap();
        let active = SegmentFile::open(&disk, path, OpenMode::Read).unwrap();
        Segments { closed: Arc::new(closed), active: (base, Arc::new(active)), disk }
    }

    #[test]
    fn a_line_is_found_by_its_number_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        // A line that fills a chunk, newline included, one that lacks room for its newline, and a long one.
        let (full, over, long) = ("f".repeat(CHUNK - 1), "o".repeat(CHUNK), "l".repeat(3 * CHUNK));
        let first = format!("{full}\n{over}\nshort\n");
        let texts = [first.as_str(), "second\n", &format!("{long}\n\nlast\ntorn")];
        let segments = segments(folder.path(), &texts);
        let mut lines = segments.lines();
        let mut seq = 100;
        let whole = [full.as_str(), &over, "short", "second", &long, "", "last"];
        let mut seqs = Vec::new();
        for line in whole {
            assert_eq!(lines.at(seq).as_deref(), Some(line.as_bytes()), "{seq}");
            seqs.push(seq);
            seq += line.len() as u64 + 1;
        }
        for (seq, line) in seqs.into_iter().zip(whole).rev() {
            assert_eq!(lines.at(seq).as_deref(), Some(line.as_bytes()), "{seq}");
        }
        assert_eq!([99, seq, seq + 4, seq + 5].map(|seq| lines.at(seq)), [const { None }; 4]);
        assert_eq!((segments.head(), segments.bytes()), (seq + 4, seq + 4 - 100));
    }

    #[test]
    fn what_lay_in_a_segment_that_is_gone_was_pruned() {
        let folder = tempfile::tempdir().unwrap();
        let segments = segments(folder.path(), &["one\n", "two\n", "three\n"]);
        let late = || LinesAt::within(StateDir::new(folder.path().to_owned()), segments.active.clone());
        let pruned =
            |lines: &mut LinesAt| [99, 100, 103, 104, 107, 108, 110, 999].map(|seq| lines.was_pruned(seq));
        let mut listed = segments.lines();
        let mut is_pruned = |expected: [bool; 8]| {
            assert_eq!([&mut listed, &mut segments.lines(), &mut late()].map(pruned), [expected; 3]);
        };
        is_pruned([true, false, false, false, false, false, false, false]);
        fs::remove_file(folder.path().join("journal.100.jsonl")).unwrap();
        is_pruned([true, true, true, false, false, false, false, false]);
        // The active one is open: it may have lost its name.
        fs::remove_file(folder.path().join("journal.104.jsonl")).unwrap();
        fs::remove_file(folder.path().join("journal.108.jsonl")).unwrap();
        is_pruned([true, true, true, true, true, false, false, false]);
        assert_eq!(segments.bytes(), 6);
    }

    #[test]
    fn the_folder_is_listed_when_a_closed_segment_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let segments = segments(folder.path(), &["one\n", "two\n", "three\n"]);
        let missing = StateDir::new(folder.path().join("missing"));
        let mut lines = LinesAt::within(missing, segments.active.clone());
        assert_eq!(lines.at(108).as_deref(), Some(b"three".as_slice()));
        // Who can't look knows neither a line nor that it was pruned.
        assert_eq!((lines.at(104), lines.was_pruned(104)), (None, false));
        let directory = StateDir::new(folder.path().to_owned());
        let mut lines = LinesAt::within(directory, segments.active.clone());
        let read = [100, 104, 108].map(|seq| lines.at(seq).unwrap());
        assert_eq!(read, [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    }
}
