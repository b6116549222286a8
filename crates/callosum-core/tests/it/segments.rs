//! One segment of the journal: how it is found, begun and ended, whatever a power cut or somebody else left there.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;

use callosum_core::model::time::Stamp;
use callosum_core::record::{Action, JournalId, KnownWindow, Line, Record};
use callosum_core::store::disk::OpenMode;
use callosum_core::store::journal::retention::{Retention, delete_before, first_to_keep};
use callosum_core::store::journal::segment::{Carried, Segment};
use callosum_core::store::journal::segment_file::{SegmentFile, closed_segments};
use callosum_core::store::state_dir::StateDir;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::mishaps::{Mishap, Mishaps};
use tempfile::TempDir;

/// No segment begins here or later.
const TOO_FAR: u64 = 1 << 60;

fn now() -> Stamp {
    Stamp { wall_ms: 1_800_000_000_000, up_ms: 5_000, boot: Some(7) }
}

fn folder() -> (TempDir, StateDir) {
    let folder = tempfile::tempdir().unwrap();
    let directory = StateDir::new(folder.path().to_owned());
    (folder, directory)
}

fn write(directory: &StateDir, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(directory.path.join(name), bytes).unwrap();
}

fn read(directory: &StateDir, name: &str) -> String {
    fs::read_to_string(directory.path.join(name)).unwrap()
}

fn exists(directory: &StateDir, name: &str) -> bool {
    directory.path.join(name).exists()
}

fn begun(directory: &StateDir) -> Segment {
    Segment::begin(directory, 0, None, "home", &now(), Carried::default()).unwrap()
}

fn opened(base: Option<u64>, of: Vec<u64>) -> Record {
    Record { base, of, ..Record::new(Action::Opened, "home", &now()) }
}

#[test]
fn closed_segments_come_in_order_and_nothing_else_counts_as_one() {
    let (_folder, directory) = folder();
    let far = [TOO_FAR - 1, TOO_FAR, TOO_FAR + 1].map(|base| format!("journal.{base}.jsonl"));
    let others = ["journal.jsonl", "journal.x.jsonl", "journal.7", "other.7.jsonl", "journal.-7.jsonl"];
    for name in ["journal.100.jsonl", "journal.9.jsonl", "journal.20.jsonl"].into_iter().chain(others) {
        write(&directory, name, "");
    }
    far.iter().for_each(|name| write(&directory, name, ""));
    let found = closed_segments(&directory).unwrap();
    assert_eq!(found.iter().map(|(base, _)| *base).collect::<Vec<_>>(), [9, 20, 100, TOO_FAR - 1]);
    assert_eq!(found[0].1, directory.path.join("journal.9.jsonl"));
}

#[test]
fn a_first_line_says_where_its_segment_begins_unless_the_number_may_be_damaged() {
    let (_folder, directory) = folder();
    let base_of = |record: &Record| {
        write(&directory, "journal.jsonl", record.to_line().unwrap());
        let path = directory.path.join("journal.jsonl");
        let file = SegmentFile::open(&directory.disk, path, OpenMode::Read).unwrap();
        file.opening_record().unwrap().map(|record| record.base)
    };
    assert_eq!(base_of(&opened(Some(7), vec![7])), Some(Some(7)));
    assert_eq!(base_of(&opened(Some(7), vec![])), Some(Some(7)));
    assert_eq!(base_of(&opened(Some(7), vec![8])), None);
    assert_eq!(base_of(&opened(None, vec![7])), None);
    assert_eq!(base_of(&opened(None, vec![])), None);
    assert_eq!(base_of(&opened(Some(TOO_FAR - 1), vec![])), Some(Some(TOO_FAR - 1)));
    assert_eq!(base_of(&opened(Some(TOO_FAR), vec![TOO_FAR])), None);
    // It may be a long one: so many instances have named their windows.
    let windows = (0..500).map(|name| (name.to_string(), KnownWindow { ms: 5, at: 6 })).collect();
    assert_eq!(base_of(&Record { windows, ..opened(Some(7), vec![7]) }), Some(Some(7)));
    assert_eq!(base_of(&Record { action: Action::Closed, ..opened(Some(7), vec![7]) }), None);
}

#[test]
fn a_journal_begins_where_the_last_closed_segment_ends() {
    for (closed, base) in
        [(&[][..], 0), (&["journal.0.jsonl"], 50), (&["journal.0.jsonl", "journal.50.jsonl"], 100)]
    {
        let (_folder, directory) = folder();
        closed.iter().for_each(|name| write(&directory, name, [b'\n'; 50]));
        let segment = Segment::open_or_begin(&directory, "home", &now()).unwrap();
        assert_eq!((segment.base, segment.read), (base, segment.size()), "{closed:?}");
        let again = Segment::open_or_begin(&directory, "home", &now()).unwrap();
        assert_eq!((again.base, again.read, again.size()), (base, 0, segment.size()));
    }
}

