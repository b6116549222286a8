//! What an address says: the fields of its query, and what its path names. What is wrong there gets the document that all wrong
//! requests get.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Path as Named, Query as Asked};
use axum::http::request::Parts;
use callosum_core::model::text::one_line;
use serde::de::DeserializeOwned;

use super::refusal::Refusal;

/// Characters of a field's name that are shown.
const SHOWN: usize = 80;

/// The fields of the query. Of one that is there twice nobody can tell which is meant.
#[derive(Debug)]
pub(crate) struct Query(pub(crate) HashMap<String, String>);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let asked = Asked::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Asked(asked) = asked.map_err(|_| Refusal::field("", "the query of the address can't be read"))?;
        let mut fields = HashMap::with_capacity(asked.len());
        for (name, value) in asked {
            if fields.contains_key(&name) {
                return Err(Refusal::field(&one_line(&name, SHOWN), "it is there more than once"));
            }
            fields.insert(name, value);
        }
        Ok(Self(fields))
    }
}

/// What the path names.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let named = Named::from_request_parts(parts, state).await;
        named
            .map(|Named(named)| Self(named))
            .map_err(|_| Refusal::field("", "the path is no UTF-8 once it is decoded"))
    }
}
