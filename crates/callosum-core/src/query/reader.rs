//! What may be looked at for one question.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::ended::ended;
use crate::decision::history::{History, IsDead};
use crate::machine::Machine;
use crate::model::error::{Degraded, QueryError, StateError};
use crate::model::settings::{Mode, Settings};
use crate::model::time::Stamp;
use crate::policy::Policy;
use crate::record::{FORMAT_VERSION, Holder, HookCounts};
use crate::rules::World;
use crate::store::journal::line_counts::LineCounts;
use crate::store::journal::recent::read_back;
use crate::store::journal::segments::Segments;
use crate::store::rules_file::InForce;

use super::overview::Overview;

/// What a question has to look at. Whoever hands out a reader gets no more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// How far the journal reaches: a look at its files that waits for nobody, but a moment for what is just written.
    Head,
    /// The rules that hold now.
    Rules,
    /// The journal, with what waited to be written if that can be written now.
    Journal,
    /// Both.
    RulesAndJournal,
    /// The journal, and how the calls without an outcome stand.
    Standing,
    /// The journal, and what its history says in short. This can always be told, and soon.
    Overview,
}

/// All that may be looked at for one question, as it is at one moment.
#[derive(Debug)]
pub struct Reader<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// What of them could not be used.
    pub setting_problems: &'a [String],
    /// The instance that is asked.
    pub instance: &'a str,
    /// Its runtime.
    pub runtime: &'a str,
    /// The state directory.
    pub state_dir: &'a Path,
    /// Tells which processes are dead.
    pub machine: &'a Machine,
    /// What lies around calls.
    pub world: &'a World,
    /// How many lines of the journal were counted before.
    pub line_counts: &'a LineCounts,
    /// The moment of the question.
    pub now: Stamp,
    /// The rules in force.
    pub rules: Arc<InForce>,
    /// What no agent's call may change.
    pub policy: Arc<Policy>,
    /// Why the file that names folders for it can't be used, while it can't.
    pub context_error: Option<String>,
    /// The journal, where it is needed; `None` when nothing was journaled yet.
    pub journal: Result<Option<Segments>, QueryError>,
    /// With [`Needs::Overview`], what the history says in short; empty when it can't be read.
    pub overview: Overview,
    /// With [`Needs::Standing`], how each call without an outcome stands, by the sequence number of its start; `None` when
    /// whoever hands out the reader keeps no history in memory.
    pub standing: Option<HashMap<u64, String>>,
    /// What only a running gate knows.
    pub live: Live,
}

/// Figures of a running gate; all empty where none runs.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// The rules file is being looked at and takes long.
    pub rules_are_loading: bool,
    /// What waits in memory.
    pub waiting: WaitingStatus,
    /// Hooks that were seen and are not in the journal yet, by tool.
    pub seen: BTreeMap<String, HookCounts>,
    /// Why the shared state can't be used, while it can't.
    pub degraded: Option<Degraded>,
}

/// What waits in memory.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct WaitingStatus {
    /// Records in the backlog.
    pub queued: usize,
    /// Records that found no place in it.
    pub lost: u64,
    /// Calls and outcomes that could not be written at once.
    pub unwritten: u64,
}

impl Reader<'_> {
    /// The journal's segments; `None` when nothing was journaled yet.
    pub(super) fn segments(&self) -> Result<Option<&Segments>, QueryError> {
        self.journal.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// What the journal says, as far back as the window reaches; empty when nothing was journaled yet.
    pub(super) fn history(&self) -> Result<History, QueryError> {
        let windows = Windows::of(self.settings, &self.rules);
        match self.segments()? {
            Some(segments) => Ok(windows.history(segments, self.state_dir, &self.now)?),
            None => Ok(windows.empty()),
        }
    }

    /// What says that nothing is paused, if something does.
    pub(super) fn observed_by(&self) -> Option<ObservedBy> {
        if self.settings.mode == Mode::Observe {
            Some(ObservedBy::Settings)
        } else {
            self.rules.rules.observes().then_some(ObservedBy::Rules)
        }
    }

    /// Whether a holder of that boot is surely dead.
    pub(super) fn is_dead(&self) -> impl Fn(Option<u32>, &Holder) -> bool {
        |boot, holder| self.machine.is_dead(boot, holder)
    }
}

/// What says that nothing is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObservedBy {
    /// The settings of the instance.
    Settings,
    /// The rules file, and with that all instances: `callosum observe on` wrote it.
    Rules,
}

/// How far back history reaches, and how long an action counts as in flight that names no lease; milliseconds.
pub(super) struct Windows {
    keep_ms: u64,
    default_lease_ms: u64,
}

impl Windows {
    pub(super) fn of(settings: &Settings, in_force: &InForce) -> Self {
        let rules = &in_force.rules;
        let keep_ms = settings.keep_ms(rules.largest_window_ms(), rules.longest_lease_ms());
        Self { keep_ms, default_lease_ms: settings.lease_ms }
    }

    fn empty(&self) -> History {
        History::new(self.keep_ms, self.default_lease_ms)
    }

    /// What `segments` say within the window.
    pub(super) fn history(
        &self,
        segments: &Segments,
        state_dir: &Path,
        now: &Stamp,
    ) -> Result<History, StateError> {
        let mut history = self.empty();
        let recent = read_back(segments, history.keep_ms(), None, now)?;
        if let Some(version) = recent.newer_format {
            let path = state_dir.to_owned();
            return Err(StateError::NewerFormat { path, version, known: FORMAT_VERSION });
        }
        history.skipped = recent.skipped;
        for (seq, record) in recent.records {
            history.apply(seq, &record);
            history.count(&record);
        }
        recent.counted.iter().for_each(|counted| history.count_light(counted));
        Ok(history)
    }
}

/// How each call without an outcome stands, by the sequence number of its start: in words.
#[must_use]
pub fn standing(history: &History, now: &Stamp, is_dead: IsDead<'_>) -> HashMap<u64, String> {
    history.open().map(|action| (action.seq, ended(action, action.state(now, is_dead)))).collect()
}
