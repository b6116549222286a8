//! What an agent produced, or proposes: a Markdown file with a head.

use serde_json::{Map, Value};

use crate::frontmatter;
use crate::names::{AgentName, id};

/// What such a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something that an agent produced.
    Output,
    /// Something that an agent proposes.
    Staged,
}

impl Kind {
    /// As the head names it: `agent_output` is Engram's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Output => "agent_output",
            Self::Staged => "staged",
        }
    }
}

/// One such file. Moments are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What it is.
    pub kind: Kind,
    /// Its id: the same for the same body by the same agent; of a staged item, for the same title and body.
    pub id: String,
    /// Who wrote it, as the gate says.
    pub agent: AgentName,
    /// Who it says wrote it, where that is somebody else.
    pub claimed_agent: Option<String>,
    /// When.
    pub created_at: String,
    /// Its title: one line.
    pub title: String,
    /// The instance whose agent wrote it: two may have agents of one name.
    pub instance: Option<String>,
    /// The session that wrote it.
    pub session: Option<String>,
    /// That session's runtime.
    pub runtime: Option<String>,
    /// The host's id of the call that wrote it.
    pub call: Option<String>,
    /// Who asked the agent for it, as the host says: `owner`, where that is its owner.
    pub asked_by: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What it is about.
    pub entities: Vec<String>,
    /// What proves it: context keys and sequence numbers of the journal.
    pub refs: Vec<String>,
    /// When it is no longer true.
    pub expires_at: Option<String>,
    /// The id of the item that it takes the place of.
    pub supersedes: Option<String>,
    /// The text: Markdown.
    pub body: String,
}

impl Output {
    /// The id of such an item. A person decides on a staged one by its id: it is made of all that is shown of it.
    #[must_use]
    pub fn id_of(kind: Kind, agent: &AgentName, title: &str, body: &str) -> String {
        match kind {
            Kind::Output => id(&[kind.as_str(), agent.as_str(), body]),
            Kind::Staged => id(&[kind.as_str(), agent.as_str(), title, body]),
        }
    }

    /// As it stands in the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let maybe = |text: &Option<String>| text.clone().map_or(Value::Null, Value::from);
        let list =
            |items: &[String]| if items.is_empty() { Value::Null } else { Value::from(items.to_vec()) };
        let head = frontmatter::head(&[
            ("kind", self.kind.as_str().into()),
            ("id", self.id.as_str().into()),
            ("agent", self.agent.as_str().into()),
            ("claimedAgent", maybe(&self.claimed_agent)),
            ("createdAt", self.created_at.as_str().into()),
            ("title", self.title.as_str().into()),
            ("instance", maybe(&self.instance)),
            ("session", maybe(&self.session)),
            ("runtime", maybe(&self.runtime)),
            ("call", maybe(&self.call)),
            ("askedBy", maybe(&self.asked_by)),
            ("tags", list(&self.tags)),
            ("entities", list(&self.entities)),
            ("refs", list(&self.refs)),
            ("expiresAt", maybe(&self.expires_at)),
            ("supersedes", maybe(&self.supersedes)),
        ]);
        format!("{head}\n{}\n", self.body)
    }

    /// Reads such a file. `agent` is whose folder it lies in: only that agent is let there, so another name in the file is a
    /// claim. What others wrote without a head is an output, too; its title is its first heading or line.
    #[must_use]
    pub fn read(text: &str, kind: Kind, agent: &AgentName) -> Self {
        let (fields, body) = frontmatter::split(text).unwrap_or_else(|| (Map::new(), text));
        let body = body.trim_start_matches(['\r', '\n']).trim_end().to_owned();
        let said = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| match fields.get(name) {
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect(),
            Some(Value::String(item)) if !item.is_empty() => vec![item.clone()],
            _ => Vec::new(),
        };
        let first =
            body.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
        let other = |name: &String| name != agent.as_str();
        let title = said("title").or_else(|| first.map(str::to_owned)).unwrap_or_default();
        // What a staged file says of its id, its agent could keep while it changes the rest.
        let claimed = said("id").filter(|_| kind == Kind::Output);
        Self {
            kind,
            id: claimed.unwrap_or_else(|| Self::id_of(kind, agent, &title, &body)),
            agent: agent.clone(),
            claimed_agent: said("claimedAgent").or_else(|| said("agent")).filter(other),
            created_at: said("createdAt").unwrap_or_default(),
            title,
            instance: said("instance"),
            session: said("session"),
            runtime: said("runtime"),
            call: said("call"),
            asked_by: said("askedBy"),
            tags: list("tags"),
            entities: list("entities"),
            refs: list("refs"),
            expires_at: said("expiresAt"),
            supersedes: said("supersedes"),
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn output() -> Output {
        let agent = AgentName::parse("bob").unwrap();
        Output {
            kind: Kind::Output,
            id: Output::id_of(Kind::Output, &agent, "", "Body\n---\nmore"),
            agent,
            claimed_agent: None,
            created_at: "2026-11-24T10:15:00.000Z".to_owned(),
            title: "A: \"title\"\n---".to_owned(),
            instance: Some("gateway".to_owned()),
            session: Some("s-1".to_owned()),
            runtime: None,
            call: None,
            asked_by: Some("owner".to_owned()),
            tags: vec!["a".to_owned(), "b: c".to_owned()],
            entities: vec![],
            refs: vec!["email:alice@example.com".to_owned(), "seq 12".to_owned()],
            expires_at: None,
            supersedes: None,
            body: "Body\n---\nmore".to_owned(),
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let output = output();
        let text = output.to_text();
        assert!(text.starts_with("---\nkind: \"agent_output\"\n"), "{text}");
        assert_eq!(Output::read(&text, Kind::Output, &output.agent), output);
    }

    #[test]
    fn the_folder_says_whose_it_is_and_the_file_only_claims() {
        let eve = AgentName::parse("eve").unwrap();
        let read = Output::read(&output().to_text(), Kind::Output, &eve);
        assert_eq!((read.agent.as_str(), read.claimed_agent.as_deref()), ("eve", Some("bob")));
    }

    #[test]
    fn a_file_without_a_head_has_its_first_line_for_a_title() {
        let bob = AgentName::parse("bob").unwrap();
        let read = Output::read("\n## Found it\n\ntext\n", Kind::Output, &bob);
        assert_eq!((read.title.as_str(), read.body.as_str()), ("Found it", "## Found it\n\ntext"));
        assert_eq!(read.id, Output::id_of(Kind::Output, &bob, "", &read.body));
    }
}
