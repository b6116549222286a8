//! Calls of processes that are not here: somebody asks for them, by a right that the journal names.
//!
//! Such a call has no process that could be looked for, so nothing but its lease tells that it goes on, and whoever asks for it
//! may be started anew in between: which call it is, is looked up in the journal. All methods are for a thread that may wait.

mod again;
mod leases;
mod settle;

use std::borrow::Cow;

use crate::decision::history::{Action as Past, History, State, Who};
use crate::decision::pause_text::{self, Citation};
use crate::decision::plan::{HostState, Plan, Refusal, Until};
use crate::decision::{Decision, EvidenceItem, conflicts, decide};
use crate::model::digest::is_same_call;
use crate::model::error::StateError;
use crate::model::on_conflict::OnConflict;
use crate::model::settings::OnStateError;
use crate::model::text::one_line;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::policy::Denial;
use crate::rules::context_key::{MAX_KEYS, named_key};
use crate::rules::{Scope, World};
use crate::store::journal::Check;
use crate::store::ledger::Needs;

use super::call_id::with_short_names;
use super::intent::Intent;
use super::open_calls::Unflushed;
use super::transaction::NotNow;
use super::{Gate, lock};

use self::again::Again;
pub use self::leases::Lease;
use self::leases::renew;
pub use self::settle::Settled;

/// Characters of a claimed runtime, and of the right that a record names.
const NAME_CHARS: usize = 100;
/// Characters of an instance's name: more than one can have that is below a token's. It is the same in calls, leases and ends.
const INSTANCE_CHARS: usize = 128;

/// The runtime of guests, whatever they call theirs: nobody shows that it is one of those that are known here.
pub const GUEST_RUNTIME: &str = "http";

/// More lines than this don't wait to be written: who comes then waits until there are fewer.
const MAX_UNWRITTEN: usize = 1_000;

/// Whose call it is, and who asks for it.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The instance that the call is of.
    pub instance: String,
    /// What it calls the runtime that it comes from, if anything. Rules and the journal know it as `http/NAME`, the policy not at all.
    pub claimed_runtime: Option<String>,
    /// By what right it is asked for.
    pub via: String,
    /// The call. Its id tells it from others of its session; without one, no two are the same.
    pub call: ToolCall,
    /// The resources that it acts on, where who asks names them; else the rules do.
    pub keys: Vec<String>,
}

/// By which terms a call is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// As any other call: a pause at tier 3, a block at tier 4.
    Gate,
    /// The same, but only what other instances did counts.
    AmongInstances,
    /// Only what other instances did counts: at tier 3 the call runs and its caller is warned, at tier 4 it is refused,
    /// whatever the caller was shown before.
    Advice,
}

/// A call that has been classified.
#[derive(Clone, Debug)]
pub struct Weighed {
    intent: Intent,
    terms: Terms,
    asked_around: bool,
    covered: bool,
    denial: Option<Denial>,
}

/// What is decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// Not before its caller has seen the facts: a retry goes through.
    Pause,
    /// Not before other calls have ended.
    Block,
    /// Not at all: it acts on more resources than can be checked at once.
    TooLarge,
    /// Not at all: the policy refuses it.
    Denied,
}

/// An action that speaks against a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Sequence number of its record.
    pub seq: u64,
    /// Whose it is.
    pub who: Who,
    /// The tool.
    pub tool: String,
    /// Its tier.
    pub tier: Tier,
    /// The resources of the call that it is on.
    pub keys: Vec<String>,
    /// When it began, wall-clock milliseconds.
    pub started_ms: i64,
    /// When its lease ends or ended, wall-clock milliseconds.
    pub expires_ms: i64,
    /// Its state when the call was decided.
    pub state: State,
    /// Whether its parameters are those of the call.
    pub is_identical: bool,
}

/// A call that was decided, and what is told of it.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// What was decided.
    pub verdict: Verdict,
    /// What its model is to read: with [`Verdict::Allow`], a warning.
    pub text: Option<String>,
    /// What spoke against it, oldest first.
    pub facts: Vec<Fact>,
    /// Wall-clock milliseconds: of one that may run, when its lease ends; of one that no retry helps, when what stops it no longer
    /// does at the latest, where that is known.
    pub expires_ms: Option<i64>,
    /// How it stands, if it was allowed before.
    pub earlier: Option<State>,
    start: Option<Start>,
}

/// Where the start of a call that may run stands.
#[derive(Clone, Debug)]
struct Start {
    seq: u64,
    /// What is to be flushed before it may run.
    unflushed: Option<Unflushed>,
    /// It was written before, and the call may be running since.
    is_known: bool,
}

