//! Who calls a tool. The runtime at the other end of standard input tells a call's id, or nothing; a program that an agent starts
//! can tell anything. So what counts is what the gate has seen: the call of this very tool that the runtime's hooks let through.

use std::os::unix::process::parent_id;

use callosum_core::machine;
use callosum_core::model::error::QueryError;
use callosum_core::model::time::Stamp;
use callosum_core::query::{OpenCall, Session, Source};
use callosum_core::record::Holder;
use callosum_runtimes::RUNTIMES;
use callosum_team::caller::Caller;
use callosum_team::team::KNOWN_MS;
use callosum_team::who::{Actor, Who};
use serde_json::{Map, Value};

/// What the gate calls this server's tools begin with.
const SERVER: &str = "callosum__";

/// The process that started the server, and what its environment says.
#[derive(Debug)]
pub(crate) struct Parent {
    /// The process; `None` where nothing is told of it.
    process: Option<Holder>,
    /// A variable that agents' shells have is set: a shell of theirs may have started the server.
    is_in_shell: bool,
}

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The tool.
    pub(crate) tool: &'a str,
    /// The request's `_meta`.
    pub(crate) meta: &'a Map<String, Value>,
    /// It changes nothing.
    pub(crate) only_reads: bool,
}

impl Parent {
    /// That of this process.
    pub(crate) fn of_this_process(is_in_shell: bool) -> Self {
        Self { process: machine::ancestors(parent_id()).into_iter().next(), is_in_shell }
    }

    /// Who calls.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub(crate) fn caller(
        &self,
        asked: Asked<'_>,
        source: &dyn Source,
        now: &Stamp,
    ) -> Result<Caller, QueryError> {
        let Some(parent) = self.process else {
            return Ok(Caller::Unidentified(
                "nothing is told of the process that started this server".to_owned(),
            ));
        };
        let calls = source.open_calls(now)?;
        let (id, its) = (named(asked.meta), by_open_call(&calls, parent, asked, now));
        // Calls that only read are not among those that run, as far as the journal tells.
        if !its.is_empty() || (id.is_some() && !asked.only_reads) {
            return Ok(one_of(&its, id));
        }
        if self.is_in_shell && !asked.only_reads {
            let why =
                "Callosum has let no such call through, and an agent's shell may have started this server";
            return Ok(Caller::Unidentified(why.to_owned()));
        }
        Ok(by_session(&source.sessions(KNOWN_MS, now)?, parent, now))
    }

    /// The call that this is, where the runtime tells its id and the gate has let it through.
    pub(crate) fn call(&self, asked: Asked<'_>, source: &dyn Source, now: &Stamp) -> Option<OpenCall> {
        let (parent, _) = (self.process?, named(asked.meta)?);
        by_open_call(&source.open_calls(now).ok()?, parent, asked, now).first().copied().cloned()
    }
}

/// The id of the call, where the runtime tells it.
fn named(meta: &Map<String, Value>) -> Option<&str> {
    RUNTIMES.iter().find_map(|runtime| meta.get(runtime.facts().call_in_meta?)?.as_str())
}

/// The calls of this tool that run in the process that asks: the one of that id, where one is told.
fn by_open_call<'c>(
    calls: &'c [OpenCall],
    parent: Holder,
    asked: Asked<'_>,
    now: &Stamp,
) -> Vec<&'c OpenCall> {
    let id = named(asked.meta);
    let is_its = |call: &&OpenCall| {
        call.holder == Some((parent, now.boot))
            && call.tool.as_deref().and_then(|tool| tool.strip_prefix(SERVER)) == Some(asked.tool)
            && (id.is_none() || call.call.as_deref() == id)
    };
    calls.iter().filter(is_its).collect()
}

/// The session whose calls these are.
fn one_of(calls: &[&OpenCall], id: Option<&str>) -> Caller {
    match calls {
        [] => Caller::Unidentified(
            "the call that its `_meta` names is none that Callosum has let through for the process that asks"
                .to_owned(),
        ),
        [first, rest @ ..] if rest.iter().all(|call| call.who == first.who) => {
            Caller::of_call(first, if id.is_some() { "meta" } else { "process" })
        }
        several => Caller::Unidentified(format!("{} calls of this tool run in its process", several.len())),
    }
}

