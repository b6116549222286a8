//! What code does by libraries that an interpreter is given.

use super::super::{Around, Walk};
use super::foreign::options;
use crate::Texts;
use crate::code::{Framework, commands, language};
use crate::words::program_name;

/// Runs the commands that do what codes do.
pub(super) fn told(
    walk: &mut Walk,
    family: &str,
    codes: &Texts,
    framework: Option<Framework>,
    inside: &Around,
) {
    let Some(language) = language(family) else { return };
    for code in codes {
        for command in commands(language, code, framework) {
            walk.run(command, inside.clone());
        }
    }
}

/// The shell of a framework, as the interpreter that it is, and the words that give it its code: `manage.py shell -c`, `rails runner`,
/// `flask shell`.
pub(super) fn framework(name: &str, words: &[String]) -> Option<(&'static str, Vec<String>, Framework)> {
    let (name, words) = match words.split_first() {
        Some((script, rest)) if name.starts_with("python") && program_name(script) == "manage.py" => {
            ("manage.py", rest)
        }
        _ => (name, words),
    };
    let (verb, given) = words.split_first()?;
    match (name, verb.as_str()) {
        ("manage.py" | "django-admin", "shell" | "shell_plus") => {
            let code = options(given, &["-c", "--command"]).next();
            let code = code.into_iter().flat_map(|code| ["-c".to_owned(), code.to_owned()]);
            Some(("python", code.collect(), Framework::Django))
        }
        ("flask", "shell") => Some(("python", Vec::new(), Framework::Django)),
        ("rails", "runner" | "r") => {
            let is_value = |at: usize| {
                let before = at.checked_sub(1).and_then(|before| given.get(before));
                before.is_some_and(|before| matches!(before.as_str(), "-e" | "--environment"))
            };
            let mut plain =
                given.iter().enumerate().filter(|(at, word)| !is_value(*at) && !word.starts_with('-'));
            let code = plain.next().map(|(_, code)| code.clone());
            let is_file = code.as_ref().is_none_or(|code| code.ends_with(".rb"));
            let option = (!is_file).then(|| "-e".to_owned());
            Some(("ruby", option.into_iter().chain(code).collect(), Framework::Rails))
        }
        ("rails", "console" | "c") => Some(("ruby", Vec::new(), Framework::Rails)),
        _ => None,
    }
}
