//! The shared context for a host that holds many sessions in one process: requests and answers are JSON. Who asks is what the host
//! says; what a model says of itself is a claim.

mod params;
mod reading;

use std::path::Path;
use std::time::Duration;

use callosum_core::model::text::{one_line, short_name};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::curator::Report;
use crate::days::Day;
use crate::decide;
use crate::error::{Code, Problem};
use crate::feedback::{Decision, Feedback};
use crate::lock;
use crate::names::AgentName;
use crate::output::Kind;
use crate::overview::{self, Seat};
use crate::read;
use crate::signals::{Answer, Question};
use crate::site::Site;
use crate::tend::How;
use crate::write::{self, Author, Draft, OWNER, Written};

use self::params::Params;

/// How long a prompt waits for another who looks after the folder.
const PATIENCE_PROMPT: Duration = Duration::from_millis(500);
/// Characters of a path that a refusal names.
const MOST_PATH: usize = 120;
/// Entities that are named of the cross signals at most.
const MOST_ENTITIES: usize = 20;

/// What a host asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Request {
    /// What the system prompt of a session says, and whether there is a shared context at all.
    Prompt { session: Option<String> },
    /// A call of a tool.
    Call(Call),
    /// The proposals that nobody has decided about.
    Proposals,
    /// All that the page shows.
    Overview,
    /// A person accepts a proposal, or rejects it.
    Decide { id: String, accept: bool },
    /// A person keeps a file that something else changed, or has the version before it back.
    Settle { path: String, version: String, accept: bool },
    /// What a model said about a day's cross signals. Without an `answer` there was none, and whether it was too late.
    #[serde(rename_all = "camelCase")]
    Answered { date: String, input_digest: String, answer: Option<String>, timed_out: bool },
}

/// A call of a tool, and who makes it, as the host says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    tool: String,
    #[serde(default)]
    params: Map<String, Value>,
    runtime: String,
    agent: Option<String>,
    session: Option<String>,
    call: Option<String>,
    /// The agent's owner asked for what it does.
    #[serde(default)]
    by_owner: bool,
    /// The host can ask a model: then an answer may say under `ask` what it is to be asked. That is no part of the call's result.
    #[serde(default)]
    can_ask: bool,
}

/// Answers a request: a JSON object, or `{"error": {"code", "message", "remedy"}}`. For a thread that may wait.
#[must_use]
pub fn answer(site: &Site<'_>, request: &str) -> String {
    let request = serde_json::from_str(request).map_err(|error| {
        Problem::input(format!("this request can't be read: {error}"), "update Callosum, all of it")
    });
    let answer = request.and_then(|request| answered(site, &request));
    answer.unwrap_or_else(|Problem { code, message, remedy }| {
        json!({ "error": { "code": code.as_str(), "message": message, "remedy": remedy } })
    })
    .to_string()
}

fn answered(site: &Site<'_>, request: &Request) -> Result<Value, Problem> {
    if !matches!(request, Request::Prompt { .. } | Request::Overview) {
        check_on(site)?;
    }
    match request {
        Request::Prompt { session } => prompt(site, session.as_deref()),
        Request::Overview => value(&overview::overview(&Seat {
            settings: site.settings(),
            state_dir: site.gate.state_dir(),
            home: site.home,
            journal: site.gate,
            now: site.now,
        })?),
        Request::Call(call) => called(site, call),
        Request::Proposals => {
            let mut tender = site.tender(lock::PATIENCE)?;
            tender.save()?;
            let open = decide::proposals(&tender)?;
            Ok(json!({ "proposals": value(&open)? }))
        }
        Request::Answered { date, input_digest, answer, timed_out } => {
            let answer = match (answer, timed_out) {
                (Some(said), _) => Answer::read(said),
                (None, true) => Answer::TimedOut,
                (None, false) => Answer::Failed,
            };
            let date = Day::parse(date)?;
            let made = site.curate(false, |curator| curator.answered(date, input_digest, &answer))?;
            Ok(json!({ "date": made.date, "semantic": value(&made.semantic)? }))
        }
        Request::Decide { id, accept } => decide(site, id, *accept),
        Request::Settle { path, version, accept } => settle(site, path, version, *accept),
    }
}

fn check_on(site: &Site<'_>) -> Result<(), Problem> {
    if site.settings().enabled == Some(false) {
        return Err(Problem::input(
            "the shared context is switched off here",
            "ask the operator to take `sharedContextEnabled: false` out of the settings",
        ));
    }
    Ok(())
}

