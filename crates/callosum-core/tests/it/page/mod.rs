//! What the page asks: bounded pieces of the journal that add up to the whole truth.

mod filters;
mod rules;
mod timeline;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::Arc;
use std::time::Duration;

use callosum_core::gate::Gate;
use callosum_core::model::tier::Tier;
use callosum_core::model::time::{Stamp, from_rfc3339};
use callosum_core::query::{self, Filter, Source};
use callosum_core::record::outcome::Ended;
use callosum_core::record::{Action, Conflict, Record};
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::mishaps::Mishaps;
use callosum_testing::gate::options;
use serde_json::{Value, json};

use crate::support::{World, alice, session};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

fn ask(source: &dyn Source, question: &str, request: &Value, now: &Stamp) -> Value {
    let answer = query::answer(source, question, &request.to_string(), now).unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// All pieces, the newest first.
fn pieces(source: &dyn Source, question: &str, request: &Value, now: &Stamp) -> Vec<Value> {
    let mut request = request.clone();
    let mut pieces = Vec::new();
    loop {
        let piece = ask(source, question, &request, now);
        let next = piece["next"].clone();
        pieces.push(piece);
        if next.is_null() {
            return pieces;
        }
        assert!(request["before"].as_u64().is_none_or(|before| next.as_u64().unwrap() < before));
        request["before"] = next;
    }
}

/// What the pieces list under `name`, oldest first.
fn merged(pieces: &[Value], name: &str) -> Vec<Value> {
    pieces.iter().rev().flat_map(|piece| piece[name].as_array().unwrap().clone()).collect()
}

fn seqs(list: &[Value]) -> Vec<u64> {
    list.iter().map(|one| one["seq"].as_u64().unwrap()).collect()
}

/// A wall-clock moment without a boot clock: of any day.
fn at(wall_ms: i64) -> Stamp {
    Stamp { wall_ms, up_ms: 0, boot: None }
}

fn record(action: Action, tier: Tier, wall_ms: i64) -> Record {
    let mut record = Record::new(action, "home", &at(wall_ms));
    record.tier = Some(tier);
    record.session = Some("a".to_owned());
    record.tool = Some("mail".to_owned());
    record.rule_name = Some("mail".to_owned());
    record
}

/// Writes the lines of each segment, the last one active; a segment begins with its own first line. Returns all lines with
/// their sequence numbers.
fn write(world: &World, segments: &[Vec<Vec<u8>>]) -> Vec<(u64, Vec<u8>)> {
    let mut written = Vec::new();
    let mut base = 0;
    for (number, lines) in segments.iter().enumerate() {
        let first: Option<Value> = lines.iter().find_map(|line| serde_json::from_slice(line).ok());
        let wall_ms = first.and_then(|line| from_rfc3339(line["timestamp"].as_str()?));
        let mut opened = Record::new(Action::Opened, "home", &at(wall_ms.unwrap_or(0)));
        opened.base = Some(base);
        opened.of = vec![base];
        let mut text = Vec::new();
        for line in [opened.to_line().unwrap()].iter().chain(lines) {
            written.push((base + text.len() as u64, line.strip_suffix(b"\n").unwrap().to_vec()));
            text.extend_from_slice(line);
        }
        let is_active = number + 1 == segments.len();
        let name = if is_active { "journal.jsonl".to_owned() } else { format!("journal.{base}.jsonl") };
        fs::write(world.path().join(name), &text).unwrap();
        base += text.len() as u64;
    }
    written
}

/// A month of long lines, one each five minutes, most of them of tier 1: some 13 MiB.
fn month(end: i64) -> Vec<Vec<Vec<u8>>> {
    const LINES: i64 = 30 * 24 * 12;
    let line = |number: i64| {
        let tier = match number % 20 {
            0 => Tier::High,
            10 => Tier::Medium,
            _ => Tier::Low,
        };
        let action = if number % 100 == 0 { Action::Blocked } else { Action::Intercept };
        let mut record = record(action, tier, end - (LINES - number) * 5 * MINUTE);
        record.session = Some(format!("session-{}", number % 7));
        record.rule_name = (number % 3 > 0).then(|| format!("rule-{}", number % 3));
        record.context_keys = vec![format!("email:{number}@example.com")];
        record.params = Some("x".repeat(1_200));
        record.to_line().unwrap()
    };
    let lines: Vec<Vec<u8>> = (0..LINES).map(line).collect();
    lines.chunks(1_000).map(<[Vec<u8>]>::to_vec).collect()
}

fn is_between(record: &Value, from: i64, to: i64) -> bool {
    let time = record["timestamp"].as_str().and_then(from_rfc3339);
    time.is_some_and(|time| (from..=to).contains(&time))
}

/// The lines of tier 2 or more within a stretch of time, found by reading all.
fn within(written: &[(u64, Vec<u8>)], from: i64, to: i64) -> Vec<u64> {
    let is_wanted = |line: &[u8]| {
        let record: Value = serde_json::from_slice(line).unwrap();
        record["tier"].as_u64() >= Some(2) && is_between(&record, from, to)
    };
    written.iter().filter(|(_, line)| is_wanted(line)).map(|(seq, _)| *seq).collect()
}

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }
}

