//! All tasks that stand, at one moment: what may be looked at to decide about one, and what was decided.

use std::collections::{BTreeMap, BTreeSet};

use callosum_core::model::time::{Stamp, from_rfc3339, to_rfc3339};
use callosum_core::record::{Action, Record};
use callosum_core::store::standing::Standing;
use serde::Deserialize;
use serde_json::Value;

use super::{Life, MAX_ATTEMPTS, Note, State, Task, TaskHolder};
use crate::changes::TASK;
use crate::error::{Code, Refusal};
use crate::who::{Actor, Who};

/// Tasks that may be open at once.
pub const MAX_OPEN: usize = 5_000;
/// At most this many of them made by one session, unless that is a person's: nobody fills what all share.
pub const MAX_OPEN_BY_MAKER: usize = 500;
/// Notes that a task keeps; of more, the newest.
const MAX_NOTES: usize = 10;
/// Ids that an answer names.
const NAMED: usize = 5;

/// Something that the maker of a task should know: once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Who should know it.
    pub to: Who,
    /// What, in Callosum's own words.
    pub text: String,
}

/// The tasks, and what has become of some of them here.
pub struct Board<'a> {
    standing: &'a Standing,
    changed: BTreeMap<String, Task>,
    /// The same in the order in which it happened, with all that came before.
    written: Vec<Task>,
    life: &'a dyn Fn(&TaskHolder) -> Life,
    /// How many are not over.
    open: usize,
    /// The moment of all this.
    pub now: Stamp,
    /// What makers should know.
    pub notices: Vec<Notice>,
}

/// As much of a task as has to be looked at in many.
#[derive(Clone, Copy)]
struct Row<'b>(&'b Value);

impl<'b> Row<'b> {
    fn text(self, field: &str) -> &'b str {
        self.0.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn state(self) -> State {
        State::named(self.text("state")).unwrap_or_default()
    }

    fn deps(self) -> impl Iterator<Item = &'b str> {
        let deps = self.0.get("deps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        deps.iter().filter_map(Value::as_str)
    }
}

impl<'a> Board<'a> {
    /// The tasks that stand. `life` tells how a holder is.
    pub fn new(standing: &'a Standing, life: &'a dyn Fn(&TaskHolder) -> Life, now: Stamp) -> Self {
        let (changed, written, notices) = Default::default();
        let mut board = Self { standing, changed, written, life, open: 0, now, notices };
        board.open = board.rows().filter(|(_, row)| !row.state().is_over()).count();
        board
    }

    /// The moment, as it is written.
    #[must_use]
    pub fn at(&self) -> String {
        to_rfc3339(self.now.wall_ms)
    }

    fn rows(&self) -> impl Iterator<Item = (&str, Row<'_>)> {
        let documents =
            self.standing.all().filter_map(|(id, stands)| Some((id, stands.record.document.as_ref()?)));
        documents.map(|(id, document)| (id, Row(document)))
    }

    /// How many of `actor`'s tasks are not over.
    pub(super) fn made_by(&self, actor: &Actor) -> usize {
        let is_own = |by: &Value| Who::deserialize(by).is_ok_and(|by| actor.has_sent(&by));
        let before = self.rows().filter(|(id, row)| {
            !self.changed.contains_key(*id) && !row.state().is_over() && row.0.get("by").is_some_and(is_own)
        });
        let changed = self.changed.values().filter(|task| !task.state.is_over() && actor.has_sent(&task.by));
        before.count() + changed.count()
    }

    fn stored_state(&self, id: &str) -> Option<State> {
        if let Some(task) = self.changed.get(id) {
            return Some(task.state);
        }
        let document = self.standing.on(id)?.record.document.as_ref()?;
        Some(Row(document).state())
    }

