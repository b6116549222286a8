//! From the tree of a parsed line to the programs it runs.

mod calls;
mod carry;
mod extended_test;
mod fallback;
mod pipeline;
mod redirect;

use std::borrow::Cow;
use std::rc::Rc;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, CompoundListItem, SeparatorOperator, SimpleCommand, Word,
};

pub use carry::typed_by_tool;
use pipeline::Place;
use redirect::Redirects;

use super::compact::{Kept, compact};
use super::functions::Function;
use super::grammar::{MAX_EXPANSIONS, expansions, parse};
use super::pieces::pieces;
use super::printed::{Files, Room};
use super::unread::{Limit, Parts};
use super::words::{is_text, looked_up, program_name, substitutions, unquote};
use super::{
    Invocation, Line, MAX_CARRIERS, MAX_INVOCATIONS, MAX_NESTING, MAX_VALUES, MAX_VARIABLES, Texts, joined,
    plain,
};

/// Reads a command line.
pub(super) fn read(command: &str) -> Line {
    let mut walk = Walk::of(command);
    let rough = walk.text(command, &mut None, true);
    let (invocations, redirects) = (walk.found, walk.redirects.list);
    Line { invocations, redirects, rough, unread: walk.unread.into_list(command) }
}

/// What the programs of `command` print, if they only print.
pub(super) fn printed_by(command: &str) -> Option<String> {
    let mut walk = Walk::of(command);
    let is_rough = walk.text(command, &mut None, false);
    let printed = walk.printed(0);
    (!is_rough && !printed.is_empty()).then(|| printed.concat())
}

/// The programs found so far.
#[derive(Debug)]
pub(super) struct Walk {
    found: Vec<Invocation>,
    redirects: Redirects,
    /// Pipelines so far, and where in which the text is that is being read.
    pipelines: usize,
    place: Place,
    depth: usize,
    /// The variables that the line has set so far to a text.
    set: Vec<(String, String)>,
    /// Programs around what is being read that carry it: `sudo env nice …`.
    carriers: usize,
    /// What a shell reads whose command this is: its programs read it, too.
    handed: Texts,
    /// From what the commands before in the pipeline make what is read, where what they make is not known.
    hidden: Texts,
    functions: Vec<Function>,
    /// What the line has written into files so far.
    files: Files,
    room: Room,
    unread: Parts,
    /// The tree of the text that is being read lacks something.
    is_odd: bool,
    /// What was taken out of the text that is being read.
    kept: Kept,
}

/// Of a folder with a longer path nothing is known: no system has one.
const MAX_FOLDER: usize = 4096;

/// The folder a `cd` went to; a subshell has its own.
type Folder = Option<String>;

/// What surrounds a simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    pub(super) variables: Vec<(String, String)>,
    pub(super) input: Texts,
    /// What its process substitutions print.
    pub(super) printed: Texts,
    /// The files that what it prints goes to.
    pub(super) written: Vec<String>,
    pub(super) folder: Folder,
    /// The line's exit code is the command's.
    pub(super) last: bool,
    /// Something appends to its words.
    pub(super) open: bool,
}

impl Walk {
    fn of(command: &str) -> Self {
        Self {
            found: Vec::new(),
            redirects: Redirects::default(),
            pipelines: 0,
            place: Place::default(),
            depth: 0,
            set: Vec::new(),
            carriers: 0,
            handed: Vec::new(),
            hidden: Vec::new(),
            functions: Vec::new(),
            files: Files::default(),
            room: Room::of(command.len()),
            unread: Parts::of(command.len()),
            is_odd: false,
            kept: Kept::default(),
        }
    }

    /// Reads the text of a command line; true when that was only done roughly.
    fn text(&mut self, command: &str, folder: &mut Folder, last: bool) -> bool {
        let outer = std::mem::take(&mut self.kept);
        let mut code = Cow::Borrowed(command);
        let read = match plain::pipelines(command) {
            Some(pipelines) => {
                self.plain(pipelines, folder, last);
                Ok(())
            }
            None => match compact(command) {
                Some((short, kept)) => {
                    self.kept = kept;
                    let read = self.code(&short, folder, last);
                    if read.is_err() {
                        code = Cow::Owned(self.kept.code(&short).into_owned());
                    }
                    read
                }
                None => self.parsed(command, folder, last),
            },
        };
        self.kept = outer;
        read.map_err(|limit| self.roughly(&code, limit)).is_err()
    }

