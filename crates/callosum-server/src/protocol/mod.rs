//! The protocol of five endpoints: calls, their ends, and leases of instances that share tools. What it asks for is told in
//! `docs/service.md`; its shapes are kept, and more fields never change what these mean.

pub(crate) mod calls;
mod keys;
pub(crate) mod locks;
pub(crate) mod status;

use std::sync::Arc;

use axum::Router;
use axum::routing::{delete, get, post};

use crate::service::Service;

/// What asks.
pub(crate) fn reading() -> Router<Arc<Service>> {
    Router::new().route("/status", get(status::status))
}

/// What speaks for an instance.
pub(crate) fn acting() -> Router<Arc<Service>> {
    Router::new()
        .route("/intercept", post(calls::intercept))
        .route("/complete", post(calls::complete))
        .route("/lock", post(locks::take))
        .route("/lock/{*key}", delete(locks::give_back))
}
