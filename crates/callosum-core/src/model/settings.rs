//! The plugin's settings: every one optional, a wrong one named and replaced by its default.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::time::YEAR_MS;

/// Whether a rule stops calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Calls are paused and blocked.
    Enforce,
    /// What would have been paused is written down; nothing is.
    Observe,
}

/// How safe an allowed action's record is before the action may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// On the disk: it survives a power cut.
    #[default]
    Disk,
    /// With the operating system: it survives a crash of the process, not a power cut.
    Os,
}

/// What happens to calls while the shared state can't be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnStateError {
    /// Tiers 0–2 go on with a warning, tiers 3–4 are refused.
    #[default]
    Tiered,
    /// All go on, loudly.
    Open,
    /// None goes on.
    Closed,
}

/// Of which calls the journal keeps a summary of what they were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Summaries {
    /// Those of tier 2 and up.
    #[default]
    Guarded,
    /// These, and of commands of tiers 0 and 1 the first line.
    All,
}

/// What becomes of an inbox of the shared context that something cut or rewrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTamper {
    /// It is told, and the file stays as it is.
    #[default]
    Report,
    /// The same, and the entries that are missing are put back.
    Restore,
}

/// The settings of the shared context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedContext {
    /// `Some(false)`: sessions of this instance are told nothing of it. `Some(true)`: it is set up when one begins. `None`: it is
    /// there once `callosum context init` has made it.
    pub enabled: Option<bool>,
    /// Its folder.
    pub dir: Option<String>,
    /// Characters of it that a session is told at most.
    pub max_inject_chars: u64,
    /// Agents whose proposals the curator puts under what holds now.
    pub trusted_agents: Vec<String>,
    /// What becomes of a damaged inbox.
    pub on_tamper: OnTamper,
    /// Whose days are counted: a name of the IANA database; `None` for this system's.
    pub timezone: Option<String>,
    /// Whether a model is asked which names of the cross signals mean the same.
    pub semantic: Semantic,
}

/// How a model is asked which names mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantic {
    /// Whether one is asked at all.
    pub enabled: bool,
    /// How long it has for its answer, milliseconds.
    pub timeout_ms: u64,
    /// About how many names it is asked at most.
    pub max_candidates: u64,
    /// The model; `None` for the host's.
    pub model: Option<Endpoint>,
}

/// A model behind an OpenAI-compatible interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// Where its chat completions are asked for: an `http` or `https` URL that ends before `/chat/completions`.
    pub url: String,
    /// Its name there.
    pub model: String,
    /// The variable of the environment that holds the key; `None` where none is needed.
    pub api_key_env: Option<String>,
}

impl Default for Semantic {
    fn default() -> Self {
        Self { enabled: false, timeout_ms: 4_000, max_candidates: 120, model: None }
    }
}

impl Default for SharedContext {
    fn default() -> Self {
        Self {
            enabled: None,
            dir: None,
            max_inject_chars: 4_000,
            trusted_agents: Vec::new(),
            on_tamper: OnTamper::default(),
            timezone: None,
            semantic: Semantic::default(),
        }
    }
}

/// All settings, checked. Times are milliseconds, sizes bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name this gateway's records carry.
    pub instance_id: Option<String>,
    /// The shared state directory.
    pub state_dir: Option<String>,
    /// How long an intent holds its resource without an outcome.
    pub lease_ms: u64,
    /// How far back evidence counts where a rule says nothing.
    pub recent_window_ms: u64,
    /// How long a pause may be answered by a retry.
    pub retry_window_ms: u64,
    /// The rules file.
    pub tiers_file: Option<String>,
    /// What is flushed before a guarded call runs.
    pub durability: Durability,
    /// What happens while the state can't be used.
    pub on_state_error: OnStateError,
    /// Whether pauses are enforced or only written down.
    pub mode: Mode,
    /// All segments together; the window beats it.
    pub journal_max_bytes: u64,
    /// Segments older than this go; the window beats it.
    pub journal_max_age_ms: u64,
    /// Length of the parameter summary in a record, characters; 0 leaves it out.
    pub params_summary_chars: u64,
    /// Of which calls there is one.
    pub summaries: Summaries,
    /// Whether a heartbeat, or a session that starts, is told what other sessions did lately. What talks to the runtime goes
    /// by it.
    pub session_context: bool,
    /// Whether OpenClaw's agents have the tools for working together while that is on. What talks to the runtime goes by it.
    pub team_tools: bool,
    /// The shared context.
    pub shared_context: SharedContext,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            instance_id: None,
            state_dir: None,
            lease_ms: 5 * 60 * 1000,
            recent_window_ms: 60 * 60 * 1000,
            retry_window_ms: 10 * 60 * 1000,
            tiers_file: None,
            durability: Durability::default(),
            on_state_error: OnStateError::default(),
            mode: Mode::Enforce,
            journal_max_bytes: 256 * 1024 * 1024,
            journal_max_age_ms: 30 * 24 * 3600 * 1000,
            params_summary_chars: 400,
            summaries: Summaries::default(),
            session_context: true,
            team_tools: false,
            shared_context: SharedContext::default(),
        }
    }
}

