//! A closed segment that is deleted, cut or replaced: whoever runs notices, says so once, and forgets nothing it knew. Pruning is
//! none of that.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use callosum_core::gate::{Answer, Gate};
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::mishaps::{Mishap, Mishaps};
use callosum_testing::gate::options;
use serde_json::{Value, json};

use crate::support::{World, alice, call, session};

/// What somebody does to one of these closed segments, oldest first.
type Lose = fn(&[PathBuf], usize);

const LOSSES: [(&str, Lose); 7] = [
    ("deleted", |closed, which| fs::remove_file(&closed[which]).unwrap()),
    ("emptied", |closed, which| fs::write(&closed[which], "").unwrap()),
    ("cut off", |closed, which| without(closed, which, |count| count / 2..count)),
    ("without its last line", |closed, which| without(closed, which, |count| count - 1..count)),
    ("without a line in its middle", |closed, which| without(closed, which, |_| 7..8)),
    ("replaced by a copy of another", |closed, which| {
        fs::copy(&closed[(which + 1) % closed.len()], &closed[which]).map(drop).unwrap();
    }),
    ("replaced by a longer file", |closed, which| {
        fs::write(&closed[which], "nothing\n".repeat(9_000)).unwrap();
    }),
];

/// What is left of a segment without the lines from one to another.
fn without(closed: &[PathBuf], which: usize, lines: impl Fn(usize) -> Range<usize>) {
    let text = fs::read_to_string(&closed[which]).unwrap();
    let gone = lines(text.lines().count());
    let left = text.split_inclusive('\n').enumerate().filter(|(number, _)| !gone.contains(number));
    fs::write(&closed[which], left.map(|(_, line)| line).collect::<String>()).unwrap();
}

fn small() -> Value {
    json!({"journalMaxBytes": 65_536})
}

fn to(name: &str) -> Value {
    json!({"to": format!("{name}@example.com")})
}

/// The closed segments, oldest first.
fn closed(world: &World) -> Vec<PathBuf> {
    let names = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let base = |name: std::ffi::OsString| -> Option<u64> {
        name.to_str()?.strip_prefix("journal.")?.strip_suffix(".jsonl")?.parse().ok()
    };
    let mut bases: Vec<u64> = names.filter_map(base).collect();
    bases.sort_unstable();
    bases.into_iter().map(|base| world.path().join(format!("journal.{base}.jsonl"))).collect()
}

/// Mails `bob0` … and goes on until there are so many closed segments, each with mails of its own, and a payment to Alice is
/// under way that stands in the first. Returns the payment's call, and how many mails there were.
fn fill(world: &mut World, gate: &Gate, segments: usize) -> (String, usize) {
    let (id, answer) = world.try_call(session(gate, "a"), "pay", &alice());
    assert_eq!(answer, Answer::Proceed);
    let mut mails = 0;
    while closed(world).len() < segments {
        world.done(session(gate, "a"), "mail", &to(&format!("bob{mails}")));
        mails += 1;
        gate.maintain(&world.now);
    }
    let _ = gate.take_notices();
    (id, mails)
}

fn lost(world: &World, source: &dyn Source) -> Value {
    serde_json::to_value(source.status(&world.now)).unwrap()["lost"].clone()
}

fn was_told(gate: &Gate) -> bool {
    gate.take_notices().iter().any(|notice| notice.text.contains("the journal was"))
}

