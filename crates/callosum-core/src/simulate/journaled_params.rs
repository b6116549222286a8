//! What the journal keeps of a call's parameters: a summary, limited and redacted, of tier 2 and up.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;

use crate::model::digest::{digest, has_effect};
use crate::model::tier::Tier;
use crate::model::tool_call::{AllParameters, Parameters, ToolCall};
use crate::record::Record;

/// The parameters of a journaled call, as far as they are known. Whoever asks for more is told nothing, and that
/// it asked is noted.
#[derive(Debug)]
pub(super) struct Kept {
    /// The summary, where it is not cut off itself.
    summary: Option<Value>,
    /// It has the digest of the call's own parameters: nothing with an effect was cut or taken out.
    whole: bool,
    asked_in_vain: Cell<bool>,
}

impl Kept {
    pub(super) fn of(record: &Record, call: &ToolCall) -> Self {
        // Of a call that was only logged it may have the first line of a command, which tells of nothing else whether it was there.
        let is_tracked = record.tier.is_some_and(Tier::is_tracked);
        let summary = record.params.as_ref().filter(|_| is_tracked);
        let summary: Option<Value> = summary.and_then(|summary| serde_json::from_str(summary).ok());
        let digest = summary.as_ref().map(|summary| digest(&call.tool, &summary.all()));
        Self { whole: digest.is_some() && digest == record.digest, summary, asked_in_vain: Cell::new(false) }
    }

    /// Runs `step`, and tells besides whether it asked for what is not known.
    pub(super) fn watch<T>(&self, step: impl FnOnce(&Self) -> T) -> (T, bool) {
        self.asked_in_vain.set(false);
        let result = step(self);
        (result, self.asked_in_vain.get())
    }

    fn knows(&self, path: &str, found: Option<&Value>) -> bool {
        let Some(summary) = &self.summary else { return false };
        let name = path.split('.').next().unwrap_or(path);
        let is_command = summary.get("command").is_some();
        // What has no effect is not part of the digest.
        if self.whole && has_effect(name, is_command) {
            return true;
        }
        found.is_none_or(is_whole)
    }
}

impl Parameters for Kept {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        let inside = |value, name| Value::get(value, name);
        let found = self.summary.as_ref().and_then(|summary| path.split('.').try_fold(summary, inside));
        if !self.knows(path, found) {
            self.asked_in_vain.set(true);
            return None;
        }
        found.filter(|value| !value.is_null()).map(Cow::Borrowed)
    }

    fn all(&self) -> AllParameters<'_> {
        if !self.whole {
            self.asked_in_vain.set(true);
        }
        let value = self.summary.as_ref().map_or(Cow::Owned(Value::Null), Cow::Borrowed);
        AllParameters { value, complete: self.whole }
    }
}

/// Whether a value of a summary surely is what the call had: nothing cut off, taken out or made one line. A space
/// may have been a line's end.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.chars().all(|c| c.is_ascii_graphic() || c.is_alphanumeric()) && !text.contains("[redacted")
        }
        Value::Array(items) => items.iter().all(is_whole),
        Value::Object(fields) => fields.values().all(is_whole),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}
