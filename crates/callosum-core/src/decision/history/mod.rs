//! What the journal says, in memory: actions, pauses and counts, built by reading records in order.
//!
//! Pure: it knows no file and no clock. Everything here can be built again from the journal.

#![deny(clippy::wildcard_enum_match_arm)]

mod action;
mod counts;
mod early;
mod lookups;
mod places;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::slice;
use std::sync::Arc;

use crate::model::hashed::HashMap;
use crate::model::on_conflict::OnConflict;
use crate::model::time::{Stamp, YEAR_MS};
use crate::record::kind::Fold;
use crate::record::{Action as Kind, AttemptId, Ending, KnownWindow, Record};
use callosum_shell::ExitCodes;

pub use self::action::{Action, Coverage, Gap, IsDead, Lost, Outcome, Pause, State, Who};
use self::early::Early;
use self::lookups::Open;
use self::places::Places;

/// An action without an outcome is kept for so long at the least, milliseconds (a day): a background process
/// may end long after every window.
const OPEN_MEMORY_MS: u64 = 24 * 3600 * 1000;
/// A window that an instance named is forgotten after this time at the least, milliseconds (30 days).
const WINDOW_MEMORY_MS: u64 = 30 * 24 * 3600 * 1000;
/// Gaps that were told are remembered up to this number: of more, the newest.
const MAX_GAPS: usize = 64;
/// Runtimes whose names are kept once for all their actions: there are a handful.
const MAX_RUNTIMES: usize = 16;

/// Everything the decision looks at.
#[derive(Debug)]
pub struct History {
    /// Boxed: a tree's nodes have room for eleven, and where they come in order half of it stays empty.
    actions: BTreeMap<u64, Box<Action>>,
    by_key: HashMap<Arc<str>, Vec<u64>>,
    by_attempt: HashMap<AttemptId, u64>,
    /// Of every rule with a limit, the actions that it counts, oldest first.
    by_limit: HashMap<Arc<str>, Vec<u64>>,
    /// What became of actions whose start is not known yet.
    early: Early,
    /// Of every session with an action or a pause, its actions without an outcome, oldest first.
    open: HashMap<Arc<Who>, Vec<Open>>,
    pauses: HashMap<Arc<Who>, VecDeque<Pause>>,
    places: Places,
    /// The names of runtimes, each once.
    runtimes: Vec<Arc<str>>,
    /// Runtime → tool → counts.
    pub coverage: BTreeMap<String, BTreeMap<String, Coverage>>,
    /// Instance → how far back its rules look.
    pub windows: BTreeMap<String, KnownWindow>,
    /// The last time that the journal was found lost.
    pub lost: Option<Lost>,
    /// What of the journal is missing, as far as `lost` lines say.
    pub gaps: Vec<Gap>,
    /// Where the oldest segment begins that was not pruned, as a sequence number, if anything says so.
    pub kept_from: Option<u64>,
    /// Torn or foreign lines met in what was read.
    pub skipped: u64,
    /// The highest format met that is newer than ours.
    pub newer_format: Option<u32>,
    default_lease_ms: u64,
    keep_ms: u64,
}

impl History {
    /// An empty history that keeps what is younger than `keep_ms`; an action that names no lease counts as
    /// in flight for `default_lease_ms`.
    #[must_use]
    pub fn new(keep_ms: u64, default_lease_ms: u64) -> Self {
        Self {
            actions: BTreeMap::new(),
            by_key: HashMap::default(),
            by_attempt: HashMap::default(),
            by_limit: HashMap::default(),
            early: Early::default(),
            open: HashMap::default(),
            pauses: HashMap::default(),
            places: Places::default(),
            runtimes: Vec::new(),
            coverage: BTreeMap::new(),
            windows: BTreeMap::new(),
            lost: None,
            gaps: Vec::new(),
            kept_from: None,
            skipped: 0,
            newer_format: None,
            default_lease_ms,
            keep_ms,
        }
    }

    /// How far back it keeps, milliseconds.
    #[must_use]
    pub fn keep_ms(&self) -> u64 {
        self.keep_ms
    }

