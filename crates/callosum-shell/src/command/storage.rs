//! Where files are copied to: object stores and other machines.

use super::{Command, Fit};

/// The `s3://…` and `gs://…` that a copy, move or deletion writes.
pub(super) fn written(fit: &Fit<'_, '_>) -> Vec<String> {
    let arguments = fit.arguments();
    let is_remote = |word: &&str| word.starts_with("s3://") || word.starts_with("gs://");
    let verb = fit.command.plain().take(fit.subcommands).last().unwrap_or_default();
    let written: Vec<&str> = match verb {
        "cp" | "sync" | "rsync" => arguments.last().copied().into_iter().filter(is_remote).collect(),
        _ => arguments.into_iter().filter(is_remote).collect(),
    };
    written.into_iter().map(str::to_owned).collect()
}

/// The machines that ssh, scp, sftp and rsync reach, without user and port.
pub(super) fn hosts(command: &Command<'_>) -> Vec<String> {
    let mut words = command.plain();
    let named: Vec<&str> = match command.program() {
        "ssh" | "mosh" | "sftp" => words.next().into_iter().collect(),
        _ => words.filter(|word| is_remote_path(word)).collect(),
    };
    let mut hosts: Vec<String> = named.into_iter().map(host).collect();
    hosts.dedup();
    hosts
}

/// Whether a path is on another machine: `host:path`, but not `./a:b`.
fn is_remote_path(word: &str) -> bool {
    word.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

fn host(target: &str) -> String {
    let target = target.split_once("://").map_or(target, |(_, rest)| rest);
    let target = target.rsplit_once('@').map_or(target, |(_, host)| host);
    target.split([':', '/']).next().unwrap_or(target).to_owned()
}
