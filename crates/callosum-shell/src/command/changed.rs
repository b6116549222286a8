//! Which files a command changes, as far as its words say.

use std::borrow::Cow;

use super::{Command, plain};
use crate::own_files::{STATE, is_home, is_settings_folder};
use crate::{Argument, Invocation};

/// Programs that copy or move: where to is changed.
const COPIERS: &[&str] = &["cp", "mv", "ln", "install", "rsync", "scp"];

/// Programs that print the files they are given, for another one to do something with.
const LISTERS: &[&str] = &["find", "fd", "fdfind", "ls", "realpath", "readlink"];

/// An editor that changes files only where `-i` tells it to.
struct Editor {
    programs: &'static [&'static str],
    /// Short options whose value is the next word, where it is not the rest of their own.
    values: &'static str,
    /// Short options whose value is the rest of their word.
    attached: &'static str,
    /// Those that give the script; without one the first argument is it.
    scripts: &'static str,
}

const EDITORS: &[Editor] = &[
    Editor { programs: &["sed", "gsed"], values: "efl", attached: "", scripts: "ef" },
    Editor { programs: &["perl"], values: "eEI", attached: "MmCDxdF", scripts: "eE" },
    Editor { programs: &["ruby"], values: "eIrCE", attached: "FKWTx", scripts: "e" },
    Editor { programs: &["yq"], values: "opI", attached: "", scripts: "" },
];

/// Of so many folders in which `find` begins the names are told.
const MAX_STARTS: usize = 64;

/// Where the command runs, as a path from there.
const HERE: &str = ".";

/// The files that a command changes, of which `rest` are the words behind the subcommands. Of a program that is not known
/// that may be each of them.
pub(super) fn changed<'l>(command: &Command<'l>, rest: &[Argument<'l>]) -> Vec<Cow<'l, str>> {
    if COPIERS.contains(&command.program()) {
        return copied_to(command);
    }
    if command.program() == "find" {
        return found(&command.invocation.words);
    }
    let files = written(command, rest);
    let states = if command.program() == "rm" { states_in(&files) } else { Vec::new() };
    files.into_iter().map(Cow::Borrowed).chain(states).collect()
}

/// The state that goes with each home that is removed or moved.
fn states_in<'l>(folders: &[&str]) -> Vec<Cow<'l, str>> {
    let is_one = |folder: &str| match folder.strip_prefix('~') {
        Some(user) => user.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
        None => folder.starts_with('/') && is_home(folder) || matches!(folder, "$HOME" | "${HOME}"),
    };
    let homes = folders.iter().map(|folder| folder.trim_end_matches('/')).filter(|folder| is_one(folder));
    homes.map(|home| Cow::Owned(format!("{home}/{STATE}"))).collect()
}

/// The files that an editor changes in place; `None` of another program.
pub(super) fn edited<'l>(command: &Command<'l>) -> Option<Vec<&'l str>> {
    let editor = EDITORS.iter().find(|editor| editor.programs.contains(&command.program()))?;
    Some(editor.edited(&command.invocation.words))
}

