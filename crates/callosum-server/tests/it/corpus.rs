//! What the fuzz target `bodies` begins with and what it found, in the order of their names: the same code, without a fuzzer.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and names its file"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use callosum_core::machine;
use callosum_runtimes::is_program;
use callosum_server::in_memory::Asks;

#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

#[test]
fn bodies_of_all_kinds_are_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/bodies");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 20);
    let mut done = BTreeSet::new();
    for file in files {
        // Shown when the target panics.
        println!("{}", file.display());
        let told = bodies::bodies(&fs::read(&file).unwrap());
        done.extend(told.filter(|(_, status)| *status == 200).map(|(path, _)| path));
    }
    // What is refused before its body is read is no test of a body. An agent that runs this is no person.
    let is_agent = machine::is_below(std::process::id(), is_program);
    let may = |asks: Asks| !is_agent || asks == Asks::Agent;
    let missed: Vec<&str> = bodies::PATHS
        .into_iter()
        .filter_map(|(asks, _, path)| (may(asks) && !done.contains(path)).then_some(path))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
}
