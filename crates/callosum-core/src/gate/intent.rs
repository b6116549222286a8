//! A call that has been classified: all that is needed to decide about it, on whatever thread.

use crate::decision::history::Who;
use crate::decision::plan::{Despite, Refusal, Until};
use crate::decision::terms::Terms;
use crate::model::digest::marked_digest;
use crate::model::redact;
use crate::model::settings::{Settings, Summaries};
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::policy::Denial;
use crate::record::{Action, AttemptId, Holder, Record};
use crate::rules::Classification;
use crate::rules::covered::is_shell;
use callosum_shell::ExitCodes;

use super::call_id::CallRef;
use super::{ASKING_MS, Answer};

/// A classified call.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    /// What is written of it. Only [`Intent::start`], [`Intent::refusal`] and [`Intent::refused`] make it whole.
    record: Record,
    pub(super) tier: Tier,
    pub(super) terms: Terms,
    pub(super) cwd: Option<String>,
    /// Of its tool and parameters; 0 below tier 2.
    pub(super) mark: u64,
    /// Its host can ask a person.
    pub(super) can_ask: bool,
    not_done_codes: ExitCodes,
    /// How many resources it has: its pause names more.
    own_keys: usize,
    /// Which try of a call it is, tier 2 and up, however often that is decided.
    attempt: Option<AttemptId>,
    pub(super) too_many_keys: bool,
    /// Delivery of a pause will be told by the host.
    pub(super) signal: bool,
    /// The policy would refuse it, and that is only written down.
    denied: bool,
    /// What its host is answered when it is let through: once that is decided.
    pub(super) leave: Answer,
    /// Its number among the open calls, once it is one of them; another firing of its hook has the same.
    pub(super) open: Option<u64>,
}

impl Intent {
    pub(super) fn new(
        call: &ToolCall,
        mut classification: Classification,
        params: &dyn Parameters,
        settings: &Settings,
        instance: &str,
        runtime: &str,
    ) -> Self {
        let tier = classification.tier;
        let mut record = Record::new(Action::Intercept, instance, &Stamp::default());
        record.tier = Some(tier);
        record.runtime = Some(runtime.to_owned());
        record.agent.clone_from(&call.agent);
        record.session = Some(call.session.clone());
        record.run.clone_from(&call.run);
        record.call.clone_from(&call.call);
        record.tool = Some(call.tool.clone());
        record.rule_name = classification.rule_name.take().map(|name| (*name).to_owned());
        let mut mark = 0;
        if tier.is_tracked() {
            let all = params.all();
            let digest;
            (digest, mark) = marked_digest(&call.tool, &all);
            let chars = usize::try_from(settings.params_summary_chars).unwrap_or(0);
            record.params =
                (chars > 0 && classification.journal_params).then(|| redact::summarize(&all, chars));
            record.digest = Some(digest);
        } else {
            record.params = first_line(call, &classification, params, settings);
        }
        let (keys, terms) = Terms::of(&mut classification, &call.tool, record.digest.as_deref(), settings);
        record.context_keys = keys;
        Self {
            own_keys: record.context_keys.len(),
            record,
            tier,
            terms,
            cwd: call.cwd.clone(),
            mark,
            can_ask: call.can_ask,
            not_done_codes: classification.not_done_codes,
            attempt: tier.is_tracked().then(AttemptId::random),
            too_many_keys: classification.too_many_keys,
            signal: false,
            denied: false,
            leave: Answer::Proceed,
            open: None,
        }
    }

    /// The same call for a process that is not here: `via` says by what right somebody speaks for it. No process stands for
    /// it, so only its lease tells that it goes on.
    pub(super) fn by(mut self, via: &str) -> Self {
        self.record.via = Some(via.to_owned());
        self
    }

    /// By what right somebody speaks for it, where its process is not here.
    pub(super) fn via(&self) -> Option<&str> {
        self.record.via.as_deref()
    }

    /// The same call, which the policy would refuse: its start says so.
    pub(super) fn denied_in_observation(mut self, denial: &Denial) -> Self {
        self.record.rule_name = Some(denial.rule.to_owned());
        self.denied = true;
        self
    }

    /// The record that the policy refuses it.
    pub(super) fn denied(&self, denial: &Denial, at: &Stamp) -> Record {
        let mut denied = self.clone();
        let record = denied.record(Action::Denied, at);
        record.rule_name = Some(denial.rule.to_owned());
        record.path.clone_from(&denial.path);
        // It is compared with nothing.
        record.digest = None;
        denied.record
    }

    /// The rule that classified it.
    pub(super) fn rule_name(&self) -> Option<&str> {
        self.record.rule_name.as_deref()
    }

    /// The host's call id.
    pub(super) fn call(&self) -> Option<&str> {
        self.record.call.as_deref()
    }

