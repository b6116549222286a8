//! Programs that run another one: `sudo`, `env`, `timeout`, `xargs`, `bash -c`, `npx` …

use super::Invocation;
use super::parse::{Around, Walk};
use super::steps::runs_one_command;
use super::words::{is_assignment, program_name};

/// A program with a command of its own behind its options.
struct Wrapper {
    names: &'static [&'static str],
    /// Its options that have a value as the next word.
    values: &'static [&'static str],
    /// Words of its own before the command: the seconds of `timeout`.
    operands: usize,
    /// Subcommands of its own, of which one must stand there: `exec` of `pnpm exec`.
    verbs: &'static [&'static str],
    /// The command begins behind a `--`, where there is one: what stands before it is its own.
    marks: bool,
    /// Its exit code is the command's.
    hands_on: bool,
}

const PLAIN: Wrapper =
    Wrapper { names: &[], values: &[], operands: 0, verbs: &[], marks: false, hands_on: true };

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    Wrapper { names: &["sudo", "doas"], values: &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-R", "-D", "--user", "--group", "--host", "--prompt", "--chdir", "--role", "--type"], ..PLAIN },
    Wrapper { names: &["env"], values: &["-u", "--unset", "-C", "--chdir", "-P"], ..PLAIN },
    Wrapper { names: &["nohup", "command", "builtin", "exec", "chronic", "unbuffer", "time", "caffeinate", "nocorrect", "noglob"], values: &["-a", "-f", "-o", "-t", "-w"], ..PLAIN },
    Wrapper { names: &["setsid"], ..PLAIN },
    Wrapper { names: &["runuser"], values: &["-u", "-g", "-G", "--user", "--group", "--supp-group"], ..PLAIN },
    Wrapper { names: &["nice", "ionice", "chrt", "taskset", "stdbuf"], values: &["-n", "-c", "-p", "-i", "-o", "-e", "--adjustment", "--class", "--classdata", "--input", "--output", "--error"], ..PLAIN },
    Wrapper { names: &["timeout", "gtimeout"], values: &["-k", "-s", "--kill-after", "--signal"], operands: 1, hands_on: false, ..PLAIN },
    Wrapper { names: &["flock"], values: &["-w", "-E", "--timeout", "--conflict-exit-code"], operands: 1, ..PLAIN },
    Wrapper { names: &["strace", "ltrace"], values: &["-e", "-o", "-p", "-s", "-u", "-E", "-P"], ..PLAIN },
    Wrapper { names: &["watch"], values: &["-n", "--interval"], hands_on: false, ..PLAIN },
    Wrapper { names: &["systemd-run"], values: &["-u", "--unit", "-p", "--property", "--on-calendar", "--on-active", "--on-boot", "--on-unit-active", "-E", "--setenv", "--uid", "--gid", "--description", "--slice", "-M", "-H", "-d", "--working-directory"], hands_on: false, ..PLAIN },
    Wrapper { names: &["npx", "bunx", "pnpx"], values: &["-p", "--package"], ..PLAIN },
    Wrapper { names: &["npm", "pnpm", "yarn", "bun"], values: &["-p", "--package", "-C", "--dir", "--filter", "--prefix", "-w", "--workspace", "--cwd"], verbs: &["exec", "dlx", "x"], ..PLAIN },
    Wrapper { names: &["uvx", "pipx", "rye", "pdm", "poetry", "pipenv", "hatch", "uv", "conda", "mamba", "micromamba"], values: &["--from", "--with", "--python", "-p", "--spec", "--directory", "--project", "-n", "--name"], verbs: &["run", "tool"], ..PLAIN },
    Wrapper { names: &["bundle", "asdf", "rbenv"], verbs: &["exec", "run", "x"], ..PLAIN },
    Wrapper { names: &["mise", "op", "doppler", "infisical", "vaultenv"], values: &["-f", "--env-file", "-p", "--project", "-c", "--config", "--env", "--account"], verbs: &["exec", "run", "x"], marks: true, ..PLAIN },
    Wrapper { names: &["dotenv", "dotenvx"], values: &["-e", "-f", "--env-file", "-c", "-v", "-p"], verbs: &["exec", "run", "x"], marks: true, ..PLAIN },
    Wrapper { names: &["chamber", "aws-vault"], values: &["-b", "--backend", "-d", "--duration", "--region"], operands: 1, verbs: &["exec"], marks: true, ..PLAIN },
    Wrapper { names: &["direnv", "envchain"], operands: 1, verbs: &["exec"], ..PLAIN },
];

