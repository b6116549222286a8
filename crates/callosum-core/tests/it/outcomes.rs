//! How calls end, and what the next one is told.

use callosum_core::gate::{Answer, GivenUp};
use callosum_core::record::outcome::Ended;
use serde_json::json;

use crate::support::{World, alice, call, report, rows, session};

#[test]
fn a_failed_action_may_be_tried_again() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, answer) = world.try_call(a, "exec", &json!({"command": "ship it"}));
    assert_eq!(answer, Answer::Proceed);
    // The shell has not found it.
    world.after(a, "exec", &id, Ended::Ok, Some(127));
    world.done(session(&gate, "b"), "exec", &json!({"command": "ship it"}));
    assert_eq!(
        world.story(&gate),
        rows(&[("a", "intercept"), ("a", "failed"), ("b", "intercept"), ("b", "complete")])
    );
}

#[test]
fn an_exit_code_that_proves_nothing_lets_no_second_try_pass() {
    for code in [1, 2, 7, 28, 124, 125, 128] {
        let mut world = World::new();
        let gate = world.gate("doug");
        let (id, _) = world.try_call(session(&gate, "a"), "exec", &json!({"command": "ship it"}));
        world.after(session(&gate, "a"), "exec", &id, Ended::Ok, Some(code));
        // Another process, which knows of the first call what the journal says.
        let other = world.gate("mira");
        let text = world.refused(session(&other, "b"), "exec", &json!({"command": "ship it"}));
        assert!(text.contains(&format!("outcome unknown (exit {code}), verify first")), "{text}");
    }
}

#[test]
fn a_line_of_an_earlier_version_says_nothing_of_exit_codes() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (id, _) = world.try_call(session(&gate, "a"), "exec", &json!({"command": "ship it"}));
    gate.close(&world.now);
    let journal = std::fs::read_to_string(world.journal_path()).unwrap();
    let earlier = journal.replace(r#""notDoneCodes":[126,127]"#, r#""simple":true"#);
    assert_ne!(earlier, journal);
    std::fs::write(world.journal_path(), earlier).unwrap();
    let gate = world.gate("doug");
    world.after(session(&gate, "a"), "exec", &id, Ended::Ok, Some(127));
    let text = world.refused(session(&gate, "b"), "exec", &json!({"command": "ship it"}));
    assert!(text.contains("outcome unknown (exit 127)"), "{text}");
}

#[test]
fn a_failed_line_of_several_commands_is_unknown() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "exec", &json!({"command": "ship it && false"}));
    world.after(a, "exec", &id, Ended::Ok, Some(1));
    let text = world.refused(session(&gate, "b"), "exec", &json!({"command": "ship it"}));
    assert!(text.contains("may already have been acted on"), "{text}");
    assert!(text.contains("outcome unknown (exit 1), verify first"), "{text}");
}

#[test]
fn stopped_in_the_middle_is_unknown() {
    for ended in [Ended::TimedOut, Ended::Aborted, Ended::Killed, Ended::Maybe] {
        let mut world = World::new();
        let gate = world.gate("doug");
        let (id, _) = world.try_call(session(&gate, "a"), "mail", &alice());
        world.after(session(&gate, "a"), "mail", &id, ended, None);
        let text = world.refused(session(&gate, "b"), "mail", &alice());
        assert!(text.contains("outcome unknown, verify first"), "{ended:?}: {text}");
    }
}

#[test]
fn what_never_ran_is_no_evidence() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (id, _) = world.try_call(session(&gate, "a"), "mail", &alice());
    world.after(session(&gate, "a"), "mail", &id, Ended::Refused, None);
    world.done(session(&gate, "b"), "mail", &alice());
    // Refused before it came to us: one row that says so, and no evidence either.
    world.after(session(&gate, "c"), "mail", "elsewhere", Ended::Refused, None);
    assert_eq!(
        world.story(&gate),
        rows(&[
            ("a", "intercept"),
            ("a", "refused"),
            ("b", "intercept"),
            ("b", "complete"),
            ("c", "refused")
        ])
    );
}

#[test]
fn a_refused_call_leaves_one_row() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    world.refused(session(&gate, "b"), "mail", &alice());
    assert_eq!(world.story(&gate), rows(&[("a", "intercept"), ("a", "complete"), ("b", "blocked")]));
}

#[test]
fn a_background_call_is_in_flight_until_its_process_ends() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    let ship = json!({"command": "ship it"});
    let (id, _) = world.try_call(a, "exec", &ship);
    let mut running = report(a, "exec", Some(&id), Ended::Running, None);
    running.process = Some("gentle-mist".to_owned());
    assert_eq!(gate.after(&running, &world.now), Answer::Proceed);
    let text = world.refused(b, "exec", &ship);
    assert!(text.contains("still running in the background"), "{text}");
    let _ = gate.process_ended("other-mist", Ended::Ok, Some(0), &world.now);
    let _ = gate.process_ended("gentle-mist", Ended::Ok, Some(0), &world.now);
    let text = world.refused(b, "exec", &ship);
    assert!(text.contains("was already acted on"), "{text}");
    let actions: Vec<String> = world.story(&gate).into_iter().map(|(_, action)| action).collect();
    assert_eq!(actions, ["intercept", "running", "blocked", "complete", "blocked"]);
}

