//! What is done together, asked for by name with JSON in and JSON out: one table for whoever offers it (the service, the addon, the
//! server of tools, the command line), with what whoever asks must be allowed to. Who asks is what the host knows, never what a
//! request says.

mod answers;
mod events;
mod mail;
mod overview;
mod page;
pub mod request;
mod tasks;
pub mod tools;

use std::path::Path;

use callosum_core::gate::Gate;
use callosum_core::machine::Machine;
use callosum_core::model::time::Stamp;
use callosum_core::query::{ReadOnlyView, Source};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Code, Refusal};
use crate::names::Names;
use crate::route::{FILE, Routes};
use crate::team::Team;
use crate::who::Actor;

use self::answers::{Messages, OneTask, PublishAnswer, SentAnswer, ShownAnswer, TaskList};
use self::request::{
    Add, Claim, Done, Ended, Handoff, Held, Inbox, Input, OfTask, Publish, Send, Shown, Tasks,
};

/// What whoever asks must be allowed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Right {
    /// To see what sessions do. Nobody has to be known for it.
    Read,
    /// To do something in the name of a session, or to read what is for it alone.
    Act,
    /// To decide for others, as a person.
    Operate,
}

/// Where a verb is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// By `callosum`.
    CommandLine,
    /// As a method of a gateway: `callosum.NAME`.
    Gateway,
    /// In a chat with a gateway, to its owner.
    Chat,
    /// By the service; the verb's [`Verb::http`] says where.
    Http,
    /// To models, by [`tools`].
    Tools,
    /// To the page, in the Control UI and by the service.
    Page,
}

