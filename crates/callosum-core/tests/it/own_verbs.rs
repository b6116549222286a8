//! What the shipped rules say of each command of `callosum`: a new one is not left to chance, since a program that everybody runs locally
//! passes as harmless.

use std::fs;

use callosum_core::rules::Classification;
use serde_json::json;

use crate::guards_itself;

/// The generated page of the command line, which a test keeps as it is.
const PAGE: &str = "../../docs/reference/command-line.md";
/// Commands that change nothing an agent may not change: they look, print, or start what agents ask (`mcp`). `team`, `task`, `rules`, `token`,
/// `bridge` and `context` alone only print their help.
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
    guards_itself::of("exec", "/w", &json!({ "command": command }))
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
        let stands = |program: &str| {
            let found = of(&format!("{program} {verb} x y"));
            (found.protected.is_some(), found.tier.is_tracked())
        };
        let (is_protected, is_tracked) = stands("callosum");
        if (is_protected || is_tracked) == HARMLESS.contains(verb) {
            wrong.push(format!("{verb}: {is_protected} {is_tracked}"));
        }
        if stands("openclaw callosum") != (is_protected, is_tracked) {
            wrong.push(format!("openclaw callosum {verb}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(HARMLESS.iter().all(|verb| verbs.contains(verb)));
}

#[test]
fn the_rules_file_and_the_service_are_a_persons_and_the_hook_is_a_runtimes() {
    for command in [
        "callosum init",
        "callosum --state-dir /home/me/.callosum init",
        "callosum --json serve",
        "callosum serve",
        "nohup callosum serve --listen 0.0.0.0:7411 --plain-http &",
        "callosum-serve serve",
        "callosum-serve install",
        "callosum-serve uninstall",
        "callosum uninstall service",
        "launchctl bootout gui/501/ai.callosum.serve",
        // It decides whatever else its line says.
        "callosum hook codex --dry-run",
        "callosum hook codex --help",
    ] {
        assert!(of(command).protected.is_some(), "{command}");
    }
    for command in [
        "callosum serve --help",
        "callosum install service --print",
        "callosum-serve --version",
        "callosum mcp",
        "callosum-serve token list",
    ] {
        assert!(of(command).protected.is_none(), "{command}");
    }
}