    /// Takes in one record. What belongs together (an action and what became of it, the pauses of a session)
    /// must come in the journal's order, the rest may come in any; what is known already changes nothing.
    pub fn apply(&mut self, seq: u64, record: &Record) {
        match record.action.spec().fold {
            Fold::Start => self.apply_start(seq, record),
            // The original plugin wrote one line for a finished action.
            Fold::Outcome(Ending::Complete) if record.v == 0 => self.apply_original(seq, record),
            Fold::Outcome(_) if record.v == 0 => {}
            Fold::Outcome(ending) => self.apply_outcome(seq, ending, record),
            Fold::Background => self.apply_background(seq, record),
            Fold::Release => self.apply_release(seq, record),
            Fold::Renewal => self.apply_renewal(seq, record),
            // What another machine's session was told, and what was lost there, are of no meaning here.
            Fold::Pause | Fold::Delivery | Fold::Window | Fold::Segment | Fold::Prune | Fold::Loss
                if record.is_foreign() => {}
            Fold::Pause => self.apply_pause(seq, record),
            Fold::Place => self.places.note(seq, record),
            Fold::Delivery => self.apply_delivered(record),
            Fold::Window => {
                if let Some(ms) = record.window_ms {
                    let known = KnownWindow { ms, at: record.wall_ms };
                    self.windows.insert(record.instance.clone(), known);
                }
            }
            Fold::Segment => {
                self.carry_windows(&record.windows, record.wall_ms);
                self.kept_from = self.kept_from.max(record.kept_from());
            }
            Fold::Prune => self.kept_from = self.kept_from.max(record.base),
            Fold::Loss => {
                self.lost = Some(Lost {
                    at: record.wall_ms,
                    instance: record.instance.clone(),
                    how: record.reason.clone().unwrap_or_default(),
                });
                self.add_gaps(&record.of);
            }
            Fold::Nothing => {}
        }
    }

    /// Takes in the windows that a segment's first line carries, written at `wall_ms`. One that was not
    /// named again for 30 days, or for its own length if that is longer, is let go.
    pub fn carry_windows(&mut self, windows: &BTreeMap<String, KnownWindow>, wall_ms: i64) {
        for (instance, window) in windows {
            let silence = u64::try_from(wall_ms.saturating_sub(window.at)).unwrap_or(0);
            let known = self.windows.get(instance).is_some_and(|known| known.at >= window.at);
            if !known && silence <= WINDOW_MEMORY_MS.max(window.ms) {
                self.windows.insert(instance.clone(), *window);
            }
        }
    }

    /// Notes what a `lost` line names as missing: where each gap begins, and where it ends.
    fn add_gaps(&mut self, ends: &[u64]) {
        let named = ends.chunks_exact(2).filter_map(|ends| match ends {
            [from, to] if from < to => Some(Gap { from: *from, to: *to }),
            _ => None,
        });
        self.gaps.extend(named);
        self.gaps.sort_unstable();
        self.gaps.dedup();
        let too_many = self.gaps.len().saturating_sub(MAX_GAPS);
        self.gaps.drain(..too_many);
    }

    /// Whose record it is, and what that session has open.
    fn who(&mut self, record: &Record) -> (Arc<Who>, &mut Vec<Open>) {
        match self.open.entry(Arc::new(Who::of(record))) {
            Entry::Occupied(known) => (Arc::clone(known.key()), known.into_mut()),
            Entry::Vacant(place) => (Arc::clone(place.key()), place.insert(Vec::new())),
        }
    }

    /// The runtime of an action.
    fn runtime(&mut self, record: &Record) -> Option<Arc<str>> {
        let name = record.runtime.as_deref().filter(|name| !name.is_empty())?;
        if let Some(known) = self.runtimes.iter().find(|known| ***known == *name) {
            return Some(Arc::clone(known));
        }
        let runtime: Arc<str> = name.into();
        if self.runtimes.len() < MAX_RUNTIMES {
            self.runtimes.push(Arc::clone(&runtime));
        }
        Some(runtime)
    }

    fn insert(&mut self, action: Action) {
        for key in &action.keys {
            put_in_order(self.by_key.entry(Arc::clone(key)).or_default(), action.seq);
        }
        for rule in &action.limits {
            put_in_order(self.by_limit.entry(Arc::clone(rule)).or_default(), action.seq);
        }
        self.actions.insert(action.seq, Box::new(action));
    }

    /// The rules whose limits count an action of this machine.
    fn limits(&self, record: &Record) -> Vec<Arc<str>> {
        let share = |rule: &String| match self.by_limit.get_key_value(rule.as_str()) {
            Some((known, _)) => Arc::clone(known),
            None => Arc::from(rule.as_str()),
        };
        if record.is_foreign() { Vec::new() } else { record.limits.iter().map(share).collect() }
    }

