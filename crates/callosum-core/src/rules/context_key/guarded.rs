//! Which paths guard the gate itself, by their text: its state, and the settings of runtimes that hold its hooks.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;
use wildmatch::WildMatch;

use callosum_shell::brace_words;
use callosum_shell::own_files::{HOOK_SETTINGS, OWN_NAME, STATE, STATE_VARIABLE, asks_the_gate, is_home};

use super::Lookup;
use super::field::folded;
use super::file_path::{APPLY_PATCH, PATCH_NAMES, PATH_NAMES, file_paths, normalise};
use crate::model::digest::neutral_tool_name;
use crate::model::tool_call::ToolCall;

/// Parameters of other servers' file tools that name files, where none of [`PATH_NAMES`] does; and those that hold a list of
/// what has a path.
#[rustfmt::skip]
const OTHER_NAMES: &[&str] = &[
    "source", "destination", "src", "dst", "dest", "from", "to", "old_path", "new_path", "oldPath", "newPath", "paths",
    "file", "filename", "files", "target_file", "relative_path", "notebook_path", "directory", "uri",
    "edits",
];

/// Those of them that tell where to something is moved or copied.
pub(crate) const TARGETS: &[&str] = &["destination", "dst", "dest", "to", "new_path", "newPath"];

/// At most this many values of a variable are examined.
const MAX_WORDS: usize = 64;

/// Where a call's runtime looks for its settings.
#[derive(Clone, Copy)]
pub(crate) struct Looked<'a> {
    /// The folders that are worked in.
    pub(crate) folders: &'a [&'a str],
    /// Whether a folder is the home that the environment names. It is asked only of one in which settings stand: who may not look there
    /// has the call looked at again.
    pub(crate) is_own_home: &'a dyn Fn(&str) -> bool,
}

/// Whether `path`, made whole, guards the gate itself: it is in a folder of Callosum's state, or settings that hold its hooks
/// where a runtime reads them (at home, and at the root of one of the folders that are worked in), or the folder of these, or what asks
/// the gate. A pattern of the shell is what it can match.
pub(crate) fn is_guarded(path: &str, looked: Looked<'_>) -> bool {
    if !path.contains('{') {
        return is_one_guarded(path, looked);
    }
    brace_words(path).0.iter().any(|word| is_one_guarded(word, looked))
}

fn is_one_guarded(path: &str, looked: Looked<'_>) -> bool {
    let path = path.trim_end_matches('/');
    let mut before = 0;
    for part in path.split('/') {
        let base = path.get(..before).unwrap_or_default().trim_end_matches('/');
        let rest = path.get(before + part.len()..).unwrap_or_default().trim_start_matches('/');
        let is = |name: &str| part == name || may_be(part, name) && is_home(base);
        if is(STATE) || part.contains(STATE_VARIABLE) || asks_the_gate(base, part, rest) {
            return true;
        }
        let holds_hooks = HOOK_SETTINGS.iter().any(|(folder, variables, files)| {
            let is_named = rest.is_empty() || files.iter().any(|file| rest == *file || may_be(rest, file));
            is_named && (variables.contains(&part) || is(folder) && is_read(base, looked))
        });
        if holds_hooks {
            return true;
        }
        before += part.len() + 1;
    }
    false
}

/// Whether `part` is a pattern of the shell that matches `name`. A `*` matches no dot at the beginning.
pub(crate) fn may_be(part: &str, name: &str) -> bool {
    if !part.contains(['*', '?', '[']) || name.starts_with('.') && part.starts_with(['*', '?']) {
        return false;
    }
    let mut pattern = String::with_capacity(part.len());
    let mut rest = part;
    // Any character, where a set of them stands.
    while let Some((before, set)) = rest.split_once('[') {
        pattern.push_str(before);
        pattern.push('?');
        rest = set.split_once(']').map_or("", |(_, after)| after);
    }
    pattern.push_str(rest);
    WildMatch::new(&pattern).matches(name)
}

