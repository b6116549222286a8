//! Flushes that fail, and calls that their host gives up at the last moment.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
use serde_json::json;

use super::*;
use crate::gate::GateOptions;
use crate::gate::open_calls::Phase;
use crate::machine::Machine;
use crate::model::tool_call::ToolCall;
use crate::query::Source;
use crate::store::disk::{Disk, OpenMode, SystemDisk};
use crate::store::journal::segment_file::SegmentFile;

/// A file that can be opened and examined, but not flushed: `fdatasync` refuses what is on no disk.
fn unflushable() -> Arc<SegmentFile> {
    let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
    Arc::new(SegmentFile::open(&disk, "/proc/version".into(), OpenMode::Read).unwrap())
}

#[test]
fn a_flush_that_failed_once_never_succeeds_again() {
    let file = unflushable();
    assert_eq!(file.flush(1).unwrap_err().code(), "io");
    assert_eq!(file.flush(1).unwrap_err().code(), "flush-failed");
}

#[test]
fn an_intent_whose_flush_failed_is_closed_as_refused_and_the_call_goes_by_the_policy() {
    for (policy, refused, rows) in [("tiered", true, 2), ("open", false, 1)] {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(
            directory.path().join("tiers.json"),
            r#"{"rules":[{"name":"mail","tier":3,"tool":"mail","contextKey":"email:alice"}]}"#,
        )
        .unwrap();
        let settings = json!({"stateDir": directory.path(), "onStateError": policy});
        let gate = Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() });
        let now = Machine::read().now();
        let call = ToolCall {
            tool: "mail".to_owned(),
            session: "a".to_owned(),
            run: Some("run".to_owned()),
            call: Some("1".to_owned()),
            ..ToolCall::default()
        };
        let Answer::Wait(ticket) = gate.before(&call, &json!({}), &now) else { panic!("no flush") };
        if let Some(Work::FlushIntent { unflushed, .. }) =
            &mut lock(&gate.works).entries.get_mut(&ticket).unwrap().work
        {
            unflushed.file = unflushable();
        }
        let answer = gate.finish(ticket, &now);
        assert_eq!(matches!(answer, Answer::Refuse(_)), refused, "{policy}: {answer:?}");
        // The hook fires again: the same answer, though a second flush would not fail.
        let again = gate.before(&call, &json!({}), &now);
        if refused {
            assert_eq!(again, answer);
        }
        let records = gate.journal(&crate::query::Filter::default(), &now).unwrap().entries;
        let actions: Vec<&str> = records
            .iter()
            .filter(|record| record.get("session").is_some())
            .filter_map(|record| record.get("action")?.as_str())
            .collect();
        assert_eq!(actions, ["intercept", "refused"].get(..rows).unwrap(), "{policy}");
        assert!(gate.take_notices().iter().any(|notice| notice.text.contains("can't flush")));
    }
}

/// Between its worker's last look and the worker's answer the host gives a call up.
#[test]
fn a_call_given_up_at_the_last_moment_is_closed_with_the_words_that_the_host_used() {
    for id in [Some("1"), None] {
        let directory = tempfile::tempdir().unwrap();
        let settings = json!({"stateDir": directory.path(), "onStateError": "closed", "durability": "os"});
        let gate = Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() });
        let now = gate.machine().now();
        let call = ToolCall {
            tool: "exec".to_owned(),
            session: "a".to_owned(),
            run: Some("run".to_owned()),
            call: id.map(str::to_owned),
            ..ToolCall::default()
        };
        let params = json!({"command": "gog gmail send --to alice@example.com --subject a --body b"});
        let mut intent = gate.intent(&call, gate.classify(&call, &params, &now), &params);
        let _ = lock(&gate.light).calls.note(&mut intent, Phase::Deciding(None), &now);
        let Answer::Wait(ticket) = gate.later(Work::Begin(Arc::new(intent))) else { panic!("no ticket") };
        let Taken::Work(work, course) = gate.take(ticket, gate.patience()) else { panic!("no work") };
        let decided = gate.perform(work, gate.patience(), &course, &now);
        assert_eq!(decided, Answer::Proceed);
        let told = Answer::Refuse("the host's words".to_owned());
        course.told.set(told.clone()).unwrap();
        assert_eq!(gate.conclude(ticket, decided, &now), told);
        if id.is_some() {
            assert_eq!(gate.before(&call, &params, &now), told, "its hook fires again");
        }
        let records = gate.journal(&crate::query::Filter::default(), &now).unwrap().entries;
        let of_call: Vec<_> = records.iter().filter(|record| record.get("session").is_some()).collect();
        let [start, end] = of_call.as_slice() else { panic!("{of_call:?}") };
        assert_eq!((&start["action"], &end["action"]), (&json!("intercept"), &json!("refused")));
        assert_eq!(end["of"], json!([start["seq"]]));
    }
}

