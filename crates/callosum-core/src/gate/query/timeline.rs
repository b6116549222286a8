//! What happened within a stretch of time, on all resources: the timeline of the page.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::decision::history::History;
use crate::decision::pause_text::ended;
use crate::model::error::StateError;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::Record;
use crate::store::journal::head::{Head, wall_ms};
use crate::store::journal::segments::{LinesAt, Segments};
use crate::store::journal::span::{Piece, Span};

use super::request::QueryError;
use super::story::{Event, What, event, read};
use crate::gate::Gate;

/// Events given at once at the most, and when nothing is said.
const MAX_LIMIT: usize = 10_000;
const LIMIT: usize = 2_000;
/// An outcome is looked for this long after the wanted time at the least, milliseconds (15 minutes).
const LATE_MS: u64 = 15 * 60 * 1000;

/// Which events are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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
    /// How many at most, the newest, 1 to 10,000; 2,000 when nothing is said.
    #[serde(default = "limit")]
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
        let is_none = |action: &[u8]| matches!(action, b"seen" | b"rules" | b"opened" | b"closed");
        Head::read(line).is_none_or(|head| !head.tier.is_some_and(is_low) && !is_none(head.action))
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
#[derive(Clone, Debug, Serialize)]
pub struct Timeline {
    /// What happened, oldest first.
    pub events: Vec<Moment>,
    /// The [`TimelineRequest::before`] to go on with, for what is older; null when all is told.
    pub next: Option<u64>,
    /// How far back this piece went, wall-clock milliseconds.
    pub reached: i64,
    /// The sequence number that the next record will have.
    pub head: u64,
}

/// An event of a timeline.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// What happened; without the call's parameters.
    #[serde(flatten)]
    pub event: Event,
    /// The resources it is about.
    pub context_keys: Vec<String>,
}

impl Gate {
    /// The newest piece of the timeline that `wanted` tells: what is found in some 30 ms or 8 MiB. For a thread that may
    /// wait.
    ///
    /// How a start without an outcome stands is told where it is known: the gate has it in mind, or nothing was left out
    /// between it and the journal's end.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn timeline(&self, wanted: &TimelineRequest, now: &Stamp) -> Result<Timeline, QueryError> {
        let Some(segments) = self.segments(now)? else {
            return Ok(Timeline { events: Vec::new(), next: None, reached: wanted.from, head: 0 });
        };
        let head = segments.head();
        let span = Span {
            from_ms: Some(wanted.from),
            to_ms: Some(wanted.to.saturating_add_unsigned(self.late_ms())),
            after: None,
            before: wanted.before,
        };
        let mut piece = Piece::new(&segments, span, true)?;
        let found = gather(&mut piece, &segments, wanted)?;
        let standing = self.standing(&found, piece.begins_at_end(), now)?;
        let events = found.iter().filter(|found| found.is_wanted).filter_map(|found| {
            let mut event = event(found.seq, &found.record)?;
            event.params = None;
            event.stands = standing.get(&found.seq).cloned();
            Some(Moment { event, context_keys: found.record.context_keys.clone() })
        });
        Ok(Timeline {
            events: events.collect(),
            next: piece.next(),
            reached: piece.reached_ms(wanted.from, wanted.to),
            head,
        })
    }

    /// How long after a start its outcome may come, milliseconds: as long as its lease lasts.
    fn late_ms(&self) -> u64 {
        let (_, longest) = self.longest_of_rules_ms();
        longest.max(self.settings.lock_expiry_ms).max(LATE_MS)
    }

    /// How the starts in a piece stand that have no outcome, by their sequence numbers.
    fn standing(
        &self,
        found: &[Gathered],
        is_up_to_end: bool,
        now: &Stamp,
    ) -> Result<HashMap<u64, String>, QueryError> {
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let mut history = History::new(u64::MAX, self.settings.lock_expiry_ms);
        for Gathered { seq, record, .. } in found {
            history.apply(*seq, record);
        }
        let open = |history: &History, seq: u64| {
            let action = history.action(seq).filter(|action| action.outcome.is_none())?;
            Some((seq, ended(action, action.state(now, &is_dead))))
        };
        let here: HashMap<u64, String> = found.iter().filter_map(|found| open(&history, found.seq)).collect();
        if is_up_to_end || here.is_empty() {
            return Ok(here);
        }
        if self.observer {
            return Ok(HashMap::new());
        }
        let known =
            self.look(now, |ledger| Ok(here.keys().filter_map(|seq| open(ledger.history(), *seq)).collect()));
        Ok(known?)
    }
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
    piece: &mut Piece,
    segments: &Segments,
    wanted: &TimelineRequest,
) -> Result<Vec<Gathered>, StateError> {
    let mut lines = segments.lines();
    let mut found = Vec::new();
    let mut count = 0;
    while let Some(met) = piece.next_line()? {
        if !wanted.may_want(&met.bytes) {
            continue;
        }
        let Some(record) = read(&met.bytes).filter(|record| What::of(record).is_some()) else { continue };
        let is_wanted = wanted.wants(&record, &mut lines);
        found.push(Gathered { seq: met.seq, record, is_wanted });
        count += usize::from(is_wanted);
        if count == wanted.limit {
            piece.cut();
            break;
        }
    }
    found.reverse();
    Ok(found)
}
