//! `command` of a rule: `git push`, `gh pr create|merge`, `aws s3 cp ... s3://*`.

use std::borrow::Cow;

use super::changed::changed;
use super::outline::{ANY, AWAY, ELSEWHERE, GUARDED, OUTSIDE, UNKNOWN, VERB, WRITES};
use super::outputs;
use super::statements::writes;
use super::writes::writes as written_by;
use super::{Command, Fit, plain};
use crate::Argument;
use crate::expansion::APPENDED;
use crate::glob::{self, Glob};

/// A program with subcommands, options that must be there, and arguments that must be among its own.
#[derive(Clone, Debug)]
pub struct Pattern {
    program: Word,
    subcommands: Vec<Word>,
    options: Vec<Vec<String>>,
    /// Words of which each must be among the arguments or the options' values.
    among: Vec<Word>,
    /// What the last argument must be.
    last: Option<Word>,
    /// A path that is not in the working folder must be among the arguments.
    outside: bool,
    /// It must change a path that guards the gate itself.
    guarded: bool,
    /// It must be given statements that write.
    writes: bool,
    /// It must go to a server that is not this machine.
    elsewhere: bool,
    /// It must act on another machine.
    away: bool,
    /// The program must be one that nothing is known of.
    unknown: bool,
    /// One of the words behind the subcommands must say that something is done outside.
    verb: bool,
}

/// Stands before an alternative: what that matches is none of the others.
const EXCEPTION: char = '!';

/// What a pattern asks of a command that the command itself does not say.
pub trait Circumstances {
    /// Whether a path is not in the working folder.
    fn is_outside(&self, path: &str) -> bool;
    /// Whether a path is of Callosum's state, or of settings that hold its hooks.
    fn is_guarded(&self, path: &str) -> bool;
    /// The same of one of those that the line lists for the command to append to its words.
    fn lists_guarded(&self) -> bool;
    /// Whether the server that it talks to is not this machine.
    fn is_elsewhere(&self) -> bool;
    /// Whether it acts on another machine: it runs there, or names it.
    fn is_away(&self) -> bool;
    /// Whether no rule names the program, and it is none of those which work on this machine.
    fn is_unknown(&self) -> bool;
    /// Which of these words, the first of a command, says that something is done outside.
    fn verb(&self, words: &[&str]) -> Option<usize>;
}

/// At most this many words of a command may hold its verb.
const WORDS_WITH_VERB: usize = 3;

