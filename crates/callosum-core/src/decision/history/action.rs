//! What the journal tells of one action or one pause, and what can be said of it now.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::{AttemptId, Ending, Holder, HookCounts, Record, Shown};
use callosum_shell::ExitCodes;

/// Whose session: pauses are inherited by nobody else. Two gateways both have a `agent:main:main`, and two machines may
/// both have a gateway of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Who {
    /// The machine; empty for this one.
    pub machine: String,
    /// The instance.
    pub instance: String,
    /// The session within it.
    pub session: String,
}

impl Who {
    /// Whose record it is.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        Self {
            machine: record.machine.clone().unwrap_or_default(),
            instance: record.instance.clone(),
            session: record.session.clone().unwrap_or_default(),
        }
    }

    /// The machine, where it is another one.
    #[must_use]
    pub fn foreign_machine(&self) -> Option<String> {
        (!self.machine.is_empty()).then(|| self.machine.clone())
    }

    /// A session of this machine.
    #[must_use]
    pub fn here(instance: &str, session: &str) -> Self {
        Self { machine: String::new(), instance: instance.to_owned(), session: session.to_owned() }
    }

    /// Whether it is a session of this machine's instance `instance`.
    #[must_use]
    pub fn is_of(&self, instance: &str) -> bool {
        self.machine.is_empty() && self.instance == instance
    }

    /// Whether `record` is this one's.
    pub(super) fn wrote(&self, record: &Record) -> bool {
        self.instance == record.instance
            && Some(self.session.as_str()) == record.session.as_deref()
            && self.machine == record.machine.as_deref().unwrap_or_default()
    }
}

/// How a journaled action ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Sequence number of its record.
    pub seq: u64,
    /// What it says.
    pub ending: Ending,
    /// When.
    pub at: Stamp,
    /// The exit code it rests on, if any.
    pub exit_code: Option<i64>,
}

/// An action of tier 2 or more: its start, and what became of it.
#[derive(Clone, Debug)]
pub struct Action {
    /// Sequence number of its first record.
    pub seq: u64,
    /// Which try it is, wherever its lines stand; none in lines of earlier versions.
    pub attempt: Option<AttemptId>,
    /// Its tier.
    pub tier: Tier,
    /// The resources it acts on.
    pub keys: Vec<Arc<str>>,
    /// Whose it is.
    pub who: Arc<Who>,
    /// The agent runtime.
    pub runtime: Option<Arc<str>>,
    /// The run.
    pub run: Option<String>,
    /// The host's call id.
    pub call: Option<String>,
    /// The tool as the host named it.
    pub tool: String,
    /// Digest of what it does.
    pub digest: Option<String>,
    /// When it started.
    pub started: Stamp,
    /// How long it counts as in flight without an outcome, milliseconds: the lease of tier 3+.
    pub lease_ms: u64,
    /// The process that runs it.
    pub holder: Option<Holder>,
    /// Its outcome, once there is one.
    pub outcome: Option<Outcome>,
    /// The background process session it goes on in.
    pub process: Option<String>,
    /// An operator ended its lease.
    pub released: bool,
    /// It is no call but a lease that was taken by itself: when that ends, nothing was done.
    pub only_lease: bool,
    /// The exit codes which prove that it was not done.
    pub not_done_codes: ExitCodes,
    /// Its keys are those of what ran after another plugin had rewritten it, not those of its first record.
    pub rewritten: bool,
    /// The rules whose limits count it.
    pub limits: Vec<Arc<str>>,
    /// A person was asked whether it may run.
    pub asked: bool,
}

/// What is known of an action now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No outcome yet, within its lease, its process alive as far as can be told.
    InFlight,
    /// Done.
    Complete,
    /// Not done.
    Failed,
    /// Never ran.
    Refused,
    /// Ended with nobody knowing whether it was done.
    Unknown,
    /// No outcome, and its lease ended.
    Lapsed,
    /// No outcome, and its process is dead.
    Orphaned,
}

impl State {
    /// Whether the action may have taken effect, so that it is evidence.
    #[must_use]
    pub fn is_evidence(self) -> bool {
        !matches!(self, Self::Failed | Self::Refused)
    }

