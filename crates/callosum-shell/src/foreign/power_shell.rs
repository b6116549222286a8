//! PowerShell's language, as far as it says which commands are run: statements in blocks, expressions and pipelines, and the commands
//! of its own that run what they are given.

use super::Posix;
use super::posix::{Word, written};
use crate::MAX_VARIABLES;

/// Blocks and expressions inside each other are read so deep.
const MAX_DEPTH: usize = 48;

/// Words that a statement begins with and its command stands behind.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "begin", "break", "catch", "clean", "continue", "data", "default", "do", "dynamicparam", "else", "elseif", "end", "exit", "finally", "for", "foreach",
    "if", "in", "parallel", "param", "process", "return", "sequence", "switch", "throw", "trap", "try", "until", "while",
];
/// Those behind which a name stands.
const NAMING: &[&str] = &["class", "configuration", "enum", "filter", "function", "using", "workflow"];

/// Other names of its commands that files are changed by, and what they are there.
#[rustfmt::skip]
const ALIASES: &[(&str, &str)] = &[
    ("ac", "Add-Content"), ("chdir", "Set-Location"), ("clc", "Clear-Content"), ("copy", "Copy-Item"), ("cpi", "Copy-Item"), ("del", "Remove-Item"),
    ("erase", "Remove-Item"), ("gc", "Get-Content"), ("mi", "Move-Item"), ("move", "Move-Item"), ("ni", "New-Item"), ("rd", "Remove-Item"),
    ("ren", "Rename-Item"), ("ri", "Remove-Item"), ("rni", "Rename-Item"), ("sc", "Set-Content"), ("sl", "Set-Location"),
];

/// A command that runs what it is given.
const TEXT: &[&str] = &["iex", "invoke-expression"];
const START: &[&str] = &["start-process", "saps", "start"];
/// Options of the latter that have no value.
#[rustfmt::skip]
const START_SWITCHES: &[&str] =
    &["-confirm", "-loaduserprofile", "-nonewwindow", "-nnw", "-passthru", "-usenewenvironment", "-wait", "-whatif"];

/// A text of PowerShell, as a POSIX shell has it.
pub(crate) fn posix(text: &str) -> Posix {
    let mut reader =
        Reader { text, at: 0, depth: 0, posix: Posix::default(), known: Vec::new(), feeds_text: false };
    let lower = text.to_ascii_lowercase();
    reader.feeds_text = TEXT.iter().any(|name| lower.contains(name));
    while reader.at < text.len() {
        reader.statements(None);
    }
    reader.posix
}

