//! One stream of events: first what its reader lacks, then what comes.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{sleep, timeout};

use crate::caller::Caller;
use crate::service::Service;

use super::event::{Event, Place, Topics, gap};

/// A reader hears something at least as often as this; then it is looked whether its token still counts.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long it rests when the journal can't be read.
const REST: Duration = Duration::from_secs(1);
/// Texts that may wait for a slow reader.
const MAX_WAITING: usize = 8;

/// What is sent, until its sender goes.
#[derive(Debug)]
pub(crate) struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.get_mut().0.poll_recv(context).map(|text| text.map(|text| Ok(Frame::data(text))))
    }
}

/// Begins a stream. It ends when its reader goes, its token counts no more, or the service ends.
pub(crate) fn begin(
    service: Arc<Service>,
    caller: Arc<Caller>,
    topics: Topics,
    place: Place,
    seat: OwnedSemaphorePermit,
) -> Events {
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    tokio::spawn(async move {
        let _seat = seat;
        let reader = Reader { service: &service, caller: &caller, topics, sender: &sender };
        tokio::select! {
            _ = reader.tell(place) => {}
            () = sender.closed() => {}
            () = service.stopped() => {}
        }
    });
    Events(receiver)
}

struct Reader<'r> {
    service: &'r Arc<Service>,
    caller: &'r Caller,
    topics: Topics,
    sender: &'r mpsc::Sender<Bytes>,
}

/// The stream is over.
struct Over;

impl Reader<'_> {
    async fn send(&self, text: String) -> Result<(), Over> {
        self.sender.send(text.into()).await.map_err(|_| Over)
    }

    /// Sends those of the events that are wanted and lie at `from` or behind.
    async fn send_events(&self, events: &[Event], from: u64) -> Result<(), Over> {
        let wanted = events.iter().filter(|event| event.seq >= from && self.topics.want(&event.topic));
        let text: String = wanted.map(|event| event.text.as_str()).collect();
        if text.is_empty() { Ok(()) } else { self.send(text).await }
    }

    async fn tell(&self, place: Place) -> Result<(), Over> {
        let feed = &self.service.feed;
        // From here on nothing is missed: what comes meanwhile waits, or is read.
        let mut news = feed.listen();
        self.send(":\n\n".to_owned()).await?;
        let (mut journal, mut at) = match place {
            Place::Behind(journal, behind) => (journal, behind.map_or(0, |seq| seq.saturating_add(1))),
            Place::Now => (None, self.end().await),
        };
        let is_oldest = at == 0;
        at = self.catch_up(&mut journal, at, is_oldest).await?;
        loop {
            match timeout(HEARTBEAT, news.recv()).await {
                Err(_) => {
                    self.service.still_counts(self.caller).then_some(()).ok_or(Over)?;
                    self.send(":\n\n".to_owned()).await?;
                }
                Ok(Ok(piece)) if piece.from <= at && piece.journal == journal => {
                    self.send_events(&piece.events, at).await?;
                    at = at.max(piece.next);
                }
                // It begins behind what was read, or is of another journal; or there were too many.
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => at = self.catch_up(&mut journal, at, false).await?,
                Ok(Err(RecvError::Closed)) => return Err(Over),
            }
        }
    }

    /// Where the journal ends, once it can be looked at.
    async fn end(&self) -> u64 {
        loop {
            match self.service.feed.end().await {
                Ok(end) => return end,
                Err(_) => sleep(REST).await,
            }
        }
    }

    /// Sends what stands in the journal from `at` on. Returns where to go on.
    async fn catch_up(
        &self,
        journal: &mut Option<String>,
        mut at: u64,
        is_oldest: bool,
    ) -> Result<u64, Over> {
        loop {
            let Ok(following) = self.service.feed.read(at).await else {
                sleep(REST).await;
                continue;
            };
            if journal.is_some() && following.journal.is_some() && *journal != following.journal {
                // Its sequence numbers are those of a journal that is gone.
                self.send(gap(at, following.oldest)).await?;
                journal.clone_from(&following.journal);
                at = following.oldest;
                continue;
            }
            if journal.is_none() {
                journal.clone_from(&following.journal);
            }
            if at < following.oldest && !is_oldest {
                self.send(gap(at, following.oldest)).await?;
            }
            self.send_events(&Event::of(&following), at).await?;
            let is_done = following.is_end || following.next <= at;
            at = at.max(following.next);
            if is_done {
                return Ok(at);
            }
        }
    }
}
