//! What was seen and no rule names is counted, and said.

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::query::{Kind, Source};
use callosum_core::rules::{RuleSet, SHIPPED_RULES};
use callosum_testing::gate::options;
use serde_json::{Value, json};

use crate::support::{Session, World, call};

fn shipped() -> World {
    let world = World::new();
    std::fs::write(world.path().join("tiers.json"), r#"{"extends": "default", "rules": []}"#).unwrap();
    world
}

/// What is told: kind, name, calls, verb.
fn told(source: &dyn Source, world: &World) -> Vec<(Kind, String, u64, Option<&'static str>)> {
    let uncovered = source.status(&world.now).uncovered;
    uncovered.into_iter().map(|entry| (entry.kind, entry.name, entry.calls, entry.verb)).collect()
}

fn run(world: &mut World, by: Session<'_>, line: &str) {
    let _ = world.try_call(by, "exec", &json!({ "command": line }));
}

#[test]
fn tools_and_programs_without_a_rule_are_told_with_how_often() {
    let mut world = shipped();
    let gate = world.gate("home");
    let by = Session { gate: &gate, name: "a", run: "r" };
    for _ in 0..3 {
        let _ = world.try_call(by, "acme__triggerIt", &json!({"text": "x"}));
        let _ = world.try_call(by, "acme__look", &json!({}));
        let _ = world.try_call(by, "read", &json!({"path": "x"}));
    }
    run(&mut world, by, "cd app && ./deploy.sh prod | tee log");
    run(&mut world, by, "acme deploy --token hunter2; acme deploy; acme status secret-word");
    run(&mut world, by, "ls; grep -r acme src; git merge main");
    // One in a line that a rule is for.
    run(&mut world, by, "git push origin main && acme publish");
    let expected = vec![
        (Kind::Tool, "acme__triggerIt".to_owned(), 3, Some("trigger")),
        (Kind::Program, "acme deploy".to_owned(), 2, Some("deploy")),
        (Kind::Program, "acme publish".to_owned(), 1, Some("publish")),
        (Kind::Tool, "acme__look".to_owned(), 3, None),
        (Kind::Program, "acme".to_owned(), 1, None),
    ];
    assert_eq!(told(&gate, &world), expected, "not written yet");
    gate.maintain(&world.now);
    assert_eq!(told(&gate, &world), expected);
    assert_eq!(told(&world.view(), &world), expected);
    let status = serde_json::to_value(world.view().status(&world.now)).unwrap();
    let covered =
        |tool: &str| status.pointer(&format!("/coverage/test/{tool}/covered")).and_then(Value::as_bool);
    assert_eq!(
        ["read", "exec", "acme__look", "$ acme"].map(covered),
        [Some(true), Some(true), Some(false), None]
    );
    // Nothing but names, beside what is written of the parameters of calls that are looked at.
    let journal = std::fs::read_to_string(world.journal_path()).unwrap();
    for line in journal.lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("params");
        let record = record.to_string();
        assert!(!record.contains("hunter2") && !record.contains("secret-word"), "{record}");
    }
    assert!(!journal.contains("hunter2"), "{journal}");
}

#[test]
fn what_a_rule_names_since_is_told_no_more() {
    let mut world = shipped();
    let gate = world.gate("home");
    let by = Session { gate: &gate, name: "a", run: "r" };
    let _ = world.try_call(by, "acme__triggerIt", &json!({}));
    run(&mut world, by, "acme deploy; acme publish");
    gate.maintain(&world.now);
    assert_eq!(told(&gate, &world).len(), 3);
    let own = json!({"extends": "default", "rules": [
        {"name": "a", "tier": 3, "tool": "acme__trigger*", "contextKey": "a"},
        {"name": "b", "tier": 3, "tool": "exec", "command": "acme deploy", "contextKey": "b"},
    ]});
    std::fs::write(world.path().join("tiers.json"), own.to_string()).unwrap();
    assert_eq!(told(&world.view(), &world), [(Kind::Program, "acme publish".to_owned(), 1, Some("publish"))]);
}

/// A hook's process carries its counts on the line of the call.
#[test]
fn programs_of_hooks_are_counted_on_the_lines_of_their_calls() {
    let world = shipped();
    for _ in 0..2 {
        let gate = Gate::new(GateOptions {
            runtime: "codex".to_owned(),
            is_hook: true,
            ..options(world.path(), "hooks", &json!({}))
        });
        let by = Session { gate: &gate, name: "a", run: "r" };
        let _ = gate.before(&call(by, "exec", None), &json!({"command": "acme deploy"}), &world.now);
        gate.close(&world.now);
    }
    assert_eq!(told(&world.view(), &world), [(Kind::Program, "acme deploy".to_owned(), 2, Some("deploy"))]);
}

/// What stands where a program was meant may be anything.
#[test]
fn no_secret_is_counted_and_only_so_many_names_are() {
    let mut world = shipped();
    let gate = world.gate("home");
    let by = Session { gate: &gate, name: "a", run: "r" };
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    run(
        &mut world,
        by,
        &format!("{token} send; AKIAIOSFODNN7EXAMPLE; x=hunter2; sk-proj-{}", "Ab1".repeat(12)),
    );
    assert_eq!(told(&gate, &world), []);
    for number in 0..300 {
        run(&mut world, by, &format!("odd{number}"));
    }
    let _ = world.try_call(by, "acme__trigger", &json!({}));
    let told = told(&gate, &world);
    assert_eq!(told.len(), 101);
    assert_eq!(told.first(), Some(&(Kind::Tool, "acme__trigger".to_owned(), 1, Some("trigger"))));
}

/// Every program that the shipped rules name is covered, and what they say of tools holds for their names as they stand.
#[test]
fn what_the_shipped_rules_name_is_covered() {
    let rules = RuleSet::shipped();
    let shipped: Value = serde_json::from_str(SHIPPED_RULES).unwrap();
    let texts = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        list => list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    };
    let mut programs = 0;
    for rule in shipped["rules"].as_array().unwrap() {
        for tool in texts(&rule["tool"]).iter().filter(|tool| !tool.contains(['*', '?'])) {
            assert!(rules.covers_tool(tool), "{tool}");
        }
        for pattern in texts(&rule["command"]) {
            let first = pattern.split(' ').next().unwrap_or_default().to_owned();
            for program in first.split('|').filter(|program| !program.contains(['*', '?', '>', '{'])) {
                assert!(rules.covers_program(program), "{program}");
                programs += 1;
            }
        }
    }
    assert!(programs > 100);
}