/// Whether runtimes look for their settings in `base`.
fn is_read(base: &str, looked: Looked<'_>) -> bool {
    // They look in the folders above the one they work in, too.
    let is_above = |folder: &&str| {
        folder.strip_prefix(base).is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    is_home(base)
        || base.split('/').all(|part| part == "..")
        || looked.folders.iter().any(is_above)
        || base.starts_with('/') && (looked.is_own_home)(base)
}

/// The program that a substitution asks for: `$(command -v a)`, `` `which a` ``.
fn asked_for(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let inside = inside.or_else(|| path.strip_prefix('`')?.strip_suffix('`'))?;
    let words: Vec<&str> = inside.split_whitespace().collect();
    match words.as_slice() {
        ["which", name] | ["command", "-v", name] | ["type", "-p" | "-P", name] => Some(name),
        _ => None,
    }
}

/// What stands for the value of a variable that the line reads from somewhere.
pub(crate) const READ: &str = "$read";

/// What a path may be that begins with a variable which the `line` sets, or with a substitution: of that the words. Otherwise it
/// is as it is written. `looks` are how many mentions of variables may still be looked at.
pub(crate) fn meanings<'p>(
    path: &'p str,
    variables: &[(String, String)],
    line: &str,
    looks: &Cell<usize>,
) -> Vec<Cow<'p, str>> {
    let Some(expansion) = path.strip_prefix('$').or_else(|| path.strip_prefix('`')) else {
        return inner_meanings(path, variables, line, looks);
    };
    // A project is worked in where the agent is.
    let in_project =
        ["$(pwd)/", "$(git rev-parse --show-toplevel)/", "`pwd`/", "`git rev-parse --show-toplevel`/"];
    if let Some(rest) = in_project.into_iter().find_map(|root| path.strip_prefix(root)) {
        return vec![Cow::Owned(format!("$PWD/{rest}"))];
    }
    // Where it lies is found at run time: one of the folders in which programs are installed stands for all.
    if let Some(program) = asked_for(path) {
        return vec![Cow::Owned(format!("/usr/local/bin/{program}"))];
    }
    if path.starts_with('`') || expansion.starts_with('(') {
        let marks = |c| matches!(c, '$' | '(' | ')' | '`' | '"' | '\'');
        // `$(echo a)/b`
        if let Some((inside, rest)) = path.rsplit_once(')').filter(|(_, rest)| rest.starts_with('/')) {
            let words = inside.split_whitespace().map(|word| word.trim_matches(marks));
            return words.map(|word| Cow::Owned(format!("{word}{rest}"))).collect();
        }
        return path.split_whitespace().map(|word| Cow::Borrowed(word.trim_matches(marks))).collect();
    }
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = match expansion.strip_prefix('{') {
        Some(inside) => inside.split_once('}'),
        None => Some(expansion.split_at(expansion.find(|c| !in_name(c)).unwrap_or(expansion.len()))),
    };
    let Some((name, rest)) = named.filter(|(name, _)| !name.is_empty()) else {
        return vec![Cow::Borrowed(path)];
    };
    // `${NAME:-value}`
    let (name, default) = name.split_at(name.find(|c| !in_name(c)).unwrap_or(name.len()));
    let default = default.strip_prefix(':').unwrap_or(default);
    let default = default.strip_prefix(['-', '=']);
    // Of a loop it has all values.
    let set = variables.iter().find(|(variable, _)| variable == name);
    let mut values: Vec<String> =
        set.into_iter().flat_map(|(_, values)| values.split(", ")).map(str::to_owned).collect();
    if values.is_empty() {
        values = set_in_text(name, line, looks);
    }
    values.extend(default.map(str::to_owned));
    match values.as_slice() {
        [] => vec![Cow::Borrowed(path)],
        values => values.iter().map(|value| Cow::Owned(format!("{value}{rest}"))).collect(),
    }
}

/// The same of a path with a variable further in: `~/$NAME`.
fn inner_meanings<'p>(
    path: &'p str,
    variables: &[(String, String)],
    line: &str,
    looks: &Cell<usize>,
) -> Vec<Cow<'p, str>> {
    let inner = path.find("/$").filter(|at| !path.get(at + 2..).unwrap_or_default().starts_with('('));
    let Some((before, inner)) = inner.and_then(|at| path.split_at_checked(at + 1)) else {
        return vec![Cow::Borrowed(path)];
    };
    let value = |value: Cow<'_, str>| {
        // What is a whole path by itself is not meant to stand in another.
        if value.starts_with(['~', '/', '$']) { path.into() } else { format!("{before}{value}").into() }
    };
    meanings(inner, variables, line, looks).into_iter().map(value).collect()
}

