//! What code does outside that an interpreter is given (`python -c`, `node -e`, a here-document): calls of well-known libraries, each as
//! the command that does the same, so that rules and keys know both by one name.
//!
//! `tokens`, `read` and `loops` find the calls and what they are given (`value`), as far as the code says it; nothing is executed. `http`, `cloud`,
//! `google`, `machines`, `stores`, `teams` and `services` know the libraries of a field.

mod cloud;
mod google;
mod http;
mod loops;
mod machines;
mod read;
mod services;
mod stores;
mod teams;
mod tokens;
mod value;

use read::Reading;
use value::{Value, as_json};

/// Longer code is not read.
const MAX_BYTES: usize = 64 * 1024;
/// At most this many commands of one code are told.
const MAX_COMMANDS: usize = 64;

/// How a language writes what matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python, Ruby and Perl: `#` begins a comment.
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
        "python" | "pypy" | "ipython" | "ruby" | "perl" => Some(Language::Hash),
        _ if OF_SCRIPTS.contains(&interpreter) => Some(Language::Slashes),
        _ => None,
    }
}

/// A framework in whose shell a code runs: its object mapper is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framework {
    Django,
    Rails,
}

/// The commands that do what the code does, each as its words.
pub(crate) fn commands(language: Language, code: &str, framework: Option<Framework>) -> Vec<Vec<String>> {
    if code.len() > MAX_BYTES {
        return Vec::new();
    }
    let reading = Reading::of(language, code);
    let mut commands = if framework == Some(Framework::Rails) { stores::by_rails(code) } else { Vec::new() };
    for call in &reading.calls {
        let mapped = (framework == Some(Framework::Django)).then(|| stores::mapped(call)).flatten();
        let found = mapped
            .map(|command| vec![command])
            .or_else(|| cloud::command(call))
            .or_else(|| services::command(call, &reading))
            .or_else(|| http::command(call, &reading))
            .unwrap_or_default();
        for command in found {
            if !command.is_empty() && !commands.contains(&command) && commands.len() < MAX_COMMANDS {
                commands.push(command);
            }
        }
    }
    commands
}

/// A request with these fields as its body, as that of curl.
fn request(method: &str, address: &str, fields: Vec<(String, Value)>) -> Vec<Vec<String>> {
    let body = as_json(&Value::Map(fields)).to_string();
    vec![words(&["curl", "-X", method, address, "-d", &body])]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests;
