//! Who asks on the command line: a person, an agent's shell by the call that runs it, or nobody can tell.

use callosum_core::machine;
use callosum_core::model::error::QueryError;
use callosum_core::model::time::Stamp;
use callosum_core::query::{OpenCall, Source};
use callosum_core::record::Holder;
use callosum_runtimes::runs_commands;

use crate::error::{Code, Refusal};
use crate::who::{Actor, Who};

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A person.
    Operator {
        /// At a terminal.
        has_terminal: bool,
    },
    /// The session whose call runs this process.
    Agent(Box<Actor>),
    /// An agent, and nobody can tell which: why, in a clause.
    Unidentified(String),
}

/// What tells agents from people.
pub struct Signs<'a> {
    /// Whether a program of this name is an agent's.
    pub is_program: &'a dyn Fn(&str) -> bool,
    /// The name of a variable that agents give their shells, and that is set here.
    pub variable: Option<&'a str>,
    /// Whether this process has a terminal.
    pub has_terminal: bool,
}

impl Caller {
    /// Who started the process `pid`.
    ///
    /// # Errors
    /// When it is an agent's, and the journal can't be read.
    pub fn of(pid: u32, signs: &Signs<'_>, source: &dyn Source, now: &Stamp) -> Result<Self, QueryError> {
        let is_agents = signs.variable.is_some() || machine::is_below(pid, signs.is_program);
        let by_call =
            source.open_calls(now).map(|calls| by_open_call(&calls, &machine::ancestors(pid), now.boot));
        match by_call {
            // A runtime whose program has another name than it usually has is known by its calls.
            Ok(Some(caller)) => Ok(caller),
            Ok(None) | Err(_) if !is_agents => Ok(Self::Operator { has_terminal: signs.has_terminal }),
            Ok(None) => {
                Ok(Self::Unidentified("no gated call that is running started this command".to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// The session that makes this call; `via` is how that is known.
    #[must_use]
    pub fn of_call(call: &OpenCall, via: &str) -> Self {
        let who = Who {
            machine: call.who.foreign_machine(),
            instance: call.who.instance.clone(),
            runtime: call.runtime.clone().unwrap_or_default(),
            agent: call.agent.clone().unwrap_or_default(),
            session: call.who.session.clone(),
            via: via.to_owned(),
        };
        Self::Agent(Box::new(Actor::session(who, call.holder)))
    }

    /// Who may change something.
    ///
    /// # Errors
    /// When nobody can tell who asks.
    pub fn actor(self) -> Result<Actor, Refusal> {
        match self {
            Self::Operator { has_terminal } => {
                Ok(Actor { who: Who::operator(), may_accept: has_terminal, ..Actor::default() })
            }
            Self::Agent(actor) => Ok(*actor),
            Self::Unidentified(why) => Err(Refusal::new(
                Code::Unidentified,
                format!("an agent asks, and nobody can tell which: {why}"),
                "run this command in a tool call that Callosum gates, alone and in the foreground, or use Callosum's tools; \
                 reading works as it is",
            )),
        }
    }
}

/// The session whose open call runs below one of these processes. Only a call that runs commands starts any: in a gateway others' calls
/// are open in the same process meanwhile. `None` where no call runs above.
fn by_open_call(calls: &[OpenCall], ancestors: &[Holder], boot: Option<u32>) -> Option<Caller> {
    let is_above = |call: &&OpenCall| {
        call.tool.as_deref().is_some_and(runs_commands)
            && call.holder.is_some_and(|(holder, its_boot)| its_boot == boot && ancestors.contains(&holder))
    };
    let above: Vec<&OpenCall> = calls.iter().filter(is_above).collect();
    let mut sessions: Vec<&OpenCall> = Vec::new();
    for call in &above {
        if !sessions.iter().any(|known| known.who == call.who) {
            sessions.push(call);
        }
    }
    match sessions.as_slice() {
        [] => None,
        [call] => Some(Caller::of_call(call, "process")),
        several => Some(Caller::Unidentified(format!(
            "{} sessions of its process have calls that are running",
            several.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use super::*;

    fn call(session: &str, pid: u32) -> OpenCall {
        OpenCall {
            seq: 1,
            who: callosum_core::decision::history::Who::here("home", session),
            runtime: Some("r".to_owned()),
            agent: None,
            holder: Some((Holder { pid, start: 1, ns: 1 }, Some(7))),
            rule_name: None,
            tool: Some("exec".to_owned()),
            call: None,
        }
    }

    #[test]
    fn a_shell_is_known_by_the_one_session_whose_call_runs_above_it() {
        let above = [Holder { pid: 5, start: 1, ns: 1 }, Holder { pid: 4, start: 1, ns: 1 }];
        let calls = [call("a", 4), call("a", 4), call("b", 9)];
        let Some(Caller::Agent(actor)) = by_open_call(&calls, &above, Some(7)) else { panic!() };
        assert_eq!((actor.who.session.as_str(), actor.who.via.as_str()), ("a", "process"));
        assert_eq!(actor.process.unwrap().holder.pid, 4);
        // Another's mail, sent by the same process meanwhile, started nothing.
        let mail = OpenCall { tool: Some("message".to_owned()), ..call("c", 5) };
        assert!(by_open_call(&[call("a", 4), mail.clone()], &above, Some(7)).unwrap().actor().is_ok());
        assert_eq!(by_open_call(&[mail], &above, Some(7)), None);
        // Of two, of another boot, of a process that only had the same number, and of none.
        let two = by_open_call(&[call("a", 4), call("b", 5)], &above, Some(7)).unwrap();
        assert_eq!(two.actor().unwrap_err().code, Code::Unidentified);
        for (calls, boot) in [
            (vec![call("a", 4)], Some(8)),
            (
                vec![OpenCall {
                    holder: Some((Holder { pid: 4, start: 2, ns: 1 }, Some(7))),
                    ..call("a", 4)
                }],
                Some(7),
            ),
            (vec![], Some(7)),
        ] {
            assert_eq!(by_open_call(&calls, &above, boot), None);
        }
    }
}
