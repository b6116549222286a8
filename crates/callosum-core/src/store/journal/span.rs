//! A stretch of the journal, read from its end in bounded pieces. Where it ends is found, not read up to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::model::error::StateError;
use crate::store::disk::OpenMode;

use super::backward::Backward;
use super::line_start::wall_ms;
use super::recent::SLACK_MS;
use super::segment_file::SegmentFile;
use super::segments::Segments;

/// What one piece may read, and for how long.
const PIECE_BYTES: u64 = 8 * 1024 * 1024;
const PIECE_TIME: Duration = Duration::from_millis(30);
/// The clock is looked at every so many lines.
const CLOCK_STRIDE: u64 = 32;

/// A segment's times are looked at every so many bytes, but not in more places than this.
const PROBE_STRIDE: u64 = 256 * 1024;
const MAX_PROBES: u64 = 256;
/// Bytes read in one place, and how many of the times there count.
const PROBE: usize = 16 * 1024;
const PROBED_TIMES: usize = 5;

/// Which part of the journal is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// From this moment on, wall-clock milliseconds. Lines up to a minute older are read too.
    pub from_ms: Option<i64>,
    /// Up to this moment. Younger lines may be read too.
    pub to_ms: Option<i64>,
    /// Only lines with a higher sequence number.
    pub after: Option<u64>,
    /// Only lines with a lower sequence number.
    pub before: Option<u64>,
}

/// A line that was met.
#[derive(Debug)]
pub struct Met {
    /// Its sequence number.
    pub seq: u64,
    /// Its bytes, newline left out.
    pub bytes: Vec<u8>,
    /// When it was written, wall-clock milliseconds, if it says so.
    pub wall_ms: Option<i64>,
}

/// A part of the journal while it is read backwards.
#[derive(Debug)]
pub struct SpanReader {
    lines: Backward,
    span: Span,
    /// Until when to go on; `None` reads all.
    deadline: Option<Instant>,
    met: u64,
    /// The sequence number of the last line met.
    last: Option<u64>,
    /// The times of the last two lines that said theirs, the later first.
    times: [Option<i64>; 2],
    was_cut: bool,
    begins_at_end: bool,
}

impl SpanReader {
    /// The newest piece of `span`; all of it unless it is `bounded`.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn new(segments: &Segments, span: Span, bounded: bool) -> Result<Self, StateError> {
        let found = match span.to_ms {
            Some(to_ms) => end_of(segments, to_ms.saturating_add_unsigned(SLACK_MS))?,
            None => None,
        };
        let end = [found, span.before].into_iter().flatten().min();
        Ok(Self {
            lines: match end {
                Some(end) => Backward::before(segments, end)?,
                None => Backward::of(segments),
            },
            span,
            deadline: bounded.then(|| Instant::now() + PIECE_TIME),
            met: 0,
            last: None,
            times: [None, None],
            was_cut: false,
            begins_at_end: end.is_none(),
        })
    }

    /// The next line, going back; `None` at the end of the piece.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn next_line(&mut self) -> Result<Option<Met>, StateError> {
        if self.was_cut || self.is_spent() {
            self.was_cut = true;
            return Ok(None);
        }
        let Some((seq, bytes)) = self.lines.next_line()? else { return Ok(None) };
        if self.span.after.is_some_and(|after| seq <= after) {
            return Ok(None);
        }
        let wall_ms = wall_ms(&bytes);
        if let Some(wall_ms) = wall_ms {
            self.times = [Some(wall_ms), self.times[0]];
            // One alone may be damaged.
            if self.times.iter().all(|time| time.is_some_and(|time| self.is_too_old(time))) {
                return Ok(None);
            }
        }
        self.met += 1;
        self.last = Some(seq);
        Ok(Some(Met { seq, bytes, wall_ms }))
    }

    fn is_too_old(&self, wall_ms: i64) -> bool {
        self.span.from_ms.is_some_and(|from_ms| wall_ms < from_ms.saturating_sub_unsigned(SLACK_MS))
    }

    fn is_spent(&self) -> bool {
        self.deadline.is_some_and(|deadline| {
            let is_late = || self.met.is_multiple_of(CLOCK_STRIDE) && Instant::now() >= deadline;
            // Each piece gets further, however slow the disk is.
            self.met > 0 && (self.lines.loaded() >= PIECE_BYTES || is_late())
        })
    }

    /// Ends the piece with the last line met, because enough was found.
    pub fn cut(&mut self) {
        self.was_cut = true;
    }

    /// The `before` of the next piece; `None` when there is nothing more. Asked at the end of the piece.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.last.filter(|_| self.was_cut)
    }

    /// Whether nothing in the journal is later than what this piece begins with.
    #[must_use]
    pub fn begins_at_end(&self) -> bool {
        self.begins_at_end
    }

    /// How far back it has gone, wall-clock milliseconds within `from_ms` and `to_ms`. Asked at the end of the piece.
    #[must_use]
    pub fn reached_ms(&self, from_ms: i64, to_ms: i64) -> i64 {
        match self.times.iter().flatten().max() {
            // One alone may be damaged.
            Some(reached) if self.was_cut => *reached.clamp(&from_ms, &to_ms),
            None if self.was_cut => to_ms,
            _ => from_ms,
        }
    }

    /// How many bytes of lines were read.
    #[must_use]
    pub fn loaded(&self) -> u64 {
        self.lines.loaded()
    }
}

