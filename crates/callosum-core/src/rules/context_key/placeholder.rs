//! The placeholders of a template: one table, from which templates are read, mistakes in them are explained, and
//! `docs/reference/rules.md` and the schema's description are made.

use callosum_shell::command::Detail;
use callosum_surroundings::links::Service;
use callosum_surroundings::package::Ecosystem;

use super::around::Around;
use super::field::folded;
use super::tool_target::ToolDetail;

/// Where the values of a placeholder come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The tool's name.
    Tool,
    /// The digest of tool and parameters.
    Digest,
    /// The file that the call acts on.
    FilePath,
    /// The folder that the command runs in.
    WorkFolder,
    /// Everyone a mail goes to.
    Recipients,
    /// A parameter, by its dotted path.
    Param(String),
    /// The parameters' fields of a name, folded, wherever they stand.
    Field(String),
    /// What the tool's name and the fields say together.
    ToolDetail(ToolDetail),
    /// Something that the command says.
    Command(Detail),
    /// An argument of the command, from 0, as a path from where it runs.
    Path(usize),
    /// The paths among its arguments that are not in the working folder.
    Outside,
    /// A variable of the command's environment.
    Variable(String),
    /// What it changes at a code host, as whole keys.
    Forge,
    /// The same without the host's name.
    ForgeTarget,
    /// Something that lies around the command.
    Around(Around),
    /// The database that the command changes, with its server.
    Database,
    /// The server that the command talks to.
    Server,
}

/// A placeholder that templates may have.
#[derive(Clone, Copy, Debug)]
pub struct Placeholder {
    /// As it stands in its braces. `N` at its end is a number from 1, `NAME` a name.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    make: Make,
}

/// How a placeholder is read.
#[derive(Clone, Copy, Debug)]
enum Make {
    /// It stands alone in its braces: nothing is chosen among several.
    Alone(fn() -> Source),
    /// It stands as it is.
    Whole(fn() -> Source),
    /// With a number, given from 0.
    Numbered(fn(usize) -> Source),
    /// With a name.
    Named(fn(&str) -> Source),
}

const fn row(name: &'static str, make: Make, meaning: &'static str) -> Placeholder {
    Placeholder { name, meaning, make }
}

/// A placeholder for something that the command says.
macro_rules! detail {
    ($detail:ident) => {
        Make::Whole(|| Source::Command(Detail::$detail))
    };
    ($detail:ident of a number) => {
        Make::Numbered(|place| Source::Command(Detail::$detail(place)))
    };
}

/// A placeholder for something that a tool's name and its fields say.
macro_rules! of_tool {
    ($detail:ident) => {
        Make::Whole(|| Source::ToolDetail(ToolDetail::$detail))
    };
}

/// A placeholder for something that the command says of a name.
macro_rules! named {
    ($detail:ident) => {
        Make::Named(|name| Source::Command(Detail::$detail(name.to_owned())))
    };
}

/// A placeholder for something that lies around the command.
macro_rules! around {
    ($($around:tt)+) => {
        Make::Whole(|| Source::Around(Around::$($around)+))
    };
}

