//! Messages between sessions: kept until they were read, and never more of them than somebody can read.

use std::collections::{BTreeMap, BTreeSet};

use callosum_core::model::time::{Stamp, from_rfc3339, to_rfc3339};
use callosum_core::record::{Action, RandomId, Record};
use callosum_core::store::standing::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::MESSAGE;
use crate::error::{Code, Refusal};
use crate::text;
use crate::who::{Actor, Who};

/// Bytes of a body.
pub const BODY_BYTES: usize = 4 * 1024;
/// Messages that nobody has read yet.
pub const MAX_UNREAD: usize = 5_000;
/// At most this many of these by one sender, unless that is a person: nobody fills what all share.
pub const MAX_UNREAD_BY_SENDER: usize = 500;
/// Sessions that one message may go to.
pub const MAX_RECIPIENTS: usize = 32;
/// Messages of a sender, and of a sender to one session, within [`RATE_MS`].
pub const MAX_BY_SENDER: usize = 10;
/// See [`MAX_BY_SENDER`].
pub const MAX_BY_PAIR: usize = 3;
/// Answers to answers in one thread.
pub const MAX_HOPS: u32 = 4;
const RATE_MS: i64 = 60_000;
/// An equal text to the same is not sent again so soon.
const EQUAL_MS: i64 = 10 * 60_000;
/// A message is forgotten after this time, a request after the second.
const EXPIRY_MS: i64 = 24 * 3_600_000;
const REQUEST_EXPIRY_MS: i64 = 7 * EXPIRY_MS;
/// What was about to be shown and was not told to have been is shown again.
const SHOWING_MS: i64 = 30_000;
const ID_DIGITS: usize = 10;
/// Ids that an answer names.
const NAMED: usize = 5;

/// What a message is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// Something is wanted.
    Request,
    /// Something is told.
    #[default]
    Inform,
    /// It was understood.
    Ack,
}

/// A session that a message goes to, and what it has seen of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recipient {
    /// Its instance.
    pub instance: String,
    /// The session.
    pub session: String,
    /// When it was about to be shown.
    pub showing_at: Option<String>,
    /// When it was about to be told that the message waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noticing_at: Option<String>,
    /// When it had been told so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noticed_at: Option<String>,
    /// When it had been shown.
    pub shown_at: Option<String>,
    /// When it was acknowledged.
    pub acknowledged_at: Option<String>,
}

/// All that is known of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// The id of the first one that it answers, its own where it answers none.
    pub thread: String,
    /// What it is for.
    pub intent: Intent,
    /// It should not wait.
    pub urgent: bool,
    /// When it is forgotten.
    pub expires_at: String,
    /// Why it was not sent.
    pub dropped: Option<String>,
    /// Who sent it.
    pub from: Who,
    /// To whom, as it was written.
    pub to: String,
    /// The role that it went to: to whoever has it when it is read.
    pub role: Option<String>,
    /// The sessions that it went to, or that have read it in that role.
    pub recipients: Vec<Recipient>,
    /// What it says.
    pub body: String,
    /// When it was sent.
    pub at: String,
    /// How many it answers, one after the other.
    pub hops: u32,
    /// What was done to it last: `sent`, `showing`, `shown`, `acknowledged`; `noticing` and `noticed` where a session was told that it
    /// waits, `inherited` where another session went on as the one that it was sent to.
    pub did: String,
}

/// How a message is for one who may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Receipt {
    /// It waits.
    Sent,
    /// It was shown.
    Shown,
    /// It was acknowledged.
    Acknowledged,
    /// It is forgotten.
    Expired,
}

/// Where a message is to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addressed {
    /// To these sessions: instance and session of each.
    pub sessions: Vec<(String, String)>,
    /// To whoever has this role.
    pub role: Option<String>,
}

/// A message to be sent.
#[derive(Clone, Debug, Default)]
pub struct NewMessage {
    /// To whom, as it was written.
    pub to: String,
    /// Where that is.
    pub addressed: Addressed,
    /// What it is for.
    pub intent: Intent,
    /// It should not wait.
    pub urgent: bool,
    /// What it says.
    pub body: String,
    /// The message that it answers.
    pub reply_to: Option<String>,
}

impl Message {
    fn at_ms(&self) -> i64 {
        from_rfc3339(&self.at).unwrap_or(0)
    }

