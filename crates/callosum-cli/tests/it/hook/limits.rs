//! A limit over the sessions of several runtimes, a process an event.

use std::fs;
use std::thread;

use serde_json::json;

use super::{CLAUDE, CODEX, GEMINI, Session, World};

fn world(count: u32, per: &str) -> World {
    let world = World::new();
    let limit = json!({"count": count, "windowMs": 3_600_000, "per": per});
    let rules = json!({"extends": "default", "rules": [
        {"name": "mail", "tier": 3, "tool": "exec", "command": "gog gmail send", "contextKey": "email:{commandRecipients}", "limit": limit},
    ]});
    fs::write(world.state.path().join("tiers.json"), rules.to_string()).unwrap();
    world
}

fn mail(to: &str) -> String {
    format!("gog gmail send --to {to}@example.com --subject a --body b")
}

#[test]
fn a_limit_holds_over_the_sessions_of_three_runtimes() {
    let world = world(3, "rule");
    // One that is proved to have failed leaves its place to others.
    assert_eq!(world.refusal(CODEX, "f", &mail("fails")), "");
    world.after_codex("f", &mail("fails"), 127);
    for (session, to) in [(CLAUDE, "a"), (CODEX, "b"), (GEMINI, "c")] {
        assert_eq!(world.refusal(session, to, &mail(to)), "", "{}", session.runtime);
    }
    for session in [CLAUDE, CODEX, GEMINI, CLAUDE] {
        let text = world.refusal(session, "more", &mail("d"));
        assert!(
            text.starts_with(
                "[Callosum] The limit of the rule mail is reached: 3 calls in 1h for all sessions together"
            ),
            "{text}"
        );
    }
    let blocked = world.lines("blocked");
    assert_eq!(blocked.len(), 4);
    assert!(
        blocked.iter().all(|line| line["conflict"] == "limit" && line["limits"] == json!(["mail"])),
        "{blocked:?}"
    );
}

#[test]
fn of_many_hooks_at_once_a_limit_of_one_lets_one_through() {
    let world = world(1, "rule");
    let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
    let allowed = thread::scope(|scope| {
        let hooks: Vec<_> = names
            .iter()
            .zip(["claude-code", "codex", "gemini"].into_iter().cycle())
            .map(|(name, runtime)| {
                let world = &world;
                scope.spawn(move || world.refusal(Session { runtime, id: name }, name, &mail(name)))
            })
            .collect();
        hooks.into_iter().map(|hook| hook.join().unwrap()).filter(String::is_empty).count()
    });
    assert_eq!(allowed, 1);
}
