//! Templates of context keys: text with placeholders in braces.

use std::borrow::Cow;

use super::placeholder::{self, Source, alone};
use super::site::Site;
use super::title::NEW;
use super::value::{Origin, Picked};
use super::{MAX_KEYS, UNKNOWN, bounded, distinct};
use crate::model::text::{nearest, one_line};

/// A template may have so many: each may have a thousand values, of which every combination is a key.
const MAX_PLACEHOLDERS: usize = 8;

/// A context key with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
    /// What stands for it where the call does not say all that its parts ask for; `None` inside: no key.
    otherwise: Option<Box<Option<Self>>>,
}

/// Stands between a template and what is taken where the call does not say all that it asks for.
const OR_ELSE: &str = " ?? ";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// What stands alone in its braces.
    Alone(Source),
    /// The first of these groups that has a value, with all the values in it; else the fallback.
    Values {
        groups: Vec<Vec<Origin>>,
        fallback: String,
    },
    /// What is behind a sign, `/` or `#`, where it is said: the sign and each value of the first that has one.
    Behind {
        sign: char,
        origins: Vec<Origin>,
    },
    /// What tells a resource from others of its name: `@` and the first value of each that has one, joined by slashes; nothing when
    /// none has.
    Qualifiers(Vec<Vec<Origin>>),
}

impl Template {
    /// Whether its keys are made of nothing but people's addresses.
    pub(super) fn is_of_recipients(&self) -> bool {
        let is_so = |part: &Part| matches!(part, Part::Literal(_) | Part::Alone(Source::Recipients));
        self.otherwise.is_none() && self.parts.iter().all(is_so)
    }

    /// Whether its keys are made of what parameters say, and not only of files and people.
    pub(super) fn is_of_values(&self) -> bool {
        let is_so = |part: &Part| match part {
            Part::Literal(_) => false,
            Part::Alone(source) => source.is_of_values(),
            Part::Values { groups, .. } | Part::Qualifiers(groups) => {
                groups.iter().flatten().any(Origin::is_of_values)
            }
            Part::Behind { origins, .. } => origins.iter().any(Origin::is_of_values),
        };
        let of_other = |other: &Option<Self>| other.as_ref().is_some_and(Self::is_of_values);
        self.parts.iter().any(is_so) || self.otherwise.as_deref().is_some_and(of_other)
    }

    /// Whether its keys may say that their thing is new.
    pub(super) fn may_be_new(&self) -> bool {
        let is_so = match self.parts.last() {
            Some(Part::Literal(text)) => text.ends_with(NEW),
            Some(Part::Values { groups, fallback }) => {
                fallback == NEW || groups.iter().flatten().any(Origin::is_of_forge)
            }
            _ => false,
        };
        is_so || self.otherwise.as_deref().is_some_and(|other| other.as_ref().is_some_and(Self::may_be_new))
    }

    /// Whether its keys may say no more than that their thing is new, or a word that stands for what the call does not say.
    pub(super) fn may_find_nothing(&self) -> bool {
        let is_so = self.parts.iter().any(|part| matches!(part, Part::Values { .. }));
        is_so || self.may_be_new()
    }

    /// Whether it leaves it to us to tell what a tool acts on, by any of `{tool.…}`.
    pub(super) fn asks_for_tool(&self) -> bool {
        let is_so = |part: &Part| match part {
            Part::Literal(_) => false,
            Part::Alone(source) => source.is_of_tool(),
            Part::Values { groups, .. } | Part::Qualifiers(groups) => {
                groups.iter().flatten().any(Origin::is_of_tool)
            }
            Part::Behind { origins, .. } => origins.iter().any(Origin::is_of_tool),
        };
        let of_other = |other: &Option<Self>| other.as_ref().is_some_and(Self::asks_for_tool);
        self.parts.iter().any(is_so) || self.otherwise.as_deref().is_some_and(of_other)
    }

