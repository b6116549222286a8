//! Live leases, as they are shown; and the state of an action in one word.

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::history::{Action as Past, History, IsDead};
use crate::model::time::{Stamp, to_rfc3339};

/// A live lease on one resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseStatus {
    /// The resource.
    pub context_key: String,
    /// The machine that it came from; none for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Whose.
    pub instance: String,
    /// Whose.
    pub session: String,
    /// What it does.
    pub tool: String,
    /// Its tier.
    pub tier: u8,
    /// Since when.
    pub since: String,
    /// Until when at the latest.
    pub expires_at: String,
}

/// The live leases, oldest first.
pub(super) fn live_leases(history: &History, now: &Stamp, is_dead: IsDead<'_>) -> Vec<LeaseStatus> {
    let mut holding: Vec<&Past> =
        history.open_guarded().filter(|action| action.holds_lease(now, is_dead)).collect();
    holding.sort_unstable_by_key(|action| action.seq);
    holding.into_iter().flat_map(leases_of).collect()
}

/// The leases of one action, one a resource.
pub(super) fn leases_of(action: &Past) -> Vec<LeaseStatus> {
    action
        .keys
        .iter()
        .map(|key| LeaseStatus {
            context_key: key.as_ref().to_owned(),
            machine: action.who.foreign_machine(),
            instance: action.who.instance.clone(),
            session: action.who.session.clone(),
            tool: action.tool.clone(),
            tier: action.tier.into(),
            since: to_rfc3339(action.started.wall_ms),
            expires_at: to_rfc3339(action.started.plus_ms(action.lease_ms).wall_ms),
        })
        .collect()
}
