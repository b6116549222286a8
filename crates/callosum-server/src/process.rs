//! The process: one for a state directory, from its start to its end.

use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use callosum_core::gate::{Gate, Level};
use callosum_core::model::time::to_rfc3339;
use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::{Held, StateGuard};
use sd_notify::NotifyState;
use serde::{Deserialize, Serialize};
use tokio::runtime::{self, Handle};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::spawn_blocking;
use tokio::time::{interval, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::args::{Global, Listen};
use crate::base::THREADS;
use crate::config::{self, Config};
use crate::failure::Failure;
use crate::http;
use crate::http::listen::{Door, SOCKET, Socket, serve as serve_connections, want_files};
use crate::log::Log;
use crate::notices::{self, Notify};
use crate::page::{Page, on_loopback};
use crate::service::Service;
use crate::webhooks::Webhooks;
use crate::writer::Writer;

/// Only who holds this file's lock serves its directory. It names the one that does.
const LOCK: &str = "serve.lock";
/// How long connections may take, when the service is to end, to finish what they are at.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long all that is left to be done and written may take then.
const SETTLING: Duration = Duration::from_millis(1_500);
/// Threads that answer, where there are so many processors. They write nothing and wait for no caller; all that they look at is whether
/// `tokens.json` is still the same, and whose process is at the socket's other end. Each has its connections and its own runtime: threads
/// of one runtime wake one another for every request, to find nothing to do.
const MOST_THREADS: usize = 4;
/// How often the gate's maintenance is due.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(1);

/// Who serves a directory, as its lock's file tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Running {
    pid: u32,
    socket: String,
    listen: Option<String>,
    started_at: String,
}

/// Serves until Ctrl-C or SIGTERM.
pub(crate) fn serve(global: &Global, listen: &Listen) -> Result<ExitCode, Failure> {
    let directory = config::state_dir(global)?;
    let config = Config::read(&directory.path)?;
    let address = address(listen)?;
    let tls = tls(listen)?;
    let Some(lock) = hold(&directory)? else { return other_runs(&directory.path) };
    let webhooks = Webhooks::open(&directory.path, &config.webhooks)?;
    want_files();
    let started = || {
        runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .max_blocking_threads(THREADS + config.webhooks.len() + 1)
            .build()
            .map_err(|error| cant_start(&error))
    };
    let runtime = started()?;
    let more = MOST_THREADS.min(available_parallelism().map_or(1, NonZero::get)).saturating_sub(1);
    let others = (0..more).map(|_| started()).collect::<Result<Vec<_>, _>>()?;
    let threads: Vec<Handle> =
        [&runtime].into_iter().chain(&others).map(|one| one.handle().clone()).collect();
    let gate = Arc::new(Gate::new(config::gate_options(global, "http", "callosum-serve")?));
    let (writer, written) = Writer::start(Arc::clone(&gate)).map_err(|error| cant_start(&error))?;
    let log = Log::start(io::stderr()).map_err(|error| cant_start(&error))?;
    let service = Arc::new(Service::new(Arc::clone(&gate), writer, log, &directory, &config));
    let served =
        runtime.block_on(run(&service, &directory, (address, tls), &threads, (webhooks, config.notify)));
    // Whatever a connection still held of the service goes with the runtimes, and with that the writer's last sender.
    let end = Instant::now() + SETTLING;
    for runtime in others.into_iter().chain([runtime]) {
        runtime.shutdown_timeout(end.saturating_duration_since(Instant::now()));
    }
    drop(service);
    if served.is_ok() {
        // Who waits behind a guard that nobody lets go of would keep the process for longer than its manager has patience.
        let _ = written.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
    gate.settle(end, &gate.machine().now());
    drop(lock);
    served.map(|()| ExitCode::SUCCESS)
}

fn cant_start(error: &io::Error) -> Failure {
    Failure::new(format!("can't start: {error}"), "free some memory, threads or open files, and try again")
}

async fn run(
    service: &Arc<Service>,
    directory: &StateDir,
    (address, tls): (Option<SocketAddr>, Option<TlsAcceptor>),
    threads: &[Handle],
    (webhooks, notify): (Webhooks, Option<Notify>),
) -> Result<(), Failure> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| cant_start(&error))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| cant_start(&error))?;
    let socket = Socket::open(directory.path.join(SOCKET))?;
    let door = match address {
        None => None,
        Some(address) => Some(Door::open(address, tls).await.map_err(|error| {
            Failure::new(
                format!("can't listen on {address}: {error}"),
                "choose another address with `--listen`",
            )
        })?),
    };
    let reached = door.as_ref().and_then(|door| door.address().ok());
    let delivering = webhooks.start(service).await;
    let telling = match notify {
        Some(notify) => Some(notices::start(service, notify).await),
        None => None,
    };
    tell_who_runs(service, directory, &socket, reached);
    let page = door.as_ref().and_then(|door| page(service, door));
    let router = http::router(service, page.as_ref());
    let maintenance = tokio::spawn(maintain(Arc::clone(service)));
    let feed = tokio::spawn(Arc::clone(&service.base.feed).run());
    // Where nobody waits for it, nobody misses it.
    let _ = sd_notify::notify(&[NotifyState::Ready]);
    let listened = (Some(&socket), door.as_ref());
    let serving = serve_connections(&service.base, &router, listened, threads, |text| {
        service.log.note(text);
    });
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    let _ = sd_notify::notify(&[NotifyState::Stopping]);
    service.base.stop();
    let _ = tokio::join!(timeout(FAREWELL, serving), delivering.end(FAREWELL));
    maintenance.abort();
    if let Some(telling) = telling {
        telling.abort();
    }
    feed.abort();
    Ok(())
}

