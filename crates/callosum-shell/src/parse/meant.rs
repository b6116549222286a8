//! What words stand for in which there are variables.

use super::{Around, Walk};
use crate::expansion;
use crate::unread::Limit;
use crate::words::{program_name, quoted, without_expansions};
use crate::{MAX_CARRIERS, MAX_VARIABLES};

/// Of the words of a program so many meanings are looked at.
pub(super) const MAX_MEANINGS: usize = 32;

/// What a word stands for in which there are variables.
enum Meaning {
    /// One of these words.
    One(Vec<String>),
    /// All of them, each a word of its own.
    All(Vec<String>),
}

impl Walk {
    /// The variables of loops that stand in these words, of which nobody knows what they are.
    pub(super) fn looped_in(&self, words: &[String]) -> Vec<String> {
        let stands = |name: &&String| words.iter().any(|word| expansion::place_of(word, name).is_some());
        self.looped.iter().filter(stands).cloned().collect()
    }

    /// Runs what a variable is set to that stands for a program; false when the line does not say what.
    pub(super) fn runs_variable(&mut self, words: &[String], around: &Around) -> bool {
        let Some((first, rest)) = words.split_first() else { return false };
        if !first.contains('$') {
            return false;
        }
        if let Some(split) = separated(words) {
            self.run(split, around.clone());
            return true;
        }
        let of_list = any_of_list(first);
        let name = of_list.as_deref().or_else(|| expansion::variable(first));
        let values = match name {
            Some(name) => self.set.values(self.referred(name)).map(<[String]>::to_vec),
            // `${x%y}`, `g$x`
            None => self.undone(first).filter(|first| !first.contains(['$', '`'])).map(|first| vec![first]),
        };
        let Some(values) = values else {
            if let Some(text) = name.and_then(|name| self.set.left_out(name)).map(str::to_owned) {
                self.unread(Limit::Length, &text);
            }
            // What is not set is nothing: `g${x}it`, `gi$@t`, `gi$(:)t`.
            let bare = without_expansions(first);
            if program_name(&bare).is_empty() || program_name(first) == program_name(&bare) {
                return false;
            }
            self.run(std::iter::once(bare).chain(rest.iter().cloned()).collect(), around.clone());
            return true;
        };
        if name.is_some_and(expansion::is_list) {
            self.run(values.into_iter().chain(rest.iter().cloned()).collect(), around.clone());
            return true;
        }
        for value in values {
            // What it is may be variables again, and so on.
            let is_open = value.contains(['$', '`']);
            if is_open && (self.carriers >= MAX_CARRIERS || !self.room.take(value.len())) {
                self.refuse(Limit::Carriers, &value, around);
                continue;
            }
            self.carriers += usize::from(is_open);
            if value.contains([';', '|', '&', '<', '>', '(', ')', '\'', '"', '`', '\n']) {
                self.nested(&format!("{value} {}", quoted(rest)), around);
            } else {
                let words = value.split_whitespace().map(str::to_owned).chain(rest.iter().cloned());
                self.run(words.collect(), around.clone());
            }
            self.carriers -= usize::from(is_open);
        }
        true
    }

    /// Notes that a variable is another name of one: `declare -n x=y`.
    pub(super) fn refer(&mut self, name: &str, to: &str) {
        if self.references.len() < MAX_VARIABLES {
            self.references.push((name.to_owned(), to.to_owned()));
        }
    }

    /// The variable that one is another name of, or itself.
    fn referred<'n>(&'n self, name: &'n str) -> &'n str {
        self.references.iter().rfind(|(other, _)| other == name).map_or(name, |(_, to)| to)
    }

    /// Reads what a shell is given, with the variables that are set for it alone: `X='git push' sh -c '$X'`.
    pub(super) fn with_variables<T>(&mut self, around: &Around, read: impl FnOnce(&mut Self) -> T) -> T {
        let is_new = |(name, value): &&(String, String)| self.set.told_as(name) != Some(value.as_str());
        let new: Vec<(String, String)> = around.variables.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return read(self);
        }
        let before = self.set.clone();
        // The first one is the nearest.
        new.into_iter().rev().for_each(|(name, value)| self.set.set(&name, vec![value]));
        let found = read(self);
        self.set = before;
        found
    }

    /// The words of a program with the variables in them undone, once for each of several values; `None` where there are none.
    pub(super) fn meant(&mut self, words: &[String]) -> Option<Vec<Vec<String>>> {
        let mut meanings = Vec::new();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| word.contains('$')) {
            meanings.extend(self.meaning(word).map(|meaning| (at, meaning)));
        }
        if meanings.is_empty() {
            return None;
        }
        let mut all = vec![Vec::with_capacity(words.len())];
        for (at, word) in words.iter().enumerate() {
            match meanings.iter().find(|(of, _)| *of == at) {
                Some((_, Meaning::One(values))) if values.len() * all.len() <= MAX_MEANINGS => {
                    let with = |all: &[Vec<String>], value: &String| -> Vec<Vec<String>> {
                        all.iter()
                            .map(|words| [words.as_slice(), std::slice::from_ref(value)].concat())
                            .collect()
                    };
                    all = values.iter().flat_map(|value| with(&all, value)).collect();
                }
                Some((_, Meaning::All(values))) => {
                    all.iter_mut().for_each(|words| words.extend(values.iter().cloned()));
                }
                _ => all.iter_mut().for_each(|words| words.push(word.clone())),
            }
        }
        Some(all)
    }

    fn meaning(&mut self, word: &str) -> Option<Meaning> {
        match expansion::variable(word) {
            Some(name) => {
                let values = self.set.values(name)?.to_vec();
                Some(if expansion::is_list(name) { Meaning::All(values) } else { Meaning::One(values) })
            }
            // `${x%y}`, `$x.com`
            None => {
                let of_loop = self.set.several().find_map(|(name, values)| {
                    let (at, length) = expansion::place_of(word, name)?;
                    let put = |value: &String| {
                        let mut word = word.to_owned();
                        word.replace_range(at..at + length, value);
                        word
                    };
                    Some(values.iter().map(put).collect::<Vec<_>>())
                });
                match of_loop {
                    Some(words) => {
                        let told = words.into_iter().map(|word| self.undone(&word).unwrap_or(word));
                        Some(Meaning::One(told.collect()))
                    }
                    None => self.undone(word).map(|word| Meaning::One(vec![word])),
                }
            }
        }
    }
}

/// The name of whatever word of a list one is that a variable says which: `${a[$i]}`.
fn any_of_list(word: &str) -> Option<String> {
    let (name, place) = word.strip_prefix("${")?.strip_suffix("]}")?.split_once('[')?;
    place.contains('$').then(|| format!("{name}[?]"))
}

/// The words between which a variable stands that is a blank: `git${IFS}push`.
fn separated(words: &[String]) -> Option<Vec<String>> {
    const BLANKS: [&str; 3] = ["${IFS}", "$IFS$9", "$IFS"];
    let first = words.first()?;
    if !BLANKS.iter().any(|blank| first.contains(blank)) {
        return None;
    }
    let blank = |word: &String| BLANKS.iter().fold(word.clone(), |word, blank| word.replace(blank, " "));
    let split = words.iter().map(blank).collect::<Vec<_>>();
    Some(split.iter().flat_map(|word| word.split_whitespace().map(str::to_owned)).collect())
}
