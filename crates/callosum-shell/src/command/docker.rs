//! The daemon that a command of Docker or Podman talks to.

use super::Command;
use crate::Argument;

/// Programs that talk to such a daemon.
pub(super) const PROGRAMS: &[&str] = &["docker", "podman", "nerdctl", "docker-compose", "podman-compose"];

/// The daemon, as an option before the subcommand names it: its address, or a context.
pub(super) fn daemon<'l>(command: &Command<'l>) -> Option<&'l str> {
    let before = command.arguments.iter().take_while(|argument| !matches!(argument, Argument::Plain(_)));
    before
        .filter_map(|argument| match argument {
            Argument::Option {
                name: "-H" | "--host" | "-c" | "--context" | "--connection" | "--url",
                value,
                ..
            } => Some(*value),
            _ => None,
        })
        .last()
}
