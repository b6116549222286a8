//! Tools that write to a terminal, run a command line or make a request: what they are given is a command line, or as good as one, and
//! is ruled as one.

use std::borrow::Cow;

use serde_json::Value;

use super::compile::ToolName;
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
        | b"unsafecommand"
    )
}

/// Tools that run one program, which does not stand in what they are given.
const OF_PROGRAMS: &[(&str, &str)] =
    &[("rungcloudcommand", "gcloud"), ("extensionaz", "az"), ("extensionazd", "azd")];
/// Tools that make a request over HTTP, with the method where their names have it. Sorted: every tool is looked for.
#[rustfmt::skip]
const REQUESTERS: &[(&str, &str)] = &[
    ("apicall", ""), ("apirequest", ""), ("callapi", ""), ("callendpoint", ""), ("curl", ""), ("executehttprequest", ""), ("executerequest", ""),
    ("fetch", ""), ("http", ""), ("httpcall", ""), ("httpdelete", "DELETE"), ("httppatch", "PATCH"), ("httppost", "POST"), ("httpput", "PUT"),
    ("httprequest", ""), ("invokeapi", ""), ("invokewebrequest", ""), ("makehttprequest", ""), ("makerequest", ""), ("performrequest", ""),
    ("request", ""), ("restcall", ""), ("restrequest", ""), ("sendhttprequest", ""), ("sendrequest", ""), ("webrequest", ""),
];
/// The parameters that are its method, its address and its body.
const METHODS: &[&str] = &["method", "http_method", "httpMethod", "verb"];
const ADDRESSES: &[&str] = &["url", "uri", "endpoint", "address"];
const BODIES: &[&str] = &["body", "data", "json", "payload"];
/// Of a body no more is looked at.
const MAX_BODY: usize = 64 * 1024;
/// The parameters that are the command line.
const COMMANDS: &[&str] =
    &["command", "cmd", "cli_command", "command_line", "commandLine", "shell_command", "shellCommand"];
/// The parameters that name the machine on which a tool for SSH runs it.
#[rustfmt::skip]
const HOSTS: &[&str] = &[
    "host", "hostname", "server", "server_name", "serverName", "connection", "connection_name", "connectionName", "connection_id",
    "connectionId", "alias", "target", "machine",
];
/// The tool by whose rules a command line goes.
pub(super) const SHELL: &str = "exec";

/// The parameters of such a call as those of a shell: what is typed is the command.
pub(super) struct Typed<'a> {
    params: &'a dyn Parameters,
    command: Value,
    /// It is a request, of which the tool's name says less than the address.
    is_request: bool,
}

impl<'a> Typed<'a> {
    /// `None` when the tool, by its folded name, is none of these, or when it types nothing.
    pub(super) fn of(tool: &ToolName<'_>, letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        if tool.neutral == SHELL {
            return None;
        }
        if !is_typist(letters) {
            return Self::of_runner(tool.given, letters, params)
                .or_else(|| Self::of_requester(letters, params));
        }
        let texts = |names: &[&str]| names.iter().flat_map(|name| texts_of(params, name)).collect::<Vec<_>>();
        let typed = typed_by_tool(
            &texts(&["data", "text", "literal", "input", "chars"]),
            &texts(&["keys"]),
            &texts(&["hex"]),
        );
        if !typed.trim().is_empty() {
            return Some(Self { params, command: Value::String(typed), is_request: false });
        }
        // Some are given a command line as a shell is.
        let command = params.get("command").map(Cow::into_owned)?;
        Some(Self { params, command, is_request: false })
    }

    /// The same of a tool that runs a command line, by its name as the host gave it.
    fn of_runner(tool: &str, letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        let program = OF_PROGRAMS.iter().find(|(name, _)| letters.bytes() == name.as_bytes());
        if program.is_none() && !is_runner(letters) {
            return None;
        }
        let line = COMMANDS.iter().find_map(|name| line_of(params, name));
        let mut line = match program {
            Some((_, program)) => format!("{program} {}", line.unwrap_or_default()),
            None => line?,
        };
        if let Some(rest) = line_of(params, "args") {
            line.push(' ');
            line.push_str(&rest);
        }
        if let Some(host) = ssh_host(tool, params) {
            line = shlex::try_join(["ssh", &host, &line]).ok()?;
        }
        Some(Self { params, command: Value::String(line), is_request: false })
    }
}

impl<'a> Typed<'a> {
    /// The same of a tool that makes a request other than one that only asks: it goes by the rules for `curl`.
    fn of_requester(letters: &Letters, params: &'a dyn Parameters) -> Option<Self> {
        let place = REQUESTERS.binary_search_by_key(&letters.bytes(), |(name, _)| name.as_bytes()).ok()?;
        let (_, method) = REQUESTERS.get(place)?;
        let text =
            |names: &[&str]| names.iter().find_map(|name| params.get(name)?.as_str().map(str::to_owned));
        let address = text(ADDRESSES).filter(|address| address.starts_with("http"))?;
        let method = text(METHODS).unwrap_or_else(|| (*method).to_owned());
        let method = method.to_uppercase();
        let body = BODIES.iter().find_map(|name| match params.get(name)?.as_ref() {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        });
        let method = match method.as_str() {
            "" if body.is_some() => "POST",
            "" | "GET" | "HEAD" | "OPTIONS" => return None,
            method => method,
        };
        let mut words = vec!["curl", "-X", method, &address];
        if let Some(body) = body.as_deref().filter(|body| body.len() <= MAX_BODY) {
            words.extend(["--data-raw", body]);
        }
        let line = shlex::try_join(words).ok()?;
        Some(Self { params, command: Value::String(line), is_request: true })
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
        own > of_tool || self.is_request && own == of_tool
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

#[cfg(test)]
mod tests {
    use super::REQUESTERS;

    #[test]
    fn tools_that_make_requests_are_sorted() {
        assert!(REQUESTERS.is_sorted_by(|one, other| one.0 < other.0), "{REQUESTERS:?}");
    }
}
