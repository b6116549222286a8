//! The lines of an agent's Markdown, each with the section that it stands in.

/// A line, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    /// Counted from 1 in the text.
    pub(crate) number: usize,
    pub(crate) section: Section,
    /// Without the signs of a list, a quote or a heading.
    pub(crate) text: &'t str,
    /// Somebody else's words, by Markdown's sign for that.
    pub(crate) is_quote: bool,
    /// An entry of a list.
    pub(crate) is_entry: bool,
}

/// The sections that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// `## Entities`, or a line `Entities:` and what follows it up to an empty line.
    Entities,
    /// `## Done`.
    Done,
    /// All else.
    Prose,
}

/// The lines of `text` that say something; headings are no lines.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let (mut section, mut ends_at_blank, mut fence) = (Section::Prose, false, None);
    text.lines().enumerate().filter_map(move |(at, raw)| {
        let line = raw.trim();
        if line.is_empty() {
            if ends_at_blank {
                (section, ends_at_blank) = (Section::Prose, false);
            }
            return None;
        }
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        if sign.is_some() && line.chars().take_while(|c| Some(*c) == sign).count() >= 3 {
            match fence {
                None => fence = sign,
                Some(open) if Some(open) == sign => fence = None,
                Some(_) => {}
            }
            return None;
        }
        if fence.is_none() && line.starts_with('#') {
            let title = line.trim_start_matches('#');
            if title.starts_with(' ') {
                (section, ends_at_blank) = (named(title.trim()), false);
                return None;
            }
        }
        if fence.is_none() && line.eq_ignore_ascii_case("entities:") {
            (section, ends_at_blank) = (Section::Entities, true);
            return None;
        }
        let is_quote = fence.is_none() && line.starts_with('>');
        let text = if is_quote { line.trim_start_matches(['>', ' ']) } else { line };
        let entry = ["- ", "* ", "+ "].iter().find_map(|sign| text.strip_prefix(sign));
        let (is_entry, text) = (entry.is_some(), entry.unwrap_or(text).trim());
        // In code nothing is declared or claimed.
        let section = if fence.is_some() { Section::Prose } else { section };
        (!text.is_empty()).then_some(Line { number: at + 1, section, text, is_quote, is_entry })
    })
}

fn named(title: &str) -> Section {
    match title.trim_end_matches(['#', ' ', ':']).to_ascii_lowercase().as_str() {
        "entities" => Section::Entities,
        "done" => Section::Done,
        _ => Section::Prose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_section() {
        let text = "# T\nprose\n\n## Entities\n- Acme\n\nOther\n## Done:\n* x\n> - said\n```\n## Entities\nin code\n```\n## Rest\nEntities:\nA\n\nend\n#5 left";
        let found: Vec<_> = lines(text)
            .map(|line| (line.number, line.section, line.text, line.is_quote, line.is_entry))
            .collect();
        assert_eq!(
            found,
            [
                (2, Section::Prose, "prose", false, false),
                (5, Section::Entities, "Acme", false, true),
                (7, Section::Entities, "Other", false, false),
                (9, Section::Done, "x", false, true),
                (10, Section::Done, "said", true, true),
                (12, Section::Prose, "## Entities", false, false),
                (13, Section::Prose, "in code", false, false),
                (17, Section::Entities, "A", false, false),
                (19, Section::Prose, "end", false, false),
                (20, Section::Prose, "#5 left", false, false),
            ]
        );
    }
}
