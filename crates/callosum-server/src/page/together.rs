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
use callosum_team::api::{self, Desk, Surface};
use callosum_team::who::Actor;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::answer::json as answer;
use crate::http::refusal::Refusal;

use super::Page;
use super::asked::Asked;

/// What the page asks besides the questions of the registry.
pub(super) fn routes() -> Router<Arc<Page>> {
    Router::new()
        .route("/api/team", get(team))
        .route("/api/context", get(context))
        .route("/api/decide", post(decide))
}

async fn team(
    Extracted(page): Extracted<Arc<Page>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let request: Value = asked.read()?;
    let told = page.base.in_turn(move |state| {
        let desk = Desk {
            source: state.source(),
            machine: state.machine(),
            state_dir: state.state_dir(),
            gate: None,
            now: state.now(),
        };
        Ok(told(api::answer(&desk, Surface::Page, "page", request, &Ok(Actor::operator()))))
    });
    Ok(answer(StatusCode::OK, told.await?.map_err(Refusal::from)?))
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
            Ok(told) => Ok(Ok(json!(told).to_string())),
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
                let verb = if word.accept { "accept" } else { "reject" };
                let (desk, request) = (Desk::of_gate(gate, *now), json!({ "id": word.id }));
                told(api::answer(&desk, Surface::Page, verb, request, &Ok(Actor::operator())))
            }
            Matter::Proposal => {
                let request = json!({ "do": "decide", "id": word.id, "accept": word.accept });
                let text = tools::answer(&Site { gate, home: &home(), now: *now }, &request.to_string());
                told(serde_json::from_str(&text).unwrap_or_default())
            }
        }))
    });
    let text = decided.await?.map_err(Refusal::from)?;
    Ok(answer(StatusCode::OK, text))
}

/// An answer as its text, or what is wrong.
fn told(answer: Value) -> Result<String, Told> {
    let Some(error) = answer.get("error") else { return Ok(answer.to_string()) };
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

impl From<Told> for Refusal {
    fn from(Told { code, message, remedy }: Told) -> Self {
        let is_wrong = code == "bad-request";
        let status = if is_wrong { StatusCode::BAD_REQUEST } else { StatusCode::CONFLICT };
        Self::new(status, &code, message, remedy)
    }
}
