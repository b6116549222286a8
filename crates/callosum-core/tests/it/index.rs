//! The index changes what is read, never what is decided.

use std::fs;

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions, Ran};
use callosum_core::model::tier::Tier;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_shell::ExitCodes;
use callosum_testing::gate::options;
use serde_json::{Value, json};

use crate::support::{World, call, report, session};

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

const SESSIONS: [&str; 3] = ["a", "b", "c"];
const PEOPLE: u64 = 40;

fn to(person: u64) -> Value {
    json!({"to": format!("p{person}@example.com"), "body": "x".repeat(300)})
}

/// One step of a busy machine: a call that is allowed, paused, finished or not, rewritten, or running on.
fn step(world: &mut World, gates: &[Gate], dice: &mut Dice, running: &mut Vec<(usize, EndReport)>) {
    let place = usize::try_from(dice.roll(gates.len() as u64)).unwrap();
    let by = session(&gates[place], SESSIONS[usize::try_from(dice.roll(3)).unwrap()]);
    let tool = ["message", "message", "mail", "push", "pay"][usize::try_from(dice.roll(5)).unwrap()];
    let (id, answer) = world.try_call(by, tool, &to(dice.roll(PEOPLE)));
    let mut end = report(by, tool, Some(&id), Ended::Ok, None);
    match (answer, dice.roll(8)) {
        (Answer::Refuse(_), _) => {
            end.ended = Ended::Refused;
            world.pass(600);
        }
        (_, 0) => return,
        (_, 1) => {
            end.ended = Ended::Running;
            end.process = Some(format!("fox-{id}"));
            running.push((place, EndReport { ended: Ended::Killed, ..end.clone() }));
        }
        (_, 2) => end.ended = Ended::Error,
        (_, 3) => end.ended = Ended::TimedOut,
        (_, 4) => {
            let keys = vec![format!("email:p{}@example.com", dice.roll(PEOPLE))];
            end.ran = Some(Ran {
                tier: Tier::High,
                keys,
                digest: "other".to_owned(),
                not_done_codes: ExitCodes::default(),
            });
        }
        _ => {}
    }
    let answer = by.gate.after(&end, &world.now);
    let _ = world.finish(by.gate, answer);
    if dice.roll(20) == 0
        && let Some((place, end)) = running.pop()
    {
        let process = end.process.unwrap_or_default();
        let answer = gates[place].process_ended(&process, end.ended, None, &world.now);
        let _ = world.finish(&gates[place], answer);
    }
    world.pass(dice.roll(4_000));
}

/// What every session would be answered about everybody, by a process that has just come.
fn answers(world: &World, directory: &std::path::Path) -> Vec<String> {
    let gate = world.gate_with("doug", &json!({"stateDir": directory.to_str().unwrap()}));
    let mut answers = Vec::new();
    for person in 0..PEOPLE {
        for (name, tool) in [("a", "mail"), ("b", "push"), ("c", "pay"), ("new", "mail")] {
            let answer = world.before(session(&gate, name), tool, &format!("{name}{person}"), &to(person));
            answers.push(format!("{person} {name}: {answer:?}"));
        }
    }
    answers
}

fn copy(world: &World, name: &str) -> std::path::PathBuf {
    let target = world.path().join(name);
    fs::create_dir(&target).unwrap();
    for entry in fs::read_dir(world.path()).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
        }
    }
    target
}

#[test]
fn a_busy_machine_is_seen_alike_with_the_index_and_without() {
    let mut world = World::new();
    let small = json!({"journalMaxBytes": 1_048_576});
    let gates = [world.gate_with("doug", &small), world.gate_with("mira", &small)];
    let (mut dice, mut running) = (Dice(7), Vec::new());
    let mut checked = 0;
    for number in 0..2_400 {
        step(&mut world, &gates, &mut dice, &mut running);
        if number % 50 == 0 {
            gates[number / 50 % 2].maintain(&world.now);
        }
        if number % 300 == 299 {
            let with = copy(&world, &format!("with-{number}"));
            let without = copy(&world, &format!("without-{number}"));
            checked += usize::from(fs::remove_file(without.join("journal.index")).is_ok());
            let (with, without) = (answers(&world, &with), answers(&world, &without));
            for (with, without) in with.iter().zip(&without) {
                assert_eq!(with, without, "after {number} steps");
            }
            assert!(with.iter().any(|answer| answer.contains("Refuse")));
            assert!(with.iter().any(|answer| answer.contains("Proceed")));
        }
    }
    assert!(checked >= 6, "an index was there {checked} times");
}

