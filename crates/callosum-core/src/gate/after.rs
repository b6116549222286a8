//! After a tool call: its outcome, and that its refusal was read.

use std::sync::Arc;
use std::time::Instant;

use crate::decision::history::{Action as Past, History, Who};
use crate::model::digest::{digest, mark};
use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::model::tool_call::{AllParameters, Parameters, ToolCall, is_wrapper};
use crate::record::outcome::{Ended, outcome_of};
use crate::record::{Action, Ending, Record};
use crate::rules::context_key::keys_or_digest;
use crate::rules::{Classification, World};
use crate::store::journal::{Check, Patience, UpToDate};
use crate::store::ledger::{Ledger, Needs};
use callosum_shell::ExitCodes;

use super::call_id::CallRef;
use super::call_id::short_name;
use super::health::Level;
use super::late::{Delivery, LateEnd, Target};
use super::open_calls::{Phase, Unflushed};
use super::report::{EndReport, Ran};
use super::tickets::Work;
use super::transaction::NotNow;
use super::{Answer, Gate, Light, lock};

/// Whether an after-hook was told what ran: a host that shows no parameters, or not all of them, says nothing about it.
fn shows_all(params: &AllParameters<'_>) -> bool {
    params.complete && params.value.as_object().is_some_and(|params| !params.is_empty())
}

/// Runs whose signals are remembered.
const MAX_SIGNALLED_RUNS: usize = 1_024;

impl Gate {
    /// The after-hook of a call, as far as it may be one of which no more is written: of tier 0 or 1, or one that only
    /// carries others. False when it is not, and then nothing has been done: go on with [`Gate::after_written`]. It
    /// asks for no more than nearly every call needs.
    pub fn after_unwritten(&self, session: &str, run: Option<&str>, call: Option<&str>) -> bool {
        let (run, call) = (run.map(short_name), call.map(short_name));
        let session = short_name(session);
        let Some(id) = CallRef::new(&session, run.as_deref(), call.as_deref()) else { return false };
        let mut light = lock(&self.light);
        let Some(counted) = light.calls.close_unwritten(id) else { return false };
        if let Some(tool) = counted.filter(|_| !self.is_closed()) {
            light.count(&tool, |counts| counts.after += 1);
        }
        true
    }

    /// The after-hook of a call. For a host's event loop; a ticket in the answer need not be waited for.
    pub fn after(&self, report: &EndReport, now: &Stamp) -> Answer {
        self.ended(&report.with_short_names(), now)
    }

    /// The after-hook of a call, its names cut.
    fn ended(&self, report: &EndReport, now: &Stamp) -> Answer {
        let mut light = lock(&self.light);
        let phase = report.id().and_then(|id| light.calls.close(id, report));
        if self.is_closed()
            || is_wrapper(&self.runtime, &report.tool)
            || matches!(phase, Some(Phase::Wrapper))
        {
            return Answer::Proceed;
        }
        light.count(&report.tool, |counts| counts.after += 1);
        if let Some(Phase::Queued(number)) = phase
            && self.end_queued(&mut light, number, report, now)
        {
            drop(light);
            return self.writer().map_or(Answer::ProceedThenMaintain, |writer| self.leave_to(writer));
        }
        drop(light);
        match phase {
            Some(Phase::Wrapper | Phase::Light | Phase::Deciding(_)) => Answer::Proceed,
            Some(Phase::Allowed { seq, is_guarded, .. }) => {
                self.end_in_hook(Target::Seq(seq), report, is_guarded, now)
            }
            Some(Phase::Refused(_)) => {
                if report.ended != Ended::Refused {
                    let text = format!(
                        "the host ran `{}` although it was refused",
                        crate::model::text::one_line(&report.tool, 80)
                    );
                    lock(&self.health).tell(Level::Warn, text);
                }
                Answer::Proceed
            }
            // Not seen here: a call from before this gate was loaded, or one that never passed it.
            None | Some(Phase::Queued(_)) => self.end_in_hook(Target::Reported, report, true, now),
        }
    }

    /// The after-hook of a call, with the parameters it ran with where the host shows them: other plugins may
    /// have rewritten them where no gate sees it. For a host's event loop, like `after`.
    pub fn after_seeing(&self, report: &EndReport, params: &dyn Parameters, now: &Stamp) -> Answer {
        if self.after_unwritten(&report.session, report.run.as_deref(), report.call.as_deref()) {
            return Answer::Proceed;
        }
        self.after_written(report, params, now)
    }

