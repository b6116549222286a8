//! Hooks as `callosum install` writes them into the settings of other runtimes, and what may have become of them since.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Home;
use crate::install::RUNTIMES;

impl Home {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn callosum(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.directory.path());
        command
    }

    fn install(&self, args: &[&str]) {
        self.install_by(Path::new(env!("CARGO_BIN_EXE_callosum")), args);
    }

    fn install_by(&self, program: &Path, args: &[&str]) {
        let output = self.callosum(program).arg("install").args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// Runs the hook before a call as the runtime would.
    fn call(&self, runtime: &str, event: &str) {
        let told = json!({
            "session_id": "s1", "cwd": "/", "hook_event_name": event, "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": "c1",
        });
        let mut hook = self.callosum(Path::new(env!("CARGO_BIN_EXE_callosum")));
        let mut hook = hook.args(["hook", runtime]).stdin(Stdio::piped()).spawn().unwrap();
        hook.stdin.take().unwrap().write_all(told.to_string().as_bytes()).unwrap();
        assert!(hook.wait().unwrap().success());
    }

    /// Changes a file of settings.
    fn edit(&self, settings: &str, change: impl Fn(&mut Value)) {
        let path = self.path(settings);
        let mut value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut value);
        fs::write(&path, value.to_string()).unwrap();
    }

    /// Puts a `codex` on the PATH that gives this answer, as the real one does: among other messages, and until nobody asks any
    /// more.
    fn codex(&self, answer: &Value) {
        let greeting = json!({"id": 0, "result": {"userAgent": "callosum/0.169.0", "platformOs": "linux"}});
        let notice =
            json!({"method": "configWarning", "params": {"summary": "no bubblewrap", "details": null}});
        self.program(
            "codex",
            &format!(
                "[ \"$1\" = app-server ] || exit 2\nwhile read -r line; do case $line in\n*'\"initialize\"'*) printf '%s\\n' \
                 '{greeting}' '{notice}';;\n*hooks/list*) printf '%s\\n' '{}';;\nesac; done\n",
                answer.to_string().replace('\'', r"'\''")
            ),
        );
    }

    /// Codex's own list of the hooks that are installed here, each changed by its event.
    fn listed(&self, change: impl Fn(&str, &mut Value)) -> Value {
        let file = self.path(".codex/hooks.json");
        let settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let hooks = settings["hooks"].as_object().unwrap().iter().map(|(event, entries)| {
            let (first, rest) = event.split_at(1);
            let name = first.to_lowercase() + rest;
            let mut hook = json!({
                "eventName": name, "handlerType": "command", "command": entries[0]["hooks"][0]["command"],
                "sourcePath": file, "source": "user", "enabled": true, "isManaged": false, "trustStatus": "trusted",
            });
            change(event, &mut hook);
            hook
        });
        let hooks: Vec<Value> = hooks.filter(|hook| !hook.is_null()).collect();
        json!({"id": 1, "result": {"data": [{"cwd": "/", "hooks": hooks, "warnings": [], "errors": []}]}})
    }
}

#[test]
fn a_runtime_without_our_hooks_is_a_note_and_no_runtime_is_nothing() {
    let home = Home::lived_in();
    for (runtime, settings, _) in RUNTIMES {
        assert_eq!(home.examine(&[]).level(runtime), "(none)");
        let path = home.path(settings);
        fs::create_dir(path.parent().unwrap()).unwrap();
        for content in [None, Some("{\"hooks\": {\"PreToolUse\": []}}")] {
            if let Some(content) = content {
                fs::write(&path, content).unwrap();
            }
            let examination = home.examine(&[]);
            examination.says(runtime, "note", "Callosum's hooks are not in its settings");
            examination.says(runtime, "note", &format!("`callosum install {runtime}`"));
        }
    }
}

