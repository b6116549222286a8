//! What a running gate hands out to questions: the one place where it knows of them.

use std::sync::Arc;
use std::time::Duration;

use crate::decision::history::Who;
use crate::model::error::{QueryError, StateError};
use crate::model::time::Stamp;
use crate::query::{self, Live, Needs, Overview, Reader, Source, WaitingStatus};
use crate::rules::Limited;
use crate::store::journal::Check;
use crate::store::journal::read_only::open_read_only;
use crate::store::journal::segments::Segments;
use crate::store::ledger::{self, Ledger};
use crate::store::rules_file::InForce;

use super::transaction::NotNow;
use super::{Gate, lock};

/// How long a status waits for a look at the rules: it can always be told, and soon.
const LOOK_AT_RULES: Duration = Duration::from_millis(250);

impl From<NotNow> for QueryError {
    fn from(reason: NotNow) -> Self {
        match reason {
            NotNow::Failed(error) => error.into(),
            NotNow::Busy => {
                Self { code: "busy".to_owned(), message: "the journal is busy; try again".to_owned() }
            }
        }
    }
}

impl Source for Gate {
    fn reader(&self, needs: Needs, now: &Stamp) -> Reader<'_> {
        let rules = match needs {
            Needs::Rules | Needs::RulesAndJournal => {
                let rules = self.current_rules(now);
                Arc::new(InForce { rules, ..InForce::clone(&self.in_force()) })
            }
            Needs::Overview => {
                let _ = self.rules_within(LOOK_AT_RULES, now);
                self.in_force()
            }
            Needs::Head | Needs::Journal | Needs::Standing => self.in_force(),
        };
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let (mut overview, mut standing) = (Overview::default(), None);
        let journal = match needs {
            Needs::Rules => Ok(None),
            Needs::Head => {
                self.await_written();
                open_read_only(&self.directory).map_err(NotNow::Failed)
            }
            Needs::Journal | Needs::RulesAndJournal | Needs::Standing | Needs::Overview => {
                let mut look = |ledger: &Ledger| -> Result<Segments, StateError> {
                    match needs {
                        Needs::Standing => standing = Some(query::standing(ledger.history(), now, &is_dead)),
                        Needs::Overview => {
                            overview = Overview::of(ledger.history(), &rules.rules, now, &is_dead);
                        }
                        _ => {}
                    }
                    self.listing.segments(ledger.journal())
                };
                let limits =
                    if needs == Needs::Overview { query::to_look_at(&rules.rules) } else { Vec::new() };
                let looked = match self.look(&limits, now, &mut look) {
                    // What can't be written is told as waiting; the journal says the rest, if it can be read.
                    Err(NotNow::Failed(error)) if self.has_unwritten() => {
                        lock(&self.health).failed(&error, now);
                        self.look_as_written(&limits, now, look)
                    }
                    looked => looked,
                };
                looked.map(Some)
            }
        };
        if let (Needs::Overview, Err(NotNow::Failed(error))) = (needs, &journal) {
            lock(&self.health).failed(error, now);
        }
        Reader {
            settings: &self.settings,
            setting_problems: &self.setting_problems,
            instance: &self.instance,
            runtime: &self.runtime,
            state_dir: &self.directory.path,
            machine,
            world: &self.world,
            line_counts: &self.line_counts,
            now: *now,
            rules,
            policy: self.policy(),
            context_error: self.context_error(),
            journal: journal.map_err(Into::into),
            overview,
            standing,
            live: if needs == Needs::Overview { self.live() } else { Live::default() },
        }
    }
}

impl Gate {
    /// What only this gate knows.
    fn live(&self) -> Live {
        let rules_are_loading = self.rules_are_awaited();
        let light = lock(&self.light);
        let waiting =
            WaitingStatus { queued: light.waiting(), lost: light.backlog.lost, unwritten: light.unwritten };
        let seen = light.seen.clone();
        drop(light);
        Live { rules_are_loading, waiting, seen, degraded: lock(&self.health).degraded() }
    }

    /// Whether something waits to be written.
    fn has_unwritten(&self) -> bool {
        lock(&self.light).waiting() > 0
    }

    /// Runs `step` with the ledger up to date. Writes no record of its own, only what waits to be written, because it belongs to
    /// what is looked for.
    fn look<T>(
        &self,
        limits: &[Limited],
        now: &Stamp,
        step: impl FnOnce(&Ledger) -> Result<T, StateError>,
    ) -> Result<T, NotNow> {
        if self.has_unwritten() {
            let nobody = Who::default();
            let needs = all(limits, &nobody, now);
            return self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
                drop(proof);
                step(ledger)
            });
        }
        let seen = self.look_as_written(limits, now, step)?;
        lock(&self.health).works();
        Ok(seen)
    }

    /// The same, and what waits to be written goes on waiting.
    fn look_as_written<T>(
        &self,
        limits: &[Limited],
        now: &Stamp,
        step: impl FnOnce(&Ledger) -> Result<T, StateError>,
    ) -> Result<T, NotNow> {
        let (patience, nobody) = (self.patience(), Who::default());
        let needs = all(limits, &nobody, now);
        let mut slot = self.lock_slot(patience)?;
        drop(self.up_to_date(&mut slot, self.keep_ms(), &needs, patience, Check::All, now)?);
        let Some(ledger) = &slot.ledger else { return Err(NotNow::Busy) };
        Ok(step(ledger)?)
    }
}

/// What an answer about everything rests on.
fn all<'n>(limits: &'n [Limited], nobody: &'n Who, now: &Stamp) -> ledger::Needs<'n> {
    let more = ledger::Needs::default();
    ledger::Needs { newest: true, open: true, who: Some(nobody), limits, now: *now, ..more }
}
