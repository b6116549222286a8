//! Actions and pauses by what their hosts and callers know them by.

use std::sync::Arc;

use crate::record::Holder;

use super::{Action, History, Pause, Who};

impl History {
    /// The open action of a process of this machine's instance that goes on as the background process session `process`;
    /// the newest when a host used the name twice (it is unique only within one process).
    #[must_use]
    pub fn background(&self, instance: &str, process: &str, holder: Option<Holder>) -> Option<&Action> {
        self.open
            .iter()
            .filter(|(who, _)| who.is_of(instance))
            .flat_map(|(_, open)| open)
            .filter_map(|seq| self.action(*seq))
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
        let mut found: Vec<&Action> = self
            .open
            .iter()
            .filter(|(who, _)| who.machine.is_empty() && chosen(who))
            .flat_map(|(_, open)| open)
            .filter_map(|seq| self.action(*seq))
            .filter(|action| action.call.as_deref() == Some(call))
            .collect();
        found.sort_unstable_by_key(|action| action.seq);
        found
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
