//! Messages.

use callosum_core::query::{Activity, Session};
use callosum_core::record::Action;
use callosum_runtimes::named;
use serde_json::{Value, json};

use crate::error::Refusal;
use crate::message::{Intent, Mail, Message, NewMessage, Receipt, Recipient};
use crate::team::Sessions;

use super::answers::{Delivery, MessageRow, Messages, SentAnswer, ShownAnswer};
use super::request::{Drain, Inbox, Send, Shown, limit, read};
use super::{Asker, Desk, Writing};

const LISTED: usize = 50;
/// How a message comes to a session whose runtime has no hooks of ours.
const BY_ASKING: &str = "it reads its messages with `callosum inbox`";
/// To who is in a turn, to who is not, and to who should not wait.
const NEXT_TURN: &str = "waits for its next turn: a hook says then that there is mail";
const NEXT_CALL: &str = "a hook says so after its next tool call";

/// `send`: a new message; with the intent `ack`, that one was understood.
pub(super) fn send(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Send { to, intent, urgent, body, reply_to } = read(request)?;
    let Writing { names, .. } = writing;
    let team = writing.team();
    team.check_on(false)?;
    if intent == Intent::Ack {
        let id =
            reply_to.ok_or_else(|| Refusal::field("replyTo", "expected the message that was understood"))?;
        let message = team.on_mail(|mail| mail.acknowledge(&id, team.actor))?;
        return Ok(json!(SentAnswer { message: (&message).into(), delivery: Vec::new() }));
    }
    let to = to.ok_or_else(|| {
        Refusal::field("to", "expected to whom it goes: a session, a runtime, a role, or `operator`")
    })?;
    let sessions = Sessions::read(team.gate, &team.now)?;
    let addressed = names.address(&to, &sessions)?;
    let new = NewMessage { to, addressed, intent, urgent, body, reply_to };
    let sent = team.on_mail(|mail| mail.send(&new, team.actor))?;
    Ok(json!(SentAnswer { message: (&sent).into(), delivery: delivery(&sent, &sessions) }))
}

/// How it comes to a session, and what a person is told of that.
fn how(sent: &Message, to: Option<&Session>) -> (&'static str, &'static str) {
    if sent.dropped.is_some() {
        return ("none", "it was not sent");
    }
    let has_hooks = to.and_then(|to| named(to.runtime.as_deref()?)).is_some();
    match to.map(|to| to.activity) {
        _ if !has_hooks => ("none", BY_ASKING),
        Some(Activity::Working | Activity::Waiting | Activity::Paused) if sent.urgent => {
            ("next-hook", NEXT_CALL)
        }
        _ => ("next-hook", NEXT_TURN),
    }
}

/// How it comes to each.
fn delivery(sent: &Message, sessions: &Sessions) -> Vec<Delivery> {
    let one = |to: &Recipient| {
        let known =
            sessions.alive().find(|known| known.instance == to.instance && known.session == to.session);
        let (how, why) = how(sent, known);
        Delivery {
            session: to.session.clone(),
            activity: known.map(|known| known.activity).unwrap_or_default(),
            since: known.map(|known| known.activity_since.clone()),
            how,
            why,
        }
    };
    sent.recipients.iter().map(one).collect()
}

/// `inbox`: the newest messages for whoever asks, which count as shown no more than before.
pub(super) fn inbox(desk: &Desk<'_>, asker: &Asker, request: Value) -> Result<Value, Refusal> {
    let Inbox { limit: wanted } = read(request)?;
    let wanted = limit(wanted, LISTED)?;
    let actor = desk.actor(asker)?;
    let standing = desk.source.standing(&Action::Message, &desk.now)?;
    let mail = Mail::new(&standing, desk.now);
    let mut all = mail.inbox(&actor);
    all.reverse();
    let next = all.get(wanted).map(|message| message.id.clone());
    let shown = all.iter().take(wanted);
    let messages =
        shown.map(|message| MessageRow::of(message, message.receipt(&actor.who, desk.now.wall_ms))).collect();
    Ok(json!(Messages { messages, unread: mail.unread(&actor), next }))
}

/// `drain`: the oldest messages that were not shown yet; they count as shown, unless the request says otherwise.
pub(super) fn drain(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Drain { limit: wanted, shown } = read(request)?;
    let wanted = limit(wanted, LISTED)?;
    let team = writing.team();
    team.check_on(false)?;
    let (due, unread) = team.on_mail(|mail| {
        let due = mail.drain(team.actor, wanted);
        if shown {
            let ids: Vec<String> = due.iter().map(|message| message.id.clone()).collect();
            mail.shown(&ids, team.actor);
            return Ok((due, mail.unread(team.actor)));
        }
        let unread = mail.unread(team.actor).saturating_sub(due.len());
        Ok((due, unread))
    })?;
    let messages = due.iter().map(|message| MessageRow::of(message, Receipt::Shown)).collect();
    Ok(json!(Messages { messages, unread, next: None }))
}

/// `shown`: these messages count as shown.
pub(super) fn shown(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Shown { ids } = read(request)?;
    let team = writing.team();
    team.check_on(false)?;
    let shown = team.on_mail(|mail| Ok(mail.shown(&ids, team.actor)))?;
    Ok(json!(ShownAnswer { shown }))
}
