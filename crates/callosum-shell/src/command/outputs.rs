//! Programs that are made for something else than changing files, and write to one that their words name: formatters, converters, copies from
//! elsewhere, patches, links, mounts. `writes` asks here for what it does not know.

use std::borrow::Cow;

use super::Command;
use super::write_kind::{Write, WriteKind};
use crate::Invocation;
use crate::own_files::is_settings_folder;

/// Where among a program's words the files stand that it writes.
#[derive(Clone, Copy)]
enum At {
    /// Nowhere but behind its options.
    Options,
    /// All words that are no options.
    All,
    /// The second one.
    Second,
    /// The last one.
    Last,
}

/// A program that writes to what its words name.
struct Writer {
    programs: &'static [&'static str],
    /// One of these must stand among its words, where there are any.
    when: &'static [&'static str],
    /// None of these may.
    unless: &'static [&'static str],
    at: At,
    /// Options whose value is written to.
    options: &'static [&'static str],
}

#[rustfmt::skip]
const WRITERS: &[Writer] = &[
    Writer {
        programs: &["prettier", "eslint", "biome", "markdownlint", "markdownlint-cli2", "gofmt", "goimports", "shfmt", "clang-format", "rubocop", "codespell", "typos", "dprint"],
        when: &["--write", "-w", "--fix", "-i", "--in-place", "-a", "-A", "--autocorrect", "--write-changes", "fmt", "format"],
        unless: &[], at: At::All, options: &[],
    },
    Writer {
        programs: &["mdformat", "black", "ruff", "isort", "rustfmt", "stylua", "dos2unix", "unix2dos"],
        when: &[], unless: &["--check", "--check-only", "--diff", "check"], at: At::All, options: &[],
    },
    Writer { programs: &["uniq"], when: &[], unless: &[], at: At::Second, options: &[] },
    Writer { programs: &["xxd"], when: &["-r", "-revert"], unless: &[], at: At::Second, options: &[] },
    Writer { programs: &["fallocate"], when: &[], unless: &[], at: At::Last, options: &[] },
    Writer { programs: &["link"], when: &[], unless: &[], at: At::All, options: &[] },
    Writer { programs: &["7z", "7za", "7zr", "7zz"], when: &["x", "e", "-o"], unless: &[], at: At::Options, options: &["-o"] },
    Writer { programs: &["7z", "7za", "7zr", "7zz"], when: &["a", "d", "u", "rn"], unless: &[], at: At::Second, options: &[] },
    Writer { programs: &["csplit"], when: &[], unless: &[], at: At::Options, options: &["-f", "--prefix"] },
    Writer {
        programs: &["pandoc", "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "dot", "xsltproc", "iconv", "shuf", "jc", "typst", "weasyprint"],
        when: &[], unless: &[], at: At::Options, options: &["-o", "--output"],
    },
    Writer { programs: &["psql", "pgcli", "ysqlsh"], when: &[], unless: &[], at: At::Options, options: &["-o", "--output", "-L", "--log-file"] },
    Writer { programs: &["script"], when: &[], unless: &[], at: At::Last, options: &["-O", "--log-out", "-I", "--log-in", "-B", "--log-io", "-T", "--log-timing"] },
    Writer { programs: &["ssh-keygen"], when: &[], unless: &["-l", "-y", "-e", "-B", "-F"], at: At::Options, options: &["-f"] },
    Writer { programs: &["restic"], when: &["restore"], unless: &[], at: At::Options, options: &["--target", "-t"] },
    Writer { programs: &["gh"], when: &["download"], unless: &[], at: At::Options, options: &["-D", "--dir", "-O", "--output"] },
];

/// Programs that copy from and to other places, and the words behind which they say what and where to.
const REMOTE_COPIERS: &[(&[&str], &[&str])] = &[
    (&["aws", "gsutil", "gcloud", "mc", "s3cmd", "s5cmd"], &["cp", "mv", "sync", "rsync", "get", "mirror"]),
    (&["kubectl", "oc", "docker", "podman", "nerdctl"], &["cp"]),
];

/// Programs that run others in a place of their own, in which folders of this machine can be written by other names.
const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl"];
/// Options of `bwrap` whose first value is a folder that can be written by the second.
const BINDS: &[&str] = &["--bind", "--bind-try", "--dev-bind", "--dev-bind-try"];
/// Commands of SQLite's client that write to a file.
const TO_FILES: &[&str] = &[".output", ".once", ".backup", ".save", ".clone", ".log"];

/// PowerShell's commands that change files: whether the first word behind is the place alone, and what becomes of it.
const CMDLETS: &[(&[&str], WriteKind)] = &[
    (&["set-content", "out-file", "clear-content", "clc", "tee-object"], WriteKind::Overwrite),
    (&["add-content"], WriteKind::Append),
    (&["remove-item", "ri"], WriteKind::Remove),
    (&["move-item", "mi", "rename-item", "rni"], WriteKind::Move),
    (&["copy-item", "cpi"], WriteKind::Overwrite),
];

/// Whether what a program writes is told here alone: its other words are read, or are no files.
pub(super) fn is_known(program: &str) -> bool {
    let is_cmdlet = |name: &&str| program.eq_ignore_ascii_case(name);
    WRITERS.iter().any(|writer| writer.programs.contains(&program) && program != "csplit")
        || REMOTE_COPIERS.iter().any(|(programs, _)| programs.contains(&program))
        || CMDLETS.iter().any(|(names, _)| names.iter().any(is_cmdlet))
        || matches!(program, "cpio" | "bwrap" | "callosum" | "openclaw")
}

/// What such a program writes; nothing of any other.
pub(super) fn outputs<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    let program = command.program();
    let words = &command.invocation.words;
    let write = |kind: WriteKind, path: &'l str| Write { kind, path: Cow::Borrowed(path) };
    if let Some((_, kind)) =
        CMDLETS.iter().find(|(names, _)| names.iter().any(|name| program.eq_ignore_ascii_case(name)))
    {
        return cmdlet(program, words, *kind);
    }
    let mut found = Vec::new();
    if let Some((_, verbs)) = REMOTE_COPIERS.iter().find(|(programs, _)| programs.contains(&program)) {
        found.extend(fetched(words, verbs));
    }
    // A runtime in a container works with the folder of its settings: what it does there is no call of an agent here.
    let mounted = if CONTAINERS.contains(&program) { bound(words) } else { Vec::new() };
    let mounted =
        mounted.into_iter().chain(if program == "bwrap" { bound_by_bwrap(words) } else { Vec::new() });
    let mounted = mounted.filter(|path| !is_settings_folder(path));
    found.extend(mounted.map(|path| write(WriteKind::Overwrite, path)));
    if matches!(program, "sqlite3" | "sqlite") {
        found.extend(sent_to_files(command.invocation).map(|path| write(WriteKind::Overwrite, path)));
    }
    // What lies there can be written by the other name, too.
    if program == "mount"
        && words.iter().any(|word| matches!(word.as_str(), "--bind" | "--rbind" | "-B" | "-R"))
    {
        found.extend(plain(words).next().map(|path| write(WriteKind::Overwrite, path)));
    }
    if matches!(program, "patch" | "git" | "apply_patch" | "applypatch") {
        found.extend(patched(command));
    }
    if program == "cpio" {
        found.extend(unpacked_by_cpio(words).into_iter().map(|path| write(WriteKind::Overwrite, path)));
    }
    if matches!(program, "callosum" | "openclaw") {
        found.extend(by_callosum(words).into_iter().map(|path| write(WriteKind::Overwrite, path)));
    }
    let is_one = |writer: &&Writer| {
        let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        writer.programs.contains(&program)
            && (writer.when.is_empty() || has(writer.when))
            && !has(writer.unless)
    };
    for writer in WRITERS.iter().filter(is_one) {
        match writer.at {
            At::Options => {}
            At::All => found.extend(plain(words).map(|path| write(WriteKind::Overwrite, path))),
            At::Second => found.extend(plain(words).nth(1).map(|path| write(WriteKind::Overwrite, path))),
            At::Last => found.extend(plain(words).last().map(|path| write(WriteKind::Overwrite, path))),
        }
        let values = writer.options.iter().flat_map(|option| values(words, option));
        found.extend(values.map(|path| write(WriteKind::Overwrite, path)));
    }
    found
}

