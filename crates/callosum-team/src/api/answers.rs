//! What the verbs that are offered over HTTP answer.

use callosum_core::query::Activity;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::message::{Intent, Message, Receipt};
use crate::task::Task;
use crate::who::Who;

/// One task.
#[derive(Serialize, JsonSchema)]
pub(super) struct OneTask {
    /// None where there was none to claim.
    pub(super) task: Option<Task>,
}

/// Several tasks.
#[derive(Serialize, JsonSchema)]
pub(super) struct TaskList {
    pub(super) tasks: Vec<Task>,
    /// The id of the one that comes after them.
    pub(super) next: Option<String>,
}

/// A message that was sent, and how it comes to each who gets it.
#[derive(Serialize, JsonSchema)]
pub(super) struct SentAnswer {
    pub(super) message: SentMessage,
    pub(super) delivery: Vec<Delivery>,
}

/// What the sender is told of its message.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentMessage {
    id: String,
    /// The id of the first message that it answers, its own where it answers none.
    thread: String,
    intent: Intent,
    urgent: bool,
    /// When it is forgotten, RFC 3339.
    expires_at: String,
    /// Why it was not sent.
    dropped: Option<String>,
}

impl From<&Message> for SentMessage {
    fn from(sent: &Message) -> Self {
        Self {
            id: sent.id.clone(),
            thread: sent.thread.clone(),
            intent: sent.intent,
            urgent: sent.urgent,
            expires_at: sent.expires_at.clone(),
            dropped: sent.dropped.clone(),
        }
    }
}

/// How a message comes to one who gets it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Delivery {
    pub(super) session: String,
    pub(super) activity: Activity,
    /// Since when it does that, RFC 3339.
    pub(super) since: Option<String>,
    /// `next-hook`, or `none` where nobody brings it.
    pub(super) how: &'static str,
    /// The same for a person.
    pub(super) why: &'static str,
}

/// Messages for whoever asks.
#[derive(Serialize, JsonSchema)]
pub(super) struct Messages {
    pub(super) messages: Vec<MessageRow>,
    /// How many more were not shown.
    pub(super) unread: usize,
    /// The id of the one that comes after them.
    pub(super) next: Option<String>,
}

/// A message as it is shown.
#[derive(Serialize, JsonSchema)]
pub(super) struct MessageRow {
    id: String,
    thread: String,
    from: Who,
    intent: Intent,
    urgent: bool,
    body: String,
    /// RFC 3339.
    at: String,
    state: Receipt,
}

impl MessageRow {
    pub(super) fn of(message: &Message, state: Receipt) -> Self {
        Self {
            id: message.id.clone(),
            thread: message.thread.clone(),
            from: message.from.clone(),
            intent: message.intent,
            urgent: message.urgent,
            body: message.body.clone(),
            at: message.at.clone(),
            state,
        }
    }
}

/// How many messages count as shown now that did not.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownAnswer {
    pub(super) shown: usize,
}

/// An event that was published, or would have been.
#[derive(Serialize, JsonSchema)]
pub(super) struct PublishAnswer {
    /// As whoever watches is told it.
    pub(super) event: Map<String, Value>,
    /// Why it was not told.
    pub(super) dropped: Option<&'static str>,
}
