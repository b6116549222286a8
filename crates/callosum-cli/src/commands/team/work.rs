//! `callosum work`: claims accepted tasks for a runtime, and has its program do each.

mod program;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use callosum_core::gate::{Gate, Presence};
use callosum_core::query::Source;
use callosum_core::record::SessionEvent;
use callosum_team::api::Desk;
use callosum_team::error::Refusal;
use callosum_team::names::Names;
use callosum_team::task::{Board, Claim, IDLE_MS, State, Task};
use callosum_team::team::{self, Team};
use callosum_team::who::Actor;
use callosum_team::work;
use rustix::process::Signal;
use serde_json::json;
use shlex::Quoter;

use crate::args::Args;
use crate::commands::caller::caller;
use crate::output::{Failure, json, long, name, said};

use self::program::Program;
use super::words::Work;
use super::{Answer, Unable, looking, only_a_person};

/// How often is looked whether the program has ended, whether there is something new in the journal, and whether the task still is
/// this worker's.
const LOOK: Duration = Duration::from_millis(200);
const LOOK_AT_JOURNAL: Duration = Duration::from_secs(1);
const LOOK_AT_TASK: Duration = Duration::from_secs(2);
/// How often a worker without a task looks for one though nothing was written: a holder may have died.
const LOOK_FOR_LOST: Duration = Duration::from_secs(10);
/// How often it says that it is still at it.
const BEAT: Duration = Duration::from_millis(IDLE_MS / 3);

pub(super) fn run(args: &Args, wanted: &Work, out: &mut dyn Write) -> Answer {
    let (view, now) = looking(args)?;
    only_a_person(&caller(&view, &now)?.actor()?, "starts a worker")?;
    let names = Names::of(&Desk::of_view(&view, now).routes()?);
    let worker = Worker {
        args,
        program: Program::of(wanted.runtime, &wanted.words, folder(wanted.cwd.as_deref())?)?,
        actor: work::actor(wanted.runtime.name(), &names, view.machine()),
        command: command(args)?,
        is_stopped: stopped()?,
    };
    worker.on_board(|_, team| Ok(team.check_on(false)?))?;
    worker.tells(SessionEvent::Start)?;
    let mut ended = 0;
    while wanted.max.is_none_or(|max| ended < max) && !worker.is_stopped() {
        let Some(task) = worker.claim()? else {
            out.flush()?;
            worker.rest()?;
            continue;
        };
        if !args.global.json {
            writeln!(out, "Task {}, attempt {}: {}", name(&task.id), task.attempt, said(&task.title))?;
            out.flush()?;
        }
        worker.tells(SessionEvent::Prompt)?;
        if let Some(task) = worker.work(&task)? {
            tell(args, &task, out)?;
            ended += u32::from(task.state.is_over());
        }
        worker.tells(SessionEvent::Idle)?;
    }
    worker.tells(SessionEvent::End)?;
    Ok(ExitCode::SUCCESS)
}

/// Tells what has become of a task.
fn tell(args: &Args, task: &Task, out: &mut dyn Write) -> Result<(), Unable> {
    if args.global.json {
        json(out, &json!({ "task": task }))?;
    } else {
        let why = task.why.as_deref().map(|why| format!(": {}", said(why))).unwrap_or_default();
        writeln!(out, "Task {}: {}{why}", name(&task.id), task.state.name())?;
    }
    Ok(out.flush()?)
}

/// The folder in which tasks are done.
fn folder(wanted: Option<&Path>) -> Result<PathBuf, Failure> {
    let folder = std::path::absolute(wanted.unwrap_or(Path::new(".")))?;
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Failure::CantLook {
        fragment: format!("`{}` is no folder", long(&folder.display().to_string())),
        remedy: "give `--cwd` the folder in which tasks are to be done".to_owned(),
    })
}

/// This program on this state directory, as a shell takes it.
fn command(args: &Args) -> Result<String, Failure> {
    let program = std::env::current_exe()?;
    let mut words = vec![program.display().to_string()];
    if let Some(state_dir) = &args.global.state_dir {
        words.extend(["--state-dir".to_owned(), std::path::absolute(state_dir)?.display().to_string()]);
    }
    let words = words.iter().map(String::as_str);
    Quoter::new().join(words).map_err(|_| Failure::CantLook {
        fragment: "this program or the state directory has a path that no shell can be given".to_owned(),
        remedy: "use paths without NUL".to_owned(),
    })
}

/// Set once a person or the system wants this to end.
fn stopped() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::<AtomicBool>::default();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        signal_hook::flag::register(signal.as_raw(), Arc::clone(&flag))?;
    }
    Ok(flag)
}