#[test]
fn a_stretch_far_back_is_found_without_reading_up_to_it() {
    let world = World::new();
    let written = write(&world, &month(world.now.wall_ms));
    let total: usize = written.iter().map(|(_, line)| line.len()).sum();
    let disk = TestDisk::<Mishaps>::default();
    let gate = Gate::on_disk(options(world.path(), "home", &json!({})), Arc::new(disk.clone()));
    ask(&gate, "journal", &json!({ "limit": 1 }), &world.now);
    for days_ago in [0, 1, 11, 20, 29, 40, -3] {
        let to = world.now.wall_ms - days_ago * 24 * HOUR;
        let from = to - 6 * HOUR;
        let expected = within(&written, from, to);
        disk.was_read();
        let timeline = pieces(&gate, "timeline", &json!({ "from": from, "to": to }), &world.now);
        assert_eq!(seqs(&merged(&timeline, "events")), expected, "{days_ago}");
        let since_then = json!({ "since": from, "until": to, "minTier": 2, "limit": 1000, "budget": true });
        let found = pieces(&gate, "journal", &since_then, &world.now);
        assert_eq!(seqs(&merged(&found, "entries")), expected, "{days_ago}");
        // Two questions about a hundred lines of 1.5 kB.
        let read = usize::try_from(disk.was_read()).unwrap();
        assert!(read < total / 4, "{read} of {total} bytes, {days_ago} days ago");
    }
}

#[test]
fn the_pieces_add_up_to_what_one_pass_finds() {
    let world = World::new();
    let written = write(&world, &month(world.now.wall_ms));
    let gate = world.gate("home");
    let (from, to) = (world.now.wall_ms - 25 * 24 * HOUR, world.now.wall_ms - 24 * HOUR);
    let records: Vec<(u64, Value)> =
        written.iter().map(|(seq, line)| (*seq, serde_json::from_slice(line).unwrap())).collect();
    let all: Vec<&(u64, Value)> = records
        .iter()
        .filter(|(_, record)| record["session"].is_string() && is_between(record, from, to))
        .collect();

    let filter = json!({ "session": "session-3", "limit": 10_000 });
    let whole = ask(&gate, "journal", &filter, &world.now);
    assert_eq!(whole["next"], Value::Null);
    for limit in [10_000, 50] {
        let filter = json!({ "session": "session-3", "limit": limit, "budget": true });
        let found = pieces(&gate, "journal", &filter, &world.now);
        assert!(found.len() > 1, "the journal has more bytes than a piece");
        assert_eq!(merged(&found, "entries"), *whole["entries"].as_array().unwrap());
    }

    for limit in [10_000, 30] {
        let wanted = json!({ "from": from, "to": to, "limit": limit });
        let told = pieces(&gate, "timeline", &wanted, &world.now);
        assert!(told.len() > 1);
        let expected: Vec<u64> = all
            .iter()
            .filter(|(_, record)| record["tier"].as_u64() >= Some(2))
            .map(|(seq, _)| *seq)
            .collect();
        assert_eq!(seqs(&merged(&told, "events")), expected);
        let reached: Vec<i64> = told.iter().map(|piece| piece["reached"].as_i64().unwrap()).collect();
        // Equal where a piece ends in the slack before `from`.
        assert!(reached.is_sorted_by(|newer, older| newer >= older), "{reached:?}");
        assert_eq!(reached.last(), Some(&from));
    }

    let bucket_ms = 24 * HOUR;
    let counted =
        pieces(&gate, "tally", &json!({ "from": from, "to": to, "bucketMs": bucket_ms }), &world.now);
    assert!(counted.len() > 1);
    let mut expected: BTreeMap<(i64, String, u64), (u64, u64)> = BTreeMap::new();
    let mut rules: BTreeMap<Option<String>, (u64, u64)> = BTreeMap::new();
    for (_, record) in &all {
        let time = from_rfc3339(record["timestamp"].as_str().unwrap()).unwrap();
        let bucket = from + (time - from) / bucket_ms * bucket_ms;
        let session = record["session"].as_str().unwrap().to_owned();
        let was_paused = u64::from(record["action"] == "blocked");
        for count in [
            expected.entry((bucket, session, record["tier"].as_u64().unwrap())).or_default(),
            rules.entry(record["ruleName"].as_str().map(str::to_owned)).or_default(),
        ] {
            *count = (count.0 + 1, count.1 + was_paused);
        }
    }
    for row in merged(&counted, "buckets") {
        let key = (
            row["at"].as_i64().unwrap(),
            row["session"].as_str().unwrap().to_owned(),
            row["tier"].as_u64().unwrap(),
        );
        let left = expected.get_mut(&key).unwrap();
        *left = (left.0 - row["calls"].as_u64().unwrap(), left.1 - row["paused"].as_u64().unwrap());
    }
    for row in merged(&counted, "rules") {
        let left = rules.get_mut(&row["rule"].as_str().map(str::to_owned)).unwrap();
        *left = (left.0 - row["calls"].as_u64().unwrap(), left.1 - row["paused"].as_u64().unwrap());
    }
    assert!(expected.values().chain(rules.values()).all(|left| *left == (0, 0)), "{expected:?} {rules:?}");
}

