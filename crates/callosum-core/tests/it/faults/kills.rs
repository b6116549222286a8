//! Processes are killed, at random moments and at named steps within appending, rotating and indexing. Nothing
//! acknowledged is missing, no key stays held, sequence numbers rise, and whoever comes next goes on: a new
//! process, and one that was there all the time.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use callosum_core::gate::{Answer, Gate};
use callosum_core::machine::Machine;
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_core::store::disk::SystemDisk;
use callosum_testing::faults::kills::{Death, When};
use callosum_testing::random::{Random, number, seed};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::journal_text::{Damage, Reading, files_in, read};
use super::victim::{Victim, Word};
use super::world::{Call, READ_MS, finish, gate, told, write_rules};

/// Kills where `CALLOSUM_KILLS` names no number.
const KILLS: u64 = 150;
/// Kills in one state directory.
const KILLS_IN_ONE: usize = 6;

#[test]
fn whoever_is_killed_leaves_a_journal_that_holds_what_was_promised() {
    let mut random = Random::new(seed());
    let wanted = usize::try_from(number("CALLOSUM_KILLS").unwrap_or(KILLS)).unwrap();
    let (steps, lifetime) = Campaign::new().explore();
    let mut named: Vec<(When, &String)> = steps
        .keys()
        .flat_map(|step| {
            let within = step.starts_with("write").then_some(When::Within);
            [When::Before, When::After].into_iter().chain(within).map(move |when| (when, step))
        })
        .collect();
    let points = named.len();
    let (mut at_points, mut at_random) = (0, 0);
    while at_points + at_random < wanted {
        let mut campaign = Campaign::new();
        for _ in 0..KILLS_IN_ONE.min(wanted - at_points - at_random) {
            // Each named point once, then any.
            let point = named.pop().or_else(|| {
                let (step, _) = steps.iter().nth(random.below(steps.len())).unwrap();
                let when = [When::Before, When::Within, When::After][random.below(3)];
                random.one_in(2).then_some((when, step))
            });
            if let Some((when, step)) = point {
                let nth = 1 + u32::try_from(random.below(steps[step])).unwrap();
                let death = Death { when, nth, step: step.clone() };
                at_points += usize::from(campaign.kill(&How::At(death)));
            } else {
                let after =
                    Duration::from_micros(random.bits() % u64::try_from(lifetime.as_micros()).unwrap());
                at_random += usize::from(campaign.kill(&How::After(after)));
            }
        }
    }
    println!("{at_points} kills at {points} named points, {at_random} at random moments");
    println!("steps of one victim, which lived {lifetime:?}: {steps:?}");
    for needed in ["write journal.jsonl", "sync journal.jsonl", "write journal.next", "rename journal.next"] {
        assert!(steps.contains_key(needed), "{needed} is no step any more");
    }
    assert!(steps.contains_key("rename journal.jsonl") && steps.contains_key("sync state"));
    assert!(
        steps.keys().any(|step| step.starts_with("write") && step.contains("index")),
        "no index was written"
    );
}

/// How a victim dies.
#[derive(Clone, Debug)]
enum How {
    At(Death),
    /// So long after its first word.
    After(Duration),
    Not,
}

/// What all victims of one state directory said.
#[derive(Debug, Default)]
struct Said {
    asked: BTreeMap<String, String>,
    allowed: Vec<String>,
    ended: Vec<String>,
    steps: BTreeMap<String, usize>,
    finished: bool,
}

impl Said {
    fn hear(&mut self, word: Word) {
        match word {
            Word::Asks { id, key } => drop(self.asked.insert(id, key)),
            Word::Allowed { id } => self.allowed.push(id),
            Word::Refused { id, text } => panic!("{id} was refused: {text}"),
            Word::Ended { id } => self.ended.push(id),
            Word::Step { name } => *self.steps.entry(name).or_default() += 1,
            Word::Finished => self.finished = true,
        }
    }
}

/// Kills in one state directory, one after the other.
struct Campaign {
    real: TempDir,
    state: PathBuf,
    /// A process that is there from the beginning.
    witness: Arc<Gate>,
    said: Said,
    victims: usize,
    kills: usize,
    calls: usize,
    /// How long the last victim lived.
    lived: Duration,
}

