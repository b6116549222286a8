//! What an operator sees of two sessions that meet: real runs of the program on a journal that real gates wrote, compared with
//! `snapshots/`. Run with `SNAPSHOTS=overwrite` to accept what it prints now, and read the difference.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions};
use callosum_core::machine::Machine;
use callosum_core::model::time::to_rfc3339;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};
use snapbox::{Assert, Data, Redactions};
use tempfile::TempDir;

use crate::command_line::{ago, lines, record, state_dir};
use crate::terminal::on_terminal;

/// A gate of its own process group, as a gateway has one.
fn gate(state_dir: &Path) -> Gate {
    Gate::new(GateOptions {
        settings:
            json!({ "instanceId": "gateway", "stateDir": state_dir.to_str().unwrap(), "durability": "os" })
                .to_string(),
        runtime: "openclaw".to_owned(),
        home: state_dir.to_owned(),
        ..GateOptions::default()
    })
}

/// A call by a session, ended when `ended` says how. Whether it was let through.
fn call(gate: &Gate, session: &str, tool: &str, params: &Value, ended: Option<Ended>) -> bool {
    let run = Some(session.to_owned());
    let id = format!("{session}-{}", gate.machine().now().up_ms);
    let call = ToolCall {
        tool: tool.to_owned(),
        session: session.to_owned(),
        run: run.clone(),
        call: Some(id.clone()),
        ..ToolCall::default()
    };
    // Two calls in one millisecond would be one.
    std::thread::sleep(std::time::Duration::from_millis(2));
    let answer = match gate.before(&call, params, &gate.machine().now()) {
        Answer::Wait(ticket) => gate.finish(ticket, &gate.machine().now()),
        answer => answer,
    };
    let refused = matches!(answer, Answer::Refuse(_));
    if let Some(ended) = if refused { Some(Ended::Refused) } else { ended } {
        let report = EndReport {
            tool: tool.to_owned(),
            agent: None,
            session: session.to_owned(),
            run,
            call: Some(id),
            digest: None,
            ended,
            exit_code: None,
            process: None,
            ran: None,
        };
        if let Answer::Wait(ticket) = gate.after(&report, &gate.machine().now()) {
            let _ = gate.finish(ticket, &gate.machine().now());
        }
    }
    !refused
}

/// A chat mailed Alice, the heartbeat wanted to, read what it was told, and mails her still; it also holds a push.
fn two_sessions() -> (TempDir, Gate) {
    let directory = tempfile::tempdir().unwrap();
    let gate = gate(directory.path());
    let (chat, heartbeat) = ("agent:main:main", "agent:main:heartbeat");
    let mail = json!({ "command": "gog gmail send --to alice@example.com --subject 'Monday' --body 'See you at ten'" });
    let _ = gate.model_call_started(heartbeat, &gate.machine().now());
    assert!(call(&gate, chat, "read", &json!({ "path": "notes.md" }), Some(Ended::Ok)));
    assert!(call(&gate, chat, "exec", &mail, Some(Ended::Ok)));
    assert!(!call(&gate, heartbeat, "exec", &mail, None));
    let _ = gate.model_call_started(heartbeat, &gate.machine().now());
    assert!(call(&gate, heartbeat, "exec", &mail, Some(Ended::Ok)));
    assert!(call(&gate, heartbeat, "exec", &json!({ "command": "git push origin main" }), None));
    gate.maintain(&gate.machine().now());
    (directory, gate)
}

/// The time zone in which it is noon: a clock that passes midnight shows the date too.
fn noon() -> String {
    let hour = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 3600 % 24;
    format!("NOON{}", i64::try_from(hour).unwrap() - 12)
}

fn callosum(state_dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
    // How long ago something was takes more room the longer it was.
    command
        .args(args)
        .arg("--time")
        .env("CALLOSUM_STATE_DIR", state_dir)
        .env("TZ", noon())
        .env("USER", "doug");
    command.current_dir("/");
    command
}

