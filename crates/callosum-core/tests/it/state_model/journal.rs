//! From the model's log to the real decision: real records with real stamps, a real `History`, and the
//! verdict in the words of the model.

use callosum_core::decision::history::{History, Who};
use callosum_core::decision::pause_text::Citation;
use callosum_core::decision::plan::{HostState, Plan, Refusal};
use callosum_core::decision::{CallFacts, Decision, decide};
use callosum_core::model::on_conflict::OnConflict;
use callosum_core::model::tier::Tier;
use callosum_core::model::time::Stamp;
use callosum_core::record::{Action, Conflict, Holder, Record, Shown};
use callosum_core::rules::{Limited, Per, RateLimit, Scope};

use super::log::{Ending, Entry, Fact, Keys, LEASE_MS, Log, TICK_MS, Times, Wish};

const INSTANCE: &str = "here";
pub(crate) const SESSIONS: [&str; 3] = ["one", "two", "three"];
const NOW: Stamp = Stamp { wall_ms: 1_800_000_000_000, up_ms: 1_000_000_000, boot: Some(7) };
/// Longer than the time after which a pause counts as read where no host tells, and far below a tick.
pub(crate) const READING_MS: u64 = 1_000;

/// What decides: the real decision, or a mutant that differs from it in what it looks at or in what it says.
#[derive(Clone, Copy)]
pub(crate) struct Decider {
    /// Done to the records before they become the history.
    pub(crate) records: fn(&mut Vec<(u64, Record)>),
    /// Done to the call as the decision sees it.
    pub(crate) call_facts: fn(&mut CallFacts<'_>),
    /// Whether a process that is dead (or alive) counts as dead.
    pub(crate) is_dead: fn(bool) -> bool,
    /// Whether what is asked is taken for a call that is open already (or not), when its session has such a one: a client may
    /// send it again under the same id.
    pub(crate) is_same: fn(bool) -> bool,
    /// Done to the verdict.
    pub(crate) verdict: for<'a> fn(Decision<'a>, &CallFacts<'_>) -> Decision<'a>,
}

/// The decision as it is.
pub(crate) const REAL: Decider = Decider {
    records: |_| {},
    call_facts: |_| {},
    is_dead: |dead| dead,
    is_same: |_| false,
    verdict: |decision, _| decision,
};

/// How the host of a configuration tells that a pause was read, and whether old actions are forgotten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    pub(crate) times: Times,
    /// By a signal; otherwise time tells it.
    pub(crate) signals: bool,
    /// The history is pruned before each decision, as a gate's maintenance may do at any time.
    pub(crate) prunes: bool,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verdict {
    Allow,
    Pause(Vec<Fact>),
    Block(Vec<Fact>),
    /// Blocked by a limit.
    Full,
}

/// The rule that has a limit.
const CAPPED: &str = "capped";

/// A log as the decision sees it.
pub(crate) struct Journal {
    history: History,
    orphaned: Vec<bool>,
    times: Times,
    decider: Decider,
}

impl Journal {
    pub(crate) fn read(log: &Log, host: Host, decider: Decider) -> Self {
        let mut records: Vec<(u64, Record)> =
            log.entries().filter_map(|(at, entry)| Some((seq(at), record(log, at, entry, host)?))).collect();
        (decider.records)(&mut records);
        let mut history = History::new(host.times.window_ms, LEASE_MS);
        for (seq, record) in &records {
            history.apply(*seq, record);
        }
        if host.prunes {
            history.prune(&NOW, host.times.retry_window_ms);
        }
        let orphaned =
            log.0.iter().map(|entry| matches!(entry, Entry::Start { orphaned: true, .. })).collect();
        Self { history, orphaned, times: host.times, decider }
    }