    fn has_expired(&self, now_ms: i64) -> bool {
        from_rfc3339(&self.expires_at).is_some_and(|end_ms| end_ms <= now_ms)
    }

    fn is_for(&self, actor: &Actor) -> bool {
        self.place(&actor.who).is_some() || self.role.as_deref().is_some_and(|role| actor.is_called(role))
    }

    fn place(&self, who: &Who) -> Option<usize> {
        let is_it = |to: &Recipient| to.instance == who.instance && to.session == who.session;
        self.recipients.iter().position(is_it)
    }

    fn recipient(&self, who: &Who) -> Option<&Recipient> {
        self.recipients.get(self.place(who)?)
    }

    fn recipient_mut(&mut self, who: &Who) -> Option<&mut Recipient> {
        if self.place(who).is_none() {
            let (instance, session) = (who.instance.clone(), who.session.clone());
            self.recipients.push(Recipient { instance, session, ..Recipient::default() });
        }
        let place = self.place(who)?;
        self.recipients.get_mut(place)
    }

    /// What has become of it for one who may read it.
    #[must_use]
    pub fn receipt(&self, who: &Who, now_ms: i64) -> Receipt {
        match self.recipient(who) {
            Some(to) if to.acknowledged_at.is_some() => Receipt::Acknowledged,
            Some(to) if to.shown_at.is_some() => Receipt::Shown,
            _ if self.has_expired(now_ms) => Receipt::Expired,
            _ => Receipt::Sent,
        }
    }

    /// Whether nobody has to see it any more.
    fn is_read(&self) -> bool {
        let acknowledged = |to: &Recipient| to.acknowledged_at.is_some();
        match (&self.role, self.intent) {
            (Some(_), _) => self.recipients.iter().any(acknowledged),
            (None, Intent::Request) => self.recipients.iter().all(acknowledged),
            (None, Intent::Inform | Intent::Ack) => {
                self.recipients.iter().all(|to| to.shown_at.is_some() || acknowledged(to))
            }
        }
    }

    /// Whether nothing has to be known of it any more: neither what it says nor that it was sent lately.
    fn is_over(&self, now_ms: i64) -> bool {
        let is_old = now_ms.saturating_sub(self.at_ms()) >= EQUAL_MS;
        is_old && (self.is_read() || self.has_expired(now_ms))
    }
}

/// The messages that stand, and what has become of some of them here.
pub struct Mail {
    by_id: BTreeMap<String, Message>,
    changed: BTreeSet<String>,
    now: Stamp,
}

impl Mail {
    /// The messages that stand.
    #[must_use]
    pub fn new(standing: &Standing, now: Stamp) -> Self {
        let documents = standing.all().filter_map(|(_, stands)| stands.record.document.as_ref());
        let read = documents.filter_map(|document| Message::deserialize(document).ok());
        let by_id = read.map(|message| (message.id.clone(), message)).collect();
        Self { by_id, changed: BTreeSet::new(), now }
    }

