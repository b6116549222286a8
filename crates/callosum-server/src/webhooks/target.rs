//! Where a webhook posts to: the connection, and one try of a message.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use axum::http::{HeaderMap, Request, Response};
use callosum_core::model::text::one_line;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address;
use super::message::Message;
use super::settings::{Address, Webhook};

/// How long a target may take to be reached and to answer, its name aside.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long the rest of an answer may take, so that its connection can be used again.
const REMAINDER: Duration = Duration::from_secs(2);
/// Bytes of an answer that are read for that.
const MAX_ANSWER: usize = 64 << 10;
/// Bytes of an answer's head.
const MAX_HEAD: usize = 64 << 10;
/// Characters of what somebody else's program said about a failure.
const MAX_CAUSE: usize = 200;

/// Where a webhook posts to.
pub(super) struct Target {
    address: Address,
    allow_private: bool,
    tls: Option<TlsConnector>,
    lookups: Arc<Semaphore>,
    open: Option<Connection>,
}

/// What a target said.
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
}

/// A connection that ends with this.
struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Target {
    /// `tls` is needed for an address that asks for it. A look-up takes one of the `lookups`, which all targets share.
    pub(super) fn of(webhook: &Webhook, tls: Option<&Arc<ClientConfig>>, lookups: &Arc<Semaphore>) -> Self {
        Self {
            address: webhook.url.clone(),
            allow_private: webhook.allow_private,
            tls: tls.filter(|_| webhook.url.is_tls).cloned().map(TlsConnector::from),
            lookups: Arc::clone(lookups),
            open: None,
        }
    }

    /// Posts a message once. Redirects are not followed.
    ///
    /// # Errors
    /// A clause that says why there is no answer.
    pub(super) async fn post(&mut self, message: &Message, headers: &HeaderMap) -> Result<Answered, String> {
        if let Some(connection) = self.open.take().filter(|connection| !connection.sender.is_closed()) {
            match timeout(PATIENCE, self.send(connection, message, headers)).await {
                Ok(Ok(answered)) => return Ok(answered),
                // The target may just have closed it: a fresh one tells.
                Ok(Err(_)) => {}
                Err(_) => return Err(too_late()),
            }
        }
        // A look-up can't be broken off: who didn't wait for it might have any number of them.
        let addresses = self.resolve().await?;
        let reached = async {
            let connection = self.connect(&addresses).await?;
            self.send(connection, message, headers).await
        };
        timeout(PATIENCE, reached).await.unwrap_or_else(|_| Err(too_late()))
    }

    /// The addresses that may be connected to.
    async fn resolve(&self) -> Result<Vec<SocketAddr>, String> {
        let (host, port) = (self.address.host.clone(), self.address.port);
        // It ends with the look-up, whoever has gone meanwhile.
        let turn = Arc::clone(&self.lookups).acquire_owned().await;
        let look_up = move || {
            let _turn = turn;
            io::Result::Ok((host.as_str(), port).to_socket_addrs()?.collect::<Vec<_>>())
        };
        let found = spawn_blocking(look_up).await.map_err(|error| error.to_string()).and_then(|found| {
            found.map_err(|error| {
                format!("its name leads nowhere: {}", one_line(&error.to_string(), MAX_CAUSE))
            })
        })?;
        let (mut allowed, mut refused) = (Vec::new(), None);
        for found in found {
            match address::refusal(found.ip(), self.tls.is_some(), self.allow_private) {
                None => allowed.push(found),
                Some(why) => refused = Some(why),
            }
        }
        if allowed.is_empty() {
            return Err(refused.unwrap_or_else(|| "its name has no address".to_owned()));
        }
        Ok(allowed)
    }

    /// Connects to the first of `addresses` that can be reached.
    async fn connect(&self, addresses: &[SocketAddr]) -> Result<Connection, String> {
        let failed = |error: &io::Error| format!("it can't be reached: {}", in_full(error));
        let stream = TcpStream::connect(addresses).await.map_err(|error| failed(&error))?;
        // Messages are small, and the next waits for the answer.
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else { return Connection::over(stream).await };
        let name = ServerName::try_from(self.address.host.clone())
            .map_err(|_| "no certificate can be of its name".to_owned())?;
        let stream = tls
            .connect(name, stream)
            .await
            .map_err(|error| format!("TLS can't be agreed on: {}", in_full(&error)))?;
        Connection::over(stream).await
    }

    async fn send(
        &mut self,
        mut connection: Connection,
        message: &Message,
        headers: &HeaderMap,
    ) -> Result<Answered, String> {
        let mut request = Request::post(self.address.path.as_str())
            .header(HOST, self.address.authority.as_str())
            .header(USER_AGENT, concat!("callosum/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, message.content_type);
        if let Some(all) = request.headers_mut() {
            all.extend(headers.clone());
        }
        let request = request
            .body(Full::new(message.body.clone()))
            .map_err(|_| "its address can't be asked".to_owned())?;
        let failed = |error: &hyper::Error| format!("it gave no answer: {}", in_full(error));
        connection.sender.ready().await.map_err(|error| failed(&error))?;
        let response = connection.sender.send_request(request).await.map_err(|error| failed(&error))?;
        let answered = Answered {
            status: response.status().as_u16(),
            retry_after: response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned),
        };
        if is_read(response).await {
            self.open = Some(connection);
        }
        Ok(answered)
    }
}

fn too_late() -> String {
    format!("it gave no answer within {} s", PATIENCE.as_secs())
}

/// Whether the rest of an answer was read. It says nothing that counts.
async fn is_read(response: Response<Incoming>) -> bool {
    let rest = Limited::new(response.into_body(), MAX_ANSWER).collect();
    matches!(timeout(REMAINDER, rest).await, Ok(Ok(_)))
}

impl Connection {
    async fn over(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Result<Self, String> {
        let (sender, connection) = Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| format!("it can't be spoken to: {}", in_full(&error)))?;
        let driver = tokio::spawn(async move {
            // Whoever waits for an answer hears of it.
            let _ = connection.await;
        });
        Ok(Self { sender, driver })
    }
}

/// An error with what caused it: much of it may be text of the other side.
fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing into a string can't fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    one_line(&text, MAX_CAUSE)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::task::{Context, Waker};

    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_looked_up_few_at_a_time() {
        let entry = json!({
            "name": "ci", "url": "http://127.0.0.1:9/", "allowPrivate": true, "topics": ["*"], "format": "discord",
        });
        let webhook: Webhook = serde_json::from_value(entry).unwrap();
        let lookups = Arc::new(Semaphore::new(1));
        let targets = [(); 2].map(|()| Target::of(&webhook, None, &lookups));
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let slow = lookups.acquire().await.unwrap();
            let mut waiting = targets.each_ref().map(|target| Box::pin(target.resolve()));
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..2 {
                for waiting in &mut waiting {
                    assert!(waiting.as_mut().poll(&mut context).is_pending());
                }
                // Whatever has begun is done before this, on the only thread that waits.
                spawn_blocking(|| ()).await.unwrap();
            }
            drop(slow);
            for waiting in waiting {
                assert_eq!(waiting.await.unwrap().len(), 1);
            }
        });
        assert_eq!(lookups.available_permits(), 1);
    }
}
