//! `callosum context`: the shared context on the command line.

pub(crate) mod args;
mod cron;
mod curate;
mod operate;
mod show;
mod write;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use callosum_context::days::Zone;
use callosum_context::error::{Code, Problem};
use callosum_context::lock;
use callosum_context::site::Site;
use callosum_context::tend::Tender;
use callosum_core::gate::{Gate, GateOptions};
use callosum_core::model::time::Stamp;
use callosum_team::caller::Caller;

use self::args::ContextAction;
use super::caller::caller;
use crate::args::Args;
use crate::output::{Failure, json};

pub(crate) fn run(args: &Args, action: &ContextAction, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let options = super::options(args)?;
    let home = options.home.clone();
    super::shared_state_dir(args)?;
    let here = Here::new(options, home);
    let code = here.run(args.global.json, action, out);
    here.gate.close(&here.gate.machine().now());
    match code {
        Ok(code) => Ok(code),
        Err(Stopped::Output(failure)) => Err(failure),
        Err(Stopped::Problem(problem)) => told(args.global.json, &problem, out),
    }
}

/// Says why something was not done.
fn told(as_json: bool, problem: &Problem, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let Problem { code, message, remedy } = problem;
    if as_json {
        json(
            out,
            &serde_json::json!({ "error": { "code": code.as_str(), "message": message, "remedy": remedy } }),
        )?;
    } else {
        // Where even this can't be written, the exit code still tells.
        let _ = writeln!(io::stderr(), "callosum: {problem}");
    }
    Ok(ExitCode::from(code.exit_code()))
}

/// Why a command ended early.
enum Stopped {
    /// It was not done.
    Problem(Problem),
    /// Its answer could not be written.
    Output(Failure),
}

impl From<Problem> for Stopped {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl<T: Into<Failure>> From<T> for Stopped {
    fn from(failure: T) -> Self {
        Self::Output(failure.into())
    }
}

/// Where a command works, and for whom.
struct Here {
    gate: Gate,
    home: PathBuf,
    now: Stamp,
}

impl Here {
    fn new(options: GateOptions, home: PathBuf) -> Self {
        let gate = Gate::new(options);
        let now = gate.machine().now();
        Self { now, home, gate }
    }

    fn run(&self, as_json: bool, action: &ContextAction, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
        match action {
            ContextAction::Init { mode } => operate::init(self, mode, as_json, out),
            ContextAction::Off => operate::off(self, as_json, out),
            ContextAction::Show => show::show(self, as_json, out),
            ContextAction::Cron => cron::cron(self, as_json, out),
            ContextAction::Lint => show::lint(self, as_json, out),
            ContextAction::Edit { file } => operate::edit(self, file, as_json, out),
            ContextAction::Write(item) => write::output(self, item, false, as_json, out),
            ContextAction::Stage(item) => write::output(self, item, true, as_json, out),
            ContextAction::Append { text, agent } => {
                write::append(self, text, agent.as_deref(), as_json, out)
            }
            ContextAction::Feedback(given) => write::feedback(self, given, as_json, out),
            ContextAction::Kpi { values, agent } => write::kpi(self, values, agent.as_deref(), as_json, out),
            ContextAction::Curate(wanted) => curate::curate(self, wanted, as_json, out),
            ContextAction::Signals { date } => curate::signals(self, date.as_deref(), as_json, out),
            ContextAction::Accept { what } => operate::decide(self, what, true, as_json, out),
            ContextAction::Reject { what } => operate::decide(self, what, false, as_json, out),
            ContextAction::Restore { file } => operate::restore(self, file.as_deref(), as_json, out),
            ContextAction::Prune { dry_run } => operate::prune(self, *dry_run, as_json, out),
        }
    }

    /// Where its shared context lies.
    fn site(&self) -> Site<'_> {
        Site { gate: &self.gate, home: &self.home, now: self.now }
    }

    fn zone(&self) -> Result<Zone, Problem> {
        self.site().zone()
    }

    /// Where the shared context lies, or would.
    fn root(&self) -> Result<PathBuf, Problem> {
        self.site().root()
    }

    /// The folder in care, looked at now.
    fn tender(&self, patience: Duration) -> Result<Tender, Problem> {
        self.site().tender(patience)
    }

    /// The folder in care, for a command that changes it.
    fn tender_to_write(&self) -> Result<Tender, Problem> {
        self.tender(lock::PATIENCE)
    }

    /// Who runs this.
    fn caller(&self) -> Result<Caller, Problem> {
        caller(&self.gate, &self.now).map_err(|error| {
            let message = format!("an agent runs this, and the journal can't be read: {error}");
            Problem::new(Code::Unidentified, message, "run `callosum doctor`")
        })
    }

    /// Refuses what only a person may do.
    fn operator_only(&self, command: &str) -> Result<(), Problem> {
        match self.caller()? {
            Caller::Operator { .. } => Ok(()),
            Caller::Agent(_) | Caller::Unidentified(_) => Err(Problem::new(
                Code::NotYours,
                format!("`callosum context {command}` is the operator's, and an agent runs it here"),
                "ask the operator to run it in a terminal of their own",
            )),
        }
    }
}