    /// The same for a call that [`Gate::after_unwritten`] left.
    pub fn after_written(&self, report: &EndReport, params: &dyn Parameters, now: &Stamp) -> Answer {
        let mut report = report.with_short_names();
        if report.id().is_some_and(|id| lock(&self.light).calls.are_several(id)) {
            let all = params.all();
            if shows_all(&all) {
                report.to_mut().digest = Some(digest(&report.tool, &all));
            }
        }
        if let Some(ran) = self.what_ran(&report, params, now) {
            report.to_mut().ran = Some(ran);
        }
        self.ended(&report, now)
    }

    /// What ran, when that was not what the gate was asked about.
    fn what_ran(&self, report: &EndReport, params: &dyn Parameters, now: &Stamp) -> Option<Ran> {
        if report.ended == Ended::Refused {
            return None;
        }
        let id = report.id()?;
        let all = params.all();
        if !shows_all(&all) {
            return None;
        }
        // Nearly always it ran as it was asked, and a digest costs more than to see that.
        let cwd = lock(&self.light).calls.rewritten(id, report, mark(&report.tool, &all))?;
        let digest = digest(&report.tool, &all);
        let call = ToolCall {
            tool: report.tool.clone(),
            kind: None,
            agent: report.agent.clone(),
            session: report.session.clone(),
            run: report.run.clone(),
            call: report.call.clone(),
            cwd,
            can_ask: false,
        };
        let rules = self.rules_in_hook(now)?;
        let Classification { tier, context_keys, not_done_codes, .. } =
            rules.classify(&call, &self.runtime, params, &World::unseen());
        let keys = keys_or_digest(context_keys, tier, &call.tool, &digest);
        Some(Ran { tier, keys, digest, not_done_codes })
    }

    /// A background process of an earlier running call has ended. For a host's event loop.
    pub fn process_ended(&self, process: &str, ended: Ended, exit_code: Option<i64>, now: &Stamp) -> Answer {
        if self.is_closed() {
            return Answer::Proceed;
        }
        let report = EndReport {
            tool: "process".to_owned(),
            agent: None,
            session: String::new(),
            run: None,
            call: None,
            digest: None,
            ended,
            exit_code,
            process: Some(process.to_owned()),
            ran: None,
        };
        self.end_in_hook(Target::Background(process.to_owned()), &report, true, now)
    }

    /// Writes an outcome, or has the writer write it: before anything else is decided. What `may_be_guarded` is made durable.
    fn end_in_hook(&self, target: Target, report: &EndReport, may_be_guarded: bool, now: &Stamp) -> Answer {
        let Some(writer) = self.writer() else { return self.end(&target, report, Patience::None, now) };
        lock(&self.light).end_late(target, report);
        match self.leave_to(writer) {
            Answer::Proceed if may_be_guarded && self.flushes() => self.later(Work::WriteWaiting),
            answer => answer,
        }
    }

    /// Writes an outcome, or leaves that to a worker.
    pub(super) fn end(&self, target: &Target, report: &EndReport, patience: Patience, now: &Stamp) -> Answer {
        let needs = Needs { open: !matches!(target, Target::Seq(_)), ..Needs::default() };
        let result = self.with_ledger(&needs, patience, Check::Seldom, now, |ledger, proof| {
            let Some(mut record) = self.outcome_record(ledger, target, report, now)? else { return Ok(None) };
            let guarded = record.tier.is_some_and(crate::model::tier::Tier::is_guarded);
            let is_running = record.action == Action::Running;
            let appended = self.append_of_call(ledger, &proof, &mut record, now)?;
            Ok((guarded && !is_running).then_some(appended))
        });
        match result {
            Ok(Some(appended)) if self.flushes() => {
                self.later(Work::FlushOutcome(Unflushed { file: appended.file, end: appended.end }))
            }
            Ok(_) => Answer::Proceed,
            Err(NotNow::Busy) => {
                self.later(Work::End { target: target.clone(), report: Box::new(report.clone()) })
            }
            Err(NotNow::Failed(error)) => self.end_failed(target, report, &error, now),
        }
    }

