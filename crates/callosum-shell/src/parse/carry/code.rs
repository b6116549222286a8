//! Commands in code of other languages: `system("git push")`, `subprocess.run(["git", "push"])`, backticks, and what AWK reads
//! from and prints to.

use super::super::{Around, Walk};
use super::{Rest, command, nested};
use crate::unread::Limit;

/// Programs that run code of a language of their own.
const INTERPRETERS: &[&str] = &[
    "python", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "awk", "gawk", "mawk", "nawk", "lua",
    "luajit", "emacs", "Rscript", "R", "julia", "elixir",
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

/// The commands that code runs which an interpreter is given.
pub(super) fn interpreted(walk: &mut Walk, name: &str, words: &[String], around: &Around) {
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let family = if INTERPRETERS.contains(&family) { family } else { name };
    if !INTERPRETERS.contains(&family) {
        return;
    }
    let codes: Vec<&str> =
        words.iter().map(String::as_str).chain(around.input.iter().map(AsRef::as_ref)).collect();
    let inside = Around { input: Vec::new(), last: false, ..around.clone() };
    for code in codes.iter().filter(|code| code.contains(['(', '"', '\'', '`', '{'])) {
        calls(walk, code, &codes, family, &inside);
        if matches!(family, "perl" | "ruby" | "php" | "julia") {
            for text in code.split('`').skip(1).step_by(2) {
                nested(walk, text, &inside);
            }
        }
        if matches!(family, "node" | "nodejs" | "bun" | "deno") {
            for behind in code.split("$`").skip(1) {
                nested(walk, behind.split('`').next().unwrap_or_default(), &inside);
            }
        }
        if matches!(family, "perl" | "ruby") {
            for behind in ["qx", "%x"].iter().flat_map(|mark| code.split(mark).skip(1)) {
                if let Some(text) = delimited(behind) {
                    nested(walk, text, &inside);
                }
            }
            for behind in code.split("open").skip(1) {
                opened(walk, behind, &inside);
            }
        }
        if family.ends_with("awk") {
            pipes(walk, code, &inside);
        }
    }
}

/// Reads the commands that calls in a text of code run. `codes` are all texts that the interpreter is given.
pub(super) fn calls(walk: &mut Walk, code: &str, codes: &[&str], family: &str, around: &Around) {
    // These call functions without parentheses, too.
    let is_bare = matches!(family, "perl" | "ruby" | "php" | "emacs") || family.ends_with("awk");
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-' && family == "emacs";
    let (mut at, mut looked_up, mut is_untold) = (0, 0, false);
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
        let mut arguments = Arguments::read(arguments);
        if let (true, Some(variable)) = (arguments.literals.is_empty(), arguments.name) {
            looked_up += 1;
            let text = if looked_up > MAX_LOOKED_UP { None } else { assigned(variable, codes) };
            is_untold |= text.is_none();
            arguments.literals.extend(text);
        }
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
        [text, ..] if text.trim().contains(char::is_whitespace) => nested(walk, text, around),
        [] => false,
        words => command(walk, Rest::Command, words, around),
    };
}

/// The text that a variable is set to, in code or in a word of its own: `c = "git push"`, `awk -v c='git push'`.
fn assigned(name: &str, codes: &[&str]) -> Option<String> {
    codes.iter().find_map(|code| {
        let whole = code.split_once('=').filter(|(variable, _)| *variable == name);
        if let Some((_, text)) = whole {
            return Some(text.trim_matches(['"', '\'']).to_owned());
        }
        code.match_indices(name).find_map(|(at, _)| {
            let before = code.get(..at).and_then(|before| before.chars().next_back());
            let behind = code.get(at + name.len()..)?.trim_start();
            let value = behind.strip_prefix(":=").or_else(|| behind.strip_prefix('='))?;
            let is_set = before.is_none_or(|before| !before.is_alphanumeric() && before != '_')
                && !value.starts_with('=');
            let arguments = is_set.then(|| Arguments::read(value.lines().next().unwrap_or_default()))?;
            arguments.literals.into_iter().next()
        })
    })
}

/// What a function is called with.
#[derive(Default)]
struct Arguments<'c> {
    /// Its texts in order, lists among them; those of named arguments are left out.
    literals: Vec<String>,
    /// The first argument, if it is a name.
    name: Option<&'c str>,
}

impl<'c> Arguments<'c> {
    /// Reads arguments up to the parenthesis that closes them, or the end of the statement.
    fn read(code: &'c str) -> Self {
        let mut arguments = Self::default();
        // The last character that was no blank, and whether what follows belongs to the text before.
        let (mut before, mut continues, mut depth) = ('(', false, 0_usize);
        let mut chars = code.char_indices().peekable();
        while let Some((at, c)) = chars.next().filter(|(at, _)| *at < MAX_ARGUMENTS) {
            match c {
                '"' | '\'' | '`' => {
                    let rest = code.get(at..).unwrap_or_default();
                    let (text, length) = literal(rest, c);
                    while chars.next_if(|(next, _)| *next < at + length).is_some() {}
                    if !matches!(before, '=' | ':') {
                        match arguments.literals.last_mut().filter(|_| continues) {
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
                    depth += 1;
                    continues = false;
                }
                ')' | ']' | '}' if depth == 0 => break,
                ')' | ']' | '}' => depth -= 1,
                ';' | '\n' if depth == 0 && !arguments.literals.is_empty() && before != ',' => break,
                ',' => continues = false,
                _ if arguments.name.is_none() && arguments.literals.is_empty() => {
                    let name = code.get(at..).unwrap_or_default().trim_start_matches('$');
                    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
                    arguments.name = name.get(..end).filter(|name| !name.is_empty());
                }
                _ => {}
            }
            if !c.is_whitespace() {
                before = c;
            }
        }
        arguments
    }
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
    let arguments = Arguments::read(behind.strip_prefix('(').unwrap_or(behind));
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
