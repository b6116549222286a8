//! What of ours stands in a runtime's settings, for who only looks.

use std::path::PathBuf;

use super::entries::{self, Amiss};
use super::entry::{command, entries, parts};
use super::json_text::Misfit;
use crate::runtime::Runtime;

/// Our hooks in a runtime's settings.
#[derive(Debug)]
pub struct Hooks {
    /// What they run, by event, as it stands there.
    pub commands: Vec<(String, String)>,
    /// The program that is run before each call (or, without such a hook, by the first one), and the state directory that is
    /// named for it; `None` when that can't be told.
    pub program: Option<(PathBuf, Option<String>)>,
    /// Where they are not what `install` would write for this program and state directory now.
    pub amiss: Vec<(String, Amiss)>,
    /// What keeps the runtime from running them: a clause.
    pub off: Option<&'static str>,
}

impl Hooks {
    /// Those in settings of this text; `None` when there are none.
    ///
    /// # Errors
    /// Where the text is not what the runtime reads.
    pub fn read(runtime: Runtime, text: &str) -> Result<Option<Self>, Misfit> {
        let commands = entries::commands(text, runtime)?;
        if commands.is_empty() {
            return Ok(None);
        }
        let gating = commands.iter().find(|(event, _)| event == runtime.gating_event());
        let gating = gating.or_else(|| commands.first()).map(|(_, command)| command.as_str());
        let program = gating.and_then(parts);
        let wanted = entries(runtime, |event| {
            // One that names no state directory was written by an older version, whatever it would name.
            let wanted = program.as_ref().and_then(|(program, state_dir)| {
                Some(command(runtime, event, program.to_str()?, state_dir.as_deref().unwrap_or("/")))
            });
            wanted.unwrap_or_default()
        });
        Ok(Some(Self {
            amiss: entries::amiss(text, runtime, &wanted)?,
            off: runtime.off(&entries::value(text, runtime)?, gating),
            program,
            commands,
        }))
    }
}
