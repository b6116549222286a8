//! A journal that is deleted, cut off or replaced while it is in use: whoever runs notices, says so, and forgets nothing it knew.

use std::fs;

use callosum_core::gate::{Answer, Gate};
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

use crate::support::{World, alice, call, session};

/// What somebody does to the files of a world.
type Lose = fn(&World);

const LOSSES: [(&str, Lose); 7] = [
    ("emptied in place", |world| truncate(world, |_| 0)),
    ("cut off in place", |world| truncate(world, |length| length / 3)),
    ("cut off within its last line", |world| truncate(world, |length| length - 10)),
    ("deleted", |world| fs::remove_file(world.journal_path()).unwrap()),
    ("moved away", |world| fs::rename(world.journal_path(), world.path().join("old.jsonl")).unwrap()),
    ("replaced by another", |world| {
        fs::remove_file(world.journal_path()).unwrap();
        let other = World::new();
        let gate = other.gate("other");
        let zoe = json!({"to": "zoe@example.com"});
        let _ = gate.before(&call(session(&gate, "o"), "message", Some("o")), &zoe, &other.now);
        fs::copy(other.journal_path(), world.journal_path()).unwrap();
    }),
    ("deleted with its directory", |world| {
        let rules = fs::read(world.path().join("tiers.json")).unwrap();
        fs::remove_dir_all(world.path()).unwrap();
        fs::create_dir(world.path()).unwrap();
        fs::write(world.path().join("tiers.json"), rules).unwrap();
    }),
];

fn truncate(world: &World, keep: fn(u64) -> u64) {
    let file = fs::OpenOptions::new().write(true).open(world.journal_path()).unwrap();
    file.set_len(keep(file.metadata().unwrap().len())).unwrap();
}

fn lost(world: &World, source: &dyn Source) -> Value {
    serde_json::to_value(source.status(&world.now)).unwrap()["lost"].clone()
}

fn was_told(gate: &Gate) -> bool {
    gate.take_notices().iter().any(|notice| notice.text.contains("the journal was"))
}

#[test]
fn what_is_under_way_still_blocks_and_what_was_done_still_pauses() {
    for (what, lose) in LOSSES {
        for durability in ["os", "disk"] {
            let mut world = World::new();
            let gate = world.gate_with("doug", &json!({ "durability": durability }));
            let (a, b) = (session(&gate, "a"), session(&gate, "b"));
            world.done(a, "mail", &json!({"to": "bob@example.com"}));
            world.pass(60_000);
            let (id, answer) = world.try_call(a, "pay", &alice());
            assert_eq!(answer, Answer::Proceed, "{what}");
            world.pass(30_000);
            let _ = gate.take_notices();
            lose(&world);

            let text = world.refused(b, "pay", &alice());
            assert!(text.contains("is held by another call") && text.contains("30s ago"), "{what}: {text}");
            assert!(was_told(&gate), "{what}");
            let told = lost(&world, &gate);
            assert!(told["how"].as_str().unwrap().contains("the journal was "), "{what}: {told}");
            assert_eq!(told["instance"], "doug", "{what}");
            // Other processes know it from the journal, with its age, and so does one that only looks.
            let other = world.gate("mira");
            let text = world.refused(session(&other, "c"), "mail", &json!({"to": "bob@example.com"}));
            assert!(text.contains("1m ago") && text.contains("complete"), "{what}: {text}");
            assert_eq!(lost(&world, &other), told, "{what}");
            assert_eq!(lost(&world, &world.view()), told, "{what}");
            // Its end still finds it, and so ends the block.
            world.after(a, "pay", &id, Ended::Ok, None);
            let text = world.refused(session(&other, "c"), "pay", &alice());
            assert!(text.contains("was already acted on") && text.contains("complete"), "{what}: {text}");
            assert_eq!(serde_json::to_value(gate.status(&world.now)).unwrap()["locks"], json!([]), "{what}");
            assert!(!was_told(&gate), "{what}: told once");
        }
    }
}

#[test]
fn what_was_written_anew_is_as_old_as_before_and_falls_out_of_its_window_and_its_lease() {
    for (ms, held, evidence) in [(239_000, true, true), (241_000, false, true), (3_541_000, false, false)] {
        let mut world = World::new();
        let gate = world.gate("doug");
        let a = session(&gate, "a");
        world.done(a, "mail", &json!({"to": "bob@example.com"}));
        let _ = world.try_call(a, "pay", &alice());
        world.pass(60_000);
        truncate(&world, |_| 0);
        world.done(a, "message", &json!({"to": "carol@example.com"}));
        drop(gate);
        let gate = world.gate("mira");
        world.pass(ms);
        let (_, bob) = world.try_call(session(&gate, "b"), "mail", &json!({"to": "bob@example.com"}));
        assert_eq!(matches!(bob, Answer::Refuse(_)), evidence, "{ms}: {bob:?}");
        let (_, pay) = world.try_call(session(&gate, "c"), "pay", &alice());
        let is_held = matches!(&pay, Answer::Refuse(text) if text.contains("is held by another call"));
        assert_eq!(is_held, held, "{ms}: {pay:?}");
    }
}

