//! Which rules of a file may be for a call, without asking them.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::candidate::Candidate;
use super::compile::{Rule, ToolName};
use super::index_builder;
use super::index_builder::{Draft, END_OF_GROUP, END_OF_PATTERN, Outline};
use super::tool_words::NameWords;
use super::word_lists::{Lists, Named};
use smallvec::SmallVec;

use callosum_shell::command::{HIDING, VERB, outline};

/// Places of rules in their file, in order.
pub(super) type Places = Cow<'static, [u32]>;

/// An index of the rules of one file.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// The rules for whole calls.
    pub(super) for_calls: ByTool,
    /// The rules for commands of shell lines.
    pub(super) for_commands: ByTool,
    /// The rules that ask for a word of tools' names.
    pub(super) said: Lists,
    /// The first of them.
    pub(super) first_said: u32,
    /// What [`Draft::said_shapes`] tells of these words.
    pub(super) said_shapes: Cow<'static, [u64]>,
    /// The rules that name a program.
    pub(super) programs: Lists,
    /// Those for commands of any program.
    pub(super) any_program: Places,
    /// What [`Draft::words`] tells.
    pub(super) words: Lists,
    /// What [`Draft::shapes`] tells of these words.
    pub(super) shapes: Cow<'static, [u64]>,
    /// There is a pattern of which no word need be in a text.
    pub(super) always: bool,
}

/// Rules by the tools they are for.
#[derive(Clone, Debug)]
pub(super) struct ByTool {
    pub(super) named: Lists,
    pub(super) globs: Places,
}

/// The rules that may be for calls of a tool, by their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidates<'i> {
    named: &'i [u32],
    globs: &'i [u32],
}

impl Index {
    /// An index of rules in order.
    pub(super) fn of(rules: &[Rule]) -> Self {
        let mut draft = Draft::default();
        for (place, rule) in (0..).zip(rules) {
            let patterns = rule.effects.as_ref().map(|effects| effects.texts());
            draft.add(
                place,
                &Outline {
                    tools: rule.tools.exact().iter().map(String::as_str).collect(),
                    words: rule.words_to_find_it_by().to_vec(),
                    has_globs: rule.tools.has_globs(),
                    commands: patterns.map(|texts| texts.map(|text| outline(text).collect()).collect()),
                    is_tracked: rule.tier.is_tracked(),
                    hiding: HIDING,
                    verb: VERB,
                },
            );
        }
        Self {
            shapes: draft.shapes().into(),
            first_said: draft.first_said(),
            said_shapes: draft.said_shapes().into(),
            said: draft.said.clone().into_iter().collect(),
            words: draft.words().map(|(word, list)| (word.to_owned(), list)).collect(),
            for_calls: draft.for_calls.into(),
            for_commands: draft.for_commands.into(),
            programs: draft.programs.into_iter().collect(),
            any_program: draft.any_program.into(),
            always: draft.always,
        }
    }

    /// The rules that may be for whole calls of the tool of this neutral name, folded.
    pub(super) fn for_calls(&self, neutral: &str) -> Candidates<'_> {
        self.for_calls.candidates(neutral)
    }

    /// The rules that may be for commands of shell lines that the tool of this neutral name, folded, is given.
    pub(super) fn for_commands(&self, neutral: &str) -> Candidates<'_> {
        self.for_commands.candidates(neutral)
    }

    /// The rules before a place that ask for a word of a tool's name, or of what a parameter of a call says that it does, in order.
    pub(super) fn said_in<'n>(
        &self,
        tool: &ToolName<'_>,
        action: impl FnOnce() -> Option<&'n NameWords>,
        before: usize,
    ) -> Vec<Candidate> {
        let mut places = Vec::new();
        if usize::try_from(self.first_said).is_ok_and(|first| first >= before) {
            return Vec::new();
        }
        let of_action = action().into_iter().flat_map(NameWords::terms);
        for (term, _) in tool.words().terms().chain(of_action) {
            if has_shape(&self.said_shapes, term.as_bytes()) {
                places.extend(self.said.get(term).iter().filter_map(|place| usize::try_from(*place).ok()));
            }
        }
        places.retain(|place| *place < before);
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| Candidate { place, named: true }).collect()
    }

    /// Whether there may be a command in `text` that a rule is for: one pass over its words.
    pub(super) fn may_match(&self, text: &str) -> bool {
        // Of most lines few words stand in any rule.
        let mut seen: SmallVec<[(u32, &[u32]); 8]> = SmallVec::new();
        for word in words(text) {
            if has_shape(&self.shapes, word.as_bytes())
                && let Some((number, begun)) = self.words.get(word).split_first()
                && !seen.iter().any(|(known, _)| known == number)
            {
                seen.push((*number, begun));
            }
        }
        let is_seen =
            |group: &[u32]| group.iter().any(|number| seen.iter().any(|(known, _)| known == number));
        let stands = |words: &[u32]| words.split(|code| *code == END_OF_GROUP).all(is_seen);
        let mut patterns =
            seen.iter().flat_map(|(_, begun)| begun.split(|code| *code == END_OF_PATTERN).skip(1));
        self.always || patterns.any(stands)
    }

    /// The words of patterns that stand in `text`.
    pub(super) fn named(&self, text: &str) -> Named<'_> {
        let numbers = words(text).filter_map(|word| self.words.get(word).first().copied());
        Named { words: &self.words, numbers: numbers.collect() }
    }

    /// Whether a rule names this program.
    pub(super) fn names_program(&self, program: &str) -> bool {
        !self.programs.get(program).is_empty()
    }

    /// The rules that may be for a command of `program`, whatever the tool that runs it, in order.
    pub(super) fn rules(&self, program: &str) -> impl Iterator<Item = usize> {
        let candidates = Candidates { named: self.programs.get(program), globs: &self.any_program };
        candidates.iter().map(|candidate| candidate.place)
    }

    /// The rules that may be for a command of `program` in a line that the tool of this neutral name, folded, is given, and those for the
    /// whole line: in order.
    pub(super) fn for_command(&self, neutral: &str, program: &str) -> impl Iterator<Item = Candidate> {
        let commands = self.for_commands(neutral);
        let mut of_program = self.rules(program).filter_map(move |place| commands.at(place)).peekable();
        let mut of_line = self.for_calls(neutral).iter().peekable();
        std::iter::from_fn(move || {
            let place = of_line.peek().map_or(usize::MAX, |candidate| candidate.place);
            of_program.next_if(|candidate| candidate.place < place).or_else(|| of_line.next())
        })
    }
}

