//! What a request that can't be answered gets: one document, whatever is wrong.

use axum::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use callosum_core::gate::{NotAdmitted, Weighed};
use callosum_core::query::QueryError;
use callosum_protocol::{NotYours, Problem, Refused};
use callosum_team::error::Code;
use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::TooMuch;
use crate::tokens::Rights;
use crate::writer::NoAnswer;

/// The document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorAnswer {
    pub(crate) error: Problem,
    /// Of a call that is not let through because it can't be checked: `refuse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// Of such a call: `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Of such a call: what its model is to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of such a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<u8>,
    /// Of such a call: the resources that it acts on.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_keys: Option<Vec<String>>,
    /// Of such a call: its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
}

/// A refusal: the document, and how it is sent.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    answer: Box<ErrorAnswer>,
    /// Seconds after which it is worth trying again.
    retry_after: Option<u32>,
}

impl Refusal {
    pub(crate) fn new(
        status: StatusCode,
        code: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Refused::new(status.as_u16(), code, message, remedy).into()
    }

    fn after(self, seconds: u32) -> Self {
        self.again_after(Some(seconds))
    }

    /// The same, worth trying again after so many seconds, if it is.
    pub(crate) fn again_after(mut self, seconds: Option<u32>) -> Self {
        self.retry_after = seconds;
        self
    }

    /// The same of this field of the request, if it is of one.
    pub(crate) fn at(mut self, path: Option<String>) -> Self {
        self.answer.error.path = path;
        self
    }

    /// The same as the verdict on the call `id` that can't be checked; its model is to read `text`.
    pub(crate) fn with_verdict(mut self, weighed: &Weighed, id: String, text: String) -> Self {
        let answer = &mut *self.answer;
        (answer.verdict, answer.reason) = (Some("refuse"), Some("state"));
        (answer.text, answer.call) = (Some(text), Some(id));
        (answer.tier, answer.context_keys) = (Some(weighed.tier().into()), Some(weighed.keys().to_vec()));
        self
    }

    /// A lease can't be renewed that has ended.
    pub(crate) fn stale() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "stale",
            "no open call of this id holds a lease: it has ended, was released, or never held one",
            "if the call still runs, verify what it does before you go on: others may act on the same resource",
        )
    }

    /// A field is wrong: what it is, and what was expected.
    pub(crate) fn field(path: &str, message: impl Into<String>) -> Self {
        Refused::field(path, message).into()
    }

    /// The session is missing of a call that may be paused.
    pub(crate) fn unidentified() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "unidentified",
            "`session` is missing, and this call may be paused: without it callers would inherit each other's pauses",
            "send the name of the session that makes the call: the same for all its calls, another for every other session",
        )
        .at(Some("session".to_owned()))
    }

    /// The session is missing that does something with tasks and messages.
    pub(crate) fn without_session() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "unidentified",
            "`session` is missing: nobody can tell who does this",
            "send the name of the session: the same for all that it does, another for every other session",
        )
        .at(Some("session".to_owned()))
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "there is no token that counts in this request",
            "make one with `callosum token add NAME`, and send it as `Authorization: Bearer TOKEN` or `X-Callosum-Secret: TOKEN`",
        )
    }

    /// Of a page, to which nobody sends a token by hand.
    pub(crate) fn signed_out() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this page is signed out; open it again with a link from `callosum ui`",
            "run `callosum ui`, and open the link that it prints",
        )
    }

    pub(crate) fn too_few_rights(has: Rights, wanted: Rights) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            format!("this token may `{}`, and this needs `{}`", has.as_str(), wanted.as_str()),
            format!("make a token with `--rights {}`", wanted.as_str()),
        )
    }

    pub(crate) fn foreign(what: &str) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            format!("the request's `{what}` is not this service"),
            "ask at the address that the service listens on, and from no web page",
        )
    }

    pub(crate) fn timed_out() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "timed-out",
            "the request was not answered within 15 s",
            "send it again, with the same `call` or `Idempotency-Key`: what was done is not done twice",
        )
        .after(1)
    }

    /// There is no page to be opened.
    pub(crate) fn no_page() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not-found",
            "this service has no page: it listens on no address of loopback, or its files are not there",
            "see the service's log, or run `callosum ui --port N`, which serves the page by itself",
        )
    }

    pub(crate) fn no_such_question() -> Self {
        let remedy = "reload the page: it may be that of another version";
        Self::new(StatusCode::NOT_FOUND, "not-found", "there is no such question", remedy)
    }

    pub(crate) fn no_such_path(uri: &Uri) -> Self {
        let path = callosum_core::model::text::one_line(uri.path(), 80);
        let message = format!("there is nothing at `{path}`");
        Self::new(StatusCode::NOT_FOUND, "not-found", message, "see docs/service.md for what there is")
    }

    pub(crate) fn wrong_method(method: &Method, uri: &Uri) -> Self {
        let path = callosum_core::model::text::one_line(uri.path(), 80);
        let message = format!("`{path}` can't be asked with {method}");
        let remedy = "the header `Allow` has the methods that it can be asked with";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", message, remedy)
    }

    pub(crate) fn too_large() -> Self {
        let message = "the request's body is larger than 1 MiB";
        let remedy = "send less: of large parameters their beginning tells as much";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "limit", message, remedy)
    }

    pub(crate) fn not_json() -> Self {
        let message = "the request's `Content-Type` is not `application/json`";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad-request", message, "send JSON, and say so")
    }

    pub(crate) fn encoded() -> Self {
        let message = "the request's body has a `Content-Encoding`";
        let remedy = "send it as it is, without that header";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad-request", message, remedy)
    }

    pub(crate) fn busy(message: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, "wait, then send it again").after(1)
    }

    pub(crate) fn broken() -> Self {
        Refused::broken().into()
    }
}

