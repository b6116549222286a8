//! Reading the journal backwards: what lies far back is read only by who asks for it.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::model::error::StateError;
use crate::store::disk::Disk;
#[cfg(test)]
use crate::store::disk::OpenMode;

use super::segment_file::{MAX_LINE, SegmentFile};
use super::segments::Segments;

/// Bytes read at once.
const CHUNK: u64 = 64 * 1024;

/// The journal's whole lines from its end to its beginning: sequence number and bytes, newline left out.
#[derive(Debug)]
pub struct Backward {
    disk: Arc<dyn Disk>,
    /// Closed segments, oldest first.
    closed: Arc<Vec<(u64, PathBuf)>>,
    /// Where the last of them ends, as a sequence number.
    end: u64,
    /// How many of them were not begun yet.
    left: usize,
    /// Comes before them, when it was not begun yet.
    newest: Option<(u64, Arc<SegmentFile>)>,
    current: Option<Current>,
    /// Bytes loaded from segments that were read to their beginning.
    loaded: u64,
    /// When to stop, if at all.
    until: Option<Instant>,
}

#[derive(Debug)]
struct Current {
    file: Arc<SegmentFile>,
    base: u64,
    /// Everything from here on has been loaded.
    loaded_from: u64,
    /// Bytes loaded.
    loaded: u64,
    /// Loaded bytes that have not been handed out.
    buffer: Vec<u8>,
    /// The end of the file as it was when it was begun has been made out to be a line's end.
    aligned: bool,
}

impl Backward {
    /// Lines of `newest` (its base and its open file: at its path there may be another one by now), then of
    /// `closed` (base and path, oldest first). A segment that is gone when its turn comes is passed over.
    #[must_use]
    pub fn new(
        disk: &Arc<dyn Disk>,
        newest: Option<(u64, Arc<SegmentFile>)>,
        closed: Arc<Vec<(u64, PathBuf)>>,
    ) -> Self {
        let end = newest.as_ref().map_or(u64::MAX, |(base, _)| *base);
        Self {
            disk: Arc::clone(disk),
            left: closed.len(),
            closed,
            end,
            newest,
            current: None,
            loaded: 0,
            until: None,
        }
    }

    /// The lines of all segments.
    #[must_use]
    pub fn of(segments: &Segments) -> Self {
        Self::new(&segments.disk, Some(segments.active.clone()), Arc::clone(&segments.closed))
    }

    /// The same, but from `until` on it fails with [`StateError::Unread`].
    #[must_use]
    pub fn stopping(self, until: Option<Instant>) -> Self {
        Self { until, ..self }
    }

    /// Those of the lines of `segments` that begin before the sequence number `end`.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn before(segments: &Segments, end: u64) -> Result<Self, StateError> {
        let (active, file) = &segments.active;
        let mut lines = Self::new(&segments.disk, None, Arc::clone(&segments.closed));
        lines.end = *active;
        if end > *active {
            lines.current = Some(Current::begin_before(*active, Arc::clone(file), end - active, None)?);
            return Ok(lines);
        }
        lines.left = lines.closed.partition_point(|(base, _)| *base < end);
        if let Some((base, file, room)) = lines.open_next()? {
            let before = Current::begin_before(base, file, end - base, Some(room))?;
            lines.current = Some(before);
        }
        Ok(lines)
    }

    /// Opens the youngest of the closed segments that were not begun yet. Tells its base too, and how many bytes there are of
    /// the journal before the next one begins: what is in the file behind them is none of it.
    fn open_next(&mut self) -> Result<Option<(u64, Arc<SegmentFile>, u64)>, StateError> {
        while let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            let Some((base, path)) = self.closed.get(left) else { break };
            let next = self.closed.get(left + 1).map_or(self.end, |(next, _)| *next);
            match SegmentFile::open_closed(&self.disk, path, *base) {
                Ok(Some(file)) => return Ok(Some((*base, Arc::new(file), next.saturating_sub(*base)))),
                // Another one lies there.
                Ok(None) => {}
                // Pruned, or lost: then what stood before it may still be there.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                // Whoever took that for the beginning would decide without what was done before.
                Err(source) => return Err(StateError::io("open", path, source)),
            }
        }
        Ok(None)
    }

    /// How many bytes have been read.
    #[must_use]
    pub fn loaded(&self) -> u64 {
        self.loaded + self.current.as_ref().map_or(0, |current| current.loaded)
    }

    /// The next line, going back; `None` at the beginning of what is there.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn next_line(&mut self) -> Result<Option<(u64, Vec<u8>)>, StateError> {
        loop {
            let Some(current) = &mut self.current else {
                self.current = Some(if let Some((base, file)) = self.newest.take() {
                    Current::begin(base, file, u64::MAX)?
                } else {
                    let Some((base, file, room)) = self.open_next()? else { return Ok(None) };
                    Current::begin_closed(base, file, room)?
                });
                continue;
            };
            match current.take_last_line(self.until)? {
                Some(line) => return Ok(Some(line)),
                None => {
                    self.loaded += current.loaded;
                    self.current = None;
                }
            }
        }
    }
}

