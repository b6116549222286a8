//! The gate over HTTP.

use std::fs;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Between, Client, Home, let_it_be_read};

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
fn a_paused_call_that_is_asked_about_again_acts_on_the_same() {
    let home = Home::new();
    let folder = home.path().join("app");
    fs::create_dir_all(folder.join(".git")).unwrap();
    let serve = home.serve();
    let mut client = serve.local();
    let push = |session: &str, call: &str| json!({ "tool": "exec", "params": { "command": "git push origin main" }, "cwd": folder, "session": session, "call": call });
    let first = client.ok("/v1/before", &push("a", "1"));
    assert_eq!((&first["verdict"], first["contextKeys"].as_array().unwrap().len()), (&json!("allow"), 1));
    for _ in 0..2 {
        let paused = client.ok("/v1/before", &push("b", "2"));
        assert_eq!((&paused["verdict"], &paused["contextKeys"]), (&json!("pause"), &first["contextKeys"]));
    }
}

#[test]
fn amounts_that_are_too_large_to_be_told_apart_are_not_called_identical() {
    let home = Home::new();
    let serve = home.serve();
    let mut client = serve.local();
    let head = "Content-Type: application/json\r\n";
    for (to, amounts, is_identical) in [
        ("a", ["5", "5"], true),
        ("b", ["123456789012345678901234567890", "123456789012345678901234567891"], false),
    ] {
        let [_, blocked] = amounts.map(|amount| {
            let text = format!(
                r#"{{"tool":"pay","params":{{"to":"{to}","amount":{amount}}},"session":"{to}{}"}}"#,
                home.records("intercept").len()
            );
            client.send("POST", "/v1/before", head, &text).json()
        });
        assert_eq!(blocked["evidence"][0]["identical"] == true, is_identical, "{blocked}");
    }
}

#[test]
fn a_tool_that_no_rule_is_for_is_told_from_one_whose_call_only_reads() {
    let home = Home::new();
    let serve = home.serve();
    let mut client = serve.local();
    for (tool, params, is_covered) in [
        ("pay", json!({ "to": "a" }), true),
        ("exec", json!({ "command": "ls" }), true),
        ("exec", json!({ "command": "some-program" }), true),
        ("pey", json!({ "to": "a" }), false),
        ("p\u{430}y", json!({ "to": "a" }), false),
    ] {
        let told = client.ok("/v1/before", &json!({ "tool": tool, "params": params, "session": "s" }));
        assert_eq!(
            (&told["verdict"], &told["covered"]),
            (&json!("allow"), &json!(is_covered)),
            "{tool}: {told}"
        );
    }
}

#[test]
fn an_id_that_calls_of_two_sessions_have_ends_none_of_them_without_its_session() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let refund = |client: &mut Client, session: &str, call: &str, payment: &str| {
        let params = json!({ "payment": payment });
        let call = json!({ "tool": "create_refund", "params": params, "session": session, "call": call });
        client.ok("/v1/before", &call)["verdict"].clone()
    };
    assert_eq!(refund(&mut client, "a", "1", "pay_1"), "allow");
    assert_eq!(refund(&mut client, "b", "1", "pay_2"), "allow");
    for (path, body) in
        [("/v1/after", json!({ "call": "1", "outcome": "failed" })), ("/v1/extend", json!({ "call": "1" }))]
    {
        let answer = client.post(path, &body);
        assert_eq!(answer.status, 400, "{path}");
        assert!(answer.text.contains("calls of several sessions have this id"), "{}", answer.text);
    }
    assert_eq!(refund(&mut client, "c", "9", "pay_1"), "block", "the other's end is not this one's");
    let end = |session: &str| json!({ "call": "1", "session": session, "outcome": "complete" });
    assert_eq!(client.ok("/v1/after", &end("b"))["recorded"], true);
    // Only one is left.
    assert_eq!(client.ok("/v1/after", &json!({ "call": "1", "outcome": "complete" }))["recorded"], true);
    // Both are paused, under one id again.
    assert_eq!(refund(&mut client, "d", "2", "pay_1"), "pause");
    assert_eq!(refund(&mut client, "e", "2", "pay_1"), "pause");
    assert_eq!(client.post("/v1/delivered", &json!({ "call": "2" })).status, 400);
    assert_eq!(client.ok("/v1/delivered", &json!({ "call": "2", "session": "d" }))["read"], 1);
}

