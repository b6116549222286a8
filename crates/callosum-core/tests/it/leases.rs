//! Leases that clients of the service take without a call, and what is told of them.

use callosum_core::decision::history::Who;
use callosum_core::gate::{Lease, Terms, Verdict};
use callosum_core::model::tier::Tier;
use callosum_core::query::Source;

use crate::guests::{actions, guest, verdict, who};
use crate::support::World;

/// What is said of a lease names its record, as what is said of a call does: no sign that lines of the journal are elsewhere.
#[test]
fn leases_that_were_given_back_are_no_loss_of_the_journal() {
    let world = World::new();
    let serve = world.gate("serve");
    for key in ["email:a@example.com", "email:b@example.com", "email:c@example.com"] {
        let who = who("http/a");
        serve.take_lease((&who, key), Tier::Critical, "token:ci", &world.now).unwrap();
        assert_eq!(serve.give_back((&who, key), true, "token:ci", &world.now).unwrap(), Lease::Free);
    }
    let later = world.gate("later");
    let _ = later.status(&world.now);
    assert!(serde_json::to_value(later.status(&world.now)).unwrap()["lost"].is_null());
    assert_eq!(actions(&world, &later), ["leased", "refused"].repeat(3));
}

/// Nothing was to run under it, so that nothing is said of a call.
#[test]
fn a_lease_without_a_call_is_told_as_held_and_then_as_over_however_it_ended() {
    let key = "email:alice@example.com";
    for end in ["given back", "released", "lapsed"] {
        let mut world = World::new();
        let serve = world.gate("serve");
        serve.take_lease((&who("http/a"), key), Tier::Critical, "token:ci", &world.now).unwrap();
        let story = |world: &World| serve.why(key, &world.now).unwrap().text(&str::to_owned);
        assert!(story(&world).contains("now: held"), "{}", story(&world));
        match end {
            "given back" => {
                drop(serve.give_back((&who("http/a"), key), true, "token:ci", &world.now).unwrap());
            }
            "released" => drop(serve.release(key, "ann", &world.now).unwrap()),
            _ => world.pass(301_000),
        }
        let said = story(&world);
        assert!(
            said.contains("http/a (session s) took the lease") && said.contains("the lease is over"),
            "{end}: {said}"
        );
        assert!(said.contains("Nobody holds it"), "{end}: {said}");
        assert!(!said.contains("run"), "{end}: {said}");
        // Nothing was done that another would have to know of.
        assert_eq!(
            verdict(&world, &serve, &guest("http/b", "mail", "1"), Terms::Gate),
            Verdict::Allow,
            "{end}"
        );
    }
}

/// Whoever takes a lease takes it for what it is about to do.
#[test]
fn a_lease_stops_all_calls_but_those_of_the_session_that_took_it() {
    let key = "email:alice@example.com";
    for tool in ["mail", "pay"] {
        let world = World::new();
        let serve = world.gate("serve");
        serve.take_lease((&who("http/a"), key), Tier::Critical, "token:ci", &world.now).unwrap();
        let own = guest("http/a", tool, "1");
        let mut beside = guest("http/a", tool, "2");
        beside.call.session = "beside".to_owned();
        let asked = |guest| verdict(&world, &serve, guest, Terms::Gate);
        let another = guest("http/b", tool, "1");
        for other in [&beside, &another] {
            assert_ne!(asked(other), Verdict::Allow, "{tool}");
        }
        assert_eq!(asked(&own), Verdict::Allow, "{tool}");
        // It is the session's alone, and no other one's of its instance.
        let beside = Who::here("http/a", "beside");
        let held = serve.take_lease((&beside, key), Tier::Critical, "token:ci", &world.now).unwrap();
        assert!(matches!(held, Lease::HeldBy(others) if others.len() == 1), "{tool}");
        // A call of its own that is under way is no lease that was taken for another.
        let second = guest("http/a", tool, "3");
        assert_eq!(asked(&second) == Verdict::Block, tool == "pay", "{tool}");
    }
}

#[test]
fn who_gives_back_a_lease_leaves_the_call_alone_that_runs_under_it() {
    let key = "email:alice@example.com";
    let mut world = World::new();
    let serve = world.gate("serve");
    let (own, other) = (guest("http/a", "pay", "1"), guest("http/b", "pay", "1"));
    serve.take_lease((&who("http/a"), key), Tier::Critical, "token:ci", &world.now).unwrap();
    assert_eq!(verdict(&world, &serve, &own, Terms::Gate), Verdict::Allow);
    let give = |world: &World, with_calls: bool| {
        serve.give_back((&who("http/a"), key), with_calls, "token:ci", &world.now).unwrap()
    };
    assert_eq!(give(&world, false), Lease::Free);
    world.pass(1_000);
    assert_eq!(verdict(&world, &serve, &other, Terms::Gate), Verdict::Block);
    assert_eq!(actions(&world, &serve), ["leased", "intercept", "refused", "blocked"]);
    assert_eq!(give(&world, false), Lease::Free, "the same request again");
    assert_eq!(verdict(&world, &serve, &guest("http/b", "pay", "2"), Terms::Gate), Verdict::Block);
    // As whoever knows only the five endpoints means it.
    assert_eq!(give(&world, true), Lease::Free);
    assert_eq!(verdict(&world, &serve, &guest("http/b", "pay", "3"), Terms::Gate), Verdict::Pause);
}
