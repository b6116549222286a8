//! What verbs are asked with: JSON objects. A field that is not known is refused, so that nothing is lost by a slip.

use callosum_core::model::wrong_field::{word, wrong_field};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::Refusal;
use crate::message::Intent;

/// The most that an answer lists.
const MOST: usize = 1_000;

/// Reads a request; one that says nothing is empty.
///
/// # Errors
/// Names the field that is wrong, and what was expected.
pub fn read<T: DeserializeOwned>(request: Value) -> Result<T, Refusal> {
    let request = if request.is_null() { Value::Object(Map::new()) } else { request };
    serde_path_to_error::deserialize(request).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "" } else { &path };
        let (path, expected) = wrong_field(path, &error.inner().to_string());
        Refusal::field(&path, expected)
    })
}

/// How many are wanted.
pub(super) fn limit(wanted: Option<usize>, usual: usize) -> Result<usize, Refusal> {
    match wanted {
        None => Ok(usual),
        Some(limit @ 1..=MOST) => Ok(limit),
        Some(_) => Err(Refusal::field("limit", "expected a whole number from 1 to 1000")),
    }
}

/// Nothing has to be said.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Which tasks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tasks {
    /// Only those in this state: open, claimed, blocked, input-required, lost, stalled.
    pub state: Option<String>,
    /// The first one that is listed, as `next` of an answer names it.
    pub from: Option<String>,
    /// At most this many, up to 1000; 100 by default.
    pub limit: Option<usize>,
}

/// Which task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfTask {
    /// Its id, or the beginning of it.
    pub id: String,
}

/// A task to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Add {
    /// What it is about, in a line.
    pub title: String,
    /// What is to be done.
    #[serde(default)]
    pub prompt: String,
    /// The kind of work.
    pub category: Option<String>,
    /// The files that it is about.
    #[serde(default)]
    pub files: Vec<String>,
    /// The tasks that must be completed first.
    #[serde(default)]
    pub deps: Vec<String>,
    /// A task that is to wait for this one.
    pub blocks: Option<String>,
    /// Who it is for: a session, a runtime, a role; for anybody without it.
    pub to: Option<String>,
    /// Let the routes decide who it is for, and by when.
    #[serde(default)]
    pub route: bool,
    /// The lowest comes first; 1 by default.
    pub priority: Option<u32>,
    /// Where the result is expected: an absolute path, or nobody can say whether it is there.
    pub output_file: Option<String>,
    /// Its deadline, counted from now: `30m`, `2h`.
    pub sla: Option<String>,
    /// Its id; a random one without it.
    pub id: Option<String>,
}

/// Which task is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// This one.
    pub id: Option<String>,
    /// The next that may be taken.
    #[serde(default)]
    pub next: bool,
}

/// A task, and what is said of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Its id, or the beginning of it.
    pub id: String,
    /// The generation that was claimed, as the claim told it.
    #[serde(rename = "gen")]
    pub generation: Option<u64>,
}

/// A task that is done.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Its id, or the beginning of it.
    pub id: String,
    /// The generation that was claimed, as the claim told it.
    #[serde(rename = "gen")]
    pub generation: Option<u64>,
    /// What came of it.
    pub result: Option<String>,
}

/// A task that failed, or is cancelled.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// Its id, or the beginning of it.
    pub id: String,
    /// The generation that was claimed, as the claim told it.
    #[serde(rename = "gen")]
    pub generation: Option<u64>,
    /// Why.
    #[serde(alias = "result")]
    pub why: Option<String>,
}

/// A task that is handed over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// Its id, or the beginning of it.
    pub id: String,
    /// The generation that was claimed, as the claim told it.
    #[serde(rename = "gen")]
    pub generation: Option<u64>,
    /// To whom: a session, a runtime, a role.
    pub to: String,
    /// Why.
    #[serde(alias = "result")]
    pub why: Option<String>,
}

/// A question that must be answered before a task can go on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its id, or the beginning of it.
    pub id: String,
    /// The generation that was claimed, as the claim told it.
    #[serde(rename = "gen")]
    pub generation: Option<u64>,
    /// The question.
    #[serde(alias = "result")]
    pub question: String,
}

/// A message to be sent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Send {
    /// To whom: `instance/session` or the beginning of one, a runtime, a role, or `operator`. Not needed with the intent `ack`.
    pub to: Option<String>,
    /// What it is for: `request`, `inform` (by default), or `ack`: the message `replyTo` was understood.
    #[serde(default, deserialize_with = "word")]
    pub intent: Intent,
    /// It should not wait.
    #[serde(default)]
    pub urgent: bool,
    /// What it says, at most 4 KB.
    #[serde(default)]
    pub body: String,
    /// The message that it answers.
    pub reply_to: Option<String>,
}

/// How many messages.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inbox {
    /// At most this many, up to 1000; 50 by default.
    pub limit: Option<usize>,
}

/// How many messages, and whether the answer itself is what shows them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// At most this many, up to 1000; 50 by default.
    pub limit: Option<usize>,
    /// They count as shown now. Else they do once `shown` says so, and come again after 30 seconds where it does not.
    #[serde(default)]
    pub shown: bool,
}

/// Messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Their ids.
    pub ids: Vec<String>,
}

/// Something to be told: `topic` and `data`, or an event of CALC's event bus.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Publish {
    /// Its topic.
    pub topic: Option<String>,
    /// What it says.
    #[serde(alias = "payload")]
    pub data: Option<Map<String, Value>>,
    /// What it says in words; becomes part of `data`.
    pub body: Option<String>,
    /// The files that it is about; become part of `data`.
    #[serde(default)]
    pub files: Vec<String>,
    /// The repository that it is about; becomes part of `data`.
    pub repo: Option<String>,
    /// It is only looked at, and not told.
    #[serde(default)]
    pub dry_run: bool,
    /// CALC's name for `topic`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// CALC's other name for `topic`.
    pub event: Option<String>,
    /// What CALC's sender says of itself. It becomes `claimed` in `data`: who it is, Callosum knows otherwise.
    pub source: Option<Value>,
    /// As `source`.
    pub machine: Option<Value>,
    /// As `source`.
    pub timestamp: Option<Value>,
    /// As `source`.
    pub ts: Option<Value>,
    /// As `source`.
    #[serde(rename = "session_id")]
    pub session_id: Option<Value>,
    /// As `source`.
    #[serde(rename = "pane_id")]
    pub pane_id: Option<Value>,
    /// As `source`.
    pub cwd: Option<Value>,
}

/// Which events.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Topics with commas between them: `call.paused`, `call.*`, `calc.**`; all without it.
    pub topic: Option<String>,
    /// From this place on, as `next` of an answer names it; the newest without it.
    pub from: Option<u64>,
    /// At most this many, up to 1000; 100 by default.
    pub limit: Option<usize>,
}

/// A text whose route is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// What is to be done.
    pub text: String,
    /// The kind of work.
    pub category: Option<String>,
    /// The files that it is about.
    #[serde(default)]
    pub files: Vec<String>,
}

/// Words to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The words.
    pub query: String,
    /// At most this many, up to 1000; 5 by default.
    pub limit: Option<usize>,
}
