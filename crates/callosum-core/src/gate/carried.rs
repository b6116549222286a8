//! A journal that was lost while it was in use: deleted, cut off (as `logrotate` does with `copytruncate`), replaced by another
//! file or by an older copy. Whoever notices says so, and writes anew what it knows to have been done lately or to be under
//! way: the next decision, here or in another process, must not be made as if nothing had been.

use crate::decision::history::{Action as Past, Gap, History};
use crate::model::error::StateError;
use crate::model::hashed::HashMap;
use crate::model::on_conflict::OnConflict;
use crate::model::time::Stamp;
use crate::record::{Action, Record};
use crate::store::journal::segment::Trace;
use crate::store::journal::{Loss, Patience, UpToDate};
use crate::store::ledger::{Ledger, Needs};

use super::health::Level;
use super::late::Target;
use super::transaction::NotNow;
use super::{Gate, LedgerSlot, MAX_IMPATIENT_RECORDS, lock};

/// Actions that are remembered beyond the ledger that knew them; of more, only the newest.
const MAX_KEPT: usize = 4_096;
/// Two records of one action, written anew by two processes, say the same moment up to this, milliseconds.
const SAME_MOMENT_MS: u64 = 1_000;
/// A loss that was told so lately is not told again in the journal: every process that had it open notices.
const TOLD_LATELY_MS: u64 = 60_000;

/// What an earlier ledger of this process knew.
#[derive(Debug)]
pub(super) struct Before {
    /// What the journal is known again by.
    trace: Trace,
    /// What was done lately, or is under way, oldest first.
    actions: Vec<Past>,
    /// What was missing of the closed segments already when it came to them.
    gaps: Vec<Gap>,
}

impl LedgerSlot {
    /// Lets the ledger go, and remembers what the next one must know.
    pub(super) fn let_go(&mut self, now: &Stamp) {
        let Some(ledger) = self.ledger.take() else { return };
        let actions = kept(ledger.history(), now);
        // What was remembered is not in the journal yet, and in no history.
        let earlier = self.before.take().map(|before| before.actions).unwrap_or_default();
        let (trace, gaps) = (ledger.journal().active().trace(), ledger.gaps().to_vec());
        let mut actions: Vec<Past> = earlier.into_iter().chain(actions).collect();
        actions.drain(..actions.len().saturating_sub(MAX_KEPT));
        self.before = Some(Before { trace, actions, gaps });
    }
}

/// What of a history speaks against further calls, oldest first.
fn kept(history: &History, now: &Stamp) -> Vec<Past> {
    let keep_ms = history.keep_ms();
    let counts = |action: &&Past| {
        let is_open = action.outcome.is_none();
        let is_evidence = action.outcome.as_ref().is_none_or(|end| end.ending.is_evidence());
        is_evidence && (is_open || action.last_sign_age_ms(now) <= keep_ms)
    };
    let mut kept: Vec<Past> = history.newest().filter(counts).take(MAX_KEPT).cloned().collect();
    kept.reverse();
    kept
}

/// Whether both are one action, wherever they stand.
fn is_same(one: &Past, other: &Past) -> bool {
    if let (Some(one), Some(other)) = (one.attempt, other.attempt) {
        return one == other;
    }
    one.who == other.who
        && one.run == other.run
        && one.call == other.call
        && one.tool == other.tool
        && one.digest == other.digest
        && one.started.is_close_to(&other.started, SAME_MOMENT_MS)
}

impl Gate {
    /// After the ledger was opened anew: looks whether the journal still has what was known of it, and if it was lost, says so
    /// and writes anew what must not be forgotten. False when that needs more patience than there is.
    pub(super) fn make_whole(
        &self,
        slot: &mut LedgerSlot,
        proof: &UpToDate,
        patience: Patience,
        now: &Stamp,
    ) -> Result<bool, NotNow> {
        let LedgerSlot { ledger: Some(ledger), before, .. } = slot else { return Ok(true) };
        let found = ledger.take_loss();
        let Some(known) = before else {
            return match found {
                Some(loss) => Ok(self.tell_loss(ledger, proof, loss, 0, now).map(|()| true)?),
                None => Ok(true),
            };
        };
        let has_gaps_of_before = ledger.gaps().iter().all(|gap| gap.is_within(&known.gaps));
        if found.is_none() && has_gaps_of_before && ledger.has(&known.trace)? {
            *before = None;
            return Ok(true);
        }
        if matches!(patience, Patience::None) && known.actions.len() > MAX_IMPATIENT_RECORDS {
            ledger.put_back_loss(found);
            return Ok(false);
        }
        let carried = self.carry(ledger, proof, &known.actions, now)?;
        *before = None;
        let loss = found.unwrap_or(if has_gaps_of_before { Loss::Replaced } else { Loss::Segment });
        self.tell_loss(ledger, proof, loss, carried, now)?;
        Ok(true)
    }

    /// Writes anew those of `actions` that the journal no longer has. Returns how many.
    fn carry(
        &self,
        ledger: &mut Ledger,
        proof: &UpToDate,
        actions: &[Past],
        now: &Stamp,
    ) -> Result<usize, StateError> {
        let mut numbers = HashMap::default();
        let mut carried = 0;
        for action in actions {
            let keys = keys_of(action);
            let needs = Needs { keys: &keys, ..Needs::default() };
            ledger.load(&needs, Patience::None)?;
            let there = keys.iter().flat_map(|key| ledger.history().on_key(key));
            let there = there
                .filter(|there| is_same(there, action))
                .map(|there| (there.seq, there.outcome.is_some()))
                .next();
            // What was cut off may be the end alone.
            if there.is_none_or(|(_, has_ended)| !has_ended && action.outcome.is_some()) {
                carried += 1;
            }
            let seq = match there {
                Some((seq, has_ended)) => {
                    if !has_ended {
                        write_end_anew(ledger, proof, action, seq, now)?;
                    }
                    seq
                }
                None => {
                    let seq = write_start_anew(ledger, proof, action, now)?;
                    write_end_anew(ledger, proof, action, seq, now)?;
                    seq
                }
            };
            if seq != action.seq {
                numbers.insert(action.seq, seq);
            }
        }
        self.renumber(&numbers);
        Ok(carried)
    }

