//! Leases that guests take, renew and give back.

use crate::decision::history::{Action as Past, Who};
use crate::model::error::StateError;
use crate::model::tier::Tier;
use crate::model::time::Stamp;
use crate::record::{Action, AttemptId, Record};
use crate::rules::context_key::named_key;
use crate::store::journal::{Appended, Check, UpToDate};
use crate::store::ledger::{Ledger, Needs};

use super::settle::Meant;
use super::{Fact, Gate, NotAdmitted, expires_ms, facts};
use crate::decision::pause_text::Citation;

/// The tool that a lease without a call is told by.
const LEASE_TOOL: &str = "lock";

/// What became of a step with a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lease {
    /// It is held until then, wall-clock milliseconds.
    Until(i64),
    /// Others hold it.
    HeldBy(Vec<Fact>),
    /// Nobody holds it, or no longer.
    Free,
}

impl Gate {
    /// Takes the lease of the resource `key` for a session, without a call, unless another instance holds it, or another session of
    /// its instance has taken it so. One that it holds so already is renewed.
    ///
    /// # Errors
    /// When the state can't be used.
    pub fn take_lease(
        &self,
        (who, key): (&Who, &str),
        tier: Tier,
        via: &str,
        now: &Stamp,
    ) -> Result<Lease, NotAdmitted> {
        let keys = [named_key(key)];
        let needs = Needs { keys: &keys, open: true, ..Needs::default() };
        let result = self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            // A call of its instance is no obstacle, whichever session made it: an instance speaks for itself.
            let is_own = |action: &Past| {
                action.who.is_of(&who.instance) && (!action.only_lease || *action.who == *who)
            };
            let (own, others) = self.holders(ledger, &keys, &is_own, now);
            if !others.is_empty() {
                return Ok(Lease::HeldBy(others));
            }
            if let Some(held) = own.iter().find(|action| action.only_lease) {
                let lease_ms = self.settings.lease_ms;
                return renew(ledger, &proof, (held, lease_ms), via, now).map(|(end, _)| Lease::Until(end));
            }
            let mut record = Record::new(Action::Leased, &who.instance, now);
            record.attempt = Some(AttemptId::random());
            // Below tier 3 nothing is held.
            record.tier = Some(tier.max(Tier::High));
            record.session = Some(who.session.clone());
            record.tool = Some(LEASE_TOOL.to_owned());
            record.context_keys = keys.to_vec();
            record.via = Some(via.to_owned());
            let expires_ms = now.plus_ms(self.settings.lease_ms).wall_ms;
            record.expires_ms = Some(expires_ms);
            ledger.append(&proof, &record, now)?;
            Ok(Lease::Until(expires_ms))
        });
        result.map_err(|reason| self.not_done(reason, now))
    }

    /// Gives back what a session holds on the resource `key`. A lease that was taken without a call is over; `with_calls`, a call that
    /// holds one goes on without it. When only others hold it, nothing changes.
    ///
    /// # Errors
    /// When the state can't be used.
    pub fn give_back(
        &self,
        (who, key): (&Who, &str),
        with_calls: bool,
        via: &str,
        now: &Stamp,
    ) -> Result<Lease, NotAdmitted> {
        let keys = [named_key(key)];
        let needs = Needs { keys: &keys, open: true, ..Needs::default() };
        let is_own = |action: &Past| *action.who == *who && (with_calls || action.only_lease);
        let result = self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            let (own, others) = self.holders(ledger, &keys, &is_own, now);
            // A call of its own that goes on holding one is nobody else.
            let others: Vec<Fact> = others.into_iter().filter(|fact| fact.who != *who).collect();
            if own.is_empty() && !others.is_empty() {
                return Ok(Lease::HeldBy(others));
            }
            for action in &own {
                let kind = if action.only_lease { Action::Refused } else { Action::Released };
                let mut record = about(kind, action, via, now);
                record.reason = Some("given back".to_owned());
                if !action.only_lease {
                    (record.tier, record.session, record.call, record.tool) = (None, None, None, None);
                }
                ledger.append(&proof, &record, now)?;
            }
            Ok(Lease::Free)
        });
        result.map_err(|reason| self.not_done(reason, now))
    }

    /// Renews the lease of a guest's open call: the oldest of this id that still holds one, among those of the instances that
    /// `owns` picks, of this session if one is named.
    ///
    /// # Errors
    /// When the state can't be used, and when no session is named but several have such a call.
    pub fn extend_guest(
        &self,
        named: (&str, Option<&str>),
        owns: &dyn Fn(&str) -> bool,
        via: &str,
        now: &Stamp,
    ) -> Result<Lease, NotAdmitted> {
        let meant = Meant::new(named, owns);
        let needs = Needs { open: true, ..Needs::default() };
        let machine = self.machine();
        let result = self.with_ledger(&needs, self.patience(), Check::All, now, |ledger, proof| {
            let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
            let open = ledger.history().open_under(&meant.call, |who| meant.is_of(who));
            let held = open.into_iter().filter(|action| action.holds_lease(now, &is_dead));
            let held: Vec<Past> = held.cloned().collect();
            if let Err(several) = meant.only_one(held.iter().map(|action| &*action.who)) {
                return Ok(Err(several));
            }
            let Some(held) = held.first() else { return Ok(Ok(Lease::Free)) };
            let lease_ms = self.settings.lease_ms;
            renew(ledger, &proof, (held, lease_ms), via, now).map(|(end, _)| Ok(Lease::Until(end)))
        });
        result.map_err(|reason| self.not_done(reason, now))?
    }

    /// Those of one's own actions that hold one of `keys`, and what others hold of them.
    fn holders(
        &self,
        ledger: &Ledger,
        keys: &[String],
        is_own: &dyn Fn(&Past) -> bool,
        now: &Stamp,
    ) -> (Vec<Past>, Vec<Fact>) {
        let machine = self.machine();
        let is_dead = |boot, holder: &_| machine.is_dead(boot, holder);
        let history = ledger.history();
        let holding = keys.iter().flat_map(|key| history.on_key(key));
        let holding = holding.filter(|action| action.holds_lease(now, &is_dead));
        let (own, others): (Vec<&Past>, Vec<&Past>) = holding.partition(|action| is_own(action));
        let told: Vec<Citation> = others
            .iter()
            .map(|action| Citation {
                seq: action.seq,
                state: action.state(now, &is_dead),
                keys: keys.to_vec(),
            })
            .collect();
        (own.into_iter().cloned().collect(), facts(history, &told, None))
    }
}

/// Writes that an action holds its lease for so long from now on, or as long as it did if that is more. Returns its end, wall-clock
/// milliseconds.
pub(super) fn renew(
    ledger: &mut Ledger,
    proof: &UpToDate,
    (held, lease_ms): (&Past, u64),
    via: &str,
    now: &Stamp,
) -> Result<(i64, Appended), StateError> {
    let end = now.plus_ms(lease_ms).wall_ms.max(expires_ms(held));
    let mut record = about(Action::Extended, held, via, now);
    record.expires_ms = Some(end);
    Ok((end, ledger.append(proof, &record, now)?))
}

/// A record about an action, by who may speak for it.
fn about(kind: Action, action: &Past, via: &str, now: &Stamp) -> Record {
    let mut record = Record::new(kind, &action.who.instance, now);
    record.tier = Some(action.tier);
    record.session = Some(action.who.session.clone());
    record.call.clone_from(&action.call);
    record.tool = Some(action.tool.clone());
    record.context_keys = action.keys.iter().map(|key| key.as_ref().to_owned()).collect();
    record.of = vec![action.seq];
    record.attempt = action.attempt;
    record.via = Some(via.to_owned());
    record
}
