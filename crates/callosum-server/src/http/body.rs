//! A request's body: JSON of at most 1 MiB, and which of its fields is wrong.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use callosum_protocol::read;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use super::peer::only;
use super::refusal::Refusal;

/// A larger body is not read.
const MAX_BODY: usize = 1 << 20;

/// The JSON of a request's body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        if !is_json(request.headers())? {
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
        let is_json = is_json(request.headers())?;
        let bytes = whole(request.into_body()).await?;
        match (bytes.is_empty(), is_json) {
            (true, _) => Ok(Self(T::default())),
            (false, true) => Ok(Self(read(&bytes)?)),
            (false, false) => Err(Refusal::not_json()),
        }
    }
}

/// Whether a body is said to be JSON, as it is.
fn is_json(headers: &HeaderMap) -> Result<bool, Refusal> {
    if headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(Refusal::encoded());
    }
    if !headers.contains_key(CONTENT_TYPE) {
        return Ok(false);
    }
    let said = only(headers, &CONTENT_TYPE)
        .ok_or_else(|| Refusal::field("Content-Type", "expected one header of plain text"))?;
    let essence = said.split(';').next().unwrap_or_default().trim();
    Ok(essence.eq_ignore_ascii_case("application/json"))
}

/// All of a body.
async fn whole(mut body: Body) -> Result<Bytes, Refusal> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let cut = || Refusal::field("", "the request's body ended too early");
        let Ok(data) = frame.map_err(|_| cut())?.into_data() else { continue };
        if bytes.len() + data.len() > MAX_BODY {
            return Err(Refusal::too_large());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.into())
}
