//! The cheap look for folders that are kept, against the policy itself: what this would refuse, the look must not pass over. By each row of
//! `tests/commands/policy.jsonl`, spelled in many ways.

use std::fs;
use std::os::unix::fs::symlink;

use callosum_core::model::settings::Mode;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::policy::{Caller, Folder, FolderMode, Policy};
use callosum_core::rules::{RuleSet, World};
use serde_json::{Value, json};

const TABLE: &str = include_str!("../../../../tests/commands/policy.jsonl");
const NAME: &str = "shared-context";

/// A home with the folder in a workspace.
struct Home {
    directory: tempfile::TempDir,
    home: String,
    workspace: String,
    tree: String,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap().join("me");
        let workspace = home.join(".openclaw/workspace");
        let tree = workspace.join(NAME);
        for folder in
            ["agent-outputs/other", "agent-outputs/me", "feedback", "roundtable", "kpis", "calendar"]
        {
            fs::create_dir_all(tree.join(folder)).unwrap();
        }
        symlink("../..", tree.join("agent-outputs/me/up")).unwrap();
        let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
        Self { home: text(&home), workspace: text(&workspace), tree: text(&tree), directory }
    }

    fn filled(&self, text: &str) -> String {
        text.replace("{T}", &self.tree)
            .replace("{L}", &self.tree)
            .replace("{H}", &self.home)
            .replace("{W}", &self.workspace)
            .replace("{ME}", "me")
    }

    fn policy(&self, state_dir: &str) -> Policy {
        let folder = Folder { path: self.tree.clone(), also: Vec::new(), mode: FolderMode::Enforce };
        Policy::new(&[state_dir], &self.home, &[folder])
    }
}

/// Ways to write what a row writes, of which the policy knows what they mean.
type Change = (&'static str, fn(&str) -> String);
const CHANGES: &[Change] = &[
    ("as it stands", str::to_owned),
    ("a quote before the name's end", |text| text.replace(NAME, "\"shared\"-context")),
    ("a quoted sign", |text| text.replace(NAME, "shared'-'context")),
    ("a backslash", |text| text.replace(NAME, "shared\\-context")),
    ("quoted", |text| text.replace(NAME, "'shared-context'")),
    ("a variable", |text| format!("d=shared\n{}", text.replace(NAME, "$d-context"))),
    ("a variable in braces", |text| format!("d=shared\n{}", text.replace(NAME, "${d}-context"))),
    ("from here", |text| text.replace(NAME, "./shared-context")),
    ("from the working folder", |text| text.replace(NAME, "\"$PWD\"/shared-context")),
    ("with a dot behind", |text| text.replace(NAME, "shared-context/.")),
    ("doubled slashes", |text| text.replace("shared-context/", "shared-context//")),
    ("a pattern", |text| text.replace(NAME, "shared-*")),
    ("a quoted pattern", |text| text.replace(NAME, "\"shared-\"*")),
    ("a set", |text| text.replace(NAME, "[s]hared-context")),
    ("any characters", |text| text.replace(NAME, "shared?context")),
    ("only any characters", |text| text.replace(NAME, "??????????????")),
    ("any folder", |text| text.replace("shared-context/", "*/")),
    ("braces", |text| text.replace(NAME, "{shared-context,}")),
    ("braces within", |text| text.replace(NAME, "shared-c{ontext,}")),
    ("the workspace and a slash", |text| text.replace("{W}", "{W}/")),
    ("the workspace by two slashes", |text| text.replace("{W}", "{H}/.openclaw//workspace")),
    ("the workspace quoted", |text| text.replace("{W}", "\"{W}\"")),
    ("the workspace's home", |text| text.replace("{W}", "~/.openclaw/workspace")),
    ("the workspace's home, with its variable", |text| {
        text.replace("{W}", "\"${HOME:?}\"/.openclaw/workspace")
    }),
    ("the workspace by a pattern", |text| text.replace("{W}", "~/.openclaw/work*")),
    ("the home by a pattern", |text| text.replace("{W}", "~/.open*/workspace")),
    ("a folder above", |text| text.replace("{W}", "{H}")),
    ("in a shell", |text| format!("bash -c \"{}\"", text.replace('"', "\\\""))),
    ("behind others", |text| format!("cd /tmp; cd - >/dev/null; {text}")),
];

#[test]
fn whatever_the_policy_refuses_is_looked_at() {
    let home = Home::new();
    let policy = home.policy("/srv/.callosum");
    let rules = RuleSet::shipped();
    let world = World::of_process();
    let above = home.directory.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let caller = Caller { agent: "me", instance: "gw" };
    let (mut refused, mut passed) = (0, Vec::new());
    for row in TABLE.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let breaks = row["refused"].as_str().is_some_and(|rule| rule.starts_with("context."));
        let Some(command) = row["command"].as_str().filter(|_| breaks) else { continue };
        for (name, change) in CHANGES {
            let changed = home.filled(&change(command));
            for cwd in [&home.workspace, &format!("{}/", home.workspace), &home.home, &above] {
                let call =
                    ToolCall { tool: "exec".to_owned(), cwd: Some(cwd.clone()), ..ToolCall::default() };
                let params = json!({ "command": changed });
                if policy.judge(&call, &params, caller, &world, Mode::Enforce).is_none() {
                    continue;
                }
                refused += 1;
                let found = rules.classify_watching(
                    &call,
                    "openclaw",
                    &params,
                    &World::unseen(),
                    policy.watch(),
                    None,
                );
                if !found.names_kept && found.protected.is_none() {
                    passed.push(format!("{name}, in {cwd}: {changed}"));
                }
            }
        }
    }
    assert!(refused > 5_000, "{refused} of the spellings are refused");
    assert!(passed.is_empty(), "{} of {refused} pass:\n{}", passed.len(), passed.join("\n"));
}

