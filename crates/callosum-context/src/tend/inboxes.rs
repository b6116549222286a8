//! What must be in an inbox again that something cut or rewrote.

use std::collections::BTreeSet;

use crate::feedback;
use crate::inbox::entries;
use crate::layout::FEEDBACK_INBOX;

/// What was there, and behind it the valid entries of what is there now that were not.
pub(super) fn merged(path: &str, before: &str, now: &str) -> String {
    let mut merged = before.to_owned();
    if path == FEEDBACK_INBOX {
        let known: BTreeSet<&str> = before.lines().collect();
        for (_, line) in feedback::read(now).0.iter().filter(|(_, line)| !known.contains(line)) {
            end_line(&mut merged);
            merged.push_str(line);
            merged.push('\n');
        }
        return merged;
    }
    let known: BTreeSet<String> = entries(before).into_iter().map(|entry| entry.id).collect();
    for entry in entries(now) {
        let is_new = !known.contains(&entry.id) && !entry.agent.is_empty() && !entry.text.is_empty();
        if let (true, Some(text)) = (is_new, now.get(entry.range)) {
            end_line(&mut merged);
            merged.push('\n');
            merged.push_str(text.trim_end());
            merged.push('\n');
        }
    }
    merged
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
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
        let merged = merged(PRIORITIES_INBOX, before, now);
        assert_eq!(merged, format!("{before}\n## 2026-11-24T11:00:00Z (eve)\n\nTwo\n"));
    }

    #[test]
    fn lines_of_feedback_come_once() {
        let line =
            |agent: &str| format!("{{\"agent\":\"{agent}\",\"decision\":\"approved\",\"reason\":\"ok\"}}");
        let before = format!("{}\n{}", line("a"), line("b"));
        let now = format!("{}\nnot json\n{}\n", line("b"), line("c"));
        assert_eq!(merged(FEEDBACK_INBOX, &before, &now), format!("{before}\n{}\n", line("c")));
    }
}
