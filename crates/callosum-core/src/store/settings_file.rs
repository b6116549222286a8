//! The settings of everything but OpenClaw, which has its own: `settings.json` in the state directory.

use serde_json::{Map, Value};

use super::instance::Options;
use super::{rules_file, state_dir};

/// What the file says. Where the state directory is, it can't say itself.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    /// The settings.
    pub settings: Map<String, Value>,
    /// Why the file, or a part of it, is not used: a clause.
    pub problem: Option<String>,
}

impl SettingsFile {
    /// The settings for these options. What can't be read is as good as absent, and said so.
    #[must_use]
    pub fn of(options: &Options) -> Self {
        let folder = state_dir::locate(None, options.state_dir_variable.as_deref(), &options.home);
        let path = folder.join("settings.json");
        // A relative one may be any project's.
        if state_dir::is_place(&folder).is_err() || path.symlink_metadata().is_err() {
            return Self::default();
        }
        let read = rules_file::read(&path).and_then(|text| {
            serde_json::from_str::<Map<String, Value>>(&text)
                .map_err(|error| format!("is not a JSON object: {error}"))
        });
        let problem = |why: &str| Some(format!("`{}` {why}", path.display()));
        match read {
            Err(why) => {
                Self { settings: Map::new(), problem: problem(&format!("{why}; the defaults are used")) }
            }
            Ok(mut settings) => {
                let named = settings.remove("stateDir");
                Self {
                    settings,
                    problem: named
                        .and_then(|_| problem("can't set its own place: its `stateDir` is ignored")),
                }
            }
        }
    }
}
