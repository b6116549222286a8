//! Running the command that tells a notice.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;
use tokio::time::timeout;

/// How long it may take; then it is ended. `openclaw` needs ten seconds for a message, and several times that on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs `words`, no shell between.
///
/// # Errors
/// When it can't be run, fails, or takes too long: a clause.
pub(super) async fn send(words: &[String]) -> Result<(), String> {
    send_within(words, DEADLINE).await
}

async fn send_within(words: &[String], deadline: Duration) -> Result<(), String> {
    let [program, options @ ..] = words else { return Ok(()) };
    let cant_run = |error: io::Error| format!("can't run `{program}`: {error}");
    let mut command = Command::new(program);
    command.args(options).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.kill_on_drop(true).process_group(0).spawn().map_err(cant_run)?;
    match timeout(deadline, child.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("`{program}` ended with {status}")),
        Ok(Err(error)) => Err(cant_run(error)),
        Err(_) => {
            let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
            // What it has started ends, too; where nobody is left, nobody has to.
            let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            Err(format!("`{program}` did not end within {} s", deadline.as_secs()))
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[tokio::test]
    async fn what_went_wrong_is_said() {
        let send_words = async |words: &[&str]| {
            send(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).await
        };
        assert_eq!(send_words(&["true", "a text"]).await, Ok(()));
        assert!(send_words(&["false"]).await.unwrap_err().contains("`false` ended with exit status: 1"));
        assert!(
            send_words(&["/no/such/program"]).await.unwrap_err().starts_with("can't run `/no/such/program`")
        );
    }

    #[tokio::test]
    async fn what_takes_too_long_ends_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        // Nobody else holds the pipe's other end open.
        let pipe = folder.path().join("held");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let script = format!("sleep 1000 > {} & wait", pipe.display());
        // A thread that nobody waits for: where this fails, the pipe stays open.
        let (sender, reading) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || sender.send(std::fs::read(pipe)));
        let words = ["sh", "-c", &script].map(str::to_owned);
        let sending = tokio::spawn(async move { send_within(&words, Duration::from_secs(1)).await });
        // It comes to an end only when `sleep` has: the shell's end alone is not enough.
        assert_eq!(timeout(Duration::from_secs(60), reading).await.unwrap().unwrap().unwrap(), b"");
        assert!(sending.await.unwrap().unwrap_err().contains("did not end within 1 s"));
    }
}
