//! Repositories of real git, by hooks: two worktrees of one are one resource, two repositories are two, and `-R` says as much as the
//! folder.

use std::path::Path;

use super::*;

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=Alice", "-c", "user.email=alice@example.com"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with a commit and an origin.
fn repository(folder: &Path, origin: &str) {
    fs::create_dir_all(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["remote", "add", "origin", origin]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "first"]);
}

impl World {
    /// What the hook refuses of a command in a folder; nothing when it may run, and then it ran.
    fn run_in(&self, session: Session<'_>, id: &str, folder: &Path, command: &str) -> String {
        let mut call = shell(session, id, command);
        call.as_object_mut().unwrap().insert("cwd".to_owned(), json!(folder));
        let said = self.event(session, "PreToolUse", call.clone());
        if said.is_empty() {
            call.as_object_mut().unwrap().insert(
                "tool_response".to_owned(),
                json!({ "stdout": "", "stderr": "", "interrupted": false }),
            );
            self.event(session, "PostToolUse", call);
        }
        said
    }
}

#[test]
fn worktrees_of_one_repository_meet_and_two_repositories_do_not() {
    let world = World::new();
    let folders = tempfile::tempdir().unwrap();
    let (app, fix, lib) =
        (folders.path().join("app"), folders.path().join("fix"), folders.path().join("lib"));
    repository(&app, "git@github.com:acme/app.git");
    repository(&lib, "https://github.com/acme/lib");
    git(&app, &["worktree", "add", "-q", "-b", "fix-login", fix.to_str().unwrap()]);

    assert_eq!(world.run_in(CLAUDE, "c1", &app, "git push"), "");
    let refused = world.run_in(CODEX, "x1", &fix, "git push origin HEAD:main");
    assert!(refused.contains("git-push:github.com/acme/app/main"), "{refused}");
    // Its own branch, and the other repository's of the same name.
    assert_eq!(world.run_in(CODEX, "x2", &fix, "git push -u origin HEAD"), "");
    assert_eq!(world.run_in(CODEX, "x3", &lib, "git push origin main"), "");

    // The same deploy script, from both worktrees.
    assert_eq!(world.run_in(CLAUDE, "c2", &app, "./deploy.sh production"), "");
    assert!(
        world
            .run_in(CODEX, "x4", &fix, "make deploy ENV=production")
            .contains("deploy:github.com/acme/app@production")
    );
    assert_eq!(world.run_in(CODEX, "x5", &lib, "./deploy.sh production"), "");
}

#[test]
fn an_option_says_as_much_as_the_folder() {
    let world = World::new();
    let folders = tempfile::tempdir().unwrap();
    let (app, lib) = (folders.path().join("app"), folders.path().join("lib"));
    repository(&app, "git@github.com:acme/app.git");
    repository(&lib, "https://github.com/acme/lib");

    assert_eq!(world.run_in(CLAUDE, "c1", &app, "gh pr merge 12 --squash"), "");
    let refused = world.run_in(CODEX, "x1", &lib, "gh pr merge 12 -R Acme/App");
    assert!(refused.contains("github:acme/app#12"), "{refused}");
    let refused =
        world.run_in(CODEX, "x2", &lib, "curl -X PUT https://api.github.com/repos/acme/app/pulls/12/merge");
    assert!(refused.contains("github:acme/app#12"), "{refused}");
    assert_eq!(world.run_in(CODEX, "x3", &lib, "gh pr merge 12"), "");
}
