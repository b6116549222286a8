//! Where the values in a placeholder come from: the parameters, or the command that a rule matched.

use callosum_shell::Line;
use callosum_shell::command::{BRANCH, Command, Detail, Fit, REPOSITORY, Request, USUAL_HOSTS};

use super::around::Around;
use super::command_recipient::recipients;
use super::file_path::{file_paths, is_outside, path_in, work_folder};
use super::mail_fields;
use super::mail_text::MailTexts;
use super::placeholder::{Source, families, one_of_several};
use super::server;
use super::site::Site;
use super::target::own_id;
use super::{Lookup, distinct};
use crate::model::digest::{digest, neutral_tool_name};
use crate::model::redact::{key_mark, names_a_secret};

/// What every command is like that a rule picks out of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    /// The rule names so many subcommands at most.
    pub(crate) subcommands: usize,
    /// It may be a program that sends HTTP requests.
    pub(crate) may_send: bool,
}

/// One of the sources that a placeholder names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// As the template names it, with its family.
    name: String,
    source: Source,
}

impl Origin {
    /// Reads a word of a placeholder, `like` being one before it: `b` in `{params.a|b}` is a parameter too. `None` when there
    /// is no such source.
    pub(super) fn parse(word: &str, like: Option<&str>) -> Option<Self> {
        let has_family =
            word.split_once('.').is_some_and(|(family, _)| families().any(|known| known == family));
        let name = match like {
            _ if has_family => word.to_owned(),
            None => word.to_owned(),
            // A name without a family that stands for itself.
            Some(_) if one_of_several(word).is_some() => word.to_owned(),
            Some(like) if like.starts_with("params.") => format!("params.{word}"),
            // `{command.flag.to|t}`
            Some(like) => format!("{}.{word}", like.rsplit_once('.')?.0),
        };
        let source = one_of_several(&name)?;
        Some(Self { name, source })
    }

    /// The name of a source that has a value in no call, under a rule that picks out such a command, or none.
    pub(super) fn never_has(&self, picked: Option<Picked>) -> Option<&str> {
        let Some(picked) = picked else { return self.source.is_of_command().then_some(&self.name) };
        let never = match &self.source {
            Source::Command(Detail::Verb) => picked.subcommands == 0,
            Source::Command(Detail::Word(place)) => *place >= picked.subcommands,
            Source::Command(
                Detail::HttpMethod
                | Detail::HttpHost
                | Detail::HttpPath
                | Detail::HttpUrl
                | Detail::HttpPart(_)
                | Detail::HttpQuery(_)
                | Detail::HttpBody(_)
                | Detail::HttpArgument(_),
            ) => !picked.may_send,
            _ => false,
        };
        never.then_some(&self.name)
    }

    /// Whether its values are whole keys of a code host.
    pub(super) fn is_of_forge(&self) -> bool {
        self.source == Source::Forge
    }

    /// Whether it is something that a tool's name and its fields say together.
    pub(super) fn is_of_tool(&self) -> bool {
        self.source.is_of_tool()
    }

    /// Whether it is something that parameters say as it is.
    pub(super) fn is_of_values(&self) -> bool {
        self.source.is_of_values()
    }

    /// Its values for a call; none when the call says nothing of it.
    pub(super) fn values<'p>(&'p self, site: Site<'_, 'p>) -> Vec<String> {
        self.source.values(site)
    }

    /// Those of a field that is called nearly as it asks for.
    pub(super) fn values_nearly(&self, site: Site<'_, '_>) -> Vec<String> {
        match &self.source {
            Source::Field(name) => site.params.fields().named_nearly(name),
            _ => Vec::new(),
        }
    }
}

impl Source {
    /// Whether it is something that a tool's name and its fields say together.
    pub(super) fn is_of_tool(&self) -> bool {
        matches!(self, Self::ToolDetail(_))
    }

    /// Whether it is something that parameters say as it is.
    pub(super) fn is_of_values(&self) -> bool {
        matches!(self, Self::Param(_) | Self::Field(_) | Self::ToolDetail(_))
    }

    /// Whether it is something that the command of a rule says.
    fn is_of_command(&self) -> bool {
        match self {
            Self::Command(_)
            | Self::Path(_)
            | Self::Outside
            | Self::Around(_)
            | Self::Forge
            | Self::ForgeTarget
            | Self::Database
            | Self::Server => true,
            Self::Tool
            | Self::Digest
            | Self::FilePath
            | Self::WorkFolder
            | Self::Recipients
            | Self::Variable(_)
            | Self::Field(_)
            | Self::ToolDetail(_)
            | Self::Param(_) => false,
        }
    }

