//! What becomes of a call that earlier actions speak against, as its rule wants it.

use callosum_core::gate::{Answer, Gate};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::{ExplainRequest, Source};
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

use crate::support::{Session, World, alice, call, rows, session};

/// A world whose rules for mail and payments want this.
fn world(on_conflict: &str, more: &Value) -> World {
    let world = World::new();
    let mut mail = json!({"name": "mail", "tier": 3, "tool": "mail", "contextKey": "email:{params.to}", "onConflict": on_conflict});
    mail.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let pay = json!({"name": "pay", "tier": 4, "tool": "pay", "contextKey": "email:{params.to}", "onConflict": on_conflict});
    let rules = json!({ "rules": [mail, pay] });
    std::fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    world
}

/// The before-hook of a call whose host can ask a person.
fn ask(world: &mut World, by: Session<'_>, tool: &str) -> (String, Answer) {
    let id = world.id();
    let asked = ToolCall { can_ask: true, ..call(by, tool, Some(&id)) };
    let answer = by.gate.before(&asked, &alice(), &world.now);
    (id, world.finish(by.gate, answer))
}

fn newest(world: &World, gate: &Gate) -> Value {
    world.records(gate).pop().unwrap()
}

fn verdict(gate: &Gate, world: &World, tool: &str) -> (String, String) {
    let asked = json!({"tool": tool, "params": alice()}).to_string();
    let explained = gate.explain(&ExplainRequest::read(&asked).unwrap(), &world.now).unwrap();
    (explained.verdict.to_owned(), explained.text.unwrap_or_default())
}

#[test]
fn a_rule_that_blocks_blocks_and_no_retry_helps_until_the_window_is_over() {
    let mut world = world("block", &json!({"recentWindowMs": 600_000}));
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(a, "mail", &alice());
    for _ in 0..3 {
        let text = world.refused(b, "mail", &alice());
        assert!(
            text.contains("was already acted on")
                && text.contains("by doug (test session a): mail, complete"),
            "{text}"
        );
        assert!(
            text.contains("A rule blocks this for 10m") && text.contains("a retry does not help"),
            "{text}"
        );
        assert!(!text.contains("retry. Otherwise"), "{text}");
        let record = newest(&world, &gate);
        assert_eq!(
            (&record["action"], &record["conflict"], &record["onConflict"]),
            (&json!("blocked"), &json!("recent"), &json!("block"))
        );
        assert_eq!(record["evidence"].as_array().unwrap().len(), 1);
        assert_eq!(record["signal"], Value::Null);
        assert_eq!(verdict(&gate, &world, "mail").0, "block");
    }
    // Its own session's too: the scope is any.
    world.refused(a, "mail", &alice());
    world.pass(600_000);
    world.done(b, "mail", &alice());
}

#[test]
fn a_rule_that_blocks_for_others_lets_a_session_repeat_itself() {
    let mut world = world("block", &json!({"scope": "otherSessions"}));
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(a, "mail", &alice());
    world.done(a, "mail", &alice());
    world.refused(b, "mail", &alice());
}

#[test]
fn what_is_only_noted_goes_through_with_a_warning_and_its_evidence_stands_in_the_journal() {
    let mut world = world("note", &json!({}));
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(a, "mail", &alice());
    let (noted, text) = verdict(&gate, &world, "mail");
    let (id, answer) = world.try_call(b, "mail", &alice());
    let Answer::Warn(warning) = &answer else { panic!("{answer:?}") };
    assert!(warning.starts_with("[Callosum] \"email:alice@example.com\" was already acted on"), "{warning}");
    assert!(warning.contains("by doug (test session a): mail, complete; parameters identical"), "{warning}");
    assert_eq!((noted.as_str(), &text), ("note", warning));
    let record = newest(&world, &gate);
    assert_eq!(
        (&record["action"], &record["conflict"], &record["onConflict"]),
        (&json!("intercept"), &json!("recent"), &json!("note"))
    );
    assert_eq!((record["evidence"].as_array().unwrap().len(), &record["observed"]), (1, &Value::Null));
    // A hook that fires twice is told the same, and nothing more is written.
    let lines = world.records(&gate).len();
    assert_eq!(world.before(b, "mail", &id, &alice()), answer);
    assert_eq!(world.records(&gate).len(), lines);
    world.after(b, "mail", &id, Ended::Ok, None);
    // Never paused, however often.
    assert!(matches!(world.try_call(b, "mail", &alice()).1, Answer::Warn(_)));
    let story = gate.why("email:alice@example.com", &world.now).unwrap().text(&str::to_owned);
    assert!(story.contains("which was only noted"), "{story}");
}

#[test]
fn a_lease_blocks_tier_4_whatever_the_rule_wants() {
    for wanted in ["pause", "ask", "block", "note"] {
        let mut world = world(wanted, &json!({}));
        let gate = world.gate("doug");
        let (a, b) = (session(&gate, "a"), session(&gate, "b"));
        assert_eq!(world.try_call(a, "pay", &alice()).1, Answer::Proceed);
        let (_, answer) = ask(&mut world, b, "pay");
        let Answer::Refuse(text) = answer else { panic!("{wanted}: {answer:?}") };
        assert!(text.contains("is held by another call"), "{text}");
        let record = newest(&world, &gate);
        assert_eq!((&record["conflict"], &record["onConflict"]), (&json!("lease"), &Value::Null), "{wanted}");
    }
}

