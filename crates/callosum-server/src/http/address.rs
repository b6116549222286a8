//! What an address says: the fields of its query, and what its path names. What is wrong there gets the document that all wrong
//! requests get.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Path as Named, Query as Asked};
use axum::http::request::Parts;
use callosum_core::model::text::one_line;
use serde::de::DeserializeOwned;

use super::refusal::Refusal;

/// Characters of a field's name that are shown.
pub(super) const SHOWN: usize = 80;

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

impl Query {
    /// The fields `known`, and no others: a name that is misspelt would be answered as if nothing had been asked for.
    pub(crate) fn only<const N: usize>(mut self, known: [&str; N]) -> Result<[Option<String>; N], Refusal> {
        let fields = known.map(|name| self.0.remove(name));
        let Some(more) = self.0.keys().min() else { return Ok(fields) };
        let expected = match known.map(|name| format!("`{name}`")).join(", ") {
            none if none.is_empty() => "nothing can be said here".to_owned(),
            names => format!("expected {names}"),
        };
        Err(Refusal::field(&one_line(more, SHOWN), format!("there is no such field; {expected}")))
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