/// A retry goes by the pause that stands in the journal: whoever gives the call up once that may stand there tells its text.
#[test]
fn a_pause_that_is_written_is_what_a_host_is_told_that_gives_the_call_up() {
    let directory = tempfile::tempdir().unwrap();
    let settings = json!({"stateDir": directory.path(), "durability": "os"});
    let gate = Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() });
    let now = gate.machine().now();
    let params = json!({"command": "gog gmail send --to alice@example.com --subject a --body b"});
    let call = |session: &str| ToolCall {
        tool: "exec".to_owned(),
        session: session.to_owned(),
        run: Some(format!("run-{session}")),
        call: Some("1".to_owned()),
        ..ToolCall::default()
    };
    assert_eq!(gate.before(&call("a"), &params, &now), Answer::Proceed);
    let paused = call("b");
    let mut intent = gate.intent(&paused, gate.classify(&paused, &params, &now), &params);
    let _ = lock(&gate.light).calls.note(&mut intent, Phase::Deciding(None), &now);
    let Answer::Wait(ticket) = gate.later(Work::Begin(Arc::new(intent))) else { panic!("no ticket") };
    let Taken::Work(work, course) = gate.take(ticket, gate.patience()) else { panic!("no work") };
    let decided = gate.perform(work, gate.patience(), &course, &now);
    assert!(matches!(&decided, Answer::Refuse(text) if text.contains("alice@example.com")), "{decided:?}");
    // Its worker has not answered yet.
    assert_eq!(gate.abandon(ticket, GivenUp::Late, &now), decided);
    assert_eq!(gate.conclude(ticket, decided.clone(), &now), decided);
    let records = gate.journal(&crate::query::Filter::default(), &now).unwrap().entries;
    let last = records.last().and_then(|record| record["action"].as_str());
    assert_eq!(last, Some("blocked"));
}

/// By the shipped rules nobody guards it, and the host lets it run; only then are the operator's rules there.
#[test]
fn a_call_that_its_host_let_run_by_the_shipped_rules_does_not_stand_as_refused() {
    let directory = tempfile::tempdir().unwrap();
    let rules = r#"{"rules":[{"name":"own","tier":3,"tool":"own_tool","contextKey":"own:1"}]}"#;
    std::fs::write(directory.path().join("tiers.json"), rules).unwrap();
    let settings = json!({"stateDir": directory.path(), "durability": "os"});
    let gate = Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() });
    let now = gate.machine().now();
    let call = ToolCall { tool: "own_tool".to_owned(), session: "a".to_owned(), ..ToolCall::default() };
    let shipped = Classification::default();
    let Answer::Wait(ticket) = gate.classify_later(&call, &json!({}), shipped) else { panic!("no ticket") };
    let Taken::Work(work, course) = gate.take(ticket, gate.patience()) else { panic!("no work") };
    assert_eq!(gate.abandon(ticket, GivenUp::Late, &now), Answer::Proceed);
    let decided = gate.perform(work, gate.patience(), &course, &now);
    assert_eq!(gate.conclude(ticket, decided, &now), Answer::Proceed);
    let records = gate.journal(&crate::query::Filter::default(), &now).unwrap().entries;
    let of_call: Vec<_> = records.iter().filter(|record| record.get("session").is_some()).collect();
    let actions: Vec<_> = of_call.iter().map(|record| (&record["action"], &record["tier"])).collect();
    assert_eq!(actions, [(&json!("intercept"), &json!(3))]);
}
