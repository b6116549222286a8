//! What is wrong with a rules file, and what in it probably does not do what its author means: every mistake, not only the
//! first, and warnings about rules that can be read.
//!
//! That a rule is never reached, or that a placeholder never has a value, is only said when it is certain.

mod reach;
mod texts;
mod tools;

pub use self::tools::meant_by_unknown;

use std::collections::HashSet;

use serde::Serialize;

use super::compile::{Rule, compared_tool};
use super::format::{RuleFormat, WrittenRules};
use super::index_builder::HTTP_CLIENTS;
use super::limits::Budget;
use super::rule_set::read_rule;
use super::source::Source;
use super::{Per, RuleError, RuleSet, SHIPPED_RULES, Scope};
use crate::model::on_conflict::OnConflict;
use crate::model::text::one_line;
use crate::rules::context_key::{Picked, Template};
use callosum_shell::command::{Pattern, outline};
use callosum_shell::glob::covers;

/// Rules that a warning names at most.
const MAX_NAMES: usize = 3;

/// What a look at a rules file found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lint {
    /// How many rules hold with it, the shipped ones it extends among them; 0 when it has errors.
    pub rule_count: usize,
    /// Why it can't be used, in the order of the file: at most one for each rule.
    pub errors: Vec<RuleError>,
    /// Valid rules that probably don't do what is meant, in the order of the file.
    pub warnings: Vec<Warning>,
}

/// Something in a valid rule that probably does not do what is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The rule's name.
    pub rule: String,
    /// What it is about.
    pub kind: WarningKind,
    /// What is the matter and how to put it right, in lower case.
    pub message: String,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// Earlier rules take every call the rule is for.
    Unreachable,
    /// It asks nothing of a command, and shipped rules for commands follow it.
    HidesShipped,
    /// A text of it that what it is compared with never looks like.
    NeverFits,
    /// No known host has a tool of that name.
    UnknownTool,
    /// Tier 3 or 4 without `contextKey`.
    NoContextKey,
    /// A placeholder of `contextKey` has a value in no call that the rule is for, or its last word looks like a parameter and is none.
    NeverFilled,
    /// `onConflict` or `limit` below tier 3, where no call is stopped.
    StopsNothing,
    /// `onConflict: block` where a session's own actions count: it blocks itself.
    BlocksItself,
    /// A limit per key by a rule that names no key.
    CountsApart,
    /// `journalParams: false` where no parameters are journaled anyhow.
    NoParameters,
}

/// How names of parameters end that name one thing.
const ENDS: &[&str] = &[
    "Code", "Email", "Id", "Ids", "Key", "Name", "Number", "Path", "Slug", "Uid", "Url", "_id", "_key",
    "_name",
];

/// Whether a word is written as names of parameters are: `chargeId`.
fn is_like_a_field(word: &str) -> bool {
    ENDS.iter().any(|end| word.len() > end.len() && word.ends_with(end))
}

/// Looks at the text of a `tiers.json`. What its rules hide of the shipped ones is its author's choice, but for one that hides
/// all that are for commands.
#[must_use]
pub fn lint(text: &str) -> Lint {
    let source = Source::new(text);
    let file = match WrittenRules::read(source) {
        Ok(file) => file,
        Err(error) => return Lint { errors: vec![error], ..Lint::default() },
    };
    let mut errors = Vec::new();
    let mut rules = Vec::new();
    let mut names = HashSet::new();
    let mut budget = Budget::new();
    for text in &file.rules {
        let read = read_rule(source, text.get(), &mut names);
        match read.and_then(|rule| Rule::compile(rule.clone(), source, Some(&mut budget)).map(|_| rule)) {
            Ok(rule) => rules.push(rule),
            Err(error) => errors.push(error),
        }
    }
    let mut warnings = Vec::new();
    let shipped = if file.extends_default { shipped_but(&names) } else { Vec::new() };
    let takers = reach::takers(&rules);
    for (rule, takers) in rules.iter().zip(takers) {
        let mut about = About { source, rule, warnings: &mut warnings };
        about.reach(&takers, &rules);
        if takers.is_empty() {
            about.hides(&shipped);
        }
        for (at, message) in texts::never_fit(rule) {
            about.warn(at, WarningKind::NeverFits, message);
        }
        about.tools();
        about.keys();
        about.parameters();
        about.stops();
    }
    warnings.sort_by_key(|warning| (warning.line, warning.column));
    let rule_count = if errors.is_empty() { RuleSet::parse(text).map_or(0, |rules| rules.len()) } else { 0 };
    Lint { rule_count, errors, warnings }
}

