//! Which files the code that an interpreter is given writes, where it names them by a text: by the calls these texts stand in. Nothing is
//! executed.

use std::borrow::Cow;

use super::Command;
use super::changed::code_of;
use super::code_paths::{assigned, call_around, is_in_name, path_of};
use super::write_kind::{Write, WriteKind};
use crate::Invocation;

/// Interpreters whose code is looked at.
pub(super) const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "pypy3", "node", "nodejs", "php", "deno", "bun", "perl", "ruby", "lua",
    "luajit",
];

/// At most this many texts of a code are examined.
const MAX_TEXTS: usize = 256;
/// And so many places where a variable stands.
const MAX_PLACES: usize = 64;

/// Whether an interpreter is given a code that may have more texts, or more places of a variable, than are looked at.
#[must_use]
pub fn is_code_cut_off(command: &Command<'_>) -> bool {
    let has_more = |code: &str| {
        code.matches(['\'', '"', '`']).nth(2 * MAX_TEXTS).is_some()
            || code.matches('=').nth(MAX_PLACES).is_some()
    };
    INTERPRETERS.contains(&command.program()) && code_of(command.invocation).into_iter().any(has_more)
}

/// What becomes of a text, or of a variable that holds it, where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// A file of this name is written.
    Writes(WriteKind),
    /// A file of this name is read, or it is no name of a file.
    Reads,
    /// It can't be told.
    Untold,
}

/// Calls that only read what their argument names, or take it for something else than a name.
const READERS: &[&str] = &[
    "read_text",
    "read_bytes",
    "readFileSync",
    "readFile",
    "createReadStream",
    "exists",
    "existsSync",
    "isfile",
    "isdir",
    "stat",
    "statSync",
    "lstat",
    "lstatSync",
    "getsize",
    "listdir",
    "readdir",
    "readdirSync",
    "glob",
    "load",
    "loads",
    "read",
    "print",
    "println",
    "log",
    "echo",
    "puts",
    "require",
    "import",
    "chdir",
    "walk",
    "basename",
    "dirname",
    "access",
    "accessSync",
    "is_file",
    "file_exists",
    "file_get_contents",
    "write",
    "writelines",
    "join",
    "split",
    "startswith",
    "endsWith",
    "endswith",
    "startsWith",
    "includes",
    "append",
    "push",
    "format",
    "match",
    "test",
    "dumps",
    "stringify",
    "fullmatch",
    "search",
    "sub",
    "replace",
    "replaceAll",
    "Error",
    "exit",
    "die",
];
const OVERWRITERS: &[&str] = &[
    "writeFileSync",
    "writeFile",
    "createWriteStream",
    "file_put_contents",
    "truncate",
    "truncateSync",
    "chmod",
    "chmodSync",
    "chown",
    "to_csv",
    "to_json",
    "savetxt",
    "writeTextFile",
    "writeTextFileSync",
    "utimes",
];
const APPENDERS: &[&str] = &["appendFileSync", "appendFile"];
const REMOVERS: &[&str] = &[
    "unlink",
    "unlinkSync",
    "remove",
    "removeSync",
    "rm",
    "rmSync",
    "rmdir",
    "rmdirSync",
    "rmtree",
    "removedirs",
    "rm_rf",
    "rm_r",
    "rm_f",
];
/// What does so only as a function of these modules: much else is deleted.
const DELETERS: &[&str] = &["File.delete", "Dir.delete"];
/// Calls that list what lies in the folder that their argument names.
const LISTERS: &[&str] = &[
    "glob",
    "iglob",
    "rglob",
    "globSync",
    "iterdir",
    "listdir",
    "scandir",
    "walk",
    "readdir",
    "readdirSync",
];
/// Modules of which these are functions.
const LISTING: &[&str] = &["glob", "os", "fs", "fsPromises"];
/// Of these the first argument goes away, and the second is written over.
const MOVERS: &[&str] = &["rename", "renameSync", "renames", "move", "moveSync", "mv"];
/// Of these the first argument is read, and the second is written over.
const COPIERS: &[&str] = &[
    "copy",
    "copyfile",
    "copy2",
    "copyFileSync",
    "copyFile",
    "copySync",
    "cpSync",
    "cp",
    "cp_r",
    "copytree",
    "symlink",
    "symlinkSync",
    "link",
    "linkSync",
];

