//! `callosum check` and `callosum init` as an operator runs them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use callosum_core::rules::STARTER_RULES;
use serde_json::{Value, json};

fn run(state_dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
    command.args(args).env("CALLOSUM_STATE_DIR", state_dir);
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn run_json(state_dir: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let (code, stdout, _) = run(state_dir, args);
    (code, serde_json::from_str(&stdout).unwrap())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

const WARNED: &str = r#"{"rules": [
  {"name": "all", "tier": 1, "tool": "exec"},
  {"name": "push", "tier": 3, "tool": "exec", "command": "git push"}
]}"#;

#[test]
fn warnings_have_their_place_and_fail_only_when_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiers.json");
    fs::write(&path, WARNED).unwrap();
    let file = path.to_str().unwrap();

    let (code, stdout, stderr) = run(folder.path(), &["check"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert_eq!(
        stdout,
        format!(
            "{file}:3:12: warning: rule `push`: never matches: `all` (line 2) before it takes every call it is for; put it \
             before that one, or remove it\n\
             {file}:3:28: warning: rule `push`: no `contextKey`: only a call with exactly the same parameters counts as the \
             same; name what it acts on, such as `order:{{params.id}}`\n\
             {file}: valid, 2 rules, 2 warnings\n"
        )
    );
    assert_eq!(run(folder.path(), &["check", "--strict"]), (Some(1), stdout, String::new()));

    let (code, answer) = run_json(folder.path(), &["check", "--json"]);
    assert_eq!((code, &answer["ok"], &answer["ruleCount"]), (Some(0), &json!(true), &json!(2)));
    assert_eq!(answer["errors"], json!([]));
    let warning = &answer["warnings"][1];
    assert_eq!(
        (&warning["line"], &warning["column"], &warning["rule"], &warning["kind"]),
        (&json!(3), &json!(28), &json!("push"), &json!("no-context-key"))
    );
    assert_eq!(answer["warnings"][0]["kind"], "unreachable");
    assert!(warning["message"].as_str().unwrap().starts_with("no `contextKey`"));
    let (code, answer) = run_json(folder.path(), &["check", "--json", "--strict"]);
    assert_eq!(
        (code, &answer["ok"], answer["warnings"].as_array().unwrap().len()),
        (Some(1), &json!(false), 2)
    );
}

#[test]
fn every_error_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.json");
    let text = "{\"rules\": [\n  {\"name\": \"a\", \"tier\": 3, \"tool\": \"exec\", \"contextkey\": \"x\"},\n  {\"tool\": \"x\"},\n  \
                {\"name\": \"c\", \"tier\": 3, \"tool\": \"exec\"}]}";
    fs::write(&path, text).unwrap();
    let file = path.to_str().unwrap();
    let (code, stdout, _) = run(folder.path(), &["check", file]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[0],
        format!("{file}:2:44: rule `a`: unknown field `contextkey`: did you mean `contextKey`?")
    );
    assert!(lines[1].starts_with(&format!("{file}:3:3: `name` is missing")), "{stdout}");
    assert!(lines[2].starts_with(&format!("{file}:4:25: warning: rule `c`: no `contextKey`")), "{stdout}");
    assert_eq!(lines[3..], [format!("{file}: can't be used, 2 errors, 1 warning")]);

    let (code, answer) = run_json(folder.path(), &["check", file, "--json"]);
    assert_eq!((code, &answer["ok"], &answer["ruleCount"]), (Some(1), &json!(false), &json!(0)));
    assert_eq!(answer["errors"].as_array().unwrap().len(), 2);
    assert_eq!((&answer["errors"][0]["rule"], answer["errors"][1].get("rule")), (&json!("a"), None));
}

