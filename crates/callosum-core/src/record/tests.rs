//! Lines of records: our writer and reader do what `serde` does.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
use super::*;

fn now() -> Stamp {
    Stamp { wall_ms: 1_763_640_000_123, up_ms: 5_000, boot: Some(0xab) }
}

fn line_of(record: &Record) -> Vec<u8> {
    let mut line = record.to_line().unwrap();
    assert_eq!(line.pop(), Some(b'\n'));
    line
}

#[test]
fn a_record_survives_the_way_through_its_line() {
    let mut record = Record::new(Action::Intercept, "doug", &now());
    record.tier = Some(Tier::High);
    record.context_keys = vec!["email:alice@example.com".to_owned()];
    record.expires_ms = Some(now().wall_ms + 300_000);
    record.holder = Some(Holder { pid: 7, start: 8, ns: 9 });
    record.evidence = vec![Shown { seq: 1, outcome: Some(2) }, Shown { seq: 3, outcome: None }];
    let Line::Record(read) = Line::read(&line_of(&record)) else { panic!("no record") };
    assert_eq!(*read, record);
    assert_eq!(read.stamp(), now());
}

/// A record with each of these fields set, by the number of the field.
fn with_fields(is_set: impl Fn(u32) -> bool) -> Record {
    let set = |field| is_set(field).then_some(());
    let text = |field| set(field).map(|()| format!("\u{1}\"é\\ {field}\n"));
    let plain = |field| set(field).map(|()| format!("agent:main:{field}"));
    let of = |field| set(field).map(|()| vec![3, 18_446_744_073_709_551_615]).unwrap_or_default();
    let (boot, stamp) = (set(0).map(|()| 0xab_u32), now());
    let mut record = Record::new(Action::Blocked, &text(1).unwrap_or_default(), &Stamp { boot, ..stamp });
    record.action = if is_set(2) { Action::Other("dreamt\"".to_owned()) } else { Action::Seen };
    record.tier = set(3).map(|()| Tier::High);
    record.runtime = plain(4);
    record.agent = text(5);
    record.session = plain(6);
    record.run = text(7);
    record.call = plain(8);
    record.tool = text(9);
    record.rule_name = plain(10);
    record.context_keys = plain(11).into_iter().chain(text(12)).collect();
    record.context_key = plain(13);
    record.of = of(14);
    record.digest = plain(15);
    record.params = text(16);
    record.conflict = set(17).map(|()| Conflict::InFlight);
    let shown = |seq| Shown { seq, outcome: Some(seq).filter(|seq| *seq > 3) };
    record.evidence = of(18).into_iter().map(shown).collect();
    (record.signal, record.observed) = (is_set(19), is_set(20));
    record.not_done_codes = set(21).map(|()| [7, 127]).into_iter().flatten().collect();
    record.rewritten = is_set(22);
    record.expires_ms = set(23).map(|()| -1);
    record.holder = set(24).map(|()| Holder { pid: 7, start: u64::MAX, ns: 0 });
    record.exit_code = set(25).map(|()| -9);
    record.process = text(26);
    record.reason = plain(27);
    record.event = set(28).map(|()| SessionEvent::Prompt);
    record.place = text(46)
        .map(|cwd| Box::new(Place { cwd: Some(cwd), project: None, tty: plain(46), needs_trust: true }));
    let suspect = |instance| Suspect { seq: 7, instance, session: "a".to_owned(), tool: "b".to_owned() };
    record.suspects = text(42).map(suspect).into_iter().collect();
    record.seen = text(29).map(|tool| (tool, HookCounts { before: 1, after: 2 })).into_iter().collect();
    record.window_ms = set(30).map(|()| 5);
    record.base = set(31).map(|()| 6);
    record.age_ms = set(33).map(|()| u64::MAX);
    (record.machine, record.path, record.via) = (text(34), text(35), text(39));
    record.attempt = set(36).and_then(|()| RandomId::read("00ff0123456789abcdef0123456789ab"));
    record.lease_ms = set(37).map(|()| 0);
    record.journal = set(38).map(|()| RandomId::random());
    record.on_conflict = set(39).map(|()| OnConflict::Block);
    record.limits = plain(40).into_iter().chain(set(40).and(text(39))).collect();
    (record.kind, record.key, record.topic) = (plain(41), text(42), plain(43));
    record.ended = is_set(44);
    record.document =
        set(45).map(|()| serde_json::json!({ "title": text(45), "deps": ["a"], "gen": 3, "none": null }));
    record.windows = text(32).map(|of| (of, KnownWindow { ms: 7, at: -8 })).into_iter().collect();
    record
}

