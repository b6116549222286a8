//! Programs that run a command for each of many things: `xargs`, GNU Parallel, `find -exec`.

use super::super::{Around, Walk};
use super::{command, nested};
use crate::carriers::{Carrier, Rest, is_shell};
use crate::expansion::APPENDED;
use crate::unread::Limit;
use crate::words::program_name;
use crate::{Texts, joined};

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
    let reading = Reading::of(carrier, own);
    let text = around.input.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n");
    // What it reads is no input of the command.
    let open = Around { open: true, input: Vec::new(), ..around.clone() };
    let from_file = own.iter().any(|word| word.starts_with("-a") || word.starts_with("--arg-file"));
    if text.trim().is_empty() || of_it.is_empty() || from_file {
        let place = reading.place.as_deref().filter(|place| !matches!(*place, "" | APPENDED));
        let of_it: Vec<String> = match place {
            Some(place) => of_it.iter().map(|word| word.replace(place, APPENDED)).collect(),
            None => of_it.to_vec(),
        };
        return command(walk, Rest::Command, &of_it, &open);
    }
    let around = Around { open: false, ..open };
    let commands: Vec<Option<Vec<String>>> = match &reading.place {
        Some(place) => {
            let lines: Vec<String> = reading.lines(&text).into_iter().map(|line| line.join(" ")).collect();
            let (read, unread) = lines.split_at(lines.len().min(MAX_ARGUMENTS));
            note_unread(walk, of_it, unread);
            read.iter().map(|line| put(walk, of_it, place, line)).collect()
        }
        None => {
            let whole = |items: &[String]| Some(of_it.iter().chain(items).cloned().collect());
            // With `-n` there are several commands: what all of them act on is what one with all arguments does. But a
            // shell takes one argument for its command.
            let per = reading.per.filter(|_| of_it.iter().any(|word| is_shell(program_name(word))));
            let lines = reading.lines(&text);
            let chunks: Vec<Vec<String>> = match per {
                None => vec![lines.concat()],
                Some(Per::Line) => lines,
                Some(Per::Items(count)) => {
                    lines.concat().chunks(count.max(1)).map(<[String]>::to_vec).collect()
                }
            };
            let (read, unread) = chunks.split_at(chunks.len().min(MAX_ARGUMENTS));
            note_unread(walk, of_it, &unread.concat());
            read.iter().map(|items| whole(items)).collect()
        }
    };
    for whole in commands.into_iter().flatten() {
        command(walk, Rest::Command, &whole, &around);
    }
    true
}

/// Notes the arguments that are more than a command is looked at with.
fn note_unread(walk: &mut Walk, of_it: &[String], unread: &[String]) {
    if !unread.is_empty() {
        walk.unread(Limit::Commands, &format!("{} {}", of_it.join(" "), unread.join("\n")));
    }
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

/// How many arguments `xargs` gives to each command.
#[derive(Clone, Copy)]
enum Per {
    /// So many: `-n 2`.
    Items(usize),
    /// Those of a line: `-L1`.
    Line,
}

/// What `xargs` takes for one argument.
#[derive(Default)]
struct Reading {
    /// The word in place of which it puts what it reads: of `-I{}`, `-I %`, `-i`, `--replace=@`.
    place: Option<String>,
    /// What stands between two: `-0`, `-d '\n'`. Else blanks do, and quotes mean something.
    delimiter: Option<char>,
    per: Option<Per>,
}

impl Reading {
    fn of(carrier: &Carrier, own: &[String]) -> Self {
        let mut reading = Self::default();
        let mut words = own.iter();
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let value = match (name, value) {
                    ("replace", value) => value.filter(|place| !place.is_empty()).or(Some("{}")),
                    (_, None) if carrier.takes_next(word) => words.next().map(String::as_str),
                    (_, value) => value,
                };
                let letter = match name {
                    "null" => '0',
                    "delimiter" => 'd',
                    "max-args" => 'n',
                    "max-lines" => 'L',
                    "replace" => 'I',
                    _ => continue,
                };
                reading.set(letter, value.unwrap_or_default());
                continue;
            }
            // `-0n1`, `-rI{}`
            for (at, letter) in word.char_indices().skip(1) {
                let value = word.get(at + letter.len_utf8()..).unwrap_or_default();
                match letter {
                    '0' => reading.set(letter, ""),
                    'i' => reading.set('I', if value.is_empty() { "{}" } else { value }),
                    'l' => reading.set('L', value),
                    'I' | 'd' | 'n' | 'L' | 'P' | 's' | 'E' | 'a' if value.is_empty() => {
                        reading.set(letter, words.next().map(String::as_str).unwrap_or_default());
                    }
                    'r' | 't' | 'p' | 'x' | 'o' => continue,
                    _ => reading.set(letter, value),
                }
                if letter != '0' {
                    break;
                }
            }
        }
        reading
    }

    fn set(&mut self, letter: char, value: &str) {
        match letter {
            '0' => self.delimiter = Some('\0'),
            'd' => {
                self.delimiter = match value {
                    "\\n" => Some('\n'),
                    "\\t" => Some('\t'),
                    "\\0" => Some('\0'),
                    _ => value.chars().next(),
                };
            }
            'I' => self.place = Some(value.to_owned()),
            'n' => self.per = Some(Per::Items(value.parse().unwrap_or(1))),
            'L' => self.per = Some(Per::Line),
            _ => {}
        }
    }

    /// The arguments of each line of a text.
    fn lines(&self, text: &str) -> Vec<Vec<String>> {
        let of_line = |line: &str| match self.delimiter {
            Some(_) => vec![line.trim_end_matches('\n').to_owned()],
            None => items(line),
        };
        let lines = text.split(self.delimiter.unwrap_or('\n')).filter(|line| !line.trim().is_empty());
        lines.map(of_line).collect()
    }
}

/// The arguments in a line: between blanks, but for those in quotes or behind a backslash.
fn items(line: &str) -> Vec<String> {
    let (mut items, mut item, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '\'' | '"') {
            quote = Some(c);
            item.get_or_insert_default();
        } else if quote.is_none() && c.is_whitespace() {
            items.extend(item.take());
        } else {
            let c = if c == '\\' && quote.is_none() { chars.next() } else { Some(c) };
            item.get_or_insert_default().extend(c);
        }
    }
    if quote.is_some() {
        return line.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_owned()).collect();
    }
    items.extend(item);
    items
}

/// GNU Parallel: `parallel git push {} ::: origin fork`, `parallel ::: 'git push' 'npm publish'`.
pub(super) fn parallel(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let is_source = |word: &&String| word.starts_with(":::");
    let of_it: Vec<String> = words.iter().take_while(|word| !is_source(word)).cloned().collect();
    let mut sources = words.split(|word| is_source(&word)).skip(1);
    let Some(arguments) = sources.next().filter(|_| !words.iter().any(|word| word.starts_with("::::")))
    else {
        let open = Around { open: true, printed: Vec::new(), ..around.clone() };
        return match of_it.as_slice() {
            // Without a command, each line that it reads is one: `parallel -a <(echo git push)`, `parallel :::: tasks`.
            [] => {
                let files = words.iter().filter(|word| !is_source(word));
                let texts: Texts =
                    files.flat_map(|file| walk.written(&joined(around.folder.as_deref(), file))).collect();
                let texts = around.input.iter().chain(&around.printed).chain(&texts);
                texts.map(|text| nested(walk, text, &open)).filter(|is| *is).count() > 0
            }
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
    note_unread(walk, &of_it, unread);
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
