//! Looks behind programs that run another one, by the table in `carriers`.

mod clients;
mod code;
mod each;
mod edits;
mod foreign;
mod libraries;
mod machine;
mod magic;
mod projects;
mod settings;
mod shells;
mod tmux;
mod typed;
mod windows;

pub(super) use settings::variable;
pub use typed::typed_by_tool;

use super::{Around, Walk};
use crate::carriers::{Carrier, Machine, Rest, TMUX, carriers, packages};
use crate::command::canonical_cmdlet;
use crate::compound_programs::runs_one_command;
use crate::options::lists;
use crate::words::{is_assignment, program_name};
use crate::{Invocation, joined};

/// Options of a carrier that are not known, of which each may have a value: the command is looked for behind so many words more.
const MAX_DOUBTS: usize = 4;
/// Options that have no value with any carrier.
#[rustfmt::skip]
const FLAGS: &[&str] = &[
    "--askpass", "--background", "--bun", "--detach", "--follow-forks", "--force", "--foreground", "--ignore-environment", "--init",
    "--interactive", "--login", "--non-interactive", "--null", "--preserve-env", "--privileged", "--quiet", "--rm", "--set-home", "--silent",
    "--stdin", "--tty", "--verbose", "--yes",
];

/// A word that a process substitution left.
pub(super) const SUBSTITUTED: &str = "<(…)";
/// Where what a shell has opened for all commands behind is kept: `exec 3<<< 'git push'`.
pub(super) const OPENED: &str = "/dev/fd";

/// Notes the program that `words` run, or looks behind it when it carries another.
pub(super) fn unwrap(walk: &mut Walk, words: Vec<String>, around: Around) {
    // The grammar takes a `time` in front for itself, but not its options.
    let mut words = words;
    if words.len() > 1 && words.first().is_some_and(|first| first.starts_with('-')) {
        words.insert(0, "time".to_owned());
    }
    let Some(first) = words.first() else { return };
    let name = program_name(first);
    let rest = words.get(1..).unwrap_or_default();
    // It looks a program up.
    let is_question = name == "command"
        && rest.first().is_some_and(|word| word.starts_with(['-']) && word.contains(['v', 'V']));
    if is_question {
        return;
    }
    if TMUX.contains(&name) && rest.iter().any(|word| word == ";") {
        for command in rest.split(|word| word == ";") {
            walk.run(std::iter::once(first).chain(command).cloned().collect(), around.clone());
        }
        return;
    }
    if name == "curl" && settings::curl(walk, rest, &around) {
        return;
    }
    settings::words(walk, name, rest, &around);
    projects::tasks(walk, name, rest, &around);
    let found = carriers(name).find_map(|carrier| {
        let mut own = Own::default();
        own.behind_verbs(carrier, rest).map(|behind| (carrier, behind, own))
    });
    let (is_noted, carries) = match found {
        Some((carrier, behind, own)) => {
            let carries = carry(walk, carrier, rest, behind, own, &around);
            (!carries || carrier.is_noted, carries)
        }
        None => {
            // `uv run t.py`
            if first.contains('/') || code::interpreter(first, "").is_some() {
                shells::script(walk, first, rest, &around);
            }
            shells::shell_inside(walk, rest, &around);
            (true, false)
        }
    };
    code::read(walk, name, rest, &around);
    // `uv run - <<EOF`, `uv run -m t`
    let of_python = rest.iter().position(|word| name == "uv" && matches!(word.as_str(), "-" | "-m"));
    if let Some(given) = of_python.and_then(|at| rest.get(at..)) {
        code::read(walk, "python", given, &around);
    }
    if is_noted {
        let at = walk.found.len();
        note(walk, words, around);
        walk.found.iter_mut().skip(at).for_each(|noted| noted.carries = carries);
    }
}

/// Notes a program that is run itself.
fn note(walk: &mut Walk, words: Vec<String>, around: Around) {
    match walk.meant(&words) {
        Some(all) => all.into_iter().for_each(|words| note_one(walk, words, around.clone())),
        None => note_one(walk, words, around),
    }
}