fn told_lines(world: &World) -> usize {
    let text = fs::read_to_string(world.journal_path()).unwrap();
    text.lines().filter(|line| line.contains(r#""action":"lost""#)).count()
}

#[test]
fn what_is_under_way_still_blocks_and_what_was_done_still_pauses() {
    for (what, lose) in LOSSES {
        for which in 0..3 {
            let mut world = World::new();
            let gate = world.gate_with("doug", &small());
            let (id, mails) = fill(&mut world, &gate, 3);
            lose(&closed(&world), which);
            let text = world.refused(session(&gate, "b"), "pay", &alice());
            assert!(text.contains("is held by another call"), "{what}, {which}: {text}");
            assert!(was_told(&gate), "{what}, {which}");
            let told = lost(&world, &gate);
            assert_eq!(told["instance"], "doug", "{what}, {which}");
            // Others know it all from the journal.
            let other = world.gate_with("mira", &small());
            for number in 0..mails {
                let text = world.refused(session(&other, "c"), "mail", &to(&format!("bob{number}")));
                assert!(text.contains("complete"), "{what}, {which}, {number}: {text}");
            }
            assert_eq!(lost(&world, &other), told, "{what}, {which}");
            assert_eq!(lost(&world, &world.view()), told, "{what}, {which}");
            world.after(session(&gate, "a"), "pay", &id, Ended::Ok, None);
            let text = world.refused(session(&other, "c"), "pay", &alice());
            assert!(text.contains("was already acted on") && text.contains("complete"), "{what}: {text}");
            assert!(!was_told(&gate) && !was_told(&other), "{what}, {which}: told once");
        }
    }
}

#[test]
fn a_new_process_tells_it_once_whatever_it_starts_from() {
    for (what, lose) in LOSSES {
        for (which, is_indexed) in [(0, false), (1, false), (2, false), (0, true), (1, true), (2, true)] {
            let mut world = World::new();
            let gate = world.gate_with("doug", &small());
            fill(&mut world, &gate, 3);
            gate.close(&world.now);
            let index = world.path().join("journal.index");
            assert!(index.exists());
            if !is_indexed {
                fs::remove_file(index).unwrap();
            }
            lose(&closed(&world), which);
            let looks = lost(&world, &world.view());
            assert!(looks["how"].as_str().unwrap().contains("closed segments"), "{what}, {which}: {looks}");
            for (round, name) in ["mira", "ann", "joe"].into_iter().enumerate() {
                let gate = world.gate_with(name, &small());
                world.done(session(&gate, "b"), "mail", &to(name));
                assert_eq!(was_told(&gate), round == 0, "{what}, {which}, {name}, {is_indexed}");
                assert_eq!(lost(&world, &gate)["instance"], "mira", "{what}, {which}");
                gate.close(&world.now);
                world.pass(61_000);
            }
            assert_eq!(told_lines(&world), 1, "{what}, {which}, {is_indexed}");
        }
    }
}

#[test]
fn what_is_there_still_counts_for_a_new_process() {
    for (what, lose) in LOSSES {
        for is_indexed in [false, true] {
            let mut world = World::new();
            let gate = world.gate_with("doug", &small());
            let (_, mails) = fill(&mut world, &gate, 3);
            let lines = fs::read_to_string(&closed(&world)[1]).unwrap();
            gate.close(&world.now);
            if !is_indexed {
                fs::remove_file(world.path().join("journal.index")).unwrap();
            }
            lose(&closed(&world), 1);
            let gate = world.gate_with("mira", &small());
            for number in 0..mails {
                let name = format!("bob{number}");
                if !lines.contains(&format!("email:{name}@")) {
                    world.refused(session(&gate, "b"), "mail", &to(&name));
                }
            }
            world.refused(session(&gate, "b"), "pay", &alice());
            assert!(was_told(&gate), "{what}");
        }
    }
}

#[test]
fn every_process_that_had_it_open_adds_what_only_it_knew() {
    let mut world = World::new();
    let (doug, mira) = (world.gate_with("doug", &small()), world.gate_with("mira", &small()));
    fill(&mut world, &doug, 1);
    // Mira has read the first segment alone, Doug all.
    world.done(session(&mira, "m"), "message", &to("zoe"));
    fill_on(&mut world, &doug);
    fill_on(&mut world, &doug);
    for path in &closed(&world)[..2] {
        fs::remove_file(path).unwrap();
    }
    let fresh = world.gate_with("ann", &small());
    world.done(session(&fresh, "n"), "mail", &to("ann"));
    for gate in [&mira, &doug] {
        world.pass(61_000);
        gate.maintain(&world.now);
        assert!(was_told(gate));
    }
    let fresh = world.gate_with("joe", &small());
    for name in ["bob0", "bob9"] {
        world.refused(session(&fresh, "j"), "mail", &to(name));
    }
    assert!(!was_told(&fresh));
    // What Mira had not read, Doug had.
    assert!(records_on(&world, "on0") && records_on(&world, "zoe"));
    for gate in [&mira, &doug] {
        gate.maintain(&world.now);
        assert!(!was_told(gate));
    }
}

/// Whether the journal has an action on somebody.
fn records_on(world: &World, name: &str) -> bool {
    let mut files = closed(world).into_iter().chain([world.journal_path()]);
    files.any(|path| fs::read_to_string(path).unwrap().contains(&format!("email:{name}@")))
}

/// Takes from a journal what versions before this one did not say: how far was pruned.
fn as_before(world: &World) {
    for path in closed(world).into_iter().chain([world.journal_path()]) {
        let text = fs::read_to_string(&path).unwrap();
        let line = text.lines().next().unwrap();
        let (head, rest) = line.split_once("\"of\":[").unwrap();
        let (of, rest) = rest.split_once(']').unwrap();
        let base = of.split(',').next().unwrap();
        let line = format!("{head}\"of\":[{base:<width$}]{rest}", width = of.len());
        fs::write(&path, text.replacen(text.lines().next().unwrap(), &line, 1)).unwrap();
    }
}

#[test]
fn what_was_pruned_is_not_missed() {
    for is_of_before in [false, true] {
        let mut world = World::new();
        let gate = world.gate_with("doug", &small());
        let idle = world.gate_with("idle", &small());
        fill(&mut world, &gate, 3);
        if is_of_before {
            as_before(&world);
        }
        world.done(session(&idle, "i"), "message", &to("zoe"));
        // All before this is out of every window.
        world.pass(2 * 3_600_000);
        let before = closed(&world);
        fill(&mut world, &gate, 9);
        world.pass(2 * 3_600_000);
        fill_on(&mut world, &gate);
        gate.maintain(&world.now);
        let left = closed(&world);
        assert!(!left.contains(&before[0]), "{left:?}");
        // One whose rules look back further than anybody's did.
        let far = world.gate_with("far", &json!({"recentWindowMs": 86_400_000, "journalMaxBytes": 65_536}));
        let fresh = world.gate_with("ann", &small());
        for gate in [&gate, &idle, &far, &fresh] {
            assert_eq!(lost(&world, gate), Value::Null);
            assert!(!was_told(gate));
        }
        assert_eq!(lost(&world, &world.view()), Value::Null);
        // Who was killed between the note and the deletion leaves it to others.
        fs::write(&before[0], "{}\n").unwrap();
        let late = world.gate_with("late", &json!({"recentWindowMs": 86_400_000}));
        for source in [&late as &dyn Source, &world.view()] {
            assert_eq!(lost(&world, source), Value::Null);
        }
        // What was not pruned is missed.
        fs::remove_file(left.last().unwrap()).unwrap();
        world.done(session(&fresh, "n"), "mail", &to("ann"));
        assert!(was_told(&fresh), "{is_of_before}");
    }
}

/// Closes one more segment.
fn fill_on(world: &mut World, gate: &Gate) {
    let last = closed(world).pop();
    let mut number = 0;
    while closed(world).pop() == last {
        world.done(session(gate, "a"), "message", &to(&format!("on{number}")));
        number += 1;
        gate.maintain(&world.now);
    }
}

#[test]
fn a_journal_of_before_is_watched_from_its_next_segment_on() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &small());
    fill(&mut world, &gate, 2);
    gate.close(&world.now);
    as_before(&world);
    fs::remove_file(world.path().join("journal.index")).unwrap();
    fs::remove_file(&closed(&world)[0]).unwrap();
    // Nobody can tell that from pruning.
    let gate = world.gate_with("mira", &small());
    world.done(session(&gate, "b"), "mail", &to("ann"));
    assert!(!was_told(&gate));
    fill_on(&mut world, &gate);
    fs::remove_file(&closed(&world)[0]).unwrap();
    let gate = world.gate_with("joe", &small());
    world.done(session(&gate, "b"), "mail", &to("joe"));
    assert!(was_told(&gate));
}

