//! The disk fails at every step it is asked for, once or from then on. Nothing is let through against
//! `onStateError`, nothing promised is lost, the status is true, and when the fault ends all is as before.

use std::path::Path;
use std::sync::Arc;

use callosum_core::gate::Answer;
use callosum_core::query::Source;
use callosum_testing::disk::{Kind, TestDisk};
use callosum_testing::faults::fails::{Fails, Failure, Lasting, Short};
use callosum_testing::memory::MemoryDisk;
use callosum_testing::platter::{Event, Fate};
use callosum_testing::random::{Random, seed};
use rustix::io::Errno;
use serde_json::json;

use super::journal_text::{Damage, Reading, read};
use super::script::{STATE, Script, Start, Verdict};
use super::world::{allows, is_for_the_state, told, write_rules};

const ERRORS: [Errno; 3] = [Errno::NOSPC, Errno::IO, Errno::ACCESS];

#[test]
fn a_step_that_fails_once_breaks_no_promise() {
    fail_everywhere(Lasting::Once);
}

#[test]
fn a_kind_of_step_that_fails_from_then_on_breaks_no_promise() {
    fail_everywhere(Lasting::Kind);
}

#[test]
fn a_disk_that_is_gone_breaks_no_promise() {
    fail_everywhere(Lasting::All);
}

/// Every step that fails once, and of those that last one in four, with an error that chance chooses; with
/// `CALLOSUM_FAULTS=all` each with every error.
fn fail_everywhere(lasting: Lasting) {
    let all = std::env::var("CALLOSUM_FAULTS").is_ok_and(|which| which == "all");
    let mut random = Random::new(seed());
    let real = tempfile::tempdir().unwrap();
    write_rules(real.path());
    let mut faults = 0;
    for start in [Start::Nothing, Start::Grown] {
        let steps = perform(start, None, real.path()).steps;
        for (at, step) in steps.iter().enumerate() {
            let chosen = random.below(ERRORS.len());
            if !all && lasting != Lasting::Once && !random.one_in(4) {
                continue;
            }
            for error in if all { &ERRORS[..] } else { &ERRORS[chosen..=chosen] } {
                for short in [None, Some(Short::Half), Some(Short::ButOneByte)] {
                    // A whole line that can't be taken back, because the disk is gone, counts with its end.
                    let stays = lasting == Lasting::All && short == Some(Short::ButOneByte);
                    if short.is_some() && (step.0 != Kind::Write || stays) {
                        continue;
                    }
                    let fault = Failure { at, error: *error, lasting, short };
                    let what = format!("{start:?}, {step:?}: {fault:?}");
                    let show = ShowIfPanicking(&what);
                    perform(start, Some(fault), real.path()).check(&what);
                    drop(show);
                    faults += 1;
                }
            }
        }
    }
    println!("{lasting:?}: {faults} faults");
    assert!(faults > 100, "{faults}");
}

/// Names the case in which the product panicked.
struct ShowIfPanicking<'a>(&'a str);

impl Drop for ShowIfPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in the case: {}", self.0);
        }
    }
}

/// What came of one performance.
struct Performance {
    disk: MemoryDisk,
    start: Start,
    fault: Option<Failure>,
    steps: Vec<(Kind, String)>,
    verdicts: Vec<Verdict>,
    notices: Vec<String>,
    /// How many verdicts there were when the fault was mended.
    mended: usize,
    journal: Reading,
}

fn perform(start: Start, fault: Option<Failure>, real: &Path) -> Performance {
    let disk = MemoryDisk::holding(start.remains(), real, 0);
    let failing = TestDisk::on(&disk, Fails::with(fault));
    let mut script = Script::new(&disk, Arc::new(failing.clone()), real);
    let gates = script.perform();
    assert_eq!(failing.has_failed(), fault.is_some());
    let steps = failing.steps();
    failing.mend();
    let mended = script.verdicts.len();
    let what = format!("{start:?}: {fault:?}");
    for (gate, session) in gates.iter().zip(["a", "b"]) {
        gate.maintain(&script.now);
        if fault.is_some_and(|fault| steps[fault.at].0 == Kind::Sync) {
            // The system tells each open file of a failed flush, also when the disk works again.
            script.done(gate, session, "mail", &format!("told-{session}"));
        }
        for tool in ["mail", "message", "write"] {
            let answer = script.done(gate, session, tool, &format!("mended-{session}"));
            assert_eq!(answer, Answer::Proceed, "{what}");
        }
        gate.maintain(&script.now);
        script.hear(gate);
    }
    let journal = read(&disk.remains().files_in(Path::new(STATE)), Damage::TornLines);
    for gate in &gates {
        let status = serde_json::to_value(gate.status(&script.now)).unwrap();
        assert!(status.get("degraded").is_none(), "{status}\n{what}");
        assert_eq!(
            (&status["waiting"]["queued"], &status["waiting"]["lost"]),
            (&json!(0), &json!(0)),
            "{what}"
        );
        let rows: Vec<_> = journal.rows.iter().map(|row| (row.seq, row.line.clone())).collect();
        assert!(told(gate, &script.now) == rows, "{what}");
    }
    let Script { verdicts, notices, .. } = script;
    Performance { disk, start, fault, steps, verdicts, notices, mended, journal }
}

