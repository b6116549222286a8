//! Segments: their id, how they rotate, what is read without patience, and a journal that is gone.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::fs;
use std::path::Path;

use super::*;
use crate::model::tier::Tier;
use crate::record::JournalId;

const LIMIT: SegmentLimit = SegmentLimit { bytes: 1 << 20 };
/// How much is read without patience.
const MOST: u64 = 64 * 1024;

fn now() -> Stamp {
    Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000, boot: Some(7) }
}

fn patient() -> Patience {
    Patience::Until(Instant::now() + std::time::Duration::from_secs(60))
}

fn open(folder: &Path) -> Journal {
    Journal::open(&StateDir::new(folder.to_owned()), LIMIT, "home", Patience::None, &now()).unwrap().unwrap()
}

/// Reads on without looking at the paths; how many lines came, `None` without enough patience.
fn read_on(journal: &mut Journal, patience: Patience, now: &Stamp) -> Result<Option<usize>, StateError> {
    let mut lines = 0;
    let proof = journal.catch_up(patience, Check::Seldom, now, &mut |_, _| lines += 1)?;
    Ok(proof.map(|_| lines))
}

/// Appends a line of so many bytes.
fn put(journal: &mut Journal, bytes: u64) {
    let line = |more: u64| {
        let mut record = Record::new(Action::Intercept, "home", &now());
        record.tier = Some(Tier::High);
        record.session = Some("x".repeat(usize::try_from(more).unwrap()));
        record
    };
    let least = line(1).to_line().unwrap().len() as u64 - 1;
    let proof = journal.catch_up(Patience::None, Check::Seldom, &now(), &mut |_, _| {}).unwrap().unwrap();
    let before = journal.active().size();
    journal.append(&proof, &line(bytes - least), &now()).unwrap();
    assert_eq!(journal.active().size() - before, bytes);
}

fn rotate(journal: &mut Journal) -> Appended {
    let proof = journal.catch_up(Patience::None, Check::Seldom, &now(), &mut |_, _| {}).unwrap().unwrap();
    journal.rotate(&proof, &now(), Carried::default()).unwrap().unwrap()
}

/// Which journal the segments in a folder say they are of, oldest first.
fn ids(folder: &Path) -> Vec<Option<JournalId>> {
    let directory = StateDir::new(folder.to_owned());
    let closed = closed_segments(&directory).unwrap().into_iter().map(|(_, path)| path);
    let paths = closed.chain([folder.join("journal.jsonl")]);
    paths.map(|path| Segment::open(&directory.disk, &path).unwrap().unwrap().journal).collect()
}

#[test]
fn a_journal_keeps_its_id_from_segment_to_segment() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut journal = open(folder.path());
    let id = journal.active().journal;
    assert!(id.is_some() && id != open(other.path()).active().journal);
    rotate(&mut journal);
    // A rotation that was cut off is finished by who comes next.
    let proof = journal.catch_up(Patience::None, Check::Seldom, &now(), &mut |_, _| {}).unwrap().unwrap();
    journal.rotate(&proof, &now(), Carried::default()).unwrap();
    drop(proof);
    std::fs::remove_file(folder.path().join("journal.jsonl")).unwrap();
    assert_eq!(open(folder.path()).active().journal, id);
    assert_eq!(ids(folder.path()), [id; 3]);

    // One of an earlier version gets one with its next segment.
    let mut opened = Record::new(Action::Opened, "home", &now());
    (opened.base, opened.of) = (Some(0), vec![0]);
    let old = tempfile::tempdir().unwrap();
    std::fs::write(old.path().join("journal.jsonl"), opened.to_line().unwrap()).unwrap();
    let mut journal = open(old.path());
    assert_eq!(journal.active().journal, None);
    rotate(&mut journal);
    rotate(&mut journal);
    let id = journal.active().journal;
    assert!(id.is_some());
    assert_eq!(ids(old.path()), [None, id, id]);
}

#[test]
fn only_so_much_of_what_others_wrote_is_read_without_patience() {
    for (bytes, lines) in [(MOST - 1, Some(1)), (MOST, Some(1)), (MOST + 1, None)] {
        let folder = tempfile::tempdir().unwrap();
        let mut late = open(folder.path());
        read_on(&mut late, Patience::None, &now()).unwrap();
        put(&mut open(folder.path()), bytes);
        assert_eq!(read_on(&mut late, Patience::None, &now()).unwrap(), lines, "{bytes}");
        let left = usize::from(lines.is_none());
        assert_eq!(read_on(&mut late, patient(), &now()).unwrap(), Some(left), "{bytes}");
    }
}

