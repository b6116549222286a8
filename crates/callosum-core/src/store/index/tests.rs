//! What an index holds and takes over from the one before, and that a damaged one leads nowhere.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
use std::fs;
use std::path::Path;

use super::*;
use crate::decision::history::Who;
use crate::model::tier::Tier;
use crate::record::{Action, Conflict, Record};
use crate::store::journal::recent::SLACK_MS;
use crate::store::journal::segment::Carried;
use crate::store::journal::segments::Segments;

const KEEP_MS: u64 = 60_000;

fn now() -> Stamp {
    Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000, boot: Some(7) }
}

fn mail(key: &str) -> Vec<u8> {
    let mut record = Record::new(Action::Intercept, "home", &now());
    record.tier = Some(Tier::High);
    record.session = Some("a".to_owned());
    record.context_keys = vec![key.to_owned()];
    record.to_line().unwrap()
}

fn begin(folder: &Path, base: u64) -> (StateDir, Segment) {
    let directory = StateDir::new(folder.to_owned());
    let segment = Segment::begin(&directory, base, None, "home", &now(), Carried::default()).unwrap();
    (directory, segment)
}

fn write_index(directory: &StateDir, segment: &Segment, step: u64, history: &History) -> Indexed {
    write_index_at(&now(), directory, segment, step, history)
}

fn write_index_at(
    now: &Stamp,
    directory: &StateDir,
    segment: &Segment,
    step: u64,
    history: &History,
) -> Indexed {
    let active = (segment.base, Arc::clone(&segment.file));
    let segments = Segments { closed: Arc::default(), active, disk: Arc::clone(&directory.disk) };
    let covered = (segment.base, segment.read);
    IndexJob::new(directory.clone(), segments, covered, KEEP_MS, step, history, now).run(None).unwrap()
}

#[test]
fn an_index_is_bound_to_its_segment_and_the_whole_of_its_last_line() {
    let folder = tempfile::tempdir().unwrap();
    let (_, mut segment) = begin(folder.path(), 1_000);
    segment.append(&mail("a")).unwrap();
    let line = mail("b");
    let last_line = segment.append(&line).unwrap().seq;
    let text = line.strip_suffix(b"\n").unwrap();
    let covered = segment.size();
    let right = IndexHeader {
        base: 1_000,
        covered,
        last_line,
        checksum: crc32fast::hash(text),
        ..IndexHeader::default()
    };
    assert!(right.is_bound_to(&segment));
    for wrong in [
        IndexHeader { base: 999, ..right.clone() },
        IndexHeader { covered: covered - 1, ..right.clone() },
        IndexHeader { covered: covered + 1, ..right.clone() },
        IndexHeader { covered: 0, ..right.clone() },
        IndexHeader { last_line: last_line - 1, ..right.clone() },
        IndexHeader { last_line: 999, ..right.clone() },
        IndexHeader { last_line: covered + 1_000, ..right.clone() },
        IndexHeader { checksum: crc32fast::hash(b"another"), ..right.clone() },
        IndexHeader { checksum: crc32fast::hash(b""), ..right.clone() },
    ] {
        assert!(!wrong.is_bound_to(&segment), "{wrong:?}");
    }
    segment.append(&mail("c")).unwrap();
    assert!(right.is_bound_to(&segment));
    // The line goes on where it should end.
    let path = folder.path().join("journal.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.get_mut(usize::try_from(covered).unwrap() - 1).unwrap() = b' ';
    fs::write(&path, bytes).unwrap();
    assert!(!right.is_bound_to(&segment));
}

#[test]
fn an_index_with_a_long_header_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut segment) = begin(folder.path(), 0);
    let seq = segment.append(&mail("a")).unwrap().seq;
    let mut history = History::new(KEEP_MS, 0);
    let counts = HookCounts { before: 3, after: 2 };
    let seen = (0..400).map(|tool| (format!("{tool} {}", "x".repeat(100)), counts)).collect();
    history.add_counts("test", &seen, 10);
    history.skipped = 7;
    write_index(&directory, &segment, 0, &history);
    assert!(fs::metadata(folder.path().join(FILE_NAME)).unwrap().len() > 2 * HEADER as u64);
    let index = Index::open(&directory).unwrap();
    assert_eq!(index.on(Topic::key("a")).unwrap(), [seq]);
    assert_eq!(index.on(Topic::key("b")).unwrap(), [0; 0]);
    let mut restored = History::new(KEEP_MS, 0);
    index.header().restore_counts(&mut restored);
    assert_eq!((&restored.coverage, restored.skipped), (&history.coverage, 7));
}

