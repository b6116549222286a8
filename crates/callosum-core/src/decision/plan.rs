//! What is to be done about a call: the decision, and what its host makes of it, as what is to be written and told.
//!
//! Pure, like the decision itself: from the same history, call, host and moment comes the same plan, and making one
//! changes nothing. So a plan that could not be committed is made again on what is known then.

use std::sync::Arc;

use crate::decision::history::{History, IsDead, State, Who};
use crate::decision::limit::Reached;
use crate::decision::pause_text::{self, Citation};
use crate::decision::{CallFacts, Decision, EvidenceItem, decide};
use crate::model::on_conflict::OnConflict;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::{Conflict, Shown};

/// How far a call's host is with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostState<'t> {
    /// The host waits for the answer and goes by it.
    Waits,
    /// The same, and it can ask a person.
    Asks,
    /// The call runs whatever the answer is: it is only observed, or its host waited no longer and let it run.
    Runs,
    /// Its host waited no longer and refused it with this text.
    Refused(&'t str),
}

/// What is to be written of a call, and told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Its start: it may run.
    Allow {
        /// What speaks against it all the same.
        despite: Option<Despite>,
        /// The evidence, by the journal's records.
        shown: Vec<Shown>,
    },
    /// That it is paused or blocked.
    Refuse(Refusal),
    /// That its host refused it, with this text.
    HostRefused(String),
}

/// What speaks against a call that may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Despite {
    /// What it is.
    pub conflict: Conflict,
    /// What the rule wants of such a call, where that is no pause.
    pub on_conflict: Option<OnConflict>,
    /// It would have been stopped, but runs whatever the answer is.
    pub observed: bool,
    /// The evidence as it is told.
    pub told: Vec<Citation>,
}

/// A pause or a block, free of the history it was decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What speaks against the call.
    pub conflict: Conflict,
    /// What would help.
    pub until: Until,
    /// The evidence, by the journal's records: of a limit the call that leaves its window first.
    pub shown: Vec<Shown>,
    /// The same as it is told, in the same order.
    pub told: Vec<Citation>,
}

/// How long a call stays refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until its session, which was told, tries again.
    Retry,
    /// For as long as the evidence is recent, where it does not run: its caller is only told, and no retry changes that.
    Advice {
        /// It runs.
        runs: bool,
    },
    /// Until another call ends or loses its lease.
    LeaseEnds,
    /// Until the evidence is out of this window, milliseconds: the rule blocks.
    Past(u64),
    /// Until there is room under a limit.
    Room(Reached),
}

/// What is to be done about a call. Nothing speaks against one below tier 3. `is_dead` tells whether a holder's process is
/// surely gone.
#[must_use]
pub fn plan(
    history: &History,
    call: &CallFacts<'_>,
    host: HostState<'_>,
    now: &Stamp,
    is_dead: IsDead<'_>,
) -> Plan {
    if call.tier.is_guarded() {
        Plan::of(&decide(history, call, now, is_dead), call, host, now)
    } else {
        Plan::of(&Decision::Allow(Vec::new()), call, host, now)
    }
}

impl Plan {
    /// What a decision comes to.
    #[must_use]
    pub fn of(decision: &Decision<'_>, call: &CallFacts<'_>, host: HostState<'_>, now: &Stamp) -> Self {
        if let HostState::Refused(text) = host {
            return Self::HostRefused(text.to_owned());
        }
        let shown = |pieces: &[EvidenceItem<'_>]| pieces.iter().map(|piece| piece.action.shown()).collect();
        let (pieces, conflict, until) = match decision {
            Decision::Allow(pieces) => return Self::Allow { despite: None, shown: shown(pieces) },
            Decision::Pause(pieces) => {
                let in_flight = pieces.iter().any(|piece| piece.state == State::InFlight);
                let conflict = if in_flight { Conflict::InFlight } else { Conflict::Recent };
                let blocks = call.on_conflict == OnConflict::Block;
                (pieces, conflict, if blocks { Until::Past(call.window_ms) } else { Until::Retry })
            }
            Decision::Block(pieces) => (pieces, Conflict::Lease, Until::LeaseEnds),
            Decision::Full(full) => {
                let first = full.counted.last().map(|action| action.shown());
                let shown = first.into_iter().collect();
                let refusal = Refusal {
                    conflict: Conflict::Limit,
                    until: Until::Room(full.reached(now)),
                    shown,
                    told: Vec::new(),
                };
                return Self::stopped(refusal, None, host);
            }
        };
        let on_conflict = matches!(decision, Decision::Pause(_)).then_some(call.on_conflict);
        let told = pieces.iter().map(Citation::of).collect();
        Self::stopped(Refusal { conflict, until, shown: shown(pieces), told }, on_conflict, host)
    }

    /// What becomes of a call that something speaks against; `on_conflict` is what its rule wants of such a call, if it has a say.
    fn stopped(refusal: Refusal, on_conflict: Option<OnConflict>, host: HostState<'_>) -> Self {
        let runs = match (on_conflict, host) {
            (Some(OnConflict::Note), _) | (Some(OnConflict::Ask), HostState::Asks) => true,
            (_, host) => !matches!(host, HostState::Waits | HostState::Asks),
        };
        if !runs {
            return Self::Refuse(refusal);
        }
        // Whoever runs whatever the answer is shows nobody the facts.
        let observed = on_conflict != Some(OnConflict::Note) && host == HostState::Runs;
        let Refusal { conflict, shown, told, .. } = refusal;
        let on_conflict = on_conflict.filter(|wanted| *wanted != OnConflict::default());
        Self::Allow { despite: Some(Despite { conflict, on_conflict, observed, told }), shown }
    }
}

impl Despite {
    /// Whether a person decides now whether it runs.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        !self.observed && self.on_conflict == Some(OnConflict::Ask)
    }