/// Why a call was not decided.
#[derive(Debug, thiserror::Error)]
pub enum NotAdmitted {
    /// The state can't be used, and the settings refuse such calls then.
    #[error("{cause}")]
    State {
        /// Short stable name of the failure.
        code: &'static str,
        /// What failed, where, and why.
        cause: String,
        /// What to do about it.
        remedy: String,
        /// What the call's model is to read.
        text: String,
    },
    /// The session has an open call of this id that is another one.
    #[error("the session's open call of this id does something else")]
    Reused,
    /// Several sessions have a call of this id, and none is named.
    #[error("calls of several sessions have this id")]
    Several,
}

impl Guest {
    /// The runtime, as rules and the journal know it: never one of those whose hooks are heard here.
    fn runtime(&self) -> Cow<'static, str> {
        match &self.claimed_runtime {
            None => Cow::Borrowed(GUEST_RUNTIME),
            Some(claimed) => Cow::Owned(format!("{GUEST_RUNTIME}/{}", one_line(claimed, NAME_CHARS))),
        }
    }
}

impl Weighed {
    /// Its tier.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.intent.tier
    }

    /// The rule that classified it; of one that the policy refuses, what it breaks.
    #[must_use]
    pub fn rule_name(&self) -> Option<&str> {
        self.denial.as_ref().map(|denial| denial.rule).or_else(|| self.intent.rule_name())
    }

    /// Whether any rule could apply to its tool, or a policy does to this call.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.covered
    }

    /// The resources it acts on.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        self.intent.keys()
    }

    /// Whether it may be paused: then its session must be known, or others inherit its pause.
    #[must_use]
    pub fn may_pause(&self) -> bool {
        let may_be =
            self.intent.tier.is_guarded() && !self.intent.terms.observe && self.terms != Terms::Advice;
        may_be && self.denial.as_ref().is_none_or(|denial| denial.observed)
    }

    /// Whether its keys, or the policy, ask for what lies around the call, which was not looked at.
    #[must_use]
    pub fn asked_around(&self) -> bool {
        self.asked_around
    }
}

impl Gate {
    /// Tier and keys of a guest's call by the rules that hold now. With `looks`, what lies around it on this machine is looked
    /// at; that may take as long as its file system does.
    pub fn weigh(
        &self,
        guest: &Guest,
        params: &dyn Parameters,
        terms: Terms,
        looks: bool,
        now: &Stamp,
    ) -> Weighed {
        let call = with_short_names(&guest.call);
        let unseen = World::unseen();
        let world = if looks { &self.world } else { &unseen };
        let rules = self.current_rules(now);
        let policy = self.policy();
        let runtime = guest.runtime();
        let mut classification =
            rules.classify_watching(&call, &runtime, params, world, policy.watch(), None);
        let instance = one_line(&guest.instance, INSTANCE_CHARS);
        let of = (GUEST_RUNTIME, instance.as_str());
        let denial = self.judged(&policy, &classification, &call, params, of, world);
        let asks = classification.asked_around && classification.tier.is_tracked();
        let asked_around = !looks && denial.is_none() && (asks || classification.names_kept);
        let covered = denial.is_some()
            || classification.rule_name.is_some()
            || rules.covers_tool(&call.tool)
            || rules.covers_tool_by_id(&call.tool);
        if !guest.keys.is_empty() {
            classification.context_keys =
                guest.keys.iter().take(MAX_KEYS).map(|key| named_key(key)).collect();
            classification.former_keys.clear();
            classification.too_many_keys = guest.keys.len() > MAX_KEYS;
        }
        if terms != Terms::Gate {
            classification.scope = Scope::OtherInstances;
        }
        let mut intent = Intent::new(&call, classification, params, &self.settings, &instance, &runtime);
        if let Some(denial) = denial.as_ref().filter(|denial| denial.observed) {
            intent = intent.denied_in_observation(denial);
        }
        Weighed { intent: intent.by(&one_line(&guest.via, NAME_CHARS)), terms, asked_around, covered, denial }
    }

    /// Lets a guest's call go on before its line is written, where nothing in the journal has a say in it. The line is there for
    /// whatever is decided or asked after it, and is written [soon](Self::write_what_went_on). `None` where the call must be
    /// [admitted](Self::admit), or where nothing can be written now.
    pub fn admit_unwritten(&self, weighed: &mut Weighed, now: &Stamp) -> Option<Admitted> {
        let intent = &mut weighed.intent;
        let is_denied = weighed.denial.as_ref().is_some_and(|denial| !denial.observed);
        if is_denied || intent.tier.is_tracked() || !self.goes_on_unwritten(intent.tier) {
            return None;
        }
        if lock(&self.health).degraded().is_some() {
            return None;
        }
        let line = intent.start(None, now).to_line().ok()?;
        let mut light = lock(&self.light);
        if light.waiting() >= MAX_UNWRITTEN {
            return None;
        }
        light.backlog.push_light(line)?;
        Some(Admitted::without_start(Verdict::Allow, None))
    }