    /// Reads a text of which what is in `kept` was taken out.
    fn code(&mut self, command: &str, folder: &mut Folder, last: bool) -> Result<(), Limit> {
        match plain::pipelines(command) {
            Some(pipelines) => {
                self.plain(pipelines, folder, last);
                Ok(())
            }
            None => self.parsed(command, folder, last),
        }
    }

    fn plain(&mut self, pipelines: plain::Pipelines, folder: &mut Folder, last: bool) {
        let count = pipelines.len();
        for (number, commands) in pipelines.into_iter().enumerate() {
            let last = last && number + 1 == count;
            self.piped(commands.into_iter(), folder, last, |walk, mut command, folder, last, piped| {
                if !walk.kept.is_empty() {
                    for word in &mut command.words {
                        *word = walk.whole(word).into_owned();
                    }
                }
                let input = command.document.map(Rc::from).into_iter().collect();
                let mut around = Around { input, folder: folder.clone(), last, ..Around::default() };
                for file in command.files {
                    let path = walk.whole(&file.path).into_owned();
                    walk.file(&path, file.is_read, &mut around.input, &mut around.written, folder);
                }
                for path in command.others {
                    let path = walk.whole(&path).into_owned();
                    walk.redirected(&path, folder);
                }
                walk.simple_words(command.words, around, folder, piped);
            });
        }
    }

    /// Reads a text by the grammar, in pieces if it must be.
    fn parsed(&mut self, command: &str, folder: &mut Folder, last: bool) -> Result<(), Limit> {
        let Some(pieces) = pieces(command) else { return self.tree(command, folder, last) };
        let count = pieces.len();
        for (number, piece) in pieces.into_iter().enumerate() {
            let read = if self.is_full() {
                Err(Limit::Commands)
            } else {
                self.tree(piece, folder, last && number + 1 == count)
            };
            if let Err(limit) = read {
                let code = self.kept.code(piece).into_owned();
                self.roughly(&code, limit);
            }
        }
        Ok(())
    }

    fn tree(&mut self, command: &str, folder: &mut Folder, last: bool) -> Result<(), Limit> {
        let lists = parse(command)?.complete_commands;
        let count = lists.len();
        for (number, list) in lists.iter().enumerate() {
            self.list(list, folder, last && number + 1 == count);
        }
        if std::mem::take(&mut self.is_odd) {
            let (whole, _) = self.kept.put_back(command);
            self.unread.add(Limit::Syntax, &whole);
        }
        Ok(())
    }