impl Settings {
    /// How far back history must be kept, milliseconds, where the rules name these as their largest window and longest lease: the
    /// largest window, and the longest lease before it (an action without an outcome may have acted until its lease ended); or the
    /// time for a retry.
    #[must_use]
    pub fn keep_ms(&self, largest_window_ms: u64, longest_lease_ms: u64) -> u64 {
        let window_ms = largest_window_ms.max(self.recent_window_ms);
        let lease_ms = longest_lease_ms.max(self.lease_ms);
        window_ms.saturating_add(lease_ms).max(self.retry_window_ms)
    }

    /// Reads settings from a JSON object's text; empty text or `null` means none. Returns them with one
    /// line for each value that could not be used.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let object = match serde_json::from_str::<Value>(if text.trim().is_empty() { "null" } else { text }) {
            Ok(Value::Object(object)) => object,
            Ok(Value::Null) => Map::new(),
            Ok(_) => {
                problems.push("the configuration is not an object; all defaults are used".to_owned());
                Map::new()
            }
            Err(error) => {
                problems.push(format!("the configuration is not JSON ({error}); all defaults are used"));
                Map::new()
            }
        };
        let mut reader = Reader { object, problems };
        let default = Self::default();
        let settings = Self {
            instance_id: reader.text("instanceId"),
            state_dir: reader.text("stateDir"),
            lease_ms: reader.number("lockExpiryMs", default.lease_ms, 100, YEAR_MS),
            recent_window_ms: reader.number("recentWindowMs", default.recent_window_ms, 0, YEAR_MS),
            retry_window_ms: reader.number("retryWindowMs", default.retry_window_ms, 1_000, YEAR_MS),
            tiers_file: reader.text("tiersFile"),
            durability: reader.choice(
                "durability",
                default.durability,
                &[("disk", Durability::Disk), ("os", Durability::Os)],
            ),
            on_state_error: reader.choice(
                "onStateError",
                default.on_state_error,
                &[
                    ("tiered", OnStateError::Tiered),
                    ("open", OnStateError::Open),
                    ("closed", OnStateError::Closed),
                ],
            ),
            mode: reader.choice(
                "mode",
                default.mode,
                &[("enforce", Mode::Enforce), ("observe", Mode::Observe)],
            ),
            journal_max_bytes: reader.number(
                "journalMaxBytes",
                default.journal_max_bytes,
                64 * 1024,
                1 << 50,
            ),
            journal_max_age_ms: reader.number(
                "journalMaxAgeMs",
                default.journal_max_age_ms,
                60_000,
                10 * YEAR_MS,
            ),
            params_summary_chars: reader.number(
                "paramsSummaryChars",
                default.params_summary_chars,
                0,
                10_000,
            ),
            summaries: reader.choice(
                "summaries",
                default.summaries,
                &[("guarded", Summaries::Guarded), ("all", Summaries::All)],
            ),
            session_context: reader.flag("sessionContext", default.session_context),
            team_tools: reader.flag("teamTools", default.team_tools),
            shared_context: SharedContext {
                enabled: reader.maybe_flag("sharedContextEnabled"),
                dir: reader.text("sharedContextDir"),
                max_inject_chars: reader.number(
                    "sharedContextMaxInjectChars",
                    default.shared_context.max_inject_chars,
                    0,
                    5_000,
                ),
                trusted_agents: reader.names("sharedContextTrustedAgents"),
                on_tamper: reader.choice(
                    "sharedContextTamper",
                    default.shared_context.on_tamper,
                    &[("report", OnTamper::Report), ("restore", OnTamper::Restore)],
                ),
                timezone: reader.text("sharedContextTimezone"),
                semantic: reader.semantic(),
            },
        };
        reader.name_strangers();
        (settings, reader.problems)
    }
}

