//! The journal on disk: torn, foreign, old and newer lines, rotation, retention, the index, replaced files.

use std::fs::{self, OpenOptions};
use std::io::Write;

use callosum_core::gate::{Answer, Gate};
use callosum_core::model::time::to_rfc3339;
use callosum_core::query::Source;
use serde_json::{Value, json};

use crate::support::{World, alice, session};

fn append(world: &World, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(world.journal_path()).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn status(world: &World, gate: &Gate) -> Value {
    serde_json::to_value(gate.status(&world.now)).unwrap()
}

/// A line as another process would have written it, `age_ms` ago.
fn line(world: &World, age_ms: i64, fields: &Value) -> String {
    let mut record = json!({"v": 1, "timestamp": to_rfc3339(world.now.wall_ms - age_ms), "instance": "old"});
    for (name, value) in fields.as_object().unwrap() {
        record[name] = value.clone();
    }
    format!("{record}\n")
}

fn start(key: &str) -> Value {
    json!({"action": "intercept", "tier": 3, "session": "s", "tool": "mail", "contextKeys": [key]})
}

/// The segments' sequence is unbroken: every line parses, every sequence number is the line's offset.
fn check_chain(world: &World) -> usize {
    let mut segments: Vec<(u64, String)> = fs::read_dir(world.path())
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name.starts_with("journal.") && name.ends_with(".jsonl"))
                .then(|| (0, fs::read_to_string(path).unwrap()))
        })
        .collect();
    for (base, text) in &mut segments {
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(first["action"], "opened");
        *base = first["base"].as_u64().unwrap();
    }
    segments.sort_by_key(|(base, _)| *base);
    for pair in segments.windows(2) {
        let last: Value = serde_json::from_str(pair[0].1.lines().last().unwrap()).unwrap();
        assert_eq!(last["action"], "closed");
        assert_eq!(last["base"].as_u64(), Some(pair[1].0), "the next segment begins where it says");
        assert_eq!(pair[0].0 + pair[0].1.len() as u64, pair[1].0, "no gap");
    }
    for (_, text) in &segments {
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
    segments.len()
}

#[test]
fn a_torn_line_is_ended_skipped_and_counted() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    append(&world, "{\"v\":1,\"action\":\"inter");
    // The line behind it is whole.
    world.done(session(&gate, "b"), "mail", &json!({"to": "bob@example.com"}));
    let fresh = world.gate("mira");
    world.refused(session(&fresh, "c"), "mail", &alice());
    world.refused(session(&fresh, "c"), "mail", &json!({"to": "bob@example.com"}));
    assert_eq!(status(&world, &fresh)["journal"]["skipped"], 1);
    assert_eq!(status(&world, &gate)["journal"]["skipped"], 1);
}

#[test]
fn foreign_lines_stop_nobody() {
    let mut world = World::new();
    append(&world, "hello\n[1,2]\n\u{0}\u{1}\n{\"action\":7}\n\n");
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    world.refused(session(&gate, "b"), "mail", &alice());
    let status = status(&world, &gate);
    assert_eq!(status["journal"]["skipped"], 4, "{status}");
    assert!(status.get("degraded").is_none());
}

#[test]
fn of_the_originals_lines_only_complete_is_evidence() {
    let mut world = World::new();
    for (action, key) in
        [("complete", "done"), ("failed", "failed"), ("intercept", "begun"), ("blocked", "no")]
    {
        let mut old: Value = serde_json::from_str(&line(
            &world,
            60_000,
            &json!({"action": action, "tier": 3, "tool": "exec", "contextKey": format!("email:{key}")}),
        ))
        .unwrap();
        old.as_object_mut().unwrap().remove("v");
        append(&world, &format!("{old}\n"));
    }
    let gate = world.gate("doug");
    let b = session(&gate, "b");
    let text = world.refused(b, "mail", &json!({"to": "done"}));
    assert!(text.contains("already acted on 1m ago") && text.contains("by old: exec, complete"), "{text}");
    for key in ["failed", "begun", "no"] {
        world.done(b, "mail", &json!({"to": key}));
    }
}