#[test]
fn a_call_that_is_asked_about_again_gets_the_same_answer_and_a_header_says_how_it_stands() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    let mut ask = |call: &str, tool: &str, told: Option<&str>| {
        if let Some(outcome) = told {
            client.ok("/v1/after", &json!({ "call": call, "session": "a", "outcome": outcome }));
        }
        let params = json!({ "to": format!("{call}@example.com") });
        let body = json!({ "tool": tool, "params": params, "session": "a", "call": call });
        let answer = client.post("/v1/before", &body);
        (answer.header("x-callosum-earlier").map(str::to_owned), answer.json())
    };
    let (first, again) = (ask("1", "mail", None), ask("1", "mail", None));
    assert_eq!((&first.0, again.0.as_deref(), &first.1), (&None, Some("running"), &again.1));
    assert!(first.1["expiresAt"].is_string());
    // What has ended holds nothing.
    let ended = ask("1", "mail", Some("complete"));
    assert_eq!((ended.0.as_deref(), &ended.1["verdict"]), (Some("complete"), &json!("allow")));
    assert!(ended.1["expiresAt"].is_null());
    assert_eq!(ask("2", "note", None).0, None);
    assert_eq!(ask("2", "note", Some("unknown")).0.as_deref(), Some("unknown"));
    ask("3", "mail", None);
    assert_eq!(ask("3", "mail", Some("failed")).0, None, "it is a new call");
}

#[test]
fn what_a_call_does_has_to_be_told() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (body, said) in [
        (json!({ "tool": "create_refund", "session": "a" }), "\"path\":\"params\""),
        (
            json!(["create_refund", { "payment": "pay_1" }, "a", null, "1", null, null, null]),
            "expected an object",
        ),
    ] {
        let answer = client.post("/v1/before", &body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.text.contains(said), "{}", answer.text);
    }
    assert!(home.records("intercept").is_empty());
}

#[test]
fn a_blank_name_is_none() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (path, body) in [
        ("/v1/before", json!({ "tool": "exec", "params": {}, "session": " " })),
        ("/v1/before", json!({ "tool": "exec", "params": {}, "session": "" })),
        ("/v1/after", json!({ "call": "1", "outcome": "complete", "session": "" })),
        ("/v1/extend", json!({ "call": "1", "session": "\t" })),
        ("/v1/delivered", json!({ "call": "1", "session": " " })),
    ] {
        let refused = client.post(path, &body);
        assert_eq!(
            (refused.status, &refused.json()["error"]["path"]),
            (400, &json!("session")),
            "{path} {body}"
        );
    }
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
fn whatever_becomes_of_a_service_nothing_is_lost_nothing_doubled_and_its_callers_do_not_look_dead() {
    for between in Between::ALL {
        let home = Home::new();
        let token = home.token(&["ci"]);
        let mut serve = Some(home.serve());
        let mut next = || {
            let next = between.happens(&home, serve.take().unwrap());
            serve.insert(next).client(&token)
        };
        assert_eq!(before(&mut next(), "a", "1", "pay")["verdict"], "allow", "{between:?}");
        assert_eq!(before(&mut next(), "a", "1", "pay")["verdict"], "allow", "{between:?}");
        assert_eq!(home.records("intercept").len(), 1, "{between:?}");
        // Its process may be gone, and it holds what it held.
        let blocked = before(&mut next(), "b", "2", "pay");
        assert_eq!(blocked["verdict"], "block", "{between:?}");
        // When the lease of what blocks it ends.
        assert_eq!(blocked["expiresAt"], blocked["evidence"][0]["expiresAt"], "{between:?}");
        assert!(next().ok("/v1/extend", &json!({ "call": "1" }))["expiresAt"].is_string(), "{between:?}");
        let end = json!({ "call": "1", "outcome": "complete" });
        assert_eq!(next().ok("/v1/after", &end)["recorded"], true, "{between:?}");
        assert_eq!(next().ok("/v1/after", &end)["recorded"], false, "{between:?}");
        let late = next().post("/v1/extend", &json!({ "call": "1" }));
        assert_eq!((late.status, &late.json()["error"]["code"]), (409, &json!("stale")), "{between:?}");
        assert_eq!(before(&mut next(), "b", "3", "pay")["verdict"], "pause", "{between:?}");
        assert_eq!(next().ok("/v1/delivered", &json!({ "call": "3" }))["read"], 1, "{between:?}");
        assert_eq!(before(&mut next(), "b", "4", "pay")["verdict"], "allow", "{between:?}");
        for (action, lines) in [("intercept", 2), ("complete", 1), ("unknown", 0)] {
            assert_eq!(home.records(action).len(), lines, "{between:?} {action}");
        }
    }
}