#[test]
fn the_original_plugins_journal_starts_the_journal() {
    let (_folder, directory) = folder();
    write(&directory, "journal.jsonl", "{\"action\":\"complete\"}\n");
    let segment = Segment::open_or_begin(&directory, "home", &now()).unwrap();
    assert_eq!((segment.base, segment.read, segment.size()), (0, 0, 22));
    assert_eq!(read(&directory, "journal.jsonl"), "{\"action\":\"complete\"}\n");
    assert!(!exists(&directory, "journal.0.jsonl"));
}

#[test]
fn a_segment_that_lost_its_first_line_is_set_aside_where_it_must_have_begun() {
    let (_folder, directory) = folder();
    write(&directory, "journal.0.jsonl", [b'\n'; 50]);
    write(&directory, "journal.jsonl", "torn\nabc");
    let segment = Segment::open_or_begin(&directory, "home", &now()).unwrap();
    assert_eq!((segment.base, segment.read), (58, segment.size()));
    assert_eq!(read(&directory, "journal.50.jsonl"), "torn\nabc");

    // Of one that lost everything nothing is kept.
    for closed in [0, 50] {
        let (_folder, directory) = folder();
        if closed > 0 {
            write(&directory, "journal.0.jsonl", [b'\n'; 50]);
        }
        write(&directory, "journal.jsonl", "");
        let segment = Segment::open_or_begin(&directory, "home", &now()).unwrap();
        assert_eq!((segment.base, segment.read), (closed, segment.size()));
        let files = fs::read_dir(&directory.path).unwrap().count();
        assert_eq!(files, 1 + usize::from(closed > 0));
    }
}

#[test]
fn a_segment_knows_whether_it_is_the_active_one_another_is_or_none() {
    let (_folder, directory) = folder();
    let segment = begun(&directory);
    let told =
        || (segment.is_active_in(&directory).unwrap(), segment.is_another_active_in(&directory).unwrap());
    assert_eq!(told(), (true, false));
    segment.retire(&directory).unwrap();
    assert_eq!(told(), (false, false));
    write(&directory, "journal.jsonl", "");
    assert_eq!(told(), (false, true));
    assert!(!segment.is_opened_as_closed());
    assert!(Segment::open_at(&directory, 0).unwrap().unwrap().is_opened_as_closed());
}

