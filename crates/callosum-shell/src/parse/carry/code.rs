//! Commands in code of other languages: `system("git push")`, `subprocess.run(["git", "push"])`, backticks, and what AWK reads
//! from and prints to.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use super::super::{Around, Walk};
use super::{Rest, command, libraries, nested};
use crate::code::OF_SCRIPTS;
use crate::unread::Limit;
use crate::words::program_name;
use crate::{Texts, joined};

/// Programs that run code of a language of their own.
const INTERPRETERS: &[&str] = &[
    "python", "pypy", "ipython", "perl", "ruby", "php", "awk", "gawk", "mawk", "nawk", "lua", "luajit",
    "emacs", "Rscript", "R", "julia", "elixir",
];

/// What in such code runs a command: its text, or its words, stand behind.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "system", "system2", "systemlist", "popen", "popen2", "popen3", "exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync",
    "getoutput", "getstatusoutput", "check_call", "check_output", "Popen", "create_subprocess_exec", "create_subprocess_shell",
    "execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "execlpe", "spawnl", "spawnlp", "spawnv", "spawnvp", "posix_spawn",
    "shell_exec", "passthru", "proc_open", "capture2", "capture2e", "capture3", "jobstart", "termopen",
    "shell-command", "shell-command-to-string", "call-process", "start-process",
];

/// The same of functions whose names mean something else elsewhere, each with what their code must hold.
const RUNNERS_OF: &[(&str, &str)] = &[
    ("run", "subprocess"),
    ("call", "subprocess"),
    ("Command", "Deno."),
    ("run", "Deno."),
    ("execute", "os.execute"),
    ("cmd", "System.cmd"),
    ("spawn", "Bun."),
];

/// Of a call's arguments so much is read, in bytes.
const MAX_ARGUMENTS: usize = 4096;
/// Of so many variables it is looked for what they are set to.
const MAX_LOOKED_UP: usize = 64;

/// Runs what the code does that an interpreter is given: the commands it runs, and what it does by libraries.
pub(super) fn read(walk: &mut Walk, name: &str, words: &[String], around: &Around) {
    let (name, words, framework) = match libraries::framework(name, words) {
        Some((name, words, framework)) => (name, Cow::Owned(words), Some(framework)),
        None => (name, Cow::Borrowed(words), None),
    };
    let family = unversioned(name);
    let is_known = |name: &str| INTERPRETERS.contains(&name) || OF_SCRIPTS.contains(&name);
    let family = if is_known(family) { family } else { name };
    if !is_known(family) {
        return;
    }
    let words: Vec<String> =
        words.iter().map(|word| walk.undone(word).unwrap_or_else(|| word.clone())).collect();
    let given = Given::of(family, &words).codes(walk, around);
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    // Which of its words are code an option may say that is not known.
    let mut codes: Vec<&str> =
        words.iter().map(String::as_str).chain(around.input.iter().map(AsRef::as_ref)).collect();
    for code in &given {
        if !codes.contains(&&**code) {
            codes.push(code);
        }
    }
    interpreted(walk, family, &codes, &inside);
    libraries::told(walk, family, &given, framework, &inside);
}

/// A program's name without its version: `python3.12`.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Where an interpreter has its code from.
enum Given<'w> {
    /// A word.
    Word(&'w str),
    /// One of these files.
    Files(Vec<String>),
    Input,
}

impl<'w> Given<'w> {
    fn of(family: &str, words: &'w [String]) -> Self {
        let is_python = matches!(family, "python" | "pypy" | "ipython");
        let is_script = OF_SCRIPTS.contains(&family);
        let is_perl = matches!(family, "perl" | "ruby");
        let is_given = |word: &str| match word {
            "-c" => !is_script,
            "-r" | "-E" => !is_script && !is_python,
            "-e" | "--eval" | "-p" | "-pe" | "--print" => !is_python,
            "eval" => is_script,
            // `-uc`, `-ne`
            _ if word.starts_with("--") || !word.starts_with('-') => false,
            _ => is_python && word.len() == 3 && word.ends_with('c') || is_perl && word.ends_with('e'),
        };
        let takes_next = |word: &str| match word {
            "-X" | "-W" => is_python,
            "-r"
            | "--require"
            | "--import"
            | "--loader"
            | "--experimental-loader"
            | "--env-file"
            | "--tsconfig"
            | "-P"
            | "--project"
            | "--cwd"
            | "-c"
            | "--config"
            | "--import-map"
            | "--preload" => is_script,
            "-I" => !is_python && !is_script,
            _ => false,
        };
        let mut rest = words;
        while let [word, after @ ..] = rest {
            rest = after;
            match word.as_str() {
                "-" | "/dev/stdin" => return Self::Input,
                "run" | "watch" if is_script => {}
                "-m" if is_python => {
                    let path = after.first().map(|module| module.replace('.', "/")).unwrap_or_default();
                    return Self::Files(vec![format!("{path}.py"), format!("{path}/__main__.py")]);
                }
                "-f" if family.ends_with("awk") => {
                    return Self::Files(after.first().cloned().into_iter().collect());
                }
                option if is_given(option) => {
                    return after.first().map_or(Self::Input, |code| Self::Word(code));
                }
                option if takes_next(option) => rest = after.get(1..).unwrap_or_default(),
                option if option.starts_with('-') => {}
                file => return Self::Files(vec![file.to_owned()]),
            }
        }
        Self::Input
    }

