//! What all requests share.

use std::sync::Arc;

use callosum_core::gate::Gate;
use callosum_core::query::{self, QueryError};
use callosum_core::store::state_dir::StateDir;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::spawn_blocking;

use crate::caller::Caller;
use crate::config::Config;
use crate::events::Feed;
use crate::limits::Usage;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::tokens::Tokens;
use crate::writer::Writer;

/// How many connections there may be that have shown a token; more stay guests.
const MAX_KNOWN: usize = 2_048;
/// How many questions are worked on at once.
const MAX_QUESTIONS: usize = 6;
/// Threads that may wait: for questions, for calls whose surroundings are looked at, and for the gate's upkeep.
pub(crate) const THREADS: usize = MAX_QUESTIONS + 10;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) gate: Arc<Gate>,
    pub(crate) writer: Writer,
    pub(crate) tokens: Tokens,
    pub(crate) usage: Arc<Usage>,
    pub(crate) metrics: Metrics,
    pub(crate) log: Log,
    pub(crate) feed: Arc<Feed>,
    known: Arc<Semaphore>,
    questions: Arc<Semaphore>,
    stopping: watch::Sender<bool>,
}

impl Service {
    pub(crate) fn new(
        gate: Arc<Gate>,
        writer: Writer,
        log: Log,
        directory: &StateDir,
        config: &Config,
    ) -> Self {
        Self {
            feed: Arc::new(Feed::new(Arc::clone(&gate))),
            gate,
            writer,
            tokens: Tokens::of(&directory.path),
            usage: Arc::new(Usage::new(config.limits)),
            metrics: Metrics::default(),
            log,
            known: Arc::new(Semaphore::new(MAX_KNOWN)),
            questions: Arc::new(Semaphore::new(MAX_QUESTIONS)),
            stopping: watch::Sender::default(),
        }
    }

    /// Lets every connection end when it has its answer.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the service is to end.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Waits until the service is to end.
    pub(crate) async fn stopped(&self) {
        // The sender is here, so that this can't fail.
        let _ = self.stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    /// A place for a connection that has shown a token, if one is free.
    pub(crate) fn known_place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.known).try_acquire_owned().ok()
    }

    /// Whether what a caller showed still counts.
    pub(crate) fn still_counts(&self, caller: &Caller) -> bool {
        let now_ms = self.gate.machine().now().wall_ms;
        caller.hash.as_deref().is_none_or(|hash| self.tokens.has(hash, now_ms).unwrap_or(false))
    }

    /// The answer to a question, by its name.
    pub(crate) async fn ask(&self, question: &'static str, request: String) -> Result<String, QueryError> {
        let gate = Arc::clone(&self.gate);
        self.in_turn(move || query::answer(&*gate, question, &request, &gate.machine().now())).await
    }

    /// Does `work` when its turn comes, on a thread that may wait.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, QueryError> {
        // The turn is taken where one can still give up, and ends with the work: who asks and goes leaves no queue.
        let turn = Arc::clone(&self.questions).acquire_owned().await;
        let done = spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.unwrap_or_else(|_| {
            let message = "the answer could not be worked out; what broke stands in the service's log";
            Err(QueryError { code: "internal".to_owned(), message: message.to_owned() })
        })
    }
}
