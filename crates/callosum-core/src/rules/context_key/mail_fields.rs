//! Who a mail goes to, as objects say it: the parameters of a tool that sends mail, the body of a request to a mail service.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::address::{address_list, addresses};
use super::field::{Field, folded};
use super::{Lookup, distinct, text_of};
use crate::rules::tool_words::NameWords;

/// A list or an object inside another inside … is followed so deep, and a text that is JSON counts as one: no JSON is deeper
/// that hosts and hooks read.
const MAX_DEPTH: usize = 130;

/// Tells the texts in the fields that name recipients or senders, of `value` and of what is in it.
pub(super) fn named(value: &Value, take: &mut dyn FnMut(Field, &str)) {
    named_within(value, MAX_DEPTH, take);
}

fn named_within(value: &Value, depth: usize, take: &mut dyn FnMut(Field, &str)) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => items.iter().for_each(|item| named_within(item, deeper, take)),
        Value::Object(fields) => {
            for (name, value) in in_order(fields) {
                match Field::of(name) {
                    Field::Other => named_within(value, deeper, take),
                    kind => each_text(value, deeper, &mut |text| take(kind, text)),
                }
            }
        }
        Value::String(text) => {
            if let Some(inner) = json_in(text) {
                named_within(&inner, deeper, take);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The fields of an object, `cc` and `bcc` behind the others.
fn in_order(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| match name.as_bytes().first() {
        Some(b'b' | b'B') => 2,
        Some(b'c' | b'C') => 1,
        _ => 0,
    });
    fields
}

/// The texts in the value of such a field; of an object those that are the address, else all that hold one.
fn each_text(value: &Value, depth: usize, take: &mut dyn FnMut(&str)) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    match value {
        Value::String(text) => match json_in(text) {
            Some(inner) => each_text(&inner, deeper, take),
            None => take(text),
        },
        Value::Array(items) => items.iter().for_each(|item| each_text(item, deeper, take)),
        Value::Object(fields) => {
            let is_address =
                |name: &str| Field::of(name) == Field::Recipient || name.eq_ignore_ascii_case("value");
            let mut told = false;
            for (_, value) in in_order(fields).into_iter().filter(|(name, _)| is_address(name)) {
                each_text(value, deeper, &mut |text| {
                    told = true;
                    take(text);
                });
            }
            if !told {
                texts(value, deeper, &mut |text| addresses(text).for_each(|address| take(&address)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// All texts in `value`, and the names of its fields: `{"alice@x": "Alice"}`.
fn texts(value: &Value, depth: usize, take: &mut dyn FnMut(&str)) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, deeper, take)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            take(name);
            texts(value, deeper, take);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The list or object that a text is: models send `"[\"a@x\"]"` where a list is asked for.
fn json_in(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with(['[', '{']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Who the mail of a tool goes to: whom its parameters name. Where none of that is an address, whatever looks like one in any
/// parameter, a sender only if there is nobody else.
pub(super) fn of_parameters(params: &Lookup<'_>, tool: &str) -> Vec<String> {
    let all = params.all();
    let mut people = People::default();
    let value = if all.complete { all.value } else { Cow::Owned(reread(all.value.into_owned(), params)) };
    named(&value, &mut |kind, text| people.take(kind, text));
    if people.recipients.iter().any(|name| name.contains('@')) {
        return people.recipients;
    }
    let mut everybody = Vec::new();
    texts(&value, MAX_DEPTH, &mut |text| {
        if everybody.len() <= super::MAX_KEYS {
            everybody.extend(addresses(text));
        }
    });
    let (senders, others) =
        everybody.into_iter().partition::<Vec<_>, _>(|name| people.senders.contains(name));
    let guessed = if others.is_empty() { senders } else { others };
    let named = distinct(people.recipients.into_iter().chain(guessed));
    if named.is_empty() { letters(&value, tool) } else { named }
}

/// What a mail is known by that names nobody: an answer to a message, a draft that is sent.
fn letters(params: &Value, tool: &str) -> Vec<String> {
    const IDS: &[(&str, &str)] = &[
        ("draftid", "draft"),
        ("messageid", "message"),
        ("replytomessageid", "message"),
        ("emailid", "message"),
        ("mailid", "message"),
        ("inreplyto", "message"),
        ("threadid", "thread"),
        ("conversationid", "thread"),
    ];
    // A draft is a message, too, for some services.
    let is_draft = NameWords::of_tool(tool).own().any(|word| matches!(word, "draft" | "drafts"));
    let fields = params.as_object().into_iter().flatten();
    let named = fields.filter_map(|(name, value)| {
        let kind = IDS.iter().find(|(known, _)| *known == folded(name))?.1;
        Some(format!("{}/{}", if is_draft { "draft" } else { kind }, text_of(value)?))
    });
    distinct(named)
}

/// The parameters with those that count read once more: behind a text of megabytes they were cut off.
fn reread(mut all: Value, params: &Lookup<'_>) -> Value {
    let fields = all.as_object_mut().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| Field::of(name) != Field::Other) {
        if let Some(whole) = params.read_again(name) {
            *value = whole;
        }
    }
    all
}

/// Whom some parameters name.
#[derive(Default)]
struct People {
    recipients: Vec<String>,
    seen: HashSet<String>,
    senders: HashSet<String>,
}

impl People {
    fn take(&mut self, kind: Field, text: &str) {
        match kind {
            Field::Sender => self.senders.extend(addresses(text)),
            // Of a list of thousands no more is read than there may be keys.
            _ if self.recipients.len() > super::MAX_KEYS => {}
            _ => {
                for address in address_list(text) {
                    if self.seen.insert(address.clone()) {
                        self.recipients.push(address);
                    }
                }
            }
        }
    }
}