/// The one session of the process that asks.
fn by_session(sessions: &[Session], parent: Holder, now: &Stamp) -> Caller {
    let of_parent = |session: &&Session| {
        session.machine.is_none() && session.over.is_none() && session.holder == Some((parent, now.boot))
    };
    let its: Vec<&Session> = sessions.iter().filter(of_parent).collect();
    match its.as_slice() {
        [] => Caller::Unidentified("no session of the process that started this server is known".to_owned()),
        [session] => {
            let who = Who {
                machine: None,
                instance: session.instance.clone(),
                runtime: session.runtime.clone().unwrap_or_default(),
                agent: session.agent.clone().unwrap_or_default(),
                session: session.session.clone(),
                via: "process".to_owned(),
            };
            Caller::Agent(Box::new(Actor::session(who, session.holder)))
        }
        several => Caller::Unidentified(format!("its process has {} sessions", several.len())),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "a test fails by panicking")]
    use callosum_core::decision::history;
    use serde_json::json;

    use super::*;

    const PARENT: Holder = Holder { pid: 4, start: 1, ns: 1 };
    const NOW: Stamp = Stamp { wall_ms: 1_800_000_000_000, up_ms: 1, boot: Some(7) };

    fn call(session: &str, tool: &str, id: &str) -> OpenCall {
        OpenCall {
            seq: 1,
            who: history::Who::here("home", session),
            runtime: Some("codex".to_owned()),
            agent: None,
            holder: Some((PARENT, Some(7))),
            rule_name: None,
            tool: Some(tool.to_owned()),
            call: Some(id.to_owned()),
        }
    }

    /// How the session is known, and which it is; else why not.
    fn found(calls: &[OpenCall], meta: Value) -> Result<(String, String), String> {
        let meta = meta.as_object().cloned().unwrap_or_default();
        let asked = Asked { tool: "callosum_send", meta: &meta, only_reads: false };
        match one_of(&by_open_call(calls, PARENT, asked, &NOW), named(&meta)) {
            Caller::Agent(actor) => Ok((actor.who.via, actor.who.session)),
            Caller::Unidentified(why) => Err(why),
            Caller::Operator { .. } => panic!("no tool is a person's"),
        }
    }

    #[test]
    fn a_call_is_known_by_the_one_that_the_gate_let_through() {
        let ours = "callosum__callosum_send";
        let of = |via: &str, session: &str| Ok((via.to_owned(), session.to_owned()));
        let calls = [call("a", ours, "call_1"), call("b", ours, "call_2")];
        assert_eq!(found(&calls, json!({ "callId": "call_2", "sessionId": "a" })), of("meta", "b"));
        assert_eq!(found(&calls, json!({ "claudecode/toolUseId": "call_1" })), of("meta", "a"));
        assert_eq!(found(&calls[..1], json!({ "progressToken": 1 })), of("process", "a"));
        // Two of one session are one.
        assert_eq!(found(&[calls[0].clone(), call("a", ours, "call_3")], json!({})), of("process", "a"));
        assert!(found(&calls, json!({})).is_err_and(|why| why.contains("2 calls")));
    }

    #[test]
    fn what_the_gate_has_not_seen_is_nobodys() {
        let other = Holder { pid: 5, ..PARENT };
        for call in [
            call("a", "exec", "call_1"),
            call("a", "callosum__callosum_task_update", "call_1"),
            call("a", "evil__callosum_send", "call_1"),
            OpenCall { holder: Some((other, Some(7))), ..call("a", "callosum__callosum_send", "call_1") },
            OpenCall { holder: Some((PARENT, Some(8))), ..call("a", "callosum__callosum_send", "call_1") },
            OpenCall { holder: None, ..call("a", "callosum__callosum_send", "call_1") },
        ] {
            assert!(found(std::slice::from_ref(&call), json!({ "callId": "call_1" })).is_err(), "{call:?}");
            assert!(found(&[call], json!({})).is_err());
        }
        let seen = [call("a", "callosum__callosum_send", "call_1")];
        assert!(found(&seen, json!({ "callId": "call_2" })).is_err_and(|why| why.contains("_meta")));
    }
}
