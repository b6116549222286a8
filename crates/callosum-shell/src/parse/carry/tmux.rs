//! Commands of tmux that run others of its own, or have some in their formats: `tmux bind x 'run-shell "git push"'`.

use super::super::{Around, Walk};
use super::{SUBSTITUTED, nested};
use crate::joined;
use crate::words::quoted;

/// Words that are a command of tmux, or a text that is one.
pub(super) fn command(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    match words {
        [text] => text_of_it(walk, text, around),
        words => text_of_it(walk, &quoted(words), around),
    }
}

/// Texts of which each is one, or a command for a shell: of `if-shell` the first, of `display-menu` none.
pub(super) fn each(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let texts: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    for text in &texts {
        nested(walk, text, around);
        text_of_it(walk, text, around);
    }
    !texts.is_empty()
}

/// A file of its commands, each on a line.
pub(super) fn lines(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let texts = match words.first().map(String::as_str) {
        Some(SUBSTITUTED) => around.printed.clone(),
        Some(path) => walk.written(&joined(around.folder.as_deref(), path)),
        // A dash was taken for an option.
        None => around.input.clone(),
    };
    let inside = Around { input: Vec::new(), printed: Vec::new(), ..around.clone() };
    for line in texts.iter().flat_map(|text| text.lines()) {
        text_of_it(walk, line.trim().trim_start_matches("tmux "), &inside);
    }
    !texts.is_empty()
}

/// What a format runs, `#(git push)`, and an option that names a command for all windows to come.
pub(super) fn formats(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let in_formats = words.iter().flat_map(|word| word.split("#(").skip(1));
    let of_formats = in_formats.map(|text| text.rsplit_once(')').map_or(text, |(text, _)| text));
    let named = words.windows(2).filter_map(|pair| match pair {
        [name, text] if name == "default-command" => Some(text.as_str()),
        _ => None,
    });
    of_formats.chain(named).map(|text| nested(walk, text, around)).filter(|is| *is).count() > 0
}

fn text_of_it(walk: &mut Walk, text: &str, around: &Around) -> bool {
    let is_text = !text.trim().is_empty() && !text.starts_with('#');
    is_text && nested(walk, &format!("tmux {}", text.trim_matches(['{', '}', ' '])), around)
}
