//! Whether a path that a command of a line names guards the gate itself.

use std::cell::{Cell, OnceCell};

use crate::model::tool_call::ToolCall;
use crate::rules::context_key::{Looked, Lookup, READ, is_guarded, meanings, path_in, work_folder};
use callosum_shell::command::{Command, listed, may_be_guarded_in};
use callosum_shell::{Line, joined};

/// At most this many paths and mentions of variables in a line are examined; of more, it counts whether the line names the gate.
const MAX_LOOKS: usize = 8 * 1024;

/// A line before the question which of its paths guard the gate.
pub(super) struct Guard<'l, 'p> {
    call: &'l ToolCall,
    params: &'l Lookup<'p>,
    text: &'l str,
    line: &'l Line,
    looks: Cell<usize>,
    /// The folder that the call works in.
    folder: OnceCell<String>,
    /// The pipelines with a command that lists paths that guard the gate.
    lists: OnceCell<Vec<usize>>,
    /// The text names such paths.
    names: OnceCell<bool>,
    /// The first that was found.
    met: OnceCell<String>,
}

impl<'l, 'p> Guard<'l, 'p> {
    pub(super) fn new(call: &'l ToolCall, params: &'l Lookup<'p>, text: &'l str, line: &'l Line) -> Self {
        let (folder, lists, names) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self {
            call,
            params,
            text,
            line,
            looks: Cell::new(MAX_LOOKS),
            folder,
            lists,
            names,
            met: OnceCell::new(),
        }
    }

    /// The first path that guards the gate and that a command was found to name.
    pub(super) fn met(&self) -> Option<String> {
        self.met.get().cloned()
    }

    /// Whether a path that a command names is such a one, or may be: one that it reads from a list of them.
    pub(super) fn is_meant(&self, command: &Command<'_>, path: &str) -> bool {
        self.is(command, path, &|| self.is_given(command, |_| true))
    }

    /// Whether a command is given such paths by what it reads, or by what others in its pipeline list.
    pub(super) fn is_listed(&self, command: &Command<'_>) -> bool {
        let own = command.invocation.pipeline;
        // A list may be put into a file, and read from there.
        let is_kept = !self.line.redirects.is_empty();
        self.is_given(command, |pipeline| is_kept || pipeline == own || pipeline == 0 || own == 0)
    }

    /// The same, where it counts what is listed in some pipelines.
    fn is_given(&self, command: &Command<'_>, counts: impl Fn(usize) -> bool) -> bool {
        if self.looks.get() == 0 {
            return self.may_be_named();
        }
        let mut read = command.invocation.input.iter().flat_map(|text| text.split_whitespace());
        let lists = || {
            let others = self.line.invocations.iter().filter(|other| !other.open);
            let lists = others.filter(|other| {
                let mut paths = listed(other).into_iter();
                paths.any(|path| self.is(&Command::new(other), &path, &|| false))
            });
            lists.map(|other| other.pipeline).collect()
        };
        read.any(|path| self.is(command, path, &|| false))
            || self.lists.get_or_init(lists).iter().any(|pipeline| counts(*pipeline))
    }

    /// Whether the text may name such a path.
    fn may_be_named(&self) -> bool {
        *self.names.get_or_init(|| may_be_guarded_in(self.text))
    }

    fn is(&self, command: &Command<'_>, path: &str, is_listed: &dyn Fn() -> bool) -> bool {
        let Some(left) = self.looks.get().checked_sub(1) else {
            return self.may_be_named();
        };
        self.looks.set(left);
        let folder = self.folder.get_or_init(|| work_folder(self.call, self.params, None));
        let meant = |path| meanings(path, &command.invocation.variables, self.text, &self.looks);
        let went_to = command.whole().folder();
        let within = went_to.as_deref().and_then(|folder| meant(folder).into_iter().next());
        // `cd ~/.callosum` leads to no absolute folder.
        let whole = |path: &str| path_in(folder, &joined(within.as_deref(), path));
        let whole_folder = within.as_deref().map(|within| path_in(folder, within));
        let folders: Vec<&str> = std::iter::once(folder.as_str()).chain(whole_folder.as_deref()).collect();
        meant(path).iter().any(|path| {
            let whole = whole(path);
            let is_own_home = |folder: &str| self.params.is_own_home(folder);
            let is_one = is_guarded(&whole, Looked { folders: &folders, is_own_home: &is_own_home });
            if is_one {
                let _ = self.met.set(whole);
            }
            is_one || path.starts_with(READ) && is_listed()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_very_many_paths_is_looked_at_only_so_far() {
        let rest = "xargs rm $a; ls a; ".repeat(3000);
        for (text, is_guarded) in [
            (format!("{rest} rm ~/.callosum"), true),
            (rest.clone(), false),
            (format!("echo ~/.callosum; rm {}", "$a ".repeat(20_000)), true),
        ] {
            let line = Line::read(&text);
            let (call, none) = (ToolCall::default(), serde_json::Value::Null);
            let params = Lookup::new(&none);
            let guard = Guard::new(&call, &params, &text, &line);
            let commands: Vec<Command<'_>> = line.invocations.iter().map(Command::new).collect();
            let found = commands.iter().flat_map(|command| {
                let words = command.invocation.words.iter();
                words.map(|word| guard.is_meant(command, word) || guard.is_listed(command))
            });
            assert_eq!(found.last(), Some(is_guarded));
            assert_eq!(guard.looks.get(), 0);
        }
    }
}
