//! What a runtime tells its hooks on standard input, read as leniently as can be: fields that are not known or have another
//! type are as good as absent.

use std::path::PathBuf;

use crate::runtime::{Runtime, mcp_tool};
use callosum_core::gate::{EndReport, Presence};
use callosum_core::model::digest::digest;
use callosum_core::model::partly_read::{NOT_READ, PartlyRead, is_read};
use callosum_core::model::tool_call::{AllParameters, Parameters, ToolCall};
use callosum_core::record::SessionEvent;
use callosum_core::record::outcome::Ended;
use serde_json::{Map, Value};

use crate::ending::{Told, ending};
use crate::json::Document;
use crate::settings::gating_event;

/// What happens when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
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
    /// Anything else that a runtime is known to tell.
    Other,
    /// Nobody knows.
    Unknown,
}

/// Events of the three runtimes that no entry of ours is for: none of them lets a tool run.
const OTHERS: [&str; 18] = [
    "AfterAgent",
    "AfterModel",
    "BeforeModel",
    "BeforeToolSelection",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PreCompact",
    "PreCompress",
    "Setup",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TeammateIdle",
    "WorktreeCreate",
];

impl Moment {
    fn of(event: &str) -> Self {
        match event {
            "PreToolUse" | "BeforeTool" => Self::Before,
            "PostToolUse" | "AfterTool" => Self::After,
            "PostToolUseFailure" => Self::Failed,
            "SessionStart" => Self::Start,
            "UserPromptSubmit" | "BeforeAgent" => Self::Prompt,
            "SessionEnd" => Self::End,
            other if OTHERS.contains(&other) => Self::Other,
            _ => Self::Unknown,
        }
    }
}

/// One event.
#[derive(Debug)]
pub struct Event {
    pub runtime: Runtime,
    pub moment: Moment,
    /// Its name, as the runtime gave it.
    pub name: String,
    pub call: ToolCall,
    pub params: Params,
    response: Value,
    error: Option<String>,
    is_interrupt: bool,
    /// The runtime's own record of the session.
    transcript: Option<PathBuf>,
    /// Why the session begins or ends, in the runtime's own word.
    reason: Option<String>,
    /// What is odd about its name, where it is taken for one that asks: a clause.
    pub oddity: Option<String>,
}

/// What a call is given.
#[derive(Debug)]
pub enum Params {
    /// All of it could be read.
    Whole(Value),
    /// Not all of it, or not the tool's name or its folder: then it is not known.
    Partly { params: PartlyRead, is_known: bool, why: String },
}

impl Params {
    pub fn all(&self) -> AllParameters<'_> {
        match self {
            Self::Whole(params) => params.all(),
            Self::Partly { params, .. } => params.all(),
        }
    }
}

/// An event of which too little could be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Unread {
    pub session: Option<String>,
    pub tool: Option<String>,
    /// What is wrong with it: a clause.
    pub why: String,
}

/// What is wrong with a call of the shell without one.
const NO_COMMAND: &str = "its `tool_input` has no text as `command`";

