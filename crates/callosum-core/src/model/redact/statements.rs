//! Passwords in statements of SQL, and how a shell's quotes write them.

use std::ops::Range;

use super::text::Text;

/// So far back the statement's first words are looked for.
const NEAR: usize = 200;

/// The text at `place`, also one within a shell's own quotes: `'\''x'\''`, `'"'"'x'"'"'`.
fn quoted(text: Text<'_>, place: usize) -> Option<Range<usize>> {
    let within = ["'\\''", "'\"'\"'"].iter().find(|open| text.rest(place).starts_with(**open));
    if let Some(open) = within {
        let begin = place + open.len();
        return Some(begin..text.skip(begin, |byte| byte != b'\''));
    }
    // One that closes the text in which the statement stands opens none.
    let closes = text.at(place) == b'"' && text.quote_around(place) == b'"';
    text.quoted(place).filter(|_| !closes).map(|(value, _)| value)
}

/// Whether the words before `place` are of a statement about users.
fn is_statement(text: Text<'_>, place: usize) -> bool {
    let near = text.part(text.back(place, NEAR)..place);
    let said = near.rsplit(';').next().unwrap_or_default().to_ascii_lowercase();
    ["user ", "role ", "login ", "create ", "alter ", "grant ", "account "]
        .iter()
        .any(|word| said.contains(word))
}

/// `PASSWORD 'x'` and the same in small letters, from the text's place on.
pub(super) fn password(text: Text<'_>, name: &Range<usize>, place: usize) -> Option<Range<usize>> {
    // `SET PASSWORD FOR me = 'x'`
    let rest = text.part(place..text.line_end(place));
    let is_set = text.part(0..name.start).trim_end().ends_with("SET") && rest.starts_with("FOR ");
    let place = match rest.find('=').filter(|_| is_set) {
        Some(sign) => text.blanks(place + sign + 1),
        None => place,
    };
    let is_quote = matches!(text.at(place), b'\'' | b'"') || text.rest(place).starts_with("\\\"");
    let is_loud =
        text.at(place) == b'\'' && text.part(name.clone()).bytes().any(|byte| byte.is_ascii_uppercase());
    if is_quote && (is_loud || is_statement(text, name.start)) { quoted(text, place) } else { None }
}

/// `IDENTIFIED BY 'x'`, `identified with plugin by 'x'`; Oracle's have no quotes.
pub(super) fn identified(text: Text<'_>, end: usize) -> Option<Range<usize>> {
    let line = text.part(end..text.line_end(end)).to_ascii_lowercase();
    let by = line.find(" by ").filter(|length| *length < 60)?;
    if !is_statement(text, end) {
        return None;
    }
    let mut place = text.blanks(end + by + " by ".len());
    for word in ["password ", "values "] {
        let is_it = text.part(place..place + word.len()).eq_ignore_ascii_case(word);
        place = text.blanks(if is_it { place + word.len() } else { place });
    }
    quoted(text, place).or_else(|| {
        let end = text.skip(place, |byte| !byte.is_ascii_whitespace() && !b"\"';,)".contains(&byte));
        (end > place).then_some(place..end)
    })
}
