//! What the command line tells of calls, and of a time in which they are only watched.

use std::fs;

use serde_json::{Value, json};

use crate::command_line::{ago, lines, record, run, run_json, state_dir, story};

#[test]
fn a_call_is_one_line_with_how_it_ended_and_how_long_it_took() {
    let mut start = record("intercept", "ann", "email:ann@example.com", json!({"tier": 3}));
    let start_at = ago(100);
    start["timestamp"] = json!(start_at);
    let mut end = record("complete", "ann", "email:ann@example.com", json!({"of": [0], "exitCode": 0}));
    end["timestamp"] = json!(ago(40));
    let other = record("intercept", "bob", "email:bob@example.com", json!({"tier": 3}));
    let seen = json!({"v": 1, "action": "seen", "timestamp": ago(1), "instance": "i", "seen": {}});
    let state = state_dir(&lines(&[start, other, end, seen]));
    let shown = |args: &[&str]| run(state.path(), &[&["log"], args].concat()).1;
    let (joined, all) = (shown(&[]), shown(&["--all"]));
    let told: Vec<&str> = joined.lines().collect();
    assert_eq!((told.len(), all.lines().count()), (2, 3), "{joined}{all}");
    assert!(told[0].starts_with("1m ago") && told[0].contains("complete"), "{joined}");
    assert!(told[0].ends_with("after 1m; exit 0"), "{joined}");
    assert!(told[1].contains("started"), "{joined}");
    assert_eq!(shown(&["--records"]).lines().count(), 3);
    // The day's time is there for who wants it. Seconds are the same in every time zone.
    let clock = shown(&["--time"]);
    let seconds = start_at.get(16..19).unwrap();
    assert!(clock.lines().next().unwrap().split_once("  ").unwrap().0.ends_with(seconds), "{clock}");
}

#[test]
fn what_is_looked_for_in_the_journal_may_be_part_of_a_name_or_several_tiers_but_no_unknown_word() {
    let record = |session: &str, tier: u8| record("intercept", session, "file:/a", json!({"tier": tier}));
    let state = state_dir(&lines(&[
        record("3858aa11-0000", 1),
        record("agent:main:3858bb", 2),
        record("agent:main:0003858", 3),
        record("ann", 4),
    ]));
    let count = |args: &[&str]| run(state.path(), &[&["journal"], args].concat()).1.lines().count();
    assert_eq!(count(&["--session", "3858"]), 2);
    assert_eq!(count(&["--session", "agent:main"]), 2);
    for (tiers, found) in [("3", 1), ("3..", 2), ("..1", 1), ("1..2", 2), ("1,4", 2)] {
        assert_eq!(count(&["--tier", tiers]), found, "{tiers}");
    }
    assert_eq!((count(&["--text", "ANN"]), count(&["--until", "1h"])), (1, 1));
    for (args, told) in [
        (["--action", "blcoked"], "did you mean `blocked`?"),
        (["--action", "dreamt"], "the journal has"),
        (["--tier", "5"], "such as `3`, `3..`, `2..3` or `3,4`"),
        (["--until", "soon"], "`soon` is not a time"),
    ] {
        let (code, stdout, stderr) = run(state.path(), &[&["journal"][..], &args].concat());
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(stderr.contains(told), "{args:?}: {stderr}");
    }
}

