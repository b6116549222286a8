//! Commands in the words of programs that have a language of their own: debuggers, Expect, AppleScript, Make.

use super::super::{Around, Walk};
use super::typed::typed;
use super::{Rest, code, command, nested};

/// Words and what follows each.
fn options<'w>(words: &'w [String], names: &'w [&str]) -> impl Iterator<Item = &'w str> {
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
        let text = match verb {
            "spawn" | "exec" | "system" => rest.trim_start_matches("-noecho").to_owned(),
            "send" | "exp_send" => {
                typed(&[in_quotes(rest).first().cloned().unwrap_or_else(|| rest.to_owned())])
            }
            _ => continue,
        };
        is_carried |= nested(walk, &text, &around);
    }
    is_carried
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

/// Programs that run code of a language of their own.
const INTERPRETERS: &[&str] = &[
    "python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "tsx", "ts-node", "perl", "ruby", "php",
    "awk", "gawk", "mawk", "nawk", "lua", "tclsh",
];

/// What in such code runs a command: its text stands behind, in quotes, or its words do, in brackets.
const RUNNERS: &[&str] = &[
    "system(",
    "system (",
    "system \"",
    "system '",
    "popen(",
    "exec(",
    "execSync(",
    "spawn(",
    "spawnSync(",
    "execFile(",
    "execFileSync(",
    "getoutput(",
    "subprocess.run(",
    "check_call(",
    "check_output(",
    "subprocess.call(",
    "Popen(",
    "shell_exec(",
    "passthru(",
    "Open3.capture3(",
];

/// The commands that code runs which an interpreter is given.
pub(super) fn interpreted(walk: &mut Walk, name: &str, words: &[String], around: &Around) {
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&family) {
        return;
    }
    code::told(walk, family, words, around);
    let codes: Vec<&str> =
        words.iter().map(String::as_str).chain(around.input.iter().map(AsRef::as_ref)).collect();
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    for code in codes.into_iter().filter(|code| code.contains(['(', '"', '\''])) {
        for runner in RUNNERS {
            for behind in code.split(runner).skip(1) {
                // The quote of `system "…"` is part of what was looked for.
                let behind = runner.get(runner.len() - 1..).filter(|end| *end != "(").map_or_else(
                    || behind.trim_start().trim_start_matches(['f', 'r']).to_owned(),
                    |quote| format!("{quote}{behind}"),
                );
                let text = match behind.strip_prefix('[') {
                    Some(list) => {
                        let list = list.split(']').next().unwrap_or_default();
                        list.split(',')
                            .map(|word| word.trim().trim_matches(['"', '\'']))
                            .collect::<Vec<_>>()
                            .join(" ")
                    }
                    None => behind
                        .chars()
                        .next()
                        .filter(|quote| matches!(quote, '"' | '\'' | '`'))
                        .and_then(|quote| behind.get(1..)?.split(quote).next().map(str::to_owned))
                        .unwrap_or_default(),
                };
                nested(walk, &text, &inside);
            }
        }
        if matches!(family, "perl" | "ruby" | "php") {
            for text in code.split('`').skip(1).step_by(2) {
                nested(walk, text, &inside);
            }
        }
    }
}

/// The recipes of a file that Make reads: `make -f - <<EOF`.
pub(super) fn makefile(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let is_read = |file: &str| matches!(file, "-" | "/dev/stdin");
    let reads = words.iter().any(|word| word == "-f-")
        || options(words, &["-f", "--file", "--makefile"]).any(is_read);
    if !reads {
        return false;
    }
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    let mut is_carried = false;
    for text in &around.input {
        for line in text.replace("\\\n", " ").lines() {
            // A recipe stands behind a tab, or behind `target: ;`; what `$(shell …)` runs, anywhere.
            let recipe = line.strip_prefix('\t').or_else(|| line.split_once(';').map(|(_, recipe)| recipe));
            let recipe = recipe.map(|recipe| recipe.trim_start_matches(['@', '-', '+']).replace("$$", "$"));
            is_carried |= recipe.is_some_and(|recipe| nested(walk, &recipe, &inside));
            for shell in line.split("$(shell ").skip(1) {
                is_carried |= nested(walk, shell.rsplit_once(')').map_or(shell, |(shell, _)| shell), &inside);
            }
        }
    }
    is_carried
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
fn in_quotes(text: &str) -> Vec<String> {
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
