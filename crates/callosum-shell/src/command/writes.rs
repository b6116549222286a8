//! How a command writes to the paths that its words name: for who keeps a folder of which a part may only be appended to, or not
//! be written at all. Which files these are, `changed` tells.

use std::borrow::Cow;

use super::changed::{changed, edited, listed};
use super::code_writes::{INTERPRETERS, code_writes};
use super::outputs::{is_known, outputs, values};
use super::write_kind::{Write, WriteKind};
use super::{Command, REDIRECTION};
use crate::{Argument, Invocation, joined};

/// Programs that write files which their words name, beside those that `kind` tells apart.
const WRITERS: &[&str] = &[
    "truncate", "chmod", "chown", "chgrp", "chattr", "setfacl", "dd", "mkfifo", "mknod", "ed", "ex", "vi",
    "vim", "nvim", "nano", "emacs", "sqlite3", "split", "csplit", "zip", "openssl", "gpg", "gpg2", "cp",
    "ln", "install", "rsync", "scp", "sed", "gsed", "curl", "curlie", "wget", "patch", "tar", "gtar",
    "bsdtar", "unzip", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "sort", "yq", "awk",
    "gawk", "rclone", "git", "find", "gio",
];

/// Tests of `find` that go by what a file is, and not by what it is called.
const BLIND_TESTS: &[&str] = &[
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-size",
    "-newer",
    "-user",
    "-group",
    "-perm",
    "-readable",
    "-writable",
];

/// Programs that can be asked to say what they would do.
const TRYING: &[&str] =
    &["git", "rsync", "rclone", "patch", "rename", "prename", "aws", "gsutil", "gh", "npx"];

/// Tests of `find` that let everything in a folder pass.
const WIDE_TESTS: &[&str] =
    &["-type", "-depth", "-mindepth", "-maxdepth", "-delete", "-print", "-print0", "-exec", "-xdev"];

/// Whether a program of this name may write files, but for those that take away.
#[must_use]
pub fn may_write(program: &str) -> bool {
    WRITERS.contains(&program)
        || INTERPRETERS.contains(&program)
        || is_known(program)
        || matches!(program, "tee" | "sponge" | "touch")
}

/// What a command writes, as far as its words say.
#[must_use]
pub fn writes<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    let invocation = command.invocation;
    let program = command.program();
    if program == REDIRECTION {
        let kind = if invocation.appends { WriteKind::Append } else { WriteKind::Overwrite };
        return invocation.words.iter().map(|path| Write { kind, path: Cow::Borrowed(path) }).collect();
    }
    if INTERPRETERS.contains(&program) {
        let edited = edited(command).unwrap_or_default().into_iter();
        let edited = edited.map(|path| Write { kind: WriteKind::Overwrite, path: Cow::Borrowed(path) });
        return edited.chain(code_writes(invocation)).collect();
    }
    // Elsewhere, and to others, it may be a name or a pattern: `find . -name --dry-run -o -delete`.
    let only_explains = invocation.words.first().is_some_and(|word| word == "--help");
    if only_explains || TRYING.contains(&program) && command.has(&["--dry-run"]) {
        return Vec::new();
    }
    let mut found = outputs(command);
    found.extend(usual(command));
    found
}

