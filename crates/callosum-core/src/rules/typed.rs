//! Tools that write to a terminal, run a command line or pass a request on: what they are given is a command line, or as good as one, and
//! is ruled as one.

use std::borrow::Cow;

use serde_json::Value;

use super::compile::ToolName;
use super::requested::{self, text_of};
use super::tool_words::{Letters, NameWords, parted};
use crate::model::tier::Tier;
use crate::model::tool_call::{AllParameters, Parameters};
use callosum_shell::typed_by_tool;

/// Whether a tool is such a one, by its name without case and signs, and without the server's before it: OpenClaw's `process`, Codex's
/// `write_stdin`, and what servers for terminals call theirs.
fn is_typist(letters: &Letters) -> bool {
    matches!(letters.bytes(), b"process" | b"terminal" | b"writestdin" | b"sendkeys" | b"interactwithprocess")
}

/// Whether a tool runs a command line, by its name without case and signs, and without the server's before it.
#[rustfmt::skip]
fn is_runner(letters: &Letters) -> bool {
    matches!(
        letters.bytes(),
        b"awscallaws" | b"bash" | b"bashexec" | b"callaws" | b"cmd" | b"command"
        | b"executebash" | b"executebashcommand" | b"executecommand" | b"executecommandline" | b"executeshell" | b"executeshellcommand"
        | b"executeterminalcommand" | b"exec" | b"execcommand" | b"powershell" | b"executeremotecommand" | b"rawcommand"
        | b"remoteexec" | b"run" | b"runbash" | b"runbashcommand" | b"runcmd" | b"runcommand"
        | b"runinterminal" | b"runshell" | b"runshellcommand" | b"runterminalcmd" | b"runterminalcommand" | b"shell"
        | b"shellcommand" | b"shellexec" | b"shellexecute" | b"sshexec" | b"sshexecute" | b"sshexecutecommand"
        | b"sshrun" | b"sshruncommand" | b"startprocess" | b"terminalexecute" | b"terminalrun" | b"execute"
        | b"sudoexec" | b"execsudo" | b"runsudo" | b"sudocommand" | b"unsafecommand" | b"dockerexec" | b"execincontainer" | b"powershelltool" | b"localshell" | b"runlocalshell"
    )
}

/// The program of a tool that runs only that, which need not stand in what it is given: `run_gcloud_command`, `kubectl`, `gh-cli`; by the
/// tool's name as above.
#[rustfmt::skip]
fn program_of(letters: &Letters) -> Option<&'static str> {
    // Every tool is looked at: most are told by their first and last letters.
    let name = letters.bytes();
    let begun = match name.first()? {
        b'r' => name.strip_prefix(b"run"),
        b'e' => {
            let verbs: [&[u8]; 3] = [b"execute", b"exec", b"extension"];
            verbs.iter().find_map(|verb| name.strip_prefix(*verb))
        }
        _ => None,
    };
    let begun = begun.unwrap_or(name);
    let program = match begun.last()? {
        b'd' => begun.strip_suffix(b"command").or_else(|| begun.strip_suffix(b"cmd")),
        b'i' => begun.strip_suffix(b"cli"),
        _ => None,
    };
    let program = program.unwrap_or(begun);
    Some(match program {
        b"aws" => "aws",
        b"az" => "az",
        b"azd" => "azd",
        b"doctl" => "doctl",
        b"firebase" => "firebase",
        b"flyctl" => "flyctl",
        b"gcloud" => "gcloud",
        b"gh" => "gh",
        b"git" => "git",
        b"glab" => "glab",
        b"helm" => "helm",
        b"heroku" => "heroku",
        b"kubectl" => "kubectl",
        b"npm" => "npm",
        b"oc" => "oc",
        b"pulumi" => "pulumi",
        b"railway" => "railway",
        b"supabase" => "supabase",
        b"terraform" => "terraform",
        b"vercel" => "vercel",
        b"wrangler" => "wrangler",
        // `kubectl_workloads` is given the rest of the command.
        other if other.starts_with(b"kubectl") => "kubectl",
        _ => return None,
    })
}

/// What a tool that runs code gives it to, where it is not told.
fn interpreter_of(letters: &Letters) -> Option<&'static str> {
    Some(match letters.bytes() {
        b"executecode" | b"runcode" | b"codeexecution" | b"codeinterpreter" | b"executecell"
        | b"executepython" | b"python" | b"runpython" | b"runpythoncode" => "python3",
        b"browserevaluate" | b"evaluatescript" | b"executejavascript" | b"jsrepl" | b"runjavascript"
        | b"runjs" => "node",
        b"executeapplescript" | b"runapplescript" => "osascript",
        _ => return None,
    })
}

/// The parameters that are the code.
const CODES: &[&str] = &["code", "source", "script", "python_code", "function", "expression"];
/// The parameters that say in what language it is.
const LANGUAGES: &[&str] = &["language", "languageId", "lang", "runtime"];
/// The parameters that are the command line.
const COMMANDS: &[&str] =
    &["command", "cmd", "cli_command", "command_line", "commandLine", "shell_command", "shellCommand"];
