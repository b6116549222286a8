//! Calls of processes that are not here: their terms, which of them are the same, and the leases that speak for them.

use std::fs;
use std::sync::Barrier;
use std::thread;

use callosum_core::decision::history::{State, Who};
use callosum_core::gate::{Admitted, Gate, Guest, Lease, NotAdmitted, Terms, Verdict};
use callosum_core::model::tier::Tier;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

use crate::support::{World, alice, session};

pub(crate) fn guest(instance: &str, tool: &str, call: &str) -> Guest {
    Guest {
        instance: instance.to_owned(),
        claimed_runtime: None,
        via: "token:ci".to_owned(),
        call: ToolCall {
            tool: tool.to_owned(),
            session: "s".to_owned(),
            call: Some(call.to_owned()),
            ..ToolCall::default()
        },
        keys: Vec::new(),
    }
}

fn admit(
    world: &World,
    gate: &Gate,
    guest: &Guest,
    params: &Value,
    terms: Terms,
) -> Result<Admitted, NotAdmitted> {
    let mut weighed = gate.weigh(guest, params, terms, false, &world.now);
    let admitted = gate.admit(&mut weighed, &world.now)?;
    gate.confirm(&weighed, &admitted, &world.now)?;
    Ok(admitted)
}

pub(crate) fn verdict(world: &World, gate: &Gate, guest: &Guest, terms: Terms) -> Verdict {
    admit(world, gate, guest, &alice(), terms).unwrap().verdict
}

fn settle(world: &World, gate: &Gate, instance: &str, call: &str, ended: Ended) -> bool {
    let settled = gate
        .settle_guest((call, None), &|owner| owner == instance, (ended, None, None), "token:ci", &world.now)
        .unwrap();
    gate.keep(&settled, &world.now);
    settled.is_written()
}

pub(crate) fn who(instance: &str) -> Who {
    Who::here(instance, "s")
}

/// The records that are about calls and leases, not about the journal or the process.
fn records(world: &World, gate: &Gate) -> Vec<Value> {
    let mut records = world.records(gate);
    records.retain(|record| record.get("session").is_some());
    records
}

pub(crate) fn actions(world: &World, gate: &Gate) -> Vec<String> {
    world.story(gate).into_iter().map(|(_, action)| action).collect()
}

#[test]
fn a_repeated_call_gets_the_same_verdict_over_restarts_and_writes_nothing() {
    let mut world = World::new();
    let serve = world.gate("serve");
    let (one, two) = (guest("http/a", "mail", "1"), guest("http/b", "mail", "1"));
    let first = admit(&world, &serve, &one, &alice(), Terms::Gate).unwrap();
    assert_eq!((first.verdict, first.text), (Verdict::Allow, None));
    assert_eq!(verdict(&world, &serve, &two, Terms::Gate), Verdict::Pause);
    let written = records(&world, &serve).len();
    serve.close(&world.now);

    // Longer than a host takes to fire twice, and than a pause takes to be read.
    world.pass(5_000);
    let serve = world.gate("serve");
    let again = admit(&world, &serve, &one, &alice(), Terms::Gate).unwrap();
    assert_eq!((again.verdict, again.expires_ms), (Verdict::Allow, first.expires_ms));
    let paused = admit(&world, &serve, &two, &alice(), Terms::Gate).unwrap();
    assert_eq!(paused.verdict, Verdict::Pause);
    assert!(paused.text.unwrap().contains("is being acted on"), "the pause tells its facts again");
    assert_eq!(paused.facts.len(), 1);
    assert_eq!(records(&world, &serve).len(), written);
    // The retry that the pause asks for is another call.
    assert_eq!(verdict(&world, &serve, &guest("http/b", "mail", "2"), Terms::Gate), Verdict::Allow);
}

