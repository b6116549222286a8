//! OpenClaw's names for tools and parameters. They are the neutral form: rules, keys and digests see no other, so that one rule
//! serves all runtimes and equal actions are equal. OpenClaw itself loads the addon; no hook of a process is its.

use serde_json::{Map, Value, json};

/// Its name in the journal.
pub const NAME: &str = "openclaw";

/// What the names of its processes begin with.
pub(crate) const PROGRAM: &str = NAME;

/// The variable that its shell tools give their commands.
pub(crate) const SHELL_VARIABLE: &str = "OPENCLAW_SHELL";

/// A tool of OpenClaw's that other runtimes have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Runs a shell command: `command`, `workdir`, `background`.
    Exec,
    /// Changes files by a patch: `input`.
    ApplyPatch,
    /// Writes a file: `path`, `content`.
    Write,
    /// Replaces texts in a file: `path`, `edits`.
    Edit,
    /// Reads a file: `path`.
    Read,
    /// Lists a folder.
    Ls,
    /// Finds files by name.
    Glob,
    /// Finds files by what is in them.
    Grep,
    /// Fetches an address.
    WebFetch,
    /// Searches the web.
    WebSearch,
}

impl Tool {
    /// Those that change nothing.
    pub const READING: [Self; 6] =
        [Self::Read, Self::Ls, Self::Glob, Self::Grep, Self::WebFetch, Self::WebSearch];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::ApplyPatch => "apply_patch",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Read => "read",
            Self::Ls => "ls",
            Self::Glob => "glob",
            Self::Grep => "grep",
            Self::WebFetch => "web_fetch",
            Self::WebSearch => "web_search",
        }
    }

    /// Parameters that say where or how OpenClaw's tools and those of servers act, and say nothing to the tool of another runtime: one of
    /// these counts only where the runtime has a name for it.
    pub(crate) fn foreign(self) -> &'static [&'static str] {
        match self {
            Self::Exec => &["workdir", "cwd", "host", "node"],
            Self::Write
            | Self::Edit
            | Self::ApplyPatch
            | Self::Read
            | Self::Ls
            | Self::Glob
            | Self::Grep
            | Self::WebFetch
            | Self::WebSearch => &["host", "node", "command", "mode"],
        }
    }

    /// Gives parameters that have their neutral names the neutral form too, for a call made in the folder `cwd`.
    pub(crate) fn shape(self, params: &mut Map<String, Value>, cwd: Option<&str>) {
        match self {
            Self::Exec => command_as_line(params),
            Self::Write | Self::Read => absolute_path(params, cwd),
            Self::Edit => {
                absolute_path(params, cwd);
                one_edit(params);
            }
            Self::ApplyPatch | Self::Ls | Self::Glob | Self::Grep | Self::WebFetch | Self::WebSearch => {}
        }
    }
}

/// `mcp__server__tool`, as several runtimes name an MCP server's tool, in OpenClaw's form: `server__tool`.
pub(crate) fn without_mcp(tool: &str) -> Option<String> {
    tool.strip_prefix("mcp__").filter(|rest| rest.contains("__")).map(str::to_owned)
}

/// The tool of an MCP server.
pub(crate) fn mcp_tool(server: &str, tool: &str) -> String {
    format!("{server}__{tool}")
}

/// A command that is given as a list of words, as a line of them.
fn command_as_line(params: &mut Map<String, Value>) {
    let Some(command) = params.get_mut("command") else { return };
    let Some(words) =
        command.as_array().and_then(|words| words.iter().map(Value::as_str).collect::<Option<Vec<_>>>())
    else {
        return;
    };
    // No shell takes a NUL: such a command does not run.
    *command = Value::String(shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" ")));
}

/// The file of a call, absolute where its folder is known.
fn absolute_path(params: &mut Map<String, Value>, cwd: Option<&str>) {
    if let (Some(Value::String(path)), Some(cwd)) = (params.get_mut("path"), cwd)
        && !path.starts_with(['/', '~'])
    {
        *path = format!("{}/{path}", cwd.trim_end_matches('/'));
    }
}

/// One replacement as a list of one, as OpenClaw's `edit` takes it.
fn one_edit(params: &mut Map<String, Value>) {
    if let (Some(old), Some(new)) = (params.remove("oldText"), params.remove("newText")) {
        params.insert("edits".to_owned(), json!([{ "oldText": old, "newText": new }]));
    }
}
