//! Prints what `scripts/references.ts` can't read from JSON files, as one JSON document: the placeholders of key templates, and the
//! defaults of the settings.

use std::io::{self, Write};

use callosum_core::model::settings::Settings;
use callosum_core::rules::context_key::PLACEHOLDERS;
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let placeholders: Vec<Value> =
        PLACEHOLDERS.iter().map(|known| json!({ "name": known.name, "meaning": known.meaning })).collect();
    let Settings {
        instance_id,
        state_dir,
        lease_ms,
        recent_window_ms,
        retry_window_ms,
        tiers_file,
        durability,
        on_state_error,
        mode,
        journal_max_bytes,
        journal_max_age_ms,
        params_summary_chars,
        summaries,
        session_context,
        team_tools,
        shared_context,
    } = Settings::default();
    let defaults = json!({
        "instanceId": instance_id,
        "stateDir": state_dir,
        "lockExpiryMs": lease_ms,
        "recentWindowMs": recent_window_ms,
        "retryWindowMs": retry_window_ms,
        "tiersFile": tiers_file,
        "durability": durability,
        "onStateError": on_state_error,
        "mode": mode,
        "journalMaxBytes": journal_max_bytes,
        "journalMaxAgeMs": journal_max_age_ms,
        "paramsSummaryChars": params_summary_chars,
        "summaries": summaries,
        "sessionContext": session_context,
        "teamTools": team_tools,
        "sharedContextEnabled": shared_context.enabled,
        "sharedContextDir": shared_context.dir,
        "sharedContextMaxInjectChars": shared_context.max_inject_chars,
        "sharedContextTrustedAgents": shared_context.trusted_agents,
        "sharedContextTamper": shared_context.on_tamper,
        "sharedContextTimezone": shared_context.timezone,
        "sharedCrossSignalSemanticEnabled": shared_context.semantic.enabled,
        "sharedCrossSignalSemanticTimeoutMs": shared_context.semantic.timeout_ms,
        "sharedCrossSignalSemanticMaxCandidates": shared_context.semantic.max_candidates,
        "crossSignalsSemanticEnabled": shared_context.semantic.enabled,
        "crossSignalsSemanticTimeoutMs": shared_context.semantic.timeout_ms,
        "sharedContextModel": shared_context.semantic.model,
    });
    writeln!(io::stdout(), "{}", json!({ "placeholders": placeholders, "defaults": defaults }))
}
