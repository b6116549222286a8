//! A host's event loop is never held by the disk: not by one that stands still, and not by one that has much to read.

use std::fs;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use callosum_core::gate::{Answer, Gate, GivenUp};
use callosum_core::machine::Machine;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_core::store::disk::{Disk, OpenMode};
use callosum_core::store::journal::segment_file::SegmentFile;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::stops::{Stops, What};
use callosum_testing::gate::options;
use callosum_testing::wait::{HANGS, until};
use fs2::FileExt;
use serde_json::{Value, json};

use crate::support::{World, alice, call, report, session};

/// A gate beside an event loop, on a disk that can be stopped.
fn gate(world: &World, disk: &TestDisk<Stops>, more: &Value) -> Arc<Gate> {
    Gate::beside_event_loop_on(options(world.path(), "home", more), Arc::new(disk.clone()))
}

/// Does on a thread of its own what would hold an event loop if it waited; what it gives.
fn on_loop<T: Send + 'static>(what: &str, step: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, told) = mpsc::channel();
    thread::spawn(move || done.send(step()));
    told.recv_timeout(HANGS).unwrap_or_else(|_| panic!("`{what}` waits for the disk"))
}

/// A before-hook on an event loop, at this moment.
fn before(gate: &Arc<Gate>, by: &str, tool: &str, id: &str, params: &Value) -> Answer {
    let (gate, by, tool, id, params) =
        (Arc::clone(gate), by.to_owned(), tool.to_owned(), id.to_owned(), params.clone());
    on_loop(&format!("before {tool}"), move || {
        gate.before(&call(session(&gate, &by), &tool, Some(&id)), &params, &gate.machine().now())
    })
}

fn after(gate: &Arc<Gate>, by: &str, tool: &str, id: &str) -> Answer {
    let (gate, by, tool, id) = (Arc::clone(gate), by.to_owned(), tool.to_owned(), id.to_owned());
    on_loop(&format!("after {tool}"), move || {
        gate.after(&report(session(&gate, &by), &tool, Some(&id), Ended::Ok, None), &gate.machine().now())
    })
}

/// The answer, when a worker has finished what is left.
fn finished(gate: &Arc<Gate>, answer: Answer) -> Answer {
    let Answer::Wait(ticket) = answer else { return answer };
    let answer = gate.finish(ticket, &gate.machine().now());
    gate.forget(ticket);
    answer
}

fn actions_of(world: &World, gate: &Gate, id: &str) -> Vec<String> {
    let records = world.records(gate);
    let of_call = records.iter().filter(|record| record["call"] == id);
    of_call.map(|record| record["action"].as_str().unwrap().to_owned()).collect()
}

fn to(who: &str) -> Value {
    json!({ "to": who, "path": "/x" })
}

