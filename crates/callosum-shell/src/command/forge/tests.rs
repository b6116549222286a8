//! Which repository and what of it a command of a forge names.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::Line;
use crate::command::pattern::tests::Nowhere;
use crate::command::{Command, Pattern};

/// The keys of the first command of a line that the pattern fits.
fn keys(line: &str, pattern: &str) -> Vec<String> {
    let line = Line::read(line);
    let pattern = Pattern::parse(pattern).unwrap();
    let command = Command::new(line.invocations.last().unwrap());
    let fit = pattern.fit(&command, &Nowhere).unwrap();
    fit.forge_keys(&|name| (name == "GH_HOST").then(|| "git.corp.example".to_owned()))
}

#[test]
fn a_repository_is_named_by_option_address_or_folder() {
    for (line, pattern, key) in [
        ("gh pr merge 12", "gh pr merge", "github:{repository}#12"),
        ("gh pr merge", "gh pr merge", "github:{repository}#{branch}"),
        ("gh pr merge $(gh pr view --json number -q .number)", "gh pr merge", "github:{repository}#{branch}"),
        ("gh pr merge me:fix", "gh pr merge", "github:{repository}#fix"),
        ("gh pr close 55 -R github.com/Acme/App", "gh pr close", "github:acme/app#55"),
        ("gh pr close 5 -R Acme/App", "gh pr close", "github:git.corp.example/acme/app#5"),
        ("gh pr merge https://github.com/acme/app/pull/12", "gh pr merge", "github:acme/app#12"),
        ("gh secret set T -R github.com/a/b --env prod", "gh secret set", "secret:github:T@a/b/prod"),
        ("gh issue develop 3 --name fix", "gh issue develop", "git-push:{repository}/fix"),
        (
            "glab mr note https://git.x.org/a/b/-/merge_requests/3 -m x",
            "glab mr note",
            "gitlab:git.x.org/a/b#3",
        ),
        ("tea pulls merge --repo a/b --login codeberg.org 7", "tea pulls merge", "gitea:codeberg.org/a/b#7"),
        (
            "az repos pr update --id 4 --org https://dev.azure.com/acme -p s",
            "az repos pr update",
            "azure-devops:acme/s#4",
        ),
        (
            "az boards work-item create --title x --type Bug",
            "az boards work-item create",
            "azure-devops:{repository}#new",
        ),
    ] {
        assert_eq!(keys(line, pattern), [key], "{line}");
    }
}

#[test]
fn a_path_of_an_interface_names_what_its_program_names() {
    const API: &str = "https://api.github.com/repos/acme/app";
    for (line, key) in [
        (format!("curl -X PUT {API}/pulls/31/merge"), "github:acme/app#31"),
        (format!("curl -d x {API}/issues"), "github:acme/app#new"),
        (format!("curl -X DELETE {API}/git/refs/heads/feat/x"), "git-push:github.com/acme/app/feat/x"),
        (format!("curl -d x {API}/actions/workflows/d.yml/dispatches"), "github:acme/app#workflow/d.yml"),
        (format!("curl -X PUT -d x {API}/environments/prod/secrets/T"), "secret:github:T@acme/app/prod"),
        (format!("curl -d x {API}/dispatches"), "github:acme/app"),
        (
            "curl -X PUT https://gitlab.com/api/v4/projects/acme%2Fshop/merge_requests/3/merge".to_owned(),
            "gitlab:acme/shop#3",
        ),
        (
            "curl -F ref=main https://gitlab.com/api/v4/projects/47/trigger/pipeline".to_owned(),
            "gitlab:47#pipeline/main",
        ),
        (
            "curl -d x https://codeberg.org/api/v1/repos/a/b/issues/3/comments".to_owned(),
            "gitea:codeberg.org/a/b#3",
        ),
        (
            "curl -d x https://api.bitbucket.org/2.0/repositories/a/b/pullrequests/15/merge".to_owned(),
            "bitbucket:a/b#15",
        ),
        (
            "curl -d x https://api.bitbucket.org/2.0/repositories/a/b/pullrequests".to_owned(),
            "bitbucket:a/b#new",
        ),
        (
            "curl -X PATCH -d x https://dev.azure.com/acme/s/_apis/wit/workitems/91".to_owned(),
            "azure-devops:acme/s#91",
        ),
    ] {
        assert_eq!(keys(&line, "curl"), [key], "{line}");
    }
    let graphql = r#"gh api graphql -f query='mutation { mergePullRequest(input: {pullRequestId: "PR_kwDOAbc12M5xYz"}) { x } }'"#;
    assert_eq!(keys(graphql, "gh api"), ["github:PR_kwDOAbc12M5xYz"]);
    assert_eq!(
        keys("gh api -X POST repos/{owner}/{repo}/issues/4/labels", "gh api"),
        ["github:{repository}#4"]
    );
}