fn note_one(walk: &mut Walk, words: Vec<String>, around: Around) {
    let mut words = words.into_iter();
    let Some(first) = words.next() else { return };
    let words: Vec<String> = words.collect();
    let program = program_name(&first);
    let program = canonical_cmdlet(program).unwrap_or(program);
    let mut input = around.input;
    if clients::sends(program) {
        input.extend(clients::sent(walk, &words, around.folder.as_deref()));
    }
    // `curl --next` does several transfers.
    let once = !words.iter().any(|word| matches!(word.as_str(), "--next" | "-:"));
    let looped = walk.looped_in(&words);
    walk.found(Invocation {
        program: program.to_owned(),
        looped,
        proves: around.last && !around.open && once && runs_one_command(&first),
        words,
        variables: around.variables,
        input,
        folder: around.folder,
        open: around.open,
        host: around.host,
        ..Invocation::default()
    });
}

/// What a carrier says in options of its own.
#[derive(Default)]
struct Own<'w> {
    /// Texts for a shell.
    texts: Vec<&'w str>,
    /// The folder in which the command runs.
    folder: Option<&'w str>,
    /// Options that are not known: each may have a value.
    doubts: usize,
}

impl<'w> Own<'w> {
    /// What stands behind the carrier's subcommand; `None` when it is given another.
    fn behind_verbs(&mut self, carrier: &Carrier, words: &'w [String]) -> Option<&'w [String]> {
        if carrier.verbs.is_empty() {
            return Some(words);
        }
        let mut first = self.behind_options(carrier, words);
        loop {
            let behind = carrier.verbs.iter().find_map(|verb| {
                let mut rest = first;
                for step in verb.split(' ') {
                    rest = self.behind_options(carrier, rest);
                    let (word, after) = rest.split_first()?;
                    if word != step {
                        return None;
                    }
                    rest = after;
                }
                Some(rest)
            });
            if behind.is_some() {
                return behind;
            }
            // Behind an option that is not known, it is that one's value: `kubectl -v 6 exec`.
            let before = words.len().checked_sub(first.len() + 1).and_then(|at| words.get(at));
            let (_, after) =
                first.split_first().filter(|_| before.is_some_and(|word| word.starts_with('-')))?;
            first = self.behind_options(carrier, after);
        }
    }

    /// What stands behind the options that `words` begin with.
    fn behind_options(&mut self, carrier: &Carrier, words: &'w [String]) -> &'w [String] {
        let mut rest = words;
        while let [option, after @ ..] = rest {
            if option == "--" {
                return after;
            }
            // A dash alone is one, too: `env - git push`, `su - bob`.
            if !option.starts_with('-') {
                break;
            }
            rest = after;
            if let Some((name, value)) = option.split_once('=')
                && name.starts_with("--")
            {
                if lists(carrier.texts, name) {
                    self.texts.push(value);
                }
                if lists(carrier.folders, name) {
                    self.folder = Some(value);
                }
            } else if carrier.is_text(option) {
                if let [text, after @ ..] = rest {
                    self.texts.push(text);
                    rest = after;
                }
            } else if !carrier.program.is_empty() && option == carrier.program {
                rest = rest.get(1..).unwrap_or_default();
            } else if lists(carrier.pairs, option) {
                rest = rest.get(2..).unwrap_or_default();
            } else if carrier.takes_next(option) {
                if lists(carrier.folders, option) {
                    self.folder = rest.first().map(String::as_str);
                }
                rest = rest.get(1..).unwrap_or_default();
            } else if option.starts_with("--")
                && !option.starts_with("--no-")
                && !FLAGS.contains(&option.as_str())
                && rest.first().is_some_and(|next| !next.starts_with('-'))
            {
                self.doubts += 1;
            }
        }
        rest
    }

    /// The texts for a shell that stand anywhere among the carrier's words.
    fn all_texts(carrier: &Carrier, words: &'w [String]) -> Vec<&'w str> {
        let texts = words.iter().enumerate().filter_map(|(at, word)| {
            if carrier.is_text(word) {
                return words.get(at + 1).map(String::as_str);
            }
            let (name, value) = word.split_once('=')?;
            (name.len() > 2 && lists(carrier.texts, name)).then_some(value)
        });
        texts.collect()
    }
}

impl Rest {
    /// All words are what it says, options among them.
    fn reads_all(self) -> bool {
        matches!(
            self,
            Self::Shell
                | Self::Executed
                | Self::Module
                | Self::CargoWatch
                | Self::Debugger
                | Self::Expect
                | Self::AppleScript
                | Self::Makefile
                | Self::Client(_)
                | Self::Editor
                | Self::Edits
                | Self::Quoted(_)
                | Self::PowerShell
                | Self::Prompt
                | Self::Bracketed
                | Self::Magic
        )
    }
}

impl Carrier {
    /// The program that an option of its own names: of `docker run --entrypoint sh image`.
    fn named_program(&self, words: &[String]) -> Option<String> {
        let is_it = |word: &String| {
            let after = word.strip_prefix(self.program).filter(|_| !self.program.is_empty());
            after.is_some_and(|after| after.is_empty() || after.starts_with('='))
        };
        let at = words.iter().position(is_it)?;
        match words.get(at)?.split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => words.get(at + 1).cloned(),
        }
    }

    /// Whether the next word is the option's value: so too behind a bundle like `-iu`, but not behind `-uroot`.
    fn takes_next(&self, option: &str) -> bool {
        if lists(self.values, option) {
            return true;
        }
        let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| {
            let mut names = letters.char_indices();
            let valued =
                names.find(|(_, letter)| letter.is_ascii() && lists(self.values, &format!("-{letter}")));
            valued.is_some() && names.next().is_none()
        })
    }

    /// Whether the next word is a text for a shell: behind `-c`, `-lc`, `--command`.
    fn is_text(&self, option: &str) -> bool {
        if self.texts.is_empty() || !option.starts_with('-') {
            return false;
        }
        let bundle = option.get(1..).filter(|letters| {
            letters.len() < 6 && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
        });
        let in_bundle = |name: &str| {
            let letter = name.strip_prefix('-').filter(|letter| letter.len() == 1);
            letter.is_some_and(|letter| bundle.is_some_and(|bundle| bundle.contains(letter)))
        };
        lists(self.texts, option) || self.texts.split(' ').any(in_bundle)
    }
}

/// Reads what a carrier carries, of which `all` are the words, and `behind` those behind its subcommand; false when that is nothing.
fn carry<'w>(
    walk: &mut Walk,
    carrier: &Carrier,
    all: &[String],
    behind: &'w [String],
    mut own: Own<'w>,
    around: &Around,
) -> bool {
    let mut inside = around.clone();
    inside.last &= carrier.hands_on;
    if carrier.away {
        inside.folder = None;
    }
    if let Machine::All(option) = carrier.machine {
        inside.host = machine::behind(option, behind).or(inside.host);
    }
    if carrier.rest.reads_all() {
        return words(walk, carrier.rest, behind, &inside);
    }
    if let Rest::As(_) = carrier.rest {
        return words(
            walk,
            carrier.rest,
            unmarked(behind.get(carrier.operands..).unwrap_or_default()),
            &inside,
        );
    }
    // What stands behind `--` is the command's: `alacritty -- sqlite3 -e '.sh x'`.
    let before_mark = behind.iter().take_while(|word| *word != "--");
    let begun = before_mark.into_iter().position(|word| lists(carrier.begins, word));
    let mark = behind.iter().position(|word| carrier.marks && word == "--");
    let mut inner = own.behind_options(carrier, behind);
    if let Some(folder) = own.folder {
        inside.folder = Some(joined(inside.folder.as_deref(), folder));
    }
    inside.host = machine::reached(carrier.machine, all, behind, inner).or(inside.host);
    // A service of Compose has no owner, and a program's name.
    let image = inner
        .first()
        .filter(|image| image.contains('/') || image.ends_with("-cli"))
        .map(|image| packages::called(image));
    inner = inner.get(carrier.operands..).unwrap_or_default();
    let behind_operands = inner;
    // Dokku's own user runs nothing but `dokku`.
    if carrier.machine == Machine::Operand
        && behind.iter().any(|word| word.starts_with("dokku@"))
        && !inner.is_empty()
    {
        let dokku = std::iter::once("dokku".to_owned()).chain(inner.iter().cloned());
        walk.run(dokku.collect(), inside);
        return true;
    }
    if carrier.operands > 0 {
        inner = own.behind_options(carrier, inner);
    }
    let doubts = own.doubts.min(MAX_DOUBTS);
    if carrier.rest == Rest::Arguments {
        let from = |skipped| inner.get(skipped..).unwrap_or_default();
        let carries = |skipped| each::arguments(walk, carrier, behind, from(skipped), &inside);
        return (0..=doubts).map(carries).filter(|carries| *carries).count() > 0;
    }
    let texts = if carrier.anywhere { Own::all_texts(carrier, behind) } else { own.texts };
    let is_text = !texts.is_empty();
    for text in texts {
        // `env -S 'a b' c`
        let further = if carrier.anywhere || carrier.rest == Rest::Own { &[] } else { inner };
        // `tar --checkpoint-action=exec='git push'`
        let text = text.strip_prefix("exec=").unwrap_or(text);
        if carrier.transports {
            settings::transport(walk, text, &inside);
            continue;
        }
        let text = std::iter::once(text).chain(further.iter().map(String::as_str)).collect::<Vec<_>>();
        walk.nested(&text.join(" "), &inside);
    }
    if is_text && !(carrier.anywhere && carrier.rest == Rest::Command) {
        return true;
    }
    let mut is_carried = is_text;
    let marked = begun.or(mark).and_then(|at| behind.get(at + 1..));
    if let Some(marked) = marked {
        let lone = if carrier.rest == Rest::Own { Rest::Lone } else { carrier.rest };
        is_carried |= words(walk, lone, unmarked(marked), &inside);
    }
    let inner = unmarked(inner);
    // What begins elsewhere than the mark says may be the command, too: `kubectl exec pod git checkout -- file`.
    let is_elsewhere = |marked: &[String]| match begun {
        None => unmarked(marked).len() != inner.len(),
        // `distrobox enter box run -e x git push`
        Some(_) => carrier.operands > 0 && inner.len() > marked.len() + 1,
    };
    if marked.is_none_or(is_elsewhere) {
        is_carried |= words(walk, carrier.rest, inner, &inside);
    }
    if is_carried {
        for skipped in 1..=doubts {
            is_carried |= words(walk, carrier.rest, inner.get(skipped..).unwrap_or_default(), &inside);
        }
    }
    // An image is called after its program, as a rule: `docker run alpine/git push`.
    let of_image = image.filter(|_| !carrier.program.is_empty() && !behind_operands.is_empty());
    if let Some(program) = carrier.named_program(behind).or_else(|| of_image.map(str::to_owned)) {
        walk.run(std::iter::once(program).chain(behind_operands.iter().cloned()).collect(), inside.clone());
        is_carried = true;
    }
    is_carried || carrier.reads && shells::read_by_shell(walk, &inside)
}

