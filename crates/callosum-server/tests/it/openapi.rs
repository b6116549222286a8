//! The document at `/openapi.json`, held against real answers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::events::Stream;
use crate::support::{Answer, Client, Home};

/// What the document says of an answer.
fn schema(document: &Value, method: &str, path: &str, status: u16) -> Validator {
    let responses = &document["paths"][path][method]["responses"];
    let response = responses.get(status.to_string()).unwrap_or(&responses["default"]);
    let schema = &response["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{method} {path} {status} is not in the document");
    // References lead into the document.
    let whole = json!({ "allOf": [schema], "components": document["components"] });
    jsonschema::validator_for(&whole).unwrap()
}

/// The document, and which of its operations were seen answered as it says.
struct Held {
    document: Value,
    seen: RefCell<BTreeSet<(String, String)>>,
}

impl Held {
    fn check(&self, method: &str, path: &str, answer: &Answer) -> Value {
        let value = answer.json();
        let validator = schema(&self.document, method, path, answer.status);
        let wrong: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{method} {path}: {wrong:?} in {value}");
        if answer.status == 200 {
            // A schema lets fields pass that it doesn't have.
            let fields =
                self.fields(
                    &self.document["paths"][path][method]["responses"]["200"]["content"]["application/json"]
                        ["schema"],
                );
            let answered: BTreeSet<&String> = value.as_object().unwrap().keys().collect();
            assert!(
                !fields.is_empty() && answered.is_subset(&fields),
                "{method} {path}: {answered:?}, documented {fields:?}"
            );
            self.seen.borrow_mut().insert((method.to_owned(), path.to_owned()));
        }
        value
    }

    /// The names of the fields of an object, wherever its schema has them.
    fn fields<'d>(&'d self, schema: &'d Value) -> BTreeSet<&'d String> {
        let named =
            schema["$ref"].as_str().map(|to| self.document.pointer(to.trim_start_matches('#')).unwrap());
        let own = schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
        let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array());
        own.chain(named.into_iter().chain(parts.flatten()).flat_map(|part| self.fields(part))).collect()
    }

    /// Those whose success was not seen.
    fn unseen(&self) -> Vec<(String, String)> {
        let paths = self.document["paths"].as_object().unwrap();
        let operations = paths.iter().flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap();
            methods.keys().map(|method| (method.clone(), path.clone()))
        });
        operations.filter(|operation| !self.seen.borrow().contains(operation)).collect()
    }
}

