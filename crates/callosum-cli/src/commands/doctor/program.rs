//! Other programs: found as a shell would, run with a deadline; only what was started here is ended.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::commands::child::{ended_within, signal};
use crate::commands::executable::on_path;

/// More is not read of an answer.
const MAX_ANSWER: u64 = 16 * 1024 * 1024;
/// How long a program may take to end once it has answered.
const FAREWELL: Duration = Duration::from_secs(5);

/// A program that was found.
#[derive(Debug)]
pub(super) struct Program(PathBuf);

impl Program {
    /// The program `name` as a shell would find it.
    pub(super) fn on_path(name: &str) -> Option<Self> {
        on_path(name).map(Self)
    }

    /// The program at `path`.
    pub(super) fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Runs it with `args`, ends it when `deadline` is over, and gives what it printed: its output, and its errors.
    ///
    /// # Errors
    /// When it can't be run, or had to be ended: a fragment.
    pub(super) fn run(&self, args: &[&str], deadline: Duration) -> io::Result<(String, String)> {
        let mut child = self.start(args, Stdio::null())?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            let stdout = scope.spawn(|| text_of(stdout));
            let stderr = scope.spawn(|| text_of(stderr));
            let ended = wait(&mut child, deadline);
            let text = |joined: thread::Result<String>| joined.unwrap_or_default();
            let (stdout, stderr) = (text(stdout.join()), text(stderr.join()));
            ended.map(|()| (stdout, stderr))
        })
    }

    /// Runs it with `args`, tells it `said`, and gives what `answer` takes from one of its lines, the first in which it finds
    /// something. It is told no more then, and ended when it stays or `deadline` is over.
    ///
    /// # Errors
    /// When it can't be run, or gave no such line: a fragment.
    pub(super) fn converse<T: Send>(
        &self,
        args: &[&str],
        said: &str,
        answer: impl Fn(&str) -> Option<T> + Send,
        deadline: Duration,
    ) -> io::Result<T> {
        let mut child = self.start(args, Stdio::piped())?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                let Some(mut stdout) = stdout.map(BufReader::new) else { return };
                let lines = stdout.by_ref().take(MAX_ANSWER).lines().map_while(Result::ok);
                let found = lines.filter_map(|line| answer(&line)).next();
                let _ = sender.send(found);
                let _ = io::copy(&mut stdout, &mut io::sink());
            });
            let stderr = scope.spawn(|| text_of(stderr));
            let told = stdin.map(|mut stdin| {
                // Who has ended already does not listen; what it printed tells why.
                let _ = stdin.write_all(said.as_bytes()).and_then(|()| stdin.flush());
                stdin
            });
            let heard = receiver.recv_timeout(deadline);
            // Who serves others ends when these have gone.
            drop(told);
            let patience = if heard.is_ok() { FAREWELL } else { Duration::ZERO };
            let _ = wait(&mut child, patience);
            match heard {
                Ok(Some(found)) => Ok(found),
                Ok(None) => {
                    let stderr = stderr.join().unwrap_or_default();
                    let why = last_line(&stderr).unwrap_or("nothing");
                    Err(io::Error::other(format!("ended without an answer: {why}")))
                }
                Err(_) => Err(no_answer_within(deadline)),
            }
        })
    }

    /// In a group of its own: it may start itself anew, and then both must end.
    fn start(&self, args: &[&str], stdin: Stdio) -> io::Result<Child> {
        Command::new(&self.0)
            .args(args)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
    }
}

/// The last line that is more than white space.
pub(super) fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// Waits until it ends by itself, or ends it.
fn wait(child: &mut Child, deadline: Duration) -> io::Result<()> {
    if ended_within(child, deadline)?.is_some() {
        return Ok(());
    }
    signal(child, Signal::KILL);
    child.wait()?;
    Err(no_answer_within(deadline))
}

fn no_answer_within(deadline: Duration) -> io::Error {
    io::Error::other(format!("gave no answer within {} s", deadline.as_secs()))
}

fn text_of(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What was read until it failed may be the answer.
        let _ = stream.by_ref().take(MAX_ANSWER).read_to_end(&mut bytes);
        // Whoever still writes must not wait for a reader.
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const SOON: Duration = Duration::from_millis(50);
    const DEADLINE: Duration = Duration::from_secs(60);

    fn sh() -> Program {
        Program::at("/bin/sh")
    }

    fn number(line: &str) -> Option<u32> {
        line.parse().ok()
    }

    #[test]
    fn what_takes_too_long_is_ended_with_what_it_started() {
        // The second process holds the output open: the answer would wait for it.
        let script = "sleep 1000 & sleep 1000";
        let why = sh().run(&["-c", script], SOON).unwrap_err().to_string();
        assert!(why.contains("no answer within"), "{why}");
        let why = sh().converse(&["-c", script], "", number, SOON).unwrap_err().to_string();
        assert!(why.contains("no answer within"), "{why}");
    }

    #[test]
    fn the_first_line_that_answers_ends_the_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ended");
        let script = format!("read a; echo no; echo $a; echo 8; cat >/dev/null; echo >{}", file.display());
        assert_eq!(sh().converse(&["-c", &script], "7\n", number, DEADLINE).unwrap(), 7);
        assert!(file.exists(), "it could end by itself");
        let why = sh().converse(&["-c", "echo no; echo 'bad option' >&2"], "7\n", number, DEADLINE);
        assert_eq!(why.unwrap_err().to_string(), "ended without an answer: bad option");
    }
}
