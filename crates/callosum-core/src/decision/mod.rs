//! The decision: history, call, rules and moment in, verdict out. Pure.
//!
//! `history` is what the journal says, in memory; `terms` what a call is decided by, `plan` what a decision comes to, and `pause_text` what an agent is told.

pub mod history;
pub mod pause_text;
pub mod plan;
pub(crate) mod terms;

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
    let evidence: Vec<Piece<'_>> = pieces
        .into_iter()
        .filter(|(action, _)| question.scope == Scope::Any || *action.who != *question.who)
        .filter_map(|(action, keys)| {
            let state = action.state(now, is_dead);
            // What is in flight gives a sign of life now.
            let recent = action.last_sign_age_ms(now) <= question.window_ms;
            (recent && state.is_evidence()).then(|| {
                let acknowledged = keys.iter().all(|key| was_shown(&pauses, action, key));
                Piece { action, state, keys, acknowledged }
            })
        })
        .collect();

    if evidence.iter().all(|piece| piece.acknowledged) {
        Decision::Allow(evidence)
    } else {
        Decision::Pause(evidence)
    }
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
