//! Where Terraform and OpenTofu keep what they manage.

use serde_json::Value;

use crate::files::{Files, Parse};
use crate::place::Place;

/// The state that an `apply` changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The backend with what tells it from others (`s3/bucket/path`); empty for a state in the folder itself.
    pub backend: String,
    /// The workspace; `default` when none was chosen.
    pub workspace: String,
}

/// What `terraform init` wrote down of the backend.
struct Initialised {
    backend: String,
}

impl Parse for Initialised {
    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let backend = value.get("backend")?;
        let kind = backend.get("type").and_then(Value::as_str)?;
        /// What names a state, in the backends' own words.
        const NAMES: [&str; 14] = [
            "hostname",
            "organization",
            "workspaces",
            "storage_account_name",
            "container_name",
            "bucket",
            "prefix",
            "key",
            "address",
            "path",
            "schema_name",
            "namespace",
            "secret_suffix",
            "resource_group_name",
        ];
        let mut parts = vec![kind.to_owned()];
        let config = backend.get("config");
        for name in NAMES {
            match config.and_then(|config| config.get(name)) {
                Some(Value::String(text)) if !text.is_empty() => {
                    parts.push(text.trim_matches('/').to_owned());
                }
                Some(Value::Array(list)) => {
                    parts.extend(list.iter().filter_map(|one| one.get("name")?.as_str().map(str::to_owned)));
                }
                Some(Value::Object(one)) => {
                    parts.extend(one.get("name").and_then(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
        }
        Some(Self { backend: parts.join("/") })
    }
}

/// The state of the folder.
pub(crate) fn state(files: &Files, place: &Place<'_>) -> Option<State> {
    let data = place.path(place.var("TF_DATA_DIR").as_deref().unwrap_or(".terraform"));
    let backend = files.read::<Initialised>(&data.join("terraform.tfstate"));
    let chosen = || files.read::<String>(&data.join("environment")).map(|name| name.trim().to_owned());
    let workspace = place.var("TF_WORKSPACE").or_else(chosen).filter(|name| !name.is_empty());
    if backend.is_none() && workspace.is_none() {
        return None;
    }
    let backend =
        backend.map(|backend| backend.backend.clone()).filter(|backend| !backend.starts_with("local"));
    Some(State {
        backend: backend.unwrap_or_default(),
        workspace: workspace.unwrap_or_else(|| "default".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn two_clones_with_one_backend_meet() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join(".terraform");
        std::fs::create_dir(&data).unwrap();
        let place = Place { folder: folder.path(), variable: &|_| None };
        assert_eq!(state(&Files::default(), &place), None);
        std::fs::write(data.join("environment"), "prod\n").unwrap();
        let text = r#"{"version":3,"backend":{"type":"s3","config":{"bucket":"acme-tf","key":"shop/state","region":null}}}"#;
        std::fs::write(data.join("terraform.tfstate"), text).unwrap();
        let told = state(&Files::default(), &place).unwrap();
        assert_eq!(told, State { backend: "s3/acme-tf/shop/state".to_owned(), workspace: "prod".to_owned() });
    }
}
