//! Reads the journal on for all streams together, while there are any.

use std::sync::Arc;
use std::time::Duration;

use callosum_core::query::{Following, HeadResponse, QueryError};
use tokio::sync::{Semaphore, SemaphorePermit, broadcast, watch};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::seats::{Seat, Seats};
use crate::state::State;

use super::event::Event;

/// Streams that may be open at once.
const MAX_STREAMS: usize = 2_048;
/// Pieces that a stream may be behind before it reads the journal itself: they are kept for it.
const MAX_BEHIND: usize = 256;
/// Bytes of a piece, unless one event has more.
const MAX_PIECE: usize = 64 << 10;
/// Streams whose readers' past is read at once: each piece of it takes memory until it is sent.
const MAX_CATCHING_UP: usize = 4;
/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A piece of the journal, for all streams.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) journal: Option<String>,
    /// Where it begins: whoever has all before it lacks nothing. Of a journal that went back or is another one it is
    /// [`u64::MAX`]: whoever listens has to look for itself.
    pub(crate) from: u64,
    pub(crate) next: u64,
    pub(crate) events: Vec<Event>,
}

impl Piece {
    /// What was read from `from` on, in pieces of a bounded size.
    fn of(following: &Following, from: u64) -> Vec<Self> {
        let piece = |from, next, events| Self { journal: following.journal.clone(), from, next, events };
        let (mut pieces, mut from, mut bytes, mut events) = (Vec::new(), from, 0, Vec::new());
        for event in Event::of(following) {
            if bytes > 0 && bytes + event.bytes() > MAX_PIECE {
                let next = event.seq;
                pieces.push(piece(std::mem::replace(&mut from, next), next, std::mem::take(&mut events)));
                bytes = 0;
            }
            bytes += event.bytes();
            events.push(event);
        }
        pieces.push(piece(from, following.next, events));
        pieces
    }
}

/// What all streams share.
#[derive(Debug)]
pub(crate) struct Feed {
    state: State,
    pieces: broadcast::Sender<Arc<Piece>>,
    heads: watch::Sender<Option<HeadResponse>>,
    seats: Seats,
    catching_up: Semaphore,
}

impl Feed {
    pub(crate) fn new(state: State) -> Self {
        let (pieces, _) = broadcast::channel(MAX_BEHIND);
        Self {
            state,
            pieces,
            heads: watch::Sender::default(),
            seats: Seats::new(MAX_STREAMS),
            catching_up: Semaphore::new(MAX_CATCHING_UP),
        }
    }

    /// A place for one more stream of the token `name`, if there is one.
    pub(crate) fn seat(&self, name: &str) -> Option<Seat> {
        self.seats.take(name)
    }

    /// A turn to read a piece of what a reader lacks, and to pass it on. Whoever waits longest has the next: with many that come
    /// back at once each gets a piece, then each the next.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.catching_up.acquire().await.ok()
    }

    /// The pieces from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<Piece>> {
        self.pieces.subscribe()
    }

    /// How far the journal reaches, whenever that changes.
    pub(crate) fn heads(&self) -> watch::Receiver<Option<HeadResponse>> {
        self.heads.subscribe()
    }

    /// A piece of the journal from `from` on.
    pub(crate) async fn read(&self, from: u64) -> Result<Following, QueryError> {
        self.ask(move |state| state.source().following(from, &state.now())).await
    }

    /// Where the journal ends now.
    pub(crate) async fn end(&self) -> Result<u64, QueryError> {
        let head = self.ask(|state| state.source().head(&state.now())).await?;
        self.heads.send_if_modified(|known| {
            let has_moved = known.is_none_or(|known| known.head != head.head);
            // Its time is new all the same.
            *known = Some(head);
            has_moved
        });
        Ok(head.head)
    }

    /// Looks at the state, on a thread that may wait.
    async fn ask<A: Send + 'static>(
        &self,
        look: impl FnOnce(&State) -> Result<A, QueryError> + Send + 'static,
    ) -> Result<A, QueryError> {
        let state = self.state.clone();
        spawn_blocking(move || look(&state)).await.unwrap_or_else(|_| {
            let message = "the journal could not be looked at".to_owned();
            Err(QueryError { code: "internal".to_owned(), message })
        })
    }

    /// Reads on, again and again, as long as anybody listens.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut at = None;
        loop {
            sleep(LOOK).await;
            let has_readers = self.pieces.receiver_count() > 0;
            if !has_readers {
                at = None;
                if self.heads.receiver_count() == 0 {
                    continue;
                }
            }
            // A journal that can't be read is no news: `readyz` tells it.
            let Ok(end) = self.end().await else { continue };
            if !has_readers {
                continue;
            }
            // Another journal begins anew, and one that went back goes on from there.
            let is_behind = at.is_some_and(|at| at > end);
            if is_behind {
                let piece = Piece { journal: None, from: u64::MAX, next: end, events: Vec::new() };
                let _ = self.pieces.send(Arc::new(piece));
            }
            let mut from = at.filter(|_| !is_behind).unwrap_or(end);
            // Who began to listen before this first look may have read less than it begins with: it hears so.
            let mut is_first = at.is_none();
            while from < end || is_first {
                let Ok(following) = self.read(from).await else { break };
                is_first = false;
                for piece in Piece::of(&following, from) {
                    // Nobody may be left.
                    let _ = self.pieces.send(Arc::new(piece));
                }
                let is_stuck = following.next <= from;
                from = following.next;
                if is_stuck || following.is_end {
                    break;
                }
            }
            // A first look that failed is made again.
            at = (!is_first).then_some(from);
        }
    }
}
