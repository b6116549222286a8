//! Running the command that tells a notice.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

/// How long it may take; then it is ended. `openclaw` needs ten seconds for a message, and several times that on a busy machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs `words`, no shell between.
///
/// # Errors
/// When it can't be run, fails, or takes too long: a clause.
pub(super) async fn send(words: &[String]) -> Result<(), String> {
    let [program, options @ ..] = words else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(options).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let ended = timeout(DEADLINE, command.status()).await;
    match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("`{program}` ended with {status}")),
        Ok(Err(error)) => Err(format!("can't run `{program}`: {error}")),
        Err(_) => Err(format!("`{program}` did not end within {} s", DEADLINE.as_secs())),
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
}
