//! What has to be known of an agent runtime.

use std::fmt::Debug;

use callosum_core::record::outcome::Ended;
use serde_json::Value;

use crate::ending::Told;
use crate::openclaw::Tool;
use crate::settings::place::{Place, ServerPlace};
use crate::trust::HookTrust;

/// A runtime of the table.
pub type Runtime = &'static dyn AgentRuntime;

/// An agent runtime whose hooks come through a process of their own: what can be written down of it, and what has to be worked
/// out.
///
/// Nothing here has a default: a new runtime answers every question, and the compiler names those it does not.
pub trait AgentRuntime: Debug + Sync {
    /// What can be written down.
    fn facts(&self) -> &'static Facts;

    /// `tool` in OpenClaw's form, where this names an MCP server's tool; `None` where it does not, or where events tell server and tool
    /// apart ([`Fields::mcp`]).
    fn server_tool(&self, tool: &str) -> Option<String>;

    /// How a call ended, with the exit code of its command where there is one. What is not told is in doubt, and in doubt a
    /// call may have acted.
    fn ending(&self, told: &Told<'_>) -> (Ended, Option<i64>);

    /// What is printed to refuse the call that `event` tells of, with the reason for the model. Exactly what the runtime knows.
    /// An allowed call is answered by printing nothing.
    fn refusal(&self, event: &str, reason: &str) -> Value;

    /// What is printed to warn a person of a call that runs.
    fn warning(&self, text: &str) -> Value;

    /// What is printed at `event` to give the model `text` as context.
    fn context(&self, event: &str, text: &str) -> Value;

    /// What is printed at `event`, the end of a turn, to have it go on, with the reason for the model.
    fn continuation(&self, event: &str, reason: &str) -> Value;

    /// What in its settings keeps it from running our hooks, or that whose command is `gating`: a clause.
    fn off(&self, settings: &Value, gating: Option<&str>) -> Option<&'static str>;
}

/// What a runtime is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeName {
    /// In the journal, in rules and on the command line.
    pub name: &'static str,
    /// In the files and events of others.
    pub source: &'static str,
    /// What it is called there besides.
    pub others: &'static [&'static str],
}

/// What can be written down of a runtime.
pub struct Facts {
    /// Its name in the journal, in rules and on the command line.
    pub name: &'static str,
    /// As people know it.
    pub title: &'static str,
    /// What its program is called.
    pub program: &'static str,
    /// How it does one thing it is asked for, without anybody at it: the first words for its program, and those in front of what is
    /// asked. A person's own words stand between them.
    pub headless: [&'static [&'static str]; 2],
    /// What its empty prompt shows on a terminal that is not faint: how that begins.
    pub prompt_hints: &'static [&'static str],
    /// Whether an after-hook comes for a call that failed, too.
    pub tells_failures: bool,
    /// What the files and events of others call it.
    pub source: &'static str,
    /// What CALC's registry of panes calls it.
    pub pane_runtime: &'static str,
    /// What it is called there besides.
    pub other_names: &'static [&'static str],
    /// Its names for OpenClaw's tools and their parameters.
    pub tools: &'static [ToolNames],
    /// The events that hooks of ours are for, in the order in which they are put into its settings.
    pub events: &'static [HookEvent],
    /// What it tells people of: its words for that, and what they mean.
    pub notices: &'static [(&'static str, Moment)],
    /// Its other events. None of them lets a tool run.
    pub other_events: &'static [&'static str],
    /// Variables that are set in shells of its agents, and nowhere else.
    pub shell_variables: &'static [&'static str],
    /// Where its events say what.
    pub fields: Fields,
    /// How it asks its user about a call. `None`: it can't, or not so that the call waits for the answer.
    pub asking: Option<Asking>,
    /// The exit code that refuses a call where nothing can be printed; standard error has the reason then.
    pub refusal_exit_code: u8,
    /// The settings that hold the user's own hooks.
    pub place: Place,
    /// Where a request to an MCP server has the id of the call, as hooks tell it: a field of its `_meta`. `None` where it has none.
    pub call_in_meta: Option<&'static str>,
    /// The settings that name the user's own MCP servers.
    pub server_place: ServerPlace,
    /// Whether it runs only hooks that its user trusts, and how it tells. `None`: it runs what stands in its settings.
    pub trust: Option<&'static dyn HookTrust>,
}

impl dyn AgentRuntime {
    /// See [`Facts::name`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// See [`Facts::title`].
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.facts().title
    }

    /// The event whose hook decides about calls.
    #[must_use]
    pub fn gating_event(&self) -> &'static str {
        let mut events = self.facts().events.iter();
        events.find(|event| event.moment == Moment::Before).map_or("", |event| event.name)
    }
}

