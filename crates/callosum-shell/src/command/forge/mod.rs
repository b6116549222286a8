//! What the programs and the interfaces of code hosts act on, as whole keys: `github:acme/app#12`, `secret:github:TOKEN@acme/app`,
//! `git-push:github.com/acme/app/main`.

mod paths;
mod programs;

use super::Fit;
use super::http::Request;

/// Stands in a key for the repository that the folder belongs to: the command names none.
pub const REPOSITORY: &str = "{repository}";
/// Stands in a key for the branch that is checked out.
pub const BRANCH: &str = "{branch}";

/// Hosts that are meant where none is said; keys of issues and the like leave them out.
pub const USUAL_HOSTS: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "dev.azure.com"];

/// The value of a variable, as the command sees it.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where a command acts: a code host, and a repository there.
#[derive(Clone, Debug)]
struct Site {
    /// What keys of it begin with.
    service: &'static str,
    /// The host that is said; empty for the usual one.
    host: String,
    /// `owner/name`; nothing where the folder's is meant.
    path: Option<String>,
}

impl Site {
    /// A repository as somebody names it: `owner/name`, `host/owner/name`, an address.
    fn named(service: &'static str, name: &str, host: Option<String>) -> Self {
        // GitLab's groups have groups in them, and their names may have dots.
        let may_name_host = host.is_none() || service != "gitlab";
        let (said, path) = repository_name(name, may_name_host);
        let host = said.or(host).filter(|host| !USUAL_HOSTS.contains(&host.as_str())).unwrap_or_default();
        let path = path.trim_start_matches('/').to_owned();
        Self { service, host, path: Some(path).filter(|path| !path.is_empty()) }
    }

    /// The folder's.
    fn here(service: &'static str) -> Self {
        Self { service, host: String::new(), path: None }
    }

    /// `owner/name`, with the host unless that is the usual one.
    fn short(&self) -> String {
        let Some(path) = &self.path else { return REPOSITORY.to_owned() };
        let whole = if self.host.is_empty() { path.clone() } else { format!("{}/{path}", self.host) };
        // GitHub takes `Acme/App` and `acme/app` for one.
        if self.service == "github" { whole.to_lowercase() } else { whole }
    }

    /// The host and `owner/name`, as pushes are named.
    fn long(&self) -> String {
        let Some(path) = &self.path else { return REPOSITORY.to_owned() };
        let usual = match self.service {
            "github" => "github.com",
            "gitlab" => "gitlab.com",
            "bitbucket" => "bitbucket.org",
            "azure-devops" => "dev.azure.com",
            _ => "",
        };
        match self.host.as_str() {
            "" if usual.is_empty() => path.clone(),
            "" => format!("{usual}/{}", path.to_lowercase()),
            host => format!("{host}/{path}"),
        }
    }

    fn whole(&self) -> String {
        format!("{}:{}", self.service, self.short())
    }

    fn item(&self, item: &str) -> String {
        format!("{}:{}#{item}", self.service, self.short())
    }

    /// A branch or tag that is written.
    fn push(&self, reference: &str) -> String {
        format!("git-push:{}/{}", self.long(), short_ref(reference))
    }

    fn secret(&self, name: &str, environment: Option<&str>) -> String {
        let environment = environment.map(|name| format!("/{name}")).unwrap_or_default();
        format!("secret:{}:{name}@{}{environment}", self.service, self.short())
    }
}

/// A branch or tag without `refs/heads/` and the like.
fn short_ref(reference: &str) -> &str {
    let name = reference.strip_prefix("refs/").unwrap_or(reference);
    ["heads/", "tags/"].iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name)
}

impl Fit<'_, '_> {
    /// The issues, pull requests, releases, secrets, branches … that it changes at a code host, each as a whole key. [`REPOSITORY`]
    /// and [`BRANCH`] stand in them for what the command leaves to the folder.
    pub fn forge_keys(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let noun = self.command.plain().next().unwrap_or_default();
        match self.command.program() {
            "gh" | "glab" | "hub" | "tea" | "fj" | "berg" if noun == "api" => {
                let host = self.command.values(&["--hostname"]).last().map(|host| (*host).to_owned());
                let host = host.or_else(|| programs::host_variable(self, variable));
                let service = programs::service(self);
                let named = programs::repository(self, variable);
                let of = |request: &Request| paths::of_path(service, &host, &named, request, self.command);
                self.command.requests().iter().flat_map(of).collect()
            }
            "gh" | "glab" | "hub" | "tea" | "fj" | "berg" | "az" => programs::keys(self, variable),
            _ => self
                .command
                .requests()
                .iter()
                .flat_map(|request| paths::of_request(request, self.command))
                .collect(),
        }
    }
}

/// The host, where one is named, and `owner/name` of whatever names a repository.
fn repository_name(name: &str, may_name_host: bool) -> (Option<String>, String) {
    let end = |path: &str| {
        let path = path.trim_end_matches('/');
        path.strip_suffix(".git").unwrap_or(path).to_owned()
    };
    let split = |rest: &str| {
        let (host, path) = rest.split_once('/').unwrap_or(("", rest));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        (Some(host.to_lowercase()), end(path))
    };
    if let Some((_, rest)) = name.split_once("://") {
        return split(rest);
    }
    if let Some((host, path)) = name.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        return (Some(host.to_lowercase()), end(path));
    }
    match name.split_once('/') {
        Some((host, rest)) if may_name_host && host.contains('.') && rest.contains('/') => split(name),
        _ => (None, end(name)),
    }
}

/// Repository and item of `https://github.com/owner/repo/pull/12`.
fn of_url(url: &str) -> Option<(String, String)> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (host, path) = rest.split_once('/')?;
    if host.starts_with("gist.") {
        return Some(("gist".to_owned(), path.rsplit('/').next().unwrap_or(path).to_owned()));
    }
    const KINDS: &[&str] = &[
        "pull",
        "pulls",
        "issues",
        "merge_requests",
        "releases",
        "runs",
        "discussions",
        "pull-requests",
        "pipelines",
        "jobs",
    ];
    let parts: Vec<&str> =
        path.trim_end_matches('/').split('/').filter(|part| !matches!(*part, "-" | "actions")).collect();
    let kind = parts.iter().position(|part| KINDS.contains(part))?;
    let mut after = parts.get(kind + 1..)?.iter().filter(|part| **part != "tag");
    Some((format!("{host}/{}", parts.get(..kind)?.join("/")), (*after.next()?).to_owned()))
}

#[cfg(test)]
mod tests;
