//! `callosum send`, `inbox` and `ack`.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use callosum_team::who::Who;
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{json, local_time, name, said};

use super::words::{self, Send};
use super::{Answer, Unable, ask, typed};

fn text_at<'v>(answer: &'v Value, pointer: &str) -> &'v str {
    answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn rows(answer: &Value) -> &[Value] {
    answer.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn send(args: &Args, message: &Send, out: &mut dyn Write) -> Answer {
    let intent = match message.intent {
        words::Intent::Request => "request",
        words::Intent::Inform => "inform",
    };
    let request = json!({
        "to": message.to, "intent": intent, "urgent": message.urgent, "body": message.body,
        "replyTo": message.reply_to,
    });
    let sent = ask(args, "send", request)?;
    if args.global.json {
        json(out, &sent)?;
    } else if let Some(why) = sent.pointer("/message/dropped").and_then(Value::as_str) {
        writeln!(out, "Not sent: {why}.")?;
    } else {
        let delivery = sent.get("delivery").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let named = delivery.iter().map(|to| text_at(to, "/session")).filter(|session| !session.is_empty());
        let to: Vec<String> = named.map(name).collect();
        let to = if to.is_empty() { name(&message.to) } else { to.join(", ") };
        let hows: BTreeSet<&str> = delivery.iter().map(|to| text_at(to, "/why")).collect();
        let how = hows.into_iter().collect::<Vec<_>>().join("; or ");
        let how = if how.is_empty() { BY_ROLE } else { &how };
        writeln!(out, "Sent as {} to {to}: {}.", name(text_at(&sent, "/message/id")), said(how))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How a message comes to a role.
const BY_ROLE: &str = "whoever has that role reads it with `callosum inbox`";

pub(super) fn inbox(args: &Args, drain: bool, limit: usize, out: &mut dyn Write) -> Answer {
    let request = json!({ "limit": limit });
    if !drain {
        print(args, &ask(args, "inbox", request)?, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    // Shows what was not shown yet, and says afterwards that it was: never the other way round.
    let due = ask(args, "drain", request)?;
    print(args, &due, out)?;
    out.flush()?;
    let ids: Vec<&str> = rows(&due).iter().map(|message| text_at(message, "/id")).collect();
    if !ids.is_empty() {
        ask(args, "shown", json!({ "ids": ids }))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(args: &Args, answer: &Value, out: &mut dyn Write) -> Result<(), Unable> {
    if args.global.json {
        json(out, answer)?;
        return Ok(());
    }
    let rows = rows(answer);
    if rows.is_empty() {
        writeln!(out, "There are no messages.")?;
    }
    let text =
        |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    for message in rows {
        // A session may be called as if it were a person.
        let from: Who = typed(message, "from")?;
        let (id, state, at) = (text(message, "id"), text(message, "state"), text(message, "at"));
        writeln!(
            out,
            "{}  {} from {} ({}, {})",
            name(&id),
            text(message, "intent"),
            from.for_people(),
            local_time(&at),
            state
        )?;
        for line in text(message, "body").lines() {
            writeln!(out, "  | {}", said(line))?;
        }
    }
    Ok(())
}

pub(super) fn acknowledge(args: &Args, id: &str, out: &mut dyn Write) -> Answer {
    let answer = ask(args, "send", json!({ "intent": "ack", "replyTo": id }))?;
    if args.global.json {
        json(out, &json!({ "message": answer.get("message") }))?;
    } else {
        writeln!(out, "Acknowledged {}.", name(text_at(&answer, "/message/id")))?;
    }
    Ok(ExitCode::SUCCESS)
}
