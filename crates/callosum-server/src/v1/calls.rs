//! `/v1/before`, `after`, `delivered` and `extend`: a call over HTTP.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::HeaderName;
use axum::response::AppendHeaders;
use axum::{Extension, Json as Answer};
use callosum_core::gate::{Admitted, Guest, Lease, NotAdmitted, Terms, Verdict, Weighed};
use callosum_core::model::time::to_rfc3339;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::model::wrong_field::word;
use callosum_core::record::outcome::Ended;
use callosum_protocol::{Evidence, check_cwd, check_name, new_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::http::body::Json;
use crate::http::refusal::Refusal;
use crate::service::Service;

use super::decide::{Asked, decide};

/// How a call stands that was allowed before: `running` (or it may be), `complete` or `unknown`. The rest of the answer does not depend on it.
const EARLIER: HeaderName = HeaderName::from_static("x-callosum-earlier");

/// A call that is about to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BeforeRequest {
    /// The tool's name, as rules know it: `exec`, `message` …
    tool: String,
    /// Its parameters. Left out, nobody could tell what it acts on.
    params: Map<String, Value>,
    /// The session that makes the call. Without it a call that may be paused is not decided.
    session: Option<String>,
    /// What it calls its agent.
    agent: Option<String>,
    /// The call's id: the same call again, by the same session, gets the same verdict. Without one it gets one.
    call: Option<String>,
    /// The absolute folder that relative paths in the parameters start from.
    cwd: Option<String>,
    /// What it calls the agent runtime that the call comes from: told as `http/NAME`.
    runtime: Option<String>,
    /// For which of its instances the token speaks.
    instance: Option<String>,
}

/// What is to be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Word {
    /// Make it, then report its end. With the header `X-Callosum-Earlier` only if you know that nobody has made it.
    Allow,
    /// Show its model the text. A retry, with another `call`, goes through.
    Pause,
    /// The same, but a retry does not help before other calls have ended.
    Block,
    /// Don't make it; `reason` says why.
    Refuse,
}

/// The verdict.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BeforeAnswer {
    pub(crate) verdict: Word,
    /// Why it is refused: `limit`, or `policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    tier: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_name: Option<String>,
    /// Whether any rule could apply to the tool. Where none could, no other call is held against one of it.
    covered: bool,
    /// The resources that it acts on.
    context_keys: Vec<String>,
    /// The call's id, for the report of its end.
    call: String,
    /// What its model is to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What spoke against it, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Evidence>,
    /// RFC 3339. Of one that may be made: when its lease ends. Of a block: when it lapses, unless what blocks ends before.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutcomeWord {
    /// It was done.
    Complete,
    /// It was surely not done.
    Failed,
    /// It may have been done.
    Unknown,
    /// It was never tried.
    Refused,
}

/// The report of an end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AfterRequest {
    /// The call's id.
    call: String,
    #[serde(deserialize_with = "word")]
    outcome: OutcomeWord,
    /// The exit code of its process.
    exit_code: Option<i64>,
    /// What went wrong, in a few words.
    error: Option<String>,
    /// The call's session, where its id is not one of its own.
    session: Option<String>,
}

/// What became of the report.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AfterAnswer {
    ok: bool,
    /// Whether it was written: no call of this id is open whose end is kept (tiers 0 and 1 have none), or it has one.
    recorded: bool,
}

/// A call, by its id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CallRequest {
    /// The call's id.
    call: String,
    /// Its session, where its id is not one of its own.
    session: Option<String>,
}

/// That pauses were read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DeliveredAnswer {
    ok: bool,
    /// How many pauses of the call now count as read.
    read: usize,
}

/// A renewed lease.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExtendAnswer {
    ok: bool,
    /// When it ends: RFC 3339.
    expires_at: String,
}

