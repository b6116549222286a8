//! `callosum search` and `digest`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use callosum_core::model::time::to_rfc3339;
use callosum_core::query::{Filter, Observer, Source};
use callosum_core::record::Action;
use callosum_team::digest::{Told, digest as digest_of};
use callosum_team::error::{Code, Refusal};
use callosum_team::message::Mail;
use callosum_team::search::{Document, search as best_of};
use callosum_team::team::{self, Sessions};
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{json, name, said};

use super::words::Search;
use super::{Answer, looking};

/// The newest records of the journal that are looked through.
const LOOKED_AT: usize = 5_000;
/// Discoveries that a digest has.
const DISCOVERIES: usize = 10;

pub(super) fn search(args: &Args, wanted: &Search, out: &mut dyn Write) -> Answer {
    let (observer, now) = looking(args)?;
    let mut documents: Vec<Document> = Vec::new();
    let mut tasks = team::tasks(&observer, observer.machine(), &now)?;
    tasks.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
    documents.extend(tasks.into_iter().map(|task| {
        Document {
            text: [Some(task.title), Some(task.prompt), task.result, task.why]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n"),
            source: format!("task:{}", task.id),
        }
    }));
    let standing = observer.standing(&Action::Message, &now)?;
    let messages = Mail::new(&standing, now).all().into_iter().rev();
    documents.extend(
        messages.map(|message| Document { source: format!("message:{}", message.id), text: message.body }),
    );
    let entries = newest(&observer, &json!({ "limit": LOOKED_AT }))?;
    let is_partial = entries.len() == LOOKED_AT;
    documents.extend(entries.iter().rev().filter_map(of_entry));
    let found = best_of(&wanted.query.join(" "), &documents, wanted.limit as usize);
    if args.global.json {
        let sources = ["journal", "tasks", "messages"];
        json(out, &json!({ "related_turns": found, "sources": sources, "partial": is_partial }))?;
    } else if found.is_empty() {
        writeln!(out, "Nothing like that was found.")?;
    } else {
        for one in &found {
            writeln!(out, "{:.2}  {}  {}", one.score, name(&one.source), said(&one.preview))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a record of a call, a session or an event says. Tasks and messages are found as they are now.
fn of_entry(entry: &Value) -> Option<Document> {
    let text = |field: &str| entry.get(field).and_then(Value::as_str);
    if matches!(text("action"), Some("task" | "message" | "carried")) {
        return None;
    }
    let keys =
        entry.get("contextKeys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let said = entry.get("document").map(Value::to_string);
    let fields = ["tool", "params", "reason", "session", "topic"].iter().filter_map(|field| text(field));
    let words: Vec<&str> = fields.chain(keys).chain(said.as_deref()).collect();
    let seq = entry.get("seq").and_then(Value::as_u64)?;
    (!words.is_empty()).then(|| Document { source: format!("journal:{seq}"), text: words.join(" ") })
}

fn newest(observer: &Observer, filter: &Value) -> Result<Vec<Value>, Refusal> {
    let filter =
        Filter::read(&filter.to_string()).map_err(|why| Refusal::new(Code::Limit, why, "try again"))?;
    Ok(observer.journal(&filter, &observer.machine().now())?.entries)
}

pub(super) fn digest(args: &Args, file: Option<&Path>, out: &mut dyn Write) -> Answer {
    let (observer, now) = looking(args)?;
    let sessions = Sessions::read(&observer, &now)?;
    let tasks = team::tasks(&observer, observer.machine(), &now)?;
    let standing = observer.standing(&Action::Message, &now)?;
    let unread = Mail::new(&standing, now).waiting();
    let events = newest(&observer, &json!({ "action": "event", "limit": 1_000 }))?;
    let is_discovery = |entry: &&Value| entry.get("topic").and_then(Value::as_str) == Some("calc.discovery");
    let discoveries: Vec<(String, String)> = events
        .iter()
        .rev()
        .filter(is_discovery)
        .take(DISCOVERIES)
        .map(|entry| {
            let text = |field: &str| entry.get(field).and_then(Value::as_str);
            let said =
                |field: &str| entry.get("document").and_then(|data| data.get(field)).and_then(Value::as_str);
            let what = said("body").or(said("content")).unwrap_or_default();
            let by = text("session").or(text("instance")).unwrap_or_default();
            (what.to_owned(), by.to_owned())
        })
        .collect();
    let at = to_rfc3339(now.wall_ms);
    let told = Told { at: &at, sessions: &sessions, tasks: &tasks, unread, discoveries: &discoveries };
    let digest = digest_of(&told);
    if let Some(file) = file {
        std::fs::write(file, &digest.text).map_err(|error| {
            let message = format!("can't write `{}`: {error}", said(&file.display().to_string()));
            Refusal::new(Code::CannotWrite, message, "check that this user may write there")
        })?;
    }
    if args.global.json {
        json(out, &digest)?;
    } else if file.is_none() {
        write!(out, "{}", digest.text)?;
    }
    Ok(ExitCode::SUCCESS)
}