/// How a verb is asked for over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http {
    /// With `GET` at this path; the request is the query's fields.
    Get(&'static str),
    /// With `POST` at this path; the request is the body. What the path names is part of the request.
    Post(&'static str),
}

/// Who works out the answer.
#[derive(Clone, Copy, Debug)]
pub enum Answered {
    /// Whoever looks.
    Looking(fn(&Desk<'_>, &Asker, Value) -> Result<Value, Refusal>),
    /// Whoever writes.
    Writing(fn(&Writing<'_>, Value) -> Result<Value, Refusal>),
}

/// Something that is asked for by its name. For a thread that may wait.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub meaning: &'static str,
    /// What whoever asks must be allowed to.
    pub right: Right,
    /// Where it is offered.
    pub surfaces: &'static [Surface],
    /// Where it is over HTTP.
    pub http: Option<Http>,
    /// What it is asked with over HTTP.
    pub request: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// What it answers over HTTP.
    pub answer: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// Who answers.
    pub answered: Answered,
}

/// All verbs. [`request`] has what is asked for, `answers` what is answered; `docs/collaboration.md` tells both.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "page",
        meaning: "All tasks and messages that stand; where wanted the sessions of the last day, and what was published",
        right: Right::Read,
        surfaces: &[Surface::Page],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(page::page),
    },
    Verb {
        name: "team",
        meaning: "Whether sessions work together here, which there are, tasks that are not over, unread messages",
        right: Right::Read,
        surfaces: &[Surface::Tools],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(overview::team),
    },
    Verb {
        name: "tasks",
        meaning: "The tasks that are not over, or those in one state",
        right: Right::Read,
        surfaces: &[Surface::CommandLine, Surface::Gateway, Surface::Chat, Surface::Http, Surface::Tools],
        http: Some(Http::Get("/v1/tasks")),
        request: Some(Tasks::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<TaskList>),
        answered: Answered::Looking(tasks::list),
    },
    Verb {
        name: "ready",
        meaning: "The tasks that may be claimed now",
        right: Right::Read,
        surfaces: &[Surface::CommandLine],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(tasks::ready),
    },
    Verb {
        name: "task",
        meaning: "One task",
        right: Right::Read,
        surfaces: &[Surface::CommandLine, Surface::Gateway, Surface::Http, Surface::Tools],
        http: Some(Http::Get("/v1/tasks/{id}")),
        request: Some(OfTask::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<OneTask>),
        answered: Answered::Looking(tasks::show),
    },
    Verb {
        name: "add",
        meaning: "Create a task",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Http, Surface::Tools],
        http: Some(Http::Post("/v1/tasks")),
        request: Some(Add::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<OneTask>),
        answered: Answered::Writing(tasks::add),
    },
    Verb {
        name: "claim",
        meaning: "Take a task, or the next that is for whoever asks and that a person made or accepted",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Http, Surface::Tools],
        http: Some(Http::Post("/v1/tasks/claim")),
        request: Some(Claim::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<OneTask>),
        answered: Answered::Writing(tasks::claim),
    },
    of_holder("done", "Mark a task as done", "/v1/tasks/{id}/done", Done::json_schema, tasks::done),
    of_holder("fail", "Mark a task as failed", "/v1/tasks/{id}/fail", Ended::json_schema, tasks::fail),
    of_holder("handoff", "Hand a task over", "/v1/tasks/{id}/handoff", Handoff::json_schema, tasks::hand_off),
    of_holder(
        "release",
        "Give up a claim; the task is open again",
        "/v1/tasks/{id}/release",
        Held::json_schema,
        tasks::release,
    ),
    of_holder(
        "input",
        "Ask a question that must be answered before the task can go on",
        "/v1/tasks/{id}/input",
        Input::json_schema,
        tasks::input,
    ),
    of_holder(
        "beat",
        "Keep a claim: the task is still being worked on",
        "/v1/tasks/{id}/beat",
        Held::json_schema,
        tasks::beat,
    ),
    of_holder("cancel", "Cancel a task", "/v1/tasks/{id}/cancel", Ended::json_schema, tasks::cancel),
    Verb {
        name: "accept",
        meaning: "Accept a task: sessions that look for work may claim it now",
        right: Right::Operate,
        surfaces: &[Surface::CommandLine, Surface::Chat, Surface::Http, Surface::Page],
        http: Some(Http::Post("/v1/tasks/{id}/accept")),
        request: Some(OfTask::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<OneTask>),
        answered: Answered::Writing(tasks::accept),
    },
    Verb {
        name: "reject",
        meaning: "Reject a task",
        right: Right::Operate,
        surfaces: &[Surface::CommandLine, Surface::Chat, Surface::Http, Surface::Page],
        http: Some(Http::Post("/v1/tasks/{id}/reject")),
        request: Some(OfTask::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<OneTask>),
        answered: Answered::Writing(tasks::reject),
    },
    Verb {
        name: "send",
        meaning: "Send a message, or with the intent `ack` say that one was understood",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Gateway, Surface::Http, Surface::Tools],
        http: Some(Http::Post("/v1/messages")),
        request: Some(Send::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<SentAnswer>),
        answered: Answered::Writing(mail::send),
    },
    Verb {
        name: "inbox",
        meaning: "The messages for whoever asks, the newest first. They count as shown no more than before",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Gateway, Surface::Http],
        http: Some(Http::Get("/v1/messages")),
        request: Some(Inbox::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<Messages>),
        answered: Answered::Looking(mail::inbox),
    },
    Verb {
        name: "drain",
        meaning: "The messages that whoever asks has not seen, the oldest first",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Tools],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Writing(mail::drain),
    },
    Verb {
        name: "shown",
        meaning: "Say that messages were shown to whoever asks",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Http],
        http: Some(Http::Post("/v1/messages/shown")),
        request: Some(Shown::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<ShownAnswer>),
        answered: Answered::Writing(mail::shown),
    },
    Verb {
        name: "publish",
        meaning: "Tell everybody something under a topic",
        right: Right::Act,
        surfaces: &[Surface::CommandLine, Surface::Http, Surface::Tools],
        http: Some(Http::Post("/v1/events")),
        request: Some(Publish::json_schema),
        answer: Some(SchemaGenerator::subschema_for::<PublishAnswer>),
        answered: Answered::Writing(events::publish),
    },
    Verb {
        name: "events",
        meaning: "The newest events, or those from a place on",
        right: Right::Read,
        surfaces: &[Surface::Gateway],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(events::events),
    },
    Verb {
        name: "route",
        meaning: "Which runtime a piece of work should go to",
        right: Right::Read,
        surfaces: &[Surface::CommandLine],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(overview::route),
    },
    Verb {
        name: "routes",
        meaning: "The routes in force and the roles; with a text, which of them it takes",
        right: Right::Read,
        surfaces: &[Surface::Gateway],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(overview::routes),
    },
    Verb {
        name: "search",
        meaning: "What was written that has these words",
        right: Right::Read,
        surfaces: &[Surface::CommandLine, Surface::Tools],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(overview::search),
    },
    Verb {
        name: "digest",
        meaning: "What is going on, in a text for a session that begins",
        right: Right::Read,
        surfaces: &[Surface::CommandLine],
        http: None,
        request: None,
        answer: None,
        answered: Answered::Looking(overview::digest),
    },
];

