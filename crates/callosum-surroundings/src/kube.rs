//! The cluster that Kubernetes' programs act on.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::files::{Files, Parse};
use crate::place::Place;
use crate::yaml::walk;

/// At most this many files of `KUBECONFIG` are read.
const MAX_FILES: usize = 16;

/// What a context stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The address of the API server without its scheme: it is the same whatever the context is called. Empty when the
    /// configuration does not say.
    pub cluster: String,
    /// The name of the context.
    pub context: String,
    /// The namespace; empty for the default one.
    pub namespace: String,
}

/// What one file of configuration says.
#[derive(Debug, Default)]
struct Kubeconfig {
    current: Option<String>,
    contexts: FxHashMap<String, Context>,
    servers: FxHashMap<String, String>,
}

#[derive(Clone, Debug, Default)]
struct Context {
    cluster: String,
    namespace: String,
}

impl Parse for Kubeconfig {
    fn parse(text: &str) -> Option<Self> {
        let mut config = Self::default();
        // An entry's fields come in any order: its name may stand behind them.
        let mut entries: FxHashMap<(bool, String), (String, Context, String)> = FxHashMap::default();
        walk(text, &mut |path, value| {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            match *path.as_slice() {
                ["current-context"] if !value.is_empty() => config.current = Some(value.to_owned()),
                [list @ ("contexts" | "clusters"), number, ref field @ ..] => {
                    let entry = entries.entry((list == "contexts", number.to_owned())).or_default();
                    match *field {
                        ["name"] => value.clone_into(&mut entry.0),
                        ["context", "cluster"] => value.clone_into(&mut entry.1.cluster),
                        ["context", "namespace"] => value.clone_into(&mut entry.1.namespace),
                        ["cluster", "server"] => value.clone_into(&mut entry.2),
                        _ => {}
                    }
                }
                _ => {}
            }
        })?;
        for ((is_context, _), (name, context, server)) in entries {
            if is_context {
                config.contexts.insert(name, context);
            } else {
                config.servers.insert(name, server);
            }
        }
        Some(config)
    }
}

/// The target of a context, or of the current one. Of several files, the first that says something counts.
pub(crate) fn target(files: &Files, context: Option<&str>, place: &Place<'_>) -> Option<Target> {
    let paths: Vec<PathBuf> = match place.var("KUBECONFIG") {
        Some(list) => list
            .split(':')
            .filter(|path| !path.is_empty())
            .map(|path| place.path(path))
            .take(MAX_FILES)
            .collect(),
        None => vec![place.home()?.join(".kube/config")],
    };
    let configs: Vec<Arc<Kubeconfig>> = paths.iter().filter_map(|path| files.read(path)).collect();
    let current = || configs.iter().find_map(|config| config.current.clone());
    let name = context.map(str::to_owned).or_else(current)?;
    let found = configs.iter().find_map(|config| config.contexts.get(&name)).cloned().unwrap_or_default();
    let server = configs.iter().find_map(|config| config.servers.get(&found.cluster));
    Some(Target {
        cluster: server.map(|server| host(server)).unwrap_or_default(),
        context: name,
        namespace: if found.namespace == "default" { String::new() } else { found.namespace },
    })
}

/// `host:port/path` of a server's address.
fn host(server: &str) -> String {
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    let rest = rest.trim_end_matches('/');
    rest.strip_suffix(":443").unwrap_or(rest).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn files_are_merged_and_the_first_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "a",
            "current-context: prod\ncontexts:\n- context: {cluster: c1, namespace: shop, user: u}\n  name: prod\n",
        );
        write(
            "b",
            "current-context: other\nclusters:\n- name: c1\n  cluster:\n    server: https://K8s.example:443/\n\
             contexts:\n- name: dev\n  context:\n    cluster: none\n    namespace: default\n",
        );
        let variable = |name: &str| (name == "KUBECONFIG").then(|| "a::b".to_owned());
        let place = Place { folder: folder.path(), variable: &variable };
        let files = Files::default();
        let prod = target(&files, None, &place).unwrap();
        assert_eq!(
            (prod.cluster.as_str(), prod.context.as_str(), prod.namespace.as_str()),
            ("k8s.example", "prod", "shop")
        );
        let dev = target(&files, Some("dev"), &place).unwrap();
        assert_eq!((dev.cluster.as_str(), dev.namespace.as_str()), ("", ""));
        assert_eq!(target(&files, Some("gone"), &place).unwrap().context, "gone");
    }
}