struct Worker<'a> {
    args: &'a Args,
    program: Program,
    actor: Actor,
    command: String,
    is_stopped: Arc<AtomicBool>,
}

impl Worker<'_> {
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Does something by a gate of its own: between two of these nothing is open.
    fn on_board<T>(&self, work: impl FnOnce(&Self, &Team<'_>) -> Result<T, Unable>) -> Result<T, Unable> {
        let gate = Gate::new(super::super::options(self.args)?);
        let now = gate.machine().now();
        let done = work(self, &Team { gate: &gate, actor: &self.actor, now });
        gate.close(&now);
        done
    }

    /// Says what it does, as a session of the runtime: in `callosum sessions` it works, waits or has ended.
    fn tells(&self, event: SessionEvent) -> Result<(), Unable> {
        let who = &self.actor.who;
        let presence = Presence {
            session: who.session.clone(),
            agent: None,
            event,
            reason: None,
            cwd: self.program.folder().to_str().map(str::to_owned),
            needs_trust: false,
        };
        self.on_board(|_, team| {
            team.gate.presence_as(&who.instance, &who.runtime, &presence, &team.now);
            Ok(())
        })
    }

    fn decide(
        &self,
        decide: impl Fn(&mut Board<'_>, &Actor) -> Result<Task, Refusal>,
    ) -> Result<Task, Unable> {
        self.on_board(|worker, team| Ok(team.on_tasks(|board| decide(board, &worker.actor))?))
    }

    /// The next task. The guard is taken only where there is one.
    fn claim(&self) -> Result<Option<Task>, Unable> {
        let (view, now) = looking(self.args)?;
        let tasks = team::tasks(&view, view.machine(), &now)?;
        if !tasks.iter().any(|task| work::is_for(task, &self.actor)) {
            return Ok(None);
        }
        self.on_board(|worker, team| Ok(team.on_tasks(|board| board.claim(&Claim::Next, &worker.actor))?))
    }

    /// Waits until there may be a task again.
    fn rest(&self) -> Result<(), Unable> {
        let head = || -> Result<u64, Unable> {
            let (view, now) = looking(self.args)?;
            Ok(view.head(&now)?.head)
        };
        let (began, at) = (Instant::now(), head()?);
        while began.elapsed() < LOOK_FOR_LOST && !self.is_stopped() {
            let looked = Instant::now();
            while looked.elapsed() < LOOK_AT_JOURNAL && !self.is_stopped() {
                thread::sleep(LOOK);
            }
            if head()? != at {
                break;
            }
        }
        Ok(())
    }

    /// Has the program do a task, and ends it. `None` where it was not this worker's to the end.
    fn work(&self, task: &Task) -> Result<Option<Task>, Unable> {
        let (id, generation) = (task.id.as_str(), Some(task.generation));
        let started = self.program.start(&work::prompt(id, &self.command));
        let mut running = match started {
            Ok(running) => running,
            Err(failure) => {
                self.decide(|board, actor| board.release(id, generation, actor))?;
                return Err(failure.into());
            }
        };
        let (mut looked, mut beaten) = (Instant::now(), Instant::now());
        let ran = loop {
            if let Some(ran) = running.has_ended()? {
                break ran;
            }
            if self.is_stopped() {
                running.stop();
                return Ok(Some(self.decide(|board, actor| board.release(id, generation, actor))?));
            }
            if looked.elapsed() >= LOOK_AT_TASK {
                looked = Instant::now();
                if !self.still_has(task) {
                    running.stop();
                    return Ok(None);
                }
            }
            if beaten.elapsed() >= BEAT {
                beaten = Instant::now();
                // What can't be written now may be the next time.
                let _ = self.decide(|board, actor| board.beat(id, generation, actor));
            }
            thread::sleep(LOOK);
        };
        if ran.was_not_run() {
            self.decide(|board, actor| board.release(id, generation, actor))?;
            return Err(self.program.could_not_run(&ran.errors).into());
        }
        let output = task.output_file.as_deref().map(|file| self.program.folder().join(file).exists());
        let task = Task { output_exists: output, ..task.clone() };
        match self.decide(|board, actor| ran.end(board, &task, actor)) {
            Err(Unable::Refused(refusal)) if !refusal.cannot_be_done() => Ok(None),
            ended => ended.map(Some),
        }
    }

    /// Whether nobody took the task meanwhile or called it off. Where that can't be looked at, nobody did.
    fn still_has(&self, task: &Task) -> bool {
        let Ok((view, now)) = looking(self.args) else { return true };
        let Ok(stands) = team::task(&view, view.machine(), &task.id, &now) else { return true };
        let is_held = stands.state.is_held() || stands.state == State::Stalled;
        is_held && stands.generation == task.generation
    }
}
