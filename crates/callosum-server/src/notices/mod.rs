//! Notices: a person is told that something was stopped, or that nothing can be checked. They are read from the journal, as webhooks
//! are, so no call waits for one; what happened before the service began is not told.

mod send;
mod settings;
mod tally;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::service::Service;

use self::send::send;
pub(crate) use self::settings::Notify;
use self::tally::{Kind, Stop, Tally, kind_of};

/// How often is looked whether calls can be checked.
const LOOK: Duration = Duration::from_secs(5);
/// How long it rests when the journal can't be read.
const REST: Duration = Duration::from_secs(1);

/// Tells what happens from now on, until it is aborted.
pub(crate) async fn start(service: &Arc<Service>, notify: Notify) -> JoinHandle<()> {
    let end = service.base.feed.end().await.ok();
    let teller = Teller {
        service: Arc::clone(service),
        tally: Tally::default(),
        is_degraded: false,
        has_failed: false,
        notify,
        journal: None,
    };
    tokio::spawn(teller.run(end))
}

struct Teller {
    service: Arc<Service>,
    notify: Notify,
    /// The journal that was read last.
    journal: Option<String>,
    tally: Tally,
    /// Whether calls could not be checked when that was last looked at.
    is_degraded: bool,
    /// Whether the last notice could not be sent.
    has_failed: bool,
}

impl Teller {
    /// Tells what stands in the journal from `next` on.
    async fn run(mut self, mut next: Option<u64>) {
        let feed = Arc::clone(&self.service.base.feed);
        let mut look_at = Instant::now();
        loop {
            // From here on nothing is missed: what comes meanwhile is heard of.
            let mut news = feed.listen();
            match self.read(next).await {
                Some(reached) => next = Some(reached),
                None => sleep(REST).await,
            }
            if Instant::now() >= look_at {
                self.look().await;
                look_at = Instant::now() + LOOK;
            }
            self.tell().await;
            let wake_at = self.tally.due_at().map_or(look_at, |due| due.min(look_at));
            tokio::select! {
                _ = news.recv(), if next.is_some() => {}
                () = sleep_until(wake_at) => {}
            }
        }
    }

    /// Takes in what came since `from`; how far it has come, or `None` where the journal can't be read.
    async fn read(&mut self, from: Option<u64>) -> Option<u64> {
        let feed = &self.service.base.feed;
        let Some(mut next) = from else { return feed.end().await.ok() };
        loop {
            let following = feed.read(next).await.ok()?;
            let is_other =
                self.journal.is_some() && following.journal.is_some() && self.journal != following.journal;
            self.journal = following.journal.or(self.journal.take());
            if is_other || next < following.oldest {
                // What is gone is not told, nor what another journal has from before.
                return feed.end().await.ok();
            }
            for (seq, record) in &following.records {
                if let Some(kind) = kind_of(record).filter(|kind| *seq >= next && self.notify.wants(*kind)) {
                    self.tally.heard(kind, Stop::of(record), Instant::now());
                }
            }
            if following.next <= next {
                return Some(following.next);
            }
            next = following.next;
        }
    }

    /// Looks whether calls can be checked.
    async fn look(&mut self) {
        if !self.notify.wants(Kind::Degraded) {
            return;
        }
        let status = self.service.base.in_turn(|state| Ok(state.source().status(&state.now()))).await;
        let degraded = status.ok().and_then(|status| status.degraded);
        if let Some(degraded) = degraded.as_ref().filter(|_| !self.is_degraded) {
            self.tally.heard(
                Kind::Degraded,
                Stop::degraded(&degraded.cause, &degraded.remedy),
                Instant::now(),
            );
        }
        self.is_degraded = degraded.is_some();
    }

    /// Sends what is due.
    async fn tell(&mut self) {
        for text in self.tally.due(Instant::now()) {
            for command in self.notify.commands(&text) {
                let sent = send(&command).await;
                if let Err(why) = &sent
                    && !self.has_failed
                {
                    self.service.log.note(&format!("warning: a notice was not sent: {why}"));
                }
                self.has_failed = sent.is_err();
            }
        }
    }
}
