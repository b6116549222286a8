//! The package that a folder holds, by what its manifest says.

use std::path::Path;

use serde::Deserialize;

use crate::files::{Files, Kind, Parse};
use crate::place::Place;

/// A `pom.xml` with elements nested deeper is not read.
const MAX_ELEMENTS: usize = 64;

/// Where packages of a kind are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ecosystem {
    /// `package.json`.
    Npm,
    /// `Cargo.toml`.
    Cargo,
    /// `pyproject.toml`, `setup.cfg`.
    Python,
    /// `*.gemspec`.
    Gem,
    /// `settings.gradle`, `settings.gradle.kts`.
    Gradle,
    /// `pom.xml`.
    Maven,
}

#[derive(Debug, Deserialize)]
struct PackageJson {
    name: Option<String>,
}

impl Parse for PackageJson {
    fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// `Cargo.toml` and `pyproject.toml`.
#[derive(Debug, Deserialize)]
struct Manifest {
    package: Option<Named>,
    project: Option<Named>,
    tool: Option<Tool>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    poetry: Option<Named>,
    flit: Option<Flit>,
}

#[derive(Debug, Deserialize)]
struct Flit {
    metadata: Option<FlitMetadata>,
}

#[derive(Debug, Deserialize)]
struct FlitMetadata {
    #[serde(rename = "dist-name")]
    dist_name: Option<String>,
    module: Option<String>,
}

impl Parse for Manifest {
    fn parse(text: &str) -> Option<Self> {
        toml::from_str(text).ok()
    }
}

impl Manifest {
    fn python_name(&self) -> Option<&str> {
        let project = self.project.as_ref().and_then(|project| project.name.as_deref());
        let tool = self.tool.as_ref();
        let poetry = tool.and_then(|tool| tool.poetry.as_ref()).and_then(|poetry| poetry.name.as_deref());
        let flit = tool.and_then(|tool| tool.flit.as_ref()).and_then(|flit| flit.metadata.as_ref());
        let flit = flit.and_then(|flit| flit.dist_name.as_deref().or(flit.module.as_deref()));
        project.or(poetry).or(flit)
    }
}

/// The name that the nearest manifest gives, from the folder upwards; none for a folder that is not there.
pub(crate) fn name(files: &Files, ecosystem: Ecosystem, place: &Place<'_>) -> Option<String> {
    if files.kind(place.folder) != Some(Kind::Folder) {
        return None;
    }
    place.folders().find_map(|folder| name_in(files, ecosystem, folder))
}

/// The name that the manifest in the folder itself gives.
pub(crate) fn name_in(files: &Files, ecosystem: Ecosystem, folder: &Path) -> Option<String> {
    let read_manifest = |name: &str| files.read::<Manifest>(&folder.join(name));
    let read_text = |name: &str| files.read::<String>(&folder.join(name));
    match ecosystem {
        Ecosystem::Npm => files.read::<PackageJson>(&folder.join("package.json"))?.name.clone(),
        Ecosystem::Cargo => read_manifest("Cargo.toml")?.package.as_ref()?.name.clone(),
        Ecosystem::Python => {
            let named = read_manifest("pyproject.toml").and_then(|it| it.python_name().map(str::to_owned));
            let of_setup = || ini_value(&read_text("setup.cfg")?, "metadata", "name");
            // One project in all spellings, by the rules of the Python package index.
            named.or_else(of_setup).map(|name| python_normalized(&name))
        }
        Ecosystem::Gem => gem(files, folder),
        Ecosystem::Gradle => {
            let settings = read_text("settings.gradle").or_else(|| read_text("settings.gradle.kts"))?;
            let line = settings.lines().find(|line| line.trim_start().starts_with("rootProject.name"))?;
            quoted(line)
        }
        Ecosystem::Maven => maven(&read_text("pom.xml")?),
    }
}

/// A gem's name: that of its specification, which lies in a folder with it alone.
fn gem(files: &Files, folder: &Path) -> Option<String> {
    (files.kind(&folder.join("Gemfile")) == Some(Kind::File)
        || files.kind(&folder.join("lib")) == Some(Kind::Folder))
    .then_some(())?;
    let entries = std::fs::read_dir(folder).ok()?.take(1000).flatten();
    let mut specs = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_suffix(".gemspec").map(str::to_owned)
    });
    let first = specs.next()?;
    specs.next().is_none().then_some(first)
}