    /// In one word, for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::InFlight => "running",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Unknown | Self::Lapsed | Self::Orphaned => "unknown",
        }
    }
}

/// Tells whether a holder of a boot is surely dead.
pub type IsDead<'a> = &'a dyn Fn(Option<u32>, &Holder) -> bool;

impl Action {
    /// Its state at `now`.
    #[must_use]
    pub fn state(&self, now: &Stamp, is_dead: IsDead<'_>) -> State {
        match self.outcome.as_ref().map(|outcome| outcome.ending) {
            Some(Ending::Complete) => State::Complete,
            Some(Ending::Failed) => State::Failed,
            Some(Ending::Refused) => State::Refused,
            Some(Ending::Unknown) => State::Unknown,
            None if self.only_lease && (self.released || self.started.age_ms(now) >= self.lease_ms) => {
                State::Refused
            }
            None if self.started.age_ms(now) >= self.lease_ms => State::Lapsed,
            None if self.holder.is_some_and(|holder| is_dead(self.started.boot, &holder)) => State::Orphaned,
            None => State::InFlight,
        }
    }

    /// Whether it holds its keys at `now`: tier 3+, in flight, and not released by an operator.
    #[must_use]
    pub fn holds_lease(&self, now: &Stamp, is_dead: IsDead<'_>) -> bool {
        self.tier.is_guarded() && !self.released && self.state(now, is_dead) == State::InFlight
    }

    /// Whether the limit of a rule counts it: it was let through, and is not proved to have been left undone.
    #[must_use]
    pub fn counts_for(&self, rule: &str) -> bool {
        self.limits.iter().any(|known| known.as_ref() == rule)
            && self.outcome.as_ref().is_none_or(|outcome| outcome.ending.is_evidence())
    }

    /// How long ago it was last known to do something, milliseconds: its outcome's age, else its lease's
    /// end (0 before it), because until then it may have acted.
    #[must_use]
    pub fn last_sign_age_ms(&self, now: &Stamp) -> u64 {
        match &self.outcome {
            Some(outcome) => outcome.at.age_ms(now).min(self.started.age_ms(now)),
            None => self.started.age_ms(now).saturating_sub(self.lease_ms),
        }
    }

    /// The action as a pause shows it.
    #[must_use]
    pub fn shown(&self) -> Shown {
        Shown { seq: self.seq, outcome: self.outcome.as_ref().map(|outcome| outcome.seq) }
    }
}

/// A call refused with the facts.
#[derive(Clone, Debug)]
pub struct Pause {
    /// Sequence number of its record.
    pub seq: u64,
    /// The run.
    pub run: Option<String>,
    /// The host's call id.
    pub call: Option<String>,
    /// The keys it was about.
    pub keys: Vec<String>,
    /// What it showed, in order: a retry looks each piece up.
    pub evidence: Vec<Shown>,
    /// When.
    pub at: Stamp,
    /// A signal of the host will tell its delivery.
    pub signal: bool,
    /// The host has told it.
    pub delivered: bool,
}

/// Hook counts of one tool of one runtime, and when they were first and last reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The counts.
    pub counts: HookCounts,
    /// Calls that were paused, blocked or denied: of most runtimes these have no after-hook.
    pub paused: u64,
    /// Wall-clock milliseconds of the first report.
    pub first_wall_ms: i64,
    /// Wall-clock milliseconds of the last report.
    pub last_wall_ms: i64,
}

/// A part of the journal that is there no longer, though it was not pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Gap {
    /// Its first byte, as a sequence number.
    pub from: u64,
    /// Behind its last byte.
    pub to: u64,
}

impl Gap {
    /// Whether one of `gaps` holds all of it.
    #[must_use]
    pub fn is_within(&self, gaps: &[Self]) -> bool {
        gaps.iter().any(|gap| gap.from <= self.from && self.to <= gap.to)
    }
}

/// A journal that was there no longer when a process came back to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// Wall-clock milliseconds of the record that tells it.
    pub at: i64,
    /// Who noticed.
    pub instance: String,
    /// How it was lost, and what was written anew.
    pub how: String,
}