/// Runners of packages: the command they run may have a version, and a shell may be asked for it with `-c`.
const RUNNERS: &[&str] = &["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "uvx", "pipx", "uv"];
/// Runners that need no verb of their own in front of the command.
const WITHOUT_VERB: &[&str] = &["uvx", "npx", "bunx", "pnpx", "dotenv", "dotenvx", "envchain"];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "busybox"];

/// Notes the program that `words` run, or looks behind it when it runs another.
pub(super) fn unwrap(walk: &mut Walk, words: Vec<String>, around: Around) {
    let Some(first) = words.first() else { return };
    let name = program_name(first).to_owned();
    let rest = words.get(1..).unwrap_or_default();
    match name.as_str() {
        // It looks a program up.
        "command" if rest.first().is_some_and(|word| word.starts_with("-v") || word.starts_with("-V")) => {}
        "eval" => walk.nested(&rest.join(" "), &around),
        "watch" => walk.nested(&behind_options(&name, rest).join(" "), &Around { last: false, ..around }),
        "xargs" | "parallel" => xargs(walk, rest, around),
        "find" | "fd" | "fdfind" => {
            executed(walk, rest, &around);
            note(walk, words, around);
        }
        "tmux" if rest.iter().any(|word| matches!(word.as_str(), "send-keys" | "send")) => {
            walk.nested(&typed(rest), &Around { folder: None, last: false, ..around.clone() });
            note(walk, words, around);
        }
        "ssh" | "mosh" => {
            let there = Around { folder: None, last: false, ..around.clone() };
            match remote_command(rest) {
                Some(command) => walk.nested(&command, &there),
                None => read_by_shell(walk, &there),
            }
            note(walk, words, around);
        }
        "su" | "runuser" | "script" => match rest.iter().skip_while(|word| !gives_command(word)).nth(1) {
            Some(command) => walk.nested(command, &Around { last: false, ..around }),
            None => wrapped(walk, words, around),
        },
        _ if SHELLS.contains(&name.as_str()) => shell(walk, words, around),
        _ if is_module(&name, rest) => {
            let module = rest.iter().skip_while(|word| *word != "-m").skip(1);
            walk.run(module.cloned().collect(), around);
        }
        _ => wrapped(walk, words, around),
    }
}

/// Looks behind the program, if it is a wrapper; else notes it.
fn wrapped(walk: &mut Walk, words: Vec<String>, around: Around) {
    let name = words.first().map(|word| program_name(word)).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    match wrapper(name, rest) {
        Some(wrapper) => behind(walk, wrapper, words, around),
        None => {
            shell_inside(walk, rest, &around);
            note(walk, words, around);
        }
    }
}

/// Notes a program that is run itself.
fn note(walk: &mut Walk, words: Vec<String>, around: Around) {
    let mut words = words.into_iter();
    let Some(first) = words.next() else { return };
    let words: Vec<String> = words.collect();
    // `curl --next` does several transfers.
    let once = !words.iter().any(|word| matches!(word.as_str(), "--next" | "-:"));
    walk.found(Invocation {
        program: program_name(&first).to_owned(),
        proves: around.last && !around.open && once && runs_one_command(&first),
        words,
        variables: around.variables,
        input: around.input,
        folder: around.folder,
        open: around.open,
    });
}

fn wrapper(name: &str, rest: &[String]) -> Option<&'static Wrapper> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
    let verb = after_options(wrapper, rest).first().map(String::as_str).unwrap_or_default();
    let runs = wrapper.verbs.is_empty() || WITHOUT_VERB.contains(&name) || wrapper.verbs.contains(&verb);
    // `pdm run`, but not `uv pip`, `npm test`, `op item`.
    runs.then_some(wrapper)
}