    pub(super) fn outcome_record(
        &self,
        ledger: &mut Ledger,
        target: &Target,
        report: &EndReport,
        now: &Stamp,
    ) -> Result<Option<Record>, StateError> {
        match target {
            Target::Seq(seq) => ledger.load_action(*seq)?,
            Target::Reported | Target::Background(_) => {
                let needs = Needs { open: true, ..Needs::default() };
                let _ = ledger.load(&needs, Patience::Until(Instant::now()))?;
            }
        }
        let Some(action) = self.find(ledger.history(), target, report) else {
            return Ok(self.unseen_call_record(report, now));
        };
        // A settled call stays as it is: the host repeats itself, or the gate itself closed it as refused.
        if action.outcome.as_ref().is_some_and(|outcome| outcome.ending != Ending::Unknown) {
            return Ok(None);
        }
        let record = self.outcome_of_action(action, report, now);
        // Nothing new: unknown it is already.
        if record.action == Action::Unknown && action.outcome.is_some() {
            return Ok(None);
        }
        Ok(Some(record))
    }

    /// The record that says how an action ended.
    pub(super) fn outcome_of_action(&self, action: &Past, report: &EndReport, now: &Stamp) -> Record {
        let kind = kind_of(report, action.not_done_codes, action.keys.len());
        let mut record = Record::new(kind, &action.who.instance, now);
        record.tier = Some(action.tier);
        record.of = vec![action.seq];
        record.attempt = action.attempt;
        record.runtime = Some(self.runtime.clone());
        record.agent.clone_from(&report.agent);
        record.session = Some(action.who.session.clone());
        record.run.clone_from(&action.run);
        record.call.clone_from(&action.call);
        record.tool = Some(action.tool.clone());
        record.context_keys = action.keys.iter().map(|key| key.as_ref().to_owned()).collect();
        record.rewritten = action.rewritten;
        if action.rewritten {
            record.digest.clone_from(&action.digest);
        }
        record.exit_code = report.exit_code;
        record.reason = match report.ended {
            Ended::Refused if action.asked => Some(NOT_ALLOWED.to_owned()),
            ended => reason(ended).map(str::to_owned),
        };
        if record.action == Action::Running {
            record.process.clone_from(&report.process);
        }
        tell_what_ran(&mut record, report);
        record
    }

