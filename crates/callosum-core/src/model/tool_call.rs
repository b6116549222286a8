//! What a runtime is about to do: the tool, who calls it, and its parameters.

use std::borrow::Cow;

use serde_json::Value;

/// One tool call as its runtime names it. The instance and the runtime are the gate's, not the call's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name as the host gave it.
    pub tool: String,
    /// What kind of tool the host says it is (OpenClaw's `toolKind`), when it says so.
    pub kind: Option<String>,
    /// The agent's id.
    pub agent: Option<String>,
    /// The session key, else the session id, else the run id; never empty.
    pub session: String,
    /// The run (one turn of the agent) the call belongs to.
    pub run: Option<String>,
    /// The host's call id. Models reuse them: unique only among the calls that are open now.
    pub call: Option<String>,
    /// The absolute folder that relative paths in the parameters start from, when the host says so.
    pub cwd: Option<String>,
    /// The host can ask a person whether the call may run, and waits for the answer.
    pub can_ask: bool,
}

/// The runtime that has wrappers, as gates call it.
const OPENCLAW: &str = "openclaw";
/// OpenClaw's tools that only carry another tool call, which then passes the gate under its own name: by their exact names, as
/// its agents see them (2026.9). A plugin or a server may call a tool of its own almost the same.
const WRAPPERS: [&str; 5] = ["tool_search", "tool_search_code", "tool_describe", "tool_call", "wait"];
/// The kind that OpenClaw gives to a program of code mode.
const CODE_MODE: &str = "code_mode_exec";

impl ToolCall {
    /// Whether the call, of this runtime, only wraps other calls, which come through the gate themselves.
    #[must_use]
    pub fn is_wrapper(&self, runtime: &str) -> bool {
        is_wrapper(runtime, &self.tool) || runtime == OPENCLAW && self.kind.as_deref() == Some(CODE_MODE)
    }
}

/// Whether a tool of this name of this runtime only wraps other calls. Only OpenClaw has such tools.
#[must_use]
pub fn is_wrapper(runtime: &str, tool: &str) -> bool {
    runtime == OPENCLAW && WRAPPERS.contains(&tool)
}

/// A call's parameters, read only as far as the rules need them: a host may hold a megabyte of text in
/// a parameter that no rule looks at.
pub trait Parameters {
    /// The value at a dotted path (`job.name`), or `None` when it is absent, null or can't be read.
    fn get(&self, path: &str) -> Option<Cow<'_, Value>>;

    /// All parameters as one value.
    fn all(&self) -> AllParameters<'_>;

    /// Whether a limit cut something off a value that somebody asked for: what was told of it may not be what counts.
    fn was_cut(&self) -> bool {
        false
    }
}

/// All parameters of a call, as far as they could be read.
#[derive(Clone, Debug)]
pub struct AllParameters<'a> {
    /// The parameters, an object for every host known.
    pub value: Cow<'a, Value>,
    /// False when a limit (depth, number of values) cut something off: then two equal values do not
    /// prove two equal calls.
    pub complete: bool,
}

impl Parameters for AllParameters<'_> {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        Parameters::get(&*self.value, path)
    }

    fn all(&self) -> AllParameters<'_> {
        AllParameters { value: Cow::Borrowed(&self.value), complete: self.complete }
    }

    fn was_cut(&self) -> bool {
        !self.complete
    }
}

impl Parameters for Value {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        let mut value = self;
        if path.as_bytes().contains(&b'.') {
            for part in path.split('.') {
                value = value.get(part)?;
            }
        } else {
            // Most paths are one name.
            value = value.get(path)?;
        }
        (!value.is_null()).then_some(Cow::Borrowed(value))
    }

    fn all(&self) -> AllParameters<'_> {
        AllParameters { value: Cow::Borrowed(self), complete: true }
    }
}
