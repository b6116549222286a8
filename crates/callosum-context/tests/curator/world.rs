//! A shared context, its state and a journal in a scratch folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callosum_context::curator::{Curator, Report};
use callosum_context::days::{Day, Zone};
use callosum_context::error::Problem;
use callosum_context::folder::Folder;
use callosum_context::names::AgentName;
use callosum_context::output::{Kind, Output};
use callosum_context::priorities::TEMPLATE;
use callosum_context::signals::Document;
use callosum_context::tend::Tender;
use callosum_context::{inbox, layout, lock};
use callosum_core::model::settings::OnTamper;
use callosum_core::model::time::{Stamp, from_rfc3339};
use callosum_core::query::ReadOnlyView;
use callosum_core::record::Suspect;
use callosum_core::store::disk::{Disk, SystemDisk};
use callosum_core::store::instance::Options;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::ends::Ends;
use tempfile::TempDir;

/// Noon of the day that is today.
pub(crate) const NOON: &str = "2026-11-24T12:00:00Z";

pub(crate) struct World {
    /// Deletes all when it goes.
    _scratch: TempDir,
    pub(crate) folder: PathBuf,
    pub(crate) state: PathBuf,
    journal: String,
    pub(crate) now: &'static str,
    /// About how many names a model may be asked.
    pub(crate) max_candidates: usize,
    /// A call that runs meanwhile.
    pub(crate) suspect: Option<Suspect>,
}

pub(crate) fn agent(name: &str) -> AgentName {
    AgentName::parse(name).unwrap()
}

pub(crate) fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (folder, state) = (root.join("shared"), root.join("state"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&state).unwrap();
        fs::write(folder.join(layout::PRIORITIES), TEMPLATE).unwrap();
        Self {
            _scratch: scratch,
            folder,
            state,
            journal: String::new(),
            now: NOON,
            max_candidates: 0,
            suspect: None,
        }
    }

    fn root(&self) -> &Path {
        self.folder.parent().unwrap()
    }

    pub(crate) fn write(&self, below: impl AsRef<Path>, text: &str) {
        let path = self.folder.join(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, below: &str) -> String {
        fs::read_to_string(self.folder.join(below)).unwrap()
    }

    pub(crate) fn exists(&self, below: &str) -> bool {
        self.folder.join(below).exists()
    }

    /// An output, or a staged item; its path below the folder.
    pub(crate) fn item(
        &self,
        kind: Kind,
        name: &str,
        at: &str,
        title: &str,
        refs: &[&str],
        body: &str,
    ) -> String {
        let agent = agent(name);
        let output = Output {
            kind,
            id: Output::id_of(kind, &agent, title, body),
            agent: agent.clone(),
            claimed_agent: None,
            created_at: at.to_owned(),
            title: title.to_owned(),
            instance: None,
            session: Some(format!("s-{name}")),
            runtime: None,
            call: None,
            asked_by: None,
            tags: Vec::new(),
            entities: Vec::new(),
            refs: refs.iter().map(|text| (*text).to_owned()).collect(),
            expires_at: None,
            supersedes: None,
            body: body.to_owned(),
        };
        let place = match kind {
            Kind::Output => layout::outputs(&agent, day(&at[..10])),
            Kind::Staged => layout::staging(&agent),
        };
        let file = format!("{}-{}.md", at[11..19].replace(':', ""), callosum_context::names::slug(title));
        let below = place.join(file);
        self.write(&below, &output.to_text());
        below.to_str().unwrap().to_owned()
    }

    pub(crate) fn output(&self, name: &str, at: &str, title: &str, refs: &[&str], body: &str) -> String {
        self.item(Kind::Output, name, at, title, refs, body)
    }

    pub(crate) fn stage(&self, name: &str, at: &str, title: &str, body: &str) -> String {
        self.item(Kind::Staged, name, at, title, &[], body)
    }

    /// An entry that our command appends; its id.
    pub(crate) fn propose(&self, name: &str, at: &str, text: &str) -> String {
        let (entry, id) = inbox::to_append(&agent(name), from_rfc3339(at).unwrap(), &[], text);
        self.append(layout::PRIORITIES_INBOX, &entry);
        let folder = Folder::open(&self.folder).unwrap();
        let mut tender = Tender::of(folder, &self.state, lock::PATIENCE).unwrap();
        tender.has_written(&id, from_rfc3339(at).unwrap());
        tender.save().unwrap();
        id
    }

    pub(crate) fn append(&self, below: &str, text: &str) {
        let known = fs::read_to_string(self.folder.join(below)).unwrap_or_default();
        self.write(below, &(known + text));
    }

    /// A record of a call on a key; its sequence number.
    pub(crate) fn record(
        &mut self,
        action: &str,
        tier: u8,
        agent: &str,
        at: &str,
        key: &str,
        of: Option<u64>,
    ) -> u64 {
        let seq = self.journal.len() as u64;
        let of = of.map_or_else(String::new, |of| format!(r#","of":[{of}]"#));
        writeln!(
            self.journal,
            r#"{{"v":1,"action":"{action}","tier":{tier},"timestamp":"{at}","instance":"here","runtime":"openclaw","agent":"{agent}","session":"s-{agent}","tool":"exec","contextKeys":["{key}"]{of}}}"#
        )
        .unwrap();
        fs::write(self.root().join("state/journal.jsonl"), &self.journal).unwrap();
        seq
    }

    /// A call and its outcome; the sequence number of that.
    pub(crate) fn call(&mut self, outcome: &str, agent: &str, at: &str, key: &str) -> u64 {
        let begun = self.record("intercept", 3, agent, at, key, None);
        self.record(outcome, 3, agent, at, key, Some(begun))
    }

    /// Puts a whole journal in the place of the one that is there.
    pub(crate) fn journal_file(&self) -> PathBuf {
        self.root().join("state/journal.jsonl")
    }

    pub(crate) fn view(&self) -> ReadOnlyView {
        let directory = self.root().join("state").to_str().unwrap().to_owned();
        ReadOnlyView::new(Options {
            runtime: "test".to_owned(),
            home: self.root().to_owned(),
            state_dir_variable: Some(directory),
            ..Options::default()
        })
    }

    pub(crate) fn with<T>(
        &self,
        disk: Arc<dyn Disk>,
        is_dry: bool,
        run: impl FnOnce(&Curator<'_>) -> T,
    ) -> T {
        let view = self.view();
        let folder = Folder::open(&self.folder).unwrap();
        let suspects = || self.suspect.iter().cloned().collect();
        run(&Curator {
            folder: &folder,
            state_dir: self.state.as_path(),
            disk,
            journal: &view,
            zone: Zone::named(Some("UTC")).unwrap(),
            trusted: BTreeSet::from(["boss".to_owned()]),
            max_candidates: self.max_candidates,
            now: Stamp { wall_ms: from_rfc3339(self.now).unwrap(), up_ms: 0, boot: None },
            is_dry,
            look: &|tender| {
                let now_ms = from_rfc3339(self.now).unwrap();
                tender.look(now_ms, OnTamper::Report, &mut |_| suspects()).map(|_| ())
            },
        })
    }

    pub(crate) fn run_on(&self, disk: Arc<dyn Disk>) -> Result<Report, Problem> {
        self.with(disk, false, |curator| curator.daily(None))
    }

    pub(crate) fn run(&self) -> Report {
        self.run_on(Arc::new(SystemDisk)).unwrap()
    }

    /// A run that is killed after so many steps; whether it was.
    pub(crate) fn killed(&self, after: usize) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.run_on(Arc::new(TestDisk::new(Ends::after(after)))))).is_err()
    }

    pub(crate) fn signals(&self) -> Document {
        self.with(Arc::new(SystemDisk), false, |curator| curator.signals(None)).unwrap().0
    }

    /// Every file of the folder, and what the curator remembers, by its path.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn add(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    add(&path, found);
                } else {
                    let bytes = fs::read(&path).unwrap();
                    found.insert(path, bytes);
                }
            }
        }
        let mut found = BTreeMap::new();
        add(&self.folder, &mut found);
        add(&self.state.join("context"), &mut found);
        // What is remembered of files goes by when they were written; copies are called by what they say.
        found.retain(|path, _| path.starts_with(&self.folder) || path.ends_with("curator.json"));
        let below = |path: PathBuf| {
            path.strip_prefix(&self.folder).map_or_else(|_| "curator.json".into(), Path::to_owned)
        };
        found.into_iter().map(|(path, bytes)| (below(path), bytes)).collect()
    }
}

