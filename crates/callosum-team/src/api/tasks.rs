//! Tasks.

use callosum_core::model::text::one_line;
use callosum_core::query::Source;
use callosum_core::record::Action;
use serde_json::{Value, json};

use crate::error::{Code, Refusal};
use crate::route::duration_ms;
use crate::switch;
use crate::task::{self, Board, NewTask, State, Task};
use crate::team::{self, Sessions, Team};
use crate::who::Actor;

use super::answers::{OneTask, TaskList};
use super::request::{Add, Claim, Done, Ended, Handoff, Held, Input, Nothing, OfTask, Tasks, limit, read};
use super::{Asker, Desk, Writing};

const LISTED: usize = 100;

fn told(mut task: Task) -> Value {
    task.look_at_output();
    json!(OneTask { task: Some(task) })
}

/// `tasks`: those that are not over, or those in one state, from one of them on.
pub(super) fn list(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let Tasks { state, from, limit: wanted } = read(request)?;
    let wanted = limit(wanted, LISTED)?;
    let state = match state.as_deref() {
        None => None,
        Some(text) => Some(State::named(text).ok_or_else(|| {
            let known = State::ALL.into_iter().filter(|state| !state.is_over()).map(State::name);
            let known = known.collect::<Vec<_>>().join(", ");
            Refusal::field(
                "state",
                format!("`{}` is no state of a task; expected one of {known}", one_line(text, 80)),
            )
        })?),
    };
    let mut tasks = team::tasks(desk.source, desk.machine, &desk.now)?;
    // What is over stands only while something waits for it.
    tasks.retain(|task| state.map_or(!task.state.is_over(), |state| task.state == state));
    if let Some(from) = from {
        let place = tasks.iter().position(|task| task.id == from);
        let place = place.ok_or_else(|| {
            let from = one_line(&from, 80);
            let message = format!("task `{from}` is not among them any more");
            Refusal::new(Code::Unknown, message, "begin again, without `from`")
        })?;
        tasks.drain(..place);
    }
    Ok(listed(tasks, wanted))
}

/// As many tasks as are wanted, and which one comes after them.
pub(super) fn listed(mut tasks: Vec<Task>, most: usize) -> Value {
    let next = tasks.get(most).map(|task| task.id.clone());
    tasks.truncate(most);
    tasks.iter_mut().for_each(Task::look_at_output);
    json!(TaskList { tasks, next })
}

/// `ready`: the tasks that may be claimed now.
pub(super) fn ready(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let Nothing {} = read(request)?;
    let ready = team::ready(team::tasks(desk.source, desk.machine, &desk.now)?);
    Ok(listed(ready, usize::MAX))
}

/// `task`: one task.
pub(super) fn show(desk: &Desk<'_>, _: &Asker, request: Value) -> Result<Value, Refusal> {
    let OfTask { id } = read(request)?;
    Ok(told(team::task(desk.source, desk.machine, &id, &desk.now)?))
}

/// `add`: a new task, for whom the request says or the routes.
pub(super) fn add(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let add: Add = read(request)?;
    let Writing { names, routes, .. } = writing;
    let team = writing.team();
    let sla_ms = match add.sla.as_deref() {
        None => None,
        Some(text) => Some(
            duration_ms(text)
                .ok_or_else(|| Refusal::field("sla", "expected a time such as `30m`, `2h` or `1d`"))?,
        ),
    };
    if add.route && add.to.is_some() {
        return Err(Refusal::field("route", "expected it without `to`: the routes say for whom it is"));
    }
    team.check_on(true)?;
    let mut new = NewTask {
        id: add.id,
        title: add.title,
        prompt: add.prompt,
        category: add.category,
        files: add.files,
        deps: add.deps,
        blocks: add.blocks,
        to: add.to,
        priority: add.priority,
        output_file: add.output_file,
        sla_ms,
        is_trusted: is_trusted(&team),
        ..NewTask::default()
    };
    if add.route {
        let text = format!("{} {}", new.title, new.prompt);
        let routed = routes.route(&text, new.category.as_deref(), &new.files);
        new.to = routed.agent;
        new.category = new.category.or(routed.category);
        new.sla_ms = new.sla_ms.or_else(|| duration_ms(routed.sla.as_deref()?));
    }
    if let Some(id) = &new.id
        && team.gate.newest_on(&Action::Task, id, &team.now)?.is_some()
    {
        // A person who has seen the one must not accept another one of its name.
        let message = format!("there was a task `{}` already", one_line(id, 80));
        return Err(Refusal::new(Code::Claimed, message, "give another id"));
    }
    if let Some(to) = new.to {
        new.to = Some(names.assignee(&to, &Sessions::read(team.gate, &team.now)?)?);
    }
    Ok(told(team.on_tasks(|board| board.add(&new, team.actor))?))
}

