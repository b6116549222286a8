//! What is done together: the tasks and messages of a state directory, by way of a gate that writes or of one who only looks.

use std::cell::Cell;
use std::collections::HashMap;

use callosum_core::gate::Gate;
use callosum_core::machine::Machine;
use callosum_core::model::error::QueryError;
use callosum_core::model::time::{Stamp, from_rfc3339};
use callosum_core::query::{Filter, Over, Session, Source};
use callosum_core::record::{Action, Record};
use callosum_core::store::standing::Standing;
use serde_json::Value;

use crate::error::{Code, Refusal};
use crate::message::{self, Mail};
use crate::switch;
use crate::task::{Board, Life, Signs, State, Task, TaskHolder};
use crate::who::{Actor, Who};

/// Sessions that were heard of within this time are known, milliseconds.
pub const KNOWN_MS: u64 = 24 * 3_600_000;
/// A hook looks no further back: who has told nothing for longer is not at work, milliseconds.
pub const AT_WORK_MS: u64 = 3_600_000;
/// What has to be known of a task to say how it stands and for whom it is.
const IN_BRIEF: &[&str] = &["id", "deps", "to", "priority", "state", "holder", "accepted", "createdAt"];
/// Why a session ends that another one goes on as, in runtimes' words.
const GOES_ON: [&str; 2] = ["clear", "resume"];

/// What was heard of the sessions of a machine.
#[derive(Debug, Default)]
pub struct Sessions {
    /// The latest first.
    pub all: Vec<Session>,
    signs: HashMap<(String, String), Signs>,
}

impl Sessions {
    /// What the journal tells of the last day.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn read(source: &dyn Source, now: &Stamp) -> Result<Self, QueryError> {
        Self::within(source, KNOWN_MS, now)
    }

    /// What it tells of the last `window_ms` milliseconds.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn within(source: &dyn Source, window_ms: u64, now: &Stamp) -> Result<Self, QueryError> {
        let all = source.sessions(window_ms, now)?;
        let calling = source.open_calls(now)?;
        let signs = all
            .iter()
            .filter(|session| session.machine.is_none())
            .map(|session| {
                let last_ms = from_rfc3339(&session.last_at).unwrap_or(0);
                let is_calling = calling
                    .iter()
                    .any(|call| call.who.is_of(&session.instance) && call.who.session == session.session);
                // What goes on as another one is not over as long as its process lives.
                let is_over = session.over == Some(Over::Ended) && !goes_on(session);
                let ended_ms = is_over.then_some(last_ms);
                let key = (session.instance.clone(), session.session.clone());
                (key, Signs { last_ms, ended_ms, is_calling })
            })
            .collect();
        Ok(Self { all, signs })
    }

    /// These, of whom no more is known.
    #[cfg(test)]
    pub(crate) fn of(all: Vec<Session>) -> Self {
        Self { all, signs: HashMap::new() }
    }

    /// How a holder of a task is.
    #[must_use]
    pub fn life(&self, holder: &TaskHolder, machine: &Machine, now: &Stamp) -> Life {
        let signs = self.signs.get(&(holder.instance.clone(), holder.session.clone()));
        holder.life(signs, now.wall_ms, |boot, process| machine.is_dead(boot, process))
    }

    /// Those that nothing says are over.
    pub fn alive(&self) -> impl Iterator<Item = &Session> + Clone {
        self.all.iter().filter(|session| session.over.is_none())
    }
}

/// Whether its runtime said that another session takes its place.
fn goes_on(session: &Session) -> bool {
    session.end_reason.as_deref().is_some_and(|reason| GOES_ON.contains(&reason))
}

impl Sessions {
    /// The session that ended for `heir`, which its process goes on as: the latest of the same runtime's in this process.
    #[must_use]
    pub fn before(&self, heir: &Actor) -> Option<Who> {
        let process = heir.process?;
        let is_it = |session: &&Session| {
            session.machine.is_none()
                && goes_on(session)
                && session.instance == heir.who.instance
                && session.session != heir.who.session
                && session.holder == Some((process.holder, process.boot))
        };
        let found = self.all.iter().find(is_it)?;
        Some(Who { session: found.session.clone(), ..heir.who.clone() })
    }
}