/// The same of a program that copies none.
fn written<'l>(command: &Command<'l>, rest: &[Argument<'l>]) -> Vec<&'l str> {
    let program = command.program();
    if let Some(mut files) = edited(command) {
        files.extend(in_code(command.invocation));
        return files;
    }
    match program {
        "python" | "python3" | "node" | "php" | "deno" | "bun" => in_code(command.invocation),
        // What stood there is out of reach.
        "mount" => {
            let words = command.invocation.words.iter().filter(|word| !word.starts_with('-'));
            words.skip(1).last().map(String::as_str).into_iter().collect()
        }
        "split" | "csplit" => command.plain().skip(1).last().into_iter().collect(),
        "rclone" => match command.plain().next() {
            Some("copy" | "copyto" | "sync") => command.plain().skip(2).last().into_iter().collect(),
            Some(
                "ls" | "lsl" | "lsd" | "lsf" | "lsjson" | "size" | "check" | "cat" | "md5sum" | "hashsum"
                | "tree",
            ) => Vec::new(),
            _ => command.plain().skip(1).collect(),
        },
        "sqlite3" if command.has(&["-readonly", "--readonly"]) => Vec::new(),
        "sqlite3" => command.plain().next().into_iter().collect(),
        "vi" | "vim" | "nvim" if command.has(&["-R", "-M"]) => Vec::new(),
        "zip" if !command.has(&["-m", "--move"]) => command.plain().next().into_iter().collect(),
        "openssl" => command.values(&["-out"]),
        "gpg" | "gpg2" => command.values(&["-o", "--output"]),
        "dd" => command.plain().filter_map(|word| word.strip_prefix("of=")).collect(),
        "awk" | "gawk" => {
            let is_in_place =
                command.values(&["-i", "--include"]).iter().any(|name| name.starts_with("inplace"));
            let scripts = usize::from(command.values(&["-f", "--file"]).is_empty());
            if is_in_place {
                command.plain().skip(scripts).collect()
            } else {
                command.plain().take(scripts).flat_map(printed_to).collect()
            }
        }
        "curl" | "curlie" => {
            let mut files = command.values(&[
                "-o",
                "--output",
                "--output-dir",
                "-D",
                "--dump-header",
                "-c",
                "--cookie-jar",
                "--trace",
                "--trace-ascii",
                "--stderr",
                "--etag-save",
            ]);
            let is_here = command.values(&["--output-dir"]).is_empty();
            files.extend(
                (is_here && command.has(&["-O", "--remote-name", "--remote-name-all"])).then_some(HERE),
            );
            files
        }
        "wget" => {
            let named = command.values(&["-O", "--output-document", "-P", "--directory-prefix"]);
            let here = named.is_empty().then_some(HERE);
            let logs = command.values(&["-o", "--output-file", "-a", "--append-output"]);
            named.into_iter().chain(here).chain(logs).collect()
        }
        "patch" => {
            let named = command.values(&["-o", "--output", "-d", "--directory"]);
            let first = command.plain().next().or(named.is_empty().then_some(HERE));
            named.into_iter().chain(first).collect()
        }
        // The index alone.
        "git" if command.has(&["--cached", "--staged"]) && !command.has(&["--worktree", "-W"]) => Vec::new(),
        "sort" => command.values(&["-o", "--output"]),
        "unzip" if command.has(&["-l", "-p", "-t", "-v", "-Z"]) => Vec::new(),
        "unzip" => {
            let named = command.values(&["-d"]);
            if named.is_empty() { vec![HERE] } else { named }
        }
        "tar" | "gtar" | "bsdtar" => extracted_to(&command.invocation.words),
        // The file stays.
        "zstd" if !command.has(&["--rm"]) => Vec::new(),
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" if keeps_file(&command.invocation.words) => {
            Vec::new()
        }
        "git" => changed_by_git(command, rest),
        "chmod" | "chown" | "chgrp" if command.values(&["--reference"]).is_empty() => {
            let mut files = all_named(rest, &[]);
            // Who gets what stands before the files, if not as an option (`chmod -x a`).
            let gives = |word: &str| program != "chmod" || is_file_mode(word);
            if files.len() > 1 && files.first().is_some_and(|first| gives(first)) {
                files.remove(0);
            }
            files
        }
        "truncate" => all_named(rest, &["-s", "--size", "-r", "--reference"]),
        _ => all_named(rest, &[]),
    }
}

/// All that may be a file: the arguments, and the values of options but of these.
fn all_named<'l>(rest: &[Argument<'l>], but: &[&str]) -> Vec<&'l str> {
    let named = |argument: &Argument<'l>| match argument {
        Argument::Plain(word) => Some(*word),
        Argument::Option { name, value, .. } if !but.contains(name) => Some(*value),
        Argument::Option { .. } | Argument::Switch(_) => None,
    };
    rest.iter().filter_map(named).collect()
}

