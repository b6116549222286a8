//! Everything that touches the machine: files, locks, processes, clocks. Nothing else in the core does.

pub mod disk;
pub mod machine;
pub mod rules_file;
pub mod state_dir;
pub mod state_guard;
