//! From the tree of a parsed line to the programs it runs.

use std::borrow::Cow;
use std::panic;

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, CompoundListItem, ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, Pipeline, Program,
    RedirectList, SeparatorOperator, SimpleCommand, Word,
};
use brush_parser::{ParserOptions, Token, TokenizerOptions, parse_tokens, uncached_tokenize_str};

use super::words::{substitutions, unquote};
use super::{Invocation, MAX_INVOCATIONS, MAX_NESTING, MAX_WRAPPERS, joined, plain, wrappers};

/// Longer commands are not parsed.
const MAX_BYTES: usize = 64 * 1024;
/// The tokenizer calls itself for each expansion inside another: so many in all are let through.
const MAX_EXPANSIONS: usize = 128;
/// With a here-document in it, the tokenizer's time is the square of the number of tokens.
const MAX_WITH_HERE_DOCUMENT: (usize, usize) = (32 * 1024, 2048);
/// Of a here-document in a long line so many characters are read.
const MAX_DOCUMENT: usize = 4 * 1024;
/// The parser calls itself for each command inside another, and tries parentheses that are never closed in
/// twice as many ways for each.
const MAX_DEPTH: (usize, usize) = (32, 8);

/// The programs that `command` runs; `None` when its syntax is broken or it is too much to read.
pub(super) fn invocations(command: &str) -> Option<Vec<Invocation>> {
    let mut walk = Walk::default();
    walk.text(command, &mut None, true).then_some(walk.found)
}

/// The programs found so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    found: Vec<Invocation>,
    depth: usize,
    /// The variables that the line has set so far to a text.
    set: Vec<(String, String)>,
    /// Wrappers around what is being read: `sudo env nice …`.
    wrapped: usize,
    /// What a shell reads whose command this is: its programs read it, too.
    handed: Vec<String>,
}

/// The folder a `cd` went to; a subshell has its own.
type Folder = Option<String>;

/// What surrounds a simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    pub(super) variables: Vec<(String, String)>,
    pub(super) input: Vec<String>,
    pub(super) folder: Folder,
    /// The line's exit code is the command's.
    pub(super) last: bool,
    /// Something appends to its words.
    pub(super) open: bool,
}

impl Walk {
    /// Reads the text of a command line. False when it can't be parsed.
    fn text(&mut self, command: &str, folder: &mut Folder, last: bool) -> bool {
        if let Some(pipelines) = plain::pipelines(command) {
            let count = pipelines.len();
            for (number, commands) in pipelines.into_iter().enumerate() {
                let last = last && number + 1 == count;
                self.piped(commands.into_iter(), folder, last, |walk, command, folder, last, piped| {
                    let input = command.document.into_iter().collect();
                    let around = Around { input, folder: folder.clone(), last, ..Around::default() };
                    walk.simple_words(command.words, around, folder, piped);
                });
            }
            return true;
        }
        let Some(program) = parse(command) else { return false };
        let lists = program.complete_commands;
        let count = lists.len();
        for (number, list) in lists.iter().enumerate() {
            self.list(list, folder, last && number + 1 == count);
        }
        true
    }

    /// Reads a command line inside another: of `bash -c`, of `$(…)`.
    pub(super) fn nested(&mut self, command: &str, around: &Around) {
        if self.depth >= MAX_NESTING || self.found.len() >= MAX_INVOCATIONS {
            return;
        }
        self.depth += 1;
        let before = self.found.len();
        let outer = std::mem::replace(&mut self.handed, around.input.clone());
        if !self.text(command, &mut around.folder.clone(), around.last) {
            self.found.extend(super::rough::invocations(command));
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
        mut read: impl FnMut(&mut Self, C, &mut Folder, bool, Vec<String>),
    ) {
        let count = commands.len();
        let mut piped = Vec::new();
        for (number, command) in commands.enumerate() {
            let at = self.found.len();
            let last = last && number + 1 == count;
            match count {
                1 => read(self, command, folder, last, Vec::new()),
                _ => read(self, command, &mut folder.clone(), last, std::mem::take(&mut piped)),
            }
            if number + 1 < count {
                piped = self.found.get(at..).map(printed).unwrap_or_default();
            }
        }
    }

    fn command(&mut self, command: &Command, folder: &mut Folder, last: bool, piped: Vec<String>) {
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
            Command::Function(function) => self.compound(&function.body.0, &mut folder.clone(), false),
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
                let values: Vec<String> =
                    each.values.iter().flatten().map(|word| unquote(&word.value)).collect();
                let values = values.join(", ");
                if is_text(&values) {
                    self.set.push((each.variable_name.clone(), values));
                }
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
            CompoundCommand::Arithmetic(sum) => self.substituted(&sum.expr.value, false, folder),
        }
    }