/// Where `cpio` puts what it takes out of an archive, or copies.
fn unpacked_by_cpio(words: &[String]) -> Vec<&str> {
    let has = |letter: char, long: &str| {
        let is_it = |word: &String| match word.strip_prefix("--") {
            Some(name) => name == long,
            None => word.strip_prefix('-').is_some_and(|letters| letters.contains(letter)),
        };
        words.iter().any(is_it)
    };
    if has('p', "pass-through") {
        return plain(words).last().into_iter().collect();
    }
    if !has('i', "extract") {
        return Vec::new();
    }
    let named: Vec<&str> =
        ["-D", "--directory"].into_iter().flat_map(|option| values(words, option)).collect();
    if named.is_empty() { vec!["."] } else { named }
}

/// The files that SQLite's client is told to write to: `.output a`.
fn sent_to_files(invocation: &Invocation) -> impl Iterator<Item = &str> {
    let texts = invocation.words.iter().map(String::as_str).chain(invocation.input.iter().map(AsRef::as_ref));
    texts.flat_map(str::lines).filter_map(|line| {
        let mut said = line.split_whitespace();
        let is_one = said.next().is_some_and(|command| TO_FILES.contains(&command));
        said.next_back().filter(|_| is_one).map(|path| path.trim_matches(['"', '\'']))
    })
}