    fn find<'a>(&self, history: &'a History, target: &Target, report: &EndReport) -> Option<&'a Past> {
        let own = self.machine().holder();
        match target {
            // In a journal that was replaced meanwhile, the number may be somebody else's.
            Target::Seq(seq) => history.action(*seq).filter(|action| {
                *action.who == Who::here(&self.instance, &report.session)
                    && (&action.run, &action.call) == (&report.run, &report.call)
            }),
            Target::Background(process) => history.background(&self.instance, process, own),
            Target::Reported => {
                let who = Who::here(&self.instance, &report.session);
                history.open_calls(&who).find(|action| {
                    let same = match &report.call {
                        Some(_) => action.call == report.call && action.run == report.run,
                        None => action.call.is_none() && action.digest == report.digest,
                    };
                    same && action.tool == report.tool && action.holder == own
                })
            }
        }
    }

    /// A call that was refused before it reached this gate leaves one row; any other that the gate has not
    /// seen leaves none: without its before-hook nothing is known of it.
    fn unseen_call_record(&self, report: &EndReport, now: &Stamp) -> Option<Record> {
        if report.ended != Ended::Refused {
            return None;
        }
        let mut record = Record::new(Action::Refused, &self.instance, now);
        record.runtime = Some(self.runtime.clone());
        record.agent.clone_from(&report.agent);
        record.session = Some(report.session.clone());
        record.run.clone_from(&report.run);
        record.call.clone_from(&report.call);
        record.tool = Some(report.tool.clone());
        record.reason = Some("refused before it reached the gate".to_owned());
        Some(record)
    }

    /// If the start still waits in the backlog, the outcome waits with it.
    pub(super) fn end_queued(&self, light: &mut Light, number: u64, report: &EndReport, now: &Stamp) -> bool {
        let Some(start) = light.backlog.find(number) else { return false };
        let kind = kind_of(report, start.not_done_codes, start.context_keys.len());
        let mut outcome = Record::new(kind, &self.instance, now);
        outcome.tier = start.tier;
        outcome.attempt = start.attempt;
        outcome.runtime.clone_from(&start.runtime);
        outcome.agent.clone_from(&start.agent);
        outcome.session.clone_from(&start.session);
        outcome.run.clone_from(&start.run);
        outcome.call.clone_from(&start.call);
        outcome.tool.clone_from(&start.tool);
        outcome.context_keys.clone_from(&start.context_keys);
        outcome.exit_code = report.exit_code;
        outcome.reason = reason(report.ended).map(str::to_owned);
        outcome.process.clone_from(&report.process);
        tell_what_ran(&mut outcome, report);
        light.backlog.add_outcome(number, outcome);
        true
    }

    /// An outcome can't be written now: it waits, if it is known what it is about.
    fn end_failed(&self, target: &Target, report: &EndReport, error: &StateError, now: &Stamp) -> Answer {
        lock(&self.health).failed(error, now);
        let mut light = lock(&self.light);
        light.unwritten += 1;
        light.end_late(target.clone(), report);
        Answer::ProceedThenMaintain
    }

    /// An outcome that came while its call was still being decided.
    pub(super) fn ended_early(&self, seq: u64, report: &EndReport) -> Answer {
        lock(&self.light).end_late(Target::Seq(seq), report);
        self.have_written();
        Answer::ProceedThenMaintain
    }

    /// The host has stored the result of this call for the model. For a host's event loop.
    pub fn result_persisted(&self, session: &str, call: &str, now: &Stamp) -> Answer {
        self.deliver(
            &Delivery::Call {
                session: short_name(session).into_owned(),
                call: short_name(call).into_owned(),
            },
            Patience::None,
            now,
        )
    }

    /// A model call of this run begins: the model has seen every result of the run so far. For a host's
    /// event loop.
    pub fn model_call_started(&self, run: &str, now: &Stamp) -> Answer {
        let run = short_name(run).into_owned();
        {
            let mut light = lock(&self.light);
            if light.signalled_set.insert(run.clone()) {
                light.signalled.push_back(run.clone());
                if light.signalled.len() > MAX_SIGNALLED_RUNS
                    && let Some(oldest) = light.signalled.pop_front()
                {
                    light.signalled_set.remove(&oldest);
                }
            }
        }
        self.deliver(&Delivery::Run(run), Patience::None, now)
    }

    pub(super) fn deliver(&self, delivery: &Delivery, patience: Patience, now: &Stamp) -> Answer {
        if self.is_closed() {
            return Answer::Proceed;
        }
        lock(&self.light).calls.forget_read(|id| match delivery {
            Delivery::Call { session, call } => id.session == session && id.call == call,
            Delivery::Run(run) => id.run == Some(run.as_str()),
        });
        let in_hook = matches!(patience, Patience::None);
        // Nearly every signal delivers nothing: look before taking the guard. This process's own pauses
        // are in its history at once, and no other process signals for them.
        match self.slot.try_lock() {
            Ok(slot) => match &slot.ledger {
                Some(ledger) if self.undelivered(delivery, ledger.history()).is_empty() => {
                    return Answer::Proceed;
                }
                // Not in a hook: it leaves files alone.
                Some(_) if in_hook && self.writer().is_some() => return self.deliver_soon(delivery),
                Some(_) => {}
                // Never opened, or let go after a failure.
                None => {
                    self.have_rules_loaded();
                    return self.deliver_late(delivery);
                }
            },
            Err(_) => {
                if in_hook && self.writer().is_some() {
                    return self.deliver_soon(delivery);
                }
                if in_hook {
                    return self.later(Work::Deliver(delivery.clone()));
                }
            }
        }
        let result = self.with_ledger(&Needs::default(), patience, Check::Seldom, now, |ledger, proof| {
            self.write_delivered(ledger, &proof, delivery, now)
        });
        match result {
            Ok(()) => Answer::Proceed,
            Err(NotNow::Busy) => self.later(Work::Deliver(delivery.clone())),
            Err(NotNow::Failed(error)) => {
                lock(&self.health).failed(&error, now);
                self.deliver_late(delivery)
            }
        }
    }

    /// The pauses that `delivery` is about and that count as unread.
    fn undelivered(&self, delivery: &Delivery, history: &History) -> Vec<(Arc<Who>, Vec<u64>)> {
        history.undelivered(&self.instance, |who, pause| match delivery {
            Delivery::Call { session, call } => who.session == *session && pause.call.as_ref() == Some(call),
            Delivery::Run(run) => pause.run.as_ref() == Some(run),
        })
    }

    pub(super) fn write_delivered(
        &self,
        ledger: &mut Ledger,
        proof: &UpToDate,
        delivery: &Delivery,
        now: &Stamp,
    ) -> Result<(), StateError> {
        for (who, pauses) in self.undelivered(delivery, ledger.history()) {
            let mut record = Record::new(Action::Delivered, &self.instance, now);
            record.session = Some(who.session.clone());
            record.of = pauses;
            ledger.append(proof, &record, now)?;
        }
        Ok(())
    }

    /// A signal that the writer writes.
    fn deliver_soon(&self, delivery: &Delivery) -> Answer {
        let answer = self.deliver_late(delivery);
        self.have_written();
        answer
    }

    /// A signal that can't be written now: without it the retry that a pause asked for would be paused again.
    fn deliver_late(&self, delivery: &Delivery) -> Answer {
        let mut light = lock(&self.light);
        if !light.late_deliveries.contains(delivery) {
            light.late_deliveries.push_back(delivery.clone());
            if light.late_deliveries.len() > MAX_LATE_DELIVERIES {
                light.late_deliveries.pop_front();
            }
        }
        Answer::Proceed
    }
}

