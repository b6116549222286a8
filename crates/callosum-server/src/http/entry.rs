//! What every request passes: who asks, whether it means this service, how much it may; and what every answer has.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use callosum_core::record::RandomId;
use tokio::time::{sleep_until, timeout};
use tower_http::catch_panic::CatchPanicLayer;

use crate::caller::Caller;
use crate::log::Access;
use crate::service::Service;
use crate::tokens::Rights;

use super::peer::{Peer, only};
use super::refusal::Refusal;
use super::unread::Unread;

/// A request that takes longer is given up.
const MAX_TIME: Duration = Duration::from_secs(15);
/// What a request is called, in the log and to its sender.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Of whatever the service answers: the version of what it speaks.
pub(crate) const PROTOCOL: HeaderName = HeaderName::from_static("x-callosum-protocol");
pub(crate) const PROTOCOL_VERSION: HeaderValue = HeaderValue::from_static("1");
/// The header of the first protocol's shared secret.
const SECRET: HeaderName = HeaderName::from_static("x-callosum-secret");

/// As whom a request was answered, told to the log by the way of its answer.
#[derive(Clone)]
struct Answered(Arc<Caller>);

/// What all requests pass, whatever they ask. `service` logs and counts them, where there is one.
pub(crate) fn entered<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    service: Option<Arc<Service>>,
) -> Router<S> {
    router
        .layer(CatchPanicLayer::custom(|_| Refusal::broken().into_response()))
        .layer(from_fn_with_state(service, answer))
}

/// Answers a request in time if it means this program, and puts on the answer what all have.
async fn answer(State(service): State<Option<Arc<Service>>>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let peer = request.extensions().get::<Peer>().cloned();
    let asked = service.map(|service| {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        (service, method, path)
    });
    let unread = Unread::lend(&mut request);
    let mut response = match peer.as_ref().map_or(Ok(()), |peer| peer.is_meant(request.headers())) {
        Err(header) => {
            drop(request);
            Refusal::foreign(header).into_response()
        }
        Ok(()) => in_time(next.run(request)).await,
    };
    if let Some(unread) = unread.filter(Unread::has_some)
        && !Box::pin(unread.take_in(began + MAX_TIME)).await
    {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let via = response.extensions_mut().remove::<Answered>();
    let status = response.status().as_u16();
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(PROTOCOL, PROTOCOL_VERSION);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some((service, method, path)) = asked {
        service.metrics.answered(status);
        service.log.access(Access {
            wall_ms: service.gate.machine().now().wall_ms,
            request: id,
            peer,
            caller: via.map(|Answered(caller)| caller),
            method,
            path,
            status,
            micros: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
        });
    }
    response
}

/// An answer, if it comes in time. Most come at once: for those no timer is made.
async fn in_time(answer: impl Future<Output = Response>) -> Response {
    let mut answer = pin!(answer);
    match poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await {
        Poll::Ready(response) => response,
        // Kept apart: a timer asks for memory of its own alignment, and so would all that it is part of.
        Poll::Pending => match Box::pin(timeout(MAX_TIME, answer)).await {
            Ok(response) => response,
            Err(_) => Refusal::timed_out().into_response(),
        },
    }
}

/// The sender's id for a request if it can stand in a log, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let is_plain = |id: &&str| {
        (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    if let Some(id) = only(headers, &REQUEST_ID).filter(is_plain) {
        return id.to_owned();
    }
    RandomId::random().to_string()
}

/// Lets only those pass who may: whoever shows what counts, has the rights that are wanted, if any, and may ask now.
pub(crate) async fn identify(
    State((service, wanted)): State<(Arc<Service>, Option<Rights>)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let began = Instant::now();
    let Some(peer) = request.extensions().get::<Peer>().cloned() else { return Err(Refusal::unauthorized()) };
    let now_ms = service.gate.machine().now().wall_ms;
    let caller = match token(request.headers()) {
        Some(given) => match service.callers.find(&service.tokens, given, now_ms) {
            Ok(caller) => caller,
            Err(error) => {
                service.log.note(&format!("tokens.json can't be used: {error}"));
                None
            }
        },
        None if peer.address().is_none() => Some(Arc::new(Caller::local(peer.is_agent()))),
        None => None,
    };
    let Some(caller) = caller else {
        service.metrics.wrong_token();
        if let Some(address) = peer.address() {
            Box::pin(sleep_until((began + service.usage.failed(address, began)).into())).await;
        }
        return Err(Refusal::unauthorized());
    };
    peer.is_known(|| service.base.known_place(&caller.name));
    let place = match caller.is_local {
        // Whoever may open the socket may do as much without it.
        true => None,
        false => {
            Some(service.usage.enter(&caller.name, began).inspect_err(|_| service.metrics.turned_away())?)
        }
    };
    let mut response = if let Some(wanted) = wanted.filter(|wanted| !caller.rights.include(*wanted)) {
        Refusal::too_few_rights(caller.rights, wanted).into_response()
    } else {
        request.extensions_mut().insert(Arc::clone(&caller));
        next.run(request).await
    };
    drop(place);
    response.extensions_mut().insert(Answered(caller));
    Ok(response)
}

/// Lets only those pass who may more than all who come here.
pub(crate) async fn may(
    State(wanted): State<Rights>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let caller = request.extensions().get::<Arc<Caller>>().ok_or_else(Refusal::unauthorized)?;
    if !caller.rights.include(wanted) {
        return Err(Refusal::too_few_rights(caller.rights, wanted));
    }
    Ok(next.run(request).await)
}

/// The token that a request shows. One that shows two shows none.
fn token(headers: &HeaderMap) -> Option<&str> {
    match (only(headers, &AUTHORIZATION), only(headers, &SECRET)) {
        (Some(said), None) => {
            let (scheme, token) = said.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        }
        (None, secret) => secret,
        (Some(_), Some(_)) => Some(""),
    }
}
