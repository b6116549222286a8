//! What is counted of the service since it began.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use callosum_core::gate::{Admitted, NotAdmitted, Verdict};
use callosum_core::query::{Status, WebhookState, WebhookStatus};

/// Upper ends of the buckets of a histogram, microseconds.
const BUCKETS: [u64; 10] = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 100_000, 1_000_000];
/// The words by which calls are counted.
const VERDICTS: [&str; 5] = ["allow", "pause", "block", "refuse", "denied"];
const TIERS: usize = 5;

/// Counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    calls: [[AtomicU64; VERDICTS.len()]; TIERS],
    decisions: Histogram,
    flushes: Histogram,
    requests: [AtomicU64; 5],
    wrong_tokens: AtomicU64,
    turned_away: AtomicU64,
}

/// How long something took, each time.
#[derive(Debug, Default)]
struct Histogram {
    buckets: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    fn took(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|end| micros <= *end).unwrap_or(BUCKETS.len());
        if let Some(count) = self.buckets.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn tell(&self, text: &mut String, name: &str, help: &str) {
        head(text, name, "histogram", help);
        let mut upto = 0;
        for (count, end) in self.buckets.iter().zip(BUCKETS.map(Some).into_iter().chain([None])) {
            upto += count.load(Ordering::Relaxed);
            let end = end.map_or_else(|| "+Inf".to_owned(), |end| seconds(end).to_string());
            line(text, &format!("{name}_bucket{{le=\"{end}\"}}"), upto);
        }
        let sum = seconds(self.micros.load(Ordering::Relaxed));
        // Writing into a string can't fail.
        let _ = writeln!(text, "{name}_sum {sum}");
        line(text, &format!("{name}_count"), upto);
    }
}

impl Metrics {
    /// A call was decided, in so much time. One that is refused because it can't be is counted, too: else all were well while
    /// every call is refused.
    pub(crate) fn decided(&self, tier: u8, admitted: &Result<Admitted, NotAdmitted>, took: Duration) {
        let Some(word) = word(admitted) else { return };
        let place = VERDICTS.iter().position(|known| *known == word).unwrap_or_default();
        if let Some(count) = self.calls.get(usize::from(tier)).and_then(|tier| tier.get(place)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.decisions.took(took);
    }

    /// The disk was asked to keep what calls are to be allowed by.
    pub(crate) fn flushed(&self, took: Duration) {
        self.flushes.took(took);
    }

    /// A request was answered with this status.
    pub(crate) fn answered(&self, status: u16) {
        if let Some(count) = self.requests.get(usize::from(status / 100).saturating_sub(1)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Somebody showed no token, or a wrong one.
    pub(crate) fn wrong_token(&self) {
        self.wrong_tokens.fetch_add(1, Ordering::Relaxed);
    }

    /// A request came too early.
    pub(crate) fn turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    /// All of it, and what the status says, as Prometheus reads it (text format 0.0.4).
    pub(crate) fn text(&self, status: &Status, log_lines_lost: u64) -> String {
        let mut text = String::with_capacity(4 << 10);
        head(
            &mut text,
            "callosum_calls_total",
            "counter",
            "Calls that were asked about here, by what was answered.",
        );
        for (tier, verdicts) in self.calls.iter().enumerate() {
            for (count, name) in verdicts.iter().zip(VERDICTS) {
                let count = count.load(Ordering::Relaxed);
                line(
                    &mut text,
                    &format!("callosum_calls_total{{tier=\"{tier}\",verdict=\"{name}\"}}"),
                    count,
                );
            }
        }
        let help = "Time from a call's request to its verdict.";
        self.decisions.tell(&mut text, "callosum_decision_seconds", help);
        let help = "Time that the disk took to keep calls that are to be allowed; several calls may share one flush.";
        self.flushes.tell(&mut text, "callosum_flush_seconds", help);
        head(
            &mut text,
            "callosum_requests_total",
            "counter",
            "Requests that were answered, by the first digit of their status.",
        );
        for (count, class) in self.requests.iter().zip(1..) {
            let class = format!("callosum_requests_total{{status=\"{class}xx\"}}");
            line(&mut text, &class, count.load(Ordering::Relaxed));
        }
        let journal_bytes = status.journal.bytes;
        for (name, kind, help, value) in [
            (
                "callosum_wrong_tokens_total",
                "counter",
                "Requests without a token that counts.",
                self.wrong_tokens.load(Ordering::Relaxed),
            ),
            (
                "callosum_turned_away_total",
                "counter",
                "Requests that came faster than their token may.",
                self.turned_away.load(Ordering::Relaxed),
            ),
            (
                "callosum_log_lines_lost_total",
                "counter",
                "Lines of the access log that nobody read in time.",
                log_lines_lost,
            ),
            ("callosum_open_leases", "gauge", "Resources that are held now.", status.leases.len() as u64),
            ("callosum_journal_bytes", "gauge", "Size of the journal.", journal_bytes),
            (
                "callosum_waiting_records",
                "gauge",
                "Records that wait to be written.",
                status.waiting.queued as u64,
            ),
            (
                "callosum_degraded",
                "gauge",
                "1 while the shared state can't be used.",
                u64::from(status.degraded.is_some()),
            ),
        ] {
            head(&mut text, name, kind, help);
            line(&mut text, name, value);
        }
        webhooks(&mut text, &status.webhooks);
        text
    }
}

/// By which word a call is counted; `None` of a request that stands for no call.
fn word(admitted: &Result<Admitted, NotAdmitted>) -> Option<&'static str> {
    match admitted {
        Ok(admitted) => Some(match admitted.verdict {
            Verdict::Allow => "allow",
            Verdict::Pause => "pause",
            Verdict::Block => "block",
            Verdict::TooLarge => "refuse",
            Verdict::Denied => "denied",
        }),
        Err(NotAdmitted::State { .. }) => Some("refuse"),
        Err(NotAdmitted::Reused | NotAdmitted::Several) => None,
    }
}

/// How the webhooks go. Their names are letters, digits and signs that need no escapes.
fn webhooks(text: &mut String, webhooks: &[WebhookStatus]) {
    type Figure = fn(&WebhookStatus) -> u64;
    let figures: [(&str, &str, &str, Figure); 4] = [
        ("callosum_webhook_delivered_total", "counter", "Events that arrived.", |webhook| webhook.delivered),
        ("callosum_webhook_failed_attempts", "gauge", "Tries of the next event that failed.", |webhook| {
            webhook.attempts.unwrap_or_default().into()
        }),
        (
            "callosum_webhook_parked",
            "gauge",
            "1 when it was given up, until the service starts again.",
            |webhook| u64::from(webhook.state == WebhookState::Parked),
        ),
        (
            "callosum_webhook_behind_bytes",
            "gauge",
            "Bytes of the journal that were not delivered yet.",
            |webhook| webhook.behind,
        ),
    ];
    if webhooks.is_empty() {
        return;
    }
    for (name, kind, help, figure) in figures {
        head(text, name, kind, help);
        for webhook in webhooks {
            line(text, &format!("{name}{{webhook=\"{}\"}}", webhook.name), figure(webhook));
        }
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    text.extend(["# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n"]);
}

fn line(text: &mut String, series: &str, value: u64) {
    text.extend([series, " ", &value.to_string(), "\n"]);
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of a process fit a double's 53 bits")]
fn seconds(micros: u64) -> f64 {
    micros as f64 / 1_000_000.0
}
