//! What only a person does: `init`, `off`, `edit`, `accept`, `reject`, `restore`, `prune`.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use callosum_context::decide;
use callosum_context::error::Problem;
use callosum_context::layout::{FEEDBACK_INBOX, PRIORITIES_INBOX, Place};
use callosum_context::lint::away;
use callosum_context::lock::{Lock, PATIENCE};
use callosum_context::names::is_id;
use callosum_context::prune;
use callosum_context::registry::{PolicyMode, home_of};
use callosum_context::setup::{self, Report};
use callosum_core::model::time::to_rfc3339;
use serde_json::json;

use super::{Here, Stopped};
use crate::output::{counted, json, long};

/// `context init`: makes the folder, records it, and says what was made.
pub(super) fn init(here: &Here, mode: &str, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    here.operator_only("init")?;
    here.zone()?;
    let mode = if mode == "observe" { PolicyMode::Observe } else { PolicyMode::Enforce };
    let (root, at) = (here.root()?, to_rfc3339(here.now.wall_ms));
    let report = setup::init(&root, here.gate.state_dir(), mode, here.gate.instance(), &at)?;
    let mut tender = here.tender_to_write()?;
    tender.save()?;
    let warning = away(&report.dir);
    if as_json {
        let Report { dir, mode, created, exclude, moved_from } = &report;
        let exclude = exclude_of(exclude);
        json(
            out,
            &json!({
                "dir": dir, "mode": mode, "created": created, "exclude": exclude, "warning": warning,
                "movedFrom": moved_from,
            }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "The shared context is {} (policy: {}).",
        long(&report.dir.display().to_string()),
        mode.as_str()
    )?;
    if let Some(from) = &report.moved_from {
        writeln!(
            out,
            "It was moved here from {}; what was decided there holds.",
            long(&from.display().to_string())
        )?;
    }
    match report.created.as_slice() {
        [] => writeln!(out, "Everything was there already; nothing was changed.")?,
        created => writeln!(out, "Made: {}", created.join(", "))?,
    }
    if let Some((file, line)) = &report.exclude {
        writeln!(out, "Added to {}:\n+ {}", long(&file.display().to_string()), long(line))?;
    }
    if let Some(why) = warning {
        writeln!(out, "Warning: {why}; two machines that write there lose entries.")?;
    }
    writeln!(out, "\nWrite what agents should work on under `## Current`: callosum context edit")?;
    Ok(ExitCode::SUCCESS)
}

/// `context off`: sessions are told nothing of the folder any more; its files stay.
pub(super) fn off(here: &Here, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    here.operator_only("off")?;
    let at = to_rfc3339(here.now.wall_ms);
    let report = setup::off(&here.root()?, here.gate.state_dir(), here.gate.instance(), &at)?;
    if as_json {
        json(
            out,
            &json!({ "dir": report.dir, "mode": report.mode, "exclude": exclude_of(&report.exclude) }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "The shared context {} is off. Its files stay.", long(&report.dir.display().to_string()))?;
    if let Some((file, line)) = &report.exclude {
        writeln!(out, "Taken out of {}:\n- {}", long(&file.display().to_string()), long(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn exclude_of(exclude: &Option<(std::path::PathBuf, String)>) -> serde_json::Value {
    exclude.as_ref().map_or(serde_json::Value::Null, |(file, line)| json!({ "file": file, "line": line }))
}

/// A file that a person may name: below the folder, and there.
fn named(here: &Here, file: &str) -> Result<std::path::PathBuf, Problem> {
    let (folder, _) = here.site().folder()?;
    let path = folder.path(Path::new(file))?;
    if path.is_file() {
        return Ok(path);
    }
    Err(Problem::input(
        format!("there is no file `{file}` in `{}`", folder.root().display()),
        "give its path below that folder",
    ))
}

/// `context edit`: opens a file in the editor; as the person leaves it, it counts as theirs.
pub(super) fn edit(here: &Here, file: &str, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    here.operator_only("edit")?;
    let path = named(here, file)?;
    if Place::of(Path::new(file)) == Some(Place::Inbox) {
        let remedy = "`callosum context accept` and `reject` decide about its entries";
        return Err(Problem::input(format!("`{file}` is only appended to"), remedy).into());
    }
    // What was changed before is told before, and the curator waits.
    let (folder, _) = here.site().folder()?;
    let _lock = Lock::take(&home_of(here.gate.state_dir(), folder.root()).join("curator.lock"), PATIENCE)?;
    here.tender_to_write()?.save()?;
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| env::var(name).ok().filter(|editor| !editor.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let script = format!("{editor} \"$1\"");
    let ended = Command::new("/bin/sh").args(["-c", &script, "sh"]).arg(&path).status();
    let is_done = ended.as_ref().is_ok_and(|status| status.success());
    if !is_done {
        let why = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        let remedy = "set VISUAL or EDITOR to an editor that waits until you are done";
        return Err(Problem::input(format!("`{}` ended with {why}", long(&editor)), remedy).into());
    }
    let mut tender = here.tender_to_write()?;
    if Place::of(Path::new(file)) == Some(Place::Curated) {
        tender.accept(file)?;
    }
    tender.save()?;
    match as_json {
        true => json(out, &json!({ "path": path }))?,
        false => writeln!(out, "{} counts as yours as it stands.", long(&path.display().to_string()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `context accept` and `reject`: decides about a proposal, or accepts a protected file as it stands.
pub(super) fn decide(
    here: &Here,
    what: &str,
    is_accepted: bool,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    let word = if is_accepted { "accept" } else { "reject" };
    here.operator_only(word)?;
    let mut tender = here.tender_to_write()?;
    if is_accepted && !is_id(what) && Place::of(Path::new(what)) == Some(Place::Curated) {
        tender.accept(what)?;
        tender.save()?;
        match as_json {
            true => json(out, &json!({ "path": tender.folder().root().join(what), "verdict": "accepted" }))?,
            false => writeln!(out, "`{what}` is accepted as it stands.")?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let now_ms = here.now.wall_ms;
    let proposal = match is_accepted {
        true => decide::accept(&mut tender, what, now_ms)?,
        false => decide::reject(&mut tender, what, now_ms)?,
    };
    tender.save()?;
    let verdict = if is_accepted { "accepted" } else { "rejected" };
    match as_json {
        true => json(
            out,
            &json!({ "id": proposal.id, "agent": proposal.agent, "text": proposal.text, "verdict": verdict }),
        )?,
        false => writeln!(out, "{verdict}: {} ({})", long(&proposal.text), long(&proposal.agent))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `context restore`: puts missing entries back into the inboxes, or a protected file to how its writer left it.
pub(super) fn restore(
    here: &Here,
    file: Option<&str>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    here.operator_only("restore")?;
    let mut tender = here.tender_to_write()?;
    let files = file.map_or_else(|| vec![PRIORITIES_INBOX, FEEDBACK_INBOX], |file| vec![file]);
    let mut restored = Vec::new();
    for file in files {
        if tender.restore(file)? {
            restored.push(file);
        }
    }
    tender.save()?;
    if as_json {
        json(out, &json!({ "restored": restored }))?;
    } else if restored.is_empty() {
        writeln!(out, "Nothing was missing.")?;
    } else {
        writeln!(out, "Restored: {}", restored.join(", "))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `context prune`: archives old files, and deletes what was archived long ago.
pub(super) fn prune(
    here: &Here,
    is_trial: bool,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Stopped> {
    here.operator_only("prune")?;
    let mut tender = here.tender_to_write()?;
    let pruned = prune::prune(&mut tender, here.zone()?, here.now.wall_ms, is_trial)?;
    tender.save()?;
    if as_json {
        json(out, &json!({ "archived": pruned.archived, "deleted": pruned.deleted, "dryRun": is_trial }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = |count: usize| counted(u64::try_from(count).unwrap_or(u64::MAX), "file");
    let word = if is_trial { "Would archive" } else { "Archived" };
    let other = if is_trial { "delete" } else { "deleted" };
    writeln!(out, "{word} {}, {other} {}.", file(pruned.archived.len()), file(pruned.deleted.len()))?;
    Ok(ExitCode::SUCCESS)
}
