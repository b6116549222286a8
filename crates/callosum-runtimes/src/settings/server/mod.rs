//! Our MCP server in a runtime's settings: under the name `callosum`, put in, taken out, and looked at.

mod json;
mod toml_text;

use serde::{Deserialize, Serialize};

use super::json_text::Misfit;
use super::place::Form;
use crate::runtime::Runtime;

/// How it is called there. The names of its tools begin with it, so rules, and who is told by a call, depend on it.
pub const NAME: &str = "callosum";
/// The command of the program that serves.
const COMMAND: &str = "mcp";

/// What starts our server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// The program.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
}

impl Server {
    /// The program at this path, for this state directory.
    #[must_use]
    pub fn new(program: &str, state_dir: &str) -> Self {
        Self {
            command: program.to_owned(),
            args: [COMMAND, "--state-dir", state_dir].map(str::to_owned).to_vec(),
        }
    }

    /// Whether it is one of ours, of whatever version.
    pub(super) fn is_ours(&self) -> bool {
        self.args.iter().any(|arg| arg == COMMAND)
    }

    /// The state directory that it names.
    #[must_use]
    pub fn state_dir(&self) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == "--state-dir")?;
        self.args.get(at + 1).map(String::as_str)
    }
}

/// What the settings are once the server is in them. The same text when it is already.
///
/// # Errors
/// Where the text is not what the runtime reads, or another server has the name.
pub fn put_in(text: &str, runtime: Runtime, server: &Server) -> Result<String, Misfit> {
    match runtime.facts().server_place.form {
        Form::Json { takes_comments } => json::put_in(text, takes_comments, server),
        Form::Toml => toml_text::put_in(text, server),
    }
}

/// What the settings are without it.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn taken_out(text: &str, runtime: Runtime) -> Result<String, Misfit> {
    match runtime.facts().server_place.form {
        Form::Json { takes_comments } => json::taken_out(text, takes_comments),
        Form::Toml => toml_text::taken_out(text),
    }
}

/// Ours as it stands in the settings.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn read(text: &str, runtime: Runtime) -> Result<Option<Server>, Misfit> {
    match runtime.facts().server_place.form {
        Form::Json { takes_comments } => json::read(text, takes_comments),
        Form::Toml => toml_text::read(text),
    }
}

