//! Which program the hooks run.

use super::*;

/// A copy of the program in a folder with this name.
fn program_in(folder: &Path, name: &str) -> PathBuf {
    let folder = folder.join(name);
    fs::create_dir(&folder).unwrap();
    let path = folder.join("callosum");
    let itself = env!("CARGO_BIN_EXE_callosum");
    if fs::hard_link(itself, &path).is_err() {
        fs::copy(itself, &path).unwrap();
    }
    path
}

#[test]
fn the_command_runs_this_program_wherever_it_stands_and_nothing_once_it_is_gone() {
    for name in
        ["plain", "with space", "it's \"quoted\"", "a$HOME ${PATH}", "`id`;x&y|z", "*?[a]", "ne\nw", "žluť"]
    {
        let folder = tempfile::tempdir().unwrap();
        let at = program_in(folder.path(), name);
        for (runtime, settings, event) in RUNTIMES {
            let (code, _, stderr) =
                finish(program(&at, folder.path()).args(["install", runtime, "--state-dir", "/s t"]));
            assert_eq!(code, Some(0), "{stderr}");
            let entry = parsed(&folder.path().join(settings))["hooks"][event][0].clone();
            let command = entry["hooks"][0]["command"].as_str().unwrap().to_owned();
            // What Gemini CLI takes for a variable in its settings.
            let after_dollar = command.split('$').skip(1).filter_map(|rest| rest.chars().next());
            assert!(after_dollar.into_iter().all(|c| c == '\''), "{command}");

            // In its place, one that tells how it was called.
            let kept = at.with_extension("kept");
            fs::rename(&at, &kept).unwrap();
            fs::write(&at, "#!/bin/sh\nprintf '%s|' \"$@\"\ncat\n").unwrap();
            fs::set_permissions(&at, Permissions::from_mode(0o700)).unwrap();
            for shell in ["sh", "bash"] {
                let script = format!("printf input | {{ {command}\n}}");
                let (code, stdout, stderr) = finish(Command::new(shell).args(["-c", &script]));
                let called = format!("hook|{runtime}|--timeout|20|--state-dir|/s t|input");
                assert_eq!((code, stdout, stderr.as_str()), (Some(0), called, ""), "{command}");
            }
            fs::remove_file(&at).unwrap();
            let (code, stdout, stderr) = finish(Command::new("sh").args(["-c", &command]));
            assert_eq!((code, stdout.as_str(), stderr.as_str()), (Some(0), "", ""), "{command}");
            fs::rename(&kept, &at).unwrap();
        }
    }
}

#[test]
fn what_is_installed_gates() {
    let (home, path) = home(".claude/settings.json", None);
    let state = home.path().join("state of all");
    ok(home.path(), &["install", "claude-code", "--state-dir", state.to_str().unwrap()]);
    let command = parsed(&path)["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let event = json!({
        "session_id": "s1", "cwd": home.path(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "gog gmail send --to alice@example.com" }, "tool_use_id": "toolu_1",
    });
    let script = format!("printf '%s' \"$EVENT\" | {{ {command}\n}}");
    let mut shell = program(Path::new("sh"), home.path());
    let (code, stdout, stderr) = finish(shell.args(["-c", &script]).env("EVENT", event.to_string()));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (Some(0), "", ""));
    let shown = ok(home.path(), &["journal", "--state-dir", state.to_str().unwrap()]);
    assert!(shown.contains("email:alice@example.com"), "{shown}");
}

#[test]
fn a_program_that_moved_takes_over_its_entries_and_uninstalls_them() {
    let content = "{\n  \"a\": 1 // one\n}\n";
    let (home, path) = home(".claude/settings.json", Some(content));
    let old = program_in(home.path(), "old");
    let (code, ..) = finish(program(&old, home.path()).args(["install", "claude-code"]));
    assert_eq!(code, Some(0));
    ok(home.path(), &["install", "claude-code"]);
    let now = fs::read_to_string(&path).unwrap();
    assert!(!now.contains("/old/callosum") && now.matches("_callosum").count() == 10, "{now}");
    ok(home.path(), &["uninstall", "claude-code"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), content);
}

