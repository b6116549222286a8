//! Tasks, messages and events over HTTP: who asks is the token and the session that it names.

use serde_json::{Value, json};

use crate::support::{Client, Home};

/// Asks, and returns the status and the answer.
fn ask(client: &mut Client, path: &str, body: Value) -> (u16, Value) {
    let answer = client.post(path, &body);
    (answer.status, answer.json())
}

fn refused(client: &mut Client, path: &str, body: Value) -> (u16, String) {
    let (status, answer) = ask(client, path, body);
    (status, answer["error"]["code"].as_str().unwrap_or_else(|| panic!("{path}: {answer}")).to_owned())
}

fn of(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn a_task_goes_from_a_person_to_a_session_of_a_token() {
    let home = Home::new();
    let (ops, ci, web) =
        (home.token(&["ops", "--rights", "operate"]), home.token(&["ci"]), home.token(&["web"]));
    let read = home.token(&["looker", "--rights", "read"]);
    let serve = home.serve();
    let (mut ops, mut ci, mut web) = (serve.client(&ops), serve.client(&ci), serve.client(&web));
    let add = |id: &str| json!({ "title": "look", "prompt": "at it", "id": id, "session": "w1" });
    assert_eq!(refused(&mut ci, "/v1/tasks", add("early")), of(409, "policy"));
    let made = ops.ok("/v1/tasks", &json!({ "title": "look", "id": "one" }));
    assert_eq!((&made["task"]["accepted"], &made["task"]["by"]["via"]), (&json!(true), &json!("operator")));
    let made = ci.ok("/v1/tasks", &add("two"));
    let by = json!({ "machine": null, "instance": "http/ci", "runtime": "http", "agent": "", "session": "w1", "via": "token" });
    assert_eq!((&made["task"]["accepted"], &made["task"]["by"]), (&json!(false), &by));
    // Only what a person made or accepted is there for whoever looks for work.
    let next = json!({ "next": true, "session": "w2" });
    assert_eq!(web.ok("/v1/tasks/claim", &next)["task"]["id"], "one");
    assert_eq!(web.ok("/v1/tasks/claim", &next), json!({ "task": null }));
    assert_eq!(refused(&mut ci, "/v1/tasks/two/accept", json!({ "session": "w1" })), of(403, "forbidden"));
    assert_eq!(ops.ok("/v1/tasks/two/accept", &json!({}))["task"]["accepted"], true);
    let claim = json!({ "id": "one", "session": "w1" });
    assert_eq!(refused(&mut ci, "/v1/tasks/claim", claim), of(409, "claimed"));
    let done =
        |generation: u64, session: &str| json!({ "gen": generation, "session": session, "result": "seen" });
    assert_eq!(refused(&mut web, "/v1/tasks/one/done", done(0, "w2")), of(409, "stale"));
    assert_eq!(refused(&mut web, "/v1/tasks/one/done", done(1, "w3")), of(403, "not-yours"));
    // Another token's session of the same name is another one.
    assert_eq!(refused(&mut ci, "/v1/tasks/one/done", done(1, "w2")), of(403, "not-yours"));
    assert_eq!(
        web.ok("/v1/tasks/one/beat", &json!({ "gen": 1, "session": "w2" }))["task"]["state"],
        "claimed"
    );
    assert_eq!(web.ok("/v1/tasks/one/done", &done(1, "w2"))["task"]["state"], "completed");
    let mut looker = serve.client(&read);
    let listed = looker.get("/v1/tasks?state=open&limit=1000").json();
    assert_eq!((&listed["tasks"][0]["id"], &listed["tasks"][1]), (&json!("two"), &Value::Null));
    assert_eq!(looker.get("/v1/tasks/one").json()["task"]["result"], "seen");
    assert_eq!(looker.get("/v1/tasks/none").status, 409);
    assert_eq!(looker.get("/v1/tasks?limit=1001").status, 400);
    assert_eq!(refused(&mut looker, "/v1/tasks", add("three")), of(403, "forbidden"));
    assert_eq!(refused(&mut looker, "/v1/events", json!({ "topic": "a.b" })), of(403, "forbidden"));
    assert_eq!(looker.get("/v1/messages?session=w1").status, 403);
    for record in home.records("task") {
        let via = record["via"].as_str().unwrap();
        assert!(["token:ops", "token:ci", "token:web"].contains(&via), "{record}");
    }
}

#[test]
fn who_asks_is_nobody_else() {
    let home = Home::new();
    let (ops, ci) = (home.token(&["ops", "--rights", "operate"]), home.token(&["ci", "--instance", "a"]));
    let serve = home.serve();
    let (mut ops, mut ci) = (serve.client(&ops), serve.client(&ci));
    for (id, to) in [("codex", "codex"), ("role", "REVIEWER")] {
        ops.ok("/v1/tasks", &json!({ "title": "look", "id": id, "to": to }));
    }
    // A name that it chose makes a session neither a runtime nor one that has a role.
    for (id, session) in [("codex", "codex"), ("role", "REVIEWER"), ("codex", "home/codex")] {
        let claim = json!({ "id": id, "session": session, "agent": session });
        assert_eq!(refused(&mut ci, "/v1/tasks/claim", claim), of(403, "not-yours"), "{session}");
    }
    assert_eq!(ci.ok("/v1/tasks/claim", &json!({ "next": true, "session": "codex" }))["task"], Value::Null);
    let claim = |instance: &str| json!({ "id": "codex", "session": "s", "instance": instance });
    assert_eq!(refused(&mut ci, "/v1/tasks/claim", claim("b")), of(403, "not-yours"));
    assert_eq!(refused(&mut ci, "/v1/tasks/claim", claim("../home")), of(400, "bad-request"));
    let unknown = json!({ "id": "codex", "session": "s", "runtime": "codex" });
    assert_eq!(refused(&mut ci, "/v1/tasks/claim", unknown), of(400, "bad-request"));
    assert_eq!(refused(&mut ci, "/v1/tasks/claim", json!({ "id": "codex" })), of(400, "unidentified"));
    assert_eq!(ci.get("/v1/messages").status, 400);
    let slip = json!({ "id": "other", "session": "s" });
    assert_eq!(refused(&mut ci, "/v1/tasks/codex/done", slip), of(400, "bad-request"));
}

#[test]
fn a_field_that_is_wrong_is_named_in_words_of_json() {
    let home = Home::new();
    let token = home.token(&["ops", "--rights", "operate"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (path, body, field) in [
        ("/v1/tasks", json!({}), "title"),
        ("/v1/tasks", json!({ "title": 5 }), "title"),
        ("/v1/tasks", json!({ "title": " \n" }), "title"),
        ("/v1/tasks", json!({ "title": "t", "id": "a b" }), "id"),
        ("/v1/tasks", json!({ "title": "t", "priority": -1 }), "priority"),
        ("/v1/tasks", json!({ "title": "t", "files": "a" }), "files"),
        ("/v1/tasks", json!({ "title": "t", "files": [""] }), "files"),
        ("/v1/tasks/one/done", json!({ "gen": "x" }), "gen"),
        ("/v1/tasks/one/handoff", json!({}), "to"),
        ("/v1/events", json!({}), "topic"),
        ("/v1/events", json!({ "topic": "" }), "topic"),
        ("/v1/events", json!({ "topic": "One" }), "topic"),
        ("/v1/events", json!({ "type": "One" }), "type"),
        ("/v1/events", json!({ "topic": "a.b", "data": [] }), "data"),
        ("/v1/messages/shown", json!({}), "ids"),
        ("/v1/messages", json!({ "to": "x", "body": "b", "intent": "nope" }), "intent"),
        ("/v1/messages", json!({ "to": "x", "body": "b", "intent": { "inform": null } }), "intent"),
        ("/v1/after", json!({ "call": "1", "outcome": 5 }), "outcome"),
        ("/v1/after", json!({ "call": "1", "outcome": { "complete": null } }), "outcome"),
    ] {
        let (status, answer) = ask(&mut client, path, body.clone());
        let error = &answer["error"];
        assert_eq!((status, &error["path"]), (400, &json!(field)), "{path} {body}: {answer}");
        let said = error["message"].as_str().unwrap();
        let is_of_rust =
            |word: &str| ["u32", "u64", "sequence", "map", "struct", "unit", "string"].contains(&word);
        assert!(!said.split(' ').any(is_of_rust), "{said}");
    }
    for path in ["/v1/tasks?state=nope", "/v1/events?topic=nope", "/v1/events?topic="] {
        let answer = client.get(path);
        let named = if path.contains("state") { "state" } else { "topic" };
        assert_eq!((answer.status, &answer.json()["error"]["path"]), (400, &json!(named)), "{path}");
    }
    // What is over was there.
    client.ok("/v1/tasks", &json!({ "title": "t", "id": "one" }));
    client.ok("/v1/tasks", &json!({ "title": "t", "id": "one-more" }));
    client.ok("/v1/tasks/claim", &json!({ "id": "one-more", "session": "s" }));
    client.ok("/v1/tasks/claim", &json!({ "id": "one", "session": "s" }));
    client.ok("/v1/tasks/one/done", &json!({ "gen": 1, "session": "s" }));
    for verb in ["done", "beat", "fail"] {
        let again = json!({ "gen": 1, "session": "s" });
        let (status, answer) = ask(&mut client, &format!("/v1/tasks/one/{verb}"), again);
        let said = answer["error"]["message"].as_str().unwrap();
        assert_eq!((status, said), (409, "task one is completed"), "{verb}");
    }
    let claim = json!({ "id": "one", "session": "s" });
    assert_eq!(refused(&mut client, "/v1/tasks/claim", claim), of(409, "stale"));
    // It could be said, but is too much.
    for (path, body, field) in [
        ("/v1/tasks", json!({ "title": "t".repeat(10_000) }), "title"),
        ("/v1/tasks", json!({ "title": "t", "deps": vec!["x"; 1_000] }), "deps"),
        ("/v1/events", json!({ "topic": "a.b", "data": { "x": "y".repeat(100_000) } }), "data"),
    ] {
        let (status, answer) = ask(&mut client, path, body);
        assert_eq!((status, &answer["error"]["path"]), (429, &json!(field)), "{answer}");
    }
}

#[test]
fn a_message_is_read_by_whom_it_is_for_and_the_eleventh_in_a_minute_is_refused() {
    let home = Home::new();
    let (ops, a, b) = (home.token(&["ops", "--rights", "operate"]), home.token(&["a"]), home.token(&["b"]));
    let serve = home.serve();
    let (mut ops, mut a, mut b) = (serve.client(&ops), serve.client(&a), serve.client(&b));
    ops.ok("/v1/tasks", &json!({ "title": "it is on" }));
    for number in 0..4 {
        let event = json!({ "topic": "test.here", "data": { "n": number }, "session": format!("s{number}") });
        assert_eq!(b.ok("/v1/events", &event)["dropped"], Value::Null);
    }
    let message = |number: usize| json!({ "to": format!("http/b/s{}", number % 4), "intent": "inform", "body": format!("text {number}"), "session": "w" });
    for number in 0..10 {
        let sent = a.ok("/v1/messages", &message(number));
        assert_eq!(
            (&sent["message"]["dropped"], &sent["delivery"][0]["how"]),
            (&Value::Null, &json!("none"))
        );
    }
    assert_eq!(refused(&mut a, "/v1/messages", message(10)), of(429, "limit"));
    let inbox = b.get("/v1/messages?session=s0").json();
    assert_eq!((&inbox["unread"], &inbox["messages"][2]["body"]), (&json!(3), &json!("text 0")));
    assert_eq!(inbox["messages"][2]["from"]["session"], "w");
    let id = inbox["messages"][2]["id"].as_str().unwrap();
    // Another token reads nothing of it by the same name, and says nothing of it either.
    assert_eq!(a.get("/v1/messages?session=s0").json()["messages"], json!([]));
    let shown = json!({ "ids": [id], "session": "s0" });
    assert_eq!(a.ok("/v1/messages/shown", &shown), json!({ "shown": 0 }));
    assert_eq!(b.ok("/v1/messages/shown", &shown), json!({ "shown": 1 }));
    let ack = json!({ "intent": "ack", "replyTo": id, "session": "s0" });
    assert_eq!(refused(&mut a, "/v1/messages", ack.clone()), of(403, "not-yours"));
    b.ok("/v1/messages", &ack);
    let inbox = b.get("/v1/messages?session=s0&limit=1000").json();
    assert_eq!((&inbox["unread"], &inbox["messages"][2]["state"]), (&json!(2), &json!("acknowledged")));
    let unknown = json!({ "to": "nobody", "body": "x", "session": "w" });
    assert_eq!(refused(&mut b, "/v1/messages", unknown), of(409, "unknown"));
}

#[test]
fn an_event_of_calc_is_told_as_its_sender_s_and_what_that_claimed_as_a_claim() {
    let home = Home::new();
    let (ops, ci) = (home.token(&["ops", "--rights", "operate"]), home.token(&["ci"]));
    let serve = home.serve();
    let (mut ops, mut ci) = (serve.client(&ops), serve.client(&ci));
    ops.ok("/v1/tasks", &json!({ "title": "it is on" }));
    let event = json!({
        "type": "agent.discovery", "event": "agent.discovery", "source": "claude-code", "machine": "mac1",
        "timestamp": "2026-01-31T09:00:00Z", "ts": 1_769_850_000.5, "session_id": "s1",
        "pane_id": "/dev/ttys003", "cwd": "/tmp", "payload": { "content": "it breaks" },
    });
    let told = ci.ok("/v1/events", &event);
    let from = &told["event"]["from"];
    assert_eq!((&from["instance"], &from["session"]), (&json!("http/ci"), &json!("s1")));
    assert_eq!(told["event"]["data"]["claimed"]["source"], "claude-code");
    let record = &home.records("event")[0];
    assert_eq!((&record["runtime"], &record["via"]), (&json!("http"), &json!("token:ci")));
    assert_eq!(refused(&mut ci, "/v1/events", json!({ "topic": "task.completed" })), of(409, "policy"));
    assert_eq!(refused(&mut ci, "/v1/events", json!({ "data": {} })), of(400, "bad-request"));
}

#[test]
fn of_many_that_claim_at_once_exactly_one_gets_each_task() {
    let home = Home::new();
    let (ops, ci) = (home.token(&["ops", "--rights", "operate"]), home.token(&["ci"]));
    let serve = home.serve();
    let mut ops = serve.client(&ops);
    for number in 0..20 {
        ops.ok("/v1/tasks", &json!({ "title": "look", "id": format!("t{number}") }));
    }
    let mut claimed: Vec<String> = std::thread::scope(|scope| {
        let worker = |number: usize| {
            let mut client = serve.client(&ci);
            let request = json!({ "next": true, "session": format!("w{number}") });
            move || {
                let mut own = Vec::new();
                loop {
                    let task = client.ok("/v1/tasks/claim", &request);
                    let Some(id) = task["task"]["id"].as_str() else { return own };
                    own.push(id.to_owned());
                }
            }
        };
        let workers: Vec<_> = (0..4).map(|number| scope.spawn(worker(number))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    claimed.sort();
    let mut all: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    all.sort();
    assert_eq!(claimed, all);
}