#[test]
fn a_person_who_is_asked_lets_a_call_through_once() {
    let mut world = world("ask", &json!({}));
    let gate = world.gate_with("doug", &json!({"durability": "disk"}));
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(a, "mail", &alice());
    assert_eq!(verdict(&gate, &world, "mail").0, "ask");
    let (id, answer) = ask(&mut world, b, "mail");
    let Answer::Ask(text) = &answer else { panic!("{answer:?}") };
    assert!(text.contains("was already acted on") && text.contains("session a"), "{text}");
    assert!(text.chars().count() <= 512, "{text}");
    let record = newest(&world, &gate);
    assert_eq!(
        (&record["action"], &record["conflict"], &record["onConflict"]),
        (&json!("intercept"), &json!("recent"), &json!("ask"))
    );
    assert_eq!(record["evidence"].as_array().unwrap().len(), 1);
    // It may run at any moment: others see it in flight, and say what it waits for.
    let (_, other) = ask(&mut world, session(&gate, "c"), "mail");
    let Answer::Ask(other) = other else { panic!("{other:?}") };
    assert!(other.contains("is being acted on") && other.contains("a person is asked about it"), "{other}");
    // While they think it over, the lease does not run out.
    world.pass(350_000);
    assert_eq!(gate.status(&world.now).leases.iter().filter(|lease| lease.session == "b").count(), 1);
    world.after(b, "mail", &id, Ended::Ok, None);
    // What it was allowed to do is news for the next time.
    assert!(matches!(ask(&mut world, b, "mail").1, Answer::Ask(_)));
}

#[test]
fn a_call_that_a_person_does_not_allow_leaves_one_true_outcome_and_is_no_evidence() {
    let mut world = world("ask", &json!({"recentWindowMs": 60_000}));
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(a, "mail", &alice());
    let (id, answer) = ask(&mut world, b, "mail");
    assert!(matches!(answer, Answer::Ask(_)), "{answer:?}");
    world.after(b, "mail", &id, Ended::Refused, None);
    let record = newest(&world, &gate);
    assert_eq!(record["action"], "refused");
    assert_eq!(record["reason"], "it was left to a person, and nobody allowed it");
    assert_eq!(
        world.story(&gate),
        rows(&[("a", "intercept"), ("a", "complete"), ("b", "intercept"), ("b", "refused")])
    );
    let story = gate.why("email:alice@example.com", &world.now).unwrap().text(&str::to_owned);
    assert!(story.contains("a person was asked over 1."), "{story}");
    world.pass(60_001);
    assert_eq!(ask(&mut world, a, "mail").1, Answer::Proceed);
}

#[test]
fn a_question_without_an_answer_is_said_to_be_one() {
    let mut world = world("ask", &json!({}));
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    assert!(matches!(ask(&mut world, session(&gate, "b"), "mail").1, Answer::Ask(_)));
    world.pass(500_000);
    let text = world.refused(session(&gate, "c"), "mail", &alice());
    assert!(
        text.contains("a person was asked about it and no outcome came: not allowed, or unknown"),
        "{text}"
    );
}

#[test]
fn where_nobody_can_be_asked_a_call_is_paused_and_its_retry_goes_through() {
    let mut world = world("ask", &json!({}));
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    world.done(a, "mail", &alice());
    let text = world.refused(b, "mail", &alice());
    assert!(text.ends_with("If this is intentionally different, retry. Otherwise, skip it."), "{text}");
    assert_eq!(newest(&world, &gate)["onConflict"], Value::Null);
    world.done(b, "mail", &alice());
}

#[test]
fn what_is_only_observed_asks_and_blocks_nobody_and_says_what_would_have_been() {
    for wanted in ["ask", "block"] {
        let mut world = world(wanted, &json!({"mode": "observe"}));
        let gate = world.gate("doug");
        world.done(session(&gate, "a"), "mail", &alice());
        assert_eq!(verdict(&gate, &world, "mail").0, "observe", "{wanted}");
        assert_eq!(ask(&mut world, session(&gate, "b"), "mail").1, Answer::Proceed, "{wanted}");
        let record = newest(&world, &gate);
        assert_eq!((&record["observed"], &record["onConflict"]), (&json!(true), &json!(wanted)), "{wanted}");
    }
}

#[test]
fn of_several_rules_for_one_line_the_strictest_wish_holds() {
    let mut world = World::new();
    let rules = json!({"rules": [
        {"name": "noted", "tier": 4, "tool": "exec", "command": "acme note", "contextKey": "n", "onConflict": "note"},
        {"name": "blocked", "tier": 3, "tool": "exec", "command": "acme block", "contextKey": "b", "onConflict": "block"},
        {"name": "rest", "tier": 0, "tool": "exec", "command": "cd"},
    ]});
    std::fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    let gate = world.gate("doug");
    let (a, b) = (session(&gate, "a"), session(&gate, "b"));
    let line = |line: &str| json!({ "command": line });
    world.done(a, "exec", &line("acme block"));
    world.done(a, "exec", &line("cd x && acme note"));
    assert!(matches!(world.try_call(b, "exec", &line("cd x && acme note")).1, Answer::Warn(_)));
    let text = world.refused(b, "exec", &line("acme block; cd y"));
    assert!(text.contains("A rule blocks this"), "{text}");
    world.refused(b, "exec", &line("acme note && acme block"));
}
