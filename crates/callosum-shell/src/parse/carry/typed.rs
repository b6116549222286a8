//! Text that is typed into a terminal: a command line whenever Enter comes.

/// What keys type, as `tmux send-keys` and `screen -X stuff` take them. Enter may come in a later call.
pub(super) fn typed(keys: &[String]) -> String {
    let mut text = String::new();
    for word in keys {
        let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
        if is(&["Enter", "C-m", "C-j", "KPEnter"]) {
            text.push('\n');
        } else if is(&["Space"]) {
            text.push(' ');
        } else {
            text.push_str(&lines(word));
        }
    }
    text
}

/// A text in which the ends of lines are real ones: where it is a key, or an escape that its reader undoes.
fn lines(text: &str) -> String {
    const ENDS: &[&str] = &["\\n", "\\r", "\\015", "\\012", "\\x0d", "\\x0a", "^M", "^J", "\r"];
    ENDS.iter()
        .fold(text.to_owned(), |text, end| if text.contains(end) { text.replace(end, "\n") } else { text })
}

/// What the tools of hosts type that write to a terminal: text, key names, bytes in hexadecimal.
pub fn typed_by_tool(texts: &[String], keys: &[String], hex: &[String]) -> String {
    let bytes: Vec<u8> = hex
        .iter()
        .flat_map(|word| word.split(|c: char| !c.is_ascii_hexdigit()))
        .filter_map(|byte| u8::from_str_radix(byte, 16).ok())
        .collect();
    let mut all: String = texts.iter().map(|text| lines(text)).collect();
    all.push_str(&typed(keys));
    all.push_str(&lines(&String::from_utf8_lossy(&bytes)));
    all
}
