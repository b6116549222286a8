//! What was seen and no rule names.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::UNREADABLE_EVENTS;
use crate::rules::RuleSet;
use crate::rules::words::{effect_verb, is_strong_verb};

use super::overview::CoverageStatus;

/// Entries told.
const MAX_UNCOVERED: usize = 200;

/// What was seen: runtime → name.
pub(super) type Seen = BTreeMap<String, BTreeMap<String, CoverageStatus>>;

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A tool, as its host names it.
    Tool,
    /// A program of shell lines, and the verb behind it where that is a strong one: `acme deploy`.
    Program,
}

/// A tool or a program that was seen and that no rule in force names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Uncovered {
    /// The runtime whose calls these were.
    pub runtime: String,
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// How often it was seen.
    pub calls: u64,
    /// The verb that makes its name sound like an effect outside; none where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<&'static str>,
    /// A rule is for those of its calls that name what they act on by an id; the others are not checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_id: bool,
    /// When it was last reported: RFC 3339.
    pub last: String,
}

/// What of the tools and programs seen no rule names. Notes for each tool whether one does.
pub(super) fn uncovered(rules: &RuleSet, tools: &mut Seen, programs: &Seen) -> Vec<Uncovered> {
    let mut found = Vec::new();
    let of = |runtime: &str, kind: Kind, name: &str, seen: &CoverageStatus| Uncovered {
        runtime: runtime.to_owned(),
        kind,
        name: name.to_owned(),
        calls: seen.before.max(seen.after),
        verb: verb(kind, name),
        by_id: seen.by_id,
        last: seen.last.clone(),
    };
    for (runtime, tools) in tools {
        for (tool, seen) in tools.iter_mut() {
            seen.covered = rules.covers_tool(tool);
            seen.by_id = !seen.covered && rules.covers_tool_by_id(tool);
            if !seen.covered && tool != UNREADABLE_EVENTS {
                found.push(of(runtime, Kind::Tool, tool, seen));
            }
        }
    }
    for (runtime, programs) in programs {
        // Rules may have come since.
        let programs = programs.iter().filter(|(program, _)| !rules.covers_program(program));
        found.extend(programs.map(|(program, seen)| of(runtime, Kind::Program, program, seen)));
    }
    found.sort_by_key(|entry| (entry.verb.is_none(), Reverse(entry.calls)));
    found.truncate(MAX_UNCOVERED);
    found
}

/// The verb that makes a name sound like an effect. What only changes something is mostly this machine's where a program is called so.
fn verb(kind: Kind, name: &str) -> Option<&'static str> {
    let verb = effect_verb(name)?;
    let counts = kind == Kind::Tool || is_strong_verb(verb);
    counts.then_some(verb)
}
