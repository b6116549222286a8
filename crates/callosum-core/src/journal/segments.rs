//! All segments together: for reading back, and for single lines.

use std::path::PathBuf;
use std::sync::Arc;

use crate::store::disk::{Disk, Open};

use super::backward::Backward;
use super::segment::SegmentFile;

/// Bytes read for a line: most are much shorter.
const CHUNK: usize = 4 * 1024;

/// All segments that are there: the closed ones by path, the active one by its open file, because at its
/// path there may be another one a moment later.
#[derive(Clone, Debug)]
pub struct Segments {
    /// Base and path, oldest first.
    pub closed: Vec<(u64, PathBuf)>,
    /// Base and file of the active one.
    pub active: (u64, Arc<SegmentFile>),
    /// The disk they are on.
    pub disk: Arc<dyn Disk>,
}

impl Segments {
    /// Bytes in all of them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let size = |path: &PathBuf| self.disk.facts(path).map_or(0, |facts| facts.size);
        let closed: u64 = self.closed.iter().map(|(_, path)| size(path)).sum();
        closed + self.active.1.facts().map_or(0, |facts| facts.size)
    }

    /// The sequence number that the next record will have.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.active.0 + self.active.1.facts().map_or(0, |facts| facts.size)
    }

    /// Their lines, last first.
    #[must_use]
    pub fn backward(&self) -> Backward {
        Backward::new(&self.disk, Some(self.active.clone()), self.closed.clone())
    }

    /// Reads single lines by sequence number.
    #[must_use]
    pub fn lines(&self) -> LinesAt {
        LinesAt { segments: self.clone(), open: None, chunk: Vec::new(), chunk_at: 0 }
    }
}

/// Reads lines by sequence number; cheap where they lie close together.
#[derive(Debug)]
pub struct LinesAt {
    segments: Segments,
    /// Base of the segment that is open, and its file.
    open: Option<(u64, Arc<SegmentFile>)>,
    /// What was read last of it, and from which offset.
    chunk: Vec<u8>,
    chunk_at: u64,
}

impl LinesAt {
    /// Whether the segment that held `seq` is there no longer.
    #[must_use]
    pub fn was_pruned(&self, seq: u64) -> bool {
        let closed = &self.segments.closed;
        if seq >= self.segments.active.0 {
            return false;
        }
        let place = closed.partition_point(|(base, _)| *base <= seq).checked_sub(1);
        let path = place.and_then(|place| closed.get(place)).map(|(_, path)| path);
        path.is_none_or(|path| self.segments.disk.facts(path).is_err())
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
                None => {
                    offset += rest.len() as u64;
                    line.extend_from_slice(rest);
                }
            }
        }
    }

    /// Opens the segment that `seq` lies in, unless it is the one that is open; returns its base.
    fn open_segment_of(&mut self, seq: u64) -> Option<u64> {
        let closed = &self.segments.closed;
        let after = closed.partition_point(|(base, _)| *base <= seq);
        let base = if seq >= self.segments.active.0 {
            self.segments.active.0
        } else {
            closed.get(after.checked_sub(1)?)?.0
        };
        if self.open.as_ref().is_none_or(|(open, _)| *open != base) {
            let file = if base == self.segments.active.0 {
                Arc::clone(&self.segments.active.1)
            } else {
                let (_, path) = closed.get(after.checked_sub(1)?)?;
                Arc::new(SegmentFile::open(&self.segments.disk, path.clone(), Open::Read).ok()?)
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
