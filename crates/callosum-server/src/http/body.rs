//! A request's body: JSON of at most 1 MiB, and which of its fields is wrong.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use callosum_protocol::read;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use super::refusal::Refusal;

/// A larger body is not read.
const MAX_BODY: usize = 1 << 20;
/// But up to so many bytes of one are taken in, so that its sender gets to read the answer.
const MAX_DRAINED: usize = 8 << 20;

/// The JSON of a request's body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        if !is_json(request.headers()) {
            return Err(Refusal::not_json());
        }
        Ok(Self(read(&whole(request.into_body()).await?)?))
    }
}

/// The same of a request that may have no body: then it says nothing.
#[derive(Debug)]
pub(crate) struct MaybeJson<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for MaybeJson<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        let is_json = is_json(request.headers());
        let bytes = whole(request.into_body()).await?;
        match (bytes.is_empty(), is_json) {
            (true, _) => Ok(Self(T::default())),
            (false, true) => Ok(Self(read(&bytes)?)),
            (false, false) => Err(Refusal::not_json()),
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = said.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// All of a body.
async fn whole(mut body: Body) -> Result<Bytes, Refusal> {
    let (mut bytes, mut seen) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let cut = || Refusal::field("", "the request's body ended too early");
        let Ok(data) = frame.map_err(|_| cut())?.into_data() else { continue };
        seen += data.len();
        if seen > MAX_DRAINED {
            return Err(Refusal::too_large());
        }
        if seen <= MAX_BODY {
            bytes.extend_from_slice(&data);
        }
    }
    if seen > MAX_BODY { Err(Refusal::too_large()) } else { Ok(bytes.into()) }
}
