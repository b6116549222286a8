//! The code that an interpreter is given: in its words, on its standard input, or in a file that the line has written.

use super::super::{Around, Walk};
use crate::code::{commands, language};
use crate::joined;

/// Options and subcommands of interpreters whose value is code.
const GIVEN: &[&str] = &["-c", "-e", "-E", "--eval", "-p", "-pe", "--print", "-r", "eval"];

/// Runs the commands that do what the code does.
pub(super) fn told(walk: &mut Walk, name: &str, words: &[String], around: &Around) {
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let Some(language) = language(family) else { return };
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    for code in codes(walk, words, around) {
        for command in commands(language, &code) {
            walk.run(command, inside.clone());
        }
    }
}

fn codes(walk: &Walk, words: &[String], around: &Around) -> Vec<String> {
    let is_given = |word: &String| {
        GIVEN.contains(&word.as_str()) || word.ends_with('c') && word.starts_with('-') && word.len() == 3
    };
    if let Some(at) = words.iter().position(is_given) {
        return words.get(at + 1).cloned().into_iter().collect();
    }
    match words.iter().find(|word| !word.starts_with('-') || *word == "-") {
        Some(file) if file != "-" && file != "/dev/stdin" => {
            let file = joined(around.folder.as_deref(), file);
            walk.written(&file).iter().map(ToString::to_string).collect()
        }
        _ => around.input.iter().map(ToString::to_string).collect(),
    }
}
