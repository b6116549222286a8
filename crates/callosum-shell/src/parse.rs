//! From the tree of a parsed line to the programs it runs.

mod calls;
mod carry;
mod extended_test;
mod fallback;
mod meant;
mod pipeline;
mod redirect;
mod settings;
mod simple;

use std::borrow::Cow;
use std::rc::Rc;

use brush_parser::ast::{Command, CompoundCommand, CompoundList, CompoundListItem, SeparatorOperator};

pub use carry::typed_by_tool;
use pipeline::Place;
use redirect::Redirects;

use super::compact::{Kept, compact};
use super::expansion::Parameters;
use super::functions::{Body, Function, MAX_WALK};
use super::grammar::parse;
use super::pieces::pieces;
use super::printed::{Access, Files, Room, Written};
use super::unread::{Limit, Parts};
use super::variables::Variables;
use super::words::{looked_up, program_name};
use super::{Invocation, Line, MAX_CARRIERS, MAX_INVOCATIONS, MAX_NESTING, Texts, plain};

/// Reads a command line.
pub(super) fn read(command: &str) -> Line {
    let mut walk = Walk::of(command);
    let rough = walk.text(command, &mut None, true);
    walk.uncalled();
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
    set: Variables,
    /// Variables that are other names of some.
    references: Vec<(String, String)>,
    /// Variables that are something else in each turn of a loop, which nothing in the line says.
    looped: Vec<String>,
    /// Loops around what is being read that go on while their condition holds: what it reads is another line each time.
    loops: usize,
    /// Compound commands around what is being read that may not run it.
    branches: usize,
    /// The words that the function or the shell was called with that is being read.
    parameters: Option<Rc<Parameters>>,
    /// Programs around what is being read that carry it: `sudo env nice …`.
    carriers: usize,
    /// What a shell reads whose command this is: its programs read it, too.
    handed: Texts,
    /// From what the commands before in the pipeline make what is read, where what they make is not known.
    hidden: Texts,
    functions: Vec<Function>,
    /// The calls of functions inside each other that are being read.
    calls: Vec<(Vec<String>, Body)>,
    /// How much functions may still be walked through.
    left_to_walk: usize,
    /// What the line has written into files so far.
    files: Files,
    room: Room,
    unread: Parts,
    /// The tree of the text that is being read lacks something.
    is_odd: bool,
    /// What was taken out of the text that is being read.
    kept: Rc<Kept>,
}

/// What a command counts for where functions are walked through, aside from its words.
const COMMAND: usize = 64;

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
    pub(super) written: Vec<Written>,
    pub(super) folder: Folder,
    /// The line's exit code is the command's.
    pub(super) last: bool,
    /// Something appends to its words.
    pub(super) open: bool,
    /// The machine that it runs on, where that is another one.
    pub(super) host: Option<String>,
    /// The words that a shell with a text of its own is called with.
    pub(super) parameters: Option<Rc<Parameters>>,
}

impl Walk {
    fn of(command: &str) -> Self {
        Self {
            found: Vec::new(),
            redirects: Redirects::default(),
            pipelines: 0,
            place: Place::default(),
            depth: 0,
            set: Variables::default(),
            references: Vec::new(),
            looped: Vec::new(),
            loops: 0,
            branches: 0,
            parameters: None,
            carriers: 0,
            handed: Vec::new(),
            hidden: Vec::new(),
            functions: Vec::new(),
            calls: Vec::new(),
            left_to_walk: MAX_WALK,
            files: Files::default(),
            room: Room::of(command.len()),
            unread: Parts::of(command.len()),
            is_odd: false,
            kept: Rc::default(),
        }
    }

