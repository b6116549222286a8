//! What a key is made from.

use callosum_shell::command::{Detail, Fit};

use super::Lookup;
use super::file_path::work_folder;
use crate::model::tool_call::ToolCall;
use crate::rules::tool_words::ToolWords;
use crate::rules::world::Outlook;

/// What a key is made from: a call, its parameters, the part of its command that is meant, and what lies around.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a, 'p> {
    pub(crate) call: &'a ToolCall,
    pub(crate) params: &'a Lookup<'p>,
    pub(crate) fit: Option<&'a Fit<'a, 'a>>,
    pub(crate) outlook: &'a Outlook<'a>,
    /// The words of tools' names that its rule asks for.
    pub(crate) words: Option<&'a ToolWords>,
}

impl Site<'_, '_> {
    /// Where the command runs.
    pub(super) fn folder(&self) -> String {
        let within = self.fit.and_then(Fit::folder);
        work_folder(self.call, self.params, within.as_deref())
    }

    /// What the command says of `detail`.
    pub(crate) fn detail(&self, detail: &Detail) -> Vec<String> {
        self.fit.map(|fit| fit.values(detail)).unwrap_or_default()
    }

    /// The values of an option, by its name without dashes.
    pub(crate) fn flag(&self, name: &str) -> Vec<String> {
        self.detail(&Detail::Flag(name.to_owned()))
    }

    /// A variable of the environment as the command sees it: set in the line, given with the call, or by what runs it.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        let of_line = self.fit.and_then(|fit| {
            let set = &fit.command.invocation.variables;
            set.iter().rfind(|(set, _)| set == name).map(|(_, value)| value.clone())
        });
        let of_call = || Some(self.params.get("env")?.get(name)?.as_str()?.to_owned());
        of_line.or_else(of_call).or_else(|| self.outlook.variable(name))
    }
}
