//! Secrets taken out of what is written down: parameter summaries, context keys, pause texts.
//!
//! A best effort on well-known shapes. It errs towards taking out too much. One pass over a text finds the words beside which
//! secrets stand (most texts have none); what is around each is then looked at by the module for its sort: `names` and `values` for a name
//! and what belongs to it (below it in `blocks`, apart from it in `pairs`, `columns` and `manifests`, in SQL in `statements`, in `sentences`, also of other `languages`), `programs` for
//! commands that are given secrets (what they read in `input`), `calls` for functions that are, `talk` for what is said to a server, `shapes` for tokens and addresses that are
//! secrets themselves. `summary` shows a call's parameters, whose structure tells as much as their texts (`cards` numbers, too); `taken` tells
//! what was taken out of them.

mod blocks;
mod calls;
mod cards;
mod columns;
mod command;
mod input;
mod languages;
mod manifests;
mod names;
mod pairs;
mod programs;
mod sentences;
mod shapes;
mod signs;
mod statements;
mod summary;
mod taken;
mod talk;
mod text;
mod values;
#[rustfmt::skip]
mod words;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use summary::first_line;
pub use summary::{summarize, summarize_command};
pub(crate) use taken::Secrets;

use crate::model::digest::hash_text;
use crate::model::text::head;
use names::{Tell, tell};
use signs::Sign;
use text::{Text, decoded};

/// The secrets in a text, in order and apart from each other.
fn secrets_in(whole: &str, in_key: bool) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    let has_signs = look_through(whole, in_key, &mut secrets);
    if has_signs && let Some(decoded) = decoded(whole) {
        look_through(&decoded, in_key, &mut secrets);
    }
    if in_key && whole.contains('/') {
        // `http:POST:host/path`: no sign says where the address begins.
        let text = Text(whole);
        shapes::in_parts(text, 0..whole.len(), !shapes::is_of_names(whole), |secret| secrets.push(secret));
    }
    outside_marks(whole, merge(secrets))
}

/// Adds what the signs in a text tell of; whether there are any.
fn look_through(whole: &str, in_key: bool, secrets: &mut Vec<Range<usize>>) -> bool {
    let text = Text(whole);
    let mut values: Vec<Range<usize>> = Vec::new();
    let (mut name_end, mut programs, mut has_signs) = (0, 0, false);
    for (at, sign) in signs::found(whole) {
        has_signs = true;
        let mut add = |secret: Range<usize>| {
            let said = text.part(secret.clone()).trim_start_matches(['"', '\'', '\\']);
            // Marked already, by an earlier time: marking it again would change a key.
            if !said.trim_start_matches('*').is_empty() && !said.starts_with(MARK) {
                secrets.push(secret);
            }
        };
        match sign {
            // One name has several words, and what is in a secret is no name.
            Sign::Name if at.start < name_end || values.iter().any(|value| value.contains(&at.start)) => {}
            Sign::Name => {
                let (end, secrets) = values::secrets_of(text, &at, in_key);
                name_end = end;
                for secret in secrets {
                    values.push(secret.clone());
                    add(secret);
                }
            }
            Sign::Word => values::secrets_of_word(text, &at, in_key).into_iter().for_each(add),
            Sign::Program(_) if programs == PROGRAMS_LOOKED_AT => {}
            Sign::Program(line) => programs += usize::from(programs::secrets(text, &at, line, add)),
            Sign::Token(place) => shapes::token(text, &at, place).into_iter().for_each(add),
            Sign::Hook(place) => shapes::in_hook(text, &at, place).into_iter().for_each(add),
            Sign::Host => shapes::in_host(text, &at).into_iter().for_each(add),
            Sign::Address => shapes::in_address(text, &at, in_key, add),
            Sign::Pem => shapes::pem(text, &at).into_iter().for_each(add),
            Sign::Scheme => shapes::scheme(text, &at).into_iter().for_each(add),
            Sign::PgPass if in_key => {}
            Sign::PgPass => manifests::pgpass_line(text, &at).into_iter().for_each(add),
            Sign::Crypt => shapes::hash(text, &at).into_iter().for_each(add),
            Sign::BotToken => shapes::bot_token(text, &at).into_iter().for_each(add),
            Sign::Proxy => shapes::in_proxy(text, &at).into_iter().for_each(add),
            Sign::Call(place) => calls::argument_of(text, &at, place).into_iter().for_each(add),
            Sign::User => talk::user(text, &at).into_iter().for_each(add),
            Sign::Login => talk::login(text, &at).into_iter().for_each(add),
            Sign::Expect => talk::sent(text, &at, add),
            Sign::Mask if text.at(at.end) == b'$' => {}
            Sign::Mask => add(at.end..text.skip(at.end, |byte| !b"\"'\r\n\\".contains(&byte))),
        }
    }
    has_signs
}

/// The secrets without what of them is marked already: a mark in a mark says nothing, and changes a key.
fn outside_marks(text: &str, secrets: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if secrets.is_empty() || !text.contains(MARK) {
        return secrets;
    }
    let marks: Vec<Range<usize>> = text
        .match_indices(MARK)
        .filter_map(|(at, _)| {
            let rest = text.get(at + MARK.len()..)?;
            let digest = rest.strip_prefix(':').map_or(0, |digest| {
                let length = digest.bytes().take_while(u8::is_ascii_hexdigit).count();
                if length == 2 * DIGEST_BYTES { length + 1 } else { 0 }
            });
            rest.get(digest..)?.starts_with(']').then_some(at..at + MARK.len() + digest + 1)
        })
        .collect();
    let mut outside = Vec::with_capacity(secrets.len());
    for secret in secrets {
        let mut from = secret.start;
        for mark in marks.iter().filter(|mark| mark.start < secret.end && secret.start < mark.end) {
            outside.extend((from < mark.start).then_some(from..mark.start));
            from = mark.end;
        }
        outside.extend((from < secret.end).then_some(from..secret.end));
    }
    outside
}

fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if ranges.len() > 1 {
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, kept| {
            let overlaps = next.start < kept.end;
            if overlaps {
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
    }
    ranges
}

/// `text` with each of `secrets` replaced.
fn replaced<'t>(text: &'t str, secrets: &[Range<usize>], mark: impl Fn(&str) -> String) -> Cow<'t, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for secret in secrets {
        replaced.push_str(text.get(copied..secret.start).unwrap_or_default());
        replaced.push_str(&mark(text.get(secret.clone()).unwrap_or_default()));
        copied = secret.end;
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(replaced)
}

/// `text` with each secret in it replaced by `[redacted]`.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, &secrets_in(text, false), |_| REDACTED.to_owned())
}

/// What stands for a secret.
const REDACTED: &str = "[redacted]";
/// What that begins with, in keys too.
const MARK: &str = "[redacted";
/// Bytes of a secret's hash that stand for it in a key.
const DIGEST_BYTES: usize = 4;

/// `key` with each secret in it replaced by `[redacted:` and eight hexadecimal characters of its SHA-256,
/// so that keys with different secrets stay different.
#[must_use]
pub fn redact_key(key: &str) -> Cow<'_, str> {
    replaced(key, &secrets_in(key, true), key_mark)
}

/// What stands for a secret in a key.
pub(crate) fn key_mark(secret: &str) -> String {
    if secret.starts_with(MARK) {
        secret.to_owned()
    } else {
        format!("{MARK}:{}]", hash_text(secret, DIGEST_BYTES))
    }
}

/// The words of a command, secrets replaced by `[redacted]`: also those that only the words around them tell of.
#[must_use]
pub(crate) fn redact_words<'w>(words: &[&'w str]) -> Vec<Cow<'w, str>> {
    let secrets = in_words(words);
    words
        .iter()
        .zip(secrets)
        .map(|(word, secrets)| replaced(word, &secrets, |_| REDACTED.to_owned()))
        .collect()
}

/// Bytes of a command's words that are looked at for what its keys may not show.
const LINE: usize = 4096;
/// Names of programs that are looked at in a text: what follows each may be all the rest.
const PROGRAMS_LOOKED_AT: usize = 32;

/// The secrets in the words of a command, where they are long enough to be told from other text.
#[must_use]
pub(crate) fn secrets_of_words(words: &[&str]) -> Vec<String> {
    let mut left = LINE;
    let words: Vec<&str> = words
        .iter()
        .map_while(|word| {
            let shown = if left > 0 { Some(head(word, left).0) } else { None };
            left = left.saturating_sub(word.len() + 1);
            shown
        })
        .collect();
    // Most commands are given none: that is seen without putting them together.
    if !words.iter().any(|word| may_hold_one(word)) {
        return Vec::new();
    }
    let texts = words.iter().zip(in_words(&words)).flat_map(|(word, secrets)| {
        secrets.into_iter().filter_map(move |secret| word.get(secret)).filter(|secret| secret.len() >= 4)
    });
    texts.map(str::to_owned).collect()
}

/// The places of the secrets in each of the words of a command.
fn in_words(words: &[&str]) -> Vec<Vec<Range<usize>>> {
    // One line of them, each between quotes that none of them has: so a blank in a word divides nothing.
    let mut line = String::new();
    let mut places = Vec::with_capacity(words.len());
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        let quote = if word.is_empty()
            || word.contains([' ', '\t', '\n', ';', '|', '&', '<', '"', '\\']) && !word.contains('\'')
        {
            "'"
        } else {
            ""
        };
        line.push_str(quote);
        places.push(line.len()..line.len() + word.len());
        line.push_str(word);
        line.push_str(quote);
    }
    let secrets = secrets_in(&line, false);
    let within = |place: &Range<usize>| -> Vec<Range<usize>> {
        let parts = secrets.iter().filter(|secret| secret.start < place.end && place.start < secret.end);
        parts
            .map(|secret| {
                secret.start.max(place.start) - place.start..secret.end.min(place.end) - place.start
            })
            .collect()
    };
    places.iter().map(within).collect()
}

/// Whether a value under this name is a secret, whatever it looks like.
pub(crate) fn names_a_secret(name: &str) -> bool {
    tells(name) >= Tell::Likely
}

/// What a name says of its value.
fn tells(name: &str) -> Tell {
    if may_tell(name) { tell(name) } else { Tell::No }
}

/// Whether there is a word in a name that may tell of its value; most names have none.
fn may_tell(name: &str) -> bool {
    let ends_in_pat = || {
        name.len() > 3
            && name.as_bytes().last_chunk().is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b"pat"))
    };
    may_hold_one(name) || ends_in_pat()
}

/// Whether there is a word in `text` that is a sign of a secret; most texts have none.
fn may_hold_one(text: &str) -> bool {
    signs::found(text).next().is_some()
}

#[cfg(test)]
mod tests;
