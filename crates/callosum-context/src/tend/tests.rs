//! What a look finds in the folder: entries that were appended or cut, files that something else changed, and when a look is due.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::*;
use crate::layout::PRIORITIES_INBOX;

const NOW: i64 = 1_795_563_005_000;
const FIRST: &str = "\n## 2026-11-24T10:00:00Z (bob)\n\nOne\n";

struct World {
    state: tempfile::TempDir,
    shared: tempfile::TempDir,
    now: i64,
}

impl World {
    /// A folder with an inbox of one entry and priorities, looked at once.
    fn new() -> Self {
        let world =
            Self { state: tempfile::tempdir().unwrap(), shared: tempfile::tempdir().unwrap(), now: NOW };
        world.write(PRIORITIES_INBOX, FIRST);
        world.write(PRIORITIES, "## Current\n- Mine\n");
        let mut tender = world.tender();
        assert_eq!(tender.look(NOW, OnTamper::Report, &mut |_| vec![suspect()]).unwrap(), Look::default());
        tender.save().unwrap();
        world
    }

    fn tender(&self) -> Tender {
        Tender::of(Folder::open(self.shared.path()).unwrap(), self.state.path(), Duration::ZERO).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.shared.path().join(path), text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.shared.path().join(path)).unwrap()
    }

    fn look(&mut self, on_tamper: OnTamper, suspects: &[Suspect]) -> Look {
        self.now += 1_000;
        let mut tender = self.tender();
        let look = tender.look(self.now, on_tamper, &mut |_| suspects.to_vec()).unwrap();
        tender.save().unwrap();
        look
    }

    fn kept(&self, folder: &str) -> Vec<String> {
        let home = home_of(self.state.path(), &fs::canonicalize(self.shared.path()).unwrap());
        let files = fs::read_dir(home.join(folder)).into_iter().flatten().flatten();
        files.map(|file| fs::read_to_string(file.path()).unwrap()).collect()
    }
}

fn suspect() -> Suspect {
    Suspect { seq: 7, instance: "doug".to_owned(), session: "s".to_owned(), tool: "exec".to_owned() }
}

#[test]
fn what_is_appended_is_taken_over() {
    let mut world = World::new();
    world.write(PRIORITIES_INBOX, &format!("{FIRST}\n## 2026-11-24T11:00:00Z (eve)\n\nTwo\n"));
    assert_eq!(world.look(OnTamper::Report, &[suspect()]), Look::default());
    // It must be there from now on.
    world.write(PRIORITIES_INBOX, FIRST);
    assert_eq!(world.look(OnTamper::Report, &[suspect()]).changes.len(), 1);
}

#[test]
fn a_cut_inbox_is_told_once_kept_and_never_taken_over() {
    let mut world = World::new();
    world.write(PRIORITIES_INBOX, "poison");
    let look = world.look(OnTamper::Report, &[suspect()]);
    let why = "lost entries".to_owned();
    let suspects = vec![suspect()];
    let change = Change { path: PRIORITIES_INBOX.to_owned(), why, is_restored: false, suspects };
    assert_eq!(look, Look { changes: vec![change] });
    assert_eq!(world.kept("damaged"), ["poison"]);
    assert_eq!(world.look(OnTamper::Report, &[suspect()]), Look::default());
    // What comes behind is no news, and is there with all the rest once it is mended.
    let mut tender = world.tender();
    tender.append(PRIORITIES_INBOX, "\n## 2026-11-24T11:00:00Z (eve)\n\nTwo\n").unwrap();
    tender.save().unwrap();
    drop(tender);
    world.write(
        PRIORITIES_INBOX,
        &(world.read(PRIORITIES_INBOX) + "\n## 2026-11-24T12:00:00Z (ann)\n\nThree\n"),
    );
    assert_eq!(world.look(OnTamper::Report, &[suspect()]), Look::default());
    let mut tender = world.tender();
    let pending = tender.pending();
    assert_eq!(
        pending.iter().map(|file| (file.path.as_str(), file.is_inbox)).collect::<Vec<_>>(),
        [(PRIORITIES_INBOX, true)]
    );
    let (before, now) = pending.first().map(|file| tender.before_and_now(file)).unwrap();
    assert!(
        before.contains("One") && now.starts_with("poison") && !now.contains("One"),
        "{before:?} {now:?}"
    );
    assert!(tender.accept(PRIORITIES_INBOX).is_err());
    assert!(tender.restore(PRIORITIES_INBOX).unwrap());
    assert_eq!(tender.pending(), []);
    let texts: Vec<String> =
        crate::inbox::entries(&world.read(PRIORITIES_INBOX)).into_iter().map(|entry| entry.text).collect();
    assert_eq!(texts, ["One", "Two", "Three"]);
    assert!(!world.read(PRIORITIES_INBOX).contains("poison"));
}