#[test]
fn hooks_as_they_should_be_are_well_once_a_call_was_seen() {
    for (runtime, settings, event) in RUNTIMES {
        let home = Home::lived_in();
        home.install(&[runtime]);
        home.codex(&if runtime == "codex" { home.listed(|_, _| ()) } else { Value::Null });
        let examination = home.examine(&[]);
        examination.says(runtime, "note", "they have seen no call lately");
        assert_eq!(examination.ill(), [runtime]);
        home.call(runtime, event);
        // `install` needs to write it, the runtime only to read it.
        fs::set_permissions(home.path(settings), fs::Permissions::from_mode(0o444)).unwrap();
        let examination = home.examine(&[]);
        examination.says(runtime, "ok", "Callosum's hooks are in `");
        assert_eq!(examination.ill(), [format!("hooks.{runtime}")], "only the end was not seen");
        for more in ["off", "program", "state-dir"] {
            assert_eq!(examination.level(&format!("{runtime}.{more}")), "(none)");
        }
    }
}

#[test]
fn hooks_that_are_not_as_they_would_be_written_now_are_named() {
    let home = Home::lived_in();
    home.install(&["claude-code"]);
    home.edit(".claude/settings.json", |settings| {
        let own = settings["hooks"]["PostToolUse"][0].clone();
        settings["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"] = json!(1);
        settings["hooks"]["PostCompact"] = json!([own]);
    });
    let examination = home.examine(&[]);
    let detail = "the hook for PostToolUse differs from what `install` would write now\nthe hook for PostCompact is no longer needed";
    assert_eq!(examination.find("claude-code")["detail"], detail);
    assert_eq!(examination.level("claude-code"), "warning");

    home.edit(".claude/settings.json", |settings| {
        settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
    });
    home.examine(&[]).says("claude-code", "error", "the hook for PreToolUse is missing");
    home.install(&["claude-code"]);
    assert_eq!(home.examine(&[]).level("claude-code"), "note");
}

