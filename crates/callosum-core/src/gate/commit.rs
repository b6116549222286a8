//! A call whose line is written before it is answered, in three steps. Each knows only what the one before it gave.
//!
//! 1. **Plan.** [`plan`] says what is to be written and told, from the history, the call and the moment. It changes nothing, so it may
//!    run again.
//! 2. **Commit.** What is planned is appended in the hold of the guard in which it was planned: no line comes between what the
//!    plan saw and what it writes. Either it gives [`Committed`], or the call is planned again: where the history was not the
//!    journal's (files that were replaced, or a corrupt index), on a journal that is opened anew, once.
//!    A pause is promised to its ticket first: a host that gives the call up from then on is told its text.
//! 3. **Note.** Tickets and open calls learn from [`Committed`] alone what became of the call, when the guard is free for others
//!    and the ledger is not yet.

use std::sync::Arc;

use crate::decision::history::{History, Who};
use crate::decision::plan::{Despite, HostState, Plan, plan};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::journal::{Appended, Check, Patience, UpToDate};
use crate::store::ledger::{Ledger, Needs};

use super::intent::Intent;
use super::open_calls::{Phase, Unflushed};
use super::tickets::{Course, Promise, TOO_LATE, Work};
use super::transaction::NotNow;
use super::{Answer, Gate, lock};

/// What was written of a call.
enum Committed {
    /// Its start, and what speaks against it all the same.
    Start(Appended, Option<Despite>),
    /// That it was paused or blocked, which its host is told with this text.
    Refusal(String),
    /// That its host refused it, with this text.
    HostRefusal(String),
}

impl Gate {
    /// Plans a call, commits the plan and notes it; plans again where the journal was not what it was planned on.
    pub(super) fn decide_and_write(
        &self,
        shared: &mut Arc<Intent>,
        patience: Patience,
        course: &Course,
        now: &Stamp,
    ) -> Result<Answer, NotNow> {
        match self.plan_and_commit(shared, patience, course, now) {
            Err(NotNow::Failed(StateError::Replaced { .. })) => {
                self.plan_and_commit(shared, patience, course, now)
            }
            result => result,
        }
    }

    fn plan_and_commit(
        &self,
        shared: &mut Arc<Intent>,
        patience: Patience,
        course: &Course,
        now: &Stamp,
    ) -> Result<Answer, NotNow> {
        let (keys, who, limits) = (shared.all_keys(), shared.who(), shared.terms.limits.clone());
        let (needs, check) = if shared.tier.is_guarded() {
            let (who, limits) = (Some(&who), limits.as_slice());
            (Needs { keys: &keys, who, limits, now: *now, ..Needs::default() }, Check::All)
        } else {
            (Needs::default(), Check::Journal)
        };
        let result = self.with_ledger(&needs, patience, check, now, |ledger, proof| {
            // Two workers may have come for one call: what the first decided holds.
            if !matches!(patience, Patience::None)
                && let Some(answer) = self.same_call_again(shared, patience, now)
            {
                return Ok(answer);
            }
            let intent = Arc::make_mut(shared);
            let plan = self.plan(
                intent,
                (&who, &keys),
                course.host_state(intent.terms.observe),
                ledger.history(),
                now,
            );
            match &plan {
                Plan::Refuse(refusal) => {
                    let window_ms = self.settings.recent_window_ms;
                    ledger.load_newest(|history, from| refusal.can_be_told(history, from, window_ms, now))?;
                    ledger.load_places(&refusal.sessions(ledger.history(), window_ms, now))?;
                }
                Plan::Allow { despite: Some(despite), .. } if !despite.observed => {
                    ledger.load_places(&despite.sessions(ledger.history(), now))?;
                }
                Plan::Allow { .. } | Plan::HostRefused(_) => {}
            }
            let announced = self.announce(plan, intent, (&who, &keys), course, ledger.history(), now);
            let committed = self.commit(announced, intent, course, ledger, &proof, now)?;
            drop(proof);
            Ok(self.note_committed(committed, shared, course, ledger.history(), now))
        });
        if result.is_err() {
            course.withdraw();
        }
        result
    }

    /// What is to be done about a call on this history.
    pub(super) fn plan(
        &self,
        intent: &Intent,
        (who, keys): (&Who, &[String]),
        host: HostState<'_>,
        history: &History,
        now: &Stamp,
    ) -> Plan {
        let call_facts = intent.terms.call_facts(who, keys, &self.settings);
        let host = if host == HostState::Waits && intent.can_ask { HostState::Asks } else { host };
        let machine = self.machine();
        plan(history, &call_facts, host, now, &|boot, holder: &_| machine.is_dead(boot, holder))
    }

