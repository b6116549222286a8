//! All steps of a request at once: for a thread that may wait.

use std::collections::HashMap;

use callosum_core::gate::Gate;
use callosum_core::query::Source;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::calls::{CompleteRequest, InterceptAnswer, InterceptRequest, OkAnswer, not_decided};
use crate::locks::{LockAnswer, LockRequest, UnlockRequest};
use crate::status::{self, StatusAnswer};
use crate::{Problem, Refused, Speaker, read};

/// A request, as it came.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `POST` …
    pub method: String,
    /// The path below where the endpoints are, and the query: `/lock/account%3Aacme?instance=doug`.
    pub path: String,
    /// The body; empty where there is none.
    pub body: Vec<u8>,
    /// The header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// JSON.
    pub body: String,
    /// Seconds after which it is worth trying again: the header `Retry-After`.
    pub retry_after: Option<u32>,
    /// The methods that the path can be asked with, where it was another: the header `Allow`.
    pub allow: Option<&'static str>,
}

/// What a request that is not answered gets.
#[derive(Serialize)]
struct Document {
    error: Problem,
}

impl From<Refused> for Answer {
    fn from(refused: Refused) -> Self {
        let Refused { status, problem, retry_after } = refused;
        // Texts alone: it can always be written.
        let body = serde_json::to_string(&Document { error: problem }).unwrap_or_default();
        Self { status, body, retry_after, allow: None }
    }
}

/// Does what `request` asks of the gate for `speaker`. For a thread that may wait: it writes, and flushes.
pub fn answer(gate: &Gate, speaker: &Speaker, request: &Request) -> Answer {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let (method, body) = (request.method.as_str(), request.body.as_slice());
    let answered = match (method, path) {
        ("POST", "/intercept") => {
            let key = request.idempotency_key.as_deref();
            read(body).and_then(|asked| intercept(gate, speaker, asked, key)).and_then(told)
        }
        ("POST", "/complete") => read(body).and_then(|asked| complete(gate, speaker, asked)).and_then(told),
        ("POST", "/lock") => read(body).and_then(|asked| lock(gate, speaker, asked)).and_then(told),
        ("GET" | "HEAD", "/status") => {
            let key = asked_in(query, "contextKey");
            status(gate, speaker, key.as_deref()).and_then(told)
        }
        (_, "/intercept" | "/complete" | "/lock") => return wrong_method("POST"),
        (_, "/status") => return wrong_method("GET, HEAD"),
        _ => match path.strip_prefix("/lock/") {
            None => Err(no_such_path(path)),
            Some(_) if method != "DELETE" => return wrong_method("DELETE"),
            Some(held) => unlock(gate, speaker, held, query, body).and_then(told),
        },
    };
    answered.unwrap_or_else(Answer::from)
}

fn told(answer: impl Serialize) -> Result<Answer, Refused> {
    let body = serde_json::to_string(&answer).map_err(|_| Refused::broken())?;
    Ok(Answer { status: 200, body, retry_after: None, allow: None })
}

fn intercept(
    gate: &Gate,
    speaker: &Speaker,
    request: InterceptRequest,
    idempotency_key: Option<&str>,
) -> Result<InterceptAnswer, Refused> {
    let asked = request.asked(speaker, idempotency_key.map(Some))?;
    let params = Value::Object(asked.params);
    let now = || gate.machine().now();
    let mut weighed = gate.weigh(&asked.guest, &params, asked.terms, true, &now());
    let admitted = gate.admit(&mut weighed, &now()).map_err(not_decided)?;
    gate.confirm(&weighed, &admitted, &now())?;
    Ok(InterceptAnswer::of(speaker, asked.named, &weighed, admitted))
}

fn complete(gate: &Gate, speaker: &Speaker, request: CompleteRequest) -> Result<OkAnswer, Refused> {
    if let Some(ending) = request.ending(speaker)? {
        let now = gate.machine().now();
        gate.keep(&ending.write(gate, &now)?, &now);
    }
    Ok(OkAnswer { ok: true })
}