/// A command of a pipeline, so far.
#[derive(Debug, Default)]
struct Stage {
    words: Vec<Word>,
    /// Where it writes to, as it is written.
    redirects: String,
    /// It begins with `&` or `.`: whatever stands there is a command.
    is_called: bool,
    /// It is no command, but says what is handed on.
    is_expression: bool,
    /// The variable that it is set to.
    set: Option<String>,
    /// The next word is a name.
    is_naming: bool,
    /// It ends behind its brackets: `param($x)`.
    is_list: bool,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    posix: Posix,
    /// The variables that were set to a text.
    known: Vec<String>,
    /// What is handed on may be read as commands.
    feeds_text: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Goes past a text, if it stands there.
    fn takes(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.take();
        }
    }

    /// Goes to behind a text, or to the end.
    fn skip_past(&mut self, end: &str) {
        self.at = self.rest().find(end).map_or(self.text.len(), |found| self.at + found + end.len());
    }

    /// Reads statements up to the sign that ends them, and behind it.
    fn statements(&mut self, end: Option<char>) {
        while let Some(c) = self.peek() {
            if Some(c) == end {
                self.take();
                return;
            }
            self.statement(end);
        }
        self.posix.is_open |= end.is_some();
    }

    /// Reads what stands in brackets, of which the first was read.
    fn inside(&mut self, end: char) {
        if self.depth >= MAX_DEPTH {
            self.posix.is_open = true;
            return;
        }
        self.depth += 1;
        self.statements(Some(end));
        self.depth -= 1;
    }

    fn statement(&mut self, end: Option<char>) {
        let mut before: Vec<Stage> = Vec::new();
        let mut stage = Stage::default();
        while let Some(c) = self.peek() {
            match c {
                c if Some(c) == end => break,
                ' ' | '\t' | '\r' => {
                    self.take();
                }
                '\n' | ';' | ')' | '}' => {
                    self.take();
                    break;
                }
                '`' if self.rest().starts_with("`\n") || self.rest().starts_with("`\r\n") => {
                    self.skip_past("\n");
                }
                '|' => {
                    self.take();
                    if self.takes("|") {
                        break;
                    }
                    self.skip(char::is_whitespace);
                    before.push(std::mem::take(&mut stage));
                }
                '&' => {
                    self.take();
                    if self.takes("&") || !stage.words.is_empty() {
                        break;
                    }
                    stage.is_called = true;
                }
                '#' => self.at = self.rest().find('\n').map_or(self.text.len(), |line| self.at + line),
                '<' if self.takes("<#") => self.skip_past("#>"),
                '{' => {
                    self.take();
                    self.inside('}');
                    self.skip(|c| matches!(c, ' ' | '\t' | '\r'));
                    // What stands behind a block is another statement, or an option of what it was given to.
                    if self.peek() != Some('|') {
                        break;
                    }
                }
                '(' => {
                    self.take();
                    self.expression(')', &mut stage);
                    if stage.is_list {
                        break;
                    }
                }
                '$' | '@' if self.rest().get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                    self.at += 2;
                    self.expression(')', &mut stage);
                }
                '@' if self.takes("@{") => self.expression('}', &mut stage),
                '[' if stage.words.is_empty() => {
                    let begin = self.at;
                    self.skip_past("]");
                    // It starts a program, or reads code.
                    let of_type = self.text.get(begin..self.at).unwrap_or_default().to_ascii_lowercase();
                    self.posix.is_open |=
                        ["process", "scriptblock", "powershell"].iter().any(|kind| of_type.contains(kind));
                    stage.is_expression |= self.rest().starts_with("::");
                }
                '>' => self.redirect(&mut stage),
                '0'..='9' | '*' if self.rest().get(1..).is_some_and(|rest| rest.starts_with('>')) => {
                    self.take();
                    self.redirect(&mut stage);
                }
                '<' => {
                    self.take();
                }
                _ => self.next_word(&mut stage),
            }
        }
        self.note(before, stage);
    }

    /// Reads an expression in brackets, which stands for a word of a command.
    fn expression(&mut self, end: char, stage: &mut Stage) {
        self.inside(end);
        if stage.words.is_empty() && !stage.is_called {
            stage.is_expression = true;
        }
        let mut word = Word::default();
        word.is_open = true;
        word.push_variable("_");
        stage.words.push(word);
    }

    fn redirect(&mut self, stage: &mut Stage) {
        self.skip(|c| c == '>');
        if self.takes("&") {
            self.skip(|c| c.is_ascii_digit());
            return;
        }
        self.skip(|c| matches!(c, ' ' | '\t'));
        let path = self.word(false);
        let path = if path.plain == "${null}" { Word::of("/dev/null") } else { path };
        stage.redirects.push_str(" >");
        stage.redirects.push_str(&path.posix());
    }

    /// Reads a word of a command, or what stands in front of one.
    fn next_word(&mut self, stage: &mut Stage) {
        let is_first = stage.words.is_empty() && !stage.is_called && !stage.is_expression;
        let word = self.word(is_first);
        if std::mem::take(&mut stage.is_naming) {
            return;
        }
        if !is_first {
            stage.words.push(word);
            return;
        }
        let lower = word.plain.to_ascii_lowercase();
        let behind = self.rest().trim_start_matches([' ', '\t']);
        let is_set = ["=", "+=", "-=", "*=", "/=", "??="].iter().any(|sign| behind.starts_with(sign));
        if word.is_quoted {
            stage.is_expression = true;
            stage.words.push(word);
        } else if is_set && !behind.starts_with("==") {
            // `$x = git push`, `@{ x = git push }`
            let name = lower.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
            stage.set = name.filter(|_| !behind.starts_with('-')).map(|_| name_of(&word.plain));
            self.skip_past("=");
        } else if lower == "." {
            stage.is_called = true;
        } else if NAMING.contains(&lower.as_str()) {
            stage.is_naming = true;
        } else if KEYWORDS.contains(&lower.as_str()) || matches!(lower.as_str(), "!" | "--%") {
            stage.is_list |= lower == "param";
        } else {
            let is_number = lower.chars().all(|c| c.is_ascii_digit() || c == '.');
            stage.is_expression = is_number || lower.starts_with(['$', '-', '@', ':', ',', '+']);
            stage.words.push(word);
        }
    }

    /// Reads a word; the first one of a statement ends where it is set to something.
    fn word(&mut self, is_first: bool) -> Word {
        let mut word = Word::default();
        let begin = self.at;
        if let Some(quote) =
            ['\'', '"'].into_iter().find(|quote| self.rest().starts_with(&format!("@{quote}")))
        {
            self.at += 2;
            self.skip_past("\n");
            self.here_string(quote, &mut word);
            return word;
        }
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '(' | ')' | '{' | '}' | '>' => break,
                '=' | '+' if is_first && word.plain.starts_with('$') => break,
                '\'' | '‘' | '’' => {
                    self.take();
                    word.is_quoted = true;
                    self.single(&mut word);
                }
                '"' | '“' | '”' => {
                    self.take();
                    word.is_quoted = true;
                    self.double(&mut word);
                }
                '`' => {
                    self.take();
                    self.take().into_iter().for_each(|c| word.push(c));
                }
                '$' => {
                    if self.rest().starts_with("$(") {
                        break;
                    }
                    self.variable(&mut word);
                }
                c => {
                    word.push(c);
                    self.take();
                }
            }
        }
        if self.at == begin {
            self.take();
        }
        word
    }

    fn single(&mut self, word: &mut Word) {
        while let Some(c) = self.take() {
            if matches!(c, '\'' | '‘' | '’') && !self.takes("'") {
                return;
            }
            word.push(c);
        }
        self.posix.is_open = true;
    }

    fn double(&mut self, word: &mut Word) {
        while let Some(c) = self.peek() {
            match c {
                '"' | '“' | '”' => {
                    self.take();
                    if !self.takes("\"") {
                        return;
                    }
                    word.push('"');
                }
                _ => self.expandable(word),
            }
        }
        self.posix.is_open = true;
    }

    /// Reads a sign of a text in which variables stand for something.
    fn expandable(&mut self, word: &mut Word) {
        match self.peek() {
            Some('`') => {
                self.take();
                match self.take() {
                    Some('n' | 'r') => word.push('\n'),
                    Some('t') => word.push('\t'),
                    Some('0') | None => {}
                    Some(c) => word.push(c),
                }
            }
            Some('$') if self.takes("$(") => {
                self.inside(')');
                word.is_open = true;
                word.push_variable("_");
            }
            Some('$') => self.variable(word),
            _ => self.take().into_iter().for_each(|c| word.push(c)),
        }
    }

    /// Reads a text of several lines, up to a line that begins with its quote and an `@`.
    fn here_string(&mut self, quote: char, word: &mut Word) {
        word.is_quoted = true;
        let end = format!("\n{quote}@");
        // It may have no line.
        if self.takes(end.trim_start()) {
            return;
        }
        let Some(length) = self.rest().find(&end) else {
            self.posix.is_open = true;
            self.at = self.text.len();
            return;
        };
        let last = self.at + length;
        while self.at < last {
            if quote == '"' {
                self.expandable(word);
            } else {
                self.take().into_iter().for_each(|c| word.push(c));
            }
        }
        self.at = last + end.len();
    }

    /// Reads a variable: `$x`, `${x}`, `$env:X`.
    fn variable(&mut self, word: &mut Word) {
        self.take();
        let begin = self.at;
        if self.takes("{") {
            self.skip_past("}");
        } else {
            self.skip(|c| c.is_alphanumeric() || c == '_' || c == ':');
        }
        let name = self.text.get(begin..self.at).unwrap_or_default();
        let name = name.trim_start_matches('{').trim_end_matches('}');
        // `"$x: y"`
        let colon = name.len() - name.trim_end_matches(':').len();
        let name = name_of(name);
        self.at -= if name.is_empty() { 0 } else { colon };
        if name.is_empty() {
            word.push('$');
        } else {
            word.is_open |= !self.known.contains(&name);
            word.push_variable(&name);
        }
    }

    /// Notes the commands of a statement.
    fn note(&mut self, before: Vec<Stage>, last: Stage) {
        let mut line = Vec::new();
        let set = before.first().unwrap_or(&last).set.clone();
        if let (Some(name), true) = (set, before.is_empty() && last.is_expression) {
            if let Some(text) = sum(&last.words) {
                let value = text.posix();
                if !text.is_open && self.known.len() < MAX_VARIABLES {
                    self.known.push(name.clone());
                }
                line.push(format!("{name}={value}"));
            }
        } else {
            let count = before.len() + 1;
            for (number, stage) in before.into_iter().chain([last]).enumerate() {
                line.extend(self.command(stage, number > 0, number + 1 < count));
            }
        }
        if !line.is_empty() {
            self.posix.text.push_str(&line.join(" | "));
            self.posix.text.push('\n');
        }
    }

    /// A command as a POSIX shell has it; one that says what is handed on prints that there.
    fn command(&mut self, stage: Stage, is_handed: bool, hands_on: bool) -> Option<String> {
        let Stage { words, redirects, is_called, is_expression, .. } = stage;
        let (first, rest) = words.split_first()?;
        if is_expression {
            let text = sum(&words)?;
            self.posix.is_open |= text.is_open && hands_on && self.feeds_text;
            return hands_on.then(|| format!("echo {}", text.posix()));
        }
        self.posix.is_open |=
            is_called && first.is_open && first.plain.starts_with('$') && !first.plain.contains('/');
        let lower = first.plain.to_ascii_lowercase();
        let command = if TEXT.contains(&lower.as_str()) {
            let given: Vec<&Word> = rest.iter().filter(|word| !word.plain.starts_with('-')).collect();
            self.posix.is_open |= given.iter().any(|word| word.is_open);
            match given.as_slice() {
                [] if is_handed => "pwsh -Command -".to_owned(),
                [] => return None,
                given => {
                    let words: Vec<Word> = given.iter().map(|word| (*word).clone()).collect();
                    format!("pwsh -Command {}", written(&words))
                }
            }
        } else if START.contains(&lower.as_str()) {
            written(&started(rest))
        } else {
            let other = ALIASES.iter().find(|(alias, _)| *alias == lower).map(|(_, name)| Word::of(name));
            let first = other.as_ref().unwrap_or(first);
            written(&std::iter::once(first).chain(rest).map(Word::slashed).collect::<Vec<_>>())
        };
        Some(format!("{command}{redirects}"))
    }
}

