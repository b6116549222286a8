//! `callosum doctor` on state directories that are well and on some that are not. With a real gateway it is tried in
//! tests/openclaw/doctor.test.ts; here a script stands in for the answers that a healthy gateway never gives.

mod runtimes;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions};
use callosum_core::machine::Machine;
use callosum_core::model::time::to_rfc3339;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A person's home with a state directory in it, and nothing else on the PATH than what a test puts there.
struct Home {
    directory: TempDir,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("bin")).unwrap();
        Self { directory }
    }

    /// A home in which a session read a file, and sent a mail.
    fn lived_in() -> Self {
        let home = Self::new();
        let gate = Gate::new(GateOptions {
            settings: json!({ "instanceId": "gateway-1", "durability": "os" }).to_string(),
            runtime: "openclaw".to_owned(),
            home: home.directory.path().to_owned(),
            ..GateOptions::default()
        });
        let now = gate.machine().now();
        for (tool, params) in [
            ("read", json!({"path": "/etc/hosts"})),
            ("exec", json!({"command": "himalaya message send --to a@example.com"})),
        ] {
            let (session, run, call) =
                ("agent:main:ann".to_owned(), Some("run-1".to_owned()), Some(format!("call-{tool}")));
            let asked = ToolCall {
                tool: tool.to_owned(),
                session: session.clone(),
                run: run.clone(),
                call: call.clone(),
                ..ToolCall::default()
            };
            let settle = |answer| match answer {
                Answer::Wait(ticket) => gate.finish(ticket, &now),
                other => other,
            };
            assert!(matches!(settle(gate.before(&asked, &params, &now)), Answer::Proceed));
            let report = EndReport {
                tool: tool.to_owned(),
                agent: None,
                session,
                run,
                call,
                digest: None,
                ended: Ended::Ok,
                exit_code: Some(0),
                process: None,
                ran: None,
            };
            settle(gate.after(&report, &now));
        }
        gate.close(&now);
        home
    }

    /// A home whose journal has these records and no more.
    fn with_records(records: &[Value]) -> Self {
        let home = Self::new();
        fs::create_dir(home.state()).unwrap();
        fs::set_permissions(home.state(), fs::Permissions::from_mode(0o700)).unwrap();
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(home.state().join("journal.jsonl"), lines).unwrap();
        home
    }

    fn state(&self) -> PathBuf {
        self.directory.path().join(".callosum")
    }

    fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.state().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command.arg("doctor").args(args).env_clear().env("TZ", "UTC");
        command.env("HOME", self.directory.path()).env("PATH", self.directory.path().join("bin"));
        command
    }

    fn examine(&self, args: &[&str]) -> Examination {
        let output = self.command(&[&["--json"], args].concat()).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = answer["findings"].as_array().unwrap().clone();
        let level = |finding: &Value| finding["level"].as_str().unwrap().to_owned();
        for finding in &findings {
            assert_eq!(finding["remedy"].is_string(), level(finding) != "ok", "{finding}");
            assert!(!finding["title"].as_str().unwrap().contains('\n'), "{finding}");
        }
        let wrong = findings.iter().any(|finding| matches!(level(finding).as_str(), "warning" | "error"));
        assert_eq!(answer["ok"], !wrong, "{answer}");
        assert_eq!(output.status.code(), Some(i32::from(wrong)), "{answer}");
        Examination(findings)
    }

    /// Puts an `openclaw` on the PATH that answers so: by the first three words of its arguments.
    fn openclaw(&self, answers: &[(&str, Value)]) {
        let cases: String = answers
            .iter()
            .map(|(words, answer)| {
                format!("'{words}') printf '%s\\n' '{}';;\n", answer.to_string().replace('\'', r"'\''"))
            })
            .collect();
        self.program(
            "openclaw",
            &format!("case \"$1 $2 $3\" in\n{cases}*) echo \"no answer to $*\" >&2; exit 1;;\nesac\n"),
        );
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.directory.path().join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

struct Examination(Vec<Value>);

impl Examination {
    fn find(&self, id: &str) -> &Value {
        self.0.iter().find(|finding| finding["id"] == id).unwrap_or(&Value::Null)
    }

    fn level(&self, id: &str) -> &str {
        self.find(id)["level"].as_str().unwrap_or("(none)")
    }

    fn says(&self, id: &str, level: &str, text: &str) {
        let finding = self.find(id);
        assert_eq!(self.level(id), level, "{finding}");
        assert!(finding.to_string().contains(text), "{text:?} in {finding}");
    }

    /// Everything that is neither well nor about the disk, which is the machine's.
    fn ill(&self) -> Vec<&str> {
        let ill = self.0.iter().filter(|finding| finding["level"] != "ok" && finding["id"] != "disk");
        ill.map(|finding| finding["id"].as_str().unwrap()).collect()
    }
}

/// A moment `seconds` ago, as the journal writes it.
fn ago(seconds: i64) -> String {
    to_rfc3339(Machine::read().now().wall_ms - seconds * 1000)
}

fn record(action: &str, more: Value) -> Value {
    let mut record = json!({"v": 1, "action": action, "timestamp": ago(30), "instance": "gateway-1"});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn intent(key: &str, more: Value) -> Value {
    let mut call =
        json!({"tier": 3, "runtime": "openclaw", "session": "ann", "tool": "exec", "contextKeys": [key]});
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record("intercept", call)
}

fn traces(directory: &Path) -> BTreeMap<PathBuf, (u64, u32, i64, i64)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .chain([directory.to_owned()])
        .map(|path| {
            let facts = fs::metadata(&path).unwrap();
            (path, (facts.len(), facts.mode(), facts.mtime(), facts.mtime_nsec()))
        })
        .collect()
}

#[test]
fn a_home_without_a_state_is_no_fault_and_gets_none() {
    let home = Home::new();
    let examination = home.examine(&[]);
    assert_eq!(examination.ill(), ["state-dir", "hooks"]);
    examination.says("openclaw", "ok", "no OpenClaw here");
    assert!(!home.state().exists());
}

#[test]
fn a_state_in_use_is_well_and_a_look_leaves_no_trace() {
    let home = Home::lived_in();
    let before = traces(&home.state());
    let examination = home.examine(&[]);
    assert_eq!(examination.ill(), Vec::<&str>::new());
    examination.says("guard", "ok", "excludes");
    examination.says("hooks.openclaw", "ok", "gated: exec (1 before, 1 after, the last ");
    assert_eq!(examination.level("rules.uncovered"), "(none)");
    examination.says("leases", "ok", "Every action has an outcome");
    assert_eq!(traces(&home.state()), before);
}

#[test]
fn what_no_rule_names_is_never_called_gated() {
    let seen = |names: &[&str]| {
        let counts = |name: &&str| ((*name).to_owned(), json!({"before": 3, "after": 3}));
        let seen: serde_json::Map<String, Value> = names.iter().map(counts).collect();
        Home::with_records(&[record("seen", json!({"runtime": "codex", "seen": seen}))]).examine(&[])
    };
    let examination = seen(&["exec", "acme__look", "acme__triggerIt", "$ acme deploy"]);
    for (what, tool) in
        [("gated", "exec"), ("no rule", "acme__look"), ("gated where it names an id", "acme__triggerIt")]
    {
        examination.says("hooks.codex", "ok", &format!("{what}: {tool} (3 before, 3 after"));
    }
    let gated = examination.find("hooks.codex").to_string().matches("gated: ").count();
    assert_eq!(gated, 1, "{:?}", examination.find("hooks.codex"));
    examination.says("rules.uncovered", "note", "sounding like an effect: 2 tools and programs");
    examination.says(
        "rules.uncovered",
        "note",
        "acme__triggerIt of codex (3 calls, sounds like an effect: trigger)",
    );
    examination.says(
        "rules.uncovered",
        "note",
        "acme deploy\\\" of codex (3 calls, sounds like an effect: deploy)",
    );
    seen(&["exec", "acme__look"]).says("rules.uncovered", "ok", "none sounds like an effect");
}

#[test]
fn a_webhook_that_fails_is_a_note_and_one_that_was_given_up_a_warning() {
    let home = Home::lived_in();
    let failing = json!({ "since": ago(60), "attempts": 3, "error": "it answered 503", "retryAt": ago(-60) });
    let parked = json!({ "since": ago(90_000), "attempts": 36, "error": "it answered 410" });
    let webhook = |failing: Value| json!({ "target": "https://hooks.example.com", "next": 0, "delivered": 7, "failing": failing });
    let write = |webhooks: Value| {
        fs::write(home.state().join("webhooks.json"), json!({ "webhooks": webhooks }).to_string()).unwrap();
        home.chmod("webhooks.json", 0o600);
    };
    write(json!({ "well": webhook(Value::Null), "slow": webhook(failing) }));
    let examination = home.examine(&[]);
    examination.says("webhook.well", "ok", "delivered 7 events to https://hooks.example.com");
    examination.says("webhook.slow", "note", "after 3 attempts");
    examination.says("webhook.slow", "note", "it answered 503");
    write(json!({ "dead": webhook(parked) }));
    let examination = home.examine(&[]);
    examination.says("webhook.dead", "warning", "was given up after 36 attempts");
    examination.says("webhook.dead", "warning", "then restart the service");
    write(json!([]));
    home.examine(&[]).says("webhooks", "warning", "`webhooks.json` is not what the service writes");
}

#[test]
fn text_has_a_line_a_finding_with_details_and_remedies_below() {
    let home = Home::lived_in();
    home.chmod("", 0o755);
    let output = home.command(&[]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].starts_with("ok      State directory `"), "{stdout}");
    assert_eq!(lines[1], "warning Other users can see or change the state", "{stdout}");
    assert!(lines[2].starts_with("        other users can read the directory"), "{stdout}");
    assert!(stdout.contains("\n        to fix it: run `chmod -R u=rwX,go= "), "{stdout}");
    assert!(stdout.ends_with("\nFound 0 errors and 1 warning.\n"), "{stdout}");
    assert!(!stdout.contains('\u{1b}'), "{stdout}");
}

