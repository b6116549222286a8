//! Requests that are wrong, foreign, slow or huge.

use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Home;

#[test]
fn without_a_token_nothing_is_told_but_that_it_lives() {
    let home = Home::new();
    let serve = home.serve();
    let mut client = serve.stranger();
    for path in ["/v1/status", "/status", "/metrics", "/nothing/here"] {
        let refused = client.get(path);
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (401, &json!("unauthorized")),
            "{path}"
        );
        client = serve.stranger();
    }
    let alive = client.get("/healthz");
    assert_eq!(alive.status, 200);
    assert_eq!(alive.header("x-callosum-protocol"), Some("1"));
    assert!(alive.header("x-request-id").is_some());
}

#[test]
fn foreign_hosts_and_pages_are_turned_away() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    for (host, origin) in [
        ("evil.example", None),
        ("127.0.0.1", None),
        ("127.0.0.1:1", None),
        ("own", Some("https://evil.example")),
        ("own", Some("null")),
    ] {
        let mut client = serve.stranger();
        let host = if host == "own" { format!("127.0.0.1:{}", serve.port) } else { host.to_owned() };
        let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
        let request = format!(
            "GET /v1/status HTTP/1.1\r\nHost: {host}\r\n{origin}Authorization: Bearer {token}\r\n\r\n"
        );
        client.raw(request.as_bytes());
        assert_eq!(client.answer().status, 403, "{host} {origin}");
    }
    let own = format!("Origin: http://127.0.0.1:{}\r\n", serve.port);
    assert_eq!(serve.client(&token).send("GET", "/v1/status", &own, "").status, 200);
}