#[test]
fn fields_and_actions_of_a_newer_minor_version_are_no_obstacle() {
    let mut world = World::new();
    let mut newer = start("email:alice@example.com");
    newer["colour"] = json!("green");
    append(&world, &line(&world, 1_000, &newer));
    append(&world, &line(&world, 1_000, &json!({"action": "dreamt", "of": [1]})));
    let gate = world.gate("doug");
    world.refused(session(&gate, "b"), "mail", &alice());
    assert_eq!(status(&world, &gate)["journal"]["skipped"], 0);
}

#[test]
fn a_newer_major_version_guards_nothing_blindly() {
    let mut world = World::new();
    append(&world, &line(&world, 1_000, &json!({"v": 2, "action": {"kind": "intercept"}})));
    let gate = world.gate("doug");
    let (_, answer) = world.try_call(session(&gate, "a"), "mail", &alice());
    assert!(matches!(&answer, Answer::Refuse(text) if text.contains("update Callosum")), "{answer:?}");
    assert_eq!(world.try_call(session(&gate, "a"), "write", &json!({"path": "/x"})).1, Answer::Proceed);
    assert_eq!(status(&world, &gate)["degraded"]["code"], "newer-format");
}

#[test]
fn a_released_lease_blocks_nobody_but_stays_evidence() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let b = session(&gate, "b");
    let _ = world.try_call(session(&gate, "a"), "mail", &alice());
    world.refused(b, "pay", &alice());
    let intent = world.records(&gate).into_iter().find(|record| record["action"] == "intercept").unwrap();
    append(
        &world,
        &line(&world, 0, &json!({"action": "released", "of": [intent["seq"]], "reason": "by hand"})),
    );
    let text = world.refused(b, "pay", &alice());
    assert!(text.contains("is being acted on"), "{text}");
    world.done(b, "pay", &alice());
}

#[test]
fn an_outcome_counts_once_and_only_from_who_started_the_action() {
    let mut world = World::new();
    let mut intent = start("email:alice@example.com");
    intent["call"] = json!("1");
    append(&world, &line(&world, 5_000, &intent));
    let outcome =
        |action: &str, session: &str| json!({"action": action, "session": session, "call": "1", "of": [0]});
    append(&world, &line(&world, 4_000, &outcome("failed", "somebody else")));
    append(&world, &line(&world, 3_000, &outcome("complete", "s")));
    append(&world, &line(&world, 2_000, &outcome("failed", "s")));
    let gate = world.gate("doug");
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("mail, complete"), "{text}");
}

#[test]
fn segments_rotate_and_every_gate_follows() {
    let mut world = World::new();
    let small = json!({"journalMaxBytes": 128 * 1024});
    let gates = [world.gate_with("doug", &small), world.gate_with("mira", &small)];
    for round in 0..300 {
        let mail = json!({"to": format!("{round}@example.com"), "body": "x".repeat(300)});
        let (first, second) = (round % 2, (round + 1) % 2);
        world.done(session(&gates[first], "a"), "mail", &mail);
        world.refused(session(&gates[second], "b"), "mail", &mail);
    }
    let segments = check_chain(&world);
    assert!(segments > 5, "{segments}");
    // A fresh process knows what was written before any rotation.
    let fresh = world.gate("zoe");
    world.refused(session(&fresh, "c"), "mail", &json!({"to": "0@example.com"}));
    let status = status(&world, &fresh);
    assert_eq!(status["journal"]["segments"], segments);
    assert_eq!(status["journal"]["lines"], world.records(&fresh).len());
}

