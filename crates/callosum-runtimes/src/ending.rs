//! How a call ended, as each runtime tells it to the hook that comes after. What is not told is in doubt, and in doubt a call
//! may have acted.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::runtime::Runtime;
use callosum_core::record::outcome::Ended;
use serde_json::Value;

/// What the after-hook is told.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The call ran a shell command.
    pub is_shell: bool,
    /// The runtime says that the call failed.
    pub failed: bool,
    /// The runtime says that somebody interrupted it.
    pub is_interrupt: bool,
    pub error: Option<&'a str>,
    pub response: &'a Value,
    /// The runtime's own record of the session.
    pub transcript: Option<&'a Path>,
    pub run: Option<&'a str>,
    pub call: Option<&'a str>,
}

/// How the call ended, with the exit code of its command where there is one.
pub fn ending(runtime: Runtime, told: &Told<'_>) -> (Ended, Option<i64>) {
    match runtime {
        Runtime::Codex if told.is_shell => of_codex_command(told),
        Runtime::Gemini if told.is_shell => of_gemini_command(told.response),
        _ => of_tool(told),
    }
}

fn of_tool(told: &Told<'_>) -> (Ended, Option<i64>) {
    let Told { response, .. } = told;
    let exit_code = told.error.filter(|_| told.is_shell).and_then(code_in_error);
    let ended = if told.is_interrupt || response.get("interrupted") == Some(&Value::Bool(true)) {
        Ended::Aborted
    } else if exit_code.is_some() {
        Ended::Ok
    } else if response.get("backgroundTaskId").is_some_and(|id| !id.is_null()) {
        Ended::Running
    } else if told.failed || response.get("error").is_some_and(|error| !error.is_null()) {
        Ended::Maybe
    } else {
        Ended::Ok
    };
    (ended, exit_code)
}

