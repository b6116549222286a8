//! What is going on, what was written, and whom a piece of work is for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use callosum_core::model::time::to_rfc3339;
use callosum_core::query::Filter;
use callosum_core::record::Action;
use callosum_core::record::kind::IndexedAs;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::digest::{Told, digest as digest_of};
use crate::error::Refusal;
use crate::message::Mail;
use crate::names::Names;
use crate::search::{Document, search as best_of, words};
use crate::switch;
use crate::task::Task;
use crate::team::{self, Sessions, newest};
use crate::who::Who;

use super::request::{Nothing, Route, Search, limit, read};
use super::tasks::listed;
use super::{Asker, Desk};

/// The newest records of the journal that are looked through, whatever they say.
const LOOKED_AT: usize = 5_000;
/// Of those before, so many that have a word of the query; the words that are looked for there; and the pieces, of 8 MiB or 30 ms, in
/// which that is done.
const OLDER: usize = 500;
const MAX_WORDS: usize = 8;
const PIECES: usize = 96;
/// What is found, where nobody says how much.
const FOUND: usize = 5;
/// Discoveries that a digest has, and the records that they are looked for in.
const DISCOVERIES: usize = 10;
const EVENTS: usize = 1_000;
/// Sessions and tasks that an overview lists.
const LISTED: usize = 20;

/// How many messages wait for whoever asks; none where nobody can tell who that is.
pub(super) fn unread(desk: &Desk<'_>, asker: &Asker) -> Result<Option<usize>, Refusal> {
    if asker.is_err() {
        return Ok(None);
    }
    let actor = desk.actor(asker)?;
    let standing = desk.source.standing(&Action::Message, &desk.now)?;
    Ok(Some(Mail::new(&standing, desk.now).unread(&actor)))
}

/// `team`: whether sessions work together here, who is alive, and the tasks that are not over.
pub(super) fn team(desk: &Desk<'_>, asker: &Asker, request: Value) -> Result<Value, Refusal> {
    let Nothing {} = read(request)?;
    let sessions = Sessions::read(desk.source, &desk.now)?;
    let alive: Vec<Value> = sessions.alive().take(LISTED).map(|session| json!(session)).collect();
    let mut tasks = team::tasks(desk.source, desk.machine, &desk.now)?;
    tasks.retain(|task| !task.state.is_over());
    let mut told = listed(tasks, LISTED);
    if let Some(told) = told.as_object_mut() {
        told.insert("on".to_owned(), switch::is_on(desk.state_dir).into());
        told.insert("sessions".to_owned(), alive.into());
        told.insert("unread".to_owned(), unread(desk, asker)?.into());
    }
    Ok(told)
}

/// `search`: words looked for in tasks, messages and the journal.
pub(super) fn search(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let Search { query, limit: wanted } = read(request)?;
    let wanted = limit(wanted, FOUND)?;
    let standing = desk.source.standing(&Action::Task, &desk.now)?;
    let written = standing.all().filter_map(|(_, stands)| stands.record.document.as_ref());
    let mut tasks: Vec<Task> = written.filter_map(|document| Task::deserialize(document).ok()).collect();
    tasks.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
    let mut documents: Vec<Document> = Vec::new();
    documents.extend(tasks.into_iter().map(|task| {
        let said = [Some(task.title), Some(task.prompt), task.result, task.why];
        let text = said.into_iter().flatten().collect::<Vec<_>>().join("\n");
        Document { text, source: format!("task:{}", task.id) }
    }));
    let standing = desk.source.standing(&Action::Message, &desk.now)?;
    let mail = Mail::new(&standing, desk.now);
    documents.extend(
        mail.all().into_iter().rev().map(|message| Document {
            source: format!("message:{}", message.id),
            text: message.body.clone(),
        }),
    );
    let entries = newest(desk.source, &json!({ "limit": LOOKED_AT }), &desk.now)?;
    let oldest =
        entries.first().filter(|_| entries.len() == LOOKED_AT).and_then(|entry| entry.get("seq")?.as_u64());
    documents.extend(entries.iter().rev().filter_map(of_entry));
    let (older, is_partial) = oldest.map_or(Ok((BTreeMap::new(), false)), |seq| before(desk, &query, seq))?;
    documents.extend(older.values().rev().filter_map(of_entry));
    let found = best_of(&query, &documents, wanted);
    let sources = ["journal", "tasks", "messages"];
    Ok(json!({ "related_turns": found, "sources": sources, "partial": is_partial }))
}