#[test]
fn no_hook_waits_for_a_disk_that_stands_still() {
    for is_fresh in [false, true] {
        let (world, disk) = (World::new(), TestDisk::<Stops>::default());
        let gate = gate(&world, &disk, &json!({}));
        if !is_fresh {
            assert_eq!(finished(&gate, before(&gate, "a", "mail", "warm", &to("warm@x.y"))), Answer::Proceed);
            after(&gate, "a", "mail", "warm");
            assert_eq!(actions_of(&world, &gate, "warm"), ["intercept", "complete"]);
        }
        // As a model call that comes before the first tool call has it done.
        assert!(!gate.rules_in_force(&gate.machine().now()).rules.is_empty());
        disk.stop(What::All);
        let mut tickets = Vec::new();
        for round in 0..3 {
            let id = |tool: &str| format!("{tool}-{round}");
            let params = to(&format!("{round}@x.y"));
            for tool in ["look", "write", "message"] {
                assert_eq!(before(&gate, "a", tool, &id(tool), &params), Answer::Proceed, "{tool}");
                assert_eq!(after(&gate, "a", tool, &id(tool)), Answer::Proceed, "{tool}");
            }
            for tool in ["mail", "pay"] {
                let answer = before(&gate, tool, tool, &id(tool), &to(&format!("{tool}-{round}@x.y")));
                let Answer::Wait(ticket) = answer else { panic!("{tool}: {answer:?}") };
                tickets.push((id(tool), ticket));
            }
        }
        disk.met();
        type Hook = fn(&Gate);
        let hooks: [(&str, Hook); 7] = [
            ("process_ended", |gate| {
                let _ = gate.process_ended("nobody", Ended::Ok, None, &gate.machine().now());
            }),
            ("result_persisted", |gate| {
                let _ = gate.result_persisted("a", "mail-0", &gate.machine().now());
            }),
            ("model_call_started", |gate| {
                let _ = gate.model_call_started("another", &gate.machine().now());
            }),
            ("after, of a call that nobody saw", |gate| {
                let by = session(gate, "z");
                let _ = gate.after(&report(by, "mail", Some("new"), Ended::Ok, None), &gate.machine().now());
            }),
            ("notices", |gate| {
                let _ = (gate.has_notices(), gate.take_notices());
            }),
            ("answer after a panic", |gate| {
                let by = session(gate, "z");
                let _ = gate.answer_after_panic(
                    &call(by, "mail", Some("u")),
                    &to("u@x.y"),
                    &gate.machine().now(),
                );
            }),
            ("write_at_exit", Gate::write_at_exit),
        ];
        for (name, hook) in hooks {
            let of = Arc::clone(&gate);
            on_loop(name, move || hook(&of));
        }
        // Of the calls of the last round the host hears too late.
        for (id, ticket) in tickets.split_off(4) {
            let of = Arc::clone(&gate);
            let answer = on_loop("abandon", move || {
                let answer = of.abandon(ticket, GivenUp::Late, &of.machine().now());
                of.forget(ticket);
                answer
            });
            assert!(matches!(answer, Answer::Refuse(_)), "{id}: {answer:?}");
        }
        assert!(disk.is_stopped(), "all that while the disk stood still");
        disk.go_on();

        for (id, ticket) in tickets {
            assert_eq!(finished(&gate, Answer::Wait(ticket)), Answer::Proceed, "{id}");
            assert_eq!(actions_of(&world, &gate, &id), ["intercept"]);
        }
        for id in ["mail-2", "pay-2"] {
            let actions = actions_of(&world, &gate, id);
            assert!(actions == ["refused"] || actions == ["intercept", "refused"], "{id}: {actions:?}");
        }
        for (tool, rows) in [("look", 1), ("write", 1), ("message", 2)] {
            for round in 0..3 {
                let actions = actions_of(&world, &gate, &format!("{tool}-{round}"));
                assert_eq!(actions, ["intercept", "complete"][..rows], "{tool}-{round}, fresh: {is_fresh}");
            }
        }
        let status = serde_json::to_value(gate.status(&gate.machine().now())).unwrap();
        assert_eq!((&status["waiting"]["queued"], &status["waiting"]["lost"]), (&json!(0), &json!(0)));
        gate.close(&gate.machine().now());
    }
}

#[test]
fn what_went_on_unwritten_is_there_for_the_next_decision() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let gate = gate(&world, &disk, &json!({}));
    assert_eq!(gate.model_call_started("run", &gate.machine().now()), Answer::Proceed);
    // What the model call has begun, done: else a worker classifies the first call.
    assert!(!gate.rules_in_force(&gate.machine().now()).rules.is_empty());
    assert_eq!(before(&gate, "a", "message", "m", &alice()), Answer::Proceed);
    let answer = finished(&gate, before(&gate, "b", "mail", "n", &alice()));
    assert!(matches!(&answer, Answer::Refuse(text) if text.contains("message")), "{answer:?}");
    // Its outcome too.
    assert_eq!(after(&gate, "a", "message", "m"), Answer::Proceed);
    let answer = finished(&gate, before(&gate, "c", "mail", "o", &alice()));
    assert!(matches!(&answer, Answer::Refuse(text) if !text.contains("running")), "{answer:?}");
    // And a pause that the host says was read.
    let signal = || gate.result_persisted("c", "o", &gate.machine().now());
    assert_eq!(signal(), Answer::Proceed);
    assert_eq!(finished(&gate, before(&gate, "c", "mail", "p", &alice())), Answer::Proceed);
    assert!(world.records(&*gate).iter().any(|record| record["action"] == "delivered"));
}

#[test]
fn a_gate_that_is_let_go_without_being_closed_still_has_its_lines_written() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let gate = gate(&world, &disk, &json!({}));
    assert_eq!(finished(&gate, before(&gate, "a", "mail", "warm", &alice())), Answer::Proceed);
    let guard = fs::OpenOptions::new().read(true).write(true).open(world.path().join("state.guard")).unwrap();
    FileExt::lock_exclusive(&guard).unwrap();
    for id in ["1", "2", "3"] {
        let answer = before(&gate, "a", "message", id, &to("bob@x.y"));
        assert!(matches!(answer, Answer::Proceed | Answer::ProceedThenMaintain), "{answer:?}");
    }
    // The writer finds the guard busy, and tries again later.
    thread::sleep(std::time::Duration::from_millis(20));
    drop(gate);
    drop(guard);
    let written =
        || fs::read_to_string(world.journal_path()).unwrap().matches("\"tool\":\"message\"").count();
    let enough = || {
        let lines = written();
        if lines < 3 { Err(lines) } else { Ok(lines) }
    };
    assert_eq!(until("three lines", enough), 3);
}

