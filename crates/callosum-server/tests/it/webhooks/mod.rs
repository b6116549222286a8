//! Webhooks: what is posted, in which order, how often, and what becomes of a target that takes nothing.

mod kept_out;
mod receiver;

use std::fs;

use callosum_core::model::time::from_rfc3339;
use callosum_testing::wait::until;
use serde_json::{Value, json};

use crate::beside::{Pruned, gate, journal_id, write};
use crate::support::{Client, Home, Serve};

use self::receiver::{Does, Receiver};

fn configure(home: &Home, webhooks: &[Value]) {
    fs::write(home.path().join("serve.json"), json!({ "webhooks": webhooks }).to_string()).unwrap();
}

fn note(client: &mut Client, call: &str) {
    let body = json!({ "tool": "note", "params": { "to": call }, "session": "s", "call": call });
    assert_eq!(client.ok("/v1/before", &body)["verdict"], "allow");
}

fn notes(serve: &Serve, calls: std::ops::Range<u32>) -> Vec<String> {
    let mut client = serve.local();
    let calls: Vec<String> = calls.map(|call| call.to_string()).collect();
    calls.iter().for_each(|call| note(&mut client, call));
    calls
}

/// What the status says of a webhook, once it is so.
fn status(serve: &Serve, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut client = serve.local();
    until(&format!("the webhook {name}"), || {
        let status = client.get("/v1/status").json();
        let webhooks = status["webhooks"].as_array().cloned().unwrap_or_default();
        webhooks.into_iter().find(|webhook| webhook["name"] == name && is_so(webhook)).ok_or(status)
    })
}

#[test]
fn an_event_is_a_cloud_event_signed_by_standard_webhooks_headers() {
    let (home, target) = (Home::new(), Receiver::new());
    let url = target.url("/hook?channel=ops");
    let more = json!({ "topics": ["call.*"], "keys": ["email:*"], "url": url });
    configure(&home, &[target.webhook("ci", &more)]);
    let serve = home.serve();
    let mut client = serve.local();
    let write = json!({ "tool": "write", "params": { "path": "/x" }, "session": "s", "call": "other" });
    client.ok("/v1/before", &write);
    note(&mut client, "ann");
    client.ok("/v1/after", &json!({ "call": "ann", "outcome": "complete" }));
    let (started, ended) = (target.next(), target.next());
    assert_eq!(started.line, "POST /hook?channel=ops HTTP/1.1");
    assert_eq!(started.header("host"), format!("127.0.0.1:{}", target.port));
    assert_eq!(started.header("content-type"), "application/cloudevents+json; charset=utf-8");
    assert!(started.is_signed() && ended.is_signed());
    let event = started.json();
    let journal = event["id"].as_str().unwrap().split(':').next().unwrap();
    assert_eq!(event["id"], started.header("webhook-id"));
    assert_eq!(event["source"], format!("urn:callosum:{journal}"));
    assert_eq!((&event["specversion"], &event["type"]), (&json!("1.0"), &json!("callosum.call.started")));
    assert_eq!(event["subject"], "email:ann");
    assert_eq!(
        (&event["time"], &event["datacontenttype"]),
        (&event["data"]["at"], &json!("application/json"))
    );
    let data = &event["data"];
    assert_eq!(
        (&data["id"], &data["topic"], &data["data"]["call"]),
        (&event["id"], &json!("call.started"), &json!("ann"))
    );
    assert_eq!(ended.json()["type"], "callosum.call.ended");
    assert_ne!(ended.header("webhook-id"), started.header("webhook-id"));
}

#[test]
fn what_a_target_did_not_confirm_comes_again_after_a_kill_and_all_come_in_order() {
    let (home, target) = (Home::new(), Receiver::new());
    configure(&home, &[target.webhook("ci", &json!({}))]);
    let serve = home.serve();
    let mut sent = notes(&serve, 0..2);
    assert_eq!(target.calls(2), sent);
    // The third is never confirmed, and what comes behind it waits.
    target.then(&[Does::Nothing]);
    sent.extend(notes(&serve, 2..5));
    let unconfirmed = target.next();
    assert_eq!(unconfirmed.call(), "2");
    serve.kill();
    let serve = home.serve();
    sent.extend(notes(&serve, 5..40));
    let mut came: Vec<(String, String)> = Vec::new();
    while came.last().is_none_or(|(call, _)| call != "39") {
        let request = target.next();
        assert!(request.is_signed());
        came.push((request.call(), request.header("webhook-id").to_owned()));
    }
    assert!(came.contains(&("2".to_owned(), unconfirmed.header("webhook-id").to_owned())));
    // At least once: what was confirmed shortly before the kill may come again, by the same id.
    let mut order: Vec<String> = came.into_iter().map(|(call, _)| call).collect();
    order.retain(|call| !["0", "1"].contains(&call.as_str()));
    assert_eq!(order, sent[2..]);
    // And one that ends well knows what arrived.
    assert_eq!(serve.end().code(), Some(0));
    let serve = home.serve();
    notes(&serve, 40..41);
    assert_eq!(target.next().call(), "40");
}

