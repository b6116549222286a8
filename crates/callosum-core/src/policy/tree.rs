//! Whose a path in a folder that is kept is, and what an agent may do with it.

use callosum_shell::command::WriteKind;

use super::{Caller, Folder, FolderMode};
use crate::rules::STATE_PROTECTED;

/// Folders of which each agent has one, by its name.
const OWNED: &[&str] = &["agent-outputs", "staging"];
/// Files that agents append to, by the parts of their paths.
const INBOXES: &[&[&str]] = &[&["priorities.inbox.md"], &["feedback", "inbox.jsonl"]];
/// What the curator alone writes, by its first part.
const CURATED: &[&str] = &[
    "priorities.md",
    "staging-archive",
    "feedback",
    "roundtable",
    "cross-signals",
    "weekly",
    "kpis",
    "rubrics",
    "archive",
    "agent-outputs",
    "staging",
];

/// Files of which some are in such a folder: for who is looked for by their names.
const FILES: &[&str] = &[
    "priorities.md",
    "priorities.inbox.md",
    "feedback/inbox.jsonl",
    "roundtable/2026-01-01.md",
    "cross-signals/2026-01-01.json",
    "weekly/2026-W01.md",
];
/// The same of a state directory.
const STATE_FILES: &[&str] =
    &["journal.jsonl", "journal.index", "tiers.json", "settings.json", "context.json"];

/// A folder that is kept.
#[derive(Debug)]
pub(super) struct Kept {
    /// Where it really lies.
    pub(super) path: String,
    pub(super) mode: FolderMode,
    is_state: bool,
}

/// Where a path of a call leads, seen from a folder that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The whole path.
    pub(super) path: String,
    /// Its parts below the folder; `None` of a folder in which that lies.
    pub(super) below: Option<Vec<String>>,
}

/// What a call breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breach {
    /// It changes what guards the gate.
    State,
    /// It changes what only the curator writes.
    CuratorOnly,
    /// It does something else to an inbox than to append.
    AppendOnly,
    /// It changes what is another agent's.
    NotYours,
    /// It changes what is a person's.
    Persons,
    /// It takes away the folder itself, or one that it lies in.
    Whole,
}

impl Breach {
    /// Its name.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::State => STATE_PROTECTED,
            Self::CuratorOnly | Self::Whole => "context.curator-only",
            Self::AppendOnly => "context.append-only",
            Self::NotYours | Self::Persons => "context.not-yours",
        }
    }
}

impl Kept {
    pub(super) fn state(path: &str) -> Self {
        Self { path: path.to_owned(), mode: FolderMode::Enforce, is_state: true }
    }

    pub(super) fn context(folder: &Folder) -> Self {
        Self { path: folder.path.clone(), mode: folder.mode, is_state: false }
    }

    /// Paths of files in it, below it.
    pub(super) fn files(&self) -> &'static [&'static str] {
        if self.is_state { STATE_FILES } else { FILES }
    }

    /// What a call breaks that writes to a path so.
    pub(super) fn breach(&self, found: &Found, kind: WriteKind, caller: Caller<'_>) -> Option<Breach> {
        let Some(below) = &found.below else {
            // Work in a folder above goes on; only what takes all of it away takes this.
            let whole = if self.is_state { Breach::State } else { Breach::Whole };
            return kind.takes_all_below().then_some(whole);
        };
        if self.is_state {
            return Some(Breach::State);
        }
        let parts: Vec<&str> = below.iter().map(String::as_str).collect();
        let Some(first) = parts.first() else {
            return (kind != WriteKind::Append).then_some(Breach::Whole);
        };
        if INBOXES.contains(&parts.as_slice()) {
            return (kind != WriteKind::Append).then_some(Breach::AppendOnly);
        }
        match parts.as_slice() {
            [folder, owner, ..] if OWNED.contains(folder) => {
                (!is_own(owner, caller)).then_some(Breach::NotYours)
            }
            ["kpis", file] => {
                let owner = file.split_once(".json").map(|(owner, _)| owner);
                (!owner.is_some_and(|owner| is_own(owner, caller))).then_some(Breach::NotYours)
            }
            _ if CURATED.contains(first) => Some(Breach::CuratorOnly),
            // In the folder itself nothing else is anybody's.
            [_] => Some(Breach::CuratorOnly),
            _ => Some(Breach::Persons),
        }
    }
}

