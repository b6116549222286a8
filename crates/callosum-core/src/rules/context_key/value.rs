//! Where the values in a placeholder come from: the parameters, or the command that a rule matched.

use super::file_path::{is_outside, path_in, work_folder};
use super::{Lookup, distinct};
use crate::model::redact::{key_mark, names_a_secret};
use crate::model::tool_call::ToolCall;
use callosum_shell::command::Fit;

/// What a key is made from: a call, its parameters, and the part of its command that is meant.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a, 'p> {
    pub(crate) call: &'a ToolCall,
    pub(crate) params: &'a Lookup<'p>,
    pub(crate) fit: Option<&'a Fit<'a, 'a>>,
}

/// What every command is like that a rule picks out of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    /// The rule names so many subcommands at most.
    pub(crate) subcommands: usize,
    /// It may be a program that sends HTTP requests.
    pub(crate) may_send: bool,
}

/// A source of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A parameter, by its dotted path.
    Param(String),
    /// Something that the command says.
    Command(String),
    /// The Nth argument of the command, from 0, as a path from where it runs.
    Path(usize),
    /// The paths among its arguments that are not in the working folder.
    Outside,
    /// The folder the command runs in.
    WorkFolder,
}

/// The families of placeholders; a word without one has that of the first word.
pub(super) const FAMILIES: &[&str] =
    &["params", "command", "http", "git", "forge", "kube", "notion", "storage", "ssh"];

impl Origin {
    /// Reads a word of a placeholder, `like` being one before it: `b` in `{params.a|b}` is a parameter too. `None` when there
    /// is no such source.
    pub(super) fn parse(word: &str, like: Option<&str>) -> Option<Self> {
        let family =
            word.split_once('.').map(|(family, _)| family).filter(|family| FAMILIES.contains(family));
        let whole = match (word, family, like) {
            ("workFolder", ..) => return Some(Self::WorkFolder),
            (_, Some(_), _) => word.to_owned(),
            (_, None, Some(like)) if like.starts_with("params.") => format!("params.{word}"),
            // `{command.flag.to|t}`
            (_, None, Some(like)) => format!("{}.{word}", like.rsplit_once('.')?.0),
            (_, None, None) => return None,
        };
        if let Some(path) = whole.strip_prefix("params.") {
            return Some(Self::Param(path.to_owned()));
        }
        if whole == "command.outside" {
            return Some(Self::Outside);
        }
        if let Some(number) = whole.strip_prefix("command.path.") {
            return number.parse::<usize>().ok()?.checked_sub(1).map(Self::Path);
        }
        Fit::knows(&whole).then_some(Self::Command(whole))
    }

    /// The name of a source that has a value in no call, under a rule that picks out such a command, or none.
    pub(super) fn never_has(&self, picked: Option<Picked>) -> Option<String> {
        let name = match self {
            Self::Param(_) | Self::WorkFolder => return None,
            Self::Command(name) => name.clone(),
            Self::Path(number) => format!("command.path.{}", number + 1),
            Self::Outside => "command.outside".to_owned(),
        };
        let Some(picked) = picked else { return Some(name) };
        let word = match name.as_str() {
            "command.verb" => Some(1),
            name => name.strip_prefix("command.word.").and_then(|number| number.parse::<usize>().ok()),
        };
        let never = word.is_some_and(|word| word > picked.subcommands)
            || name.starts_with("http.") && !picked.may_send;
        never.then_some(name)
    }

    /// Its values for a call; none when the call says nothing of it.
    pub(super) fn values<'p>(&'p self, site: Site<'_, 'p>) -> Vec<String> {
        let Site { call, params, fit } = site;
        let arguments = || fit.map(Fit::arguments).unwrap_or_default();
        match self {
            Self::Param(path) => {
                let mut texts = params.texts(path);
                if names_a_secret(path.rsplit('.').next().unwrap_or(path)) {
                    texts.iter_mut().for_each(|text| *text = key_mark(text));
                }
                texts
            }
            Self::WorkFolder => vec![site.folder()],
            Self::Path(number) => {
                arguments().get(*number).map(|path| path_in(&site.folder(), path)).into_iter().collect()
            }
            Self::Outside => {
                let base = work_folder(call, params, None);
                let whole = arguments().into_iter().map(|path| path_in(&site.folder(), path));
                whole.filter(|path| is_outside(&base, path)).collect()
            }
            Self::Command(placeholder) => {
                let values = fit.and_then(|fit| fit.values(placeholder)).unwrap_or_default();
                let values = distinct(
                    values
                        .into_iter()
                        .filter(|value| !value.trim().is_empty() || placeholder == "forge.target"),
                );
                if placeholder == "forge.target" {
                    values.iter().map(|target| site.named(target)).collect()
                } else {
                    values
                }
            }
        }
    }
}

impl Site<'_, '_> {
    /// Where the command runs.
    fn folder(&self) -> String {
        let within = self.fit.and_then(Fit::folder);
        work_folder(self.call, self.params, within.as_deref())
    }

    /// A target of a forge whose repository the command does not name: that of the folder.
    fn named(&self, target: &str) -> String {
        if target.is_empty() || target.starts_with('#') {
            format!("{}{target}", self.folder())
        } else {
            target.to_owned()
        }
    }
}
