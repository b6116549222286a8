//! The curator on real folders and journals.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod archive;
mod days;
mod edits;
mod kills;
mod large;
mod world;
