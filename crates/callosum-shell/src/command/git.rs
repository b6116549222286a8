//! Where `git push` pushes to.

use super::Fit;

/// The remote, as the command names it.
pub(super) fn remote<'l>(fit: &Fit<'_, 'l>) -> Option<&'l str> {
    let named = fit.command.values(&["--repo"]).last().copied();
    fit.arguments().first().copied().or(named)
}

/// The branches and tags that are written, without `refs/heads/` and the like; `current` when none is named.
pub(super) fn branches(fit: &Fit<'_, '_>) -> Vec<String> {
    let arguments = fit.arguments();
    let mut refspecs: Vec<&str> = arguments.iter().skip(1).copied().collect();
    if let Some(at) = refspecs.iter().position(|word| *word == "tag") {
        refspecs.remove(at);
    }
    let mut branches: Vec<String> = refspecs.into_iter().map(destination).collect();
    for (option, name) in
        [("--tags", "tags"), ("--all", "all"), ("--branches", "all"), ("--mirror", "mirror")]
    {
        if fit.command.has(&[option]) {
            branches.push(name.to_owned());
        }
    }
    if branches.is_empty() {
        branches.push("current".to_owned());
    }
    branches
}

/// What `+source:destination` writes.
fn destination(refspec: &str) -> String {
    let refspec = refspec.strip_prefix('+').unwrap_or(refspec);
    let name = refspec.rsplit_once(':').map_or(refspec, |(_, destination)| destination);
    let name =
        ["refs/heads/", "refs/tags/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    if matches!(name, "HEAD" | "@") { "current".to_owned() } else { name.to_owned() }
}
