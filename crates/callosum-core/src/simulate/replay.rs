//! A journal under one set of rules.

use serde::Serialize;

use crate::decision::CallFacts;
use crate::decision::history::{History, Who};
use crate::decision::plan::{HostState, Plan, plan};
use crate::model::settings::Settings;
use crate::model::time::Stamp;
use crate::record::{Action as Kind, Conflict, Record, Shown};
use crate::rules::RuleSet;

use super::reclassify::Judged;

/// What would have become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Let through.
    Allow,
    /// Let through, and written down that it would have been stopped.
    Observe,
    /// Let through, and written down what speaks against it.
    Note,
    /// A person is asked, where the host has a dialog for that; else it is paused.
    Ask,
    /// Paused with the facts.
    Pause,
    /// Refused, and a retry does not help: by a lease, a limit or the rule.
    Block,
}

impl Verdict {
    /// As in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Observe => "observe",
            Self::Note => "note",
            Self::Ask => "ask",
            Self::Pause => "pause",
            Self::Block => "block",
        }
    }
}

/// The history under one set of rules.
#[derive(Debug)]
pub(super) struct Replay {
    history: History,
    retry_window_ms: u64,
}

impl Replay {
    pub(super) fn new(rules: &RuleSet, settings: &Settings) -> Self {
        let keep_ms = settings.keep_ms(rules.largest_window_ms(), rules.longest_lease_ms());
        Self { history: History::new(keep_ms, settings.lease_ms), retry_window_ms: settings.retry_window_ms }
    }

    pub(super) fn keep_ms(&self) -> u64 {
        self.history.keep_ms()
    }

    pub(super) fn prune(&mut self, now: &Stamp) {
        self.history.prune(now, self.retry_window_ms);
    }

    /// Takes in a record as it is.
    pub(super) fn apply(&mut self, seq: u64, record: &Record) {
        self.history.apply(seq, record);
    }

    /// Decides about a call, and takes in what came of it.
    pub(super) fn play(&mut self, seq: u64, record: &Record, judged: &Judged) -> Verdict {
        if !judged.tier.is_tracked() {
            return Verdict::Allow;
        }
        let acts = record.action == Kind::Intercept;
        let (verdict, shown) = self.decide(record, judged);
        if verdict == Verdict::Pause {
            self.pause(seq, record, judged, shown, acts);
        }
        if acts {
            self.start(seq, record, judged);
        }
        verdict
    }

    fn decide(&self, record: &Record, judged: &Judged) -> (Verdict, Vec<Shown>) {
        let call_facts = CallFacts {
            who: &Who::of(record),
            tier: judged.tier,
            keys: &judged.keys,
            window_ms: judged.window_ms,
            retry_window_ms: self.retry_window_ms,
            scope: judged.scope,
            on_conflict: judged.on_conflict,
            limits: &judged.limits,
        };
        // Whether a process was dead at that moment, no journal says.
        let host = if judged.observe { HostState::Runs } else { HostState::Asks };
        match plan(&self.history, &call_facts, host, &record.stamp(), &|_, _| false) {
            Plan::Allow { despite: Some(despite), .. } => {
                let verdict = match despite.is_asked() {
                    _ if despite.observed => Verdict::Observe,
                    true => Verdict::Ask,
                    false => Verdict::Note,
                };
                (verdict, Vec::new())
            }
            Plan::Refuse(refusal) if refusal.is_block() => (Verdict::Block, Vec::new()),
            Plan::Refuse(refusal) => (Verdict::Pause, refusal.shown),
            Plan::Allow { despite: None, .. } | Plan::HostRefused(_) => (Verdict::Allow, Vec::new()),
        }
    }

    fn pause(&mut self, seq: u64, record: &Record, judged: &Judged, shown: Vec<Shown>, acts: bool) {
        let mut pause = record.clone();
        pause.action = Kind::Blocked;
        pause.tier = Some(judged.tier);
        pause.context_keys.clone_from(&judged.keys);
        // Nobody signalled that a block was read.
        pause.signal = record.signal && !record.is_block();
        (pause.conflict, pause.on_conflict) = (Some(Conflict::Recent), None);
        pause.evidence = shown;
        self.history.apply(seq, &pause);
        if acts {
            let mut delivered = Record::new(Kind::Delivered, &record.instance, &record.stamp());
            delivered.session.clone_from(&record.session);
            delivered.of = vec![seq];
            self.history.apply(seq, &delivered);
        }
    }

    fn start(&mut self, seq: u64, record: &Record, judged: &Judged) {
        let mut start = record.clone();
        start.tier = Some(judged.tier);
        start.context_keys.clone_from(&judged.keys);
        start.limits = judged.limits.iter().map(|limited| limited.rule.clone()).collect();
        start.expires_ms = judged.tier.is_guarded().then(|| record.stamp().plus_ms(judged.lease_ms).wall_ms);
        self.history.apply(seq, &start);
        if !record.tier.is_some_and(crate::model::tier::Tier::is_tracked) {
            let mut end = Record::new(Kind::Complete, &record.instance, &record.stamp());
            end.session.clone_from(&record.session);
            end.call.clone_from(&record.call);
            end.of = vec![seq];
            // No line begins at a line's second byte.
            self.history.apply(seq + 1, &end);
        }
    }
}
