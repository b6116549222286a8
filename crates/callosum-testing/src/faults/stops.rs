//! A disk can be stopped: whoever comes for what is stopped waits until it goes on.

use std::sync::{Condvar, Mutex};

use callosum_core::store::disk::OpenMode;

use crate::disk::{Course, Fault, Kind, Step};
use crate::wait::HANGS;

/// What can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Everything that touches a file.
    All,
    /// What changes a file's contents.
    Writes,
    /// What makes files and names durable.
    Flushes,
    /// The first read of a file that was opened for nothing else; whoever comes after it may go on.
    FirstLook,
}

/// Stops when it is told.
#[derive(Debug, Default)]
pub struct Stops {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stopped: Option<What>,
    waiting: usize,
}

impl Stops {
    /// Stops.
    pub fn stop(&self, what: What) {
        self.state.lock().unwrap().stopped = Some(what);
    }

    /// Lets everybody go on.
    pub fn go_on(&self) {
        self.state.lock().unwrap().stopped = None;
        self.changed.notify_all();
    }

    /// Waits until somebody waits for the disk.
    pub fn met(&self) {
        let state = self.state.lock().unwrap();
        let (state, waited) =
            self.changed.wait_timeout_while(state, HANGS, |state| state.waiting == 0).unwrap();
        assert!(!waited.timed_out() && state.waiting > 0, "nobody came to the disk");
    }

    /// Whether it is stopped now.
    pub fn is_stopped(&self) -> bool {
        self.state.lock().unwrap().stopped.is_some()
    }
}

impl Fault for Stops {
    fn meet(&self, step: &Step<'_>) -> Course {
        let of = match (step.kind, step.purpose) {
            (Kind::Write | Kind::SetSize, _) => Some(What::Writes),
            (Kind::Sync | Kind::SyncFolder, _) => Some(What::Flushes),
            (Kind::Read, Some(OpenMode::Read)) => Some(What::FirstLook),
            _ => None,
        };
        let mut state = self.state.lock().unwrap();
        let holds = |state: &State| {
            state.stopped.is_some_and(|what| {
                what == What::All || (of == Some(what) && (what != What::FirstLook || state.waiting == 0))
            })
        };
        while holds(&state) {
            state.waiting += 1;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap();
            state.waiting -= 1;
        }
        Course::Well
    }
}