    /// A text with what was taken out of it put back.
    fn whole<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let (whole, is_right) = self.kept.put_back(text);
        if !is_right {
            self.unread(Limit::Syntax, &whole);
        }
        whole
    }

    /// Reads a command line inside another: of `bash -c`.
    pub(super) fn nested(&mut self, command: &str, around: &Around) {
        self.inside(command, around, |walk, folder| {
            walk.text(command, folder, around.last);
        });
    }

    /// Reads a command line that stands in the one that is being read, of which texts were taken out: `$(…)`.
    fn nested_code(&mut self, command: &str, around: &Around) {
        self.inside(command, around, |walk, folder| {
            if let Err(limit) = walk.code(command, folder, around.last) {
                let code = walk.kept.code(command).into_owned();
                walk.roughly(&code, limit);
            }
        });
    }

    fn inside(&mut self, command: &str, around: &Around, read: impl FnOnce(&mut Self, &mut Folder)) {
        if self.is_full() || self.depth >= MAX_NESTING {
            let limit = if self.is_full() { Limit::Commands } else { Limit::Nesting };
            let (whole, _) = self.kept.put_back(command);
            let whole = whole.into_owned();
            self.refuse(limit, &whole, around);
            return;
        }
        self.depth += 1;
        let before = self.found.len();
        let outer = std::mem::replace(&mut self.handed, around.input.clone());
        read(self, &mut around.folder.clone());
        self.handed = outer;
        for invocation in self.found.iter_mut().skip(before) {
            // `echo mail | sh -c 'sendmail -t'`: the shell hands on what it reads.
            if invocation.input.is_empty() {
                invocation.input.clone_from(&around.input);
            }
            invocation.open |= around.open;
            invocation.variables.extend(around.variables.iter().cloned());
        }
        self.depth -= 1;
    }

    /// Cuts a text that can't be parsed. What that finds is not all that may be in it.
    fn roughly(&mut self, command: &str, limit: Limit) {
        self.unread(limit, command);
        fallback::read(self, command);
    }

    /// Notes that a text was not read.
    pub(super) fn unread(&mut self, limit: Limit, text: &str) {
        self.unread.add(limit, text);
    }

    /// The same of a command, with what it reads: it may be a shell.
    fn refuse(&mut self, limit: Limit, command: &str, around: &Around) {
        self.unread(limit, command);
        for text in around.input.iter().chain(&around.printed) {
            self.unread(limit, text);
        }
    }

    fn list(&mut self, CompoundList(items): &CompoundList, folder: &mut Folder, last: bool) {
        let count = items.len();
        for (number, CompoundListItem(and_or, separator)) in items.iter().enumerate() {
            let in_front = matches!(separator, SeparatorOperator::Sequence);
            let last = last && in_front && number + 1 == count;
            for (number, (_, pipeline)) in and_or.into_iter().enumerate() {
                self.pipeline(pipeline, folder, last && number == and_or.additional.len());
            }
        }
    }

    fn command(&mut self, command: &Command, folder: &mut Folder, last: bool, piped: Texts) {
        match command {
            Command::Simple(simple) => self.simple(simple, folder, last, piped),
            Command::Compound(compound, redirects) => {
                let at = self.found.len();
                let place = self.share(redirects.is_some());
                self.compound(compound, folder, last);
                let (mut input, mut written) = (piped, Vec::new());
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirect(redirect, &mut input, &mut written, folder);
                }
                for invocation in self.found.iter_mut().skip(at).filter(|one| one.input.is_empty()) {
                    invocation.input.clone_from(&input);
                }
                self.write(at, written);
                self.place = place;
            }
            // Whoever defines a function calls it, as a rule; when, is not followed.
            Command::Function(function) => {
                let at = self.found.len();
                let place = self.anywhere();
                self.compound(&function.body.0, &mut folder.clone(), false);
                self.place = place;
                self.aside(function.body.1.as_ref(), folder);
                if self.found.len() > at {
                    self.functions.push(Function::new(function.fname.value.clone(), at..self.found.len()));
                }
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr, folder);
                self.aside(redirects.as_ref(), folder);
            }
        }
    }

    fn compound(&mut self, command: &CompoundCommand, folder: &mut Folder, last: bool) {
        match command {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, folder, last),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, &mut folder.clone(), last),
            CompoundCommand::ForClause(each) => {
                for word in each.values.iter().flatten() {
                    self.substituted(&word.value, folder);
                }
                let values: Vec<String> =
                    each.values.iter().flatten().map(|word| unquote(&self.whole(&word.value))).collect();
                let values = values.join(", ");
                self.set(each.variable_name.clone(), values);
                self.list(&each.body.list, folder, false);
            }
            CompoundCommand::ArithmeticForClause(each) => {
                for sum in [&each.initializer, &each.condition, &each.updater].into_iter().flatten() {
                    self.substituted(&sum.value, folder);
                }
                self.list(&each.body.list, folder, false);
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0, folder, false);
                self.list(&clause.1.list, folder, false);
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, folder, false);
                self.list(&clause.then, folder, last);
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition, folder, false);
                    }
                    self.list(&other.body, folder, last);
                }
            }
            CompoundCommand::CaseClause(clause) => {
                self.substituted(&clause.value.value, folder);
                for list in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.list(list, folder, last);
                }
            }
            CompoundCommand::Coprocess(process) => {
                self.command(&process.body, &mut folder.clone(), false, Vec::new());
            }
            // The parser takes `( ( a ) )` for a sum, too.
            CompoundCommand::Arithmetic(sum) => {
                let sum = &sum.expr.value;
                // Of a here-document in it only the mark is left; `1<<2` is a sum.
                self.is_odd |=
                    sum.split("<<").skip(1).any(|after| !after.starts_with(|c: char| c.is_ascii_digit()));
                let outer = std::mem::replace(&mut self.redirects.in_sum, true);
                self.nested_code(sum, &Around { folder: folder.clone(), last, ..Around::default() });
                self.redirects.in_sum = outer;
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand, folder: &mut Folder, last: bool, piped: Texts) {
        let mut around = Around { input: Vec::new(), folder: folder.clone(), last, ..Around::default() };
        // What its substitutions print is its own.
        let place = self.share(true);
        let mut words = Vec::new();
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            if let CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) = item {
                self.assignment(assignment, &mut around);
            } else {
                self.item(item, &mut words, &mut around);
            }
        }
        let (at, mut computed) = (self.found.len(), Vec::new());
        if let Some(name) = &command.word_or_name {
            self.word(name, &mut words, folder);
            if name.value.trim_start_matches('"').starts_with(['$', '`']) {
                computed = self.printed(at);
            }
        }
        for item in suffix {
            self.item(item, &mut words, &mut around);
        }
        // `$(echo git) push`, `eval "$(cat <<E …)"`
        for text in computed {
            let rest = words.get(1..).unwrap_or_default().join(" ");
            self.nested(&format!("{text} {rest}"), &Around { last: false, ..around.clone() });
        }
        self.place = place;
        self.simple_words(words, around, folder, piped);
    }

    /// Notes what a simple command runs, and what it sets for those behind it.
    fn simple_words(&mut self, words: Vec<String>, mut around: Around, folder: &mut Folder, piped: Texts) {
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
            around.variables.into_iter().for_each(|(name, value)| self.set(name, value));
            return;
        }
        if let [program, assigned @ ..] = words.as_slice()
            && matches!(program.as_str(), "export" | "declare" | "local" | "readonly")
        {
            let pairs = assigned.iter().filter_map(|word| word.split_once('='));
            pairs.for_each(|(name, value)| self.set(name.to_owned(), value.to_owned()));
        }
        around.variables.extend(self.set.iter().cloned());
        let (at, written) = (self.found.len(), std::mem::take(&mut around.written));
        if !self.functions.is_empty() && !around.input.is_empty() {
            self.call(words.first().map(String::as_str).unwrap_or_default(), &around);
        }
        self.run(words, around);
        self.write(at, written);
    }

    /// From what a shell that is given nothing to read is given it, by commands whose output is not known.
    pub(super) fn hidden(&self) -> &Texts {
        &self.hidden
    }

    /// Notes what a variable is set to for the programs behind, where that is a text.
    fn set(&mut self, name: String, value: String) {
        if !is_text(&value) {
            return;
        }
        self.set.retain(|(known, _)| *known != name);
        let taken: usize = self.set.iter().map(|(name, value)| name.len() + value.len()).sum();
        if self.set.len() < MAX_VARIABLES && taken + name.len() + value.len() <= MAX_VALUES {
            self.set.push((name, value));
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Vec<String>, around: &mut Around) {
        match item {
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

    fn assignment(&mut self, assignment: &Assignment, around: &mut Around) {
        let values: Vec<&Word> = match &assignment.value {
            AssignmentValue::Scalar(word) => vec![word],
            AssignmentValue::Array(items) => items.iter().map(|(_, word)| word).collect(),
        };
        for word in &values {
            self.substituted(&word.value, &around.folder);
        }
        if let (AssignmentName::VariableName(name), [value]) = (&assignment.name, values.as_slice()) {
            around.variables.push((name.clone(), unquote(&self.whole(&value.value))));
        }
    }

    fn word(&mut self, word: &Word, words: &mut Vec<String>, folder: &Folder) {
        self.substituted(&word.value, folder);
        let word = self.whole(&word.value);
        words.push(unquote(&word));
    }

    /// Reads the commands that are run to make a word.
    fn substituted(&mut self, raw: &str, folder: &Folder) {
        self.commands_in(raw, false, folder, Self::nested_code);
    }

    /// Reads those that are run to make a here-document, which is whole.
    fn substituted_in_document(&mut self, text: &str, folder: &Folder) {
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

    /// Notes the program that `words` run, or those behind it.
    pub(super) fn run(&mut self, mut words: Vec<String>, around: Around) {
        if let Some(first) = words.first_mut()
            && let Some(subcommand) = program_name(first).strip_prefix("git-")
        {
            // `git-push`, as it stands in the folder of git's own programs.
            let subcommand = subcommand.to_owned();
            "git".clone_into(first);
            words.insert(1, subcommand);
        }
        if let Some(first) = words.first_mut().filter(|first| first.starts_with(['$', '`']))
            && let Some(program) = looked_up(first)
        {
            *first = program.to_owned();
        }
        if self.is_full() || self.carriers >= MAX_CARRIERS {
            let limit = if self.is_full() { Limit::Commands } else { Limit::Carriers };
            self.refuse(limit, &words.join(" "), &around);
            return;
        }
        self.carriers += 1;
        carry::unwrap(self, words, around);
        self.carriers -= 1;
    }

    pub(super) fn found(&mut self, mut invocation: Invocation) {
        invocation.pipeline = self.place.pipeline;
        self.files.add_to(&mut invocation);
        self.found.push(invocation);
    }

    /// Whether nothing more is taken in.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_INVOCATIONS
    }
}
