//! What an after-hook tells the gate.

use std::borrow::Cow;

use crate::model::tier::Tier;
use crate::record::outcome::Ended;
use callosum_shell::ExitCodes;

use super::call_id::CallRef;
use super::call_id::short_name;

/// The end of a call, as the host reported it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndReport {
    /// The tool as the host named it.
    pub tool: String,
    /// The agent.
    pub agent: Option<String>,
    /// The session.
    pub session: String,
    /// The run.
    pub run: Option<String>,
    /// The call id.
    pub call: Option<String>,
    /// Digest of what ran; only needed where there is no call id, or several open calls have it.
    pub digest: Option<String>,
    /// How it ended.
    pub ended: Ended,
    /// The exit code of its process, where it had one.
    pub exit_code: Option<i64>,
    /// The background process session it goes on in, when it is running.
    pub process: Option<String>,
    /// What ran instead, when other parameters did than the gate was asked about.
    pub ran: Option<Ran>,
}

/// What ran after another plugin had rewritten a call's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its tier.
    pub tier: Tier,
    /// The resources it acted on.
    pub keys: Vec<String>,
    /// Its digest.
    pub digest: String,
    /// The exit codes which prove that it was not done.
    pub not_done_codes: ExitCodes,
}

impl EndReport {
    /// The report with its names cut as those of the call were.
    pub(super) fn with_short_names(&self) -> Cow<'_, Self> {
        let names = [Some(&self.tool), self.agent.as_ref(), Some(&self.session), self.run.as_ref()];
        if names
            .into_iter()
            .chain([self.call.as_ref()])
            .flatten()
            .all(|name| matches!(short_name(name), Cow::Borrowed(_)))
        {
            return Cow::Borrowed(self);
        }
        let short = |name: &String| short_name(name).into_owned();
        Cow::Owned(Self {
            tool: short(&self.tool),
            agent: self.agent.as_ref().map(short),
            session: short(&self.session),
            run: self.run.as_ref().map(short),
            call: self.call.as_ref().map(short),
            ..self.clone()
        })
    }

    /// The call among the open ones.
    pub(super) fn id(&self) -> Option<CallRef<'_>> {
        CallRef::new(&self.session, self.run.as_deref(), self.call.as_deref())
    }
}