/// What becomes of a call.
pub(crate) async fn before(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<BeforeRequest>,
) -> Result<(AppendHeaders<Option<(HeaderName, &'static str)>>, Answer<BeforeAnswer>), Refusal> {
    for (path, name) in [
        ("tool", Some(&request.tool)),
        ("session", request.session.as_ref()),
        ("agent", request.agent.as_ref()),
        ("call", request.call.as_ref()),
        ("runtime", request.runtime.as_ref()),
    ] {
        name.map_or(Ok(()), |name| check_name(path, name))?;
    }
    check_cwd(request.cwd.as_deref())?;
    let instance = match &request.instance {
        Some(name) => caller.instance(name)?,
        None => caller.own_instance()?,
    };
    let id = request.call.map_or_else(new_id, Ok)?;
    let has_session = request.session.is_some();
    let guest = Guest {
        claimed_runtime: request.runtime,
        via: caller.via.clone(),
        call: ToolCall {
            tool: request.tool,
            agent: request.agent,
            session: request.session.unwrap_or_else(|| instance.clone()),
            call: Some(id.clone()),
            cwd: request.cwd,
            ..ToolCall::default()
        },
        instance,
        keys: Vec::new(),
    };
    let asked = Asked { guest, params: request.params, terms: Terms::Gate, has_session };
    let (weighed, admitted) = decide(&service, asked).await?;
    match admitted {
        Ok(admitted) => {
            let earlier = admitted.earlier.map(|state| (EARLIER, state.word()));
            Ok((AppendHeaders(earlier), Answer(BeforeAnswer::of(&weighed, admitted, id))))
        }
        Err(NotAdmitted::State { text, code, cause, remedy }) => {
            Err(Refusal::from(NotAdmitted::State { text: text.clone(), code, cause, remedy })
                .with_verdict(&weighed, id, text))
        }
        Err(reason) => Err(reason.into()),
    }
}

impl BeforeAnswer {
    fn of(weighed: &Weighed, admitted: Admitted, call: String) -> Self {
        let (verdict, reason) = match admitted.verdict {
            Verdict::Allow => (Word::Allow, None),
            Verdict::Pause => (Word::Pause, None),
            Verdict::Block => (Word::Block, None),
            Verdict::TooLarge => (Word::Refuse, Some("limit")),
            Verdict::Denied => (Word::Refuse, Some("policy")),
        };
        Self {
            verdict,
            reason,
            tier: weighed.tier().into(),
            rule_name: weighed.rule_name().map(str::to_owned),
            covered: weighed.is_covered(),
            context_keys: weighed.keys().to_vec(),
            call,
            text: admitted.text,
            evidence: admitted.facts.iter().map(|fact| Evidence::of(fact, str::to_owned)).collect(),
            expires_at: admitted.expires_ms.map(to_rfc3339),
        }
    }
}

/// What tells which call is meant.
fn check_call(call: &str, session: Option<&str>) -> Result<(), Refusal> {
    check_name("call", call)?;
    Ok(session.map_or(Ok(()), |session| check_name("session", session))?)
}

/// How a call ended.
pub(crate) async fn after(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<AfterRequest>,
) -> Result<Answer<AfterAnswer>, Refusal> {
    check_call(&request.call, request.session.as_deref())?;
    let ended = match request.outcome {
        OutcomeWord::Complete => Ended::Ok,
        OutcomeWord::Failed => Ended::Error,
        OutcomeWord::Unknown => Ended::Maybe,
        OutcomeWord::Refused => Ended::Refused,
    };
    let settled = service.writer.write(
        move |gate| {
            let AfterRequest { call, session, exit_code, error, .. } = request;
            let end = (ended, exit_code, error.as_deref());
            let named = (call.as_str(), session.as_deref());
            gate.settle_guest(named, &|owner| caller.owns(owner), end, &caller.via, &gate.machine().now())
        },
        |gate, settled| settled.inspect(|settled| gate.keep(settled, &gate.machine().now())),
    );
    let recorded = settled.await??.is_written();
    Ok(Answer(AfterAnswer { ok: true, recorded }))
}

/// A model has read a call's pause.
pub(crate) async fn delivered(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<CallRequest>,
) -> Result<Answer<DeliveredAnswer>, Refusal> {
    check_call(&request.call, request.session.as_deref())?;
    let read = service.writer.write(
        move |gate| {
            let named = (request.call.as_str(), request.session.as_deref());
            gate.guest_read(named, &|owner| caller.owns(owner), &caller.via, &gate.machine().now())
        },
        |_, read| read,
    );
    let read = read.await??;
    Ok(Answer(DeliveredAnswer { ok: true, read }))
}

/// A call goes on for longer than its lease.
pub(crate) async fn extend(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(request): Json<CallRequest>,
) -> Result<Answer<ExtendAnswer>, Refusal> {
    check_call(&request.call, request.session.as_deref())?;
    let lease = service.writer.write(
        move |gate| {
            let named = (request.call.as_str(), request.session.as_deref());
            gate.extend_guest(named, &|owner| caller.owns(owner), &caller.via, &gate.machine().now())
        },
        |_, lease| lease,
    );
    match lease.await?? {
        Lease::Until(end) => Ok(Answer(ExtendAnswer { ok: true, expires_at: to_rfc3339(end) })),
        Lease::Free | Lease::HeldBy(_) => Err(Refusal::stale()),
    }
}
