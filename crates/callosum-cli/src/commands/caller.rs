//! Who runs this command: a person, or an agent by its shell.

use std::env;
use std::io::{self, IsTerminal};

use callosum_core::machine;
use callosum_runtimes::{in_shell_of, runtime_of_program};

/// Who it is. A fence against mistakes and poisoned text: a program of the same user can say what it likes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A person.
    Operator,
    /// An agent.
    Agent {
        /// Its runtime, where it is known.
        runtime: Option<String>,
        /// Its id, where its runtime tells it.
        agent: Option<String>,
        /// Its session, likewise.
        session: Option<String>,
    },
}

impl Caller {
    /// Who runs this process: an agent, if a variable in its environment is one of an agent's shell, or a runtime is among its
    /// ancestors. Where these can't be told, only who sits at a terminal is a person.
    pub(crate) fn of_this_process() -> Self {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
        let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get().unsigned_abs());
        Self::told_by(variable, machine::ancestry(parent).as_deref(), io::stdin().is_terminal())
    }

    fn told_by(
        variable: impl Fn(&str) -> Option<String>,
        ancestors: Option<&[String]>,
        is_at_terminal: bool,
    ) -> Self {
        let (agent, session) = (variable("CALLOSUM_AGENT"), variable("CALLOSUM_SESSION"));
        let shell = in_shell_of(&variable);
        let ancestor = ancestors.and_then(runtime_of_program);
        let is_unknown = ancestors.is_none() && !is_at_terminal;
        if agent.is_none() && session.is_none() && shell.is_none() && ancestor.is_none() && !is_unknown {
            return Self::Operator;
        }
        let (runtime, of_shell) =
            shell.map_or((ancestor, None), |(runtime, session)| (Some(runtime.name()), session));
        Self::Agent { runtime: runtime.map(str::to_owned), agent, session: session.or(of_shell) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)], ancestors: Option<&[&str]>, is_at_terminal: bool) -> Caller {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let ancestors: Option<Vec<String>> =
            ancestors.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        Caller::told_by(variable, ancestors.as_deref(), is_at_terminal)
    }

    fn agent(runtime: Option<&str>, agent: Option<&str>, session: Option<&str>) -> Caller {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Caller::Agent { runtime: owned(runtime), agent: owned(agent), session: owned(session) }
    }

    #[test]
    fn a_variable_or_an_ancestor_tells_of_an_agent() {
        assert_eq!(told(&[], Some(&["bash", "sshd"]), false), Caller::Operator);
        assert_eq!(told(&[], Some(&["bash", "openclaw-gateway"]), true), agent(Some("openclaw"), None, None));
        assert_eq!(told(&[], Some(&["bash", "codex"]), true), agent(Some("codex"), None, None));
        let shell = [("CODEX_SESSION_ID", "s-1")];
        assert_eq!(told(&shell, Some(&["sh"]), true), agent(Some("codex"), None, Some("s-1")));
        let named = [("CALLOSUM_AGENT", "main"), ("CALLOSUM_SESSION", "agent:main:main")];
        let expected = agent(Some("openclaw"), Some("main"), Some("agent:main:main"));
        assert_eq!(told(&named, Some(&["openclaw"]), false), expected);
        // Where no ancestors are told of.
        assert_eq!(told(&[], None, true), Caller::Operator);
        assert_eq!(told(&[], None, false), agent(None, None, None));
    }
}
