//! The questions of the core's registry, each under its name, answered as `--json` prints them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use callosum_core::query::{Answered, QUESTIONS, QueryError, Question, Released, Surface};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::http::answer::json;
use crate::http::body::Json;
use crate::http::refusal::Refusal;
use crate::service::Service;

/// Those of the questions' fields that are numbers: an address has only texts.
const NUMBERS: &[&str] = &["limit", "minTier", "after", "before", "windowMs", "from", "to", "bucketMs"];
/// And those that are true or false.
const FLAGS: &[&str] = &["budget", "callsOnly"];

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
        let answer = async move |State(service): State<Arc<Service>>,
                                 Query(asked): Query<HashMap<String, String>>| {
            let request = request(asked)?;
            let answer = service.base.ask(question.name, request).await?;
            Ok::<Response, Refusal>(json(StatusCode::OK, answer))
        };
        router.route(&format!("/v1/{}", question.name), get(answer))
    })
}

/// The request that an address tells: as JSON under `q`, or field by field.
fn request(mut asked: HashMap<String, String>) -> Result<String, Refusal> {
    if let Some(whole) = asked.remove("q") {
        return Ok(whole);
    }
    let mut request = Map::new();
    for (name, text) in asked {
        let value = if NUMBERS.contains(&name.as_str()) {
            let number = text.parse::<i64>();
            number.map(Value::from).map_err(|_| Refusal::field(&name, "expected a whole number"))?
        } else if FLAGS.contains(&name.as_str()) {
            let flag = text.parse::<bool>();
            flag.map(Value::from).map_err(|_| Refusal::field(&name, "expected `true` or `false`"))?
        } else {
            Value::from(text)
        };
        request.insert(name, value);
    }
    Ok(Value::Object(request).to_string())
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