    /// Writes what [went on unwritten](Self::admit_unwritten). What can't be written waits on, and its failure is told as any
    /// other. For a thread that may wait.
    pub fn write_what_went_on(&self, now: &Stamp) {
        // What failed is noted; maintenance tries again.
        let _ = self.write_within(self.patience(), now);
    }

    /// Decides about a guest's call and writes it down. What was allowed may run once it is [confirmed](Self::confirm).
    ///
    /// The same call again (session, id, parameters) gets the same verdict, and nothing new is written, for as long as the
    /// journal's window reaches. What was blocked is decided anew, because leases end; so is what was allowed, once its lease has
    /// ended without an outcome: where nothing else speaks against it, it gets its lease again. What has an outcome is not allowed
    /// again while another call holds the resource at tier 4.
    ///
    /// # Errors
    /// When it can't be decided.
    pub fn admit(&self, weighed: &mut Weighed, now: &Stamp) -> Result<Admitted, NotAdmitted> {
        match self.decide_guest(weighed, now) {
            Ok(admitted) => admitted,
            Err(reason) => self.undecided_guest(&weighed.intent, &self.state_error(reason), now),
        }
    }

    fn decide_guest(
        &self,
        weighed: &mut Weighed,
        now: &Stamp,
    ) -> Result<Result<Admitted, NotAdmitted>, NotNow> {
        let patience = self.patience();
        let intent = &mut weighed.intent;
        if let Some(denial) = weighed.denial.as_ref().filter(|denial| !denial.observed) {
            self.write_soon(intent.denied(denial, now), now);
            return Ok(Ok(Admitted::without_start(Verdict::Denied, Some(denial.text.clone()))));
        }
        if intent.too_many_keys && intent.tier.is_guarded() && !intent.terms.observe {
            self.write_soon(intent.refused("too many resources", None, now), now);
            let text = "[Callosum] This call acts on more than 1,000 resources, more than can be checked at once, so it is not \
                        let through. Split it.";
            return Ok(Ok(Admitted::without_start(Verdict::TooLarge, Some(text.to_owned()))));
        }
        let (keys, who, limits) = (intent.all_keys(), intent.who(), intent.terms.limits.clone());
        let tracked = intent.tier.is_tracked();
        let needs = if tracked {
            let (who, limits) = (Some(&who), limits.as_slice());
            Needs { keys: &keys, who, limits, now: *now, open: intent.call().is_some(), ..Needs::default() }
        } else {
            Needs::default()
        };
        let check = if intent.tier.is_guarded() { Check::All } else { Check::Journal };
        let terms = weighed.terms;
        let mut decided = || {
            self.with_ledger(&needs, patience, check, now, |ledger, proof| {
                let (lapsed, earlier) = match self.again(intent, terms, (&who, &keys), ledger, now) {
                    Again::Is(same) => return Ok(same),
                    Again::Lapsed(action) => (Some(action), Some(State::Lapsed)),
                    Again::New(earlier) => (None, earlier),
                };
                let (plan, told) = self.plan_for_guest(
                    intent,
                    terms,
                    (&who, &keys),
                    lapsed.as_deref(),
                    ledger.history(),
                    now,
                );
                let window_ms = self.settings.recent_window_ms;
                let warned = warning(&plan, &told);
                if let Some(refusal) = &warned {
                    ledger.load_newest(|history, from| refusal.can_be_told(history, from, window_ms, now))?;
                    ledger.load_places(&refusal.sessions(ledger.history(), window_ms, now))?;
                }
                let facts = facts(ledger.history(), &told, intent.digest());
                let text =
                    warned.map(|refusal| refusal.text(ledger.history(), intent.digest(), window_ms, now));
                Ok(Ok(match plan {
                    Plan::Allow { despite, shown } => {
                        let (expires_ms, seq, appended) = if let Some(lapsed) = &lapsed {
                            let lease_ms = intent.terms.lease_ms;
                            let via = intent.via().unwrap_or_default();
                            let (end, renewed) = renew(ledger, &proof, (lapsed, lease_ms), via, now)?;
                            (Some(end), lapsed.seq, renewed)
                        } else {
                            let record = match &despite {
                                Some(despite) => intent.start_despite(despite, None, now),
                                None => intent.start(None, now),
                            };
                            record.evidence = shown;
                            let expires_ms = record.expires_ms;
                            let appended = ledger.append(&proof, record, now)?;
                            (expires_ms, appended.seq, appended)
                        };
                        let unflushed = (intent.tier.is_guarded() && self.flushes())
                            .then_some(Unflushed { file: appended.file, end: appended.end });
                        let start = Some(Start { seq, unflushed, is_known: lapsed.is_some() });
                        Admitted {
                            facts,
                            expires_ms,
                            earlier,
                            start,
                            ..Admitted::without_start(Verdict::Allow, text)
                        }
                    }
                    Plan::Refuse(mut refusal) => {
                        let record = intent.refusal(&mut refusal, now);
                        ledger.append(&proof, record, now)?;
                        let verdict = if refusal.is_block() { Verdict::Block } else { Verdict::Pause };
                        let window_ms = (terms == Terms::Advice).then_some(intent.terms.window_ms);
                        let expires_ms = lapses_ms(ledger.history(), &refusal, window_ms, now);
                        Admitted { facts, expires_ms, earlier, ..Admitted::without_start(verdict, text) }
                    }
                    Plan::HostRefused(text) => Admitted::without_start(Verdict::Block, Some(text)),
                }))
            })
        };
        match decided() {
            // What it was planned on was not the journal: once more, on one that is opened anew.
            Err(NotNow::Failed(StateError::Replaced { .. })) => decided(),
            decided => decided,
        }
    }

