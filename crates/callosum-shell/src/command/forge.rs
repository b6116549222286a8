//! What `gh` and `glab` act on: `owner/repo#number`.

use super::Fit;

/// What they act on, without the forge's name: `acme/app#12`, `gist#abc`, `acme/app`.
pub(super) fn targets(fit: &Fit<'_, '_>) -> Vec<String> {
    let mut words = fit.command.plain();
    let (noun, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let argument = fit.arguments().first().copied();
    if noun == "api" {
        return fit.command.requests().iter().map(|request| of_path(&request.path)).collect();
    }
    let by_url = argument.and_then(of_url);
    let numbers: Vec<&str> = fit.arguments().into_iter().filter(|word| is_number(word)).collect();
    if numbers.len() > 1 {
        // `gh issue edit 23 34`
        return numbers
            .iter()
            .map(|number| format!("{}#{}", repository(fit), number.trim_start_matches(['#', '!'])))
            .collect();
    }
    let target = match noun {
        "repo" | "project" => match argument.filter(|name| !name.starts_with('-')) {
            Some(name) => repository_name(name),
            None => repository(fit),
        },
        "gist" | "snippet" if matches!(verb, "create" | "new") => format!("{noun}#new"),
        "gist" => format!(
            "gist#{}",
            by_url.map(|(_, item)| item).or(argument.map(str::to_owned)).unwrap_or_else(|| "new".to_owned())
        ),
        _ => {
            let made = matches!(verb, "create" | "new") && !matches!(noun, "release" | "label");
            let (of_url, item) = match by_url {
                Some((repository, item)) => (Some(repository), item),
                None if made => (None, "new".to_owned()),
                None => (
                    None,
                    argument.map_or_else(
                        || "unknown".to_owned(),
                        |item| item.trim_start_matches(['#', '!']).to_owned(),
                    ),
                ),
            };
            format!("{}#{item}", of_url.unwrap_or_else(|| repository(fit)))
        }
    };
    vec![target]
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['#', '!']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The repository that an option or a variable names; else nothing, and the folder stands for it.
fn repository(fit: &Fit<'_, '_>) -> String {
    let option = fit.command.values(&["-R", "--repo"]).last().copied();
    let variable = fit
        .command
        .invocation
        .variables
        .iter()
        .find(|(name, _)| matches!(name.as_str(), "GH_REPO" | "GITLAB_REPO"));
    option.or(variable.map(|(_, value)| value.as_str())).map(repository_name).unwrap_or_default()
}

/// `owner/repo` of whatever names a repository.
fn repository_name(name: &str) -> String {
    let path =
        name.split_once("://").map_or(name, |(_, rest)| rest.split_once('/').map_or(rest, |(_, path)| path));
    let path = path.strip_prefix("git@").and_then(|rest| rest.split_once(':')).map_or(path, |(_, path)| path);
    // `github.com/owner/repo`
    let path = match path.split_once('/') {
        Some((host, rest)) if host.contains('.') && rest.contains('/') => rest,
        _ => path,
    };
    path.trim_end_matches('/').trim_end_matches(".git").to_owned()
}

/// Repository and item of `https://github.com/owner/repo/pull/12`.
fn of_url(url: &str) -> Option<(String, String)> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (host, path) = rest.split_once('/')?;
    if host.starts_with("gist.") {
        return Some(("gist".to_owned(), path.rsplit('/').next().unwrap_or(path).to_owned()));
    }
    const KINDS: &[&str] = &["pull", "issues", "merge_requests", "releases", "runs", "discussions"];
    let parts: Vec<&str> =
        path.trim_end_matches('/').split('/').filter(|part| !matches!(*part, "-" | "actions")).collect();
    let kind = parts.iter().position(|part| KINDS.contains(part))?;
    let mut after = parts.get(kind + 1..)?.iter().filter(|part| **part != "tag");
    Some((parts.get(..kind)?.join("/"), (*after.next()?).to_owned()))
}

/// What a path of the forge's interface is about.
fn of_path(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["repos", owner, name, kind @ ("issues" | "pulls" | "releases"), rest @ ..] => {
            // `issues/comments/9`, `releases/tags/v1`
            let number =
                rest.iter().find(|part| !matches!(**part, "comments" | "tags" | "assets" | "events"));
            match (kind, number) {
                (_, Some(number)) => format!("{owner}/{name}#{number}"),
                (_, None) => format!("{owner}/{name}"),
            }
        }
        ["repos", owner, name, ..] => format!("{owner}/{name}"),
        ["projects", project, "merge_requests" | "issues", number, ..] => {
            format!("{}#{number}", project.replace("%2F", "/"))
        }
        ["projects", project, ..] => project.replace("%2F", "/"),
        _ => path.to_owned(),
    }
}
