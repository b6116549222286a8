//! From the tree of a parsed line to the programs it runs.

use std::borrow::Cow;
use std::panic;
use std::rc::Rc;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, CompoundListItem, ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, Pipeline, Program,
    RedirectList, SeparatorOperator, SimpleCommand, Word,
};
use brush_parser::{ParserOptions, Token, TokenizerOptions, parse_tokens, uncached_tokenize_str};

use super::carry::{self, Texts};
use super::compact::{Kept, Kind, compact};
use super::filters::{hidden, said, turned};
use super::functions::Function;
use super::unread::{Limit, Parts, Unread};
use super::words::{substitutions, unquote};
use super::{Invocation, MAX_CARRIERS, MAX_INVOCATIONS, MAX_NESTING, MAX_VARIABLES, joined, plain, rough};

/// Longer commands are not parsed.
const MAX_BYTES: usize = 64 * 1024;
/// The tokenizer calls itself for each expansion inside another: so many in all are let through.
const MAX_EXPANSIONS: usize = 128;
/// With a here-document in it, the tokenizer's time is the square of the number of tokens.
const MAX_WITH_HERE_DOCUMENT: (usize, usize) = (32 * 1024, 2048);
/// The parser calls itself for each command inside another, and tries parentheses that are never closed in
/// twice as many ways for each.
const MAX_DEPTH: (usize, usize) = (32, 8);

/// What `command` runs, what of it was not read, and whether it was only cut roughly.
pub(super) fn read(command: &str) -> (Vec<Invocation>, Vec<Unread>, bool) {
    let mut walk = Walk {
        found: Vec::new(),
        depth: 0,
        set: Vec::new(),
        carriers: 0,
        handed: Vec::new(),
        hidden: Vec::new(),
        functions: Vec::new(),
        unread: Parts::of(command.len()),
        is_odd: false,
        kept: Kept::default(),
    };
    let read = walk.text(command, &mut None, true);
    if let Err(limit) = read {
        walk.roughly(command, limit);
    }
    (walk.found, walk.unread.into_list(command), read.is_err())
}

/// The programs found so far.
#[derive(Debug)]
pub(super) struct Walk {
    found: Vec<Invocation>,
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
    unread: Parts,
    /// The tree of the text that is being read lacks something.
    is_odd: bool,
    /// What was taken out of the text that is being read.
    kept: Kept,
}

/// The folder a `cd` went to; a subshell has its own.
type Folder = Option<String>;

/// What surrounds a simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    pub(super) variables: Vec<(String, String)>,
    pub(super) input: Texts,
    /// What its process substitutions print.
    pub(super) printed: Texts,
    pub(super) folder: Folder,
    /// The line's exit code is the command's.
    pub(super) last: bool,
    /// Something appends to its words.
    pub(super) open: bool,
}

impl Walk {
    /// Reads the text of a command line.
    fn text(&mut self, command: &str, folder: &mut Folder, last: bool) -> Result<(), Limit> {
        let Some((short, kept)) = compact(command) else {
            let outer = std::mem::take(&mut self.kept);
            let read = self.code(command, folder, last);
            self.kept = outer;
            return read;
        };
        let outer = std::mem::replace(&mut self.kept, kept);
        let read = self.code(&short, folder, last);
        self.kept = outer;
        read
    }

    /// Reads a text of which what is in `kept` was taken out.
    fn code(&mut self, command: &str, folder: &mut Folder, last: bool) -> Result<(), Limit> {
        if let Some(pipelines) = plain::pipelines(command) {
            let count = pipelines.len();
            for (number, commands) in pipelines.into_iter().enumerate() {
                let last = last && number + 1 == count;
                self.piped(commands.into_iter(), folder, last, |walk, mut command, folder, last, piped| {
                    if !walk.kept.is_empty() {
                        for word in &mut command.words {
                            *word = walk.whole(word, Kind::Quoted).into_owned();
                        }
                    }
                    let document = command.document.as_deref().map(|text| walk.whole(text, Kind::Document));
                    let input = document.into_iter().map(Rc::from).collect();
                    let around = Around { input, folder: folder.clone(), last, ..Around::default() };
                    walk.simple_words(command.words, around, folder, piped);
                });
            }
            return Ok(());
        }
        let lists = parse(command)?.complete_commands;
        let count = lists.len();
        for (number, list) in lists.iter().enumerate() {
            self.list(list, folder, last && number + 1 == count);
        }
        if std::mem::take(&mut self.is_odd) {
            let (whole, _) = self.kept.put_back(command, Kind::Document);
            self.unread.add(Limit::Syntax, &whole);
        }
        Ok(())
    }