    /// The codes, as far as the line says them.
    fn codes(&self, walk: &mut Walk, around: &Around) -> Texts {
        match self {
            Self::Word(code) => vec![(*code).into()],
            Self::Files(files) => files
                .iter()
                .filter_map(|file| Self::file(walk, &joined(around.folder.as_deref(), file)))
                .collect(),
            Self::Input => around.input.clone(),
        }
    }

    /// All that the line has written into a file, where there is room for it: a file may be run a thousand times.
    fn file(walk: &mut Walk, path: &str) -> Option<Rc<str>> {
        let texts = walk.written(path);
        let has_room = walk.room.take(texts.iter().map(|text| text.len()).sum());
        if !has_room {
            texts.iter().for_each(|text| walk.unread(Limit::Length, text));
        }
        match texts.as_slice() {
            [] => None,
            _ if !has_room => None,
            [text] => Some(Rc::clone(text)),
            texts => Some(texts.join("\n").into()),
        }
    }
}

/// The interpreter that a file is for which is run itself, by its first line or its name; `None` where it is for a shell, or another program.
pub(super) fn interpreter(path: &str, text: &str) -> Option<&'static str> {
    let known = |name: &str| {
        let family = unversioned(program_name(name));
        INTERPRETERS.iter().chain(OF_SCRIPTS).find(|known| **known == family).copied()
    };
    if let Some(first) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
        let mut words = first.split_whitespace();
        // `#!/usr/bin/env -S uv run --script`
        return words
            .clone()
            .find_map(known)
            .or(words.any(|word| program_name(word) == "uv").then_some("python"));
    }
    match path.rsplit_once('.')?.1 {
        "py" => Some("python"),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" => Some("node"),
        "rb" => Some("ruby"),
        "pl" => Some("perl"),
        "php" => Some("php"),
        "lua" => Some("lua"),
        _ => None,
    }
}

/// The commands that codes run which an interpreter is given.
fn interpreted(walk: &mut Walk, family: &str, codes: &[&str], inside: &Around) {
    for code in codes.iter().filter(|code| code.contains(['(', '"', '\'', '`', '{'])) {
        calls(walk, code, codes, family, inside);
        if matches!(family, "perl" | "ruby" | "php" | "julia") {
            for text in code.split('`').skip(1).step_by(2) {
                nested(walk, text, inside);
            }
        }
        if OF_SCRIPTS.contains(&family) {
            for behind in code.split("$`").skip(1) {
                nested(walk, behind.split('`').next().unwrap_or_default(), inside);
            }
        }
        if matches!(family, "perl" | "ruby") {
            for behind in ["qx", "%x"].iter().flat_map(|mark| code.split(mark).skip(1)) {
                if let Some(text) = delimited(behind) {
                    nested(walk, text, inside);
                }
            }
            for behind in code.split("open").skip(1) {
                opened(walk, behind, inside);
            }
        }
        if family.ends_with("awk") {
            pipes(walk, code, inside);
        }
    }
}