fn lock(gate: &Gate, speaker: &Speaker, request: LockRequest) -> Result<LockAnswer, Refused> {
    let lease = request.taking(speaker)?.take(gate, &gate.machine().now())?;
    Ok(LockAnswer::of(speaker, &lease))
}

fn unlock(
    gate: &Gate,
    speaker: &Speaker,
    held: &str,
    query: &str,
    body: &[u8],
) -> Result<impl Serialize + use<>, Refused> {
    let held = percent_decode_str(held).decode_utf8();
    let held = held.map_err(|_| Refused::field("contextKey", "it is no UTF-8 once it is decoded"))?;
    let request: UnlockRequest = read_some(body)?;
    let in_address = ["instance", "session"].map(|name| asked_in(query, name));
    let giving = request.giving(speaker, held.into_owned(), in_address)?;
    let lease = giving.give_back(gate, &gate.machine().now())?;
    Ok(giving.answer(speaker, &lease))
}

fn status(gate: &Gate, speaker: &Speaker, key: Option<&str>) -> Result<StatusAnswer, Refused> {
    let recent = gate.recent(&status::wanted(key), &gate.machine().now())?;
    Ok(StatusAnswer::of(speaker, recent))
}

/// Reads JSON where there may be none.
fn read_some<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T, Refused> {
    if body.is_empty() { Ok(T::default()) } else { read(body) }
}

/// A field of the query.
fn asked_in(query: &str, name: &str) -> Option<String> {
    let mut fields: HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
    fields.remove(name).map(|value| value.into_owned())
}

fn no_such_path(path: &str) -> Refused {
    let message = format!("there is nothing at `{}`", callosum_core::model::text::one_line(path, 80));
    let remedy = "ask `/intercept`, `/complete`, `/lock` or `/status`; the whole service is `callosum serve`";
    Refused::new(404, "not-found", message, remedy)
}

