//! Deciding about a call that somebody asks for: at once where the journal has no say in it, else on the writer's thread, which waits
//! for disks; what lies around it is looked at on a thread of its own.

use std::sync::Arc;
use std::time::Instant;

use callosum_core::gate::{Admitted, Gate, Guest, NotAdmitted, Terms, Weighed};
use serde_json::{Map, Value};

use crate::http::refusal::Refusal;
use crate::metrics::Metrics;
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

/// A call that was decided about: as it was understood, and what became of it.
type Decided = (Box<Weighed>, Result<Admitted, NotAdmitted>);

/// Decides about a call.
pub(crate) async fn decide(service: &Arc<Service>, asked: Asked) -> Result<Decided, Refusal> {
    let began = Instant::now();
    let gate = &service.gate;
    let Asked { guest, params, terms, has_session } = asked;
    let params = Value::Object(params);
    let mut weighed = Box::new(gate.weigh(&guest, &params, terms, false, &gate.machine().now()));
    if weighed.asked_around() {
        let gate = Arc::clone(gate);
        let look = move || gate.weigh(&guest, &params, terms, true, &gate.machine().now());
        *weighed = service.base.look_around(look).await.ok_or_else(Refusal::broken)?;
    }
    if weighed.may_pause() && !has_session {
        return Err(Refusal::unidentified());
    }
    let (weighed, admitted) = match gate.admit_unwritten(&mut weighed, &gate.machine().now()) {
        Some(admitted) => {
            service.writer.write_soon();
            (weighed, Ok(admitted))
        }
        None => {
            let metrics = Arc::clone(&service.metrics);
            let confirm = move |gate: &Gate, decided| confirmed(gate, decided, &metrics);
            service.writer.write(|gate| admit(gate, weighed), confirm).await?
        }
    };
    service.metrics.decided(weighed.tier().into(), &admitted, began.elapsed());
    Ok((weighed, admitted))
}

fn admit(gate: &Gate, mut weighed: Box<Weighed>) -> Decided {
    let admitted = gate.admit(&mut weighed, &gate.machine().now());
    (weighed, admitted)
}

/// What was allowed may run once it lasts.
fn confirmed(gate: &Gate, (weighed, admitted): Decided, metrics: &Metrics) -> Decided {
    let confirm = |admitted| {
        let began = Instant::now();
        if gate.confirm(&weighed, &admitted, &gate.machine().now())? {
            metrics.flushed(began.elapsed());
        }
        Ok(admitted)
    };
    let confirmed = admitted.and_then(confirm);
    (weighed, confirmed)
}
