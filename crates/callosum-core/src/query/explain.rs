//! What the gate would make of a call now. Nothing is written, and nothing is let through.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decision::history::Who;
use crate::decision::limit::usage;
use crate::decision::plan::{HostState, Plan, plan};
use crate::decision::terms::Terms;
use crate::model::digest::digest;
use crate::model::error::QueryError;
use crate::model::on_conflict::OnConflict;
use crate::model::tier::Tier;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::policy::{Caller, agent_of};
use crate::rules::{Explanation, Match, Scope, Unread};

use super::limits::LimitStatus;
use super::reader::Reader;

/// The session of a question that names none: no journal has it.
const NOBODY: &str = "callosum-explain";

/// A call that is asked about.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExplainRequest {
    /// The tool, as the host names it.
    pub tool: String,
    /// Its parameters.
    #[schemars(with = "Map<String, Value>")]
    pub params: Value,
    /// The session that would make the call.
    #[serde(default)]
    pub session: Option<String>,
    /// The agent that would make it.
    #[serde(default)]
    pub agent: Option<String>,
    /// The folder it would run in.
    #[serde(default)]
    pub cwd: Option<String>,
}

impl ExplainRequest {
    /// Reads a request from JSON text.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, QueryError> {
        let asked: Self = super::request::request(text)?;
        if !asked.params.is_object() {
            return Err(QueryError::bad_request("bad request: `params` must be an object"));
        }
        Ok(asked)
    }
}

/// What a call would get.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainResponse {
    /// Its tier, 0 to 4.
    pub tier: Tier,
    /// The rule that says so; null when none is for the call.
    pub rule_name: Option<String>,
    /// The resources it acts on.
    pub context_keys: Vec<String>,
    /// How far back earlier actions count, milliseconds.
    pub recent_window_ms: u64,
    /// Whose earlier actions count.
    pub scope: Scope,
    /// What becomes of a call that earlier actions speak against.
    pub on_conflict: OnConflict,
    /// The limits that the call is under.
    pub limits: Vec<LimitStatus>,
    /// The path for which the policy refuses it, where it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `denied` where the policy refuses it; else `allow`, `note`, `pause`, `block`, or `ask` (where the host has no dialog for that, `pause`); `observe` where it would be stopped
    /// but that is only written down.
    pub verdict: &'static str,
    /// What the model would be told when it would be stopped, or the person who is asked or warned.
    pub text: Option<String>,
    /// Whether its parameters would be written down, secrets taken out; never below tier 2.
    pub journal_params: bool,
    /// The parts of the call that rules matched, and why.
    pub matched: Vec<Match>,
    /// The shell line could not be parsed: it was only cut at what looks like the end of a command.
    pub rough: bool,
    /// What of the shell line was not read: it was only looked through for words of rules.
    pub unread: Vec<Unread>,
    /// What of the folder and the configuration around the call could not be told where a key asked for it, in words: something
    /// else stands in its place.
    pub untold: Vec<String>,
}

/// What a call would get now, and which parts of it led there.
pub(super) fn explain(reader: &Reader<'_>, asked: &ExplainRequest) -> Result<ExplainResponse, QueryError> {
    let settings = reader.settings;
    let call = &ToolCall {
        tool: asked.tool.clone(),
        session: asked.session.clone().unwrap_or_else(|| NOBODY.to_owned()),
        agent: asked.agent.clone(),
        cwd: asked.cwd.clone(),
        ..ToolCall::default()
    };
    let Explanation { mut classification, matches, rough, unread, untold } =
        reader.rules.rules.explain(call, reader.runtime, &asked.params, reader.world);
    let agent = asked.agent.as_deref().unwrap_or_else(|| agent_of(call, reader.runtime));
    let caller = Caller { agent, instance: reader.instance };
    let protected = classification.protected.take();
    let denial = protected.map(|found| reader.policy.protects(&found, settings.mode));
    // A hook asks the policy where the call may name a folder at all, and what it would not see is not told here either.
    let may_name = || {
        let (rules, watch) = (&reader.rules.rules, reader.policy.watch());
        rules.classify_watching(call, reader.runtime, &asked.params, reader.world, watch, None).names_kept
    };
    let judge = || reader.policy.judge(call, &asked.params, caller, reader.world, settings.mode);
    let denial = denial.or_else(|| if may_name() { judge() } else { None });
    let tier = classification.tier;
    let digest = tier.is_tracked().then(|| digest(&call.tool, &asked.params.all()));
    let (context_keys, terms) = Terms::of(&mut classification, &call.tool, digest.as_deref(), settings);
    let mut explained = ExplainResponse {
        tier,
        rule_name: classification.rule_name.as_deref().map(str::to_owned),
        context_keys,
        recent_window_ms: terms.window_ms,
        scope: terms.scope,
        on_conflict: terms.on_conflict,
        limits: Vec::new(),
        path: None,
        verdict: "allow",
        text: None,
        journal_params: tier.is_tracked() && classification.journal_params,
        matched: matches,
        rough,
        unread,
        untold,
    };
    if let Some(denial) = denial {
        explained.rule_name = Some(denial.rule.to_owned());
        explained.verdict = if denial.observed { "observe" } else { "denied" };
        (explained.path, explained.text) = (denial.path, Some(denial.text));
        return Ok(explained);
    }
    if !tier.is_guarded() {
        return Ok(explained);
    }
    let (history, now) = (reader.history()?, &reader.now);
    let who = Who { instance: reader.instance.to_owned(), session: call.session.clone(), ..Who::default() };
    let all_keys = terms.all_keys(&explained.context_keys);
    let call_facts = terms.call_facts(&who, &all_keys, settings);
    let plan = plan(&history, &call_facts, HostState::Asks, now, &reader.is_dead());
    let usages = terms.limits.iter().map(|limited| usage(&history, &who, limited, &all_keys, now));
    let limits = usages.map(|usage| LimitStatus::of(&usage, now)).collect();
    (explained.verdict, explained.text) = match plan {
        Plan::Refuse(refusal) => {
            let verdict = if refusal.is_block() { "block" } else { "pause" };
            let text = refusal.text(&history, digest.as_deref(), settings.recent_window_ms, now);
            (if terms.observe { "observe" } else { verdict }, Some(text))
        }
        Plan::Allow { despite: Some(despite), .. } => {
            let text = despite.text(&history, digest.as_deref(), now);
            let verdict = match (despite.is_asked(), terms.observe) {
                (true, true) => "observe",
                (true, false) => "ask",
                (false, _) => "note",
            };
            (verdict, Some(text))
        }
        Plan::Allow { despite: None, .. } | Plan::HostRefused(_) => ("allow", None),
    };
    explained.limits = limits;
    Ok(explained)
}
