//! Anthropic's Claude Code: the names are those of 2.1. Its hooks are the ones that the other runtimes took over.

use callosum_core::record::outcome::Ended;
use serde_json::Value;

use crate::answer;
use crate::ending::{self, Told};
use crate::openclaw::{self, Tool};
use crate::runtime::{AgentRuntime, Asking, Facts, Fields, HookEvent, Moment, ToolNames};
use crate::settings::place::{Form, Place, ServerPlace, TimeoutUnit, Variable};

/// Claude Code.
#[derive(Debug)]
pub(crate) struct ClaudeCode;

const TOOLS: &[ToolNames] = &[
    ToolNames {
        // A command whose output is told line by line, as it comes: https://code.claude.com/docs/en/tools-reference.
        names: &["Bash", "Monitor"],
        tool: Tool::Exec,
        params: &[("run_in_background", "background")],
        dropped: &["description", "timeout", "timeout_ms", "persistent"],
    },
    ToolNames { names: &["Write"], tool: Tool::Write, params: &[("file_path", "path")], dropped: &[] },
    ToolNames {
        names: &["Edit", "MultiEdit"],
        tool: Tool::Edit,
        params: &[("file_path", "path"), ("old_string", "oldText"), ("new_string", "newText")],
        dropped: &[],
    },
    ToolNames {
        names: &["NotebookEdit"],
        tool: Tool::Edit,
        params: &[("notebook_path", "path")],
        dropped: &[],
    },
    ToolNames { names: &["Read"], tool: Tool::Read, params: &[("file_path", "path")], dropped: &[] },
    ToolNames { names: &["LS"], tool: Tool::Ls, params: &[], dropped: &[] },
    ToolNames { names: &["Glob"], tool: Tool::Glob, params: &[], dropped: &[] },
    ToolNames { names: &["Grep"], tool: Tool::Grep, params: &[], dropped: &[] },
    ToolNames { names: &["WebFetch"], tool: Tool::WebFetch, params: &[], dropped: &[] },
    ToolNames { names: &["WebSearch"], tool: Tool::WebSearch, params: &[], dropped: &[] },
];

const EVENTS: &[HookEvent] = &[
    HookEvent::of_calls("PreToolUse", Moment::Before),
    HookEvent::of_calls("PostToolUse", Moment::After),
    HookEvent::of_calls("PostToolUseFailure", Moment::Failed),
    HookEvent::of_sessions("SessionStart", Moment::Start),
    HookEvent::of_sessions("UserPromptSubmit", Moment::Prompt),
    HookEvent::of_sessions("SessionEnd", Moment::End),
    HookEvent::of_sessions("Stop", Moment::Idle),
    HookEvent::of_sessions("StopFailure", Moment::Stuck),
    HookEvent::of_notices("Notification", "permission_prompt|idle_prompt"),
    HookEvent::of_sessions("PreCompact", Moment::Compacting),
];

const OTHER_EVENTS: &[&str] = &[
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "Setup",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TeammateIdle",
    "WorktreeCreate",
];

pub(crate) const FACTS: &Facts = &Facts {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    headless: [&[], &["-p"]],
    prompt_hints: &[],
    tells_failures: true,
    source: "claude-code",
    pane_runtime: "claude-code",
    other_names: &["claude"],
    tools: TOOLS,
    events: EVENTS,
    notices: &[("permission_prompt", Moment::Waiting), ("idle_prompt", Moment::Idle)],
    other_events: OTHER_EVENTS,
    shell_variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
    fields: Fields { run: Some("prompt_id"), ..Fields::COMMON },
    // In its other modes it takes a question for an allow (`auto`, `bypassPermissions`), or asks nobody (`dontAsk`).
    asking: Some(Asking {
        mode: "permission_mode",
        modes: &["default", "acceptEdits", "plan"],
        question: |event, text| answer::permission(event, "ask", text),
    }),
    refusal_exit_code: 2,
    place: Place {
        folder: ".claude",
        file: "settings.json",
        variable: Variable::Folder("CLAUDE_CONFIG_DIR"),
        takes_comments: true,
        timeout_unit: TimeoutUnit::Seconds,
    },
    call_in_meta: Some("claudecode/toolUseId"),
    server_place: ServerPlace {
        // Beside the folder of its settings, unless that is moved.
        file: ".claude.json",
        is_beside_folder: true,
        form: Form::Json { takes_comments: false },
        allowing: "add \"mcp__callosum\" to `permissions.allow` in its settings.json",
    },
    trust: None,
};

impl AgentRuntime for ClaudeCode {
    fn facts(&self) -> &'static Facts {
        FACTS
    }

    fn server_tool(&self, tool: &str) -> Option<String> {
        openclaw::without_mcp(tool)
    }

    fn ending(&self, told: &Told<'_>) -> (Ended, Option<i64>) {
        let exit_code = told.error.filter(|_| told.is_shell).and_then(code_in_error);
        let ended = match ending::of_tool(told) {
            Ended::Aborted => Ended::Aborted,
            _ if exit_code.is_some() => Ended::Ok,
            ended => ended,
        };
        (ended, exit_code)
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

    fn off(&self, settings: &Value, _: Option<&str>) -> Option<&'static str> {
        let is_off = settings.pointer("/disableAllHooks") == Some(&Value::Bool(true));
        is_off.then_some("`disableAllHooks` is true")
    }
}

/// The error of a command begins with `Exit code 7`.
fn code_in_error(error: &str) -> Option<i64> {
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_is_told_in_an_event_of_its_own() {
        let response = json!({ "stdout": "", "interrupted": false });
        fn shell(response: &Value) -> Told<'_> {
            Told { is_shell: true, ..Told::of(response) }
        }
        fn end(told: Told<'_>) -> (Ended, Option<i64>) {
            ClaudeCode.ending(&told)
        }
        assert_eq!(end(shell(&response)), (Ended::Ok, None));
        assert_eq!(end(shell(&json!({ "interrupted": true }))), (Ended::Aborted, None));
        assert_eq!(end(shell(&json!({ "backgroundTaskId": "b1" }))), (Ended::Running, None));
        let failed = |error| Told { failed: true, error: Some(error), ..shell(&Value::Null) };
        assert_eq!(end(failed("Exit code 7\nno such host")), (Ended::Ok, Some(7)));
        assert_eq!(end(failed("no such host\nExit code 7")), (Ended::Maybe, None));
        assert_eq!(end(failed("connection reset")), (Ended::Maybe, None));
        assert_eq!(end(Told { is_interrupt: true, ..failed("x") }), (Ended::Aborted, None));
    }
}