impl Performance {
    fn check(&self, what: &str) {
        assert!(self.journal.problems.is_empty(), "{:?}\n{what}", self.journal.problems);
        assert!(self.journal.torn <= 1, "{} torn lines\n{what}", self.journal.torn);
        self.check_durability(what);
        for verdict in &self.verdicts {
            check_verdict(verdict, what);
        }
        self.check_status(what);
        self.check_rows(what);
    }

    fn lasts(&self) -> bool {
        self.fault.is_some_and(|fault| fault.lasting != Lasting::Once)
    }

    /// Whatever guarded call was let through, its intent was on the disk at that moment.
    fn check_durability(&self, what: &str) {
        let (mut platter, events) = self.disk.history();
        let mut events = events.iter();
        let mut applied = 0;
        for verdict in self.verdicts.iter().filter(|v| v.call.is_guarded() && allows(&v.answer)) {
            events.by_ref().take(verdict.moment - applied).for_each(|event| platter.apply(event));
            applied = verdict.moment;
            let mut durable = platter.clone();
            for folder in Path::new(STATE).ancestors().skip(1) {
                // Not every folder above may be opened, so that the gate goes on if it can't flush one.
                durable.apply(&Event::FlushNames { folder: folder.to_owned() });
            }
            let remains = durable.cut(&mut Fate::AllLost).files_in(Path::new(STATE));
            let wanted = format!("\"call\":\"{}\"", verdict.call.id);
            let is_there = remains.iter().any(|(name, bytes)| {
                name.ends_with(".jsonl")
                    && String::from_utf8_lossy(bytes).lines().any(|line| line.contains(&wanted))
            });
            assert!(is_there, "let through without a durable intent: {verdict:?}\n{what}");
        }
    }

    /// While a fault lasts, whoever is refused for it finds it in the status; in any case it was told once.
    fn check_status(&self, what: &str) {
        for verdict in &self.verdicts[..self.mended] {
            if !is_for_the_state(&verdict.answer) {
                continue;
            }
            assert!(self.notices.iter().any(|notice| notice.contains("degraded: ")), "{verdict:?}\n{what}");
            if self.lasts() {
                let degraded = verdict.degraded.clone().unwrap_or_default();
                for field in ["code", "cause", "remedy", "since"] {
                    assert!(
                        degraded[field].as_str().is_some_and(|text| !text.is_empty()),
                        "{verdict:?}\n{what}"
                    );
                }
            }
        }
    }

    /// Each call has one row for its verdict and at most one outcome.
    fn check_rows(&self, what: &str) {
        let calls = self.journal.by_call();
        // The script's night is long: older segments are pruned.
        let pruned_to =
            self.verdicts.iter().rposition(|verdict| verdict.call.to == "before-the-night").unwrap();
        for (number, verdict) in self.verdicts.iter().enumerate() {
            let rows = calls.get(verdict.call.id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let starts: Vec<_> = rows.iter().filter(|row| row.line["of"].is_null()).collect();
            if starts.is_empty() && number <= pruned_to && self.journal.rows[0].seq > self.start.base() {
                continue;
            }
            let is_promised = verdict.call.is_guarded() && allows(&verdict.answer);
            if rows.is_empty() && verdict.gate_is_gone && !is_promised && self.lasts() {
                continue;
            }
            assert!(starts.len() == 1, "{verdict:?} has {rows:#?}\n{what}");
            let outcomes = rows.iter().filter(|row| row.line["of"] == json!([starts[0].seq])).count();
            assert!(rows.len() == 1 + outcomes && outcomes <= 1, "{verdict:?} has {rows:#?}\n{what}");
            let action = starts[0].text("action");
            let expected: &[&str] = match &verdict.answer {
                Answer::Refuse(_) if !is_for_the_state(&verdict.answer) => &["blocked"],
                // Refused before it was written, or taken back when it could not be flushed.
                Answer::Refuse(_) if outcomes == 1 => &["intercept"],
                Answer::Refuse(_) if verdict.gate_is_gone && self.lasts() => &["refused", "intercept"],
                Answer::Refuse(_) => &["refused"],
                _ => &["intercept"],
            };
            assert!(expected.contains(&action), "{verdict:?} has {rows:#?}\n{what}");
        }
    }
}

/// `onStateError` is `tiered`.
fn check_verdict(verdict: &Verdict, what: &str) {
    let allowed = allows(&verdict.answer);
    if verdict.call.is_guarded() {
        assert!(!allowed || !verdict.is_repeat, "let through again: {verdict:?}\n{what}");
    } else {
        assert!(allowed, "tiers 0 to 2 go on: {verdict:?}\n{what}");
    }
    let has_reason = allowed || is_for_the_state(&verdict.answer) || verdict.was_asked;
    assert!(has_reason, "refused without a reason: {verdict:?}\n{what}");
}