    /// All of them, the oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<&Message> {
        in_order(self.by_id.values())
    }

    /// The message of this id, or the one that begins so.
    ///
    /// # Errors
    /// When there is none, or there are several.
    pub fn find(&self, id: &str) -> Result<Message, Refusal> {
        if let Some(exact) = self.by_id.get(id) {
            return Ok(exact.clone());
        }
        let from = self.by_id.range(id.to_owned()..).map(|(_, message)| message);
        let found: Vec<&Message> =
            from.take_while(|message| !id.is_empty() && message.id.starts_with(id)).take(NAMED).collect();
        match found.as_slice() {
            [only] => Ok((*only).clone()),
            [] => {
                let id = callosum_core::model::text::one_line(id, 80);
                Err(Refusal::new(
                    Code::Unknown,
                    format!("there is no message `{id}`"),
                    "see `callosum inbox`",
                ))
            }
            several => {
                let ids: Vec<&str> = several.iter().map(|message| message.id.as_str()).collect();
                let message = format!("it may be {}", ids.join(", "));
                Err(Refusal::new(Code::Ambiguous, message, "write more of the id"))
            }
        }
    }

    fn put(&mut self, mut message: Message, did: &str) -> Message {
        debug_assert!(MESSAGE.contains(&did), "`{did}` stands in the table of topics");
        did.clone_into(&mut message.did);
        self.changed.insert(message.id.clone());
        self.by_id.insert(message.id.clone(), message.clone());
        message
    }

    /// Sends a message. One that was sent a moment ago already is `dropped`, which says so.
    ///
    /// # Errors
    /// When a limit is reached, or the one that it answers is not known.
    pub fn send(&mut self, new: &NewMessage, actor: &Actor) -> Result<Message, Refusal> {
        let body = text::limited("body", &new.body, BODY_BYTES)?;
        let now_ms = self.now.wall_ms;
        let limit = |message: String, remedy: &str| Err(Refusal::new(Code::Limit, message, remedy));
        if new.addressed.sessions.len() > MAX_RECIPIENTS {
            let many = new.addressed.sessions.len();
            return limit(
                format!("it would go to {many} sessions, and at most {MAX_RECIPIENTS} are allowed"),
                "address fewer",
            );
        }
        let answered = new.reply_to.as_deref().map(|id| self.find(id)).transpose()?;
        let hops = answered.as_ref().map_or(0, |answered| answered.hops + 1);
        if hops > MAX_HOPS {
            return limit(
                format!("the thread has {MAX_HOPS} answers to answers already"),
                "leave it, or begin anew with what is still to be said",
            );
        }
        let id: String = RandomId::random().to_string().chars().take(ID_DIGITS).collect();
        let expiry_ms = if new.intent == Intent::Request { REQUEST_EXPIRY_MS } else { EXPIRY_MS };
        let recipient = |(instance, session): &(String, String)| Recipient {
            instance: instance.clone(),
            session: session.clone(),
            ..Recipient::default()
        };
        let message = Message {
            thread: answered.map_or_else(|| id.clone(), |answered| answered.thread),
            id,
            intent: new.intent,
            urgent: new.urgent,
            expires_at: to_rfc3339(now_ms.saturating_add(expiry_ms)),
            dropped: None,
            from: actor.who.clone(),
            to: text::line("to", &new.to, 256)?,
            role: new.addressed.role.clone(),
            recipients: new.addressed.sessions.iter().map(recipient).collect(),
            body,
            at: to_rfc3339(now_ms),
            hops,
            did: String::new(),
        };
        let within = |other: &&Message, ms: i64| is_within(now_ms, other.at_ms(), ms);
        let is_equal = |other: &&Message| {
            other.from.is_same(&actor.who)
                && other.body == message.body
                && other.intent == message.intent
                && goes_to_same(other, &message)
        };
        if self.by_id.values().any(|other| within(&other, EQUAL_MS) && is_equal(&other)) {
            let dropped = Some("an equal one was sent within the last 10 minutes".to_owned());
            return Ok(Message { dropped, ..message });
        }
        let is_own = |other: &&Message| actor.has_sent(&other.from);
        let lately: Vec<&Message> =
            self.by_id.values().filter(is_own).filter(|other| within(other, RATE_MS)).collect();
        if lately.len() >= MAX_BY_SENDER {
            return limit(
                format!("{MAX_BY_SENDER} messages were sent within a minute"),
                "wait a minute, and say it in one",
            );
        }
        for to in &message.recipients {
            let is_there = |other: &&&Message| {
                other
                    .recipients
                    .iter()
                    .any(|known| known.instance == to.instance && known.session == to.session)
            };
            let by_this = lately.iter().filter(|other| other.from.is_same(&actor.who));
            if by_this.filter(is_there).count() >= MAX_BY_PAIR {
                let name = if to.session.is_empty() { &to.instance } else { &to.session };
                let name = callosum_core::model::text::name(name, 80);
                return limit(
                    format!("{MAX_BY_PAIR} messages were sent to {name} within a minute"),
                    "wait a minute, and say it in one",
                );
            }
        }
        if self.waiting() >= MAX_UNREAD {
            return limit(format!("{MAX_UNREAD} messages wait to be read"), "wait until some have been");
        }
        if !actor.is_operator() && self.waits().filter(is_own).count() >= MAX_UNREAD_BY_SENDER {
            return limit(
                format!("{MAX_UNREAD_BY_SENDER} messages of this sender wait to be read"),
                "wait until some have been",
            );
        }
        Ok(self.put(message, "sent"))
    }

    /// The messages for `actor`, the oldest first.
    #[must_use]
    pub fn inbox(&self, actor: &Actor) -> Vec<Message> {
        in_order(self.by_id.values().filter(|message| message.is_for(actor))).into_iter().cloned().collect()
    }

    /// Those of them that it has not seen, the oldest first.
    #[must_use]
    pub fn waiting_for(&self, actor: &Actor) -> Vec<Message> {
        let now_ms = self.now.wall_ms;
        let is_unread = |message: &Message| {
            message.receipt(&actor.who, now_ms) == Receipt::Sent
                && !(message.role.is_some() && message.is_read())
        };
        self.inbox(actor).into_iter().filter(is_unread).collect()
    }

    /// How many these are.
    #[must_use]
    pub fn unread(&self, actor: &Actor) -> usize {
        self.waiting_for(actor).len()
    }

    /// The unread messages that `actor` is about to be told wait for it: those that `is_wanted` of what it was not told of, or was not
    /// told to have been. Once it was, [`Mail::noticed`] says so. What a message says is not told, so it stays unread.
    pub fn notice(&mut self, actor: &Actor, is_wanted: impl Fn(&Message) -> bool) -> Vec<Message> {
        let now_ms = self.now.wall_ms;
        let is_due = |message: &Message| match message.recipient(&actor.who) {
            Some(to) if to.noticed_at.is_some() => false,
            to => {
                let noticing = to.and_then(|to| from_rfc3339(to.noticing_at.as_deref()?));
                !noticing.is_some_and(|since| is_within(now_ms, since, SHOWING_MS))
            }
        };
        let wanted = |message: &Message| is_due(message) && is_wanted(message);
        let due: Vec<Message> = self.waiting_for(actor).into_iter().filter(wanted).collect();
        for mut message in due.clone() {
            if let Some(to) = message.recipient_mut(&actor.who) {
                to.noticing_at = Some(to_rfc3339(now_ms));
                self.put(message, "noticing");
            }
        }
        due
    }

    /// Says that `actor` was told that these messages wait for it.
    pub fn noticed(&mut self, ids: &[String], actor: &Actor) {
        let at = to_rfc3339(self.now.wall_ms);
        for id in ids {
            let Ok(mut message) = self.find(id) else { continue };
            if let Some(to) = message.recipient_mut(&actor.who) {
                to.noticed_at = Some(at.clone());
                self.put(message, "noticed");
            }
        }
    }

    /// Lets `heir` have the mail that `gone` has not seen: one goes on as the other.
    pub fn inherit(&mut self, gone: &Who, heir: &Who) {
        let now_ms = self.now.wall_ms;
        let all: Vec<Message> = self.by_id.values().cloned().collect();
        for mut message in all {
            let Some(place) = message.place(gone) else { continue };
            if message.receipt(gone, now_ms) != Receipt::Sent || message.place(heir).is_some() {
                continue;
            }
            if let Some(to) = message.recipients.get_mut(place) {
                let (instance, session) = (heir.instance.clone(), heir.session.clone());
                *to = Recipient { instance, session, ..Recipient::default() };
                self.put(message, "inherited");
            }
        }
    }

    /// How many wait for somebody to read them.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waits().count()
    }

    fn waits(&self) -> impl Iterator<Item = &Message> {
        let now_ms = self.now.wall_ms;
        self.by_id.values().filter(move |message| !message.is_read() && !message.has_expired(now_ms))
    }

    /// Takes out at most `most` messages to be shown to `actor`. Once they were, [`Mail::shown`] says so; else they come again.
    pub fn drain(&mut self, actor: &Actor, most: usize) -> Vec<Message> {
        let now_ms = self.now.wall_ms;
        let is_due = |message: &Message| {
            let showing =
                message.recipient(&actor.who).and_then(|to| from_rfc3339(to.showing_at.as_deref()?));
            message.receipt(&actor.who, now_ms) == Receipt::Sent
                && !(message.role.is_some() && message.is_read())
                && !showing.is_some_and(|since| is_within(now_ms, since, SHOWING_MS))
        };
        let due: Vec<Message> = self.inbox(actor).into_iter().filter(is_due).take(most).collect();
        for mut message in due.clone() {
            if let Some(to) = message.recipient_mut(&actor.who) {
                to.showing_at = Some(to_rfc3339(now_ms));
                self.put(message, "showing");
            }
        }
        due
    }

    /// Says that these messages were shown to `actor`. How many of them are for it.
    pub fn shown(&mut self, ids: &[String], actor: &Actor) -> usize {
        let at = to_rfc3339(self.now.wall_ms);
        let mut count = 0;
        for id in ids {
            let Ok(mut message) = self.find(id) else { continue };
            if !message.is_for(actor) {
                continue;
            }
            if let Some(to) = message.recipient_mut(&actor.who) {
                to.shown_at = Some(at.clone());
                self.put(message, "shown");
                count += 1;
            }
        }
        count
    }

    /// Says that `actor` has understood a message.
    ///
    /// # Errors
    /// When it is not known, or is not for `actor`.
    pub fn acknowledge(&mut self, id: &str, actor: &Actor) -> Result<Message, Refusal> {
        let mut message = self.find(id)?;
        if !message.is_for(actor) {
            let text = format!(
                "message {} is for {}",
                message.id,
                callosum_core::model::text::name(&message.to, 80)
            );
            return Err(Refusal::new(Code::NotYours, text, "leave it to whom it is for"));
        }
        let at = Some(to_rfc3339(self.now.wall_ms));
        if let Some(to) = message.recipient_mut(&actor.who) {
            to.shown_at = to.shown_at.take().or_else(|| at.clone());
            to.acknowledged_at = at;
        }
        Ok(self.put(message, "acknowledged"))
    }

    /// What is to be written, by `by`: what has changed, and what is over.
    #[must_use]
    pub fn records(self, by: &Who) -> Vec<Record> {
        let now_ms = self.now.wall_ms;
        let mut records: Vec<Record> = Vec::new();
        for message in self.all() {
            let is_over = message.is_over(now_ms);
            if is_over || self.changed.contains(&message.id) {
                records.push(record(message, by, is_over, &self.now));
            }
        }
        records
    }
}

