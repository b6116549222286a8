//! Power is cut at every write, flush and change of a name; what was not flushed is there wholly, partly or not
//! at all. What was promised before the cut still holds, nothing is invented, and work goes on.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use callosum_core::gate::{Answer, Gate};
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_testing::memory::MemoryDisk;
use callosum_testing::platter::{Change, Event, Fate, Remains};
use callosum_testing::random::{Random, number, seed};
use serde_json::{Value, json};

use super::journal_text::{Damage, Reading, read};
use super::script::{STATE, Script, Start};
use super::world::{Call, WINDOW_MS, allows, finish, gate, told, write_rules};

/// Chances tried at each cut, besides that all is kept and that all is lost.
const CHANCES: u64 = 1;

#[test]
fn a_power_cut_in_a_new_directory_loses_no_promise() {
    cut_everywhere(Start::Nothing);
}

#[test]
fn a_power_cut_in_a_grown_journal_loses_no_promise() {
    cut_everywhere(Start::Grown);
}

/// What was promised before a cut.
#[derive(Clone, Debug, Default)]
struct Promises {
    /// Guarded calls that were let through, and not longer ago than the journal is kept.
    allowed: Vec<Call>,
    /// Ids of those whose end was written, too.
    ended: Vec<String>,
    /// Ids of those that did nothing in the end: they may be done again.
    failed: Vec<String>,
}

fn cut_everywhere(start: Start) {
    let seed = seed();
    let chances = number("CALLOSUM_CHANCES").unwrap_or(CHANCES);
    let real = tempfile::tempdir().unwrap();
    write_rules(real.path());
    let disk = MemoryDisk::holding(start.remains(), real.path(), 0);
    let mut script = Script::new(&disk, Arc::new(disk.clone()), real.path());
    drop(script.perform());
    let refused = script.verdicts.iter().filter(|verdict| !allows(&verdict.answer)).count();
    assert_eq!(refused, 3, "{:?}", script.notices);

    let (mut platter, events) = disk.history();
    let mut written = Written::default();
    written.add_all(&start.remains());
    let mut cuts = 0;
    for moment in 0..=events.len() {
        let now = later(&script.now_at(moment));
        let promises = promises_before(&script, moment, &now);
        let chances = (0..chances)
            .map(|chance| Fate::Chance(Random::new(seed ^ ((moment as u64) << 8) ^ (chance << 32))));
        for fate in [Fate::AllLost, Fate::AllKept].into_iter().chain(chances) {
            let what =
                format!("{start:?}, seed {seed}, cut before event {moment} of {}: {fate:?}", events.len());
            Aftermath { what, real: real.path(), promises: &promises, written: &written, now }
                .check(platter.cut(&mut fate.clone()), moment);
            cuts += 1;
        }
        if let Some(event) = events.get(moment) {
            platter.apply(event);
            written.add(event);
        }
    }
    println!("{start:?}: {} events, {cuts} cuts", events.len());
    assert!(events.len() > 100, "{}", events.len());
}

/// A moment after the machine has booted again.
fn later(now: &Stamp) -> Stamp {
    Stamp { up_ms: 20_000, boot: now.boot.map(|boot| boot ^ 1), ..now.plus_ms(30_000) }
}

fn promises_before(script: &Script<'_>, moment: usize, now: &Stamp) -> Promises {
    let kept =
        |at: usize, wall_ms: i64| at <= moment && now.wall_ms - wall_ms < i64::try_from(WINDOW_MS).unwrap();
    let allowed = script.verdicts.iter().filter(|verdict| {
        verdict.call.is_guarded() && allows(&verdict.answer) && kept(verdict.moment, verdict.wall_ms)
    });
    let ended = script.ends.iter().filter(|end| kept(end.moment, end.wall_ms));
    Promises {
        allowed: allowed.map(|verdict| verdict.call.clone()).collect(),
        ended: ended.map(|end| end.id.clone()).collect(),
        failed: script.ends.iter().filter(|end| end.failed).map(|end| end.id.clone()).collect(),
    }
}

/// Every record that was ever written.
#[derive(Debug, Default)]
struct Written(HashSet<String>);

impl Written {
    fn add_all(&mut self, remains: &Remains) {
        remains.files.values().for_each(|bytes| self.add_lines(bytes));
    }

    fn add(&mut self, event: &Event) {
        if let Event::Content { change: Change::Write { bytes, .. }, .. } = event {
            self.add_lines(bytes);
        }
    }

    fn add_lines(&mut self, bytes: &[u8]) {
        let lines = bytes.split(|byte| *byte == b'\n');
        self.0.extend(
            lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()).map(|line| line.to_string()),
        );
    }
}

