//! What a large day costs the curator: a measurement, which `npm test` leaves out.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::time::Instant;

use callosum_core::model::time::{from_rfc3339, to_rfc3339};

use crate::world::World;

/// Peak memory of this process, KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// `cargo test --release -p callosum-context --test curator -- --ignored --nocapture large`
#[test]
#[ignore = "a measurement: it takes a while to write what is read"]
#[allow(clippy::print_stdout, reason = "it prints what it measured")]
fn a_day_of_10_000_outputs_and_a_million_lines() {
    const OUTPUTS: usize = 10_000;
    const LINES: usize = 1_000_000;
    let world = World::new();
    let midnight = from_rfc3339("2026-11-24T00:00:00Z").unwrap();
    let mut journal = BufWriter::new(fs::File::create(world.journal_file()).unwrap());
    let mut seq = 0;
    for at in 0..LINES / 2 {
        let moment = to_rfc3339(midnight + at as i64 * 80);
        let (agent, tier, key) = (at % 40, if at % 5 == 0 { 3 } else { 2 }, at % 30_000);
        let head = format!(
            r#""tier":{tier},"timestamp":"{moment}","instance":"here","runtime":"openclaw","agent":"agent-{agent}","session":"s-{agent}","call":"call-{at}","tool":"exec","ruleName":"commands","contextKeys":["file:/srv/project/src/module-{key}/file.rs"]"#
        );
        let line = format!("{{\"v\":1,\"action\":\"intercept\",{head},\"params\":\"make module-{key}\"}}\n");
        let outcome = if at % 50 == 0 { "failed" } else { "complete" };
        let end = format!("{{\"v\":1,\"action\":\"{outcome}\",{head},\"of\":[{seq}],\"exitCode\":0}}\n");
        journal.write_all(line.as_bytes()).unwrap();
        journal.write_all(end.as_bytes()).unwrap();
        seq += line.len() + end.len();
    }
    drop(journal);
    for at in 0..OUTPUTS {
        let mut body = String::new();
        for line in 0..30 {
            writeln!(
                body,
                "Note {line} of {at}: see https://site.example/page-{} and src/module-{}/file.rs.",
                at * line % 977,
                at % 500
            )
            .unwrap();
        }
        let moment = to_rfc3339(midnight + at as i64 * 4_000);
        world.output(&format!("agent-{}", at % 40), &moment, &format!("Output {at}"), &[], &body);
    }
    let before = peak();
    let began = Instant::now();
    let report = world.run();
    println!(
        "{OUTPUTS} outputs, {LINES} lines of {} MiB: {:.1} s, peak {} MiB (before: {} MiB); {} inputs",
        seq >> 20,
        began.elapsed().as_secs_f64(),
        peak() >> 10,
        before >> 10,
        report.inputs.len()
    );
    assert_eq!(report.inputs.len(), OUTPUTS);
    let again = Instant::now();
    assert!(world.run().changed.is_empty());
    println!("again, and nothing to write: {:.1} s", again.elapsed().as_secs_f64());
}