/// A person accepts a proposal, or rejects it.
///
/// # Errors
/// When there is no such proposal, it was decided about, or the folder can't be used.
pub fn decide(site: &Site<'_>, id: &str, accept: bool) -> Result<Value, Problem> {
    check_on(site)?;
    let mut tender = site.tender(lock::PATIENCE)?;
    let decided = if accept { decide::accept } else { decide::reject };
    let proposal = decided(&mut tender, id, site.now.wall_ms)?;
    tender.save()?;
    let verdict = if accept { "accepted" } else { "rejected" };
    Ok(json!({ "id": proposal.id, "agent": proposal.agent, "text": proposal.text, "verdict": verdict }))
}

/// A person accepts a file that something else changed as it stands, or has what it must say put back. `version` is
/// [what they saw](crate::tend::Pending::version): if it says something else by now, nothing happens.
///
/// # Errors
/// When the file is as its writer left it, was changed again, or can't be written.
pub fn settle(site: &Site<'_>, path: &str, version: &str, accept: bool) -> Result<Value, Problem> {
    check_on(site)?;
    let mut tender = site.tender(lock::PATIENCE)?;
    // What this look found stays known.
    tender.save()?;
    let shown = one_line(path, MOST_PATH);
    let pending = tender.pending().into_iter().find(|pending| pending.path == path).ok_or_else(|| {
        let remedy = "`callosum context lint` lists the files that were changed";
        Problem::new(Code::Unknown, format!("`{shown}` is as its writer left it"), remedy)
    })?;
    if pending.version != version {
        let remedy = "look at it again, then decide";
        return Err(Problem::new(Code::Stale, format!("`{shown}` was changed again meanwhile"), remedy));
    }
    match accept {
        true => tender.accept(path)?,
        false => drop(tender.restore(path)?),
    }
    tender.save()?;
    Ok(json!({ "path": path, "verdict": if accept { "accepted" } else { "restored" } }))
}

/// `on` is whether there is a shared context; `text` what a prompt says, or null; without `text` the folder could not be looked at in
/// time, and what was said before still holds.
fn prompt(site: &Site<'_>, session: Option<&str>) -> Result<Value, Problem> {
    if site.settings().enabled == Some(false) {
        return Ok(json!({ "on": false }));
    }
    site.set_up_if_wanted()?;
    // As the journal names it.
    let session = session.map(short_name);
    let mut answer = Map::new();
    // Its turn begins: what it called before is over.
    site.attend(PATIENCE_PROMPT, session.as_deref(), &mut |tender, is_told| {
        if !is_told {
            return;
        }
        let told = read::operators_part(tender, site.max_chars());
        if let (Some(told), Some(session)) = (&told, &session) {
            let is_known =
                |known: &crate::tend::Told| known.how == How::System && known.digest == told.digest;
            // Each prompt says it: that it is the same as before need not be written down.
            if !tender.told(session).is_some_and(is_known) {
                tender.tell(session, How::System, &told.digest, site.now.wall_ms);
            }
        }
        answer.insert("text".to_owned(), told.map(|told| told.text).into());
    });
    answer.insert("on".to_owned(), site.folder().is_ok().into());
    Ok(Value::Object(answer))
}

fn called(site: &Site<'_>, call: &Call) -> Result<Value, Problem> {
    site.set_up_if_wanted()?;
    let params = Params(&call.params);
    match call.tool.as_str() {
        "shared_context_write_output" => item(site, call, params, Kind::Output),
        "shared_context_stage" => item(site, call, params, Kind::Staged),
        "shared_priorities_append" => {
            let author = author(site, call, params.text(&["agent", "agentId"])?)?;
            let text = params.needed(&["text", "body", "content"])?;
            let mut tender = site.tender(lock::PATIENCE)?;
            let written = write::append(&mut tender, &author, text, site.zone()?, site.now.wall_ms)?;
            tender.save()?;
            value(&written)
        }
        "shared_feedback_record" => feedback(site, call, params),
        "shared_context_read" => reading::read(site, params),
        "shared_context_cross_signals_run" => {
            let (document, question) = site.curate(false, |curator| curator.signals(day(params)?))?;
            let met = document.signals.iter().filter(|signal| !signal.echo);
            let entities: Vec<String> =
                met.clone().take(MOST_ENTITIES).map(|signal| reading::safe(&signal.entity)).collect();
            let path = crate::layout::signals(Day::parse(&document.date)?);
            let result =
                json!({ "date": document.date, "signals": met.count(), "entities": entities, "path": path });
            with_questions(site, call, result, question.as_slice())
        }
        "shared_context_curate_daily" => {
            let done = site.curate(false, |curator| curator.daily(day(params)?))?;
            with_questions(site, call, report(&done)?, &done.questions)
        }
        "shared_context_curate_weekly" => {
            report(&site.curate(false, |curator| curator.weekly(day(params)?))?)
        }
        other => Err(Problem::new(
            Code::Unknown,
            format!("there is no tool `{other}`"),
            "update Callosum, all of it",
        )),
    }
}

