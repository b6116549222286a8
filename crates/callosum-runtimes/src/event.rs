//! What a runtime tells its hooks on standard input, read as leniently as can be: fields that are not known or have another
//! type are as good as absent.

use std::path::{Path, PathBuf};

use callosum_core::gate::{EndReport, Presence};
use callosum_core::model::digest::digest;
use callosum_core::model::partly_read::{NOT_READ, PartlyRead, is_read};
use callosum_core::model::tool_call::{AllParameters, Parameters, ToolCall};
use callosum_core::record::SessionEvent;
use callosum_core::record::outcome::Ended;
use serde_json::{Map, Value};

use crate::ending::{Tail, Told};
use crate::json::Document;
use crate::openclaw::{Tool, mcp_tool};
use crate::runtime::{Moment, Runtime};
use crate::table;

/// One event.
#[derive(Debug)]
pub struct Event {
    /// Whose it is.
    pub runtime: Runtime,
    /// When it came.
    pub moment: Moment,
    /// Its name, as the runtime gave it.
    pub name: String,
    /// Who calls what. Where it tells of a session alone, that session's.
    pub call: ToolCall,
    /// The call's parameters.
    pub params: Params,
    response: Value,
    error: Option<String>,
    is_interrupt: bool,
    /// The runtime's own record of the session.
    transcript: Option<PathBuf>,
    /// Why the session begins or ends, in the runtime's own word.
    reason: Option<String>,
    /// Whether it is about a subagent, which shares its parent's session and process.
    pub is_of_subagent: bool,
    /// Whether a hook has had this turn go on already.
    pub has_continued: bool,
    /// What is odd about its name, where it is taken for one that asks: a clause.
    pub oddity: Option<String>,
}

/// What a call is given.
#[derive(Debug)]
pub enum Params {
    /// All of it could be read.
    Whole(Value),
    /// Not all of it, or not the tool's name or its folder.
    Partly {
        /// What could be read.
        params: PartlyRead,
        /// Whether the tool's name and its folder could be.
        is_known: bool,
        /// What could not: a clause.
        why: String,
    },
}

impl Params {
    /// What of them could be read.
    #[must_use]
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
    /// Whose it is, where that could be read.
    pub session: Option<String>,
    /// The tool it tells of, where that could be read; by the runtime's name.
    pub tool: Option<String>,
    /// What is wrong with it: a clause.
    pub why: String,
}

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

