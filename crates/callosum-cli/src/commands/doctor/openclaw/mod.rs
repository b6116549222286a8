//! OpenClaw, where there is one: what its running gateway says of the plugin, and its own record of tool calls
//! against the journal.

mod ask;
mod audit;
mod canary;
mod gateway;
mod passed;

use std::env;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use callosum_core::model::time::Stamp;
use callosum_core::query::{ReadOnlyView, Status};

use self::ask::{Answer, NoAnswer, ask};
use super::finding::{Finding, Level};
use super::program::Program;
use super::progress;
use crate::output::long;

/// The runtime's name in the journal.
pub(super) const RUNTIME: &str = "openclaw";
/// How long its command may take. It needs one or two seconds, on a busy machine ten.
const DEADLINE: Duration = Duration::from_secs(30);
/// Looking at a plugin without a gateway, it loads all of them.
const INSPECT_DEADLINE: Duration = Duration::from_secs(60);

pub(super) fn look(view: &ReadOnlyView, status: &Status, now: &Stamp, wants_canary: bool) -> Vec<Finding> {
    let Some(program) = Program::on_path("openclaw") else {
        return without_program(wants_canary);
    };
    progress("asking OpenClaw's gateway for its plugin, and for the calls it recorded …");
    let since = now.wall_ms.saturating_sub_unsigned(audit::LOOK_BACK_MS).to_string();
    let of_audit = audit::question(&since);
    let (running, plugins, recorded) = thread::scope(|scope| {
        let asked = |question: &[&'static str]| {
            let question = question.to_vec();
            let program = &program;
            scope.spawn(move || ask(program, &question, DEADLINE))
        };
        let running = asked(&["gateway", "call", "callosum.status", "--json"]);
        let plugins = asked(&["gateway", "call", "plugins.list", "--json"]);
        let recorded = ask(&program, &of_audit, DEADLINE);
        (joined(running.join()), joined(plugins.join()), recorded)
    });

    let gateway = gateway::Running::of(running, view);
    let mut findings = gateway.findings(status);
    if matches!(gateway, gateway::Running::Down(_)) {
        progress("asking OpenClaw for the plugin: no gateway is running, so this takes longer …");
        let answer = ask(&program, &["plugins", "inspect", "callosum", "--json"], INSPECT_DEADLINE);
        findings.push(gateway::installed(&answer));
    } else {
        findings.extend(gateway::listed(&plugins));
    }
    progress("comparing OpenClaw's calls with the journal …");
    findings.push(audit::compare(recorded, &gateway, view, status, now));
    if wants_canary {
        progress("making a canary call …");
        findings.push(canary::call(&program, view, &gateway));
    }
    progress("");
    findings
}

fn joined(answer: thread::Result<Answer>) -> Answer {
    answer.unwrap_or_else(|_| Err(NoAnswer::Failed("the thread that asked panicked".to_owned())))
}

fn without_program(wants_canary: bool) -> Vec<Finding> {
    let folder = env::var_os("OPENCLAW_STATE_DIR")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".openclaw")))
        .filter(|folder| folder.is_dir());
    let remedy = "run it where `openclaw` is on the PATH";
    let mut findings = vec![match folder {
        None => Finding::ok("openclaw", "There is no OpenClaw here"),
        Some(folder) => Finding::new(
            Level::Note,
            "openclaw",
            format!(
                "OpenClaw keeps its state in `{}`, but can't be asked: no `openclaw` is on the PATH",
                long(&folder.display().to_string())
            ),
            remedy,
        )
        .line("not checked: whether its gateway has loaded the plugin, and which calls passed without it"),
    }];
    if wants_canary {
        let title = "No canary call was made: no `openclaw` is on the PATH";
        findings.push(Finding::new(Level::Warning, "canary", title, remedy));
    }
    findings
}
