//! `POST /lock` and `DELETE /lock/:key`.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::{Extension, Json as Answer};
use callosum_core::gate::Lease;
use callosum_core::model::tier::Tier;
use callosum_core::model::time::to_rfc3339;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Caller;
use crate::http::body::{Json, MaybeJson};
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::v1::decide::Evidence;

/// A lease that is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LockRequest {
    /// For whom.
    instance: String,
    /// Of which resource.
    context_key: String,
    /// The tier of what is to be done, 0 to 4; 3 if nothing is said.
    tier: Option<u8>,
    /// The session within the instance.
    session: Option<String>,
}

/// Whether it was taken.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LockAnswer {
    acquired: bool,
    /// Who holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<Evidence>,
    /// When it ends: RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// For whom a lease is given back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct UnlockRequest {
    /// Who holds it.
    instance: Option<String>,
}

/// Whether it was given back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UnlockAnswer {
    ok: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Takes the lease of a resource, unless another instance holds it.
pub(crate) async fn take(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<LockRequest>,
) -> Result<Answer<LockAnswer>, Refusal> {
    let who = caller.who(&request.instance, request.session.as_deref())?;
    let key = key(request.context_key)?;
    let tier = Tier::try_from(request.tier.unwrap_or(3))
        .map_err(|_| Refusal::field("tier", "expected a whole number from 0 to 4"))?;
    let via = caller.via.clone();
    let lease = service.writer.write(
        move |gate| gate.take_lease((&who, &key), tier, &via, &gate.machine().now()),
        |_, lease| lease,
    );
    Ok(Answer(match lease.await?? {
        Lease::Until(end) => LockAnswer { acquired: true, conflict: None, expires_at: Some(to_rfc3339(end)) },
        Lease::HeldBy(others) => {
            let conflict =
                others.first().map(|fact| Evidence::of(fact, |name| caller.name_of(name).to_owned()));
            LockAnswer { acquired: false, conflict, expires_at: None }
        }
        Lease::Free => LockAnswer { acquired: false, conflict: None, expires_at: None },
    }))
}

/// Gives back what an instance holds on a resource.
pub(crate) async fn give_back(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Path(held): Path<String>,
    Query(mut asked): Query<HashMap<String, String>>,
    MaybeJson(request): MaybeJson<UnlockRequest>,
) -> Result<Answer<UnlockAnswer>, Refusal> {
    // Not every client can send a body with DELETE.
    let instance = request.instance.or_else(|| asked.remove("instance"));
    let instance = instance.ok_or_else(|| {
        Refusal::field(
            "instance",
            "it is missing; expected it in the body, or as `?instance=` in the address",
        )
    })?;
    let instance = caller.instance(&instance)?;
    let key = key(held)?;
    let via = caller.via.clone();
    let lease = service.writer.write(
        {
            let key = key.clone();
            move |gate| gate.give_back((&instance, &key), &via, &gate.machine().now())
        },
        |_, lease| lease,
    );
    Ok(Answer(match lease.await?? {
        Lease::HeldBy(others) => {
            let holder = others.first().map_or("another instance", |fact| caller.name_of(&fact.who.instance));
            let error = format!("`{key}` is held by {holder}, and only its holder can give it back");
            UnlockAnswer { ok: false, error: Some(error) }
        }
        Lease::Free | Lease::Until(_) => UnlockAnswer { ok: true, error: None },
    }))
}

fn key(key: String) -> Result<String, Refusal> {
    if key.trim().is_empty() {
        return Err(Refusal::field("contextKey", "it is empty; expected the name of a resource"));
    }
    Ok(key)
}
