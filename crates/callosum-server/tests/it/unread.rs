//! A sender that sends all of its request before it reads anything, as many libraries do, hears why it is refused, and its connection
//! can be used again.

use std::time::Duration;

use crate::support::{Client, Home};

/// Between a request's head and its body: long enough for an answer that does not wait for the body to be written.
const BETWEEN: Duration = Duration::from_millis(30);

/// What is refused before its body is read.
struct Refused {
    status: u16,
    method: &'static str,
    path: &'static str,
    /// Header lines.
    head: &'static str,
}

const JSON: &str = "Content-Type: application/json\r\n";

const REFUSED: [Refused; 8] = [
    Refused { status: 400, method: "DELETE", path: "/lock/%ff", head: JSON },
    Refused {
        status: 400,
        method: "POST",
        path: "/v1/after",
        head: "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
    },
    Refused { status: 403, method: "POST", path: "/v1/release", head: JSON },
    Refused {
        status: 403,
        method: "POST",
        path: "/v1/after",
        head: "Content-Type: application/json\r\nOrigin: https://evil.example\r\n",
    },
    Refused { status: 404, method: "POST", path: "/nothing", head: JSON },
    Refused { status: 405, method: "POST", path: "/v1/head", head: JSON },
    Refused { status: 415, method: "POST", path: "/v1/after", head: "Content-Type: text/plain\r\n" },
    Refused {
        status: 415,
        method: "POST",
        path: "/v1/after",
        head: "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
    },
];

/// Sends a request's head and, a little later, its body of `size` bytes; asks something else on the same connection then.
fn send(client: &mut Client, host: &str, refused: &Refused, size: usize) {
    let Refused { status, method, path, head } = refused;
    let case = format!("{status} {method} {path} {size}");
    let own = client.head.clone();
    client.raw(
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{own}{head}Content-Length: {size}\r\n\r\n")
            .as_bytes(),
    );
    std::thread::sleep(BETWEEN);
    client.raw(&vec![b' '; size]);
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("connection")), (*status, None), "{case}: {}", answer.text);
    assert!(answer.json()["error"]["code"].is_string(), "{case}");
    assert_eq!(client.get("/healthz").status, 200, "{case}");
}

#[test]
fn who_is_refused_before_its_body_is_read_hears_why_and_keeps_its_connection() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    for size in [200, 900_000] {
        for refused in &REFUSED {
            send(&mut serve.client(&token), &serve.host(), refused, size);
        }
        let unknown = Refused { status: 401, method: "POST", path: "/v1/after", head: JSON };
        send(&mut serve.client("callosum_wrong"), &serve.host(), &unknown, size);
    }
}

#[test]
fn who_asks_too_often_with_a_body_keeps_its_connection() {
    let home = Home::new();
    std::fs::write(home.path().join("serve.json"), r#"{"limits": {"requestsPerSecond": 1, "burst": 1}}"#)
        .unwrap();
    let token = home.token(&["busy"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    assert_eq!(client.get("/v1/head").status, 200);
    for size in [200, 900_000] {
        let refused = Refused { status: 429, method: "POST", path: "/v1/after", head: JSON };
        send(&mut client, &serve.host(), &refused, size);
    }
}

#[test]
fn of_a_body_that_nobody_wants_no_more_is_taken_in_than_its_sender_means_to_send() {
    let home = Home::new();
    let serve = home.serve();
    // It asks first: the answer comes at once, and asks for nothing.
    let mut polite = serve.stranger();
    let head = format!("POST /v1/after HTTP/1.1\r\nHost: {}\r\n{JSON}", serve.host());
    polite.raw(format!("{head}Content-Length: 200\r\nExpect: 100-continue\r\n\r\n").as_bytes());
    let refused = polite.answer();
    assert_eq!((refused.status, refused.header("connection")), (401, Some("close")));
    assert!(polite.next_answer().is_none());
    // It never sends what it announced, and is not waited for until the end of time.
    let mut silent = serve.stranger();
    silent.raw(format!("{head}Content-Length: 200\r\n\r\n").as_bytes());
    let refused = silent.answer();
    assert_eq!((refused.status, refused.header("connection")), (401, Some("close")));
}
