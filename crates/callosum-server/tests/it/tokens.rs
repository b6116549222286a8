//! Tokens: what each may, and for whom it speaks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{Answer, Home};

#[test]
fn a_token_counts_from_the_next_request_on_and_no_longer_once_it_is_revoked() {
    let home = Home::new();
    let serve = home.serve();
    let mut early = serve.client("callosum_none");
    assert_eq!(early.get("/v1/status").status, 401);
    let token = home.token(&["ci"]);
    let mut client = serve.client(&token);
    assert_eq!(client.get("/v1/status").status, 200);
    let mut by_secret = serve.stranger();
    assert_eq!(
        by_secret.send("GET", "/v1/status", &format!("X-Callosum-Secret: {token}\r\n"), "").status,
        200
    );
    let both = format!("X-Callosum-Secret: {token}\r\nAuthorization: Bearer {token}\r\n");
    assert_eq!(serve.stranger().send("GET", "/v1/status", &both, "").status, 401);
    let revoked = home.program(&["token", "revoke", "ci"]).output().unwrap();
    assert!(revoked.status.success());
    let refused = client.get("/v1/status");
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(home.program(&["token", "revoke", "ci"]).output().unwrap().status.code(), Some(1));
}

#[test]
fn what_gives_a_persons_rights_is_refused_in_an_agents_shell() {
    let home = Home::new();
    for words in [
        &["token", "add", "ci"][..],
        &["token", "revoke", "ci"],
        &["ui", "--json"],
        &["ui", "--port", "4300"],
    ] {
        let asked = home.program(words).env("GEMINI_CLI", "1").output().unwrap();
        let why = String::from_utf8_lossy(&asked.stderr);
        assert_eq!(asked.status.code(), Some(2), "{words:?}: {why}");
        assert!(why.contains("only a person") && asked.stdout.is_empty(), "{words:?}: {why}");
    }
    let listed = home.program(&["token", "list"]).env("GEMINI_CLI", "1").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "There are no tokens.\n");
}

