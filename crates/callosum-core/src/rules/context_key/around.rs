//! Placeholders whose values lie around a call: the repository that a folder belongs to and where a push of it goes, the package, the
//! cluster, the linked project.

use std::path::Path;

use callosum_shell::command::{Detail, Fit, is_in_no_namespace};
use callosum_surroundings::git::{Repository, plain_identity};
use callosum_surroundings::links::Service;
use callosum_surroundings::package::Ecosystem;
use callosum_surroundings::{Place, Surroundings};

use super::file_path::path_in;
use super::site::Site;

/// Something that lies around a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    /// The repository that the folder belongs to, as code hosts' programs take it.
    Repository,
    /// The repositories that the command pushes to.
    PushedTo,
    /// The branches that it pushes.
    PushedBranches,
    /// The branch that is checked out.
    Branch,
    /// The package in the folder.
    Package(Ecosystem),
    /// The cluster that Kubernetes' programs act on.
    Cluster,
    /// The cluster and the namespace.
    KubeScope,
    /// The objects in it, with both.
    KubeTarget,
    /// Where Terraform keeps its state, with the workspace.
    TerraformState,
    /// The project of Docker Compose.
    ComposeProject,
    /// The Docker daemon that is not this machine's.
    DockerHost,
    /// The project of a hosting service that the folder is linked to.
    Link(Service),
}

/// What a command before it in the line has checked out.
const CHECKED_OUT: &str = "git branch";

/// Clusters' programs without a configuration act on this one.
const CURRENT: &str = "current";

impl Around {
    /// Its values for a call; none where they can't be told.
    pub(crate) fn values(self, site: Site<'_, '_>) -> Vec<String> {
        if self == Self::DockerHost
            && let Some(daemon) = told_daemon(site)
        {
            return daemon.into_iter().collect();
        }
        // What lies around on another machine nobody tells.
        if site.fit.is_some_and(|fit| fit.command.invocation.host.is_some()) {
            return self.unseen(site);
        }
        let folder = site.folder();
        let Some(surroundings) = site.outlook.surroundings() else { return self.unseen(site) };
        let variable = |name: &str| site.variable(name);
        // Of another machine, or nobody says which.
        let found = if folder.starts_with('/') {
            let place = Place { folder: Path::new(&folder), variable: &variable };
            self.read(site, surroundings, &place)
        } else {
            Vec::new()
        };
        if found.is_empty() {
            site.outlook.note_untold(format!("{} can't be told from {folder}", self.what()));
            return self.unseen(site);
        }
        found
    }

