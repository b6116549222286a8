//! What stands until something replaces it is found however old it is, and only one of many that take it gets it.

use std::fs;
use std::sync::Barrier;
use std::thread;

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_core::record::{Action, Record};
use serde_json::{Value, json};

use crate::support::{World, session};

/// Settings of a gate that keeps little, and not for long.
fn small() -> Value {
    json!({
        "journalMaxBytes": 1 << 20,
        "recentWindowMs": 1_000,
        "lockExpiryMs": 1_000,
        "retryWindowMs": 1_000,
    })
}

fn task(world: &World, key: &str, state: &str, ended: bool) -> Record {
    let mut record = Record::new(Action::Task, "doug", &world.now);
    record.key = Some(key.to_owned());
    record.ended = ended;
    record.document = Some(json!({ "state": state }));
    record
}

fn write(world: &World, gate: &Gate, records: &[Record]) {
    gate.decide_standing(&Action::Task, &world.now, |_| (records.to_vec(), ())).unwrap();
}

/// State by key, as both a gate and one who only looks see it.
fn states(world: &World, gate: &Gate) -> Vec<(String, String)> {
    let states = |source: &dyn Source| -> Vec<(String, String)> {
        let standing = source.standing(&Action::Task, &world.now).unwrap();
        let state = |record: &Record| record.document.as_ref().unwrap()["state"].as_str().unwrap().to_owned();
        standing.all().map(|(key, stands)| (key.to_owned(), state(&stands.record))).collect()
    };
    let (seen, looked) = (states(gate), states(&world.view()));
    assert_eq!(seen, looked);
    let decided = gate.decide_standing(&Action::Task, &world.now, |standing| {
        (Vec::new(), standing.all().map(|(key, _)| key.to_owned()).collect::<Vec<_>>())
    });
    assert_eq!(decided.unwrap(), seen.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>());
    seen
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(key, state)| ((*key).to_owned(), (*state).to_owned())).collect()
}

/// So many calls of tier 1 and, now and then, of tier 2.
fn calls(world: &mut World, gate: &Gate, count: usize) {
    let by = session(gate, "busy");
    for number in 0..count {
        let tool = if number % 100 == 0 { "message" } else { "write" };
        let params = json!({ "path": "/tmp/x", "to": format!("{number}@example.com") });
        let (id, _) = world.try_call(by, tool, &params);
        if number % 100 == 0 {
            world.after(by, tool, &id, Ended::Ok, None);
        }
        world.pass(10);
        if number % 1_000 == 999 {
            gate.maintain(&world.now);
        }
    }
}

#[test]
fn the_newest_record_of_a_key_stands_until_one_says_that_it_ended() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &small());
    write(&world, &gate, &[task(&world, "a", "open", false), task(&world, "b", "open", false)]);
    write(&world, &gate, &[task(&world, "a", "claimed", false)]);
    write(&world, &gate, &[task(&world, "c", "open", false), task(&world, "b", "completed", true)]);
    let expected = pairs(&[("a", "claimed"), ("c", "open")]);
    assert_eq!(states(&world, &gate), expected);
    let newest = |key: &str| world.view().newest_on(&Action::Task, key, &world.now).unwrap();
    assert!(newest("b").unwrap().record.ended && newest("x").is_none());

    // Behind an index, in another process, and where the index begins later than they were written.
    calls(&mut world, &gate, 2_000);
    gate.close(&world.now);
    assert!(world.path().join("journal.index").exists());
    let other = world.gate_with("doug", &small());
    assert_eq!(states(&world, &other), expected);
    write(&world, &other, &[task(&world, "c", "claimed", false), task(&world, "d", "open", false)]);
    let expected = pairs(&[("a", "claimed"), ("c", "claimed"), ("d", "open")]);
    assert_eq!(states(&world, &other), expected);
    calls(&mut world, &other, 2_000);
    other.close(&world.now);
    fs::remove_file(world.path().join("journal.index")).unwrap();
    let third = world.gate_with("doug", &small());
    assert_eq!(states(&world, &third), expected);
    calls(&mut world, &third, 2_000);
    third.close(&world.now);
    let last = world.gate_with("doug", &small());
    assert_eq!(states(&world, &last), expected);
    assert_eq!(
        world.view().newest_on(&Action::Task, "a", &world.now).unwrap().unwrap().record.document,
        Some(json!({ "state": "claimed" }))
    );
}

