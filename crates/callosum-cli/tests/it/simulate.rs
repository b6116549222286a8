//! `callosum simulate` as a user runs it: on a journal of 100,000 lines, on rules that can't be used, on hostile text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use callosum_core::model::tier::Tier;
use callosum_core::model::time::Stamp;
use callosum_core::record::light::LightLine;
use callosum_core::record::{Action, Record};
use serde_json::{Value, json};
use tempfile::TempDir;

fn run(state_dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
    command.args(args).env("CALLOSUM_STATE_DIR", state_dir).env("TZ", "UTC");
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// A folder with a state directory, whose rules have chat messages on tier 2, and a rules file to try.
struct Bench {
    folder: TempDir,
}

const RULES: &str = r#"{"rules":[
  {"name":"chat","tier":2,"tool":"message","contextKey":"channel:{params.target}"},
  {"name":"shell","tier":1,"tool":"exec"},
  {"name":"mail","tier":3,"tool":"mail","contextKey":"email:{params.to}"}
]}"#;

impl Bench {
    fn new(journal: &[u8], tried: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("state")).unwrap();
        let bench = Self { folder };
        fs::write(bench.state().join("tiers.json"), RULES).unwrap();
        fs::write(bench.state().join("journal.jsonl"), journal).unwrap();
        fs::write(bench.tried(), tried).unwrap();
        bench
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn tried(&self) -> PathBuf {
        self.folder.path().join("new.json")
    }

    fn simulate(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let tried = self.tried();
        run(&self.state(), &[&["simulate", tried.to_str().unwrap()], more].concat())
    }
}

const START_MS: i64 = 1_767_225_600_000;

fn at(seconds: i64) -> Stamp {
    Stamp { wall_ms: START_MS + seconds * 1000, up_ms: 0, boot: None }
}

/// A message, and how it ended.
fn message(journal: &mut Vec<u8>, session: &str, target: &str, at: &Stamp) {
    let mut start = Record::new(Action::Intercept, "gateway", at);
    start.tier = Some(Tier::Medium);
    start.runtime = Some("openclaw".to_owned());
    start.session = Some(session.to_owned());
    start.tool = Some("message".to_owned());
    start.rule_name = Some("chat".to_owned());
    start.context_keys = vec![format!("channel:{target}")];
    start.params = Some(json!({"message": "very long…", "target": target}).to_string());
    let mut end = Record::new(Action::Complete, "gateway", at);
    end.session.clone_from(&start.session);
    end.of = vec![journal.len() as u64];
    journal.extend(start.to_line().unwrap());
    journal.extend(end.to_line().unwrap());
}

/// A month of 100,000 lines: mostly commands, and 2,000 messages, of which each second one goes from another
/// session to the same channel ten minutes later.
fn month() -> Vec<u8> {
    let mut journal = Vec::new();
    let mut lines = 0;
    for round in 0..1_000_i64 {
        for (session, minutes) in [("ann", 0), ("bob", 10)] {
            message(&mut journal, session, &format!("c{round}"), &at(round * 2_592 + minutes * 60));
            for second in 0..48 {
                let now = at(round * 2_592 + minutes * 60 + second);
                let mut line = LightLine::at(&now);
                line.tier = Tier::Low;
                (line.instance, line.runtime) = ("gateway", "openclaw");
                (line.session, line.tool, line.rule_name) = (session, "exec", Some("shell"));
                journal.extend(line.to_bytes().unwrap());
            }
            lines += 50;
        }
    }
    assert_eq!(lines, 100_000);
    journal
}