#[test]
fn wrong_times_hide_nothing_that_stands_around_them() {
    let world = World::new();
    let now = world.now.wall_ms;
    // A line a minute; some say a wrong time, and for twenty minutes the clock was a year ahead.
    let wall_ms = |number: i64| {
        let right = now - (3_000 - number) * MINUTE;
        match number {
            500 | 1_500 => from_rfc3339("1970-01-01T00:00:00.000Z").unwrap(),
            700 | 1_700 => from_rfc3339("2099-01-01T00:00:00.000Z").unwrap(),
            2_000..2_020 => right + 365 * 24 * HOUR,
            _ => right,
        }
    };
    let line = |number: i64| {
        let mut record = record(Action::Intercept, Tier::High, wall_ms(number));
        record.params = Some("x".repeat(900));
        record.to_line().unwrap()
    };
    let lines: Vec<Vec<u8>> = (0..3_000).map(line).collect();
    let segments: Vec<Vec<Vec<u8>>> = lines.chunks(400).map(<[Vec<u8>]>::to_vec).collect();
    let written = write(&world, &segments);
    let gate = world.gate("home");
    for number in (100..2_900).step_by(97) {
        let (from, to) = (now - (3_000 - number) * MINUTE, now - (2_900 - number) * MINUTE);
        let expected = within(&written, from, to);
        assert!(expected.len() > 70, "{number}");
        let timeline = pieces(&gate, "timeline", &json!({ "from": from, "to": to }), &world.now);
        assert_eq!(seqs(&merged(&timeline, "events")), expected, "from {number} on");
    }
}

#[test]
fn lines_that_are_a_minute_out_of_order_are_found() {
    let world = World::new();
    let begin = world.now.wall_ms - HOUR;
    let mut dice = Dice(5);
    // Lines of several processes, a second apart, written up to a minute late; so long that they fill several places where
    // times are looked at.
    let line = |number: i64, late: usize| {
        let mut record =
            record(Action::Intercept, Tier::High, begin + number * 1_000 - i64::try_from(late).unwrap());
        record.params = Some("x".repeat(3_000));
        record.to_line().unwrap()
    };
    let lines: Vec<Vec<u8>> = (0..1_000).map(|number| line(number, dice.roll(58_000))).collect();
    let written = write(&world, &lines.chunks(400).map(<[Vec<u8>]>::to_vec).collect::<Vec<_>>());
    let gate = world.gate("home");
    for second in (0..950).step_by(50) {
        let (from, to) = (begin + second * 1_000, begin + second * 1_000 + 20_000);
        let expected = within(&written, from, to);
        let filter = json!({ "since": from, "until": to, "minTier": 2, "limit": 10_000, "budget": true });
        let found = pieces(&gate, "journal", &filter, &world.now);
        assert_eq!(seqs(&merged(&found, "entries")), expected, "from {second} s on");
    }
}

