//! Whoever follows the journal is told each record once, whatever moment of a write it looks at.

use std::fs;

use callosum_core::query::{Following, Source};
use serde_json::json;

use crate::support::{World, session};

/// The bytes of the journal of a few calls.
fn journal(world: &mut World) -> Vec<u8> {
    let gate = world.gate("doug");
    for number in 0..3 {
        world.done(session(&gate, "a"), "write", &json!({ "path": format!("/tmp/{number}") }));
    }
    gate.close(&world.now);
    fs::read(world.path().join("journal.jsonl")).unwrap()
}

fn followed(world: &World, from: u64) -> Following {
    world.view().following(from, &world.now).unwrap()
}

fn numbers(following: &Following) -> Vec<u64> {
    following.records.iter().map(|(seq, _)| *seq).collect()
}

/// Where the lines begin.
fn begins(bytes: &[u8]) -> Vec<u64> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
    let length = bytes.len() as u64;
    [0].into_iter().chain(ends).filter(|seq| *seq < length).collect()
}

#[test]
fn a_record_whose_line_has_no_end_yet_is_told_once_it_has() {
    let mut world = World::new();
    let whole = journal(&mut world);
    let (path, all) = (world.path().join("journal.jsonl"), begins(&whole));
    let write = |bytes: &[u8]| fs::write(&path, bytes).unwrap();
    for cut in 0..=whole.len() {
        write(&whole[..cut]);
        let first = followed(&world, 0);
        write(&whole);
        let second = followed(&world, first.next);
        assert_eq!([numbers(&first), numbers(&second)].concat(), all, "the file was cut at {cut}");
        assert_eq!(second.next, whole.len() as u64);
    }
}

#[test]
fn the_last_line_of_a_closed_segment_is_told_with_and_without_its_newline() {
    let write = |world: &World, name: &str, bytes: &[u8]| fs::write(world.path().join(name), bytes).unwrap();
    let mut world = World::new();
    let closed = journal(&mut world);
    for closed in [closed.as_slice(), closed.strip_suffix(b"\n").unwrap()] {
        let base = closed.len() as u64;
        let opened = json!({
            "v": 1, "action": "opened", "timestamp": "2026-11-26T00:00:00.000Z", "instance": "doug", "base": base, "of": [0, 0],
        });
        write(&world, "journal.0.jsonl", closed);
        write(&world, "journal.jsonl", format!("{opened}\n").as_bytes());
        let mut expected = begins(closed);
        expected.push(base);
        for from in [0, base - 1, base] {
            let found = numbers(&followed(&world, from));
            assert_eq!(found, expected.iter().copied().filter(|seq| *seq >= from).collect::<Vec<_>>());
        }
    }
}

#[test]
fn who_was_told_more_than_there_is_goes_back_to_behind_its_newest_line() {
    let mut world = World::new();
    let whole = journal(&mut world);
    let length = whole.len() as u64;
    for tail in ["", "{\"v\":1"] {
        fs::write(world.path().join("journal.jsonl"), [whole.as_slice(), tail.as_bytes()].concat()).unwrap();
        let read = followed(&world, length + 100);
        assert_eq!((read.records.len(), read.next, read.is_end), (0, length, true));
        let read = followed(&world, length);
        assert_eq!((read.records.len(), read.next, read.is_end), (0, length, true));
    }
}
