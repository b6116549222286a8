//! What may be done to a task, and by whom.

use std::collections::BTreeSet;

use callosum_core::model::text::{name as name_of, one_line};
use callosum_core::model::time::{from_rfc3339, to_rfc3339};
use callosum_core::record::RandomId;
use serde_json::{Map, Value, json};

use super::board::{Board, MAX_OPEN, MAX_OPEN_BY_MAKER};
use super::{MAX_ATTEMPTS, State, Task, TaskHolder};
use crate::error::{Code, Refusal};
use crate::text;
use crate::who::{Actor, Who};

/// Bytes of a title.
pub const TITLE_BYTES: usize = 200;
/// Bytes of a result and of other sentences.
pub const RESULT_BYTES: usize = 4 * 1024;
/// Bytes of a prompt, of names, of paths.
const PROMPT_BYTES: usize = 16 * 1024;
const NAME_BYTES: usize = 128;
const PATH_BYTES: usize = 1_024;
/// Files and dependencies that a task may name.
const MAX_FILES: usize = 64;
const MAX_DEPS: usize = 32;
/// Digits of an id of ours.
const ID_DIGITS: usize = 10;

/// A task to be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewTask {
    /// Its id, where it has one elsewhere.
    pub id: Option<String>,
    /// See [`Task`].
    pub title: String,
    /// See [`Task`].
    pub prompt: String,
    /// See [`Task`].
    pub category: Option<String>,
    /// See [`Task`].
    pub files: Vec<String>,
    /// See [`Task`].
    pub deps: Vec<String>,
    /// The task that is to wait for this one, besides those that do already.
    pub blocks: Option<String>,
    /// See [`Task`].
    pub to: Option<String>,
    /// See [`Task`].
    pub priority: Option<u32>,
    /// See [`Task`].
    pub output_file: Option<String>,
    /// See [`Task`].
    pub sla_ms: Option<u64>,
    /// When it was made elsewhere.
    pub created_at: Option<String>,
    /// It is accepted, though no person makes it: one has said that of all of its maker's.
    pub is_trusted: bool,
    /// It is not accepted, though a person makes it.
    pub is_unaccepted: bool,
    /// See [`Task`].
    pub bridge: Map<String, Value>,
}

/// Which task is wanted.
#[derive(Clone, Debug)]
pub enum Claim {
    /// This one.
    Id(String),
    /// The next that may be taken.
    Next,
}

