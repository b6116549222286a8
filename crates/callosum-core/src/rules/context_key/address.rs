//! Mail addresses in lists, links, header lines and running text.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::field::Field;

/// The addresses in a list as mail headers, options and `mailto:` have it: `a@x, Name <b@y>; "C, D" <c@z>`, `Team: a@x, b@y;`.
/// In lower case; what has no `@` is a local name and counts too. Where a quote or a `<` stays open nobody knows what it was
/// meant to hide: whatever looks like an address is one.
pub(super) fn address_list(list: &str) -> Vec<String> {
    if is_bare(list) {
        return vec![list.trim_end_matches('.').to_ascii_lowercase()];
    }
    list_within(list, MAX_LINKS)
}

/// Whether a list is one address and nothing else, as most are.
fn is_bare(list: &str) -> bool {
    let mut ats = 0;
    let plain = list.bytes().all(|byte| {
        ats += usize::from(byte == b'@');
        byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'.' | b'-' | b'_' | b'+')
    });
    plain && ats == 1
}

/// A link inside a link inside … is followed so far.
const MAX_LINKS: usize = 3;

fn list_within(list: &str, links: usize) -> Vec<String> {
    if links == 0 {
        return addresses(list).collect();
    }
    if let Some(link) = behind_mailto(list.trim()) {
        return linked(link, links - 1);
    }
    let mut items = Vec::new();
    let (mut start, mut quoted, mut angle, mut escaped) = (0, false, false, false);
    for (at, c) in list.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match c {
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '<' if !quoted => angle = true,
            '>' if !quoted => angle = false,
            c if !quoted && !angle && is_separator(c) => {
                items.push(list.get(start..at).unwrap_or_default());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    items.push(list.get(start..).unwrap_or_default());
    let every = if quoted || angle { addresses(list).collect() } else { Vec::new() };
    if !every.is_empty() {
        return every;
    }
    let mut found = Vec::new();
    let mut rest = items.into_iter().peekable();
    while let Some(item) = rest.next() {
        // `Doe, John <j@x>`: a part of a name.
        if item.contains('@') || rest.peek().is_none_or(|next| !next.contains('<')) {
            found.extend(address(item, links));
        }
    }
    found
}

/// What parts the addresses of a list, in whatever script.
fn is_separator(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | '|'
            | '\n'
            | '\r'
            | '\u{ff0c}'
            | '\u{ff1b}'
            | '\u{3001}'
            | '\u{60c}'
            | '\u{61b}'
            | '\u{fe50}'
            | '\u{fe54}'
    )
}

/// The address in one item of a list; several when something else than a separator parts them.
fn address(item: &str, links: usize) -> Vec<String> {
    let bare = match item.rsplit_once('<') {
        Some((_, address)) => address.split('>').next().unwrap_or(address),
        None => item,
    };
    let bare = bare.trim();
    // In `"john doe"@x` the quotes are part of the address.
    let bare = if bare.contains("\"@") { bare } else { bare.trim_matches(['"', '\'']).trim() };
    if let Some(link) = behind_mailto(bare) {
        return linked(link, links - 1);
    }
    // `Team: a@x`, `SMTP:a@x`
    let bare = match bare.split_once(':') {
        Some((group, address)) if !group.contains('@') && !bare.contains("://") => address.trim(),
        _ => bare,
    };
    if bare.is_empty() {
        return Vec::new();
    }
    let is_odd = |c: char| c.is_whitespace() || "\"<>(),;:[]{}|`\\/".contains(c);
    if item.matches('<').count() > 1 {
        return addresses(item).collect();
    }
    let ats = item.matches('@').count();
    if ats > 1 || ats == 1 && (!bare.contains('@') || bare.contains(is_odd)) {
        let found: Vec<String> = addresses(item).collect();
        if !found.is_empty() {
            return found;
        }
    }
    if ats == 0 && bare.contains("%40") {
        return list_within(&percent_decoded(bare), links - 1);
    }
    let bare = if ats > 0 { bare.trim_end_matches('.') } else { bare };
    // The name of a variable is what it is.
    vec![if bare.contains('$') { bare.to_owned() } else { bare.to_lowercase() }]
}

/// What stands behind `mailto:`.
fn behind_mailto(text: &str) -> Option<&str> {
    let (scheme, link) = text.split_at_checked("mailto:".len())?;
    scheme.eq_ignore_ascii_case("mailto:").then_some(link)
}

/// The addresses that a `mailto:` link names, in front of its `?` and as `to`, `cc` and `bcc` behind it (RFC 6068).
fn linked(link: &str, links: usize) -> Vec<String> {
    let (to, fields) = link.split_once('?').unwrap_or((link, ""));
    let fields = fields.split('&').filter_map(|field| field.split_once('='));
    let others = fields.filter(|(name, _)| Field::of(name) == Field::Recipient).map(|(_, value)| value);
    std::iter::once(to).chain(others).flat_map(|list| list_within(&percent_decoded(list), links)).collect()
}

/// A text with each `%40` and its like as the character it stands for.
pub(super) fn percent_decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// What looks like an address in running text, in lower case. User names in URLs are none.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = String> {
    let delimiter = |c: char| c.is_whitespace() || is_separator(c) || "\"'`<>()[]{}\\".contains(c);
    text.split(delimiter).filter(|word| !word.contains("://")).flat_map(|word| {
        let ends = word.char_indices().filter(|(_, c)| *c == '@').map(|(at, _)| at);
        ends.enumerate().filter_map(|(number, at)| {
            let (before, after) = (word.get(..at)?, word.get(at + 1..)?);
            let in_name = |c: char| c.is_alphanumeric() || "._%+-!#$&*?^~".contains(c);
            let in_domain = |c: char| c.is_alphanumeric() || ".-".contains(c);
            // Behind another address only a sign can part the two: `a@x.com&b@y.com`.
            let parts = |c: char| !in_name(c) || number > 0 && !c.is_alphanumeric() && !"._-".contains(c);
            let name = before.rsplit(parts).next().unwrap_or_default().trim_start_matches(['-', '.']);
            let domain = after.split(|c| !in_domain(c)).next().unwrap_or_default().trim_matches(['-', '.']);
            (!name.is_empty() && !domain.is_empty()).then(|| format!("{name}@{domain}").to_lowercase())
        })
    })
}

