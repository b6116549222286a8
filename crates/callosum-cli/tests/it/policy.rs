//! What the policy refuses and what it lets through, by `tests/commands/policy.jsonl`: each call of the table as each runtime makes it, through
//! the real hook program, and of OpenClaw through a gate beside an event loop.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use callosum_core::gate::{Answer, Gate, GateOptions};
use callosum_core::model::tool_call::ToolCall;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

const TABLE: &str = include_str!("../../../../tests/commands/policy.jsonl");

/// A call, and what becomes of it.
#[derive(Deserialize)]
struct Row {
    command: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    params: Map<String, Value>,
    /// The name of what it breaks; null where it passes.
    refused: Option<String>,
}

/// A home with a shared context in a workspace, a link to it, and folders that only have such names.
struct World {
    _root: TempDir,
    home: PathBuf,
    tree: PathBuf,
    link: PathBuf,
    state: PathBuf,
}

impl World {
    fn new(state: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let home = real.join("me");
        let tree = home.join(".openclaw/workspace/shared-context");
        for folder in [
            "agent-outputs/other",
            "agent-outputs/me",
            "staging/me",
            "feedback",
            "roundtable",
            "kpis",
            "calendar",
        ] {
            fs::create_dir_all(tree.join(folder)).unwrap();
        }
        for agent in ["me", "claude-code", "codex", "gemini"] {
            fs::create_dir_all(tree.join("agent-outputs").join(agent)).unwrap();
            symlink("../..", tree.join("agent-outputs").join(agent).join("up")).unwrap();
        }
        fs::write(tree.join("priorities.md"), "# Priorities\n").unwrap();
        fs::create_dir_all(home.join("other/shared-context/feedback")).unwrap();
        let link = real.join("link");
        symlink(&tree, &link).unwrap();
        let state = home.join(state);
        fs::create_dir_all(&state).unwrap();
        Self { _root: root, home, tree, link, state }
    }

    fn keep(&self, mode: &str) {
        let folder = json!({ "path": self.tree, "mode": mode, "by": "gw", "at": "2026-11-24T12:00:00Z" });
        fs::write(self.state.join("context.json"), json!({ "folders": [folder] }).to_string()).unwrap();
    }

    fn workspace(&self) -> String {
        self.tree.parent().unwrap().to_str().unwrap().to_owned()
    }

    fn filled(&self, text: &str, me: &str) -> String {
        let path = |path: &PathBuf| path.to_str().unwrap().to_owned();
        let text = text
            .replace("{T}", &path(&self.tree))
            .replace("{L}", &path(&self.link))
            .replace("{H}", &path(&self.home));
        text.replace("{W}", &self.workspace()).replace("{ME}", me)
    }

