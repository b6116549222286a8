//! The ledger with an index: what is brought into the history, when, and how much of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::fs;
use std::path::Path;

use super::*;
use crate::decision::history::Who;
use crate::machine::Machine;
use crate::model::tier::Tier;
use crate::record::{Action, AttemptId, Ending, Place};

fn write(ledger: &mut Ledger, count: u32, now: &Stamp) -> u64 {
    let proof = ledger.catch_up(Patience::None, Check::Seldom, now).unwrap().unwrap();
    let mut last = 0;
    for number in 0..count {
        let mut record = Record::new(Action::Intercept, "home", now);
        record.session = Some("a".to_owned());
        record.tier = Some(Tier::High);
        record.context_keys = vec![format!("email:{number}-{}@example.com", "x".repeat(200))];
        last = ledger.append(&proof, &record, now).unwrap().seq;
    }
    last
}

fn options(folder: &Path) -> LedgerOptions {
    LedgerOptions {
        directory: StateDir::new(folder.to_owned()),
        instance: "home".to_owned(),
        keep_ms: 3_600_000,
        default_lease_ms: 60_000,
        limit: SegmentLimit { bytes: 1 << 20 },
    }
}

fn open(options: &LedgerOptions, now: &Stamp) -> Ledger {
    Ledger::open(options, true, Patience::None, now).unwrap().unwrap()
}

/// Writes an index of all that is there.
fn write_index(ledger: &Ledger, now: &Stamp) -> Indexed {
    ledger.index_due(true, now).unwrap().unwrap().run(None).unwrap()
}

/// Whether the ledger went by the index: then it knows nothing yet that nobody asked for.
fn uses_index(ledger: &Ledger) -> bool {
    ledger.history().is_empty()
}

/// Between opening the journal and reading the index, others close segments and write a newer index.
#[test]
fn an_index_may_end_in_a_segment_that_was_begun_after_the_journal_was_opened() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(directory.path());
    let now = Machine::read().now();
    let mut busy = open(&options, &now);
    write(&mut busy, 200, &now);
    let mut journal =
        Journal::open(&options.directory, options.limit, "late", Patience::None, &now).unwrap().unwrap();
    let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    busy.rotate(&proof, &now).unwrap();
    drop(proof);
    let newest = write(&mut busy, 200, &now);
    write_index(&busy, &now);

    let history = History::new(options.keep_ms, options.default_lease_ms);
    let (past, indexed, order, history) = by_index(&mut journal, history).unwrap();
    let (is_index_corrupt, prune_due) = (false, false);
    let closed = Closed::known_to(&history.gaps);
    let mut late = Ledger {
        journal,
        history,
        past,
        indexed,
        is_index_corrupt,
        prune_due,
        order,
        lost: None,
        closed,
        standing: BTreeMap::new(),
    };
    let needs = Needs { newest: true, open: true, ..Needs::default() };
    assert!(
        late.load(&needs, Patience::Until(std::time::Instant::now() + std::time::Duration::from_secs(60)))
            .unwrap()
    );
    assert!(late.history().action(newest).is_some());
    assert_eq!(late.history().len(), 400);
    late.catch_up(Patience::None, Check::All, &now).unwrap().unwrap();
}

#[test]
fn only_so_much_is_read_without_patience() {
    let (now, patient) = (
        Machine::read().now(),
        Patience::Until(std::time::Instant::now() + std::time::Duration::from_secs(60)),
    );
    for (bytes, is_read) in [(65_535, true), (65_536, true), (65_537, false), (65_538, false)] {
        let directory = tempfile::tempdir().unwrap();
        let options = options(directory.path());
        write(&mut open(&options, &now), 2, &now);
        let path = directory.path().join("journal.jsonl");
        let mut text = fs::read(&path).unwrap();
        text.resize(bytes, b'\n');
        fs::write(&path, text).unwrap();
        let ledger = Ledger::open(&options, true, Patience::None, &now).unwrap();
        assert_eq!(ledger.is_some(), is_read, "{bytes}");
        let ledger = Ledger::open(&options, true, patient, &now).unwrap().unwrap();
        assert_eq!(ledger.history().len(), 2);
    }
}

