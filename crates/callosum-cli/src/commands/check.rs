//! `callosum check`.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::rules::lint::{Lint, lint};
use callosum_core::rules::{SHIPPED_RULES, SHIPPED_SOURCE};
use serde_json::json;

use crate::args::{Args, Checked};
use crate::output::{Failure, counted, json, long, rules_source};

pub(crate) fn run(args: &Args, checked: &Checked, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let in_state_dir;
    let path = match &checked.file {
        Some(file) => Some(file.as_path()),
        None => {
            in_state_dir = super::shared_state_dir(args)?.join("tiers.json");
            Some(in_state_dir.as_path()).filter(|path| path.exists())
        }
    };
    let (source, text) = match path {
        Some(path) => (path.display().to_string(), super::rules_text(path)?),
        None => (SHIPPED_SOURCE.to_owned(), SHIPPED_RULES.to_owned()),
    };
    let found = lint(&text);
    let ok = found.errors.is_empty() && (found.warnings.is_empty() || !checked.strict);
    if args.global.json {
        for_programs(&source, ok, &found, out)?;
    } else {
        for_people(&source, &found, out)?;
    }
    Ok(ExitCode::from(u8::from(!ok)))
}

fn for_programs(source: &str, ok: bool, found: &Lint, out: &mut dyn Write) -> Result<(), Failure> {
    let answer = json!({
        "ok": ok,
        "file": source,
        "ruleCount": found.rule_count,
        "errors": found.errors,
        "warnings": found.warnings,
    });
    json(out, &answer)
}

fn for_people(source: &str, found: &Lint, out: &mut dyn Write) -> Result<(), Failure> {
    let source = rules_source(source);
    // The form that editors know how to jump by.
    let mut line = |line: usize, column: usize, what: &str, rule: Option<&str>, message: &str| {
        let rule = rule.map(|rule| format!("rule `{}`: ", long(rule))).unwrap_or_default();
        writeln!(out, "{source}:{line}:{column}: {what}{rule}{}", long(message))
    };
    for error in &found.errors {
        line(error.line, error.column, "", error.rule.as_deref(), &error.message)?;
    }
    for warning in &found.warnings {
        line(warning.line, warning.column, "warning: ", Some(&warning.rule), &warning.message)?;
    }
    let number = |length: usize, thing| counted(u64::try_from(length).unwrap_or(u64::MAX), thing);
    let rules = number(found.rule_count, "rule");
    let warnings = number(found.warnings.len(), "warning");
    match (found.errors.len(), found.warnings.len()) {
        (0, 0) => writeln!(out, "{source}: no problems, {rules}")?,
        (0, _) => writeln!(out, "{source}: valid, {rules}, {warnings}")?,
        (errors, _) => writeln!(out, "{source}: can't be used, {}, {warnings}", number(errors, "error"))?,
    }
    Ok(())
}
