//! How a command writes to the paths that its words name: for who keeps a folder of which a part may only be appended to, or not
//! be written at all. Which files these are, `changed` tells.

use std::borrow::Cow;

use super::changed::{changed, edited, listed};
use super::code_writes::code_writes;
use super::write_kind::{Write, WriteKind};
use super::{Command, REDIRECTION};
use crate::{Argument, Invocation};

/// Programs that write files which their words name, beside those that `kind` tells apart.
const WRITERS: &[&str] = &[
    "truncate", "chmod", "chown", "chgrp", "chattr", "setfacl", "dd", "mkfifo", "ed", "ex", "vi", "vim",
    "nvim", "nano", "emacs", "sqlite3", "split", "csplit", "zip", "openssl", "gpg", "gpg2", "cp", "ln",
    "install", "rsync", "scp", "sed", "gsed", "curl", "curlie", "wget", "patch", "tar", "gtar", "bsdtar",
    "unzip", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "sort", "yq", "awk", "gawk",
    "rclone", "git", "find", "gio",
];

/// Interpreters whose code is looked at.
const INTERPRETERS: &[&str] = &["python", "python3", "node", "nodejs", "php", "deno", "bun", "perl", "ruby"];

/// Tests of `find` that let everything in a folder pass.
const WIDE_TESTS: &[&str] =
    &["-type", "-depth", "-mindepth", "-maxdepth", "-delete", "-print", "-print0", "-exec", "-xdev"];

/// What a command writes, as far as its words say.
#[must_use]
pub fn writes<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    let invocation = command.invocation;
    let program = command.program();
    if program == REDIRECTION {
        let kind = if invocation.appends { WriteKind::Append } else { WriteKind::Overwrite };
        return invocation.words.iter().map(|path| Write { kind, path: Cow::Borrowed(path) }).collect();
    }
    // What only explains or tries: of programs, not of code, which may be given any option.
    if INTERPRETERS.contains(&program) {
        let edited = edited(command).unwrap_or_default().into_iter();
        let edited = edited.map(|path| Write { kind: WriteKind::Overwrite, path: Cow::Borrowed(path) });
        return edited.chain(code_writes(invocation)).collect();
    }
    if command.has(&["--help", "--dry-run"]) {
        return Vec::new();
    }
    let all = |kind: WriteKind, paths: Vec<Cow<'l, str>>| {
        paths.into_iter().map(|path| Write { kind, path }).collect::<Vec<_>>()
    };
    let Some(kind) = kind(command) else { return Vec::new() };
    let rest = command.arguments.get(behind_verb(command)..).unwrap_or_default();
    match program {
        "mv" | "rsync" => copied(command, kind),
        "git" => of_git(command, rest),
        "rclone" => of_rclone(command),
        "find" => of_find(invocation),
        "ln" => {
            // Whoever writes through the link writes to what it leads to.
            let sources = command.plain().map(Cow::Borrowed);
            all(kind, sources.chain(changed(command, rest)).collect())
        }
        "install" if command.has(&["-d", "--directory"]) => Vec::new(),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => {
            all(kind, command.plain().skip(1).map(Cow::Borrowed).collect())
        }
        "truncate" => {
            let is_size = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || "+-<>/%".contains(c));
            all(kind, command.plain().filter(|word| !is_size(word)).map(Cow::Borrowed).collect())
        }
        _ => all(kind, changed(command, rest)),
    }
}

/// How a command would write to paths that something else gives it: `xargs rm`.
#[must_use]
pub fn writes_given(command: &Command<'_>) -> Option<WriteKind> {
    let edits_nothing = || {
        let is_editor = matches!(
            command.program(),
            "sed" | "gsed" | "awk" | "gawk" | "sort" | "yq" | "curl" | "wget" | "find"
        );
        is_editor && !command.has(&["-i", "--in-place"])
    };
    match command.program() {
        "git" | "rclone" | "tar" | "gtar" | "bsdtar" | "unzip" | "zip" | "openssl" | "gpg" | "gpg2"
        | "dd" => None,
        // What it is given comes before where to it copies.
        "cp" | "scp" | "install" | "rsync" | "ln" => None,
        program if INTERPRETERS.contains(&program) || program == REDIRECTION => None,
        _ if edits_nothing() => None,
        _ => kind(command),
    }
}

/// The paths that a command lists for another one to write to: those with all below them where it lists all, else as far as that is
/// in them.
#[must_use]
pub fn lists(invocation: &Invocation) -> Vec<(bool, Cow<'_, str>)> {
    let lists_all = invocation.program != "find" || !is_picky(invocation);
    listed(invocation).into_iter().map(|path| (lists_all, path)).collect()
}