#[test]
fn an_answer_holds_the_records_that_are_given_in_process() {
    let world = World::new();
    let now = world.now.wall_ms;
    let foreign = [
        r#"{"seq":3,"action":"intercept","tier":3,"timestamp":"2025-11-20T12:00:00.000Z"}"#,
        r#" { "action" : "complete", "tier" : 3, "seqs": [] } "#,
        r#"{"params":"\ud800"}"#,
        "{}",
        "[]",
        r#"{"torn":"#,
    ];
    let line = |number: i64| match number % 3 {
        0 => format!("{}\n", foreign[usize::try_from(number / 3).unwrap() % foreign.len()]).into_bytes(),
        1 => record(Action::Intercept, Tier::High, now - (60 - number) * MINUTE).to_line().unwrap(),
        _ => record(Action::Blocked, Tier::Low, now - (60 - number) * MINUTE).to_line().unwrap(),
    };
    let lines: Vec<Vec<u8>> = (0..60).map(line).collect();
    let written = write(&world, &lines.chunks(25).map(<[Vec<u8>]>::to_vec).collect::<Vec<_>>());
    let gate = world.gate("home");
    let before = written[written.len() / 2].0;
    for (filter, some) in [
        (json!({}), 40),
        (json!({ "limit": 7 }), 7),
        (json!({ "limit": 5, "before": before }), 5),
        (json!({ "after": before }), 15),
        (json!({ "since": now - 30 * MINUTE, "until": now - 10 * MINUTE }), 10),
        (json!({ "budget": true }), 40),
        (json!({ "tier": 3 }), 20),
        (json!({ "minTier": 3, "action": "intercept" }), 20),
        (json!({ "action": "complete" }), 1),
        (json!({ "text": "MAIL" }), 40),
        (json!({ "session": "a", "limit": 3 }), 3),
        (json!({ "key": "nobody" }), 0),
    ] {
        let found = gate.journal(&Filter::read(&filter.to_string()).unwrap(), &world.now).unwrap();
        assert!(found.entries.len() >= some, "{filter}: {}", found.entries.len());
        assert_eq!(ask(&gate, "journal", &filter, &world.now), json!(found), "{filter}");
    }
}

/// Nothing that has become of the closed segments is missed, not even when the folder says that no name in it changed.
#[test]
fn a_gate_that_has_listed_the_segments_notices_what_becomes_of_them() {
    let world = World::new();
    let line = |number: i64| {
        let mut record = record(Action::Intercept, Tier::Low, world.now.wall_ms - (100 - number) * 1_000);
        record.params = Some("x".repeat(1_000));
        record.to_line().unwrap()
    };
    let lines: Vec<Vec<u8>> = (0..80).map(line).collect();
    let written = write(&world, &lines.chunks(20).map(<[Vec<u8>]>::to_vec).collect::<Vec<_>>());
    let gate = world.gate("home");
    let counted = || {
        let status = ask(&gate, "status", &json!({}), &world.now);
        assert_eq!(status["degraded"], Value::Null);
        let found = ask(&gate, "journal", &json!({ "limit": 10_000 }), &world.now);
        assert_eq!(status["journal"]["lines"], found["entries"].as_array().unwrap().len());
        (status["journal"]["segments"].as_u64().unwrap(), status["journal"]["lines"].as_u64().unwrap())
    };
    let folder = File::open(world.path()).unwrap();
    // The first to look makes the guard's file.
    assert_eq!(counted(), (4, 84));
    let modified = folder.metadata().unwrap().modified().unwrap();
    let at_the_same_moment = || folder.set_modified(modified).unwrap();
    let later = |seconds| folder.set_modified(modified + Duration::from_secs(seconds)).unwrap();
    assert_eq!(counted(), (4, 84));
    // Another process closes the active segment.
    let away = world.gate_with("away", &json!({ "journalMaxBytes": 131_072 }));
    away.release("nothing", "somebody", &world.now).unwrap();
    at_the_same_moment();
    let (segments, more) = counted();
    assert_eq!(segments, 5);
    // Somebody deletes the oldest: a line tells it.
    let oldest = world.path().join("journal.0.jsonl");
    let text = fs::read(&oldest).unwrap();
    fs::remove_file(&oldest).unwrap();
    at_the_same_moment();
    assert_eq!(counted(), (4, more - 21 + 1));
    // Somebody puts it back, and takes another one away.
    fs::write(&oldest, text).unwrap();
    later(1);
    assert_eq!(counted(), (5, more + 1));
    fs::remove_file(world.path().join(format!("journal.{}.jsonl", written[42].0))).unwrap();
    later(2);
    let status = ask(&gate, "status", &json!({}), &world.now);
    assert_eq!(status["journal"]["segments"], 4);
    assert_eq!(status["journal"]["lines"], more - 21 + 2);
}