    /// Reads a template; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some(first) = text.strip_suffix(OR_ELSE.trim_end()) {
            return Ok(Self { otherwise: Some(Box::new(None)), ..Self::parse(first)? });
        }
        if let Some((first, rest)) = text.split_once(OR_ELSE) {
            let otherwise = Some(Box::new(Some(Self::parse(rest)?)));
            return Ok(Self { otherwise, ..Self::parse(first)? });
        }
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = brace.strip_prefix("{{").or_else(|| brace.strip_prefix("}}")) {
                literal.extend(brace.chars().next());
                rest = after;
                continue;
            }
            let Some(inside) = brace.strip_prefix('{') else {
                return Err("a `}` without its `{`: write `}}` for the character itself".to_owned());
            };
            let Some((placeholder, after)) = inside.split_once('}') else {
                return Err("a `{` without its `}`: write `{{` for the character itself".to_owned());
            };
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(Part::parse(placeholder.trim())?);
            if parts.iter().filter(|part| !matches!(part, Part::Literal(_))).count() > MAX_PLACEHOLDERS {
                return Err(format!(
                    "the template has more than {MAX_PLACEHOLDERS} placeholders: make several of it"
                ));
            }
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        if parts.is_empty() {
            return Err("the template is empty: leave the field out for a rule without a key".to_owned());
        }
        Ok(Self { parts, otherwise: None })
    }

    /// The keys of a call: one, or one for each combination of the values of lists, at most one more than a
    /// call may have.
    pub(crate) fn resolve<'p>(&'p self, site: Site<'_, 'p>) -> Vec<String> {
        if let Some(otherwise) = &self.otherwise
            && !self.parts.iter().all(|part| part.is_told(site))
        {
            return otherwise.as_ref().as_ref().map(|other| other.resolve(site)).unwrap_or_default();
        }
        let mut keys = vec![String::new()];
        for part in &self.parts {
            if let Part::Literal(text) = part {
                keys.iter_mut().for_each(|key| key.push_str(text));
                continue;
            }
            let values = part.values(site);
            if let [value] = values.as_slice() {
                keys.iter_mut().for_each(|key| key.push_str(value));
            } else {
                let longer = |key: String| values.iter().map(move |value| format!("{key}{value}"));
                keys = keys.into_iter().flat_map(longer).take(MAX_KEYS + 1).collect();
            }
        }
        keys
    }
}

impl Template {
    /// The placeholders that no call has a value for, under a rule that picks out such a command, or none.
    pub(crate) fn never_filled(&self, picked: Option<Picked>) -> impl Iterator<Item = String> {
        self.parts.iter().filter_map(move |part| match part {
            Part::Values { groups, .. } => {
                let names = groups.iter().flatten().map(|origin| origin.never_has(picked));
                let names = names.collect::<Option<Vec<_>>>()?;
                Some(format!("{{{}}}", names.join("|")))
            }
            // What is left out where nobody says it may be left out always.
            _ => None,
        })
    }

    /// What stands in a key as it is written where no call says anything else: the last words of its placeholders.
    pub(crate) fn fallbacks(&self) -> Vec<&str> {
        let own = self.parts.iter().filter_map(|part| match part {
            Part::Values { fallback, .. } => Some(fallback.as_str()),
            _ => None,
        });
        let others = self.otherwise.as_deref().and_then(Option::as_ref).map(Self::fallbacks);
        own.chain(others.into_iter().flatten()).collect()
    }
}

impl Part {
    fn parse(placeholder: &str) -> Result<Self, String> {
        if let Some(source) = alone(placeholder) {
            return Ok(Self::Alone(source));
        }
        if let Some(sign @ ('/' | '#')) = placeholder.chars().next() {
            let words = placeholder.trim_start_matches(sign).trim().split('|').collect();
            return Ok(Self::Behind { sign, origins: origins(placeholder, words)?.concat() });
        }
        if let Some(qualifiers) = placeholder.strip_prefix('@') {
            let groups = qualifiers.split(',').map(|group| {
                let words = group.trim().split('|').collect();
                origins(placeholder, words).map(|groups| groups.concat())
            });
            return Ok(Self::Qualifiers(groups.collect::<Result<_, _>>()?));
        }
        let mut words: Vec<&str> = placeholder.split('|').collect();
        // A bare last word is the fallback; a word alone is never bare.
        let fallback = match words.as_slice() {
            [_, .., last] if Origin::parse(last, None).is_none() => words.pop().unwrap_or(UNKNOWN),
            _ => UNKNOWN,
        };
        Ok(Self::Values { groups: origins(placeholder, words)?, fallback: fallback.to_owned() })
    }

