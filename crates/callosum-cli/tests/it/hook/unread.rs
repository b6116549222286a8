//! Events that can't be read, or not whole: each leaves a line, and a call that may be guarded is not let through unseen.

use super::*;

const RUNTIMES: [Session<'_>; 3] = [CLAUDE, CODEX, GEMINI];

fn gating(session: Session<'_>) -> &'static str {
    if session.runtime == "gemini" { "BeforeTool" } else { "PreToolUse" }
}

/// An event before a call, with this as its parameters, as text.
fn event(session: Session<'_>, tool: &str, input: &str, more: &str) -> String {
    let tool = if session.runtime == "gemini" && tool == "Bash" { "run_shell_command" } else { tool };
    format!(
        r#"{{"session_id":"{}","hook_event_name":"{}","tool_name":"{tool}","tool_input":{input}{more}}}"#,
        session.id,
        gating(session),
    )
}

fn command(command: &str) -> String {
    json!({ "command": command }).to_string()
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

fn is_refused(said: &str) -> bool {
    said.contains("\"deny\"")
}

#[test]
fn what_names_no_tool_is_let_through_and_leaves_a_line() {
    for session in RUNTIMES {
        let world = World::new();
        let whole = event(session, "Bash", &command(MAIL), "");
        let before_the_name = whole.split("\"tool_name\"").next().unwrap();
        let nothing = [
            "".to_owned(),
            " \n".to_owned(),
            "not JSON".to_owned(),
            "null".to_owned(),
            "[1,2]".to_owned(),
            "{}".to_owned(),
            "{\"session_id\":".to_owned(),
            before_the_name.to_owned(),
            nested(100_000),
            "[".repeat(1 << 20),
            format!(r#"{{"session_id":"s","hook_event_name":"{}","tool_name":7}}"#, gating(session)),
            format!(r#"{{"session_id":"s","hook_event_name":"{}"}}"#, gating(session)),
            // Events that nobody knows, and that tell how a call ended.
            format!(
                r#"{{"session_id":"s","tool_name":"Bash","tool_input":{},"tool_response":1}}"#,
                command(MAIL)
            ),
            event(session, "Bash", &command(MAIL), ",\"error\":\"no\"")
                .replace(gating(session), "FailedAnyhow"),
        ];
        for input in &nothing {
            assert_eq!(world.hook(session.runtime, input.as_bytes()), "", "{input:.80}");
        }
        assert_eq!(world.hook(session.runtime, b"\xff\xfe"), "");
        let lines = world.lines("unreadable");
        assert_eq!(lines.len(), nothing.len() + 1);
        let is_told =
            |line: &Value| line["runtime"] == session.runtime && !line["reason"].as_str().unwrap().is_empty();
        assert!(lines.iter().all(is_told), "{lines:?}");
        assert!(world.story().is_empty());
        for (args, code, told) in [
            (["status"].as_slice(), 0, format!("Unread     15 events from {}", session.runtime)),
            (&["doctor"], 1, format!("{}: 15 events could not be read", session.runtime)),
            (&["journal"], 0, "names no tool".to_owned()),
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_callosum"))
                .args(args)
                .env("CALLOSUM_STATE_DIR", world.state.path())
                .env("HOME", world.state.path())
                .env("PATH", "")
                .output()
                .unwrap();
            let shown = String::from_utf8(output.stdout).unwrap();
            assert!(shown.contains(&told) && output.status.code() == Some(code), "{shown}");
        }
    }
}

/// It may be the one that asks, under the name that a newer version of the runtime has for it.
#[test]
fn an_event_with_an_odd_name_or_none_is_decided_as_one_before_a_call() {
    for session in RUNTIMES {
        let named = event(session, "Bash", &command(MAIL), "");
        let name = format!(r#""hook_event_name":"{}","#, gating(session));
        assert!(named.contains(&name));
        for (odd, told) in [
            ("", "names no event"),
            (r#""hook_event_name":"","#, "names no event"),
            (r#""hook_event_name":null,"#, "names no event"),
            (r#""hook_event_name":7,"#, "names no event"),
            (r#""hook_event_name":"BeforeAnything","#, "event BeforeAnything is not known"),
            // Nothing is said there of how it ended.
            (r#""error":null,"#, "names no event"),
            (r#""tool_response":null,"#, "names no event"),
            (r#""hook_event_name":"Any","tool_response":null,"error":null,"#, "event Any is not known"),
        ] {
            let world = World::new();
            assert_eq!(world.hook(session.runtime, named.as_bytes()), "");
            let other = if session.runtime == "codex" { CLAUDE } else { CODEX };
            let text = named.replace(&name, odd).replace(session.id, other.id);
            let said = world.hook(session.runtime, text.as_bytes());
            assert!(is_refused(&said) && said.contains(ALICE), "{odd}: {said}");
            let lines = world.lines("unreadable");
            let is_told = |line: &Value| line["reason"].as_str().unwrap().contains(told);
            assert!(lines.len() == 1 && is_told(&lines[0]), "{odd}: {lines:?}");
        }
    }
}

/// What the hook of a second session says about the mail when it is started with these words, and the one line that it leaves.
fn with_words(world: &World, session: Session<'_>, words: &[&str]) -> (String, String) {
    assert_eq!(world.before(Session { id: "first", ..CODEX }, "x", MAIL), "");
    let mut hook = Command::new(env!("CARGO_BIN_EXE_callosum"));
    hook.arg("hook").args(words).arg("--state-dir").arg(world.state.path());
    let hook = hook.env("HOME", world.state.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut hook = hook.stderr(Stdio::piped()).spawn().unwrap();
    let text = event(session, "Bash", &command(MAIL), "");
    hook.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = hook.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    let lines = world.lines("unreadable");
    assert_eq!(lines.len(), 1, "{words:?}: {lines:?}");
    (String::from_utf8(output.stdout).unwrap(), lines[0]["reason"].as_str().unwrap().to_owned())
}

#[test]
fn a_hook_whose_time_is_no_number_decides_with_the_usual_one_and_leaves_a_line() {
    for words in [
        ["--timeout", "soon"].as_slice(),
        &["--timeout", "-5"],
        &["--timeout", "99999999999999"],
        &["--timeout", ""],
        &["--timeout=1.5"],
        &["--timeout"],
        &["--timeout", "20", "--timeout", "x"],
    ] {
        let (said, line) = with_words(&World::new(), CLAUDE, &[&["claude-code"], words].concat());
        assert!(is_refused(&said) && said.contains(ALICE), "{words:?}: {said}");
        assert!(line.contains("--timeout"), "{line}");
    }
}

#[test]
fn an_event_that_asks_is_no_other_because_its_hooks_command_says_so() {
    for session in RUNTIMES {
        for named in ["PostToolUse", "AfterTool", "SessionStart", "Stop", "Whatever"] {
            let (said, line) = with_words(&World::new(), session, &[session.runtime, named]);
            assert!(is_refused(&said) && said.contains(ALICE), "{named}: {said}");
            assert!(line.contains(named) && line.contains(gating(session)), "{named}: {line}");
        }
    }
}

#[test]
fn a_hook_with_a_wrong_argument_decides_all_the_same_and_leaves_a_line() {
    for session in RUNTIMES {
        let runtime = session.runtime;
        for (words, told) in [
            ([runtime, "--timeouts", "5"].as_slice(), "--timeouts"),
            (&[runtime, "--foo"], "--foo"),
            (&["--foo=bar", runtime], "--foo"),
            (&[runtime, gating(session), "extra"], "extra"),
            (&[runtime, "--json=yes"], "--json"),
            (&[runtime, "--timeout=20", "-x", "--state-dir"], "-x"),
        ] {
            let (said, line) = with_words(&World::new(), session, words);
            assert!(is_refused(&said) && said.contains(ALICE), "{words:?}: {said}");
            assert!(line.starts_with("its hook's words: ") && line.contains(told), "{words:?}: {line}");
        }
    }
}

#[test]
fn what_can_not_be_read_beside_a_call_hides_nothing_of_it() {
    let huge = format!("\"{}\"", "x".repeat((64 << 20) + 1));
    let beside = [
        nested(130),
        nested(100_000),
        huge,
        "1e999".to_owned(),
        "-1e999".to_owned(),
        "NaN".to_owned(),
        r#""a\ud83d""#.to_owned(),
        "1,\"extra\":2".to_owned(),
    ];
    for beside in &beside {
        let world = World::new();
        let more = format!(r#","extra":{beside}"#);
        for (number, session) in RUNTIMES.into_iter().enumerate() {
            let said = world.hook(session.runtime, event(session, "Bash", &command(MAIL), &more).as_bytes());
            // Exactly one.
            assert_eq!(said.contains(ALICE), number > 0, "{beside:.40}: {said}");
        }
        // Within the parameters too, where no rule asks for it.
        let input = format!(r#"{{"extra":{beside},"command":{}}}"#, json!(MAIL));
        let other = Session { id: "codex-2", ..CODEX };
        assert!(world.hook("codex", event(other, "Bash", &input, "").as_bytes()).contains(ALICE));
        assert_eq!(world.lines("unreadable").len(), 0);
    }
    let world = World::new();
    let mut broken = event(CLAUDE, "Bash", &command(MAIL), ",\"extra\":\"CUT\"").into_bytes();
    let at = broken.windows(3).position(|window| window == b"CUT").unwrap();
    broken[at] = 0xff;
    assert_eq!(world.hook("claude-code", &broken), "");
    broken.extend_from_slice(b"} and {\"what\": \"follows\"");
    assert!(world.hook("codex", &broken).contains(ALICE));
}

#[test]
fn a_call_that_may_be_guarded_and_can_not_be_told_is_refused() {
    let mail = json!(MAIL).to_string();
    let unreadable = [
        "\"x\"".to_owned(),
        "7".to_owned(),
        "[1]".to_owned(),
        "true".to_owned(),
        r#"{"command":1e999}"#.to_owned(),
        r#"{"command":"\x"}"#.to_owned(),
        format!(r#"{{"command":{}}}"#, nested(130)),
        format!(r#"{{"command":"{}"}}"#, "x".repeat((64 << 20) + 1)),
        format!(r#"{{"command":{mail},"command":"ls"}}"#),
        format!(r#"{{"command":"ls"}},"tool_input":{{"command":{mail}}}"#),
        // Cut off in the middle.
        r#"{"command":"gog gmail send --to al"#.to_owned(),
        r#"{"#.to_owned(),
    ];
    for session in RUNTIMES {
        let world = World::new();
        for input in &unreadable {
            let is_cut = serde_json::from_str::<Value>(input).is_err() && !input.ends_with('}');
            let whole = event(session, "Bash", input, "");
            let text = if is_cut { whole.strip_suffix('}').unwrap() } else { whole.as_str() };
            let said = world.hook(session.runtime, text.as_bytes());
            assert!(is_refused(&said) && said.contains("could not be read whole"), "{input:.80}: {said}");
        }
        let twice = event(session, "Read", "{}", ",\"tool_name\":\"Bash\"");
        assert!(is_refused(&world.hook(session.runtime, twice.as_bytes())));
        let refused = world.lines("refused");
        assert_eq!(refused.len(), unreadable.len() + 1);
        assert!(refused.iter().all(|line| line["reason"].as_str().unwrap().contains("could not be read")));
        // A tool that no rule of tier 3 is for runs, with its line.
        let plain = event(session, "Thinking", r#"{"thought":1e999}"#, "");
        assert_eq!(world.hook(session.runtime, plain.as_bytes()), "");
        assert_eq!(world.lines("intercept").len(), 1);
    }
}

#[test]
fn a_shell_whose_command_has_another_name_is_gated_by_what_its_parameters_say() {
    let mail = json!(MAIL);
    let words = json!(MAIL.split(' ').collect::<Vec<_>>());
    for session in RUNTIMES {
        for (input, is_guarded) in [
            (json!({ "Command": mail }), true),
            (json!({ "cmd": mail, "description": "Mails" }), true),
            (json!({ "command": { "text": mail }, "directory": "/" }), true),
            (json!({ "command": null, "script": mail }), true),
            (json!({ "argv": words }), true),
            (
                json!({ "command": 7, "args": ["gmail", "send", "--to", "alice@example.com"], "an": "gog" }),
                true,
            ),
            (json!({ "cmd": "ls" }), false),
        ] {
            let world = World::new();
            assert_eq!(world.before(Session { id: "first", ..CODEX }, "x", MAIL), "");
            let said = world.hook(session.runtime, event(session, "Bash", &input.to_string(), "").as_bytes());
            assert_eq!(is_refused(&said) && said.contains(ALICE), is_guarded, "{input}: {said}");
            let lines = world.lines("unreadable");
            let told = "`tool_input` has no text as `command`";
            assert!(lines.len() == 1 && lines[0]["reason"].as_str().unwrap().contains(told), "{lines:?}");
        }
        // Where nothing says what it runs, it may be anything.
        let world = World::new();
        for input in
            ["null", "{}", r#"{"command":null}"#, r#"{"command":7,"dir_path":"/"}"#, r#"{"bytes":[108]}"#]
        {
            let said = world.hook(session.runtime, event(session, "Bash", input, "").as_bytes());
            assert!(is_refused(&said) && said.contains("could not be read whole"), "{input}: {said}");
        }
        let missing = event(session, "Bash", "null", "").replace(",\"tool_input\":null", "");
        assert!(is_refused(&world.hook(session.runtime, missing.as_bytes())));
        assert_eq!(world.lines("refused").len(), 6);
    }
}

#[test]
fn wherever_an_event_is_cut_there_is_an_answer_and_a_line() {
    let world = World::new();
    let whole = event(CLAUDE, "Bash", &command(MAIL), r#","tool_use_id":"x""#);
    let (mut lines, mut refused) = (0, 0);
    for length in (0..whole.len()).step_by(3) {
        let said = world.hook("claude-code", &whole.as_bytes()[..length]);
        assert!(said.is_empty() || is_refused(&said), "{length}: {said}");
        refused += usize::from(!said.is_empty());
        lines += 1;
    }
    let written: Vec<Value> = world.lines("unreadable").into_iter().chain(world.lines("refused")).collect();
    // Where the command is whole, the call is one like any other: let through once, then paused.
    let known = world.story().len();
    assert_eq!(written.len() + known, lines);
    assert!(refused > 10 && known > 1, "{refused} {known}");
}

#[test]
fn an_event_without_a_session_is_its_runtimes() {
    for id in ["", "\"session_id\":\"\",", "\"session_id\":null,", "\"session_id\":[],"] {
        let world = World::new();
        let text = format!(
            r#"{{{id}"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}}"#,
            command(MAIL)
        );
        assert_eq!(world.hook("claude-code", text.as_bytes()), "");
        assert!(
            world.hook("codex", text.as_bytes()).contains("(claude-code session \\\"claude-code process ")
        );
        thread::sleep(READ);
        // Whoever asks next from the same process is the same session, and has read it.
        assert!(world.hook("claude-code", text.as_bytes()).contains(ALICE));
        thread::sleep(READ);
        assert_eq!(world.hook("claude-code", text.as_bytes()), "");
    }
    let world = World::new();
    let text = format!(
        r#"{{"session_id":42,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}}"#,
        command(MAIL)
    );
    assert_eq!(world.hook("claude-code", text.as_bytes()), "");
    assert_eq!(world.lines("intercept")[0]["session"], "42");
}

#[test]
fn sessions_that_begin_alike_are_two() {
    let world = World::new();
    let long = "s".repeat(400);
    for (name, is_told) in [("a", false), ("b", true)] {
        let id = format!("{long}{name}");
        let text = world.refusal(Session { runtime: "codex", id: &id }, "x", MAIL);
        assert_eq!(text.contains(ALICE), is_told);
    }
    thread::sleep(READ);
    let id = format!("{long}a");
    let told = world.event(Session { runtime: "codex", id: &id }, "SessionStart", json!({}));
    assert!(told.contains("By this session:") && !told.contains("By other sessions:"), "{told}");
    // What the one was shown is no leave for a third.
    let id = format!("{long}c");
    assert_ne!(world.refusal(Session { runtime: "codex", id: &id }, "x", MAIL), "");
}
