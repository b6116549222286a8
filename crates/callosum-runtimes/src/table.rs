//! The table of runtimes, and what it says of their names together.

use std::iter;

use serde_json::{Map, Value};

use crate::claude_code::{self, ClaudeCode};
use crate::codex::{self, Codex};
use crate::gemini::{self, Gemini};
use crate::openclaw;
use crate::runtime::{Facts, Moment, Runtime, RuntimeName, ToolNames};

/// Every runtime whose hooks come here.
pub const RUNTIMES: [Runtime; 3] = [&ClaudeCode, &Codex, &Gemini];

/// How names of scripts end, which interpreters run.
const SCRIPTS: [&str; 3] = [".js", ".mjs", ".cjs"];

/// What all runtimes are called, OpenClaw among them. It can be had without what is known of them besides.
pub const NAMES: [RuntimeName; 4] = [
    name_of(claude_code::FACTS),
    name_of(codex::FACTS),
    name_of(gemini::FACTS),
    RuntimeName { name: openclaw::NAME, source: openclaw::NAME, others: &[] },
];

const fn name_of(facts: &Facts) -> RuntimeName {
    RuntimeName { name: facts.name, source: facts.source, others: facts.other_names }
}

/// The runtime of this name.
#[must_use]
pub fn named(name: &str) -> Option<Runtime> {
    RUNTIMES.into_iter().find(|runtime| runtime.name() == name)
}

/// Whether a program of this name is an agent's: one of the runtimes, or OpenClaw, whose processes' names begin with its own.
#[must_use]
pub fn is_program(name: &str) -> bool {
    runtime_of(name).is_some()
}

/// The name of the runtime whose program, or whose program's script, is called so.
fn runtime_of(name: &str) -> Option<&'static str> {
    let program = SCRIPTS.into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let of_table = RUNTIMES.into_iter().find(|runtime| runtime.facts().program == program);
    of_table
        .map(|runtime| runtime.name())
        .or_else(|| name.starts_with(openclaw::PROGRAM).then_some(openclaw::PROGRAM))
}

/// The runtime in whose agent's shell a process runs, by the variables that are set in its environment.
#[must_use]
pub fn in_shell_of(is_set: impl Fn(&str) -> bool) -> Option<Runtime> {
    RUNTIMES.into_iter().find(|runtime| runtime.facts().shell_variables.iter().any(|name| is_set(name)))
}

/// The name of the runtime whose program one of these is, as [`crate::openclaw`] and the table know them.
#[must_use]
pub fn runtime_of_program(names: &[String]) -> Option<&'static str> {
    names.iter().find_map(|name| runtime_of(name))
}

/// The variables by which a command tells that an agent runs it.
pub fn shell_variables() -> impl Iterator<Item = &'static str> {
    let of_runtimes = RUNTIMES.into_iter().flat_map(|runtime| runtime.facts().shell_variables);
    of_runtimes.copied().chain([openclaw::SHELL_VARIABLE])
}

/// A runtime, and then all others: runtimes take names over from each other, and one that is built on another keeps that one's
/// hooks. So a name that only another has means what it means there.
pub(crate) fn own_first(runtime: Runtime) -> impl Iterator<Item = Runtime> {
    let others = RUNTIMES.into_iter().filter(|other| other.name() != runtime.name());
    iter::once(runtime).chain(others)
}

/// When an event of this name comes.
pub(crate) fn moment(runtime: Runtime, event: &str) -> Moment {
    let of = |runtime: Runtime| {
        let hooked =
            runtime.facts().events.iter().find(|known| known.name == event).map(|known| known.moment);
        hooked.or_else(|| runtime.facts().other_events.contains(&event).then_some(Moment::Other))
    };
    own_first(runtime).find_map(of).unwrap_or(Moment::Unknown)
}