/// The settings for who looks at what changes: of what is not ours, no value is shown.
///
/// # Errors
/// Where the text is not what the runtime reads.
pub fn masked(text: &str, runtime: Runtime) -> Result<String, Misfit> {
    match runtime.facts().server_place.form {
        Form::Json { takes_comments } => json::masked(text, takes_comments),
        Form::Toml => Ok(toml_text::masked(text)),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::table::{RUNTIMES, named};

    fn server() -> Server {
        Server::new("/opt/callosum \"x\"/bin/callosum", "/state of mine")
    }

    const JSON: [&str; 9] = [
        "",
        "{}",
        "{}\n",
        "{\n  \"a\": 1\n}\n",
        "{\n    \"a\": 1,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\", \"args\": [\"mcp\"]}\n    },\n    \"b\": [1,  2]\n}",
        "{\"a\":1,\"mcpServers\":{\"other\":{}}}",
        "{\"a\":1}",
        "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n",
        "{\n  // mine\n  \"a\": 1 // one\n}\n",
    ];
    const TOML: [&str; 6] = [
        "",
        "model = \"x\"",
        "model = \"x\"\n",
        "model = \"x\" # mine\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\"\r\n",
        "[a]\n\n\n",
        "# only this",
    ];

    #[test]
    fn what_is_put_in_is_read_again_and_comes_out_byte_for_byte() {
        for runtime in RUNTIMES {
            let texts: &[&str] = match runtime.facts().server_place.form {
                Form::Json { takes_comments: true } => &JSON,
                Form::Json { takes_comments: false } => &JSON[..7],
                Form::Toml => &TOML,
            };
            for text in texts {
                let name = runtime.name();
                assert_eq!(read(text, runtime).unwrap(), None, "{name} {text}");
                let there = put_in(text, runtime, &server()).unwrap();
                assert_eq!(read(&there, runtime).unwrap(), Some(server()), "{name} {there}");
                assert_eq!(put_in(&there, runtime, &server()).unwrap(), there, "{name}");
                let without = taken_out(&there, runtime).unwrap();
                let is_ours_alone = text.is_empty() && without.trim() == "{}";
                assert!(without == *text || is_ours_alone, "{name}: {text:?} became {without:?}");
                assert_eq!(taken_out(text, runtime).unwrap(), *text, "{name}");
                // Another one of ours takes its place.
                let other = Server::new("/elsewhere/callosum", "/state");
                let moved = put_in(&there, runtime, &other).unwrap();
                assert_eq!(read(&moved, runtime).unwrap(), Some(other), "{name} {moved}");
                let without = taken_out(&moved, runtime).unwrap();
                assert!(without == *text || is_ours_alone, "{name}: {without:?}");
            }
        }
    }

    #[test]
    fn another_server_of_the_name_is_left_alone() {
        for (runtime, text) in [
            ("claude-code", r#"{"mcpServers":{"callosum":{"command":"x"}}}"#),
            ("gemini", r#"{"mcpServers":{"callosum":{"httpUrl":"http://127.0.0.1:1"}}}"#),
            ("gemini", r#"{"mcpServers":[]}"#),
            ("gemini", r#"{"mcpServers":{},"mcpServers":{}}"#),
            ("codex", "[mcp_servers.callosum]\ncommand = \"x\"\n"),
            ("codex", "mcp_servers = { callosum = { command = \"x\" } }\n"),
            ("codex", "model = \"x"),
            ("gemini", "{"),
        ] {
            let runtime = named(runtime).unwrap();
            if let Ok(there) = put_in(text, runtime, &server()) {
                panic!("{text} became {there}");
            }
        }
    }

    #[test]
    fn what_others_put_into_our_table_goes_with_it_and_a_table_behind_it_stays() {
        let codex = named("codex").unwrap();
        let there = put_in("a = 1\n", codex, &server()).unwrap();
        let more = there.replace("args =", "default_tools_approval_mode = \"approve\"\nargs =");
        assert_eq!(taken_out(&more, codex).unwrap(), "a = 1\n");
        let behind = format!("{there}\n[b]\nc = 1\n");
        assert_eq!(taken_out(&behind, codex).unwrap(), "a = 1\n\n[b]\nc = 1\n");
        let inside = there.replace("command =", "[b]\nc = 1\n[mcp_servers.callosum]\ncommand =");
        assert!(taken_out(&inside, codex).is_err(), "a table of others between ours");
    }

    #[test]
    fn no_value_of_others_is_shown() {
        for (runtime, text) in [
            ("claude-code", r#"{"oauth": "hidden-1", "mcpServers": {"x": {"env": {"KEY": "hidden-2"}}}}"#),
            ("codex", "key = \"hidden-1\"\n[mcp_servers.x.env]\nKEY = \"hidden-2\"\n"),
        ] {
            let runtime = named(runtime).unwrap();
            let there = put_in(text, runtime, &server()).unwrap();
            let shown = masked(&there, runtime).unwrap();
            assert!(!shown.contains("hidden-") && shown.contains("/state of mine"), "{shown}");
        }
    }

    #[test]
    fn the_file_is_where_the_runtime_looks() {
        let home = Path::new("/home/me");
        let path = |runtime: &str, moved: Option<&str>| {
            let facts = named(runtime).unwrap().facts();
            facts.server_place.path(&facts.place, home, |_| moved.map(PathBuf::from)).display().to_string()
        };
        assert_eq!(path("claude-code", None), "/home/me/.claude.json");
        assert_eq!(path("claude-code", Some("/c")), "/c/.claude.json");
        assert_eq!(path("codex", None), "/home/me/.codex/config.toml");
        assert_eq!(path("codex", Some("/c")), "/c/config.toml");
        assert_eq!(path("gemini", Some("/c")), "/c/.gemini/settings.json");
    }
}
