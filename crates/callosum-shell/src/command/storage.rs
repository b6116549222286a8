//! Where files are copied to: object stores and other machines.

use super::changed::changed;
use super::{Command, Fit, cmdlet};

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

/// The machines that ssh, scp, sftp and rsync reach, without user and port; or on which the command runs, by ssh or by an option of its
/// own.
pub(super) fn hosts(command: &Command<'_>) -> Vec<String> {
    if let Some(hosts) = &command.invocation.host {
        return hosts.split(',').map(str::to_owned).collect();
    }
    let mut words = command.plain();
    let named: Vec<&str> = match command.program() {
        "ssh" | "mosh" | "sftp" => words.next().into_iter().collect(),
        "systemctl" | "systemd-run" | "loginctl" | "hostnamectl" | "timedatectl" | "journalctl"
        | "busctl" => command.values(&["-H", "--host"]),
        "nixos-rebuild" | "colmena" | "deploy-rs" => command.values(&["--target-host", "--on"]),
        "salt" => words.next().into_iter().collect(),
        "ansible" => words.next().into_iter().collect(),
        "rsync" | "scp" | "pscp" => words.filter(|word| is_remote_path(word)).collect(),
        _ => Vec::new(),
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

/// The files of another machine that a command writes or removes, as `path@host`.
pub(super) fn files(fit: &Fit<'_, '_>) -> Vec<String> {
    let command = fit.command;
    if let Some(hosts) = &command.invocation.host {
        let paths = there(fit);
        let whole = |host: &str| paths.iter().map(|path| at(path, host)).collect::<Vec<_>>();
        return hosts.split(',').flat_map(whole).collect();
    }
    let arguments: Vec<&str> = command.plain().collect();
    match command.program() {
        "rsync" | "scp" | "pscp" | "gcloud" => {
            let written = arguments.last().and_then(|word| of_address(word).or_else(|| of_remote_path(word)));
            let moved = arguments.iter().rev().skip(1).filter(|_| command.has(&["--remove-source-files"]));
            written.into_iter().chain(moved.filter_map(|word| of_remote_path(word))).collect()
        }
        "curl" => {
            let files = command.values(&["-T", "--upload-file"]);
            let put = |address: &str| {
                let (path, host) = of_address(address)?
                    .rsplit_once('@')
                    .map(|(path, host)| (path.to_owned(), host.to_owned()))?;
                let file = files.first().map_or("", |file| file.rsplit('/').next().unwrap_or(file));
                let path = if address.ends_with('/') { format!("{path}/{file}") } else { path };
                Some(at(&path, &host))
            };
            arguments.iter().filter(|_| !files.is_empty()).filter_map(|address| put(address)).collect()
        }
        "sftp" => {
            let Some(to) = arguments.first().map(|word| host(word)) else { return Vec::new() };
            batch(command.invocation.input.iter().map(AsRef::as_ref), &to)
        }
        "lftp" => {
            let scripts = command.values(&["-e", "-c"]);
            let inputs = command.invocation.input.iter().map(AsRef::as_ref);
            let texts: Vec<&str> = scripts.into_iter().chain(inputs).collect();
            let mut opened = texts.iter().filter_map(|text| text.split_once("open "));
            let named =
                arguments.first().copied().or_else(|| opened.next().map(|(_, rest)| rest.trim_start()));
            let to = named.and_then(opened_host).map(host);
            to.map(|to| batch(texts.into_iter(), &to)).unwrap_or_default()
        }
        "ncftpput" => {
            let to = arguments.first().map(|word| host(word));
            to.zip(arguments.get(1)).map(|(to, path)| at(path, &to)).into_iter().collect()
        }
        "Copy-Item" | "copy" | "xcopy" | "robocopy" => {
            let to = cmdlet::values(command, "-destination").last().copied();
            to.or_else(|| arguments.get(1).copied()).and_then(of_share).into_iter().collect()
        }
        // Everything that it names is changed.
        _ => command.invocation.words.iter().filter_map(|word| of_share(word)).collect(),
    }
}

/// `path@host` of Windows' `\\\\host\\share\\path`.
fn of_share(word: &str) -> Option<String> {
    let (host, path) = word.strip_prefix("\\\\")?.split_once('\\')?;
    let is_name =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    is_name.then(|| at(path.replace('\\', "/").trim_end_matches('/'), &host.to_lowercase()))
}

/// The host among the words of lftp's `open`: the one with a dot or a scheme, else the last.
fn opened_host(words: &str) -> Option<&str> {
    let mut words = words.split([';', '\n']).next()?.split_whitespace().filter(|word| !word.starts_with('-'));
    words.clone().find(|word| word.contains('.') || word.contains("://")).or_else(|| words.next_back())
}

/// The paths that a command changes on the machine that it runs on.
fn there(fit: &Fit<'_, '_>) -> Vec<String> {
    let command = fit.command;
    let folder = command.invocation.folder.as_deref();
    let unpacked = match command.program() {
        "tar" | "bsdtar" => Some(command.values(&["-C", "--directory"])),
        "unzip" => Some(command.values(&["-d"])),
        _ => None,
    };
    let paths: Vec<String> = match unpacked {
        Some(paths) if paths.is_empty() => vec![".".to_owned()],
        Some(paths) => paths.into_iter().map(str::to_owned).collect(),
        None => changed(command, command.arguments.get(fit.after..).unwrap_or_default())
            .into_iter()
            .map(Into::into)
            .collect(),
    };
    let whole = |path: String| match (path.as_str(), folder) {
        (".", Some(folder)) => folder.to_owned(),
        _ => crate::joined(folder, &path),
    };
    let is_path = |path: &String| !path.is_empty() && path != "/dev/null";
    paths.into_iter().map(whole).filter(is_path).collect()
}

fn at(path: &str, host: &str) -> String {
    let short = path.trim_end_matches('*').trim_end_matches('/');
    format!("{}@{host}", if short.is_empty() { path } else { short })
}

/// `user@host:path`
fn of_remote_path(word: &str) -> Option<String> {
    if !is_remote_path(word) {
        return None;
    }
    let (_, path) = word.split_once(':')?;
    // `rsync host::module/path`
    let path = path.strip_prefix(':').unwrap_or(path);
    Some(at(if path.is_empty() { "~" } else { path }, &host(word)))
}

/// `ftp://user@host/path`
fn of_address(word: &str) -> Option<String> {
    let (scheme, rest) = word.split_once("://")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    matches!(scheme, "ftp" | "ftps" | "sftp" | "scp" | "rsync")
        .then(|| at(&format!("/{path}"), &host(authority)))
}

/// What a batch of sftp's or lftp's commands writes and removes.
fn batch<'t>(texts: impl Iterator<Item = &'t str>, host: &str) -> Vec<String> {
    let written = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (verb, rest) = words.split_first()?;
        let plain: Vec<&str> = rest.iter().filter(|word| !word.starts_with('-')).copied().collect();
        let path = match *verb {
            "put" | "mput" | "reput" => match rest.iter().position(|word| *word == "-O") {
                Some(at) => rest.get(at + 1).copied(),
                None => plain.get(1).or(plain.first()).copied(),
            },
            "mirror"
                if rest
                    .iter()
                    .any(|word| word.starts_with('-') && word.contains('R') || *word == "--reverse") =>
            {
                plain.get(1).or(plain.first()).copied()
            }
            "rm" | "mrm" | "rmdir" | "mkdir" | "chmod" | "symlink" | "ln" | "rename" | "mv" => {
                plain.last().copied()
            }
            _ => None,
        };
        path.map(|path| at(path, host))
    };
    texts.flat_map(|text| text.split(['\n', ';'])).filter_map(written).collect()
}
