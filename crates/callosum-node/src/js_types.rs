//! The types that cross, mirroring the core's.

use std::path::PathBuf;

use callosum_core::gate;
use napi_derive::napi;

/// What a gate is made of.
#[napi(object, object_to_js = false)]
pub struct GateOptions {
    /// The plugin's config as JSON text. Wrong values fall back to their defaults and are named in the
    /// notices and the status.
    pub config: String,
    /// The runtime's name: `openclaw`.
    pub runtime: String,
    /// The machine's name; makes the default instance id together with `hostStateDir`.
    pub host_name: String,
    /// The host's own state folder.
    pub host_state_dir: String,
    /// The `tiers.json` that lies in the plugin folder.
    pub packaged_tiers: Option<String>,
}

impl GateOptions {
    pub(crate) fn into_core(self) -> gate::GateOptions {
        gate::GateOptions {
            settings: self.config,
            runtime: self.runtime,
            host_name: self.host_name,
            runtime_state_dir: self.host_state_dir,
            packaged_tiers: self.packaged_tiers.map(PathBuf::from),
            home: std::env::home_dir().unwrap_or_default(),
            state_dir_variable: callosum_core::store::state_dir::variable(),
            settings_problem: None,
            is_hook: false,
        }
    }
}

/// What the host still has to do; `null` instead of an answer means: nothing, the call may run.
#[napi(object, object_from_js = false)]
pub struct Answer {
    /// The call is refused with this text for the model.
    pub refuse: Option<String>,
    /// The call may run once a person whom the host asks with this text has allowed it.
    pub ask: Option<String>,
    /// How long they may think about it, milliseconds.
    pub ask_ms: Option<u32>,
    /// The call may run; a person may be warned with this text.
    pub warn: Option<String>,
    /// Work is left for a worker thread: `finish(ticket)`. A call that is to be decided may not run before.
    pub ticket: Option<u32>,
    /// Nothing to wait for, but `maintain()` should run soon: records wait in the backlog.
    pub maintain: Option<bool>,
}

impl Answer {
    pub(crate) fn from_core(answer: gate::Answer) -> Option<Self> {
        let none = Self { refuse: None, ask: None, ask_ms: None, warn: None, ticket: None, maintain: None };
        match answer {
            gate::Answer::Proceed => None,
            gate::Answer::ProceedThenMaintain => Some(Self { maintain: Some(true), ..none }),
            gate::Answer::Refuse(text) => Some(Self { refuse: Some(text), ..none }),
            gate::Answer::Ask(text) => Some(Self { ask: Some(text), ask_ms: Some(gate::ASKING_MS), ..none }),
            gate::Answer::Warn(text) => Some(Self { warn: Some(text), ..none }),
            gate::Answer::Wait(ticket) => Some(Self { ticket: Some(ticket), ..none }),
        }
    }
}

/// A line for the host's log.
#[napi(object, object_from_js = false)]
pub struct Notice {
    /// `info`, `warn` or `error`.
    #[napi(ts_type = "'info' | 'warn' | 'error'")]
    pub level: String,
    /// The line.
    pub text: String,
}

impl Notice {
    pub(crate) fn from_core(notice: gate::Notice) -> Self {
        let level = match notice.level {
            gate::Level::Info => "info",
            gate::Level::Warn => "warn",
            gate::Level::Error => "error",
        };
        Self { level: level.to_owned(), text: notice.text }
    }
}
