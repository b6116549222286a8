//! Which paths a call writes and how, whichever tool it is of: as its text names them, whole as far as that tells.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use super::compile::ToolName;
use super::context_key::{
    Lookup, PATH_NAMES, READ, TARGETS, WORK_FOLDER, file_paths, meanings, other_machine, other_paths,
    patch_text, path_in, path_texts,
};
use super::inner;
use super::question::Question;
use super::tool_words::Letters;
use super::typed::{self, Typed};
use super::watch::{Looked, Watch, What, is_destructive};
use crate::model::tool_call::{Parameters, ToolCall};
use callosum_shell::command::{Command, WriteKind, is_code_cut_off, lists, scheduled, writes, writes_given};
use callosum_shell::{Invocation, Limit, Line, Unread, brace_words, joined};

/// At most this many paths and mentions of variables of a call are examined.
const MAX_LOOKS: usize = 8 * 1024;
/// At most this many written paths of a call are told: of what a system lets a command have for its words, about all.
const MAX_WRITTEN: usize = 16 * 1024;
/// What stands for each file that `find` finds in the command that it runs.
const FOUND: &str = "{}";
/// Where cron runs what its table says.
const HOME: &str = "~";

/// What file tools do, by the ends of their folded names, the shortest first; those of other servers stand here as `standing.json` has
/// them.
const FILE_TOOLS: &[(&str, WriteKind)] = &[
    ("edit", WriteKind::Overwrite),
    ("write", WriteKind::Overwrite),
    ("editfile", WriteKind::Overwrite),
    ("movefile", WriteKind::Move),
    ("copyfile", WriteKind::Overwrite),
    ("writefile", WriteKind::Overwrite),
    ("editfiles", WriteKind::Overwrite),
    ("multiedit", WriteKind::Overwrite),
    ("editblock", WriteKind::Overwrite),
    ("applypatch", WriteKind::Overwrite),
    ("writefiles", WriteKind::Overwrite),
    ("strreplace", WriteKind::Overwrite),
    ("appendfile", WriteKind::Append),
    ("createfile", WriteKind::Overwrite),
    ("renamefile", WriteKind::Move),
    ("deletefile", WriteKind::Remove),
    ("removefile", WriteKind::Remove),
    ("writetofile", WriteKind::Overwrite),
    ("deletelines", WriteKind::Overwrite),
    ("insertlines", WriteKind::Overwrite),
    ("appendtofile", WriteKind::Append),
    ("notebookedit", WriteKind::Overwrite),
    ("editnotebook", WriteKind::Overwrite),
    ("replaceregex", WriteKind::Overwrite),
    ("replacelines", WriteKind::Overwrite),
    ("insertatline", WriteKind::Overwrite),
    ("replaceinfile", WriteKind::Overwrite),
    ("createtextfile", WriteKind::Overwrite),
    ("replacecontent", WriteKind::Overwrite),
    ("deletedirectory", WriteKind::Remove),
    ("removedirectory", WriteKind::Remove),
    ("insertaftersymbol", WriteKind::Overwrite),
    ("replacesymbolbody", WriteKind::Overwrite),
    ("insertbeforesymbol", WriteKind::Overwrite),
    ("strreplacebasededittool", WriteKind::Overwrite),
];
/// The runtimes' own, which write the one file that they name: most calls that write are theirs, and whatever parameter is asked for is
/// asked of the host.
const OWN_TOOLS: &[&str] = &["write", "edit"];

/// A path that a call writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// How.
    pub(crate) kind: WriteKind,
    /// Absolute, or beginning with `~` or a variable, or relative to a folder that nobody says.
    pub(crate) path: String,
}

/// How a tool of this folded neutral name writes files that its parameters name.
fn kind_of_tool(neutral: &str) -> Option<WriteKind> {
    let is_it = |(name, _): &&(&str, WriteKind)| {
        neutral
            .strip_suffix(*name)
            .is_some_and(|server| server.is_empty() || server.ends_with("__") || name.len() > 5)
    };
    let may_end_it = |(name, _): &&(&str, WriteKind)| name.len() <= neutral.len();
    FILE_TOOLS.iter().take_while(may_end_it).find(is_it).map(|(_, kind)| *kind)
}

