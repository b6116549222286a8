//! The state directory, and what stands in it about the service.

use std::path::{Path, PathBuf};

use callosum_core::gate::GateOptions;
use callosum_core::model::wrong_field::wrong_field;
use callosum_core::store::settings_file::SettingsFile;
use callosum_core::store::state_dir::{self, StateDir};
use serde::Deserialize;
use serde_json::Value;

use crate::args::Global;
use crate::failure::Failure;
use crate::notices::Notify;
use crate::webhooks::{MAX_WEBHOOKS, Webhook};

/// The file in the state directory that says how the service is run.
const FILE: &str = "serve.json";
/// It is never larger than this.
const MAX_FILE: u64 = 1 << 20;

/// What `serve.json` may say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Config {
    /// What each token may.
    pub(crate) limits: Limits,
    /// Where what happens is posted to.
    pub(crate) webhooks: Vec<Webhook>,
    /// Whom to tell when something was stopped, or can't be checked.
    pub(crate) notify: Option<Notify>,
}

/// What each token may.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Requests a second.
    pub(crate) requests_per_second: u32,
    /// Requests at once, after a time without any.
    pub(crate) burst: u32,
    /// Requests that are being answered.
    pub(crate) open_calls: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { requests_per_second: 200, burst: 1_000, open_calls: 64 }
    }
}

impl Config {
    /// The file in `directory`; the defaults where there is none.
    pub(crate) fn read(directory: &Path) -> Result<Self, Failure> {
        let path = directory.join(FILE);
        let wrong = |why: String| {
            Failure::new(format!("`{}` can't be used: {why}", path.display()), "correct it, or move it away")
        };
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(wrong(error.to_string())),
            Ok(facts) if !facts.is_file() || facts.len() > MAX_FILE => {
                return Err(wrong("it is no regular file of at most 1 MiB".to_owned()));
            }
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        let mut json = serde_json::Deserializer::from_str(&text);
        let config: Self = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let (field, expected) =
                wrong_field(&error.path().to_string(), &without_texts(error.inner().to_string()));
            wrong(format!("{field}: {expected}"))
        })?;
        json.end().map_err(|error| wrong(error.to_string()))?;
        let Limits { requests_per_second, burst, open_calls } = config.limits;
        if [requests_per_second, burst, open_calls].contains(&0) {
            return Err(wrong("a limit of 0 lets nobody in".to_owned()));
        }
        let webhooks = &config.webhooks;
        if webhooks.len() > MAX_WEBHOOKS {
            return Err(wrong(format!(
                "there are {} `webhooks`, and at most {MAX_WEBHOOKS} may be",
                webhooks.len()
            )));
        }
        for (number, webhook) in webhooks.iter().enumerate() {
            if webhooks.iter().take(number).any(|earlier| earlier.name == webhook.name) {
                return Err(wrong(format!("two `webhooks` have the name `{}`", webhook.name)));
            }
        }
        Ok(config)
    }
}

/// An error of reading without the text that was found: what was put into a wrong place may be the address of a webhook.
fn without_texts(error: String) -> String {
    let parts = error.split_once("string \"");
    match parts.and_then(|(before, rest)| Some((before, rest.rsplit_once("\", expected")?.1))) {
        Some((before, after)) => format!("{before}a text, expected{after}"),
        None => error,
    }
}

/// What a gate is made of that serves by this protocol, under this name.
pub(crate) fn gate_options(global: &Global, protocol: &str, name: &str) -> Result<GateOptions, Failure> {
    let options = GateOptions {
        runtime: protocol.to_owned(),
        home: std::env::home_dir().unwrap_or_default(),
        state_dir_variable: chosen(global)?,
        ..GateOptions::default()
    };
    let SettingsFile { mut settings, problem } = SettingsFile::of(&options);
    settings.insert("instanceId".to_owned(), name.into());
    Ok(GateOptions { settings: Value::from(settings).to_string(), settings_problem: problem, ..options })
}

/// Where the state directory is.
pub(crate) fn locate(global: &Global) -> Result<PathBuf, Failure> {
    Ok(state_dir::locate(None, chosen(global)?.as_deref(), &std::env::home_dir().unwrap_or_default()))
}

/// The state directory, made if it was not there.
pub(crate) fn state_dir(global: &Global) -> Result<StateDir, Failure> {
    let directory = StateDir::new(locate(global)?);
    directory.prepare()?;
    Ok(directory)
}

/// The state directory that the command line names, else the environment.
fn chosen(global: &Global) -> Result<Option<String>, Failure> {
    let Some(path) = &global.state_dir else { return Ok(state_dir::variable()) };
    state_dir::named(path).map(Some).map_err(|why| {
        let fragment = format!("can't use `{}` as the state directory: {why}", path.display());
        Failure::new(fragment, "give the path of the shared state directory")
    })
}
