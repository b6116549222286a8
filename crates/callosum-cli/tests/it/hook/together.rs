//! What hooks tell sessions of each other, once a person has turned that on.

use super::*;

/// What must reach a model by a tool's result alone.
const CANARY: &str = "canary-7f3a sings";

impl World {
    fn callosum(&self, args: &[&str]) -> Value {
        let (is_done, answer) = self.asked(args);
        assert!(is_done, "{args:?}: {answer}");
        answer
    }

    fn refused(&self, args: &[&str]) -> Value {
        let (is_done, answer) = self.asked(args);
        assert!(!is_done, "{args:?}: {answer}");
        answer
    }

    /// What a person is answered, and whether that was done.
    fn asked(&self, args: &[&str]) -> (bool, Value) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        for variable in ["CLAUDECODE", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCLAW_SHELL"]
        {
            command.env_remove(variable);
        }
        let output =
            command.args(args).arg("--json").env("CALLOSUM_STATE_DIR", self.state.path()).output().unwrap();
        (output.status.success(), serde_json::from_slice(&output.stdout).unwrap())
    }

    fn session(&self, id: &str) -> Value {
        let answer = self.callosum(&["sessions"]);
        answer["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|session| session["session"] == id)
            .unwrap()
            .clone()
    }

    fn activity(&self, session: Session<'_>) -> String {
        self.session(session.id)["activity"].as_str().unwrap().to_owned()
    }

    /// What the hook gives the model at this event; empty when it says nothing.
    fn told(&self, session: Session<'_>, event: &str, more: Value) -> String {
        let said = self.event(session, event, more);
        if said.is_empty() {
            return said;
        }
        let said: Value = serde_json::from_str(&said).unwrap();
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    fn begins(&self, session: Session<'_>) -> String {
        self.told(session, "SessionStart", json!({ "source": "startup" }))
    }

    /// Writes `/home/doug/site/page.txt`: what the session is told afterwards.
    fn writes(&self, session: Session<'_>, id: &str) -> String {
        let is_codex = session.runtime == "codex";
        let (before, after) =
            if is_codex { ("PreToolUse", "PostToolUse") } else { ("BeforeTool", "AfterTool") };
        let mut call = if is_codex {
            let patch = "*** Begin Patch\n*** Update File: page.txt\n@@\n-a\n+b\n*** End Patch";
            json!({ "tool_name": "apply_patch", "tool_input": { "command": patch }, "tool_use_id": id })
        } else {
            let input = json!({ "file_path": "/home/doug/site/page.txt", "content": "b" });
            json!({ "tool_name": "write_file", "tool_input": input })
        };
        assert_eq!(self.event(session, before, call.clone()), "");
        call["tool_response"] = json!({});
        self.told(session, after, call)
    }
}

#[test]
fn what_a_session_is_doing_is_what_its_runtime_told() {
    let world = World::new();
    world.begins(CLAUDE);
    assert_eq!(world.activity(CLAUDE), "idle");
    world.told(CLAUDE, "UserPromptSubmit", json!({}));
    assert_eq!(world.activity(CLAUDE), "working");
    for (event, more, activity) in [
        ("Notification", json!({ "notification_type": "permission_prompt", "message": CANARY }), "waiting"),
        ("StopFailure", json!({ "error": "rate_limit" }), "stuck"),
        ("PreCompact", json!({ "trigger": "auto" }), "compacting"),
        ("Stop", json!({}), "idle"),
        ("SessionEnd", json!({ "reason": "exit" }), "ended"),
    ] {
        assert_eq!(world.told(CLAUDE, event, more), "", "{event}");
        assert_eq!(world.activity(CLAUDE), activity, "{event}");
    }
    // Whether Codex's user trusts the hook for the end of a turn shows once one ended.
    world.begins(CODEX);
    world.told(CODEX, "UserPromptSubmit", json!({}));
    assert_eq!(world.activity(CODEX), "unknown");
    world.told(CODEX, "Stop", json!({}));
    assert_eq!(world.activity(CODEX), "idle");
    world.told(CODEX, "UserPromptSubmit", json!({}));
    assert_eq!(world.activity(CODEX), "working");
    let session = world.session(CODEX.id);
    let folder = json!("/home/doug/site");
    assert_eq!((&session["cwd"], &session["project"]), (&folder, &folder));
    assert!(session["pid"].is_u64());
    let journal = fs::read_to_string(world.state.path().join("journal.jsonl")).unwrap();
    assert!(!journal.contains(CANARY), "{journal}");
}

#[test]
fn worktrees_of_a_repository_are_one_project() {
    let world = World::new();
    let folder = world.state.path().join("repo");
    let worktree = world.state.path().join("worktree");
    let git_dir = folder.join(".git/worktrees/worktree");
    for made in [&git_dir, &worktree] {
        fs::create_dir_all(made).unwrap();
    }
    fs::write(git_dir.join("commondir"), "../..\n").unwrap();
    fs::write(worktree.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
    world.event(GEMINI, "SessionStart", json!({ "source": "startup", "cwd": worktree }));
    assert_eq!(world.session(GEMINI.id)["project"], json!(folder));
}

#[test]
fn nothing_is_told_before_a_person_turns_it_on_and_then_counts_and_ids_alone() {
    let world = World::new();
    let quiet =
        [world.begins(CODEX), world.begins(GEMINI), world.writes(CODEX, "1"), world.writes(GEMINI, "2")];
    assert_eq!(quiet, ["", "", "", ""]);
    world.callosum(&["task", "add", CANARY, "--id", "review", "--to", "gemini", "--prompt", CANARY]);
    world.callosum(&["publish", "calc.discovery", "--body", CANARY]);
    let sent = world.callosum(&["send", GEMINI.id, CANARY, "--intent", "request"]);
    let id = sent["message"]["id"].as_str().unwrap().to_owned();
    assert_eq!(sent["delivery"][0]["how"], "next-hook");
    let call = || world.told(GEMINI, "AfterTool", json!({ "tool_name": "glob", "tool_input": {} }));
    // In the middle of a turn only what should not wait, and that once.
    assert_eq!(call(), "");
    let told = world.told(GEMINI, "BeforeAgent", json!({ "prompt": "go on" }));
    assert!(told.starts_with("[Callosum] Sessions work together here."), "{told}");
    assert!(told.contains("Tasks: 1 to be claimed (review)."), "{told}");
    assert!(told.contains(&format!("Messages: 1 unread ({id}); requests: 1.")), "{told}");
    assert!(told.contains("At work in this project, too: codex session codex-1"), "{told}");
    assert!(told.contains("Discoveries: 1 lately ("), "{told}");
    let urgent = world.callosum(&["send", GEMINI.id, &format!("{CANARY} now"), "--urgent"]);
    let urgent = urgent["message"]["id"].as_str().unwrap();
    let (first, second) = (call(), call());
    assert!(first.contains(&format!("Messages: 1 unread ({urgent}); urgent: 1.")), "{first}");
    assert_eq!(second, "");
    for text in [&told, &first] {
        assert!(!text.contains("canary"), "{text}");
    }
    // A subagent gets none, and to be told that there is mail is not to have read it.
    let subagent = world.told(CLAUDE, "SessionStart", json!({ "source": "startup", "agent_id": "a1" }));
    assert!(!subagent.contains("work together"), "{subagent}");
    let messages = world.lines("message");
    let did: Vec<&Value> = messages.iter().map(|entry| &entry["document"]["did"]).collect();
    assert_eq!(did, ["sent", "noticing", "noticed", "sent", "noticing", "noticed"]);
    assert!(messages.iter().all(|entry| entry["document"]["recipients"][0]["shownAt"].is_null()));
    // Off is off again.
    world.callosum(&["team", "off"]);
    assert_eq!(world.told(GEMINI, "BeforeAgent", json!({ "prompt": "go on" })), "");
}

#[test]
fn a_session_that_writes_what_another_one_wrote_is_told_and_so_is_that_one() {
    let world = World::new();
    world.callosum(&["team", "on"]);
    world.begins(CODEX);
    world.begins(GEMINI);
    assert_eq!(world.writes(CODEX, "1"), "");
    let told = world.writes(GEMINI, "2");
    assert!(told.starts_with("[Callosum] codex session codex-1 wrote this file "), "{told}");
    // Its own write in between is no news.
    assert_eq!(world.writes(GEMINI, "3"), "");
    let other = world.writes(CODEX, "4");
    assert!(other.starts_with("[Callosum] gemini session gemini-1 wrote this file "), "{other}");
    assert!(other.contains("Messages: 1 unread (") && other.contains("urgent: 1"), "{other}");
    assert!(!other.contains("page.txt"), "{other}");
    let said = world.lines("message");
    let body = said[0]["document"]["body"].as_str().unwrap();
    assert!(body.contains("gemini session gemini-1 wrote \"file:/home/doug/site/page.txt\""), "{body}");
    // Of one that is over nobody has to be told.
    for session in [GEMINI, CODEX] {
        world.event(session, "SessionEnd", json!({ "reason": "exit" }));
    }
    let late = Session { runtime: "codex", id: "codex-2" };
    world.begins(late);
    assert_eq!(world.writes(late, "5"), "");
}

#[test]
fn whoever_goes_on_after_a_clear_has_the_mail_of_the_one_before() {
    let world = World::new();
    world.callosum(&["team", "on"]);
    world.begins(CLAUDE);
    world.callosum(&["send", CLAUDE.id, CANARY]);
    world.event(CLAUDE, "SessionEnd", json!({ "reason": "clear" }));
    let heir = Session { runtime: "claude-code", id: "claude-2" };
    let told = world.told(heir, "SessionStart", json!({ "source": "clear" }));
    assert!(told.contains("Messages: 1 unread ("), "{told}");
    // One that only begins in the same process takes nobody's place.
    world.event(heir, "SessionEnd", json!({ "reason": "logout" }));
    let stranger = Session { runtime: "claude-code", id: "claude-3" };
    assert!(!world.begins(stranger).contains("Messages"));
}

#[test]
fn what_a_sender_is_told_of_its_message_is_what_happens() {
    const NEXT_TURN: &str = "waits for its next turn: a hook says then that there is mail";
    const NEXT_CALL: &str = "a hook says so after its next tool call";
    let world = World::new();
    world.callosum(&["team", "on"]);
    world.begins(CLAUDE);
    let send = |words: &[&str]| {
        let sent = world.callosum(&[&["send", CLAUDE.id][..], words].concat());
        let told = &sent["delivery"][0];
        let text = |field: &str| told[field].as_str().unwrap().to_owned();
        (text("activity"), text("how"), text("why"))
    };
    let expected = |activity: &str, why: &str| (activity.to_owned(), "next-hook".to_owned(), why.to_owned());
    let prompt = || world.told(CLAUDE, "UserPromptSubmit", json!({}));
    let call = || world.told(CLAUDE, "PostToolUse", json!({ "tool_name": "Read", "tool_input": {} }));
    let mail = |count: usize| format!("Messages: {count} unread (");
    // Idle.
    assert_eq!(send(&["one"]), expected("idle", NEXT_TURN));
    assert!(prompt().contains(&mail(1)));
    // Busy.
    assert_eq!(send(&["two"]), expected("working", NEXT_TURN));
    assert_eq!(call(), "");
    assert!(prompt().contains(&mail(2)));
    // A person is asked whether one of its calls may run.
    world.told(
        CLAUDE,
        "Notification",
        json!({ "notification_type": "permission_prompt", "message": "may it" }),
    );
    assert_eq!(send(&["three", "--urgent"]), expected("waiting", NEXT_CALL));
    assert!(call().contains(&mail(1)));
    // To be told of all that is not to have read any of it.
    let states = || -> Vec<(Value, Value)> {
        let of = |entry: &Value| entry["document"]["recipients"][0].clone();
        world
            .lines("message")
            .iter()
            .map(of)
            .map(|to| (to["shownAt"].clone(), to["session"].clone()))
            .collect()
    };
    assert!(states().iter().all(|(shown, _)| shown.is_null()));
    // Replaced: the next one in its process has the mail, and who writes to the old name hears that nobody has it.
    world.event(CLAUDE, "SessionEnd", json!({ "reason": "clear" }));
    let heir = Session { runtime: "claude-code", id: "claude-2" };
    let told = world.told(heir, "SessionStart", json!({ "source": "clear" }));
    assert!(told.contains(&mail(3)), "{told}");
    assert_eq!(states().last().unwrap().1, heir.id);
    let unknown = |session: &str| {
        let refused = world.refused(&["send", session, "late"]);
        let error = &refused["error"];
        let says = error["message"].as_str().unwrap_or_default().ends_with(&format!("{session} has ended"));
        assert!(error["code"] == "unknown" && says, "{refused}");
    };
    unknown(CLAUDE.id);
    // Ended.
    world.event(heir, "SessionEnd", json!({ "reason": "exit" }));
    unknown(heir.id);
    let sent = world.lines("message").iter().filter(|entry| entry["document"]["did"] == "sent").count();
    assert_eq!(sent, 3);
}

#[test]
fn routes_that_cant_be_used_take_nobody_s_mail_away() {
    let world = World::new();
    world.callosum(&["team", "on"]);
    world.begins(GEMINI);
    world.callosum(&["send", GEMINI.id, CANARY]);
    let routes = world.state.path().join("routes.json");
    let prompt = || world.told(GEMINI, "BeforeAgent", json!({ "prompt": "go on" }));
    fs::write(&routes, "[").unwrap();
    assert!(prompt().contains("Messages: 1 unread ("));
    fs::remove_file(&routes).unwrap();
    // Whoever opens a pipe waits for somebody who writes into it.
    assert!(Command::new("mkfifo").arg(&routes).status().unwrap().success());
    assert!(prompt().contains("Messages: 1 unread ("));
}
