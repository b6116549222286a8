//! Journals of other versions: the original plugin's lines, what a newer minor version adds, and a newer major one, on
//! which nothing is guarded as long as it counts.

use std::fs;

use callosum_core::gate::{Answer, Gate, GateOptions};
use callosum_core::model::time::to_rfc3339;
use callosum_core::query::{Filter, ReadOnlyView, Source};
use serde_json::{Value, json};

use crate::support::{World, alice, session};

/// Adds a line of `fields` to the journal, written `age_ms` ago.
fn write(world: &World, age_ms: i64, fields: &Value) {
    let mut record = json!({"timestamp": to_rfc3339(world.now.wall_ms - age_ms), "instance": "other"});
    for (name, value) in fields.as_object().unwrap() {
        record[name] = value.clone();
    }
    let mut text = fs::read_to_string(world.journal_path()).unwrap_or_default();
    text.push_str(&format!("{record}\n"));
    fs::write(world.journal_path(), text).unwrap();
}

/// An intent on Alice, as this version writes it and as a newer one may.
fn intent(version: u64) -> Value {
    json!({
        "v": version, "action": "intercept", "tier": 3, "session": "s", "call": "1", "tool": "mail",
        "contextKeys": ["email:alice@example.com"],
    })
}

fn degraded(world: &World, source: &dyn Source) -> Value {
    serde_json::to_value(source.status(&world.now)).unwrap()["degraded"].clone()
}

fn view(world: &World) -> ReadOnlyView {
    ReadOnlyView::new(GateOptions {
        settings: json!({"stateDir": world.path().to_str().unwrap()}).to_string(),
        ..GateOptions::default()
    })
}

/// Tier 3 is refused because of the version, and lower tiers go on.
fn assert_guards_nothing(world: &mut World, gate: &Gate) {
    for to in ["alice@example.com", "nobody@example.com"] {
        let (_, answer) = world.try_call(session(gate, "a"), "mail", &json!({"to": to}));
        assert!(matches!(&answer, Answer::Refuse(text) if text.contains("update Callosum")), "{answer:?}");
    }
    for tool in ["write", "message"] {
        let (_, answer) = world.try_call(session(gate, "a"), tool, &json!({"to": "x", "path": "/x"}));
        assert!(!matches!(answer, Answer::Refuse(_)), "{tool}: {answer:?}");
    }
    assert_eq!(degraded(world, gate)["code"], "newer-format");
    assert!(degraded(world, gate)["remedy"].as_str().unwrap().contains("update Callosum"));
}

#[test]
fn a_running_gate_that_meets_a_newer_major_version_guards_nothing_until_the_line_is_gone() {
    for newer in [
        intent(2),
        json!({"v": 2, "action": "intercept", "tier": 0}),
        json!({"v": 3, "what": {"happened": ["?"]}}),
        json!({"v": u32::MAX, "timestamp": 12}),
    ] {
        let mut world = World::new();
        let gate = world.gate("doug");
        world.done(session(&gate, "a"), "mail", &alice());
        let before = fs::read(world.journal_path()).unwrap();
        write(&world, 0, &newer);
        assert_guards_nothing(&mut world, &gate);
        // A fresh process and one that only looks say the same.
        let fresh = world.gate("mira");
        assert_guards_nothing(&mut world, &fresh);
        assert_eq!(degraded(&world, &view(&world))["code"], "newer-format");
        // Put back as it was: well again by itself, with what was refused and queued meanwhile written down.
        fs::write(world.journal_path(), before).unwrap();
        let text = world.refused(session(&gate, "b"), "mail", &alice());
        assert!(text.contains("was already acted on"), "{text}");
        assert_eq!(degraded(&world, &gate), Value::Null);
        let story = world.story(&gate);
        let refused = story.iter().filter(|(who, action)| who == "a" && action == "refused").count();
        assert_eq!(refused, 2, "{newer}: {story:?}");
    }
}

#[test]
fn a_newer_major_version_counts_as_long_as_its_line_is_within_the_window() {
    let mut world = World::new();
    write(&world, 0, &intent(1));
    write(&world, 0, &intent(2));
    let gate = world.gate("doug");
    assert_guards_nothing(&mut world, &gate);
    world.pass(3_600_000);
    assert_guards_nothing(&mut world, &gate);
    // The window, the longest lease, and the slack of reading back.
    world.pass(600_000);
    world.done(session(&gate, "a"), "mail", &json!({"to": "bob@example.com"}));
    assert_eq!(degraded(&world, &gate), Value::Null);
    let fresh = world.gate("mira");
    world.refused(session(&fresh, "b"), "mail", &json!({"to": "bob@example.com"}));
}