#[test]
fn a_new_webhook_begins_with_what_comes_and_goes_on_over_what_others_wrote_meanwhile() {
    let (home, target) = (Home::new(), Receiver::new());
    let serve = home.serve();
    notes(&serve, 0..3);
    assert_eq!(serve.end().code(), Some(0));
    configure(&home, &[target.webhook("ci", &json!({}))]);
    let serve = home.serve();
    notes(&serve, 3..4);
    assert_eq!(target.next().call(), "3");
    assert_eq!(serve.end().code(), Some(0));
    let gate = gate(&home);
    write(&gate, "meanwhile", &gate.machine().now());
    drop(gate);
    let serve = home.serve();
    notes(&serve, 4..5);
    assert_eq!(target.calls(2), ["meanwhile", "4"]);
}

#[test]
fn a_try_that_failed_is_made_again_with_the_same_id_and_body_until_it_arrives() {
    let (home, target) = (Home::new(), Receiver::new());
    configure(&home, &[target.webhook("ci", &json!({}))]);
    let serve = home.serve();
    target.then(&[Does::Answer(500, ""), Does::Answer(404, "Connection: close\r\n")]);
    notes(&serve, 0..2);
    let tries = [target.next(), target.next(), target.next()];
    for again in &tries {
        assert!(again.is_signed());
        assert_eq!(again.body, tries[0].body);
        assert_eq!(again.header("webhook-id"), tries[0].header("webhook-id"));
    }
    assert_eq!(target.next().call(), "1");
    let webhook = status(&serve, "ci", |webhook| webhook["delivered"] == 2);
    assert_eq!((&webhook["state"], &webhook["behind"]), (&json!("ok"), &json!(0)));
    assert!(webhook.get("failingSince").is_none() && target.is_silent());
}

#[test]
fn a_target_that_asks_to_wait_is_left_alone_until_the_service_starts_again() {
    let (home, target) = (Home::new(), Receiver::new());
    configure(&home, &[target.webhook("ci", &json!({}))]);
    let serve = home.serve();
    target.then(&[Does::Answer(503, "Retry-After: 7200\r\n")]);
    notes(&serve, 0..1);
    assert_eq!(target.next().call(), "0");
    let webhook = status(&serve, "ci", |webhook| webhook["state"] == "failing");
    let moment = |name: &str| from_rfc3339(webhook[name].as_str().unwrap()).unwrap();
    assert!(moment("retryAt") - moment("failingSince") >= 7_200_000, "{webhook}");
    assert_eq!((&webhook["attempts"], &webhook["error"]), (&json!(1), &json!("it answered 503")));
    assert!(target.is_silent());
    assert_eq!(serve.end().code(), Some(0));
    let _serve = home.serve();
    assert_eq!(target.next().call(), "0");
}