impl Current {
    fn begin(base: u64, file: Arc<SegmentFile>, room: u64) -> Result<Self, StateError> {
        let size = file.metadata()?.size.min(room);
        Ok(Self { file, base, loaded_from: size, loaded: 0, buffer: Vec::new(), aligned: false })
    }

    /// Begins with the last line that begins before `offset`.
    fn begin_before(
        base: u64,
        file: Arc<SegmentFile>,
        offset: u64,
        closed_room: Option<u64>,
    ) -> Result<Self, StateError> {
        let is_within = offset < file.metadata()?.size.min(closed_room.unwrap_or(u64::MAX));
        let end = if is_within { end_of_line(&file, offset.saturating_sub(1))? } else { None };
        match end {
            Some(end) => {
                Ok(Self { file, base, loaded_from: end, loaded: 0, buffer: Vec::new(), aligned: true })
            }
            None => match closed_room {
                Some(room) => Self::begin_closed(base, file, room),
                // Lines that came since the file was looked at begin behind that.
                None => Self::begin(base, file, offset),
            },
        }
    }

    /// Nobody ends the last line of a closed segment any more: what stands behind its last newline is a torn one.
    fn begin_closed(base: u64, file: Arc<SegmentFile>, room: u64) -> Result<Self, StateError> {
        let mut current = Self::begin(base, file, room)?;
        current.load_more(None)?;
        if current.buffer.last().is_some_and(|last| *last != b'\n') {
            current.buffer.push(b'\n');
        }
        current.aligned = true;
        Ok(current)
    }

    fn take_last_line(&mut self, until: Option<Instant>) -> Result<Option<(u64, Vec<u8>)>, StateError> {
        if !self.aligned {
            // What follows the last newline is still being written.
            loop {
                if let Some(newline) = memchr::memrchr(b'\n', &self.buffer) {
                    self.buffer.truncate(newline + 1);
                    break;
                }
                self.buffer.clear();
                if !self.load_more(until)? {
                    return Ok(None);
                }
            }
            self.aligned = true;
        }
        loop {
            let Some((b'\n', body)) = self.buffer.split_last() else {
                if self.load_more(until)? {
                    continue;
                }
                return Ok(None);
            };
            let start = match memchr::memrchr(b'\n', body) {
                Some(newline) => newline + 1,
                None if self.loaded_from == 0 => 0,
                None => {
                    // Of what is too long to be a line, the beginning is enough, with a byte behind it that no line of ours has.
                    if self.buffer.len() as u64 > MAX_LINE {
                        self.buffer = b"\0\n".to_vec();
                    }
                    self.load_more(until)?;
                    continue;
                }
            };
            let mut line = self.buffer.split_off(start);
            line.pop();
            return Ok(Some((self.base + self.loaded_from + start as u64, line)));
        }
    }

