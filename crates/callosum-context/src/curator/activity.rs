//! What the journal says of a stretch of time, folded while it is read: how much is held goes by how many agents act on how many
//! resources, not by how many lines there are.

use std::collections::{BTreeMap, HashMap};

use callosum_core::model::error::QueryError;
use callosum_core::model::time::{Stamp, from_rfc3339};
use callosum_core::policy::known_as;
use callosum_core::query::{Filter, Source};
use callosum_core::record::kind::View;
use callosum_core::record::{Action, blocks_as_written};
use serde_json::Value;

use crate::signals::{Acted, Window};

/// Pairs of an agent and a resource, and actions without an outcome, that are held.
const MAX_DEEDS: usize = 50_000;
const MAX_OPEN: usize = 20_000;
/// Refusals, by agent, resource and rule.
const MAX_REFUSALS: usize = 5_000;
/// So much may the times of lines that follow each other be out of order, milliseconds.
const SLACK_MS: i64 = 60_000;
/// The lowest tier whose actions are followed to their outcome.
const TRACKED: u64 = 2;

/// The word for an action whose outcome is not there when the time is over.
pub(crate) const OPEN: &str = "open";

/// How often, and which records say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) count: u64,
    /// Sequence numbers.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// When the first was, wall-clock milliseconds.
    pub(crate) at_ms: i64,
}

impl Times {
    fn add(times: Option<Self>, seq: u64, at_ms: i64) -> Self {
        match times {
            Some(times) => Self { count: times.count + 1, last: seq, ..times },
            None => Self { count: 1, first: seq, last: seq, at_ms },
        }
    }
}

/// What one agent did with one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) agent: String,
    pub(crate) session: Option<String>,
    pub(crate) key: String,
    pub(crate) tool: String,
    /// The highest tier of its actions.
    pub(crate) tier: u64,
    /// By how they ended: `complete`, `failed`, `unknown`, `refused`, `open`.
    pub(crate) outcomes: BTreeMap<&'static str, Times>,
}

impl Deed {
    pub(crate) fn first(&self) -> u64 {
        self.outcomes.values().map(|times| times.first).min().unwrap_or(0)
    }

    /// What it did for sure or perhaps: a refused call is no action.
    fn acted(&self) -> impl Iterator<Item = Acted> {
        self.outcomes.iter().filter(|(outcome, _)| **outcome != "refused").map(|(outcome, times)| Acted {
            seq: times.first,
            count: times.count,
            agent: self.agent.clone(),
            session: self.session.clone(),
            at_ms: times.at_ms,
            key: self.key.clone(),
            outcome: (*outcome).to_owned(),
        })
    }
}

/// Calls of one agent that were not let through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) agent: String,
    /// A context key, or the path that a policy keeps.
    pub(crate) what: String,
    /// `paused`, `blocked` or `denied`.
    pub(crate) verdict: &'static str,
    pub(crate) times: Times,
}

/// What happened in a stretch of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    /// From the first of its records to the last.
    pub(crate) window: Window,
    /// When the last was, wall-clock milliseconds.
    pub(crate) newest_ms: Option<i64>,
    /// By the first of their records.
    pub(crate) deeds: Vec<Deed>,
    pub(crate) refusals: Vec<Refusal>,
    /// Records that found no place.
    pub(crate) left_out: u64,
    /// What agents are called that share their name with one of another instance, by instance and name.
    pub(crate) shared_names: BTreeMap<(String, String), String>,
}

impl Activity {
    /// What an agent of an instance is called.
    pub(crate) fn name(&self, instance: Option<&str>, agent: &str) -> String {
        let of_instance = instance.map(|instance| (instance.to_owned(), agent.to_owned()));
        of_instance.and_then(|who| self.shared_names.get(&who).cloned()).unwrap_or_else(|| agent.to_owned())
    }

