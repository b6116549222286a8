//! Where the value stands that belongs to a name in a text: `name: value`, `name=value`, `--name value`, `<name>value</name>`, and how they
//! are written in JSON, YAML, code and addresses.

use std::ops::Range;

use super::names::{Tell, is_header, is_number, is_prose, is_secret, tell};
use super::text::{Text, in_name};
use super::words::{ORDER_KEYS, PHRASES};
use super::{blocks, calls, columns, input, languages, manifests, pairs, sentences, statements, talk};

/// The secrets that belong to the name in which the word at `found` stands, if it is such a name, and where the name ends. In a context
/// key, which is itself `kind:name`, a colon is only taken for a sign of a value where a blank or quote is beside it.
pub(super) fn secrets_of(text: Text<'_>, found: &Range<usize>, in_key: bool) -> (usize, Vec<Range<usize>>) {
    let begin = text.skip_back(found.start, in_name);
    let end = text.skip(found.start, in_name);
    if text.part(begin..end).eq_ignore_ascii_case("identified") {
        return (end, statements::identified(text, end).into_iter().collect());
    }
    if text.part(begin..end).eq_ignore_ascii_case("authenticate") {
        return (end, talk::mechanism(text, end).into_iter().collect());
    }
    if text.part(begin..end) == "pgpass" && !in_key {
        return (end, manifests::in_pgpass(text, end));
    }
    let (begin, end) = phrase(text, begin, end).unwrap_or((begin, end));
    let name = text.part(begin..end);
    let in_query = matches!(text.before(begin), b'?' | b'&') && text.at(end) == b'=';
    let tells = match tell(name) {
        // In an address `key=` is one.
        Tell::Weak if in_query && QUERY.iter().any(|known| name.eq_ignore_ascii_case(known)) => Tell::Surely,
        // `primary key: 12`
        Tell::Weak if text.before(begin) == b' ' && ORDER_KEYS.contains(&word_before(text, begin - 1)) => {
            Tell::No
        }
        tells => tells,
    };
    if tells == Tell::No {
        return (end, Vec::new());
    }
    // Himalaya's settings: `auth.raw = "x"`.
    if text.rest(end).starts_with(".raw") && !in_name(text.at(end + 4)) {
        return (end + 4, values_of(text, &(begin..end + 4), Tell::Surely, in_query, in_key));
    }
    (end, values_of(text, &(begin..end), tells, in_query, in_key))
}

/// Names in addresses that elsewhere only may hold a secret.
const QUERY: &[&str] = &["key", "keys", "tokens", "sid"];

/// The secrets that belong to the word of another language at `name`.
pub(super) fn secrets_of_word(text: Text<'_>, name: &Range<usize>, in_key: bool) -> Vec<Range<usize>> {
    let begin = text.skip_back(name.start, in_name);
    values_of(text, &(begin..name.end), Tell::Surely, false, in_key)
}

fn word_before(text: Text<'_>, end: usize) -> &str {
    text.part(text.skip_back(end, in_name)..end)
}

fn values_of(
    text: Text<'_>,
    name: &Range<usize>,
    tells: Tell,
    in_query: bool,
    in_key: bool,
) -> Vec<Range<usize>> {
    let mut values: Vec<Range<usize>> =
        value_of(text, name.clone(), tells, in_query, in_key).into_iter().collect();
    if values.is_empty() && !in_key {
        values = columns::values(text, name);
    }
    if values.is_empty() && !in_key {
        values = manifests::values(text, name);
    }
    if values.is_empty() && !in_key && tells >= Tell::Likely {
        values = input::stored(text, name).into_iter().collect();
    }
    if !in_key
        && let [value] = values.as_mut_slice()
        && text.part(value.clone()).starts_with("%s")
    {
        *value = printed(text, value).unwrap_or(value.clone());
    }
    let own = text.part(name.clone());
    values.retain(|value| {
        let said = text.part(value.clone());
        is_secret(tells, said)
            && match tells {
                // `pin: python==3.11`
                Tell::Likely => {
                    !(is_prose(own, said) || sentences::goes_on(text, value) || said.contains("=="))
                }
                Tell::Surely => !sentences::is_said(text, own, value),
                _ => true,
            }
    });
    if tells == Tell::Surely && !in_key {
        values = values.into_iter().map(|value| sentences::whole_phrase(text, own, value)).collect();
    }
    values
}

