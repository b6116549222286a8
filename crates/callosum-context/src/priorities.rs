//! `priorities.md`: what agents should work on. A person writes there freely; the curator adds and takes away only bullets that end
//! with a marker of its own.

use std::ops::Range;

use crate::inbox::marked;
use crate::names::is_id;

/// The template of a new file.
pub const TEMPLATE: &str = "\
# Priorities

<!-- CANONICAL (curator) -->

What is written here without a marker is yours: no program changes it. Agents read what stands under `Current`.

## Current

## Inputs

## Notes
";
/// The template of a new inbox.
pub const INBOX_TEMPLATE: &str = "\
# Priorities: inbox

Append only: `callosum context append TEXT`. The curator takes entries over into `priorities.md`.
";

/// The sections that mean something. Others are a person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// What holds now.
    Current,
    /// What agents propose.
    Inputs,
    /// What a person notes.
    Notes,
}

impl Section {
    fn named(heading: &str) -> Option<Self> {
        match heading.trim().trim_end_matches('#').trim_end() {
            "Current" => Some(Self::Current),
            "Inputs" => Some(Self::Inputs),
            "Notes" => Some(Self::Notes),
            _ => None,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Current => "## Current",
            Self::Inputs => "## Inputs",
            Self::Notes => "## Notes",
        }
    }
}

/// What the marker of a managed bullet says: `<!-- cx:id=… agent=… at=… accepted=… -->`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The id of the item that it was made of.
    pub id: String,
    /// Whose item it was.
    pub agent: String,
    /// When that was written: RFC 3339.
    pub at: String,
    /// When a person accepted it: then it counts as that person's word.
    pub accepted: Option<String>,
}

impl Marker {
    fn read(line: &str) -> Option<Self> {
        let value = |name: &str| marked(line, name).map(str::to_owned);
        Some(Self {
            id: value("id").filter(|id| is_id(id))?,
            agent: value("agent").unwrap_or_default(),
            at: value("at").unwrap_or_default(),
            accepted: value("accepted"),
        })
    }

    /// The bullet that says `text`, with this marker: one line, newline included. `text` is one safe line
    /// ([`crate::safe::line`]).
    #[must_use]
    pub fn bullet(&self, text: &str) -> String {
        let accepted = self.accepted.as_ref().map_or_else(String::new, |at| format!(" accepted={at}"));
        format!("- {text} <!-- cx:id={} agent={} at={}{accepted} -->\n", self.id, self.agent, self.at)
    }
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it stands, newline included.
    pub range: Range<usize>,
    /// The section that it stands in; `None` before the first, and in a person's own.
    pub section: Option<Section>,
    /// What it says, without its marker.
    pub text: String,
    /// Its marker, if it is managed.
    pub marker: Option<Marker>,
    /// Whether it is a heading.
    pub is_heading: bool,
}

/// The file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priorities {
    text: String,
    lines: Vec<Line>,
}