    /// Reads the text of a command line; true when that was only done roughly.
    fn text(&mut self, command: &str, folder: &mut Folder, last: bool) -> bool {
        let outer = std::mem::take(&mut self.kept);
        let mut code = Cow::Borrowed(command);
        let read = match self.pipelines(command) {
            Some(pipelines) => {
                self.plain(pipelines, folder, last);
                Ok(())
            }
            None => match compact(command) {
                Some((short, kept)) => {
                    self.kept = Rc::new(kept);
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
        match self.pipelines(command) {
            Some(pipelines) => {
                self.plain(pipelines, folder, last);
                Ok(())
            }
            None => self.parsed(command, folder, last),
        }
    }

    /// The commands of a line that needs no grammar. Which quotes parameters stand in only the parser tells.
    fn pipelines(&self, command: &str) -> Option<plain::Pipelines> {
        let has_parameters = || memchr::memchr(b'$', command.as_bytes()).is_some();
        // `set -- a; echo "$1"`
        let sets_them = || {
            command.split([';', '&', '|', '\n', '{', '(']).any(|part| part.trim_start().starts_with("set "))
        };
        if has_parameters() && (self.parameters.is_some() || sets_them()) {
            None
        } else {
            plain::pipelines(command)
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
                    walk.file(&path, file.access, &mut around.input, &mut around.written, folder);
                }
                for file in command.others {
                    let path = walk.whole(&file.path).into_owned();
                    walk.redirected(&path, file.access == Access::Append, folder);
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
        let redirects = self.redirects.list.len();
        let outer = std::mem::replace(&mut self.handed, around.input.clone());
        let parameters = self.parameters.clone();
        if let Some(own) = &around.parameters {
            self.parameters = Some(Rc::clone(own));
        }
        read(self, &mut around.folder.clone());
        self.parameters = parameters;
        self.handed = outer;
        if around.host.is_some() {
            // A file there is one of that machine: `ssh web 'cat > file'` is what `tee file` does there.
            for redirect in self.redirects.list.split_off(redirects) {
                self.found.push(Invocation { program: "tee".to_owned(), ..redirect });
            }
        }
        for invocation in self.found.iter_mut().skip(before) {
            // `echo mail | sh -c 'sendmail -t'`: the shell hands on what it reads.
            if invocation.input.is_empty() {
                invocation.input.clone_from(&around.input);
            }
            invocation.open |= around.open;
            if invocation.host.is_none() {
                invocation.host.clone_from(&around.host);
            }
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
        self.walked(COMMAND);
        match command {
            Command::Simple(simple) => self.simple(simple, folder, last, piped),
            Command::Compound(compound, redirects) => {
                let place = self.share(redirects.is_some());
                let (mut input, mut written) = (piped, Vec::new());
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirect(redirect, &mut input, &mut written, folder);
                }
                let at = self.found.len();
                // `while read -r to; do …; done < list`
                let outer = if input.is_empty() {
                    None
                } else {
                    Some(std::mem::replace(&mut self.handed, input.clone()))
                };
                self.compound(compound, folder, last);
                if let Some(outer) = outer {
                    self.handed = outer;
                }
                for invocation in self.found.iter_mut().skip(at).filter(|one| one.input.is_empty()) {
                    invocation.input.clone_from(&input);
                }
                self.write(at, written);
                self.place = place;
            }
            Command::Function(function) => {
                self.aside(function.body.1.as_ref(), folder);
                self.define(Function {
                    name: function.fname.value.clone(),
                    body: Body::Code(Rc::new(function.body.0.clone()), Rc::clone(&self.kept)),
                    is_called: false,
                    is_told: false,
                });
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr, folder);
                self.aside(redirects.as_ref(), folder);
            }
        }
    }

    fn compound(&mut self, command: &CompoundCommand, folder: &mut Folder, last: bool) {
        let has_branches = !matches!(
            command,
            CompoundCommand::BraceGroup(_) | CompoundCommand::Arithmetic(_) | CompoundCommand::Coprocess(_)
        );
        if !has_branches {
            return self.body(command, folder, last);
        }
        // A `shift` in there may not be run.
        let parameters = self.parameters.clone();
        self.branches += usize::from(!matches!(command, CompoundCommand::Subshell(_)));
        self.body(command, folder, last);
        self.branches -= usize::from(!matches!(command, CompoundCommand::Subshell(_)));
        if !self.parameters.as_ref().is_some_and(|parameters| parameters.is_set) {
            self.parameters = parameters;
        }
    }

    fn body(&mut self, command: &CompoundCommand, folder: &mut Folder, last: bool) {
        match command {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, folder, last),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, &mut folder.clone(), last),
            CompoundCommand::ForClause(each) => {
                self.each(&each.variable_name, each.values.as_deref(), folder);
                self.list(&each.body.list, folder, false);
            }
            CompoundCommand::ArithmeticForClause(each) => {
                for sum in [&each.initializer, &each.condition, &each.updater].into_iter().flatten() {
                    self.substituted(&sum.value, folder);
                }
                self.list(&each.body.list, folder, false);
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.loops += 1;
                self.list(&clause.0, folder, false);
                self.list(&clause.1.list, folder, false);
                self.loops -= 1;
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
                let parameters = self.parameters.clone();
                for list in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.parameters.clone_from(&parameters);
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

    /// Notes the program that `words` run, or those behind it.
    pub(super) fn run(&mut self, mut words: Vec<String>, around: Around) {
        if self.runs_variable(&words, &around) {
            return;
        }
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
        if !self.files.add_to(&mut invocation) {
            invocation.input.iter().for_each(|text| self.unread.add(Limit::Commands, text));
        }
        self.found.push(invocation);
    }

    /// Notes that so much was gone through, in bytes or so.
    fn walked(&mut self, length: usize) {
        if !self.calls.is_empty() {
            self.left_to_walk = self.left_to_walk.saturating_sub(length);
        }
    }

    /// Whether nothing more is taken in.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_INVOCATIONS
    }
}