/// The same of a program that is known for it.
fn usual<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    let (invocation, program) = (command.invocation, command.program());
    let all = |kind: WriteKind, paths: Vec<Cow<'l, str>>| {
        paths.into_iter().map(|path| Write { kind, path }).collect::<Vec<_>>()
    };
    let Some(kind) = kind(command) else { return Vec::new() };
    let rest = command.arguments.get(behind_verb(command)..).unwrap_or_default();
    let words = &invocation.words;
    match program {
        "mv" | "rsync" => {
            let linked = values(words, "--link-dest").into_iter().map(Cow::Borrowed).collect();
            copied(command, kind).into_iter().chain(all(WriteKind::Overwrite, linked)).collect()
        }
        "cp" => {
            // Who writes to the one name of a file writes to the other.
            let links = words.iter().any(|word| {
                word == "--link" || word.starts_with('-') && !word.starts_with("--") && word.contains('l')
            });
            let sources = command.plain().filter(|_| links).map(Cow::Borrowed);
            let mut written: Vec<Cow<'l, str>> = sources.chain(changed(command, rest)).collect();
            if command.has_option("--parents") {
                let to = command.plain().last().unwrap_or_default();
                let sources = command
                    .plain()
                    .map(|source| Cow::Owned(joined(Some(to), source.trim_start_matches('/'))));
                written.extend(sources);
            }
            all(kind, written)
        }
        "git" => in_work_tree(command, of_git(command, rest)),
        "tar" | "gtar" | "bsdtar" => of_tar(command),
        "sed" | "gsed" => {
            all(kind, changed(command, rest).into_iter().chain(written_by_script(words)).collect())
        }
        "vi" | "vim" | "nvim" | "ex" => all(
            kind,
            changed(command, rest)
                .into_iter()
                .chain(words.iter().filter_map(|word| saved_as(word)))
                .collect(),
        ),
        "dd" if words
            .iter()
            .any(|word| word.strip_prefix("oflag=").is_some_and(|flags| flags.contains("append"))) =>
        {
            all(WriteKind::Append, changed(command, rest))
        }
        "awk" | "gawk" => {
            let appends = |path: &str| {
                words.iter().any(|word| word.replace(' ', "").contains(&format!(">>\"{path}\"")))
            };
            let of = |path: Cow<'l, str>| Write {
                kind: if appends(&path) { WriteKind::Append } else { kind },
                path,
            };
            changed(command, rest).into_iter().map(of).collect()
        }
        "rclone" => of_rclone(command),
        "find" => of_find(invocation),
        "ln" => {
            // Whoever writes through the link writes to what it leads to.
            let sources = command.plain().map(Cow::Borrowed);
            all(kind, sources.chain(changed(command, rest)).collect())
        }
        "install" if command.has(&["-d", "--directory"]) => Vec::new(),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => {
            // `chmod -x a`: what looks like an option is the mode.
            let is_mode = |word: &&String| {
                word.strip_prefix('-')
                    .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "rwxXst".contains(c)))
            };
            let named =
                words.iter().filter(|word| !word.starts_with('-')).map(|word| Cow::Borrowed(word.as_str()));
            let modes = usize::from(!(program == "chmod" && words.iter().any(|word| is_mode(&word))));
            all(kind, named.skip(modes).collect())
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
    let named = anywhere_below(invocation).into_iter().map(|path| (false, Cow::Owned(path)));
    listed(invocation).into_iter().map(|path| (lists_all, path)).chain(named).collect()
}

/// What stands in a path for any folders.
pub const ANYWHERE: &str = "**";

/// The names that `find` and `fd` look for, anywhere below where they begin: `START/**/NAME`.
fn anywhere_below(invocation: &Invocation) -> Vec<String> {
    let words = tests(&invocation.words);
    let at = |start: &str, name: &str| format!("{}/{ANYWHERE}/{name}", start.trim_end_matches('/'));
    match invocation.program.as_str() {
        "find" if words.iter().any(|word| matches!(word.as_str(), "!" | "-not" | "-prune")) => Vec::new(),
        "find" => {
            let begins = words.iter().skip_while(|word| matches!(word.as_str(), "-H" | "-L" | "-P"));
            let starts: Vec<&str> =
                begins.take_while(|word| !word.starts_with(['-', '('])).map(String::as_str).collect();
            let starts = if starts.is_empty() { vec!["."] } else { starts };
            let names = words.windows(2).filter_map(|pair| match pair {
                [test, name] if matches!(test.as_str(), "-name" | "-iname") => Some(name),
                _ => None,
            });
            names.flat_map(|name| starts.iter().map(move |start| at(start, name))).collect()
        }
        "fd" | "fdfind" => {
            let mut plain = words.iter().filter(|word| !word.starts_with('-'));
            let Some(name) = plain.next().filter(|name| name.as_str() != ".") else { return Vec::new() };
            vec![at(plain.next().map_or(".", String::as_str), &format!("*{name}*"))]
        }
        _ => Vec::new(),
    }
}

