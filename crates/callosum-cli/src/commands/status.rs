//! `callosum status`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use callosum_context::registry::{PolicyMode, Registry};
use callosum_context::tend::{self, Pending};
use callosum_core::query::{Kind, Source, Status, Uncovered, WebhookState, WebhookStatus};
use callosum_core::record::UNREADABLE_EVENTS;
use callosum_team::switch::{self, Wanted};
use serde::Serialize;

use super::observe::OBSERVING;
use crate::args::Args;
use crate::output::{
    Failure, counted, json, local_time, long, name, resource, rules_source, size, table, when,
};

/// At most this many without a rule are listed, and all that sound like an effect.
const MAX_UNCOVERED: usize = 10;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let status = view.status(&view.machine().now());
    if args.global.json {
        let team = switch::wanted(Path::new(&status.state_dir));
        json(out, &Told { status: &status, shared_contexts: shared_contexts(&status), team })?;
    } else {
        for_people(args, &status, out)?;
    }
    let wrong =
        status.degraded.is_some() || status.rules.error.is_some() || !status.setting_errors.is_empty();
    let wrong = wrong || status.webhooks_error.is_some() || status.webhooks.iter().any(is_parked);
    Ok(ExitCode::from(u8::from(wrong)))
}

/// The status, and what lies in the state directory besides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    #[serde(flatten)]
    status: &'a Status,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared_contexts: Vec<SharedContext>,
    /// Sessions work together here: how.
    #[serde(skip_serializing_if = "Option::is_none")]
    team: Option<Wanted>,
}

/// A shared context in use.
#[derive(Serialize)]
struct SharedContext {
    dir: PathBuf,
    mode: PolicyMode,
    /// What of it is not as its writer left it.
    tampered: Vec<Pending>,
}

fn shared_contexts(status: &Status) -> Vec<SharedContext> {
    let state_dir = Path::new(&status.state_dir);
    // What is wrong with it, `doctor` says.
    let registry = Registry::read(state_dir).unwrap_or_default();
    let in_use = registry.in_use().map(|recorded| SharedContext {
        dir: recorded.path.clone(),
        mode: recorded.mode,
        tampered: tend::pending(state_dir, &recorded.path),
    });
    in_use.collect()
}

fn for_people(args: &Args, status: &Status, out: &mut dyn Write) -> Result<(), Failure> {
    let mut line = |label: &str, text: &str| writeln!(out, "{label:<10} {text}");
    line("Callosum", status.version)?;
    line("State", &long(&status.state_dir))?;
    let rule_count = u64::try_from(status.rule_count).unwrap_or(u64::MAX);
    line("Rules", &format!("{}, {}", counted(rule_count, "rule"), rules_source(&status.rules.source)))?;
    if status.observed_by.is_some() {
        line("Mode", OBSERVING)?;
    }
    for error in &status.setting_errors {
        line("Wrong", &format!("settings: {}", long(error)))?;
    }
    shared_context(status, &mut line)?;
    if let Some(wanted) = switch::wanted(Path::new(&status.state_dir)) {
        line("Team", &team(&wanted))?;
    }
    for (runtime, tools) in &status.coverage {
        if let Some(seen) = tools.get(UNREADABLE_EVENTS) {
            let events = counted(seen.before, "event");
            line("Unread", &format!("{events} from {}, the last {}", name(runtime), local_time(&seen.last)))?;
        }
    }
    if let Some(error) = &status.rules.error {
        // This process has just read the file, and knows no rules but those that hold without it.
        let wrong = "sessions that start now, and hooks, use the rules above; a running gateway keeps its last good ones";
        line("Wrong", &format!("rules not loaded: {}; {wrong}", long(error)))?;
    }
    if let Some(lost) = &status.lost {
        line("Lost", &format!("{} by {}: {}", local_time(&lost.at), name(&lost.instance), long(&lost.how)))?;
    }
    if let Some(degraded) = &status.degraded {
        line("Degraded", &format!("{}; to fix it: {}", long(&degraded.cause), long(&degraded.remedy)))?;
    } else if status.journal.segments == 0 {
        line("Journal", "nothing has been journaled there yet")?;
    } else {
        let journal = &status.journal;
        let segments = u64::try_from(journal.segments).unwrap_or(u64::MAX);
        let mut text = format!(
            "{}, {} in {}",
            counted(journal.lines, "line"),
            size(journal.bytes),
            counted(segments, "segment")
        );
        if let Some(oldest) = &journal.oldest {
            text.push_str(&format!(", since {}", local_time(oldest)));
        }
        line("Journal", &text)?;
        if journal.skipped > 0 {
            line("Skipped", &format!("{}, torn or foreign", counted(journal.skipped, "line")))?;
        }
    }

    super::leases::table_of(args, Some("Leases"), &status.leases, out)?;
    webhooks(status, out)?;

    let limits = status.limits.iter().map(|limit| {
        vec![
            name(&limit.rule_name),
            limit.limit.in_words(),
            limit.used.to_string(),
            limit
                .key
                .as_deref()
                .map(resource)
                .or_else(|| limit.session.as_deref().map(name))
                .unwrap_or_default(),
            limit
                .free_at
                .as_deref()
                .map_or_else(|| "yes".to_owned(), |at| format!("from {}", local_time(at))),
        ]
    });
    table(out, Some("Limits"), &["RULE", "LIMIT", "USED", "BY", "ROOM"], limits)?;

    let recent = status.recent_contexts.iter().map(|context| {
        vec![
            resource(&context.context_key),
            context.state.to_owned(),
            name(&context.session),
            name(&context.instance),
            name(&context.tool),
            context.tier.to_string(),
            when(args, &context.at),
        ]
    });
    let header = ["RESOURCE", "STATE", "SESSION", "INSTANCE", "TOOL", "TIER", "AT"];
    table(out, Some("Recent actions"), &header, recent)?;

    let coverage = status.coverage.iter().flat_map(|(runtime, tools)| {
        tools.iter().map(|(tool, seen)| {
            vec![
                name(runtime),
                name(tool),
                seen.before.to_string(),
                seen.after.to_string(),
                seen.paused.to_string(),
                match (seen.covered, seen.by_id) {
                    (true, _) => "yes",
                    (_, true) => "with an id",
                    _ => "none",
                }
                .to_owned(),
                when(args, &seen.first),
                when(args, &seen.last),
            ]
        })
    });
    table(
        out,
        Some("Hooks seen"),
        &["RUNTIME", "TOOL", "BEFORE", "AFTER", "PAUSED", "RULE", "FIRST", "LAST"],
        coverage,
    )?;
    no_rule(args, &status.uncovered, out)
}