fn wrong_method(allow: &'static str) -> Answer {
    let remedy = "the header `Allow` has the methods that it can be asked with";
    let refused = Refused::new(405, "method-not-allowed", "the path can't be asked with this method", remedy);
    Answer { allow: Some(allow), ..refused.into() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
    use callosum_core::gate::GateOptions;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    struct Served {
        _directory: TempDir,
        gate: Gate,
    }

    impl Served {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let rules = json!({ "rules": [
                { "name": "mail", "tier": 3, "tool": "mail", "contextKey": "email:{params.to}" },
                { "name": "pay", "tier": 4, "tool": "pay", "contextKey": "account:{params.to}" },
            ] });
            std::fs::write(directory.path().join("tiers.json"), rules.to_string()).unwrap();
            let settings =
                json!({ "stateDir": directory.path(), "durability": "os", "instanceId": "gateway-1" });
            let gate = Gate::new(GateOptions { settings: settings.to_string(), ..GateOptions::default() });
            Self { _directory: directory, gate }
        }

        fn send(&self, method: &str, path: &str, body: impl Into<Vec<u8>>) -> Answer {
            let (method, path) = (method.to_owned(), path.to_owned());
            let request = Request { method, path, body: body.into(), idempotency_key: None };
            answer(&self.gate, &Speaker::of_gateway(), &request)
        }

        fn told(&self, method: &str, path: &str, body: &Value) -> Value {
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let answer = self.send(method, path, body);
            assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
            serde_json::from_str(&answer.body).unwrap()
        }
    }

    #[test]
    fn five_endpoints_are_answered_each_in_one_step() {
        let served = Served::new();
        let pay = |who: &str| json!({ "instance": who, "tool": "pay", "params": { "to": "acme/ltd" } });
        let lock = json!({ "instance": "doug", "contextKey": "account:acme/ltd", "tier": 4 });
        assert_eq!(served.told("POST", "/lock", &lock)["acquired"], true);
        let refused = served.told("POST", "/intercept", &pay("mira"));
        assert_eq!(
            (&refused["proceed"], &refused["conflicts"][0]["instance"]),
            (&json!(false), &json!("doug"))
        );
        let call = served.told("POST", "/intercept", &pay("doug"));
        assert_eq!((&call["proceed"], &call["contextKey"]), (&json!(true), &json!("account:acme/ltd")));
        let end = json!({ "instance": "doug", "contextKey": call["contextKey"], "result": {} });
        assert_eq!(served.told("POST", "/complete", &end), json!({ "ok": true }));
        // A key has slashes, written as such or not; the instance may stand in the address.
        let held = "/lock/account%3Aacme/ltd?instance=";
        assert_eq!(served.told("DELETE", &format!("{held}mira"), &Value::Null)["ok"], false);
        assert_eq!(
            served.told("DELETE", "/lock/account:acme%2Fltd", &json!({ "instance": "doug" }))["ok"],
            true
        );
        let status = served.told("GET", "/status?contextKey=account%3Aacme%2Fltd", &Value::Null);
        assert_eq!(status["locks"], json!([]));
        assert_eq!(status["recentActions"][0]["state"], "complete");
        assert_eq!(
            served.told("GET", "/status?contextKey=account:other", &Value::Null)["recentActions"],
            json!([])
        );
    }

    #[test]
    fn the_same_idempotency_key_is_the_same_call() {
        let served = Served::new();
        let body = json!({ "instance": "doug", "tool": "mail", "params": { "to": "a" } }).to_string();
        let request = Request {
            method: "POST".to_owned(),
            path: "/intercept".to_owned(),
            body: body.into(),
            idempotency_key: Some("once".to_owned()),
        };
        let ask = || answer(&served.gate, &Speaker::of_gateway(), &request).body;
        assert_eq!(ask(), ask());
        let other = json!({ "instance": "doug", "tool": "mail", "params": { "to": "b" } }).to_string();
        let other = Request { body: other.into(), ..request.clone() };
        let refused = answer(&served.gate, &Speaker::of_gateway(), &other);
        let error = serde_json::from_str::<Value>(&refused.body).unwrap()["error"].take();
        assert_eq!((refused.status, &error["path"]), (400, &json!("Idempotency-Key")), "{error}");
        let status = served.told("GET", "/status", &Value::Null);
        assert_eq!(status["recentActions"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn what_can_t_be_answered_is_told_with_a_remedy() {
        let served = Served::new();
        for (method, path, body, status, allow) in [
            ("GET", "/intercept", "", 405, Some("POST")),
            ("POST", "/status", "{}", 405, Some("GET, HEAD")),
            ("GET", "/lock/k", "", 405, Some("DELETE")),
            ("DELETE", "/lock", "", 405, Some("POST")),
            ("POST", "/v1/before", "{}", 404, None),
            ("GET", "", "", 404, None),
            ("GET", "//status", "", 404, None),
            ("POST", "/lock", "", 400, None),
            ("POST", "/lock", "{} {}", 400, None),
            ("POST", "/lock", "{\"instance\":\"a/b\",\"contextKey\":\"k\"}", 400, None),
            (
                "POST",
                "/intercept",
                "{\"instance\":\"a\",\"tool\":\"mail\",\"params\":{\"_contextKey\":\"untracked:k\"}}",
                400,
                None,
            ),
            ("POST", "/intercept", "{\"instance\":\"a\",\"tool\":\"mail\",\"cwd\":\"here\"}", 400, None),
            ("DELETE", "/lock/k", "", 400, None),
            ("DELETE", "/lock/%20?instance=a", "", 400, None),
            ("DELETE", "/lock/%ff?instance=a", "", 400, None),
        ] {
            let answer = served.send(method, path, body);
            assert_eq!(
                (answer.status, answer.allow),
                (status, allow),
                "{method} {path} {body}: {}",
                answer.body
            );
            let error = serde_json::from_str::<Value>(&answer.body).unwrap()["error"].take();
            assert!(
                ["code", "message", "remedy"].iter().all(|name| error[name].as_str() != Some("")),
                "{error}"
            );
        }
        assert_eq!(served.send("POST", "/lock", vec![0xff, 0xfe]).status, 400);
    }
}
