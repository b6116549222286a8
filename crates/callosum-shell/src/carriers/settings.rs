//! Variables, and settings of programs, whose value is a command that some program runs.

/// How the value of a setting is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// A text for a shell.
    Command,
    /// The same behind a `!`, or where it is a path; else the end of a program's name.
    Helper,
    /// By which command another machine is reached.
    Transport,
    /// A text in which substitutions are run.
    Text,
    /// The file of a script.
    Script,
}

#[rustfmt::skip]
pub(super) const VARIABLES: &[(&str, Setting)] = &[
    ("PAGER", Setting::Command), ("GIT_PAGER", Setting::Command), ("MANPAGER", Setting::Command), ("PSQL_PAGER", Setting::Command),
    ("GH_PAGER", Setting::Command), ("BAT_PAGER", Setting::Command), ("SYSTEMD_PAGER", Setting::Command), ("AWS_PAGER", Setting::Command),
    ("DELTA_PAGER", Setting::Command), ("EDITOR", Setting::Command), ("VISUAL", Setting::Command), ("FCEDIT", Setting::Command),
    ("GIT_EDITOR", Setting::Command), ("GIT_SEQUENCE_EDITOR", Setting::Command), ("GH_EDITOR", Setting::Command),
    ("SUDO_EDITOR", Setting::Command), ("SYSTEMD_EDITOR", Setting::Command), ("KUBE_EDITOR", Setting::Command),
    ("PSQL_EDITOR", Setting::Command), ("HGEDITOR", Setting::Command), ("SVN_EDITOR", Setting::Command),
    ("GIT_EXTERNAL_DIFF", Setting::Command), ("GIT_ASKPASS", Setting::Command), ("SSH_ASKPASS", Setting::Command),
    ("SUDO_ASKPASS", Setting::Command), ("GIT_PROXY_COMMAND", Setting::Command), ("LESSOPEN", Setting::Command),
    ("LESSCLOSE", Setting::Command), ("PROMPT_COMMAND", Setting::Command), ("BROWSER", Setting::Command), ("GH_BROWSER", Setting::Command),
    ("FZF_DEFAULT_COMMAND", Setting::Command), ("CALLOSUM_PAGER", Setting::Command),
    ("GIT_SSH_COMMAND", Setting::Transport), ("GIT_SSH", Setting::Transport), ("RSYNC_RSH", Setting::Transport),
    ("CVS_RSH", Setting::Transport), ("SVN_SSH", Setting::Transport),
    ("PS0", Setting::Text), ("PS1", Setting::Text), ("PS4", Setting::Text),
    ("BASH_ENV", Setting::Script), ("ENV", Setting::Script),
];

/// Settings of Git, without what stands between the first and the last dot; `*` is any section.
#[rustfmt::skip]
pub(super) const OF_GIT: &[(&str, &str, Setting)] = &[
    ("pager", "*", Setting::Command), ("core", "pager", Setting::Command), ("core", "editor", Setting::Command),
    ("core", "askpass", Setting::Command), ("core", "fsmonitor", Setting::Command), ("core", "gitproxy", Setting::Command),
    ("core", "sshcommand", Setting::Transport), ("sequence", "editor", Setting::Command), ("diff", "external", Setting::Command),
    ("diff", "command", Setting::Command), ("diff", "textconv", Setting::Command), ("difftool", "cmd", Setting::Command),
    ("mergetool", "cmd", Setting::Command), ("merge", "driver", Setting::Command), ("filter", "clean", Setting::Command),
    ("filter", "smudge", Setting::Command), ("filter", "process", Setting::Command), ("gpg", "program", Setting::Command),
    ("interactive", "difffilter", Setting::Command), ("browser", "cmd", Setting::Command), ("trailer", "cmd", Setting::Command),
    ("trailer", "command", Setting::Command), ("credential", "helper", Setting::Helper), ("remote", "uploadpack", Setting::Command),
    ("remote", "receivepack", Setting::Command), ("uploadpack", "packobjectshook", Setting::Command),
    ("sendemail", "smtpserver", Setting::Helper), ("sendemail", "tocmd", Setting::Command), ("sendemail", "cccmd", Setting::Command),
];

/// Settings of OpenSSH.
pub(super) const OF_SSH: &[&str] = &["proxycommand", "localcommand", "knownhostscommand", "remotecommand"];

/// Programs whose `alias set` gives a command of theirs another name.
pub(super) const WITH_ALIASES: &[&str] = &["gh", "glab"];

/// How the value of a variable is read that names a command.
pub(crate) fn of_variable(name: &str) -> Option<Setting> {
    VARIABLES.iter().find(|(known, _)| *known == name).map(|(_, setting)| *setting)
}

/// The same of a setting of Git.
pub(crate) fn of_git(key: &str) -> Option<Setting> {
    let (section, rest) = key.split_once('.')?;
    let name = rest.rsplit('.').next().unwrap_or(rest);
    let is_it = |known: &str, one: &str| known == "*" || known.eq_ignore_ascii_case(one);
    let known = OF_GIT.iter().find(|(of, last, _)| is_it(of, section) && is_it(last, name));
    known.map(|(_, _, setting)| *setting)
}

/// Whether a setting of OpenSSH names a command.
pub(crate) fn of_ssh(name: &str) -> bool {
    OF_SSH.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
}

/// Whether a program gives its commands other names by `alias set`.
pub(crate) fn aliases(program: &str) -> bool {
    WITH_ALIASES.contains(&program)
}