/// All of them: those of any call first, then those of the command that the rule picked out.
#[rustfmt::skip]
pub const PLACEHOLDERS: &[Placeholder] = &[
    row("tool", Make::Alone(|| Source::Tool), "the tool's name"),
    row("digest", Make::Alone(|| Source::Digest), "a digest of the tool and its parameters: only the very same call has the same one"),
    row("filePath", Make::Alone(|| Source::FilePath), "the file that the call acts on, as an absolute path"),
    row("workFolder", Make::Whole(|| Source::WorkFolder), "the folder that the call works in"),
    row("commandRecipients", Make::Alone(|| Source::Recipients), "everyone that a mail command or mail tool writes to"),
    row("params.NAME", Make::Named(|path| Source::Param(path.to_owned())), "a parameter, by its dotted path"),
    row("field.NAME", Make::Named(|name| Source::Field(folded(name))), "a parameter by its name alone, without case and signs, wherever it stands: in objects, in lists, in texts that are JSON"),
    row("tool.service", of_tool!(Service), "the name of the tool's server, without the words `mcp`, `server` and `api`"),
    row("tool.named", of_tool!(Named), "the word of the first group of `toolWords` that stands in the tool's name"),
    row("tool.verb", of_tool!(Verb), "the verb in the tool's name"),
    row("tool.thing", of_tool!(Thing), "the thing in the tool's name, in the singular: `invoice` of `void_invoices`"),
    row("tool.target", of_tool!(Target), "what the call acts on: the field that is called like a thing in the tool's name (`invoice_id` of `send_invoice`), else the first of the usual ones (`id`, `to`, `channel`, `project` …)"),
    row("tool.object", of_tool!(Object), "the same with its kind before it (`ticket/42`), and with what it stands in between, where its name alone may be that of others (`table/app1/Orders`)"),
    row("tool.paid", of_tool!(Paid), "what it acts on, where that is an order, a booking, an invoice or the like, with what it stands in as in `{tool.object}`"),
    row("tool.known", of_tool!(Known), "what `{tool.object}` gives, where the call says which one: what is made has a name (`album/Trip`)"),
    row("tool.within", of_tool!(Within), "what the target stands in (`app1/Orders`), where its name alone may be that of others"),
    row("tool.besides", of_tool!(Besides), "nothing by itself: where the key names only what the thing stands in, or by a name that others may have, it gets what the call names besides; so do all keys that ask for anything of `tool.`"),
    row("tool.addresses", of_tool!(Addresses), "the mail addresses that its parameters name"),
    row("tool.record", of_tool!(Record), "the whole name of the record that a tool for the domain name system changes (`www.acme.example`), else what tells it, else the zone"),
    row("tool.network", of_tool!(Network), "the network that a transaction of a wallet belongs to: the one that a field or the server names, `ethereum` for an address that begins with `0x`"),
    row("tool.repository", of_tool!(Repository), "the repository or project of a code host, as `owner/name`"),
    row("tool.kube", of_tool!(KubeObject), "the object in a cluster, as `cluster/namespace:kind/name`"),
    row("command.program", detail!(Program), "the program"),
    row("command.verb", detail!(Verb), "the last subcommand"),
    row("command.word.N", detail!(Word of a number), "the Nth subcommand"),
    row("command.args", detail!(Arguments), "all arguments after the subcommands"),
    row("command.arg.N", detail!(Argument of a number), "the Nth of these arguments"),
    row("command.last", detail!(Last), "the last of these arguments"),
    row("command.path.N", Make::Numbered(Source::Path), "the Nth argument as an absolute path"),
    row("command.name.N", detail!(Name of a number), "the Nth argument without its folder"),
    row("command.package.N", detail!(Package of a number), "the Nth argument without its version"),
    row("command.flag.NAME", named!(Flag), "the value of an option, by its name without dashes"),
    row("command.pair.NAME", named!(Pair), "the value given to a name: `NAME=value` or `NAME:value`"),
    row("command.assigned", detail!(Assigned), "the names that are given values: of `A=1 B=2` both"),
    row("command.behind.NAME", named!(Behind), "the argument behind this word, in whatever case: `/TN Backup`"),
    row("script.NAME", named!(Script), "what an AppleScript names in quotes behind this word: `buddy \"+15550100\"`"),
    row("command.outside", Make::Whole(|| Source::Outside), "the arguments that are paths outside the working folder"),
    row("http.method", detail!(HttpMethod), "the method of the HTTP request that the command sends"),
    row("http.host", detail!(HttpHost), "the host of that request"),
    row("http.path", detail!(HttpPath), "the path of that request"),
    row("http.url", detail!(HttpUrl), "host and path of that request"),
    row("http.part.N", detail!(HttpPart of a number), "the Nth part of its path, without one that says a version"),
    row("http.query.NAME", Make::Named(|name| Source::Command(Detail::HttpQuery(name.to_owned()))), "a field of its query"),
    row("http.body.NAME", Make::Named(|path| Source::Command(Detail::HttpBody(path.to_owned()))), "a field of its body (JSON or a form of at most 64 KiB), by its dotted path"),
    row("http.argument.NAME", Make::Named(|path| Source::Command(Detail::HttpArgument(path.to_owned()))), "an argument of a GraphQL mutation that is its body"),
    row("git.remote", detail!(GitRemote), "the remote that the command pushes to"),
    row("git.repository", around!(PushedTo), "the repositories that it pushes to, by host and path"),
    row("git.branch", around!(PushedBranches), "the branches that it pushes"),
    row("git.current", around!(Branch), "the branch that is checked out"),
    row("repository", around!(Repository), "the repository that the folder belongs to, by host and path"),
    row("forge.key", Make::Whole(|| Source::Forge), "what the command changes at a code host, each as a whole key: `github:acme/app#12`, `secret:github:TOKEN@acme/app`, `git-push:github.com/acme/app/main`"),
    row("forge.target", Make::Whole(|| Source::ForgeTarget), "the same without the word before its first colon"),
    row("image.pushed", detail!(Images), "the images that the command writes to a registry"),
    row("command.artifacts", detail!(Artifacts), "the packages in the files among the arguments, by name: without folder, version, platform and ending"),
    row("command.workspaces", detail!(Workspaces), "the packages of a workspace that options name (`npm -w`, `pnpm --filter`, `cargo -p`)"),
    row("command.stage", detail!(Stage), "the stage that a script deploys to: an operand, an option, a variable, or the end of its name"),
    row("kube.context", detail!(KubeContext), "the context of the cluster"),
    row("kube.cluster", around!(Cluster), "the cluster: the address of its server, else the context, else `current`"),
    row("kube.target", around!(KubeTarget), "the objects with the cluster and the namespace: `cluster/default:pod/web`"),
    row("kube.scope", around!(KubeScope), "the cluster and the namespace: `cluster/default`"),
    row("kube.object", detail!(KubeObject), "the objects in the cluster"),
    row("aws.target", detail!(AwsTarget), "what a command of AWS acts on, with the service: `lambda:resize`"),
    row("aws.region", detail!(AwsRegion), "the region that ARNs and addresses in it say"),
    row("gcloud.group", detail!(GcloudGroup), "the group of a command of Google Cloud: `run`, `compute/instances`"),
    row("azure.target", detail!(AzureTarget), "what a command of Azure acts on, with the group: `webapp:shop`"),
    row("azure.subscription", detail!(AzureSubscription), "the subscription that resource ids in it say"),
    row("azure.group", detail!(AzureGroup), "the resource group that they say"),
    row("notion.target", detail!(NotionTarget), "the page or database of Notion"),
    row("storage.written", detail!(StorageWritten), "the buckets and paths that the command writes"),
    row("ssh.host", detail!(SshHost), "the machine that the command logs in to, or runs on where that is another one"),
    row("files.written", detail!(FilesWritten), "the files of other machines that the command writes or removes, as `path@host`"),
    row("dns.names", detail!(DnsNames), "the names of the records of the DNS that the command changes"),
    row("server.database", Make::Whole(|| Source::Database), "the database that the command changes: `host:port/name`; where nothing says which, the folder, with the environment that is named"),
    row("server.host", Make::Whole(|| Source::Server), "the server of a database or queue that the command talks to, unless it is this machine"),
    row("bigquery.dataset", detail!(BigQueryDataset), "the dataset of BigQuery that the command changes: `project/dataset`"),
    row("env.NAME", Make::Named(|name| Source::Variable(name.to_owned())), "a variable of the environment, as the command sees it"),
    row("package.npm", around!(Package(Ecosystem::Npm)), "the npm package in the folder"),
    row("package.cargo", around!(Package(Ecosystem::Cargo)), "the Cargo package in the folder"),
    row("package.python", around!(Package(Ecosystem::Python)), "the Python package in the folder"),
    row("package.gem", around!(Package(Ecosystem::Gem)), "the Ruby gem in the folder"),
    row("package.gradle", around!(Package(Ecosystem::Gradle)), "the Gradle project in the folder"),
    row("package.maven", around!(Package(Ecosystem::Maven)), "the Maven project in the folder, as `group:artifact`"),
    row("terraform.state", around!(TerraformState), "where Terraform keeps its state, else the folder, with `@workspace` unless that is the default one"),
    row("compose.project", around!(ComposeProject), "the project of Docker Compose"),
    row("docker.host", around!(DockerHost), "the Docker daemon, where it is another machine's"),
    row("link.vercel", around!(Link(Service::Vercel)), "the project of Vercel that the folder is linked to"),
    row("link.fly", around!(Link(Service::Fly)), "the app of Fly"),
    row("link.wrangler", around!(Link(Service::Wrangler)), "the Worker or Pages project of Cloudflare"),
    row("link.firebase", around!(Link(Service::Firebase)), "the project of Firebase"),
    row("link.supabase", around!(Link(Service::Supabase)), "the project of Supabase"),
    row("link.heroku", around!(Link(Service::Heroku)), "the app of Heroku"),
    row("link.netlify", around!(Link(Service::Netlify)), "the site of Netlify"),
];

