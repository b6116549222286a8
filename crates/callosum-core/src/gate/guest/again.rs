//! Which calls are one: who asks again with the same id gets what it got, for as long as that holds.

use std::sync::Arc;

use crate::decision::history::{Action as Past, History, Pause, State, Who};
use crate::decision::pause_text::{self, Citation};
use crate::decision::plan::{Plan, Until};
use crate::model::time::Stamp;
use crate::store::ledger::Ledger;

use super::super::intent::Intent;
use super::super::open_calls::Unflushed;
use super::{Admitted, Gate, NotAdmitted, Start, Terms, Verdict, expires_ms, facts};

/// What a call is of those that were decided.
pub(super) enum Again {
    /// None of them, or one that is decided anew, with how it stands if it was allowed before.
    New(Option<State>),
    /// This one, which gets the same once more.
    Is(Result<Admitted, NotAdmitted>),
    /// This one, which was allowed and has no outcome, but holds nothing any more.
    Lapsed(Box<Past>),
}

impl Gate {
    /// Looks for the same call among those that were decided.
    pub(super) fn again(
        &self,
        intent: &Intent,
        terms: Terms,
        (who, keys): (&Who, &[String]),
        ledger: &Ledger,
        now: &Stamp,
    ) -> Again {
        let history = ledger.history();
        let Some(call) = intent.call().filter(|_| intent.tier.is_tracked()) else { return Again::New(None) };
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let is_it = |action: &&Past| *action.who == *who && action.call.as_deref() == Some(call);
        let mut known = keys.iter().flat_map(|key| history.on_key(key)).filter(is_it);
        // One that was taken back never ran, and one that failed was surely not done: the next try is a call of its own.
        let same = |action: &&Past| {
            action.digest.as_deref() == intent.digest() && action.state(now, &is_dead).is_evidence()
        };
        let allowed = known.find(same);
        let paused = || {
            // Of other resources it would tell the wrong facts. A pause is of the former keys, too.
            let of_call = |pause: &&Pause| {
                pause.call.as_deref() == Some(call)
                    && pause.keys.iter().all(|key| keys.contains(key))
                    && intent.keys().iter().all(|key| pause.keys.contains(key))
            };
            history
                .pauses(who)
                .rev()
                .find(of_call)
                .map(|pause| self.paused_again(intent, terms, history, pause, now))
        };
        let Some(action) = allowed else {
            if history.has_open(who, call) {
                return Again::Is(Err(NotAdmitted::Reused));
            }
            return paused().map_or(Again::New(None), |(_, paused)| Again::Is(Ok(paused)));
        };
        let is_guarded = intent.tier.is_guarded();
        let earlier = Some(action.state(now, &is_dead));
        if is_guarded && !action.holds_lease(now, &is_dead) {
            if action.outcome.is_none() {
                // It may have come back before, when something spoke against it.
                let since = paused().filter(|(seq, _)| *seq > action.seq);
                return since.map_or_else(
                    || Again::Lapsed(Box::new(action.clone())),
                    |(_, paused)| Again::Is(Ok(Admitted { earlier, ..paused })),
                );
            }
            let (plan, _) = self.plan_for_guest(intent, terms, (who, keys), None, history, now);
            if matches!(plan, Plan::Refuse(refusal) if refusal.until == Until::LeaseEnds) {
                return Again::New(earlier);
            }
        }
        let active = ledger.journal().active();
        let unflushed = (is_guarded && self.flushes())
            .then(|| Unflushed { file: Arc::clone(&active.file), end: active.size() });
        // Who is only warned may not have heard it.
        let mut told = Vec::new();
        if terms == Terms::Advice {
            told = self.plan_for_guest(intent, terms, (who, keys), None, history, now).1;
            told.retain(|told| told.seq < action.seq);
        }
        let window_ms = self.settings.recent_window_ms;
        let text = (!told.is_empty())
            .then(|| pause_text::done(history, &told, intent.digest(), (window_ms, pause_text::ADVICE), now));
        Again::Is(Ok(Admitted {
            verdict: Verdict::Allow,
            text,
            facts: facts(history, &told, intent.digest()),
            // What has ended holds nothing.
            expires_ms: (is_guarded && action.outcome.is_none()).then(|| expires_ms(action)),
            earlier,
            start: Some(Start { seq: action.seq, unflushed, is_known: true }),
        }))
    }

    /// An earlier pause, with its facts as they stand now; and its sequence number.
    fn paused_again(
        &self,
        intent: &Intent,
        terms: Terms,
        history: &History,
        pause: &Pause,
        now: &Stamp,
    ) -> (u64, Admitted) {
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let told = told_again(history, pause, |action| action.state(now, &is_dead));
        let (digest, window_ms) = (intent.digest(), self.settings.recent_window_ms);
        let text = match terms {
            Terms::Advice => {
                pause_text::done(history, &told, digest, (window_ms, pause_text::REFUSED_ADVICE), now)
            }
            Terms::Gate | Terms::AmongInstances => pause_text::pause(history, &told, digest, window_ms, now),
        };
        let facts = facts(history, &told, intent.digest());
        (pause.seq, Admitted { facts, ..Admitted::without_start(Verdict::Pause, Some(text)) })
    }
}

/// The pieces of an earlier pause, as they stand now.
fn told_again(history: &History, pause: &Pause, state: impl Fn(&Past) -> State) -> Vec<Citation> {
    let pieces = pause.evidence.iter().filter_map(|shown| history.action(shown.seq));
    let told = pieces.map(|action| Citation {
        seq: action.seq,
        state: state(action),
        keys: pause.keys.iter().filter(|key| action.keys.iter().any(|on| **on == ***key)).cloned().collect(),
    });
    told.collect()
}
