//! How many calls a rule lets through, over all sessions of the machine.

use std::process::{Command, Stdio};

use callosum_core::gate::{Answer, Gate};
use callosum_core::query::{ExplainRequest, Source};
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

use crate::support::{Session, World, session};

const HOUR_MS: u64 = 3_600_000;

/// A world in which mail is under this limit, and nothing pauses it: its window is over at once.
fn world(limit: &Value) -> World {
    let world = World::new();
    let mail = json!({"name": "mail", "tier": 3, "tool": "mail", "contextKey": "email:{params.to}", "recentWindowMs": 0, "scope": "otherSessions", "limit": limit});
    let push = json!({"name": "push", "tier": 3, "tool": "push", "contextKey": "push:{params.to}", "recentWindowMs": 0, "scope": "otherSessions"});
    std::fs::write(world.path().join("tiers.json"), json!({ "rules": [mail, push] }).to_string()).unwrap();
    world
}

fn limit(count: u32, window_ms: u64, per: &str) -> Value {
    json!({"count": count, "windowMs": window_ms, "per": per})
}

fn to(whom: &str) -> Value {
    json!({ "to": whom })
}

fn newest(world: &World, gate: &Gate) -> Value {
    world.records(gate).pop().unwrap()
}

/// A call that a limit must block; returns the text.
fn full(world: &mut World, by: Session<'_>, whom: &str) -> String {
    let text = world.refused(by, "mail", &to(whom));
    assert!(text.contains("[Callosum] The limit of the rule mail is reached: "), "{text}");
    text
}

#[test]
fn a_limit_blocks_until_the_oldest_counted_call_leaves_the_window_and_no_retry_helps() {
    let mut world = world(&limit(2, HOUR_MS, "rule"));
    let (one, two) = (world.gate("one"), world.gate("two"));
    world.done(session(&one, "a"), "mail", &to("x"));
    world.pass(1_200_000);
    world.done(session(&two, "b"), "mail", &to("y"));
    for by in [session(&one, "a"), session(&two, "b"), session(&two, "c"), session(&one, "a")] {
        let text = full(&mut world, by, "z");
        assert!(text.contains("2 calls in 1h for all sessions together, and all of them are used"), "{text}");
        assert!(text.contains("There is room again in ") && text.contains("a retry does not help"), "{text}");
    }
    let record = newest(&world, &one);
    assert_eq!(
        (&record["action"], &record["conflict"], &record["limits"]),
        (&json!("blocked"), &json!("limit"), &json!(["mail"]))
    );
    assert!(
        record["reason"]
            .as_str()
            .unwrap()
            .starts_with("2 calls in 1h for all sessions together, all used; room again at "),
        "{record}"
    );
    // What it waits for is the oldest.
    let first =
        world.records(&one).iter().find(|record| record["action"] == "intercept").unwrap()["seq"].clone();
    assert_eq!(record["evidence"][0]["seq"], first);
    // Another rule is under no limit.
    world.done(session(&two, "c"), "push", &to("z"));
    world.pass(HOUR_MS - 1_200_000 - 4 * 600 - 1);
    full(&mut world, session(&two, "c"), "z");
    world.pass(1);
    world.done(session(&two, "c"), "mail", &to("z"));
    // Now the second is the oldest.
    full(&mut world, session(&two, "c"), "z");
}

#[test]
fn each_session_and_each_resource_may_be_counted_by_itself() {
    let mut of_session = world(&limit(1, HOUR_MS, "session"));
    let gate = of_session.gate("doug");
    let other = of_session.gate("other");
    of_session.done(session(&gate, "a"), "mail", &to("x"));
    let text = full(&mut of_session, session(&gate, "a"), "y");
    assert!(text.contains("1 call in 1h for each session"), "{text}");
    of_session.done(session(&gate, "b"), "mail", &to("y"));
    // The same name in another instance is another session.
    of_session.done(session(&other, "a"), "mail", &to("z"));

    let mut of_key = world(&limit(1, HOUR_MS, "key"));
    let gate = of_key.gate("doug");
    of_key.done(session(&gate, "a"), "mail", &to("x"));
    let text = full(&mut of_key, session(&gate, "b"), "x");
    assert!(text.contains("1 call in 1h for each resource on \"email:x\""), "{text}");
    of_key.done(session(&gate, "b"), "mail", &to("y"));
    // One of several that is used up is enough.
    full(&mut of_key, session(&gate, "b"), "y");
    let both = json!({"to": ["z", "y"]});
    assert!(of_key.refused(session(&gate, "c"), "mail", &both).contains("on \"email:y\""));
    of_key.done(session(&gate, "c"), "mail", &to("z"));
}