/// Whether a word is a mode as `chmod` takes it: `0755`, `u+x,go-w`.
fn is_file_mode(word: &str) -> bool {
    word.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
        || word.contains(['+', '-', '=']) && word.bytes().all(|byte| b"ugoarwxXst+-=,".contains(&byte))
}

/// Words of which one stands in code that changes files.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    ".write", "writeFile", "write_text", "write_bytes", "'w'", "\"w\"", "'w+", "\"w+", "'wb", "\"wb", "'a'", "\"a\"", "'>", "\">", "unlink", "remove",
    "rmtree", "rename", "os.replace", "truncate", "rmSync", "rm(", "copy", "move(", "symlink", "delete", "chmod", "put_contents",
];

/// The code that an interpreter is given by its words, or reads.
pub(super) fn code_of(invocation: &Invocation) -> Vec<&str> {
    let options = ["-c", "-e", "-r", "-p", "-pe", "-ne", "--eval", "--print", "-E", "eval"];
    let given = invocation.words.windows(2).filter_map(|pair| match pair {
        [option, code] if options.contains(&option.as_str()) => Some(code.as_str()),
        _ => None,
    });
    given.chain(invocation.input.iter().map(AsRef::as_ref)).collect()
}

/// The texts in quotes in the code that an interpreter is given, where that changes files.
fn in_code(invocation: &Invocation) -> Vec<&str> {
    let code = code_of(invocation);
    let changes = |code: &&str| {
        let code = code.replace("stdout.write", "");
        CHANGES.iter().any(|change| code.contains(change))
    };
    if !code.iter().any(changes) {
        return Vec::new();
    }
    code.into_iter().flat_map(|code| code.split(['\'', '"', '`'])).filter(|text| text.contains('.')).collect()
}

/// The files that a script of awk prints to.
fn printed_to(script: &str) -> impl Iterator<Item = &str> {
    script.split('>').skip(1).filter_map(|behind| behind.trim_start().strip_prefix('"')?.split('"').next())
}

/// The files that a command of git changes.
fn changed_by_git<'l>(command: &Command<'l>, rest: &[Argument<'l>]) -> Vec<&'l str> {
    let mut named = plain(rest);
    match command.plain().next() {
        // Without a path, all of the tree.
        Some("clean") => {
            named.next().map_or_else(|| vec![HERE], |first| std::iter::once(first).chain(named).collect())
        }
        Some("reset") if command.has(&["--hard", "--merge"]) => vec![HERE],
        Some("reset") => Vec::new(),
        Some("stash")
            if named.next().is_none_or(|verb| matches!(verb, "push" | "save" | "pop" | "apply")) =>
        {
            vec![HERE]
        }
        Some("stash") => Vec::new(),
        Some("clone") => named.nth(1).into_iter().collect(),
        _ => named.collect(),
    }
}

/// Whether a program that packs a file leaves it, or only looks at it.
fn keeps_file(words: &[String]) -> bool {
    words.iter().any(|word| match word.strip_prefix("--") {
        Some(long) => matches!(long, "stdout" | "to-stdout" | "keep" | "list" | "test"),
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains(['c', 'k', 'l', 't'])),
    })
}

/// Where `tar` puts what it takes out of an archive.
fn extracted_to(words: &[String]) -> Vec<&str> {
    let takes_out = |word: &str| match word.strip_prefix("--") {
        Some(long) => matches!(long, "extract" | "get"),
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains('x')),
    };
    let is_extracting = words.first().is_some_and(|first| !first.starts_with('-') && first.contains('x'))
        || words.iter().any(|word| takes_out(word));
    if !is_extracting {
        return Vec::new();
    }
    let named = words.windows(2).filter_map(|pair| match pair {
        [option, folder] if matches!(option.as_str(), "-C" | "--directory" | "--cd") => Some(folder.as_str()),
        _ => None,
    });
    let folders: Vec<&str> =
        named.chain(words.iter().filter_map(|word| word.strip_prefix("--directory="))).collect();
    if folders.is_empty() { vec![HERE] } else { folders }
}