/// A value of an INI file.
fn ini_value(text: &str, section: &str, name: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            inside = header.strip_suffix(']') == Some(section);
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == name
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

/// The text in the first quotes of a line.
fn quoted(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(['"', '\''])?;
    let (inside, _) = rest.split_once(['"', '\''])?;
    (!inside.is_empty() && !inside.contains('$')).then(|| inside.to_owned())
}

/// `group:artifact` of a project's own element, not of its parent's or its dependencies'.
fn maven(text: &str) -> Option<String> {
    let mut group = None;
    let mut parent_group = None;
    let mut artifact = None;
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        match *open.as_slice() {
            ["project", "groupId"] => group = group.or(Some(before.trim())),
            ["project", "parent", "groupId"] => parent_group = parent_group.or(Some(before.trim())),
            ["project", "artifactId"] => artifact = artifact.or(Some(before.trim())),
            _ => {}
        }
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        let (inside, after) = tag.split_once('>')?;
        rest = after;
        if inside.starts_with(['?', '!']) || inside.ends_with('/') {
            continue;
        }
        if inside.starts_with('/') {
            open.pop();
            continue;
        }
        if open.len() == MAX_ELEMENTS {
            return None;
        }
        open.push(inside.split_whitespace().next().unwrap_or_default());
    }
    let group = group.or(parent_group)?;
    Some(format!("{group}:{}", artifact?))
}

/// `My_Package.x` is `my-package-x`, by PEP 503.
fn python_normalized(name: &str) -> String {
    let mut normalized = String::new();
    for c in name.chars() {
        match c {
            '-' | '_' | '.' if normalized.ends_with('-') => {}
            '-' | '_' | '.' => normalized.push('-'),
            c => normalized.extend(c.to_lowercase()),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn the_nearest_manifest_names_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("packages/a/src");
        std::fs::create_dir_all(&sub).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let place = Place { folder: &sub, variable: &|_| None };
        let told = |ecosystem| name(&Files::default(), ecosystem, &place);
        assert_eq!(told(Ecosystem::Npm), None);
        write("package.json", r#"{"name": "root"}"#);
        write("packages/a/package.json", r#"{"name": "@acme/a", "version": "1"}"#);
        assert_eq!(told(Ecosystem::Npm).unwrap(), "@acme/a");
        assert_eq!(name_in(&Files::default(), Ecosystem::Npm, &sub), None);
        write(
            "Cargo.toml",
            "[package]\nname = \"callosum\"\nversion.workspace = true\n[dependencies]\nserde = \"1\"\n",
        );
        write("packages/a/Cargo.toml", "[workspace]\n");
        assert_eq!(told(Ecosystem::Cargo).unwrap(), "callosum");
        write("setup.cfg", "[metadata]\nname = Old.Name\n[x]\nname = y\n");
        assert_eq!(told(Ecosystem::Python).unwrap(), "old-name");
        write("pyproject.toml", "[tool.poetry]\nname = \"My__Shop\"\n");
        assert_eq!(told(Ecosystem::Python).unwrap(), "my-shop");
        write("settings.gradle.kts", "rootProject.name = \"shop\"\n");
        assert_eq!(told(Ecosystem::Gradle).unwrap(), "shop");
        write("Gemfile", "");
        write("shop.gemspec", "");
        assert_eq!(told(Ecosystem::Gem).unwrap(), "shop");
        let pom = "<?xml version=\"1.0\"?><project xmlns=\"x\"><!-- <artifactId>no</artifactId> --><parent><groupId>org.acme\
                   </groupId><artifactId>up</artifactId></parent><artifactId>shop</artifactId><dependencies><dependency>\
                   <groupId>b</groupId><artifactId>c</artifactId></dependency></dependencies></project>";
        write("pom.xml", pom);
        assert_eq!(told(Ecosystem::Maven).unwrap(), "org.acme:shop");
    }
}
