//! The runtimes: where each keeps its settings, which of its events are needed, and what an entry looks like there.

use std::path::{Path, PathBuf};

use crate::runtime::Runtime;
use serde::Serialize;
use serde_json::Value;

/// The key that tells our entries from everybody else's.
pub const TAG: &str = "_callosum";

/// One entry of an event's list, as all three runtimes take it.
#[derive(Debug, Serialize)]
pub struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Handler; 1],
    #[serde(rename = "_callosum")]
    tag: &'static str,
}

#[derive(Debug, Serialize)]
struct Handler {
    #[serde(rename = "type")]
    kind: &'static str,
    command: String,
    timeout: u32,
}

/// The events that tell of a tool call, and those that tell of a session.
const CLAUDE_CODE: [&[&str]; 2] = [
    &["PreToolUse", "PostToolUse", "PostToolUseFailure"],
    &["SessionStart", "UserPromptSubmit", "SessionEnd"],
];
const CODEX: [&[&str]; 2] =
    [&["PreToolUse", "PostToolUse"], &["SessionStart", "UserPromptSubmit", "SessionEnd"]];
/// Never `PreCompress`: it comes with every model turn.
const GEMINI: [&[&str]; 2] = [&["BeforeTool", "AfterTool"], &["SessionStart", "BeforeAgent", "SessionEnd"]];

/// As people know it.
pub fn title(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::ClaudeCode => "Claude Code",
        Runtime::Codex => "Codex",
        Runtime::Gemini => "Gemini CLI",
    }
}

/// The file that holds the user's own hooks. An empty variable is none, as it is to the runtimes.
pub fn settings(runtime: Runtime, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let set = |name| variable(name).filter(|value| !value.as_os_str().is_empty());
    match runtime {
        Runtime::ClaudeCode => {
            set("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")).join("settings.json")
        }
        Runtime::Codex => set("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("hooks.json"),
        // Unlike the others' it stands for the home folder.
        Runtime::Gemini => {
            set("GEMINI_CLI_HOME").unwrap_or_else(|| home.to_owned()).join(".gemini/settings.json")
        }
    }
}

/// Whether the runtime reads its file although it holds comments.
pub fn takes_comments(runtime: Runtime) -> bool {
    runtime != Runtime::Codex
}

/// What a command of ours has in it, wherever the program stands.
pub fn mark(runtime: Runtime) -> String {
    format!(" hook {}", runtime.name())
}

/// The command of an event's entry: without the program it does nothing, because Gemini CLI refuses every tool when a hook's
/// command is missing. It always names the state directory: a project's own environment file would move it, with the journal
/// and the settings in it, to where the project likes. And it says how long the runtime waits for it.
pub fn command(runtime: Runtime, event: &str, program: &str, state_dir: &str) -> String {
    let (program, state_dir) = (quoted(program), quoted(state_dir));
    let seconds = timeout_seconds(runtime, event);
    format!(
        "[ ! -x {program} ] || exec {program}{} --timeout {seconds} --state-dir {state_dir}",
        mark(runtime)
    )
}

/// What a command of ours says: the program it runs, and the state directory it names.
pub fn parts(command: &str) -> Option<(PathBuf, Option<String>)> {
    let words = shlex::split(command)?;
    let program = words.iter().position(|word| word == "exec").map_or(0, |exec| exec + 1);
    let state_dir = words.iter().position(|word| word == "--state-dir").and_then(|at| words.get(at + 1));
    Some((PathBuf::from(words.get(program)?), state_dir.cloned()))
}

/// The event whose hook decides about calls.
pub fn gating_event(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::ClaudeCode | Runtime::Codex => "PreToolUse",
        Runtime::Gemini => "BeforeTool",
    }
}

/// The events that are needed, and for each the entry that runs its command.
pub fn entries(runtime: Runtime, command: impl Fn(&str) -> String) -> Vec<(&'static str, Entry)> {
    let [tools, sessions] = match runtime {
        Runtime::ClaudeCode => CLAUDE_CODE,
        Runtime::Codex => CODEX,
        Runtime::Gemini => GEMINI,
    };
    let tools = tools.iter().map(|event| (*event, Some("*")));
    let sessions = sessions.iter().map(|event| (*event, None));
    let entry = |(event, matcher)| {
        let handler = Handler { kind: "command", command: command(event), timeout: timeout(runtime, event) };
        (event, Entry { matcher, hooks: [handler], tag: "v1" })
    };
    tools.chain(sessions).map(entry).collect()
}

/// How long the runtime waits for a hook. All of them let a call run when its hook takes longer: so there is time for a machine
/// that is busy, and a hook that decides on purpose long before.
fn timeout_seconds(runtime: Runtime, event: &str) -> u32 {
    match runtime {
        // More than this Codex cuts down, with a warning at every start.
        Runtime::Codex if event == "SessionEnd" => 3,
        Runtime::ClaudeCode | Runtime::Codex | Runtime::Gemini => 20,
    }
}

/// The same in the runtime's unit: milliseconds for Gemini CLI, seconds for the others.
fn timeout(runtime: Runtime, event: &str) -> u32 {
    let seconds = timeout_seconds(runtime, event);
    if runtime == Runtime::Gemini { seconds * 1_000 } else { seconds }
}

/// What the user has to know or do before the hooks take effect, with these settings. `are_changed`: other hooks of ours were
/// there before.
pub fn notes(runtime: Runtime, settings: &Value, are_changed: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if runtime == Runtime::Codex && are_changed {
        notes.push(
            "These hooks are not what they were, so Codex does not trust them any more, and does not say so. Start codex, enter \
             /hooks, look at Callosum's and trust them anew; until then Codex's tool calls are not gated."
                .to_owned(),
        );
    } else if runtime == Runtime::Codex {
        notes.push(
            "Codex ignores hooks that you have not trusted, and does not say so. Start codex, enter /hooks, look at \
             Callosum's and trust them; until then Codex's tool calls are not gated. Callosum never does that for you."
                .to_owned(),
        );
    }
    if let Some(off) = off(runtime, settings) {
        notes.push(format!(
            "In these settings {off}: until that is changed {} runs no hooks.",
            title(runtime)
        ));
    }
    notes
}

/// What in these settings keeps the runtime from running any hook.
pub fn off(runtime: Runtime, settings: &Value) -> Option<&'static str> {
    match runtime {
        Runtime::ClaudeCode if settings.pointer("/disableAllHooks") == Some(&Value::Bool(true)) => {
            Some("`disableAllHooks` is true")
        }
        Runtime::Gemini if settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false)) => {
            Some("`hooksConfig.enabled` is false")
        }
        _ => None,
    }
}

/// Whether these settings name `command` among the hooks that are not to run.
pub fn is_disabled(runtime: Runtime, settings: &Value, command: &str) -> bool {
    let disabled = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    runtime == Runtime::Gemini && disabled.is_some_and(|names| names.iter().any(|name| name == command))
}

/// `text` as one word of a shell command.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    // Gemini CLI puts variables into its settings before a shell sees them; a `$` with a quote behind it is none.
    format!("'{}'", text.replace('\'', r"'\''").replace('$', "$''"))
}
