//! What the page is answered, and what its document and files are sent with.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use callosum_core::query::{Answered, QUESTIONS, QueryError, Question, Surface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

use crate::http::answer::json;
use crate::http::peer::Peer;
use crate::http::refusal::Refusal;
use crate::http::stream::{self, HEARTBEAT, Over, SIGN_OF_LIFE, Teller};

use super::asked::Asked;
use super::files::File;
use super::{Page, together};

/// Nothing leaves the page for elsewhere, nothing from elsewhere gets in, and nobody frames it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS: [(HeaderName, &str); 3] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];
/// How long a page is left alone after it was told that the journal has grown: it asks anew each time.
const BETWEEN: Duration = Duration::from_millis(500);

/// The page on connections that reached a loopback address; on others there is none.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(page: &Arc<Page>) -> Router<S> {
    let questions = QUESTIONS.iter().filter(|question| question.is_offered(Surface::Page));
    let api = questions.fold(Router::new(), |router, question| {
        let path = format!("/api/{}", question.name);
        match question.answered {
            Answered::BySource(_) => {
                router.route(&path, get(async move |page, asked| answer(page, asked, question).await))
            }
            // Nothing of a request's body is ever read: a sender could take its time.
            Answered::ByRelease => router.route(&path, post(release)),
        }
    });
    let api = api
        .merge(together::routes())
        .route("/api/events", get(events))
        .route("/api/{*other}", any(async || Refusal::no_such_question()))
        .route_layer(from_fn_with_state(Arc::clone(page), needs_token));
    let files = page.files.open.iter().fold(Router::new(), |router, (path, file)| {
        let file = file.clone();
        router.route(path, get(async move || file))
    });
    files
        .route("/", get(document))
        .merge(api)
        .method_not_allowed_fallback(async |method: Method, uri: Uri| Refusal::wrong_method(&method, &uri))
        .layer(map_response(secured))
        .route_layer(from_fn(on_loopback))
        .with_state(Arc::clone(page))
}

/// What a page alone says of all other paths.
pub(crate) async fn nothing_else() -> Response {
    secured(sentence(StatusCode::NOT_FOUND, "There is nothing here. The page is at `/`.")).await
}

async fn on_loopback(uri: Uri, request: Request, next: Next) -> Result<Response, Refusal> {
    match request.extensions().get::<Peer>() {
        Some(peer) if peer.is_on_loopback() => Ok(next.run(request).await),
        _ => Err(Refusal::no_such_path(&uri)),
    }
}

/// Puts on an answer what keeps others out.
async fn secured(mut answer: Response) -> Response {
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// A sentence for who opened an address by hand.
fn sentence(status: StatusCode, text: &'static str) -> Response {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{text}\n")).into_response()
}

/// As whom those who show the page's token are counted; no token can be called so.
const PAGE: &str = "";

/// Lets only those pass who show the page's token.
async fn needs_token(
    State(page): State<Arc<Page>>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    if !page.access.has_token(request.headers()) {
        return Err(Refusal::signed_out());
    }
    if let Some(peer) = request.extensions().get::<Peer>() {
        peer.is_known(|| page.base.known_place(PAGE));
    }
    Ok(next.run(request).await)
}

/// What the link says.
#[derive(Debug, Deserialize)]
struct Opened {
    code: Option<String>,
}

/// The document: with its token for who has the link's code.
async fn document(State(page): State<Arc<Page>>, Query(link): Query<Opened>) -> Result<File, Response> {
    match link.code {
        None => Ok(page.files.index.clone()),
        Some(code) if page.access.redeem(&code) => Ok(page.files.opened.clone()),
        Some(_) => Err(sentence(
            StatusCode::FORBIDDEN,
            "This link has been used, or is not the newest. For a fresh one, run `callosum ui`, or press Enter where it runs.",
        )),
    }
}

async fn answer(
    State(page): State<Arc<Page>>,
    Query(asked): Query<Asked>,
    question: &'static Question,
) -> Result<Response, Refusal> {
    Ok(json(StatusCode::OK, page.base.ask(question.name, asked.text()).await?))
}

/// The leases on which resource the page wants to end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    key: String,
}

async fn release(
    State(page): State<Arc<Page>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    if !page.access.is_own_origin(&headers) {
        return Err(Refusal::foreign("Origin"));
    }
    let Wanted { key } = asked.read()?;
    let released = page.base.in_turn(move |state| {
        let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
        let who = if user.is_empty() { "an operator" } else { &user };
        let released = state.release(&key, &format!("{who} in callosum ui"))?;
        serde_json::to_string(&released)
            .map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
    });
    Ok(json(StatusCode::OK, released.await?))
}

/// Tells a page how far the journal reaches, whenever it has grown.
async fn events(State(page): State<Arc<Page>>) -> Result<Response, Refusal> {
    let place = Arc::clone(&page.streams).try_acquire_owned();
    let place = place.map_err(|_| Refusal::busy("too many pages are open; close some"))?;
    let base = Arc::clone(&page.base);
    Ok(stream::begin(&base, async move |teller| {
        let _place = place;
        let Err(over) = tell(&page, &teller).await;
        over
    }))
}

async fn tell(page: &Page, teller: &Teller) -> Result<Infallible, Over> {
    let mut news = page.base.feed.heads();
    // A state that can't be looked at is no news: `status` tells what is wrong.
    let _ = page.base.feed.end().await;
    news.mark_changed();
    loop {
        let text = match timeout(HEARTBEAT, news.changed()).await {
            Ok(Ok(())) => match &*news.borrow_and_update() {
                Some(head) => {
                    let head = serde_json::to_string(head).map_err(|_| Over)?;
                    format!("event: head\ndata: {head}\n\n")
                }
                None => SIGN_OF_LIFE.to_owned(),
            },
            Ok(Err(_)) => return Err(Over),
            Err(_) => SIGN_OF_LIFE.to_owned(),
        };
        teller.send(text).await?;
        sleep(BETWEEN).await;
    }
}

/// A link that opens the page.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct LinkAnswer {
    /// The address. It works once, on this machine, and only while it is the newest.
    pub(crate) url: String,
}

/// What makes links, for who may.
pub(crate) fn linking<S: Clone + Send + Sync + 'static>(page: Option<Arc<Page>>) -> Router<S> {
    let link = async move || {
        let page = page.as_deref().ok_or_else(Refusal::no_page)?;
        let url = page.fresh_link().map_err(|_| Refusal::broken())?;
        Ok::<_, Refusal>(axum::Json(LinkAnswer { url }))
    };
    Router::new().route("/v1/page", post(link))
}
