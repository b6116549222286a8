//! What an operator asks: why, who, what lately; and ending a lease by hand.

use std::fs;
use std::io::Write as _;

use callosum_core::gate::{Answer, Gate, Presence};
use callosum_core::machine::Machine;
use callosum_core::model::time::{Stamp, to_rfc3339};
use callosum_core::query::{EventKind, ExplainRequest, Filter, Over, RecentRequest, Released, Source, Story};
use callosum_core::record::SessionEvent;
use callosum_core::record::outcome::Ended;
use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::StateGuard;
use serde_json::{Value, json};

use crate::support::{Session, World, alice, session};

const ALICE: &str = "email:alice@example.com";

fn whats(story: &Story) -> Vec<(&str, EventKind)> {
    story.events.iter().map(|event| (event.session.as_str(), event.what)).collect()
}

fn clock(at: &str) -> String {
    assert!(callosum_core::model::time::from_rfc3339(at).is_some(), "{at}");
    "12:00".to_owned()
}

#[test]
fn the_story_tells_who_was_paused_by_what_and_how_it_ended() {
    let mut world = World::new();
    let (home, away) = (world.gate("home"), world.gate("away"));
    let (a, b) = (session(&home, "a"), session(&away, "b"));
    // This host tells what the model has read.
    let _ = away.model_call_started("run", &world.now);
    world.done(a, "mail", &alice());
    world.pass(60_000);
    world.refused(b, "mail", &alice());
    let _ = away.model_call_started("run", &world.now);
    let (id, answer) = world.try_call(b, "mail", &alice());
    assert_eq!(answer, Answer::Proceed);
    world.after(b, "mail", &id, Ended::Error, Some(7));
    world.done(a, "mail", &json!({"to": "bob@example.com"}));

    let story = home.why(ALICE, &world.now).unwrap();
    let expected = [
        ("a", EventKind::Started),
        ("a", EventKind::Complete),
        ("b", EventKind::Paused),
        ("b", EventKind::Read),
        ("b", EventKind::Retried),
        ("b", EventKind::Failed),
    ];
    assert_eq!(whats(&story), expected);
    let [started, ended, paused, read, retried, failed] = story.events.as_slice() else { unreachable!() };
    assert_eq!(ended.of, [started.seq]);
    assert_eq!(paused.shown, [started.seq]);
    assert_eq!(read.of, [paused.seq]);
    assert_eq!(retried.shown, [started.seq]);
    assert_eq!((failed.of.as_slice(), failed.exit_code), ([retried.seq].as_slice(), Some(7)));
    assert!(!story.earlier && story.leases.is_empty());
    assert_eq!(
        story.text(&clock),
        r#"email:alice@example.com: 3 calls by 2 sessions.

1. 12:00  home (test session a) started mail, tier 3
   with {"body":"hello","to":"alice@example.com"}
   12:00  ended: complete

2. 12:00  away (test session b) wanted mail, tier 3 and was paused: it was shown 1.
   with {"body":"hello","to":"alice@example.com"}
   12:00  the model read this

3. 12:00  away (test session b) started mail, tier 3, having been shown 1.
   with {"body":"hello","to":"alice@example.com"}
   12:00  ended: failed (exit 7), the tool failed

Nobody holds it now.
"#
    );
    let nobody = home.why("email:nobody@example.com", &world.now).unwrap();
    assert!(nobody.events.is_empty() && nobody.text(&clock).contains("has no call on it"));
}