#[test]
fn entries_are_put_back_where_that_is_wanted_and_new_ones_stay() {
    let mut world = World::new();
    world.write(PRIORITIES_INBOX, "## 2026-11-24T11:00:00Z (eve)\n\nTwo\n");
    let look = world.look(OnTamper::Restore, &[suspect()]);
    assert!(look.changes.iter().all(|change| change.is_restored) && look.changes.len() == 1);
    assert_eq!(world.read(PRIORITIES_INBOX), format!("{FIRST}\n## 2026-11-24T11:00:00Z (eve)\n\nTwo\n"));
    assert_eq!(world.look(OnTamper::Restore, &[suspect()]), Look::default());
    fs::remove_file(world.shared.path().join(PRIORITIES_INBOX)).unwrap();
    assert_eq!(world.look(OnTamper::Restore, &[]).changes.len(), 1);
    assert!(world.read(PRIORITIES_INBOX).starts_with(FIRST));
}

#[test]
fn what_changed_while_calls_ran_is_kept_told_and_not_read_until_a_person_accepts_it() {
    let mut world = World::new();
    world.write(PRIORITIES, "## Current\n- CANARY\n");
    let look = world.look(OnTamper::Restore, &[suspect()]);
    assert_eq!(look.changes.first().map(|change| change.why.as_str()), Some("was changed"));
    assert_eq!(world.read(PRIORITIES), "## Current\n- CANARY\n");
    assert_eq!(world.kept("history"), ["## Current\n- Mine\n"]);
    let mut tender = world.tender();
    assert_eq!(tender.confirmed(PRIORITIES).as_deref(), Some("## Current\n- Mine\n"));
    assert_eq!(tender.pending().len(), 1);
    tender.accept(PRIORITIES).unwrap();
    assert_eq!(tender.confirmed(PRIORITIES).as_deref(), Some("## Current\n- CANARY\n"));
}

#[test]
fn what_changed_while_no_call_ran_is_a_persons_and_a_deleted_file_can_come_back() {
    let mut world = World::new();
    world.write(PRIORITIES, "## Current\n- Edited\n");
    assert_eq!(world.look(OnTamper::Report, &[]), Look::default());
    assert_eq!(world.tender().confirmed(PRIORITIES).as_deref(), Some("## Current\n- Edited\n"));
    fs::remove_file(world.shared.path().join(PRIORITIES)).unwrap();
    let look = world.look(OnTamper::Report, &[suspect()]);
    assert_eq!(look.changes.first().map(|change| change.why.as_str()), Some("was deleted"));
    let mut tender = world.tender();
    assert!(tender.restore(PRIORITIES).unwrap());
    assert_eq!(world.read(PRIORITIES), "## Current\n- Edited\n");
    assert!(tender.restore("roundtable/2026-11-24.md").is_err());
}

#[test]
fn a_digest_that_somebody_else_made_is_told_and_not_read() {
    let mut world = World::new();
    fs::create_dir(world.shared.path().join("roundtable")).unwrap();
    world.write("roundtable/2026-11-24.md", "CANARY");
    let look = world.look(OnTamper::Report, &[suspect()]);
    assert_eq!(look.changes.first().map(|change| change.why.as_str()), Some("was made"));
    assert_eq!(world.tender().confirmed_in("roundtable"), [""; 0]);
    let mut tender = world.tender();
    tender.put("roundtable/2026-11-24.md", b"ours").unwrap();
    tender.save().unwrap();
    assert_eq!(tender.confirmed_in("roundtable"), ["roundtable/2026-11-24.md"]);
    drop(tender);
    assert_eq!(world.look(OnTamper::Report, &[suspect()]), Look::default());
}

