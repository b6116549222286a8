//! The daemon that Docker's commands talk to.

use serde::Deserialize;

use crate::files::{Files, Parse};
use crate::place::Place;

#[derive(Debug, Deserialize)]
struct DockerConfig {
    #[serde(rename = "currentContext")]
    current_context: Option<String>,
}

impl Parse for DockerConfig {
    fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// By `DOCKER_HOST`, `DOCKER_CONTEXT` and the configuration: a host's address, or the name of a context.
pub(crate) fn daemon(files: &Files, place: &Place<'_>) -> Option<String> {
    let of_config = || {
        let folder = place.var("DOCKER_CONFIG").map(|folder| place.path(&folder));
        let folder = folder.or_else(|| place.home().map(|home| home.join(".docker")))?;
        files.read::<DockerConfig>(&folder.join("config.json"))?.current_context.clone()
    };
    let daemon = place.var("DOCKER_HOST").or_else(|| place.var("DOCKER_CONTEXT")).or_else(of_config)?;
    let is_here = matches!(daemon.as_str(), "default" | "desktop-linux") || daemon.starts_with("unix:");
    (!is_here).then_some(daemon)
}
