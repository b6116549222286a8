//! What code does outside that an interpreter is given (`python -c`, `node -e`, a here-document): calls of well-known libraries, each as
//! the command that does the same, so that rules and keys know both by one name.
//!
//! `tokens` and `read` find the calls and what they are given (`value`), as far as the code says it; nothing is executed. `http`, `cloud` and
//! `services` know the libraries of a field.

mod cloud;
mod http;
mod read;
mod services;
mod tokens;
mod value;

use read::Reading;

/// Longer code is not read.
const MAX_BYTES: usize = 64 * 1024;
/// At most this many commands of one code are told.
const MAX_COMMANDS: usize = 64;

/// How a language writes what matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python and Ruby: `#` begins a comment.
    Hash,
    /// JavaScript and TypeScript: `//` does.
    Slashes,
}

/// Programs that run JavaScript and TypeScript.
pub(crate) const OF_SCRIPTS: &[&str] =
    &["node", "nodejs", "deno", "bun", "tsx", "ts-node", "jiti", "vite-node", "esno"];

/// The language of an interpreter, by its name without a version.
pub(crate) fn language(interpreter: &str) -> Option<Language> {
    match interpreter {
        "python" | "pypy" | "ipython" | "ruby" => Some(Language::Hash),
        _ if OF_SCRIPTS.contains(&interpreter) => Some(Language::Slashes),
        _ => None,
    }
}

/// The commands that do what the code does, each as its words.
pub(crate) fn commands(language: Language, code: &str) -> Vec<Vec<String>> {
    if code.len() > MAX_BYTES {
        return Vec::new();
    }
    let reading = Reading::of(language, code);
    let mut commands: Vec<Vec<String>> = Vec::new();
    for call in &reading.calls {
        let found = cloud::command(call)
            .or_else(|| services::command(call, &reading))
            .or_else(|| http::command(call))
            .unwrap_or_default();
        for command in found {
            if !command.is_empty() && !commands.contains(&command) && commands.len() < MAX_COMMANDS {
                commands.push(command);
            }
        }
    }
    commands
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests;
