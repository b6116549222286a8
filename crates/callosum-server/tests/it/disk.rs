//! A state directory that can't be written, that is full, and that is another one.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::support::{Home, Serve};

/// Neither root nor anybody: permissions hold for this user.
const NOBODY: u32 = 54_321;

impl Home {
    /// The program as a user for whom permissions hold, started by the shell's `setup`.
    fn unprivileged(&self, setup: &str, words: &[&str]) -> Command {
        let program = self.path().join("callosum-serve");
        if !program.exists() {
            fs::copy(env!("CARGO_BIN_EXE_callosum-serve"), &program).unwrap();
            fs::create_dir(self.path().join("state")).unwrap();
            fs::set_permissions(self.path().join("state"), Permissions::from_mode(0o700)).unwrap();
            fs::copy(self.path().join("tiers.json"), self.path().join("state/tiers.json")).unwrap();
        }
        let mut command = Command::new("sh");
        let become_nobody = if rustix::process::geteuid().is_root() {
            fs::set_permissions(self.path(), Permissions::from_mode(0o755)).unwrap();
            for path in ["state", "state/tiers.json"] {
                chown(self.path().join(path), Some(NOBODY), Some(NOBODY)).unwrap();
            }
            format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups")
        } else {
            String::new()
        };
        command.args(["-c", &format!("{setup} exec {become_nobody} \"$@\""), "sh"]);
        command.arg(&program).args(words).arg("--state-dir").arg(self.path().join("state"));
        command.env_remove("NOTIFY_SOCKET").env("HOME", self.path()).stderr(Stdio::null());
        command
    }

    fn unprivileged_token(&self) -> String {
        let made = self.unprivileged("", &["token", "add", "ci"]).output().unwrap();
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }

    fn allow(&self, mode: u32) {
        fs::set_permissions(self.path().join("state"), Permissions::from_mode(mode)).unwrap();
    }
}

const LISTEN: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

fn call(tool: &str, id: usize) -> Value {
    let params = json!({ "to": format!("{id}@example.com") });
    json!({ "tool": tool, "params": params, "session": "s", "call": id.to_string() })
}

#[test]
fn a_state_directory_that_is_read_only_is_named_at_the_start_and_harms_nobody_later() {
    let home = Home::new();
    let token = home.unprivileged_token();
    home.allow(0o500);
    let refused = home.unprivileged("", &LISTEN).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("serve.lock") && said.contains("to fix it"), "{said}");
    home.allow(0o700);
    let serve = home.start(&mut home.unprivileged("", &LISTEN));
    let mut client = serve.client(&token);
    assert_eq!(client.ok("/v1/before", &call("pay", 1))["verdict"], "allow");
    home.allow(0o500);
    // The journal is open: nothing that is let through is lost, and nobody pays twice.
    assert_eq!(client.ok("/v1/before", &call("pay", 2))["verdict"], "allow");
    let again = json!({ "tool": "pay", "params": { "to": "1@example.com" }, "session": "t", "call": "3" });
    assert_eq!(client.ok("/v1/before", &again)["verdict"], "block");
    assert_eq!(client.ok("/v1/after", &json!({ "call": "1", "outcome": "complete" }))["recorded"], true);
    let revoke = home.unprivileged("", &["token", "revoke", "ci"]).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(revoke.status.code(), Some(2));
    assert!(String::from_utf8(revoke.stderr).unwrap().contains("tokens."), "the file is named");
    assert_eq!(client.get("/v1/head").status, 200);
    // Its socket it can't take along; the next one does.
    assert_eq!(serve.end().code(), Some(0));
    home.allow(0o700);
    let serve = home.start(&mut home.unprivileged("", &LISTEN));
    assert_eq!(serve.client(&token).ok("/v1/before", &again)["verdict"], "pause");
}

/// How large a file of the service may become.
fn may_write(serve: &Serve, bytes: Option<u64>) {
    let limit = Rlimit { current: bytes, maximum: None };
    prlimit(Some(Pid::from_raw(i32::try_from(serve.id()).unwrap()).unwrap()), Resource::Fsize, limit)
        .unwrap();
}

