//! Writing into the folder, as everybody may: what an agent produced, what it proposes, feedback, figures.

use std::path::{Path, PathBuf};

use callosum_core::model::text::one_line;
use callosum_core::model::time::{from_rfc3339, to_rfc3339};
use serde::Serialize;

use crate::days::Zone;
use crate::error::Problem;
use crate::feedback::{self, Feedback};
use crate::folder::EntryKind;
use crate::inbox;
use crate::kpi;
use crate::layout::{self, FEEDBACK_INBOX, OUTPUTS, PRIORITIES_INBOX, Role};
use crate::limits;
use crate::names::{AgentName, slug};
use crate::output::{Kind, Output};
use crate::safe;
use crate::tend::{Tender, Verdict};

/// Files of the same second and title at most.
const MOST_ALIKE: usize = 50;
/// Days of an agent's outputs in which an equal one is looked for.
const DAYS_ALIKE: usize = 31;

/// Who writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// Whose it is, as far as is known.
    pub agent: AgentName,
    /// Who it is said to be of, where that is somebody else.
    pub claimed_agent: Option<String>,
    /// Whether that is an agent or a person.
    pub role: Role,
    /// The instance whose agent it is.
    pub instance: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// Its runtime.
    pub runtime: Option<String>,
    /// The host's id of the call.
    pub call: Option<String>,
    /// Who asked for it, as the host says: [`OWNER`], where that is the agent's owner.
    pub asked_by: Option<String>,
}

/// Who asked, where that is the owner of the agent that writes.
pub const OWNER: &str = "owner";

impl Author {
    /// A person.
    ///
    /// # Errors
    /// Never: the operator's name is one.
    pub fn operator() -> Result<Self, Problem> {
        Ok(Self {
            agent: AgentName::parse(Role::Operator.as_str())?,
            claimed_agent: None,
            role: Role::Operator,
            instance: None,
            session: None,
            runtime: None,
            call: None,
            asked_by: None,
        })
    }

    /// An agent of this name, as its host says. `claimed` is who it says that it is: noted only, where that is somebody else.
    ///
    /// # Errors
    /// When one of these can't be an agent's name.
    pub fn agent(name: &str, claimed: Option<&str>) -> Result<Self, Problem> {
        let agent = AgentName::parse(name)?;
        if [Role::Operator, Role::Curator].iter().any(|role| role.as_str() == agent.as_str()) {
            return Err(Problem::input(
                format!("no agent can be called `{agent}`: that is somebody else's name"),
                "give the agent another name in its runtime",
            ));
        }
        let claimed_agent = claimed.map(AgentName::parse).transpose()?.filter(|claimed| *claimed != agent);
        Ok(Self {
            agent,
            claimed_agent: claimed_agent.map(|name| name.to_string()),
            role: Role::Agent,
            instance: None,
            session: None,
            runtime: None,
            call: None,
            asked_by: None,
        })
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// Its id.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// Whose it is.
    pub agent: String,
    /// Who it is said to be of, where that is somebody else.
    pub claimed_agent: Option<String>,
    /// Who asked for it, as the host says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// The item that said the same: nothing was written then.
    pub duplicate_of: Option<String>,
    /// Secrets that were taken out.
    pub redacted: usize,
}

/// What an output or a proposal is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// See [`Output`].
    pub tags: Vec<String>,
    /// See [`Output`].
    pub entities: Vec<String>,
    /// See [`Output`].
    pub refs: Vec<String>,
    /// See [`Output`].
    pub expires_at: Option<String>,
    /// See [`Output`].
    pub supersedes: Option<String>,
}

