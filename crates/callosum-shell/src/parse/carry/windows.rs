//! Shells of Windows: PowerShell, and the command prompt.

use super::super::{Around, Walk};
use super::shells::read_by;
use crate::foreign::{Posix, of_power_shell, of_prompt};
use crate::unread::Limit;
use crate::{encoded, expansion, joined};

/// PowerShell: its options in any case, and as short as they can be told apart.
pub(super) fn power_shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    walk.with_variables(around, |walk| given(walk, rest, around))
}

fn given(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    #[rustfmt::skip]
    const VALUES: &[&str] = &["-executionpolicy", "-ep", "-version", "-windowstyle", "-workingdirectory", "-wd", "-configurationname", "-custompipename", "-inputformat", "-outputformat", "-settingsfile", "-psconsolefile"];
    let mut words = rest;
    while let [word, after @ ..] = words {
        let option = word.to_ascii_lowercase().replacen('/', "-", 1);
        let is = |name: &str| option.len() > 1 && name.starts_with(&option);
        if option.ends_with(".ps1") {
            return script(walk, word, around);
        }
        if !option.starts_with('-') || option.contains("--") {
            power_shell_text(walk, &words.join(" "), around);
            return true;
        }
        if is("-encodedcommand") || option == "-ec" {
            let Some(code) = after.first() else { return false };
            match encoded::utf16_of_base64(code) {
                Some(text) => power_shell_text(walk, &text, around),
                None => walk.unread(Limit::Code, code),
            }
            return true;
        }
        if is("-command") {
            return match after {
                [dash] if dash == "-" => read_by(walk, around, power_shell_text),
                _ => {
                    power_shell_text(walk, &after.join(" "), around);
                    true
                }
            };
        }
        if is("-file") {
            return after.first().is_some_and(|file| match file.as_str() {
                "-" => read_by(walk, around, power_shell_text),
                file => script(walk, file, around),
            });
        }
        words = if VALUES.iter().any(|name| is(name)) { after.get(1..).unwrap_or_default() } else { after };
    }
    read_by(walk, around, power_shell_text)
}

/// Runs a file that the line has written.
fn script(walk: &mut Walk, path: &str, around: &Around) -> bool {
    let texts = walk.written(&joined(around.folder.as_deref(), path));
    texts.iter().for_each(|text| power_shell_text(walk, text, around));
    !texts.is_empty()
}

fn power_shell_text(walk: &mut Walk, text: &str, around: &Around) {
    // `$x = 'git push'; iex $x`
    let values =
        expansion::variable(text.trim()).and_then(|name| walk.set.values(name)).map(<[String]>::to_vec);
    for text in values.as_deref().unwrap_or(&[text.to_owned()]) {
        read(walk, text, of_power_shell, around);
    }
}

/// The command prompt: behind a switch stands its text, one with it or not, else it reads.
pub(super) fn prompt(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let behind = |word: &str| {
        let switch = word.strip_prefix("//").or_else(|| word.strip_prefix('/'))?;
        switch.strip_prefix(['c', 'C', 'k', 'K', 'r', 'R']).map(str::to_owned)
    };
    let at = words.iter().enumerate().find_map(|(at, word)| Some((at, behind(word)?)));
    walk.with_variables(around, |walk| match at {
        Some((at, first)) => {
            let text = std::iter::once(first)
                .chain(words.iter().skip(at + 1).cloned())
                .collect::<Vec<_>>()
                .join(" ");
            prompt_text(walk, &text, around);
            // It takes quotes around all of it away, if that is no program with blanks in its name.
            let inside = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            inside.into_iter().for_each(|text| prompt_text(walk, text, around));
            !text.trim().is_empty()
        }
        None => read_by(walk, around, prompt_text),
    })
}

fn prompt_text(walk: &mut Walk, text: &str, around: &Around) {
    read(walk, text, of_prompt, around);
}

/// Reads a text in the language of another shell.
fn read(walk: &mut Walk, text: &str, posix: fn(&str) -> Posix, around: &Around) {
    // What it says is as long as it is, or nearly.
    if !walk.room.take(text.len()) {
        walk.unread(Limit::Length, text);
        return;
    }
    let read = posix(text);
    if read.is_open {
        walk.unread(Limit::Syntax, text);
    }
    // Better to see a command that is none; and who quotes like that has a POSIX shell in mind.
    if read.is_open || text.contains("'\\''") {
        walk.nested(text, around);
    }
    walk.nested(&read.text, around);
}
