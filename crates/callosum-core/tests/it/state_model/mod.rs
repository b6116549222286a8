//! The protocol (ask, decide, append, read, retry, end, crash, expire) as an explicit-state model over the
//! real decision, searched in every order of its steps for three sessions and two keys.
//!
//! `CALLOSUM_MODEL=full cargo test --release -p callosum-core --test it state_model` goes further than every day's
//! run; with `-- --nocapture` it tells how far.
#![expect(clippy::print_stderr, reason = "a search tells how far it went")]

mod alterations;
mod journal;
mod log;
mod mutants;
mod promises;
mod protocol;
mod same;
mod settings;
mod sightings;

use std::collections::BTreeSet;

use stateright::{Checker, Expectation, HasDiscoveries, Model, Representative};

use self::protocol::{Protocol, State, Step};

/// A configuration: its name, and how to make it.
type Setting = (&'static str, fn() -> Protocol);

/// As many states lie on the way to a broken promise at most, the first and the last included: one more is
/// slow to search breadth first, and no mutant takes more than seven.
const DEEPEST: usize = 9;

fn names(protocol: &Protocol, expectation: &Expectation) -> BTreeSet<&'static str> {
    let properties = protocol.properties().into_iter();
    properties.filter(|property| property.expectation == *expectation).map(|property| property.name).collect()
}

/// The shortest way to break `promise`.
fn shortest(protocol: &Protocol, promise: &'static str) -> Option<Vec<Step>> {
    (2..=DEEPEST).find_map(|depth| {
        let found = HasDiscoveries::AnyOf(BTreeSet::from([promise]));
        // It looks at states less deep than this only.
        let checker = protocol.clone().checker().finish_when(found).target_max_depth(depth + 1);
        Some(checker.spawn_bfs().join().discovery(promise)?.into_actions())
    })
}

/// A broken promise, and one line for each step that led there.
fn told(promise: &str, steps: Option<Vec<Step>>) -> String {
    let steps = steps.into_iter().flatten().map(|step| format!("\n    {step:?}"));
    format!("\n  {promise} is broken:{}", steps.collect::<String>())
}

/// Searches all states up to what `same` takes for one, finds no promise broken, and gives what was seen.
fn keeps_its_promises(name: &str, protocol: &Protocol, same: fn(&State) -> State) -> BTreeSet<&'static str> {
    let checker = protocol.clone().checker().symmetry_fn(same).threads(2).spawn_dfs().join();
    eprintln!("{name}: {} states, up to {} steps deep", checker.unique_state_count(), checker.max_depth());
    assert!(checker.is_done());
    let found: BTreeSet<&str> = checker.discoveries().into_keys().collect();
    let promises = names(protocol, &Expectation::Always);
    let broken = found.intersection(&promises).map(|promise| told(promise, shortest(protocol, promise)));
    let broken: String = broken.collect();
    assert!(broken.is_empty(), "{name}:{broken}");
    found
}

#[test]
fn the_decision_keeps_its_promises() {
    let settings: [Setting; 10] = [
        ("one key", settings::one_key),
        ("two keys", settings::two_keys),
        ("critical", settings::critical),
        ("operators", settings::operators),
        ("outcomes", settings::outcomes),
        ("all wishes", settings::all_wishes),
        ("other sessions", settings::other_sessions),
        ("limits", settings::limits),
        ("without signals", settings::without_signals),
        ("forgetful", settings::forgetful),
    ];
    let mut seen = BTreeSet::new();
    for (name, setting) in settings {
        seen.extend(keeps_its_promises(name, &setting(), State::representative));
    }
    let unseen: Vec<&str> =
        names(&settings::one_key(), &Expectation::Sometimes).difference(&seen).copied().collect();
    assert!(unseen.is_empty(), "never came about: {unseen:?}");
}

/// The other searches take two orders of records that do not depend on each other for one.
#[test]
fn the_order_of_records_makes_no_difference() {
    keeps_its_promises("in every order", &settings::in_every_order(), same::but_for_names);
}

#[test]
fn each_mutant_is_found_out() {
    let mut broken = BTreeSet::new();
    for mutant in mutants::mutants() {
        let protocol = Protocol { decider: mutant.decider, ..(mutant.setting)() };
        let steps = shortest(&protocol, mutant.breaks);
        let steps = steps.unwrap_or_else(|| panic!("\"{}\" was not found out", mutant.fault));
        eprintln!("{}: {} after {} steps", mutant.fault, mutant.breaks, steps.len());
        broken.insert(mutant.breaks);
    }
    assert_eq!(broken, names(&settings::one_key(), &Expectation::Always), "a promise that no mutant breaks");
}
