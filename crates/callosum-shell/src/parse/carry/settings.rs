//! Commands that settings name, and other names for commands: `PAGER='git push' man ls`, `git -c core.pager='git push' log`,
//! `git -c alias.p='!git push' p`, `gh alias set p '!git push' && gh p`; and the words that curl reads from a file of settings.

use super::super::{Around, Walk};
use super::foreign::in_quotes;
use super::{SUBSTITUTED, nested, note, shells};
use crate::carriers::{Setting, aliases, carriers, of_git, of_ssh, of_variable};
use crate::functions::{Body, Function};
use crate::options::lists;
use crate::words::program_name;
use crate::{Texts, joined};

/// Options of Git, before its subcommand, that have a value as the next word.
const GIT_VALUES: &str =
    "-c -C --git-dir --work-tree --namespace --exec-path --config-env --attr-source --super-prefix";

/// Programs that reach another machine: given none, they do nothing.
const TRANSPORTS: &[&str] = &["ssh", "rsh", "plink", "autossh", "mosh", "dbclient", "tsh"];

/// Reads what a variable is set to that names a program.
pub(in crate::parse) fn variable(walk: &mut Walk, name: &str, value: &str, around: &Around) {
    if let Some(setting) = of_variable(name) {
        read(walk, setting, value, around);
    }
}

/// Reads what programs like Git are told in words of their own beside what they are to do.
pub(super) fn words(walk: &mut Walk, program: &str, words: &[String], around: &Around) {
    match program {
        "git" => git(walk, words, around),
        "ssh" | "scp" | "sftp" | "sshfs" | "mosh" | "autossh" => ssh(walk, words, around),
        _ => {}
    }
    if aliases(program) {
        other_names(walk, program, words);
        called(walk, program, words, around);
    }
}

/// Reads the value of a setting.
fn read(walk: &mut Walk, setting: Setting, value: &str, around: &Around) {
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    match setting {
        Setting::Command => {
            nested(walk, value.trim_start_matches(['|', '-', '!']), &inside);
        }
        Setting::Helper => {
            if value.starts_with(['!', '/', '~']) {
                nested(walk, value.trim_start_matches('!'), &inside);
            }
        }
        Setting::Transport => transport(walk, value, &inside),
        Setting::Text => walk.substituted_in_document(value, &around.folder),
        Setting::Script => {
            walk.substituted_in_document(value, &around.folder);
            shells::script(walk, value, &[], &inside);
        }
    }
}

/// Reads the command by which a program reaches another machine. One that is SSH with a few options does nothing else.
pub(super) fn transport(walk: &mut Walk, text: &str, around: &Around) {
    let plain = text.replace(['"', '\''], "");
    let mut words = plain.split_whitespace();
    let program = words.next().map(program_name).filter(|program| TRANSPORTS.contains(program));
    let mut is_known = program.is_some() && !plain.contains([';', '|', '&', '`', '\n', '$', '(']);
    while let Some(word) = words.next().filter(|_| is_known) {
        is_known = word.starts_with('-');
        if carriers("ssh").any(|ssh| ssh.takes_next(word)) {
            words.next();
        }
    }
    if !is_known {
        nested(walk, text, around);
    }
}

/// What Git is told in its settings, and other names for its commands.
fn git(walk: &mut Walk, words: &[String], around: &Around) {
    let mut rest = words;
    let mut settings = Vec::new();
    while let [option, after @ ..] = rest
        && option.starts_with('-')
    {
        let value = after.first().filter(|_| lists(GIT_VALUES, option));
        settings.extend(value.filter(|_| option == "-c").and_then(|setting| setting.split_once('=')));
        rest = after.get(usize::from(value.is_some())..).unwrap_or_default();
    }
    if rest.first().is_some_and(|first| first == "config") {
        // `git config --global core.pager less`
        let pairs = rest.windows(2).filter_map(|pair| match pair {
            [key, value] if key.contains('.') => Some((key.as_str(), value.as_str())),
            _ => None,
        });
        settings.extend(pairs);
    }
    let variables = around.variables.iter().filter_map(|(name, key)| {
        let value = format!("GIT_CONFIG_VALUE_{}", name.strip_prefix("GIT_CONFIG_KEY_")?);
        let value = around.variables.iter().find(|(name, _)| *name == value)?;
        Some((key.as_str(), value.1.as_str()))
    });
    for (key, value) in settings.into_iter().chain(variables) {
        match key.split_once('.') {
            Some((section, name)) if section.eq_ignore_ascii_case("alias") => {
                let name = name.strip_suffix(".command").unwrap_or(name);
                other_name(walk, "git", name, value);
            }
            _ => {
                if let Some(setting) = of_git(key) {
                    read(walk, setting, value, around);
                }
            }
        }
    }
    called(walk, "git", rest, around);
}

