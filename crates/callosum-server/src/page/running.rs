//! Asking the service that runs for a link to its page, on its socket.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustix::process::geteuid;
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::http::entry::{PROTOCOL, PROTOCOL_VERSION};
use crate::http::listen::SOCKET;

use super::routes::LinkAnswer;

/// A service that does not answer within this is no help to who wants to see the page now.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer is never larger than this.
const MAX_ANSWER: usize = 64 << 10;

/// A link to the page of the service that runs for this state directory. `None` when none runs, or it has no page for this caller:
/// then the page can be served without it.
pub(super) async fn link(directory: &Path) -> Option<String> {
    timeout(PATIENCE, ask(&directory.join(SOCKET))).await.ok()?
}

async fn ask(socket: &Path) -> Option<String> {
    let stream = UnixStream::connect(socket).await.ok()?;
    // Whoever else could put a socket there could lead anywhere by its link.
    if stream.peer_cred().ok()?.uid() != geteuid().as_raw() {
        return None;
    }
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    tokio::spawn(connection);
    let request = Request::builder().method(Method::POST).uri("/v1/page").header("host", "localhost");
    let answer = sender.send_request(request.body(Body::empty()).ok()?).await.ok()?;
    // One of another version may mean something else by it.
    if answer.status() != StatusCode::OK || answer.headers().get(PROTOCOL) != Some(&PROTOCOL_VERSION) {
        return None;
    }
    let text = Limited::new(answer.into_body(), MAX_ANSWER).collect().await.ok()?.to_bytes();
    let LinkAnswer { url } = serde_json::from_slice(&text).ok()?;
    is_on_loopback(&url).then_some(url)
}

/// Whether a link stays on this machine.
fn is_on_loopback(url: &str) -> bool {
    let Ok(url) = url.parse::<Uri>() else { return false };
    let host = url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
