//! What all connections of the page share.

use std::sync::Arc;

use callosum_core::gate::GateOptions;
use callosum_core::query::{self, Observer, QueryError};
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use crate::http::guests::Guests;

use super::access::Access;
use super::feed::Head;
use super::files::Page;

/// How many connections there may be that have shown the token; more stay guests.
const MAX_KNOWN: usize = 64;
/// How many there may be that have not.
const MAX_GUESTS: usize = 64;
/// How many pages may listen for events.
const MAX_STREAMS: usize = 16;
/// How many questions are worked on at once.
const MAX_QUESTIONS: usize = 6;
/// Threads for them, and for the looks at the journal's end, which must not wait behind them.
pub(super) const THREADS: usize = MAX_QUESTIONS + 2;

/// What all connections share.
pub(super) struct Server {
    /// Who may see the page.
    pub(super) access: Access,
    /// How far the journal reaches, as last looked at.
    pub(super) head: watch::Sender<Option<Head>>,
    /// Places for pages that listen for events.
    pub(super) streams: Arc<Semaphore>,
    /// Connections that have not shown the token.
    pub(super) guests: Arc<Guests>,
    /// Places for those that have.
    pub(super) known: Arc<Semaphore>,
    pub(super) page: Page,
    pub(super) observer: Arc<Observer>,
    /// Of the gate that releases.
    pub(super) options: GateOptions,
    questions: Arc<Semaphore>,
    stopping: watch::Sender<bool>,
}

impl Server {
    /// A server that shows the state that `options` lead to.
    pub(super) fn new(access: Access, page: Page, options: GateOptions) -> Self {
        Self {
            access,
            head: watch::Sender::default(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            guests: Arc::new(Guests::new(MAX_GUESTS)),
            known: Arc::new(Semaphore::new(MAX_KNOWN)),
            page,
            observer: Arc::new(Observer::new(options.clone())),
            options,
            questions: Arc::new(Semaphore::new(MAX_QUESTIONS)),
            stopping: watch::Sender::default(),
        }
    }

    /// Lets every connection end when it has its answer.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the server is to end.
    pub(super) async fn stopped(&self) {
        // The sender is here, so that this can't fail.
        let _ = self.stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    /// A question that needs nothing said and takes no time.
    pub(super) async fn glance(&self, question: &'static str) -> Result<String, QueryError> {
        let observer = Arc::clone(&self.observer);
        off_thread(move || query::answer(&*observer, question, "{}", &observer.machine().now())).await
    }

    /// Does `work` when its turn comes.
    pub(super) async fn in_turn(
        &self,
        work: impl FnOnce() -> Result<String, QueryError> + Send + 'static,
    ) -> Result<String, QueryError> {
        // The turn is taken where one can still give up, and ends with the work: a page that asks and goes leaves no queue.
        let turn = Arc::clone(&self.questions).acquire_owned().await;
        off_thread(move || {
            let _turn = turn;
            work()
        })
        .await
    }
}

async fn off_thread(
    work: impl FnOnce() -> Result<String, QueryError> + Send + 'static,
) -> Result<String, QueryError> {
    let broken = |_| QueryError {
        code: "internal".to_owned(),
        message: "the answer could not be worked out; what broke stands where `callosum ui` runs".to_owned(),
    };
    spawn_blocking(work).await.map_err(broken)?
}
