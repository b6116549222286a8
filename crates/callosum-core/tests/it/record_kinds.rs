//! The table of record kinds: the documentation says the same, and so do the lines that a gate writes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use callosum_core::decision::history::Who;
use callosum_core::gate::{Gate, Presence, Unreadable};
use callosum_core::model::tier::Tier;
use callosum_core::query::{ActionWord, action_words};
use callosum_core::record::kind::{CALL, EVERY, IndexedAs, Pruning, Spec, View};
use callosum_core::record::outcome::Ended;
use callosum_core::record::{Action, FORMAT_VERSION, Record, SessionEvent, Suspect};
use serde_json::{Value, json};

use crate::support::{World, alice, session};

const FORMAT: &str = include_str!("../../../../docs/format.md");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/page/src/model/record-kinds.ts");
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/journals");

/// The cells of the rows of the table under a heading of `docs/format.md`, its head left out.
fn table(heading: &str) -> Vec<Vec<String>> {
    let section = FORMAT.split_once(&format!("\n### {heading}\n")).unwrap().1;
    let rows =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    rows.skip(2).map(cells).collect()
}

fn code(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn specs() -> impl Iterator<Item = &'static Spec> {
    Action::KNOWN.iter().map(Action::spec)
}

#[test]
fn the_documentation_has_the_same_kinds() {
    let documented = table("Actions");
    let known: Vec<_> =
        specs().map(|kind| [code(&[kind.name]), kind.label.to_owned(), kind.meaning.to_owned()]).collect();
    assert_eq!(documented, known);
}

#[test]
fn the_documentation_says_what_becomes_of_each_kind() {
    let known: Vec<_> = specs()
        .map(|kind| {
            let index = match kind.index {
                IndexedAs::Action => "its keys",
                IndexedAs::Outcome => "its action, and the keys",
                IndexedAs::Sequel => "what it is about",
                IndexedAs::Pause => "its session and keys",
                IndexedAs::Place => "its session",
                IndexedAs::Counts => "what is counted",
                IndexedAs::Standing => "its kind and key",
                IndexedAs::Nothing => "–",
            };
            let pruned = match kind.pruning {
                Pruning::Dropped => "–",
                Pruning::Opened => "in `opened`",
                Pruning::Carried => "written again",
            };
            let evidence = if kind.is_evidence { "yes" } else { "–" };
            let call = if kind.tells_call { "a call's; " } else { "" };
            let fields = format!("{call}{}", code(kind.fields));
            [code(&[kind.name]), evidence.to_owned(), index.to_owned(), pruned.to_owned(), fields]
        })
        .collect();
    assert_eq!(table("Kinds and their fields"), known);
}

#[test]
fn the_documentation_has_the_same_fields() {
    let documented: BTreeSet<String> = table("Fields")
        .iter()
        .flat_map(|row| row[0].split(", ").map(|name| name.trim_matches('`').to_owned()).collect::<Vec<_>>())
        .collect();
    let known: BTreeSet<String> = specs()
        .flat_map(|kind| kind.fields)
        .chain(&EVERY)
        .chain(&CALL)
        .map(|name| (*name).to_owned())
        .collect();
    assert_eq!(documented, known);
}

/// The words of the page's filter, as TypeScript: what the journal keeps for itself nobody looks for there.
fn words_of_the_page() -> String {
    let mut text = String::from(
        "// What a person may look for in the journal: a copy of the core's table of record kinds (`callosum_core::record::kind`). Don't\n\
         // edit it: `CALLOSUM_RECORD=1 cargo test -p callosum-core --test it record_kinds` writes it anew.\n\n\
         /** The words that a filter's `action` may be, and what is shown for each. */\n\
         export const ACTIONS: [string, string][] = [\n",
    );
    for ActionWord { word, label, .. } in action_words().filter(|action| action.view != View::Maintenance) {
        writeln!(text, "  [{}, {}],", json!(word), json!(label)).unwrap();
    }
    text.push_str("];\n");
    text
}

/// With `CALLOSUM_RECORD=1` it is written instead.
#[test]
fn the_page_looks_for_kinds_in_the_words_of_the_table() {
    if std::env::var("CALLOSUM_RECORD").is_ok_and(|record| record == "1") {
        fs::write(PAGE, words_of_the_page()).unwrap();
    }
    let there = fs::read_to_string(PAGE).unwrap();
    assert_eq!(
        there,
        words_of_the_page(),
        "run this test with CALLOSUM_RECORD=1, and look at the difference"
    );
    // Each word is one that a filter knows, and each kind is known by one.
    let words: BTreeSet<&str> = action_words().map(|action| action.word).collect();
    let own = specs().map(|kind| kind.name).filter(|name| !words.contains(name));
    assert_eq!(own.collect::<Vec<_>>(), ["intercept"]);
}

/// Every field of a line is one that its kind may have, and they stand in their order.
fn check(line: &str) {
    let Ok(Value::Object(record)) = serde_json::from_str(line) else { return };
    let action = Action::named(record["action"].as_str().unwrap());
    if record.get("v") != Some(&json!(FORMAT_VERSION)) || matches!(action, Action::Other(_)) {
        return;
    }
    let Spec { tells_call, fields, .. } = action.spec();
    let of_call = if *tells_call { &CALL[..] } else { &[] };
    let may: BTreeSet<&str> = fields.iter().chain(of_call).chain(&EVERY).copied().collect();
    // Earlier lines say it instead of `notDoneCodes`.
    let is = record.keys().map(String::as_str).filter(|name| *name != "simple");
    let others: Vec<&str> = is.filter(|name| !may.contains(name)).collect();
    assert!(others.is_empty(), "{others:?} in {line}");
    // The tier stands before the time.
    let in_order = of_call.iter().skip(1).chain(*fields);
    let places: Vec<_> = in_order.filter_map(|name| line.find(&format!(",\"{name}\":"))).collect();
    assert!(places.is_sorted(), "{line}");
}

