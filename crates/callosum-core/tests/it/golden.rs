//! The golden cases in `tests/golden`, which the TypeScript tests read too.

use std::fs;
use std::path::Path;

use callosum_core::gate::{Answer, Gate, GateOptions};
use callosum_core::machine::Machine;
use callosum_core::model::time::{Stamp, to_rfc3339};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::{Filter, ReadOnlyView, Source};
use callosum_core::rules::RuleSet;
use serde_json::{Value, json};

use crate::support::{call, session};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/decisions.json");

/// The journal that a case's history stands for: ages become times, places become sequence numbers.
fn journal(history: &[Value], now_ms: i64) -> String {
    let mut text = String::new();
    let mut seqs: Vec<usize> = Vec::new();
    for entry in history {
        let mut record = json!({"v": 1, "instance": "other"});
        for (name, value) in entry.as_object().unwrap() {
            record[name] = value.clone();
        }
        let fields = record.as_object_mut().unwrap();
        let at = now_ms - fields.remove("ageMs").unwrap().as_i64().unwrap();
        fields.insert("timestamp".to_owned(), json!(to_rfc3339(at)));
        if let Some(lease) = fields.remove("leaseMs") {
            fields.insert("expiresAt".to_owned(), json!(to_rfc3339(at + lease.as_i64().unwrap())));
        }
        if fields["v"] == 0 {
            fields.remove("v");
        }
        let seq_of = |place: &Value| json!(seqs[usize::try_from(place.as_u64().unwrap()).unwrap()]);
        if let Some(of) = fields.get_mut("of") {
            *of = of.as_array().unwrap().iter().map(&seq_of).collect();
        }
        for shown in fields.get_mut("evidence").and_then(Value::as_array_mut).into_iter().flatten() {
            for place in shown.as_object_mut().unwrap().values_mut() {
                *place = seq_of(place);
            }
        }
        seqs.push(text.len());
        text.push_str(&format!("{record}\n"));
    }
    text
}

/// What a replay of the journal makes of the call at `now`, under the shipped rules.
fn simulated(directory: &Path, now: &Stamp) -> &'static str {
    let settings = json!({"stateDir": directory}).to_string();
    let view = ReadOnlyView::new(GateOptions { settings, ..GateOptions::default() });
    // Under none it is let through: what stops it changes.
    let none = RuleSet::parse(r#"{"rules":[]}"#).unwrap();
    let at = to_rfc3339(now.wall_ms);
    let report = view.simulate(none, None, now, &mut |_, _| {}).unwrap().report;
    let found = report.changed.iter().find(|call| call.at == at);
    found.map_or("allow", |call| call.before.as_str())
}

#[test]
fn every_golden_case_is_decided_as_it_says() {
    let file: Value = serde_json::from_str(&fs::read_to_string(CASES).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 16);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let now = Machine::read().now();
        let history = journal(case["history"].as_array().unwrap(), now.wall_ms);
        fs::write(directory.path().join("journal.jsonl"), history).unwrap();
        if let Some(rules) = case.get("rules") {
            let rules = json!({"extends": "default", "rules": rules});
            fs::write(directory.path().join("tiers.json"), rules.to_string()).unwrap();
        }
        let settings = json!({"stateDir": directory.path(), "instanceId": "golden", "durability": "os"});
        let gate = Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() });
        let (asked, expect) = (&case["call"], &case["expect"]);
        let by = session(&gate, asked["session"].as_str().unwrap());
        let can_ask = asked["canAsk"] == true;
        let by_call = ToolCall { can_ask, ..call(by, asked["tool"].as_str().unwrap(), Some("g")) };
        let answer = gate.before(&by_call, &asked["params"], &now);
        let (verdict, text) = match &answer {
            Answer::Proceed => ("allow", ""),
            Answer::Warn(text) => ("note", text.as_str()),
            Answer::Ask(text) => ("ask", text.as_str()),
            Answer::Refuse(text) if text.contains("a retry does not help") => ("block", text.as_str()),
            Answer::Refuse(text) => ("pause", text.as_str()),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(verdict, expect["verdict"], "{name}: {text}");
        let texts = |list: &'static str| expect[list].as_array().cloned().unwrap_or_default();
        for said in texts("says") {
            assert!(text.contains(said.as_str().unwrap()), "{name}: {said} is not in {text}");
        }
        for said in texts("saysNot") {
            assert!(!text.contains(said.as_str().unwrap()), "{name}: {said} is in {text}");
        }
        // No journal says whether a host could have asked.
        let simulated = simulated(directory.path(), &now);
        assert_eq!(
            simulated,
            expect.get("simulated").map_or(verdict, |said| said.as_str().unwrap()),
            "{name}"
        );
        let row = gate.journal(&Filter { limit: 1, ..Filter::default() }, &now).unwrap().entries.remove(0);
        assert_eq!(row["session"], asked["session"], "{name}");
        for field in ["tier", "ruleName", "contextKeys", "conflict", "onConflict", "limits"] {
            if let Some(expected) = expect.get(field) {
                let found = if row[field].is_null() { &json!([]) } else { &row[field] };
                assert_eq!(found, expected, "{name}: {field}");
            }
        }
    }
}