    fn simple(&mut self, command: &SimpleCommand, folder: &mut Folder, last: bool, piped: Vec<String>) {
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
        if let Some(name) = &command.word_or_name {
            self.word(name, &mut words, folder);
        }
        for item in suffix {
            self.item(item, &mut words, &mut around);
        }
        self.simple_words(words, around, folder, piped);
    }

    /// Notes what a simple command runs, and what it sets for those behind it.
    fn simple_words(
        &mut self,
        words: Vec<String>,
        mut around: Around,
        folder: &mut Folder,
        piped: Vec<String>,
    ) {
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
        let is_text = |(_, value): &(String, String)| is_text(value);
        if words.is_empty() {
            self.set.extend(around.variables.into_iter().filter(is_text));
            return;
        }
        if let [program, assigned @ ..] = words.as_slice()
            && matches!(program.as_str(), "export" | "declare" | "local" | "readonly")
        {
            let pairs = assigned.iter().filter_map(|word| word.split_once('='));
            self.set.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).filter(is_text));
        }
        around.variables.extend(self.set.iter().cloned());
        self.run(words, around);
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
                self.list(&subshell.list, &mut around.folder.clone(), false);
                words.push("<(…)".to_owned());
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
            around.variables.push((name.clone(), unquote(&value.value)));
        }
    }

    fn word(&mut self, word: &Word, words: &mut Vec<String>, folder: &Folder) {
        self.substituted(&word.value, false, folder);
        words.push(unquote(&word.value));
    }

    fn redirects(&mut self, list: Option<&RedirectList>, input: &mut Vec<String>, folder: &Folder) {
        for redirect in list.into_iter().flat_map(|list| &list.0) {
            self.redirect(redirect, input, folder);
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect, input: &mut Vec<String>, folder: &Folder) {
        match redirect {
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    self.substituted(&document.doc.value, true, folder);
                }
                input.push(document.doc.value.clone());
            }
            IoRedirect::HereString(_, word) => {
                self.substituted(&word.value, false, folder);
                input.push(unquote(&word.value));
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.list(&subshell.list, &mut folder.clone(), false);
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word)) => {
                self.substituted(&word.value, false, folder);
            }
            IoRedirect::File(..) | IoRedirect::OutputAndError(..) => {}
        }
    }

    /// Reads the commands that are run to make a word.
    fn substituted(&mut self, raw: &str, in_document: bool, folder: &Folder) {
        if !raw.contains('`') && !raw.contains("$(") {
            return;
        }
        for command in substitutions(raw, in_document) {
            self.nested(&command, &Around { folder: folder.clone(), ..Around::default() });
        }
    }

    /// Notes the program that `words` run, or those behind it.
    pub(super) fn run(&mut self, words: Vec<String>, around: Around) {
        if self.found.len() < MAX_INVOCATIONS && self.wrapped < MAX_WRAPPERS {
            self.wrapped += 1;
            wrappers::unwrap(self, words, around);
            self.wrapped -= 1;
        }
    }

    pub(super) fn found(&mut self, invocation: Invocation) {
        self.found.push(invocation);
    }

    /// Whether nothing more is taken in.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_INVOCATIONS
    }

    pub(super) fn into_found(self) -> Vec<Invocation> {
        self.found
    }
}