    /// The sessions that the text names.
    pub(crate) fn sessions(&self, history: &History, now: &Stamp) -> Vec<Arc<Who>> {
        pause_text::sessions(history, &self.told, 0, now)
    }

    /// What a person is told: who is asked, or who is warned.
    #[must_use]
    pub fn text(&self, history: &History, digest: Option<&str>, now: &Stamp) -> String {
        pause_text::for_people(history, &self.told, digest, now)
    }
}

impl Plan {
    /// What comes of `pieces` for a call whose caller is only told, and decides itself: below tier 4 it runs. `observe`: it
    /// runs at tier 4, too.
    #[must_use]
    pub fn advised(
        pieces: &[EvidenceItem<'_>],
        tier: Tier,
        observe: bool,
        now: &Stamp,
        is_dead: IsDead<'_>,
    ) -> Self {
        let shown = pieces.iter().map(|piece| piece.action.shown()).collect();
        if pieces.is_empty() {
            return Self::Allow { despite: None, shown };
        }
        let told = pieces.iter().map(Citation::of).collect();
        let is = |state| pieces.iter().any(|piece| piece.state == state);
        let conflict = if pieces.iter().any(|piece| piece.action.holds_lease(now, is_dead)) {
            Conflict::Lease
        } else if is(State::InFlight) {
            Conflict::InFlight
        } else {
            Conflict::Recent
        };
        if tier < Tier::Critical || observe {
            return Self::Allow {
                despite: Some(Despite { conflict, on_conflict: None, observed: true, told }),
                shown,
            };
        }
        let until =
            if conflict == Conflict::Lease { Until::LeaseEnds } else { Until::Advice { runs: false } };
        Self::Refuse(Refusal { conflict, until, shown, told })
    }
}

impl Refusal {
    /// Whether a retry does not help before another call has ended.
    #[must_use]
    pub fn is_block(&self) -> bool {
        !matches!(self.until, Until::Retry | Until::Advice { .. })
    }

    /// What the journal says that the rule wanted, where it was no pause.
    #[must_use]
    pub fn on_conflict(&self) -> Option<OnConflict> {
        matches!(self.until, Until::Past(_)).then_some(OnConflict::Block)
    }

    /// What the refused call's model reads. `digest` is the call's; a pause lists other actions of the last `others_window_ms`.
    #[must_use]
    pub fn text(
        &self,
        history: &History,
        digest: Option<&str>,
        others_window_ms: u64,
        now: &Stamp,
    ) -> String {
        let done = |end: &str| pause_text::done(history, &self.told, digest, (others_window_ms, end), now);
        match &self.until {
            Until::LeaseEnds => pause_text::block(history, &self.told, now),
            Until::Retry => pause_text::pause(history, &self.told, digest, others_window_ms, now),
            Until::Advice { runs: true } => done(pause_text::ADVICE),
            Until::Advice { runs: false } => done(pause_text::REFUSED_ADVICE),
            Until::Past(window_ms) => done(&pause_text::by_rule(*window_ms)),
            Until::Room(reached) => pause_text::limit(reached, now),
        }
    }

    /// The sessions that the text names.
    pub(crate) fn sessions(&self, history: &History, others_window_ms: u64, now: &Stamp) -> Vec<Arc<Who>> {
        pause_text::sessions(history, &self.told, others_window_ms, now)
    }