impl Placeholder {
    /// The source that `word` names, if it names this placeholder.
    fn of(&self, word: &str) -> Option<Source> {
        match self.make {
            Make::Alone(make) | Make::Whole(make) => (word == self.name).then(make),
            Make::Numbered(make) => {
                let number = word.strip_prefix(self.name.strip_suffix('N')?)?;
                number.parse::<usize>().ok()?.checked_sub(1).map(make)
            }
            Make::Named(make) => word.strip_prefix(self.name.strip_suffix("NAME")?).map(make),
        }
    }

    fn stands_alone(&self) -> bool {
        matches!(self.make, Make::Alone(_))
    }
}

/// A placeholder that stands alone in its braces.
pub(super) fn alone(word: &str) -> Option<Source> {
    // A name of earlier versions.
    let word = if word == "commandRecipient" { "commandRecipients" } else { word };
    PLACEHOLDERS.iter().filter(|known| known.stands_alone()).find_map(|known| known.of(word))
}

/// A placeholder that may be one of several in its braces.
pub(super) fn one_of_several(word: &str) -> Option<Source> {
    PLACEHOLDERS.iter().filter(|known| !known.stands_alone()).find_map(|known| known.of(word))
}

/// The families of placeholders, the words before the first dot; each may be named several times.
pub(super) fn families() -> impl Iterator<Item = &'static str> {
    PLACEHOLDERS.iter().filter_map(|known| known.name.split_once('.')).map(|(family, _)| family)
}