#[test]
fn a_target_that_wants_no_more_is_given_up_and_told_and_a_restart_goes_on_where_it_was() {
    let (home, gone, well) = (Home::new(), Receiver::new(), Receiver::new());
    configure(&home, &[gone.webhook("gone", &json!({})), well.webhook("well", &json!({}))]);
    let serve = home.serve();
    gone.then(&[Does::Answer(410, "")]);
    let sent = notes(&serve, 0..5);
    assert_eq!(well.calls(5), sent);
    let webhook = status(&serve, "gone", |webhook| webhook["state"] == "parked");
    assert!(webhook["error"].as_str().unwrap().contains("410"), "{webhook}");
    assert!(webhook["behind"].as_u64().unwrap() > 0 && webhook.get("retryAt").is_none(), "{webhook}");
    assert_eq!(webhook["target"], format!("http://127.0.0.1:{}", gone.port));
    let metrics = serve.local().get("/metrics").text;
    for line in
        [r#"callosum_webhook_parked{webhook="gone"} 1"#, r#"callosum_webhook_parked{webhook="well"} 0"#]
    {
        assert!(metrics.contains(line), "{metrics}");
    }
    assert_eq!(gone.next().call(), "0");
    assert!(gone.is_silent());
    assert_eq!(serve.end().code(), Some(0));
    let serve = home.serve();
    assert_eq!(gone.calls(5), sent);
    notes(&serve, 5..6);
    assert_eq!((gone.next().call(), well.next().call()), ("5".to_owned(), "5".to_owned()));
    status(&serve, "gone", |webhook| webhook["state"] == "ok" && webhook["behind"] == 0);
}

#[test]
fn a_target_that_never_answers_holds_nobody() {
    let (home, stuck, well) = (Home::new(), Receiver::new(), Receiver::new());
    configure(&home, &[stuck.webhook("stuck", &json!({})), well.webhook("well", &json!({}))]);
    let serve = home.serve();
    stuck.then(&[Does::Nothing, Does::Nothing]);
    let sent = notes(&serve, 0..50);
    assert_eq!(stuck.next().call(), "0");
    assert_eq!(well.calls(50), sent);
    // What takes no requests at all is given what was meant for it once it does.
    assert_eq!(serve.end().code(), Some(0));
    let _serve = home.serve();
    assert_eq!(stuck.next().call(), "0");
}

#[test]
fn a_discord_channel_gets_texts_that_mention_nobody() {
    let (home, target) = (Home::new(), Receiver::new());
    configure(&home, &[target.webhook("team", &json!({ "format": "discord", "secret": null }))]);
    let serve = home.serve();
    note(&mut serve.local(), "@everyone <@1> [x](https://evil.example)");
    let request = target.next();
    assert_eq!(request.header("content-type"), "application/json");
    let message = request.json();
    assert_eq!(message["allowed_mentions"], json!({ "parse": [] }));
    let content = message["content"].as_str().unwrap();
    assert!(content.starts_with("**call\\.started** of note, tier 2\non email\\:"), "{content}");
    // Without what is escaped, nothing is left but words of ours.
    let mut left = content.replace("\\\\", "");
    while let Some(at) = left.find('\\') {
        left.replace_range(at..at + 2, "");
    }
    assert!(!left.contains(['@', '<', '[', '(', '/']), "{left}");
}

#[test]
fn what_was_pruned_is_one_gap_and_so_is_another_journal() {
    let (home, target) = (Home::new(), Receiver::new());
    let Pruned { journal, oldest } = Pruned::new(&home);
    let known = json!({ "webhooks": { "ci": { "target": "", "journal": journal, "next": 100 } } });
    fs::write(home.path().join("webhooks.json"), known.to_string()).unwrap();
    configure(&home, &[target.webhook("ci", &json!({ "topics": ["call.started"] }))]);
    let serve = home.serve();
    let gap = target.next();
    assert!(gap.is_signed());
    assert_eq!(gap.json()["type"], "callosum.gap");
    assert_eq!(gap.json()["data"]["gap"], json!({ "from": 100, "to": oldest }));
    let mut call = target.next().call();
    while call != "kept" {
        call = target.next().call();
    }
    assert_eq!(serve.end().code(), Some(0));
    for file in fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap()) {
        if file.file_name().to_str().unwrap().starts_with("journal.") {
            fs::remove_file(file.path()).unwrap();
        }
    }
    let serve = home.serve();
    notes(&serve, 0..1);
    assert_eq!(target.next().json()["data"]["gap"]["to"], 0);
    assert_eq!(target.next().call(), "0");
}

#[test]
fn a_journal_that_went_back_is_a_gap_and_what_comes_then_is_posted() {
    let (home, target) = (Home::new(), Receiver::new());
    let serve = home.serve();
    notes(&serve, 0..1);
    assert_eq!(serve.end().code(), Some(0));
    // As a power failure leaves it: what was posted stands in the journal no more.
    let known =
        json!({ "webhooks": { "ci": { "target": "", "journal": journal_id(&home), "next": 1_000_000 } } });
    fs::write(home.path().join("webhooks.json"), known.to_string()).unwrap();
    configure(&home, &[target.webhook("ci", &json!({ "topics": ["call.started"] }))]);
    let serve = home.serve();
    assert_eq!(target.next().json()["data"]["gap"]["from"], 1_000_000);
    notes(&serve, 1..2);
    assert_eq!(target.next().call(), "1");
}
