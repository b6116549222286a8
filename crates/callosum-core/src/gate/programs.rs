//! The programs of shell lines that no rule is for, counted as the lines pass.

use std::borrow::Cow;
use std::cell::RefCell;

use serde_json::Value;

use crate::model::redact::redact_key;
use crate::model::tool_call::{AllParameters, Parameters};
use crate::record::PROGRAM;
use crate::rules::RuleSet;
use crate::rules::covered::{is_shell, programs_seen};

use super::Gate;

/// A call's parameters, and what of its shell line was heard when the rules asked for that: who would ask again would pay again for a long
/// text.
pub(super) struct Overheard<'a> {
    tool: &'a str,
    params: &'a dyn Parameters,
    programs: RefCell<Vec<String>>,
}

impl<'a> Overheard<'a> {
    pub(super) fn new(tool: &'a str, params: &'a dyn Parameters) -> Self {
        Self { tool, params, programs: RefCell::default() }
    }
}

impl Parameters for Overheard<'_> {
    fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        let found = self.params.get(path);
        if path == "command"
            && is_shell(self.tool)
            && let Some(line) = found.as_deref().and_then(Value::as_str)
        {
            self.programs.replace(programs_seen(line).collect());
        }
        found
    }

    fn all(&self) -> AllParameters<'_> {
        self.params.all()
    }
}

impl Gate {
    /// Counts the programs of a call's line that no rule names.
    pub(super) fn count_programs(&self, heard: &Overheard<'_>, rules: &RuleSet) {
        for program in heard.programs.take() {
            // A secret may stand where a program was meant.
            if !rules.covers_program(&program) && redact_key(&program) == program {
                self.count(&format!("{PROGRAM}{program}"), |counts| {
                    counts.before += 1;
                    counts.after += 1;
                });
            }
        }
    }
}
