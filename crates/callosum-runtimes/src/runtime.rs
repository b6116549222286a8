//! Agent runtimes and their names for things: each calls the same tool by another name, and with other parameters. Rules,
//! keys and digests see one form, OpenClaw's, so that one rule serves all and equal actions are equal.
//!
//! The names are those of Claude Code 2.1, Codex 0.169 and Gemini CLI 0.61, as their hooks tell them.

use serde_json::{Map, Value, json};

/// An agent runtime whose hooks come through a process of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
}

impl Runtime {
    /// Its name in the journal, in rules and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// A call of `tool` with `input`, made in the folder `cwd`, in neutral names.
    #[must_use]
    pub fn neutral(self, tool: &str, input: Value, cwd: Option<&str>) -> (String, Value) {
        let mut params = match input {
            Value::Object(params) => params,
            other => return (tool.to_owned(), other),
        };
        let name = match (self, tool) {
            (_, "Bash" | "run_shell_command") => {
                // What only tells a person what the command is for, or how long to wait for it.
                params.retain(|name, _| !matches!(name.as_str(), "description" | "timeout"));
                rename(&mut params, "run_in_background", "background");
                as_line(&mut params);
                for folder in ["dir_path", "directory"] {
                    rename(&mut params, folder, "workdir");
                }
                "exec"
            }
            (Self::Codex, "apply_patch") => {
                rename(&mut params, "command", "input");
                "apply_patch"
            }
            (_, "Write" | "write_file") => {
                file(&mut params, cwd);
                "write"
            }
            (_, "Edit" | "replace") => {
                file(&mut params, cwd);
                one_edit(&mut params);
                "edit"
            }
            (_, "MultiEdit" | "NotebookEdit") => {
                rename(&mut params, "notebook_path", "file_path");
                file(&mut params, cwd);
                "edit"
            }
            (_, "Read" | "read_file") => {
                file(&mut params, cwd);
                "read"
            }
            (_, "LS" | "list_directory") => "ls",
            (_, "Glob" | "glob") => "glob",
            (_, "Grep" | "search_file_content" | "grep_search") => "grep",
            (_, "WebFetch" | "web_fetch") => "web_fetch",
            (_, "WebSearch" | "google_web_search" | "web_search") => "web_search",
            _ => return (server_tool(tool).unwrap_or_else(|| tool.to_owned()), Value::Object(params)),
        };
        (name.to_owned(), Value::Object(params))
    }
}

/// `mcp__server__tool` as OpenClaw names it: `server__tool`.
fn server_tool(tool: &str) -> Option<String> {
    tool.strip_prefix("mcp__").filter(|rest| rest.contains("__")).map(str::to_owned)
}

/// The name of an MCP tool of which the runtime tells server and tool apart.
#[must_use]
pub fn mcp_tool(server: &str, tool: &str) -> String {
    format!("{server}__{tool}")
}

fn rename(params: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = params.remove(from) {
        params.entry(to).or_insert(value);
    }
}

/// A command that is given as a list of words, as a line of them.
fn as_line(params: &mut Map<String, Value>) {
    let Some(command) = params.get_mut("command") else { return };
    let Some(words) =
        command.as_array().and_then(|words| words.iter().map(Value::as_str).collect::<Option<Vec<_>>>())
    else {
        return;
    };
    // No shell takes a NUL: such a command does not run.
    *command = Value::String(shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" ")));
}

/// The file of a call as `path`, absolute where its folder is known.
fn file(params: &mut Map<String, Value>, cwd: Option<&str>) {
    for name in ["file_path", "absolute_path"] {
        rename(params, name, "path");
    }
    if let (Some(Value::String(path)), Some(cwd)) = (params.get_mut("path"), cwd)
        && !path.starts_with(['/', '~'])
    {
        *path = format!("{}/{path}", cwd.trim_end_matches('/'));
    }
}

/// One replacement as a list of one, as OpenClaw's `edit` takes it.
fn one_edit(params: &mut Map<String, Value>) {
    if let (Some(old), Some(new)) = (params.remove("old_string"), params.remove("new_string")) {
        params.insert("edits".to_owned(), json!([{ "oldText": old, "newText": new }]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callosum_core::model::digest::digest;
    use callosum_core::model::tool_call::Parameters;

    fn digest_of((tool, params): (String, Value)) -> String {
        digest(&tool, &params.all())
    }

    #[test]
    fn the_same_action_is_the_same_in_every_runtime() {
        let cwd = Some("/home/doug/site");
        let host = |tool: &str, params: Value| digest_of((tool.to_owned(), params));
        let of = |runtime: Runtime, tool: &str, input: Value| digest_of(runtime.neutral(tool, input, cwd));
        let mail = "gog gmail send --to alice@example.com";
        let exec = host("exec", json!({ "command": mail }));
        let spoken = json!({ "command": mail, "description": "Mail Alice", "timeout": 5000 });
        assert_eq!(of(Runtime::ClaudeCode, "Bash", spoken.clone()), exec);
        assert_eq!(of(Runtime::Codex, "Bash", json!({ "command": mail })), exec);
        let words: Vec<&str> = mail.split(' ').collect();
        assert_eq!(of(Runtime::Codex, "Bash", json!({ "command": words })), exec);
        assert_eq!(of(Runtime::Gemini, "run_shell_command", spoken), exec);
        assert_ne!(of(Runtime::Gemini, "run_shell_command", json!({ "command": "ls" })), exec);

        let write = host("write", json!({ "path": "/home/doug/site/a.md", "content": "x" }));
        for (runtime, tool, path) in
            [(Runtime::ClaudeCode, "Write", "/home/doug/site/a.md"), (Runtime::Gemini, "write_file", "a.md")]
        {
            assert_eq!(of(runtime, tool, json!({ "file_path": path, "content": "x" })), write);
        }

        let edit = host(
            "edit",
            json!({ "path": "/home/doug/site/a.md", "edits": [{ "oldText": "x", "newText": "y" }] }),
        );
        let input = json!({ "file_path": "a.md", "old_string": "x", "new_string": "y" });
        assert_eq!(of(Runtime::ClaudeCode, "Edit", input.clone()), edit);
        assert_eq!(of(Runtime::Gemini, "replace", input), edit);

        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        let patched = host("apply_patch", json!({ "input": patch }));
        assert_eq!(of(Runtime::Codex, "apply_patch", json!({ "command": patch })), patched);
    }

    #[test]
    fn tools_of_mcp_servers_have_one_form_and_others_stay() {
        let name = |tool: &str| Runtime::ClaudeCode.neutral(tool, json!({}), None).0;
        assert_eq!(name("mcp__gmail__send_email"), mcp_tool("gmail", "send_email"));
        for tool in ["mcp__odd", "Agent", "TodoWrite", "", "exec"] {
            assert_eq!(name(tool), tool);
        }
        assert_eq!(Runtime::Codex.neutral("Bash", json!("ls"), None), ("Bash".to_owned(), json!("ls")));
    }
}
