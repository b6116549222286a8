//! Taking in connections: on the socket, on an address, with TLS or without.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

use crate::base::Base;
use crate::failure::Failure;

use super::guests::Guests;
use super::peer::{End, Peer};

/// The socket's name in a state directory.
pub(crate) const SOCKET: &str = "serve.sock";
/// How long it rests when it can't take a client.
const REST: Duration = Duration::from_millis(100);
/// How long a client may take for a request's head, and leave what it is sent unread.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How many connections there may be that have not shown a token.
const MAX_GUESTS: usize = 256;
/// Files that the process wants to have open: a connection each, and some.
const FILES: u64 = 8_192;
/// Bytes of a request's head.
const MAX_HEAD: usize = 64 << 10;
/// The longest path of a socket that every system takes, with its final zero: `sockaddr_un` has room for so many on Linux.
const MAX_SOCKET_PATH: usize = 108;

/// An address that is listened on.
pub(crate) struct Door {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Door {
    /// Listens on an address.
    pub(crate) async fn open(address: SocketAddr, tls: Option<TlsAcceptor>) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, tls })
    }

    /// `http` or `https`.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// The address with the port that it got.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// The socket in a state directory; it goes with this.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Which file it is.
    identity: (u64, u64),
}

impl Socket {
    /// Listens on `path`. Only who holds the service's lock may do this: a socket that is there already is stale.
    pub(crate) fn open(path: PathBuf) -> Result<Self, Failure> {
        if path.as_os_str().len() >= MAX_SOCKET_PATH {
            return Err(Failure::new(
                format!(
                    "the path of the socket, `{}`, has {} bytes, and a socket's may have {}",
                    path.display(),
                    path.as_os_str().len(),
                    MAX_SOCKET_PATH - 1
                ),
                "set a state directory with a shorter path",
            ));
        }
        let failed = |error: io::Error| {
            Failure::new(
                format!("can't listen on `{}`: {error}", path.display()),
                "move it away, or check the permissions",
            )
        };
        match fs::symlink_metadata(&path) {
            Ok(facts) if facts.file_type().is_socket() => fs::remove_file(&path).map_err(failed)?,
            Ok(_) => return Err(failed(io::Error::other("it is there, and no socket"))),
            Err(_) => {}
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        // The directory lets nobody else in meanwhile.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let identity = identity(&path).map_err(failed)?;
        Ok(Self { listener, path, identity })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Where the directory was replaced, the socket there is another service's.
        if identity(&self.path).is_ok_and(|there| there == self.identity) {
            // What is left of it the next one takes away.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What tells one file from another.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let facts = fs::symlink_metadata(path)?;
    Ok((facts.dev(), facts.ino()))
}

/// Asks for as many open files as connections want, where there may be more than there are.
pub(crate) fn want_files() {
    let files = getrlimit(Resource::Nofile);
    let current = files.maximum.map(|most| most.min(FILES)).or(Some(FILES));
    // With fewer it takes in fewer connections at once.
    let _ = setrlimit(Resource::Nofile, Rlimit { current, ..files });
}

/// Takes in connections until the end is wanted, then lets those that there are end. Each is served by one of `threads`, in turn, all
/// its time. `note` is told what is to be known of them.
pub(crate) async fn serve(
    base: &Arc<Base>,
    router: &Router,
    (socket, door): (Option<&Socket>, Option<&Door>),
    threads: &[Handle],
    note: impl Fn(&str),
) {
    let (guests, mut connections) = (Arc::new(Guests::new(MAX_GUESTS)), JoinSet::new());
    let here = Handle::current();
    let mut threads = threads.iter().cycle();
    loop {
        tokio::select! {
            (stream, end) = on_socket(socket) => {
                let peer = Peer::new(end, guests.enter());
                let (base, router) = (Arc::clone(base), router.clone());
                let stream = stream.into_std();
                let served = async move {
                    // One that can't be taken along is closed.
                    let Ok(stream) = stream.and_then(UnixStream::from_std) else { return };
                    connected(base, router, stream, peer).await;
                };
                connections.spawn_on(served, threads.next().unwrap_or(&here));
            }
            (stream, end) = on_address(door) => {
                let peer = Peer::new(end, guests.enter());
                let (base, router) = (Arc::clone(base), router.clone());
                let (stream, tls) = (stream.into_std(), door.and_then(|door| door.tls.clone()));
                let served = async move {
                    let Ok(stream) = stream.and_then(TcpStream::from_std) else { return };
                    match tls {
                        None => connected(base, router, stream, peer).await,
                        Some(tls) => secured(base, router, tls, stream, peer).await,
                    }
                };
                connections.spawn_on(served, threads.next().unwrap_or(&here));
            }
            Some(_) = connections.join_next() => {}
            () = base.stopped() => break,
        }
        if let Some(crowd) = guests.crowd(Instant::now()) {
            note(&crowd);
        }
    }
    while connections.join_next().await.is_some() {}
}

async fn on_socket(socket: Option<&Socket>) -> (UnixStream, End) {
    let Some(socket) = socket else { return std::future::pending().await };
    loop {
        match socket.listener.accept().await {
            Ok((stream, _)) => {
                let process = stream.peer_cred().ok().and_then(|peer| peer.pid());
                return (stream, End::Process(process.and_then(|pid| pid.try_into().ok())));
            }
            // The client is gone again, or this process has too many files open.
            Err(_) => sleep(REST).await,
        }
    }
}

async fn on_address(door: Option<&Door>) -> (TcpStream, End) {
    let Some(door) = door else { return std::future::pending().await };
    loop {
        let taken = door.listener.accept().await;
        match taken.and_then(|(stream, peer)| Ok((stream.local_addr()?, stream, peer))) {
            Ok((reached, stream, peer)) => {
                // Answers are small, and their reader waits for each.
                let _ = stream.set_nodelay(true);
                return (stream, End::Address(peer, reached));
            }
            Err(_) => sleep(REST).await,
        }
    }
}

async fn secured(base: Arc<Base>, router: Router, tls: TlsAcceptor, stream: TcpStream, peer: Peer) {
    tokio::select! {
        // A client that breaks off, or speaks no TLS, is nobody else's trouble.
        agreed = timeout(HANDSHAKE, tls.accept(stream)) => if let Ok(Ok(stream)) = agreed {
            connected(base, router, stream, peer).await;
        },
        () = peer.guest().dismissed() => {}
    }
}

/// Answers one client until it goes, is too slow, gives way to another, or the end is wanted.
async fn connected(
    base: Arc<Base>,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    peer: Peer,
) {
    let answer = {
        let peer = peer.clone();
        hyper::service::service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer.clone());
            hyper::service::Service::call(&TowerToHyperService::new(router.clone()), request)
        })
    };
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(PATIENCE));
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(Box::pin(stream)), answer)
    );
    tokio::select! {
        _ = connection.as_mut() => return,
        () = peer.guest().dismissed() => return,
        () = base.stopped() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::task::{Context, Waker};

    use callosum_core::gate::GateOptions;
    use callosum_core::query::ReadOnlyView;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::server::ResolvesServerCertUsingSni;

    use super::*;
    use crate::state::State;

    #[tokio::test]
    async fn who_is_agreeing_on_tls_gives_way_at_once_too() {
        let directory = tempfile::tempdir().unwrap();
        let settings = serde_json::json!({ "stateDir": directory.path() }).to_string();
        let options = GateOptions { settings, ..GateOptions::default() };
        let base = Base::new(State::View(Arc::new(ReadOnlyView::new(options.clone())), options));
        let no_certificates = Arc::new(ResolvesServerCertUsingSni::new());
        let tls = ServerConfig::builder().with_no_client_auth().with_cert_resolver(no_certificates);
        let door =
            Door::open("127.0.0.1:0".parse().unwrap(), Some(TlsAcceptor::from(Arc::new(tls)))).await.unwrap();
        let _silent = TcpStream::connect(door.address().unwrap()).await.unwrap();
        let (stream, end) = on_address(Some(&door)).await;
        let guests = Arc::new(Guests::new(1));
        let peer = Peer::new(end, guests.enter());
        let tls = door.tls.clone().unwrap();
        let mut served = Box::pin(secured(Arc::new(base), Router::new(), tls, stream, peer));
        let mut context = Context::from_waker(Waker::noop());
        assert!(served.as_mut().poll(&mut context).is_pending());
        let _next = guests.enter();
        assert!(served.as_mut().poll(&mut context).is_ready());
    }
}
