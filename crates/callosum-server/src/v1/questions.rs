//! The questions of the core's registry, each under its name, answered as `--json` prints them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use callosum_core::query::{Answered, QUESTIONS, QueryError, Question, Released, Surface};
use callosum_core::rules::context_key::named_key;
use callosum_protocol::Refused;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::http::address::Query;
use crate::http::answer::json;
use crate::http::body::Json;
use crate::http::fields::Fields;
use crate::http::refusal::Refusal;
use crate::service::Service;

/// The question what happened on a resource.
const STORY: &str = "why";

/// The question which leases there are, and the name that it had before: both stay, as on the command line.
const LEASES: &str = "leases";
const LOCKS: &str = "/v1/locks";

/// The leases on which resource are to end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReleaseRequest {
    /// The resource.
    key: String,
}

/// The questions that are offered here and only look.
pub(crate) fn offered() -> impl Iterator<Item = &'static Question> {
    let looks = |question: &&Question| matches!(question.answered, Answered::BySource(_));
    QUESTIONS.iter().filter(|question| question.is_offered(Surface::Http)).filter(looks)
}

pub(crate) fn routes() -> Router<Arc<Service>> {
    offered().fold(Router::new(), |router, question| {
        let fields = Fields::of(question.request);
        let has_request = question.request.is_some();
        let answer = async move |State(service): State<Arc<Service>>, asked: Query| {
            if !has_request {
                let [] = asked.only([])?;
                return Ok(json(StatusCode::OK, service.base.ask(question.name, "{}".to_owned()).await?));
            }
            // The whole of it as JSON, or field by field.
            let Query(mut asked) = asked;
            let request = match (asked.remove("q"), asked.keys().next()) {
                (Some(whole), None) => read_whole(&whole)?,
                (Some(_), Some(more)) => {
                    return Err(Refusal::field(
                        more,
                        "can't be combined with `q`, which already contains the whole request",
                    ));
                }
                (None, _) => fields.read(asked)?,
            };
            fields.check(&request)?;
            let request = Value::Object(request).to_string();
            let answer = match question.name {
                STORY => story(&service, request).await,
                name => service.base.ask(name, request).await,
            };
            let answer = answer.map_err(|error| fields.refusal(error))?;
            Ok::<Response, Refusal>(json(StatusCode::OK, answer))
        };
        let router = match question.name {
            LEASES => router.route(LOCKS, get(answer.clone())),
            _ => router,
        };
        router.route(&format!("/v1/{}", question.name), get(answer))
    })
}

/// A request that is told as one JSON object.
fn read_whole(text: &str) -> Result<Map<String, Value>, Refusal> {
    let read = callosum_protocol::read(text.as_bytes());
    Ok(read.map_err(|mut refused: Refused| {
        // It is none.
        if refused.problem.path.as_deref() == Some("") {
            refused.problem.path = Some("q".to_owned());
        }
        refused
    })?)
}

/// What happened on a resource: as its caller names it or, where nothing is told under that name, in the one spelling that rules
/// and `/lock` write.
async fn story(service: &Service, request: String) -> Result<String, QueryError> {
    let spelled = || {
        let mut asked: Value = serde_json::from_str(&request).ok()?;
        let key = asked.get_mut("key")?;
        let named = named_key(key.as_str()?);
        if *key == named {
            return None;
        }
        *key = named.into();
        Some(asked.to_string())
    };
    let spelled = spelled();
    let answer = service.base.ask(STORY, request).await?;
    let is_told = |answer: &str| {
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        answer.get("events").and_then(Value::as_array).is_none_or(|events| !events.is_empty())
    };
    match spelled {
        Some(spelled) if !is_told(&answer) => service.base.ask(STORY, spelled).await,
        _ => Ok(answer),
    }
}

/// Ends the leases on a resource.
pub(crate) async fn release(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Arc<Caller>>,
    Json(ReleaseRequest { key }): Json<ReleaseRequest>,
) -> Result<Response, Refusal> {
    let released = service.writer.write(
        move |gate| {
            let by = format!("{} over HTTP", caller.via);
            let held = gate.release(&key, &by, &gate.machine().now())?;
            serde_json::to_string(&Released::of(&key, &held))
                .map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
        },
        |_, released| released,
    );
    Ok(json(StatusCode::OK, released.await??))
}
