//! The process: its start, its end, and what it leaves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use callosum_core::store::state_dir::StateDir;
use callosum_core::store::state_guard::StateGuard;
use rustix::process::Signal;
use serde_json::json;

use crate::support::Home;

#[test]
fn it_ends_well_when_it_is_asked_to_and_takes_its_socket_along() {
    let home = Home::new();
    let serve = home.serve();
    assert_eq!(fs::metadata(home.socket()).unwrap().permissions().mode() & 0o777, 0o600);
    // Clients that only keep their connections don't keep it.
    let mut idle = serve.stranger();
    assert_eq!(idle.get("/healthz").json(), json!({ "ok": true }));
    assert_eq!(serve.local().get("/readyz").json(), json!({ "ready": true }));
    assert_eq!(serve.end().code(), Some(0));
    assert!(!home.socket().exists());
}

/// Nothing ends so late; behind a guard that is held, each step alone would.
const BOUND: Duration = Duration::from_secs(12);

#[test]
fn a_body_that_comes_slowly_does_not_keep_it() {
    let home = Home::new();
    let serve = home.serve_with(&["--listen", "none"]);
    let mut slow = serve.local();
    let head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 90";
    slow.raw(format!("POST /v1/before HTTP/1.1\r\n{head}\r\n\r\n{{\"tool\":").as_bytes());
    assert_eq!(serve.local().get("/healthz").status, 200);
    let began = Instant::now();
    assert_eq!(serve.end().code(), Some(0));
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    assert!(slow.next_answer().is_none());
    assert!(home.records("intercept").is_empty());
}

#[test]
fn steps_that_wait_for_a_held_guard_do_not_keep_it() {
    let home = Home::new();
    let serve = home.serve_with(&["--listen", "none"]);
    let mut waiting: Vec<_> = (0..64).map(|_| serve.local()).collect();
    let pay = |to: usize| json!({ "tool": "pay", "params": { "to": to }, "session": "s" });
    assert_eq!(waiting[0].ok("/v1/before", &pay(100))["verdict"], "allow");
    let guard = StateGuard::open(&StateDir::new(home.path().to_owned())).unwrap();
    let held = guard.hold_until(Instant::now() + BOUND).unwrap();
    for (to, client) in waiting.iter_mut().enumerate() {
        let body = pay(to).to_string();
        let head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length";
        client.raw(format!("POST /v1/before HTTP/1.1\r\n{head}: {}\r\n\r\n{body}", body.len()).as_bytes());
    }
    // They are taken in one after the other.
    assert_eq!(serve.local().get("/healthz").status, 200);
    thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    assert_eq!(serve.end().code(), Some(0));
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    drop(held);
    assert_eq!(home.records("intercept").len(), 1);
    assert!(!home.socket().exists());
}

#[test]
fn a_call_that_is_being_decided_when_the_end_is_wanted_is_answered() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let guard = StateGuard::open(&StateDir::new(home.path().to_owned())).unwrap();
    let held = guard.hold_until(Instant::now() + BOUND).unwrap();
    let mut client = serve.client(&token);
    let body = json!({ "tool": "pay", "params": { "to": "a" }, "session": "s", "call": "1" }).to_string();
    let head = format!("Host: {}\r\n{}Content-Type: application/json", serve.host(), client.head);
    client.raw(
        format!("POST /v1/before HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .as_bytes(),
    );
    assert_eq!(serve.local().get("/healthz").status, 200);
    thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    serve.signal(Signal::TERM);
    thread::sleep(Duration::from_millis(300));
    drop(held);
    let answer = client.answer();
    assert_eq!((answer.status, &answer.json()["verdict"]), (200, &json!("allow")));
    assert_eq!(serve.end().code(), Some(0));
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    assert_eq!(home.records("intercept").len(), 1);
}

