//! Whether a runtime that asks its user to trust hooks runs ours.

use std::path::Path;
use std::time::Duration;

use callosum_runtimes::Runtime;
use callosum_runtimes::settings::installed::Hooks;
use callosum_runtimes::trust::{HookTrust, Judged};

use crate::commands::doctor::finding::{Finding, Level};
use crate::commands::doctor::is_same;
use crate::commands::doctor::program::Program;
use crate::commands::doctor::progress;
use crate::output::{long, name};

/// How long it may take. It needs half a second.
const DEADLINE: Duration = Duration::from_secs(20);
/// Hooks and warnings listed.
const MAX_LISTED: usize = 10;

pub(super) fn look(runtime: Runtime, trust: &dyn HookTrust, file: &Path, hooks: &Hooks) -> Finding {
    let (id, title, question) = (format!("{}.trust", runtime.name()), runtime.title(), trust.question());
    let not_asked = |why: &str| {
        let what = format!("couldn't ask {title} whether it trusts the hooks: {}", long(why));
        Finding::new(Level::Note, id.as_str(), what, trust.by_hand())
    };
    let Some(program) = Program::on_path(question.program) else {
        return not_asked(&format!("no `{}` is on the PATH", question.program));
    };
    progress(&format!("asking {title} whether it trusts the hooks …"));
    let answer = program.converse(question.args, &question.text, |line| trust.answer_in(line), DEADLINE);
    progress("");
    match answer {
        Ok(Ok(answer)) => match trust.judged(&answer, &hooks.commands, &|path| is_same(path, file)) {
            Some(judged) => found(&id, title, judged),
            None => not_asked("its answer can't be read"),
        },
        Ok(Err(why)) => not_asked(&why),
        Err(error) => not_asked(&error.to_string()),
    }
}

fn found(id: &str, title: &str, judged: Judged) -> Finding {
    if judged.not_run.is_empty() {
        return Finding::ok(id, format!("{title} trusts Callosum's hooks"));
    }
    let (level, what) = if judged.is_ungated {
        (
            Level::Error,
            format!("{title}'s calls are not gated: it does not run Callosum's hook before a call"),
        )
    } else {
        (Level::Warning, format!("{title} does not run all of Callosum's hooks"))
    };
    let not_run = judged.not_run.iter().map(|(event, why)| format!("the hook for {} {why}", name(event)));
    let said = judged.said.iter().map(|said| format!("it says: {}", long(said)));
    Finding::new(level, id, what, judged.remedy).lines(not_run.chain(said), MAX_LISTED, "lines")
}
