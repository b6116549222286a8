//! A journal under other rules: under the rules that wrote it every pause is the recorded one, and under others
//! what changes is what they change.

use std::collections::BTreeMap;

use callosum_core::gate::Answer;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::query::{Simulated, Source};
use callosum_core::record::outcome::Ended;
use callosum_core::rules::{RuleSet, SHIPPED_RULES};
use callosum_core::simulate::{Changed, Reason, Verdict};
use serde_json::{Value, json};

use crate::days;
use crate::support::{RULES, World, alice, call, session};

/// The journal under `rules`, beside the rules in force.
fn simulate(world: &World, rules: &str) -> Simulated {
    simulate_since(world, rules, None)
}

fn simulate_since(world: &World, rules: &str, since_ms: Option<i64>) -> Simulated {
    let rules = RuleSet::parse(rules).unwrap();
    world.view().simulate(rules, since_ms, &world.now, &mut |_, _| {}).unwrap()
}

/// The rules of the tests with a part of their text replaced.
fn but(from: &str, to: &str) -> String {
    assert!(RULES.contains(from), "{from}");
    RULES.replace(from, to)
}

/// The rules of the tests behind another one.
fn behind(rule: &str) -> String {
    but(r#"{"rules":["#, &format!(r#"{{"rules":[{rule},"#))
}

/// `rules` with every one of them only observing: what they stop changes then.
fn observing(rules: &str) -> String {
    let mut rules: Value = serde_json::from_str(rules).unwrap();
    for rule in rules["rules"].as_array_mut().unwrap() {
        rule["mode"] = json!("observe");
    }
    rules.to_string()
}

/// When whose call was stopped, and how, by the journal.
fn recorded(world: &World, source: &dyn Source) -> Vec<(String, String, Verdict)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let stopped = |record: &Value| {
        let verdict = if record["conflict"] == "lease" { Verdict::Block } else { Verdict::Pause };
        (text(&record["timestamp"]), text(&record["session"]), verdict)
    };
    let records = world.records(source);
    records.iter().filter(|record| record["action"] == "blocked").map(stopped).collect()
}

fn told(changed: &[Changed]) -> Vec<(String, String, Verdict)> {
    let stopped = changed.iter().filter(|call| call.before != Verdict::Allow);
    stopped.map(|call| (call.at.clone(), call.session.clone(), call.before)).collect()
}

/// A step of a linear congruential generator; the upper bits.
fn roll(seed: &mut u64, sides: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % sides
}