/// A result, and what a model is to be asked about it, where the host can ask one.
fn with_questions(
    site: &Site<'_>,
    call: &Call,
    mut result: Value,
    questions: &[Question],
) -> Result<Value, Problem> {
    if let (true, false, Some(fields)) = (call.can_ask, questions.is_empty(), result.as_object_mut()) {
        let wanted = &site.settings().semantic;
        let ask = json!({
            "questions": value(&questions)?,
            "timeoutMs": wanted.timeout_ms,
            "model": value(&wanted.model)?,
        });
        fields.insert("ask".to_owned(), ask);
    }
    Ok(result)
}

/// Who writes. What the model says of itself is a claim.
fn author(site: &Site<'_>, call: &Call, claimed: Option<&str>) -> Result<Author, Problem> {
    let agent = call.agent.as_deref().ok_or_else(|| {
        Problem::new(
            Code::Unidentified,
            "the host does not say which agent makes this call",
            "call the tool in a session of an agent",
        )
    })?;
    Ok(Author {
        instance: Some(site.gate.instance().to_owned()),
        session: call.session.clone(),
        runtime: Some(call.runtime.clone()),
        call: call.call.clone(),
        asked_by: call.by_owner.then(|| OWNER.to_owned()),
        ..Author::agent(agent, claimed)?
    })
}

fn item(site: &Site<'_>, call: &Call, params: Params<'_>, kind: Kind) -> Result<Value, Problem> {
    let author = author(site, call, params.text(&["agent", "agentId"])?)?;
    let owned = |name: &str| Ok::<_, Problem>(params.text(&[name])?.map(str::to_owned));
    let draft = Draft {
        title: params.needed(&["title"])?.to_owned(),
        body: params.needed(&["body", "content"])?.to_owned(),
        tags: params.list("tags")?,
        entities: params.list("entities")?,
        refs: params.list("refs")?,
        expires_at: owned("expiresAt")?,
        supersedes: owned("supersedes")?,
    };
    let mut tender = site.tender(lock::PATIENCE)?;
    let written = write::output(&mut tender, &author, kind, &draft, site.zone()?, site.now.wall_ms)?;
    tender.save()?;
    value(&written)
}

fn feedback(site: &Site<'_>, call: &Call, params: Params<'_>) -> Result<Value, Problem> {
    let about = params.needed(&["agent", "agentId"])?;
    // Whose work it is about must be able to be somebody's name.
    AgentName::parse(about)?;
    let owned = |name: &str| Ok::<_, Problem>(params.text(&[name])?.map(str::to_owned));
    let given = Feedback {
        v: 1,
        id: String::new(),
        at: String::new(),
        by: String::new(),
        session: None,
        asked_by: None,
        agent: about.to_owned(),
        decision: Decision::named(params.needed(&["decision"])?)?,
        reason: params.needed(&["reason"])?.to_owned(),
        date: owned("date")?,
        learning: owned("learning")?,
        outcome: owned("outcome")?,
        severity: owned("severity")?,
        confidence: params.number("confidence")?,
        workflow: owned("workflow")?,
        tags: params.list("tags")?,
        evidence_window_start: owned("evidenceWindowStart")?,
        evidence_window_end: owned("evidenceWindowEnd")?,
        refs: params.list("refs")?,
    };
    let author = author(site, call, None)?;
    let mut tender = site.tender(lock::PATIENCE)?;
    let written: Written = write::feedback(&mut tender, &author, given, site.zone()?, site.now.wall_ms)?;
    tender.save()?;
    value(&written)
}

fn day(params: Params<'_>) -> Result<Option<Day>, Problem> {
    params.text(&["date"])?.map(Day::parse).transpose()
}

/// What a run of the curator did, in numbers; the names of files are ours.
fn report(report: &Report) -> Result<Value, Problem> {
    let Report { date, timezone, window, partial, changed, merged, .. } = report;
    let changed = changed.iter().filter(|path| Path::new(path).components().count() == 2);
    Ok(json!({
        "date": date,
        "timezone": timezone,
        "window": value(window)?,
        "partial": partial,
        "changed": changed.collect::<Vec<_>>(),
        "merged": merged.len(),
        "skipped": report.skipped.len(),
        "daysBefore": report.before.len(),
    }))
}

fn value(answer: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(answer).map_err(|error| {
        Problem::input(format!("the answer can't be written: {error}"), "report this as a defect")
    })
}

#[cfg(test)]
mod tests;
