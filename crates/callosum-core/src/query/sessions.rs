//! Who is active: the sessions that the journal names.

use std::collections::HashMap;

use serde::Serialize;

use crate::decision::history::Who;
use crate::model::error::QueryError;
use crate::model::time::to_rfc3339;
use crate::record::{Action, Line, Record, SessionEvent};
use crate::store::journal::backward::Backward;
use crate::store::journal::recent::Edge;

use super::leases::live_leases;
use super::reader::Reader;

/// How a session is known to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Its runtime said that it ended.
    Ended,
    /// The process that ran it is dead, and said nothing.
    Gone,
}

/// A session, and what it did within the time that was asked about.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The machine that it runs on; none for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Its instance.
    pub instance: String,
    /// Its name.
    pub session: String,
    /// The runtime of its last sign of life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// The agent of its last sign of life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Its last sign of life, RFC 3339: a call, something of a task, a message or an event, or that it began, got a prompt or ended.
    pub last_at: String,
    /// What it called last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_tool: Option<String>,
    /// How it is known to be over; absent as long as nothing says that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Calls that were let through.
    pub calls: u64,
    /// Calls that were paused or blocked.
    pub paused: u64,
    /// The resources it holds now.
    pub holds: Vec<String>,
}

/// A session while the journal is read back.
struct Heard {
    session: Session,
    /// Whether the process that ran it last is dead, once a line has named it.
    is_dead: Option<bool>,
}

/// The sessions that showed a sign of life in the last `window_ms` milliseconds, the latest first.
pub(super) fn sessions(reader: &Reader<'_>, window_ms: u64) -> Result<Vec<Session>, QueryError> {
    let Some(segments) = reader.segments()? else { return Ok(Vec::new()) };
    let (history, now, is_dead) = (reader.history()?, &reader.now, reader.is_dead());
    let leases = live_leases(&history, now, &is_dead);
    let mut sessions: Vec<Heard> = Vec::new();
    let mut known: HashMap<Who, usize> = HashMap::new();
    let mut edge = Edge::new(window_ms);
    let mut lines = Backward::of(segments);
    while let Some((_, bytes)) = lines.next_line()? {
        if edge.is_beyond(&Line::read(&bytes), &bytes, now) {
            break;
        }
        let Ok(record) = serde_json::from_slice::<Record>(&bytes) else { continue };
        let is_sign = matches!(
            record.action,
            Action::Intercept
                | Action::Blocked
                | Action::Session
                | Action::Task
                | Action::Message
                | Action::Event
        );
        if !is_sign || record.session.is_none() || record.stamp().age_ms(now) > window_ms {
            continue;
        }
        let place = *known.entry(Who::of(&record)).or_insert_with_key(|who| {
            let holds = leases
                .iter()
                .filter(|lease| lease.machine == who.foreign_machine())
                .filter(|lease| lease.instance == who.instance && lease.session == who.session)
                .map(|lease| lease.context_key.clone());
            let session = Session::last_seen(who, &record, holds.collect());
            sessions.push(Heard { session, is_dead: None });
            sessions.len() - 1
        });
        if let Some(heard) = sessions.get_mut(place) {
            if let (None, Some(holder)) = (heard.is_dead, &record.holder) {
                heard.is_dead = Some(is_dead(record.boot, holder));
            }
            heard.earlier(record);
        }
    }
    Ok(sessions.into_iter().map(|heard| heard.session).collect())
}

impl Session {
    /// As its newest line tells.
    fn last_seen(who: &Who, newest: &Record, holds: Vec<String>) -> Self {
        Self {
            machine: who.foreign_machine(),
            instance: who.instance.clone(),
            session: who.session.clone(),
            runtime: newest.runtime.clone(),
            agent: newest.agent.clone(),
            last_at: to_rfc3339(newest.wall_ms),
            last_tool: None,
            over: (newest.event == Some(SessionEvent::End)).then_some(Over::Ended),
            calls: 0,
            paused: 0,
            holds,
        }
    }
}

impl Heard {
    /// Takes in a line, each earlier than the one before.
    fn earlier(&mut self, record: Record) {
        let session = &mut self.session;
        if record.action == Action::Session {
            // Only a runtime that tells of sessions tells each process that takes one over.
            if session.over.is_none() && self.is_dead == Some(true) {
                session.over = Some(Over::Gone);
            }
            return;
        }
        if !matches!(record.action, Action::Intercept | Action::Blocked) {
            return;
        }
        let was_paused = record.action == Action::Blocked;
        session.calls += u64::from(!was_paused);
        session.paused += u64::from(was_paused);
        session.last_tool = session.last_tool.take().or(record.tool);
    }
}