#[test]
fn what_is_wrong_with_a_body_is_named_by_its_field() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (path, body, field) in [
        ("/v1/before", json!({}), "tool"),
        ("/v1/before", json!({ "tool": 5 }), "tool"),
        ("/v1/before", json!({ "params": {}, "tool": "" }), "tool"),
        ("/v1/before", json!({ "params": {}, "tool": "x".repeat(301) }), "tool"),
        ("/v1/before", json!({ "tool": "mail", "params": [] }), "params"),
        ("/v1/before", json!({ "params": {}, "tool": "mail", "cwd": "here" }), "cwd"),
        ("/v1/before", json!({ "params": {}, "tool": "mail", "sesion": "s" }), "sesion"),
        ("/v1/after", json!({ "call": "1", "outcome": "fine" }), "outcome"),
        ("/v1/after", json!({ "call": "", "outcome": "failed" }), "call"),
        ("/intercept", json!({ "tool": "mail", "params": {} }), "instance"),
        ("/intercept", json!({ "instance": "", "tool": "mail" }), "instance"),
        (
            "/intercept",
            json!({ "instance": "a", "tool": "mail", "params": { "_contextKey": 5 } }),
            "params._contextKey",
        ),
        ("/intercept", json!({ "instance": "a", "tool": "mail", "cwd": "here" }), "cwd"),
        ("/lock", json!({ "instance": "a", "contextKey": "k", "session": "x".repeat(301) }), "session"),
        ("/lock", json!({ "instance": "a", "contextKey": "k", "tier": 5 }), "tier"),
        ("/lock", json!({ "instance": "a", "contextKey": " ", "tier": 3 }), "contextKey"),
    ] {
        let refused = client.post(path, &body);
        assert_eq!(refused.status, 400, "{path} {body}: {}", refused.text);
        let error = &refused.json()["error"];
        assert_eq!(error["path"], field, "{path} {body}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
        assert!(error["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()));
    }
    let head = "Content-Type: application/json\r\n";
    for (path, text, field) in [
        ("/v1/before", r#"{"tool":"a","params":{},"tool":"b"}"#, "tool"),
        ("/v1/before", r#"{"tool":"mail","params":{"to":"a","to":"b"},"session":"s"}"#, "params.to"),
        (
            "/v1/before",
            r#"{"tool":"mail","params":{"a":[{"to":1,"\u0074o":2}]},"session":"s"}"#,
            "params.a[0].to",
        ),
        (
            "/intercept",
            r#"{"instance":"a","tool":"mail","params":{"_contextKey":"a","_contextKey":"b"}}"#,
            "params._contextKey",
        ),
        (
            "/complete",
            r#"{"instance":"a","contextKey":"k","result":{"error":1,"error":null}}"#,
            "result.error",
        ),
        ("/v1/events", r#"{"topic":"a.b","data":{"n":1,"n":2},"session":"s"}"#, "data.n"),
    ] {
        let refused = client.send("POST", path, head, text);
        assert_eq!((refused.status, &refused.json()["error"]["path"]), (400, &json!(field)), "{text}");
    }
    let deep = "[".repeat(200_000);
    for text in [
        "",
        "{",
        "null",
        "[]",
        "{} {}",
        "\u{feff}{}",
        "{\"tool\":\"a\",\"tool\":\"b\"}",
        "\"\\ud800\"",
        &deep,
    ] {
        assert_eq!(
            client.send("POST", "/v1/before", head, text).status,
            400,
            "{}",
            text.chars().take(20).collect::<String>()
        );
    }
    assert_eq!(client.send("POST", "/v1/before", "", "{}").status, 415);
    assert_eq!(client.send("POST", "/v1/before", "Content-Type: text/plain\r\n", "{}").status, 415);
    let wrong = client.get("/v1/before");
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("POST")));
    assert_eq!(client.get("/v2/before").status, 404);
    assert!(home.records("intercept").is_empty());
}

#[test]
fn a_huge_body_is_read_far_enough_for_its_sender_to_hear_why() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let text = json!({ "tool": "mail", "params": { "body": "x".repeat(3 << 20) } }).to_string();
    let refused =
        serve.client(&token).send("POST", "/v1/before", "Content-Type: application/json\r\n", &text);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (413, &json!("limit")));
    let most = json!({ "tool": "note", "params": { "to": "a", "body": "x".repeat((1 << 20) - 200) } });
    assert_eq!(serve.client(&token).ok("/v1/before", &most)["verdict"], "allow");
}

#[test]
fn smuggled_and_malformed_requests_get_nothing() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let host = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n", serve.port);
    for request in [
        format!("POST /v1/before HTTP/1.1\r\n{host}Content-Length: 4\r\nContent-Length: 5\r\n\r\n{{}}  "),
        format!("GET /v1/status HTTP/1.1\r\n{host}Host: other\r\n\r\n"),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\u{0}".to_owned(),
    ] {
        let mut client = serve.stranger();
        client.raw(format!("{request}\r\n\r\n").as_bytes());
        let status = client.next_answer().map_or(400, |answer| answer.status);
        assert!((400..500).contains(&status), "{request:?}: {status}");
    }
    // Lengths that contradict each other, as two servers in a row would read them: what stands behind such a body is nobody's request.
    let json = "Content-Type: application/json\r\n";
    let note = json!({ "tool": "note", "params": { "to": "a" }, "session": "s" }).to_string();
    let length = note.len();
    let inner = format!(
        "POST /v1/before HTTP/1.1\r\n{host}{json}Connection: close\r\nContent-Length: {length}\r\n\r\n{note}"
    );
    let written = || home.records("intercept").len();
    for lengths in [
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding : chunked",
        "Content-Length: 5\r\nContent-Length: 4",
        "Content-Length: +5",
    ] {
        let mut client = serve.stranger();
        client.raw(
            format!("POST /v1/before HTTP/1.1\r\n{host}{json}{lengths}\r\n\r\n0\r\n\r\n{inner}").as_bytes(),
        );
        while let Some(answer) = client.next_answer() {
            assert!((400..500).contains(&answer.status), "{lengths:?}: {} {}", answer.status, answer.text);
        }
        assert_eq!(written(), 0, "{lengths:?}");
    }
    // By itself it is one that is done.
    let mut client = serve.stranger();
    client.raw(inner.as_bytes());
    assert_eq!((client.answer().status, written()), (200, 1));
}

#[test]
fn a_body_that_never_comes_and_one_that_never_ends_are_given_up() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let head = format!(
        "POST /v1/before HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n",
        serve.host()
    );
    let mut slow = serve.stranger();
    slow.raw(format!("{head}Content-Length: 40\r\n\r\n{{\"tool\":").as_bytes());
    let mut endless = serve.stranger();
    endless.raw(format!("{head}Content-Length: {}\r\n\r\n", 1_u64 << 40).as_bytes());
    // What is behind the most that is taken in may not be taken from us any more.
    let _ = endless.try_raw(&vec![b' '; 9 << 20]);
    let refused = endless.answer();
    assert_eq!((refused.status, refused.header("connection")), (413, Some("close")));
    assert_eq!(serve.client(&token).get("/v1/head").status, 200);
    let refused = slow.answer();
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (503, &json!("timed-out")));
    assert!(refused.header("retry-after").is_some());
    assert!(home.records("intercept").is_empty());
}

#[test]
fn those_who_only_take_up_places_give_way() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut known = serve.client(&token);
    assert_eq!(known.get("/v1/status").status, 200);
    let _idle: Vec<_> = (0..400)
        .map(|_| {
            let mut slow = serve.stranger();
            slow.raw(b"GET /v1/sta");
            slow
        })
        .collect();
    assert_eq!(known.get("/v1/status").status, 200, "who has shown a token keeps its connection");
    assert_eq!(serve.client(&token).get("/v1/status").status, 200);
}

