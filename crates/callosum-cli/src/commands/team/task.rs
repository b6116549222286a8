//! `callosum task` and `callosum route`.

use std::io::Write;
use std::process::ExitCode;

use callosum_team::task::Task;
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{json, local_time, name, said, table};

use super::words::{Add, Routed, TaskVerb};
use super::{Answer, Unable, ask, typed};

pub(super) fn run(args: &Args, verb: &TaskVerb, out: &mut dyn Write) -> Answer {
    let (verb, request) = match verb {
        TaskVerb::List { state, limit } => {
            let answer = ask(args, "tasks", json!({ "state": state, "limit": limit }))?;
            let none = state
                .as_deref()
                .map_or_else(|| "No task is open.".to_owned(), |state| format!("No task is {state}."));
            return show_all(args, &answer, &none, out);
        }
        TaskVerb::Ready => {
            return show_all(args, &ask(args, "ready", Value::Null)?, "No task may be claimed now.", out);
        }
        TaskVerb::Show { id } => ("task", json!({ "id": id })),
        TaskVerb::Add(add) => ("add", made(add)),
        TaskVerb::Claim { id, next } => ("claim", json!({ "id": id, "next": next })),
        TaskVerb::Done { held, result } => {
            ("done", json!({ "id": held.id, "gen": held.generation, "result": result }))
        }
        TaskVerb::Fail { held, why } => {
            ("fail", json!({ "id": held.id, "gen": held.generation, "why": why }))
        }
        TaskVerb::Handoff { held, to, why } => {
            ("handoff", json!({ "id": held.id, "gen": held.generation, "to": to, "why": why }))
        }
        TaskVerb::Release(held) => ("release", json!({ "id": held.id, "gen": held.generation })),
        TaskVerb::Input { held, question } => {
            ("input", json!({ "id": held.id, "gen": held.generation, "question": question }))
        }
        TaskVerb::Cancel { id, why } => ("cancel", json!({ "id": id, "why": why })),
        TaskVerb::Beat(held) => ("beat", json!({ "id": held.id, "gen": held.generation })),
        TaskVerb::Accept { id } => ("accept", json!({ "id": id })),
        TaskVerb::Reject { id } => ("reject", json!({ "id": id })),
    };
    let answer = ask(args, verb, request)?;
    let has_task = answer.get("task").is_some_and(|task| !task.is_null());
    if args.global.json {
        json(out, &answer)?;
    } else if has_task {
        show(&typed(&answer, "task")?, out)?;
    } else {
        writeln!(out, "There is nothing to claim.")?;
    }
    Ok(if has_task { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn made(add: &Add) -> Value {
    json!({
        "id": add.id,
        "title": add.title,
        "prompt": add.prompt.clone().unwrap_or_default(),
        "category": add.category,
        "files": add.files,
        "deps": add.deps,
        "blocks": add.blocks,
        "to": add.to,
        "route": add.route,
        "priority": add.priority,
        // Whoever shows it may be in another folder.
        "outputFile": add.output_file.as_deref().map(absolute),
        "sla": add.sla.map(|sla| format!("{}s", sla.as_secs())),
    })
}

fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

fn show_all(args: &Args, answer: &Value, none: &str, out: &mut dyn Write) -> Answer {
    if args.global.json {
        json(out, answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let tasks: Vec<Task> = typed(answer, "tasks")?;
    if tasks.is_empty() {
        writeln!(out, "{none}")?;
    } else {
        let rows = tasks.iter().map(|task| {
            let holder = task.holder.as_ref().map(|holder| holder.who().for_people()).unwrap_or_default();
            let late = if task.late { ", late" } else { "" };
            vec![
                name(&task.id),
                format!("{}{late}", task.state.name()),
                task.priority.to_string(),
                task.to.as_deref().map(name).unwrap_or_default(),
                holder,
                said(&task.title),
            ]
        });
        table(out, None, &["TASK", "STATE", "PRIORITY", "FOR", "CLAIMED BY", "TITLE"], rows)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(task: &Task, out: &mut dyn Write) -> Result<(), Unable> {
    let why = task.why.as_deref().map(|why| format!(": {}", said(why))).unwrap_or_default();
    writeln!(out, "{}  {}{why}", name(&task.id), task.state.name())?;
    writeln!(out, "  {}", said(&task.title))?;
    for line in task.prompt.lines().take(40) {
        writeln!(out, "  | {}", said(line))?;
    }
    if let Some(holder) = &task.holder {
        let since = local_time(&holder.claimed_at);
        let (generation, attempt) = (task.generation, task.attempt);
        writeln!(
            out,
            "  claimed by {} since {since}, generation {generation}, attempt {attempt}",
            holder.who().for_people()
        )?;
    }
    let made = if task.accepted { "" } else { ", not accepted" };
    writeln!(out, "  made by {} at {}{made}", task.by.for_people(), local_time(&task.created_at))?;
    if let Some(result) = &task.result {
        writeln!(out, "  result: {}", said(result))?;
    }
    if let (Some(file), Some(exists)) = (&task.output_file, task.output_exists) {
        writeln!(out, "  output: {} ({})", said(file), if exists { "there" } else { "not there" })?;
    }
    Ok(())
}

/// `callosum route`: whom a text would go to.
pub(super) fn route(args: &Args, asked: &Routed, out: &mut dyn Write) -> Answer {
    let request = json!({ "text": asked.text, "category": asked.category, "files": asked.files });
    let answer = ask(args, "route", request)?;
    if args.global.json {
        json(out, &answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
    match (text("/agent"), text("/rule/why")) {
        (Some(agent), Some(why)) => {
            writeln!(out, "{}: {}", name(agent), said(why))?;
            if let Some(fallback) = text("/fallback") {
                writeln!(out, "  else {}", name(fallback))?;
            }
            if let Some(sla) = text("/sla") {
                writeln!(out, "  within {}", said(sla))?;
            }
        }
        _ => writeln!(out, "No route is for that: anybody may take it.")?,
    }
    let here: Vec<String> = typed(&answer, "present")?;
    let here: Vec<String> = here.iter().map(|runtime| name(runtime)).collect();
    writeln!(out, "  here now: {}", if here.is_empty() { "nobody".to_owned() } else { here.join(", ") })?;
    Ok(ExitCode::SUCCESS)
}
