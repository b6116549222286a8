//! `/intercept` and `/complete`.

use callosum_core::decision::history::Who;
use callosum_core::gate::{Admitted, Gate, Guest, NotAdmitted, Settled, Terms, Verdict, Weighed};
use callosum_core::model::time::{Stamp, to_rfc3339};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Evidence, Refused, Speaker, check_cwd, check_name, keys, new_id};

/// The header that makes a repeated `/intercept` the same call.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The tool of an end that no call was asked for.
const UNNAMED_TOOL: &str = "complete";

/// A call that is about to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterceptRequest {
    /// Who makes it.
    instance: String,
    /// The tool.
    tool: String,
    /// What it does with it; the rules see it as the parameter `action`.
    action: Option<String>,
    /// Its parameters. `_contextKey` names the resource that it acts on.
    #[serde(default)]
    params: Option<Map<String, Value>>,
    /// The session within the instance.
    session: Option<String>,
    /// What it calls its agent.
    agent: Option<String>,
    /// What it calls its agent runtime: told as `http/NAME`.
    runtime: Option<String>,
    /// The absolute folder that relative paths in the parameters start from.
    cwd: Option<String>,
    /// At tier 3, pause as the gate does, instead of warning.
    #[serde(default)]
    enforce: bool,
}

/// Whether it may be made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterceptAnswer {
    proceed: bool,
    tier: u8,
    /// The first resource that it acts on.
    context_key: String,
    /// All of them.
    context_keys: Vec<String>,
    /// The call's id, which names it in `/complete`.
    call: String,
    /// What other instances did on the same, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicts: Option<Vec<Evidence>>,
    /// The same for the agent's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// The sequence numbers of the conflicts in the journal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<u64>,
    /// RFC 3339. Of one that may be made: when its lease ends. Of one that is refused: when that lapses, unless what speaks
    /// against it ends before.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// The end of a call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteRequest {
    /// Who made it.
    instance: String,
    /// The resource, as `/intercept` answered it.
    context_key: String,
    /// What came of it. An object with `error` says that it went wrong, which does not prove that nothing was done.
    #[serde(default)]
    result: Value,
    /// Which call it is, as `/intercept` answered it; else the instance's oldest open one on the resource.
    id: Option<String>,
    /// The tool, where no call was asked for before.
    tool: Option<String>,
}

/// That it was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OkAnswer {
    /// Always true: what was not done is refused.
    pub ok: bool,
}

/// A call that is to be decided.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Whose it is.
    pub guest: Guest,
    /// Its parameters.
    pub params: Map<String, Value>,
    /// By which terms it is decided.
    pub terms: Terms,
    /// What its answer says besides.
    pub named: Named,
}

/// What the answer to a call says that its decision does not.
#[derive(Clone, Debug)]
pub struct Named {
    call: String,
    /// What stands for the resource of a call that acts on none that is kept.
    untracked: String,
}

impl InterceptRequest {
    /// What is to be decided for `speaker`. `idempotency_key` is the header of this name, `Some(None)` where it can't be read.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn asked(self, speaker: &Speaker, idempotency_key: Option<Option<&str>>) -> Result<Asked, Refused> {
        check_name("tool", &self.tool)?;
        for (path, name) in [("session", &self.session), ("agent", &self.agent), ("runtime", &self.runtime)] {
            name.as_ref().map_or(Ok(()), |name| check_name(path, name))?;
        }
        check_cwd(self.cwd.as_deref())?;
        let who = speaker.who(&self.instance, self.session.as_deref())?;
        let call = match idempotency_key {
            None => new_id()?,
            Some(key) => {
                let key = key
                    .ok_or_else(|| Refused::field("Idempotency-Key", "expected one header of plain text"))?;
                check_name("Idempotency-Key", key)?;
                key.to_owned()
            }
        };
        let mut params = self.params.unwrap_or_default();
        let mut named =
            keys::take_named(&mut params).map_err(|why| Refused::field("params._contextKey", why))?;
        let action = self.action.filter(|action| !action.is_empty());
        if let Some(action) = &action {
            params.insert("action".to_owned(), action.clone().into());
        }
        if named.is_empty() {
            named = keys::of_reply(&self.tool, &params);
        }
        let untracked = keys::untracked(&self.tool, action.as_deref());
        let enforces = self.enforce || speaker.enforces;
        let guest = Guest {
            claimed_runtime: self.runtime,
            via: speaker.via.clone(),
            call: ToolCall {
                tool: self.tool,
                agent: self.agent,
                session: who.session,
                call: Some(call.clone()),
                cwd: self.cwd,
                ..ToolCall::default()
            },
            instance: who.instance,
            keys: named,
        };
        let terms = if enforces { Terms::AmongInstances } else { Terms::Advice };
        Ok(Asked { guest, params, terms, named: Named { call, untracked } })
    }
}