/// What a variable is set to in the text of a line, where that is no plain text: `NAME=$HOME/x`, `for NAME in a/*`, `read NAME`.
fn set_in_text(name: &str, line: &str, looks: &Cell<usize>) -> Vec<String> {
    let ends = |c: char| matches!(c, ';' | '&' | '|' | ')' | '\n');
    let plain = |word: &str| word.chars().filter(|c| !matches!(c, '"' | '\'')).collect::<String>();
    let mut values = Vec::new();
    for (at, _) in line.match_indices(name) {
        let Some(left) = looks.get().checked_sub(1) else { break };
        looks.set(left);
        let (before, after) =
            (line.get(..at).unwrap_or_default(), line.get(at + name.len()..).unwrap_or_default());
        let is_word = before.chars().next_back().is_none_or(|c| c.is_whitespace() || "();&|'\"`".contains(c));
        if !is_word || values.len() >= MAX_WORDS {
            continue;
        }
        let list = after.trim_start().strip_prefix("in ").filter(|_| before.trim_end().ends_with("for"));
        if let Some(value) = after.strip_prefix('=') {
            let value = match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
                Some(quote) => value.get(1..).and_then(|value| value.split(quote).next()),
                None => value.split(|c: char| c.is_whitespace() || ends(c)).next(),
            };
            values.extend(value.map(plain));
        } else if let Some(list) = list {
            let list = list.split(ends).next().unwrap_or_default();
            values.extend(list.split_whitespace().take(MAX_WORDS).map(plain));
        } else if before
            .trim_end()
            .rsplit(ends)
            .next()
            .is_some_and(|command| command.split_whitespace().any(|word| word == "read"))
        {
            values.push(READ.to_owned());
        }
    }
    values
}

/// Whether a folder is Callosum's state, or one that settings with hooks stand in, or in one: paths from there may guard the gate
/// and not say so.
pub(crate) fn is_in_guarded(folder: &str) -> bool {
    // Of short folders, as most are, a search would take longer to begin than to end.
    let dots = folder.bytes().enumerate().filter(|(_, byte)| *byte == b'.');
    dots.map(|(at, _)| at).any(|at| {
        let rest = folder.get(at..).unwrap_or_default();
        HOOK_SETTINGS.iter().map(|(folder, ..)| *folder).chain([STATE]).any(|name| rest.starts_with(name))
    })
}

/// The file that guards the gate to which a call writes, if it does. Nearly all are told from these before their paths are made
/// whole.
pub(crate) fn guarded_path(call: &ToolCall, params: &Lookup<'_>) -> Option<String> {
    // What a path is made whole of is in its own text or in that of the folder it starts from.
    let may_be = |text: &str| {
        let bytes = text.as_bytes();
        let names_dots = memchr::memchr2_iter(b'.', b'$', bytes).any(|at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            let begins = || before.is_none_or(|byte| matches!(byte, b'/' | b' ' | b'\t' | b'\n'));
            let rest = text.get(at..).unwrap_or_default();
            let mut folders = HOOK_SETTINGS.iter().map(|(folder, ..)| *folder).chain([STATE]);
            rest.starts_with('$') || begins() && folders.any(|folder| rest.starts_with(folder))
        });
        names_dots || memchr::memmem::find(bytes, OWN_NAME.as_bytes()).is_some()
    };
    let told = |value: &Value| match value {
        Value::String(text) => may_be(text) || text.trim().is_empty(),
        // A list of them, or nothing that names one.
        _ => true,
    };
    let first = |names: &[&'static str]| names.iter().find_map(|name| params.get(name));
    let named = first(&PATH_NAMES);
    let is_patch = neutral_tool_name(&call.tool).ends_with(APPLY_PATCH);
    let is_told = named.as_ref().is_some_and(|value| told(value))
        || is_patch && first(&PATCH_NAMES).is_some_and(|value| told(&value))
        || call.cwd.as_deref().is_some_and(may_be);
    let is_one = |path: &String| {
        let folder = call.cwd.as_deref();
        let is_own_home = |folder: &str| params.is_own_home(folder);
        is_guarded(path, Looked { folders: folder.as_slice(), is_own_home: &is_own_home })
    };
    let of_its_files = if is_told { file_paths(call, params).into_iter().find(is_one) } else { None };
    let others = || {
        let whole = |path: &String| normalise(path, call.cwd.as_deref());
        // What is copied stays.
        let only_copies = folded(&call.tool).ends_with("copyfile");
        let names = if only_copies { TARGETS } else { OTHER_NAMES };
        paths_named(params, names).iter().map(whole).find(is_one)
    };
    let found = of_its_files.or_else(|| if named.is_none() && !is_patch { others() } else { None });
    // A tool that has verbs has one that only shows.
    found.filter(|_| params.get("command").is_none_or(|verb| verb.as_str() != Some("view")))
}

/// The files that a call names in other parameters than OpenClaw's.
pub(crate) fn other_paths(params: &Lookup<'_>) -> Vec<String> {
    paths_named(params, OTHER_NAMES)
}

