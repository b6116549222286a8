//! Decisions that are wrong in one point each. The model must find each of them out, by the promise named: a
//! checker that lets one pass would let the same fault pass in the real decision.

use callosum_core::decision::history::State;
use callosum_core::decision::{CallFacts, Decision, EvidenceItem};
use callosum_core::model::tier::Tier;
use callosum_core::record::Action;
use callosum_core::rules::Scope;

use super::alterations::{
    Records, about_all_keys, all_read, blocks_as_pauses, endless_leases, everybody_was_told,
    outcomes_at_their_starts, take_for, told_of_what_came_later, under_limits, without_late_outcomes,
    without_releases, without_second_outcomes,
};
use super::journal::{Decider, REAL};
use super::protocol::Protocol;
use super::settings::{critical, limits, one_key, operators, other_sessions, outcomes, two_keys};

/// A wrong decision.
pub(crate) struct Mutant {
    pub(crate) fault: &'static str,
    /// The promise it breaks.
    pub(crate) breaks: &'static str,
    /// Where that shows.
    pub(crate) setting: fn() -> Protocol,
    pub(crate) decider: Decider,
}

fn records(records: fn(&mut Records)) -> Decider {
    Decider { records, ..REAL }
}

fn call_facts(call_facts: fn(&mut CallFacts<'_>)) -> Decider {
    Decider { call_facts, ..REAL }
}

fn verdict(verdict: for<'a> fn(Decision<'a>, &CallFacts<'_>) -> Decision<'a>) -> Decider {
    Decider { verdict, ..REAL }
}

/// Lets a pause pass whose evidence is such.
fn let_pass<'a>(decision: Decision<'a>, such: impl Fn(&[EvidenceItem<'a>]) -> bool) -> Decision<'a> {
    match decision {
        Decision::Pause(pieces) if such(&pieces) => Decision::Allow(pieces),
        other => other,
    }
}

fn all_are(pieces: &[EvidenceItem<'_>], state: State) -> bool {
    pieces.iter().all(|piece| piece.state == state)
}

/// All mutants.
pub(crate) fn mutants() -> Vec<Mutant> {
    let mutant = |fault, breaks, setting, decider| Mutant { fault, breaks, setting, decider };
    vec![
        mutant(
            "what is in flight is no evidence",
            "NoTwoUnawareInFlight",
            one_key,
            verdict(|decision, _| let_pass(decision, |pieces| all_are(pieces, State::InFlight))),
        ),
        mutant(
            "what outlived its lease is no evidence",
            "EvidenceIsReadFirst",
            one_key,
            verdict(|decision, _| let_pass(decision, |pieces| all_are(pieces, State::Lapsed))),
        ),
        mutant(
            "what a dead process ran is no evidence",
            "EvidenceIsReadFirst",
            one_key,
            verdict(|decision, _| let_pass(decision, |pieces| all_are(pieces, State::Orphaned))),
        ),
        mutant(
            "an unknown outcome is no evidence",
            "EvidenceIsReadFirst",
            outcomes,
            records(|records| take_for(records, &Action::Unknown, &Action::Failed)),
        ),
        mutant(
            "one piece that was read is enough",
            "EvidenceIsReadFirst",
            one_key,
            verdict(|decision, _| let_pass(decision, |pieces| pieces.iter().any(|piece| piece.acknowledged))),
        ),
        mutant(
            "only the start of an action lies in the window, never its end",
            "EvidenceIsReadFirst",
            outcomes,
            records(outcomes_at_their_starts),
        ),
        mutant(
            "a pause that nobody has read buys a retry",
            "UndeliveredBuysNothing",
            one_key,
            records(all_read),
        ),
        mutant(
            "another session's pause buys a retry",
            "OthersPausesBuyNothing",
            one_key,
            records(everybody_was_told),
        ),
        mutant("a block acknowledges", "BlocksAcknowledgeNothing", critical, records(blocks_as_pauses)),
        mutant(
            "one's own retry is no news",
            "OnePauseOneRetry",
            one_key,
            call_facts(|call_facts| call_facts.scope = Scope::OtherSessions),
        ),
        mutant("an outcome is no news", "NewOutcomeIsNews", one_key, records(told_of_what_came_later)),
        mutant(
            "a pause never goes stale",
            "OldPausesBuyNothing",
            outcomes,
            call_facts(|call_facts| call_facts.retry_window_ms = u64::MAX),
        ),
        mutant(
            "what was read of one key holds for all",
            "OtherKeysBuyNothing",
            two_keys,
            records(about_all_keys),
        ),
        mutant(
            "a pause is stale at once",
            "RetryWithoutNewsIsAllowed",
            one_key,
            call_facts(|call_facts| call_facts.retry_window_ms = 0),
        ),
        mutant(
            "that time turned in flight into unknown is news",
            "RetryWithoutNewsIsAllowed",
            one_key,
            verdict(|decision, _| match decision {
                Decision::Allow(pieces) if pieces.iter().any(|piece| piece.state == State::Lapsed) => {
                    Decision::Pause(pieces)
                }
                other => other,
            }),
        ),
        mutant(
            "a failure is evidence",
            "NoPauseWithoutEvidence",
            one_key,
            records(|records| take_for(records, &Action::Failed, &Action::Complete)),
        ),
        mutant(
            "what never ran is evidence",
            "NoPauseWithoutEvidence",
            outcomes,
            records(|records| take_for(records, &Action::Refused, &Action::Unknown)),
        ),
        mutant(
            "the window never ends",
            "NoPauseWithoutEvidence",
            one_key,
            call_facts(|call_facts| call_facts.window_ms = u64::MAX),
        ),
        mutant(
            "one's own actions count where only others' should",
            "NoPauseWithoutEvidence",
            other_sessions,
            call_facts(|call_facts| call_facts.scope = Scope::Any),
        ),
        mutant(
            "a pause tells only the newest",
            "PausesTellAll",
            one_key,
            verdict(|decision, _| match decision {
                Decision::Pause(mut pieces) => Decision::Pause(pieces.pop().into_iter().collect()),
                other => other,
            }),
        ),
        mutant(
            "an outcome after the lease is lost",
            "PausesTellAll",
            one_key,
            records(without_late_outcomes),
        ),
        mutant("what is unknown stays unknown", "PausesTellAll", outcomes, records(without_second_outcomes)),
        mutant(
            "the same id is always the same call",
            "EvidenceIsReadFirst",
            one_key,
            Decider { is_same: |is_open| is_open, ..REAL },
        ),
        mutant(
            "tier 4 is treated like tier 3",
            "CriticalWaitsForLeases",
            critical,
            call_facts(|call_facts| call_facts.tier = Tier::High),
        ),
        mutant(
            "a living process counts as dead",
            "CriticalWaitsForLeases",
            critical,
            Decider { is_dead: |_| true, ..REAL },
        ),
        mutant(
            "one's own lease does not block",
            "CriticalWaitsForLeases",
            critical,
            verdict(|decision, call_facts| match decision {
                Decision::Block(pieces)
                    if pieces.iter().all(|piece| *piece.action.who == *call_facts.who) =>
                {
                    Decision::Allow(pieces)
                }
                other => other,
            }),
        ),
        mutant(
            "a dead process keeps its lease",
            "OnlyLeasesBlock",
            critical,
            Decider { is_dead: |_| false, ..REAL },
        ),
        mutant("a lease never expires", "OnlyLeasesBlock", critical, records(endless_leases)),
        mutant("a lease can't be released", "OnlyLeasesBlock", operators, records(without_releases)),
        mutant(
            "tier 3 is treated like tier 4",
            "OnlyLeasesBlock",
            critical,
            call_facts(|call_facts| call_facts.tier = Tier::Critical),
        ),
        mutant(
            "tier 4 is blocked where a pause would do",
            "OnlyLeasesBlock",
            critical,
            verdict(|decision, call_facts| match decision {
                Decision::Pause(pieces) if call_facts.tier == Tier::Critical => Decision::Block(pieces),
                other => other,
            }),
        ),
        mutant(
            "nobody is ever let through",
            "EveryoneCanAct",
            one_key,
            verdict(|decision, _| match decision {
                Decision::Allow(pieces) => Decision::Pause(pieces),
                other => other,
            }),
        ),
        mutant("a limit is none", "LimitsHold", limits, call_facts(|call_facts| call_facts.limits = &[])),
        mutant(
            "a limit does not count what ended with nobody knowing how",
            "LimitsHold",
            limits,
            records(|records| take_for(records, &Action::Unknown, &Action::Failed)),
        ),
        mutant(
            "a limit counts what failed",
            "OnlyReachedLimitsBlock",
            limits,
            records(|records| take_for(records, &Action::Failed, &Action::Complete)),
        ),
        mutant("a limit counts what is under none", "OnlyReachedLimitsBlock", limits, records(under_limits)),
        mutant("a lease that blocks never ends", "EveryoneCanAct", critical, records(endless_leases)),
    ]
}
