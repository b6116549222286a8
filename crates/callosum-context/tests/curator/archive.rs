//! Old entries of the inbox.

use std::sync::Arc;

use callosum_context::folder::Folder;
use callosum_context::layout::PRIORITIES_INBOX;
use callosum_context::lock::PATIENCE;
use callosum_context::tend::Tender;
use callosum_core::store::disk::SystemDisk;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::ends::Ends;

use crate::world::World;

const NEW: &str = "2026-11-20T10:00:00.000Z";

/// Two entries of September and one of October that were taken over, one that is new.
fn taken_over() -> World {
    let world = World::new();
    world.write(PRIORITIES_INBOX, "# Inbox\n");
    for (at, text) in [
        ("2026-09-01T10:00:00.000Z", "First"),
        ("2026-09-02T10:00:00.000Z", "Second"),
        ("2026-10-03T10:00:00.000Z", "Third"),
        (NEW, "New"),
    ] {
        world.propose("bob", at, text);
    }
    assert_eq!(world.run().merged.len(), 4);
    world
}

fn damaged(world: &World) -> usize {
    let tender = Tender::of(Folder::open(&world.folder).unwrap(), &world.state, PATIENCE).unwrap();
    tender.pending().len()
}

#[test]
fn what_is_taken_over_and_old_moves_to_its_month_and_nothing_comes_twice() {
    let world = taken_over();
    world.append(PRIORITIES_INBOX, "\n## 2026-08-01T10:00:00.000Z (eve)\n\nOld, and nobody has read it\n");
    let report = world.run();
    assert!(report.changed.contains(&PRIORITIES_INBOX.to_owned()), "{:?}", report.changed);
    let inbox = world.text(PRIORITIES_INBOX);
    assert!(inbox.starts_with("# Inbox\n") && inbox.contains("New") && inbox.contains("nobody has read it"));
    assert!(["First", "Second", "Third"].iter().all(|gone| !inbox.contains(gone)), "{inbox}");
    let september = world.text("archive/2026-09.md");
    let (first, second) = (september.find("First").unwrap(), september.find("Second").unwrap());
    assert!(first < second && september.starts_with("# Inbox of 2026-09\n\n## 2026-09-01"), "{september}");
    assert!(world.text("archive/2026-10.md").contains("Third"));
    assert_eq!((report.merged.len(), damaged(&world)), (1, 0));
    // The last one is taken over now, and goes next.
    world.run();
    assert!(world.text("archive/2026-08.md").contains("nobody has read it"));
    let before = world.files();
    let again = world.run();
    assert_eq!((again.changed, again.merged, damaged(&world)), (vec![], vec![], 0));
    assert!(world.files() == before);
}

#[test]
fn killed_anywhere_an_entry_is_in_the_archive_once_and_the_inbox_is_not_taken_for_damaged() {
    let whole = taken_over();
    let counted = TestDisk::new(Ends::after(usize::MAX));
    whole.run_on(Arc::new(counted.clone())).unwrap();
    whole.run();
    let (steps, expected) = (counted.steps(), whole.files());
    assert!(steps > 8, "{steps}");
    for after in 0..steps {
        let world = taken_over();
        assert!(world.killed(after));
        world.run_on(Arc::new(SystemDisk)).unwrap();
        world.run();
        assert!(world.files() == expected, "killed after {after} of {steps}");
        assert_eq!(damaged(&world), 0);
    }
}

#[test]
fn an_inbox_that_lacks_entries_is_not_shortened() {
    let world = taken_over();
    let inbox = world.text(PRIORITIES_INBOX);
    world.write(PRIORITIES_INBOX, &inbox.replace("Third", "Forged"));
    world.run();
    assert!(!world.exists("archive"));
    assert_eq!(damaged(&world), 1);
}