    /// What the journal says from `from_ms` to before `to_ms`, wall-clock milliseconds. Where the time is not `over`, an action
    /// without an outcome is still under way, and nothing is said of it.
    pub(crate) fn read(
        source: &dyn Source,
        (from_ms, to_ms): (i64, i64),
        is_over: bool,
        now: &Stamp,
    ) -> Result<Self, QueryError> {
        let mut next = begin(source, from_ms.saturating_sub(SLACK_MS), now)?;
        let mut fold = Fold::default();
        loop {
            let piece = source.following(next, now)?;
            let mut is_behind = !piece.records.is_empty();
            for (seq, record) in &piece.records {
                let at_ms = record.get("timestamp").and_then(Value::as_str).and_then(from_rfc3339);
                is_behind &= at_ms.is_some_and(|at_ms| at_ms >= to_ms.saturating_add(SLACK_MS));
                if let Some(at_ms) = at_ms.filter(|at_ms| (from_ms..to_ms).contains(at_ms)) {
                    fold.take(*seq, at_ms, record);
                }
            }
            if piece.is_end || is_behind || piece.next <= next {
                return Ok(fold.finish(is_over));
            }
            next = piece.next;
        }
    }

    /// The actions, for the cross signals.
    pub(crate) fn acted(&self) -> impl Iterator<Item = Acted> {
        self.deeds.iter().flat_map(Deed::acted)
    }
}

/// Where to begin to read: at the newest record before a moment, else at the oldest that is there.
fn begin(source: &dyn Source, wall_ms: i64, now: &Stamp) -> Result<u64, QueryError> {
    let page =
        source.journal(&Filter { limit: 1, until: Some(Value::from(wall_ms)), ..Filter::default() }, now)?;
    Ok(page.entries.first().and_then(|entry| entry.get("seq")).and_then(Value::as_u64).unwrap_or(0))
}

/// Who acted: machine, instance, agent.
type Who = (String, String, String);

#[derive(Default)]
struct Fold {
    whos: Vec<Who>,
    numbers: HashMap<Who, usize>,
    deeds: HashMap<(usize, String), Deed>,
    refusals: HashMap<(usize, &'static str, String), Refusal>,
    open: BTreeMap<u64, Begun>,
    window: Option<Window>,
    newest_ms: Option<i64>,
    left_out: u64,
}

/// An action without an outcome so far.
struct Begun {
    who: usize,
    session: Option<String>,
    keys: Vec<String>,
    tool: String,
    tier: u64,
    at_ms: i64,
}

fn text<'r>(record: &'r Value, name: &str) -> &'r str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// By what name folders know whose record this is: what a guest over HTTP calls itself proves nothing of an agent of that name.
pub(super) fn whose(record: &Value) -> &str {
    let agent = Some(text(record, "agent")).filter(|agent| !agent.is_empty());
    let named = match text(record, "runtime") {
        // A line of before there were other runtimes.
        "" => agent.unwrap_or_default(),
        runtime => known_as(agent, runtime),
    };
    if named.is_empty() { text(record, "instance") } else { named }
}

