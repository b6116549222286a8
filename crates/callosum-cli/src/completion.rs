//! What a shell's completion offers: the grammar, and the keys, sessions and names that stand in the journal now.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{Bash, CompleteEnv, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

use crate::commands::journal::kinds;
use crate::commands::known::Known;
use crate::output::{Failure, Output};

/// The variable by which a shell asks for candidates.
const VARIABLE: &str = "CALLOSUM_COMPLETE";
/// The program, as it is typed.
const PROGRAM: &str = "callosum";

const SHELLS: Shells<'static> = Shells(&[&ColonBash, &Elvish, &Fish, &Powershell, &Zsh]);

/// What of the journal's names an argument of a command takes: the words of the command, the argument, the names.
type Offer = (&'static [&'static str], &'static str, fn(Known) -> Vec<String>);

const OFFERED: &[Offer] = &[
    (&["why"], "key", |known| known.keys),
    (&["leases", "release"], "key", |known| known.keys),
    (&["sessions"], "session", |known| known.sessions),
    (&["sessions"], "project", |known| known.projects),
    (&["explain"], "session", |known| known.sessions),
    (&["journal"], "key", |known| known.keys),
    (&["journal"], "session", |known| known.sessions),
    (&["journal"], "project", |known| known.projects),
    (&["journal"], "instance", |known| known.instances),
    (&["journal"], "runtime", |known| known.runtimes),
    (&["journal"], "tool", |known| known.tools),
    (&["journal"], "action", |_| kinds().map(str::to_owned).collect()),
];

/// Answers a shell that asks for candidates; whether one did.
pub(crate) fn answer(grammar: fn() -> Command) -> bool {
    env::var_os(VARIABLE).is_some()
        && CompleteEnv::with_factory(|| OFFERED.iter().fold(grammar(), offering))
            .var(VARIABLE)
            .shells(SHELLS)
            .try_complete(env::args_os(), env::current_dir().ok().as_deref())
            // Who waits for candidates gets none.
            .unwrap_or(true)
}

/// The grammar of a command, one of its arguments offering names.
fn offering(command: Command, &(words, argument, names): &Offer) -> Command {
    match words {
        [] => command.mut_arg(argument, |known| known.add(of_journal(names))),
        [first, rest @ ..] => {
            command.mut_subcommand(*first, |command| offering(command, &(rest, argument, names)))
        }
    }
}

/// `callosum completions`.
pub(crate) fn print(shell: Shell, out: &mut Output) -> Result<ExitCode, Failure> {
    // A shell finds this program as whoever asked for the script did.
    let typed = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let by_path = typed.components().count() > 1;
    let program = by_path.then(env::current_exe).transpose()?;
    let program = program.as_deref().and_then(Path::to_str).unwrap_or(PROGRAM);
    if let Some(completer) = SHELLS.completer(&shell.to_string()) {
        completer.write_registration(VARIABLE, PROGRAM, PROGRAM, program, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn of_journal(names: fn(Known) -> Vec<String>) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        let known = Known::for_completion(state_dir(env::args_os()).as_deref());
        names(known).into_iter().filter(|name| is_plain(name)).map(CompletionCandidate::new).collect()
    })
}

/// The state directory that the unfinished line names.
fn state_dir(words: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let mut words = words.skip_while(|word| word != "--state-dir");
    words.nth(1).map(PathBuf::from)
}

/// Whether a shell takes a name for what it is. Agents write keys: none may become a command in a person's hand.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-@:/+=,%#".contains(c);
    name.chars().all(is_plain) && name.starts_with(|c: char| c.is_alphanumeric() || "._/".contains(c))
}

/// Bash, to which a key's colons end words.
struct ColonBash;

impl EnvCompleter for ColonBash {
    fn name(&self) -> &'static str {
        Bash.name()
    }

    fn is(&self, name: &str) -> bool {
        Bash.is(name)
    }

    /// The words are taken from the line itself, and of each candidate what Bash takes for the last word is given.
    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let completer = shlex::try_quote(completer).map_err(io::Error::other)?;
        write!(
            out,
            r#"_{name}_complete() {{
    local line="${{COMP_LINE:0:COMP_POINT}}" word typed candidate
    local -a words=()
    read -r -a words <<< "$line"
    if [[ -z $line || $line == *[[:space:]] ]]; then words+=(""); fi
    word="${{words[-1]}}"
    typed="${{word%"${{word##*[:=]}}"}}"
    COMPREPLY=()
    while IFS= read -r candidate || [[ -n $candidate ]]; do
        [[ -n $candidate ]] && COMPREPLY+=("${{candidate#"$typed"}}")
    done < <({variable}=bash _CLAP_COMPLETE_INDEX=$((${{#words[@]}} - 1)) _CLAP_IFS=$'\n' {completer} -- "${{words[@]}}" 2> /dev/null)
    if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *[=/:] ]]; then compopt -o nospace 2> /dev/null; fi
}}
complete -o bashdefault -o default -F _{name}_complete {program}
"#
        )
    }

    fn write_complete(
        &self,
        grammar: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        Bash.write_complete(grammar, words, folder, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_run_is_not_offered() {
        for name in
            ["email:ann@example.com", "issue:github.com/acme/app#12", "deploy:web@prod", "3858ab12-00"]
        {
            assert!(is_plain(name), "{name}");
        }
        for name in
            ["email:$(id)@x", "a`id`", "a;id", "a b", "-rf", "~root", "", "a'b", "a\nb", "a|b", "#a", "a*"]
        {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn the_state_directory_is_that_of_the_line() {
        let of = |line: &str| state_dir(line.split(' ').map(OsString::from));
        assert_eq!(of("callosum --state-dir /s why "), Some(PathBuf::from("/s")));
        assert_eq!(of("callosum why "), None);
    }

    #[test]
    fn every_shell_that_can_be_named_is_known() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            assert!(SHELLS.completer(&shell.to_string()).is_some(), "{shell}");
        }
    }
}
