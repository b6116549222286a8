//! Requests and answers: who may ask what, and what all answers have.

pub(crate) mod address;
pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod entry;
pub(crate) mod fields;
pub(crate) mod guests;
pub(crate) mod listen;
pub(crate) mod peer;
pub(crate) mod refusal;
pub(crate) mod stream;
mod unread;

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};

use callosum_protocol::calls::OkAnswer;

use crate::events;
use crate::openapi;
use crate::page::{self, Page};
use crate::protocol;
use crate::service::Service;
use crate::tokens::Rights;
use crate::v1;

use self::answer::ReadyAnswer;
use self::refusal::Refusal;

/// All that the service has; `page` is served on loopback.
pub(crate) fn router(service: &Arc<Service>, page: Option<&Arc<Page>>) -> Router {
    let open =
        Router::new().route("/healthz", get(alive)).route("/readyz", get(ready)).merge(openapi::reading());
    let read = Router::new()
        .route("/metrics", get(metrics))
        .merge(v1::reading())
        .merge(events::reading())
        .merge(protocol::reading());
    let act = v1::acting().merge(protocol::acting());
    let operate = v1::operating().merge(page::routes::linking(page.cloned()));
    // The way of a method or path that there is not is that of all others: who shows no token learns no paths.
    let nothing = Router::new().fallback(async |uri: Uri| Refusal::no_such_path(&uri));
    let groups = [
        (Some(Rights::Read), read),
        (Some(Rights::Act), act),
        (Some(Rights::Operate), operate),
        (None, nothing),
    ];
    let closed = groups.into_iter().fold(Router::new(), |closed, (rights, group)| {
        let group = group.method_not_allowed_fallback(async |method: Method, uri: Uri| {
            Refusal::wrong_method(&method, &uri)
        });
        closed.merge(group.layer(from_fn_with_state((Arc::clone(service), rights), entry::identify)))
    });
    let open = match page {
        Some(page) => open.merge(page::routes::routes(page)),
        None => open,
    };
    entry::entered(open.merge(closed), Some(Arc::clone(service))).with_state(Arc::clone(service))
}

/// The process answers.
async fn alive() -> Response {
    Json(OkAnswer { ok: true }).into_response()
}

/// The shared state can be used.
async fn ready(State(service): State<Arc<Service>>) -> Result<Response, Refusal> {
    let degraded = service.base.in_turn(|state| Ok(state.source().status(&state.now()).degraded)).await?;
    // Who shows no token learns no paths.
    match degraded {
        None => Ok(Json(ReadyAnswer { ready: true }).into_response()),
        Some(degraded) => {
            let message = "the shared state can't be used";
            let remedy = "see `callosum status`";
            Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, degraded.code, message, remedy))
        }
    }
}

async fn metrics(State(service): State<Arc<Service>>) -> Result<Response, Refusal> {
    let status = service.base.in_turn(|state| Ok(state.source().status(&state.now()))).await?;
    let text = service.metrics.text(&status, service.log.lost());
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