/// Takes known settings out of the object; what is left is unknown.
struct Reader {
    object: Map<String, Value>,
    problems: Vec<String>,
}

impl Reader {
    fn complain(&mut self, name: &str, value: &Value, wanted: &str) {
        let shown = crate::model::text::one_line(&value.to_string(), 60);
        self.problems.push(format!("`{name}` is {shown}, but must be {wanted}; the default is used"));
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.object.remove(name)? {
            Value::Null => None,
            Value::String(text) if !text.trim().is_empty() && text.len() <= 4096 => Some(text),
            other => {
                self.complain(name, &other, "a text that is not empty");
                None
            }
        }
    }

    fn names(&mut self, name: &str) -> Vec<String> {
        let Some(value) = self.object.remove(name).filter(|value| !value.is_null()) else {
            return Vec::new();
        };
        let names: Option<Vec<String>> = value.as_array().and_then(|names| {
            names
                .iter()
                .map(|name| name.as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned))
                .collect()
        });
        names.unwrap_or_else(|| {
            self.complain(name, &value, "a list of names");
            Vec::new()
        })
    }

    fn semantic(&mut self) -> Semantic {
        let default = Semantic::default();
        // Engram has two of them under another name, too.
        for (name, other) in [
            ("sharedCrossSignalSemanticEnabled", "crossSignalsSemanticEnabled"),
            ("sharedCrossSignalSemanticTimeoutMs", "crossSignalsSemanticTimeoutMs"),
        ] {
            let of_other = self.object.remove(other);
            if let (Some(value), None) = (of_other, self.object.get(name)) {
                self.object.insert(name.to_owned(), value);
            }
        }
        Semantic {
            enabled: self.flag("sharedCrossSignalSemanticEnabled", default.enabled),
            timeout_ms: self.number("sharedCrossSignalSemanticTimeoutMs", default.timeout_ms, 100, 60_000),
            max_candidates: self.number(
                "sharedCrossSignalSemanticMaxCandidates",
                default.max_candidates,
                2,
                500,
            ),
            model: self.endpoint("sharedContextModel"),
        }
    }

    fn endpoint(&mut self, name: &str) -> Option<Endpoint> {
        let value = self.object.remove(name).filter(|value| !value.is_null())?;
        let text =
            |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let (url, model, key) = (text("url"), text("model"), text("apiKeyEnv"));
        let is_url = url.starts_with("https://") || url.starts_with("http://");
        let is_known = |field: &String| ["url", "model", "apiKeyEnv"].contains(&field.as_str());
        if !is_url || model.is_empty() || !value.as_object().is_some_and(|all| all.keys().all(is_known)) {
            self.complain(
                name,
                &value,
                "an object with an http or https `url`, a `model` and, if need be, an `apiKeyEnv`",
            );
            return None;
        }
        Some(Endpoint { url, model, api_key_env: Some(key).filter(|key| !key.is_empty()) })
    }

    fn number(&mut self, name: &str, default: u64, least: u64, most: u64) -> u64 {
        match self.object.remove(name) {
            None | Some(Value::Null) => default,
            Some(value) => match value.as_u64().filter(|number| (least..=most).contains(number)) {
                Some(number) => number,
                None => {
                    self.complain(name, &value, &format!("a whole number from {least} to {most}"));
                    default
                }
            },
        }
    }

    fn flag(&mut self, name: &str, default: bool) -> bool {
        self.maybe_flag(name).unwrap_or(default)
    }

    fn maybe_flag(&mut self, name: &str) -> Option<bool> {
        match self.object.remove(name)? {
            Value::Null => None,
            Value::Bool(flag) => Some(flag),
            value => {
                self.complain(name, &value, "true or false");
                None
            }
        }
    }

    fn choice<T: Copy>(&mut self, name: &str, default: T, choices: &[(&str, T)]) -> T {
        let Some(value) = self.object.remove(name).filter(|value| !value.is_null()) else { return default };
        let chosen = choices.iter().find(|(word, _)| value.as_str() == Some(word));
        match chosen {
            Some((_, choice)) => *choice,
            None => {
                let words: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
                self.complain(name, &value, &words.join(" or "));
                default
            }
        }
    }

    fn name_strangers(&mut self) {
        for name in self.object.keys() {
            let shown = crate::model::text::one_line(name, 60);
            self.problems.push(format!("`{shown}` is not a setting; it is ignored"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_set_means_the_documented_defaults() {
        for text in ["", "null", "{}"] {
            assert_eq!(Settings::read(text), (Settings::default(), vec![]));
        }
        let default = Settings::default();
        assert_eq!(
            (default.lease_ms, default.recent_window_ms, default.retry_window_ms),
            (300_000, 3_600_000, 600_000)
        );
    }

    #[test]
    fn a_wrong_value_is_named_and_only_it_falls_back() {
        let (settings, problems) = Settings::read(
            r#"{"lockExpiryMs":"soon","recentWindowMs":1000,"durability":"paper","instanceId":7,"colour":1}"#,
        );
        assert_eq!(settings, Settings { recent_window_ms: 1000, ..Settings::default() });
        for name in
            ["`lockExpiryMs` is \"soon\"", "`durability`", "`instanceId` is 7", "`colour` is not a setting"]
        {
            assert!(problems.iter().any(|problem| problem.contains(name)), "{name}: {problems:?}");
        }
        assert_eq!(problems.len(), 4);
    }

    #[test]
    fn a_flag_is_true_or_false_and_nothing_else() {
        let of = |text: &str| Settings::read(text);
        let off = Settings { session_context: false, ..Settings::default() };
        assert_eq!(of(r#"{"sessionContext":false}"#), (off, vec![]));
        assert_eq!(of(r#"{"sessionContext":null}"#), (Settings::default(), vec![]));
        let (settings, problems) = of(r#"{"sessionContext":"no"}"#);
        assert_eq!(settings, Settings::default());
        assert_eq!(problems, ["`sessionContext` is \"no\", but must be true or false; the default is used"]);
    }

    #[test]
    fn the_shared_context_is_set_as_its_settings_say() {
        let (settings, problems) = Settings::read(
            r#"{"sharedContextEnabled":true,"sharedContextDir":"/x","sharedContextMaxInjectChars":9000,"sharedContextTamper":"restore",
                "sharedContextTrustedAgents":["boss"]}"#,
        );
        let expected = SharedContext {
            enabled: Some(true),
            dir: Some("/x".to_owned()),
            on_tamper: OnTamper::Restore,
            trusted_agents: vec!["boss".to_owned()],
            ..SharedContext::default()
        };
        assert_eq!(settings.shared_context, expected);
        assert_eq!(problems.len(), 1);
        let (settings, problems) = Settings::read(r#"{"sharedContextTrustedAgents":["a",7]}"#);
        assert_eq!((settings.shared_context.trusted_agents.len(), problems.len()), (0, 1));
    }

    #[test]
    fn the_model_for_cross_signals_is_set_under_engrams_names_too() {
        let semantic = |text: &str| {
            let (settings, problems) = Settings::read(text);
            (settings.shared_context.semantic, problems.len())
        };
        let expected = Semantic { enabled: true, timeout_ms: 900, ..Semantic::default() };
        let other = r#"{"crossSignalsSemanticEnabled":true,"crossSignalsSemanticTimeoutMs":900}"#;
        assert_eq!(semantic(other), (expected, 0));
        let both = r#"{"crossSignalsSemanticEnabled":true,"sharedCrossSignalSemanticEnabled":false}"#;
        assert_eq!(semantic(both), (Semantic::default(), 0));
        let (url, model) = ("http://127.0.0.1:1/v1".to_owned(), "m".to_owned());
        let expected = Endpoint { url, model, api_key_env: Some("KEY".to_owned()) };
        let given = r#"{"sharedContextModel":{"url":"http://127.0.0.1:1/v1","model":"m","apiKeyEnv":"KEY"}}"#;
        assert_eq!(semantic(given), (Semantic { model: Some(expected), ..Semantic::default() }, 0));
        for wrong in [
            r#""x""#,
            r#"{"url":"file:///x","model":"m"}"#,
            r#"{"url":"http://x"}"#,
            r#"{"url":"http://x","model":"m","key":"k"}"#,
        ] {
            let text = format!(r#"{{"sharedContextModel":{wrong}}}"#);
            assert_eq!(semantic(&text), (Semantic::default(), 1), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_object_is_said_so() {
        for text in ["[1]", "{\"a\":"] {
            let (settings, problems) = Settings::read(text);
            assert_eq!((settings, problems.len()), (Settings::default(), 1));
        }
    }
}
