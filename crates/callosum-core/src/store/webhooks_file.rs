//! How far each webhook of the service has come: `webhooks.json` in the state directory. The service writes it, whoever asks for the
//! status reads it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rules_file;

/// The file in the state directory.
pub const FILE: &str = "webhooks.json";

/// What the file says, by the names of the webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhooksFile {
    /// The webhooks.
    pub webhooks: BTreeMap<String, Webhook>,
}

/// How far a webhook has come, and how it goes. Times are RFC 3339, in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Scheme, host and port: the rest of an address may be a secret.
    pub target: String,
    /// The journal that `next` is of, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// The sequence number from which on nothing was delivered yet.
    pub next: u64,
    /// How many events arrived, since the webhook is known.
    #[serde(default)]
    pub delivered: u64,
    /// What keeps the next event from arriving, while something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<Failing>,
}

/// Tries of one event that came to nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failing {
    /// Since when.
    pub since: String,
    /// How many tries.
    pub attempts: u32,
    /// What the last one met: a clause.
    pub error: String,
    /// When the next one is due; none when it was given up, until the service starts again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<String>,
}

impl WebhooksFile {
    /// What the file in `state_dir` says; empty where there is none.
    ///
    /// # Errors
    /// When it can't be used: a clause whose subject is the file.
    pub fn read(state_dir: &Path) -> Result<Self, String> {
        let path = state_dir.join(FILE);
        if path.symlink_metadata().is_err() {
            return Ok(Self::default());
        }
        let text = rules_file::read(&path)?;
        serde_json::from_str(&text).map_err(|error| format!("is not what the service writes: {error}"))
    }
}
