//! Before a tool call.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Instant;

use crate::model::error::StateError;
use crate::model::redact::redact_key;
use crate::model::settings::OnStateError;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::policy::Denial;
use crate::record::light::LightLine;
use crate::record::{HookCounts, PROGRAM, Record, has_room};
use crate::rules::{Classification, RuleSet, World};
use crate::store::journal::{Check, Patience};
use crate::store::ledger::Needs;

use super::call_id::{CallRef, with_short_names};
use super::health::Level;
use super::intent::{Intent, first_line};
use super::open_calls::{Phase, Unflushed};
use super::tickets::{Course, GivenUp, Work};
use super::transaction::NotNow;
use super::writer::{Order, Writer};
use super::{Answer, Gate, Light, lock};

/// Tools counted between two `seen` records; more are not.
const MAX_SEEN_TOOLS: usize = 500;
/// And programs.
const MAX_SEEN_PROGRAMS: usize = 100;

/// Why nothing is decided about a call of which a limit cut off what its rules ask for, and what helps.
const CUT_SHORT: &str = "its parameters are too large to be read whole";
const CUT_REMEDY: &str = "make the call smaller";

impl Light {
    /// Counts a hook of a call of `tool`, or a program.
    pub(super) fn count(&mut self, tool: &str, add: impl FnOnce(&mut HookCounts)) {
        if let Some(counts) = self.seen.get_mut(tool) {
            add(counts);
        } else if has_room(self.seen.keys(), tool, MAX_SEEN_TOOLS, MAX_SEEN_PROGRAMS)
            && let Entry::Vacant(place) = self.seen.entry(tool.to_owned())
        {
            add(place.insert(HookCounts::default()));
        }
    }

    /// Closes an open call as refused with the text that its model reads. Returns the record that says so; `started` is the call's
    /// start, if it was written.
    pub(super) fn close_as_refused(
        &mut self,
        intent: &Intent,
        started: Option<u64>,
        reason: &str,
        text: &str,
        now: &Stamp,
    ) -> Record {
        let known = intent.id().zip(intent.open).and_then(|(id, number)| {
            let phase = self.calls.phase(id, number);
            let known = if let Some(Phase::Allowed { seq, .. }) = phase { Some(*seq) } else { None };
            // The after-hook of this refusal must find it.
            let _ = self.calls.settle(id, number, Phase::Refused(text.to_owned()), now);
            known
        });
        // The open call knows better: the journal may have been lost and written anew.
        intent.refused(reason, known.or(started), now)
    }
}

impl Gate {
    /// What becomes of a tool call. For a host's event loop: it never waits.
    pub fn before(&self, call: &ToolCall, params: &dyn Parameters, now: &Stamp) -> Answer {
        if self.is_closed() {
            return Answer::Proceed;
        }
        let call = with_short_names(call);
        if call.is_wrapper(&self.runtime) {
            // The after-hook does not say of what kind the call was.
            lock(&self.light).calls.open(&call, Phase::Wrapper, now);
            return Answer::Proceed;
        }
        self.count(&call.tool, |counts| counts.before += 1);
        // The look at the rules is one at the policy, too.
        let rules = self.rules_in_hook(now);
        let policy = self.policy();
        let classify = |rules: &RuleSet| {
            let (unseen, uncovered) = (World::unseen(), RefCell::default());
            let (watch, programs) = (policy.watch(), Some(&uncovered));
            let classification =
                rules.classify_watching(&call, &self.runtime, params, &unseen, watch, programs);
            self.count_programs(uncovered.into_inner());
            classification
        };
        let Some(rules) = rules else {
            return self.classify_later(&call, params, classify(&RuleSet::shipped()));
        };
        let classification = classify(&rules);
        let denial = self.protects(&policy, &classification);
        let asks = classification.asked_around && classification.tier.is_tracked();
        if denial.is_none() && (asks || classification.names_kept) {
            return self.classify_later(&call, params, classification);
        }
        if let Some(denial) = denial {
            let intent = self.intent(&call, classification, params);
            return self.by_denial(&call, intent, denial, (Patience::None, &Course::default()), now);
        }
        if let Some(answer) = self.cut_short(&rules, &call, params, &classification, now) {
            return answer;
        }
        if !classification.tier.is_tracked() {
            return self.light(&call, classification, params, now);
        }
        let intent = self.signalled(&call, self.intent(&call, classification, params));
        match self.writer() {
            Some(writer) => self.leave_or_hand_over(writer, intent, now),
            None => self.begin(intent, Patience::None, &Course::default(), now),
        }
    }

