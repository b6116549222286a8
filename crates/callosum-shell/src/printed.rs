//! What commands hand each other: what they print into a pipe, and what they write into files that the line reads again.

use std::rc::Rc;

use super::filters::{said, turned};
use super::{Invocation, Texts, joined, jq};

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

/// Those that write it into the files they are given: `tee` prints it too, `sponge` and `dd` only without one.
const WRITERS: &[&str] = &["tee", "sponge", "dd"];

/// Those that make another file of one.
const COPIERS: &[&str] = &["cp", "mv", "ln", "install", "rsync"];

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

    /// How many bytes there is room for.
    pub(super) fn left_mut(&mut self) -> &mut usize {
        &mut self.0
    }

    /// Takes up so many bytes; false where there is no room for them.
    pub(super) fn take(&mut self, length: usize) -> bool {
        self.0.checked_sub(length).map(|left| self.0 = left).is_some()
    }
}

/// How a redirection uses a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Append,
}

/// A file that what a command prints goes to.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) path: String,
    /// What stood in it stays.
    pub(super) is_appended: bool,
}

/// What the line has written into files.
#[derive(Debug, Default)]
pub(super) struct Files(Vec<(String, Texts)>);

impl Files {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What stands in a file.
    pub(super) fn read(&self, path: &str) -> Texts {
        if self.0.is_empty() {
            return Texts::new();
        }
        let path = plain_path(path);
        let written = self.0.iter().find(|(known, _)| *known == path);
        written.map(|(_, texts)| texts.clone()).unwrap_or_default()
    }

    /// Notes what is written into a file; false where there are too many files.
    pub(super) fn write(&mut self, file: &Written, texts: &Texts) -> bool {
        let path = plain_path(&file.path);
        let count = self.0.len();
        match self.0.iter_mut().find(|(known, _)| *known == path) {
            Some((_, written)) if file.is_appended => written.extend(texts.iter().cloned()),
            Some((_, written)) => written.clone_from(texts),
            None if texts.is_empty() => {}
            None if count >= MAX_FILES => return false,
            None => self.0.push((path, texts.clone())),
        }
        true
    }

    /// Hands a program the files that its words name: `mutt -H draft`, `curl -T mail`, `swaks --data @mail`; and notes what it makes of
    /// them, where it copies them. False where there are too many.
    pub(super) fn add_to(&mut self, invocation: &mut Invocation) -> bool {
        let program = invocation.program.as_str();
        if WRITERS.contains(&program) && !invocation.input.is_empty() {
            let is_appended = invocation.words.iter().any(|word| matches!(word.as_str(), "-a" | "--append"));
            let paths = operands(&invocation.words, "").filter_map(|word| match program {
                "dd" => word.strip_prefix("of="),
                _ => Some(word),
            });
            let written =
                paths.map(|path| Written { path: joined(invocation.folder.as_deref(), path), is_appended });
            let mut has_room = true;
            for file in written {
                has_room &= self.write(&file, &invocation.input);
            }
            return has_room;
        }
        let copies = COPIERS.contains(&program) && !(self.0.is_empty() && invocation.input.is_empty());
        if copies && !self.copy(invocation) {
            return false;
        }
        if !self.0.is_empty() && !copies {
            let named = |word: &String| {
                let path = word.rsplit(['=', '@']).next().unwrap_or(word);
                self.read(&joined(invocation.folder.as_deref(), path))
            };
            let texts: Texts = invocation.words.iter().flat_map(named).collect();
            invocation.input.extend(texts);
        }
        true
    }

    /// Notes what stands in the files that a program copies to.
    fn copy(&mut self, invocation: &Invocation) -> bool {
        let folder = invocation.folder.as_deref();
        let mut sources: Vec<&str> = operands(&invocation.words, "tSgmo").collect();
        let words = &invocation.words;
        let named = words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
            Some(("--target-directory", to)) => Some(to),
            _ => (word == "-t").then(|| words.get(at + 1).map(String::as_str)).flatten(),
        });
        let Some(to) = named.or_else(|| sources.pop()) else { return true };
        let to = joined(folder, to);
        let mut has_room = true;
        for source in sources {
            let texts = match source {
                "/dev/stdin" | "-" => invocation.input.clone(),
                _ => self.read(&joined(folder, source)),
            };
            if texts.is_empty() {
                continue;
            }
            let name = source.rsplit('/').next().unwrap_or(source);
            for path in [to.clone(), format!("{to}/{name}")] {
                has_room &= self.write(&Written { path, is_appended: false }, &texts);
            }
        }
        has_room
    }
}

/// A path as two ways to write it have in common: `./m` is `m`.
fn plain_path(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let goes_up =
            || parts.last().is_some_and(|last| !matches!(*last, ".." | "~") && !last.starts_with('$'));
        if part == ".." && goes_up() {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    format!("{root}{}", parts.join("/"))
}

/// What commands print that only print; nothing when none does. The error is what would be too much.
pub(super) fn printed(commands: &[Invocation], files: &Files, room: &mut Room) -> Result<Texts, Texts> {
    let mut texts = Texts::new();
    for command in commands {
        let Invocation { program, words, input, folder, .. } = command;
        if matches!(program.as_str(), "echo" | "printf" | "yes") {
            let called: usize = words.iter().map(|word| word.len() + 1).sum();
            match said(command, room.0) {
                Some(text) if room.take(text.len().saturating_sub(called)) => texts.push(Rc::from(text)),
                _ => return Err(vec![Rc::from(words.join(" "))]),
            }
        } else if let Some(text) = (program == "jq").then(|| jq::object(command)).flatten() {
            texts.push(Rc::from(text));
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