/// The files that the code of a command writes.
pub(super) fn code_writes(invocation: &Invocation) -> Vec<Write<'_>> {
    let mut written = Vec::new();
    for code in code_of(invocation) {
        let texts = texts(code);
        for text in &texts {
            let (path, before, after) = path_of(&texts, *text);
            // `open(my $f, ">a")` of Perl says in the name how.
            let (said, path) = match path {
                Cow::Borrowed(path) => match (path.strip_prefix(">>"), path.strip_prefix('>')) {
                    (Some(path), _) => (Some(WriteKind::Append), Cow::Borrowed(path.trim_start())),
                    (None, Some(path)) => (Some(WriteKind::Overwrite), Cow::Borrowed(path.trim_start())),
                    (None, None) => (None, Cow::Borrowed(path)),
                },
                path @ Cow::Owned(_) => (None, path),
            };
            if path.is_empty() || path.contains('\n') {
                continue;
            }
            let found = match (said, use_of(before, after)) {
                (Some(kind), _) => Some(kind),
                (None, Use::Writes(kind)) => Some(kind),
                (None, Use::Reads) => None,
                (None, Use::Untold) => assigned(before).and_then(|name| of_variable(code, name)),
            };
            // A word alone is more often something else than a file, unless it is taken away.
            let is_path = |kind: &WriteKind| path.contains(['/', '.']) || kind.takes_all_below();
            written.extend(found.filter(is_path).map(|kind| Write { kind, path }));
        }
    }
    written
}

/// The texts in quotes, each with what stands before and behind it.
fn texts(code: &str) -> Vec<(&str, &str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) =
        code.get(at..).and_then(|rest| rest.find(['\'', '"', '`'])).map(|found| at + found)
    {
        let rest = code.get(start + 1..).unwrap_or_default();
        let quote = code.get(start..=start).unwrap_or_default();
        let Some(length) = rest.find(quote) else { break };
        let end = start + 1 + length;
        let (before, text) =
            (code.get(..start).unwrap_or_default(), code.get(start + 1..end).unwrap_or_default());
        found.push((text, before, code.get(end + 1..).unwrap_or_default()));
        if found.len() >= MAX_TEXTS {
            break;
        }
        at = end + 1;
    }
    found
}

/// What becomes of a text, by what stands around it.
fn use_of(before: &str, after: &str) -> Use {
    // `r'…'`, `b"…"`
    let unmarked = before.trim_end_matches(['r', 'b', 'f', 'u', 'R', 'B', 'F', 'U']);
    let before = if unmarked.ends_with(['(', ',', '=', ' ', '[']) { unmarked } else { before };
    let before = before.trim_end();
    // `open(file='a')`
    let keyword = before.strip_suffix('=').map(|before| before.trim_end_matches(is_in_name).trim_end());
    let before = keyword.filter(|before| before.ends_with(['(', ','])).unwrap_or(before);
    if !before.ends_with(['(', ',']) {
        // `unlink "a"` of Perl, `File.delete "a"` of Ruby
        let word = before.rsplit(|c: char| !is_in_name(c)).next().unwrap_or_default();
        return match word {
            "truncate" => Use::Writes(WriteKind::Overwrite),
            _ if REMOVERS.contains(&word) || DELETERS.iter().any(|name| before.ends_with(name)) => {
                Use::Writes(WriteKind::Remove)
            }
            _ => Use::Untold,
        };
    }
    let Some((callee, place)) = call_around(before) else { return Use::Untold };
    let (module, name) = callee.rsplit_once('.').unwrap_or(("glob", callee));
    let is = |names: &[&str]| names.contains(&name);
    match name {
        "open" | "fopen" | "openSync" | "new" if place == 0 => opened(after),
        // Perl's `open(my $f, '>', 'a')`
        "open" => mode_before(before),
        "Path" | "PurePath" | "Pathname" if place == 0 => of_path(before, after),
        // `(Path('a') / 'b').unlink()`
        "" if place == 0 => of_path(before, after),
        "replace" if callee == "os.replace" => moved(place),
        "write" | "binwrite"
            if place == 0 && matches!(callee, "File.write" | "File.binwrite" | "IO.write" | "Bun.write") =>
        {
            Use::Writes(WriteKind::Overwrite)
        }
        _ if is(OVERWRITERS) && place == 0 => {
            Use::Writes(if after.contains("FILE_APPEND") || after.contains("'a'") {
                WriteKind::Append
            } else {
                WriteKind::Overwrite
            })
        }
        _ if is(APPENDERS) && place == 0 => Use::Writes(WriteKind::Append),
        // Of a method the argument is a pattern, and its object the folder.
        _ if is(LISTERS) && LISTING.contains(&module) && takes_away(before, after) => {
            Use::Writes(WriteKind::Remove)
        }
        _ if is(REMOVERS) || DELETERS.contains(&callee) => Use::Writes(WriteKind::Remove),
        _ if is(MOVERS) => moved(place),
        _ if is(COPIERS) && place == 0 => Use::Reads,
        _ if is(COPIERS) && place == 1 => Use::Writes(WriteKind::Overwrite),
        // What is written is no name.
        _ if is(READERS) || is(OVERWRITERS) || is(APPENDERS) => Use::Reads,
        _ => Use::Untold,
    }
}