/// Compares what the program prints with the file `snapshots/NAME`.
fn shows(name: &str, code: i32, state_dir: &Path, args: &[&str]) {
    let output = callosum(state_dir, args).output().unwrap();
    let told =
        format!("{}{}", String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    is_as_in(name, state_dir, &told);
    assert_eq!(output.status.code(), Some(code), "{args:?}");
}

fn is_as_in(name: &str, state_dir: &Path, told: &str) {
    let mut redactions = Redactions::new();
    for (mark, pattern) in [
        ("[AT]", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
        ("[CLOCK]", r"\b\d\d:\d\d:\d\d\b"),
        ("[SEQ]", r#"(?:"seq":|"of":\[|"shown":\[|"head":)(?<redacted>\d+)"#),
        ("[ID]", r#"(?:heartbeat|main)(?<redacted>-\d+)""#),
        ("[AGE]", r"\b\d+s ago"),
        ("[PID]", r#""pid":(?<redacted>\d+)"#),
        ("[RULES]", r"\d+ rules"),
        ("[SIZE]", r"(?<redacted>\d+\.\d KiB|\d+ bytes)"),
    ] {
        redactions.insert(mark, regex::Regex::new(pattern).unwrap()).unwrap();
    }
    redactions.insert("[STATE]", state_dir.to_owned()).unwrap();
    redactions.insert("[VERSION]", env!("CARGO_PKG_VERSION")).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    let assert = Assert::new().action_env("SNAPSHOTS").redact_with(redactions);
    assert.eq(told.to_owned(), Data::read_from(&file, Some(snapbox::data::DataFormat::Text)));
}

/// Sessions and resources with the long names that they have in daily life.
fn long_names() -> TempDir {
    let (ann, bob) = ("3858aa11-9c1e-4f0e-8a55-2f6d2c9be001", "3858aa11-77d0-4b52-9d7c-0b1f5f3ac002");
    let push = "git-push:github.com/acme-international/warehouse-backend/feature/stock-levels";
    let mail = "email:somebody.with.a.long.name@subsidiary.example.com";
    let named = |session: &str, runtime: &str, action: &str, key: &str, more: Value| {
        let mut record = record(action, session, key, more);
        record["runtime"] = runtime.into();
        record["instance"] = "studio".into();
        record
    };
    let start = |session: &str, runtime: &str| {
        json!({
            "v": 1, "action": "session", "event": "start", "timestamp": ago(50), "instance": "studio", "runtime": runtime,
            "session": session, "place": { "cwd": "/home/me/warehouse-backend", "project": "/home/me/warehouse-backend" },
        })
    };
    let mut written = lines(&[
        json!({ "v": 1, "action": "opened", "timestamp": ago(60), "instance": "studio", "base": 0 }),
        start(ann, "claude-code"),
        start(bob, "codex"),
    ]);
    // An end names its start by where that stands.
    let mut write = |record: Value| {
        let place = written.concat().len();
        written.extend(lines(&[record]));
        place
    };
    let held = || json!({ "expiresAt": ago(-300) });
    let mailed = write(named(ann, "claude-code", "intercept", mail, held()));
    write(named(ann, "claude-code", "complete", mail, json!({ "of": [mailed] })));
    let shown = json!({ "conflict": "recent", "evidence": [{ "seq": mailed }] });
    write(named(bob, "codex", "blocked", mail, shown));
    let published = write(named(bob, "codex", "intercept", "npm:publish:warehouse", held()));
    let failed = json!({ "of": [published], "exitCode": 1, "reason": "the remote hung up" });
    write(named(bob, "codex", "failed", "npm:publish:warehouse", failed));
    write(named(bob, "codex", "intercept", push, held()));
    state_dir(&written)
}

#[test]
fn tables_fit_the_terminal_at_any_width_and_a_pipe_gets_all() {
    let state = long_names();
    let commands: [&[&str]; 5] =
        [&["status"], &["journal"], &["journal", "--records"], &["sessions"], &["leases"]];
    for columns in [60, 80, 120, 200] {
        let mut shown = String::new();
        for args in commands {
            let answer = on_terminal(callosum(state.path(), args).env("NO_COLOR", "1"), 200, columns);
            for line in answer.lines().filter(|line| !line.starts_with("State ")) {
                // What is said behind the columns of a journal's line may be longer: it is cut nowhere.
                let is_table = args[0] != "journal";
                assert!(!is_table || line.chars().count() <= usize::from(columns), "{columns}: {line}");
            }
            shown.push_str(&format!("$ callosum {}\n{answer}\n", args.join(" ")));
        }
        is_as_in(&format!("terminal-{columns}.txt"), state.path(), &shown);
    }
    let whole = String::from_utf8(callosum(state.path(), &["leases"]).output().unwrap().stdout).unwrap();
    assert!(whole.contains("warehouse-backend/feature/stock-levels") && !whole.contains('…'), "{whole}");
    let wide = on_terminal(callosum(state.path(), &["leases", "--wide"]).env("NO_COLOR", "1"), 200, 60);
    assert!(wide.contains("warehouse-backend/feature/stock-levels"), "{wide}");
}

#[test]
fn help_fits_the_terminal_in_groups() {
    let state = tempfile::tempdir().unwrap();
    let help =
        on_terminal(Command::new(env!("CARGO_BIN_EXE_callosum")).arg("--help").env("NO_COLOR", "1"), 200, 80);
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    is_as_in("help-80.txt", state.path(), &help);
}

#[test]
fn what_an_operator_sees_of_two_sessions_that_meet() {
    let (state, gate) = two_sessions();
    let state = state.path();
    let mail = "email:alice@example.com";
    shows("status.txt", 0, state, &["status"]);
    shows("journal.txt", 0, state, &["journal", "--tier", "3"]);
    shows("sessions.txt", 0, state, &["sessions"]);
    shows("sessions.json", 0, state, &["sessions", "--json"]);
    shows("why.txt", 0, state, &["why", mail]);
    shows("why-nobody.txt", 0, state, &["why", "email:nobody@example.com"]);
    shows("explain.txt", 0, state, &["explain", "exec", "cd /srv && git push origin main"]);
    shows("leases.txt", 0, state, &["leases"]);
    shows("leases.json", 0, state, &["leases", "--json"]);
    // The name it once had is still understood.
    shows("leases.txt", 0, state, &["locks"]);
    shows("release.txt", 0, state, &["leases", "release", "git-push:current/main"]);
    shows("release-again.txt", 1, state, &["locks", "release", "git-push:current/main"]);
    shows("leases-none.txt", 0, state, &["leases"]);
    shows("why-released.txt", 0, state, &["why", "git-push:current/main"]);
    gate.close(&gate.machine().now());
}

#[test]
fn what_an_operator_sees_of_what_no_rule_names() {
    let directory = tempfile::tempdir().unwrap();
    let gate = gate(directory.path());
    for (tool, params) in [
        ("acme__triggerIt", json!({ "text": "C1" })),
        ("exec", json!({ "command": "./deploy.sh prod && ls" })),
        ("exec", json!({ "command": "acme status" })),
    ] {
        assert!(call(&gate, "agent:main:main", tool, &params, None));
    }
    gate.maintain(&gate.machine().now());
    shows("status-uncovered.txt", 0, directory.path(), &["status"]);
    shows("rules-suggest.txt", 0, directory.path(), &["rules", "suggest"]);
    gate.close(&gate.machine().now());
}

#[test]
fn what_an_operator_sees_of_webhooks() {
    let directory = tempfile::tempdir().unwrap();
    let now = to_rfc3339(Machine::read().now().wall_ms);
    let webhook = |host: &str, failing: Value| json!({ "target": format!("https://{host}"), "next": 0, "delivered": 7, "failing": failing });
    let parked = json!({ "since": now, "attempts": 36, "error": "it answered 410: it wants no more events" });
    let failing =
        json!({ "since": now, "attempts": 1, "error": "it gave no answer within 20 s", "retryAt": now });
    let webhooks = json!({ "webhooks": {
        "ops": webhook("hooks.example.com", Value::Null),
        "slow": webhook("slow.example.com:8443", failing),
        "team": webhook("discord.com", parked),
    } });
    fs::write(directory.path().join("webhooks.json"), webhooks.to_string()).unwrap();
    shows("status-webhooks.txt", 1, directory.path(), &["status"]);
}

#[test]
fn a_followed_journal_goes_on_with_what_comes() {
    let directory = tempfile::tempdir().unwrap();
    let gate = gate(directory.path());
    let push = json!({ "command": "git push origin main" });
    assert!(call(&gate, "first", "exec", &push, Some(Ended::Ok)));
    let args = ["journal", "-f", "--json", "--action", "complete"];
    let mut program = callosum(directory.path(), &args).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut next = || -> String {
        let entry: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        entry.get("session").and_then(Value::as_str).unwrap().to_owned()
    };
    assert_eq!(next(), "first");
    assert!(call(&gate, "first", "exec", &json!({ "command": "npm publish" }), Some(Ended::Ok)));
    assert_eq!(next(), "first");
    assert!(call(&gate, "second", "exec", &json!({ "command": "cargo publish" }), Some(Ended::Ok)));
    assert_eq!(next(), "second");
    program.kill().unwrap();
    program.wait().unwrap();
}

#[test]
fn nothing_is_coloured_but_on_a_terminal() {
    let (state, _gate) = two_sessions();
    for args in [["status"].as_slice(), &["journal"], &["leases"], &["sessions"], &["--help"]] {
        let output = callosum(state.path(), args).output().unwrap();
        assert!(!output.stdout.contains(&0x1b), "{args:?}");
    }
}
