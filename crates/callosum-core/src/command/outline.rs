//! The words of a pattern that a command must have. The build script compiles this file too.

/// PowerShell, which takes commands in a code too.
pub(crate) const POWER_SHELLS: &[&str] = &["powershell", "pwsh", "PowerShell", "Powershell", "POWERSHELL"];
/// Stands for words that are not said.
pub(crate) const ANY: &str = "...";
/// Stands for a path that is neither in the working folder nor in `/tmp`.
pub(crate) const OUTSIDE: &str = "{outside}";

/// The program and the subcommands of a pattern's text, with `|` between alternatives.
pub(crate) fn outline(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace().take_while(|word| *word != ANY && *word != OUTSIDE);
    words.filter(|word| !word.starts_with('-'))
}