/// A day with something of everything.
pub(crate) fn usual() -> World {
    let mut world = World::new();
    world.record("intercept", 2, "dev", "2026-11-23T22:00:00.000Z", "file:/srv/a.rs", None);
    let sent = world.call("complete", "mailer", "2026-11-24T08:00:00.000Z", "email:otto@harbor.example");
    world.call("failed", "dev", "2026-11-24T08:10:00.000Z", "deploy:site/production");
    world.call("failed", "dev", "2026-11-24T08:20:00.000Z", "deploy:site/production");
    world.call("complete", "ops", "2026-11-24T09:00:00.000Z", "deploy:site/production");
    world.record("blocked", 3, "dev", "2026-11-24T09:05:00.000Z", "deploy:site/production", None);
    world.output(
        "sales",
        "2026-11-24T08:30:00.000Z",
        "Offers",
        &[&format!("seq {sent}")],
        "Otto <otto@harbor.example> wants an offer.\n\n## Done\n- wrote to email:otto@harbor.example\n- sent email:ines@harbor.example\n",
    );
    world.output(
        "ops",
        "2026-11-24T09:30:00.000Z",
        "Out [seq 1]",
        &[],
        "## Done\n- deploy:site/production is out\n",
    );
    world.output("dev", "2026-11-23T18:00:00.000Z", "Yesterday", &[], "Nothing new.");
    world.propose("bob", "2026-11-24T10:00:00.000Z", "Fix the login first");
    world.propose("boss", "2026-11-24T10:01:00.000Z", "Offers before Friday");
    world.stage("boss", "2026-11-24T10:02:00.000Z", "New rule", "Ask before each deploy.");
    world.stage("eve", "2026-11-24T10:03:00.000Z", "Mine", "Me first.");
    world.append(
        layout::FEEDBACK_INBOX,
        "{\"agent\":\"sales\",\"decision\":\"rejected\",\"reason\":\"Too late\",\"by\":\"operator\",\"at\":\"2026-11-24T11:00:00.000Z\",\"learning\":\"Answer within a day\"}\nnot json\n",
    );
    world
}