#[test]
fn an_index_of_another_journal_is_not_used() {
    let mut world = World::new();
    let gate = world.gate("doug");
    for person in 0..300 {
        let _ = world.try_call(session(&gate, "a"), "mail", &to(person));
    }
    gate.close(&world.now);
    let mut other = World::new();
    other.now = world.now;
    fs::copy(world.path().join("journal.index"), other.path().join("journal.index")).unwrap();
    let fresh = other.gate("doug");
    other.done(session(&fresh, "b"), "mail", &to(7));
    other.refused(session(&fresh, "c"), "mail", &to(7));
}

/// What a pause lists besides is looked for only when it is known that there is one.
#[test]
fn a_call_is_planned_again_where_the_index_leads_astray_once_it_is_planned() {
    let mut world = World::new();
    let gate = world.gate("doug");
    for person in 0..300 {
        let _ = world.try_call(session(&gate, "a"), "mail", &to(person));
    }
    gate.close(&world.now);
    let journal = fs::read_to_string(world.journal_path()).unwrap();
    let blank = |line: &str| if line.contains("p298@") { " ".repeat(line.len()) } else { line.to_owned() };
    let damaged: Vec<String> = journal.lines().map(blank).collect();
    fs::write(world.journal_path(), format!("{}\n", damaged.join("\n"))).unwrap();
    let late = world.gate("mira");
    let text = world.refused(session(&late, "b"), "mail", &to(7));
    assert!(text.contains("p7@") && text.contains("p297@") && !text.contains("p298@"), "{text}");
}

#[test]
fn what_a_killed_process_left_of_an_index_is_removed() {
    let mut world = World::new();
    let gate = world.gate("doug");
    // Nobody takes ten minutes to write one.
    for (name, minutes) in [("journal.index.123", 11), ("journal.index.mine", 60), ("journal.index.789", 9)] {
        let file = fs::File::create(world.path().join(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60 * minutes))
            .unwrap();
    }
    fs::write(world.path().join("journal.index.456"), "").unwrap();
    for person in 0..300 {
        let _ = world.try_call(session(&gate, "a"), "mail", &to(person));
    }
    gate.close(&world.now);
    let left = ["", ".123", ".456", ".789", ".mine"];
    let is_there = |end: &str| world.path().join(format!("journal.index{end}")).exists();
    assert_eq!(left.map(is_there), [true, false, true, true, true]);
}

/// The hooks of a runtime, each in a process of its own.
fn hook(world: &World) -> Gate {
    Gate::new(GateOptions {
        runtime: "codex".to_owned(),
        is_hook: true,
        ..options(world.path(), "hooks", &json!({}))
    })
}

