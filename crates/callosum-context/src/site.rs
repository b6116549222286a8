//! The shared context as a gate has it: where it lies, who looks after it, and the curator's work on it.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use callosum_core::gate::Gate;
use callosum_core::model::settings::SharedContext;
use callosum_core::model::time::{Stamp, to_rfc3339};
use callosum_core::query::{Filter, Source};
use callosum_core::record::Suspect;
use callosum_core::store::disk::SystemDisk;

use crate::curator::Curator;
use crate::days::Zone;
use crate::error::Problem;
use crate::folder::Folder;
use crate::lint::is_on_this_machine;
use crate::registry::{PolicyMode, Recorded, Registry, VARIABLE};
use crate::setup;
use crate::tend::stamps::Stamps;
use crate::tend::{Span, Tender, call_ended};

/// Records that are looked through for suspects at most.
const MOST_RECORDS: usize = 10_000;
/// Who may have done it where the journal can't be read: then nothing counts as a person's.
const UNKNOWN: Suspect =
    Suspect { seq: 0, instance: String::new(), session: String::new(), tool: String::new() };

/// A gate, and what else tells where its shared context lies.
#[derive(Clone, Copy, Debug)]
pub struct Site<'g> {
    /// Its settings, its state directory and its journal count.
    pub gate: &'g Gate,
    /// The user's home.
    pub home: &'g Path,
    /// The time.
    pub now: Stamp,
}