    /// Whether a history that has all actions from the sequence number `from` on has all that the text tells of.
    pub(crate) fn can_be_told(
        &self,
        history: &History,
        from: u64,
        others_window_ms: u64,
        now: &Stamp,
    ) -> bool {
        matches!(self.until, Until::LeaseEnds | Until::Room(_))
            || pause_text::knows_others(history, from, &self.told, others_window_ms, now)
    }
}

impl Citation {
    /// A piece of evidence, free of the history it stands in.
    #[must_use]
    pub fn of(piece: &EvidenceItem<'_>) -> Self {
        Self {
            seq: piece.action.seq,
            state: piece.state,
            keys: piece.keys.iter().map(|key| (*key).to_owned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "a test fails by panicking")]
    use super::*;
    use crate::decision::history::Who;
    use crate::model::tier::Tier;
    use crate::record::{Action as Kind, Record};
    use crate::rules::Scope;

    const NOW: Stamp = Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000_000, boot: Some(7) };
    const WINDOW_MS: u64 = 600_000;

    fn record(action: Kind, key: &str) -> Record {
        Record {
            tier: Some(Tier::High),
            session: Some("theirs".to_owned()),
            tool: Some("mail".to_owned()),
            context_keys: vec![key.to_owned()],
            ..Record::new(action, "home", &NOW)
        }
    }

    /// A call on `done` has ended, one on `held` has not.
    fn history() -> History {
        let mut history = History::new(WINDOW_MS, WINDOW_MS);
        history.apply(1, &record(Kind::Intercept, "done"));
        history.apply(2, &Record { of: vec![1], ..record(Kind::Complete, "done") });
        history.apply(3, &record(Kind::Intercept, "held"));
        history
    }

    fn planned(history: &History, tier: Tier, key: &str, host: HostState<'_>) -> Plan {
        let who = Who { machine: String::new(), instance: "home".to_owned(), session: "ours".to_owned() };
        let keys = [key.to_owned()];
        let call = CallFacts {
            who: &who,
            tier,
            keys: &keys,
            window_ms: WINDOW_MS,
            retry_window_ms: WINDOW_MS,
            scope: Scope::Any,
            on_conflict: OnConflict::Pause,
            limits: &[],
        };
        plan(history, &call, host, &NOW.plus_ms(1_000), &|_, _| false)
    }

    #[test]
    fn the_same_is_planned_as_often_as_it_is_asked_for() {
        let history = history();
        for tier in [Tier::Medium, Tier::High, Tier::Critical] {
            for key in ["new", "done", "held"] {
                for host in [HostState::Waits, HostState::Runs, HostState::Refused("no")] {
                    let first = planned(&history, tier, key, host);
                    assert_eq!(first, planned(&history, tier, key, host), "{tier:?} {key} {host:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_planned_goes_by_the_decision_and_by_what_the_host_makes_of_it() {
        let history = history();
        let is = |tier, key, host| match planned(&history, tier, key, host) {
            Plan::Allow { despite, shown } => {
                assert!(despite.as_ref().is_none_or(|despite| despite.observed));
                (true, despite.map(|despite| despite.conflict), shown.len())
            }
            Plan::Refuse(refusal) => {
                assert_eq!(refusal.told.len(), refusal.shown.len());
                (false, Some(refusal.conflict), refusal.shown.len())
            }
            Plan::HostRefused(text) => panic!("{text}"),
        };
        let (waits, runs) = (HostState::Waits, HostState::Runs);
        assert_eq!(is(Tier::High, "new", waits), (true, None, 0));
        assert_eq!(is(Tier::High, "done", waits), (false, Some(Conflict::Recent), 1));
        assert_eq!(is(Tier::High, "held", waits), (false, Some(Conflict::InFlight), 1));
        assert_eq!(is(Tier::Critical, "held", waits), (false, Some(Conflict::Lease), 1));
        // What runs anyway is written with what would have stopped it.
        assert_eq!(is(Tier::High, "done", runs), (true, Some(Conflict::Recent), 1));
        assert_eq!(is(Tier::Critical, "held", runs), (true, Some(Conflict::Lease), 1));
        // Nothing is looked at for what is not guarded, nor for what its host has refused.
        assert_eq!(is(Tier::Medium, "held", waits), (true, None, 0));
        let refused = HostState::Refused("too late");
        for tier in [Tier::Medium, Tier::Critical] {
            assert_eq!(planned(&history, tier, "held", refused), Plan::HostRefused("too late".to_owned()));
        }
    }

    #[test]
    fn a_plan_made_again_goes_by_what_is_known_then() {
        let mut history = history();
        let before = planned(&history, Tier::High, "new", HostState::Waits);
        assert!(matches!(before, Plan::Allow { despite: None, .. }), "{before:?}");
        history.apply(4, &record(Kind::Intercept, "new"));
        let again = planned(&history, Tier::High, "new", HostState::Waits);
        assert!(
            matches!(&again, Plan::Refuse(refusal) if refusal.shown == [Shown { seq: 4, outcome: None }])
        );
    }
}