/// Writes something that an agent produced, or proposes.
///
/// # Errors
/// When it has no title or text, a limit is reached, or it can't be written.
pub fn output(
    tender: &mut Tender,
    author: &Author,
    kind: Kind,
    draft: &Draft,
    zone: Zone,
    now_ms: i64,
) -> Result<Written, Problem> {
    let title = safe::line(&draft.title, limits::TITLE_CHARS);
    let body = safe::body(&draft.body);
    for (name, text) in [("title", &title), ("body", &body.text)] {
        if text.is_empty() {
            return Err(Problem::input(format!("the {name} is empty"), format!("give one by `--{name}`")));
        }
    }
    if let Some(expires) = draft.expires_at.as_deref().filter(|at| from_rfc3339(at).is_none()) {
        return Err(Problem::input(
            format!("`{}` is no moment", one_line(expires, 60)),
            "give an RFC 3339 time such as 2026-01-31T09:00:00Z",
        ));
    }
    let texts = |texts: &[String]| safe::list(texts.iter().map(String::as_str));
    let output = Output {
        kind,
        id: Output::id_of(kind, &author.agent, &title, &body.text),
        agent: author.agent.clone(),
        claimed_agent: author.claimed_agent.clone(),
        created_at: to_rfc3339(now_ms),
        title,
        instance: author.instance.clone(),
        session: author.session.clone(),
        runtime: author.runtime.clone(),
        call: author.call.clone(),
        asked_by: author.asked_by.clone(),
        tags: texts(&draft.tags),
        entities: texts(&draft.entities),
        refs: texts(&draft.refs),
        expires_at: draft.expires_at.clone(),
        supersedes: draft.supersedes.as_deref().map(|id| safe::line(id, limits::LIST_CHARS)),
        body: body.text,
    };
    let root = tender.folder().root().to_owned();
    let written = |path: &Path, duplicate_of: Option<String>| Written {
        id: output.id.clone(),
        path: root.join(path),
        agent: author.agent.to_string(),
        claimed_agent: author.claimed_agent.clone(),
        asked_by: author.asked_by.clone(),
        duplicate_of,
        redacted: body.redacted,
    };
    if let Some(known) = alike(tender, &output) {
        return Ok(written(&known, Some(output.id.clone())));
    }
    let text = output.to_text();
    check(tender, author, text.len(), zone, now_ms)?;
    let (day, time) = zone.at(now_ms);
    let folder = match kind {
        Kind::Output => layout::outputs(&author.agent, day),
        Kind::Staged => layout::staging(&author.agent),
    };
    let name = match kind {
        Kind::Output => format!("{time}-{}", slug(&output.title)),
        Kind::Staged => format!("{day}-{time}-{}", slug(&output.title)),
    };
    for number in 1..=MOST_ALIKE {
        let more = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{name}{more}.md"));
        if tender.folder().create(&path, text.as_bytes())? {
            if kind == Kind::Staged {
                note(tender, author, &output.id, now_ms);
            }
            return Ok(written(&path, None));
        }
    }
    Err(Problem::input(
        format!("{MOST_ALIKE} files of that title and second are there"),
        "give another title",
    ))
}

/// The file of the same agent that says the same.
fn alike(tender: &Tender, output: &Output) -> Option<PathBuf> {
    let folder = tender.folder();
    let folders: Vec<PathBuf> = match output.kind {
        Kind::Staged => vec![layout::staging(&output.agent)],
        Kind::Output => {
            let of_agent = Path::new(OUTPUTS).join(output.agent.as_str());
            let days = folder.list(&of_agent).into_iter().rev().take(DAYS_ALIKE);
            days.map(|day| of_agent.join(day.name)).collect()
        }
    };
    let files = folders.iter().flat_map(|day| {
        let files = folder.list(day).into_iter().filter(|entry| entry.kind == EntryKind::File);
        files.take(limits::ITEMS_A_DAY * 2).map(|entry| day.join(entry.name))
    });
    files.into_iter().find(|path| {
        let text = folder.read_text(path).ok().flatten();
        let known = text.map(|text| Output::read(&text, output.kind, &output.agent));
        known.is_some_and(|known| match output.kind {
            Kind::Output => known.body == output.body,
            Kind::Staged => known.id == output.id,
        })
    })
}

/// Whether an item of so many bytes may come. People are not counted.
fn check(tender: &Tender, author: &Author, bytes: usize, zone: Zone, now_ms: i64) -> Result<(), Problem> {
    let of_agent = match author.role {
        Role::Agent => used(tender, &author.agent, zone, now_ms),
        Role::Curator | Role::Operator => (0, 0),
    };
    limits::check(bytes, of_agent, tender.folder().bytes().saturating_add(tender.bytes()))
}

