//! What is taken out of a call's parameters, for who makes something of them: a key.

use std::ops::Range;

use serde_json::Value;

use super::names::{Tell, looks_made};
use super::summary::{LOOKED_AT, MAX_DEPTH, Sink, Told, go_through};
use super::{cards, key_mark, secrets_in, tells};
use crate::model::digest::number_text;
use crate::model::text::head;

/// Shorter secrets stand in much else, and say nothing.
const LEAST: usize = 3;
/// Shorter ones are told only where nothing stands beside them: `1234` is no part of `12345`.
const SURE: usize = 6;
/// Of so many values it is told.
const MOST: usize = 1024;
/// The line of a call that runs one: its commands have their secrets themselves.
const LINE: &str = "command";

/// Secrets that somebody was given.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    texts: Vec<String>,
    /// Values that may still be looked at.
    left: usize,
}

impl Secrets {
    /// All that is taken out of the parameters where they are shown.
    pub(crate) fn of(params: &Value) -> Self {
        match params {
            Value::Object(fields) if fields.get(LINE).is_some_and(Value::is_string) => {
                let others = fields.iter().filter(|(name, _)| *name != LINE);
                Self::of_some(others.map(|(name, value)| (name.as_str(), value)))
            }
            _ => {
                let mut secrets = Self { texts: Vec::new(), left: MOST };
                go_through(&mut secrets, params, 0, Told::by_name(Tell::No));
                secrets.sorted()
            }
        }
    }

    /// The same of some parameters, by their dotted paths, which say nothing of each other.
    pub(crate) fn of_some<'v>(params: impl Iterator<Item = (&'v str, &'v Value)>) -> Self {
        let mut secrets = Self { texts: Vec::new(), left: MOST };
        for (path, value) in params.filter(|(path, _)| *path != LINE) {
            let name = path.rsplit('.').next().unwrap_or(path);
            go_through(&mut secrets, value, 1, Told::by_name(tells(name)));
        }
        secrets.sorted()
    }

    /// Long ones first: one may be a part of another.
    fn sorted(mut self) -> Self {
        self.texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        self.texts.dedup();
        self
    }

    /// `text` with a mark in the place of each of them that it has; `None` where it has none.
    pub(crate) fn marked(&self, text: &str) -> Option<String> {
        let mut marked: Option<String> = None;
        for secret in &self.texts {
            let within = marked.as_deref().unwrap_or(text);
            marked = replaced_in(within, secret).or(marked);
        }
        marked
    }

    /// The same of a value that is more than one of them: one that is none but that is known wherever it comes to stand.
    pub(crate) fn marked_within(&self, value: &str) -> Option<String> {
        if self.texts.iter().any(|text| text == value.trim()) { None } else { self.marked(value) }
    }

    fn note(&mut self, secret: &str) {
        let secret = secret.trim();
        if secret.len() >= LEAST && !is_mail_address(secret) {
            self.texts.push(secret.to_owned());
        }
    }
}

impl Sink for Secrets {
    fn is_full(&self) -> bool {
        self.left == 0
    }

    fn sign(&mut self, _: &str) {}

    fn name(&mut self, _: &str, _: bool) {}

    fn text(&mut self, text: &str) {
        self.left = self.left.saturating_sub(1);
        let text = head(text, LOOKED_AT).0;
        for secret in secrets_in(text, false) {
            self.note(text.get(secret).unwrap_or_default());
        }
    }

    fn word(&mut self, word: &str, secrets: &[Range<usize>]) {
        secrets.iter().for_each(|secret| self.note(word.get(secret.clone()).unwrap_or_default()));
    }

    fn secret(&mut self, value: &Value, is_named: bool) {
        note_all(self, value, is_named, 0);
    }
}

/// Notes all that is in a secret value. By its field's name alone much is taken out that is none, and is what a call is about:
/// `{"issueKey": "SHOP-12"}`, `{"secret": "db-password"}`.
fn note_all(secrets: &mut Secrets, value: &Value, is_named: bool, depth: usize) {
    let is_sure = |text: &str| !is_named || looks_made(text.trim());
    match value {
        _ if depth > MAX_DEPTH => {}
        Value::String(text) => {
            let known = head(text, LOOKED_AT).0;
            if is_sure(known) {
                secrets.note(known);
            }
            // The address of a server is one for what is in it.
            secrets.text(text);
        }
        Value::Number(number) if !is_named => secrets.note(&number_text(number)),
        Value::Array(items) => items.iter().for_each(|item| note_all(secrets, item, is_named, depth + 1)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_card = cards::names_its_number(name) && cards::is_number(value);
                note_all(secrets, value, is_named && !is_card, depth + 1);
            }
        }
        Value::Number(_) | Value::Null | Value::Bool(_) => {}
    }
}