#[test]
fn of_many_at_once_one_is_allowed_and_who_was_paused_goes_through_once_that_is_read() {
    const MANY: usize = 4;
    const RACES: usize = 1_000;
    let home = Home::new();
    home.without_limits();
    let tokens: Vec<String> = (0..MANY).map(|who| home.token(&[&format!("agent-{who}")])).collect();
    let serve = home.serve();
    for (tool, stopped, again) in [("pay", "block", "block"), ("mail", "pause", "allow")] {
        let counters = || -> Vec<AtomicUsize> { (0..RACES).map(|_| AtomicUsize::new(0)).collect() };
        let (allowed, stops, retried) = (counters(), counters(), counters());
        let start = Barrier::new(MANY);
        thread::scope(|scope| {
            for (who, token) in tokens.iter().enumerate() {
                let mut client = serve.client(token);
                let (allowed, stops, retried, start) = (&allowed, &stops, &retried, &start);
                scope.spawn(move || {
                    for race in 0..RACES {
                        let mut ask = |path: &str, turn: &str, body: Value| {
                            let mut body = body;
                            body["call"] = format!("{tool}-{race}-{who}-{turn}").into();
                            client.post(path, &body).json()
                        };
                        let call = || {
                            let to = format!("{race}@example.com");
                            json!({ "tool": tool, "params": { "to": to }, "session": format!("s{who}") })
                        };
                        start.wait();
                        let verdict = ask("/v1/before", "1", call());
                        allowed[race]
                            .fetch_add(usize::from(verdict["verdict"] == "allow"), Ordering::Relaxed);
                        if verdict["verdict"] != stopped || stops[race].fetch_add(1, Ordering::Relaxed) > 0 {
                            continue;
                        }
                        // The first that was stopped has read why, while others still ask.
                        let read = ask("/v1/delivered", "1", json!({}))["read"] == 1;
                        let verdict = ask("/v1/before", "2", call());
                        let went = read == (stopped == "pause") && verdict["verdict"] == again;
                        retried[race].fetch_add(usize::from(went), Ordering::Relaxed);
                    }
                });
            }
        });
        for (race, ((allowed, stops), retried)) in allowed.iter().zip(&stops).zip(&retried).enumerate() {
            let found = [allowed, stops, retried].map(|count| count.load(Ordering::Relaxed));
            assert_eq!(found, [1, MANY - 1, 1], "{tool} {race}");
        }
    }
}

#[test]
fn who_asks_is_no_agent_whatever_it_calls_itself() {
    let home = Home::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let tree = elsewhere.path().canonicalize().unwrap().join("shared-context");
    fs::create_dir(&tree).unwrap();
    let folders = json!({ "folders": [{ "path": tree, "mode": "enforce" }] });
    fs::write(home.path().join("context.json"), folders.to_string()).unwrap();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (runtime, agent, own) in [
        ("openclaw", "main", "main"),
        ("codex", "main", "codex"),
        ("main", "main", "main"),
        ("http", "main", "main"),
    ] {
        for (owner, is_its) in [(own, false), ("http", true)] {
            let path = tree.join(format!("agent-outputs/{owner}/x.md"));
            let params = json!({ "path": path, "content": "x" });
            let mut call = json!({ "tool": "write", "params": params, "session": "s", "runtime": runtime, "agent": agent });
            let told = client.ok("/v1/before", &call);
            let (verdict, rule) = if is_its { ("allow", "write") } else { ("refuse", "context.not-yours") };
            assert_eq!(
                (&told["verdict"], &told["ruleName"]),
                (&json!(verdict), &json!(rule)),
                "{runtime} {owner}"
            );
            call["instance"] = "doug".into();
            call["action"] = "write".into();
            let told = client.ok("/intercept", &call);
            assert_eq!(told["proceed"], is_its, "{runtime} {owner}");
            assert_eq!(
                told["warning"].as_str().is_some_and(|text| text.contains(rule)),
                !is_its,
                "{runtime}"
            );
        }
    }
    // Others are told what it calls itself, and that it asks here.
    let mut mail =
        json!({ "tool": "mail", "params": { "to": "a@example.com" }, "session": "a", "runtime": "codex" });
    assert_eq!(client.ok("/v1/before", &mail)["verdict"], "allow");
    mail["session"] = "b".into();
    let paused = client.ok("/v1/before", &mail);
    assert!(paused["text"].as_str().unwrap().contains("(http/codex session a)"), "{paused}");
    let names = ["intercept", "denied", "blocked"].into_iter().flat_map(|action| home.records(action));
    let names: Vec<String> = names.map(|record| record["runtime"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 18, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("http/")), "{names:?}");
    // A rule for a runtime is for none of them.
    let told = json!({ "tool": "PushNotification", "params": {}, "session": "s", "runtime": "claude-code" });
    assert_ne!(client.ok("/v1/before", &told)["ruleName"], "session-own");
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
    // In whatever spelling it is named.
    let lock = json!({ "instance": "doug", "contextKey": "channel:#general" });
    assert_eq!(local.ok("/lock", &lock)["acquired"], true);
    for key in ["channel:%23general", "channel:general"] {
        let story = client.get(&format!("/v1/why?key={key}")).json();
        assert_eq!(story["events"][0]["what"], "leased", "{key}");
    }
    let released = operator.ok("/v1/release", &json!({ "key": "channel:#general" }));
    assert_eq!(released["released"][0]["contextKey"], "channel:general");
    assert_eq!(client.get("/v1/why?key=channel:nobody").json()["events"], json!([]));
    let metrics = client.get("/metrics").text;
    assert!(metrics.contains("callosum_calls_total{tier=\"4\",verdict=\"allow\"} 1\n"), "{metrics}");
    assert!(metrics.contains("callosum_flush_seconds_count 1\n"), "{metrics}");
    assert!(metrics.contains("callosum_open_leases 0\n"), "{metrics}");
}