/// The shipped rules, without those whose names are taken.
fn shipped_but(taken: &HashSet<String>) -> Vec<RuleFormat> {
    let source = Source::new(SHIPPED_RULES);
    let Ok(file) = WrittenRules::read(source) else { return Vec::new() };
    let mut names = HashSet::new();
    let rules = file.rules.iter().filter_map(|text| read_rule(source, text.get(), &mut names).ok());
    rules.filter(|rule| !taken.contains(&rule.name.value)).collect()
}

/// One rule, and where its warnings go.
struct About<'a> {
    source: Source<'a>,
    rule: &'a RuleFormat,
    warnings: &'a mut Vec<Warning>,
}

impl About<'_> {
    fn warn(&mut self, at: usize, kind: WarningKind, message: String) {
        // Positions and names are put as those of errors are.
        let place = self.source.error(at, Some(&self.rule.name.value), String::new());
        let rule = place.rule.unwrap_or_default();
        self.warnings.push(Warning { line: place.line, column: place.column, rule, kind, message });
    }

    fn reach(&mut self, takers: &[usize], rules: &[RuleFormat]) {
        let name = |taker: &usize| {
            let name = &rules.get(*taker)?.name;
            let line = self.source.error(name.at, None, String::new()).line;
            Some(format!("`{}` (line {line})", one_line(&name.value, 80)))
        };
        let names: Vec<String> = takers.iter().take(MAX_NAMES).filter_map(name).collect();
        let more = match takers.len().saturating_sub(MAX_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (verb, them) = match takers.len() {
            0 => return,
            1 => ("takes", "that one"),
            _ => ("take", "those"),
        };
        let message = format!(
            "never matches: {}{more} before it {verb} every call it is for; put it before {them}, or remove it",
            names.join(", ")
        );
        self.warn(self.rule.name.at, WarningKind::Unreachable, message);
    }

    fn hides(&mut self, shipped: &[RuleFormat]) {
        let rule = self.rule;
        let asks = rule.command.is_some() || rule.http.is_some() || rule.command_pattern.is_some();
        if asks || !rule.params.is_empty() {
            return;
        }
        let for_commands = shipped.iter().filter(|rule| picked(rule).is_some());
        let hidden = for_commands.filter(|other| reach::takes_all(rule, other)).count();
        if hidden == 0 {
            return;
        }
        let message = format!(
            "sets no condition on the command, so it hides the {hidden} shipped rules for commands (mail, pushes, payments …); \
             give it a `command`"
        );
        self.warn(rule.tool.at, WarningKind::HidesShipped, message);
    }

    fn tools(&mut self) {
        for name in tools::unknown(self.rule) {
            let shown = one_line(name, 80);
            let remedy = match tools::meant(name) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "ignore this if a plugin brings it; MCP tools are named `server__tool`".to_owned(),
            };
            let message = format!("no known host has a tool `{shown}`: {remedy}");
            self.warn(self.rule.tool.at, WarningKind::UnknownTool, message);
        }
    }

    fn keys(&mut self) {
        let Some(keys) = &self.rule.context_key else {
            if self.rule.tier.value.is_guarded() {
                let message = "no `contextKey`: only a call with exactly the same parameters counts as the same; name what \
                               it acts on, such as `order:{params.id}`";
                self.warn(self.rule.tier.at, WarningKind::NoContextKey, message.to_owned());
            }
            return;
        };
        let picked = picked(self.rule);
        let templates: Vec<Template> =
            keys.value.0.iter().filter_map(|text| Template::parse(text).ok()).collect();
        for word in templates.iter().flat_map(Template::fallbacks).filter(|word| is_like_a_field(word)) {
            let message = format!(
                "`contextKey`: the last word `{0}` of a placeholder stands in the key as it is; write `field.{0}` to ask for the parameter",
                one_line(word, 80)
            );
            self.warn(keys.at, WarningKind::NeverFilled, message);
        }
        let never: Vec<String> =
            templates.iter().flat_map(|key| key.never_filled(picked).collect::<Vec<_>>()).collect();
        for placeholder in never {
            let why = if picked.is_none() {
                "the rule matches no single command of a line; give it `command` or `http`, or use `{params.NAME}`"
            } else if placeholder.starts_with("{http.") {
                "no program of the rule sends HTTP requests; give it `http`, or name one that does"
            } else {
                "no `command` of the rule names that many subcommands; use `{command.arg.N}` for what follows them"
            };
            let message = format!("`contextKey`: `{}` never has a value: {why}", one_line(&placeholder, 80));
            self.warn(keys.at, WarningKind::NeverFilled, message);
        }
    }

    /// What it says of calls that are to be stopped.
    fn stops(&mut self) {
        let rule = self.rule;
        if !rule.tier.value.is_guarded() {
            let fields = [
                ("onConflict", rule.on_conflict.as_ref().map(|field| field.at)),
                ("limit", rule.limit.as_ref().map(|field| field.at)),
            ];
            for (name, at) in fields.into_iter().filter_map(|(name, at)| Some((name, at?))) {
                let message = format!(
                    "`{name}` changes nothing, because no call is stopped below tier 3; give it tier 3, or remove it"
                );
                self.warn(at, WarningKind::StopsNothing, message);
            }
            return;
        }
        if let Some(wanted) = rule.on_conflict.as_ref().filter(|wanted| wanted.value == OnConflict::Block)
            && rule.scope == Scope::Any
        {
            let message = "`onConflict` blocks a session over its own actions too, whatever it says to that; if only others' are meant, add \
                           `\"scope\": \"otherSessions\"`";
            self.warn(wanted.at, WarningKind::BlocksItself, message.to_owned());
        }
        if let Some(limit) = rule.limit.as_ref().filter(|limit| limit.value.per == Per::Key)
            && rule.context_key.is_none()
        {
            let message = "`limit` counts each call by itself, because without `contextKey` only the same call has the same key; add a \
                           `contextKey`, or count `per` rule or session";
            self.warn(limit.at, WarningKind::CountsApart, message.to_owned());
        }
    }

    /// A command of tiers 0 and 1 may stand in a line with others, of which the parameters would be journaled.
    fn parameters(&mut self) {
        let is_for_lines = || {
            let names = self.rule.tool.value.0.iter();
            names.map(|name| compared_tool(name)).any(|name| covers(&name, SHELL))
        };
        if self.rule.journal_params || self.rule.tier.value.is_tracked() || is_for_lines() {
            return;
        }
        let message = "`journalParams` changes nothing, because no parameters are journaled at tiers 0 and 1; remove it";
        self.warn(self.rule.tier.at, WarningKind::NoParameters, message.to_owned());
    }
}

/// The tool whose calls are lines of commands, by its neutral name.
const SHELL: &str = "exec";

/// What the commands are like that a rule picks out of a line; `None` when it is for whole calls.
fn picked(rule: &RuleFormat) -> Option<Picked> {
    let texts = rule.command.as_ref().map(|command| command.value.0.as_slice()).unwrap_or_default();
    if texts.is_empty() && rule.http.is_none() {
        return None;
    }
    let patterns = texts.iter().filter_map(|text| Pattern::parse(text).ok());
    Some(Picked {
        subcommands: patterns.map(|pattern| pattern.depth()).max().unwrap_or(0),
        may_send: rule.http.is_some() || texts.iter().any(|text| !programs_are(text, |name| !sends(name))),
    })
}

/// Whether a program, or what a glob stands for, may send HTTP requests.
fn sends(program: &str) -> bool {
    HTTP_CLIENTS.iter().any(|client| covers(program, client))
}

/// Whether all programs that a command's pattern names are so.
fn programs_are(pattern: &str, is: impl Fn(&str) -> bool) -> bool {
    outline(pattern).next().is_some_and(|programs| programs.split('|').all(is))
}