#[test]
fn every_answer_is_as_the_document_says() {
    let home = Home::new();
    let (ops, other) = (home.token(&["ops", "--rights", "operate"]), home.token(&["other"]));
    let serve = home.serve();
    let document = serve.stranger().get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let held = Held { document, seen: RefCell::default() };
    let mut client = serve.client(&ops);
    let post =
        |client: &mut Client, path: &str, body: Value| held.check("post", path, &client.post(path, &body));
    let mail = |session: &str, call: &str| json!({ "tool": "mail", "params": { "to": "a@example.com" }, "session": session, "call": call });
    post(&mut client, "/v1/before", mail("a", "1"));
    assert_eq!(post(&mut client, "/v1/before", mail("b", "2"))["verdict"], "pause");
    post(&mut client, "/v1/before", json!({ "tool": 5 }));
    post(&mut client, "/v1/delivered", json!({ "call": "2" }));
    post(&mut client, "/v1/extend", json!({ "call": "1" }));
    post(&mut client, "/v1/extend", json!({ "call": "none" }));
    post(&mut client, "/v1/after", json!({ "call": "1", "outcome": "unknown" }));
    let pay = |instance: &str| json!({ "instance": instance, "tool": "pay", "action": "send", "params": { "to": "acme" } });
    post(&mut client, "/intercept", pay("doug"));
    let blocked = post(&mut serve.client(&other), "/intercept", pay("mira"));
    assert_eq!(blocked["proceed"], false);
    let lock = |instance: &str| json!({ "instance": instance, "contextKey": "account:acme", "tier": 4 });
    post(&mut client, "/lock", lock("doug"));
    post(&mut serve.client(&other), "/lock", lock("mira"));
    held.check("get", "/status", &client.get("/status"));
    let delete = client.send("DELETE", "/lock/account:acme?instance=doug", "", "");
    held.check("delete", "/lock/{key}", &delete);
    post(&mut client, "/complete", json!({ "instance": "doug", "contextKey": "account:acme", "result": {} }));
    post(&mut client, "/v1/release", json!({ "key": "account:acme" }));
    together(&held, &mut client);
    for (path, asked) in [
        ("/v1/tasks", ""),
        ("/v1/messages", "?session=w"),
        ("/v1/status", ""),
        ("/v1/journal", ""),
        ("/v1/leases", ""),
        ("/v1/sessions", ""),
        ("/v1/recent", ""),
        ("/v1/rules", ""),
        ("/v1/head", ""),
        ("/v1/why", "?key=account:acme"),
        ("/v1/explain", "?q=%7B%22tool%22%3A%22pay%22%2C%22params%22%3A%7B%7D%7D"),
        ("/v1/timeline", "?from=0&to=1"),
        ("/v1/tally", "?from=0&to=1&bucketMs=1"),
        ("/v1/observed", ""),
        ("/healthz", ""),
        ("/readyz", ""),
    ] {
        held.check("get", path, &client.get(&format!("{path}{asked}")));
    }
    // A refusal that is a verdict, too.
    let mode = |mode| fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let refused = client.post("/v1/before", &mail("c", "3"));
    mode(0o700);
    assert_eq!(
        (refused.status, &held.check("post", "/v1/before", &refused)["verdict"]),
        (503, &json!("refuse"))
    );
    // A link needs the page's files, and what is no JSON is looked at elsewhere.
    let without = [("post", "/v1/page"), ("get", "/v1/events"), ("get", "/metrics")];
    held.check("post", "/v1/page", &client.post("/v1/page", &json!({})));
    let without = without.map(|(method, path)| (method.to_owned(), path.to_owned()));
    let unseen: Vec<_> = held.unseen().into_iter().filter(|operation| !without.contains(operation)).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// Tasks, messages and an event.
fn together(held: &Held, client: &mut Client) {
    let mut post = |method: &str, asked: &str, body: Value| {
        let answer = client.post(asked, &body);
        assert_eq!(answer.status, 200, "{asked}: {}", answer.text);
        held.check("post", method, &answer)
    };
    for (verb, more) in [
        ("done", json!({ "result": "seen" })),
        ("fail", json!({ "why": "broken" })),
        ("handoff", json!({ "to": "codex" })),
        ("release", json!({})),
        ("input", json!({ "question": "which?" })),
        ("beat", json!({})),
        ("cancel", json!({ "why": "late" })),
        ("accept", json!({})),
        ("reject", json!({})),
    ] {
        let made = post("/v1/tasks", "/v1/tasks", json!({ "title": "look", "id": verb, "session": "s" }));
        assert_eq!(made["task"]["id"], verb);
        let mut body = more;
        if !["accept", "reject"].contains(&verb) {
            let claimed = post("/v1/tasks/claim", "/v1/tasks/claim", json!({ "id": verb, "session": "w" }));
            body["gen"] = claimed["task"]["gen"].clone();
            body["session"] = "w".into();
        }
        post(&format!("/v1/tasks/{{id}}/{verb}"), &format!("/v1/tasks/{verb}/{verb}"), body);
    }
    let told = json!({ "type": "a.b", "payload": { "n": 1 }, "session_id": "w", "pane_id": null });
    assert_eq!(post("/v1/events", "/v1/events", told)["dropped"], Value::Null);
    let sent = json!({ "to": "http/ops/w", "intent": "inform", "body": "text", "session": "s" });
    let id = post("/v1/messages", "/v1/messages", sent)["message"]["id"].clone();
    post("/v1/messages/shown", "/v1/messages/shown", json!({ "ids": [id], "session": "w" }));
    held.check("get", "/v1/tasks/{id}", &client.get("/v1/tasks/beat"));
}

#[test]
fn what_a_stream_tells_is_as_the_document_says() {
    let home = Home::new();
    let ops = home.token(&["ops", "--rights", "operate"]);
    let serve = home.serve();
    let mut client = serve.client(&ops);
    let document = client.get("/openapi.json").json();
    let held = Held { document, seen: RefCell::default() };
    let told = &held.document["paths"]["/v1/events"]["get"]["responses"]["200"]["x-callosum-events"];
    let check = |kind: &str, data: &Value| {
        let whole = json!({ "allOf": [told[kind]], "components": held.document["components"] });
        let validator = jsonschema::validator_for(&whole).unwrap();
        let wrong: Vec<String> = validator.iter_errors(data).map(|error| error.to_string()).collect();
        let fields = held.fields(&told[kind]);
        let known = data.as_object().unwrap().keys().all(|field| fields.contains(field));
        assert!(wrong.is_empty() && known && !fields.is_empty(), "{kind}: {wrong:?} in {data}");
    };
    let mail = |session: &str| json!({ "tool": "mail", "params": { "to": "a" }, "session": session });
    let call = client.ok("/v1/before", &mail("a"))["call"].clone();
    assert_eq!(client.ok("/v1/before", &mail("b"))["verdict"], "pause");
    client.ok("/v1/after", &json!({ "call": call, "outcome": "complete" }));
    client.ok("/lock", &json!({ "instance": "doug", "contextKey": "k", "tier": 3 }));
    client.ok("/v1/tasks", &json!({ "title": "look" }));
    client.ok("/v1/events", &json!({ "topic": "a.b", "data": { "last": true } }));
    let mut stream = Stream::open(&serve, &ops, "?after=0", "");
    let mut topics = BTreeSet::new();
    while !topics.contains("a.b") {
        let event = stream.next().data;
        check("message", &event);
        topics.insert(event["topic"].as_str().unwrap().to_owned());
    }
    assert!(topics.len() > 5, "{topics:?}");
    // Behind all that there is.
    check("gap", &Stream::open(&serve, &ops, "?after=1000000000", "").next().data);
}

#[test]
fn what_the_document_names_is_there_with_the_rights_that_it_names() {
    let home = Home::new();
    let read = home.token(&["looker", "--rights", "read"]);
    let serve = home.serve();
    let mut client = serve.client(&read);
    let document = client.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 20, "{}", paths.len());
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            // A stream has no end.
            if (path.as_str(), method.as_str()) == ("/v1/events", "get") {
                continue;
            }
            let path = path.replace("{key}", "x").replace("{id}", "x");
            let answer =
                client.send(&method.to_uppercase(), &path, "Content-Type: application/json\r\n", "{}");
            let needs_more = operation["x-callosum-rights"].as_str().is_some_and(|rights| rights != "read");
            assert_eq!(answer.status == 403, needs_more, "{method} {path}: {}", answer.status);
            assert!(![404, 405].contains(&answer.status), "{method} {path}: {}", answer.status);
        }
    }
}

