//! Looks behind programs that run another one, by the table in `carriers`.

use std::rc::Rc;

use super::carriers::{Carrier, Rest, carriers, is_shell};
use super::options::lists;
use super::parse::{Around, Walk};
use super::steps::runs_one_command;
use super::unread::Limit;
use super::words::{is_assignment, program_name};
use super::{Invocation, encoded};

/// Of the arguments that GNU Parallel is given so many are put into its command.
const MAX_ARGUMENTS: usize = 64;
/// A word that a process substitution left.
pub(super) const SUBSTITUTED: &str = "<(…)";

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
    if name == "tmux" && rest.iter().any(|word| word == ";") {
        for command in rest.split(|word| word == ";") {
            walk.run(std::iter::once(first).chain(command).cloned().collect(), around.clone());
        }
        return;
    }
    let found = carriers(name).find_map(|carrier| {
        let mut own = Own::default();
        own.behind_verbs(carrier, rest).map(|behind| (carrier, behind, own))
    });
    let is_noted = match found {
        Some((carrier, behind, own)) => !carry(walk, carrier, behind, own, &around) || carrier.is_noted,
        None => {
            shell_inside(walk, rest, &around);
            true
        }
    };
    if is_noted {
        note(walk, words, around);
    }
}

/// Notes a program that is run itself.
fn note(walk: &mut Walk, words: Vec<String>, around: Around) {
    let mut words = words.into_iter();
    let Some(first) = words.next() else { return };
    let words: Vec<String> = words.collect();
    // `curl --next` does several transfers.
    let once = !words.iter().any(|word| matches!(word.as_str(), "--next" | "-:"));
    walk.found(Invocation {
        program: program_name(&first).to_owned(),
        proves: around.last && !around.open && once && runs_one_command(&first),
        words,
        variables: around.variables,
        input: around.input,
        folder: around.folder,
        open: around.open,
    });
}

/// What a carrier says in options of its own.
#[derive(Default)]
struct Own<'w> {
    /// Texts for a shell.
    texts: Vec<&'w str>,
    /// Options that are not known: each may have a value.
    doubts: usize,
}

