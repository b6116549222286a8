//! What the running gateway says of Callosum: whether its own copy answers, where it journals, what ails it.

use std::path::Path;

use callosum_core::query::{ReadOnlyView, Status};
use serde_json::Value;

use super::ask::{Answer, NoAnswer};
use crate::commands::doctor::finding::{Finding, Level};
use crate::commands::doctor::is_same;
use crate::output::{long, name};

const START: &str = "start it (`openclaw gateway run`), and look again";
const INSTALL: &str = "install the plugin as the README says, restart the gateway, and look again";

/// What the gateway that runs now says.
#[derive(Debug)]
pub(super) enum Running {
    /// Its Callosum answers and journals into the directory that is looked at.
    Here(Value),
    /// Its Callosum answers and journals elsewhere.
    Elsewhere(String),
    /// Its Callosum answers that it can't work.
    Broken(Value),
    /// It runs, and no Callosum answers in it.
    Without,
    /// It does not run.
    Down(String),
    /// It could not be asked.
    Silent(String),
}

impl Running {
    pub(super) fn of(answer: Answer, view: &ReadOnlyView) -> Self {
        match answer {
            Ok(status) => match text(&status, "/stateDir") {
                Some(directory) if is_same(Path::new(directory), view.state_dir()) => Self::Here(status),
                Some(directory) => Self::Elsewhere(directory.to_owned()),
                None => Self::Broken(status),
            },
            Err(NoAnswer::UnknownMethod) => Self::Without,
            Err(NoAnswer::NotRunning(why)) => Self::Down(why),
            Err(NoAnswer::Failed(why)) => Self::Silent(why),
        }
    }

    pub(super) fn findings(&self, status: &Status) -> Vec<Finding> {
        let finding = |level, title: String, remedy: &str| Finding::new(level, "gateway", title, remedy);
        match self {
            Self::Here(running) => {
                let instance = name(text(running, "/instanceId").unwrap_or_default());
                let title = "The running gateway's Callosum answers, and journals into this directory";
                let mut findings = vec![Finding::ok("gateway", title).line(format!("instance {instance}"))];
                findings.extend(ails(running));
                findings.push(versions(running, status));
                findings
            }
            Self::Elsewhere(directory) => {
                let there = long(directory);
                vec![finding(
                    Level::Error,
                    format!(
                        "The running gateway journals into `{there}`, but this command looked at `{}`",
                        long(&status.state_dir)
                    ),
                    &format!(
                        "look there: `callosum --state-dir {there} doctor`; sessions see each other only if they share a directory"
                    ),
                )]
            }
            Self::Broken(running) => {
                let cause = text(running, "/degraded/cause").unwrap_or("it does not say why");
                let remedy = text(running, "/degraded/remedy").unwrap_or("look at the gateway's log");
                vec![finding(
                    Level::Error,
                    format!("The running gateway's Callosum can't work: {}", long(cause)),
                    &long(remedy),
                )]
            }
            Self::Without => vec![finding(
                Level::Error,
                "The running gateway has loaded no Callosum: nothing is gated".to_owned(),
                "enable it (`openclaw plugins enable callosum`), or install it as the README says; then restart the gateway",
            )],
            Self::Down(why) => vec![
                finding(
                    Level::Note,
                    "No OpenClaw gateway is running, so it can't be asked whether it gates".to_owned(),
                    START,
                )
                .line(why),
            ],
            Self::Silent(why) => vec![finding(
                Level::Warning,
                format!("The OpenClaw gateway could not be asked: {why}"),
                "run `openclaw gateway call callosum.status`, fix what it reports, and look again",
            )],
        }
    }
}