#[test]
fn an_index_may_have_no_entries_but_no_sizes_beyond_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, segment) = begin(folder.path(), 0);
    let indexed = write_index(&directory, &segment, 0, &History::new(KEEP_MS, 0));
    assert_eq!((indexed.end, indexed.bytes), (segment.read, 0));
    let index = Index::open(&directory).unwrap();
    assert_eq!((index.size(), index.header().end()), (0, segment.read));
    assert_eq!(index.on(Topic::key("a")).unwrap(), [0; 0]);
    let huge = [1_u64 << 59, 1 << 60, 1 << 63].map(|count| format!("0 0 {count}\n"));
    for text in huge.iter().map(String::as_str).chain(["", "\n", "0 0 3\n", "0 0 0\n", "0 9999999999 1\n"]) {
        fs::write(folder.path().join(FILE_NAME), text).unwrap();
        assert!(Index::open(&directory).is_none(), "{text}");
    }
}

/// What an index says was read once: the next one takes it over, whatever has become of the lines.
#[test]
fn a_new_index_goes_on_from_the_one_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut segment) = begin(folder.path(), 0);
    let history = History::new(KEEP_MS, 0);
    let path = folder.path().join("journal.jsonl");
    let first = segment.append(&mail("a")).unwrap().seq;
    let second = segment.append(&mail("b")).unwrap().seq;
    let indexed = write_index(&directory, &segment, 0, &history);
    assert_eq!((indexed.end, indexed.bytes), (segment.read, 2 * ENTRY as u64));
    let mut bytes = fs::read(&path).unwrap();
    let (from, to) = (usize::try_from(first).unwrap(), usize::try_from(second).unwrap() - 1);
    bytes.get_mut(from..to).unwrap().fill(b'x');
    fs::write(&path, bytes).unwrap();
    let third = segment.append(&mail("a")).unwrap();
    // One that covers little less is as good.
    let step = third.end - indexed.end;
    let as_good = write_index(&directory, &segment, step, &history);
    assert_eq!((as_good.end, as_good.bytes), (indexed.end, indexed.bytes));
    let indexed = write_index(&directory, &segment, step - 1, &history);
    assert_eq!((indexed.end, indexed.bytes), (third.end, 3 * ENTRY as u64));
    let index = Index::open(&directory).unwrap();
    assert_eq!(index.on(Topic::key("a")).unwrap(), [first, third.seq]);
    assert_eq!(index.on(Topic::key("b")).unwrap(), [second]);
    assert_eq!(index.header().newest, [first, second, third.seq]);
    assert_eq!(index.header().open, [first, second, third.seq]);
    // Without it only what can be read is known.
    fs::remove_file(folder.path().join(FILE_NAME)).unwrap();
    write_index(&directory, &segment, 0, &history);
    assert_eq!(Index::open(&directory).unwrap().on(Topic::key("a")).unwrap(), [third.seq]);
}

/// A pause whose delivery a host will tell.
fn pause(key: &str) -> Vec<u8> {
    let mut record = Record::new(Action::Blocked, "home", &now());
    record.session = Some("a".to_owned());
    record.context_keys = vec![key.to_owned()];
    record.signal = true;
    record.to_line().unwrap()
}

/// How far the journal was is marked so often.
const PART_MS: u64 = KEEP_MS / 16;

/// What came before a mark that is too old may go.
#[test]
fn what_is_out_of_every_window_leaves_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut segment) = begin(folder.path(), 0);
    let history = History::new(KEEP_MS, 0);
    let who = Who::here("home", "a");
    let names = ["0", "1", "2", "3", "4"];
    let mut seqs = Vec::new();
    let too_old = KEEP_MS + SLACK_MS + 1;
    for (name, (ms, first)) in
        names.iter().zip([(0, 0), (PART_MS, 0), (too_old - 1, 0), (too_old, 1), (too_old + PART_MS, 2)])
    {
        seqs.push((segment.append(&mail(name)).unwrap().seq, segment.append(&pause(name)).unwrap().seq));
        write_index_at(&now().plus_ms(ms), &directory, &segment, 0, &history);
        let index = Index::open(&directory).unwrap();
        for (number, (name, (action, pause))) in names.iter().zip(&seqs).enumerate() {
            let there = number >= first;
            let on = [Topic::key(name), Topic::pauses(&who, name)].map(|topic| index.on(topic).unwrap());
            let expected = [action, pause].map(|seq| if there { vec![*seq] } else { Vec::new() });
            assert_eq!(on, expected, "{name} after {ms} ms");
        }
        let left = seqs.iter().skip(first);
        let (open, unread): (Vec<u64>, Vec<u64>) = left.copied().unzip();
        assert_eq!((&index.header().open, &index.header().unread), (&open, &unread), "after {ms} ms");
    }
}