#[test]
fn permissions_that_let_others_in_are_named_file_by_file() {
    let home = Home::lived_in();
    home.chmod("journal.jsonl", 0o666);
    home.examine(&[]).says(
        "permissions",
        "warning",
        "`journal.jsonl` can be written by other users (mode 666)",
    );
    // Nobody gets at a readable file in a folder that is closed.
    home.chmod("journal.jsonl", 0o644);
    assert_eq!(home.examine(&[]).level("permissions"), "ok");
    home.chmod("", 0o711);
    home.examine(&[]).says("permissions", "warning", "`journal.jsonl` can be read by other users (mode 644)");
    home.chmod("", 0o777);
    home.examine(&[]).says("state-dir", "error", "can be written by other users");
}

#[test]
fn a_journal_from_the_future_and_a_newer_one_are_told() {
    let home = Home::with_records(&[record("rules", json!({"windowMs": 1000, "timestamp": ago(-9000)}))]);
    home.examine(&[]).says("clock", "warning", "2h in the future");
    let newer = Home::with_records(&[json!({"v": 9, "action": "intercept", "timestamp": ago(1)})]);
    let examination = newer.examine(&[]);
    examination.says("journal", "error", "format 9");
    assert!(examination.find("journal")["remedy"].as_str().unwrap().contains("update"));
}