    /// The same for a call that came before the rules were there, or whose keys ask for what lies around it: on a thread that may
    /// wait.
    pub(super) fn classified(
        &self,
        call: &ToolCall,
        params: &dyn Parameters,
        patience: Patience,
        course: &Course,
        now: &Stamp,
    ) -> Answer {
        let rules = self.current_rules(now);
        let policy = self.policy();
        let classification =
            rules.classify_watching(call, &self.runtime, params, &self.world, policy.watch(), None);
        let of = (self.runtime.as_str(), self.instance.as_str());
        if let Some(denial) = self.judged(&policy, &classification, call, params, of, &self.world) {
            let intent = self.intent(call, classification, params);
            return self.by_denial(call, intent, denial, (patience, course), now);
        }
        if let Some(answer) = self.cut_short(&rules, call, params, &classification, now) {
            return answer;
        }
        let is_light = !classification.tier.is_tracked() && self.goes_on_unwritten(classification.tier);
        // By the shipped rules the host may have refused it meanwhile.
        if is_light && !course.is_given_up() {
            return self.light(call, classification, params, now);
        }
        let intent = self.signalled(call, self.intent(call, classification, params));
        course.is_about(&intent);
        self.begin(intent, patience, course, now)
    }

    /// What becomes of a call that may be what a stricter rule is for, because a limit cut off what its rules ask for.
    fn cut_short(
        &self,
        rules: &RuleSet,
        call: &ToolCall,
        params: &dyn Parameters,
        classification: &Classification,
        now: &Stamp,
    ) -> Option<Answer> {
        if !params.was_cut() {
            return None;
        }
        let tier = rules.strictest_for(call, &self.runtime, true);
        if tier <= classification.tier {
            return None;
        }
        let mut intent = self.intent(call, Classification { tier, ..classification.clone() }, params);
        Some(self.by_policy(&mut intent, CUT_SHORT, (CUT_SHORT, CUT_REMEDY), now))
    }

    /// What becomes of a call that the policy would refuse. Where that is only written down, it is decided as any other.
    fn by_denial(
        &self,
        call: &ToolCall,
        intent: Intent,
        denial: Denial,
        (patience, course): (Patience, &Course),
        now: &Stamp,
    ) -> Answer {
        if !denial.observed {
            let mut intent = Arc::new(intent);
            if let Some(answer) = self.same_call_again(&mut intent, Patience::None, now) {
                return answer;
            }
            course.is_about(&intent);
            // Who gave it up has closed it.
            return if course.is_given_up() {
                Answer::Refuse(denial.text)
            } else {
                self.deny(intent, denial, now)
            };
        }
        let intent = self.signalled(call, intent.denied_in_observation(&denial));
        course.is_about(&intent);
        match self.writer().filter(|_| matches!(patience, Patience::None)) {
            Some(writer) => self.leave_or_hand_over(writer, intent, now),
            None => self.begin(intent, patience, course, now),
        }
    }

    /// Notes whether the host will tell when a pause of this call is read.
    fn signalled(&self, call: &ToolCall, mut intent: Intent) -> Arc<Intent> {
        if intent.tier.is_guarded() {
            intent.signal =
                call.run.as_ref().is_some_and(|run| lock(&self.light).signalled_set.contains(run));
        }
        Arc::new(intent)
    }

    /// Whether a call goes on before its line is written: not where everything is refused that can't be written.
    pub(super) fn goes_on_unwritten(&self, tier: Tier) -> bool {
        !tier.is_guarded() && self.settings.on_state_error != OnStateError::Closed
    }

