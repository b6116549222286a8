//! What is promised of tasks and messages, on a real journal.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod api;
mod messages;
mod tasks;
mod verbs;

use callosum_core::gate::Gate;
use callosum_core::machine::{self, Machine};
use callosum_core::model::time::Stamp;
use callosum_team::team::Team;
use callosum_team::who::{Actor, Process, Who};
use callosum_testing::gate::options;
use serde_json::json;
use tempfile::TempDir;

/// A state directory, and a clock that goes when told.
struct World {
    folder: TempDir,
    now: Stamp,
    gate: Gate,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let gate = Gate::new(options(folder.path(), "test", &json!({})));
        Self { folder, now: Machine::read().now(), gate }
    }

    fn pass(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    fn team<'a>(&'a self, actor: &'a Actor) -> Team<'a> {
        Team { gate: &self.gate, actor, now: self.now }
    }
}

/// A session of the process `pid`.
fn session(name: &str, pid: u32) -> Actor {
    let holder = machine::ancestors(pid).first().copied();
    let boot = Machine::read().now().boot;
    Actor {
        who: Who {
            instance: "home".to_owned(),
            runtime: "codex".to_owned(),
            session: name.to_owned(),
            via: "process".to_owned(),
            ..Who::default()
        },
        process: holder.map(|holder| Process { holder, boot }),
        ..Actor::default()
    }
}

/// A session of this process.
fn agent(name: &str) -> Actor {
    session(name, std::process::id())
}

fn operator() -> Actor {
    Actor { who: Who::operator(), may_accept: true, ..Actor::default() }
}
