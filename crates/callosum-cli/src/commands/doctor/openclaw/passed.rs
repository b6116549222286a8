//! OpenClaw's record of tool calls against the journal's: which calls ran without having passed the gate.

use std::collections::{HashMap, HashSet};

use callosum_core::model::tool_call::is_wrapper;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A tool call that ran, as OpenClaw recorded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    /// When, wall-clock milliseconds.
    pub(super) at: i64,
    /// Its session.
    pub(super) session: String,
    /// Its run.
    pub(super) run: String,
    /// Its tool.
    pub(super) tool: String,
    /// `sha256:` and the hash of its call id, in hex.
    pub(super) fingerprint: Option<String>,
}

/// The calls that ran, newest first: one for each start. A call that was refused has no start, and one that only
/// carries another is left out: the other is there too.
pub(super) fn ran(events: &[Value]) -> Vec<Ran> {
    let started = |event: &Value| {
        let text = |field: &str| event.get(field).and_then(Value::as_str).map(str::to_owned);
        if text("action")? != "tool.action.started" || is_wrapper("openclaw", &text("toolName")?) {
            return None;
        }
        Some(Ran {
            at: event.get("occurredAt")?.as_i64()?,
            session: text("sessionKey").or_else(|| text("sessionId")).unwrap_or_default(),
            run: text("runId")?,
            tool: text("toolName")?,
            fingerprint: text("toolCallId"),
        })
    };
    events.iter().filter_map(started).collect()
}

/// What the journal has of each run.
#[derive(Debug, Default)]
pub(super) struct Journaled {
    runs: HashMap<String, Run>,
}

#[derive(Debug, Default)]
struct Run {
    fingerprints: HashSet<String>,
    tools: HashSet<String>,
}

impl Journaled {
    /// Of records as the journal gives them. What a before-hook wrote counts; an outcome alone shows no more than that
    /// somebody saw the call end.
    pub(super) fn of(records: &[Value]) -> Self {
        let mut journaled = Self::default();
        for record in records {
            let text = |field: &str| record.get(field).and_then(Value::as_str);
            let (Some("intercept" | "blocked"), Some(run)) = (text("action"), text("run")) else { continue };
            let run = journaled.runs.entry(run.to_owned()).or_default();
            run.tools.extend(text("tool").map(str::to_owned));
            let Some(call) = text("call") else { continue };
            run.fingerprints.insert(fingerprint(call));
        }
        journaled
    }

    /// Whether a call passed the gate.
    pub(super) fn has(&self, call: &Ran) -> bool {
        let Some(run) = self.runs.get(&call.run) else { return false };
        match &call.fingerprint {
            Some(print) => run.fingerprints.contains(print),
            None => run.tools.contains(&call.tool),
        }
    }
}

/// How OpenClaw shows a call id in its record.
fn fingerprint(call: &str) -> String {
    let hash = Sha256::digest(call.as_bytes());
    hash.iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;

    fn call(tool: &str, run: &str, id: &str) -> Ran {
        Ran {
            at: 1,
            session: format!("session of {run}"),
            run: run.to_owned(),
            tool: tool.to_owned(),
            fingerprint: Some(fingerprint(id)),
        }
    }

    fn record(tool: &str, run: &str, id: &str) -> Value {
        json!({"action": "intercept", "tool": tool, "run": run, "call": id})
    }

    #[test]
    fn a_fingerprint_is_the_hosts() {
        // As a real gateway recorded the call `call_1`.
        assert!(fingerprint("call_1").starts_with("sha256:74196fe72e4cdc135c1033e0"));
    }

    #[test]
    fn only_calls_that_started_ran_and_carriers_are_none() {
        let event = |action: &str, tool: &str| {
            json!({"action": action, "occurredAt": 7, "sessionKey": "s", "runId": "r", "toolName": tool,
                "toolCallId": fingerprint("c")})
        };
        let found = ran(&[
            event("tool.action.finished", "exec"),
            event("tool.action.started", "exec"),
            event("tool.action.started", "tool_call"),
            json!({"action": 1}),
        ]);
        assert_eq!(found, [Ran { at: 7, session: "s".to_owned(), ..call("exec", "r", "c") }]);
    }

    #[test]
    fn a_call_is_known_by_its_run_and_id() {
        let mut ended = record("exec", "r1", "c3");
        ended["action"] = json!("complete");
        let journaled = Journaled::of(&[record("exec", "r1", "c1"), record("read", "r1", "c2"), ended]);
        assert!(journaled.has(&call("exec", "r1", "c1")));
        for missing in [call("exec", "r1", "c3"), call("exec", "r2", "c1")] {
            assert!(!journaled.has(&missing), "{missing:?}");
        }
        let without_id = |tool: &str| Ran { fingerprint: None, ..call(tool, "r1", "") };
        assert!(journaled.has(&without_id("read")));
        assert!(!journaled.has(&without_id("message")));
    }
}
