//! Clocks that step, and processes that die.

use std::io::Write;

use callosum_core::gate::{Answer, Gate};
use callosum_core::machine::Machine;
use callosum_core::model::time::to_rfc3339;
use callosum_core::record::outcome::Ended;
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

/// The lines of a call of another process in a boot of its own: its start, its end where there is one, and what they say
/// of the time.
fn call_of(world: &World, number: u32, key: &str, wall_ms: i64, lease_ms: Option<i64>, ended: bool) {
    let boot = format!("{:08x}", world.now.boot.unwrap() ^ number);
    let mut record = json!({
        "v": 1, "action": "intercept", "tier": 3, "timestamp": to_rfc3339(wall_ms), "boot": boot, "up": 40_000,
        "instance": "other", "session": "s", "call": key, "tool": "mail", "contextKeys": [format!("email:{key}@example.com")],
    });
    if let Some(lease_ms) = lease_ms {
        record["expiresAt"] = to_rfc3339(wall_ms + lease_ms).into();
    }
    let at = std::fs::metadata(world.journal_path()).map_or(0, |file| file.len());
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(world.journal_path()).unwrap();
    writeln!(file, "{record}").unwrap();
    if ended {
        let end = json!({
            "v": 1, "action": "complete", "tier": 3, "timestamp": to_rfc3339(wall_ms + 1_000), "boot": boot, "up": 41_000,
            "instance": "other", "session": "s", "call": key, "tool": "mail", "of": [at],
        });
        writeln!(file, "{end}").unwrap();
    }
}

const MINUTE_MS: i64 = 60_000;

/// Whether a mail to somebody is paused by a gate that reads the journal now, and the text.
fn is_paused(world: &mut World, gate: &Gate, to: &str) -> Option<String> {
    let by = session(gate, "b");
    let (id, answer) = world.try_call(by, "mail", &json!({"to": format!("{to}@example.com")}));
    // It is no evidence itself.
    world.after(by, "mail", &id, Ended::Refused, None);
    if let Answer::Refuse(text) = answer { Some(text) } else { None }
}

#[test]
fn a_record_that_a_clock_dated_far_back_is_as_old_as_the_one_before_it() {
    // Calls of a boot in which the clock was wrong: in 1970, days behind.
    for wrong_by in [None, Some(3 * 24 * 60 * MINUTE_MS)] {
        let mut world = World::new();
        let now = world.now.wall_ms;
        call_of(&world, 1, "right", now - 14 * MINUTE_MS, Some(300_000), true);
        for key in ["first", "second"] {
            call_of(&world, 2, key, wrong_by.map_or(20_000, |behind| now - behind), Some(300_000), true);
        }
        let gate = world.gate("doug");
        for key in ["right", "first", "second"] {
            let text = is_paused(&mut world, &gate, key).unwrap();
            assert!(
                text.contains("already acted on 14m ago") || text.contains("already acted on 13m ago"),
                "{text}"
            );
        }
        // A process that had the journal open meets such a line too; and it falls out of the window in time.
        call_of(&world, 2, "third", wrong_by.map_or(20_000, |behind| now - behind), Some(300_000), true);
        assert!(is_paused(&mut world, &gate, "third").is_some(), "{wrong_by:?}");
        world.pass(u64::try_from(47 * MINUTE_MS).unwrap());
        let fresh = world.gate("mira");
        for key in ["right", "first", "second"] {
            assert_eq!(is_paused(&mut world, &fresh, key), None, "{wrong_by:?} {key}");
        }
        assert!(is_paused(&mut world, &fresh, "third").is_some(), "{wrong_by:?}");
    }
}

#[test]
fn so_it_is_through_the_index() {
    let mut world = World::new();
    let now = world.now.wall_ms;
    call_of(&world, 1, "right", now - 14 * MINUTE_MS, Some(300_000), true);
    call_of(&world, 2, "wrong", 20_000, Some(300_000), true);
    call_of(&world, 3, "ahead", now + 365 * 24 * 60 * MINUTE_MS, Some(300_000), false);
    let gate = world.gate("doug");
    for number in 0..60 {
        world.done(session(&gate, "a"), "mail", &json!({"to": format!("{number}@example.com")}));
    }
    gate.close(&world.now);
    assert!(world.path().join("journal.index").exists());
    world.pass(u64::try_from(10 * MINUTE_MS).unwrap());
    let fresh = world.gate("mira");
    for key in ["right", "wrong"] {
        let text = is_paused(&mut world, &fresh, key).unwrap();
        assert!(text.contains("24m ago") || text.contains("23m ago"), "{text}");
    }
    let ahead = is_paused(&mut world, &fresh, "ahead").unwrap();
    assert!(ahead.contains("10m ago") && ahead.contains("unknown"), "{ahead}");
    world.pass(u64::try_from(51 * MINUTE_MS).unwrap());
    let fresh = world.gate("ann");
    for key in ["right", "wrong"] {
        assert_eq!(is_paused(&mut world, &fresh, key), None, "{key}");
    }
}

#[test]
fn a_record_dated_ahead_neither_holds_its_resource_nor_speaks_against_a_call_for_as_long() {
    let year_ms = 365 * 24 * 60 * MINUTE_MS;
    let mut world = World::new();
    call_of(&world, 1, "ahead", world.now.wall_ms + year_ms, Some(300_000), false);
    let gate = world.gate("doug");
    let pay = json!({"to": "ahead@example.com"});
    let text = world.refused(session(&gate, "a"), "pay", &pay);
    assert!(text.contains("is held by another call"), "{text}");
    world.pass(300_000);
    for gate in [&gate, &world.gate("mira")] {
        let text = world.refused(session(gate, "b"), "pay", &pay);
        assert!(!text.contains("is held"), "{text}");
    }
    // An hour behind the end of its lease it is evidence no longer.
    world.pass(u64::try_from(61 * MINUTE_MS).unwrap());
    for gate in [&gate, &world.gate("ann")] {
        assert_eq!(is_paused(&mut world, gate, "ahead"), None);
    }
}

#[test]
fn a_lease_is_as_long_as_it_can_be_set_and_one_that_ends_before_it_begins_is_the_usual_one() {
    let year_ms = 366 * 24 * 60 * MINUTE_MS;
    // In 1970 ends what RFC 3339 can't tell.
    for (lease_ms, ends_after) in [(7_000 * year_ms, year_ms), (-5_000, 300_000), (7_000, 7_000)] {
        let mut world = World::new();
        call_of(&world, 0, "long", world.now.wall_ms, Some(lease_ms), false);
        let pay = json!({"to": "long@example.com"});
        // In the boot that wrote it, so that the clock of the boot tells.
        world.now.up_ms = 40_000;
        for (after, held) in [(ends_after - 3_000, true), (ends_after + 3_000, false)] {
            let now = world.now;
            world.pass(u64::try_from(after).unwrap());
            let text = world.refused(session(&world.gate("doug"), "a"), "pay", &pay);
            assert_eq!(text.contains("is held by another call"), held, "{lease_ms}, {after}: {text}");
            world.now = now;
        }
    }
}
