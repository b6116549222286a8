//! A process kills itself at a step it is told.

use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;

use callosum_core::store::disk::OpenMode;
use rustix::process::{Signal, getpid, kill_process};

use crate::disk::{Course, Fault, Kind, Step};

/// When to die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Nothing of the step is done.
    Before,
    /// With half of the bytes written.
    Within,
    /// All of it is done.
    After,
}

/// Where to die: at the step `name`, when it is taken for the time `nth`, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// When, of that step.
    pub when: When,
    /// Of the steps of this name, from 1.
    pub nth: u32,
    /// As in `write journal.jsonl`.
    pub step: String,
}

impl std::fmt::Display for Death {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?} {} {}", self.when, self.nth, self.step)
    }
}

impl FromStr for Death {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.splitn(3, ' ');
        let when = match words.next() {
            Some("Before") => When::Before,
            Some("Within") => When::Within,
            Some("After") => When::After,
            _ => return Err("no such moment"),
        };
        let nth = words.next().and_then(|word| word.parse().ok()).ok_or("no number")?;
        Ok(Self { when, nth, step: words.next().ok_or("no step")?.to_owned() })
    }
}

/// Kills this process at a step.
#[derive(Debug)]
pub struct Kills {
    death: Option<Death>,
    taken: Mutex<u32>,
    witness: fn(&str),
}

impl Kills {
    /// Kills as told, if at all; `witness` is told of every step.
    pub fn at(death: Option<Death>, witness: fn(&str)) -> Self {
        Self { death, taken: Mutex::new(0), witness }
    }
}

impl Fault for Kills {
    fn meet(&self, step: &Step<'_>) -> Course {
        let kind = match (step.kind, step.purpose) {
            (Kind::Open, Some(OpenMode::Create)) => "create",
            (Kind::Open | Kind::OpenGuard, _) => "open",
            (Kind::MakeFolder, _) => "make",
            (Kind::Rename, _) => "rename",
            (Kind::Exchange, _) => "exchange",
            (Kind::Remove, _) => "remove",
            (Kind::Sync | Kind::SyncFolder, _) => "sync",
            (Kind::Write, _) => "write",
            (Kind::SetSize, _) => "cut",
            // These change nothing that is looked at afterwards.
            (
                Kind::Metadata
                | Kind::List
                | Kind::FileMetadata
                | Kind::Size
                | Kind::Read
                | Kind::MakePrivate,
                _,
            ) => {
                return Course::Well;
            }
        };
        let name = format!("{kind} {}", general_name(step.path));
        (self.witness)(&name);
        let when = self.death.as_ref().filter(|death| death.step == name).and_then(|death| {
            let mut taken = self.taken.lock().unwrap();
            *taken += 1;
            (*taken == death.nth).then_some(death.when)
        });
        match when {
            None => Course::Well,
            Some(When::Before) => Course::Fails(die()),
            Some(When::Within) => Course::Ends(step.length / 2, die),
            Some(When::After) => Course::Ends(step.length, die),
        }
    }
}

/// The file's name with numbers left out: `journal.N.jsonl`, `index.json.N`.
fn general_name(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy();
    let parts = name.split('.').map(|part| {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) { "N" } else { part }
    });
    parts.collect::<Vec<_>>().join(".")
}

fn die() -> io::Error {
    kill_process(getpid(), Signal::KILL).unwrap();
    loop {
        std::thread::park();
    }
}