#[test]
fn only_calls_count_that_were_let_through_and_may_have_been_done() {
    let mut world = world(&limit(2, HOUR_MS, "rule"));
    let gate = world.gate("doug");
    let by = session(&gate, "a");
    for ended in [Ended::Error, Ended::Refused] {
        let (id, answer) = world.try_call(by, "mail", &to("x"));
        assert_eq!(answer, Answer::Proceed, "{ended:?}");
        world.after(by, "mail", &id, ended, None);
    }
    // One that goes on counts, one whose end nobody knows does, and blocked ones do not.
    let (open, answer) = world.try_call(by, "mail", &to("x"));
    assert_eq!(answer, Answer::Proceed);
    let (killed, answer) = world.try_call(by, "mail", &to("y"));
    assert_eq!(answer, Answer::Proceed);
    world.after(by, "mail", &killed, Ended::Killed, None);
    for _ in 0..3 {
        full(&mut world, by, "z");
    }
    // A late failure makes room.
    world.after(by, "mail", &open, Ended::Refused, None);
    world.done(by, "mail", &to("z"));
    full(&mut world, by, "z");
}

#[test]
fn what_is_only_observed_runs_counts_and_says_that_it_would_have_been_blocked() {
    let mut world = world(&limit(1, HOUR_MS, "rule"));
    let watching = world.gate_with("watching", &json!({"mode": "observe"}));
    let gate = world.gate("doug");
    for _ in 0..2 {
        world.done(session(&watching, "a"), "mail", &to("x"));
    }
    let starts: Vec<Value> =
        world.records(&gate).into_iter().filter(|record| record["action"] == "intercept").collect();
    assert_eq!(
        starts.iter().map(|record| record["conflict"].clone()).collect::<Vec<_>>(),
        [Value::Null, json!("limit")]
    );
    assert_eq!(starts[1]["observed"], true);
    full(&mut world, session(&gate, "b"), "y");
}

#[test]
fn a_limit_holds_for_a_command_wherever_it_stands_in_a_line() {
    let mut world = World::new();
    let rules = json!({"rules": [
        {"name": "capped", "tier": 3, "tool": "exec", "command": "acme send", "contextKey": "send:{command.arg.1}", "recentWindowMs": 0, "scope": "otherSessions", "limit": limit(1, HOUR_MS, "key")},
        {"name": "high", "tier": 4, "tool": "exec", "command": "acme pay", "contextKey": "pay:{command.arg.1}", "recentWindowMs": 0, "scope": "otherSessions"},
    ]});
    std::fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    let gate = world.gate("doug");
    let by = session(&gate, "a");
    let line = |line: &str| json!({ "command": line });
    world.done(by, "exec", &line("acme pay 1 && acme send x"));
    assert!(world.refused(by, "exec", &line("acme send x")).contains("on \"send:x\""));
    assert!(
        world
            .refused(by, "exec", &line("acme pay 2; bash -c 'acme send x'"))
            .contains("The limit of the rule capped")
    );
    // The other resource of that line is under no limit.
    world.done(by, "exec", &line("acme pay 1"));
    world.done(by, "exec", &line("acme send y; acme send z"));
    assert!(world.refused(by, "exec", &line("acme send z")).contains("on \"send:z\""));
}

#[test]
fn a_fresh_process_counts_right_on_a_long_journal_by_its_index() {
    for per in ["rule", "session", "key"] {
        let mut world = world(&limit(3, 4 * HOUR_MS, per));
        {
            let gate = world.gate("doug");
            // What is long out of the window, and what is beside it.
            for _ in 0..3 {
                world.done(session(&gate, "a"), "mail", &to("x"));
            }
            world.pass(4 * HOUR_MS);
            world.done(session(&gate, "a"), "mail", &to("x"));
            world.pass(HOUR_MS);
            for number in 0..2_000 {
                world.done(session(&gate, "busy"), "push", &to(&number.to_string()));
            }
            world.done(session(&gate, "a"), "mail", &to("x"));
            let (id, _) = world.try_call(session(&gate, "a"), "mail", &to("x"));
            for number in 0..2_000 {
                world.done(session(&gate, "busy"), "push", &to(&number.to_string()));
            }
            full(&mut world, session(&gate, "a"), "x");
            world.after(session(&gate, "a"), "mail", &id, Ended::Refused, None);
            gate.close(&world.now);
        }
        assert!(world.path().join("journal.index").exists(), "{per}");
        let gate = world.gate("doug");
        let limits = gate.status(&world.now).limits;
        assert_eq!(
            limits.first().map(|limit| (limit.used, limit.free_at.is_some())),
            Some((2, false)),
            "{per}"
        );
        world.done(session(&gate, "a"), "mail", &to("x"));
        full(&mut world, session(&gate, "a"), "x");
        gate.close(&world.now);
        let gate = world.gate("doug");
        full(&mut world, session(&gate, "a"), "x");
        let observed = world.view().status(&world.now).limits;
        assert_eq!(observed, gate.status(&world.now).limits, "{per}");
        assert_eq!(
            observed.first().map(|limit| (limit.used, limit.free_at.is_some())),
            Some((3, true)),
            "{per}"
        );
        // The oldest of the three goes.
        world.pass(3 * HOUR_MS);
        world.done(session(&gate, "a"), "mail", &to("x"));
    }
}

