//! What an instance is made of: whose calls it speaks for, by which settings and rules, and in which state directory.

use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::model::settings::Settings;
use crate::model::text::one_line;

use super::context_file::ContextFile;
use super::disk::Disk;
use super::rules_file::RulesFile;
use super::state_dir::{self, StateDir};

/// Characters of an instance's name.
const NAME_CHARS: usize = 100;
const HOST_CHARS: usize = 60;

/// What is said to an instance when it is made; nothing of it is looked at on the disk before the first call or question.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The settings as JSON text.
    pub settings: String,
    /// The runtime's name: `openclaw` …
    pub runtime: String,
    /// The machine's name, for the default instance id.
    pub host_name: String,
    /// The runtime's own state folder, for the default instance id.
    pub runtime_state_dir: String,
    /// The rules file that came with the plugin.
    pub packaged_tiers: Option<PathBuf>,
    /// The user's home folder.
    pub home: PathBuf,
    /// `CALLOSUM_STATE_DIR`, if set.
    pub state_dir_variable: Option<String>,
    /// Why the host could not read its settings, or not all of them: a clause. The rest go by their defaults.
    pub settings_problem: Option<String>,
    /// This process only speaks for the one that runs the calls: a hook that a runtime starts for each call.
    pub is_hook: bool,
}

/// The same, understood.
#[derive(Debug)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// The runtime's name.
    pub runtime: String,
    /// Its settings.
    pub settings: Settings,
    /// What of them could not be used.
    pub setting_problems: Vec<String>,
    /// The state directory.
    pub directory: StateDir,
    /// The rules, and the file that they follow.
    pub rules: RulesFile,
    /// The policy, and the file that it follows.
    pub contexts: ContextFile,
}

impl Instance {
    /// The instance that `options` tell, on `disk`.
    #[must_use]
    pub fn new(options: Options, disk: Arc<dyn Disk>) -> Self {
        let (settings, mut setting_problems) = Settings::read(&options.settings);
        setting_problems.extend(options.settings_problem);
        let directory = state_dir::locate(
            settings.state_dir.as_deref(),
            options.state_dir_variable.as_deref(),
            &options.home,
        );
        let at_home = |path: &str| options.home.join(path.strip_prefix("~/").unwrap_or(path));
        let tiers_file = settings.tiers_file.as_deref().map(at_home);
        let name = settings.instance_id.as_deref().map_or_else(
            || default_name(&options.host_name, &options.runtime_state_dir),
            |id| one_line(id, NAME_CHARS),
        );
        let rules = RulesFile::new(tiers_file, &directory, options.packaged_tiers);
        let contexts = ContextFile::new(&directory, &options.home);
        Self {
            name,
            runtime: options.runtime,
            settings,
            setting_problems,
            directory: StateDir { path: directory, disk },
            rules,
            contexts,
        }
    }
}

/// The default instance id: the machine's name and a short hash of the runtime's state folder, because two
/// gateways on one machine both have a session `agent:main:main`.
fn default_name(host_name: &str, runtime_state_dir: &str) -> String {
    let hash = Sha256::digest(runtime_state_dir.as_bytes());
    let short: String = hash.iter().take(3).map(|byte| format!("{byte:02x}")).collect();
    let host = one_line(host_name.split('.').next().unwrap_or_default(), HOST_CHARS);
    if host.is_empty() { short } else { format!("{host}-{short}") }
}
