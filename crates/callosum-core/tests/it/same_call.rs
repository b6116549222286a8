//! When a call is one that has been here, and whose an end is: hosts fire twice, and ids are used again.

use callosum_core::gate::{Answer, EndReport, Gate, GateOptions, GivenUp};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_core::rules::{RuleSet, World as Surrounding};
use fs2::FileExt;
use serde_json::{Value, json};

use crate::support::{World, alice, call, report, rows, session};

/// A call as a client's request makes one: under an id that the client chooses, in no run.
fn without_run(by: crate::support::Session<'_>, tool: &str, id: &str) -> ToolCall {
    ToolCall { run: None, ..call(by, tool, Some(id)) }
}

fn ask(world: &World, gate: &Gate, call: &ToolCall, params: &Value) -> Answer {
    world.finish(gate, gate.before(call, params, &world.now))
}

fn end(world: &World, gate: &Gate, report: &EndReport) {
    let _ = world.finish(gate, gate.after(report, &world.now));
}

#[test]
fn an_id_that_a_client_sends_again_without_a_run_is_a_new_call_every_time() {
    let mut world = World::new();
    for durability in ["os", "disk"] {
        let gate = world.gate_with("doug", &json!({ "durability": durability }));
        let to = json!({"to": format!("{durability}@example.com")});
        let mail = without_run(session(&gate, durability), "mail", "rpc-delegated-key");
        assert_eq!(ask(&world, &gate, &mail, &to), Answer::Proceed);
        for _ in 0..2 {
            assert!(matches!(ask(&world, &gate, &mail, &to), Answer::Refuse(_)));
        }
        // And the retry that the pause asks for passes, once.
        world.pass(600);
        assert_eq!(ask(&world, &gate, &mail, &to), Answer::Proceed);
        assert!(matches!(ask(&world, &gate, &mail, &to), Answer::Refuse(_)));
    }
    let gate = world.gate("mira");
    for tool in ["message", "write", "read"] {
        let low = without_run(session(&gate, "low"), tool, "rpc-delegated-key");
        for _ in 0..3 {
            assert_eq!(ask(&world, &gate, &low, &alice()), Answer::Proceed);
        }
    }
    let low = world.story(&gate).iter().filter(|(session, _)| session == "low").count();
    assert_eq!(low, 9, "each is a line");
}

#[test]
fn an_id_that_comes_again_within_a_run_is_the_same_call_only_for_a_moment() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    for tool in ["mail", "write"] {
        assert_eq!(world.before(a, tool, "call_0", &alice()), Answer::Proceed);
        world.pass(999);
        assert_eq!(world.before(a, tool, "call_0", &alice()), Answer::Proceed);
        world.pass(1);
        let again = world.before(a, tool, "call_0", &alice());
        assert_eq!(matches!(again, Answer::Refuse(_)), tool == "mail", "{tool}: {again:?}");
    }
    assert_eq!(
        world.story(&gate),
        rows(&[("a", "intercept"), ("a", "blocked"), ("a", "intercept"), ("a", "intercept")])
    );
}

#[test]
fn a_second_firing_while_the_first_is_flushed_is_the_same_call_however_long_that_takes() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"durability": "disk"}));
    let a = session(&gate, "a");
    let Answer::Wait(first) = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now) else {
        panic!()
    };
    world.pass(4_000);
    let Answer::Wait(second) = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now) else {
        panic!()
    };
    for ticket in [first, second] {
        assert_eq!(world.finish(&gate, Answer::Wait(ticket)), Answer::Proceed);
    }
    // It is let through now, not when it was asked.
    assert_eq!(world.before(a, "mail", "m", &alice()), Answer::Proceed);
    assert_eq!(world.story(&gate), rows(&[("a", "intercept")]));
}