fn moved(place: usize) -> Use {
    match place {
        0 => Use::Writes(WriteKind::Move),
        1 => Use::Writes(WriteKind::Overwrite),
        _ => Use::Reads,
    }
}

/// How a mode opens a file.
fn by_mode(mode: &str) -> Use {
    match mode.bytes().find(|byte| matches!(byte, b'r' | b'w' | b'a' | b'x')) {
        Some(b'a') => Use::Writes(WriteKind::Append),
        Some(b'w' | b'x') => Use::Writes(WriteKind::Overwrite),
        _ if mode.contains('+') => Use::Writes(WriteKind::Overwrite),
        _ => Use::Reads,
    }
}

/// What `open` does with the file whose name ends before `after`.
fn opened(after: &str) -> Use {
    let arguments = after.split([')', ';', '\n']).next().unwrap_or_default();
    let Some(rest) = arguments.trim_start().strip_prefix(',') else { return Use::Reads };
    let rest = rest.split_once("mode").map_or(rest, |(_, mode)| mode);
    let quoted = rest.trim_start_matches([' ', '=']);
    match quoted.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        Some(quote) => by_mode(quoted.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default()),
        // `os.open('a', os.O_WRONLY)`
        None if rest.contains("O_APPEND") => Use::Writes(WriteKind::Append),
        None if ["O_WRONLY", "O_RDWR", "O_TRUNC"].iter().any(|flag| rest.contains(flag)) => {
            Use::Writes(WriteKind::Overwrite)
        }
        None => Use::Reads,
    }
}

fn mode_before(before: &str) -> Use {
    let before = before.trim_end_matches([',', ' ']);
    let mode = before.trim_end_matches(['\'', '"']);
    match (mode.ends_with(">>"), mode.ends_with('>') || mode.ends_with("+<")) {
        (true, _) => Use::Writes(WriteKind::Append),
        (_, true) => Use::Writes(WriteKind::Overwrite),
        _ => Use::Reads,
    }
}

/// What is done with the `Path(…)` whose name ends before `after`.
fn of_path(before: &str, after: &str) -> Use {
    let Some(rest) = after.trim_start().strip_prefix(')') else { return Use::Untold };
    of_method(before, rest)
}

/// What a method does with the file that its object names.
fn of_method(before: &str, rest: &str) -> Use {
    let Some(method) = rest.trim_start().strip_prefix('.') else { return Use::Untold };
    let (name, arguments) = method.split_at(method.find(|c: char| !is_in_name(c)).unwrap_or(method.len()));
    match name {
        "write_text" | "write_bytes" | "chmod" => Use::Writes(WriteKind::Overwrite),
        "touch" => Use::Writes(WriteKind::Append),
        "unlink" | "rmdir" | "delete" => Use::Writes(WriteKind::Remove),
        "rename" | "replace" => Use::Writes(WriteKind::Move),
        "open" => {
            let arguments = arguments.trim_start().strip_prefix('(').unwrap_or_default();
            opened(&format!(",{arguments}"))
        }
        "" => Use::Untold,
        _ if LISTERS.contains(&name) && takes_away(before, arguments) => Use::Writes(WriteKind::Remove),
        _ => Use::Reads,
    }
}