/// The files that a command prints the names of.
pub fn listed(invocation: &Invocation) -> Vec<Cow<'_, str>> {
    if !LISTERS.contains(&invocation.program.as_str()) {
        return Vec::new();
    }
    if invocation.program == "find" {
        return sought(&invocation.words);
    }
    let words = invocation.words.iter().filter(|word| !word.starts_with('-'));
    let named: Vec<Cow<'_, str>> = words.map(|word| Cow::Borrowed(word.as_str())).collect();
    if named.is_empty() { vec![Cow::Borrowed(HERE)] } else { named }
}

/// Where to a program copies: the last argument, unless an option says it, and there what it copies has its own name. Where it
/// moves, what it moves too.
fn copied_to<'l>(command: &Command<'l>) -> Vec<Cow<'l, str>> {
    let mut sources: Vec<&str> = command.plain().collect();
    let named = command.values(&["-t", "--target-directory"]).last().copied();
    let Some(to) = named.or_else(|| sources.pop()) else { return Vec::new() };
    let mut files = Vec::new();
    if command.program() == "mv" || command.has_option("--remove-source-files") {
        files.extend(sources.iter().map(|source| Cow::Borrowed(*source)));
        files.extend(states_in(&sources));
    }
    // A folder of settings is not changed by what comes to stand in it, unless that is they.
    let mut is_changed = !is_settings_folder(to) || command.program() == "ln";
    for source in sources {
        match source.rsplit('/').next().unwrap_or_default() {
            "" | "." | ".." | "*" => is_changed = true,
            // A copy of the state is not the state.
            STATE if !is_home(to.trim_end_matches('/')) => {}
            name => files.push(Cow::Owned(format!("{}/{name}", to.trim_end_matches('/')))),
        }
    }
    files.extend(is_changed.then_some(Cow::Borrowed(to)));
    files
}

/// The files that `find` itself removes or writes to.
fn found(words: &[String]) -> Vec<Cow<'_, str>> {
    let mut files = if words.iter().any(|word| word == "-delete") { sought(words) } else { Vec::new() };
    let written = words.windows(2).filter_map(|pair| match pair {
        [option, file] if matches!(option.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
            Some(Cow::Borrowed(file.as_str()))
        }
        _ => None,
    });
    files.extend(written);
    files
}

/// Where `find` begins, and which names it looks for there: not, where an expression may pass over what has them.
fn sought(words: &[String]) -> Vec<Cow<'_, str>> {
    let expression = |word: &&String| word.starts_with('-') || matches!(word.as_str(), "(" | "!");
    let options = words.iter().take_while(|word| matches!(word.as_str(), "-H" | "-L" | "-P")).count();
    let words = words.get(options..).unwrap_or_default();
    let begins = words.iter().take_while(|word| !expression(word)).count();
    let (starts, tests) = words.split_at(begins);
    let mut starts: Vec<&str> = starts.iter().map(String::as_str).take(MAX_STARTS).collect();
    if starts.is_empty() {
        starts.push(HERE);
    }
    let mut files: Vec<Cow<'_, str>> = starts.iter().copied().map(Cow::Borrowed).collect();
    if !tests.iter().any(|word| matches!(word.as_str(), "!" | "-not" | "-prune")) {
        for pair in tests.windows(2) {
            let [test, name] = pair else { continue };
            match test.as_str() {
                "-path" | "-wholename" | "-ipath" => files.push(Cow::Borrowed(name)),
                "-name" | "-iname" => {
                    // A `*` of it matches a dot at the beginning, too.
                    let dot = if name.starts_with('*') { "." } else { "" };
                    files.extend(
                        starts
                            .iter()
                            .map(|start| Cow::Owned(format!("{}/{dot}{name}", start.trim_end_matches('/')))),
                    );
                }
                _ => {}
            }
        }
    }
    files
}

