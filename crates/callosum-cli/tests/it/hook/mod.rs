//! `callosum hook` as the runtimes start it: a process an event, its JSON on standard input.

mod asked;
mod given_up;
mod limits;
mod repositories;
mod together;
mod unread;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

const MAIL: &str = "gog gmail send --to alice@example.com --subject Monday --body hello";
const ALICE: &str = "email:alice@example.com";

/// Longer than a pause of a runtime without signals needs to count as read.
const READ: Duration = Duration::from_millis(700);

struct World {
    state: TempDir,
    /// Codex's record of its sessions.
    transcript: NamedTempFile,
}

/// A session of a runtime.
#[derive(Clone, Copy)]
struct Session<'a> {
    runtime: &'a str,
    id: &'a str,
}

const CLAUDE: Session<'_> = Session { runtime: "claude-code", id: "claude-1" };
const CODEX: Session<'_> = Session { runtime: "codex", id: "codex-1" };
const GEMINI: Session<'_> = Session { runtime: "gemini", id: "gemini-1" };

impl World {
    fn new() -> Self {
        Self { state: tempfile::tempdir().unwrap(), transcript: NamedTempFile::new().unwrap() }
    }

    fn start(&self, runtime: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command
            .args(["hook", runtime])
            .env("CALLOSUM_STATE_DIR", self.state.path())
            .env("HOME", self.state.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn settings(&self, settings: &Value) {
        fs::write(self.state.path().join("settings.json"), settings.to_string()).unwrap();
    }

    /// Runtime, action and reason of the journal's lines with this action.
    fn lines(&self, action: &str) -> Vec<Value> {
        let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
            .args(["journal", "--json", "-n", "1000", "--action", action])
            .env("CALLOSUM_STATE_DIR", self.state.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["entries"].as_array().unwrap().clone()
    }

    /// What the hook says to this on its standard input; it always exits with 0 and never complains.
    fn hook(&self, runtime: &str, input: &[u8]) -> String {
        let mut hook = self.start(runtime);
        hook.stdin.take().unwrap().write_all(input).unwrap();
        let output = hook.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        String::from_utf8(output.stdout).unwrap()
    }

    fn event(&self, session: Session<'_>, event: &str, more: Value) -> String {
        let mut input =
            json!({ "session_id": session.id, "cwd": "/home/doug/site", "hook_event_name": event });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.hook(session.runtime, input.to_string().as_bytes())
    }

    /// What the hook says before a shell command, and how the runtime tells it.
    fn before(&self, session: Session<'_>, id: &str, command: &str) -> String {
        self.event(
            session,
            if session.runtime == "gemini" { "BeforeTool" } else { "PreToolUse" },
            shell(session, id, command),
        )
    }

    fn after(&self, session: Session<'_>, id: &str, command: &str, response: Value) {
        let mut call = shell(session, id, command);
        call.as_object_mut().unwrap().insert("tool_response".to_owned(), response);
        let event = if session.runtime == "gemini" { "AfterTool" } else { "PostToolUse" };
        assert_eq!(self.event(session, event, call), "");
    }

    /// Codex tells its hook what the command printed, and writes elsewhere how it exited.
    fn after_codex(&self, id: &str, command: &str, exit_code: i64) {
        let line = json!({ "payload": { "type": "item_completed", "turn_id": "t1", "item": {
            "type": "CommandExecution", "id": id, "exit_code": exit_code,
        } } });
        writeln!(self.transcript.as_file(), "{line}").unwrap();
        let mut call = shell(CODEX, id, command);
        let more = json!({ "tool_response": "as it was printed", "transcript_path": self.transcript.path() });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(self.event(CODEX, "PostToolUse", call), "");
    }

    /// The text of a refusal, taken out of the runtime's dialect; empty when the call may run.
    fn refusal(&self, session: Session<'_>, id: &str, command: &str) -> String {
        let said = self.before(session, id, command);
        if said.is_empty() {
            return said;
        }
        let said: Value = serde_json::from_str(&said).unwrap();
        if session.runtime == "gemini" {
            assert_eq!(said, json!({ "decision": "deny", "reason": said["reason"] }));
            return said["reason"].as_str().unwrap().to_owned();
        }
        let reason = &said["hookSpecificOutput"]["permissionDecisionReason"];
        assert_eq!(
            said,
            json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason,
            } })
        );
        reason.as_str().unwrap().to_owned()
    }

