//! What happens in the tests of power cuts and failing disks: two gates and several sessions, flushes that wait
//! for each other, rotation, an index, retention. The same every time, as long as the disk does not fail.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callosum_core::gate::{Answer, Gate};
use callosum_core::machine::Machine;
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use callosum_core::record::outcome::Ended;
use callosum_core::store::disk::{Disk, DiskFile, OpenMode};
use callosum_testing::memory::MemoryDisk;
use callosum_testing::platter::{Node, Remains};
use serde_json::{Value, json};

use super::world::{Call, READ_MS, WINDOW_MS, allows, finish, gate, is_for_the_state};

/// The state directory, on a disk in memory.
pub(crate) const STATE: &str = "/home/ann/.callosum";
/// So far has the journal grown in [`Start::Grown`]: far enough for an index.
const GROWN_TO: u64 = 300_000;

/// What is there at the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Not even the folder above the state directory.
    Nothing,
    /// A journal whose older segments have been pruned.
    Grown,
}

impl Start {
    /// The first sequence number there is.
    pub(crate) fn base(self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Grown => GROWN_TO,
        }
    }

    pub(crate) fn remains(self) -> Remains {
        let mut remains = Remains::default();
        remains.names.insert(PathBuf::from("/home"), Node::Folder);
        if self == Self::Grown {
            let state = Path::new(STATE);
            remains.names.insert(state.parent().unwrap().to_owned(), Node::Folder);
            remains.names.insert(state.to_owned(), Node::Folder);
            remains.names.insert(state.join("journal.jsonl"), Node::File(1));
            let opened = json!({"v": 1, "action": "opened", "timestamp": "2026-01-01T00:00:00.000Z",
                "instance": "old", "base": GROWN_TO});
            remains.files.insert(1, format!("{opened}\n").into_bytes());
        }
        remains
    }
}

/// A verdict, and what else could be seen at that moment.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    instance: String,
    pub(crate) call: Call,
    pub(crate) answer: Answer,
    /// The disk's events when it was given.
    pub(crate) moment: usize,
    pub(crate) wall_ms: i64,
    /// Somebody was let through on this resource before, within the window, and the session was not shown it.
    pub(crate) is_repeat: bool,
    /// Somebody asked for this resource before, whatever came of it.
    pub(crate) was_asked: bool,
    /// The gate has been closed since: what it could not write is lost with it.
    pub(crate) gate_is_gone: bool,
    /// What the status says of the state, where the call was refused for it.
    pub(crate) degraded: Option<Value>,
}

/// The end of a call, told to the gate and finished.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) id: String,
    /// It did nothing.
    pub(crate) failed: bool,
    pub(crate) moment: usize,
    pub(crate) wall_ms: i64,
}

/// One performance.
pub(crate) struct Script<'a> {
    disk: &'a MemoryDisk,
    through: Arc<dyn Disk>,
    real: &'a Path,
    pub(crate) now: Stamp,
    /// From which of the disk's events on which time held.
    clock: Vec<(usize, Stamp)>,
    calls: usize,
    /// When the last call on a resource was let through.
    acted: BTreeMap<String, Stamp>,
    /// Sessions that were shown what was done to a resource.
    shown: BTreeSet<(String, String)>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) ends: Vec<End>,
    /// Log lines of all gates.
    pub(crate) notices: Vec<String>,
}

impl<'a> Script<'a> {
    /// A performance on `disk`, reached by the gates `through` another. `real` holds rules and guards.
    pub(crate) fn new(disk: &'a MemoryDisk, through: Arc<dyn Disk>, real: &'a Path) -> Self {
        let now = Machine::read().now();
        disk.set_time(now.wall_ms);
        Self {
            disk,
            through,
            real,
            now,
            clock: vec![(0, now)],
            calls: 0,
            acted: BTreeMap::new(),
            shown: BTreeSet::new(),
            verdicts: Vec::new(),
            ends: Vec::new(),
            notices: Vec::new(),
        }
    }

