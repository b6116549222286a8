//! Commands that set what later ones of the same line act on: `kubectl config use-context`, `terraform workspace select`, `git switch -c`.

/// The variable, which no environment has, that holds the folder of Git's hooks.
pub(super) const HOOKS_PATH: &str = "git hooks";

/// What a command sets for those behind it: a variable of the environment that they read, or one with a blank in its name, which no
/// environment has, where their program keeps it in a file.
pub(super) fn set_by(program: &str, words: &[String]) -> Option<(String, String)> {
    let plain: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let option = |names: &[&str]| {
        words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
            Some((name, value)) if names.contains(&name) => Some(value.to_owned()),
            _ if names.contains(&word.as_str()) => words.get(at + 1).cloned(),
            _ => None,
        })
    };
    let named = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
    match (program, plain.as_slice()) {
        ("terraform" | "tofu" | "terragrunt", ["workspace", "select" | "new", name, ..]) => {
            named("TF_WORKSPACE", name)
        }
        ("pulumi", ["stack", "select" | "init", name, ..]) => named("PULUMI_STACK", name),
        ("kubectl" | "oc", ["config", "use-context" | "use", name]) | ("kubectx", [name]) => {
            named("kube context", name)
        }
        ("kubectl" | "oc", ["config", "set-context", ..]) => {
            Some(("kube namespace".to_owned(), option(&["--namespace", "-n"])?))
        }
        ("kubens", [name]) | ("oc", ["project", name]) => named("kube namespace", name),
        ("docker", ["context", "use", name]) => named("DOCKER_CONTEXT", name),
        ("gcloud", ["config", "set", setting, value]) => {
            let name = match *setting {
                "project" | "core/project" => "CLOUDSDK_CORE_PROJECT",
                "compute/region" => "CLOUDSDK_COMPUTE_REGION",
                "compute/zone" => "CLOUDSDK_COMPUTE_ZONE",
                "run/region" => "CLOUDSDK_RUN_REGION",
                _ => return None,
            };
            named(name, value)
        }
        ("az", ["account", "set", ..]) => {
            Some(("az subscription".to_owned(), option(&["-s", "--subscription", "-n", "--name"])?))
        }
        ("gh", ["repo", "set-default", name]) => named("GH_REPO", name),
        ("doppler", ["setup", ..]) => Some(("DOPPLER_PROJECT".to_owned(), option(&["-p", "--project"])?)),
        ("supabase", ["link", ..]) => Some(("link supabase".to_owned(), option(&["--project-ref"])?)),
        ("firebase", ["use", name]) => named("link firebase", name),
        ("vercel" | "vc", ["link", ..]) => Some(("link vercel".to_owned(), option(&["-p", "--project"])?)),
        ("netlify", ["link", ..]) => Some(("link netlify".to_owned(), option(&["--id", "--name"])?)),
        ("heroku", ["git:remote", ..]) => Some(("link heroku".to_owned(), option(&["-a", "--app"])?)),
        ("git", ["remote", "set-url" | "add", name, address, ..]) => {
            named(&format!("git remote {name}"), address)
        }
        ("git", ["config", name, folder]) if name.eq_ignore_ascii_case("core.hooksPath") => {
            named(HOOKS_PATH, folder)
        }
        ("git", ["checkout" | "switch", ..]) => {
            let new = option(&["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"]);
            let is_path = |name: &str| {
                let ending = name.rsplit_once('.').map(|(_, ending)| ending);
                name.starts_with(['.', '/', '~', '$'])
                    || name.contains('*')
                    || ending.is_some_and(|ending| {
                        !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
                    })
            };
            let other = match plain.as_slice() {
                [_, name]
                    if !words.iter().any(|word| word == "--" || word == "--detach") && !is_path(name) =>
                {
                    Some((*name).to_owned())
                }
                _ => None,
            };
            Some(("git branch".to_owned(), new.or(other)?))
        }
        _ => None,
    }
}