    /// The task of this id, as it was written last.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<Task> {
        if let Some(task) = self.changed.get(id) {
            return Some(task.clone());
        }
        let document = self.standing.on(id)?.record.document.as_ref()?;
        serde_json::from_value(document.clone()).ok()
    }

    /// Whether something stands under this id, also where a later version has written what it is.
    pub(super) fn is_known(&self, id: &str) -> bool {
        self.changed.contains_key(id) || self.standing.on(id).is_some()
    }

    /// What the task of this id waits for.
    pub(super) fn deps_of(&self, id: &str) -> Vec<String> {
        if let Some(task) = self.changed.get(id) {
            return task.deps.clone();
        }
        let document = self.standing.on(id).and_then(|stands| stands.record.document.as_ref());
        document.into_iter().flat_map(|document| Row(document).deps()).map(str::to_owned).collect()
    }

    /// The ids of all that stand.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        let mut ids: BTreeSet<&str> = self.standing.all().map(|(id, _)| id).collect();
        ids.extend(self.changed.keys().map(String::as_str));
        ids.into_iter().map(str::to_owned).collect()
    }

    /// The task that is meant by an id, or by the beginning of one.
    ///
    /// # Errors
    /// When there is none, or several begin so.
    pub fn find(&self, id: &str) -> Result<Task, Refusal> {
        if let Some(task) = self.task(id) {
            return Ok(task);
        }
        let ids = self.ids();
        let begins: Vec<&String> =
            ids.iter().filter(|known| !id.is_empty() && known.starts_with(id)).collect();
        match begins.as_slice() {
            [only] => self.task(only).ok_or_else(|| unknown(id)),
            [] => Err(unknown(id)),
            several => {
                let named: Vec<&str> = several.iter().take(NAMED).map(|id| id.as_str()).collect();
                let message = format!("`{id}` may be {}", named.join(", "));
                Err(Refusal::new(Code::Ambiguous, message, "write more of the id"))
            }
        }
    }

    /// How a task stands now, and why: also what nobody has written down yet.
    #[must_use]
    pub fn state(&self, task: &Task) -> (State, Option<String>) {
        if let (State::Open | State::Lost, Some(why)) = (task.state, self.waits_for(task)) {
            return (State::Blocked, Some(why));
        }
        match (&task.holder, task.state.is_held()) {
            (Some(holder), true) => match (self.life)(holder) {
                Life::Alive => (task.state, task.why.clone()),
                Life::Idle => (State::Stalled, Some("its holder has done nothing for 15 minutes".to_owned())),
                Life::Gone(why) => (State::Lost, Some(why.to_owned())),
            },
            _ => (task.state, task.why.clone()),
        }
    }

    /// What a task waits for, if anything.
    pub(super) fn waits_for(&self, task: &Task) -> Option<String> {
        task.deps.iter().find_map(|dep| match self.stored_state(dep) {
            Some(State::Completed) => None,
            Some(state) if state.is_over() => Some(format!("it needs {dep}, which is {}", state.name())),
            Some(_) => Some(format!("it waits for {dep}")),
            None => Some(format!("it needs {dep}, which nobody knows any more")),
        })
    }

    /// A task as it is shown: how it stands now, and whether it is late.
    #[must_use]
    pub fn shown(&self, mut task: Task) -> Task {
        (task.state, task.why) = self.state(&task);
        let due_ms =
            task.sla_ms.and_then(|sla_ms| from_rfc3339(&task.created_at)?.checked_add_unsigned(sla_ms));
        task.late = !task.state.is_over() && due_ms.is_some_and(|due_ms| due_ms <= self.now.wall_ms);
        task
    }

    /// How many tasks are not over.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open
    }

    /// Those of what is not over that may be taken by one who looks for work, as far as `is_for` says so of whom they are for; each with
    /// its place in the order in which they are taken.
    pub(super) fn candidates(&self, is_for: impl Fn(Option<&str>) -> bool) -> Vec<(u64, String, String)> {
        let is_accepted = |row: Row<'_>| row.0.get("accepted").and_then(Value::as_bool) == Some(true);
        let mut found: Vec<(u64, String, String)> = self
            .rows()
            .filter(|(id, row)| !self.changed.contains_key(*id) && !row.state().is_over())
            .filter(|(_, row)| is_accepted(*row) && is_for(row.0.get("to").and_then(Value::as_str)))
            .map(|(id, row)| {
                let priority = row.0.get("priority").and_then(Value::as_u64).unwrap_or(1);
                (priority, row.text("createdAt").to_owned(), id.to_owned())
            })
            .collect();
        let changed = self
            .changed
            .values()
            .filter(|task| !task.state.is_over() && task.accepted && is_for(task.to.as_deref()));
        found
            .extend(changed.map(|task| (u64::from(task.priority), task.created_at.clone(), task.id.clone())));
        found.sort();
        found
    }

    /// Writes down a task, after this was done to it.
    pub(super) fn put(&mut self, mut task: Task, did: &str) -> Task {
        debug_assert!(TASK.contains(&did), "`{did}` stands in the table of topics");
        did.clone_into(&mut task.did);
        task.updated_at = self.at();
        let was_open = self.stored_state(&task.id).is_some_and(|state| !state.is_over());
        self.open = self.open + usize::from(!task.state.is_over()) - usize::from(was_open);
        self.changed.insert(task.id.clone(), task.clone());
        self.written.push(task.clone());
        task
    }

    /// Keeps what was said of a task and changes nothing.
    pub(super) fn note(&mut self, mut task: Task, by: &Who, text: String) {
        task.notes.push(Note { at: self.at(), by: by.clone(), text });
        let too_many = task.notes.len().saturating_sub(MAX_NOTES);
        task.notes.drain(..too_many);
        self.put(task, "noted");
    }

    /// Tells the maker of a task something, unless that is who caused it. One that is neither a session nor a person has no inbox.
    pub(super) fn tell_maker(&mut self, task: &Task, by: Option<&Who>, text: String) {
        let to = if task.by.is_operator() { Who::operator() } else { task.by.clone() };
        let is_own = by.is_some_and(|by| by.is_same(&task.by) || (by.is_operator() && to.is_operator()));
        if !is_own && (to.is_operator() || !to.session.is_empty()) {
            self.notices.push(Notice { to, text });
        }
    }

    /// Ends a task that was tried so often that a person has to look at it: a person is told, too.
    pub(super) fn leave_to_person(&mut self, task: Task, why: &str, by: Option<&Who>) -> Task {
        let task = self.give_up(task, format!("needs a person: {why}it was tried {MAX_ATTEMPTS} times"), by);
        if !task.by.is_operator() {
            let text = format!("Task {} needs a person: it was tried {MAX_ATTEMPTS} times.", task.id);
            self.notices.push(Notice { to: Who::operator(), text });
        }
        task
    }

    /// Writes down which holders are gone.
    pub fn sweep(&mut self) {
        let held: Vec<String> =
            self.rows().filter(|(_, row)| row.state().is_held()).map(|(id, _)| id.to_owned()).collect();
        for id in held {
            let Some(task) = self.task(&id) else { continue };
            let Some(Life::Gone(why)) = task.holder.as_ref().map(self.life) else { continue };
            self.lose(task, why);
        }
    }

    /// Takes a task from a holder that is gone; that try counts.
    pub(super) fn lose(&mut self, mut task: Task, why: &str) -> Task {
        task.holder = None;
        if task.attempt >= MAX_ATTEMPTS {
            return self.leave_to_person(task, &format!("{why}, and "), None);
        }
        task.state = State::Lost;
        task.why = Some(why.to_owned());
        let attempt = task.attempt;
        let text = format!("Task {} was lost in attempt {attempt}: {why}. It may be claimed again.", task.id);
        self.tell_maker(&task, None, text);
        self.put(task, "lost")
    }

    /// Ends a task that failed.
    pub(super) fn give_up(&mut self, mut task: Task, why: String, by: Option<&Who>) -> Task {
        task.state = State::Failed;
        task.holder = None;
        self.tell_maker(&task, by, format!("Task {} failed: see it for why.", task.id));
        task.why = Some(why);
        self.put(task, "failed")
    }

    /// What is to be written, by `by`. Of what is over, no word stands any longer once nothing waits for it.
    #[must_use]
    pub fn records(mut self, by: &Who) -> Vec<Record> {
        let mut needed: BTreeSet<String> = BTreeSet::new();
        for (id, row) in self.rows() {
            if !self.changed.contains_key(id) && !row.state().is_over() {
                needed.extend(row.deps().map(str::to_owned));
            }
        }
        for task in self.changed.values().filter(|task| !task.state.is_over()) {
            needed.extend(task.deps.iter().cloned());
        }
        let over: Vec<String> = self
            .rows()
            .filter(|(id, row)| {
                row.state().is_over() && !needed.contains(*id) && !self.changed.contains_key(*id)
            })
            .map(|(id, _)| id.to_owned())
            .collect();
        for id in over {
            if let Some(mut task) = self.task(&id) {
                "kept".clone_into(&mut task.did);
                self.written.push(task);
            }
        }
        let now = self.now;
        let last: BTreeMap<String, usize> =
            self.written.iter().enumerate().map(|(place, task)| (task.id.clone(), place)).collect();
        let record = |(place, task): (usize, Task)| {
            let mut record = by.record(Action::Task, &now);
            let is_last = last.get(&task.id) == Some(&place);
            record.ended = is_last && task.state.is_over() && !needed.contains(&task.id);
            record.key = Some(task.id.clone());
            record.document = serde_json::to_value(task).ok();
            record
        };
        self.written.into_iter().enumerate().map(record).collect()
    }
}

fn unknown(id: &str) -> Refusal {
    let id = callosum_core::model::text::one_line(id, 80);
    Refusal::new(Code::Unknown, format!("there is no task `{id}`"), "see `callosum task list`")
}
