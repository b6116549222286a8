//! Every byte of the journal, and every length.

use std::fs::{self, OpenOptions};
use std::io::Write;

use callosum_core::query::{Filter, Source};
use serde_json::json;

use super::bench::{Bench, Index, Others, run};
use super::sample::{ACTIVE, CLOSED, Files, Sample, closed_name};
use super::verdicts::{Seen, look, problems};

/// A byte that becomes another, or the end of a file that is lost.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Byte { file: usize, at: usize, now: u8 },
    Cut { file: usize, length: usize },
}

impl Damage {
    fn apply(self, files: &Files) -> Files {
        match self {
            Self::Byte { file, at, now } => {
                let mut bytes = files.get(file).to_vec();
                bytes[at] = now;
                files.with(file, bytes)
            }
            Self::Cut { file, length } => files.with(file, files.get(file)[..length].to_vec()),
        }
    }

    /// The lines that are not what they were. A line that loses its end takes the next one with it.
    fn hit(self, sample: &Sample) -> Vec<usize> {
        match self {
            Self::Byte { file, at, .. } => {
                let line = sample.line_at(file, at);
                let joined = sample.lines[line].newline == at
                    && sample.lines.get(line + 1).is_some_and(|next| next.file == file);
                if joined { vec![line, line + 1] } else { vec![line] }
            }
            Self::Cut { file, length } => {
                let lines = sample.lines.iter().enumerate();
                lines
                    .filter(|(_, line)| line.file == file && line.newline >= length)
                    .map(|(index, _)| index)
                    .collect()
            }
        }
    }

    /// What is wrong with that the journal is said to be lost, or is not.
    fn is_told(self, hit: &[usize], sample: &Sample, indexed: bool, lost: bool) -> Option<String> {
        let should_be = match self {
            // What it says is counted as skipped; but by the last line that it covers an index knows its journal.
            Self::Byte { .. } => indexed && hit == [sample.lines.len() - 1],
            Self::Cut { file: CLOSED, .. } => true,
            // Only who had it open, or has an index, knows.
            Self::Cut { .. } => return None,
        };
        (lost != should_be).then(|| format!("is it lost? {lost}"))
    }

    fn name(&self, sample: &Sample) -> String {
        match *self {
            Self::Byte { file, at, now } => {
                let line = sample.line_at(file, at);
                let before = char::from(sample.files.get(file)[at]);
                let within = at - sample.lines[line].start;
                format!("line {line}, byte {within}, {before:?} → {:?}", char::from(now))
            }
            Self::Cut { file, length } => format!("file {file} cut to {length}"),
        }
    }
}

/// Every byte of the files, from `from` of the closed one on, as others.
fn bytes(sample: &Sample, from: usize, others: Others) -> Vec<Damage> {
    let mut damages = Vec::new();
    for (file, from) in [(CLOSED, from), (ACTIVE, 0)] {
        for (at, byte) in sample.files.get(file).iter().enumerate().skip(from) {
            damages.extend(others.of(at, *byte).into_iter().map(|now| Damage::Byte { file, at, now }));
        }
    }
    damages
}

fn cuts(sample: &Sample) -> Vec<Damage> {
    let lengths = |file| (0..sample.files.get(file).len()).map(move |length| Damage::Cut { file, length });
    lengths(CLOSED).chain(lengths(ACTIVE)).collect()
}

/// What fresh gates make of the damaged sample, compared with what they make of the undamaged one.
fn fresh(damages: &[Damage], sample: &Sample, index: Option<&Index>) {
    let undamaged = undamaged(sample);
    run(
        damages,
        |damage| damage.name(sample),
        |bench, damage| {
            let files = damage.apply(&sample.files);
            bench.put(&files, index);
            let hit = damage.hit(sample);
            let seen = look(bench, concerns_files(sample, &hit), &sample.now);
            let mut problems = problems(sample, &undamaged, &files, &hit, index.is_some(), &seen);
            // Whoever finds a newer version's line goes no further.
            if !seen.degraded {
                problems.extend(damage.is_told(&hit, sample, index.is_some(), seen.lost));
            }
            problems
        },
    );
}

/// Whether one of the lines says what becomes of files, so that something may be written where nobody finds it.
fn concerns_files(sample: &Sample, hit: &[usize]) -> bool {
    hit.iter().any(|line| sample.lines[*line].keys.is_empty())
}

fn undamaged(sample: &Sample) -> Seen {
    let mut bench = Bench::new();
    bench.put(&sample.files, None);
    look(&mut bench, true, &sample.now)
}

#[test]
fn a_changed_byte_costs_its_line_at_most() {
    let sample = Sample::make();
    fresh(&bytes(&sample, 0, Others::Two), &sample, None);
}

#[test]
fn so_it_does_where_an_index_was_made_before() {
    let sample = Sample::make();
    let index = Bench::index_of(&sample.files, &sample.now);
    fresh(&bytes(&sample, 0, Others::One), &sample, Some(&index));
}

#[test]
fn a_lost_end_costs_what_stood_there() {
    let sample = Sample::make();
    let damages = cuts(&sample);
    fresh(&damages, &sample, None);
    let index = Bench::index_of(&sample.files, &sample.now);
    let some: Vec<Damage> = damages.into_iter().step_by(4).collect();
    fresh(&some, &sample, Some(&index));
}

