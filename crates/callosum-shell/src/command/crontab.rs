//! What a table runs that a line gives to cron.

use super::Command;

/// The commands of the table that `crontab` installs from its input, as far as the line says what that is. They run in the home.
#[must_use]
pub fn scheduled<'l>(command: &Command<'l>) -> Vec<&'l str> {
    let invocation = command.invocation;
    let shows = invocation.words.iter().any(|word| matches!(word.as_str(), "-l" | "-r" | "-e"));
    if command.program() != "crontab" || shows {
        return Vec::new();
    }
    invocation.input.iter().flat_map(|text| text.lines()).filter_map(command_of).collect()
}

/// The command of a line of a table: what stands behind `@daily`, or behind five fields that say when.
fn command_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let fields = if line.starts_with('@') { 1 } else { 5 };
    let says_when = line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*'));
    let behind = |rest: &'_ str| rest.find(char::is_whitespace);
    let mut rest = says_when.then_some(line)?;
    for _ in 0..fields {
        let at = behind(rest)?;
        rest = rest.get(at..)?.trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Line;

    #[test]
    fn what_a_table_runs_is_told() {
        for (line, expected) in [
            ("echo '* * * * * rm a' | crontab -", vec!["rm a"]),
            ("printf '5 4 * * 1-5 rm a\\n' | crontab", vec!["rm a"]),
            (
                "crontab - <<'E'\nMAILTO=x\n# 1 2 3 4 5 no\n@daily rm a\n\n*/5 * * * * ls\nE\n",
                vec!["rm a", "ls"],
            ),
            ("(crontab -l; echo '0 3 * * * rm a') | crontab -", vec!["rm a"]),
            ("crontab -l", vec![]),
            ("echo '* * * * * rm a' | cat", vec![]),
            ("echo '* * * *' | crontab -", vec![]),
        ] {
            let line_read = Line::read(line);
            let all = line_read.invocations.iter().map(Command::new);
            let found: Vec<String> = all
                .flat_map(|command| scheduled(&command).into_iter().map(str::to_owned).collect::<Vec<_>>())
                .collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