/// The parameters that name the machine on which a tool for SSH runs it.
#[rustfmt::skip]
const HOSTS: &[&str] = &[
    "host", "hostname", "server", "server_name", "serverName", "connection", "connection_name", "connectionName", "connection_id",
    "connectionId", "alias", "target", "machine",
];
/// Groups of subcommands of GitLab's program.
#[rustfmt::skip]
const GLAB_GROUPS: &[&str] = &[
    "api", "ci", "deploy", "incident", "issue", "iteration", "job", "label", "milestone", "mr", "pipeline", "release", "repo", "runner", "schedule", "securefile",
    "snippet", "stack", "token", "variable",
];
/// The tool by whose rules a command line goes.
pub(super) const SHELL: &str = "exec";

/// The parameters of such a call as those of a shell: what is typed is the command.
pub(super) struct Typed<'a> {
    params: &'a dyn Parameters,
    command: Value,
    /// The tool's name says less of it than it does itself.
    says_more: bool,
    /// It says all that is done: whatever verbs the tool's name has, it is no more than that.
    says_all: bool,
}

impl<'a> Typed<'a> {
    /// `None` when the tool, by its folded name, is none of these, or when it types nothing.
    pub(super) fn of(tool: &ToolName<'_>, letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        if tool.neutral == SHELL {
            return None;
        }
        if !is_typist(letters) {
            return Self::of_runner(tool.given, letters, params)
                .or_else(|| Self::of_named_subcommand(tool.given, letters, params))
                .or_else(|| Self::of_code(letters, params))
                .or_else(|| Self::of_push(letters, params))
                .or_else(|| Self::of_requester(tool.given, letters, params));
        }
        let texts = |names: &[&str]| names.iter().flat_map(|name| texts_of(params, name)).collect::<Vec<_>>();
        let typed = typed_by_tool(
            &texts(&["data", "text", "literal", "input", "chars"]),
            &texts(&["keys"]),
            &texts(&["hex"]),
        );
        if !typed.trim().is_empty() {
            return Some(Self { params, command: Value::String(typed), says_more: false, says_all: false });
        }
        // Some are given a command line as a shell is.
        let command = params.get("command").map(Cow::into_owned)?;
        Some(Self { params, command, says_more: false, says_all: false })
    }

    /// A line that says more than the name of its tool.
    fn line(params: &'a dyn Parameters, line: String) -> Self {
        Self { params, command: Value::String(line), says_more: true, says_all: false }
    }

    /// The same of a tool that is called like a program with its subcommand.
    fn of_named_subcommand(tool: &str, letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        let line = if letters.bytes().starts_with(b"glab") { of_glab(tool, params)? } else { return None };
        Some(Self { says_all: true, ..Self::line(params, line) })
    }

    /// The same of a tool that passes a request on: it goes by the rules for `curl`.
    fn of_requester(tool: &str, letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        let line = requested::line(tool, letters, params)?;
        Some(Self { says_all: true, ..Self::line(params, line) })
    }

    /// The same of a tool that runs a command line, by its name as the host gave it.
    fn of_runner(tool: &str, letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        let program = program_of(letters);
        if program.is_none() && !is_runner(letters) {
            return None;
        }
        let line = COMMANDS.iter().find_map(|name| line_of(params, name));
        let arguments = line_of(params, "args").or_else(|| line_of(params, "arguments"));
        let mut line = match program {
            Some(program) => {
                let line = line.or_else(|| operation(params, arguments.as_deref().unwrap_or_default()));
                let line = if arguments.is_some() { line.unwrap_or_default() } else { line? };
                let named = line.strip_prefix(program).filter(|rest| rest.starts_with(char::is_whitespace));
                format!("{program} {}", named.unwrap_or(&line))
            }
            None => line?,
        };
        if let Some(rest) = arguments {
            line.push(' ');
            line.push_str(&rest);
        }
        if let Some(host) = ssh_host(tool, params) {
            line = shlex::try_join(["ssh", &host, &line]).ok()?;
        }
        Some(Self { says_all: program.is_some(), ..Self::line(params, line) })
    }
}

impl<'a> Typed<'a> {
    /// The same of a tool that runs code, as its interpreter is given that on a command line.
    fn of_code(letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        let usual = interpreter_of(letters)?;
        let code = text_of(params, CODES)?;
        let program = match text_of(params, LANGUAGES).map(|language| language.to_lowercase()).as_deref() {
            Some("bash" | "sh" | "shell" | "shellscript" | "zsh") => "bash",
            Some("javascript" | "js" | "node" | "nodejs" | "typescript" | "ts") => "node",
            Some("ruby" | "rb") => "ruby",
            Some("php") => "php",
            Some("python" | "python3" | "py") => "python3",
            _ => usual,
        };
        // A notebook's own signs: a cell, or a line, for the shell.
        if let Some(cell) = ["%%bash", "%%sh"].iter().find_map(|sign| code.trim_start().strip_prefix(sign)) {
            return Some(Self::line(params, cell.to_owned()));
        }
        let lines = || code.lines().map(|line| line.trim_start().strip_prefix('!').ok_or(line));
        let mut line = lines().filter_map(Result::ok).collect::<Vec<_>>().join("\n");
        let rest = lines().filter_map(Result::err).collect::<Vec<_>>().join("\n");
        let option = match program {
            "bash" | "python3" => "-c",
            "php" => "-r",
            _ => "-e",
        };
        line.push('\n');
        line.push_str(&shlex::try_join([program, option, &rest]).ok()?);
        Some(Self::line(params, line))
    }