/// The sequence number of a line behind which all are younger than `wall_ms`, as far as their times are looked at; `None`
/// when the last ones are not.
fn end_of(segments: &Segments, wall_ms: i64) -> Result<Option<u64>, StateError> {
    let mut end = None;
    let (active, file) = &segments.active;
    let closed = segments.closed.iter().rev().map(|(base, path)| (*base, Some(path)));
    for (base, path) in std::iter::once((*active, None)).chain(closed) {
        let file = match path {
            Some(path) => match SegmentFile::open(&segments.disk, path.clone(), OpenMode::Read) {
                Ok(file) => Arc::new(file),
                // Pruned: so is what stood before it.
                Err(_) => break,
            },
            None => Arc::clone(file),
        };
        let size = file.metadata()?.size;
        let first = time_at(&file, 0)?;
        let last = time_at(&file, size.saturating_sub(PROBE as u64))?;
        // Where time goes back, a clock that was ahead was set right in between.
        if first.is_some_and(|first| first > wall_ms && last.is_some_and(|last| last >= first)) {
            end = Some(base);
            continue;
        }
        // From its end, not by halves: times need not be in order.
        let stride = PROBE_STRIDE.max(size.div_ceil(MAX_PROBES));
        let mut offset = size / stride * stride;
        while offset > 0 {
            match time_at(&file, offset)? {
                Some(time) if time > wall_ms => end = Some(base + offset),
                Some(_) => return Ok(end),
                None => {}
            }
            offset -= stride.min(offset);
        }
        if first.is_some_and(|first| first <= wall_ms) {
            break;
        }
    }
    Ok(end)
}

/// When the lines at `offset` were written: of the first few that say it the middle one, because one alone may be damaged.
fn time_at(file: &SegmentFile, offset: u64) -> Result<Option<i64>, StateError> {
    let mut probe = vec![0; PROBE];
    let got = file.read_at(&mut probe, offset)?;
    let read = probe.get(..got).unwrap_or_default();
    // At first there is the rest of a line, at last the beginning of one.
    let lines = read.split_inclusive(|byte| *byte == b'\n').skip(usize::from(offset > 0));
    let whole = lines.filter_map(|line| line.strip_suffix(b"\n"));
    let mut times: Vec<i64> = whole.filter_map(wall_ms).take(PROBED_TIMES).collect();
    times.sort_unstable();
    Ok(times.get(times.len().saturating_sub(1) / 2).copied())
}
