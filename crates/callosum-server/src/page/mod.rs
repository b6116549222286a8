//! `callosum ui`: the page, for one user of this machine, on loopback.

mod access;
mod answer;
mod events;
mod feed;
mod files;
mod routes;
mod server;
mod standard_input;

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::args::Global;
use crate::config;
use crate::failure::Failure;

use self::access::Access;
use self::files::Page;
use self::server::{Server, THREADS};

/// How long the server waits before it tries again, when it can't take a client.
const REST: Duration = Duration::from_millis(100);
/// How long connections, and then what is worked on, may take when the server is to end. What a release has not written
/// by then it does not write.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves the page until Ctrl-C or SIGTERM.
pub(crate) fn run(global: &Global, port: Option<u16>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(|error| cant_serve(&error))?;
    let result = runtime.block_on(serve(global, port, out));
    runtime.shutdown_timeout(FAREWELL);
    result
}

fn cant_serve(error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("can't serve the page: {error}"), "free some memory or open files, and try again")
}

async fn serve(global: &Global, port: Option<u16>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let options = config::gate_options(global)?;
    let listen = async || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let port = listener.local_addr()?.port();
        io::Result::Ok((listener, port))
    };
    let (listener, port) = listen().await.map_err(|error| {
        let fragment = format!("can't listen on 127.0.0.1:{}: {error}", port.unwrap_or(0));
        Failure::new(fragment, "choose another `--port`, or leave it out")
    })?;
    let access = Access::new(port).map_err(|error| cant_serve(&error))?;
    let page = Page::read(access.token())?;
    let server = Arc::new(Server::new(access, page, options));

    // Heard from now on: who has the link may end this at once.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| cant_serve(&error))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| cant_serve(&error))?;
    let mut wishes = standard_input::wishes();
    let mut connections = JoinSet::new();
    tokio::spawn(events::watch(Arc::clone(&server)));
    print_link(global, &server, out)?;
    loop {
        tokio::select! {
            stream = next(&listener) => {
                connections.spawn(routes::serve(Arc::clone(&server), stream));
            }
            Some(_) = connections.join_next() => {}
            Some(()) = wishes.recv() => print_link(global, &server, out)?,
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
        }
    }
    server.stop();
    let _ = timeout(FAREWELL, async { while connections.join_next().await.is_some() {} }).await;
    Ok(ExitCode::SUCCESS)
}

/// The next client.
async fn next(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // The client is gone again, or this process has too many files open.
            Err(_) => sleep(REST).await,
        }
    }
}

fn print_link(global: &Global, server: &Server, out: &mut dyn Write) -> Result<(), Failure> {
    let url = server.access.fresh_link().map_err(|error| cant_serve(&error))?;
    let line = if global.json {
        json!({ "url": url }).to_string()
    } else {
        format!("{url} opens the page, once. Enter gives a fresh link, Ctrl-C ends this.")
    };
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| {
        Failure::new(format!("can't write the link: {error}"), "check where the output goes")
    })
}