/// A value that a field's schema allows, as an address tells it.
fn sample(name: &str, schema: &Value) -> Option<&'static str> {
    let is_a = |wanted: &str| match &schema["type"] {
        Value::String(only) => only == wanted,
        Value::Array(several) => several.iter().any(|one| one == wanted),
        _ => false,
    };
    match name {
        "since" | "until" => Some("2026-11-26T10:00:00Z"),
        "tier" => Some("3.."),
        _ if is_a("integer") => Some("1"),
        _ if is_a("boolean") => Some("true"),
        _ if is_a("string") => Some("x"),
        // What is no plain value is told as JSON.
        _ => None,
    }
}

#[test]
fn each_field_of_a_question_that_the_document_describes_is_taken_for_what_it_is() {
    let home = Home::new();
    let read = home.token(&["looker", "--rights", "read"]);
    let serve = home.serve();
    let mut client = serve.client(&read);
    let document = client.get("/openapi.json").json();
    let mut fields = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let parameters = methods["get"]["parameters"].as_array().cloned().unwrap_or_default();
        let Some(whole) = parameters.iter().find(|parameter| parameter["name"] == "q") else { continue };
        let schema = &whole["content"]["application/json"]["schema"];
        assert_eq!(schema["additionalProperties"], false, "{path}");
        let of = |name: &str| sample(name, &schema["properties"][name]);
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for parameter in parameters.iter().filter(|parameter| parameter["name"] != "q") {
            let name = parameter["name"].as_str().unwrap();
            assert!(parameter["schema"]["description"].is_string(), "{path} {name}");
            let mut asked: Vec<&str> = required.iter().copied().filter(|other| *other != name).collect();
            asked.push(name);
            let asked: Option<Vec<String>> =
                asked.into_iter().map(|name| Some(format!("{name}={}", of(name)?))).collect();
            let Some(asked) = asked else { continue };
            let answer = client.get(&format!("{path}?{}", asked.join("&")));
            assert_eq!(answer.status, 200, "{path} {asked:?}: {}", answer.text);
            fields += 1;
        }
    }
    assert!(fields > 25, "{fields}");
    let wrong = client.get("/v1/journal?limit=many");
    assert_eq!((wrong.status, wrong.text.contains("whole number")), (400, true), "{}", wrong.text);
    let unknown = client.get("/v1/journal?limits=1");
    assert_eq!((unknown.status, unknown.text.contains("limits")), (400, true), "{}", unknown.text);
}
