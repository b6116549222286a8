//! A disk is gone or full from some step on.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::disk::{Course, End, Fault, Kind, Step};

/// Does so many steps that change something, of a write half, and then the thread is gone: nothing that it would have done then is done. Or
/// the disk is full, and the thread is told.
#[derive(Debug)]
pub struct Ends {
    steps: AtomicUsize,
    after: usize,
    is_full: bool,
}

impl Ends {
    /// The thread is gone after so many steps.
    #[must_use]
    pub fn after(after: usize) -> Self {
        Self { steps: AtomicUsize::new(0), after, is_full: false }
    }

    /// The disk is full after so many steps.
    #[must_use]
    pub fn full_after(after: usize) -> Self {
        Self { is_full: true, ..Self::after(after) }
    }

    /// The steps that were counted.
    pub fn steps(&self) -> usize {
        self.steps.load(Ordering::SeqCst)
    }
}

/// Ends this thread, as far as it was caught: without the hook, which would print it.
pub(crate) fn gone() -> io::Error {
    std::panic::resume_unwind(Box::new("killed"))
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

impl Fault for Ends {
    fn meet(&self, step: &Step<'_>) -> Course {
        let counts = match step.kind {
            Kind::Open
            | Kind::MakeFolder
            | Kind::Rename
            | Kind::Exchange
            | Kind::SyncFolder
            | Kind::Write
            | Kind::Sync => true,
            // There is always room for that.
            Kind::Remove => !self.is_full,
            _ => false,
        };
        if !counts || self.steps.fetch_add(1, Ordering::SeqCst) < self.after {
            return Course::Well;
        }
        let end: End = if self.is_full { full } else { gone };
        if step.kind == Kind::Write { Course::Ends(step.length / 2, end) } else { Course::Fails(end()) }
    }
}