#[test]
fn init_writes_a_starter_that_check_and_explain_take() {
    let parent = tempfile::tempdir().unwrap();
    let state_dir = parent.path().join("a/state");
    let path = state_dir.join("tiers.json");
    let (code, stdout, stderr) = run(&state_dir, &["init"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.starts_with(&format!("Wrote {}: ", path.display())), "{stdout}");
    assert!(stdout.contains("  callosum check ") && stdout.contains("  callosum explain exec "), "{stdout}");
    assert_eq!(fs::read_to_string(&path).unwrap(), STARTER_RULES);
    assert_eq!(
        (mode(&state_dir), mode(&path), names(&state_dir)),
        (0o700, 0o600, vec!["tiers.json".to_owned()])
    );

    let (code, stdout, _) = run(&state_dir, &["check", "--strict"]);
    assert!(code == Some(0) && stdout.contains("tiers.json: no problems, "), "{stdout}");
    // The command that the text shows, and the other two examples.
    for (tool, params, rule, key) in [
        ("exec", "./release.sh v1.2", "example-release-script", "release:v1.2"),
        ("helpdesk__create_ticket", r#"{"customer": "acme"}"#, "example-ticket", "ticket:acme"),
        (
            "message",
            r##"{"action": "send", "target": "#announcements"}"##,
            "example-quiet-channel",
            "channel:announcements",
        ),
    ] {
        let (code, answer) = run_json(&state_dir, &["explain", tool, params, "--json"]);
        assert_eq!((code, &answer["ruleName"], &answer["tier"]), (Some(0), &json!(rule), &json!(3)));
        assert_eq!((&answer["contextKeys"], &answer["verdict"]), (&json!([key]), &json!("allow")));
    }
    let (_, answer) = run_json(&state_dir, &["explain", "exec", "git push origin main", "--json"]);
    assert_eq!(answer["ruleName"], "git-push");
}

#[test]
fn init_for_programs_names_the_file() {
    let parent = tempfile::tempdir().unwrap();
    let (code, answer) = run_json(parent.path(), &["init", "--json"]);
    let file = parent.path().join("tiers.json");
    let (_, checked) = run_json(parent.path(), &["check", "--json"]);
    let expected = json!({"ok": true, "file": file.to_str().unwrap(), "ruleCount": checked["ruleCount"]});
    assert_eq!((code, answer), (Some(0), expected));
}

#[test]
fn init_leaves_what_is_there_as_it_is() {
    let state_dir = tempfile::tempdir().unwrap();
    let path = state_dir.path().join("tiers.json");
    let refused = || {
        let (code, stdout, stderr) = run(state_dir.path(), &["init"]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""));
        assert!(stderr.starts_with(&format!("callosum: `{}` exists already", path.display())), "{stderr}");
        assert!(stderr.contains("; edit it and run `callosum check`"), "{stderr}");
        assert_eq!(names(state_dir.path()), ["tiers.json"]);
    };
    fs::write(&path, "mine").unwrap();
    refused();
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    // Not through a link either, wherever it points to.
    fs::remove_file(&path).unwrap();
    symlink(state_dir.path().join("../nowhere"), &path).unwrap();
    refused();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused();
}

#[test]
fn init_writes_nothing_where_others_may_write() {
    let state_dir = tempfile::tempdir().unwrap();
    fs::set_permissions(state_dir.path(), Permissions::from_mode(0o777)).unwrap();
    let (code, stdout, stderr) = run(state_dir.path(), &["init"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("can be written by other users") && stderr.contains("chmod go-w"), "{stderr}");
    assert_eq!(names(state_dir.path()), Vec::<String>::new());

    let file = state_dir.path().join("file");
    fs::write(&file, "").unwrap();
    let (code, _, stderr) = run(&file, &["init"]);
    assert!(code == Some(2) && stderr.contains("is not a directory"), "{stderr}");
}

/// Sixteen at once: one writes, the others are told that it is there, and nothing else stays.
#[test]
fn of_many_that_init_at_once_one_writes() {
    let parent = tempfile::tempdir().unwrap();
    let state_dir = parent.path().join("state");
    let inits = (0..16).map(|_| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callosum"));
        command.arg("init").env("CALLOSUM_STATE_DIR", &state_dir);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    });
    let outputs: Vec<Output> =
        inits.collect::<Vec<_>>().into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let wrote = outputs.iter().filter(|output| output.status.code() == Some(0)).count();
    assert_eq!(wrote, 1);
    for output in outputs.iter().filter(|output| output.status.code() != Some(0)) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains("exists already"), "{stderr}");
    }
    assert_eq!(names(&state_dir), ["tiers.json"]);
    assert_eq!(fs::read_to_string(state_dir.join("tiers.json")).unwrap(), STARTER_RULES);
}
