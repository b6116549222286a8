//! Who is active: the sessions that the journal names.

use std::collections::HashMap;

use serde::Serialize;

use crate::history::Who;
use crate::journal::recent::Edge;
use crate::journal::record::{Action, Line, Record};
use crate::time::{Stamp, to_rfc3339};

use super::Gate;
use super::query::QueryError;
use super::status::live_leases;

/// A session, and what it did within the time that was asked about.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its instance.
    pub instance: String,
    /// Its name.
    pub session: String,
    /// The runtime of its last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// The agent of its last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it called last: RFC 3339.
    pub last_at: String,
    /// What it called last.
    pub last_tool: String,
    /// Calls that were let through.
    pub calls: u64,
    /// Calls that were paused or blocked.
    pub paused: u64,
    /// The resources it holds now.
    pub holds: Vec<String>,
}

impl Gate {
    /// The sessions that called anything in the last `window_ms` milliseconds, the latest first. For a thread that may
    /// wait.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn sessions(&self, window_ms: u64, now: &Stamp) -> Result<Vec<Session>, QueryError> {
        let Some(segments) = self.segments(now)? else { return Ok(Vec::new()) };
        let machine = self.machine();
        let history = self.observed_history(&segments, now)?;
        let leases = live_leases(&history, now, &|boot, holder: &_| machine.is_dead(boot, holder));
        let mut sessions: Vec<Session> = Vec::new();
        let mut known: HashMap<Who, usize> = HashMap::new();
        let mut edge = Edge::new(window_ms);
        let mut lines = segments.backward();
        while let Some((_, bytes)) = lines.next_line()? {
            if edge.is_beyond(&Line::read(&bytes), &bytes, now) {
                break;
            }
            let Ok(record) = serde_json::from_slice::<Record>(&bytes) else { continue };
            let was_paused = record.action == Action::Blocked;
            let is_call = was_paused || record.action == Action::Intercept;
            if !is_call || record.session.is_none() || record.stamp().age_ms(now) > window_ms {
                continue;
            }
            let who = Who::of(&record);
            let place = *known.entry(who).or_insert_with_key(|who| {
                let holds = leases
                    .iter()
                    .filter(|lease| lease.instance == who.instance && lease.session == who.session)
                    .map(|lease| lease.context_key.clone());
                sessions.push(Session {
                    instance: who.instance.clone(),
                    session: who.session.clone(),
                    runtime: record.runtime.clone(),
                    agent: record.agent.clone(),
                    last_at: to_rfc3339(record.wall_ms),
                    last_tool: record.tool.clone().unwrap_or_default(),
                    calls: 0,
                    paused: 0,
                    holds: holds.collect(),
                });
                sessions.len() - 1
            });
            if let Some(session) = sessions.get_mut(place) {
                session.calls += u64::from(!was_paused);
                session.paused += u64::from(was_paused);
            }
        }
        Ok(sessions)
    }
}
