//! The bounds that ARCHITECTURE.md draws, kept by looking at the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// The source files in a folder but those that are unit tests only.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// The code lines of a source file: comments and unit tests say what they like.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let shipped = text.split("#[cfg(test)]").next().unwrap();
    let lines = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn core() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn the_decision_and_what_it_stands_on_know_no_file_and_no_clock() {
    let pure = ["decision.rs", "outcome.rs", "pause_text.rs", "digest.rs", "tool_call.rs", "text.rs"];
    let mut files: Vec<PathBuf> = pure.iter().map(|name| core().join(name)).collect();
    for folder in ["history", "rules", "context_key", "shell", "command", "simulate"] {
        files.extend(sources(&core().join(folder)));
    }
    assert!(files.len() > 15);
    for file in files {
        let code = code(&file);
        for forbidden in
            ["store::", "std::fs", "std::io::Read", "SystemTime", "Instant", "Utc::now", "segment"]
        {
            assert!(!code.contains(forbidden), "{} uses {forbidden}", file.display());
        }
    }
}

#[test]
fn one_file_knows_fs2_and_one_has_a_clock() {
    for file in sources(&core()) {
        let (name, code) = (file.strip_prefix(core()).unwrap(), code(&file));
        assert_eq!(code.contains("fs2"), name == Path::new("store/state_guard.rs"), "{}", name.display());
        let clock =
            code.contains("SystemTime") || code.contains("clock_gettime") || code.contains("Utc::now");
        assert_eq!(clock, name == Path::new("store/machine.rs"), "{}", name.display());
        assert!(
            !code.contains("napi") && !code.contains("tokio") && !code.contains("clap"),
            "{}",
            name.display()
        );
        // What the journal does to files goes through the disk, or no test could make it fail. The guard's
        // lock is on a file of its own.
        let files = ["store/disk.rs", "store/machine.rs", "store/rules_file.rs", "store/state_guard.rs"];
        let knows_files = code.contains("std::fs::") || code.contains("std::fs;");
        assert_eq!(knows_files, files.map(Path::new).contains(&name), "{}", name.display());
        // A gateway loads several copies of the addon: what is the same for all of them may be static.
        let stateful =
            code.lines().any(|line| line.trim_start().trim_start_matches("pub ").starts_with("static "));
        assert!(!stateful, "{} has static state", name.display());
    }
}
