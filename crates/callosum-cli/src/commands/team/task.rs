//! `callosum task` and `callosum route`.

use std::io::Write;
use std::process::ExitCode;

use callosum_team::error::{Code, Refusal};
use callosum_team::route::duration_ms;
use callosum_team::task::{Board, Claim, NewTask, State, Task};
use callosum_team::team::{self, Sessions};
use callosum_team::who::Actor;
use serde_json::json;

use crate::args::Args;
use crate::output::{json, local_time, name, said, table};

use super::words::{Add, Held, Routed, TaskVerb};
use super::{Answer, Writer, looking, names, routes};

pub(super) fn run(args: &Args, verb: &TaskVerb, out: &mut dyn Write) -> Answer {
    match verb {
        TaskVerb::List { state, limit } => list(args, state.as_deref(), *limit as usize, out),
        TaskVerb::Ready => {
            let (observer, now) = looking(args)?;
            let ready = team::ready(team::tasks(&observer, observer.machine(), &now)?);
            show_all(args, ready, usize::MAX, out)
        }
        TaskVerb::Show { id } => {
            let (observer, now) = looking(args)?;
            let task = team::task(&observer, observer.machine(), id, &now)?;
            show(args, task, out)
        }
        TaskVerb::Add(add) => make(args, add, out),
        TaskVerb::Claim { id, .. } => claim(args, id.as_deref(), out),
        TaskVerb::Done { held, result } => {
            decide(args, out, |board, actor| board.done(&held.id, held.generation, result.as_deref(), actor))
        }
        TaskVerb::Fail { held, why } => {
            decide(args, out, |board, actor| board.fail(&held.id, held.generation, why.as_deref(), actor))
        }
        TaskVerb::Handoff { held, to, why } => hand_off(args, held, to, why.as_deref(), out),
        TaskVerb::Release(held) => {
            decide(args, out, |board, actor| board.release(&held.id, held.generation, actor))
        }
        TaskVerb::Input { held, question } => {
            decide(args, out, |board, actor| board.input(&held.id, held.generation, question, actor))
        }
        TaskVerb::Cancel { id, why } => {
            decide(args, out, |board, actor| board.cancel(id, why.as_deref(), actor))
        }
        TaskVerb::Beat(held) => {
            decide(args, out, |board, actor| board.beat(&held.id, held.generation, actor))
        }
        TaskVerb::Accept { id } => decide(args, out, |board, actor| board.accept(id, true, actor)),
        TaskVerb::Reject { id } => decide(args, out, |board, actor| board.accept(id, false, actor)),
    }
}

/// Does something to one task, and shows it.
fn decide(
    args: &Args,
    out: &mut dyn Write,
    decide: impl Fn(&mut Board<'_>, &Actor) -> Result<Task, Refusal>,
) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    let task = team.on_tasks(|board| decide(board, &writer.actor))?;
    show(args, task, out)
}

fn make(args: &Args, add: &Add, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(true)?;
    let mut new = NewTask {
        id: add.id.clone(),
        title: add.title.clone(),
        prompt: add.prompt.clone().unwrap_or_default(),
        category: add.category.clone(),
        files: add.files.clone(),
        deps: add.deps.clone(),
        blocks: add.blocks.clone(),
        to: add.to.clone(),
        priority: Some(add.priority),
        // Whoever shows it may be in another folder.
        output_file: add.output_file.as_deref().map(absolute),
        sla_ms: add.sla.map(|sla| u64::try_from(sla.as_millis()).unwrap_or(u64::MAX)),
        ..NewTask::default()
    };
    if add.route {
        let text = format!("{} {}", new.title, new.prompt);
        let routed = routes(writer.gate.state_dir())?.route(&text, new.category.as_deref(), &new.files);
        new.to = routed.agent;
        new.category = new.category.or(routed.category);
        new.sla_ms = new.sla_ms.or_else(|| duration_ms(routed.sla.as_deref()?));
    }
    if let Some(to) = &new.to {
        writer.names.check_assignee(to, &Sessions::read(&writer.gate, &writer.now)?)?;
    }
    let task = team.on_tasks(|board| board.add(&new, &writer.actor))?;
    show(args, task, out)
}

fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

