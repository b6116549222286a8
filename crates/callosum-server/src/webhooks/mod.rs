//! Webhooks: what happens, posted to where `serve.json` says. Each has a task of its own, which reads the journal by itself: no call and no
//! other webhook waits for it. It goes on where it was, at least once and in order, over restarts too.

mod address;
mod delivery;
mod message;
mod retry;
mod secret;
mod settings;
mod states;
mod target;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::timeout;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::failure::Failure;
use crate::service::Service;

use self::delivery::Delivery;
pub(crate) use self::settings::{MAX_WEBHOOKS, Webhook};
use self::states::States;
use self::target::Target;

/// Names that are looked up at once: where no name server answers, each takes a thread that others wait for, for half a minute.
const MAX_LOOKUPS: usize = 2;

/// The webhooks, ready to start.
pub(crate) struct Webhooks {
    webhooks: Vec<(Webhook, Target)>,
    states: Arc<States>,
}

/// The webhooks at work.
pub(crate) struct Delivering {
    deliveries: JoinSet<()>,
    keeper: JoinHandle<()>,
    states: Arc<States>,
}

impl Webhooks {
    /// Those of `webhooks`, for a state directory that nobody else serves.
    ///
    /// # Errors
    /// When it can't be told how far they have come, or there is nothing to prove targets by.
    pub(crate) fn open(directory: &Path, webhooks: &[Webhook]) -> Result<Self, Failure> {
        let states = Arc::new(States::open(directory, webhooks)?);
        let is_tls = webhooks.iter().any(|webhook| webhook.url.is_tls);
        let tls = is_tls.then(tls).transpose()?;
        let lookups = Arc::new(Semaphore::new(MAX_LOOKUPS));
        let with_target = |webhook: &Webhook| (webhook.clone(), Target::of(webhook, tls.as_ref(), &lookups));
        Ok(Self { webhooks: webhooks.iter().map(with_target).collect(), states })
    }

    /// Starts to deliver: a new webhook gets what comes from now on.
    pub(crate) async fn start(self, service: &Arc<Service>) -> Delivering {
        let Self { webhooks, states } = self;
        let mut deliveries = JoinSet::new();
        let end = service.base.feed.end().await.ok();
        for (webhook, target) in webhooks {
            let (service, states) = (Arc::clone(service), Arc::clone(&states));
            deliveries.spawn(Delivery::new(service, webhook, target, states, end).run());
        }
        let keeper = tokio::spawn(Arc::clone(&states).keep(Arc::clone(service)));
        Delivering { deliveries, keeper, states }
    }
}

impl Delivering {
    /// Lets what is under way arrive, now that the service is to end, within `farewell`.
    pub(crate) async fn end(mut self, farewell: Duration) {
        let _ = timeout(farewell, async { while self.deliveries.join_next().await.is_some() {} }).await;
        self.keeper.abort();
        let _ = spawn_blocking(move || self.states.close()).await;
    }
}

/// TLS to targets whose certificates the system's roots prove.
fn tls() -> Result<Arc<ClientConfig>, Failure> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        let why = found.errors.first().map_or_else(String::new, |error| format!(": {error}"));
        return Err(Failure::new(
            format!("webhooks can't use `https://`: the system has no root certificates{why}"),
            "install the package `ca-certificates`, or name a PEM file in SSL_CERT_FILE",
        ));
    }
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}
