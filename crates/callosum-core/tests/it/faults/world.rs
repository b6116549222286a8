//! Gates and calls, the same for all tests here.

use std::path::Path;
use std::sync::Arc;

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions};
use callosum_core::model::time::Stamp;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_core::store::disk::Disk;
use serde_json::{Value, json};

/// Mail is tier 3, a payment tier 4, a message tier 2, a write tier 1.
const RULES: &str = r#"{"rules":[
  {"name":"mail","tier":3,"tool":"mail","contextKey":"email:{params.to}"},
  {"name":"pay","tier":4,"tool":"pay","contextKey":"email:{params.to}"},
  {"name":"message","tier":2,"tool":"message","contextKey":"chat:{params.to}"},
  {"name":"write","tier":1,"tool":"write","contextKey":"file:{params.to}"}
]}"#;

/// How far back the rules look, milliseconds.
pub(crate) const WINDOW_MS: u64 = 600_000;
/// A pause's text counts as read after this, milliseconds.
pub(crate) const READ_MS: u64 = 600;

/// Writes the rules where [`gate`] finds them: they are not the journal's, so no disk of the tests has them.
pub(crate) fn write_rules(real: &Path) {
    std::fs::write(real.join("tiers.json"), RULES).unwrap();
}

/// A gate with segments as small as can be; its rules are in the real folder `real`.
pub(crate) fn gate(instance: &str, state_dir: &Path, real: &Path, disk: Arc<dyn Disk>, more: &Value) -> Gate {
    let mut settings = json!({
        "instanceId": instance,
        "stateDir": state_dir,
        "tiersFile": real.join("tiers.json"),
        "journalMaxBytes": 64 * 1024,
        "journalMaxAgeMs": 60_000,
        "recentWindowMs": WINDOW_MS,
        "lockExpiryMs": 60_000,
        "retryWindowMs": 60_000,
    });
    for (name, value) in more.as_object().unwrap() {
        settings[name] = value.clone();
    }
    let options =
        GateOptions { settings: settings.to_string(), runtime: "test".to_owned(), ..GateOptions::default() };
    Gate::on_disk(options, disk)
}

/// A tool call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) session: String,
    pub(crate) id: String,
    pub(crate) to: String,
}

impl Call {
    pub(crate) fn new(tool: &'static str, session: &str, id: String, to: &str) -> Self {
        Self { tool, session: session.to_owned(), id, to: to.to_owned() }
    }

    pub(crate) fn tier(&self) -> u8 {
        match self.tool {
            "pay" => 4,
            "mail" => 3,
            "message" => 2,
            _ => 1,
        }
    }

    pub(crate) fn is_guarded(&self) -> bool {
        self.tier() >= 3
    }

    pub(crate) fn key(&self) -> String {
        let kind = match self.tool {
            "pay" | "mail" => "email",
            "message" => "chat",
            _ => "file",
        };
        format!("{kind}:{}", self.to)
    }

    /// The before-hook, up to the ticket if there is one.
    pub(crate) fn begin(&self, gate: &Gate, body: &Value, now: &Stamp) -> Answer {
        let call = ToolCall {
            tool: self.tool.to_owned(),
            session: self.session.clone(),
            run: Some("run".to_owned()),
            call: Some(self.id.clone()),
            ..ToolCall::default()
        };
        gate.before(&call, &json!({"to": self.to, "body": body}), now)
    }

    /// The after-hook of a call that went well, up to the ticket if there is one.
    pub(crate) fn end(&self, gate: &Gate, ended: Ended, now: &Stamp) -> Answer {
        let report = EndReport {
            tool: self.tool.to_owned(),
            agent: None,
            session: self.session.clone(),
            run: Some("run".to_owned()),
            call: Some(self.id.clone()),
            digest: None,
            ended,
            exit_code: None,
            process: None,
            ran: None,
        };
        gate.after(&report, now)
    }
}

/// The final answer.
pub(crate) fn finish(gate: &Gate, answer: Answer, now: &Stamp) -> Answer {
    let Answer::Wait(ticket) = answer else { return answer };
    let answer = gate.finish(ticket, now);
    gate.forget(ticket);
    answer
}

/// Whether an answer refuses the call because the state can't be used, and not for what is known.
pub(crate) fn is_for_the_state(answer: &Answer) -> bool {
    matches!(answer, Answer::Refuse(text) if text.contains("Can't check") && text.contains("To fix it: "))
}

/// Whether an answer lets the call run.
pub(crate) fn allows(answer: &Answer) -> bool {
    matches!(answer, Answer::Proceed | Answer::ProceedThenMaintain)
}

/// Sequence number and record of everything that the gate says is in the journal.
pub(crate) fn told(gate: &Gate, now: &Stamp) -> Vec<(u64, Value)> {
    let filter = callosum_core::query::Filter { limit: 10_000, ..Default::default() };
    let records = gate.journal(&filter, now).unwrap().entries;
    let split = |mut record: Value| {
        let seq = record.as_object_mut().unwrap().remove("seq").unwrap();
        (seq.as_u64().unwrap(), record)
    };
    records.into_iter().map(split).collect()
}