/// Items and bytes of an agent today.
fn used(tender: &Tender, agent: &AgentName, zone: Zone, now_ms: i64) -> (usize, u64) {
    let folder = tender.folder();
    let (today, _) = zone.at(now_ms);
    let mut sizes: Vec<u64> = Vec::new();
    sizes.extend(folder.list(&layout::outputs(agent, today)).iter().map(|entry| entry.bytes));
    let staged = folder.list(&layout::staging(agent));
    sizes
        .extend(staged.iter().filter(|entry| zone.at(entry.modified_ms).0 == today).map(|entry| entry.bytes));
    let text = |path: &str| folder.read_text(Path::new(path)).ok().flatten().unwrap_or_default();
    let is_today = |wall_ms: Option<i64>| wall_ms.is_some_and(|at| zone.at(at).0 == today);
    let entries = inbox::entries(&text(PRIORITIES_INBOX)).into_iter();
    // Whose the rest is, it only claims: nobody reaches a limit by what another one appends.
    let is_of_agent = |entry: &inbox::Entry| entry.agent == agent.as_str() && tender.is_written(&entry.id);
    let entries = entries.filter(|entry| is_of_agent(entry) && is_today(entry.wall_ms));
    sizes.extend(entries.map(|entry| entry.range.len() as u64));
    for (given, line) in feedback::read(&text(FEEDBACK_INBOX)).0 {
        if given.by == agent.as_str() && tender.is_written(&given.id) && is_today(from_rfc3339(&given.at)) {
            sizes.push(line.len() as u64);
        }
    }
    (sizes.len(), sizes.iter().sum())
}

/// Appends something that should be worked on to the inbox of the priorities.
///
/// # Errors
/// When it says nothing, a limit is reached, or it can't be written.
pub fn append(
    tender: &mut Tender,
    author: &Author,
    text: &str,
    zone: Zone,
    now_ms: i64,
) -> Result<Written, Problem> {
    let body = safe::body(text);
    if body.text.is_empty() {
        return Err(Problem::input("the text is empty", "say what should be worked on"));
    }
    let marks = [("session", &author.session), ("asked", &author.asked_by)];
    let marks: Vec<(&str, &str)> =
        marks.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
    let (entry, id) = inbox::to_append(&author.agent, now_ms, &marks, &body.text);
    let said = safe::without_headings(&body.text);
    let before = tender.folder().read_text(Path::new(PRIORITIES_INBOX))?.unwrap_or_default();
    let today = zone.at(now_ms).0;
    let known = inbox::entries(&before).into_iter().find(|known| {
        known.agent == author.agent.as_str()
            && known.text == said
            && tender.is_written(&known.id)
            && known.wall_ms.is_some_and(|at| zone.at(at).0 == today)
    });
    let written = |id: String, duplicate_of| Written {
        id,
        path: tender.folder().root().join(PRIORITIES_INBOX),
        agent: author.agent.to_string(),
        claimed_agent: author.claimed_agent.clone(),
        asked_by: author.asked_by.clone(),
        duplicate_of,
        redacted: body.redacted,
    };
    if let Some(known) = known {
        return Ok(written(known.id.clone(), Some(known.id)));
    }
    let written = written(id.clone(), None);
    check(tender, author, entry.len(), zone, now_ms)?;
    tender.append(PRIORITIES_INBOX, &entry)?;
    note(tender, author, &id, now_ms);
    Ok(written)
}

/// Appends feedback to its inbox. Who gave it and when is set here.
///
/// # Errors
/// When a field is wrong, a limit is reached, or it can't be written.
pub fn feedback(
    tender: &mut Tender,
    author: &Author,
    given: Feedback,
    zone: Zone,
    now_ms: i64,
) -> Result<Written, Problem> {
    let redacted = safe::body(&given.reason).redacted;
    let by = match author.role {
        Role::Operator => Role::Operator.as_str().to_owned(),
        Role::Agent | Role::Curator => author.agent.to_string(),
    };
    let (session, asked_by) = (author.session.clone(), author.asked_by.clone());
    let given = Feedback { by, at: to_rfc3339(now_ms), session, asked_by, ..given }.checked()?;
    let line = given.to_line().map_err(|error| {
        Problem::input(format!("this feedback can't be written: {error}"), "leave out the confidence")
    })?;
    let before = tender.folder().read_text(Path::new(FEEDBACK_INBOX))?.unwrap_or_default();
    let is_same = |known: &Feedback| {
        let is_written = tender.is_written(&known.id);
        let known = Feedback {
            at: given.at.clone(),
            id: given.id.clone(),
            session: given.session.clone(),
            asked_by: given.asked_by.clone(),
            ..known.clone()
        };
        is_written && known == given
    };
    let known =
        feedback::read(&before).0.into_iter().map(|(known, _)| known).find(is_same).map(|known| known.id);
    let written = Written {
        id: known.clone().unwrap_or_else(|| given.id.clone()),
        path: tender.folder().root().join(FEEDBACK_INBOX),
        agent: author.agent.to_string(),
        claimed_agent: author.claimed_agent.clone(),
        asked_by: author.asked_by.clone(),
        duplicate_of: known,
        redacted,
    };
    if written.duplicate_of.is_none() {
        check(tender, author, line.len(), zone, now_ms)?;
        // A line that somebody tore must not swallow this one.
        let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        tender.append(FEEDBACK_INBOX, &format!("{end}{line}"))?;
        note(tender, author, &written.id, now_ms);
    }
    Ok(written)
}

