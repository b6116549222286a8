//! What is sent back, and the headers that are on all of it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use callosum_core::query::QueryError;
use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde_json::json;
use tokio::sync::mpsc;

/// Nothing leaves the page for elsewhere, nothing from elsewhere gets in, and nobody frames it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(super) type Answer = Response<Content>;

/// What an answer holds.
pub(super) enum Content {
    /// All there is.
    Whole(Full<Bytes>),
    /// Server-sent events, until their sender goes.
    Events(mpsc::Receiver<Bytes>),
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(content) => Pin::new(content).poll_frame(context),
            Self::Events(events) => {
                events.poll_recv(context).map(|event| event.map(|text| Ok(Frame::data(text))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(content) => content.is_end_stream(),
            Self::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(content) => content.size_hint(),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

pub(super) fn answer(status: StatusCode, content_type: &'static str, content: Content) -> Answer {
    let mut answer = Response::new(content);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

pub(super) fn whole(status: StatusCode, content_type: &'static str, content: impl Into<Bytes>) -> Answer {
    answer(status, content_type, Content::Whole(Full::new(content.into())))
}

/// A sentence for who opened an address by hand.
pub(super) fn sentence(status: StatusCode, text: &'static str) -> Answer {
    whole(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

pub(super) fn json(status: StatusCode, text: String) -> Answer {
    whole(status, "application/json", text)
}

/// What the page is told when it gets no answer.
pub(super) fn refusal(status: StatusCode, code: &str, message: &str) -> Answer {
    json(status, json!({ "error": { "code": code, "message": message } }).to_string())
}

/// The core's answer, or why it has none.
pub(super) fn of_core(answer: Result<String, QueryError>) -> Answer {
    match answer {
        Ok(text) => json(StatusCode::OK, text),
        Err(error) => {
            let is_wrong = error.code == "bad-request";
            let status = if is_wrong { StatusCode::BAD_REQUEST } else { StatusCode::SERVICE_UNAVAILABLE };
            refusal(status, &error.code, &error.message)
        }
    }
}