impl Priorities {
    /// Reads the file. Whatever stands there is some such file.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let (mut at, mut section, mut fence): (_, _, Option<&str>) = (0, None, None);
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            let range = at..at + line.len();
            at = range.end;
            let bare = line.trim();
            let edge = ["```", "~~~"].into_iter().find(|edge| bare.starts_with(edge));
            let is_code = fence.is_some() || edge.is_some();
            match (fence, edge) {
                (None, Some(_)) => fence = edge,
                (Some(open), Some(edge)) if open == edge => fence = None,
                _ => {}
            }
            let is_heading = !is_code && (line.starts_with("# ") || line.starts_with("## "));
            if is_heading {
                section = line.strip_prefix("## ").and_then(Section::named);
            }
            let marker = if !is_code && bare.starts_with("- ") { Marker::read(bare) } else { None };
            let said = match &marker {
                Some(_) => bare.rsplit_once("<!-- cx:").map_or(bare, |(said, _)| said).trim_end(),
                None => line.trim_end(),
            };
            lines.push(Line { range, section, text: said.to_owned(), marker, is_heading });
        }
        Self { text: text.to_owned(), lines }
    }

    /// The file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its lines.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines under `Current` that are the operator's words: written by a person, or accepted by one. Comments and blank
    /// lines around are left out.
    #[must_use]
    pub fn operators_words(&self) -> String {
        let mut is_comment = false;
        let mut words = Vec::new();
        let current =
            self.lines.iter().filter(|line| line.section == Some(Section::Current) && !line.is_heading);
        for line in current {
            if line.marker.as_ref().is_some_and(|marker| marker.accepted.is_none()) {
                continue;
            }
            let bare = line.text.trim();
            let begins = bare.starts_with("<!--");
            if begins || is_comment {
                is_comment = !bare.contains("-->");
                continue;
            }
            words.push(line.text.as_str());
        }
        words.join("\n").trim_matches('\n').to_owned()
    }

    /// The managed bullet with that id.
    #[must_use]
    pub fn managed(&self, id: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.marker.as_ref().is_some_and(|marker| marker.id == id))
    }

    /// The file without a line.
    #[must_use]
    pub fn without(&self, line: &Line) -> String {
        let (before, after) = (self.text.get(..line.range.start), self.text.get(line.range.end..));
        [before, after].into_iter().flatten().collect()
    }

    /// The file with `bullet` at the end of a section, which is added where it is missing.
    #[must_use]
    pub fn with(&self, section: Section, bullet: &str) -> String {
        let of_section = |line: &&Line| line.section == Some(section);
        let last = self.lines.iter().rfind(|line| of_section(line) && !line.text.trim().is_empty());
        let Some(last) = last else {
            let gap = if self.text.is_empty() || self.text.ends_with("\n\n") {
                ""
            } else if self.text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            return format!("{}{gap}{}\n\n{bullet}", self.text, section.heading());
        };
        let (before, after) = self.text.split_at_checked(last.range.end).unwrap_or((&self.text, ""));
        let end = if before.ends_with('\n') { "" } else { "\n" };
        let gap = if last.is_heading { "\n" } else { "" };
        format!("{before}{end}{gap}{bullet}{after}")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn marker(id: &str, accepted: Option<&str>) -> Marker {
        let (agent, at) = ("bob".to_owned(), "2026-11-24T10:15:00.000Z".to_owned());
        Marker { id: id.to_owned(), agent, at, accepted: accepted.map(str::to_owned) }
    }

    #[test]
    fn only_what_a_person_wrote_or_accepted_is_the_operators_word() {
        let (inputs, taken) =
            (marker("0123456789ab", None), marker("ba9876543210", Some("2026-11-24T11:00:00.000Z")));
        let text = format!(
            "# Priorities\n\nAbove\n\n## Current\n\n- Mine\n  - and mine\n{}{}<!-- a\nnote -->\n```\n## Inputs\n```\n\n## Inputs\n\n{}\n## Notes\n\nNo\n",
            inputs.bullet("CANARY (from bob)"),
            taken.bullet("Taken"),
            inputs.bullet("CANARY"),
        );
        let read = Priorities::read(&text);
        assert_eq!(read.operators_words(), "- Mine\n  - and mine\n- Taken\n```\n## Inputs\n```");
        assert_eq!(read.text(), text);
        assert_eq!(read.managed("ba9876543210").unwrap().text, "- Taken");
    }

    #[test]
    fn bullets_come_and_go_and_all_else_stays_byte_for_byte() {
        let bullet = marker("0123456789ab", None).bullet("Do x");
        for text in ["", "no end", "# P\r\n\r\n## Current\r\n", "## Inputs\n- mine\n\n## Notes\n", TEMPLATE] {
            let with = Priorities::read(&Priorities::read(text).with(Section::Inputs, &bullet));
            let line = with.managed("0123456789ab").unwrap();
            assert_eq!(line.section, Some(Section::Inputs), "{text:?}");
            let without = with.without(line);
            assert!(without.starts_with(text.get(..text.len().min(10)).unwrap()), "{without:?}");
            let persons = |text: &str| {
                text.lines()
                    .filter(|line| !line.trim().is_empty() && *line != "## Inputs")
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(persons(&without), persons(text));
        }
    }
}