impl Question<'_> {
    /// Notes whether the call may name a folder that is kept; `line` is the command line, if it has one, and `whole` that with its words
    /// whole, where they are not.
    pub(super) fn look_for_kept<'t>(&self, line: &Looked<'_>, whole: impl Fn() -> Option<&'t str>) {
        let Some(watch) = self.outlook.watch() else { return };
        let found = if self.tool.neutral == typed::SHELL {
            self.line_may_name(watch, line, whole)
        } else {
            self.path_may_name(watch)
        };
        if found {
            self.outlook.note_kept();
        }
    }

    /// The same of a call that works on files.
    fn path_may_name(&self, watch: &Watch) -> bool {
        let is_own = OWN_TOOLS.contains(&&*self.tool.neutral);
        let own = PATH_NAMES.into_iter().filter(|_| is_own).find_map(|name| self.params.get(name));
        if let Some(path) = own.as_ref().and_then(|path| path.as_str()).filter(|path| path.starts_with('/')) {
            return watch.may_be_in(path);
        }
        let kind = kind_of_tool(&self.tool.neutral);
        if !is_own && kind.is_none() {
            return false;
        }
        let what = What::Path { takes_all: kind.is_some_and(WriteKind::takes_all_below) };
        let texts = path_texts(&self.params).chain(patch_text(&self.params)).chain(other_paths(&self.params));
        let cwd = self.call.cwd.as_deref();
        texts.into_iter().any(|text| watch.may_name(&Looked::at(&text), cwd, what))
    }

    /// The same of one that runs a command line.
    fn line_may_name<'t>(
        &self,
        watch: &Watch,
        line: &Looked<'_>,
        whole: impl Fn() -> Option<&'t str>,
    ) -> bool {
        let folder = named_folder(&self.params);
        let based =
            folder.as_ref().map(|folder| path_in(self.call.cwd.as_deref().unwrap_or_default(), folder));
        let cwd = based.as_deref().or(self.call.cwd.as_deref());
        let may_be_it = |folder: &String| {
            let what = What::Path { takes_all: is_destructive(line.text) };
            watch.may_name(&Looked::at(folder), None, what)
        };
        watch.may_name(line, cwd, What::Line)
            || folder.as_ref().is_some_and(may_be_it)
            || whole().is_some_and(|text| watch.may_name(&Looked::at(text), cwd, What::Line))
    }
}

/// The folder that a call says its command runs in.
fn named_folder(params: &Lookup<'_>) -> Option<String> {
    [WORK_FOLDER, "cwd"].into_iter().find_map(|name| {
        let value = params.get(name)?;
        value.as_str().filter(|folder| !folder.is_empty()).map(str::to_owned)
    })
}

/// What a call writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Writes {
    /// The paths, as far as it says so.
    pub(crate) paths: Vec<Written>,
    /// Texts that were not read to their end: whatever may be in there.
    pub(crate) unread: Vec<String>,
}

/// The paths that a call writes, and what of it was not looked at.
pub(crate) fn written(call: &ToolCall, params: &dyn Parameters) -> Writes {
    let mut found = Writes::default();
    collect(call, params, &mut found);
    found.paths.truncate(MAX_WRITTEN);
    found
}

fn collect(call: &ToolCall, params: &dyn Parameters, found: &mut Writes) {
    let (tool, letters) = (ToolName::of(&call.tool), Letters::of(&call.tool));
    let inner = inner::calls(&call.tool, &letters, params);
    if !inner.is_empty() {
        for (tool, params) in inner {
            of_one(&ToolCall { tool, ..call.clone() }, &params, found);
        }
        return;
    }
    match Typed::of(&tool, &letters, params) {
        Some(typed) => of_one(&ToolCall { tool: typed::SHELL.to_owned(), ..call.clone() }, &typed, found),
        None => of_one(call, params, found),
    }
}

/// The same of a call that carries no other.
fn of_one(call: &ToolCall, params: &dyn Parameters, found: &mut Writes) {
    let tool = ToolName::of(&call.tool);
    let lookup = Lookup::new(params);
    let machine = other_machine(&lookup);
    if tool.neutral == typed::SHELL {
        if machine.is_some() {
            return;
        }
        let command = lookup.get("command");
        if let Some(line) = command.as_ref().and_then(|command| command.as_str()) {
            of_line(call, &lookup, line, found);
        }
        return;
    }
    let Some(kind) = kind_of_tool(&tool.neutral) else { return };
    // Some tools have verbs, and one that only shows among them; others a mode.
    if text(&lookup, "command").is_some_and(|verb| verb == "view") {
        return;
    }
    let appends = || text(&lookup, "mode").is_some_and(|mode| mode == "append");
    let kind = if kind == WriteKind::Overwrite && appends() { WriteKind::Append } else { kind };
    // Of file tools none goes to another machine for a parameter called so.
    let here =
        |path: String| match machine.as_ref().and_then(|machine| path.strip_prefix(&format!("{machine}:"))) {
            Some(path) => based(call.cwd.as_deref(), path),
            None => path,
        };
    found.paths.extend(file_paths(call, &lookup).into_iter().map(|path| Written { kind, path: here(path) }));
    let targets: Vec<String> = TARGETS.iter().filter_map(|name| text(&lookup, name)).collect();
    let whole = |path: String| based(call.cwd.as_deref(), &path);
    let only_copies = tool.neutral.ends_with("copyfile");
    let others = other_paths(&lookup).into_iter().filter(|path| !only_copies || targets.contains(path));
    found.paths.extend(others.map(|path| {
        let kind =
            if kind == WriteKind::Move && targets.contains(&path) { WriteKind::Overwrite } else { kind };
        Written { kind, path: whole(path) }
    }));
}

