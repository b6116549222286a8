//! `callosum search` and `digest`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use callosum_team::error::{Code, Refusal};
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{json, name, said};

use super::words::Search;
use super::{Answer, ask};

pub(super) fn search(args: &Args, wanted: &Search, out: &mut dyn Write) -> Answer {
    let answer = ask(args, "search", json!({ "query": wanted.query.join(" "), "limit": wanted.limit }))?;
    let found = answer.get("related_turns").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if args.global.json {
        json(out, &answer)?;
    } else if found.is_empty() {
        writeln!(out, "Nothing like that was found.")?;
    } else {
        for one in found {
            let score = one.get("score").and_then(Value::as_f64).unwrap_or_default();
            let text = |field: &str| one.get(field).and_then(Value::as_str).unwrap_or_default();
            writeln!(out, "{score:.2}  {}  {}", name(text("source")), said(text("preview")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn digest(args: &Args, file: Option<&Path>, out: &mut dyn Write) -> Answer {
    let digest = ask(args, "digest", Value::Null)?;
    let text = digest.get("text").and_then(Value::as_str).unwrap_or_default();
    if let Some(file) = file {
        std::fs::write(file, text).map_err(|error| {
            let message = format!("can't write `{}`: {error}", said(&file.display().to_string()));
            Refusal::new(Code::CannotWrite, message, "check that this user may write there")
        })?;
    }
    if args.global.json {
        json(out, &digest)?;
    } else if file.is_none() {
        write!(out, "{text}")?;
    }
    Ok(ExitCode::SUCCESS)
}