#[test]
fn a_journal_that_was_lost_is_told_as_long_as_that_counts() {
    let lost = |seconds| {
        let how = "the journal was emptied; 2 actions that this process knew were written anew";
        Home::with_records(&[record("lost", json!({"timestamp": ago(seconds), "reason": how}))])
    };
    let home = lost(600);
    let examination = home.examine(&[]);
    examination.says("lost", "warning", "was lost while it was in use");
    assert!(examination.find("lost")["remedy"].as_str().unwrap().contains("logrotate"));
    let status = home.command(&[]).args(["--json"]).output().unwrap();
    assert!(String::from_utf8(status.stdout).unwrap().contains("the journal was emptied"));
    assert!(!lost(8 * 24 * 3600).examine(&[]).ill().contains(&"lost"));
}

#[test]
fn torn_lines_are_a_note() {
    let home = Home::with_records(&[intent("email:a@b", json!({"tier": 2})), json!("torn")]);
    home.examine(&[]).says("journal", "note", "1 line torn or foreign");
}

#[test]
fn rules_that_cannot_be_used_are_an_error() {
    let home = Home::lived_in();
    fs::write(home.state().join("tiers.json"), "{").unwrap();
    home.examine(&[]).says("rules", "error", "line 1");
}

#[test]
fn actions_whose_process_died_or_whose_lease_ended_are_named() {
    let now = Machine::read().now();
    let own = Machine::read().holder().unwrap();
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id();
    child.wait().unwrap();
    let dead = json!({
        "up": now.up_ms, "boot": format!("{:08x}", now.boot.unwrap()), "expiresAt": ago(-300),
        "holder": {"pid": pid, "start": 1, "ns": own.ns},
    });
    let home = Home::with_records(&[
        intent("email:lapsed@example.com", json!({"timestamp": ago(3600), "expiresAt": ago(3300)})),
        intent("email:running@example.com", json!({"expiresAt": ago(-300)})),
        intent("email:de\u{1b}[31mad@example.com", dead),
    ]);
    let examination = home.examine(&[]);
    examination.says("leases", "note", "2 actions without an outcome");
    let detail = examination.find("leases")["detail"].as_str().unwrap();
    let lines: Vec<&str> = detail.lines().collect();
    assert!(
        lines[0].starts_with("email:de [31mad@example.com: exec by gateway-1 (session ann) since "),
        "{detail}"
    );
    assert!(lines[0].ends_with("; its process died") && lines[1].ends_with("; its lease ended"), "{detail}");
    assert_eq!(lines.len(), 2, "{detail}");
}