fn unmarked(mut words: &[String]) -> &[String] {
    while let Some((_, after)) = words.split_first().filter(|(first, _)| *first == "--") {
        words = after;
    }
    words
}

/// Reads the words of a carrier that are not its own; false when they carry nothing.
fn words(walk: &mut Walk, rest: Rest, words: &[String], around: &Around) -> bool {
    match rest {
        Rest::Own | Rest::Arguments => false,
        Rest::Command | Rest::Package | Rest::Scoped => command(walk, rest, words, around),
        // What stands behind the mark is the program's.
        Rest::Marked => command(walk, Rest::Package, &without_mark(words), around),
        Rest::Bin => packages::program(words)
            .is_some_and(|program| command(walk, Rest::Package, unmarked(program), around)),
        Rest::Late => {
            let later = words.get(1..).unwrap_or_default();
            command(walk, rest, words, around) | command(walk, rest, later, around)
        }
        Rest::As(program) => {
            walk.run(
                std::iter::once(program.to_owned()).chain(words.iter().cloned()).collect(),
                around.clone(),
            );
            true
        }
        Rest::Again(program) => {
            let again = words.first().filter(|first| *first != program).map(|_| program.to_owned());
            let words: Vec<String> = again.into_iter().chain(words.iter().cloned()).collect();
            command(walk, Rest::Command, &words, around)
        }
        Rest::Named => packages::named(words)
            .is_some_and(|program| command(walk, Rest::Package, &without_mark(program), around)),
        Rest::Flake => flake(walk, words, around),
        Rest::Lone => match words {
            [text] => nested(walk, text, around),
            // A text, and what something else appends to it.
            [text, ..] if text.contains(' ') => nested(walk, &words.join(" "), around),
            _ => command(walk, Rest::Command, words, around),
        },
        Rest::Joined => nested(walk, &words.join(" "), around),
        Rest::Each => {
            let texts = words.iter().filter(|word| !word.starts_with('-'));
            texts.map(|text| nested(walk, text, around)).filter(|is_carried| *is_carried).count() > 0
        }
        Rest::First => words.first().is_some_and(|text| !text.starts_with('-') && nested(walk, text, around)),
        Rest::Keys => nested(walk, &typed::typed(words), around),
        Rest::Shell => shells::shell(walk, words, around),
        Rest::Script => {
            let is_input = words.first().is_some_and(|word| shells::is_input(word));
            let is_printed = words.first().is_some_and(|word| word == SUBSTITUTED);
            let is_written =
                words.split_first().is_some_and(|(path, given)| shells::script(walk, path, given, around));
            is_written
                || is_printed && shells::printed(walk, around)
                || is_input && shells::read_by_shell(walk, around)
        }
        Rest::Parallel => each::parallel(walk, words, around),
        Rest::Executed => each::executed(walk, words, around),
        Rest::CargoWatch => foreign::cargo_watch(walk, words, around),
        Rest::Debugger => foreign::debugger(walk, words, around),
        Rest::Expect => foreign::expect(walk, words, around),
        Rest::AppleScript => foreign::apple_script(walk, words, around),
        Rest::Makefile => foreign::makefile(walk, words, around),
        Rest::Client(escapes) => clients::client(walk, escapes, words, around),
        Rest::Editor => clients::editor(walk, words, around),
        Rest::Edits => edits::edits(walk, words, around),
        Rest::Quoted(option) => foreign::quoted(walk, option, words, around),
        Rest::Module => {
            let is_module = words.iter().take_while(|word| word.starts_with('-')).any(|word| word == "-m");
            let module = words.iter().skip_while(|word| *word != "-m").skip(1);
            is_module && command(walk, Rest::Command, &module.cloned().collect::<Vec<_>>(), around)
        }
        Rest::Bracketed => shells::bracketed(walk, words, around),
        Rest::Magic => magic::read(walk, words, around),
        Rest::Tmux => tmux::command(walk, words, around),
        Rest::TmuxEach => tmux::each(walk, words, around),
        Rest::TmuxLines => tmux::lines(walk, words, around),
        Rest::TmuxFormats => tmux::formats(walk, words, around),
        Rest::PowerShell => windows::power_shell(walk, words, around),
        Rest::Prompt => windows::prompt(walk, words, around),
    }
}

