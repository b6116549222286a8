//! The process that is killed. It is this test program, started again for its one ignored test; it tells what
//! it does on standard error, a JSON object a line with one write each, at once.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use callosum_core::gate::{Answer, Gate};
use callosum_core::record::outcome::Ended;
use callosum_core::store::disk::Disk;
use callosum_testing::disk::TestDisk;
use callosum_testing::faults::kills::{Death, Kills};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::world::{Call, allows, finish, gate};

/// The variable that holds a [`Victim`] as JSON.
const ORDERS: &str = "CALLOSUM_VICTIM";
/// Sessions at work at once, each with a gate of its own.
const SESSIONS: usize = 2;

/// What to do, and where to die.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Victim {
    /// Unique: in all its keys and call ids.
    pub(crate) name: String,
    pub(crate) state: PathBuf,
    pub(crate) real: PathBuf,
    /// Rounds of each session; in a round its gate is opened, used and closed.
    pub(crate) rounds: usize,
    /// Calls in a round.
    pub(crate) calls: usize,
    pub(crate) death: Option<String>,
    /// Whether to tell every step of its disk.
    pub(crate) tells_steps: bool,
}

/// What a victim tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "did")]
pub(crate) enum Word {
    /// It will ask the gate about a call.
    Asks {
        id: String,
        key: String,
    },
    /// The gate let the call through and has written that; what tiers 0 to 2 leave to a worker dies with it.
    Allowed {
        id: String,
    },
    Refused {
        id: String,
        text: String,
    },
    /// The gate has written that, too.
    Ended {
        id: String,
    },
    Step {
        name: String,
    },
    Finished,
}

fn tell(word: &Word) {
    let line = format!("{}\n", serde_json::to_string(word).unwrap());
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

impl Victim {
    /// Starts it.
    pub(crate) fn start(&self) -> std::process::Child {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "faults::victim::works_until_it_is_killed", "--nocapture"])
            .env(ORDERS, serde_json::to_string(self).unwrap())
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn work(&self) {
        let death: Option<Death> = self.death.as_ref().map(|death| death.parse().unwrap());
        let witness = if self.tells_steps {
            |name: &str| tell(&Word::Step { name: name.to_owned() })
        } else {
            |_: &str| {}
        };
        let disk = TestDisk::new(Kills::at(death, witness));
        thread::scope(|scope| {
            for session in 0..SESSIONS {
                let disk = disk.clone();
                scope.spawn(move || self.work_as(session, &disk));
            }
        });
        tell(&Word::Finished);
    }

    fn work_as(&self, session: usize, disk: &TestDisk<Kills>) {
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        for round in 0..self.rounds {
            // A long summary of the parameters fills a segment with two calls.
            let more = json!({"paramsSummaryChars": 10_000});
            let instance = format!("{}-{session}", self.name);
            let gate = gate(&instance, &self.state, &self.real, Arc::clone(&disk), &more);
            for number in 0..self.calls {
                let id = format!("{}-{session}-{round}-{number}", self.name);
                self.call(&gate, session, number, id);
                if number.is_multiple_of(3) {
                    gate.maintain(&gate.machine().now());
                }
            }
            gate.close(&gate.machine().now());
        }
    }

    fn call(&self, gate: &Gate, session: usize, number: usize, id: String) {
        let tool = ["mail", "message", "pay", "write"][number % 4];
        let call = Call::new(tool, &format!("{}-{session}", self.name), id.clone(), &id);
        let body = if number.is_multiple_of(2) { json!(vec!["lorem ipsum"; 500]) } else { json!("hello") };
        let now = gate.machine().now();
        tell(&Word::Asks { id: id.clone(), key: call.key() });
        match finish(gate, call.begin(gate, &body, &now), &now) {
            Answer::Refuse(text) => tell(&Word::Refused { id, text }),
            answer => {
                let is_written = answer == Answer::Proceed;
                assert!(is_written || (allows(&answer) && !call.is_guarded()), "{answer:?}");
                if is_written {
                    tell(&Word::Allowed { id: id.clone() });
                }
                // Some stay in flight.
                if number % 5 != 4 {
                    let now = gate.machine().now();
                    let answer = finish(gate, call.end(gate, Ended::Ok, &now), &now);
                    if is_written && answer == Answer::Proceed {
                        tell(&Word::Ended { id });
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "a process of its own, for the tests in kills.rs"]
fn works_until_it_is_killed() {
    if let Ok(orders) = std::env::var(ORDERS) {
        serde_json::from_str::<Victim>(&orders).unwrap().work();
    }
}