    /// Loads the chunk before what is loaded; false at the beginning of the file.
    fn load_more(&mut self, until: Option<Instant>) -> Result<bool, StateError> {
        if self.loaded_from == 0 {
            return Ok(false);
        }
        if self.loaded > 0 && until.is_some_and(|until| Instant::now() >= until) {
            let path = self.file.path();
            return Err(StateError::Unread { path: path.parent().unwrap_or(path).to_owned() });
        }
        // A line longer than a chunk doubles what is read, so that it is not copied over and over.
        let length = CHUNK.max(self.buffer.len() as u64).min(self.loaded_from);
        let from = self.loaded_from - length;
        let mut chunk = vec![0; usize::try_from(length).unwrap_or(0)];
        self.file.read_exact_at(&mut chunk, from)?;
        chunk.append(&mut self.buffer);
        self.buffer = chunk;
        self.loaded_from = from;
        self.loaded += length;
        Ok(true)
    }
}

/// Behind the first newline from `offset` on; `None` where the file ends before one.
fn end_of_line(file: &SegmentFile, mut offset: u64) -> Result<Option<u64>, StateError> {
    let mut chunk = [0; 4 * 1024];
    loop {
        let got = file.read_at(&mut chunk, offset)?;
        let read = chunk.get(..got).unwrap_or_default();
        match memchr::memchr(b'\n', read) {
            Some(newline) => return Ok(Some(offset + newline as u64 + 1)),
            None if got == 0 => return Ok(None),
            None => offset += got as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn lines(contents: &[&str]) -> Vec<(u64, String)> {
        let directory = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(crate::store::disk::SystemDisk);
        let mut base = 0;
        let segments: Vec<_> = contents
            .iter()
            .map(|content| {
                let path = directory.path().join(base.to_string());
                std::fs::write(&path, content).unwrap();
                let segment = (base, path);
                base += content.len() as u64;
                segment
            })
            .collect();
        let mut backward = Backward::new(&disk, None, Arc::new(segments));
        let mut found = Vec::new();
        while let Some((seq, line)) = backward.next_line().unwrap() {
            found.push((seq, String::from_utf8(line).unwrap()));
        }
        found
    }

    #[test]
    fn lines_come_last_first_across_segments_with_their_offsets() {
        let found = lines(&["a\nbb\n", "ccc\nd\n"]);
        let expected = [(9, "d"), (5, "ccc"), (2, "bb"), (0, "a")];
        assert_eq!(found, expected.map(|(seq, line)| (seq, line.to_owned())));
    }

    #[test]
    fn long_lines_survive_chunk_borders_and_a_closed_segments_torn_line_is_one() {
        let long = "x".repeat(200_000);
        let text = format!("{long}\nshort\n{long}\ntorn");
        let found = lines(&[&text]);
        let lengths: Vec<(u64, usize)> = found.iter().map(|(seq, line)| (*seq, line.len())).collect();
        assert_eq!(lengths, [(400_008, 4), (200_007, 200_000), (200_001, 5), (0, 200_000)]);
        assert_eq!(lines(&["no newline at all"]), [(0, "no newline at all".to_owned())]);
        assert_eq!(lines(&[""]), []);
    }

    #[test]
    fn what_is_too_long_to_be_a_line_is_not_held_whole_and_moves_no_number() {
        let long = "x".repeat(50 << 20);
        let found = lines(&[&format!("a\n{long}\nb\n")]);
        let seqs: Vec<u64> = found.iter().map(|(seq, _)| *seq).collect();
        assert_eq!(seqs, [(50 << 20) + 3, 2, 0]);
        let length = found.get(1).unwrap().1.len();
        assert!(length as u64 <= 2 * MAX_LINE, "{length}");
    }

    #[test]
    fn a_segment_that_cant_be_opened_is_no_pruned_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("closed");
        std::os::unix::fs::symlink(&path, &path).unwrap();
        let disk: Arc<dyn Disk> = Arc::new(crate::store::disk::SystemDisk);
        let mut backward = Backward::new(&disk, None, Arc::new(vec![(0, path.clone())]));
        let error = backward.next_line().unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        std::fs::remove_file(&path).unwrap();
        let mut backward = Backward::new(&disk, None, Arc::new(vec![(0, path)]));
        assert_eq!(backward.next_line().unwrap(), None);
    }

    /// The lines of a closed and an active segment that begin before a place, oldest first.
    fn before(segments: &Segments, end: u64) -> Vec<(u64, String)> {
        let mut backward = Backward::before(segments, end).unwrap();
        let mut found = Vec::new();
        while let Some((seq, line)) = backward.next_line().unwrap() {
            found.insert(0, (seq, String::from_utf8(line).unwrap()));
        }
        found
    }

    /// A closed segment of one text, and an active one of another.
    fn two_segments(folder: &std::path::Path, closed: &str, active: &str) -> Segments {
        let disk: Arc<dyn Disk> = Arc::new(crate::store::disk::SystemDisk);
        let paths = [folder.join("closed"), folder.join("active")];
        std::fs::write(&paths[0], closed).unwrap();
        std::fs::write(&paths[1], active).unwrap();
        let file = Arc::new(SegmentFile::open(&disk, paths[1].clone(), OpenMode::Read).unwrap());
        let active = (closed.len() as u64, file);
        Segments { closed: Arc::new(vec![(0, paths[0].clone())]), active, disk }
    }

    #[test]
    fn reading_begins_with_the_last_line_that_begins_before_a_place() {
        let directory = tempfile::tempdir().unwrap();
        let segments = two_segments(directory.path(), "a\nbb\ntorn", "ccc\nd\nunfinished");
        let all = [(0, "a"), (2, "bb"), (5, "torn"), (9, "ccc"), (13, "d")];
        for end in (0..40).chain([u64::MAX]) {
            let expected: Vec<(u64, String)> = all
                .iter()
                .filter(|(seq, _)| *seq < end)
                .map(|(seq, line)| (*seq, (*line).to_owned()))
                .collect();
            assert_eq!(before(&segments, end), expected, "before {end}");
        }
    }

    #[test]
    fn a_place_within_a_long_line_is_read_from_that_lines_end() {
        let directory = tempfile::tempdir().unwrap();
        let long = "l".repeat(20_000);
        let text = format!("a\n{long}\nb\n");
        let segments = two_segments(directory.path(), &text, &text);
        let base = text.len() as u64;
        for (end, count) in [(2, 1), (3, 2), (9_999, 2), (20_002, 2), (20_003, 2), (20_004, 3)] {
            assert_eq!(before(&segments, end).len(), count, "before {end}");
            assert_eq!(before(&segments, base + end).len(), 3 + count, "before {base} + {end}");
        }
        assert_eq!(before(&segments, 10_000), [(0, "a".to_owned()), (2, long)]);
    }

    #[test]
    fn what_was_read_is_counted_over_all_segments() {
        let directory = tempfile::tempdir().unwrap();
        let (closed, active) = (format!("{}\na\n", "l".repeat(200_000)), "b\nc\n");
        let segments = two_segments(directory.path(), &closed, active);
        let mut backward = Backward::of(&segments);
        let mut loaded = vec![backward.loaded()];
        while backward.next_line().unwrap().is_some() {
            loaded.push(backward.loaded());
        }
        loaded.push(backward.loaded());
        let (chunk, active, all) = (CHUNK, active.len() as u64, (closed.len() + active.len()) as u64);
        assert_eq!(loaded, [0, active, active, active + chunk, all, all]);
    }

    #[test]
    fn what_is_still_being_written_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(crate::store::disk::SystemDisk);
        for (content, whole) in [("a\nunfinished", Some((7, b"a".to_vec()))), ("unfinished", None)] {
            let path = directory.path().join("active");
            std::fs::write(&path, content).unwrap();
            let file = Arc::new(SegmentFile::open(&disk, path, OpenMode::Read).unwrap());
            let mut backward = Backward::new(&disk, Some((7, file)), Arc::default());
            assert_eq!(backward.next_line().unwrap(), whole);
        }
    }
}
