//! Shell commands: which programs a line runs, with which words, reading what.
//!
//! The grammar is `brush-parser`'s; nothing is ever executed or expanded. `parse` walks its tree, `plain` reads lines
//! that need no grammar, `compact` takes long texts out for either, `pieces` cuts long scripts for the parser (`grammar`), `carriers`
//! is the table of programs that carry others (`sudo`, `bash -c`, `docker exec`), behind which `carry` looks, `printed` knows what
//! commands hand each other, `jq` what that program makes, `filters` what a pipeline hands to a shell, `functions` keeps functions until they are called, `expansion`,
//! `variables` and `braces` undo what stands for something else, `code` reads what interpreters are given, `foreign` puts the languages of other shells into the words of a POSIX one, `options` tells options from arguments, `fallback` does what can be
//! done with a text that is no shell command. `heads` counts, and decides nothing. What none of them could read is in [`Line::unread`]: never nothing.

mod braces;
mod carriers;
mod code;
pub mod command;
mod compact;
mod compound_programs;
mod encoded;
mod exit_codes;
mod expansion;
mod filters;
mod foreign;
mod functions;
pub mod glob;
mod grammar;
mod heads;
mod here_document;
mod jq;
mod options;
pub mod own_files;
mod parse;
mod pieces;
mod plain;
mod printed;
mod unread;
mod variables;
mod words;

use std::rc::Rc;

pub use braces::expanded as brace_words;
pub use exit_codes::ExitCodes;
pub use heads::{Head, heads};
pub use options::Argument;
pub(crate) use options::{has_option, option_values};
pub use parse::typed_by_tool;
pub use unread::{Limit, Unread};
pub use words::Hiding;

/// A line with more programs than this is not followed further.
const MAX_INVOCATIONS: usize = 8192;
/// A shell inside a shell inside … is followed so deep.
const MAX_NESTING: usize = 8;
/// And a program that carries one that carries one … so far.
const MAX_CARRIERS: usize = 32;
/// Of so many variables it is known what the line sets them to, and of so much text in all: each program is told.
const MAX_VARIABLES: usize = 64;
/// See [`MAX_VARIABLES`].
const MAX_VALUES: usize = 8 * 1024;

/// Texts that several share.
type Texts = Vec<Rc<str>>;

/// A program that a line runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Its name: without its path, and without the version that a runner was given (`npx wrangler@4`).
    pub program: String,
    /// What follows it, quotes taken away. Expansions (`$X`, `$(…)`) stand as they were written.
    pub words: Vec<String>,
    /// The variables that are set for it, and before it in the line to a text: of a loop, to all its
    /// texts, with commas between them.
    pub variables: Vec<(String, String)>,
    /// What it reads, as far as the line says it: here-documents, and what `echo`, `printf` and `cat` pipe in.
    pub input: Vec<Rc<str>>,
    /// The folder that a `cd` before it went to, as written; relative to the one before when that is not `/…`.
    pub folder: Option<String>,
    /// Something else appends to its words: `xargs`.
    pub open: bool,
    /// Variables among its words that are something else in each turn of a loop, and of which nothing says what.
    pub looped: Vec<String>,
    /// The machine that it runs on, where that is another one: by `ssh`. Several have commas between them.
    pub host: Option<String>,
    /// It stands for a redirection that appends to its file: `>>`.
    pub appends: bool,
    /// It runs others that were read: what it does is what these do.
    pub carries: bool,
    /// A non-zero exit code of the line says that this program did nothing: it is the last that the line runs,
    /// and none that takes several steps.
    pub proves: bool,
    /// The number of the pipeline in the line that it stands in; 0 where that may be any.
    pub pipeline: usize,
}

/// What a command line runs.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// The programs, in the order they are written.
    pub invocations: Vec<Invocation>,
    /// The files that it writes to by `>`, each as if that were a program that is given the file.
    pub redirects: Vec<Invocation>,
    /// The line could not be parsed: it was only cut at what looks like the end of a command.
    pub rough: bool,
    /// What was not read, or only roughly: whatever may be in there.
    pub unread: Vec<Unread>,
}

impl Line {
    /// Reads a command line. Takes time and memory in proportion to its length, whatever it is.
    #[must_use]
    pub fn read(command: &str) -> Self {
        parse::read(command)
    }

    /// Whether a non-zero exit code of the line says that it did nothing, whatever in it has an effect.
    #[must_use]
    pub fn is_simple(&self) -> bool {
        self.unread.is_empty() && matches!(self.invocations.as_slice(), [only] if only.proves)
    }
}

impl Invocation {
    /// A command that is given further words by something else, once those are known: `word` in their place.
    #[must_use]
    pub fn given(&self, word: &str) -> Self {
        let told = |own: &String| {
            let mut own = own.replace(expansion::APPENDED, word);
            for name in &self.looped {
                if let Some((at, length)) = expansion::place_of(&own, name) {
                    own.replace_range(at..at + length, word);
                }
            }
            own
        };
        let words = self.words.iter().map(told);
        let appended = std::iter::once(word.to_owned()).filter(|_| self.open);
        Self { words: words.chain(appended).collect(), ..self.clone() }
    }
}

/// The text with the words whole that quoting cuts into pieces (`him''alaya`), and those that variables are put into (`${x%y}`), for
/// a look at which words stand in it. `None` when there is none of these, as nearly always.
pub fn unhidden(text: &str) -> Option<String> {
    unhidden_by(text, Hiding::of(text))
}

/// The same where it is known what words in the text may be hidden by.
pub fn unhidden_by(text: &str, hiding: Hiding) -> Option<String> {
    if !hiding.is_any() {
        return None;
    }
    let put_in = if hiding.has_variables() { variables::put_in(text) } else { None };
    match (words::unhidden(text, hiding), put_in) {
        (Some(whole), Some(other)) => Some(whole + "\n" + &other),
        (one, other) => one.or(other),
    }
}

/// The text without its quotes and backslashes, for a look at which paths it has: a quotation may begin and end anywhere in one.
pub fn in_one_piece(text: &str) -> String {
    words::pieces(text, false)
}

/// What a word that is one `$(…)` stands for, where the programs in it only print.
pub fn printed_by(word: &str) -> Option<String> {
    let inside = word.trim_end().strip_prefix("$(")?.strip_suffix(')')?;
    parse::printed_by(inside)
}

/// `path` as it is from `folder`: after `cd`.
pub fn joined(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '~', '$']) => {
            format!("{}/{path}", folder.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
