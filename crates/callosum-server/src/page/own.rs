//! `callosum ui`: a link to the running service's page; where none runs, the page by this process alone, as long as it is open.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use callosum_core::query::ReadOnlyView;
use serde_json::json;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use crate::args::Global;
use crate::base::{Base, THREADS};
use crate::config;
use crate::failure::Failure;
use crate::http::entry::entered;
use crate::http::listen::{Door, serve as serve_connections, want_files};
use crate::state::State;

use super::{Page, routes, running, standard_input};

/// How long connections, and then what is worked on, may take when this is to end. What a release has not written by then it
/// does not write.
const FAREWELL: Duration = Duration::from_secs(1);

/// Prints a link to the running service's page. Without one, or with a `port`, serves the page until Ctrl-C or SIGTERM.
pub(crate) fn run(global: &Global, port: Option<u16>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    want_files();
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(|error| cant_serve(&error))?;
    let result = runtime.block_on(async {
        if port.is_none()
            && let Some(url) = running::link(&config::locate(global)?).await
        {
            let more = "It is the running service's; for a fresh link, run this again.";
            return print_link(global, &url, more, out).map(|()| ExitCode::SUCCESS);
        }
        serve(global, port.unwrap_or(0), out).await
    });
    runtime.shutdown_timeout(FAREWELL);
    result
}

fn cant_serve(error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("can't serve the page: {error}"), "free some memory or open files, and try again")
}

async fn serve(global: &Global, port: u16, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let options = config::gate_options(global, "http", "callosum-serve")?;
    let door = Door::open(SocketAddr::from((Ipv4Addr::LOCALHOST, port)), None).await.map_err(|error| {
        let fragment = format!("can't listen on 127.0.0.1:{port}: {error}");
        Failure::new(fragment, "choose another `--port`, or leave it out")
    })?;
    let address = door.address().map_err(|error| cant_serve(&error))?;
    let view = Arc::new(ReadOnlyView::new(options.clone()));
    let base = Arc::new(Base::new(State::View(view, options)));
    let page = Arc::new(Page::open(door.scheme(), address, Arc::clone(&base))?);
    let router: Router = entered(routes::routes(&page).fallback(routes::nothing_else), None);

    // Heard from now on: who has the link may end this at once.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| cant_serve(&error))?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| cant_serve(&error))?;
    let mut wishes = standard_input::wishes();
    tokio::spawn(Arc::clone(&base.feed).run());
    let mut print = || {
        let more = "Enter gives a fresh link, Ctrl-C ends this.";
        print_link(global, &page.fresh_link()?, more, out)
    };
    print()?;
    let serving = serve_connections(&base, &router, (None, Some(&door)), &[], |text| {
        // Whoever reads the link reads this; where nobody can, nothing is lost.
        let _ = writeln!(io::stderr(), "callosum: {text}");
    });
    tokio::pin!(serving);
    loop {
        tokio::select! {
            () = &mut serving => break,
            Some(()) = wishes.recv() => print()?,
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
        }
    }
    base.stop();
    let _ = timeout(FAREWELL, serving).await;
    Ok(ExitCode::SUCCESS)
}

fn print_link(global: &Global, url: &str, more: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let line = if global.json {
        json!({ "url": url }).to_string()
    } else {
        format!("{url} opens the page, once. {more}")
    };
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| {
        Failure::new(format!("can't write the link: {error}"), "check where the output goes")
    })
}
