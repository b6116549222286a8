//! Tools that pass a request over HTTP on: to the address they are given, or to the service that their server is for.

use serde_json::Value;

use super::tool_words::{Letters, parted};
use crate::model::tool_call::Parameters;

/// The method of a tool that makes whatever request it is asked for, empty where it is told that; `None` for other tools.
#[rustfmt::skip]
fn method_of(letters: &Letters) -> Option<&'static str> {
    Some(match letters.bytes() {
        b"apicall" | b"apirequest" | b"callapi" | b"callendpoint" | b"curl" | b"executehttprequest" | b"executerequest" | b"fetch" | b"http"
        | b"httpcall" | b"httprequest" | b"invokeapi" | b"invokewebrequest" | b"makehttprequest" | b"makerequest" | b"performrequest" | b"request"
        | b"restcall" | b"restrequest" | b"sendhttprequest" | b"sendrequest" | b"webrequest" => "",
        b"httpdelete" | b"playwrightdelete" => "DELETE",
        b"httppatch" | b"playwrightpatch" => "PATCH",
        b"httppost" | b"playwrightpost" => "POST",
        b"httpput" | b"playwrightput" => "PUT",
        _ => return None,
    })
}

/// What requests begin with that a server's tools pass on to the service in its name, where there are rules for that service's own
/// address. Sorted.
#[rustfmt::skip]
const SERVICES: &[(&str, &str)] = &[
    ("airtable", "api.airtable.com/v0"), ("asana", "app.asana.com/api/1.0"), ("clickup", "api.clickup.com/api/v2"),
    ("cloudflare", "api.cloudflare.com/client/v4"), ("digitalocean", "api.digitalocean.com/v2"), ("discord", "discord.com/api/v10"),
    ("github", "api.github.com"), ("gitlab", "gitlab.com/api/v4"), ("heroku", "api.heroku.com"), ("hetzner", "api.hetzner.cloud/v1"),
    ("hubspot", "api.hubapi.com"), ("intercom", "api.intercom.io"), ("linode", "api.linode.com/v4"), ("lokka", "graph.microsoft.com/v1.0"),
    ("microsoft", "graph.microsoft.com/v1.0"), ("mollie", "api.mollie.com/v2"), ("ms365", "graph.microsoft.com/v1.0"),
    ("msgraph", "graph.microsoft.com/v1.0"), ("netlify", "api.netlify.com/api/v1"), ("notion", "api.notion.com/v1"),
    ("pagerduty", "api.pagerduty.com"), ("paypal", "api-m.paypal.com"), ("razorpay", "api.razorpay.com/v1"), ("render", "api.render.com/v1"),
    ("sendgrid", "api.sendgrid.com/v3"), ("sentry", "sentry.io/api/0"), ("slack", "slack.com/api"), ("stripe", "api.stripe.com/v1"),
    ("telegram", "api.telegram.org"), ("todoist", "api.todoist.com/rest/v2"), ("trello", "api.trello.com/1"), ("twilio", "api.twilio.com"),
    ("vercel", "api.vercel.com"), ("wise", "api.wise.com"),
];
/// The parameters that are its method, its address and its body.
const METHODS: &[&str] = &["method", "http_method", "httpMethod", "verb"];
const ADDRESSES: &[&str] = &["url", "uri", "endpoint", "address"];
const PATHS: &[&str] = &["path", "endpoint", "url", "uri", "route", "api_path", "apiPath"];
const BODIES: &[&str] = &["body", "data", "json", "payload", "value"];
/// The parameters of which one may have all the others in it.
const WRAPPERS: &[&str] = &["request", "params", "input"];
/// Of a body no more is looked at.
const MAX_BODY: usize = 64 * 1024;

/// The request that a call passes on, as the command line that would do the same with `curl`; `None` where a tool passes none on, and for
/// those that only ask whatever address they are given.
pub(super) fn line(tool: &str, letters: &Letters, params: &dyn Parameters) -> Option<String> {
    let of_name = method_of(letters);
    // Most tools are a host's own.
    let base = if letters.has_server() { base(tool) } else { None };
    if of_name.is_none() && base.is_none() {
        return None;
    }
    let inner = WRAPPERS.iter().find_map(|name| params.get(name).filter(|inner| inner.is_object()));
    let params = inner.as_deref().map_or(params, |inner| inner as &dyn Parameters);
    // Whoever passes nothing else on has to be told how.
    let method = text_of(params, METHODS).or_else(|| of_name.map(str::to_owned))?.to_uppercase();
    let whole =
        || text_of(params, ADDRESSES).filter(|address| of_name.is_some() && address.starts_with("http"));
    let of_service = || {
        let path = text_of(params, PATHS).filter(|path| !path.contains(char::is_whitespace))?;
        Some(format!("https://{}/{}", base?, path.trim_start_matches('/')))
    };
    let address = whole().or_else(of_service)?;
    let body = BODIES.iter().find_map(|name| match params.get(name)?.as_ref() {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    });
    let method = match method.as_str() {
        "" if body.is_some() => "POST",
        "" | "GET" | "HEAD" | "OPTIONS" if base.is_none() => return None,
        "" => "GET",
        method => method,
    };
    let mut words = vec!["curl", "-X", method, &address];
    if let Some(body) = body.as_deref().filter(|body| body.len() <= MAX_BODY) {
        words.extend(["--data-raw", body]);
    }
    shlex::try_join(words).ok()
}

/// What the requests begin with that a tool's server passes on.
fn base(tool: &str) -> Option<&'static str> {
    let (server, _) = parted(tool);
    let words = server.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    let place = |word: String| SERVICES.binary_search_by_key(&word.as_str(), |(name, _)| name).ok();
    words.filter_map(place).find_map(|place| SERVICES.get(place)).map(|(_, base)| *base)
}

/// The text of the first of these parameters that is one.
pub(super) fn text_of(params: &dyn Parameters, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| params.get(name)?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::SERVICES;

    #[test]
    fn services_are_sorted() {
        assert!(SERVICES.is_sorted_by(|one, other| one.0 < other.0), "{SERVICES:?}");
    }
}
