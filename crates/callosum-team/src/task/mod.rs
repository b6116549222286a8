//! A task: what it is, and what may become of it.

mod board;
mod life;
mod verbs;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::who::{Process, TOKEN, Who};

pub use self::board::{Board, MAX_OPEN, MAX_OPEN_BY_MAKER};
pub use self::life::{IDLE_MS, Life, Signs};
pub(crate) use self::verbs::over;
pub use self::verbs::{Claim, NewTask, RESULT_BYTES, TITLE_BYTES};

/// Claims that one task may have; what fails three times needs a person.
pub const MAX_ATTEMPTS: u32 = 3;

/// How a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It may be claimed.
    #[default]
    Open,
    /// Somebody is at it.
    Claimed,
    /// It waits for other tasks.
    Blocked,
    /// Somebody is at it and needs to be told something.
    InputRequired,
    /// Done.
    Completed,
    /// Given up.
    Failed,
    /// Not wanted any more.
    Cancelled,
    /// Whoever was at it is gone; it may be claimed.
    Lost,
    /// Whoever is at it has done nothing for long; it may be claimed.
    Stalled,
}

impl State {
    pub(crate) const ALL: [Self; 9] = [
        Self::Open,
        Self::Claimed,
        Self::Blocked,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Lost,
        Self::Stalled,
    ];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Blocked => "blocked",
            Self::InputRequired => "input-required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
            Self::Stalled => "stalled",
        }
    }

    /// The state of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether nothing more becomes of it.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether somebody is at it, as far as it is written down.
    #[must_use]
    pub fn is_held(self) -> bool {
        matches!(self, Self::Claimed | Self::InputRequired)
    }
}

/// Who is at a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskHolder {
    /// The machine; none for this one.
    pub machine: Option<String>,
    /// The instance.
    pub instance: String,
    /// The runtime.
    pub runtime: String,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: String,
    /// How that is known.
    pub via: String,
    /// The process it lives with; none where it lives by its beats.
    pub process: Option<Process>,
    /// When it was claimed.
    pub claimed_at: String,
    /// The last sign of life that was sent.
    pub beat_at: String,
}

impl TaskHolder {
    /// Who that is.
    #[must_use]
    pub fn who(&self) -> Who {
        Who {
            machine: self.machine.clone(),
            instance: self.instance.clone(),
            runtime: self.runtime.clone(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            via: self.via.clone(),
        }
    }
}

/// Something that was said of a task and changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// When.
    pub at: String,
    /// Who.
    pub by: Who,
    /// What.
    pub text: String,
}

/// All that is known of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What it is about, in a line.
    pub title: String,
    /// What is to be done.
    pub prompt: String,
    /// The kind of work.
    pub category: Option<String>,
    /// The files that it is about.
    pub files: Vec<String>,
    /// The tasks that must be completed first.
    pub deps: Vec<String>,
    /// Who it is for: a session, a runtime, a role; anybody where it is none.
    pub to: Option<String>,
    /// Who made it.
    pub by: Who,
    /// The lowest comes first.
    pub priority: u32,
    /// Where the result is expected.
    pub output_file: Option<String>,
    /// Whether that is there; looked at when it is shown.
    pub output_exists: Option<bool>,
    /// How it stands.
    pub state: State,
    /// Why.
    pub why: Option<String>,
    /// How often it was claimed, ever: who has an older number has it no more.
    #[serde(rename = "gen")]
    pub generation: u64,
    /// How many of its claims count as tries.
    pub attempt: u32,
    /// Who is at it.
    pub holder: Option<TaskHolder>,
    /// A person made it, or has accepted it.
    pub accepted: bool,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// What came of it.
    pub result: Option<String>,
    /// It was to be done by now; looked at when it is shown.
    pub late: bool,
    /// The deadline, counted from when it was made, milliseconds.
    pub sla_ms: Option<u64>,
    /// What was done to it last: `created`, `claimed`, `handedoff` …
    pub did: String,
    /// What was said of it and changed nothing, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// What a bridge file says of it that has no place here.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub bridge: Map<String, Value>,
}

impl Task {
    /// Looks whether its result is there. Nobody can tell that of a path that begins in a folder that is not known; and who made the task
    /// with a token may be on another machine, and is not told which files this one has.
    pub fn look_at_output(&mut self) {
        let is_here = self.by.via != TOKEN;
        let file = self.output_file.as_deref().map(Path::new).filter(|file| is_here && file.is_absolute());
        self.output_exists = file.map(Path::exists);
    }
}
