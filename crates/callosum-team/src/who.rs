//! Who says something.

use callosum_core::gate::Gate;
use callosum_core::model::text::{name, short_name};
use callosum_core::model::time::Stamp;
use callosum_core::record::{Action, Holder, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a name.
const NAME_CHARS: usize = 128;

/// How it is known who asks that has shown a token.
pub const TOKEN: &str = "token";

/// The instance of all workers.
pub const WORKER: &str = "worker";

/// How a person is called, and addressed.
pub const OPERATOR: &str = "operator";

/// Who, wherever it appears.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Who {
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
    /// How that is known: `host`, `meta`, `process`, `env`, `token` or `operator`.
    pub via: String,
}

impl Who {
    /// A person on the command line.
    #[must_use]
    pub fn operator() -> Self {
        Self { instance: OPERATOR.to_owned(), via: OPERATOR.to_owned(), ..Self::default() }
    }

    /// Callosum itself.
    #[must_use]
    pub fn host() -> Self {
        Self { instance: "callosum".to_owned(), via: "host".to_owned(), ..Self::default() }
    }

    /// Whether it is a person.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        self.via == OPERATOR
    }

    /// Whether both are one session, however each is known.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.machine == other.machine && self.instance == other.instance && self.session == other.session
    }

    /// As it is addressed: `instance/session`, or the name of whoever has no session.
    #[must_use]
    pub fn address(&self) -> String {
        if self.session.is_empty() {
            self.instance.clone()
        } else {
            format!("{}/{}", self.instance, self.session)
        }
    }

    /// As it is told in a sentence: between quotes where it could say more than who that is.
    #[must_use]
    pub fn for_people(&self) -> String {
        if self.is_operator() {
            "a person".to_owned()
        } else {
            name(&self.address(), NAME_CHARS).into_owned()
        }
    }
}

impl Who {
    /// A record of this kind that it writes.
    #[must_use]
    pub fn record(&self, kind: Action, now: &Stamp) -> Record {
        let mut record = Record::new(kind, &self.instance, now);
        let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        record.runtime = filled(&self.runtime);
        record.agent = filled(&self.agent);
        record.session = filled(&self.session);
        record.via = Some(self.via.clone());
        record
    }
}

/// The process that a claim lives with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// The process.
    #[serde(rename = "id")]
    pub holder: Holder,
    /// In which boot.
    pub boot: Option<u32>,
}

/// Who does something, as far as it matters to what may be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    /// Who.
    pub who: Who,
    /// The process that its claims live with.
    pub process: Option<Process>,
    /// What it is called besides its session: its runtime, its roles.
    pub names: Vec<String>,
    /// Whether it may accept and reject tasks.
    pub may_accept: bool,
    /// It has chosen what its session and its agent are called, as whoever asks over HTTP does: that makes it nobody else.
    pub names_itself: bool,
    /// What it has shown to be who it is, as the journal tells it; where it is known otherwise, that says it.
    pub shown: Option<String>,
}

impl Actor {
    /// A session, whose claims live with this process.
    #[must_use]
    pub fn session(who: Who, process: Option<(Holder, Option<u32>)>) -> Self {
        // As the journal names it.
        let who = Who { session: short_name(&who.session).into_owned(), ..who };
        let process = process.map(|(holder, boot)| Process { holder, boot });
        Self { who, process, ..Self::default() }
    }

    /// A session of the runtime that `gate` is in or whose hook asks it: its host says which.
    #[must_use]
    pub fn session_at(gate: &Gate, runtime: &str, agent: Option<&str>, session: &str) -> Self {
        let machine = gate.machine();
        let who = Who {
            instance: gate.instance().to_owned(),
            runtime: runtime.to_owned(),
            agent: agent.unwrap_or_default().to_owned(),
            session: session.to_owned(),
            via: "host".to_owned(),
            machine: None,
        };
        Self::session(who, machine.holder().map(|holder| (holder, machine.now().boot)))
    }

    /// A person who may accept and reject.
    #[must_use]
    pub fn operator() -> Self {
        Self { who: Who::operator(), may_accept: true, ..Self::default() }
    }

    /// Whether it is a person.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        self.who.is_operator()
    }

    /// A record of this kind that it writes.
    #[must_use]
    pub fn record(&self, kind: Action, now: &Stamp) -> Record {
        self.sign(self.who.record(kind, now))
    }

    /// Whether this sender counts as it where senders are limited: whoever chooses what its sessions are called does not become another
    /// sender by that.
    #[must_use]
    pub fn has_sent(&self, from: &Who) -> bool {
        if self.names_itself {
            return self.who.machine == from.machine && self.who.instance == from.instance;
        }
        self.who.is_same(from)
    }

    /// A record of its own, by what it has shown.
    pub(crate) fn sign(&self, mut record: Record) -> Record {
        record.via = self.shown.clone().or(record.via);
        record
    }

    /// Whether `name` means it.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let who = &self.who;
        if self.names_itself {
            return who.address() == name;
        }
        let own = [who.address(), who.session.clone(), who.agent.clone(), who.runtime.clone()];
        let is_it = |own: &String| !own.is_empty() && own.eq_ignore_ascii_case(name);
        own.iter().any(is_it) || self.names.iter().any(is_it)
    }
}