#[test]
fn a_gate_that_reads_on_loses_no_more() {
    let sample = Sample::make();
    let undamaged = undamaged(&sample);
    // It has read of Alice, and comes back when the segment has been closed and the next one is there.
    let read = sample.lines[3].newline + 1;
    run(
        &bytes(&sample, read, Others::One),
        |damage| damage.name(&sample),
        |bench, damage| {
            let files = damage.apply(&sample.files);
            bench.clear();
            let active = bench.path().join("journal.jsonl");
            fs::write(&active, &files.closed[..read]).unwrap();
            assert!(bench.gate.status(&sample.now).degraded.is_none());
            let mut closing = OpenOptions::new().append(true).open(&active).unwrap();
            closing.write_all(&files.closed[read..]).unwrap();
            fs::rename(&active, bench.path().join(closed_name())).unwrap();
            fs::write(&active, &files.active).unwrap();
            let hit = damage.hit(&sample);
            let seen = look(bench, concerns_files(&sample, &hit), &sample.now);
            problems(&sample, &undamaged, &files, &hit, false, &seen)
        },
    );
}

/// Any change of the one digit that says which version a line is of.
#[test]
fn a_damaged_version_is_never_guarded_on_blindly() {
    let sample = Sample::make();
    let mut damages = Vec::new();
    for line in sample.lines.iter().filter(|line| line.file == ACTIVE) {
        let at = line.start + br#"{"v":"#.len();
        assert_eq!(sample.files.active[at], b'1');
        damages.extend((b'2'..=b'9').map(|now| Damage::Byte { file: ACTIVE, at, now }));
    }
    fresh(&damages, &sample, None);
}

/// The bytes of a line of which a time is made.
fn times(sample: &Sample, line: usize) -> Vec<Damage> {
    let line = &sample.lines[line];
    let text = &sample.files.get(line.file)[line.start..line.newline];
    let from = text.windows(11).position(|bytes| bytes == br#""timestamp""#).unwrap();
    let to = text.windows(7).position(|bytes| bytes == br#""boot":"#).unwrap();
    let digits =
        (line.start + from..line.start + to).filter(|at| sample.files.get(line.file)[*at].is_ascii_digit());
    digits.flat_map(|at| (b'0'..=b'9').map(move |now| Damage::Byte { file: line.file, at, now })).collect()
}

#[test]
fn a_damaged_time_deletes_nothing_and_hides_nothing() {
    let sample = Sample::make();
    let closing = sample.lines.iter().rposition(|line| line.file == CLOSED).unwrap();
    run(
        &times(&sample, closing),
        |damage| damage.name(&sample),
        |bench, damage| {
            bench.put(&damage.apply(&sample.files), None);
            let _ = bench.gate.status(&sample.now);
            bench.gate.maintain(&sample.now);
            let kept = bench.path().join(closed_name()).exists();
            if kept { Vec::new() } else { vec!["a segment within the window was deleted".to_owned()] }
        },
    );
    let last = sample.lines.len() - 1;
    run(
        &times(&sample, last),
        |damage| damage.name(&sample),
        |bench, damage| {
            bench.put(&damage.apply(&sample.files), None);
            let filter =
                Filter { limit: 100, since: Some(json!(sample.now.wall_ms - 60_000)), ..Filter::default() };
            let found = bench.gate.journal(&filter, &sample.now).unwrap().entries.len();
            if found >= last { Vec::new() } else { vec![format!("{found} of {last} records")] }
        },
    );
}

#[test]
fn a_rotation_that_was_cut_off_is_not_finished_where_a_damaged_line_says() {
    let sample = Sample::make();
    let closing = sample.lines.iter().rposition(|line| line.file == CLOSED).unwrap();
    let line = &sample.lines[closing];
    let base = line.newline - 1 - sample.files.active_base().to_string().len()..line.newline - 1;
    let damages: Vec<Damage> =
        base.flat_map(|at| (b'0'..=b'9').map(move |now| Damage::Byte { file: CLOSED, at, now })).collect();
    run(
        &damages,
        |damage| damage.name(&sample),
        |bench, damage| {
            bench.clear();
            fs::write(bench.path().join("journal.jsonl"), damage.apply(&sample.files).closed).unwrap();
            let seen = look(bench, true, &sample.now);
            let expected: Vec<u64> = [2, 4, 5].iter().map(|line| sample.lines[*line].seq).collect();
            let evidence: Vec<u64> = seen.evidence.iter().map(|(seq, _)| *seq).collect();
            let mut problems = Vec::new();
            if evidence != expected || !seen.knows_gina() {
                problems
                    .push(format!("evidence: {evidence:?} instead of {expected:?}, or the note is unknown"));
            }
            let all = Filter { limit: 100, ..Filter::default() };
            let seqs: Vec<u64> = bench
                .gate
                .journal(&all, &sample.now)
                .unwrap()
                .entries
                .iter()
                .filter_map(|one| one["seq"].as_u64())
                .collect();
            if !seqs.is_sorted_by(|one, next| one < next)
                || seqs.last() > Some(&(sample.files.active_base() + 10_000))
            {
                problems.push(format!("sequence numbers: {seqs:?}"));
            }
            problems
        },
    );
}
