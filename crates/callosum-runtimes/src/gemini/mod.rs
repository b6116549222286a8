//! Google's Gemini CLI: the names are those of 0.61.

mod ending;

use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

use crate::answer;
use crate::ending::Told;
use crate::openclaw::Tool;
use crate::runtime::{AgentRuntime, Facts, Fields, HookEvent, McpFields, Moment, ToolNames};
use crate::settings::place::{Form, Place, ServerPlace, TimeoutUnit, Variable};

/// Gemini CLI.
#[derive(Debug)]
pub(crate) struct Gemini;

const TOOLS: &[ToolNames] = &[
    ToolNames {
        names: &["run_shell_command"],
        tool: Tool::Exec,
        params: &[("dir_path", "workdir"), ("directory", "workdir")],
        dropped: &["description"],
    },
    ToolNames {
        names: &["write_file"],
        tool: Tool::Write,
        params: &[("file_path", "path"), ("absolute_path", "path")],
        dropped: &[],
    },
    ToolNames {
        names: &["replace"],
        tool: Tool::Edit,
        params: &[
            ("file_path", "path"),
            ("absolute_path", "path"),
            ("old_string", "oldText"),
            ("new_string", "newText"),
        ],
        dropped: &[],
    },
    ToolNames {
        names: &["read_file"],
        tool: Tool::Read,
        params: &[("file_path", "path"), ("absolute_path", "path")],
        dropped: &[],
    },
    ToolNames { names: &["list_directory"], tool: Tool::Ls, params: &[], dropped: &[] },
    ToolNames { names: &["glob"], tool: Tool::Glob, params: &[], dropped: &[] },
    ToolNames { names: &["search_file_content", "grep_search"], tool: Tool::Grep, params: &[], dropped: &[] },
    ToolNames { names: &["web_fetch"], tool: Tool::WebFetch, params: &[], dropped: &[] },
    ToolNames { names: &["google_web_search"], tool: Tool::WebSearch, params: &[], dropped: &[] },
];

const EVENTS: &[HookEvent] = &[
    HookEvent::of_calls("BeforeTool", Moment::Before),
    HookEvent::of_calls("AfterTool", Moment::After),
    HookEvent::of_sessions("SessionStart", Moment::Start),
    HookEvent::of_sessions("BeforeAgent", Moment::Prompt),
    HookEvent::of_sessions("SessionEnd", Moment::End),
    HookEvent::of_sessions("AfterAgent", Moment::Idle),
    HookEvent::of_notices("Notification", "ToolPermission"),
];

/// `PreCompress` stays one of these: it comes with every model turn.
const OTHER_EVENTS: &[&str] = &["AfterModel", "BeforeModel", "BeforeToolSelection", "PreCompress"];

pub(crate) const FACTS: &Facts = &Facts {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    headless: [&[], &["-p"]],
    prompt_hints: &["Type your message"],
    tells_failures: true,
    source: "gemini-cli",
    pane_runtime: "gemini-cli",
    other_names: &[],
    tools: TOOLS,
    events: EVENTS,
    notices: &[("ToolPermission", Moment::Waiting)],
    other_events: OTHER_EVENTS,
    shell_variables: &["GEMINI_CLI"],
    fields: Fields {
        // It stands behind the parameters: an event that is cut may lack it.
        mcp: Some(McpFields {
            field: "mcp_context",
            server: "server_name",
            tool: "tool_name",
            prefix: "mcp_",
        }),
        ..Fields::COMMON
    },
    // A question leaves the call hanging.
    asking: None,
    refusal_exit_code: 2,
    place: Place {
        folder: ".gemini",
        file: "settings.json",
        variable: Variable::Home("GEMINI_CLI_HOME"),
        takes_comments: true,
        timeout_unit: TimeoutUnit::Milliseconds,
    },
    call_in_meta: None,
    server_place: ServerPlace {
        file: "settings.json",
        is_beside_folder: false,
        form: Form::Json { takes_comments: true },
        allowing: "add `\"trust\": true` to the server's entry",
    },
    trust: None,
};

impl AgentRuntime for Gemini {
    fn facts(&self) -> &'static Facts {
        FACTS
    }

    fn server_tool(&self, _: &str) -> Option<String> {
        None
    }

    fn ending(&self, told: &Told<'_>) -> (Ended, Option<i64>) {
        if told.is_shell { ending::of_command(told.response) } else { (crate::ending::of_tool(told), None) }
    }

    fn refusal(&self, _: &str, reason: &str) -> Value {
        json!({ "decision": "deny", "reason": reason })
    }

    fn warning(&self, text: &str) -> Value {
        answer::system_message(text)
    }

    fn context(&self, event: &str, text: &str) -> Value {
        answer::additional_context(event, text)
    }

    fn continuation(&self, _: &str, reason: &str) -> Value {
        json!({ "decision": "deny", "reason": reason })
    }

    fn off(&self, settings: &Value, gating: Option<&str>) -> Option<&'static str> {
        if settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false)) {
            return Some("`hooksConfig.enabled` is false");
        }
        let disabled = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array)?;
        let command = gating?;
        disabled.iter().any(|name| name == command).then_some("`hooksConfig.disabled` names them")
    }
}