#[test]
fn only_hashes_are_kept_and_only_for_this_user() {
    let home = Home::new();
    let made = home
        .program(&["token", "add", "ci", "--expires", "90d", "--instance", "web", "--json"])
        .output()
        .unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let token = made["token"].as_str().unwrap();
    let path = home.path().join("tokens.json");
    let kept = fs::read_to_string(&path).unwrap();
    assert!(!kept.contains(token) && kept.contains("sha256"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let listed = home.program(&["token", "list", "--json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["tokens"][0]["instances"], json!(["web"]));
    assert_eq!(listed["tokens"][0]["expiresAt"], made["expiresAt"]);
    for words in [
        &["ci"][..],
        &["local"],
        &["a/b"],
        &[".."],
        &["x", "--expires", "soon"],
        &["x", "--expires", "9999999d"],
        &["x", "--instance", "a/b"],
    ] {
        let refused = home.program(&[&["token", "add"], words].concat()).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("to fix it"), "{words:?}");
    }
    // What others may read keeps nobody out, so it lets nobody in.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let serve = home.serve();
    assert_eq!(serve.client(token).get("/v1/status").status, 401);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(serve.client(token).get("/v1/status").status, 200);
}

#[test]
fn one_that_has_expired_counts_no_more() {
    let home = Home::new();
    let token = home.token(&["brief", "--expires", "1s"]);
    let serve = home.serve();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert_eq!(serve.client(&token).get("/v1/status").status, 401);
}

#[test]
fn what_lets_another_machine_join_may_do_nothing_else() {
    let home = Home::new();
    let token = home.token(&["laptop", "--rights", "join"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let body = json!({}).to_string();
    for (method, path) in [
        ("GET", "/v1/status"),
        ("GET", "/v1/events"),
        ("GET", "/status"),
        ("GET", "/metrics"),
        ("POST", "/v1/before"),
        ("POST", "/intercept"),
        ("POST", "/v1/tasks"),
        ("POST", "/v1/release"),
    ] {
        let refused = client.send(method, path, "Content-Type: application/json\r\n", &body);
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("forbidden")), "{path}");
    }
}

#[test]
fn nobody_speaks_for_anothers_instance() {
    let home = Home::new();
    let (one, two) = (home.token(&["one", "--instance", "web"]), home.token(&["two"]));
    let serve = home.serve();
    let (mut one, mut two) = (serve.client(&one), serve.client(&two));
    let mail =
        |instance: &str| json!({ "instance": instance, "tool": "mail", "params": { "to": "a@example.com" } });
    let foreign = one.post("/intercept", &mail("other"));
    assert_eq!((foreign.status, &foreign.json()["error"]["code"]), (403, &json!("not-yours")));
    assert_eq!(one.post("/intercept", &mail("http/two/web")).status, 400);
    let call = one.ok("/intercept", &mail("web"));
    // The same name is another instance under another token.
    let same = two.ok("/intercept", &mail("web"));
    assert_eq!(same["conflicts"][0]["instance"], "http/one/web");
    let end = json!({ "call": call["call"], "outcome": "complete" });
    assert_eq!(two.ok("/v1/after", &end)["recorded"], false);
    let complete =
        json!({ "instance": "web", "contextKey": call["contextKey"], "id": call["call"], "result": {} });
    two.ok("/complete", &complete);
    assert!(home.records("complete").is_empty());
    one.ok("/complete", &complete);
    assert_eq!(home.records("complete").len(), 1);
}

#[test]
fn an_instance_with_the_longest_name_is_the_same_in_leases_calls_and_ends() {
    let home = Home::new();
    let (name, instance) = ("t".repeat(40), "i".repeat(60));
    let token = home.token(&[&name, "--instance", &instance]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let lock = json!({ "instance": instance, "contextKey": "account:acme", "tier": 4 });
    assert_eq!(client.ok("/lock", &lock)["acquired"], true);
    let call =
        client.ok("/intercept", &json!({ "instance": instance, "tool": "pay", "params": { "to": "acme" } }));
    assert_eq!((&call["proceed"], call.get("conflicts")), (&json!(true), None));
    let end = json!({ "instance": instance, "contextKey": call["contextKey"], "id": call["call"] });
    client.ok("/complete", &end);
    assert_eq!(home.records("complete").len(), 1);
    let mail = json!({ "tool": "mail", "params": { "to": "a@example.com" }, "session": "s", "call": "1" });
    client.ok("/v1/before", &mail);
    assert!(client.ok("/v1/extend", &json!({ "call": "1" }))["expiresAt"].is_string());
    assert_eq!(client.ok("/v1/after", &json!({ "call": "1", "outcome": "complete" }))["recorded"], true);
}

#[test]
fn the_same_idempotency_key_under_another_token_is_another_call() {
    let home = Home::new();
    let (one, two) = (home.token(&["one"]), home.token(&["two"]));
    let serve = home.serve();
    let head = "Content-Type: application/json\r\nIdempotency-Key: shared\r\n";
    let mail = json!({ "instance": "web", "tool": "mail", "params": { "to": "a@example.com" } }).to_string();
    let ask = |token: &str| serve.client(token).send("POST", "/intercept", head, &mail).json();
    let first = ask(&one);
    assert_eq!((&first["proceed"], first.get("conflicts")), (&json!(true), None));
    assert_eq!(ask(&one), first);
    assert_eq!(home.records("intercept").len(), 1);
    // Another call under it is told by what it sent.
    let another = json!({ "instance": "web", "tool": "mail", "params": { "to": "b@example.com" } });
    let refused = serve.client(&one).send("POST", "/intercept", head, &another.to_string());
    assert_eq!((refused.status, &refused.json()["error"]["path"]), (400, &json!("Idempotency-Key")));
    let other = ask(&two);
    assert_eq!(other["conflicts"][0]["instance"], "http/one/web");
    let whose: Vec<_> = home
        .records("intercept")
        .iter()
        .map(|record| record["instance"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(whose, ["http/one/web", "http/two/web"]);
}

#[test]
fn nobody_gets_a_token_by_the_name_of_others() {
    let home = Home::new();
    for name in ["local", "gateway"] {
        let refused = home.program(&["token", "add", name]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("choose another name"), "{refused:?}");
    }
}

#[test]
fn the_access_log_has_requests_by_their_ids_and_no_resource_by_its_name() {
    let home = Home::new();
    let log = fs::File::create(home.path().join("log")).unwrap();
    let serve = home.start(home.program(&["serve", "--listen", "none"]).stderr(log));
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let mut local = serve.local();
    assert_eq!(local.send("DELETE", &format!("/lock/{secret}?instance={secret}"), "", "").status, 200);
    assert_eq!(local.get(&format!("/nothing/{secret}")).status, 404);
    assert_eq!(local.get(&format!("/v1/why?key={secret}")).status, 200);
    assert_eq!(local.get(&format!("/v1/why/{secret}")).status, 404);
    let named = |answer: &Answer| answer.header("x-request-id").unwrap().to_owned();
    let ids = [local.send("GET", "/v1/head", "X-Request-Id: its-own\r\n", ""), local.get("/v1/head")];
    let ids = ids.map(|answer| named(&answer));
    assert_eq!(ids[0], "its-own");
    drop(local);
    assert_eq!(serve.end().code(), Some(0));
    let log = fs::read_to_string(home.path().join("log")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("\"status\"")).count(), 6, "{log}");
    for id in ids {
        assert_eq!(log.matches(&format!("\"request\":\"{id}\"")).count(), 1, "{id}: {log}");
    }
    assert!(!log.contains("abcdefghijklmnop") && log.contains("\"/lock/…\""), "{log}");
    assert!(log.contains("\"/v1/why/…\""), "{log}");
}
