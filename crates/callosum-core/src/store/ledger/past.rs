//! The part of the history that lies before what was read line by line. It is loaded through the index,
//! topic by topic, when a decision asks for it; without an index only actions that a later line names: an
//! outcome may come when its start is long out of the window.

use crate::decision::history::{History, Who};
use crate::decision::limit::usage;
use crate::model::hashed::{HashMap, HashSet};
use crate::model::time::Stamp;
use crate::record::kind::Fold;
use crate::record::{Line, Record};
use crate::rules::{Limited, Per};
use crate::store::index::{Index, IndexCorrupt, Topic};
use crate::store::journal::segments::LinesAt;

/// What a step is going to look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs<'a> {
    /// The actions on these resources.
    pub keys: &'a [String],
    /// The pauses of this session on these resources.
    pub who: Option<&'a Who>,
    /// The newest actions, as far as an index names them.
    pub newest: bool,
    /// The actions without an outcome.
    pub open: bool,
    /// The actions of `who` that these limits count at `now`, as many as they allow.
    pub limits: &'a [Limited],
    /// When they are counted.
    pub now: Stamp,
}

/// The lines of the journal, an index of them if there is one, and what was loaded so far.
#[derive(Debug)]
pub(super) struct Past {
    lines: LinesAt,
    index: Option<Index>,
    known: HashSet<Topic>,
    limits: HashMap<Topic, PendingLimit>,
    known_newest: usize,
    knows_open: bool,
}

/// What of a limit's actions is still to be loaded.
#[derive(Debug, Default)]
struct PendingLimit {
    /// Where their records lie, the newest last.
    left: Vec<u64>,
    /// When the last one that was read was written: those before are older.
    read_to: Option<Stamp>,
}

impl Past {
    pub(super) fn new(lines: LinesAt, index: Option<Index>) -> Self {
        Self {
            lines,
            index,
            known: HashSet::default(),
            limits: HashMap::default(),
            known_newest: 0,
            knows_open: false,
        }
    }

    /// How many actions are open, if they were not loaded yet.
    pub(super) fn open_ahead(&self) -> usize {
        self.index.as_ref().filter(|_| !self.knows_open).map_or(0, |index| index.header().open.len())
    }

    /// Loads the records on a topic that are not known yet, with at most `left` looks; false when there is more.
    fn topic(&mut self, topic: Topic, left: &mut usize, history: &mut History) -> Result<bool, IndexCorrupt> {
        let Some(index) = self.index.as_ref().filter(|_| !self.known.contains(&topic)) else {
            return Ok(true);
        };
        let mut look = || {
            let may = *left > 0;
            *left = left.saturating_sub(1);
            may
        };
        if !look() {
            return Ok(false);
        }
        for seq in index.on(topic)? {
            if history.action(seq).is_none() {
                if !look() {
                    return Ok(false);
                }
                self.with_sequels(seq, history)?;
            }
        }
        self.known.insert(topic);
        Ok(true)
    }

    /// Loads actions that a limit counts, the newest first, until it is reached or its window is over; with at most `left` looks.
    /// False when there is more. What each resource counts by itself comes with the resource.
    fn limit(
        &mut self,
        limited: &Limited,
        needs: &Needs<'_>,
        left: &mut usize,
        history: &mut History,
    ) -> Result<bool, IndexCorrupt> {
        let (Some(index), Some(who)) = (&self.index, needs.who) else { return Ok(true) };
        let topic = match limited.limit.per {
            Per::Key => return Ok(true),
            Per::Rule => Topic::limit(&limited.rule),
            Per::Session => Topic::session_limit(who, &limited.rule),
        };
        let mut look = || {
            let may = *left > 0;
            *left = left.saturating_sub(1);
            may
        };
        let mut counted = match self.limits.remove(&topic) {
            Some(counted) => counted,
            None if look() => PendingLimit { left: index.on(topic)?, read_to: None },
            None => return Ok(false),
        };
        let mut is_all = true;
        while let Some(seq) = counted.left.last().copied() {
            let is_over = counted.read_to.is_some_and(|at| at.age_ms(&needs.now) >= limited.limit.window_ms);
            if is_over || usage(history, who, limited, needs.keys, &needs.now).is_reached() {
                break;
            }
            if history.action(seq).is_none() {
                if !look() {
                    is_all = false;
                    break;
                }
                counted.read_to = self.with_sequels(seq, history)?.or(counted.read_to);
            }
            counted.left.pop();
        }
        self.limits.insert(topic, counted);
        Ok(is_all)
    }

    /// Loads what a step needs; of what is on its resources no more than `most` looks find. False when there is more.
    pub(super) fn load(
        &mut self,
        needs: &Needs<'_>,
        most: usize,
        history: &mut History,
    ) -> Result<bool, IndexCorrupt> {
        let mut left = most;
        if self.index.is_some() {
            for key in needs.keys {
                if !self.topic(Topic::key(key), &mut left, history)? {
                    return Ok(false);
                }
            }
            for (who, key) in needs.who.iter().flat_map(|who| needs.keys.iter().map(move |key| (who, key))) {
                if !self.topic(Topic::pauses(who, key), &mut left, history)? {
                    return Ok(false);
                }
            }
        }
        for limited in needs.limits {
            if !self.limit(limited, needs, &mut left, history)? {
                return Ok(false);
            }
        }
        if needs.newest {
            self.newest_until(|_, _| false, history)?;
        }
        if needs.open && !std::mem::replace(&mut self.knows_open, true) {
            let open = self.index.as_ref().map(|index| index.header().open.clone());
            open.unwrap_or_default().into_iter().try_for_each(|seq| self.action(seq, history))?;
        }
        Ok(true)
    }