#[test]
fn a_second_one_says_who_runs_and_a_killed_one_is_in_nobodys_way() {
    let home = Home::new();
    let serve = home.serve();
    let second = home.program(&["serve", "--listen", "none"]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(
        said.contains("is served already: process ") && said.contains(&format!(":{}", serve.port)),
        "{said}"
    );
    serve.kill();
    assert!(home.socket().exists());
    let next = home.serve_with(&["--listen", "none"]);
    assert_eq!(next.local().get("/healthz").status, 200);
}

#[test]
fn a_file_in_the_sockets_place_and_too_long_a_path_are_named() {
    let home = Home::new();
    fs::write(home.socket(), "").unwrap();
    let refused = home.program(&["serve", "--listen", "none"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no socket"));
    let long = home.path().join("x".repeat(100));
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_callosum-serve"));
    let refused = program.args(["serve", "--listen", "none", "--state-dir"]).arg(&long).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("a socket's may have 107"), "{refused:?}");
}

#[test]
fn beyond_loopback_it_wants_tls_or_that_plain_http_is_meant() {
    let home = Home::new();
    for (listen, why) in [("0.0.0.0:0", "in the clear"), ("nowhere", "no address to listen on")] {
        let refused = home.program(&["serve", "--listen", listen]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains(why), "{refused:?}");
    }
    let token = home.token(&["ci"]);
    let serve = home.serve_with(&["--listen", "0.0.0.0:0", "--plain-http"]);
    assert_eq!(serve.client(&token).get("/v1/status").status, 200);
    assert_eq!(serve.stranger().get("/v1/status").status, 401);
}

#[test]
fn a_wrong_serve_json_is_named_and_not_guessed_at() {
    let home = Home::new();
    for text in ["{", r#"{"limit": {}}"#, r#"{"limits": {"burst": 0}}"#] {
        fs::write(home.path().join("serve.json"), text).unwrap();
        let refused = home.program(&["serve", "--listen", "none"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{text}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("serve.json"), "{refused:?}");
    }
}

#[test]
fn it_tells_its_manager_when_it_is_ready() {
    let home = Home::new();
    let path = home.path().join("notify");
    let manager =
        rustix::net::socket(rustix::net::AddressFamily::UNIX, rustix::net::SocketType::DGRAM, None).unwrap();
    rustix::net::bind(&manager, &rustix::net::SocketAddrUnix::new(&path).unwrap()).unwrap();
    let mut child = home
        .program(&["serve", "--listen", "none"])
        .env("NOTIFY_SOCKET", &path)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut told = [0; 64];
    let (_, length) = rustix::net::recv(&manager, &mut told[..], rustix::net::RecvFlags::empty()).unwrap();
    assert!(told[..length].starts_with(b"READY=1"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn calls_that_can_not_be_checked_are_refused_with_the_cause_and_go_on_once_they_can() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let call = |id: &str, tool: &str| json!({ "tool": tool, "params": { "to": "a@example.com" }, "session": "s", "call": id });
    assert_eq!(client.ok("/v1/before", &call("1", "note"))["verdict"], "allow");
    // Whoever else may write there could write anything into the journal.
    let open_to_all =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    open_to_all(home.path(), 0o777);
    let refused = client.post("/v1/before", &call("2", "mail"));
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(refused.header("retry-after").is_some());
    let said = refused.json();
    assert_eq!((&said["verdict"], &said["reason"]), (&json!("refuse"), &json!("state")));
    assert_eq!((&said["tier"], &said["call"]), (&json!(3), &json!("2")));
    assert_eq!(said["contextKeys"], json!(["email:a@example.com"]));
    assert_eq!(said["error"]["code"], "writable-by-others");
    assert!(said["error"]["remedy"].as_str().unwrap().contains("chmod"));
    assert_eq!(client.get("/readyz").status, 503);
    let metrics = client.get("/metrics").text;
    assert!(metrics.contains("callosum_calls_total{tier=\"3\",verdict=\"refuse\"} 1\n"), "{metrics}");
    // Below tier 3 it goes on, and is written later.
    assert_eq!(client.ok("/v1/before", &call("3", "note"))["verdict"], "allow");
    open_to_all(home.path(), 0o700);
    assert_eq!(client.ok("/v1/before", &call("4", "mail"))["verdict"], "pause");
    assert_eq!(client.get("/readyz").status, 200);
    let calls: Vec<_> = home.records("intercept").iter().map(|record| record["call"].clone()).collect();
    assert_eq!(calls, ["1", "3"]);
}

#[test]
fn what_goes_on_while_the_state_can_not_be_used_is_as_the_settings_say() {
    for (settings, note, mail) in [
        (json!({}), "allow", "refuse"),
        (json!({ "onStateError": "tiered" }), "allow", "refuse"),
        (json!({ "onStateError": "open" }), "allow", "allow"),
        (json!({ "onStateError": "closed" }), "refuse", "refuse"),
    ] {
        let home = Home::new();
        fs::write(home.path().join("settings.json"), settings.to_string()).unwrap();
        let token = home.token(&["ci"]);
        let serve = home.serve();
        let mut client = serve.client(&token);
        let mode = |mode| fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
        mode(0o777);
        let mut told = |tool: &str| {
            let call = json!({ "tool": tool, "params": { "to": "a@example.com" }, "session": "s" });
            let answer = client.post("/v1/before", &call);
            let verdict = answer.json()["verdict"].as_str().unwrap().to_owned();
            assert_eq!(answer.status, if verdict == "allow" { 200 } else { 503 }, "{settings} {tool}");
            verdict
        };
        assert_eq!((told("note").as_str(), told("mail").as_str()), (note, mail), "{settings}");
        mode(0o700);
    }
}

#[test]
fn a_journal_that_was_taken_away_is_written_again() {
    let home = Home::new();
    let serve = home.serve();
    let mut client = serve.local();
    let pay = |id: &str, session: &str| json!({ "tool": "pay", "params": { "to": "acme" }, "session": session, "call": id });
    assert_eq!(client.ok("/v1/before", &pay("1", "a"))["verdict"], "allow");
    fs::remove_file(home.path().join("journal.jsonl")).unwrap();
    // What this process knew is written again, and still blocks.
    assert_eq!(client.ok("/v1/before", &pay("2", "b"))["verdict"], "block");
    assert_eq!(home.records("intercept").len(), 1);
}
