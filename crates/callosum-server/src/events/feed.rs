//! Reads the journal on for all streams together, while there are any.

use std::sync::Arc;
use std::time::Duration;

use callosum_core::gate::Gate;
use callosum_core::query::{Following, QueryError, Source};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::event::Event;

/// Streams that may be open at once.
const MAX_STREAMS: usize = 1_024;
/// Pieces that a stream may be behind before it reads the journal itself.
const MAX_BEHIND: usize = 256;
/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A piece of the journal, for all streams.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) journal: Option<String>,
    /// Where it begins: whoever has all before it lacks nothing.
    pub(crate) from: u64,
    pub(crate) next: u64,
    pub(crate) events: Vec<Event>,
}

/// What all streams share.
#[derive(Debug)]
pub(crate) struct Feed {
    gate: Arc<Gate>,
    pieces: broadcast::Sender<Arc<Piece>>,
    seats: Arc<Semaphore>,
}

impl Feed {
    pub(crate) fn new(gate: Arc<Gate>) -> Self {
        let (pieces, _) = broadcast::channel(MAX_BEHIND);
        Self { gate, pieces, seats: Arc::new(Semaphore::new(MAX_STREAMS)) }
    }

    /// A place for one more stream, if there is one.
    pub(crate) fn seat(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.seats).try_acquire_owned().ok()
    }

    /// The pieces from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<Piece>> {
        self.pieces.subscribe()
    }

    /// A piece of the journal from `from` on.
    pub(crate) async fn read(&self, from: u64) -> Result<Following, QueryError> {
        let gate = Arc::clone(&self.gate);
        let read = spawn_blocking(move || gate.following(from, &gate.machine().now()));
        read.await.unwrap_or_else(|_| {
            let message = "the journal could not be read on".to_owned();
            Err(QueryError { code: "internal".to_owned(), message })
        })
    }

    /// Where the journal ends now.
    pub(crate) async fn end(&self) -> Result<u64, QueryError> {
        let gate = Arc::clone(&self.gate);
        let head = spawn_blocking(move || gate.head(&gate.machine().now()));
        let broken = |_| QueryError {
            code: "internal".to_owned(),
            message: "the journal could not be looked at".to_owned(),
        };
        head.await.map_err(broken)?.map(|head| head.head)
    }

    /// Reads on, again and again, as long as anybody listens.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut at = None;
        loop {
            sleep(LOOK).await;
            if self.pieces.receiver_count() == 0 {
                at = None;
                continue;
            }
            // A journal that can't be read is no news: `readyz` tells it.
            let Ok(end) = self.end().await else { continue };
            // Another journal begins anew.
            let mut from = at.filter(|at| *at <= end).unwrap_or(end);
            // Who began to listen before this first look may have read less than it begins with: it hears so.
            let mut is_first = at.is_none();
            while from < end || is_first {
                is_first = false;
                let Ok(following) = self.read(from).await else { break };
                let piece = Piece {
                    from,
                    next: following.next,
                    events: Event::of(&following),
                    journal: following.journal,
                };
                let is_stuck = piece.next <= from;
                from = piece.next;
                // Nobody may be left.
                let _ = self.pieces.send(Arc::new(piece));
                if is_stuck || following.is_end {
                    break;
                }
            }
            at = Some(from);
        }
    }
}
