//! What the service and the page alone have in common: a state that can be asked, in turn, and connections until the end.

use std::sync::Arc;

use callosum_core::query::{self, QueryError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::spawn_blocking;

use crate::events::Feed;
use crate::state::State;

/// How many connections there may be that have shown a token; more stay guests.
const MAX_KNOWN: usize = 2_048;
/// How many questions are worked on at once.
const MAX_QUESTIONS: usize = 6;
/// Threads that may wait: for questions, for calls whose surroundings are looked at, for looks at the journal's end, and for the
/// gate's upkeep.
pub(crate) const THREADS: usize = MAX_QUESTIONS + 10;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) state: State,
    pub(crate) feed: Arc<Feed>,
    known: Arc<Semaphore>,
    questions: Arc<Semaphore>,
    stopping: watch::Sender<bool>,
}

impl Base {
    pub(crate) fn new(state: State) -> Self {
        Self {
            feed: Arc::new(Feed::new(state.clone())),
            state,
            known: Arc::new(Semaphore::new(MAX_KNOWN)),
            questions: Arc::new(Semaphore::new(MAX_QUESTIONS)),
            stopping: watch::Sender::default(),
        }
    }

    /// Lets every connection end when it has its answer.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the end is wanted.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Waits until the end is wanted.
    pub(crate) async fn stopped(&self) {
        // The sender is here, so that this can't fail.
        let _ = self.stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    /// A place for a connection that has shown a token, if one is free.
    pub(crate) fn known_place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.known).try_acquire_owned().ok()
    }

    /// The answer to a question, by its name.
    pub(crate) async fn ask(&self, question: &'static str, request: String) -> Result<String, QueryError> {
        self.in_turn(move |state| query::answer(state.source(), question, &request, &state.now())).await
    }

    /// Does `work` when its turn comes, on a thread that may wait.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, QueryError> {
        // The turn is taken where one can still give up, and ends with the work: who asks and goes leaves no queue.
        let turn = Arc::clone(&self.questions).acquire_owned().await;
        let state = self.state.clone();
        let done = spawn_blocking(move || {
            let _turn = turn;
            work(&state)
        });
        done.await.unwrap_or_else(|_| {
            let message = "the answer could not be worked out; what broke stands on standard error of the program that serves it";
            Err(QueryError { code: "internal".to_owned(), message: message.to_owned() })
        })
    }
}
