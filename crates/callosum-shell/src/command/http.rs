//! The requests that HTTP clients send: curl, wget, httpie, xh, and `gh api`, `glab api`, `xurl`, `ntn api`.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;

use super::cmdlet::{self, is_cmdlet};
use super::{Command, answers, body, graphql};

/// One request, as far as the command says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// In capitals.
    pub method: String,
    /// In lower case, with the port unless it is the usual one.
    pub host: String,
    /// Without the slash at its beginning and end and query.
    pub path: String,
    /// It goes elsewhere than its host says: to a proxy, or to an address that the command gives the name.
    diverted: bool,
    query: String,
    /// The texts that its body is made of.
    body: Vec<String>,
}

impl Request {
    /// Host and path, without a part of it that only says the version of the interface.
    pub(super) fn url(&self) -> String {
        let mut url = self.host.clone();
        for (at, part) in self.path.split('/').enumerate() {
            if !part.is_empty() && (at >= MAX_VERSION_PLACE || !body::is_version(part)) {
                url.push('/');
                url.push_str(part);
            }
        }
        url
    }

    /// A part of its path, from 0; one of the first that only says the version of the interface is none.
    pub(super) fn part(&self, place: usize) -> Option<String> {
        let parts = self.path.split('/').enumerate();
        let named = parts.filter(|(at, part)| *at >= MAX_VERSION_PLACE || !body::is_version(part));
        let part = named.map(|(_, part)| part).filter(|part| !part.is_empty()).nth(place)?;
        Some(percent_decode_str(part).decode_utf8_lossy().into_owned())
    }

    /// The values of a field of its query.
    pub(super) fn in_query(&self, name: &str) -> Vec<String> {
        body::in_form(&self.query, name)
    }

    /// The values of a field of its body, by its dotted path; of a longer body than 64 KiB none.
    #[must_use]
    pub fn in_body(&self, path: &str) -> Vec<String> {
        self.body.iter().flat_map(|text| body::in_body(text, path)).collect()
    }

    /// Whether a part of its body is longer than what is read of one.
    #[must_use]
    pub fn has_unread_body(&self) -> bool {
        self.body.iter().any(|text| text.len() > body::MAX_BYTES)
    }

    /// The values of an argument of a GraphQL mutation that is its body.
    pub(super) fn arguments(&self, name: &str) -> Vec<String> {
        self.body.iter().flat_map(|text| graphql::argument(text, name)).collect()
    }

    /// Whether the host is this machine or one of its network: an address that is not routed, a name without a
    /// dot or with an ending that no public name has.
    pub fn is_private(&self) -> bool {
        if self.diverted {
            return false;
        }
        let host = self.host.strip_prefix('[').and_then(|host| host.split(']').next()).unwrap_or(&self.host);
        let name = match host.parse::<IpAddr>() {
            Ok(_) => host,
            Err(_) => host.split(':').next().unwrap_or(host),
        };
        match name.parse::<IpAddr>() {
            Ok(IpAddr::V4(v4)) => {
                v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_unspecified()
            }
            Ok(IpAddr::V6(v6)) => v6.is_loopback() || v6.is_unicast_link_local() || v6.is_unique_local(),
            Err(_) => {
                let ends = [".local", ".localhost", ".internal", ".test", ".lan", ".home.arpa"];
                let unknown = name.is_empty() || name.contains(['$', '`', '{']);
                !unknown && (!name.contains('.') || ends.iter().any(|end| name.ends_with(end)))
            }
        }
    }

    /// Whether it changes nothing, though its method says that it writes: it is a query of GraphQL, all of which is told, or goes to an
    /// interface that answers.
    fn only_asks(&self) -> bool {
        let is_query = |text: &String| text.contains('{') && !text.contains("mutation");
        let is_post = self.method == "POST";
        let is_graphql = is_post && self.path.rsplit('/').next() == Some("graphql");
        let queries = if is_graphql { self.in_body("query") } else { Vec::new() };
        !queries.is_empty() && queries.iter().all(is_query) || is_post && answers::is_asked(&self.posted())
    }

    fn posted(&self) -> answers::Posted<'_> {
        answers::Posted { host: &self.host, path: &self.path, query: &self.query, texts: &self.body }
    }

    fn new(method: &str, url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
        let is_secure = scheme.eq_ignore_ascii_case("https");
        if !is_secure && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        // `$URL/path` names neither host nor path; a shell's `${X}` may hold a slash.
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = host.strip_suffix(if is_secure { ":443" } else { ":80" }).unwrap_or(host);
        // The root of all names may be named, too.
        let host = host.strip_suffix('.').unwrap_or(host);
        let host = if host.contains('$') { host.to_owned() } else { host.to_lowercase() };
        let path = without_secret(&host, path.trim_end_matches('/'));
        let query = body::query(url).to_owned();
        // One that only the shell knows may write.
        let method = if method.contains(['$', '`']) { "POST".to_owned() } else { method.to_uppercase() };
        Some(Self { method, host, path, diverted: false, query, body: Vec::new() })
    }
}