#[test]
fn a_journal_of_100_000_lines_under_stricter_rules() {
    let tried = RULES.replace(r#""name":"chat","tier":2"#, r#""name":"chat","tier":3"#);
    let bench = Bench::new(&month(), &tried);
    let (code, stdout, stderr) = bench.simulate(&["--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert_eq!((&report["calls"], &report["judged"]), (&json!(98_000), &json!(98_000)));
    assert_eq!((&report["before"]["paused"], &report["after"]["paused"]), (&json!(0), &json!(1_000)));
    assert_eq!(
        (&report["changedCalls"], report["changed"].as_array().unwrap().len()),
        (&json!(1_000), 1_000)
    );
    let last = report["changed"].as_array().unwrap().last().unwrap();
    assert_eq!(
        last,
        &json!({"at": "2026-01-30T23:26:48.000Z", "session": "bob", "instance": "gateway", "tool": "message",
            "contextKeys": ["channel:c999"], "ruleBefore": "chat", "ruleAfter": "chat", "before": "allow",
            "after": "pause"})
    );
    let chat = &report["rules"][0];
    assert_eq!(
        (&chat["ruleName"], &chat["calls"], &chat["tierBefore"], &chat["tierAfter"]),
        (&json!("chat"), &json!(2_000), &json!(2), &json!(3))
    );

    let (code, stdout, _) = bench.simulate(&[]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("After:  1000 paused, 0 blocked."), "{stdout}");
    assert!(stdout.contains("The newest calls that get a different verdict (980 more;"), "{stdout}");
    let rows: Vec<&str> = stdout.lines().filter(|line| line.contains("allow → pause")).collect();
    assert!(
        rows.len() == 20 && rows[19].contains("channel:c999") && rows[19].contains("bob (gateway)"),
        "{stdout}"
    );

    let (_, stdout, _) = bench.simulate(&["--json", "--since", "2026-01-30T23:00:00Z"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["calls"], &report["after"]["paused"]), (&json!(98), &json!(1)));
}

#[test]
fn what_the_journal_does_not_keep_is_said() {
    let tried = r#"{"rules":[
      {"name":"deploy","tier":3,"tool":"exec","command":"deploy","contextKey":"deploy"},
      {"name":"long","tier":3,"tool":"message","params":{"message":"x"},"contextKey":"long"},
      {"name":"chat","tier":2,"tool":"message","contextKey":"channel:{params.target}"},
      {"name":"shell","tier":1,"tool":"exec"}]}"#;
    let mut journal = month();
    journal.truncate(journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(49).unwrap().0 + 1);
    journal.extend(b"torn");
    journal.extend(b"\n");
    let bench = Bench::new(&journal, tried);
    let (_, stdout, _) = bench.simulate(&[]);
    assert!(stdout.contains("Of those judged, 1 kept the rule that the journal names"), "{stdout}");
    assert!(
        stdout.contains("Not judged: 48 calls.\n  48: the rules of one side ask for parameters"),
        "{stdout}"
    );
    assert!(stdout.contains("1 line of the journal can't be read"), "{stdout}");
    let (_, stdout, _) = bench.simulate(&["--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["notJudged"], &report["assumed"]), (&json!({"parameters": 48}), &json!(1)));
}

#[test]
fn it_says_when_the_rules_in_force_are_not_those_of_then() {
    let mut journal = Vec::new();
    message(&mut journal, "ann", "general", &at(0));
    let same = Bench::new(&journal, RULES).simulate(&[]).1;
    assert!(!same.contains("Then:"), "{same}");
    let mut paused = Record::new(Action::Blocked, "gateway", &at(60));
    paused.tier = Some(Tier::High);
    (paused.session, paused.tool) = (Some("bob".to_owned()), Some("message".to_owned()));
    paused.rule_name = Some("chat".to_owned());
    paused.params = Some(json!({"target": "general"}).to_string());
    journal.extend(paused.to_line().unwrap());
    let other = Bench::new(&journal, RULES).simulate(&[]).1;
    assert!(other.contains("Before: 0 paused, 0 blocked."), "{other}");
    assert!(other.contains("Then:   1 paused, 0 blocked, as recorded:"), "{other}");
}

#[test]
fn rules_that_cannot_be_used_exit_with_two_and_say_where() {
    for (text, says) in [
        (
            "{\n \"rules\": [\n  {\"name\": \"a\", \"tier\": 7, \"tool\": \"x\"}]}",
            "new.json:3:25: rule `a`: ",
        ),
        ("{", "new.json:1:1: "),
        ("{\"rules\": 1}", "new.json:1:11: "),
    ] {
        let (code, stdout, stderr) = Bench::new(b"", text).simulate(&[]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""));
        assert!(stderr.starts_with("callosum: ") && stderr.contains(says), "{stderr}");
    }
    let bench = Bench::new(b"", RULES);
    let (code, _, stderr) = run(&bench.state(), &["simulate", "/no/such.json"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("`/no/such.json` can't be read"), "{stderr}");
    let (code, _, stderr) = bench.simulate(&["--since", "yesterday"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("RFC 3339"), "{stderr}");
}

#[test]
fn it_leaves_no_trace_and_needs_no_journal() {
    let bench = Bench::new(b"", RULES);
    fs::remove_file(bench.state().join("journal.jsonl")).unwrap();
    let (code, stdout, _) = bench.simulate(&[]);
    assert_eq!(code, Some(0));
    assert!(stdout.starts_with("0 calls, 0 judged under the rules in force ("), "{stdout}");
    let names: BTreeSet<_> =
        fs::read_dir(bench.state()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, BTreeSet::from(["tiers.json".into()]));
}

#[test]
fn nothing_hostile_in_the_journal_reaches_the_terminal() {
    let mut journal = Vec::new();
    for (session, second) in [("ann", 0), ("bob\u{1b}[2J\u{202e}\nAfter: 0 paused", 60)] {
        message(&mut journal, session, "evil\u{1b}[31m", &at(second));
    }
    let tried = RULES.replace(r#""name":"chat","tier":2"#, r#""name":"chat","tier":3"#);
    let bench = Bench::new(&journal, &tried);
    let (_, stdout, _) = bench.simulate(&[]);
    assert!(stdout.contains("allow → pause"), "{stdout}");
    assert!(!stdout.contains(['\u{1b}', '\u{202e}']) && !stdout.contains("\nAfter: 0"), "{stdout}");
    let (_, stdout, _) = bench.simulate(&["--json"]);
    assert!(!stdout.contains(['\u{1b}', '\u{202e}']) && !stdout.contains("\\u001b"), "{stdout}");
}