#[test]
fn a_worker_waits_for_a_writer_that_stands_still_no_longer_than_for_the_guard() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let gate = gate(&world, &disk, &json!({}));
    disk.stop(What::Writes);
    let Answer::Wait(ticket) = before(&gate, "a", "mail", "m", &alice()) else { panic!("no ticket") };
    disk.met();
    let of = Arc::clone(&gate);
    let answer = on_loop("finish", move || finished(&of, Answer::Wait(ticket)));
    assert!(matches!(&answer, Answer::Refuse(text) if text.contains("Can't check")), "{answer:?}");
    assert!(disk.is_stopped() && gate.take_notices().iter().any(|notice| notice.text.contains("degraded")));
    disk.go_on();
    // What the writer decided meanwhile holds nobody: the call never ran.
    assert_eq!(finished(&gate, before(&gate, "b", "mail", "n", &alice())), Answer::Proceed);
    assert!(actions_of(&world, &gate, "m").ends_with(&["refused".to_owned()]));
}

#[test]
fn nothing_goes_on_unwritten_where_what_cannot_be_written_is_refused() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let gate = gate(&world, &disk, &json!({ "onStateError": "closed" }));
    for tool in ["look", "message"] {
        assert_eq!(finished(&gate, before(&gate, "a", tool, tool, &alice())), Answer::Proceed);
        assert_eq!(actions_of(&world, &gate, tool), ["intercept"]);
        assert!(matches!(after(&gate, "a", tool, tool), Answer::Proceed));
    }
    disk.stop(What::All);
    for tool in ["look", "message"] {
        let answer = before(&gate, "a", tool, &format!("{tool}-2"), &alice());
        assert!(matches!(answer, Answer::Wait(_)), "{tool}: {answer:?}");
    }
    disk.go_on();
}

#[test]
fn a_call_of_any_tier_that_its_host_refused_meanwhile_stands_as_refused() {
    for tool in ["look", "write", "message", "mail"] {
        for id in [Some("x"), None] {
            let (world, disk) = (World::new(), TestDisk::<Stops>::default());
            let gate = gate(&world, &disk, &json!({ "onStateError": "closed" }));
            assert_eq!(finished(&gate, before(&gate, "a", "mail", "warm", &to("warm@x.y"))), Answer::Proceed);
            disk.stop(What::Writes);
            let of = Arc::clone(&gate);
            let answer = on_loop("before", move || {
                of.before(&call(session(&of, "b"), tool, id), &to("new@x.y"), &of.machine().now())
            });
            let Answer::Wait(ticket) = answer else { panic!("{tool}: {answer:?}") };
            // Its start is on its way to the disk.
            disk.met();
            let told = gate.abandon(ticket, GivenUp::Late, &gate.machine().now());
            assert!(matches!(told, Answer::Refuse(_)), "{tool}: {told:?}");
            disk.go_on();
            assert_eq!(gate.finish(ticket, &gate.machine().now()), told, "{tool}");
            gate.forget(ticket);
            gate.close(&gate.machine().now());
            let records = world.records(&*gate);
            let of_call: Vec<&Value> = records.iter().filter(|record| record["session"] == "b").collect();
            let actions: Vec<&Value> = of_call.iter().map(|record| &record["action"]).collect();
            assert_eq!(actions, ["intercept", "refused"], "{tool} {id:?}");
            assert_eq!(of_call[1]["of"], json!([of_call[0]["seq"]]), "{tool} {id:?}");
        }
    }
}

#[test]
fn a_ticket_that_nobody_knows_is_no_leave_to_go_on() {
    for (policy, mode, is_refused) in [
        ("tiered", "enforce", true),
        ("closed", "enforce", true),
        ("open", "enforce", false),
        ("closed", "observe", false),
    ] {
        let (world, disk) = (World::new(), TestDisk::<Stops>::default());
        let gate = gate(&world, &disk, &json!({ "onStateError": policy, "mode": mode }));
        let now = gate.machine().now();
        for answer in [gate.finish(7, &now), gate.abandon(7, GivenUp::Late, &now)] {
            assert_eq!(matches!(answer, Answer::Refuse(_)), is_refused, "{policy} {mode}: {answer:?}");
        }
        gate.close(&now);
        assert_eq!(gate.abandon(7, GivenUp::Late, &now), Answer::Proceed);
    }
}

