//! What the paths of code hosts' interfaces are about.

use percent_encoding::percent_decode_str;

use super::super::{Command, Request};
use super::{BRANCH, Site};

/// The branch that a file is written to where the request does not say one.
const DEFAULT_BRANCH: &str = "HEAD";

/// What a request changes at a code host, as whole keys; none where it goes to no such host.
pub(super) fn of_request(request: &Request, command: &Command<'_>) -> Vec<String> {
    let host = request.host.as_str();
    let here = |service| Site::here(service);
    let start = |prefix: &str| request.path.strip_prefix(prefix);
    let service = match host {
        "api.github.com" | "uploads.github.com" => Some(("github", None)),
        "api.bitbucket.org" => Some(("bitbucket", None)),
        "dev.azure.com" => Some(("azure-devops", None)),
        "gitlab.com" => Some(("gitlab", None)),
        _ if start("api/v4/").is_some() => Some(("gitlab", Some(host.to_owned()))),
        _ if start("api/v3/").is_some() || start("api/graphql").is_some() => {
            Some(("github", Some(host.to_owned())))
        }
        _ if start("api/v1/").is_some() => Some(("gitea", Some(host.to_owned()))),
        _ => None,
    };
    let Some((service, host)) = service else { return Vec::new() };
    of_path(service, &host, &here(service), request, command)
}

/// What a request changes whose path is one of `service`'s at `host`; `here` is the repository that placeholders in it stand for.
pub(super) fn of_path(
    service: &'static str,
    host: &Option<String>,
    here: &Site,
    request: &Request,
    command: &Command<'_>,
) -> Vec<String> {
    let path = request.path.as_str();
    let path = ["api/v4/", "api/v3/", "api/v1/", "2.0/"]
        .iter()
        .find_map(|start| path.strip_prefix(start))
        .unwrap_or(path);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let asked = Asked { command, posts: request.method == "POST" };
    let at = |path: String| Site::named(service, &path, Some(host.clone().unwrap_or_default()));
    if parts.last() == Some(&"graphql") {
        let nodes = nodes(command);
        if !nodes.is_empty() {
            return nodes.into_iter().map(|node| format!("{service}:{node}")).collect();
        }
        let field = |names: &[&str]| names.iter().find_map(|name| asked.field(name));
        let repository = field(&["owner"]).zip(field(&["repo", "name", "repository"]));
        let item = field(&["number", "issue", "pr"]);
        return vec![match (repository, item) {
            (Some((owner, name)), Some(item)) => at(format!("{owner}/{name}")).item(item),
            _ => format!("{service}:graphql"),
        }];
    }
    let key = match (service, parts.as_slice()) {
        ("gitlab", ["projects", project, rest @ ..]) => {
            let site = match *project {
                ":id" | ":fullpath" | ":repo" => here.clone(),
                project => at(percent_decode_str(project).decode_utf8_lossy().into_owned()),
            };
            asked.gitlab(&site, rest)
        }
        ("gitlab", ["groups", group, rest @ ..]) => {
            asked.gitlab(&at(percent_decode_str(group).decode_utf8_lossy().into_owned()), rest)
        }
        ("bitbucket", ["repositories", owner, name, rest @ ..]) => {
            asked.bitbucket(&at(format!("{owner}/{name}")), rest)
        }
        ("azure-devops", [organisation, "_apis", rest @ ..]) => {
            asked.azure(&at((*organisation).to_owned()), rest)
        }
        ("azure-devops", [organisation, project, "_apis", rest @ ..]) => {
            asked.azure(&at(format!("{organisation}/{project}")), rest)
        }
        (_, ["repos", owner, name, rest @ ..]) => {
            let is_here = matches!((*owner, *name), ("{owner}" | ":owner", "{repo}" | ":repo"));
            let site = if is_here { here.clone() } else { at(format!("{owner}/{name}")) };
            asked.github(&site, rest)
        }
        (_, ["gists"]) => format!("{service}:gist#new"),
        (_, ["gists", id, ..]) => format!("{service}:gist#{id}"),
        (_, ["orgs", owner, "actions" | "dependabot" | "codespaces", "secrets", name, ..]) => {
            at((*owner).to_owned()).secret(name, None)
        }
        (_, ["orgs" | "user", rest @ .., "repos"]) => {
            let name = asked.field("name").unwrap_or("new");
            let owner = rest.first().map(|owner| format!("{owner}/")).unwrap_or_default();
            at(format!("{owner}{name}")).whole()
        }
        (_, ["orgs" | "users" | "teams" | "enterprises", owner, ..]) => at((*owner).to_owned()).whole(),
        _ => format!("{service}:{path}"),
    };
    vec![key]
}

