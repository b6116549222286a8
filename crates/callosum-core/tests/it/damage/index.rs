//! The index: whatever becomes of it, a fresh gate knows what the journal says, and counts no loss.

use callosum_core::gate::Gate;
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use serde_json::{Value, json};

use super::bench::{Bench, Index, Others, run};
use super::sample::{Files, Sample};
use super::verdicts::{look, problems};

/// What stands where the index was.
struct Other {
    name: String,
    content: Vec<u8>,
}

/// The status as far as it comes from the journal: the gate itself has written nothing.
fn told(gate: &Gate, now: &Stamp) -> Value {
    let mut status = serde_json::to_value(gate.status(now)).unwrap();
    // The calls of earlier trials wait to be counted.
    for tool in ["mail", "note", "pay"] {
        status["coverage"]["t"].as_object_mut().unwrap().remove(tool);
    }
    json!(["locks", "recentContexts", "journal", "coverage", "degraded"].map(|part| &status[part]))
}

/// Gates that find each of `others` in the place of `index` must see what they see without any.
fn check(sample: &Sample, index: &Index, others: &[Other]) {
    let mut bench = Bench::new();
    bench.put(&sample.files, None);
    let status = told(&bench.gate, &sample.now);
    let undamaged = look(&mut bench, true, &sample.now);
    run(
        others,
        |other| other.name.clone(),
        |bench, other| {
            bench.put(&sample.files, Some(&(index.0.clone(), other.content.clone())));
            let now = told(&bench.gate, &sample.now);
            let seen = look(bench, false, &sample.now);
            let mut problems = problems(sample, &undamaged, &sample.files, &[], true, &seen);
            if now != status {
                problems.push(format!("status: {now} instead of {status}"));
            }
            problems
        },
    );
}

#[test]
fn an_index_says_what_the_journal_says() {
    let sample = Sample::make();
    let index = Bench::index_of(&sample.files, &sample.now);
    let content = index.1.clone();
    check(&sample, &index, &[Other { name: "undamaged".to_owned(), content }]);
}

#[test]
fn a_changed_byte_of_the_index_costs_nothing() {
    let sample = Sample::make();
    let index = Bench::index_of(&sample.files, &sample.now);
    let mut others = Vec::new();
    for (at, byte) in index.1.iter().enumerate() {
        for value in Others::Two.of(at, *byte) {
            let mut content = index.1.clone();
            content[at] = value;
            let (before, now) = (char::from(*byte), char::from(value));
            others.push(Other { name: format!("byte {at}, {before:?} → {now:?}"), content });
        }
    }
    check(&sample, &index, &others);
}

#[test]
fn a_lost_end_of_the_index_costs_nothing() {
    let sample = Sample::make();
    let index = Bench::index_of(&sample.files, &sample.now);
    let cut = |length: usize| Other { name: format!("cut to {length}"), content: index.1[..length].to_vec() };
    let mut others: Vec<Other> = (0..index.1.len()).map(cut).collect();
    others.push(Other { name: "twice".to_owned(), content: index.1.repeat(2) });
    others.push(Other { name: "zeros".to_owned(), content: vec![0; index.1.len()] });
    check(&sample, &index, &others);
}

#[test]
fn an_index_of_something_else_costs_nothing() {
    let sample = Sample::make();
    let index = Bench::index_of(&sample.files, &sample.now);
    let of = |name: &str, files: &Files| {
        let (_, content) = Bench::index_of(files, &sample.now);
        Other { name: name.to_owned(), content }
    };
    let mut others = Vec::new();
    // Older ones of the same journal: they cover less, and the rest is read on.
    for line in sample.lines.iter().filter(|line| line.file == super::sample::ACTIVE) {
        let active = sample.files.active[..=line.newline].to_vec();
        others.push(of(&format!("stale, up to {}", line.seq), &Files { active, ..sample.files.clone() }));
    }
    // Of a journal that ends in the same line at the same place, so that what binds an index to its journal fits: first
    // with other resources, then with two lines in each other's place, so that its offsets lead between lines.
    let renamed = String::from_utf8(sample.files.closed.clone()).unwrap().replace("alice", "zelda");
    others.push(of("other keys", &Files { closed: renamed.into_bytes(), ..sample.files.clone() }));
    let (first, second) = (&sample.lines[2], &sample.lines[3]);
    let closed = &sample.files.closed;
    let swapped = [
        &closed[..first.start],
        &closed[second.start..=second.newline],
        &closed[first.start..=first.newline],
        &closed[second.newline + 1..],
    ]
    .concat();
    assert_eq!(swapped.len(), closed.len());
    others.push(of("other offsets", &Files { closed: swapped, ..sample.files.clone() }));
    check(&sample, &index, &others);
}

/// One that covers more than there is tells that the journal was cut off; what is left counts all the same.
#[test]
fn an_index_of_more_than_there_is_tells_a_loss() {
    let sample = Sample::make();
    let longer = [&sample.files.active[..], &sample.files.active[sample.lines[9].newline + 1..]].concat();
    let index = Bench::index_of(&Files { active: longer, ..sample.files.clone() }, &sample.now);
    let mut bench = Bench::new();
    bench.put(&sample.files, None);
    let without = told(&bench.gate, &sample.now);
    bench.put(&sample.files, Some(&index));
    let with = told(&bench.gate, &sample.now);
    assert!(bench.gate.status(&sample.now).lost.is_some());
    // The line that tells it is one more.
    assert_eq!((&with[0], &with[1], &with[3]), (&without[0], &without[1], &without[3]));
}
