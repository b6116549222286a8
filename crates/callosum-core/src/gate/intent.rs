//! A call that has been classified: all that is needed to decide about it, on whatever thread.

use std::borrow::Cow;

use crate::context_key::keys_or_digest;
use crate::digest::digest;
use crate::history::Who;
use crate::journal::record::{Action, Conflict, Holder, Record};
use crate::redact;
use crate::rules::{Classification, Mode, Scope};
use crate::settings::Settings;
use crate::tier::Tier;
use crate::time::Stamp;
use crate::tool_call::{Parameters, ToolCall};

/// Names longer than this (tool, session, run, call id) are cut: they come from outside.
const MAX_NAME_CHARS: usize = 300;

/// A name as the gate keeps it, before a call and after it.
pub(super) fn short_name(name: &str) -> &str {
    if name.len() <= MAX_NAME_CHARS {
        return name;
    }
    name.char_indices().nth(MAX_NAME_CHARS).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// A call with its names cut.
pub(super) fn with_short_names(call: &ToolCall) -> Cow<'_, ToolCall> {
    let names = [Some(&call.tool), Some(&call.session), call.run.as_ref(), call.call.as_ref()];
    if names
        .into_iter()
        .chain([call.agent.as_ref()])
        .flatten()
        .all(|name| short_name(name).len() == name.len())
    {
        return Cow::Borrowed(call);
    }
    let short = |name: &String| short_name(name).to_owned();
    Cow::Owned(ToolCall {
        tool: short(&call.tool),
        session: short(&call.session),
        run: call.run.as_ref().map(short),
        call: call.call.as_ref().map(short),
        agent: call.agent.as_ref().map(short),
        ..call.clone()
    })
}

/// A classified call.
#[derive(Clone, Debug)]
pub(super) struct Intent {
    pub(super) call: ToolCall,
    pub(super) who: Who,
    pub(super) runtime: String,
    pub(super) tier: Tier,
    pub(super) rule_name: Option<String>,
    pub(super) keys: Vec<String>,
    pub(super) digest: Option<String>,
    params: Option<String>,
    pub(super) window_ms: u64,
    pub(super) lease_ms: u64,
    pub(super) scope: Scope,
    pub(super) observe: bool,
    simple: bool,
    pub(super) too_many_keys: bool,
    /// Delivery of a pause will be told by the host.
    pub(super) signal: bool,
}

impl Intent {
    pub(super) fn new(
        call: ToolCall,
        classification: Classification,
        params: &dyn Parameters,
        settings: &Settings,
        instance: &str,
        runtime: &str,
    ) -> Self {
        let tier = classification.tier;
        let mut keys = classification.context_keys;
        let (mut digest_text, mut summary) = (None, None);
        if tier.is_tracked() {
            let all = params.all();
            let digest = digest(&call.tool, &all);
            keys = keys_or_digest(keys, tier, &call.tool, &digest);
            let chars = usize::try_from(settings.params_summary_chars).unwrap_or(0);
            summary = (chars > 0).then(|| redact::summarize(&all, chars));
            digest_text = Some(digest);
        }
        let mode = classification.mode.unwrap_or(Mode::Enforce);
        Self {
            who: Who { instance: instance.to_owned(), session: call.session.clone() },
            runtime: runtime.to_owned(),
            tier,
            rule_name: classification.rule_name,
            keys,
            digest: digest_text,
            params: summary,
            window_ms: classification.recent_window_ms.unwrap_or(settings.recent_window_ms),
            lease_ms: classification.lock_expiry_ms.unwrap_or(settings.lock_expiry_ms),
            scope: classification.scope,
            observe: mode == Mode::Observe || settings.mode == Mode::Observe,
            simple: classification.exit_proves,
            too_many_keys: classification.too_many_keys,
            signal: false,
            call,
        }
    }

    fn record(&self, action: Action, at: &Stamp) -> Record {
        let mut record = Record::new(action, &self.who.instance, at);
        record.tier = Some(self.tier);
        record.runtime = Some(self.runtime.clone());
        record.agent.clone_from(&self.call.agent);
        record.session = Some(self.call.session.clone());
        record.run.clone_from(&self.call.run);
        record.call.clone_from(&self.call.call);
        record.tool = Some(self.call.tool.clone());
        record.rule_name.clone_from(&self.rule_name);
        record.context_keys.clone_from(&self.keys);
        record.digest.clone_from(&self.digest);
        record.params.clone_from(&self.params);
        record
    }

    /// The record that lets the call through.
    pub(super) fn start(&self, holder: Option<Holder>, at: &Stamp) -> Record {
        let mut record = self.record(Action::Intercept, at);
        if self.tier.is_tracked() {
            record.holder = holder;
            record.simple = self.simple;
        }
        if self.tier.is_guarded() {
            record.expires_ms = Some(at.plus_ms(self.lease_ms).wall_ms);
        }
        record
    }

    /// The record that refuses it.
    pub(super) fn refusal(&self, conflict: Conflict, at: &Stamp) -> Record {
        let mut record = self.record(Action::Blocked, at);
        record.conflict = Some(conflict);
        record.signal = self.signal;
        record
    }

    /// The record of a call that was refused because the state could not be used.
    pub(super) fn refused(&self, reason: &str, at: &Stamp) -> Record {
        let mut record = self.record(Action::Refused, at);
        record.reason = Some(reason.to_owned());
        record
    }
}