    /// What is still to be written names these records by other numbers now.
    fn renumber(&self, numbers: &HashMap<u64, u64>) {
        let mut light = lock(&self.light);
        light.calls.renumber(numbers);
        for end in &mut light.late_ends {
            if let Target::Seq(seq) = &mut end.target
                && let Some(now) = numbers.get(seq)
            {
                *seq = *now;
            }
        }
        drop(light);
        self.renumber_works(numbers);
    }

    fn tell_loss(
        &self,
        ledger: &mut Ledger,
        proof: &UpToDate,
        loss: Loss,
        carried: usize,
        now: &Stamp,
    ) -> Result<(), StateError> {
        let what = match carried {
            0 => "this process knew of nothing else to write again".to_owned(),
            1 => "1 action that this process knew was written again".to_owned(),
            more => format!("{more} actions that this process knew were written again"),
        };
        let how = format!("the journal {}; {what}", loss.in_words());
        let text = format!(
            "in `{}` {how}. What else it held is gone: calls that it spoke against may pass. Look for what deletes, rotates or \
             restores files there, and leave the directory out",
            self.directory.path.display()
        );
        lock(&self.health).tell(Level::Error, text);
        let told_lately = ledger.history().lost.as_ref().is_some_and(|lost| {
            u64::try_from(now.wall_ms.saturating_sub(lost.at)).unwrap_or(0) < TOLD_LATELY_MS
        });
        // What is missing of closed segments stays so: a record that names it keeps others from telling it again.
        let untold = ledger.untold_gaps();
        let is_told = told_lately || loss == Loss::Segment;
        if is_told && carried == 0 && untold.is_empty() {
            return Ok(());
        }
        let mut record = Record::new(Action::Lost, &self.instance, now);
        record.of = untold.iter().flat_map(|gap| [gap.from, gap.to]).collect();
        record.reason = Some(how);
        ledger.append(proof, &record, now).map(drop)
    }
}

/// A record about an action, written anew. Who reads it knows how old it is; an older version takes it for younger.
fn anew(kind: Action, action: &Past, at: &Stamp, now: &Stamp) -> Record {
    let mut record = Record::new(kind, &action.who.instance, now);
    record.machine = Some(action.who.machine.clone()).filter(|machine| !machine.is_empty());
    record.attempt = action.attempt;
    record.tier = Some(action.tier);
    record.session = Some(action.who.session.clone());
    record.run.clone_from(&action.run);
    record.call.clone_from(&action.call);
    record.tool = Some(action.tool.clone());
    record.context_keys = keys_of(action);
    record.age_ms = Some(at.age_ms(now));
    record.reason = Some("written again after the journal was lost".to_owned());
    record
}

fn keys_of(action: &Past) -> Vec<String> {
    action.keys.iter().map(|key| key.as_ref().to_owned()).collect()
}

fn write_start_anew(
    ledger: &mut Ledger,
    proof: &UpToDate,
    action: &Past,
    now: &Stamp,
) -> Result<u64, StateError> {
    let kind = if action.only_lease { Action::Leased } else { Action::Intercept };
    let mut start = anew(kind, action, &action.started, now);
    start.digest.clone_from(&action.digest);
    start.limits = action.limits.iter().map(|rule| rule.as_ref().to_owned()).collect();
    start.on_conflict = action.asked.then_some(OnConflict::Ask);
    start.not_done_codes = action.not_done_codes;
    start.holder = action.holder;
    let left_ms = action.lease_ms.saturating_sub(start.age_ms.unwrap_or(0));
    start.lease_ms = start.is_foreign().then_some(left_ms);
    start.expires_ms = Some(start.happened().wall_ms.saturating_add_unsigned(action.lease_ms));
    Ok(ledger.append(proof, &start, now)?.seq)
}

/// Writes anew what became of an action whose start stands at `seq`, as far as anything did.
fn write_end_anew(
    ledger: &mut Ledger,
    proof: &UpToDate,
    action: &Past,
    seq: u64,
    now: &Stamp,
) -> Result<(), StateError> {
    if let Some(end) = &action.outcome {
        let mut outcome = anew(end.ending.action(), action, &end.at, now);
        outcome.of = vec![seq];
        outcome.exit_code = end.exit_code;
        ledger.append(proof, &outcome, now)?;
        return Ok(());
    }
    let known = ledger.history().action(seq);
    let (knows_process, knows_release) =
        known.map_or((false, false), |known| (known.process.is_some(), known.released));
    if action.process.is_some() && !knows_process {
        let mut running = anew(Action::Running, action, &action.started, now);
        running.of = vec![seq];
        running.process.clone_from(&action.process);
        ledger.append(proof, &running, now)?;
    }
    if action.released && !knows_release {
        let mut released = Record::new(Action::Released, &action.who.instance, now);
        released.of = vec![seq];
        released.attempt = action.attempt;
        ledger.append(proof, &released, now)?;
    }
    Ok(())
}
