//! How the service's webhooks go, as the service has written it down.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::store::webhooks_file::{FILE, WebhooksFile};

/// How a webhook goes. Times are RFC 3339, in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookStatus {
    /// Its name.
    pub name: String,
    /// Scheme, host and port of its address.
    pub target: String,
    /// How it goes.
    pub state: WebhookState,
    /// How many events arrived, since the webhook is known.
    pub delivered: u64,
    /// The sequence number from which on nothing was delivered yet.
    pub next: u64,
    /// Bytes of the journal from there to its end.
    pub behind: u64,
    /// Since when the next event does not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
    /// How many tries of it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// What the last one met: a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<String>,
}

/// How a webhook goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookState {
    /// What comes arrives.
    Ok,
    /// The next event did not arrive yet, and is tried again.
    Failing,
    /// It was given up, until the service starts again.
    Parked,
}

impl WebhookState {
    /// Its name, as the status has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failing => "failing",
            Self::Parked => "parked",
        }
    }
}

/// The webhooks of the state directory; the journal ends at `head`.
///
/// # Errors
/// When their file can't be used: a clause.
pub(super) fn webhooks(state_dir: &Path, head: u64) -> Result<Vec<WebhookStatus>, String> {
    let file = WebhooksFile::read(state_dir).map_err(|why| format!("`{FILE}` {why}"))?;
    let told = file.webhooks.into_iter().map(|(name, webhook)| {
        let failing = webhook.failing;
        WebhookStatus {
            name,
            target: webhook.target,
            state: match &failing {
                None => WebhookState::Ok,
                Some(failing) if failing.retry_at.is_some() => WebhookState::Failing,
                Some(_) => WebhookState::Parked,
            },
            delivered: webhook.delivered,
            next: webhook.next,
            behind: head.saturating_sub(webhook.next),
            attempts: failing.as_ref().map(|failing| failing.attempts),
            retry_at: failing.as_ref().and_then(|failing| failing.retry_at.clone()),
            error: failing.as_ref().map(|failing| failing.error.clone()),
            failing_since: failing.map(|failing| failing.since),
        }
    });
    Ok(told.collect())
}