impl From<TooMuch> for Refusal {
    fn from(reason: TooMuch) -> Self {
        let message = match reason {
            TooMuch::Rate => "this token asks too often",
            TooMuch::Open => "too many requests of this token are being answered",
        };
        let remedy = "wait, then go on; `limits` in serve.json says how much a token may";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "limit", message, remedy).after(1)
    }
}

impl From<NoAnswer> for Refusal {
    fn from(reason: NoAnswer) -> Self {
        match reason {
            NoAnswer::Busy => Self::busy("too many calls wait to be written"),
            NoAnswer::Broken => Self::broken(),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(Refused { status, problem, retry_after }: Refused) -> Self {
        let (verdict, reason, text, tier, context_keys, call) = Default::default();
        let answer = ErrorAnswer { error: problem, verdict, reason, text, tier, context_keys, call };
        // Each is one that HTTP has.
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, answer: Box::new(answer), retry_after }
    }
}

impl From<NotAdmitted> for Refusal {
    fn from(reason: NotAdmitted) -> Self {
        Refused::from(reason).into()
    }
}

impl From<NotYours> for Refusal {
    fn from(reason: NotYours) -> Self {
        Refused::from(reason).into()
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Self {
        Refused::from(error).into()
    }
}

impl From<callosum_team::error::Refusal> for Refusal {
    fn from(refusal: callosum_team::error::Refusal) -> Self {
        let status = match refusal.code {
            Code::BadRequest => StatusCode::BAD_REQUEST,
            Code::NotYours => StatusCode::FORBIDDEN,
            Code::Limit => StatusCode::TOO_MANY_REQUESTS,
            Code::CannotWrite => StatusCode::SERVICE_UNAVAILABLE,
            Code::Claimed
            | Code::Stale
            | Code::Blocked
            | Code::Cycle
            | Code::Unknown
            | Code::Ambiguous
            | Code::Policy
            | Code::Unidentified => StatusCode::CONFLICT,
        };
        // The document names the field beside the message.
        let named = refusal.path.as_deref().map(|path| format!("`{path}`: ")).unwrap_or_default();
        let message = refusal.message.strip_prefix(&named).unwrap_or(&refusal.message);
        let again = (refusal.code == Code::CannotWrite).then_some(5);
        Self::new(status, refusal.code.as_str(), message, refusal.remedy).at(refusal.path).again_after(again)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, axum::Json(*self.answer)).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
