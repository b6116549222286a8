//! The gate over HTTP, and the questions of the registry.

pub(crate) mod calls;
pub(crate) mod decide;
pub(crate) mod questions;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::service::Service;

/// What asks.
pub(crate) fn reading() -> Router<Arc<Service>> {
    questions::routes()
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
