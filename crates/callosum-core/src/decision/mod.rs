//! The decision: history, call, rules and moment in, verdict out. Pure.
//!
//! `history` is what the journal says, in memory; `plan` what a decision comes to, and `pause_text` what an agent is told.

pub mod history;
pub mod pause_text;
pub mod plan;

use crate::decision::history::{Action, History, IsDead, Pause, State, Who};
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::rules::Scope;

/// How long after a pause its text counts as read where the host tells no delivery, milliseconds. Equal
/// calls in one message come within a few; a model that has read a pause takes longer.
pub const UNSIGNALLED_DELIVERY_MS: u64 = 500;

/// A guarded call as the decision sees it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
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
}

/// One action that speaks against a call, and where.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
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
    Allow(Vec<Piece<'a>>),
    /// Refuse it with the facts; a retry goes through.
    Pause(Vec<Piece<'a>>),
    /// Refuse it until these calls end or lose their lease.
    Block(Vec<Piece<'a>>),
}

impl<'a> Decision<'a> {
    /// What it rests on.
    #[must_use]
    pub fn pieces(&self) -> &[Piece<'a>] {
        match self {
            Self::Allow(pieces) | Self::Pause(pieces) | Self::Block(pieces) => pieces,
        }
    }
}

/// Decides about a guarded call. `is_dead` tells whether a holder's process is surely gone.
#[must_use]
pub fn decide<'a>(
    history: &'a History,
    question: &Question<'a>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Decision<'a> {
    let pieces = on_keys(history, question.keys);

    if question.tier >= Tier::Critical {
        let leases: Vec<Piece<'_>> = pieces
            .iter()
            // One's own session's leases block, too; a whole instance that speaks for itself knows of them.
            .filter(|(action, _)| question.scope != Scope::OtherInstances || question.counts(action))
            .filter(|(action, _)| action.holds_lease(now, is_dead))
            .map(|(action, keys)| Piece {
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

    let pauses: Vec<&Pause> = history
        .pauses(question.who)
        .filter(|pause| pause.at.age_ms(now) < question.retry_window_ms && is_delivered(pause, now))
        .collect();
    let mut evidence = evidence(pieces, question, now, is_dead);
    for piece in &mut evidence {
        piece.acknowledged = piece.keys.iter().all(|key| was_shown(&pauses, piece.action, key));
    }
    if evidence.iter().all(|piece| piece.acknowledged) {
        Decision::Allow(evidence)
    } else {
        Decision::Pause(evidence)
    }
}

/// All that speaks against a call, oldest first, whatever its session was shown: for who is only told, and decides itself.
#[must_use]
pub fn conflicts<'a>(
    history: &'a History,
    question: &Question<'a>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Vec<Piece<'a>> {
    evidence(on_keys(history, question.keys), question, now, is_dead)
}

impl Question<'_> {
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
}

/// Those of the actions on a call's keys that are evidence against it, none acknowledged.
fn evidence<'a>(
    on_keys: Vec<(&'a Action, Vec<&'a str>)>,
    question: &Question<'_>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Vec<Piece<'a>> {
    on_keys
        .into_iter()
        .filter(|(action, _)| question.counts(action))
        .filter_map(|(action, keys)| {
            let state = action.state(now, is_dead);
            // What is in flight gives a sign of life now.
            let recent = action.last_sign_age_ms(now) <= question.window_ms;
            (recent && state.is_evidence()).then_some(Piece { action, state, keys, acknowledged: false })
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
