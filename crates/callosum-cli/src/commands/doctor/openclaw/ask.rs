//! The `openclaw` command: asked with a deadline, answered in JSON.

use std::time::Duration;

use serde_json::Value;

use crate::commands::doctor::program::{Program, last_line};
use crate::output::long;

/// What was answered.
pub(super) type Answer = Result<Value, NoAnswer>;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// No gateway takes connections.
    NotRunning(String),
    /// The gateway knows no such method.
    UnknownMethod,
    /// It says no, says nothing that can be read, or takes too long: a sentence, fit to be shown.
    Failed(String),
}

/// Runs `openclaw` with `args`, ends it when `deadline` is over, and reads its answer.
pub(super) fn ask(program: &Program, args: &[&str], deadline: Duration) -> Answer {
    let asked = format!("`openclaw {}`", args.iter().take(3).copied().collect::<Vec<_>>().join(" "));
    let (stdout, stderr) = program
        .run(args, deadline)
        .map_err(|error| NoAnswer::Failed(format!("{asked} {}", long(&error.to_string()))))?;
    let Some(answer) = json_in(&stdout) else {
        let said = last_line(&stderr).or_else(|| last_line(&stdout)).unwrap_or_default();
        return Err(NoAnswer::Failed(format!("{asked} gave no JSON: {}", long(said))));
    };
    match failure_in(&answer) {
        Some(failure) => Err(failure),
        None => Ok(answer),
    }
}

/// The JSON object in what was printed; warnings may stand before it.
fn json_in(printed: &str) -> Option<Value> {
    let mut starts = printed.match_indices('{').map(|(at, _)| at);
    starts.by_ref().filter(|at| *at == 0 || printed.as_bytes().get(at - 1) == Some(&b'\n')).find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(printed.get(at..)?).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

/// The command's own failure: `{"ok": false, "error": {"type", "message"}}`. A tool's failure has no type.
fn failure_in(answer: &Value) -> Option<NoAnswer> {
    let error = answer.get("error").filter(|_| answer.get("ok") == Some(&Value::Bool(false)))?;
    let kind = error.get("type")?.as_str()?;
    let message = error.get("message").and_then(Value::as_str).unwrap_or(kind);
    let first = long(message.lines().next().unwrap_or_default());
    Some(if message.starts_with("unknown method") {
        NoAnswer::UnknownMethod
    } else if message.contains("not reachable") {
        NoAnswer::NotRunning(first)
    } else {
        NoAnswer::Failed(first)
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;

    fn sh(script: &str, deadline: Duration) -> Answer {
        ask(&Program::at("/bin/sh"), &["-c", script], deadline)
    }

    #[test]
    fn an_answer_is_found_behind_warnings() {
        let answer = sh(
            "echo '[config] warning {x}'; echo '{\"ok\": true,'; echo ' \"events\": []}'; echo done",
            DEADLINE,
        );
        assert_eq!(answer.unwrap(), json!({"ok": true, "events": []}));
        assert!(
            matches!(sh("echo plain >&2", DEADLINE), Err(NoAnswer::Failed(why)) if why.ends_with(": plain"))
        );
    }

    #[test]
    fn failures_of_the_gateway_are_told_apart() {
        let failure =
            |message: &str| failure_in(&json!({"ok": false, "error": {"type": "t", "message": message}}));
        assert_eq!(failure("unknown method: callosum.status"), Some(NoAnswer::UnknownMethod));
        let down = "Gateway not reachable at ws://127.0.0.1:1 (ECONNREFUSED).\nStart it";
        let first = "Gateway not reachable at ws://127.0.0.1:1 (ECONNREFUSED).";
        assert_eq!(failure(down), Some(NoAnswer::NotRunning(first.to_owned())));
        assert_eq!(failure("no\u{1b}[31m"), Some(NoAnswer::Failed("no [31m".to_owned())));
        // A tool that is refused is an answer.
        assert_eq!(failure_in(&json!({"ok": false, "toolName": "x", "error": {"code": "not_found"}})), None);
    }

    const DEADLINE: Duration = Duration::from_secs(60);
}
