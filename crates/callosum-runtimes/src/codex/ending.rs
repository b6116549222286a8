//! Codex tells a command's output and no more. Before the hook starts it has written the exit code into its record of the
//! session.

use callosum_core::record::outcome::Ended;
use serde_json::Value;

use crate::ending::{Tail, Told};

/// How much of the record's end is read: nearly always enough, then enough for the longest output.
const TAILS: [u64; 2] = [64 << 10, 4 << 20];

pub(super) fn of_command(told: &Told<'_>) -> (Ended, Option<i64>) {
    let found =
        told.transcript.zip(told.call).and_then(|(record, call)| exit_code_in(record, told.run, call));
    (if found.is_some() { Ended::Ok } else { Ended::Maybe }, found)
}

fn exit_code_in(record: &Tail<'_>, run: Option<&str>, call: &str) -> Option<i64> {
    TAILS.iter().find_map(|bytes| {
        let tail = record(*bytes)?;
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;
    use crate::codex::Codex;
    use crate::ending::sample;
    use crate::runtime::AgentRuntime;

    #[test]
    fn a_commands_exit_code_is_in_the_record_of_the_session() {
        let line = |turn: &str, call: &str, output: &str, code: i64| {
            json!({ "type": "event_msg", "payload": { "type": "item_completed", "turn_id": turn, "item": {
                "type": "CommandExecution", "id": call, "aggregated_output": output, "exit_code": code,
            } } })
            .to_string()
        };
        let long = "x".repeat(100 << 10);
        let record = [
            line("t1", "call_1", "", 3),
            line("t2", "call_1", &line("t2", "call_2", "", 0), 7),
            line("t2", "call_3", "", 0),
            line("t2", "call_4", &long, 9),
            "{\"CommandExecution\"".to_owned(),
        ]
        .join("\n")
        .into_bytes();
        let tail = |bytes: u64| {
            let from = record.len().saturating_sub(usize::try_from(bytes).unwrap());
            Some(record[from..].to_vec())
        };
        let response = json!("Exit code: 1");
        let shell = Told { is_shell: true, ..Told::of(&response) };
        let end = |run: &str, call: &str| {
            Codex.ending(&Told { transcript: Some(&tail), run: Some(run), call: Some(call), ..shell })
        };
        assert_eq!(end("t2", "call_1"), (Ended::Ok, Some(7)));
        assert_eq!(end("t1", "call_1"), (Ended::Ok, Some(3)));
        assert_eq!(end("t2", "call_3"), (Ended::Ok, Some(0)));
        assert_eq!(end("t2", "call_4"), (Ended::Ok, Some(9)));
        // Not there, or only in what another command printed; what this one printed does not count.
        assert_eq!(end("t2", "call_2"), (Ended::Maybe, None));
        let nowhere = Told { transcript: Some(&|_| None), call: Some("call_1"), ..shell };
        assert_eq!(Codex.ending(&nowhere), (Ended::Maybe, None));
    }

    #[test]
    fn other_tools_end_well_when_they_end() {
        for sample in [sample!("codex.apply-patch.after"), sample!("codex.mcp.after")] {
            assert_eq!(Codex.ending(&Told::of(&sample["tool_response"])), (Ended::Ok, None), "{sample}");
        }
    }
}