    /// Makes what was allowed durable; only then it may run. For several calls that were admitted one after the other, one
    /// flush does for all. Returns whether the disk was asked.
    ///
    /// # Errors
    /// When that failed, and the settings refuse such calls then: it was taken back, unless it may run by an earlier answer.
    pub fn confirm(&self, weighed: &Weighed, admitted: &Admitted, now: &Stamp) -> Result<bool, NotAdmitted> {
        let Some(Start { seq, unflushed: Some(unflushed), is_known }) = &admitted.start else {
            return Ok(false);
        };
        match unflushed.file.flush(unflushed.end) {
            Ok(is_asked) => {
                lock(&self.health).flushed();
                Ok(is_asked)
            }
            Err(error) => {
                self.flush_failed(&error, now);
                if !self.refuses_undecided(&weighed.intent) {
                    return Ok(true);
                }
                if !is_known {
                    self.write_soon(weighed.intent.refused(error.code(), Some(*seq), now), now);
                }
                Err(NotAdmitted::of(&error, weighed.intent.keys()))
            }
        }
    }

    /// What is to be done about a guest's call, and what speaks against it. `lapsed` is the call itself, allowed before.
    fn plan_for_guest(
        &self,
        intent: &Intent,
        terms: Terms,
        (who, keys): (&Who, &[String]),
        lapsed: Option<&Past>,
        history: &History,
        now: &Stamp,
    ) -> (Plan, Vec<Citation>) {
        if !intent.tier.is_guarded() {
            return (Plan::Allow { despite: None, shown: Vec::new() }, Vec::new());
        }
        let mut call_facts = intent.terms.call_facts(who, keys, &self.settings);
        if lapsed.is_some() {
            // It was counted when it began.
            call_facts.limits = &[];
        }
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let mut decision = decide(history, &call_facts, now, &is_dead);
        if let (Some(lapsed), Decision::Pause(pieces)) = (lapsed, &mut decision) {
            let is_answered =
                |piece: &EvidenceItem<'_>| piece.acknowledged && call_facts.on_conflict != OnConflict::Block;
            if pieces.iter().all(|piece| piece.action.seq == lapsed.seq || is_answered(piece)) {
                decision = Decision::Allow(std::mem::take(pieces));
            }
        }
        // A limit is no advice.
        if terms == Terms::Advice && !matches!(decision, Decision::Full(_)) {
            let pieces = conflicts(history, &call_facts, now, &is_dead);
            let plan = Plan::advised(&pieces, intent.tier, intent.terms.observe, now, &is_dead);
            return (plan, pieces.iter().map(Citation::of).collect());
        }
        let host = if intent.terms.observe { HostState::Runs } else { HostState::Waits };
        (Plan::of(&decision, &call_facts, host, now), decision.pieces().iter().map(Citation::of).collect())
    }