#[test]
fn hooks_seen_after_only_are_told_by_runtime_and_tool() {
    let seen = |runtime: &str, seen: Value| record("seen", json!({"runtime": runtime, "seen": seen}));
    let both = json!({"before": 2, "after": 2});
    let after = json!({"before": 0, "after": 3});
    let home = Home::with_records(&[
        seen("claude-code", json!({"Bash": both, "Edit": after})),
        seen("codex", json!({"shell": after})),
        seen("gemini", json!({"run": {"before": 4, "after": 0}})),
        seen("openclaw", json!({"exec": both, "no_such_tool": after})),
    ]);
    let examination = home.examine(&[]);
    examination.says("hooks.claude-code", "warning", "seen after only: Edit (0 before, 3 after, the last 3");
    examination.says("hooks.codex", "error", "none passed the gate");
    examination.says("hooks.gemini", "note", "their outcome was never seen");
    examination.says("hooks.openclaw", "note", "seen after only: no_such_tool");
}

#[test]
fn calls_that_were_paused_are_not_missed_among_those_that_ended() {
    let home = Home::new();
    let hook = |event: &str, session: &str| -> String {
        let command = home.command(&[]);
        let told = json!({
            "hook_event_name": event, "session_id": session, "tool_use_id": "1", "tool_name": "Bash",
            "tool_input": {"command": "himalaya message send --to a@example.com"}, "tool_response": "Message sent",
        });
        let mut hook = Command::new(command.get_program());
        hook.args(["hook", "claude-code"])
            .env_clear()
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(told.to_string().as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    assert_eq!(hook("PreToolUse", "ann"), "");
    hook("PostToolUse", "ann");
    for number in 0..20 {
        assert!(hook("PreToolUse", &format!("bob {number}")).contains("deny"));
    }
    let examination = home.examine(&[]);
    examination.says("hooks.claude-code", "ok", "gated: exec (21 before, 1 after, 20 paused, the last ");

    // Others that began and never ended are.
    let seen = json!({"exec": {"before": 20, "after": 2}});
    let mut journal = OpenOptions::new().append(true).open(home.state().join("journal.jsonl")).unwrap();
    writeln!(journal, "{}", record("seen", json!({"runtime": "claude-code", "seen": seen}))).unwrap();
    let examination = home.examine(&[]);
    examination.says("hooks.claude-code", "warning", "far fewer calls ended than started");
    examination.says("hooks.claude-code", "warning", "exec (41 before, 3 after, 20 paused, the last ");
}

#[test]
fn an_openclaw_that_cannot_be_asked_is_said() {
    let home = Home::lived_in();
    fs::create_dir(home.directory.path().join(".openclaw")).unwrap();
    let examination = home.examine(&["--canary"]);
    examination.says("openclaw", "note", "no `openclaw` is on the PATH");
    examination.says("canary", "warning", "No canary call was made");
    home.openclaw(&[]);
    let examination = home.examine(&["--canary"]);
    examination.says("gateway", "warning", "no answer to gateway call callosum.status --json");
    examination.says("audit", "note", "no answer to audit --kind tool_action");
    examination.says("canary", "warning", "No canary call was made");
}

/// A gateway with several agents makes a call for none of them that is named.
#[test]
fn a_canary_call_is_an_agents_where_there_are_several() {
    let home = Home::lived_in();
    let listed = json!({"agents": [{"id": "coder"}, {"id": "main"}]});
    home.openclaw(&[("gateway call callosum.status", well(&home)), ("gateway call agents.list", listed)]);
    let path = home.directory.path().join("bin/openclaw");
    let script = fs::read_to_string(&path).unwrap();
    let invoked = r#"case "$*" in
*'call tools.invoke'*'"agentId":"coder"'*) echo '{"ok": true}'; exit 0;;
*'call tools.invoke'*) echo '{"ok": false, "error": {"type": "x", "message": "Multiple agents are configured"}}'; exit 1;;
esac
"#;
    home.program("openclaw", &format!("{invoked}{}", script.trim_start_matches("#!/bin/sh\n")));
    // It ran; this program of ours writes no journal.
    home.examine(&["--canary"]).says("canary", "error", "A canary call of `agents_list` ran");
}

