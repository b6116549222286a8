//! What an entry of ours is: its tag, its command, and what the command says.

use std::path::PathBuf;

use serde::Serialize;

use crate::runtime::{HookEvent, Runtime};

/// The key that tells our entries from everybody else's.
pub const TAG: &str = "_callosum";

/// One entry of an event's list, as Claude Code takes it, and who took over its hooks.
#[derive(Debug, Serialize)]
pub struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Handler; 1],
    #[serde(rename = "_callosum")]
    tag: &'static str,
}

#[derive(Debug, Serialize)]
struct Handler {
    #[serde(rename = "type")]
    kind: &'static str,
    command: String,
    timeout: u32,
}

/// The events that are needed, and for each the entry that runs its command.
pub fn entries(runtime: Runtime, command: impl Fn(&HookEvent) -> String) -> Vec<(&'static str, Entry)> {
    let unit = runtime.facts().place.timeout_unit;
    let entry = |event: &'static HookEvent| {
        let timeout = unit.of_seconds(event.timeout_seconds);
        let handler = Handler { kind: "command", command: command(event), timeout };
        (event.name, Entry { matcher: event.matcher, hooks: [handler], tag: "v1" })
    };
    runtime.facts().events.iter().map(entry).collect()
}

/// What a command of ours has in it, wherever the program stands.
#[must_use]
pub fn mark(runtime: Runtime) -> String {
    format!(" hook {}", runtime.name())
}

/// The command of an event's entry: without the program it does nothing, because Gemini CLI refuses every tool when a hook's
/// command is missing. It always names the state directory: a project's own environment file would move it, with the journal
/// and the settings in it, to where the project likes. And it says how long the runtime waits for it.
#[must_use]
pub fn command(runtime: Runtime, event: &HookEvent, program: &str, state_dir: &str) -> String {
    let (program, state_dir) = (quoted(program), quoted(state_dir));
    let seconds = event.timeout_seconds;
    format!(
        "[ ! -x {program} ] || exec {program}{} --timeout {seconds} --state-dir {state_dir}",
        mark(runtime)
    )
}

/// What a command of ours says: the program it runs, and the state directory it names.
#[must_use]
pub fn parts(command: &str) -> Option<(PathBuf, Option<String>)> {
    let words = shlex::split(command)?;
    let program = words.iter().position(|word| word == "exec").map_or(0, |exec| exec + 1);
    let state_dir = words.iter().position(|word| word == "--state-dir").and_then(|at| words.get(at + 1));
    Some((PathBuf::from(words.get(program)?), state_dir.cloned()))
}

/// `text` as one word of a shell command.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    // Gemini CLI puts variables into its settings before a shell sees them; a `$` with a quote behind it is none.
    format!("'{}'", text.replace('\'', r"'\''").replace('$', "$''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::RUNTIMES;

    #[test]
    fn a_command_says_again_what_it_was_made_of() {
        for (program, state_dir) in [("/opt/callosum", "/s"), ("/a b/it's $HOME/callosum", "/x y/$z'")] {
            for runtime in RUNTIMES {
                for event in runtime.facts().events {
                    let command = command(runtime, event, program, state_dir);
                    let said = Some((PathBuf::from(program), Some(state_dir.to_owned())));
                    assert_eq!(parts(&command), said, "{command}");
                    assert!(command.contains(&mark(runtime)), "{command}");
                }
            }
        }
    }
}
