//! `callosum leases` and `callosum leases release`.

use std::io::Write;
use std::process::ExitCode;

use callosum_core::decision::pause_text::on_machine;
use callosum_core::gate::Gate;
use callosum_core::query::{LeaseStatus, Released, Source};
use serde_json::json;

use crate::args::Args;
use crate::output::{Failure, json, name, resource, table, when};

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let view = super::view(args)?;
    let status = view.status(&view.machine().now());
    if let Some(degraded) = status.degraded {
        return Err(Failure::CantLook { fragment: degraded.cause, remedy: degraded.remedy });
    }
    if args.global.json {
        json(out, &json!({ "locks": status.leases }))?;
    } else if status.leases.is_empty() {
        writeln!(out, "Nothing is held.")?;
    } else {
        table_of(args, None, &status.leases, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the leases on `key`; 1 when there are none.
pub(crate) fn release(args: &Args, key: &str, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let gate = Gate::new(super::options(args)?);
    let now = gate.machine().now();
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    let who = if user.is_empty() { "an operator" } else { &user };
    let held = gate.release(key, &format!("{who} on the command line"), &now)?;
    gate.close(&now);
    let released = Released::of(key, &held);
    let ended = released.released.len();
    if args.global.json {
        json(out, &released)?;
    } else if released.released.is_empty() {
        writeln!(out, "Nobody holds {}.", resource(key))?;
    } else {
        table_of(args, None, &released.released, out)?;
        writeln!(
            out,
            "\nReleased. What was done stays in the journal, so the next call on it is still paused."
        )?;
    }
    Ok(ExitCode::from(u8::from(ended == 0)))
}

/// Leases as a table; nothing when there are none.
pub(super) fn table_of(
    args: &Args,
    title: Option<&str>,
    leases: &[LeaseStatus],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let rows = leases.iter().map(|lease| {
        vec![
            resource(&lease.context_key),
            name(&lease.session),
            on_machine(&lease.instance, lease.machine.as_deref()),
            name(&lease.tool),
            lease.tier.to_string(),
            when(args, &lease.since),
            when(args, &lease.expires_at),
        ]
    });
    table(out, title, &["RESOURCE", "SESSION", "INSTANCE", "TOOL", "TIER", "SINCE", "UNTIL"], rows)
}
