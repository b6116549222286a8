//! A record as a line of ours: written, and read again in the order it was written. Both take a fraction of what serde
//! does, which looks for every field everywhere; a test compares them with it. Where every call is a process of its
//! own, each reads what came since the index, so the time to read a line is time that a call waits.

use std::collections::BTreeMap;

use serde_json::Error;

use super::{Action, FORMAT_VERSION, Holder, HookCounts, OWN_START, Place, Record, Shown};
use crate::model::tier::Tier;
use crate::record::codec::{LineReader, LineWriter};

impl Record {
    /// The record as one line, newline included: what `Serialize` makes of it, in a fraction of the time. A test
    /// compares the two.
    ///
    /// # Errors
    /// When a field can't be written as JSON; none of ours can't.
    pub fn to_line(&self) -> Result<Vec<u8>, Error> {
        // All are named, so that none is forgotten.
        let Self {
            v,
            action,
            tier,
            wall_ms,
            up,
            boot,
            machine,
            instance,
            runtime,
            agent,
            session,
            run,
            call,
            tool,
            rule_name,
            context_keys,
            context_key: _,
            via,
            path,
            of,
            attempt,
            digest,
            params,
            conflict,
            on_conflict,
            limits,
            evidence,
            signal,
            observed,
            not_done_codes,
            rewritten,
            expires_ms,
            lease_ms,
            holder,
            exit_code,
            process,
            reason,
            age_ms,
            event,
            place,
            suspects,
            seen,
            window_ms,
            journal,
            base,
            windows,
            kind,
            key,
            topic,
            ended,
            document,
        } = self;
        let mut line = LineWriter::new();
        line.maybe(br#"{"v":"#, Some(v))?;
        line.text(br#","action":"#, action.name())?;
        line.maybe(br#","tier":"#, tier.as_ref())?;
        line.maybe_moment(br#","timestamp":"#, Some(*wall_ms));
        line.maybe(br#","up":"#, up.as_ref())?;
        line.maybe_boot(br#","boot":"#, *boot);
        line.maybe_text(br#","machine":"#, machine.as_deref())?;
        line.text(br#","instance":"#, instance)?;
        line.maybe_text(br#","runtime":"#, runtime.as_deref())?;
        line.maybe_text(br#","agent":"#, agent.as_deref())?;
        line.maybe_text(br#","session":"#, session.as_deref())?;
        line.maybe_text(br#","run":"#, run.as_deref())?;
        line.maybe_text(br#","call":"#, call.as_deref())?;
        line.maybe_text(br#","tool":"#, tool.as_deref())?;
        line.maybe_text(br#","ruleName":"#, rule_name.as_deref())?;
        line.texts(br#","contextKeys":"#, context_keys)?;
        line.maybe_text(br#","via":"#, via.as_deref())?;
        line.maybe_text(br#","path":"#, path.as_deref())?;
        line.maybe(br#","of":"#, (!of.is_empty()).then_some(of))?;
        line.maybe_id(br#","attempt":"#, *attempt);
        line.maybe_text(br#","digest":"#, digest.as_deref())?;
        line.maybe_text(br#","params":"#, params.as_deref())?;
        line.maybe(br#","conflict":"#, conflict.as_ref())?;
        line.maybe(br#","onConflict":"#, on_conflict.as_ref())?;
        line.texts(br#","limits":"#, limits)?;
        line.maybe(br#","evidence":"#, (!evidence.is_empty()).then_some(evidence))?;
        for (field, is_set) in [(br#","signal":true"#.as_slice(), signal), (br#","observed":true"#, observed)]
        {
            line.raw(if *is_set { field } else { b"" });
        }
        line.maybe(br#","notDoneCodes":"#, (!not_done_codes.is_empty()).then_some(not_done_codes))?;
        line.raw(if *rewritten { br#","rewritten":true"# } else { b"" });
        line.maybe_moment(br#","expiresAt":"#, *expires_ms);
        line.maybe(br#","leaseMs":"#, lease_ms.as_ref())?;
        line.maybe(br#","holder":"#, holder.as_ref())?;
        line.maybe(br#","exitCode":"#, exit_code.as_ref())?;
        line.maybe_text(br#","process":"#, process.as_deref())?;
        line.maybe_text(br#","reason":"#, reason.as_deref())?;
        line.maybe(br#","ageMs":"#, age_ms.as_ref())?;
        line.maybe(br#","event":"#, event.as_ref())?;
        line.maybe(br#","place":"#, place.as_ref())?;
        line.maybe(br#","suspects":"#, (!suspects.is_empty()).then_some(suspects))?;
        line.maybe(br#","seen":"#, (!seen.is_empty()).then_some(seen))?;
        line.maybe(br#","windowMs":"#, window_ms.as_ref())?;
        line.maybe_id(br#","journal":"#, *journal);
        line.maybe(br#","base":"#, base.as_ref())?;
        line.maybe(br#","windows":"#, (!windows.is_empty()).then_some(windows))?;
        line.maybe_text(br#","kind":"#, kind.as_deref())?;
        line.maybe_text(br#","key":"#, key.as_deref())?;
        line.maybe_text(br#","topic":"#, topic.as_deref())?;
        line.raw(if *ended { br#","ended":true"# } else { b"" });
        line.maybe(br#","document":"#, document.as_ref())?;
        Ok(line.finish())
    }

    /// Reads a line that [`Record::to_line`] wrote, without its newline. `None` for any other, and for one that has
    /// become another since: whether that is a record, serde says.
    pub(super) fn from_own_line(line: &[u8]) -> Option<Self> {
        let line = &mut LineReader::new(line)?;
        // As it is written: each field is read where it stands.
        let record = Self {
            v: line.take(OWN_START).then_some(FORMAT_VERSION)?,
            action: Action::named(&line.text()?),
            tier: line.maybe(r#","tier":"#, tier)?,
            wall_ms: line.maybe(r#","timestamp":"#, LineReader::moment)??,
            up: line.maybe(r#","up":"#, LineReader::number)?,
            boot: line.maybe(r#","boot":"#, LineReader::boot)?,
            machine: line.maybe(r#","machine":"#, LineReader::string)?,
            instance: line.maybe(r#","instance":"#, LineReader::string)??,
            runtime: line.maybe(r#","runtime":"#, LineReader::string)?,
            agent: line.maybe(r#","agent":"#, LineReader::string)?,
            session: line.maybe(r#","session":"#, LineReader::string)?,
            run: line.maybe(r#","run":"#, LineReader::string)?,
            call: line.maybe(r#","call":"#, LineReader::string)?,
            tool: line.maybe(r#","tool":"#, LineReader::string)?,
            rule_name: line.maybe(r#","ruleName":"#, LineReader::string)?,
            context_keys: line.list(r#","contextKeys":"#, LineReader::string)?,
            context_key: None,
            via: line.maybe(r#","via":"#, LineReader::string)?,
            path: line.maybe(r#","path":"#, LineReader::string)?,
            of: line.list(r#","of":"#, LineReader::number)?,
            attempt: line.maybe(r#","attempt":"#, LineReader::id)?,
            digest: line.maybe(r#","digest":"#, LineReader::string)?,
            params: line.maybe(r#","params":"#, LineReader::string)?,
            conflict: line.maybe(r#","conflict":"#, LineReader::value)?,
            on_conflict: line.maybe(r#","onConflict":"#, LineReader::value)?,
            limits: line.list(r#","limits":"#, LineReader::string)?,
            evidence: line.list(r#","evidence":"#, shown)?,
            signal: line.take(r#","signal":true"#),
            observed: line.take(r#","observed":true"#),
            not_done_codes: line
                .list(r#","notDoneCodes":"#, LineReader::number::<u64>)?
                .into_iter()
                .collect(),
            rewritten: line.take(r#","rewritten":true"#),
            expires_ms: line.maybe(r#","expiresAt":"#, LineReader::moment)?,
            lease_ms: line.maybe(r#","leaseMs":"#, LineReader::number)?,
            holder: line.maybe(r#","holder":"#, holder)?,
            exit_code: line.maybe(r#","exitCode":"#, LineReader::value)?,
            process: line.maybe(r#","process":"#, LineReader::string)?,
            reason: line.maybe(r#","reason":"#, LineReader::string)?,
            age_ms: line.maybe(r#","ageMs":"#, LineReader::number)?,
            event: line.maybe(r#","event":"#, LineReader::value)?,
            place: line.maybe(r#","place":"#, place)?.map(Box::new),
            suspects: line.maybe(r#","suspects":"#, LineReader::value)?.unwrap_or_default(),
            seen: line.maybe(r#","seen":"#, hook_counts)?.unwrap_or_default(),
            window_ms: line.maybe(r#","windowMs":"#, LineReader::number)?,
            journal: line.maybe(r#","journal":"#, LineReader::id)?,
            base: line.maybe(r#","base":"#, LineReader::number)?,
            windows: line.maybe(r#","windows":"#, LineReader::value)?.unwrap_or_default(),
            kind: line.maybe(r#","kind":"#, LineReader::string)?,
            key: line.maybe(r#","key":"#, LineReader::string)?,
            topic: line.maybe(r#","topic":"#, LineReader::string)?,
            ended: line.take(r#","ended":true"#),
            document: line.maybe(r#","document":"#, LineReader::value)?,
        };
        line.is_at_end().then_some(record)
    }
}

fn tier(line: &mut LineReader<'_>) -> Option<Tier> {
    line.number::<u8>()?.try_into().ok()
}

fn shown(line: &mut LineReader<'_>) -> Option<Shown> {
    let seq = line.take(r#"{"seq":"#).then(|| line.number())??;
    let outcome = line.maybe(r#","outcome":"#, LineReader::number)?;
    line.take("}").then_some(Shown { seq, outcome })
}

fn holder(line: &mut LineReader<'_>) -> Option<Holder> {
    let pid = line.take(r#"{"pid":"#).then(|| line.number())??;
    let start = line.take(r#","start":"#).then(|| line.number())??;
    let ns = line.take(r#","ns":"#).then(|| line.number())??;
    line.take("}").then_some(Holder { pid, start, ns })
}

fn place(line: &mut LineReader<'_>) -> Option<Place> {
    let cwd = line.maybe(r#"{"cwd":"#, LineReader::string)?;
    let mut is_first = cwd.is_none();
    let project =
        line.maybe(if is_first { r#"{"project":"# } else { r#","project":"# }, LineReader::string)?;
    is_first &= project.is_none();
    let tty = line.maybe(if is_first { r#"{"tty":"# } else { r#","tty":"# }, LineReader::string)?;
    is_first &= tty.is_none();
    let needs_trust = line.take(if is_first { r#"{"needsTrust":true"# } else { r#","needsTrust":true"# });
    is_first &= !needs_trust;
    line.take(if is_first { "{}" } else { "}" }).then_some(Place { cwd, project, tty, needs_trust })
}

/// The hook counts of a line, by tool.
pub(crate) fn hook_counts(line: &mut LineReader<'_>) -> Option<BTreeMap<String, HookCounts>> {
    let mut seen = BTreeMap::new();
    let mut before = "{";
    while line.take(before) {
        let tool = line.string()?;
        let calls = line.take(r#":{"before":"#).then(|| line.number())??;
        let after = line.take(r#","after":"#).then(|| line.number())??;
        seen.insert(tool, HookCounts { before: calls, after });
        line.take("}").then_some(())?;
        before = ",";
    }
    line.take("}").then_some(seen)
}