/// Whether an agent's name is the caller's; where two instances have agents of one name, with the instance behind it.
fn is_own(owner: &str, caller: Caller<'_>) -> bool {
    !caller.agent.is_empty()
        && (owner == caller.agent
            || owner.strip_prefix(caller.agent).and_then(|rest| rest.strip_prefix('@'))
                == Some(caller.instance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_may_do_with_a_path_goes_by_whose_it_is() {
        use WriteKind::{Append, Mirror, Move, Overwrite, Remove};
        let kept =
            Kept::context(&Folder { path: "/t".to_owned(), also: Vec::new(), mode: FolderMode::Enforce });
        let caller = Caller { agent: "ann", instance: "gw" };
        let of = |path: &str, kind| {
            let below = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            kept.breach(&Found { path: path.to_owned(), below: Some(below) }, kind, caller)
        };
        for (path, kind, expected) in [
            ("agent-outputs/ann/2026-11-24/x.md", Overwrite, None),
            ("agent-outputs/ann", Remove, None),
            ("agent-outputs/ann@gw/x.md", Overwrite, None),
            ("agent-outputs/ann@other/x.md", Overwrite, Some(Breach::NotYours)),
            ("agent-outputs/anna/x.md", Overwrite, Some(Breach::NotYours)),
            ("agent-outputs/*/x.md", Overwrite, Some(Breach::NotYours)),
            ("agent-outputs", Remove, Some(Breach::CuratorOnly)),
            ("staging/ann/x.md", Move, None),
            ("staging/bob/x.md", Append, Some(Breach::NotYours)),
            ("kpis/ann.json", Overwrite, None),
            ("kpis/ann.json.tmp", Overwrite, None),
            ("kpis/bob.json", Overwrite, Some(Breach::NotYours)),
            ("priorities.inbox.md", Append, None),
            ("priorities.inbox.md", Overwrite, Some(Breach::AppendOnly)),
            ("priorities.inbox.md", Remove, Some(Breach::AppendOnly)),
            ("feedback/inbox.jsonl", Append, None),
            ("feedback/inbox.jsonl", Move, Some(Breach::AppendOnly)),
            ("feedback/2026-W48.jsonl", Append, Some(Breach::CuratorOnly)),
            ("priorities.md", Append, Some(Breach::CuratorOnly)),
            ("PRIORITIES.MD", Overwrite, Some(Breach::CuratorOnly)),
            ("roundtable/2026-11-24.md", Overwrite, Some(Breach::CuratorOnly)),
            ("*", Remove, Some(Breach::CuratorOnly)),
            ("calendar/today.md", Overwrite, Some(Breach::Persons)),
            ("", Remove, Some(Breach::Whole)),
            ("", Append, None),
        ] {
            assert_eq!(of(path, kind), expected, "{kind:?} {path}");
        }
        let above = Found { path: "/".to_owned(), below: None };
        for kind in [Remove, Move, Mirror] {
            assert_eq!(kept.breach(&above, kind, caller), Some(Breach::Whole));
        }
        for kind in [Append, Overwrite] {
            assert_eq!(kept.breach(&above, kind, caller), None);
        }
        let nobody = Caller { agent: "", instance: "gw" };
        let own = Found { path: String::new(), below: Some(vec!["staging".to_owned(), "@gw".to_owned()]) };
        assert_eq!(kept.breach(&own, Overwrite, nobody), Some(Breach::NotYours));
    }
}