/// What a request says beside its path.
struct Asked<'c, 'l> {
    command: &'c Command<'l>,
    posts: bool,
}

impl<'l> Asked<'_, 'l> {
    /// A field of the body that options give: `-f ref=main`.
    fn field(&self, name: &str) -> Option<&'l str> {
        const FIELDS: &[&str] = &[
            "-f",
            "-F",
            "--field",
            "--raw-field",
            "--form",
            "-d",
            "--data",
            "--data-urlencode",
            "--data-raw",
        ];
        let values = self.command.values(FIELDS);
        let mut fields =
            values.into_iter().chain(self.command.plain()).filter_map(|field| field.split_once('='));
        fields.find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    fn pushed(&self, site: &Site, fields: &[&str]) -> String {
        let branch = fields.iter().find_map(|field| self.field(field));
        site.push(branch.unwrap_or(DEFAULT_BRANCH))
    }

    /// An item of a collection; what is posted to the collection itself is new in it.
    fn in_collection(&self, site: &Site, rest: &[&str]) -> String {
        const BETWEEN: &[&str] =
            &["comments", "tags", "assets", "events", "alerts", "runs", "jobs", "suites"];
        let mut steps = rest.iter().skip(1).filter(|step| !BETWEEN.contains(step));
        match (steps.next(), rest) {
            (Some(item), _) if super::programs::is_untold(item) => site.whole(),
            (Some(item), _) => site.item(&percent_decode_str(item).decode_utf8_lossy()),
            (None, [_]) if self.posts => site.item("new"),
            (None, _) => site.whole(),
        }
    }

    /// Below `repos/<owner>/<name>`: GitHub, Gitea and Forgejo.
    fn github(&self, site: &Site, rest: &[&str]) -> String {
        let named = |field: &str| site.item(self.field(field).unwrap_or("new"));
        match rest {
            ["git", "refs"] => self.pushed(site, &["ref"]),
            ["git", "refs", reference @ ..] => site.push(&reference.join("/")),
            ["branches", branch, "protection", ..] => {
                site.item(if *branch == "{branch}" { BRANCH } else { branch })
            }
            ["branches", branch] => site.push(branch),
            ["branches", branch, "rename"] => site.push(branch),
            ["branches"] => self.pushed(site, &["new_branch_name"]),
            ["branch_protections", branch] => site.item(branch),
            ["contents", ..] => self.pushed(site, &["branch"]),
            ["merges"] => self.pushed(site, &["base"]),
            ["merge-upstream"] => self.pushed(site, &["branch"]),
            ["tags", tag] => site.push(tag),
            ["tags"] => self.pushed(site, &["tag_name"]),
            ["actions", "workflows", workflow, ..] => site.item(&format!("workflow/{workflow}")),
            ["actions" | "dependabot" | "codespaces", "secrets", name] => site.secret(name, None),
            ["environments", environment, "secrets", name] => site.secret(name, Some(environment)),
            ["actions", "variables"] | ["environments", _, "variables"] => named("name"),
            ["actions", "variables", name] | ["environments", _, "variables", name] => site.item(name),
            ["actions" | "code-scanning" | "secret-scanning" | "dependabot", _, id, ..] => site.item(id),
            ["releases"] if self.posts => named("tag_name"),
            ["labels"] if self.posts => named("name"),
            [
                "issues" | "pulls" | "releases" | "labels" | "milestones" | "hooks" | "deployments"
                | "rulesets" | "statuses" | "commits" | "check-runs" | "check-suites" | "environments"
                | "projects" | "comments" | "discussions" | "keys",
                ..,
            ] => self.in_collection(site, rest),
            // What is of the repository itself, and objects that no branch has yet.
            _ => site.whole(),
        }
    }

    /// Below `projects/<id>`.
    fn gitlab(&self, site: &Site, rest: &[&str]) -> String {
        let pipeline = |branch: &str| site.item(&format!("pipeline/{branch}"));
        let named = |field: &str| site.item(self.field(field).unwrap_or("new"));
        match rest {
            ["repository", "branches" | "tags", name] => {
                site.push(&percent_decode_str(name).decode_utf8_lossy())
            }
            ["repository", "branches" | "commits" | "files", ..] => self.pushed(site, &["branch"]),
            ["repository", "tags"] => self.pushed(site, &["tag_name"]),
            ["repository", ..] => site.whole(),
            ["pipeline"] | ["trigger", "pipeline"] => pipeline(self.field("ref").unwrap_or(DEFAULT_BRANCH)),
            ["ref", branch, "trigger", "pipeline"] => pipeline(branch),
            ["releases"] if self.posts => named("tag_name"),
            ["variables"] if self.posts => named("key"),
            ["labels" | "protected_branches"] if self.posts => named("name"),
            []
            | ["archive" | "unarchive" | "fork" | "transfer" | "star" | "unstar" | "share" | "members", ..] => {
                site.whole()
            }
            _ => self.in_collection(site, rest),
        }
    }

    /// Below `repositories/<workspace>/<name>`.
    fn bitbucket(&self, site: &Site, rest: &[&str]) -> String {
        match rest {
            ["refs", "branches" | "tags", name] => site.push(&percent_decode_str(name).decode_utf8_lossy()),
            ["refs", ..] => self.pushed(site, &["name"]),
            ["src"] => self.pushed(site, &["branch"]),
            [] | ["forks" | "pipelines_config", ..] => site.whole(),
            _ => self.in_collection(site, rest),
        }
    }

    /// Below `_apis`.
    fn azure(&self, site: &Site, rest: &[&str]) -> String {
        match rest {
            ["wit", "workitems", kind] if kind.starts_with('$') => site.item("new"),
            ["wit" | "build" | "release", collection @ ..] => self.in_collection(site, collection),
            ["git", "repositories", _, collection @ ("pullrequests" | "pullRequests"), rest @ ..] => {
                let collection: Vec<&str> =
                    std::iter::once(*collection).chain(rest.iter().copied()).collect();
                self.in_collection(site, &collection)
            }
            ["git", "repositories", name, "pushes" | "refs", ..] => {
                let mut pushed = site.clone();
                pushed.path = pushed.path.map(|path| format!("{path}/{name}"));
                pushed.push(DEFAULT_BRANCH)
            }
            _ => self.in_collection(site, rest),
        }
    }
}

