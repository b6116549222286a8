//! What a gate reports and decides on files, and what it must, with the sample undamaged and damaged.

use std::collections::BTreeSet;
use std::fs;

use callosum_core::gate::{Answer, Gate};
use callosum_core::model::time::Stamp;
use callosum_core::query::{Filter, Source};
use serde_json::{Value, json};

use super::bench::Bench;
use super::sample::{ACTIVE, CLOSED, Files, KEYS, Original, Sample, call, finish};

/// What was seen of a gate.
pub(crate) struct Seen {
    /// The records, as they stood before anything was decided.
    records: Vec<Value>,
    /// A note to Gina, of tier 2.
    note: Answer,
    /// A mail to all of [`KEYS`] by a session that knows nothing: what is held against it, action and outcome.
    mail: Answer,
    pub(crate) evidence: Vec<(u64, Option<u64>)>,
    /// Session `p` tries its mail to Dave again.
    retry: Answer,
    /// A payment to Bob.
    pay: Answer,
    /// A mail to somebody nobody acted on.
    fresh: Answer,
    /// Another gate's mail to Gina, where it was asked.
    gina: Option<Answer>,
    skipped: u64,
    pub(crate) degraded: bool,
    /// The journal is said to be lost.
    pub(crate) lost: bool,
}

impl Seen {
    /// Whether the other gate was asked, and knew of the note.
    pub(crate) fn knows_gina(&self) -> bool {
        matches!(&self.gina, Some(Answer::Refuse(text)) if text.contains("is being acted on"))
    }
}

/// Asks the gate everything, and the other one, if it is to be, whether it knows what the first has just done.
pub(crate) fn look(bench: &mut Bench, ask_other: bool, now: &Stamp) -> Seen {
    let Bench { gate, other, calls, .. } = bench;
    let mut ask = |gate: &Gate, session: &str, tool: &str, to: &Value| {
        *calls += 1;
        let asked = call(session, tool, &format!("probe-{calls}"));
        finish(gate, gate.before(&asked, &json!({ "to": to }), now), now)
    };
    let records =
        gate.journal(&Filter { limit: 10_000, ..Filter::default() }, now).unwrap_or_default().entries;
    let note = ask(gate, "z", "note", &json!("gina"));
    let mail = ask(gate, "z", "mail", &json!(KEYS));
    let retry = ask(gate, "p", "mail", &json!("dave"));
    let pay = ask(gate, "z", "pay", &json!("bob"));
    let fresh = ask(gate, "z", "mail", &json!("frank"));
    let gina = ask_other.then(|| ask(other, "z", "mail", &json!("gina")));
    let status = gate.status(now);
    let (skipped, degraded) = (status.journal.skipped, status.degraded.is_some());
    let lost = serde_json::to_value(&status).unwrap()["lost"].is_object();
    let evidence = evidence(&fs::read(bench.path().join("journal.jsonl")).unwrap());
    if degraded {
        // What could not be written waits, and would be in the way of the next trial.
        bench.renew();
    }
    Seen { records, note, mail, evidence, retry, pay, fresh, gina, skipped, degraded, lost }
}

/// What the mail to all was shown, as the journal has it.
fn evidence(journal: &[u8]) -> Vec<(u64, Option<u64>)> {
    let lines = journal.split(|byte| *byte == b'\n').rev();
    let mut records = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let pause = records.find(|record| record["session"] == "z" && record["contextKeys"] == json!(KEYS));
    let pieces =
        pause.into_iter().flat_map(|pause| pause["evidence"].as_array().cloned().unwrap_or_default());
    pieces.map(|piece| (piece["seq"].as_u64().unwrap(), piece["outcome"].as_u64())).collect()
}

/// A line of damaged files: where it begins in the journal, and what it says, if anything.
struct Line<'a> {
    seq: u64,
    bytes: &'a [u8],
    object: Option<Value>,
}

