//! What a command says of what it acts on.

use super::{Fit, git, kube, notion, published, storage};
use crate::option_values;

/// Something that a command says. Places are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The program.
    Program,
    /// The last subcommand.
    Verb,
    /// A subcommand.
    Word(usize),
    /// Everything behind the subcommands but options.
    Arguments,
    /// One of these.
    Argument(usize),
    /// The last of these.
    Last,
    /// One of these, without its folder.
    Name(usize),
    /// One of these, without its version.
    Package(usize),
    /// The values of an option, by its name without dashes.
    Flag(String),
    /// The method of the HTTP requests it sends.
    HttpMethod,
    /// Their host.
    HttpHost,
    /// Their path.
    HttpPath,
    /// Their host and path.
    HttpUrl,
    /// The remote it pushes to.
    GitRemote,
    /// The branches it pushes.
    GitBranch,
    /// The images it writes to registries.
    Images,
    /// The packages in the files among its arguments, by their names.
    Artifacts,
    /// The packages of a workspace that its options name.
    Workspaces,
    /// The stage that a script deploys to.
    Stage,
    /// The context of a cluster.
    KubeContext,
    /// The objects in it.
    KubeObject,
    /// The pages and databases of Notion.
    NotionTarget,
    /// The buckets and paths it writes.
    StorageWritten,
    /// The machines it logs in to.
    SshHost,
}

impl<'l> Fit<'_, 'l> {
    /// The values of a detail; none when the command does not say it.
    #[must_use]
    pub fn values(&self, detail: &Detail) -> Vec<String> {
        let owned = |text: Option<&str>| text.map(str::to_owned).into_iter().collect::<Vec<_>>();
        let argument = |place: usize| self.arguments().get(place).copied();
        let requests = || self.command.requests().iter();
        match detail {
            Detail::Program => owned(Some(self.command.program())),
            Detail::Verb => owned(self.words().last()),
            Detail::Word(place) => owned(self.words().nth(*place)),
            Detail::Arguments => self.arguments().into_iter().map(str::to_owned).collect(),
            Detail::Argument(place) => owned(argument(*place)),
            Detail::Last => owned(self.arguments().last().copied()),
            Detail::Name(place) => {
                owned(argument(*place).map(|path| path.rsplit('/').next().unwrap_or(path)))
            }
            Detail::Package(place) => owned(argument(*place).map(without_version)),
            Detail::Flag(name) => {
                let values = option_values(&self.command.arguments, name);
                values.into_iter().map(str::to_owned).collect()
            }
            Detail::HttpMethod => requests().map(|request| request.method.clone()).collect(),
            Detail::HttpHost => requests().map(|request| request.host.clone()).collect(),
            Detail::HttpPath => requests().map(|request| request.path.clone()).collect(),
            Detail::HttpUrl => requests().map(super::Request::url).collect(),
            Detail::GitRemote => owned(git::remote(self)),
            Detail::GitBranch => git::branches(self),
            Detail::Images => published::images(self),
            Detail::Artifacts => published::artifacts(self),
            Detail::Workspaces => published::workspaces(self.command),
            Detail::Stage => published::stage(self).into_iter().collect(),
            Detail::KubeContext => vec![kube::context(self.command)],
            Detail::KubeObject => kube::objects(self),
            Detail::NotionTarget => notion::targets(self),
            Detail::StorageWritten => storage::written(self),
            Detail::SshHost => storage::hosts(self.command),
        }
    }

    /// The subcommands.
    pub(super) fn words(&self) -> impl Iterator<Item = &'l str> {
        self.command.plain().take(self.subcommands)
    }
}

/// `@scope/name@1.2` and `name@1.2` without what stands after the name.
fn without_version(package: &str) -> &str {
    match package.rfind('@') {
        Some(at) if at > 0 => package.get(..at).unwrap_or(package),
        _ => package,
    }
}