/// What is told of a call that was not decided. Here the header is what makes two calls one.
#[must_use]
pub fn not_decided(reason: NotAdmitted) -> Refused {
    match reason {
        NotAdmitted::Reused => Refused::field(
            "Idempotency-Key",
            "the session has an open call of this key that does something else; expected a key of its own for each call",
        ),
        NotAdmitted::State { .. } | NotAdmitted::Several => reason.into(),
    }
}

impl InterceptAnswer {
    /// What `speaker` is told of a call that was decided.
    #[must_use]
    pub fn of(speaker: &Speaker, named: Named, weighed: &Weighed, admitted: Admitted) -> Self {
        let name = |instance: &str| speaker.name_of(instance).to_owned();
        let conflicts: Vec<Evidence> = admitted.facts.iter().map(|fact| Evidence::of(fact, name)).collect();
        Self {
            proceed: admitted.verdict == Verdict::Allow,
            tier: weighed.tier().into(),
            context_key: weighed.keys().first().cloned().unwrap_or(named.untracked),
            context_keys: weighed.keys().to_vec(),
            call: named.call,
            evidence: admitted.facts.iter().map(|fact| fact.seq).collect(),
            conflicts: (!conflicts.is_empty()).then_some(conflicts),
            warning: admitted.text,
            expires_at: admitted.expires_ms.map(to_rfc3339),
        }
    }
}

/// An end that is to be written.
#[derive(Clone, Debug)]
pub struct Ending {
    who: Who,
    key: String,
    id: Option<String>,
    tool: String,
    ended: Ended,
    via: String,
}

impl CompleteRequest {
    /// What is to be written for `speaker`; none where nothing is kept.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn ending(self, speaker: &Speaker) -> Result<Option<Ending>, Refused> {
        if self.context_key.trim().is_empty() {
            return Err(Refused::field("contextKey", "it is empty; expected what `/intercept` answered"));
        }
        let who = speaker.who(&self.instance, None)?;
        if keys::is_untracked(&self.context_key) {
            return Ok(None);
        }
        // Calls often take effect and then report an error: it proves nothing.
        let went_wrong = self.result.get("error").is_some_and(|error| !error.is_null());
        let tool = self.tool.filter(|tool| !tool.is_empty());
        Ok(Some(Ending {
            who,
            key: self.context_key,
            id: self.id,
            tool: tool.unwrap_or_else(|| UNNAMED_TOOL.to_owned()),
            ended: if went_wrong { Ended::Maybe } else { Ended::Ok },
            via: speaker.via.clone(),
        }))
    }
}

impl Ending {
    /// Writes it. It lasts once the gate [keeps](Gate::keep) it.
    ///
    /// # Errors
    /// When the state can't be used.
    pub fn write(&self, gate: &Gate, now: &Stamp) -> Result<Settled, NotAdmitted> {
        let Self { who, key, id, tool, ended, via } = self;
        match id {
            Some(id) => {
                let is_its = |owner: &str| owner == who.instance;
                gate.settle_guest((id, None), &is_its, (*ended, None, None), via, now)
            }
            None => gate.settle_on_key((who, key), tool, *ended, via, now),
        }
    }
}