/// What a shell may be given where no parameter is called its command, because its runtime has another name or form for that:
/// each text alone, and all of them as one line. `None` where there is none.
fn texts_as_command(params: &Value) -> Option<String> {
    fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
            Value::Object(fields) => fields.values().for_each(|field| collect(field, texts)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut texts = Vec::new();
    let fields = params.as_object()?.iter().filter(|(name, _)| *name != "workdir");
    fields.for_each(|(_, field)| collect(field, &mut texts));
    match texts.as_slice() {
        [] => None,
        [text] => Some((*text).to_owned()),
        several => Some(format!("{}\n{}", several.join(" "), several.join("\n"))),
    }
}

impl Event {
    /// Reads an event of `runtime`; `named` is its name where the command line says it, `nobody` the session where the event
    /// names none.
    ///
    /// # Errors
    /// When nothing can be done about it: it names no event, or is about a tool and names none.
    pub fn read(
        runtime: Runtime,
        named: Option<&str>,
        document: Document,
        nobody: impl FnOnce() -> String,
    ) -> Result<Self, Unread> {
        let Document { value, flaw, is_cut, cut_in } = document;
        let unread = |why: String| Unread { session: None, tool: None, why };
        let Some(Value::Object(mut input)) = value else {
            return Err(unread(flaw.unwrap_or_else(|| "it is no JSON object".to_owned())));
        };
        let text = |name: &str| {
            input.get(name)?.as_str().filter(|text| !text.is_empty() && *text != NOT_READ).map(str::to_owned)
        };
        let is_lost = |name: &str| match input.get(name) {
            Some(value) => !is_read(value),
            None => is_cut,
        };
        let cwd = text("cwd").filter(|cwd| cwd.starts_with('/'));
        let (agent, id) = (text("agent_type"), text("agent_id"));
        let told = text("session_id").or_else(|| Some(input.get("session_id")?.as_number()?.to_string()));
        // A subagent shares its parent's session id and knows nothing of what that does.
        let told = match (told, id) {
            (Some(session), Some(id)) => Some(format!("{session}:{id}")),
            (told, _) => told,
        };
        // Codex calls its turns so, Claude Code its prompts; both tell them before and after alike.
        let run = text("turn_id").or_else(|| text("prompt_id"));
        let call = text("tool_use_id");
        let is_interrupt = input.get("is_interrupt") == Some(&Value::Bool(true));
        let error = text("error");
        let transcript = text("transcript_path").map(PathBuf::from);
        let reason = text("source").or_else(|| text("reason"));
        let mcp = input.get("mcp_context").and_then(|mcp| {
            let text = |name: &str| mcp.get(name)?.as_str().filter(|text| *text != NOT_READ);
            Some(mcp_tool(text("server_name")?, text("tool_name")?))
        });
        let mcp_is_lost = is_lost("mcp_context") && mcp.is_none() && runtime == Runtime::Gemini;
        let tool = mcp.or_else(|| text("tool_name"));
        let name_of_tool_is_lost =
            is_lost("tool_name") && input.contains_key("tool_name") && cut_in.as_deref() != Some("tool_name");
        // Gemini tells behind the parameters which server's tool it is; before, the tools of all servers begin with this.
        let is_tool_known = !name_of_tool_is_lost
            && !(mcp_is_lost
                && (input.contains_key("mcp_context")
                    || tool.as_deref().is_some_and(|tool| tool.starts_with("mcp_"))));
        // What a call acts on may start from its folder.
        let is_place_known = input.get("cwd").is_none_or(is_read);
        let is_known = is_tool_known && is_place_known;

        let said =
            |what: &str| flaw.as_ref().map_or_else(|| what.to_owned(), |flaw| format!("{what}: {flaw}"));
        let (told_name, named) = (text("hook_event_name"), named.map(str::to_owned));
        let is_before = |name: &Option<String>| name.as_deref().map(Moment::of) == Some(Moment::Before);
        let mut oddity = None;
        if let (Some(told), Some(named)) = (&told_name, &named)
            && Moment::of(told) != Moment::of(named)
        {
            oddity = Some(format!("its hook's command calls it {named}, and itself says {told}"));
        }
        // If either says that it asks, it does; else it knows best itself.
        let name = if is_before(&named) && !is_before(&told_name) { named } else { told_name.or(named) };
        let mut moment = name.as_deref().map_or(Moment::Unknown, Moment::of);
        if moment == Moment::Unknown && (tool.is_some() || name_of_tool_is_lost) {
            // It may be the one that asks: its name may be lost, or a newer runtime have another for it.
            let why = match &name {
                Some(name) => Some(said(&format!("its event {name} is not known"))),
                None if is_lost("hook_event_name") => None,
                None => Some(said("it names no event")),
            };
            let tells = |name: &str| input.get(name).is_some_and(|value| !value.is_null());
            if tells("tool_response") || tells("error") {
                return Err(Unread {
                    session: told,
                    tool,
                    why: why.unwrap_or_else(|| said("it names no event")),
                });
            }
            (moment, oddity) = (Moment::Before, why);
        }
        let Some(name) =
            name.or_else(|| (moment == Moment::Before).then(|| gating_event(runtime).to_owned()))
        else {
            return Err(Unread { session: told, tool, why: said("it names no event") });
        };
        let is_about_a_call = matches!(moment, Moment::Before | Moment::After | Moment::Failed);
        if is_about_a_call && tool.is_none() && !name_of_tool_is_lost {
            return Err(Unread { session: told, tool, why: said(&format!("its {name} names no tool")) });
        }
        let tool = tool.unwrap_or_else(|| NOT_READ.to_owned());
        let response_is_lost = is_lost("tool_response");
        let input_is_lost = is_lost("tool_input");
        let is_open =
            is_cut && (cut_in.as_deref() == Some("tool_input") || !input.contains_key("tool_input"));
        let mut take = |name: &str| input.get_mut(name).map(Value::take).unwrap_or_default();
        let (params, mut response) = (take("tool_input"), take("tool_response"));
        if response_is_lost {
            // What is missing may be that it failed.
            response = Value::String(NOT_READ.to_owned());
        }
        // No parameters are as good as an empty object; something else in its place tells nothing of them.
        let is_odd = !params.is_object() && !params.is_null();
        let params = if params.is_object() { params } else { Value::Object(Map::new()) };
        let (tool, mut params) = runtime.neutral(&tool, params, cwd.as_deref());
        let is_open = is_open || is_odd;
        let mut is_command_lost = false;
        if tool == "exec" && params.get("command").is_none_or(|command| !command.is_string()) && !is_open {
            let texts = texts_as_command(&params).filter(|_| is_read(&params));
            if texts.is_some() && moment == Moment::Before {
                oddity.get_or_insert_with(|| NO_COMMAND.to_owned());
            }
            // Without one it runs something, and nobody knows what.
            is_command_lost = texts.is_none();
            let command = Value::String(texts.unwrap_or_else(|| NOT_READ.to_owned()));
            if let Some(params) = params.as_object_mut() {
                params.insert("command".to_owned(), command);
            }
        }
        let params = if is_open || is_command_lost || input_is_lost || !is_known {
            let why = if is_odd { "its `tool_input` is no object" } else { NO_COMMAND };
            let why = flaw.unwrap_or_else(|| why.to_owned());
            Params::Partly { params: PartlyRead::new(params, is_open), is_known, why }
        } else {
            Params::Whole(params)
        };
        let session = told.unwrap_or_else(nobody);
        let call = ToolCall { tool, kind: None, agent, session, run, call, cwd };
        Ok(Self {
            runtime,
            moment,
            name,
            call,
            params,
            response,
            error,
            is_interrupt,
            transcript,
            reason,
            oddity,
        })
    }

    /// What happened to the session; `None` when this is about a call.
    pub fn presence(&self) -> Option<Presence> {
        let (event, reason) = match self.moment {
            Moment::Start => (SessionEvent::Start, self.reason.clone()),
            Moment::End => (SessionEvent::End, self.reason.clone()),
            // What it says is the user's, and nobody else's.
            Moment::Prompt => (SessionEvent::Prompt, None),
            Moment::Before | Moment::After | Moment::Failed | Moment::Other | Moment::Unknown => return None,
        };
        let ToolCall { session, agent, .. } = self.call.clone();
        Some(Presence { session, agent, event, reason })
    }

    /// How the call ended.
    pub fn report(&self) -> EndReport {
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
        if self.response == NOT_READ {
            return (Ended::Maybe, None);
        }
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
    use crate::json::Reader;
    use serde_json::json;

    fn read(runtime: Runtime, text: &str) -> Result<Event, Unread> {
        let mut reader = Reader::default();
        reader.feed(text.as_bytes());
        Event::read(runtime, None, reader.finish(), || "nobody".to_owned())
    }

    #[test]
    fn a_subagent_is_a_session_of_its_own_and_a_session_there_always_is() {
        let of = |id: Value| {
            let input = json!({ "session_id": id, "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "relative" });
            read(Runtime::ClaudeCode, &input.to_string()).unwrap()
        };
        let event = read(
            Runtime::ClaudeCode,
            r#"{"session_id":"s","agent_id":"a1","agent_type":"reviewer","hook_event_name":"PreToolUse","tool_name":"Bash"}"#,
        )
        .unwrap();
        assert_eq!((event.call.session.as_str(), event.call.agent.as_deref()), ("s:a1", Some("reviewer")));
        assert_eq!((event.moment, of(json!("s")).call.cwd), (Moment::Before, None));
        for (id, session) in [
            (json!("s"), "s"),
            (json!(7), "7"),
            (json!(""), "nobody"),
            (json!(null), "nobody"),
            (json!(["s"]), "nobody"),
            (json!({}), "nobody"),
        ] {
            assert_eq!(of(id).call.session, session);
        }
    }

    /// What becomes of a cut event: nothing, or a call of a tool that is known or not.
    fn cut(runtime: Runtime, text: &str) -> Option<(Moment, String, bool)> {
        let event = read(runtime, text).ok()?;
        let is_known = match event.params {
            Params::Whole(_) => true,
            Params::Partly { is_known, .. } => is_known,
        };
        Some((event.moment, event.call.tool, is_known))
    }

    #[test]
    fn an_event_cut_before_the_tools_name_is_about_none_and_one_cut_behind_it_asks() {
        let claude = |text: &str| cut(Runtime::ClaudeCode, text);
        let exec = Some((Moment::Before, "exec".to_owned(), true));
        assert_eq!(claude(r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_na"#), None);
        assert_eq!(claude(r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Ba"#), None);
        assert_eq!(claude(r#"{"hook_event_name":"PreToolUse","tool_name":"Bash""#), exec);
        assert_eq!(claude(r#"{"tool_name":"Bash","tool_input":{"command":"#), exec);
        // One without a name may be the one that asks, unless it tells how a call ended.
        assert_eq!(claude(r#"{"tool_name":"Bash"}"#), exec);
        assert_eq!(claude(r#"{"tool_name":"Bash","tool_response":{}}"#), None);
        assert_eq!(claude(r#"{"hook_event_name":"PreToolUse","tool_name":7}"#), None);
        // Which of the two it is, nobody knows.
        let twice = claude(r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_name":"Bash"}"#);
        assert_eq!(twice, Some((Moment::Before, NOT_READ.to_owned(), false)));
        let nowhere = r#"{"cwd":"/a","cwd":"/b","hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
        assert_eq!(claude(nowhere), Some((Moment::Before, "exec".to_owned(), false)));
        // Gemini tells behind the parameters which server's tool it is.
        let gemini = |tool: &str| {
            let text = format!(r#"{{"hook_event_name":"BeforeTool","tool_name":"{tool}","tool_input":{{}},"#);
            cut(Runtime::Gemini, &text).unwrap().2
        };
        assert!(!gemini("mcp_mailer_send") && gemini("run_shell_command"));
    }

    #[test]
    fn an_answer_that_was_not_read_whole_is_no_success() {
        for text in [
            r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{}"#,
            r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{},"tool_response":{"a":1e999}}"#,
        ] {
            assert_eq!(read(Runtime::ClaudeCode, text).unwrap().ended(), (Ended::Maybe, None));
        }
    }
}
