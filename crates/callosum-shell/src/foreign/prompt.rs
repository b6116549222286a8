//! The language of Windows' command prompt, as far as it says which commands are run.

use super::Posix;
use super::posix::{Word, written};

/// Its own commands that change files, and what does that on a POSIX system.
#[rustfmt::skip]
const COMMANDS: &[(&str, &str)] = &[
    ("cd", "cd"), ("chdir", "cd"), ("copy", "cp"), ("del", "rm"), ("erase", "rm"), ("move", "mv"), ("rd", "rm"), ("ren", "mv"), ("rename", "mv"),
    ("rmdir", "rm"), ("type", "cat"),
];

/// How two values are compared.
const COMPARISONS: &[&str] = &["==", "equ", "neq", "lss", "leq", "gtr", "geq"];

/// A text of the command prompt, as a POSIX shell has it.
pub(crate) fn posix(text: &str) -> Posix {
    let mut reader = Reader {
        posix: Posix::default(),
        words: Vec::new(),
        word: None,
        redirects: String::new(),
        is_piped: false,
    };
    reader.read(text);
    reader.posix
}

struct Reader {
    posix: Posix,
    /// The words of the command that is being read.
    words: Vec<Word>,
    word: Option<Word>,
    /// Where it writes to, as it is written.
    redirects: String,
    /// What the command before it prints is handed to it.
    is_piped: bool,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        let mut in_quotes = false;
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    in_quotes = !in_quotes;
                    self.word().is_quoted = true;
                }
                '\n' => {
                    in_quotes = false;
                    self.end(false);
                }
                '%' | '!' => {
                    let rest: String = chars.clone().take_while(|other| *other != c).take(64).collect();
                    let name = rest.split(':').next().unwrap_or_default();
                    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    if is_name && chars.clone().nth(rest.chars().count()) == Some(c) {
                        let is_home = ["USERPROFILE", "HOMEPATH", "HOME"]
                            .iter()
                            .any(|home| name.eq_ignore_ascii_case(home));
                        self.word().push_variable(if is_home { "HOME" } else { name });
                        chars.nth(rest.chars().count());
                    } else {
                        self.word().push(c);
                    }
                }
                c if in_quotes => self.word().push(c),
                '^' => match chars.next() {
                    Some('\n') | None => {}
                    Some('\r') => drop(chars.next_if_eq(&'\n')),
                    Some(escaped) => self.word().push(escaped),
                },
                '&' => self.end(false),
                '|' => {
                    let is_or = chars.next_if_eq(&'|').is_some();
                    self.end(!is_or);
                }
                ')' => self.end(false),
                '(' if !self.only_prints() => self.end(false),
                '>' => {
                    while chars.next_if(|c| *c == '>' || *c == ' ').is_some() {}
                    let number = self.word.take_if(|word| matches!(word.plain.as_str(), "1" | "2"));
                    self.end_word();
                    // `2>&1`
                    if chars.next_if_eq(&'&').is_some() {
                        while chars.next_if(char::is_ascii_digit).is_some() {}
                        continue;
                    }
                    let path: String =
                        std::iter::from_fn(|| chars.next_if(|c| !" \n&|()".contains(*c))).collect();
                    if number.is_none_or(|number| number.plain != "2") {
                        let path = if path.eq_ignore_ascii_case("nul") {
                            "/dev/null"
                        } else {
                            path.trim_matches('"')
                        };
                        self.redirects.push_str(" >");
                        self.redirects.push_str(&Word::of(&path.replace('\\', "/")).posix());
                    }
                }
                '<' | ' ' | '\t' | '\r' => self.end_word(),
                c => self.word().push(c),
            }
        }
        self.posix.is_open |= in_quotes;
        self.end(false);
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    /// In what it is given a bracket is one.
    fn only_prints(&self) -> bool {
        let first = self.words.first().map(|word| word.plain.trim_start_matches('@').to_ascii_lowercase());
        first.is_some_and(|first| matches!(first.as_str(), "echo" | "rem" | "title"))
    }

    /// Notes the command that ends here.
    fn end(&mut self, is_piped: bool) {
        self.end_word();
        let (words, redirects) = (std::mem::take(&mut self.words), std::mem::take(&mut self.redirects));
        if let Some(command) = command(&words) {
            // What is handed on stands on one line.
            if self.is_piped && self.posix.text.ends_with('\n') {
                self.posix.text.pop();
                self.posix.text.push_str(" | ");
            }
            self.posix.text.push_str(&command);
            self.posix.text.push_str(&redirects);
            self.posix.text.push('\n');
        }
        self.is_piped = is_piped;
    }
}