#[test]
fn every_line_that_is_not_ours_is_counted_once() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let path = directory.path().join("journal.jsonl");
    let put = |text: &str| {
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    };
    drop(open(&options, &now));
    put("one\ntwo\n");
    let mut ledger = open(&options, &now);
    assert_eq!(ledger.history().skipped, 2);
    put("three\n\nfour\n");
    drop(ledger.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap());
    assert_eq!(ledger.history().skipped, 4);
    // What somebody left unfinished is ended with the next line, whatever that is.
    for (expected, text) in [(5, "fi"), (6, "si")] {
        put(text);
        let proof = ledger.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
        ledger.append(&proof, &Record::new(Action::Seen, "home", &now), &now).unwrap();
        assert_eq!(ledger.history().skipped, expected);
    }
    let light = LightLine { tool: "read", ..LightLine::at(&now) };
    for (expected, text) in [(7, "se"), (8, "ei"), (8, "")] {
        put(text);
        let proof = ledger.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
        ledger.append_light(&proof, &light, &now).unwrap();
        assert_eq!(ledger.history().skipped, expected);
    }
    put("ni");
    let proof = ledger.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    ledger.rotate(&proof, &now).unwrap();
    assert_eq!(ledger.history().skipped, 9);
    ledger.append(&proof, &Record::new(Action::Seen, "home", &now), &now).unwrap();
    assert_eq!(ledger.history().skipped, 9);
    drop(proof);
    let patient = Patience::Until(std::time::Instant::now() + std::time::Duration::from_secs(60));
    assert_eq!(Ledger::open(&options, true, patient, &now).unwrap().unwrap().history().skipped, 9);
}

#[test]
fn an_index_is_due_once_enough_came_since_the_last() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut ledger = open(&options, &now);
    let end = |ledger: &Ledger| ledger.journal.active().read;
    let due = |ledger: &Ledger, closing| ledger.index_due(closing, &now).unwrap().is_some();
    for (closing, step) in [(true, 16_384), (false, 65_536)] {
        let mut before = end(&ledger);
        while !due(&ledger, closing) {
            before = end(&ledger);
            write(&mut ledger, 1, &now);
        }
        assert!(before <= step && end(&ledger) > step, "{closing}");
    }
    let end = end(&ledger);
    for (came, bytes, closing, expected) in [
        (0, 0, true, false),
        (16_384, 0, true, false),
        (16_385, 0, true, true),
        (16_385, 64 * 16_385, true, false),
        (16_385, 64 * 16_385 - 1, true, true),
        (65_536, 64 * 70_000, true, false),
        (65_537, 64 * 70_000, true, true),
        (65_536, 0, false, false),
        (65_537, 0, false, true),
        (65_537, 16 * 65_537, false, false),
        (65_537, 16 * 65_537 - 1, false, true),
    ] {
        let indexed = Indexed { end: end - came, bytes };
        ledger.indexed(indexed);
        assert_eq!(due(&ledger, closing), expected, "{came} {bytes} {closing}");
    }
    ledger.indexed(Indexed { end: end + 1, bytes: 0 });
    assert!(!due(&ledger, true));
}

#[test]
fn an_index_is_gone_by_when_it_reaches_as_far_back() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options, &now);
    let last = write(&mut busy, 200, &now);
    write_index(&busy, &now);
    assert!(uses_index(&open(&options, &now)));
    let shorter = LedgerOptions { keep_ms: options.keep_ms - 1, ..options.clone() };
    let mut ledger = open(&shorter, &now);
    assert!(uses_index(&ledger));
    // An action is loaded by its number; what lies anywhere else is the fault of whoever names it.
    for nowhere in [last + 3, last + 100_000] {
        ledger.load_action(nowhere).unwrap();
    }
    assert!(uses_index(&ledger));
    ledger.load_action(last).unwrap();
    assert_eq!(ledger.history().newest().map(|action| action.seq).collect::<Vec<_>>(), [last]);
    let longer = LedgerOptions { keep_ms: options.keep_ms + 1, ..options };
    let patient = Patience::Until(std::time::Instant::now() + std::time::Duration::from_secs(60));
    let ledger = Ledger::open(&longer, true, patient, &now).unwrap().unwrap();
    assert_eq!(ledger.history().len(), 200);
}

#[test]
fn an_index_may_end_in_a_segment_that_was_closed_since() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options, &now);
    write(&mut busy, 200, &now);
    write_index(&busy, &now);
    let after_index = write(&mut busy, 1, &now);
    let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    busy.rotate(&proof, &now).unwrap();
    drop(proof);
    let newest = write(&mut busy, 1, &now);
    let mut late = open(&options, &now);
    assert!(uses_index(&late));
    late.catch_up(Patience::None, Check::All, &now).unwrap().unwrap();
    let read: Vec<u64> = late.history().newest().map(|action| action.seq).collect();
    assert_eq!(read, [newest, after_index]);
}