/// The page, where it can be reached by browsers of this machine alone. The gate needs none: what is wrong is logged.
fn page(service: &Service, door: &Door) -> Option<Arc<Page>> {
    let address = on_loopback(door.address().ok()?)?;
    match Page::open(door.scheme(), address, Arc::clone(&service.base)) {
        Ok(page) => Some(Arc::new(page)),
        Err(failure) => {
            service.log.note(&format!("there is no page: {failure}"));
            None
        }
    }
}

/// Says where the service is, to people and to whoever would be the second.
fn tell_who_runs(service: &Service, directory: &StateDir, socket: &Socket, reached: Option<SocketAddr>) {
    let running = Running {
        pid: std::process::id(),
        socket: socket.path().display().to_string(),
        listen: reached.map(|address| address.to_string()),
        started_at: to_rfc3339(service.gate.machine().now().wall_ms),
    };
    if let Ok(text) = serde_json::to_string(&running) {
        // It is the lock that counts, not the text.
        let _ = fs::write(directory.path.join(LOCK), text);
    }
    let place = reached.map_or_else(String::new, |address| format!(" and on {address}"));
    let mut out = io::stdout();
    let _ = writeln!(out, "Serving {} on its socket{place}.", directory.path.display());
    let _ = out.flush();
}

/// Takes the lock, unless somebody has it.
fn hold(directory: &StateDir) -> Result<Option<Held>, Failure> {
    Ok(StateGuard::open_named(directory, LOCK)?.try_hold()?)
}

fn other_runs(directory: &Path) -> Result<ExitCode, Failure> {
    let running = fs::read_to_string(directory.join(LOCK)).ok();
    let running = running.and_then(|text| serde_json::from_str::<Running>(&text).ok());
    let who = running.map_or_else(String::new, |running| {
        let place = running.listen.map_or_else(String::new, |listen| format!(", on {listen}"));
        format!(": process {}{place}, since {}", running.pid, running.started_at)
    });
    let text = format!("callosum: `{}` is served already{who}\n", directory.display());
    let _ = io::stderr().write_all(text.as_bytes());
    Ok(ExitCode::from(1))
}

/// What the gate does between calls, and what it has to say.
async fn maintain(service: Arc<Service>) {
    let mut due = interval(MAINTENANCE_INTERVAL);
    loop {
        due.tick().await;
        let gate = Arc::clone(&service.gate);
        let _ = spawn_blocking(move || gate.maintain(&gate.machine().now())).await;
        for notice in service.gate.take_notices() {
            let level = match notice.level {
                Level::Info => "info",
                Level::Warn => "warning",
                Level::Error => "error",
            };
            service.log.note(&format!("{level}: {}", notice.text));
        }
    }
}

/// The address to listen on; `None` for the socket alone.
fn address(listen: &Listen) -> Result<Option<SocketAddr>, Failure> {
    if listen.listen == "none" {
        return Ok(None);
    }
    let address: SocketAddr = listen.listen.parse().map_err(|_| {
        let said = callosum_core::model::text::one_line(&listen.listen, 80);
        Failure::new(
            format!("`{said}` is no address to listen on"),
            "give `--listen` an address and a port, such as 127.0.0.1:7411 or [::1]:7411, or `none`",
        )
    })?;
    if !address.ip().is_loopback() && !listen.plain_http && listen.tls_cert.is_none() {
        return Err(Failure::new(
            format!("{address} is reached from other machines, and tokens would go there in the clear"),
            "give `--tls-cert` and `--tls-key`; or `--plain-http`, where the network itself is encrypted and closed (Tailscale, WireGuard)",
        ));
    }
    Ok(Some(address))
}

fn tls(listen: &Listen) -> Result<Option<TlsAcceptor>, Failure> {
    let (Some(cert), Some(key)) = (&listen.tls_cert, &listen.tls_key) else { return Ok(None) };
    let wrong = |path: &Path, why: String| {
        Failure::new(
            format!("`{}` can't be used for TLS: {why}", path.display()),
            "give PEM files: a certificate chain, and its private key",
        )
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(cert, error.to_string()))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| wrong(cert, format!("with the key in `{}`, {error}", key.display())))?;
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}