    fn read(self, site: Site<'_, '_>, surroundings: &Surroundings, place: &Place<'_>) -> Vec<String> {
        let one = |found: Option<String>| found.into_iter().collect();
        let repository = || surroundings.repository(place);
        match self {
            Self::Repository => {
                one(repository().and_then(|repository| surroundings.forge_repository(&repository, place)))
            }
            Self::PushedTo => {
                let remote = remote(site);
                match (repository(), &remote) {
                    (Some(repository), remote) => {
                        surroundings.pushed_to(&repository, remote.as_deref(), place)
                    }
                    // A name stands in the configuration of a repository.
                    (None, Some(address)) if address.contains([':', '/']) => {
                        one(surroundings.repository_at(address, place))
                    }
                    (None, _) => Vec::new(),
                }
            }
            Self::PushedBranches => {
                let named = site.detail(&Detail::GitBranch);
                let Some(repository) = repository() else { return named };
                let remote = remote(site);
                let checked_out = site.variable(CHECKED_OUT);
                let named = named.into_iter().map(|name| match &checked_out {
                    Some(branch) if name == CURRENT => branch.clone(),
                    _ => name,
                });
                pushed_branches(&repository, named.collect(), remote.as_deref())
            }
            Self::Branch if site.variable(CHECKED_OUT).is_some() => one(site.variable(CHECKED_OUT)),
            Self::Branch => one(repository().and_then(|found| found.branch().map(str::to_owned))),
            Self::Package(ecosystem) => match package_folder(site) {
                Some(named) => {
                    vec![surroundings.package_in(ecosystem, Path::new(&named)).unwrap_or(named)]
                }
                None => one(surroundings.package(ecosystem, place)),
            },
            Self::Cluster => vec![cluster(site, surroundings, place).0],
            Self::KubeScope => {
                let (cluster, namespace) = cluster(site, surroundings, place);
                vec![format!("{cluster}/{namespace}")]
            }
            Self::KubeTarget => kube_targets(site, cluster(site, surroundings, place)),
            Self::TerraformState => {
                let Some(state) = surroundings.terraform(place) else { return Vec::new() };
                let backend = match state.backend.as_str() {
                    "" => place.folder.display().to_string(),
                    backend => backend.to_owned(),
                };
                vec![match state.workspace.as_str() {
                    "" | "default" => backend,
                    workspace => format!("{backend}@{workspace}"),
                }]
            }
            Self::ComposeProject => {
                let files = [site.flag("f"), site.flag("file")].concat();
                let files: Vec<&str> = files.iter().map(String::as_str).collect();
                one(named_project(site).or_else(|| surroundings.compose_project(&files, place)))
            }
            Self::DockerHost => {
                one(surroundings.docker_daemon(place).and_then(|daemon| bare_daemon(&daemon)))
            }
            Self::Link(service) => {
                let of_line = match service {
                    Service::Vercel => site.variable("link vercel"),
                    Service::Firebase => site.variable("link firebase"),
                    Service::Supabase => site.variable("link supabase"),
                    Service::Heroku => site.variable("link heroku"),
                    Service::Netlify => site.variable("link netlify"),
                    Service::Fly | Service::Wrangler => None,
                };
                one(of_line.or_else(|| surroundings.link(service, place)))
            }
        }
    }

