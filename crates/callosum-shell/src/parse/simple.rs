//! Simple commands: their words, what they set, and what they are given.

use std::rc::Rc;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, SimpleCommand, Word,
};

use super::meant::MAX_MEANINGS;
use super::settings::set_by;
use super::{Around, Folder, MAX_FOLDER, Walk, carry};
use crate::expansion::{self, Parameters};
use crate::filters::said;
use crate::grammar::{MAX_EXPANSIONS, expansions};
use crate::printed::Written;
use crate::unread::Limit;
use crate::words::{quoted, substitutions};
use crate::{Invocation, Texts, joined};

/// Longer texts that a substitution prints are not put into a command.
const MAX_PRINTED: usize = 256;

impl Walk {
    pub(super) fn simple(&mut self, command: &SimpleCommand, folder: &mut Folder, last: bool, piped: Texts) {
        let mut around = Around { input: Vec::new(), folder: folder.clone(), last, ..Around::default() };
        // What its substitutions print is its own.
        let place = self.share(true);
        let mut words = Vec::new();
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            if let CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) = item {
                let list = self.assignment(assignment, &mut around);
                self.set_list(list);
            } else {
                self.item(item, &mut words, &mut around);
            }
        }
        let (at, mut computed) = (self.found.len(), Vec::new());
        if let Some(name) = &command.word_or_name {
            self.substituted(&name.value, folder);
            self.as_written(name, &mut words);
            if name.value.trim_start_matches('"').starts_with(['$', '`']) {
                computed = self.printed(at);
            }
        }
        for item in suffix {
            self.item(item, &mut words, &mut around);
        }
        // `$(echo git) push`, `eval "$(cat <<E …)"`
        for text in computed {
            let rest = quoted(words.get(1..).unwrap_or_default());
            self.nested(&format!("{text} {rest}"), &Around { last: false, ..around.clone() });
        }
        self.place = place;
        self.simple_words(words, around, folder, piped);
    }

    /// Notes what a simple command runs, and what it sets for those behind it.
    pub(super) fn simple_words(
        &mut self,
        words: Vec<String>,
        mut around: Around,
        folder: &mut Folder,
        piped: Texts,
    ) {
        if around.input.is_empty() {
            around.input = piped;
        }
        // `ssh host 'bash -s' <<EOF`: a shell in there must know.
        if around.input.is_empty() {
            around.input.clone_from(&self.handed);
        }
        let is_named = |word: &&String| !matches!(word.as_str(), "command" | "builtin");
        let own = words.iter().position(|word| is_named(&word)).and_then(|at| words.get(at..));
        if let Some([program, to @ ..]) = own
            && matches!(program.as_str(), "cd" | "pushd")
        {
            let to = to.iter().find(|word| !word.starts_with('-'));
            // Every program behind it is told.
            *folder = to.map(|to| joined(folder.as_deref(), to)).filter(|path| path.len() <= MAX_FOLDER);
        }
        if words.is_empty() {
            around.variables.into_iter().for_each(|(name, value)| self.set(&name, value));
            return;
        }
        if let [program, own @ ..] = words.as_slice() {
            self.builtin(program, own, &around);
        }
        around.variables.extend(self.set.told());
        let (at, written) = (self.found.len(), std::mem::take(&mut around.written));
        if !self.functions.is_empty() {
            self.call(&words, &around, folder);
        }
        self.run(words, around);
        self.write(at, written);
    }

    /// What a shell does itself that others behind it are told by: it sets variables, parameters, other names for commands.
    fn builtin(&mut self, program: &str, words: &[String], around: &Around) {
        match program {
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                let is_reference =
                    words.first().is_some_and(|word| word.starts_with('-') && word.contains('n'));
                let pairs = words.iter().filter_map(|word| word.split_once('='));
                for (name, value) in pairs {
                    if is_reference && program != "export" {
                        self.refer(name, value);
                        continue;
                    }
                    carry::variable(self, name, value, around);
                    self.set(name, value.to_owned());
                }
            }
            "set" => {
                let own =
                    words.iter().take_while(|word| *word != "--" && word.starts_with(['-', '+'])).count();
                let behind = words.get(own..).unwrap_or_default();
                let is_given = match behind.split_first() {
                    Some((mark, given)) if mark == "--" => Some(given),
                    // The value of `-o`.
                    Some(_) if own == 0 => Some(behind),
                    _ => None,
                };
                if let Some(given) = is_given {
                    let parameters =
                        Parameters { words: given.to_vec(), is_set: true, ..Parameters::default() };
                    self.parameters = Some(Rc::new(parameters));
                }
            }
            // `read -r a b <<< 'x y'`
            "read" => {
                // `read -r -d '' a <<EOF` reads all of it.
                let is_delimiter = |pair: &[String]| matches!(pair, [option, none] if option.starts_with('-') && option.ends_with('d') && none.is_empty());
                if let (true, [.., name], Some(text)) =
                    (words.windows(2).any(is_delimiter), words, around.input.first())
                {
                    self.set(name, text.trim().to_owned());
                    return;
                }
                let names: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
                let Some(line) = around.input.first().and_then(|text| text.lines().next().map(str::to_owned))
                else {
                    if self.loops > 0 {
                        names.into_iter().for_each(|name| self.turns(name));
                    }
                    return;
                };
                if self.loops > 0 {
                    return self.read_all(&names, around);
                }
                let mut rest = line.trim();
                let is_list = |word: &String| word.starts_with('-') && word.ends_with('a');
                if let (Some(name), true) = (names.last(), words.iter().any(is_list)) {
                    let all = rest.split_whitespace().map(str::to_owned).collect();
                    self.set.set(&expansion::list(name), all);
                    return;
                }
                for (at, name) in names.iter().enumerate() {
                    let (first, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                    let value = if at + 1 == names.len() { rest } else { first };
                    self.set(name, value.to_owned());
                    rest = behind.trim_start();
                }
            }
            // `mapfile -t a <<< 'x'`
            "mapfile" | "readarray" => {
                let mut own = words.iter();
                let mut name = "MAPFILE";
                while let Some(word) = own.next() {
                    if word.starts_with('-') && word.ends_with(['d', 'n', 'O', 's', 'u', 'C', 'c']) {
                        own.next();
                    } else if !word.starts_with('-') {
                        name = word;
                    }
                }
                let lines = around.input.iter().flat_map(|text| text.lines().map(str::to_owned)).collect();
                self.set.set(&expansion::list(name), lines);
            }
            "printf" if words.len() > 2 && words.first().is_some_and(|word| word == "-v") => {
                let variables: Vec<(String, String)> = self.set.told().collect();
                let words_of_it = words.get(2..).unwrap_or_default().to_vec();
                let call = Invocation {
                    program: "printf".to_owned(),
                    words: words_of_it,
                    variables,
                    ..Invocation::default()
                };
                let said = said(&call, *self.room.left_mut()).unwrap_or_default();
                words.get(1).into_iter().for_each(|name| self.set(name, said.clone()));
            }
            "shift" => {
                let count = words.first().map_or(Some(1), |count| count.parse().ok());
                if let (Some(count), Some(parameters)) = (count, &self.parameters) {
                    self.parameters = Some(Rc::new(parameters.shifted(count)));
                }
            }
            // `hash -p /usr/bin/git g`
            "hash" => {
                if let [option, path, name] = words
                    && option == "-p"
                {
                    self.name(name, path);
                }
            }
            "cp" | "install" | "ln" | "mv" => self.name_copied(words),
            // `exec 3<<< 'git push'; . /dev/fd/3`
            "exec" if words.is_empty() => {
                for text in &around.input {
                    self.add_to_file(carry::OPENED, text.to_string());
                }
            }
            "alias" => {
                for (name, text) in words.iter().filter_map(|word| word.split_once('=')) {
                    self.name(name, text);
                }
            }
            _ => {
                if let Some((name, value)) = set_by(program, words) {
                    self.set(&name, value);
                }
            }
        }
    }

    /// Notes a variable of a loop that is something else in each turn, and nothing says what.
    fn turns(&mut self, name: &str) {
        self.set.set(name, Vec::new());
        if self.looped.len() < crate::MAX_VARIABLES {
            self.looped.push(name.to_owned());
        }
    }

    /// Notes what a loop reads, a line each turn, into these variables.
    fn read_all(&mut self, names: &[&String], around: &Around) {
        let separators =
            around.variables.iter().find(|(name, _)| name == "IFS").map(|(_, value)| value.as_str());
        let parts = |c: char| match separators {
            Some(own) if !own.is_empty() => own.contains(c),
            _ => c.is_whitespace(),
        };
        let text = around.input.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n");
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() > MAX_MEANINGS {
            return names.iter().for_each(|name| self.turns(name));
        }
        for (at, name) in names.iter().enumerate() {
            let value = |line: &&str| {
                let mut fields = line.trim().splitn(names.len(), parts);
                fields.nth(at).map(|field| field.trim().to_owned())
            };
            let values: Vec<String> =
                lines.iter().filter_map(value).filter(|value| !value.is_empty()).collect();
            self.looped.retain(|looped| looped != *name);
            self.set.set(name, values);
        }
    }

    /// What the line has written into a file.
    pub(super) fn written(&self, path: &str) -> Texts {
        self.files.read(path)
    }

    /// Notes that a program has put a text into a file, beside what stood there.
    pub(super) fn add_to_file(&mut self, path: &str, text: String) {
        let file = Written { path: path.to_owned(), is_appended: true };
        let text: Rc<str> = text.into();
        if !self.files.write(&file, &vec![Rc::clone(&text)]) {
            self.unread(Limit::Commands, &text);
        }
    }

    /// Whether the line has written something into files.
    pub(super) fn has_written(&self) -> bool {
        !self.files.is_empty()
    }

    /// What a variable is set to.
    pub(super) fn told(&self, name: &str) -> Option<String> {
        self.set.values(name)?.first().cloned()
    }

    /// Whether the line has given commands other names so far.
    pub(super) fn has_functions(&self) -> bool {
        !self.functions.is_empty()
    }

    /// Whether what is being read was called with words that are known.
    pub(super) fn has_parameters(&self) -> bool {
        self.parameters.is_some()
    }

    /// From what a shell that is given nothing to read is given it, by commands whose output is not known.
    pub(super) fn hidden(&self) -> &Texts {
        &self.hidden
    }

    /// Notes what a variable is set to for the programs behind, where that is a text.
    fn set(&mut self, name: &str, value: String) {
        let value = self.undone(&value).unwrap_or(value);
        self.looped.retain(|looped| looped != name);
        let (name, value) = match name.strip_suffix('+') {
            Some(name) => (name, self.set.appended(name, &value).unwrap_or_default()),
            None => (name, value),
        };
        if self.branches > 0 {
            self.set.set_perhaps(name, vec![value]);
        } else {
            self.set.set(name, vec![value]);
        }
    }

    /// A text with the variables and parameters in it undone that are known; `None` where none is.
    pub(super) fn undone(&mut self, text: &str) -> Option<String> {
        let is_plain = memchr::memchr(b'$', text.as_bytes()).is_none();
        if is_plain || self.set.is_empty() && !text.contains("${") {
            return None;
        }
        let undone = expansion::in_text(text, self.room.left_mut(), |expansion| self.set.text(expansion));
        self.bounded(text, undone)
    }

    /// A here-document with what is to be expanded in it, as far as the line says what that is.
    pub(super) fn filled(&mut self, text: &str) -> Option<String> {
        let filled = self
            .parameters
            .as_deref()
            .filter(|_| text.contains('$'))
            .map(|parameters| expansion::in_document(text, self.room.left_mut(), parameters));
        let filled = filled.and_then(|filled| self.bounded(text, filled));
        self.undone(filled.as_deref().unwrap_or(text)).or(filled)
    }

    /// A text that something was put into, where there was room for it.
    fn bounded(&mut self, text: &str, filled: Result<Option<String>, ()>) -> Option<String> {
        filled.unwrap_or_else(|()| {
            self.unread(Limit::Length, text);
            None
        })
    }

    /// Notes the values of a loop's variable.
    pub(super) fn each(&mut self, name: &str, values: Option<&[Word]>, folder: &Folder) {
        let mut all = Vec::new();
        match values {
            Some(values) => {
                for value in values {
                    self.word(value, &mut all, folder);
                }
            }
            None => {
                all.extend(self.parameters.iter().flat_map(|parameters| parameters.words.iter().cloned()));
            }
        }
        let lists = all.into_iter().flat_map(|word| {
            let list = expansion::variable(&word).and_then(|name| self.set.values(name));
            list.map_or_else(|| vec![word.clone()], <[String]>::to_vec)
        });
        let values: Vec<String> = lists.collect();
        self.looped.retain(|looped| looped != name);
        if values.iter().any(|value| value.starts_with("$(") || value.starts_with('`')) {
            return self.turns(name);
        }
        self.set.set(name, values);
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Vec<String>, around: &mut Around) {
        match item {
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, _)
                if matches!(assignment.value, AssignmentValue::Array(_)) =>
            {
                let list = self.assignment(assignment, around);
                self.set_list(list);
            }
            CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                self.word(word, words, &around.folder.clone());
            }
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                let folder = around.folder.clone();
                self.redirect(redirect, &mut around.input, &mut around.written, &folder);
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                let at = self.found.len();
                self.list(&subshell.list, &mut around.folder.clone(), false);
                around.printed.extend(self.printed(at));
                words.push(carry::SUBSTITUTED.to_owned());
            }
        }
    }

    /// Takes in what is set for a command; of a list its name and words.
    fn assignment(&mut self, assignment: &Assignment, around: &mut Around) -> Option<(String, Vec<String>)> {
        let values: Vec<&Word> = match &assignment.value {
            AssignmentValue::Scalar(word) => vec![word],
            AssignmentValue::Array(items) => items.iter().map(|(_, word)| word).collect(),
        };
        let mut words = Vec::new();
        for value in values {
            // What is set is one word: the lines of a here-document stay lines.
            let is_document = value.value.starts_with("$(") && value.value.contains("<<");
            let in_quotes =
                is_document.then(|| Word { value: format!("\"{}\"", value.value), ..value.clone() });
            self.word(in_quotes.as_ref().unwrap_or(value), &mut words, &around.folder.clone());
        }
        let AssignmentName::VariableName(name) = &assignment.name else { return None };
        if matches!(assignment.value, AssignmentValue::Array(_)) {
            let name = expansion::list(name);
            let before = assignment.append.then(|| self.set.values(&name)).flatten();
            let all = before.unwrap_or_default().iter().cloned().chain(words).collect();
            return Some((name, all));
        }
        let value = words.join(" ");
        carry::variable(self, name, &value, around);
        let name = if assignment.append { format!("{name}+") } else { name.clone() };
        around.variables.push((name, value));
        None
    }

    fn set_list(&mut self, list: Option<(String, Vec<String>)>) {
        if let Some((name, words)) = list {
            self.set.set(&name, words);
        }
    }

    pub(super) fn word(&mut self, word: &Word, words: &mut Vec<String>, folder: &Folder) {
        self.walked(word.value.len());
        let at = self.found.len();
        self.substituted(&word.value, folder);
        if word.value.starts_with(['$', '`']) && self.found.len() == at + 1 {
            // `git $(echo push)`
            if let [text] = self.printed(at).as_slice()
                && text.len() <= MAX_PRINTED
                && !text.trim().is_empty()
                && (word.value.ends_with(')') || word.value.ends_with('`'))
            {
                words.extend(text.split_whitespace().map(str::to_owned));
                return;
            }
        }
        let quoted = word.value.strip_prefix('"').and_then(|inside| inside.strip_suffix('"'));
        if quoted.is_some_and(|inside| inside.starts_with("$(") && inside.ends_with(')'))
            && self.found.len() == at + 1
            && let [text] = self.printed(at).as_slice()
            && text.len() <= crate::MAX_VALUES
        {
            words.push(text.trim_end_matches('\n').to_owned());
            return;
        }
        self.as_written(word, words);
    }

    /// Notes what a word is, its substitutions as they are written.
    fn as_written(&mut self, word: &Word, words: &mut Vec<String>) {
        let word = self.whole(&word.value);
        let parameters = self.parameters.clone();
        let (all, is_all) = expansion::words(&word, parameters.as_deref());
        let is_longer = all.len() > 1;
        if !is_all || is_longer && !self.room.take(all.iter().map(String::len).sum()) {
            self.unread(Limit::Commands, &word);
        }
        words.extend(all);
    }

    /// Reads the commands that are run to make a word.
    pub(super) fn substituted(&mut self, raw: &str, folder: &Folder) {
        self.commands_in(raw, false, folder, Self::nested_code);
    }

    /// Reads those that are run to make a here-document, which is whole.
    pub(super) fn substituted_in_document(&mut self, text: &str, folder: &Folder) {
        self.commands_in(text, true, folder, Self::nested);
    }

    fn commands_in(
        &mut self,
        raw: &str,
        in_document: bool,
        folder: &Folder,
        read: fn(&mut Self, &str, &Around),
    ) {
        if !raw.contains('`') && !raw.contains("$(") {
            return;
        }
        let is_deep = expansions(raw) > MAX_EXPANSIONS;
        let (commands, is_certain) =
            if is_deep { (Vec::new(), true) } else { substitutions(raw, in_document) };
        if is_deep || !is_certain {
            let (whole, _) = self.kept.put_back(raw);
            self.unread.add(if is_deep { Limit::Depth } else { Limit::Syntax }, &whole);
        }
        for command in commands {
            read(self, &command, &Around { folder: folder.clone(), ..Around::default() });
        }
    }
}
