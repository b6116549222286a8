//! `summaries`: of commands that are only logged the journal keeps the first line, where that is wanted, and nothing else of them.

use callosum_core::gate::{Answer, Gate};
use callosum_core::query::Source;
use callosum_testing::gate::options;
use callosum_testing::wait::until;
use serde_json::{Value, json};

use crate::support::{World, call, session};

/// Calls of the tests' rules, and what is kept of each where all are wanted.
fn calls() -> Vec<(&'static str, Value, Option<&'static str>)> {
    vec![
        (
            "exec",
            json!({"command": "cargo test --workspace", "cwd": "/w"}),
            Some(r#"{"command":"cargo test --workspace"}"#),
        ),
        (
            "exec",
            json!({"command": "\n  make all\nPASSWORD=hunter2 ./deploy"}),
            Some(r#"{"command":"make all …"}"#),
        ),
        (
            "exec",
            json!({"command": "DB_PASSWORD=hunter2 make"}),
            Some(r#"{"command":"DB_PASSWORD=[redacted] make"}"#),
        ),
        ("exec", json!({"command": ["ls"]}), None),
        ("look", json!({"command": "ls"}), None),
        ("write", json!({"path": "/x", "command": "ls"}), None),
    ]
}

fn kept(world: &World, gate: &dyn Source, id: &str) -> Vec<Value> {
    let records = world.records(gate);
    records.iter().filter(|record| record["call"] == id).map(|record| record["params"].clone()).collect()
}

#[test]
fn of_a_command_that_is_only_logged_the_first_line_is_kept_where_that_is_wanted() {
    for (settings, are_wanted) in [
        (json!({}), false),
        (json!({"summaries": "guarded"}), false),
        (json!({"summaries": "all"}), true),
        (json!({"summaries": "all", "paramsSummaryChars": 0}), false),
    ] {
        let mut world = World::new();
        let gate = world.gate_with("home", &settings);
        for (tool, params, expected) in calls() {
            let (id, answer) = world.try_call(session(&gate, "a"), tool, &params);
            assert_eq!(answer, Answer::Proceed);
            let expected = expected.filter(|_| are_wanted);
            assert_eq!(kept(&world, &gate, &id), [json!(expected)], "{settings} {tool} {params}");
        }
    }
}

/// There a call may be written by whoever decides about others, or later.
#[test]
fn the_same_is_kept_beside_an_event_loop() {
    let world = World::new();
    let gate = Gate::beside_event_loop(options(world.path(), "home", &json!({ "summaries": "all" })));
    for (number, (tool, params, expected)) in calls().into_iter().enumerate() {
        let id = number.to_string();
        let by = session(&gate, "a");
        let answer = gate.before(&call(by, tool, Some(&id)), &params, &gate.machine().now());
        assert_eq!(world.finish(&gate, answer), Answer::Proceed);
        let summaries = || {
            let kept = kept(&world, gate.as_ref(), &id);
            if kept.is_empty() { Err("no line") } else { Ok(kept) }
        };
        assert_eq!(until("its line", summaries), [json!(expected)], "{tool} {params}");
    }
}

#[test]
fn a_rule_that_keeps_parameters_out_of_the_journal_keeps_this_out_too() {
    let mut world = World::new();
    let rules = json!({"rules": [{"name": "quiet", "tier": 1, "tool": "exec", "journalParams": false}]});
    std::fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    let gate = world.gate_with("home", &json!({"summaries": "all"}));
    let (id, _) = world.try_call(session(&gate, "a"), "exec", &json!({"command": "ls"}));
    assert_eq!(kept(&world, &gate, &id), [Value::Null]);
}

/// Whoever sets a secret says it in the call.
#[test]
fn no_shipped_rule_for_a_store_of_secrets_keeps_what_it_is_given() {
    let file: Value = serde_json::from_str(callosum_core::rules::SHIPPED_RULES).unwrap();
    let (mut stores, mut keeping) = (0, vec![]);
    for rule in file["rules"].as_array().unwrap() {
        let keys = rule["contextKey"].to_string() + &rule["formerKeys"].to_string();
        if keys.contains("\"secret:") {
            stores += 1;
            if rule["journalParams"] != json!(false) {
                keeping.push(rule["name"].clone());
            }
        }
    }
    assert!(stores > 20 && keeping.is_empty(), "{stores} {keeping:?}");
}