#[test]
fn what_a_newer_minor_version_adds_is_kept_shown_and_ignored() {
    let mut world = World::new();
    let mut newer = intent(1);
    newer["colour"] = json!({"name": "green", "of": [1, 2]});
    newer["holder"] = json!({"pid": 1, "start": 2, "ns": 3, "host": "elsewhere"});
    write(&world, 1_000, &newer);
    write(&world, 1_000, &json!({"v": 1, "action": "dreamt", "session": "s", "of": [0], "expiresAt": null}));
    let gate = world.gate("doug");
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("is being acted on"), "{text}");
    let status = serde_json::to_value(gate.status(&world.now)).unwrap();
    assert_eq!((&status["journal"]["skipped"], &status["degraded"]), (&json!(0), &Value::Null));
    // An operator sees the lines as they stand, whatever this version knows of them.
    for looking in [&gate as &dyn Source, &view(&world)] {
        let records = looking.journal(&Filter::default(), &world.now).unwrap().entries;
        assert_eq!(records[0]["colour"], newer["colour"]);
        assert_eq!(records[0]["holder"]["host"], "elsewhere");
        assert_eq!(records[1]["action"], "dreamt");
    }
    // It passes on as it is, too: nothing was written over.
    let text = fs::read_to_string(world.journal_path()).unwrap();
    assert!(
        text.starts_with(&format!(
            "{{\"action\":\"intercept\",\"call\":\"1\",\"colour\":{}",
            newer["colour"]
        )),
        "{text}"
    );
}

#[test]
fn a_newer_versions_line_behind_the_index_counts_no_longer_than_any_other() {
    let mut world = World::new();
    let gate = world.gate("doug");
    for person in 0..300 {
        let _ = world.try_call(session(&gate, "a"), "mail", &json!({"to": format!("p{person}@example.com")}));
    }
    gate.close(&world.now);
    assert!(world.path().join("journal.index").exists());
    // Tried once, and taken back.
    write(&world, 0, &intent(2));
    let fresh = world.gate("mira");
    assert_guards_nothing(&mut world, &fresh);
    drop(fresh);
    world.pass(3 * 3_600_000);
    let later = world.gate("mira");
    world.done(session(&later, "a"), "mail", &alice());
}

#[test]
fn the_originals_journal_goes_on_as_ours() {
    let mut world = World::new();
    for (action, key) in
        [("intercept", "begun"), ("complete", "done"), ("failed", "failed"), ("blocked", "blocked")]
    {
        let old = json!({"session": "old", "tool": "exec", "tier": 3, "contextKey": format!("email:{key}"), "action": action});
        write(&world, 60_000, &old);
    }
    // Times as numbers, no session, what it did not know, and what is too low to be evidence.
    write(
        &world,
        0,
        &json!({"timestamp": world.now.wall_ms - 60_000, "tier": 4, "contextKey": "email:number", "action": "complete"}),
    );
    write(
        &world,
        60_000,
        &json!({"tier": 1, "contextKey": "email:low", "action": "complete", "contextKeys": null}),
    );
    write(&world, 60_000, &json!({"tier": 3, "contextKey": null, "action": "complete"}));
    let old = fs::read(world.journal_path()).unwrap();
    let gate = world.gate("doug");
    for key in ["done", "number"] {
        let text = world.refused(session(&gate, "b"), "mail", &json!({"to": key}));
        assert!(text.contains("already acted on 1m ago"), "{text}");
    }
    for key in ["begun", "failed", "blocked", "low"] {
        world.done(session(&gate, "b"), "mail", &json!({"to": key}));
    }
    let status = serde_json::to_value(gate.status(&world.now)).unwrap();
    assert_eq!(status["degraded"], Value::Null);
    // Not a byte of it was changed, and our lines count from its beginning.
    let now = fs::read(world.journal_path()).unwrap();
    assert!(now.starts_with(&old));
    let records = world.records(&gate);
    assert_eq!(records[0]["seq"], 0);
    let ours = records.iter().find(|record| record["v"] == 1).unwrap();
    assert_eq!(ours["seq"].as_u64(), Some(old.len() as u64));
}