#[test]
fn the_story_tells_what_is_open_held_and_of_any_tier() {
    let mut world = World::new();
    let gate = world.gate("home");
    let a = session(&gate, "a");
    world.done(a, "write", &json!({"path": "/tmp/x"}));
    let light = gate.why("file:/tmp/x", &world.now).unwrap();
    assert_eq!(whats(&light), [("a", EventKind::Started)]);
    assert_eq!(light.events[0].tier.map(|tier| tier as u8), Some(1));

    let (id, _) = world.try_call(a, "mail", &alice());
    let story = gate.why(ALICE, &world.now).unwrap();
    assert_eq!(story.leases.len(), 1);
    let text = story.text(&clock);
    assert!(
        text.contains("   now: still running\n") && text.contains("\nIt is held now:\n  by home (session a)"),
        "{text}"
    );
    world.after(a, "mail", &id, Ended::Running, None);
    world.pass(3_600_000);
    let text = gate.why(ALICE, &world.now).unwrap().text(&clock);
    assert!(text.contains("continues in the background") && text.contains("no outcome came"), "{text}");
    // Long out of every window, it is still told.
    world.pass(30 * 24 * 3_600_000);
    assert_eq!(whats(&gate.why(ALICE, &world.now).unwrap()).len(), 2);
}

#[test]
fn a_story_of_thousands_of_calls_is_bounded_and_says_so() {
    let mut world = World::new();
    let gate = world.gate("home");
    let a = session(&gate, "a");
    for _ in 0..510 {
        world.done(a, "message", &alice());
    }
    let story = gate.why(ALICE, &world.now).unwrap();
    assert!(story.earlier && story.events.len() <= 1_000);
    let text = story.text(&clock);
    assert!(text.contains("the journal has more") && text.contains("are left out here"), "{text}");
    assert!(text.len() < 8_000, "{}", text.len());
}

