//! Text that is typed into a terminal: a command line whenever Enter comes, or a key that is no text: what was typed before
//! it is gone (`C-c`, `C-u`), or was for another program (`q`, Escape).

/// What keys type, as `tmux send-keys` and `screen -X stuff` take them. Enter may come in a later call.
pub(super) fn typed(keys: &[String]) -> String {
    let mut text = String::new();
    for word in keys {
        if word.eq_ignore_ascii_case("Space") {
            text.push(' ');
        } else if is_key(word) {
            text.push('\n');
        } else {
            text.push_str(&lines(word));
        }
    }
    // `q` leaves a pager, and what is typed then is for the shell.
    if let [first, rest @ ..] = keys
        && let [next, ..] = rest
        && first.chars().count() == 1
        && next.chars().count() > 1
        && !is_key(next)
    {
        text.push('\n');
        text.push_str(&typed(rest));
    }
    text
}

/// Whether a word names a key that types nothing on the line: `C-c`, `Escape`, `S-Up`, `F5`.
fn is_key(word: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &["Enter", "Return", "KPEnter", "KP_Enter", "CR", "Escape", "Esc", "Tab", "BTab", "BSpace", "Backspace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "PgUp", "PgDn", "PPage", "NPage", "Insert", "Delete", "IC", "DC"];
    let mut key = word;
    while let [b'C' | b'c' | b'M' | b'm' | b'S' | b's' | b'A' | b'a', b'-', _, ..] = key.as_bytes() {
        key = key.get(2..).unwrap_or_default();
    }
    if key.len() < word.len() && key.chars().count() == 1 {
        return true;
    }
    let is_function =
        key.strip_prefix(['F', 'f']).is_some_and(|number| matches!(number.parse::<u8>(), Ok(1..=24)));
    is_function || NAMES.iter().any(|name| name.eq_ignore_ascii_case(key))
}

/// A text in which the ends of lines are real ones: where it is a key, or an escape that its reader undoes.
fn lines(text: &str) -> String {
    const ENDS: &[&str] = &["\\n", "\\r", "\\015", "\\012", "^M", "^J", "\r"];
    let mut text = text.to_owned();
    // `stuff "ls$(printf '\r')"`
    if text.ends_with(')')
        && let Some((line, inside)) = text.rsplit_once("$(")
        && ["printf ", "echo "].iter().any(|program| inside.trim_start().starts_with(program))
    {
        text = format!("{line}\n");
    }
    if text.contains('\\') {
        text = with_controls(&text);
    }
    for end in ENDS {
        if text.contains(end) {
            text = text.replace(end, "\n");
        }
    }
    // `^C`, as `screen` writes it; elsewhere it may be of a pattern.
    while let [b'^', b'A'..=b'Z' | b'[', ..] = text.as_bytes() {
        text.drain(..2);
    }
    if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        without_controls(&text)
    } else {
        text
    }
}

/// A text with the escapes undone that stand for control characters: `\x15`, `\u0003`, `\003`, `\e`.
fn with_controls(text: &str) -> String {
    let (mut whole, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('\\') {
        whole.push_str(before);
        let digits = |from: usize, count: usize, radix: u32| {
            let digits = after.get(from..from + count)?;
            let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code < 0x20)?;
            char::from_u32(code).map(|control| (control, from + count))
        };
        let control = match after.as_bytes().first() {
            Some(b'x') => digits(1, 2, 16),
            Some(b'u') => digits(1, 4, 16),
            Some(b'0') => digits(0, 3, 8),
            Some(b'e') => Some(('\u{1b}', 1)),
            _ => None,
        };
        match control {
            Some((control, length)) => {
                whole.push(control);
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                whole.push('\\');
                rest = after;
            }
        }
    }
    whole.push_str(rest);
    whole
}

/// A text in which control characters, and the sequences that keys send, end the line.
fn without_controls(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_control() || c == '\t' {
            whole.push(c);
            continue;
        }
        whole.push('\n');
        if c == '\u{1b}' && chars.next_if_eq(&'[').is_some() {
            // Up to the letter that ends it: `\x1b[200~`.
            let _end = chars.by_ref().find(|c| matches!(c, '@'..='~'));
        } else if c == '\u{1b}' && chars.next_if_eq(&'O').is_some() {
            chars.next();
        }
    }
    whole
}

/// What the tools of hosts type that write to a terminal: text, key names, bytes in hexadecimal.
pub fn typed_by_tool(texts: &[String], keys: &[String], hex: &[String]) -> String {
    let mut all: String = texts.iter().map(|text| lines(text)).collect();
    all.push_str(&typed(keys));
    all.push_str(&lines(&String::from_utf8_lossy(&bytes(hex))));
    all
}

/// Bytes as they are written in hexadecimal: `67 69`, `0x67`, `\x67`, `6769`.
fn bytes(hex: &[String]) -> Vec<u8> {
    let words = hex.iter().flat_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric()));
    let digits = words.flat_map(|word| word.strip_prefix("0x").unwrap_or(word).split(['x', 'X']));
    digits
        .flat_map(|digits| digits.as_bytes().chunks(2))
        .filter_map(|byte| u8::from_str_radix(str::from_utf8(byte).ok()?, 16).ok())
        .collect()
}
