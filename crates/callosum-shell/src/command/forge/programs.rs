//! What `gh`, `glab`, `hub`, `tea`, `fj` and `az` act on, by their nouns and verbs.

use super::super::Fit;
use super::{BRANCH, REPOSITORY, Site, Variable, of_url, short_ref};

/// What keys of a program's code host begin with.
pub(super) fn service(fit: &Fit<'_, '_>) -> &'static str {
    match fit.command.program() {
        "glab" => "gitlab",
        "tea" | "fj" | "berg" => "gitea",
        "az" => "azure-devops",
        _ => "github",
    }
}

/// The host that a variable names.
pub(super) fn host_variable(fit: &Fit<'_, '_>, variable: Variable<'_>) -> Option<String> {
    let names: &[&str] = match fit.command.program() {
        "gh" => &["GH_HOST"],
        "hub" => &["GITHUB_HOST"],
        "glab" => &["GITLAB_HOST", "GITLAB_URI", "GL_HOST"],
        _ => &[],
    };
    let host = names.iter().find_map(|name| variable(name).filter(|host| !host.is_empty()))?;
    let host = host.split_once("://").map_or(host.as_str(), |(_, rest)| rest);
    Some(host.trim_end_matches('/').to_lowercase())
}

/// The repository that an option or a variable names; else the folder's.
pub(super) fn repository(fit: &Fit<'_, '_>, variable: Variable<'_>) -> Site {
    let service = service(fit);
    let login = fit.command.values(&["-l", "--login", "-H", "--host"]).last().map(|host| host.to_lowercase());
    let (names, host): (&[&str], _) = match fit.command.program() {
        "tea" => (&["--repo", "-r"], login),
        "fj" | "berg" => (&["--repo", "-r", "--owner-repo"], login),
        _ => (&["-R", "--repo"], host_variable(fit, variable)),
    };
    let by_variable = || ["GH_REPO", "GITLAB_REPO"].iter().find_map(|name| variable(name));
    let has_variable = matches!(service, "github" | "gitlab");
    let named = fit.command.values(names).last().map(|name| (*name).to_owned());
    match named.or_else(|| has_variable.then(by_variable)?).filter(|name| !name.is_empty()) {
        Some(name) => Site::named(service, &name, host),
        None => Site::here(service),
    }
}

/// A command of one of the programs, told apart.
struct Said<'f, 'c, 'l> {
    fit: &'f Fit<'c, 'l>,
    noun: &'l str,
    verb: &'l str,
    arguments: Vec<&'l str>,
    site: Site,
}

