//! The questions of the registry, asked wrongly: what is wrong is named, in words that tell nothing of the program.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::support::{Client, Home};

/// What nobody who speaks HTTP knows.
const OF_RUST: [&str; 12] = [
    "usize", "u8", "u64", "i64", "struct", "Request", "sequence", "a map", "enum", "Option", "bool",
    "elements",
];

fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        write!(encoded, "%{byte:02X}").unwrap();
    }
    encoded
}

/// A question, and what its request may be.
struct Asked<'a> {
    path: &'a str,
    fields: &'a Map<String, Value>,
    required: Vec<&'a str>,
}

impl Asked<'_> {
    fn is_a(&self, name: &str, kind: &str) -> bool {
        match &self.fields[name]["type"] {
            Value::String(only) => only == kind,
            Value::Array(several) => several.iter().any(|one| one == kind),
            _ => false,
        }
    }

    /// A request that is right, as far as it has to say anything.
    fn right(&self) -> Map<String, Value> {
        let value = |name: &str| match name {
            _ if self.is_a(name, "integer") => json!(1),
            _ if self.is_a(name, "object") => json!({}),
            _ => json!("x"),
        };
        self.required.iter().map(|name| ((*name).to_owned(), value(name))).collect()
    }

    /// Asks with `value` in the field `name`, in `q`.
    fn with(&self, name: &str, value: Value) -> String {
        let mut request = self.right();
        request.insert(name.to_owned(), value);
        format!("{}?q={}", self.path, encoded(&Value::Object(request).to_string()))
    }

    /// The same, each field for itself, where that can be.
    fn field_by_field(&self, name: &str, value: &str) -> String {
        let others = self.right().into_iter().filter(|(other, value)| other != name && !value.is_object());
        let others: Vec<String> =
            others.map(|(name, value)| format!("&{name}={}", encoded(&value.to_string()))).collect();
        format!("{}?{name}={}{}", self.path, encoded(value), others.concat())
    }
}

/// Asks what is wrong in the field `name`; returns how it is told.
fn refused(client: &mut Client, asked: &str, name: &str) -> String {
    let refused = client.get(asked);
    assert_eq!(refused.status, 400, "{asked}: {}", refused.text);
    let error = &refused.json()["error"];
    assert_eq!(error["path"], name, "{asked}: {error}");
    let message = error["message"].as_str().unwrap().to_owned();
    let leaked = OF_RUST.iter().find(|word| message.contains(*word));
    assert_eq!(leaked, None, "{asked}: {message}");
    message
}

#[test]
fn whatever_is_wrong_with_a_question_is_named_in_plain_words() {
    let home = Home::new();
    let token = home.token(&["looker", "--rights", "read"]);
    home.without_limits();
    let serve = home.serve();
    let mut client = serve.client(&token);
    let document = client.get("/openapi.json").json();
    let mut questions = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let parameters = methods["get"]["parameters"].as_array().into_iter().flatten();
        let Some(whole) = parameters.into_iter().find(|parameter| parameter["name"] == "q") else { continue };
        let schema = &whole["content"]["application/json"]["schema"];
        let asked = Asked {
            path,
            fields: schema["properties"].as_object().unwrap(),
            required: schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
        };
        questions += 1;
        for name in asked.fields.keys() {
            wrong_field(&mut client, &asked, name);
        }
        for name in &asked.required {
            let mut request = asked.right();
            request.remove(*name);
            let text = encoded(&Value::Object(request).to_string());
            assert!(refused(&mut client, &format!("{path}?q={text}"), name).contains("missing"));
        }
        // What is no object, or an object's fields in their order.
        for text in ["[]", r#"["key"]"#, r#"["pay",{},null,null,null]"#, "null", "5", "{", r#""x""#] {
            refused(&mut client, &format!("{path}?q={}", encoded(text)), "q");
        }
        refused(&mut client, &asked.with("nobodyKnows", json!(1)), "nobodyKnows");
        refused(&mut client, &asked.field_by_field("nobodyKnows", "1"), "nobodyKnows");
    }
    assert!(questions >= 8, "{questions}");
}

/// A field that is not what it may be, in each way, and one that is there twice.
fn wrong_field(client: &mut Client, asked: &Asked<'_>, name: &str) {
    let other = if asked.is_a(name, "object") { json!(5) } else { json!({ "a": 1 }) };
    assert!(refused(client, &asked.with(name, other), name).contains("expected"));
    if asked.is_a(name, "integer") {
        let field = &asked.fields[name];
        let bounds = [
            field["minimum"].as_i64().map(|least| least - 1),
            field["maximum"].as_i64().map(|most| most + 1),
        ];
        for wrong in bounds.into_iter().flatten() {
            refused(client, &asked.with(name, json!(wrong)), name);
            refused(client, &asked.field_by_field(name, &wrong.to_string()), name);
        }
        refused(client, &asked.with(name, json!(1.5)), name);
        refused(client, &asked.field_by_field(name, "99999999999999999999"), name);
    }
    for kind in ["boolean", "array", "object"] {
        if asked.is_a(name, kind) {
            refused(client, &asked.field_by_field(name, "many"), name);
        }
    }
    let twice = format!(r#"{{"{name}":null,"{name}":null}}"#);
    assert!(
        refused(client, &format!("{}?q={}", asked.path, encoded(&twice)), name).contains("more than once")
    );
    refused(client, &format!("{}?{name}=1&{name}=2", asked.path), name);
}

#[test]
fn fields_that_contradict_each_other_are_named_too() {
    let home = Home::new();
    let token = home.token(&["looker", "--rights", "read"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    for (asked, name) in [
        ("/v1/timeline?from=2&to=1", "from"),
        ("/v1/tally?from=2&to=1&bucketMs=1", "from"),
        ("/v1/tally?from=0&to=100000000&bucketMs=1", "bucketMs"),
        ("/v1/journal?since=yesterday", "since"),
        ("/v1/journal?tier=4..2", "tier"),
        ("/v1/observed?since=yesterday", "since"),
        ("/v1/explain?tool=x", "params"),
        ("/v1/explain?tool=x&params=y", "params"),
    ] {
        refused(&mut client, asked, name);
    }
}

#[test]
fn leases_are_asked_for_by_the_name_that_they_had_before_too() {
    let home = Home::new();
    let token = home.token(&["ci"]);
    let serve = home.serve();
    let mut client = serve.client(&token);
    client.ok("/lock", &json!({ "instance": "a", "contextKey": "account:acme", "tier": 4 }));
    let (leases, locks) = (client.get("/v1/leases"), client.get("/v1/locks"));
    assert_eq!((locks.status, locks.json()), (200, leases.json()));
    assert_eq!(locks.json()["locks"][0]["contextKey"], "account:acme");
    assert_eq!(client.get("/v1/locks?x=1").status, 400);
}
