//! OpenAI's Codex: the names are those of 0.169.

mod ending;
mod trust;

use callosum_core::record::outcome::Ended;
use serde_json::Value;

use crate::answer;
use crate::ending::Told;
use crate::openclaw::{self, Tool};
use crate::runtime::{AgentRuntime, Facts, Fields, HookEvent, Moment, ToolNames};
use crate::settings::place::{Form, Place, ServerPlace, TimeoutUnit, Variable};

/// Codex.
#[derive(Debug)]
pub(crate) struct Codex;

const TOOLS: &[ToolNames] = &[
    ToolNames { names: &["Bash"], tool: Tool::Exec, params: &[], dropped: &[] },
    ToolNames {
        names: &["apply_patch"],
        tool: Tool::ApplyPatch,
        params: &[("command", "input")],
        dropped: &[],
    },
    ToolNames { names: &["web_search"], tool: Tool::WebSearch, params: &[], dropped: &[] },
];

const GATING_EVENT: &str = "PreToolUse";

const EVENTS: &[HookEvent] = &[
    HookEvent::of_calls(GATING_EVENT, Moment::Before),
    HookEvent::of_calls("PostToolUse", Moment::After),
    HookEvent::of_sessions("SessionStart", Moment::Start),
    HookEvent::of_sessions("UserPromptSubmit", Moment::Prompt),
    // More than this Codex cuts down, with a warning at every start.
    HookEvent { timeout_seconds: 3, ..HookEvent::of_sessions("SessionEnd", Moment::End) },
    // These came later: what stands above stays as its user trusted it.
    HookEvent::of_sessions("Stop", Moment::Idle),
    HookEvent::of_sessions("PermissionRequest", Moment::Waiting),
    HookEvent::of_sessions("PreCompact", Moment::Compacting),
];

const OTHER_EVENTS: &[&str] = &["PostCompact", "SubagentStart", "SubagentStop"];

pub(crate) const FACTS: &Facts = &Facts {
    name: "codex",
    title: "Codex",
    program: "codex",
    headless: [&["exec"], &["--"]],
    prompt_hints: &[],
    tells_failures: false,
    source: "codex",
    pane_runtime: "codex-cli",
    other_names: &["codex-cli"],
    tools: TOOLS,
    events: EVENTS,
    notices: &[],
    other_events: OTHER_EVENTS,
    shell_variables: &["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID"],
    fields: Fields { run: Some("turn_id"), ..Fields::COMMON },
    // At a question it lets the tool run.
    asking: None,
    refusal_exit_code: 2,
    place: Place {
        folder: ".codex",
        file: "hooks.json",
        variable: Variable::Folder("CODEX_HOME"),
        takes_comments: false,
        timeout_unit: TimeoutUnit::Seconds,
    },
    call_in_meta: Some("callId"),
    server_place: ServerPlace {
        file: "config.toml",
        is_beside_folder: false,
        form: Form::Toml,
        allowing: "add `default_tools_approval_mode = \"approve\"` under `[mcp_servers.callosum]`",
    },
    trust: Some(&trust::Trust),
};

impl AgentRuntime for Codex {
    fn facts(&self) -> &'static Facts {
        FACTS
    }

    fn server_tool(&self, tool: &str) -> Option<String> {
        openclaw::without_mcp(tool)
    }

    fn ending(&self, told: &Told<'_>) -> (Ended, Option<i64>) {
        if told.is_shell { ending::of_command(told) } else { (crate::ending::of_tool(told), None) }
    }

    fn refusal(&self, event: &str, reason: &str) -> Value {
        answer::permission_denied(event, reason)
    }

    fn warning(&self, text: &str) -> Value {
        answer::system_message(text)
    }

    fn context(&self, event: &str, text: &str) -> Value {
        answer::additional_context(event, text)
    }

    fn continuation(&self, _: &str, reason: &str) -> Value {
        answer::blocked_stop(reason)
    }

    fn off(&self, _: &Value, _: Option<&str>) -> Option<&'static str> {
        // What turns its hooks off stands in another file, `config.toml`: it is asked (see `trust`).
        None
    }
}
