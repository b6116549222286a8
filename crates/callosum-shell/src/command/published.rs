//! What commands publish: images, packages in files, packages of workspaces; and the stage that a script deploys to.

use super::{Command, Fit};

/// The images that a command writes to a registry, as they are named there.
pub(super) fn images(fit: &Fit<'_, '_>) -> Vec<String> {
    let arguments = fit.arguments();
    let verb = fit.words().last().unwrap_or_default();
    let at = |place: usize| arguments.get(place).copied();
    let tags = || fit.command.values(&["-t", "--tag", "--new_tag"]);
    let one = |image: Option<&str>| image.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let tagged = |image: &str, tag: &str| {
        let image = image.split('@').next().unwrap_or(image);
        let slash = image.rfind('/').unwrap_or(0);
        let end = image.rfind(':').filter(|colon| *colon > slash).unwrap_or(image.len());
        format!("{}:{tag}", image.get(..end).unwrap_or(image))
    };
    let found: Vec<String> = match (fit.command.program(), verb) {
        (_, "tag") => {
            let tags = arguments.get(1..).unwrap_or_default();
            at(0).map(|image| tags.iter().map(|tag| tagged(image, tag)).collect()).unwrap_or_default()
        }
        // The names of services, not of images.
        ("docker-compose" | "podman-compose", _) => Vec::new(),
        (_, "push") if fit.words().any(|word| word == "compose") => Vec::new(),
        ("skopeo" | "regctl", "copy" | "cp" | "sync" | "put") | ("oras", "cp" | "copy") => {
            one(arguments.last().copied())
        }
        ("crane" | "gcrane", "push" | "copy" | "cp") => one(at(1)),
        ("crane" | "gcrane", "append" | "mutate" | "rebase") => {
            let tags = tags();
            if tags.is_empty() { one(at(0)) } else { tags.into_iter().map(str::to_owned).collect() }
        }
        // A second operand is where to: `podman push web docker://quay.io/acme/web`.
        ("podman" | "buildah", "push") => one(at(1).or_else(|| at(0))),
        (_, "build" | "create" | "bake" | "bud") => tags().into_iter().map(str::to_owned).collect(),
        ("executor", _) => {
            fit.command.values(&["-d", "--destination"]).into_iter().map(str::to_owned).collect()
        }
        _ => one(at(0)),
    };
    let bare = |image: String| {
        let image = image.strip_prefix("docker://").unwrap_or(&image);
        image.split("@sha256:").next().unwrap_or(image).to_owned()
    };
    found.into_iter().map(bare).collect()
}

/// Endings of files that hold a package.
const ENDINGS: &[&str] = &[
    ".tar.gz",
    ".tgz",
    ".tar.bz2",
    ".tar.xz",
    ".conda",
    ".whl",
    ".zip",
    ".gem",
    ".snupkg",
    ".nupkg",
    ".snap",
    ".vsix",
    ".src.rock",
    ".rock",
    ".rockspec",
    ".podspec.json",
    ".podspec",
    ".crate",
    ".deb",
    ".rpm",
    ".flatpak",
    ".jar",
    ".aab",
    ".apk",
    ".ipa",
    ".xpi",
    ".crx",
    ".charm",
    ".oxt",
];

/// The packages in the files among the arguments, by their names: without folder, version, platform and ending.
pub(super) fn artifacts(fit: &Fit<'_, '_>) -> Vec<String> {
    fit.arguments().into_iter().filter_map(artifact).collect()
}