#[test]
fn wrong_requests_are_answered_with_a_sentence() {
    let mut world = World::new();
    let gate = world.gate("home");
    world.done(session(&gate, "a"), "mail", &alice());
    let wrong = [
        ("dance", "{}"),
        ("timeline", ""),
        ("timeline", "{"),
        ("timeline", "{}"),
        ("timeline", r#"{"from":2,"to":1}"#),
        ("timeline", r#"{"from":1,"to":2,"limit":0}"#),
        ("timeline", r#"{"from":1,"to":2,"limit":1000000000000}"#),
        ("timeline", r#"{"from":1,"to":2,"minTier":-1}"#),
        ("timeline", r#"{"from":1e300,"to":2}"#),
        ("timeline", r#"{"from":1,"to":2,"before":-1}"#),
        ("timeline", r#"{"from":1,"to":2,"colour":"red"}"#),
        ("tally", r#"{"from":1,"to":2}"#),
        ("tally", r#"{"from":1,"to":2,"bucketMs":0}"#),
        ("tally", r#"{"from":1,"to":2,"bucketMs":-5}"#),
        ("tally", r#"{"from":2,"to":1,"bucketMs":5}"#),
        ("tally", r#"{"from":0,"to":1763640000000,"bucketMs":1}"#),
        ("tally", r#"{"from":-9223372036854775808,"to":9223372036854775807,"bucketMs":1}"#),
        ("journal", r#"{"limit":0}"#),
        ("journal", r#"{"limit":1000000000000}"#),
        ("journal", r#"{"until":"yesterday"}"#),
        ("journal", r#"{"minTier":300}"#),
        ("journal", r#"{"budget":1}"#),
        ("journal", &format!(r#"{{"text":"{}"}}"#, "x".repeat(1_001))),
    ];
    for (question, request) in wrong {
        let error = query::answer(&gate, question, request, &world.now).unwrap_err();
        assert_eq!(error.code, "bad-request", "{question} {request}");
        assert!(error.message.len() > 10, "{question} {request}: {}", error.message);
    }
    // Absurd, but clear enough.
    let far = r#"{"from":-9223372036854775808,"to":9223372036854775807,"minTier":0}"#;
    assert!(query::answer(&gate, "timeline", far, &world.now).unwrap().contains("started"));
    let far = r#"{"from":-9223372036854775808,"to":9223372036854775807,"bucketMs":9223372036854775807}"#;
    assert!(query::answer(&gate, "tally", far, &world.now).unwrap().contains(r#""calls":1"#));
    for before in [0, 1, 77, u64::MAX] {
        ask(&gate, "timeline", &json!({ "from": 0, "to": 1, "before": before }), &world.now);
        ask(&gate, "journal", &json!({ "before": before }), &world.now);
    }
}

#[test]
fn the_head_moves_with_each_record_and_waits_for_nobody() {
    let mut world = World::new();
    let gate = world.gate("home");
    let head = |source: &dyn Source, now: &Stamp| ask(source, "head", &json!({}), now);
    assert_eq!(head(&gate, &world.now), json!({ "head": 0, "now": world.now.wall_ms }));
    world.done(session(&gate, "a"), "mail", &alice());
    let first = head(&gate, &world.now)["head"].as_u64().unwrap();
    assert_eq!(first, fs::metadata(world.journal_path()).unwrap().len());
    world.done(session(&gate, "a"), "message", &alice());
    let guard = File::open(world.path().join("state.guard")).unwrap();
    guard.lock().unwrap();
    assert!(head(&gate, &world.now)["head"].as_u64().unwrap() > first);
    assert_eq!(head(&gate, &world.now), head(&world.view(), &world.now));
}