/// Whom a mail is for is no secret, wherever else it stands.
fn is_mail_address(text: &str) -> bool {
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte));
    text.split_once('@').is_some_and(|(user, host)| is_plain(user) && is_plain(host) && host.contains('.'))
}

/// A secret as keys have it: as it is, in small letters, as the words of a title, a number without what only people put into it.
fn forms(secret: &str) -> Vec<String> {
    let small = secret.to_lowercase();
    let words: Vec<&str> =
        small.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_number = secret.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-'));
    let mut forms = vec![secret.to_owned(), words.join("-")];
    forms.extend(is_number.then(|| words.concat()));
    forms.push(small);
    forms.retain(|form| form.len() >= LEAST);
    forms.dedup();
    forms
}

/// `text` with a mark in the place of a secret, where it has that.
fn replaced_in(text: &str, secret: &str) -> Option<String> {
    let mut found: Option<String> = None;
    for form in forms(secret) {
        let within = found.as_deref().unwrap_or(text);
        let is_beside = |c: char| c.is_alphanumeric();
        let is_one = |at: usize| {
            let (before, after) = (within.get(..at), within.get(at + form.len()..));
            let is_alone = !before.is_some_and(|before| before.ends_with(is_beside))
                && !after.is_some_and(|after| after.starts_with(is_beside));
            form.len() >= SURE || is_alone
        };
        let places: Vec<usize> =
            within.match_indices(&form).map(|(at, _)| at).filter(|at| is_one(*at)).collect();
        if places.is_empty() {
            continue;
        }
        let (mut marked, mut copied) = (String::with_capacity(within.len()), 0);
        for at in places {
            marked.push_str(within.get(copied..at).unwrap_or_default());
            marked.push_str(&key_mark(secret));
            copied = at + form.len();
        }
        marked.push_str(within.get(copied..).unwrap_or_default());
        found = Some(marked);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_taken_out_of_parameters_is_marked_in_what_is_made_of_them() {
        let secret = "Zq7mXv9Kd2Lw8Rt4";
        for (params, key, is_marked) in [
            (json!({ "args": ["--token", secret] }), format!("tool:deploy:{secret}"), true),
            (json!({ "args": ["x", "-p", secret] }), format!("x:arg/{}", secret.to_lowercase()), true),
            (json!({ "auth": { "b": [secret] } }), format!("a:{secret}/b"), true),
            (json!({ "url": format!("https://u:{secret}@h/x") }), format!("h:u:{secret}@h"), true),
            (json!({ "x": ["--token", "Zq7.mXv9.Kd2Lw8"] }), "x#new:zq7-mxv9-kd2lw8".to_owned(), true),
            (json!({ "args": ["--pin", "1234"] }), "door:1234".to_owned(), true),
            (json!({ "args": ["--pin", "1234"] }), "door:12345".to_owned(), false),
            (json!({ "args": ["--pass", "xy"] }), "door:xy".to_owned(), false),
            (json!({ "issueIdOrKey": "SHOP-12" }), "jira:SHOP-12".to_owned(), false),
            (json!({ "authorization": { "id": "au_1" } }), "x:au_1".to_owned(), false),
            (json!({ "auth": { "user": "a@x.com" } }), "email:a@x.com".to_owned(), false),
            (json!({ "command": format!("x --token {secret}") }), secret.to_owned(), false),
            (json!({ "to": secret }), secret.to_owned(), false),
            (
                json!({ "card": { "number": "4242 4242 4242 4242" } }),
                "p:4242 4242 4242 4242".to_owned(),
                true,
            ),
            (
                json!({ "card": { "number": 12 }, "number": "424242424242" }),
                "c:424242424242/12".to_owned(),
                false,
            ),
        ] {
            let marked = Secrets::of(&params).marked(&key);
            assert_eq!(marked.is_some(), is_marked, "{params}");
            assert!(
                marked.is_none_or(|key| key.contains("[redacted:") && !key.to_lowercase().contains("lw8")),
                "{params}"
            );
        }
    }
}