#[test]
fn what_is_out_of_every_window_is_not_missed() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &small());
    fill(&mut world, &gate, 2);
    world.pass(2 * 3_600_000);
    fill_on(&mut world, &gate);
    world.pass(60_000);
    fs::remove_file(&closed(&world)[0]).unwrap();
    for gate in [&gate, &world.gate_with("mira", &small())] {
        world.done(session(gate, "b"), "mail", &to(&format!("late{}", world.now.wall_ms)));
        world.pass(1_000);
        assert!(!was_told(gate));
    }
}

/// Two processes write it anew, and the disk of the first fails in between.
#[test]
fn what_is_written_anew_is_there_once_wherever_the_disk_fails() {
    for (fails_at, kind) in (0..24).map(|at| (at, at % 3)) {
        let mut world = World::new();
        let disk = TestDisk::<Mishaps>::default();
        let doug = Gate::on_disk(options(world.path(), "doug", &small()), Arc::new(disk.clone()));
        let mira = world.gate_with("mira", &small());
        let (_, mails) = fill(&mut world, &doug, 2);
        world.done(session(&mira, "m"), "message", &to("zoe"));
        fs::remove_file(&closed(&world)[0]).unwrap();
        let mishap = match kind {
            0 => Mishap::Fails(io::ErrorKind::StorageFull),
            1 => Mishap::Takes(0),
            _ => Mishap::Takes(30),
        };
        // The last of them comes first.
        disk.writes.lock().unwrap().extend([mishap].into_iter().chain(vec![Mishap::None; fails_at]));
        let _ = world.try_call(session(&doug, "d"), "pay", &alice());
        world.refused(session(&mira, "m"), "pay", &alice());
        let _ = world.try_call(session(&doug, "d"), "pay", &alice());
        world.refused(session(&mira, "m"), "pay", &alice());
        let fresh = world.gate_with("ann", &small());
        world.refused(session(&fresh, "n"), "pay", &alice());
        let records = world.records(&fresh);
        for number in 0..mails {
            let name = format!("bob{number}");
            world.refused(session(&fresh, "n"), "mail", &to(&name));
            let key = json!([format!("email:{name}@example.com")]);
            let about = records.iter().filter(|record| record["contextKeys"] == key);
            let actions: Vec<&Value> = about.map(|record| &record["action"]).collect();
            assert_eq!(actions, ["intercept", "complete"], "{fails_at}, {name}");
        }
    }
}

