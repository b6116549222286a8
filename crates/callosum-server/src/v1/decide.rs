//! Deciding about a call that somebody asks for: on the writer's thread, but for a look at what lies around it.

use std::sync::Arc;
use std::time::Instant;

use callosum_core::gate::{Admitted, Gate, Guest, NotAdmitted, Terms, Weighed};
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::http::refusal::Refusal;
use crate::service::Service;

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
