//! What lies around a call: the folders and the configuration that its commands work in, and their environment.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use callosum_surroundings::Surroundings;

use super::watch::Watch;

/// What lies around the calls of a process, and what was read of it so far. One for a process; threads share it.
///
/// The rules ask it only for placeholders that need it. A read may block as long as the file system does, so an event loop classifies
/// with [`World::unseen`], and a call that asked is classified again by a thread that may wait ([`super::Classification::asked_around`]).
#[derive(Debug)]
pub struct World {
    surroundings: Option<Surroundings>,
    environment: Environment,
}

#[derive(Debug)]
enum Environment {
    OfProcess,
    Given(BTreeMap<String, String>),
}

impl World {
    /// What lies around this process: its own environment, and the files of this machine.
    #[must_use]
    pub fn of_process() -> Self {
        Self { surroundings: Some(Surroundings::new()), environment: Environment::OfProcess }
    }

    /// The files of this machine, with another environment.
    #[must_use]
    pub fn with_environment(environment: BTreeMap<String, String>) -> Self {
        Self { surroundings: Some(Surroundings::new()), environment: Environment::Given(environment) }
    }

    /// One in which nothing is looked up: no file is read, and no variable but those of the call itself.
    #[must_use]
    pub const fn unseen() -> Self {
        Self { surroundings: None, environment: Environment::Given(BTreeMap::new()) }
    }

    /// Whether the files of this machine may be looked at.
    pub(crate) fn sees_files(&self) -> bool {
        self.surroundings.is_some()
    }

    /// A variable of the environment of the process, if this world shows it.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        match &self.environment {
            Environment::OfProcess => std::env::var(name).ok(),
            Environment::Given(variables) => variables.get(name).cloned(),
        }
    }
}

/// One classification's look at the world, and what came of it.
#[derive(Debug)]
pub(crate) struct Outlook<'w> {
    world: &'w World,
    asked: Cell<bool>,
    untold: RefCell<Vec<String>>,
    watch: Option<&'w Watch>,
    names_kept: Cell<bool>,
    uncovered: Option<&'w RefCell<Vec<String>>>,
}

impl<'w> Outlook<'w> {
    pub(crate) fn on(world: &'w World) -> Self {
        Self::watching(world, None, None)
    }

    /// The same, and it is looked whether the call may name a folder that is kept, and which programs its line has that no rule names.
    pub(crate) fn watching(
        world: &'w World,
        watch: Option<&'w Watch>,
        uncovered: Option<&'w RefCell<Vec<String>>>,
    ) -> Self {
        let (asked, names_kept) = (Cell::new(false), Cell::new(false));
        Self { world, asked, untold: RefCell::default(), watch, names_kept, uncovered }
    }

    /// Where the programs of the call's line go that no rule names, if that is wanted.
    pub(super) fn uncovered(&self) -> Option<&'w RefCell<Vec<String>>> {
        self.uncovered
    }

    /// Whether a command line is looked at even where no rule is for commands. Else it is not read: a parameter that was asked for counts.
    pub(super) fn looks_at_lines(&self) -> bool {
        self.watch().is_some() || self.uncovered.is_some()
    }

    /// What is looked for, unless it was found already.
    pub(super) fn watch(&self) -> Option<&'w Watch> {
        self.watch.filter(|_| !self.names_kept.get())
    }

    /// Notes that the call may name a folder that is kept.
    pub(super) fn note_kept(&self) {
        self.names_kept.set(true);
    }

    /// Whether it may.
    pub(super) fn names_kept(&self) -> bool {
        self.names_kept.get()
    }

    /// The surroundings, if they may be read. That they were asked for is noted.
    pub(crate) fn surroundings(&self) -> Option<&'w Surroundings> {
        self.asked.set(true);
        self.world.surroundings.as_ref()
    }

    /// A variable of the environment that the call itself says nothing of.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        if self.world.surroundings.is_none() {
            self.asked.set(true);
        }
        self.world.variable(name)
    }

    /// Notes what could not be told from the surroundings, once: a clause.
    pub(crate) fn note_untold(&self, what: String) {
        let mut untold = self.untold.borrow_mut();
        if !untold.contains(&what) {
            untold.push(what);
        }
    }

    /// Whether something was asked that this world does not show.
    pub(crate) fn asked_in_vain(&self) -> bool {
        self.asked.get() && self.world.surroundings.is_none()
    }

    /// What could not be told.
    pub(crate) fn untold(self) -> Vec<String> {
        self.untold.into_inner()
    }
}
