//! `callosum simulate`.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use callosum_core::model::tier::Tier;
use callosum_core::query::{Simulated, Source};
use callosum_core::rules::RuleSet;
use callosum_core::simulate::{Changed, Counts, OfRule, Reason, Report};

use crate::args::{Args, Tried};
use crate::output::{Failure, counted, json, local_time, long, name, resource, rules_source, table};

/// Changed calls that are shown, and keys of each.
const MAX_SHOWN: usize = 20;
const MAX_KEYS: usize = 3;
/// The columns of the table of rules that are always there.
const USUAL_COLUMNS: usize = 6;
/// What takes longer shows its progress.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args, tried: &Tried, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let rules = read(&tried.file)?;
    let view = super::view(args)?;
    let now = view.machine().now();
    let since_ms = tried.since.as_ref().map(|text| super::moment(text, now.wall_ms)).transpose()?;
    let mut progress = Progress::begin();
    let simulated = view.simulate(rules, since_ms, &now, &mut |done, all| progress.tell(done, all));
    progress.end();
    let simulated = simulated?;
    if args.global.json {
        json(out, &simulated)?;
    } else {
        for_people(&tried.file, &simulated, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<RuleSet, Failure> {
    let shown = long(&file.display().to_string());
    RuleSet::parse(&super::rules_text(file)?).map_err(|error| {
        let rule = error.rule.as_ref().map(|rule| format!("rule `{}`: ", long(rule))).unwrap_or_default();
        Failure::CantLook {
            fragment: format!("{shown}:{}:{}: {rule}{}", error.line, error.column, long(&error.message)),
            remedy: "fix that, then run this again".to_owned(),
        }
    })
}

/// How far reading is, on a terminal, once that takes its time. Of progress bars the well-kept ones need the library of
/// mathematics, which the loader would have to find and map for every hook: a tenth of what an empty program takes.
struct Progress {
    began: Instant,
    /// What was shown last.
    percent: Option<u64>,
}

impl Progress {
    fn begin() -> Self {
        Self { began: Instant::now(), percent: None }
    }

    fn tell(&mut self, done: u64, all: u64) {
        let percent = done.min(all).saturating_mul(100).checked_div(all);
        if percent != self.percent && self.began.elapsed() >= PATIENCE && io::stderr().is_terminal() {
            self.percent = percent;
            // Where nobody can be told, the work goes on.
            let _ = write!(io::stderr(), "\rreading the journal: {} %", percent.unwrap_or(0));
        }
    }

    fn end(self) {
        if self.percent.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn for_people(file: &Path, simulated: &Simulated, out: &mut dyn Write) -> Result<(), Failure> {
    let report = &simulated.report;
    let file = long(&file.display().to_string());
    writeln!(
        out,
        "{}, {} judged under the rules in force ({}) and under {file}.",
        counted(report.calls, "call"),
        report.judged,
        rules_source(&simulated.rules_before)
    )?;
    if let Some(error) = &simulated.rules_error {
        writeln!(out, "A rules file can't be used, so other rules took its place: {}", long(error))?;
    }
    writeln!(out, "\nBefore: {}.\nAfter:  {}.", sum(&report.before), sum(&report.after))?;
    if report.recorded != report.before {
        writeln!(
            out,
            "Then:   {}, as recorded: the rules or settings were different then, or a process had died.",
            sum(&report.recorded)
        )?;
    }
    // Most rules neither ask nor note.
    let with_people = [report.before, report.after].iter().any(|counts| counts.asked + counts.noted > 0);
    let all = ["RULE", "TIER", "CALLS", "PAUSED", "BLOCKED", "OBSERVED", "ASKED", "NOTED"];
    let (usual, _) = all.split_at(USUAL_COLUMNS);
    let header = if with_people { &all } else { usual };
    let rows = report.rules.iter().filter(|of| of.before != of.after || of.before.stopped() > 0);
    let rows = rows.map(|of| of_rule(of).into_iter().take(header.len()).collect());
    table(out, Some("By rule, before → after:"), header, rows)?;
    changed(report, out)?;
    not_judged(simulated, out)
}

fn sum(counts: &Counts) -> String {
    let mut text = format!("{} paused, {} blocked", counts.paused, counts.blocked);
    if counts.observed > 0 {
        text.push_str(&format!(", {} only observed", counts.observed));
    }
    if counts.asked > 0 {
        text.push_str(&format!(", {} left to a person", counts.asked));
    }
    if counts.noted > 0 {
        text.push_str(&format!(", {} only noted", counts.noted));
    }
    text
}

fn of_rule(of: &OfRule) -> Vec<String> {
    let tier = |tier: Option<Tier>| tier.map_or("–".to_owned(), |tier| (tier as u8).to_string());
    let of_both = |count: fn(&Counts) -> u64| both(count(&of.before), count(&of.after));
    vec![
        of.rule_name.as_deref().map_or("(no rule)".to_owned(), name),
        both(tier(of.tier_before), tier(of.tier_after)),
        of_both(|counts| counts.calls),
        of_both(|counts| counts.paused),
        of_both(|counts| counts.blocked),
        of_both(|counts| counts.observed),
        of_both(|counts| counts.asked),
        of_both(|counts| counts.noted),
    ]
}

/// `3`, or `3 → 4` where it changed.
fn both<T: PartialEq + ToString>(before: T, after: T) -> String {
    if before == after {
        before.to_string()
    } else {
        format!("{} → {}", before.to_string(), after.to_string())
    }
}

fn changed(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    if report.changed_calls == 0 {
        writeln!(out, "\nEvery call that could be judged gets the same verdict.")?;
        return Ok(());
    }
    let shown = report.changed.len().min(MAX_SHOWN);
    let heading = match report.changed_calls - shown as u64 {
        0 => "Calls that get a different verdict:".to_owned(),
        more => {
            format!("The newest calls that get a different verdict ({more} more; --json prints up to 1,000):")
        }
    };
    let header = ["TIME", "SESSION", "TOOL", "KEYS", "RULE", "VERDICT"];
    let newest = report.changed.iter().skip(report.changed.len() - shown);
    table(out, Some(&heading), &header, newest.map(changed_row))
}

fn changed_row(call: &Changed) -> Vec<String> {
    let rule = |rule: &Option<String>| rule.as_deref().map_or("–".to_owned(), name);
    let mut keys: Vec<String> = call.context_keys.iter().take(MAX_KEYS).map(|key| resource(key)).collect();
    if call.context_keys.len() > MAX_KEYS {
        keys.push("…".to_owned());
    }
    vec![
        local_time(&call.at),
        format!("{} ({})", name(&call.session), name(&call.instance)),
        name(&call.tool),
        keys.join(", "),
        both(rule(&call.rule_before), rule(&call.rule_after)),
        both(call.before.as_str().to_owned(), call.after.as_str().to_owned()),
    ]
}

fn not_judged(simulated: &Simulated, out: &mut dyn Write) -> Result<(), Failure> {
    let report = &simulated.report;
    if report.assumed > 0 {
        writeln!(
            out,
            "\nOf those judged, {} kept the rule that the journal names, because what was cut off or removed from \
             their parameters might call for another.",
            report.assumed
        )?;
    }
    let count: u64 = report.not_judged.values().sum();
    if count > 0 {
        writeln!(out, "\nNot judged: {}.", counted(count, "call"))?;
    }
    for (reason, count) in &report.not_judged {
        writeln!(out, "  {count}: {}", why(*reason))?;
    }
    if simulated.skipped > 0 {
        let lines = counted(simulated.skipped, "line");
        writeln!(out, "\n{lines} of the journal can't be read (torn, foreign, or of a newer version).")?;
    }
    Ok(())
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::Parameters => {
            "the rules of one side ask for parameters of tier 0 or 1 calls, which the journal does not keep"
        }
        Reason::Rule => "only the name of the rule is known, and one side has no rule of that name",
        Reason::Keys => "their keys are made of parameters that were not kept",
        Reason::Undecided => "refused before anything was decided",
        Reason::Original => "written by the original plugin",
    }
}
