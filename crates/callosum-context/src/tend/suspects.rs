//! Which calls may have changed a file.

use callosum_core::model::time::from_rfc3339;
use callosum_core::record::Suspect;
use serde_json::Value;

/// How long before the last look a call may have begun that still counts, milliseconds: it may have left a process behind.
pub const LOOK_BACK_MS: i64 = 15 * 60_000;
/// Suspects at most; the newest count.
const MOST: usize = 64;
/// Tools by which something is written, whatever tier their calls have.
const WRITING: [&str; 5] = ["exec", "write", "edit", "apply_patch", "process"];

/// Of the journal's records (newest last, as a question about the journal gives them), the calls that began at `since_ms` or later and
/// may write: by a tool that does, or by any of a tier above 0.
#[must_use]
pub fn suspects(records: &[Value], since_ms: i64) -> Vec<Suspect> {
    let text = |record: &Value, field: &str| record.get(field).and_then(Value::as_str).map(str::to_owned);
    let mut found: Vec<Suspect> = records
        .iter()
        .filter(|record| record.get("action").and_then(Value::as_str) == Some("intercept"))
        .filter(|record| {
            let at = record.get("timestamp").and_then(Value::as_str).and_then(from_rfc3339);
            at.is_none_or(|at| at >= since_ms)
        })
        .filter_map(|record| {
            let tool = text(record, "tool").unwrap_or_default();
            let may_write =
                record.get("tier").and_then(Value::as_u64) != Some(0) || WRITING.contains(&tool.as_str());
            may_write.then_some(())?;
            Some(Suspect {
                seq: record.get("seq").and_then(Value::as_u64)?,
                instance: text(record, "instance").unwrap_or_default(),
                session: text(record, "session").unwrap_or_default(),
                tool,
            })
        })
        .collect();
    let more = found.len().saturating_sub(MOST);
    found.drain(..more);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_that_may_write_and_ran_since_are_suspects() {
        let record = |seq: u64, tool: &str, tier: u8, at: &str| json!({"seq": seq, "action": "intercept", "tool": tool, "tier": tier, "session": "s", "timestamp": at});
        let records = [
            record(1, "exec", 1, "2026-11-24T09:00:00.000Z"),
            record(2, "read", 0, "2026-11-24T10:00:00.000Z"),
            record(3, "exec", 0, "2026-11-24T10:00:01.000Z"),
            record(4, "some_tool", 1, "2026-11-24T10:00:02.000Z"),
            json!({"seq": 5, "action": "session", "session": "s", "timestamp": "2026-11-24T10:00:03.000Z"}),
        ];
        let since = from_rfc3339("2026-11-24T09:59:00.000Z").unwrap_or_default();
        let found: Vec<u64> = suspects(&records, since).iter().map(|suspect| suspect.seq).collect();
        assert_eq!(found, [3, 4]);
    }
}
