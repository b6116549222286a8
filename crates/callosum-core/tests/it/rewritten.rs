//! Calls whose parameters another plugin rewrote after the gate had decided: the journal tells what ran.

use callosum_core::gate::Answer;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

use crate::support::{Session, World, alice, report, rows, session};

fn to(name: &str) -> Value {
    json!({"to": format!("{name}@example.com"), "body": "hello"})
}

/// A call that is let through with some parameters and runs with others.
fn done_as(world: &mut World, by: Session<'_>, asked: &Value, ran: &Value, ended: Ended) {
    let (id, answer) = world.try_call(by, "mail", asked);
    assert_eq!(answer, Answer::Proceed);
    let answer = by.gate.after_seeing(&report(by, "mail", Some(&id), ended, None), ran, &world.now);
    let _ = world.finish(by.gate, answer);
}

#[test]
fn the_action_is_on_what_ran_and_on_nothing_else() {
    let mut world = World::new();
    let gate = world.gate("doug");
    done_as(&mut world, session(&gate, "a"), &alice(), &to("bob"), Ended::Ok);
    let outcome = world.records(&gate).pop().unwrap();
    assert_eq!(outcome["action"], "complete");
    assert_eq!(outcome["contextKeys"], json!(["email:bob@example.com"]));
    assert!(outcome["reason"].as_str().unwrap().contains("rewritten"), "{outcome}");

    world.done(session(&gate, "b"), "mail", &alice());
    let text = world.refused(session(&gate, "b"), "mail", &to("bob"));
    assert!(text.contains("parameters identical"), "{text}");

    // Whoever reads the journal anew, by its index (written once it is worth it) or from its lines, sees the same.
    for _ in 0..800 {
        let _ = world.try_call(session(&gate, "z"), "mail", &to(&"z".repeat(300)));
    }
    gate.close(&world.now);
    for index in [true, false] {
        if !index {
            std::fs::remove_file(world.path().join("journal.index")).unwrap();
        }
        let other = world.gate("other");
        world.refused(session(&other, if index { "c" } else { "d" }), "mail", &to("bob"));
        other.close(&world.now);
    }
}

#[test]
fn a_late_outcome_does_not_bring_the_old_resource_back() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "mail", &alice());
    let mut running = report(a, "mail", Some(&id), Ended::Running, None);
    running.process = Some("calm-fox".to_owned());
    let answer = gate.after_seeing(&running, &to("bob"), &world.now);
    let _ = world.finish(&gate, answer);
    world.done(session(&gate, "b"), "mail", &alice());
    let text = world.refused(session(&gate, "b"), "mail", &to("bob"));
    assert!(text.contains("is being acted on"), "{text}");
    let answer = gate.process_ended("calm-fox", Ended::Ok, Some(0), &world.now);
    let _ = world.finish(&gate, answer);
    let outcome = world.records(&gate).pop().unwrap();
    assert_eq!((&outcome["action"], &outcome["rewritten"]), (&json!("complete"), &json!(true)));
    gate.close(&world.now);
    let other = world.gate("other");
    let text = world.refused(session(&other, "c"), "mail", &to("bob"));
    assert!(text.contains("was already acted on"), "{text}");
    let on_alice = world.refused(session(&other, "d"), "mail", &alice());
    let evidence = on_alice.split("OTHER RECENT").next().unwrap_or_default();
    assert!(!evidence.contains("session a)"), "{on_alice}");
}

#[test]
fn what_no_rule_knows_may_still_have_done_what_was_asked() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "exec", &json!({"command": "ship it"}));
    let ran = json!({"command": "wrapped ship it"});
    let answer = gate.after_seeing(&report(a, "exec", Some(&id), Ended::Ok, Some(0)), &ran, &world.now);
    let _ = world.finish(&gate, answer);
    let text = world.refused(session(&gate, "b"), "exec", &json!({"command": "ship it"}));
    assert!(text.contains("outcome unknown"), "{text}");
}

#[test]
fn the_exit_code_proves_only_what_the_command_that_ran_can_prove() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "exec", &json!({"command": "ship it"}));
    let ran = json!({"command": "ship it && false"});
    let answer = gate.after_seeing(&report(a, "exec", Some(&id), Ended::Ok, Some(1)), &ran, &world.now);
    let _ = world.finish(&gate, answer);
    assert_eq!(world.story(&gate), rows(&[("a", "intercept"), ("a", "unknown")]));
}

#[test]
fn other_words_to_the_same_resource_and_hosts_that_show_nothing_change_nothing() {
    for ran in [json!({"to": "alice@example.com", "body": "signed"}), json!({}), Value::Null] {
        let mut world = World::new();
        let gate = world.gate("doug");
        done_as(&mut world, session(&gate, "a"), &alice(), &ran, Ended::Ok);
        let outcome = world.records(&gate).pop().unwrap();
        assert_eq!(outcome["action"], "complete", "{ran}");
        assert_eq!(outcome["contextKeys"], json!(["email:alice@example.com"]), "{ran}");
        assert!(outcome.get("reason").is_none() && outcome.get("rewritten").is_none(), "{outcome}");
        let text = world.refused(session(&gate, "b"), "mail", &alice());
        assert!(text.contains("parameters identical"), "{text}");
    }
}