/// Reads the commands that calls in a text of code run. `codes` are all texts that the interpreter is given.
pub(super) fn calls(walk: &mut Walk, code: &str, codes: &[&str], family: &str, around: &Around) {
    // These call functions without parentheses, too.
    let is_bare = matches!(family, "perl" | "ruby" | "php" | "emacs") || family.ends_with("awk");
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-' && family == "emacs";
    let (mut at, mut is_untold) = (0, false);
    let variables = Variables { codes, left: Cell::new(MAX_LOOKED_UP) };
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let start = rest.find(is_name).unwrap_or(rest.len());
        let name = rest.get(start..).unwrap_or_default();
        let length = name.find(|c| !is_name(c)).unwrap_or(name.len());
        let (name, behind) = name.split_at(length);
        at += start + length.max(1);
        let is_runner = RUNNERS.contains(&name)
            || RUNNERS_OF.iter().any(|(known, mark)| *known == name && code.contains(mark));
        if !is_runner {
            continue;
        }
        let behind = behind.trim_start();
        let (arguments, is_called) = match behind.strip_prefix('(') {
            Some(arguments) => (arguments, true),
            None => (behind, is_bare && behind.starts_with(['"', '\'', 'q', '%', '[', '$'])),
        };
        if !is_called {
            continue;
        }
        let arguments = Arguments::read(arguments, &variables);
        is_untold |= arguments.is_untold && arguments.literals.is_empty();
        run(walk, arguments.literals, around);
    }
    // What it is made of stands in the code, if anywhere.
    if is_untold {
        codes.iter().for_each(|code| walk.unread(Limit::Filter, code));
    }
}

/// Runs what a function is called with: a text for a shell, or the words of a command.
fn run(walk: &mut Walk, mut words: Vec<String>, around: &Around) {
    // `execvp("git", ["git", "push"])`: a program is told its own name.
    if let [program, own, ..] = words.as_slice()
        && program == own
    {
        words.remove(0);
    }
    match words.as_slice() {
        // `'git push %s' % (remote)`
        [text, values @ ..] if text.contains("%s") && text.trim().contains(char::is_whitespace) => {
            let filled = values.iter().fold(text.clone(), |text, value| text.replacen("%s", value, 1));
            nested(walk, &filled, around)
        }
        [text, ..] if text.trim().contains(char::is_whitespace) => nested(walk, text, around),
        [] => false,
        words => command(walk, Rest::Command, words, around),
    };
}

/// What stands for values in a code.
struct Variables<'c> {
    /// All texts that the interpreter is given.
    codes: &'c [&'c str],
    /// At most this many may still be looked up.
    left: Cell<usize>,
}

impl Variables<'_> {
    /// The texts that a variable is set to, in code or in a word of its own: `c = "git push"`, `awk -v c='git push'`, `a = ["git", "push"]`.
    fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.left.set(self.left.get().checked_sub(1)?);
        self.codes.iter().find_map(|code| {
            let whole = code.split_once('=').filter(|(variable, _)| *variable == name);
            // In a code that begins so more follows.
            if let Some((_, text)) = whole.filter(|(_, text)| !text.contains(['(', '[', '\n'])) {
                return Some(vec![text.trim_matches(['"', '\'']).to_owned()]);
            }
            let mut all: Option<Vec<String>> = None;
            for (at, _) in code.match_indices(name) {
                let before = code.get(..at).and_then(|before| before.chars().next_back());
                let behind = code.get(at + name.len()..).unwrap_or_default().trim_start();
                if before.is_some_and(|before| {
                    before.is_alphanumeric() || matches!(before, '_' | '.' | '\'' | '"')
                }) {
                    continue;
                }
                let further = ["+=", ".append(", ".extend(", ".push("]
                    .iter()
                    .find_map(|mark| behind.strip_prefix(mark));
                let set = behind.strip_prefix(":=").or_else(|| behind.strip_prefix('='));
                match (&mut all, set, further) {
                    (None, Some(value), _) if !value.starts_with(['=', '>', '~']) => {
                        let found = self.value(value);
                        all = Some(found).filter(|found| !found.is_empty());
                    }
                    (Some(all), _, Some(value)) => {
                        self.left.set(self.left.get().checked_sub(1)?);
                        let more = self.value(value);
                        match all.as_mut_slice() {
                            // A text is made longer; a list gets more.
                            [text] if !value.trim_start().starts_with('[') && behind.starts_with('+') => {
                                text.push_str(&more.concat());
                            }
                            _ => all.extend(more),
                        }
                    }
                    _ => {}
                }
            }
            all
        })
    }

    /// The texts of a value that code begins with.
    fn value(&self, code: &str) -> Vec<String> {
        let code = code.trim_start_matches([' ', '\t']);
        let is_long =
            code.starts_with(['[', '(', '`']) || code.starts_with("\"\"\"") || code.starts_with("'''");
        let value = if is_long { code } else { code.lines().next().unwrap_or_default() };
        Arguments::read(value, self).literals
    }

    /// A text with the names in braces undone that are known; others become variables.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let name = behind.split('}').next().unwrap_or_default();
            let is_name = !name.is_empty() && name.chars().all(is_of_name) && behind.len() > name.len();
            filled.push_str(if is_name { before.strip_suffix('$').unwrap_or(before) } else { before });
            if is_name {
                filled.push_str(
                    &self.texts(name).map_or_else(|| format!("${{{name}}}"), |texts| texts.join(" ")),
                );
                rest = behind.get(name.len() + 1..).unwrap_or_default();
            } else {
                filled.push('{');
                rest = behind;
            }
        }
        filled + rest
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What a function is called with.
#[derive(Default)]
struct Arguments {
    /// Its texts in order, lists among them; those of named arguments are left out.
    literals: Vec<String>,
    /// The first argument is a name, and nobody says what it is.
    is_untold: bool,
}

