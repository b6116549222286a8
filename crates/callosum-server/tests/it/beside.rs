//! A gate beside the service, as a gateway or a hook has one, and what it leaves.

use std::ffi::OsString;
use std::fs;

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::model::time::Stamp;
use callosum_core::model::tool_call::ToolCall;
use serde_json::{Value, json};

use crate::support::Home;

/// A journal whose oldest part was pruned: which it is, and where its oldest record is that is there. The call `kept` is the newest.
pub(crate) struct Pruned {
    pub(crate) journal: String,
    pub(crate) oldest: u64,
}

impl Pruned {
    /// Makes it, beside the service.
    pub(crate) fn new(home: &Home) -> Self {
        // Three months ago, more was journaled than is kept.
        let gate = gate(home);
        let now = gate.machine().now();
        let past = Stamp { wall_ms: now.wall_ms - 90 * 86_400_000, up_ms: 1_000, boot: Some(7) };
        for call in 0..500 {
            write(&gate, &format!("{call}-{}", "x".repeat(200)), &past);
        }
        write(&gate, "kept", &now);
        gate.maintain(&now);
        drop(gate);
        let oldest = oldest(home);
        assert!(oldest > 0);
        Self { journal: journal_id(home), oldest }
    }
}

/// The gate.
pub(crate) fn gate(home: &Home) -> Gate {
    Gate::new(GateOptions {
        settings: json!({ "stateDir": home.path(), "journalMaxBytes": 65_536, "durability": "os" })
            .to_string(),
        runtime: "test".to_owned(),
        home: home.path().to_owned(),
        ..GateOptions::default()
    })
}

/// Lets a call go on there.
pub(crate) fn write(gate: &Gate, call: &str, now: &Stamp) {
    let session = "s".to_owned();
    let asked =
        ToolCall { tool: "note".to_owned(), session, call: Some(call.to_owned()), ..ToolCall::default() };
    let answer = gate.before(&asked, &json!({ "to": call }), now);
    assert!(!matches!(answer, callosum_core::gate::Answer::Refuse(_)), "{answer:?}");
}

/// Where the oldest segment begins that is there.
fn oldest(home: &Home) -> u64 {
    let names = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let base = |name: OsString| -> Option<u64> {
        name.to_str()?.strip_prefix("journal.")?.strip_suffix(".jsonl")?.parse().ok()
    };
    names.filter_map(base).min().unwrap()
}

/// The journal's id.
pub(crate) fn journal_id(home: &Home) -> String {
    let text = fs::read_to_string(home.path().join("journal.jsonl")).unwrap();
    let opened: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    opened["journal"].as_str().unwrap().to_owned()
}