    /// Loads the newest actions that the index names, one by one, until there are enough: `enough` is asked with the
    /// history and the sequence number from which on it has them all.
    pub(super) fn newest_until(
        &mut self,
        enough: impl Fn(&History, u64) -> bool,
        history: &mut History,
    ) -> Result<(), IndexCorrupt> {
        let Some(header) = self.index.as_ref().map(Index::header) else { return Ok(()) };
        let mut from = header.end();
        let newest: Vec<u64> = header.newest.iter().rev().copied().collect();
        for (number, seq) in newest.into_iter().enumerate() {
            if number >= self.known_newest {
                if enough(history, from) {
                    break;
                }
                self.action(seq, history)?;
                self.known_newest = number + 1;
            }
            from = seq;
        }
        Ok(())
    }

    /// Loads where a session runs, unless a line that was read says it: those are newer.
    pub(super) fn place(&mut self, who: &Who, history: &mut History) -> Result<(), IndexCorrupt> {
        let (Some(index), None) = (&self.index, history.project(who)) else { return Ok(()) };
        let topic = Topic::place(who);
        if !self.known.insert(topic) {
            return Ok(());
        }
        if let Some(seq) = index.on(topic)?.last()
            && let Some(record) = self.record(*seq)?
        {
            history.apply(*seq, &record);
        }
        Ok(())
    }

    /// Loads the pauses that wait for a host's signal: it names a run, not a session.
    pub(super) fn unread(&mut self, history: &mut History) -> Result<(), IndexCorrupt> {
        let unread = self.index.as_ref().map(|index| index.header().unread.clone());
        for seq in unread.unwrap_or_default() {
            self.with_sequels(seq, history)?;
        }
        Ok(())
    }

    /// Loads what a record that was written since is about, so that it finds it in `history`.
    pub(super) fn before(&mut self, record: &Record, history: &mut History) -> Result<(), IndexCorrupt> {
        match record.action.spec().fold {
            Fold::Start => self.early(record, history),
            Fold::Outcome(_) | Fold::Background | Fold::Renewal => {
                record.of.first().map_or(Ok(()), |of| self.named(*of, history))
            }
            Fold::Release => record.of.iter().try_for_each(|of| self.named(*of, history)),
            Fold::Delivery => {
                let who = Who::of(record);
                let unknown = |seq: &&u64| !history.has_pause(&who, **seq);
                let of: Vec<u64> = record.of.iter().filter(unknown).copied().collect();
                of.into_iter().try_for_each(|seq| match self.record(seq) {
                    Ok(Some(_)) => self.with_sequels(seq, history).map(drop),
                    // Whoever named it is at fault, not the index.
                    _ => Ok(()),
                })
            }
            Fold::Pause
            | Fold::Place
            | Fold::Window
            | Fold::Segment
            | Fold::Prune
            | Fold::Loss
            | Fold::Nothing => Ok(()),
        }
    }

    /// Loads what came of an action of another machine before its start did.
    fn early(&mut self, start: &Record, history: &mut History) -> Result<(), IndexCorrupt> {
        let (Some(index), Some(attempt)) = (&self.index, start.early_attempt()) else { return Ok(()) };
        for seq in index.on(Topic::attempt(attempt))? {
            if let Some(record) = self.record(seq)? {
                history.apply(seq, &record);
            }
        }
        Ok(())
    }

    /// Loads an action by its sequence number, wherever that was found. Where there is none, whoever named
    /// it is at fault and not the index.
    pub(super) fn named(&mut self, seq: u64, history: &mut History) -> Result<(), IndexCorrupt> {
        let known = history.action(seq).is_some();
        if !known && matches!(self.record(seq), Ok(Some(_))) { self.action(seq, history) } else { Ok(()) }
    }

    /// Loads one action with what became of it.
    fn action(&mut self, seq: u64, history: &mut History) -> Result<(), IndexCorrupt> {
        if history.action(seq).is_some() { Ok(()) } else { self.with_sequels(seq, history).map(drop) }
    }

    /// Loads a record with those that belong to it: the delivery of a pause. Tells when it was written.
    fn with_sequels(&mut self, seq: u64, history: &mut History) -> Result<Option<Stamp>, IndexCorrupt> {
        let Some(start) = self.record(seq)? else { return Ok(None) };
        history.apply(seq, &start);
        self.early(&start, history)?;
        for sequel in self.index.as_ref().map_or(Ok(Vec::new()), |index| index.on(Topic::sequel(seq)))? {
            if let Some(record) = self.record(sequel)? {
                history.apply(sequel, &record);
            }
        }
        Ok(Some(start.stamp()))
    }

    /// The record at `seq`; `None` when its segment was pruned, which is done only to what is out of every
    /// window.
    fn record(&mut self, seq: u64) -> Result<Option<Box<Record>>, IndexCorrupt> {
        match self.lines.at(seq).map(|line| Line::read(&line)) {
            Some(Line::Record(mut record)) => {
                if let Some(index) = &self.index {
                    index.header().correct(seq, &mut record);
                }
                Ok(Some(record))
            }
            None if self.lines.was_pruned(seq) => Ok(None),
            _ => Err(IndexCorrupt),
        }
    }
}
