//! The `callosum` program as a user runs it: what it prints, how it exits, and that it leaves no trace.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use callosum_core::model::time::to_rfc3339;
use callosum_core::query::{QUESTIONS, Surface};
use serde_json::{Value, json};
use tempfile::TempDir;

fn callosum(state_dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
    command.args(args).env("CALLOSUM_STATE_DIR", state_dir).env("TZ", "UTC");
    command
}

pub(crate) fn run(state_dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = callosum(state_dir, args).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

pub(crate) fn run_json(state_dir: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let (code, stdout, _) = run(state_dir, args);
    (code, serde_json::from_str(&stdout).unwrap())
}

/// A moment `seconds` ago, as the journal writes it.
pub(crate) fn ago(seconds: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    to_rfc3339(i64::try_from(now.as_millis()).unwrap() - seconds * 1000)
}

/// A journaled call of a session on a key.
pub(crate) fn record(action: &str, session: &str, key: &str, more: Value) -> Value {
    let mut record = json!({
        "v": 1, "action": action, "tier": 3, "timestamp": ago(30), "instance": "gateway-1", "runtime": "openclaw",
        "session": session, "tool": "exec", "contextKeys": [key],
    });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

/// A state directory whose journal has these lines, written by hand: no guard, no index.
pub(crate) fn state_dir(lines: &[String]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("journal.jsonl"), lines.concat()).unwrap();
    directory
}

pub(crate) fn lines(records: &[Value]) -> Vec<String> {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Ann sent a mail, Bob was paused and then passed, Cid's failed.
pub(crate) fn story() -> TempDir {
    state_dir(&lines(&[
        json!({"v": 1, "action": "opened", "timestamp": ago(60), "instance": "gateway-1", "base": 0}),
        record("intercept", "ann", "email:ann@example.com", json!({"expiresAt": ago(-300)})),
        record(
            "blocked",
            "bob",
            "email:ann@example.com",
            json!({"conflict": "inFlight", "evidence": [{"seq": 1}]}),
        ),
        record("intercept", "cid", "email:cid@example.com", json!({"tier": 2, "call": "c1"})),
        record(
            "failed",
            "cid",
            "email:cid@example.com",
            json!({"tier": 2, "exitCode": 7, "reason": "the tool failed"}),
        ),
    ]))
}

/// Everything that a trace would change: names, contents, modes and times of a directory and its files.
fn traces(directory: &Path) -> BTreeMap<String, (Vec<u8>, u32, i64, i64)> {
    let look = |path: &Path, content: Vec<u8>| {
        let metadata = fs::metadata(path).unwrap();
        (content, metadata.mode(), metadata.mtime(), metadata.mtime_nsec())
    };
    let mut traces = BTreeMap::from([(".".to_owned(), look(directory, Vec::new()))]);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        traces.insert(path.display().to_string(), look(&path, fs::read(&path).unwrap()));
    }
    traces
}

#[test]
fn the_journal_reads_as_one_line_a_record() {
    let state = story();
    let (code, stdout, stderr) = run(state.path(), &["journal", "--all", "--records"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let shown: Vec<&str> = stdout.lines().collect();
    assert_eq!(shown.len(), 5, "{stdout}");
    let paused = shown[2];
    for part in ["bob", "exec", "paused", "tier 3", "email:ann@example.com", "being acted on"] {
        assert!(paused.contains(part), "{part} in {paused}");
    }
    assert!(shown[4].contains("exit 7; the tool failed"), "{stdout}");
}

/// What the journal says of itself has no session and no tool, and labels of several words: nothing of it is a quoted name.
#[test]
fn what_is_no_call_is_told_in_plain_words() {
    let own = |action: &str, more: Value| {
        let mut record = json!({"v": 1, "action": action, "timestamp": ago(30), "instance": "gateway-1"});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    };
    let state = state_dir(&lines(&[
        own("opened", json!({"base": 0})),
        own("rules", json!({"windowMs": 86_400_000})),
        own("seen", json!({"runtime": "openclaw", "seen": {"exec": {"before": 2, "after": 2}}})),
        own("of a newer version", json!({})),
    ]));
    let (code, stdout, _) = run(state.path(), &["journal", "--all"]);
    let told: Vec<&str> = stdout.lines().map(|line| line.split_once("  ").unwrap().1.trim()).collect();
    let expected =
        ["segment begun", "rules loaded          rules look 24h back", "hooks seen            exec 2/2"];
    assert_eq!((code, &told[..3]), (Some(0), &expected[..]), "{stdout}");
    assert_eq!(told[3], "\"of a newer version\"", "{stdout}");
}

#[test]
fn filters_and_limit_choose_and_json_has_the_records_as_they_stand() {
    let state = story();
    let entries = |args: &[&str]| -> Vec<Value> {
        let (code, answer) = run_json(state.path(), &[&["journal", "--json"], args].concat());
        assert_eq!(code, Some(0));
        answer["entries"].as_array().unwrap().clone()
    };
    assert_eq!(entries(&[]).len(), 5);
    let last = entries(&["-n", "1"]);
    assert_eq!(last.len(), 1);
    assert_eq!(last[0]["exitCode"], 7);
    assert!(last[0]["seq"].as_u64().unwrap() > 0);
    for (args, expected) in [
        (["--key", "email:ann@example.com"], 2),
        (["--session", "bob"], 1),
        (["--tool", "exec"], 4),
        (["--tier", "2"], 2),
        (["--action", "blocked"], 1),
        (["--action", "paused"], 1),
        (["--action", "started"], 2),
        (["--action", "intercept"], 2),
        (["--since", "2999-01-01T00:00:00Z"], 0),
        (["--since", "0"], 5),
    ] {
        assert_eq!(entries(&args).len(), expected, "{args:?}");
    }
    let (code, stdout, _) = run(state.path(), &["journal", "--session", "nobody"]);
    assert_eq!(code, Some(0));
    assert!(stdout.starts_with("No such record in "), "{stdout}");
}

#[test]
fn the_status_tells_leases_and_what_was_acted_on() {
    let state = story();
    let (code, stdout, _) = run(state.path(), &["status"]);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("5 lines"), "{stdout}");
    let leases = stdout.split("\nLeases\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(leases.contains("email:ann@example.com") && leases.contains("gateway-1"), "{stdout}");
    assert!(!leases.contains("cid"), "{stdout}");

    let (_, status) = run_json(state.path(), &["--json", "status"]);
    assert_eq!(status["locks"][0]["session"], "ann");
    assert_eq!(status["recentContexts"].as_array().unwrap().len(), 2);
    assert_eq!(status["recentContexts"][1]["state"], "running");
    assert_eq!((&status["journal"]["lines"], &status["journalLines"]), (&json!(5), &json!(5)));
    assert_eq!(status["journal"]["head"], status["journal"]["bytes"]);
    assert_eq!(status["stateDir"], state.path().to_str().unwrap());
}

#[test]
fn looking_leaves_no_trace() {
    let state = story();
    let directory = state.path();
    fs::write(directory.join("tiers.json"), r#"{"rules":[]}"#).unwrap();
    fs::set_permissions(directory.join("journal.jsonl"), fs::Permissions::from_mode(0o644)).unwrap();
    let before = traces(directory);
    for args in [&["status"][..], &["journal"], &["check"], &["status", "--json"], &["journal", "--json"]] {
        assert_eq!(run(directory, args).0, Some(0), "{args:?}");
    }
    assert_eq!(traces(directory), before);
}

#[test]
fn a_directory_that_is_not_there_is_not_made() {
    let parent = tempfile::tempdir().unwrap();
    let missing = parent.path().join("state");
    let (code, stdout, stderr) = run(&missing, &["status"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains("nothing has been journaled there yet"), "{stdout}");
    let (code, status) = run_json(&missing, &["status", "--json"]);
    assert_eq!((code, &status["journal"]["segments"], &status["locks"]), (Some(0), &json!(0), &json!([])));
    assert_eq!(run_json(&missing, &["journal", "--json"]), (Some(0), json!({"entries": [], "next": null})));
    assert_eq!(run(&missing, &["check"]).0, Some(0));
    assert!(!missing.exists());
}

#[test]
fn a_rotation_that_was_cut_off_is_looked_at_and_not_mended() {
    let state = story();
    let journal = state.path().join("journal.jsonl");
    fs::rename(journal, state.path().join("journal.0.jsonl")).unwrap();
    let before = traces(state.path());
    let (code, answer) = run_json(state.path(), &["journal", "--json"]);
    assert_eq!((code, answer["entries"].as_array().unwrap().len()), (Some(0), 5));
    assert_eq!(run_json(state.path(), &["status", "--json"]).1["journal"]["lines"], 5);
    assert_eq!(traces(state.path()), before);
}

#[test]
fn torn_foreign_and_unfinished_lines_stop_nobody() {
    let mut all = lines(&[record("intercept", "ann", "email:ann@example.com", json!({}))]);
    all.push("{\"v\":1,\"action\":\"inter\nnot even JSON\n".to_owned());
    all.extend(lines(&[record("blocked", "bob", "email:ann@example.com", json!({"conflict": "recent"}))]));
    all.push("{\"v\":1,\"action\":\"comp".to_owned());
    let state = state_dir(&all);
    let (code, stdout, _) = run(state.path(), &["journal"]);
    assert_eq!((code, stdout.lines().count()), (Some(0), 2), "{stdout}");
    let (code, stdout, _) = run(state.path(), &["status"]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("2 lines, torn or foreign"), "{stdout}");
}

#[test]
fn nothing_hostile_in_the_journal_reaches_the_terminal() {
    let evil = "a\u{1b}]0;owned\u{7}\u{9b}2J\nb\r\u{202e}c\u{200b}\u{2066}d\u{85}\u{2028}e\u{0}";
    let mut hostile =
        record("intercept", evil, evil, json!({"instance": evil, "tool": evil, "runtime": evil}));
    hostile["expiresAt"] = json!(ago(-300));
    let mut closing =
        record("failed", evil, evil, json!({"reason": evil, "process": evil, "conflict": evil}));
    closing["action"] = json!(evil);
    let seen = json!({
        "v": 1, "action": "seen", "timestamp": ago(1), "instance": "i", "runtime": evil,
        "seen": {evil: {"before": 1, "after": 1}},
    });
    let timeless = json!({"v": 1, "action": "intercept", "tier": 3, "timestamp": evil, "contextKey": evil});
    let state = state_dir(&lines(&[hostile, closing, seen, timeless]));
    for args in [&["journal", "--all"][..], &["status"]] {
        let (code, stdout, _) = run(state.path(), args);
        assert_eq!(code, Some(0), "{stdout}");
        assert!(stdout.contains("owned"), "{stdout}");
        let bad: Vec<char> = stdout
            .chars()
            .filter(|c| {
                (c.is_control() && *c != '\n')
                    || matches!(*c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            })
            .collect();
        assert!(bad.is_empty(), "{args:?}: {bad:?} in {stdout:?}");
    }
    assert_eq!(run(state.path(), &["journal", "--all"]).1.lines().count(), 4);
}

#[test]
fn a_reader_who_goes_away_is_no_failure() {
    let many: Vec<Value> =
        (0..5_000).map(|_| record("intercept", "ann", "email:ann@example.com", json!({"tier": 2}))).collect();
    let state = state_dir(&lines(&many));
    for args in [&["journal", "-n", "5000"][..], &["journal", "-n", "5000", "--json"]] {
        let mut child =
            callosum(state.path(), args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

/// Every command that ends by itself, and what is asked of `clap`.
const TOLD: [&[&str]; 14] = [
    &["--help"],
    &["--version"],
    &["journal", "--help"],
    &["completions", "bash"],
    &["completions", "zsh"],
    &["completions", "fish"],
    &["status"],
    &["status", "--json"],
    &["journal"],
    &["leases"],
    &["sessions", "--json"],
    &["why", "email:ann@example.com"],
    &["explain", "exec", "git push"],
    &["check"],
];

#[test]
fn whatever_is_told_ends_quietly_when_its_reader_has_gone() {
    let state = story();
    for args in TOLD {
        let (code, _, _) = run(state.path(), args);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = callosum(state.path(), args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (code, ""),
            "{args:?}"
        );
    }
    // What a command says by its exit is not lost with what nobody reads.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    fs::write(state.path().join("tiers.json"), "{").unwrap();
    let output = callosum(state.path(), &["check"]).stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cant_be_written_is_said_with_exit_code_two() {
    let state = story();
    for args in TOLD {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = callosum(state.path(), args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.starts_with("callosum: can't write the answer: No space left"), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    }
}

/// Without a record to write, a followed journal has nothing by which writing would tell.
#[test]
fn following_ends_when_its_reader_goes_though_nothing_comes() {
    let state = story();
    for args in
        [&["journal", "-f"][..], &["journal", "-f", "--json"], &["journal", "-f", "--session", "nobody"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut child = callosum(state.path(), args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        if !args.contains(&"nobody") {
            let mut reader = BufReader::new(&reader);
            assert!(reader.read_line(&mut String::new()).unwrap() > 0);
        }
        drop(reader);
        let deadline = Instant::now() + Duration::from_secs(60);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            // Then it has no exit code.
            if Instant::now() > deadline {
                child.kill().unwrap();
            }
            sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(0), "{args:?}");
        let mut stderr = String::new();
        child.stderr.unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr, "");
    }
}

#[test]
fn a_directory_that_others_may_write_is_degraded_with_the_remedy() {
    let state = story();
    fs::set_permissions(state.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let (code, stdout, _) = run(state.path(), &["status"]);
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("Degraded") && stdout.contains("chmod go-w"), "{stdout}");
    let (code, status) = run_json(state.path(), &["status", "--json"]);
    assert_eq!((code, &status["degraded"]["code"]), (Some(1), &json!("writable-by-others")));
    let (code, stdout, stderr) = run(state.path(), &["journal"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.starts_with("callosum: `") && stderr.contains("chmod go-w"), "{stderr}");
}

#[test]
fn a_newer_format_is_said_so() {
    let state = state_dir(&lines(&[json!({"v": 2, "action": "intercept", "timestamp": ago(1)})]));
    let (code, stdout, _) = run(state.path(), &["status"]);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("lines of format 2") && stdout.contains("update Callosum here"), "{stdout}");
}

#[test]
fn check_says_which_file_and_where_it_is_wrong() {
    let state = tempfile::tempdir().unwrap();
    let file = |name: &str| state.path().join(name).to_str().unwrap().to_owned();

    let (code, answer) = run_json(state.path(), &["check", "--json"]);
    assert_eq!((code, &answer["ok"], &answer["file"]), (Some(0), &json!(true), &json!("built in")));
    assert!(answer["ruleCount"].as_u64().unwrap() > 10 && answer["errors"] == json!([]));
    assert!(run(state.path(), &["check"]).1.starts_with("shipped: no problems, "));

    fs::write(file("tiers.json"), r#"{"rules":[{"name":"all","tier":1,"tool":"*"}]}"#).unwrap();
    let expected =
        json!({"ok": true, "file": file("tiers.json"), "ruleCount": 1, "errors": [], "warnings": []});
    assert_eq!(run_json(state.path(), &["check", "--json"]), (Some(0), expected));
    assert!(run(state.path(), &["check"]).1.contains("tiers.json: no problems, 1 rule\n"));

    fs::write(file("bad.json"), "{\"rules\":[\n  {\"name\":\"mail\",\"tier\":9,\"tool\":\"exec\"}]}")
        .unwrap();
    let (code, answer) = run_json(state.path(), &["--json", "check", &file("bad.json")]);
    assert_eq!((code, &answer["ok"], &answer["ruleCount"]), (Some(1), &json!(false), &json!(0)));
    let error = &answer["errors"][0];
    assert_eq!((&error["line"], &error["rule"]), (&json!(2), &json!("mail")));
    assert!(error["column"].as_u64().unwrap() > 1 && error["message"].as_str().unwrap().contains("tier"));
    let (code, stdout, _) = run(state.path(), &["check", &file("bad.json")]);
    assert_eq!(code, Some(1));
    assert!(stdout.starts_with(&format!("{}:2:", file("bad.json"))), "{stdout}");

    let (code, stdout, stderr) = run(state.path(), &["check", &file("none.json")]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("none.json") && stderr.contains("; give the path"), "{stderr}");
}

#[test]
fn rules_that_cannot_be_read_show_in_the_status() {
    let state = story();
    fs::write(state.path().join("tiers.json"), "{").unwrap();
    let (code, stdout, _) = run(state.path(), &["status"]);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("rules not loaded: ") && stdout.contains("line 1"), "{stdout}");
    // The rules shown are those of this process; the gateway's are others.
    assert!(stdout.contains("a running gateway keeps its last good ones"), "{stdout}");
}

#[test]
fn a_resource_nobody_acted_on_is_told_with_those_it_may_have_meant() {
    let state = story();
    for typed in ["email:anm@example.com", "ann@example.com", "EMAIL:ann@example.com"] {
        let (code, stdout, _) = run(state.path(), &["why", typed]);
        assert_eq!(code, Some(0));
        let expected =
            format!("{typed}: the journal has no call on it.\nRecently acted on: email:ann@example.com\n");
        assert_eq!(stdout, expected);
    }
    let (_, stdout, _) = run(state.path(), &["why", "deploy:prod"]);
    assert_eq!(stdout, "deploy:prod: the journal has no call on it.\n");
}

#[test]
fn wrong_usage_exits_with_two() {
    let state = story();
    for args in [
        &["nonsense"][..],
        &[],
        &["journal", "-n", "0"],
        &["journal", "-n", "many"],
        &["journal", "--tier", "5"],
        &["journal", "--since", "yesterday"],
    ] {
        let (code, stdout, stderr) = run(state.path(), args);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(!stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn the_state_directory_is_the_option_else_the_variable_else_under_home() {
    let (chosen, home) = (story(), tempfile::tempdir().unwrap());
    let state_dir = |args: &[&str], variable: Option<&Path>, folder: &Path| -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command.args(args).args(["status", "--json"]).current_dir(folder);
        command.env("HOME", home.path()).env_remove("CALLOSUM_STATE_DIR");
        if let Some(variable) = variable {
            command.env("CALLOSUM_STATE_DIR", variable);
        }
        let status: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        status["stateDir"].as_str().unwrap().to_owned()
    };
    let shown = |path: &Path| path.to_str().unwrap().to_owned();
    let parent = chosen.path().parent().unwrap();
    let name = chosen.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(state_dir(&["--state-dir", name], Some(home.path()), parent), shown(chosen.path()));
    assert_eq!(state_dir(&["--state-dir=~/s"], None, parent), shown(&home.path().join("s")));
    assert_eq!(state_dir(&[], Some(chosen.path()), parent), shown(chosen.path()));
    assert_eq!(state_dir(&[], None, parent), shown(&home.path().join(".callosum")));
}

#[test]
fn explain_says_what_of_a_command_was_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let command = format!("{}gog gmail send --to alice@example.com{}", "(".repeat(60), ")".repeat(60));
    let (code, told, _) = run(directory.path(), &["explain", "exec", &command]);
    assert_eq!(code, Some(0));
    assert!(told.starts_with("Tier 3, by the rule `"), "{told}");
    let unread = told.lines().find(|line| line.starts_with("Not read: 1 part of the command, ")).unwrap();
    assert!(unread.contains(" bytes starting at `") && unread.contains("because "), "{unread}");
    assert!(unread.ends_with("It was only searched for words that rules use."), "{unread}");
}

#[test]
fn explain_says_what_a_call_would_get_and_why() {
    let journal = [
        record("intercept", "ann", "git-push:origin/main", json!({})),
        record("intercept", "ann", "email:ann@example.com", json!({"tier": 2})),
    ];
    let directory = state_dir(&lines(&journal));
    let told = |args: &[&str]| {
        let (code, stdout, stderr) = run(directory.path(), args);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{args:?}");
        stdout
    };
    let push = told(&["explain", "exec", "cd app && sudo git push origin HEAD:main", "--cwd", "/home/me"]);
    assert!(
        push.starts_with(
            "Tier 3, by the rule `git-push`.\nUnknown: the repository that is pushed to can't be told from /home/me/app; the key uses something else instead.\n  acts on git-push:/home/me/app/main\n  `git-push` (tier 3, reach home) matched by the program and \
             its words (`command`): git push origin HEAD:main\nChecked against other sessions' actions on the same resources in the \
             last 5m.\n\nNow: pause.\n  [Callosum] \"git-push:origin/main\" is being acted on"
        ),
        "{push}"
    );
    let quoted = told(&["explain", "exec", r#"{"command": "echo 'git push origin main'"}"#]);
    assert!(
        quoted.starts_with("Tier 1, by the rule `exec`.\n") && quoted.ends_with("\nNow: allow.\n"),
        "{quoted}"
    );
    let broken = told(&["explain", "exec", "git push 'origin"]);
    assert!(broken.contains("can't be parsed as a shell line"), "{broken}");

    let (code, json) = run_json(
        directory.path(),
        &[
            "explain",
            "exec",
            "curl -d @f -H 'Authorization: Bearer sk-proj-abcdefghijklmnopqrstuvwxyz0123456789' https://api.example.com/v1/x?y=1",
            "--json",
        ],
    );
    assert_eq!(code, Some(0));
    assert_eq!(json["contextKeys"], json!(["http:POST:api.example.com/x"]));
    assert_eq!(
        (&json["tier"], &json["verdict"], &json["scope"]),
        (&json!(3), &json!("allow"), &json!("otherSessions"))
    );
    assert_eq!(json["matched"][0]["ruleName"], "http-write");
    assert!(!json.to_string().contains("sk-proj-abcdef"), "{json}");
    // Nothing was written.
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);

    let (code, _, stderr) = run(directory.path(), &["explain", "exec", "[]"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("the parameters must be an object"), "{stderr}");
    let (code, _, stderr) = run(directory.path(), &["explain", "message", "[1"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("not JSON") && stderr.contains("give them as a JSON object"), "{stderr}");
}

/// What the registry of questions offers on the command line is a command of its name.
#[test]
fn every_question_for_the_command_line_is_a_command() {
    let home = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for question in QUESTIONS.iter().filter(|question| question.is_offered(Surface::CommandLine)) {
        let (code, stdout, stderr) = run(home.path(), &[question.name, "--help"]);
        assert_eq!(code, Some(0), "{}: {stderr}", question.name);
        assert!(stdout.contains(&format!("callosum {}", question.name)), "{stdout}");
        commands += 1;
    }
    assert!(commands > 0);
}

/// A hook's process is started for each call, and loads each library that the program names.
#[test]
#[cfg(target_os = "linux")]
fn the_program_names_no_library_that_it_can_do_without() {
    let program = fs::read(env!("CARGO_BIN_EXE_callosum")).unwrap();
    let program = String::from_utf8_lossy(&program);
    let names = |library: &str| program.contains(&format!("\0{library}\0"));
    assert!(names("libc.so.6"));
    for library in ["libm.so.6", "libdl.so.2", "libpthread.so.0", "libz.so.1", "libssl.so.3"] {
        assert!(!names(library), "{library}");
    }
}
