//! Deciding about a call that somebody asks for: where it came in if that takes no waiting, else on the writer's thread; what lies
//! around it is looked at on a thread of its own.

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

/// A call that was decided about: as it was understood, and what became of it.
type Decided = (Box<Weighed>, Result<Admitted, NotAdmitted>);

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
pub(crate) async fn decide(service: &Arc<Service>, asked: Asked) -> Result<Decided, Refusal> {
    let began = Instant::now();
    let gate = &service.gate;
    let Asked { guest, params, terms, has_session } = asked;
    let params = Value::Object(params);
    let mut weighed = Box::new(gate.weigh(&guest, &params, terms, false, &gate.machine().now()));
    if weighed.asked_around() {
        let gate = Arc::clone(gate);
        let looks = spawn_blocking(move || gate.weigh(&guest, &params, terms, true, &gate.machine().now()));
        *weighed = looks.await.map_err(|_| Refusal::broken())?;
    }
    if weighed.may_pause() && !has_session {
        return Err(Refusal::unidentified());
    }
    let at_once = service.writer.at_once(|gate| gate.admit_at_once(&mut weighed, &gate.machine().now()));
    let (weighed, admitted) = match at_once {
        Some(admitted) => (weighed, admitted),
        None => service.writer.write(|gate| admit(gate, weighed), confirmed).await?,
    };
    if let Ok(admitted) = &admitted {
        service.metrics.decided(weighed.tier().into(), admitted.verdict, began.elapsed());
    }
    Ok((weighed, admitted))
}

fn admit(gate: &Gate, mut weighed: Box<Weighed>) -> Decided {
    let admitted = gate.admit(&mut weighed, &gate.machine().now());
    (weighed, admitted)
}

/// What was allowed may run once it lasts.
fn confirmed(gate: &Gate, (weighed, admitted): Decided) -> Decided {
    let confirm = |admitted| gate.confirm(&weighed, &admitted, &gate.machine().now()).map(|()| admitted);
    let confirmed = admitted.and_then(confirm);
    (weighed, confirmed)
}

/// An id for a call that came without one.
pub(crate) fn new_id() -> Result<String, Refusal> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|_| Refusal::broken())?;
    Ok(format!("call_{}", hex(&random)))
}
