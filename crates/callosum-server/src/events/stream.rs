//! One stream of events: first what its reader lacks, then what comes. It begins with the place where it begins, so that who loses
//! it at once misses nothing either.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep, timeout_at};

use crate::caller::Caller;
use crate::http::stream::{HEARTBEAT, MAX_WAITING, Over, SIGN_OF_LIFE, Teller, begin as begin_stream};
use crate::seats::Seat;
use crate::service::Service;

use super::event::{Event, Place, Wanted, gap, only_id};

/// How long it rests when the journal can't be read.
const REST: Duration = Duration::from_secs(1);

/// Begins a stream. It ends when its reader goes, its token counts no more, or the service ends.
pub(crate) fn begin(
    service: Arc<Service>,
    caller: Arc<Caller>,
    wanted: Wanted,
    place: Place,
    seat: Seat,
) -> Response {
    let base = Arc::clone(&service.base);
    begin_stream(&base, async move |teller| {
        let _seat = seat;
        let sign_at = Instant::now() + HEARTBEAT;
        let mut reader =
            Reader { service, caller, wanted, teller, journal: None, at: 0, told: None, sign_at };
        let Err(over) = reader.tell(place).await;
        over
    })
}

struct Reader {
    service: Arc<Service>,
    caller: Arc<Caller>,
    wanted: Wanted,
    teller: Teller,
    /// Which journal is read, once that is known.
    journal: Option<String>,
    /// Where to read on.
    at: u64,
    /// Where that was when it was told last.
    told: Option<u64>,
    /// When it is looked next whether the token still counts, and a sign of life is given.
    sign_at: Instant,
}

impl Reader {
    /// Takes those of the events that are wanted and were not sent yet: no more than may wait for a reader. Behind `events` it is to be
    /// read on at `next`.
    fn take(&mut self, events: &[Event], mut next: u64) -> String {
        let mut text = String::new();
        for event in events.iter().filter(|event| event.seq >= self.at) {
            let Some(news) = self.wanted.text(event) else { continue };
            if !text.is_empty() && text.len() + news.len() > MAX_WAITING {
                next = event.seq;
                break;
            }
            text.push_str(news);
        }
        self.at = self.at.max(next);
        text
    }

    /// Sends what was taken of some events.
    async fn send_taken(&mut self, text: String) -> Result<(), Over> {
        if text.is_empty() {
            return Ok(());
        }
        self.told = None;
        self.teller.send(text).await
    }

    /// The id of the place where to read on.
    fn id(&self) -> String {
        Place::id(self.journal.as_deref(), self.at)
    }

    /// Tells where to read on, unless that is known; else it only gives a sign of life.
    async fn tell_place(&mut self) -> Result<(), Over> {
        if self.told == Some(self.at) {
            return self.teller.send(SIGN_OF_LIFE).await;
        }
        self.told = Some(self.at);
        self.teller.send(only_id(&self.id())).await
    }

    /// From time to time, however much there is to tell: ends the stream of a token that counts no more, and tells the place.
    async fn give_sign(&mut self) -> Result<(), Over> {
        if Instant::now() < self.sign_at {
            return Ok(());
        }
        self.sign_at = Instant::now() + HEARTBEAT;
        self.service.still_counts(&self.caller).then_some(()).ok_or(Over)?;
        self.tell_place().await
    }

    async fn tell(&mut self, place: Place) -> Result<Infallible, Over> {
        // From here on nothing is missed: what comes meanwhile waits, or is read.
        let mut news = self.service.base.feed.listen();
        (self.journal, self.at) = match place {
            Place::Behind(journal, behind) => (journal, behind.map_or(0, |seq| seq.saturating_add(1))),
            Place::Now => self.end().await,
        };
        self.tell_place().await?;
        self.catch_up(self.at == 0).await?;
        loop {
            self.give_sign().await?;
            match timeout_at(self.sign_at, news.recv()).await {
                Err(_) => {}
                // Where there was no journal before, it is the first one: who waited for it need not read it by itself.
                Ok(Ok(piece))
                    if piece.from <= self.at && (self.journal.is_none() || piece.journal == self.journal) =>
                {
                    self.journal.clone_from(&piece.journal);
                    let text = self.take(&piece.events, piece.next);
                    // While its reader takes its time, nothing is kept for it but the text.
                    drop(piece);
                    self.send_taken(text).await?;
                }
                // It begins behind what was read, or is of another journal; or there were too many.
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => self.catch_up(false).await?,
                Ok(Err(RecvError::Closed)) => return Err(Over),
            }
        }
    }

    /// Which journal it is, and where it ends, once it can be looked at.
    async fn end(&self) -> (Option<String>, u64) {
        let feed = &self.service.base.feed;
        loop {
            if let Ok(end) = feed.end().await
                && let Ok(following) = feed.read(end).await
            {
                return (following.journal, end);
            }
            sleep(REST).await;
        }
    }

    /// Sends what stands in the journal from where to read on; `is_oldest`: from the oldest that is there.
    async fn catch_up(&mut self, mut is_oldest: bool) -> Result<(), Over> {
        let service = Arc::clone(&self.service);
        loop {
            self.give_sign().await?;
            // A piece is read once there is room for it: its turn waits for no reader.
            self.teller.taken().await?;
            let turn = service.base.feed.turn().await.ok_or(Over)?;
            let Ok(following) = service.base.feed.read(self.at).await else {
                drop(turn);
                sleep(REST).await;
                continue;
            };
            let is_other =
                self.journal.is_some() && following.journal.is_some() && self.journal != following.journal;
            if self.journal.is_none() || is_other {
                self.journal.clone_from(&following.journal);
            }
            // Its sequence numbers are those of a journal that is gone, or of an end that is; or it was pruned.
            let to = if is_other { Some(following.oldest) } else { following.goes_on_at(self.at) };
            let went_back = to.is_some_and(|to| to < self.at);
            if let Some(to) = to.filter(|_| is_other || went_back || !is_oldest) {
                let from = std::mem::replace(&mut self.at, to);
                self.told = Some(self.at);
                self.teller.send(gap(&self.id(), from, self.at)).await?;
                continue;
            }
            is_oldest = false;
            let (before, next) = (self.at, following.next);
            let text = self.take(&Event::of(&following), next);
            self.send_taken(text).await?;
            drop(turn);
            if self.at >= next && (following.is_end || next <= before) {
                return Ok(());
            }
        }
    }
}