/// What whoever has a task says of it.
const fn of_holder(
    name: &'static str,
    meaning: &'static str,
    path: &'static str,
    request: fn(&mut SchemaGenerator) -> Schema,
    answer: fn(&Writing<'_>, Value) -> Result<Value, Refusal>,
) -> Verb {
    let surfaces = &[Surface::CommandLine, Surface::Http, Surface::Tools];
    Verb {
        name,
        meaning,
        right: Right::Act,
        surfaces,
        http: Some(Http::Post(path)),
        request: Some(request),
        answer: Some(SchemaGenerator::subschema_for::<OneTask>),
        answered: Answered::Writing(answer),
    }
}

impl Verb {
    /// The verb of this name that is offered on a surface.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str, surface: Surface) -> Result<&'static Self, Refusal> {
        let is_it = |verb: &&Self| verb.name == name && verb.surfaces.contains(&surface);
        VERBS.iter().find(is_it).ok_or_else(|| {
            let name = callosum_core::model::text::one_line(name, 80);
            Refusal::new(Code::Unknown, format!("there is no `{name}` here"), "update Callosum, all of it")
        })
    }

    /// Whether it writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.answered, Answered::Writing(_))
    }

    /// Answers a request. Who asks is looked at before anything else.
    ///
    /// # Errors
    /// Why it was not done.
    pub fn answer(&self, desk: &Desk<'_>, request: Value, asker: &Asker) -> Result<Value, Refusal> {
        if self.right != Right::Read
            && let Err(refusal) = asker
        {
            return Err(refusal.clone());
        }
        if self.right == Right::Operate && !asker.as_ref().is_ok_and(Actor::is_operator) {
            let message = "only a person decides about that";
            return Err(Refusal::new(Code::NotYours, message, "ask the person who runs this machine"));
        }
        match self.answered {
            Answered::Looking(answer) => answer(desk, asker, request),
            Answered::Writing(answer) => answer(&desk.writing(asker)?, request),
        }
    }
}

/// Who asks, or why nobody can tell.
pub type Asker = Result<Actor, Refusal>;

/// What a verb is asked of.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// What is looked at.
    pub source: &'a dyn Source,
    /// The machine.
    pub machine: &'a Machine,
    /// The state directory.
    pub state_dir: &'a Path,
    /// What writes, where something may be written.
    pub gate: Option<&'a Gate>,
    /// When.
    pub now: Stamp,
}

/// Whoever writes, and what it has to know for that.
pub struct Writing<'a> {
    gate: &'a Gate,
    actor: Actor,
    now: Stamp,
    names: Names,
    routes: Routes,
}

impl Writing<'_> {
    fn team(&self) -> Team<'_> {
        Team { gate: self.gate, actor: &self.actor, now: self.now }
    }
}

impl<'a> Desk<'a> {
    /// A gate's.
    #[must_use]
    pub fn of_gate(gate: &'a Gate, now: Stamp) -> Self {
        Self { source: gate, machine: gate.machine(), state_dir: gate.state_dir(), gate: Some(gate), now }
    }

    /// Of one who only looks.
    #[must_use]
    pub fn of_view(view: &'a ReadOnlyView, now: Stamp) -> Self {
        let (machine, state_dir) = (view.machine(), view.state_dir());
        Self { source: view, machine, state_dir, gate: None, now }
    }

    /// The routes in force here.
    ///
    /// # Errors
    /// When the file can't be used.
    pub fn routes(&self) -> Result<Routes, Refusal> {
        Routes::read(self.state_dir).map_err(|why| {
            let path = self.state_dir.join(FILE);
            let message = format!("`{}` {}", path.display(), callosum_core::model::text::one_line(&why, 300));
            Refusal::new(Code::Policy, message, "correct it, or remove it to have the shipped routes")
        })
    }

    /// How many messages wait for whoever asks; none where nobody can tell who that is.
    ///
    /// # Errors
    /// When the journal or the routes can't be read.
    pub fn unread(&self, asker: &Asker) -> Result<Option<usize>, Refusal> {
        overview::unread(self, asker)
    }

    /// Whoever asks, with all that it is called.
    fn actor(&self, asker: &Asker) -> Result<Actor, Refusal> {
        let mut actor = asker.clone()?;
        Names::of(&self.routes()?).name(&mut actor);
        Ok(actor)
    }

    fn writing(&self, asker: &Asker) -> Result<Writing<'a>, Refusal> {
        let mut actor = asker.clone()?;
        let gate = self.gate.ok_or_else(|| {
            Refusal::new(Code::CannotWrite, "nothing can be written from here", "use a tool of Callosum")
        })?;
        let routes = self.routes()?;
        let names = Names::of(&routes);
        names.name(&mut actor);
        Ok(Writing { gate, actor, now: self.now, names, routes })
    }
}

/// Answers a request with a JSON object: the answer, or `{"error": {"code", "message", "remedy"}}`.
#[must_use]
pub fn answer(desk: &Desk<'_>, surface: Surface, verb: &str, request: Value, asker: &Asker) -> Value {
    let answer = Verb::named(verb, surface).and_then(|verb| verb.answer(desk, request, asker));
    answer.unwrap_or_else(|refusal| json!({ "error": refusal }))
}