    /// Beside an event loop: the writer decides about a call, or writes it when it has gone on.
    fn leave_or_hand_over(&self, writer: &Writer, mut shared: Arc<Intent>, now: &Stamp) -> Answer {
        if let Some(answer) = self.same_call_again(&mut shared, Patience::None, now) {
            return answer;
        }
        let intent = Arc::make_mut(&mut shared);
        if intent.too_many_keys && intent.tier.is_guarded() {
            let answer = self.too_many_resources(intent, now);
            writer.order(Order::Write);
            return answer;
        }
        if self.goes_on_unwritten(intent.tier) {
            self.queue_start(intent, now);
            return self.leave_to(writer);
        }
        let _ = lock(&self.light).calls.note(intent, Phase::Deciding(None), now);
        self.hand_over(writer, shared)
    }

    /// The answer for a call about which nothing could be decided because the gate itself failed: what
    /// `onStateError` says of its tier.
    pub fn answer_after_panic(&self, call: &ToolCall, params: &dyn Parameters, now: &Stamp) -> Answer {
        let (cause, remedy) = GivenUp::Failed.cause_and_remedy();
        lock(&self.health).tell(Level::Error, format!("{cause}, at a call of `{}`", call.tool));
        let call = &*with_short_names(call);
        let rules = self.rules_in_hook(now).unwrap_or_else(|| Arc::new(RuleSet::shipped()));
        let classification = rules.classify(call, &self.runtime, params, &World::unseen());
        let mut intent = self.intent(call, classification, params);
        self.by_policy(&mut intent, cause, (cause, remedy), now)
    }

    pub(super) fn intent(
        &self,
        call: &ToolCall,
        classification: Classification,
        params: &dyn Parameters,
    ) -> Intent {
        Intent::new(call, classification, params, &self.settings, &self.instance, &self.runtime)
    }

    /// Tier, rule and keys of a call by the rules that hold now. For a thread that may wait.
    pub fn classify(&self, call: &ToolCall, params: &dyn Parameters, now: &Stamp) -> Classification {
        self.current_rules(now).classify(call, &self.runtime, params, &self.world)
    }

    pub(super) fn count(&self, tool: &str, add: impl FnOnce(&mut HookCounts)) {
        lock(&self.light).count(tool, add);
    }

    /// Counts the programs of a call's line that no rule names.
    fn count_programs(&self, programs: Vec<String>) {
        // A secret may stand where a program was meant.
        for program in programs.into_iter().filter(|program| redact_key(program) == *program) {
            self.count(&format!("{PROGRAM}{program}"), |counts| {
                counts.before += 1;
                counts.after += 1;
            });
        }
    }

    /// Decides about a call and writes it down, or leaves that to a worker. `course`: whether anybody still waits for it.
    pub(super) fn begin(
        &self,
        mut intent: Arc<Intent>,
        patience: Patience,
        course: &Course,
        now: &Stamp,
    ) -> Answer {
        if let Some(answer) = self.same_call_again(&mut intent, patience, now) {
            return answer;
        }
        if intent.too_many_keys && intent.tier.is_guarded() {
            return self.too_many_resources(Arc::make_mut(&mut intent), now);
        }
        match self.decide_and_write(&mut intent, patience, course, now) {
            Ok(answer) => answer,
            Err(NotNow::Busy) => self.not_now(intent, now),
            Err(NotNow::Failed(error)) => match course.refused() {
                // Its host has refused it: `onStateError` has no say any more.
                Some(text) => {
                    lock(&self.health).failed(&error, now);
                    self.revoke_intent(&intent, None, error.code(), text, now);
                    Answer::Refuse(text.to_owned())
                }
                None => self.state_failed(Arc::make_mut(&mut intent), &error, now),
            },
        }
    }

