//! What a runtime tells its hooks on standard input, read as leniently as can be: fields that are not known or have another
//! type are as good as absent.

use std::path::PathBuf;

use callosum_core::digest::digest;
use callosum_core::gate::{EndReport, Presence};
use callosum_core::journal::record::SessionEvent;
use callosum_core::outcome::Ended;
use callosum_core::runtime::{Runtime, mcp_tool};
use callosum_core::tool_call::{Parameters, ToolCall};
use serde_json::Value;

use super::ending::{Told, ending};

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
    /// It got a prompt.
    Prompt,
    /// It ended.
    End,
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
            "UserPromptSubmit" | "BeforeAgent" => Self::Prompt,
            "SessionEnd" => Self::End,
            _ => Self::Other,
        }
    }
}

/// One event.
#[derive(Debug)]
pub(super) struct Event {
    runtime: Runtime,
    pub(super) moment: Moment,
    /// Its name, as the runtime gave it.
    pub(super) name: String,
    pub(super) call: ToolCall,
    pub(super) params: Value,
    response: Value,
    error: Option<String>,
    is_interrupt: bool,
    /// The runtime's own record of the session.
    transcript: Option<PathBuf>,
    /// Why the session begins or ends, in the runtime's own word.
    reason: Option<String>,
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
        let transcript = text("transcript_path").map(PathBuf::from);
        let reason = text("source").or_else(|| text("reason"));
        let mcp = input.get("mcp_context").and_then(|mcp| {
            Some(mcp_tool(mcp.get("server_name")?.as_str()?, mcp.get("tool_name")?.as_str()?))
        });
        let tool = mcp.or_else(|| text("tool_name")).unwrap_or_default();
        let mut take = |name: &str| input.get_mut(name).map(Value::take).unwrap_or_default();
        let (params, response) = (take("tool_input"), take("tool_response"));
        let (tool, params) = runtime.neutral(&tool, params, cwd.as_deref());
        let call = ToolCall { tool, kind: None, agent, session, run, call, cwd };
        Some(Self {
            runtime,
            moment: Moment::of(&name),
            name,
            call,
            params,
            response,
            error,
            is_interrupt,
            transcript,
            reason,
        })
    }

    /// What happened to the session; `None` when this is about a call.
    pub(super) fn presence(&self) -> Option<Presence> {
        let (event, reason) = match self.moment {
            Moment::Start => (SessionEvent::Start, self.reason.clone()),
            Moment::End => (SessionEvent::End, self.reason.clone()),
            // What it says is the user's, and nobody else's.
            Moment::Prompt => (SessionEvent::Prompt, None),
            Moment::Before | Moment::After | Moment::Failed | Moment::Other => return None,
        };
        let ToolCall { session, agent, .. } = self.call.clone();
        Some(Presence { session, agent, event, reason })
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
            digest: call.call.is_none().then(|| digest(&call.tool, &self.params.all())),
            ended,
            exit_code,
            process: None,
            ran: None,
        }
    }

    fn ended(&self) -> (Ended, Option<i64>) {
        let told = Told {
            is_shell: self.call.tool == "exec",
            failed: self.moment == Moment::Failed,
            is_interrupt: self.is_interrupt,
            error: self.error.as_deref(),
            response: &self.response,
            transcript: self.transcript.as_deref(),
            run: self.call.run.as_deref(),
            call: self.call.call.as_deref(),
        };
        ending(self.runtime, &told)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use serde_json::json;

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
