//! What is answered to whom.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use callosum_core::gate::{Gate, GateOptions};
use callosum_core::query::{self, QueryError, Question, Released, Right, Surface};
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_io_timeout::TimeoutStream;

use crate::http::guests::Guest;

use super::answer::{Answer, of_core, refusal, sentence};
use super::events;
use super::server::Server;

/// Bytes of a request's head, with its query.
const MAX_HEAD: usize = 32 * 1024;
/// How long a client may take for a request's head, and how long it may leave what it is sent unread.
const PATIENCE: Duration = Duration::from_secs(10);
/// Answers one client until it goes, is too slow, gives way to another, or the server ends.
pub(super) async fn serve(server: Arc<Server>, stream: TcpStream) {
    let caller = Caller { guest: server.guests.enter(), place: OnceLock::new() };
    let respond =
        service_fn(|request| async { Ok::<_, Infallible>(respond(&server, &caller, request).await) });
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(PATIENCE));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(Box::pin(stream)), respond)
    );
    // A client that breaks off, or speaks no HTTP, is nobody else's trouble.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = caller.guest.dismissed() => return,
        () = server.stopped() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Who is at the other end of a connection.
struct Caller {
    guest: Guest,
    /// Of one that has shown the token.
    place: OnceLock<OwnedSemaphorePermit>,
}

impl Caller {
    /// It has shown the token: it keeps its connection, while there are not too many such.
    fn is_known(&self, server: &Server) {
        if self.place.get().is_none()
            && let Ok(place) = Arc::clone(&server.known).try_acquire_owned()
        {
            self.guest.is_known();
            let _ = self.place.set(place);
        }
    }
}

/// What a query says.
#[derive(Default)]
struct Query {
    /// Of the link.
    code: Option<String>,
    /// What is asked, as JSON text.
    q: Option<String>,
}

impl Query {
    fn read(text: &str) -> Self {
        let mut query = Self::default();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            match &*name {
                "code" => query.code = Some(value.into_owned()),
                "q" => query.q = Some(value.into_owned()),
                _ => {}
            }
        }
        query
    }
}

async fn respond(server: &Arc<Server>, caller: &Caller, request: Request<Incoming>) -> Answer {
    let access = &server.access;
    let headers = request.headers();
    if !access.is_own_host(headers) {
        return sentence(
            StatusCode::FORBIDDEN,
            "This server answers only at the address in the link that `callosum ui` prints.",
        );
    }
    let path = request.uri().path();
    let name = path.strip_prefix("/api/");
    let question = name.and_then(Question::named).filter(|question| question.is_offered(Surface::Page));
    let (method, allowed) = match question.map(|question| question.right) {
        Some(Right::Operate) => (Method::POST, "POST"),
        Some(Right::Read) | None => (Method::GET, "GET"),
    };
    if *request.method() != method {
        let mut answer = sentence(StatusCode::METHOD_NOT_ALLOWED, "That can't be done here.");
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
        return answer;
    }
    if method == Method::POST && !access.is_own_origin(headers) {
        return refusal(StatusCode::FORBIDDEN, "forbidden", "only the page itself may post");
    }
    let query = Query::read(request.uri().query().unwrap_or_default());
    if let ("/", Some(code)) = (path, &query.code) {
        return opened(server, code);
    }
    let Some(name) = name else {
        return server.page.answer(path);
    };
    if !access.has_token(headers) {
        let message = "this page is signed out; open it again with a link from `callosum ui`";
        return refusal(StatusCode::UNAUTHORIZED, "unauthorized", message);
    }
    caller.is_known(server);
    let asked = query.q.unwrap_or_else(|| "{}".to_owned());
    match (name, question) {
        ("events", _) => events::stream(server),
        // Nothing of a request's body is ever read: a sender could take its time.
        ("release", Some(_)) => release(server, &asked).await,
        (_, Some(question)) => {
            let observer = Arc::clone(&server.observer);
            let work = move || query::answer(&*observer, question.name, &asked, &observer.machine().now());
            of_core(server.in_turn(work).await)
        }
        (_, None) => refusal(StatusCode::NOT_FOUND, "not-found", "there is no such question"),
    }
}

/// The page with its token, for who has the link's code.
fn opened(server: &Server, code: &str) -> Answer {
    if !server.access.redeem(code) {
        return sentence(
            StatusCode::FORBIDDEN,
            "This link has been used, or is not the newest. For a fresh one, press Enter where `callosum ui` runs.",
        );
    }
    server.page.opened()
}

/// The leases on which resource the page wants to end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    key: String,
}

async fn release(server: &Server, asked: &str) -> Answer {
    let wanted: Wanted = match serde_json::from_str(asked) {
        Ok(wanted) => wanted,
        Err(error) => {
            return refusal(StatusCode::BAD_REQUEST, "bad-request", &format!("bad request: {error}"));
        }
    };
    let options = server.options.clone();
    let released = server.in_turn(move || {
        let released = end_leases(options, &wanted.key)?;
        serde_json::to_string(&released)
            .map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
    });
    of_core(released.await)
}

/// Ends the leases on `key`; the journal says that this user did.
fn end_leases(options: GateOptions, key: &str) -> Result<Released, QueryError> {
    let gate = Gate::new(options);
    let now = gate.machine().now();
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    let who = if user.is_empty() { "an operator" } else { &user };
    let held = gate.release(key, &format!("{who} in callosum ui"), &now)?;
    gate.close(&now);
    Ok(Released::of(key, &held))
}
