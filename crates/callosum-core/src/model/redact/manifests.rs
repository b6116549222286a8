//! Secrets that a whole document or a line of its own form holds: a manifest of `kind: Secret`, and `.pgpass`.

use std::ops::Range;

use super::text::Text;

/// At most this many bytes before and behind the name are examined: it may stand there often.
const NEAR: usize = 4096;

/// What is near a place, from a character's beginning to another's.
fn near(text: Text<'_>, place: usize) -> Range<usize> {
    let far = (place + NEAR).min(text.len());
    text.back(place, NEAR)..text.skip(far, |byte| byte & 0xc0 == 0x80)
}

/// The values under `data` and `stringData` in the manifest whose `kind` is at `name`, in YAML or JSON.
pub(super) fn values(text: Text<'_>, name: &Range<usize>) -> Vec<Range<usize>> {
    let is_around = |byte: u8| matches!(byte, b' ' | b'"' | b'\'' | b':' | b'\\');
    if text.part(name.clone()) != "Secret"
        || !text.part(0..text.skip_back(name.start, is_around)).ends_with("kind")
    {
        return Vec::new();
    }
    let near = near(text, name.end);
    let begin = text.part(near.start..name.start).rfind("\n---").map_or(near.start, |at| near.start + at);
    let end = text.part(name.end..near.end).find("\n---").map_or(near.end, |at| name.end + at);
    let mut values = Vec::new();
    let mut place = begin;
    let next = |from: usize| {
        let rest = text.part(from..end);
        ["data", "stringData"].iter().filter_map(|key| rest.find(key)).min().map(|at| from + at)
    };
    while let Some(at) = next(place) {
        let key = text.skip(at, |byte| byte.is_ascii_alphabetic());
        place = key;
        let sign = text.skip(key, |byte| matches!(byte, b'"' | b'\\' | b' '));
        let is_key = ["data", "stringData"].contains(&text.part(at..key))
            && matches!(text.before(at), b'\n' | b'"' | b' ' | b'{' | b',' | 0);
        if text.at(sign) != b':' || !is_key {
            continue;
        }
        let open = text.skip(sign + 1, |byte| byte.is_ascii_whitespace());
        if text.at(open) == b'{' {
            let close = text.skip(open, |byte| byte != b'}').min(end);
            values.push(open + 1..close);
            place = close;
        } else {
            place = in_lines(text, at, sign + 1, end, &mut values);
        }
    }
    values.retain(|value| !text.part(value.clone()).trim().is_empty());
    values
}

/// The values of the lines that stand deeper than the key at `key`, from the line behind `from` on; where they end.
fn in_lines(text: Text<'_>, key: usize, from: usize, end: usize, values: &mut Vec<Range<usize>>) -> usize {
    let indent = |line: usize| text.skip(line, |byte| byte == b' ') - line;
    let own = indent(text.line_start(key));
    let mut line = text.skip(text.line_end(from), |byte| matches!(byte, b'\n' | b'\r'));
    while line < end && indent(line) > own {
        let line_end = text.line_end(line).min(end);
        let begin = text.find(line, ":").map_or(line, |colon| colon + 1);
        let begin = if begin > line_end { line } else { begin };
        values.push(text.blanks(begin).min(line_end)..line_end);
        line = text.skip(line_end, |byte| matches!(byte, b'\n' | b'\r'));
    }
    line
}

/// What divides lines of `.pgpass` from what is around them.
fn divides(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'')
}

/// The password in a line `host:port:database:user:password`, which ends at `end`.
fn password(line: &str, end: usize) -> Option<Range<usize>> {
    let mut fields = line.splitn(5, ':');
    let is_port = |port: &str| port == "*" || !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let is_line = fields.next().is_some_and(|host| !host.is_empty())
        && fields.next().is_some_and(is_port)
        && fields.next().is_some_and(|database| !database.is_empty())
        && fields.next().is_some_and(|user| !user.is_empty());
    let password = fields.next().filter(|password| is_line && !password.is_empty())?;
    Some(end - password.len()..end)
}

/// The password of the line of `.pgpass` whose port is at `port`.
pub(super) fn pgpass_line(text: Text<'_>, port: &Range<usize>) -> Option<Range<usize>> {
    let begin = text.skip_back(port.start, |byte| !divides(byte));
    let end = text.skip(port.start, |byte| !divides(byte) && byte != b'\\');
    let line = text.part(begin..end);
    if end - begin > NEAR || line.contains('/') && line.contains("//") {
        return None;
    }
    password(line, end)
}

/// The passwords in such lines near the file's name, which ends at `name`.
pub(super) fn in_pgpass(text: Text<'_>, name: usize) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let near = near(text, name);
    let mut place = near.start;
    while place < near.end {
        let begin = text.skip(place, divides);
        place = text.skip(begin, |byte| !divides(byte));
        values.extend(password(text.part(begin..place), place));
    }
    values
}
