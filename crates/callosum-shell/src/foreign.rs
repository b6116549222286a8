//! Languages of shells that are no POSIX ones, put into the words of one: what a text of theirs runs is read as that.

mod posix;
mod power_shell;
mod prompt;

pub(super) use power_shell::posix as of_power_shell;
pub(super) use prompt::posix as of_prompt;

/// A text of another shell, as a POSIX shell has it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Posix {
    /// A line for each of its commands.
    pub(super) text: String,
    /// It is no text of that shell, or runs what it does not say: what it is to be told by is its words.
    pub(super) is_open: bool,
}

/// The same of shells that have commands in brackets of their own (`$[git push]` of xonsh, `do { ^git push }` of Nushell): what stands
/// in them, a line each. `None` where there are no brackets.
pub(super) fn in_brackets(text: &str) -> Option<String> {
    if !text.contains(['[', '(', '{', '^']) {
        return None;
    }
    let (mut lines, mut quote) = (String::with_capacity(text.len()), None);
    for c in text.chars() {
        match c {
            '\'' | '"' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            _ => {}
        }
        lines.push(if quote.is_none() && "[](){}".contains(c) { '\n' } else { c });
    }
    let lines = lines.lines().map(|line| line.trim().trim_start_matches(['^', '!', '$', '@']));
    Some(lines.collect::<Vec<_>>().join("\n"))
}
