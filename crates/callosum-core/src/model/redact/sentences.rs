//! What a sentence says between a name and its value, and whether it says one: `the password is x`, `password: reset flow`.

use std::ops::Range;

use super::names::is_header;
use super::text::{Text, in_name};
use super::words::{SAID_FIRST, SAID_NEXT};

/// What a sentence says between a name and its value.
const SAYS: &[&str] = &[
    "is now ",
    "will be ",
    "should be ",
    "is ",
    "is: ",
    "was ",
    "= ",
    "-> ",
    "→ ",
    "ist ",
    "ist: ",
    "lautet ",
    "lautet: ",
    "est ",
    "est : ",
    "es ",
    "es: ",
    "é ",
];

/// How long is what a sentence says between a name and its value at `place`, `line` being what is before the name: `is`, `for admin:`, and
/// `to` where something is changed.
pub(super) fn said(text: Text<'_>, place: usize, line: &str) -> Option<usize> {
    let rest = text.part(place..text.line_end(place));
    if let Some(said) = SAYS.iter().find(|said| rest.starts_with(**said)) {
        return Some(said.len());
    }
    if rest.starts_with("for ") {
        return rest.find(": ").filter(|colon| *colon < 60).map(|colon| colon + 2);
    }
    let changes = || {
        let last = line.split_whitespace().rev().take(4);
        last.into_iter().any(|word| {
            ["change", "changed", "set", "reset", "update", "updated", "rotated"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        })
    };
    (rest.starts_with("to ") && changes()).then_some("to ".len())
}

/// Whether a value is the first word of what somebody says: `auth: rotate the keys`.
pub(super) fn goes_on(text: Text<'_>, value: &Range<usize>) -> bool {
    text.part(value.clone()).bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.at(value.end) == b' '
        && text.at(value.end + 1).is_ascii_alphabetic()
        && text.before(text.skip_back(value.start, |byte| byte == b' ')) == b':'
}

/// Whether even behind a sure name a value is no secret but what somebody says: `password: reset flow`, `token: bump`. Such are words in
/// small letters, of which one follows the other; only a phrase is a secret of them.
pub(super) fn is_said(text: Text<'_>, name: &str, value: &Range<usize>) -> bool {
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let said = text.part(value.clone());
    if is_header(name) {
        return said.contains(' ') && said.split(' ').all(is_word);
    }
    let follows_colon = text.before(text.skip_back(value.start, |byte| byte == b' ')) == b':';
    if !is_word(said) || !follows_colon || text.before(value.start) != b' ' {
        return false;
    }
    let next = text.blanks(value.end);
    if next == value.end {
        return said.len() < 8 && name.eq_ignore_ascii_case("token") && text.at(next) != b'\n';
    }
    let name = name.to_ascii_lowercase();
    let next = text.part(next..text.skip(next, in_name));
    // `password: hunter on the test host`
    is_word(next)
        && (SAID_FIRST.contains(&said) || SAID_NEXT.contains(&next) && !GOES_ON.contains(&next))
        && !["phrase", "mnemonic", "seed"].iter().any(|word| name.contains(word))
}

/// What a sentence goes on with behind a secret in it.
const GOES_ON: &[&str] = &["and", "or", "on", "at", "in", "for", "with", "then"];

/// A secret of several words in small letters, from the first one to the last: `password: correct horse battery staple`.
pub(super) fn whole_phrase(text: Text<'_>, name: &str, value: Range<usize>) -> Range<usize> {
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_sure = || name.to_ascii_lowercase().contains("pass");
    if text.at(value.end) != b' '
        || !is_word(text.part(value.clone()))
        || text.before(value.start) != b' '
        || !is_sure()
    {
        return value;
    }
    let mut end = value.end;
    for _ in 0..MAX_PHRASE {
        let next = end + 1..text.skip(end + 1, in_name);
        let word = text.part(next.clone());
        let is_name = matches!(text.at(next.end), b':' | b'=');
        if text.at(end) != b' '
            || !is_word(word)
            || is_name
            || GOES_ON.contains(&word)
            || SAID_NEXT.contains(&word)
        {
            break;
        }
        end = next.end;
    }
    value.start..end
}

/// At most this many words follow the first of a phrase.
const MAX_PHRASE: usize = 24;
