//! Reading the whole journal from its beginning, without the guard and without a trace.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::error::StateError;
use crate::store::disk::OpenMode;

use super::segment::Endless;
use super::segment_file::{MAX_LINE, SegmentFile};
use super::segments::Segments;

/// Bytes read at once.
const CHUNK: usize = 256 * 1024;

/// The journal's lines from its beginning to its end: sequence number and bytes, newline left out. A segment that is
/// gone when its turn comes was pruned, and is passed over.
#[derive(Debug)]
pub struct Forward {
    segments: Segments,
    /// Closed segments not yet begun, oldest first.
    closed: VecDeque<(u64, PathBuf)>,
    active: Option<(u64, Arc<SegmentFile>)>,
    current: Option<Current>,
    /// Taken for one piece, and not read.
    endless: Option<Endless>,
}

#[derive(Debug)]
struct Current {
    file: Arc<SegmentFile>,
    /// Of a closed segment: how many bytes there are before the next one begins. What is in the file behind them is none of it.
    closed_room: Option<u64>,
    /// The sequence number of the file's first byte.
    base: u64,
    /// The sequence number of the first loaded byte that was not handed out.
    seq: u64,
    /// Where to load from next, as an offset in the file.
    load_from: u64,
    /// Loaded bytes, and how many of them were handed out.
    buffer: Vec<u8>,
    taken: usize,
}

impl Forward {
    /// The lines of `segments`, from the one on in which those since `since_ms` (wall-clock milliseconds) begin.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn new(segments: &Segments, since_ms: Option<i64>) -> Result<Self, StateError> {
        let mut closed: VecDeque<(u64, PathBuf)> = segments.closed.iter().cloned().collect();
        while let Some(since_ms) = since_ms {
            let next = match closed.get(1) {
                Some((_, path)) => match SegmentFile::open(&segments.disk, path.clone(), OpenMode::Read) {
                    Ok(file) => Arc::new(file),
                    Err(_) => break,
                },
                None => Arc::clone(&segments.active.1),
            };
            let opened = next.opening_record()?;
            if closed.is_empty() || opened.is_none_or(|opened| opened.wall_ms >= since_ms) {
                break;
            }
            closed.pop_front();
        }
        let active = Some(segments.active.clone());
        Ok(Self { segments: segments.clone(), closed, active, current: None, endless: None })
    }

    /// The lines of `segments` from the one on that begins at sequence number `seq`. What was pruned is passed over.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn from(segments: &Segments, seq: u64) -> Result<Self, StateError> {
        let mut closed: VecDeque<(u64, PathBuf)> = segments.closed.iter().cloned().collect();
        while closed.get(1).map_or(segments.active.0, |(next, _)| *next) <= seq
            && closed.pop_front().is_some()
        {}
        let active = Some(segments.active.clone());
        let mut forward = Self { segments: segments.clone(), closed, active, current: None, endless: None };
        if forward.begin_next()?
            && let Some(current) = &mut forward.current
            && current.base < seq
        {
            current.load_from = seq - current.base;
            current.seq = seq;
        }
        Ok(forward)
    }

    /// Passes over what is known to be too long to be a line.
    pub fn pass_over(&mut self, endless: Option<Endless>) {
        self.endless = endless;
    }

    /// Where the next line begins in the segment of the last one: the segment's base, and an offset in its file.
    #[must_use]
    pub fn place(&self) -> Option<(u64, u64)> {
        self.current.as_ref().map(|current| (current.base, current.seq - current.base))
    }

    /// The next line; `None` at the end of what is there. What follows the last newline of the active segment is still
    /// being written, and left out.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn next_line(&mut self) -> Result<Option<(u64, Vec<u8>)>, StateError> {
        loop {
            let Some(current) = &mut self.current else {
                if !self.begin_next()? {
                    return Ok(None);
                }
                continue;
            };
            if let Some(endless) = self.endless.take_if(|endless| endless.from == current.seq) {
                return Ok(Some((endless.from, current.pass_over(endless.to))));
            }
            match current.take_line()? {
                Some(line) => return Ok(Some(line)),
                None => self.current = None,
            }
        }
    }

    fn begin_next(&mut self) -> Result<bool, StateError> {
        while let Some((base, path)) = self.closed.pop_front() {
            match SegmentFile::open_closed(&self.segments.disk, &path, base) {
                // Another one lies there.
                Ok(None) => {}
                Ok(Some(file)) => {
                    let next = self.closed.front().map_or(self.segments.active.0, |(next, _)| *next);
                    self.current =
                        Some(Current::begin(base, Arc::new(file), Some(next.saturating_sub(base))));
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(StateError::io("open", &path, source)),
            }
        }
        self.current = self.active.take().map(|(base, file)| Current::begin(base, file, None));
        Ok(self.current.is_some())
    }
}