/// The version of an interface stands among so many parts of a path.
const MAX_VERSION_PLACE: usize = 3;

/// The path of a webhook without what only lets its messages be posted, where what is left still tells it from others. Where it would not,
/// the path is whole: whoever shows it makes a mark of the secret.
fn without_secret(host: &str, path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match (host, parts.as_slice()) {
        ("hooks.slack.com", ["services", team, bot, ..]) => format!("services/{team}/{bot}"),
        ("discord.com" | "discordapp.com" | "canary.discord.com" | "ptb.discord.com", ["api", rest @ ..]) => {
            let webhook = rest.iter().position(|part| *part == "webhooks");
            let keep = webhook.map_or(parts.len(), |at| at + 3);
            parts.iter().take(keep).copied().collect::<Vec<_>>().join("/")
        }
        ("chat.googleapis.com", ["v1", "spaces", space, ..]) => format!("v1/spaces/{space}/messages"),
        _ => path.to_owned(),
    }
}

/// The requests of a command; none when it is no HTTP client.
pub(super) fn requests(command: &Command<'_>) -> Vec<Request> {
    let mut requests = match command.program() {
        "curl" | "curlie" => curl(command),
        "wget" => wget(command),
        "http" | "https" | "xh" | "xhs" => httpie(command).into_iter().collect(),
        "gh" => api(command, "api.github.com", 1),
        "glab" => api(command, "gitlab.com", 1),
        program if is_cmdlet(program) => cmdlet(command),
        "xurl" => xurl(command).into_iter().collect(),
        "ntn" => api(command, "api.notion.com", 1),
        _ => Vec::new(),
    };
    if !requests.is_empty() {
        let (diverted, texts) = (is_diverted(command), command.told(body::texts(command)));
        for request in &mut requests {
            request.diverted = diverted;
            request.body.clone_from(&texts);
            if request.only_asks() {
                request.method = "GET".to_owned();
            }
        }
    }
    requests
}

/// Options of the clients that name a proxy.
const PROXY_OPTIONS: &[&str] =
    &["-x", "--proxy", "--preproxy", "--socks4", "--socks4a", "--socks5", "--socks5-hostname"];

/// Options that give a name another address: `NAME:PORT:ADDRESS`.
const ADDRESS_OPTIONS: &[&str] = &["--resolve", "--connect-to"];

/// Variables that name a proxy.
const PROXY_VARIABLES: &[&str] = &["http_proxy", "https_proxy", "all_proxy"];

/// Whether requests of a command go elsewhere than their hosts say.
fn is_diverted(command: &Command<'_>) -> bool {
    let by_variable = |(name, value): &(String, String)| {
        !value.is_empty() && PROXY_VARIABLES.iter().any(|variable| name.eq_ignore_ascii_case(variable))
    };
    let is_elsewhere = |value: &&str| {
        // Those of IPv6 are not looked into.
        let address = value.splitn(3, ':').nth(2).unwrap_or_default();
        let private = |address: &str| Request::new("GET", address).is_some_and(|to| to.is_private());
        value.contains('[') || !address.split(',').all(|one| one.is_empty() || private(one))
    };
    command.invocation.variables.iter().any(by_variable)
        || match command.program() {
            "wget" => {
                let settings = command.values(&["-e", "--execute"]);
                settings.iter().any(|setting| setting.to_ascii_lowercase().contains("proxy"))
            }
            _ => {
                command.values(PROXY_OPTIONS).iter().any(|proxy| !proxy.is_empty())
                    || command.values(ADDRESS_OPTIONS).iter().any(is_elsewhere)
            }
        }
}

fn curl(command: &Command<'_>) -> Vec<Request> {
    let upload = ["-T", "--upload-file"];
    let named = command.values(&["-X", "--request"]).last().copied();
    let implied = if command.has(&["-I", "--head"]) {
        "HEAD"
    } else if command.has(&["-G", "--get"]) {
        "GET"
    } else if !command.values(&upload).is_empty() {
        "PUT"
    } else if command.values(body::OF_CURL).is_empty() {
        "GET"
    } else {
        "POST"
    };
    let urls = command.plain().chain(command.values(&["--url"]));
    all(command, named.unwrap_or(implied), urls)
}

/// A request to each of these addresses, with the variables in them that the line sets.
fn all<'u>(command: &Command<'_>, method: &str, urls: impl Iterator<Item = &'u str>) -> Vec<Request> {
    let told = |url: &str| match url.contains('$') {
        true => command.told(vec![url.to_owned()]),
        false => vec![url.to_owned()],
    };
    urls.flat_map(told).filter_map(|url| Request::new(method, &url)).collect()
}