/// What commands print that only print; nothing when none does.
fn printed(commands: &[Invocation]) -> Vec<String> {
    let of_one = |command: &Invocation| match command.program.as_str() {
        "cat" if command.words.is_empty() || command.words == ["-"] => Some(command.input.join("\n")),
        "echo" | "printf" => {
            let text = command.words.iter().map(String::as_str).skip_while(|word| word.starts_with('-'));
            Some(text.collect::<Vec<_>>().join(" ").replace("\\n", "\n").replace("\\r", ""))
        }
        _ => None,
    };
    let texts: Vec<String> = commands.iter().filter_map(of_one).collect();
    let text = texts.join("\n");
    if text.is_empty() { Vec::new() } else { vec![text] }
}

/// Whether a word is what it says, with nothing to expand in it.
fn is_text(word: &str) -> bool {
    !word.is_empty() && !word.contains(['$', '`', '*', '{'])
}

/// The line with only the beginning of long here-documents: the headers of a mail stand there, and the tokenizer takes a
/// time for the rest that grows with its square.
pub(crate) fn shortened(command: &str) -> Cow<'_, str> {
    if command.len() <= 2 * MAX_DOCUMENT {
        return Cow::Borrowed(command);
    }
    let mut short = String::new();
    let mut rest = command;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"<<") {
        let (before, document) = rest.split_at(at + 2);
        short.push_str(before);
        rest = document;
        let Some((kept, after)) = cut_document(document) else { continue };
        short.push_str(kept);
        short.push('\n');
        rest = after;
    }
    short.push_str(rest);
    Cow::Owned(short)
}

/// What to keep of a long here-document, from behind its `<<` to a line's end, and the text from its last line on.
fn cut_document(text: &str) -> Option<(&str, &str)> {
    let tag = text.trim_start_matches(['-', ' ', '\t', '\'', '"', '\\']);
    let length = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let body = text.len() - tag.len() + tag.find('\n')? + 1;
    let tag = tag.get(..length).filter(|tag| !tag.is_empty())?;
    let document = text.get(body..)?;
    // Where the line begins that has nothing but the tag, and tabs before it.
    let last_line = |at: usize| {
        let (before, after) = document.split_at_checked(at)?;
        let whole = before.trim_end_matches('\t');
        let is_line = (whole.is_empty() || whole.ends_with('\n'))
            && matches!(after.as_bytes().get(tag.len()), None | Some(b'\n'));
        is_line.then_some(whole.len())
    };
    let end = memchr::memmem::find_iter(document.as_bytes(), tag).find_map(last_line)?;
    let (cut, _) = document.get(..end)?.char_indices().nth(MAX_DOCUMENT)?;
    Some((text.get(..body + cut)?, document.get(end..)?))
}

pub(super) fn parse(command: &str) -> Option<Program> {
    if command.len() > MAX_BYTES || expansions(command) > MAX_EXPANSIONS {
        return None;
    }
    let breaks = || command.bytes().filter(|byte| b" \t\n;&|()<>".contains(byte)).count();
    let (max_bytes, max_breaks) = MAX_WITH_HERE_DOCUMENT;
    if command.contains("<<") && (command.len() > max_bytes || breaks() > max_breaks) {
        return None;
    }
    if has_odd_mark(command) {
        return None;
    }
    // Tokenizer and parser unwrap in places (an unfinished here-document inside `$(…)`), and a command that breaks
    // them is only a command with broken syntax. The cached entry points would keep commands, with the secrets
    // in them, for the life of the process.
    let parse = || {
        let tokens = uncached_tokenize_str(command, &TokenizerOptions::default()).ok()?;
        (is_shallow(&tokens) && !has_huge_descriptor(&tokens))
            .then(|| parse_tokens(&tokens, &ParserOptions::default()).ok())?
    };
    panic::catch_unwind(parse).ok()?
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
        let after = mark.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
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
