//! `--watch`: an answer that is looked for again and again.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use crate::args::{Args, Watching};
use crate::output::{Failure, Output, reader_goes_within};
use crate::pager::{rows, screen};

/// How often is looked.
const LOOK: Duration = Duration::from_secs(1);
/// Goes to the screen's first column and row, and clears it.
const CLEAR: &[u8] = b"\x1b[H\x1b[2J";

/// What `look` writes: once, or until the reader goes away, each time it has changed. A terminal shows one after the other in
/// the same place.
pub(crate) fn repeat(
    watching: &Watching,
    args: &Args,
    out: &mut Output,
    look: impl Fn(&mut dyn Write) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    if !watching.watch {
        return look(out);
    }
    let on_terminal = io::stdout().is_terminal() && !args.global.json;
    let mut shown: Option<Vec<u8>> = None;
    loop {
        let mut answer = Vec::new();
        let code = look(&mut answer)?;
        if shown.as_ref() != Some(&answer) {
            if on_terminal {
                // Past `out`, which takes such signs away where no colours are wanted.
                io::stdout().write_all(CLEAR).and_then(|()| io::stdout().flush())?;
                out.write_all(on_one_screen(&String::from_utf8_lossy(&answer), screen()).as_bytes())?;
            } else {
                if shown.is_some() && !args.global.json {
                    writeln!(out)?;
                }
                out.write_all(&answer)?;
            }
            out.flush()?;
            shown = Some(answer);
        }
        if reader_goes_within(LOOK) {
            return Ok(code);
        }
    }
}

/// As much of a text as the screen has room for, and how much is left out.
fn on_one_screen(text: &str, screen: Option<(usize, usize)>) -> String {
    let Some((height, columns)) = screen else { return text.to_owned() };
    let all: Vec<&str> = text.lines().collect();
    let mut room = height.saturating_sub(1);
    if all.iter().map(|line| rows(line, columns)).sum::<usize>() <= room {
        return text.to_owned();
    }
    room = room.saturating_sub(1);
    let fits = |line: &&&str| {
        let needed = rows(line, columns);
        let is_room = needed <= room;
        room = room.saturating_sub(needed);
        is_room
    };
    let shown: Vec<&str> = all.iter().take_while(fits).copied().collect();
    format!(
        "{}\n… and {} more lines; without --watch all of it is shown\n",
        shown.join("\n"),
        all.len() - shown.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let text = "one\ntwo\nthree\nfour\nfive\n";
        assert_eq!(on_one_screen(text, Some((6, 80))), text);
        assert_eq!(on_one_screen(text, None), text);
        let cut = on_one_screen(text, Some((4, 80)));
        assert_eq!(cut, "one\ntwo\n… and 3 more lines; without --watch all of it is shown\n");
        // A line that is wider than the screen takes more of its rows.
        assert!(on_one_screen(text, Some((5, 3))).starts_with("one\ntwo\n…"));
    }
}
