//! A whole set of rules, and what it says of a call.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::compile::Rule;
use super::format::{RuleFormat, WrittenRules};
use super::layer::Part;
use super::limits::{Budget, MAX_TEMPLATES, MAX_TEXT, REMEDY};
use super::source::Source;
use super::texts::Texts;
use super::{RateLimit, RuleError, SHIPPED_RULES, standing};

/// Rules in order; the first that matches a call says what it is.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// The rules of a file, and the shipped ones behind them where it extends these.
    pub(super) parts: Vec<Part>,
    /// What the rules were made of.
    pub(super) texts: Texts,
    /// The file says that all calls are only observed.
    pub(super) observes: bool,
    /// A journal is replayed: it is not asked whether an exit code proves something, nor for the standing rules, because what ran was
    /// none of theirs.
    pub(super) is_replay: bool,
}

impl RuleSet {
    /// Reads the text of a `tiers.json`. `"extends": "default"` puts the shipped rules after its own.
    ///
    /// # Errors
    /// The first thing that is wrong, and where it stands.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::parse_extending(text, SHIPPED_RULES)
    }

    /// Reads the text of a `tiers.json` with another text as the shipped rules. A rule of the text takes the
    /// place of a shipped one of the same name.
    ///
    /// # Errors
    /// The first thing that is wrong, and where it stands; when that is in `shipped`, the message says so.
    pub fn parse_extending(text: &str, shipped: &str) -> Result<Self, RuleError> {
        if text == SHIPPED_RULES {
            return Ok(Self::shipped());
        }
        let File { rules, extends_default, observes } = compile_all(text)?;
        let own: HashSet<Arc<str>> = rules.iter().map(|rule| rule.name.clone()).collect();
        let behind = match (extends_default, shipped == SHIPPED_RULES) {
            (true, true) => Part::shipped(&own),
            (true, false) => {
                let mut rules = standing::rules();
                rules.extend(compile_shipped(shipped)?.into_iter().filter(|rule| !own.contains(&rule.name)));
                Part::loaded(rules)
            }
            (false, _) => Part::loaded(standing::rules()),
        };
        Ok(Self {
            parts: vec![Part::loaded(rules), behind],
            texts: Texts::new(text, shipped, extends_default),
            observes,
            is_replay: false,
        })
    }

    /// The rules that Callosum ships.
    #[must_use]
    pub fn shipped() -> Self {
        let texts = Texts::new(SHIPPED_RULES, SHIPPED_RULES, false);
        Self { parts: vec![Part::shipped(&HashSet::new())], texts, observes: false, is_replay: false }
    }

    /// The rules in the order in which a call asks them: parts, and which places of each. The standing ones come first, wherever
    /// they stand.
    pub(super) fn asked(&self) -> impl Iterator<Item = (&Part, Range<usize>)> {
        // In the only part they do so already.
        let is_alone = self.parts.len() == 1;
        let standing = self.parts.iter().filter(move |part| !is_alone && part.standing > 0);
        let standing = standing.map(|part| (part, 0..part.standing));
        standing.chain(
            self.parts.iter().map(move |part| (part, if is_alone { 0 } else { part.standing }..usize::MAX)),
        )
    }

    /// All rules in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.parts.iter().flat_map(Part::iter)
    }

    /// Whether their file says that all calls are only observed.
    #[must_use]
    pub fn observes(&self) -> bool {
        self.observes
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(Part::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How far back a rule looks at most, by its `recentWindowMs` or its limit, in milliseconds; 0 when none says so.
    #[must_use]
    pub fn largest_window_ms(&self) -> u64 {
        self.parts.iter().map(|part| part.largest_window_ms).max().unwrap_or(0)
    }

    /// The limits of its rules, in order. The shipped rules have none: a test says so.
    pub fn limits(&self) -> impl Iterator<Item = (&str, RateLimit)> {
        let own = self.parts.iter().filter(|part| !part.is_shipped()).flat_map(Part::iter);
        own.filter_map(|rule| Some((&*rule.name, rule.limit.filter(|_| rule.tier.is_guarded())?)))
    }

    /// The largest `lockExpiryMs` that a rule names, in milliseconds; 0 when none does.
    #[must_use]
    pub fn longest_lease_ms(&self) -> u64 {
        self.parts.iter().map(|part| part.longest_lease_ms).max().unwrap_or(0)
    }
}

/// A file's rules in order, compiled, and what it says beside them.
pub(super) struct File {
    pub(super) rules: Vec<Rule>,
    /// The shipped ones are to follow.
    pub(super) extends_default: bool,
    /// All calls are only observed.
    pub(super) observes: bool,
}

/// Reads and compiles the rules of a text.
pub(super) fn compile_all(text: &str) -> Result<File, RuleError> {
    let source = Source::new(text);
    let file = WrittenRules::read(source)?;
    let mut names = HashSet::new();
    let mut rules = Vec::with_capacity(file.rules.len());
    let mut budget = Budget::new();
    for text in file.rules {
        rules.push(Rule::compile(read_rule(source, text.get(), &mut names)?, source, Some(&mut budget))?);
    }
    Ok(File { rules, extends_default: file.extends_default, observes: file.observes })
}

/// The rules of a text that stands in for the shipped one.
fn compile_shipped(text: &str) -> Result<Vec<Rule>, RuleError> {
    let File { rules, extends_default: extends_too, .. } = compile_all(text).map_err(|error| RuleError {
        message: format!("in the shipped rules: {}", error.message),
        ..error
    })?;
    if extends_too {
        let message = "the shipped rules can't extend themselves: remove `extends`";
        return Err(RuleError { line: 1, column: 1, rule: None, message: message.to_owned() });
    }
    Ok(rules)
}

/// Reads one rule of a file; `names` are those of the rules before it.
pub(super) fn read_rule<'a>(
    source: Source<'a>,
    text: &'a str,
    names: &mut HashSet<String>,
) -> Result<RuleFormat, RuleError> {
    let format = RuleFormat::read(source, text)?;
    let name = &format.name;
    if let Some((at, message)) = too_much(&format) {
        return Err(source.error(at, Some(&name.value), message));
    }
    if !names.insert(name.value.clone()) {
        let message = "another rule has this name: rename one, because the journal and the pauses show it";
        return Err(source.error(name.at, Some(&name.value), message));
    }
    Ok(format)
}

/// What in a rule is more than a rule may have, and at which byte of the file.
fn too_much(rule: &RuleFormat) -> Option<(usize, String)> {
    let keys = rule.context_key.as_ref();
    if let Some(keys) = keys.filter(|keys| keys.value.0.len() > MAX_TEMPLATES) {
        let message = format!(
            "`contextKey` has more than {MAX_TEMPLATES} templates: leave some out, or make two rules"
        );
        return Some((keys.at, message));
    }
    let pattern = rule.command_pattern.as_ref().filter(|pattern| pattern.value.len() > MAX_TEXT);
    pattern.map(|pattern| (pattern.at, format!("`commandPattern` is longer than {MAX_TEXT} bytes: {REMEDY}")))
}
