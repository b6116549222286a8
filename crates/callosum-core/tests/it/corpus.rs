//! What fuzzing found worth keeping, played again: the same code as the fuzz targets run, without a fuzzer.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and names its file"
)]

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../../fuzz/src/targets.rs"]
mod targets;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a corpus");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file of it").path()).collect();
    files.sort();
    files
}

fn play(name: &str) {
    let (_, target) = targets::TARGETS.iter().find(|(target, _)| *target == name).expect("a target");
    let files = files(&corpus().join(name));
    assert!(!files.is_empty());
    for file in files {
        // Shown when the target panics.
        println!("{}", file.display());
        target(&fs::read(&file).expect("its bytes"));
    }
}

#[test]
fn rules() {
    play("rules");
}

#[test]
fn templates() {
    play("templates");
}

#[test]
fn commands() {
    play("commands");
}

#[test]
fn lines() {
    play("lines");
}

#[test]
fn journals() {
    play("journals");
}

#[test]
fn every_folder_of_the_corpus_has_its_target_and_is_small() {
    let folders = files(&corpus());
    let names: Vec<&str> = folders.iter().filter_map(|folder| folder.file_name()?.to_str()).collect();
    let mut targets: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    // The tests of `callosum-server` play this one.
    targets.push("bodies");
    targets.sort_unstable();
    assert_eq!(names, targets);
    let all: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    let bytes: u64 = all.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    assert!(all.len() < 250 && bytes < 300_000, "{} files, {bytes} bytes: minimize them", all.len());
}
