//! A wall clock that steps, a machine that sleeps, a machine that boots: windows, leases and retries last as long as they
//! should, neither lost nor opened.

use callosum_core::model::time::Stamp;
use serde_json::json;

use crate::support::{World, alice, session};

const HOUR_MS: i64 = 3_600_000;

/// Sets the clocks.
type Step = fn(&mut Stamp);

/// What happens to the clocks between two calls, 1 minute apart for whoever lives through it.
fn steps() -> [(&'static str, Step); 4] {
    [
        ("an hour forth", |now| now.wall_ms += HOUR_MS),
        ("an hour back", |now| now.wall_ms -= HOUR_MS),
        ("back and forth again", |now| {
            now.wall_ms += if now.up_ms % 120_000 < 60_000 { HOUR_MS } else { -HOUR_MS }
        }),
        ("years back, as without a battery", |now| now.wall_ms = 1_000),
    ]
}

#[test]
fn a_lease_lasts_as_long_as_it_should() {
    for (what, step) in steps() {
        let mut world = World::new();
        let gate = world.gate("doug");
        let _ = world.try_call(session(&gate, "a"), "mail", &alice());
        step(&mut world.now);
        // For 5 minutes, for the gate that wrote it and for a fresh one.
        for minute in 1..5 {
            world.pass(60_000);
            step(&mut world.now);
            let fresh = world.gate("mira");
            for one in [&gate, &fresh] {
                let text = world.refused(session(one, &format!("b{minute}")), "pay", &alice());
                assert!(text.contains("is held by another call"), "{what}, minute {minute}: {text}");
            }
        }
        world.pass(60_000);
        let text = world.refused(session(&gate, "c"), "pay", &alice());
        assert!(text.contains("unknown") && !text.contains("is held"), "{what}: {text}");
    }
}

#[test]
fn a_pause_may_be_answered_for_as_long_as_it_should() {
    for (what, step) in steps() {
        for (minutes, allowed) in [(9, true), (11, false)] {
            let mut world = World::new();
            let gate = world.gate("doug");
            world.done(session(&gate, "a"), "mail", &alice());
            world.refused(session(&gate, "b"), "mail", &alice());
            for _ in 0..minutes {
                world.pass(60_000);
                step(&mut world.now);
            }
            let fresh = world.gate("doug");
            let (_, answer) = world.try_call(session(&fresh, "b"), "mail", &alice());
            assert_eq!(
                answer == callosum_core::gate::Answer::Proceed,
                allowed,
                "{what}, {minutes} minutes: {answer:?}"
            );
        }
    }
}

#[test]
fn a_machine_that_sleeps_sleeps_through_its_windows() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "mail", &alice());
    let _ = world.try_call(a, "mail", &json!({"to": "bob@example.com"}));
    // Both clocks count sleep: half an hour of it is within the window, and the lease is over.
    world.pass(1_800_000);
    for one in [&gate, &world.gate("mira")] {
        let text = world.refused(session(one, "b"), "mail", &alice());
        assert!(text.contains("already acted on 30m ago"), "{text}");
        let text = world.refused(session(one, "b"), "pay", &json!({"to": "bob@example.com"}));
        assert!(text.contains("unknown"), "{text}");
    }
    // A night of it is not.
    world.pass(8 * 3_600_000);
    for (name, one) in [("c", &gate), ("d", &world.gate("mira"))] {
        world.done(session(one, name), "mail", &json!({"to": format!("{name}@example.com")}));
    }
    world.done(session(&gate, "e"), "mail", &alice());
}

#[test]
fn after_a_boot_with_a_wrong_clock_no_age_is_negative_and_nothing_is_forgotten_early() {
    for (what, wall_step, remembered) in [
        ("right", 0, true),
        ("an hour back", -HOUR_MS, true),
        ("a day back", -24 * HOUR_MS, true),
        ("a day forth", 24 * HOUR_MS, false),
    ] {
        let mut world = World::new();
        let gate = world.gate("doug");
        world.done(session(&gate, "a"), "mail", &alice());
        gate.close(&world.now);
        world.pass(60_000);
        world.now = Stamp {
            wall_ms: world.now.wall_ms + wall_step,
            up_ms: 5_000,
            boot: world.now.boot.map(|boot| boot ^ 1),
        };
        let gate = world.gate("doug");
        let (_, answer) = world.try_call(session(&gate, "b"), "mail", &alice());
        let paused = matches!(&answer, callosum_core::gate::Answer::Refuse(text) if text.contains("was already acted on"));
        // Between two boots there is nothing but the wall clock: a day forth can't be told from a day.
        assert_eq!(paused, remembered, "{what}: {answer:?}");
    }
}
