//! The objects that `kubectl` changes.

use super::{Command, Fit};

/// The short and plural names of kinds, and what they stand for.
const KINDS: &[(&str, &[&str])] = &[
    ("pod", &["po", "pods"]),
    ("deployment", &["deploy", "deployments"]),
    ("service", &["svc", "services"]),
    ("namespace", &["ns", "namespaces"]),
    ("node", &["no", "nodes"]),
    ("configmap", &["cm", "configmaps"]),
    ("secret", &["secrets"]),
    ("statefulset", &["sts", "statefulsets"]),
    ("daemonset", &["ds", "daemonsets"]),
    ("replicaset", &["rs", "replicasets"]),
    ("job", &["jobs"]),
    ("cronjob", &["cj", "cronjobs"]),
    ("ingress", &["ing", "ingresses"]),
    ("persistentvolumeclaim", &["pvc", "persistentvolumeclaims"]),
    ("persistentvolume", &["pv", "persistentvolumes"]),
    ("serviceaccount", &["sa", "serviceaccounts"]),
    ("horizontalpodautoscaler", &["hpa", "horizontalpodautoscalers"]),
    ("networkpolicy", &["netpol", "networkpolicies"]),
    ("customresourcedefinition", &["crd", "crds", "customresourcedefinitions"]),
    ("poddisruptionbudget", &["pdb", "poddisruptionbudgets"]),
    ("storageclass", &["sc", "storageclasses"]),
    ("endpoints", &["ep"]),
    ("role", &["roles"]),
    ("rolebinding", &["rolebindings"]),
    ("clusterrole", &["clusterroles"]),
    ("clusterrolebinding", &["clusterrolebindings"]),
    ("resourcequota", &["quota", "resourcequotas"]),
    ("deploymentconfig", &["dc", "deploymentconfigs"]),
    ("buildconfig", &["bc", "buildconfigs"]),
    ("clusterissuer", &["clusterissuers"]),
    ("certificate", &["cert", "certs", "certificates"]),
    ("certificatesigningrequest", &["csr", "certificatesigningrequests"]),
    ("limitrange", &["limits", "limitranges"]),
    ("route", &["routes"]),
    ("project", &["projects"]),
    ("rollout", &["ro", "rollouts"]),
    ("kustomization", &["ks", "kustomizations"]),
    ("helmrelease", &["hr", "helmreleases"]),
    ("application", &["app", "apps", "applications"]),
    ("priorityclass", &["pc", "priorityclasses"]),
];

/// Kinds whose objects are in no namespace.
const CLUSTER_WIDE: &[&str] = &[
    "namespace",
    "node",
    "persistentvolume",
    "clusterrole",
    "clusterrolebinding",
    "customresourcedefinition",
    "storageclass",
    "priorityclass",
    "ingressclass",
    "runtimeclass",
    "clusterissuer",
    "validatingwebhookconfiguration",
    "mutatingwebhookconfiguration",
    "apiservice",
    "project",
    "certificatesigningrequest",
];

/// Whether an object (`node/n1`) is one of the whole cluster.
#[must_use]
pub fn is_in_no_namespace(object: &str) -> bool {
    object.split_once('/').is_some_and(|(kind, _)| CLUSTER_WIDE.contains(&kind))
}

/// What a short or plural name of a kind stands for; `None` where it is none.
#[must_use]
pub fn kind_name(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, names)| names.contains(&kind)).map(|(long, _)| *long)
}

/// The context, as the command names it; else `current`.
pub(super) fn context(command: &Command<'_>) -> String {
    let named = command.values(&["--context", "--kube-context"]);
    named.last().map_or_else(|| "current".to_owned(), |name| (*name).to_owned())
}