    pub(crate) fn gate(&self, instance: &str) -> Gate {
        gate(instance, Path::new(STATE), self.real, Arc::clone(&self.through), &json!({}))
    }

    pub(crate) fn pass(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        self.clock.push((self.disk.moment(), self.now));
        self.disk.set_time(self.now.wall_ms);
    }

    /// The time at an event of the disk.
    pub(crate) fn now_at(&self, moment: usize) -> Stamp {
        self.clock.iter().rev().find(|(from, _)| *from <= moment).unwrap().1
    }

    /// All of it. Leaves the two gates open.
    pub(crate) fn perform(&mut self) -> [Gate; 2] {
        let mut doug = self.gate("doug");
        let mira = self.gate("mira");
        self.done(&doug, "a", "mail", "first");
        self.done(&mira, "b", "message", "chat");
        self.done(&mira, "b", "write", "/x");
        // An intent is flushed after its segment was closed by another gate.
        let (slow, ticket) = self.begin(&doug, "a", "mail", "slow");
        self.fill();
        self.done(&mira, "b", "mail", "fills");
        self.keep_up(&[&mira]);
        self.done(&mira, "b", "mail", "after-rotation");
        self.finish(&doug, &slow, ticket);
        self.end(&doug, &slow, Ended::Ok);
        // A repetition is paused, and its retry goes through.
        self.ask(&mira, "c", "mail", "first");
        self.pass(READ_MS);
        self.ask(&mira, "c", "mail", "first");
        let held = self.ask(&doug, "a", "pay", "held");
        self.ask(&mira, "b", "pay", "held");
        self.fill();
        self.done(&doug, "a", "message", "chat");
        self.keep_up(&[&doug, &mira]);
        // Two intents and one flush for both.
        let one = self.begin(&doug, "a", "mail", "one");
        let two = self.begin(&doug, "d", "mail", "two");
        self.finish(&doug, &two.0, two.1);
        self.finish(&doug, &one.0, one.1);
        self.end(&doug, &one.0, Ended::Error);
        self.fill();
        self.done(&mira, "b", "write", "/y");
        self.keep_up(&[&mira]);
        self.end(&doug, &held, Ended::Ok);
        self.close(&doug);
        doug = self.gate("doug");
        self.done(&doug, "a", "message", "chat");
        self.done(&doug, "a", "mail", "reopened");
        self.fill();
        self.done(&doug, "a", "write", "/z");
        self.keep_up(&[&doug]);
        self.close(&doug);
        self.done(&mira, "b", "mail", "before-the-night");
        // What is out of every window is pruned.
        self.pass(2 * 3_600_000);
        doug = self.gate("doug");
        self.done(&doug, "a", "mail", "morning");
        self.fill();
        self.done(&mira, "b", "mail", "first");
        self.keep_up(&[&doug, &mira]);
        self.ask(&doug, "a", "mail", "morning");
        let last = self.ask(&doug, "a", "pay", "last");
        self.keep_up(&[&mira]);
        self.end(&doug, &last, Ended::Killed);
        [doug, mira]
    }

    fn call(&mut self, session: &str, tool: &'static str, to: &str) -> Call {
        self.calls += 1;
        Call::new(tool, session, format!("call-{}", self.calls), to)
    }

    /// A call that ends well if it is let through.
    pub(crate) fn done(&mut self, gate: &Gate, session: &str, tool: &'static str, to: &str) -> Answer {
        let call = self.ask(gate, session, tool, to);
        let answer = self.verdicts.last().unwrap().answer.clone();
        if allows(&answer) {
            self.end(gate, &call, Ended::Ok);
        }
        answer
    }

    pub(crate) fn ask(&mut self, gate: &Gate, session: &str, tool: &'static str, to: &str) -> Call {
        let (call, answer) = self.begin(gate, session, tool, to);
        self.finish(gate, &call, answer);
        call
    }

