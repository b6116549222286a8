//! What the core promises, one file a promise.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod architecture;
mod carried_tools;
mod clock_steps;
mod commands;
mod context_keys;
mod corpus;
mod damage;
mod days;
mod endless_line;
mod event_loop;
mod exit_codes;
mod faults;
mod following;
mod former_keys;
mod golden;
mod guards_itself;
mod guests;
mod index;
mod journal_files;
mod journals;
mod kept_folders;
mod leases;
mod limits;
mod lint;
mod lost_journal;
mod lost_segment;
mod mail_input;
mod on_conflict;
mod operator_queries;
mod outcomes;
mod own_verbs;
mod page;
mod pausing;
mod questions;
mod rate_limits;
mod reach;
mod recipients;
mod record_kinds;
mod rewritten;
mod rules;
mod same_call;
mod secrets;
mod segments;
mod shipped_rules;
mod simulate;
mod standing;
mod state_model;
mod summaries;
mod support;
mod time_and_holders;
mod told_apart;
mod tools;
mod tools_given;
mod uncovered;
mod unread;
mod unseen_tools;
mod unusable_state;
mod versions;

use std::fs;
use std::path::Path;

#[test]
fn no_test_file_was_forgotten() {
    fn all_listed(folder: &Path, root: &str) {
        let listed = fs::read_to_string(folder.join(root)).unwrap();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let module = format!("mod {};", name.trim_end_matches(".rs"));
            assert!(name == root || listed.contains(&module), "{} is not in {root}", path.display());
            if path.is_dir() {
                all_listed(&path, "mod.rs");
            }
        }
    }
    all_listed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), "main.rs");
}
