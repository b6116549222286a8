//! One's own journal under other rules: which calls would have been paused. Pure: records in, report out.
//!
//! # The model
//! Two sets of rules go over the same records in their order, *before* (those in force) and *after* (those that
//! are tried), each with a [`History`](crate::decision::history::History) of its own and the real
//! [`decide`](crate::decision::decide).
//!
//! - **A call that ran** (`intercept`) is decided and then put into the history, whatever was decided: it did
//!   run. Where it is paused, the pause counts as read and the call as its retry: the session has seen the evidence.
//! - **A call that was stopped** (`blocked`) is decided, but acts in neither history, also where other rules would
//!   have let it through: what would have come of that is not made up. Its pause is read when the journal says so.
//!   A retry that ran after it meets evidence that its session was shown, so it is no further pause.
//! - **Outcomes, deliveries and releases** are taken as they were recorded. A call of tier 0 or 1 has none: where
//!   rules give it a higher tier, it counts as done at once.
//! - **A call that can't be judged** by one of the sets is in that one's history as it was recorded, and counts
//!   for neither. How a call is judged is told in `reclassify`.
//!
//! Under the rules and settings that wrote a journal, its simulated pauses are its recorded ones, but for what a
//! journal does not hold: settings (the defaults are taken; of the lease it tells), and when a process died: it
//! counts as alive until its lease ends, so that a call of tier 4 may be blocked here that then was not. What ran
//! instead of what was asked (another plugin had rewritten it) has the keys that were recorded.

mod journaled_params;
mod reclassify;
mod replay;
mod report;

use std::sync::Arc;

use crate::model::settings::Settings;
use crate::record::{Action as Kind, Record};
use crate::rules::RuleSet;

use self::reclassify::Judge;
use self::replay::Replay;
use self::report::Tally;

pub use self::reclassify::Reason;
pub use self::replay::Verdict;
pub use self::report::{Changed, Counts, OfRule, Report};

/// What is out of the windows is forgotten after so many records.
const PRUNE_EVERY: u64 = 1_024;

/// A replay of a journal under two sets of rules.
#[derive(Debug)]
pub struct Simulation {
    judge: Judge,
    before: Replay,
    after: Replay,
    tally: Tally,
    since_ms: Option<i64>,
    taken: u64,
}

impl Simulation {
    /// A replay under the rules `before` and `after`, with the same settings. Calls from before `since_ms`
    /// (wall-clock milliseconds) are replayed, but not counted.
    #[must_use]
    pub fn new(
        before: Arc<RuleSet>,
        after: Arc<RuleSet>,
        settings: &Settings,
        since_ms: Option<i64>,
    ) -> Self {
        Self {
            before: Replay::new(&before, settings),
            after: Replay::new(&after, settings),
            judge: Judge::new(before, after, settings),
            tally: Tally::default(),
            since_ms,
            taken: 0,
        }
    }

    /// How far before a call the records that may decide about it go back, milliseconds.
    #[must_use]
    pub fn looks_back_ms(&self) -> u64 {
        self.before.keep_ms().max(self.after.keep_ms())
    }

    /// Takes in the next record, in the journal's order.
    pub fn take(&mut self, seq: u64, record: &Record) {
        match record.action {
            // Other rules decided about it.
            _ if record.is_foreign() => self.apply(seq, record),
            Kind::Intercept | Kind::Blocked if record.v > 0 => self.take_call(seq, record),
            Kind::Refused if record.v > 0 && record.of.is_empty() => {
                self.count_unjudged(record, Reason::Undecided);
            }
            // The original plugin wrote one line for a finished action, and one for a stopped call.
            Kind::Complete | Kind::Blocked if record.v == 0 => {
                self.apply(seq, record);
                self.count_unjudged(record, Reason::Original);
            }
            Kind::Complete
            | Kind::Failed
            | Kind::Refused
            | Kind::Unknown
            | Kind::Running
            | Kind::Released
            | Kind::Leased
            | Kind::Extended
            | Kind::Delivered => self.apply(seq, record),
            Kind::Intercept
            | Kind::Blocked
            | Kind::Denied
            | Kind::Seen
            | Kind::Session
            | Kind::Context
            | Kind::Unreadable
            | Kind::Rules
            | Kind::Lost
            | Kind::Pruned
            | Kind::Carried
            | Kind::Task
            | Kind::Message
            | Kind::Event
            | Kind::Opened
            | Kind::Closed
            | Kind::Other(_) => {}
        }
        self.taken += 1;
        if self.taken.is_multiple_of(PRUNE_EVERY) {
            let now = record.stamp();
            self.before.prune(&now);
            self.after.prune(&now);
        }
    }

    /// What became of the calls.
    #[must_use]
    pub fn report(self) -> Report {
        self.tally.report(self.judge.before(), self.judge.after())
    }

    fn apply(&mut self, seq: u64, record: &Record) {
        self.before.apply(seq, record);
        self.after.apply(seq, record);
    }

    fn take_call(&mut self, seq: u64, record: &Record) {
        let (before, after) = self.judge.judge(record);
        let play = |replay: &mut Replay, judged: &Result<_, Reason>| match judged {
            Ok(judged) => Some(replay.play(seq, record, judged)),
            Err(_) => {
                replay.apply(seq, record);
                None
            }
        };
        let verdicts = (play(&mut self.before, &before), play(&mut self.after, &after));
        if !self.counts(record) {
            return;
        }
        match (before, after) {
            (Ok(before), Ok(after)) => {
                if let (Some(was), Some(is)) = verdicts {
                    self.tally.judged(record, (&before, was), (&after, is));
                }
            }
            (Err(reason), _) | (_, Err(reason)) => self.tally.not_judged(reason),
        }
    }

    fn count_unjudged(&mut self, record: &Record, reason: Reason) {
        if self.counts(record) {
            self.tally.not_judged(reason);
        }
    }

    fn counts(&self, record: &Record) -> bool {
        self.since_ms.is_none_or(|since_ms| record.wall_ms >= since_ms)
    }
}
