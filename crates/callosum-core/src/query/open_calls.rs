//! Calls that run now: who is at something, and in which process.

use crate::decision::history::{State, Who};
use crate::model::error::QueryError;
use crate::record::{Holder, Line};

use super::reader::Reader;

/// A call without an outcome whose process may be alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// Sequence number of its start.
    pub seq: u64,
    /// Whose it is.
    pub who: Who,
    /// The runtime.
    pub runtime: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The process that runs it, and in which boot.
    pub holder: Option<(Holder, Option<u32>)>,
    /// The rule that classified it.
    pub rule_name: Option<String>,
    /// The tool, in the gate's names.
    pub tool: Option<String>,
    /// The runtime's id of the call.
    pub call: Option<String>,
}

pub(super) fn open_calls(reader: &Reader<'_>) -> Result<Vec<OpenCall>, QueryError> {
    let Some(segments) = reader.segments()? else { return Ok(Vec::new()) };
    let (history, now, is_dead) = (reader.history()?, &reader.now, reader.is_dead());
    let mut open: Vec<_> =
        history.open().filter(|action| action.state(now, &is_dead) != State::Orphaned).collect();
    open.sort_unstable_by_key(|action| action.seq);
    let mut lines = segments.lines();
    let calls = open.into_iter().map(|action| {
        let line = lines.at(action.seq);
        let record = match line.as_deref().map(Line::read) {
            Some(Line::Record(record)) => Some(record),
            _ => None,
        };
        let of = |field: fn(&crate::record::Record) -> &Option<String>| {
            record.as_deref().and_then(|record| field(record).clone())
        };
        OpenCall {
            seq: action.seq,
            who: (*action.who).clone(),
            runtime: of(|record| &record.runtime),
            agent: of(|record| &record.agent),
            holder: action.holder.map(|holder| (holder, action.started.boot)),
            rule_name: of(|record| &record.rule_name),
            tool: of(|record| &record.tool),
            call: of(|record| &record.call),
        }
    });
    Ok(calls.collect())
}