    /// What is left to say where nothing may be read.
    fn unseen(self, site: Site<'_, '_>) -> Vec<String> {
        match self {
            Self::Package(_) => package_folder(site).into_iter().collect(),
            // The usual remote is that of the folder; of another one only the name is known.
            Self::PushedTo => {
                let other = remote(site).filter(|remote| remote != "origin");
                let named = |remote: String| {
                    plain_identity(&remote).unwrap_or_else(|| format!("{}@{remote}", site.folder()))
                };
                other.map(named).into_iter().collect()
            }
            Self::PushedBranches => site.detail(&Detail::GitBranch),
            Self::Cluster => vec![told_cluster(site).0],
            Self::KubeScope => {
                let (cluster, namespace) = told_cluster(site);
                vec![format!("{cluster}/{namespace}")]
            }
            Self::KubeTarget => kube_targets(site, told_cluster(site)),
            Self::ComposeProject => compose_project(site).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What could not be told: the subject of a sentence.
    fn what(self) -> &'static str {
        match self {
            Self::Repository => "the repository",
            Self::PushedTo => "the repository that is pushed to",
            Self::PushedBranches | Self::Branch => "the branch",
            Self::Package(_) => "the package's name",
            Self::Cluster | Self::KubeScope | Self::KubeTarget => "the cluster",
            Self::TerraformState => "Terraform's state",
            Self::ComposeProject => "the Compose project",
            Self::DockerHost => "the Docker daemon",
            Self::Link(_) => "the linked project",
        }
    }
}

/// The daemon that the command itself says, or the machine that it runs on; nothing inside where that is this one, nothing at all where it
/// says none.
fn told_daemon(site: Site<'_, '_>) -> Option<Option<String>> {
    if let Some(named) = site.detail(&Detail::DockerDaemon).pop() {
        return Some(bare_daemon(&named));
    }
    site.fit?.command.invocation.host.clone().map(Some)
}

/// A daemon's host or context, without scheme, user and port; none for this machine's.
fn bare_daemon(daemon: &str) -> Option<String> {
    let host = match daemon.split_once("://") {
        Some(("unix" | "npipe" | "fd", _)) => return None,
        Some((_, rest)) => rest.split('/').next().unwrap_or(rest),
        None => daemon,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let is_here = matches!(host, "" | "default" | "desktop-linux" | "localhost" | "127.0.0.1");
    (!is_here).then(|| host.to_owned())
}

/// The project that a command on another machine says: by its option, else by its folder's name.
fn compose_project(site: Site<'_, '_>) -> Option<String> {
    let variable = || site.variable("COMPOSE_PROJECT_NAME");
    let of_folder = || {
        let folder = site.fit?.folder()?;
        folder.trim_end_matches('/').rsplit('/').next().map(str::to_owned)
    };
    named_project(site).or_else(variable).or_else(of_folder)
}

fn named_project(site: Site<'_, '_>) -> Option<String> {
    ["p", "project-name"].iter().find_map(|name| site.flag(name).pop())
}

/// The remote that the command names.
fn remote(site: Site<'_, '_>) -> Option<String> {
    let named = site.detail(&Detail::GitRemote).into_iter().next();
    let of_line = site.variable(&format!("git remote {}", named.as_deref().unwrap_or("origin")));
    of_line.or(named)
}

/// The folder of the package, where the command names another than the one it runs in.
fn package_folder(site: Site<'_, '_>) -> Option<String> {
    site.fit.and_then(Fit::package_folder).map(|named| path_in(&site.folder(), &named))
}

/// The branches that are pushed, where the command says `current` or names none.
fn pushed_branches(repository: &Repository, named: Vec<String>, remote: Option<&str>) -> Vec<String> {
    let mut branches = Vec::new();
    for name in named {
        match name.as_str() {
            CURRENT => {
                let pushed = repository.pushed_branches(remote);
                if pushed.is_empty() { branches.push(name) } else { branches.extend(pushed) }
            }
            _ => branches.push(name),
        }
    }
    branches
}

/// The namespace when nobody says one.
const DEFAULT: &str = "default";

fn namespace(site: Site<'_, '_>) -> Option<String> {
    let named = ["n", "namespace"].iter().find_map(|name| site.flag(name).pop());
    let of_manifest = || site.detail(&Detail::KubeNamespace).pop();
    named.or_else(of_manifest).or_else(|| site.variable("kube namespace"))
}

fn named_cluster(site: Site<'_, '_>) -> Option<String> {
    ["cluster", "server", "s"].iter().find_map(|name| site.flag(name).pop()).or_else(|| context(site))
}

fn context(site: Site<'_, '_>) -> Option<String> {
    let named = ["context", "kube-context"].iter().find_map(|name| site.flag(name).pop());
    named.or_else(|| site.variable("kube context"))
}

/// What the command itself says of cluster and namespace.
fn told_cluster(site: Site<'_, '_>) -> (String, String) {
    let cluster = named_cluster(site).unwrap_or_else(|| CURRENT.to_owned());
    (cluster, namespace(site).unwrap_or_else(|| DEFAULT.to_owned()))
}

/// The objects that the command names, each where it is.
fn kube_targets(site: Site<'_, '_>, (cluster, namespace): (String, String)) -> Vec<String> {
    let whole = |object: String| match is_in_no_namespace(&object) {
        true => format!("{cluster}:{object}"),
        false => format!("{cluster}/{namespace}:{object}"),
    };
    site.detail(&Detail::KubeObject).into_iter().map(whole).collect()
}

/// The cluster and the namespace that the command acts on.
fn cluster(site: Site<'_, '_>, surroundings: &Surroundings, place: &Place<'_>) -> (String, String) {
    let context = context(site);
    let file = site.flag("kubeconfig").pop();
    let variable = |name: &str| match &file {
        Some(file) if name == "KUBECONFIG" => Some(file.clone()),
        _ => (place.variable)(name),
    };
    let target = surroundings.kube(context.as_deref(), &Place { variable: &variable, ..*place });
    let (cluster, of_context) = match target {
        Some(target) if target.cluster.is_empty() => (target.context, target.namespace),
        Some(target) => (target.cluster, target.namespace),
        None => (named_cluster(site).unwrap_or_else(|| CURRENT.to_owned()), String::new()),
    };
    let of_context = Some(of_context).filter(|name| !name.is_empty());
    (cluster, namespace(site).or(of_context).unwrap_or_else(|| DEFAULT.to_owned()))
}
