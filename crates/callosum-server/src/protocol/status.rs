//! `GET /status`.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::{Extension, Json as Answer};
use callosum_core::query::RecentRequest;
use callosum_core::rules::context_key::named_key;
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::Caller;
use crate::http::refusal::Refusal;
use crate::service::Service;

/// Actions given at the most.
const MAX_ACTIONS: usize = 100;

/// A live lease.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lock {
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
pub(crate) struct RecentAction {
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
pub(crate) struct StatusAnswer {
    locks: Vec<Lock>,
    recent_actions: Vec<RecentAction>,
}

/// What is held and was done lately: on the resource `contextKey`, or on all.
pub(crate) async fn status(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Query(mut asked): Query<HashMap<String, String>>,
) -> Result<Answer<StatusAnswer>, Refusal> {
    let key = asked.remove("contextKey").filter(|key| !key.is_empty());
    let wanted =
        RecentRequest { key: key.as_deref().map(named_key), limit: MAX_ACTIONS, ..RecentRequest::default() };
    let recent = service.base.in_turn(move |state| state.source().recent(&wanted, &state.now())).await?;
    let name = |instance: &str| caller.name_of(instance).to_owned();
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
    Ok(Answer(StatusAnswer { locks: locks.collect(), recent_actions: actions.collect() }))
}
