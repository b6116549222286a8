//! A call as rules are asked about it.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::compile::{Rule, ToolName};
use super::rule_set::RuleSet;
use super::tool_words::{NameWords, action};
use super::unknown::defined_in;
use super::words::is_plain_verb;
use super::world::Outlook;
use crate::model::digest::digest;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::rules::context_key::{Lookup, Site, keys_or_digest};
use callosum_shell::command::Fit;

/// Parameters that may say how something is done as well as what.
const HOW: &[&str] = &["command", "http_method", "httpMethod", "method", "subcommand"];
/// Verbs that are said of things of this machine as often as of others.
const SAID_HERE: &[&str] =
    &["add", "append", "clear", "insert", "move", "pause", "rename", "reset", "set", "stop", "submit"];

/// A call, and the rules that may be for its tool.
pub(super) struct Question<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) call: &'a ToolCall,
    pub(super) tool: ToolName<'a>,
    pub(super) runtime: &'a str,
    pub(super) params: Lookup<'a>,
    pub(super) outlook: &'a Outlook<'a>,
    /// The call is asked about as its host has it, not what it types or passes on.
    pub(super) is_own: bool,
    /// Its line is one that the call types into a terminal.
    pub(super) is_typed: bool,
    /// The functions and aliases of its line, once that was asked.
    pub(super) defined: OnceCell<HashSet<String>>,
    /// The digest of all its parameters, once that was asked.
    pub(super) digest: OnceCell<String>,
    /// What a parameter says that it does, once that was asked.
    pub(super) action: OnceCell<Option<NameWords>>,
}

impl<'a> Question<'a> {
    /// The question about a call of `tool`, which need not be the call's own.
    pub(super) fn new(
        rules: &'a RuleSet,
        (call, runtime): (&'a ToolCall, &'a str),
        tool: ToolName<'a>,
        params: &'a dyn Parameters,
        outlook: &'a Outlook<'a>,
    ) -> Self {
        Self {
            rules,
            call,
            tool,
            runtime,
            params: Lookup::in_world(params, outlook),
            outlook,
            is_own: false,
            is_typed: false,
            defined: OnceCell::new(),
            digest: OnceCell::new(),
            action: OnceCell::new(),
        }
    }

    /// Whether the line says itself what a program is: a function, an alias.
    pub(super) fn defines(&self, program: &str) -> bool {
        let defined = self.defined.get_or_init(|| {
            let command = self.params.get("command");
            defined_in(command.as_ref().and_then(|command| command.as_str()).unwrap_or_default())
        });
        defined.contains(program)
    }

    /// Whether a rule names the program.
    pub(super) fn is_known(&self, program: &str) -> bool {
        self.rules.parts.iter().any(|part| part.index.names_program(program))
    }

    pub(super) fn site<'s>(&'s self, fit: Option<&'s Fit<'s, 's>>) -> Site<'s, 'a> {
        Site { call: self.call, params: &self.params, fit, outlook: self.outlook, words: None }
    }

    /// The key of a call whose target can't be read.
    pub(super) fn digest_key(&self, rule: &Rule) -> Vec<String> {
        let tool = &self.call.tool;
        keys_or_digest(
            Vec::new(),
            rule.tier,
            tool,
            self.digest.get_or_init(|| digest(tool, &self.params.all())),
        )
    }

    /// What a parameter says that a server's tool does whose name does not say it: `projects` with the action `delete`. A verb that is also
    /// said of what goes on here (`timer`: `stop`) counts where the call names something by an id.
    pub(super) fn told_action(&self) -> Option<&NameWords> {
        let told = || {
            let name = self.tool.words();
            let is_silent = name.of_server().next().is_some() && name.acting().is_none();
            // A method may be that of HTTP or of mathematics, and a command any text.
            let has_method = || HOW.iter().any(|name| self.params.get(name).is_some());
            let action = if is_silent && !has_method() { action(&self.params) } else { None };
            action.filter(|action| {
                let is_plain = |verb: &str| is_plain_verb(verb) && !SAID_HERE.contains(&verb);
                action.acting().is_some_and(is_plain) || self.params.is_identified(&self.call.tool)
            })
        };
        self.action.get_or_init(told).as_ref()
    }
}
