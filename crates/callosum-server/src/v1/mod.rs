//! The gate over HTTP, the questions of the registry, and what is done together.

pub(crate) mod calls;
pub(crate) mod decide;
pub(crate) mod questions;
pub(crate) mod team;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::service::Service;

/// What asks; some of it lets only those pass who may more.
pub(crate) fn reading() -> Router<Arc<Service>> {
    questions::routes().merge(team::routes())
}

/// What speaks for calls.
pub(crate) fn acting() -> Router<Arc<Service>> {
    Router::new()
        .route("/v1/before", post(calls::before))
        .route("/v1/after", post(calls::after))
        .route("/v1/delivered", post(calls::delivered))
        .route("/v1/extend", post(calls::extend))
}

/// What changes what others may do.
pub(crate) fn operating() -> Router<Arc<Service>> {
    Router::new().route("/v1/release", post(questions::release))
}
