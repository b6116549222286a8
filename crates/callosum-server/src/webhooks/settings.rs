//! The webhooks of `serve.json`: read, and what is wrong with one told with its name and how to mend it.

use std::fmt;
use std::net::IpAddr;

use axum::http::Uri;
use callosum_core::model::text::one_line;
use callosum_team::event::{Topics, keys_of};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::events::Keys;

use super::address;
use super::secret::Secret;

/// Webhooks that there may be: each has a task and a connection.
pub(crate) const MAX_WEBHOOKS: usize = 32;
const MAX_NAME: usize = 64;
/// Characters of a wrong name that are shown.
const SHOWN: usize = 40;

/// A webhook.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Entry")]
pub(crate) struct Webhook {
    pub(crate) name: String,
    pub(super) url: Address,
    pub(super) secret: Option<Secret>,
    topics: Topics,
    keys: Keys,
    pub(super) format: Format,
    pub(super) allow_private: bool,
}

/// Where it posts to. All but scheme, host and port may be a secret.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) is_tls: bool,
    /// A name, or an address without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Host and port, as they are written.
    pub(super) authority: String,
    /// Path and query.
    pub(super) path: String,
}

impl Address {
    /// What may be shown of it.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", if self.is_tls { "https" } else { "http" }, self.authority)
    }

    fn read(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_tls = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority()?.as_str().to_owned();
        // A host has no `@`: what stands before it would be a name and a password.
        let host = uri.host().filter(|host| !host.is_empty() && !authority.contains('@'))?;
        let port = match authority.strip_prefix(host)?.strip_prefix(':') {
            None => {
                if is_tls {
                    443
                } else {
                    80
                }
            }
            Some(port) => port.parse().ok()?,
        };
        Some(Self {
            is_tls,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port,
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
            authority,
        })
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin())
    }
}

/// What is posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// A CloudEvent.
    #[default]
    CloudEvents,
    /// A message of a Discord channel.
    Discord,
}

impl Webhook {
    /// Whether it is for a record on this topic.
    pub(super) fn wants(&self, topic: &str, record: &Value) -> bool {
        self.topics.want(topic) && self.keys.want(keys_of(record))
    }
}

/// A webhook as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    name: String,
    url: Hidden,
    secret: Option<Hidden>,
    topics: Vec<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    format: Format,
    #[serde(default)]
    allow_private: bool,
}

/// A text that no error may show.
struct Hidden(String);

impl<'de> Deserialize<'de> for Hidden {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("expected a text")),
        }
    }
}

impl TryFrom<Entry> for Webhook {
    type Error = String;

    fn try_from(entry: Entry) -> Result<Self, String> {
        let Entry { name, url, secret, topics, keys, format, allow_private } = entry;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_name) {
            return Err(format!(
                "`name` is `{}`: expected up to {MAX_NAME} letters, digits, `.`, `_` and `-`",
                one_line(&name, SHOWN)
            ));
        }
        let wrong = |field: &str, why: &str| Err(format!("`{field}` of the webhook `{name}` {why}"));
        let Some(url) = Address::read(&url.0) else {
            return wrong("url", "is no address: expected `https://HOST/PATH`, without a user or a password");
        };
        if let Ok(ip) = url.host.parse::<IpAddr>()
            && let Some(why) = address::refusal(ip, url.is_tls, allow_private)
        {
            return wrong("url", &format!("can't be used: {why}"));
        }
        if !url.is_tls && !allow_private {
            return wrong(
                "url",
                "is `http://`, and events would go there in the clear: use `https://`, or, for an address of your own network, \
                 set `\"allowPrivate\": true`",
            );
        }
        let secret = match secret {
            None if format == Format::Discord => None,
            None => return wrong("secret", &format!("is missing: {MAKE_ONE}")),
            Some(Hidden(text)) => match Secret::read(&text) {
                Some(secret) => Some(secret),
                None => {
                    return wrong(
                        "secret",
                        &format!(
                            "is no secret: expected `whsec_` and the base64 of 24 to 64 bytes; {MAKE_ONE}"
                        ),
                    );
                }
            },
        };
        if topics.is_empty() {
            return wrong("topics", "is empty: name some, such as `call.paused` or `call.*`; `*` is all");
        }
        let topics = match Topics::read(Some(&topics.join(","))) {
            Ok(topics) => topics,
            Err(why) => return wrong("topics", &format!("can't be used: {why}")),
        };
        let keys = match Keys::read(keys) {
            Ok(keys) => keys,
            Err(why) => return wrong("keys", &format!("can't be used: {why}")),
        };
        Ok(Self { name, url, secret, topics, keys, format, allow_private })
    }
}