    pub(crate) fn ask(&self, session: u8, wish: Wish) -> Verdict {
        let who = Who::here(INSTANCE, name(session));
        let keys = key_names(wish.keys);
        let limit = RateLimit { count: 1, window_ms: self.times.window_ms, per: Per::Rule };
        let limits = [Limited { rule: CAPPED.to_owned(), limit, keys: Vec::new() }];
        let mut call_facts = CallFacts {
            who: &who,
            tier: tier(wish),
            keys: &keys,
            window_ms: self.times.window_ms,
            retry_window_ms: self.times.retry_window_ms,
            scope: if wish.others_only { Scope::OtherSessions } else { Scope::Any },
            on_conflict: OnConflict::Pause,
            limits: if wish.limited { &limits } else { &[] },
        };
        let is_open = self
            .history
            .open_calls(&who)
            .any(|open| open.tier == tier(wish) && open.keys.iter().map(AsRef::as_ref).eq(keys.iter()));
        if (self.decider.is_same)(is_open) {
            return Verdict::Allow;
        }
        (self.decider.call_facts)(&mut call_facts);
        let is_dead = |_: Option<u32>, holder: &Holder| {
            let call = usize::try_from(holder.pid).unwrap_or(usize::MAX);
            (self.decider.is_dead)(self.orphaned.get(call).copied().unwrap_or(false))
        };
        let decision = decide(&self.history, &call_facts, &NOW, &is_dead);
        match Plan::of(&(self.decider.verdict)(decision, &call_facts), &call_facts, HostState::Waits, &NOW) {
            Plan::Refuse(refusal) if refusal.conflict == Conflict::Limit => Verdict::Full,
            Plan::Refuse(refusal) if refusal.is_block() => Verdict::Block(facts(&refusal)),
            Plan::Refuse(refusal) => Verdict::Pause(facts(&refusal)),
            Plan::Allow { .. } | Plan::HostRefused(_) => Verdict::Allow,
        }
    }
}

/// The real record of an entry, with the fields that the gate writes and the history reads.
fn record(log: &Log, at: u8, entry: &Entry, host: Host) -> Option<Record> {
    Some(match entry {
        Entry::Start { session, wish, age, .. } => {
            let mut record = asked_for(Action::Intercept, at, *session, *wish, ago(*age, 0));
            record.expires_ms = Some(record.stamp().plus_ms(LEASE_MS).wall_ms);
            // A process of its own for each call: which of them died is the log's to say.
            record.holder = Some(Holder { pid: at.into(), start: 1, ns: 1 });
            record
        }
        Entry::End { of, ending, age } => {
            let action = match ending {
                Ending::Complete => Action::Complete,
                Ending::Failed => Action::Failed,
                Ending::Refused => Action::Refused,
                Ending::Unknown => Action::Unknown,
            };
            let mut record = about(log, action, *of, ago(*age, 0));
            record.call = Some(call_name(*of));
            record
        }
        Entry::Refusal { session, wish, told, age, block } => {
            let reading = if !host.signals && log.is_delivered(at) { READING_MS } else { 0 };
            let mut record = asked_for(Action::Blocked, at, *session, *wish, ago(*age, reading));
            record.conflict = Some(if *block { Conflict::Lease } else { Conflict::Recent });
            let shown = |fact: &Fact| Shown { seq: seq(fact.call), outcome: fact.ended.map(seq) };
            record.evidence = told.iter().map(shown).collect();
            record.signal = host.signals;
            record
        }
        // Without signals nobody writes that a refusal was read: its age tells.
        Entry::Delivered { .. } if !host.signals => return None,
        Entry::Delivered { of } => about(log, Action::Delivered, *of, NOW),
        Entry::Released { of } => about(log, Action::Released, *of, NOW),
    })
}

/// A record of the call that the entry `at` is about.
fn asked_for(action: Action, at: u8, session: u8, wish: Wish, when: Stamp) -> Record {
    let mut record = Record::new(action, INSTANCE, &when);
    record.tier = Some(tier(wish));
    record.session = Some(name(session).to_owned());
    record.call = Some(call_name(at));
    record.tool = Some("act".to_owned());
    record.context_keys = key_names(wish.keys);
    record.limits = wish.limited.then(|| CAPPED.to_owned()).into_iter().collect();
    record
}

/// A record about the entry `of`, by its session.
fn about(log: &Log, action: Action, of: u8, when: Stamp) -> Record {
    let mut record = Record::new(action, INSTANCE, &when);
    record.of = vec![seq(of)];
    if let Some(Entry::Start { session, .. } | Entry::Refusal { session, .. }) = log.0.get(usize::from(of)) {
        record.session = Some(name(*session).to_owned());
    }
    record
}

fn facts(refusal: &Refusal) -> Vec<Fact> {
    let pieces = refusal.shown.iter().zip(&refusal.told);
    let fact = |(shown, told): (&Shown, &Citation)| {
        let keys = [(Keys::A, "a"), (Keys::B, "b")].into_iter();
        let keys = keys.filter(|(_, name)| told.keys.iter().any(|key| key == name));
        Fact {
            call: entry(shown.seq),
            ended: shown.outcome.map(entry),
            keys: Keys(keys.fold(0, |all, (key, _)| all | key.0)),
        }
    };
    pieces.map(fact).collect()
}

/// A sequence number is an offset into a file: rising, with gaps.
fn seq(at: u8) -> u64 {
    (u64::from(at) + 1) * 100
}

fn entry(seq: u64) -> u8 {
    u8::try_from(seq / 100 - 1).unwrap_or(u8::MAX)
}

fn ago(ticks: u8, more_ms: u64) -> Stamp {
    let ms = u64::from(ticks) * TICK_MS + more_ms;
    Stamp { wall_ms: NOW.wall_ms.saturating_sub_unsigned(ms), up_ms: NOW.up_ms - ms, boot: NOW.boot }
}

fn tier(wish: Wish) -> Tier {
    if wish.critical { Tier::Critical } else { Tier::High }
}

fn name(session: u8) -> &'static str {
    SESSIONS.get(usize::from(session)).copied().unwrap_or_default()
}

fn call_name(at: u8) -> String {
    format!("call-{at}")
}

fn key_names(keys: Keys) -> Vec<String> {
    let named = [(Keys::A, "a"), (Keys::B, "b")].into_iter();
    named.filter(|(key, _)| !key.shared(keys).is_empty()).map(|(_, name)| name.to_owned()).collect()
}