#[test]
fn the_program_that_the_hooks_run_is_looked_for() {
    let home = Home::lived_in();
    let other = home.path("it's $HOME/callosum");
    fs::create_dir(other.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_callosum"), &other).unwrap();
    for (runtime, ..) in RUNTIMES {
        home.install_by(&other, &[runtime]);
        let id = format!("{runtime}.program");
        let examination = home.examine(&[]);
        examination.says(&id, "warning", "a different program: `");
        examination.says(&id, "warning", "/it's $HOME/callosum`");
        let ours = env!("CARGO_PKG_VERSION");
        examination.says(&id, "warning", &format!("both are version {ours}"));
        fs::write(&other, "#!/bin/sh\necho callosum 0.0.9\n").unwrap();
        let differ = format!("that one is version 0.0.9, this one is version {ours}");
        home.examine(&[]).says(&id, "warning", &differ);
        fs::write(&other, "#!/bin/sh\necho no >&2\n").unwrap();
        home.examine(&[]).says(&id, "warning", "that one did not tell its own: it is no `callosum`");
        fs::remove_file(&other).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_callosum"), &other).unwrap();
        assert_eq!(examination.level(runtime), "note", "it is what that program wrote");
        fs::set_permissions(&other, fs::Permissions::from_mode(0o644)).unwrap();
        home.examine(&[]).says(&id, "error", "can't be run");
        fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::remove_file(&other).unwrap();
    for (runtime, ..) in RUNTIMES {
        let id = format!("{runtime}.program");
        home.examine(&[]).says(&id, "error", "is not there");
        home.install(&[runtime]);
        assert_eq!(home.examine(&[]).level(&id), "(none)");
    }
}

#[test]
fn a_hook_that_journals_elsewhere_is_told() {
    let home = Home::lived_in();
    let elsewhere = home.path("else where");
    let elsewhere = elsewhere.to_str().unwrap();
    home.install(&["gemini", "--state-dir", elsewhere]);
    home.examine(&[]).says(
        "gemini.state-dir",
        "warning",
        &format!("`{elsewhere}`, but this command looked at `"),
    );
    assert_eq!(home.examine(&["--state-dir", elsewhere]).level("gemini.state-dir"), "(none)");
    home.install(&["gemini"]);
    assert_eq!(home.examine(&[]).level("gemini.state-dir"), "(none)");
    home.examine(&["--state-dir", elsewhere]).says("gemini.state-dir", "warning", "/.callosum`, but this");
}

#[test]
fn hooks_that_are_switched_off_are_an_error() {
    let home = Home::lived_in();
    home.install(&["claude-code"]);
    home.install(&["gemini"]);
    home.edit(".claude/settings.json", |settings| settings["disableAllHooks"] = json!(true));
    home.examine(&[]).says("claude-code.off", "error", "`disableAllHooks` is true");
    home.edit(".gemini/settings.json", |settings| settings["hooksConfig"] = json!({"enabled": false}));
    home.examine(&[]).says("gemini.off", "error", "`hooksConfig.enabled` is false");
    home.edit(".gemini/settings.json", |settings| {
        let command = settings["hooks"]["BeforeTool"][0]["hooks"][0]["command"].clone();
        settings["hooksConfig"] = json!({"disabled": ["another", command]});
    });
    home.examine(&[]).says("gemini.off", "error", "`hooksConfig.disabled` names them");
}

#[test]
fn settings_that_cannot_be_read_are_an_error_where_our_hooks_are_in_them() {
    let home = Home::lived_in();
    fs::create_dir(home.path(".gemini")).unwrap();
    fs::write(home.path(".gemini/settings.json"), "{\n  \"a\": 1,\n}").unwrap();
    home.examine(&[]).says("gemini", "warning", "settings.json:2:9: trailing commas");
    fs::remove_file(home.path(".gemini/settings.json")).unwrap();
    home.install(&["gemini"]);
    let text = fs::read_to_string(home.path(".gemini/settings.json")).unwrap();
    fs::write(home.path(".gemini/settings.json"), format!("{text} \"")).unwrap();
    home.examine(&[]).says("gemini", "error", "can't be read");
    fs::remove_file(home.path(".gemini/settings.json")).unwrap();
    fs::create_dir(home.path(".gemini/settings.json")).unwrap();
    home.examine(&[]).says("gemini", "warning", "it is not a file");
}

#[test]
fn codex_is_asked_whether_it_trusts_the_hooks() {
    let home = Home::lived_in();
    home.codex(&Value::Null);
    fs::create_dir(home.path(".codex")).unwrap();
    assert_eq!(home.examine(&[]).level("codex.trust"), "(none)", "it is not asked for nothing");
    home.install(&["codex"]);
    home.codex(&home.listed(|_, _| ()));
    home.examine(&[]).says("codex.trust", "ok", "Codex trusts Callosum's hooks");

    for (status, how) in [("untrusted", "is not trusted"), ("modified", "has changed since it was trusted")] {
        home.codex(&home.listed(|_, hook| hook["trustStatus"] = json!(status)));
        let examination = home.examine(&[]);
        examination.says("codex.trust", "error", "calls are not gated");
        examination.says("codex.trust", "error", "enter /hooks");
        examination.says("codex.trust", "error", &format!("the hook for PreToolUse {how}"));
    }
    home.codex(&home.listed(|event, hook| hook["enabled"] = json!(event != "PostToolUse")));
    let examination = home.examine(&[]);
    examination.says("codex.trust", "warning", "the hook for PostToolUse is turned off");
    assert!(!examination.find("codex.trust").to_string().contains("PreToolUse"));

    // As it is with `features.hooks = false`, or with another's hook that has the same command.
    let mut none = home.listed(|_, hook| *hook = Value::Null);
    none["result"]["data"][0]["warnings"] = json!(["failed to parse\u{1b}[31m"]);
    home.codex(&none);
    let examination = home.examine(&[]);
    examination.says("codex.trust", "error", "`features.hooks`");
    examination.says("codex.trust", "error", "it says: failed to parse [31m");
    home.codex(&home.listed(|_, hook| hook["sourcePath"] = json!("/repo/.codex/hooks.json")));
    home.examine(&[]).says("codex.trust", "error", "the hook for PreToolUse is not loaded");
}

#[test]
fn a_codex_that_cannot_be_asked_is_a_note() {
    let home = Home::lived_in();
    home.install(&["codex"]);
    home.examine(&[]).says("codex.trust", "note", "no `codex` is on the PATH");
    home.program("codex", "echo \"error: unrecognized subcommand '$1'\" >&2; exit 2\n");
    home.examine(&[]).says("codex.trust", "note", "unrecognized subcommand 'app-server'");
    home.codex(&json!({"id": 1, "error": {"code": -32600, "message": "unknown variant `hooks/list`"}}));
    home.examine(&[]).says("codex.trust", "note", "unknown variant `hooks/list`");
    home.codex(&json!({"id": 1, "result": {}}));
    home.examine(&[]).says("codex.trust", "note", "can't be read");
}
