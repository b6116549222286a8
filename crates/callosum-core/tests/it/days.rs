//! Whole days of work under the shipped rules: a session that goes on with its own work is never paused, and
//! of two sessions only the one that comes second to the same thing is.

use std::process::Command;

use callosum_core::gate::Answer;
use callosum_core::model::tier::Tier;
use callosum_core::record::outcome::Ended;
use callosum_core::rules::SHIPPED_RULES;
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{World, call, session};

/// A call of a fixture in `tests/commands`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// When it began: `HH:MM:SS`.
    at: String,
    #[serde(default)]
    session: String,
    tool: String,
    params: Value,
    /// Whether it succeeded, once it was let through.
    ok: bool,
    #[serde(default)]
    pauses: bool,
}

impl Line {
    fn at_ms(&self) -> u64 {
        1_000 * self.at.split(':').fold(0, |sum, part| 60 * sum + part.parse::<u64>().unwrap())
    }

    fn text<'a>(&'a self, param: &str) -> Option<&'a str> {
        self.params[param].as_str()
    }
}

pub(crate) fn read(name: &str) -> Vec<Line> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/commands").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a gate made of a fixture's calls.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// How many calls are tier 3.
    guarded: usize,
    /// Line numbers of the refused calls.
    pub(crate) refused: Vec<usize>,
    /// The refused calls, and how their refusals begin.
    told: String,
}

/// The home of the fixtures: two clones of one repository, each on the branch that its session works on.
fn homes() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    for (clone, branch) in [("app", "feat/export-xlsx"), ("app-b", "fix/session-timeout")] {
        let git = |words: &[&str]| {
            let done = Command::new("git").arg("-C").arg(home.path()).args(words).output().unwrap();
            assert!(done.status.success(), "git {words:?}");
        };
        git(&["init", "-q", "-b", branch, clone]);
        git(&["-C", clone, "remote", "add", "origin", "git@github.com:acme/app.git"]);
    }
    home
}

/// Calls in their order and at their times, with `rules` or else the shipped ones; the world they were in, too.
/// A session that insists retries each call that is refused.
pub(crate) fn replay(lines: &[Line], rules: Option<&str>, insists: bool) -> (World, Replay) {
    let mut world = World::new();
    let file = world.path().join("tiers.json");
    match rules {
        Some(rules) => std::fs::write(file, rules).unwrap(),
        None => std::fs::remove_file(file).unwrap(),
    }
    let gate = world.gate("doug");
    let home = homes();
    let mut replay = Replay::default();
    let mut clock_ms = lines[0].at_ms();
    for (number, line) in (1..).zip(lines) {
        world.pass(line.at_ms().saturating_sub(clock_ms));
        clock_ms = clock_ms.max(line.at_ms());
        let by = session(&gate, &line.session);
        let mut call = call(by, &line.tool, None);
        let inside = |text: &str| text.replace("/home/me", home.path().to_str().unwrap());
        call.cwd = Some(inside(line.text("workdir").unwrap_or("/home/me/app")));
        let params: Value = serde_json::from_str(&inside(&line.params.to_string())).unwrap();
        let tier = gate.classify(&call, &params, &world.now).tier;
        replay.guarded += usize::from(tier == Tier::High);
        loop {
            let id = world.id();
            call.call = Some(id.clone());
            let answer = gate.before(&call, &params, &world.now);
            // How long a call took is not told: it ends at once.
            let (ended, exit_code) = match world.finish(&gate, answer) {
                Answer::Refuse(text) => {
                    let what = line.text("command").unwrap_or(&line.tool);
                    let beginning: Vec<&str> = text.lines().take(5).collect();
                    replay.refused.push(number);
                    replay.told += &format!("line {number}: {what}\n    {}\n", beginning.join("\n    "));
                    (Ended::Refused, None)
                }
                Answer::Proceed if line.ok => (Ended::Ok, None),
                Answer::Proceed => (Ended::Error, Some(1)),
                answer => panic!("line {number}: {answer:?}"),
            };
            world.after(by, &line.tool, &id, ended, exit_code);
            if !insists || ended != Ended::Refused {
                break;
            }
            world.pass(600);
            clock_ms += 600;
        }
    }
    (world, replay)
}

#[test]
fn a_day_of_one_session_is_never_paused() {
    let day = read("day.jsonl");
    assert!(day.len() >= 400, "{} calls", day.len());
    let shipped = replay(&day, None, false).1;
    assert!(shipped.guarded >= 100, "{} calls of tier 3", shipped.guarded);
    assert!(shipped.refused.is_empty(), "{}", shipped.told);
    // What the day does twice is what the scopes are for: without them it would be paused again and again.
    let unscoped = SHIPPED_RULES.replace("\"scope\": \"otherSessions\"", "\"scope\": \"any\"");
    let paused = replay(&day, Some(&unscoped), false).1;
    assert!(paused.refused.len() >= 20, "only {} pauses:\n{}", paused.refused.len(), paused.told);
}

#[test]
fn of_two_sessions_the_second_to_do_the_same_is_paused() {
    let two = read("two.jsonl");
    let expected: Vec<usize> =
        (1..).zip(&two).filter(|(_, line)| line.pauses).map(|(number, _)| number).collect();
    assert!(!expected.is_empty());
    let shipped = replay(&two, None, false).1;
    assert_eq!(shipped.refused, expected, "{}", shipped.told);
}
