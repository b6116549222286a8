//! Commands in the words of programs that have a language of their own: debuggers, Expect, AppleScript, Make.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Around, Walk};
use super::typed::typed;
use super::{Rest, SUBSTITUTED, command, nested};
use crate::{Texts, joined};

/// Words and what follows each.
pub(super) fn options<'w>(words: &'w [String], names: &'w [&str]) -> impl Iterator<Item = &'w str> {
    words.iter().enumerate().filter_map(|(at, word)| {
        if names.contains(&word.as_str()) {
            return words.get(at + 1).map(String::as_str);
        }
        let (name, value) = word.split_once('=')?;
        (name.starts_with("--") && names.contains(&name)).then_some(value)
    })
}

/// `gdb -ex 'shell git push'`, `gdb --args git push`
pub(super) fn debugger(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    const COMMANDS: &[&str] =
        &["-ex", "--ex", "-iex", "-eval-command", "--eval-command", "-o", "-O", "--one-line"];
    let mut is_carried = false;
    for text in options(words, COMMANDS) {
        let text = text.trim_start();
        let shell = ["shell ", "!", "platform shell "].iter().find_map(|verb| text.strip_prefix(verb));
        is_carried |= shell.is_some_and(|shell| nested(walk, shell, around));
    }
    let begins = words.iter().position(|word| matches!(word.as_str(), "--args" | "-args" | "--"));
    let debugged = begins.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    is_carried | command(walk, Rest::Command, debugged, around)
}

/// `expect -c 'spawn git push'`; without `-c` it reads its script.
pub(super) fn expect(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let mut texts: Vec<String> = options(words, &["-c"]).map(str::to_owned).collect();
    if words.iter().all(|word| word.starts_with('-')) {
        texts.extend(around.input.iter().map(ToString::to_string));
    }
    let around = Around { input: Vec::new(), ..around.clone() };
    let mut is_carried = false;
    for line in texts.iter().flat_map(|text| text.split(['\n', ';', '{', '}', '['])) {
        let (verb, rest) = line.trim().split_once(char::is_whitespace).unwrap_or_default();
        let rest = rest.trim().trim_end_matches(']');
        if matches!(verb, "spawn" | "exec" | "system") {
            is_carried |= nested(walk, rest.trim_start_matches("-noecho"), &around);
        }
    }
    for sent in texts.iter().flat_map(|text| sent(text)) {
        is_carried |= nested(walk, &typed(&[sent]), &around);
    }
    is_carried
}

/// What a script of Expect sends: the texts behind `send`, which may have several lines.
fn sent(script: &str) -> Vec<String> {
    const VERB: &str = "send";
    let text = |at: usize| {
        let before = script.get(..at)?;
        let before = before.strip_suffix("exp_").unwrap_or(before);
        let is_verb =
            before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || ";{}[\"".contains(c));
        let behind = script.get(at + VERB.len()..)?;
        let mut rest = behind.trim_start_matches([' ', '\t']);
        if !is_verb || rest.len() == behind.len() {
            return None;
        }
        // `-s`, `-h`, `--`, `-i $id`
        while let Some((option, further)) = rest.split_once(' ').filter(|(option, _)| option.starts_with('-'))
        {
            let value = if option == "-i" { further.split_once(' ')?.1 } else { further };
            rest = value.trim_start();
        }
        if rest.starts_with('"') {
            return in_quotes(rest).into_iter().next();
        }
        let end = if rest.starts_with('{') { rest.find('}') } else { rest.find(['\n', ';', '}']) };
        Some(rest.get(..end.unwrap_or(rest.len()))?.trim_start_matches('{').to_owned())
    };
    script.match_indices(VERB).filter_map(|(at, _)| text(at)).collect()
}

/// `osascript -e 'do shell script "git push"'`; without `-e` it reads its script.
pub(super) fn apple_script(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let mut texts: Vec<String> = options(words, &["-e"]).map(str::to_owned).collect();
    if words.iter().all(|word| word.starts_with('-')) {
        texts.extend(around.input.iter().map(ToString::to_string));
    }
    let around = Around { input: Vec::new(), ..around.clone() };
    let mut is_carried = false;
    for text in &texts {
        let shells = ["do shell script", "do script", "write text", "doShellScript("];
        for behind in shells.iter().flat_map(|verb| text.split(verb).skip(1)) {
            let script = in_quotes(behind).into_iter().next();
            is_carried |= script.is_some_and(|script| nested(walk, &script, &around));
        }
    }
    is_carried
}

