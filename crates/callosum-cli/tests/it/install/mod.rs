//! `callosum install` and `callosum uninstall` as a user runs them, on settings as people have them, in a home of their own.

mod programs;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use callosum_runtimes::settings::place::Variable;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The runtimes, each with its settings and the event before a call.
pub(crate) const RUNTIMES: [(&str, &str, &str); 3] = [
    ("claude-code", ".claude/settings.json", "PreToolUse"),
    ("codex", ".codex/hooks.json", "PreToolUse"),
    ("gemini", ".gemini/settings.json", "BeforeTool"),
];

#[test]
fn every_runtime_of_the_table_is_tested_and_its_settings_are_named_by_the_help() {
    assert_eq!(callosum_runtimes::RUNTIMES.map(|runtime| runtime.name()), RUNTIMES.map(|(name, ..)| name));
    for command in ["install", "uninstall"] {
        let (_, help, _) = run_in(Path::new("/"), &[command, "--help"]);
        for runtime in callosum_runtimes::RUNTIMES {
            let place = &runtime.facts().place;
            let (Variable::Folder(variable) | Variable::Home(variable)) = place.variable;
            let path = format!("~/{}/{}", place.folder, place.file);
            assert!(help.contains(&path) && help.contains(variable), "{}: {help}", runtime.name());
        }
    }
}

/// Beside a `settings.json`.
const BACKUP: &str = "settings.json.callosum-backup";

/// The program in a home that is nobody's.
fn program(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("HOME", home);
    for variable in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "CALLOSUM_STATE_DIR"] {
        command.env_remove(variable);
    }
    command
}

fn run_in(home: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    finish(program(Path::new(env!("CARGO_BIN_EXE_callosum")), home).args(args))
}

