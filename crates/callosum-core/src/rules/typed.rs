//! Tools that write to a terminal: what they type is a command line, and is ruled as one.

use std::borrow::Cow;

use serde_json::Value;

use crate::model::tool_call::{AllParameters, Parameters};
use callosum_shell::typed_by_tool;

/// Such tools by their neutral names, folded, without the server's before it: OpenClaw's `process`, Codex's `write_stdin`, and
/// what servers for terminals call theirs.
const TOOLS: &[&str] = &["process", "terminal", "writestdin", "sendkeys", "interactwithprocess"];
/// The tool by whose rules a command line goes.
pub(super) const SHELL: &str = "exec";

/// The parameters of such a call as those of a shell: what is typed is the command.
pub(super) struct Typed<'a> {
    params: &'a dyn Parameters,
    command: Value,
}

impl<'a> Typed<'a> {
    /// `None` when the tool, by its folded name, is none of these, or when it types nothing.
    pub(super) fn of(tool: &str, params: &'a dyn Parameters) -> Option<Self> {
        let is_it = |name: &&&str| {
            let server = tool.strip_suffix(**name);
            server.is_some_and(|server| server.is_empty() || server.ends_with("__"))
        };
        TOOLS.iter().find(is_it)?;
        let texts = |names: &[&str]| names.iter().flat_map(|name| texts_of(params, name)).collect::<Vec<_>>();
        let typed = typed_by_tool(
            &texts(&["data", "text", "literal", "input", "chars"]),
            &texts(&["keys"]),
            &texts(&["hex"]),
        );
        if !typed.trim().is_empty() {
            return Some(Self { params, command: Value::String(typed) });
        }
        // Some are given a command line as a shell is.
        let command = params.get("command").map(Cow::into_owned)?;
        Some(Self { params, command })
    }
}

/// A parameter's text, or the texts in its list.
fn texts_of(params: &dyn Parameters, name: &str) -> Vec<String> {
    match params.get(name).as_deref() {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

impl Parameters for Typed<'_> {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        if path == "command" { Some(Cow::Borrowed(&self.command)) } else { self.params.get(path) }
    }

    fn all(&self) -> AllParameters<'_> {
        self.params.all()
    }
}
