//! When the shared state can't be used: each tier as `onStateError` says, and well again by itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use callosum_core::gate::{Answer, Gate, GateOptions, GivenUp};
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use fs2::FileExt;
use serde_json::{Value, json};

use crate::support::{World, alice, call, rows, session};

fn degraded(world: &World, gate: &Gate) -> Value {
    serde_json::to_value(gate.status(&world.now)).unwrap()["degraded"].clone()
}

/// Takes the state guard as another process would; it is free again when the file is unlocked or dropped.
fn hold_guard(world: &World) -> fs::File {
    let guard = fs::OpenOptions::new().read(true).write(true).open(world.path().join("state.guard")).unwrap();
    FileExt::lock_exclusive(&guard).unwrap();
    guard
}

#[test]
fn each_tier_goes_by_the_policy_and_all_is_well_when_the_cause_ends() {
    for (policy, low, high) in [("tiered", true, false), ("open", true, true), ("closed", false, false)] {
        let mut world = World::new();
        let gate = world.gate_with("doug", &json!({"onStateError": policy}));
        let a = session(&gate, "a");
        fs::set_permissions(world.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let allowed = |answer: Answer| !matches!(answer, Answer::Refuse(_));
        for (tool, expected) in [("write", low), ("message", low), ("mail", high), ("pay", high)] {
            let (_, answer) = world.try_call(a, tool, &alice());
            if let Answer::Refuse(text) = &answer {
                assert!(
                    text.contains("can be written by other users") && text.contains("chmod go-w"),
                    "{text}"
                );
            }
            assert_eq!(allowed(answer), expected, "{policy} {tool}");
        }
        let status = degraded(&world, &gate);
        assert_eq!(status["code"], "writable-by-others");
        assert!(status["remedy"].as_str().unwrap().contains("chmod go-w"));
        assert!(gate.take_notices().iter().any(|notice| notice.text.starts_with("degraded: ")));

        fs::set_permissions(world.path(), fs::Permissions::from_mode(0o700)).unwrap();
        world.pass(1_000);
        world.done(a, "mail", &json!({"to": "bob@example.com"}));
        assert_eq!(degraded(&world, &gate), Value::Null);
        // What happened meanwhile was not lost.
        let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
        let expected: Vec<&str> =
            [low, low, high, high].iter().map(|ok| if *ok { "intercept" } else { "refused" }).collect();
        assert_eq!(actions[..4], expected[..], "{policy}");
    }
}

#[test]
fn a_busy_guard_makes_high_tiers_wait_and_low_ones_queue() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "write", &json!({"path": "/x"}));
    let guard = hold_guard(&world);
    let mail = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now);
    let Answer::Wait(ticket) = mail else { panic!("{mail:?}") };
    // A second firing of the same call waits for the same verdict.
    let Answer::Wait(second) = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now) else {
        panic!()
    };
    assert_eq!(world.before(a, "message", "t", &alice()), Answer::ProceedThenMaintain);
    world.after(a, "message", "t", Ended::Ok, None);
    assert_eq!(world.before(a, "write", "w", &json!({"path": "/y"})), Answer::ProceedThenMaintain);
    FileExt::unlock(&guard).unwrap();
    // The message waits in the backlog, comes before the mail in the journal, and is evidence against it.
    let verdict = gate.finish(ticket, &world.now);
    assert!(matches!(&verdict, Answer::Refuse(text) if text.contains("message, complete")), "{verdict:?}");
    assert_eq!(gate.finish(second, &world.now), verdict);
    assert_eq!(
        world.story(&gate),
        rows(&[
            ("a", "intercept"),
            ("a", "intercept"),
            ("a", "complete"),
            ("a", "intercept"),
            ("a", "blocked"),
        ])
    );
}

#[test]
fn two_firings_on_two_workers_are_one_call() {
    for round in 0..20 {
        let mut world = World::new();
        let gate = world.gate("doug");
        let a = session(&gate, "a");
        world.done(a, "write", &json!({"path": "/x"}));
        let guard = hold_guard(&world);
        let tickets = [(); 2].map(|()| {
            let answer = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now);
            let Answer::Wait(ticket) = answer else { panic!("{answer:?}") };
            ticket
        });
        let answers = std::thread::scope(|scope| {
            let (gate, now) = (&gate, &world.now);
            let workers = tickets.map(|ticket| scope.spawn(move || gate.finish(ticket, now)));
            // Both are on their way before one of them has decided.
            std::thread::sleep(std::time::Duration::from_millis(20));
            FileExt::unlock(&guard).unwrap();
            workers.map(|worker| worker.join().unwrap())
        });
        assert_eq!(answers, [Answer::Proceed, Answer::Proceed], "round {round}");
        world.after(a, "mail", "m", Ended::Ok, None);
        let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
        assert_eq!(actions, ["intercept", "intercept", "complete"], "round {round}");
    }
}

