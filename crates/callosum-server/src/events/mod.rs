//! `GET /v1/events`: the journal as it grows, as server-sent events. Each has an id from which another connection goes on, and what
//! was pruned in between is told as a gap: between two connections nothing is lost unsaid.

mod event;
mod feed;
mod stream;

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use callosum_team::event::Topics;

use crate::caller::Caller;
use crate::http::address::Query;
use crate::http::peer::only;
use crate::http::refusal::Refusal;
use crate::service::Service;

pub(crate) use self::event::{Keys, schemas};
use self::event::{Place, Wanted};
pub(crate) use self::feed::Feed;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(crate) fn reading() -> Router<Arc<Service>> {
    Router::new().route("/v1/events", get(events))
}

async fn events(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    headers: HeaderMap,
    asked: Query,
) -> Result<Response, Refusal> {
    let [topic, key, after] = asked.only(["topic", "key", "after"])?;
    let topics = Topics::read(topic.as_deref()).map_err(|why| Refusal::field("topic", why))?;
    let keys = Keys::read(key.into_iter().collect()).map_err(|why| Refusal::field("key", why))?;
    // A client that comes back says so by itself.
    let again = if headers.contains_key(LAST_EVENT_ID) {
        let id = only(&headers, &LAST_EVENT_ID);
        Some(("Last-Event-ID", id.unwrap_or_default().to_owned()))
    } else {
        after.map(|after| ("after", after))
    };
    let place = match again {
        Some((name, id)) => Place::read(&id).ok_or_else(|| {
            Refusal::field(
                name,
                "expected the id of an event, or a sequence number; 0 is the oldest that is there",
            )
        })?,
        None => Place::Now,
    };
    let Some(seat) = service.base.feed.seat(&caller.name) else {
        return Err(Refusal::busy("too many event streams are open"));
    };
    Ok(stream::begin(service, caller, Wanted { topics, keys }, place, seat))
}
