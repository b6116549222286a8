//! Shells: POSIX ones and their kin.

use std::rc::Rc;

use super::super::{Around, Walk};
use super::{OPENED, SUBSTITUTED, code, nested};
use crate::carriers::is_shell;
use crate::expansion::Parameters;
use crate::foreign::in_brackets;
use crate::joined;
use crate::unread::Limit;
use crate::words::program_name;

/// A shell: what `-c` gives it, or what it reads; a script's file is not looked into, but for one that the line writes, or that is
/// what a command in it prints.
pub(super) fn shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    walk.with_variables(around, |walk| given(walk, rest, around))
}

/// A shell with brackets of its own: what stands in them is read, too.
pub(super) fn bracketed(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    let carries = shell(walk, rest, around);
    let texts = match source(rest) {
        Source::Command(text, _) => in_brackets(text).into_iter().collect(),
        Source::Input(_) => around.input.iter().filter_map(|text| in_brackets(text)).collect(),
        Source::Script(..) | Source::Nothing => Vec::new(),
    };
    let around = Around { input: Vec::new(), last: false, ..around.clone() };
    let in_them = texts.iter().map(|text| nested(walk, text, &around)).filter(|is| *is).count() > 0;
    carries | in_them
}

fn given(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
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
    let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
    let number = folders.iter().find_map(|folder| path.strip_prefix(folder));
    path == "/dev/stdin" || number.is_some_and(|number| number.parse::<u8>().is_ok())
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
    read_by(walk, around, Walk::nested)
}

/// The same of a shell whose texts are read so.
pub(super) fn read_by(walk: &mut Walk, around: &Around, read: impl Fn(&mut Walk, &str, &Around)) -> bool {
    let opened = if around.input.is_empty() { walk.written(OPENED) } else { Vec::new() };
    for script in around.input.iter().chain(&opened) {
        read(walk, script, &Around { input: Vec::new(), last: false, ..around.clone() });
    }
    if around.input.is_empty() {
        for text in walk.hidden().clone() {
            walk.unread(Limit::Filter, &text);
        }
    }
    !around.input.is_empty() || !opened.is_empty()
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