    /// The call among the open ones.
    pub(super) fn id(&self) -> Option<CallRef<'_>> {
        let Record { session, run, call, .. } = &self.record;
        CallRef::new(session.as_deref().unwrap_or_default(), run.as_deref(), call.as_deref())
    }

    /// The tool as the host named it.
    pub(super) fn tool(&self) -> &str {
        self.record.tool.as_deref().unwrap_or_default()
    }

    /// Whose call it is.
    pub(super) fn who(&self) -> Who {
        Who::of(&self.record)
    }

    /// The resources it acts on: also of one that was refused, whose record names those that it had under an earlier version, too.
    pub(super) fn keys(&self) -> &[String] {
        self.record.context_keys.get(..self.own_keys).unwrap_or_default()
    }

    /// The resources under all names they have had: where evidence may stand.
    pub(super) fn all_keys(&self) -> Vec<String> {
        self.terms.all_keys(self.keys())
    }

    /// What it is compared by.
    pub(super) fn digest(&self) -> Option<&str> {
        self.record.digest.as_deref()
    }

    /// The record, without what an earlier try may have left in it.
    fn record(&mut self, action: Action, at: &Stamp) -> &mut Record {
        let record = &mut self.record;
        record.action = action;
        record.set_stamp(at);
        (record.attempt, record.conflict, record.on_conflict) = (None, None, None);
        record.evidence.clear();
        record.limits.clear();
        record.context_keys.truncate(self.own_keys);
        (record.signal, record.observed) = (false, false);
        record.not_done_codes = ExitCodes::default();
        (record.expires_ms, record.holder, record.reason) = (None, None, None);
        record.seen.clear();
        record
    }

    /// The record that lets the call through.
    pub(super) fn start(&mut self, holder: Option<Holder>, at: &Stamp) -> &mut Record {
        let (tier, not_done_codes, lease_ms) = (self.tier, self.not_done_codes, self.terms.lease_ms);
        let (attempt, denied) = (self.attempt, self.denied);
        let limits: Vec<String> = self.terms.limits.iter().map(|limited| limited.rule.clone()).collect();
        let record = self.record(Action::Intercept, at);
        record.attempt = attempt;
        record.observed = denied;
        if tier.is_tracked() {
            record.holder = holder.filter(|_| record.via.is_none());
            record.not_done_codes = not_done_codes;
        }
        record.limits.extend(limits);
        if tier.is_guarded() {
            record.expires_ms = Some(at.plus_ms(lease_ms).wall_ms);
        }
        record
    }

    /// The record that lets the call through although something speaks against it.
    pub(super) fn start_despite(
        &mut self,
        despite: &Despite,
        holder: Option<Holder>,
        at: &Stamp,
    ) -> &mut Record {
        let record = self.start(holder, at);
        record.observed |= despite.observed;
        record.conflict = Some(despite.conflict);
        record.on_conflict = despite.on_conflict;
        if despite.is_asked() {
            // It begins when a person has allowed it.
            record.expires_ms = record.expires_ms.map(|end| end.saturating_add(ASKING_MS.into()));
        }
        record
    }

    /// The same, to be kept.
    pub(super) fn to_start(&self, holder: Option<Holder>, at: &Stamp) -> Record {
        let mut started = self.clone();
        started.start(holder, at);
        started.record
    }

    /// The record that refuses it.
    pub(super) fn refusal(&mut self, refusal: &mut Refusal, at: &Stamp) -> &mut Record {
        let (signal, former) = (self.signal, self.terms.former_keys.clone());
        let record = self.record(Action::Blocked, at);
        record.conflict = Some(refusal.conflict);
        record.on_conflict = refusal.on_conflict();
        record.evidence = std::mem::take(&mut refusal.shown);
        record.signal = signal && !refusal.is_block();
        if let Until::Room(reached) = &refusal.until {
            record.limits.push(reached.rule.clone());
            record.reason = Some(reached.in_words(at));
        }
        // A retry goes by what was shown, under whatever name.
        record.context_keys.extend(former);
        record
    }

    /// The record of a call that was refused without being decided, or after it was let through; `started` is its start, if that
    /// was written.
    pub(super) fn refused(&self, reason: &str, started: Option<u64>, at: &Stamp) -> Record {
        let (mut refused, attempt) = (self.clone(), self.attempt);
        let record = refused.record(Action::Refused, at);
        record.reason = Some(reason.to_owned());
        record.of.extend(started);
        record.attempt = started.and(attempt);
        refused.record
    }
}

/// What the journal keeps of a command that is only logged, where that is wanted.
pub(super) fn first_line(
    call: &ToolCall,
    classification: &Classification,
    params: &dyn Parameters,
    settings: &Settings,
) -> Option<String> {
    let chars = usize::try_from(settings.params_summary_chars).unwrap_or(0);
    let is_wanted = settings.summaries == Summaries::All && chars > 0 && classification.journal_params;
    if !is_wanted || !is_shell(&call.tool) {
        return None;
    }
    let command = params.get("command")?;
    command.as_str().map(|command| redact::summarize_command(command, chars))
}