#[test]
fn only_so_many_open_actions_are_loaded_without_patience() {
    for (count, is_loaded) in [(200, true), (201, false)] {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        write(&mut busy, count, &now);
        write_index(&busy, &now);
        let mut ledger = open(&options, &now);
        let open = Needs { open: true, ..Needs::default() };
        assert!(ledger.load(&Needs { newest: true, ..Needs::default() }, Patience::None).unwrap());
        assert_eq!(ledger.history().len(), 64);
        assert_eq!(ledger.load(&open, Patience::None).unwrap(), is_loaded);
        assert!(
            ledger
                .load(&open, Patience::Until(std::time::Instant::now() + std::time::Duration::from_secs(60)))
                .unwrap()
        );
        assert_eq!(ledger.history().len(), usize::try_from(count).unwrap());
        // Once they are there it takes none.
        assert!(ledger.load(&open, Patience::None).unwrap());
    }
}

/// What is not in the history yet is loaded when somebody tells what became of it.
#[test]
fn what_a_later_line_is_about_is_loaded_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options, &now);
    let last = write(&mut busy, 200, &now);
    let who = Who::here("home", "a");
    let record = |action: Action, of: &[u64]| {
        let mut record = Record::new(action, "home", &now);
        record.session = Some("a".to_owned());
        record.of = of.to_vec();
        record
    };
    let put = |busy: &mut Ledger, record: &Record| {
        let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
        busy.append(&proof, record, &now).unwrap().seq
    };
    let [signalled, silent] =
        [true, false].map(|signal| put(&mut busy, &Record { signal, ..record(Action::Blocked, &[]) }));
    write_index(&busy, &now);

    // A host's signal names a run, not a session: pauses that wait for one are there at once.
    let mut late = open(&options, &now);
    let pauses = |ledger: &Ledger| {
        ledger.history().pauses(&who).map(|pause| (pause.seq, pause.delivered)).collect::<Vec<_>>()
    };
    assert_eq!(pauses(&late), [(signalled, false)]);
    assert!(late.load(&Needs::default(), Patience::None).unwrap());
    assert!(uses_index(&late));
    put(&mut busy, &record(Action::Delivered, &[silent]));
    put(&mut busy, &record(Action::Released, &[last]));
    late.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    assert_eq!(pauses(&late), [(signalled, false), (silent, true)]);
    let actions: Vec<_> = late.history().newest().map(|action| (action.seq, action.released)).collect();
    assert_eq!(actions, [(last, true)]);
}

/// What another machine's call came to, before its own line came: behind the index, and on both sides of its end.
#[test]
fn an_outcome_that_came_before_its_start_is_loaded_with_it() {
    for is_start_behind in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let (options, now) = (options(directory.path()), Machine::read().now());
        let mut busy = open(&options, &now);
        write(&mut busy, 200, &now);
        let attempt = Some(AttemptId::random());
        let record = |action: Action| Record {
            machine: Some("m".to_owned()),
            attempt,
            session: Some("far".to_owned()),
            tier: Some(Tier::High),
            context_keys: vec!["far".to_owned()],
            ..Record::new(action, "home", &now)
        };
        let mut put = |action: Action| {
            let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
            busy.append(&proof, &record(action), &now).unwrap().seq
        };
        put(Action::Failed);
        let behind = is_start_behind.then(|| put(Action::Intercept));
        write_index(&busy, &now);
        let mut late = open(&options, &now);
        assert!(uses_index(&late));
        let start = behind.unwrap_or_else(|| {
            let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
            busy.append(&proof, &record(Action::Intercept), &now).unwrap().seq
        });
        late.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
        let keys = ["far".to_owned()];
        assert!(late.load(&Needs { keys: &keys, ..Needs::default() }, Patience::None).unwrap());
        let ends: Vec<_> = late
            .history()
            .on_key("far")
            .map(|action| (action.seq, action.outcome.as_ref().map(|end| end.ending)))
            .collect();
        assert_eq!(ends, [(start, Some(Ending::Failed))], "{is_start_behind}");
    }
}

#[test]
fn where_a_session_runs_is_looked_up_when_it_is_asked_for_and_the_newest_counts() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options, &now);
    let told = |ledger: &mut Ledger, session: &str, project: Option<&str>| {
        let place = Place { project: project.map(str::to_owned), ..Place::default() };
        let record = Record {
            session: Some(session.to_owned()),
            place: Some(Box::new(place)),
            ..Record::new(Action::Session, "home", &now)
        };
        let proof = ledger.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
        ledger.append(&proof, &record, &now).unwrap();
    };
    for (session, project) in [("one", "/w/before"), ("one", "/w/app"), ("other", "/w/shop")] {
        told(&mut busy, session, Some(project));
    }
    write(&mut busy, 200, &now);
    write_index(&busy, &now);
    told(&mut busy, "other", Some("/w/moved"));
    let mut late = open(&options, &now);
    assert!(uses_index(&late));
    late.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    let who = ["one", "other", "nobody"].map(|session| Arc::new(Who::here("home", session)));
    let projects =
        |ledger: &Ledger| who.each_ref().map(|who| ledger.history().project(who).map(str::to_owned));
    let moved = Some("moved".to_owned());
    assert_eq!(projects(&late), [None, moved.clone(), None]);
    late.load_places(&who).unwrap();
    assert_eq!(projects(&late), [Some("app".to_owned()), moved, None]);
}