#[test]
fn an_end_under_an_id_used_again_is_of_the_oldest_call_that_it_fits() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let a = session(&gate, "a");
    let ended = |ended| EndReport { run: None, ..report(a, "mail", Some("key"), ended, None) };
    let mail = without_run(a, "mail", "key");
    assert_eq!(ask(&world, &gate, &mail, &alice()), Answer::Proceed);
    assert!(matches!(ask(&world, &gate, &mail, &alice()), Answer::Refuse(_)));
    world.pass(600);
    assert_eq!(ask(&world, &gate, &mail, &alice()), Answer::Proceed);
    // The refused one's end is not that of a call that runs.
    end(&world, &gate, &ended(Ended::Refused));
    assert_eq!(world.story(&gate).len(), 3);
    end(&world, &gate, &ended(Ended::Error));
    end(&world, &gate, &ended(Ended::Ok));
    let ends: Vec<Value> = world
        .records(&gate)
        .into_iter()
        .filter(|record| ["failed", "complete"].contains(&record["action"].as_str().unwrap()))
        .collect();
    let starts: Vec<Value> =
        world.records(&gate).into_iter().filter(|record| record["action"] == "intercept").collect();
    assert_eq!((ends.len(), starts.len()), (2, 2));
    for (end, start) in ends.iter().zip(&starts) {
        assert_eq!(end["of"], json!([start["seq"]]), "{end}");
    }
}

#[test]
fn only_openclaws_own_wrappers_pass_unseen_by_their_exact_names() {
    let world = World::new();
    let gate = |runtime: &str| {
        Gate::new(GateOptions {
            settings: json!({"stateDir": world.path().to_str().unwrap(), "instanceId": runtime}).to_string(),
            runtime: runtime.to_owned(),
            ..GateOptions::default()
        })
    };
    let (openclaw, codex) = (gate("openclaw"), gate("codex"));
    let names = ["tool_search", "tool_search_code", "tool_describe", "tool_call", "wait"];
    for tool in names {
        let unseen = call(session(&openclaw, "a"), tool, Some(tool));
        assert_eq!(ask(&world, &openclaw, &unseen, &alice()), Answer::Proceed);
        world.after(session(&openclaw, "a"), tool, tool, Ended::Ok, None);
    }
    let program = ToolCall {
        kind: Some("code_mode_exec".to_owned()),
        ..call(session(&openclaw, "a"), "exec", Some("p"))
    };
    assert_eq!(ask(&world, &openclaw, &program, &alice()), Answer::Proceed);
    assert_eq!(world.story(&openclaw), []);
    assert!(openclaw.status(&world.now).coverage.is_empty());

    for tool in ["tool_search_x", "tool_searches", "waits", "server__tool_call"] {
        ask(&world, &openclaw, &call(session(&openclaw, "a"), tool, Some(tool)), &alice());
    }
    for tool in names {
        ask(&world, &codex, &call(session(&codex, "b"), tool, Some(tool)), &alice());
    }
    let program = ToolCall { kind: program.kind, ..call(session(&codex, "b"), "exec", Some("p")) };
    ask(&world, &codex, &program, &json!({"command": "true"}));
    let of = |name: &str| world.story(&codex).iter().filter(|(session, _)| session == name).count();
    assert_eq!((of("a"), of("b")), (4, 6));
}

#[test]
fn a_tool_that_is_nearly_called_like_a_wrapper_is_guarded() {
    let (rules, nothing) = (RuleSet::shipped(), Surrounding::unseen());
    let of = |runtime: &str, tool: &str, params: &Value| {
        let call = ToolCall { tool: tool.to_owned(), ..ToolCall::default() };
        let found = rules.classify(&call, runtime, params, &nothing);
        (found.tier as u8, found.context_keys.join(" "))
    };
    let refund = json!({"charge": "ch_1"});
    let carried = json!({"name": "stripe__create_refund", "args": refund});
    for runtime in ["openclaw", "claude-code", "codex", "gemini", "http"] {
        let mail = of(runtime, "tool_search_send_email", &alice());
        assert_eq!(mail, (3, "email:alice@example.com".to_owned()), "{runtime}");
        assert_eq!(of(runtime, "tool_search_create_refund", &refund).0, 4, "{runtime}");
        assert_eq!(of(runtime, "x__tool_call", &carried), of(runtime, "stripe__create_refund", &refund));
        // Whatever they are called elsewhere, looking for tools and waiting do nothing.
        for tool in ["tool_search", "tool_describe", "wait"] {
            assert!(of(runtime, tool, &json!({"query": "send a mail"})).0 < 2, "{runtime}: {tool}");
        }
    }
    // Of OpenClaw's own the gate sees what they call.
    for tool in ["tool_search", "tool_search_code", "tool_describe", "tool_call", "wait"] {
        assert_eq!(of("openclaw", tool, &carried), (0, String::new()), "{tool}");
    }
    for runtime in ["codex", "gemini", "http"] {
        let known = of(runtime, "stripe__create_refund", &refund);
        assert_eq!(of(runtime, "tool_call", &carried), known, "{runtime}");
    }
}

