//! What the service and the page alone have in common: a state that can be asked, in turn, and connections until the end.

use std::sync::Arc;

use callosum_core::query::{self, QueryError};
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use crate::events::Feed;
use crate::seats::{Seat, Seats};
use crate::state::State;

/// How many connections there may be that have shown a token, half of them the same one; more stay guests.
const MAX_KNOWN: usize = 2_048;
/// How many questions are worked on at once.
const MAX_QUESTIONS: usize = 6;
/// How many calls have what lies around them looked at, at once. On a file system that hangs, each takes a thread for as long.
const MAX_LOOKS: usize = 4;
/// Threads that may wait: for questions, for calls whose surroundings are looked at, for looks at the journal's end, and for the
/// gate's maintenance.
pub(crate) const THREADS: usize = MAX_QUESTIONS + 10;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) state: State,
    pub(crate) feed: Arc<Feed>,
    known: Seats,
    questions: Arc<Semaphore>,
    looks: Arc<Semaphore>,
    stopping: watch::Sender<bool>,
}

impl Base {
    pub(crate) fn new(state: State) -> Self {
        Self {
            feed: Arc::new(Feed::new(state.clone())),
            state,
            known: Seats::new(MAX_KNOWN),
            questions: Arc::new(Semaphore::new(MAX_QUESTIONS)),
            looks: Arc::new(Semaphore::new(MAX_LOOKS)),
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

    /// A place for a connection that has shown the token `name`, if there is one.
    pub(crate) fn known_place(&self, name: &str) -> Option<Seat> {
        self.known.take(name)
    }

    /// The answer to a question, by its name.
    pub(crate) async fn ask(&self, question: &'static str, request: String) -> Result<String, QueryError> {
        self.in_turn(move |state| query::answer(state.source(), question, &request, &state.now())).await
    }

    /// Looks around a call when its turn comes, on a thread that may wait; `None` where the look broke.
    pub(crate) async fn look_around<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        once_free(&self.looks, look).await
    }

    /// Does `work` when its turn comes, on a thread that may wait.
    pub(crate) async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, QueryError> {
        let state = self.state.clone();
        once_free(&self.questions, move || work(&state)).await.unwrap_or_else(|| {
            let message = "the answer could not be worked out; what broke stands on standard error of the program that serves it";
            Err(QueryError { code: "internal".to_owned(), message: message.to_owned() })
        })
    }
}

/// Does `work` on a thread that may wait, once one of `turns` is free; `None` where it broke. The turn is taken where one can still give
/// up, and ends with the work: who asks and goes leaves no queue.
async fn once_free<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let turn = Arc::clone(turns).acquire_owned().await;
    let done = spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    done.await.ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::path::Path;
    use std::sync::mpsc;
    use std::task::{Context, Waker};
    use std::time::Duration;

    use callosum_core::gate::GateOptions;
    use callosum_core::query::ReadOnlyView;
    use parking_lot::Mutex;
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::*;

    /// What looks on over the state in a folder.
    fn base_of(directory: &Path) -> Base {
        let settings = serde_json::json!({ "stateDir": directory }).to_string();
        let options = GateOptions { settings, ..GateOptions::default() };
        Base::new(State::View(Arc::new(ReadOnlyView::new(options.clone())), options))
    }

    #[test]
    fn one_token_leaves_places_of_known_connections_to_others() {
        let directory = tempfile::tempdir().unwrap();
        let base = base_of(directory.path());
        let of_one: Vec<_> = std::iter::repeat_with(|| base.known_place("one")).take(MAX_KNOWN).collect();
        assert_eq!(of_one.iter().flatten().count(), MAX_KNOWN / 2);
        assert!(base.known_place("two").is_some());
    }

    #[test]
    fn looks_that_hang_leave_threads_to_all_else() {
        let directory = tempfile::tempdir().unwrap();
        let base = base_of(directory.path());
        let (until, hangs) = mpsc::channel::<()>();
        let hangs = Arc::new(Mutex::new(hangs));
        let runtime =
            Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build().unwrap();
        runtime.block_on(async {
            let look = || {
                let hangs = Arc::clone(&hangs);
                Box::pin(base.look_around(move || hangs.lock().recv().is_ok()))
            };
            let mut looks: Vec<_> = (0..THREADS).map(|_| look()).collect();
            let mut context = Context::from_waker(Waker::noop());
            for look in &mut looks {
                assert!(look.as_mut().poll(&mut context).is_pending());
            }
            let answered = timeout(Duration::from_secs(60), base.in_turn(|_| Ok(7))).await;
            drop(until);
            assert_eq!(answered.unwrap().unwrap(), 7);
        });
    }
}
