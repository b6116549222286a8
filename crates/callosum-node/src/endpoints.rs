//! The five endpoints, for a gateway's HTTP route: each request is answered by a worker thread of libuv.

use std::sync::Arc;

use callosum_core::gate;
use callosum_protocol::{Answer, Refused, Request, Speaker, answer};
use napi::bindgen_prelude::{AsyncTask, Buffer};
use napi::{Env, Task};
use napi_derive::napi;

use crate::panic_guard::guarded;

/// A request to one of the five endpoints.
#[napi(object, object_to_js = false)]
pub struct EndpointRequest {
    /// `GET`, `POST` …
    pub method: String,
    /// The path below the route, and the query, as they came: `/lock/account%3Aacme?instance=doug`.
    pub path: String,
    /// The body; empty where there is none.
    pub body: Buffer,
    /// The header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
}

/// What is answered to it.
#[napi(object, object_from_js = false)]
pub struct EndpointAnswer {
    /// The status of HTTP.
    pub status: u16,
    /// JSON text.
    pub body: String,
    /// The header `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
    /// The header `Allow`.
    pub allow: Option<String>,
}

/// Answers a request.
pub struct EndpointTask {
    gate: Arc<gate::Gate>,
    request: Request,
}

impl Task for EndpointTask {
    type Output = Answer;
    type JsValue = EndpointAnswer;

    fn compute(&mut self) -> napi::Result<Answer> {
        let (gate, request) = (&self.gate, &self.request);
        let broken = Answer::from(Refused::broken());
        Ok(guarded("endpoint", broken, || answer(gate, &Speaker::of_gateway(), request)))
    }

    fn resolve(&mut self, _env: Env, answer: Answer) -> napi::Result<EndpointAnswer> {
        let Answer { status, body, retry_after, allow } = answer;
        Ok(EndpointAnswer { status, body, retry_after, allow: allow.map(str::to_owned) })
    }
}

pub(crate) fn ask(gate: &Arc<gate::Gate>, request: EndpointRequest) -> AsyncTask<EndpointTask> {
    let EndpointRequest { method, path, body, idempotency_key } = request;
    let request = Request { method, path, body: body.into(), idempotency_key };
    AsyncTask::new(EndpointTask { gate: Arc::clone(gate), request })
}