impl Arguments {
    /// Reads arguments up to the parenthesis that closes them, or the end of the statement.
    fn read(code: &str, variables: &Variables<'_>) -> Self {
        let mut arguments = Self::default();
        // The last character that was no blank, whether what follows belongs to the text before, the brackets that are open, and the name
        // before a bracket or a quote.
        let (mut before, mut continues, mut open, mut prefix) = ('(', false, Vec::new(), "");
        let mut chars = code.char_indices().peekable();
        while let Some((at, c)) = chars.next().filter(|(at, _)| *at < MAX_ARGUMENTS) {
            let in_list = open.last() == Some(&Bracket::List);
            match c {
                '"' | '\'' | '`' => {
                    let rest = code.get(at..).unwrap_or_default();
                    let (text, length) = literal(rest, c);
                    while chars.next_if(|(next, _)| *next < at + length).is_some() {}
                    let has_names = c == '`' || prefix.len() <= 2 && prefix.contains(['f', 'F']);
                    let text = if has_names && text.contains('{') { variables.filled(&text) } else { text };
                    if !matches!(before, '=' | ':') {
                        match arguments.literals.last_mut().filter(|_| continues && before != '%') {
                            Some(last) => last.push_str(&text),
                            None => arguments.literals.push(text),
                        }
                        continues = true;
                    }
                }
                'q' if code.get(at..).is_some_and(is_quote_like) => {
                    let rest = code.get(at..).unwrap_or_default();
                    let text = rest.trim_start_matches(['q', 'w']);
                    let Some(inside) = delimited(text) else { continue };
                    let end = at + (rest.len() - text.len()) + inside.len() + 2;
                    while chars.next_if(|(next, _)| *next < end).is_some() {}
                    if rest.starts_with("qw") {
                        arguments.literals.extend(inside.split_whitespace().map(str::to_owned));
                    } else {
                        arguments.literals.push(inside.to_owned());
                    }
                }
                '(' | '[' | '{' => {
                    let begins = matches!(before, '(' | '[' | ',' | '=' | ':' | '+' | '%' | '*');
                    open.push(match c {
                        '[' | '(' if begins => Bracket::List,
                        '(' if in_list && matches!(prefix, "str" | "String" | "repr") => Bracket::List,
                        '(' => Bracket::Call,
                        _ => Bracket::Other,
                    });
                    continues = false;
                }
                ')' | ']' | '}' if open.is_empty() => break,
                ')' | ']' | '}' => drop(open.pop()),
                ';' | '\n' if open.is_empty() && !arguments.literals.is_empty() && before != ',' => break,
                ',' => continues = false,
                _ if is_of_name(c) => {
                    let rest = code.get(at..).unwrap_or_default();
                    let end = rest.find(|c: char| !is_of_name(c) && c != '.').unwrap_or(rest.len());
                    let (name, behind) = rest.split_at(end);
                    while chars.next_if(|(next, _)| *next < at + end).is_some() {}
                    prefix = name;
                    // `f"…"`
                    if name.len() <= 2 && behind.starts_with(['"', '\'']) {
                        continue;
                    }
                    let next = behind.trim_start_matches([' ', '\t']).chars().next();
                    let is_value = matches!(before, '(' | '[' | ',' | '+' | '$' | '@' | '*' | '%')
                        && !matches!(next, Some('=' | ':' | '(' | '[' | '"' | '\''))
                        && open.last() != Some(&Bracket::Other);
                    if is_value && arguments.name(name, in_list, continues && before == '+', variables) {
                        continues = true;
                    } else {
                        arguments.is_untold |= arguments.literals.is_empty();
                    }
                    before = 'x';
                    continue;
                }
                _ => {}
            }
            prefix = "";
            if !c.is_whitespace() {
                before = c;
            }
        }
        arguments
    }

