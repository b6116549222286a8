//! `callosum doctor`: are calls gated? Each check is a module and gives findings.

mod clock;
mod context;
mod finding;
mod hooks;
mod leases;
mod openclaw;
mod program;
mod rules;
mod runtimes;
mod settings;
mod state_dir;
mod uncovered;
mod webhooks;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use callosum_core::query::Source;
use serde_json::json;

use self::finding::{Finding, Level};
use crate::args::{Args, Examined};
use crate::output::{Failure, counted, json, toned};

pub(crate) fn run(args: &Args, examined: &Examined, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let now = view.machine().now();
    let status = view.status(&now);
    let mut findings = state_dir::look(&view, &status);
    findings.extend(settings::look(&status));
    findings.extend(clock::look(&view, &now));
    findings.push(rules::look(&status));
    findings.extend(leases::look(&view, &now));
    findings.extend(hooks::look(&status, &now));
    findings.extend(uncovered::look(&status));
    findings.extend(webhooks::look(&status));
    findings.extend(context::look(&view));
    findings.extend(runtimes::look(&view, &status));
    findings.extend(openclaw::look(&view, &status, &now, examined.canary));

    let ok = findings.iter().all(|finding| finding.level <= Level::Note);
    if args.global.json {
        json(out, &json!({ "ok": ok, "findings": findings }))?;
    } else {
        for_people(&findings, out)?;
    }
    Ok(ExitCode::from(u8::from(!ok)))
}

fn for_people(findings: &[Finding], out: &mut dyn Write) -> Result<(), Failure> {
    for finding in findings {
        let word = match finding.level {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        writeln!(out, "{}{}", toned(&format!("{word:<8}")), finding.title)?;
        for line in finding.detail.lines() {
            writeln!(out, "        {line}")?;
        }
        if let Some(remedy) = &finding.remedy {
            writeln!(out, "        to fix it: {remedy}")?;
        }
    }
    let count = |level| findings.iter().map(|finding| u64::from(finding.level == level)).sum();
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    if errors + warnings == 0 {
        writeln!(out, "\nNothing is wrong.")?;
    } else {
        writeln!(out, "\nFound {} and {}.", counted(errors, "error"), counted(warnings, "warning"))?;
    }
    Ok(())
}

/// Says on a terminal what takes long; an empty text takes it back.
fn progress(text: &str) {
    let mut terminal = io::stderr();
    if terminal.is_terminal() {
        // What can't be said is no reason to stop.
        let _ = write!(terminal, "\r\u{1b}[K{text}").and_then(|()| terminal.flush());
    }
}

/// Two paths of one file or folder; one that is not there yet is compared by its name.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    real(one) == real(other)
}
