//! Single reads and writes go wrong.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::disk::{Course, Fault, Kind, Step};

/// Meets reads and writes with what it was told, the last first, and then does as it should. It notes what was flushed or made private,
/// and counts what is read.
#[derive(Debug, Default)]
pub struct Mishaps {
    /// Of reads to come.
    pub reads: Mutex<Vec<Mishap>>,
    /// Of writes to come.
    pub writes: Mutex<Vec<Mishap>>,
    others_delete: bool,
    done: Mutex<Vec<&'static str>>,
    was_read: AtomicU64,
}

/// How a read or a write goes.
#[derive(Clone, Copy, Debug)]
pub enum Mishap {
    /// It fails.
    Fails(io::ErrorKind),
    /// It takes so many bytes.
    Takes(usize),
    /// It goes as it should.
    None,
}

impl Mishaps {
    /// What is to be deleted here, somebody else deletes a moment before.
    #[must_use]
    pub fn where_others_delete() -> Self {
        Self { others_delete: true, ..Self::default() }
    }

    /// What was done since this was asked last.
    pub fn done(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.done.lock().unwrap())
    }

    /// How many bytes were read since this was asked last.
    pub fn was_read(&self) -> u64 {
        self.was_read.swap(0, Ordering::Relaxed)
    }
}

impl Fault for Mishaps {
    fn meet(&self, step: &Step<'_>) -> Course {
        let mishap = match step.kind {
            Kind::Read => self.reads.lock().unwrap().pop(),
            Kind::Write => self.writes.lock().unwrap().pop(),
            Kind::Remove if self.others_delete => {
                return std::fs::remove_file(step.path).map_or_else(Course::Fails, |()| Course::Well);
            }
            kind => {
                let done = match kind {
                    Kind::SyncFolder => Some("folder"),
                    Kind::MakePrivate => Some("private"),
                    Kind::Sync => Some("file"),
                    _ => None,
                };
                self.done.lock().unwrap().extend(done);
                None
            }
        };
        match mishap {
            Some(Mishap::Fails(kind)) => Course::Fails(kind.into()),
            Some(Mishap::Takes(most)) => Course::Takes(most),
            Some(Mishap::None) | None => Course::Well,
        }
    }

    fn has_read(&self, bytes: usize) {
        self.was_read.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
