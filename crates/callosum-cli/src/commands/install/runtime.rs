//! The runtimes: where each keeps its settings, which of its events are needed, and what an entry looks like there.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

/// The key that tells our entries from everybody else's.
pub(super) const TAG: &str = "_callosum";

/// An agent runtime whose tool calls can pass the gate through hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Runtime {
    /// Anthropic's Claude Code: ~/.claude/settings.json, or in CLAUDE_CONFIG_DIR
    ClaudeCode,
    /// OpenAI's Codex: ~/.codex/hooks.json, or in CODEX_HOME
    Codex,
    /// Google's Gemini CLI: ~/.gemini/settings.json, or in GEMINI_CLI_HOME
    Gemini,
}

/// One entry of an event's list, as all three runtimes take it.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
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

impl Runtime {
    /// As the command line and the hook know it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// As people know it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
        }
    }

    /// The file that holds the user's own hooks. An empty variable is none, as it is to the runtimes.
    pub(super) fn settings(self, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let set = |name| variable(name).filter(|value| !value.as_os_str().is_empty());
        match self {
            Self::ClaudeCode => {
                set("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")).join("settings.json")
            }
            Self::Codex => set("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("hooks.json"),
            // Unlike the others' it stands for the home folder.
            Self::Gemini => {
                set("GEMINI_CLI_HOME").unwrap_or_else(|| home.to_owned()).join(".gemini/settings.json")
            }
        }
    }

    /// Whether the runtime reads its file although it holds comments.
    pub(super) fn takes_comments(self) -> bool {
        self != Self::Codex
    }

    /// What a command of ours has in it, wherever the program stands.
    pub(super) fn mark(self) -> String {
        format!(" hook {}", self.name())
    }

    /// The command of every entry: without the program it does nothing, because Gemini CLI refuses every tool when a hook's
    /// command is missing.
    pub(super) fn command(self, program: &str, state_dir: Option<&str>) -> String {
        let program = quoted(program);
        let state_dir = state_dir.map(|path| format!(" --state-dir {}", quoted(path))).unwrap_or_default();
        format!("[ ! -x {program} ] || exec {program}{}{state_dir}", self.mark())
    }

    /// The events that are needed, and for each the entry that runs `command`.
    pub(super) fn entries(self, command: &str) -> Vec<(&'static str, Entry)> {
        let [tools, sessions] = match self {
            Self::ClaudeCode => CLAUDE_CODE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
        };
        let tools = tools.iter().map(|event| (*event, Some("*")));
        let sessions = sessions.iter().map(|event| (*event, None));
        let entry = |(event, matcher)| {
            let handler =
                Handler { kind: "command", command: command.to_owned(), timeout: self.timeout(event) };
            (event, Entry { matcher, hooks: [handler], tag: "v1" })
        };
        tools.chain(sessions).map(entry).collect()
    }

    /// How long the runtime waits for a hook: milliseconds for Gemini CLI, seconds for the others.
    fn timeout(self, event: &str) -> u32 {
        match self {
            Self::Gemini => 5000,
            // More than this Codex cuts down, with a warning at every start.
            Self::Codex if event == "SessionEnd" => 3,
            Self::ClaudeCode | Self::Codex => 5,
        }
    }

    /// What the user has to know or do before the hooks take effect, with these settings.
    pub(super) fn notes(self, settings: &Value) -> Vec<String> {
        let mut notes = Vec::new();
        if self == Self::Codex {
            notes.push(
                "Codex ignores hooks that you have not trusted, and does not say so. Start codex, enter /hooks, look at \
                 Callosum's and trust them; until then Codex's tool calls are not gated. Callosum never does that for you."
                    .to_owned(),
            );
        }
        let off = match self {
            Self::ClaudeCode if settings.pointer("/disableAllHooks") == Some(&Value::Bool(true)) => {
                Some("`disableAllHooks` is true")
            }
            Self::Gemini if settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false)) => {
                Some("`hooksConfig.enabled` is false")
            }
            _ => None,
        };
        if let Some(off) = off {
            notes.push(format!(
                "In these settings {off}: until that is changed {} runs no hooks.",
                self.title()
            ));
        }
        notes
    }
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