/// The recipes of a file that Make reads, or that the line has written: `make -f - <<EOF`.
pub(super) fn makefile(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let is_read = |file: &str| matches!(file, "-" | "/dev/stdin");
    let files: Vec<&str> = options(words, &["-f", "--file", "--makefile"]).collect();
    let given: Vec<&str> = options(words, &["-E", "--eval"]).collect();
    let folder = options(words, &["-C", "--directory"]).last();
    let folder = folder.map(|to| joined(around.folder.as_deref(), to)).or_else(|| around.folder.clone());
    let texts: Texts = if words.iter().any(|word| word == "-f-") || files.iter().any(|file| is_read(file)) {
        around.input.clone()
    } else if files.contains(&SUBSTITUTED) {
        around.printed.clone()
    } else {
        let usual = ["GNUmakefile", "makefile", "Makefile"];
        let files = if files.is_empty() { &usual[..] } else { &files };
        files.iter().flat_map(|file| walk.written(&joined(folder.as_deref(), file))).collect()
    };
    let goals: Vec<&str> = {
        let takes_next = |at: usize| {
            let option = at.checked_sub(1).and_then(|before| words.get(before)).map_or("", String::as_str);
            matches!(option, "-f" | "--file" | "--makefile" | "-C" | "--directory" | "-I" | "-o" | "-W")
        };
        let goals =
            words.iter().enumerate().filter(|(at, _)| !takes_next(*at)).map(|(_, word)| word.as_str());
        goals.filter(|word| !word.starts_with('-') && !word.contains('=')).collect()
    };
    let inside = Around { input: Vec::new(), last: false, folder, ..around.clone() };
    let mut is_carried = false;
    for text in texts.iter().map(AsRef::as_ref).chain(given) {
        let text = text.replace("\\\n", " ");
        let made = made(&text, &goals);
        let mut is_made = true;
        for line in text.lines() {
            // A recipe stands behind a tab, or behind `target: ;`; what `$(shell …)` runs, anywhere.
            let recipe = line.strip_prefix('\t').or_else(|| line.split_once(';').map(|(_, recipe)| recipe));
            if let Some((targets, _)) = rule(line) {
                is_made = made
                    .as_ref()
                    .is_none_or(|made| targets.split_whitespace().any(|target| made.contains(target)));
            }
            let recipe = recipe.filter(|_| is_made);
            let recipe =
                recipe.map(|recipe| recipe.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$"));
            is_carried |= recipe.is_some_and(|recipe| nested(walk, &recipe, &inside));
            for shell in line.split("$(shell ").skip(1) {
                is_carried |= nested(walk, shell.rsplit_once(')').map_or(shell, |(shell, _)| shell), &inside);
            }
        }
    }
    is_carried
}

/// The targets and what they need, of a line that begins a rule.
fn rule(line: &str) -> Option<(&str, &str)> {
    let (targets, behind) = line.split_once(':').filter(|_| !line.starts_with(['\t', '#']))?;
    let behind = behind.strip_prefix(':').unwrap_or(behind);
    (!behind.starts_with('=') && !targets.contains('='))
        .then(|| (targets, behind.split(';').next().unwrap_or_default()))
}

/// The targets that are made for goals, or for the first target; `None` where these are none of the file's own, or patterns.
fn made<'t>(text: &'t str, goals: &[&'t str]) -> Option<BTreeSet<&'t str>> {
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut first = None;
    for (targets, needed) in text.lines().filter_map(rule) {
        for target in targets.split_whitespace() {
            if target.contains(['%', '$']) {
                return None;
            }
            first = first.or(Some(target).filter(|target| !target.starts_with('.')));
            needs.entry(target).or_default().extend(needed.split_whitespace());
        }
    }
    let mut left: Vec<&str> = if goals.is_empty() { first.into_iter().collect() } else { goals.to_vec() };
    if !left.iter().all(|goal| needs.contains_key(goal)) {
        return None;
    }
    let mut made = BTreeSet::new();
    while let Some(target) = left.pop() {
        if made.insert(target) {
            left.extend(needs.get(target).into_iter().flatten());
        }
    }
    Some(made)
}

/// `cargo watch -x publish -s 'git push' -- cmd`
pub(super) fn cargo_watch(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let mut is_carried = false;
    for text in options(words, &["-s", "--shell"]) {
        is_carried |= nested(walk, text, around);
    }
    for text in options(words, &["-x", "--exec"]) {
        is_carried |= nested(walk, &format!("cargo {text}"), around);
    }
    let mark = words.iter().position(|word| word == "--");
    let marked = mark.and_then(|at| words.get(at + 1..)).unwrap_or_default();
    is_carried | command(walk, Rest::Command, marked, around)
}

/// The texts in quotes in the values of an option: `--parameters 'commands=["git push"]'`.
pub(super) fn quoted(walk: &mut Walk, option: &'static str, words: &[String], around: &Around) -> bool {
    let mut is_carried = false;
    for value in options(words, &[option]) {
        let mut texts = in_quotes(value);
        if texts.is_empty() {
            texts.extend(value.split_once('=').map(|(_, text)| text.to_owned()));
        }
        for text in texts {
            is_carried |= nested(walk, &text, around);
        }
    }
    is_carried
}

/// What stands in double quotes, escapes undone.
pub(super) fn in_quotes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = text.chars();
    while chars.by_ref().any(|c| c == '"') {
        let mut inside = String::new();
        while let Some(c) = chars.next().filter(|&c| c != '"') {
            match (c, if c == '\\' { chars.next() } else { None }) {
                (_, Some('n' | 'r')) => inside.push('\n'),
                (_, Some('t')) => inside.push('\t'),
                (_, Some(escaped)) => inside.push(escaped),
                (c, None) => inside.push(c),
            }
        }
        found.push(inside);
    }
    found
}
