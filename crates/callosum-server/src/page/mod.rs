//! The page, for one user of this machine, on loopback: served by the service, or by `callosum ui` alone where none runs.

mod access;
mod asked;
mod files;
pub(crate) mod own;
pub(crate) mod routes;
mod running;
mod standard_input;
mod together;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::base::Base;
use crate::failure::Failure;

use self::access::Access;
use self::files::Files;

/// How many pages may listen for events.
const MAX_STREAMS: usize = 16;

/// The page, and who may see what it shows.
#[derive(Debug)]
pub(crate) struct Page {
    base: Arc<Base>,
    access: Access,
    files: Files,
    /// Places for pages that listen for events.
    streams: Arc<Semaphore>,
}

impl Page {
    /// Reads the page that came with this program, to be served at `address`, which is one of loopback.
    pub(crate) fn open(scheme: &'static str, address: SocketAddr, base: Arc<Base>) -> Result<Self, Failure> {
        let access = Access::new(scheme, address).map_err(|error| no_randomness(&error))?;
        let files = Files::read(access.token())?;
        Ok(Self { base, access, files, streams: Arc::new(Semaphore::new(MAX_STREAMS)) })
    }

    /// A link that opens the page once; the one before it opens nothing any more.
    pub(crate) fn fresh_link(&self) -> Result<String, Failure> {
        self.access.fresh_link().map_err(|error| no_randomness(&error))
    }
}

fn no_randomness(error: &getrandom::Error) -> Failure {
    Failure::new(format!("the system gives no random bytes: {error}"), "try again")
}

/// Where on loopback whoever listens on `address` is reached; `None` when it is not.
pub(crate) fn on_loopback(address: SocketAddr) -> Option<SocketAddr> {
    let reached = match address.ip() {
        own if own.is_loopback() => own,
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        _ => return None,
    };
    Some(SocketAddr::new(reached, address.port()))
}
