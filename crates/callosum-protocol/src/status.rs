//! `/status`.

use callosum_core::query::{RecentActions, RecentRequest};
use callosum_core::rules::context_key::named_key;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Speaker;

/// Actions given at the most.
const MAX_ACTIONS: usize = 100;

/// A live lease.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lock {
    context_key: String,
    instance: String,
    session: String,
    tool: String,
    tier: u8,
    /// RFC 3339.
    acquired_at: String,
    /// RFC 3339.
    expires_at: String,
}

/// An action within the window.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecentAction {
    context_key: String,
    context_keys: Vec<String>,
    instance: String,
    session: String,
    tool: String,
    tier: u8,
    /// RFC 3339.
    timestamp: String,
    /// `running`, `complete`, `failed`, `refused` or `unknown`.
    state: &'static str,
}

/// What is held, and what was done lately.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusAnswer {
    locks: Vec<Lock>,
    recent_actions: Vec<RecentAction>,
}

/// The question that tells it: about the resource `key`, or all.
#[must_use]
pub fn wanted(key: Option<&str>) -> RecentRequest {
    let key = key.filter(|key| !key.is_empty()).map(named_key);
    RecentRequest { key, limit: MAX_ACTIONS, ..RecentRequest::default() }
}

impl StatusAnswer {
    /// What `speaker` is told of it.
    #[must_use]
    pub fn of(speaker: &Speaker, recent: RecentActions) -> Self {
        let name = |instance: &str| speaker.name_of(instance).to_owned();
        let locks = recent.leases.into_iter().map(|lease| Lock {
            instance: name(&lease.instance),
            context_key: lease.context_key,
            session: lease.session,
            tool: lease.tool,
            tier: lease.tier,
            acquired_at: lease.since,
            expires_at: lease.expires_at,
        });
        let actions = recent.actions.into_iter().map(|action| RecentAction {
            context_key: action.context_keys.first().cloned().unwrap_or_default(),
            context_keys: action.context_keys,
            instance: name(&action.instance),
            session: action.session,
            tool: action.tool,
            tier: action.tier.into(),
            timestamp: action.at,
            state: action.state,
        });
        Self { locks: locks.collect(), recent_actions: actions.collect() }
    }
}