#[test]
fn the_hooks_run_a_link_on_the_path_and_so_what_comes_in_its_place() {
    let content = "{\n  \"a\": 1\n}\n";
    let (home, path) = home(".claude/settings.json", Some(content));
    let (old, new) = (program_in(home.path(), "1.0"), program_in(home.path(), "1.1"));
    let (elsewhere, bin) = (program_in(home.path(), "elsewhere"), home.path().join("bin"));
    fs::create_dir(&bin).unwrap();
    let link = bin.join("callosum");
    symlink(&old, &link).unwrap();
    let folders = format!("bin:{}:{}:/bin", elsewhere.parent().unwrap().display(), bin.display());
    let run = |at: &Path, args: &[&str]| {
        let mut command = program(at, home.path());
        // The test's own folders are no temporary ones to it.
        command.env("PATH", &folders).env("TMPDIR", "/nowhere").current_dir(home.path());
        let (code, stdout, stderr) = finish(command.args(args));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
        stdout
    };
    let runs = || parsed(&path)["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let expected = |at: &Path| {
        let state_dir = home.path().join(".callosum");
        let arguments = format!("hook claude-code --timeout 20 --state-dir {}", state_dir.display());
        format!("[ ! -x {0} ] || exec {0} {arguments}", at.display())
    };
    run(&old, &["install", "claude-code"]);
    assert_eq!(runs(), expected(&link));
    let installed = fs::read_to_string(&path).unwrap();

    fs::remove_file(&link).unwrap();
    symlink(&new, &link).unwrap();
    fs::remove_file(&old).unwrap();
    // The newer one finds them as it would write them itself.
    assert!(run(&link, &["install", "claude-code"]).contains("already"));
    assert_eq!(fs::read_to_string(&path).unwrap(), installed);
    assert!(!run(&new, &["doctor"]).contains("a different program"));
    // A link that leads to nothing any more lets every call through.
    fs::remove_file(&new).unwrap();
    let (code, stdout, stderr) = finish(Command::new("sh").args(["-c", &runs()]));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (Some(0), "", ""));
    run(&elsewhere, &["uninstall", "claude-code"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), content);

    // A program that no link leads to is named itself.
    run(&elsewhere, &["install", "claude-code"]);
    assert_eq!(runs(), expected(&elsewhere));
}

#[test]
fn what_an_older_version_wrote_is_replaced_and_codex_has_to_be_told() {
    for (runtime, settings, event) in RUNTIMES {
        let (home, path) = home(settings, None);
        ok(home.path(), &["install", runtime]);
        // As it was before: the state directory left to the environment, and five seconds.
        let state_dir = format!(" --state-dir {}/.callosum", home.path().display());
        let old = fs::read_to_string(&path).unwrap();
        let old =
            [" --timeout 20", " --timeout 3", &state_dir].iter().fold(old, |old, now| old.replace(now, ""));
        let old = old.replace("\"timeout\": 20", "\"timeout\": 5");
        fs::write(&path, &old).unwrap();
        let doctor = finish(
            program(Path::new(env!("CARGO_BIN_EXE_callosum")), home.path()).arg("doctor").env("PATH", ""),
        )
        .1;
        assert!(doctor.contains("they name no state directory") && doctor.contains(event), "{doctor}");
        let told = ok(home.path(), &["install", runtime]);
        let trust = told.contains("new or have changed");
        assert_eq!(trust, runtime == "codex", "{told}");
        assert_eq!(
            doctor.contains("enter /hooks, and trust Callosum's again"),
            runtime == "codex",
            "{doctor}"
        );
        let now = fs::read_to_string(&path).unwrap();
        assert_eq!(now.matches(&state_dir).count(), now.matches("_callosum").count(), "{now}");
        assert!(!ok(home.path(), &["install", runtime]).contains("new or have changed"));
    }
}
