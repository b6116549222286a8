//! Which records are shown: by number, by project; what is said of a name that nobody has, of what is not there, and of what is on.

use serde_json::{Value, json};

use crate::command_line::{ago, lines, record, run, run_json, state_dir, story};

#[test]
fn so_many_calls_are_shown_as_were_asked_for() {
    let mut written: Vec<String> = Vec::new();
    for number in 0..5 {
        let key = format!("email:{number}@example.com");
        let start = written.concat().len();
        written.extend(lines(&[record("intercept", "ann", &key, json!({}))]));
        written.extend(lines(&[record("complete", "ann", &key, json!({"of": [start]}))]));
    }
    let state = state_dir(&written);
    let shown = |args: &[&str]| run(state.path(), &[&["journal", "-n", "2"], args].concat()).1;
    let calls = shown(&[]);
    assert_eq!(calls.lines().count(), 2, "{calls}");
    assert!(calls.contains("email:3@") && calls.contains("email:4@"), "{calls}");
    assert_eq!(calls.matches("complete").count(), 2, "{calls}");
    assert!(!shown(&["--records"]).contains("email:3@"));
}

#[test]
fn an_unknown_name_is_an_error_or_gets_a_suggestion() {
    let state = story();
    let (code, stdout, stderr) = run(state.path(), &["journal", "--runtime", "claud"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("no runtime is called `claud`; did you mean `claude-code`?"), "{stderr}");
    let (code, _, stderr) = run(state.path(), &["journal", "--project", "shop"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("no session of the journal worked on `shop`; `callosum sessions"), "{stderr}");
    for (args, meant) in [
        (["--tool", "exce"], "`--tool exec`"),
        (["--key", "email:anne@example.com"], "`--key email:ann@example.com`"),
        (["--session", "bbo"], "`--session bob`"),
        (["--instance", "gateway"], "`--instance gateway-1`"),
    ] {
        let (code, stdout, _) = run(state.path(), &[&["journal"], &args[..]].concat());
        assert_eq!(code, Some(0));
        assert!(stdout.ends_with(&format!("Did you mean {meant}?\n")), "{stdout}");
    }
}

#[test]
fn records_and_sessions_are_found_by_project() {
    let start = |session: &str, project: &str| {
        json!({
            "v": 1, "action": "session", "event": "start", "timestamp": ago(50), "instance": "studio", "runtime": "codex",
            "session": session, "place": { "cwd": project, "project": project },
        })
    };
    let state = state_dir(&lines(&[
        start("ann", "/home/me/shop"),
        start("bob", "/home/me/site"),
        record("intercept", "ann", "email:a@example.com", json!({})),
        record("intercept", "bob", "email:b@example.com", json!({})),
    ]));
    for project in ["shop", "/home/me/shop", "/home/me/shop/"] {
        let (_, found) = run_json(state.path(), &["journal", "--json", "--project", project]);
        let sessions: Vec<&Value> =
            found["entries"].as_array().unwrap().iter().map(|entry| &entry["session"]).collect();
        assert_eq!(sessions, ["ann", "ann"]);
        let (_, found) = run_json(state.path(), &["sessions", "--json", "--project", project]);
        assert_eq!(found["sessions"].as_array().unwrap().len(), 1);
    }
    let (_, _, stderr) = run(state.path(), &["journal", "--project", "sho"]);
    assert!(stderr.contains("did you mean `shop`?"), "{stderr}");
}

#[test]
fn the_status_tells_whether_sessions_work_together_and_how() {
    let state = story();
    let told = || run(state.path(), &["status"]).1;
    assert!(!told().contains("\nTeam "), "{}", told());
    assert_eq!(run_json(state.path(), &["status", "--json"]).1["team"], Value::Null);
    assert_eq!(run(state.path(), &["team", "on"]).0, Some(0));
    assert!(told().contains("\nTeam       on: sessions work together\n"), "{}", told());
    assert_eq!(run(state.path(), &["team", "on", "--trust", "codex", "--continue-on-request"]).0, Some(0));
    assert!(
        told().contains(", go on where a request waits; tasks count as accepted of codex\n"),
        "{}",
        told()
    );
    assert_eq!(
        run_json(state.path(), &["status", "--json"]).1["team"]["taskTrustedAgents"],
        json!(["codex"])
    );
}

#[test]
fn what_is_not_there_is_said_so_that_a_person_can_tell_why() {
    let state = story();
    assert_eq!(run(state.path(), &["team", "on"]).0, Some(0));
    for (args, expected) in [
        (&["task", "list"][..], "No task is open.\n"),
        (&["task", "list", "--state", "failed"], "No task is failed.\n"),
        (&["task", "ready"], "No task may be claimed now.\n"),
    ] {
        assert_eq!(run(state.path(), args).1, expected, "{args:?}");
    }
    let (code, _, why) = run(state.path(), &["journal", "--tier", "9"]);
    assert_eq!(code, Some(2));
    // The JSON that the option becomes, nobody has seen.
    assert!(why.contains("tiers from 0 to 4") && !why.contains("column"), "{why}");
}