impl Current {
    fn begin(base: u64, file: Arc<SegmentFile>, closed_room: Option<u64>) -> Self {
        Self { file, closed_room, base, seq: base, load_from: 0, buffer: Vec::new(), taken: 0 }
    }

    /// Goes on from the sequence number `to`; what is handed out instead of what lies before is no line.
    fn pass_over(&mut self, to: u64) -> Vec<u8> {
        self.buffer.clear();
        self.taken = 0;
        self.load_from = to.saturating_sub(self.base);
        self.seq = to;
        b"\0".to_vec()
    }

    fn take_line(&mut self) -> Result<Option<(u64, Vec<u8>)>, StateError> {
        let mut searched = self.taken;
        loop {
            let rest = self.buffer.get(searched..).unwrap_or_default();
            if let Some(newline) = memchr::memchr(b'\n', rest) {
                return Ok(Some(self.hand_out(searched + newline, 1)));
            }
            searched = self.buffer.len();
            // A line that is too long to be one is cut in pieces, none of which reads as a record.
            if (searched - self.taken) as u64 > MAX_LINE {
                return Ok(Some(self.hand_out(searched, 0)));
            }
            let moved = self.taken;
            if !self.load_more()? {
                let is_torn = self.closed_room.is_some() && !self.buffer.is_empty();
                return Ok(is_torn.then(|| self.hand_out(self.buffer.len(), 0)));
            }
            searched -= moved;
        }
    }

    /// Hands out the bytes up to `end`, and passes over so many more.
    fn hand_out(&mut self, end: usize, more: usize) -> (u64, Vec<u8>) {
        let line = self.buffer.get(self.taken..end).unwrap_or_default().to_vec();
        let seq = self.seq;
        self.seq += (end + more - self.taken) as u64;
        self.taken = end + more;
        (seq, line)
    }

    /// Drops what was handed out, and loads a further chunk behind the rest; false at the end of the file.
    fn load_more(&mut self) -> Result<bool, StateError> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let loaded = self.buffer.len();
        self.buffer.resize(loaded + CHUNK, 0);
        let room = self.closed_room.map_or(u64::MAX, |room| room.saturating_sub(self.load_from));
        let free = self.buffer.get_mut(loaded..).unwrap_or_default();
        let length = free.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let free = free.get_mut(..length).unwrap_or_default();
        let got = self.file.read_at(free, self.load_from)?;
        self.buffer.truncate(loaded + got);
        self.load_from += got as u64;
        Ok(got > 0)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::store::disk::{Disk, SystemDisk};

    /// The lines of closed segments and an active one with these contents.
    fn lines(closed: &[&str], active: &str) -> Vec<(u64, String)> {
        let directory = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        let mut base = 0;
        let mut paths: Vec<(u64, PathBuf)> = Vec::new();
        for content in closed.iter().chain([&active]) {
            let path = directory.path().join(base.to_string());
            std::fs::write(&path, content).unwrap();
            paths.push((base, path));
            base += content.len() as u64;
        }
        let (base, path) = paths.pop().unwrap();
        let file = Arc::new(SegmentFile::open(&disk, path, OpenMode::Read).unwrap());
        // Was pruned since.
        paths.insert(0, (0, directory.path().join("gone")));
        let segments = Segments { closed: Arc::new(paths), active: (base, file), disk };
        let mut forward = Forward::new(&segments, None).unwrap();
        let mut found = Vec::new();
        while let Some((seq, line)) = forward.next_line().unwrap() {
            found.push((seq, String::from_utf8(line).unwrap()));
        }
        found
    }

    #[test]
    fn lines_come_in_order_across_segments_and_chunks_with_their_offsets() {
        let long = "x".repeat(300_000);
        let found = lines(&["a\nbb\n", &format!("{long}\nc\ntorn")], "d\nunfinished");
        let expected = [(0, "a"), (2, "bb"), (5, &long), (300_006, "c"), (300_008, "torn"), (300_012, "d")];
        assert_eq!(found, expected.map(|(seq, line)| (seq, line.to_owned())));
        assert_eq!(lines(&[], ""), []);
    }
}
