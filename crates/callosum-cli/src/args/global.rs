//! The options of every command.

use std::path::PathBuf;

/// The options of every command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Global {
    /// The shared state directory [default: CALLOSUM_STATE_DIR, else ~/.callosum]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) state_dir: Option<PathBuf>,

    /// Print one JSON document instead of text
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Show the time of day, not how long ago it was
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) time: bool,

    /// Shorten nothing and leave nothing out to make a table fit the terminal
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) wide: bool,

    /// Start no pager for what is longer than the terminal
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) no_pager: bool,
}