/// A call of `tool` with `input`, made in the folder `cwd`, in OpenClaw's names.
pub(crate) fn neutral(runtime: Runtime, tool: &str, input: Value, cwd: Option<&str>) -> (String, Value) {
    let mut params = match input {
        Value::Object(params) => params,
        other => return (tool.to_owned(), other),
    };
    let known = || own_first(runtime).flat_map(|runtime| runtime.facts().tools);
    let Some(own) = known().find(|own| own.names.contains(&tool)) else {
        let of_server = own_first(runtime).find_map(|runtime| runtime.server_tool(tool));
        return (of_server.unwrap_or_else(|| tool.to_owned()), Value::Object(params));
    };
    // What its host goes by. A name of another's beside it is nothing to the host.
    let mut told = renamed(&mut params, own);
    for names in known().filter(|names| names.tool == own.tool) {
        for (name, value) in renamed(&mut params, names) {
            params.entry(name).or_insert(value);
        }
    }
    params.retain(|name, _| !own.tool.foreign().contains(&name.as_str()));
    params.append(&mut told);
    own.tool.shape(&mut params, cwd);
    (own.tool.name().to_owned(), Value::Object(params))
}

/// A call in OpenClaw's names, whoever names it: the tool of an agent runtime, or OpenClaw's own. `cwd` is the folder that it is made in.
#[must_use]
pub fn in_any_names(tool: &str, input: Value, cwd: Option<&str>) -> (String, Value) {
    // Names that runtimes share mean the same in all.
    neutral(RUNTIMES[0], tool, input, cwd)
}

/// Whether a tool of this name, in whichever runtime, runs a shell command.
#[must_use]
pub fn runs_commands(tool: &str) -> bool {
    let mut known = RUNTIMES.into_iter().flat_map(|runtime| runtime.facts().tools);
    matches!(tool, "exec" | "bash")
        || known.any(|names| names.tool == openclaw::Tool::Exec && names.names.contains(&tool))
}

