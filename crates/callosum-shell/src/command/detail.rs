//! What a command says of what it acts on.

use super::{Command, Fit, bigquery, cloud, dns, docker, git, kube, notion, published, storage};
use crate::{Argument, option_values};

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
    /// The values that are given to a name: `NAME=value`, `NAME:value`.
    Pair(String),
    /// The names that are given values: of `A=1 B=2` both.
    Assigned,
    /// The argument behind this word, in whatever case: `/TN Backup`.
    Behind(String),
    /// What an AppleScript names in quotes behind this word: `buddy "+15550100"`.
    Script(String),
    /// The method of the HTTP requests it sends.
    HttpMethod,
    /// Their host.
    HttpHost,
    /// Their path.
    HttpPath,
    /// Their host and path.
    HttpUrl,
    /// A part of their path, without a version.
    HttpPart(usize),
    /// A field of their query.
    HttpQuery(String),
    /// A field of their body, by its dotted path.
    HttpBody(String),
    /// An argument of a GraphQL mutation that is their body.
    HttpArgument(String),
    /// The names of the records of the DNS that it changes.
    DnsNames,
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
    /// The namespace that manifests which it reads say.
    KubeNamespace,
    /// What a command of AWS acts on, with the service.
    AwsTarget,
    /// The region that its ARNs and addresses say.
    AwsRegion,
    /// The group of a command of Google Cloud.
    GcloudGroup,
    /// What a command of Azure acts on, with the group.
    AzureTarget,
    /// The subscription that its resource ids say.
    AzureSubscription,
    /// The resource group that they say.
    AzureGroup,
    /// The pages and databases of Notion.
    NotionTarget,
    /// The buckets and paths it writes.
    StorageWritten,
    /// The machines it logs in to, or runs on where that is another one.
    SshHost,
    /// The files of other machines that it writes or removes.
    FilesWritten,
    /// The daemon of containers that an option names.
    DockerDaemon,
    /// The dataset of BigQuery that it changes.
    BigQueryDataset,
}

impl Command<'_> {
    /// The values with what the line sets variables in them to: of a loop, one for each of its texts.
    pub(super) fn told(&self, values: Vec<String>) -> Vec<String> {
        let mut told = values;
        for (name, texts) in self.invocation.variables.iter().rev() {
            let (bare, braced) = (format!("${name}"), format!("${{{name}}}"));
            let one = |value: String| match whole_name(&value, &bare)
                .or_else(|| value.find(&braced).map(|at| (at, braced.len())))
            {
                Some((at, length)) => {
                    let put = |text: &str| {
                        let mut value = value.clone();
                        value.replace_range(at..at + length, text);
                        value
                    };
                    texts.split(',').map(str::trim).take(MAX_TEXTS).map(put).collect()
                }
                None => vec![value],
            };
            told = told.into_iter().flat_map(one).take(MAX_TEXTS).collect();
        }
        told
    }
}