#[test]
fn where_nothing_more_can_be_written_guarded_calls_are_refused_until_it_can() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    // It hears of the limit only if there is one when it starts.
    let mut command = Command::new("sh");
    let program = home.program(&LISTEN);
    command
        .args(["-c", "ulimit -S -f 1000000; exec \"$@\"", "sh"])
        .arg(program.get_program())
        .args(program.get_args());
    let serve = home.start(command.stderr(Stdio::null()));
    let mut client = serve.client(&token);
    assert_eq!(client.ok("/v1/before", &call("pay", 0))["verdict"], "allow");
    let size = fs::metadata(home.path().join("journal.jsonl")).unwrap().len();
    may_write(&serve, Some(size));
    let refused = client.post("/v1/before", &call("pay", 1));
    assert_eq!(refused.status, 503, "{}", refused.text);
    let said = refused.json();
    assert_eq!((&said["verdict"], &said["reason"]), (&json!("refuse"), &json!("state")));
    assert!(said["error"]["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{said}");
    // Below tier 3 calls go on, and are written once they can be.
    assert_eq!(client.ok("/v1/before", &call("note", 2))["verdict"], "allow");
    assert_eq!(client.get("/healthz").status, 200);
    // What is there is told all the same, and what is not as waiting.
    let status = client.get("/v1/status").json();
    assert_eq!(status["locks"][0]["contextKey"], "account:0@example.com", "{status}");
    assert!(status["journalLines"].as_u64().is_some_and(|lines| lines > 0), "{status}");
    assert_eq!((status["degraded"].is_object(), &status["waiting"]["queued"]), (true, &json!(2)), "{status}");
    assert_eq!(client.get("/v1/leases").json()["locks"][0]["contextKey"], "account:0@example.com");
    for question in
        ["/v1/leases", "/v1/journal", "/v1/sessions", "/v1/why?key=account:0@example.com", "/status"]
    {
        assert_eq!(client.get(question).status, 200, "{question}");
    }
    may_write(&serve, None);
    assert_eq!(client.ok("/v1/before", &call("pay", 3))["verdict"], "allow");
    assert_eq!(client.get("/readyz").status, 200);
    let calls = || home.records("intercept").iter().map(|record| record["call"].clone()).collect::<Vec<_>>();
    for id in ["0", "2", "3"] {
        assert_eq!(calls().iter().filter(|call| *call == id).count(), 1, "{id}: {:?}", calls());
    }
    assert!(!calls().contains(&json!("1")));
}

#[test]
fn the_directory_of_another_service_is_left_alone() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let old = home.serve();
    let mut known = old.client(&token);
    assert_eq!(known.ok("/v1/before", &call("pay", 1))["verdict"], "allow");
    // The whole directory is another one now, with another service: of another version, say.
    let moved = home.path().with_extension("moved");
    fs::rename(home.path(), &moved).unwrap();
    fs::create_dir(home.path()).unwrap();
    fs::set_permissions(home.path(), Permissions::from_mode(0o700)).unwrap();
    fs::copy(moved.join("tiers.json"), home.path().join("tiers.json")).unwrap();
    let other = home.token(&["other"]);
    let new = home.serve();
    // What the old one knew is known to the new one as soon as the old one is asked: they share the directory.
    assert_eq!(known.get("/v1/head").status, 401, "the tokens are those that are there");
    let mut known = old.client(&other);
    let first = known.ok("/v1/before", &call("pay", 2));
    let second = json!({ "tool": "pay", "params": { "to": "2@example.com" }, "session": "t", "call": "4" });
    assert_eq!(
        (&first["verdict"], &new.client(&other).ok("/v1/before", &second)["verdict"]),
        (&json!("allow"), &json!("block"))
    );
    assert_eq!(old.end().code(), Some(0));
    // The socket there is the new one's.
    assert_eq!(new.local().get("/healthz").status, 200);
    fs::remove_dir_all(&moved).unwrap();
}
