//! Programs that no rule names: which of them work on this machine, and which word of a command says that it does something outside.

use std::collections::HashSet;

use super::word_lists::{Entry, Table};
use super::words::{ASKING_VERBS, STRONG_VERBS, is_noun, words};

include!(concat!(env!("OUT_DIR"), "/local_programs.rs"));

/// Whether a program works on this machine: builds, tests, tools for files, languages, package managers, shells. `local-programs.txt` is
/// the list; versions count (`python3.12`).
pub(super) fn is_local(program: &str) -> bool {
    let family = || program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    // `node@20`
    let name = || program.split('@').next().unwrap_or(program);
    let is_listed = |name: &str| LOCAL.get(name).is_some();
    let is_other = |name: &str| name.len() < program.len() && is_listed(name);
    is_listed(program) || is_other(family()) || is_other(name())
}

/// What a line says itself: the names of its functions and aliases.
pub(super) fn defined_in(line: &str) -> HashSet<String> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let functions = line.match_indices("()").map(|(at, _)| {
        let before = line.get(..at).unwrap_or_default().trim_end();
        before.rsplit(|c| !is_of_name(c)).next().unwrap_or_default()
    });
    let named =
        ["function ", "alias "].into_iter().flat_map(|word| line.match_indices(word)).map(|(at, word)| {
            let behind = line.get(at + word.len()..).unwrap_or_default().trim_start();
            behind.split(|c| !is_of_name(c)).next().unwrap_or_default()
        });
    functions.chain(named).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Which of the first words of a command is a verb that says that something is done outside: `post publish x` publishes, `order list`
/// only asks.
pub(super) fn verb(first: &[&str]) -> Option<usize> {
    let mut found: Option<usize> = None;
    let is_noun_at = |at: usize| first.get(at).is_some_and(|word| is_noun(&word.to_ascii_lowercase()));
    for (at, word) in first.iter().enumerate() {
        if !is_subcommand(word) {
            break;
        }
        if words(word).any(|part| is_in(ASKING_VERBS, part)) {
            return found.filter(|at| !is_noun_at(*at));
        }
        if is_strong(word) && found.is_none_or(is_noun_at) {
            found = Some(at);
        }
    }
    found
}

/// Whether a word may be a subcommand: no path, address, number or name of a file.
fn is_subcommand(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':'))
}

/// A strong verb: the whole word, or where it is no name of a thing too, the first or the last of its parts (`send-invite`, `email:send`).
fn is_strong(word: &str) -> bool {
    let is_verb = |part: &str| is_in(STRONG_VERBS, part);
    let mut parts = words(word);
    let Some(first) = parts.next() else { return false };
    let Some(last) = parts.last() else { return is_verb(first) };
    [first, last].iter().any(|part| is_verb(part) && !is_noun(&part.to_ascii_lowercase()))
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_of_a_command_is_found() {
        for (first, expected) in [
            (&["send", "lea@customer.example"][..], Some(0)),
            (&["svc", "deploy"], Some(1)),
            (&["post", "publish", "spring-sale"], Some(1)),
            (&["branches", "delete", "preview-12"], Some(1)),
            (&["invite", "lea@customer.example"], Some(0)),
            (&["emails:send"], Some(0)),
            (&["send-invite", "x"], Some(0)),
            (&["order", "list"], None),
            (&["message", "get", "12"], None),
            (&["list", "orders"], None),
            (&["show", "delete"], None),
            (&["release-notes"], None),
            (&["build", "src/send.ts", "send"], None),
            (&["x.publish"], None),
            (&[], None),
        ] {
            assert_eq!(verb(first), expected, "{first:?}");
        }
    }

    #[test]
    fn functions_and_aliases_are_known() {
        for line in ["acme() { :; }; acme send", "function acme { :; }", "alias acme='x'", "acme () { :; }"] {
            assert!(defined_in(line).contains("acme"), "{line}");
        }
        assert!(defined_in("acme send; (acme)").is_empty());
    }

    #[test]
    fn what_works_on_this_machine_is_known() {
        for program in
            ["cargo", "python3", "python3.12", "pytest", "ls", "notify-send", "brew", "jq", "node@20"]
        {
            assert!(is_local(program), "{program}");
        }
        for program in ["acmectl", "buttondown", "neonctl", "3", ""] {
            assert!(!is_local(program), "{program}");
        }
    }
}
