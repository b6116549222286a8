//! The places of `tests/reach/places.json`, laid out as real folders with real repositories.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{Classification, RuleSet, World};
use serde_json::{Map, Value};
use tempfile::TempDir;

/// Where the corpora's home folder is.
const HOME: &str = "/home/me";

/// Folders laid out for one run; all below one home.
pub(super) struct Places {
    home: TempDir,
    folders: BTreeMap<String, String>,
    kube: BTreeMap<String, String>,
    /// One for each place: they differ in the cluster that is configured.
    worlds: BTreeMap<String, World>,
}

/// One of them.
pub(super) struct Place<'a> {
    places: &'a Places,
    name: &'a str,
}

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

impl Places {
    pub(super) fn laid(list: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        let list: BTreeMap<String, Value> = serde_json::from_str(&fs::read_to_string(list).unwrap()).unwrap();
        let mut places =
            Self { home, folders: BTreeMap::new(), kube: BTreeMap::new(), worlds: BTreeMap::new() };
        for (name, place) in list.iter().filter(|(_, place)| place.is_object()) {
            places.lay(name, place);
        }
        for name in places.folders.keys() {
            places.worlds.insert(name.clone(), places.world(name, &Map::new()));
        }
        places
    }

    fn root(&self) -> &str {
        self.home.path().to_str().unwrap()
    }

    fn lay(&mut self, name: &str, place: &Value) {
        let folder = text(place, "/folder").unwrap().replace(HOME, self.root());
        let write = |file: &str, text: String| {
            let path = Path::new(&folder).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        fs::create_dir_all(&folder).unwrap();
        if let Some(branch) = text(place, "/git/branch") {
            git(Path::new(&folder), &["init", "-q", "-b", branch]);
            for (remote, url) in place["git"]["remotes"].as_object().unwrap() {
                git(Path::new(&folder), &["remote", "add", remote, url.as_str().unwrap()]);
            }
        }
        if let Some(package) = text(place, "/npm") {
            write("package.json", format!("{{\"name\": \"{package}\"}}"));
        }
        if let Some(package) = text(place, "/cargo") {
            write("Cargo.toml", format!("[package]\nname = \"{package}\"\nversion = \"0.1.0\"\n"));
        }
        if let Some(package) = text(place, "/python") {
            write("pyproject.toml", format!("[project]\nname = \"{package}\"\n"));
        }
        if let Some(package) = text(place, "/gem") {
            write(
                &format!("{package}.gemspec"),
                format!("Gem::Specification.new do |spec|\n  spec.name = \"{package}\"\nend\n"),
            );
        }
        if let Some((group, artifact)) = text(place, "/maven").and_then(|name| name.split_once(':')) {
            let pom =
                format!("<project><groupId>{group}</groupId><artifactId>{artifact}</artifactId></project>");
            write("pom.xml", pom);
        }
        if let Some(project) = text(place, "/compose") {
            write("compose.yaml", format!("name: {project}\nservices: {{}}\n"));
        }
        for (service, project) in place["links"].as_object().into_iter().flatten() {
            let project = project.as_str().unwrap();
            match service.as_str() {
                "vercel" => write(".vercel/project.json", format!("{{\"projectId\": \"{project}\"}}")),
                "fly" => write("fly.toml", format!("app = \"{project}\"\n")),
                "wrangler" => write("wrangler.toml", format!("name = \"{project}\"\n")),
                "firebase" => {
                    write(".firebaserc", format!("{{\"projects\": {{\"default\": \"{project}\"}}}}"));
                }
                "supabase" => write("supabase/.temp/project-ref", project.to_owned()),
                "heroku" => git(
                    Path::new(&folder),
                    &["remote", "add", "heroku", &format!("https://git.heroku.com/{project}.git")],
                ),
                "netlify" => write(".netlify/state.json", format!("{{\"siteId\": \"{project}\"}}")),
                other => panic!("no link for {other}"),
            }
        }
        if let Some(backend) = text(place, "/terraform/backend") {
            let (kind, rest) = backend.split_once('/').unwrap();
            let (bucket, key) = rest.split_once('/').unwrap();
            let state = serde_json::json!({
                "backend": { "type": kind, "config": { "bucket": bucket, "key": key } }
            });
            write(".terraform/terraform.tfstate", state.to_string());
        }
        if let Some(context) = text(place, "/kube/context") {
            let (cluster, namespace) = (text(place, "/kube/cluster"), text(place, "/kube/namespace"));
            let (cluster, namespace) = (cluster.unwrap(), namespace.unwrap());
            let config = format!(
                "current-context: {context}\nclusters:\n- name: c\n  cluster:\n    server: https://{cluster}\ncontexts:\n- \
                 name: {context}\n  context:\n    cluster: c\n    namespace: {namespace}\n"
            );
            let path = self.home.path().join(format!("{name}.kubeconfig"));
            fs::write(&path, config).unwrap();
            self.kube.insert(name.to_owned(), path.to_str().unwrap().to_owned());
        }
        self.folders.insert(name.to_owned(), folder);
    }

    fn world(&self, name: &str, env: &Map<String, Value>) -> World {
        let mut variables = BTreeMap::from([("HOME".to_owned(), self.root().to_owned())]);
        if let Some(path) = self.kube.get(name) {
            variables.insert("KUBECONFIG".to_owned(), path.clone());
        }
        for (name, value) in env {
            variables.insert(name.clone(), self.inside(value.as_str().unwrap()));
        }
        World::with_environment(variables)
    }

    pub(super) fn named<'a>(&'a self, name: &'a str) -> Place<'a> {
        assert!(self.folders.contains_key(name), "no place {name}");
        Place { places: self, name }
    }

    fn inside(&self, text: &str) -> String {
        text.replace(HOME, self.root())
    }
}

impl Place<'_> {
    pub(super) fn folder(&self) -> String {
        self.places.folders[self.name].clone()
    }

    /// A command of the corpora with this home for theirs.
    pub(super) fn as_here(&self, command: &str) -> String {
        self.places.inside(command)
    }

    pub(super) fn params(&self, params: &Value) -> Value {
        serde_json::from_str(&self.places.inside(&params.to_string())).unwrap()
    }

    /// A key with the corpora's home for this one.
    pub(super) fn as_in_corpus(&self, key: &str) -> String {
        key.replace(self.places.root(), HOME)
    }

    pub(super) fn classify(
        &self,
        rules: &RuleSet,
        call: &ToolCall,
        params: &Value,
        env: &Map<String, Value>,
    ) -> Classification {
        if env.is_empty() {
            rules.classify(call, "openclaw", params, &self.places.worlds[self.name])
        } else {
            rules.classify(call, "openclaw", params, &self.places.world(self.name, env))
        }
    }
}
