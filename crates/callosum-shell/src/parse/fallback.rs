//! A text that is no shell command, or too long for one: cut at what looks like the end of a command, and at
//! spaces. Better to see a program where there is none than to miss one.

use super::{Around, Walk};
use crate::words;

/// Of one command so many words are looked at.
const MAX_WORDS: usize = 4_096;

/// Words that stand in front of a command.
const BEFORE_COMMAND: &[&str] =
    &["then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "time"];

/// Notes the programs that `text` may run.
pub(super) fn read(walk: &mut Walk, text: &str) {
    let text = text.replace("\\\n", " ");
    walk.redirected_roughly(&text);
    let commands = text.split(['\n', ';', '&', '|', '(', ')', '`']);
    for command in commands {
        if walk.is_full() {
            break;
        }
        let found =
            command.split_whitespace().take(MAX_WORDS).map(|word| word.trim_matches(['"', '\'']).to_owned());
        let mut found = found.skip_while(|word| BEFORE_COMMAND.contains(&word.as_str())).peekable();
        let mut around = Around::default();
        while let Some(word) = found.next_if(|word| words::is_assignment(word)) {
            let pair = word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
            around.variables.extend(pair);
        }
        if found.peek().is_some() {
            walk.run(found.collect(), around);
        }
    }
}
