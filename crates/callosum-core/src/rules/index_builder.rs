//! What an index of rules is made of. The build script compiles this file too: the index of the shipped rules is made when
//! the program is, so that a process that lives for one question does not make it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::words::STRONG_VERBS;

/// Programs that send HTTP requests.
pub(crate) const HTTP_CLIENTS: &[&str] = &[
    "curl",
    "curlie",
    "wget",
    "http",
    "https",
    "xh",
    "xhs",
    "xurl",
    "gh",
    "glab",
    "ntn",
    "Invoke-RestMethod",
    "Invoke-WebRequest",
    "irm",
    "iwr",
    // PowerShell takes a name in whatever case.
    "invoke-restmethod",
    "invoke-webrequest",
];

/// Ends a pattern in what [`Draft::words`] tells of a word.
pub(crate) const END_OF_PATTERN: u32 = 0;
/// Ends a group of alternatives there.
pub(crate) const END_OF_GROUP: u32 = 1;
/// The number of the first word.
const FIRST_WORD: usize = 2;

/// A tool's name as rules compare it: without case, and without the `-`, `_` and blanks that every host puts between its words
/// as it likes. Two `_` stay: they part an MCP server from its tool, as `.`, `:` and `/` do where a host puts those.
pub(crate) fn folded_tool(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(name);
    }
    let mut folded = String::with_capacity(name.len());
    for (number, part) in name.split("__").enumerate() {
        if number > 0 {
            folded.push_str("__");
        }
        for c in part.chars() {
            match c {
                '-' | '_' | ' ' => {}
                '.' | ':' | '/' => folded.push_str("__"),
                _ => folded.push(c.to_ascii_lowercase()),
            }
        }
    }
    Cow::Owned(folded)
}

/// What is left of some words without their `y` is another word: a unit is no unity, and a part no party.
const OTHER_WORDS: &[&str] = &["count", "part", "unit"];

/// A word of a tool's name as rules compare it, in lower case: without the ending of a plural.
pub(crate) fn stem(word: &str) -> &str {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() > 2);
    if let Some(stem) = cut("ies").or_else(|| cut("y")) {
        return if OTHER_WORDS.contains(&stem) { word } else { stem };
    }
    let is_es = |stem: &&str| ["ch", "sh", "x", "ss"].iter().any(|end| stem.ends_with(end));
    if let Some(stem) = cut("es").filter(is_es) {
        return stem;
    }
    cut("s").filter(|stem| !stem.ends_with('s')).unwrap_or(word)
}

/// A word that a rule asks for, as it is compared.
pub(crate) fn said_word(word: &str) -> String {
    let said: String = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    stem(&said).to_owned()
}

/// What an index needs to know of a rule.
pub(crate) struct Outline<'a> {
    /// The names of tools it is for, neutral ones.
    pub(crate) tools: Vec<&'a str>,
    /// The words of which one must stand in a tool's name, where nothing else says for which tools it is.
    pub(crate) words: Vec<String>,
    /// Globs say for which tools it is, too.
    pub(crate) has_globs: bool,
    /// The outlines of its patterns of commands: `None` when it is not for commands, empty when it is for whatever command
    /// sends an HTTP request.
    pub(crate) commands: Option<Vec<Vec<&'a str>>>,
    /// Its calls are decided about.
    pub(crate) is_tracked: bool,
    /// Patterns of lines that may run what they don't name: of each the words, of each word the alternatives.
    pub(crate) hiding: &'a [&'a [&'a [&'a str]]],
    /// What stands in its patterns for one of the strong verbs.
    pub(crate) verb: &'a str,
}

/// The places of some rules in their file, in order.
#[derive(Default)]
pub(crate) struct ByTool {
    /// Of those that name a tool, by its folded name.
    pub(crate) named: BTreeMap<String, Vec<u32>>,
    /// Of those with globs for tools.
    pub(crate) globs: Vec<u32>,
}

/// Rules by what calls name: lists of their places in their file, in order.
#[derive(Default)]
pub(crate) struct Draft {
    /// The rules for whole calls.
    pub(crate) for_calls: ByTool,
    /// The rules for commands of shell lines.
    pub(crate) for_commands: ByTool,
    /// The rules that ask for a word of tools' names.
    pub(crate) said: BTreeMap<String, Vec<u32>>,
    /// The rules that name a program.
    pub(crate) programs: BTreeMap<String, Vec<u32>>,
    /// The rules for commands of any program.
    pub(crate) any_program: Vec<u32>,
    /// There is a pattern of which no word need be in a text.
    pub(crate) always: bool,
    /// The words of all patterns, by number.
    numbers: BTreeMap<String, u32>,
    /// The patterns that a word may begin, by its number.
    patterns: BTreeMap<u32, BTreeSet<Vec<u32>>>,
}

