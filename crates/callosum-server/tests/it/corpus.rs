//! What the fuzz target `bodies` begins with and what it found, in the order of their names: the same code, without a fuzzer.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and names its file"
)]

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

#[test]
fn bodies_of_all_kinds_are_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/bodies");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 20);
    for file in files {
        // Shown when the target panics.
        println!("{}", file.display());
        bodies::bodies(&fs::read(&file).unwrap());
    }
}
