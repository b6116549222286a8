//! The curator and people in the same file: whatever a person saves, and whenever, stays.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use callosum_context::decide;
use callosum_context::folder::Folder;
use callosum_context::layout::PRIORITIES;
use callosum_context::lock::PATIENCE;
use callosum_context::priorities::Priorities;
use callosum_context::tend::{Tender, Verdict};
use callosum_core::model::settings::OnTamper;
use callosum_core::record::Suspect;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::saves::{Saves, When};

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
        world
            .files()
            .into_keys()
            .filter(|path| !path.ends_with("curator.json"))
            .map(|path| facts(world.folder.join(path)))
            .collect::<Vec<_>>()
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
    let report = world
        .run_on(Arc::new(TestDisk::new(Saves::new(
            path,
            "## Current\n\n- Saved meanwhile\n",
            When::IsMade,
            2,
        ))))
        .unwrap();
    assert_eq!(report.merged.len(), 4);
    assert!(has(&world, "- Saved meanwhile") && has(&world, "- save 0") && has(&world, "(from bob)"));
    assert!(!has(&world, "CANONICAL"), "what the person took away is back");
}

/// Whether a run that ended left something unfinished.
fn has_unfinished(world: &World) -> bool {
    world.files().keys().any(|path| path.to_string_lossy().contains(".cx."))
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_person_saves_in_the_very_moment_is_put_back_and_taken_over_into() {
    for times in 1..=2 {
        let world = usual();
        let path = world.folder.join(PRIORITIES);
        let text = "## Current\n\n- Saved in that moment\n";
        let report =
            world.run_on(Arc::new(TestDisk::new(Saves::new(path, text, When::IsPut, times)))).unwrap();
        assert_eq!(report.merged.len(), 4);
        // What was saved last holds.
        assert!(has(&world, "- Saved in that moment\n- save 0") && has(&world, "(from bob)"));
        assert!(!has(&world, "CANONICAL") && !has_unfinished(&world));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_person_saves_in_the_moment_in_which_a_run_is_killed_is_there_after_the_next() {
    for saves_again in [false, true] {
        let world = usual();
        let path = world.folder.join(PRIORITIES);
        let text = "## Current\n\n- Saved in that moment\n";
        let disk = TestDisk::new(Saves::new(path, text, When::IsPut, 1).and_is_killed());
        let run = std::panic::AssertUnwindSafe(|| world.run_on(Arc::new(disk)));
        assert!(std::panic::catch_unwind(run).is_err());
        assert!(has_unfinished(&world) && !has(&world, "- save 0"));
        if saves_again {
            world.write(PRIORITIES, "## Current\n\n- Saved again\n");
        }
        let report = world.run();
        assert_eq!(report.merged.len(), 4);
        assert_eq!((has(&world, "- save 0"), has(&world, "- Saved again")), (!saves_again, saves_again));
        assert!(has(&world, "(from bob)") && !has_unfinished(&world));
        let histories = std::fs::read_dir(world.state.join("context")).unwrap().flatten();
        let versions = histories
            .flat_map(|of| std::fs::read_dir(of.path().join("history")).into_iter().flatten().flatten());
        let kept = versions
            .filter(|file| std::fs::read_to_string(file.path()).unwrap().contains("- save 0"))
            .count();
        assert!(!saves_again || kept == 1, "{kept}");
    }
}

#[test]
fn a_file_that_is_saved_all_the_time_is_left_to_the_next_run() {
    let world = usual();
    let path = world.folder.join(PRIORITIES);
    let report =
        world.run_on(Arc::new(TestDisk::new(Saves::new(path, "## Current\n", When::IsMade, 9)))).unwrap();
    assert!(
        report.merged.is_empty() && report.skipped.iter().any(|skipped| skipped.why.contains("kept writing"))
    );
    assert!(
        !has(&world, "cx:id=")
            && world.exists("staging/eve/100303-mine.md") | world.exists("staging/eve/100300-mine.md")
    );
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
    let without: String =
        world.text(PRIORITIES).split_inclusive('\n').filter(|line| !line.contains("(from bob)")).collect();
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

/// With the curator's lines in it, what an agent put into the file would count as the curator's.
#[test]
fn a_file_that_an_agent_may_have_changed_is_not_merged_into_until_a_person_says_so() {
    let mut world = usual();
    world.run();
    world.propose("bob", "2026-11-24T11:30:00.000Z", "Later");
    world.append(PRIORITIES, "## Current\n\n- CANARY\n");
    world.suspect = Some(Suspect {
        seq: 1,
        instance: "here".to_owned(),
        session: "s-eve".to_owned(),
        tool: "exec".to_owned(),
    });
    let changed = world.text(PRIORITIES);
    let report = world.run();
    assert!(
        report.merged.is_empty()
            && report.skipped.iter().any(|skipped| skipped.why.contains("accept or restore"))
    );
    assert_eq!(world.text(PRIORITIES), changed);
    let folder = Folder::open(&world.folder).unwrap();
    let mut tender = Tender::of(folder, &world.state, PATIENCE).unwrap();
    assert!(!tender.confirmed(PRIORITIES).unwrap().contains("CANARY"));
    tender.accept(PRIORITIES).unwrap();
    tender.save().unwrap();
    drop(tender);
    assert_eq!(world.run().merged.len(), 1);
    assert!(has(&world, "Later") && has(&world, "CANARY"));
}

/// Nor into one that it may have changed while the curator was at work.
#[test]
fn a_file_that_an_agent_may_have_changed_meanwhile_is_not_merged_into() {
    let mut world = usual();
    world.suspect = Some(Suspect {
        seq: 1,
        instance: "here".to_owned(),
        session: "s-eve".to_owned(),
        tool: "exec".to_owned(),
    });
    let path = world.folder.join(PRIORITIES);
    let report = world
        .run_on(Arc::new(TestDisk::new(Saves::new(path, "## Current\n\n- CANARY\n", When::IsMade, 1))))
        .unwrap();
    assert!(report.merged.is_empty() && has(&world, "CANARY") && !has(&world, "cx:id="));
    let tender = Tender::of(Folder::open(&world.folder).unwrap(), &world.state, PATIENCE).unwrap();
    assert!(!tender.confirmed(PRIORITIES).unwrap().contains("CANARY"));
}

#[test]
fn what_the_curator_wrote_counts_as_its_also_after_a_kill() {
    for after in 0..60 {
        let mut world = usual();
        world.killed(after);
        world.suspect = Some(Suspect {
            seq: 1,
            instance: "here".to_owned(),
            session: "s".to_owned(),
            tool: "exec".to_owned(),
        });
        world.run();
        let tender = Tender::of(Folder::open(&world.folder).unwrap(), &world.state, PATIENCE).unwrap();
        assert_eq!(tender.pending(), [], "killed after {after}");
    }
}

#[test]
fn what_a_person_decided_is_left_as_it_is_and_what_one_wrote_is_the_operators_word() {
    let world = usual();
    let propose = |text: &str| world.propose("eve", "2026-11-24T10:30:00.000Z", text);
    let (no, yes, own) = (propose("No"), propose("Yes"), propose("Own"));
    let mut tender = Tender::of(Folder::open(&world.folder).unwrap(), &world.state, PATIENCE).unwrap();
    tender.look(0, OnTamper::Report, &mut |_| Vec::new()).unwrap();
    let before = world.text(PRIORITIES);
    decide::reject(&mut tender, &no, 0).unwrap();
    decide::accept(&mut tender, &yes, 0).unwrap();
    tender.decide(&own, Verdict::Written, 0);
    assert!(has(&world, "Yes"));
    // And takes it away again.
    tender.put(PRIORITIES, before.as_bytes()).unwrap();
    tender.save().unwrap();
    drop(tender);
    let report = world.run();
    let left_out = |id: &String| report.skipped.iter().any(|skipped| skipped.id == *id);
    assert!(left_out(&no) && left_out(&yes) && report.merged.contains(&own), "{report:?}");
    assert_eq!(Priorities::read(&world.text(PRIORITIES)).operators_words(), "- (from eve) Own");
}