    /// Hooks may fire more than once for one call: the same answer, and nothing new in the journal.
    pub(super) fn same_call_again(
        &self,
        intent: &mut Arc<Intent>,
        patience: Patience,
        now: &Stamp,
    ) -> Option<Answer> {
        let light = lock(&self.light);
        let id = intent.id()?;
        let (number, phase) = match intent.open {
            // It stands among the open calls: its own worker has come, or that of another firing.
            Some(number) => (number, light.calls.phase(id, number)?),
            None => light.calls.again(id, intent.tool(), intent.digest(), now)?,
        };
        match phase {
            Phase::Wrapper | Phase::Light | Phase::Queued(_) => Some(Answer::Proceed),
            Phase::Allowed { unflushed: None, leave, .. } => Some(leave.clone()),
            Phase::Refused(text) => Some(Answer::Refuse(text.clone())),
            Phase::Allowed { seq, unflushed: Some(unflushed), leave, .. } => {
                let (seq, unflushed, leave) = (*seq, unflushed.clone(), leave.clone());
                drop(light);
                let again = Arc::make_mut(intent);
                (again.open, again.leave) = (Some(number), leave);
                Some(self.later(Work::FlushIntent { intent: Arc::clone(intent), seq, unflushed }))
            }
            // The first firing waits for a worker: this one waits behind it. A worker goes on.
            Phase::Deciding(_) if matches!(patience, Patience::None) => {
                drop(light);
                Arc::make_mut(intent).open = Some(number);
                Some(self.later(Work::Begin(Arc::clone(intent))))
            }
            Phase::Deciding(_) => None,
        }
    }

    /// Tiers 0–1: one append, of which no decision knows.
    fn light(
        &self,
        call: &ToolCall,
        classification: Classification,
        params: &dyn Parameters,
        now: &Stamp,
    ) -> Answer {
        if let Some(id) = call.id()
            && let Some((_, phase)) = lock(&self.light).calls.again(id, &call.tool, None, now)
        {
            return if let Phase::Refused(text) = phase {
                Answer::Refuse(text.clone())
            } else {
                Answer::Proceed
            };
        }
        let summary = first_line(call, &classification, params, &self.settings);
        let line = LightLine {
            tier: classification.tier,
            instance: &self.instance,
            runtime: &self.runtime,
            agent: call.agent.as_deref(),
            session: &call.session,
            run: call.run.as_deref(),
            call: call.call.as_deref(),
            tool: &call.tool,
            rule_name: classification.rule_name.as_deref(),
            context_keys: &classification.context_keys,
            params: summary.as_deref(),
            seen: self.counts_to_carry(),
            ..LightLine::at(now)
        };
        if let Some(writer) = self.writer() {
            if self.goes_on_unwritten(line.tier)
                && let Ok(bytes) = line.to_bytes()
            {
                let mut light = lock(&self.light);
                let _ = light.backlog.push_light(bytes);
                light.calls.open(call, Phase::Light, now);
                drop(light);
                return self.leave_to(writer);
            }
            let intent = Arc::new(self.intent(call, classification, params));
            return self.leave_or_hand_over(writer, intent, now);
        }
        let result =
            self.with_ledger(&Needs::default(), Patience::None, Check::Seldom, now, |ledger, proof| {
                ledger.append_light(&proof, &line, now)?;
                self.counts_carried(&line.seen);
                Ok(())
            });
        let reason = match result {
            Ok(()) => {
                lock(&self.light).calls.open(call, Phase::Light, now);
                return Answer::Proceed;
            }
            Err(reason) => reason,
        };
        let mut intent = self.intent(call, classification, params);
        match reason {
            NotNow::Busy => self.not_now(Arc::new(intent), now),
            NotNow::Failed(error) => self.state_failed(&mut intent, &error, now),
        }
    }

    /// The ledger is busy: tiers 0–2 go on where they may, all others wait for a worker.
    fn not_now(&self, mut shared: Arc<Intent>, now: &Stamp) -> Answer {
        let intent = Arc::make_mut(&mut shared);
        if !self.goes_on_unwritten(intent.tier) {
            let mut light = lock(&self.light);
            let known = intent.id().zip(intent.open);
            let known = known.and_then(|(id, number)| light.calls.phase(id, number));
            // Of one that the writer left to a worker the end may have come.
            if !matches!(known, Some(Phase::Deciding(_))) {
                let _ = light.calls.note(intent, Phase::Deciding(None), now);
            }
            drop(light);
            return self.later(Work::Begin(shared));
        }
        self.queue_start(intent, now);
        Answer::ProceedThenMaintain
    }

