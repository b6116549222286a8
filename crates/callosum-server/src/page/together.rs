//! What the page shows of tasks, messages and the shared context, and a person's word on what waits for it.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State as Extracted};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use callosum_context::error::Problem;
use callosum_context::overview::Seat;
use callosum_context::site::Site;
use callosum_context::tools;
use callosum_core::gate::Gate;
use callosum_core::model::time::Stamp;
use callosum_core::query::QueryError;
use callosum_team::overview::{self, Wanted};
use callosum_team::{error, switch};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::http::answer::json as answer;
use crate::http::refusal::Refusal;

use super::Page;
use super::routes::Asked;

/// What the page asks besides the questions of the registry.
pub(super) fn routes() -> Router<Arc<Page>> {
    Router::new()
        .route("/api/team", get(team))
        .route("/api/context", get(context))
        .route("/api/decide", post(decide))
}

async fn team(Extracted(page): Extracted<Arc<Page>>, Query(asked): Query<Asked>) -> Result<Response, Refusal> {
    let wanted: Wanted = asked.read()?;
    let text = page.base.in_turn(move |state| {
        let on = switch::is_on(state.state_dir());
        json_of(&overview::overview(state.source(), state.machine(), on, wanted, &state.now())?)
    });
    Ok(answer(StatusCode::OK, text.await?))
}

async fn context(Extracted(page): Extracted<Arc<Page>>) -> Result<Response, Refusal> {
    let told = page.base.in_turn(|state| {
        let home = home();
        let seat = Seat {
            settings: state.shared_context(),
            state_dir: state.state_dir(),
            home: &home,
            journal: state.source(),
            now: state.now(),
        };
        match callosum_context::overview::overview(&seat) {
            Ok(told) => json_of(&told).map(Ok),
            Err(problem) => Ok(Err(Told::from(problem))),
        }
    });
    let text = told.await?.map_err(Refusal::from)?;
    Ok(answer(StatusCode::OK, text))
}

/// What a person decides about.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Matter {
    /// A task that an agent made.
    Task,
    /// A proposal in the shared context.
    Proposal,
}

/// A person's word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    matter: Matter,
    id: String,
    accept: bool,
}

async fn decide(
    Extracted(page): Extracted<Arc<Page>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    if !page.access.is_own_origin(&headers) {
        return Err(Refusal::foreign("Origin"));
    }
    let word: Word = asked.read()?;
    let decided = page.base.in_turn(move |state| {
        Ok(state.by_gate(|gate, now| match word.matter {
            Matter::Task => {
                let task = overview::decide(gate, &word.id, word.accept, now).map_err(Told::from)?;
                Ok(json!({ "id": task.id, "state": task.state, "accepted": task.accepted }).to_string())
            }
            Matter::Proposal => on_proposal(gate, &word, now),
        }))
    });
    let text = decided.await?.map_err(Refusal::from)?;
    Ok(answer(StatusCode::OK, text))
}

fn on_proposal(gate: &Gate, word: &Word, now: &Stamp) -> Result<String, Told> {
    let request = json!({ "do": "decide", "id": word.id, "accept": word.accept });
    let text = tools::answer(&Site { gate, home: &home(), now: *now }, &request.to_string());
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(error) = answer.get("error") else { return Ok(text) };
    let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Err(Told { code: part("code"), message: part("message"), remedy: part("remedy") })
}

fn home() -> PathBuf {
    env::home_dir().unwrap_or_default()
}

/// Why something was not told or not done, and what to do about it.
struct Told {
    code: String,
    message: String,
    remedy: String,
}

impl From<Problem> for Told {
    fn from(Problem { code, message, remedy }: Problem) -> Self {
        Self { code: code.as_str().to_owned(), message, remedy }
    }
}

impl From<error::Refusal> for Told {
    fn from(error::Refusal { code, message, remedy }: error::Refusal) -> Self {
        let code = json!(code).as_str().unwrap_or_default().to_owned();
        Self { code, message, remedy }
    }
}

impl From<Told> for Refusal {
    fn from(Told { code, message, remedy }: Told) -> Self {
        Self::new(StatusCode::CONFLICT, &code, message, remedy)
    }
}

fn json_of(told: &impl Serialize) -> Result<String, QueryError> {
    serde_json::to_string(told)
        .map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
}