#[test]
fn a_pause_that_comes_when_the_host_has_given_up_was_shown_to_nobody() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(b, "mail", &alice());
    let guard = hold_guard(&world);
    let answer = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now);
    let Answer::Wait(ticket) = answer else { panic!("{answer:?}") };
    let given_up = std::thread::scope(|scope| {
        let (gate, now) = (&gate, &world.now);
        let worker = scope.spawn(move || gate.finish(ticket, now));
        std::thread::sleep(std::time::Duration::from_millis(20));
        let given_up = gate.abandon(ticket, GivenUp::Late, now);
        FileExt::unlock(&guard).unwrap();
        assert_eq!(worker.join().unwrap(), given_up);
        given_up
    });
    assert!(matches!(&given_up, Answer::Refuse(text) if text.contains("did not answer in time")));
    world.after(a, "mail", "m", Ended::Refused, None);
    world.pass(600);
    // The model never saw the facts: its retry is paused with them, and only the next one goes through.
    let text = world.refused(a, "mail", &alice());
    assert!(text.contains("was already acted on"), "{text}");
    world.done(a, "mail", &alice());
    let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
    assert_eq!(actions[2..], ["refused", "blocked", "intercept", "complete"]);
}

#[test]
fn a_delivery_that_comes_while_the_guard_is_stuck_is_written_before_the_retry() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(b, "mail", &alice());
    // The host tells when its model has read, so that time alone proves nothing.
    let _ = gate.model_call_started("run-a", &world.now);
    let by_run = |id: &str| {
        let mut call = call(a, "mail", Some(id));
        call.run = Some("run-a".to_owned());
        call
    };
    let paused = gate.before(&by_run("m1"), &alice(), &world.now);
    assert!(matches!(paused, Answer::Refuse(_)), "{paused:?}");
    let guard = hold_guard(&world);
    let answer = gate.model_call_started("run-a", &world.now);
    let _ = world.finish(&gate, answer);
    FileExt::unlock(&guard).unwrap();
    world.pass(2_000);
    let retry = gate.before(&by_run("m2"), &alice(), &world.now);
    assert_eq!(world.finish(&gate, retry), Answer::Proceed);
    let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
    assert_eq!(actions[2..], ["blocked", "delivered", "intercept"]);
}

#[test]
fn a_guard_that_is_never_free_ends_in_a_clear_refusal_within_the_deadline() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "write", &json!({"path": "/x"}));
    let guard = hold_guard(&world);
    let (_, answer) = world.try_call(a, "mail", &alice());
    assert!(matches!(&answer, Answer::Refuse(text) if text.contains("was not free for")), "{answer:?}");
    FileExt::unlock(&guard).unwrap();
    world.done(a, "mail", &alice());
    let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
    assert_eq!(actions, ["intercept", "refused", "intercept", "complete"]);
}

#[test]
fn an_outcome_that_could_not_be_written_is_written_when_the_cause_ends() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "mail", &alice());
    let guard = hold_guard(&world);
    world.after(a, "mail", &id, Ended::Ok, None);
    FileExt::unlock(&guard).unwrap();
    gate.maintain(&world.now);
    assert_eq!(world.story(&gate), rows(&[("a", "intercept"), ("a", "complete")]));
}

/// An edit is noticed after this time at the latest, milliseconds.
const NOTICED_MS: u64 = 5;