    /// A call is let through whose start can't be written now.
    pub(super) fn queue_start(&self, intent: &mut Intent, now: &Stamp) {
        let record = intent.to_start(self.machine().holder(), now);
        let mut light = lock(&self.light);
        let number = light.backlog.push(record, intent.id().map(CallRef::to_owned));
        let number = number.filter(|_| intent.tier.is_tracked());
        let early = light.calls.note(intent, number.map_or(Phase::Light, Phase::Queued), now);
        if let (Some(number), Some(report)) = (number, early) {
            let _ = self.end_queued(&mut light, number, &report, now);
        }
    }

    /// The state can't be used: the call goes by `onStateError`, and what can't be written now waits.
    fn state_failed(&self, intent: &mut Intent, error: &StateError, now: &Stamp) -> Answer {
        lock(&self.health).failed(error, now);
        lock(&self.light).unwritten += 1;
        self.by_policy(intent, error.code(), (&error.in_full(), &error.remedy()), now)
    }

    /// A call about which nothing can be decided goes by `onStateError`, and its line waits. `reason` stands in it if the call
    /// is refused; the cause and the remedy are told.
    fn by_policy(
        &self,
        intent: &mut Intent,
        reason: &str,
        (cause, remedy): (&str, &str),
        now: &Stamp,
    ) -> Answer {
        let answer = self.without_state(intent, cause, remedy);
        match &answer {
            Answer::Refuse(text) => {
                let record = intent.refused(reason, None, now);
                let _ = lock(&self.light).backlog.push(record, None);
                self.note(intent, Phase::Refused(text.clone()), now);
            }
            _ => self.queue_start(intent, now),
        }
        answer
    }

    fn too_many_resources(&self, intent: &mut Intent, now: &Stamp) -> Answer {
        let text = "[Callosum] This call acts on more than 1,000 resources, more than can be checked at \
                    once, so it is not let through. Split it."
            .to_owned();
        if intent.terms.observe || self.settings.on_state_error == OnStateError::Open {
            self.queue_start(intent, now);
            return Answer::ProceedThenMaintain;
        }
        let _ = lock(&self.light).backlog.push(intent.refused("too many resources", None, now), None);
        self.note(intent, Phase::Refused(text.clone()), now);
        Answer::Refuse(text)
    }

    /// Makes an allowed intent durable; if that fails, revokes it.
    pub(super) fn flush_intent(
        &self,
        intent: &Arc<Intent>,
        seq: u64,
        unflushed: &Unflushed,
        course: &Course,
        now: &Stamp,
    ) -> Answer {
        let began = Instant::now();
        let flushed = unflushed.file.flush(unflushed.end);
        // The disk may have taken long, and only now the call may run.
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let now = &now.plus_ms(took_ms);
        let answer = match flushed {
            Ok(_) => {
                lock(&self.health).flushed();
                intent.leave.clone()
            }
            Err(error) => {
                self.flush_failed(&error, now);
                let answer = self.without_state(intent, &error.in_full(), &error.remedy());
                // Who gave it up has closed it.
                if let Answer::Refuse(text) = &answer
                    && !course.is_given_up()
                {
                    self.revoke_intent(intent, Some(seq), error.code(), text, now);
                }
                if answer.lets_run() { intent.leave.clone() } else { answer }
            }
        };
        if answer.lets_run()
            && let (Some(id), Some(number)) = (intent.id(), intent.open)
        {
            lock(&self.light).calls.flushed(id, number, seq, now);
        }
        answer
    }

    /// Writes that a call is refused, with the text that its model reads; `started` is its start, if that was written.
    pub(super) fn revoke_intent(
        &self,
        intent: &Intent,
        started: Option<u64>,
        reason: &str,
        text: &str,
        now: &Stamp,
    ) {
        let record = lock(&self.light).close_as_refused(intent, started, reason, text, now);
        self.write_soon(record, now);
    }

    /// A flush failed: what was written to that segment since can't be made durable any more, so it is
    /// closed and a new one begun.
    pub(super) fn flush_failed(&self, error: &StateError, now: &Stamp) {
        lock(&self.health).flush_failed(error, now);
        let rotated =
            self.with_ledger(&Needs::default(), self.patience(), Check::All, now, |ledger, proof| {
                if ledger.journal().active().file.has_failed() { ledger.rotate(&proof, now) } else { Ok(()) }
            });
        if let Err(NotNow::Failed(error)) = rotated {
            lock(&self.health).failed(&error, now);
        }
    }
}
