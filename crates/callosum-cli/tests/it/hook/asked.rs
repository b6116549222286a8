//! What hooks say of calls that a rule leaves to a person, or only notes, by each runtime's protocol.

use std::fs;

use serde_json::{Value, json};

use super::{ALICE, CLAUDE, CODEX, GEMINI, MAIL, READ, Session, World, rows, shell};

fn world(on_conflict: &str) -> World {
    let world = World::new();
    let rules = json!({"extends": "default", "rules": [
        {"name": "mail", "tier": 3, "tool": "exec", "command": "gog gmail send", "contextKey": "email:{commandRecipients}", "onConflict": on_conflict},
    ]});
    fs::write(world.state.path().join("tiers.json"), rules.to_string()).unwrap();
    let sent = world.before(CODEX, "sent", MAIL);
    assert_eq!(sent, "");
    world.after_codex("sent", MAIL, 0);
    world
}

/// What Claude Code's hook says before the mail, in a mode of permissions.
fn in_mode(world: &World, session: Session<'_>, id: &str, mode: Option<&str>) -> Value {
    let mut call = shell(session, id, MAIL);
    call["permission_mode"] = json!(mode);
    let event = if session.runtime == "gemini" { "BeforeTool" } else { "PreToolUse" };
    serde_json::from_str(&world.event(session, event, call)).unwrap()
}

#[test]
fn claude_code_asks_its_user_with_the_facts_where_it_waits_for_the_answer() {
    for mode in ["default", "acceptEdits", "plan"] {
        let world = world("ask");
        let said = in_mode(&world, CLAUDE, "c1", Some(mode));
        let reason = said["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.starts_with(&format!("[Callosum] \"{ALICE}\" was already acted on")), "{reason}");
        assert!(reason.contains("codex-1"), "{reason}");
        assert_eq!(
            said,
            json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": reason,
            } }),
            "{mode}"
        );
        // It was let through by a person, and ran.
        world.after(CLAUDE, "c1", MAIL, json!({"stdout": "", "interrupted": false}));
        let expected = [
            ("codex", "intercept"),
            ("codex", "complete"),
            ("claude-code", "intercept"),
            ("claude-code", "complete"),
        ];
        assert_eq!(world.story(), rows(&expected));
        let asked = world.lines("started").into_iter().find(|line| line["runtime"] == "claude-code").unwrap();
        assert_eq!((&asked["onConflict"], &asked["conflict"]), (&json!("ask"), &json!("recent")));
        // Once: the next time they are asked again.
        let again = in_mode(&world, CLAUDE, "c2", Some(mode));
        assert_eq!(again["hookSpecificOutput"]["permissionDecision"], "ask");
    }
}

#[test]
fn where_nobody_is_asked_or_the_call_would_not_wait_it_is_paused_and_its_retry_runs() {
    for mode in [Some("auto"), Some("bypassPermissions"), Some("dontAsk"), Some("newer"), None] {
        let world = world("ask");
        let said = in_mode(&world, CLAUDE, "c1", mode);
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "{mode:?}");
        std::thread::sleep(READ);
        assert_eq!(world.refusal(CLAUDE, "c2", MAIL), "", "{mode:?}");
    }
    for session in [Session { id: "codex-2", ..CODEX }, GEMINI] {
        let world = world("ask");
        let said = in_mode(&world, session, "x1", Some("default"));
        let text = said.to_string();
        assert!(
            text.contains("\"deny\"") && text.contains("If this is intentionally different, retry."),
            "{text}"
        );
    }
}

#[test]
fn what_is_only_noted_runs_and_the_user_is_warned() {
    let world = world("note");
    for session in [CLAUDE, Session { id: "codex-2", ..CODEX }, GEMINI] {
        let said = in_mode(&world, session, "x1", Some("default"));
        let warning = said["systemMessage"].as_str().unwrap();
        assert!(warning.starts_with("[Callosum] \"email:alice@example.com\" "), "{warning}");
        assert_eq!(said, json!({ "systemMessage": warning }), "{}", session.runtime);
    }
    assert_eq!(world.lines("blocked"), Vec::<Value>::new());
    assert_eq!(world.lines("started").iter().filter(|line| line["onConflict"] == "note").count(), 3);
}
