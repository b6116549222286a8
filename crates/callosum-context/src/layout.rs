//! Where things lie in the folder, and how each is kept.

use std::path::{Component, Path, PathBuf};

use crate::days::{Day, Week};
use crate::names::AgentName;

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An agent.
    Agent,
    /// The curator: code of ours.
    Curator,
    /// A person.
    Operator,
}

impl Role {
    /// As files tell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Curator => "curator",
            Self::Operator => "operator",
        }
    }
}

/// What agents should work on, the operator's words first.
pub const PRIORITIES: &str = "priorities.md";
/// What agents propose for it.
pub const PRIORITIES_INBOX: &str = "priorities.inbox.md";
/// What agents and people think of what was done.
pub const FEEDBACK_INBOX: &str = "feedback/inbox.jsonl";
/// What agents produced.
pub const OUTPUTS: &str = "agent-outputs";
/// What agents propose.
pub const STAGING: &str = "staging";
/// What became of that.
pub const STAGING_ARCHIVE: &str = "staging-archive";
/// Feedback, a file a week.
pub const FEEDBACK: &str = "feedback";
/// Digests, a file a day.
pub const ROUNDTABLE: &str = "roundtable";
/// What several agents speak of, a file a day.
pub const SIGNALS: &str = "cross-signals";
/// Digests, a file a week.
pub const WEEKLY: &str = "weekly";
/// Snapshots of figures, a file an agent.
pub const KPIS: &str = "kpis";
/// By what outputs are judged; a person writes them.
pub const RUBRICS: &str = "rubrics";
/// What is kept and no longer read.
pub const ARCHIVE: &str = "archive";

/// The folders that the shared context is made of.
pub const FOLDERS: [&str; 10] =
    [OUTPUTS, STAGING, STAGING_ARCHIVE, FEEDBACK, ROUNDTABLE, SIGNALS, WEEKLY, KPIS, RUBRICS, ARCHIVE];
/// Folders in which only the curator makes files, and keeps what they say.
pub const CURATED: [&str; 3] = [ROUNDTABLE, SIGNALS, WEEKLY];

/// What a path below the folder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `agent-outputs/<agent>/…`: that agent writes there.
    Output(AgentName),
    /// `staging/<agent>/…`: that agent writes there.
    Staging(AgentName),
    /// `kpis/<agent>.json`: that agent replaces it.
    Kpi(AgentName),
    /// `priorities.inbox.md` or `feedback/inbox.jsonl`: everybody appends, nobody else does anything.
    Inbox,
    /// What the curator alone writes.
    Curated,
    /// Everything else: a person's. Agents read it.
    Persons,
}

impl Place {
    /// What lies at a path below the folder. `None` where it leads out of it.
    #[must_use]
    pub fn of(relative: &Path) -> Option<Self> {
        let mut parts = Vec::new();
        for part in relative.components() {
            match part {
                Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        let agent = |name: &str| AgentName::parse(name).ok();
        Some(match parts.as_slice() {
            [OUTPUTS, name, ..] => agent(name).map_or(Self::Persons, Self::Output),
            [STAGING, name, ..] => agent(name).map_or(Self::Persons, Self::Staging),
            [KPIS, file] => file.strip_suffix(".json").and_then(agent).map_or(Self::Persons, Self::Kpi),
            [PRIORITIES_INBOX] | [FEEDBACK, "inbox.jsonl"] => Self::Inbox,
            [PRIORITIES] | [ROUNDTABLE | SIGNALS | WEEKLY | FEEDBACK | STAGING_ARCHIVE | ARCHIVE, _, ..] => {
                Self::Curated
            }
            _ => Self::Persons,
        })
    }
}

/// `agent-outputs/<agent>/<day>`, below the folder.
#[must_use]
pub fn outputs(agent: &AgentName, day: Day) -> PathBuf {
    [OUTPUTS, agent.as_str(), &day.to_string()].iter().collect()
}

/// `staging/<agent>`, below the folder.
#[must_use]
pub fn staging(agent: &AgentName) -> PathBuf {
    [STAGING, agent.as_str()].iter().collect()
}

/// `kpis/<agent>.json`, below the folder.
#[must_use]
pub fn kpi(agent: &AgentName) -> PathBuf {
    Path::new(KPIS).join(format!("{agent}.json"))
}

/// `roundtable/<day>.md`, below the folder.
#[must_use]
pub fn roundtable(day: Day) -> PathBuf {
    Path::new(ROUNDTABLE).join(format!("{day}.md"))
}

/// `cross-signals/<day>.json`, below the folder; the same in Markdown lies beside it.
#[must_use]
pub fn signals(day: Day) -> PathBuf {
    Path::new(SIGNALS).join(format!("{day}.json"))
}

/// `feedback/<week>.jsonl`, below the folder.
#[must_use]
pub fn feedback(week: Week) -> PathBuf {
    Path::new(FEEDBACK).join(format!("{week}.jsonl"))
}

/// `weekly/<week>.md`, below the folder.
#[must_use]
pub fn weekly(week: Week) -> PathBuf {
    Path::new(WEEKLY).join(format!("{week}.md"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn every_path_has_one_kind_of_keeper() {
        let bob = || AgentName::parse("bob").unwrap();
        for (path, place) in [
            ("agent-outputs/bob/2026-11-24/101500-x.md", Place::Output(bob())),
            ("agent-outputs/bob", Place::Output(bob())),
            ("./staging/bob/x.md", Place::Staging(bob())),
            ("kpis/bob.json", Place::Kpi(bob())),
            ("kpis/bob.txt", Place::Persons),
            ("priorities.inbox.md", Place::Inbox),
            ("feedback/inbox.jsonl", Place::Inbox),
            ("feedback/2026-W48.jsonl", Place::Curated),
            ("priorities.md", Place::Curated),
            ("roundtable/2026-11-24.md", Place::Curated),
            ("cross-signals/2026-11-24.json", Place::Curated),
            ("weekly/2026-W48.md", Place::Curated),
            ("archive/2026-11.md", Place::Curated),
            ("staging-archive/bob/x.md", Place::Curated),
            ("rubrics/essay.md", Place::Persons),
            ("calendar/today.md", Place::Persons),
            ("agent-outputs/.x/y.md", Place::Persons),
        ] {
            assert_eq!(Place::of(Path::new(path)), Some(place), "{path}");
        }
        for out in ["../x", "agent-outputs/bob/../../../x", "/etc/passwd"] {
            assert_eq!(Place::of(Path::new(out)), None, "{out}");
        }
    }

    #[test]
    fn what_is_written_by_name_lies_where_its_keeper_may_write() {
        let (bob, day) = (AgentName::parse("bob").unwrap(), Day::parse("2026-11-24").unwrap());
        assert_eq!(Place::of(&outputs(&bob, day)), Some(Place::Output(bob.clone())));
        assert_eq!(Place::of(&staging(&bob)), Some(Place::Staging(bob.clone())));
        assert_eq!(Place::of(&kpi(&bob)), Some(Place::Kpi(bob)));
        for curated in [roundtable(day), signals(day), feedback(day.week()), weekly(day.week())] {
            assert_eq!(Place::of(&curated), Some(Place::Curated));
        }
    }
}