impl<'l> Fit<'_, 'l> {
    /// The values of a detail; none when the command does not say it.
    #[must_use]
    pub fn values(&self, detail: &Detail) -> Vec<String> {
        let values = self.written(detail);
        if values.iter().any(|value| value.contains('$')) { self.command.told(values) } else { values }
    }

    fn written(&self, detail: &Detail) -> Vec<String> {
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
            Detail::Pair(name) => self.pairs(name).into_iter().map(str::to_owned).collect(),
            Detail::Assigned => {
                let name = |word: &&str| word.split_once('=').map(|(name, _)| name.to_owned());
                self.arguments().iter().filter_map(name).filter(|name| !name.is_empty()).collect()
            }
            Detail::Behind(name) => {
                let mut words = self.command.plain().skip_while(|word| !word.eq_ignore_ascii_case(name));
                owned(words.nth(1))
            }
            Detail::Script(name) => self.quoted_behind(name),
            Detail::HttpMethod => requests().map(|request| request.method.clone()).collect(),
            Detail::HttpHost => requests().map(|request| request.host.clone()).collect(),
            Detail::HttpPath => requests().map(|request| request.path.clone()).collect(),
            Detail::HttpUrl => requests().map(super::Request::url).collect(),
            Detail::HttpPart(place) => requests().filter_map(|request| request.part(*place)).collect(),
            Detail::HttpQuery(name) => requests().flat_map(|request| request.in_query(name)).collect(),
            Detail::HttpBody(path) => requests().flat_map(|request| request.in_body(path)).collect(),
            Detail::HttpArgument(name) => requests().flat_map(|request| request.arguments(name)).collect(),
            Detail::DnsNames => dns::names(self),
            Detail::GitRemote => owned(git::remote(self)),
            Detail::GitBranch => git::branches(self),
            Detail::Images => published::images(self),
            Detail::Artifacts => published::artifacts(self),
            Detail::Workspaces => published::workspaces(self.command),
            Detail::Stage => published::stage(self).into_iter().collect(),
            Detail::KubeContext => vec![kube::context(self.command)],
            Detail::KubeObject => kube::objects(self),
            Detail::KubeNamespace => kube::described_namespace(self).into_iter().collect(),
            Detail::AwsTarget => cloud::aws(self),
            Detail::AwsRegion => cloud::aws_region(self).into_iter().collect(),
            Detail::GcloudGroup => cloud::gcloud_group(self).into_iter().collect(),
            Detail::AzureTarget => cloud::azure(self),
            Detail::AzureSubscription => cloud::azure_part(self, "subscriptions").into_iter().collect(),
            Detail::AzureGroup => cloud::azure_part(self, "resourceGroups").into_iter().collect(),
            Detail::NotionTarget => notion::targets(self),
            Detail::StorageWritten => storage::written(self),
            Detail::SshHost => storage::hosts(self.command),
            Detail::FilesWritten => storage::files(self),
            Detail::DockerDaemon => owned(docker::daemon(self.command)),
            Detail::BigQueryDataset => bigquery::dataset(self).into_iter().collect(),
        }
    }

    /// The values of `NAME=value` and `NAME:value` among its arguments and the values of its options.
    fn pairs(&self, name: &str) -> Vec<&'l str> {
        let value = |word: &'l str| word.strip_prefix(name)?.strip_prefix(['=', ':']);
        let arguments = self.command.arguments.iter();
        let texts = arguments.filter_map(|argument| match argument {
            Argument::Plain(word) | Argument::Option { value: word, .. } => Some(*word),
            Argument::Switch(_) => None,
        });
        // `ansible -a "name=nginx state=restarted"`
        let of_list = |text: &'l str| -> Vec<&'l str> {
            if self.command.program() == "ansible" { text.split_whitespace().collect() } else { vec![text] }
        };
        texts.flat_map(of_list).filter_map(value).filter(|value| !value.is_empty()).collect()
    }

    /// The texts in quotes behind a word, or behind it and `id`, in what is given and what is read.
    fn quoted_behind(&self, name: &str) -> Vec<String> {
        let invocation = self.command.invocation;
        let words = invocation.words.iter().map(String::as_str);
        let texts = words.chain(invocation.input.iter().map(|text| &**text));
        let behind = |text: &str| -> Vec<String> {
            let mut parts = text.split('"');
            let mut found = Vec::new();
            while let (Some(before), Some(quoted)) = (parts.next(), parts.next()) {
                let before = before.trim_end();
                let before = before.strip_suffix(" id").unwrap_or(before);
                if before.rsplit(char::is_whitespace).next() == Some(name) {
                    found.push(quoted.to_owned());
                }
            }
            found
        };
        texts.flat_map(behind).collect()
    }

    /// The subcommands.
    pub(super) fn words(&self) -> impl Iterator<Item = &'l str> {
        self.command.plain().take(self.subcommands)
    }
}

/// A variable stands for so many texts at most.
const MAX_TEXTS: usize = 64;

/// Where a variable stands that is written without braces, and how long that is: a longer name is another one.
fn whole_name(value: &str, bare: &str) -> Option<(usize, usize)> {
    let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_whole = |at: &usize| !value.get(at + bare.len()..).is_some_and(|rest| rest.starts_with(goes_on));
    value.match_indices(bare).map(|(at, _)| at).find(is_whole).map(|at| (at, bare.len()))
}

/// `@scope/name@1.2` and `name@1.2` without what stands after the name.
fn without_version(package: &str) -> &str {
    match package.rfind('@') {
        Some(at) if at > 0 => package.get(..at).unwrap_or(package),
        _ => package,
    }
}
