//! What a host does with a call between the look at it and its line.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
use serde_json::{Value, json};

use super::*;
use crate::gate::GateOptions;
use crate::model::tool_call::ToolCall;
use crate::query::{Filter, Source};

const WORDS: &str = "the host's words";

fn gate(directory: &tempfile::TempDir, more: &Value) -> Gate {
    let mut settings = json!({"stateDir": directory.path(), "durability": "os"});
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() })
}

fn mail() -> Value {
    json!({"command": "gog gmail send --to alice@example.com --subject a --body b"})
}

fn call(session: &str) -> ToolCall {
    ToolCall { tool: "exec".to_owned(), session: session.to_owned(), ..ToolCall::default() }
}

/// Decides about a second session's mail; after the plan `meanwhile` is done.
fn committed(gate: &Gate, meanwhile: impl FnOnce(&Course)) -> Committed {
    let (now, params) = (gate.machine().now(), mail());
    assert_eq!(gate.before(&call("a"), &params, &now), Answer::Proceed);
    let paused = call("b");
    let mut intent = gate.intent(&paused, gate.classify(&paused, &params, &now), &params);
    let (keys, who, course) = (intent.all_keys(), intent.who(), Course::default());
    let needs = Needs { keys: &keys, who: Some(&who), now, ..Needs::default() };
    let committed = gate.with_ledger(&needs, Patience::None, Check::All, &now, |ledger, proof| {
        let plan = gate.plan(&intent, (&who, &keys), HostState::Waits, ledger.history(), &now);
        assert!(matches!(plan, Plan::Refuse(_)), "{plan:?}");
        meanwhile(&course);
        let announced = gate.announce(plan, &intent, (&who, &keys), &course, ledger.history(), &now);
        gate.commit(announced, &mut intent, &course, ledger, &proof, &now)
    });
    committed.unwrap_or_else(|_| panic!("nothing was committed"))
}

/// The last line of a session.
fn last(gate: &Gate) -> Value {
    let entries = gate.journal(&Filter::default(), &gate.machine().now()).unwrap().entries;
    let of_session = entries.iter().rfind(|record| record.get("session").is_some());
    serde_json::to_value(of_session.unwrap()).unwrap()
}

#[test]
fn no_pause_is_written_of_a_call_that_its_host_has_refused_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let gate = gate(&directory, &json!({}));
    let committed = committed(&gate, |course| {
        course.give_up(|| Answer::Refuse(WORDS.to_owned()));
    });
    assert!(matches!(committed, Committed::HostRefusal(text) if text == WORDS));
    assert_eq!(last(&gate)["action"], "refused");
}

/// It was shown no evidence: what it did is evidence for others, and no answer to any.
#[test]
fn no_pause_is_written_of_a_call_that_its_host_has_let_run_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let gate = gate(&directory, &json!({}));
    let committed = committed(&gate, |course| {
        course.give_up(|| Answer::Proceed);
    });
    assert!(matches!(committed, Committed::Start(..)));
    let line = last(&gate);
    assert_eq!((&line["action"], &line["observed"]), (&json!("intercept"), &json!(true)));
}

/// By `onStateError` it would run.
#[test]
fn a_call_that_its_host_has_refused_stays_refused_where_nothing_can_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let gate = gate(&directory, &json!({"onStateError": "open"}));
    let (now, params) = (gate.machine().now(), mail());
    assert_eq!(gate.before(&call("a"), &params, &now), Answer::Proceed);
    let mut paused = call("b");
    (paused.run, paused.call) = (Some("run".to_owned()), Some("1".to_owned()));
    let mut intent = gate.intent(&paused, gate.classify(&paused, &params, &now), &params);
    let _ = lock(&gate.light).calls.note(&mut intent, Phase::Deciding(None), &now);
    let course = Course::default();
    assert!(matches!(course.promise(WORDS), Promise::Made));
    course.give_up(|| Answer::Proceed);
    // A file lies where the directory was.
    let away = directory.path().with_extension("away");
    std::fs::rename(directory.path(), &away).unwrap();
    std::fs::write(directory.path(), "").unwrap();
    let answer = gate.begin(Arc::new(intent), gate.patience(), &course, &now);
    std::fs::remove_file(directory.path()).unwrap();
    std::fs::rename(&away, directory.path()).unwrap();
    assert_eq!(answer, Answer::Refuse(WORDS.to_owned()));
    assert_eq!(gate.before(&paused, &params, &now), answer, "its hook fires again");
    gate.maintain(&now);
    assert_eq!(last(&gate)["action"], "refused");
}

/// A promise that is not kept is none.
#[test]
fn a_host_that_gives_up_after_a_failed_line_is_not_told_what_was_promised() {
    let course = Course::default();
    assert!(matches!(course.promise("a pause"), Promise::Made));
    course.withdraw();
    assert_eq!(*course.give_up(|| Answer::Refuse(WORDS.to_owned())), Answer::Refuse(WORDS.to_owned()));
    assert!(matches!(course.promise("a pause"), Promise::Refused(text) if text == WORDS));
}