/// The lines of the files, empty ones left out.
fn lines_of<'a>(sample: &Sample, files: &'a Files) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for file in [CLOSED, ACTIVE] {
        let bytes = files.get(file);
        let mut start = 0;
        while start < bytes.len() {
            let newline = bytes[start..].iter().position(|byte| *byte == b'\n');
            let end = newline.map_or(bytes.len(), |length| start + length);
            let line = &bytes[start..end];
            let object = serde_json::from_slice::<Value>(line).ok().filter(Value::is_object);
            if !line.is_empty() {
                let seq = sample.files.base(file) + start as u64;
                lines.push(Line { seq, bytes: line, object });
            }
            start = end + 1;
        }
    }
    lines
}

/// What is wrong with what was seen on damaged files, in which the lines `hit` are not what they were. `indexed`: an
/// index was there, so that lines which no decision rests on need not have been read.
pub(crate) fn problems(
    sample: &Sample,
    undamaged: &Seen,
    files: &Files,
    hit: &[usize],
    indexed: bool,
    seen: &Seen,
) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = lines_of(sample, files);
    let keys: BTreeSet<&str> =
        hit.iter().flat_map(|line| &sample.lines[*line].keys).map(String::as_str).collect();
    // A version is a version: that of a damaged line can't be told from that of a newer one. Who starts from an index
    // need not have seen it, or only with the first call that rests on it.
    if is_newer(&lines) && (seen.degraded || !indexed) {
        let refused =
            |answer: &&Answer| matches!(answer, Answer::Refuse(text) if text.contains("update Callosum"));
        let answers = [&seen.mail, &seen.retry, &seen.pay, &seen.fresh];
        let enough = if indexed { 1 } else { answers.len() };
        if answers.iter().filter(|answer| refused(answer)).count() < enough {
            problems.push(format!("not refused because of a newer version: {answers:?}"));
        }
        return problems;
    }
    check_records(sample, &lines, hit, seen, &mut problems);

    let mut expect = |what: &str, answer: &Answer, other: &Answer| {
        if heading(answer) != heading(other) {
            problems.push(format!("{what}: {answer:?} instead of {other:?}"));
        }
    };
    expect("a note", &seen.note, &undamaged.note);
    expect("a mail to somebody new", &seen.fresh, &undamaged.fresh);
    if let (Some(seen), Some(undamaged)) = (&seen.gina, &undamaged.gina) {
        expect("another gate about the note", seen, undamaged);
    }
    if !keys.contains("dave") {
        expect("a retry", &seen.retry, &undamaged.retry);
    }
    if !keys.contains("bob") {
        expect("a payment", &seen.pay, &undamaged.pay);
    }
    check_evidence(sample, undamaged, &lines, files, &keys, seen, &mut problems);

    let lost = lines.iter().filter(|line| line.object.is_none() && !is_light(line.bytes)).count() as u64;
    // Who starts from an index never looks at lines on which nothing rests.
    let must = if indexed && seen.evidence == undamaged.evidence { 0 } else { lost };
    let may = if hit.is_empty() { 0 } else { lost.max(1) + 1 };
    if !(must..=may).contains(&seen.skipped) {
        problems.push(format!("{lost} lines are lost, {} are counted", seen.skipped));
    }
    if seen.degraded {
        problems.push("degraded".to_owned());
    }
    problems
}

fn is_newer(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| line.object.as_ref().is_some_and(|object| object["v"].as_u64() > Some(1)))
}

