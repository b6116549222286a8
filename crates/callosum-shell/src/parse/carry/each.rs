//! Programs that run a command for each of many things: `xargs`, GNU Parallel, `find -exec`.

use super::super::{Around, Walk};
use super::{command, nested};
use crate::carriers::Carrier;
use crate::carriers::Rest;
use crate::unread::Limit;

/// Of the arguments that are put into a command so many are.
const MAX_ARGUMENTS: usize = 64;

/// `xargs`: what it reads is appended to its command, or stands in it in place of a word that is agreed upon. Where the line
/// does not say what it reads, the command stays open.
pub(super) fn arguments(
    walk: &mut Walk,
    carrier: &Carrier,
    behind: &[String],
    of_it: &[String],
    around: &Around,
) -> bool {
    let own = behind.get(..behind.len() - of_it.len()).unwrap_or_default();
    let in_place = replaced(carrier, own);
    let text = around.input.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n");
    // What it reads is no input of the command.
    let open = Around { open: true, input: Vec::new(), ..around.clone() };
    let from_file = own.iter().any(|word| word.starts_with("-a") || word.starts_with("--arg-file"));
    if text.trim().is_empty() || of_it.is_empty() || from_file {
        return command(walk, Rest::Command, of_it, &open);
    }
    let around = Around { open: false, ..open };
    let Some(place) = in_place else {
        // With `-n` there are several commands: what all of them act on is what one with all arguments does.
        let arguments = text.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned());
        let whole: Vec<String> = of_it.iter().cloned().chain(arguments).collect();
        return command(walk, Rest::Command, &whole, &around);
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (read, unread) = lines.split_at(lines.len().min(MAX_ARGUMENTS));
    for line in read {
        if let Some(whole) = put(walk, of_it, &place, line) {
            command(walk, Rest::Command, &whole, &around);
        }
    }
    if !unread.is_empty() {
        walk.unread(Limit::Commands, &format!("{} {}", of_it.join(" "), unread.join("\n")));
    }
    true
}

/// The words of a command with an argument in each place that is meant for it; `None`, and noted, when that is too much:
/// many places and a long argument are soon more than there is memory for.
fn put(walk: &mut Walk, of_it: &[String], place: &str, argument: &str) -> Option<Vec<String>> {
    let places: usize = of_it.iter().map(|word| word.matches(place).count()).sum();
    if !walk.room.take(places.saturating_mul(argument.len())) {
        walk.unread(Limit::Length, &format!("{} {argument}", of_it.join(" ")));
        return None;
    }
    Some(of_it.iter().map(|word| word.replace(place, argument)).collect())
}

/// The word in place of which `xargs` puts what it reads: of `-I{}`, `-I %`, `-i`, `--replace=@`.
fn replaced(carrier: &Carrier, own: &[String]) -> Option<String> {
    let mut words = own.iter();
    while let Some(word) = words.next() {
        match (word.strip_prefix("-I"), word.strip_prefix("--replace"), word.strip_prefix("-i")) {
            (Some(""), ..) => return words.next().cloned(),
            (Some(place), ..) => return Some(place.to_owned()),
            (_, Some(place), _) => {
                return Some(
                    place.strip_prefix('=').filter(|place| !place.is_empty()).unwrap_or("{}").to_owned(),
                );
            }
            (.., Some(place)) => return Some(if place.is_empty() { "{}" } else { place }.to_owned()),
            _ if carrier.takes_next(word) => drop(words.next()),
            _ => {}
        }
    }
    None
}

/// GNU Parallel: `parallel git push {} ::: origin fork`, `parallel ::: 'git push' 'npm publish'`.
pub(super) fn parallel(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let is_source = |word: &&String| word.starts_with(":::");
    let of_it: Vec<String> = words.iter().take_while(|word| !is_source(word)).cloned().collect();
    let mut sources = words.split(|word| is_source(&word)).skip(1);
    let Some(arguments) = sources.next().filter(|_| !words.iter().any(|word| word.starts_with("::::")))
    else {
        let open = Around { open: true, ..around.clone() };
        return match of_it.as_slice() {
            // Without a command, each line that it reads is one.
            [] => around.input.iter().map(|text| nested(walk, text, &open)).filter(|is| *is).count() > 0,
            [text] => nested(walk, text, &open),
            _ => command(walk, Rest::Command, &of_it, &open),
        };
    };
    let open = Around { open: around.open || sources.next().is_some(), ..around.clone() };
    let (read, unread) = arguments.split_at(arguments.len().min(MAX_ARGUMENTS));
    for argument in read {
        let placed = of_it.iter().any(|word| word.contains("{}"));
        let Some(mut command) = put(walk, &of_it, "{}", argument) else { continue };
        match (placed, of_it.as_slice()) {
            (_, []) => walk.nested(argument, &open),
            (true, [_]) => walk.nested(&command.join(" "), &open),
            (false, [text]) => walk.nested(&format!("{text} {argument}"), &open),
            (true, _) => walk.run(command, open.clone()),
            (false, _) => {
                command.push(argument.clone());
                walk.run(command, open.clone());
            }
        }
    }
    if !unread.is_empty() {
        walk.unread(Limit::Commands, &format!("{} {}", of_it.join(" "), unread.join(" ")));
    }
    true
}

/// `find … -exec rm {} +`
pub(super) fn executed(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    let mut is_carried = false;
    let mut words = rest.iter();
    let begins = |word: &String| {
        matches!(
            word.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        )
    };
    while words.by_ref().any(begins) {
        let command: Vec<String> =
            words.by_ref().take_while(|word| !matches!(word.as_str(), ";" | "+")).cloned().collect();
        walk.run(command, Around { open: true, ..around.clone() });
        is_carried = true;
    }
    is_carried
}
