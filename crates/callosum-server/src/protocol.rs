//! The protocol of five endpoints over HTTP: its steps, each on the writer's thread.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use axum::routing::{delete, get, post};
use axum::{Extension, Json as Answer, Router};
use callosum_protocol::calls::{
    Asked as Intercept, CompleteRequest, IDEMPOTENCY_KEY, InterceptAnswer, InterceptRequest, OkAnswer,
    not_decided,
};
use callosum_protocol::locks::{LockAnswer, LockRequest, UnlockAnswer, UnlockRequest};
use callosum_protocol::status::{StatusAnswer, wanted};

use crate::caller::Caller;
use crate::http::address::{Path, Query};
use crate::http::body::{Json, MaybeJson};
use crate::http::peer::only;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::v1::decide::{Asked, decide};

const KEY: HeaderName = HeaderName::from_static(IDEMPOTENCY_KEY);

/// What asks.
pub(crate) fn reading() -> Router<Arc<Service>> {
    Router::new().route("/status", get(status))
}

/// What speaks for an instance.
pub(crate) fn acting() -> Router<Arc<Service>> {
    Router::new()
        .route("/intercept", post(intercept))
        .route("/complete", post(complete))
        .route("/lock", post(take))
        .route("/lock/{*key}", delete(give_back))
}

/// Looks for conflicts with what other instances do, and writes the call down, in one step.
async fn intercept(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    headers: HeaderMap,
    Json(request): Json<InterceptRequest>,
) -> Result<Answer<InterceptAnswer>, Refusal> {
    let key = headers.contains_key(KEY).then(|| only(&headers, &KEY));
    let Intercept { guest, params, terms, named } = request.asked(&caller.speaker, key)?;
    // The instance stands for its sessions here.
    let asked = Asked { guest, params, terms, has_session: true };
    let (weighed, admitted) = decide(&service, asked).await?;
    let admitted = admitted.map_err(not_decided)?;
    Ok(Answer(InterceptAnswer::of(&caller.speaker, named, &weighed, admitted)))
}

/// Writes how a call ended.
async fn complete(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<CompleteRequest>,
) -> Result<Answer<OkAnswer>, Refusal> {
    if let Some(ending) = request.ending(&caller.speaker)? {
        let settled = service.writer.write(
            move |gate| ending.write(gate, &gate.machine().now()),
            |gate, settled| settled.inspect(|settled| gate.keep(settled, &gate.machine().now())),
        );
        settled.await??;
    }
    Ok(Answer(OkAnswer { ok: true }))
}

/// Takes the lease of a resource, unless another instance holds it.
async fn take(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<LockRequest>,
) -> Result<Answer<LockAnswer>, Refusal> {
    let taking = request.taking(&caller.speaker)?;
    let lease = service.writer.write(move |gate| taking.take(gate, &gate.machine().now()), |_, lease| lease);
    Ok(Answer(LockAnswer::of(&caller.speaker, &lease.await??)))
}

/// Gives back what an instance holds on a resource.
async fn give_back(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Path(held): Path<String>,
    asked: Query,
    MaybeJson(request): MaybeJson<UnlockRequest>,
) -> Result<Answer<UnlockAnswer>, Refusal> {
    let in_address = asked.only(["instance", "session"])?;
    let giving = request.giving(&caller.speaker, held, in_address)?;
    let lease = service.writer.write(
        {
            let giving = giving.clone();
            move |gate| giving.give_back(gate, &gate.machine().now())
        },
        |_, lease| lease,
    );
    Ok(Answer(giving.answer(&caller.speaker, &lease.await??)))
}

/// What is held and was done lately: on the resource `contextKey`, or on all.
async fn status(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    asked: Query,
) -> Result<Answer<StatusAnswer>, Refusal> {
    let [context_key] = asked.only(["contextKey"])?;
    let wanted = wanted(context_key.as_deref());
    let recent = service.base.in_turn(move |state| state.source().recent(&wanted, &state.now())).await?;
    Ok(Answer(StatusAnswer::of(&caller.speaker, recent)))
}
