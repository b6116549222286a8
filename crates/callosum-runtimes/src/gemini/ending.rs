//! Gemini tells the command's output, and behind it, on lines of their own, what there is to tell of its end; nothing when it
//! exited with 0.

use callosum_core::record::outcome::Ended;
use serde_json::Value;

pub(super) fn of_command(response: &Value) -> (Ended, Option<i64>) {
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

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;
    use crate::ending::{Told, sample};
    use crate::gemini::Gemini;
    use crate::runtime::AgentRuntime;

    fn shell(response: &Value) -> Told<'_> {
        Told { is_shell: true, ..Told::of(response) }
    }

    #[test]
    fn gemini_tells_the_end_behind_the_output() {
        for (sample, expected) in [
            (sample!("gemini.shell.after"), (Ended::Ok, None)),
            (sample!("gemini.shell-exit-7.after"), (Ended::Ok, Some(7))),
            (sample!("gemini.shell-killed.after"), (Ended::Killed, None)),
            (sample!("gemini.shell-background.after"), (Ended::Running, None)),
        ] {
            assert_eq!(Gemini.ending(&shell(&sample["tool_response"])), expected, "{sample}");
        }
        for sample in [sample!("gemini.mcp-failing.after"), sample!("gemini.replace-impossible.after")] {
            let told = Told::of(&sample["tool_response"]);
            assert_eq!(Gemini.ending(&told), (Ended::Maybe, None), "{sample}");
        }
        for sample in [sample!("gemini.mcp.after"), sample!("gemini.write-file.after")] {
            let told = Told::of(&sample["tool_response"]);
            assert_eq!(Gemini.ending(&told), (Ended::Ok, None), "{sample}");
        }
    }

    #[test]
    fn what_a_command_of_gemini_printed_is_no_exit_code() {
        let end = |text: &str, display: &str| {
            Gemini.ending(&shell(&json!({ "llmContent": text, "returnDisplay": display })))
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
            Gemini.ending(&shell(&json!({ "llmContent": text, "returnDisplay": display })))
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
}