/// What the gateway's Callosum answers when all is well.
fn well(home: &Home) -> Value {
    json!({
        "instanceId": "gateway-1", "version": env!("CARGO_PKG_VERSION"), "stateDir": home.state(), "mode": "enforce",
        "rules": {"source": "built in"}, "waiting": {"queued": 0, "lost": 0, "unwritten": 0},
    })
}

#[test]
fn what_ails_the_gateways_own_copy_is_passed_on() {
    let home = Home::lived_in();
    let mut status = well(&home);
    let ails = json!({
        "version": "0.0.9", "mode": "observe", "settingErrors": ["`mode`: is\u{7} no mode"],
        "waiting": {"lost": 1, "unwritten": 3}, "rules": {"error": "line 3"},
        "degraded": {"code": "io", "cause": "can't append", "remedy": "free some disk space"},
    });
    status.as_object_mut().unwrap().extend(ails.as_object().unwrap().clone());
    let listed = json!({"plugins": [{"id": "callosum", "enabled": true, "runtime": {"state": "unloaded"}}]});
    home.openclaw(&[("gateway call callosum.status", status), ("gateway call plugins.list", listed)]);
    let examination = home.examine(&[]);
    examination.says("gateway", "ok", "instance gateway-1");
    examination.says("gateway.state", "error", "can't append");
    examination.says("gateway.rules", "error", "line 3");
    examination.says("gateway.settings", "warning", "`mode`: is  no mode");
    examination.says(
        "gateway.waiting",
        "warning",
        "3 could not be written at once, and 1 of them never were",
    );
    examination.says("gateway.mode", "warning", "only observes");
    examination.says("versions", "warning", "0.0.9");
    examination.says("plugin", "error", "enabled, but unloaded in the gateway");

    let broken = json!({"version": "1", "degraded": {"cause": "the addon can't be loaded", "remedy": "Install it anew."}});
    home.openclaw(&[
        ("gateway call callosum.status", broken),
        ("gateway call plugins.list", json!({"plugins": []})),
    ]);
    let examination = home.examine(&[]);
    examination.says("gateway", "error", "the addon can't be loaded");
    examination.says("plugin", "error", "has no plugin");
}