    /// The same of a tool that pushes as `git push` does.
    fn of_push(letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        if !matches!(letters.bytes(), b"gitpush" | b"gitpushtags") {
            return None;
        }
        let text =
            |names: &[&str]| text_of(params, names).filter(|text| !text.is_empty() && !text.starts_with('-'));
        let named = text(&["repository", "repo"]);
        // `acme/app` is no folder: such a server pushes by other means.
        if named.as_ref().is_some_and(|name| !name.starts_with(['/', '.', '~'])) {
            return None;
        }
        let folder = text(&["repo_path", "repoPath", "path", "directory", "cwd"]).or(named);
        let mut words = vec!["git".to_owned()];
        words.extend(folder.into_iter().flat_map(|folder| ["-C".to_owned(), folder]));
        words.push("push".to_owned());
        if letters.bytes() == b"gitpushtags" {
            words.push("--tags".to_owned());
        }
        let branch = text(&["branch", "ref", "refspec", "tag"]);
        let remote = text(&["remote", "remote_name", "remoteName"]);
        words.extend(remote.or_else(|| branch.is_some().then(|| "origin".to_owned())));
        words.extend(branch);
        let line = shlex::try_join(words.iter().map(String::as_str)).ok()?;
        Some(Self::line(params, line))
    }
}

/// Where a tool for SSH runs its commands: on the machine that is named, else on the one that its server is set to.
fn ssh_host(tool: &str, params: &dyn Parameters) -> Option<String> {
    let name = NameWords::of_tool(tool);
    if !name.of_server().chain(name.own()).any(|word| word == "ssh") {
        return None;
    }
    let named = |name: &&str| params.get(name)?.as_str().map(str::to_owned);
    let host = HOSTS.iter().find_map(named).filter(|host| !host.is_empty() && !host.starts_with('-'));
    host.or_else(|| Some(parted(tool).0.to_owned()).filter(|server| !server.is_empty()))
}

/// What a tool that runs a program makes it do, where that does not stand in one parameter: `scale deployment`.
fn operation(params: &dyn Parameters, arguments: &str) -> Option<String> {
    let verb = text_of(params, &["operation", "subcommand", "action", "verb"])?;
    let thing = text_of(params, &["resource", "resourceType", "resource_type", "kind"]);
    // `rollout` is told the rest in its arguments: `restart deployment/web`.
    let thing = thing.filter(|thing| !arguments.contains(&format!("{thing}/")));
    Some(thing.map_or_else(|| verb.clone(), |thing| format!("{verb} {thing}")))
}

/// The command line of a tool of GitLab's program, whose name is the subcommand: `glab_mr_note` with its `args` and `flags`.
fn of_glab(tool: &str, params: &dyn Parameters) -> Option<String> {
    let name = NameWords::of_tool(tool);
    let mut words: Vec<String> = name.own().map(str::to_owned).collect();
    let is_one = matches!(&*words, [program, group, _, ..] if program == "glab" && GLAB_GROUPS.contains(&group.as_str()));
    let (args, flags) = (texts_of(params, "args"), params.get("flags"));
    if !is_one || args.is_empty() && flags.is_none() {
        return None;
    }
    words.extend(args);
    for (flag, value) in flags.iter().filter_map(|flags| flags.as_object()).flatten() {
        let values = match value {
            Value::Array(items) => items.iter().filter_map(text).collect(),
            one => text(one).into_iter().collect::<Vec<_>>(),
        };
        words.extend(values.into_iter().map(|value| format!("--{flag}={value}")));
    }
    // No word of a command line has this sign.
    let words: Vec<String> = words.into_iter().map(|word| word.replace('\0', "")).collect();
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

/// A value that stands on a command line.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A parameter that is a command line, or the list of its words.
fn line_of(params: &dyn Parameters, name: &str) -> Option<String> {
    match params.get(name).as_deref()? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            shlex::try_join(words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?).ok()
        }
        _ => None,
    }
}

/// A parameter's text, or the texts in its list.
fn texts_of(params: &dyn Parameters, name: &str) -> Vec<String> {
    match params.get(name).as_deref() {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

impl Typed<'_> {
    /// Whether what is said of it by its own tier goes before what is said of the tool that types it.
    pub(super) fn goes_before(&self, own: Tier, of_tool: Tier) -> bool {
        own > of_tool || self.says_more && own == of_tool
    }

    /// Whether what is said of it goes before what the words in the tool's name say, even where that is more.
    pub(super) fn says_all(&self) -> bool {
        self.says_all
    }
}

impl Parameters for Typed<'_> {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        if path == "command" { Some(Cow::Borrowed(&self.command)) } else { self.params.get(path) }
    }

    fn all(&self) -> AllParameters<'_> {
        self.params.all()
    }
}
