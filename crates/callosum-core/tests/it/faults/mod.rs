//! What the journal must survive: processes killed at any moment, power cut at any write, disks that fail at
//! any step. The shipped code runs on disks of this folder; it has no failpoints of its own, and what it left
//! behind is judged by code that shares nothing with it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test of chance names its seed and its case"
)]

mod disk_faults;
mod journal_text;
mod kills;
mod moved_away;
mod power_cuts;
mod script;
mod victim;
mod world;