/// Hours of two gateways with three sessions each, on few resources: what is open, ends in every way, is
/// signalled or not, and rewritten.
fn hours(world: &mut World, seed: u64, calls: usize) {
    let gates = [world.gate("doug"), world.gate("emma")];
    let mut seed = seed;
    let mut open: Vec<(usize, usize, &str, String)> = Vec::new();
    for _ in 0..calls {
        let pick = |seed: &mut u64, from: &[&'static str]| from[roll(seed, from.len() as u64) as usize];
        let pause = [3, 200, 700, 30_000, 400_000, 1_900_000][roll(&mut seed, 6) as usize];
        world.pass(pause + roll(&mut seed, pause));
        let (at, name) = (roll(&mut seed, 2) as usize, roll(&mut seed, 3) as usize);
        let by = session(&gates[at], ["ann", "bob", "cid"][name]);
        let tool = pick(
            &mut seed,
            &["mail", "push", "pay", "exec", "bare", "watched", "message", "write", "mail", "pay"],
        );
        let to = pick(&mut seed, &["a@example.com", "b@example.com"]);
        let params = match tool {
            "exec" => json!({"command": pick(&mut seed, &["ship it", "ship that && rest", "ls"])}),
            "write" => json!({"path": "/tmp/a", "content": "x"}),
            "mail" if roll(&mut seed, 2) == 0 => {
                json!({"to": [to, "c@example.com"], "body": "y".repeat(500)})
            }
            _ => json!({"to": to, "body": pick(&mut seed, &["hello", "bye"])}),
        };
        let (id, answer) = world.try_call(by, tool, &params);
        match (answer, roll(&mut seed, 4)) {
            (Answer::Refuse(_), _) => {
                world.after(by, tool, &id, Ended::Refused, None);
                if roll(&mut seed, 2) == 0 {
                    let _ = by.gate.model_call_started("run", &world.now);
                }
            }
            (_, 0) => open.push((at, name, tool, id)),
            (_, way) => {
                world.pass(roll(&mut seed, 2_000));
                let ended = [Ended::Ok, Ended::Error, Ended::Aborted][way as usize - 1];
                world.after(by, tool, &id, ended, None);
            }
        }
        if open.len() > 3 {
            let (at, name, tool, id) = open.remove(roll(&mut seed, 3) as usize);
            let by = session(&gates[at], ["ann", "bob", "cid"][name]);
            world.after(by, tool, &id, Ended::Ok, Some(0));
        }
    }
}

#[test]
fn under_the_rules_that_wrote_a_journal_its_pauses_are_the_recorded_ones() {
    let mut verdicts = BTreeMap::new();
    for seed in 0..12 {
        let mut world = World::new();
        hours(&mut world, seed, 250);
        let stopped = recorded(&world, &world.view());
        for (.., verdict) in &stopped {
            *verdicts.entry(format!("{verdict:?}")).or_insert(0) += 1;
        }
        let same = simulate(&world, RULES).report;
        assert_eq!((same.judged, same.changed_calls), (same.calls, 0), "{seed}: {same:?}");
        assert_eq!(same.before.stopped(), stopped.len() as u64, "{seed}");
        assert_eq!((same.recorded, same.before), (same.before, same.after));
        let observed = simulate(&world, &observing(RULES)).report;
        assert_eq!(told(&observed.changed), stopped, "{seed}");
        assert_eq!(observed.after.stopped(), 0);
    }
    assert!(verdicts["Pause"] > 300 && verdicts["Block"] > 20, "{verdicts:?}");
}

#[test]
fn so_are_those_of_days_of_shell_commands_under_the_shipped_rules() {
    for (name, pauses) in [("day.jsonl", false), ("two.jsonl", true)] {
        let lines = days::read(name);
        let (world, replay) = days::replay(&lines, None, false);
        assert_eq!(!replay.refused.is_empty(), pauses);
        let same = simulate(&world, SHIPPED_RULES).report;
        assert_eq!((same.judged, same.changed_calls), (same.calls, 0), "{name}: {:?}", same.not_judged);
        assert_eq!(same.before.paused, replay.refused.len() as u64, "{name}");
        let observed = simulate(&world, &observing(SHIPPED_RULES)).report;
        assert_eq!(told(&observed.changed), recorded(&world, &world.view()), "{name}");
    }
    // What the day does twice is what the scopes are for: without them it would be paused, as often as by the gate
    // when each call is retried.
    let unscoped = SHIPPED_RULES.replace("\"scope\": \"otherSessions\"", "\"scope\": \"any\"");
    let day = days::read("day.jsonl");
    let simulated = simulate(&days::replay(&day, None, false).0, &unscoped).report;
    let real = days::replay(&day, Some(&unscoped), true).1.refused.len() as u64;
    assert_eq!(simulated.judged, simulated.calls);
    assert_eq!((simulated.before.paused, simulated.after.paused), (0, real));
}

#[test]
fn a_retry_after_a_recorded_pause_is_no_further_pause() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "ann"), "mail", &alice());
    world.pass(60_000);
    world.refused(session(&gate, "bob"), "mail", &alice());
    world.done(session(&gate, "bob"), "mail", &alice());
    for rules in [RULES.to_owned(), but(r#""tool":"mail""#, r#""tool":"mail","recentWindowMs":90000"#)] {
        let report = simulate(&world, &rules).report;
        assert_eq!((report.calls, report.before.paused, report.after.paused), (3, 1, 1));
    }
}

