//! Shells: POSIX ones and their kin, and PowerShell.

use std::rc::Rc;

use super::super::{Around, Walk};
use super::{SUBSTITUTED, code, nested};
use crate::carriers::is_shell;
use crate::expansion::Parameters;
use crate::unread::Limit;
use crate::words::program_name;
use crate::{encoded, joined};

/// A shell: what `-c` gives it, or what it reads; a script's file is not looked into, but for one that the line writes, or that is
/// what a command in it prints.
pub(super) fn shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    let source = source(rest);
    if let Source::Command(command, given) = source {
        let parameters = match given.split_first() {
            Some((zero, words)) => parameters(walk, Some(zero), words, around),
            None => parameters(walk, None, &[], around),
        };
        walk.nested(command, &Around { parameters, ..around.clone() });
        return true;
    }
    if rest.iter().any(|word| word == SUBSTITUTED) && printed(walk, around) {
        return true;
    }
    match source {
        Source::Script(path, given) => {
            script(walk, path, given, around);
            false
        }
        Source::Input(given) => {
            let parameters = parameters(walk, None, given, around);
            read_by_shell(walk, &Around { parameters, ..around.clone() })
        }
        Source::Command(..) | Source::Nothing => false,
    }
}

/// The parameters of what a shell runs; none where that is told by nothing.
fn parameters(
    walk: &Walk,
    zero: Option<&String>,
    words: &[String],
    around: &Around,
) -> Option<Rc<Parameters>> {
    let is_told = zero.is_some() || !words.is_empty() || around.open || walk.has_parameters();
    is_told.then(|| {
        Rc::new(Parameters { zero: zero.cloned(), words: words.to_vec(), open: around.open, is_set: false })
    })
}

/// Runs a file that the line has written, by a shell or what it says that it is for; false when no shell does.
pub(super) fn script(walk: &mut Walk, path: &str, given: &[String], around: &Around) -> bool {
    let texts = walk.written(&joined(around.folder.as_deref(), path));
    let text = texts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n");
    if let Some(interpreter) = code::interpreter(path, &text) {
        let words = std::iter::once(path.to_owned()).chain(given.iter().cloned()).collect::<Vec<_>>();
        code::read(walk, interpreter, &words, around);
        return false;
    }
    let first = text.strip_prefix("#!").and_then(|rest| rest.lines().next());
    let is_for_shell = first.is_none_or(|first| first.split(['/', ' ', '\t']).any(is_shell));
    if text.trim().is_empty() || !is_for_shell {
        return false;
    }
    let parameters = parameters(walk, None, given, around);
    walk.nested(&text, &Around { last: false, parameters, ..around.clone() });
    true
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
    /// A word, after `-c`, `-lc`, `-euo pipefail -c` …, and the words behind it.
    Command(&'w str, &'w [String]),
    /// What it reads; and the words it is called with.
    Input(&'w [String]),
    /// A file, and the words behind it.
    Script(&'w str, &'w [String]),
    /// It only looks at the syntax: `-n`.
    Nothing,
}

/// Where a shell that is called with these words has its commands from.
fn source(rest: &[String]) -> Source<'_> {
    let mut words = rest;
    while let [word, after @ ..] = words {
        words = after;
        let is_flag = word.starts_with(['-', '+']) && !word.starts_with("--");
        let has = |letter| is_flag && word.starts_with('-') && word.contains(letter);
        if has('c') || word == "--command" {
            let at = words.iter().position(|word| !word.starts_with(['-', '+']));
            let command = at.and_then(|at| words.get(at..)).and_then(<[String]>::split_first);
            return command.map_or(Source::Input(&[]), |(command, given)| Source::Command(command, given));
        }
        if has('n') || word == "--no-exec" {
            return Source::Nothing;
        }
        if has('s') {
            let options = words.iter().take_while(|word| word.starts_with('-') && *word != "--").count();
            let given = words.get(options..).unwrap_or_default();
            return Source::Input(given.strip_prefix(&["--".to_owned()]).unwrap_or(given));
        }
        if is_flag && word.ends_with(['o', 'O']) || matches!(word.as_str(), "--rcfile" | "--init-file") {
            words = words.get(1..).unwrap_or_default();
        } else if matches!(word.as_str(), "-" | "--") {
            return match words.split_first() {
                Some((path, given)) if !is_input(path) => Source::Script(path, given),
                Some((_, given)) => Source::Input(given),
                None => Source::Input(&[]),
            };
        } else if !word.starts_with(['-', '+']) && word != "sh" && word != "ash" {
            // A script; `busybox sh -c` is none.
            return if is_input(word) { Source::Input(words) } else { Source::Script(word, words) };
        }
    }
    Source::Input(&[])
}

/// A shell in the words of a program that is not known to run one: `mytool exec app sh -c '…'`.
pub(super) fn shell_inside(walk: &mut Walk, rest: &[String], around: &Around) {
    for (at, word) in rest.iter().enumerate() {
        if is_shell(program_name(word))
            && let Some(Source::Command(command, _)) = rest.get(at + 1..).map(source)
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
            return power_shell_text(walk, &words.join(" "), around);
        }
        if is("-encodedcommand") || option == "-ec" {
            let Some(code) = after.first() else { return false };
            match encoded::utf16_of_base64(code) {
                Some(text) => drop(power_shell_text(walk, &text, around)),
                None => walk.unread(Limit::Code, code),
            }
            return true;
        }
        if is("-command") {
            return match after {
                [dash] if dash == "-" => read_by_shell(walk, around),
                _ => power_shell_text(walk, &after.join(" "), around),
            };
        }
        if is("-file") {
            return after.first().is_some_and(|file| file == "-") && read_by_shell(walk, around);
        }
        words = if VALUES.iter().any(|name| is(name)) { after.get(1..).unwrap_or_default() } else { after };
    }
    read_by_shell(walk, around)
}

/// Reads a text of PowerShell, to which a backslash is a letter like others: `Remove-Item \\\\server\\share`.
fn power_shell_text(walk: &mut Walk, text: &str, around: &Around) -> bool {
    if !text.contains('\\') {
        return nested(walk, text, around);
    }
    let (mut read, mut in_quotes) = (String::with_capacity(text.len()), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        in_quotes ^= c == '\'';
        let is_letter = c == '\\' && !in_quotes && !matches!(chars.peek(), Some('"' | '\'' | '\n'));
        read.push(c);
        if is_letter {
            read.push('\\');
        }
    }
    nested(walk, &read, around)
}