    /// The state can't be used: the call goes by `onStateError`, and what can't be written now waits.
    fn undecided_guest(
        &self,
        intent: &Intent,
        error: &StateError,
        now: &Stamp,
    ) -> Result<Admitted, NotAdmitted> {
        lock(&self.health).failed(error, now);
        let mut light = lock(&self.light);
        light.unwritten += 1;
        if self.refuses_undecided(intent) {
            let _ = light.backlog.push(intent.refused(error.code(), None, now), None);
            return Err(NotAdmitted::of(error, intent.keys()));
        }
        let start = intent.to_start(None, now);
        let expires_ms = start.expires_ms;
        let _ = light.backlog.push(start, None);
        Ok(Admitted { expires_ms, ..Admitted::without_start(Verdict::Allow, None) })
    }

    /// What a step of a thread that may wait failed with.
    fn state_error(&self, reason: NotNow) -> StateError {
        match reason {
            NotNow::Failed(error) => error,
            // A patient step is never put off for long.
            NotNow::Busy => StateError::Unread { path: self.directory.path.clone() },
        }
    }

    /// Whether calls that can't be checked are let through.
    #[must_use]
    pub fn is_open_without_state(&self) -> bool {
        self.settings.on_state_error == OnStateError::Open
    }
}

impl Admitted {
    fn without_start(verdict: Verdict, text: Option<String>) -> Self {
        Self { verdict, text, facts: Vec::new(), expires_ms: None, earlier: None, start: None }
    }

    /// The sequence number of its start, if that was written.
    #[must_use]
    pub fn seq(&self) -> Option<u64> {
        self.start.as_ref().map(|start| start.seq)
    }
}

impl NotAdmitted {
    fn of(error: &StateError, keys: &[String]) -> Self {
        let (cause, remedy) = (error.in_full(), error.remedy());
        let text = pause_text::state_error(keys, &cause, &remedy);
        Self::State { code: error.code(), cause, remedy, text }
    }
}

/// What a plan tells its caller: why it is refused, or what it is warned of.
fn warning(plan: &Plan, told: &[Citation]) -> Option<Refusal> {
    match plan {
        Plan::Refuse(refusal) => Some(refusal.clone()),
        Plan::Allow { despite: Some(despite), shown } => {
            let (shown, told) = (shown.clone(), told.to_vec());
            let until = Until::Advice { runs: true };
            Some(Refusal { conflict: despite.conflict, until, shown, told })
        }
        Plan::Allow { despite: None, .. } | Plan::HostRefused(_) => None,
    }
}

fn facts(history: &History, told: &[Citation], digest: Option<&str>) -> Vec<Fact> {
    let fact = |told: &Citation| {
        let action = history.action(told.seq)?;
        Some(Fact {
            seq: action.seq,
            who: Who::clone(&action.who),
            tool: action.tool.clone(),
            tier: action.tier,
            keys: told.keys.clone(),
            started_ms: action.started.wall_ms,
            expires_ms: expires_ms(action),
            state: told.state,
            is_identical: digest.is_some_and(|ours| is_same_call(action.digest.as_deref(), ours)),
        })
    };
    told.iter().filter_map(fact).collect()
}

/// When what stops a call no longer does, unless it ends before; wall-clock milliseconds. `None` where a retry is what helps.
/// `advised_ms` is the window of a call whose caller is only told, and so never helped by a retry.
fn lapses_ms(history: &History, refusal: &Refusal, advised_ms: Option<u64>, now: &Stamp) -> Option<i64> {
    let told = || refusal.told.iter().filter_map(|told| Some((history.action(told.seq)?, told.state)));
    let out_of = |window_ms: u64| {
        let end = |action: &Past| match &action.outcome {
            Some(outcome) => {
                outcome.at.plus_ms(window_ms).wall_ms.max(action.started.plus_ms(window_ms).wall_ms)
            }
            // When it ends, nothing was done.
            None if action.only_lease => expires_ms(action),
            None => action.started.plus_ms(action.lease_ms.saturating_add(window_ms)).wall_ms,
        };
        told().map(|(action, _)| end(action)).max()
    };
    match &refusal.until {
        Until::Retry => None,
        Until::Advice { .. } => advised_ms.and_then(out_of),
        Until::Past(window_ms) => out_of(*window_ms),
        // Whoever is only told stays refused by what the lease leaves behind.
        Until::LeaseEnds => advised_ms.map_or_else(
            || {
                let held = told().filter(|(_, state)| *state == State::InFlight);
                held.map(|(action, _)| expires_ms(action)).max()
            },
            out_of,
        ),
        Until::Room(reached) => Some(now.plus_ms(reached.free_in_ms).wall_ms),
    }
}

/// When an action's lease ends or ended, wall-clock milliseconds.
fn expires_ms(action: &Past) -> i64 {
    action.started.plus_ms(action.lease_ms).wall_ms
}
