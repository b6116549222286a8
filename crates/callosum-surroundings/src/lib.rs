//! What stands in the folder where a command runs, as far as it says what the command acts on: the repository and where a push
//! of it goes, the package that is published, the cluster, the project that a folder is linked to.
//!
//! Only files are read, of bounded size, and what was read is remembered ([`files::Files`]). No program is started and no network
//! is used. A call may block as long as the file system does: it is for threads that may wait.

pub mod compose;
pub mod docker;
pub mod files;
pub mod git;
pub mod kube;
pub mod links;
pub mod package;
mod place;
mod real;
pub mod terraform;
mod yaml;

pub use place::Place;
pub use real::{is_same, real_path};

use std::path::{Path, PathBuf};

use files::Files;

/// Reads surroundings and remembers them. One for a process; it may be shared between threads.
#[derive(Debug, Default)]
pub struct Surroundings {
    files: Files,
}

impl Surroundings {
    /// One that has read nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The repository that `place` lies in.
    #[must_use]
    pub fn repository(&self, place: &Place<'_>) -> Option<git::Repository> {
        git::Repository::around(&self.files, place)
    }

    /// The folder of the repository that `folder` lies in, one for all its working trees.
    #[must_use]
    pub fn project(&self, folder: &Path) -> Option<PathBuf> {
        git::Repository::folder(&self.files, &Place { folder, variable: &|_| None })
    }

    /// The identities of the repositories that a push goes to: to the remote or address that is named, else to where the
    /// configuration says. Empty when it can't be told.
    #[must_use]
    pub fn pushed_to(
        &self,
        repository: &git::Repository,
        remote: Option<&str>,
        place: &Place<'_>,
    ) -> Vec<String> {
        repository.pushed_to(remote, &self.files, place)
    }

    /// The identity of the repository that `gh` and `glab` work on in it when none is named.
    #[must_use]
    pub fn forge_repository(&self, repository: &git::Repository, place: &Place<'_>) -> Option<String> {
        repository.forge(&self.files, place)
    }

    /// The identity of a repository that is named by its address, after the user's `insteadOf` and SSH aliases.
    #[must_use]
    pub fn repository_at(&self, address: &str, place: &Place<'_>) -> Option<String> {
        git::Configured::of_user(&self.files, place).identity(address, place, &self.files)
    }

    /// The name of the package of `ecosystem` in the folder, or in one above it.
    #[must_use]
    pub fn package(&self, ecosystem: package::Ecosystem, place: &Place<'_>) -> Option<String> {
        package::name(&self.files, ecosystem, place)
    }

    /// The name of the package of `ecosystem` in this very folder.
    #[must_use]
    pub fn package_in(&self, ecosystem: package::Ecosystem, folder: &Path) -> Option<String> {
        package::name_in(&self.files, ecosystem, folder)
    }

    /// The cluster and namespace that `kubectl` and its like act on.
    #[must_use]
    pub fn kube(&self, context: Option<&str>, place: &Place<'_>) -> Option<kube::Target> {
        kube::target(&self.files, context, place)
    }

    /// The project name of `docker compose`.
    #[must_use]
    pub fn compose_project(&self, files: &[&str], place: &Place<'_>) -> Option<String> {
        compose::project(&self.files, files, place)
    }

    /// The Docker daemon that the commands talk to; `None` stands for the one of this machine.
    #[must_use]
    pub fn docker_daemon(&self, place: &Place<'_>) -> Option<String> {
        docker::daemon(&self.files, place)
    }

    /// Where Terraform keeps its state, and the workspace.
    #[must_use]
    pub fn terraform(&self, place: &Place<'_>) -> Option<terraform::State> {
        terraform::state(&self.files, place)
    }

    /// The project of a hosting service that the folder is linked to.
    #[must_use]
    pub fn link(&self, service: links::Service, place: &Place<'_>) -> Option<String> {
        links::project(&self.files, service, place)
    }
}