    fn begin(&mut self, gate: &Gate, session: &str, tool: &'static str, to: &str) -> (Call, Answer) {
        let call = self.call(session, tool, to);
        let answer = call.begin(gate, &json!("hello"), &self.now);
        (call, answer)
    }

    fn finish(&mut self, gate: &Gate, call: &Call, answer: Answer) {
        let answer = finish(gate, answer, &self.now);
        let moment = self.disk.moment();
        let (key, reader) = (call.key(), (call.session.clone(), call.key()));
        let recent = self.acted.get(&key).is_some_and(|last| last.age_ms(&self.now) < WINDOW_MS);
        let is_repeat = recent && !self.shown.contains(&reader);
        let was_asked = self.verdicts.iter().any(|verdict| verdict.call.key() == key);
        let mut degraded = None;
        match &answer {
            Answer::Refuse(text) if text.contains("acted on") => drop(self.shown.insert(reader)),
            Answer::Refuse(_) if !is_for_the_state(&answer) => {}
            Answer::Refuse(_) => {
                degraded = serde_json::to_value(gate.status(&self.now)).unwrap().get("degraded").cloned();
            }
            _ => {
                self.acted.insert(key, self.now);
                self.shown.remove(&reader);
            }
        }
        self.hear(gate);
        let wall_ms = self.now.wall_ms;
        let call = call.clone();
        let (instance, gate_is_gone) = (gate.instance().to_owned(), false);
        self.verdicts.push(Verdict {
            instance,
            call,
            answer,
            moment,
            wall_ms,
            is_repeat,
            was_asked,
            gate_is_gone,
            degraded,
        });
    }

    fn end(&mut self, gate: &Gate, call: &Call, ended: Ended) {
        let asked = self.verdicts.iter().find(|verdict| verdict.call.id == call.id).unwrap();
        let ended = if allows(&asked.answer) { ended } else { Ended::Refused };
        let answer = call.end(gate, ended, &self.now);
        finish(gate, answer, &self.now);
        if ended == Ended::Error {
            self.acted.remove(&call.key());
        }
        if call.is_guarded() && ended != Ended::Refused {
            self.ends.push(End {
                id: call.id.clone(),
                failed: ended == Ended::Error,
                moment: self.disk.moment(),
                wall_ms: self.now.wall_ms,
            });
        }
        self.hear(gate);
    }

    fn keep_up(&mut self, gates: &[&Gate]) {
        for gate in gates {
            gate.maintain(&self.now);
            self.hear(gate);
        }
    }

    fn close(&mut self, gate: &Gate) {
        gate.close(&self.now);
        for verdict in &mut self.verdicts {
            verdict.gate_is_gone |= verdict.instance == gate.instance();
        }
        self.hear(gate);
    }

    pub(crate) fn hear(&mut self, gate: &Gate) {
        self.notices.extend(gate.take_notices().into_iter().map(|notice| notice.text));
    }

    /// Another writer's long line, so that the next record fills the segment. Not while a line is unfinished
    /// or a rotation cut off: that writer would first do what the gate's own code does.
    fn fill(&mut self) {
        let path = Path::new(STATE).join("journal.jsonl");
        let Some(bytes) = self.disk.contents(&path) else { return };
        let last = bytes.strip_suffix(b"\n").and_then(|lines| lines.rsplit(|byte| *byte == b'\n').next());
        if last.is_none_or(|last| String::from_utf8_lossy(last).contains(r#""action":"closed""#)) {
            return;
        }
        let note = json!({"v": 1, "action": "noted", "instance": "other", "padding": "x".repeat(14_000),
            "timestamp": callosum_core::model::time::to_rfc3339(self.now.wall_ms)});
        let file = self.disk.open_file(&path, OpenMode::Append).unwrap();
        file.write(format!("{note}\n").as_bytes()).unwrap();
    }
}