#[test]
fn what_was_allowed_is_decided_anew_once_its_lease_has_ended_and_another_has_acted() {
    let mut world = World::new();
    let serve = world.gate("serve");
    for (tool, in_the_way) in [("pay", Verdict::Block), ("mail", Verdict::Pause)] {
        let id = |call: &str| format!("{tool} {call}");
        let one = guest("http/a", tool, &id("1"));
        assert_eq!(verdict(&world, &serve, &one, Terms::Gate), Verdict::Allow);
        world.pass(301_000);
        // Whoever comes meanwhile is told that its outcome is unknown, and takes the resource.
        assert_eq!(verdict(&world, &serve, &guest("http/b", tool, &id("1")), Terms::Gate), Verdict::Pause);
        world.pass(600);
        let two = guest("http/b", tool, &id("2"));
        assert_eq!(verdict(&world, &serve, &two, Terms::Gate), Verdict::Allow);
        let written = records(&world, &serve).len();
        for _ in 0..2 {
            let stopped = admit(&world, &serve, &one, &alice(), Terms::Gate).unwrap();
            assert_eq!(stopped.verdict, in_the_way, "{tool}");
            assert!(stopped.facts.iter().any(|fact| fact.who.instance == "http/b"), "{tool}");
        }
        // A block is decided and written each time, a pause once.
        let more = if in_the_way == Verdict::Block { 2 } else { 1 };
        assert_eq!(records(&world, &serve).len(), written + more, "{tool}");
        if in_the_way == Verdict::Block {
            assert!(settle(&world, &serve, "http/b", &id("2"), Ended::Ok));
        }
        world.pass(600);
        let paused = admit(&world, &serve, &one, &alice(), Terms::Gate).unwrap();
        assert_eq!(paused.verdict, Verdict::Pause, "{tool}");
        world.pass(600);
        assert_eq!(verdict(&world, &serve, &one, Terms::Gate), Verdict::Pause, "the same again is no retry");
        let retry = guest("http/a", tool, &id("3"));
        assert_eq!(verdict(&world, &serve, &retry, Terms::Gate), Verdict::Allow, "{tool}");
        // What became of the first can still be told.
        assert!(settle(&world, &serve, "http/a", &id("3"), Ended::Ok));
        assert!(settle(&world, &serve, "http/a", &id("1"), Ended::Error));
        world.pass(2 * 3_601_000);
    }
}

#[test]
fn what_lost_its_lease_gets_it_again_where_nothing_else_speaks_against_it() {
    let rules = json!({"rules": [
        {"name": "pay", "tier": 4, "tool": "pay", "contextKey": "email:{params.to}",
         "limit": {"count": 1, "windowMs": 3_600_000, "per": "rule"}, "lockExpiryMs": 600_000},
    ]});
    let mut world = World::new();
    fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    let serve = world.gate("serve");
    let one = guest("http/a", "pay", "1");
    let first = admit(&world, &serve, &one, &alice(), Terms::Gate).unwrap();
    for ends in [true, false] {
        if ends {
            world.pass(601_000);
        } else {
            assert_eq!(serve.release("email:alice@example.com", "ann", &world.now).unwrap().len(), 1);
            world.pass(1_000);
        }
        assert_eq!(serve.status(&world.now).leases.len(), 0);
        let again = admit(&world, &serve, &one, &alice(), Terms::Gate).unwrap();
        assert_eq!((again.verdict, again.seq()), (Verdict::Allow, first.seq()));
        assert_eq!(again.expires_ms, Some(world.now.plus_ms(600_000).wall_ms));
        assert_eq!(serve.status(&world.now).leases.len(), 1);
        // It holds it for who knows nothing but the journal, too.
        let other = world.gate("other");
        let text = world.try_call(session(&other, "x"), "pay", &alice()).1;
        assert!(matches!(&text, callosum_core::gate::Answer::Refuse(text) if text.contains("is held by")));
    }
    let written = actions(&world, &serve);
    assert_eq!(written, ["intercept", "extended", "blocked", "extended", "blocked"]);
    assert!(settle(&world, &serve, "http/a", "1", Ended::Ok));
    assert!(!settle(&world, &serve, "http/a", "1", Ended::Ok), "it is one call");
}