#[test]
fn what_a_limit_counts_is_not_pruned_before_its_window_is_over() {
    let mut world = world(&limit(1, 48 * HOUR_MS, "rule"));
    let small = json!({"journalMaxBytes": 131_072, "journalMaxAgeMs": 60_000});
    let gate = world.gate_with("doug", &small);
    world.done(session(&gate, "a"), "mail", &to("x"));
    for _ in 0..20 {
        world.pass(2 * HOUR_MS);
        for number in 0..100 {
            world.done(session(&gate, "busy"), "push", &to(&number.to_string()));
        }
        gate.maintain(&world.now);
    }
    let fresh = world.gate_with("other", &small);
    full(&mut world, session(&fresh, "b"), "y");
    world.pass(8 * HOUR_MS);
    world.done(session(&fresh, "b"), "mail", &to("y"));
}

#[test]
fn an_explanation_says_how_much_of_a_limit_is_used_and_writes_nothing() {
    let mut world = world(&limit(2, HOUR_MS, "rule"));
    let gate = world.gate("doug");
    let asked = ExplainRequest::read(&json!({"tool": "mail", "params": to("x"), "session": "a"}).to_string())
        .unwrap();
    let mut used = Vec::new();
    for _ in 0..3 {
        let explained = gate.explain(&asked, &world.now).unwrap();
        let limit = explained.limits.first().unwrap().clone();
        used.push((explained.verdict, limit.used, limit.free_at.is_some()));
        if explained.verdict == "allow" {
            world.done(session(&gate, "a"), "mail", &to("x"));
        }
    }
    assert_eq!(used, [("allow", 0, false), ("allow", 1, false), ("block", 2, true)]);
    let simulated = world.view().simulate(
        callosum_core::rules::RuleSet::parse(r#"{"rules":[]}"#).unwrap(),
        None,
        &world.now,
        &mut |_, _| {},
    );
    assert_eq!(simulated.unwrap().report.before.blocked, 0);
    full(&mut world, session(&gate, "a"), "x");
    let simulated = world.view().simulate(
        callosum_core::rules::RuleSet::parse(r#"{"rules":[]}"#).unwrap(),
        None,
        &world.now,
        &mut |_, _| {},
    );
    let report = simulated.unwrap().report;
    assert_eq!((report.before.blocked, report.recorded.blocked, report.after.blocked), (1, 1, 0));
}

/// The environment variable that makes this program a racer: the state directory.
const RACER: &str = "CALLOSUM_TEST_LIMIT_RACER";

#[test]
fn of_eight_processes_at_a_limit_of_one_exactly_one_goes_through() {
    if let Some(directory) = std::env::var_os(RACER) {
        return race(std::path::Path::new(&directory));
    }
    for round in 0..3 {
        let world = world(&limit(1, HOUR_MS, "rule"));
        let program = std::env::current_exe().unwrap();
        let name = "rate_limits::of_eight_processes_at_a_limit_of_one_exactly_one_goes_through";
        let racers: Vec<_> = (0..8)
            .map(|_| {
                Command::new(&program)
                    .args([name, "--exact", "--nocapture"])
                    .env(RACER, world.path())
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        std::fs::write(world.path().join("go"), "").unwrap();
        for racer in racers {
            let output = racer.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let view = world.view();
        let records = world.records(&view);
        let count = |action: &str| records.iter().filter(|record| record["action"] == action).count();
        assert_eq!((count("intercept"), count("blocked")), (1, 7), "round {round}");
        assert!(
            records
                .iter()
                .filter(|record| record["action"] == "blocked")
                .all(|record| record["conflict"] == "limit")
        );
    }
}

/// One call, as soon as all may begin.
fn race(directory: &std::path::Path) {
    let name = format!("racer-{}", std::process::id());
    let settings = json!({"instanceId": name, "stateDir": directory, "durability": "os"}).to_string();
    let gate = Gate::new(callosum_core::gate::GateOptions { settings, ..Default::default() });
    while !directory.join("go").exists() {
        std::thread::yield_now();
    }
    let by = session(&gate, "s");
    let now = gate.machine().now();
    let answer = gate.before(&crate::support::call(by, "mail", Some("c")), &to(&name), &now);
    if let Answer::Wait(ticket) = answer {
        let _ = gate.finish(ticket, &gate.machine().now());
    }
    gate.close(&gate.machine().now());
}
