//! The protocol of five endpoints, as a client that knows nothing else sees it.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use callosum_testing::wait::until;
use serde_json::{Value, json};

use crate::support::{Between, Client, Home};

fn intercept(client: &mut Client, instance: &str, tool: &str, params: Value) -> Value {
    client
        .ok("/intercept", &json!({ "instance": instance, "tool": tool, "action": "send", "params": params }))
}

fn complete(client: &mut Client, instance: &str, key: &Value, result: Value) {
    let done = client.ok("/complete", &json!({ "instance": instance, "contextKey": key, "result": result }));
    assert_eq!(done, json!({ "ok": true }));
}

#[test]
fn two_instances_on_two_connections_see_each_other_and_not_themselves() {
    let home = Home::new();
    let secret = home.token(&["shared"]);
    let serve = home.serve();
    let (mut doug, mut mira) = (serve.client(&secret), serve.client(&secret));
    let alice = || json!({ "to": "alice@example.com" });

    let first = intercept(&mut doug, "doug", "mail", alice());
    assert_eq!(first["proceed"], true);
    assert_eq!((&first["tier"], &first["contextKey"]), (&json!(3), &json!("email:alice@example.com")));
    assert_eq!((first.get("conflicts"), first.get("warning")), (None, None));
    // A whole instance speaks for itself: what it does twice is no conflict.
    assert_eq!(intercept(&mut doug, "doug", "mail", alice()).get("conflicts"), None);

    let warned = intercept(&mut mira, "mira", "mail", alice());
    assert_eq!(warned["proceed"], true, "tier 3 is warned, never stopped");
    assert_eq!(warned["conflicts"].as_array().unwrap().len(), 2);
    assert_eq!(warned["conflicts"][0]["instance"], "doug");
    assert!(warned["warning"].as_str().unwrap().contains("email:alice@example.com"));

    complete(&mut doug, "doug", &first["contextKey"], json!({ "sent": true }));
    complete(&mut doug, "doug", &first["contextKey"], json!({ "error": "timed out" }));
    let status = mira.get("/status?contextKey=email:alice@example.com").json();
    assert_eq!(status["locks"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(status["locks"][0]["instance"], "mira");
    let states: Vec<&Value> =
        status["recentActions"].as_array().unwrap().iter().map(|action| &action["state"]).collect();
    // An error proves nothing.
    assert_eq!(states, ["running", "unknown", "complete"]);
    let others = mira.get("/status?contextKey=email:bob@example.com").json();
    assert_eq!(others, json!({ "locks": [], "recentActions": [] }));
}

#[test]
fn tier_4_is_refused_on_any_conflict_lease_or_recent_action_and_ones_own_are_none() {
    let home = Home::new();
    let (doug, mira) = (home.token(&["doug"]), home.token(&["mira"]));
    let serve = home.serve();
    let (mut doug, mut mira) = (serve.client(&doug), serve.client(&mira));
    let pay = || json!({ "to": "acme" });
    let first = intercept(&mut doug, "doug", "pay", pay());
    assert_eq!((&first["proceed"], &first["tier"]), (&json!(true), &json!(4)));
    let blocked = intercept(&mut mira, "mira", "pay", pay());
    assert_eq!(blocked["proceed"], false);
    assert_eq!(blocked["conflicts"][0]["state"], "running");
    // Of another token's instance the whole name is told.
    assert_eq!(blocked["conflicts"][0]["instance"], "http/doug/doug");
    complete(&mut doug, "doug", &first["contextKey"], json!({}));
    for _ in 0..3 {
        let refused = intercept(&mut mira, "mira", "pay", pay());
        assert_eq!(
            (&refused["proceed"], &refused["conflicts"][0]["state"]),
            (&json!(false), &json!("complete"))
        );
        // Until what was done is out of the window.
        assert!(refused["expiresAt"].as_str() > refused["conflicts"][0]["timestamp"].as_str(), "{refused}");
        crate::support::let_it_be_read();
    }
    assert_eq!(intercept(&mut doug, "doug", "pay", pay())["proceed"], true);
}

#[test]
fn whatever_becomes_of_the_service_between_two_of_the_five_nothing_is_lost_and_nothing_doubled() {
    for between in Between::ALL {
        let home = Home::new();
        let (doug, mira) = (home.token(&["doug"]), home.token(&["mira"]));
        let mut serve = Some(home.serve());
        // What another process is asked each time, and by whom.
        let mut step = |token: &str, method: &str, path: &str, head: &str, body: Value| {
            let next = between.happens(&home, serve.take().unwrap());
            let head = format!("Content-Type: application/json\r\n{head}");
            let answer = next.client(token).send(method, path, &head, &body.to_string());
            assert_eq!(answer.status, 200, "{between:?} {path}: {}", answer.text);
            serve = Some(next);
            answer.json()
        };
        let key = "account:acme";
        let pay = |instance: &str| json!({ "instance": instance, "tool": "pay", "action": "send", "params": { "to": "acme" } });
        let lock = |instance: &str| json!({ "instance": instance, "contextKey": key, "tier": 4 });
        let once = "Idempotency-Key: once\r\n";
        for _ in 0..2 {
            assert_eq!(step(&doug, "POST", "/lock", "", lock("doug"))["acquired"], true, "{between:?}");
        }
        assert_eq!(step(&mira, "POST", "/lock", "", lock("mira"))["acquired"], false, "{between:?}");
        assert_eq!(step(&mira, "POST", "/intercept", "", pay("mira"))["proceed"], false, "{between:?}");
        let first = step(&doug, "POST", "/intercept", once, pay("doug"));
        assert_eq!((&first["proceed"], &first["call"]), (&json!(true), &json!("once")), "{between:?}");
        assert_eq!(step(&doug, "POST", "/intercept", once, pay("doug"))["proceed"], true, "{between:?}");
        let end = json!({ "instance": "doug", "contextKey": key, "result": {}, "id": "once" });
        for _ in 0..2 {
            assert_eq!(
                step(&doug, "POST", "/complete", "", end.clone()),
                json!({ "ok": true }),
                "{between:?}"
            );
        }
        let whose = |instance: &str| json!({ "instance": instance });
        let path = format!("/lock/{key}");
        assert_eq!(step(&mira, "DELETE", &path, "", whose("mira"))["ok"], false, "{between:?}");
        for _ in 0..2 {
            assert_eq!(step(&doug, "DELETE", &path, "", whose("doug")), json!({ "ok": true }), "{between:?}");
        }
        assert_eq!(step(&mira, "POST", "/lock", "", lock("mira"))["acquired"], true, "{between:?}");
        // What was done is known, to the last process, too.
        assert_eq!(step(&mira, "POST", "/intercept", "", pay("mira"))["proceed"], false, "{between:?}");
        for (action, lines) in
            [("leased", 2), ("intercept", 1), ("complete", 1), ("unknown", 0), ("refused", 1)]
        {
            assert_eq!(home.records(action).len(), lines, "{between:?} {action}");
        }
    }
}

#[test]
fn a_lease_excludes_others_until_its_holder_gives_it_back() {
    let home = Home::new();
    let (doug, mira) = (home.token(&["doug"]), home.token(&["mira"]));
    let serve = home.serve();
    let (mut doug, mut mira) = (serve.client(&doug), serve.client(&mira));
    let lock = |client: &mut Client, instance: &str| {
        client.ok("/lock", &json!({ "instance": instance, "contextKey": "account:acme/ltd", "tier": 4 }))
    };
    let give = |client: &mut Client, instance: &str| {
        let body = json!({ "instance": instance }).to_string();
        let head = "Content-Type: application/json\r\n";
        let answer = client.send("DELETE", "/lock/account:acme%2Fltd", head, &body);
        assert_eq!(answer.status, 200);
        answer.json()
    };
    assert_eq!(lock(&mut doug, "doug")["acquired"], true);
    assert_eq!(lock(&mut doug, "doug")["acquired"], true);
    let taken = lock(&mut mira, "mira");
    assert_eq!(
        (&taken["acquired"], &taken["conflict"]["instance"]),
        (&json!(false), &json!("http/doug/doug"))
    );
    // The holder goes on, others don't.
    let pay = || json!({ "to": "acme/ltd" });
    assert_eq!(intercept(&mut mira, "mira", "pay", pay())["proceed"], false);
    let call = intercept(&mut doug, "doug", "pay", pay());
    assert_eq!(call["proceed"], true);
    let refused = give(&mut mira, "mira");
    assert_eq!(refused["ok"], false);
    assert!(refused["error"].as_str().unwrap().contains("http/doug/doug"));
    assert_eq!(lock(&mut mira, "mira")["acquired"], false);
    assert_eq!(give(&mut doug, "doug"), json!({ "ok": true }));
    assert_eq!(lock(&mut mira, "mira")["acquired"], true);
    assert_eq!(
        mira.send("DELETE", "/lock/account:acme%2Fltd?instance=mira", "", "").json(),
        json!({ "ok": true })
    );
    // A lease by itself was no deed; the call that was made is one.
    let last = intercept(&mut mira, "mira", "pay", pay());
    assert_eq!(last["conflicts"].as_array().unwrap().len(), 1, "{last}");
}

#[test]
fn a_lease_that_is_not_given_back_lapses_and_another_instance_gets_it() {
    let home = Home::new();
    std::fs::write(home.path().join("settings.json"), r#"{"lockExpiryMs": 1500}"#).unwrap();
    let (doug, mira) = (home.token(&["doug"]), home.token(&["mira"]));
    let serve = home.serve();
    let (mut doug, mut mira) = (serve.client(&doug), serve.client(&mira));
    let lock = |client: &mut Client, instance: &str| {
        client.ok("/lock", &json!({ "instance": instance, "contextKey": "account:acme", "tier": 4 }))
    };
    let held = lock(&mut doug, "doug");
    assert_eq!(held["acquired"], true);
    let refused = lock(&mut mira, "mira");
    assert_eq!(
        (&refused["acquired"], &refused["conflict"]["expiresAt"]),
        (&json!(false), &held["expiresAt"])
    );
    until("the end of the lease", || {
        let taken = lock(&mut mira, "mira");
        if taken["acquired"] == true { Ok(()) } else { Err(taken) }
    });
    assert_eq!(lock(&mut doug, "doug")["acquired"], false);
}

#[test]
fn of_many_at_once_at_tier_4_exactly_one_proceeds_and_at_tier_3_all_but_one_are_warned() {
    let home = Home::new();
    home.without_limits();
    let tokens = [home.token(&["doug"]), home.token(&["mira"])];
    let serve = home.serve();
    const RACES: usize = 1_000;
    for (tool, expected) in [("pay", [1, 1]), ("mail", [2, 1])] {
        let counters = || -> Vec<AtomicUsize> { (0..RACES).map(|_| AtomicUsize::new(0)).collect() };
        let (proceeded, warned) = (counters(), counters());
        let both = Barrier::new(2);
        thread::scope(|scope| {
            for (token, instance) in tokens.iter().zip(["doug", "mira"]) {
                let mut client = serve.client(token);
                let (proceeded, warned, both) = (&proceeded, &warned, &both);
                scope.spawn(move || {
                    for race in 0..RACES {
                        both.wait();
                        let params = json!({ "to": format!("{race}@example.com") });
                        let answer = intercept(&mut client, instance, tool, params);
                        proceeded[race].fetch_add(usize::from(answer["proceed"] == true), Ordering::Relaxed);
                        warned[race]
                            .fetch_add(usize::from(answer.get("warning").is_some()), Ordering::Relaxed);
                    }
                });
            }
        });
        for (race, (proceeded, warned)) in proceeded.iter().zip(&warned).enumerate() {
            let found = [proceeded, warned].map(|count| count.load(Ordering::Relaxed));
            assert_eq!(found, expected, "{tool} {race}");
        }
    }
}

#[test]
fn a_repeated_request_is_one_call_and_tells_its_warning_again() {
    let home = Home::new();
    let (doug, mira) = (home.token(&["doug"]), home.token(&["mira"]));
    let serve = home.serve();
    let (mut doug, mut mira) = (serve.client(&doug), serve.client(&mira));
    intercept(&mut doug, "doug", "mail", json!({ "to": "a@example.com" }));
    let body =
        json!({ "instance": "mira", "tool": "mail", "action": "send", "params": { "to": "a@example.com" } });
    let head = "Content-Type: application/json\r\nIdempotency-Key: k-1\r\n";
    let first = mira.send("POST", "/intercept", head, &body.to_string()).json();
    drop(mira);
    let serve = {
        serve.kill();
        home.serve()
    };
    let mut mira = serve.client(&home.token(&["mira-too"]));
    // Another token is somebody else.
    let other = mira.send("POST", "/intercept", head, &body.to_string()).json();
    assert_eq!(other["conflicts"].as_array().unwrap().len(), 2);
    assert_eq!(home.records("intercept").len(), 3);
    let mut local = serve.local();
    let again = local.send("POST", "/intercept", head, &body.to_string()).json();
    let repeated = local.send("POST", "/intercept", head, &body.to_string()).json();
    assert_eq!((&again["conflicts"], &again["call"]), (&repeated["conflicts"], &json!("k-1")));
    assert_eq!(first["call"], "k-1");
    assert_eq!(home.records("intercept").len(), 4);
}

#[test]
fn an_end_under_an_id_that_no_open_call_has_is_ok_and_ends_nothing() {
    let home = Home::new();
    let token = home.token(&["doug"]);
    let serve = home.serve();
    let mut doug = serve.client(&token);
    let sent = intercept(&mut doug, "doug", "mail", json!({ "to": "a@example.com" }));
    for (id, ended) in [(&json!("nobody's"), 0), (&sent["call"], 1), (&sent["call"], 1)] {
        let body = json!({ "instance": "doug", "contextKey": sent["contextKey"], "result": {}, "id": id });
        assert_eq!(doug.ok("/complete", &body), json!({ "ok": true }), "{id}");
        assert_eq!(home.records("complete").len(), ended, "{id}");
    }
}

#[test]
fn what_a_call_acts_on_is_told_by_the_rules_or_by_the_caller() {
    let home = Home::new();
    let token = home.token(&["doug"]);
    let serve = home.serve();
    let mut doug = serve.client(&token);
    let sent = intercept(&mut doug, "doug", "message", json!({ "target": "general" }));
    assert_eq!((&sent["tier"], &sent["contextKeys"]), (&json!(2), &json!(["channel:general"])));
    let reply = intercept(&mut doug, "doug", "message", json!({ "target": "general", "replyTo": "m9" }));
    assert_eq!(reply["contextKeys"], json!(["thread:general:m9", "channel:general"]));
    assert_eq!(reply["contextKey"], "thread:general:m9");
    let thread = intercept(&mut doug, "doug", "message", json!({ "target": 777, "threadId": "t5" }));
    assert_eq!(thread["contextKeys"], json!(["thread:777:t5", "channel:777"]));
    let named =
        intercept(&mut doug, "doug", "mail", json!({ "to": "a@example.com", "_contextKey": "deal:42" }));
    assert_eq!((&named["tier"], &named["contextKeys"]), (&json!(3), &json!(["deal:42"])));
    // What acts on nothing that is kept has a key all the same, and its end writes nothing.
    let read = doug.ok(
        "/intercept",
        &json!({ "instance": "doug", "tool": "web_search", "action": "query", "params": {} }),
    );
    assert_eq!((&read["proceed"], &read["contextKey"]), (&json!(true), &json!("untracked:web_search:query")));
    let lines = home.records("complete").len();
    complete(&mut doug, "doug", &read["contextKey"], json!({}));
    assert_eq!(home.records("complete").len(), lines);
    // An end without a call is evidence, too.
    complete(&mut doug, "doug", &json!("account:acme"), json!({}));
    let mut mira = serve.client(&home.token(&["mira"]));
    let refused = intercept(&mut mira, "mira", "pay", json!({ "to": "acme" }));
    assert_eq!((&refused["proceed"], &refused["conflicts"][0]["tier"]), (&json!(false), &json!(2)));
}

#[test]
fn who_enforces_is_paused_at_tier_3_and_goes_through_after_reading() {
    let home = Home::new();
    let (doug, mira) = (home.token(&["doug"]), home.token(&["mira", "--enforce"]));
    let serve = home.serve();
    let (mut doug, mut mira) = (serve.client(&doug), serve.client(&mira));
    intercept(&mut doug, "doug", "mail", json!({ "to": "a@example.com" }));
    let paused = intercept(&mut mira, "mira", "mail", json!({ "to": "a@example.com" }));
    assert_eq!(paused["proceed"], false);
    assert!(paused["warning"].as_str().unwrap().contains("retry"));
    crate::support::let_it_be_read();
    assert_eq!(intercept(&mut mira, "mira", "mail", json!({ "to": "a@example.com" }))["proceed"], true);
}
