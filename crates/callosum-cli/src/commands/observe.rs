//! `callosum observe`: a time of watching, and what it showed.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::query::{ByRule, Observed, ObservedBy, Source, Uncovered};
use callosum_runtimes::settings::json_text::with_property;
use serde_json::{Value, json};

use super::rules::{change, own_file};
use crate::args::Args;
use crate::output::{Failure, counted, json, name, resource, seen_as, table, when};

/// What `status`, `doctor` and the page say, too.
pub(crate) const OBSERVING: &str =
    "Only observing: nothing is stopped, and the journal records what would have been.";

/// Tools and programs without a rule that are named.
const MAX_UNCOVERED: usize = 5;

/// Begins or ends a time of watching, for all that use the rules file.
pub(crate) fn switch(args: &Args, on: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let status = view.status(&view.machine().now());
    let path = own_file(&view, &status)?;
    let mode = on.then_some("observe");
    // Where there is no file, nothing is observed by it.
    if on || path.exists() {
        let remedy = "put `\"mode\": \"observe\"` into it by hand, or take it out";
        change(&view, &path, ("change the mode in", remedy), |text| with_property(text, "mode", mode))?;
    }
    let by_settings = !on && status.observed_by == Some(ObservedBy::Settings);
    if args.global.json {
        let mode = if on || by_settings { "observe" } else { "enforce" };
        json(out, &json!({ "file": path.display().to_string(), "mode": mode }))?;
    } else if on {
        writeln!(
            out,
            "{OBSERVING} `callosum observe report` shows what would have been stopped, `callosum observe off` ends it."
        )?;
    } else if by_settings {
        writeln!(
            out,
            "{OBSERVING} The settings still say so: set `mode` to `enforce` in `settings.json`, or remove it."
        )?;
    } else {
        writeln!(out, "From the next call on, calls are paused and blocked again.")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells what would have been stopped.
pub(crate) fn report(args: &Args, since: Option<&str>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let now = view.machine().now();
    let since_ms = since.map(|since| super::moment(since, now.wall_ms)).transpose()?;
    let observed = view.observed(since_ms, &now)?;
    let uncovered: Vec<Uncovered> =
        view.status(&now).uncovered.into_iter().filter(|entry| entry.verb.is_some()).collect();
    if args.global.json {
        let mut document = serde_json::to_value(&observed)?;
        if let Value::Object(document) = &mut document {
            document.insert("uncovered".to_owned(), json!(uncovered));
        }
        json(out, &document)?;
    } else {
        for_people(args, &observed, out)?;
        not_covered(&uncovered, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn for_people(args: &Args, observed: &Observed, out: &mut dyn Write) -> Result<(), Failure> {
    let (Some(from), Some(until)) = (&observed.from, &observed.until) else {
        writeln!(out, "The journal has no call.")?;
        return Ok(());
    };
    let Observed { calls, guarded, would_stop, sessions, .. } = observed;
    writeln!(out, "{} between {} and {}.", counted(*calls, "call"), when(args, from), when(args, until))?;
    writeln!(out, "{} of tier 3 or 4: those that are checked.", counted(*guarded, "call"))?;
    if *would_stop == 0 {
        writeln!(out, "None that ran would have been paused or blocked.")?;
    } else {
        writeln!(
            out,
            "{} ran that would have been paused or blocked, in {}. Each costs its model a text to read, and a turn if it makes \
             the call again.",
            counted(*would_stop, "call"),
            counted(*sessions, "session")
        )?;
    }
    if observed.stopped > 0 {
        writeln!(out, "{} stopped, where it was not only observed.", counted(observed.stopped, "call"))?;
    }
    let rows = observed.by_rule.iter().map(|rule| {
        let ByRule { would_stop, would_block, identical, ended, .. } = rule;
        let keys: Vec<String> = rule.keys.iter().map(|key| resource(key)).collect();
        vec![
            name(&rule.rule_name),
            would_stop.to_string(),
            would_block.to_string(),
            identical.to_string(),
            ended.complete.to_string(),
            ended.failed.to_string(),
            keys.join(", "),
        ]
    });
    let header = ["RULE", "WOULD STOP", "BLOCK", "SAME PARAMETERS", "DONE", "FAILED", "RESOURCES"];
    table(out, Some("By rule"), &header, rows)?;
    if *would_stop > 0 {
        writeln!(
            out,
            "\nWith the same parameters, and done: almost surely the same thing twice. With others, look at the resources:\n\
             `callosum why RESOURCE` tells what came before."
        )?;
    }
    Ok(())
}

/// What would not have been stopped, because no rule covers it.
fn not_covered(uncovered: &[Uncovered], out: &mut dyn Write) -> Result<(), Failure> {
    if uncovered.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = uncovered.iter().take(MAX_UNCOVERED).map(seen_as).collect();
    let more = uncovered.len().saturating_sub(MAX_UNCOVERED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    writeln!(out, "\nNo rule covers: {}{more}.", shown.join("; "))?;
    writeln!(out, "`callosum rules suggest` drafts rules for them.")?;
    Ok(())
}