fn finish(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn ok(home: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = run_in(home, args);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{args:?}: {stdout}");
    stdout
}

/// A home with the runtime's settings, if any.
fn home(settings: &str, content: Option<&str>) -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(settings);
    if let Some(content) = content {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
    }
    (home, path)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn parsed(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Settings of people, each with whether it has comments.
const SETTINGS: [(&str, bool); 16] = [
    ("", false),
    ("\n \n", false),
    ("{}", false),
    ("{ }\n", false),
    ("{\n}\n", false),
    ("{\"hooks\":{}}", false),
    ("{\"model\":\"opus\",\"env\":{\"A\":\"1\"}}", false),
    ("{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"BeforeTool\": [\n    ]\n  }\n}", false),
    (
        "{\n  \"permissions\": {\n    \"allow\": [\"Bash(npm run:*)\"],\n    \"deny\": []\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"rtk hook claude\" }]\n      }\n    ]\n  },\n  \"statusLine\": { \"type\": \"command\", \"command\": \"x\" }\n}\n",
        false,
    ),
    (
        "{\r\n\t\"security\": {\r\n\t\t\"auth\": { \"selectedType\": \"gemini-api-key\" }\r\n\t}\r\n}\r\n",
        false,
    ),
    ("{\n    \"a\": [\n        1,\n        2\n    ]\n\n\n}\n\n", false),
    (
        "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}, \"z\": null}\n",
        false,
    ),
    (
        "// my settings\n{\n  // the theme   \n  \"ui\": { \"theme\": \"Dracula\" } // dark\n  /* end */\n}\n// bye",
        true,
    ),
    ("{\n  \"hooks\": { // mine\n    \"BeforeTool\": [\n      // none yet\n    ]\n  }\n}\n", true),
    ("/* nothing */\n", true),
    ("{ /* a */ \"x\" /* b */ : /* c */ 1 /* d */ }", true),
];

#[test]
fn uninstall_leaves_the_file_as_it_was_and_a_second_install_changes_nothing() {
    for (runtime, settings, event) in RUNTIMES {
        for (content, comments) in SETTINGS {
            if comments && runtime == "codex" {
                continue;
            }
            let (home, path) = home(settings, Some(content));
            fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
            let before = fs::read(&path).unwrap();
            let shown = ok(home.path(), &["install", runtime]);
            assert!(shown.contains("+++ ") && shown.contains(&format!("hook {runtime}")), "{shown}");
            let with = fs::read_to_string(&path).unwrap();
            assert!(with.contains(event) && mode(&path) == 0o640, "{with}");
            let backup = path
                .with_file_name(format!("{}.callosum-backup", path.file_name().unwrap().to_str().unwrap()));
            assert_eq!((fs::read(&backup).unwrap(), mode(&backup)), (before.clone(), 0o640));

            let again = ok(home.path(), &["install", runtime]);
            assert!(again.contains("already") && !again.contains("+++"), "{again}");
            assert_eq!(fs::read_to_string(&path).unwrap(), with, "twice is once");

            ok(home.path(), &["uninstall", runtime]);
            assert_eq!(fs::read(&path).unwrap(), before, "{runtime} {content:?} out of\n{with}");
            assert_eq!((names(path.parent().unwrap()).len(), mode(&path)), (1, 0o640), "no backup is left");
            let nothing = ok(home.path(), &["uninstall", runtime]);
            assert!(nothing.contains("Callosum has no hooks"), "{nothing}");
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
}

#[test]
fn without_a_file_there_is_a_private_one_and_none_again_afterwards() {
    for (runtime, settings, event) in RUNTIMES {
        let (home, path) = home(settings, None);
        let report: Value =
            serde_json::from_str(&ok(home.path(), &["install", runtime, "--dry-run", "--json"])).unwrap();
        assert_eq!((&report["changed"], &report["dryRun"]), (&json!(true), &json!(true)));
        assert_eq!(names(home.path()), [""; 0], "--dry-run writes nothing");

        let report: Value = serde_json::from_str(&ok(home.path(), &["install", runtime, "--json"])).unwrap();
        assert_eq!(report["file"], path.to_str().unwrap());
        assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
        let entry = parsed(&path)["hooks"][event][0].clone();
        let command = entry["hooks"][0]["command"].as_str().unwrap();
        let itself = env!("CARGO_BIN_EXE_callosum");
        // A project's environment file moves nothing, and the hook knows how long it has.
        let ours = format!(" hook {runtime} --timeout 20 --state-dir {}/.callosum", home.path().display());
        assert!(command.contains(itself) && command.ends_with(&ours), "{command}");
        for (event, entries) in parsed(&path)["hooks"].as_object().unwrap() {
            let seconds = if runtime == "codex" && event == "SessionEnd" { 3 } else { 20 };
            let unit = if runtime == "gemini" { 1_000 } else { 1 };
            let hook = &entries[0]["hooks"][0];
            assert_eq!(hook["timeout"], seconds * unit, "{event}");
            assert!(hook["command"].as_str().unwrap().contains(&format!(" --timeout {seconds} ")), "{event}");
        }
        assert_eq!((&entry["matcher"], &entry["_callosum"]), (&json!("*"), &json!("v1")));

        let shown = ok(home.path(), &["uninstall", runtime, "--dry-run"]);
        assert!(shown.contains("+++ /dev/null") && path.exists(), "{shown}");
        ok(home.path(), &["uninstall", runtime]);
        assert_eq!(names(path.parent().unwrap()), [""; 0], "the file is gone");
    }
}

#[test]
fn the_events_are_those_that_each_runtime_has() {
    let wanted = [
        [
            "Notification",
            "PostToolUse",
            "PostToolUseFailure",
            "PreCompact",
            "PreToolUse",
            "SessionEnd",
            "SessionStart",
            "Stop",
            "StopFailure",
            "UserPromptSubmit",
        ]
        .as_slice(),
        &[
            "PermissionRequest",
            "PostToolUse",
            "PreCompact",
            "PreToolUse",
            "SessionEnd",
            "SessionStart",
            "Stop",
            "UserPromptSubmit",
        ],
        &[
            "AfterAgent",
            "AfterTool",
            "BeforeAgent",
            "BeforeTool",
            "Notification",
            "SessionEnd",
            "SessionStart",
        ],
    ];
    for ((runtime, settings, _), wanted) in RUNTIMES.into_iter().zip(wanted) {
        let (home, path) = home(settings, None);
        ok(home.path(), &["install", runtime]);
        let hooks = parsed(&path)["hooks"].as_object().unwrap().clone();
        assert_eq!(hooks.keys().collect::<Vec<_>>(), wanted);
        for (event, list) in hooks {
            let is_of_many_kinds = event.contains("Tool") || event == "Notification";
            assert_eq!(list[0].get("matcher").is_some(), is_of_many_kinds, "{event}");
        }
    }
}

#[test]
fn codex_users_are_told_to_trust_the_hooks_and_what_is_off_is_said() {
    let (codex, _) = home(".codex/hooks.json", None);
    for _ in 0..2 {
        let shown = ok(codex.path(), &["install", "codex"]);
        assert!(shown.contains("/hooks") && shown.contains("trust"), "{shown}");
    }
    assert_eq!(names(&codex.path().join(".codex")), ["hooks.json"], "trust is not ours to write");
    for (runtime, settings, content, off) in [
        ("claude-code", ".claude/settings.json", "{\"disableAllHooks\": true}", "disableAllHooks"),
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}", "hooksConfig.enabled"),
    ] {
        let (home, _) = home(settings, Some(content));
        let shown = ok(home.path(), &["install", runtime]);
        assert!(shown.contains(&format!("`{off}` is")), "{shown}");
    }
}

#[test]
fn what_others_changed_since_stays_and_only_ours_goes() {
    let (home, path) = home(".claude/settings.json", Some("{\n  \"model\": \"opus\"\n}\n"));
    ok(home.path(), &["install", "claude-code"]);
    let with = fs::read_to_string(&path).unwrap();
    fs::write(&path, with.replace("opus", "sonnet")).unwrap();
    ok(home.path(), &["uninstall", "claude-code"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"sonnet\"\n}\n");
    assert_eq!(
        fs::read_to_string(path.with_file_name(BACKUP)).unwrap(),
        "{\n  \"model\": \"opus\"\n}\n",
        "only somebody else knows whether it is needed"
    );
}

#[test]
fn a_backup_that_says_more_than_the_settings_is_kept_and_named() {
    let before = "{\n  // why: the others are too slow\n  \"model\": \"opus\"\n}\n";
    let (home, path) = home(".claude/settings.json", Some(before));
    ok(home.path(), &["install", "claude-code"]);
    // A program that knows no comments saves the settings.
    let saved = fs::read_to_string(&path).unwrap().replace("  // why: the others are too slow\n", "");
    fs::write(&path, saved).unwrap();
    let backup = path.with_file_name(BACKUP);
    // Whether there is anything to take out or not, somebody may want to know.
    for args in [["uninstall", "claude-code", "--dry-run"].as_slice(), &["uninstall", "claude-code"]] {
        for _ in 0..2 {
            let shown = ok(home.path(), args);
            assert!(shown.contains(backup.to_str().unwrap()), "{shown}");
            assert_eq!(fs::read_to_string(&backup).unwrap(), before);
        }
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    let report: Value =
        serde_json::from_str(&ok(home.path(), &["uninstall", "claude-code", "--json"])).unwrap();
    assert!(report["notes"][0].as_str().unwrap().contains(backup.to_str().unwrap()), "{report}");
    // Once it says the same, it is not needed.
    fs::write(&path, before).unwrap();
    let shown = ok(home.path(), &["uninstall", "claude-code"]);
    assert!(!shown.contains(BACKUP) && !backup.exists(), "{shown}");
}

#[test]
fn a_backup_that_is_there_is_never_overwritten() {
    let (home, path) = home(".claude/settings.json", Some("{\"a\": 1}"));
    let backup = path.with_file_name(BACKUP);
    fs::write(&backup, "{\"mine\": true}").unwrap();
    for args in [["install", "claude-code", "--dry-run"].as_slice(), &["install", "claude-code"]] {
        let shown = ok(home.path(), args);
        let left_alone = format!("{} already exists", backup.display());
        assert!(shown.contains(&left_alone) && !shown.contains("The previous version is in"), "{shown}");
        assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"mine\": true}");
    }
    ok(home.path(), &["uninstall", "claude-code"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\": 1}");
    assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"mine\": true}");
}

#[test]
fn an_install_that_fails_leaves_no_backup_behind() {
    let content = "{ }\n";
    let (home, path) = home(".claude/settings.json", Some(content));
    let full = |args: &str| {
        // As on a disk that has room for the backup and for no more.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {args} claude-code");
        let mut shell = program(Path::new("bash"), home.path());
        finish(shell.args(["-c", &script, env!("CARGO_BIN_EXE_callosum")]))
    };
    let (code, _, stderr) = full("install");
    assert!(code == Some(2) && stderr.contains("can't change"), "{stderr}");
    assert_eq!(
        (names(path.parent().unwrap()), fs::read_to_string(&path).unwrap()),
        (vec!["settings.json".to_owned()], content.to_owned())
    );

    // One that is as the settings are was kept by an install that was cut off: it is as good as a new one.
    fs::write(path.with_file_name(BACKUP), content).unwrap();
    let (code, _, stderr) = full("install");
    assert!(code == Some(2) && stderr.contains("can't change"), "{stderr}");
    let shown = ok(home.path(), &["install", "claude-code"]);
    assert!(!shown.contains("already exists"), "{shown}");
    ok(home.path(), &["uninstall", "claude-code"]);
    assert_eq!(
        (names(path.parent().unwrap()), fs::read_to_string(&path).unwrap()),
        (vec!["settings.json".to_owned()], content.to_owned())
    );
}

#[test]
fn what_cannot_be_edited_is_refused_and_stays() {
    for (content, place) in [
        ("{\n  \"a\": 1,\n}", ":2:9: "),
        ("{\n  \"hooks\": [1]\n}", ":2:12: "),
        ("{\"hooks\": {\"PreToolUse\": 7}}", ":1:26: "),
        ("nonsense", ":1:1: "),
        ("[]", ":1:1: "),
    ] {
        let (home, path) = home(".claude/settings.json", Some(content));
        let (code, stdout, stderr) = run_in(home.path(), &["install", "claude-code"]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{content}");
        assert!(stderr.contains(&format!("settings.json{place}")), "{stderr}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert_eq!(names(path.parent().unwrap()), ["settings.json"]);
    }
    let (home, path) = home(".claude/settings.json", Some("{}"));
    fs::write(&path, b"{\"a\":\n \"\xff\"}").unwrap();
    let (code, _, stderr) = run_in(home.path(), &["install", "claude-code"]);
    assert!(code == Some(2) && stderr.contains("settings.json:2:3: this is not UTF-8"), "{stderr}");

    fs::write(&path, "{}").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    let (code, _, stderr) = run_in(home.path(), &["install", "claude-code"]);
    assert!(code == Some(2) && stderr.contains("write-protected"), "{stderr}");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let (code, _, stderr) = run_in(home.path(), &["install", "claude-code"]);
    assert!(code == Some(2) && stderr.contains("it is not a file"), "{stderr}");
}

#[test]
fn a_link_stays_one_and_its_target_is_changed() {
    let (home, path) = home(".gemini/settings.json", None);
    let dotfiles = home.path().join("dotfiles");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::create_dir(&dotfiles).unwrap();
    let target = dotfiles.join("gemini.json");
    symlink("../dotfiles/gemini.json", &path).unwrap();
    let (code, _, stderr) = run_in(home.path(), &["install", "gemini"]);
    assert!(code == Some(2) && stderr.contains("link to nothing"), "{stderr}");

    fs::write(&target, "{}").unwrap();
    ok(home.path(), &["install", "gemini"]);
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("hook gemini"));
    fs::remove_file(path.with_file_name(BACKUP)).unwrap();
    ok(home.path(), &["uninstall", "gemini"]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "{}");
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
}

#[test]
fn each_runtime_is_found_where_its_variable_says() {
    let home = tempfile::tempdir().unwrap();
    let elsewhere = home.path().join("else where");
    for (runtime, variable, settings) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ] {
        let itself = Path::new(env!("CARGO_BIN_EXE_callosum"));
        let (code, ..) =
            finish(program(itself, home.path()).args(["install", runtime]).env(variable, &elsewhere));
        assert!(code == Some(0) && elsewhere.join(settings).exists(), "{runtime}");
        fs::remove_dir_all(&elsewhere).unwrap();
        assert_eq!(names(home.path()), [""; 0]);
    }
}

#[test]
fn secrets_beside_our_entries_are_not_shown() {
    let by_shape = format!("sk-ant-api03-{}", "a1B2".repeat(20));
    for (content, secret) in [
        (format!("{{\n  \"env\": {{ \"KEY\": \"{by_shape}\" }}\n}}\n"), by_shape.as_str()),
        // Of these nothing but their place says what they are.
        ("{\n  \"env\": {\n    \"KEY\": \"abc123def\"\n  }\n}\n".to_owned(), "abc123def"),
        ("{\"x\":{\"KEY\":[\"--api-key\",\"xyz\\\"abc123def\",1]}}".to_owned(), "abc123def"),
        ("{\n  \"KEY\": 47110815\n}\n".to_owned(), "47110815"),
        ("{\n  /* the old one:\n  abc123def */\n  \"KEY\": true // abc123def\n}\n".to_owned(), "abc123def"),
    ] {
        let (home, path) = home(".claude/settings.json", Some(&content));
        for command in ["install", "uninstall"] {
            let report = ok(home.path(), &[command, "claude-code", "--dry-run", "--json"]);
            let report: Value = serde_json::from_str(&report).unwrap();
            let diff = report["diff"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
            let diff = diff.map(|line| format!("{line}\n")).collect::<String>();
            let shown = ok(home.path(), &[command, "claude-code"]);
            assert!(shown.contains(&diff), "{diff}\n{shown}");
            assert!(shown.contains("\"KEY\"") && !shown.contains(secret), "{shown}");
            // What is ours is shown as it is.
            let ours = [
                " hook claude-code --timeout 20 --state-dir ",
                "\"*\"",
                "\"command\"",
                "\"timeout\": 20",
                "\"_callosum\": \"v1\"",
            ];
            for ours in ours.into_iter().take(if content.contains('\n') { 5 } else { 0 }) {
                assert!(shown.contains(ours), "{ours}: {shown}");
            }
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn what_others_put_into_an_entry_of_ours_is_not_shown_either() {
    let (home, path) = home(".claude/settings.json", None);
    ok(home.path(), &["install", "claude-code"]);
    let (ours, theirs) =
        ("{\n            \"type\"", "{ \"type\": \"command\", \"command\": \"notify abc123def\" }");
    let with = fs::read_to_string(&path).unwrap();
    let with = with.replacen(ours, &format!("{theirs},\n          {{ \"label\": \"ghi456jkl\", \"type\""), 1);
    fs::write(&path, with).unwrap();
    let shown = ok(home.path(), &["uninstall", "claude-code"]);
    assert!(shown.contains("hook claude-code") && shown.contains("\"matcher\""), "{shown}");
    assert!(!shown.contains("abc123def") && !shown.contains("ghi456jkl"), "{shown}");
    assert!(fs::read_to_string(&path).unwrap().contains("notify abc123def"));
}

#[test]
fn a_place_that_is_another_folder_in_each_process_is_refused() {
    for (name, value) in
        [("HOME", "relative"), ("CALLOSUM_STATE_DIR", "~bob/x"), ("CALLOSUM_STATE_DIR", "$XDG/x")]
    {
        let (home, path) = home(".claude/settings.json", None);
        let mut command = program(Path::new(env!("CARGO_BIN_EXE_callosum")), home.path());
        command.env("CLAUDE_CONFIG_DIR", path.parent().unwrap()).env(name, value).current_dir(home.path());
        let (code, _, stderr) = finish(command.args(["install", "claude-code"]));
        assert!(code == Some(2) && stderr.contains("can't be the state directory"), "{value}: {stderr}");
        assert!(!path.exists());
    }
}

#[test]
fn other_names_of_the_file_and_its_group_stay() {
    let content = "{\n  \"a\": 1\n}\n";
    let (home, path) = home(".claude/settings.json", Some(content));
    let other = home.path().join("dotfiles.json");
    fs::hard_link(&path, &other).unwrap();
    let told = ok(home.path(), &["install", "claude-code"]);
    assert!(told.contains("2 names (hard links)"), "{told}");
    assert!(fs::read_to_string(&other).unwrap().contains("_callosum"));
    ok(home.path(), &["uninstall", "claude-code"]);
    assert_eq!(
        (fs::read_to_string(&other).unwrap().as_str(), fs::metadata(&path).unwrap().nlink()),
        (content, 2)
    );
    fs::remove_file(&other).unwrap();

    // Only root can give a file to a group that it is not in.
    if chown(&path, None, Some(54321)).is_ok() {
        fs::set_permissions(&path, Permissions::from_mode(0o660)).unwrap();
        ok(home.path(), &["install", "claude-code"]);
        for path in [&path, &path.with_file_name(BACKUP)] {
            assert_eq!((fs::metadata(path).unwrap().gid(), mode(path)), (54321, 0o660));
        }
    }
}

#[test]
fn what_the_runtime_would_refuse_as_a_whole_is_refused() {
    for (content, place) in
        [("{\n  \"a\": \"x\ny\"\n}", ":2:10:"), ("{\"a\u{1}\": 1}", ":1:4:"), ("{\"a\": \"\t\"}", ":1:8:")]
    {
        let (home, path) = home(".claude/settings.json", Some(content));
        let (code, _, stderr) = run_in(home.path(), &["install", "claude-code"]);
        assert!(
            code == Some(2) && stderr.contains(place) && stderr.contains("control character"),
            "{content}: {stderr}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}
