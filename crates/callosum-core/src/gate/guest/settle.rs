//! How guests' calls end, and that their pauses were read.

use std::borrow::Cow;

use crate::decision::history::{Action as Past, Who};
use crate::model::redact::redact;
use crate::model::text::{head, one_line, short_name};
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::outcome::Ended;
use crate::record::{Action, AttemptId, Record};
use crate::rules::context_key::named_key;
use crate::store::journal::{Appended, Check};
use crate::store::ledger::Needs;

use super::super::open_calls::Unflushed;
use super::super::report::EndReport;
use super::super::transaction::NotNow;
use super::super::{Gate, lock};
use super::NotAdmitted;

/// Characters of why a call ended so, in its caller's words.
const WHY_CHARS: usize = 200;

/// What became of the report of an end.
#[derive(Clone, Debug)]
pub struct Settled {
    unflushed: Option<Unflushed>,
}

impl Settled {
    fn of(written: Option<Appended>) -> Self {
        Self { unflushed: written.map(|Appended { file, end, .. }| Unflushed { file, end }) }
    }

    /// Whether it was written; else no call is open that it could be about: it was never tracked, or has its outcome.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.unflushed.is_some()
    }
}

/// Which call a guest means: one of this id, of the instances that it may speak for, of this session if one is named.
pub(super) struct Meant<'a> {
    pub(super) call: Cow<'a, str>,
    session: Option<Cow<'a, str>>,
    owns: &'a dyn Fn(&str) -> bool,
}

impl<'a> Meant<'a> {
    pub(super) fn new((call, session): (&'a str, Option<&'a str>), owns: &'a dyn Fn(&str) -> bool) -> Self {
        Self { call: short_name(call), session: session.map(short_name), owns }
    }

    /// Whether it may be theirs.
    pub(super) fn is_of(&self, who: &Who) -> bool {
        (self.owns)(&who.instance) && self.session.as_deref().is_none_or(|session| who.session == session)
    }

    /// That nobody can tell which of these is meant: an id is one call's of its session only.
    pub(super) fn only_one<'w>(&self, mut of: impl Iterator<Item = &'w Who>) -> Result<(), NotAdmitted> {
        let are_several =
            self.session.is_none() && of.next().is_some_and(|first| of.any(|other| other != first));
        if are_several { Err(NotAdmitted::Several) } else { Ok(()) }
    }
}

impl Gate {
    /// Writes how a guest's open call ended: the oldest of this id among those of the instances that `owns` picks, of this
    /// session if one is named. It lasts once it is [made durable](Self::keep).
    ///
    /// # Errors
    /// When the state can't be used, and when none is named but several have such a call.
    pub fn settle_guest(
        &self,
        named: (&str, Option<&str>),
        owns: &dyn Fn(&str) -> bool,
        (ended, exit_code, why): (Ended, Option<i64>, Option<&str>),
        via: &str,
        now: &Stamp,
    ) -> Result<Settled, NotAdmitted> {
        let meant = Meant::new(named, owns);
        let needs = Needs { open: true, ..Needs::default() };
        let result = self.with_ledger(&needs, self.patience(), Check::Seldom, now, |ledger, proof| {
            let mut found = ledger.history().open_under(&meant.call, |who| meant.is_of(who));
            found.retain(|action| !action.only_lease);
            if let Err(several) = meant.only_one(found.iter().map(|action| &*action.who)) {
                return Ok(Err(several));
            }
            let Some(action) = found.first() else { return Ok(Ok(None)) };
            let mut record = self.guest_outcome(action, ended, exit_code, via, now);
            if let Some(why) = why {
                let why = one_line(&redact(head(why, 4 * WHY_CHARS).0), WHY_CHARS);
                record.reason =
                    Some(record.reason.map_or_else(|| why.clone(), |reason| format!("{reason}: {why}")));
            }
            ledger.append(&proof, &record, now).map(|written| Ok(Some(written)))
        });
        let written = result.map_err(|reason| self.not_done(reason, now))??;
        Ok(Settled::of(written))
    }

