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
use callosum_team::api::{Desk, Surface, Verb};
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
        Ok(asked_at_page(&desk, "page", request))
    });
    Ok(answer(StatusCode::OK, told.await??))
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
        Ok(callosum_context::overview::overview(&seat).map(|told| json!(told).to_string()))
    });
    Ok(answer(StatusCode::OK, told.await??))
}

/// What a person decides about.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Matter {
    /// A task that an agent made.
    Task,
    /// A proposal in the shared context.
    Proposal,
    /// A file of it that something else changed: kept, or put back.
    File,
}

/// A person's word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    matter: Matter,
    /// Of a file its path.
    id: String,
    accept: bool,
    /// Of a file: what of it was seen.
    #[serde(default)]
    version: String,
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
                asked_at_page(&Desk::of_gate(gate, *now), verb, json!({ "id": word.id }))
            }
            Matter::Proposal => {
                let site = Site { gate, home: &home(), now: *now };
                let decided = tools::decide(&site, &word.id, word.accept)?;
                Ok(decided.to_string())
            }
            Matter::File => {
                let site = Site { gate, home: &home(), now: *now };
                let settled = tools::settle(&site, &word.id, &word.version, word.accept)?;
                Ok(settled.to_string())
            }
        }))
    });
    Ok(answer(StatusCode::OK, decided.await??))
}

/// What a person at the page asks of the team.
fn asked_at_page(desk: &Desk<'_>, verb: &str, request: Value) -> Result<String, Refusal> {
    let told = Verb::named(verb, Surface::Page)?.answer(desk, request, &Ok(Actor::operator()))?;
    Ok(told.to_string())
}

fn home() -> PathBuf {
    env::home_dir().unwrap_or_default()
}

impl From<Problem> for Refusal {
    fn from(Problem { code, message, remedy }: Problem) -> Self {
        Self::new(StatusCode::CONFLICT, code.as_str(), message, remedy)
    }
}
