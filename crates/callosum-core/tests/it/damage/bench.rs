//! Where damaged files are put under a gate. Each trial has gates of its own: one that had another journal open takes this one
//! for what is left of that.

use std::ffi::OsString;
use std::fs;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;

use callosum_core::gate::Gate;
use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use tempfile::TempDir;

use super::sample::{Files, RULES, gate};

/// Any other file than these in a state directory is an index.
fn is_index(name: &str) -> bool {
    let is_segment = name.starts_with("journal") && name.ends_with(".jsonl");
    !is_segment && name != "tiers.json" && name != "state.guard"
}

/// A file that a fresh process may start from instead of reading everything.
pub(crate) type Index = (OsString, Vec<u8>);

/// The index in `directory`.
fn index_in(directory: &Path) -> Option<Index> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let name = names.into_iter().find(|name| is_index(name.to_str().unwrap()))?;
    let content = fs::read(directory.join(&name)).unwrap();
    Some((name, content))
}

/// A state directory and two gates on it, of which the second only looks after the first.
pub(crate) struct Bench {
    directory: TempDir,
    pub(crate) gate: Gate,
    pub(crate) other: Gate,
    pub(crate) calls: u32,
}

impl Bench {
    pub(crate) fn new() -> Self {
        // In memory where there is such a folder: files are made anew for every damaged byte.
        let memory = Path::new("/dev/shm");
        let directory =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        fs::write(directory.path().join("tiers.json"), RULES).unwrap();
        let (gate, other) = (gate(directory.path(), "doug"), gate(directory.path(), "mira"));
        Self { directory, gate, other, calls: 0 }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Empties the directory, and puts fresh gates in the place of these: whoever had the journal open knows that it was lost.
    pub(crate) fn clear(&mut self) {
        for entry in fs::read_dir(self.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() != "tiers.json" {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        (self.gate, self.other) = (gate(self.path(), "doug"), gate(self.path(), "mira"));
    }

    /// The directory holds `files` and `index`, and both gates are fresh.
    pub(crate) fn put(&mut self, files: &Files, index: Option<&Index>) {
        self.clear();
        files.write(self.path());
        if let Some((name, content)) = index {
            fs::write(self.path().join(name), content).unwrap();
        }
    }

    /// Other gates in the place of these.
    pub(crate) fn renew(&mut self) {
        *self = Self { calls: self.calls, ..Self::new() };
    }

    /// The index that a gate makes of `files`.
    pub(crate) fn index_of(files: &Files, now: &Stamp) -> Index {
        let mut bench = Self::new();
        bench.put(files, None);
        assert!(bench.gate.status(now).degraded.is_none());
        bench.gate.close(now);
        // A gate that is closed behind a long journal leaves one.
        index_in(bench.path()).unwrap()
    }
}

/// Which other values a byte is given.
#[derive(Clone, Copy)]
pub(crate) enum Others {
    /// Two of the ways to break a line, and others for the next byte: another digit, another letter, no text any more, a line's end, NUL,
    /// another element of a list.
    Two,
    /// One of these, and another one for the next byte.
    One,
}

impl Others {
    /// The other values of the byte `byte` at `at`; with `CALLOSUM_TORTURE=1` all there are.
    pub(crate) fn of(self, at: usize, byte: u8) -> Vec<u8> {
        let mut values = vec![byte ^ 0x01, byte ^ 0x20, byte ^ 0x80, b'\n', 0, b','];
        if std::env::var_os("CALLOSUM_TORTURE").is_some_and(|value| value == "1") {
            values = (0..=u8::MAX).collect();
        } else {
            let apart = match self {
                Self::Two => 3,
                Self::One => values.len(),
            };
            values = values.into_iter().skip(at % apart).step_by(apart).collect();
        }
        values.retain(|value| *value != byte);
        values
    }
}

/// Runs every trial on some thread's bench; a trial says what is wrong. A panic is wrong too.
pub(crate) fn run<T: Sync>(
    trials: &[T],
    name: impl Fn(&T) -> String + Sync,
    trial: impl Fn(&mut Bench, &T) -> Vec<String> + Sync,
) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let part = |first: usize| {
        let mut bench = Bench::new();
        let mut problems = Vec::new();
        for one in trials.iter().skip(first).step_by(threads) {
            match catch_unwind(AssertUnwindSafe(|| trial(&mut bench, one))) {
                Ok(found) => {
                    problems.extend(found.into_iter().map(|found| format!("{}: {found}", name(one))));
                }
                Err(_) => {
                    problems.push(format!("{}: a panic", name(one)));
                    bench = Bench::new();
                }
            }
        }
        problems
    };
    let problems: Vec<String> = thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let shown = problems.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{} problems in {} trials:\n{shown}", problems.len(), trials.len());
}