fn without_mark(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(mark) = words.iter().position(|word| word == "--") {
        words.remove(mark);
    }
    words
}

fn nested(walk: &mut Walk, text: &str, around: &Around) -> bool {
    let is_text = !text.trim().is_empty();
    if is_text {
        walk.nested(text, around);
    }
    is_text
}

/// Runs words that are a command, with variables set before it, or none.
fn command(walk: &mut Walk, rest: Rest, words: &[String], around: &Around) -> bool {
    // No program's name is so: a shell is given it (`sudo -s 'git push'`, `lerna exec 'git push'`).
    if let Some(first) = words.first()
        && (first.contains(['\n', ';'])
            || first.starts_with('{') && first.contains(',')
            || first.trim_start().contains(' ') && !is_assignment(first))
    {
        return nested(walk, &words.join(" "), around);
    }
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let (set, command) = words.split_at(assigned);
    if command.is_empty() {
        return false;
    }
    let mut around = around.clone();
    let pairs = set.iter().filter_map(|word| word.split_once('='));
    for (name, value) in pairs.clone() {
        settings::variable(walk, name, value, &around);
    }
    around.variables.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut command = command.to_vec();
    if let (Rest::Package, Some(first)) = (rest, command.first_mut())
        && let Some((package, _)) = first.rsplit_once('@')
        && !package.is_empty()
    {
        *first = package.to_owned();
    }
    if let (Rest::Scoped, Some(first)) = (rest, command.first_mut())
        && let Some((_, program)) = first.split_once(':')
    {
        *first = program.to_owned();
    }
    walk.run(command, around);
    true
}

/// `nix run nixpkgs#git -- push`, `nix run github:cli/cli -- pr list`
fn flake(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let Some((installable, rest)) = words.split_first() else { return false };
    let program = match installable.rsplit_once('#') {
        Some((_, package)) => packages::called(package),
        // A flake of its own is called as what it is for, as a rule.
        None => packages::called(installable.split('?').next().unwrap_or_default()),
    };
    walk.run(
        std::iter::once(program)
            .chain(unmarked(rest).iter().map(String::as_str))
            .map(str::to_owned)
            .collect(),
        around.clone(),
    );
    true
}