/// Takes out of `params` what is called as `names` say, and gives it OpenClaw's names. What they drop is gone.
fn renamed(params: &mut Map<String, Value>, names: &ToolNames) -> Map<String, Value> {
    params.retain(|name, _| !names.dropped.contains(&name.as_str()));
    let mut found = Map::new();
    for (theirs, neutral) in names.params {
        if let Some(value) = params.remove(*theirs) {
            found.entry(*neutral).or_insert(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use callosum_core::gate::GateOptions;
    use callosum_core::model::digest::digest;
    use callosum_core::model::tier::Tier;
    use callosum_core::model::tool_call::Parameters;
    use callosum_core::query::{ExplainRequest, ReadOnlyView, Source};
    use callosum_shell::command::may_be_guarded_in;
    use callosum_shell::own_files::{HOOK_SETTINGS, is_home};
    use serde_json::json;

    use super::*;
    use crate::openclaw::mcp_tool;
    use crate::settings::place::Variable;

    fn digest_of((tool, params): (String, Value)) -> String {
        digest(&tool, &params.all())
    }

    #[test]
    fn every_runtime_of_the_table_has_its_names() {
        let of_table = RUNTIMES.into_iter().map(|runtime| runtime.name()).chain([openclaw::NAME]);
        assert_eq!(of_table.collect::<Vec<_>>(), NAMES.map(|names| names.name));
    }

    #[test]
    fn a_runtime_is_known_by_its_program_or_by_the_script_that_an_interpreter_runs() {
        for (name, runtime) in [
            ("claude", Some("claude-code")),
            ("codex", Some("codex")),
            ("codex.js", Some("codex")),
            ("gemini.mjs", Some("gemini")),
            ("openclaw-gateway", Some("openclaw")),
            ("gemini.json", None),
            ("node", None),
            (".js", None),
        ] {
            assert_eq!(
                (is_program(name), runtime_of_program(&[name.to_owned()])),
                (runtime.is_some(), runtime)
            );
        }
    }

    #[test]
    fn the_same_action_is_the_same_in_every_runtime() {
        let cwd = Some("/home/doug/site");
        let host = |tool: &str, params: Value| digest_of((tool.to_owned(), params));
        let of = |runtime: Runtime, tool: &str, input: Value| digest_of(neutral(runtime, tool, input, cwd));
        let mail = "gog gmail send --to alice@example.com";
        let exec = host("exec", json!({ "command": mail }));
        let spoken = json!({ "command": mail, "description": "Mail Alice", "timeout": 5000 });
        assert_eq!(of(&ClaudeCode, "Bash", spoken.clone()), exec);
        assert_eq!(of(&Codex, "Bash", json!({ "command": mail })), exec);
        let words: Vec<&str> = mail.split(' ').collect();
        assert_eq!(of(&Codex, "Bash", json!({ "command": words })), exec);
        assert_eq!(of(&Gemini, "run_shell_command", spoken), exec);
        assert_ne!(of(&Gemini, "run_shell_command", json!({ "command": "ls" })), exec);

        let write = host("write", json!({ "path": "/home/doug/site/a.md", "content": "x" }));
        for (runtime, tool, path) in
            [(&ClaudeCode as Runtime, "Write", "/home/doug/site/a.md"), (&Gemini, "write_file", "a.md")]
        {
            assert_eq!(of(runtime, tool, json!({ "file_path": path, "content": "x" })), write);
        }

        let edit = host(
            "edit",
            json!({ "path": "/home/doug/site/a.md", "edits": [{ "oldText": "x", "newText": "y" }] }),
        );
        let input = json!({ "file_path": "a.md", "old_string": "x", "new_string": "y" });
        assert_eq!(of(&ClaudeCode, "Edit", input.clone()), edit);
        assert_eq!(of(&Gemini, "replace", input), edit);

        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        let patched = host("apply_patch", json!({ "input": patch }));
        assert_eq!(of(&Codex, "apply_patch", json!({ "command": patch })), patched);
    }

    #[test]
    fn tools_of_mcp_servers_have_one_form_and_others_stay() {
        let name = |tool: &str| neutral(&ClaudeCode, tool, json!({}), None).0;
        assert_eq!(name("mcp__gmail__send_email"), mcp_tool("gmail", "send_email"));
        for tool in ["mcp__odd", "Agent", "TodoWrite", "", "exec"] {
            assert_eq!(name(tool), tool);
        }
        assert_eq!(neutral(&Codex, "Bash", json!("ls"), None), ("Bash".to_owned(), json!("ls")));
    }

    #[test]
    fn a_name_that_only_another_runtime_has_means_what_it_means_there() {
        let (name, params) =
            neutral(&ClaudeCode, "run_shell_command", json!({ "command": "ls", "dir_path": "/x" }), None);
        assert_eq!((name.as_str(), params), ("exec", json!({ "command": "ls", "workdir": "/x" })));
        assert_eq!(moment(&Gemini, "PreToolUse"), Moment::Before);
        assert_eq!(moment(&Codex, "BeforeModel"), Moment::Other);
        assert_eq!(moment(&Codex, "PreToolUseV2"), Moment::Unknown);
    }

    /// What hosts do with parameters that they don't know is nothing: the gate must not go by them either.
    #[test]
    fn a_runtime_s_own_parameter_wins_over_one_that_its_host_does_not_know() {
        let known = || RUNTIMES.into_iter().flat_map(|runtime| runtime.facts().tools);
        for runtime in RUNTIMES {
            for own in runtime.facts().tools {
                for (at, (theirs, to)) in own.params.iter().enumerate() {
                    let of_others = known().filter(|names| names.tool == own.tool);
                    let of_others = of_others.flat_map(|names| names.params).filter(|(_, other)| other == to);
                    let first = own.params.iter().take(at).map(|(first, _)| first);
                    let first: Vec<&str> = first.copied().collect();
                    let others: Vec<&str> = of_others.map(|(name, _)| *name).chain([*to]).collect();
                    for other in others.into_iter().filter(|other| other != theirs && !first.contains(other))
                    {
                        for tool in own.names {
                            let of = |input: Value| neutral(runtime, tool, input, None);
                            let both = of(json!({ (*theirs): "/own", (other): "/other" }));
                            let alone = of(json!({ (*theirs): "/own" }));
                            assert_eq!(both, alone, "{}: {tool}, `{theirs}`, `{other}`", runtime.name());
                        }
                    }
                }
            }
        }
        // In the order of the list.
        for names in [json!({ "file_path": "/a", "absolute_path": "/b" }), json!({ "file_path": "/a" })] {
            assert_eq!(neutral(&Gemini, "write_file", names, None).1, json!({ "path": "/a" }));
        }
        let notebook = json!({ "notebook_path": "/a.ipynb", "file_path": "/b" });
        assert_eq!(neutral(&ClaudeCode, "NotebookEdit", notebook, None).1, json!({ "path": "/a.ipynb" }));
        let edit = json!({ "notebook_path": "/a.ipynb", "file_path": "/b" });
        assert_eq!(neutral(&ClaudeCode, "Edit", edit, None).1, json!({ "path": "/b" }));
    }

    #[test]
    fn only_openclaw_s_own_tools_act_on_another_machine_or_in_another_way_by_a_parameter() {
        for runtime in RUNTIMES {
            for names in runtime.facts().tools {
                for tool in names.names {
                    let of = |input: &Value| neutral(runtime, tool, input.clone(), Some("/w"));
                    let given = json!({ "file_path": "/a", "url": "https://h.example" });
                    for foreign in ["host", "node"] {
                        let more =
                            json!({ "file_path": "/a", "url": "https://h.example", (foreign): "elsewhere" });
                        assert_eq!(of(&more), of(&given), "{}: {tool} with `{foreign}`", runtime.name());
                    }
                }
            }
        }
        let of = |runtime: Runtime, tool: &str, input: Value| neutral(runtime, tool, input, Some("/w")).1;
        let line = json!({ "command": "rm a" });
        for (runtime, tool) in
            [(&ClaudeCode as Runtime, "Bash"), (&Codex, "Bash"), (&Gemini, "run_shell_command")]
        {
            for foreign in ["workdir", "cwd"] {
                let more = json!({ "command": "rm a", (foreign): "/tmp" });
                assert_eq!(of(runtime, tool, more), line, "{}: `{foreign}`", runtime.name());
            }
        }
        let there = json!({ "command": "rm a", "dir_path": "/x", "workdir": "/tmp", "cwd": "/tmp" });
        let in_it = json!({ "command": "rm a", "workdir": "/x" });
        assert_eq!(of(&Gemini, "run_shell_command", there), in_it);
        let shown = json!({ "file_path": "/a", "content": "x", "command": "view", "mode": "append" });
        let written = json!({ "path": "/a", "content": "x" });
        assert_eq!(of(&ClaudeCode, "Write", shown.clone()), written);
        assert_eq!(of(&Gemini, "write_file", shown), written);
        // OpenClaw's own, and those of servers.
        for tool in ["exec", "mcp__ssh__exec"] {
            let there =
                json!({ "command": "ls", "host": "web-1", "node": "pi", "workdir": "/x", "cwd": "/y" });
            assert_eq!(of(&ClaudeCode, tool, there.clone()), there, "{tool}");
            assert_eq!(in_any_names(tool, there.clone(), None).1, there, "{tool}");
        }
    }

    #[test]
    fn a_runtime_of_the_table_is_whole() {
        for runtime in RUNTIMES {
            let name = runtime.name();
            assert_eq!(named(name).map(|found| found.title()), Some(runtime.title()), "{name}");
            for asked in [Moment::Before, Moment::After, Moment::Start, Moment::Prompt, Moment::End] {
                let of_it = runtime.facts().events.iter().filter(|event| event.moment == asked).count();
                assert_eq!(of_it, 1, "{name}: {asked:?}");
            }
            for event in runtime.facts().events {
                assert!(!runtime.facts().other_events.contains(&event.name), "{name}: {}", event.name);
                assert!(!matches!(event.moment, Moment::Other | Moment::Unknown), "{name}: {}", event.name);
                // A notice without a meaning would be a process for nothing.
                let matched = event.matcher.filter(|_| event.moment == Moment::Notice).unwrap_or_default();
                let known = |word: &str| runtime.facts().notices.iter().any(|(known, _)| *known == word);
                assert!(matched.is_empty() || matched.split('|').all(known), "{name}: {matched}");
            }
            assert!(
                runtime.facts().tools.iter().any(|names| names.tool == crate::openclaw::Tool::Exec),
                "{name}"
            );
            // Whoever reads nothing else reads this.
            assert_ne!(runtime.facts().refusal_exit_code, 0, "{name}");
            assert!(runtime.refusal("event", "why it is refused").to_string().contains("why it is refused"));
            assert!(runtime.context("event", "what was done").to_string().contains("what was done"));
        }
    }

    /// What the compiler can't name: rules guard the settings that hold our hooks, and they know no runtime.
    #[test]
    fn the_settings_of_every_runtime_are_guarded() {
        let directory = tempfile::tempdir().unwrap();
        let view = ReadOnlyView::new(GateOptions {
            state_dir_variable: Some(directory.path().display().to_string()),
            home: "/home/doug".into(),
            ..GateOptions::default()
        });
        let tier = |tool: &str, params: Value| {
            let asked =
                ExplainRequest { tool: tool.to_owned(), params, session: None, agent: None, cwd: None };
            view.explain(&asked, &view.machine().now()).unwrap().tier
        };
        for runtime in RUNTIMES {
            let place = &runtime.facts().place;
            let guarded = HOOK_SETTINGS.iter().find(|(folder, ..)| *folder == place.folder);
            let (_, variables, files) =
                guarded.unwrap_or_else(|| panic!("own_files.rs lacks {}", place.folder));
            assert!(files.contains(&place.file), "own_files.rs lacks {}", place.file);
            let file = match place.variable {
                Variable::Folder(name) => {
                    assert!(variables.contains(&format!("${name}").as_str()), "{name}");
                    format!("${name}/{}", place.file)
                }
                Variable::Home(name) => {
                    assert!(is_home(&format!("${name}")), "{name}");
                    format!("${name}/{}/{}", place.folder, place.file)
                }
            };
            let at_home = format!("~/{}/{}", place.folder, place.file);
            assert_eq!(tier("write", json!({ "path": at_home })), Tier::Critical, "{at_home}");
            for file in [at_home, file] {
                assert!(may_be_guarded_in(&file), "redirect.rs lacks {file}");
                for command in [format!("rm {file}"), format!("echo x > {file}")] {
                    assert_eq!(tier("exec", json!({ "command": command })), Tier::Critical, "{command}");
                }
            }
        }
    }

    /// And what people read.
    #[test]
    fn the_page_and_the_documentation_have_every_runtime() {
        let page = include_str!("../../../plugin/page/src/model/coverage.ts");
        let installing = include_str!("../../../docs/runtimes.md");
        for runtime in RUNTIMES {
            let (name, title, place) = (runtime.name(), runtime.title(), &runtime.facts().place);
            let trust = if runtime.facts().trust.is_some() { ", needsTrust: true" } else { "" };
            let line =
                format!("{{ id: \"{name}\", name: \"{title}\", join: \"callosum install {name}\"{trust} }}");
            assert!(page.contains(&line), "coverage.ts lacks {line}");
            let row = |line: &str| {
                line.starts_with(&format!("| `{name}` "))
                    && line.contains(&format!("`~/{}/{}`", place.folder, place.file))
            };
            assert!(installing.lines().any(row), "docs/runtimes.md has no row of {name}");
        }
    }
}