#[test]
fn only_so_much_is_kept() {
    let mut world = World::new();
    for number in 0..30 {
        world.write(PRIORITIES, &format!("version {number}"));
        world.look(OnTamper::Report, &[]);
    }
    assert_eq!(world.kept("history").len(), VERSIONS);
    assert!(world.kept("copies").len() <= 4);
}

#[test]
fn a_person_is_told_from_calls_by_when_the_file_was_changed() {
    let world = World::new();
    world.write(PRIORITIES, "## Current\n- Edited\n");
    let changed = fs::metadata(world.shared.path().join(PRIORITIES)).unwrap();
    let changed_ms = std::os::unix::fs::MetadataExt::ctime(&changed) * 1_000;
    call_ended(world.state.path(), "ann", changed_ms - 30 * 60_000);
    for (minutes_before, session, is_persons) in [
        // What ended half an hour before did not do it; what may still run did, and what may have left a process behind.
        (40, "ann", true),
        (40, "eve", false),
        (10, "ann", false),
        // Nor did what began afterwards.
        (-10, "eve", true),
    ] {
        let at = to_rfc3339(changed_ms - minutes_before * 60_000);
        let record = serde_json::json!({
            "seq": 1, "action": "intercept", "tool": "exec", "tier": 1, "session": session, "timestamp": at,
        });
        let records = [record];
        // What this look finds is not remembered.
        let look = world
            .tender()
            .look(changed_ms + 3_600_000, OnTamper::Report, &mut |span| span.suspects(&records));
        assert_eq!(look.unwrap().changes.is_empty(), is_persons, "{minutes_before} {session}");
    }
}

#[test]
fn what_the_curator_was_about_to_leave_of_an_inbox_is_no_damage_and_anything_else_is() {
    let mut world = World::new();
    let second = "\n## 2026-11-24T11:00:00Z (eve)\n\nTwo\n";
    world.write(PRIORITIES_INBOX, &format!("{FIRST}{second}"));
    world.look(OnTamper::Report, &[]);
    // It was killed before it could write down that it is done.
    let mut tender = world.tender();
    let next = tender.keep(second.as_bytes()).unwrap();
    tender.known(PRIORITIES_INBOX, |known| known.next = Some(next));
    tender.save().unwrap();
    drop(tender);
    world.write(PRIORITIES_INBOX, "\n");
    assert_eq!(world.look(OnTamper::Report, &[suspect()]).changes.len(), 1);
    world.write(PRIORITIES_INBOX, &format!("{second}\n## 2026-11-24T12:00:00Z (ann)\n\nThree\n"));
    assert_eq!(world.look(OnTamper::Report, &[suspect()]), Look::default());
    assert_eq!(world.tender().pending(), []);
    world.write(PRIORITIES_INBOX, second);
    assert_eq!(world.look(OnTamper::Report, &[suspect()]).changes.len(), 1, "it is over");
}

#[test]
fn what_is_no_text_comes_back_as_it_was() {
    let mut world = World::new();
    let whole = [FIRST.as_bytes(), b"\n## 2026-11-24T11:00:00Z (eve)\n\nCaf\xe9\n"].concat();
    let inbox = world.shared.path().join(PRIORITIES_INBOX);
    fs::write(&inbox, &whole).unwrap();
    assert_eq!(world.look(OnTamper::Report, &[]), Look::default());
    fs::write(&inbox, "").unwrap();
    assert_eq!(world.look(OnTamper::Report, &[suspect()]).changes.len(), 1);
    let mut tender = world.tender();
    assert!(tender.restore(PRIORITIES_INBOX).unwrap());
    assert_eq!(fs::read(&inbox).unwrap(), whole);
}