/// The global ids of GitHub's and GitLab's GraphQL that a command names; those of what only surrounds the target, where there is another
/// one, are left out.
fn nodes(command: &Command<'_>) -> Vec<String> {
    const WIDER: &[&str] = &["PVT", "PVTF", "PVTSSF", "R", "O", "U", "LA", "MI", "T"];
    let mut found: Vec<String> = Vec::new();
    let texts = command.invocation.words.iter().map(String::as_str);
    for text in texts.chain(command.invocation.input.iter().map(AsRef::as_ref)) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-')) {
            if is_node(word) && !found.iter().any(|known| known == word) && found.len() < 100 {
                found.push(word.to_owned());
            }
        }
    }
    let is_wider = |node: &String| node.split_once('_').is_some_and(|(kind, _)| WIDER.contains(&kind));
    if !found.iter().all(is_wider) {
        found.retain(|node| !is_wider(node));
    }
    found
}

/// `PR_kwDOAbc12M5xYz`: the kind in capitals, then base64 of a list, which begins with a small letter.
fn is_node(word: &str) -> bool {
    let Some((kind, rest)) = word.split_once('_') else { return false };
    let is_kind = !kind.is_empty()
        && kind.len() <= 10
        && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_kind
        && rest.len() >= 8
        && rest.starts_with(|c: char| c.is_ascii_lowercase())
        && rest.bytes().any(|byte| byte.is_ascii_uppercase())
}
