//! Callosum's core as a native Node addon. Conversions only: no decision is made here.
//!
//! Every function is guarded against panics, and none throws: failures are answers. There are no statics:
//! a gateway loads the addon anew with each reload, and every gate stands alone.

mod background;
mod endpoints;
mod hooks;
mod js_params;
mod js_text;
mod js_types;
mod panic_guard;
mod team;

use std::sync::Arc;

use callosum_core::gate;
use callosum_core::record::outcome::Ended;
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, This};
use napi_derive::napi;

use crate::background::{FinishTask, Maintenance, MaintenanceTask, Query, QueryTask};
use crate::endpoints::{EndpointRequest, EndpointTask};
use crate::js_types::{Answer, GateOptions, Notice};
use crate::panic_guard::guarded;

/// The gate of one plugin instance. Nothing is looked at on the disk before the first call.
#[napi]
pub struct Gate {
    gate: Arc<gate::Gate>,
}

#[napi]
impl Gate {
    /// A gate that has not looked at anything yet. `before` and `after` are its own functions: see `hooks`.
    ///
    /// # Errors
    /// When these can't be made.
    #[napi(constructor, catch_unwind, ts_args_type = "options: GateOptions")]
    pub fn new(env: Env, mut this: This<'_>, options: GateOptions) -> napi::Result<Self> {
        let gate = gate::Gate::beside_event_loop(options.into_core());
        hooks::put_on(&mut this, env, &gate)?;
        Ok(Self { gate })
    }

    /// A background process of an earlier running call has ended.
    #[napi]
    pub fn process_ended(
        &self,
        process_session: String,
        ended: String,
        exit_code: Option<i64>,
    ) -> Option<Answer> {
        self.answer("process_ended", |gate| {
            let ended = Ended::from_word(&ended).unwrap_or(Ended::Maybe);
            gate.process_ended(&process_session, ended, exit_code, &gate.machine().now())
        })
    }

    /// The host has stored this call's result for the model.
    #[napi]
    pub fn result_persisted(&self, session: String, call: String) -> Option<Answer> {
        self.answer("result_persisted", |gate| gate.result_persisted(&session, &call, &gate.machine().now()))
    }

    /// A model call of this run begins: the model has seen all results of the run so far.
    #[napi]
    pub fn model_call_started(&self, run: String) -> Option<Answer> {
        self.answer("model_call_started", |gate| gate.model_call_started(&run, &gate.machine().now()))
    }

    /// Does what a ticket stands for on a worker thread, within 3 s and the time of a flush. Resolves to
    /// the final answer; never rejects.
    #[napi(ts_return_type = "Promise<Answer | null>")]
    pub fn finish(&self, ticket: u32) -> AsyncTask<FinishTask> {
        background::finish(&self.gate, ticket)
    }

    /// The host can't wait for a ticket any longer: gives the answer that `onStateError` wants. If the
    /// worker still lets the call through, that is closed as refused.
    #[napi]
    pub fn abandon(&self, ticket: u32) -> Option<Answer> {
        self.answer("abandon", |gate| gate.abandon(ticket, gate::GivenUp::Late, &gate.machine().now()))
    }

    /// Writes what waits. Run it every 5 s and when an answer asks for it; never rejects.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn maintain(&self) -> AsyncTask<MaintenanceTask> {
        background::maintenance(&self.gate, Maintenance::Maintain)
    }

    /// Log lines since the last call.
    #[napi]
    pub fn notices(&self) -> Vec<Notice> {
        guarded("notices", Vec::new(), || {
            if !self.gate.has_notices() {
                return Vec::new();
            }
            self.gate.take_notices().into_iter().map(Notice::from_core).collect()
        })
    }

    /// Answers a question about all sessions with JSON text, or with `{"error":{"code","message"}}`; never
    /// rejects. The questions are those of `callosum_core::query::QUESTIONS` that only read; the request is JSON
    /// text, an object, or empty where nothing need be said. Of `timeline`, `tally` and a `journal` with a
    /// `budget` a bounded piece is told: go on with `before` set to the answer's `next`, until that is null.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn ask(&self, question: String, request: String) -> AsyncTask<QueryTask> {
        background::query(&self.gate, Query::Ask { question, request })
    }

    /// Ends the live leases on a resource in the name of `by`: `{"key","released":[…]}`, or an error as
    /// `ask` gives it.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn release(&self, key: String, by: String) -> AsyncTask<QueryTask> {
        background::query(&self.gate, Query::Release { key, by })
    }

    /// Answers a request to one of the five endpoints, in the name of whoever may ask this gateway; never rejects.
    #[napi(ts_return_type = "Promise<EndpointAnswer>")]
    pub fn endpoint(&self, request: EndpointRequest) -> AsyncTask<EndpointTask> {
        endpoints::ask(&self.gate, request)
    }

    /// Answers a request about the shared context, which is JSON text, with a JSON object; or with
    /// `{"error":{"code","message","remedy"}}`. Never rejects. The requests are those of `callosum_context::tools`.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn context(&self, request: String) -> AsyncTask<QueryTask> {
        background::query(&self.gate, Query::Context { request })
    }

    /// Answers a request about what is done together, which is JSON text, with a JSON object; or with
    /// `{"error":{"code","message","remedy"}}`. Never rejects. The requests are those of the module `team`.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn team(&self, request: String) -> AsyncTask<QueryTask> {
        background::query(&self.gate, Query::Team { request })
    }

    /// Waits until what hooks left is written, for 15 ms at the most. For a process that exits without having closed the gate.
    #[napi]
    pub fn write_at_exit(&self) {
        guarded("write_at_exit", (), || self.gate.write_at_exit());
    }

    /// Writes what is left and lets the files go. Afterwards every method answers `null`.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close(&self) -> AsyncTask<MaintenanceTask> {
        background::maintenance(&self.gate, Maintenance::Close)
    }

    fn answer(&self, name: &str, step: impl FnOnce(&gate::Gate) -> gate::Answer) -> Option<Answer> {
        guarded(name, None, || Answer::from_core(step(&self.gate)))
    }
}