    /// A text with what was taken out of it put back.
    fn whole<'t>(&mut self, text: &'t str, kind: Kind) -> Cow<'t, str> {
        let (whole, is_right) = self.kept.put_back(text, kind);
        if !is_right {
            self.unread(Limit::Syntax, &whole);
        }
        whole
    }

    /// Reads a command line inside another: of `bash -c`, of `$(…)`.
    pub(super) fn nested(&mut self, command: &str, around: &Around) {
        if self.is_full() || self.depth >= MAX_NESTING {
            let limit = if self.is_full() { Limit::Commands } else { Limit::Nesting };
            self.refuse(limit, command, around);
            return;
        }
        self.depth += 1;
        let before = self.found.len();
        let outer = std::mem::replace(&mut self.handed, around.input.clone());
        if let Err(limit) = self.text(command, &mut around.folder.clone(), around.last) {
            self.roughly(command, limit);
        }
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
        rough::read(self, command);
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

    fn pipeline(&mut self, Pipeline { bang, seq, .. }: &Pipeline, folder: &mut Folder, last: bool) {
        self.piped(seq.iter(), folder, last && !bang, Self::command);
    }

    /// Reads the commands of a pipeline, each with what those before it print.
    fn piped<C>(
        &mut self,
        commands: impl ExactSizeIterator<Item = C>,
        folder: &mut Folder,
        last: bool,
        mut read: impl FnMut(&mut Self, C, &mut Folder, bool, Texts),
    ) {
        let count = commands.len();
        let mut piped = Vec::new();
        let outer = if count > 1 { Some(std::mem::take(&mut self.hidden)) } else { None };
        for (number, command) in commands.enumerate() {
            let at = self.found.len();
            let last = last && number + 1 == count;
            match count {
                1 => read(self, command, folder, last, Vec::new()),
                _ => read(self, command, &mut folder.clone(), last, std::mem::take(&mut piped)),
            }
            if number + 1 < count {
                let stage = self.found.get(at..).unwrap_or_default();
                piped = printed(stage);
                let before = std::mem::take(&mut self.hidden);
                self.hidden = if piped.is_empty() { hidden(stage, before) } else { Vec::new() };
            }
        }
        if let Some(outer) = outer {
            self.hidden = outer;
        }
    }

    fn command(&mut self, command: &Command, folder: &mut Folder, last: bool, piped: Texts) {
        match command {
            Command::Simple(simple) => self.simple(simple, folder, last, piped),
            Command::Compound(compound, redirects) => {
                let at = self.found.len();
                self.compound(compound, folder, last);
                let mut input = piped;
                self.redirects(redirects.as_ref(), &mut input, folder);
                for invocation in self.found.iter_mut().skip(at).filter(|one| one.input.is_empty()) {
                    invocation.input.clone_from(&input);
                }
            }
            // Whoever defines a function calls it, as a rule; when, is not followed.
            Command::Function(function) => {
                let at = self.found.len();
                self.compound(&function.body.0, &mut folder.clone(), false);
                self.functions.push(Function::new(function.fname.value.clone(), at..self.found.len()));
            }
            Command::ExtendedTest(test, _) => self.test(&test.expr, folder),
        }
    }

    /// Reads what runs to make the words of `[[ … ]]`. A long test is a deep tree, so nothing here calls itself.
    fn test(&mut self, test: &ExtendedTestExpr, folder: &Folder) {
        let mut left = vec![test];
        while let Some(test) = left.pop() {
            match test {
                ExtendedTestExpr::And(first, second) | ExtendedTestExpr::Or(first, second) => {
                    left.extend([second.as_ref(), first.as_ref()]);
                }
                ExtendedTestExpr::Not(test) | ExtendedTestExpr::Parenthesized(test) => left.push(test),
                ExtendedTestExpr::UnaryTest(_, word) => self.substituted(&word.value, false, folder),
                ExtendedTestExpr::BinaryTest(_, one, other) => {
                    self.substituted(&one.value, false, folder);
                    self.substituted(&other.value, false, folder);
                }
            }
        }
    }

    fn compound(&mut self, command: &CompoundCommand, folder: &mut Folder, last: bool) {
        match command {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, folder, last),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, &mut folder.clone(), last),
            CompoundCommand::ForClause(each) => {
                for word in each.values.iter().flatten() {
                    self.substituted(&word.value, false, folder);
                }
                let values: Vec<String> = each
                    .values
                    .iter()
                    .flatten()
                    .map(|word| unquote(&self.whole(&word.value, Kind::Quoted)))
                    .collect();
                let values = values.join(", ");
                self.set(each.variable_name.clone(), values);
                self.list(&each.body.list, folder, false);
            }
            CompoundCommand::ArithmeticForClause(each) => {
                for sum in [&each.initializer, &each.condition, &each.updater].into_iter().flatten() {
                    self.substituted(&sum.value, false, folder);
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
                self.substituted(&clause.value.value, false, folder);
                for list in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.list(list, folder, last);
                }
            }
            CompoundCommand::Coprocess(process) => {
                self.command(&process.body, &mut folder.clone(), false, Vec::new());
            }
            // The parser takes `( ( a ) )` for a sum, too.
            CompoundCommand::Arithmetic(sum) => {
                let inside = self.whole(&sum.expr.value, Kind::Quoted);
                // Of a here-document in it only the mark is left; `1<<2` is a sum.
                self.is_odd |=
                    inside.split("<<").skip(1).any(|after| !after.starts_with(|c: char| c.is_ascii_digit()));
                self.nested(&inside, &Around { folder: folder.clone(), last, ..Around::default() });
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand, folder: &mut Folder, last: bool, piped: Texts) {
        let mut around = Around { input: Vec::new(), folder: folder.clone(), last, ..Around::default() };
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
                computed = self.found.get(at..).map(printed).unwrap_or_default();
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
        if let [program, to @ ..] = words.as_slice()
            && matches!(program.as_str(), "cd" | "pushd")
        {
            *folder = to.iter().find(|word| !word.starts_with('-')).map(|to| joined(folder.as_deref(), to));
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
        if !self.functions.is_empty() && !around.input.is_empty() {
            self.call(words.first().map(String::as_str).unwrap_or_default(), &around);
        }
        self.run(words, around);
    }

    /// Lets the commands of a function read what it is given.
    fn call(&mut self, name: &str, around: &Around) {
        let Some(function) = self.functions.iter_mut().rev().find(|function| function.name == name) else {
            return;
        };
        for command in function.call(&mut self.found, &around.input) {
            let words: Vec<String> = std::iter::once(command.program).chain(command.words).collect();
            let (variables, folder, open) = (command.variables, command.folder, command.open);
            let input = command.input;
            if self.is_full() {
                self.refuse(Limit::Commands, &words.join(" "), around);
                return;
            }
            self.run(words, Around { variables, input, folder, open, ..Around::default() });
        }
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
        if let Some((_, known)) = self.set.iter_mut().find(|(known, _)| *known == name) {
            *known = value;
        } else if self.set.len() < MAX_VARIABLES {
            self.set.push((name, value));
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Vec<String>, around: &mut Around) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                self.word(word, words, &around.folder.clone());
            }
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                self.redirect(redirect, &mut around.input, &around.folder);
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                let at = self.found.len();
                self.list(&subshell.list, &mut around.folder.clone(), false);
                around.printed.extend(self.found.get(at..).map(printed).unwrap_or_default());
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
            self.substituted(&word.value, false, &around.folder);
        }
        if let (AssignmentName::VariableName(name), [value]) = (&assignment.name, values.as_slice()) {
            around.variables.push((name.clone(), unquote(&self.whole(&value.value, Kind::Quoted))));
        }
    }

    fn word(&mut self, word: &Word, words: &mut Vec<String>, folder: &Folder) {
        self.substituted(&word.value, false, folder);
        let word = self.whole(&word.value, Kind::Quoted);
        words.push(unquote(&word));
    }

    fn redirects(&mut self, list: Option<&RedirectList>, input: &mut Texts, folder: &Folder) {
        for redirect in list.into_iter().flat_map(|list| &list.0) {
            self.redirect(redirect, input, folder);
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect, input: &mut Texts, folder: &Folder) {
        match redirect {
            IoRedirect::HereDocument(_, document) => {
                let text = self.whole(&document.doc.value, Kind::Document);
                if document.requires_expansion {
                    self.substituted(&text, true, folder);
                }
                input.push(text.into());
            }
            IoRedirect::HereString(_, word) => {
                self.substituted(&word.value, false, folder);
                input.push(unquote(&self.whole(&word.value, Kind::Quoted)).into());
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                let at = self.found.len();
                self.list(&subshell.list, &mut folder.clone(), false);
                input.extend(self.found.get(at..).map(printed).unwrap_or_default());
            }
            IoRedirect::File(
                _,
                _,
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
            )
            | IoRedirect::OutputAndError(word, _) => self.substituted(&word.value, false, folder),
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
        }
    }

    /// Reads the commands that are run to make a word.
    fn substituted(&mut self, raw: &str, in_document: bool, folder: &Folder) {
        if !raw.contains('`') && !raw.contains("$(") {
            return;
        }
        let raw = self.whole(raw, if in_document { Kind::Document } else { Kind::Quoted });
        if expansions(&raw) > MAX_EXPANSIONS {
            self.unread(Limit::Depth, &raw);
            return;
        }
        let (commands, is_certain) = substitutions(&raw, in_document);
        if !is_certain {
            self.unread(Limit::Syntax, &raw);
        }
        for command in commands {
            self.nested(&command, &Around { folder: folder.clone(), ..Around::default() });
        }
    }

    /// Notes the program that `words` run, or those behind it.
    pub(super) fn run(&mut self, words: Vec<String>, around: Around) {
        if self.is_full() || self.carriers >= MAX_CARRIERS {
            let limit = if self.is_full() { Limit::Commands } else { Limit::Carriers };
            self.refuse(limit, &words.join(" "), &around);
            return;
        }
        self.carriers += 1;
        carry::unwrap(self, words, around);
        self.carriers -= 1;
    }

    pub(super) fn found(&mut self, invocation: Invocation) {
        self.found.push(invocation);
    }

    /// Whether nothing more is taken in.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_INVOCATIONS
    }
}

