//! The `openclaw` command: asked with a deadline, answered in JSON.

use std::env;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::output::long;

/// More is not read of an answer.
const MAX_ANSWER: u64 = 16 * 1024 * 1024;
/// How often a running command is looked at.
const GLANCE: Duration = Duration::from_millis(20);

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

/// A command that was found.
#[derive(Debug)]
pub(super) struct Program(PathBuf);

impl Program {
    /// The program `name` as a shell would find it.
    pub(super) fn on_path(name: &str) -> Option<Self> {
        let folders = env::var_os("PATH")?;
        let runs = |path: &PathBuf| {
            path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
        };
        env::split_paths(&folders).map(|folder| folder.join(name)).find(runs).map(Self)
    }

    /// Runs it with `args`, ends it when `deadline` is over, and reads its answer.
    pub(super) fn ask(&self, args: &[&str], deadline: Duration) -> Answer {
        let asked = format!("`openclaw {}`", args.iter().take(3).copied().collect::<Vec<_>>().join(" "));
        let (stdout, stderr) = self
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

    fn run(&self, args: &[&str], deadline: Duration) -> io::Result<(String, String)> {
        // In a group of its own: it may start itself anew, and then both must end.
        let mut child = Command::new(&self.0)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            let stdout = scope.spawn(|| text_of(stdout));
            let stderr = scope.spawn(|| text_of(stderr));
            let ended = wait(&mut child, deadline);
            let text = |joined: thread::Result<String>| joined.unwrap_or_default();
            let (stdout, stderr) = (text(stdout.join()), text(stderr.join()));
            ended.map(|()| (stdout, stderr))
        })
    }
}

/// Waits until it ends by itself, or ends it.
fn wait(child: &mut Child, deadline: Duration) -> io::Result<()> {
    let until = Instant::now() + deadline;
    while child.try_wait()?.is_none() {
        if Instant::now() >= until {
            let group = rustix::process::Pid::from_child(child);
            // It may just have ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            child.wait()?;
            return Err(io::Error::other(format!("gave no answer within {} s", deadline.as_secs())));
        }
        thread::sleep(GLANCE);
    }
    Ok(())
}

fn text_of(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What was read until it failed may be the answer.
        let _ = stream.by_ref().take(MAX_ANSWER).read_to_end(&mut bytes);
        // Whoever still writes must not wait for a reader.
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The JSON object in what was printed; warnings may stand before it.
fn json_in(printed: &str) -> Option<Value> {
    let mut starts = printed.match_indices('{').map(|(at, _)| at);
    starts.by_ref().filter(|at| *at == 0 || printed.as_bytes().get(at - 1) == Some(&b'\n')).find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(printed.get(at..)?).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
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
        Program(PathBuf::from("/bin/sh")).ask(&["-c", script], deadline)
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

    #[test]
    fn what_takes_too_long_is_ended_with_what_it_started() {
        // The second process holds the output open: the answer would wait for it.
        let answer = sh("sleep 1000 & sleep 1000", Duration::from_millis(50));
        assert!(matches!(answer, Err(NoAnswer::Failed(why)) if why.contains("no answer within")));
    }

    const DEADLINE: Duration = Duration::from_secs(60);
}
