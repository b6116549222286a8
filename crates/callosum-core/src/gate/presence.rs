//! That a session is there, before it calls anything and once it is over: as its runtime tells.

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use callosum_surroundings::Surroundings;

use crate::model::redact::redact;
use crate::model::text::one_line;
use crate::model::time::Stamp;
use crate::record::{Action, Place, Record, SessionEvent};
use crate::store::journal::Patience;

use super::Gate;
use super::call_id::short_name;

/// No hook waits longer for the guard to write it: it is no evidence, and the next event of the session says as much.
const PATIENCE: Duration = Duration::from_millis(100);
/// Characters of a runtime's own word for why.
const REASON_CHARS: usize = 60;
/// Characters of a folder.
const FOLDER_CHARS: usize = 300;

/// What happened to a session.
#[derive(Clone, Debug)]
pub struct Presence {
    /// The session.
    pub session: String,
    /// The agent's id.
    pub agent: Option<String>,
    /// What happened.
    pub event: SessionEvent,
    /// Why, in the runtime's own word: `resume`, `compact`, `logout` …
    pub reason: Option<String>,
    /// Its folder, where it is told.
    pub cwd: Option<String>,
    /// See [`Place::needs_trust`].
    pub needs_trust: bool,
}

impl Gate {
    /// Writes that a session is there, or no longer is; what can't be written soon is not written. For a thread that may
    /// wait.
    pub fn presence(&self, presence: &Presence, now: &Stamp) {
        let patience = Patience::Until(Instant::now() + PATIENCE);
        self.write_presence(&self.instance, &self.runtime, presence, patience, now);
    }

    /// The same of a session that is not of this gate's instance and runtime, but runs in this process; waits as whoever writes.
    pub fn presence_as(&self, instance: &str, runtime: &str, presence: &Presence, now: &Stamp) {
        self.write_presence(instance, runtime, presence, self.patience(), now);
    }

    fn write_presence(
        &self,
        instance: &str,
        runtime: &str,
        presence: &Presence,
        patience: Patience,
        now: &Stamp,
    ) {
        if self.is_closed() {
            return;
        }
        let mut record = Record::new(Action::Session, instance, now);
        record.runtime = Some(runtime.to_owned());
        record.agent = presence.agent.as_deref().map(short_name).map(Cow::into_owned);
        record.session = Some(short_name(&presence.session).into_owned());
        record.event = Some(presence.event.clone());
        record.reason = presence.reason.as_deref().map(|reason| one_line(reason, REASON_CHARS));
        record.holder = self.machine().holder();
        // Where a session runs does not change while it answers.
        if matches!(presence.event, SessionEvent::Start | SessionEvent::Prompt) {
            record.place = Some(Box::new(self.place_of(presence)));
        }
        let written = self.append(&record, patience, now);
        self.note_failure(written, now);
    }

    fn place_of(&self, presence: &Presence) -> Place {
        let written = |folder: &str| one_line(&redact(folder), FOLDER_CHARS);
        let cwd = presence.cwd.as_deref();
        let told = cwd.map(written);
        let repository = cwd.and_then(|cwd| Surroundings::new().project(Path::new(cwd)));
        let project = repository.as_deref().and_then(Path::to_str).or(cwd);
        // Where nothing had to be hidden of a folder, nothing has of those above it: one look is enough.
        let is_plain = told.as_deref() == cwd;
        let is_above = |project: &str| cwd.is_some_and(|cwd| cwd.starts_with(project));
        let project = project
            .map(|project| if is_plain && is_above(project) { project.to_owned() } else { written(project) });
        Place { cwd: told, project, tty: self.machine().terminal(), needs_trust: presence.needs_trust }
    }
}