#[test]
fn a_bad_edit_of_the_rules_keeps_the_last_good_ones_and_says_where() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "mail", &alice());
    let tiers = world.path().join("tiers.json");
    let broken = crate::support::RULES.replace("\"^ship\"", "\"(ship\"");
    fs::write(&tiers, broken).unwrap();
    world.pass(NOTICED_MS);
    world.refused(session(&gate, "b"), "mail", &alice());
    let status = serde_json::to_value(gate.status(&world.now)).unwrap();
    let error = status["rules"]["error"].as_str().unwrap();
    assert!(error.contains("line 5") && error.contains("ship"), "{error}");
    let notices = gate.take_notices();
    assert!(notices.iter().any(|notice| notice.text.contains("line 5")), "{notices:?}");
    // A good edit takes effect on the next call.
    fs::write(&tiers, r#"{"rules":[{"name":"mail","tier":1,"tool":"mail"}]}"#).unwrap();
    world.pass(NOTICED_MS);
    world.done(session(&gate, "b"), "mail", &alice());
    assert_eq!(serde_json::to_value(gate.status(&world.now)).unwrap()["ruleCount"], 1);
    // Gone, a folder, too large: the last good ones go on.
    fs::remove_file(&tiers).unwrap();
    fs::create_dir(&tiers).unwrap();
    world.pass(NOTICED_MS);
    world.done(session(&gate, "b"), "mail", &alice());
    let status = serde_json::to_value(gate.status(&world.now)).unwrap();
    assert!(status["rules"]["error"].as_str().unwrap().contains("is not a regular file"), "{status}");
}

#[test]
fn rules_with_a_longer_window_see_what_lies_further_back() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    world.pass(2 * 3_600_000);
    world.done(session(&gate, "b"), "message", &json!({"to": "x"}));
    gate.maintain(&world.now);
    let longer =
        crate::support::RULES.replacen("\"contextKey\"", "\"recentWindowMs\":86400000,\"contextKey\"", 1);
    fs::write(world.path().join("tiers.json"), longer).unwrap();
    world.pass(NOTICED_MS);
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("2h ago"), "{text}");
}

#[test]
fn looking_at_nothing_makes_nothing() {
    let world = World::new();
    let missing = world.path().join("nothing/here");
    let gate = Gate::new(GateOptions {
        settings: json!({"stateDir": missing.to_str().unwrap()}).to_string(),
        ..GateOptions::default()
    });
    assert!(!missing.exists());
    gate.maintain(&world.now);
    gate.close(&world.now);
    assert!(!missing.exists());
}

#[test]
fn a_closed_gate_answers_at_once_and_does_nothing() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    gate.close(&world.now);
    assert_eq!(world.try_call(session(&gate, "b"), "mail", &alice()).1, Answer::Proceed);
    let fresh = world.gate("mira");
    assert_eq!(world.story(&fresh), rows(&[("a", "intercept"), ("a", "complete")]));
}

#[test]
fn a_directory_in_use_that_others_may_write_is_noticed_at_the_next_guarded_call() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "mail", &alice());
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o770)).unwrap();
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("can be written by other users (mode 770)"), "{text}");
    world.done(a, "write", &json!({"path": "/x"}));
    assert_eq!(degraded(&world, &gate)["code"], "writable-by-others");
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("was already acted on"), "{text}");
    assert_eq!(degraded(&world, &gate), Value::Null);
}

#[test]
fn an_outcome_that_waited_is_there_for_the_next_decision() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "mail", &alice());
    let guard = hold_guard(&world);
    world.after(a, "mail", &id, Ended::Ok, None);
    let waiting = || serde_json::to_value(gate.status(&world.now)).unwrap()["waiting"].clone();
    // The guard is still held: looking at it changes nothing, and does not count the outcome again.
    assert_eq!(waiting(), json!({"queued": 1, "lost": 0, "unwritten": 1}));
    gate.maintain(&world.now);
    assert_eq!(waiting(), json!({"queued": 1, "lost": 0, "unwritten": 1}));
    drop(guard);
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("was already acted on") && text.contains("complete"), "{text}");
    assert_eq!(world.story(&gate), rows(&[("a", "intercept"), ("a", "complete"), ("b", "blocked")]));
}

#[test]
fn a_guard_that_stays_held_does_not_hold_up_every_worker() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    world.done(a, "write", &json!({"path": "/x"}));
    let guard = hold_guard(&world);
    world.refused(a, "mail", &alice());
    let start = std::time::Instant::now();
    let text = world.refused(a, "mail", &alice());
    assert!(text.contains("state.guard") && text.contains("fuser"), "{text}");
    assert!(start.elapsed() < std::time::Duration::from_secs(1), "{:?}", start.elapsed());
    drop(guard);
    world.done(a, "mail", &alice());
    assert_eq!(degraded(&world, &gate), Value::Null);
}

