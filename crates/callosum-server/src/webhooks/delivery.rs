//! Delivering to one webhook: each event in its turn, until it arrived.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use callosum_core::model::time::to_rfc3339;
use callosum_core::query::Following;
use callosum_core::store::webhooks_file::{Failing, Webhook as State};
use callosum_team::event::topics;
use tokio::time::{Instant, sleep};

use crate::service::Service;

use super::message::Message;
use super::retry;
use super::settings::Webhook;
use super::states::States;
use super::target::{Answered, Target};

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
/// How long it rests when the journal can't be read.
const REST: Duration = Duration::from_secs(1);

/// Delivers to one webhook.
pub(super) struct Delivery {
    service: Arc<Service>,
    webhook: Webhook,
    target: Target,
    states: Arc<States>,
    state: State,
    /// Where the journal ended when the service began, if that could be told: there a new webhook begins.
    end: Option<u64>,
}

/// The service ends, or the webhook was given up.
struct Over;

impl Delivery {
    pub(super) fn new(
        service: Arc<Service>,
        webhook: Webhook,
        target: Target,
        states: Arc<States>,
        end: Option<u64>,
    ) -> Self {
        Self { service, webhook, target, states, state: State::default(), end }
    }

    /// Delivers what comes, until the service ends or the webhook is given up.
    pub(super) async fn run(mut self) {
        let _ = self.follow().await;
    }

    async fn follow(&mut self) -> Result<(), Over> {
        let feed = Arc::clone(&self.service.base.feed);
        self.state = match self.states.get(&self.webhook.name) {
            Some(state) => state,
            None => {
                State { target: self.webhook.url.origin(), next: self.begin().await?, ..State::default() }
            }
        };
        // A new one begins there, whatever becomes of its first event.
        self.keep();
        loop {
            // From here on nothing is missed: what comes meanwhile is heard of.
            let mut news = feed.listen();
            let Ok(following) = feed.read(self.state.next).await else {
                drop(news);
                self.rest(REST).await?;
                continue;
            };
            if self.state.journal.is_none() && following.journal.is_some() {
                self.state.journal.clone_from(&following.journal);
                self.keep();
            }
            let is_other = following.journal.is_some() && self.state.journal != following.journal;
            // Behind the end of a journal that went back nothing stands that could be waited for.
            let to = if is_other { Some(following.oldest) } else { following.goes_on_at(self.state.next) };
            if let Some(to) = to {
                drop(news);
                self.deliver_gap(following, to).await?;
            } else if following.next <= self.state.next {
                tokio::select! {
                    _ = news.recv() => {}
                    () = self.service.base.stopped() => return Err(Over),
                }
            } else {
                // Meanwhile it keeps nothing that others have read.
                drop(news);
                self.deliver_events(following).await?;
            }
        }
    }

    /// Where a new webhook begins, once the journal can be looked at.
    async fn begin(&self) -> Result<u64, Over> {
        let mut end = self.end;
        loop {
            if let Some(end) = end {
                return Ok(end);
            }
            self.rest(REST).await?;
            end = self.service.base.feed.end().await.ok();
        }
    }

    async fn rest(&self, rest: Duration) -> Result<(), Over> {
        tokio::select! {
            () = sleep(rest) => Ok(()),
            () = self.service.base.stopped() => Err(Over),
        }
    }

    async fn deliver_gap(&mut self, following: Following, to: u64) -> Result<(), Over> {
        let journal = following.journal.as_deref().unwrap_or_default();
        let message = Message::of_gap(self.webhook.format, journal, self.state.next, to);
        self.deliver(&message).await?;
        self.reached(to, following.journal);
        Ok(())
    }

    async fn deliver_events(&mut self, following: Following) -> Result<(), Over> {
        let journal = following.journal.as_deref().unwrap_or_default();
        let from = self.state.next;
        for (seq, record) in following.records.iter().filter(|(seq, _)| *seq >= from) {
            let wanted = topics(record).into_iter().find(|topic| self.webhook.wants(topic, record));
            let Some(topic) = wanted else { continue };
            let message = Message::of_record(self.webhook.format, journal, *seq, &topic, record);
            self.deliver(&message).await?;
            self.reached(seq.saturating_add(1), following.journal.clone());
        }
        self.reached(following.next, following.journal);
        Ok(())
    }