fn hand_off(args: &Args, held: &Held, to: &str, why: Option<&str>, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    writer.names.check_assignee(to, &Sessions::read(&writer.gate, &writer.now)?)?;
    let task = team.on_tasks(|board| board.hand_off(&held.id, held.generation, to, why, &writer.actor))?;
    show(args, task, out)
}

fn claim(args: &Args, id: Option<&str>, out: &mut dyn Write) -> Answer {
    let writer = Writer::new(args)?;
    let team = writer.team();
    team.check_on(false)?;
    let wanted = id.map_or(Claim::Next, |id| Claim::Id(id.to_owned()));
    match team.on_tasks(|board| board.claim(&wanted, &writer.actor))? {
        Some(task) => show(args, task, out),
        None => {
            if args.global.json {
                json(out, &json!({ "task": null }))?;
            } else {
                writeln!(out, "There is nothing to claim.")?;
            }
            Ok(ExitCode::from(1))
        }
    }
}

fn list(args: &Args, state: Option<&str>, limit: usize, out: &mut dyn Write) -> Answer {
    let (observer, now) = looking(args)?;
    let wanted = match state {
        None => None,
        Some(text) => Some(State::named(text).ok_or_else(|| {
            let message = format!("`{}` is no state of a task", name(text));
            Refusal::new(
                Code::Unknown,
                message,
                "use open, claimed, blocked, input-required, lost or stalled",
            )
        })?),
    };
    let mut tasks = team::tasks(&observer, observer.machine(), &now)?;
    // What is over stands only while something waits for it.
    tasks.retain(|task| wanted.map_or(!task.state.is_over(), |state| task.state == state));
    show_all(args, tasks, limit, out)
}

fn show_all(args: &Args, mut tasks: Vec<Task>, limit: usize, out: &mut dyn Write) -> Answer {
    let next = tasks.get(limit).map(|task| task.id.clone());
    tasks.truncate(limit);
    if args.global.json {
        json(out, &json!({ "tasks": tasks, "next": next }))?;
    } else if tasks.is_empty() {
        writeln!(out, "There is no such task.")?;
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

fn show(args: &Args, mut task: Task, out: &mut dyn Write) -> Answer {
    task.look_at_output();
    if args.global.json {
        json(out, &json!({ "task": task }))?;
        return Ok(ExitCode::SUCCESS);
    }
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
    Ok(ExitCode::SUCCESS)
}

/// `callosum route`: whom a text would go to.
pub(super) fn route(args: &Args, asked: &Routed, out: &mut dyn Write) -> Answer {
    let (observer, now) = looking(args)?;
    let routes = routes(observer.state_dir())?;
    let names = names(&routes);
    let routed = routes.route(&asked.text, asked.category.as_deref(), &asked.files);
    let mut present: Vec<String> = Sessions::read(&observer, &now)
        .map_err(Refusal::from)?
        .alive()
        .filter_map(|session| session.runtime.clone())
        .collect();
    present.sort();
    present.dedup();
    let runtime = |agent: &Option<String>| {
        agent.as_deref().map(|agent| names.runtime(agent).unwrap_or(agent).to_owned())
    };
    let (agent, fallback) = (runtime(&routed.agent), runtime(&routed.fallback));
    if args.global.json {
        // Nothing tells yet that a runtime was limited, so none cools down.
        json(
            out,
            &json!({
                "agent": agent, "fallback": fallback, "sla": routed.sla, "category": routed.category,
                "rule": routed.rule, "present": present, "cooling": [],
            }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    match (&agent, &routed.rule) {
        (Some(agent), Some(rule)) => {
            writeln!(out, "{}: {}", name(agent), said(&rule.why))?;
            if let Some(fallback) = &fallback {
                writeln!(out, "  else {}", name(fallback))?;
            }
            if let Some(sla) = &routed.sla {
                writeln!(out, "  within {}", said(sla))?;
            }
        }
        _ => writeln!(out, "No route is for that: anybody may take it.")?,
    }
    let here: Vec<String> = present.iter().map(|runtime| name(runtime)).collect();
    writeln!(out, "  here now: {}", if here.is_empty() { "nobody".to_owned() } else { here.join(", ") })?;
    Ok(ExitCode::SUCCESS)
}
