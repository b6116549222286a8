//! Secrets in what is said to a server, or to a program that asks: SMTP, IMAP, POP3, FTP, scripts of `ftp` and `expect`.

use std::ops::Range;

use super::text::Text;

/// So far from what tells of it a secret is looked for.
const NEAR: usize = 300;

/// Ways of signing in that a server offers.
const MECHANISMS: &[&str] = &[
    "PLAIN",
    "LOGIN",
    "XOAUTH2",
    "OAUTHBEARER",
    "CRAM-MD5",
    "DIGEST-MD5",
    "NTLM",
    "EXTERNAL",
    "SCRAM-SHA-1",
    "SCRAM-SHA-256",
];

fn in_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"\"'`\\;".contains(&byte)
}

/// The word that follows blanks from `from` on, if there is one.
fn word(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let begin = text.blanks(from);
    let end = text.skip(begin, in_word);
    (end > begin).then_some(begin..end)
}

/// Whether nothing else is said behind a place: in its line, its text, its command.
fn ends(text: Text<'_>, place: usize) -> bool {
    let behind = text.blanks(place);
    matches!(text.at(behind), 0 | b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b';' | b'`')
}

/// Whether something begins at a place: a line, a text, a command.
fn begins(text: Text<'_>, place: usize) -> bool {
    let before = text.skip_back(place, |byte| matches!(byte, b' ' | b'\t'));
    matches!(text.before(before), 0 | b'\n' | b'\r' | b'"' | b'\'' | b';' | b'`' | b'{')
}

/// What is near a place.
fn near(text: Text<'_>, place: usize) -> &str {
    let far = text.skip((place + NEAR).min(text.len()), |byte| byte & 0xc0 == 0x80);
    text.part(text.back(place, NEAR)..far)
}

/// What is said behind `AUTH` or `AUTHENTICATE`, which ends at `end`: `PLAIN x`; behind `LOGIN` the two lines that follow.
pub(super) fn mechanism(text: Text<'_>, end: usize) -> Option<Range<usize>> {
    let said = word(text, end)?;
    let mechanism = text.part(said.clone());
    if !MECHANISMS.iter().any(|known| known.eq_ignore_ascii_case(mechanism)) {
        return None;
    }
    let is_said = |word: &Range<usize>| {
        let said = text.part(word.clone());
        !MECHANISMS.contains(&said) && said.bytes().any(|byte| !byte.is_ascii_lowercase())
    };
    if let Some(value) = word(text, said.end) {
        return Some(value).filter(is_said);
    }
    let line = |from: usize| {
        let begin = text.skip(from, |byte| byte.is_ascii_whitespace());
        word(text, begin).filter(|line| begin > from && ends(text, line.end))
    };
    let first = line(said.end).filter(is_said)?;
    let second = line(first.end).filter(|_| mechanism.eq_ignore_ascii_case("LOGIN"));
    Some(first.start..second.map_or(first.end, |second| second.end))
}

/// What is said behind `PASS`, by a client that told its user before: POP3, FTP (`quote PASS x` in a script), IRC (then it comes first).
pub(super) fn pass(text: Text<'_>, name: &Range<usize>) -> Option<Range<usize>> {
    let before = text.part(text.line_start(name.start)..name.start).trim_end();
    let quotes = before.ends_with("quote") || before.ends_with("literal");
    let own = text.part(name.clone());
    let talks = || {
        let near = near(text, name.start);
        own == "PASS" && ["USER ", "NICK "].iter().any(|said| near.contains(said))
    };
    let is_said = quotes || begins(text, name.start) && talks();
    word(text, name.end).filter(|value| is_said && ends(text, value.end))
}

/// The password in a script of `ftp` or `lftp`, `user NAME x`, `open -u NAME,x`, whose first words are at `found`.
pub(super) fn user(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    if !begins(text, found.start) {
        return None;
    }
    let name = word(text, found.end)?;
    if text.part(found.clone()).contains("-u") {
        let comma = text.part(name.clone()).find(',')?;
        return Some(name.start + comma + 1..name.end);
    }
    let value = word(text, name.end).filter(|value| ends(text, value.end))?;
    let near = near(text, found.start);
    ["ftp", "open ", "quote "].iter().any(|said| near.contains(said)).then_some(value)
}

/// The password behind `LOGIN user` of IMAP, whose `LOGIN ` is at `found`: a tag stands before it.
pub(super) fn login(text: Text<'_>, found: &Range<usize>) -> Option<Range<usize>> {
    let tag_end = text.skip_back(found.start, |byte| byte == b' ');
    let tag = text.skip_back(tag_end, |byte| byte.is_ascii_alphanumeric() || byte == b'.');
    let is_command = text.part(found.clone()) == "LOGIN " && tag < tag_end && tag_end < found.start;
    if !is_command || !begins(text, tag) {
        return None;
    }
    let quoted = |from: usize| {
        text.quoted(from).map_or_else(|| word(text, from).map(|word| (word.clone(), word.end)), Some)
    };
    let (_, user) = quoted(text.blanks(found.end))?;
    let (value, end) = quoted(text.blanks(user)).filter(|_| text.at(user) == b' ')?;
    ends(text, end).then_some(value)
}

/// What a program asks for when it asks for a secret.
const ASKED: &[&str] =
    &["assword", "assphrase", "asscode", "secret", "token", "pin", "otp", "verification code"];

/// What a script sends where it expects to be asked for a secret: `expect "assword:"; send "x\r"`. `found` is its `expect`.
pub(super) fn sent(text: Text<'_>, found: &Range<usize>, mut add: impl FnMut(Range<usize>)) {
    let rest = text.rest(found.end);
    let end = found.end + rest.find("expect").unwrap_or(rest.len());
    let mut from = found.end;
    while let Some(length) = text.part(from..end).find("send").filter(|length| *length < NEAR) {
        let at = from + length;
        let asked = text.part(from..at).to_ascii_lowercase();
        let word = text.skip(at, |byte| byte.is_ascii_alphabetic() || byte == b'_');
        let begin = text.skip(word, |byte| matches!(byte, b' ' | b'\t' | b'-' | b'('));
        from = word;
        let value = match text.at(begin) {
            b'{' => begin + 1..text.skip(begin, |byte| !matches!(byte, b'}' | b'\n')),
            _ => match text.quoted(begin) {
                Some((value, end)) => {
                    from = end;
                    value
                }
                None => continue,
            },
        };
        let said = text.part(value.clone());
        // Without the key that is pressed then: `\r`.
        let length = ["\\r", "\\n"]
            .iter()
            .fold(said.trim_end(), |said, key| said.strip_suffix(key).unwrap_or(said))
            .len();
        if ASKED.iter().any(|word| asked.contains(word)) && length > 0 && !said.starts_with('$') {
            add(value.start..value.start + length);
        }
    }
}