/// The words of `find` and `fd` before the command that they run.
fn tests(words: &[String]) -> &[String] {
    let runs = |word: &String| {
        matches!(
            word.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        )
    };
    words.get(..words.iter().position(runs).unwrap_or(words.len())).unwrap_or_default()
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

/// Where `tar` puts what it takes out of an archive, the archive that it makes, and what it takes away for that.
fn of_tar<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    let words = &command.invocation.words;
    let letters = |(at, word): (usize, &'l String)| match word.strip_prefix('-') {
        Some(letters) => (!letters.starts_with('-')).then_some(letters),
        None => (at == 0).then_some(word.as_str()),
    };
    let has = |letter: char, long: &[&str]| {
        words.iter().any(|word| long.contains(&word.as_str()))
            || words.iter().enumerate().filter_map(letters).any(|letters| letters.contains(letter))
    };
    let write = |kind: WriteKind, path: &'l str| Write { kind, path: Cow::Borrowed(path) };
    let mut found: Vec<Write<'l>> =
        changed(command, &[]).into_iter().map(|path| Write { kind: WriteKind::Overwrite, path }).collect();
    if has('x', &["--extract", "--get"]) {
        found.extend(values(words, "-C").into_iter().map(|path| write(WriteKind::Overwrite, path)));
    } else if has('c', &["--create"]) || has('r', &["--append"]) || has('u', &["--update"]) {
        // `-czf a`: the name is the next word.
        let named = words
            .iter()
            .enumerate()
            .find(|(at, word)| letters((*at, word)).is_some_and(|letters| letters.ends_with('f')));
        let archive = named.and_then(|(at, _)| words.get(at + 1)).map(String::as_str);
        let archives = archive.into_iter().chain(values(words, "--file"));
        found.extend(archives.map(|path| write(WriteKind::Overwrite, path)));
        if command.has_option("--remove-files") {
            let packed =
                words.iter().filter(|word| !word.starts_with('-')).map(|word| write(WriteKind::Remove, word));
            found.extend(packed);
        }
    }
    found
}

/// The files that a script of `sed` writes to: `w FILE`.
fn written_by_script(words: &[String]) -> impl Iterator<Item = Cow<'_, str>> {
    let of = |word: &'_ String| {
        let ends = word.match_indices(['w', 'W']);
        let found = ends.filter_map(|(at, _)| {
            let (before, behind) = (word.get(..at)?, word.get(at + 1..)?);
            let begins =
                before.chars().next_back().is_none_or(|c| !c.is_alphabetic() || "gpiImMe".contains(c));
            let path = behind.strip_prefix(' ')?.lines().next()?.trim();
            (begins && path.contains(['/', '.']) && !path.contains(' ')).then(|| path.to_owned())
        });
        found.collect::<Vec<_>>()
    };
    words.iter().flat_map(of).map(Cow::Owned)
}

/// Where to a command of `ex` saves: `w FILE`.
fn saved_as(word: &str) -> Option<Cow<'_, str>> {
    let command = word.trim_start_matches(['+', ':', '%', ' ']);
    let behind = ["write", "saveas", "sav", "w"].iter().find_map(|name| command.strip_prefix(name))?;
    let path = behind.trim_start_matches('!').strip_prefix(' ')?.split('|').next()?;
    let path = path.trim().trim_start_matches(">>").trim();
    (!path.is_empty()).then_some(Cow::Borrowed(path))
}

