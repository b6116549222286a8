//! Somebody moves the journal away while it is in use, and another process begins a new one.

use std::path::Path;
use std::sync::Arc;

use callosum_core::gate::Answer;
use callosum_core::store::disk::{Disk, DiskFile, OpenMode};
use callosum_testing::memory::MemoryDisk;
use serde_json::json;

use super::journal_text::{Damage, read};
use super::script::{STATE, Script, Start};
use super::world::write_rules;

#[test]
fn a_journal_that_was_moved_away_and_is_full_takes_no_others_place() {
    let real = tempfile::tempdir().unwrap();
    write_rules(real.path());
    let disk = MemoryDisk::holding(Start::Nothing.remains(), real.path(), 0);
    let mut script = Script::new(&disk, Arc::new(disk.clone()), real.path());
    let (doug, mira) = (script.gate("doug"), script.gate("mira"));
    assert_eq!(script.done(&doug, "a", "mail", "old"), Answer::Proceed);

    let state = Path::new(STATE);
    let elsewhere = state.join("elsewhere");
    disk.rename(&state.join("journal.jsonl"), &elsewhere).unwrap();
    assert_eq!(script.done(&mira, "b", "mail", "new"), Answer::Proceed);
    let padding = json!({"v": 1, "action": "noted", "padding": "x".repeat(20_000)});
    let old = disk.open_file(&elsewhere, OpenMode::Append).unwrap();
    old.write(format!("{padding}\n").as_bytes()).unwrap();
    // Below tier 3 nobody looks whether the file is still the one at its path.
    for number in 0..3 {
        assert_eq!(script.done(&doug, "a", "message", &format!("chat-{number}")), Answer::Proceed);
        doug.maintain(&script.now);
    }

    let reading = read(&disk.remains().files_in(state), Damage::TornLines);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let is_new = |row: &&super::journal_text::Row| row.line["contextKeys"] == json!(["email:new"]);
    assert_eq!(reading.rows.iter().filter(is_new).count(), 2, "{:#?}", reading.rows);
}