#[test]
fn what_lies_in_several_segments_counts_together() {
    let folder = tempfile::tempdir().unwrap();
    let (mut late, mut busy) = (open(folder.path()), open(folder.path()));
    read_on(&mut late, Patience::None, &now()).unwrap();
    put(&mut busy, MOST / 2);
    rotate(&mut busy);
    put(&mut busy, MOST / 2);
    assert_eq!(read_on(&mut late, Patience::None, &now()).unwrap(), None);
    // What was read stays read: the first line of the second segment, and its own.
    assert_eq!(read_on(&mut late, Patience::None, &now()).unwrap(), Some(2));
    assert_eq!(late.active().base, busy.active().base);
}

#[test]
fn who_may_wait_reads_before_it_has_the_guard() {
    let folder = tempfile::tempdir().unwrap();
    let (mut late, mut busy) = (open(folder.path()), open(folder.path()));
    put(&mut busy, MOST);
    rotate(&mut busy);
    put(&mut busy, MOST);
    let held = busy.guard().try_hold().unwrap().unwrap();
    let mut lines = 0;
    let told = late.catch_up(Patience::Until(Instant::now()), Check::Seldom, &now(), &mut |_, _| lines += 1);
    assert!(told.is_err());
    // What was put into each, and the first line of the second.
    assert_eq!((lines, late.active().base), (3, busy.active().base));
    drop(held);
    assert_eq!(read_on(&mut late, Patience::None, &now()).unwrap(), Some(0));
}

#[test]
fn a_deleted_journal_is_noticed_after_a_few_milliseconds() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    read_on(&mut journal, Patience::None, &now()).unwrap();
    fs::remove_file(folder.path().join("journal.jsonl")).unwrap();
    for ms in [0, NAME_CHECK_MS - 1] {
        assert!(read_on(&mut journal, Patience::None, &now().plus_ms(ms)).is_ok(), "{ms}");
    }
    let later = now().plus_ms(NAME_CHECK_MS);
    assert!(matches!(read_on(&mut journal, Patience::None, &later), Err(StateError::Replaced { .. })));
    // A guarded decision looks at once.
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    read_on(&mut journal, Patience::None, &now()).unwrap();
    fs::remove_file(folder.path().join("journal.jsonl")).unwrap();
    assert!(matches!(
        journal.catch_up(Patience::None, Check::All, &now(), &mut |_, _| {}),
        Err(StateError::Replaced { .. })
    ));
}

#[test]
fn a_rotation_that_was_cut_off_is_finished_by_the_next_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    put(&mut journal, 500);
    assert!(!journal.is_between_segments());
    let proof = journal.catch_up(Patience::None, Check::Seldom, &now(), &mut |_, _| {}).unwrap().unwrap();
    // In the way of the new file.
    let next = folder.path().join("journal.next");
    fs::create_dir(&next).unwrap();
    assert!(journal.rotate(&proof, &now(), Carried::default()).is_err());
    assert!(journal.is_between_segments());
    let record = Record::new(Action::Seen, "home", &now());
    assert!(journal.append(&proof, &record, &now()).is_err());
    fs::remove_dir(&next).unwrap();
    let appended = journal.append(&proof, &record, &now()).unwrap();
    assert!(!journal.is_between_segments());
    let opened = appended.end - record.to_line().unwrap().len() as u64;
    assert_eq!(appended.seq, journal.active().base + opened);
    assert!(journal.active().base > 0);
}

#[test]
fn a_segment_that_others_closed_since_is_not_there_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (mut late, mut busy) = (open(folder.path()), open(folder.path()));
    rotate(&mut busy);
    assert_eq!(*late.segments().unwrap().closed, []);
    let closed = |journal: &Journal| {
        journal.segments().unwrap().closed.iter().map(|(base, _)| *base).collect::<Vec<_>>()
    };
    assert_eq!(closed(&busy), [0]);
    read_on(&mut late, Patience::None, &now()).unwrap();
    assert_eq!(closed(&late), [0]);
}

#[test]
fn what_is_too_long_to_be_a_line_is_foreign_and_moves_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let mut late = open(folder.path());
    read_on(&mut late, Patience::None, &now()).unwrap();
    let mut found = Vec::new();
    let from = late.active().read;
    let mut record = Record::new(Action::Intercept, "home", &now());
    record.session = Some("s".to_owned());
    let line = record.to_line().unwrap();
    // It ends like a record, and the ends of two chunks fall elsewhere.
    let long = [vec![0; 40 << 20], line.clone()].concat();
    let path = folder.path().join("journal.jsonl");
    let bytes = [fs::read(&path).unwrap(), long.clone(), line].concat();
    fs::write(&path, bytes).unwrap();
    late.catch_up(patient(), Check::Seldom, &now(), &mut |seq, line| {
        found.push((seq, matches!(line, Line::Foreign), matches!(line, Line::Record(_))));
    })
    .unwrap()
    .unwrap();
    assert_eq!(found, [(from, true, false), (from + long.len() as u64, false, true)]);
}