/// What commands print that only print; nothing when none does.
fn printed(commands: &[Invocation]) -> Texts {
    let of_one = |command: &Invocation| match command.program.as_str() {
        "cat" if command.words.is_empty() || command.words == ["-"] => Some(command.input.join("\n")),
        "tee" => Some(command.input.join("\n")),
        "echo" | "printf" => Some(said(command)),
        _ => turned(command),
    };
    let texts: Vec<String> = commands.iter().filter_map(of_one).collect();
    let text = texts.join("\n");
    if text.is_empty() { Vec::new() } else { vec![text.into()] }
}

/// Whether a word is what it says, with nothing to expand in it.
fn is_text(word: &str) -> bool {
    !word.is_empty() && !word.contains(['$', '`', '*', '{'])
}

pub(super) fn parse(command: &str) -> Result<Program, Limit> {
    if command.len() > MAX_BYTES {
        return Err(Limit::Length);
    }
    if expansions(command) > MAX_EXPANSIONS {
        return Err(Limit::Depth);
    }
    let breaks = || command.bytes().filter(|byte| b" \t\n;&|()<>".contains(byte)).count();
    let (max_bytes, max_breaks) = MAX_WITH_HERE_DOCUMENT;
    if command.contains("<<") && (command.len() > max_bytes || breaks() > max_breaks) {
        return Err(Limit::Length);
    }
    if has_odd_mark(command) {
        return Err(Limit::Syntax);
    }
    // Tokenizer and parser unwrap in places (an unfinished here-document inside `$(…)`), and a command that breaks
    // them is only a command with broken syntax. The cached entry points would keep commands, with the secrets
    // in them, for the life of the process.
    let parse = || {
        let tokens =
            uncached_tokenize_str(command, &TokenizerOptions::default()).map_err(|_| Limit::Syntax)?;
        if !is_shallow(&tokens) {
            return Err(Limit::Depth);
        }
        if has_huge_descriptor(&tokens) {
            return Err(Limit::Syntax);
        }
        parse_tokens(&tokens, &ParserOptions::default()).map_err(|_| Limit::Syntax)
    };
    panic::catch_unwind(parse).unwrap_or(Err(Limit::Syntax))
}

