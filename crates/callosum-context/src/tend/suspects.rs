//! Which calls may have changed a file.

use std::fmt;

use callosum_core::model::time::from_rfc3339;
use callosum_core::record::kind::{Fold, Spec, View};
use callosum_core::record::{Action, Suspect};
use serde_json::Value;

/// A call that ended so long before a change may still have done it, milliseconds: by a process that it left behind.
const LOOK_BACK_MS: i64 = 15 * 60_000;
/// A call whose end is not known may have run for so long, milliseconds.
const OPEN_MS: i64 = 60 * 60_000;
/// Clocks of files and records differ by less, milliseconds.
const SLACK_MS: i64 = 1_000;
/// Suspects at most; the newest count.
const MOST: usize = 64;
/// Tools by which something is written, whatever tier their calls have.
const WRITING: [&str; 5] = ["exec", "write", "edit", "apply_patch", "process"];

/// When a file was changed: not before the one moment and not after the other, milliseconds since the epoch.
pub struct Span<'a> {
    /// The first moment.
    pub from_ms: i64,
    /// The last.
    pub to_ms: i64,
    /// When a call of a session ended last.
    pub(super) ended_ms: &'a dyn Fn(&str) -> Option<i64>,
}

impl fmt::Debug for Span<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.from_ms, self.to_ms)
    }
}

/// What the table of kinds says of a record's.
fn kind(record: &Value) -> &'static Spec {
    Action::named(record.get("action").and_then(Value::as_str).unwrap_or_default()).spec()
}

impl Span<'_> {
    /// No call that began before counts.
    #[must_use]
    pub fn since_ms(&self) -> i64 {
        self.from_ms.saturating_sub(OPEN_MS)
    }

    /// Of the journal's records since then (newest last, as a question about the journal gives them), the calls that may have done it:
    /// they may write, by a tool that does or by any of a tier above 0, and they ran then, or shortly before.
    #[must_use]
    pub fn suspects(&self, records: &[Value]) -> Vec<Suspect> {
        let text = |record: &Value, field: &str| record.get(field).and_then(Value::as_str).map(str::to_owned);
        let at = |record: &Value| record.get("timestamp").and_then(Value::as_str).and_then(from_rfc3339);
        let is_over = |seq: u64| {
            records.iter().any(|record| {
                let of = record.get("of").and_then(Value::as_array);
                of.is_some_and(|of| of.iter().any(|of| of.as_u64() == Some(seq)))
                    && matches!(kind(record).fold, Fold::Outcome(_))
                    && at(record).is_some_and(|at| at < self.from_ms)
            })
        };
        let calls = records.iter().filter(|record| kind(record).view == View::Call);
        let mut found: Vec<Suspect> = calls
            .filter_map(|record| {
                let tool = text(record, "tool").unwrap_or_default();
                let tier = record.get("tier").and_then(Value::as_u64);
                let may_write = tier != Some(0) || WRITING.contains(&tool.as_str());
                let session = text(record, "session").unwrap_or_default();
                let (seq, began) = (record.get("seq").and_then(Value::as_u64)?, at(record)?);
                let has_ended = || {
                    let ended = (self.ended_ms)(&session);
                    ended.is_some_and(|ended| (began..self.from_ms).contains(&ended)) || is_over(seq)
                };
                let is_recent = began >= self.from_ms.saturating_sub(LOOK_BACK_MS);
                let ran = began <= self.to_ms.saturating_add(SLACK_MS)
                    && (is_recent || began >= self.since_ms() && !has_ended());
                let instance = text(record, "instance").unwrap_or_default();
                (may_write && ran).then_some(Suspect { seq, instance, session, tool })
            })
            .collect();
        let more = found.len().saturating_sub(MOST);
        found.drain(..more);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const MINUTE: i64 = 60_000;

    fn record(seq: u64, tool: &str, tier: u8, session: &str, at: &str) -> Value {
        json!({"seq": seq, "action": "intercept", "tool": tool, "tier": tier, "session": session, "timestamp": at})
    }

    fn found(records: &[Value], changed: &str, ended_ms: &dyn Fn(&str) -> Option<i64>) -> Vec<u64> {
        let changed = from_rfc3339(changed).unwrap_or_default();
        let span = Span { from_ms: changed, to_ms: changed, ended_ms };
        span.suspects(records).iter().map(|suspect| suspect.seq).collect()
    }

    #[test]
    fn calls_that_may_write_and_ran_then_or_shortly_before_are_suspects() {
        let records = [
            record(1, "exec", 1, "a", "2026-11-24T09:50:00.000Z"),
            record(2, "read", 0, "a", "2026-11-24T10:00:00.000Z"),
            record(3, "exec", 0, "a", "2026-11-24T10:00:01.000Z"),
            record(4, "some_tool", 1, "a", "2026-11-24T10:00:02.000Z"),
            json!({"seq": 5, "action": "session", "session": "a", "timestamp": "2026-11-24T10:00:03.000Z"}),
            record(6, "exec", 1, "a", "2026-11-24T10:01:00.000Z"),
        ];
        assert_eq!(found(&records, "2026-11-24T10:00:30.000Z", &|_| None), [1, 3, 4]);
    }

    #[test]
    fn a_call_that_has_not_ended_is_a_suspect_for_an_hour_and_one_that_has_for_a_quarter() {
        let records = [
            record(1, "exec", 1, "done", "2026-11-24T09:20:00.000Z"),
            record(2, "exec", 1, "open", "2026-11-24T09:20:00.000Z"),
            record(3, "exec", 2, "told", "2026-11-24T09:20:00.000Z"),
            record(4, "exec", 1, "old", "2026-11-24T08:50:00.000Z"),
            json!({"seq": 5, "action": "complete", "of": [3], "timestamp": "2026-11-24T09:21:00.000Z"}),
            // Whose lease is renewed, or ended by a person, goes on.
            json!({"seq": 6, "action": "extended", "of": [2], "timestamp": "2026-11-24T09:22:00.000Z"}),
            json!({"seq": 7, "action": "released", "of": [2], "timestamp": "2026-11-24T09:23:00.000Z"}),
        ];
        let done = from_rfc3339("2026-11-24T09:20:00.000Z").unwrap_or_default() + MINUTE;
        let ended = |session: &str| (session == "done").then_some(done);
        assert_eq!(found(&records, "2026-11-24T10:00:00.000Z", &ended), [2]);
        assert_eq!(found(&records, "2026-11-24T09:30:00.000Z", &ended), [1, 2, 3, 4]);
    }
}
