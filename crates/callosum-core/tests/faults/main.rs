//! What the journal must survive: processes killed at any moment, power cut at any write, disks that fail at
//! any step. The shipped code runs on disks of this folder; it has no failpoints of its own, and what it left
//! behind is judged by code that shares nothing with it.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test of chance names its seed and its case"
)]

mod disk_faults;
mod failing_disk;
mod forgetful_disk;
mod journal_text;
mod killing_disk;
mod kills;
mod moved_away;
mod platter;
mod power_cuts;
mod random;
mod script;
mod victim;
mod world;

#[test]
fn no_test_file_was_forgotten() {
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