impl ByTool {
    fn candidates(&self, tool: &str) -> Candidates<'_> {
        Candidates { named: self.named.get(tool), globs: &self.globs }
    }
}

impl<'i> Candidates<'i> {
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.globs.is_empty()
    }

    /// The candidate at a place, if there is one.
    pub(super) fn at(&self, place: usize) -> Option<Candidate> {
        let wanted = u32::try_from(place).ok()?;
        let named = self.named.binary_search(&wanted).is_ok();
        (named || self.globs.binary_search(&wanted).is_ok()).then_some(Candidate { place, named })
    }

    /// All, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = Candidate> + use<'i> {
        let (mut named, mut globs) = (self.named.iter().peekable(), self.globs.iter().peekable());
        std::iter::from_fn(move || {
            let order = match (named.peek(), globs.peek()) {
                (Some(one), Some(other)) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let other = if order == Ordering::Less { None } else { globs.next() };
            let one = if order == Ordering::Greater { None } else { named.next() };
            let place = usize::try_from(*one.or(other)?).ok()?;
            Some(Candidate { place, named: one.is_some() })
        })
    }
}

impl From<index_builder::ByTool> for ByTool {
    fn from(draft: index_builder::ByTool) -> Self {
        Self { named: draft.named.into_iter().collect(), globs: draft.globs.into() }
    }
}

/// Whether a word may be one of those whose shapes these are.
fn has_shape(shapes: &[u64], word: &[u8]) -> bool {
    let (place, bit) = index_builder::shape(word);
    shapes.get(place).is_some_and(|shapes| shapes & bit != 0)
}

/// Letters, digits and the underscore.
#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
const IN_WORD: [bool; 256] = {
    let (mut is_in, mut byte) = ([false; 256], 0_u8);
    while byte < u8::MAX {
        is_in[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    is_in
};

/// The runs of letters, digits and underscores in `text`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_in = |byte: &u8| IN_WORD.get(usize::from(*byte)).copied().unwrap_or(false);
    let (bytes, mut behind) = (text.as_bytes(), 0);
    // Words have few bytes: to begin a search anew for each takes as long as to look at them.
    std::iter::from_fn(move || {
        let mut start = behind;
        while !is_in(bytes.get(start)?) {
            start += 1;
        }
        let mut end = start + 1;
        while bytes.get(end).is_some_and(is_in) {
            end += 1;
        }
        behind = end;
        text.get(start..end)
    })
}

#[cfg(test)]
impl Index {
    /// All of it, to compare it with another one.
    pub(super) fn told(&self) -> String {
        let lists = |lists: &Lists| -> std::collections::BTreeMap<String, Vec<u32>> {
            match lists {
                Lists::Shipped(lists) => {
                    lists.entries.iter().map(|entry| (entry.name.to_owned(), entry.list.to_vec())).collect()
                }
                Lists::Loaded(lists) => lists.clone().into_iter().collect(),
            }
        };
        let by_tool = |by_tool: &ByTool| (lists(&by_tool.named), by_tool.globs.to_vec());
        let said = (lists(&self.said), self.first_said, &self.said_shapes);
        let tools = (by_tool(&self.for_calls), by_tool(&self.for_commands), said);
        let commands = (lists(&self.programs), self.any_program.to_vec(), lists(&self.words), self.always);
        let commands = (commands, &self.shapes);
        format!("{tools:#?} {commands:#?}")
    }
}
