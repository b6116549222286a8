//! What is said of a repository, beside what Git itself says.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use callosum_surroundings::{Place, Surroundings};

/// A home folder with repositories in it.
struct World {
    home: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, folder: &str, words: &[&str]) -> String {
        let output = Command::new("git")
            .args(words)
            .current_dir(self.path(folder))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.com")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        told
    }

    fn repository(&self, folder: &str) {
        fs::create_dir_all(self.path(folder)).unwrap();
        self.git(folder, &["init", "-q", "-b", "main"]);
        self.git(folder, &["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    fn at<T>(&self, folder: &Path, look: impl FnOnce(&Surroundings, &Place<'_>) -> T) -> T {
        let home = self.path("").display().to_string();
        let variable = |name: &str| match name {
            "HOME" => Some(home.clone()),
            "GIT_CONFIG_NOSYSTEM" => Some("1".to_owned()),
            _ => None,
        };
        look(&Surroundings::new(), &Place { folder, variable: &variable })
    }

    fn pushed_to(&self, folder: &str, remote: Option<&str>) -> Vec<String> {
        self.at(&self.path(folder), |surroundings, place| {
            let repository = surroundings.repository(place).unwrap();
            surroundings.pushed_to(&repository, remote, place)
        })
    }

    fn branches(&self, folder: &str) -> Vec<String> {
        self.at(&self.path(folder), |surroundings, place| {
            surroundings.repository(place).unwrap().pushed_branches(None)
        })
    }

    /// The addresses that Git would push to, each made into an identity.
    fn git_pushes_to(&self, folder: &str, remote: &str) -> Vec<String> {
        let told = self.git(folder, &["remote", "get-url", "--push", "--all", remote]);
        let elsewhere = self.path("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        // Rewritten already: where no configuration says otherwise.
        let identity = |address: &str| {
            let home = self.path("nobody").display().to_string();
            let variable = |name: &str| (name == "HOME").then(|| home.clone());
            let place = Place { folder: &elsewhere, variable: &variable };
            Surroundings::new().repository_at(address, &place).unwrap()
        };
        told.lines().map(identity).collect()
    }
}

#[test]
fn addresses_of_pushes_are_those_that_git_takes() {
    let world = World::new();
    world.repository("app");
    let configurations = [
        ("", "[remote \"origin\"]\nurl = git@github.com:acme/app.git\n"),
        (
            "",
            "[remote \"origin\"]\nurl = https://github.com/acme/app\npushurl = git@github.com:me/app\npushurl = git@gitlab.com:me/app\n",
        ),
        ("[url \"git@github.com:\"]\ninsteadOf = gh:\n", "[remote \"origin\"]\nurl = gh:acme/app\n"),
        (
            "[url \"https://github.com/\"]\ninsteadOf = gh:\n[url \"git@git.example:mirror/\"]\npushInsteadOf = gh:acme/\n",
            "[remote \"origin\"]\nurl = gh:acme/app\nurl = gh:other/app\n",
        ),
        (
            "[url \"https://a.example/\"]\ninsteadOf = gh:\n[url \"https://b.example/\"]\ninsteadOf = gh:acme\n",
            "[remote \"origin\"]\nurl = gh:acme/app\npushurl = gh:acme/push\n",
        ),
        ("[include]\npath = more\n", "[remote \"origin\"]\nurl = x:acme/app\n"),
        ("[includeIf \"gitdir:~/app/\"]\npath = more\n", "[remote \"origin\"]\nurl = x:acme/app\n"),
        (
            "[includeIf \"gitdir:~/other/\"]\npath = more\n",
            "[remote \"origin\"]\nurl = ssh://x.example/acme/app\n",
        ),
        ("[includeIf \"gitdir:app/.git\"]\npath = more\n", "[remote \"origin\"]\nurl = x:acme/app\n"),
        ("[includeIf \"onbranch:ma*\"]\npath = more\n", "[remote \"origin\"]\nurl = x:acme/app\n"),
        (
            "[includeIf \"hasconfig:remote.*.url:x:*/**\"]\npath = more\n",
            "[remote \"origin\"]\nurl = x:acme/app\n",
        ),
        ("", "[remote \"origin\"]\nurl = /srv/git/app.git\n"),
    ];
    world.write("more", "[url \"ssh://git@deep.example:2222/\"]\ninsteadOf = x:\n");
    let plain = fs::read_to_string(world.path("app/.git/config")).unwrap();
    for (global, local) in configurations {
        world.write(".gitconfig", global);
        world.write("app/.git/config", &format!("{plain}{local}"));
        let (ours, gits) = (world.pushed_to("app", None), world.git_pushes_to("app", "origin"));
        assert_eq!(ours, gits, "{global}{local}");
        assert!(!ours.is_empty());
    }
}

#[test]
fn the_branch_is_the_one_that_git_would_push() {
    let world = World::new();
    fs::create_dir_all(world.path("hub")).unwrap();
    world.git("hub", &["init", "-q", "--bare", "up.git"]);
    world.git("hub", &["init", "-q", "--bare", "mine.git"]);
    world.repository("app");
    for remote in ["up", "mine"] {
        let address = world.path(&format!("hub/{remote}.git")).display().to_string();
        world.git("app", &["remote", "add", remote, &address]);
        world.git("app", &["push", "-q", remote, "main", "main:other"]);
    }
    let settings: [&[(&str, &str)]; 7] = [
        &[("branch.main.remote", "up"), ("branch.main.merge", "refs/heads/main")],
        &[("push.default", "upstream"), ("branch.main.merge", "refs/heads/other")],
        &[("push.default", "current")],
        &[("remote.pushDefault", "mine")],
        &[
            ("branch.main.pushRemote", "up"),
            ("push.default", "simple"),
            ("branch.main.merge", "refs/heads/main"),
        ],
        &[("remote.up.push", "refs/heads/main:refs/heads/other")],
        &[("remote.up.push", "HEAD")],
    ];
    for variables in settings {
        for (name, value) in variables {
            world.git("app", &["config", name, value]);
        }
        // `To <address>`, then a line for each reference: flag, source:destination, summary.
        let told = world.git("app", &["push", "--dry-run", "--porcelain", "--force"]);
        let mut address = None;
        let mut branches = Vec::new();
        for line in told.lines() {
            if let Some(to) = line.strip_prefix("To ") {
                address = Some(to.strip_suffix(".git").unwrap_or(to).to_owned());
            } else if let Some(references) = line.split('\t').nth(1) {
                branches.push(references.rsplit_once("refs/heads/").unwrap().1.to_owned());
            }
        }
        assert_eq!(world.pushed_to("app", None), Vec::from_iter(address), "{variables:?}");
        assert_eq!(world.branches("app"), branches, "{variables:?}: {told}");
    }
}

#[test]
fn worktrees_meet_and_repositories_do_not() {
    let world = World::new();
    world.repository("app");
    world.git("app", &["remote", "add", "origin", "git@github.com:acme/app.git"]);
    world.git("app", &["worktree", "add", "-q", "-b", "fix", "../wt"]);
    fs::create_dir_all(world.path("wt/deep/er")).unwrap();
    assert_eq!(world.pushed_to("wt/deep/er", None), ["github.com/acme/app"]);
    assert_eq!(world.branches("wt/deep/er"), ["fix"]);
    assert_eq!(world.pushed_to("app", Some("https://github.com/Acme/App.git")), ["github.com/acme/app"]);

    world.repository("lib");
    world.git("lib", &["remote", "add", "origin", "git@github.com:acme/lib.git"]);
    let lib = world.path("lib").display().to_string();
    world
        .git("app", &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &lib, "vendor/lib"]);
    assert_eq!(world.pushed_to("app/vendor/lib", None), [lib]);

    world.git("app", &["checkout", "-q", "--detach"]);
    assert_eq!(world.branches("app"), [""; 0]);
    // A clone without a remote, and a folder without a repository.
    world.repository("alone");
    assert_eq!(world.pushed_to("alone", None), [""; 0]);
    let nowhere = tempfile::tempdir().unwrap();
    assert!(world.at(nowhere.path(), |surroundings, place| surroundings.repository(place)).is_none());
    // A bare one.
    world.git("", &["clone", "-q", "--bare", "app", "bare.git"]);
    world.git("bare.git", &["remote", "set-url", "origin", "work:acme/app"]);
    world.write(".ssh/config", "Host work\n  HostName github.com\n");
    assert_eq!(world.pushed_to("bare.git", None), ["github.com/acme/app"]);
}

#[test]
fn the_forge_repository_is_the_one_that_gh_takes() {
    let world = World::new();
    world.repository("app");
    let forge = || {
        world.at(&world.path("app"), |surroundings, place| {
            let repository = surroundings.repository(place).unwrap();
            surroundings.forge_repository(&repository, place)
        })
    };
    assert_eq!(forge(), None);
    world.git("app", &["remote", "add", "mine", "git@github.com:me/app.git"]);
    assert_eq!(forge().unwrap(), "github.com/me/app");
    world.git("app", &["remote", "add", "origin", "git@github.com:me/fork.git"]);
    assert_eq!(forge().unwrap(), "github.com/me/fork");
    world.git("app", &["remote", "add", "upstream", "https://github.com/acme/app"]);
    assert_eq!(forge().unwrap(), "github.com/acme/app");
    world.git("app", &["config", "remote.mine.gh-resolved", "base"]);
    assert_eq!(forge().unwrap(), "github.com/me/app");
    world.git("app", &["config", "remote.mine.gh-resolved", "Other/App"]);
    assert_eq!(forge().unwrap(), "github.com/other/app");
}

#[test]
fn files_that_make_no_sense_are_no_repository_and_end() {
    let world = World::new();
    let told =
        |folder: &str| world.at(&world.path(folder), |surroundings, place| surroundings.repository(place));
    world.write("a/.git", "gitdir: ../b\n");
    world.write("b/HEAD", &"x".repeat(2 << 20));
    assert!(told("a").is_none());
    world.write("c/.git", "nothing");
    assert!(told("c").is_none());
    world.write("d/.git/HEAD", "ref: refs/heads/main\n");
    world.write("d/.git/config", "[include]\npath = config\n[remote \"o\"]\nurl = /x\n");
    assert_eq!(world.pushed_to("d", None), ["/x"]);
}