/// Replaces an agent's figures.
///
/// # Errors
/// When they are no JSON object, a limit is reached, or they can't be written.
pub fn kpi(
    tender: &Tender,
    author: &Author,
    values: &str,
    zone: Zone,
    now_ms: i64,
) -> Result<Written, Problem> {
    let text = kpi::to_text(&author.agent, &to_rfc3339(now_ms), values)?;
    // Only its size counts: it takes the place of the one before.
    let of_curator = Author { role: Role::Curator, ..author.clone() };
    check(tender, &of_curator, text.len(), zone, now_ms)?;
    let path = layout::kpi(&author.agent);
    tender.folder().replace(&path, text.as_bytes())?;
    Ok(Written {
        id: crate::names::id(&["kpi", author.agent.as_str(), &text]),
        path: tender.folder().root().join(path),
        agent: author.agent.to_string(),
        claimed_agent: author.claimed_agent.clone(),
        asked_by: author.asked_by.clone(),
        duplicate_of: None,
        redacted: safe::body(values).redacted,
    })
}

/// A command of ours wrote it, and what a person wrote is that person's word. The file can't say so: whoever appends to it could.
fn note(tender: &mut Tender, author: &Author, id: &str, now_ms: i64) {
    tender.has_written(id, now_ms);
    if author.role == Role::Operator {
        tender.decide(id, Verdict::Written, now_ms);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::error::Code;
    use crate::feedback::Decision;
    use crate::folder::Folder;
    use std::fs;
    use std::time::Duration;

    const NOW: i64 = 1_795_563_005_000;

    fn author(name: &str) -> Author {
        Author { agent: AgentName::parse(name).unwrap(), ..Author::agent("x", None).unwrap() }
    }

    fn draft(body: &str) -> Draft {
        Draft { title: "A title".to_owned(), body: body.to_owned(), ..Draft::default() }
    }

    fn with_tender(then: impl FnOnce(&mut Tender)) {
        let (state, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = Folder::open(shared.path()).unwrap();
        let mut tender = Tender::of(folder, state.path(), Duration::ZERO).unwrap();
        tender.look(NOW, Default::default(), &mut |_| Vec::new()).unwrap();
        then(&mut tender);
    }

    fn write(tender: &mut Tender, name: &str, body: &str) -> Result<Written, Problem> {
        output(tender, &author(name), Kind::Output, &draft(body), Zone::named(Some("UTC")).unwrap(), NOW)
    }

    #[test]
    fn an_equal_body_is_the_same_file_and_another_never_takes_its_place() {
        with_tender(|tender| {
            let first = write(tender, "bob", "One").unwrap();
            assert!(
                first.path.ends_with("agent-outputs/bob/2026-11-24/233005-a-title.md"),
                "{:?}",
                first.path
            );
            let again = write(tender, "bob", "One\n").unwrap();
            assert_eq!((&again.path, again.duplicate_of.as_ref()), (&first.path, Some(&first.id)));
            let second = write(tender, "bob", "Two").unwrap();
            assert!(second.path.ends_with("233005-a-title-2.md"), "{:?}", second.path);
            let others = write(tender, "eve", "One").unwrap();
            assert_eq!(others.duplicate_of, None);
            let text = fs::read_to_string(&first.path).unwrap();
            assert_eq!(Output::read(&text, Kind::Output, &first_agent("bob")).body, "One");
        });
    }

    fn first_agent(name: &str) -> AgentName {
        AgentName::parse(name).unwrap()
    }

    #[test]
    fn a_limit_refuses_with_its_number_and_nothing_is_written() {
        with_tender(|tender| {
            for number in 0..limits::ITEMS_A_DAY {
                write(tender, "bob", &number.to_string()).unwrap();
            }
            let files = tender.folder().list(Path::new("agent-outputs/bob/2026-11-24")).len();
            let refused = write(tender, "bob", "more").unwrap_err();
            assert_eq!((refused.code, refused.message.contains("50")), (Code::Limit, true));
            assert_eq!(
                append(tender, &author("bob"), "more", Zone::named(Some("UTC")).unwrap(), NOW)
                    .unwrap_err()
                    .code,
                Code::Limit
            );
            assert_eq!(tender.folder().list(Path::new("agent-outputs/bob/2026-11-24")).len(), files);
            assert_eq!(write(tender, "eve", &"x".repeat(limits::ITEM_BYTES)).unwrap_err().code, Code::Limit);
            assert!(tender.folder().list(Path::new("agent-outputs/eve")).is_empty());
        });
    }

    #[test]
    fn nobody_reaches_a_limit_or_is_silenced_by_what_another_appends_in_their_name() {
        with_tender(|tender| {
            let utc = Zone::named(Some("UTC")).unwrap();
            let (bob, at) = (author("bob"), to_rfc3339(NOW));
            let line = r#"{"agent":"x","decision":"rejected","reason":"No","by":"bob","at":"AT"}"#
                .replace("AT", &at);
            for number in 0..limits::ITEMS_A_DAY {
                let (entry, _) = inbox::to_append(&bob.agent, NOW, &[], &number.to_string());
                tender.append(PRIORITIES_INBOX, &entry).unwrap();
                tender.append(FEEDBACK_INBOX, &format!("{line}\n")).unwrap();
            }
            assert_eq!(append(tender, &bob, "7", utc, NOW + 1).unwrap().duplicate_of, None);
            let given: Feedback = serde_json::from_str(&line).unwrap();
            assert_eq!(feedback(tender, &bob, given, utc, NOW + 1).unwrap().duplicate_of, None);
            assert!(write(tender, "bob", "One").is_ok());
        });
    }

    #[test]
    fn secrets_stay_out_and_bad_input_is_named() {
        with_tender(|tender| {
            let told = write(tender, "bob", "token ghp_0123456789abcdefghijABCDEFGHIJ012345").unwrap();
            assert_eq!(told.redacted, 1);
            assert!(!fs::read_to_string(told.path).unwrap().contains("ghp_"));
            assert!(write(tender, "bob", " \n").unwrap_err().message.contains("body"));
            let late = Draft { expires_at: Some("tomorrow".to_owned()), ..draft("x") };
            assert!(output(tender, &author("bob"), Kind::Output, &late, Zone::System, NOW).is_err());
        });
    }

    #[test]
    fn what_a_person_gives_is_known_by_the_state_and_not_by_the_file() {
        with_tender(|tender| {
            let given: Feedback = serde_json::from_str(
                r#"{"agent":"bob","decision":"rejected","reason":"No","by":"operator"}"#,
            )
            .unwrap();
            let utc = Zone::named(Some("UTC")).unwrap();
            let by_agent = feedback(tender, &author("eve"), given.clone(), utc, NOW).unwrap();
            assert_eq!(tender.decided(&by_agent.id), None);
            let person = Author { role: Role::Operator, ..author("operator") };
            let by_person = feedback(tender, &person, given.clone(), utc, NOW).unwrap();
            assert_eq!(tender.decided(&by_person.id).unwrap().verdict, Verdict::Written);
            assert_eq!(
                feedback(tender, &person, given, utc, NOW + 1).unwrap().duplicate_of,
                Some(by_person.id)
            );
            let staged = output(tender, &person, Kind::Staged, &draft("Mine"), utc, NOW).unwrap();
            assert_eq!(tender.decided(&staged.id).unwrap().verdict, Verdict::Written);
            let theirs = output(tender, &author("eve"), Kind::Staged, &draft("Theirs"), utc, NOW).unwrap();
            assert_eq!(tender.decided(&theirs.id), None);
            let lines = tender.folder().read_text(Path::new(FEEDBACK_INBOX)).unwrap().unwrap();
            let (read, skipped) = feedback::read(&lines);
            assert_eq!((read.len(), skipped), (2, 0));
            assert_eq!(
                read.first().map(|(given, _)| (given.by.as_str(), given.decision)),
                Some(("eve", Decision::Rejected))
            );
        });
    }

    #[test]
    fn entries_are_appended_behind_each_other_and_said_twice_on_a_day_are_one() {
        with_tender(|tender| {
            let utc = Zone::named(Some("UTC")).unwrap();
            let first = append(tender, &author("bob"), "# Ship", utc, NOW).unwrap();
            assert_eq!(
                append(tender, &author("bob"), "# Ship", utc, NOW + 5).unwrap().duplicate_of,
                Some(first.id)
            );
            append(tender, &author("eve"), "# Ship", utc, NOW).unwrap();
            let text = tender.folder().read_text(Path::new(PRIORITIES_INBOX)).unwrap().unwrap();
            assert_eq!(inbox::entries(&text).len(), 2);
            assert_eq!(tender.look(NOW + 9, Default::default(), &mut |_| Vec::new()).unwrap().changes, []);
        });
    }
}