    /// The hook's environment is the agent's.
    fn hook(&self, runtime: &str, event: &Value) -> String {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_callosum"))
            .args(["hook", runtime])
            .env("CALLOSUM_STATE_DIR", &self.state)
            .env("HOME", &self.home)
            .current_dir(self.workspace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    fn callosum(&self, args: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        let command = command.args(args).env("CALLOSUM_STATE_DIR", &self.state).env("HOME", &self.home);
        let output = command.current_dir(self.workspace()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn rows() -> Vec<Row> {
    TABLE.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The tool and the parameters with which a runtime makes a call of the table; `None` where it has no such tool.
fn as_made_by(runtime: &str, row: &Row) -> Option<(String, Value)> {
    let text = |name: &str| row.params.get(name).cloned().unwrap_or(Value::Null);
    if let Some(command) = &row.command {
        let tool = match runtime {
            "openclaw" => "exec",
            "gemini" => "run_shell_command",
            _ => "Bash",
        };
        return Some((tool.to_owned(), json!({ "command": command })));
    }
    let patch = |text: &str| match runtime {
        "openclaw" => Some(("apply_patch".to_owned(), json!({ "input": text }))),
        "codex" => Some(("apply_patch".to_owned(), json!({ "command": text }))),
        _ => None,
    };
    let (path, content) = (text("path"), text("content"));
    match (row.tool.as_deref().unwrap(), runtime) {
        ("write", "openclaw") => Some(("write".to_owned(), json!({ "path": path, "content": content }))),
        ("write", "claude-code") => {
            Some(("Write".to_owned(), json!({ "file_path": path, "content": content })))
        }
        ("write", "gemini") => {
            Some(("write_file".to_owned(), json!({ "file_path": path, "content": content })))
        }
        ("edit", "openclaw") => Some((
            "edit".to_owned(),
            json!({ "path": path, "edits": [{ "oldText": text("oldText"), "newText": text("newText") }] }),
        )),
        ("edit", "claude-code" | "gemini") => {
            let tool = if runtime == "gemini" { "replace" } else { "Edit" };
            let params =
                json!({ "file_path": path, "old_string": text("oldText"), "new_string": text("newText") });
            Some((tool.to_owned(), params))
        }
        ("write" | "edit", "codex") => {
            let path = path.as_str().unwrap();
            patch(&format!("*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"))
        }
        ("patch", _) => patch(text("text").as_str().unwrap()),
        ("mcp", _) => {
            let (server, name) = (text("server"), text("name"));
            let (server, name) = (server.as_str().unwrap(), name.as_str().unwrap());
            let tool = match runtime {
                "openclaw" => format!("{server}__{name}"),
                "gemini" => format!("mcp_{server}_{name}"),
                _ => format!("mcp__{server}__{name}"),
            };
            Some((tool, text("input")))
        }
        _ => None,
    }
}

/// The rule that a text names which refuses a call; empty where the call passes.
fn rule_in(said: &str) -> String {
    let Some((_, behind)) = said.split_once("Refused by policy `") else {
        assert!(!said.contains("deny"), "{said}");
        return String::new();
    };
    assert!(said.contains("A retry will not help. Use "), "{said}");
    behind.split('`').next().unwrap_or_default().to_owned()
}

fn of_row(row: &Row) -> String {
    row.command
        .clone()
        .unwrap_or_else(|| format!("{} {:?}", row.tool.as_deref().unwrap_or_default(), row.params))
}

fn filled(world: &World, params: &Value, me: &str) -> Value {
    let text = world.filled(&params.to_string(), me);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn each_runtime_s_calls_of_the_table_are_refused_or_pass() {
    let mut wrong = Vec::new();
    for (runtime, event) in [("claude-code", "PreToolUse"), ("codex", "PreToolUse"), ("gemini", "BeforeTool")]
    {
        let world = World::new(".callosum");
        world.keep("enforce");
        let (mut refused, mut passed) = (0, 0);
        for (number, row) in rows().iter().enumerate() {
            let Some((tool, params)) = as_made_by(runtime, row) else { continue };
            let input = json!({
                "session_id": "s", "cwd": world.workspace(), "hook_event_name": event, "tool_name": tool,
                "tool_use_id": format!("c{number}"), "tool_input": filled(&world, &params, runtime),
            });
            let said = rule_in(&world.hook(runtime, &input));
            let expected = row.refused.clone().unwrap_or_default();
            *(if expected.is_empty() { &mut passed } else { &mut refused }) += 1;
            if said != expected {
                wrong.push(format!("{runtime}: {}: {said:?}, not {expected:?}", of_row(row)));
            }
        }
        assert!(refused >= 60 && passed >= 45, "{runtime}: {refused} {passed}");
        let denied = world.callosum(&["journal", "--json", "-n", "1000", "--action", "denied"]);
        let denied = denied["entries"].as_array().unwrap();
        assert_eq!(denied.len(), refused, "{runtime}");
        let is_told = |line: &Value| {
            line["ruleName"].is_string() && line["runtime"] == runtime && line["evidence"].is_null()
        };
        assert!(denied.iter().all(is_told), "{denied:?}");
    }
    assert_eq!(wrong, Vec::<String>::new());
}

fn gate(world: &World, more: Value) -> Arc<Gate> {
    let mut settings = json!({ "instanceId": "gw", "durability": "os" });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Gate::beside_event_loop(GateOptions {
        settings: settings.to_string(),
        runtime: "openclaw".to_owned(),
        home: world.home.clone(),
        state_dir_variable: Some(world.state.to_str().unwrap().to_owned()),
        ..GateOptions::default()
    })
}

fn before(gate: &Gate, world: &World, id: &str, tool: &str, params: &Value) -> Answer {
    before_in(gate, Some(world.workspace()), id, tool, params)
}

fn before_in(gate: &Gate, cwd: Option<String>, id: &str, tool: &str, params: &Value) -> Answer {
    let call = ToolCall {
        tool: tool.to_owned(),
        agent: Some("me".to_owned()),
        session: "agent:me:main".to_owned(),
        run: Some("r".to_owned()),
        call: Some(id.to_owned()),
        cwd,
        ..ToolCall::default()
    };
    match gate.before(&call, params, &gate.machine().now()) {
        Answer::Wait(ticket) => {
            let answer = gate.finish(ticket, &gate.machine().now());
            gate.forget(ticket);
            answer
        }
        answer => answer,
    }
}

#[test]
fn openclaw_s_calls_of_the_table_are_refused_or_pass() {
    let world = World::new(".callosum");
    world.keep("enforce");
    let gate = gate(&world, json!({}));
    let mut wrong = Vec::new();
    let mut refused = 0;
    for (number, row) in rows().iter().enumerate() {
        let (tool, params) = as_made_by("openclaw", row).unwrap();
        let answer = before(&gate, &world, &format!("c{number}"), &tool, &filled(&world, &params, "me"));
        let said = if let Answer::Refuse(text) = &answer { rule_in(text) } else { String::new() };
        let expected = row.refused.clone().unwrap_or_default();
        refused += usize::from(!expected.is_empty());
        if said != expected {
            wrong.push(format!("{}: {answer:?}, not {expected:?}", of_row(row)));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // The same hook again says the same and writes nothing more.
    let params = json!({ "command": "rm -rf shared-context" });
    for _ in 0..2 {
        assert!(matches!(before(&gate, &world, "again", "exec", &params), Answer::Refuse(_)));
    }
    gate.write_at_exit();
    gate.close(&gate.machine().now());
    let denied = world.callosum(&["journal", "--json", "-n", "1000", "--action", "denied"]);
    assert_eq!(denied["entries"].as_array().unwrap().len(), refused + 1);
    let status = world.callosum(&["status", "--json"]);
    let stopped = status["coverage"]["openclaw"]["exec"]["paused"].as_u64().unwrap();
    assert!(stopped > 40, "{status}");
}

/// OpenClaw does not say where its tools work: in the agent's workspace, in which the folder lies.
#[test]
fn a_call_that_does_not_say_where_it_runs_is_told_by_the_folder_s_name() {
    let world = World::new(".callosum");
    world.keep("enforce");
    let gate = gate(&world, json!({}));
    let refused = |number: usize, tool: &str, params: Value| {
        let answer = before_in(&gate, None, &format!("c{number}"), tool, &params);
        if let Answer::Refuse(text) = &answer { rule_in(text) } else { String::new() }
    };
    for (number, (params, rule)) in [
        (json!({ "command": "rm -rf shared-context" }), "context.curator-only"),
        (json!({ "command": "cd shared-context && : > priorities.inbox.md" }), "context.append-only"),
        (json!({ "command": ": > priorities.inbox.md", "workdir": "shared-context" }), "context.append-only"),
        (json!({ "command": "cd ~/.openclaw/workspace && rm -rf *" }), "context.curator-only"),
        (json!({ "command": "rm -rf docs/shared-context" }), ""),
        (json!({ "command": "rm -rf node_modules; git clean -fdx; rm -rf *" }), ""),
        (json!({ "command": "echo x >> shared-context/priorities.inbox.md" }), ""),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(refused(number, "exec", params.clone()), rule, "{params}");
    }
    assert_eq!(
        refused(20, "write", json!({ "path": "shared-context/priorities.md" })),
        "context.curator-only"
    );
    assert_eq!(refused(21, "write", json!({ "path": "shared-context/staging/me/a.md" })), "");
    gate.close(&gate.machine().now());
}

#[test]
fn what_is_only_observed_runs_and_its_line_says_so() {
    let world = World::new(".callosum");
    let line_of = |session: &str| {
        let lines = world.callosum(&["journal", "--json", "-n", "100"]);
        let mut lines = lines["entries"].as_array().unwrap().clone();
        lines.retain(|line| line["session"] == session && line["action"] != "session");
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines.remove(0)
    };
    let hook = |session: &str, command: &str| {
        let input = json!({
            "session_id": session, "cwd": world.workspace(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_use_id": "c", "tool_input": { "command": command },
        });
        world.hook("claude-code", &input)
    };
    // The folder's own mode, at tier 1.
    world.keep("observe");
    assert_eq!(hook("a", "echo x > shared-context/priorities.md"), "");
    let line = line_of("a");
    assert_eq!((&line["action"], &line["observed"]), (&json!("intercept"), &json!(true)));
    assert_eq!(line["ruleName"], "context.curator-only");
    // The state is no folder's.
    assert!(hook("b", "rm ~/.callosum/journal.index").contains("state.protected"));
    world.keep("off");
    assert_eq!(hook("c", "echo x > shared-context/priorities.md"), "");
    assert_eq!(line_of("c")["observed"], Value::Null);
    // The mode of all.
    fs::write(world.state.join("settings.json"), r#"{"mode":"observe"}"#).unwrap();
    world.keep("enforce");
    assert_eq!(hook("d", "rm ~/.callosum/journal.index"), "");
    assert_eq!(line_of("d")["ruleName"], "state.protected");
    assert_eq!(line_of("d")["observed"], true);
}

/// The hook's answer, the journal and `explain` go by what the runtime itself goes by.
#[test]
fn parameters_that_a_runtime_does_not_know_hide_no_write() {
    let world = World::new(".callosum");
    world.keep("enforce");
    let tree = world.tree.to_str().unwrap().to_owned();
    let (here, file) = (world.workspace(), format!("{tree}/calendar/t.md"));
    let shell = |command: &str| json!({ "command": command });
    let write = json!({ "file_path": file, "content": "x" });
    let note = "echo x > notes.md";
    for (number, (runtime, tool, params, decoys, cwd)) in [
        ("claude-code", "Write", write.clone(), json!({ "path": "/tmp/ok", "command": "view" }), &here),
        ("claude-code", "Write", write.clone(), json!({ "host": "x" }), &here),
        ("claude-code", "Bash", shell(note), json!({ "workdir": "/tmp" }), &tree),
        ("claude-code", "Bash", shell(note), json!({ "cwd": "/tmp", "node": "x" }), &tree),
        ("codex", "Bash", shell(note), json!({ "workdir": "/tmp", "dir_path": "/tmp", "host": "x" }), &tree),
        ("gemini", "write_file", write.clone(), json!({ "path": "/tmp/ok" }), &here),
        ("gemini", "replace", write.clone(), json!({ "path": "/tmp/ok", "node": "x" }), &here),
        ("gemini", "run_shell_command", shell("rm -rf shared-context"), json!({ "host": "x" }), &here),
        (
            "gemini",
            "run_shell_command",
            json!({ "command": note, "dir_path": tree }),
            json!({ "workdir": "/tmp", "cwd": "/tmp" }),
            &here,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let mut both = params.clone();
        both.as_object_mut().unwrap().extend(decoys.as_object().unwrap().clone());
        let input = json!({
            "session_id": "s", "cwd": cwd, "hook_event_name": if runtime == "gemini" { "BeforeTool" } else { "PreToolUse" },
            "tool_name": tool, "tool_use_id": format!("c{number}"), "tool_input": both,
        });
        assert_ne!(rule_in(&world.hook(runtime, &input)), "", "{runtime}: {both}");
        let explained =
            |params: &Value| world.callosum(&["explain", tool, &params.to_string(), "--cwd", cwd, "--json"]);
        let explained = (explained(&both), explained(&params));
        assert_eq!(explained.0["verdict"], "denied", "{runtime}: {both}");
        assert_eq!(explained.0, explained.1, "{runtime}: {both}");
    }
}

#[test]
fn a_state_directory_of_another_name_is_kept_too_and_by_links() {
    let world = World::new("gate-state");
    let gate = gate(&world, json!({}));
    let state = world.state.to_str().unwrap();
    for (number, command) in [
        format!("rm {state}/journal.jsonl"),
        format!("echo x > {state}/tiers.json"),
        format!("rm -rf {state}"),
        "rm ~/gate-state/journal.jsonl".to_owned(),
        "cd ../.. && : > gate-state/journal.jsonl".to_owned(),
        format!("rm -rf {}", world.home.to_str().unwrap()),
        // By programs that are known by the names of their options alone.
        format!("truncate -s 0 {state}/journal.jsonl"),
        format!("sudo truncate -s0 {state}/journal.jsonl"),
        format!("bash -c 'truncate --size=0 {state}/journal.jsonl'"),
        format!("truncate --size -5 {state}/journal.jsonl"),
        format!("ruby -e 'File.delete(\"{state}/journal.jsonl\")'"),
        format!("perl -e 'unlink glob(\"{state}/*\")'"),
        format!("perl -e 'truncate \"{state}/journal.jsonl\", 0'"),
        format!("php -r 'array_map(\"unlink\", glob(\"{state}/*\"));'"),
        format!("sqlite3 x.db '.output {state}/journal.jsonl'"),
        format!("psql -o {state}/journal.jsonl"),
        format!("script -c true {state}/journal.jsonl"),
        format!("cpio -D {state} -i < x"),
        format!("ssh-keygen -f {state}/journal.jsonl"),
        format!("restic restore a --target {state}"),
        format!("git worktree add {state}/x"),
        format!("docker run -v {state}:/x alpine ls"),
        format!("bwrap --bind {state} /x ls"),
    ]
    .iter()
    .enumerate()
    {
        let answer = before(&gate, &world, &format!("c{number}"), "exec", &json!({ "command": command }));
        assert!(
            matches!(&answer, Answer::Refuse(text) if rule_in(text) == "state.protected"),
            "{command}: {answer:?}"
        );
    }
    for (number, command) in [
        format!("cat {state}/journal.jsonl"),
        "rm -rf gate-state".to_owned(),
        format!("truncate --reference={state}/journal.jsonl /tmp/x"),
        format!("ruby -e 'puts File.read(\"{state}/journal.jsonl\")'"),
        format!("perl -e 'print for glob(\"{state}/*\")'"),
        format!("psql -f {state}/journal.jsonl"),
        format!("ssh-keygen -l -f {state}/journal.jsonl"),
        format!("sqlite3 x.db '.read {state}/journal.jsonl'"),
        format!("docker run -v {state}:/x:ro alpine ls"),
    ]
    .iter()
    .enumerate()
    {
        let answer = before(&gate, &world, &format!("d{number}"), "exec", &json!({ "command": command }));
        assert!(!matches!(answer, Answer::Refuse(_)), "{command}: {answer:?}");
    }
    gate.close(&gate.machine().now());
}

#[test]
fn explain_says_before_a_call_that_it_would_be_refused() {
    let world = World::new(".callosum");
    world.keep("enforce");
    let explained = world.callosum(&["explain", "exec", "echo x > shared-context/priorities.md", "--json"]);
    assert_eq!(
        (&explained["verdict"], &explained["ruleName"]),
        (&json!("denied"), &json!("context.curator-only"))
    );
    assert!(explained["path"].as_str().unwrap().ends_with("shared-context/priorities.md"), "{explained}");
    assert!(
        explained["text"]
            .as_str()
            .unwrap()
            .starts_with("[Callosum] Refused by policy `context.curator-only`: ")
    );
    let explained = world.callosum(&["explain", "exec", "callosum uninstall codex", "--json"]);
    assert_eq!((&explained["verdict"], &explained["tier"]), (&json!("denied"), &json!(4)));
    let explained = world.callosum(&["explain", "exec", "cat shared-context/priorities.md", "--json"]);
    assert_eq!(explained["verdict"], "allow");
    // A broken file is told loudly, and the state stays kept.
    fs::write(world.state.join("context.json"), "{").unwrap();
    let status = world.callosum(&["status", "--json"]);
    assert!(status["settingErrors"][0].as_str().unwrap().contains("context.json"), "{status}");
    let explained = world.callosum(&["explain", "write", "{\"path\": \"~/.callosum/tiers.json\"}", "--json"]);
    assert_eq!(explained["verdict"], "denied");
}