    /// Its values for a call; none when the call says nothing of it.
    pub(super) fn values<'p>(&'p self, site: Site<'_, 'p>) -> Vec<String> {
        let Site { call, params, fit, .. } = site;
        let arguments = || fit.map(Fit::arguments).unwrap_or_default();
        match self {
            Self::Tool => vec![neutral_tool_name(&call.tool).to_owned()],
            Self::Digest => vec![digest(&call.tool, &params.all())],
            Self::FilePath => file_paths(call, params),
            Self::Recipients => mail_recipients(site),
            Self::Param(path) => {
                let mut texts = params.texts(path);
                if names_a_secret(path.rsplit('.').next().unwrap_or(path)) {
                    texts.iter_mut().for_each(|text| *text = key_mark(text));
                }
                texts
            }
            Self::Field(name) => match params.fields().named_by_id(name) {
                found if found.is_empty() => own_id(name, site),
                found => found,
            },
            Self::ToolDetail(detail) => detail.values(site),
            Self::WorkFolder => vec![match site.fit.and_then(|fit| fit.command.invocation.host.as_deref()) {
                // No folder of this machine is meant.
                Some(host) => {
                    format!("{}@{host}", site.fit.and_then(Fit::folder).as_deref().unwrap_or("~"))
                }
                None => site.folder(),
            }],
            Self::Variable(name) => variable(site, name).into_iter().collect(),
            Self::Around(around) => around.values(site),
            Self::Database => server::database(site).into_iter().collect(),
            Self::Server => server::server(site).into_iter().collect(),
            Self::Path(place) => {
                arguments().get(*place).map(|path| path_in(&site.folder(), path)).into_iter().collect()
            }
            Self::Outside => {
                let base = work_folder(call, params, None);
                let whole = arguments().into_iter().map(|path| path_in(&site.folder(), path));
                whole.filter(|path| is_outside(&base, path)).collect()
            }
            Self::Forge => forge_keys(site),
            Self::ForgeTarget => {
                let target =
                    |key: String| key.split_once(':').map_or(key.clone(), |(_, target)| target.to_owned());
                forge_keys(site).into_iter().map(target).collect()
            }
            Self::Command(detail) => {
                let found =
                    distinct(site.detail(detail).into_iter().filter(|value| !value.trim().is_empty()));
                let is_of_body = matches!(detail, Detail::HttpBody(_) | Detail::HttpArgument(_));
                let is_unread =
                    |fit: &Fit<'_, '_>| fit.command.requests().iter().any(Request::has_unread_body);
                match fit.filter(|fit| found.is_empty() && is_of_body && is_unread(fit)) {
                    // Whatever a body says that is too long to be read, another one says something else.
                    Some(_) => unknown_in_line(params).into_iter().collect(),
                    None => found,
                }
            }
        }
    }
}

/// A variable of the environment, no secret's value.
fn variable(site: Site<'_, '_>, name: &str) -> Option<String> {
    let value = site.variable(name).filter(|value| !value.is_empty())?;
    Some(if names_a_secret(name) { key_mark(&value) } else { value })
}

/// What a command changes at a code host; what it leaves to the folder is put in.
fn forge_keys(site: Site<'_, '_>) -> Vec<String> {
    let found = site.fit.map(|fit| fit.forge_keys(&|name| site.variable(name))).unwrap_or_default();
    distinct(found.into_iter().map(|key| of_folder(site, key)))
}

/// A key of a code host with the folder's repository and branch.
fn of_folder(site: Site<'_, '_>, key: String) -> String {
    let key = if key.contains(BRANCH) {
        let branch = Around::Branch.values(site).pop();
        key.replace(BRANCH, branch.as_deref().unwrap_or("current"))
    } else {
        key
    };
    if !key.contains(REPOSITORY) {
        return key;
    }
    let repository = Around::Repository.values(site).pop();
    let repository = repository.unwrap_or_else(|| site.folder());
    // Pushes are named by host and path, all else without the usual host.
    let usual = || USUAL_HOSTS.iter().find_map(|host| repository.strip_prefix(host)?.strip_prefix('/'));
    let named = if key.starts_with("git-push:") { None } else { usual() }.unwrap_or(&repository);
    let whole = key.replace(REPOSITORY, named);
    // A project of Azure has several repositories, and its items are the project's.
    match whole.strip_prefix("azure-devops:").and_then(|rest| rest.split_once('#')) {
        Some((path, item)) if path == named && !path.starts_with('/') => {
            let project: Vec<&str> = path.split('/').take(2).collect();
            format!("azure-devops:{}#{item}", project.join("/"))
        }
        _ => whole,
    }
}

/// What stands for a target that the call's command line does not say.
fn unknown_in_line(params: &Lookup<'_>) -> Option<String> {
    let command = params.get("command")?;
    Some(params.unknown_in(command.as_str()?))
}

/// Who a mail goes to: told by the command, or for a tool that sends mail itself, by its parameters.
fn mail_recipients(site: Site<'_, '_>) -> Vec<String> {
    let params = site.params;
    let command = params.get("command");
    let line = command.as_ref().and_then(|command| command.as_str());
    if let Some(fit) = site.fit {
        let found = recipients_of(fit.command, &params.mails);
        return match found {
            [] => unknown_in_line(params).into_iter().collect(),
            found => found.to_vec(),
        };
    }
    if let Some(command) = line {
        let line = Line::read(command);
        return recipients(&line.invocations, line.rough.then_some(command), &params.mails);
    }
    mail_fields::of_parameters(params, &site.call.tool)
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