#[test]
fn rules_that_cannot_be_looked_at_hold_no_hook_and_the_status_says_so() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let gate = gate(&world, &disk, &json!({}));
    assert_eq!(before(&gate, "a", "look", "1", &alice()), Answer::Proceed);
    let status = |gate: &Gate| serde_json::to_value(gate.status(&gate.machine().now())).unwrap();
    assert_eq!(status(&gate)["rules"]["loading"], Value::Null);
    disk.stop(What::All);
    // The writer is at the disk, and can't look at the rules.
    assert!(matches!(before(&gate, "a", "mail", "2", &alice()), Answer::Wait(_)));
    disk.met();
    let rules = r#"{"rules":[{"name":"looks","tier":3,"tool":"look","contextKey":"look"}]}"#;
    fs::write(world.path().join("tiers.json"), rules).unwrap();
    assert_eq!(before(&gate, "a", "look", "3", &alice()), Answer::Proceed);
    assert_eq!(status(&gate)["rules"]["loading"], true);
    disk.go_on();
    assert_eq!(gate.rules_in_force(&gate.machine().now()).rules.len(), 1);
    assert_eq!(finished(&gate, before(&gate, "a", "look", "4", &alice())), Answer::Proceed);
    assert!(matches!(finished(&gate, before(&gate, "b", "look", "5", &alice())), Answer::Refuse(_)));
    assert_eq!(status(&gate)["rules"]["loading"], Value::Null);
}

#[test]
fn a_call_that_comes_before_large_rules_are_loaded_goes_by_them() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let patterns: Vec<Value> = (0..1_999)
        .map(|number| json!({ "name": format!("r{number}"), "tier": 1, "tool": format!("t{number}"), "contextKey": format!("k{number}:{{params.to}}") }))
        .chain([json!({ "name": "own", "tier": 3, "tool": "my_own_tool", "contextKey": "own:{params.to}" })])
        .collect();
    fs::write(world.path().join("tiers.json"), json!({ "rules": patterns }).to_string()).unwrap();
    let gate = gate(&world, &disk, &json!({}));
    assert_eq!(finished(&gate, before(&gate, "a", "my_own_tool", "1", &alice())), Answer::Proceed);
    let answer = finished(&gate, before(&gate, "b", "my_own_tool", "2", &alice()));
    assert!(matches!(&answer, Answer::Refuse(text) if text.contains("own:alice@example.com")), "{answer:?}");
}

#[test]
fn a_long_history_of_a_resource_is_loaded_by_a_worker() {
    let (mut world, disk) = (World::new(), TestDisk::<Stops>::default());
    let many = world.gate("doug");
    for _ in 0..600 {
        world.done(session(&many, "a"), "message", &alice());
    }
    many.close(&world.now);
    assert!(world.path().join("journal.index").exists());
    world.now = Machine::read().now();
    // Without a writer, with one, and for a worker.
    let direct = world.gate("mira");
    let answer = direct.before(&call(session(&direct, "b"), "mail", Some("1")), &alice(), &world.now);
    let Answer::Wait(ticket) = answer else { panic!("{answer:?}") };
    let with_writer = gate(&world, &disk, &json!({}));
    let answer = before(&with_writer, "b", "mail", "2", &alice());
    assert!(matches!(answer, Answer::Wait(_)), "{answer:?}");
    for answer in [direct.finish(ticket, &world.now), finished(&with_writer, answer)] {
        assert!(matches!(&answer, Answer::Refuse(text) if text.contains("595 more")), "{answer:?}");
    }
}

