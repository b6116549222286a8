//! Folders that are linked to a project of a hosting service.

use serde::Deserialize;
use serde_json::Value;

use crate::files::{Files, Parse};
use crate::git::Repository;
use crate::place::Place;

/// A hosting service whose command line links folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// `.vercel/project.json`.
    Vercel,
    /// `fly.toml`.
    Fly,
    /// `wrangler.toml`, `wrangler.jsonc`, `wrangler.json`.
    Wrangler,
    /// `.firebaserc`.
    Firebase,
    /// `supabase/.temp/project-ref`.
    Supabase,
    /// A Git remote called `heroku`.
    Heroku,
    /// `.netlify/state.json`.
    Netlify,
}

struct Json(Value);

impl Parse for Json {
    fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }
}

#[derive(Debug, Deserialize)]
struct NamedToml {
    app: Option<String>,
    name: Option<String>,
}

impl Parse for NamedToml {
    fn parse(text: &str) -> Option<Self> {
        toml::from_str(text).ok()
    }
}

/// The name or id of the project that the nearest link names, from the folder upwards.
pub(crate) fn project(files: &Files, service: Service, place: &Place<'_>) -> Option<String> {
    let set = match service {
        Service::Vercel => place.var("VERCEL_PROJECT_ID"),
        Service::Fly => place.var("FLY_APP"),
        Service::Supabase => place.var("SUPABASE_PROJECT_ID"),
        Service::Heroku => place.var("HEROKU_APP"),
        Service::Netlify => place.var("NETLIFY_SITE_ID"),
        Service::Wrangler | Service::Firebase => None,
    };
    if set.is_some() {
        return set;
    }
    if service == Service::Heroku {
        let repository = Repository::around(files, place)?;
        let address = repository.address_of("heroku")?;
        let name = address.rsplit(['/', ':']).next()?;
        return Some(name.strip_suffix(".git").unwrap_or(name).to_owned());
    }
    place.folders().find_map(|folder| {
        let json = |name: &str, path: &[&str]| -> Option<String> {
            let file = files.read::<Json>(&folder.join(name))?;
            let found = path.iter().try_fold(&file.0, |value, key| value.get(key))?;
            found.as_str().map(str::to_owned)
        };
        match service {
            Service::Vercel => json(".vercel/project.json", &["projectId"]),
            Service::Fly => files.read::<NamedToml>(&folder.join("fly.toml"))?.app.clone(),
            Service::Wrangler => {
                let toml = files.read::<NamedToml>(&folder.join("wrangler.toml"));
                let toml = toml.and_then(|file| file.name.clone());
                toml.or_else(|| json("wrangler.json", &["name"]))
                    .or_else(|| json("wrangler.jsonc", &["name"]))
            }
            Service::Firebase => json(".firebaserc", &["projects", "default"]),
            Service::Supabase => {
                let reference = files.read::<String>(&folder.join("supabase/.temp/project-ref"))?;
                Some(reference.trim().to_owned()).filter(|name| !name.is_empty())
            }
            Service::Netlify => json(".netlify/state.json", &["siteId"]),
            Service::Heroku => None,
        }
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn each_service_finds_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let sub = folder.path().join("src");
        std::fs::create_dir(&sub).unwrap();
        let place = Place { folder: &sub, variable: &|_| None };
        let all = [
            (Service::Vercel, ".vercel/project.json", r#"{"projectId": "prj_1", "orgId": "o"}"#, "prj_1"),
            (Service::Fly, "fly.toml", "app = \"shop\"\n[build]\nname = 3\n", "shop"),
            (Service::Wrangler, "wrangler.toml", "name = \"edge\"\nmain = \"x\"\n", "edge"),
            (Service::Firebase, ".firebaserc", r#"{"projects": {"default": "acme-shop"}}"#, "acme-shop"),
            (Service::Supabase, "supabase/.temp/project-ref", "abcd\n", "abcd"),
            (Service::Netlify, ".netlify/state.json", r#"{"siteId": "s-1"}"#, "s-1"),
            (
                Service::Heroku,
                ".git/config",
                "[remote \"heroku\"]\nurl = https://git.heroku.com/acme.git\n",
                "acme",
            ),
        ];
        for (service, name, text, project_name) in all {
            assert_eq!(project(&Files::default(), service, &place), None, "{service:?}");
            write(name, text);
            if service == Service::Heroku {
                write(".git/HEAD", "ref: refs/heads/main\n");
            }
            assert_eq!(project(&Files::default(), service, &place).unwrap(), project_name);
        }
    }
}