/// The paths that a command writes to: what the policy of a shared context goes by, and what is changed behind the subcommands.
fn written_to<'l>(command: &Command<'l>, rest: &[Argument<'l>]) -> Vec<Cow<'l, str>> {
    let changes = if outputs::is_known(command.program()) { Vec::new() } else { changed(command, rest) };
    changes.into_iter().chain(written_by(command).into_iter().map(|write| write.path)).collect()
}

impl Pattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().peekable();
        let unknown = words.peek() == Some(&UNKNOWN);
        let program = match words.next() {
            Some(UNKNOWN) => Word::parse("*")?,
            Some(word) if word != ANY && !word.starts_with('-') => Word::parse(word)?,
            _ => return Err("a command begins with the name of its program".to_owned()),
        };
        let mut pattern = Self {
            program,
            subcommands: Vec::new(),
            options: Vec::new(),
            among: Vec::new(),
            last: None,
            outside: false,
            guarded: false,
            writes: false,
            elsewhere: false,
            away: false,
            unknown,
            verb: false,
        };
        let mut anywhere = false;
        while let Some(word) = words.next() {
            match word {
                ANY => anywhere = true,
                OUTSIDE => pattern.outside = true,
                GUARDED => pattern.guarded = true,
                WRITES => pattern.writes = true,
                ELSEWHERE => pattern.elsewhere = true,
                AWAY => pattern.away = true,
                VERB => pattern.verb = true,
                _ if word.starts_with('-') => {
                    pattern.options.push(word.split('|').map(str::to_owned).collect());
                }
                _ if !anywhere => pattern.subcommands.push(Word::parse(word)?),
                _ if words.peek().is_none() => pattern.last = Some(Word::parse(word)?),
                _ => pattern.among.push(Word::parse(word)?),
            }
        }
        Ok(pattern)
    }

    /// Whether the pattern of this text may fit a command: told by its first word, without reading it.
    pub fn may_be_for(text: &str, command: &Command<'_>) -> bool {
        // Split as patterns are when they are read.
        let programs = text.split_whitespace().next().unwrap_or_default().as_bytes();
        let is_glob = |program: &[u8]| program.iter().any(|byte| matches!(byte, b'*' | b'?'));
        programs.split(|byte| *byte == b'|').any(|program| {
            program == command.program().as_bytes() || is_glob(program) || program == UNKNOWN.as_bytes()
        })
    }

    /// Fits the pattern to a command.
    pub fn fit<'c, 'l>(
        &self,
        command: &'c Command<'l>,
        circumstances: &dyn Circumstances,
    ) -> Option<Fit<'c, 'l>> {
        if !self.program.matches(command.program()) {
            return None;
        }
        let mut wanted = self.subcommands.iter().peekable();
        let mut after = 0;
        let mut arguments = command.arguments.iter().enumerate();
        while let Some(word) = wanted.peek() {
            let (at, argument) = arguments.next()?;
            match argument {
                Argument::Plain(found) if word.matches(found) => {
                    wanted.next();
                    after = at + 1;
                }
                Argument::Plain(_) => return None,
                Argument::Option { value, unsure: true, .. } if word.matches(value) => {
                    wanted.next();
                    after = at + 1;
                }
                Argument::Option { .. } | Argument::Switch(_) => {}
            }
        }
        let mut subcommands = self.subcommands.len();
        if self.verb {
            let (words, places) = leading_words(command, after);
            let at = circumstances.verb(&words)?;
            subcommands += at + 1;
            after = places.get(at)? + 1;
        }
        // Last: it may cost a look at the whole line.
        if self.unknown && !circumstances.is_unknown() {
            return None;
        }
        let rest = command.arguments.get(after..).unwrap_or_default();
        let has = |names: &Vec<String>| names.iter().any(|name| command.has_option(name));
        let said = |argument: &Argument<'_>, word: &Word| match argument {
            Argument::Plain(found) | Argument::Option { value: found, .. } => word.matches(found),
            Argument::Switch(_) => false,
        };
        let fits = self.options.iter().all(has)
            && self.among.iter().all(|word| rest.iter().any(|argument| said(argument, word)))
            && self
                .last
                .as_ref()
                .is_none_or(|word| plain(rest).next_back().is_some_and(|last| word.matches(last)))
            && (!self.outside || plain(rest).any(|path| circumstances.is_outside(path)))
            && (!self.guarded
                || written_to(command, rest).iter().any(|path| circumstances.is_guarded(path))
                || command.invocation.open && circumstances.lists_guarded())
            && (!self.writes || writes(command))
            && (!self.elsewhere || circumstances.is_elsewhere())
            && (!self.away || circumstances.is_away());
        fits.then_some(Fit { command, after, subcommands })
    }

    /// Whether the command may fit when further words are appended: what it has of them are some of the subcommands.
    pub fn may_begin(&self, command: &Command<'_>) -> bool {
        let mut wanted = self.subcommands.iter();
        let (mut is_filled, mut words) = (false, command.plain());
        let fits = words.by_ref().take(self.subcommands.len()).all(|word| {
            let is_appended = word == APPENDED;
            is_filled |= is_appended;
            wanted.next().is_some_and(|wanted| is_appended || wanted.matches(word))
        });
        !self.unknown
            && self.program.matches(command.program())
            && fits
            && (is_filled || words.next().is_none() && wanted.next().is_some())
    }

    /// How many subcommands it names, its verb among them.
    pub fn depth(&self) -> usize {
        self.subcommands.len() + usize::from(self.verb)
    }

    /// Whether it surely fits every command that `other` fits.
    pub fn covers(&self, other: &Self) -> bool {
        let Some((own, further)) = other.subcommands.split_at_checked(self.subcommands.len()) else {
            return false;
        };
        let mut subcommands = self.subcommands.iter().zip(own);
        // The value of an option of an unknown program may be its subcommand: a wider word may take one that the
        // other passes by, and then the next words stand elsewhere. After the last one that does no harm.
        let last = subcommands.next_back();
        let same_steps = subcommands.all(|(word, of)| word.covers(of) && of.covers(word))
            && last.is_none_or(|(word, of)| word.covers(of));
        let said = further.iter().chain(&other.among).chain(&other.last);
        let is_said = |word: &Word| said.clone().any(|of| word.covers(of));
        let is_given = |names: &Vec<String>| {
            other.options.iter().any(|given| given.iter().all(|option| names.contains(option)))
        };
        self.program.covers(&other.program)
            && same_steps
            && self.options.iter().all(is_given)
            && self.among.iter().all(is_said)
            && self.last.as_ref().is_none_or(|word| other.last.as_ref().is_some_and(|of| word.covers(of)))
            && (!self.outside || other.outside)
            && (!self.guarded || other.guarded)
            && (!self.writes || other.writes)
            && (!self.elsewhere || other.elsewhere)
            && (!self.away || other.away)
            && (!self.unknown || other.unknown)
            && (!self.verb || other.verb)
    }
}

/// The first words of a command behind its `after` first ones, and where they stand.
fn leading_words<'l>(command: &Command<'l>, after: usize) -> (Vec<&'l str>, Vec<usize>) {
    let behind = command.arguments.iter().enumerate().skip(after);
    let word = |(at, argument): (usize, &Argument<'l>)| match argument {
        Argument::Plain(word) => Some((*word, at)),
        Argument::Option { .. } | Argument::Switch(_) => None,
    };
    behind.filter_map(word).take(WORDS_WITH_VERB).unzip()
}