fn wget(command: &Command<'_>) -> Vec<Request> {
    let named = command.values(&["--method"]).last().copied();
    let posts = !command.values(&["--post-data", "--post-file"]).is_empty();
    let method = named.unwrap_or(if posts { "POST" } else { "GET" });
    all(command, method, command.plain())
}

fn httpie(command: &Command<'_>) -> Option<Request> {
    let mut words: Vec<&str> = command.plain().collect();
    let first = words.first()?;
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let is_method = words.len() > 1 && methods.iter().any(|method| method.eq_ignore_ascii_case(first));
    let named = is_method.then(|| words.remove(0));
    let (url, items) = words.split_first()?;
    let has_body = items.iter().any(|item| is_of_body(item))
        || !command.values(&["--raw"]).is_empty()
        || !command.invocation.input.is_empty();
    let method = if command.has(&["--offline", "--curl", "--print-curl"]) {
        "GET"
    } else {
        named.unwrap_or(if has_body { "POST" } else { "GET" })
    };
    let url = match url.strip_prefix(':') {
        // `:3000/path` and `:/path` mean this machine.
        Some(rest) if rest.starts_with('/') => format!("localhost{rest}"),
        Some(rest) => format!("localhost:{rest}"),
        None => (*url).to_owned(),
    };
    Request::new(method, &url)
}

/// Whether an item of httpie is data: `name=value`, `name:=json`, `name@file`, but neither `name:header` nor `name==query`.
fn is_of_body(item: &str) -> bool {
    let separator = item.find([':', '=', '@']).and_then(|at| item.get(at..)).unwrap_or_default();
    separator.starts_with(":=")
        || separator.starts_with('@')
        || separator.starts_with('=') && !separator.starts_with("==")
}

/// `gh api PATH`: a method that is not named is GET, and POST with fields.
fn api(command: &Command<'_>, host: &str, subcommands: usize) -> Vec<Request> {
    api_address(command, host, subcommands)
        .map(|(method, url)| all(command, &method, std::iter::once(url.as_str())))
        .unwrap_or_default()
}

fn api_address(command: &Command<'_>, host: &str, subcommands: usize) -> Option<(String, String)> {
    let mut words = command.plain();
    if words.next() != Some("api") {
        return None;
    }
    let path = words.nth(subcommands - 1)?;
    let fields = ["-f", "-F", "--field", "--raw-field", "--input", "-d", "--data"];
    let named = command.values(&["-X", "--method"]).last().copied();
    let has_fields = !command.values(&fields).is_empty() || words.any(|word| word.contains('='));
    let mut method = named.unwrap_or(if has_fields { "POST" } else { "GET" });
    if path.trim_matches('/') == "graphql" {
        let told = || {
            let words = command.invocation.words.iter().map(String::as_str);
            words.chain(command.invocation.input.iter().map(AsRef::as_ref))
        };
        // What stands in a file or a variable may change something: each query that is told has a brace.
        let is_untold = |word: &str| word.strip_prefix("query=").is_some_and(|query| !query.contains('{'));
        let of_file = !command.values(&["--input"]).is_empty() && command.invocation.input.is_empty();
        let changes = of_file || told().any(|text| text.contains("mutation") || is_untold(text));
        method = if changes { "POST" } else { "GET" };
    }
    let url = if path.contains("://") {
        path.to_owned()
    } else {
        format!("https://{host}/{}", path.trim_start_matches('/'))
    };
    Some((method.to_owned(), url))
}

/// `Invoke-RestMethod -Method Post -Uri https://… -Body '{…}'`
fn cmdlet(command: &Command<'_>) -> Vec<Request> {
    let given = |option: &str| cmdlet::values(command, option).last().copied();
    let method = given("-method").or_else(|| given("-custommethod")).unwrap_or("GET");
    let named = cmdlet::values(command, "-uri");
    if named.is_empty() {
        all(command, method, command.plain().take(1))
    } else {
        all(command, method, named.into_iter())
    }
}

/// `xurl [-X METHOD] /2/…`; its other forms have verbs.
fn xurl(command: &Command<'_>) -> Option<Request> {
    let path = command.plain().next().filter(|word| word.starts_with('/') || word.contains("://"))?;
    let named = command.values(&["-X", "--method"]).last().copied();
    let posts = !command.values(&["-d", "--data", "-F", "--file"]).is_empty();
    let url = if path.starts_with('/') { format!("https://api.x.com{path}") } else { path.to_owned() };
    Request::new(named.unwrap_or(if posts { "POST" } else { "GET" }), &url)
}
