//! What agents' calls must not change, whatever their tier: what guards the gate itself, and in the folder of a shared context all but what
//! is an agent's own. A call that would is refused by the policy: no evidence, no retry.
//!
//! `tree` says of a path in such a folder whose it is, `place` where a path of a call leads, `text` what the model reads. Pure, but for the
//! links that [`Policy::judge`] follows: that is for threads that may wait, and only for calls that may name such a folder at all
//! ([`Watch`] tells). What guards the gate by its name alone is told by the standing rules, with all the others.

mod place;
mod text;
mod tree;

use callosum_shell::own_files::is_home;
use serde::{Deserialize, Serialize};

use crate::model::settings::Mode;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::rules::{Mark, Protected, STATE_PROTECTED, Watch, World, written};

use self::place::Places;
use self::tree::Kept;

/// Texts that stand in paths into a shared context, whatever the folder or a link to it is called.
const MARKS: &[Mark] = &[
    Mark::new("SHARED_CONTEXT_DIR"),
    Mark::new("priorities."),
    Mark::new("agent-outputs"),
    Mark::new("staging/"),
    Mark::new("staging-archive"),
    Mark::new("feedback/"),
    Mark::new("roundtable"),
    Mark::new("cross-signals"),
    Mark::new("weekly/"),
    Mark::new("kpis"),
    Mark::new("rubrics"),
];
/// The name of the state directory, if it is the usual one, in a home: the standing rules know it.
const USUAL_STATE: &str = ".callosum";

/// The name of what a call breaks that may write to a shared context by commands that nobody could read.
const UNREAD: &str = "context.unread";

/// What the policy does with a call that breaks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FolderMode {
    /// It is refused.
    #[default]
    Enforce,
    /// It is let through, and written down.
    Observe,
    /// Nothing.
    Off,
}

/// The folder of a shared context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it really lies.
    pub path: String,
    /// Other absolute paths that lead there.
    pub also: Vec<String>,
    /// What is done with calls that break the policy there.
    pub mode: FolderMode,
}

/// Whose call it is.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The agent: as its host calls it, or else its runtime.
    pub agent: &'a str,
    /// The instance.
    pub instance: &'a str,
}

/// The runtime that names its agents; every other one is an agent, and so are those that it starts.
const NAMES_AGENTS: &str = "openclaw";

/// The name by which folders know the agent of a call.
pub(crate) fn agent_of<'a>(call: &'a ToolCall, runtime: &'a str) -> &'a str {
    known_as(call.agent.as_deref(), runtime)
}

/// The name by which folders know an agent of a runtime. `agent` is what it is called there: by its host, which is believed, or by
/// itself, which is not: whoever asks over HTTP as `http/NAME` is `http`.
#[must_use]
pub fn known_as<'a>(agent: Option<&'a str>, runtime: &'a str) -> &'a str {
    let family = runtime.split_once('/').map_or(runtime, |(family, _)| family);
    agent.filter(|_| runtime == NAMES_AGENTS).unwrap_or(family)
}

/// What is kept.
#[derive(Debug, Default)]
pub struct Policy {
    kept: Vec<Kept>,
    watch: Option<Watch>,
    home: String,
}

/// That a call breaks the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The name of what it breaks.
    pub rule: &'static str,
    /// The path that it would change, for the journal.
    pub path: Option<String>,
    /// What its model reads.
    pub text: String,
    /// It is let through, and only written down.
    pub observed: bool,
}

impl Policy {
    /// The policy for a state directory, of which the first path is the real one, and folders of shared contexts; `home` is the user's.
    #[must_use]
    pub fn new(state_dir: &[&str], home: &str, folders: &[Folder]) -> Self {
        let folders = || folders.iter().filter(|folder| folder.mode != FolderMode::Off);
        // Whoever takes away a home says so only where its path looks like one.
        let is_usual = |path: &str| {
            path.rsplit_once('/').is_some_and(|(base, name)| name == USUAL_STATE && is_home(base))
        };
        let marks: &[Mark] = if folders().next().is_some() { MARKS } else { &[] };
        let watched = folders().flat_map(|folder| std::iter::once(&folder.path).chain(&folder.also));
        let of_state = state_dir.iter().copied().filter(|path| !is_usual(path));
        let watch = Watch::new(watched.map(String::as_str).chain(of_state), marks);
        let mut kept = Vec::with_capacity(1 + folders().count());
        kept.extend(state_dir.first().map(|real| Kept::state(real)));
        kept.extend(folders().map(Kept::context));
        Self { kept, watch, home: home.to_owned() }
    }

    /// What calls are looked through for before they are judged; `None` when there is nothing.
    #[must_use]
    pub fn watch(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    /// What the standing rules' finding comes to.
    #[must_use]
    pub fn protects(&self, protected: &Protected, mode: Mode) -> Denial {
        let path = protected.path.as_deref();
        let text = if path.is_some() { text::of_state(path) } else { text::of_command() };
        let path = path.map(text::for_journal);
        Denial { rule: STATE_PROTECTED, path, text, observed: mode == Mode::Observe }
    }

    /// Whether a call breaks the policy by what it writes: the first breach that is refused, else the first that is only written down.
    /// Follows links in the `world`, so it is for threads that may wait; in a world that shows nothing it finds none.
    #[must_use]
    pub fn judge(
        &self,
        call: &ToolCall,
        params: &dyn Parameters,
        caller: Caller<'_>,
        world: &World,
        mode: Mode,
    ) -> Option<Denial> {
        let places = Places { home: &self.home, cwd: call.cwd.as_deref(), world };
        let mut observed = None;
        let writes = written(call, params);
        for written in writes.paths {
            for kept in &self.kept {
                let Some(found) = places.in_kept(&written.path, kept) else { continue };
                let Some(breach) = kept.breach(&found, written.kind, caller) else { continue };
                let only_noted = mode == Mode::Observe || kept.mode == FolderMode::Observe;
                let denial = Denial {
                    rule: breach.rule(),
                    path: Some(text::for_journal(&found.path)),
                    text: text::of_breach(breach, &found.path, caller.agent),
                    observed: only_noted,
                };
                if !only_noted {
                    return Some(denial);
                }
                observed.get_or_insert(denial);
            }
        }
        let may_write =
            |watch: &Watch| writes.unread.iter().any(|text| watch.may_be_written(text, call.cwd.as_deref()));
        if self.watch.as_ref().is_some_and(may_write) {
            let folders = self.kept.get(1..).unwrap_or_default();
            let only_observes =
                !folders.is_empty() && folders.iter().all(|kept| kept.mode == FolderMode::Observe);
            let only_noted = mode == Mode::Observe || only_observes;
            let denial =
                Denial { rule: UNREAD, path: None, text: text::of_unread(UNREAD), observed: only_noted };
            if !only_noted {
                return Some(denial);
            }
            observed.get_or_insert(denial);
        }
        observed
    }
}