#[test]
fn a_lease_that_a_setting_gave_is_the_recorded_one() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"lockExpiryMs": 5_000_000}));
    let (_, answer) = world.try_call(session(&gate, "ann"), "mail", &alice());
    assert_eq!(answer, Answer::Proceed);
    // Longer ago than the window and the usual lease: it may have acted until its own lease ended.
    world.pass(6_000_000);
    world.refused(session(&gate, "bob"), "mail", &alice());
    let report = simulate(&world, RULES).report;
    assert_eq!((report.before.paused, report.after.paused), (1, 1));
    let short = but(r#""tool":"mail""#, r#""tool":"mail","lockExpiryMs":300000"#);
    assert_eq!(simulate(&world, &short).report.after.paused, 0);
    // Where a rule gave it, it goes with the rule.
    std::fs::write(world.path().join("tiers.json"), short.replace("300000", "5000000")).unwrap();
    let report = simulate(&world, RULES).report;
    assert_eq!((report.before.paused, report.after.paused), (1, 0));
}

#[test]
fn a_call_that_ran_has_answered_its_pause() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let message = json!({"to": "a@example.com"});
    world.done(session(&gate, "ann"), "message", &message);
    world.pass(60_000);
    world.done(session(&gate, "bob"), "message", &message);
    let strict = but(r#""name":"message","tier":2"#, r#""name":"message","scope":"otherSessions","tier":3"#);
    // Sooner than a pause counts as read without a signal.
    for _ in 0..3 {
        world.pass(100);
        world.done(session(&gate, "bob"), "message", &message);
        assert_eq!(simulate(&world, &strict).report.after.paused, 1);
    }
}