#[test]
fn what_has_ended_is_not_allowed_again_while_another_holds_the_resource() {
    let mut world = World::new();
    let serve = world.gate("serve");
    for terms in [Terms::Gate, Terms::Advice] {
        let of = |instance: &str, call: &str| guest(instance, "pay", &format!("{terms:?} {call}"));
        let one = of("http/a", "1");
        assert!(admit(&world, &serve, &one, &alice(), terms).unwrap().expires_ms.is_some());
        assert!(settle(&world, &serve, "http/a", one.call.call.as_deref().unwrap(), Ended::Ok));
        let again = admit(&world, &serve, &one, &alice(), terms).unwrap();
        assert_eq!((again.verdict, again.expires_ms), (Verdict::Allow, None));
        assert_eq!(verdict(&world, &serve, &of("http/b", "1"), Terms::Gate), Verdict::Pause);
        world.pass(600);
        assert_eq!(verdict(&world, &serve, &of("http/b", "2"), Terms::Gate), Verdict::Allow);
        let blocked = admit(&world, &serve, &one, &alice(), terms).unwrap();
        assert_eq!((blocked.verdict, blocked.facts.is_empty()), (Verdict::Block, false));
        assert_eq!(blocked.earlier, Some(State::Complete), "it was made, whoever holds the resource now");
        assert!(settle(&world, &serve, "http/b", &format!("{terms:?} 2"), Ended::Ok));
        assert_eq!(verdict(&world, &serve, &one, terms), Verdict::Allow);
        world.pass(2 * 3_601_000);
    }
}

#[test]
fn of_one_that_comes_back_without_its_lease_and_many_others_exactly_one_is_allowed() {
    const OTHERS: usize = 7;
    for round in 0..20 {
        let mut world = World::new();
        let serve = world.gate("serve");
        let late = guest("http/late", "pay", "1");
        assert_eq!(verdict(&world, &serve, &late, Terms::Gate), Verdict::Allow);
        world.pass(301_000);
        let mut calls = vec![late];
        for other in 0..OTHERS {
            let instance = format!("http/{other}");
            assert_eq!(verdict(&world, &serve, &guest(&instance, "pay", "1"), Terms::Gate), Verdict::Pause);
            calls.push(guest(&instance, "pay", "2"));
        }
        world.pass(600);
        let gates: Vec<Gate> = calls.iter().map(|call| world.gate(&call.instance)).collect();
        let start = Barrier::new(calls.len());
        let (world, start) = (&world, &start);
        let verdicts: Vec<Verdict> = thread::scope(|threads| {
            let ask = |(call, gate): (&Guest, &Gate)| {
                start.wait();
                verdict(world, gate, call, Terms::Gate)
            };
            let asked: Vec<_> =
                calls.iter().zip(&gates).map(|pair| threads.spawn(move || ask(pair))).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
        assert_eq!((count(Verdict::Allow), count(Verdict::Block)), (1, OTHERS), "{round}: {verdicts:?}");
    }
}

#[test]
fn an_id_of_an_open_call_can_not_stand_for_another_call() {
    let world = World::new();
    let serve = world.gate("serve");
    let call = guest("http/a", "mail", "1");
    assert_eq!(verdict(&world, &serve, &call, Terms::Gate), Verdict::Allow);
    let other = json!({"to": "bob@example.com"});
    assert!(matches!(admit(&world, &serve, &call, &other, Terms::Gate), Err(NotAdmitted::Reused)));
    let longer = json!({"to": "alice@example.com", "body": "another"});
    assert!(matches!(admit(&world, &serve, &call, &longer, Terms::Gate), Err(NotAdmitted::Reused)));
    assert!(settle(&world, &serve, "http/a", "1", Ended::Ok));
    assert_eq!(verdict(&world, &serve, &guest("http/b", "mail", "1"), Terms::Gate), Verdict::Pause);
}

#[test]
fn what_no_decision_looks_at_goes_on_before_it_is_written_and_is_there_for_whoever_asks() {
    let world = World::new();
    let serve = world.gate("serve");
    let unwritten = |gate: &Gate, tool: &str| {
        let mut weighed = gate.weigh(&guest("http/a", tool, "1"), &alice(), Terms::Gate, false, &world.now);
        gate.admit_unwritten(&mut weighed, &world.now).map(|admitted| (admitted.verdict, admitted.seq()))
    };
    let on_disk = || {
        let text = fs::read_to_string(world.journal_path()).unwrap_or_default();
        text.lines().filter(|line| line.contains("\"http/a\"")).count()
    };
    // Those of tiers 2 and up are decided, or are evidence.
    for tool in ["message", "mail", "pay"] {
        assert_eq!(unwritten(&serve, tool), None, "{tool}");
    }
    assert_eq!(unwritten(&serve, "look"), Some((Verdict::Allow, None)));
    assert_eq!(unwritten(&serve, "look"), Some((Verdict::Allow, None)));
    assert_eq!(on_disk(), 0);
    assert_eq!(actions(&world, &serve), ["intercept", "intercept"], "who asks finds it");
    assert_eq!(on_disk(), 2);
    assert_eq!(unwritten(&serve, "look"), Some((Verdict::Allow, None)));
    serve.write_what_went_on(&world.now);
    assert_eq!(on_disk(), 3);
    // What is decided later comes later.
    assert_eq!(unwritten(&serve, "look"), Some((Verdict::Allow, None)));
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "2"), Terms::Gate), Verdict::Allow);
    let tools: Vec<Value> =
        records(&world, &serve).into_iter().map(|record| record["tool"].clone()).collect();
    assert_eq!(tools, ["look", "look", "look", "look", "mail"]);
    // So many wait, and no more; closing writes them.
    let room = (0..2_000).take_while(|_| unwritten(&serve, "look").is_some()).count();
    assert_eq!(room, 1_000);
    serve.close(&world.now);
    assert_eq!(on_disk(), 1_005);
    // Where nothing goes on that can't be written, all are written first.
    let strict = world.gate_with("strict", &json!({"onStateError": "closed"}));
    assert_eq!(unwritten(&strict, "look"), None);
}

