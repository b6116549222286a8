//! What everybody may: `write`, `stage`, `append`, `feedback`, `kpi`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use callosum_context::error::{Code, Problem};
use callosum_context::feedback::{Decision, Feedback};
use callosum_context::folder::FILE_BYTES;
use callosum_context::layout::Role;
use callosum_context::names::AgentName;
use callosum_context::output::Kind;
use callosum_context::write::{self, Author, Draft, Written};
use callosum_team::caller::Caller;
use callosum_team::who::Who;

use super::args::{Given, Item};
use super::{Here, Stopped};
use crate::commands::caller::runtime;
use crate::output::{json, long};

pub(super) fn output(
    here: &Here,
    item: &Item,
    is_staged: bool,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    let author = author(here, item.agent.as_deref())?;
    let body = match (&item.body, &item.body_file) {
        (Some(body), _) => body.clone(),
        (None, file) => text_of(file.as_deref().unwrap_or(Path::new("-")))?,
    };
    let draft = Draft {
        title: item.title.clone(),
        body,
        tags: item.tags.clone(),
        entities: item.entities.clone(),
        refs: item.refs.clone(),
        expires_at: item.expires_at.clone(),
        supersedes: item.supersedes.clone(),
    };
    let kind = if is_staged { Kind::Staged } else { Kind::Output };
    let mut tender = here.tender_to_write()?;
    let written = write::output(&mut tender, &author, kind, &draft, here.zone()?, here.now.wall_ms)?;
    tender.save()?;
    say(&written, as_json, out)
}

pub(super) fn append(
    here: &Here,
    text: &str,
    agent: Option<&str>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    let author = author(here, agent)?;
    let text = if text == "-" { text_of(Path::new(text))? } else { text.to_owned() };
    let mut tender = here.tender_to_write()?;
    let written = write::append(&mut tender, &author, &text, here.zone()?, here.now.wall_ms)?;
    tender.save()?;
    say(&written, as_json, out)
}

pub(super) fn feedback(
    here: &Here,
    given: &Given,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    // Whose work it is about must be able to be somebody's name.
    AgentName::parse(&given.agent)?;
    let feedback = Feedback {
        v: 1,
        id: String::new(),
        at: String::new(),
        by: String::new(),
        session: None,
        asked_by: None,
        agent: given.agent.clone(),
        decision: Decision::named(&given.decision)?,
        reason: given.reason.clone(),
        date: given.date.clone(),
        learning: given.learning.clone(),
        outcome: given.outcome.clone(),
        severity: given.severity.clone(),
        confidence: given.confidence,
        workflow: given.workflow.clone(),
        tags: given.tags.clone(),
        evidence_window_start: None,
        evidence_window_end: None,
        refs: given.refs.clone(),
    };
    let author = author(here, None)?;
    let mut tender = here.tender_to_write()?;
    let written = write::feedback(&mut tender, &author, feedback, here.zone()?, here.now.wall_ms)?;
    tender.save()?;
    say(&written, as_json, out)
}

pub(super) fn kpi(
    here: &Here,
    values: &str,
    agent: Option<&str>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    let author = author(here, agent)?;
    let values = if values == "-" { text_of(Path::new(values))? } else { values.to_owned() };
    let mut tender = here.tender_to_write()?;
    let written = write::kpi(&tender, &author, &values, here.zone()?, here.now.wall_ms)?;
    tender.save()?;
    say(&written, as_json, out)
}

/// Who writes. A person may write for an agent; an agent that names another only claims it.
fn author(here: &Here, named: Option<&str>) -> Result<Author, Problem> {
    match here.caller()? {
        // In an agent's name it is not a person's word.
        Caller::Operator { .. } => {
            match named
                .filter(|name| ![Role::Operator, Role::Curator].iter().any(|role| role.as_str() == *name))
            {
                Some(name) => Author::agent(name, None),
                None => Author::operator(),
            }
        }
        Caller::Agent(actor) => {
            let Who { instance, runtime, agent, session, .. } = actor.who;
            let filled = |text: String| Some(text).filter(|text| !text.is_empty());
            let own = filled(agent).unwrap_or_else(|| runtime.clone());
            let author = Author::agent(&own, named)?;
            Ok(Author {
                instance: filled(instance),
                session: filled(session),
                runtime: filled(runtime),
                ..author
            })
        }
        Caller::Unidentified(why) => of_some_agent(here, named, &why),
    }
}

/// An agent that is known by its runtime alone: by its environment, which any program can set. So it is nobody whom the operator trusts.
fn of_some_agent(here: &Here, named: Option<&str>, why: &str) -> Result<Author, Problem> {
    let is_trusted = |name: &str| here.site().settings().trusted_agents.iter().any(|trusted| trusted == name);
    match runtime().filter(|name| !is_trusted(name)) {
        Some(name) => Ok(Author { runtime: Some(name.to_owned()), ..Author::agent(name, named)? }),
        None => Err(Problem::new(
            Code::Unidentified,
            format!("an agent runs this, and nobody can tell which: {why}"),
            "run this command in a tool call that Callosum gates, alone and in the foreground, or use Callosum's tools",
        )),
    }
}

/// What a file says; `-` is standard input.
fn text_of(path: &Path) -> Result<String, Problem> {
    let mut text = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(FILE_BYTES).read_to_end(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(FILE_BYTES).read_to_end(&mut text))
    };
    read.map_err(|error| {
        let message = format!("can't read `{}`: {error}", path.display());
        Problem::input(message, "give the path of a file that this user can read, or `-` for standard input")
    })?;
    String::from_utf8(text).map_err(|_| {
        Problem::input(format!("`{}` is not UTF-8", path.display()), "convert it, for example with `iconv`")
    })
}

fn say(written: &Written, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    if as_json {
        json(out, written)?;
        return Ok(ExitCode::SUCCESS);
    }
    let path: PathBuf = written.path.clone();
    let path = long(&path.display().to_string());
    match &written.duplicate_of {
        Some(_) => writeln!(out, "{} says the same already ({path}); nothing was written.", written.id)?,
        None => writeln!(out, "Wrote {} to {path}.", written.id)?,
    }
    if let Some(claimed) = &written.claimed_agent {
        writeln!(out, "It is {}'s: that it is {claimed}'s is only noted as a claim.", written.agent)?;
    }
    if written.redacted > 0 {
        writeln!(out, "Secrets taken out: {}.", written.redacted)?;
    }
    Ok(ExitCode::SUCCESS)
}
