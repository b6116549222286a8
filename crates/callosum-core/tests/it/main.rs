//! What the core promises, one file a promise.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod architecture;
mod clock_steps;
mod commands;
mod context_keys;
mod days;
mod event_loop;
mod exit_codes;
mod golden;
mod guards_itself;

mod index;
mod journal_files;
mod limits;
mod lint;
mod lost_journal;
mod mail_input;
mod moody_disk;
mod operate;
mod outcomes;
mod page;
mod pausing;
mod questions;
mod recipients;
mod rewritten;
mod rules;
mod same_call;
mod secrets;
mod segments;
mod shipped_rules;
mod simulate;
mod stuck_disk;
mod support;
mod time_and_holders;
mod unread;
mod unusable_state;
mod versions;

#[test]
fn no_test_file_was_forgotten() {
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
