//! What the tests of several crates share. Only tests use it: nothing of it is in a program that ships.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and names its seed"
)]

pub mod disk;
pub mod faults;
pub mod gate;
pub mod memory;
pub mod platter;
pub mod random;
pub mod wait;
