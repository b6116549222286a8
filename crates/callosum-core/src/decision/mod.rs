//! The decision: history, call, rules and moment in, verdict out. Pure.
//!
//! `history` is what the journal says, in memory; `terms` what a call is decided by, `limit` tells how much of a rule's limit is used,
//! `plan` what a decision comes to, `pause_text` what an agent is told, and `ended` how an action stands.

pub mod ended;
pub mod history;
pub mod limit;
pub mod pause_text;
pub mod plan;
pub(crate) mod terms;

use crate::decision::history::{Action, History, IsDead, Pause, State, Who};
use crate::decision::limit::{Usage, usage};
use crate::model::on_conflict::OnConflict;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::rules::{Limited, Scope};

/// How long after a pause its text counts as read where the host tells no delivery, milliseconds. Equal
/// calls in one message come within a few; a model that has read a pause takes longer.
pub const UNSIGNALLED_DELIVERY_MS: u64 = 500;

/// A guarded call as the decision sees it.
#[derive(Clone, Copy, Debug)]
pub struct CallFacts<'a> {
    /// Whose call.
    pub who: &'a Who,
    /// Its tier, 3 or 4.
    pub tier: Tier,
    /// The resources it acts on; at least one.
    pub keys: &'a [String],
    /// How far back evidence counts, milliseconds.
    pub window_ms: u64,
    /// How long a pause may be answered by a retry, milliseconds.
    pub retry_window_ms: u64,
    /// Whose actions are evidence.
    pub scope: Scope,
    /// What becomes of the call if evidence speaks against it.
    pub on_conflict: OnConflict,
    /// The limits that it is under.
    pub limits: &'a [Limited],
}

/// One action that speaks against a call, and where.
#[derive(Clone, Debug)]
pub struct EvidenceItem<'a> {
    /// The action.
    pub action: &'a Action,
    /// Its state now.
    pub state: State,
    /// The keys of the call that it is on.
    pub keys: Vec<&'a str>,
    /// The session was shown it, in this state, on each of these keys.
    pub acknowledged: bool,
}

/// What to do with a guarded call.
#[derive(Clone, Debug)]
pub enum Decision<'a> {
    /// Let it through; the evidence, if any, was acknowledged.
    Allow(Vec<EvidenceItem<'a>>),
    /// Evidence that was not acknowledged speaks against it, or any where the rule blocks: what becomes of it, the rule says.
    Pause(Vec<EvidenceItem<'a>>),
    /// Refuse it until these calls end or lose their lease.
    Block(Vec<EvidenceItem<'a>>),
    /// Refuse it until there is room under this limit.
    Full(Usage<'a>),
}

impl<'a> Decision<'a> {
    /// What it rests on.
    #[must_use]
    pub fn pieces(&self) -> &[EvidenceItem<'a>] {
        match self {
            Self::Allow(pieces) | Self::Pause(pieces) | Self::Block(pieces) => pieces,
            Self::Full(_) => &[],
        }
    }
}

/// Decides about a guarded call. `is_dead` tells whether a holder's process is surely gone.
#[must_use]
pub fn decide<'a>(
    history: &'a History,
    call: &CallFacts<'a>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Decision<'a> {
    let pieces = on_keys(history, call.keys);

    if call.tier >= Tier::Critical {
        let leases: Vec<EvidenceItem<'_>> = pieces
            .iter()
            // One's own session's calls block, too; a whole instance that speaks for itself knows of them.
            .filter(|(action, _)| call.scope != Scope::OtherInstances || call.counts(action))
            .filter(|(action, _)| !call.is_held_for(action))
            .filter(|(action, _)| action.holds_lease(now, is_dead))
            .map(|(action, keys)| EvidenceItem {
                action,
                state: State::InFlight,
                keys: keys.clone(),
                acknowledged: false,
            })
            .collect();
        if !leases.is_empty() {
            return Decision::Block(leases);
        }
    }

    let usages = call.limits.iter().map(|limited| usage(history, call.who, limited, call.keys, now));
    if let Some(full) = usages.filter(Usage::is_reached).max_by_key(|full| full.free_in_ms(now)) {
        return Decision::Full(full);
    }

    let pauses: Vec<&Pause> = history
        .pauses(call.who)
        .filter(|pause| pause.at.age_ms(now) < call.retry_window_ms && is_delivered(pause, now))
        .collect();
    let mut evidence = evidence(pieces, call, now, is_dead);
    for piece in &mut evidence {
        piece.acknowledged = piece.keys.iter().all(|key| was_shown(&pauses, piece.action, key));
    }
    // Where a rule blocks, nobody was asked to acknowledge anything.
    let blocks = call.on_conflict == OnConflict::Block && !evidence.is_empty();
    if !blocks && evidence.iter().all(|piece| piece.acknowledged) {
        Decision::Allow(evidence)
    } else {
        Decision::Pause(evidence)
    }
}

/// All that speaks against a call, oldest first, whatever its session was shown: for who is only told, and decides itself.
#[must_use]
pub fn conflicts<'a>(
    history: &'a History,
    call: &CallFacts<'a>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Vec<EvidenceItem<'a>> {
    evidence(on_keys(history, call.keys), call, now, is_dead)
}

impl CallFacts<'_> {
    /// Whether it matters who did this.
    fn counts(&self, action: &Action) -> bool {
        match self.scope {
            Scope::Any => true,
            Scope::OtherSessions => *action.who != *self.who,
            Scope::OtherInstances => {
                action.who.instance != self.who.instance || action.who.machine != self.who.machine
            }
        }
    }

    /// Whether this is a lease that its session took for what it is about to do.
    fn is_held_for(&self, action: &Action) -> bool {
        action.only_lease && *action.who == *self.who
    }
}

/// Those of the actions on a call's keys that are evidence against it, none acknowledged.
fn evidence<'a>(
    on_keys: Vec<(&'a Action, Vec<&'a str>)>,
    call: &CallFacts<'_>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Vec<EvidenceItem<'a>> {
    on_keys
        .into_iter()
        .filter(|(action, _)| call.counts(action) && !call.is_held_for(action))
        .filter_map(|(action, keys)| {
            let state = action.state(now, is_dead);
            // What is in flight gives a sign of life now.
            let recent = action.last_sign_age_ms(now) <= call.window_ms;
            (recent && state.is_evidence()).then_some(EvidenceItem {
                action,
                state,
                keys,
                acknowledged: false,
            })
        })
        .collect()
}

/// The actions on any of `keys`, oldest first, each with the keys it is on.
fn on_keys<'a>(history: &'a History, keys: &'a [String]) -> Vec<(&'a Action, Vec<&'a str>)> {
    let mut found = std::collections::BTreeMap::<u64, (&Action, Vec<&str>)>::new();
    for key in keys {
        for action in history.on_key(key) {
            found.entry(action.seq).or_insert_with(|| (action, Vec::new())).1.push(key);
        }
    }
    found.into_values().collect()
}

/// Whether the model has seen the pause.
fn is_delivered(pause: &Pause, now: &Stamp) -> bool {
    pause.delivered || (!pause.signal && pause.at.age_ms(now) >= UNSIGNALLED_DELIVERY_MS)
}

/// Whether one of the session's delivered pauses was about `key` and showed the action as it stands: with
/// the same outcome, or none. That time turned "in flight" into "unknown" is no news.
fn was_shown(pauses: &[&Pause], action: &Action, key: &str) -> bool {
    let shown = action.shown();
    pauses.iter().any(|pause| {
        pause.keys.iter().any(|known| known == key) && pause.evidence.binary_search(&shown).is_ok()
    })
}
