//! `callosum bridge`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use callosum_core::model::time::to_rfc3339;
use callosum_core::query::{Filter, Source};
use callosum_core::record::Action;
use callosum_team::bridge::{Bridge, Entry};
use callosum_team::error::{Code, Refusal};
use callosum_team::event::checked_data;
use callosum_team::message::Mail;
use callosum_team::task::{State, Task};
use callosum_team::team;
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{counted, json, long};

use super::words::BridgeVerb;
use super::{Answer, Writer};

/// Records that are looked through for tasks that are done, and for discoveries.
const LOOKED_AT: usize = 10_000;
const DISCOVERY: &str = "calc.discovery";

pub(super) fn run(args: &Args, verb: &BridgeVerb, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    writer.team().check_on(true)?;
    let (file, imports, accept, exports) = match verb {
        BridgeVerb::Export { file } => (file, false, false, true),
        BridgeVerb::Import { file, accept } => (file, true, *accept, false),
        BridgeVerb::Sync { file, accept } => (file, true, *accept, true),
    };
    let mut taken = 0;
    if imports {
        match Bridge::read(file)? {
            Some(bridge) => taken = import(&writer, &bridge, accept)?,
            // The first one that syncs makes it.
            None if exports => {}
            None => {
                let message = format!("`{}` is not there", long(&file.display().to_string()));
                return Err(Refusal::new(Code::Unknown, message, "give the path of a bridge file").into());
            }
        }
    }
    let written = if exports { export(&writer, file)? } else { 0 };
    if args.global.json {
        json(out, &json!({ "imported": taken, "exported": written }))?;
    } else {
        let (taken, written) = (counted(taken as u64, "task"), counted(written as u64, "task"));
        match verb {
            BridgeVerb::Export { .. } => writeln!(out, "Wrote {written}.")?,
            BridgeVerb::Import { .. } => writeln!(out, "Took over {taken}.")?,
            BridgeVerb::Sync { .. } => writeln!(out, "Took over {taken}, and wrote {written}.")?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the tasks over that are not known here, and keeps the rest of the file. Returns how many are new.
fn import(writer: &Writer, bridge: &Bridge, accept: bool) -> Result<usize, Refusal> {
    if accept && !writer.actor.may_accept {
        let message = "only a person at a terminal accepts tasks";
        return Err(Refusal::new(
            Code::NotYours,
            message,
            "leave out `--accept`, and accept them one by one",
        ));
    }
    let (team, state_dir) = (writer.team(), writer.gate.state_dir());
    let over = over(writer)?;
    let entries = bridge.entries(&writer.names)?;
    let taken = team.on_tasks(|board| {
        let mut taken = 0;
        for Entry { new, is_complete } in &entries {
            let id = new.id.as_deref().unwrap_or_default();
            match board.task(id) {
                // Somebody else did what nobody was at here.
                Some(task) if *is_complete && task.state == State::Open && writer.actor.is_operator() => {
                    board.done(id, None, None, &writer.actor)?;
                }
                Some(_) => {}
                None if *is_complete || over.iter().any(|known| known.id == id) => {}
                None => {
                    let mut new = new.clone();
                    new.is_unaccepted = !accept;
                    board.add(&new, &writer.actor)?;
                    taken += 1;
                }
            }
        }
        Ok(taken)
    })?;
    for found in bridge.discoveries(&Bridge::kept(state_dir)?) {
        let mut record = writer.actor.who.record(Action::Event, &writer.now);
        record.topic = Some(DISCOVERY.to_owned());
        record.document = Some(checked_data(found)?);
        team.publish(&record)?;
    }
    bridge.keep(state_dir)?;
    Ok(taken)
}

/// Writes the tasks, and what was found and said, into the file. Returns how many tasks.
fn export(writer: &Writer, file: &Path) -> Result<usize, Refusal> {
    let (gate, now, names) = (&writer.gate, &writer.now, &writer.names);
    let there = match Bridge::read(file)? {
        Some(there) => there,
        None => Bridge::kept(gate.state_dir())?,
    };
    let mut tasks = team::tasks(gate, gate.machine(), now)?;
    for task in over(writer)? {
        if !tasks.iter().any(|known| known.id == task.id) {
            tasks.push(task);
        }
    }
    let discoveries = recorded(writer, "event")?.into_iter().filter_map(|entry| {
        if entry.get("topic").and_then(Value::as_str) != Some(DISCOVERY) {
            return None;
        }
        let data = entry.get("document")?;
        // What came from a bridge file has its form.
        if data.get("content").is_some() {
            return Some(data.clone());
        }
        let source =
            entry.get("runtime").and_then(Value::as_str).map_or("callosum", |runtime| names.source(runtime));
        let content =
            data.get("body").and_then(Value::as_str).map_or_else(|| data.to_string(), str::to_owned);
        Some(json!({ "content": content, "source": source, "timestamp": entry.get("timestamp") }))
    });
    let standing = gate.standing(&Action::Message, now)?;
    let mail = Mail::new(&standing, *now);
    let messages = mail.all().into_iter().map(|message| {
        let from = if message.from.runtime.is_empty() { &message.from.instance } else { &message.from.runtime };
        let to = names.runtime(&message.to).unwrap_or(&message.to);
        json!({
            "from": names.source(from), "to": names.source(to), "content": message.body, "timestamp": message.at,
        })
    });
    let runtime = &writer.actor.who.runtime;
    let by = if runtime.is_empty() { "callosum" } else { names.source(runtime) };
    let at = to_rfc3339(now.wall_ms);
    let written = there.with(&tasks, discoveries.collect(), messages.collect(), names, by, &at);
    written.write(file)?;
    Ok(written.len())
}

fn recorded(writer: &Writer, action: &str) -> Result<Vec<Value>, Refusal> {
    let filter = json!({ "action": action, "limit": LOOKED_AT }).to_string();
    let filter = Filter::read(&filter).map_err(|why| Refusal::new(Code::Limit, why, "try again"))?;
    Ok(writer.gate.journal(&filter, &writer.now)?.entries)
}

/// The tasks that are over, as far back as is looked.
fn over(writer: &Writer) -> Result<Vec<Task>, Refusal> {
    let mut over: Vec<Task> = Vec::new();
    for entry in recorded(writer, "task")?.into_iter().rev() {
        let task = entry.get("document").cloned().and_then(|task| serde_json::from_value::<Task>(task).ok());
        if let Some(task) = task.filter(|task| task.state.is_over())
            && !over.iter().any(|known| known.id == task.id)
        {
            over.push(task);
        }
    }
    Ok(over)
}
