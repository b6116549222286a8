//! Notices: a person is told what was stopped, by a command or in a chat of OpenClaw's.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callosum_testing::wait::until;
use serde_json::{Value, json};

use crate::support::{Home, Serve};

/// A program that appends what it was told last to a file, as a line, with its other words where it is `openclaw`.
fn program(folder: &Path, name: &str, told: &Path) -> PathBuf {
    let path = folder.join(name);
    let script = format!(
        "#!/bin/sh\nfor word in \"$@\"; do printf '%s|' \"$word\"; done >> '{0}'\necho >> '{0}'\n",
        told.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn serve(home: &Home, notify: &Value, path: &Path) -> Serve {
    fs::write(home.path().join("serve.json"), json!({ "notify": notify }).to_string()).unwrap();
    let path = format!("{}:{}", path.display(), env::var("PATH").unwrap());
    let mut command: Command = home.program(&["serve", "--listen", "127.0.0.1:0"]);
    home.start(command.env("PATH", path).stderr(Stdio::null()))
}

/// The lines of a file, once there is what is waited for.
fn lines_until(path: &Path, is_there: impl Fn(&[String]) -> bool) -> Vec<String> {
    until(&format!("lines of {}", path.display()), || {
        let text = fs::read_to_string(path).unwrap_or_default();
        // A line is there when its end is.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines: Vec<String> = whole.lines().map(str::to_owned).collect();
        if is_there(&lines) { Ok(lines) } else { Err(text) }
    })
}

fn first_line(path: &Path) -> String {
    lines_until(path, |lines| !lines.is_empty()).remove(0)
}

fn mail(serve: &Serve, session: &str, call: &str) -> String {
    let body =
        json!({ "tool": "mail", "params": { "to": "ann@example.com" }, "session": session, "call": call });
    let answer = serve.local().ok("/v1/before", &body);
    answer["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_stopped_is_told_at_once_and_no_more_of_its_kind_within_a_minute() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    let told = folder.path().join("told");
    let command = program(folder.path(), "tell", &told);
    let begun = Instant::now();
    let serve = serve(&home, &json!({ "command": [command, "--urgent"] }), folder.path());
    assert_eq!(mail(&serve, "a", "1"), "allow");
    assert_eq!(mail(&serve, "b", "2"), "pause");
    let first = first_line(&told);
    assert!(
        first.starts_with(
            "--urgent|Callosum paused: `mail` on `email:ann@example.com` by session `b` of `http"
        ),
        "{first}"
    );
    for call in 3..9 {
        mail(&serve, &format!("s{call}"), &call.to_string());
    }
    // Another kind is told at once; the pauses before it were not.
    let account = |session: &str| json!({ "tool": "pay", "params": { "to": "acme" }, "session": session, "call": session });
    assert_eq!(serve.local().ok("/v1/before", &account("p"))["verdict"], "allow");
    assert_eq!(serve.local().ok("/v1/before", &account("q"))["verdict"], "block");
    let all = lines_until(&told, |lines| lines.iter().any(|line| line.contains("|Callosum blocked: ")));
    let blocked = "|Callosum blocked: `pay` on `account:acme` by session `q`";
    assert!(all.iter().any(|line| line.contains(blocked)), "{all:?}");
    // On a machine that takes a minute for this, the pauses are due again.
    let is_within_a_minute = begun.elapsed() < Duration::from_secs(55);
    assert!(all.len() == 2 || !is_within_a_minute, "{all:?}");
}

#[test]
fn a_chat_is_told_by_openclaw_and_only_what_is_asked_for() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    let told = folder.path().join("told");
    program(folder.path(), "openclaw", &told);
    let notify = json!({ "chat": { "channel": "telegram", "target": "@ann" }, "on": ["degraded", "block"] });
    let serve = serve(&home, &notify, folder.path());
    mail(&serve, "a", "1");
    assert_eq!(mail(&serve, "b", "2"), "pause");
    // A line of a version that this one does not know.
    let mut journal = OpenOptions::new().append(true).open(home.path().join("journal.jsonl")).unwrap();
    journal.write_all(b"{\"v\":2,\"action\":\"intercept\",\"tier\":3}\n").unwrap();
    let first = first_line(&told);
    let chat = "message|send|--channel|telegram|--target|@ann|--message|Callosum can't check calls: ";
    assert!(first.starts_with(chat) && first.contains("; to fix it: "), "{first}");
}

#[test]
fn what_is_wrong_with_notices_is_named_at_the_start() {
    let home = Home::new();
    fs::write(home.path().join("serve.json"), r#"{"notify": {"on": ["pause"]}}"#).unwrap();
    let output = home.program(&["serve"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("`notify` needs a `command` or a `chat`"), "{said}");
}
