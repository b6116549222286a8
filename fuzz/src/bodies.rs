//! What the fuzz target `bodies` does with its bytes. `cargo fuzz` feeds it new ones, `cargo test` the corpus.

use std::cell::RefCell;
use std::fs;
use std::io::ErrorKind;

use callosum_server::in_memory::{Asks, InMemory};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where a body may go, and who sends it; the first byte says which.
pub(crate) const PATHS: [(Asks, &str, &str); 18] = [
    (Asks::Agent, "POST", "/v1/before"),
    (Asks::Agent, "POST", "/v1/after"),
    (Asks::Agent, "POST", "/v1/delivered"),
    (Asks::Person, "POST", "/v1/tasks"),
    (Asks::Agent, "POST", "/v1/tasks/claim"),
    (Asks::Agent, "POST", "/v1/tasks/t/done"),
    (Asks::Agent, "POST", "/v1/tasks/t/handoff"),
    (Asks::Agent, "POST", "/v1/tasks/t/input"),
    (Asks::Person, "POST", "/v1/tasks/t/accept"),
    (Asks::Agent, "POST", "/v1/messages"),
    (Asks::Agent, "POST", "/v1/messages/shown"),
    (Asks::Agent, "POST", "/v1/events"),
    (Asks::Agent, "POST", "/v1/extend"),
    (Asks::Person, "POST", "/v1/release"),
    (Asks::Agent, "POST", "/intercept"),
    (Asks::Agent, "POST", "/complete"),
    (Asks::Agent, "POST", "/lock"),
    (Asks::Agent, "DELETE", "/lock/email:ann@example.com"),
];
/// So many requests find one journal; then it is another one, or each would take longer than the one before.
const TOGETHER: usize = 2_000;

struct Service {
    directory: TempDir,
    service: InMemory,
    left: usize,
}

impl Service {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a folder for the state");
        let rules = json!({"rules": [
            {"name": "mail", "tier": 3, "tool": "mail", "contextKey": "email:{params.to}"},
            {"name": "pay", "tier": 4, "tool": "pay", "contextKey": "account:{params.to}"},
        ]});
        fs::write(directory.path().join("tiers.json"), rules.to_string()).expect("rules");
        let service = InMemory::new(directory.path()).expect("a service");
        Self { directory, service, left: TOGETHER }
    }
}

/// A body of any request: it is done, or told what is wrong; nothing breaks, and what was written can be read. Returns where it
/// went, and its answer's status.
pub(crate) fn bodies(data: &[u8]) -> Option<(&'static str, u16)> {
    thread_local!(static SERVICE: RefCell<Option<Service>> = const { RefCell::new(None) });
    let (first, body) = data.split_first()?;
    let (asks, method, path) = PATHS[usize::from(*first) % PATHS.len()];
    SERVICE.with_borrow_mut(|kept| {
        let mut service = kept.take().unwrap_or_else(Service::new);
        let (status, text) = service.service.send(asks, (method, path), body.to_vec()).expect("an answer");
        let answer: Value = serde_json::from_slice(&text).expect("an answer is one JSON document");
        match status {
            200 => {
                assert!(answer.is_object() && answer.get("error").is_none_or(Value::is_string), "{answer}");
            }
            400 | 403 | 409 | 413 | 429 => {
                let told = |name: &str| answer["error"][name].as_str().is_some_and(|text| !text.is_empty());
                assert!(told("code") && told("message") && told("remedy"), "{answer}");
            }
            status => panic!("{method} {path}: {status} {answer}"),
        }
        service.left -= 1;
        if service.left > 0 {
            *kept = Some(service);
            return Some((path, status));
        }
        let journal = match fs::read_to_string(service.directory.path().join("journal.jsonl")) {
            // Not one of the bodies was a call.
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            journal => journal.expect("a journal"),
        };
        for line in journal.lines() {
            let record: Value = serde_json::from_str(line).expect("a line is a record");
            assert!(record.is_object(), "{record}");
        }
        Some((path, status))
    })
}
