//! The registry of questions: what can be asked by name, with JSON text in and JSON text out, and where. The addon, the gateway's
//! methods, the page and the service take names and rights from here; the gateway and the service also what is said with a question and
//! what its answer is like. The command line has commands of its own, and a test asks for one of each name.

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::error::QueryError;
use crate::model::time::Stamp;

use super::counts::{Counts, CountsRequest};
use super::explain::{ExplainRequest, ExplainResponse};
use super::filter::{Filter, moment, moment_schema};
use super::head::HeadResponse;
use super::journal::JournalPage;
use super::leases::LeaseStatus;
use super::observed::Observed;
use super::reader::{Needs, Reader};
use super::recent::{RecentActions, RecentRequest};
use super::release::Released;
use super::request::request;
use super::rules::RulesInForce;
use super::sessions::Session;
use super::source::Source;
use super::status::Status;
use super::story::Story;
use super::timeline::{Timeline, TimelineRequest};

/// What whoever asks must be allowed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Right {
    /// To see what sessions did.
    Read,
    /// To change what sessions may do next.
    Operate,
}

/// Where a question is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// As the gateway's method `callosum.NAME`.
    Gateway,
    /// To the page, in the Control UI and by `callosum ui`, under `api/NAME`.
    Page,
    /// As `callosum NAME`.
    CommandLine,
    /// By the service, under `v1/NAME`.
    Http,
}

/// Who works out the answer.
#[derive(Clone, Copy, Debug)]
pub enum Answered {
    /// Any source, from the request as JSON text, for a thread that may wait. The answer is JSON text.
    BySource(fn(&dyn Source, &str, &Stamp) -> Result<String, QueryError>),
    /// [`Gate::release`](crate::gate::Gate::release), which writes, in the name of whoever asks. What else a gate alone answers is a variant of its own, so
    /// that each surface is made to say what it does.
    ByRelease,
}

/// A question that is asked by its name.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Its name.
    pub name: &'static str,
    /// What it asks, in a sentence or two of Markdown.
    pub meaning: &'static str,
    /// What whoever asks must be allowed to.
    pub right: Right,
    /// Where it is offered.
    pub surfaces: &'static [Surface],
    /// What is said with it: the schema of an object, where there is anything to say.
    pub request: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// What the answer is like.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    /// Who answers it.
    pub answered: Answered,
}

/// All questions that are asked by name. `timeline`, `tally` and a `journal` with a `budget` do a bounded piece of work each time:
/// whoever wants more asks again with `before` set to the answer's `next`, until that is null.
pub const QUESTIONS: &[Question] = &[
    Question {
        name: "head",
        meaning: "How far the journal reaches, and the wall clock.",
        right: Right::Read,
        surfaces: &[Surface::Page, Surface::Http],
        request: None,
        answer: SchemaGenerator::subschema_for::<HeadResponse>,
        answered: Answered::BySource(|source, _, now| json(&source.head(now)?)),
    },
    Question {
        name: "status",
        meaning: "What an operator sees at a glance: live leases (`locks`), recent actions, the hooks seen, and what is wrong.",
        right: Right::Read,
        surfaces: &[Surface::Gateway, Surface::Page, Surface::CommandLine, Surface::Http],
        request: None,
        answer: SchemaGenerator::subschema_for::<Status>,
        answered: Answered::BySource(|source, _, now| json(&source.status(now))),
    },
    Question {
        name: "leases",
        meaning: "The live leases, oldest first.",
        right: Right::Read,
        surfaces: &[Surface::CommandLine, Surface::Http],
        request: None,
        answer: SchemaGenerator::subschema_for::<Leases>,
        answered: Answered::BySource(|source, _, now| json(&Leases { leases: leases(source, now)? })),
    },
    Question {
        name: "sessions",
        meaning: "The sessions that showed a sign of life lately, the latest first.",
        right: Right::Read,
        surfaces: &[Surface::CommandLine, Surface::Http],
        request: Some(SessionsRequest::json_schema),
        answer: SchemaGenerator::subschema_for::<Sessions>,
        answered: Answered::BySource(|source, text, now| {
            let SessionsRequest { window_ms } = request(text)?;
            json(&Sessions { sessions: source.sessions(window_ms, now)? })
        }),
    },
    Question {
        name: "journal",
        meaning: "The newest records of the journal, newest last. All conditions must hold. `next` is null when nothing older can match.",
        right: Right::Read,
        surfaces: &[Surface::Gateway, Surface::Page, Surface::CommandLine, Surface::Http],
        request: Some(Filter::json_schema),
        answer: SchemaGenerator::subschema_for::<JournalPage>,
        answered: Answered::BySource(|source, text, now| {
            source.journal_text(&Filter::read(text).map_err(QueryError::bad_request)?, now)
        }),
    },
    Question {
        name: "timeline",
        meaning: "What happened within a stretch of time on all resources, a piece at a time.",
        right: Right::Read,
        surfaces: &[Surface::Page, Surface::Http],
        request: Some(TimelineRequest::json_schema),
        answer: SchemaGenerator::subschema_for::<Timeline>,
        answered: Answered::BySource(|source, text, now| {
            json(&source.timeline(&TimelineRequest::read(text)?, now)?)
        }),
    },
    Question {
        name: "tally",
        meaning: "How many calls there were, by time and session and by rule, a piece at a time.",
        right: Right::Read,
        surfaces: &[Surface::Page, Surface::Http],
        request: Some(CountsRequest::json_schema),
        answer: SchemaGenerator::subschema_for::<Counts>,
        answered: Answered::BySource(|source, text, now| {
            json(&source.counts(&CountsRequest::read(text)?, now)?)
        }),
    },
    Question {
        name: "rules",
        meaning: "The rules in force, and where they came from.",
        right: Right::Read,
        surfaces: &[Surface::Page, Surface::Http],
        request: None,
        answer: SchemaGenerator::subschema_for::<RulesInForce>,
        answered: Answered::BySource(|source, _, now| json(&source.rules_in_force(now))),
    },
    Question {
        name: "recent",
        meaning: "The significant actions of late: those that hold a lease, then the newest.",
        right: Right::Read,
        surfaces: &[Surface::Page, Surface::Http],
        request: Some(RecentRequest::json_schema),
        answer: SchemaGenerator::subschema_for::<RecentActions>,
        answered: Answered::BySource(|source, text, now| {
            json(&source.recent(&RecentRequest::read(text)?, now)?)
        }),
    },
    Question {
        name: "why",
        meaning: "The story of a resource: what happened, oldest first, and `text` for people.",
        right: Right::Read,
        surfaces: &[Surface::Gateway, Surface::Page, Surface::CommandLine, Surface::Http],
        request: Some(OnKey::json_schema),
        answer: SchemaGenerator::subschema_for::<StoryWithText<'static>>,
        answered: Answered::BySource(|source, text, now| {
            let OnKey { key } = request(text)?;
            let story = source.why(&key, now)?;
            json(&StoryWithText { text: story.text(&str::to_owned), story: &story })
        }),
    },
    Question {
        name: "explain",
        meaning: "What a call would get now. Runs nothing, writes nothing.",
        right: Right::Read,
        surfaces: &[Surface::Gateway, Surface::Page, Surface::CommandLine, Surface::Http],
        request: Some(ExplainRequest::json_schema),
        answer: SchemaGenerator::subschema_for::<ExplainResponse>,
        answered: Answered::BySource(|source, text, now| {
            json(&source.explain(&ExplainRequest::read(text)?, now)?)
        }),
    },
    Question {
        name: "observed",
        meaning: "What would have been stopped while calls were only observed, and how those calls ended.",
        right: Right::Read,
        surfaces: &[Surface::Http],
        request: Some(ObservedRequest::json_schema),
        answer: SchemaGenerator::subschema_for::<Observed>,
        answered: Answered::BySource(|source, text, now| {
            let ObservedRequest { since } = request(text)?;
            let since_ms = moment("since", since.as_ref()).map_err(QueryError::bad_request)?;
            json(&source.observed(since_ms, now)?)
        }),
    },
    Question {
        name: "release",
        meaning: "Ends the live leases on a resource. The journal records who did it, and what was done stays evidence.",
        right: Right::Operate,
        surfaces: &[Surface::Gateway, Surface::Page, Surface::Http],
        request: Some(OnKey::json_schema),
        answer: SchemaGenerator::subschema_for::<Released>,
        answered: Answered::ByRelease,
    },
];