fn shared_context(
    status: &Status,
    line: &mut dyn FnMut(&str, &str) -> io::Result<()>,
) -> Result<(), Failure> {
    for SharedContext { dir, mode, tampered } in shared_contexts(status) {
        line("Context", &format!("{}, policy: {}", long(&dir.display().to_string()), mode.as_str()))?;
        for pending in tampered {
            let what =
                if pending.is_inbox { "lacks entries" } else { "was changed while calls of agents ran" };
            line("Tampered", &format!("{} {what}; see `callosum context lint`", long(&pending.path)))?;
        }
    }
    Ok(())
}

/// That sessions work together, and what goes beyond that.
fn team(wanted: &Wanted) -> String {
    let mut text = "on: sessions work together".to_owned();
    if wanted.continue_on_request {
        text.push_str(", go on where a request waits");
    }
    if wanted.live_injection {
        text.push_str(", may be typed to");
    }
    if !wanted.task_trusted_agents.is_empty() {
        let trusted: Vec<String> = wanted.task_trusted_agents.iter().map(|agent| name(agent)).collect();
        text.push_str(&format!("; tasks count as accepted of {}", trusted.join(", ")));
    }
    text
}

fn is_parked(webhook: &WebhookStatus) -> bool {
    webhook.state == WebhookState::Parked
}

/// How the service's webhooks go.
fn webhooks(status: &Status, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(why) = &status.webhooks_error {
        writeln!(out, "{:<10} webhooks: {}", "Wrong", long(why))?;
    }
    let rows = status.webhooks.iter().map(|webhook| {
        vec![
            name(&webhook.name),
            webhook.state.as_str().to_owned(),
            long(&webhook.target),
            webhook.delivered.to_string(),
            webhook.failing_since.as_deref().map(local_time).unwrap_or_default(),
            webhook.error.as_deref().map(long).unwrap_or_default(),
        ]
    });
    table(out, Some("Webhooks"), &["WEBHOOK", "STATE", "TO", "DELIVERED", "FAILING SINCE", "WHY"], rows)
}

/// What was seen without a rule: all that sounds like an effect, and some of the rest.
fn no_rule(args: &Args, uncovered: &[Uncovered], out: &mut dyn Write) -> Result<(), Failure> {
    let effects = uncovered.iter().filter(|entry| entry.verb.is_some()).count();
    let shown = effects.max(MAX_UNCOVERED).min(uncovered.len());
    let rows = uncovered.iter().take(shown).map(|entry| {
        vec![
            name(&entry.runtime),
            match entry.kind {
                Kind::Tool => "tool",
                Kind::Program => "program",
            }
            .to_owned(),
            name(&entry.name),
            entry.calls.to_string(),
            entry.verb.map_or_else(|| "–".to_owned(), |verb| format!("an effect: {verb}")),
            when(args, &entry.last),
        ]
    });
    table(
        out,
        Some("Seen without a rule"),
        &["RUNTIME", "WHAT", "NAME", "CALLS", "SOUNDS LIKE", "LAST"],
        rows,
    )?;
    if shown < uncovered.len() {
        writeln!(out, " and {} more", uncovered.len() - shown)?;
    }
    if effects > 0 {
        writeln!(out, "`callosum rules suggest` drafts rules for those that sound like an effect.")?;
    }
    Ok(())
}