/// What only is observed runs, whoever has given it up: so it must not stand there as refused.
#[test]
fn an_observed_call_that_its_host_gave_up_stands_there_as_one_that_ran() {
    // Given up before its worker began, while it decided, and while it was flushed.
    for when in ["undecided", "deciding", "flushing"] {
        let mut world = World::new();
        let gate = world.gate_with("watcher", &json!({"mode": "observe", "durability": "disk"}));
        let a = session(&gate, "a");
        world.done(a, "write", &json!({"path": "/x"}));
        let guard = std::fs::OpenOptions::new().write(true).open(world.path().join("state.guard")).unwrap();
        if when != "flushing" {
            FileExt::lock_exclusive(&guard).unwrap();
        }
        let Answer::Wait(ticket) = gate.before(&call(a, "mail", Some("m")), &alice(), &world.now) else {
            panic!()
        };
        let let_run = match when {
            "deciding" => std::thread::scope(|scope| {
                let finished = scope.spawn(|| gate.finish(ticket, &world.now));
                // Whether its worker has begun or not, the guard is held.
                std::thread::sleep(std::time::Duration::from_millis(100));
                let given_up = gate.abandon(ticket, GivenUp::Late, &world.now);
                FileExt::unlock(&guard).unwrap();
                finished.join().unwrap();
                given_up
            }),
            _ => gate.abandon(ticket, GivenUp::Late, &world.now),
        };
        assert!(!matches!(let_run, Answer::Refuse(_)), "{when}: {let_run:?}");
        FileExt::unlock(&guard).unwrap();
        assert!(!matches!(gate.finish(ticket, &world.now), Answer::Refuse(_)));
        gate.forget(ticket);
        world.after(a, "mail", "m", Ended::Ok, None);
        gate.maintain(&world.now);
        let mail = world.story(&gate).split_off(1);
        assert_eq!(mail, rows(&[("a", "intercept"), ("a", "complete")]), "{when}");
        // Who enforces is told of it.
        let enforcing = world.gate("doug");
        world.refused(session(&enforcing, "b"), "mail", &alice());
    }
}

/// Models give ids again within a turn: the one that ends first need not be the one that began first.
#[test]
fn an_end_under_an_id_of_several_calls_goes_to_the_one_with_what_ran() {
    for (ended, outcome) in [(Ended::Ok, "complete"), (Ended::Refused, "refused")] {
        let mut world = World::new();
        let gate = world.gate("doug");
        let a = session(&gate, "a");
        let to = |name: &str| json!({"to": format!("{name}@example.com")});
        assert_eq!(world.before(a, "mail", "call_0", &to("alice")), Answer::Proceed);
        assert_eq!(world.before(a, "mail", "call_0", &to("bob")), Answer::Proceed);
        let second = report(a, "mail", Some("call_0"), ended, None);
        let _ = world.finish(&gate, gate.after_seeing(&second, &to("bob"), &world.now));
        assert_eq!(world.story(&gate), rows(&[("a", "intercept"), ("a", "intercept"), ("a", outcome)]));
        let other = world.gate("mira");
        let b = session(&other, "b");
        assert!(world.refused(b, "mail", &to("alice")).contains("is being acted on"), "{outcome}");
        let bob = world.try_call(b, "mail", &to("bob")).1;
        assert_eq!(matches!(bob, Answer::Refuse(_)), ended == Ended::Ok, "{bob:?}");
    }
}
