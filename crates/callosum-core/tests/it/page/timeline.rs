//! What the timeline says of calls.

use super::*;

/// The events of the timeline as `what` and whether they say how they stand.
fn told(source: &dyn Source, request: &Value, now: &Stamp) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let events = merged(&pieces(source, "timeline", request, now), "events");
    events.iter().map(|event| (text(&event["what"]).unwrap(), text(&event["stands"]))).collect()
}

fn what(told: &[(String, Option<String>)]) -> Vec<&str> {
    told.iter().map(|(what, _)| what.as_str()).collect()
}

#[test]
fn an_outcome_belongs_to_its_start_though_it_came_later_than_was_asked_for() {
    let mut world = World::new();
    let gate = world.gate("home");
    let begin = world.now.wall_ms;
    let (first, _) = world.try_call(session(&gate, "a"), "mail", &alice());
    world.pass(60_000);
    let to = world.now.wall_ms;
    world.pass(60_000);
    let (second, _) = world.try_call(session(&gate, "b"), "push", &json!({ "to": "bob" }));
    world.pass(60_000);
    world.after(session(&gate, "a"), "mail", &first, Ended::Ok, None);
    world.after(session(&gate, "b"), "push", &second, Ended::Error, None);
    world.pass(3_600_000);
    let wanted = json!({ "from": begin, "to": to });
    let events = told(&gate, &wanted, &world.now);
    // Neither the later start nor its outcome.
    assert_eq!(what(&events), ["started", "complete"]);
    assert!(events.iter().all(|(_, stands)| stands.is_none()));
    assert_eq!(told(&world.view(), &wanted, &world.now), events);
    let answer = ask(&gate, "timeline", &wanted, &world.now);
    let [start, end] = [&answer["events"][0], &answer["events"][1]];
    assert_eq!(end["of"][0], start["seq"]);
    assert_eq!(start["contextKeys"], json!(["email:alice@example.com"]));
    assert_eq!(start.get("params"), None);
    assert_eq!(answer["head"], ask(&gate, "head", &json!({}), &world.now)["head"]);
}

#[test]
fn an_outcome_is_looked_for_as_long_as_it_may_come() {
    let world = World::new();
    let begin = world.now.wall_ms - 24 * HOUR;
    let line = |action: Action, minutes: i64, of: Option<u64>| {
        let mut record = record(action, Tier::High, begin + minutes * MINUTE);
        record.of = of.into_iter().collect();
        record.to_line().unwrap()
    };
    let first = write(&world, &[vec![line(Action::Intercept, 0, None)]])[1].0;
    let written = write(
        &world,
        &[
            vec![line(Action::Intercept, 0, None)],
            vec![line(Action::Running, 5, Some(first)), line(Action::Intercept, 6, None)],
            vec![line(Action::Complete, 14, Some(first))],
            vec![line(Action::Intercept, 600, None)],
        ],
    );
    assert_eq!(written[1].0, first);
    let wanted = json!({ "from": begin, "to": begin + MINUTE });
    let events = told(&world.view(), &wanted, &world.now);
    assert_eq!(what(&events), ["started", "running", "complete"]);
    assert!(events.iter().all(|(_, stands)| stands.is_none()));
}

#[test]
fn how_a_call_stands_is_told_where_it_is_known() {
    let mut world = World::new();
    let gate = world.gate("home");
    let from = world.now.wall_ms;
    world.try_call(session(&gate, "a"), "mail", &alice());
    world.pass(1_000);
    world.done(session(&gate, "b"), "push", &json!({ "to": "bob" }));
    let wanted = json!({ "from": from, "to": world.now.wall_ms });
    let running = Some("still running".to_owned());
    let expected =
        [("started".to_owned(), running), ("started".to_owned(), None), ("complete".to_owned(), None)];
    assert_eq!(told(&gate, &wanted, &world.now), expected);
    assert_eq!(told(&world.view(), &wanted, &world.now), expected);
    // In a piece of its own the start does not show that nothing came after it: the gate knows, a view does not.
    let one_by_one = json!({ "from": from, "to": world.now.wall_ms, "limit": 1 });
    assert_eq!(told(&gate, &one_by_one, &world.now), expected);
    assert_eq!(told(&world.view(), &one_by_one, &world.now)[0], ("started".to_owned(), None));
    world.pass(3_600_000);
    let lapsed = "no outcome came, so it is unknown, verify first";
    assert_eq!(told(&gate, &wanted, &world.now)[0].1.as_deref(), Some(lapsed));
}

#[test]
fn low_tiers_are_on_the_timeline_only_when_asked_for() {
    let mut world = World::new();
    let gate = world.gate("home");
    let from = world.now.wall_ms;
    world.done(session(&gate, "a"), "write", &json!({ "path": "/tmp/x" }));
    world.done(session(&gate, "a"), "message", &alice());
    world.done(session(&gate, "a"), "mail", &json!({ "to": "bob@example.com" }));
    gate.maintain(&world.now);
    let tiers = |min_tier: u8| {
        let wanted = json!({ "from": from, "to": world.now.wall_ms, "minTier": min_tier });
        let events = merged(&pieces(&gate, "timeline", &wanted, &world.now), "events");
        events.iter().map(|event| event["tier"].as_u64().unwrap()).collect::<Vec<u64>>()
    };
    assert_eq!(tiers(0), [1, 2, 2, 3, 3]);
    assert_eq!(tiers(2), [2, 2, 3, 3]);
    assert_eq!(tiers(3), [3, 3]);
    let by_default = told(&gate, &json!({ "from": from, "to": world.now.wall_ms }), &world.now);
    assert_eq!(by_default.len(), 4);
}

#[test]
fn pauses_and_blocks_are_counted_apart() {
    let world = World::new();
    let now = world.now.wall_ms;
    let call = |action: Action, conflict| {
        let mut record = record(action, Tier::Critical, now - MINUTE);
        record.conflict = conflict;
        record.to_line().unwrap()
    };
    let mut unnamed = record(Action::Intercept, Tier::None, now - 2 * MINUTE);
    (unnamed.rule_name, unnamed.session) = (None, None);
    write(
        &world,
        &[vec![
            unnamed.to_line().unwrap(),
            call(Action::Intercept, None),
            call(Action::Blocked, Some(Conflict::Recent)),
            call(Action::Blocked, Some(Conflict::Lease)),
            // An outcome is no call.
            call(Action::Complete, None),
            b"torn\n".to_vec(),
        ]],
    );
    let tally = ask(
        &world.gate("home"),
        "tally",
        &json!({ "from": now - HOUR, "to": now, "bucketMs": HOUR * 2 }),
        &world.now,
    );
    let row = |session, tier, calls, paused| {
        json!({
            "at": now - HOUR, "instance": "home", "session": session, "runtime": "",
            "tier": tier, "calls": calls, "paused": paused,
        })
    };
    assert_eq!(tally["buckets"], json!([row("", 0, 1, 0), row("a", 4, 3, 2)]));
    assert_eq!(
        tally["rules"],
        json!([
            { "rule": null, "calls": 1, "paused": 0, "blocked": 0, "last": now - 2 * MINUTE },
            { "rule": "mail", "calls": 3, "paused": 1, "blocked": 1, "last": now - MINUTE },
        ])
    );
    assert_eq!((tally["next"].clone(), tally["reached"].clone()), (Value::Null, json!(now - HOUR)));
}