#[test]
fn a_story_is_safe_to_print() {
    let mut world = World::new();
    let gate = world.gate("home");
    let key = "x\u{1b}[2J\u{202e}@example.com";
    world.done(Session { gate: &gate, name: "a\nfaked", run: "run" }, "mail", &json!({ "to": key }));
    let keys =
        world.records(&gate).iter().find_map(|record| record["contextKeys"][0].as_str().map(str::to_owned));
    let text = gate.why(&keys.unwrap(), &world.now).unwrap().text(&clock);
    assert!(text.contains("started mail") && !text.contains("\nfaked"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn a_release_ends_the_lease_and_not_the_evidence() {
    let mut world = World::new();
    let (home, away) = (world.gate("home"), world.gate("away"));
    let (a, b) = (session(&home, "a"), session(&away, "b"));
    let (_, answer) = world.try_call(a, "pay", &alice());
    assert_eq!(answer, Answer::Proceed);
    assert!(world.refused(b, "pay", &alice()).contains("is held by another call"));

    let held = away.release(ALICE, "doug\non the phone", &world.now).unwrap();
    let Released { key, released } = Released::of(ALICE, &held);
    assert_eq!((key.as_str(), released.len()), (ALICE, 1));
    assert_eq!((released[0].session.as_str(), released[0].instance.as_str()), ("a", "home"));
    assert!(home.status(&world.now).leases.is_empty());
    let text = world.refused(b, "pay", &alice());
    assert!(text.contains("is being acted on"), "{text}");
    world.done(b, "pay", &alice());

    let story = home.why(ALICE, &world.now).unwrap();
    let end = story.events.iter().find(|event| event.what == EventKind::Released).unwrap();
    assert_eq!(end.reason.as_deref(), Some("by doug on the phone"));
    assert_eq!(end.of, [story.events[0].seq]);
    let blocked = story.events.iter().find(|event| event.what == EventKind::Blocked).unwrap();
    assert_eq!(blocked.shown, [story.events[0].seq]);
    // Nobody holds it: there is nothing to write.
    let before = world.records(&home).len();
    assert!(away.release(ALICE, "doug", &world.now).unwrap().is_empty());
    assert_eq!(world.records(&home).len(), before);
}

#[test]
fn a_release_takes_any_spelling_and_the_one_that_stands_there() {
    let mut world = World::new();
    let rules =
        r#"{"rules":[{"name":"post","tier":3,"tool":"post","contextKey":"channel:{params.target}"}]}"#;
    fs::write(world.path().join("tiers.json"), rules).unwrap();
    let gate = world.gate("home");
    let post = |channel: &str| json!({ "channel": channel, "target": "#general" });
    for (at, channel) in [("a", "irc"), ("b", "discord")] {
        let (_, answer) = world.try_call(session(&gate, at), "post", &post(channel));
        assert_eq!(answer, Answer::Proceed, "{channel}");
    }
    let held = |key: &str| -> Vec<String> {
        let ended = gate.release(key, "doug", &world.now).unwrap();
        ended.iter().map(|action| action.who.session.clone()).collect()
    };
    assert_eq!(held("channel:nobody"), [""; 0]);
    // On IRC the `#` belongs to the name.
    assert_eq!(held("channel:#general"), ["a", "b"]);
    let released = world.records(&gate);
    let released = released.iter().filter(|record| record["action"] == "released");
    let keys: Vec<_> = released.map(|record| record["contextKeys"].clone()).collect();
    assert_eq!(keys, [json!(["channel:#general"]), json!(["channel:general"])]);
}

#[test]
fn a_release_that_can_not_be_written_says_why() {
    let world = World::new();
    std::fs::create_dir(world.journal_path()).unwrap();
    let error = world.gate("home").release(ALICE, "doug", &world.now).unwrap_err();
    assert!(error.message.contains("journal.jsonl") && error.message.contains("to fix it"), "{error}");
}

fn recent(gate: &callosum_core::gate::Gate, world: &World, wanted: &Value) -> Vec<(String, &'static str)> {
    let found = gate.recent(&RecentRequest::read(&wanted.to_string()).unwrap(), &world.now).unwrap();
    assert_eq!(found.text.lines().count(), found.actions.len());
    found.actions.into_iter().map(|action| (action.context_keys.concat(), action.state)).collect()
}

#[test]
fn what_was_done_lately_is_told_by_resource_and_by_session() {
    let mut world = World::new();
    let (home, away) = (world.gate("home"), world.gate("away"));
    let (a, b, other_a) = (session(&home, "a"), session(&home, "b"), session(&away, "a"));
    assert!(home.recent(&RecentRequest::default(), &world.now).unwrap().text.is_empty());
    world.done(a, "mail", &alice());
    world.done(b, "mail", &json!({"to": "bob@example.com"}));
    let (_, answer) = world.try_call(other_a, "mail", &json!({"to": "eve@example.com"}));
    assert_eq!(answer, Answer::Proceed);
    world.done(b, "write", &json!({"path": "/tmp/x"}));

    let (mail_a, mail_b, mail_eve) = (
        (ALICE.to_owned(), "complete"),
        ("email:bob@example.com".to_owned(), "complete"),
        ("email:eve@example.com".to_owned(), "running"),
    );
    assert_eq!(recent(&home, &world, &json!({})), [mail_eve.clone(), mail_b.clone(), mail_a.clone()]);
    assert_eq!(recent(&home, &world, &json!({"limit": 1})), std::slice::from_ref(&mail_eve));
    assert_eq!(recent(&home, &world, &json!({ "key": ALICE })), std::slice::from_ref(&mail_a));
    assert_eq!(recent(&home, &world, &json!({"session": "b"})), std::slice::from_ref(&mail_b));
    // A session of the same name in another gateway is another session.
    assert_eq!(recent(&home, &world, &json!({"exceptSession": "a"})), [mail_eve.clone(), mail_b]);
    assert_eq!(home.recent(&RecentRequest::default(), &world.now).unwrap().leases.len(), 1);
    // What is held comes first, however much came after it.
    world.done(b, "mail", &json!({"to": "dan@example.com"}));
    assert_eq!(recent(&home, &world, &json!({"limit": 1})), std::slice::from_ref(&mail_eve));
    let newest = ("email:dan@example.com".to_owned(), "complete");
    assert_eq!(recent(&home, &world, &json!({"limit": 2})), [mail_eve, newest]);
    for bad in ["", "7", r#"{"limit":0}"#, r#"{"limit":101}"#, r#"{"sesion":"a"}"#] {
        let error = RecentRequest::read(bad).unwrap_err();
        assert_eq!(error.code, "bad-request", "{bad}");
    }
    world.pass(2 * 3_600_000);
    assert!(recent(&home, &world, &json!({})).is_empty());
}

#[test]
fn sessions_are_counted_with_what_they_hold() {
    let mut world = World::new();
    let (home, away) = (world.gate("home"), world.gate("away"));
    let (a, b) = (session(&home, "a"), session(&away, "b"));
    assert!(home.sessions(3_600_000, &world.now).unwrap().is_empty());
    world.done(a, "mail", &alice());
    world.pass(1_800_000);
    world.refused(b, "mail", &alice());
    world.done(b, "write", &json!({"path": "/tmp/x"}));
    let (_, answer) = world.try_call(b, "pay", &json!({"to": "bob@example.com"}));
    assert_eq!(answer, Answer::Proceed);

    let sessions = home.sessions(3_600_000, &world.now).unwrap();
    let [first, second] = sessions.as_slice() else { unreachable!("{sessions:?}") };
    assert_eq!((first.session.as_str(), first.instance.as_str()), ("b", "away"));
    assert_eq!((first.calls, first.paused, first.last_tool.as_deref()), (2, 1, Some("pay")));
    assert_eq!(first.holds, ["email:bob@example.com"]);
    assert_eq!((second.session.as_str(), second.calls, second.paused), ("a", 1, 0));
    assert!(second.holds.is_empty());
    assert_eq!(home.sessions(60_000, &world.now).unwrap().len(), 1);
    // Nobody says of sessions that only call whether they are over.
    assert!(sessions.iter().all(|session| session.over.is_none()));
}

/// Two machines may both have an instance and a session of one name.
#[test]
fn what_another_machine_did_is_told_with_its_name() {
    let mut world = World::new();
    let home = world.gate("home");
    world.done(session(&home, "a"), "mail", &alice());
    let line = json!({
        "v": 1, "action": "intercept", "tier": 4, "timestamp": to_rfc3339(world.now.wall_ms), "machine": "far", "instance": "home",
        "session": "a", "tool": "pay", "contextKeys": [ALICE], "attempt": "b0000000000000000000000000000001", "digest": "d",
        "leaseMs": 300_000, "ageMs": 1,
    });
    let mut journal = fs::OpenOptions::new().append(true).open(world.journal_path()).unwrap();
    journal.write_all(format!("{line}\n").as_bytes()).unwrap();

    let leases = home.status(&world.now).leases;
    let of = leases.iter().map(|lease| (lease.machine.as_deref(), lease.instance.as_str()));
    assert_eq!(of.collect::<Vec<_>>(), [(Some("far"), "home")]);
    let sessions = home.sessions(3_600_000, &world.now).unwrap();
    let held =
        sessions.iter().map(|session| (session.machine.as_deref(), session.calls, session.holds.len()));
    assert_eq!(held.collect::<Vec<_>>(), [(Some("far"), 1, 1), (None, 1, 0)]);
    let story = home.why(ALICE, &world.now).unwrap();
    assert_eq!(
        story.events.iter().map(|event| event.machine.as_deref()).collect::<Vec<_>>(),
        [None, None, Some("far")]
    );
    let text = story.text(&clock);
    assert!(text.contains("2 calls by 2 sessions"), "{text}");
    assert!(text.contains("home (test session a) started mail"), "{text}");
    assert!(text.contains("home on far (session a) started pay"), "{text}");
    assert!(text.contains("by home on far (session a), until"), "{text}");
}

/// Session, calls, and how it is known to be over, the latest first.
fn heard_of(source: &dyn Source, world: &World) -> Vec<(String, u64, Option<Over>)> {
    let sessions = source.sessions(3_600_000, &world.now).unwrap();
    sessions.into_iter().map(|session| (session.session, session.calls, session.over)).collect()
}

fn told(gate: &Gate, session: &str, event: SessionEvent, world: &World) {
    let reason = Some("because\n".repeat(100));
    let presence =
        Presence { session: session.to_owned(), agent: None, event, reason, cwd: None, needs_trust: false };
    gate.presence(&presence, &world.now);
}

#[test]
fn a_session_is_there_before_its_first_call_and_over_once_it_ended() {
    let mut world = World::new();
    let (gate, fresh) = (world.gate("home"), world.gate("home"));
    let heard = |name: &str, calls: u64, over: Option<Over>| (name.to_owned(), calls, over);
    told(&gate, "a", SessionEvent::Start, &world);
    assert_eq!(heard_of(&fresh, &world), [heard("a", 0, None)]);
    assert_eq!(heard_of(&world.view(), &world), [heard("a", 0, None)]);
    world.done(session(&gate, "b"), "write", &json!({"path": "/tmp/x"}));
    told(&gate, "a", SessionEvent::Prompt, &world);
    assert_eq!(heard_of(&fresh, &world), [heard("a", 0, None), heard("b", 1, None)]);
    world.done(session(&gate, "a"), "write", &json!({"path": "/tmp/x"}));
    told(&gate, "a", SessionEvent::End, &world);
    assert_eq!(heard_of(&fresh, &world), [heard("a", 1, Some(Over::Ended)), heard("b", 1, None)]);
    // It is resumed.
    told(&gate, "a", SessionEvent::Start, &world);
    assert_eq!(heard_of(&fresh, &world), [heard("a", 1, None), heard("b", 1, None)]);

    let records = world.records(&gate);
    let events: Vec<&str> = records.iter().filter_map(|record| record["event"].as_str()).collect();
    assert_eq!(events, ["start", "prompt", "end", "start"]);
    for record in records.iter().filter(|record| record["action"] == "session") {
        let reason = record["reason"].as_str().unwrap();
        assert!(reason.chars().count() <= 61 && !reason.contains('\n'), "{reason}");
        assert!(record.get("holder").is_some() && record.get("seen").is_none());
    }
    world.pass(3_600_001);
    assert!(heard_of(&fresh, &world).is_empty());
}

#[test]
fn a_session_whose_process_died_is_gone_and_one_that_only_calls_is_not() {
    let mut world = World::new();
    let gate = world.gate("home");
    told(&gate, "a", SessionEvent::Start, &world);
    told(&gate, "b", SessionEvent::Start, &world);
    world.done(session(&gate, "b"), "mail", &alice());
    world.done(session(&gate, "c"), "message", &alice());
    gate.close(&world.now);
    // This very process id, but started at another time: a process that is gone.
    let own = Machine::read().holder().unwrap();
    let journal = fs::read_to_string(world.journal_path()).unwrap();
    let dead = journal.replace(&format!("\"start\":{}", own.start), &format!("\"start\":{}", own.start + 1));
    fs::write(world.journal_path(), dead).unwrap();
    let gate = world.gate("home");
    let over = || -> Vec<Option<Over>> {
        let mut heard = heard_of(&gate, &world);
        heard.sort_by(|one, other| one.0.cmp(&other.0));
        heard.into_iter().map(|(_, _, over)| over).collect()
    };
    assert_eq!(over(), [Some(Over::Gone), Some(Over::Gone), None]);
    // Another process took it over.
    told(&gate, "b", SessionEvent::Prompt, &world);
    assert_eq!(over(), [Some(Over::Gone), None, None]);
}

#[test]
fn presence_waits_for_nobody_and_says_nothing_when_it_can_not_be_written() {
    let world = World::new();
    let gate = world.gate("home");
    let guard = StateGuard::open(&StateDir::new(world.path().to_owned())).unwrap();
    let held = guard.try_hold().unwrap().unwrap();
    told(&gate, "a", SessionEvent::Start, &world);
    drop(held);
    told(&gate, "b", SessionEvent::Start, &world);
    assert_eq!(heard_of(&gate, &world), [("b".to_owned(), 0, None)]);
}

#[test]
fn a_follower_gets_what_came_since() {
    let mut world = World::new();
    let gate = world.gate("home");
    world.done(session(&gate, "a"), "mail", &alice());
    let seen = world.records(&gate);
    let after = seen.last().unwrap()["seq"].as_u64();
    let filter = Filter { after, ..Filter::default() };
    assert!(gate.journal(&filter, &world.now).unwrap().entries.is_empty());
    world.done(session(&gate, "b"), "message", &alice());
    let news = gate.journal(&filter, &world.now).unwrap().entries;
    let actions: Vec<&str> = news.iter().filter_map(|record| record["action"].as_str()).collect();
    assert_eq!(actions, ["intercept", "complete"]);
}

#[test]
fn a_view_says_what_is_wrong_since_when_and_no_longer_than_it_is() {
    let mut world = World::new();
    let view = world.view();
    let degraded = |now: &Stamp| view.status(now).degraded.map(|degraded| (degraded.code, degraded.since));
    assert_eq!(degraded(&world.now), None);
    fs::write(world.journal_path(), "{\"v\":2,\"action\":\"intercept\",\"tier\":3}\n").unwrap();
    let first = degraded(&world.now).unwrap();
    assert_eq!(first.0, "newer-format");
    world.pass(60_000);
    assert_eq!(degraded(&world.now), Some(first));
    fs::remove_file(world.journal_path()).unwrap();
    assert_eq!(degraded(&world.now), None);
}

#[test]
fn a_call_that_is_not_guarded_is_explained_whatever_became_of_the_state() {
    let world = World::new();
    let (gate, view) = (world.gate("home"), world.view());
    fs::write(world.journal_path(), "{\"v\":2,\"action\":\"intercept\",\"tier\":3}\n").unwrap();
    for source in [&gate as &dyn Source, &view] {
        let explain = |tool: &str| {
            let request = json!({ "tool": tool, "params": alice() });
            source.explain(&ExplainRequest::read(&request.to_string()).unwrap(), &world.now)
        };
        let message = explain("message").unwrap();
        assert_eq!((message.verdict, message.context_keys), ("allow", vec![ALICE.to_owned()]));
        assert_eq!(explain("mail").unwrap_err().code, "newer-format");
    }
}

#[test]
fn whoever_looks_goes_back_as_far_as_the_rules_do() {
    let mut world = World::new();
    let far = r#"{"rules":[{"name":"mail","tier":3,"tool":"mail","contextKey":"email:{params.to}","recentWindowMs":864000000}]}"#;
    fs::write(world.path().join("tiers.json"), far).unwrap();
    let gate = world.gate("home");
    world.done(session(&gate, "a"), "mail", &alice());
    gate.close(&world.now);
    world.pass(5 * 24 * 3_600_000);
    let (fresh, view) = (world.gate("away"), world.view());
    for source in [&fresh as &dyn Source, &view] {
        assert_eq!(source.recent(&RecentRequest::default(), &world.now).unwrap().actions.len(), 1);
    }
}

#[test]
fn a_story_names_the_project_of_a_session_as_its_runtime_told_it_last() {
    let mut world = World::new();
    let home = world.gate("home");
    for cwd in ["/srv/old", "/srv/\"shop\"\n[Callosum]"] {
        let presence = Presence {
            session: "a".to_owned(),
            agent: None,
            event: SessionEvent::Start,
            reason: None,
            cwd: Some(cwd.to_owned()),
            needs_trust: false,
        };
        home.presence(&presence, &world.now);
    }
    world.done(session(&home, "a"), "mail", &alice());
    world.done(session(&home, "b"), "mail", &json!({"to": "bob@example.com"}));
    let of = |key: &str| {
        let story = home.why(key, &world.now).unwrap();
        let text = story.text(&clock).lines().nth(2).unwrap().to_owned();
        (story.events[0].project.clone(), text)
    };
    let (project, text) = of(ALICE);
    assert!(project.is_some_and(|project| project.starts_with("/srv/") && !project.contains("old")));
    assert!(text.contains("session a in \"") && !text.contains("[Callosum]"), "{text}");
    let (project, text) = of("email:bob@example.com");
    assert!(project.is_none() && text.contains("session b) started"), "{text}");
}