#[test]
fn a_background_process_is_found_again_after_a_reload() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let ship = json!({"command": "ship it"});
    let (id, _) = world.try_call(session(&gate, "a"), "exec", &ship);
    let mut running = report(session(&gate, "a"), "exec", Some(&id), Ended::Running, None);
    running.process = Some("gentle-mist".to_owned());
    let _ = gate.after(&running, &world.now);
    gate.close(&world.now);
    let reloaded = world.gate("doug");
    let _ = reloaded.process_ended("gentle-mist", Ended::Ok, Some(127), &world.now);
    world.done(session(&reloaded, "b"), "exec", &ship);
}

#[test]
fn a_call_in_flight_across_a_reload_is_settled_by_the_new_instance() {
    let mut world = World::new();
    let old = world.gate("doug");
    let (id, _) = world.try_call(session(&old, "a"), "mail", &alice());
    old.close(&world.now);
    let new = world.gate("doug");
    world.after(session(&new, "a"), "mail", &id, Ended::Ok, None);
    assert_eq!(world.story(&new), rows(&[("a", "intercept"), ("a", "complete")]));
}

#[test]
fn a_late_outcome_settles_what_was_unknown_and_nothing_else() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let (id, _) = world.try_call(a, "mail", &alice());
    world.pass(400_000);
    world.after(a, "mail", &id, Ended::Ok, None);
    world.after(a, "mail", &id, Ended::Error, None);
    assert_eq!(world.story(&gate), rows(&[("a", "intercept"), ("a", "complete")]));
    let text = world.refused(session(&gate, "b"), "mail", &alice());
    assert!(text.contains("mail, complete"), "{text}");
}

#[test]
fn without_a_call_id_an_outcome_goes_to_the_oldest_open_call_of_that_form() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let to = |name: &str| json!({"to": format!("{name}@example.com")});
    for name in ["x", "y"] {
        let answer = gate.before(&call(a, "mail", None), &to(name), &world.now);
        assert_eq!(world.finish(&gate, answer), Answer::Proceed);
    }
    let mut ended = report(a, "mail", None, Ended::Error, None);
    use callosum_core::model::tool_call::Parameters;
    ended.digest = Some(callosum_core::model::digest::digest("mail", &to("y").all()));
    let _ = gate.after(&ended, &world.now);
    world.done(session(&gate, "b"), "mail", &to("y"));
    world.refused(session(&gate, "b"), "mail", &to("x"));
}

#[test]
fn a_flushed_intent_comes_before_the_call_runs() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"durability": "disk"}));
    let id = world.id();
    let a = session(&gate, "a");
    let answer = gate.before(&call(a, "mail", Some(&id)), &alice(), &world.now);
    let Answer::Wait(ticket) = answer else { panic!("{answer:?}") };
    // Visible to others before it is durable: nobody overtakes it.
    let other = world.gate("mira");
    assert!(matches!(world.try_call(session(&other, "b"), "mail", &alice()).1, Answer::Refuse(_)));
    assert_eq!(gate.finish(ticket, &world.now), Answer::Proceed);
}

#[test]
fn a_verdict_the_host_can_not_wait_for_is_closed_as_refused() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"durability": "disk"}));
    let id = world.id();
    let answer = gate.before(&call(session(&gate, "a"), "mail", Some(&id)), &alice(), &world.now);
    let Answer::Wait(ticket) = answer else { panic!("{answer:?}") };
    let given_up = gate.abandon(ticket, GivenUp::Late, &world.now);
    assert!(
        matches!(&given_up, Answer::Refuse(text) if text.contains("did not answer in time")),
        "{given_up:?}"
    );
    let _ = gate.finish(ticket, &world.now);
    gate.forget(ticket);
    world.after(session(&gate, "a"), "mail", &id, Ended::Refused, None);
    // What waits is written with the next hold of the guard.
    world.done(session(&gate, "b"), "mail", &alice());
    let expected = [("a", "intercept"), ("a", "refused"), ("b", "intercept"), ("b", "complete")];
    assert_eq!(world.story(&gate), rows(&expected));
}

#[test]
fn a_hook_that_gives_up_while_the_disk_is_stuck_leaves_no_intent_open() {
    for with_id in [true, false] {
        let mut world = World::new();
        let gate = world.gate_with("doug", &json!({"durability": "disk"}));
        let id = with_id.then(|| world.id());
        let answer = gate.before(&call(session(&gate, "a"), "pay", id.as_deref()), &alice(), &world.now);
        let Answer::Wait(ticket) = answer else { panic!("{answer:?}") };
        // No worker ever comes back from the disk; the process ends.
        assert!(matches!(gate.abandon(ticket, GivenUp::Late, &world.now), Answer::Refuse(_)));
        gate.settle(std::time::Instant::now(), &world.now);
        let other = world.gate("mira");
        world.done(session(&other, "b"), "pay", &alice());
    }
}
