//! Looking without a gate.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::decision::history::History;
use crate::machine::Machine;
use crate::model::error::{Degraded, StateError};
use crate::model::settings::{Settings, SharedContext};
use crate::model::time::{Stamp, to_rfc3339};
use crate::rules::World;
use crate::store::context_file::ContextFile;
use crate::store::disk::SystemDisk;
use crate::store::instance::{Instance, Options};
use crate::store::journal::Loss;
use crate::store::journal::chain::gaps_without_guard;
use crate::store::journal::line_counts::LineCounts;
use crate::store::journal::read_only::open_read_only;
use crate::store::journal::segments::Segments;
use crate::store::rules_file::{InForce, RulesFile};
use crate::store::state_dir::StateDir;

use super::overview::{LostStatus, Overview};
use super::reader::{Live, Needs, Reader, Windows};
use super::source::Source;

/// Looks at the state directory and leaves no trace there: no folder is made, no guard taken, nothing mended.
#[derive(Debug)]
pub struct ReadOnlyView {
    settings: Settings,
    setting_problems: Vec<String>,
    instance: String,
    runtime: String,
    directory: StateDir,
    machine: OnceLock<Machine>,
    world: World,
    rules: Mutex<RulesFile>,
    contexts: Mutex<ContextFile>,
    line_counts: LineCounts,
    /// Why the journal could not be read the last times.
    degraded: Mutex<Option<Degraded>>,
}

impl ReadOnlyView {
    /// A view that has not looked at anything yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let made = Instance::new(options, Arc::new(SystemDisk));
        Self {
            settings: made.settings,
            setting_problems: made.setting_problems,
            instance: made.name,
            runtime: made.runtime,
            directory: made.directory,
            machine: OnceLock::new(),
            world: World::of_process(),
            rules: Mutex::new(made.rules),
            contexts: Mutex::new(made.contexts),
            line_counts: LineCounts::default(),
            degraded: Mutex::default(),
        }
    }

    /// The machine it runs on, asked once. Its clock gives the `now` of every question.
    pub fn machine(&self) -> &Machine {
        self.machine.get_or_init(Machine::read)
    }

    /// The state directory.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.directory.path
    }

    /// The settings of the shared context.
    #[must_use]
    pub fn shared_context(&self) -> &SharedContext {
        &self.settings.shared_context
    }

    /// The rules that the file tells now.
    fn current_rules(&self, now: &Stamp) -> Arc<InForce> {
        let mut file = lock(&self.rules);
        let _ = file.refresh(now);
        Arc::new(file.in_force().clone())
    }

    fn overview(
        &self,
        segments: Option<&Segments>,
        rules: &InForce,
        now: &Stamp,
    ) -> Result<Overview, StateError> {
        let Some(segments) = segments else { return Ok(Overview::default()) };
        let windows = Windows::of(&self.settings, rules);
        let history = windows.history(segments, &self.directory.path, now)?;
        let machine = self.machine();
        let mut overview =
            Overview::of(&history, &rules.rules, now, &|boot, holder: &_| machine.is_dead(boot, holder));
        if self.misses_segments(segments, &history, &windows, now)? {
            let how = format!("the journal {}; nobody has told it yet", Loss::Segment.in_words());
            overview.lost =
                Some(LostStatus { at: to_rfc3339(now.wall_ms), instance: self.instance.clone(), how });
        }
        Ok(overview)
    }

    /// Whether a segment is missing and no line says so. Others may close or prune segments meanwhile: what is missing is so at
    /// two looks.
    fn misses_segments(
        &self,
        segments: &Segments,
        history: &History,
        windows: &Windows,
        now: &Stamp,
    ) -> Result<bool, StateError> {
        let first = gaps_without_guard(&self.directory, segments, history, now)?;
        if first.is_empty() {
            return Ok(false);
        }
        let Some(segments) = open_read_only(&self.directory)? else { return Ok(false) };
        let history = windows.history(&segments, &self.directory.path, now)?;
        let second = gaps_without_guard(&self.directory, &segments, &history, now)?;
        Ok(second.iter().any(|gap| first.contains(gap) && !gap.is_within(&history.gaps)))
    }

    /// Why the journal can't be read, since it first could not be.
    fn note(&self, failure: Option<&StateError>, now: &Stamp) -> Option<Degraded> {
        let mut degraded = lock(&self.degraded);
        let since = degraded.take().map_or_else(|| to_rfc3339(now.wall_ms), |known| known.since);
        *degraded = failure.map(|error| Degraded::by(error, since));
        degraded.clone()
    }
}

impl Source for ReadOnlyView {
    fn reader(&self, needs: Needs, now: &Stamp) -> Reader<'_> {
        let rules = match needs {
            Needs::Head | Needs::Journal => Arc::new(lock(&self.rules).in_force().clone()),
            Needs::Rules | Needs::RulesAndJournal | Needs::Standing | Needs::Overview => {
                self.current_rules(now)
            }
        };
        let (policy, context_error) = {
            let mut contexts = lock(&self.contexts);
            let _ = contexts.refresh(now);
            (contexts.policy(), contexts.error().map(str::to_owned))
        };
        let mut journal = if needs == Needs::Rules { Ok(None) } else { open_read_only(&self.directory) };
        let (mut overview, mut live) = (Overview::default(), Live::default());
        if needs == Needs::Overview {
            let told =
                journal.and_then(|segments| Ok((self.overview(segments.as_ref(), &rules, now)?, segments)));
            live.degraded = self.note(told.as_ref().err(), now);
            journal = told.map(|(told, segments)| {
                overview = told;
                segments
            });
        }
        Reader {
            settings: &self.settings,
            setting_problems: &self.setting_problems,
            instance: &self.instance,
            runtime: &self.runtime,
            state_dir: &self.directory.path,
            machine: self.machine(),
            world: &self.world,
            line_counts: &self.line_counts,
            now: *now,
            rules,
            policy,
            context_error,
            journal: journal.map_err(Into::into),
            overview,
            standing: None,
            live,
        }
    }
}

/// Locks, whatever happened to a thread that held the lock before: what is behind these locks is consistent between statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
