//! The state directory: the journal's files, the index over them, the ledger that keeps both in step with the history in memory,
//! the guard, the rules file, the folders of shared contexts, the service's webhooks; what an instance is made of. Nothing else in the core touches the state directory.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod context_file;
pub mod disk;
pub mod index;
pub mod instance;
pub mod journal;
pub mod ledger;
pub mod rules_file;
pub mod settings_file;
pub mod standing;
pub mod state_dir;
pub mod state_guard;
pub mod webhooks_file;
