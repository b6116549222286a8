//! The configurations: what three sessions may want of two keys, and how far the search goes. No one of them
//! has it all, for the number of states grows with the product of what is possible.

use super::journal::{Host, REAL};
use super::log::{Ending, Keys, Times, Wish};
use super::protocol::Protocol;

const A: Wish = Wish { keys: Keys::A, critical: false, others_only: false, limited: false };
const B: Wish = Wish { keys: Keys::B, ..A };
const BOTH: Wish = Wish { keys: Keys::BOTH, ..A };

/// A wish of tier 4.
const fn critically(wish: Wish) -> Wish {
    Wish { critical: true, ..wish }
}

/// What is asked for under `"scope": "otherSessions"`.
const fn but_own(wish: Wish) -> Wish {
    Wish { others_only: true, ..wish }
}

/// What is asked for under a limit.
const fn limited(wish: Wish) -> Wish {
    Wish { limited: true, ..wish }
}

/// Whether to go as far as a minute or two on two cores allow, or only as far as every run of the tests can.
fn is_full() -> bool {
    std::env::var("CALLOSUM_MODEL").is_ok_and(|value| value == "full")
}

fn either<T>(quick: T, full: T) -> T {
    if is_full() { full } else { quick }
}

fn protocol(wishes: &[Wish], endings: &[Ending], asks: usize) -> Protocol {
    Protocol {
        wishes: wishes.to_vec(),
        endings: endings.to_vec(),
        asks,
        operators: false,
        host: Host { times: Times::SHORT, signals: true, prunes: false },
        decider: REAL,
    }
}

/// Retry after retry.
pub(crate) fn one_key() -> Protocol {
    protocol(&[A], &[Ending::Complete, Ending::Failed], either(3, 4))
}

/// Calls on either key and on both.
pub(crate) fn two_keys() -> Protocol {
    protocol(&[A, B, BOTH], &[Ending::Complete], either(3, 4))
}

/// Both tiers, on one key and on both.
pub(crate) fn critical() -> Protocol {
    let endings: &[Ending] = either(&[Ending::Complete], &[Ending::Complete, Ending::Unknown]);
    protocol(&[A, critically(BOTH)], endings, 3)
}

/// Operators end leases.
pub(crate) fn operators() -> Protocol {
    Protocol { operators: true, ..protocol(&[A, critically(BOTH)], &[Ending::Complete], either(2, 3)) }
}

/// Every way to end, and pauses that go stale before what they told of is forgotten.
pub(crate) fn outcomes() -> Protocol {
    let endings = [Ending::Complete, Ending::Failed, Ending::Refused, Ending::Unknown];
    let mut protocol = protocol(either(&[A], &[A, B, BOTH, critically(BOTH)]), &endings, 2);
    protocol.host.times = Times::LONG;
    protocol
}

/// Every wish.
pub(crate) fn all_wishes() -> Protocol {
    let wishes = [A, B, BOTH, critically(A), critically(B), critically(BOTH)];
    protocol(&wishes, &[Ending::Complete], either(2, 3))
}

/// Rules for which one's own actions are no evidence, beside others.
pub(crate) fn other_sessions() -> Protocol {
    protocol(&[but_own(A), BOTH], &[Ending::Complete], either(3, 4))
}

/// Calls under a limit on either key, beside others that are under none.
pub(crate) fn limits() -> Protocol {
    let endings = [Ending::Complete, Ending::Failed, Ending::Unknown];
    protocol(&[limited(A), limited(critically(B)), A], &endings, either(2, 3))
}

/// A host that does not tell when a model has read.
pub(crate) fn without_signals() -> Protocol {
    let mut protocol = protocol(&[A, critically(BOTH)], &[Ending::Complete], either(3, 4));
    protocol.host.signals = false;
    protocol
}

/// A history that forgets what no decision should need.
pub(crate) fn forgetful() -> Protocol {
    let mut protocol = protocol(&[A, BOTH], &[Ending::Complete], either(2, 3));
    protocol.host.prunes = true;
    protocol.host.times = Times::LONG;
    protocol
}

/// Small enough to be searched in every order of the records, too.
pub(crate) fn in_every_order() -> Protocol {
    protocol(&[A, critically(BOTH)], &[Ending::Complete], either(2, 3))
}
