//! The object in a cluster that a call of a tool acts on, by its name and its fields.

use std::path::Path;

use callosum_surroundings::Place;

use super::site::Site;
use crate::rules::tool_words::NameWords;
use crate::rules::words::singular;

/// Kinds that belong to no namespace.
const OF_CLUSTER: &[&str] = &[
    "clusterrole",
    "clusterrolebinding",
    "customresourcedefinition",
    "ingressclass",
    "namespace",
    "node",
    "persistentvolume",
    "priorityclass",
    "storageclass",
];

/// Other names of kinds: short ones, and what they stand for.
#[rustfmt::skip]
const KINDS: &[(&str, &str)] = &[
    ("cj", "cronjob"), ("cm", "configmap"), ("configuration", "configmap"), ("crd", "customresourcedefinition"), ("deploy", "deployment"), ("ds", "daemonset"),
    ("ep", "endpoints"), ("hpa", "horizontalpodautoscaler"), ("ing", "ingress"), ("netpol", "networkpolicy"), ("no", "node"), ("ns", "namespace"),
    ("pdb", "poddisruptionbudget"), ("po", "pod"), ("pv", "persistentvolume"), ("pvc", "persistentvolumeclaim"), ("rs", "replicaset"),
    ("sa", "serviceaccount"), ("sts", "statefulset"), ("svc", "service"),
];

/// Kinds that tools have in their names.
#[rustfmt::skip]
const IN_NAMES: &[&str] = &[
    "configmap", "cronjob", "daemonset", "deployment", "horizontalpodautoscaler", "ingress", "job", "namespace", "networkpolicy", "node", "persistentvolume",
    "persistentvolumeclaim", "pod", "replicaset", "role", "secret", "service", "serviceaccount", "statefulset",
];

/// A kind in full, in the singular and without its group: `deployments.apps` is `deployment`.
fn kind(word: &str) -> String {
    let word = word.split(['.', '/']).next().unwrap_or(word).to_lowercase();
    let full =
        |word: &str| KINDS.iter().find(|(short, _)| *short == word).map(|(_, full)| (*full).to_owned());
    full(&word).unwrap_or_else(|| match word.as_str() {
        "ingresses" => "ingress".to_owned(),
        "networkpolicies" => "networkpolicy".to_owned(),
        other => full(singular(other)).unwrap_or_else(|| singular(other).to_owned()),
    })
}

/// Objects in a cluster, as keys name them: `<cluster>/<namespace>:<kind>/<name>`.
pub(super) fn kube_objects(name: &NameWords, site: Site<'_, '_>) -> Vec<String> {
    let fields = site.params.fields();
    let all = |names: &[&str]| fields.first_named(names).map(|(_, values)| values);
    let first = |names: &[&str]| all(names).and_then(|found| found.into_iter().next());
    let context = first(&["context", "contextname", "kubecontext", "cluster", "clustername", "clusterid"]);
    let folder = site.folder();
    let variable = |name: &str| site.variable(name);
    let place = Place { folder: Path::new(&folder), variable: &variable };
    let known = site.outlook.surroundings().and_then(|found| found.kube(context.as_deref(), &place));
    let (cluster, of_context) = match known {
        Some(target) if target.cluster.is_empty() => (target.context, target.namespace),
        Some(target) => (target.cluster, target.namespace),
        None => (context.unwrap_or_else(|| "current".to_owned()), String::new()),
    };
    let namespace = first(&["namespace", "ns"]).or_else(|| Some(of_context).filter(|name| !name.is_empty()));
    let namespace = namespace.unwrap_or_else(|| "default".to_owned());
    let mut objects: Vec<(String, String, String)> = Vec::new();
    for text in ["resource", "manifest", "manifests", "yaml", "content", "definition"]
        .iter()
        .flat_map(|name| fields.named(name))
    {
        objects.extend(
            in_yaml(&text).map(|(kind, name, own)| (kind, name, own.unwrap_or_else(|| namespace.clone()))),
        );
    }
    if objects.is_empty() {
        let in_name = || {
            let kinds = name.own().map(kind);
            let found = kinds.filter(|kind| IN_NAMES.contains(&kind.as_str())).last();
            // What is scaled or rolled out without a kind is one.
            let is_rolled = || name.own().any(|word| matches!(word, "rollout" | "scale"));
            let found = found.or_else(|| is_rolled().then(|| "deployment".to_owned()));
            found.into_iter().collect::<Vec<_>>()
        };
        let kinds = all(&["resourcetype", "kind", "resourcekind", "type"]).unwrap_or_else(in_name);
        let kinds: Vec<String> = kinds.iter().map(|word| kind(word)).collect();
        let named =
            kinds.iter().find_map(|kind| first(&[&format!("{kind}name"), kind, &format!("{kind}id")]));
        let names = named
            .map(|name| vec![name])
            .or_else(|| all(&["name", "names", "resourcename", "labelselector", "selector"]));
        let names = names.unwrap_or_else(|| vec!["*".to_owned()]);
        for kind in kinds {
            objects.extend(names.iter().map(|name| (kind.clone(), name.clone(), namespace.clone())));
        }
    }
    let key = |(kind, name, namespace): (String, String, String)| match OF_CLUSTER.contains(&kind.as_str()) {
        true => format!("{cluster}:{kind}/{name}"),
        false => format!("{cluster}/{namespace}:{kind}/{name}"),
    };
    objects.into_iter().map(key).collect()
}

/// The objects that manifests describe: kind, name, and the namespace where they name one.
fn in_yaml(text: &str) -> impl Iterator<Item = (String, String, Option<String>)> {
    text.split("\n---").filter_map(|document| {
        let value = |line: &str, name: &str| {
            let value = line.strip_prefix(name)?.strip_prefix(':')?.split(" #").next()?;
            Some(value.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
        };
        let kind_of = document.lines().find_map(|line| value(line, "kind"))?;
        let metadata = document.lines().skip_while(|line| !line.starts_with("metadata:")).skip(1);
        let metadata: Vec<&str> = metadata.take_while(|line| line.starts_with([' ', '\t'])).collect();
        let indent = metadata.first().map_or(0, |line| line.len() - line.trim_start().len());
        let of = |name: &str| metadata.iter().find_map(|line| value(line.get(indent..)?, name));
        Some((kind(&kind_of), of("name").or_else(|| of("generateName"))?, of("namespace")))
    })
}
