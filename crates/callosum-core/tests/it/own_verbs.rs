//! What the shipped rules say of each command of the gate's own programs: a new one is not left to chance, since a program that everybody
//! runs locally passes as harmless.

use std::fs;

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{Classification, RuleSet, World};
use serde_json::json;

/// The generated page of the command line, which a test keeps as it is.
const PAGE: &str = "../../docs/reference/command-line.md";
/// Commands that change nothing an agent may not change: they look, print, or start what only answers. `rules suggest` is refused with
/// `--write`, a list of teams' or rules' commands has subcommands of its own.
const HARMLESS: &[&str] = &[
    "",
    "status",
    "journal",
    "why",
    "sessions",
    "leases",
    "search",
    "doctor",
    "completions",
    "explain",
    "check",
    "rules",
    "rules suggest",
    "simulate",
    "team",
    "task",
    "task list",
    "task ready",
    "task show",
    "watch",
    "route",
    "digest",
    "bridge",
    "context",
    "context show",
    "context curate",
    "context signals",
    "context cron",
    "context lint",
    "token",
    "token list",
    "mcp",
];

fn of(command: &str) -> Classification {
    let call = ToolCall { tool: "exec".to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
    RuleSet::shipped().classify(&call, "openclaw", &json!({ "command": command }), &World::unseen())
}

#[test]
fn each_command_of_the_gate_is_protected_or_tracked_or_known_to_be_harmless() {
    let page = fs::read_to_string(PAGE).unwrap();
    let verbs: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("## `callosum")?.strip_suffix('`'))
        .map(str::trim)
        .collect();
    assert!(verbs.len() > 60, "{PAGE} has other headings");
    let mut wrong = vec![];
    for verb in &verbs {
        let found = of(&format!("callosum {verb} x y"));
        let stands = found.protected.is_some() || (found.tier as u8) >= 2;
        if stands == HARMLESS.contains(verb) {
            wrong.push(format!("{verb}: {stands}"));
        }
        let by_the_host = of(&format!("openclaw callosum {verb} x y"));
        if by_the_host.protected.is_some() != found.protected.is_some() {
            wrong.push(format!("openclaw callosum {verb}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(HARMLESS.iter().all(|verb| verbs.contains(verb)));
}

#[test]
fn the_service_is_a_persons() {
    for command in [
        "callosum init",
        "callosum init --force",
        "callosum serve",
        "nohup callosum serve --listen 0.0.0.0:7411 --plain-http &",
        "callosum-serve serve",
        "callosum-serve install",
        "callosum-serve uninstall",
        "callosum uninstall service",
    ] {
        assert!(of(command).protected.is_some(), "{command}");
    }
    for command in
        ["callosum serve --help", "callosum-serve --version", "callosum mcp", "callosum-serve token list"]
    {
        assert!(of(command).protected.is_none(), "{command}");
    }
}