/// Claude Code begins the error of a command with `Exit code 7`.
fn code_in_error(error: &str) -> Option<i64> {
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

/// Gemini tells the command's output, and behind it, on lines of their own, what there is to tell of its end; nothing when it
/// exited with 0.
fn of_gemini_command(response: &Value) -> (Ended, Option<i64>) {
    let field = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = field("llmContent").trim();
    let text = text.strip_prefix("<untrusted_context>").unwrap_or(text).trim_start();
    let text = text.strip_suffix("</untrusted_context>").unwrap_or(text).trim_end();
    if text.starts_with("Command moved to background (") {
        return (Ended::Running, None);
    }
    // It was stopped, or these are words of another version, or a summary.
    if !text.starts_with("Output: ") {
        return (Ended::Maybe, None);
    }
    // Where the output itself ends in such a line, or may, it can't be told whether that is Gemini's own.
    if response.get("returnDisplay").and_then(last_shown).is_none_or(|line| end_line(&line).is_some()) {
        return (Ended::Maybe, None);
    }
    let (mut ended, mut exit_code) = (Ended::Ok, None);
    for (name, value) in text.lines().rev().map_while(end_line) {
        match name {
            "Exit Code" => exit_code = Some(value.parse().unwrap_or(-1)),
            "Signal" => ended = Ended::Killed,
            "Error" => ended = Ended::Maybe,
            _ => {}
        }
    }
    (ended, exit_code)
}

/// The last line of the output itself that is not blank; empty when it has none. It is a text, or, as it is for who watches Gemini
/// at work, the rows of a terminal, each in pieces. `None` for what is neither.
fn last_shown(display: &Value) -> Option<String> {
    let Value::Array(rows) = display else {
        return Some(display.as_str()?.trim_end().lines().next_back().unwrap_or_default().to_owned());
    };
    let text = |piece: &Value| Some(piece.get("text")?.as_str()?.to_owned());
    let row = |row: &Value| row.as_array()?.iter().map(text).collect::<Option<String>>();
    let rows: Option<Vec<String>> = rows.iter().map(row).collect();
    Some(rows?.into_iter().rfind(|row| !row.trim().is_empty()).unwrap_or_default())
}

fn end_line(line: &str) -> Option<(&str, &str)> {
    const NAMES: [&str; 5] = ["Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID"];
    line.split_once(": ").filter(|(name, _)| NAMES.contains(name))
}

/// Codex tells a command's output and no more. Before the hook starts it has written the exit code into its record of the
/// session.
fn of_codex_command(told: &Told<'_>) -> (Ended, Option<i64>) {
    let found = told.transcript.zip(told.call).and_then(|(path, call)| exit_code_in(path, told.run, call));
    (if found.is_some() { Ended::Ok } else { Ended::Maybe }, found)
}

/// How much of a record's end is read: nearly always enough, then enough for the longest output.
const TAILS: [u64; 2] = [64 << 10, 4 << 20];

fn exit_code_in(transcript: &Path, run: Option<&str>, call: &str) -> Option<i64> {
    TAILS.iter().find_map(|bytes| {
        let tail = tail(transcript, *bytes)?;
        let mut lines = tail.rsplit(|byte| *byte == b'\n');
        lines.find_map(|line| {
            let line = std::str::from_utf8(line).ok().filter(|line| line.contains("\"CommandExecution\""))?;
            let line: Value = serde_json::from_str(line).ok()?;
            let (payload, item) = (line.get("payload")?, line.pointer("/payload/item")?);
            let is =
                |of: &Value, name: &str, value: &str| of.get(name).and_then(Value::as_str) == Some(value);
            let is_this = is(payload, "type", "item_completed")
                && is(item, "type", "CommandExecution")
                && is(item, "id", call)
                // Models reuse the ids of their calls.
                && run.is_none_or(|run| is(payload, "turn_id", run));
            if is_this { item.get("exit_code")?.as_i64() } else { None }
        })
    })
}

fn tail(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    // Opening anything but a file may wait for ever.
    let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(bytes))).ok()?;
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail).ok()?;
    Some(tail)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use super::*;
    use serde_json::json;
    use std::fs;

    /// What the real runtimes told (see `tests/agents`).
    macro_rules! sample {
        ($name:literal) => {
            serde_json::from_str::<Value>(include_str!(concat!(
                "../../../tests/agents/samples/",
                $name,
                ".json"
            )))
            .unwrap()
        };
    }

    fn told(response: &Value) -> Told<'_> {
        Told {
            is_shell: true,
            failed: false,
            is_interrupt: false,
            error: None,
            response,
            transcript: None,
            run: None,
            call: None,
        }
    }

    #[test]
    fn gemini_tells_the_end_behind_the_output() {
        for (sample, expected) in [
            (sample!("gemini.shell.after"), (Ended::Ok, None)),
            (sample!("gemini.shell-exit-7.after"), (Ended::Ok, Some(7))),
            (sample!("gemini.shell-killed.after"), (Ended::Killed, None)),
            (sample!("gemini.shell-background.after"), (Ended::Running, None)),
        ] {
            assert_eq!(ending(Runtime::Gemini, &told(&sample["tool_response"])), expected, "{sample}");
        }
        for sample in [sample!("gemini.mcp-failing.after"), sample!("gemini.replace-impossible.after")] {
            let told = Told { is_shell: false, ..told(&sample["tool_response"]) };
            assert_eq!(ending(Runtime::Gemini, &told), (Ended::Maybe, None), "{sample}");
        }
        for sample in [sample!("gemini.mcp.after"), sample!("gemini.write-file.after")] {
            let told = Told { is_shell: false, ..told(&sample["tool_response"]) };
            assert_eq!(ending(Runtime::Gemini, &told), (Ended::Ok, None), "{sample}");
        }
    }

    #[test]
    fn what_a_command_of_gemini_printed_is_no_exit_code() {
        let end = |text: &str, display: &str| {
            ending(Runtime::Gemini, &told(&json!({ "llmContent": text, "returnDisplay": display })))
        };
        assert_eq!(
            end("Output: Exit Code: 7\nsent\nProcess Group PGID: 1", "Exit Code: 7\nsent"),
            (Ended::Ok, None)
        );
        assert_eq!(
            end("Output: sent\nExit Code: 7\nProcess Group PGID: 1", "sent\nExit Code: 7"),
            (Ended::Maybe, None)
        );
        assert_eq!(end("Command was cancelled by user before it could complete.", ""), (Ended::Maybe, None));
        assert_eq!(end("", ""), (Ended::Maybe, None));
    }

    #[test]
    fn a_terminal_of_gemini_is_looked_at_row_by_row() {
        // As long as the terminal is wide; the cursor stands in a row of its own.
        let row = |pieces: &[&str]| -> Value {
            let rest = json!({ "text": " ".repeat(40), "isUninitialized": true });
            pieces.iter().map(|text| json!({ "text": text, "bold": false })).chain([rest]).collect()
        };
        let end = |text: &str, display: Value| {
            ending(Runtime::Gemini, &told(&json!({ "llmContent": text, "returnDisplay": display })))
        };
        let text = "Output: sent\nExit Code: 7\nProcess Group PGID: 1";
        assert_eq!(end(text, json!([row(&["sent"]), row(&[" "])])), (Ended::Ok, Some(7)));
        let display = json!([row(&["sent"]), row(&["Exit ", "Code: 7"]), row(&[" "])]);
        assert_eq!(end(text, display), (Ended::Maybe, None));
        assert_eq!(end("Output: (empty)\nExit Code: 7", json!([row(&[" "])])), (Ended::Ok, Some(7)));
        assert_eq!(end("Output: (empty)\nExit Code: 7", json!([])), (Ended::Ok, Some(7)));
        // What is no text in any form that is known may be such a line.
        for display in [json!({ "fileDiff": "" }), json!(null), json!(["sent"]), json!([[{ "txt": "sent" }]])]
        {
            assert_eq!(end(text, display), (Ended::Maybe, None));
        }
    }

    #[test]
    fn codex_has_the_exit_code_in_its_record_of_the_session() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rollout.jsonl");
        let line = |turn: &str, call: &str, output: &str, code: i64| {
            json!({ "type": "event_msg", "payload": { "type": "item_completed", "turn_id": turn, "item": {
                "type": "CommandExecution", "id": call, "aggregated_output": output, "exit_code": code,
            } } })
            .to_string()
        };
        let long = "x".repeat(100 << 10);
        let lines = [
            line("t1", "call_1", "", 3),
            line("t2", "call_1", &line("t2", "call_2", "", 0), 7),
            line("t2", "call_3", "", 0),
            line("t2", "call_4", &long, 9),
            "{\"CommandExecution\"".to_owned(),
        ];
        fs::write(&path, lines.join("\n")).unwrap();
        let response = json!("Exit code: 1");
        let end = |run: &'static str, call: &'static str| {
            let told = Told { transcript: Some(&path), run: Some(run), call: Some(call), ..told(&response) };
            ending(Runtime::Codex, &told)
        };
        assert_eq!(end("t2", "call_1"), (Ended::Ok, Some(7)));
        assert_eq!(end("t1", "call_1"), (Ended::Ok, Some(3)));
        assert_eq!(end("t2", "call_3"), (Ended::Ok, Some(0)));
        assert_eq!(end("t2", "call_4"), (Ended::Ok, Some(9)));
        // Not there, or only in what another command printed; what this one printed does not count.
        assert_eq!(end("t2", "call_2"), (Ended::Maybe, None));
        let nowhere = Told { transcript: Some(dir.path()), call: Some("call_1"), ..told(&response) };
        assert_eq!(ending(Runtime::Codex, &nowhere), (Ended::Maybe, None));
    }

    #[test]
    fn other_tools_of_codex_end_well_when_they_end() {
        for sample in [sample!("codex.apply-patch.after"), sample!("codex.mcp.after")] {
            let told = Told { is_shell: false, ..told(&sample["tool_response"]) };
            assert_eq!(ending(Runtime::Codex, &told), (Ended::Ok, None), "{sample}");
        }
    }

    #[test]
    fn claude_code_tells_a_failure_in_an_event_of_its_own() {
        let response = json!({ "stdout": "", "interrupted": false });
        let end = |told: Told<'_>| ending(Runtime::ClaudeCode, &told);
        assert_eq!(end(told(&response)), (Ended::Ok, None));
        assert_eq!(end(told(&json!({ "interrupted": true }))), (Ended::Aborted, None));
        assert_eq!(end(told(&json!({ "backgroundTaskId": "b1" }))), (Ended::Running, None));
        let failed = |error| Told { failed: true, error: Some(error), ..told(&Value::Null) };
        assert_eq!(end(failed("Exit code 7\nno such host")), (Ended::Ok, Some(7)));
        assert_eq!(end(failed("no such host\nExit code 7")), (Ended::Maybe, None));
        assert_eq!(end(failed("connection reset")), (Ended::Maybe, None));
        assert_eq!(end(Told { is_interrupt: true, ..failed("x") }), (Ended::Aborted, None));
    }
}
