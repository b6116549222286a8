//! The gate over HTTP.

use serde_json::{Value, json};

use crate::support::{Client, Home, let_it_be_read};

fn before(client: &mut Client, session: &str, call: &str, tool: &str) -> Value {
    let params = json!({ "to": "alice@example.com" });
    client.ok("/v1/before", &json!({ "tool": tool, "params": params, "session": session, "call": call }))
}

#[test]
fn a_call_is_paused_with_the_facts_and_its_retry_goes_through() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let first = before(&mut client, "a", "1", "mail");
    assert_eq!(first["verdict"], "allow");
    assert_eq!(
        (&first["tier"], &first["ruleName"], &first["call"]),
        (&json!(3), &json!("mail"), &json!("1"))
    );
    assert!(first["expiresAt"].is_string());
    let paused = before(&mut client, "b", "2", "mail");
    assert_eq!(paused["verdict"], "pause");
    assert!(paused["text"].as_str().unwrap().contains("is being acted on"));
    assert_eq!(paused["evidence"][0]["instance"], "http/ci");
    // At once it is no retry; the same call again is none either, however late.
    assert_eq!(before(&mut client, "b", "3", "mail")["verdict"], "pause");
    let done = client.ok("/v1/after", &json!({ "call": "1", "outcome": "complete" }));
    assert_eq!(done, json!({ "ok": true, "recorded": true }));
    let_it_be_read();
    assert_eq!(before(&mut client, "b", "2", "mail")["verdict"], "pause");
    // The end is news: once more.
    assert_eq!(before(&mut client, "b", "4", "mail")["verdict"], "pause");
    assert_eq!(client.ok("/v1/delivered", &json!({ "call": "4" })), json!({ "ok": true, "read": 1 }));
    assert_eq!(before(&mut client, "b", "5", "mail")["verdict"], "allow");
    let via: Vec<Value> = home.records("intercept").iter().map(|record| record["via"].clone()).collect();
    assert_eq!(via, ["token:ci", "token:ci"]);
}

#[test]
fn every_end_is_written_as_it_was_told() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (call, (outcome, exit_code, action)) in [
        ("complete", None, "complete"),
        ("failed", None, "failed"),
        ("unknown", None, "unknown"),
        ("refused", None, "refused"),
        ("complete", Some(1), "unknown"),
    ]
    .into_iter()
    .enumerate()
    {
        before(&mut client, &format!("s{call}"), &call.to_string(), "note");
        let before = home.records(action).len();
        let end = json!({ "call": call.to_string(), "outcome": outcome, "exitCode": exit_code, "error": "it broke" });
        assert_eq!(client.ok("/v1/after", &end)["recorded"], true);
        let records = home.records(action);
        assert_eq!(records.len(), before + 1, "{outcome}");
        assert!(records[before]["reason"].as_str().unwrap().ends_with("it broke"));
    }
    // Told twice, or of a call that is not kept: nothing is written, and that is said.
    for call in ["0", "nobody's"] {
        let again = client.ok("/v1/after", &json!({ "call": call, "outcome": "complete" }));
        assert_eq!(again, json!({ "ok": true, "recorded": false }));
    }
}

#[test]
fn a_call_that_may_be_paused_needs_a_session() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let mail = json!({ "tool": "mail", "params": { "to": "a@example.com" } });
    let refused = client.post("/v1/before", &mail);
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"]["code"], "unidentified");
    assert_eq!(refused.json()["error"]["path"], "session");
    assert!(home.records("intercept").is_empty());
    let note = client.ok("/v1/before", &json!({ "tool": "note", "params": { "to": "a@example.com" } }));
    assert_eq!(note["verdict"], "allow");
    assert!(note["call"].as_str().unwrap().starts_with("call_"));
}

#[test]
fn a_killed_service_loses_nothing_doubles_nothing_and_its_callers_do_not_look_dead() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let mut serve = home.serve();
    let restart = |serve: crate::support::Serve| {
        serve.kill();
        home.serve()
    };
    assert_eq!(before(&mut serve.client(&token), "a", "1", "pay")["verdict"], "allow");
    serve = restart(serve);
    assert_eq!(before(&mut serve.client(&token), "a", "1", "pay")["verdict"], "allow");
    assert_eq!(home.records("intercept").len(), 1);
    serve = restart(serve);
    // Its process is gone, and it holds what it held.
    let blocked = before(&mut serve.client(&token), "b", "2", "pay");
    assert_eq!(blocked["verdict"], "block");
    // When the lease of what blocks it ends.
    assert_eq!(blocked["expiresAt"], blocked["evidence"][0]["expiresAt"]);
    serve = restart(serve);
    assert!(serve.client(&token).ok("/v1/extend", &json!({ "call": "1" }))["expiresAt"].is_string());
    serve = restart(serve);
    assert_eq!(
        serve.client(&token).ok("/v1/after", &json!({ "call": "1", "outcome": "complete" }))["recorded"],
        true
    );
    serve = restart(serve);
    let mut client = serve.client(&token);
    assert_eq!(client.ok("/v1/after", &json!({ "call": "1", "outcome": "complete" }))["recorded"], false);
    let late = client.post("/v1/extend", &json!({ "call": "1" }));
    assert_eq!((late.status, &late.json()["error"]["code"]), (409, &json!("stale")));
    assert_eq!(before(&mut client, "b", "3", "pay")["verdict"], "pause");
    assert_eq!(home.records("complete").len(), 1);
}

#[test]
fn questions_are_answered_as_the_command_line_prints_them() {
    let home = Home::new();
    let token = home.token(&["looker", "--rights", "read"]);
    let serve = home.serve();
    let mut local = serve.local();
    before(&mut local, "a", "1", "pay");
    let mut client = serve.client(&token);
    let status = client.get("/v1/status").json();
    assert_eq!(status["locks"][0]["contextKey"], "account:alice@example.com");
    assert_eq!(client.get("/v1/leases").json()["locks"], status["locks"]);
    let journal = client.get("/v1/journal?limit=1&tier=4").json();
    assert_eq!(journal["entries"][0]["action"], "intercept");
    assert_eq!(client.get("/v1/why?key=account:alice@example.com").json()["events"][0]["what"], "started");
    assert!(client.get("/v1/sessions?windowMs=60000").json()["sessions"].is_array());
    let asked = "q=%7B%22tool%22%3A%22pay%22%2C%22params%22%3A%7B%22to%22%3A%22x%22%7D%7D";
    assert_eq!(client.get(&format!("/v1/explain?{asked}")).json()["tier"], 4);
    let wrong = client.get("/v1/journal?limit=many");
    assert_eq!((wrong.status, &wrong.json()["error"]["path"]), (400, &json!("limit")));
    // Who may ask may not act, and who may act may not release.
    assert_eq!(client.post("/v1/before", &json!({})).status, 403);
    assert_eq!(serve.client(&home.token(&["ci"])).post("/v1/release", &json!({ "key": "x" })).status, 403);
    let mut operator = serve.client(&home.token(&["ops", "--rights", "operate"]));
    let released = operator.ok("/v1/release", &json!({ "key": "account:alice@example.com" }));
    assert_eq!(released["released"].as_array().unwrap().len(), 1);
    let metrics = client.get("/metrics").text;
    assert!(metrics.contains("callosum_calls_total{tier=\"4\",verdict=\"allow\"} 1\n"), "{metrics}");
    assert!(metrics.contains("callosum_open_leases 0\n"), "{metrics}");
}