#[test]
fn a_gate_that_slept_through_several_rotations_catches_up() {
    let mut world = World::new();
    let small = json!({"journalMaxBytes": 128 * 1024});
    let (sleeper, busy) = (world.gate_with("doug", &small), world.gate_with("mira", &small));
    world.done(session(&sleeper, "a"), "write", &json!({"path": "/x"}));
    for round in 0..200 {
        let mail = json!({"to": format!("{round}@example.com"), "body": "x".repeat(300)});
        world.done(session(&busy, "b"), "mail", &mail);
        busy.maintain(&world.now);
    }
    assert!(check_chain(&world) > 3);
    world.refused(session(&sleeper, "a"), "mail", &json!({"to": "0@example.com"}));
    world.refused(session(&sleeper, "a"), "mail", &json!({"to": "199@example.com"}));
}

#[test]
fn a_rotation_cut_off_after_its_closing_line_is_finished_by_the_next() {
    for gone_before_rename in [true, false] {
        let mut world = World::new();
        let gate = world.gate("doug");
        world.done(session(&gate, "a"), "mail", &alice());
        let text = fs::read_to_string(world.journal_path()).unwrap();
        // The closing line names the place behind itself.
        let closing = |base: usize| line(&world, 0, &json!({"action": "closed", "base": base}));
        // A base of four digits, as the line's own length makes it.
        let closing = closing(text.len() + closing(1_000).len());
        append(&world, &closing);
        if !gone_before_rename {
            fs::rename(world.journal_path(), world.path().join("journal.0.jsonl")).unwrap();
        }
        // The gate that was open, and one that comes new.
        let fresh = world.gate("mira");
        world.refused(session(&fresh, "b"), "mail", &alice());
        world.refused(session(&gate, "c"), "mail", &alice());
        check_chain(&world);
    }
}

#[test]
fn a_last_line_that_lacks_only_its_newline_is_a_line() {
    for closes in [true, false] {
        let mut world = World::new();
        let gate = world.gate("doug");
        world.done(session(&gate, "a"), "mail", &alice());
        let text = fs::read_to_string(world.journal_path()).unwrap();
        let last = if closes {
            let closing = |base: usize| line(&world, 0, &json!({"action": "closed", "base": base}));
            closing(text.len() + closing(1_000).len())
        } else {
            line(&world, 0, &start("email:bob@example.com"))
        };
        append(&world, last.trim_end());
        let fresh = world.gate("mira");
        world.done(session(&fresh, "b"), "write", &json!({"path": "/x"}));
        check_chain(&world);
        assert_eq!(world.path().join("journal.0.jsonl").exists(), closes);
        world.refused(session(&fresh, "b"), "mail", &alice());
        if !closes {
            // Who ended it has read it.
            world.refused(session(&fresh, "b"), "mail", &json!({"to": "bob@example.com"}));
        }
        assert_eq!(status(&world, &fresh)["journal"]["skipped"], 0);
    }
}

#[test]
fn old_segments_go_but_nothing_within_anybodys_window() {
    let mut world = World::new();
    let small = json!({"journalMaxBytes": 128 * 1024});
    // A process whose rules look back two days has said so, then ended.
    let long = world.gate_with("long", &json!({"recentWindowMs": 172_800_000_u64}));
    world.done(session(&long, "a"), "mail", &alice());
    long.close(&world.now);
    let gate = world.gate_with("doug", &small);
    let fill = |world: &mut World| {
        for round in 0..400 {
            let mail = json!({"to": format!("{round}@{}.com", world.now.wall_ms), "body": "x".repeat(300)});
            world.done(session(&gate, "b"), "mail", &mail);
        }
        gate.maintain(&world.now);
    };
    fill(&mut world);
    let one_fill = status(&world, &gate)["journal"]["bytes"].as_u64().unwrap();
    world.pass(86_400_000);
    fill(&mut world);
    let again = world.gate_with("long", &json!({"recentWindowMs": 172_800_000_u64}));
    world.refused(session(&again, "c"), "mail", &alice());
    again.close(&world.now);
    world.pass(3 * 86_400_000);
    fill(&mut world);
    let bytes = status(&world, &gate)["journal"]["bytes"].as_u64().unwrap();
    assert!(bytes < one_fill * 3 / 2, "{bytes} bytes are left of three times {one_fill}");
    assert!(!world.path().join("journal.0.jsonl").exists());
}

