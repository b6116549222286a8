//! Mail addresses in lists, header lines and running text.

/// The addresses in a list as mail headers and options have it: `a@x, Name <b@y>; "C, D" <c@z>`. In lower
/// case; what has no `@` is a local name and counts too.
pub(super) fn address_list(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut start, mut quoted, mut angle) = (0, false, false);
    for (at, c) in list.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '<' if !quoted => angle = true,
            '>' if !quoted => angle = false,
            ',' | ';' | '\n' if !quoted && !angle => {
                found.extend(address(list.get(start..at).unwrap_or_default()));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(address(list.get(start..).unwrap_or_default()));
    found
}

/// The address in one item of a list; several when only spaces part them.
fn address(item: &str) -> Vec<String> {
    let bare = match item.rsplit_once('<') {
        Some((_, address)) => address.split('>').next().unwrap_or(address),
        None => item,
    };
    let bare = bare.trim().trim_matches(['"', '\'']).trim();
    let bare = bare.strip_prefix("mailto:").unwrap_or(bare);
    if bare.is_empty() || bare.ends_with(':') {
        return Vec::new();
    }
    if item.contains('@') && bare.contains(char::is_whitespace) || item.matches('<').count() > 1 {
        return addresses(item).collect();
    }
    // The name of a variable is what it is.
    vec![if bare.contains('$') { bare.to_owned() } else { bare.to_lowercase() }]
}

/// What looks like an address in running text, in lower case. User names in URLs are none.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = String> {
    let delimiter = |c: char| c.is_whitespace() || "\"'`<>(),;[]{}|\\".contains(c);
    text.split(delimiter).filter(|word| !word.contains("://")).flat_map(|word| {
        let ends = word.char_indices().filter(|(_, c)| *c == '@').map(|(at, _)| at);
        ends.filter_map(|at| {
            let (before, after) = (word.get(..at)?, word.get(at + 1..)?);
            let in_name = |c: char| c.is_alphanumeric() || "._%+-!#$&*?^~".contains(c);
            let in_domain = |c: char| c.is_alphanumeric() || ".-".contains(c);
            let name =
                before.rsplit(|c| !in_name(c)).next().unwrap_or_default().trim_start_matches(['-', '.']);
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
