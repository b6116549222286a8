//! Deciding about a call that somebody asks for: on the writer's thread, but for a look at what lies around it.

use std::sync::Arc;
use std::time::Instant;

use callosum_core::decision::history::State;
use callosum_core::gate::{Admitted, Fact, Gate, Guest, NotAdmitted, Terms, Weighed};
use callosum_core::model::time::to_rfc3339;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::tokens::hex;

/// A call as it is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) guest: Guest,
    pub(crate) params: Map<String, Value>,
    pub(crate) terms: Terms,
    /// Its session was named.
    pub(crate) has_session: bool,
}

/// What became of it under the writer.
enum Step {
    Decided(Box<Weighed>, Result<Admitted, NotAdmitted>),
    /// What lies around it has to be looked at first.
    Looks(Asked),
    Unidentified,
}

/// An action that speaks against a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evidence {
    /// Its sequence number in the journal.
    seq: u64,
    /// Whose it is.
    instance: String,
    /// Whose it is.
    session: String,
    /// The tool.
    tool: String,
    /// Its tier.
    tier: u8,
    /// The first of the resources that both act on.
    context_key: String,
    /// All of them.
    context_keys: Vec<String>,
    /// When it began: RFC 3339.
    timestamp: String,
    /// `running`, `complete` or `unknown`.
    state: &'static str,
    /// While it runs: when its lease ends at the latest, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// Whether its parameters are the same.
    identical: bool,
}

impl Evidence {
    /// A fact, with its instance as its reader calls it.
    pub(crate) fn of(fact: &Fact, name: impl Fn(&str) -> String) -> Self {
        Self {
            seq: fact.seq,
            instance: name(&fact.who.instance),
            session: fact.who.session.clone(),
            tool: fact.tool.clone(),
            tier: fact.tier.into(),
            context_key: fact.keys.first().cloned().unwrap_or_default(),
            context_keys: fact.keys.clone(),
            timestamp: to_rfc3339(fact.started_ms),
            state: fact.state.word(),
            expires_at: (fact.state == State::InFlight).then(|| to_rfc3339(fact.expires_ms)),
            identical: fact.is_identical,
        }
    }
}

/// Decides about a call.
pub(crate) async fn decide(
    service: &Arc<Service>,
    asked: Asked,
) -> Result<(Weighed, Result<Admitted, NotAdmitted>), Refusal> {
    let began = Instant::now();
    let step = service.writer.write(|gate| step(gate, asked), confirmed).await?;
    let (weighed, admitted) = match step {
        Step::Decided(weighed, admitted) => (*weighed, admitted),
        Step::Unidentified => return Err(Refusal::unidentified()),
        Step::Looks(asked) => {
            let gate = Arc::clone(&service.gate);
            let has_session = asked.has_session;
            let weighed = spawn_blocking(move || {
                let Asked { guest, params, terms, .. } = asked;
                gate.weigh(&guest, &Value::Object(params), terms, true, &gate.machine().now())
            });
            let weighed = weighed.await.map_err(|_| Refusal::broken())?;
            if weighed.may_pause() && !has_session {
                return Err(Refusal::unidentified());
            }
            let step = service.writer.write(|gate| admit(gate, weighed), confirmed).await?;
            let Step::Decided(weighed, admitted) = step else { return Err(Refusal::broken()) };
            (*weighed, admitted)
        }
    };
    if let Ok(admitted) = &admitted {
        service.metrics.decided(weighed.tier().into(), admitted.verdict, began.elapsed());
    }
    Ok((weighed, admitted))
}

fn step(gate: &Gate, asked: Asked) -> Step {
    let params = Value::Object(asked.params.clone());
    let weighed = gate.weigh(&asked.guest, &params, asked.terms, false, &gate.machine().now());
    if weighed.asked_around() {
        return Step::Looks(asked);
    }
    if weighed.may_pause() && !asked.has_session {
        return Step::Unidentified;
    }
    admit(gate, weighed)
}

fn admit(gate: &Gate, mut weighed: Weighed) -> Step {
    let admitted = gate.admit(&mut weighed, &gate.machine().now());
    Step::Decided(Box::new(weighed), admitted)
}

/// What was allowed may run once it lasts.
fn confirmed(gate: &Gate, step: Step) -> Step {
    let Step::Decided(weighed, Ok(admitted)) = step else { return step };
    let confirmed = gate.confirm(&weighed, &admitted, &gate.machine().now());
    Step::Decided(weighed, confirmed.map(|()| admitted))
}

/// An id for a call that came without one.
pub(crate) fn new_id() -> Result<String, Refusal> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|_| Refusal::broken())?;
    Ok(format!("call_{}", hex(&random)))
}
