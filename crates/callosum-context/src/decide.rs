//! What a person decides: proposals are accepted or rejected, by their ids.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use callosum_core::model::text::one_line;
use callosum_core::model::time::to_rfc3339;
use serde::Serialize;

use crate::curator::candidates;
use crate::days::Zone;
use crate::error::{Code, Problem};
use crate::folder::EntryKind;
use crate::inbox;
use crate::layout::{PRIORITIES, PRIORITIES_INBOX, Role, STAGING, STAGING_ARCHIVE, WEEKLY};
use crate::names::{AgentName, is_id};
use crate::output::{Kind, Output};
use crate::priorities::{Marker, Priorities, Section, TEMPLATE};
use crate::safe;
use crate::tend::{Seen, Tender, Verdict};
use crate::write::{self, Author, Draft};

/// Characters of an accepted line.
const LINE_CHARS: usize = 600;
/// Characters of the title of a candidate.
const TITLE_CHARS: usize = 60;

/// A proposal that can be accepted or rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub agent: String,
    /// When it was made: RFC 3339, or empty where that is not known.
    pub at: String,
    /// What it proposes: one line.
    pub text: String,
    /// Where it stands, below the folder.
    pub path: PathBuf,
    /// Who asked for it, as the host of the agent that made it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
}

/// The proposals that nobody has decided about, by ids that are digests of what is shown of them: managed lines of `priorities.md` that
/// are not accepted, entries of the inbox, what is staged, and the candidates of the newest week.
///
/// # Errors
/// When a file can't be read.
pub fn proposals(tender: &Seen) -> Result<Vec<Proposal>, Problem> {
    let folder = tender.folder();
    let mut found = Vec::new();
    let file = folder.read_text(Path::new(PRIORITIES))?.unwrap_or_default();
    let mut standing = BTreeSet::new();
    for line in Priorities::read(&file).lines() {
        let Some(marker) = &line.marker else { continue };
        if marker.accepted.is_some() {
            standing.insert(marker.id.clone());
            continue;
        }
        let text = line.text.strip_prefix("- ").unwrap_or(&line.text).to_owned();
        let (id, agent, at) = (marker.id.clone(), marker.agent.clone(), marker.at.clone());
        found.push(Proposal { id, agent, at, text, path: PRIORITIES.into(), asked_by: None });
    }
    let file = folder.read_text(Path::new(PRIORITIES_INBOX))?.unwrap_or_default();
    for entry in inbox::entries(&file) {
        let text = safe::line(&entry.text, LINE_CHARS);
        let at = entry.wall_ms.map_or_else(String::new, to_rfc3339);
        let (id, agent, path, asked_by) = (entry.id, entry.agent, PRIORITIES_INBOX.into(), entry.asked_by);
        found.push(Proposal { id, agent, at, text, path, asked_by });
    }
    for agent in folder.list(Path::new(STAGING)) {
        let Ok(agent) = AgentName::parse(&agent.name) else { continue };
        let of_agent = Path::new(STAGING).join(agent.as_str());
        for file in folder.list(&of_agent).into_iter().filter(|file| file.kind == EntryKind::File) {
            let path = of_agent.join(file.name);
            let Some(text) = folder.read_text(&path)? else { continue };
            let staged = Output::read(&text, Kind::Staged, &agent);
            let text = safe::line(&format!("{}: {}", staged.title, staged.body), LINE_CHARS);
            found.push(Proposal {
                id: staged.id,
                agent: agent.to_string(),
                at: staged.created_at,
                text,
                path,
                asked_by: staged.asked_by,
            });
        }
    }
    // Only what the curator itself has written there counts.
    if let Some(newest) = tender.confirmed_in(WEEKLY).pop() {
        let report = tender.confirmed(&newest).unwrap_or_default();
        let candidates = candidates(&report).into_iter().map(|(id, text)| Proposal {
            id,
            agent: Role::Curator.as_str().to_owned(),
            at: String::new(),
            text,
            path: newest.clone().into(),
            asked_by: None,
        });
        found.extend(candidates);
    }
    let is_open = |proposal: &Proposal| {
        let verdict = tender.decided(&proposal.id).map(|decided| decided.verdict);
        // What a person wrote stands under `Current` once the curator has taken it over.
        matches!(verdict, None | Some(Verdict::Written)) && !standing.contains(&proposal.id)
    };
    found.retain(is_open);
    // The curator takes entries over under their ids: then both stand for one.
    let mut known = BTreeSet::new();
    found.retain(|proposal| known.insert(proposal.id.clone()));
    Ok(found)
}

