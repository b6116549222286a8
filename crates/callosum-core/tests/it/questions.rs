//! The registry of questions, and the copy of it that the plugin goes by.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use callosum_core::query::{self, Answered, QUESTIONS, Question, Right};
use serde_json::{Value, json};

use crate::support::World;

const COPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/src/questions.ts");

/// The registry as TypeScript.
fn copy() -> String {
    let mut text = String::from(
        "// The questions that are asked by name: a copy of the core's registry (`callosum_core::query::QUESTIONS`). Don't edit it:\n\
         // `CALLOSUM_RECORD=1 cargo test -p callosum-core --test it questions` writes it anew.\n\n\
         export const QUESTIONS = [\n",
    );
    for Question { name, right, surfaces, .. } in QUESTIONS {
        let surfaces: Vec<String> = surfaces.iter().map(|surface| json!(surface).to_string()).collect();
        let (right, surfaces) = (json!(right), surfaces.join(", "));
        writeln!(text, "  {{ name: \"{name}\", right: {right}, surfaces: [{surfaces}] }},").unwrap();
    }
    text.push_str("] as const;\n\nexport type Question = (typeof QUESTIONS)[number];\n");
    text
}

/// With `CALLOSUM_RECORD=1` it is written instead.
#[test]
fn the_plugin_goes_by_the_registry() {
    if std::env::var("CALLOSUM_RECORD").is_ok_and(|record| record == "1") {
        fs::write(COPY, copy()).unwrap();
    }
    let there = fs::read_to_string(Path::new(COPY)).unwrap();
    assert_eq!(there, copy(), "run this test with CALLOSUM_RECORD=1, and look at the difference");
}

#[test]
fn every_question_has_one_name_and_is_offered_somewhere() {
    let names: BTreeSet<&str> = QUESTIONS.iter().map(|question| question.name).collect();
    assert_eq!(names.len(), QUESTIONS.len());
    for question in QUESTIONS {
        assert!(question.name.bytes().all(|byte| byte.is_ascii_lowercase()), "{}", question.name);
        assert!(!question.surfaces.is_empty(), "{}", question.name);
        assert!(question.surfaces.iter().all(|surface| question.is_offered(*surface)));
        assert_eq!(Question::named(question.name).map(|known| known.name), Some(question.name));
    }
}

/// Whoever may only read can't change anything by a question: what any source answers only looks, and what a gate alone answers
/// wants the other right.
#[test]
fn who_may_only_read_changes_nothing() {
    let world = World::new();
    let (gate, observer) = (world.gate("home"), world.observer());
    for Question { name, right, answered, .. } in QUESTIONS {
        assert_eq!(matches!(answered, Answered::ByGate), *right == Right::Operate, "{name}");
        if *right == Right::Operate {
            let request = json!({ "key": "email:alice@example.com" }).to_string();
            assert_eq!(query::answer(&gate, name, &request, &world.now).unwrap_err().code, "bad-request");
            continue;
        }
        let now = world.now.wall_ms;
        let request = match *name {
            "why" => json!({ "key": "email:alice@example.com" }),
            "explain" => json!({ "tool": "mail", "params": { "to": "alice@example.com" } }),
            "timeline" => json!({ "from": 0, "to": now }),
            "tally" => json!({ "from": now - 1_000, "to": now, "bucketMs": 100 }),
            _ => json!({}),
        };
        let answer = query::answer(&observer, name, &request.to_string(), &world.now).unwrap();
        assert!(serde_json::from_str::<Value>(&answer).unwrap().is_object(), "{name}");
    }
    // To be asked left no trace.
    let names = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["tiers.json"]);
}