/// Whether the mark of a here-document may be empty, as that of `<<''` is, or be more than a name in quotes or without. The
/// tokenizer takes blanks to be the mark in `<<  E` inside `$(…)`, and in `<<"E$(  "`; and where a text ends behind a mark
/// of nothing, it goes on for ever and takes all memory.
pub(super) fn has_odd_mark(command: &str) -> bool {
    let is_name = |behind: &str| {
        let mark = behind.strip_prefix('-').unwrap_or(behind);
        let mark = mark.strip_prefix([' ', '\t']).unwrap_or(mark);
        let quote = mark.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let mark = mark.strip_prefix(['\'', '"', '\\']).unwrap_or(mark);
        // `END-OF-MAIL`, `E.1`
        let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let begins = mark.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let after = if begins { mark.trim_start_matches(in_name) } else { mark };
        let end = quote.map_or(Some(after), |quote| after.strip_prefix(quote));
        let ends = |end: &str| {
            end.is_empty() || end.starts_with([' ', '\t', '\r', '\n', ';', '|', '&', '<', '>', ')'])
        };
        mark.len() > after.len() && end.is_some_and(ends)
    };
    let mut rest = command;
    while let Some((before, after)) = rest.split_once("<<") {
        let behind = after.trim_start_matches('<');
        let is_here_string = after.len() == behind.len() + 1 && !before.ends_with('\\');
        if !is_here_string && !is_name(behind) {
            return true;
        }
        rest = behind;
    }
    false
}

