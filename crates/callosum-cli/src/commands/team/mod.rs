//! The verbs for working together: tasks, messages, events. Who asks is found out before anything else is looked at.

mod bridge;
mod inject;
mod mail;
mod search;
mod task;
mod watch;
pub(crate) mod words;
mod work;

use std::io::{self, Write};
use std::process::ExitCode;

use callosum_core::gate::Gate;
use callosum_core::model::time::Stamp;
use callosum_core::query::{QueryError, ReadOnlyView};
use callosum_team::api::{self, Desk, Surface};
use callosum_team::error::{Code, Refusal};
use callosum_team::names::Names;
use callosum_team::switch::{self, Wanted};
use callosum_team::team::Team;
use callosum_team::who::Actor;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::args::Args;
use crate::commands::caller::caller;
use crate::output::{Failure, json, long};

use self::words::{Switch, Verb};

/// Why one of these verbs has no answer.
enum Unable {
    Refused(Refusal),
    Failed(Failure),
}

impl From<Refusal> for Unable {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<QueryError> for Unable {
    fn from(error: QueryError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Failure> for Unable {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<io::Error> for Unable {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.into())
    }
}

type Answer = Result<ExitCode, Unable>;

/// Runs one of these verbs.
pub(crate) fn run(args: &Args, verb: &Verb, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let answer = match verb {
        Verb::Team { action } => turn(args, action, out),
        Verb::Task { action } => task::run(args, action, out),
        Verb::Send(message) => mail::send(args, message, out),
        Verb::Inbox { drain, limit } => mail::inbox(args, *drain, *limit as usize, out),
        Verb::Ack { id } => mail::acknowledge(args, id, out),
        Verb::Publish(event) => watch::publish(args, event, out),
        Verb::Watch(wanted) => watch::watch(args, wanted, out),
        Verb::Route(asked) => task::route(args, asked, out),
        Verb::Search(wanted) => search::search(args, wanted, out),
        Verb::Digest { out: file } => search::digest(args, file.as_deref(), out),
        Verb::Bridge { action } => bridge::run(args, action, out),
        Verb::Inject { to } => inject::inject(args, to, out),
        Verb::Work(wanted) => work::run(args, wanted, out),
    };
    answer.or_else(|unable| match unable {
        Unable::Failed(failure) => Err(failure),
        Unable::Refused(refusal) => refused(args, &refusal, out),
    })
}

/// Tells a refusal: on standard output where JSON is wanted.
fn refused(args: &Args, refusal: &Refusal, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    if args.global.json {
        json(out, &json!({ "error": refusal }))?;
    } else {
        out.flush()?;
        writeln!(io::stderr(), "callosum: {}", long(&refusal.to_string()))?;
    }
    Ok(ExitCode::from(if refusal.cannot_be_done() { 2 } else { 1 }))
}

/// One who looks, and when.
fn looking(args: &Args) -> Result<(ReadOnlyView, Stamp), Failure> {
    let view = super::view(args)?;
    let now = view.machine().now();
    Ok((view, now))
}

/// One who writes.
struct Writer {
    gate: Gate,
    actor: Actor,
    names: Names,
    now: Stamp,
}

impl Writer {
    /// Whoever asks, if that is known.
    fn new(args: &Args) -> Result<Self, Unable> {
        let gate = Gate::new(super::options(args)?);
        let now = gate.machine().now();
        // Before arguments, existence or state are looked at.
        let view = super::view(args)?;
        let mut actor = caller(&view, &now)?.actor()?;
        let names = Names::of(&Desk::of_gate(&gate, now).routes()?);
        names.name(&mut actor);
        Ok(Self { gate, actor, names, now })
    }

    fn team(&self) -> Team<'_> {
        Team { gate: &self.gate, actor: &self.actor, now: self.now }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.gate.close(&self.now);
    }
}

/// Asks for something by its name. What only looks leaves no trace.
fn ask(args: &Args, verb: &str, request: Value) -> Result<Value, Unable> {
    let verb = api::Verb::named(verb, Surface::CommandLine)?;
    let (view, now) = looking(args)?;
    let asker = caller(&view, &now)?.actor();
    if !verb.writes() {
        return Ok(verb.answer(&Desk::of_view(&view, now), request, &asker)?);
    }
    let gate = Gate::new(super::options(args)?);
    let answer = verb.answer(&Desk::of_gate(&gate, now), request, &asker);
    gate.close(&now);
    Ok(answer?)
}

/// What an answer has under a name.
fn typed<T: DeserializeOwned>(answer: &Value, name: &str) -> Result<T, Unable> {
    let value = answer.get(name).cloned().unwrap_or_default();
    Ok(serde_json::from_value(value).map_err(Failure::from)?)
}

/// Refuses what only a person does.
fn only_a_person(actor: &Actor, does: &str) -> Result<(), Refusal> {
    if actor.is_operator() {
        return Ok(());
    }
    let message = format!("only a person {does}");
    Err(Refusal::new(Code::NotYours, message, "ask the person who runs this machine"))
}

/// `callosum team on` and `off`: a person's to say.
fn turn(args: &Args, action: &Switch, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    only_a_person(&writer.actor, "turns it on or off")?;
    let to = match action {
        Switch::On { continue_on_request, live_injection, trusted } => Some(Wanted {
            continue_on_request: *continue_on_request,
            live_injection: *live_injection,
            task_trusted_agents: trusted.clone(),
        }),
        Switch::Off => None,
    };
    let on = to.is_some();
    let state_dir = writer.gate.state_dir();
    let has_changed = switch::set_to(state_dir, to).map_err(|error| {
        let message = format!("can't write in `{}`: {error}", long(&state_dir.display().to_string()));
        Refusal::new(Code::CannotWrite, message, "check that this user may write there")
    })?;
    if args.global.json {
        json(out, &json!({ "on": on, "changed": has_changed }))?;
    } else {
        let word = if on { "on" } else { "off" };
        let how = if has_changed { "now" } else { "already" };
        writeln!(out, "Working together is {how} {word}.")?;
    }
    Ok(ExitCode::SUCCESS)
}
