//! The service without a connection: requests are handed over, and answers come back. For the fuzz target `bodies`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use callosum_core::gate::{Gate, GateOptions};
use callosum_core::store::state_dir::StateDir;
use http_body_util::BodyExt;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::config::Config;
use crate::http;
use crate::http::guests::Guests;
use crate::http::peer::{End, Peer};
use crate::log::Log;
use crate::service::Service;
use crate::writer::Writer;

/// Who asks, on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// An agent.
    Agent,
    /// This process: a person, unless an agent started it.
    Person,
}

/// A service that is asked on this machine.
#[derive(Debug)]
pub struct InMemory {
    runtime: Runtime,
    router: Router,
    agent: Peer,
    person: Peer,
}

impl InMemory {
    /// The service of a state directory. Nothing is flushed, and nothing is logged.
    ///
    /// # Errors
    /// When its threads can't be started.
    pub fn new(state_dir: &Path) -> io::Result<Self> {
        let settings = json!({ "stateDir": state_dir, "durability": "os", "instanceId": "in-memory" });
        let gate =
            Arc::new(Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() }));
        let (writer, _) = Writer::start(Arc::clone(&gate))?;
        let directory = StateDir::new(state_dir.to_owned());
        let log = Log::start(io::sink())?;
        let service = Arc::new(Service::new(gate, writer, log, &directory, &Config::default()));
        let guests = Arc::new(Guests::new(2));
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            router: http::router(&service, None),
            agent: Peer::new(End::Process(None), guests.enter()),
            person: Peer::new(End::Process(Some(std::process::id())), guests.enter()),
        })
    }

    /// Sends a request with a body of JSON. Returns the answer's status, and what it says.
    ///
    /// # Errors
    /// When there can be no such request.
    pub fn send(&self, asks: Asks, (method, path): (&str, &str), body: Vec<u8>) -> io::Result<(u16, Bytes)> {
        let peer = match asks {
            Asks::Agent => &self.agent,
            Asks::Person => &self.person,
        };
        let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, "application/json");
        let request = request.extension(peer.clone()).body(Body::from(body)).map_err(io::Error::other)?;
        self.runtime.block_on(async {
            let Ok(answer) = TowerToHyperService::new(self.router.clone()).call(request).await;
            let status = answer.status().as_u16();
            Ok((status, answer.into_body().collect().await.map_err(io::Error::other)?.to_bytes()))
        })
    }
}
