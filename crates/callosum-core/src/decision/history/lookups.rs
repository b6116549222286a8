//! Actions and pauses by what their hosts and callers know them by.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::record::Holder;

use super::{Action, History, Pause, Who};

/// An action without an outcome; they are in the order of their sequence numbers. A session may have thousands of them, and a client
/// asks with every call which one it is: what tells most of them from it lies in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    pub(super) seq: u64,
    call: u64,
}

impl Open {
    /// The action of a call that its host gave an id, perhaps.
    pub(super) fn new(seq: u64, call: Option<&str>) -> Self {
        Self { seq, call: call.map_or(0, quick) }
    }
}

fn quick(call: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(call.as_bytes());
    hasher.finish()
}

impl History {
    /// The open action of a process of this machine's instance that goes on as the background process session `process`;
    /// the newest when a host used the name twice (it is unique only within one process).
    #[must_use]
    pub fn background(&self, instance: &str, process: &str, holder: Option<Holder>) -> Option<&Action> {
        self.open
            .iter()
            .filter(|(who, _)| who.is_of(instance))
            .flat_map(|(_, open)| open)
            .filter_map(|open| self.action(open.seq))
            .filter(|action| action.process.as_deref() == Some(process) && action.holder == holder)
            .max_by_key(|action| action.seq)
    }

    /// The pauses of this machine's instance that wait for their delivery and that `chosen` picks, by session.
    pub fn undelivered(
        &self,
        instance: &str,
        chosen: impl Fn(&Who, &Pause) -> bool,
    ) -> Vec<(Arc<Who>, Vec<u64>)> {
        self.pauses
            .iter()
            .filter(|(who, _)| who.is_of(instance))
            .filter_map(|(who, pauses)| {
                let waiting: Vec<u64> = pauses
                    .iter()
                    .filter(|pause| pause.signal && !pause.delivered && chosen(who, pause))
                    .map(|pause| pause.seq)
                    .collect();
                (!waiting.is_empty()).then(|| (Arc::clone(who), waiting))
            })
            .collect()
    }

    /// The open calls of this machine's instances that `chosen` picks which their hosts gave the id `call`, oldest first.
    pub fn open_under(&self, call: &str, chosen: impl Fn(&Who) -> bool) -> Vec<&Action> {
        let chosen = self.open.iter().filter(|(who, _)| who.machine.is_empty() && chosen(who));
        let mut found: Vec<&Action> = chosen.flat_map(|(_, open)| self.of_call(open, call)).collect();
        found.sort_unstable_by_key(|action| action.seq);
        found
    }

    /// Whether a session has an open call of this id.
    #[must_use]
    pub fn has_open(&self, who: &Who, call: &str) -> bool {
        self.open.get(who).is_some_and(|open| self.of_call(open, call).next().is_some())
    }

    fn of_call(&self, open: &[Open], call: &str) -> impl Iterator<Item = &Action> {
        let quick = quick(call);
        let alike = open.iter().filter(move |open| open.call == quick);
        alike
            .filter_map(|open| self.action(open.seq))
            .filter(move |action| action.call.as_deref() == Some(call))
    }

    /// The pauses of this machine's instances that `chosen` picks which were of the call `call` and are not marked as read, by
    /// session.
    pub fn unread_under(&self, call: &str, chosen: impl Fn(&Who) -> bool) -> Vec<(Arc<Who>, Vec<u64>)> {
        self.pauses
            .iter()
            .filter(|(who, _)| who.machine.is_empty() && chosen(who))
            .filter_map(|(who, pauses)| {
                let unread: Vec<u64> = pauses
                    .iter()
                    .filter(|pause| !pause.delivered && pause.call.as_deref() == Some(call))
                    .map(|pause| pause.seq)
                    .collect();
                (!unread.is_empty()).then(|| (Arc::clone(who), unread))
            })
            .collect()
    }
}
