//! What became of an action whose start has not come yet: lines of several machines come in the order of their log, which
//! need not be that of their calls.

use std::collections::VecDeque;

use crate::model::time::Stamp;
use crate::record::{AttemptId, Record};

/// At most this many records wait; of more, the oldest are let go.
const MAX_WAITING: usize = 256;

/// Records that name an attempt of which no start is known, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Early {
    waiting: VecDeque<(u64, Box<Record>)>,
}

impl Early {
    /// Keeps a record until its start comes, if it says which that is.
    pub(super) fn keep(&mut self, seq: u64, record: &Record) {
        if record.attempt.is_none() || self.waiting.iter().any(|(known, _)| *known == seq) {
            return;
        }
        if self.waiting.len() == MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back((seq, Box::new(record.clone())));
    }

    /// Hands out what has come of an attempt.
    pub(super) fn take(&mut self, attempt: AttemptId) -> Vec<(u64, Box<Record>)> {
        if self.waiting.iter().all(|(_, record)| record.attempt != Some(attempt)) {
            return Vec::new();
        }
        let (taken, kept) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<VecDeque<_>, _>(|(_, record)| record.attempt == Some(attempt));
        self.waiting = kept;
        taken.into()
    }

    /// Lets go what is older than `keep_ms`.
    pub(super) fn prune(&mut self, now: &Stamp, keep_ms: u64) {
        self.waiting.retain(|(_, record)| record.stamp().age_ms(now) <= keep_ms);
    }
}
