//! Git's configuration files: their syntax, by git-config(1).

use crate::files::Parse;

/// The variables of one file, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) variables: Vec<Variable>,
}

impl ConfigFile {
    /// Whether worktrees have files of their own beside it (`extensions.worktreeConfig`).
    pub(super) fn is_for_worktrees(&self) -> bool {
        let says_so =
            |variable: &&Variable| variable.section == "extensions" && variable.name == "worktreeconfig";
        let last = self.variables.iter().rev().find(says_so);
        last.is_some_and(|variable| {
            matches!(variable.value.as_deref(), None | Some("true" | "yes" | "on" | "1"))
        })
    }
}

/// `name = value` of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// In lower case.
    pub(super) section: String,
    /// As written.
    pub(super) subsection: Option<String>,
    /// In lower case.
    pub(super) name: String,
    /// `None` for a name alone, which is a yes.
    pub(super) value: Option<String>,
}

impl Parse for ConfigFile {
    fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text) };
        let mut file = Self::default();
        let mut section: Option<(String, Option<String>)> = None;
        loop {
            reader.skip_space();
            match reader.peek() {
                None => return Some(file),
                Some('[') => section = Some(reader.header()?),
                Some('#' | ';') => reader.skip_line(),
                Some(_) => {
                    let (section, subsection) = section.clone()?;
                    let (name, value) = reader.variable()?;
                    file.variables.push(Variable { section, subsection, name, value });
                }
            }
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        // Git reads a carriage return before a line's end as that end.
        if next == '\r' && self.rest.starts_with('\n') {
            return self.next();
        }
        Some(next)
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn skip_line(&mut self) {
        self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
    }

    /// `[section]`, `[section "subsection"]` or `[section.subsection]`.
    fn header(&mut self) -> Option<(String, Option<String>)> {
        self.next();
        let mut section = String::new();
        loop {
            match self.next()? {
                ']' => {
                    let (section, subsection) = match section.split_once('.') {
                        Some((section, subsection)) => (section.to_owned(), Some(subsection.to_owned())),
                        None => (section, None),
                    };
                    return (!section.is_empty()).then_some((section, subsection));
                }
                ' ' | '\t' => break,
                c if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') => {
                    section.push(c.to_ascii_lowercase());
                }
                _ => return None,
            }
        }
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if self.next()? != '"' {
            return None;
        }
        let mut subsection = String::new();
        loop {
            match self.next()? {
                '"' => break,
                '\n' => return None,
                '\\' => subsection.push(self.next().filter(|c| *c != '\n')?),
                c => subsection.push(c),
            }
        }
        (self.next()? == ']').then_some((section, Some(subsection)))
    }

    fn variable(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '-') {
            name.push(c.to_ascii_lowercase());
            self.next();
        }
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        match self.next() {
            None | Some('\n') => Some((name, None)),
            Some('#' | ';') => {
                self.skip_line();
                Some((name, None))
            }
            Some('=') => Some((name, Some(self.value()?))),
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut quoted = false;
        // Space at the end counts only if something follows it.
        let mut space = String::new();
        loop {
            let c = match self.next() {
                None | Some('\n') if quoted => return None,
                None | Some('\n') => return Some(value),
                Some('#' | ';') if !quoted => {
                    self.skip_line();
                    return Some(value);
                }
                Some('"') => {
                    quoted = !quoted;
                    continue;
                }
                Some('\\') => match self.next()? {
                    '\n' => continue,
                    'n' => '\n',
                    't' => '\t',
                    'b' => '\u{8}',
                    c @ ('"' | '\\') => c,
                    _ => return None,
                },
                Some(c) if c.is_whitespace() && !quoted => {
                    if !value.is_empty() {
                        space.push(c);
                    }
                    continue;
                }
                Some(c) => c,
            };
            value.push_str(&space);
            space.clear();
            value.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        let file = ConfigFile::parse(text).unwrap();
        let shown = |variable: &Variable| {
            let subsection = variable.subsection.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
            let value = variable.value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
            format!("{}.{subsection}{}{value}", variable.section, variable.name)
        };
        file.variables.iter().map(shown).collect()
    }

    #[test]
    fn sections_names_and_values_are_read_as_git_reads_them() {
        let text = "\u{feff}; a comment\r\n[Core] bare\n\teditor = vi \"  x \" # why\n[remote \"o\\\"r\\igin\"]\r\n\tURL = \
                    git@github.com:acme/app.git ; x\r\n[branch.Main]\nmerge=a\\\n  b\nempty =\n";
        assert_eq!(
            listed(text),
            [
                "core.bare",
                "core.editor=vi   x ",
                "remote.o\"rigin.url=git@github.com:acme/app.git",
                "branch.main.merge=a  b",
                "branch.main.empty=",
            ]
        );
    }

    #[test]
    fn what_git_refuses_is_not_read() {
        for text in
            ["name = 1", "[a", "[a]\n1x = 2", "[a]\nx = \"y", "[a]\nx = \\q", "[a \"b]\n", "[a\"b\"]", "[]"]
        {
            assert_eq!(ConfigFile::parse(text), None, "{text:?}");
        }
    }
}
