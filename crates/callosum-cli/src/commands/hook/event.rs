//! What a runtime tells its hooks on standard input, read as leniently as can be: fields that are not known or have another
//! type are as good as absent.

use callosum_core::digest::digest;
use callosum_core::gate::EndReport;
use callosum_core::outcome::Ended;
use callosum_core::runtime::{Runtime, mcp_tool};
use callosum_core::tool_call::{Parameters, ToolCall};
use serde_json::Value;

/// What happens when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// A tool is about to run.
    Before,
    /// A tool ran.
    After,
    /// It ran and failed, as its runtime says.
    Failed,
    /// A session begins, or goes on after a compaction.
    Start,
    /// Anything else.
    Other,
}

impl Moment {
    fn of(event: &str) -> Self {
        match event {
            "PreToolUse" | "BeforeTool" => Self::Before,
            "PostToolUse" | "AfterTool" => Self::After,
            "PostToolUseFailure" => Self::Failed,
            "SessionStart" => Self::Start,
            _ => Self::Other,
        }
    }
}

/// One event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) moment: Moment,
    /// Its name, as the runtime gave it.
    pub(super) name: String,
    pub(super) call: ToolCall,
    pub(super) params: Value,
    response: Value,
    error: Option<String>,
    is_interrupt: bool,
}

impl Event {
    /// Reads an event of `runtime`; `named` is its name where the command line says it. `None` when it names no session:
    /// nothing can be told apart then.
    pub(super) fn read(runtime: Runtime, named: Option<&str>, mut input: Value) -> Option<Self> {
        let text = |name: &str| input.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let name = named.map(str::to_owned).or_else(|| text("hook_event_name")).unwrap_or_default();
        let cwd = text("cwd").filter(|cwd| cwd.starts_with('/'));
        let (agent, id) = (text("agent_type"), text("agent_id"));
        // A subagent shares its parent's session id and knows nothing of what that does.
        let session = match id {
            Some(id) => format!("{}:{id}", text("session_id")?),
            None => text("session_id")?,
        };
        // Codex calls its turns so, Claude Code its prompts; both tell them before and after alike.
        let run = text("turn_id").or_else(|| text("prompt_id"));
        let call = text("tool_use_id");
        let is_interrupt = input.get("is_interrupt") == Some(&Value::Bool(true));
        let error = text("error");
        let mcp = input.get("mcp_context").and_then(|mcp| {
            Some(mcp_tool(mcp.get("server_name")?.as_str()?, mcp.get("tool_name")?.as_str()?))
        });
        let tool = mcp.or_else(|| text("tool_name")).unwrap_or_default();
        let mut take = |name: &str| input.get_mut(name).map(Value::take).unwrap_or_default();
        let (params, response) = (take("tool_input"), take("tool_response"));
        let (tool, params) = runtime.neutral(&tool, params, cwd.as_deref());
        let call = ToolCall { tool, kind: None, agent, session, run, call, cwd };
        Some(Self { moment: Moment::of(&name), name, call, params, response, error, is_interrupt })
    }

    /// How the call ended.
    pub(super) fn report(&self) -> EndReport {
        let (ended, exit_code) = self.ended();
        let call = &self.call;
        EndReport {
            tool: call.tool.clone(),
            agent: call.agent.clone(),
            session: call.session.clone(),
            run: call.run.clone(),
            call: call.call.clone(),
            // Without an id a call is known by what it does.
            digest: call.call.is_none().then(|| digest(call, &self.params.all())),
            ended,
            exit_code,
            process: None,
            ran: None,
        }
    }

    /// In doubt a call may have acted.
    fn ended(&self) -> (Ended, Option<i64>) {
        let text = self.error.as_deref().or_else(|| self.response_text()).unwrap_or_default();
        let exit_code = if self.call.tool == "exec" { exit_code(text) } else { None };
        let is = |name: &str| self.response.get(name) == Some(&Value::Bool(true));
        let goes_on = ["backgroundTaskId", "session_id"].iter().any(|name| {
            self.call.tool == "exec" && self.response.get(name).is_some_and(|value| !value.is_null())
        });
        let ended = if self.is_interrupt || is("interrupted") {
            Ended::Aborted
        } else if exit_code.is_some() {
            Ended::Ok
        } else if goes_on {
            Ended::Running
        } else if self.moment == Moment::Failed
            || self.response.get("error").is_some_and(|error| !error.is_null())
        {
            Ended::Maybe
        } else {
            Ended::Ok
        };
        (ended, exit_code)
    }

