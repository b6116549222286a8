//! The help of the whole program: its commands by what a person wants to do.

use std::fmt::Write;

use clap::Command;
use clap::builder::{StyledStr, Styles};

/// The commands, in the order in which a person meets them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("See what goes on", &["status", "journal", "why", "sessions", "leases", "search", "ui"]),
    ("Set up, and check that it gates", &["install", "uninstall", "observe", "doctor", "completions"]),
    ("Decide what is stopped", &["explain", "check", "init", "rules", "simulate"]),
    (
        "Work together",
        &[
            "team", "task", "send", "inbox", "ack", "publish", "watch", "route", "digest", "work", "inject",
            "bridge", "context",
        ],
    ),
    ("Serve programs", &["serve", "token"]),
    ("Started by agent runtimes", &["hook", "mcp"]),
];

/// Columns of a command's name.
const NAME: usize = 11;
/// Columns before a name, and between it and what is said of it.
const GAP: &str = "  ";

/// The command line's grammar, its help in groups, in so many columns.
pub(crate) fn grouped(grammar: Command, width: usize) -> Command {
    let groups = groups(&grammar, width);
    let heading = *Styles::default().get_header();
    grammar.before_help(groups).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{before-help}}{heading}Options:{heading:#}\n{{options}}{{after-help}}"
    ))
}

fn groups(grammar: &Command, width: usize) -> StyledStr {
    let styles = Styles::default();
    let (heading, literal) = (styles.get_header(), styles.get_literal());
    let indent = 2 * GAP.len() + NAME;
    let mut text = String::new();
    for (title, names) in GROUPS {
        if !text.is_empty() {
            text.push('\n');
        }
        // Writing into a text does not fail.
        let _ = writeln!(text, "{heading}{title}:{heading:#}");
        for command in names.iter().filter_map(|name| grammar.find_subcommand(name)) {
            let aliases: Vec<&str> = command.get_visible_aliases().collect();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let about = match aliases.as_slice() {
                [] => about,
                aliases => format!("{about} [alias: {}]", aliases.join(", ")),
            };
            let name = command.get_name();
            for (number, line) in wrapped(&about, width.saturating_sub(indent)).iter().enumerate() {
                let _ = match number {
                    0 => writeln!(text, "{GAP}{literal}{name:<NAME$}{literal:#}{GAP}{line}"),
                    _ => writeln!(text, "{:indent$}{line}", ""),
                };
            }
        }
    }
    StyledStr::from(text.trim_end().to_owned())
}

/// A sentence in lines of at most `width` characters, as far as its words allow.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    #[test]
    fn every_command_stands_in_one_group() {
        let grammar = Args::command();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let mut all: Vec<&str> = grammar.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
        assert!(all.iter().all(|name| name.len() <= NAME));
    }
}
