//! `callosum send`, `inbox` and `ack`.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use callosum_core::query::{Activity, Session, Source};
use callosum_core::record::Action;
use callosum_runtimes::named;
use callosum_team::message::{Intent, Mail, Message, NewMessage, Recipient};
use callosum_team::team::Sessions;
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{json, local_time, name, said};

use super::words::{self, Send};
use super::{Answer, Writer, caller, looking, names, routes};

/// How a message comes to a session whose runtime has no hooks of ours.
const BY_ASKING: &str = "it reads its messages with `callosum inbox`";
/// To who is in a turn, to who is not, and to who should not wait.
const NEXT_TURN: &str = "waits for its next turn: a hook says then that there is mail";
const NEXT_CALL: &str = "a hook says so after its next tool call";

pub(super) fn send(args: &Args, message: &Send, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    let sessions = Sessions::read(&writer.gate, &writer.now)?;
    let new = NewMessage {
        to: message.to.clone(),
        addressed: writer.names.address(&message.to, &sessions)?,
        intent: match message.intent {
            words::Intent::Request => Intent::Request,
            words::Intent::Inform => Intent::Inform,
        },
        urgent: message.urgent,
        body: message.body.clone(),
        reply_to: message.reply_to.clone(),
    };
    let sent = team.on_mail(|mail| mail.send(&new, &writer.actor))?;
    if args.global.json {
        json(out, &json!({ "message": head(&sent), "delivery": delivery(&sent, &sessions) }))?;
    } else if let Some(why) = &sent.dropped {
        writeln!(out, "Not sent: {why}.")?;
    } else {
        let named = sent.recipients.iter().filter(|to| !to.session.is_empty());
        let to: Vec<String> = named.map(|to| name(&to.session)).collect();
        let to = if to.is_empty() { name(&sent.to) } else { to.join(", ") };
        let hows: BTreeSet<&str> =
            sent.recipients.iter().map(|to| how(&sent, known(to, &sessions)).1).collect();
        let how = hows.into_iter().collect::<Vec<_>>().join("; or ");
        let how = if how.is_empty() { NEXT_TURN.to_owned() } else { how };
        writeln!(out, "Sent as {} to {to}: {how}.", name(&sent.id))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the sender is told of its message.
fn head(sent: &Message) -> Value {
    json!({
        "id": sent.id, "thread": sent.thread, "intent": sent.intent, "urgent": sent.urgent,
        "expiresAt": sent.expires_at, "dropped": sent.dropped,
    })
}

fn known<'s>(to: &Recipient, sessions: &'s Sessions) -> Option<&'s Session> {
    sessions.alive().find(|known| known.instance == to.instance && known.session == to.session)
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
fn delivery(sent: &Message, sessions: &Sessions) -> Value {
    let one = |to: &Recipient| {
        let known = known(to, sessions);
        let (how, why) = how(sent, known);
        json!({
            "session": to.session,
            "activity": known.map(|known| known.activity).unwrap_or_default(),
            "since": known.map(|known| known.activity_since.clone()),
            "how": how,
            "why": why,
        })
    };
    sent.recipients.iter().map(one).collect()
}

pub(super) fn inbox(args: &Args, drain: bool, limit: usize, out: &mut dyn Write) -> Answer {
    if drain {
        return drained(args, limit, out);
    }
    let (observer, now) = looking(args)?;
    let mut actor = caller(&observer, &now)?.actor()?;
    names(&routes(observer.state_dir())?).name(&mut actor);
    let standing = observer.standing(&Action::Message, &now)?;
    let mail = Mail::new(&standing, now);
    let mut all = mail.inbox(&actor);
    all.reverse();
    let next = all.get(limit).map(|message| message.id.clone());
    all.truncate(limit);
    let rows: Vec<Value> =
        all.iter().map(|message| row(message, message.receipt(&actor.who, now.wall_ms))).collect();
    print(args, &rows, mail.unread(&actor), next.as_deref(), out)
}

/// Shows what was not shown yet, and says afterwards that it was: never the other way round.
fn drained(args: &Args, limit: usize, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    let (due, unread) = team.on_mail(|mail| {
        let due = mail.drain(&writer.actor, limit);
        let unread = mail.unread(&writer.actor);
        Ok((due, unread))
    })?;
    let rows: Vec<Value> =
        due.iter().map(|message| row(message, callosum_team::message::Receipt::Shown)).collect();
    let code = print(args, &rows, unread.saturating_sub(due.len()), None, out)?;
    out.flush()?;
    let ids: Vec<String> = due.into_iter().map(|message| message.id).collect();
    if !ids.is_empty() {
        team.on_mail(|mail| {
            mail.shown(&ids, &writer.actor);
            Ok(())
        })?;
    }
    Ok(code)
}

fn row(message: &Message, receipt: callosum_team::message::Receipt) -> Value {
    json!({
        "id": message.id, "thread": message.thread, "from": message.from, "intent": message.intent,
        "urgent": message.urgent, "body": message.body, "at": message.at, "state": receipt,
    })
}

fn print(args: &Args, rows: &[Value], unread: usize, next: Option<&str>, out: &mut dyn Write) -> Answer {
    if args.global.json {
        json(out, &json!({ "messages": rows, "unread": unread, "next": next }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        writeln!(out, "There are no messages.")?;
    }
    let text =
        |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    for message in rows {
        let from = message.get("from").cloned().unwrap_or_default();
        let from =
            if text(&from, "session").is_empty() { text(&from, "instance") } else { text(&from, "session") };
        let (id, state, at) = (text(message, "id"), text(message, "state"), text(message, "at"));
        writeln!(
            out,
            "{}  {} from {} ({}, {})",
            name(&id),
            text(message, "intent"),
            name(&from),
            local_time(&at),
            state
        )?;
        for line in text(message, "body").lines() {
            writeln!(out, "  | {}", said(line))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn acknowledge(args: &Args, id: &str, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    let message = team.on_mail(|mail| mail.acknowledge(id, &writer.actor))?;
    if args.global.json {
        json(out, &json!({ "message": head(&message) }))?;
    } else {
        writeln!(out, "Acknowledged {}.", name(&message.id))?;
    }
    Ok(ExitCode::SUCCESS)
}
