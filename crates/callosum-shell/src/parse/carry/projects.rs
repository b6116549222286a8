//! Commands in files that the line has written for a program which runs them: recipes of `just`, tasks, scripts of packages, and what
//! Git runs when something is committed or pushed.

use serde_json::Value;

use super::super::settings::HOOKS_PATH;
use super::super::{Around, Walk};
use super::nested;
use crate::joined;
use crate::unread::Limit;

/// How a file names commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Recipes, each behind a line with its name and a colon.
    Recipes,
    /// A block of YAML for each.
    Yaml,
    /// Fields of this object in JSON.
    Json(&'static str),
    /// `name = "command"`, or a section with a `run`.
    Toml,
    /// The file is a script itself.
    Script,
}

/// A program, its files, and how they name what it runs.
type Runner = (&'static [&'static str], &'static [&'static str], Form);

#[rustfmt::skip]
const RUNNERS: &[Runner] = &[
    (&["just"], &["justfile", "Justfile", ".justfile"], Form::Recipes),
    (&["task", "go-task"], &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"], Form::Yaml),
    (&["npm", "pnpm", "yarn", "bun"], &["package.json"], Form::Json("scripts")),
    (&["deno"], &["deno.json", "deno.jsonc"], Form::Json("tasks")),
    (&["mise"], &["mise.toml", ".mise.toml"], Form::Toml),
    (&["poe"], &["pyproject.toml"], Form::Toml),
    (&["lefthook"], &["lefthook.yml", "lefthook.yaml"], Form::Yaml),
    (&["pre-commit", "prek"], &[".pre-commit-config.yaml"], Form::Yaml),
    (&["direnv"], &[".envrc"], Form::Script),
];

/// What Git runs at which of its commands.
#[rustfmt::skip]
const HOOKS: &[(&[&str], &[&str])] = &[
    (&["commit"], &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]),
    (&["push"], &["pre-push"]),
    (&["merge", "pull"], &["pre-merge-commit", "post-merge"]),
    (&["checkout", "switch"], &["post-checkout"]),
    (&["rebase"], &["pre-rebase", "post-rewrite"]),
    (&["am"], &["applypatch-msg", "pre-applypatch", "post-applypatch"]),
];
/// Folders of these, beside the one that a setting of Git's names.
const HOOK_FOLDERS: &[&str] = &[".git/hooks", ".husky", ".githooks"];

/// Reads what a program runs of a file that the line has written.
pub(super) fn tasks(walk: &mut Walk, program: &str, words: &[String], around: &Around) {
    if program == "npm" {
        scripts_set(walk, words, around);
    }
    if !walk.has_written() {
        return;
    }
    if program == "git" {
        return hooks(walk, words, around);
    }
    let Some((_, files, form)) = RUNNERS.iter().find(|(programs, ..)| programs.contains(&program)) else {
        return;
    };
    let names = names(program, words);
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    for file in *files {
        for text in walk.written(&joined(around.folder.as_deref(), file)) {
            // A script may run another one of its file, and so on.
            if !walk.room.take(text.len()) {
                walk.unread(Limit::Length, &text);
                continue;
            }
            for command in commands(*form, &text, &names) {
                nested(walk, &command, &inside);
            }
        }
    }
}

/// `npm pkg set scripts.x='git push'`: as if the line wrote it into the file of the package.
fn scripts_set(walk: &mut Walk, words: &[String], around: &Around) {
    let [pkg, set, pairs @ ..] = words else { return };
    if pkg != "pkg" || set != "set" {
        return;
    }
    for (name, command) in pairs.iter().filter_map(|pair| pair.strip_prefix("scripts.")?.split_once('=')) {
        let text = serde_json::json!({ "scripts": { name: command } }).to_string();
        walk.add_to_file(&joined(around.folder.as_deref(), "package.json"), text);
    }
}

/// Reads the hooks that a command of Git's runs.
fn hooks(walk: &mut Walk, words: &[String], around: &Around) {
    let has = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    let own = walk.told(HOOKS_PATH);
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    for (_, names) in HOOKS.iter().filter(|(verbs, _)| has(verbs)) {
        for folder in HOOK_FOLDERS.iter().copied().chain(own.as_deref()) {
            for name in *names {
                super::shells::script(walk, &format!("{folder}/{name}"), &[], &inside);
            }
        }
    }
}

/// The names of what a program is called to run.
fn names<'w>(program: &str, words: &'w [String]) -> Vec<&'w str> {
    let mut plain = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let of_package = matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "deno");
    if !of_package {
        return plain.collect();
    }
    match plain.next() {
        Some("run" | "run-script" | "rum" | "urn" | "task") => plain.take(1).collect(),
        Some("t" | "tst") => vec!["test"],
        Some("install" | "i" | "ci" | "add" | "in") => vec!["install", "prepare"],
        first => first.into_iter().collect(),
    }
}

/// The commands of a file that are run by these names; without any, of all or of the first, which nobody tells.
fn commands(form: Form, text: &str, names: &[&str]) -> Vec<String> {
    match form {
        Form::Script => vec![text.to_owned()],
        Form::Json(object) => {
            let json: Value = serde_json::from_str(text).unwrap_or_default();
            let scripts = json.get(object).and_then(Value::as_object);
            let is_run = |name: &str| {
                names.iter().any(|own| {
                    *own == name || ["pre", "post"].iter().any(|part| name.strip_prefix(part) == Some(own))
                })
            };
            let run = scripts.into_iter().flatten().filter(|(name, _)| is_run(name));
            run.filter_map(|(_, command)| Some(command.as_str()?.to_owned())).collect()
        }
        Form::Recipes | Form::Yaml | Form::Toml => in_blocks(form, text, names),
    }
}

/// The lines of the blocks that a name of these begins, each as a command; where no line begins with one, of all.
fn in_blocks(form: Form, text: &str, names: &[&str]) -> Vec<String> {
    let begins = |line: &str| {
        let line = line.trim().trim_start_matches(['@', '[']);
        names.iter().any(|name| {
            let line = line.strip_prefix("tasks.").unwrap_or(line);
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ' ', ']', '=']))
        })
    };
    let is_named = text.lines().any(begins);
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (mut commands, mut block) = (Vec::new(), None);
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        if is_named {
            let is_section = form == Form::Toml && line.starts_with('[');
            if begins(line) {
                block = Some(depth(line));
            } else if form != Form::Toml && block.is_some_and(|of| depth(line) <= of) || is_section {
                block = None;
            }
            if block.is_none() {
                continue;
            }
        }
        commands.extend(command_of(form, line));
    }
    commands
}

/// The command in a line.
fn command_of(form: Form, line: &str) -> Option<String> {
    let line = line.trim();
    let text = match form {
        Form::Toml => line.split_once('=')?.1.trim(),
        Form::Yaml => {
            let line = line.trim_start_matches("- ");
            ["run:", "cmd:", "entry:", "cmds:"]
                .iter()
                .find_map(|key| line.strip_prefix(key))
                .unwrap_or(line)
                .trim()
        }
        _ => line.trim_start_matches(['@', '-']),
    };
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'') && form != Form::Recipes);
    let inside = quote.and_then(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let text = inside.unwrap_or(text);
    (text.contains(' ') && !text.ends_with(':')).then(|| text.to_owned())
}