impl<'l> Said<'_, '_, 'l> {
    fn option(&self, names: &[&str]) -> Option<&'l str> {
        self.fit.command.values(names).last().copied()
    }

    fn first(&self) -> Option<&'l str> {
        self.arguments.first().copied()
    }

    fn makes(&self) -> bool {
        matches!(self.verb, "create" | "new" | "c" | "for" | "revert" | "open") && self.noun != "release"
            || self.verb == "open" && self.arguments.is_empty()
    }

    /// One item by what names it: a number, an address, `owner/name#12`, a branch.
    fn item(&self, named: &str) -> String {
        if let Some((repository, item)) = of_url(named) {
            return if repository == "gist" {
                format!("{}:gist#{item}", self.site.service)
            } else {
                Site::named(self.site.service, &repository, None).item(&item)
            };
        }
        match named.split_once('#') {
            Some((repository, number)) if repository.contains('/') && is_number(number) => {
                Site::named(self.site.service, repository, None).item(number)
            }
            _ => self.site.item(named.trim_start_matches(['#', '!'])),
        }
    }

    /// A repository that an argument names, on the host that is meant.
    fn repository(&self, name: &str) -> Site {
        let host = Some(self.site.host.clone()).filter(|host| !host.is_empty());
        Site::named(self.site.service, name, host)
    }

    /// The items that stand there, else that of the branch that is checked out.
    fn requests(&self) -> Vec<String> {
        let numbers: Vec<&str> = self.arguments.iter().copied().filter(|word| is_item(word)).collect();
        if numbers.len() > 1 {
            return numbers.into_iter().map(|number| self.item(number)).collect();
        }
        // `$(gh pr view --json number -q .number)` asks for the request of the branch.
        let asks = |word: &str| {
            let inside = word.strip_prefix("$(").or_else(|| word.strip_prefix('`'));
            inside.is_some_and(|inside| {
                let mut words = inside.split_whitespace().skip(1);
                words.next().is_some_and(|noun| matches!(noun, "pr" | "mr"))
                    && words.next() == Some("view")
                    && words.next().is_none_or(|word| word.starts_with('-') || word.starts_with(')'))
            })
        };
        match self.first() {
            Some(word) if asks(word) => vec![self.site.item(BRANCH)],
            Some(word) if is_untold(word) => vec![self.site.whole()],
            // `owner:branch`
            Some(word) if !is_item(word) && !word.contains('/') => {
                vec![self.site.item(word.rsplit(':').next().unwrap_or(word))]
            }
            Some(word) => vec![self.item(word)],
            None => vec![self.site.item(BRANCH)],
        }
    }

    fn new_or_first(&self) -> Vec<String> {
        match self.first() {
            _ if self.makes() => vec![self.site.item("new")],
            Some(word) if is_untold(word) => vec![self.site.whole()],
            Some(_) => {
                let numbers: Vec<&str> =
                    self.arguments.iter().copied().filter(|word| is_item(word)).collect();
                let named =
                    if numbers.is_empty() { self.arguments.get(..1).unwrap_or_default() } else { &numbers };
                named.iter().map(|word| self.item(word)).collect()
            }
            None => vec![self.site.whole()],
        }
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['#', '!']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether only another command tells what the word is: a variable of a loop, a substitution, what `xargs` appends.
pub(super) fn is_untold(word: &str) -> bool {
    word.starts_with(['$', '`']) || word.contains("{}")
}

fn is_item(word: &str) -> bool {
    is_number(word) || of_url(word).is_some()
}

/// What a command of one of the programs changes.
pub(super) fn keys(fit: &Fit<'_, '_>, variable: Variable<'_>) -> Vec<String> {
    let mut words = fit.command.plain();
    let (noun, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let site = repository(fit, variable);
    let said = Said { fit, noun, verb, arguments: fit.arguments(), site };
    match fit.command.program() {
        "gh" => gh(&said),
        "glab" => glab(&said),
        "hub" => hub(&said),
        "az" => azure(&said),
        _ => gitea(&said),
    }
}

fn gh(said: &Said<'_, '_, '_>) -> Vec<String> {
    let site = &said.site;
    let or_new = |item: Option<&str>| item.unwrap_or("new").to_owned();
    match (said.noun, said.verb) {
        ("pr", "create" | "new" | "revert") => vec![site.item("new")],
        ("pr", _) => said.requests(),
        ("issue", "develop") => match said.option(&["-n", "--name"]) {
            Some(branch) => vec![site.push(branch)],
            None => said.new_or_first(),
        },
        ("issue", "transfer") => {
            let to = said.arguments.get(1).map(|name| said.repository(name).item("new"));
            said.first().map(|item| said.item(item)).into_iter().chain(to).collect()
        }
        ("release", _) => vec![said.first().map_or_else(|| site.item("new"), |tag| said.item(tag))],
        ("repo", "create" | "new") => {
            let Some(name) = said.first() else { return vec![site.whole()] };
            let made = said.repository(name);
            let pushed = said.fit.command.has(&["--push"]).then(|| made.push(BRANCH));
            std::iter::once(made.whole()).chain(pushed).collect()
        }
        ("repo", "sync") => {
            let branch = said.option(&["-b", "--branch"]).unwrap_or(BRANCH);
            vec![said.first().map_or_else(|| site.push(branch), |name| said.repository(name).push(branch))]
        }
        ("repo", "rename" | "deploy-key" | "autolink") => vec![site.whole()],
        ("repo", _) => vec![said.first().map_or_else(|| site.whole(), |name| said.repository(name).whole())],
        ("gist", "create" | "new") => vec!["github:gist#new".to_owned()],
        ("gist", _) => {
            let item =
                said.first().map(|item| of_url(item).map_or_else(|| item.to_owned(), |(_, item)| item));
            vec![format!("github:gist#{}", or_new(item.as_deref()))]
        }
        ("workflow", _) => {
            vec![said.first().map_or_else(|| site.whole(), |name| site.item(&format!("workflow/{name}")))]
        }
        ("run", _) => {
            let run = said.first().or_else(|| said.option(&["-j", "--job"]));
            vec![run.filter(|run| !is_untold(run)).map_or_else(|| site.whole(), |run| said.item(run))]
        }
        ("secret", _) => {
            let name = said.first().unwrap_or("*");
            match said.option(&["-o", "--org"]) {
                Some(owner) => vec![said.repository(owner).secret(name, None)],
                None if said.fit.command.has(&["-u", "--user"]) => vec![format!("secret:github:{name}@user")],
                None => vec![site.secret(name, said.option(&["-e", "--env"]))],
            }
        }
        ("variable", _) => {
            let of =
                said.option(&["-o", "--org"]).map_or_else(|| site.clone(), |owner| said.repository(owner));
            vec![said.first().map_or_else(|| of.whole(), |name| of.item(name))]
        }
        ("label", "clone") => vec![site.whole()],
        ("label" | "cache", _) => vec![said.first().map_or_else(|| site.whole(), |name| site.item(name))],
        ("ssh-key" | "gpg-key", _) => {
            let added = said.verb == "add";
            let name = said.first().filter(|_| !added).or_else(|| said.option(&["-t", "--title"]));
            vec![format!("github:{}#{}", said.noun, or_new(name))]
        }
        ("codespace" | "cs", _) => {
            vec![format!("github:codespace#{}", or_new(said.option(&["-c", "--codespace"])))]
        }
        ("project", _) => {
            let owner = said.option(&["--owner"]).unwrap_or("@me").to_lowercase();
            let node = said.option(&["--project-id", "--id"]).filter(|_| said.arguments.is_empty());
            let number = said.first().filter(|_| said.verb != "create");
            vec![match (number, node) {
                (None, Some(id)) => format!("github:{id}"),
                (number, _) => format!("github:{owner}/projects#{}", or_new(number)),
            }]
        }
        _ => said.new_or_first(),
    }
}

fn glab(said: &Said<'_, '_, '_>) -> Vec<String> {
    let site = &said.site;
    match (said.noun, said.verb) {
        ("mr", "create" | "new" | "for") => vec![site.item("new")],
        ("mr", _) => said.requests(),
        ("release", _) => vec![said.first().map_or_else(|| site.item("new"), |tag| said.item(tag))],
        ("repo" | "project", "create" | "new" | "delete" | "fork" | "transfer") => {
            vec![said.first().map_or_else(|| site.whole(), |name| said.repository(name).whole())]
        }
        ("repo" | "project", _) => vec![site.whole()],
        ("ci" | "pipe" | "pipeline", "run" | "create" | "run-trig") => {
            let branch = said.option(&["-b", "--branch"]).unwrap_or(BRANCH);
            vec![site.item(&format!("pipeline/{branch}"))]
        }
        ("snippet", _) => {
            vec![format!("gitlab:snippet#{}", said.first().filter(|_| !said.makes()).unwrap_or("new"))]
        }
        ("variable" | "securefile" | "var", _) => {
            let of =
                said.option(&["-g", "--group"]).map_or_else(|| site.clone(), |group| said.repository(group));
            vec![said.first().map_or_else(|| of.whole(), |name| of.item(name))]
        }
        ("label" | "milestone" | "deploy-key" | "token", _) => {
            let name = said.option(&["-n", "--name", "-t", "--title"]).or_else(|| said.first());
            vec![name.map_or_else(|| site.item("new"), |name| site.item(name))]
        }
        ("ssh-key" | "gpg-key", _) => vec![format!("gitlab:{}#{}", said.noun, said.first().unwrap_or("new"))],
        _ => said.new_or_first(),
    }
}

fn hub(said: &Said<'_, '_, '_>) -> Vec<String> {
    let site = &said.site;
    let of_repository = || said.first().map_or_else(|| site.whole(), |name| said.repository(name).whole());
    vec![match (said.noun, said.verb) {
        ("pull-request", _) | ("issue", "create") => site.item("new"),
        ("create" | "delete", _) => of_repository(),
        ("fork", _) => site.whole(),
        ("gist", _) => "github:gist#new".to_owned(),
        _ => said.first().map_or_else(|| site.whole(), |item| said.item(item)),
    }]
}

/// `tea`, `fj` and `berg`.
fn gitea(said: &Said<'_, '_, '_>) -> Vec<String> {
    let site = &said.site;
    match (said.noun, said.verb) {
        ("repo" | "repos" | "r" | "org" | "orgs" | "organization" | "organizations", _) => {
            let name = said.option(&["--name", "-n"]).or_else(|| said.first());
            let owner = said.option(&["--owner", "-O"]).map(|owner| format!("{owner}/")).unwrap_or_default();
            vec![name.map_or_else(|| site.whole(), |name| said.repository(&format!("{owner}{name}")).whole())]
        }
        ("release" | "releases", _) => {
            let tag = said.first().or_else(|| said.option(&["--tag", "-T"]));
            vec![tag.map_or_else(|| site.item("new"), |tag| said.item(tag))]
        }
        ("pr" | "pull" | "pulls", "create" | "c") => vec![site.item("new")],
        ("pr" | "pull" | "pulls", _) => said.requests(),
        ("labels" | "label" | "milestone" | "milestones" | "ms", _) => {
            let name = said.option(&["--name", "--title", "-t", "--id"]).or_else(|| said.first());
            vec![name.map_or_else(|| site.whole(), |name| site.item(name))]
        }
        ("actions", _) if said.fit.command.plain().any(|word| matches!(word, "secret" | "secrets")) => {
            vec![site.secret(said.first().unwrap_or("*"), None)]
        }
        _ => said.new_or_first(),
    }
}

fn azure(said: &Said<'_, '_, '_>) -> Vec<String> {
    let organisation = said.option(&["--organization", "--org"]).map(|address| {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/');
        match rest.split_once('/') {
            Some((_, name)) => name.to_owned(),
            None => rest.strip_suffix(".visualstudio.com").unwrap_or(rest).to_owned(),
        }
    });
    let project = said.option(&["-p", "--project"]).map(str::to_owned);
    let parts: Vec<String> = organisation.into_iter().chain(project).collect();
    let place = if parts.is_empty() { REPOSITORY.to_owned() } else { parts.join("/") };
    let item = |name: &str| format!("azure-devops:{place}#{name}");
    let named = |names: &[&str]| said.option(names);
    match (said.noun, said.verb) {
        ("repos", "ref") => {
            let repository =
                named(&["-r", "--repository"]).map(|name| format!("/{name}")).unwrap_or_default();
            let reference = short_ref(named(&["--name"]).unwrap_or("*"));
            let host = if parts.is_empty() { "" } else { "dev.azure.com/" };
            return vec![format!(
                "git-push:{}/{reference}",
                format!("{host}{place}{repository}").to_lowercase()
            )];
        }
        ("repos", "pr") | ("boards", "work-item") => {
            return vec![item(named(&["--id", "--work-item-id"]).unwrap_or("new"))];
        }
        _ => {}
    }
    const NAMES: &[&[&str]] = &[
        &["--id", "--run-id", "--build-id", "--pipeline-id", "--group-id", "--policy-id"],
        &["--name", "--pipeline-name", "--definition-name", "--wiki", "--variable-name", "--path"],
        &["--repository", "-r", "--feed", "--definition-id"],
    ];
    vec![item(NAMES.iter().find_map(|names| named(names)).unwrap_or("new"))]
}