    /// All before `next` is delivered, or was not wanted.
    fn reached(&mut self, next: u64, journal: Option<String>) {
        self.state.next = next;
        self.state.journal = journal.or(self.state.journal.take());
        self.keep();
    }

    fn keep(&self) {
        self.states.put(&self.webhook.name, &self.state);
    }

    /// Posts a message until it arrives.
    async fn deliver(&mut self, message: &Message) -> Result<(), Over> {
        let (mut attempts, mut since) = (0, None);
        loop {
            if self.service.base.is_stopping() {
                return Err(Over);
            }
            let now_ms = self.service.gate.machine().now().wall_ms;
            let headers = self.signed(message, now_ms);
            let answered = self.target.post(message, &headers).await;
            if let Ok(Answered { status: 200..=299, .. }) = answered {
                self.arrived();
                return Ok(());
            }
            attempts += 1;
            let (first, first_ms) = *since.get_or_insert_with(|| (Instant::now(), now_ms));
            let mut failing =
                Failing { since: to_rfc3339(first_ms), attempts, error: said(&answered), retry_at: None };
            let asked = answered.as_ref().ok().and_then(|answered| answered.retry_after.as_deref());
            let now_ms = self.service.gate.machine().now().wall_ms;
            let asked = asked.and_then(|asked| retry::asked(asked, now_ms));
            // Where luck can't be had, none is needed.
            let luck = getrandom::u32().unwrap_or(u32::MAX);
            let rest = match answered {
                Ok(Answered { status: 410, .. }) => None,
                _ => retry::rest(attempts, first.elapsed(), asked, luck),
            };
            failing.retry_at = rest.map(|rest| {
                let rest_ms = i64::try_from(rest.as_millis()).unwrap_or(i64::MAX);
                to_rfc3339(now_ms.saturating_add(rest_ms))
            });
            self.failed(failing);
            self.rest(rest.ok_or(Over)?).await?;
        }
    }

    fn arrived(&mut self) {
        self.state.delivered += 1;
        if self.state.failing.take().is_some() {
            self.service
                .log
                .note(&format!("info: the webhook `{}` gets its events again", self.webhook.name));
        }
    }

    fn failed(&mut self, failing: Failing) {
        let (name, error) = (&self.webhook.name, &failing.error);
        if failing.retry_at.is_none() {
            self.service.log.note(&format!(
                "error: the webhook `{name}` is given up: {error}; to go on: fix that, then restart the service"
            ));
        } else if self.state.failing.is_none() {
            self.service
                .log
                .note(&format!("warning: the webhook `{name}` can't get its next event: {error}"));
        }
        self.state.failing = Some(failing);
        self.keep();
    }

    /// What proves to the target who sends a message: Standard Webhooks' headers.
    fn signed(&self, message: &Message, now_ms: i64) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some(secret) = &self.webhook.secret else { return headers };
        let timestamp = now_ms / 1_000;
        let signature = secret.sign(&message.id, timestamp, &message.body);
        for (name, value) in
            [(ID, message.id.clone()), (TIMESTAMP, timestamp.to_string()), (SIGNATURE, signature)]
        {
            // They are letters, digits and signs that a header may have.
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
        headers
    }
}

/// What a try met, as a clause.
fn said(answered: &Result<Answered, String>) -> String {
    match answered {
        Err(why) => why.clone(),
        Ok(Answered { status: 410, .. }) => "it answered 410: it wants no more events".to_owned(),
        Ok(Answered { status: status @ 300..=399, .. }) => {
            format!("it answered {status}: redirects are not followed, so give the address where it ends")
        }
        Ok(Answered { status, .. }) => format!("it answered {status}"),
    }
}