/// A word of a pattern: alternatives, exact or with `*` and `?`, and exceptions, each behind a `!`.
#[derive(Clone, Debug)]
struct Word {
    exact: Vec<String>,
    globs: Vec<Glob>,
    except: Vec<Glob>,
}

impl Word {
    fn parse(word: &str) -> Result<Self, String> {
        let alternatives: Vec<String> = word.split('|').map(str::to_owned).collect();
        if alternatives.iter().any(|word| matches!(word.as_str(), "" | "!")) {
            return Err(format!("`{word}` has an empty alternative"));
        }
        let (except, named) =
            alternatives.into_iter().partition::<Vec<_>, _>(|word| word.starts_with(EXCEPTION));
        if named.is_empty() {
            return Err(format!("`{word}` has nothing but exceptions"));
        }
        let (globs, exact) = named.into_iter().partition::<Vec<_>, _>(|word| glob::is_glob(word));
        let read = |globs: &[String]| -> Vec<Glob> {
            globs.iter().map(|glob| Glob::new(glob.trim_start_matches(EXCEPTION))).collect()
        };
        Ok(Self { exact, globs: read(&globs), except: read(&except) })
    }

    fn matches(&self, word: &str) -> bool {
        let is_named =
            self.exact.iter().any(|exact| exact == word) || self.globs.iter().any(|glob| glob.matches(word));
        is_named && !self.except.iter().any(|glob| glob.matches(word))
    }

    fn covers(&self, other: &Self) -> bool {
        let mut narrow = other.alternatives();
        let is_left_out =
            |except: &Glob| other.except.iter().any(|of| glob::covers(&of.pattern(), &except.pattern()));
        narrow.all(|narrow| self.alternatives().any(|wide| glob::covers(&wide, &narrow)))
            && self.except.iter().all(is_left_out)
    }

    fn alternatives(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let globs = self.globs.iter().map(|glob| Cow::Owned(glob.pattern()));
        self.exact.iter().map(|word| Cow::Borrowed(word.as_str())).chain(globs)
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::Line;

    /// Circumstances of which nothing is so, but that programs are unknown and `send` is a verb.
    pub(in crate::command) struct Nowhere;

    impl Circumstances for Nowhere {
        fn is_outside(&self, _: &str) -> bool {
            false
        }
        fn is_guarded(&self, _: &str) -> bool {
            false
        }
        fn lists_guarded(&self) -> bool {
            false
        }
        fn is_elsewhere(&self) -> bool {
            false
        }
        fn is_away(&self) -> bool {
            false
        }
        fn is_unknown(&self) -> bool {
            true
        }
        fn verb(&self, words: &[&str]) -> Option<usize> {
            words.iter().position(|word| *word == "send")
        }
    }

    #[test]
    fn a_verb_is_the_last_subcommand() {
        for (line, fits) in [
            ("acme send lea", Some(("send", vec!["lea"]))),
            ("acme mail send lea now", Some(("send", vec!["lea", "now"]))),
            ("acme --quiet mail send", Some(("send", vec![]))),
            ("acme a b c send", None),
            ("acme list", None),
        ] {
            let line = Line::read(line);
            let command = Command::new(line.invocations.first().unwrap());
            let pattern = Pattern::parse("{unknown} {verb}").unwrap();
            let found = pattern.fit(&command, &Nowhere);
            let found = found
                .as_ref()
                .map(|fit| (command.plain().nth(fit.subcommands - 1).unwrap_or_default(), fit.arguments()));
            assert_eq!(found, fits, "{line:?}");
        }
    }

    #[test]
    fn an_exception_is_none_of_the_alternatives() {
        let pattern = Pattern::parse("make ... deploy*|!*-local|!deploy-docs ...").unwrap();
        for (line, fits) in [
            ("make deploy-prod", true),
            ("make deploy-local deploy-prod", true),
            ("make deploy-local", false),
            ("make deploy-docs", false),
        ] {
            let line = Line::read(line);
            let command = Command::new(line.invocations.first().unwrap());
            assert_eq!(pattern.fit(&command, &Nowhere).is_some(), fits, "{line:?}");
        }
        for text in ["make !deploy", "make deploy|!", "make deploy|!|x"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_asks_more_covers_no_more() {
        let parse = |text| Pattern::parse(text).unwrap();
        for (wide, narrow, covers) in [
            ("psql", "psql {writes} {elsewhere}", true),
            ("psql {writes}", "psql {writes} {elsewhere}", true),
            ("psql {writes} {elsewhere}", "psql {writes}", false),
            ("psql {writes}", "psql", false),
            ("{unknown} {verb}", "acme send", false),
            ("* send", "{unknown} send", true),
            ("make deploy*", "make deploy*|!*-local", true),
            ("make deploy*|!*-local", "make deploy*", false),
            ("make deploy*|!*-local", "make deploy*|!*-local", true),
        ] {
            assert_eq!(parse(wide).covers(&parse(narrow)), covers, "{wide} {narrow}");
        }
    }
}