/// Whether a person has said that this one's tasks may be taken by whoever looks for one.
fn is_trusted(team: &Team<'_>) -> bool {
    let trusted = switch::wanted(team.gate.state_dir()).map(|wanted| wanted.task_trusted_agents);
    trusted.unwrap_or_default().iter().any(|name| team.actor.is_called(name))
}

/// `claim`: takes one task, or the next that is for whoever asks; `null` where none is.
pub(super) fn claim(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let wanted = match read(request)? {
        Claim { id: Some(id), next: false } => task::Claim::Id(id),
        Claim { id: None, next: true } => task::Claim::Next,
        Claim { .. } => return Err(Refusal::field("id", "expected either it or `next: true`")),
    };
    let team = writing.team();
    team.check_on(false)?;
    if let task::Claim::Id(id) = &wanted {
        check_not_over(&team, id)?;
    }
    let claimed = team.on_tasks(|board| board.claim(&wanted, team.actor))?;
    Ok(claimed.map_or_else(|| json!(OneTask { task: None }), told))
}

/// Does something to one task, and shows it.
fn decide(
    writing: &Writing<'_>,
    id: &str,
    decide: impl Fn(&mut Board<'_>, &Actor) -> Result<Task, Refusal>,
) -> Result<Value, Refusal> {
    let team = writing.team();
    team.check_on(false)?;
    check_not_over(&team, id)?;
    Ok(told(team.on_tasks(|board| decide(board, team.actor))?))
}

/// The board knows a task that is over no longer, and would take its id for the beginning of another one's.
fn check_not_over(team: &Team<'_>, id: &str) -> Result<(), Refusal> {
    let newest = team::newest_task(team.gate, id, &team.now)?;
    newest.filter(|task| task.state.is_over()).map_or(Ok(()), |task| Err(task::over(&task)))
}

/// `done`: ends a task with its result.
pub(super) fn done(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Done { id, generation, result } = read(request)?;
    decide(writing, &id, |board, actor| board.done(&id, generation, result.as_deref(), actor))
}

/// `fail`: ends a task that was not done.
pub(super) fn fail(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Ended { id, generation, why } = read(request)?;
    decide(writing, &id, |board, actor| board.fail(&id, generation, why.as_deref(), actor))
}

/// `handoff`: gives a claimed task to somebody else.
pub(super) fn hand_off(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Handoff { id, generation, to, why } = read(request)?;
    let Writing { names, .. } = writing;
    let team = writing.team();
    team.check_on(false)?;
    let to = names.assignee(&to, &Sessions::read(team.gate, &team.now)?)?;
    decide(writing, &id, |board, actor| board.hand_off(&id, generation, &to, why.as_deref(), actor))
}

/// `release`: gives up a claim, and leaves the task open.
pub(super) fn release(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Held { id, generation } = read(request)?;
    decide(writing, &id, |board, actor| board.release(&id, generation, actor))
}

/// `input`: asks a question that blocks the task until it is answered.
pub(super) fn input(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Input { id, generation, question } = read(request)?;
    decide(writing, &id, |board, actor| board.input(&id, generation, &question, actor))
}

/// `beat`: keeps a claim alive.
pub(super) fn beat(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let Held { id, generation } = read(request)?;
    decide(writing, &id, |board, actor| board.beat(&id, generation, actor))
}

/// `cancel`: calls a task off.
pub(super) fn cancel(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    // Whoever made it calls it off, whichever generation it is at.
    let Ended { id, why, .. } = read(request)?;
    decide(writing, &id, |board, actor| board.cancel(&id, why.as_deref(), actor))
}

/// `accept`: a person lets any worker claim the task.
pub(super) fn accept(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let OfTask { id } = read(request)?;
    decide(writing, &id, |board, actor| board.accept(&id, true, actor))
}

/// `reject`: a person does not want the task.
pub(super) fn reject(writing: &Writing<'_>, request: Value) -> Result<Value, Refusal> {
    let OfTask { id } = read(request)?;
    decide(writing, &id, |board, actor| board.accept(&id, false, actor))
}