/// The names that have no number and no name of the author's in them.
pub(super) fn whole_names() -> impl Iterator<Item = &'static str> {
    let is_whole = |known: &&Placeholder| matches!(known.make, Make::Alone(_) | Make::Whole(_));
    PLACEHOLDERS.iter().filter(is_whole).map(|known| known.name)
}

/// All of them in their braces, as a list for people.
pub(super) fn all() -> String {
    let names: Vec<String> = PLACEHOLDERS.iter().map(|known| format!("{{{}}}", known.name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn every_placeholder_is_read_and_no_other_row_reads_it() {
        for known in PLACEHOLDERS {
            let word = known.name.strip_suffix("NAME").map_or_else(
                || {
                    known
                        .name
                        .strip_suffix('N')
                        .map_or_else(|| known.name.to_owned(), |start| format!("{start}2"))
                },
                |start| format!("{start}to"),
            );
            let readers = PLACEHOLDERS.iter().filter(|other| other.of(&word).is_some()).count();
            assert_eq!(readers, 1, "{word}");
            assert_eq!(alone(&word).is_some(), known.stands_alone(), "{word}");
            assert_eq!(one_of_several(&word).is_some(), !known.stands_alone(), "{word}");
        }
    }

    #[test]
    fn numbers_begin_at_one() {
        assert_eq!(one_of_several("command.arg.0"), None);
        assert_eq!(one_of_several("command.arg.x"), None);
        assert_eq!(one_of_several("command.arg.2").unwrap(), Source::Command(Detail::Argument(1)));
    }

    #[test]
    fn the_schema_names_every_placeholder() {
        let schema = include_str!("../../../../../tiers.schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let text = schema.pointer("/$defs/rule/properties/contextKey/description").unwrap().as_str().unwrap();
        assert!(text.contains(&all()), "tiers.schema.json is out of date: run `npm run references`");
    }
}