    fn keys(&self, record: &Record) -> Vec<Arc<str>> {
        let share = |key: &String| match self.by_key.get_key_value(key.as_str()) {
            Some((known, _)) => Arc::clone(known),
            None => Arc::from(key.as_str()),
        };
        record.context_keys.iter().map(share).collect()
    }

    fn apply_start(&mut self, seq: u64, record: &Record) {
        let Some(tier) = record.tier.filter(|tier| tier.is_tracked()) else { return };
        if record.v == 0 || self.actions.contains_key(&seq) || self.knows_attempt_of(record) {
            return;
        }
        let started = record.happened();
        let lease_ms = self.lease_ms(record);
        let (keys, limits, runtime) = (self.keys(record), self.limits(record), self.runtime(record));
        let (who, open) = self.who(record);
        put_in_order(open, Open::new(seq, record.call.as_deref()));
        self.insert(Action {
            seq,
            attempt: record.attempt,
            tier,
            keys,
            who,
            runtime,
            run: record.run.clone(),
            call: record.call.clone(),
            tool: record.tool.clone().unwrap_or_default(),
            digest: record.digest.clone(),
            started,
            lease_ms,
            // Another machine's process can't be looked for here.
            holder: record.holder.filter(|_| !record.is_foreign()),
            outcome: None,
            process: None,
            released: false,
            only_lease: record.action == Kind::Leased,
            not_done_codes: record.not_done_codes,
            rewritten: false,
            limits,
            asked: record.on_conflict == Some(OnConflict::Ask) && !record.observed,
        });
        if let Some(attempt) = record.attempt {
            if record.is_foreign() {
                self.by_attempt.entry(attempt).or_insert(seq);
            } else {
                // What another machine says of an attempt of ours is not believed.
                self.by_attempt.insert(attempt, seq);
            }
            for (seq, record) in self.early.take(attempt) {
                self.apply(seq, &record);
            }
        }
    }

    /// Whether the same start is known from another line: the journal was written anew, or another machine says it twice.
    fn knows_attempt_of(&self, record: &Record) -> bool {
        let known = record.attempt.and_then(|attempt| self.by_attempt.get(&attempt));
        known.and_then(|seq| self.actions.get(seq)).is_some_and(|known| known.who.wrote(record))
    }

    /// How long an action holds its resources. What a record says of that is bounded: an end before the start is damaged or
    /// beyond what RFC 3339 can tell, and no lease is longer than the longest that can be set.
    fn lease_ms(&self, record: &Record) -> u64 {
        if record.is_foreign() {
            // Its end on another machine's clock means nothing here: it is so long from the line on.
            let said = record.lease_ms.map(|ms| ms.saturating_add(record.age_ms.unwrap_or(0)));
            return said.unwrap_or(self.default_lease_ms).min(YEAR_MS);
        }
        let started = record.happened().wall_ms;
        let said = record.expires_ms.map(|end| end.saturating_sub(started));
        said.map_or(Some(self.default_lease_ms), |ms| u64::try_from(ms).ok())
            .unwrap_or(self.default_lease_ms)
            .min(YEAR_MS)
    }

    fn apply_original(&mut self, seq: u64, record: &Record) {
        let Some(tier) = record.tier.filter(|tier| tier.is_tracked()) else { return };
        if self.actions.contains_key(&seq) {
            return;
        }
        let at = record.stamp();
        let outcome = Outcome { seq, ending: Ending::Complete, at, exit_code: None };
        let (keys, runtime) = (self.keys(record), self.runtime(record));
        let (who, _) = self.who(record);
        self.insert(Action {
            seq,
            attempt: None,
            tier,
            keys,
            who,
            runtime,
            run: None,
            call: None,
            tool: record.tool.clone().unwrap_or_default(),
            digest: None,
            started: at,
            lease_ms: 0,
            holder: None,
            outcome: Some(outcome),
            process: None,
            released: false,
            only_lease: false,
            not_done_codes: ExitCodes::default(),
            rewritten: false,
            limits: Vec::new(),
            asked: false,
        });
    }

    /// The action that an outcome or a side record is about. Who wrote it must be who started it: after a
    /// journal was replaced, an old sequence number may point at somebody else's action.
    fn action_of(&mut self, record: &Record) -> Option<&mut Action> {
        let seq = match record.attempt {
            Some(attempt) => self.by_attempt.get(&attempt)?,
            None => record.of.first()?,
        };
        let action = self.actions.get_mut(seq)?.as_mut();
        (action.who.wrote(record) && action.call == record.call).then_some(action)
    }