/// Several processes close and prune segments all the while.
#[test]
fn what_others_close_and_prune_meanwhile_is_no_loss() {
    let mut world = World::new();
    let passed = AtomicU64::new(0);
    // The guard's file has the machine's time: who begins the journal must not be of a later one.
    let first = world.gate_with("joe", &small());
    world.done(session(&first, "s"), "mail", &to("joe"));
    first.close(&world.now);
    let (world, passed) = (&world, &passed);
    let process = |name: &str| {
        for number in 0..120 {
            // Each call is a process of its own now and then.
            let gate = world.gate_with(name, &small());
            for more in 0..3 {
                let now = world.now.plus_ms(passed.fetch_add(20_000, Ordering::Relaxed));
                let by = session(&gate, "s");
                let to = json!({"to": format!("{name}{number}-{more}@example.com"), "body": "x".repeat(500)});
                let answer = gate.before(&call(by, "mail", Some("c")), &to, &now);
                if let Answer::Wait(ticket) = answer {
                    let _ = gate.finish(ticket, &now);
                }
                gate.maintain(&now);
            }
            let now = world.now.plus_ms(passed.load(Ordering::Relaxed));
            let view = serde_json::to_value(world.view().status(&now)).unwrap();
            assert_eq!(view["lost"], Value::Null, "{name}, {number}");
            assert!(!was_told(&gate), "{name}, {number}");
            gate.close(&now);
        }
    };
    thread::scope(|scope| {
        for name in ["doug", "mira", "ann"] {
            scope.spawn(move || process(name));
        }
    });
    assert!(!world.path().join("journal.0.jsonl").exists() && closed(world).len() > 2);
}
