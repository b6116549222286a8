//! `callosum explain`.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::model::on_conflict::OnConflict;
use callosum_core::model::time;
use callosum_core::query::{ExplainRequest, LimitStatus, Source};
use callosum_core::rules::lint::meant_by_unknown;
use callosum_core::rules::{Match, Scope};
use callosum_runtimes::{in_any_names, runs_commands};
use serde_json::{Value, json};

use crate::args::{Args, Asked};
use crate::output::{Failure, json, local_time, long, name, resource, said};

pub(crate) fn run(args: &Args, asked: &Asked, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let cwd = asked.cwd.clone().or_else(|| std::env::current_dir().ok());
    let cwd = cwd.and_then(|cwd| cwd.to_str().map(str::to_owned));
    let (tool, params) = in_any_names(&asked.tool, params(asked)?, cwd.as_deref());
    let request = ExplainRequest { tool, params, session: asked.session.clone(), agent: None, cwd };
    let explained = view.explain(&request, &view.machine().now())?;
    let meant = if explained.rule_name.is_none() { meant_by_unknown(&request.tool) } else { None };
    if args.global.json {
        let mut document = serde_json::to_value(&explained)?;
        if let (Some(meant), Value::Object(document)) = (meant, &mut document) {
            document.insert("didYouMean".to_owned(), meant.into());
        }
        json(out, &document)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_denied = explained.verdict == "denied";
    match &explained.rule_name {
        Some(rule) if is_denied => {
            writeln!(out, "Tier {}, refused by policy `{}`.", explained.tier as u8, name(rule))?;
        }
        Some(rule) => writeln!(out, "Tier {}, by the rule `{}`.", explained.tier as u8, name(rule))?,
        None => writeln!(out, "Tier 0: no rule covers this call.")?,
    }
    if let Some(meant) = meant {
        writeln!(out, "No known tool is called `{}`: did you mean `{meant}`?", name(&asked.tool))?;
    }
    if request.tool != asked.tool {
        writeln!(out, "`{}` is `{}` to rules.", name(&asked.tool), name(&request.tool))?;
    }
    if explained.rough {
        writeln!(
            out,
            "The command can't be parsed as a shell line, so it was cut at whatever looks like the end of a command."
        )?;
    }
    for unread in &explained.unread {
        let parts = if unread.parts == 1 { "1 part".to_owned() } else { format!("{} parts", unread.parts) };
        writeln!(
            out,
            "Not read: {parts} of the command, {} bytes starting at `{}`, because {}. It was only searched for words that rules use.",
            unread.bytes,
            name(&unread.begins),
            unread.because
        )?;
    }
    for untold in &explained.untold {
        writeln!(out, "Unknown: {}; the key uses something else instead.", said(untold))?;
    }
    for key in &explained.context_keys {
        writeln!(out, "  acts on {}", resource(key))?;
    }
    // What is only logged did not lead to a check.
    let counts = |matched: &&Match| matched.tier.is_tracked() == explained.tier.is_tracked();
    for matched in explained.matched.iter().filter(counts) {
        writeln!(out, "{}", sentence(matched))?;
    }
    if explained.tier.is_tracked() && !explained.journal_params {
        writeln!(out, "Its parameters are not journaled.")?;
    }
    if explained.tier.is_guarded() && !is_denied {
        let whose = match explained.scope {
            Scope::Any => "any session's",
            Scope::OtherSessions => "other sessions'",
            Scope::OtherInstances => "other instances'",
        };
        let window = time::for_people(explained.recent_window_ms);
        writeln!(out, "Checked against {whose} actions on the same resources in the last {window}.")?;
        match explained.on_conflict {
            OnConflict::Pause => {}
            OnConflict::Block => writeln!(out, "One of these blocks it, and a retry does not help.")?,
            OnConflict::Note => writeln!(out, "One of these is only noted: it goes through.")?,
            OnConflict::Ask => {
                writeln!(out, "At one of these a person is asked; a host without a dialog for that pauses.")?;
            }
        }
    }
    for limit in &explained.limits {
        writeln!(out, "{}", used(limit))?;
    }
    writeln!(out, "\nNow: {}.", explained.verdict)?;
    if let Some(text) = &explained.text {
        for line in text.lines() {
            writeln!(out, "  {}", long(line))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The parameters: a JSON object, or for a tool that runs commands the bare command.
fn params(asked: &Asked) -> Result<Value, Failure> {
    let unusable = |fragment: String| Failure::CantLook {
        fragment,
        remedy: match meant_by_unknown(&asked.tool) {
            Some(meant) if !runs_commands(&asked.tool) => {
                format!("no known tool is called `{}`: did you mean `{meant}`?", name(&asked.tool))
            }
            _ => "give them as a JSON object, like '{\"command\": \"git push\"}'".to_owned(),
        },
    };
    let begins = |sign: char| asked.params.trim_start().starts_with(sign);
    // A list is no command, though a shell's `[ -f x ]` may begin like one.
    let is_list = begins('[') && serde_json::from_str::<Value>(&asked.params).is_ok();
    if !begins('{') && !is_list && runs_commands(&asked.tool) {
        return Ok(json!({ "command": asked.params }));
    }
    match serde_json::from_str(&asked.params) {
        Ok(params @ Value::Object(_)) => Ok(params),
        Ok(_) => Err(unusable("the parameters must be an object".to_owned())),
        Err(error) => Err(unusable(format!("the parameters are not JSON: {error}"))),
    }
}

/// How much of a limit is used.
fn used(limit: &LimitStatus) -> String {
    let on = limit.key.as_ref().map_or_else(String::new, |key| format!(" on {}", resource(key)));
    let free =
        limit.free_at.as_ref().map_or_else(String::new, |at| format!("; room again at {}", local_time(at)));
    let (rule, words) = (name(&limit.rule_name), limit.limit.in_words());
    format!("Limit of `{rule}`: {words}; {} used{on}{free}.", limit.used)
}

fn sentence(matched: &Match) -> String {
    let reach = matched.reach.map_or_else(String::new, |reach| format!(", reach {}", reach.as_str()));
    let rule = format!(
        "`{}` (tier {}{reach}) matched by {}",
        name(&matched.rule_name),
        matched.tier as u8,
        matched.because
    );
    match &matched.command {
        Some(command) => format!("  {rule}: {}", said(command)),
        None => format!("  {rule}"),
    }
}
