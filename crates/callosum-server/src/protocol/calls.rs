//! `POST /intercept` and `POST /complete`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use axum::{Extension, Json as Answer};
use callosum_core::gate::{Guest, Terms, Verdict};
use callosum_core::model::time::to_rfc3339;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::http::body::Json;
use crate::http::peer::only;
use crate::http::refusal::Refusal;
use crate::service::Service;
use crate::v1::calls::{RUNTIME, check_name};
use crate::v1::decide::{Asked, Evidence, decide, new_id};

use super::keys;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The tool of an end that no call was asked for.
const UNNAMED_TOOL: &str = "complete";

/// A call that is about to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InterceptRequest {
    /// Who makes it.
    instance: String,
    /// The tool.
    tool: String,
    /// What it does with it; the rules see it as the parameter `action`.
    action: Option<String>,
    /// Its parameters. `_contextKey` names the resource that it acts on.
    #[serde(default)]
    params: Option<Map<String, Value>>,
    /// The session within the instance.
    session: Option<String>,
    /// The agent.
    agent: Option<String>,
    /// The agent runtime.
    runtime: Option<String>,
    /// The absolute folder that relative paths in the parameters start from.
    cwd: Option<String>,
    /// At tier 3, pause as the gate does, instead of warning.
    #[serde(default)]
    enforce: bool,
}

/// Whether it may be made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InterceptAnswer {
    proceed: bool,
    tier: u8,
    /// The first resource that it acts on.
    context_key: String,
    /// All of them.
    context_keys: Vec<String>,
    /// The call's id, which names it in `/complete`.
    call: String,
    /// What other instances did on the same, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<Vec<Evidence>>,
    /// The same for the agent's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// The sequence numbers of the conflicts in the journal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<u64>,
    /// RFC 3339. Of one that may be made: when its lease ends. Of one that is refused: when that lapses, unless what speaks
    /// against it ends before.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// The end of a call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompleteRequest {
    /// Who made it.
    instance: String,
    /// The resource, as `/intercept` answered it.
    context_key: String,
    /// What came of it. An object with `error` says that it went wrong, which does not prove that nothing was done.
    #[serde(default)]
    result: Value,
    /// Which call it is, as `/intercept` answered it; else the instance's oldest open one on the resource.
    id: Option<String>,
    /// The tool, where no call was asked for before.
    tool: Option<String>,
}

/// That it was done.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OkAnswer {
    pub(crate) ok: bool,
}

/// Looks for conflicts with what other instances do, and writes the call down, in one step.
pub(crate) async fn intercept(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    headers: HeaderMap,
    Json(request): Json<InterceptRequest>,
) -> Result<Answer<InterceptAnswer>, Refusal> {
    check_name("tool", &request.tool)?;
    for (path, name) in
        [("session", &request.session), ("agent", &request.agent), ("runtime", &request.runtime)]
    {
        name.as_ref().map_or(Ok(()), |name| check_name(path, name))?;
    }
    let who = caller.who(&request.instance, request.session.as_deref())?;
    let call = match headers.contains_key(IDEMPOTENCY_KEY) {
        false => new_id()?,
        true => {
            let key = only(&headers, &IDEMPOTENCY_KEY);
            let key =
                key.ok_or_else(|| Refusal::field("Idempotency-Key", "expected one header of plain text"))?;
            check_name("Idempotency-Key", key)?;
            key.to_owned()
        }
    };
    let mut params = request.params.unwrap_or_default();
    let mut named = keys::take_named(&mut params).map_err(|why| Refusal::field("params._contextKey", why))?;
    let action = request.action.filter(|action| !action.is_empty());
    if let Some(action) = &action {
        params.insert("action".to_owned(), action.clone().into());
    }
    if named.is_empty() {
        named = keys::of_reply(&request.tool, &params);
    }
    let untracked = keys::untracked(&request.tool, action.as_deref());
    let enforces = request.enforce || caller.enforce;
    let guest = Guest {
        runtime: request.runtime.unwrap_or_else(|| RUNTIME.to_owned()),
        via: caller.via.clone(),
        call: ToolCall {
            tool: request.tool,
            agent: request.agent,
            session: who.session,
            call: Some(call.clone()),
            cwd: request.cwd,
            ..ToolCall::default()
        },
        instance: who.instance,
        keys: named,
    };
    let terms = if enforces { Terms::AmongInstances } else { Terms::Advice };
    // The instance stands for its sessions here.
    let asked = Asked { guest, params, terms, has_session: true };
    let (weighed, admitted) = decide(&service, asked).await?;
    let admitted = admitted?;
    let conflicts: Vec<Evidence> = admitted
        .facts
        .iter()
        .map(|fact| Evidence::of(fact, |instance| caller.name_of(instance).to_owned()))
        .collect();
    Ok(Answer(InterceptAnswer {
        proceed: admitted.verdict == Verdict::Allow,
        tier: weighed.tier().into(),
        context_key: weighed.keys().first().cloned().unwrap_or(untracked),
        context_keys: weighed.keys().to_vec(),
        call,
        evidence: admitted.facts.iter().map(|fact| fact.seq).collect(),
        conflicts: (!conflicts.is_empty()).then_some(conflicts),
        warning: admitted.text,
        expires_at: admitted.expires_ms.map(to_rfc3339),
    }))
}

/// Writes how a call ended.
pub(crate) async fn complete(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<CompleteRequest>,
) -> Result<Answer<OkAnswer>, Refusal> {
    if request.context_key.trim().is_empty() {
        return Err(Refusal::field("contextKey", "it is empty; expected what `/intercept` answered"));
    }
    let who = caller.who(&request.instance, None)?;
    if keys::is_untracked(&request.context_key) {
        return Ok(Answer(OkAnswer { ok: true }));
    }
    // An error after the deed is common: it proves nothing.
    let went_wrong = request.result.get("error").is_some_and(|error| !error.is_null());
    let ended = if went_wrong { Ended::Maybe } else { Ended::Ok };
    let settled = service.writer.write(
        move |gate| {
            let (now, via) = (gate.machine().now(), caller.via.as_str());
            if let Some(id) = &request.id {
                let is_its = |owner: &str| owner == who.instance;
                return gate.settle_guest((id, None), &is_its, (ended, None, None), via, &now);
            }
            let tool = request.tool.as_deref().filter(|tool| !tool.is_empty()).unwrap_or(UNNAMED_TOOL);
            gate.settle_on_key((&who, &request.context_key), tool, ended, via, &now)
        },
        |gate, settled| settled.inspect(|settled| gate.keep(settled, &gate.machine().now())),
    );
    settled.await??;
    Ok(Answer(OkAnswer { ok: true }))
}