/// Whether a last line is ended that `rest` is the beginning of, and whether it is there with its newline then.
fn is_ended(rest: &[u8], closes: bool) -> bool {
    let (_folder, directory) = folder();
    let first = begun(&directory).size();
    let path = directory.path.join("journal.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(rest);
    write(&directory, "journal.jsonl", &bytes);
    let mut segment = Segment::open(&directory.disk, &path).unwrap().unwrap();
    segment.read_on(None, &mut |_, _| {}).unwrap();
    assert_eq!(segment.read, first);
    if closes {
        segment.retire(&directory).unwrap();
    }
    let ended = segment.end_whole_line(&directory).unwrap();
    assert_eq!(segment.refresh_size(false).unwrap(), bytes.len() as u64 + u64::from(ended));
    ended
}

#[test]
fn a_last_line_is_ended_when_it_is_whole_in_the_active_segment_and_no_longer_than_any_of_ours() {
    assert!(is_ended(b"{}", false));
    assert!(!is_ended(b"{}", true));
    assert!(!is_ended(b"", false));
    assert!(!is_ended(b"{\"v\":1", false));
    let long = |length: usize| [b"7".as_slice(), &vec![b' '; length - 1]].concat();
    assert!(is_ended(&long(16 << 20), false));
    assert!(!is_ended(&long((16 << 20) + 1), false));
    assert!(!is_ended(&long((16 << 20) + 2), false));
}

const INTERRUPTED: Mishap = Mishap::Fails(io::ErrorKind::Interrupted);

#[test]
fn a_new_segment_is_whole_or_does_not_get_its_name() {
    for (mishaps, begins) in [
        (vec![], true),
        (vec![INTERRUPTED], true),
        (vec![INTERRUPTED, Mishap::Takes(5), INTERRUPTED, Mishap::Takes(1)], true),
        (vec![Mishap::Takes(0)], false),
        (vec![Mishap::Fails(io::ErrorKind::StorageFull), Mishap::Takes(5)], false),
    ] {
        let disk = TestDisk::<Mishaps>::default();
        disk.writes.lock().unwrap().clone_from(&mishaps);
        let (_folder, directory) = disk.folder();
        let id = Some(JournalId::random());
        let segment = Segment::begin(&directory, 9, id, "home", &now(), Carried::default());
        assert_eq!(segment.is_ok(), begins, "{mishaps:?}");
        assert_eq!(exists(&directory, "journal.jsonl"), begins, "{mishaps:?}");
        if begins {
            let line =
                String::from_utf8(Record { journal: id, ..opened(Some(9), vec![9]) }.to_line().unwrap())
                    .unwrap();
            assert_eq!(read(&directory, "journal.jsonl"), line, "{mishaps:?}");
        }
    }
}

#[test]
fn a_read_goes_on_until_there_is_all_or_it_fails() {
    let read = |mishaps: &[Mishap], offset: u64, length: usize| {
        let disk = TestDisk::<Mishaps>::default();
        disk.reads.lock().unwrap().extend(mishaps);
        let (_folder, directory) = disk.folder();
        write(&directory, "file", "0123456789");
        let file = SegmentFile::open(&directory.disk, directory.path.join("file"), OpenMode::Read).unwrap();
        let mut buffer = vec![0; length];
        let whole = file.read_exact_at(&mut buffer, offset);
        whole.map(|()| String::from_utf8(buffer).unwrap()).map_err(|error| error.to_string())
    };
    let few = [Mishap::Takes(2), INTERRUPTED, INTERRUPTED, Mishap::Takes(3), Mishap::Takes(1)];
    for mishaps in [&[][..], &[INTERRUPTED], &few] {
        assert_eq!(read(mishaps, 1, 9).as_deref(), Ok("123456789"), "{mishaps:?}");
    }
    assert_eq!(read(&[Mishap::Takes(0)], 3, 0).as_deref(), Ok(""));
    // The file ends before, or the disk fails.
    for (mishaps, offset) in [(&[][..], 2), (&few, 2), (&[], 11), (&[Mishap::Fails(io::ErrorKind::Other)], 0)]
    {
        let told = read(mishaps, offset, 9).unwrap_err();
        assert!(told.contains("file"), "{told}");
    }
}

#[test]
fn a_line_is_appended_whole_or_taken_back() {
    let disk = TestDisk::<Mishaps>::default();
    let (_folder, directory) = disk.folder();
    let mut segment = begun(&directory);
    let first = read(&directory, "journal.jsonl");
    for mishap in
        [Mishap::Takes(0), Mishap::Takes(5), Mishap::Takes(6), Mishap::Fails(io::ErrorKind::StorageFull)]
    {
        disk.writes.lock().unwrap().push(mishap);
        let told = segment.append(b"{\"a\":1}\n").unwrap_err().to_string();
        assert!(told.contains("append to"), "{told}");
        assert_eq!(read(&directory, "journal.jsonl"), first, "{mishap:?}");
        assert_eq!((segment.size(), segment.read), (first.len() as u64, first.len() as u64));
    }
    let appended = segment.append(b"one\n").unwrap();
    assert_eq!((appended.seq, appended.end), (first.len() as u64, first.len() as u64 + 4));
    assert!(!appended.ended_torn_line);
    let appended = segment.append(b"two\n").unwrap();
    assert_eq!((appended.seq, appended.end), (first.len() as u64 + 4, first.len() as u64 + 8));
    assert_eq!(read(&directory, "journal.jsonl"), format!("{first}one\ntwo\n"));
    assert_eq!((segment.size(), segment.read), (appended.end, appended.end));
}

#[test]
fn a_line_behind_an_unfinished_one_ends_that_and_begins_behind_its_newline() {
    let (_folder, directory) = folder();
    let path = directory.path.join("journal.jsonl");
    let first = put_behind(&begun(&directory), &directory, b"torn");
    let mut segment = Segment::open(&directory.disk, &path).unwrap().unwrap();
    segment.read_on(None, &mut |_, _| {}).unwrap();
    assert_eq!(segment.next_line_start(), segment.size() + 1);
    let appended = segment.append(b"one\n").unwrap();
    assert_eq!(read(&directory, "journal.jsonl"), format!("{first}torn\none\n"));
    assert_eq!((appended.seq, appended.end), (first.len() as u64 + 5, first.len() as u64 + 9));
    assert!(appended.ended_torn_line);
    assert_eq!(segment.next_line_start(), appended.end);
}

/// Puts bytes behind what is in the active segment; returns what that was.
fn put_behind(segment: &Segment, directory: &StateDir, bytes: &[u8]) -> String {
    let text = read(directory, "journal.jsonl");
    assert_eq!(segment.size(), text.len() as u64);
    write(directory, "journal.jsonl", [text.as_bytes(), bytes].concat());
    text
}

#[test]
fn a_closing_line_tells_where_it_stands_and_what_follows_if_it_ends_there() {
    let (_folder, directory) = folder();
    let begun = Segment::begin(&directory, 100, None, "home", &now(), Carried::default()).unwrap();
    let at = begun.size();
    let closing = |base: u64| {
        let record = Record { base: Some(base), ..Record::new(Action::Closed, "home", &now()) };
        record.to_line().unwrap()
    };
    let end = 100 + at + closing(999).len() as u64;
    assert!(end < 1_000, "all the numbers have three digits");
    for (number, (lines, next_base, foreign)) in [
        (closing(end), Some(end), 0),
        (closing(end - 1), None, 1),
        (closing(end + 1), None, 1),
        ([closing(end), b"{}\n".to_vec()].concat(), None, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let text = read(&directory, "journal.jsonl").split_inclusive('\n').next().unwrap().to_owned();
        write(&directory, "journal.jsonl", [text.as_bytes(), &lines].concat());
        let mut segment = Segment::open_at(&directory, 100).unwrap().unwrap();
        let mut skipped = 0;
        let told =
            segment.read_on(None, &mut |_, line| skipped += usize::from(matches!(line, Line::Foreign)));
        let told = told.unwrap().map(|closing| (closing.at, closing.next_base));
        assert_eq!(told, next_base.map(|next_base| (at, next_base)), "{number}");
        assert_eq!((skipped, segment.read), (foreign, segment.size()), "{number}");
    }
}

#[test]
fn only_a_journal_that_others_may_use_is_made_private() {
    for (mode, done) in [(0o600, &[][..]), (0o640, &["private"]), (0o604, &["private"])] {
        let disk = TestDisk::<Mishaps>::default();
        let (_folder, directory) = disk.folder();
        let path = directory.path.join("journal.jsonl");
        begun(&directory);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        disk.done();
        Segment::open(&directory.disk, &path).unwrap();
        assert_eq!(disk.done(), done, "{mode:o}");
        let left = if done.is_empty() { mode } else { 0o600 };
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, left);
    }
}

#[test]
fn what_the_system_does_not_say_is_no_answer() {
    let (_folder, directory) = folder();
    let segment = begun(&directory);
    // What should be a folder is a file.
    let nowhere = StateDir::new(directory.path.join("journal.jsonl"));
    assert!(segment.is_active_in(&nowhere).is_err() && segment.is_another_active_in(&nowhere).is_err());
}

#[test]
fn a_flush_is_only_done_for_what_is_not_on_the_disk_and_once_for_the_name() {
    let disk = TestDisk::<Mishaps>::default();
    let (_folder, directory) = disk.folder();
    let mut segment = begun(&directory);
    disk.done();
    let first = segment.append(b"one\n").unwrap();
    let second = segment.append(b"two\n").unwrap();
    first.file.flush(first.end).unwrap();
    assert_eq!(disk.done(), ["file", "folder"]);
    // The second line was there when the first was flushed.
    for end in [first.end, second.end, second.end - 1] {
        second.file.flush(end).unwrap();
        assert_eq!(disk.done(), [""; 0]);
    }
    let third = segment.append(b"three\n").unwrap();
    third.file.flush(second.end + 1).unwrap();
    assert_eq!(disk.done(), ["file"]);
    third.file.flush(third.end).unwrap();
    assert_eq!(disk.done(), [""; 0]);
    assert!(!third.file.has_failed());
}

#[test]
fn after_a_flush_that_failed_every_further_one_fails() {
    let disk = TestDisk::<Mishaps>::default();
    let (_folder, directory) = disk.folder();
    let mut segment = begun(&directory);
    disk.done();
    let appended = segment.append(b"one\n").unwrap();
    // Deleted before: nobody can find it.
    fs::remove_file(directory.path.join("journal.jsonl")).unwrap();
    for _ in 0..2 {
        assert!(appended.file.flush(appended.end).is_err());
        assert!(appended.file.has_failed());
        assert_eq!(disk.done(), [""; 0]);
    }
}

#[test]
fn a_segment_that_somebody_else_deleted_is_gone_as_well_and_one_that_can_not_be_deleted_is_told() {
    let all = Retention { max_bytes: 0, max_age_ms: 0, keep_ms: 0 };
    // By the file's own time: no line says one.
    let later = Stamp { wall_ms: i64::MAX / 2, ..Stamp::default() };
    let disk = TestDisk::new(Mishaps::where_others_delete());
    let (_folder, directory) = disk.folder();
    write(&directory, "journal.0.jsonl", "torn\n");
    write(&directory, "journal.5.jsonl", "torn\n");
    let first = first_to_keep(&directory, 10, all, &later).unwrap();
    assert_eq!(first, Some(10));
    assert_eq!(delete_before(&directory, 10).unwrap(), 2);
    assert_eq!(closed_segments(&directory).unwrap(), []);

    let (_folder, directory) = folder();
    fs::create_dir(directory.path.join("journal.0.jsonl")).unwrap();
    let told = delete_before(&directory, 10).unwrap_err().to_string();
    assert!(told.contains("delete") && told.contains("journal.0.jsonl"), "{told}");
}