impl Light {
    /// Keeps an outcome that can't be written now.
    fn end_late(&mut self, target: Target, report: &EndReport) {
        let behind = self.backlog.newest();
        self.late_ends.push_back(LateEnd { target, report: report.clone(), behind });
        if self.late_ends.len() > MAX_LATE_ENDS {
            self.late_ends.pop_front();
            self.backlog.lost += 1;
        }
    }
}

/// Signals that wait: there is one for each model call of a gateway that has gated nothing yet.
const MAX_LATE_DELIVERIES: usize = 256;
/// Outcomes that wait for the state to work again; more are lost, and counted.
const MAX_LATE_ENDS: usize = 4_096;

/// What the end of a call proves; `not_done_codes` and `key_count` are those of what was asked.
fn kind_of(report: &EndReport, not_done_codes: ExitCodes, key_count: usize) -> Action {
    let asked = (not_done_codes, key_count);
    let (codes, key_count) = report.ran.as_ref().map_or(asked, |ran| (ran.not_done_codes, ran.keys.len()));
    outcome_of(report.ended, report.exit_code, codes, key_count)
}

/// Puts into an outcome, as far as it is known, what ran instead of what was asked. Where the rewritten call
/// is none that the rules know (a wrapper in front of the command, say), it may still have done what was
/// asked: the resource stays, and the outcome is open.
fn tell_what_ran(record: &mut Record, report: &EndReport) {
    let sorted = |keys: &[String]| {
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys
    };
    let Some(ran) = report.ran.as_ref().filter(|ran| sorted(&ran.keys) != sorted(&record.context_keys))
    else {
        return;
    };
    let what = if ran.tier.is_tracked() {
        record.rewritten = true;
        record.context_keys.clone_from(&ran.keys);
        record.digest = Some(ran.digest.clone());
        "its parameters were rewritten after it was checked: it acted on this instead"
    } else {
        if record.action == Action::Complete {
            record.action = Action::Unknown;
        }
        "its parameters were rewritten after it was checked, into something that no rule knows"
    };
    let how = record.reason.take().map(|how| format!("; {how}")).unwrap_or_default();
    record.reason = Some(format!("{what}{how}"));
}

/// Why a call did not run that its host asked a person about.
const NOT_ALLOWED: &str = "it was left to a person, and nobody allowed it";

/// Why an outcome is not simply what its exit code says.
fn reason(ended: Ended) -> Option<&'static str> {
    match ended {
        Ended::Ok | Ended::Running => None,
        Ended::Error => Some("the tool failed"),
        Ended::Refused => Some("refused before it ran"),
        Ended::Aborted => Some("aborted"),
        Ended::TimedOut => Some("timed out"),
        Ended::Killed => Some("killed"),
        Ended::Maybe => Some("failed, but may have acted first"),
    }
}