#[test]
fn a_fresh_process_decides_the_same_with_and_without_the_index() {
    let mut world = World::new();
    let gate = world.gate("doug");
    for round in 0..800 {
        let mail = json!({"to": format!("{}@example.com", round % 50), "body": "x".repeat(300)});
        let _ = world.try_call(session(&gate, "a"), "mail", &mail);
    }
    world.refused(session(&gate, "b"), "mail", &json!({"to": "7@example.com"}));
    gate.close(&world.now);
    let index = world.path().join("journal.index");
    let good = fs::read(&index).unwrap();
    // What came after the index counts too.
    let other = world.gate("mira");
    world.done(session(&other, "z"), "mail", &json!({"to": "new@example.com"}));
    let mut texts = Vec::new();
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        Some(bytes)
    };
    let (head, block) = (flipped(100), flipped(good.len() - 9));
    let cut = Some(good[..good.len() / 2].to_vec());
    for content in [Some(good.clone()), None, Some(b"{".to_vec()), head, block, cut] {
        match content {
            Some(content) => fs::write(&index, content).unwrap(),
            None => fs::remove_file(&index).unwrap(),
        }
        let fresh = world.gate("doug");
        let before = world.now;
        texts.push([
            world.refused(session(&fresh, "c"), "mail", &json!({"to": "9@example.com"})),
            world.refused(session(&fresh, "c"), "mail", &json!({"to": "new@example.com"})),
        ]);
        // The pause of session b is known: its retry passes, and is closed as refused for the next turn.
        let (id, answer) = world.try_call(session(&fresh, "b"), "mail", &json!({"to": "7@example.com"}));
        assert_eq!(answer, Answer::Proceed);
        world.after(session(&fresh, "b"), "mail", &id, callosum_core::record::outcome::Ended::Refused, None);
        world.now = before;
    }
    for text in &texts {
        assert_eq!(text, &texts[0]);
    }
}

#[test]
fn a_deleted_or_replaced_journal_is_opened_anew() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "mail", &alice());
    fs::remove_file(world.journal_path()).unwrap();
    world.refused(a, "mail", &alice());
    assert!(world.journal_path().exists());
    world.done(a, "mail", &alice());
    // Another file at its path, ours still there under another name.
    fs::rename(world.journal_path(), world.path().join("aside")).unwrap();
    append(&world, &line(&world, 1_000, &start("email:bob@example.com")));
    world.refused(a, "mail", &json!({"to": "bob@example.com"}));
    // The pauses are gone with the journal, what was done is not.
    world.refused(a, "mail", &alice());
    world.done(a, "mail", &alice());
    // Cut to nothing.
    fs::write(world.journal_path(), "").unwrap();
    world.refused(a, "mail", &alice());
    world.refused(session(&gate, "b"), "mail", &alice());
}

#[test]
fn a_replaced_state_directory_is_opened_anew() {
    let mut world = World::new();
    let inner = world.path().join("state");
    let gate = world.gate_with("doug", &json!({"stateDir": inner.to_str().unwrap(), "tiersFile": world.path().join("tiers.json").to_str().unwrap()}));
    let a = session(&gate, "a");
    world.done(a, "mail", &alice());
    fs::rename(&inner, world.path().join("gone")).unwrap();
    world.refused(a, "mail", &alice());
    world.done(a, "mail", &alice());
    world.refused(session(&gate, "b"), "mail", &alice());
    assert!(inner.join("journal.jsonl").exists());
}

#[test]
fn a_journal_that_others_could_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let mut world = World::new();
    append(&world, "");
    fs::set_permissions(world.journal_path(), fs::Permissions::from_mode(0o644)).unwrap();
    append(&world, "old\n");
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    for name in ["journal.jsonl", "state.guard"] {
        let mode = fs::metadata(world.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