#[test]
fn how_far_the_journal_was_is_marked_once_a_part_of_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut segment) = begin(folder.path(), 0);
    let history = History::new(KEEP_MS, 0);
    let back = |ms: i64, at: Stamp| Stamp { wall_ms: at.wall_ms - ms, ..at };
    let rebooted = |at: Stamp| Stamp { boot: Some(8), up_ms: 0, ..at };
    let mut marked = Vec::new();
    for (at, is_marked) in [
        (now(), true),
        (now().plus_ms(PART_MS - 1), false),
        (now().plus_ms(PART_MS), true),
        // The wall clock was set back: the time since the boot says how long ago the last one was.
        (back(50_000, now().plus_ms(2 * PART_MS - 1)), false),
        (back(50_000, now().plus_ms(2 * PART_MS)), true),
        // Of another boot only the wall clock says it, and of what lies ahead there nothing does.
        (rebooted(back(50_000, now().plus_ms(3 * PART_MS - 1))), false),
        (rebooted(back(50_000, now().plus_ms(3 * PART_MS))), true),
        (back(50_001, now().plus_ms(3 * PART_MS)), true),
    ] {
        segment.append(&mail("a")).unwrap();
        let end = write_index_at(&at, &directory, &segment, 0, &history).end;
        marked.extend(is_marked.then_some(end));
        let marks = Index::open(&directory).unwrap().header().marks.clone();
        assert_eq!(marks.iter().map(|mark| mark.seq).collect::<Vec<_>>(), marked, "{at:?}");
    }
}

#[test]
fn a_damaged_table_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut segment) = begin(folder.path(), 0);
    segment.append(&mail("a")).unwrap();
    write_index(&directory, &segment, 0, &History::new(KEEP_MS, 0));
    let path = folder.path().join(FILE_NAME);
    let bytes = fs::read(&path).unwrap();
    let table_at = bytes.len() - ENTRY - ROW;
    let damaged = |row: [u8; ROW]| {
        let mut bytes = bytes.clone();
        bytes.get_mut(table_at..table_at + ROW).unwrap().copy_from_slice(&row);
        fs::write(&path, bytes).unwrap();
        let index = Index::open(&directory).unwrap();
        assert_eq!((index.on(Topic::key("a")).is_err(), index.all()), (true, None), "{row:?}");
    };
    let row: [u8; ROW] = bytes.get(table_at..table_at + ROW).unwrap().try_into().unwrap();
    damaged([0; ROW]);
    damaged([0xff; ROW]);
    for at in 0..ROW {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut other = row;
            *other.get_mut(at).unwrap() ^= byte;
            if other != row {
                damaged(other);
            }
        }
    }
}

#[test]
fn an_index_names_what_is_open_and_what_became_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let (directory, mut segment) = begin(folder.path(), 0);
    let mut put = |record: &Record| segment.append(&record.to_line().unwrap()).unwrap().seq;
    let record = |action: Action, of: &[u64]| {
        let mut record = Record::new(action, "home", &now());
        record.session = Some("a".to_owned());
        record.of = of.to_vec();
        record
    };
    let start = |tier: Tier| {
        let context_keys = vec!["key".to_owned()];
        Record { tier: Some(tier), context_keys, ..record(Action::Intercept, &[]) }
    };
    let starts: Vec<u64> = (0..7).map(|_| put(&start(Tier::Medium))).collect();
    // What is only logged is no action, even where its line is read.
    let seen = BTreeMap::from([("exec".to_owned(), HookCounts { before: 1, after: 0 })]);
    put(&Record { seen, ..start(Tier::Low) });
    let [complete, failed, refused, unknown, running, released, open] = starts[..] else { panic!() };
    let ends = [
        (complete, Action::Complete),
        (failed, Action::Failed),
        (refused, Action::Refused),
        (unknown, Action::Unknown),
        (running, Action::Running),
        (released, Action::Released),
    ];
    let ends = ends.map(|(of, action)| (of, put(&record(action, &[of]))));
    let pause = |signal: bool| Record { signal, ..record(Action::Blocked, &[]) };
    let [told, untold, unsignalled] = [pause(true), pause(true), pause(false)].map(|record| put(&record));
    let delivered = put(&record(Action::Delivered, &[told, unsignalled]));
    // The original plugin's line for a finished action says all of it. A block is no pause.
    let keys = |key: &str| vec![key.to_owned()];
    let original = Record { v: 0, context_keys: keys("old"), ..record(Action::Complete, &[]) };
    let original = put(&original);
    let conflicts = [Some(Conflict::Lease), Some(Conflict::Recent)];
    let [_, pause] = conflicts
        .map(|conflict| put(&Record { conflict, context_keys: keys("key"), ..record(Action::Blocked, &[]) }));
    write_index(&directory, &segment, 0, &History::new(KEEP_MS, 0));
    let index = Index::open(&directory).unwrap();
    assert_eq!(index.on(Topic::key("old")).unwrap(), [original]);
    let who = Who::here("home", "a");
    assert_eq!(index.on(Topic::pauses(&who, "key")).unwrap(), [pause]);
    assert_eq!(index.header().newest, starts);
    assert_eq!(index.header().open, [running, released, open]);
    assert_eq!(index.header().unread, [untold]);
    assert_eq!(index.on(Topic::key("key")).unwrap(), starts);
    for (of, sequel) in ends.into_iter().chain([(told, delivered), (unsignalled, delivered)]) {
        assert_eq!(index.on(Topic::sequel(of)).unwrap(), [sequel], "{of}");
    }
    assert_eq!(index.on(Topic::sequel(open)).unwrap(), [0; 0]);
}