/// Looks behind a wrapper.
fn behind(walk: &mut Walk, wrapper: &Wrapper, mut words: Vec<String>, mut around: Around) {
    let name = words.first().map(|word| program_name(word).to_owned()).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    let is_runner = RUNNERS.contains(&name.as_str());
    around.last &= wrapper.hands_on;
    if (is_runner || name == "flock")
        && let Some(command) = rest.iter().skip_while(|word| !matches!(word.as_str(), "-c" | "--call")).nth(1)
    {
        walk.nested(command, &around);
        return;
    }
    let mut inner = after_options(wrapper, rest);
    if let Some((first, after)) = inner.split_first()
        && wrapper.verbs.contains(&first.as_str())
    {
        inner = after_options(wrapper, after);
        // `uv tool run`
        if let Some((second, after)) = inner.split_first()
            && first == "tool"
            && second == "run"
        {
            inner = after_options(wrapper, after);
        }
    }
    let mark = rest.iter().position(|word| wrapper.marks && word == "--");
    inner = match mark {
        Some(mark) => rest.get(mark..).unwrap_or_default(),
        None => inner.get(wrapper.operands..).unwrap_or_default(),
    };
    while let Some((_, after)) = inner.split_first().filter(|(first, _)| *first == "--") {
        inner = after;
    }
    if name == "env" && rest.iter().any(|word| word == "-S" || word.starts_with("--split-string")) {
        walk.nested(&inner.join(" "), &around);
        return;
    }
    let assigned = inner.iter().take_while(|word| is_assignment(word)).count();
    let (set, inner) = inner.split_at(assigned);
    let pairs = set.iter().filter_map(|word| word.split_once('='));
    around.variables.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let at = words.len() - inner.len();
    if name == "systemd-run" || inner.is_empty() {
        note(walk, words.clone(), around.clone());
    }
    let mut inner = words.split_off(at);
    if let (true, Some(first)) = (is_runner, inner.first_mut())
        && let Some((package, _)) = first.rsplit_once('@')
        && !package.is_empty()
    {
        *first = package.to_owned();
    }
    walk.run(inner, around);
}

impl Wrapper {
    /// Whether the next word is the option's value: so too behind a bundle like `-iu`, but not behind `-uroot`.
    fn takes_next(&self, option: &str) -> bool {
        let has_value = |letter: &char| self.values.iter().any(|name| name.chars().eq(['-', *letter]));
        let mut letters = option.chars().skip(1);
        let is_last = |letters: &mut dyn Iterator<Item = char>| letters.next().is_none();
        self.values.contains(&option)
            || !option.starts_with("--") && letters.any(|letter| has_value(&letter)) && is_last(&mut letters)
    }
}

/// What stands after the wrapper's own options.
fn after_options<'w>(wrapper: &Wrapper, words: &'w [String]) -> &'w [String] {
    let mut rest = words;
    while let [option, after @ ..] = rest {
        if option == "--" {
            return after;
        }
        if !option.starts_with('-') || option == "-" {
            break;
        }
        let skipped = usize::from(wrapper.takes_next(option));
        rest = after.get(skipped..).unwrap_or_default();
    }
    rest
}

fn behind_options<'w>(name: &str, words: &'w [String]) -> &'w [String] {
    WRAPPERS
        .iter()
        .find(|wrapper| wrapper.names.contains(&name))
        .map_or(words, |wrapper| after_options(wrapper, words))
}

/// `xargs` and `parallel`: what they read is appended to the command's words.
fn xargs(walk: &mut Walk, rest: &[String], around: Around) {
    #[rustfmt::skip]
    const VALUES: &[&str] = &["-I", "-n", "-P", "-d", "-L", "-a", "-s", "-E", "-j", "--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines", "--max-chars", "--replace", "--jobs", "--delay", "--timeout", "--colsep"];
    let wrapper = Wrapper { values: VALUES, ..PLAIN };
    let inner: Vec<String> =
        after_options(&wrapper, rest).iter().take_while(|word| !word.starts_with(":::")).cloned().collect();
    walk.run(inner, Around { last: false, open: true, ..around });
}