/// The oldest first.
fn in_order<'m>(messages: impl Iterator<Item = &'m Message>) -> Vec<&'m Message> {
    let mut all: Vec<&Message> = messages.collect();
    all.sort_by(|one, other| (&one.at, &one.id).cmp(&(&other.at, &other.id)));
    all
}

/// Whether `then` is less than `ms` before `now`. What a clock that was set back makes a thing of the future keeps nobody waiting.
fn is_within(now: i64, then: i64, ms: i64) -> bool {
    (0..ms).contains(&now.saturating_sub(then))
}

fn goes_to_same(one: &Message, other: &Message) -> bool {
    let named = |message: &Message| -> Vec<(String, String)> {
        message.recipients.iter().map(|to| (to.instance.clone(), to.session.clone())).collect()
    };
    one.role == other.role && (one.role.is_some() || named(one) == named(other))
}

fn record(message: &Message, by: &Who, is_over: bool, now: &Stamp) -> Record {
    let mut record = by.record(Action::Message, now);
    record.key = Some(message.id.clone());
    record.ended = is_over;
    record.document = serde_json::to_value(message).ok();
    record
}

/// Whether a message of Callosum itself to this session says so, and was not read yet.
#[must_use]
pub fn is_waiting(standing: &Standing, to: &Who, text: &str, now: &Stamp) -> bool {
    let documents = standing.all().filter_map(|(_, stands)| stands.record.document.as_ref());
    let mut equal = documents.filter(|document| document.get("body").is_some_and(|body| body == text));
    equal.any(|document| {
        let message = Message::deserialize(document).unwrap_or_default();
        message.from.is_same(&Who::host())
            && message.place(to).is_some()
            && message.receipt(to, now.wall_ms) == Receipt::Sent
    })
}

/// A message of Callosum itself, which nothing limits: there is one for each thing that happens once.
#[must_use]
pub fn notice(to: &Who, text: &str, now: &Stamp) -> Record {
    notice_of(to, text, false, now)
}

/// The same for what should not wait.
#[must_use]
pub fn urgent_notice(to: &Who, text: &str, now: &Stamp) -> Record {
    notice_of(to, text, true, now)
}

fn notice_of(to: &Who, text: &str, is_urgent: bool, now: &Stamp) -> Record {
    let id: String = RandomId::random().to_string().chars().take(ID_DIGITS).collect();
    let from = Who::host();
    let recipient =
        Recipient { instance: to.instance.clone(), session: to.session.clone(), ..Recipient::default() };
    let message = Message {
        thread: id.clone(),
        id,
        expires_at: to_rfc3339(now.wall_ms.saturating_add(EXPIRY_MS)),
        from: from.clone(),
        to: to.address(),
        recipients: vec![recipient],
        urgent: is_urgent,
        body: text.to_owned(),
        at: to_rfc3339(now.wall_ms),
        did: "sent".to_owned(),
        ..Message::default()
    };
    record(&message, &from, false, now)
}