#[test]
fn nobody_ends_or_renews_a_call_of_another_instance() {
    let mut world = World::new();
    let serve = world.gate("serve");
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "1"), Terms::Gate), Verdict::Allow);
    assert!(!settle(&world, &serve, "http/b", "1", Ended::Ok));
    let extend = |world: &World, instance: &str| {
        serve.extend_guest(("1", None), &|owner| owner == instance, "token:ci", &world.now).unwrap()
    };
    assert_eq!(extend(&world, "http/b"), Lease::Free);
    assert_eq!(actions(&world, &serve), ["intercept"]);
    // Its own instance does; and what was settled stays.
    assert!(matches!(extend(&world, "http/a"), Lease::Until(_)));
    assert!(settle(&world, &serve, "http/a", "1", Ended::Maybe));
    world.pass(1);
    assert!(!settle(&world, &serve, "http/a", "1", Ended::Ok));
    assert_eq!(actions(&world, &serve), ["intercept", "extended", "unknown"]);
    assert!(records(&world, &serve).iter().all(|record| record["via"] == "token:ci"));
}

#[test]
fn only_a_renewed_lease_outlives_its_time_and_no_process_speaks_for_it() {
    let mut world = World::new();
    let serve = world.gate("serve");
    assert_eq!(verdict(&world, &serve, &guest("http/a", "pay", "1"), Terms::Gate), Verdict::Allow);
    let intent = world.records(&serve).into_iter().find(|record| record["action"] == "intercept").unwrap();
    assert_eq!(intent.get("holder"), None);
    world.pass(200_000);
    let until = serve.extend_guest(("1", Some("s")), &|_| true, "token:ci", &world.now).unwrap();
    assert_eq!(until, Lease::Until(world.now.plus_ms(300_000).wall_ms));
    world.pass(200_000);
    // Past its first end, in another process, from the journal alone.
    let other = world.gate("other");
    let mut blocked = world.try_call(session(&other, "x"), "pay", &alice()).1;
    assert!(
        matches!(&blocked, callosum_core::gate::Answer::Refuse(text) if text.contains("is held by")),
        "{blocked:?}"
    );
    world.pass(101_000);
    blocked = world.try_call(session(&other, "y"), "pay", &alice()).1;
    assert!(
        matches!(&blocked, callosum_core::gate::Answer::Refuse(text) if text.contains("outcome is unknown")),
        "{blocked:?}"
    );
    let late = serve.extend_guest(("1", None), &|_| true, "token:ci", &world.now).unwrap();
    assert_eq!(late, Lease::Free);
}