#[test]
fn every_process_that_had_it_open_adds_what_only_it_knew_and_nothing_twice() {
    let mut world = World::new();
    let (doug, mira) = (world.gate("doug"), world.gate("mira"));
    let to = |name: &str| json!({"to": format!("{name}@example.com")});
    world.done(session(&doug, "a"), "mail", &to("both"));
    // Mira reads it; then Doug does something that she has not read.
    world.done(session(&mira, "b"), "mail", &to("hers"));
    world.done(session(&doug, "a"), "mail", &to("his"));
    fs::remove_file(world.journal_path()).unwrap();
    for (gate, name) in [(&mira, "b"), (&doug, "a"), (&mira, "b"), (&doug, "a")] {
        world.done(session(gate, name), "message", &to("anybody"));
    }
    let about = |key: &str| {
        let anew = |record: &&Value| record["contextKeys"] == json!([format!("email:{key}@example.com")]);
        world.records(&mira).iter().filter(anew).map(|record| record["action"].clone()).collect::<Vec<_>>()
    };
    for key in ["both", "hers", "his"] {
        assert_eq!(about(key), ["intercept", "complete"], "{key}");
    }
    let fresh = world.gate("ann");
    for key in ["both", "hers", "his"] {
        world.refused(session(&fresh, "c"), "mail", &to(key));
    }
}

#[test]
fn a_call_of_any_tier_notices_and_a_new_process_sees_that_something_was_there() {
    for tool in ["read", "write", "message", "mail"] {
        for (what, lose) in LOSSES {
            let mut world = World::new();
            let gate = world.gate("doug");
            world.done(session(&gate, "a"), "mail", &json!({"to": "bob@example.com"}));
            lose(&world);
            // Below tier 2 nobody looks at the path within milliseconds of the last look.
            world.pass(if ["read", "write"].contains(&tool) { 1_000 } else { 0 });
            world.done(session(&gate, "a"), tool, &alice());
            assert!(was_told(&gate), "{tool}, {what}");
            world.refused(session(&world.gate("mira"), "b"), "mail", &json!({"to": "bob@example.com"}));
        }
    }
    for (what, lose) in LOSSES.into_iter().take(5).filter(|(what, _)| !what.starts_with("cut off")) {
        let mut world = World::new();
        {
            let gate = world.gate("doug");
            world.done(session(&gate, "a"), "mail", &alice());
        }
        lose(&world);
        world.pass(11_000);
        let gate = world.gate("mira");
        world.done(session(&gate, "b"), "mail", &alice());
        assert!(was_told(&gate), "{what}");
        assert_eq!(lost(&world, &gate)["instance"], "mira", "{what}");
        // The next new process has nothing to add.
        let next = world.gate("ann");
        world.refused(session(&next, "c"), "mail", &alice());
        assert!(!was_told(&next), "{what}");
        assert_eq!(lost(&world, &next)["instance"], "mira", "{what}");
    }
}

#[test]
fn a_gate_that_asks_nothing_notices_in_its_maintenance_for_others_to_know() {
    for (what, lose) in LOSSES {
        let mut world = World::new();
        let gate = world.gate("doug");
        let (_, answer) = world.try_call(session(&gate, "a"), "pay", &alice());
        assert_eq!(answer, Answer::Proceed);
        lose(&world);
        gate.maintain(&world.now);
        let other = world.gate("mira");
        let text = world.refused(session(&other, "b"), "pay", &alice());
        assert!(text.contains("is held by another call"), "{what}: {text}");
    }
}

#[test]
fn a_journal_that_was_cut_off_and_has_grown_again_is_known_for_another() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &alice());
    truncate(&world, |length| length / 2);
    // Another process goes on behind what is left, until there is more than there was.
    let other = world.gate("mira");
    for name in 0..4 {
        world.done(session(&other, "b"), "mail", &json!({"to": format!("{name}@example.com")}));
    }
    let text = world.refused(session(&gate, "c"), "mail", &alice());
    assert!(text.contains("complete"), "{text}");
    assert!(was_told(&gate));
}

#[test]
fn an_index_of_more_than_there_is_tells_a_new_process_that_the_journal_was_cut_off() {
    let mut world = World::new();
    let gate = world.gate("doug");
    for number in 0..60 {
        world.done(session(&gate, "a"), "mail", &json!({"to": format!("{number}@example.com")}));
    }
    gate.close(&world.now);
    assert!(world.path().join("journal.index").exists());
    truncate(&world, |length| length / 2);
    let gate = world.gate("mira");
    world.done(session(&gate, "b"), "mail", &alice());
    assert!(was_told(&gate));
    assert!(lost(&world, &gate)["how"].as_str().unwrap().contains("was cut off"));
}

