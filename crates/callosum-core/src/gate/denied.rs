//! Calls that the policy refuses: which they are, what is written of them, and what their models read.

use std::sync::Arc;

use crate::model::time::Stamp;
use crate::model::tool_call::{Parameters, ToolCall};
use crate::policy::{Caller, Denial, Policy, agent_of};
use crate::rules::{Classification, World};

use super::health::Level;
use super::intent::Intent;
use super::open_calls::Phase;
use super::writer::Order;
use super::{Answer, Gate, lock};

impl Gate {
    /// The policy as whoever looked last left it: a hook waits for no file.
    pub(super) fn policy(&self) -> Arc<Policy> {
        Arc::clone(&lock(&self.known_policy))
    }

    /// Looks whether the file that names the folders of shared contexts has changed. Whoever notices has it logged.
    pub(super) fn look_at_context(&self, now: &Stamp) {
        let mut file = lock(&self.contexts);
        if !file.refresh(now) {
            return;
        }
        *lock(&self.known_policy) = file.policy();
        if let Some(error) = file.error() {
            let text = format!("shared context: {error}; the policy goes on with the folders it knew");
            lock(&self.health).tell(Level::Error, text);
        }
    }

    /// Why the file that names the folders can't be used, while it can't.
    pub(super) fn context_error(&self) -> Option<String> {
        lock(&self.contexts).error().map(str::to_owned)
    }

    /// Whether the policy stops a call, as far as its text tells that.
    pub(super) fn protects(&self, policy: &Policy, classification: &Classification) -> Option<Denial> {
        Some(policy.protects(classification.protected.as_ref()?, self.settings.mode))
    }

    /// Whether the policy stops a call. Follows links where it names a folder that is kept: for threads that may wait.
    pub(super) fn judged(
        &self,
        policy: &Policy,
        classification: &Classification,
        call: &ToolCall,
        params: &dyn Parameters,
        (runtime, instance): (&str, &str),
        world: &World,
    ) -> Option<Denial> {
        let judge = || {
            let caller = Caller { agent: agent_of(call, runtime), instance };
            policy.judge(call, params, caller, world, self.settings.mode)
        };
        self.protects(policy, classification)
            .or_else(|| if classification.names_kept { judge() } else { None })
    }

    /// Refuses a call by the policy. Nothing is decided: no history speaks for it or against it.
    pub(super) fn deny(&self, mut intent: Arc<Intent>, denial: Denial, now: &Stamp) -> Answer {
        let record = intent.denied(&denial, now);
        match self.writer() {
            Some(writer) => {
                let _ = lock(&self.light).backlog.push(record, None);
                writer.order(Order::Write);
            }
            None => self.write_soon(record, now),
        }
        self.note(Arc::make_mut(&mut intent), Phase::Refused(denial.text.clone()), now);
        Answer::Refuse(denial.text)
    }
}
