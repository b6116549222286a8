//! Where files are copied to: object stores and other machines.

use super::{Command, Fit};

/// The `s3://…`, `gs://…` and `remote:path` that a copy, move or deletion writes.
pub(super) fn written(fit: &Fit<'_, '_>) -> Vec<String> {
    let arguments = fit.arguments();
    let program = fit.command.program();
    let verb = fit.command.plain().take(fit.subcommands).last().unwrap_or_default();
    let last =
        matches!(verb, "cp" | "sync" | "rsync" | "copy" | "copyto" | "put" | "mirror" | "bisync" | "rcat");
    let skipped = if last { arguments.len().saturating_sub(1) } else { 0 };
    let written = arguments.into_iter().skip(skipped);
    match program {
        "mc" | "mcli" => {
            written.filter_map(|path| Some(format!("s3://{}", path.split_once('/')?.1))).collect()
        }
        "rclone" => written.filter_map(of_remote).collect(),
        _ => written
            .filter(|path| path.starts_with("s3://") || path.starts_with("gs://"))
            .map(str::to_owned)
            .collect(),
    }
}

/// `path@remote` of rclone's `remote:path`.
fn of_remote(path: &str) -> Option<String> {
    let (remote, path) = path.split_once(':').filter(|(remote, _)| !remote.contains('/'))?;
    Some(format!("{}@{remote}", path.trim_end_matches('/')))
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
