//! What stands in the journal from some place on, oldest first: for who follows it.

use serde_json::Value;

use crate::model::error::QueryError;
use crate::store::journal::segment_file::MAX_LINE;
use crate::store::journal::segments::Segments;
use crate::store::journal::span::{Met, Span, SpanReader};

use super::reader::Reader;

/// At most this many bytes of the journal are read at once.
const STRETCH: u64 = 256 * 1024;

/// A piece of the journal, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Following {
    /// Which journal it is, where that is known.
    pub journal: Option<String>,
    /// Where the oldest segment begins that is there: what stood before it was pruned.
    pub oldest: u64,
    /// Its records, each with its sequence number. Lines that are none are left out.
    pub records: Vec<(u64, Value)>,
    /// Where to read on. That is before where it was wanted from if the journal ends there: it went back, and what was told of it from
    /// there on was lost, with a power failure or by an older copy in its place.
    pub next: u64,
    /// Nothing stood behind these when they were read.
    pub is_end: bool,
}

impl Following {
    /// Where it goes on for who wanted what stands from `at` on, if something of that is lost: it was pruned, or the journal went back.
    #[must_use]
    pub fn goes_on_at(&self, at: u64) -> Option<u64> {
        let to = if self.next < at { self.next } else { self.oldest.max(at) };
        (to != at).then_some(to)
    }
}

/// The records from the sequence number `from` on, as far as a bounded piece reaches.
pub(super) fn following(reader: &Reader<'_>, from: u64) -> Result<Following, QueryError> {
    let Some(segments) = reader.segments()? else {
        return Ok(Following { next: from, is_end: true, ..Following::default() });
    };
    let opened = segments.active.1.opening_record()?;
    let journal = opened.and_then(|opened| opened.journal).map(|id| id.to_string());
    let oldest = segments.closed.first().map_or(segments.active.0, |(base, _)| *base);
    let head = segments.head();
    if from > head {
        let newest = following(reader, head.saturating_sub(STRETCH))?;
        return Ok(Following { records: Vec::new(), is_end: true, ..newest });
    }
    let from = from.max(oldest);
    let mut stretch = STRETCH;
    loop {
        let end = from.saturating_add(stretch).min(head);
        let span = Span { after: from.checked_sub(1), before: Some(end), ..Span::default() };
        let mut span_reader = SpanReader::new(segments, span, false)?;
        // Behind the newest line that has an end: what its writer is still at is read from its beginning next time.
        let (mut records, mut read_to) = (Vec::new(), None);
        while let Some(met) = span_reader.next_line()? {
            read_to.get_or_insert_with(|| behind(segments, &met));
            if let Ok(record) = serde_json::from_slice(&met.bytes) {
                records.push((met.seq, record));
            }
        }
        let is_end = end == head;
        if read_to.is_some() || is_end || stretch > MAX_LINE {
            records.reverse();
            let next = read_to.unwrap_or(if is_end { from } else { end });
            return Ok(Following { journal, oldest, records, next, is_end });
        }
        // One line fills all of it.
        stretch = stretch.saturating_mul(4);
    }
}

/// The sequence number behind a line. The last line of a closed segment may lack its newline.
fn behind(segments: &Segments, met: &Met) -> u64 {
    let mut bases = segments.closed.iter().map(|(base, _)| *base).chain([segments.active.0]);
    let segment_ends = bases.find(|base| *base > met.seq).unwrap_or(u64::MAX);
    (met.seq + met.bytes.len() as u64 + 1).min(segment_ends)
}