/// Records with all fields, none, any one of them and all but that one; and one of each action.
fn records() -> impl Iterator<Item = Record> {
    let fields =
        (0..47).flat_map(|one| [with_fields(|field| field == one), with_fields(|field| field != one)]);
    let actions = Action::KNOWN.iter().cloned().map(|action| Record::new(action, "doug", &now()));
    fields.chain([with_fields(|_| false), with_fields(|_| true)]).chain(actions)
}

#[test]
fn a_line_is_what_the_serializer_would_write() {
    for record in records() {
        let line = String::from_utf8(record.to_line().unwrap()).unwrap();
        assert_eq!(line, serde_json::to_string(&record).unwrap() + "\n");
    }
}

#[test]
fn a_line_of_ours_is_read_as_serde_reads_it() {
    for record in records() {
        let line = line_of(&record);
        assert_eq!(Record::from_own_line(&line), Some(Record { context_key: None, ..record }));
    }
}

/// Whatever became of a line of ours: what still reads as one, serde reads just so.
#[test]
fn a_line_that_was_changed_reads_as_serde_reads_it() {
    let mut read = 0;
    let mut same = |line: &[u8]| {
        let Some(record) = Record::from_own_line(line) else { return };
        let known: Record = serde_json::from_slice(line).unwrap();
        assert_eq!(record, known, "{}", String::from_utf8_lossy(line));
        read += 1;
    };
    for record in [with_fields(|_| true), with_fields(|field| field % 2 == 0), with_fields(|_| false)] {
        let line = line_of(&record);
        for (at, _) in line.iter().enumerate() {
            same(line.get(..at).unwrap());
            for pieces in [
                b"0".as_slice(),
                b"}",
                b"]",
                b"\"",
                b"\\",
                b",",
                b" ",
                b"-",
                b"\x1f",
                b"\xff",
                b"[]",
                b"null",
                b"z",
            ] {
                let (before, behind) = line.split_at(at);
                same(&[before, pieces, behind].concat());
                same(&[before, pieces, behind.get(1..).unwrap()].concat());
            }
        }
    }
    assert!(read > 1_000, "{read}");
}

#[test]
fn only_lines_of_tiers_0_and_1_are_light() {
    for (tier, light) in [(Tier::None, true), (Tier::Low, true), (Tier::Medium, false)] {
        let mut record = Record::new(Action::Intercept, "doug", &now());
        record.tier = Some(tier);
        let line = line_of(&record);
        assert_eq!(matches!(Line::read(&line), Line::Light), light, "{tier:?}");
        assert_eq!(Line::stamp(&line), Some(now()));
    }
    // Torn in the middle it is no light line but a foreign one.
    let torn = br#"{"v":1,"action":"intercept","tier":0,"timestamp":"2025"#;
    assert!(matches!(Line::read(torn), Line::Foreign));
}

#[test]
fn an_action_of_a_newer_minor_version_is_kept_as_it_is() {
    let line = br#"{"v":1,"action":"dreamt","timestamp":"2025-11-20T12:00:00.000Z","instance":"x"}"#;
    let Line::Record(read) = Line::read(line) else { panic!("no record") };
    assert_eq!(read.action, Action::Other("dreamt".to_owned()));
    assert!(serde_json::to_string(&read.action).unwrap().contains("dreamt"));
}
