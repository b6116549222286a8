//! What a check found.

use serde::Serialize;

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
        Self { id: id.into(), level: Level::Ok, title: title.into(), detail: String::new(), remedy: None }
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