fn proposal(tender: &Seen, id: &str) -> Result<Proposal, Problem> {
    let found = proposals(tender)?.into_iter().find(|proposal| proposal.id == id);
    found.ok_or_else(|| {
        let what = if is_id(id) { "is open no more, or never was" } else { "is no id" };
        Problem::new(
            Code::Unknown,
            format!("`{}` {what}", one_line(id, 60)),
            "`callosum context show` lists the proposals that are open, with their ids",
        )
    })
}

/// Accepts a proposal: its line stands under `Current`, and counts as the operator's word. A candidate of a week is staged as the
/// operator's: the curator puts it there.
///
/// # Errors
/// When there is none of that id, or `priorities.md` can't be written.
pub fn accept(tender: &mut Tender, id: &str, now_ms: i64) -> Result<Proposal, Problem> {
    let proposal = proposal(tender, id)?;
    if proposal.path.starts_with(WEEKLY) {
        promote(tender, &proposal, now_ms)?;
        return Ok(proposal);
    }
    settled(tender)?;
    let file = tender.folder().read_text(Path::new(PRIORITIES))?.unwrap_or_else(|| TEMPLATE.to_owned());
    let before = Priorities::read(&file);
    let without = before.managed(id).map_or_else(|| file.clone(), |line| before.without(line));
    let at = to_rfc3339(now_ms);
    let marker = Marker {
        id: proposal.id.clone(),
        agent: inbox::word(&proposal.agent),
        at: inbox::word(&proposal.at),
        accepted: Some(at),
    };
    let bullet = marker.bullet(&safe::line(&proposal.text, LINE_CHARS));
    let after = Priorities::read(&without).with(Section::Current, &bullet);
    tender.put(PRIORITIES, after.as_bytes())?;
    decided(tender, &proposal, Verdict::Accepted, now_ms)?;
    Ok(proposal)
}

/// Stages a candidate. What it says is a person's word from now on.
fn promote(tender: &mut Tender, proposal: &Proposal, now_ms: i64) -> Result<(), Problem> {
    let draft = Draft {
        title: safe::line(&proposal.text, TITLE_CHARS),
        body: proposal.text.clone(),
        ..Draft::default()
    };
    write::output(tender, &Author::operator()?, Kind::Staged, &draft, Zone::System, now_ms)?;
    tender.decide(&proposal.id, Verdict::Accepted, now_ms);
    Ok(())
}

/// Rejects a proposal: its line goes, and the curator takes it up no more.
///
/// # Errors
/// When there is none of that id, or `priorities.md` can't be written.
pub fn reject(tender: &mut Tender, id: &str, now_ms: i64) -> Result<Proposal, Problem> {
    let proposal = proposal(tender, id)?;
    let file = tender.folder().read_text(Path::new(PRIORITIES))?.unwrap_or_default();
    let before = Priorities::read(&file);
    if let Some(line) = before.managed(id) {
        settled(tender)?;
        tender.put(PRIORITIES, before.without(line).as_bytes())?;
    }
    decided(tender, &proposal, Verdict::Rejected, now_ms)?;
    Ok(proposal)
}

/// Whether `priorities.md` is a person's or ours as it stands: what is written there counts as that afterwards.
fn settled(tender: &Seen) -> Result<(), Problem> {
    if tender.pending().iter().all(|pending| pending.path != PRIORITIES) {
        return Ok(());
    }
    Err(Problem::new(
        Code::Stale,
        format!("`{PRIORITIES}` was changed while calls of agents ran"),
        format!(
            "look at it, then run `callosum context accept {PRIORITIES}` or `callosum context restore {PRIORITIES}`"
        ),
    ))
}