impl Board<'_> {
    /// Makes a task.
    ///
    /// # Errors
    /// When a text is too long, a dependency is not known, it would wait for itself, or too many are open.
    pub fn add(&mut self, new: &NewTask, actor: &Actor) -> Result<Task, Refusal> {
        if self.open() >= MAX_OPEN {
            let message = format!("{MAX_OPEN} tasks are open");
            return Err(Refusal::new(Code::Limit, message, "end or cancel some first"));
        }
        // Few are open mostly: then nobody has to be looked for in all.
        let is_full = || self.open() >= MAX_OPEN_BY_MAKER && self.made_by(actor) >= MAX_OPEN_BY_MAKER;
        if !actor.is_operator() && is_full() {
            let message = format!("{MAX_OPEN_BY_MAKER} tasks that this session made are open");
            return Err(Refusal::new(Code::Limit, message, "end or cancel some first"));
        }
        let id = match &new.id {
            Some(id) => checked_id(id)?,
            None => RandomId::random().to_string().chars().take(ID_DIGITS).collect(),
        };
        if self.is_known(&id) {
            return Err(Refusal::new(
                Code::Claimed,
                format!("there is a task `{id}` already"),
                "give another id",
            ));
        }
        let name = |of: &str, text: &Option<String>, most| {
            text.as_deref().map(|text| text::line(of, text, most)).transpose()
        };
        let mut deps: Vec<String> = Vec::new();
        if new.deps.len() > MAX_DEPS {
            let message = format!("there are {}, and at most {MAX_DEPS} are allowed", new.deps.len());
            return Err(text::too_much("deps", &message, "name fewer"));
        }
        for dep in &new.deps {
            if *dep == id {
                return Err(cycle(&id));
            }
            let dep = self.find(dep)?.id;
            if !deps.contains(&dep) {
                deps.push(dep);
            }
        }
        if json!(new.bridge).to_string().len() > RESULT_BYTES {
            let message =
                format!("what the bridge file says besides of task {id} has more than {RESULT_BYTES} bytes");
            return Err(Refusal::new(Code::Limit, message, "leave out what nobody needs"));
        }
        let bridge = text::redacted_fields(new.bridge.clone());
        let created_at = new.created_at.as_deref().and_then(from_rfc3339);
        let task = Task {
            // A person decides by it.
            title: one_line(&text::line("title", &new.title, TITLE_BYTES)?, TITLE_BYTES),
            prompt: text::limited("prompt", &new.prompt, PROMPT_BYTES)?,
            category: name("category", &new.category, NAME_BYTES)?,
            files: text::list("files", &new.files, MAX_FILES, PATH_BYTES)?,
            to: name("to", &new.to, NAME_BYTES)?,
            output_file: name("outputFile", &new.output_file, PATH_BYTES)?,
            by: actor.who.clone(),
            priority: new.priority.unwrap_or(1),
            accepted: (actor.is_operator() || new.is_trusted) && !new.is_unaccepted,
            created_at: created_at.map_or_else(|| self.at(), to_rfc3339),
            bridge,
            sla_ms: new.sla_ms,
            id,
            deps,
            ..Task::default()
        };
        if let Some(blocks) = &new.blocks {
            let mut waiting = self.find(blocks)?;
            if self.depends(&task.deps, &waiting.id) {
                return Err(cycle(&waiting.id));
            }
            if waiting.state.is_over() {
                return Err(over(&waiting));
            }
            if waiting.deps.len() >= MAX_DEPS {
                let message = format!("{} waits for {MAX_DEPS} tasks already", waiting.id);
                return Err(Refusal::new(Code::Limit, message, "let another task wait for it"));
            }
            self.only_by_maker(&waiting, actor)?;
            waiting.deps.push(task.id.clone());
            self.put(waiting, "changed");
        }
        Ok(self.put(task, "created"))
    }

    /// Whether any of these tasks waits for `id`, directly or through others.
    fn depends(&self, deps: &[String], id: &str) -> bool {
        let (mut seen, mut next) = (BTreeSet::new(), deps.to_vec());
        while let Some(dep) = next.pop() {
            if dep == id {
                return true;
            }
            if seen.insert(dep.clone()) {
                next.extend(self.deps_of(&dep));
            }
        }
        false
    }

    /// Gives a task to whoever asks. `None` when there is none to be had.
    ///
    /// # Errors
    /// When the one that is asked for can't be had: why.
    pub fn claim(&mut self, wanted: &Claim, actor: &Actor) -> Result<Option<Task>, Refusal> {
        match wanted {
            Claim::Id(id) => {
                let task = self.find(id)?;
                self.check_claim(&task, actor)?;
                Ok(Some(self.give(task, actor)))
            }
            Claim::Next => {
                // A person may take what is for others, but not by chance.
                let is_for = |to: Option<&str>| to.is_none_or(|to| actor.is_called(to));
                for (_, _, id) in self.candidates(is_for) {
                    let Some(task) = self.task(&id) else { continue };
                    if self.check_claim(&task, actor).is_ok() {
                        return Ok(Some(self.give(task, actor)));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Whether a task may be claimed.
    fn check_claim(&self, task: &Task, actor: &Actor) -> Result<(), Refusal> {
        let (state, why) = self.state(task);
        let id = &task.id;
        match state {
            State::Open | State::Lost | State::Stalled => {}
            State::Blocked => {
                let why = why.unwrap_or_default();
                return Err(Refusal::new(
                    Code::Blocked,
                    format!("task {id} can't begin: {why}"),
                    "claim that one first",
                ));
            }
            State::Claimed | State::InputRequired => {
                let holder = task.holder.as_ref().map(|holder| holder.who().for_people()).unwrap_or_default();
                let message = format!("task {id} is claimed by {holder}");
                return Err(Refusal::new(Code::Claimed, message, "claim another one"));
            }
            State::Completed | State::Failed | State::Cancelled => return Err(over(task)),
        }
        if !actor.is_operator()
            && let Some(to) = task.to.as_deref().filter(|to| !actor.is_called(to))
        {
            let message = format!("task {id} is for {}", name_of(to, 80));
            return Err(Refusal::new(Code::NotYours, message, "claim one that is for anybody, or for you"));
        }
        if task.attempt >= MAX_ATTEMPTS {
            let message = format!("task {id} was tried {MAX_ATTEMPTS} times");
            return Err(Refusal::new(Code::Limit, message, "a person has to look at it"));
        }
        Ok(())
    }

    fn give(&mut self, mut task: Task, actor: &Actor) -> Task {
        let at = self.at();
        let Who { machine, instance, runtime, agent, session, via } = actor.who.clone();
        task.holder = Some(TaskHolder {
            machine,
            instance,
            runtime,
            agent,
            session,
            via,
            process: actor.process,
            claimed_at: at.clone(),
            beat_at: at,
        });
        task.generation += 1;
        task.attempt += 1;
        task.state = State::Claimed;
        task.why = None;
        self.put(task, "claimed")
    }

    /// The task, if `actor` may say something of it as the one who has it: in the generation that it names.
    fn held(
        &mut self,
        id: &str,
        generation: Option<u64>,
        actor: &Actor,
        what: &str,
    ) -> Result<Task, Refusal> {
        let task = self.find(id)?;
        let id = &task.id;
        if let Some(named) = generation.filter(|named| *named != task.generation) {
            let now = task.generation;
            let message = format!("generation {named} of task {id} is over: it is at generation {now}");
            self.note(task, &actor.who, format!("{what} of generation {named} was refused"));
            return Err(Refusal::new(Code::Stale, message, "leave it to whoever has it now"));
        }
        if task.state.is_over() {
            return Err(over(&task));
        }
        let is_holder = task.holder.as_ref().is_some_and(|holder| holder.who().is_same(&actor.who));
        if is_holder || actor.is_operator() {
            return Ok(task);
        }
        let refusal = match &task.holder {
            Some(holder) => {
                let message = format!("task {id} is claimed by {}", holder.who().for_people());
                Refusal::new(Code::NotYours, message, "leave it to whoever has it")
            }
            None => Refusal::new(Code::Stale, format!("task {id} is not claimed"), "claim it first"),
        };
        self.note(task, &actor.who, format!("{what} was refused"));
        Err(refusal)
    }

    /// Ends a task well.
    ///
    /// # Errors
    /// When it is not the actor's to end.
    pub fn done(
        &mut self,
        id: &str,
        generation: Option<u64>,
        result: Option<&str>,
        actor: &Actor,
    ) -> Result<Task, Refusal> {
        let mut task = self.held(id, generation, actor, "completion")?;
        task.result = result.map(|result| text::limited("result", result, RESULT_BYTES)).transpose()?;
        task.state = State::Completed;
        task.why = None;
        let text = format!("Task {} is completed: see it for what came of it.", task.id);
        self.tell_maker(&task, Some(&actor.who), text);
        Ok(self.put(task, "completed"))
    }

    /// Says that whoever did the task in the actor's place is gone, why in a clause: it may be claimed again, and that try counts.
    ///
    /// # Errors
    /// As [`Board::done`].
    pub fn abandon(
        &mut self,
        id: &str,
        generation: Option<u64>,
        why: &str,
        actor: &Actor,
    ) -> Result<Task, Refusal> {
        let task = self.held(id, generation, actor, "loss")?;
        Ok(self.lose(task, why))
    }

    /// Ends a task that failed.
    ///
    /// # Errors
    /// As [`Board::done`].
    pub fn fail(
        &mut self,
        id: &str,
        generation: Option<u64>,
        why: Option<&str>,
        actor: &Actor,
    ) -> Result<Task, Refusal> {
        let task = self.held(id, generation, actor, "failure")?;
        let why = text::limited("why", why.unwrap_or("it could not be done"), RESULT_BYTES)?;
        Ok(self.give_up(task, why, Some(&actor.who)))
    }

    /// Gives a task on to another one.
    ///
    /// # Errors
    /// As [`Board::done`].
    pub fn hand_off(
        &mut self,
        id: &str,
        generation: Option<u64>,
        to: &str,
        why: Option<&str>,
        actor: &Actor,
    ) -> Result<Task, Refusal> {
        let mut task = self.held(id, generation, actor, "handoff")?;
        task.why = why.map(|why| text::limited("why", why, RESULT_BYTES)).transpose()?;
        task.to = Some(text::line("to", to, NAME_BYTES)?);
        if task.attempt >= MAX_ATTEMPTS {
            return Ok(self.leave_to_person(task, "", Some(&actor.who)));
        }
        task.state = State::Open;
        task.holder = None;
        Ok(self.put(task, "handedoff"))
    }

    /// Lets a task go as if it had never been claimed.
    ///
    /// # Errors
    /// As [`Board::done`].
    pub fn release(&mut self, id: &str, generation: Option<u64>, actor: &Actor) -> Result<Task, Refusal> {
        let mut task = self.held(id, generation, actor, "release")?;
        if task.holder.take().is_some() {
            task.attempt = task.attempt.saturating_sub(1);
        }
        task.state = State::Open;
        task.why = None;
        Ok(self.put(task, "released"))
    }

    /// Lets `heir` have the tasks that `gone` has claimed: one goes on as the other, in the same process.
    pub fn inherit(&mut self, gone: &Who, heir: &Actor) {
        for id in self.ids() {
            let Some(mut task) = self.task(&id).filter(|task| task.state.is_held()) else { continue };
            let Some(holder) = task.holder.as_mut().filter(|holder| holder.who().is_same(gone)) else {
                continue;
            };
            holder.session.clone_from(&heir.who.session);
            holder.agent.clone_from(&heir.who.agent);
            self.put(task, "inherited");
        }
    }

    /// Says that a task is still worked on.
    ///
    /// # Errors
    /// As [`Board::done`].
    pub fn beat(&mut self, id: &str, generation: Option<u64>, actor: &Actor) -> Result<Task, Refusal> {
        let mut task = self.held(id, generation, actor, "beat")?;
        let at = self.at();
        let Some(holder) = &mut task.holder else {
            return Err(Refusal::new(
                Code::Stale,
                format!("task {} is not claimed", task.id),
                "claim it first",
            ));
        };
        holder.beat_at = at;
        task.state = State::Claimed;
        task.why = None;
        Ok(self.put(task, "beat"))
    }

    /// Says what has to be known before a task can go on.
    ///
    /// # Errors
    /// As [`Board::done`].
    pub fn input(
        &mut self,
        id: &str,
        generation: Option<u64>,
        question: &str,
        actor: &Actor,
    ) -> Result<Task, Refusal> {
        let mut task = self.held(id, generation, actor, "question")?;
        if task.holder.is_none() {
            return Err(Refusal::new(
                Code::Stale,
                format!("task {} is not claimed", task.id),
                "claim it first",
            ));
        }
        task.why = Some(text::limited("question", question, RESULT_BYTES)?);
        task.state = State::InputRequired;
        self.tell_maker(
            &task,
            Some(&actor.who),
            format!("Task {} wants input: see it for the question.", task.id),
        );
        Ok(self.put(task, "input"))
    }

    /// Calls a task off.
    ///
    /// # Errors
    /// When it is neither the actor's nor made by it.
    pub fn cancel(&mut self, id: &str, why: Option<&str>, actor: &Actor) -> Result<Task, Refusal> {
        let mut task = self.find(id)?;
        if task.state.is_over() {
            return Err(over(&task));
        }
        self.only_by_maker(&task, actor)?;
        task.why = why.map(|why| text::limited("why", why, RESULT_BYTES)).transpose()?;
        task.state = State::Cancelled;
        task.holder = None;
        Ok(self.put(task, "cancelled"))
    }

    /// Says that a task may be taken by whoever looks for one, or, with `wanted` false, that it is not wanted. Only a person at
    /// a terminal, or one with the right to operate, may.
    ///
    /// # Errors
    /// When somebody else asks.
    pub fn accept(&mut self, id: &str, wanted: bool, actor: &Actor) -> Result<Task, Refusal> {
        if !actor.may_accept {
            let message = "only a person accepts or rejects tasks, at a terminal";
            return Err(Refusal::new(Code::NotYours, message, "ask the person who runs this machine"));
        }
        let mut task = self.find(id)?;
        if task.state.is_over() {
            return Err(over(&task));
        }
        if wanted {
            task.accepted = true;
            return Ok(self.put(task, "accepted"));
        }
        task.state = State::Cancelled;
        task.why = Some("a person rejected it".to_owned());
        task.holder = None;
        Ok(self.put(task, "cancelled"))
    }

    fn only_by_maker(&self, task: &Task, actor: &Actor) -> Result<(), Refusal> {
        if actor.is_operator() || task.by.is_same(&actor.who) {
            return Ok(());
        }
        let message = format!("task {} is {}'s", task.id, task.by.for_people());
        Err(Refusal::new(Code::NotYours, message, "ask whoever made it"))
    }
}

fn checked_id(id: &str) -> Result<String, Refusal> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if id.is_empty() || id.len() > 64 || !id.bytes().all(is_plain) {
        return Err(Refusal::field("id", "expected 1 to 64 letters, digits, dots, dashes and underscores"));
    }
    Ok(id.to_owned())
}

fn cycle(id: &str) -> Refusal {
    Refusal::new(Code::Cycle, format!("task {id} would wait for itself"), "leave that dependency out")
}

pub(crate) fn over(task: &Task) -> Refusal {
    let message = format!("task {} is {}", task.id, task.state.name());
    Refusal::new(Code::Stale, message, "nothing more can be done about it; add another one")
}
