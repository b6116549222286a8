//! Where nothing could be decided: what each runtime gets, by `onStateError`, and that nobody waits for ever.

use std::os::unix::net::UnixListener;
use std::path::Path;

use super::*;

/// Puts something where a file should be.
type Make = fn(&Path);

/// How a hook ended: its exit code, what it said, and what on standard error.
type Ended = (Option<i32>, String, String);

fn finish(hook: Child) -> Ended {
    let output = hook.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn event(session: Session<'_>, event: &str, command: &str) -> String {
    let mut input = json!({ "session_id": session.id, "cwd": "/home/doug/site", "hook_event_name": event });
    input.as_object_mut().unwrap().extend(shell(session, "x", command).as_object().unwrap().clone());
    input.to_string()
}

fn gating(session: Session<'_>) -> &'static str {
    if session.runtime == "gemini" { "BeforeTool" } else { "PreToolUse" }
}

/// A hook that is started by a shell, which sets it up: `exec "$@"` is where it becomes the hook.
fn by_shell(world: &World, setup: &str, session: Session<'_>, more: &[&str]) -> Child {
    let mut command = Command::new("sh");
    command
        .args(["-c", setup, "sh", env!("CARGO_BIN_EXE_callosum"), "hook", session.runtime])
        .args(more)
        .env("CALLOSUM_STATE_DIR", world.state.path())
        .env("HOME", world.state.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn told(mut hook: Child, input: &str) -> Ended {
    let _ = hook.stdin.take().unwrap().write_all(input.as_bytes());
    finish(hook)
}

/// What makes it impossible to decide.
#[derive(Clone, Copy, Debug)]
enum Cause {
    /// The state directory may be written by others.
    State,
    /// The event can't be read whole.
    Event,
    /// What stands in the guard's place is no file.
    Guard,
    /// Nothing can be written.
    FileLimit,
}

#[test]
fn what_each_runtime_gets_when_nothing_can_be_decided() {
    for cause in [Cause::State, Cause::Event, Cause::Guard, Cause::FileLimit] {
        for session in [CLAUDE, CODEX, GEMINI] {
            for (policy, refuses_plain, refuses_mail) in
                [("tiered", false, true), ("open", false, false), ("closed", true, true)]
            {
                let world = World::new();
                world.settings(&json!({ "onStateError": policy }));
                match cause {
                    Cause::State => {
                        fs::set_permissions(world.state.path(), fs::Permissions::from_mode(0o777)).unwrap();
                    }
                    Cause::Guard => fs::create_dir(world.state.path().join("state.guard")).unwrap(),
                    Cause::Event | Cause::FileLimit => {}
                }
                let setup = if matches!(cause, Cause::FileLimit) {
                    "ulimit -f 0; exec \"$@\""
                } else {
                    "exec \"$@\""
                };
                let ask = |name: &str, tool: &str, command: &str| {
                    let mut input: Value = serde_json::from_str(&event(session, name, command)).unwrap();
                    if !tool.is_empty() {
                        input["tool_name"] = json!(tool);
                    }
                    let input = input.to_string();
                    let is_whole = !matches!(cause, Cause::Event);
                    let input = if is_whole {
                        input
                    } else {
                        input.replace("\"command\":", "\"command\":1e999,\"was\":")
                    };
                    told(by_shell(&world, setup, session, &[]), &input)
                };
                let case = format!("{cause:?} {} {policy}", session.runtime);
                let (code, said, stderr) = ask(gating(session), "", MAIL);
                assert_eq!((code, stderr.as_str()), (Some(0), ""), "{case}");
                assert_eq!(!said.is_empty(), refuses_mail, "{case}: {said}");
                if refuses_mail {
                    let said: Value = serde_json::from_str(&said).unwrap();
                    let (decision, reason, fields) = if session.runtime == "gemini" {
                        (&said["decision"], &said["reason"], 2)
                    } else {
                        let specific = &said["hookSpecificOutput"];
                        assert_eq!(specific["hookEventName"], "PreToolUse");
                        (&specific["permissionDecision"], &specific["permissionDecisionReason"], 1)
                    };
                    assert_eq!(
                        (decision, said.as_object().unwrap().len()),
                        (&json!("deny"), fields),
                        "{case}"
                    );
                    assert!(reason.as_str().unwrap().starts_with("[Callosum] Can't "), "{case}: {reason}");
                }
                // One that no rule of tier 3 may be for.
                let (code, said, _) = ask(gating(session), "Thinking", "x");
                let refuses_plain = refuses_plain && !matches!(cause, Cause::Event);
                assert_eq!((code, !said.is_empty()), (Some(0), refuses_plain), "{case}: {said}");
                // Nothing else is ever stopped.
                for name in [
                    "PostToolUse",
                    "AfterTool",
                    "PostToolUseFailure",
                    "UserPromptSubmit",
                    "BeforeAgent",
                    "SessionStart",
                    "SessionEnd",
                    "Stop",
                ] {
                    let (code, said, stderr) = ask(name, "", MAIL);
                    assert!(
                        code == Some(0) && stderr.is_empty() && !said.contains("deny"),
                        "{case} {name}: {said}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_refusal_that_nobody_can_read_still_refuses() {
    for session in [CLAUDE, CODEX, GEMINI] {
        let world = World::new();
        assert_eq!(world.refusal(session, "first", MAIL), "");
        // Full, closed, and a reader that went away.
        for setup in ["exec \"$@\" >/dev/full", "exec \"$@\" >&-", "exec \"$@\" >/dev/null"] {
            let (code, _, stderr) =
                told(by_shell(&world, setup, session, &[]), &event(session, gating(session), MAIL));
            assert_eq!(code, Some(2), "{setup}");
            assert!(stderr.starts_with("[Callosum] \"email:alice@example.com\""), "{setup}: {stderr}");
            // What may run needs no word, and what is only told may be lost.
            for (name, command) in [(gating(session), "ls"), ("SessionStart", "")] {
                let (code, _, stderr) =
                    told(by_shell(&world, setup, session, &[]), &event(session, name, command));
                assert_eq!((code, stderr.as_str()), (Some(0), ""), "{setup} {name}");
            }
        }
        // The reader of a pipe of this process might live on for a moment in a program that another test starts.
        let elsewhere = tempfile::tempdir().unwrap();
        let pipe = elsewhere.path().join("pipe").display().to_string();
        let gone = format!("mkfifo {pipe} && {{ : <{pipe} & exec 3>{pipe}; wait; exec \"$@\" >&3 3>&-; }}");
        let hook = by_shell(&world, &gone, session, &[]);
        let (code, _, stderr) = told(hook, &event(session, gating(session), MAIL));
        assert_eq!((code, stderr.contains(ALICE)), (Some(2), true), "{stderr}");
    }
}

#[test]
fn an_event_that_comes_late_or_leaves_its_pipe_open_is_answered() {
    let world = World::new();
    assert_eq!(world.refusal(GEMINI, "first", MAIL), "");
    for (session, more) in [(CODEX, ["--timeout", "20"].as_slice()), (CLAUDE, &[])] {
        let mut hook = by_shell(&world, "exec \"$@\"", session, more);
        let mut stdin = hook.stdin.take().unwrap();
        let text = event(session, "PreToolUse", MAIL);
        // In pieces, each of which could have been waited for in vain.
        let (one, other) = text.split_at(text.len() / 2);
        thread::sleep(Duration::from_millis(1_200));
        stdin.write_all(one.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(300));
        stdin.write_all(other.as_bytes()).unwrap();
        // Whoever waited for the end of it would hang.
        let mut said = String::new();
        std::io::Read::read_to_string(&mut hook.stdout.take().unwrap(), &mut said).unwrap();
        assert!(said.contains(ALICE), "{said}");
        assert_eq!(hook.wait().unwrap().code(), Some(0));
        drop(stdin);
    }
}

#[test]
fn a_runtime_that_never_ends_its_event_is_not_waited_for() {
    let world = World::new();
    let named =
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"gog"#;
    for (input, is_refused) in [("{\"session_id\":", false), (named, true)] {
        let mut hook = by_shell(&world, "exec \"$@\"", CODEX, &["--timeout", "3"]);
        let mut stdin = hook.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        // Whoever waits for more than the test's own time hangs.
        let mut said = String::new();
        std::io::Read::read_to_string(&mut hook.stdout.take().unwrap(), &mut said).unwrap();
        assert_eq!(hook.wait().unwrap().code(), Some(0));
        assert_eq!(said.contains("deny"), is_refused, "{said}");
        drop(stdin);
    }
    assert!(world.lines("unreadable")[0]["reason"].as_str().unwrap().contains("did not arrive in time"));
}

#[test]
fn a_guard_that_is_held_for_ever_leaves_time_to_answer() {
    let world = World::new();
    assert_eq!(world.before(CLAUDE, "x", "ls"), "");
    let guard = world.state.path().join("state.guard");
    let guard = fs::OpenOptions::new().read(true).write(true).open(guard).unwrap();
    rustix::fs::flock(&guard, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for session in [CLAUDE, CODEX, GEMINI] {
        let mut hook = by_shell(&world, "exec \"$@\"", session, &["--timeout", "5"]);
        let _ = hook.stdin.take().unwrap().write_all(event(session, gating(session), MAIL).as_bytes());
        // A runtime ends what it has waited for so long, and then lets the call through.
        let until = Instant::now() + Duration::from_secs(5);
        while hook.try_wait().unwrap().is_none() && Instant::now() < until {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = hook.kill();
        let (code, said, stderr) = finish(hook);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{said}");
        assert!(said.contains("deny") && said.contains("Can't check"), "{said}");
    }
    drop(guard);
    assert_eq!(world.before(CLAUDE, "x", MAIL), "");
}

#[test]
fn a_hook_that_gets_no_thread_decides_all_the_same() {
    // Limits of processes don't hold for root.
    let is_root = rustix::process::geteuid().is_root();
    let setup = if is_root {
        "exec setpriv --reuid=54321 --regid=54321 --clear-groups prlimit --nproc=1 \"$@\""
    } else {
        "ulimit -u 1; exec \"$@\""
    };
    let world = World::new();
    let program = world.state.path().join("callosum");
    fs::copy(env!("CARGO_BIN_EXE_callosum"), &program).unwrap();
    let state = world.state.path().join("state");
    fs::create_dir(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    if is_root {
        fs::set_permissions(world.state.path(), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::chown(&state, Some(54321), Some(54321)).unwrap();
    }
    for (session, is_paused) in [(CLAUDE, false), (CODEX, true), (GEMINI, true)] {
        let mut command = Command::new("sh");
        command
            .args(["-c", setup, "sh"])
            .arg(&program)
            .args(["hook", session.runtime, "--state-dir"])
            .arg(&state);
        command
            .env("HOME", world.state.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (code, said, stderr) = told(command.spawn().unwrap(), &event(session, gating(session), MAIL));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{said}");
        assert_eq!(said.contains(ALICE), is_paused, "{said}");
    }
}

#[test]
fn what_is_no_file_in_the_state_directory_holds_nobody_up() {
    let pipe = |path: &Path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let socket = |path: &Path| drop(UnixListener::bind(path).unwrap());
    let folder = |path: &Path| fs::create_dir(path).unwrap();
    let device = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let kinds: [(&str, Make); 4] =
        [("pipe", pipe), ("socket", socket), ("folder", folder), ("device", device)];
    for (kind, make) in kinds {
        for (name, is_needed) in [
            ("journal.jsonl", true),
            ("state.guard", true),
            ("journal.index", false),
            ("tiers.json", false),
            ("settings.json", false),
        ] {
            let world = World::new();
            make(&world.state.path().join(name));
            // Whoever opens it hangs.
            let said = world.before(CLAUDE, "x", MAIL);
            assert_eq!(said.contains("Can't check"), is_needed, "{kind} {name}: {said}");
            assert!(
                !is_needed
                    || said.contains(name) && said.contains("no regular file")
                    || kind == "folder"
                    || kind == "socket",
                "{kind} {name}: {said}"
            );
            assert_eq!(world.before(CLAUDE, "y", "ls"), "");
            for command in ["status", "doctor", "journal", "leases", "sessions"] {
                let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
                    .arg(command)
                    .env("CALLOSUM_STATE_DIR", world.state.path())
                    .env("HOME", world.state.path())
                    .env("PATH", "")
                    .output()
                    .unwrap();
                assert!(output.status.code().is_some(), "{kind} {name} {command}");
                if command == "status" && (name == "journal.jsonl" || name == "settings.json") {
                    assert_eq!(output.status.code(), Some(1), "{kind} {name}");
                }
            }
        }
    }
}

#[test]
fn a_place_that_is_another_folder_in_each_process_holds_no_journal() {
    for (name, value) in [
        ("HOME", "relative".into()),
        ("CALLOSUM_STATE_DIR", "~bob/state".into()),
        ("CALLOSUM_STATE_DIR", "$XDG_STATE_HOME/x".into()),
        (
            "CALLOSUM_STATE_DIR",
            <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/tmp/\xff").to_owned(),
        ),
    ] {
        let value: std::ffi::OsString = value;
        let folder = tempfile::tempdir().unwrap();
        let ask = |args: &[&str], input: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
            command.args(args).env_remove("CALLOSUM_STATE_DIR").env("HOME", folder.path()).env(name, &value);
            command.current_dir(folder.path());
            told(
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(),
                input,
            )
        };
        let (code, said, _) = ask(&["hook", "codex"], &event(CODEX, "PreToolUse", MAIL));
        assert_eq!(code, Some(0));
        assert!(said.contains("can't be the state directory") && said.contains("deny"), "{value:?}: {said}");
        assert_eq!(ask(&["hook", "codex"], &event(CODEX, "PreToolUse", "ls")).1, "");
        let (code, shown, _) = ask(&["status"], "");
        assert!(code == Some(1) && shown.contains("can't be the state directory"), "{value:?}: {shown}");
        assert_eq!(ask(&["init"], "").0, Some(2));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{value:?}");
    }
    // A shell would have read these.
    for text in ["~/state", "$HOME/state", "${HOME}/state"] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command.args(["hook", "codex"]).env("CALLOSUM_STATE_DIR", text).env("HOME", folder.path());
        let hook =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert_eq!(told(hook, &event(CODEX, "PreToolUse", MAIL)).1, "");
        assert!(folder.path().join("state/journal.jsonl").exists(), "{text}");
    }
}