/// A command as a POSIX shell has it, without what stands in front of it: `@call git push`, `if exist f git push`.
fn command(words: &[Word]) -> Option<String> {
    let mut words = joined(words);
    let mut at = 0;
    loop {
        let first = words.get_mut(at)?;
        if let Some(bare) = first.plain.strip_prefix('@').map(Word::of) {
            at += usize::from(bare.plain.is_empty());
            *first = bare;
            continue;
        }
        let lower = first.plain.to_ascii_lowercase();
        let behind = words.get(at + 1..).unwrap_or_default();
        at += match lower.as_str() {
            "call" | "do" | "else" => 1,
            "start" => 1 + starts(behind),
            "if" => 1 + condition(behind),
            // Up to the bracket, behind which its list stands, and the `do`.
            "for" | "rem" | "title" | "setlocal" | "endlocal" => return None,
            "set" => return set(behind),
            _ => break,
        };
    }
    let words = words.get(at..)?;
    // `for /f %i in ('git push') do …`
    if let Some(list) = words.first().and_then(|word| in_single_quotes(&word.plain)) {
        return command(&list.trim_matches('\'').split(' ').map(Word::of).collect::<Vec<_>>());
    }
    let (first, rest) = words.split_first()?;
    let lower = first.plain.to_ascii_lowercase();
    let own = COMMANDS.iter().find(|(name, _)| *name == lower);
    let Some((_, own)) = own else {
        let bare = |word: &Word| in_single_quotes(&word.plain).map_or_else(|| word.clone(), Word::of);
        return Some(written(&words.iter().map(bare).collect::<Vec<_>>()));
    };
    let given =
        rest.iter().filter(|word| !(word.plain.starts_with('/') && word.plain.len() < 4)).map(Word::slashed);
    Some(written(&std::iter::once(Word::of(own)).chain(given).collect::<Vec<_>>()))
}

/// What stands in single quotes.
fn in_single_quotes(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.strip_suffix('\'').filter(|inside| !inside.is_empty())
}

/// Words of which several stand in single quotes, as who knows other shells writes them: these are one.
fn joined(words: &[Word]) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = words;
    // Where none ends, none is looked for again.
    let mut may_end = true;
    while let Some((first, behind)) = rest.split_first() {
        let mut word = first.clone();
        rest = behind;
        if may_end && word.plain.starts_with('\'') && in_single_quotes(&word.plain).is_none() {
            let end = behind.iter().position(|word| word.plain.ends_with('\''));
            may_end = end.is_some();
            let (inside, after) = behind.split_at(end.map_or(0, |end| end + 1));
            for part in inside {
                word.push(' ');
                word.push_word(part);
            }
            rest = after;
        }
        all.push(word);
    }
    all
}

/// How many words stand in front of what `start` starts: a title in quotes, and switches.
fn starts(words: &[Word]) -> usize {
    let mut front = usize::from(words.first().is_some_and(|word| word.is_quoted));
    while let Some(switch) = words.get(front).filter(|word| word.plain.starts_with('/')) {
        front += if matches!(switch.plain.to_ascii_lowercase().as_str(), "/d" | "/affinity" | "/node") {
            2
        } else {
            1
        };
    }
    front
}

/// How many words a condition has.
fn condition(words: &[Word]) -> usize {
    let lower = |at: usize| words.get(at).map(|word| word.plain.to_ascii_lowercase()).unwrap_or_default();
    let mut at = 0;
    while matches!(lower(at).as_str(), "/i" | "not") {
        at += 1;
    }
    let is_two = matches!(lower(at).as_str(), "exist" | "defined" | "errorlevel" | "cmdextversion");
    let is_three = COMPARISONS.contains(&lower(at + 1).as_str());
    at + if is_three {
        3
    } else if is_two {
        2
    } else {
        1
    }
}

/// `set A=git`
fn set(words: &[Word]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let plain: Vec<&str> = std::iter::once(first).chain(rest).map(|word| word.plain.as_str()).collect();
    let plain = plain.join(" ");
    let (name, value) = plain.split_once('=')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| format!("{name}={}", Word::of(value).posix()))
}