/// What must hold after one cut.
struct Aftermath<'a> {
    what: String,
    real: &'a Path,
    promises: &'a Promises,
    written: &'a Written,
    now: Stamp,
}

impl Aftermath<'_> {
    fn check(&self, remains: Remains, moment: usize) {
        let Self { what, now, .. } = self;
        let disk = MemoryDisk::holding(remains, self.real, now.wall_ms);
        let gate = self.gate("nell", &disk);
        // Whatever comes first finds the journal as the cut left it.
        match moment % 3 {
            0 => assert_no_failure(&gate, now, what),
            1 => {
                self.allowed(&gate, "write", "light");
                self.allowed(&gate, "message", "light");
            }
            _ => {}
        }
        let fresh = self.allowed(&gate, "mail", "fresh");
        finish(&gate, fresh.end(&gate, Ended::Ok, now), now);
        assert_no_failure(&gate, now, what);
        let Promises { allowed, failed, .. } = self.promises;
        let done = allowed.iter().rev().filter(|call| !failed.contains(&call.id));
        for promised in done.take(3).chain([&fresh]) {
            let again = Call::new("mail", "again", format!("again-{}", promised.id), &promised.to);
            let answer = finish(&gate, again.begin(&gate, &Value::Null, now), now);
            let paused = matches!(&answer, Answer::Refuse(text) if text.contains("acted on"));
            assert!(paused, "{promised:?} goes out twice: {answer:?}\n{what}");
        }
        self.check_journal(&gate, &disk, &fresh);
        gate.close(now);
        // Another process finds the same, through an index or without.
        let next = self.gate("otto", &disk);
        self.check_journal(&next, &disk, &fresh);
        drop(next);
        // Power is cut again.
        let (mut platter, events) = disk.history();
        events.iter().for_each(|event| platter.apply(event));
        let reading = read(&platter.cut(&mut Fate::AllLost).files_in(Path::new(STATE)), Damage::PowerCut);
        self.check_promises(&reading, &fresh);
    }

    fn gate(&self, instance: &str, disk: &MemoryDisk) -> Gate {
        gate(instance, Path::new(STATE), self.real, Arc::new(disk.clone()), &json!({}))
    }

    fn allowed(&self, gate: &Gate, tool: &'static str, to: &str) -> Call {
        let call = Call::new(tool, "new", format!("new-{tool}"), to);
        let answer = finish(gate, call.begin(gate, &Value::Null, &self.now), &self.now);
        assert!(allows(&answer), "{call:?}: {answer:?}\n{}", self.what);
        call
    }

    fn check_journal(&self, gate: &Gate, disk: &MemoryDisk, fresh: &Call) {
        let what = &self.what;
        let told = told(gate, &self.now);
        let reading = read(&disk.remains().files_in(Path::new(STATE)), Damage::PowerCut);
        assert!(reading.problems.is_empty(), "{:?}\n{what}", reading.problems);
        let rows: Vec<_> = reading.rows.iter().map(|row| (row.seq, row.line.clone())).collect();
        assert!(told == rows, "the gate tells {told:#?}, the files say {rows:#?}\n{what}");
        self.check_promises(&reading, fresh);
        let mut since = Written::default();
        disk.history().1.iter().for_each(|event| since.add(event));
        for row in &reading.rows {
            let text = row.line.to_string();
            assert!(self.written.0.contains(&text) || since.0.contains(&text), "invented: {row:?}\n{what}");
        }
    }

    fn check_promises(&self, reading: &Reading, fresh: &Call) {
        let what = &self.what;
        let calls = reading.by_call();
        let start_of = |id: &str| {
            let rows = calls.get(id).map(Vec::as_slice).unwrap_or_default();
            let starts: Vec<_> = rows.iter().filter(|row| row.text("action") == "intercept").collect();
            assert!(starts.len() == 1, "{id} has {} starts\n{what}", starts.len());
            (starts[0].seq, starts[0].line["contextKeys"].clone(), rows)
        };
        for call in self.promises.allowed.iter().chain([fresh]) {
            let (_, keys, _) = start_of(&call.id);
            assert_eq!(keys, json!([call.key()]), "{what}");
        }
        for id in self.promises.ended.iter().chain([&fresh.id]) {
            let (seq, _, rows) = start_of(id);
            let outcomes = rows.iter().filter(|row| row.line["of"] == json!([seq])).count();
            assert!(outcomes == 1, "{id} has {outcomes} outcomes: {rows:#?}\n{what}");
        }
    }
}

fn assert_no_failure(gate: &Gate, now: &Stamp, what: &str) {
    let status = serde_json::to_value(gate.status(now)).unwrap();
    assert!(status.get("degraded").is_none(), "{status}\n{what}");
}