/// How a runtime asks its user whether a call may run.
#[derive(Debug)]
pub struct Asking {
    /// The field of an event's outermost object that names the mode in which its user is asked.
    pub mode: &'static str,
    /// The modes in which the user is asked, and the call waits for the answer.
    pub modes: &'static [&'static str],
    /// What is printed to have the user asked at an event, with the facts.
    pub question: fn(event: &str, text: &str) -> Value,
}

/// A runtime's names for one of OpenClaw's tools.
#[derive(Debug)]
pub struct ToolNames {
    /// What it calls the tool.
    pub names: &'static [&'static str],
    /// The tool.
    pub tool: Tool,
    /// Its names for parameters, and OpenClaw's. Where two of its names mean one, the first counts.
    pub params: &'static [(&'static str, &'static str)],
    /// Parameters that only tell a person what the call is for, or how long to wait for it.
    pub dropped: &'static [&'static str],
}

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
    /// Its turn is over: it waits for the next prompt.
    Idle,
    /// It waits until a person has allowed a call.
    Waiting,
    /// Its turn ended with an error of the model's provider.
    Stuck,
    /// What it has in mind is about to be made shorter.
    Compacting,
    /// A person is told something: what, its event says ([`Facts::notices`]).
    Notice,
    /// It ended.
    End,
    /// Anything else that a runtime is known to tell.
    Other,
    /// Nobody knows.
    Unknown,
}

/// An event that a hook of ours is for.
#[derive(Debug)]
pub struct HookEvent {
    /// Its name.
    pub name: &'static str,
    /// When it comes.
    pub moment: Moment,
    /// Which calls, sessions or notices its hook is for; `None` where the runtime takes no matcher for all of them.
    pub matcher: Option<&'static str>,
    /// How long the runtime is to wait for the hook. All of them let a call run when it takes longer: so there is time for a
    /// machine that is busy, and a hook that decides on purpose long before.
    pub timeout_seconds: u32,
}

/// How long a runtime is to wait that can wait as long as it is told to.
pub(crate) const TIMEOUT_SECONDS: u32 = 20;

impl HookEvent {
    /// One that comes with each tool call.
    pub(crate) const fn of_calls(name: &'static str, moment: Moment) -> Self {
        Self { name, moment, matcher: Some("*"), timeout_seconds: TIMEOUT_SECONDS }
    }

    /// One that tells a person something that this pattern matches.
    pub(crate) const fn of_notices(name: &'static str, matcher: &'static str) -> Self {
        Self { name, moment: Moment::Notice, matcher: Some(matcher), timeout_seconds: TIMEOUT_SECONDS }
    }

    /// One that tells of a session.
    pub(crate) const fn of_sessions(name: &'static str, moment: Moment) -> Self {
        Self { name, moment, matcher: None, timeout_seconds: TIMEOUT_SECONDS }
    }
}

/// Names of the fields of an event's outermost object.
#[derive(Debug)]
pub struct Fields {
    /// The event's name.
    pub event: &'static str,
    /// The session's id: a text or a number.
    pub session: &'static str,
    /// The id of a subagent, which shares its parent's session id and knows nothing of what that does.
    pub subagent: &'static str,
    /// What kind of agent it is.
    pub agent: &'static str,
    /// The turn in which a call is made, told before and after it alike; `None` where none is told.
    pub run: Option<&'static str>,
    /// The call's id.
    pub call: &'static str,
    /// The folder in which a call is made.
    pub cwd: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// Its parameters.
    pub input: &'static str,
    /// What the tool gave back.
    pub response: &'static str,
    /// Why it failed.
    pub error: &'static str,
    /// Whether somebody interrupted it.
    pub is_interrupt: &'static str,
    /// The path of the runtime's own record of the session.
    pub transcript: &'static str,
    /// What a person is told of.
    pub notice: &'static str,
    /// Whether a hook has had this turn go on already.
    pub has_continued: &'static str,
    /// Why a session begins or ends; the first that is there.
    pub reason: &'static [&'static str],
    /// Where it says which MCP server's tool it is; `None` where the tool's name alone does.
    pub mcp: Option<McpFields>,
}

/// Where a runtime names server and tool of an MCP call apart.
#[derive(Debug)]
pub struct McpFields {
    /// The object with both.
    pub field: &'static str,
    /// In it, the server.
    pub server: &'static str,
    /// In it, the tool.
    pub tool: &'static str,
    /// What the names of all servers' tools begin with.
    pub prefix: &'static str,
}

impl Fields {
    /// The names that runtimes took over from Claude Code with its hooks.
    pub(crate) const COMMON: Self = Self {
        event: "hook_event_name",
        session: "session_id",
        subagent: "agent_id",
        agent: "agent_type",
        run: None,
        call: "tool_use_id",
        cwd: "cwd",
        tool: "tool_name",
        input: "tool_input",
        response: "tool_response",
        error: "error",
        is_interrupt: "is_interrupt",
        transcript: "transcript_path",
        notice: "notification_type",
        has_continued: "stop_hook_active",
        reason: &["source", "reason"],
        mcp: None,
    };
}
