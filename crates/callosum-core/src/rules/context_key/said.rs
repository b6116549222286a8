//! What tells the target of a call that has none of the usual fields, by the values rather than by what their fields are called.

use super::fields::Fields;
use super::ids::{CALLERS, FILES, LOCAL, TRAITS, is_id, is_other};
use super::whole::{has_part, is_token};
use crate::rules::tool_words::NameWords;

/// How well a value tells one thing from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Telling {
    /// An id: `88214`, `5d41402abc4b2a76`.
    Token,
    /// An address, a path, a host.
    Address,
    /// A few words.
    Words,
}

/// Values are joined up to so many.
const MOST: usize = 3;
/// A value with more bytes or words is a text.
const MAX_NAME: usize = 80;
const MAX_WORDS: usize = 6;

/// Parts of names of fields that hold a text, how much of something there shall be, or how something is done.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "answer", "body", "caption", "comment", "content", "description", "detail", "explanation", "feedback", "greeting", "html", "instruction",
    "headline", "justification", "markdown", "memo", "message", "note", "prompt", "purpose", "query", "reason", "remark", "reply", "script", "sql",
    "statement", "subject", "summary", "text", "title",
];
#[rustfmt::skip]
const OPTIONS: &[&str] = &[
    "action", "allow", "attachment", "callback", "cancelurl", "commit", "confirm", "country", "currency", "delay", "direction", "disabled", "duration", "enabled",
    "encoding", "expires", "filter", "force", "format", "height", "hours", "image", "interval", "label", "length", "locale", "media", "method", "minutes",
    "notify", "numberof", "offset", "operation", "outcome", "page", "percent", "photo", "protocol", "qty", "redirecturi", "redirecturl", "replicas", "retries", "returnurl", "revision", "seconds",
    "sha", "side", "sort", "strategy", "style", "successurl", "tags", "theme", "threshold", "timeout", "total", "ttl", "type", "unit", "video", "weight", "width",
];

/// Verbs of tools that give something new values.
const SETTING: &[&str] = &["change", "configure", "edit", "modify", "patch", "set", "toggle", "update"];

/// Whether a field holds what is said of a thing, or how something is done.
fn is_option(field: &str) -> bool {
    let is_trait = |like: &&str| field.ends_with(*like) && !field.ends_with("account");
    TEXTS.iter().any(|part| field.contains(part))
        || OPTIONS.iter().any(|part| field.starts_with(part) || field.ends_with(part))
        || matches!(field, "command" | "op" | "subcommand" | "verb")
        || TRAITS.iter().any(is_trait)
        || is_other(field)
        || LOCAL.contains(&field)
        || CALLERS.contains(&field)
}

/// How well the value of a field tells what is meant, if it does.
fn telling(field: &str, value: &str) -> Option<Telling> {
    // A slash alone names nothing.
    let is_name = value.chars().any(char::is_alphanumeric)
        && value.chars().all(|c| c.is_alphanumeric() || " -_./@:#&+,='()".contains(c));
    if is_option(field) || matches!(value, "true" | "false") || !is_name || is_time(value) {
        return None;
    }
    let is_one_word = !value.contains(char::is_whitespace);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b".-+".contains(&byte));
    let is_hex = || value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    match () {
        // Small numbers say how much.
        () if is_number => (digits >= 4 && !value.contains('.')).then_some(Telling::Token),
        () if is_one_word && digits > 0 && (is_token(value) || is_hex()) => Some(Telling::Token),
        () if is_one_word && value.contains(['/', '@', '.']) => Some(Telling::Address),
        () if value.len() <= MAX_NAME && value.split_whitespace().count() <= MAX_WORDS => {
            Some(Telling::Words)
        }
        () => None,
    }
}

/// `2026-11-27`, `2026-11-27T08:00:00Z`, `2026-11`, `10:20`, `1764302400`.
fn is_time(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_day = (0..4).all(is_digit)
        && bytes.get(4) == Some(&b'-')
        && is_digit(5)
        && is_digit(6)
        && matches!(bytes.get(7), None | Some(b'-'));
    let is_hour = is_digit(0) && value.len() <= "10:20:30".len() && value.contains(':');
    // Since 1970, in seconds or thousandths.
    let is_moment = matches!(value.len(), 10 | 13)
        && value.starts_with(['1', '2'])
        && bytes.iter().all(u8::is_ascii_digit);
    is_day || is_hour || is_moment
}

/// The field that tells what is meant best, with its values, of those that a key does not have yet; several are joined in one order,
/// whatever order they were given in. Words tell nothing where the tool gives something new values.
pub(super) fn told(
    name: &NameWords,
    fields: &Fields,
    most: Telling,
    key: &str,
) -> Option<(String, Vec<String>)> {
    if most == Telling::Words && name.acting().is_some_and(|verb| SETTING.contains(&verb)) {
        return None;
    }
    let of = |field: &str, value: &str| {
        telling(field, value).filter(|telling| *telling <= most && !has_part(key, value))
    };
    let found = fields.outermost(|field, value| of(field, value).is_some()).into_iter();
    let mut found: Vec<_> =
        found.filter_map(|(field, value)| Some((of(field, value)?, field, value))).collect();
    // Where something comes from on this machine does not tell what it becomes.
    let is_file = |field: &str| FILES.contains(&field);
    if found.iter().any(|(_, field, _)| !is_file(field)) {
        found.retain(|(_, field, _)| !is_file(field));
    }
    let best = found.iter().map(|(telling, ..)| *telling).min()?;
    found.retain(|(telling, ..)| *telling == best);
    found.sort_unstable();
    found.dedup_by_key(|(_, field, _)| *field);
    match found.as_slice() {
        [(_, field, _)] => Some(((*field).to_owned(), fields.named(field))),
        several => {
            let values: Vec<&str> = several.iter().map(|(.., value)| *value).take(MOST).collect();
            Some((String::new(), vec![values.join("/")]))
        }
    }
}

/// Verbs of tools that take no more than what tells their target, and why.
#[rustfmt::skip]
const SETTLING: &[&str] = &[
    "acknowledge", "approve", "assign", "ban", "cancel", "close", "deactivate", "delete", "deny", "destroy", "discharge", "drop", "end", "evict", "grant",
    "kick", "purge", "reject", "release", "remove", "resolve", "revoke", "terminate", "unassign", "unblock", "withdraw", "wipe",
];

/// Whether a tool does such a thing.
fn is_settling(name: &NameWords) -> bool {
    name.acting().is_some_and(|verb| SETTLING.contains(&verb))
}

/// What tells the target of such a call besides a name that others may have, too: the ward of a bed.
pub(super) fn beside(name: &NameWords, fields: &Fields, found: &str) -> Option<String> {
    let is_of_others = !is_id(found) && !["code", "key", "no", "ref"].iter().any(|end| found.ends_with(end));
    if !is_of_others || !is_settling(name) {
        return None;
    }
    let is_number = |value: &str| value.len() <= MAX_NAME && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_it = |field: &str, value: &str| {
        let is_told =
            telling(field, value).is_some() || is_number(value) && !is_option(field) && !is_time(value);
        field != found && is_told && !field.ends_with('s')
    };
    let mut all = fields.outermost(is_it);
    all.sort_unstable();
    all.dedup();
    let values: Vec<&str> = all.into_iter().map(|(_, value)| value).take(MOST).collect();
    (!values.is_empty()).then(|| values.join("/"))
}
