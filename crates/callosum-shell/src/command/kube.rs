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
    ("quota", &["resourcequota", "resourcequotas"]),
];

/// The context, as the command names it; else `current`.
pub(super) fn context(command: &Command<'_>) -> String {
    let named = command.values(&["--context", "--kube-context"]);
    named.last().map_or_else(|| "current".to_owned(), |name| (*name).to_owned())
}

/// The objects, as `kind/name`, or the files that describe them.
pub(super) fn objects(fit: &Fit<'_, '_>) -> Vec<String> {
    let files = fit.command.values(&["-f", "--filename", "-k", "--kustomize"]);
    if !files.is_empty() {
        return files.into_iter().map(str::to_owned).collect();
    }
    let verb = fit.command.plain().take(fit.subcommands).last().unwrap_or_default();
    let words: Vec<&str> = fit.arguments();
    match verb {
        "run" => words.first().map(|name| format!("pod/{name}")).into_iter().collect(),
        "drain" | "cordon" | "uncordon" => {
            words.iter().map(|name| format!("node/{}", without_kind(name))).collect()
        }
        "create" => created(&words),
        _ => named(&words),
    }
}

/// `create deployment web`, `create secret generic token`.
fn created(words: &[&str]) -> Vec<String> {
    let (Some(kind), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return Vec::new() };
    let has_type = matches!(*kind, "secret" | "service" | "svc");
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