impl Question {
    /// The question of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        QUESTIONS.iter().find(|question| question.name == name)
    }

    /// Whether it is offered there.
    #[must_use]
    pub fn is_offered(&self, surface: Surface) -> bool {
        self.surfaces.contains(&surface)
    }
}

/// Answers the question `name` with JSON text. `text` is JSON text too, an object. For a thread that may wait.
///
/// # Errors
/// When there is no such question, a gate alone answers it, the request is wrong, or the state can't be looked at.
pub fn answer(source: &dyn Source, name: &str, text: &str, now: &Stamp) -> Result<String, QueryError> {
    match Question::named(name).map(|question| question.answered) {
        Some(Answered::BySource(answer)) => answer(source, text, now),
        Some(Answered::ByRelease) => {
            Err(QueryError::bad_request(format!("`{name}` changes something; ask a gate")))
        }
        None => Err(QueryError::bad_request(format!("no question is called `{name}`"))),
    }
}

/// Asks for the sessions that showed a sign of life lately.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct SessionsRequest {
    /// So much time, milliseconds; an hour if nothing is said.
    window_ms: u64,
}

impl Default for SessionsRequest {
    fn default() -> Self {
        Self { window_ms: 3_600_000 }
    }
}

/// Asks what was only observed since a moment.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ObservedRequest {
    /// RFC 3339, or milliseconds since the epoch; as far back as the journal reaches if nothing is said.
    #[schemars(schema_with = "moment_schema")]
    since: Option<Value>,
}

/// The sessions, as `callosum sessions --json` prints them.
#[derive(Serialize, JsonSchema)]
struct Sessions {
    sessions: Vec<Session>,
}

/// The live leases, as `callosum leases --json` prints them.
#[derive(Serialize, JsonSchema)]
struct Leases {
    #[serde(rename = "locks")]
    leases: Vec<LeaseStatus>,
}

fn leases(source: &dyn Source, now: &Stamp) -> Result<Vec<LeaseStatus>, QueryError> {
    let Reader { journal, overview, .. } = source.reader(Needs::Overview, now);
    journal.map(|_| overview.leases)
}

/// Asks for the story of a resource.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OnKey {
    /// The context key of the resource.
    key: String,
}

/// A story with its text for people.
#[derive(Serialize, JsonSchema)]
struct StoryWithText<'a> {
    #[serde(flatten)]
    story: &'a Story,
    /// The same in words.
    text: String,
}

fn json(answer: &impl Serialize) -> Result<String, QueryError> {
    serde_json::to_string(answer)
        .map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
}
