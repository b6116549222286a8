//! One spelling of an entity, and which words are none.

use unicode_normalization::UnicodeNormalization;

/// Longer texts are no entities; characters.
pub(crate) const MAX_ENTITY_CHARS: usize = 200;

/// An entity in the one spelling by which it is compared: NFKC, lower case, blanks as one space, no signs at its ends.
#[must_use]
pub fn folded(text: &str) -> String {
    // What is longer than an entity may be is cut; NFKC may make several characters of one.
    let (end, _) = text.char_indices().nth(4 * MAX_ENTITY_CHARS).unwrap_or((text.len(), ' '));
    let text = text.get(..end).unwrap_or(text);
    let folded = if text.is_ascii() {
        with_single_blanks(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())))
    } else {
        with_single_blanks(text.nfkc().flat_map(char::to_lowercase))
    };
    let trimmed = folded
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | '*' | '`' | '"' | '\''));
    trimmed.chars().take(MAX_ENTITY_CHARS).collect()
}

fn with_single_blanks(text: impl Iterator<Item = char>) -> String {
    let mut single = String::new();
    for c in text {
        if !c.is_whitespace() && !c.is_control() {
            single.push(c);
        } else if !single.ends_with(' ') && !single.is_empty() {
            single.push(' ');
        }
    }
    single
}

/// The entity that a context key names: for keys of addresses, files and code hosts what people write of them, else the key itself.
#[must_use]
pub fn of_key(key: &str) -> String {
    let folded = folded(key);
    let bare = ["email:", "file:", "github:", "gitlab:"].iter().find_map(|kind| folded.strip_prefix(kind));
    match bare {
        Some(bare) if !bare.is_empty() => bare.to_owned(),
        _ => folded,
    }
}

/// Days, months and what stands for a stretch of time.
const CALENDAR: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "tues",
    "wed",
    "thu",
    "thur",
    "thurs",
    "fri",
    "sat",
    "sun",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "today",
    "tomorrow",
    "yesterday",
    "tonight",
    "morning",
    "noon",
    "afternoon",
    "evening",
    "week",
    "weekend",
    "month",
    "quarter",
    "year",
    "day",
    "daily",
    "weekly",
    "monthly",
    "next",
    "last",
    "this",
    "end",
    "of",
    "early",
    "late",
    "mid",
    "am",
    "pm",
    "utc",
    "gmt",
];

/// Whether a folded text only tells a time: `friday`, `q4 2026`, `week 46`, `2026-11-13`, `10:30`.
pub(crate) fn is_calendar(folded: &str) -> bool {
    if folded.matches('.').count() > 2 {
        return false;
    }
    let is_quarter = |word: &str| matches!(word.as_bytes(), [b'q', b'1'..=b'4']);
    let is_numbered = |word: &str| {
        let digits = word.trim_start_matches('w').trim_end_matches("st").trim_end_matches("nd");
        let digits = digits.trim_end_matches("rd").trim_end_matches("th").trim_end_matches('z');
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let mut words =
        folded.split([' ', '-', '/', '.', ':', ',', 't']).filter(|word| !word.is_empty()).peekable();
    // Split at the `t` between a date and a time, words with one in them are told whole.
    let mut whole = folded.split([' ', '-', '/', '.', ':', ',']).filter(|word| !word.is_empty()).peekable();
    let tells = |word: &str| CALENDAR.contains(&word) || is_quarter(word) || is_numbered(word);
    (whole.peek().is_some() && whole.all(tells)) || (words.peek().is_some() && words.all(is_numbered))
}

/// Words that agents put under their entities and that name nothing.
const COMMON: &[&str] = &[
    "action",
    "actions",
    "agent",
    "agents",
    "all",
    "backlog",
    "blocker",
    "blockers",
    "bug",
    "bugs",
    "call",
    "calls",
    "client",
    "code",
    "customer",
    "customers",
    "daily",
    "data",
    "deadline",
    "deploy",
    "deployment",
    "done",
    "draft",
    "email",
    "entities",
    "entity",
    "error",
    "errors",
    "everyone",
    "feature",
    "feedback",
    "file",
    "files",
    "fix",
    "follow-up",
    "goal",
    "goals",
    "idea",
    "ideas",
    "info",
    "issue",
    "issues",
    "item",
    "items",
    "launch",
    "link",
    "list",
    "log",
    "logs",
    "mail",
    "meeting",
    "meetings",
    "message",
    "misc",
    "n/a",
    "na",
    "new",
    "news",
    "next step",
    "next steps",
    "none",
    "note",
    "notes",
    "nothing",
    "open",
    "other",
    "output",
    "outputs",
    "people",
    "plan",
    "plans",
    "priorities",
    "priority",
    "progress",
    "project",
    "projects",
    "question",
    "questions",
    "reminder",
    "report",
    "reports",
    "research",
    "result",
    "results",
    "review",
    "reviews",
    "roadmap",
    "schedule",
    "status",
    "sub-agent",
    "subagent",
    "summary",
    "support",
    "system",
    "task",
    "tasks",
    "tbc",
    "tbd",
    "team",
    "test",
    "tests",
    "ticket",
    "tickets",
    "todo",
    "todos",
    "update",
    "updates",
    "urgent",
    "user",
    "users",
    "various",
    "work",
];

/// Whether a folded text names nothing.
pub(crate) fn is_common(folded: &str) -> bool {
    folded.chars().nth(1).is_none() || COMMON.binary_search(&folded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_signs_and_blanks_have_one_spelling() {
        assert_eq!(folded("  ＡＣＭＥ\u{a0}\tCorp. "), "acme corp");
        assert_eq!(folded("`Ünïted`"), "ünïted");
        assert_eq!(folded(&"x".repeat(5_000)).len(), MAX_ENTITY_CHARS);
        assert_eq!(of_key("email:Ines@Harbor.example"), "ines@harbor.example");
        assert_eq!(of_key("deploy:Site"), "deploy:site");
        assert_eq!(of_key("file:"), "file:");
    }

    #[test]
    fn what_only_tells_a_time_is_told_from_what_has_one_in_it() {
        for time in [
            "friday",
            "q4",
            "q4 2026",
            "week 46",
            "2026-11-13",
            "10:30",
            "2026-11-13t10:30:00z",
            "end of november",
            "3rd",
            "w47",
        ] {
            assert!(is_calendar(time), "{time}");
        }
        for name in [
            "acme",
            "friday ltd",
            "may tan",
            "v1.2.3",
            "ops-482",
            "",
            "northwind traders",
            "t-mobile",
            "10.20.0.12",
        ] {
            assert!(!is_calendar(name), "{name}");
        }
    }

    #[test]
    fn the_list_of_common_words_can_be_searched() {
        let mut sorted = COMMON.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, COMMON);
        assert!(is_common("update") && is_common("x") && is_common("") && !is_common("acme"));
    }
}