impl Editor {
    /// The files that are changed in place.
    fn edited<'l>(&self, words: &'l [String]) -> Vec<&'l str> {
        let (mut is_in_place, mut has_script, mut options_end) = (false, false, false);
        let mut files = Vec::new();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if options_end || !word.starts_with('-') || word == "-" {
                // BSD's `-i ''`
                files.extend(Some(word).filter(|word| !word.is_empty()));
            } else if word == "--" {
                options_end = true;
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                is_in_place |= "in-place".starts_with(name) || name == "inplace";
                let is_script = matches!(name, "expression" | "file");
                has_script |= is_script;
                if value.is_none() && (is_script || name == "line-length") {
                    words.next();
                }
            } else {
                let letters = word.get(1..).unwrap_or_default();
                for (at, letter) in letters.char_indices() {
                    has_script |= self.scripts.contains(letter);
                    if self.values.contains(letter) {
                        if at + 1 == letters.len() {
                            words.next();
                        }
                        break;
                    }
                    if letter == 'i' {
                        // What follows is the ending of a copy.
                        is_in_place = true;
                        break;
                    }
                    if self.attached.contains(letter) {
                        break;
                    }
                }
            }
        }
        if !is_in_place {
            return Vec::new();
        }
        files.split_off(usize::from(!has_script).min(files.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    fn of(line: &str) -> String {
        let line = Line::read(line);
        let files = line.invocations.iter().flat_map(|invocation| {
            let command = Command::new(invocation);
            let skipped = usize::from(command.program() == "git");
            let files = changed(&command, command.arguments.get(skipped..).unwrap_or_default());
            files.into_iter().map(Cow::into_owned).collect::<Vec<_>>()
        });
        files.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_command_changes_is_told_from_what_it_reads() {
        for (line, files) in [
            ("rm -rf a b", "a b"),
            ("mv a/x b", "a/x b/x b"),
            ("mv -t dir a b", "a b dir/a dir/b dir"),
            ("cp a b dir", "dir/a dir/b dir"),
            ("cp -r a/. dir/", "dir/"),
            ("cp a -R dir", "dir/a dir"),
            ("cp -rt dir a b", "dir/a dir/b dir"),
            ("cp --target-directory=dir a", "dir/a dir"),
            ("cp a dir -f", "dir/a dir"),
            ("cp a .claude/", ".claude/a"),
            ("cp -r a/* .claude/", ".claude/"),
            ("cp -r ~/.callosum /tmp", "/tmp"),
            ("cp -r a/.callosum ~/", "~/.callosum ~/"),
            ("ln -sfn a .claude", ".claude/a .claude"),
            ("install -m 600 a b", "b/a b"),
            ("ln -sf a b", "b/a b"),
            ("rsync -at a/ b/", "b/"),
            ("rsync --remove-source-files a b", "a b/a b"),
            ("dd if=a of=b bs=1M", "b"),
            ("sed s/a/b/ f", ""),
            ("sed -n '/i/p' f", ""),
            ("sed -i s/a/b/ f g", "f g"),
            ("sed -Ei s/a/b/ f", "f"),
            ("sed -i '' s/a/b/ f", "f"),
            ("sed -i.bak -e s/a/b/ f", "f"),
            ("sed -i -e s/a/b/ -e s/c/d/ f", "f"),
            ("sed --in-place=.bak --expression s/a/b/ f", "f"),
            ("sed --in s/a/b/ f", "f"),
            ("sed -f i.sed f", ""),
            ("perl -pi.bak -e s/a/b/ f", "f"),
            ("perl -0777pi -e s/a/b/ f", "f"),
            ("perl -i -pe s/a/b/ f", "f"),
            ("perl -pe s/a/b/ f", ""),
            ("perl -Mwidgets -ne print f", ""),
            ("ruby -pi -e x f", "f"),
            ("awk -i inplace '{print}' f", "f"),
            ("awk '{print}' f", ""),
            ("gawk --include=inplace -f p.awk f", "f"),
            ("curl -o a https://x.example", "a"),
            ("curl -sSLo a https://x.example", "a"),
            ("curl -O https://x.example/a", "."),
            ("curl -O --output-dir dir https://x.example/a", "dir"),
            ("curl https://x.example/a", ""),
            ("wget -qO a https://x.example", "a"),
            ("wget -P dir https://x.example", "dir"),
            ("wget https://x.example", "."),
            ("patch -p1 a b.diff", "a"),
            ("patch -d dir -i b.diff", "dir"),
            ("git checkout -- a", "a"),
            ("git restore --staged a", ""),
            ("git restore --staged --worktree a", "a"),
            ("find a b -name c -delete", "a b a/c b/c"),
            ("find a -name c -prune -o -type f -delete", "a"),
            ("find a -name c", ""),
            ("find a -fprint b", "b"),
            ("find ~ -name '*c' -delete", "~ ~/.*c"),
            (
                "rm -rf ~ /home/me/ $HOME a",
                "~ /home/me/ $HOME a ~/.callosum /home/me/.callosum $HOME/.callosum",
            ),
            ("rm -rf .. ~$a.docx $PWD", ".. ~$a.docx $PWD"),
            ("mv ~ /tmp/x", "~ ~/.callosum /tmp/x/~ /tmp/x"),
            ("mv a ~", "a ~/a ~"),
            ("tar xzf a.tgz -C b", "b"),
            ("tar -x -f a --directory=b", "b"),
            ("tar czf a.tgz -C b .", ""),
            ("unzip a.zip -d b", "b"),
            ("unzip -l a.zip", ""),
            ("gzip a", "a"),
            ("gzip -c a", ""),
            ("zstd a", ""),
            ("zstd --rm a", "a"),
            ("sort -o a b", "a"),
            ("git clean -fdx", "."),
            ("git reset --hard", "."),
            ("git reset a", ""),
            ("git stash", "."),
            ("git stash list", ""),
            ("git clone a b", "b"),
            ("ed -s a", "a"),
            ("ex -sc '%d|x' a", "%d|x a"),
            ("vim -es -c '%d' -c wq a", "%d wq a"),
            ("vim -R a", ""),
            ("mount --bind a b", "b"),
            ("mount a", ""),
            ("rename s/a/b/ a b", "s/a/b/ a b"),
            ("rclone copy a b", "b"),
            ("rclone sync a b --exclude x", "b"),
            ("rclone move a b", "a b"),
            ("rclone purge a", "a"),
            ("rclone ls a", ""),
            ("truncate -s 0 a", "a"),
            ("chmod 600 a b", "a b"),
            ("chmod -R u+x,go-w a", "a"),
            ("chmod -x a", "a"),
            ("chmod --reference=a b", "a b"),
            ("chown -R app:app a", "a"),
            ("chgrp app a b", "a b"),
            ("shred -u a", "a"),
            ("sqlite3 a 'select 1'", "a"),
            ("sqlite3 -readonly a 'select 1'", ""),
            ("split -l 5 a b", "b"),
            ("zip -m a b", "a b"),
            ("zip a b", "a"),
            ("openssl enc -in a -out b", "b"),
            ("gpg -o a -d b", "a"),
            ("awk '{print > \"a.b\"}' f", "a.b"),
            ("python3 -c 'open(\"/a/b.c\", \"w\")'", "/a/b.c"),
            ("python3 -c 'print(open(\"/a/b.c\").read())'", ""),
            ("node -e \"fs.unlinkSync('/a/b.c')\"", "fs.unlinkSync( /a/b.c"),
            ("perl -e 'unlink \"/a/b.c\"'", "/a/b.c"),
            ("yq -i .a=1 f", "f"),
            ("yq .a f", ""),
        ] {
            assert_eq!(of(line), files, "{line}");
        }
    }
}