/// Whether something is taken away by a name that the code does not spell, around a call that lists names: `for p in
/// Path('a').iterdir(): p.unlink()`, `[os.remove(f) for f in glob.glob('a/*')]`.
fn takes_away(before: &str, after: &str) -> bool {
    let statement = before.rsplit(['\n', ';']).next().unwrap_or_default();
    let takes = |code: &str| {
        let calls =
            REMOVERS.iter().flat_map(|name| code.match_indices(name).map(move |found| (name, found.0)));
        calls.take(MAX_PLACES).any(|(name, at)| {
            let begins = !code.get(..at).unwrap_or_default().ends_with(is_in_name);
            let rest = code.get(at + name.len()..).unwrap_or_default();
            let is_text = |argument: &str| argument.trim_start().starts_with(['\'', '"', '`']);
            let is_called = rest.strip_prefix('(').is_some_and(|argument| !is_text(argument));
            // `unlink glob("a/*")` of Perl, `array_map("unlink", glob("a/*"))` of PHP
            let is_given = || LISTERS.iter().any(|name| rest.trim_start().starts_with(name));
            let is_handed_on = || rest.starts_with("\",") || rest.starts_with("',");
            begins && (is_called || is_given() || is_handed_on())
        })
    };
    takes(statement) || takes(after)
}

