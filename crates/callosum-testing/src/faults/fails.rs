//! A disk fails at the step it is told to, once or from then on.

use std::sync::Mutex;

use rustix::io::Errno;

use crate::disk::{Course, Fault, Kind, Step};

/// How long a failure lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// For one step.
    Once,
    /// Every further step of the same kind fails as well.
    Kind,
    /// Every further step fails.
    All,
}

/// A write that takes not all: the next one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// Half of the bytes.
    Half,
    /// The line is whole, but for its end.
    ButOneByte,
}

/// A failure to come.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Which step, counted from 0.
    pub at: usize,
    /// What it is told.
    pub error: Errno,
    /// How long it lasts.
    pub lasting: Lasting,
    /// It is a write, and takes some of the bytes.
    pub short: Option<Short>,
}

/// Fails at a step.
#[derive(Debug)]
pub struct Fails(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failure: Option<Failure>,
    /// The kind of step that began to fail.
    failing: Option<Kind>,
    steps: Vec<(Kind, String)>,
}

impl Fails {
    /// Fails as told; without a failure it only notes the steps.
    #[must_use]
    pub fn with(failure: Option<Failure>) -> Self {
        Self(Mutex::new(State { failure, ..State::default() }))
    }

    /// Lets everything work again.
    pub fn mend(&self) {
        self.0.lock().unwrap().failure = None;
    }

    /// What was asked of the disk, and of which file.
    pub fn steps(&self) -> Vec<(Kind, String)> {
        self.0.lock().unwrap().steps.clone()
    }

    /// Whether it has failed.
    pub fn has_failed(&self) -> bool {
        self.0.lock().unwrap().failing.is_some()
    }
}

impl State {
    fn failure(&mut self, kind: Kind, step: &Step<'_>) -> Option<Failure> {
        let number = self.steps.len();
        let name = step.path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.steps.push((kind, name.unwrap_or_default()));
        let failure = self.failure?;
        if number == failure.at {
            self.failing = Some(kind);
            return Some(failure);
        }
        let fails = match failure.lasting {
            Lasting::Once => false,
            Lasting::Kind => self.failing == Some(kind),
            Lasting::All => self.failing.is_some(),
        };
        fails.then_some(Failure { short: None, ..failure })
    }
}

impl Fault for Fails {
    fn meet(&self, step: &Step<'_>) -> Course {
        let kind = match step.kind {
            // Who may read and write a file may change its rights.
            Kind::MakePrivate => return Course::Well,
            // The system is asked for the same.
            Kind::Size => Kind::FileMetadata,
            kind => kind,
        };
        let Some(failure) = self.0.lock().unwrap().failure(kind, step) else { return Course::Well };
        // The steps may come in another order than when they were counted.
        match failure.short.filter(|_| kind == Kind::Write) {
            None => Course::Fails(failure.error.into()),
            Some(Short::Half) => Course::Takes(step.length / 2),
            Some(Short::ButOneByte) => Course::Takes(step.length - 1),
        }
    }
}