impl Fold {
    fn take(&mut self, seq: u64, at_ms: i64, record: &Value) {
        let kind = Action::named(text(record, "action")).spec();
        let outcome = match kind.view {
            View::Call => None,
            View::End => Some(kind.name),
            View::Stop => return self.refused(seq, at_ms, record, verdict(record)),
            View::Denial => return self.refused(seq, at_ms, record, kind.name),
            // Nothing was done by these, or nobody knows yet.
            View::Background
            | View::Lease
            | View::Receipt
            | View::Session
            | View::Exchange
            | View::Fault
            | View::Maintenance
            | View::Unknown => return,
        };
        let begun = self.begun(at_ms, record);
        if begun.tier < TRACKED && outcome.is_none() {
            return;
        }
        self.seen(seq, at_ms);
        let Some(outcome) = outcome else {
            if self.open.len() >= MAX_OPEN {
                self.left_out += 1;
                self.open.pop_first();
            }
            self.open.insert(seq, begun);
            return;
        };
        let of = record.get("of").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_u64);
        let known: Vec<Begun> = of.filter_map(|of| self.open.remove(&of)).collect();
        let begun = match known.into_iter().next() {
            // An outcome says again what it is about; where another plugin rewrote the call, it says what ran.
            Some(known) if begun.keys.is_empty() => known,
            _ => begun,
        };
        self.ended(seq, at_ms, outcome, &begun);
    }

    fn begun(&mut self, at_ms: i64, record: &Value) -> Begun {
        let keys = record.get("contextKeys").and_then(Value::as_array).into_iter().flatten();
        Begun {
            who: self.who(record),
            session: Some(text(record, "session")).filter(|session| !session.is_empty()).map(str::to_owned),
            keys: keys.filter_map(Value::as_str).map(str::to_owned).collect(),
            tool: text(record, "tool").to_owned(),
            tier: record.get("tier").and_then(Value::as_u64).unwrap_or(0),
            at_ms,
        }
    }

    fn who(&mut self, record: &Value) -> usize {
        let (machine, instance) = (text(record, "machine"), text(record, "instance"));
        let who = (machine.to_owned(), instance.to_owned(), whose(record).to_owned());
        if let Some(number) = self.numbers.get(&who) {
            return *number;
        }
        self.whos.push(who.clone());
        self.numbers.insert(who, self.whos.len() - 1);
        self.whos.len() - 1
    }

    fn seen(&mut self, seq: u64, at_ms: i64) {
        let from_seq = self.window.map_or(seq, |window| window.from_seq);
        self.window = Some(Window { from_seq, to_seq: seq });
        self.newest_ms = self.newest_ms.max(Some(at_ms));
    }

    fn ended(&mut self, seq: u64, at_ms: i64, outcome: &'static str, begun: &Begun) {
        for key in &begun.keys {
            let of = (begun.who, key.clone());
            if !self.deeds.contains_key(&of) && self.deeds.len() >= MAX_DEEDS {
                self.left_out += 1;
                continue;
            }
            let deed = self.deeds.entry(of).or_insert_with(|| Deed {
                agent: String::new(),
                session: begun.session.clone(),
                key: key.clone(),
                tool: begun.tool.clone(),
                tier: begun.tier,
                outcomes: BTreeMap::new(),
            });
            deed.tier = deed.tier.max(begun.tier);
            let times = Times::add(deed.outcomes.get(outcome).copied(), seq, at_ms);
            deed.outcomes.insert(outcome, times);
        }
    }

    fn refused(&mut self, seq: u64, at_ms: i64, record: &Value, verdict: &'static str) {
        self.seen(seq, at_ms);
        let begun = self.begun(at_ms, record);
        let path = Some(text(record, "path")).filter(|path| !path.is_empty());
        for what in path.map(str::to_owned).map_or(begun.keys, |path| vec![path]) {
            let of = (begun.who, verdict, what.clone());
            if !self.refusals.contains_key(&of) && self.refusals.len() >= MAX_REFUSALS {
                self.left_out += 1;
                continue;
            }
            let known = self.refusals.get(&of).map(|known| known.times);
            let times = Times::add(known, seq, at_ms);
            self.refusals.insert(of, Refusal { agent: String::new(), what, verdict, times });
        }
    }

    fn finish(mut self, is_over: bool) -> Activity {
        if is_over {
            for (seq, begun) in std::mem::take(&mut self.open) {
                self.ended(seq, begun.at_ms, OPEN, &begun);
            }
        }
        let names = names(&self.whos);
        let name = |who: usize| names.get(who).cloned().unwrap_or_default();
        let deeds = self.deeds.into_iter().map(|((who, _), deed)| Deed { agent: name(who), ..deed });
        let mut deeds: Vec<Deed> = deeds.collect();
        deeds.sort_by(|one, other| (one.first(), &one.key).cmp(&(other.first(), &other.key)));
        let refusals = self.refusals.into_iter();
        let refusals = refusals.map(|((who, _, _), refusal)| Refusal { agent: name(who), ..refusal });
        let mut refusals: Vec<Refusal> = refusals.collect();
        refusals.sort_by(|one, other| (one.times.first, &one.what).cmp(&(other.times.first, &other.what)));
        Activity {
            window: self.window.unwrap_or_default(),
            newest_ms: self.newest_ms,
            deeds,
            refusals,
            left_out: self.left_out,
            shared_names: shared(&self.whos, &names),
        }
    }
}