#[test]
fn advice_counts_other_instances_alone_warns_at_tier_3_and_refuses_at_tier_4() {
    let mut world = World::new();
    let serve = world.gate("serve");
    let advised = |world: &World, instance: &str, tool: &str, call: &str| {
        admit(world, &serve, &guest(instance, tool, call), &alice(), Terms::Advice).unwrap()
    };
    assert_eq!(advised(&world, "http/a", "mail", "1").text, None);
    // One's own action is no conflict.
    assert_eq!(advised(&world, "http/a", "mail", "2").facts, []);
    let warned = advised(&world, "http/b", "mail", "3");
    assert_eq!((warned.verdict, warned.facts.len()), (Verdict::Allow, 2));
    let text = warned.text.unwrap();
    assert!(text.contains("http/a") && text.ends_with("Go on only if it is still needed."), "{text}");
    for (instance, call) in [("http/a", "1"), ("http/a", "2"), ("http/b", "3")] {
        assert!(settle(&world, &serve, instance, call, Ended::Ok));
    }
    // No lease is left, and still tier 4 is refused, however often it is told so.
    for call in 4..7 {
        let refused = advised(&world, "http/c", "pay", &call.to_string());
        assert_eq!((refused.verdict, refused.facts.len()), (Verdict::Pause, 3));
        // Once more by the same id, and it is told the same.
        for refused in [refused, advised(&world, "http/c", "pay", &call.to_string())] {
            let text = refused.text.unwrap();
            assert!(text.contains("a retry does not help"), "{text}");
        }
        world.pass(1_000);
    }
    assert_eq!(advised(&world, "http/b", "pay", "7").facts.len(), 2);
    world.pass(3_601_000);
    assert_eq!(advised(&world, "http/c", "pay", "8").verdict, Verdict::Allow);
    assert_eq!(advised(&world, "http/d", "pay", "9").verdict, Verdict::Block);
}

#[test]
fn what_is_stopped_is_told_when_that_lapses() {
    let rules = json!({"rules": [
        {"name": "pay", "tier": 4, "tool": "pay", "contextKey": "account:{params.to}"},
        {"name": "post", "tier": 3, "tool": "post", "contextKey": "post:{params.to}", "onConflict": "block"},
    ]});
    let mut world = World::new();
    std::fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    let serve = world.gate("serve");
    let lapses = |world: &World, instance: &str, tool: &str, terms: Terms| {
        let call = format!("{instance} {tool}");
        let admitted = admit(world, &serve, &guest(instance, tool, &call), &alice(), terms).unwrap();
        (admitted.verdict, admitted.expires_ms)
    };
    let after = |world: &World, ms: u64| Some(world.now.plus_ms(ms).wall_ms);
    let lease = after(&world, 300_000);
    assert_eq!(lapses(&world, "http/a", "pay", Terms::Gate), (Verdict::Allow, lease));
    world.pass(1_000);
    assert_eq!(lapses(&world, "http/b", "pay", Terms::Gate), (Verdict::Block, lease));
    // Whoever is only told stays refused for as long as what was done is recent.
    let hour_behind = lease.map(|end| end + 3_600_000);
    assert_eq!(lapses(&world, "http/c", "pay", Terms::Advice), (Verdict::Block, hour_behind));
    assert!(settle(&world, &serve, "http/a", "http/a pay", Ended::Ok));
    let window = after(&world, 3_600_000);
    world.pass(1_000);
    assert_eq!(lapses(&world, "http/d", "pay", Terms::Advice), (Verdict::Pause, window));
    // A pause is no block: a retry helps.
    assert_eq!(lapses(&world, "http/e", "pay", Terms::Gate), (Verdict::Pause, None));
    assert_eq!(lapses(&world, "http/a", "post", Terms::Gate).0, Verdict::Allow);
    let hour_behind = after(&world, 300_000 + 3_600_000);
    assert_eq!(lapses(&world, "http/b", "post", Terms::Gate), (Verdict::Block, hour_behind));
    // And then it does: no later, and no sooner.
    world.pass(300_000 + 3_600_000);
    assert_eq!(lapses(&world, "http/c", "post", Terms::Gate).0, Verdict::Block);
    world.pass(1);
    assert_eq!(lapses(&world, "http/d", "post", Terms::Gate).0, Verdict::Allow);
}