/// What the gate makes of a call: the name of what it breaks.
fn refused_as(rules: &RuleSet, policy: &Policy, call: &ToolCall, params: &Value) -> Option<String> {
    let (world, caller) = (World::of_process(), Caller { agent: "me", instance: "gw" });
    let found = rules.classify_watching(call, "openclaw", params, &World::unseen(), policy.watch(), None);
    let judge = || policy.judge(call, params, caller, &world, Mode::Enforce);
    if found.names_kept { judge().map(|denial| denial.rule.to_owned()) } else { None }
}

fn called(tool: &str, cwd: &str) -> ToolCall {
    ToolCall { tool: tool.to_owned(), cwd: Some(cwd.to_owned()), ..ToolCall::default() }
}

#[test]
fn whatever_parameter_says_it_a_folder_is_kept() {
    let home = Home::new();
    let (policy, rules) = (home.policy("/srv/.callosum"), RuleSet::shipped());
    let all_here = "rm -rf *";
    for (tool, params, cwd) in [
        ("fs__delete_directory", json!({ "path": "{W}" }), "/tmp"),
        ("fs__delete_directory", json!({ "path": "{H}/" }), "/tmp"),
        ("fs__delete_directory", json!({ "path": ".." }), "{T}/calendar"),
        ("fs__move_file", json!({ "source": "{W}", "destination": "/tmp/x" }), "/tmp"),
        ("fs__write_files", json!({ "path": ["/tmp/a", "{T}/calendar/t.md"] }), "/tmp"),
        ("fs__write_file", json!({ "path": "{T}/calendar/t.md", "command": "create" }), "/tmp"),
        ("fs__write_file", json!({ "path": "shared-context/calendar/t.md" }), "{W}"),
        ("write", json!({ "path": "{T}/calendar/t.md" }), "/tmp"),
        ("fs__write_file", json!({ "path": "{T}/calendar/t.md", "host": "x" }), "/tmp"),
        ("fs__write_file", json!({ "path": "shared-context/calendar/t.md", "node": "x" }), "{W}"),
        ("exec", json!({ "command": all_here, "workdir": "{W}/" }), "/tmp"),
        ("exec", json!({ "command": all_here, "workdir": "{W}/." }), "/tmp"),
        ("exec", json!({ "command": all_here, "workdir": ".." }), "{W}/x"),
        ("exec", json!({ "command": all_here, "workdir": "~/.openclaw/workspace" }), "/tmp"),
        ("exec", json!({ "command": all_here }), "{W}/"),
        ("exec", json!({ "command": all_here }), "/"),
        ("exec", json!({ "command": "rm -rf /" }), "/tmp"),
        ("exec", json!({ "command": "echo x > notes.md", "workdir": "{T}" }), "/tmp"),
        ("term__run_command", json!({ "command": "echo x > notes.md", "cwd": "{T}" }), "/tmp"),
    ] {
        let params: Value = serde_json::from_str(&home.filled(&params.to_string())).unwrap();
        let call = called(tool, &home.filled(cwd));
        let refused = refused_as(&rules, &policy, &call, &params);
        assert!(refused.is_some(), "{tool} {params} in {cwd}");
    }
    for (tool, params, cwd) in [
        ("fs__delete_directory", json!({ "path": "{W}/build" }), "/tmp"),
        ("fs__move_file", json!({ "source": "{W}/a", "destination": "{W}/b" }), "/tmp"),
        ("exec", json!({ "command": "rm -rf build/*", "workdir": "{W}" }), "/tmp"),
        ("exec", json!({ "command": "ls", "workdir": "{T}" }), "/tmp"),
    ] {
        let params: Value = serde_json::from_str(&home.filled(&params.to_string())).unwrap();
        assert_eq!(refused_as(&rules, &policy, &called(tool, &home.filled(cwd)), &params), None, "{params}");
    }
    // A rule for whatever tool makes no command of what a file tool is given.
    let own = r#"{"extends":"default","rules":[{"name":"own","tier":2,"tool":"*","command":"acme deploy","contextKey":"acme"}]}"#;
    let rules = RuleSet::parse(own).unwrap();
    let params = json!({ "command": "create", "path": format!("{}/calendar/t.md", home.tree) });
    let tool = called("ed__str_replace_based_edit_tool", "/tmp");
    assert_eq!(refused_as(&rules, &policy, &tool, &params).as_deref(), Some("context.not-yours"));
    // And rules that are for no command at all leave lines as they are.
    let rules = RuleSet::parse(r#"{"rules":[{"name":"own","tier":2,"tool":"acme"}]}"#).unwrap();
    let params = json!({ "command": "rm -rf shared-context" });
    let tool = called("exec", &home.workspace);
    assert_eq!(refused_as(&rules, &policy, &tool, &params).as_deref(), Some("context.curator-only"));
}

#[test]
fn what_stands_behind_a_limit_is_not_taken_to_leave_a_folder_alone() {
    let home = Home::new();
    let (policy, rules) = (home.policy("/srv/.callosum"), RuleSet::shipped());
    let of = |command: &str| {
        refused_as(&rules, &policy, &called("exec", &home.workspace), &json!({ "command": command }))
    };
    let take = "rm -rf shared-context";
    let many = |count: usize| (0..count).map(|number| format!("a{number}")).collect::<Vec<_>>();
    for command in [
        format!("{}{take}", "eval ".repeat(9)),
        format!("echo {}{take}{}", "$(".repeat(9), ")".repeat(9)),
        format!("{}{take}", "env ".repeat(32)),
        format!("{}{take}", "x; ".repeat(8_192)),
        format!("rm -rf {{{},shared-context}}", many(300).join(",")),
        format!("rm -rf {} shared-context", many(16_400).join(" ")),
        format!("if [[ -d x ]] {{ {take} }}"),
        format!("python3 -c \"{}open('shared-context/calendar/t.md','w')\"", "a='x';".repeat(300)),
    ] {
        assert!(of(&command).is_some(), "{}", command.chars().take(80).collect::<String>());
    }
    for command in [
        format!("{}cat shared-context/priorities.md", "eval ".repeat(9)),
        format!("{}rm -rf build", "eval ".repeat(9)),
        format!("rm -rf {{{}}}", many(300).join(",")),
    ] {
        assert_eq!(of(&command), None, "{}", command.chars().take(80).collect::<String>());
    }
}