/// What a variable is called in the environment of a POSIX shell.
fn name_of(name: &str) -> String {
    let name = name.trim_start_matches("${").trim_end_matches('}').trim_end_matches(':');
    let name = name.rsplit(':').next().unwrap_or(name);
    match name {
        name if name.eq_ignore_ascii_case("USERPROFILE") || name.eq_ignore_ascii_case("HOME") => {
            "HOME".to_owned()
        }
        name if name.starts_with(|c: char| c.is_ascii_digit()) => String::new(),
        name if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => name.to_owned(),
        _ => "_".to_owned(),
    }
}

/// One text, or several with a `+` between each two.
fn sum(words: &[Word]) -> Option<Word> {
    let mut sum = words.first()?.clone();
    for pair in words.get(1..)?.chunks(2) {
        match pair {
            [sign, text] if sign.plain == "+" => sum.push_word(text),
            _ => sum.is_open = true,
        }
    }
    Some(sum)
}

/// What `Start-Process` starts: a program, and words with commas between them, each of which may be several.
fn started(words: &[Word]) -> Vec<Word> {
    let (mut program, mut given) = (None, Vec::new());
    let mut words = words.iter();
    let mut is_listed = false;
    while let Some(word) = words.next() {
        let option = word.plain.to_ascii_lowercase();
        if option.starts_with('-') && !word.is_quoted {
            is_listed = "-argumentlist".starts_with(&option) && option.len() > 1 || option == "-args";
            if !(is_listed || START_SWITCHES.contains(&option.as_str())) {
                let value = words.next();
                if "-filepath".starts_with(&option) || option == "-path" {
                    program = value;
                }
            }
        } else if program.is_none() && !is_listed {
            program = Some(word);
        } else {
            given.push(word);
        }
    }
    let given = given
        .into_iter()
        .flat_map(|word| word.plain.split([',', ' ']).filter(|part| !part.is_empty()).map(Word::of));
    program.cloned().into_iter().chain(given).collect()
}
