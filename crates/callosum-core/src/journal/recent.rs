//! What the journal says within a window, read from its end.

use memchr::memmem;

use crate::error::StateError;
use crate::time::Stamp;

use super::record::{Action, Line, Record};
use super::segments::Segments;

/// Reading back goes this much further than the window, milliseconds: lines of several processes are in
/// the order they were written, not quite in that of their times.
pub const SLACK_MS: u64 = 60_000;
/// Of light lines only every so many is looked at for its time.
const LIGHT_STRIDE: u64 = 64;

/// The records of a window.
#[derive(Debug, Default)]
pub struct Recent {
    /// Sequence numbers and records, oldest first. From before the window there are only the `rules`
    /// records of the active segment: how far back other processes look.
    pub records: Vec<(u64, Box<Record>)>,
    /// Torn and foreign lines met.
    pub skipped: u64,
    /// The highest format met that is newer than ours.
    pub newer_format: Option<u32>,
    /// The offset in the active segment up to which its lines were read.
    pub read: u64,
}

/// Tells, line by line and going back, when the window has been left: at the second line in a row that is older. The time
/// of one alone may be damaged, and must not hide what stands before it.
#[derive(Debug)]
pub(crate) struct Edge {
    edge_ms: u64,
    light: u64,
    /// The last line that says its time is older than the window.
    was_old: bool,
    beyond: bool,
}

impl Edge {
    /// The edge of a window of so many milliseconds.
    pub(crate) fn new(window_ms: u64) -> Self {
        Self { edge_ms: window_ms.saturating_add(SLACK_MS), light: 0, was_old: false, beyond: false }
    }

    /// Whether the window was left with this line or before.
    pub(crate) fn is_beyond(&mut self, line: &Line, bytes: &[u8], now: &Stamp) -> bool {
        let stamp = match line {
            Line::Record(record) => Some(record.stamp()),
            Line::Newer(_) => newer_stamp(bytes),
            Line::Light => {
                self.light += 1;
                (self.light % LIGHT_STRIDE == 1).then(|| Line::stamp(bytes)).flatten()
            }
            _ => None,
        };
        if let Some(stamp) = stamp {
            let is_old = self.is_old(&stamp, now);
            self.beyond = self.beyond || is_old && self.was_old;
            self.was_old = is_old;
        }
        self.beyond
    }

    fn is_old(&self, stamp: &Stamp, now: &Stamp) -> bool {
        stamp.age_ms(now) > self.edge_ms
    }

    /// Whether a line of a newer format counts: as long as it may be within the window.
    fn counts(&self, newer: &[u8], now: &Stamp) -> bool {
        newer_stamp(newer).is_none_or(|stamp| !self.is_old(&stamp, now))
    }
}

/// When a line of a newer format was written, if it says so as this format does; a number may count anything there.
fn newer_stamp(bytes: &[u8]) -> Option<Stamp> {
    memmem::find(bytes, br#""timestamp":""#).and_then(|_| Line::stamp(bytes))
}

/// Reads `segments` back until its lines are older than `window_ms`.
///
/// # Errors
/// When the system refuses to read.
pub fn read_back(segments: &Segments, window_ms: u64, now: &Stamp) -> Result<Recent, StateError> {
    let active_base = segments.active.0;
    let mut recent = Recent::default();
    let mut lines = segments.backward();
    let mut edge = Edge::new(window_ms);
    let (mut first, mut beyond) = (true, false);
    while let Some((seq, bytes)) = lines.next_line()? {
        if std::mem::take(&mut first) && seq >= active_base {
            if matches!(&Line::read(&bytes), Line::Record(record) if record.action == Action::Closed) {
                // A rotation was cut off here: whoever reads on must meet this line.
                recent.read = seq - active_base;
                continue;
            }
            recent.read = seq + bytes.len() as u64 + 1 - active_base;
        }
        if beyond && (seq < active_base || memmem::find(&bytes, br#""action":"rules""#).is_none()) {
            if seq < active_base {
                break;
            }
            continue;
        }
        let line = Line::read(&bytes);
        beyond = edge.is_beyond(&line, &bytes, now);
        match line {
            Line::Record(record) if !beyond || record.action == Action::Rules => {
                recent.records.push((seq, record));
            }
            Line::Foreign => recent.skipped += 1,
            Line::Newer(version) if edge.counts(&bytes, now) => {
                recent.newer_format = recent.newer_format.max(Some(version));
            }
            _ => {}
        }
    }
    recent.records.reverse();
    Ok(recent)
}
