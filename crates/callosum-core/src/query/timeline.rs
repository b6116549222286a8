//! What happened within a stretch of time, on all resources: the timeline of the page.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decision::history::History;
use crate::model::error::{QueryError, StateError};
use crate::model::tier::Tier;
use crate::record::Record;
use crate::record::kind::View;
use crate::store::journal::line_start::{LineStart, wall_ms};
use crate::store::journal::segments::{LinesAt, Segments};
use crate::store::journal::span::{Span, SpanReader};

use super::reader::{Reader, standing};
use super::story::{Event, EventKind, event, read};

/// Events given at once at the most, and when nothing is said.
const MAX_LIMIT: usize = 10_000;
const LIMIT: usize = 2_000;
/// An outcome is looked for this long after the wanted time at the least, milliseconds (15 minutes).
const LATE_MS: u64 = 15 * 60 * 1000;

/// Which events are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineRequest {
    /// Those from this moment on, wall-clock milliseconds.
    pub from: i64,
    /// Those up to this moment, wall-clock milliseconds, and the outcomes of those that come later.
    pub to: i64,
    /// Those of this tier or a higher one; 2 when nothing is said.
    #[serde(default = "tracked")]
    pub min_tier: u8,
    /// Only those with a lower sequence number: the `next` of the piece before.
    #[serde(default)]
    pub before: Option<u64>,
    /// How many at most, the newest.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    pub limit: usize,
}

fn tracked() -> u8 {
    Tier::Medium.into()
}

fn limit() -> usize {
    LIMIT
}

impl TimelineRequest {
    /// Reads a request from JSON text.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, QueryError> {
        let wanted: Self = super::request::request(text)?;
        if wanted.from > wanted.to {
            return Err(QueryError::bad_request("bad request: `from` must not be later than `to`"));
        }
        if wanted.limit == 0 || wanted.limit > MAX_LIMIT {
            let message = format!("bad request: `limit` must be from 1 to {MAX_LIMIT}");
            return Err(QueryError::bad_request(message));
        }
        Ok(wanted)
    }

    fn is_within(&self, wall_ms: i64) -> bool {
        (self.from..=self.to).contains(&wall_ms)
    }

    /// Whether a line may be an event of a wanted tier. Some events name no tier.
    fn may_want(&self, line: &[u8]) -> bool {
        let is_low = |tier: u8| tier < self.min_tier;
        LineStart::read(line)
            .is_none_or(|head| !head.tier.is_some_and(is_low) && EventKind::may_be(View::named(head.action)))
    }

    /// Whether a record is wanted. What became of a call is also wanted when it came later than the call had to.
    fn wants(&self, record: &Record, lines: &mut LinesAt) -> bool {
        let is_late = record.wall_ms > self.to;
        let mut starts = record.of.iter().filter_map(|of| wall_ms(&lines.at(*of)?));
        record.tier.is_none_or(|tier| u8::from(tier) >= self.min_tier)
            && (self.is_within(record.wall_ms) || is_late && starts.any(|start| self.is_within(start)))
    }
}

/// A piece of a timeline.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Timeline {
    /// What happened, oldest first.
    pub events: Vec<TimelineEvent>,
    /// The `before` to go on with, for what is older; null when all is told.
    pub next: Option<u64>,
    /// How far back this piece went, wall-clock milliseconds.
    pub reached: i64,
    /// The sequence number that the next record will have.
    pub head: u64,
}

/// An event of a timeline.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEvent {
    /// What happened; without the call's parameters.
    #[serde(flatten)]
    pub event: Event,
    /// The resources it is about.
    pub context_keys: Vec<String>,
}

/// The newest piece of the timeline that `wanted` tells.
pub(super) fn timeline(reader: &Reader<'_>, wanted: &TimelineRequest) -> Result<Timeline, QueryError> {
    let Some(segments) = reader.segments()? else {
        return Ok(Timeline { events: Vec::new(), next: None, reached: wanted.from, head: 0 });
    };
    let head = segments.head();
    let span = Span {
        from_ms: Some(wanted.from),
        to_ms: Some(wanted.to.saturating_add_unsigned(late_ms(reader))),
        after: None,
        before: wanted.before,
    };
    let mut span_reader = SpanReader::new(segments, span, true)?;
    let found = gather(&mut span_reader, segments, wanted)?;
    let standing = standing_of(reader, &found, span_reader.begins_at_end());
    let events = found.iter().filter(|found| found.is_wanted).filter_map(|found| {
        let mut event = event(found.seq, &found.record)?;
        event.params = None;
        event.stands = standing.get(&found.seq).cloned();
        Some(TimelineEvent { event, context_keys: found.record.context_keys.clone() })
    });
    Ok(Timeline {
        events: events.collect(),
        next: span_reader.next(),
        reached: span_reader.reached_ms(wanted.from, wanted.to),
        head,
    })
}

/// How long after a start its outcome may come, milliseconds: as long as its lease lasts.
fn late_ms(reader: &Reader<'_>) -> u64 {
    let longest = reader.rules.rules.longest_lease_ms();
    longest.max(reader.settings.lease_ms).max(LATE_MS)
}

/// How the starts in a piece stand that have no outcome, by their sequence numbers: as the piece itself tells, where nothing is
/// later than it, else as who was asked has it in mind.
fn standing_of(reader: &Reader<'_>, found: &[Gathered], is_up_to_end: bool) -> HashMap<u64, String> {
    if !is_up_to_end {
        return reader.standing.clone().unwrap_or_default();
    }
    let mut history = History::new(u64::MAX, reader.settings.lease_ms);
    for Gathered { seq, record, .. } in found {
        history.apply(*seq, record);
    }
    standing(&history, &reader.now, &reader.is_dead())
}

/// A record of the piece.
struct Gathered {
    seq: u64,
    record: Record,
    /// It was asked for; else it only tells how something else stands.
    is_wanted: bool,
}

/// The records of a piece that are events of the wanted tiers, oldest first.
fn gather(
    span_reader: &mut SpanReader,
    segments: &Segments,
    wanted: &TimelineRequest,
) -> Result<Vec<Gathered>, StateError> {
    let mut lines = segments.lines();
    let mut found = Vec::new();
    let mut count = 0;
    while let Some(met) = span_reader.next_line()? {
        if !wanted.may_want(&met.bytes) {
            continue;
        }
        let Some(record) = read(&met.bytes).filter(|record| EventKind::of(record).is_some()) else {
            continue;
        };
        let is_wanted = wanted.wants(&record, &mut lines);
        found.push(Gathered { seq: met.seq, record, is_wanted });
        count += usize::from(is_wanted);
        if count == wanted.limit {
            span_reader.cut();
            break;
        }
    }
    found.reverse();
    Ok(found)
}