/// The tasks as they are now, in the order in which they are taken; all that stand.
///
/// # Errors
/// When the journal can't be read.
pub fn tasks(source: &dyn Source, machine: &Machine, now: &Stamp) -> Result<Vec<Task>, QueryError> {
    let sessions = Sessions::read(source, now)?;
    Ok(shown(&source.standing(&Action::Task, now)?, &sessions, machine, now))
}

/// The same, with what was heard of `sessions`, and of each task no more than a count of them needs: what they say is not read.
///
/// # Errors
/// When the journal can't be read.
pub fn tasks_in_brief(
    source: &dyn Source,
    sessions: &Sessions,
    machine: &Machine,
    now: &Stamp,
) -> Result<Vec<Task>, QueryError> {
    Ok(shown(&source.standing_briefly(&Action::Task, IN_BRIEF, now)?, sessions, machine, now))
}

fn shown(standing: &Standing, sessions: &Sessions, machine: &Machine, now: &Stamp) -> Vec<Task> {
    let life = |holder: &TaskHolder| sessions.life(holder, machine, now);
    let board = Board::new(standing, &life, *now);
    let mut tasks: Vec<Task> =
        board.ids().iter().filter_map(|id| board.task(id)).map(|task| board.shown(task)).collect();
    tasks.sort_by(|one, other| {
        (one.priority, &one.created_at, &one.id).cmp(&(other.priority, &other.created_at, &other.id))
    });
    tasks
}

/// One task as it is now: also one that is over, as long as that is not long ago.
///
/// # Errors
/// When there is none, or several are meant.
pub fn task(source: &dyn Source, machine: &Machine, id: &str, now: &Stamp) -> Result<Task, Refusal> {
    let sessions = Sessions::read(source, now)?;
    let standing = source.standing(&Action::Task, now)?;
    let life = |holder: &TaskHolder| sessions.life(holder, machine, now);
    let board = Board::new(&standing, &life, *now);
    let mut task = match board.task(id) {
        Some(task) => board.shown(task),
        None => {
            // One that is over goes before those that only begin so.
            newest_task(source, id, now)?.map_or_else(|| board.find(id).map(|task| board.shown(task)), Ok)?
        }
    };
    task.look_at_output();
    Ok(task)
}

/// The task of this very id as it was written last, also where it is over.
///
/// # Errors
/// When the journal can't be read.
pub fn newest_task(source: &dyn Source, id: &str, now: &Stamp) -> Result<Option<Task>, Refusal> {
    let newest = source.newest_on(&Action::Task, id, now)?;
    Ok(newest.and_then(|stands| serde_json::from_value(stands.record.document?).ok()))
}

/// The newest records of the journal that a filter wants, the newest last.
///
/// # Errors
/// When the filter is wrong or the journal can't be read.
pub fn newest(source: &dyn Source, filter: &Value, now: &Stamp) -> Result<Vec<Value>, Refusal> {
    let filter = Filter::read(&filter.to_string()).map_err(|why| Refusal::field("", why))?;
    Ok(source.journal(&filter, now)?.entries)
}

/// Whoever writes: a gate, and who that is for.
pub struct Team<'a> {
    /// The gate.
    pub gate: &'a Gate,
    /// Who does it.
    pub actor: &'a Actor,
    /// When.
    pub now: Stamp,
}