#[test]
fn of_the_newest_actions_so_many_are_loaded_as_are_enough() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options, &now);
    write(&mut busy, 200, &now);
    write_index(&busy, &now);
    let all: Vec<u64> = busy.history().newest().map(|action| action.seq).collect();
    let mut late = open(&options, &now);
    let loaded = |late: &Ledger| late.history().newest().map(|action| action.seq).collect::<Vec<_>>();
    for (asked, known) in [(0, 0), (3, 3), (2, 3), (5, 5)] {
        let enough = |history: &History, from: u64| {
            // From there on it has them all, and no other was looked at.
            let all = all.iter().filter(|seq| **seq >= from).copied().collect::<Vec<_>>();
            assert_eq!(history.newest().map(|action| action.seq).collect::<Vec<_>>(), all);
            history.len() >= asked
        };
        late.load_newest(enough).unwrap();
        assert_eq!(loaded(&late), all.get(..known).unwrap(), "{asked}");
    }
    // The index names 64.
    assert!(late.load(&Needs { newest: true, ..Needs::default() }, Patience::None).unwrap());
    assert_eq!(loaded(&late), all.get(..64).unwrap());
}

#[test]
fn what_was_pruned_is_missing_and_what_never_was_is_the_indexs_fault() {
    let directory = tempfile::tempdir().unwrap();
    let (options_here, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options_here, &now);
    write(&mut busy, 200, &now);
    let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    busy.rotate(&proof, &now).unwrap();
    drop(proof);
    let newest = write(&mut busy, 1, &now);
    write_index(&busy, &now);
    fs::remove_file(directory.path().join("journal.0.jsonl")).unwrap();
    let mut late = open(&options_here, &now);
    let needs = Needs { newest: true, open: true, ..Needs::default() };
    let patient = Patience::Until(std::time::Instant::now() + std::time::Duration::from_secs(60));
    assert!(late.load(&needs, patient).unwrap());
    assert_eq!(late.history().newest().map(|action| action.seq).collect::<Vec<_>>(), [newest]);

    let other = tempfile::tempdir().unwrap();
    let mut elsewhere = open(&options(other.path()), &now);
    let lines = elsewhere.journal.segments().unwrap().lines();
    elsewhere.past = Past::new(lines, Index::open(&options_here.directory));
    let told = elsewhere.load(&needs, patient);
    assert!(matches!(told, Err(StateError::Replaced { .. })), "{told:?}");
}

#[test]
fn a_corrupt_index_is_told_when_somebody_elses_outcome_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let (options, now) = (options(directory.path()), Machine::read().now());
    let mut busy = open(&options, &now);
    let last = write(&mut busy, 200, &now);
    let blocks = write_index(&busy, &now).bytes;
    let path = directory.path().join("journal.index");
    let mut bytes = fs::read(&path).unwrap();
    let head = bytes.len() - usize::try_from(blocks).unwrap();
    bytes.iter_mut().skip(head).for_each(|byte| *byte ^= 1);
    fs::write(&path, bytes).unwrap();

    let mut late = open(&options, &now);
    assert!(uses_index(&late));
    let mut done = Record::new(Action::Complete, "home", &now);
    done.session = Some("a".to_owned());
    done.of = vec![last];
    let proof = busy.catch_up(Patience::None, Check::Seldom, &now).unwrap().unwrap();
    busy.append(&proof, &done, &now).unwrap();
    // What comes behind it does not make up for it.
    busy.append(&proof, &Record::new(Action::Seen, "home", &now), &now).unwrap();
    drop(proof);
    let told = late.catch_up(Patience::None, Check::Seldom, &now);
    assert!(matches!(told, Err(StateError::Replaced { .. })), "{told:?}");
    let needs = Needs { newest: true, ..Needs::default() };
    assert!(matches!(late.load(&needs, Patience::None), Err(StateError::Replaced { .. })));
}

#[test]
fn a_ledger_is_heavy_with_more_actions_than_are_worth_keeping() {
    let directory = tempfile::tempdir().unwrap();
    let now = Machine::read().now();
    let mut ledger = open(&options(directory.path()), &now);
    let mut record = Record::new(Action::Intercept, "home", &now);
    record.tier = Some(Tier::High);
    for (count, is_heavy) in [(20_000, false), (20_001, true), (20_002, true)] {
        for seq in ledger.history().len() as u64..count {
            ledger.history.apply(seq, &record);
        }
        assert_eq!(ledger.is_heavy(), is_heavy, "{count}");
    }
}
