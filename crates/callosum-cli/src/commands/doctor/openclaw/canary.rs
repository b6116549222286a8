//! A harmless tool call through the running gateway, seen in the journal: hook, addon and journal proven at once.

use std::iter;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use callosum_core::query::{Filter, ReadOnlyView, Source};
use serde_json::{Value, json};

use super::DEADLINE;
use super::ask::{NoAnswer, ask};
use super::gateway::Running;
use crate::commands::doctor::finding::{Finding, Level};
use crate::commands::doctor::program::Program;
use crate::output::{long, name};

/// Tools that only look and that every gateway has; a policy may take some away.
const HARMLESS: [&str; 2] = ["agents_list", "sessions_list"];
/// A line may wait in the gateway's memory: it is written every five seconds at the latest.
const PATIENCE: Duration = Duration::from_secs(8);
const GLANCE: Duration = Duration::from_millis(100);
/// Records looked through for the call.
const MAX_RECORDS: usize = 1_000;

const ID: &str = "canary";

pub(super) fn call(program: &Program, view: &ReadOnlyView, gateway: &Running) -> Finding {
    let not_made = |why: &str, remedy: &str| {
        Finding::new(Level::Warning, ID, format!("No canary call was made: {why}"), remedy)
    };
    match gateway {
        Running::Down(_) => return not_made("no gateway is running", "start the gateway, and look again"),
        Running::Elsewhere(_) => {
            return not_made("it would be in another journal", "look there, as said above");
        }
        _ => {}
    }
    let began = view.machine().now();
    let key = format!("callosum-canary-{}-{}", process::id(), began.wall_ms);
    let mut refused = String::new();
    // A gateway with several agents wants to be told whose call it is.
    let agents = iter::once(None).chain(iter::once_with(|| first_agent(program)).filter(Option::is_some));
    for (agent, tool) in agents.flat_map(|agent| HARMLESS.map(|tool| (agent.clone(), tool))) {
        let mut params = json!({ "name": tool, "args": {}, "idempotencyKey": key });
        if let (Some(agent), Some(params)) = (agent, params.as_object_mut()) {
            params.insert("agentId".to_owned(), Value::from(agent));
        }
        let params = params.to_string();
        let answer =
            ask(program, &["gateway", "call", "tools.invoke", "--json", "--params", &params], DEADLINE);
        match answer {
            Ok(answer) if answer.get("ok") == Some(&Value::Bool(true)) => {
                return seen(view, tool, &key, began.wall_ms);
            }
            Ok(answer) => {
                let message = answer.pointer("/error/message").and_then(Value::as_str);
                refused = long(message.unwrap_or("it was refused without a reason"));
            }
            Err(NoAnswer::Failed(why) | NoAnswer::NotRunning(why)) => refused = why,
            Err(NoAnswer::UnknownMethod) => "this gateway has no `tools.invoke`".clone_into(&mut refused),
        }
    }
    not_made(
        &refused,
        "allow the tool `agents_list`, or make a call in a session and look for it: `callosum journal`",
    )
}

/// The first agent that the gateway lists.
fn first_agent(program: &Program) -> Option<String> {
    let listed = ask(program, &["gateway", "call", "agents.list", "--json"], DEADLINE).ok()?;
    listed.pointer("/agents/0/id")?.as_str().map(str::to_owned)
}

/// Waits for the call's line.
fn seen(view: &ReadOnlyView, tool: &str, key: &str, since_ms: i64) -> Finding {
    let since = Some(Value::from(since_ms.saturating_sub(1_000)));
    let filter = Filter { limit: MAX_RECORDS, since, tool: Some(tool.to_owned()), ..Filter::default() };
    let until = Instant::now() + PATIENCE;
    loop {
        let records = view.journal(&filter, &view.machine().now()).unwrap_or_default().entries;
        let is_it = |record: &&Value| {
            record.get("call").and_then(Value::as_str).is_some_and(|call| call.ends_with(key))
        };
        if let Some(record) = records.iter().find(is_it) {
            let instance = name(record.get("instance").and_then(Value::as_str).unwrap_or_default());
            return Finding::ok(
                ID,
                format!("A canary call of `{tool}` passed the gate of {instance} and is in the journal"),
            )
            .line("proven: the gateway's before-hook, the plugin's addon and this journal work together")
            .line(
                "not proven: that calls by models come through the same hooks; see OpenClaw's record above",
            );
        }
        if Instant::now() >= until {
            let title = format!("A canary call of `{tool}` ran, but the journal has no line for it");
            let remedy = "calls pass without Callosum: check that the gateway has loaded the plugin, restart it, and look again";
            return Finding::new(Level::Error, ID, title, remedy);
        }
        thread::sleep(GLANCE);
    }
}