/// The names of this machine's agents that are not their own alone.
fn shared(whos: &[Who], names: &[String]) -> BTreeMap<(String, String), String> {
    let known =
        whos.iter().zip(names).filter(|((machine, _, agent), name)| machine.is_empty() && agent != *name);
    known.map(|((_, instance, agent), name)| ((instance.clone(), agent.clone()), name.clone())).collect()
}

fn verdict(record: &Value) -> &'static str {
    if blocks_as_written(Some(text(record, "conflict")), Some(text(record, "onConflict"))) {
        "blocked"
    } else {
        "paused"
    }
}

/// What each is called: its agent's name, and `@` with the instance, then the machine, where several have that name.
fn names(whos: &[Who]) -> Vec<String> {
    let count = |is_same: &dyn Fn(&Who) -> bool| whos.iter().filter(|who| is_same(who)).count();
    let name = |(machine, instance, agent): &Who| {
        if count(&|other| other.2 == *agent) < 2 {
            agent.clone()
        } else if machine.is_empty() {
            format!("{agent}@{instance}")
        } else {
            format!("{agent}@{instance}.{machine}")
        }
    };
    whos.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn agents_of_one_name_are_told_apart() {
        let who = |machine: &str, instance: &str, agent: &str| {
            (machine.to_owned(), instance.to_owned(), agent.to_owned())
        };
        let whos = [who("", "a", "main"), who("", "b", "main"), who("m", "b", "main"), who("", "b", "solo")];
        let named = names(&whos);
        assert_eq!(named, ["main@a", "main@b", "main@b.m", "solo"]);
        let activity = Activity { shared_names: shared(&whos, &named), ..Activity::default() };
        for (instance, agent, name) in [
            (Some("a"), "main", "main@a"),
            (None, "main", "main"),
            (Some("c"), "main", "main"),
            (Some("b"), "solo", "solo"),
        ] {
            assert_eq!(activity.name(instance, agent), name);
        }
    }

    #[test]
    fn an_action_is_what_its_outcome_says_and_without_one_it_is_open() {
        let mut fold = Fold::default();
        let line = |action: &str, keys: &[&str], of: &[u64]| json!({"action": action, "tier": 3, "instance": "i", "agent": "a", "tool": "exec", "contextKeys": keys, "of": of});
        fold.take(10, 1_000, &line("intercept", &["k:1"], &[]));
        fold.take(20, 2_000, &line("intercept", &["k:2"], &[]));
        fold.take(30, 3_000, &line("complete", &["k:1"], &[10]));
        fold.take(40, 4_000, &line("blocked", &["k:1"], &[]));
        fold.take(50, 5_000, &json!({"action": "denied", "instance": "i", "agent": "a", "path": "/x"}));
        fold.take(60, 6_000, &json!({"action": "session", "instance": "i"}));
        let told = fold.finish(true);
        assert_eq!(told.window, Window { from_seq: 10, to_seq: 50 });
        let deeds: Vec<_> = told
            .deeds
            .iter()
            .map(|deed| (deed.key.as_str(), deed.outcomes.keys().collect::<Vec<_>>()))
            .collect();
        assert_eq!(deeds, [("k:2", vec![&"open"]), ("k:1", vec![&"complete"])]);
        let refusals: Vec<_> =
            told.refusals.iter().map(|refusal| (refusal.what.as_str(), refusal.verdict)).collect();
        assert_eq!(refusals, [("k:1", "paused"), ("/x", "denied")]);
    }
}