#[test]
fn a_block_that_would_have_been_a_pause_was_read_like_one() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let _ = gate.model_call_started("run", &world.now);
    let (_, answer) = world.try_call(session(&gate, "ann"), "pay", &alice());
    assert_eq!(answer, Answer::Proceed);
    world.pass(1_000);
    // Ann's lease ends with nobody knowing how it went: a block has not shown it to Bob, a pause would have.
    world.refused(session(&gate, "bob"), "pay", &alice());
    world.pass(360_000);
    world.refused(session(&gate, "bob"), "pay", &alice());
    let report = simulate(&world, &but(r#""name":"pay","tier":4"#, r#""name":"pay","tier":3"#)).report;
    assert_eq!((report.before.blocked, report.before.paused), (1, 1));
    assert_eq!((report.after.blocked, report.after.paused), (0, 1));
}

/// It tells neither the lines behind it nor which other parameters there were.
#[test]
fn the_first_line_of_a_command_judges_nothing() {
    let mut world = World::new();
    let gate = world.gate_with("doug", &json!({"summaries": "all"}));
    world.done(session(&gate, "ann"), "exec", &json!({"command": "ls", "cwd": "/w"}));
    assert!(world.records(&gate).iter().any(|record| record["params"] == r#"{"command":"ls"}"#));
    let rules = behind(r#"{"name":"here","tier":3,"tool":"exec","params":{"cwd":"/w"},"contextKey":"x"}"#);
    let report = simulate(&world, &rules).report;
    assert_eq!(report.not_judged, BTreeMap::from([(Reason::Parameters, 1)]));
}

#[test]
fn a_folder_that_the_journal_does_not_tell_is_not_made_up() {
    let build =
        |key: &str| behind(&format!(r#"{{"name":"build","tier":3,"tool":"build","contextKey":"{key}"}}"#));
    let mut world = World::new();
    std::fs::write(world.path().join("tiers.json"), build("build:{workFolder}")).unwrap();
    let gate = world.gate("doug");
    let mut build_in = |name: &str, cwd: Option<&str>| {
        world.pass(1_000);
        let call = ToolCall { cwd: cwd.map(str::to_owned), ..call(session(&gate, name), "build", None) };
        let answer = gate.before(&call, &json!({}), &world.now);
        let _ = world.finish(&gate, answer);
    };
    build_in("ann", Some("/a"));
    build_in("bob", Some("/b"));
    build_in("bob", Some("/a"));
    let same = simulate(&world, &build("build:{workFolder}")).report;
    assert_eq!((same.judged, same.before.paused, same.after.paused), (3, 1, 1));
    let other = simulate(&world, &build("made:{workFolder}")).report;
    assert_eq!((other.judged, other.not_judged), (0, BTreeMap::from([(Reason::Keys, 3)])));

    // A runtime that says none says none under other rules either.
    let mut world = World::new();
    std::fs::write(world.path().join("tiers.json"), build("build:{workFolder}")).unwrap();
    let gate = world.gate("doug");
    world.done(session(&gate, "ann"), "build", &json!({}));
    world.refused(session(&gate, "bob"), "build", &json!({}));
    let report = simulate(&world, &build("made:{workFolder}")).report;
    assert_eq!((report.judged, report.after.paused), (2, 1));
    assert_eq!(report.changed_calls, 0);
}

#[test]
fn a_window_a_scope_and_a_tier_change_what_they_should() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let (ann, bob) = (session(&gate, "ann"), session(&gate, "bob"));
    world.done(ann, "mail", &alice());
    world.pass(1_200_000);
    world.refused(bob, "mail", &alice());
    world.pass(60_000);
    world.done(ann, "push", &alice());
    world.pass(60_000);
    world.done(ann, "push", &alice());
    let paused = |rules: &str| {
        let report = simulate(&world, rules).report;
        assert_eq!(report.judged, 4);
        (report.before.paused, report.after.paused, report.changed)
    };
    let (before, after, changed) =
        paused(&but(r#""tool":"mail""#, r#""tool":"mail","recentWindowMs":600000"#));
    assert_eq!((before, after), (1, 0));
    assert_eq!((changed[0].before, changed[0].after), (Verdict::Pause, Verdict::Allow));
    assert_eq!(changed[0].context_keys, ["email:alice@example.com"]);
    assert_eq!(paused(&but(r#","scope":"otherSessions""#, "")).1, 2);
    assert_eq!(paused(&but(r#""name":"mail","tier":3"#, r#""name":"mail","tier":2"#)).1, 0);
    assert_eq!(paused(&observing(RULES)).1, 0);
    // Another key, and all four are on one resource.
    let one_key = but("push:{params.to}", "email:{params.to}").replace(r#","scope":"otherSessions""#, "");
    assert_eq!(paused(&one_key).1, 3);
}

#[test]
fn a_light_call_is_judged_by_its_tool_where_nothing_else_is_asked() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let file = json!({"path": "/srv/a", "content": "x"});
    world.done(session(&gate, "ann"), "write", &file);
    world.pass(60_000);
    world.done(session(&gate, "bob"), "write", &file);
    world.done(session(&gate, "bob"), "exec", &json!({"command": "ls"}));
    // The keys that were recorded are those of the same template.
    let raised = simulate(&world, &but(r#""name":"write","tier":1"#, r#""name":"write","tier":3"#)).report;
    assert_eq!((raised.judged, raised.after.paused), (3, 1));
    let changed = &raised.changed[0];
    assert_eq!((changed.session.as_str(), changed.context_keys[0].as_str()), ("bob", "file:/srv/a"));
    assert_eq!(
        (changed.rule_before.as_deref(), changed.rule_after.as_deref()),
        (Some("write"), Some("write"))
    );
    let own = behind(r#"{"name":"writes","tier":3,"tool":"write","contextKey":"file:{params.path}"}"#);
    assert_eq!(simulate(&world, &own).report.after.paused, 1);
    let fixed = behind(r#"{"name":"writes","tier":3,"tool":["write","exec"],"contextKey":"disk"}"#);
    assert_eq!(simulate(&world, &fixed).report.after.paused, 2);
    // What they were made of was not kept.
    let other = but(
        r#""tier":1,"tool":"write","contextKey":"file:{params.path}""#,
        r#""tier":3,"tool":"write","contextKey":"path:{params.path}""#,
    );
    let report = simulate(&world, &other).report;
    assert_eq!((report.judged, report.not_judged), (1, BTreeMap::from([(Reason::Keys, 2)])));
    // Which calls a rule is for that looks at parameters can't be told; those of other tools can.
    let picky = behind(r#"{"name":"srv","tier":3,"tool":"write","params":{"path":"/srv/a"}}"#);
    let report = simulate(&world, &picky).report;
    assert_eq!((report.judged, report.not_judged), (1, BTreeMap::from([(Reason::Parameters, 2)])));
    let shell = behind(r#"{"name":"ls","tier":3,"tool":"exec","command":"ls","contextKey":"ls"}"#);
    let report = simulate(&world, &shell).report;
    assert_eq!((report.judged, report.not_judged), (2, BTreeMap::from([(Reason::Parameters, 1)])));
    let moved = but("^ship", "^l");
    let report = simulate(&world, &moved).report;
    assert_eq!((report.judged, report.not_judged), (2, BTreeMap::from([(Reason::Parameters, 1)])));
    // When it ended is not told: it held nothing.
    let critical = simulate(&world, &but(r#""name":"write","tier":1"#, r#""name":"write","tier":4"#)).report;
    assert_eq!((critical.after.paused, critical.after.blocked), (1, 0));
    // For whom a rule is, is known.
    let cid = behind(r#"{"name":"srv","tier":3,"tool":"write","params":{"path":"/srv/a"},"session":"cid"}"#);
    assert_eq!(simulate(&world, &cid).report.judged, 3);
}

#[test]
fn what_was_cut_or_taken_out_is_not_guessed_at() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let to_bob = |body: String| json!({"to": "bob@example.com", "body": body});
    let long = "very ".repeat(100);
    for params in [
        to_bob("short\nwith lines".to_owned()),
        to_bob(long.clone()),
        json!({"to": format!("{long}bob@example.com")}),
        json!({"to": "bob@example.com", "topic": "token=abc"}),
    ] {
        world.done(session(&gate, "ann"), "message", &params);
        world.pass(1_000);
    }
    // The recipient is whole in three of four, whatever else was cut.
    let by_recipient = behind(
        r#"{"name":"bob","tier":3,"tool":"message","params":{"to":"bob@example.com"},"contextKey":"bob"}"#,
    );
    let report = simulate(&world, &by_recipient).report;
    assert_eq!((report.judged, report.assumed, report.after.paused), (4, 1, 2), "{report:?}");
    // A body is, where it was short enough; one in lines, and one that was cut, may be another.
    let by_body =
        behind(r#"{"name":"bob","tier":3,"tool":"message","params":{"body":"x"},"contextKey":"bob"}"#);
    let report = simulate(&world, &by_body).report;
    assert_eq!((report.judged, report.assumed, report.after.paused), (4, 2, 0));
    let by_topic =
        behind(r#"{"name":"bob","tier":3,"tool":"message","params":{"topic":"x"},"contextKey":"bob"}"#);
    assert_eq!(simulate(&world, &by_topic).report.assumed, 1);
}

#[test]
fn a_command_in_lines_is_not_read_as_one_line() {
    let mut world = World::new();
    let gate = world.gate("doug");
    let ann = session(&gate, "ann");
    world.done(ann, "exec", &json!({"command": "ship it"}));
    world.pass(7_200_000);
    world.done(ann, "exec", &json!({"command": "ship it\nls -l"}));
    world.pass(7_200_000);
    world.done(ann, "exec", &json!({"command": format!("ship {}", "x".repeat(200))}));
    let rule = behind(r#"{"name":"ls","tier":3,"tool":"exec","command":"ls","contextKey":"ls"}"#);
    let report = simulate(&world, &rule).report;
    // The first is known to be whole by its digest.
    assert_eq!((report.judged, report.assumed), (3, 2));
    // Rules with another rule for it that is named like the one that wrote it: its word is enough.
    let renamed = but(
        r#""name":"ship","tier":3,"tool":"exec","commandPattern":"^ship""#,
        r#""name":"sail","tier":3,"tool":"exec","commandPattern":"^ship.*""#,
    );
    let report = simulate(&world, &renamed).report;
    assert_eq!((report.judged, report.not_judged), (1, BTreeMap::from([(Reason::Rule, 2)])));
}

#[test]
fn only_calls_since_then_are_counted_and_what_came_before_still_decides() {
    let mut world = World::new();
    let gate = world.gate("doug");
    world.done(session(&gate, "ann"), "mail", &alice());
    world.pass(60_000);
    let since_ms = world.now.wall_ms;
    world.refused(session(&gate, "bob"), "mail", &alice());
    let report = simulate_since(&world, RULES, Some(since_ms)).report;
    assert_eq!((report.calls, report.before.paused), (1, 1));
    world.pass(1);
    assert_eq!(simulate_since(&world, RULES, Some(world.now.wall_ms)).report.calls, 0);
}

#[test]
fn closed_segments_are_read_and_those_out_of_reach_are_not() {
    let mut world = World::new();
    let gate =
        world.gate_with("doug", &json!({"journalMaxBytes": 65_536, "journalMaxAgeMs": 300_000_000_000_u64}));
    let ann = session(&gate, "ann");
    world.done(ann, "mail", &alice());
    for _ in 0..400 {
        world.done(ann, "write", &json!({"path": "/tmp/a"}));
        world.pass(5_000);
    }
    gate.maintain(&world.now);
    assert!(std::fs::read_dir(world.path()).unwrap().count() > 4);
    world.refused(session(&gate, "bob"), "mail", &alice());
    let report = simulate(&world, RULES).report;
    assert_eq!((report.calls, report.before.paused), (402, 1));
    let since = Some(world.now.wall_ms - 10_000);
    let simulated = simulate_since(&world, RULES, since);
    assert!(simulated.report.calls < 5 && simulated.report.before.paused == 1, "{simulated:?}");
}

#[test]
fn lines_that_tell_no_decision_are_counted_apart() {
    let world = World::new();
    let lines = [
        json!({"action": "complete", "tier": 3, "timestamp": "2026-01-01T00:00:00.000Z", "session": "a",
            "contextKey": "email:alice@example.com", "tool": "mail"}),
        json!({"v": 1, "action": "refused", "tier": 3, "timestamp": "2026-01-01T00:00:01.000Z", "instance": "doug",
            "session": "a", "tool": "mail", "contextKeys": ["email:alice@example.com"]}),
        json!({"v": 9, "action": "intercept", "timestamp": "2026-01-01T00:00:02.000Z"}),
        json!({"v": 1, "action": "blocked", "conflict": "recent", "tier": 3, "timestamp": "2026-01-01T00:00:03.000Z",
            "instance": "doug", "session": "b", "tool": "mail", "ruleName": "mail", "digest": "0",
            "contextKeys": ["email:alice@example.com"], "evidence": [{"seq": 0}]}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(world.journal_path(), format!("{text}{{\"v\":1,\"action\":\"intercept\",\"tier\":1,}}\n"))
        .unwrap();
    let Simulated { report, skipped, .. } = simulate(&world, RULES);
    // A finished action of the original plugin is evidence.
    assert_eq!((report.calls, report.judged, report.before.paused, skipped), (3, 1, 1, 2));
    assert_eq!(report.not_judged, BTreeMap::from([(Reason::Undecided, 1), (Reason::Original, 1)]));
}

#[test]
fn a_journal_that_is_not_there_and_rules_that_cannot_be_used_are_told() {
    let world = World::new();
    std::fs::remove_file(world.path().join("tiers.json")).unwrap();
    let simulated = simulate(&world, RULES);
    assert_eq!((simulated.report.calls, simulated.rules_before.as_str()), (0, "built in"));
    std::fs::write(world.path().join("tiers.json"), "{").unwrap();
    assert!(simulate(&world, RULES).rules_error.unwrap().contains("tiers.json"));
}