impl Site<'_> {
    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SharedContext {
        self.gate.shared_context()
    }

    /// How many characters a session is told at most.
    #[must_use]
    pub fn max_chars(&self) -> usize {
        usize::try_from(self.settings().max_inject_chars).unwrap_or(usize::MAX)
    }

    /// Whose days are counted.
    ///
    /// # Errors
    /// When the setting names no time zone.
    pub fn zone(&self) -> Result<Zone, Problem> {
        Zone::named(self.settings().timezone.as_deref())
    }

    /// The folders that the state directory knows.
    ///
    /// # Errors
    /// When that can't be read.
    pub fn registry(&self) -> Result<Registry, Problem> {
        Registry::read(self.gate.state_dir())
    }

    /// Where the shared context lies, or would.
    ///
    /// # Errors
    /// As [`Site::registry`].
    pub fn root(&self) -> Result<PathBuf, Problem> {
        Ok(self.located(&self.registry()?))
    }

    fn located(&self, registry: &Registry) -> PathBuf {
        registry.locate(self.settings().dir.as_deref(), env::var(VARIABLE).ok().as_deref(), self.home)
    }

    /// The folder, and what is recorded of it.
    ///
    /// # Errors
    /// When it is not there, or not switched on.
    pub fn folder(&self) -> Result<(Folder, Recorded), Problem> {
        let registry = self.registry()?;
        let folder = Folder::open(&self.located(&registry))?;
        let recorded = registry.of(folder.root()).filter(|recorded| recorded.mode != PolicyMode::Off);
        let recorded = recorded.cloned().ok_or_else(|| {
            Problem::input(
                format!("the folder `{}` is not switched on as a shared context", folder.root().display()),
                "run `callosum context init`",
            )
        })?;
        Ok((folder, recorded))
    }

    /// The folder in care, looked at now: what something else changed is journaled first, so that nothing of it is taken for what is
    /// written next.
    ///
    /// # Errors
    /// As [`Site::folder`], and when somebody else looks after it all that time.
    pub fn tender(&self, patience: Duration) -> Result<Tender, Problem> {
        let (folder, _) = self.folder()?;
        let mut tender = Tender::of(folder, self.gate.state_dir(), patience)?;
        self.look(&mut tender)?;
        Ok(tender)
    }

    /// Looks at a folder's protected files, and journals what something other than their writer did to them.
    ///
    /// # Errors
    /// As [`Tender::look`].
    pub fn look(&self, tender: &mut Tender) -> Result<(), Problem> {
        let on_tamper = self.settings().on_tamper;
        let look = tender.look(self.now.wall_ms, on_tamper, &mut |span| self.suspects(span))?;
        for change in look.changes {
            let path = tender.folder().root().join(&change.path);
            let back = if change.is_restored { "; they are back" } else { "" };
            self.gate.context_tampered(
                &path.to_string_lossy(),
                &format!("it {}{back}", change.why),
                change.suspects.into_iter().filter(|suspect| *suspect != UNKNOWN).collect(),
                &self.now,
            );
        }
        Ok(())
    }

    /// The calls that may have changed a file then, as the journal tells.
    fn suspects(&self, span: &Span<'_>) -> Vec<Suspect> {
        let filter = Filter { limit: MOST_RECORDS, since: Some(span.since_ms().into()), ..Filter::default() };
        let page = self.gate.journal(&filter, &self.now);
        page.map_or_else(|_| vec![UNKNOWN], |page| span.suspects(&page.entries))
    }

    /// Sets the folder up where `sharedContextEnabled` is true and nothing is recorded of it.
    ///
    /// # Errors
    /// As [`setup::init`].
    pub fn set_up_if_wanted(&self) -> Result<(), Problem> {
        if self.settings().enabled != Some(true) {
            return Ok(());
        }
        let registry = self.registry()?;
        let root = self.located(&registry);
        if fs::canonicalize(&root).is_ok_and(|known| registry.of(&known).is_some()) {
            return Ok(());
        }
        let at = to_rfc3339(self.now.wall_ms);
        setup::init(&root, self.gate.state_dir(), PolicyMode::Enforce, self.gate.instance(), &at)?;
        Ok(())
    }

    /// Looks after all folders that are in use. `with` gets each, and whether sessions here may be told of it: it is the one that holds
    /// here, and was looked at. Whatever fails is left out: what can't be looked at is told nothing of, because it may be anything, and
    /// the next look sees the same. `ended` is the session, as the journal names it, whose calls are over with this look.
    pub fn attend(&self, patience: Duration, ended: Option<&str>, with: &mut dyn FnMut(&mut Tender, bool)) {
        let mut stamps = Stamps::begin(self.gate.state_dir());
        let Ok(registry) = self.registry() else { return };
        let here = fs::canonicalize(self.located(&registry)).ok();
        let mut is_kept = false;
        for recorded in registry.in_use() {
            let tender = Folder::open(&recorded.path)
                .and_then(|folder| Tender::of(folder, self.gate.state_dir(), patience));
            let Ok(mut tender) = tender else {
                stamps.lack_one();
                continue;
            };
            is_kept = true;
            let is_here = here.as_deref() == Some(tender.folder().root());
            let is_seen = self.look(&mut tender).is_ok();
            with(&mut tender, is_seen && is_here);
            // Where that fails, the next look sees the same.
            match tender.save() {
                Ok(()) if is_seen && is_on_this_machine(tender.folder().root()) => {
                    stamps.add(tender.stamped());
                }
                _ => stamps.lack_one(),
            }
        }
        stamps.write(self.gate.state_dir(), self.now.wall_ms);
        if let Some(session) = ended.filter(|_| is_kept) {
            call_ended(self.gate.state_dir(), session, self.now.wall_ms);
        }
    }

    /// Has the curator work on the folder. With `is_dry` nothing is written.
    ///
    /// # Errors
    /// As [`Site::folder`], and what `work` fails with.
    pub fn curate<T>(
        &self,
        is_dry: bool,
        work: impl FnOnce(&Curator<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let (folder, _) = self.folder()?;
        work(&Curator {
            folder: &folder,
            state_dir: self.gate.state_dir(),
            disk: Arc::new(SystemDisk),
            journal: self.gate,
            zone: self.zone()?,
            trusted: self.settings().trusted_agents.iter().cloned().collect::<BTreeSet<_>>(),
            max_candidates: match &self.settings().semantic {
                wanted if wanted.enabled => usize::try_from(wanted.max_candidates).unwrap_or(usize::MAX),
                _ => 0,
            },
            now: self.now,
            is_dry,
            look: &|tender| self.look(tender),
        })
    }
}