fn expansions(command: &str) -> usize {
    command.as_bytes().windows(2).filter(|pair| matches!(pair, [b'$', b'(' | b'{' | b'['])).count()
}

/// Whether a redirection names a descriptor that is no number a machine has: the parser does not expect one.
fn has_huge_descriptor(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| {
        let [Token::Word(word, at), Token::Operator(operator, next)] = pair else { return false };
        let is_number = word.len() > 9 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_number && operator.contains(['<', '>']) && at.end.index == next.start.index
    })
}

/// Whether commands stand inside each other no deeper than the parser can take. Words that open a compound
/// command count wherever they stand.
fn is_shallow(tokens: &[Token]) -> bool {
    let (mut depth, mut parentheses, mut negations) = (0_usize, 0_usize, 0_usize);
    let (max_depth, max_parentheses) = MAX_DEPTH;
    for token in tokens {
        negations = if token.to_str() == "!" { negations + 1 } else { 0 };
        match token.to_str() {
            "(" | "((" => parentheses += 1,
            ")" | "))" => parentheses = parentheses.saturating_sub(1),
            "{" | "if" | "for" | "while" | "until" | "case" | "select" | "[[" | "coproc" => depth += 1,
            "}" | "fi" | "done" | "esac" | "]]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth.max(negations) > max_depth || parentheses > max_parentheses {
            return false;
        }
    }
    true
}