/// What the gateway's own status complains about.
fn ails(running: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(cause) = text(running, "/degraded/cause") {
        let remedy = text(running, "/degraded/remedy").unwrap_or("look at the gateway's log");
        let title = format!("The gateway can't use the state: {}", long(cause));
        findings.push(Finding::new(Level::Error, "gateway.state", title, long(remedy)));
    }
    if let Some(error) = text(running, "/rules/error") {
        let title = format!("The gateway has not loaded its rules: {}", long(error));
        let remedy = "fix the file; `callosum check FILE` says what is wrong and where";
        findings.push(Finding::new(Level::Error, "gateway.rules", title, remedy));
    }
    let settings =
        running.get("settingErrors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if !settings.is_empty() {
        let remedy = "correct them under `plugins.entries.callosum.config`; the defaults apply until then";
        let lines = settings.iter().filter_map(Value::as_str).map(long);
        let finding =
            Finding::new(Level::Warning, "gateway.settings", "Settings of the plugin can't be used", remedy);
        findings.push(finding.lines(lines, 10, "settings"));
    }
    let count = |field: &str| running.pointer(field).and_then(Value::as_u64).unwrap_or(0);
    let (lost, unwritten) = (count("/waiting/lost"), count("/waiting/unwritten"));
    if lost + unwritten > 0 {
        let title = "The gateway could not journal every call";
        let remedy = "fix the state directory; the counts start again with the gateway";
        findings.push(
            Finding::new(Level::Warning, "gateway.waiting", title, remedy)
                .line(format!("{unwritten} could not be written at once, and {lost} of them never were")),
        );
    }
    if text(running, "/mode") == Some("observe") {
        let title = "The plugin only observes: it records what it would have paused, and pauses nothing";
        let remedy = "set `plugins.entries.callosum.config.mode` to `enforce`";
        findings.push(Finding::new(Level::Warning, "gateway.mode", title, remedy));
    }
    findings
}

fn versions(running: &Value, status: &Status) -> Finding {
    let (own, other) = (status.version, name(text(running, "/version").unwrap_or("unknown")));
    if own == other {
        return Finding::ok(
            "versions",
            format!("This program and the gateway's addon are both version {own}"),
        );
    }
    let title = format!("This program is version {own}, but the gateway's addon is version {other}");
    Finding::new(
        Level::Warning,
        "versions",
        title,
        "use the program that came with the plugin, in its `bin` folder",
    )
}

/// The plugin as the running gateway lists it. Older hosts have no list.
pub(super) fn listed(answer: &Answer) -> Option<Finding> {
    let plugins = answer.as_ref().ok()?.get("plugins")?.as_array()?;
    let Some(plugin) = plugins.iter().find(|plugin| text(plugin, "/id") == Some("callosum")) else {
        return Some(Finding::new(Level::Error, "plugin", "The gateway has no plugin `callosum`", INSTALL));
    };
    let origin = name(text(plugin, "/origin").unwrap_or("unknown"));
    let version = name(text(plugin, "/version").unwrap_or("unknown"));
    let shown = format!("The plugin, version {version}, origin {origin}");
    let state = name(text(plugin, "/runtime/state").unwrap_or("unknown"));
    Some(if plugin.get("enabled") != Some(&Value::Bool(true)) {
        let remedy = "run `openclaw plugins enable callosum`";
        Finding::new(Level::Error, "plugin", format!("{shown}: disabled"), remedy)
    } else if state == "active" {
        Finding::ok("plugin", format!("{shown}: enabled and active"))
    } else {
        let remedy = "restart the gateway; if that does not help, look for `callosum` in its log";
        Finding::new(Level::Error, "plugin", format!("{shown}: enabled, but {state} in the gateway"), remedy)
    })
}

/// The plugin as the `openclaw` command finds it, without a gateway: no proof that a gateway loads it.
pub(super) fn installed(answer: &Answer) -> Finding {
    let plugin = match answer {
        Ok(answer) => answer.get("plugin").unwrap_or(&Value::Null),
        Err(NoAnswer::Failed(why)) if why.contains("not found") => {
            return Finding::new(Level::Error, "plugin", "OpenClaw has no plugin `callosum`", INSTALL);
        }
        Err(NoAnswer::Failed(why) | NoAnswer::NotRunning(why)) => {
            let title = format!("The plugin could not be inspected: {why}");
            let remedy = "run `openclaw plugins inspect callosum`, and fix what it reports";
            return Finding::new(Level::Note, "plugin", title, remedy);
        }
        Err(NoAnswer::UnknownMethod) => &Value::Null,
    };
    let shown = format!(
        "The plugin, version {}, in `{}`",
        name(text(plugin, "/version").unwrap_or("unknown")),
        long(text(plugin, "/rootDir").unwrap_or("unknown"))
    );
    if plugin.get("enabled") == Some(&Value::Bool(true)) {
        Finding::new(
            Level::Note,
            "plugin",
            format!("{shown}: enabled; not proven that a gateway loads it"),
            START,
        )
    } else {
        let reason = name(text(plugin, "/activationReason").unwrap_or("no reason is given"));
        let remedy = "run `openclaw plugins enable callosum`";
        Finding::new(Level::Error, "plugin", format!("{shown}: not enabled ({reason})"), remedy)
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}
