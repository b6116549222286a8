//! Templates of context keys: text with placeholders in braces.

use std::borrow::Cow;

use super::command_recipient::recipients;
use super::file_path::file_paths;
use super::mail_fields;
use super::mail_text::MailTexts;
use super::value::{FAMILIES, Origin, Picked, Site};
use super::{MAX_KEYS, UNKNOWN, bounded, distinct};
use crate::model::digest::{digest, neutral_tool_name};
use crate::model::text::{nearest, one_line};
use callosum_shell::Line;
use callosum_shell::command::Command;

const KNOWN: &str = "{tool}, {digest}, {filePath}, {workFolder}, {commandRecipients}, {params.NAME}, \
                     {params.NAME|OTHER|fallback}, {params.NAME+OTHER}, {command.flag.NAME}, {command.arg.N}, \
                     {command.args}, {command.last}, {command.verb}, {command.word.N}, {command.package.N}, {command.path.N}, {command.name.N}, \
                     {command.outside}, {command.program}, {http.method}, {http.host}, {http.path}, {http.url}, \
                     {git.remote}, {git.branch}, {forge.target}, {kube.context}, {kube.object}, {notion.target}, {storage.written} \
                     and {ssh.host}";

/// A template may have so many: each may have a thousand values, of which every combination is a key.
const MAX_PLACEHOLDERS: usize = 8;

/// A context key with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Tool,
    /// The first of these groups that has a value, with all the values in it; else the fallback.
    Values {
        groups: Vec<Vec<Origin>>,
        fallback: String,
    },
    CommandRecipients,
    FilePath,
    Digest,
}

impl Template {
    /// Whether its keys are made of nothing but people's addresses.
    pub(super) fn is_of_recipients(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Literal(_) | Part::CommandRecipients))
    }

    /// Reads a template; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
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
        Ok(Self { parts })
    }

    /// The keys of a call: one, or one for each combination of the values of lists, at most one more than a
    /// call may have.
    pub(crate) fn resolve<'p>(&'p self, site: Site<'_, 'p>) -> Vec<String> {
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
            _ => None,
        })
    }
}

impl Part {
    fn parse(placeholder: &str) -> Result<Self, String> {
        match placeholder {
            "tool" => return Ok(Self::Tool),
            "commandRecipient" | "commandRecipients" => return Ok(Self::CommandRecipients),
            "filePath" => return Ok(Self::FilePath),
            "digest" => return Ok(Self::Digest),
            _ => {}
        }
        let unknown = || {
            let shown = one_line(placeholder, 60);
            match meant(placeholder) {
                Some(name) => format!("unknown placeholder `{{{shown}}}`: did you mean `{{{name}}}`?"),
                None => format!("unknown placeholder `{{{shown}}}`: known are {KNOWN}"),
            }
        };
        let mut words: Vec<&str> = placeholder.split('|').collect();
        let first = words.first().and_then(|word| word.split('+').next()).unwrap_or_default();
        Origin::parse(first, None).ok_or_else(unknown)?;
        // A bare last word is the fallback; a word alone is never bare.
        let fallback = match words.as_slice() {
            [_, .., last] if Origin::parse(last, None).is_none() => words.pop().unwrap_or(UNKNOWN),
            _ => UNKNOWN,
        };
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
        let groups = words.into_iter().map(|word| word.split('+').map(&mut origin).collect());
        Ok(Self::Values { groups: groups.collect::<Result<_, _>>()?, fallback: fallback.to_owned() })
    }

    /// What stands for the placeholder, never nothing.
    fn values<'p>(&'p self, site: Site<'_, 'p>) -> Vec<Cow<'p, str>> {
        let Site { call, params, .. } = site;
        let values = match self {
            Self::Literal(text) => return vec![Cow::Borrowed(text)],
            Self::Tool => vec![neutral_tool_name(&call.tool).to_owned()],
            Self::Digest => vec![digest(&call.tool, &params.all())],
            Self::CommandRecipients => mail_recipients(site),
            Self::FilePath => file_paths(call, params),
            Self::Values { groups, fallback } => {
                let values = |group: &'p Vec<Origin>| match group.as_slice() {
                    [origin] => origin.values(site),
                    origins => distinct(origins.iter().flat_map(|origin| origin.values(site))),
                };
                match groups.iter().map(values).find(|values| !values.is_empty()) {
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

/// The placeholder that was probably meant: by its whole name, or by its family, the word before the first dot.
fn meant(placeholder: &str) -> Option<String> {
    let first = placeholder.split(['|', '+']).next().unwrap_or(placeholder);
    let whole = ["tool", "digest", "filePath", "workFolder", "commandRecipients"];
    let names = whole.into_iter().chain(callosum_shell::command::PLACEHOLDERS.iter().copied());
    match (nearest(first, names), first.split_once('.')) {
        (Some(name), _) => Some(name.to_owned()),
        (None, Some((family, name))) => {
            let meant = format!("{}.{name}", nearest(family, FAMILIES.iter().copied())?);
            Origin::parse(&meant, None).map(|_| one_line(&meant, 60))
        }
        (None, None) => None,
    }
}

/// Who a mail goes to: told by the command, or for a tool that sends mail itself, by its parameters.
fn mail_recipients(site: Site<'_, '_>) -> Vec<String> {
    let params = site.params;
    let command = params.get("command");
    let line = command.as_ref().and_then(|command| command.as_str());
    if let Some(fit) = site.fit {
        let found = recipients_of(fit.command, &params.mails);
        return match found {
            [] => line.map(|line| params.unknown_in(line)).into_iter().collect(),
            found => found.to_vec(),
        };
    }
    if let Some(command) = line {
        let line = Line::read(command);
        return recipients(&line.invocations, line.rough.then_some(command), &params.mails);
    }
    mail_fields::of_parameters(params)
}

/// The recipients of one command; none, too, when those of the commands before it were too many.
fn recipients_of<'c>(command: &'c Command<'_>, texts: &MailTexts) -> &'c [String] {
    let invocation = command.invocation;
    if !texts.has_room(1 + invocation.input.len()) {
        return &[];
    }
    let found = command.recipients.get_or_init(|| recipients(std::slice::from_ref(invocation), None, texts));
    if texts.has_room(found.len()) { found } else { &[] }
}