    /// The same for an instance that names the resource and no call: its oldest open call on it. Where none is open, a call that
    /// ended so is written, of tier 2 and of the tool `tool`.
    ///
    /// # Errors
    /// When the state can't be used.
    pub fn settle_on_key(
        &self,
        (who, key): (&Who, &str),
        tool: &str,
        ended: Ended,
        via: &str,
        now: &Stamp,
    ) -> Result<Settled, NotAdmitted> {
        let keys = [named_key(key)];
        let needs = Needs { keys: &keys, open: true, ..Needs::default() };
        let result = self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            let [key] = &keys;
            let is_its = |action: &&Past| {
                action.who.is_of(&who.instance) && action.outcome.is_none() && !action.only_lease
            };
            let open = ledger.history().on_key(key).find(is_its);
            let record = open.map(|action| self.guest_outcome(action, ended, None, via, now));
            if let Some(record) = record {
                return ledger.append(&proof, &record, now).map(Some);
            }
            let mut record = Record::new(Action::Intercept, &who.instance, now);
            record.attempt = Some(AttemptId::random());
            record.tier = Some(Tier::Medium);
            record.session = Some(who.session.clone());
            record.tool = Some(short_name(tool).into_owned());
            record.context_keys = keys.to_vec();
            record.via = Some(via.to_owned());
            record.reason = Some("told when it had ended".to_owned());
            let start = ledger.append(&proof, &record, now)?;
            let Some(action) = ledger.history().action(start.seq) else { return Ok(Some(start)) };
            let record = self.guest_outcome(action, ended, None, via, now);
            ledger.append(&proof, &record, now).map(Some)
        });
        Ok(Settled::of(result.map_err(|reason| self.not_done(reason, now))?))
    }

    /// Writes that the pauses of a guest's call were read. Where that comes to nothing, time tells as much.
    ///
    /// # Errors
    /// When the state can't be used, and when no session is named but several have unread pauses of such a call.
    pub fn guest_read(
        &self,
        named: (&str, Option<&str>),
        owns: &dyn Fn(&str) -> bool,
        via: &str,
        now: &Stamp,
    ) -> Result<usize, NotAdmitted> {
        let meant = Meant::new(named, owns);
        let result =
            self.with_ledger(&Needs::default(), self.patience(), Check::Seldom, now, |ledger, proof| {
                let mut read = 0;
                let unread = ledger.history().unread_under(&meant.call, |who| meant.is_of(who));
                if let Err(several) = meant.only_one(unread.iter().map(|(who, _)| &**who)) {
                    return Ok(Err(several));
                }
                for (who, pauses) in unread {
                    let mut record = Record::new(Action::Delivered, &who.instance, now);
                    record.session = Some(who.session.clone());
                    record.via = Some(via.to_owned());
                    read += pauses.len();
                    record.of = pauses;
                    ledger.append(&proof, &record, now)?;
                }
                Ok(Ok(read))
            });
        result.map_err(|reason| self.not_done(reason, now))?
    }

    fn guest_outcome(
        &self,
        action: &Past,
        ended: Ended,
        exit_code: Option<i64>,
        via: &str,
        now: &Stamp,
    ) -> Record {
        let report = EndReport {
            tool: action.tool.clone(),
            agent: None,
            session: action.who.session.clone(),
            run: None,
            call: action.call.clone(),
            digest: None,
            ended,
            exit_code,
            process: None,
            ran: None,
        };
        let mut record = self.outcome_of_action(action, &report, now);
        record.via = Some(via.to_owned());
        record
    }

    /// Makes an end durable. For several that were written one after the other, one flush does for all.
    pub fn keep(&self, settled: &Settled, now: &Stamp) {
        if let Some(unflushed) = settled.unflushed.as_ref().filter(|_| self.flushes()) {
            match unflushed.file.flush(unflushed.end) {
                Ok(()) => lock(&self.health).flushed(),
                // It stands there all the same: who reports an end again finds it written.
                Err(error) => self.flush_failed(&error, now),
            }
        }
    }

    /// Notes that a step failed, for who asked for it.
    pub(super) fn not_done(&self, reason: NotNow, now: &Stamp) -> NotAdmitted {
        let error = self.state_error(reason);
        lock(&self.health).failed(&error, now);
        NotAdmitted::of(&error, &[])
    }
}