#[test]
fn among_instances_a_pause_can_be_answered_and_ones_own_actions_are_none() {
    let mut world = World::new();
    let serve = world.gate("serve");
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "1"), Terms::AmongInstances), Verdict::Allow);
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "2"), Terms::AmongInstances), Verdict::Allow);
    assert_eq!(verdict(&world, &serve, &guest("http/b", "mail", "3"), Terms::AmongInstances), Verdict::Pause);
    // At once it is no retry, unless somebody says that the pause was read.
    assert_eq!(verdict(&world, &serve, &guest("http/b", "mail", "4"), Terms::AmongInstances), Verdict::Pause);
    assert_eq!(serve.guest_read(("4", None), &|owner| owner == "http/b", "token:ci", &world.now).unwrap(), 1);
    assert_eq!(verdict(&world, &serve, &guest("http/b", "mail", "5"), Terms::AmongInstances), Verdict::Allow);
    world.pass(1);
    // Its own lease does not block an instance at tier 4, another's does.
    let own = verdict(&world, &serve, &guest("http/c", "pay", "6"), Terms::AmongInstances);
    assert_eq!(own, Verdict::Block);
}

#[test]
fn a_lease_without_a_call_excludes_others_until_it_is_given_back_and_is_no_deed() {
    let mut world = World::new();
    let serve = world.gate("serve");
    let take = |world: &World, instance: &str| {
        serve
            .take_lease((&who(instance), "email:Alice@example.com"), Tier::Critical, "token:ci", &world.now)
            .unwrap()
    };
    let give = |world: &World, instance: &str| {
        serve.give_back((&who(instance), "email:Alice@example.com"), true, "token:ci", &world.now).unwrap()
    };
    let first = take(&world, "http/a");
    assert_eq!(first, Lease::Until(world.now.plus_ms(300_000).wall_ms));
    assert!(matches!(take(&world, "http/b"), Lease::HeldBy(holders) if holders[0].who.instance == "http/a"));
    assert!(matches!(give(&world, "http/b"), Lease::HeldBy(_)));
    world.pass(1_000);
    assert_eq!(take(&world, "http/a"), Lease::Until(world.now.plus_ms(300_000).wall_ms));
    let key = "email:Alice@example.com";
    let mut own = guest("http/a", "pay", "1");
    own.keys = vec![key.to_owned()];
    assert_eq!(verdict(&world, &serve, &own, Terms::Advice), Verdict::Allow);
    assert_eq!(give(&world, "http/a"), Lease::Free);
    // The call that held it, too, goes on without it; it stays evidence, the lease never was any.
    assert_eq!(actions(&world, &serve), ["leased", "extended", "intercept", "refused"]);
    assert!(serve.status(&world.now).leases.is_empty());
    assert!(matches!(take(&world, "http/b"), Lease::Until(_)));
    assert!(settle(&world, &serve, "http/a", "1", Ended::Error));
    // Past its end nothing was done.
    world.pass(301_000);
    let mut late = guest("http/c", "pay", "2");
    late.keys = vec![key.to_owned()];
    assert_eq!(admit(&world, &serve, &late, &alice(), Terms::Advice).unwrap().facts, []);
}