/// Those that it names in parameters of these names.
fn paths_named(params: &Lookup<'_>, names: &[&'static str]) -> Vec<String> {
    let mut paths = Vec::new();
    for value in names.iter().filter_map(|name| params.get(name)) {
        let items = match &*value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        for item in items {
            let named = PATH_NAMES.iter().find_map(|name| item.get(name));
            paths.extend(named.unwrap_or(item).as_str().map(str::to_owned));
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_guarded_in(path: &str, folders: &[&str]) -> bool {
        is_guarded(path, Looked { folders, is_own_home: &|folder| folder == "/var/lib/me" })
    }

    #[test]
    fn paths_that_guard_the_gate_are_told_from_others_of_their_names() {
        for path in [
            "~/.callosum",
            "/srv/.callosum/journal.jsonl",
            "$CALLOSUM_STATE_DIR/tiers.json",
            "~/.call*",
            "~/.callosu?/journal.jsonl",
            "~/.[c]allosum",
            "/home/me/.*",
            "~/.callosum{,.bak}",
            "~/{.cache,.callosum}/x",
            "~/.claude/settings.json",
            "$HOME/.claude",
            "${HOME}/.codex/hooks.json",
            "/root/.gemini/settings.json",
            "/Users/me/.claude/settings.local.json",
            "~/.claude/set*",
            "~/.claude/*",
            "~/.claude/{settings,other}.json",
            "$CODEX_HOME/config.toml",
            "${CLAUDE_CONFIG_DIR}",
            ".claude/settings.json",
            "../.claude/settings.json",
            "/srv/app/.claude/settings.json",
            "/srv/.claude/settings.json",
            "/var/lib/me/.claude/settings.json",
            "/var/lib/me/.codex",
            "~/.local/bin/callosum",
            "/usr/local/bin/callosum-serve",
            "/home/me/bin/callosum",
            "~/.local/share/callosum/bin/callosum",
            "$HOME/.openclaw/extensions/callosum",
            "/srv/.openclaw/extensions/callosum/index.js",
            "$OPENCLAW_STATE_DIR/extensions/callosum",
        ] {
            assert!(is_guarded_in(path, &["/srv/app"]), "{path}");
        }
        for path in [
            "~/callosum",
            "~/.callosum.md",
            "/srv/app/.*",
            "~/*",
            "~/?callosum",
            "~/.claude/commands/go.md",
            "~/.claude/projects/settings.json",
            "tests/fixtures/.claude/settings.json",
            "/srv/app/tests/fixtures/.claude/settings.json",
            "/srv/app2/.claude/settings.json",
            "/tmp/home/.claude",
            "$TMP/.claude/settings.json",
            "settings.json",
            "/var/lib/other/.claude/settings.json",
            "/srv/app/bin/callosum",
            "bin/callosum",
            "~/.local/bin/callosum.md",
            "~/.local/share/other",
            "~/.openclaw/extensions/other",
            "~/.openclaw",
            "extensions/callosum",
            "{a,b",
            "${HOME}",
            "",
        ] {
            assert!(!is_guarded_in(path, &["/srv/app"]), "{path}");
        }
        assert!(!is_guarded_in(&"{a,b}".repeat(64), &[]));
        assert!(!is_guarded_in(&"{".repeat(10_000), &[]));
    }

    #[test]
    fn a_path_begins_with_what_the_line_sets() {
        let variables = [("D".to_owned(), "~/a".to_owned()), ("F".to_owned(), "x, y".to_owned())];
        let line = "G=$HOME/b; H=\"$X/c d\" && for I in a/* 'b c'; do read -r J; done; echo K = L=$L";
        for (path, all) in [
            ("$D/b", "~/a/b"),
            ("${D}b", "~/ab"),
            ("$F", "x|y"),
            ("$G/x", "$HOME/b/x"),
            ("$H", "$X/c d"),
            ("$I", "a/*|b|c"),
            ("$J/x", "$read/x"),
            ("$K", "$K"),
            ("$L", "$L"),
            ("$(find a -name b)", "find|a|-name|b"),
            ("`ls a`/b", "ls|a`/b"),
            ("$E/b", "$E/b"),
            ("~/$D/c", "~/$D/c"),
            ("~/$F/c", "~/x/c|~/y/c"),
            ("~/$E", "~/$E"),
            ("${M:-~/x}/y", "~/x/y"),
            ("${D:-~/x}", "~/a|~/x"),
            ("$(git rev-parse --show-toplevel)/a", "$PWD/a"),
            ("$(pwd)/a", "$PWD/a"),
            ("$(command -v a)", "/usr/local/bin/a"),
            ("`which a`", "/usr/local/bin/a"),
            ("b$D", "b$D"),
            ("${D", "${D"),
            ("$", "$"),
            ("", ""),
        ] {
            assert_eq!(meanings(path, &variables, line, &Cell::new(100)).join("|"), all, "{path}");
        }
    }
}