#[test]
fn who_asks_too_often_is_told_when_to_come_again_and_others_are_not() {
    let home = Home::new();
    std::fs::write(home.path().join("serve.json"), r#"{"limits": {"requestsPerSecond": 1, "burst": 3}}"#)
        .unwrap();
    let (busy, calm) = (home.token(&["busy"]), home.token(&["calm"]));
    let serve = home.serve();
    let mut client = serve.client(&busy);
    let statuses: Vec<u16> = (0..4).map(|_| client.get("/v1/head").status).collect();
    assert_eq!(statuses, [200, 200, 200, 429]);
    let refused = client.get("/v1/head");
    assert_eq!(
        (refused.header("retry-after"), &refused.json()["error"]["code"]),
        (Some("1"), &json!("limit"))
    );
    assert_eq!(serve.client(&calm).get("/v1/head").status, 200);
    assert_eq!(serve.local().get("/v1/head").status, 200);
}

#[test]
fn what_callers_write_is_kept_short_on_one_line_and_without_secrets() {
    let home = Home::new();
    let serve = home.serve();
    let mut local = serve.local();
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let call = json!({
        "instance": "ab", "tool": "mail", "action": "send",
        "params": { "_contextKey": format!("deal\n{secret}"), "note": secret },
    });
    let answer = local.ok("/intercept", &call);
    assert!(!answer.to_string().contains(secret) && !answer["contextKey"].as_str().unwrap().contains('\n'));
    let record = home.records("intercept").remove(0);
    assert!(!record.to_string().contains(secret), "{record}");
    let hidden = json!({ "instance": "a\u{202e}b", "tool": "mail" });
    assert_eq!(local.post("/intercept", &hidden).json()["error"]["path"], "instance");
    assert_eq!(record["contextKeys"].as_array().map(Vec::len), Some(1));
    assert_ne!(record["via"], Value::Null);
}

#[test]
fn what_is_wrong_with_an_address_is_named_as_all_else_is() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    for (method, path, field) in [
        ("DELETE", "/lock/%ff?instance=a", ""),
        ("GET", "/v1/tasks/%ff", ""),
        ("GET", "/v1/journal?limit=1&limit=2", "limit"),
        ("GET", "/v1/journal?q=%7B%7D&limit=1", "limit"),
        ("GET", "/v1/events?key=a&key=b", "key"),
        ("GET", "/status?contextKey=a&contextKey=b", "contextKey"),
        // What nobody knows would be answered as if nothing had been asked for.
        ("GET", "/status?contextkey=a", "contextkey"),
        ("GET", "/v1/events?topics=call.*", "topics"),
        ("GET", "/v1/leases?key=email:a@example.com", "key"),
        ("GET", "/v1/status?q=%7B%7D", "q"),
        ("DELETE", "/lock/email:a@example.com?instances=a", "instances"),
    ] {
        let refused = serve.client(&token).send(method, path, "", "");
        assert_eq!(refused.status, 400, "{path}: {}", refused.text);
        assert_eq!(refused.json()["error"]["path"], field, "{path}");
    }
}

#[test]
fn who_tries_wrong_tokens_waits_longer_each_time_and_nobody_else_does() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let began = Instant::now();
    let mut wrong = serve.client("callosum_wrong");
    assert_eq!([(); 3].map(|()| wrong.get("/v1/head").status), [401; 3]);
    assert!(began.elapsed() >= Duration::from_millis(100 + 200 + 400), "{:?}", began.elapsed());
    // One of these waits for 5 s.
    let host = serve.host();
    let waiting = [(); 4].map(|()| {
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(stream, "GET /v1/head HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer wrong\r\n\r\n")
            .unwrap();
        stream
    });
    assert_eq!(serve.client(&token).get("/v1/head").status, 200);
    let is_waiting = |stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        stream.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    };
    assert!(waiting.iter().any(is_waiting));
}

#[test]
fn a_token_has_so_many_requests_answered_at_once() {
    let home = Home::new();
    std::fs::write(home.path().join("serve.json"), r#"{"limits": {"openCalls": 1}}"#).unwrap();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let (mut slow, mut other) = (serve.client(&token), serve.client(&token));
    let note = json!({ "tool": "note", "params": { "to": "a" } }).to_string();
    let request = format!(
        "POST /v1/before HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        serve.host(),
        slow.head,
        note.len()
    );
    slow.raw(request.as_bytes());
    // It is taken in, and its body waited for.
    assert_eq!(slow.answer().status, 100);
    let refused = other.get("/v1/head");
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (429, &json!("limit")));
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("too many requests"));
    slow.raw(note.as_bytes());
    assert_eq!(slow.answer().status, 200);
    assert_eq!(other.get("/v1/head").status, 200);
}
