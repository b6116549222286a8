//! `callosum check`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use callosum_core::rules::{RuleError, RuleSet, SHIPPED_RULES};
use callosum_core::store::rules_file;
use serde_json::json;

use crate::args::Args;
use crate::output::{Failure, counted, long};

pub(crate) fn run(args: &Args, file: Option<&Path>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let in_state_dir;
    let path = match file {
        Some(file) => Some(file),
        None => {
            in_state_dir = super::observer(args)?.state_dir().join("tiers.json");
            Some(in_state_dir.as_path()).filter(|path| path.exists())
        }
    };
    let (source, text) = match path {
        Some(path) => {
            let source = path.display().to_string();
            let text = rules_file::read(path).map_err(|reason| Failure::CantLook {
                fragment: format!("`{}` {}", long(&source), long(&reason)),
                remedy: "give the path of a rules file that this user can read".to_owned(),
            })?;
            (source, text)
        }
        None => ("built in".to_owned(), SHIPPED_RULES.to_owned()),
    };
    let result = RuleSet::parse(&text);
    if args.json {
        for_programs(&source, &result, out)?;
    } else {
        for_people(&source, &result, out)?;
    }
    Ok(ExitCode::from(u8::from(result.is_err())))
}

fn for_programs(
    source: &str,
    result: &Result<RuleSet, RuleError>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut answer = json!({
        "ok": result.is_ok(),
        "file": source,
        "ruleCount": result.as_ref().map_or(0, RuleSet::len),
    });
    if let (Err(error), Some(answer)) = (result, answer.as_object_mut()) {
        let mut shown = json!({ "line": error.line, "column": error.column, "message": error.message });
        if let (Some(rule), Some(shown)) = (&error.rule, shown.as_object_mut()) {
            shown.insert("rule".to_owned(), json!(rule));
        }
        answer.insert("error".to_owned(), shown);
    }
    serde_json::to_writer(&mut *out, &answer)?;
    Ok(writeln!(out)?)
}

fn for_people(source: &str, result: &Result<RuleSet, RuleError>, out: &mut dyn Write) -> Result<(), Failure> {
    let source = long(source);
    match result {
        Ok(rules) => {
            let count = u64::try_from(rules.len()).unwrap_or(u64::MAX);
            writeln!(out, "{source}: all well, {}", counted(count, "rule"))?;
        }
        // The form that editors know how to jump by.
        Err(error) => {
            let rule = error.rule.as_ref().map(|rule| format!("rule `{}`: ", long(rule))).unwrap_or_default();
            writeln!(out, "{source}:{}:{}: {rule}{}", error.line, error.column, long(&error.message))?;
        }
    }
    Ok(())
}