/// `ssh -o ProxyCommand='git push'`
fn ssh(walk: &mut Walk, words: &[String], around: &Around) {
    let inside = Around { input: Vec::new(), last: false, folder: None, ..around.clone() };
    for (at, word) in words.iter().enumerate() {
        let setting = match word.strip_prefix("-o") {
            Some("") => words.get(at + 1).map(String::as_str),
            other => other,
        };
        let parts = setting.and_then(|setting| setting.trim_start().split_once(['=', ' ']));
        if let Some((_, value)) = parts.filter(|(name, _)| of_ssh(name)) {
            nested(walk, value.trim_matches(['"', ' ', '=']), &inside);
        }
    }
}

/// `gh alias set p '!git push'`
fn other_names(walk: &mut Walk, program: &str, words: &[String]) {
    let [alias, set, given @ ..] = words else { return };
    if alias != "alias" || set != "set" {
        return;
    }
    let is_shell = given.iter().any(|word| matches!(word.as_str(), "-s" | "--shell"));
    let mut operands = given.iter().filter(|word| !word.starts_with('-'));
    if let (Some(name), Some(text)) = (operands.next(), operands.next()) {
        let text = if is_shell { format!("!{text}") } else { text.clone() };
        other_name(walk, program, name, &text);
    }
}

/// Notes another name for a command of a program: its words, or behind a `!` a text for a shell.
fn other_name(walk: &mut Walk, program: &str, name: &str, text: &str) {
    let text = match text.trim_start().strip_prefix('!') {
        Some(shell) => shell.to_owned(),
        None => format!("{program} {text}"),
    };
    let name = format!("{program} {name}");
    walk.define(Function { name, body: Body::Text(text.into()), is_called: false, is_told: false });
}

/// Reads what a program does that is called by another name for it.
fn called(walk: &mut Walk, program: &str, words: &[String], around: &Around) {
    if let Some((name, given)) = words.split_first().filter(|_| walk.has_functions()) {
        let name = format!("{program} {name}");
        let words: Vec<String> = std::iter::once(name).chain(given.iter().cloned()).collect();
        walk.call(&words, around, &mut around.folder.clone());
    }
}

/// `curl -K`: the words of a file that the line writes, or hands over. False where it doesn't say what stands in there.
pub(super) fn curl(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let mut all: Vec<String> = vec!["curl".to_owned()];
    let (mut is_told, mut is_read) = (false, false);
    let is_switch = |letter| b"-sSfLkginvNOqjlRa#".contains(&letter);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        let (own, file) = match word.split_once('=') {
            Some(("--config", file)) => ("", Some(file)),
            _ if word == "--config" => ("", rest.next().map(String::as_str)),
            // `-sK-`
            _ => match word.split_once('K').filter(|(own, _)| is_short && own.bytes().all(is_switch)) {
                Some((own, "")) => (own, rest.next().map(String::as_str)),
                Some((own, file)) => (own, Some(file)),
                None => (word.as_str(), None),
            },
        };
        if !matches!(own, "" | "-") {
            all.push(own.to_owned());
        }
        let Some(file) = file else { continue };
        let texts: Texts = match file {
            "-" | "/dev/stdin" => {
                is_read = true;
                around.input.clone()
            }
            SUBSTITUTED => around.printed.clone(),
            _ => walk.written(&joined(around.folder.as_deref(), file)),
        };
        is_told |= !texts.is_empty();
        texts.iter().flat_map(|text| text.lines()).for_each(|line| all.extend(of_config(line)));
    }
    if is_told {
        let input = if is_read { Vec::new() } else { around.input.clone() };
        note(walk, all, Around { input, ..around.clone() });
    }
    is_told
}

/// The words that a line of curl's settings stands for: an option, and its value if it has one.
fn of_config(line: &str) -> Vec<String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Vec::new();
    }
    let end = line.find(|c: char| c.is_whitespace() || matches!(c, '=' | ':')).unwrap_or(line.len());
    let (option, value) = line.split_at(end);
    let value = value.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '=' | ':'));
    let option = if option.starts_with('-') { option.to_owned() } else { format!("--{option}") };
    if value.is_empty() {
        return vec![option];
    }
    let text = in_quotes(value).into_iter().next().filter(|_| value.starts_with('"'));
    vec![option, text.unwrap_or_else(|| value.split_whitespace().next().unwrap_or_default().to_owned())]
}