#[test]
fn what_failed_is_decided_anew_where_another_has_done_it_meanwhile() {
    let world = World::new();
    let rules =
        json!({"rules": [{"name": "pay", "tier": 4, "tool": "pay", "contextKey": "email:{params.to}"}]});
    fs::write(world.path().join("tiers.json"), rules.to_string()).unwrap();
    let serve = world.gate("serve");
    let ask =
        |instance: &str, call: &str| verdict(&world, &serve, &guest(instance, "pay", call), Terms::Gate);
    assert_eq!(ask("http/a", "r1"), Verdict::Allow);
    assert!(settle(&world, &serve, "http/a", "r1", Ended::Error));
    assert_eq!(ask("http/b", "x"), Verdict::Allow);
    assert!(settle(&world, &serve, "http/b", "x", Ended::Ok));
    assert_eq!(ask("http/a", "r1"), Verdict::Pause);
    // Where nobody has, the next try is a call of its own, with an end of its own.
    let other = |call: &str| {
        let mut other = guest("http/c", "pay", call);
        other.keys = vec!["email:carol@example.com".to_owned()];
        admit(&world, &serve, &other, &json!({"to": "carol@example.com"}), Terms::Gate).unwrap()
    };
    let first = other("r2");
    assert!(settle(&world, &serve, "http/c", "r2", Ended::Error));
    let second = other("r2");
    assert_eq!(second.verdict, Verdict::Allow);
    assert!(second.seq() > first.seq() && second.expires_ms.is_some());
    assert!(settle(&world, &serve, "http/c", "r2", Ended::Ok));
}

#[test]
fn an_end_without_a_call_settles_the_oldest_open_one_or_is_written_as_one() {
    let world = World::new();
    let serve = world.gate("serve");
    let end = |instance: &str, ended| {
        let who = who(instance);
        serve
            .settle_on_key((&who, "email:alice@example.com"), "mail", ended, "token:ci", &world.now)
            .unwrap()
            .is_written()
    };
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "1"), Terms::Advice), Verdict::Allow);
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "2"), Terms::Advice), Verdict::Allow);
    assert!(end("http/a", Ended::Ok));
    assert!(!settle(&world, &serve, "http/a", "1", Ended::Ok));
    assert!(end("http/a", Ended::Maybe));
    assert!(end("http/b", Ended::Ok));
    assert_eq!(
        actions(&world, &serve),
        ["intercept", "intercept", "complete", "unknown", "intercept", "complete"]
    );
    let facts = admit(&world, &serve, &guest("http/c", "mail", "3"), &alice(), Terms::Advice).unwrap().facts;
    assert_eq!(facts.len(), 3);
}

#[test]
fn a_guest_and_a_hook_that_want_the_same_see_each_other() {
    let mut world = World::new();
    let (serve, gateway) = (world.gate("serve"), world.gate("home"));
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "1"), Terms::Gate), Verdict::Allow);
    let text = world.refused(session(&gateway, "main"), "mail", &alice());
    assert!(text.contains("http/a"), "{text}");
    world.done(session(&gateway, "main"), "mail", &alice());
    let paused = admit(&world, &serve, &guest("http/b", "mail", "1"), &alice(), Terms::Gate).unwrap();
    assert_eq!((paused.verdict, paused.facts.len()), (Verdict::Pause, 2));
}

