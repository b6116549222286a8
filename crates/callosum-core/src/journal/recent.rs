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

/// Tells, line by line and going back, when the window has been left.
#[derive(Debug)]
pub(super) struct Edge {
    edge_ms: u64,
    light: u64,
    beyond: bool,
}

impl Edge {
    /// The edge of a window of so many milliseconds.
    pub(super) fn new(window_ms: u64) -> Self {
        Self { edge_ms: window_ms.saturating_add(SLACK_MS), light: 0, beyond: false }
    }

    /// Whether this line, or one met before, is older than the window.
    pub(super) fn is_beyond(&mut self, line: &Line, bytes: &[u8], now: &Stamp) -> bool {
        let stamp = match line {
            Line::Record(record) => Some(record.stamp()),
            Line::Light => {
                self.light += 1;
                (self.light % LIGHT_STRIDE == 1).then(|| Line::stamp(bytes)).flatten()
            }
            _ => None,
        };
        self.beyond = self.beyond || stamp.is_some_and(|stamp| stamp.age_ms(now) > self.edge_ms);
        self.beyond
    }
}

/// Reads `segments` back until a line is older than `window_ms`.
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
            Line::Newer(version) => recent.newer_format = recent.newer_format.max(Some(version)),
            _ => {}
        }
    }
    recent.records.reverse();
    Ok(recent)
}
