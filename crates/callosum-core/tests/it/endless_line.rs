//! Something writes to the journal and never ends its line: nobody reads that twice, nobody longer than there is time, and
//! nothing is decided before it was read.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Duration, Instant};

use callosum_core::machine::Machine;
use callosum_core::model::error::StateError;
use callosum_core::model::tier::Tier;
use callosum_core::model::time::Stamp;
use callosum_core::record::{Action, Record};
use callosum_core::store::journal::{Check, Patience, SegmentLimit};
use callosum_core::store::ledger::{Ledger, LedgerOptions};
use callosum_core::store::state_dir::StateDir;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::mishaps::Mishaps;

const MIB: u64 = 1 << 20;
/// More than twice as long as any line of ours.
const LENGTH: u64 = 40 * MIB;

/// A journal with an index and a line without an end, on a disk that counts what is read.
struct Endless {
    _folder: tempfile::TempDir,
    disk: TestDisk<Mishaps>,
    options: LedgerOptions,
    now: Stamp,
}

impl Endless {
    fn new() -> Self {
        let disk = TestDisk::<Mishaps>::default();
        let (folder, directory): (_, StateDir) = disk.folder();
        let options = LedgerOptions {
            directory,
            instance: "home".to_owned(),
            keep_ms: 3_600_000,
            default_lease_ms: 60_000,
            limit: SegmentLimit { bytes: 1 << 40 },
        };
        let endless = Self { _folder: folder, disk, options, now: Machine::read().now() };
        let mut ledger = endless.open(far()).unwrap();
        endless.mails(&mut ledger, 0..200);
        ledger.index_due(true, &endless.now).unwrap().unwrap().run(None).unwrap();
        endless.write(b'x');
        endless.disk.was_read();
        endless
    }

    fn write(&self, byte: u8) {
        let path = self.options.directory.path.join("journal.jsonl");
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(&vec![byte; usize::try_from(LENGTH).unwrap()]).unwrap();
    }

    fn open(&self, patience: Patience) -> Result<Ledger, StateError> {
        Ledger::open(&self.options, true, patience, &self.now).map(Option::unwrap)
    }

    fn mails(&self, ledger: &mut Ledger, numbers: std::ops::Range<u32>) {
        let proof = ledger.catch_up(far(), Check::All, &self.now).unwrap().unwrap();
        for number in numbers {
            let mut record = Record::new(Action::Intercept, "home", &self.now);
            record.session = Some("a".to_owned());
            record.tier = Some(Tier::High);
            record.context_keys = vec![format!("email:{number}-{}@example.com", "x".repeat(200))];
            ledger.append(&proof, &record, &self.now).unwrap();
        }
    }
}

fn far() -> Patience {
    Patience::Until(Instant::now() + Duration::from_secs(600))
}

fn none_left() -> Patience {
    Patience::Until(Instant::now())
}

#[test]
fn it_is_read_once_and_by_none_who_comes_later() {
    let endless = Endless::new();
    let mut ledger = endless.open(far()).unwrap();
    endless.mails(&mut ledger, 200..201);
    let read = endless.disk.was_read();
    assert!((LENGTH..LENGTH + MIB).contains(&read), "{read}");
    // Whoever writes the index passes over it too.
    ledger.index_due(true, &endless.now).unwrap().unwrap().run(None).unwrap();
    let read = endless.disk.was_read();
    assert!(read < MIB, "{read}");
    for number in 201..204 {
        let mut ledger = endless.open(far()).unwrap();
        endless.mails(&mut ledger, number..number + 1);
        assert_eq!(ledger.history().skipped, 1);
        let read = endless.disk.was_read();
        assert!(read < MIB, "{number}: {read}");
    }
}

#[test]
fn without_time_each_attempt_comes_further_and_nothing_is_decided_before() {
    let endless = Endless::new();
    let (mut total, mut attempts) = (0, 0);
    // A process each, as hooks are: what one has read stands in the index that it leaves.
    loop {
        let mut ledger = endless.open(none_left()).unwrap();
        let proof = ledger.catch_up(none_left(), Check::All, &endless.now);
        let is_there = match proof {
            Ok(proof) => proof.is_some(),
            Err(error) => {
                assert!(matches!(error, StateError::Unread { .. }), "{error}");
                ledger.index_due(true, &endless.now).unwrap().unwrap().run(None).unwrap();
                false
            }
        };
        let read = endless.disk.was_read();
        assert!(read < 20 * MIB, "{read}");
        (total, attempts) = (total + read, attempts + 1);
        if is_there {
            break;
        }
    }
    assert!(attempts > 10 && total < LENGTH + attempts * MIB, "{attempts} attempts, {total} bytes");
}

#[test]
fn what_was_cut_off_and_written_anew_behind_it_is_not_passed_over() {
    let endless = Endless::new();
    let mut late = endless.open(none_left()).unwrap();
    assert!(late.catch_up(none_left(), Check::All, &endless.now).is_err());
    late.index_due(true, &endless.now).unwrap().unwrap().run(None).unwrap();
    let path = endless.options.directory.path.join("journal.jsonl");
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() - LENGTH + 9).unwrap();
    let mut ledger = endless.open(far()).unwrap();
    endless.mails(&mut ledger, 200..220);
    endless.write(b'y');
    let mut fresh = endless.open(far()).unwrap();
    for ledger in [&mut late, &mut fresh] {
        ledger.catch_up(far(), Check::All, &endless.now).unwrap().unwrap();
        let key = format!("email:210-{}@example.com", "x".repeat(200));
        assert_eq!(ledger.history().on_key(&key).count(), 1);
    }
}

#[test]
fn without_an_index_the_time_is_kept_too() {
    let endless = Endless::new();
    std::fs::remove_file(endless.options.directory.path.join("journal.index")).unwrap();
    assert!(matches!(endless.open(none_left()), Err(StateError::Unread { .. })));
    let read = endless.disk.was_read();
    assert!(read < MIB, "{read}");
    assert_eq!(endless.open(far()).unwrap().history().len(), 200);
}
