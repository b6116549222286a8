//! A curator that is killed at any step, finds the disk full, or runs twice at once.

use std::sync::Arc;

use callosum_context::layout::PRIORITIES;
use callosum_core::store::disk::SystemDisk;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::ends::Ends;

use crate::world::usual;

/// Whatever step a run is killed at, the next one ends in the same bytes as one that was not.
#[test]
fn a_run_that_is_killed_anywhere_is_finished_by_the_next() {
    let whole = usual();
    let counted = TestDisk::new(Ends::after(usize::MAX));
    whole.run_on(Arc::new(counted.clone())).unwrap();
    let (steps, expected) = (counted.steps(), whole.files());
    assert!(steps > 40, "{steps}");
    for after in 0..steps {
        let world = usual();
        assert!(world.killed(after), "{after} of {steps}");
        world.run();
        let found = world.files();
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>(),
            "killed after {after}"
        );
        for (path, bytes) in &expected {
            let (one, other) = (String::from_utf8_lossy(&found[path]), String::from_utf8_lossy(bytes));
            assert_eq!(one, other, "{} when killed after {after}", path.display());
        }
    }
}

/// And so it is when two runs are killed, one after the other.
#[test]
fn runs_that_are_killed_again_and_again_get_on() {
    let whole = usual();
    whole.run();
    let expected = whole.files();
    let world = usual();
    for after in 0..60 {
        world.killed(after);
    }
    world.run_on(Arc::new(SystemDisk)).unwrap();
    assert!(world.files() == expected);
}

/// What a person takes away between the kill and the next run was there, and does not come back.
#[test]
fn a_line_that_is_taken_away_after_a_kill_stays_away() {
    let mut removed = 0;
    for after in 0..60 {
        let world = usual();
        let died = world.killed(after);
        let text = world.text(PRIORITIES);
        if died && text.contains("(from bob)") {
            let without: String =
                text.split_inclusive('\n').filter(|line| !line.contains("(from bob)")).collect();
            world.write(PRIORITIES, &without);
            world.propose("bob", "2026-11-24T11:30:00.000Z", "And then");
            world.run();
            let text = world.text(PRIORITIES);
            assert!(
                !text.contains("Fix the login") && text.contains("And then"),
                "killed after {after}: {text}"
            );
            removed += 1;
        }
    }
    assert!(removed > 5, "{removed}");
}

/// Whatever step finds the disk full, the run says so, and the next one with room ends in the same bytes.
#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let whole = usual();
    let counted = TestDisk::new(Ends::after(usize::MAX));
    whole.run_on(Arc::new(counted.clone())).unwrap();
    let (steps, expected) = (counted.steps(), whole.files());
    let mut told = 0;
    for after in (0..steps).step_by(3) {
        let world = usual();
        if let Err(problem) = world.run_on(Arc::new(TestDisk::new(Ends::full_after(after)))) {
            assert!(problem.message.contains("storage space"), "{after}: {problem}");
            told += 1;
        }
        world.run();
        assert!(world.files() == expected, "full after {after}");
    }
    assert!(told > 10, "{told}");
}

#[test]
fn two_runs_at_once_end_as_one_does() {
    let whole = usual();
    whole.run();
    let expected = whole.files();
    let world = usual();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| world.run().merged.len())).collect();
        let merged: usize = runs.into_iter().map(|run| run.join().unwrap()).sum();
        assert_eq!(merged, 4, "each proposal is taken over once");
    });
    assert!(world.files() == expected);
}

#[test]
fn a_folder_that_is_gone_is_an_error_that_names_it() {
    let world = usual();
    let problem = world.with(Arc::new(SystemDisk), false, |curator| {
        std::fs::rename(&world.folder, world.folder.with_extension("moved")).unwrap();
        let problem = curator.daily(None).unwrap_err();
        std::fs::rename(world.folder.with_extension("moved"), &world.folder).unwrap();
        problem
    });
    assert!(problem.message.contains(world.folder.to_str().unwrap()), "{problem}");
    assert_eq!(world.run().merged.len(), 4);
}
