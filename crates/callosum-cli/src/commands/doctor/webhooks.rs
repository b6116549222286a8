//! The service's webhooks: whether what they are for arrives.

use callosum_core::query::{Status, WebhookState, WebhookStatus};

use super::finding::{Finding, Level};
use crate::output::{counted, local_time, long, name};

pub(super) fn look(status: &Status) -> Vec<Finding> {
    let unread = status.webhooks_error.as_ref().map(|why| {
        let title = format!("The state of the service's webhooks is unknown: {}", long(why));
        let remedy = "move the file away and start the service again: webhooks then begin with what comes from then on";
        Finding::new(Level::Warning, "webhooks", title, remedy)
    });
    unread.into_iter().chain(status.webhooks.iter().map(webhook)).collect()
}

fn webhook(webhook: &WebhookStatus) -> Finding {
    let id = format!("webhook.{}", webhook.name);
    let (shown, target) = (name(&webhook.name), long(&webhook.target));
    let attempts = counted(webhook.attempts.unwrap_or_default().into(), "attempt");
    let since = webhook.failing_since.as_deref().map(local_time).unwrap_or_default();
    let finding = match webhook.state {
        WebhookState::Ok => {
            let delivered = counted(webhook.delivered, "event");
            return Finding::ok(id, format!("The webhook {shown} has delivered {delivered} to {target}"));
        }
        WebhookState::Failing => {
            let again = webhook.retry_at.as_deref().map(local_time).unwrap_or_default();
            let remedy = format!(
                "see whether {target} takes requests; the next attempt is at {again}, and a restart of the service makes one at once"
            );
            let title = format!("The webhook {shown} can't deliver since {since}, after {attempts}");
            Finding::new(Level::Note, id, title, remedy)
        }
        WebhookState::Parked => {
            let remedy = "fix the target, or correct or remove the webhook in `serve.json`; then restart the service, which goes on \
                          with the first event that did not arrive";
            let title = format!("The webhook {shown} was given up after {attempts} since {since}");
            Finding::new(Level::Warning, id, title, remedy)
        }
    };
    match &webhook.error {
        Some(error) => finding.line(format!("{target}: {}", long(error))),
        None => finding,
    }
}