    fn apply_background(&mut self, seq: u64, record: &Record) {
        let Some(action) = self.action_of(record) else { return self.early.keep(seq, record) };
        action.process.clone_from(&record.process);
        let of = action.seq;
        self.apply_rewrite(of, record);
    }

    /// Ends leases; who releases one need not be who holds it.
    fn apply_release(&mut self, seq: u64, record: &Record) {
        let of = match record.attempt {
            Some(attempt) => self.by_attempt.get(&attempt).map_or(&[][..], slice::from_ref),
            // Earlier versions name several.
            None => &record.of,
        };
        if of.is_empty() {
            self.early.keep(seq, record);
        }
        for of in of {
            if let Some(action) = self.actions.get_mut(of) {
                action.released = true;
            }
        }
    }

    /// Moves the end of a lease, which its action holds again if an operator had ended it. It is never moved back: a renewal that comes
    /// late was for less.
    fn apply_renewal(&mut self, seq: u64, record: &Record) {
        let lease_ms = self.lease_ms(record);
        let renewed = record.happened();
        let Some(action) = self.action_of(record) else { return self.early.keep(seq, record) };
        let until_renewed = renewed.wall_ms.saturating_sub(action.started.wall_ms);
        let whole_ms = u64::try_from(until_renewed).unwrap_or(0).saturating_add(lease_ms);
        action.lease_ms = action.lease_ms.max(whole_ms.min(YEAR_MS));
        action.released = false;
    }

    fn apply_outcome(&mut self, seq: u64, ending: Ending, record: &Record) {
        let Some(action) = self.action_of(record) else { return self.early.keep(seq, record) };
        // A late outcome settles what was unknown; what was settled stays.
        if action.outcome.as_ref().is_some_and(|known| known.ending != Ending::Unknown) {
            return;
        }
        action.outcome = Some(Outcome { seq, ending, at: record.happened(), exit_code: record.exit_code });
        let (of, who) = (action.seq, Arc::clone(&action.who));
        self.apply_rewrite(of, record);
        self.close(&who, of);
    }

    fn close(&mut self, who: &Who, seq: u64) {
        if let Some(open) = self.open.get_mut(who) {
            open.retain(|open| open.seq != seq);
        }
    }

    /// What ran was not what was asked: the action is on the keys of what ran, and on no others.
    fn apply_rewrite(&mut self, of: u64, record: &Record) {
        if !record.rewritten {
            return;
        }
        let keys = self.keys(record);
        let Some(action) = self.actions.get_mut(&of) else { return };
        let before = std::mem::replace(&mut action.keys, keys);
        action.rewritten = true;
        action.digest.clone_from(&record.digest);
        let now = action.keys.clone();
        self.forget_on_keys(of, &before);
        for key in now {
            put_in_order(self.by_key.entry(key).or_default(), of);
        }
    }

    fn forget_on_keys(&mut self, seq: u64, keys: &[Arc<str>]) {
        for key in keys {
            if let Some(on_key) = self.by_key.get_mut(key) {
                on_key.retain(|known| *known != seq);
                if on_key.is_empty() {
                    self.by_key.remove(key);
                }
            }
        }
    }

    fn forget_of_limits(&mut self, seq: u64, limits: &[Arc<str>]) {
        for rule in limits {
            if let Some(counted) = self.by_limit.get_mut(rule) {
                counted.retain(|known| *known != seq);
                if counted.is_empty() {
                    self.by_limit.remove(rule);
                }
            }
        }
    }

    fn apply_pause(&mut self, seq: u64, record: &Record) {
        // A block only says what a call waits for; only a pause asks for a decision, so only a pause can be
        // acknowledged by a retry.
        if record.v == 0 || record.is_block() {
            return;
        }
        let mut evidence = record.evidence.clone();
        evidence.sort_unstable();
        let pause = Pause {
            seq,
            run: record.run.clone(),
            call: record.call.clone(),
            keys: record.context_keys.clone(),
            evidence,
            at: record.stamp(),
            signal: record.signal,
            delivered: false,
        };
        let (who, _) = self.who(record);
        let pauses = self.pauses.entry(who).or_default();
        let place = pauses.partition_point(|known| known.seq < seq);
        if pauses.get(place).is_none_or(|known| known.seq != seq) {
            pauses.insert(place, pause);
        }
    }

