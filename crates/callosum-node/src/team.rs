//! What is done together, for a gateway: who asks is what the host says.

use callosum_core::gate::Gate;
use callosum_core::model::time::Stamp;
use callosum_team::api::tools::{TOOLS, Tool};
use callosum_team::api::{self, Asker, Desk, Surface};
use callosum_team::error::{Code, Refusal};
use callosum_team::switch;
use callosum_team::who::Actor;
use serde::Deserialize;
use serde_json::{Value, json};

/// What a gateway asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Request {
    /// Whether sessions work together here, and the tools for it.
    Look,
    /// A session's call of a tool.
    Call { tool: String, params: Value, runtime: String, agent: Option<String>, session: Option<String> },
    /// What a person asks for.
    Ask { verb: String, params: Value, surface: Face },
}

/// Where a person asks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Face {
    /// By a method of the gateway.
    Gateway,
    /// In a chat.
    Chat,
    /// At the page. Only who may write gets to verbs that change something: the plugin's routes see to that.
    Page,
}

/// Answers a request with JSON text.
pub(crate) fn answer(gate: &Gate, request: &str, now: &Stamp) -> String {
    let desk = Desk::of_gate(gate, *now);
    let answered = match serde_json::from_str(request) {
        Ok(Request::Look) => Ok(look(gate)),
        Ok(Request::Call { tool, params, runtime, agent, session }) => Tool::named(&tool)
            .ok_or_else(|| {
                Refusal::new(
                    Code::Unknown,
                    format!("there is no tool `{tool}`"),
                    "update Callosum, all of it",
                )
            })
            .and_then(|tool| {
                tool.call(&desk, params, &session_of(gate, &runtime, agent.as_deref(), session.as_deref()))
            }),
        Ok(Request::Ask { verb, params, surface }) => {
            let surface = match surface {
                Face::Gateway => Surface::Gateway,
                Face::Chat => Surface::Chat,
                Face::Page => Surface::Page,
            };
            Ok(api::answer(&desk, surface, &verb, params, &Ok(Actor::operator())))
        }
        Err(error) => Err(Refusal::field("", error.to_string())),
    };
    answered.unwrap_or_else(|refusal| json!({ "error": refusal })).to_string()
}

fn look(gate: &Gate) -> Value {
    let tool = |tool: &Tool| {
        json!({
            "name": tool.name, "label": tool.title, "description": tool.description, "parameters": tool.schema(),
        })
    };
    json!({ "on": switch::is_on(gate.state_dir()), "tools": TOOLS.iter().map(tool).collect::<Vec<_>>() })
}

/// A session of this gateway: its claims live with this process.
fn session_of(gate: &Gate, runtime: &str, agent: Option<&str>, session: Option<&str>) -> Asker {
    let session = session.ok_or_else(|| {
        Refusal::new(
            Code::Unidentified,
            "the host does not say which session makes this call",
            "call the tool in a session of an agent",
        )
    })?;
    Ok(Actor::session_at(gate, runtime, agent, session))
}