fn text<'p>(params: &Lookup<'p>, name: &'p str) -> Option<String> {
    params.get(name).as_deref().and_then(|value| value.as_str()).map(str::to_owned)
}

/// `path` from `base`, where that is known and the path begins nowhere itself.
fn based(base: Option<&str>, path: &str) -> String {
    let path = path.trim().strip_prefix("file://").unwrap_or(path.trim());
    joined(base, path)
}

/// What the commands of a line write, and its redirections.
fn of_line(call: &ToolCall, params: &Lookup<'_>, text: &str, found: &mut Writes) {
    let base = match named_folder(params) {
        Some(named) => Some(based(call.cwd.as_deref(), &named)),
        None => call.cwd.clone(),
    };
    of_text(base.as_deref(), text, found);
}

/// The same of a line that runs in `base`.
fn of_text(base: Option<&str>, text: &str, found: &mut Writes) {
    let line = Line::read(text);
    let looks = Cell::new(MAX_LOOKS);
    // Whom a mail is for, or which words something else gives, says nothing of files.
    let has_commands =
        |unread: &&Unread| !matches!(unread.limit, Limit::Recipients | Limit::Arguments | Limit::Input);
    found.unread.extend(line.unread.iter().filter(has_commands).map(|unread| unread.text.clone()));
    for invocation in
        line.invocations.iter().chain(&line.redirects).filter(|invocation| invocation.host.is_none())
    {
        if found.paths.len() >= MAX_WRITTEN || looks.get() == 0 {
            found.unread.push(text.to_owned());
            return;
        }
        let command = Command::new(invocation);
        // What cron is given runs without that line, and is no table of cron's again.
        for scheduled in scheduled(&command).into_iter().filter(|line| !line.contains("crontab")) {
            of_text(Some(HOME), scheduled, found);
        }
        let unread = RefCell::new(is_code_cut_off(&command).then(|| text.to_owned()));
        let meant = |path: &str| -> Vec<String> {
            let variables = &invocation.variables;
            let words = |path: &str| {
                if path.contains('{') && !path.starts_with('$') {
                    let (words, are_all) = brace_words(path);
                    if !are_all {
                        *unread.borrow_mut() = Some(text.to_owned());
                    }
                    words
                } else {
                    vec![path.to_owned()]
                }
            };
            let all = words(path);
            all.iter().flat_map(|path| meanings(path, variables, text, &looks)).map(Cow::into_owned).collect()
        };
        let went_to = command.whole().folder();
        let within = went_to.as_deref().and_then(|folder| meant(folder).into_iter().next());
        let folder = within.map(|within| based(base, &within)).or_else(|| base.map(str::to_owned));
        let mut add = |kind: WriteKind, path: &str| {
            found.paths.extend(
                meant(path).iter().map(|path| Written { kind, path: based(folder.as_deref(), path) }),
            );
        };
        let mut is_given = invocation.open;
        // How it writes to what `find` found.
        let mut of_found = None;
        for write in writes(&command) {
            let all = meant(&write.path);
            is_given |= write.path.starts_with('$') && all.iter().any(|path| path.starts_with(READ));
            of_found = all.iter().any(|path| path == FOUND).then_some(write.kind).or(of_found);
            add(write.kind, &write.path);
        }
        let given = || writes_given(&command).filter(|_| is_given);
        let kind = of_found.or_else(given);
        let own = invocation.pipeline;
        let finds = |other: &Invocation| {
            of_found.is_some() && matches!(other.program.as_str(), "find" | "fd" | "fdfind")
        };
        let others = line.invocations.iter().filter(|other| {
            finds(other) || other.pipeline == own || other.pipeline == 0 || own == 0 || !invocation.open
        });
        if let Some(kind) = kind {
            for (lists_all, path) in others.filter(|other| !other.open).flat_map(lists) {
                add(if lists_all { kind } else { WriteKind::Overwrite }, &path);
            }
        }
        found.unread.extend(unread.into_inner());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(tool: &str, params: &Value) -> String {
        let call = ToolCall { tool: tool.to_owned(), cwd: Some("/w".to_owned()), ..ToolCall::default() };
        let all = written(&call, params);
        all.paths
            .iter()
            .map(|written| format!("{:?} {}", written.kind, written.path))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// A tool that writes to a shared context writes to what guards the gate as well.
    #[test]
    fn the_standing_rules_know_every_tool_that_writes_files() {
        let rules = crate::rules::RuleSet::shipped();
        let missed = FILE_TOOLS.iter().map(|(name, _)| *name).filter(|name| {
            let call = ToolCall { tool: format!("fs__{name}"), ..ToolCall::default() };
            let params = json!({ "path": "~/.callosum/x", "destination": "~/.callosum/x" });
            let found = rules.classify(&call, "codex", &params, &crate::rules::World::unseen());
            found.protected.is_none()
        });
        assert_eq!(missed.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn what_a_line_writes_is_whole() {
        for (command, expected) in [
            ("cd a && echo x > b", "Overwrite /w/a/b"),
            ("D=a/c; echo x >> $D/b", "Append /w/a/c/b"),
            ("for f in a b; do rm $f; done", "Remove /w/a, Remove /w/b"),
            (
                "find a -name '*.md' | xargs rm",
                "Overwrite /w/a, Overwrite /w/a/.*.md, Overwrite /w/a/**/*.md",
            ),
            ("ls a | xargs rm", "Remove /w/a"),
            ("echo x > $UNKNOWN/b", "Overwrite $UNKNOWN/b"),
            ("echo x > ~/b", "Overwrite ~/b"),
            ("rm a/{b,c}", "Remove /w/a/b, Remove /w/a/c"),
            ("ssh host 'rm -rf /a'", ""),
            ("sh -c 'echo > a'", "Overwrite /w/a"),
            ("cat a b", ""),
        ] {
            assert_eq!(of("exec", &json!({ "command": command })), expected, "{command}");
        }
        assert_eq!(of("bash", &json!({ "command": "rm a", "workdir": "/x" })), "Remove /x/a");
        assert_eq!(of("exec", &json!({ "command": "rm a", "host": "node-1" })), "");
    }

    #[test]
    fn what_stands_behind_thousands_of_others_is_told() {
        let many: String = (0..8_000).map(|number| format!("{number} ")).collect();
        for command in [format!("rm {many} a/b"), format!("rm {many}; rm a/b")] {
            assert!(
                of("exec", &json!({ "command": command })).ends_with("Remove /w/a/b"),
                "{}",
                command.len()
            );
        }
    }

    #[test]
    fn what_file_tools_write_is_told() {
        for (tool, params, expected) in [
            ("write", json!({ "path": "a", "content": "b/c" }), "Overwrite /w/a"),
            ("edit", json!({ "file_path": "/a/b" }), "Overwrite /a/b"),
            ("read", json!({ "path": "a" }), ""),
            ("mcp__fs__write_file", json!({ "path": "a" }), "Overwrite /w/a"),
            ("fs__move_file", json!({ "source": "a", "destination": "b" }), "Move /w/a, Overwrite /w/b"),
            ("fs__create_directory", json!({ "path": "a" }), ""),
            ("fs__copy_file", json!({ "source": "a", "destination": "b" }), "Overwrite /w/b"),
            ("fs__write_file", json!({ "path": "a", "mode": "append" }), "Append /w/a"),
            ("x__str_replace_based_edit_tool", json!({ "command": "create", "path": "/a" }), "Overwrite /a"),
            ("x__str_replace_based_edit_tool", json!({ "command": "view", "path": "/a" }), ""),
            ("notebookedit", json!({ "notebook_path": "/a" }), "Overwrite /a"),
            (
                "use_mcp_tool",
                json!({ "server": "fs", "tool": "delete_file", "args": { "path": "/a" } }),
                "Remove /a",
            ),
            (
                "apply_patch",
                json!({ "input": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch" }),
                "Overwrite /w/a, Overwrite /w/b",
            ),
            ("web_fetch", json!({ "url": "https://x.example/a" }), ""),
        ] {
            assert_eq!(of(tool, &params), expected, "{tool} {params}");
        }
    }
}
