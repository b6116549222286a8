//! What must be in an inbox again that something cut or rewrote.

use std::collections::BTreeSet;

use crate::feedback;
use crate::inbox::entries;
use crate::layout::FEEDBACK_INBOX;

/// What must come behind what was there: the valid entries of what is there now that were not.
pub(super) fn missing(path: &str, before: &str, now: &str) -> String {
    let mut missing = String::new();
    if path == FEEDBACK_INBOX {
        let known: BTreeSet<&str> = before.lines().collect();
        for (_, line) in feedback::read(now).0.iter().filter(|(_, line)| !known.contains(line)) {
            end_line(before, &mut missing);
            missing.push_str(line);
            missing.push('\n');
        }
        return missing;
    }
    let known: BTreeSet<String> = entries(before).into_iter().map(|entry| entry.id).collect();
    for entry in entries(now) {
        let is_new = !known.contains(&entry.id) && !entry.agent.is_empty() && !entry.text.is_empty();
        if let (true, Some(text)) = (is_new, now.get(entry.range)) {
            end_line(before, &mut missing);
            missing.push('\n');
            missing.push_str(text.trim_end());
            missing.push('\n');
        }
    }
    missing
}

fn end_line(before: &str, missing: &mut String) {
    let is_open = |text: &str| !text.is_empty() && !text.ends_with('\n');
    if is_open(missing) || missing.is_empty() && is_open(before) {
        missing.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::PRIORITIES_INBOX;

    #[test]
    fn what_was_there_is_there_again_with_what_is_new_and_valid() {
        let before = "# Inbox\n\n## 2026-11-24T10:00:00Z (bob)\n\nOne\n";
        let now = "junk\n## x\n\n## 2026-11-24T10:00:00Z (bob)\n\nOne\n## 2026-11-24T11:00:00Z (eve)\n\nTwo";
        let missing = missing(PRIORITIES_INBOX, before, now);
        assert_eq!(missing, "\n## 2026-11-24T11:00:00Z (eve)\n\nTwo\n");
    }

    #[test]
    fn lines_of_feedback_come_once() {
        let line =
            |agent: &str| format!("{{\"agent\":\"{agent}\",\"decision\":\"approved\",\"reason\":\"ok\"}}");
        let before = format!("{}\n{}", line("a"), line("b"));
        let now = format!("{}\nnot json\n{}\n", line("b"), line("c"));
        assert_eq!(missing(FEEDBACK_INBOX, &before, &now), format!("\n{}\n", line("c")));
    }
}
