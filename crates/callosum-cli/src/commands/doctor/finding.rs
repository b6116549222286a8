//! What a check found.

use callosum_runtimes::RUNTIMES;
use serde::Serialize;

/// The checks, by the ids of their findings. `docs/doctor.md` says of each what to do about it.
const CHECKS: [&str; 39] = [
    "state-dir",
    "permissions",
    "guard",
    "journal",
    "lost",
    "disk",
    "settings",
    "mode",
    "clock",
    "boot",
    "rules",
    "rules.uncovered",
    "leases",
    "hooks",
    "hooks.<runtime>",
    "hooks.<runtime>.unreadable",
    "webhooks",
    "webhook.<name>",
    "context",
    "context.away",
    "context.tampered",
    "context.mode",
    "openclaw",
    "gateway",
    "gateway.state",
    "gateway.rules",
    "gateway.settings",
    "gateway.waiting",
    "gateway.mode",
    "versions",
    "plugin",
    "audit",
    "canary",
    "<program>",
    "<program>.off",
    "<program>.program",
    "<program>.state-dir",
    "<program>.mcp",
    "<program>.trust",
];

/// Whether findings of this id belong to a check that is listed.
fn is_listed(id: &str) -> bool {
    let is = |check: &&str| match check.split_once('<').zip(check.split_once('>')) {
        Some(((before, _), (_, behind))) => {
            let name = id.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
            let is_program = |name: &str| RUNTIMES.iter().any(|runtime| runtime.name() == name);
            name.is_some_and(|name| !name.is_empty() && (!check.starts_with("<program>") || is_program(name)))
        }
        None => *check == id,
    };
    CHECKS.iter().any(is)
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// Good to know, or could not be asked; nothing is wrong.
    Note,
    /// Something is wrong, and calls are gated all the same as far as can be told.
    Warning,
    /// Calls are not gated, or will not be.
    Error,
}

/// A finding. Its texts hold nothing that could not be printed: whoever builds it puts names and keys through
/// [`crate::output`].
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    /// A stable name of the check.
    pub(super) id: String,
    /// How bad it is.
    pub(super) level: Level,
    /// One line.
    pub(super) title: String,
    /// Any number of lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) detail: String,
    /// What to do about it; there unless all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

impl Finding {
    /// All is well.
    pub(super) fn ok(id: impl Into<String>, title: impl Into<String>) -> Self {
        let id = id.into();
        debug_assert!(is_listed(&id), "`{id}` is not among the checks, so no page says what to do about it");
        Self { id, level: Level::Ok, title: title.into(), detail: String::new(), remedy: None }
    }

    /// Something else, and what to do about it.
    pub(super) fn new(
        level: Level,
        id: impl Into<String>,
        title: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { level, remedy: Some(remedy.into()), ..Self::ok(id, title) }
    }

    /// With one more line of detail.
    pub(super) fn line(mut self, line: impl AsRef<str>) -> Self {
        if !self.detail.is_empty() {
            self.detail.push('\n');
        }
        self.detail.push_str(line.as_ref());
        self
    }

    /// With more lines of detail, at most `most` of them, and how many `things` were left out.
    pub(super) fn lines(mut self, lines: impl Iterator<Item = String>, most: usize, things: &str) -> Self {
        let mut left_out = 0;
        for (number, line) in lines.enumerate() {
            if number < most {
                self = self.line(line);
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 { self.line(format!("and {left_out} more {things}")) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_to_do_about_each_finding() {
        let page = include_str!("../../../../../docs/doctor.md");
        let rows = page.split("## If it finds something").nth(1).unwrap_or_default();
        let told: Vec<&str> = rows
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('|'))
            .flat_map(|(ids, _)| ids.split(',').map(|id| id.trim().trim_matches('`')))
            .collect();
        assert_eq!(told, CHECKS);
    }

    #[test]
    fn an_id_belongs_to_a_check() {
        for id in
            ["rules", "hooks.my.runtime", "hooks.codex.unreadable", "webhook.a.b", "codex", "gemini.off"]
        {
            assert!(is_listed(id), "{id}");
        }
        for id in ["rule", "hooks.", "somebody", "somebody.off", "codex.what", "webhook"] {
            assert!(!is_listed(id), "{id}");
        }
    }
}