/// What `printf` puts in the place at `value`: the words behind its format, `'TOKEN=%s\n' x`.
fn printed(text: Text<'_>, value: &Range<usize>) -> Option<Range<usize>> {
    if !text.part(text.back(value.start, 200)..value.start).contains("printf") {
        return None;
    }
    let close = text.skip(value.end, |byte| !matches!(byte, b'\'' | b'"'));
    let begin = text.blanks((close + 1).min(text.len()));
    Some(begin..text.skip(begin, |byte| !b"<>|;&\r\n".contains(&byte)))
}

/// Programs that look for a text: what stands behind it is a place.
const SEARCHERS: &[&str] = &["grep ", "rg ", "ag ", "ack "];

/// The name of several words that begins or ends with the word from `begin` to `end`.
fn phrase(text: Text<'_>, begin: usize, end: usize) -> Option<(usize, usize)> {
    PHRASES.iter().find_map(|phrase| {
        let is_it = |from: usize| {
            text.0.get(from..from + phrase.len()).is_some_and(|said| said.eq_ignore_ascii_case(phrase))
        };
        let before = end.checked_sub(phrase.len());
        if is_it(begin) {
            Some((begin, begin + phrase.len()))
        } else {
            before.filter(|from| is_it(*from)).map(|from| (from, end))
        }
    })
}

fn value_of(
    text: Text<'_>,
    name: Range<usize>,
    tells: Tell,
    in_query: bool,
    in_key: bool,
) -> Option<Range<usize>> {
    if in_query {
        return Some(name.end + 1..text.skip(name.end + 1, |byte| !b"&#;\"'<> \t\r\n\\`,)|".contains(&byte)));
    }
    // `"name"`, `\"name\"`, `['name']`, `**name**`.
    let bold = text.skip(name.end, |byte| byte == b'*');
    let closed = text.skip(bold, |byte| matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b']'));
    let was_quoted = closed > bold;
    let closed = text.skip(closed, |byte| byte == b'*');
    let place = text.blanks(closed);
    if was_quoted && pairs::is_part_of_form(text, name.start) {
        return pairs::part_of_form(text, name.end);
    }
    if is_of_codes(text.part(name.clone())) && !in_key {
        let from = text.skip(place, |byte| matches!(byte, b':' | b'=' | b'*' | b' ' | b'['));
        if let Some(codes) = codes(text, from) {
            return Some(codes);
        }
    }
    // `--password-file=<(echo x)`
    let printed = text.skip(place, |byte| matches!(byte, b'=' | b':' | b' '));
    if let Some(printed) = input::printed(text, printed) {
        return Some(printed);
    }
    match text.at(place) {
        b':' if in_key && !was_quoted && !matches!(text.at(place + 1), b' ' | b'"' | b'\'') => None,
        b':' if text.at(place + 1) == b':' => None,
        b':' if text.at(place + 1) == b'=' => behind_sign(text, &name, place + 2, b'='),
        // `grep -rn password= src`
        b'=' if place == name.end
            && text.at(place + 1) == b' '
            && SEARCHERS
                .iter()
                .any(|program| text.part(text.line_start(name.start)..name.start).contains(program)) =>
        {
            None
        }
        b'=' if matches!(text.at(place + 1), b'=' | b'>') => behind_sign(text, &name, place + 2, b'='),
        sign @ (b':' | b'=') => behind_sign(text, &name, place + 1, sign),
        128.. => languages::value(text, closed),
        b',' if was_quoted => in_pair(text, text.skip(place + 1, |byte| byte.is_ascii_whitespace())),
        b'(' if !was_quoted => calls::argument(text, &name, place + 1),
        b')' if was_quoted && text.at(place + 1) == b'.' => calls::filled_in(text, place + 2),
        b'|' if text.at(place + 1) == b'=' => behind_sign(text, &name, place + 2, b'='),
        b'{' if was_quoted => pairs::value_among(text, place + 1, closing(text, place)),
        b'>' if !in_key => in_element(text, name.start, place + 1),
        b'<' if text.at(place + 1) == b'/' => next_element(text, place),
        b'}' if was_quoted => None,
        b'\n' | b'\r' if text.at(text.line_start(name.start)) == b'#' => blocks::below(text, place),
        b'\n' | b'\r' if is_explicit(text, name.start) => {
            let line = text.skip(place, |byte| byte.is_ascii_whitespace());
            if text.at(line) == b':' { behind_sign(text, &name, line + 1, b':') } else { None }
        }
        _ if place == closed && !was_quoted => None,
        _ if text.before(name.start) == b'<' => {
            let close = text.skip(place, |byte| !matches!(byte, b'>' | b'\n'));
            (text.at(close) == b'>' && text.before(close) != b'/')
                .then(|| in_element(text, name.start, close + 1))
                .flatten()
        }
        _ => behind_blank(text, &name, place, was_quoted, tells),
    }
    .or_else(|| pairs::held(text, &name))
}

