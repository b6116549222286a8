//! Whether the shared state can be used, and what the operator is told.

use std::collections::VecDeque;

use crate::model::error::{Degraded, StateError};
use crate::model::time::{Stamp, to_rfc3339};

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Something is not as it should be, and work goes on.
    Warn,
    /// Something is wrong.
    Error,
}

/// A line for the host's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How loud.
    pub level: Level,
    /// The line.
    pub text: String,
}

/// Notices kept until somebody fetches them.
const MAX_NOTICES: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Health {
    degraded: Option<Degraded>,
    /// What failed was a flush: only one that succeeds tells that it works again.
    until_flushed: bool,
    notices: VecDeque<Notice>,
}

impl Health {
    pub(super) fn degraded(&self) -> Option<Degraded> {
        self.degraded.clone()
    }

    pub(super) fn tell(&mut self, level: Level, text: String) {
        if self.notices.len() == MAX_NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back(Notice { level, text });
    }

    pub(super) fn take_notices(&mut self) -> Vec<Notice> {
        self.notices.drain(..).collect()
    }

    pub(super) fn has_notices(&self) -> bool {
        !self.notices.is_empty()
    }

    /// The state failed: tells it once for each new kind of failure.
    pub(super) fn failed(&mut self, error: &StateError, now: &Stamp) {
        let before = self.degraded.take();
        let is_known = before.as_ref().is_some_and(|known| known.code == error.code());
        let since = before.map_or_else(|| to_rfc3339(now.wall_ms), |known| known.since);
        let degraded = Degraded::by(error, since);
        if !is_known {
            let Degraded { cause, remedy, .. } = &degraded;
            self.tell(Level::Error, format!("degraded: {cause}; to fix it: {remedy}"));
        }
        self.degraded = Some(degraded);
        self.until_flushed = false;
    }

    /// A flush failed. Files that can be read and written are no proof of the contrary.
    pub(super) fn flush_failed(&mut self, error: &StateError, now: &Stamp) {
        self.failed(error, now);
        self.until_flushed = true;
    }

    /// A flush succeeded.
    pub(super) fn flushed(&mut self) {
        if std::mem::take(&mut self.until_flushed) {
            self.works();
        }
    }

    /// Whether the state failed, the last time with this failure.
    pub(super) fn is_failing_with(&self, code: &str) -> bool {
        self.degraded.as_ref().is_some_and(|known| known.code == code)
    }

    /// The state works.
    pub(super) fn works(&mut self) {
        if !self.until_flushed
            && let Some(was) = self.degraded.take()
        {
            self.tell(Level::Info, format!("the shared state works again (it failed since {})", was.since));
        }
    }
}