/// How a program writes to the paths that `changed` tells of it; `None` of one that is not known to write.
fn kind(command: &Command<'_>) -> Option<WriteKind> {
    Some(match command.program() {
        "rm" | "rmdir" | "unlink" | "shred" | "trash" | "trash-put" => WriteKind::Remove,
        "mv" | "rename" | "prename" | "mmv" | "mount" | "umount" => WriteKind::Move,
        "tee" | "sponge" if command.has(&["-a", "--append"]) => WriteKind::Append,
        // What stands in a file stays.
        "touch" => WriteKind::Append,
        "tee" | "sponge" => WriteKind::Overwrite,
        "rsync" if is_mirror(command) => WriteKind::Mirror,
        "gio" => match command.plain().next()? {
            "trash" | "remove" => WriteKind::Remove,
            "move" | "rename" => WriteKind::Move,
            "copy" | "save" => WriteKind::Overwrite,
            _ => return None,
        },
        program if WRITERS.contains(&program) => WriteKind::Overwrite,
        _ => return None,
    })
}

/// `--delete` and its like. What is excluded stays, and what that is the options don't prove.
fn is_mirror(command: &Command<'_>) -> bool {
    let words = || command.invocation.words.iter();
    let excludes = |word: &String| {
        word.starts_with("--exclude") || word.starts_with("--filter") || word.starts_with("-f")
    };
    words().any(|word| word.starts_with("--del")) && !words().any(excludes)
}

/// How many arguments belong to the program itself: it may have a verb.
fn behind_verb(command: &Command<'_>) -> usize {
    if !matches!(command.program(), "git" | "gio") {
        return 0;
    }
    let is_verb = |argument: &Argument<'_>| matches!(argument, Argument::Plain(_));
    command.arguments.iter().position(is_verb).map_or(0, |at| at + 1)
}

/// What a program that copies and moves writes: where to, and what it takes away.
fn copied<'l>(command: &Command<'l>, kind: WriteKind) -> Vec<Write<'l>> {
    let mut sources: Vec<&str> = command.plain().collect();
    let named = command.values(&["-t", "--target-directory"]).last().copied();
    let to = named.or_else(|| sources.pop()).unwrap_or_default();
    let is_whole = |source: &&str| matches!(source.rsplit('/').next(), Some("" | "." | "*"));
    let mirrors_whole = kind == WriteKind::Mirror && sources.iter().any(is_whole);
    let of = |path: Cow<'l, str>| {
        let is_source = sources.contains(&path.as_ref()) && path != to;
        let kind = match kind {
            WriteKind::Mirror if is_source => WriteKind::Remove,
            WriteKind::Mirror if path == to && !mirrors_whole => WriteKind::Overwrite,
            WriteKind::Mirror => WriteKind::Mirror,
            _ if is_source => WriteKind::Move,
            _ => WriteKind::Overwrite,
        };
        Write { kind, path }
    };
    changed(command, &[]).into_iter().map(of).collect()
}

/// What a command of git writes that names paths, or takes along what git does not keep. Without paths it changes files that are in the
/// repository.
fn of_git<'l>(command: &Command<'l>, rest: &[Argument<'l>]) -> Vec<Write<'l>> {
    let verb = command.plain().next().unwrap_or_default();
    let words = &command.invocation.words;
    let has_letter = |letters: &[char]| {
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
    };
    let takes_ignored = match verb {
        "clean" => has_letter(&['x', 'X']) && !has_letter(&['n']),
        "stash" => has_letter(&['a']) || command.has(&["--all"]),
        _ => false,
    };
    let only_named = words.iter().any(|word| word == "--");
    let is_path = |path: &str| {
        // A branch, unless it looks like a file.
        verb != "checkout" || only_named || path.contains(['.', '/'])
    };
    let paths = changed(command, rest);
    let last = paths.len().saturating_sub(1);
    let of = |(at, path): (usize, Cow<'l, str>)| {
        let names_none = path == "." && !matches!(verb, "checkout" | "restore" | "rm");
        let kind = match verb {
            "clean" | "stash" if names_none && !takes_ignored => return None,
            "reset" if names_none => return None,
            "clean" | "rm" => WriteKind::Remove,
            "stash" => WriteKind::Move,
            "mv" if at < last => WriteKind::Move,
            "checkout" | "restore" | "mv" | "clone" => WriteKind::Overwrite,
            _ => return None,
        };
        is_path(&path).then_some(Write { kind, path })
    };
    paths.into_iter().enumerate().filter_map(of).collect()
}

fn of_rclone<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    let mut words = command.plain();
    let verb = words.next().unwrap_or_default();
    let (from, to) = (words.next(), words.next());
    let one =
        |kind: WriteKind, path: Option<&'l str>| path.map(|path| Write { kind, path: Cow::Borrowed(path) });
    let found = match verb {
        "sync" => [None, one(WriteKind::Mirror, to)],
        "copy" | "copyto" => [None, one(WriteKind::Overwrite, to)],
        "move" | "moveto" => [one(WriteKind::Move, from), one(WriteKind::Overwrite, to)],
        "purge" | "delete" | "deletefile" | "rmdir" | "rmdirs" => [one(WriteKind::Remove, from), None],
        _ => [None, None],
    };
    found.into_iter().flatten().collect()
}