/// The files that our own commands write, also as OpenClaw's: `digest --out FILE`, `bridge export FILE`.
fn by_callosum(words: &[String]) -> Vec<&str> {
    let begins = |verbs: &[&str]| words.iter().position(|word| verbs.contains(&word.as_str()));
    if begins(&["digest"]).is_some() {
        return values(words, "--out");
    }
    let exports = begins(&["bridge"]).and_then(|_| begins(&["export", "sync"]));
    let given = exports.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    plain(given).collect()
}

fn plain(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().map(String::as_str).filter(|word| !word.starts_with('-'))
}

/// The values of an option: in the word behind it, behind a `=`, or right behind a single letter.
pub(super) fn values<'w>(words: &'w [String], option: &str) -> Vec<&'w str> {
    let is_short = option.len() == 2;
    let behind = |(at, word): (usize, &'w String)| {
        let rest = word.strip_prefix(option)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if rest.is_empty() => words.get(at + 1).map(String::as_str),
            None => is_short.then_some(rest),
        }
    };
    words.iter().enumerate().filter_map(behind).collect()
}

/// What a copy from elsewhere writes: where to, and what is moved away.
fn fetched<'l>(words: &'l [String], verbs: &[&str]) -> Vec<Write<'l>> {
    let Some(at) = words.iter().position(|word| verbs.contains(&word.as_str())) else { return Vec::new() };
    let verb = words.get(at).map_or("", String::as_str);
    let mut named = plain(words.get(at + 1..).unwrap_or_default());
    let (Some(from), Some(to)) = (named.next(), named.next()) else { return Vec::new() };
    let mirrors = matches!(verb, "sync" | "rsync" | "mirror")
        && words.iter().any(|word| matches!(word.as_str(), "--delete" | "-d" | "--remove"));
    let kind = if mirrors { WriteKind::Mirror } else { WriteKind::Overwrite };
    let source = (verb == "mv").then_some(Write { kind: WriteKind::Move, path: Cow::Borrowed(from) });
    source.into_iter().chain([Write { kind, path: Cow::Borrowed(to) }]).collect()
}

/// The folders of this machine that can be written in a container.
fn bound(words: &[String]) -> Vec<&str> {
    let volumes =
        ["-v", "--volume"].into_iter().flat_map(|option| values(words, option)).filter_map(of_volume);
    let mounts = values(words, "--mount").into_iter().filter_map(of_mount);
    volumes.chain(mounts).collect()
}

