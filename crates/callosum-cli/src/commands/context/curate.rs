//! `curate` and `signals`: the curator's work, which anybody may ask for: what comes of it depends on the folder and the journal alone.

use std::io::Write;
use std::process::ExitCode;

use callosum_context::curator::Report;
use callosum_context::days::Day;
use callosum_context::error::Problem;

use super::args::Curated;
use super::{Here, Stopped};
use crate::output::{counted, json, long, name};

pub(super) fn curate(
    here: &Here,
    wanted: &Curated,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    let date = day(wanted.date.as_deref())?;
    let report = here.site().curate(wanted.dry_run, |curator| match wanted.weekly {
        true => curator.weekly(date),
        false => curator.daily(date),
    })?;
    if as_json {
        json(out, &report)?;
    } else {
        for report in report.before.iter().chain([&report]) {
            for_people(report, wanted.dry_run, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn signals(
    here: &Here,
    date: Option<&str>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    let date = day(date)?;
    let (document, _) = here.site().curate(false, |curator| curator.signals(date))?;
    if as_json {
        json(out, &document)?;
        return Ok(ExitCode::SUCCESS);
    }
    let signals = document.signals.iter().filter(|signal| !signal.echo);
    let mut met = 0;
    for signal in signals {
        met += 1;
        let agents: Vec<String> = signal.agents.iter().map(|agent| name(agent)).collect();
        writeln!(out, "{}: {}", name(&signal.entity), agents.join(", "))?;
    }
    if met == 0 {
        writeln!(out, "No two agents worked on the same thing on {}.", document.date)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn day(text: Option<&str>) -> Result<Option<Day>, Problem> {
    text.map(Day::parse).transpose()
}

fn for_people(report: &Report, is_dry: bool, out: &mut dyn Write) -> Result<(), Stopped> {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let over = if report.partial { ", which is not over" } else { "" };
    let word = if is_dry { "would change" } else { "changed" };
    let files = counted(number(report.changed.len()), "file");
    let merged = counted(number(report.merged.len()), "proposal");
    writeln!(out, "{}{over}: {word} {files}, took over {merged}.", report.date)?;
    for path in &report.changed {
        writeln!(out, "  {}", long(path))?;
    }
    for skipped in &report.skipped {
        writeln!(out, "  left out: {}: {}", long(&skipped.id), long(&skipped.why))?;
    }
    Ok(())
}
