//! Journals of every form that was ever written, in `tests/golden/journals`: beside each stands what a reader makes of it, as
//! JSON. They are read at noon of the 15th of January 2026, in the boot `000000ab`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use callosum_core::gate::Answer;
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use callosum_core::record::{Line, Record};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{World, session};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/journals");
const NOON: Stamp = Stamp { wall_ms: 1_768_478_400_000, up_ms: 5_000_000, boot: Some(0xab) };

/// What a reader makes of a journal.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    /// Parts of the status, by JSON pointer.
    status: BTreeMap<String, Value>,
    /// What a call to a mailbox gets, each asked on its own.
    calls: Vec<Call>,
    /// The stories of mailboxes, in lines.
    stories: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Call {
    session: String,
    tool: String,
    to: String,
    verdict: String,
    #[serde(default)]
    says: Vec<String>,
}

/// The names of the journals.
fn names() -> Vec<String> {
    let files = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        files.filter_map(|file| file.strip_suffix(".jsonl").map(str::to_owned)).collect();
    names.sort();
    names
}

fn file(name: &str, ending: &str) -> PathBuf {
    PathBuf::from(FOLDER).join(format!("{name}.{ending}"))
}

/// A world with this journal, at noon.
fn world(name: &str) -> World {
    let mut world = World::new();
    world.now = NOON;
    fs::copy(file(name, "jsonl"), world.journal_path()).unwrap();
    world
}

fn check_views(name: &str, source: &dyn Source, expected: &Expected) {
    let status = serde_json::to_value(source.status(&NOON)).unwrap();
    for (pointer, value) in &expected.status {
        assert_eq!(status.pointer(pointer), Some(value), "{name}: {pointer} in {status:#}");
    }
    for (to, story) in &expected.stories {
        let told = source.why(&format!("email:{to}@example.com"), &NOON).unwrap().text(&str::to_owned);
        assert_eq!(told.lines().collect::<Vec<_>>(), *story, "{name}: {told}");
    }
}

#[test]
fn a_journal_of_every_form_is_read_as_it_is_written_down() {
    assert_eq!(names(), ["original", "simple", "with-ids", "without-ids"]);
    for name in names() {
        let expected: Expected =
            serde_json::from_str(&fs::read_to_string(file(&name, "json")).unwrap()).unwrap();
        let here = world(&name);
        check_views(&name, &here.view(), &expected);
        for Call { session: who, tool, to, verdict, says } in &expected.calls {
            let mut world = world(&name);
            let gate = world.gate("home");
            let params = json!({ "to": format!("{to}@example.com") });
            let (_, answer) = world.try_call(session(&gate, who), tool, &params);
            let (is, text) = match &answer {
                Answer::Proceed => ("allow", ""),
                Answer::Refuse(text) if text.contains("is held by another call") => ("block", text.as_str()),
                Answer::Refuse(text) => ("pause", text.as_str()),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(is, verdict, "{name}: {who} {tool} {to}: {text}");
            for said in says {
                assert!(text.contains(said), "{name}: {who} {tool} {to}: {said:?} is not in {text}");
            }
            // What is written behind it changes nothing of it.
            let written = fs::read(world.journal_path()).unwrap();
            assert!(written.starts_with(&fs::read(file(&name, "jsonl")).unwrap()), "{name}");
        }
    }
}

/// The index says the same of them as reading them whole.
#[test]
fn a_journal_of_every_form_is_indexed() {
    for name in names() {
        let expected: Expected =
            serde_json::from_str(&fs::read_to_string(file(&name, "json")).unwrap()).unwrap();
        let world = world(&name);
        // Enough that an index is worth it.
        let mut journal = fs::read_to_string(world.journal_path()).unwrap();
        let mut light = Record::new(callosum_core::record::Action::Seen, "home", &NOON);
        light.reason = Some("x".repeat(1_000));
        let line = String::from_utf8(light.to_line().unwrap()).unwrap();
        (0..100).for_each(|_| journal.push_str(&line));
        fs::write(world.journal_path(), journal).unwrap();
        let writer = world.gate("writer");
        writer.presence(
            &callosum_core::gate::Presence {
                session: "s".to_owned(),
                agent: None,
                event: callosum_core::record::SessionEvent::Start,
                reason: None,
                cwd: None,
                needs_trust: false,
            },
            &NOON,
        );
        writer.close(&NOON);
        assert!(world.path().join("journal.index").exists(), "{name}");
        for Call { session: who, tool, to, verdict, .. } in &expected.calls {
            let copy = tempfile::tempdir().unwrap();
            for file in ["journal.jsonl", "journal.index", "tiers.json"] {
                fs::copy(world.path().join(file), copy.path().join(file)).unwrap();
            }
            let mut world = World::new();
            (world.directory, world.now) = (copy, NOON);
            let gate = world.gate("home");
            let params = json!({ "to": format!("{to}@example.com") });
            let (_, answer) = world.try_call(session(&gate, who), tool, &params);
            assert_eq!(
                answer == Answer::Proceed,
                verdict == "allow",
                "{name}: {who} {tool} {to}: {answer:?}"
            );
        }
    }
}

/// What this version reads of its own lines it writes again just so, in the same order.
#[test]
fn lines_of_this_version_are_written_as_they_are_read() {
    for name in ["with-ids", "without-ids"] {
        let text = fs::read_to_string(file(name, "jsonl")).unwrap();
        let mut same = 0;
        for line in text.lines().filter(|line| !line.contains("\"colour\"")) {
            if let Line::Record(record) = Line::read(line.as_bytes()) {
                assert_eq!(record.to_line().unwrap().trim_ascii_end(), line.as_bytes(), "{name}");
                same += 1;
            }
        }
        assert!(same > 15, "{name}: {same}");
    }
}
