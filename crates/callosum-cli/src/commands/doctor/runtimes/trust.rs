//! Whether Codex runs our hooks: it ignores those that its user has not trusted, and says so only to who asks.

use std::path::Path;
use std::time::Duration;

use callosum_runtimes::runtime::Runtime;
use callosum_runtimes::settings::gating_event;
use serde_json::{Value, json};

use crate::commands::doctor::finding::{Finding, Level};
use crate::commands::doctor::is_same;
use crate::commands::doctor::program::Program;
use crate::commands::doctor::progress;
use crate::commands::install::Hooks;
use crate::output::{long, name};

/// How long it may take. It needs half a second.
const DEADLINE: Duration = Duration::from_secs(20);
/// The number of the question that matters.
const ASKED: u64 = 1;
/// Hooks and warnings listed.
const MAX_LISTED: usize = 10;

const ID: &str = "codex.trust";

/// What is to be done once hooks were written anew.
pub(super) fn after_install(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::Codex => {
            "; then start codex, enter /hooks and trust Callosum's anew: it trusts no hook that has changed"
        }
        Runtime::ClaudeCode | Runtime::Gemini => "",
    }
}

pub(super) fn look(hooks: &Hooks) -> Finding {
    let Some(program) = Program::on_path("codex") else {
        return not_asked("no `codex` is on the PATH");
    };
    progress("asking Codex whether it trusts the hooks …");
    let answer = program.converse(&["app-server"], &question(), answer_in, DEADLINE);
    progress("");
    match answer {
        Ok(Ok(result)) => match result.get("data").and_then(Value::as_array) {
            Some(folders) => judged(hooks, folders),
            None => not_asked("its answer can't be read"),
        },
        Ok(Err(why)) => not_asked(&why),
        Err(error) => not_asked(&error.to_string()),
    }
}

/// Its protocol has a message a line.
fn question() -> String {
    let client = json!({ "name": "callosum", "title": "Callosum", "version": env!("CARGO_PKG_VERSION") });
    let lines = [
        json!({ "id": 0, "method": "initialize", "params": { "clientInfo": client } }),
        json!({ "method": "initialized" }),
        json!({ "id": ASKED, "method": "hooks/list", "params": {} }),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The answer, if this line is it; or why there is none.
fn answer_in(line: &str) -> Option<Result<Value, String>> {
    let mut message: Value = serde_json::from_str(line).ok()?;
    if message.get("id").and_then(Value::as_u64) != Some(ASKED) {
        return None;
    }
    if let Some(result) = message.get_mut("result") {
        return Some(Ok(result.take()));
    }
    let why = message.pointer("/error/message").and_then(Value::as_str);
    Some(Err(why.unwrap_or("it gave no reason").to_owned()))
}

fn not_asked(why: &str) -> Finding {
    let remedy = "start codex, enter /hooks, and see that Callosum's are trusted";
    Finding::new(
        Level::Note,
        ID,
        format!("Codex could not be asked whether it trusts the hooks: {}", long(why)),
        remedy,
    )
}

/// `folders`: the hooks that hold in each folder that was asked about.
fn judged(hooks: &Hooks, folders: &[Value]) -> Finding {
    let all =
        |field: &'static str| folders.iter().filter_map(move |entry| entry.get(field)?.as_array()).flatten();
    let of_event = |event: &str, command: &str| {
        all("hooks").find(|hook| {
            let text = |field: &str| hook.get(field).and_then(Value::as_str).unwrap_or_default();
            text("eventName").eq_ignore_ascii_case(event)
                && text("command") == command
                && is_same(Path::new(text("sourcePath")), &hooks.file)
        })
    };
    let (mut lines, mut ungated, mut missing) = (Vec::new(), false, false);
    for (event, command) in &hooks.commands {
        let why = match of_event(event, command) {
            None => "is not loaded",
            Some(hook) => match hook.get("trustStatus").and_then(Value::as_str) {
                Some("trusted" | "managed") if hook.get("enabled") == Some(&Value::Bool(false)) => {
                    "is turned off"
                }
                Some("trusted" | "managed") => continue,
                Some("modified") => "has changed since it was trusted",
                _ => "is not trusted",
            },
        };
        ungated |= event == gating_event(Runtime::Codex);
        missing |= why == "is not loaded";
        lines.push(format!("the hook for {} {why}", name(event)));
    }
    if lines.is_empty() {
        return Finding::ok(ID, "Codex trusts Callosum's hooks");
    }
    let (level, what) = if ungated {
        (Level::Error, "Codex's calls are not gated: it does not run Callosum's hook before a call")
    } else {
        (Level::Warning, "Codex does not run all of Callosum's hooks")
    };
    let remedy = if missing {
        "see that `features.hooks` is not false in Codex's config.toml, and what else it says; then start codex, and enter /hooks"
    } else {
        "start codex, enter /hooks, look at Callosum's, and trust them or turn them on"
    };
    let said = ["errors", "warnings"].into_iter().flat_map(all).map(|said| match said {
        Value::String(text) => format!("it says: {}", long(text)),
        other => format!("it says: {}", long(&other.to_string())),
    });
    Finding::new(level, ID, what, remedy).lines(lines.into_iter().chain(said), MAX_LISTED, "lines")
}
