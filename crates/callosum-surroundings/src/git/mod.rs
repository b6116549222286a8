//! Git repositories: which one a folder lies in, and where a push from there goes.

mod address;
mod config;
mod configured;
mod repository;
mod ssh;

pub use address::plain_identity;
pub use configured::Configured;
pub use repository::Repository;