/// The objects, as `kind/name`, or the files that describe them.
pub(super) fn objects(fit: &Fit<'_, '_>) -> Vec<String> {
    let files = fit.command.values(&["-f", "--filename", "-k", "--kustomize"]);
    if !files.is_empty() {
        let bare = |file: &str| file.trim_start_matches("./").trim_end_matches('/').to_owned();
        let own = |file: &str| match file {
            "-" | "/dev/stdin" => described(fit).unwrap_or_else(|| {
                let piped = fit.command.invocation.variables.iter().rfind(|(name, _)| name == "piped from");
                vec![piped.map_or_else(|| file.to_owned(), |(_, path)| bare(path))]
            }),
            file => vec![bare(file)],
        };
        return files.into_iter().flat_map(own).collect();
    }
    let verb = fit.command.plain().take(fit.subcommands).last().unwrap_or_default();
    let mut words: Vec<&str> = fit.arguments();
    // `apply edit-last-applied deployment/web`
    words.retain(|word| !word.ends_with("-last-applied"));
    match verb {
        "run" => words.first().map(|name| format!("pod/{name}")).into_iter().collect(),
        "drain" | "cordon" | "uncordon" => {
            words.iter().map(|name| format!("node/{}", without_kind(name))).collect()
        }
        "secret" => words.get(1).or(words.first()).map(|name| format!("secret/{name}")).into_iter().collect(),
        "cp" => {
            let pod = words.last().and_then(|path| path.split_once(':')).map(|(pod, _)| without_kind(pod));
            pod.map(|pod| format!("pod/{pod}")).into_iter().collect()
        }
        "create" => created(&words),
        // Whatever another command lists: `xargs kubectl delete`.
        _ if words == ["*"] => vec!["*".to_owned()],
        _ => {
            // What a selector picks is told by that: `delete pod -l app=worker`.
            let selector = fit.command.values(&["-l", "--selector"]).last().copied();
            match (words.as_slice(), selector) {
                ([kinds], Some(selector)) if !kinds.contains('/') => named(&[*kinds, SELECTED])
                    .into_iter()
                    .map(|object| object.replace(SELECTED, selector))
                    .collect(),
                _ => named(&words),
            }
        }
    }
}

/// Stands for what a selector picks, until its place is found.
const SELECTED: &str = "selected";

/// The namespace that the manifests on standard input say, where it is one.
pub(super) fn described_namespace(fit: &Fit<'_, '_>) -> Option<String> {
    let manifests = fit.command.invocation.input.iter().flat_map(|text| text.lines());
    let mut named: Vec<&str> = manifests
        .filter_map(|line| line.strip_prefix("  namespace:"))
        .map(|name| name.trim().trim_matches(['"', '\'']))
        .collect();
    named.dedup();
    <[&str; 1]>::try_from(named).ok().map(|[name]| name.to_owned())
}

/// The objects that a manifest on standard input describes, where the line says it.
fn described(fit: &Fit<'_, '_>) -> Option<Vec<String>> {
    let mut objects = Vec::new();
    for manifest in fit.command.invocation.input.iter().flat_map(|text| text.split("\n---")) {
        let field = |line: &str, name: &str| {
            line.strip_prefix(name).map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
        };
        let kind = manifest.lines().find_map(|line| field(line, "kind:"));
        let name = manifest
            .lines()
            .skip_while(|line| !line.starts_with("metadata:"))
            .find_map(|line| field(line, "  name:"));
        objects.push(format!("{}/{}", long_name(&kind?), name?));
    }
    (!objects.is_empty()).then_some(objects)
}

/// `create deployment web`, `create secret generic token`.
fn created(words: &[&str]) -> Vec<String> {
    let (Some(kind), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return Vec::new() };
    let has_type = matches!(*kind, "secret" | "service" | "svc") && rest.len() > 1;
    let name = rest.get(usize::from(has_type)).or(rest.first());
    name.map(|name| format!("{}/{name}", long_name(kind))).into_iter().collect()
}

/// `pod a b`, `pod/a svc/b`, `pods,services` …; what holds a `=` or ends in a dash is a label.
fn named(words: &[&str]) -> Vec<String> {
    let is_name = |word: &&str| !word.contains('=') && !word.ends_with('-') && !word.contains(':');
    let words: Vec<&str> = words.iter().copied().filter(is_name).collect();
    let Some(first) = words.first() else { return Vec::new() };
    if first.contains('/') {
        let whole =
            |word: &&str| word.split_once('/').map(|(kind, name)| format!("{}/{name}", long_name(kind)));
        return words.iter().filter_map(whole).collect();
    }
    let names = words.get(1..).unwrap_or_default();
    let names = if names.is_empty() { &["*"][..] } else { names };
    first
        .split(',')
        .flat_map(|kind| names.iter().map(move |name| format!("{}/{name}", long_name(kind))))
        .collect()
}

fn without_kind(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, name)| name)
}

/// The name of a kind without its group and version, which are the same for all forms of `Deployment.v1.apps`.
fn long_name(kind: &str) -> String {
    let kind = kind.split('.').next().unwrap_or(kind).to_lowercase();
    let known = KINDS.iter().find(|(_, names)| names.contains(&kind.as_str()));
    known.map_or(kind, |(long, _)| (*long).to_owned())
}
