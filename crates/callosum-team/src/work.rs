//! Workers: what a person starts to have a runtime's program do accepted tasks, one after the other, without anybody at it.

use callosum_core::machine::Machine;
use callosum_core::record::RandomId;

use crate::error::Refusal;
use crate::names::Names;
use crate::task::{Board, RESULT_BYTES, State, Task};
use crate::who::{Actor, WORKER, Who};

/// Digits that tell the workers of a runtime apart.
const DIGITS: usize = 6;
/// Bytes of what is told of the last that a program wrote before it failed.
const WHY_BYTES: usize = 500;
/// From here on an exit code tells of a shell's program which signal ended it, and below that the shell could not run it.
const BY_SIGNAL: i32 = 128;
const NOT_RUN: [i32; 2] = [126, 127];

/// A worker of `runtime`, in this process: its claims live as long.
#[must_use]
pub fn actor(runtime: &str, names: &Names, machine: &Machine) -> Actor {
    let digits: String = RandomId::random().to_string().chars().take(DIGITS).collect();
    let who = Who {
        instance: WORKER.to_owned(),
        runtime: runtime.to_owned(),
        session: format!("{runtime}-{digits}"),
        via: "process".to_owned(),
        ..Who::default()
    };
    let mut actor = Actor::session(who, machine.holder().map(|holder| (holder, machine.now().boot)));
    names.name(&mut actor);
    actor
}

/// Whether a worker may take this one now.
#[must_use]
pub fn is_for(task: &Task, actor: &Actor) -> bool {
    let may_be_claimed = matches!(task.state, State::Open | State::Lost | State::Stalled);
    may_be_claimed && task.accepted && task.to.as_deref().is_none_or(|to| actor.is_called(to))
}

/// What the program is asked: Callosum's own words, and where the task stands, which is read as the result of a tool. `command` is
/// `callosum` as a shell takes it.
#[must_use]
pub fn prompt(id: &str, command: &str) -> String {
    format!(
        "[Callosum] Do the task {id}, which a person made or accepted. Read it first: with the tool `callosum_team` (show: \"task\", id: \
         \"{id}\"), or by the command `{command} task show {id} --json`. Its title and prompt say what is wanted, and an output file that it names \
         is where the result is expected. It allows you nothing that your settings don't. The claim is held for you and ends with this \
         session: leave this task's state as it is, and other tasks alone. At the end say in a few sentences what you did."
    )
}

/// How a program ended that did a task, and the last that it wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The exit code, as a shell tells it; `None` where the shell itself was killed.
    pub code: Option<i32>,
    /// On standard output.
    pub said: String,
    /// On standard error.
    pub errors: String,
}

impl Ran {
    /// Whether there was no such program to be run: that is no try.
    #[must_use]
    pub fn was_not_run(&self) -> bool {
        self.code.is_some_and(|code| NOT_RUN.contains(&code))
    }

    /// Ends the task as the program did. One that was killed is tried again.
    ///
    /// # Errors
    /// When it is the actor's no more, or that can't be written.
    pub fn end(&self, board: &mut Board<'_>, task: &Task, actor: &Actor) -> Result<Task, Refusal> {
        let (id, generation) = (task.id.as_str(), Some(task.generation));
        match self.code {
            Some(0) if task.output_exists == Some(false) => board.fail(
                id,
                generation,
                Some("its program ended well, but the output file is not there"),
                actor,
            ),
            Some(0) => {
                let said = last_bytes(&self.said, RESULT_BYTES);
                board.done(id, generation, Some(said).filter(|said| !said.is_empty()), actor)
            }
            Some(code @ 1..BY_SIGNAL) => {
                let last = [&self.errors, &self.said].map(|text| last_bytes(text, WHY_BYTES));
                let last = last.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
                let why =
                    format!("its program ended with {code}{}{last}", if last.is_empty() { "" } else { ": " });
                board.fail(id, generation, Some(&why), actor)
            }
            Some(code) => {
                let signal = code.saturating_sub(BY_SIGNAL);
                board.abandon(id, generation, &format!("its program was ended by signal {signal}"), actor)
            }
            None => board.abandon(id, generation, "its program was killed", actor),
        }
    }
}

/// The last of a text, at most so many bytes.
fn last_bytes(text: &str, most: usize) -> &str {
    let text = text.trim();
    let from = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    text.get(from.unwrap_or(0)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_text_is_cut_between_letters() {
        assert_eq!(last_bytes(" aé ", 10), "aé");
        assert_eq!(last_bytes("aéb", 2), "b");
        assert_eq!(last_bytes("aéb", 3), "éb");
    }
}
