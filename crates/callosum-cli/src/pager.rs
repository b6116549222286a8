//! A pager for what is longer than the screen, as git has one.

use std::env;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anstream::StripStream;
use callosum_runtimes::shell_variables;
use rustix::process::Signal;
use rustix::termios::tcgetwinsize;

/// Where a person says which: empty or `cat` for none.
const VARIABLES: [&str; 2] = ["CALLOSUM_PAGER", "PAGER"];
/// The pager that everybody has, and how it shows colours, and ends where all fits on the screen after all.
const USUAL: &str = "less";
const LESS: (&str, &str) = ("LESS", "FRX");

/// Rows and columns of the terminal that is written to; `None` where there is none that knows.
pub(crate) fn screen() -> Option<(usize, usize)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_row > 0 && size.ws_col > 0).then_some((size.ws_row.into(), size.ws_col.into()))
}

/// Rows that a line takes.
pub(crate) fn rows(line: &str, columns: usize) -> usize {
    anstream::adapter::strip_str(line).to_string().chars().count().div_ceil(columns).max(1)
}

/// Shows `text` by a pager if it is longer than the screen, and waits until the pager has ended. Whether it did.
pub(crate) fn show(text: &[u8], is_coloured: bool) -> bool {
    let Some((height, columns)) = screen() else { return false };
    let readable = String::from_utf8_lossy(text);
    // A prompt comes below it.
    if readable.lines().map(|line| rows(line, columns)).sum::<usize>() < height {
        return false;
    }
    let Some(words) = chosen(|name| env::var(name).ok()) else { return false };
    run(&words, text, is_coloured)
}

/// The words of the pager that is wanted.
fn chosen(variable: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    // No agent knows how to leave a pager.
    let is_agent = shell_variables().any(|name| variable(name).is_some_and(|value| !value.is_empty()));
    if is_agent || variable("TERM").is_none_or(|term| term == "dumb") {
        return None;
    }
    let said = VARIABLES.into_iter().find_map(variable).unwrap_or_else(|| USUAL.to_owned());
    let words = shlex::split(&said).filter(|words| !words.is_empty())?;
    (words != ["cat"]).then_some(words)
}

fn run(words: &[String], text: &[u8], is_coloured: bool) -> bool {
    let [program, options @ ..] = words else { return false };
    let mut pager = Command::new(program);
    pager.args(options).stdin(Stdio::piped());
    if env::var_os(LESS.0).is_none() {
        pager.env(LESS.0, LESS.1);
    }
    // Ctrl-C is the pager's while it runs; where it can't be heard, this process ends by it as before.
    let _ = signal_hook::flag::register(Signal::INT.as_raw(), Arc::default());
    let Ok(mut pager) = pager.spawn() else { return false };
    if let Some(stdin) = pager.stdin.take() {
        // Who has read enough does not read the rest.
        let _ = if is_coloured {
            (&stdin).write_all(text)
        } else {
            StripStream::new(Box::new(stdin) as Box<dyn Write>).write_all(text)
        };
    }
    // However it ended, it has shown what a person wanted to see.
    let _ = pager.wait();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Option<Vec<String>> {
        let terminal = [("TERM", "xterm")];
        chosen(|name| {
            let mut all = variables.iter().chain(&terminal);
            all.find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_person_says_which_pager() {
        let words = |text: &str| Some(text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(with(&[]), words("less"));
        assert_eq!(with(&[("PAGER", "more -s")]), words("more -s"));
        assert_eq!(with(&[("PAGER", "more"), ("CALLOSUM_PAGER", "most")]), words("most"));
        for none in ["", "cat"] {
            assert_eq!(with(&[("CALLOSUM_PAGER", none), ("PAGER", "more")]), None, "{none}");
        }
        assert_eq!(with(&[("TERM", "dumb")]), None);
        assert_eq!(with(&[("CLAUDECODE", "1"), ("CALLOSUM_PAGER", "less")]), None, "an agent's shell");
    }

    #[test]
    fn a_line_takes_the_rows_that_its_letters_need() {
        assert_eq!(rows("", 10), 1);
        assert_eq!(rows("0123456789", 10), 1);
        assert_eq!(rows("\u{1b}[1m0123456789\u{1b}[0m0", 10), 2);
    }
}