/// Whether a name is YAML's key that has a line of its own: `? password`, and below it `: x`.
fn is_explicit(text: Text<'_>, name: usize) -> bool {
    let head = text.part(text.line_start(name)..name);
    head.trim_matches([' ', '-', '"', '\'']) == "?"
}

/// Whether a name is of codes that are good once: there are many of them, and they are letters and digits.
fn is_of_codes(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["recovery", "backup", "scratch"].iter().any(|word| name.contains(word))
        && (name.ends_with("code") || name.ends_with("codes"))
}

/// Codes that follow each other from `from` on, in a line or a list.
fn codes(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let (mut first, mut last, mut place) = (None, from, from);
    loop {
        place = text.skip(place, |byte| byte.is_ascii_whitespace() || b",-*\"'`".contains(&byte));
        let number = text.skip(place, |byte| byte.is_ascii_digit());
        if number > place && matches!(text.at(number), b'.' | b')') {
            place = text.blanks(number + 1);
        }
        let end = text.skip(place, in_name);
        let word = text.part(place..end);
        if word.len() < 5 || !word.bytes().any(|byte| byte.is_ascii_digit()) {
            return first.map(|first| first..last);
        }
        first = first.or(Some(place));
        (last, place) = (end, end);
    }
}

/// Behind `:` or `=`.
fn behind_sign(text: Text<'_>, name: &Range<usize>, from: usize, sign: u8) -> Option<Range<usize>> {
    let mut place = text.blanks(from);
    // `**Password:** x`, `<b>Password:</b> <code>x</code>`.
    let bold = text.skip(from, |byte| byte == b'*');
    if bold > from && text.at(bold) == b' ' {
        place = text.blanks(bold);
    }
    if text.rest(place).starts_with("</") {
        while text.at(place) == b'<' {
            place = text.blanks((text.skip(place, |byte| !matches!(byte, b'>' | b'\n')) + 1).min(text.len()));
        }
        return Some(
            place..text.skip(place, |byte| !byte.is_ascii_whitespace() && !b"\"'`<".contains(&byte)),
        );
    }
    if sign == b':'
        && let Some(value) = blocks::block(text, name.start, place)
    {
        return Some(value);
    }
    // Texts of several lines in TOML and Python.
    if let Some(quotes) = ["\"\"\"", "'''"].into_iter().find(|quotes| text.rest(place).starts_with(quotes)) {
        return Some(place + 3..text.find(place + 3, quotes).unwrap_or(text.len()));
    }
    let is_below = sign == b':' && matches!(text.at(place), b'\n' | b'\r');
    if is_header(text.part(name.clone())) && !is_below {
        let begin = text.skip(place, |byte| matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b' '));
        let line =
            |from| text.skip(from, |byte| !matches!(byte, b'"' | b'\'' | b'`' | b'\r' | b'\n' | b'\\'));
        let mut end = line(begin);
        // One word of a shell: `Authorization:\ Bearer\ x`.
        while text.rest(end).starts_with("\\ ") {
            end = line(end + 1);
        }
        // Put together: `'Authorization': 'Bearer ' + 'x'`.
        let rest = text.skip(end + 1, |byte| matches!(byte, b' ' | b'+' | b'.'));
        if text.before(end) == b' '
            && let Some((more, _)) = text.quoted(rest).filter(|_| rest > end + 1)
        {
            end = more.end;
        }
        return Some(begin..blocks::folded(text, name.start, end));
    }
    // `N'x'` of SQL, `b"x"` and `f"x"` of Python.
    let letters = text.skip(place, |byte| byte.is_ascii_alphabetic());
    if letters > place
        && letters - place <= 2
        && matches!(text.at(letters), b'"' | b'\'')
        && text.quote_around(place) == 0
    {
        place = letters;
    }
    if let Some((value, _)) = text.quoted(place) {
        // The quote that closes the text in which all this stands is none that opens.
        let closes = place == from
            && matches!(text.at(place), b'"' | b'\'')
            && text.quote_around(from) == text.at(place);
        return (!closes).then_some(value);
    }
    if sign == b':'
        && let Some(value) = calls::behind_type(text, place)
    {
        return Some(value);
    }
    match text.at(place) {
        b'(' if matches!(text.at(place + 1), b'"' | b'\'') => calls::argument(text, name, place + 1),
        b'|' | b'>' if sign == b':' => None,
        b'[' | b'{' => Some(place..closing(text, place)),
        b'\n' | b'\r' if sign == b':' => {
            let line = text.skip(place, |byte| byte.is_ascii_whitespace());
            let item = if text.at(line) == b'-' { text.blanks(line + 1) } else { line };
            let indent = line - text.line_start(line);
            let own =
                text.skip(text.line_start(name.start), |byte| byte == b' ') - text.line_start(name.start);
            let end = text.line_end(item);
            let is_map = text.part(item..end).contains([':', '=']);
            if indent > own && (!is_map || is_header(text.part(name.clone()))) {
                Some(item..end)
            } else {
                blocks::below(text, place)
            }
        }
        128.. => languages::value(text, place)
            .or_else(|| Some(place..bare_end(text, name.start, from, place, sign))),
        _ => Some(place..bare_end(text, name.start, from, place, sign)),
    }
}