/// A header of a mail that names people.
pub(super) enum Header {
    /// `To`, `Cc`, `Bcc`.
    Recipient,
    /// `From` and the like.
    Sender,
}

/// The headers that name people in the text of a mail, with what stands in them. A text that does not begin
/// with a header has none; they end at the first empty line. Line breaks may be written as `\n`.
pub(super) fn headers(text: &str) -> Vec<(Header, String)> {
    let mut found: Vec<(Header, String)> = Vec::new();
    if !text.contains(':') {
        return found;
    }
    let text = text.replace("\\r", "").replace("\\n", "\n");
    let mut continues = false;
    for line in text.trim_start_matches(['\n', '\r']).lines() {
        if line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            if let (true, Some((_, value))) = (continues, found.last_mut()) {
                value.push_str(line);
            }
            continue;
        }
        let Some((name, value)) = line.split_once(':') else { break };
        let header = match name.to_ascii_lowercase().as_str() {
            "to" | "cc" | "bcc" | "resent-to" | "resent-cc" | "resent-bcc" | "apparently-to" => {
                Some(Header::Recipient)
            }
            "from" | "sender" | "reply-to" | "return-path" | "resent-from" | "x-sender" => {
                Some(Header::Sender)
            }
            name if name.is_empty() || name.contains(|c: char| c.is_whitespace()) => break,
            _ => None,
        };
        continues = header.is_some();
        found.extend(header.map(|header| (header, value.trim().to_owned())));
    }
    found
}