fn artifact(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    let is_begun = |rest: &str| {
        // A version, or what stands for one.
        let rest = rest.strip_prefix('v').unwrap_or(rest);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest.starts_with(['$', '*'])
            || digits > 0
                && rest
                    .get(digits..)
                    .is_none_or(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_', '*']))
    };
    let whole = stem.or_else(|| name.contains(['*', '$']).then_some(name))?;
    let version = whole
        .char_indices()
        .find(|(at, c)| matches!(c, '-' | '_' | '.') && whole.get(at + 1..).is_some_and(is_begun));
    let found = version.and_then(|(at, _)| whole.get(..at)).unwrap_or(whole);
    (!found.is_empty() && !found.contains(['*', '$', '?', '['])).then(|| found.to_owned())
}

/// The packages of a workspace that options name.
pub(super) fn workspaces(command: &Command<'_>) -> Vec<String> {
    let options: &[&str] = match command.program() {
        "npm" => &["-w", "--workspace"],
        "pnpm" | "bun" | "turbo" => &["-F", "--filter"],
        "cargo" | "uv" => &["-p", "--package"],
        _ => &[],
    };
    let is_name = |name: &&str| {
        !name.starts_with(['.', '/', '{', '!', '*']) && (name.starts_with('@') || !name.contains('/'))
    };
    command.values(options).into_iter().filter(is_name).map(str::to_owned).collect()
}

impl Fit<'_, '_> {
    /// The folder of the package that is published, where the command names another than the one it runs in.
    pub fn package_folder(&self) -> Option<String> {
        let command = self.command;
        let option = |names: &[&str]| command.values(names).last().copied();
        let parent = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let named = match command.program() {
            "cargo" => option(&["--manifest-path"]).and_then(parent),
            "npm" | "pnpm" | "yarn" | "bun" => {
                let is_folder = |path: &&str| !ENDINGS.iter().any(|ending| path.ends_with(ending));
                let argument = self.arguments().into_iter().next().filter(is_folder);
                let workspace = option(&["-w", "--workspace", "-F", "--filter"]);
                let workspace = workspace.filter(|path| path.contains('/') && !path.starts_with('@'));
                argument.or(workspace).map(str::to_owned)
            }
            "mvn" | "mvnw" => {
                let file = option(&["-f", "--file"]);
                file.and_then(
                    |file| if file.ends_with(".xml") { parent(file) } else { Some(file.to_owned()) },
                )
            }
            "twine" => {
                let argument = self.arguments().into_iter().next()?;
                argument.rfind("/dist/").and_then(|at| argument.get(..at)).map(str::to_owned)
            }
            _ => None,
        }?;
        let path = named.trim_end_matches('/').trim_start_matches("./");
        (!path.is_empty() && path != "." && !path.contains(['$', '*', '{'])).then(|| path.to_owned())
    }
}

/// Words that say what is done, not where to.
const VERBS: &[&str] = &[
    "deploy", "release", "publish", "ship", "rollout", "rollback", "run", "all", "up", "now", "main",
    "start", "upload", "push",
];
/// Names of stages.
const STAGES: &[&str] = &[
    "prod",
    "production",
    "prd",
    "live",
    "staging",
    "stage",
    "stg",
    "dev",
    "development",
    "test",
    "testing",
    "qa",
    "uat",
    "preview",
    "canary",
    "beta",
    "alpha",
    "demo",
    "sandbox",
    "preprod",
    "pre-prod",
    "int",
    "integration",
    "testnet",
    "mainnet",
];
/// Whether a word is the name of a stage.
#[must_use]
pub fn is_stage(word: &str) -> bool {
    STAGES.contains(&word)
}

/// Variables and arguments that name one.
const STAGE_NAMES: &[&str] = &[
    "ENV",
    "STAGE",
    "ENVIRONMENT",
    "DEPLOY_ENV",
    "TARGET_ENV",
    "APP_ENV",
    "DEPLOY_TARGET",
    "TARGET",
    "env",
    "stage",
    "environment",
    "target",
];

/// The stage that a script deploys to: `prod` of `deploy.sh prod`, `make deploy ENV=prod`, `--stage prod`, `deploy:prod`.
pub(super) fn stage(fit: &Fit<'_, '_>) -> Option<String> {
    let command = fit.command;
    let option = command.values(&[
        "--stage",
        "--env",
        "--environment",
        "--target",
        "--configuration",
        "-Environment",
        "-Env",
        "-Stage",
        "-e",
        "--destination",
    ]);
    let named = |word: &str| {
        let (name, value) = word.split_once('=')?;
        STAGE_NAMES.contains(&name).then(|| value.to_owned())
    };
    let variable = || {
        let mut set = command.invocation.variables.iter().rev();
        set.find(|(name, _)| STAGE_NAMES.contains(&name.as_str())).map(|(_, value)| value.clone())
    };
    let words = || std::iter::once(command.program()).chain(command.plain());
    let is_name = |word: &str| {
        !word.is_empty()
            && word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    let is_verb = |word: &str| {
        VERBS.iter().any(|verb| {
            word.strip_prefix(verb).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
        }) || word.contains([':', '='])
    };
    // Other targets stand beside the one that deploys; beside a release stands its version.
    let releases = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        ["release", "publish"].iter().any(|verb| name.starts_with(verb))
    };
    let has_targets = words().any(releases)
        || matches!(
            command.program(),
            "make" | "gmake" | "rake" | "ninja" | "nx" | "turbo" | "npm" | "pnpm" | "yarn" | "bun"
        );
    let is_stage = |word: &&str| is_name(word) && !is_verb(word) && (!has_targets || STAGES.contains(word));
    let operand = || fit.arguments().into_iter().find(is_stage).map(str::to_owned);
    let found = option.last().map(|value| (*value).to_owned());
    let found = found.or_else(|| command.plain().find_map(named)).or_else(|| words().find_map(of_name));
    found.or_else(operand).or_else(variable).filter(|stage| !stage.is_empty())
}

/// The stage at the end of a script's name: `deploy:prod`, `deploy-staging.sh`, `deploy[prod]`.
fn of_name(name: &str) -> Option<String> {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.split('.').next().unwrap_or(name);
    if let Some((verb, stage)) = name.split_once('[') {
        return VERBS.contains(&verb).then(|| stage.trim_end_matches(']').to_owned());
    }
    let (verb, stage) = name.split_once([':', '-', '_'])?;
    let stage = stage.strip_prefix("to-").or_else(|| stage.strip_prefix("to_")).unwrap_or(stage);
    (VERBS.contains(&verb) && (name.contains(':') || STAGES.contains(&stage))).then(|| stage.to_owned())
}

#[cfg(test)]
mod tests {
    use super::artifact;

    #[test]
    fn a_package_is_named_without_version_platform_and_ending() {
        for (path, name) in [
            ("dist/acme_tools-1.2.0-py3-none-any.whl", Some("acme_tools")),
            ("bin/Release/acme.core.1.2.0.nupkg", Some("acme.core")),
            ("acme-app_1.4.0_amd64.snap", Some("acme-app")),
            ("acme.shop-tools-1.2.0.vsix", Some("acme.shop-tools")),
            ("acme-2d-v1.0.0.tgz", Some("acme-2d")),
            ("shop-$VERSION.tgz", Some("shop")),
            ("dist/acme-*.tar.gz", Some("acme")),
            ("AcmeKit.podspec", Some("AcmeKit")),
            ("acme-1.0-1.rockspec", Some("acme")),
            ("dist/*", None),
            ("dist", None),
        ] {
            assert_eq!(artifact(path).as_deref(), name, "{path}");
        }
    }
}
