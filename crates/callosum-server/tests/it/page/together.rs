//! Tasks, messages and the shared context on the page.

use serde_json::json;

use super::Home;

/// `{"matter":"…","id":"t1","accept":true}`
fn word(matter: &str) -> String {
    format!("%7B%22matter%22%3A%22{matter}%22%2C%22id%22%3A%22t1%22%2C%22accept%22%3Atrue%7D")
}

#[test]
fn the_page_is_told_that_nothing_is_switched_on() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let team = visit.ask("team", "%7B%22sessions%22%3Atrue%7D");
    assert_eq!((team.status, &team.json()["on"]), (200, &json!(false)), "{}", team.body);
    assert_eq!((&team.json()["tasks"], &team.json()["events"]), (&json!([]), &json!(null)), "{}", team.body);
    let context = visit.ask("context", "%7B%7D");
    assert_eq!((context.status, &context.json()["on"]), (200, &json!(false)), "{}", context.body);
    for request in ["%7B", "%7B%22secrets%22%3Atrue%7D"] {
        let wrong = visit.ask("team", request);
        assert_eq!(
            (wrong.status, &wrong.json()["error"]["code"]),
            (400, &json!("bad-request")),
            "{}",
            wrong.body
        );
    }
    for path in ["/api/team", "/api/context"] {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
}

#[test]
fn a_persons_word_comes_from_the_page_alone() {
    let home = Home::new();
    let server = home.start();
    let visit = server.open();
    let own = visit.own_origin();
    for origin in [None, Some("http://evil.example"), Some("null")] {
        assert_eq!(visit.post("decide", origin, &word("task")).status, 403, "{origin:?}");
    }
    // Both are off: that is said, with what to do.
    for (matter, code) in [("task", "policy"), ("proposal", "cannot-write"), ("file", "cannot-write")] {
        let reply = visit.post("decide", Some(&own), &word(matter));
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (409, &json!(code)), "{}", reply.body);
        assert!(reply.body.contains("callosum "), "{}", reply.body);
    }
    for request in ["", "%7B%7D", &word("lease")] {
        assert_eq!(visit.post("decide", Some(&own), request).status, 400, "{request}");
    }
}
