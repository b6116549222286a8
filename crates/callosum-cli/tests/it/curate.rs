//! `callosum context curate` and `signals`, as agents and automations run them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use callosum_context::registry::PolicyMode;
use callosum_context::setup;
use serde_json::Value;
use tempfile::TempDir;

struct World {
    scratch: TempDir,
    state: PathBuf,
    shared: PathBuf,
}

impl World {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let (state, shared) = (scratch.path().join("state"), scratch.path().join("shared"));
        fs::create_dir(&state).unwrap();
        let world = Self { scratch, state, shared };
        setup::init(&world.shared, &world.state, PolicyMode::Enforce, "test", "2026-01-01T00:00:00.000Z")
            .unwrap();
        world
    }

    /// In the shell of a runtime's agent.
    fn run(&self, agent: &str, args: &[&str]) -> (Option<i32>, String) {
        let variable = if agent == "codex" { "CODEX_THREAD_ID" } else { "GEMINI_CLI" };
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command.arg("context").args(args).env_clear().env("HOME", self.scratch.path());
        command.env("CALLOSUM_STATE_DIR", &self.state).env(variable, "1").env("TZ", "UTC");
        let Output { status, stdout, stderr } = command.output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap())
    }

    fn json(&self, agent: &str, args: &[&str]) -> Value {
        let (code, text) = self.run(agent, &[args, &["--json"]].concat());
        assert_eq!(code, Some(0), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    fn folder(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.shared.join(name)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn with_items() -> World {
    let world = World::new();
    for agent in ["codex", "gemini"] {
        let body = format!("{agent} read https://papers.example/2609 today, and found it good.");
        world.json(agent, &["write", "--title", "Read", "--body", &body]);
    }
    world.json("codex", &["stage", "--title", "Plan", "--body", "Read more papers."]);
    world
}

#[test]
fn a_day_is_curated_once() {
    let world = with_items();
    let dry = world.json("gemini", &["curate", "--dry-run"]);
    assert!(world.folder("roundtable").is_empty());
    let told = world.json("gemini", &["curate", "--daily"]);
    let date = told["date"].as_str().unwrap();
    let roundtable = format!("roundtable/{date}.md");
    assert_eq!((&told["partial"], &told["timezone"]), (&true.into(), &"system".into()));
    assert!(told["window"]["fromSeq"].is_u64() && told["window"]["toSeq"].is_u64(), "{told}");
    assert!(told["changed"].as_array().unwrap().contains(&roundtable.as_str().into()), "{told}");
    assert_eq!(
        (told["merged"].as_array().unwrap().len(), told["inputs"].as_array().unwrap().len()),
        (1, 3),
        "{told}"
    );
    assert_eq!((&told["skipped"], &dry["merged"]), (&Value::Array(Vec::new()), &told["merged"]));
    let priorities = fs::read_to_string(world.shared.join("priorities.md")).unwrap();
    assert!(
        priorities.contains("- (from codex) Plan: Read more papers. [staging-archive/codex/"),
        "{priorities}"
    );
    assert!(
        fs::read_to_string(world.shared.join(roundtable))
            .unwrap()
            .contains("- codex: Read [agent-outputs/codex/")
    );
    let again = world.json("codex", &["curate"]);
    assert_eq!((&again["changed"], &again["merged"]), (&Value::Array(Vec::new()), &Value::Array(Vec::new())));
    // What the curator wrote is no tampering.
    let (_, lint) = world.run("codex", &["lint"]);
    assert!(!lint.contains("roundtable") && !lint.contains("priorities.md"), "{lint}");
}

#[test]
fn signals_are_told_with_what_shows_them() {
    let world = with_items();
    let told = world.json("codex", &["signals"]);
    assert_eq!(told["overlaps"][0]["token"], "papers.example/2609");
    assert_eq!(
        (&told["overlaps"][0]["agentCount"], &told["signals"][0]["kind"]),
        (&2.into(), &"mentioned".into())
    );
    let (code, text) = world.run("codex", &["signals"]);
    assert_eq!((code, text.as_str()), (Some(0), "papers.example/2609: codex, gemini\n"));
    let (_, text) = world.run("codex", &["signals", "--date", "2020-01-01"]);
    assert!(text.starts_with("No two agents worked on the same thing"), "{text}");
}

#[test]
fn what_is_no_day_is_refused_and_nothing_is_written() {
    let world = with_items();
    for args in [
        &["curate", "--date", "yesterday"][..],
        &["curate", "--date", "2999-01-01"],
        &["curate", "--weekly", "--date", "2026-02-30"],
        &["signals", "--date", "../../x"],
    ] {
        let (code, text) = world.run("codex", &[args, &["--json"]].concat());
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((code, &told["error"]["code"]), (Some(2), &"cannot-write".into()), "{text}");
        assert!(!told["error"]["remedy"].as_str().unwrap().is_empty());
    }
    assert_eq!(world.run("codex", &["curate", "--daily", "--weekly"]).0, Some(2));
    assert!(["roundtable", "cross-signals", "weekly"].iter().all(|name| world.folder(name).is_empty()));
}

#[test]
fn a_week_has_a_digest() {
    let world = with_items();
    let told = world.json("codex", &["curate", "--weekly"]);
    let files = world.folder("weekly");
    let file = files.first().unwrap();
    assert_eq!(told["changed"][0], format!("weekly/{file}"));
    assert!(Path::new(file).extension().is_some_and(|extension| extension == "md"));
}