#[test]
fn hook_counts_ride_on_the_lines_of_calls_and_are_counted_once_with_an_index_and_without() {
    let mut world = World::new();
    let tools = ["write", "message", "mail"];
    for round in 0..60 {
        for tool in tools {
            let params = json!({"to": format!("p{round}@example.com"), "path": format!("/p{round}"), "body": "x".repeat(300)});
            let gate = hook(&world);
            let (id, answer) = world.try_call(session(&gate, "a"), tool, &params);
            assert_eq!(matches!(answer, Answer::Refuse(_)), tool == "mail", "{tool}: {answer:?}");
            gate.close(&world.now);
            if !matches!(answer, Answer::Refuse(_)) {
                let gate = hook(&world);
                world.after(session(&gate, "a"), tool, &id, Ended::Ok, None);
                gate.close(&world.now);
            }
            world.pass(1_000);
        }
    }
    let index = world.path().join("journal.index");
    assert!(index.exists());
    let gate = world.gate("home");
    // A call of tier 0 or 1 has no line for its end: that has one of its own.
    let lines = world.records(&gate);
    let of = |action: &str| lines.iter().filter(|line| line["action"] == action).count();
    assert_eq!((of("intercept"), of("complete"), of("blocked"), of("seen")), (120, 60, 60, 60));
    gate.close(&world.now);

    let coverage = |source: &dyn Source| {
        let status = serde_json::to_value(source.status(&world.now)).unwrap();
        tools.map(|tool| {
            let counts = &status["coverage"]["codex"][tool];
            (counts["before"].as_u64().unwrap(), counts["after"].as_u64().unwrap())
        })
    };
    let expected = [(60, 60), (60, 60), (60, 0)];
    for with_index in [true, false] {
        if !with_index {
            std::fs::remove_file(&index).unwrap();
        }
        let gate = world.gate("home");
        // What is brought in through the index was counted when that was written.
        for round in 0..60 {
            let to = json!({"to": format!("p{round}@example.com")});
            let by = session(&gate, "b");
            let answer = gate.before(&call(by, "mail", None), &to, &world.now);
            assert!(matches!(answer, Answer::Refuse(_) | Answer::Wait(_)), "{answer:?}");
        }
        assert_eq!(coverage(&gate), expected, "{with_index}");
        assert_eq!(coverage(&world.view()), expected);
        // Not closed: no index is written.
    }
}

#[test]
fn what_ended_long_after_it_began_counts_as_long_as_its_end_does() {
    const MINUTE: u64 = 60_000;
    let mut world = World::new();
    let gate = world.gate("doug");
    let (slow, _) = world.try_call(session(&gate, "a"), "mail", &to(7));
    for minute in 1..=80 {
        world.pass(MINUTE);
        if minute == 30 {
            world.after(session(&gate, "a"), "mail", &slow, Ended::Ok, None);
        }
        // Enough for an index of its own.
        for person in 0..40 {
            world.done(session(&gate, "a"), "message", &to(1_000 + minute * 40 + person));
        }
        gate.maintain(&world.now);
    }
    gate.close(&world.now);
    assert!(world.path().join("journal.index").exists());
    world.refused(session(&world.gate("mira"), "b"), "mail", &to(7));
}

/// How far the index covers the active segment.
fn covered(world: &World) -> u64 {
    let index = fs::read(world.path().join("journal.index")).unwrap_or_default();
    let head = index.split(|byte| *byte == b'\n').nth(1).unwrap_or_default();
    let head = serde_json::Deserializer::from_slice(head).into_iter::<Value>().next();
    head.and_then(Result::ok).and_then(|head| head["covered"].as_u64()).unwrap_or(0)
}

#[test]
fn a_hook_that_has_no_time_left_writes_a_piece_of_the_index_and_the_next_one_goes_on() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "a"), "mail", &to(1));
    let mut journal = fs::OpenOptions::new().append(true).open(world.journal_path()).unwrap();
    let line = format!("{}\n", "no record ".repeat(30));
    std::io::Write::write_all(&mut journal, line.repeat(4_000).as_bytes()).unwrap();
    world.done(session(&gate, "a"), "mail", &to(2));
    drop(gate);
    let mut before = 0;
    for person in 10..13 {
        let hook = Gate::new(GateOptions { is_hook: true, ..options(world.path(), "doug", &json!({})) });
        let answer = hook.before(&call(session(&hook, "b"), "mail", Some("x")), &to(person), &world.now);
        assert_eq!(world.finish(&hook, answer), Answer::Proceed);
        hook.settle(std::time::Instant::now(), &world.now);
        let now = covered(&world);
        assert!(before < now && now < fs::metadata(world.journal_path()).unwrap().len(), "{before} {now}");
        before = now;
    }
    // What lies behind it speaks all the same.
    let other = world.gate("mira");
    for person in [1, 2] {
        world.refused(session(&other, "c"), "mail", &to(person));
    }
    // Who has time does the rest.
    other.maintain(&world.now);
    assert!(covered(&world) > 1_000_000);
}