#[test]
fn explain_knows_the_names_of_every_runtime_and_says_what_was_probably_meant() {
    let state = state_dir(&[]);
    let explain = |words: &[&str]| run(state.path(), &[&["explain"], words].concat());
    let push = explain(&["exec", "git push origin main"]).1;
    assert!(push.starts_with("Tier 3"), "{push}");
    for tool in ["Bash", "run_shell_command", "bash"] {
        let told = explain(&[tool, "git push origin main"]).1;
        assert!(told.starts_with("Tier 3") && told.lines().last() == push.lines().last(), "{tool}: {told}");
    }
    let (code, stdout, stderr) = explain(&["exce", "git push"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("did you mean `exec`?"), "{stderr}");
    let (code, stdout, _) = explain(&["exce", "{\"command\":\"git push\"}"]);
    assert!(code == Some(0) && stdout.contains("no rule covers") && stdout.contains("`exec`?"), "{stdout}");
    let (_, document) = run_json(state.path(), &["explain", "exce", "{}", "--json"]);
    assert_eq!((&document["didYouMean"], &document["verdict"]), (&json!("exec"), &json!("allow")));
    let (_, document) = run_json(state.path(), &["explain", "acme__do_it", "{}", "--json"]);
    assert_eq!(document.get("didYouMean"), None);
}

#[test]
fn a_time_of_watching_begins_and_ends_for_all_that_use_the_rules_file() {
    let state = story();
    let verdict = || {
        let mail = ["explain", "exec", "gog gmail send --to ann@example.com --body x", "--json"];
        run_json(state.path(), &mail).1["verdict"].clone()
    };
    let status = || run_json(state.path(), &["status", "--json"]).1;
    assert_eq!(verdict(), json!("pause"));
    // Without a file of one's own rules one is begun, and nothing of it but that stays.
    let (code, told, _) = run(state.path(), &["observe", "on"]);
    assert!(code == Some(0) && told.starts_with("Only observing: nothing is stopped"), "{told}");
    assert_eq!(
        (verdict(), &status()["mode"], &status()["observedBy"]),
        (json!("observe"), &json!("observe"), &json!("rules"))
    );
    assert!(run(state.path(), &["status"]).1.contains("Only observing: nothing is stopped"));
    assert_eq!(run(state.path(), &["check"]).0, Some(0));
    let (code, told, _) = run(state.path(), &["observe", "off"]);
    assert!(code == Some(0) && told.contains("paused and blocked again"), "{told}");
    assert_eq!((verdict(), status().get("observedBy")), (json!("pause"), None));
    // What else stands in one stays as it is, to the byte; and twice is once.
    let own = "{\n    \"rules\": [\n        { \"name\": \"x\", \"tier\": 3, \"tool\": \"exec\" }   ],\n  \"extends\": \"default\" }";
    let file = state.path().join("tiers.json");
    fs::write(&file, own).unwrap();
    for words in ["on", "on"] {
        assert_eq!(run(state.path(), &["observe", words]).0, Some(0));
    }
    let changed = fs::read_to_string(&file).unwrap();
    assert_eq!(changed.matches("\"mode\": \"observe\"").count(), 1, "{changed}");
    assert_eq!(run(state.path(), &["observe", "off"]).0, Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), own);
    // A file that can't be used is not written over.
    fs::write(&file, "{").unwrap();
    let (code, _, stderr) = run(state.path(), &["observe", "on"]);
    assert!(code == Some(2) && stderr.contains("`callosum check`"), "{stderr}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
}

#[test]
fn a_time_of_watching_is_reported_by_rule_with_what_came_of_it() {
    let mail = |who: &str, digest: &str, more: Value| {
        let mut mail = record("intercept", who, "email:ann@example.com", more);
        mail["digest"] = json!(digest);
        mail["ruleName"] = json!("mail");
        mail
    };
    let seen = |seq: usize| json!({"observed": true, "conflict": "recent", "evidence": [{"seq": seq}]});
    let mut written: Vec<String> = Vec::new();
    // A record's number is where it begins.
    let mut write = |record: Value| {
        let seq: usize = written.iter().map(String::len).sum();
        written.extend(lines(&[record]));
        seq
    };
    let end = |action: &str, who: &str, of: usize| {
        record(action, who, "email:ann@example.com", json!({"of": [of]}))
    };
    let first = write(mail("ann", "same", json!({})));
    write(end("complete", "ann", first));
    let second = write(mail("bob", "same", seen(first)));
    write(end("complete", "bob", second));
    let third = write(mail("cid", "other", seen(second)));
    write(end("failed", "cid", third));
    let held = json!({"tier": 4, "ruleName": "pay", "observed": true, "conflict": "lease"});
    write(record("intercept", "cid", "payment:x", held));
    write(record("intercept", "cid", "file:/a", json!({"tier": 1})));
    write(record("blocked", "dan", "email:ann@example.com", json!({"conflict": "recent"})));
    let state = state_dir(&written);
    let (code, report) = run_json(state.path(), &["observe", "report", "--json"]);
    assert_eq!(code, Some(0));
    let of = |rule: usize, fields: &[&str]| -> Vec<Value> {
        fields.iter().map(|field| report["byRule"][rule][*field].clone()).collect()
    };
    let fields = ["ruleName", "wouldStop", "wouldBlock", "identical"];
    assert_eq!(of(0, &fields), [json!("mail"), json!(2), json!(0), json!(1)], "{report}");
    assert_eq!(
        of(0, &["ended", "keys"]),
        [json!({"complete": 1, "failed": 1, "unknown": 0}), json!(["email:ann@example.com"])]
    );
    assert_eq!(of(1, &fields), [json!("pay"), json!(1), json!(1), json!(0)], "{report}");
    let all: Vec<&Value> =
        ["calls", "guarded", "stopped", "wouldStop", "sessions"].map(|field| &report[field]).to_vec();
    assert_eq!(all, [5, 4, 1, 3, 2].map(|number| json!(number)).iter().collect::<Vec<_>>(), "{report}");
    let told = run(state.path(), &["observe", "report"]).1;
    assert!(told.contains("3 calls ran that would have been paused or blocked, in 2 sessions"), "{told}");
    // Nothing came since then, and nothing at all is in an empty journal.
    let none = run(state.path(), &["observe", "report", "--since", "1s"]).1;
    assert!(none.starts_with("The journal has no call."), "{none}");
    assert!(run(state_dir(&[]).path(), &["observe", "report"]).1.starts_with("The journal has no call."));
}
