//! What would have been stopped where the gate only observed, and how far what came of it says that rightly.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::history::Who;
use crate::model::digest::is_same_call;
use crate::model::error::QueryError;
use crate::model::tier::Tier;
use crate::model::time::to_rfc3339;
use crate::record::kind::Fold;
use crate::record::{Ending, Line, Record, Shown, blocks};
use crate::store::journal::forward::Forward;

use super::reader::Reader;

/// Resources that are named of a rule.
const MAX_KEYS: usize = 3;

/// A stretch of the journal in which some calls were only observed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// The first line that counts, RFC 3339; null when there is none.
    pub from: Option<String>,
    /// The last.
    pub until: Option<String>,
    /// Calls that ran.
    pub calls: u64,
    /// Those among them that a check was for: of tier 3 or 4.
    pub guarded: u64,
    /// Calls that were stopped: the gate did not only observe them.
    pub stopped: u64,
    /// Calls that ran, and would have been paused or blocked.
    pub would_stop: u64,
    /// The sessions that they are of. Each reads a text more, and takes a turn more, for every one that it makes again.
    pub sessions: u64,
    /// By rule, those that would have stopped the most first.
    pub by_rule: Vec<ByRule>,
}

/// What a rule would have stopped.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ByRule {
    /// The rule.
    pub rule_name: String,
    /// Calls that would have been stopped.
    pub would_stop: u64,
    /// Those among them that would have been blocked: a lease or a limit stood against them, or the rule blocks.
    pub would_block: u64,
    /// Those whose parameters were the same as those of an action that spoke against them: almost surely the same done twice.
    pub identical: u64,
    /// How they ended.
    pub ended: Ended,
    /// Some of the resources, those that were met most often first.
    pub keys: Vec<String>,
}

/// How calls ended.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Ended {
    /// They were done: a second time, where their parameters were the same.
    pub complete: u64,
    /// They were not done: nothing would have been lost by stopping them.
    pub failed: u64,
    /// Nobody knows, or they still run.
    pub unknown: u64,
}

/// The report while the journal is read.
#[derive(Default)]
struct Reading {
    report: Observed,
    rules: BTreeMap<String, Rule>,
    sessions: HashSet<Who>,
    /// Digests of actions, by their numbers.
    digests: HashMap<u64, String>,
    /// The rules of those that would have been stopped and have not ended, by their numbers.
    open: HashMap<u64, String>,
}

#[derive(Default)]
struct Rule {
    told: ByRule,
    keys: HashMap<String, u64>,
}

/// What was only observed since `since_ms`, wall-clock milliseconds; `None`: as far back as the journal reaches.
pub(super) fn observed(reader: &Reader<'_>, since_ms: Option<i64>) -> Result<Observed, QueryError> {
    let mut reading = Reading::default();
    if let Some(segments) = reader.segments()? {
        let mut lines = Forward::new(segments, since_ms)?;
        while let Some((seq, bytes)) = lines.next_line()? {
            let record = match Line::read(&bytes) {
                Line::Record(record) => *record,
                Line::Light | Line::Counted(_) => match serde_json::from_slice(&bytes) {
                    Ok(record) => record,
                    Err(_) => continue,
                },
                Line::Newer(_) | Line::Foreign | Line::Blank => continue,
            };
            if since_ms.is_none_or(|since| record.wall_ms >= since) {
                reading.take(seq, record);
            }
        }
    }
    Ok(reading.done())
}

impl Reading {
    fn take(&mut self, seq: u64, record: Record) {
        match record.action.spec().fold {
            Fold::Start if record.tool.is_some() => self.start(seq, record),
            Fold::Outcome(ending) => {
                for of in &record.of {
                    if let Some(rule) = self.open.remove(of) {
                        self.end(&rule, ending);
                    }
                }
            }
            Fold::Pause => self.report.stopped += 1,
            Fold::Start
            | Fold::Background
            | Fold::Release
            | Fold::Renewal
            | Fold::Delivery
            | Fold::Window
            | Fold::Segment
            | Fold::Prune
            | Fold::Loss
            | Fold::Place
            | Fold::Nothing => {}
        }
    }

    fn start(&mut self, seq: u64, record: Record) {
        self.report.calls += 1;
        self.report.from.get_or_insert_with(|| to_rfc3339(record.wall_ms));
        self.report.until = Some(to_rfc3339(record.wall_ms));
        self.report.guarded += u64::from(record.tier.is_some_and(Tier::is_guarded));
        if record.observed && record.conflict.is_some() {
            self.observed(seq, &record);
        }
        if let Some(digest) = record.digest {
            self.digests.insert(seq, digest);
        }
    }

    fn observed(&mut self, seq: u64, record: &Record) {
        self.report.would_stop += 1;
        self.sessions.insert(Who::of(record));
        let name = record.rule_name.clone().unwrap_or_default();
        let rule = self.rules.entry(name.clone()).or_default();
        rule.told.would_stop += 1;
        rule.told.would_block += u64::from(blocks(record.conflict, record.on_conflict));
        let theirs = |shown: &Shown| self.digests.get(&shown.seq).map(String::as_str);
        let same =
            |shown: &Shown| record.digest.as_deref().is_some_and(|ours| is_same_call(theirs(shown), ours));
        rule.told.identical += u64::from(record.evidence.iter().any(same));
        for key in &record.context_keys {
            *rule.keys.entry(key.clone()).or_default() += 1;
        }
        self.open.insert(seq, name);
    }

    fn end(&mut self, rule: &str, ending: Ending) {
        let Some(rule) = self.rules.get_mut(rule) else { return };
        let ended = &mut rule.told.ended;
        match ending {
            Ending::Complete => ended.complete += 1,
            Ending::Failed | Ending::Refused => ended.failed += 1,
            Ending::Unknown => ended.unknown += 1,
        }
    }

    fn done(mut self) -> Observed {
        for rule in std::mem::take(&mut self.open).into_values() {
            self.end(&rule, Ending::Unknown);
        }
        let told = |(name, rule): (String, Rule)| {
            let mut keys: Vec<(String, u64)> = rule.keys.into_iter().collect();
            keys.sort_by(|(key, times), (other, others)| others.cmp(times).then_with(|| key.cmp(other)));
            let keys = keys.into_iter().take(MAX_KEYS).map(|(key, _)| key).collect();
            ByRule { rule_name: name, keys, ..rule.told }
        };
        let mut by_rule: Vec<ByRule> = self.rules.into_iter().map(told).collect();
        by_rule.sort_by_key(|rule| std::cmp::Reverse(rule.would_stop));
        let sessions = u64::try_from(self.sessions.len()).unwrap_or(u64::MAX);
        Observed { by_rule, sessions, ..self.report }
    }
}