impl Campaign {
    fn new() -> Self {
        let real = tempfile::tempdir().unwrap();
        write_rules(real.path());
        let state = real.path().join("state");
        std::fs::create_dir(&state).unwrap();
        std::fs::set_permissions(&state, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        // Far enough along for an index.
        let opened = json!({"v": 1, "action": "opened", "timestamp": "2026-01-01T00:00:00.000Z",
            "instance": "old", "base": 300_000});
        std::fs::write(state.join("journal.jsonl"), format!("{opened}\n")).unwrap();
        let witness = Arc::new(gate_of("witness", &state, real.path()));
        Self {
            real,
            state,
            witness,
            said: Said::default(),
            victims: 0,
            kills: 0,
            calls: 0,
            lived: Duration::ZERO,
        }
    }

    /// Lets a victim live, for the steps it takes and how long that takes.
    fn explore(mut self) -> (BTreeMap<String, usize>, Duration) {
        self.kill(&How::Not);
        let steps = self.said.steps;
        assert!(self.said.finished, "{steps:?}");
        (steps, self.lived)
    }

    /// Kills one more, and checks what it left. False when it came to its end before.
    fn kill(&mut self, how: &How) -> bool {
        self.victims += 1;
        let victim = Victim {
            name: format!("v{}", self.victims),
            state: self.state.clone(),
            real: self.real.path().to_owned(),
            rounds: 2,
            calls: 8,
            death: if let How::At(death) = how { Some(death.to_string()) } else { None },
            tells_steps: matches!(how, How::Not),
        };
        let mut child = victim.start();
        let pid = Pid::from_child(&child);
        self.said.finished = false;
        let start = Instant::now();
        self.listen(&mut child, how);
        self.lived = start.elapsed();
        // Dead, but nobody has asked for its exit status yet: such a process still has its pid.
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        let was_killed = !self.said.finished;
        self.kills += usize::from(was_killed);
        let what = format!("victim {} of {}: {how:?}", victim.name, self.state.display());
        self.check(&victim.name, &what);
        let status = child.wait().unwrap();
        // One that is done may still be killed while it exits.
        let died = status.signal() == Some(Signal::KILL.as_raw());
        assert!(died || (status.success() && !was_killed), "{status:?}\n{what}");
        was_killed
    }

    fn listen(&mut self, child: &mut Child, how: &How) {
        let pid = Pid::from_child(child);
        let mut killer = None;
        for line in BufReader::new(child.stderr.take().unwrap()).lines() {
            let line = line.unwrap();
            let word = serde_json::from_str(&line).unwrap_or_else(|_| panic!("a victim says: {line}"));
            self.said.hear(word);
            if let (How::After(delay), None) = (how, &killer) {
                let delay = *delay;
                killer = Some(thread::spawn(move || {
                    thread::sleep(delay);
                    kill_process(pid, Signal::KILL).unwrap();
                }));
            }
        }
        if let Some(killer) = killer {
            // It may have come to its end first; its pid is not free for another before it is waited for.
            killer.join().unwrap();
        }
    }

    fn check(&mut self, victim: &str, what: &str) {
        // As it lies there, rotations cut off and all.
        self.check_promises(&read(&files_in(&self.state), Damage::PowerCut), what);
        let next = gate_of("next", &self.state, self.real.path());
        let now = Machine::read().now();
        let witness = Arc::clone(&self.witness);
        for gate in [&next, &witness] {
            let answer = self.ask(gate, "mail", &format!("new-{}-{}", gate.instance(), self.victims), &now);
            assert_eq!(answer, Answer::Proceed, "{what}");
        }
        let reading = self.check_journal(&next, &now, what);
        self.check_keys(&next, victim, &reading, &now, what);
        self.check_journal(&witness, &now, what);
        next.close(&now);
    }

    /// A call by a gate of the test's own; one that is let through goes well.
    fn ask(&mut self, gate: &Gate, tool: &'static str, to: &str, now: &Stamp) -> Answer {
        self.calls += 1;
        let call = Call::new(tool, gate.instance(), format!("own-{}", self.calls), to);
        let answer = finish(gate, call.begin(gate, &Value::Null, now), now);
        if answer == Answer::Proceed {
            finish(gate, call.end(gate, Ended::Ok, now), now);
        }
        answer
    }

    /// The files are whole, and the gate tells what they say.
    fn check_journal(&self, gate: &Gate, now: &Stamp, what: &str) -> Reading {
        let told = told(gate, now);
        let status = serde_json::to_value(gate.status(now)).unwrap();
        let reading = read(&files_in(&self.state), Damage::TornLines);
        assert!(reading.problems.is_empty(), "{:?}\n{what}", reading.problems);
        assert!(reading.torn <= self.kills, "{} torn lines, {} kills\n{what}", reading.torn, self.kills);
        let rows: Vec<_> = reading.rows.iter().map(|row| (row.seq, row.line.clone())).collect();
        assert!(told == rows, "the gate tells {told:#?}, the files say {rows:#?}\n{what}");
        assert!(status.get("degraded").is_none(), "{status}\n{what}");
        assert_eq!(status["journal"]["skipped"], reading.torn, "{what}");
        self.check_promises(&reading, what);
        reading
    }

    /// Every call that was let through has its one intent, every end its one outcome, and no row is of a call
    /// that nobody made.
    fn check_promises(&self, reading: &Reading, what: &str) {
        let calls = reading.by_call();
        for (id, rows) in &calls {
            let Some(key) = self.said.asked.get(*id) else {
                assert!(id.starts_with("own-"), "nobody made the call {id}\n{what}");
                continue;
            };
            let starts = rows.iter().filter(|row| row.text("action") == "intercept").count();
            assert!(starts == 1 && rows.len() <= 2, "{id}: {rows:#?}\n{what}");
            assert!(
                rows.iter().all(|row| row.line["contextKeys"] == json!([key])),
                "{id}: {rows:#?}\n{what}"
            );
            if let Some(outcome) = rows.get(1) {
                assert_eq!(outcome.line["of"], json!([rows[0].seq]), "{id}\n{what}");
                assert_eq!(outcome.text("action"), "complete", "{id}\n{what}");
            }
        }
        for id in &self.said.allowed {
            assert!(
                calls.contains_key(id.as_str()),
                "{id} was let through, and is not in the journal\n{what}"
            );
        }
        for id in &self.said.ended {
            let rows = &calls[id.as_str()];
            // Tiers 0 and 1 write no end.
            let expected = if rows[0].line["tier"] == 1 { 1 } else { 2 };
            assert_eq!(rows.len(), expected, "{id}: {rows:#?}\n{what}");
        }
    }

    /// What the victim was at holds nobody up: it is unknown at once, and a retry goes through.
    fn check_keys(&mut self, next: &Gate, victim: &str, reading: &Reading, now: &Stamp, what: &str) {
        let status = serde_json::to_value(next.status(now)).unwrap();
        assert_eq!(status["locks"], json!([]), "{what}");
        let calls = reading.by_call();
        let of_victim = |id: &str| id.starts_with(&format!("{victim}-"));
        let guarded =
            calls.iter().filter(|(id, rows)| of_victim(id) && rows[0].line["tier"].as_u64() >= Some(3));
        let (open, ended): (Vec<_>, Vec<_>) = guarded.partition(|(_, rows)| rows.len() == 1);
        let later = now.plus_ms(READ_MS);
        for (id, _) in open {
            self.assert_paused(next, "pay", id, "the outcome is unknown", now, what);
            assert_eq!(self.ask(next, "pay", id, &later), Answer::Proceed, "the retry of {id}\n{what}");
        }
        for (id, _) in ended.iter().take(2) {
            self.assert_paused(next, "mail", id, "was already acted on", now, what);
        }
    }

    fn assert_paused(
        &mut self,
        gate: &Gate,
        tool: &'static str,
        to: &str,
        why: &str,
        now: &Stamp,
        what: &str,
    ) {
        let answer = self.ask(gate, tool, to, now);
        let paused = matches!(&answer, Answer::Refuse(text) if text.contains(why));
        assert!(paused, "{to}: {answer:?}\n{what}");
    }
}

fn gate_of(instance: &str, state: &Path, real: &Path) -> Gate {
    gate(instance, state, real, Arc::new(SystemDisk), &json!({}))
}
