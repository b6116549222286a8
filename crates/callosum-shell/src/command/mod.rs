//! What a command of a shell line acts on: what the placeholders of a key say about it.
//!
//! `http`, `git`, `forge`, `kube`, `notion` and `storage` know how the programs of a field name their resources.

mod changed;
mod forge;
mod git;
mod http;
mod kube;
mod notion;
mod outline;
mod pattern;
mod proof;
mod redirect;
mod storage;

use std::cell::OnceCell;

pub use changed::listed;
pub use http::Request;
pub(crate) use outline::POWER_SHELLS;
pub use outline::{GUARDED, HIDING, outline};
pub use pattern::{Asked, Pattern};
pub use proof::not_done_codes;
pub(crate) use redirect::REDIRECTION;
pub use redirect::{guarded_redirects, may_be_guarded_in, may_change_in};

use crate::{Argument, Invocation, has_option, option_values};

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

/// The placeholders of a command that have no number or name in them.
#[rustfmt::skip]
pub const PLACEHOLDERS: &[&str] = &[
    "command.program", "command.args", "command.verb", "command.last", "http.method", "http.host", "http.path", "http.url",
    "git.remote", "git.branch", "forge.target", "notion.target", "kube.context", "kube.object", "storage.written", "ssh.host",
];

/// Options that name the folder a program works in, as if one had gone there.
const FOLDER_OPTIONS: &[(&str, &[&str])] = &[
    ("git", &["-C"]),
    ("make", &["-C", "--directory"]),
    ("just", &["-d", "--working-directory"]),
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

    /// The values of a placeholder (`flag.to`, `arg.1`, `git.branch` …); `None` when there is no such.
    pub fn values(&self, placeholder: &str) -> Option<Vec<String>> {
        let owned = |text: Option<&str>| text.map(str::to_owned).into_iter().collect::<Vec<_>>();
        let (family, name) = placeholder.split_once('.')?;
        Some(match (family, name) {
            ("command", "program") => vec![self.command.program().to_owned()],
            ("command", "args") => self.arguments().into_iter().map(str::to_owned).collect(),
            ("command", "verb") => owned(self.command.plain().take(self.subcommands).last()),
            ("command", "last") => owned(self.arguments().last().copied()),
            ("command", _) => self.numbered(name)?,
            ("http", _) => {
                self.command.requests().iter().map(|request| request.part(name)).collect::<Option<_>>()?
            }
            ("git", "remote") => owned(git::remote(self)),
            ("git", "branch") => git::branches(self),
            ("forge", "target") => forge::targets(self),
            ("notion", "target") => notion::targets(self),
            ("kube", "context") => vec![kube::context(self.command)],
            ("kube", "object") => kube::objects(self),
            ("storage", "written") => storage::written(self),
            ("ssh", "host") => storage::hosts(self.command),
            _ => return None,
        })
    }

    /// `command.flag.NAME`, `command.arg.N` (from 1), `command.word.N`: the Nth subcommand; `command.package.N`: an
    /// argument without its version; `command.name.N`: without its folder.
    fn numbered(&self, name: &str) -> Option<Vec<String>> {
        let (kind, which) = name.split_once('.')?;
        if kind == "flag" {
            let values = option_values(&self.command.arguments, which);
            return Some(values.into_iter().map(str::to_owned).collect());
        }
        let number = which.parse::<usize>().ok()?.checked_sub(1)?;
        let word = match kind {
            "arg" => self.arguments().get(number).map(|word| (*word).to_owned()),
            "name" => {
                self.arguments().get(number).map(|path| path.rsplit('/').next().unwrap_or(path).to_owned())
            }
            "package" => self.arguments().get(number).map(|word| without_version(word).to_owned()),
            "word" => self.command.plain().take(self.subcommands).nth(number).map(str::to_owned),
            _ => return None,
        };
        Some(word.into_iter().collect())
    }

    /// Whether `placeholder` is one that a command has a value for.
    pub fn knows(placeholder: &str) -> bool {
        let numbered = ["command.arg.", "command.word.", "command.package.", "command.name."];
        let number = numbered.iter().find_map(|prefix| placeholder.strip_prefix(prefix));
        match number {
            Some(number) => number.parse::<usize>().is_ok_and(|number| number > 0),
            None => PLACEHOLDERS.contains(&placeholder) || placeholder.starts_with("command.flag."),
        }
    }
}

/// `@scope/name@1.2` and `name@1.2` without what stands after the name.
fn without_version(package: &str) -> &str {
    match package.rfind('@') {
        Some(at) if at > 0 => package.get(..at).unwrap_or(package),
        _ => package,
    }
}