#[test]
fn a_retry_after_a_pause_with_much_evidence_looks_each_piece_up() {
    use callosum_core::decision::history::{History, Who};
    use callosum_core::decision::{CallFacts, Decision, decide};
    use callosum_core::model::on_conflict::OnConflict;
    use callosum_core::model::tier::Tier;
    use callosum_core::record::{Action, Conflict, Record, Shown};
    use callosum_core::rules::Scope;

    const MANY: u64 = 100_000;
    let now = Machine::read().now();
    let mut history = History::new(86_400_000, 86_400_000);
    let record = |action: Action, session: &str| {
        let mut record = Record::new(action, "home", &now);
        record.session = Some(session.to_owned());
        record.tier = Some(Tier::Medium);
        record.context_keys = vec!["k".to_owned()];
        record
    };
    for seq in 1..=MANY {
        history.apply(seq, &record(Action::Intercept, "a"));
    }
    let mut pause = record(Action::Blocked, "b");
    pause.conflict = Some(Conflict::Recent);
    // As another version may have written it: in any order.
    pause.evidence = (1..=MANY).rev().map(|seq| Shown { seq, outcome: None }).collect();
    history.apply(MANY + 1, &pause);
    let verdict = on_loop("a retry", move || {
        let who = Who::here("home", "b");
        let call_facts = CallFacts {
            who: &who,
            tier: Tier::High,
            keys: &["k".to_owned()],
            window_ms: 3_600_000,
            retry_window_ms: 3_600_000,
            scope: Scope::Any,
            on_conflict: OnConflict::Pause,
            limits: &[],
        };
        match decide(&history, &call_facts, &now.plus_ms(1_000), &|_, _| false) {
            Decision::Allow(shown) => shown.len(),
            _ => 0,
        }
    });
    assert_eq!(verdict, usize::try_from(MANY).unwrap());
}

#[test]
fn whether_a_flush_failed_is_told_while_another_is_under_way() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    let path = world.path().join("segment");
    fs::write(&path, "line\n").unwrap();
    let disk_of: Arc<dyn Disk> = Arc::new(disk.clone());
    let file = Arc::new(SegmentFile::open(&disk_of, path, OpenMode::Append).unwrap());
    disk.stop(What::Flushes);
    let flushed = Arc::clone(&file);
    let flush = thread::spawn(move || flushed.flush(5));
    disk.met();
    assert!(!on_loop("has_failed", move || file.has_failed()));
    disk.go_on();
    flush.join().unwrap().unwrap();
}

#[test]
fn a_backlog_that_is_being_written_holds_no_hook() {
    let (world, disk) = (World::new(), TestDisk::<Stops>::default());
    // Without a writer of its own: where no thread could be started.
    let gate = Arc::new(Gate::on_disk(options(world.path(), "home", &json!({})), Arc::new(disk.clone())));
    assert_eq!(before(&gate, "a", "look", "1", &alice()), Answer::Proceed);
    let guard = fs::OpenOptions::new().read(true).write(true).open(world.path().join("state.guard")).unwrap();
    FileExt::lock_exclusive(&guard).unwrap();
    assert_eq!(before(&gate, "a", "message", "2", &alice()), Answer::ProceedThenMaintain);
    disk.stop(What::Writes);
    drop(guard);
    let of = Arc::clone(&gate);
    let maintenance = thread::spawn(move || of.maintain(&of.machine().now()));
    disk.met();
    // Its start is being written: the outcome waits for it.
    after(&gate, "a", "message", "2");
    assert_eq!(before(&gate, "a", "message", "3", &alice()), Answer::ProceedThenMaintain);
    assert!(disk.is_stopped());
    disk.go_on();
    maintenance.join().unwrap();
    assert_eq!(actions_of(&world, &gate, "2"), ["intercept", "complete"]);
    assert_eq!(actions_of(&world, &gate, "3"), ["intercept"]);
}

#[test]
fn a_status_that_counts_lines_holds_nobody_who_lets_the_ledger_go() {
    let (mut world, disk) = (World::new(), TestDisk::<Stops>::default());
    let small = json!({ "journalMaxBytes": 128 * 1024 });
    let gate = Arc::new(Gate::on_disk(options(world.path(), "home", &small), Arc::new(disk.clone())));
    for _ in 0..60 {
        world.done(session(&gate, "a"), "message", &json!({ "to": "x", "body": "y".repeat(400) }));
        gate.maintain(&world.now);
    }
    let closed = fs::read_dir(world.path()).unwrap().flatten().count();
    assert!(closed > 4, "{closed} files");
    disk.stop(What::FirstLook);
    let (of, now) = (Arc::clone(&gate), world.now);
    let status = thread::spawn(move || of.status(&now));
    disk.met();
    // The journal is another one: what was counted is forgotten.
    fs::remove_file(world.journal_path()).unwrap();
    world.pass(1_000);
    let (of, now) = (Arc::clone(&gate), world.now);
    on_loop("before", move || of.before(&call(session(&of, "a"), "look", Some("1")), &alice(), &now));
    assert!(disk.is_stopped());
    disk.go_on();
    assert!(status.join().unwrap().journal.lines > 100);
}