/// All lines that were not hit are reported as they were; of the others, at most what they say now.
fn check_records(
    sample: &Sample,
    lines: &[Line<'_>],
    hit: &[usize],
    seen: &Seen,
    problems: &mut Vec<String>,
) {
    let end = lines.iter().map(|line| line.seq + line.bytes.len() as u64).max().unwrap_or(0);
    let reported: Vec<(u64, Value)> = seen
        .records
        .iter()
        .map(|record| {
            let mut record = record.clone();
            let seq = record.as_object_mut().unwrap().remove("seq").unwrap();
            (seq.as_u64().unwrap(), record)
        })
        .collect();
    if !reported.is_sorted_by(|(one, _), (next, _)| one < next) {
        problems.push("sequence numbers do not rise".to_owned());
    }
    for (index, line) in sample.lines.iter().enumerate() {
        let found = reported.iter().find(|(seq, _)| *seq == line.seq);
        if !hit.contains(&index) && found.map(|(_, record)| record) != Some(&line.value) {
            problems.push(format!("line {index} was not hit, but is reported as {found:?}"));
        }
    }
    for (seq, record) in reported.iter().filter(|(seq, _)| *seq < end) {
        let line = lines.iter().find(|line| line.seq == *seq);
        if line.and_then(|line| line.object.as_ref()) != Some(record) {
            problems.push(format!("made up: {record} at {seq}"));
        }
    }
}

/// What is held against the mail to all is the same on all keys that were not hit, and nothing made up on the others.
fn check_evidence(
    sample: &Sample,
    undamaged: &Seen,
    lines: &[Line<'_>],
    files: &Files,
    keys: &BTreeSet<&str>,
    seen: &Seen,
    problems: &mut Vec<String>,
) {
    let is_untouched = |(seq, _): &&(u64, Option<u64>)| {
        let line = sample.lines.iter().find(|line| line.seq == *seq);
        line.is_some_and(|line| line.keys.iter().all(|key| !keys.contains(key.as_str())))
    };
    let untouched = |seen: &Seen| -> Vec<(u64, Option<u64>)> {
        seen.evidence.iter().filter(is_untouched).copied().collect()
    };
    if untouched(seen) != untouched(undamaged) {
        problems.push(format!("evidence: {:?} instead of {:?}", untouched(seen), untouched(undamaged)));
    }
    // What led to a line finds it where it was, though nothing parts it from the one before any more.
    let is_whole =
        |line: &Original| files.get(line.file).get(line.start..line.newline) == Some(sample.bytes_of(line));
    let stands = |seq: u64| {
        lines.iter().any(|line| line.seq == seq && line.object.is_some())
            || sample.lines.iter().any(|line| line.seq == seq && is_whole(line))
    };
    for (seq, outcome) in &seen.evidence {
        if !stands(*seq) || outcome.is_some_and(|outcome| !stands(outcome)) {
            problems.push(format!("made-up evidence: {seq}, {outcome:?}"));
        }
    }
}

/// The first line of a refusal: the rest of it tells what else was going on.
fn heading(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Refuse(text) => text.lines().next(),
        _ => None,
    }
}

/// Calls of tier 0 and 1 are known by how their lines begin, and no decision looks at them.
fn is_light(line: &[u8]) -> bool {
    let prefix: &[u8] = br#"{"v":1,"action":"intercept","tier":"#;
    line.strip_prefix(prefix).and_then(<[u8]>::first).is_some_and(|tier| matches!(tier, b'0' | b'1'))
}

#[test]
fn the_undamaged_sample_is_what_the_others_are_compared_with() {
    let sample = Sample::make();
    let mut bench = Bench::new();
    bench.put(&sample.files, None);
    let seen = look(&mut bench, true, &sample.now);
    assert_eq!(problems(&sample, &seen, &sample.files, &[], false, &seen), Vec::<String>::new());
    let seq = |line: usize| sample.lines[line].seq;
    // Alice, Bob and Dave: begun, and ended where they have. Carol's mail failed.
    let expected = [(seq(2), Some(seq(3))), (seq(4), None), (seq(9), Some(seq(10)))];
    assert_eq!(seen.evidence, expected);
    assert_eq!(seen.note, Answer::Proceed);
    assert_eq!(seen.retry, Answer::Proceed);
    assert_eq!(seen.fresh, Answer::Proceed);
    assert!(
        matches!(&seen.pay, Answer::Refuse(text) if text.contains("is held by another call")),
        "{:?}",
        seen.pay
    );
    assert!(seen.knows_gina(), "{:?}", seen.gina);
}
