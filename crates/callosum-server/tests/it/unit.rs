//! What has the system start the service: written, shown, and taken out again.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::Home;

struct Place {
    home: Home,
    config: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { home: Home::new(), config: tempfile::tempdir().unwrap() }
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let out = self.home.program(words).env("XDG_CONFIG_HOME", self.config.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (out.status.code(), text(out.stdout), text(out.stderr))
    }

    fn unit(&self) -> std::path::PathBuf {
        self.config.path().join("systemd/user/callosum.service")
    }
}

#[test]
fn a_unit_is_shown_before_it_is_written_and_uninstall_leaves_nothing_of_it() {
    let place = Place::new();
    let (code, printed, _) = place.run(&["install", "--print"]);
    assert_eq!(code, Some(0));
    assert!(
        printed.contains(&format!("serve --state-dir \"{}\"\n", place.home.path().display())),
        "{printed}"
    );
    let (_, tried, _) = place.run(&["install", "--dry-run"]);
    assert!(tried.contains("+ExecStart=") && tried.contains("Nothing was written"), "{tried}");
    assert!(!place.unit().exists());
    let (_, wrote, _) = place.run(&["install"]);
    assert!(wrote.contains("enable-linger") && wrote.contains("+[Unit]"), "{wrote}");
    assert_eq!(fs::read_to_string(place.unit()).unwrap(), printed);
    let (_, again, _) = place.run(&["install", "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!((&again["changed"], &again["diff"]), (&json!(false), &json!([])));
    assert_eq!(place.run(&["uninstall"]).0, Some(0));
    assert!(!place.unit().exists());
    assert!(place.run(&["uninstall"]).1.contains("There is no"));
}

#[test]
fn somebody_elses_unit_is_left_alone() {
    let place = Place::new();
    fs::create_dir_all(place.unit().parent().unwrap()).unwrap();
    fs::write(place.unit(), "[Service]\nExecStart=/bin/true\n").unwrap();
    for command in ["install", "uninstall"] {
        let (code, _, said) = place.run(&[command]);
        assert_eq!(code, Some(2));
        assert!(said.contains("was not written by"), "{said}");
    }
    assert_eq!(fs::read_to_string(place.unit()).unwrap(), "[Service]\nExecStart=/bin/true\n");
}

#[test]
fn systemd_finds_nothing_wrong_with_the_unit() {
    let place = Place::new();
    place.run(&["install"]);
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--user", "--recursive-errors=no"]).arg(place.unit());
    // Where nobody is logged in there is none.
    let Ok(found) = verify.env("XDG_RUNTIME_DIR", place.config.path()).output() else {
        assert!(std::env::var_os("CI").is_none(), "there is no systemd-analyze, and it must be here");
        let text = "no systemd-analyze here: the unit was not verified\n";
        std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap();
        return;
    };
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(found.status.success() && !said.contains("callosum.service"), "{said}");
}
