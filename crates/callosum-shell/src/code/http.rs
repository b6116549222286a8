//! Requests of HTTP clients: requests, httpx, aiohttp and urllib, fetch, axios, got and ky, Ruby's Net::HTTP.

use super::read::Reading;
use super::value::{Call, Given, Value, as_json, as_text};
use super::words;

/// What holds the body.
const BODIES: &[&str] = &["json", "data", "body", "content", "form", "payload", "searchParams"];
/// What a client was told that all addresses begin with.
const BASES: &[&str] = &["base_url", "baseURL", "baseUrl", "prefixUrl", "base_uri", "url"];

/// The request of a call, as that of curl.
pub(super) fn command(call: &Call, reading: &Reading) -> Option<Vec<Vec<String>>> {
    let given = call.given()?;
    if is_own(call, reading) {
        return None;
    }
    let named = |names: &[&str]| given.value(names).and_then(as_text);
    let (method, address, body) = match call.name() {
        name @ ("post" | "put" | "patch" | "delete" | "get" | "post_form" | "send_request") => {
            let method = if name == "post_form" { "post" } else { name };
            (method.to_owned(), given.text(&["url"], Some(0)), body(given, 1))
        }
        "request" if given.placed.len() > 1 && !matches!(given.placed.get(1), Some(Value::Map(_))) => {
            (given.text(&["method"], Some(0))?, given.text(&["url"], Some(1)), body(given, 2))
        }
        "fetch" | "$fetch" | "ofetch" | "axios" | "got" | "ky" | "request" | "Request" | "urlopen" => {
            let body = body(given, usize::MAX)
                .or_else(|| given.placed.get(1).filter(|_| call.name() != "fetch").cloned());
            let usual = match (call.name(), &body) {
                ("Request" | "urlopen", Some(value))
                    if !matches!(value, Value::Map(_)) || given.value(BODIES).is_some() =>
                {
                    "post"
                }
                _ => "get",
            };
            let method = named(&["method"]).unwrap_or_else(|| usual.to_owned());
            let body = body.filter(
                |body| !matches!(body, Value::Map(fields) if fields.iter().any(|(name, _)| name == "method")),
            );
            (method, given.text(&["url", "uri"], Some(0)), body)
        }
        _ => return None,
    };
    let address = match address {
        Some(address) => whole(call, &address)?,
        None => of_parts(call, given)?,
    };
    let method = method.to_uppercase();
    let query = match given.value(&["params", "query"]) {
        Some(Value::Map(fields)) => {
            let pairs = fields.iter().filter_map(|(name, value)| Some(format!("{name}={}", as_text(value)?)));
            let sign = if address.contains('?') { '&' } else { '?' };
            format!("{sign}{}", pairs.collect::<Vec<_>>().join("&"))
        }
        _ => String::new(),
    };
    let mut command = words(&["curl", "-X", &method, &format!("{address}{query}")]);
    if let Some(body) = body {
        let text = match &body {
            Value::Text(text) => text.clone(),
            other => as_json(other).to_string(),
        };
        command.extend(words(&["-d", &text]));
    }
    Some(vec![command])
}

/// Names of functions that send requests only where a library lends them.
const LENT: &[&str] = &["post", "put", "patch", "delete", "get"];

/// Whether a function of such a name is the code's own, or of what is no client: nothing before it, and no library that lends it.
fn is_own(call: &Call, reading: &Reading) -> bool {
    let is_alone = call.steps.len() == 1 && LENT.contains(&call.name());
    is_alone && !reading.lends(call.name())
}

fn body(given: &Given, place: usize) -> Option<Value> {
    given.value(BODIES).or_else(|| given.placed.get(place)).cloned()
}

/// The address of which Node's own client is given the parts.
fn of_parts(call: &Call, given: &Given) -> Option<String> {
    let of = |names: &[&str]| given.value(names).and_then(as_text);
    let host = of(&["hostname", "host"]).filter(|_| call.name() == "request")?;
    let scheme = if call.has("http") { "http" } else { "https" };
    let port = of(&["port"]).filter(|port| !matches!(port.as_str(), "80" | "443"));
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{scheme}://{host}{port}{}", of(&["path"]).unwrap_or_default()))
}

/// The address, with what the client was told before it; `None` where it is none.
fn whole(call: &Call, address: &str) -> Option<String> {
    if address.contains("://") || address.starts_with('$') {
        return Some(address.to_owned());
    }
    // Python's own client.
    for (maker, scheme) in [("HTTPSConnection", "https"), ("HTTPConnection", "http")] {
        if let Some(host) = call.given_to(maker).and_then(|made| made.text(&["host"], Some(0))) {
            return Some(format!("{scheme}://{host}{address}"));
        }
    }
    let count = call.steps.len().saturating_sub(1);
    let before = call.steps.iter().take(count).filter_map(|step| step.given.as_ref());
    let mut bases = before.filter_map(|given| given.text(BASES, Some(0)));
    let base = bases.find(|base| base.contains("://"))?;
    Some(format!("{}/{}", base.trim_end_matches('/'), address.trim_start_matches('/')))
}