/// `find … -exec rm {} +`
fn executed(walk: &mut Walk, rest: &[String], around: &Around) {
    let mut words = rest.iter();
    while words
        .by_ref()
        .any(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X"))
    {
        let command: Vec<String> =
            words.by_ref().take_while(|word| !matches!(word.as_str(), ";" | "+")).cloned().collect();
        walk.run(command, Around { last: false, open: true, ..around.clone() });
    }
}

/// What `tmux send-keys` types, if it ends the line.
fn typed(rest: &[String]) -> String {
    let wrapper = Wrapper { values: &["-t", "-N"], ..PLAIN };
    let keys = rest.iter().position(|word| matches!(word.as_str(), "send-keys" | "send"));
    let keys = after_options(&wrapper, keys.and_then(|at| rest.get(at + 1..)).unwrap_or_default());
    let is_enter = |word: &String| matches!(word.as_str(), "Enter" | "C-m" | "KPEnter");
    match keys.iter().position(is_enter) {
        Some(end) => keys.get(..end).unwrap_or_default().join(" "),
        None => String::new(),
    }
}

/// What `ssh` runs on the other machine.
fn remote_command(rest: &[String]) -> Option<String> {
    #[rustfmt::skip]
    const VALUES: &[&str] = &["-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R", "-S", "-W", "-w"];
    let wrapper = Wrapper { values: VALUES, ..PLAIN };
    let (_host, command) = after_options(&wrapper, rest).split_first()?;
    let command = after_options(&wrapper, command);
    (!command.is_empty()).then(|| command.join(" "))
}

/// A shell: what `-c` gives it, or what it reads; a script's file is not looked into.
fn shell(walk: &mut Walk, words: Vec<String>, around: Around) {
    let rest = words.get(1..).unwrap_or_default();
    if let Some(command) = command_of_shell(rest) {
        walk.nested(command, &around);
        return;
    }
    let reads = rest.iter().all(|word| word.starts_with('-')) || rest.iter().any(|word| word == "-s");
    if reads && !around.input.is_empty() {
        read_by_shell(walk, &around);
        return;
    }
    note(walk, words, around);
}

/// A shell that is given no command runs what it reads.
fn read_by_shell(walk: &mut Walk, around: &Around) {
    for script in &around.input {
        walk.nested(script, &Around { input: Vec::new(), last: false, ..around.clone() });
    }
}

/// Whether a command is the next word: `-c`, `-lc`, `-ce`.
fn gives_command(word: &str) -> bool {
    word == "--command" || word.starts_with('-') && !word.starts_with("--") && word.contains('c')
}

/// The word after `-c`, `-lc`, `-euo pipefail -c` …
fn command_of_shell(rest: &[String]) -> Option<&String> {
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let is_flag = word.starts_with(['-', '+']) && !word.starts_with("--");
        if is_flag && gives_command(word) {
            return words.find(|word| !word.starts_with(['-', '+']));
        }
        if is_flag && word.ends_with('o') {
            words.next();
        } else if !word.starts_with(['-', '+']) && word != "sh" && word != "ash" {
            // A script; `busybox sh -c` is none.
            return None;
        }
    }
    None
}

/// A shell in the words of a program that is not known to run one: `docker exec app sh -c '…'`, `tmux new 'x'`.
fn shell_inside(walk: &mut Walk, rest: &[String], around: &Around) {
    for (at, word) in rest.iter().enumerate() {
        if SHELLS.contains(&program_name(word))
            && let Some(command) = rest.get(at + 1..).and_then(command_of_shell)
        {
            let command = command.clone();
            walk.nested(&command, &Around { folder: None, last: false, ..around.clone() });
            return;
        }
    }
}

/// `python -m twine upload`
fn is_module(name: &str, rest: &[String]) -> bool {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python"
        && rest.iter().take_while(|word| word.starts_with('-')).any(|word| word == "-m")
}
