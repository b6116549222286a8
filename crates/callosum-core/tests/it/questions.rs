//! The registry of questions, and the copies of it that the plugin goes by.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use callosum_core::query::{self, Answered, QUESTIONS, Question, Right};
use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};
use serde_json::{Value, json};

use crate::support::World;

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin");
/// Characters of a line.
const LINE: usize = 120;
const MADE_BY: &str = "CALLOSUM_RECORD=1 cargo test -p callosum-core --test it questions";

/// What the plugin goes by: the registry as TypeScript.
fn questions() -> String {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut types = settings.with(|settings| settings.inline_subschemas = true).into_generator();
    let nothing = json_schema!({ "type": "object", "properties": {}, "additionalProperties": false });
    let questions: Value = QUESTIONS
        .iter()
        .map(|question| {
            let Question { name, meaning, right, surfaces, request, .. } = question;
            let request = request.map_or_else(|| nothing.clone(), |request| request(&mut types));
            json!({ "name": name, "meaning": meaning, "right": right, "surfaces": surfaces, "request": request })
        })
        .collect();
    format!(
        "// The questions that are asked by name: a copy of the core's registry (`callosum_core::query::QUESTIONS`), with the JSON schema\n\
         // of what is said with each. Don't edit it: `{MADE_BY}`\n\
         // writes it anew.\n\n\
         export const QUESTIONS = {} as const;\n\n\
         export type Question = (typeof QUESTIONS)[number];\n",
        laid_out(&questions, 0)
    )
}

/// JSON text: what fits on a line stands on one.
fn laid_out(value: &Value, indent: usize) -> String {
    let (plain, deeper) = (value.to_string(), indent + 2);
    let parts: Vec<String> = match value {
        _ if indent + plain.len() <= LINE => return plain,
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("\"{name}\": {}", laid_out(value, deeper))).collect()
        }
        Value::Array(items) => items.iter().map(|item| laid_out(item, deeper)).collect(),
        _ => return plain,
    };
    let [open, close] = if value.is_array() { ["[", "]"] } else { ["{", "}"] };
    let parts: Vec<String> = parts.into_iter().map(|part| format!("{:deeper$}{part}", "")).collect();
    format!("{open}\n{}\n{:indent$}{close}", parts.join(",\n"), "")
}

/// What the answers to the questions are like, for the reference of the gateway's methods and for tests of what reads them.
fn answers() -> String {
    let mut types = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let answers: BTreeMap<&str, Schema> =
        QUESTIONS.iter().map(|question| (question.name, (question.answer)(&mut types))).collect();
    let document = json!({
        "$comment": format!("A copy of the core's registry. Don't edit it: `{MADE_BY}` writes it anew."),
        "answers": answers,
        "$defs": types.take_definitions(true),
    });
    format!("{}\n", laid_out(&document, 0))
}

/// With `CALLOSUM_RECORD=1` it is written instead.
#[test]
fn the_plugin_goes_by_the_registry() {
    for (name, text) in [("src/questions.ts", questions()), ("answers.json", answers())] {
        let path = Path::new(PLUGIN).join(name);
        if std::env::var("CALLOSUM_RECORD").is_ok_and(|record| record == "1") {
            fs::write(&path, &text).unwrap();
        }
        let there = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(there, text, "run this test with CALLOSUM_RECORD=1, and look at the difference");
    }
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

/// Whoever may only read can't change anything by a question: what any source answers only looks, and what ends leases
/// wants the other right.
#[test]
fn who_may_only_read_changes_nothing() {
    let world = World::new();
    let (gate, view) = (world.gate("home"), world.view());
    for Question { name, right, answered, .. } in QUESTIONS {
        assert_eq!(matches!(answered, Answered::ByRelease), *right == Right::Operate, "{name}");
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
        let answer = query::answer(&view, name, &request.to_string(), &world.now).unwrap();
        assert!(serde_json::from_str::<Value>(&answer).unwrap().is_object(), "{name}");
    }
    // To be asked left no trace.
    let names = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["tiers.json"]);
}
