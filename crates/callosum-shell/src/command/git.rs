//! Where `git push` and what pushes like it push to.

use super::Fit;

/// The remote, as the command names it.
pub(super) fn remote<'l>(fit: &Fit<'_, 'l>) -> Option<&'l str> {
    let option = |names: &[&str]| fit.command.values(names).last().copied();
    match fit.command.program() {
        "jj" => option(&["--remote"]),
        "gh-pages" => option(&["-r", "--repo"]).or_else(|| option(&["-o", "--remote"])),
        "mkdocs" => option(&["-r", "--remote-name"]),
        "mike" | "ghp-import" => option(&["-r", "--remote"]),
        "sl" | "gt" | "docusaurus" => None,
        _ => fit.arguments().first().copied().or_else(|| option(&["--repo"])),
    }
}

/// The branches and tags that are written, without `refs/heads/` and the like; `current` when none is named, and the option's own name where
/// it stands for several.
pub(super) fn branches(fit: &Fit<'_, '_>) -> Vec<String> {
    let named = |names: &[&str]| fit.command.values(names).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mut branches: Vec<String> = match fit.command.program() {
        "jj" => named(&["-b", "--bookmark", "--branch", "--named"]),
        "sl" => named(&["--to"]),
        "gh-pages" | "ghp-import" | "mike" => named(&["-b", "--branch"]),
        "mkdocs" => named(&["-b", "--remote-branch"]),
        "gt" | "docusaurus" => Vec::new(),
        _ => {
            let arguments = fit.arguments();
            let mut refspecs: Vec<&str> = arguments.iter().skip(1).copied().collect();
            if let Some(at) = refspecs.iter().position(|word| *word == "tag") {
                refspecs.remove(at);
            }
            refspecs.into_iter().map(destination).collect()
        }
    };
    let is_site =
        matches!(fit.command.program(), "gh-pages" | "ghp-import" | "mike" | "mkdocs" | "docusaurus");
    if branches.is_empty() && is_site {
        return vec!["gh-pages".to_owned()];
    }
    // `git lfs push --all origin main` is all objects of that branch.
    let is_lfs = fit.command.plain().next() == Some("lfs");
    let options =
        [("--tags", "--tags"), ("--all", "--all"), ("--branches", "--all"), ("--mirror", "--mirror")];
    for (option, name) in options {
        if fit.command.has(&[option]) && !is_lfs {
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
    let name = match refspec.rsplit_once(':') {
        Some(("", "")) => return "matching".to_owned(),
        Some((_, destination)) => destination,
        None => refspec,
    };
    let name =
        ["refs/heads/", "refs/tags/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    match name {
        "HEAD" | "@" => "current".to_owned(),
        name if asks_for_current(name) => "current".to_owned(),
        "*" => "--all".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether a word is the branch that is checked out, as git tells it: `$(git branch --show-current)`.
fn asks_for_current(name: &str) -> bool {
    let in_parentheses = || name.strip_prefix("$(")?.strip_suffix(')');
    let inside = in_parentheses().or_else(|| name.strip_prefix('`')?.strip_suffix('`'));
    let words: Vec<&str> = inside.unwrap_or_default().split_whitespace().collect();
    matches!(
        words.as_slice(),
        ["git", "branch", "--show-current"]
            | ["git", "rev-parse", "--abbrev-ref", "HEAD" | "@"]
            | ["git", "symbolic-ref", "--short", "HEAD"]
            | ["git", "symbolic-ref", "--short", "-q", "HEAD"]
            | ["git", "symbolic-ref", "-q", "--short", "HEAD"]
    )
}