/// What `find` itself removes or writes to: all below where it begins, where nothing picks some of it.
fn of_find(invocation: &Invocation) -> Vec<Write<'_>> {
    let mut written = Vec::new();
    let words = &invocation.words;
    if words.iter().any(|word| word == "-delete") {
        let kind = if is_picky(invocation) { WriteKind::Overwrite } else { WriteKind::Remove };
        written.extend(listed(invocation).into_iter().map(|path| Write { kind, path }));
    }
    let printed = words.windows(2).filter_map(|pair| match pair {
        [option, file] if matches!(option.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
            Some(file)
        }
        _ => None,
    });
    written.extend(printed.map(|file| Write { kind: WriteKind::Overwrite, path: Cow::Borrowed(file) }));
    written
}

/// Whether a test of `find` picks some files of all.
fn is_picky(invocation: &Invocation) -> bool {
    invocation
        .words
        .iter()
        .any(|word| word.starts_with('-') && word.len() > 2 && !WIDE_TESTS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    fn of(line: &str) -> String {
        let line = Line::read(line);
        let all = line.invocations.iter().chain(&line.redirects);
        let found = all.flat_map(|invocation| {
            let command = Command::new(invocation);
            writes(&command)
                .into_iter()
                .map(|write| {
                    let kind = match write.kind {
                        WriteKind::Append => "+",
                        WriteKind::Overwrite => "=",
                        WriteKind::Remove => "-",
                        WriteKind::Move => ">",
                        WriteKind::Mirror => "~",
                    };
                    format!("{kind}{}", write.path)
                })
                .collect::<Vec<_>>()
        });
        found.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn how_a_command_writes_is_told() {
        for (line, written) in [
            ("echo x > a", "=a"),
            ("echo x >> a", "+a"),
            ("echo x >| a", "=a"),
            ("echo x &> a", "=a"),
            ("echo x &>> a", "+a"),
            ("ls 2>> a", "+a"),
            ("ls 2> a", "=a"),
            ("cat < a", ""),
            ("{ echo a; echo b; } >> c", "+c"),
            ("cat >> a <<E\nx\nE", "+a"),
            ("echo x | tee a", "=a"),
            ("echo x | tee -a a b", "+a +b"),
            ("rm -rf a b", "-a -b"),
            ("mv a b", ">a =b/a =b"),
            ("mv -t d a", ">a =d/a =d"),
            ("cp a b", "=b/a =b"),
            ("ln -s a b", "=a =b =b/a =b"),
            ("install -d a", ""),
            ("rsync -a a/ b/", "=b/"),
            ("rsync -a --delete a/ b/", "~b/"),
            ("rsync -a --delete a b", "~b/a =b"),
            ("rsync -a --delete --exclude x a/ b/", "=b/"),
            ("rsync --dry-run -a --delete a/ b/", ""),
            ("dd if=a of=b", "=b"),
            ("sed -i s/a/b/ f", "=f"),
            ("sed s/a/b/ f", ""),
            ("perl -pi -e s/a/b/ f", "=f"),
            ("perl -pe s/a/b/ f", ""),
            ("sort -o a b", "=a"),
            ("truncate -s 0 a", "=a"),
            ("chmod 600 a", "=a"),
            ("touch a", "+a"),
            ("mkdir -p a", ""),
            ("cat a", ""),
            ("prettier --write a.md", ""),
            ("git checkout main", ""),
            ("git checkout -- a", "=a"),
            ("git checkout a.md", "=a.md"),
            ("git restore .", "=."),
            ("git stash", ""),
            ("git stash -u", ""),
            ("git stash --all", ">."),
            ("git reset --hard", ""),
            ("git clean -fd", ""),
            ("git clean -fdx", "-."),
            ("git clean -ndx", ""),
            ("git clean -fd a", "-a"),
            ("git add -A", ""),
            ("git rm -r a", "-a"),
            ("git mv a b", ">a =b"),
            ("git commit -m 'a > b'", ""),
            ("find a -delete", "-a"),
            ("find . -type f -delete", "-."),
            ("find . -name '*.o' -delete", "=. =./.*.o"),
            ("find a -name b", ""),
            ("rclone sync a b", "~b"),
            ("rclone purge a", "-a"),
            ("gio trash a", "-a"),
            ("rm --help a", ""),
            ("mount --bind a b", ">b"),
        ] {
            assert_eq!(of(line), written, "{line}");
        }
    }
}
