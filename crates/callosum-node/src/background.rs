//! Steps for libuv's worker threads. None rejects: failures are answers.

use std::sync::Arc;

use callosum_context::site::Site;
use callosum_context::tools;
use callosum_core::gate::{self, GivenUp};
use callosum_core::model::time::Stamp;
use callosum_core::query::{self, QueryError, Released};
use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use serde_json::json;

use crate::js_types::Answer;
use crate::panic_guard::guarded;
use crate::team;

/// Finishes a ticket.
pub struct FinishTask {
    pub(crate) gate: Arc<gate::Gate>,
    pub(crate) ticket: u32,
}

impl Task for FinishTask {
    type Output = gate::Answer;
    type JsValue = Option<Answer>;

    fn compute(&mut self) -> napi::Result<gate::Answer> {
        let (gate, ticket) = (Arc::clone(&self.gate), self.ticket);
        // A panic in the middle of a decision leaves it open: the state's policy decides.
        let answer = guarded("finish", None, || Some(gate.finish(ticket, &gate.machine().now())));
        Ok(answer.unwrap_or_else(|| {
            guarded("abandon", gate::Answer::Proceed, || {
                gate.abandon(ticket, GivenUp::Failed, &gate.machine().now())
            })
        }))
    }

    fn resolve(&mut self, _env: Env, answer: gate::Answer) -> napi::Result<Option<Answer>> {
        self.gate.forget(self.ticket);
        Ok(Answer::from_core(answer))
    }
}

/// What [`MaintenanceTask`] does.
pub(crate) enum Maintenance {
    Maintain,
    Close,
}

/// Writes what waits, or closes the gate.
pub struct MaintenanceTask {
    pub(crate) gate: Arc<gate::Gate>,
    pub(crate) maintenance: Maintenance,
}

impl Task for MaintenanceTask {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> napi::Result<()> {
        let gate = &self.gate;
        guarded("maintenance", (), || {
            let now = gate.machine().now();
            match self.maintenance {
                Maintenance::Maintain => gate.maintain(&now),
                Maintenance::Close => gate.close(&now),
            }
        });
        Ok(())
    }

    fn resolve(&mut self, _env: Env, (): ()) -> napi::Result<()> {
        Ok(())
    }
}

/// What [`QueryTask`] asks.
pub(crate) enum Query {
    Ask { question: String, request: String },
    Release { key: String, by: String },
    Context { request: String },
    Team { request: String },
}

impl Query {
    fn answer(&self, gate: &gate::Gate, now: &Stamp) -> Result<String, QueryError> {
        match self {
            Self::Ask { question, request } => query::answer(gate, question, request, now),
            Self::Context { request } => {
                let home = std::env::home_dir().unwrap_or_default();
                Ok(tools::answer(&Site { gate, home: &home, now: *now }, request))
            }
            Self::Team { request } => Ok(team::answer(gate, request, now)),
            Self::Release { key, by } => {
                serde_json::to_string(&Released::of(key, &gate.release(key, by, now)?))
                    .map_err(|error| QueryError { code: "internal".to_owned(), message: error.to_string() })
            }
        }
    }
}

/// Asks the gate something, as JSON text.
pub struct QueryTask {
    pub(crate) gate: Arc<gate::Gate>,
    pub(crate) query: Query,
}

impl Task for QueryTask {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<String> {
        let gate = &self.gate;
        let failed = QueryError {
            code: "internal".to_owned(),
            message: "the query failed; see the log of the gateway".to_owned(),
        };
        let answer = guarded("query", Err(failed), || self.query.answer(gate, &gate.machine().now()));
        Ok(answer.unwrap_or_else(|error| json!({ "error": error }).to_string()))
    }

    fn resolve(&mut self, _env: Env, text: String) -> napi::Result<String> {
        Ok(text)
    }
}

pub(crate) fn finish(gate: &Arc<gate::Gate>, ticket: u32) -> AsyncTask<FinishTask> {
    AsyncTask::new(FinishTask { gate: Arc::clone(gate), ticket })
}

pub(crate) fn maintenance(gate: &Arc<gate::Gate>, task: Maintenance) -> AsyncTask<MaintenanceTask> {
    AsyncTask::new(MaintenanceTask { gate: Arc::clone(gate), maintenance: task })
}

pub(crate) fn query(gate: &Arc<gate::Gate>, query: Query) -> AsyncTask<QueryTask> {
    AsyncTask::new(QueryTask { gate: Arc::clone(gate), query })
}