    /// What the tool told the model.
    fn response_text(&self) -> Option<&str> {
        self.response.as_str().or_else(|| self.response.get("llmContent")?.as_str())
    }
}

/// How the runtimes tell a command's exit code in what they show the model: Claude Code at the beginning of an error, Gemini
/// and Codex on a line of their own.
const EXIT_LINES: [&str; 3] = ["exit code", "process exited with code", "process exited with exit code"];
/// Lines that are looked at from either end: between them is what the command itself printed.
const LINES_READ: usize = 6;

fn exit_code(text: &str) -> Option<i64> {
    let lines = text.lines().take(LINES_READ).chain(text.lines().rev().take(LINES_READ));
    lines.filter_map(code_on).next()
}

fn code_on(line: &str) -> Option<i64> {
    let line = line.trim();
    EXIT_LINES.iter().find_map(|start| {
        let rest = line
            .get(..start.len())
            .filter(|head| head.eq_ignore_ascii_case(start))
            .and(line.get(start.len()..))?;
        let number = rest.trim_start_matches([':', ' ']);
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        number.get(..digits)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use serde_json::json;

    fn after(runtime: Runtime, more: &Value) -> (Ended, Option<i64>) {
        let mut input = json!({
            "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": { "command": "x" },
        });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let report = Event::read(runtime, None, input).unwrap().report();
        (report.ended, report.exit_code)
    }

    #[test]
    fn what_the_runtimes_say_of_an_ending_is_put_into_our_words() {
        use Runtime::{ClaudeCode, Codex, Gemini};
        let failed = |error: &str| json!({ "hook_event_name": "PostToolUseFailure", "error": error });
        for (runtime, more, ended) in [
            (
                ClaudeCode,
                json!({ "tool_response": { "stdout": "", "interrupted": false } }),
                (Ended::Ok, None),
            ),
            (ClaudeCode, json!({ "tool_response": { "interrupted": true } }), (Ended::Aborted, None)),
            (ClaudeCode, json!({ "tool_response": { "backgroundTaskId": "b1" } }), (Ended::Running, None)),
            (ClaudeCode, failed("Exit code 7\nno such host"), (Ended::Ok, Some(7))),
            (ClaudeCode, failed("connection reset"), (Ended::Maybe, None)),
            (
                Codex,
                json!({ "tool_response": "Exit code: 7\nWall time: 1 seconds\nOutput:\nx" }),
                (Ended::Ok, Some(7)),
            ),
            (Codex, json!({ "tool_response": "done" }), (Ended::Ok, None)),
            (
                Gemini,
                json!({ "tool_response": { "llmContent": "Output: x\nExit Code: 3\nSignal: none" } }),
                (Ended::Ok, Some(3)),
            ),
            (Gemini, json!({ "tool_response": { "error": { "message": "x" } } }), (Ended::Maybe, None)),
        ] {
            assert_eq!(after(runtime, &more), ended, "{more}");
        }
        let mut interrupt = failed("x");
        interrupt.as_object_mut().unwrap().insert("is_interrupt".to_owned(), json!(true));
        assert_eq!(after(ClaudeCode, &interrupt).0, Ended::Aborted);
    }

    #[test]
    fn what_a_command_printed_is_no_exit_code() {
        let printed = format!("Exit code: 0\n{}exit code 9\n{}", "x\n".repeat(20), "y\n".repeat(20));
        assert_eq!(exit_code(&printed), Some(0));
        assert_eq!(exit_code("exit codes are numbers"), None);
        assert_eq!(exit_code(""), None);
    }

    #[test]
    fn a_subagent_is_a_session_of_its_own_and_a_session_there_must_be() {
        let read = |input: Value| Event::read(Runtime::ClaudeCode, Some("PreToolUse"), input);
        let event =
            read(json!({ "session_id": "s", "agent_id": "a1", "agent_type": "reviewer", "cwd": "relative" }))
                .unwrap();
        assert_eq!((event.call.session.as_str(), event.call.agent.as_deref()), ("s:a1", Some("reviewer")));
        assert_eq!((event.moment, event.call.cwd), (Moment::Before, None));
        for input in
            [json!({}), json!({ "session_id": 7 }), json!([]), json!(null), json!({ "session_id": "" })]
        {
            assert!(read(input).is_none());
        }
    }
}
