//! What commands hand each other: what they print into a pipe, and what they write into files that the line reads again.

use std::rc::Rc;

use super::filters::{said, turned};
use super::{Invocation, Texts, joined};

/// Programs that print what they read, with the options of theirs that take a value. What they change of it is not looked at:
/// to find one recipient too many only pauses once too often.
const FILTERS: &[(&str, &str)] = &[
    ("cat", ""),
    ("tac", "s"),
    ("head", "nc"),
    ("tail", "ncs"),
    ("envsubst", ""),
    ("unix2dos", ""),
    ("dos2unix", ""),
    ("fold", "w"),
    ("iconv", "ft"),
    ("pv", "LsNBiDHw"),
    ("mbuffer", "msrRbP"),
];

/// Those that write it into the files they are given: `tee` prints it too, `sponge` only without one.
const WRITERS: &[&str] = &["tee", "sponge"];

/// Of so many files it is known what the line has written into them.
const MAX_FILES: usize = 64;

/// How much text may be put together: what each of two filters in a row prints twice is soon more than there is memory for.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Room {
    /// For a line of this length, in bytes.
    pub(super) fn of(length: usize) -> Self {
        Self(8 * length + 64 * 1024)
    }

    /// Takes up so many bytes; false where there is no room for them.
    pub(super) fn take(&mut self, length: usize) -> bool {
        self.0.checked_sub(length).map(|left| self.0 = left).is_some()
    }
}

/// What the line has written into files.
#[derive(Debug, Default)]
pub(super) struct Files(Vec<(String, Texts)>);

impl Files {
    /// What stands in a file.
    pub(super) fn read(&self, path: &str) -> Texts {
        let written = self.0.iter().rev().find(|(known, _)| known == path);
        written.map(|(_, texts)| texts.clone()).unwrap_or_default()
    }

    pub(super) fn write(&mut self, path: String, texts: Texts) {
        if !texts.is_empty() && self.0.len() < MAX_FILES {
            self.0.push((path, texts));
        }
    }

    /// Hands a program the files that its words name: `mutt -H draft`, `curl -T mail`, `swaks --data @mail`.
    pub(super) fn add_to(&mut self, invocation: &mut Invocation) {
        let writes = WRITERS.contains(&invocation.program.as_str());
        if writes && !invocation.input.is_empty() {
            for path in operands(&invocation.words, "") {
                self.write(joined(invocation.folder.as_deref(), path), invocation.input.clone());
            }
        } else if !self.0.is_empty() {
            let named = |word: &String| {
                let path = word.rsplit(['=', '@']).next().unwrap_or(word);
                self.read(&joined(invocation.folder.as_deref(), path))
            };
            let texts: Texts = invocation.words.iter().flat_map(named).collect();
            invocation.input.extend(texts);
        }
    }
}

/// What commands print that only print; nothing when none does. The error is what would be too much.
pub(super) fn printed(commands: &[Invocation], files: &Files, room: &mut Room) -> Result<Texts, Texts> {
    let mut texts = Texts::new();
    for command in commands {
        let Invocation { program, words, input, folder, .. } = command;
        if matches!(program.as_str(), "echo" | "printf") {
            let called: usize = words.iter().map(|word| word.len() + 1).sum();
            match said(command, room.0) {
                Some(text) if room.take(text.len().saturating_sub(called)) => texts.push(Rc::from(text)),
                _ => return Err(vec![Rc::from(words.join(" "))]),
            }
        } else if let Some(text) = turned(command) {
            texts.push(Rc::from(text));
        } else if WRITERS.contains(&program.as_str()) {
            texts.extend(input.iter().cloned());
        } else if let Some((_, valued)) = FILTERS.iter().find(|(name, _)| name == program) {
            let mut paths = operands(words, valued).peekable();
            // Those of `envsubst` are names of variables.
            if paths.peek().is_none() || words.iter().any(|word| word == "-") || program == "envsubst" {
                texts.extend(input.iter().cloned());
            }
            texts.extend(paths.flat_map(|path| files.read(&joined(folder.as_deref(), path))));
        }
    }
    texts.retain(|text| !text.is_empty());
    if texts.len() < 2 {
        return Ok(texts);
    }
    let length = texts.iter().map(|text| text.len() + 1).sum::<usize>();
    if room.take(length) { Ok(vec![Rc::from(texts.join("\n"))]) } else { Err(texts) }
}

/// The words of a program that are neither options nor the values of those that take one.
fn operands<'w>(words: &'w [String], valued: &str) -> impl Iterator<Item = &'w str> {
    let mut is_value = false;
    words.iter().map(String::as_str).filter(move |word| {
        let was_value = std::mem::take(&mut is_value);
        let is_option = word.len() > 1 && word.starts_with('-');
        is_value = is_option && !word.starts_with("--") && word.ends_with(|c: char| valued.contains(c));
        !was_value && !is_option && *word != "-"
    })
}
