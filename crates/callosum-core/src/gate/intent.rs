//! A call that has been classified: all that is needed to decide about it, on whatever thread.

use crate::decision::history::Who;
use crate::model::digest::marked_digest;
use crate::model::redact;
use crate::model::settings::Settings;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::record::{Action, AttemptId, Conflict, Holder, Record};
use crate::rules::context_key::keys_or_digest;
use crate::rules::{Classification, Scope};
use callosum_shell::ExitCodes;

use super::call_id::CallRef;

/// A classified call.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    /// What is written of it. Only [`Intent::start`], [`Intent::refusal`] and [`Intent::refused`] make it whole.
    record: Record,
    pub(super) tier: Tier,
    pub(super) cwd: Option<String>,
    /// Of its tool and parameters; 0 below tier 2.
    pub(super) mark: u64,
    pub(super) window_ms: u64,
    pub(super) lease_ms: u64,
    pub(super) scope: Scope,
    pub(super) observe: bool,
    not_done_codes: ExitCodes,
    /// What an earlier version called its resources.
    former_keys: Vec<String>,
    /// How many resources it has: its pause names more.
    own_keys: usize,
    /// Which try of a call it is, tier 2 and up, however often that is decided.
    attempt: Option<AttemptId>,
    pub(super) too_many_keys: bool,
    /// Delivery of a pause will be told by the host.
    pub(super) signal: bool,
    /// Its number among the open calls, once it is one of them; another firing of its hook has the same.
    pub(super) open: Option<u64>,
}

impl Intent {
    pub(super) fn new(
        call: &ToolCall,
        classification: Classification,
        params: &dyn Parameters,
        settings: &Settings,
        instance: &str,
        runtime: &str,
    ) -> Self {
        let tier = classification.tier;
        let (window_ms, observe) = (classification.window_ms(settings), classification.is_observed(settings));
        let mut record = Record::new(Action::Intercept, instance, &Stamp::default());
        record.tier = Some(tier);
        record.runtime = Some(runtime.to_owned());
        record.agent.clone_from(&call.agent);
        record.session = Some(call.session.clone());
        record.run.clone_from(&call.run);
        record.call.clone_from(&call.call);
        record.tool = Some(call.tool.clone());
        record.rule_name = classification.rule_name;
        record.context_keys = classification.context_keys;
        let mut mark = 0;
        if tier.is_tracked() {
            let all = params.all();
            let digest;
            (digest, mark) = marked_digest(&call.tool, &all);
            record.context_keys = keys_or_digest(record.context_keys, tier, &call.tool, &digest);
            let chars = usize::try_from(settings.params_summary_chars).unwrap_or(0);
            record.params =
                (chars > 0 && classification.journal_params).then(|| redact::summarize(&all, chars));
            record.digest = Some(digest);
        }
        Self {
            own_keys: record.context_keys.len(),
            record,
            tier,
            cwd: call.cwd.clone(),
            mark,
            window_ms,
            lease_ms: classification.lock_expiry_ms.unwrap_or(settings.lock_expiry_ms),
            scope: classification.scope,
            observe,
            not_done_codes: classification.not_done_codes,
            former_keys: classification.former_keys,
            attempt: tier.is_tracked().then(AttemptId::random),
            too_many_keys: classification.too_many_keys,
            signal: false,
            open: None,
        }
    }

    /// The same call for a process that is not here: `via` says by what right somebody speaks for it. No process stands for
    /// it, so only its lease tells that it goes on.
    pub(super) fn by(mut self, via: &str) -> Self {
        self.record.via = Some(via.to_owned());
        self
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

    /// The resources it acts on.
    pub(super) fn keys(&self) -> &[String] {
        &self.record.context_keys
    }

    /// The resources under all names they have had: where evidence may stand.
    pub(super) fn all_keys(&self) -> Vec<String> {
        [self.keys(), &self.former_keys].concat()
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
        (record.attempt, record.conflict) = (None, None);
        record.evidence.clear();
        record.context_keys.truncate(self.own_keys);
        (record.signal, record.observed) = (false, false);
        record.not_done_codes = ExitCodes::default();
        (record.expires_ms, record.holder, record.reason) = (None, None, None);
        record.seen.clear();
        record
    }

    /// The record that lets the call through.
    pub(super) fn start(&mut self, holder: Option<Holder>, at: &Stamp) -> &mut Record {
        let (tier, not_done_codes, lease_ms) = (self.tier, self.not_done_codes, self.lease_ms);
        let attempt = self.attempt;
        let record = self.record(Action::Intercept, at);
        record.attempt = attempt;
        if tier.is_tracked() {
            record.holder = holder.filter(|_| record.via.is_none());
            record.not_done_codes = not_done_codes;
        }
        if tier.is_guarded() {
            record.expires_ms = Some(at.plus_ms(lease_ms).wall_ms);
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
    pub(super) fn refusal(&mut self, conflict: Conflict, at: &Stamp) -> &mut Record {
        let (signal, former) = (self.signal, self.former_keys.clone());
        let record = self.record(Action::Blocked, at);
        record.conflict = Some(conflict);
        record.signal = signal;
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