    /// Whether the call says what the placeholder asks for.
    fn is_told<'p>(&'p self, site: Site<'_, 'p>) -> bool {
        match self {
            Self::Alone(source) => !source.values(site).is_empty(),
            Self::Values { groups, .. } => {
                let mut origins = groups.iter().flatten();
                origins.clone().any(|origin| !origin.values(site).is_empty())
                    || origins.any(|origin| !origin.values_nearly(site).is_empty())
            }
            Self::Literal(_) | Self::Behind { .. } | Self::Qualifiers(_) => true,
        }
    }

    /// What stands for the placeholder, never nothing.
    fn values<'p>(&'p self, site: Site<'_, 'p>) -> Vec<Cow<'p, str>> {
        let values = match self {
            Self::Literal(text) => return vec![Cow::Borrowed(text)],
            Self::Alone(source) => source.values(site),
            Self::Behind { sign, origins } => {
                let values =
                    origins.iter().map(|origin| origin.values(site)).find(|values| !values.is_empty());
                let behind = |value| Cow::Owned(format!("{sign}{}", bounded(value)));
                return match values {
                    Some(values) => values.into_iter().map(behind).collect(),
                    None => vec![Cow::Borrowed("")],
                };
            }
            Self::Qualifiers(groups) => return vec![Cow::Owned(qualifiers(groups, site))],
            Self::Values { groups, fallback } => {
                let values = |group: &'p Vec<Origin>| match group.as_slice() {
                    [origin] => origin.values(site),
                    origins => distinct(origins.iter().flat_map(|origin| origin.values(site))),
                };
                let nearly = |origin: &'p Origin| origin.values_nearly(site);
                let found = groups.iter().map(values).find(|values| !values.is_empty());
                let found =
                    found.or_else(|| groups.iter().flatten().map(nearly).find(|values| !values.is_empty()));
                match found {
                    Some(values) => values,
                    None => return vec![Cow::Borrowed(fallback)],
                }
            }
        };
        if values.is_empty() {
            return vec![Cow::Borrowed(UNKNOWN)];
        }
        values.into_iter().map(|value| Cow::Owned(bounded(value))).collect()
    }
}

/// The sources that words of a placeholder name: a group for each, of what stands in it with `+` between.
fn origins(placeholder: &str, words: Vec<&str>) -> Result<Vec<Vec<Origin>>, String> {
    let unknown = || {
        let shown = one_line(placeholder, 60);
        match meant(placeholder) {
            Some(name) => format!("unknown placeholder `{{{shown}}}`: did you mean `{{{name}}}`?"),
            None => format!("unknown placeholder `{{{shown}}}`: expected one of {}", placeholder::all()),
        }
    };
    let first = words.first().and_then(|word| word.split('+').next()).unwrap_or_default();
    Origin::parse(first, None).ok_or_else(unknown)?;
    // A bare word is like the last one before it that says what it is.
    let mut like = first;
    let mut origin = |name| {
        if str::split(name, '.').any(|part| part.trim().is_empty()) {
            return Err(format!("`{{{}}}` has an empty name", one_line(placeholder, 60)));
        }
        if Origin::parse(name, None).is_some() {
            like = name;
        }
        Origin::parse(name, Some(like)).ok_or_else(unknown)
    };
    words.into_iter().map(|word| word.split('+').map(&mut origin).collect()).collect()
}

/// `@` and what is said of each, or nothing.
fn qualifiers<'p>(groups: &'p [Vec<Origin>], site: Site<'_, 'p>) -> String {
    let said =
        |group: &'p Vec<Origin>| group.iter().find_map(|origin| origin.values(site).into_iter().next());
    let said: Vec<String> = groups.iter().filter_map(said).map(bounded).collect();
    if said.is_empty() { String::new() } else { format!("@{}", said.join("/")) }
}

/// The placeholder that was probably meant: by its whole name, or by its family, the word before the first dot.
fn meant(placeholder: &str) -> Option<String> {
    let first = placeholder.split(['|', '+']).next().unwrap_or(placeholder);
    match (nearest(first, placeholder::whole_names()), first.split_once('.')) {
        (Some(name), _) => Some(name.to_owned()),
        (None, Some((family, name))) => {
            let meant = format!("{}.{name}", nearest(family, placeholder::families())?);
            Origin::parse(&meant, None).map(|_| one_line(&meant, 60))
        }
        (None, None) => None,
    }
}