/// A call that started, as OpenClaw records it.
fn started(tool: &str, seconds_ago: i64, call: Option<&str>) -> Value {
    use sha2::{Digest, Sha256};
    let mut event = json!({
        "action": "tool.action.started", "occurredAt": Machine::read().now().wall_ms - seconds_ago * 1000,
        "sessionKey": "agent:main:ann", "runId": "run-1", "toolName": tool,
    });
    if let Some(call) = call {
        let hash: String = Sha256::digest(call.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        event["toolCallId"] = json!(format!("sha256:{hash}"));
    }
    event
}

fn compared(home: &Home, events: &[Value], more: Value) -> Examination {
    let mut audit = json!({"events": events});
    audit.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let listed = json!({"plugins": [{"id": "callosum", "enabled": true, "runtime": {"state": "active"}}]});
    home.openclaw(&[
        ("gateway call callosum.status", well(home)),
        ("gateway call plugins.list", listed),
        ("audit --kind tool_action", audit),
    ]);
    home.examine(&[])
}

#[test]
fn recorded_calls_are_compared_as_far_as_the_journal_goes() {
    let home = Home::lived_in();
    let exec = started("exec", 0, Some("call-exec"));
    let read = started("read", 0, None);
    let wrapper = started("tool_call", 0, Some("call-0"));
    let fine = [exec.clone(), read, wrapper];
    compared(&home, &fine, json!({})).says("audit", "ok", "recorded 2 calls, and all passed");

    // The host notes a call before its line is written: the journal may begin after its own first call.
    let noted = started("exec", 60, Some("call-exec"));
    compared(&home, &[noted], json!({})).says("audit", "ok", "recorded 1 call, and all passed");

    let old = started("exec", 7200, Some("call-old"));
    let examination = compared(&home, &[exec.clone(), old.clone()], json!({"nextCursor": "7"}));
    examination.says("audit", "ok", "recorded 1 call");
    examination.says("audit", "ok", "not compared: 1 call, older than the journal");
    examination.says("audit", "ok", "OpenClaw has more");

    // None is in the journal: these are no calls from before it was.
    compared(&home, &[old], json!({})).says(
        "audit",
        "error",
        "1 call of 1 that OpenClaw recorded passed without Callosum",
    );
    compared(&home, &[], json!({})).says("audit", "note", "recorded no tool call");
}

#[test]
fn calls_that_passed_are_grouped_and_whether_it_gates_since_then_counts() {
    let home = Home::with_records(&[
        record("opened", json!({"timestamp": ago(600), "base": 0})),
        intent("x", json!({"timestamp": ago(100), "run": "run-1", "call": "c1", "tier": 2})),
    ]);
    let gated = started("exec", 100, Some("c1"));
    let before = [started("read", 300, Some("c2")), started("read", 200, Some("c3")), gated.clone()];
    let examination = compared(&home, &before, json!({}));
    examination.says("audit", "warning", "2 calls of 3");
    examination.says("audit", "warning", "read in session agent:main:ann: 2 calls, ");
    let after = [started("exec", 50, Some("c4")), gated];
    compared(&home, &after, json!({})).says("audit", "error", "1 call of 2");
}

#[test]
fn settings_that_pause_nothing_or_are_not_used_are_told_and_hide_nothing_else() {
    let home = Home::lived_in();
    let path = home.state().join("settings.json");
    let status = |settings: &str| {
        fs::write(&path, settings).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        let output = command.arg("status").env_clear().env("HOME", home.directory.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let finding = |id: &str| home.examine(&[]).0.into_iter().find(|finding| finding["id"] == id);
    assert!(finding("settings").is_none() && finding("mode").is_none());
    assert!(!status("{}").1.contains("Mode"));
    for (settings, wrong) in [
        (r#"{"mode":"observe",}"#, "is not a JSON object: trailing comma"),
        (r#"{"mode":"obsrve"}"#, "`mode` is \"obsrve\""),
        (r#"{"modus":"observe"}"#, "`modus` is not a setting"),
        (r#"{"stateDir":"/x"}"#, "its `stateDir` is ignored"),
        ("[]", "is not a JSON object"),
    ] {
        let (code, shown) = status(settings);
        // The rest is told all the same.
        assert!(code == Some(1) && shown.contains(wrong) && shown.contains("email:a@example.com"), "{shown}");
        let finding = finding("settings").unwrap();
        assert_eq!(finding["level"], "warning");
        assert!(finding["detail"].as_str().unwrap().contains(wrong), "{finding}");
    }
    let (code, shown) = status(r#"{"mode":"observe"}"#);
    assert!(code == Some(0) && shown.contains("Mode       Only observing"), "{shown}");
    assert_eq!(finding("mode").unwrap()["level"], "warning");
    assert!(finding("settings").is_none());
}