impl Draft {
    /// Takes in the next rule, which stands at `place`.
    pub(crate) fn add(&mut self, place: u32, rule: &Outline<'_>) {
        if !rule.words.is_empty() {
            for word in &rule.words {
                note(&mut self.said, word, place);
            }
            return;
        }
        let by_tool = if rule.commands.is_some() { &mut self.for_commands } else { &mut self.for_calls };
        for tool in &rule.tools {
            note(&mut by_tool.named, &folded_tool(tool), place);
        }
        if rule.has_globs {
            by_tool.globs.push(place);
        }
        let Some(commands) = &rule.commands else { return };
        for words in commands {
            self.require(words, rule);
        }
        // A command in a code names nothing: whatever has one is read.
        for pattern in rule.hiding.iter().filter(|_| rule.is_tracked) {
            let words: Vec<String> = pattern.iter().map(|word| word.join("|")).collect();
            self.require(&words.iter().map(String::as_str).collect::<Vec<_>>(), rule);
        }
        let clients = HTTP_CLIENTS.join("|");
        if commands.is_empty() {
            self.require(&[&clients], rule);
        }
        let mut programs: Vec<&str> =
            commands.iter().map(|words| words.first().copied().unwrap_or_default()).collect();
        if commands.is_empty() {
            programs.push(&clients);
        }
        if programs.iter().any(|program| program.contains(['*', '?'])) {
            self.any_program.push(place);
            return;
        }
        for program in programs.iter().flat_map(|program| program.split('|')) {
            note(&mut self.programs, program, place);
        }
    }

    /// Notes that a text must hold one alternative of each of a pattern's words. A pattern for whatever program and of
    /// a low tier (`* --help`) only takes back what another one makes of a command: it asks for no look.
    fn require(&mut self, pattern: &[&str], rule: &Outline<'_>) {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for word in pattern {
            let whole: Option<Vec<&str>> = match *word {
                word if word == rule.verb => Some(STRONG_VERBS.to_vec()),
                word => {
                    let named = word.split('|').filter(|alternative| !alternative.starts_with('!'));
                    named.map(whole_word).collect()
                }
            };
            // A word that may be anything asks for nothing.
            if let Some(whole) = whole {
                groups.push(whole.into_iter().map(|word| self.number(word)).collect());
            }
        }
        self.always |= groups.is_empty() && rule.is_tracked;
        let Some((begins, further)) = groups.split_first() else { return };
        for first in begins {
            // The word itself is there.
            let groups = [&[vec![*first]], further].concat();
            self.patterns.entry(*first).or_default().insert(groups.join(&END_OF_GROUP));
        }
    }

    fn number(&mut self, word: &str) -> u32 {
        let next = u32::try_from(FIRST_WORD + self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(word.to_owned()).or_insert(next)
    }

    /// Of each word of all patterns its number, and the patterns that it may begin: of each pattern's words the numbers
    /// of the alternatives, [`END_OF_GROUP`] between words, [`END_OF_PATTERN`] before each pattern.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&str, Vec<u32>)> {
        self.numbers.iter().map(|(word, number)| {
            let mut list = vec![*number];
            for pattern in self.patterns.get(number).into_iter().flatten() {
                list.push(END_OF_PATTERN);
                list.extend(pattern);
            }
            (word.as_str(), list)
        })
    }

    /// The shapes of these words, a bit for each ([`shape`]): that alone tells nearly all words of a text from them.
    pub(crate) fn shapes(&self) -> Vec<u64> {
        shapes(self.numbers.keys())
    }

    /// The first rule that asks for a word of tools' names.
    pub(crate) fn first_said(&self) -> u32 {
        self.said.values().filter_map(|places| places.first()).copied().min().unwrap_or(u32::MAX)
    }

    /// The same of the words of tools' names.
    pub(crate) fn said_shapes(&self) -> Vec<u64> {
        shapes(self.said.keys())
    }
}

fn shapes<'w>(words: impl Iterator<Item = &'w String>) -> Vec<u64> {
    let mut shapes = vec![0; SHAPES / 64];
    for word in words {
        let (place, bit) = shape(word.as_bytes());
        if let Some(shapes) = shapes.get_mut(place) {
            *shapes |= bit;
        }
    }
    shapes
}

/// At most this many shapes are told apart: ten times as many as there are words in the shipped rules' patterns.
const SHAPES: usize = 1 << 15;

/// The place and the bit of a word's shape: its length, its first and last byte, and the one in the middle.
pub(crate) fn shape(word: &[u8]) -> (usize, u64) {
    let byte = |place: usize| word.get(place).copied().unwrap_or(0);
    let last = byte(word.len().saturating_sub(1));
    // Of longer words some share a length.
    let told = u32::from_le_bytes([byte(0), byte(word.len() / 2), last, word.len().to_le_bytes()[0]]);
    // Knuth's multiplicative hashing, by the golden ratio: the upper bits count.
    let number = told.wrapping_mul(0x9E37_79B1) >> (u32::BITS - SHAPES.ilog2());
    (number as usize / 64, 1 << (number % 64))
}

/// The place among `slots` where a name is looked for first: FNV-1a, which is the same on the machine that builds and on the one that
/// asks, and takes a fifth of the instructions of a hash that resists chosen names. These names are the shipped rules' own.
pub(crate) fn slot(name: &str, slots: usize) -> usize {
    let hash =
        name.bytes().fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 15)) as usize & (slots - 1)
}

fn note(lists: &mut BTreeMap<String, Vec<u32>>, name: &str, place: u32) {
    let list = lists.entry(name.to_owned()).or_default();
    if list.last() != Some(&place) {
        list.push(place);
    }
}

/// The longest word that every text has which the alternative matches; `None` when there is none: of `get*`.
pub(crate) fn whole_word(alternative: &str) -> Option<&str> {
    let parts = alternative.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '*' | '?'));
    parts.filter(|part| !part.is_empty() && !part.contains(['*', '?'])).max_by_key(|part| part.len())
}
