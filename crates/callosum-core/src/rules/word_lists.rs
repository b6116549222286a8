//! Words of patterns and what each leads to, and those of them that stand in a text.

use std::collections::{HashMap, HashSet};

use super::index_builder;

/// Lists of numbers by name.
#[derive(Clone, Debug)]
pub(super) enum Lists {
    /// Made when the program was.
    Shipped(&'static Table),
    /// Made when a file was loaded.
    Loaded(HashMap<String, Vec<u32>>),
}

impl Lists {
    pub(super) fn get(&self, name: &str) -> &[u32] {
        match self {
            Self::Shipped(lists) => lists.get(name).unwrap_or_default(),
            Self::Loaded(lists) => lists.get(name).map(Vec::as_slice).unwrap_or_default(),
        }
    }
}

/// A table that was made when the program was: a name stands in the slot that its hash says, or in one of those behind it.
#[derive(Debug)]
pub(super) struct Table {
    /// As many as a power of two, and at least half of them free: 0, or one more than the place of an entry.
    pub(super) slots: &'static [u16],
    pub(super) entries: &'static [Entry],
}

/// A name, and its list.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) list: &'static [u32],
}

impl Table {
    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<&'static [u32]> {
        let mut slot = index_builder::slot(name, self.slots.len());
        loop {
            let place = self.slots.get(slot).copied().unwrap_or(0);
            let entry = self.entries.get(usize::from(place).checked_sub(1)?)?;
            if entry.name == name {
                return Some(entry.list);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

impl FromIterator<(String, Vec<u32>)> for Lists {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u32>)>>(lists: I) -> Self {
        Self::Loaded(lists.into_iter().collect())
    }
}

/// Words of patterns that stand in a text.
pub(super) struct Named<'i> {
    pub(super) words: &'i Lists,
    pub(super) numbers: HashSet<u32>,
}

impl Named<'_> {
    /// Whether a command may be in the text that the pattern of this outline fits: of each of its words an alternative.
    pub(super) fn may_have<'p>(&self, mut outline: impl Iterator<Item = &'p str>) -> bool {
        let stands = |alternative: &str| {
            let number = index_builder::whole_word(alternative).map(|word| self.words.get(word).first());
            number.is_none_or(|number| number.is_some_and(|number| self.numbers.contains(number)))
        };
        let is_named = |alternative: &&str| !alternative.starts_with('!');
        outline.all(|word| word.split('|').filter(is_named).any(stands))
    }
}