/// How the code writes to the file that a variable names: the worst of its uses.
fn of_variable(code: &str, name: &str) -> Option<WriteKind> {
    let uses = code.match_indices(name).take(MAX_PLACES).filter_map(|(at, _)| {
        let (before, after) = (code.get(..at)?, code.get(at + name.len()..)?);
        let is_word =
            !before.ends_with(is_in_name) && !after.starts_with(is_in_name) && !before.ends_with('.');
        is_word.then(|| match of_method(before, after) {
            Use::Untold => use_of(before, after),
            told => told,
        })
    });
    uses.filter_map(|found| if let Use::Writes(kind) = found { Some(kind) } else { None }).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    #[test]
    fn what_code_writes_is_told_by_the_calls_that_name_it() {
        use WriteKind::{Append, Move, Overwrite, Remove};
        for (line, expected) in [
            ("python3 -c \"open('a/b.md','w').write('x/y')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"open('a/b.md', mode='a').write('x/y')\"", vec![(Append, "a/b.md")]),
            ("python3 -c \"open('a/b.md','r+')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"print(open('a/b.md').read())\"", vec![]),
            ("python3 -c \"import json; print(json.load(open('a/b.json')))\"", vec![]),
            (
                "python3 -c \"d=open('a/b.md').read(); open('/tmp/x','w').write(d)\"",
                vec![(Overwrite, "/tmp/x")],
            ),
            (
                "python3 -c \"from pathlib import Path; Path('a/b.md').write_text('c')\"",
                vec![(Overwrite, "a/b.md")],
            ),
            ("python3 -c \"from pathlib import Path; print(Path('a/b.md').read_text())\"", vec![]),
            ("python3 - <<'E'\nimport os\np = 'a/b.md'\nos.remove(p)\nE", vec![(Remove, "a/b.md")]),
            ("python3 - <<'E'\np = 'a/b.md'\nprint(open(p).read())\nE", vec![]),
            ("python3 - <<'E'\np = Path('a/b.md')\np.write_text('x')\nE", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"import os; os.rename('a/b', 'c/d')\"", vec![(Move, "a/b"), (Overwrite, "c/d")]),
            ("python3 -c \"import shutil; shutil.copy('a/b', 'c/d')\"", vec![(Overwrite, "c/d")]),
            ("python3 -c \"print('see a/b.md'); open('c.txt','w')\"", vec![(Overwrite, "c.txt")]),
            ("node -e \"require('fs').writeFileSync('a/b.md', 'x.y')\"", vec![(Overwrite, "a/b.md")]),
            ("node -e \"require('fs').appendFileSync('a/b.md', 'x')\"", vec![(Append, "a/b.md")]),
            ("node -e \"console.log(fs.readFileSync('a/b.md','utf8'))\"", vec![]),
            ("node -e \"fs.rmSync('a/b',{recursive:true})\"", vec![(Remove, "a/b")]),
            ("perl -e 'unlink \"a/b.md\"'", vec![(Remove, "a/b.md")]),
            ("perl -e 'unlink glob(\"a/*\")'", vec![(Remove, "a/*")]),
            ("perl -e 'print for glob(\"a/*\")'", vec![]),
            ("perl -e 'truncate \"a/b\", 0'", vec![(Overwrite, "a/b")]),
            ("php -r 'array_map(\"unlink\", glob(\"a/*\"));'", vec![(Remove, "a/*")]),
            ("php -r 'print_r(glob(\"a/*\"));'", vec![]),
            ("ruby -e 'File.delete(\"a/b\")'", vec![(Remove, "a/b")]),
            ("ruby -e 'File.delete \"a/b\"'", vec![(Remove, "a/b")]),
            ("ruby -e 'cache.delete(\"a/b\")'", vec![]),
            ("perl -e 'open(my $f, \">\", \"a/b.md\")'", vec![(Overwrite, "a/b.md")]),
            ("perl -e 'open(F, \">>a/b.md\")'", vec![(Append, "a/b.md")]),
            ("ruby -e 'File.write(\"a/b\", \"x\")'", vec![(Overwrite, "a/b")]),
            ("python3 -c \"import shutil; shutil.rmtree('a')\"", vec![(Remove, "a")]),
            ("python3 -c \"import os; os.rename('a','b')\"", vec![(Move, "a")]),
            ("python3 -c \"open(os.path.join('a','b.md'),'w')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"d='a'; open(os.path.join(d,'b.md'),'w')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"d='a'; open(d+'/b.md','w')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"d='a'; open(f'{d}/b.md','w')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"(Path('a')/'b.md').unlink()\"", vec![(Remove, "a/b.md")]),
            ("python3 -c \"d=Path('a'); (d / 'b.md').write_text('x')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"os.chdir('a'); open('b.md','w')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"open(file='a/b', mode='w')\"", vec![(Overwrite, "a/b")]),
            ("python3 -c \"os.open('a/b', os.O_WRONLY|os.O_TRUNC)\"", vec![(Overwrite, "a/b")]),
            ("python3 -c \"print(' '.join(['a/b', 'c/d']))\"", vec![]),
            ("python3 -c \"x = 1 / 2; print('a/b')\"", vec![]),
            ("node -e \"fs.writeFileSync(path.join('a','b.md'),'x')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"Path('a','b.md').write_text('x')\"", vec![(Overwrite, "a/b.md")]),
            ("python3 -c \"print(Path('a','b.md').read_text())\"", vec![]),
            ("python3 - <<'E'\nfor p in Path('a').glob('*.md'): p.unlink()\nE", vec![(Remove, "a")]),
            ("python3 - <<'E'\nfor p in Path('a').glob('*.md'): print(p)\nE", vec![]),
            ("python3 - <<'E'\nd = Path('a')\nfor p in d.rglob('*'): p.unlink()\nE", vec![(Remove, "a")]),
            ("python3 -c \"[os.remove(f) for f in glob.glob('a/*')]\"", vec![(Remove, "a/*")]),
            ("python3 -c \"[p.unlink() for p in Path('a').iterdir()]\"", vec![(Remove, "a")]),
            ("python3 - <<'E'\nfor f in glob.glob('a/*'):\n  os.remove(f)\nE", vec![(Remove, "a/*")]),
            (
                "python3 - <<'E'\nfor f in glob.glob('a/*'): print(f)\nos.remove('/tmp/x')\nE",
                vec![(Remove, "/tmp/x")],
            ),
            (
                "node -e \"for (const f of fs.readdirSync('a')) fs.unlinkSync(path.join('a', f))\"",
                vec![(Remove, "a")],
            ),
            ("python3 script.py a/b.md", vec![]),
        ] {
            let line_read = Line::read(line);
            let found: Vec<(WriteKind, String)> = line_read
                .invocations
                .iter()
                .flat_map(code_writes)
                .map(|write| (write.kind, write.path.into_owned()))
                .collect();
            let expected: Vec<(WriteKind, String)> =
                expected.into_iter().map(|(kind, path)| (kind, path.to_owned())).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