    fn apply_delivered(&mut self, record: &Record) {
        if let Some(pauses) = self.pauses.get_mut(&Who::of(record)) {
            for pause in pauses.iter_mut().filter(|pause| record.of.contains(&pause.seq)) {
                pause.delivered = true;
            }
        }
    }

    /// The action whose record has this sequence number.
    #[must_use]
    pub fn action(&self, seq: u64) -> Option<&Action> {
        self.actions.get(&seq).map(Box::as_ref)
    }

    /// The action that is this try of a call.
    #[must_use]
    pub fn attempt(&self, attempt: AttemptId) -> Option<&Action> {
        self.by_attempt.get(&attempt).and_then(|seq| self.action(*seq))
    }

    /// How many actions are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// All actions kept, newest first.
    pub fn newest(&self) -> impl Iterator<Item = &Action> {
        self.actions.values().rev().map(Box::as_ref)
    }

    /// The actions on `key`, oldest first.
    pub fn on_key(&self, key: &str) -> impl Iterator<Item = &Action> {
        self.by_key.get(key).into_iter().flatten().filter_map(|seq| self.action(*seq))
    }

    /// The actions of this machine that the limit of a rule counts, newest first.
    pub fn limited(&self, rule: &str) -> impl Iterator<Item = &Action> {
        self.by_limit.get(rule).into_iter().flatten().rev().filter_map(|seq| self.action(*seq))
    }

    /// The actions of a session that have no outcome, oldest first.
    pub fn open_calls(&self, who: &Who) -> impl Iterator<Item = &Action> {
        self.open.get(who).into_iter().flatten().filter_map(|open| self.action(open.seq))
    }

    /// All actions without an outcome.
    pub fn open(&self) -> impl Iterator<Item = &Action> {
        self.open.values().flatten().filter_map(|open| self.action(open.seq))
    }

    /// Those that are leased, or may be: tier 3+.
    pub fn open_guarded(&self) -> impl Iterator<Item = &Action> {
        self.open().filter(|action| action.tier.is_guarded())
    }

    /// What the folder of the project is called in which a session runs, where its runtime told that.
    #[must_use]
    pub fn project(&self, who: &Who) -> Option<&str> {
        self.places.of(who)
    }

    /// A session's pauses, oldest first.
    pub fn pauses(&self, who: &Who) -> impl DoubleEndedIterator<Item = &Pause> {
        self.pauses.get(who).into_iter().flatten()
    }

    /// Whether the session's pause whose record is `seq` is known.
    #[must_use]
    pub fn has_pause(&self, who: &Who, seq: u64) -> bool {
        self.pauses
            .get(who)
            .is_some_and(|pauses| pauses.binary_search_by_key(&seq, |pause| pause.seq).is_ok())
    }

    /// Forgets actions that are out of every window and hold nothing, and pauses older than
    /// `retry_window_ms`.
    pub fn prune(&mut self, now: &Stamp, retry_window_ms: u64) {
        let keep_ms = self.keep_ms;
        let gone: Vec<u64> = self
            .actions
            .values()
            .take_while(|action| action.started.age_ms(now) > keep_ms)
            .filter(|action| action.last_sign_age_ms(now) > keep_ms)
            .filter(|action| action.outcome.is_some() || action.started.age_ms(now) > OPEN_MEMORY_MS)
            .map(|action| action.seq)
            .collect();
        for seq in &gone {
            let Some(action) = self.actions.remove(seq) else { continue };
            self.forget_on_keys(*seq, &action.keys);
            self.forget_of_limits(*seq, &action.limits);
            self.close(&action.who, *seq);
            if let Some(attempt) = action.attempt.filter(|attempt| self.by_attempt.get(attempt) == Some(seq))
            {
                self.by_attempt.remove(&attempt);
            }
        }
        self.early.prune(now, keep_ms);
        self.places.prune(now, keep_ms);
        self.pauses.retain(|_, pauses| {
            pauses.retain(|pause| pause.at.age_ms(now) <= retry_window_ms);
            !pauses.is_empty()
        });
        // Its actions and pauses name it as well.
        self.open.retain(|who, _| Arc::strong_count(who) > 1);
    }
}

/// Puts something at its place among what rises.
fn put_in_order<T: Ord>(all: &mut Vec<T>, one: T) {
    // Mostly it is the newest.
    if all.last().is_none_or(|last| *last < one) {
        all.push(one);
        return;
    }
    if let Err(place) = all.binary_search(&one) {
        all.insert(place, one);
    }
}

#[cfg(test)]
mod tests;
