//! `callosum context cron`: what starts the curator every day and week, to be put where the reader wants it. Nothing registers itself.

use std::io::Write;
use std::process::ExitCode;

use callosum_context::error::Problem;
use serde_json::{Value, json};
use shlex::Quoter;

use super::{Here, Stopped};
use crate::commands::install;
use crate::output::{heading, json};

/// What is to run, and when: minute and hour, day of the week, the same for systemd, and the curator's option.
struct Job {
    name: &'static str,
    cron: &'static str,
    calendar: &'static str,
    option: &'static str,
    /// The tools that do the same in OpenClaw.
    tools: &'static str,
}

/// Late enough for the day, and early enough that a day that was missed is caught up with by the next.
const JOBS: [Job; 2] = [
    Job {
        name: "daily",
        cron: "55 23 * * *",
        calendar: "*-*-* 23:55:00",
        option: "--daily",
        tools: "shared_context_curate_daily,shared_context_cross_signals_run",
    },
    Job {
        name: "weekly",
        cron: "10 0 * * 1",
        calendar: "Mon *-*-* 00:10:00",
        option: "--weekly",
        tools: "shared_context_curate_weekly",
    },
];

pub(super) fn cron(here: &Here, as_json: bool, out: &mut dyn Write) -> Result<ExitCode, Stopped> {
    let site = here.site();
    let (folder, _) = site.folder()?;
    // Whatever starts it has another environment than this shell.
    let elsewhere = site.registry()?.locate(site.settings().dir.as_deref(), None, &here.home);
    if std::fs::canonicalize(&elsewhere).ok().as_deref() != Some(folder.root()) {
        return Err(Problem::input(
            format!("without the environment of this shell, `{}` would be curated", elsewhere.display()),
            "set `sharedContextDir` in `settings.json` of the state directory to the folder that you mean",
        )
        .into());
    }
    let program = install::program()?;
    let state_dir = here.gate.state_dir().to_string_lossy().into_owned();
    let command =
        |job: &Job| [&program, "--state-dir", &state_dir, "context", "curate", job.option].map(str::to_owned);
    let quoted = |word: &str| {
        let unusable = |_| Problem::input("a path has a NUL", "move it");
        Quoter::new().quote(word).map(|word| word.into_owned()).map_err(unusable)
    };
    let mut forms: Vec<(&str, String)> = Vec::new();
    let (mut openclaw, mut turns, mut crontab) = (String::new(), String::new(), String::new());
    for job in &JOBS {
        let argv = quoted(&Value::from(command(job).to_vec()).to_string())?;
        openclaw.push_str(&format!(
            "openclaw automations add --name 'Shared context {}' --declaration-key callosum:context:{} --cron '{}' --command-argv {argv} --no-deliver\n",
            job.name, job.name, job.cron
        ));
        // Without a limit to its tools such a turn could send messages. One declaration has one key: whichever is added last holds.
        turns.push_str(&format!(
            "openclaw automations add --name 'Shared context {}' --declaration-key callosum:context:{} --cron '{}' --session isolated --light-context --tools {} --no-deliver --message '{}'\n",
            job.name, job.name, job.cron, job.tools, message(job)
        ));
        let words = command(job).iter().map(|word| quoted(word)).collect::<Result<Vec<_>, _>>()?.join(" ");
        // cron takes a percent sign for the end of the line.
        crontab.push_str(&format!("{} {}\n", job.cron, words.replace('%', "\\%")));
    }
    forms.push(("OpenClaw, without a model", openclaw));
    forms.push(("crontab -e", crontab));
    forms.push(("systemd, in ~/.config/systemd/user", systemd(&command)));
    forms.push(("OpenClaw, as isolated turns of an agent that has the tools", turns));
    if as_json {
        let forms: Vec<Value> =
            forms.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect();
        json(out, &json!({ "forms": forms }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (name, text) in &forms {
        writeln!(out, "{}\n{text}", heading(name))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the agent is told.
fn message(job: &Job) -> String {
    let tools = job.tools.replace(',', ", then ");
    format!("Call {tools}, each once and without parameters. Do nothing else; answer with one line.")
}

/// A service and its timer for each job, as they stand in their files.
fn systemd(command: &dyn Fn(&Job) -> [String; 6]) -> String {
    let word = |word: &String| {
        format!(
            "\"{}\"",
            word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$")
        )
    };
    let units = JOBS.iter().map(|job| {
        let words = command(job).iter().map(word).collect::<Vec<_>>().join(" ");
        let name = format!("callosum-context-{}", job.name);
        format!(
            "# {name}.service\n[Service]\nType=oneshot\nExecStart={words}\n\n\
             # {name}.timer, started by: systemctl --user enable --now {name}.timer\n\
             [Timer]\nOnCalendar={}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
            job.calendar
        )
    });
    units.collect::<Vec<_>>().join("\n")
}