/// What git writes, in the tree that an option or a variable names for it.
fn in_work_tree<'l>(command: &Command<'l>, found: Vec<Write<'l>>) -> Vec<Write<'l>> {
    let variables = &command.invocation.variables;
    let of_variable =
        variables.iter().rfind(|(name, _)| name == "GIT_WORK_TREE").map(|(_, tree)| tree.as_str());
    let Some(tree) = values(&command.invocation.words, "--work-tree").pop().or(of_variable) else {
        return found;
    };
    let within = |write: Write<'l>| Write { path: Cow::Owned(joined(Some(tree), &write.path)), ..write };
    found.into_iter().map(within).collect()
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
            // The first word says what becomes of it.
            "worktree" if at > 0 => WriteKind::Overwrite,
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
        let named = anywhere_below(invocation).into_iter();
        written.extend(named.map(|path| Write { kind: WriteKind::Overwrite, path: Cow::Owned(path) }));
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
    let is_test = |word: &str| {
        word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let is_wide = |word: &str| WIDE_TESTS.contains(&word) || BLIND_TESTS.contains(&word);
    tests(&invocation.words).iter().any(|word| word.len() > 2 && is_test(word) && !is_wide(word))
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
        let rows = [
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
            ("truncate -s0 /a/b", "=/a/b"),
            ("truncate --size=0 /a/b ~/c", "=/a/b =~/c"),
            ("truncate --size -5 /a/b", "=/a/b"),
            ("truncate --reference=a /b", "=/b"),
            ("chmod 600 a", "=a"),
            ("touch a", "+a"),
            ("mkdir -p a", ""),
            ("cat a", ""),
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
            ("find . -name '*.o' -delete", "=. =./.*.o =./**/*.o"),
            ("find a -name b", ""),
            ("rclone sync a b", "~b"),
            ("rclone purge a", "-a"),
            ("gio trash a", "-a"),
            ("rm --help a", ""),
            ("mount --bind a b", "=a >b"),
            ("cp -l a b", "=a =b =b/a =b"),
            ("cp --parents a/x b", "=b/x =b =b/a/x =b/b"),
            ("tar xf a -Cb", "=. =b"),
            ("tar cf a b", "=a"),
            ("tar czf - b", "=-"),
            ("tar -x -f a -C b", "=b =b"),
            ("tar --remove-files -cf a b", "=a -a -b"),
            ("chmod -R a-r a", "=a"),
            ("chmod -x a", "=a"),
            ("git --work-tree=a checkout -- b", "=a/b"),
            ("vim -es -c 'w! a/b' c", "=w! a/b =c =a/b"),
            ("sed 'w a/b' c", "=a/b"),
            ("sed -n '/x/p' c", ""),
            ("dd if=a of=b oflag=append conv=notrunc", "+b"),
            ("awk '{print >> \"a.b\"}' c", "+a.b"),
            ("patch -p1 <<'E'\n--- a/b.c\n+++ b/b.c\nE", "=a/b.c =b.c =b/b.c =b.c =."),
            ("git apply <<'E'\n+++ b/b.c\nE", "=b/b.c =b.c"),
            ("prettier --write a.md", "=a.md"),
            ("prettier --check a.md", ""),
            ("black .", "=."),
            ("black --check .", ""),
            ("pandoc a -o b", "=b"),
            ("aws s3 cp s3://a/b c", "=c"),
            ("aws s3 sync --delete s3://a b", "~b"),
            ("aws s3 cp a s3://b/c", "=s3://b/c"),
            ("kubectl cp a:/b c", "=c"),
            ("docker cp a:/b c", "=c"),
            ("docker run -v a:/b c", "=a"),
            ("docker run -v a:/b:ro c", ""),
            ("docker run --mount type=bind,src=a,dst=/b c", "=a"),
            ("gh release download -D a", "=a"),
            ("7z x a.7z -ob", "=b"),
            ("Set-Content a b", "=a"),
            ("Remove-Item -Recurse -Force a", "-a"),
            ("Move-Item a b", ">a =b"),
            ("Copy-Item a b", "=b"),
            ("Add-Content -Path a b", "+a +b"),
            ("find . -mtime +5 -delete", "-."),
            ("find . -name 'a' -delete", "=. =./a =./**/a"),
            ("find . -name a -prune -o -type f -delete", "=."),
        ];
        let wrong = rows.into_iter().map(|(line, written)| (line, of(line), written));
        let wrong: Vec<_> = wrong.filter(|(_, found, written)| found != written).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
