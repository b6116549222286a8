//! One segment of the journal: how it is found, begun and ended, whatever a power cut or somebody else left there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use callosum_core::journal::record::{Action, KnownWindow, Record};
use callosum_core::journal::segment::{Segment, SegmentFile, closed_segments};
use callosum_core::store::disk::{Disk, DiskFile, Facts, Open, SystemDisk};
use callosum_core::store::state_dir::StateDir;
use callosum_core::time::Stamp;
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
    Segment::begin(directory, 0, "home", &now(), BTreeMap::new()).unwrap()
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
        let file = SegmentFile::open(&directory.disk, path, Open::Read).unwrap();
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
    segment.read_on(&mut |_, _| {}).unwrap();
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

/// A disk that meets writes with what it was told, one after another, and then writes as it should.
#[derive(Debug)]
struct Moody(Arc<Mutex<Vec<Mood>>>);

#[derive(Clone, Copy, Debug)]
enum Mood {
    Fails(io::ErrorKind),
    Takes(usize),
}

#[derive(Debug)]
struct MoodyFile(Box<dyn DiskFile>, Arc<Mutex<Vec<Mood>>>);

impl Disk for Moody {
    fn open(&self, path: &Path, purpose: Open) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(MoodyFile(SystemDisk.open(path, purpose)?, Arc::clone(&self.0))))
    }
    fn open_guard(&self, path: &Path) -> io::Result<File> {
        SystemDisk.open_guard(path)
    }
    fn facts(&self, path: &Path) -> io::Result<Facts> {
        SystemDisk.facts(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        SystemDisk.list(folder)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.make_folder(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        SystemDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove(path)
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        SystemDisk.sync_folder(path)
    }
}

impl DiskFile for MoodyFile {
    fn facts(&self) -> io::Result<Facts> {
        self.0.facts()
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.1.lock().unwrap().pop() {
            Some(Mood::Fails(kind)) => Err(kind.into()),
            Some(Mood::Takes(most)) => self.0.write(&bytes[..most]),
            None => self.0.write(bytes),
        }
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_size(size)
    }
    fn make_private(&self) -> io::Result<()> {
        self.0.make_private()
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

#[test]
fn a_new_segment_is_whole_or_does_not_get_its_name() {
    let interrupted = Mood::Fails(io::ErrorKind::Interrupted);
    for (moods, begins) in [
        (vec![], true),
        (vec![interrupted], true),
        (vec![interrupted, Mood::Takes(5), interrupted, Mood::Takes(1)], true),
        (vec![Mood::Takes(0)], false),
        (vec![Mood::Fails(io::ErrorKind::StorageFull), Mood::Takes(5)], false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let disk = Arc::new(Moody(Arc::new(Mutex::new(moods.clone()))));
        let directory = StateDir { path: folder.path().to_owned(), disk };
        let segment = Segment::begin(&directory, 9, "home", &now(), BTreeMap::new());
        assert_eq!(segment.is_ok(), begins, "{moods:?}");
        assert_eq!(exists(&directory, "journal.jsonl"), begins, "{moods:?}");
        if begins {
            let line = String::from_utf8(opened(Some(9), vec![9]).to_line().unwrap()).unwrap();
            assert_eq!(read(&directory, "journal.jsonl"), line, "{moods:?}");
        }
    }
}
