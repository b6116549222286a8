use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use callosum_context::layout::PRIORITIES;

use crate::disk::Edited;
use crate::world::{World, usual};

fn has(world: &World, text: &str) -> bool {
    world.text(PRIORITIES).contains(text)
}

#[test]
fn equal_inputs_rewrite_nothing() {
    let world = usual();
    assert!(!world.run().changed.is_empty());
    let inodes = || {
        let facts = |path| fs::metadata(path).map(|facts| (facts.ino(), facts.mtime_nsec())).unwrap();
        world.files().into_keys().map(|path| facts(world.folder.parent().unwrap().join(path))).collect::<Vec<_>>()
    };
    let before = inodes();
    let again = world.run();
    assert_eq!((again.changed, again.merged), (Vec::<String>::new(), Vec::<String>::new()));
    assert_eq!(inodes(), before);
}

#[test]
fn what_a_person_wrote_before_stays_byte_for_byte() {
    let world = usual();
    let mine = "# Priorities\n\n## Current\n\n1. Mine, with  blanks \n\n```\n## Inputs\n```\n\n## Notes\n\nKeep <!-- this -->\n";
    world.write(PRIORITIES, mine);
    world.run();
    let text = world.text(PRIORITIES);
    let kept: String = text.split_inclusive('\n').filter(|line| !line.contains("cx:id=")).collect();
    assert_eq!(kept.replace("\n## Inputs\n\n", ""), mine.replace("\n## Inputs\n\n", ""));
    assert!(text.contains("(from boss)") && text.contains("(from bob)"), "{text}");
}

#[test]
fn what_a_person_saves_meanwhile_is_read_again() {
    let world = usual();
    let path = world.folder.join(PRIORITIES);
    let text = "## Current\n\n- Saved meanwhile\n".to_owned();
    let report = world.run_on(Arc::new(Edited { path, text, times: 2.into() })).unwrap();
    assert_eq!(report.merged.len(), 4);
    assert!(has(&world, "- Saved meanwhile") && has(&world, "- save 0") && has(&world, "(from bob)"));
    assert!(!has(&world, "CANONICAL"), "what the person took away is back");
}

#[test]
fn a_file_that_is_saved_all_the_time_is_left_to_the_next_run() {
    let world = usual();
    let path = world.folder.join(PRIORITIES);
    let text = "## Current\n".to_owned();
    let report = world.run_on(Arc::new(Edited { path, text, times: 9.into() })).unwrap();
    assert!(report.merged.is_empty() && report.skipped.iter().any(|skipped| skipped.why.contains("kept writing")));
    assert!(!has(&world, "cx:id=") && world.exists("staging/eve/100303-mine.md") | world.exists("staging/eve/100300-mine.md"));
    assert_eq!(world.run().merged.len(), 4);
    assert!(has(&world, "(from eve)") && has(&world, "- save"));
}

#[test]
fn what_an_editor_saved_over_is_put_back_once() {
    let world = usual();
    let before = world.text(PRIORITIES);
    world.run();
    world.write(PRIORITIES, &(before.clone() + "- typed meanwhile\n"));
    world.run();
    assert!(has(&world, "(from bob)") && has(&world, "(from eve)") && has(&world, "- typed meanwhile"));
    assert_eq!(world.text(PRIORITIES).matches("(from bob)").count(), 1);
    world.write(PRIORITIES, &before);
    world.run();
    assert_eq!(world.text(PRIORITIES), before, "twice is a person's will");
}

#[test]
fn a_single_line_that_a_person_takes_away_never_comes_back() {
    let world = usual();
    world.run();
    let without: String = world.text(PRIORITIES).split_inclusive('\n').filter(|line| !line.contains("(from bob)")).collect();
    world.write(PRIORITIES, &without);
    world.run();
    // The inbox begins otherwise now, so all of it is read again.
    let inbox = world.text("priorities.inbox.md");
    world.write("priorities.inbox.md", &format!("# Another begin\n{inbox}"));
    world.run();
    assert_eq!(world.text(PRIORITIES), without);
    world.propose("bob", "2026-11-24T11:30:00.000Z", "Something else");
    assert_eq!(world.run().merged.len(), 1);
    assert!(has(&world, "Something else") && !has(&world, "Fix the login"));
}