/// A hook's process has nothing open; all that it can know of the journal before is in the index.
#[test]
fn a_journal_whose_middle_is_gone_or_that_is_another_of_any_length_is_noticed_by_a_new_process_once() {
    type Lose = fn(&World, &[u8]) -> Vec<u8>;
    let losses: [(&str, Lose); 4] = [
        ("bytes gone in the middle, and grown since", |_, journal| {
            let (head, rest) = journal.split_at(journal.len() / 3);
            [head, &rest[5_000..], &journal[journal.len() - 7_000..]].concat()
        }),
        ("a line gone", |_, journal| {
            let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
            [&lines[..20], &lines[21..], &lines[lines.len() - 5..]].concat().concat()
        }),
        ("a shorter one", |_, journal| {
            journal.split_inclusive(|byte| *byte == b'\n').take(9).collect::<Vec<_>>().concat()
        }),
        ("another one that is longer", |_, journal| {
            let mut other = World::new();
            let gate = other.gate("other");
            while fs::metadata(other.journal_path()).map_or(0, |facts| facts.len()) < 2 * journal.len() as u64
            {
                other.done(
                    session(&gate, "o"),
                    "message",
                    &json!({"to": "zoe@example.com", "body": "x".repeat(200)}),
                );
            }
            fs::read(other.journal_path()).unwrap()
        }),
    ];
    for (what, lose) in losses {
        let mut world = World::new();
        let gate = world.gate("doug");
        for number in 0..60 {
            world.done(session(&gate, "a"), "mail", &json!({"to": format!("{number}@example.com")}));
        }
        gate.close(&world.now);
        assert!(world.path().join("journal.index").exists());
        let journal = fs::read(world.journal_path()).unwrap();
        fs::write(world.journal_path(), lose(&world, &journal)).unwrap();
        for round in 0..3 {
            let gate = world.gate("mira");
            world.done(session(&gate, "b"), "mail", &json!({"to": format!("new{round}@example.com")}));
            assert_eq!(was_told(&gate), round == 0, "{what}, {round}");
            assert!(lost(&world, &gate)["how"].as_str().unwrap().contains("the journal was "), "{what}");
            gate.close(&world.now);
            world.pass(61_000);
        }
        let lines =
            world.records(&world.gate("ann")).iter().filter(|record| record["action"] == "lost").count();
        assert_eq!(lines, 1, "{what}");
    }
}

/// Nothing was lost when the journal went on under other names, or only the index was wrong.
#[test]
fn a_rotation_a_lost_index_and_a_new_journal_are_no_loss() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"journalMaxBytes": 65_536}));
    let idle = world.gate_with("idle", &json!({"journalMaxBytes": 65_536}));
    world.done(session(&idle, "i"), "mail", &alice());
    for number in 0..200 {
        world.done(session(&gate, "a"), "mail", &json!({"to": format!("{number}@example.com")}));
        gate.maintain(&world.now);
    }
    fs::write(world.path().join("journal.index"), "no index").unwrap();
    world.done(session(&idle, "i"), "mail", &json!({"to": "bob@example.com"}));
    world.done(session(&world.gate("new"), "n"), "mail", &json!({"to": "carol@example.com"}));
    for gate in [&gate, &idle] {
        assert!(!was_told(gate));
        assert_eq!(lost(&world, gate), Value::Null);
    }
    assert!(world.records(&gate).iter().all(|record| record["action"] != "lost"));
}

/// Without an index, what is left tells: an end names the position of its start.
#[test]
fn a_line_gone_from_the_middle_is_noticed_without_an_index_where_later_lines_name_each_other() {
    for (gone, is_noticed) in [(3, true), (20, true), (60, true), (120, false)] {
        let mut world = World::new();
        let gate = world.gate("doug");
        for number in 0..60 {
            world.done(session(&gate, "a"), "mail", &json!({"to": format!("{number}@example.com")}));
        }
        drop(gate);
        let text = fs::read_to_string(world.journal_path()).unwrap();
        let left = text.split_inclusive('\n').enumerate().filter(|(number, _)| *number != gone);
        fs::write(world.journal_path(), left.map(|(_, line)| line).collect::<String>()).unwrap();
        for round in 0..2 {
            let gate = world.gate("mira");
            world.done(session(&gate, "b"), "mail", &json!({"to": format!("new{round}@example.com")}));
            assert_eq!(was_told(&gate), is_noticed && round == 0, "{gone}, {round}");
            world.pass(61_000);
        }
    }
}