    /// Session, action and exit code of each record on the mail to Alice.
    fn story(&self) -> Vec<(String, String)> {
        let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
            .args(["journal", "--json", "--key", ALICE])
            .env("CALLOSUM_STATE_DIR", self.state.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        answer["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (text(&entry["runtime"]), text(&entry["action"])))
            .collect()
    }
}

fn shell(session: Session<'_>, id: &str, command: &str) -> Value {
    match session.runtime {
        "gemini" => {
            json!({ "tool_name": "run_shell_command", "tool_input": { "command": command, "description": "Mails" } })
        }
        _ => json!({
            "tool_name": "Bash", "tool_input": { "command": command, "description": "Mails" }, "tool_use_id": id,
            "turn_id": "t1",
        }),
    }
}

fn rows(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(runtime, action)| ((*runtime).to_owned(), (*action).to_owned())).collect()
}

#[test]
fn a_mail_of_one_runtime_pauses_the_next_and_a_retry_passes() {
    let world = World::new();
    assert_eq!(world.refusal(CLAUDE, "c1", MAIL), "");
    world.after(CLAUDE, "c1", MAIL, json!({ "stdout": "sent", "stderr": "", "interrupted": false }));
    for session in [CODEX, GEMINI] {
        let text = world.refusal(session, "x1", MAIL);
        assert!(text.starts_with("[Callosum] \"email:alice@example.com\" was already acted on"), "{text}");
        assert!(
            text.contains("(claude-code session claude-1): exec, complete; parameters identical"),
            "{text}"
        );
        // Two calls in one message: the second is no retry.
        assert_ne!(world.refusal(session, "x2", MAIL), "");
    }
    thread::sleep(READ);
    assert_eq!(world.refusal(CODEX, "x3", MAIL), "");
    // The shell has not found the program.
    world.after_codex("x3", MAIL, 127);
    // What failed is no news: what Gemini was shown still holds.
    assert_eq!(world.refusal(GEMINI, "x3", MAIL), "");
    world.after(
        GEMINI,
        "x3",
        MAIL,
        json!({ "llmContent": "Output: sent\nProcess Group PGID: 7", "returnDisplay": "sent" }),
    );
    assert_eq!(
        world.story(),
        rows(&[
            ("claude-code", "intercept"),
            ("claude-code", "complete"),
            ("codex", "blocked"),
            ("codex", "blocked"),
            ("gemini", "blocked"),
            ("gemini", "blocked"),
            ("codex", "intercept"),
            ("codex", "failed"),
            ("gemini", "intercept"),
            ("gemini", "complete"),
        ])
    );
}

#[test]
fn a_pause_says_in_which_project_the_other_session_runs_where_its_runtime_told_that() {
    let world = World::new();
    world.event(CLAUDE, "SessionStart", json!({ "source": "startup", "cwd": "/home/doug/acme/app" }));
    assert_eq!(world.refusal(CLAUDE, "c1", MAIL), "");
    let text = world.refusal(CODEX, "x1", MAIL);
    assert!(text.contains("(claude-code session claude-1 in app): exec, still running"), "{text}");
}

#[test]
fn one_at_a_time_and_an_open_call_is_told_so() {
    let world = World::new();
    assert_eq!(world.refusal(GEMINI, "", MAIL), "");
    let text = world.refusal(CLAUDE, "c1", MAIL);
    assert!(text.contains("is being acted on") && text.contains("still running"), "{text}");
}

#[test]
fn of_many_processes_at_once_exactly_one_is_let_through() {
    let world = World::new();
    let allowed = thread::scope(|scope| {
        let hooks: Vec<_> = (0..8)
            .map(|number| {
                let world = &world;
                scope.spawn(move || {
                    let runtime = ["claude-code", "codex", "gemini"][number % 3];
                    let id = format!("{runtime}-{number}");
                    world.refusal(Session { runtime, id: &id }, "x", MAIL).is_empty()
                })
            })
            .collect();
        hooks.into_iter().map(|hook| hook.join().unwrap()).filter(|allowed| *allowed).count()
    });
    assert_eq!(allowed, 1);
}

#[test]
fn a_session_that_starts_is_told_what_others_did_and_what_it_did_itself() {
    let world = World::new();
    assert_eq!(world.event(CLAUDE, "SessionStart", json!({ "source": "startup" })), "");
    assert_eq!(world.refusal(CODEX, "x1", MAIL), "");
    world.after_codex("x1", MAIL, 0);
    assert_eq!(world.refusal(CLAUDE, "c1", "git push origin main"), "");
    for session in [CLAUDE, GEMINI] {
        let said: Value =
            serde_json::from_str(&world.event(session, "SessionStart", json!({ "source": "compact" })))
                .unwrap();
        let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(
            text.starts_with("[Callosum] What agent sessions") && text.contains("not instructions"),
            "{text}"
        );
        assert!(text.contains("(codex session codex-1): exec, complete (email:alice@example.com)"), "{text}");
        assert_eq!(text.contains("By this session:"), session.runtime == "claude-code", "{text}");
        assert_eq!(said["hookSpecificOutput"].as_object().unwrap().len(), 2);
    }
    // The state directory is where its settings are found, whatever they say.
    let settings = |text: &str| fs::write(world.state.path().join("settings.json"), text).unwrap();
    settings(r#"{"sessionContext":false}"#);
    assert_ne!(world.refusal(GEMINI, "g1", MAIL), "");
    assert_eq!(world.event(GEMINI, "SessionStart", json!({ "source": "startup" })), "");
    // What can't be used of them is told, because nobody reads a hook's log.
    for (text, told) in [
        (r#"{"sessionContext":false,"stateDir":"/nowhere"}"#, "its `stateDir` is ignored"),
        (r#"{"sessionContext":false,"modus":"observe"}"#, "`modus` is not a setting"),
        (r#"{"mode":"observe",}"#, "is not a JSON object: trailing comma"),
    ] {
        settings(text);
        let said = world.event(GEMINI, "SessionStart", json!({ "source": "startup" }));
        assert!(said.contains(told), "{said}");
        assert_ne!(world.refusal(GEMINI, "g2", MAIL), "");
    }
    for event in ["UserPromptSubmit", "Stop", "SessionEnd", "PreCompact", "SomethingNew"] {
        assert_eq!(world.event(CLAUDE, event, json!({})), "");
    }
}

#[test]
fn a_session_that_called_nothing_is_there_until_it_ends() {
    let world = World::new();
    let sessions = || -> Vec<Value> {
        let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
            .args(["sessions", "--json"])
            .env("CALLOSUM_STATE_DIR", world.state.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["sessions"].as_array().unwrap().clone()
    };
    for (session, start, prompt) in [
        (CLAUDE, "SessionStart", "UserPromptSubmit"),
        (CODEX, "SessionStart", "UserPromptSubmit"),
        (GEMINI, "SessionStart", "BeforeAgent"),
    ] {
        world.event(session, start, json!({ "source": "startup" }));
        let told = sessions();
        assert_eq!((&told[0]["session"], &told[0]["runtime"]), (&json!(session.id), &json!(session.runtime)));
        assert_eq!(
            (&told[0]["calls"], told[0].get("lastTool"), told[0].get("over")),
            (&json!(0), None, None)
        );
        assert_eq!(world.event(session, prompt, json!({ "prompt": "Mail Alice, the key is hunter2" })), "");
        assert_eq!(world.refusal(session, "1", "ls"), "");
        assert_eq!((&sessions()[0]["lastTool"], &sessions()[0]["calls"]), (&json!("exec"), &json!(1)));
        assert_eq!(world.event(session, "SessionEnd", json!({ "reason": "exit" })), "");
        assert_eq!(sessions()[0]["over"], "ended");
    }
    for event in ["SubagentStart", "PreCompress", "SubagentStop", "PostCompact"] {
        assert_eq!(world.event(Session { runtime: "codex", id: "no-sign" }, event, json!({})), "");
    }
    assert_eq!(sessions().len(), 3);
    let journal = fs::read_to_string(world.state.path().join("journal.jsonl")).unwrap();
    assert!(journal.contains(r#""reason":"startup","event":"start""#), "{journal}");
    assert!(!journal.contains("hunter2") && !journal.contains("Mail Alice"), "{journal}");
}

#[test]
fn the_hooks_of_a_call_are_counted_on_its_own_lines() {
    let world = World::new();
    assert_eq!(world.refusal(CODEX, "x1", "ls"), "");
    world.after_codex("x1", "ls", 0);
    assert_eq!(world.refusal(CODEX, "x2", MAIL), "");
    world.after_codex("x2", MAIL, 0);
    assert_ne!(world.refusal(CLAUDE, "c1", MAIL), "");
    let told = |args: &[&str]| -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
            .args(args)
            .env("CALLOSUM_STATE_DIR", world.state.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let status: Value = serde_json::from_str(&told(&["status", "--json"])).unwrap();
    let counts = |runtime: &str| {
        let counts = &status["coverage"][runtime]["exec"];
        (counts["before"].as_u64().unwrap(), counts["after"].as_u64().unwrap())
    };
    assert_eq!((counts("codex"), counts("claude-code")), ((2, 2), (1, 0)));
    let journal: Value = serde_json::from_str(&told(&["journal", "--json"])).unwrap();
    let actions: Vec<&str> = journal["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    // Only the end of what has no line for it has one for its count.
    assert_eq!(
        actions,
        ["opened", "rules", "intercept", "seen", "intercept", "complete", "rules", "blocked"]
    );
    assert_eq!(told(&["journal", "--all"]).matches("exec 0/1").count(), 1);
    assert!(!told(&["journal", "--all"]).contains("exec 1/0"));
}

#[test]
fn the_window_is_named_once_and_hooks_that_read_no_rules_do_not_shorten_it() {
    let world = World::new();
    for id in ["x1", "x2"] {
        assert_eq!(world.refusal(CODEX, id, "ls"), "");
        world.after_codex(id, "ls", 0);
    }
    let journal = fs::read_to_string(world.state.path().join("journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"action\":\"rules\"").count(), 1, "{journal}");
}

#[test]
fn files_of_different_runtimes_have_one_key() {
    let world = World::new();
    world.event(CLAUDE, "PreToolUse", json!({ "tool_name": "Write", "tool_input": { "file_path": "/home/doug/site/a.md" }, "tool_use_id": "1" }));
    world.event(
        GEMINI,
        "BeforeTool",
        json!({ "tool_name": "write_file", "tool_input": { "file_path": "a.md" } }),
    );
    let patch = "*** Begin Patch\n*** Update File: a.md\n*** Add File: b/c.md\n*** End Patch";
    world.event(
        CODEX,
        "PreToolUse",
        json!({ "tool_name": "apply_patch", "tool_input": { "command": patch }, "tool_use_id": "1" }),
    );
    let journal = fs::read_to_string(world.state.path().join("journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"file:/home/doug/site/a.md\"").count(), 3, "{journal}");
    assert_eq!(journal.matches("\"file:/home/doug/site/b/c.md\"").count(), 1);
}

#[test]
fn a_call_with_half_an_emoji_in_it_is_seen_like_any_other() {
    let world = World::new();
    let mail = format!("{MAIL} CUT");
    assert_eq!(world.before(CODEX, "one", &mail), "");
    let input = json!({
        "session_id": GEMINI.id, "cwd": "/home/doug/site", "hook_event_name": "BeforeTool",
    });
    let mut input = input.as_object().unwrap().clone();
    input.extend(shell(GEMINI, "two", &mail).as_object().unwrap().clone());
    // As `JSON.stringify` writes a text that was cut within a character.
    let cut = Value::from(input).to_string().replace("CUT", "\\ud83d");
    assert!(world.hook("gemini", cut.as_bytes()).contains(ALICE));
}

#[test]
fn a_hook_that_names_no_known_runtime_lets_every_call_through_and_leaves_a_line() {
    let world = World::new();
    let folder = world.state.path().to_string_lossy().into_owned();
    let named = ["hook", "codx", "--state-dir", &folder, "--timeout", "20"];
    for (at, args) in [["hook", "somebody"].as_slice(), &["hook", "somebody", "--new"], &["hook"], &named]
        .into_iter()
        .enumerate()
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command.args(args);
        if !args.contains(&"--state-dir") {
            command.env("CALLOSUM_STATE_DIR", world.state.path());
        }
        let mut hook =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // More than a pipe holds: nobody reads it, or all of it is read.
        hook.stdin.take().unwrap().write_all(&vec![b' '; 1 << 20]).unwrap();
        let output = hook.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"".as_slice()), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
        let lines = world.lines("unreadable");
        assert_eq!(lines.len(), at + 1, "{args:?}");
        assert!(lines[at]["reason"].as_str().unwrap().contains("its hook's words: "), "{}", lines[at]);
    }
}

#[test]
fn where_nothing_can_be_written_the_settings_decide() {
    let world = World::new();
    fs::set_permissions(world.state.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(world.refusal(CODEX, "x1", "ls"), "");
    let text = world.refusal(CODEX, "x2", MAIL);
    assert!(text.contains("Can't check") && text.contains("chmod"), "{text}");
    fs::write(world.state.path().join("settings.json"), r#"{"onStateError":"open"}"#).unwrap();
    assert_eq!(world.refusal(CODEX, "x3", MAIL), "");
    // A settings file that can't be used changes nothing, and is named to who asks.
    fs::write(world.state.path().join("settings.json"), "{").unwrap();
    assert_ne!(world.refusal(CODEX, "x4", MAIL), "");
    let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
        .arg("status")
        .env("CALLOSUM_STATE_DIR", world.state.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("settings.json` is not a JSON object"));
}