/// The same of `bwrap --bind FROM TO`.
fn bound_by_bwrap(words: &[String]) -> Vec<&str> {
    let is_bind = |pair: &&[String]| pair.first().is_some_and(|word| BINDS.contains(&word.as_str()));
    words.windows(2).filter(is_bind).filter_map(|pair| pair.get(1).map(String::as_str)).collect()
}

/// What `FROM:TO` mounts, unless it is only read.
fn of_volume(value: &str) -> Option<&str> {
    let (from, rest) = value.split_once(':')?;
    let is_read_only = rest.split_once(':').is_some_and(|(_, how)| how.split(',').any(|how| how == "ro"));
    (!is_read_only).then_some(from)
}

/// The same of `type=bind,src=FROM,dst=TO`.
fn of_mount(value: &str) -> Option<&str> {
    let is_read_only =
        value.split(',').any(|field| matches!(field, "readonly" | "ro" | "readonly=true" | "ro=true"));
    let mut fields = value.split(',');
    let from = fields.find_map(|field| field.strip_prefix("src=").or_else(|| field.strip_prefix("source=")));
    from.filter(|_| !is_read_only)
}

/// The files that a patch names which the line itself gives, with the first part of their paths and without.
fn patched<'l>(command: &Command<'l>) -> Vec<Write<'l>> {
    const HEADS: &[&str] = &[
        "+++ ",
        "--- ",
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "rename to ",
    ];
    let invocation = command.invocation;
    if invocation.program == "git"
        && !command.plain().next().is_some_and(|verb| matches!(verb, "apply" | "am"))
    {
        return Vec::new();
    }
    let given = invocation.words.iter().filter(|word| word.contains('\n')).map(String::as_str);
    let texts = invocation.input.iter().map(AsRef::as_ref).chain(given);
    let named = texts.flat_map(|text: &'l str| text.lines()).filter_map(|line| {
        let path = HEADS.iter().find_map(|head| line.strip_prefix(head))?;
        Some(path.split('\t').next().unwrap_or_default().trim())
    });
    let both = named.flat_map(|path| [Some(path), path.split_once('/').map(|(_, rest)| rest)]);
    both.flatten()
        .filter(|path| !path.is_empty() && *path != "/dev/null")
        .map(|path| Write { kind: WriteKind::Overwrite, path: Cow::Borrowed(path) })
        .collect()
}

/// What one of PowerShell's commands changes.
fn cmdlet<'l>(program: &str, words: &'l [String], kind: WriteKind) -> Vec<Write<'l>> {
    let of = |names: &[&str]| {
        let pairs = words.windows(2);
        let found = pairs.filter_map(|pair| match pair {
            [name, value] if names.iter().any(|known| name.eq_ignore_ascii_case(known)) => {
                Some(value.as_str())
            }
            _ => None,
        });
        found.collect::<Vec<_>>()
    };
    let named = of(&["-Path", "-LiteralPath", "-FilePath"]);
    let to = of(&["-Destination", "-NewName"]);
    // Switches have no values there that look like paths.
    let free: Vec<&str> = plain(words).filter(|word| !named.contains(word) && !to.contains(word)).collect();
    let is_copy = program.eq_ignore_ascii_case("copy-item") || program.eq_ignore_ascii_case("cpi");
    let moves = kind == WriteKind::Move;
    let write = |kind: WriteKind, path: &'l str| Write { kind, path: Cow::Borrowed(path) };
    let mut free = free.into_iter();
    let from = named.into_iter().chain(free.next());
    let mut found: Vec<Write<'l>> = from.filter(|_| !is_copy).map(|path| write(kind, path)).collect();
    if moves || is_copy {
        found.extend(to.into_iter().chain(free.next()).map(|path| write(WriteKind::Overwrite, path)));
    } else if kind == WriteKind::Remove {
        found.extend(free.map(|path| write(kind, path)));
    }
    found
}