impl Team<'_> {
    /// Refuses while it is off. A person's first task turns it on.
    ///
    /// # Errors
    /// When it is off, or can't be turned on.
    pub fn check_on(&self, turns_on: bool) -> Result<(), Refusal> {
        let state_dir = self.gate.state_dir();
        if switch::is_on(state_dir) {
            return Ok(());
        }
        if turns_on && self.actor.is_operator() {
            switch::set(state_dir, true).map_err(|error| {
                let message = format!("can't turn it on in `{}`: {error}", state_dir.display());
                Refusal::new(Code::CannotWrite, message, "check that this user may write there")
            })?;
            return Ok(());
        }
        let message = "sessions don't work together here: that is off";
        Err(Refusal::new(Code::Policy, message, "a person turns it on with `callosum team on`"))
    }

    /// Decides about tasks, and writes what was decided with what is found to be lost, in one hold of the guard.
    ///
    /// # Errors
    /// Why `decide` refuses, or the journal can't be written.
    pub fn on_tasks<T>(&self, decide: impl Fn(&mut Board<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let machine = self.gate.machine();
        // What is seldom needed is read once it is asked for, while others have the guard; then it is decided anew.
        let (mut sessions, mut mail): (Option<Sessions>, Option<Standing>) = (None, None);
        loop {
            let oldest_ms = Cell::new(None);
            let life = |holder: &TaskHolder| match &sessions {
                Some(sessions) => sessions.life(holder, machine, &self.now),
                None => {
                    let claimed_ms = from_rfc3339(&holder.claimed_at).unwrap_or(0);
                    oldest_ms
                        .set(Some(oldest_ms.get().map_or(claimed_ms, |oldest: i64| oldest.min(claimed_ms))));
                    Life::Alive
                }
            };
            let decided = self.gate.decide_standing(&Action::Task, &self.now, |standing: &Standing| {
                let mut board = Board::new(standing, &life, self.now);
                board.sweep();
                let decided = decide(&mut board);
                let mut notices = std::mem::take(&mut board.notices);
                if oldest_ms.get().is_some() || !notices.is_empty() && mail.is_none() {
                    return (Vec::new(), None);
                }
                // What waits to be read already is not said again.
                notices.retain(|notice| {
                    !mail
                        .as_ref()
                        .is_some_and(|mail| message::is_waiting(mail, &notice.to, &notice.text, &self.now))
                });
                let own = board.records(&self.actor.who).into_iter().map(|record| self.actor.sign(record));
                let mut records: Vec<Record> = own.collect();
                records.extend(
                    notices.into_iter().map(|notice| message::notice(&notice.to, &notice.text, &self.now)),
                );
                (records, Some(decided))
            })?;
            if let Some(decided) = decided {
                return decided;
            }
            match oldest_ms.get() {
                // What a session did before it claimed anything says nothing of its claims.
                Some(oldest_ms) => {
                    let age_ms = u64::try_from(self.now.wall_ms.saturating_sub(oldest_ms)).unwrap_or(0);
                    sessions =
                        Some(Sessions::within(self.gate, age_ms.clamp(AT_WORK_MS, KNOWN_MS), &self.now)?);
                }
                None => mail = Some(self.gate.standing(&Action::Message, &self.now)?),
            }
        }
    }

    /// Decides about messages, and writes what was decided, in one hold of the guard.
    ///
    /// # Errors
    /// Why `decide` refuses, or the journal can't be written.
    pub fn on_mail<T>(&self, decide: impl Fn(&mut Mail) -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.gate.decide_standing(&Action::Message, &self.now, |standing: &Standing| {
            let mut mail = Mail::new(standing, self.now);
            let decided = decide(&mut mail);
            let own = mail.records(&self.actor.who).into_iter().map(|record| self.actor.sign(record));
            (own.collect(), decided)
        })?
    }

    /// Lets the actor have the mail and the claims of the session that its process was until now.
    ///
    /// # Errors
    /// When the journal can't be read or written.
    pub fn inherit(&self, sessions: &Sessions) -> Result<(), Refusal> {
        let Some(gone) = sessions.before(self.actor) else { return Ok(()) };
        self.on_tasks(|board| {
            board.inherit(&gone, self.actor);
            Ok(())
        })?;
        self.on_mail(|mail| {
            mail.inherit(&gone, &self.actor.who);
            Ok(())
        })
    }

    /// Tells a session something in Callosum's own words, which should not wait; nothing, where that waits to be read already.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub fn notify(&self, to: &Who, text: &str) -> Result<(), Refusal> {
        let record = message::urgent_notice(to, text, &self.now);
        Ok(self.gate.decide_standing(&Action::Message, &self.now, |mail: &Standing| {
            let is_new = !message::is_waiting(mail, to, text, &self.now);
            (is_new.then(|| record.clone()).into_iter().collect(), ())
        })?)
    }

    /// Tells everybody something.
    ///
    /// # Errors
    /// When the journal can't be written.
    pub fn publish(&self, record: &Record) -> Result<(), Refusal> {
        Ok(self.gate.decide_standing(&Action::Event, &self.now, |_| (vec![record.clone()], ()))?)
    }
}

/// Those that may be claimed now.
#[must_use]
pub fn ready(tasks: Vec<Task>) -> Vec<Task> {
    let is_ready = |task: &Task| matches!(task.state, State::Open | State::Lost | State::Stalled);
    tasks.into_iter().filter(is_ready).collect()
}
