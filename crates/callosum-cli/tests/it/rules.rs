//! `callosum rules suggest`: what it prints, and what it does to a rules file.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use callosum_core::rules::lint::lint;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A state whose journal says that these were seen.
fn state(seen: &[(&str, u64)]) -> TempDir {
    let state = tempfile::tempdir().unwrap();
    let seen: serde_json::Map<String, Value> = seen
        .iter()
        .map(|(name, count)| ((*name).to_owned(), json!({"before": count, "after": count})))
        .collect();
    let at = callosum_core::model::time::to_rfc3339(callosum_core::machine::Machine::read().now().wall_ms);
    let record = json!({"v": 1, "action": "seen", "timestamp": at, "instance": "home", "runtime": "codex", "seen": seen});
    fs::write(state.path().join("journal.jsonl"), format!("{record}\n")).unwrap();
    state
}

fn callosum(state: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_callosum")).args(args).env("CALLOSUM_STATE_DIR", state).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn suggested(state: &Path) -> Value {
    serde_json::from_str(&text(&callosum(state, &["rules", "suggest", "--json"]))).unwrap()
}

#[test]
fn rules_are_printed_and_only_written_when_asked() {
    let state = state(&[("acme__triggerIt", 3), ("acme__look", 1), ("$ acme deploy", 2), ("exec", 9)]);
    let state = state.path();
    let printed = text(&callosum(state, &["rules", "suggest"]));
    assert!(
        printed.contains(r#""tool": "acme__triggerIt""#) && printed.contains(r#""command": "acme deploy""#),
        "{printed}"
    );
    assert!(!printed.contains("acme__look"), "{printed}");
    let path = state.join("tiers.json");
    assert!(!path.exists());
    let answer = suggested(state);
    assert_eq!((&answer["written"], &answer["skipped"]), (&json!(false), &json!(0)));

    let written = text(&callosum(state, &["rules", "suggest", "--write"]));
    assert!(
        written.starts_with("Added 2 rules to ") && written.contains("seen-acme-deploy  for acme deploy"),
        "{written}"
    );
    let rules = fs::read_to_string(&path).unwrap();
    let found = lint(&rules);
    assert!(found.errors.is_empty() && found.warnings.is_empty() && found.rule_count > 100, "{found:?}");
    // Each observes, and a second run finds nothing to add.
    let parsed: Value = serde_json::from_str(&rules).unwrap();
    assert!(parsed["rules"].as_array().unwrap().iter().all(|rule| rule["mode"] == "observe"), "{rules}");
    let again = text(&callosum(state, &["rules", "suggest", "--write"]));
    assert!(again.starts_with("Nothing to suggest"), "{again}");
    assert_eq!(fs::read_to_string(&path).unwrap(), rules);
    let explained = text(&callosum(state, &["explain", "exec", "acme deploy web"]));
    assert!(explained.contains("acme:deploy:web"), "{explained}");
}

#[test]
fn what_is_in_the_file_stays_as_it_is() {
    let state = state(&[("acme__triggerIt", 3)]);
    let path = state.path().join("tiers.json");
    let own = "{\n    \"extends\": \"default\",\n    \"rules\": [\n        { \"name\": \"seen-acme-trigger-it\",   \"tier\": 1, \"tool\": \"other\" }\n    ]\n}\n";
    fs::write(&path, own).unwrap();
    text(&callosum(state.path(), &["rules", "suggest", "--write"]));
    let longer = fs::read_to_string(&path).unwrap();
    let kept = own.strip_suffix("\n    ]\n}\n").unwrap();
    assert!(
        longer
            .starts_with(&format!("{kept},\n        {{\n            \"name\": \"seen-acme-trigger-it-2\",")),
        "{longer}"
    );
    assert!(longer.ends_with("\n    ]\n}\n"), "{longer}");
}

#[test]
fn a_file_that_can_not_be_used_is_left_alone() {
    let state = state(&[("acme__triggerIt", 3)]);
    let path = state.path().join("tiers.json");
    fs::write(&path, "{ \"rules\": [ }").unwrap();
    let output = callosum(state.path(), &["rules", "suggest", "--write"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("callosum check"), "{output:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ \"rules\": [ }");
}

/// Agents and servers call a tool whatever they like.
#[test]
fn names_that_would_mean_something_else_get_no_rule() {
    let state = state(&[
        ("trigger_*", 1),
        ("trigger_{x}", 1),
        ("trigger \"}, {\"", 1),
        ("trigger\u{1b}[2J", 1),
        ("$ * deploy", 1),
        ("rent_me", 1),
    ]);
    let answer = suggested(state.path());
    assert_eq!(answer["skipped"], 5, "{answer}");
    let tools: Vec<&str> =
        answer["rules"].as_array().unwrap().iter().map(|rule| rule["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["rent_me"]);
    assert_eq!(answer["rules"][0]["tier"], 4);
    let printed = callosum(state.path(), &["rules", "suggest"]);
    assert!(text(&printed).contains("Left out: 5 names"), "{printed:?}");
    assert!(!printed.stdout.contains(&0x1b));
    assert!(!callosum(state.path(), &["status"]).stdout.contains(&0x1b));
}
