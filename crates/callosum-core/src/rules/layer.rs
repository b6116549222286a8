//! The rules of one file with their index: those that were loaded, or those that are shipped.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::candidate::Candidate;
use super::compile::{Rule, ToolName};
use super::index::Index;
use super::shipped::{self, Shipped};

/// The rules of one file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    rules: Rules,
    pub(super) index: Index,
    /// How many of them, from the first on, are standing ones.
    pub(super) standing: usize,
    /// How far back they look at most, by `recentWindowMs` or a limit, milliseconds; 0 when none says so.
    pub(super) largest_window_ms: u64,
    /// The largest `lockExpiryMs` of them, milliseconds; 0 when none names one.
    pub(super) longest_lease_ms: u64,
}

/// Rules by their places.
#[derive(Clone, Debug)]
enum Rules {
    Loaded(Vec<Rule>),
    /// Read when they are first asked; `None` where another rule has taken the place.
    Shipped(Vec<OnceLock<Option<Box<Rule>>>>),
}

impl Part {
    /// Of rules that were read.
    pub(super) fn loaded(rules: Vec<Rule>) -> Self {
        let largest = |of: fn(&Rule) -> Option<u64>| rules.iter().filter_map(of).max().unwrap_or(0);
        Self {
            index: Index::of(&rules),
            standing: rules.iter().take_while(|rule| rule.is_standing).count(),
            largest_window_ms: largest(Rule::window_ms),
            longest_lease_ms: largest(|rule| rule.lease_ms),
            rules: Rules::Loaded(rules),
        }
    }

    /// Of the shipped rules but those whose names are `taken`.
    pub(super) fn shipped(taken: &HashSet<Arc<str>>) -> Self {
        let is_taken = |place: usize, rule: &Shipped| place >= shipped::STANDING && taken.contains(rule.name);
        let mut rules: Vec<_> = std::iter::repeat_with(OnceLock::new).take(shipped::RULES.len()).collect();
        let (mut largest_window_ms, mut longest_lease_ms) = (0, 0);
        for (place, (rule, read)) in shipped::RULES.iter().zip(&mut rules).enumerate() {
            if is_taken(place, rule) {
                *read = OnceLock::from(None);
            } else {
                largest_window_ms = largest_window_ms.max(rule.window_ms);
                longest_lease_ms = longest_lease_ms.max(rule.lease_ms);
            }
        }
        Self {
            rules: Rules::Shipped(rules),
            index: shipped::index(),
            standing: shipped::STANDING,
            largest_window_ms,
            longest_lease_ms,
        }
    }

    /// Whether they are the shipped ones, prepared.
    pub(super) fn is_shipped(&self) -> bool {
        matches!(self.rules, Rules::Shipped(_))
    }

    /// The rule at a place.
    pub(super) fn rule(&self, place: usize) -> Option<&Rule> {
        match &self.rules {
            Rules::Loaded(rules) => rules.get(place),
            Rules::Shipped(rules) => {
                let read = || shipped::rule(place).map(Box::new);
                rules.get(place)?.get_or_init(read).as_deref()
            }
        }
    }

    /// The rule of a candidate, if it is for the tool.
    pub(super) fn rule_for(&self, candidate: Candidate, tool: &ToolName<'_>) -> Option<&Rule> {
        if let Rules::Shipped(rules) = &self.rules
            && !candidate.named
            && rules.get(candidate.place)?.get().is_none()
            && !shipped::RULES.get(candidate.place)?.may_match(tool)
        {
            return None;
        }
        self.rule(candidate.place).filter(|rule| rule.is_for_tool(candidate, tool))
    }

    fn places(&self) -> usize {
        match &self.rules {
            Rules::Loaded(rules) => rules.len(),
            Rules::Shipped(rules) => rules.len(),
        }
    }

    /// Its rules in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        (0..self.places()).filter_map(|place| self.rule(place))
    }

    /// How many rules of a file it has.
    pub(super) fn len(&self) -> usize {
        let is_taken = |rule: &&OnceLock<Option<Box<Rule>>>| matches!(rule.get(), Some(None));
        let all = match &self.rules {
            Rules::Loaded(rules) => rules.len(),
            Rules::Shipped(rules) => rules.len() - rules.iter().filter(is_taken).count(),
        };
        all - self.standing
    }
}
