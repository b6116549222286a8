//! Who asks on the socket: an agent's process, what it started, or somebody else of this user.

use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use callosum_core::machine;
use callosum_runtimes::is_program;
use serde_json::json;

use crate::support::{Client, Home};

const SOCKET: &str = "CALLOSUM_TEST_PEERS_SOCKET";
const ASKS: [&str; 4] = ["--ignored", "--exact", "--nocapture", "peers::one_that_asks"];

#[test]
#[ignore = "the test beside it starts this, under several names"]
#[expect(clippy::print_stdout, reason = "the test beside it reads this")]
fn one_that_asks() {
    let connect = || Box::new(UnixStream::connect(std::env::var_os(SOCKET).unwrap()).unwrap());
    let status = |path: &str, body: &serde_json::Value| {
        let mut client = Client::over(connect(), "localhost");
        client.post(path, body).status
    };
    let note = json!({ "tool": "note", "params": { "to": "a" }, "session": "s" });
    let asked = [("/v1/before", note), ("/v1/release", json!({ "key": "x" })), ("/v1/page", json!({}))];
    println!("\nanswers: {:?}", asked.map(|(path, body)| status(path, &body)));
}

/// What the service answers to the program at `path`, started with these words.
fn answers(home: &Home, path: &Path, words: &[&str]) -> String {
    answers_with(home, path, words, &[])
}

/// The same to one that has these variables besides.
fn answers_with(home: &Home, path: &Path, words: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(path);
    command
        .args(words)
        .envs(variables.iter().copied())
        .env(SOCKET, home.socket())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let told =
        out.lines().map(Result::unwrap).find_map(|line| line.strip_prefix("answers: ").map(str::to_owned));
    child.wait().unwrap();
    told.unwrap()
}

#[test]
fn on_the_socket_an_agent_s_process_and_what_it_starts_may_act_and_others_operate() {
    let home = Home::new();
    let _serve = home.serve();
    let program = std::env::current_exe().unwrap();
    let named = |name: &str, program: &Path| -> PathBuf {
        let path = home.path().join(name);
        symlink(program, &path).unwrap();
        path
    };
    // An agent that runs this is above all of them.
    let is_agent = machine::is_below(std::process::id(), is_program);
    let script = format!("{} {}; exit 0", program.display(), ASKS.join(" "));
    for (path, words, acts) in [
        (named("codex", &program), ASKS.to_vec(), true),
        (named("gemini.js", Path::new("/bin/sh")), vec!["-c", &script], true),
        (named("codecs", &program), ASKS.to_vec(), is_agent),
    ] {
        let told = answers(&home, &path, &words);
        // It has no page where its files were not built.
        let expected: &[&str] =
            if acts { &["[200, 403, 403]"] } else { &["[200, 200, 200]", "[200, 200, 404]"] };
        assert!(expected.contains(&told.as_str()), "{}: {told}", path.display());
        let written = home.records("intercept");
        let via = if acts { "process" } else { "operator" };
        assert_eq!(written.last().unwrap()["via"], via, "{}", path.display());
    }
}

#[test]
fn who_an_agent_s_shell_put_into_the_background_may_act_and_no_more() {
    let home = Home::new();
    let _serve = home.serve();
    let program = std::env::current_exe().unwrap();
    for variable in ["CLAUDECODE", "GEMINI_CLI"] {
        assert_eq!(answers_with(&home, &program, &ASKS, &[(variable, "1")]), "[200, 403, 403]", "{variable}");
    }
}

/// A program in a pid namespace of its own, as in a container; `None` where this user may not have one.
fn in_a_namespace() -> Option<Command> {
    let alone = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    let ways = [alone.to_vec(), [&["--map-root-user"], &alone[..]].concat()];
    let made = |way: &Vec<&str>| {
        let mut tried = Command::new("unshare");
        tried.args(way).arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let Some(way) = ways.into_iter().find(made) else {
        let text = b"this user may have no pid namespace: not shown\n";
        std::io::stderr().write_all(text).unwrap();
        return None;
    };
    let mut command = Command::new("unshare");
    command.args(way).stderr(Stdio::null());
    Some(command)
}

#[test]
fn who_asks_from_another_pid_namespace_is_taken_for_an_agent() {
    let home = Home::new();
    let Some(mut alone) = in_a_namespace() else { return };
    let program = home.program(&["serve", "--listen", "none"]);
    let serve = home.start(alone.arg(program.get_program()).args(program.get_args()));
    let note = json!({ "tool": "note", "params": { "to": "a" }, "session": "s" });
    serve.local().ok("/v1/before", &note);
    assert_eq!(home.records("intercept")[0]["via"], "process");
    for (path, body) in [("/v1/release", json!({ "key": "x" })), ("/v1/page", json!({}))] {
        assert_eq!(serve.local().post(path, &body).status, 403, "{path}");
    }
}

#[test]
fn where_an_agent_is_the_first_process_what_it_starts_is_its_own() {
    let home = Home::new();
    for (name, code) in [("codecs", Some(0)), ("codex", Some(2))] {
        let Some(mut alone) = in_a_namespace() else { return };
        let path = home.path().join(name);
        symlink("/bin/sh", &path).unwrap();
        let program = home.program(&["token", "add", name]);
        // A shell that is left with one command becomes that.
        alone
            .arg(&path)
            .args(["-c", "\"$@\"; exit $?", "sh"])
            .arg(program.get_program())
            .args(program.get_args());
        assert_eq!(alone.stdout(Stdio::null()).status().unwrap().code(), code, "{name}");
    }
}