#[test]
fn an_outcome_from_before_the_directory_was_replaced_finds_its_own_call_and_settles_nobody_elses() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (id, _) = world.try_call(session(&gate, "a"), "mail", &alice());
    // All but the rules: these are found in the same directory here.
    for entry in fs::read_dir(world.path()).unwrap().flatten() {
        if entry.file_name() != "tiers.json" {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    // The first call in the new journal gets the sequence number that the first in the old one had: of another process, which
    // knows nothing of what was.
    let other = world.gate("mira");
    let (_, answer) = world.try_call(session(&other, "b"), "mail", &alice());
    assert_eq!(answer, Answer::Proceed);
    world.after(session(&gate, "a"), "mail", &id, Ended::Ok, None);
    assert_eq!(world.story(&gate), rows(&[("b", "intercept"), ("a", "intercept"), ("a", "complete")]));
    let text = world.refused(session(&gate, "c"), "mail", &alice());
    assert!(text.contains("is being acted on") && text.contains("complete"), "{text}");
}

#[test]
fn nothing_is_written_behind_the_closing_line_of_a_rotation_that_was_cut_off() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"journalMaxBytes": 128 * 1024}));
    let a = session(&gate, "a");
    // A new segment can't be made: its file's name is taken by a folder.
    let obstacle = world.path().join("journal.next");
    let mut calls = 0;
    while !obstacle.exists() {
        world.done(a, "message", &json!({"to": format!("{calls}@example.com")}));
        calls += 1;
        if fs::metadata(world.journal_path()).unwrap().len() > 15_000 {
            fs::create_dir(&obstacle).unwrap();
        }
    }
    for number in 0..40 {
        let (id, answer) = world.try_call(a, "message", &json!({"to": format!("x{number}@example.com")}));
        assert!(!matches!(answer, Answer::Refuse(_)), "{answer:?}");
        world.after(a, "message", &id, Ended::Ok, None);
        calls += 1;
        // It is a worker that closes the segment.
        gate.maintain(&world.now);
    }
    let notices = gate.take_notices();
    assert!(notices.iter().any(|notice| notice.text.contains("journal.next")), "{notices:?}");

    // Another process makes it as soon as it can be made; the first one follows, and writes there what waited.
    fs::remove_dir(&obstacle).unwrap();
    let other = world.gate("mira");
    world.done(session(&other, "b"), "message", &json!({"to": "y@example.com"}));
    world.done(a, "message", &json!({"to": "z@example.com"}));
    assert_eq!(degraded(&world, &gate), Value::Null);
    let text = world.refused(session(&other, "b"), "mail", &json!({"to": "z@example.com"}));
    assert!(text.contains("message, complete"), "{text}");
    let story = world.story(&other);
    assert_eq!(story, world.story(&gate));
    let count = |wanted: &str| story.iter().filter(|(who, action)| who == "a" && action == wanted).count();
    assert_eq!((count("intercept"), count("complete")), (calls + 1, calls + 1));
}

#[test]
fn an_intent_in_a_journal_that_was_deleted_before_it_was_flushed_lets_nothing_through() {
    let world = World::new();
    let gate = world.gate_with("doug", &json!({"durability": "disk"}));
    let a = session(&gate, "a");
    let Answer::Wait(ticket) = gate.before(&call(a, "mail", Some("1")), &alice(), &world.now) else {
        panic!()
    };
    fs::remove_file(world.journal_path()).unwrap();
    let answer = gate.finish(ticket, &world.now);
    assert!(matches!(&answer, Answer::Refuse(text) if text.contains("was replaced")), "{answer:?}");
    // The next try stands in the new journal.
    assert_eq!(world.before(a, "mail", "2", &alice()), Answer::Proceed);
    assert_eq!(degraded(&world, &gate), Value::Null);
    assert_eq!(world.story(&gate).last().unwrap().1, "intercept");
}

#[test]
fn names_of_any_length_are_one_call_before_and_after() {
    let world = World::new();
    let gate = world.gate("doug");
    let (name, id) = ("ä".repeat(1_000), "id".repeat(1_000));
    let long = session(&gate, &name);
    assert_eq!(world.before(long, "mail", &id, &alice()), Answer::Proceed);
    world.after(long, "mail", &id, Ended::Ok, None);
    let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
    assert_eq!(actions, ["intercept", "complete"]);
}

#[test]
fn under_closed_nothing_goes_on_while_somebody_sits_on_the_guard() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"onStateError": "closed"}));
    let a = session(&gate, "a");
    world.done(a, "mail", &alice());
    let guard = hold_guard(&world);
    for tool in ["write", "message"] {
        assert!(matches!(world.try_call(a, tool, &alice()).1, Answer::Refuse(_)), "{tool}");
    }
    drop(guard);
}