/// Also by one that nobody can read, and one that would be waited for.
#[test]
fn an_inbox_that_is_too_large_or_no_file_is_told_and_comes_back() {
    let mut world = World::new();
    let inbox = world.shared.path().join(PRIORITIES_INBOX);
    let large = fs::File::create(&inbox).unwrap();
    large.set_len(crate::folder::FILE_BYTES + 1).unwrap();
    assert_eq!(world.look(OnTamper::Report, &[suspect()]).changes.len(), 1);
    let problem = world.tender().folder().read(Path::new(PRIORITIES_INBOX)).unwrap_err();
    assert!(problem.remedy.contains("callosum context restore"), "{problem}");
    assert!(world.tender().restore(PRIORITIES_INBOX).unwrap());
    assert_eq!(world.read(PRIORITIES_INBOX), FIRST);
    let mut tender = world.tender();
    tender.look(world.now, OnTamper::Report, &mut |_| Vec::new()).unwrap();
    tender.save().unwrap();
    drop(tender);
    fs::remove_file(&inbox).unwrap();
    let (here, kind, mode) = (rustix::fs::CWD, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(here, &inbox, kind, mode, 0).unwrap();
    assert_eq!(world.look(OnTamper::Restore, &[suspect()]).changes.len(), 1);
    assert_eq!(world.read(PRIORITIES_INBOX), FIRST);
}

/// What stands for a call that ended: whether it has to look.
fn is_still(world: &World) -> bool {
    let mut stamps = stamps::Stamps::begin(world.state.path());
    let mut tender = world.tender();
    tender.look(world.now, OnTamper::Report, &mut |_| vec![suspect()]).unwrap();
    tender.save().unwrap();
    stamps.add(tender.stamped());
    stamps.write(world.state.path(), world.now);
    are_still(world.state.path(), world.now + 29_999)
}

#[test]
fn a_call_that_changed_nothing_is_told_without_a_look_and_every_other_one_is_looked_after() {
    let world = World::new();
    let in_folder = |path: &str| world.shared.path().join(path);
    for folder in [CURATED[0], FEEDBACK] {
        fs::create_dir_all(in_folder(folder)).unwrap();
    }
    world.write("roundtable/2026-11-24.md", "One\n");
    let now = world.now + 29_999;
    let still = || are_still(world.state.path(), now);
    assert!(!still(), "nobody has written down what it looked like");
    assert!(is_still(&world) && still());
    assert!(!are_still(world.state.path(), now + 1) && !are_still(world.state.path(), world.now - 1));
    // What an agent writes for itself is no change.
    fs::create_dir_all(in_folder("agent-outputs/bob")).unwrap();
    world.write("agent-outputs/bob/x.md", "Mine\n");
    assert!(still());
    let append = |path: &str| {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(in_folder(path)).unwrap();
        std::io::Write::write_all(&mut file, b"more\n").unwrap();
    };
    let changes: [(&str, &dyn Fn()); 9] = [
        ("an entry", &|| append(PRIORITIES_INBOX)),
        ("a cut inbox", &|| world.write(PRIORITIES_INBOX, "")),
        ("a line of feedback", &|| append("feedback/inbox.jsonl")),
        ("the priorities", &|| append(PRIORITIES)),
        ("a new report", &|| world.write("roundtable/2026-11-25.md", "Mine\n")),
        ("a report saved over", &|| {
            fs::rename(in_folder("agent-outputs/bob/x.md"), in_folder("roundtable/2026-11-24.md")).unwrap();
        }),
        ("a deleted report", &|| fs::remove_file(in_folder("roundtable/2026-11-25.md")).unwrap()),
        ("no priorities", &|| fs::remove_file(in_folder(PRIORITIES)).unwrap()),
        ("another folder", &|| fs::write(world.state.path().join("context.json"), "{}").unwrap()),
    ];
    for (what, change) in changes {
        assert!(is_still(&world), "before {what}");
        change();
        assert!(!still(), "{what}");
    }
    assert!(is_still(&world));
    let file = world.state.path().join("context/stamps");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, bytes.split_last().unwrap().1).unwrap();
    assert!(!still(), "half a file");
}

#[test]
fn stamps_of_some_folders_alone_tell_nothing() {
    let world = World::new();
    let mut stamps = stamps::Stamps::begin(world.state.path());
    stamps.add(world.tender().stamped());
    stamps.lack_one();
    stamps.write(world.state.path(), world.now);
    assert!(!are_still(world.state.path(), world.now));
}
