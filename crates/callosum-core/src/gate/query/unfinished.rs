//! Actions that nobody reports on any more: started under a lease, and no outcome came.

use crate::decision::history::State;
use crate::model::time::{Stamp, to_rfc3339};

use super::request::QueryError;
use crate::gate::Gate;

/// An action of tier 3 or more without an outcome, whose lease ended or whose process is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOpen {
    /// The resources it acts on.
    pub context_keys: Vec<String>,
    /// Whose.
    pub instance: String,
    /// Whose.
    pub session: String,
    /// What it did.
    pub tool: String,
    /// When it started, RFC 3339.
    pub since: String,
    /// Its process is dead; else only its lease ended.
    pub holder_died: bool,
}

impl Gate {
    /// The actions without an outcome that hold no lease any more, oldest first, as the journal's window tells
    /// them. Leaves no trace. For a thread that may wait.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn left_open(&self, now: &Stamp) -> Result<Vec<LeftOpen>, QueryError> {
        let Some(segments) = self.observe()? else { return Ok(Vec::new()) };
        let history = self.observed_history(&segments, now)?;
        let machine = self.machine();
        let died = |boot, holder: &_| machine.is_dead(boot, holder);
        let mut open: Vec<_> = history
            .open_guarded()
            .filter(|action| matches!(action.state(now, &died), State::Lapsed | State::Orphaned))
            .collect();
        open.sort_unstable_by_key(|action| action.seq);
        Ok(open
            .into_iter()
            .map(|action| LeftOpen {
                context_keys: action.keys.iter().map(|key| key.as_ref().to_owned()).collect(),
                instance: action.who.instance.clone(),
                session: action.who.session.clone(),
                tool: action.tool.clone(),
                since: to_rfc3339(action.started.wall_ms),
                // Its state tells only one of the two: that its lease ended as well must not hide this.
                holder_died: action.holder.is_some_and(|holder| died(action.started.boot, &holder)),
            })
            .collect())
    }
}
