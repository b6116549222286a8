//! How many lines the segments have. What is written stays, so only what came since is counted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::disk::OpenMode;

use super::segment_file::SegmentFile;
use super::segments::Segments;

/// By a segment's base, how many lines its first so many bytes hold.
#[derive(Debug, Default)]
pub struct LineCounts(Mutex<Arc<HashMap<u64, SegmentCount>>>);

impl LineCounts {
    /// The lines of all `segments`, as far as they can be read. Holds up nobody who wants them forgotten meanwhile.
    #[must_use]
    pub fn count(&self, segments: &Segments) -> u64 {
        let (active, file) = (segments.active.0, &segments.active.1);
        // A copy: to count takes as long as the disk does, and who writes clears what was counted.
        let before = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut counted = HashMap::clone(&before);
        let is_there = |base: &u64| segments.closed.binary_search_by_key(base, |(closed, _)| *closed).is_ok();
        counted.retain(|base, _| *base == active || is_there(base));
        let mut lines = 0;
        for (number, (base, path)) in segments.closed.iter().enumerate() {
            let next = segments.closed.get(number + 1).map_or(active, |(next, _)| *next);
            let known = counted.entry(*base).or_default();
            if known.bytes < next - base {
                let opened = SegmentFile::open(&segments.disk, path.clone(), OpenMode::Read);
                let Ok(file) = opened else { continue };
                known.read_on(&file);
            }
            lines += known.lines;
        }
        let known = counted.entry(active).or_default();
        known.read_on(file);
        lines += known.lines;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&kept, &before) {
            *kept = Arc::new(counted);
        }
        lines
    }

    /// The files are not what they were, perhaps: neither is what was counted in them.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }
}

/// How many lines were counted in how many bytes of a segment.
#[derive(Clone, Copy, Debug, Default)]
struct SegmentCount {
    bytes: u64,
    lines: u64,
}

impl SegmentCount {
    /// Counts on from where it stopped.
    fn read_on(&mut self, file: &SegmentFile) {
        let Ok(metadata) = file.metadata() else { return };
        let unread = metadata.size.saturating_sub(self.bytes);
        let mut buffer = vec![0; usize::try_from(unread.min(256 * 1024)).unwrap_or(0)];
        while let Ok(got @ 1..) = file.read_at(&mut buffer, self.bytes) {
            self.bytes += got as u64;
            let read = buffer.get(..got).unwrap_or_default();
            self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        }
    }
}