/// The records before the one at `seq` that have one of these words, and whether there may be more: so many pieces of the journal are
/// looked through for them, the longest word first, which is the rarest most often.
fn before(desk: &Desk<'_>, query: &str, seq: u64) -> Result<(BTreeMap<u64, Value>, bool), Refusal> {
    let mut wanted = words(query);
    wanted.sort_by_key(|word| Reverse(word.len()));
    wanted.dedup();
    let (mut found, mut pieces, mut is_partial) = (BTreeMap::new(), PIECES, wanted.len() > MAX_WORDS);
    for word in wanted.into_iter().take(MAX_WORDS) {
        let (mut next, mut left) = (Some(seq), OLDER);
        while let Some(before) = next {
            if pieces == 0 || left == 0 {
                is_partial = true;
                break;
            }
            pieces -= 1;
            let (text, limit) = (Some(word.clone()), left);
            let filter = Filter { text, limit, before: Some(before), budget: true, ..Filter::default() };
            let page = desk.source.journal(&filter, &desk.now)?;
            left -= page.entries.len();
            next = page.next;
            found.extend(
                page.entries.into_iter().filter_map(|entry| Some((entry.get("seq")?.as_u64()?, entry))),
            );
        }
    }
    Ok((found, is_partial))
}

/// What a record of a call, a session or an event says. Tasks and messages are found as they are now.
fn of_entry(entry: &Value) -> Option<Document> {
    let text = |field: &str| entry.get(field).and_then(Value::as_str);
    if Action::named(text("action")?).spec().index == IndexedAs::Standing {
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

/// `digest`: what is going on, as a text for a session that begins.
pub(super) fn digest(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let Nothing {} = read(request)?;
    let sessions = Sessions::read(desk.source, &desk.now)?;
    let tasks = team::tasks(desk.source, desk.machine, &desk.now)?;
    let standing = desk.source.standing(&Action::Message, &desk.now)?;
    let unread = Mail::new(&standing, desk.now).waiting();
    let events = newest(desk.source, &json!({ "action": "event", "limit": EVENTS }), &desk.now)?;
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
            let part = |field: &str| text(field).unwrap_or_default().to_owned();
            let by = Who { instance: part("instance"), session: part("session"), ..Who::default() };
            (what.to_owned(), by.address())
        })
        .collect();
    let at = to_rfc3339(desk.now.wall_ms);
    let told = Told { at: &at, sessions: &sessions, tasks: &tasks, unread, discoveries: &discoveries };
    Ok(json!(digest_of(&told)))
}

/// `route`: the runtime that a piece of work should go to, and by which rule.
pub(super) fn route(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let Route { text, category, files } = read(request)?;
    let routes = desk.routes()?;
    let names = Names::of(&routes);
    let routed = routes.route(&text, category.as_deref(), &files);
    let sessions = Sessions::read(desk.source, &desk.now)?;
    let mut present: Vec<&str> = sessions.alive().filter_map(|session| session.runtime.as_deref()).collect();
    present.sort_unstable();
    present.dedup();
    let runtime = |agent: &Option<String>| {
        agent.as_deref().map(|agent| names.runtime(agent).unwrap_or(agent).to_owned())
    };
    // Nothing tells yet that a runtime was limited, so none cools down.
    Ok(json!({
        "agent": runtime(&routed.agent), "fallback": runtime(&routed.fallback), "sla": routed.sla,
        "category": routed.category, "rule": routed.rule, "present": present, "cooling": [],
    }))
}

/// `routes`: the roles and routes in force, or with a `text` the route of that.
pub(super) fn routes(desk: &Desk<'_>, asker: &Asker, request: Value) -> Result<Value, Refusal> {
    if request.get("text").is_some() {
        return route(desk, asker, request);
    }
    let Nothing {} = read(request)?;
    let routes = desk.routes()?;
    Ok(json!({ "roles": routes.roles, "routes": routes.routes }))
}