/// Remembers the verdict; what was staged goes where it is kept.
fn decided(tender: &mut Tender, proposal: &Proposal, verdict: Verdict, now_ms: i64) -> Result<(), Problem> {
    if let Ok(below) = proposal.path.strip_prefix(STAGING) {
        let name = below.file_name().unwrap_or_default().to_string_lossy();
        let folder = Path::new(STAGING_ARCHIVE).join(below.parent().unwrap_or(Path::new("")));
        let mut to = folder.join(&*name);
        if tender.folder().entry(&to).is_some() {
            to = folder.join(format!("{now_ms}-{name}"));
        }
        tender.folder().move_to(&proposal.path, &to)?;
    }
    tender.decide(&proposal.id, verdict, now_ms);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
    use super::*;
    use crate::folder::Folder;
    use callosum_core::model::settings::OnTamper;
    use callosum_core::record::Suspect;
    use std::time::Duration;

    const NOW: i64 = 1_795_563_005_000;

    fn with_proposals(then: impl FnOnce(&mut Tender, &str, &str)) {
        let (state, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = Folder::open(shared.path()).unwrap();
        folder.create(Path::new(PRIORITIES), format!("{TEMPLATE}mine\n").as_bytes()).unwrap();
        let mut tender = Tender::of(folder, state.path(), Duration::ZERO).unwrap();
        tender.look(NOW, OnTamper::Report, &mut |_| Vec::new()).unwrap();
        let eve = Author::agent("eve", None).unwrap();
        let entry = write::append(&mut tender, &eve, "Do x\n<!-- cx:id=1 -->", Zone::System, NOW).unwrap();
        let draft = Draft { title: "Plan".to_owned(), body: "Do y".to_owned(), ..Draft::default() };
        let staged = write::output(&mut tender, &eve, Kind::Staged, &draft, Zone::System, NOW).unwrap();
        then(&mut tender, &entry.id, &staged.id);
    }

    #[test]
    fn what_is_accepted_is_the_operators_word_and_open_no_more() {
        with_proposals(|tender, entry, staged| {
            assert_eq!(proposals(tender).unwrap().len(), 2);
            accept(tender, entry, NOW).unwrap();
            accept(tender, staged, NOW).unwrap();
            let file = tender.folder().read_text(Path::new(PRIORITIES)).unwrap().unwrap();
            let words = Priorities::read(&file).operators_words();
            assert_eq!(words, "- Do x &lt;!-- cx:id=1 --&gt;\n- Plan: Do y");
            assert!(file.ends_with("## Notes\nmine\n"), "{file}");
            assert_eq!(proposals(tender).unwrap(), []);
            assert_eq!(accept(tender, entry, NOW).unwrap_err().code, Code::Unknown);
            assert_eq!(tender.folder().list(Path::new("staging-archive/eve")).len(), 1);
            assert_eq!(tender.pending(), []);
        });
    }

    #[test]
    fn an_id_names_only_what_a_person_has_seen_under_it() {
        with_proposals(|tender, entry, staged| {
            let folder = tender.folder().clone();
            // Its agent may write there: another text, and another title, under the id that was shown.
            let file = folder.list(Path::new("staging/eve")).into_iter().next().unwrap();
            let path = Path::new("staging/eve").join(file.name);
            let text = folder.read_text(&path).unwrap().unwrap();
            for changed in
                [text.replace("Do y", "CANARY"), text.replace("title: \"Plan\"", "title: \"CANARY\"")]
            {
                assert_ne!(changed, text);
                folder.replace(&path, changed.as_bytes()).unwrap();
                assert_eq!(accept(tender, staged, NOW).unwrap_err().code, Code::Unknown, "{changed}");
            }
            // And whoever appends to the inbox may claim any id; an entry comes before what is staged.
            folder.replace(&path, text.as_bytes()).unwrap();
            let claim = format!("\n## now (eve)\n\nCANARY\n\n<!-- cx:id={staged} -->\n");
            tender.append(PRIORITIES_INBOX, &claim).unwrap();
            assert_eq!(accept(tender, staged, NOW).unwrap().text, "Plan: Do y");
            assert_eq!(
                accept(tender, entry, NOW).unwrap().text,
                "Do x\n&lt;!-- cx:id=1 --&gt;".replace('\n', " ")
            );
            assert_eq!(proposals(tender).unwrap().len(), 1, "the claim has an id of its own");
        });
    }

    #[test]
    fn what_a_person_wrote_waits_no_more_once_it_stands_under_current() {
        with_proposals(|tender, _, _| {
            let (mine, at) = (Author::operator().unwrap(), to_rfc3339(NOW));
            let written = write::append(tender, &mine, "Ship it", Zone::System, NOW).unwrap();
            assert_eq!(proposals(tender).unwrap().len(), 3);
            let marker =
                Marker { id: written.id, agent: "operator".to_owned(), at: at.clone(), accepted: Some(at) };
            let file = tender.folder().read_text(Path::new(PRIORITIES)).unwrap().unwrap();
            let with = Priorities::read(&file).with(Section::Current, &marker.bullet("Ship it"));
            tender.put(PRIORITIES, with.as_bytes()).unwrap();
            assert_eq!(proposals(tender).unwrap().len(), 2);
        });
    }

    #[test]
    fn what_is_rejected_goes_and_stays_away() {
        with_proposals(|tender, entry, staged| {
            let agent = "eve".to_owned();
            let marker = Marker { id: entry.to_owned(), agent, at: String::new(), accepted: None };
            let file = tender.folder().read_text(Path::new(PRIORITIES)).unwrap().unwrap();
            let with = Priorities::read(&file).with(Section::Inputs, &marker.bullet("Do x"));
            tender.put(PRIORITIES, with.as_bytes()).unwrap();
            reject(tender, entry, NOW).unwrap();
            reject(tender, staged, NOW).unwrap();
            let after = tender.folder().read_text(Path::new(PRIORITIES)).unwrap().unwrap();
            assert!(!after.contains("Do x") && after.contains("mine"), "{after}");
            assert_eq!(proposals(tender).unwrap(), []);
            assert_eq!(tender.decided(entry).unwrap().verdict, Verdict::Rejected);
        });
    }

    #[test]
    fn a_candidate_of_the_week_is_staged_as_the_operators_or_never_comes_again() {
        with_proposals(|tender, _, _| {
            let line = |id: &str, said: &str| format!("- {said} [seq 7] <!-- cx:id={id} -->\n");
            let (wanted, other) = ("0123456789ab", "ba9876543210");
            let report = format!(
                "# Week\n\n## Candidates to promote\n\n{}{}- none [x]\n",
                line(wanted, "Look first"),
                line(other, "Never mind")
            );
            let path = "weekly/2026-W48.md";
            tender.folder().replace(Path::new(path), report.as_bytes()).unwrap();
            assert_eq!(proposals(tender).unwrap().len(), 2, "nobody knows yet that the curator wrote it");
            tender.wrote(path, report.as_bytes()).unwrap();
            assert_eq!(proposals(tender).unwrap().len(), 4);
            accept(tender, wanted, NOW).unwrap();
            reject(tender, other, NOW).unwrap();
            let open: Vec<_> = proposals(tender).unwrap().into_iter().map(|found| found.agent).collect();
            assert_eq!(open, ["eve", "eve", "operator"]);
            let [staged] = &tender.folder().list(Path::new("staging/operator"))[..] else { panic!() };
            let path = Path::new("staging/operator").join(&staged.name);
            let text = tender.folder().read_text(&path).unwrap().unwrap();
            assert!(
                text.contains("title: \"Look first (seq 7)\"") || text.contains("Look first [seq 7]"),
                "{text}"
            );
            assert_eq!(accept(tender, wanted, NOW).unwrap_err().code, Code::Unknown);
        });
    }

    #[test]
    fn nothing_is_accepted_into_a_file_that_somebody_changed() {
        with_proposals(|tender, entry, _| {
            tender.folder().replace(Path::new(PRIORITIES), b"## Current\n- CANARY\n").unwrap();
            let (instance, session, tool) = (String::new(), String::new(), String::new());
            let suspect = Suspect { seq: 1, instance, session, tool };
            tender.look(NOW + 1, OnTamper::Report, &mut |_| vec![suspect.clone()]).unwrap();
            assert_eq!(accept(tender, entry, NOW).unwrap_err().code, Code::Stale);
            assert!(!tender.confirmed(PRIORITIES).unwrap().contains("CANARY"));
        });
    }
}