/// How to get a secret.
const MAKE_ONE: &str = "`echo whsec_$(openssl rand -base64 32)` makes one";

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use serde_json::json;

    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn read(changes: Value) -> Result<Webhook, String> {
        let mut entry =
            json!({ "name": "ci", "url": "https://example.com/a?b", "secret": SECRET, "topics": ["*"] });
        for (name, value) in changes.as_object().unwrap() {
            entry.as_object_mut().unwrap().insert(name.clone(), value.clone());
        }
        serde_json::from_value(entry).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_is_taken_apart_and_only_its_origin_is_shown() {
        for (url, host, port, path, origin) in [
            ("https://example.com/a?b=c", "example.com", 443, "/a?b=c", "https://example.com"),
            ("https://example.com:8443", "example.com", 8443, "/", "https://example.com:8443"),
            ("http://[::1]:80/x", "::1", 80, "/x", "http://[::1]:80"),
        ] {
            let address = Address::read(url).unwrap();
            assert_eq!((&*address.host, address.port, &*address.path), (host, port, path), "{url}");
            assert_eq!(format!("{address:?}"), origin);
        }
        for wrong in [
            "",
            "example.com",
            "ftp://example.com",
            "https://",
            "https://a:b@example.com",
            "https://a:99999/",
        ] {
            assert!(Address::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_the_name_and_never_with_a_secret() {
        let wrong = [
            (json!({ "name": "a b" }), "`name` is `a b`"),
            (json!({ "url": "example.com/TOKEN" }), "`url` of the webhook `ci` is no address"),
            (json!({ "url": "http://example.com/TOKEN" }), "in the clear"),
            (json!({ "url": "https://127.0.0.1/TOKEN" }), "allowPrivate"),
            (json!({ "url": "http://1.1.1.1/TOKEN", "allowPrivate": true }), "https://"),
            (json!({ "url": ["TOKEN"] }), "expected a text"),
            (json!({ "secret": "whsec_TOKEN" }), "`secret` of the webhook `ci` is no secret"),
            (json!({ "secret": 1_234_567 }), "expected a text"),
            (json!({ "secret": null }), "openssl rand"),
            (json!({ "topics": [] }), "`topics` of the webhook `ci` is empty"),
            (json!({ "topics": ["A"] }), "`topics` of the webhook `ci`"),
            (
                json!({ "topics": ["call.pausd"] }),
                "nothing is ever told under `call.pausd`: expected `call.*`",
            ),
            (json!({ "keys": [""] }), "`keys` of the webhook `ci`"),
            (json!({ "format": "slack" }), "slack"),
            (json!({ "topic": "x" }), "topic"),
        ];
        for (change, said) in wrong {
            let why = read(change.clone()).unwrap_err();
            assert!(why.contains(said), "{change}: {why}");
            assert!(!why.contains("TOKEN") && !why.contains("1234567"), "{change}: {why}");
        }
        let shown = format!("{:?}", read(json!({})).unwrap());
        assert!(!shown.contains("MfKQ") && !shown.contains("/a?b"), "{shown}");
    }

    #[test]
    fn keys_are_wanted_as_they_stand_or_by_how_they_begin() {
        let webhook = read(json!({ "keys": ["account:acme", "email:*"], "topics": ["call.*"] })).unwrap();
        let wants = |record: Value| webhook.wants("call.paused", &record);
        assert!(wants(json!({ "contextKeys": ["file:/x", "email:a@example.com"] })));
        assert!(wants(json!({ "contextKey": "account:acme" })));
        assert!(!wants(json!({ "contextKeys": ["account:acme2"] })) && !wants(json!({})));
        assert!(!webhook.wants("lease.taken", &json!({ "contextKey": "account:acme" })));
        assert!(read(json!({})).unwrap().wants("session.start", &json!({})));
    }

    #[test]
    fn discord_needs_no_secret() {
        let webhook = read(json!({ "format": "discord", "secret": null })).unwrap();
        assert!(webhook.secret.is_none() && webhook.format == Format::Discord);
    }
}