#[test]
fn what_the_policy_refuses_no_guest_may_do_either_and_it_waits_for_nothing() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let workspace = elsewhere.path().canonicalize().unwrap();
    let tree = workspace.join("shared-context");
    std::fs::create_dir(&tree).unwrap();
    let folders = json!({ "folders": [{ "path": tree, "mode": "enforce" }] });
    std::fs::write(world.path().join("context.json"), folders.to_string()).unwrap();
    let gate = world.gate("serve");
    let ask = |call: &str, command: &str, looks: bool| {
        let mut guest = guest("http/a", "exec", call);
        guest.call.cwd = Some(workspace.to_str().unwrap().to_owned());
        gate.weigh(&guest, &json!({ "command": command }), Terms::Gate, looks, &world.now)
    };
    // Where a link leads is looked at by a thread that may wait.
    std::os::unix::fs::symlink(&tree, workspace.join("link")).unwrap();
    assert!(ask("1", "echo x > link/priorities.md", false).asked_around());
    assert!(!ask("1", "rm -rf node_modules", false).asked_around());
    for (call, (command, rule, looks)) in [
        ("echo x > shared-context/priorities.md", "context.curator-only", true),
        ("echo x > link/priorities.md", "context.curator-only", true),
        ("rm -rf shared-context", "context.curator-only", false),
        ("rm -rf ~/.callosum", "state.protected", false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut weighed = ask(&call.to_string(), command, looks);
        assert!(!weighed.may_pause() && !weighed.asked_around(), "{command}");
        assert_eq!(weighed.rule_name(), Some(rule));
        let admitted = gate.admit(&mut weighed, &world.now).unwrap();
        assert_eq!((admitted.verdict, admitted.seq(), admitted.expires_ms), (Verdict::Denied, None, None));
        assert!(admitted.facts.is_empty() && admitted.text.unwrap().contains(rule), "{command}");
    }
    // What it calls its runtime and its agent makes it none of those that have a folder there.
    for (claimed, agent, owner) in
        [("openclaw", "main", "main"), ("codex", "main", "codex"), ("codex", "main", "http")]
    {
        let mut guest = guest("http/a", "write", owner);
        (guest.claimed_runtime, guest.call.agent) = (Some(claimed.to_owned()), Some(agent.to_owned()));
        let path = tree.join(format!("agent-outputs/{owner}/x.md"));
        let weighed = gate.weigh(&guest, &json!({ "path": path }), Terms::Gate, true, &world.now);
        let breach = Some("context.not-yours").filter(|_| owner != "http");
        assert_eq!(weighed.rule_name().filter(|rule| rule.starts_with("context.")), breach, "{owner}");
    }
    let mut passed = ask("9", "echo x >> shared-context/priorities.inbox.md", true);
    assert_eq!(gate.admit(&mut passed, &world.now).unwrap().verdict, Verdict::Allow);
    let denied: Vec<Value> =
        records(&world, &gate).into_iter().filter(|record| record["action"] == "denied").collect();
    assert_eq!(denied.len(), 4, "{denied:?}");
    assert_eq!((&denied[0]["via"], &denied[0]["instance"]), (&json!("token:ci"), &json!("http/a")));
    assert_eq!(denied[0]["path"], tree.join("priorities.md").to_str().unwrap());
}

#[test]
fn the_id_of_a_paused_call_tells_nothing_of_another_resource() {
    let world = World::new();
    let serve = world.gate("serve");
    assert_eq!(verdict(&world, &serve, &guest("http/b", "mail", "1"), Terms::Gate), Verdict::Allow);
    let paused = guest("http/a", "mail", "7");
    assert_eq!(verdict(&world, &serve, &paused, Terms::Gate), Verdict::Pause);
    assert_eq!(verdict(&world, &serve, &paused, Terms::Gate), Verdict::Pause);
    let other = admit(&world, &serve, &paused, &json!({"to": "carol@example.com"}), Terms::Gate).unwrap();
    assert_eq!((other.verdict, other.facts.len()), (Verdict::Allow, 0));
    // Nor of more resources than it was about.
    let two = |world: &World, call: &str| {
        let mut call = guest("http/a", "mail", call);
        call.keys = ["email:alice@example.com", "email:bob@example.com"].map(str::to_owned).to_vec();
        admit(world, &serve, &call, &alice(), Terms::Gate).unwrap()
    };
    assert_eq!(verdict(&world, &serve, &guest("http/a", "mail", "8"), Terms::Gate), Verdict::Pause);
    let bob =
        admit(&world, &serve, &guest("http/b", "mail", "2"), &json!({"to": "bob@example.com"}), Terms::Gate);
    assert_eq!(bob.unwrap().verdict, Verdict::Allow);
    assert_eq!((two(&world, "8").facts.len(), two(&world, "9").facts.len()), (2, 2));
}