fn ended(world: &World, gate: &Gate, tool: &str, id: &str, ended: Ended, exit_code: Option<i64>) {
    world.after(session(gate, "a"), tool, id, ended, exit_code);
}

#[test]
fn a_line_has_only_fields_that_its_kind_may_have() {
    for entry in fs::read_dir(GOLDEN).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            fs::read_to_string(path).unwrap().lines().for_each(check);
        }
    }
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({}));
    let a = session(&gate, "a");
    for (tool, end, code) in [
        ("mail", Ended::Ok, Some(0)),
        ("pay", Ended::Refused, None),
        ("exec", Ended::Ok, Some(127)),
        ("message", Ended::Running, None),
        ("watched", Ended::Killed, None),
        ("write", Ended::Ok, None),
    ] {
        let params = json!({"to": format!("{tool}@example.com"), "path": "/x", "command": "ship it"});
        let (id, _) = world.try_call(a, tool, &params);
        ended(&world, &gate, tool, &id, end, code);
    }
    world.done(a, "mail", &alice());
    world.refused(session(&gate, "b"), "mail", &alice());
    world.done(session(&gate, "b"), "mail", &alice());
    let _ = gate.model_call_started("run", &world.now);
    let (_, _) = world.try_call(session(&gate, "c"), "mail", &alice());
    let _ = gate.model_call_started("run", &world.now);
    let _ = world.try_call(a, "pay", &json!({"to": "open@example.com"}));
    gate.release("email:open@example.com", "operator", &world.now).unwrap();
    for _ in 0..2 {
        // The second time it is renewed.
        let leased = ("email:lease@example.com", Tier::High);
        gate.take_lease((&Who::here("doug", "a"), leased.0), leased.1, "token:ci", &world.now).unwrap();
    }
    gate.presence(
        &Presence {
            session: "a".to_owned(),
            agent: Some("main".to_owned()),
            event: SessionEvent::End,
            reason: Some("logout".to_owned()),
            cwd: Some("/work".to_owned()),
            needs_trust: true,
        },
        &world.now,
    );
    let mine = json!({"path": "/home/me/.callosum/tiers.json"});
    assert!(world.refused(a, "write", &mine).contains("state.protected"));
    let suspect =
        Suspect { seq: 1, instance: "doug".to_owned(), session: "a".to_owned(), tool: "exec".to_owned() };
    gate.context_tampered("/shared/priorities.md", "it was changed", vec![suspect], &world.now);
    gate.unreadable(&Unreadable { session: Some("a"), tool: Some("mail"), why: "torn" }, &world.now);
    let said = [Action::Task, Action::Message, Action::Event].map(|kind| {
        let mut record = Record::new(kind, "doug", &world.now);
        record.key = (record.action != Action::Event).then(|| "a".to_owned());
        record.topic = (record.action == Action::Event).then(|| "calc.discovery".to_owned());
        record.document = Some(json!({ "title": "a" }));
        record
    });
    gate.decide_standing(&Action::Task, &world.now, |_| (said.to_vec(), ())).unwrap();
    // What was known is written anew.
    let before = fs::read_to_string(world.journal_path()).unwrap();
    fs::remove_file(world.journal_path()).unwrap();
    world.pass(10);
    let _ = world.try_call(session(&gate, "d"), "mail", &json!({"to": "zoe@example.com"}));
    gate.close(&world.now);
    let text = before + &fs::read_to_string(world.journal_path()).unwrap();
    text.lines().for_each(check);
    let written: BTreeSet<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["action"].as_str().unwrap().to_owned())
        .collect();
    // Nothing has to be carried on; no segment was full, so none was pruned.
    let missing: Vec<&str> = specs().map(|kind| kind.name).filter(|name| !written.contains(*name)).collect();
    assert_eq!(missing, ["pruned", "carried", "closed"]);
}

/// Every action of tier 2 and up has an attempt of its own, which all that is said of it names, over a loss too; what is
/// below has none.
#[test]
fn what_is_said_of_an_action_names_its_attempt() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    for tool in ["mail", "pay", "message", "write"] {
        world.done(a, tool, &json!({"to": format!("{tool}@example.com"), "path": "/x"}));
    }
    let _ = world.try_call(a, "pay", &alice());
    gate.release("email:alice@example.com", "operator", &world.now).unwrap();
    let before = world.records(&gate);
    fs::remove_file(world.journal_path()).unwrap();
    world.pass(10);
    let _ = world.try_call(session(&gate, "d"), "message", &json!({"to": "zoe@example.com"}));
    let mut attempts = BTreeSet::new();
    for records in [before, world.records(&gate)] {
        let mut starts = 0;
        for start in records.iter().filter(|record| record["action"] == "intercept") {
            let attempt = &start["attempt"];
            assert_eq!(attempt.is_string(), start["tier"].as_u64() >= Some(2), "{start}");
            let about = records.iter().filter(|record| record["of"] == json!([start["seq"]]));
            for record in about.filter(|record| record["action"] != "opened") {
                assert_eq!(record["attempt"], *attempt, "{record}");
                starts += 1;
            }
            attempts.extend(attempt.as_str().map(str::to_owned));
        }
        assert_eq!(starts, 4);
    }
    // Those that were written anew are the same.
    assert_eq!(attempts.len(), 5);
}
