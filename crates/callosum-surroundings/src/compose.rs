//! Projects of Docker Compose.

use std::path::PathBuf;

use crate::files::{Files, Kind, Parse};
use crate::place::Place;
use crate::yaml::walk;

/// The files that Compose looks for, in its order.
const NAMES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

struct ComposeFile {
    name: Option<String>,
}

impl Parse for ComposeFile {
    fn parse(text: &str) -> Option<Self> {
        let mut name = None;
        walk(text, &mut |path, value| {
            if path.len() == 1 && path.first().is_some_and(|key| key == "name") {
                name = Some(value.to_owned());
            }
        })?;
        Some(Self { name })
    }
}

/// The project's name: `COMPOSE_PROJECT_NAME`, what the file says, or the name of the folder it lies in.
pub(crate) fn project(files: &Files, named: &[&str], place: &Place<'_>) -> Option<String> {
    if let Some(name) = place.var("COMPOSE_PROJECT_NAME") {
        return Some(normalized(&name));
    }
    let of_environment = place.var("COMPOSE_FILE");
    let first =
        named.first().copied().or_else(|| of_environment.as_deref().and_then(|list| list.split(':').next()));
    let path: PathBuf = match first {
        Some(path) => place.path(path),
        None => place.folders().find_map(|folder| {
            NAMES.iter().map(|name| folder.join(name)).find(|path| files.kind(path) == Some(Kind::File))
        })?,
    };
    let said = files.read::<ComposeFile>(&path).and_then(|file| file.name.clone());
    // `${NAME:-x}` stands for what only Compose works out.
    let said = said.filter(|name| !name.contains('$'));
    let folder = || path.parent()?.file_name().map(|name| name.to_string_lossy().into_owned());
    said.or_else(folder).map(|name| normalized(&name)).filter(|name| !name.is_empty())
}

/// As Compose writes it: lower case, letters, digits, `-` and `_`, beginning with a letter or digit.
fn normalized(name: &str) -> String {
    let name = name.to_lowercase();
    let kept: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    kept.trim_start_matches(['-', '_']).to_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_name_is_said_or_that_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let app = folder.path().join("My.App");
        std::fs::create_dir_all(app.join("sub")).unwrap();
        std::fs::write(app.join("compose.yaml"), "services: {}\n").unwrap();
        std::fs::write(app.join("other.yml"), "name: Shop\nservices: {web: {name: x}}\n").unwrap();
        let sub = app.join("sub");
        let place = Place { folder: &sub, variable: &|_| None };
        let files = Files::default();
        assert_eq!(project(&files, &[], &place).unwrap(), "myapp");
        assert_eq!(project(&files, &["../other.yml"], &place).unwrap(), "shop");
        let place = Place {
            folder: &sub,
            variable: &|name| (name == "COMPOSE_PROJECT_NAME").then(|| "X".to_owned()),
        };
        assert_eq!(project(&files, &[], &place).unwrap(), "x");
    }
}
