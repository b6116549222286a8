//! What the command promises, one file a promise.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod check_and_init;
mod choosing;
mod command_line;
mod curate;
mod doctor;
mod hook;
mod install;
mod policy;
mod rules;
mod simulate;
mod snapshots;
mod terminal;
mod watching;

#[test]
fn no_test_file_was_forgotten() {
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