impl<'w> Own<'w> {
    /// What stands behind the carrier's subcommand; `None` when it is given another.
    fn behind_verbs(&mut self, carrier: &Carrier, words: &'w [String]) -> Option<&'w [String]> {
        if carrier.verbs.is_empty() {
            return Some(words);
        }
        let first = self.behind_options(carrier, words);
        carrier.verbs.iter().find_map(|verb| {
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
        })
    }

    /// What stands behind the options that `words` begin with.
    fn behind_options(&mut self, carrier: &Carrier, words: &'w [String]) -> &'w [String] {
        let mut rest = words;
        while let [option, after @ ..] = rest {
            if option == "--" {
                return after;
            }
            if !option.starts_with('-') || option == "-" {
                break;
            }
            rest = after;
            if let Some((name, value)) = option.split_once('=')
                && name.starts_with("--")
            {
                if lists(carrier.texts, name) {
                    self.texts.push(value);
                }
            } else if carrier.is_text(option) {
                if let [text, after @ ..] = rest {
                    self.texts.push(text);
                    rest = after;
                }
            } else if lists(carrier.pairs, option) {
                rest = rest.get(2..).unwrap_or_default();
            } else if carrier.takes_next(option) {
                rest = rest.get(1..).unwrap_or_default();
            } else if option.starts_with("--") && rest.first().is_some_and(|next| !next.starts_with('-')) {
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
            (name.starts_with("--") && lists(carrier.texts, name)).then_some(value)
        });
        texts.collect()
    }
}

impl Carrier {
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

/// Reads what a carrier carries, of which `behind` are the words behind its subcommand; false when that is nothing.
fn carry<'w>(
    walk: &mut Walk,
    carrier: &Carrier,
    behind: &'w [String],
    mut own: Own<'w>,
    around: &Around,
) -> bool {
    let mut inside = around.clone();
    inside.last &= carrier.hands_on;
    inside.open |= carrier.rest == Rest::Open;
    if carrier.away {
        inside.folder = None;
    }
    if let Rest::Shell | Rest::Executed | Rest::Module | Rest::PowerShell | Rest::Prompt = carrier.rest {
        return words(walk, carrier.rest, behind, &inside);
    }
    let begun = behind.iter().position(|word| lists(carrier.begins, word));
    let mark = behind.iter().position(|word| carrier.marks && word == "--");
    let mut inner = own.behind_options(carrier, behind);
    inner = inner.get(carrier.operands..).unwrap_or_default();
    if carrier.operands > 0 {
        inner = own.behind_options(carrier, inner);
    }
    let texts = if carrier.anywhere { Own::all_texts(carrier, behind) } else { own.texts };
    let (is_text, doubts) = (!texts.is_empty(), own.doubts.min(2));
    for text in texts {
        // `env -S 'a b' c`
        let further = if carrier.anywhere || carrier.rest == Rest::Own { &[] } else { inner };
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
    if marked.is_none_or(|marked| begun.is_none() && unmarked(marked).len() != inner.len()) {
        is_carried |= words(walk, carrier.rest, inner, &inside);
    }
    if carrier.is_noted && carrier.operands > 0 {
        for skipped in 1..=doubts {
            is_carried |= words(walk, carrier.rest, inner.get(skipped..).unwrap_or_default(), &inside);
        }
    }
    let entry = behind.iter().position(|word| word.starts_with("--entrypoint"));
    if let Some(at) = entry.filter(|_| lists(carrier.values, "--entrypoint")) {
        let value = behind.get(at).and_then(|word| word.split_once('=')).map(|(_, value)| value.to_owned());
        let program = value.or_else(|| behind.get(at + 1).cloned());
        walk.run(program.into_iter().chain(inner.iter().cloned()).collect(), inside.clone());
    }
    if !is_carried && carrier.reads && !around.input.is_empty() {
        read_by_shell(walk, &inside);
        return true;
    }
    is_carried
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
        Rest::Own => false,
        Rest::Command | Rest::Open | Rest::Package => command(walk, rest, words, around),
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
        Rest::Keys => nested(walk, &typed(words), around),
        Rest::Shell => shell(walk, words, around),
        Rest::Script => words.first().is_some_and(|word| word == SUBSTITUTED) && printed(walk, around),
        Rest::Parallel => parallel(walk, words, around),
        Rest::Executed => executed(walk, words, around),
        Rest::Module => {
            let is_module = words.iter().take_while(|word| word.starts_with('-')).any(|word| word == "-m");
            let module = words.iter().skip_while(|word| *word != "-m").skip(1);
            is_module && command(walk, Rest::Command, &module.cloned().collect::<Vec<_>>(), around)
        }
        Rest::PowerShell => power_shell(walk, words, around),
        Rest::Prompt => {
            let is_switch =
                |word: &String| matches!(word.trim_start_matches('/'), "c" | "C" | "k" | "K" | "r" | "R");
            let command = words.iter().skip_while(|word| !word.starts_with('/') || !is_switch(word)).skip(1);
            nested(walk, &command.map(String::as_str).collect::<Vec<_>>().join(" "), around)
        }
    }
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
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let (set, command) = words.split_at(assigned);
    if command.is_empty() {
        return false;
    }
    let mut around = around.clone();
    let pairs = set.iter().filter_map(|word| word.split_once('='));
    around.variables.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut command = command.to_vec();
    if let (Rest::Package, Some(first)) = (rest, command.first_mut())
        && let Some((package, _)) = first.rsplit_once('@')
        && !package.is_empty()
    {
        *first = package.to_owned();
    }
    walk.run(command, around);
    true
}

/// `nix run nixpkgs#git -- push`
fn flake(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let Some((installable, rest)) = words.split_first() else { return false };
    let Some((_, program)) = installable.rsplit_once('#') else { return false };
    walk.run(
        std::iter::once(program)
            .chain(unmarked(rest).iter().map(String::as_str))
            .map(str::to_owned)
            .collect(),
        around.clone(),
    );
    true
}

/// GNU Parallel: `parallel git push {} ::: origin fork`, `parallel ::: 'git push' 'npm publish'`.
fn parallel(walk: &mut Walk, words: &[String], around: &Around) -> bool {
    let is_source = |word: &&String| word.starts_with(":::");
    let of_it: Vec<String> = words.iter().take_while(|word| !is_source(word)).cloned().collect();
    let mut sources = words.split(|word| is_source(&word)).skip(1);
    let Some(arguments) = sources.next().filter(|_| !words.iter().any(|word| word.starts_with("::::")))
    else {
        let open = Around { open: true, ..around.clone() };
        return match of_it.as_slice() {
            [] => false,
            [text] => nested(walk, text, &open),
            _ => command(walk, Rest::Command, &of_it, &open),
        };
    };
    let open = Around { open: around.open || sources.next().is_some(), ..around.clone() };
    let (read, unread) = arguments.split_at(arguments.len().min(MAX_ARGUMENTS));
    for argument in read {
        let placed = of_it.iter().any(|word| word.contains("{}"));
        let mut command: Vec<String> = of_it.iter().map(|word| word.replace("{}", argument)).collect();
        match (placed, of_it.as_slice()) {
            (_, []) => walk.nested(argument, &open),
            (true, [_]) => walk.nested(&command.join(" "), &open),
            (false, [text]) => walk.nested(&format!("{text} {argument}"), &open),
            (true, _) => walk.run(command, open.clone()),
            (false, _) => {
                command.push(argument.clone());
                walk.run(command, open.clone());
            }
        }
    }
    if !unread.is_empty() {
        walk.unread(Limit::Commands, &format!("{} {}", of_it.join(" "), unread.join(" ")));
    }
    true
}

/// `find … -exec rm {} +`
fn executed(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    let mut is_carried = false;
    let mut words = rest.iter();
    let begins = |word: &String| {
        matches!(
            word.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        )
    };
    while words.by_ref().any(begins) {
        let command: Vec<String> =
            words.by_ref().take_while(|word| !matches!(word.as_str(), ";" | "+")).cloned().collect();
        walk.run(command, Around { open: true, ..around.clone() });
        is_carried = true;
    }
    is_carried
}

/// What `tmux send-keys` types, up to the key that ends the line. Without one a later call may send it.
fn typed(keys: &[String]) -> String {
    let is_key = |word: &str, keys: &[&str]| keys.iter().any(|key| key.eq_ignore_ascii_case(word));
    let is_enter = |word: &&String| is_key(word, &["Enter", "C-m", "C-j", "KPEnter"]);
    let words = keys.iter().take_while(|word| !is_enter(word));
    words.map(|word| if is_key(word, &["Space"]) { "" } else { word }).collect::<Vec<_>>().join(" ")
}

/// A shell: what `-c` gives it, or what it reads; a script's file is not looked into, but for one that is what a
/// command in the line prints.
fn shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    if let Some(command) = command_of_shell(rest) {
        walk.nested(command, around);
        return true;
    }
    if rest.iter().any(|word| word == SUBSTITUTED) && printed(walk, around) {
        return true;
    }
    let reads =
        rest.iter().all(|word| word.starts_with('-') || word == "sh") || rest.iter().any(|word| word == "-s");
    if reads && !around.input.is_empty() {
        read_by_shell(walk, around);
        return true;
    }
    false
}

/// Runs what the process substitutions of a command print.
fn printed(walk: &mut Walk, around: &Around) -> bool {
    for text in &around.printed {
        walk.nested(text, &Around { last: false, printed: Vec::new(), ..around.clone() });
    }
    !around.printed.is_empty()
}

/// A shell that is given no command runs what it reads.
fn read_by_shell(walk: &mut Walk, around: &Around) {
    for script in &around.input {
        walk.nested(script, &Around { input: Vec::new(), last: false, ..around.clone() });
    }
}

/// Whether a command is the next word: `-c`, `-lc`, `-ce`.
fn gives_command(word: &str) -> bool {
    word == "--command" || word.starts_with('-') && !word.starts_with("--") && word.contains('c')
}

/// The word after `-c`, `-lc`, `-euo pipefail -c` …
fn command_of_shell(rest: &[String]) -> Option<&String> {
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let is_flag = word.starts_with(['-', '+']) && !word.starts_with("--");
        if is_flag && gives_command(word) || word == "--command" {
            return words.find(|word| !word.starts_with(['-', '+']));
        }
        if is_flag && word.ends_with('o') || matches!(word.as_str(), "--rcfile" | "--init-file") {
            words.next();
        } else if !word.starts_with(['-', '+']) && word != "sh" && word != "ash" {
            // A script; `busybox sh -c` is none.
            return None;
        }
    }
    None
}