#[test]
fn an_open_task_is_there_after_a_hundred_thousand_calls_under_a_journal_of_a_mebibyte() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &small());
    let made = world.now;
    write(&world, &gate, &[task(&world, "kept", "open", false), task(&world, "done", "open", false)]);
    write(&world, &gate, &[task(&world, "done", "completed", true)]);
    calls(&mut world, &gate, 100_000);
    assert_eq!(states(&world, &gate), pairs(&[("kept", "open")]));
    let record = gate.newest_on(&Action::Task, "kept", &world.now).unwrap().unwrap().record;
    assert_eq!((record.action.name(), record.of.len()), ("carried", 1));
    assert_eq!(record.happened().age_ms(&world.now), made.age_ms(&world.now));
    // The journal was pruned all the while, and who comes anew finds it, too.
    let bytes: u64 = fs::read_dir(world.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_str().unwrap().ends_with(".jsonl"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum();
    assert!(bytes < 2 << 20, "{bytes}");
    gate.close(&world.now);
    let other = world.gate_with("doug", &small());
    write(&world, &other, &[task(&world, "kept", "claimed", false)]);
    assert_eq!(states(&world, &other), pairs(&[("kept", "claimed")]));
}

#[test]
fn what_stands_is_not_written_again_and_again_where_it_fills_the_journal() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &small());
    let text = "x".repeat(2_000);
    for number in 0..1_000 {
        let mut record = task(&world, &format!("{number:04}"), "open", false);
        record.document = Some(json!({ "state": "open", "prompt": text }));
        write(&world, &gate, &[record]);
    }
    calls(&mut world, &gate, 30_000);
    assert_eq!(states(&world, &gate).len(), 1_000);
    let carried = || -> usize {
        let text = |path| fs::read_to_string(path).unwrap();
        let files = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().path());
        files
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .map(|path| text(path).matches("\"action\":\"carried\"").count())
            .sum()
    };
    assert!(carried() <= 1_000, "{}", carried());
}

#[test]
fn a_hooks_process_carries_on_few_and_leaves_many_to_others() {
    for (count, is_pruned) in [(64, true), (65, false)] {
        let mut world = World::new();
        let mut roomy = small();
        roomy["journalMaxBytes"] = json!(4 << 20);
        let gate = world.gate_with("doug", &roomy);
        let open: Vec<Record> =
            (0..count).map(|number| task(&world, &format!("{number:02}"), "open", false)).collect();
        write(&world, &gate, &open);
        calls(&mut world, &gate, 8_000);
        gate.close(&world.now);
        let oldest = world.view().following(0, &world.now).unwrap().oldest;
        let mut settings = small();
        settings["stateDir"] = json!(world.path().to_str().unwrap());
        let hook = Gate::new(GateOptions {
            settings: settings.to_string(),
            runtime: "test".to_owned(),
            home: world.path().to_owned(),
            is_hook: true,
            ..GateOptions::default()
        });
        for _ in 0..200 {
            world.done(session(&hook, "b"), "write", &json!({ "path": "/tmp/y" }));
        }
        hook.close(&world.now);
        let after = world.view().following(0, &world.now).unwrap().oldest;
        assert_eq!((oldest, after > oldest), (0, is_pruned), "{count}");
        assert_eq!(states(&world, &world.gate_with("doug", &roomy)).len(), count);
    }
}

#[test]
fn one_of_many_that_take_the_same_at_once_gets_it() {
    let world = World::new();
    let gate = world.gate("doug");
    let open: Vec<Record> =
        (0..20).map(|number| task(&world, &format!("{number:02}"), "open", false)).collect();
    write(&world, &gate, &open);
    let start = Barrier::new(8);
    let won: Vec<Vec<String>> = thread::scope(|scope| {
        let takers: Vec<_> = (0..8)
            .map(|taker| {
                let (world, start) = (&world, &start);
                scope.spawn(move || {
                    let gate = world.gate(&format!("taker{taker}"));
                    start.wait();
                    let mut won = Vec::new();
                    loop {
                        let taken = gate.decide_standing(&Action::Task, &world.now, |standing| {
                            let next = standing.all().find(|(_, stands)| {
                                stands.record.document.as_ref().unwrap()["state"] == "open"
                            });
                            let Some((key, _)) = next else { return (Vec::new(), None) };
                            (vec![task(world, key, "claimed", false)], Some(key.to_owned()))
                        });
                        match taken.unwrap() {
                            Some(key) => won.push(key),
                            None => return won,
                        }
                    }
                })
            })
            .collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).collect()
    });
    let mut all: Vec<String> = won.into_iter().flatten().collect();
    all.sort();
    assert_eq!(all, (0..20).map(|number| format!("{number:02}")).collect::<Vec<_>>());
}

#[test]
fn of_several_records_on_a_key_that_are_written_at_once_the_last_stands() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &small());
    write(&world, &gate, &[task(&world, "a", "open", false)]);
    let lost_and_taken = [task(&world, "a", "lost", false), task(&world, "a", "claimed", false)];
    write(&world, &gate, &lost_and_taken);
    write(&world, &gate, &[task(&world, "a", "completed", true)]);
    calls(&mut world, &gate, 10_000);
    // No index leads to what was replaced, and nobody carries it on.
    assert_eq!(states(&world, &gate), []);
    gate.close(&world.now);
    let other = world.gate_with("doug", &small());
    assert_eq!(states(&world, &other), []);
}