/// Where a value without quotes ends: with the line where the name began it, as in YAML and INI; else with the word.
fn bare_end(text: Text<'_>, name: usize, from: usize, place: usize, sign: u8) -> usize {
    let start = text.line_start(name);
    let head = text.part(start..name).trim_matches([' ', '\t', '-', '?', '*']);
    let begins_line =
        head.is_empty() || head.ends_with('.') && head.bytes().all(|byte| in_name(byte) || byte == b'.');
    let spaced = place > from || sign == b'=' && matches!(text.before(from - 1), b' ' | b'\t');
    if begins_line && spaced {
        return start + text.part(start..text.line_end(place)).trim_end().len();
    }
    let mut word = if text.rest(place).starts_with("$(") {
        closing(text, place + 1)
    } else {
        text.skip(place, |byte| !byte.is_ascii_whitespace() && !b"\"',;&|)}]<>`\\".contains(&byte))
    };
    // `https://x-access-token:x@host/path`
    if text.part(0..name).ends_with("//")
        && let Some(at) = text.part(place..word).rfind('@')
    {
        word = place + at;
    }
    if word > place {
        word
    } else {
        text.skip(place, |byte| !byte.is_ascii_whitespace() && !b"\"'`".contains(&byte))
    }
}

/// Where the bracket at `place` is closed.
fn closing(text: Text<'_>, place: usize) -> usize {
    let (mut depth, mut at) = (0_usize, place);
    let is_round = text.at(place) == b'(';
    while at < text.len() {
        match text.at(at) {
            b'[' | b'{' if !is_round => depth += 1,
            b'(' if is_round => depth += 1,
            byte @ (b']' | b'}' | b')') if is_round == (byte == b')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b'"' | b'\'' => {
                at = text.quoted(at).map_or(at + 1, |(_, end)| end);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Behind `"name",`: the next element of a list, or the field `value` of an object.
fn in_pair(text: Text<'_>, place: usize) -> Option<Range<usize>> {
    let quoted = text.quoted(place);
    let (word, end) = match &quoted {
        Some((word, end)) => (text.part(word.clone()), *end),
        None => {
            let end = text.skip(place, in_name);
            (text.part(place..end), end)
        }
    };
    // Of another field than the value nothing is known.
    if text.at(text.blanks(end)) == b':' {
        let field = quoted.as_ref().map_or(place, |(word, _)| word.start);
        return pairs::value_of_field(text, field);
    }
    let (value, _) = quoted?;
    // A list of names is no list of values.
    (!word.is_empty() && (tell(word) == Tell::No || word.contains(' '))).then_some(value)
}

/// `<name>value</name>`, `<property name="name">value</property>`.
fn in_element(text: Text<'_>, name: usize, from: usize) -> Option<Range<usize>> {
    let tag = text.0.get(..name)?.rfind('<')?;
    if text.part(tag..name).contains(['>', '\n']) || text.at(tag + 1) == b'/' {
        return None;
    }
    let end = text.rest(from).find("</").map_or(text.len(), |length| from + length);
    Some(from..end)
}

/// `<key>name</key><string>value</string>`.
fn next_element(text: Text<'_>, from: usize) -> Option<Range<usize>> {
    let close = text.find(from, ">")? + 1;
    let open = text.skip(close, |byte| byte.is_ascii_whitespace());
    if text.at(open) != b'<' || text.at(open + 1) == b'/' {
        return None;
    }
    let begin = text.find(open, ">")? + 1;
    Some(begin..text.rest(begin).find('<').map_or(text.len(), |length| begin + length))
}

/// Words behind which a name is followed by its value: `config set token x`.
const SETTERS: &[&str] = &["set", "setx", "setenv", "env", "add", "put"];

/// Behind a blank: of options, of what is set, of `.netrc`, of SQL, and of a sentence that says it.
fn behind_blank(
    text: Text<'_>,
    name: &Range<usize>,
    place: usize,
    was_quoted: bool,
    tells: Tell,
) -> Option<Range<usize>> {
    let own = text.part(name.clone());
    let place = if text.at(place) == b'\\' && text.at(place + 1) == b'\n' {
        text.skip(place + 2, |byte| byte.is_ascii_whitespace())
    } else {
        place
    };
    let word = || match text.quoted(place) {
        Some((value, _)) => value,
        None => {
            let end = text.skip(place, |byte| !byte.is_ascii_whitespace() && !b"\"';&|)`<>".contains(&byte));
            let end = if end == place { text.skip(place, |byte| !byte.is_ascii_whitespace()) } else { end };
            place..end
        }
    };
    if matches!(text.at(place), b'\n' | b'\r' | b'<' | b'>' | b'|' | b'&' | b';' | 0) {
        return None;
    }
    if own.starts_with('-') {
        return (!text.rest(place).starts_with("--")).then(word);
    }
    if was_quoted {
        return None;
    }
    let start = text.line_start(name.start);
    let line = text.part(start..name.start);
    let mut before = line.split_whitespace().rev().map(|word| word.trim_start_matches(['"', '\'']));
    // What stands directly before is part of the name: `gateway.auth.token`, `//registry/:_authToken`.
    let last = if line.ends_with([' ', '\t']) || line.is_empty() { before.next() } else { before.nth(1) };
    let last = last.unwrap_or_default();
    let second = before.next().unwrap_or_default();
    let in_netrc =
        || text.part(text.back(start, 200)..name.start).contains("login ") || line.contains("machine ");
    let sets = matches!(last, "setx" | "setenv" | "ENV")
        || SETTERS.contains(&last)
            && ["config", "configure", "secret", "secrets", "env", "variables", "npm", "pnpm"].contains(&second)
        // fish: `set -gx TOKEN x`
        || last.starts_with('-') && ["set", "config"].contains(&second)
        || matches!(last, "--arg" | "--argjson")
        || ["config", "configure"].contains(&last);
    if (sets || own == "password" && in_netrc()) && text.at(place) != b'-' {
        return Some(word());
    }
    if let Some(value) = statements::password(text, name, place) {
        return Some(value);
    }
    let talked = if own.eq_ignore_ascii_case("auth") {
        talk::mechanism(text, name.end)
    } else if own.eq_ignore_ascii_case("pass") {
        talk::pass(text, name)
    } else {
        None
    };
    if talked.is_some() {
        return talked;
    }
    // A line of settings: `requirepass x`, `password x`.
    let end = text.line_end(place);
    let is_line = start == name.start || line.trim_matches([' ', '\t']).is_empty();
    let looks = |said: &str| {
        said.len() >= 6
            && !said.starts_with(['-', '.', '/', '~', '$'])
            && !said.contains(' ')
            && !is_number(said)
            && said.bytes().any(|byte| byte.is_ascii_digit())
    };
    if tells == Tell::Surely && is_line && looks(text.part(place..end).trim_end()) {
        return Some(word());
    }
    if tells < Tell::Likely {
        return None;
    }
    let begin = text.blanks(place + sentences::said(text, place, line)?);
    let value = match text.quoted(begin) {
        Some((value, _)) => value,
        None => begin..text.skip(begin, |byte| !byte.is_ascii_whitespace() && !b"\"',;`)".contains(&byte)),
    };
    let shown = text.part(value.clone()).trim_end_matches(['.', '!', '?']);
    let length = shown.len();
    let looks = shown.bytes().any(|byte| byte.is_ascii_digit()) && length >= 4;
    looks.then_some(value.start..value.start + length)
}
