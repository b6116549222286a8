//! What runtimes and roles are called, here and in the files of others.

use std::collections::BTreeMap;

use callosum_core::query::Session;
use callosum_runtimes::NAMES;

use crate::error::{Code, Refusal};
use crate::message::Addressed;
use crate::route::Routes;
use crate::team::Sessions;
use crate::who::{Actor, OPERATOR, WORKER};

/// Names that an answer lists.
const LISTED: usize = 10;

/// All names that are known.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The runtime of each role.
    pub roles: BTreeMap<String, String>,
}

impl Names {
    /// The names that hold where these routes do.
    #[must_use]
    pub fn of(routes: &Routes) -> Self {
        Self { roles: routes.roles.clone() }
    }

    /// The runtime that is called so, as the journal names it.
    #[must_use]
    pub fn runtime(&self, name: &str) -> Option<&'static str> {
        let is_it = |known: &&str| known.eq_ignore_ascii_case(name);
        let found = NAMES.iter().find(|runtime| {
            is_it(&runtime.name) || is_it(&runtime.source) || runtime.others.iter().any(&is_it)
        });
        found.map(|runtime| runtime.name)
    }

    /// What events and bridge files call a runtime.
    #[must_use]
    pub fn source<'n>(&self, runtime: &'n str) -> &'n str {
        NAMES.iter().find(|known| known.name == runtime).map_or(runtime, |known| known.source)
    }

    /// Whether there is a role of this name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<&str> {
        self.roles.keys().find(|role| role.eq_ignore_ascii_case(name)).map(String::as_str)
    }

    /// Gives `actor` the names of its runtime and its roles.
    pub fn name(&self, actor: &mut Actor) {
        let runtime = actor.who.runtime.clone();
        let Some(known) = NAMES.iter().find(|known| known.name == runtime) else { return };
        actor.names.push(known.source.to_owned());
        actor.names.extend(known.others.iter().map(|other| (*other).to_owned()));
        let roles = self.roles.iter().filter(|(_, of)| self.runtime(of) == Some(known.name));
        actor.names.extend(roles.map(|(role, _)| role.clone()));
    }

    /// For whom a task is that is for somebody of this name: a session by its address, whoever else as they were named.
    ///
    /// # Errors
    /// When nobody is called so, or several sessions may be meant.
    pub fn assignee(&self, name: &str, sessions: &Sessions) -> Result<String, Refusal> {
        let is_agent = |session: &Session| {
            is_named_by_host(session) && session.agent.as_deref().is_some_and(|agent| agent == name)
        };
        if self.runtime(name).is_some() || self.role(name).is_some() || sessions.alive().any(is_agent) {
            return Ok(name.to_owned());
        }
        match matching(name, sessions).as_slice() {
            [] => Err(self.not_there(name, sessions)),
            [only] => Ok(address(only)),
            several => Err(ambiguous(name, several)),
        }
    }

    /// Why nobody of this name can be meant: the sessions that have it are over, or there are none.
    fn not_there(&self, name: &str, sessions: &Sessions) -> Refusal {
        let over = sessions.all.iter().filter(|session| session.over.is_some());
        let Some(found) = called(name, over).first().copied() else { return self.unknown(name) };
        let message = format!("{} has ended", callosum_core::model::text::name(&address(found), 128));
        Refusal::new(Code::Unknown, message, "name a session that `callosum sessions` lists as going on")
    }

    fn unknown(&self, name: &str) -> Refusal {
        let known = NAMES.iter().map(|runtime| runtime.name);
        let known: Vec<&str> = known.chain(self.roles.keys().map(String::as_str)).collect();
        let name = callosum_core::model::text::one_line(name, 80);
        Refusal::new(
            Code::Unknown,
            format!("nobody is called `{name}`"),
            format!("name a session that `callosum sessions` lists, or one of {}", known.join(", ")),
        )
    }

    /// Where a message for `to` is to go.
    ///
    /// # Errors
    /// When nobody is called so, or several sessions may be meant.
    pub fn address(&self, to: &str, sessions: &Sessions) -> Result<Addressed, Refusal> {
        if to == OPERATOR {
            let operator = (OPERATOR.to_owned(), String::new());
            return Ok(Addressed { sessions: vec![operator], role: None });
        }
        if let Some(role) = self.role(to) {
            return Ok(Addressed { sessions: Vec::new(), role: Some(role.to_owned()) });
        }
        if let Some(runtime) = self.runtime(to) {
            // A worker has nobody who reads mail.
            let is_of = |session: &&Session| {
                session.runtime.as_deref() == Some(runtime) && session.instance != WORKER
            };
            let of = sessions.alive().filter(is_of);
            let all: Vec<(String, String)> = of.map(pair).collect();
            if all.is_empty() {
                let message = format!("no session of {runtime} was heard of in the last day");
                return Err(Refusal::new(Code::Unknown, message, "make a task for it: that waits"));
            }
            return Ok(Addressed { sessions: all, role: None });
        }
        let found = matching(to, sessions);
        match found.as_slice() {
            [] => Err(self.not_there(to, sessions)),
            [only] => Ok(Addressed { sessions: vec![pair(only)], role: None }),
            several => Err(ambiguous(to, several)),
        }
    }
}

fn ambiguous(name: &str, several: &[&Session]) -> Refusal {
    let told = |session: &&Session| callosum_core::model::text::name(&address(session), 128).into_owned();
    let named: Vec<String> = several.iter().take(LISTED).map(told).collect();
    let name = callosum_core::model::text::one_line(name, 80);
    let message = format!("`{name}` may be {}", named.join(", "));
    Refusal::new(Code::Ambiguous, message, "write more of the name")
}

fn pair(session: &Session) -> (String, String) {
    (session.instance.clone(), session.session.clone())
}

fn address(session: &Session) -> String {
    format!("{}/{}", session.instance, session.session)
}

/// Whether what a session is called says its host: else it is known by its whole address, in which its instance comes first, and
/// takes no mail that is for another one.
fn is_named_by_host(session: &Session) -> bool {
    session.runtime.as_deref().is_none_or(|runtime| NAMES.iter().any(|known| known.name == runtime))
}

/// The sessions that are not over and are called `name`, else those whose name begins so.
fn matching<'s>(name: &str, sessions: &'s Sessions) -> Vec<&'s Session> {
    called(name, sessions.alive())
}

fn called<'s>(name: &str, among: impl Iterator<Item = &'s Session> + Clone) -> Vec<&'s Session> {
    let is_exact =
        |session: &&Session| session.session == name && is_named_by_host(session) || address(session) == name;
    let exact: Vec<&Session> = among.clone().filter(is_exact).collect();
    if !exact.is_empty() || name.is_empty() {
        return exact;
    }
    let begins = |session: &&Session| {
        session.session.starts_with(name) && is_named_by_host(session) || address(session).starts_with(name)
    };
    among.filter(begins).collect()
}
