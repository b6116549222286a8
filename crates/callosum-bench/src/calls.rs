//! Tool calls as agents make them, one of each sort that the rules tell apart.

use callosum_core::gate::EndReport;
use callosum_core::model::tool_call::ToolCall;
use callosum_core::record::outcome::Ended;
use serde_json::{Value, json};

/// Sessions that the calls come from.
const SESSIONS: u64 = 20;
/// Channels that the messages go to.
const CHANNELS: u64 = 1_000;

/// A call and its parameters.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Who calls what.
    pub call: ToolCall,
    /// With which parameters.
    pub params: Value,
    exit_code: Option<i64>,
}

impl Sample {
    fn new(number: u64, tool: &str, params: Value) -> Self {
        let session = format!("agent:main:cron-{}", number % SESSIONS);
        let call = ToolCall {
            tool: tool.to_owned(),
            kind: None,
            agent: Some("main".to_owned()),
            session,
            run: Some(format!("run-{:08}", number / 100)),
            call: Some(format!("call_{number:016}")),
            cwd: Some("/srv/agent".to_owned()),
            can_ask: true,
        };
        let exit_code = (tool == "exec").then_some(0);
        Self { call, params, exit_code }
    }

    /// Tier 0: a file is read.
    #[must_use]
    pub fn read(number: u64) -> Self {
        Self::new(number, "read", json!({ "path": format!("/srv/agent/notes/{}.md", number % 500) }))
    }

    /// Tier 1: a file is written.
    #[must_use]
    pub fn write(number: u64) -> Self {
        let path = format!("/srv/agent/out/{}.md", number % 500);
        Self::new(number, "write", json!({ "path": path, "content": "What was found, in a few words." }))
    }

    /// Tier 1: an ordinary command.
    #[must_use]
    pub fn command(number: u64) -> Self {
        let command = format!("grep -rn 'item {number}' src | head -20");
        Self::new(number, "exec", json!({ "command": command }))
    }

    /// Tier 2: a chat message.
    #[must_use]
    pub fn message(number: u64) -> Self {
        let target = format!("team-{}", number % CHANNELS);
        Self::new(
            number,
            "message",
            json!({ "action": "send", "target": target, "message": "The report is done." }),
        )
    }

    /// Tier 3: a mail to somebody whom no other call mails, so that it is let through.
    #[must_use]
    pub fn mail(number: u64) -> Self {
        let command = format!("himalaya message send --to reader-{number}@example.com --subject Report");
        Self::new(number, "exec", json!({ "command": command }))
    }

    /// The same to somebody who was mailed before, of a session that was never heard of: it is paused.
    #[must_use]
    pub fn mail_again(number: u64) -> Self {
        let mut again = Self::mail(0);
        again.call.session = format!("agent:main:visitor-{number}");
        again.call.call = Some(format!("call_{number:016}"));
        again
    }

    /// The end of the call.
    #[must_use]
    pub fn end(&self, ended: Ended) -> EndReport {
        EndReport {
            tool: self.call.tool.clone(),
            agent: self.call.agent.clone(),
            session: self.call.session.clone(),
            run: self.call.run.clone(),
            call: self.call.call.clone(),
            digest: None,
            ended,
            exit_code: self.exit_code.filter(|_| ended == Ended::Ok),
            process: None,
            ran: None,
        }
    }
}
