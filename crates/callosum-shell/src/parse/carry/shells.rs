//! Shells: POSIX ones and their kin, and PowerShell.

use super::super::{Around, Walk};
use super::{SUBSTITUTED, nested};
use crate::carriers::is_shell;
use crate::encoded;
use crate::unread::Limit;
use crate::words::program_name;

/// A shell: what `-c` gives it, or what it reads; a script's file is not looked into, but for one that is what a
/// command in the line prints.
pub(super) fn shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    let source = source(rest);
    if let Source::Command(command) = source {
        walk.nested(command, around);
        return true;
    }
    if rest.iter().any(|word| word == SUBSTITUTED) && printed(walk, around) {
        return true;
    }
    matches!(source, Source::Input) && read_by_shell(walk, around)
}

/// Whether a file is what a program reads.
pub(super) fn is_input(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/proc/thread-self/fd/0")
}

/// Runs what the process substitutions of a command print.
pub(super) fn printed(walk: &mut Walk, around: &Around) -> bool {
    for text in &around.printed {
        walk.nested(text, &Around { last: false, printed: Vec::new(), ..around.clone() });
    }
    !around.printed.is_empty()
}

/// A shell that is given no command runs what it reads; false when the line does not say what that is.
pub(super) fn read_by_shell(walk: &mut Walk, around: &Around) -> bool {
    for script in &around.input {
        walk.nested(script, &Around { input: Vec::new(), last: false, ..around.clone() });
    }
    if around.input.is_empty() {
        for text in walk.hidden().clone() {
            walk.unread(Limit::Filter, &text);
        }
    }
    !around.input.is_empty()
}

/// Where a shell has its commands from.
enum Source<'w> {
    /// A word: after `-c`, `-lc`, `-euo pipefail -c` …
    Command(&'w str),
    Input,
    Script,
}

/// Where a shell that is called with these words has its commands from.
fn source(rest: &[String]) -> Source<'_> {
    let mut words = rest.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let is_flag = word.starts_with(['-', '+']) && !word.starts_with("--");
        if is_flag && word.starts_with('-') && word.contains('c') || word == "--command" {
            return words.find(|word| !word.starts_with(['-', '+'])).map_or(Source::Input, Source::Command);
        }
        if is_flag && word.starts_with('-') && word.contains('s') {
            return Source::Input;
        }
        if is_flag && word.ends_with(['o', 'O']) || matches!(word, "--rcfile" | "--init-file") {
            words.next();
        } else if matches!(word, "-" | "--") {
            return words.next().filter(|path| !is_input(path)).map_or(Source::Input, |_| Source::Script);
        } else if !word.starts_with(['-', '+']) && word != "sh" && word != "ash" {
            // A script; `busybox sh -c` is none.
            return if is_input(word) { Source::Input } else { Source::Script };
        }
    }
    Source::Input
}

/// A shell in the words of a program that is not known to run one: `mytool exec app sh -c '…'`.
pub(super) fn shell_inside(walk: &mut Walk, rest: &[String], around: &Around) {
    for (at, word) in rest.iter().enumerate() {
        if is_shell(program_name(word))
            && let Some(Source::Command(command)) = rest.get(at + 1..).map(source)
        {
            walk.nested(command, &Around { folder: None, last: false, ..around.clone() });
            return;
        }
    }
}

/// PowerShell: its options in any case, and as short as they can be told apart.
pub(super) fn power_shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    #[rustfmt::skip]
    const VALUES: &[&str] = &["-executionpolicy", "-ep", "-version", "-windowstyle", "-workingdirectory", "-wd", "-configurationname", "-custompipename", "-inputformat", "-outputformat", "-settingsfile", "-psconsolefile"];
    let mut words = rest;
    while let [word, after @ ..] = words {
        let option = word.to_ascii_lowercase().replacen('/', "-", 1);
        let is = |name: &str| option.len() > 1 && name.starts_with(&option);
        if !option.starts_with('-') || option.contains("--") {
            return nested(walk, &words.join(" "), around);
        }
        if is("-encodedcommand") || option == "-ec" {
            let Some(code) = after.first() else { return false };
            match encoded::utf16_of_base64(code) {
                Some(text) => walk.nested(&text, around),
                None => walk.unread(Limit::Code, code),
            }
            return true;
        }
        if is("-command") {
            return match after {
                [dash] if dash == "-" => read_by_shell(walk, around),
                _ => nested(walk, &after.join(" "), around),
            };
        }
        if is("-file") {
            return after.first().is_some_and(|file| file == "-") && read_by_shell(walk, around);
        }
        words = if VALUES.iter().any(|name| is(name)) { after.get(1..).unwrap_or_default() } else { after };
    }
    read_by_shell(walk, around)
}