/// A shell in the words of a program that is not known to run one: `mytool exec app sh -c '…'`.
fn shell_inside(walk: &mut Walk, rest: &[String], around: &Around) {
    for (at, word) in rest.iter().enumerate() {
        if is_shell(program_name(word))
            && let Some(command) = rest.get(at + 1..).and_then(command_of_shell)
        {
            let command = command.clone();
            walk.nested(&command, &Around { folder: None, last: false, ..around.clone() });
            return;
        }
    }
}

/// PowerShell: its options in any case, and as short as they can be told apart.
fn power_shell(walk: &mut Walk, rest: &[String], around: &Around) -> bool {
    #[rustfmt::skip]
    const VALUES: &[&str] = &["-executionpolicy", "-ep", "-version", "-windowstyle", "-workingdirectory", "-wd", "-configurationname", "-custompipename", "-inputformat", "-outputformat", "-settingsfile", "-psconsolefile"];
    let mut words = rest;
    while let [word, after @ ..] = words {
        let option = word.to_ascii_lowercase().replacen('/', "-", 1);
        let is = |name: &str| option.len() > 1 && name.starts_with(&option);
        if !option.starts_with('-') || option.contains("--") {
            return nested(walk, &words.join(" "), around);
        }
        if is("-encodedcommand") || option == "-ec" {
            let Some(code) = after.first() else { return false };
            match encoded::utf16_of_base64(code) {
                Some(text) => walk.nested(&text, around),
                None => walk.unread(Limit::Code, code),
            }
            return true;
        }
        if is("-command") {
            return match after {
                [dash] if dash == "-" => read_all(walk, around),
                _ => nested(walk, &after.join(" "), around),
            };
        }
        if is("-file") {
            return after.first().is_some_and(|file| file == "-") && read_all(walk, around);
        }
        words = if VALUES.iter().any(|name| is(name)) { after.get(1..).unwrap_or_default() } else { after };
    }
    read_all(walk, around)
}

fn read_all(walk: &mut Walk, around: &Around) -> bool {
    read_by_shell(walk, around);
    !around.input.is_empty()
}

/// Texts that several share.
pub(super) type Texts = Vec<Rc<str>>;