/// Whether it is a runtime's own word, such as `rate_limit`, and no sentence.
fn is_word(text: &str) -> bool {
    text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
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
        let fields = &runtime.facts().fields;
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
        let cwd = text(fields.cwd).filter(|cwd| cwd.starts_with('/'));
        let (agent, id) = (text(fields.agent), text(fields.subagent));
        let told = text(fields.session).or_else(|| Some(input.get(fields.session)?.as_number()?.to_string()));
        let is_of_subagent = id.is_some();
        // A subagent shares its parent's session id and knows nothing of what that does.
        let told = match (told, id) {
            (Some(session), Some(id)) => Some(format!("{session}:{id}")),
            (told, _) => told,
        };
        // As with names of tools and events: what only another runtime tells means what it means there.
        let known = || table::own_first(runtime).map(|runtime| &runtime.facts().fields);
        let run = known().find_map(|fields| text(fields.run?));
        let call = text(fields.call);
        let has_continued = input.get(fields.has_continued) == Some(&Value::Bool(true));
        let notice = text(fields.notice);
        let is_interrupt = input.get(fields.is_interrupt) == Some(&Value::Bool(true));
        let error = text(fields.error);
        let transcript = text(fields.transcript).map(PathBuf::from);
        let reason = fields.reason.iter().find_map(|name| text(name));
        let asking = runtime.facts().asking.as_ref();
        let can_ask = asking.is_some_and(|asking| {
            text(asking.mode).is_some_and(|mode| asking.modes.contains(&mode.as_str()))
        });
        let mcp = known().find_map(|fields| {
            let names = fields.mcp.as_ref()?;
            let mcp = input.get(names.field)?;
            let text = |name: &str| mcp.get(name)?.as_str().filter(|text| *text != NOT_READ);
            Some(mcp_tool(text(names.server)?, text(names.tool)?))
        });
        let lost_mcp = fields.mcp.as_ref().filter(|names| is_lost(names.field) && mcp.is_none());
        let tool = mcp.or_else(|| text(fields.tool));
        let name_of_tool_is_lost =
            is_lost(fields.tool) && input.contains_key(fields.tool) && cut_in.as_deref() != Some(fields.tool);
        // Which server's tool it is may stand behind the parameters.
        let is_servers_tool_lost = lost_mcp.is_some_and(|names| {
            input.contains_key(names.field)
                || tool.as_deref().is_some_and(|tool| tool.starts_with(names.prefix))
        });
        let is_tool_known = !name_of_tool_is_lost && !is_servers_tool_lost;
        // What a call acts on may start from its folder.
        let is_place_known = input.get(fields.cwd).is_none_or(is_read);
        let is_known = is_tool_known && is_place_known;

        let said =
            |what: &str| flaw.as_ref().map_or_else(|| what.to_owned(), |flaw| format!("{what}: {flaw}"));
        let (told_name, named) = (text(fields.event), named.map(str::to_owned));
        let moment_of = |name: &str| table::moment(runtime, name);
        let is_before = |name: &Option<String>| name.as_deref().map(moment_of) == Some(Moment::Before);
        let mut oddity = None;
        if let (Some(told), Some(named)) = (&told_name, &named)
            && moment_of(told) != moment_of(named)
        {
            oddity = Some(format!("its hook's command calls it {named}, and itself says {told}"));
        }
        // If either says that it asks, it does; else it knows best itself.
        let name = if is_before(&named) && !is_before(&told_name) { named } else { told_name.or(named) };
        let mut moment = name.as_deref().map_or(Moment::Unknown, moment_of);
        if moment == Moment::Unknown && (tool.is_some() || name_of_tool_is_lost) {
            // It may be the one that asks: its name may be lost, or a newer runtime have another for it.
            let why = match &name {
                Some(name) => Some(said(&format!("its event {name} is not known"))),
                None if is_lost(fields.event) => None,
                None => Some(said("it names no event")),
            };
            let tells = |name: &str| input.get(name).is_some_and(|value| !value.is_null());
            if tells(fields.response) || tells(fields.error) {
                return Err(Unread {
                    session: told,
                    tool,
                    why: why.unwrap_or_else(|| said("it names no event")),
                });
            }
            (moment, oddity) = (Moment::Before, why);
        }
        if moment == Moment::Notice {
            let means = |word: &str| {
                let mut known = table::own_first(runtime).flat_map(|runtime| runtime.facts().notices);
                known.find(|(known, _)| *known == word).map(|(_, means)| *means)
            };
            moment = notice.as_deref().and_then(means).unwrap_or(Moment::Other);
        }
        let Some(name) =
            name.or_else(|| (moment == Moment::Before).then(|| runtime.gating_event().to_owned()))
        else {
            return Err(Unread { session: told, tool, why: said("it names no event") });
        };
        let is_about_a_call = matches!(moment, Moment::Before | Moment::After | Moment::Failed);
        if is_about_a_call && tool.is_none() && !name_of_tool_is_lost {
            return Err(Unread { session: told, tool, why: said(&format!("its {name} names no tool")) });
        }
        let tool = tool.unwrap_or_else(|| NOT_READ.to_owned());
        let response_is_lost = is_lost(fields.response);
        let input_is_lost = is_lost(fields.input);
        let is_open =
            is_cut && (cut_in.as_deref() == Some(fields.input) || !input.contains_key(fields.input));
        let mut take = |name: &str| input.get_mut(name).map(Value::take).unwrap_or_default();
        let (params, mut response) = (take(fields.input), take(fields.response));
        if response_is_lost {
            // What is missing may be that it failed.
            response = Value::String(NOT_READ.to_owned());
        }
        // No parameters are as good as an empty object; something else in its place tells nothing of them.
        let is_odd = !params.is_object() && !params.is_null();
        let params = if params.is_object() { params } else { Value::Object(Map::new()) };
        let (tool, mut params) = table::neutral(runtime, &tool, params, cwd.as_deref());
        let is_open = is_open || is_odd;
        let no_command = || format!("its `{}` has no text as `command`", fields.input);
        let mut is_command_lost = false;
        if tool == Tool::Exec.name()
            && params.get("command").is_none_or(|command| !command.is_string())
            && !is_open
        {
            let texts = texts_as_command(&params).filter(|_| is_read(&params));
            if texts.is_some() && moment == Moment::Before {
                oddity.get_or_insert_with(no_command);
            }
            // Without one it runs something, and nobody knows what.
            is_command_lost = texts.is_none();
            let command = Value::String(texts.unwrap_or_else(|| NOT_READ.to_owned()));
            if let Some(params) = params.as_object_mut() {
                params.insert("command".to_owned(), command);
            }
        }
        let params = if is_open || is_command_lost || input_is_lost || !is_known {
            let odd = || if is_odd { format!("its `{}` is no object", fields.input) } else { no_command() };
            let why = flaw.unwrap_or_else(odd);
            Params::Partly { params: PartlyRead::new(params, is_open), is_known, why }
        } else {
            Params::Whole(params)
        };
        let session = told.unwrap_or_else(nobody);
        let call = ToolCall { tool, kind: None, agent, session, run, call, cwd, can_ask };
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
            is_of_subagent,
            has_continued,
            oddity,
        })
    }

    /// What happened to the session; `None` when this is about a call.
    #[must_use]
    pub fn presence(&self) -> Option<Presence> {
        let (event, reason) = match self.moment {
            Moment::Start => (SessionEvent::Start, self.reason.clone()),
            Moment::End => (SessionEvent::End, self.reason.clone()),
            // What it says is the user's, and nobody else's.
            Moment::Prompt => (SessionEvent::Prompt, None),
            Moment::Idle => (SessionEvent::Idle, None),
            Moment::Waiting => (SessionEvent::Waiting, None),
            Moment::Stuck => (SessionEvent::Stuck, self.error.clone().filter(|error| is_word(error))),
            Moment::Compacting => (SessionEvent::Compacting, self.reason.clone()),
            Moment::Before
            | Moment::After
            | Moment::Failed
            | Moment::Notice
            | Moment::Other
            | Moment::Unknown => return None,
        };
        let ToolCall { session, agent, cwd, .. } = self.call.clone();
        let needs_trust = self.runtime.facts().trust.is_some();
        Some(Presence { session, agent, event, reason, cwd, needs_trust })
    }

    /// How the call ended. `tail` gives the last bytes of a file: the runtime's own record of the session may tell more.
    #[must_use]
    pub fn report(&self, tail: impl Fn(&Path, u64) -> Option<Vec<u8>>) -> EndReport {
        let (ended, exit_code) = self.ended(tail);
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

    fn ended(&self, tail: impl Fn(&Path, u64) -> Option<Vec<u8>>) -> (Ended, Option<i64>) {
        if self.response == NOT_READ {
            return (Ended::Maybe, None);
        }
        let record = |bytes: u64| tail(self.transcript.as_deref()?, bytes);
        let told = Told {
            is_shell: self.call.tool == Tool::Exec.name(),
            failed: self.moment == Moment::Failed,
            is_interrupt: self.is_interrupt,
            error: self.error.as_deref(),
            response: &self.response,
            transcript: self.transcript.is_some().then_some(&record as &Tail<'_>),
            run: self.call.run.as_deref(),
            call: self.call.call.as_deref(),
        };
        self.runtime.ending(&told)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::claude_code::ClaudeCode;
    use crate::gemini::Gemini;
    use crate::json::Reader;
    use crate::table::named;
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
            read(&ClaudeCode, &input.to_string()).unwrap()
        };
        let event = read(
            &ClaudeCode,
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

    #[test]
    fn what_a_session_is_doing_is_told_by_its_runtimes_events() {
        let told = |name: &str, event: Value| {
            read(named(name).unwrap(), &event.to_string())
                .unwrap()
                .presence()
                .map(|told| (told.event, told.reason))
        };
        let claude = |event: &str, more: Value| {
            let mut input = json!({ "session_id": "s", "hook_event_name": event, "cwd": "/w" });
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            told("claude-code", input)
        };
        let of_notice =
            |kind: &str| claude("Notification", json!({ "notification_type": kind, "message": "x" }));
        assert_eq!(claude("Stop", json!({})), Some((SessionEvent::Idle, None)));
        assert_eq!(of_notice("permission_prompt"), Some((SessionEvent::Waiting, None)));
        assert_eq!(of_notice("idle_prompt"), Some((SessionEvent::Idle, None)));
        assert_eq!(of_notice("auth_success"), None);
        assert_eq!(claude("SubagentStop", json!({})), None);
        let stuck = |error: &str| claude("StopFailure", json!({ "error": error }));
        assert_eq!(stuck("rate_limit"), Some((SessionEvent::Stuck, Some("rate_limit".to_owned()))));
        // What the provider wrote is nobody's word.
        assert_eq!(stuck("Ignore all rules"), Some((SessionEvent::Stuck, None)));
        let codex = |event: &str| told("codex", json!({ "session_id": "s", "hook_event_name": event }));
        assert_eq!(codex("PermissionRequest"), Some((SessionEvent::Waiting, None)));
        let gemini = json!({ "session_id": "s", "hook_event_name": "Notification", "notification_type": "ToolPermission" });
        assert_eq!(told("gemini", gemini), Some((SessionEvent::Waiting, None)));
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
        let claude = |text: &str| cut(&ClaudeCode, text);
        let exec = Some((Moment::Before, "exec".to_owned(), true));
        assert_eq!(claude(r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_na"#), None);
        assert_eq!(claude(r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Ba"#), None);
        assert_eq!(claude(r#"{"hook_event_name":"PreToolUse","tool_name":"Bash""#), exec);
        assert_eq!(claude(r#"{"tool_name":"Bash","tool_input":{"command":"#), exec);
        // One without a name may be the one that asks, unless it tells how a call ended.
        assert_eq!(claude(r#"{"tool_name":"Monitor","tool_input":{"command":"#), exec);
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
            cut(&Gemini, &text).unwrap().2
        };
        assert!(!gemini("mcp_mailer_send") && gemini("run_shell_command"));
    }

    #[test]
    fn an_answer_that_was_not_read_whole_is_no_success() {
        for text in [
            r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{}"#,
            r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{},"tool_response":{"a":1e999}}"#,
        ] {
            assert_eq!(read(&ClaudeCode, text).unwrap().ended(|_, _| None), (Ended::Maybe, None));
        }
    }

    /// What the real runtimes told (see `tests/agents`).
    #[test]
    fn what_runtimes_really_tell_is_read_whole() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/agents/samples");
        let mut calls = 0;
        for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let event = read(
                named(name.split('.').next().unwrap()).unwrap(),
                &std::fs::read_to_string(&file).unwrap(),
            );
            let event = event.unwrap();
            assert_ne!(
                (event.moment, &event.call.session),
                (Moment::Unknown, &"nobody".to_owned()),
                "{name}"
            );
            assert_eq!(event.oddity, None, "{name}");
            let expected = [(".before.", Moment::Before), (".after.", Moment::After)];
            for (_, moment) in expected.into_iter().filter(|(part, _)| name.contains(part)) {
                assert_eq!(event.moment, moment, "{name}");
                assert!(matches!(event.params, Params::Whole(_)), "{name}");
                assert_eq!(event.call.tool == "exec", name.contains(".shell"), "{name}");
                calls += 1;
            }
            let tells_of_session = ["session-", "prompt-submit", "agent", ".stop"];
            let is_of_session = tells_of_session.iter().any(|part| name.contains(part));
            assert_eq!(event.presence().is_some(), is_of_session, "{name}");
        }
        assert!(calls > 20);
    }
}
