//! Actions that nobody reports on any more: started under a lease, and no outcome came.

use crate::decision::history::State;
use crate::model::error::QueryError;
use crate::model::time::to_rfc3339;

use super::reader::Reader;

/// An action of tier 3 or more without an outcome, whose lease ended or whose process is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
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

/// The actions without an outcome that hold no lease any more, oldest first.
pub(super) fn unfinished(reader: &Reader<'_>) -> Result<Vec<Unfinished>, QueryError> {
    let (history, now, is_dead) = (reader.history()?, &reader.now, reader.is_dead());
    let mut open: Vec<_> = history
        .open_guarded()
        .filter(|action| matches!(action.state(now, &is_dead), State::Lapsed | State::Orphaned))
        .collect();
    open.sort_unstable_by_key(|action| action.seq);
    Ok(open
        .into_iter()
        .map(|action| Unfinished {
            context_keys: action.keys.iter().map(|key| key.as_ref().to_owned()).collect(),
            instance: action.who.instance.clone(),
            session: action.who.session.clone(),
            tool: action.tool.clone(),
            since: to_rfc3339(action.started.wall_ms),
            // Its state tells only one of the two: that its lease ended as well must not hide this.
            holder_died: action.holder.is_some_and(|holder| is_dead(action.started.boot, &holder)),
        })
        .collect())
}
