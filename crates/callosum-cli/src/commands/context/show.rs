//! What is there: `show` and `lint`.

use std::io::Write;
use std::process::ExitCode;

use callosum_context::decide::proposals;
use callosum_context::lint;
use callosum_context::lock::PATIENCE;
use callosum_context::read;
use callosum_core::query::Source;
use serde_json::json;

use super::{Here, Stopped};
use crate::output::{heading, json, local_time, long, name, said, table};

/// Sessions that showed a sign of life in so many milliseconds are listed.
const SESSIONS_MS: u64 = 24 * 3_600_000;

pub(super) fn show(here: &Here, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    let (_, recorded) = here.site().folder()?;
    let mut tender = here.tender(PATIENCE)?;
    tender.save()?;
    let told = read::text(&tender, here.site().max_chars(), None, here.zone()?, here.now.wall_ms);
    let text = told.map(|told| told.text).unwrap_or_default();
    let open = proposals(&tender)?;
    let sessions = here.gate.sessions(SESSIONS_MS, &here.now)?;
    // Only what was done is told: a session that nothing of ours told anything knows nothing of it.
    let sessions = sessions.iter().map(|session| {
        let how = tender.told(&session.session).map_or("none", |told| told.how.as_str());
        (session.session.clone(), how)
    });
    let pending = tender.pending();
    if as_json {
        let sessions =
            sessions.map(|(session, how)| json!({ "session": session, "how": how })).collect::<Vec<_>>();
        json(
            out,
            &json!({
                "dir": recorded.path,
                "mode": recorded.mode,
                "text": text,
                "sessions": sessions,
                "proposals": open,
                "pending": pending,
            }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{} (policy: {})", long(&recorded.path.display().to_string()), recorded.mode.as_str())?;
    for pending in &pending {
        writeln!(out, "Changed by something other than its writer: {}", long(&pending.path))?;
    }
    if !pending.is_empty() {
        writeln!(out, "`callosum context lint` says what to do about it.")?;
    }
    writeln!(out, "\n{}", heading("What a session is told"))?;
    match text.is_empty() {
        true => writeln!(out, "Nothing: nothing stands under `## Current` in priorities.md.")?,
        false => writeln!(out, "{text}")?,
    }
    let rows = open.iter().map(|proposal| {
        let at = if proposal.at.is_empty() { String::new() } else { local_time(&proposal.at) };
        vec![proposal.id.clone(), name(&proposal.agent), at, said(&proposal.text)]
    });
    table(out, Some("Proposals"), &["ID", "AGENT", "AT", "TEXT"], rows)?;
    table(
        out,
        Some("Sessions"),
        &["SESSION", "TOLD BY"],
        sessions.map(|(session, how)| vec![name(&session), how.to_owned()]),
    )?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn lint(here: &Here, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    let mut tender = here.tender(PATIENCE)?;
    tender.save()?;
    let findings = lint::lint(&tender);
    let code = ExitCode::from(u8::from(!findings.is_empty()));
    if as_json {
        json(out, &json!({ "ok": findings.is_empty(), "findings": findings }))?;
        return Ok(code);
    }
    for finding in &findings {
        let path = if finding.path.is_empty() { "the folder" } else { &finding.path };
        writeln!(out, "{}: {}", long(path), long(&finding.what))?;
        writeln!(out, "        to fix it: {}", long(&finding.remedy))?;
    }
    if findings.is_empty() {
        writeln!(out, "Nothing is wrong.")?;
    }
    Ok(code)
}
