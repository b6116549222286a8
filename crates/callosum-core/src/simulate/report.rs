//! What a replay found.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::model::on_conflict::OnConflict;
use crate::model::text::one_line;
use crate::model::tier::Tier;
use crate::model::time::to_rfc3339;
use crate::record::{Action, Record};
use crate::rules::RuleSet;

use super::reclassify::{Judged, Reason};
use super::replay::Verdict;

/// Of the calls whose verdict changed, so many are told one by one: the newest.
const MAX_CHANGED: usize = 1_000;
/// Keys of a changed call that are told.
const MAX_KEYS: usize = 10;
/// Names and keys from the journal are cut after this many characters.
const MAX_CHARS: usize = 300;

/// What became of a journal's calls under two sets of rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The calls in the journal, stopped ones and their retries too.
    pub calls: u64,
    /// How many of them both sets could judge; what follows counts only these.
    pub judged: u64,
    /// For how many of these the journal's word was taken for which rule is for them.
    pub assumed: u64,
    /// The others, by why not.
    pub not_judged: BTreeMap<Reason, u64>,
    /// What the journal says became of them, under the rules of then.
    pub recorded: Counts,
    /// Under the rules in force.
    pub before: Counts,
    /// Under the rules that are tried.
    pub after: Counts,
    /// By rule, those that stop most first.
    pub rules: Vec<OfRule>,
    /// How many calls get another verdict.
    pub changed_calls: u64,
    /// The newest of these, at most 1,000, the newest last.
    pub changed: Vec<Changed>,
}

/// How many calls there were, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// All that were judged.
    pub calls: u64,
    /// Paused.
    pub paused: u64,
    /// Blocked.
    pub blocked: u64,
    /// Let through, but written down: `"mode": "observe"`.
    pub observed: u64,
    /// Left to a person: `"onConflict": "ask"`.
    pub asked: u64,
    /// Let through, and noted: `"onConflict": "note"`.
    pub noted: u64,
}

/// The calls of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OfRule {
    /// Its name; null for calls that no rule is for.
    pub rule_name: Option<String>,
    /// Calls that it is for before, or after.
    pub calls: u64,
    /// Its tier among the rules in force; null when it is not there.
    pub tier_before: Option<Tier>,
    /// Its tier among the rules that are tried; null when it is not there.
    pub tier_after: Option<Tier>,
    /// Under the rules in force.
    pub before: Counts,
    /// Under the rules that are tried.
    pub after: Counts,
}

/// A call that gets another verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// When, RFC 3339.
    pub at: String,
    /// Whose session.
    pub session: String,
    /// Of which instance.
    pub instance: String,
    /// The tool.
    pub tool: String,
    /// The resources it acts on under the rules that are tried, else under those in force; at most 10.
    pub context_keys: Vec<String>,
    /// Its rule among those in force.
    pub rule_before: Option<String>,
    /// Its rule among those that are tried.
    pub rule_after: Option<String>,
    /// What the rules in force make of it.
    pub before: Verdict,
    /// What the rules that are tried make of it.
    pub after: Verdict,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        self.calls += 1;
        match verdict {
            Verdict::Allow => {}
            Verdict::Observe => self.observed += 1,
            Verdict::Ask => self.asked += 1,
            Verdict::Note => self.noted += 1,
            Verdict::Pause => self.paused += 1,
            Verdict::Block => self.blocked += 1,
        }
    }

    /// The calls that were stopped.
    #[must_use]
    pub fn stopped(&self) -> u64 {
        self.paused + self.blocked
    }
}

/// A report in the making.
#[derive(Debug, Default)]
pub(super) struct Tally {
    calls: u64,
    judged: u64,
    assumed: u64,
    not_judged: BTreeMap<Reason, u64>,
    recorded: Counts,
    before: Counts,
    after: Counts,
    rules: BTreeMap<Option<String>, (u64, Counts, Counts)>,
    changed_calls: u64,
    changed: VecDeque<Changed>,
}

impl Tally {
    pub(super) fn not_judged(&mut self, reason: Reason) {
        self.calls += 1;
        *self.not_judged.entry(reason).or_default() += 1;
    }

    pub(super) fn judged(
        &mut self,
        record: &Record,
        (before, was): (&Judged, Verdict),
        (after, is): (&Judged, Verdict),
    ) {
        self.calls += 1;
        self.judged += 1;
        self.assumed += u64::from(before.assumed || after.assumed);
        self.recorded.add(recorded(record));
        self.before.add(was);
        self.after.add(is);
        let (calls, counts, _) = self.of_rule(before);
        *calls += 1;
        counts.add(was);
        let (calls, _, counts) = self.of_rule(after);
        *calls += u64::from(before.rule_name != after.rule_name);
        counts.add(is);
        if was != is {
            self.changed_calls += 1;
            if self.changed.len() == MAX_CHANGED {
                self.changed.pop_front();
            }
            self.changed.push_back(changed(record, (before, was), (after, is)));
        }
    }

    fn of_rule(&mut self, judged: &Judged) -> &mut (u64, Counts, Counts) {
        if !self.rules.contains_key(&judged.rule_name) {
            self.rules.insert(judged.rule_name.clone(), Default::default());
        }
        self.rules.entry(judged.rule_name.clone()).or_default()
    }

    pub(super) fn report(self, before: &RuleSet, after: &RuleSet) -> Report {
        let tier = |rules: &RuleSet, name: &Option<String>| {
            name.as_ref().and_then(|name| rules.named(name)).map(|found| found.tier)
        };
        let mut rules: Vec<OfRule> = self
            .rules
            .into_iter()
            .map(|(rule_name, (calls, was, is))| OfRule {
                tier_before: tier(before, &rule_name),
                tier_after: tier(after, &rule_name),
                rule_name,
                calls,
                before: was,
                after: is,
            })
            .collect();
        rules.sort_by_key(|of| std::cmp::Reverse((of.before.stopped() + of.after.stopped(), of.calls)));
        Report {
            calls: self.calls,
            judged: self.judged,
            assumed: self.assumed,
            not_judged: self.not_judged,
            recorded: self.recorded,
            before: self.before,
            after: self.after,
            rules,
            changed_calls: self.changed_calls,
            changed: self.changed.into(),
        }
    }
}

/// What became of a call by its own record.
fn recorded(record: &Record) -> Verdict {
    match (&record.action, record.on_conflict) {
        (Action::Blocked, _) if record.is_block() => Verdict::Block,
        (Action::Blocked, _) => Verdict::Pause,
        _ if record.observed => Verdict::Observe,
        (_, Some(OnConflict::Ask)) => Verdict::Ask,
        (_, Some(OnConflict::Note)) => Verdict::Note,
        _ => Verdict::Allow,
    }
}

fn changed(record: &Record, (before, was): (&Judged, Verdict), (after, is): (&Judged, Verdict)) -> Changed {
    let short = |text: &str| one_line(text, MAX_CHARS);
    let keys = if after.keys.is_empty() { &before.keys } else { &after.keys };
    Changed {
        at: to_rfc3339(record.wall_ms),
        session: short(record.session.as_deref().unwrap_or_default()),
        instance: short(&record.instance),
        tool: short(record.tool.as_deref().unwrap_or_default()),
        context_keys: keys.iter().take(MAX_KEYS).map(|key| short(key)).collect(),
        rule_before: before.rule_name.clone(),
        rule_after: after.rule_name.clone(),
        before: was,
        after: is,
    }
}
