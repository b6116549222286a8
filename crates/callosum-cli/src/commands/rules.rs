//! `callosum rules`.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use callosum_core::model::error::StateError;
use callosum_core::query::{Kind, ReadOnlyView, Source, Status, Uncovered};
use callosum_core::rules::lint::lint;
use callosum_core::rules::suggest::{Subject, Suggestion};
use callosum_core::store::state_dir::StateDir;
use callosum_runtimes::settings::json_text::{Misfit, with_elements};
use serde_json::json;

use super::install::file::SettingsFile;
use crate::args::{Args, RulesAction};
use crate::output::{Failure, counted, json, long};

/// What a rules file begins as.
const EMPTY: &str = "{\n  \"extends\": \"default\",\n  \"rules\": []\n}\n";

pub(crate) fn run(args: &Args, action: &RulesAction, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let RulesAction::Suggest { write } = action;
    let view = super::view(args)?;
    let now = view.machine().now();
    let status = view.status(&now);
    let path = own_file(&view, &status)?;
    let mut names: HashSet<String> =
        view.rules_in_force(&now).rules.into_iter().map(|rule| rule.name).collect();
    let suggested = Suggested::of(&status.uncovered, &mut names);
    let is_written = *write && !suggested.rules.is_empty();
    if is_written {
        add(&view, &path, &suggested.rules)?;
    }
    if args.global.json {
        let answer = json!({
            "file": path.display().to_string(),
            "written": is_written,
            "rules": suggested.rules,
            "skipped": suggested.skipped,
        });
        json(out, &answer)?;
    } else {
        for_people(&path, &suggested, is_written, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The file of one's own rules: that in force, or the one that would be.
pub(super) fn own_file(view: &ReadOnlyView, status: &Status) -> Result<PathBuf, Failure> {
    if let Some(degraded) = &status.degraded {
        return Err(Failure::CantLook { fragment: long(&degraded.cause), remedy: long(&degraded.remedy) });
    }
    if let Some(error) = &status.rules.error {
        return Err(Failure::CantLook {
            fragment: format!("the rules file can't be used: {}", long(error)),
            remedy: "fix it first; `callosum check` says what is wrong and where".to_owned(),
        });
    }
    let source = Path::new(&status.rules.source);
    Ok(if source.is_absolute() { source.to_owned() } else { view.state_dir().join("tiers.json") })
}

struct Suggested {
    rules: Vec<Suggestion>,
    /// Names that no rule can be trusted with.
    skipped: usize,
}

impl Suggested {
    /// A rule for each name that sounds like an effect, whichever runtime it came from.
    fn of(uncovered: &[Uncovered], names: &mut HashSet<String>) -> Self {
        let mut suggested = Self { rules: Vec::new(), skipped: 0 };
        let mut seen = BTreeSet::new();
        for entry in uncovered {
            let Some(verb) = entry.verb else { continue };
            if !seen.insert((entry.kind == Kind::Tool, &entry.name)) {
                continue;
            }
            let subject = match entry.kind {
                Kind::Tool => Subject::Tool(&entry.name),
                Kind::Program => Subject::Program(&entry.name),
            };
            match Suggestion::of(subject, verb, names) {
                Some(rule) => suggested.rules.push(rule),
                None => suggested.skipped += 1,
            }
        }
        suggested
    }
}

/// Adds the rules behind those that are in the file.
fn add(view: &ReadOnlyView, path: &Path, rules: &[Suggestion]) -> Result<(), Failure> {
    let remedy = "run this without `--write`, and put in by hand what you want of it";
    change(view, path, ("add rules to", remedy), |text| with_elements(text, "rules", rules))
}

/// Changes one's own rules file, or begins one. All that `edited` leaves as it is in its text stays so. What is wanted, in words
/// before the file's name, and what else to do are told where it can't be done.
pub(super) fn change(
    view: &ReadOnlyView,
    path: &Path,
    (wanted, remedy): (&str, &str),
    edited: impl FnOnce(&str) -> Result<String, Misfit>,
) -> Result<(), Failure> {
    let unchanged = |why: String| Failure::CantChange {
        fragment: format!("can't {wanted} `{}`: {}", long(&path.display().to_string()), long(&why)),
        remedy: format!("nothing was changed; {remedy}"),
    };
    let unusable =
        |error: StateError| Failure::CantLook { fragment: error.in_full(), remedy: error.remedy() };
    StateDir::new(view.state_dir().to_owned()).prepare().map_err(unusable)?;
    let file = SettingsFile::read(path)?;
    let text = str::from_utf8(file.bytes()).map_err(|error| unchanged(error.to_string()))?;
    let text = if file.exists() { text } else { EMPTY };
    let changed = edited(text).map_err(|misfit| unchanged(misfit.message))?;
    if let Some(error) = lint(&changed).errors.first() {
        return Err(unchanged(error.to_string()));
    }
    file.replace(changed.as_bytes())
}

fn for_people(
    path: &Path,
    suggested: &Suggested,
    is_written: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let number = |length: usize, thing| counted(u64::try_from(length).unwrap_or(u64::MAX), thing);
    let (rules, file) = (number(suggested.rules.len(), "rule"), long(&path.display().to_string()));
    if suggested.rules.is_empty() {
        writeln!(
            out,
            "Nothing to suggest: a rule names every tool and program seen that sounds like an effect."
        )?;
    } else if is_written {
        writeln!(out, "Added {rules} to {file}, behind those that were there:")?;
        for rule in &suggested.rules {
            writeln!(out, "  {}  for {}", rule.name, rule.command.as_ref().unwrap_or(&rule.tool))?;
        }
        writeln!(
            out,
            "\nThey only observe: the journal records what they would have paused. Look at their keys, and take `mode` out of those \
             that are to pause."
        )?;
    } else {
        serde_json::to_writer_pretty(&mut *out, &suggested.rules)?;
        writeln!(
            out,
            "\n\n{rules} for what was seen, sounds like an effect, and no rule names. They only observe.\n\
             `callosum rules suggest --write` adds them to {file}."
        )?;
    }
    if suggested.skipped > 0 {
        let names = number(suggested.skipped, "name");
        writeln!(
            out,
            "Left out: {names} with characters that would mean something else in a rule; see `callosum status`."
        )?;
    }
    Ok(())
}