    /// A plan that its host is sure to be told of, and the text of a refusal: a retry goes by the line of a pause, which must not stand
    /// there of one that nobody was shown. What the host has done meanwhile goes before it.
    fn announce(
        &self,
        plan: Plan,
        intent: &Intent,
        of: (&Who, &[String]),
        course: &Course,
        history: &History,
        now: &Stamp,
    ) -> (Plan, String) {
        let Plan::Refuse(refusal) = &plan else { return (plan, String::new()) };
        let text = refusal.text(history, intent.digest(), self.settings.recent_window_ms, now);
        match course.promise(&text) {
            Promise::Made => (plan, text),
            Promise::Refused(text) => (Plan::HostRefused(text), String::new()),
            Promise::Runs => (self.plan(intent, of, HostState::Runs, history, now), String::new()),
        }
    }

    /// Appends what is planned, in the hold of the guard that `proof` stands for.
    fn commit(
        &self,
        (plan, told): (Plan, String),
        intent: &mut Intent,
        course: &Course,
        ledger: &mut Ledger,
        proof: &UpToDate,
        now: &Stamp,
    ) -> Result<Committed, StateError> {
        let (text, started) = match plan {
            Plan::Allow { despite, shown } => {
                let holder = self.machine().holder();
                let record = match &despite {
                    Some(despite) => intent.start_despite(despite, holder, now),
                    None => intent.start(holder, now),
                };
                record.evidence = shown;
                let start = self.append_of_call(ledger, proof, record, now)?;
                // A process that ends now writes no more than this.
                let Some(text) = course.refused() else { return Ok(Committed::Start(start, despite)) };
                (text.to_owned(), Some(start.seq))
            }
            Plan::Refuse(mut refusal) => {
                let record = intent.refusal(&mut refusal, now);
                self.append_of_call(ledger, proof, record, now)?;
                return Ok(Committed::Refusal(told));
            }
            Plan::HostRefused(text) => (text, None),
        };
        ledger.append(proof, &intent.refused(TOO_LATE, started, now), now)?;
        Ok(Committed::HostRefusal(text))
    }

    /// Tells tickets and open calls what became of a call, and the host.
    fn note_committed(
        &self,
        committed: Committed,
        shared: &mut Arc<Intent>,
        course: &Course,
        history: &History,
        now: &Stamp,
    ) -> Answer {
        let intent = Arc::make_mut(shared);
        let text = match committed {
            Committed::Start(Appended { seq, end, file, .. }, despite) => {
                if let Some(despite) = despite.filter(|despite| !despite.observed) {
                    let text = despite.text(history, intent.digest(), now);
                    intent.leave = if despite.is_asked() { Answer::Ask(text) } else { Answer::Warn(text) };
                }
                let is_guarded = intent.tier.is_guarded();
                let unflushed = (is_guarded && self.flushes()).then_some(Unflushed { file, end });
                let phase = if intent.tier.is_tracked() {
                    let leave = intent.leave.clone();
                    Phase::Allowed { seq, is_guarded, unflushed: unflushed.clone(), leave }
                } else {
                    Phase::Light
                };
                self.note(intent, phase, now);
                course.begun(seq);
                return match unflushed {
                    Some(unflushed) => {
                        self.later(Work::FlushIntent { intent: Arc::clone(shared), seq, unflushed })
                    }
                    None => intent.leave.clone(),
                };
            }
            Committed::Refusal(text) | Committed::HostRefusal(text) => text,
        };
        self.note(intent, Phase::Refused(text.clone()), now);
        Answer::Refuse(text)
    }

    /// Notes how far the gate is with a call; writes its outcome when that came while it was decided.
    pub(super) fn note(&self, intent: &mut Intent, phase: Phase, now: &Stamp) {
        let seq = if let Phase::Allowed { seq, .. } = &phase { Some(*seq) } else { None };
        let early = lock(&self.light).calls.note(intent, phase, now);
        if let (Some(report), Some(seq)) = (early, seq) {
            // Left to `maintain`: this may be the end of a worker's patience.
            let _ = self.ended_early(seq, &report);
        }
    }
}

#[cfg(test)]
mod tests;