    /// Takes in a name or a number that stands for an argument: one in a list that is not known keeps its place. False where another is not.
    fn name(&mut self, name: &str, in_list: bool, continues: bool, variables: &Variables<'_>) -> bool {
        let is_number = name.starts_with(|c: char| c.is_ascii_digit());
        let known = if is_number { in_list.then(|| vec![name.to_owned()]) } else { variables.texts(name) };
        let open = || {
            let last = name.rsplit('.').next().unwrap_or(name);
            (in_list || continues).then(|| vec![format!("${{{last}}}")])
        };
        let Some(texts) = known.or_else(open) else { return false };
        match (self.literals.last_mut(), texts.as_slice()) {
            (Some(last), [text]) if continues => last.push_str(text),
            _ => self.literals.extend(texts),
        }
        true
    }
}

/// A bracket that is open in arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// That of a list.
    List,
    /// That of another call.
    Call,
    Other,
}

/// Whether code begins with a text in a quotation of Perl's: `qq{…}`, `qw(…)`.
fn is_quote_like(code: &str) -> bool {
    let behind = code.trim_start_matches(['q', 'w']);
    code.len() - behind.len() <= 2 && behind.starts_with(['{', '(', '[', '<', '/', '|', '!'])
}

/// The text of a literal that code begins with, and its length with its quotes.
fn literal(code: &str, quote: char) -> (String, usize) {
    let triple = [quote; 3].iter().collect::<String>();
    let mark = if code.starts_with(&triple) { triple.as_str() } else { triple.get(..1).unwrap_or_default() };
    let (mut text, mut at) = (String::new(), mark.len());
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty() && !rest.starts_with(mark)) {
        let mut chars = rest.chars();
        let (Some(c), next) = (chars.next(), chars.next()) else { break };
        match (c, next) {
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some('t')) => text.push('\t'),
            ('\\', Some(escaped)) => text.push(escaped),
            _ => text.push(c),
        }
        at += c.len_utf8() + if c == '\\' { next.map_or(0, char::len_utf8) } else { 0 };
    }
    (text, at + mark.len())
}

/// What stands between a delimiter and its counterpart: of `{git push}`, `(git push)`, `/git push/`.
fn delimited(code: &str) -> Option<&str> {
    let open = code.chars().next().filter(|c| c.is_ascii_punctuation() && !"=,;)_.-".contains(*c))?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let inside = code.get(1..)?;
    let mut depth = 0_usize;
    let end = inside.char_indices().find_map(|(at, c)| {
        if c == close && depth == 0 {
            return Some(at);
        }
        depth = depth.saturating_add(usize::from(c == open)).saturating_sub(usize::from(c == close));
        None
    })?;
    inside.get(..end)
}

/// `open(F, "|-", "git push")`, `open(F, "git push |")`, of which what stands behind `open` is given.
fn opened(walk: &mut Walk, behind: &str, around: &Around) {
    let behind = behind.trim_start();
    let variables = Variables { codes: &[], left: Cell::new(0) };
    let arguments = Arguments::read(behind.strip_prefix('(').unwrap_or(behind), &variables);
    let texts: Vec<&str> = arguments.literals.iter().map(|text| text.trim()).collect();
    match texts.as_slice() {
        ["|-" | "-|", text] => nested(walk, text, around),
        ["|-" | "-|", words @ ..] => {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            command(walk, Rest::Command, &words, around)
        }
        [text, ..] if text.len() > 1 && (text.starts_with('|') || text.ends_with('|')) => {
            nested(walk, text.trim_matches('|'), around)
        }
        _ => false,
    };
}

/// What AWK reads from and prints to: `"git push" | getline`, `print | "git push"`.
fn pipes(walk: &mut Walk, code: &str, around: &Around) {
    let mut at = 0;
    while let Some(found) = code.get(at..).and_then(|rest| rest.find('"')) {
        let start = at + found;
        let rest = code.get(start..).unwrap_or_default();
        let (text, length) = literal(rest, '"');
        at = start + length.max(1);
        let before = code.get(..start).unwrap_or_default().trim_end().trim_end_matches('&');
        let behind = code.get(at..).unwrap_or_default().trim_start_matches([' ', '\t', ')']);
        let is_printed = before.ends_with('|') && !before.ends_with("||");
        let is_read = behind.starts_with('|') && !behind.starts_with("||");
        if is_printed || is_read {
            nested(walk, &text, around);
        }
    }
}
