//! What a command of a shell line acts on.
//!
//! `detail` is what can be asked of a command that a rule picked out; `http`, `git`, `forge`, `published`, `kube`, `cloud`, `notion` and `storage` know
//! how the programs of a field name their resources; `answers` which requests only ask, `docker` which daemon runs containers, `dns` which records are changed, `server` whom clients of databases and queues talk to, `statements` whether what
//! they are told to do writes; `changed` which files a command changes, `writes` how, `outputs` which files
//! other programs write to, `code_writes` and `code_paths` the same of code; `crontab` what a table of cron runs.

mod answers;
mod bigquery;
mod body;
mod changed;
mod cloud;
mod cmdlet;
mod code_paths;
mod code_writes;
mod crontab;
mod detail;
mod dns;
mod docker;
mod forge;
mod git;
mod graphql;
mod http;
mod kube;
mod notion;
mod outline;
mod outputs;
mod pattern;
mod proof;
mod published;
mod redirect;
mod server;
mod statements;
mod storage;
mod write_kind;
mod writes;

use std::cell::OnceCell;

pub use changed::listed;
pub(crate) use cmdlet::canonical as canonical_cmdlet;
pub use code_writes::is_code_cut_off;
pub use crontab::scheduled;
pub use detail::Detail;
pub use forge::{BRANCH, REPOSITORY, USUAL_HOSTS};
pub use http::Request;
pub use kube::{is_in_no_namespace, kind_name};
pub(crate) use outline::POWER_SHELLS;
pub use outline::{GUARDED, HIDING, VERB, outline};
pub use pattern::{Circumstances, Pattern};
pub use proof::not_done_codes;
pub use published::is_stage;
pub(crate) use redirect::REDIRECTION;
pub use redirect::{may_be_guarded_in, may_change_in, told_redirects};
pub use server::{Server, is_stage_here, server, stage};
pub use statements::statements_write;
pub use write_kind::{Write, WriteKind};
pub use writes::{ANYWHERE, lists, may_write, writes, writes_given};

use crate::{Argument, Invocation, has_option};

/// A command with its words told apart.
#[derive(Debug)]
pub struct Command<'l> {
    /// What the line says of it.
    pub invocation: &'l Invocation,
    arguments: Vec<Argument<'l>>,
    requests: OnceCell<Vec<Request>>,
    /// Whom it writes to, once a key has asked for that.
    pub recipients: OnceCell<Vec<String>>,
}

/// The part of a command that a rule's pattern fits: the program and its subcommands; what follows are its
/// arguments.
#[derive(Clone, Copy, Debug)]
pub struct Fit<'c, 'l> {
    /// The whole command.
    pub command: &'c Command<'l>,
    /// How many of the command's words, options among them, belong to the pattern.
    after: usize,
    /// The subcommands.
    pub subcommands: usize,
}

impl<'l> Command<'l> {
    /// A command, its words told apart.
    #[must_use]
    pub fn new(invocation: &'l Invocation) -> Self {
        let arguments = invocation.arguments();
        Self { invocation, arguments, requests: OnceCell::new(), recipients: OnceCell::new() }
    }

    /// The HTTP requests it sends.
    pub fn requests(&self) -> &[Request] {
        self.requests.get_or_init(|| http::requests(self))
    }

    /// The fit of a pattern that names nothing of it: all its words are arguments.
    pub fn whole(&self) -> Fit<'_, 'l> {
        Fit { command: self, after: 0, subcommands: 0 }
    }

    /// The program and its words.
    #[must_use]
    pub fn written(&self) -> Vec<&'l str> {
        std::iter::once(self.program()).chain(self.invocation.words.iter().map(String::as_str)).collect()
    }

    /// Whether it talks to a daemon of containers.
    #[must_use]
    pub fn is_of_containers(&self) -> bool {
        docker::PROGRAMS.contains(&self.program())
    }

    fn program(&self) -> &'l str {
        &self.invocation.program
    }

    /// The values of the options `names`, given with their dashes, in the order they are written.
    fn values(&self, names: &[&str]) -> Vec<&'l str> {
        let value = |argument: &Argument<'l>| match argument {
            Argument::Option { name, value, .. } if names.contains(name) => Some(*value),
            _ => None,
        };
        self.arguments.iter().filter_map(value).collect()
    }

    /// Whether it has the option `name`, given with its dashes, and not switched off.
    pub fn has_option(&self, name: &str) -> bool {
        has_option(&self.arguments, name)
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has_option(name))
    }

    /// Its words that are no options.
    fn plain(&self) -> impl DoubleEndedIterator<Item = &'l str> {
        plain(&self.arguments)
    }
}

fn plain<'a, 'l>(arguments: &'a [Argument<'l>]) -> impl DoubleEndedIterator<Item = &'l str> + use<'a, 'l> {
    arguments
        .iter()
        .filter_map(|argument| if let Argument::Plain(word) = argument { Some(*word) } else { None })
}

/// Options that name the folder a program works in, as if one had gone there.
const FOLDER_OPTIONS: &[(&str, &[&str])] = &[
    ("git", &["-C"]),
    ("make", &["-C", "--directory"]),
    ("gmake", &["-C", "--directory"]),
    ("just", &["-d", "--working-directory"]),
    ("hub", &["-C"]),
    ("jj", &["-R", "--repository"]),
    ("gradle", &["-p", "--project-dir"]),
    ("gradlew", &["-p", "--project-dir"]),
    ("rake", &["-C", "--directory"]),
    ("task", &["-d", "--dir"]),
    ("npm", &["--prefix", "-C"]),
    ("pnpm", &["-C", "--dir"]),
    ("yarn", &["--cwd"]),
    ("bun", &["--cwd"]),
    ("poetry", &["-C", "--directory", "-P", "--project"]),
    ("uv", &["--directory", "--project"]),
    ("cargo", &["-C"]),
    ("terraform", &["-chdir"]),
    ("tofu", &["-chdir"]),
    ("terragrunt", &["--terragrunt-working-dir", "--working-dir"]),
    ("pulumi", &["-C", "--cwd"]),
    ("vercel", &["--cwd"]),
    ("wrangler", &["--cwd"]),
    ("netlify", &["--cwd"]),
];

impl<'l> Fit<'_, 'l> {
    /// The arguments behind the subcommands.
    pub fn arguments(&self) -> Vec<&'l str> {
        plain(self.command.arguments.get(self.after..).unwrap_or_default()).collect()
    }

    /// Where it runs: the `cd` before it, and its own option for that, as written.
    pub fn folder(&self) -> Option<String> {
        let command = self.command;
        let options = FOLDER_OPTIONS.iter().find(|(program, _)| *program == command.program());
        let named = options.and_then(|(_, names)| command.values(names).last().copied());
        let before = command.invocation.folder.as_deref();
        match named {
            Some(named) => Some(crate::joined(before, named)),
            None => before.map(str::to_owned),
        }
    }
}
