//! Clocks that step, and processes that die.

use std::io::Write;

use callosum_core::store::machine::Machine;
use callosum_core::time::to_rfc3339;
use serde_json::json;

use crate::support::{World, alice, session};

#[test]
fn a_wall_clock_that_steps_neither_loses_nor_opens_a_window() {
    for step_ms in [3_600_000, -3_600_000] {
        let mut world = World::new();
        let gate = world.gate("doug");
        world.done(session(&gate, "a"), "mail", &alice());
        world.now.wall_ms += step_ms;
        world.pass(60_000);
        let text = world.refused(session(&gate, "b"), "mail", &alice());
        assert!(text.contains("already acted on 1m ago"), "{text}");
        // A fresh process reads the same.
        let fresh = world.gate("mira");
        world.refused(session(&fresh, "c"), "mail", &alice());
        world.pass(3_600_000);
        world.done(session(&fresh, "d"), "mail", &alice());
    }
}

#[test]
fn after_a_boot_the_wall_clock_decides() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    gate.close(&world.now);
    world.pass(1_800_000);
    world.now.boot = world.now.boot.map(|boot| boot ^ 1);
    world.now.up_ms = 5_000;
    let gate = world.gate("doug");
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("already acted on 30m ago"), "{text}");
}

/// Writes an intent of another process as if it were in flight since 10 s.
fn intent_of(world: &World, holder: &serde_json::Value, boot: &str) {
    let started = world.now.wall_ms - 10_000;
    let record = json!({
        "v": 1, "action": "intercept", "tier": 3, "timestamp": to_rfc3339(started),
        "boot": boot, "up": world.now.up_ms - 10_000, "instance": "other", "session": "s", "tool": "mail",
        "contextKeys": ["email:alice@example.com"], "expiresAt": to_rfc3339(started + 300_000), "holder": holder,
    });
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(world.journal_path()).unwrap();
    writeln!(file, "{record}").unwrap();
}

#[test]
fn a_dead_holders_intent_is_unknown_at_once_and_holds_nothing() {
    let mut world = World::new();
    let own = Machine::read().holder().unwrap();
    let boot = format!("{:08x}", world.now.boot.unwrap());
    // This very process id, but started at another time: a process that is gone.
    intent_of(&world, &json!({"pid": own.pid, "start": own.start + 1, "ns": own.ns}), &boot);
    let gate = world.gate("doug");
    let text = world.refused(session(&gate, "b"), "pay", &alice());
    assert!(text.contains("its process died before an outcome, so it is unknown, verify first"), "{text}");
    world.done(session(&gate, "b"), "pay", &alice());
}

#[test]
fn in_another_namespace_or_boot_only_the_lease_decides() {
    let own = Machine::read().holder().unwrap();
    for (ns, other_boot) in [(own.ns + 1, false), (own.ns, true)] {
        let mut world = World::new();
        let boot = world.now.boot.unwrap() ^ u32::from(other_boot);
        intent_of(&world, &json!({"pid": own.pid, "start": own.start + 1, "ns": ns}), &format!("{boot:08x}"));
        let gate = world.gate("doug");
        let text = world.refused(session(&gate, "b"), "pay", &alice());
        assert!(text.contains("is held by another call"), "{text}");
        world.pass(300_000);
        world.refused(session(&gate, "b"), "pay", &alice());
        world.done(session(&gate, "b"), "pay", &alice());
    }
}
