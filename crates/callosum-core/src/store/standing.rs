//! Records that stand: each has a key, and is the newest word on it until a later record of the same kind and key replaces it or
//! says that it has ended. What they are about only the crates above know.
//!
//! They outlive every window. The index leads to them, whoever prunes writes them again first (`carried`), and who asks for
//! them reads them from the journal: no history holds any, so that a hook's process never meets more of them than lie in the
//! lines it reads anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::error::StateError;
use crate::record::brief::brief;
use crate::record::kind::IndexedAs;
use crate::record::{Action, Line, OWN_START, Record};

use super::index::{Index, IndexCorrupt, Topic};
use super::journal::forward::Forward;
use super::journal::segments::Segments;
use super::state_dir::StateDir;

/// A record that stands, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Stands {
    /// Its sequence number.
    pub seq: u64,
    /// The record, as it was written last: `carried` where it was carried on.
    pub record: Record,
}

/// All records of a kind that stand.
#[derive(Debug)]
pub struct Standing {
    kind: Action,
    /// The fields that are wanted of each document; all, where it says none.
    fields: Option<&'static [&'static str]>,
    by_key: BTreeMap<String, Stands>,
    /// Up to where the journal was read.
    read_to: u64,
    /// Where it began then.
    oldest: u64,
}

impl Standing {
    /// Nothing of a kind, before anything was journaled.
    #[must_use]
    pub fn nothing(kind: &Action) -> Self {
        Self { kind: kind.clone(), fields: None, by_key: BTreeMap::new(), read_to: 0, oldest: 0 }
    }

    /// What stands of a kind in the journal of `directory`, whose segments these are; through the index, where there is one that
    /// fits.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn read(directory: &StateDir, segments: &Segments, kind: &Action) -> Result<Self, StateError> {
        while_none_goes(segments, |segments| Self::read_once(directory, segments, kind, None))
    }

    /// The same with no more of each document than these fields: for one who looks through many and has little time.
    ///
    /// # Errors
    /// As [`Standing::read`].
    pub fn read_briefly(
        directory: &StateDir,
        segments: &Segments,
        kind: &Action,
        fields: &'static [&'static str],
    ) -> Result<Self, StateError> {
        while_none_goes(segments, |segments| Self::read_once(directory, segments, kind, Some(fields)))
    }

    fn read_once(
        directory: &StateDir,
        segments: &Segments,
        kind: &Action,
        fields: Option<&'static [&'static str]>,
    ) -> Result<Self, StateError> {
        let oldest = oldest(segments);
        let mut standing = Self { fields, read_to: oldest, oldest, ..Self::nothing(kind) };
        if let Some(known) = Known::of(directory, segments, kind) {
            standing.read_on(segments, Some(known.from))?;
            let mut lines = segments.lines();
            for seq in known.seqs {
                if let Some(record) = lines.at(seq).and_then(|line| record_of(&line, fields)) {
                    standing.take(seq, record);
                }
            }
            standing.read_to = known.to.max(oldest);
        }
        standing.read_on(segments, None)?;
        Ok(standing)
    }

    /// Whether something was deleted of the journal since it was first read: what ended there nobody says any more.
    #[must_use]
    pub fn is_outdated(&self, segments: &Segments) -> bool {
        oldest(segments) > self.oldest
    }

    /// Reads on, to the journal's end or to the line at `to`.
    ///
    /// # Errors
    /// As [`Standing::read`].
    pub fn read_on(&mut self, segments: &Segments, to: Option<u64>) -> Result<(), StateError> {
        let (kind, fields) = (self.kind.clone(), self.fields);
        let read = |line: &[u8]| may_be_of(&kind, line).then(|| record_of(line, fields)).flatten();
        self.read_to =
            each_standing_as(segments, self.read_to, to, read, |seq, record| self.take(seq, record))?;
        Ok(())
    }

    fn take(&mut self, seq: u64, record: Record) {
        let Some(key) = record.key.clone() else { return };
        if record.original_kind() != self.kind {
            return;
        }
        if record.ended {
            self.by_key.remove(&key);
        } else {
            self.by_key.insert(key, Stands { seq, record });
        }
    }

    /// What stands under a key.
    #[must_use]
    pub fn on(&self, key: &str) -> Option<&Stands> {
        self.by_key.get(key)
    }

    /// All that stand, by key.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Stands)> {
        self.by_key.iter().map(|(key, stands)| (key.as_str(), stands))
    }

    /// How many stand.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether none stands.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

/// The newest record of a kind on a key, also where it says that it has ended, as long as the index or the rest of the journal
/// that it does not cover knows it.
///
/// # Errors
/// As [`Standing::read`].
pub fn newest_on(
    directory: &StateDir,
    segments: &Segments,
    kind: &Action,
    key: &str,
) -> Result<Option<Stands>, StateError> {
    while_none_goes(segments, |segments| newest_within(directory, segments, kind, key))
}

fn newest_within(
    directory: &StateDir,
    segments: &Segments,
    kind: &Action,
    key: &str,
) -> Result<Option<Stands>, StateError> {
    let mut newest: Option<Stands> = None;
    let mut take = |seq: u64, record: Record| {
        if record.key.as_deref() == Some(key) && record.original_kind() == *kind {
            newest = Some(Stands { seq, record });
        }
    };
    let mut from = oldest(segments);
    if let Some(index) = usable_index(directory, segments)
        && let Ok(seqs) = index.on(Topic::standing(kind, key))
    {
        each_standing(segments, from, Some(index.header().standing_from), &mut take)?;
        let mut lines = segments.lines();
        for seq in seqs {
            if let Some(Line::Record(record)) = lines.at(seq).as_deref().map(Line::read) {
                take(seq, *record);
            }
        }
        from = index.header().end().max(from);
    }
    each_standing(segments, from, None, &mut take)?;
    Ok(newest)
}

/// The records that have to be carried on before the segments before some place are deleted.
#[derive(Debug)]
pub struct Old {
    first: u64,
    seqs: BTreeSet<u64>,
    read_to: u64,
}

impl Old {
    /// Those before the segment at `first`. `None` when nobody knows without reading the whole journal, and `through_index` asks
    /// for no more than a look at the index.
    ///
    /// # Errors
    /// As [`Standing::read`].
    pub fn before(
        directory: &StateDir,
        segments: &Segments,
        first: u64,
        through_index: bool,
    ) -> Result<Option<Self>, StateError> {
        let oldest = oldest(segments);
        let mut old = Self { first, seqs: BTreeSet::new(), read_to: oldest };
        let kinds = Action::KNOWN.iter().filter(|kind| is_original(kind));
        let known: Option<Vec<Known>> = kinds.map(|kind| Known::of(directory, segments, kind)).collect();
        match known {
            Some(known) => {
                let from = known.iter().map(|known| known.from).max().unwrap_or(oldest);
                if through_index && from > oldest {
                    return Ok(None);
                }
                old.read_on(segments, Some(from))?;
                old.seqs.extend(known.iter().flat_map(|known| &known.seqs).filter(|seq| **seq < first));
                old.read_to = known.iter().map(|known| known.to).min().unwrap_or(oldest).max(oldest);
            }
            None if through_index => return Ok(None),
            None => {}
        }
        old.read_on(segments, None)?;
        Ok(Some(old))
    }

    /// Takes out what was replaced since.
    ///
    /// # Errors
    /// As [`Standing::read`].
    pub fn read_on(&mut self, segments: &Segments, to: Option<u64>) -> Result<(), StateError> {
        let Self { first, seqs, read_to } = self;
        *read_to = each_standing(segments, *read_to, to, |seq, record| {
            record.of.iter().for_each(|of| {
                seqs.remove(of);
            });
            if seq < *first && !record.ended && record.key.is_some() {
                seqs.insert(seq);
            }
        })?;
        Ok(())
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seqs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    /// The bytes of their lines.
    #[must_use]
    pub fn bytes(&self, segments: &Segments) -> u64 {
        let mut lines = segments.lines();
        self.seqs.iter().filter_map(|seq| lines.at(*seq)).map(|line| line.len() as u64 + 1).sum()
    }

    /// The next ones in order, at most so many: where they lie, and their records. What can't be read is let go.
    pub fn take(&mut self, most: usize, segments: &Segments) -> Vec<(u64, Record)> {
        let mut lines = segments.lines();
        let mut taken = Vec::new();
        while taken.len() < most
            && let Some(seq) = self.seqs.pop_first()
        {
            if let Some(Line::Record(record)) = lines.at(seq).as_deref().map(Line::read) {
                taken.push((seq, *record));
            }
        }
        taken
    }
}

/// What the index knows of the records of a kind that stand.
struct Known {
    /// Those from here on.
    from: u64,
    /// Where they lie, in order.
    seqs: Vec<u64>,
    /// Up to here.
    to: u64,
}

impl Known {
    fn of(directory: &StateDir, segments: &Segments, kind: &Action) -> Option<Self> {
        let index = usable_index(directory, segments)?;
        let seqs = match index.standing(kind) {
            Ok(seqs) => seqs,
            Err(IndexCorrupt) => return None,
        };
        Some(Self { from: index.header().standing_from, seqs, to: index.header().end() })
    }
}

/// The index, if it is one of this journal.
fn usable_index(directory: &StateDir, segments: &Segments) -> Option<Index> {
    let index = Index::open(directory)?;
    index.header().is_bound_within(&mut segments.lines()).then_some(index)
}

/// What `look` finds in these segments; it looks once more where some of them were deleted meanwhile, as it may have met a record
/// and not the one that replaced it. What was carried on stands behind all of them.
fn while_none_goes<T>(
    segments: &Segments,
    look: impl Fn(&Segments) -> Result<T, StateError>,
) -> Result<T, StateError> {
    let mut segments = segments.clone();
    loop {
        let found = look(&segments)?;
        let disk = &segments.disk;
        let is_gone =
            |path: &PathBuf| disk.metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let gone = segments.closed.iter().take_while(|(_, path)| is_gone(path)).count();
        if gone == 0 {
            return Ok(found);
        }
        segments.closed = Arc::new(segments.closed.iter().skip(gone).cloned().collect());
    }
}

fn oldest(segments: &Segments) -> u64 {
    segments.closed.first().map_or(segments.active.0, |(base, _)| *base)
}

/// Whether records of this kind stand, and are not carried on others' behalf.
fn is_original(kind: &Action) -> bool {
    kind.spec().index == IndexedAs::Standing && *kind != Action::Carried
}

/// Hands out the records that stand or end from the line at `from` on, up to the one at `to`. Returns where to read on.
fn each_standing(
    segments: &Segments,
    from: u64,
    to: Option<u64>,
    each: impl FnMut(u64, Record),
) -> Result<u64, StateError> {
    let read = |line: &[u8]| may_stand(line).then(|| record_of(line, None)).flatten();
    each_standing_as(segments, from, to, read, each)
}

/// The same where `read` says which lines are wanted, and reads them.
fn each_standing_as(
    segments: &Segments,
    from: u64,
    to: Option<u64>,
    read: impl Fn(&[u8]) -> Option<Record>,
    mut each: impl FnMut(u64, Record),
) -> Result<u64, StateError> {
    if to.is_some_and(|to| to <= from) {
        return Ok(from);
    }
    let mut lines = Forward::from(segments, from)?;
    let mut next = from;
    while let Some((seq, line)) = lines.next_line()? {
        if to.is_some_and(|to| seq >= to) {
            return Ok(next);
        }
        next = lines.place().map_or(next, |(base, offset)| base + offset);
        if let Some(record) = read(&line) {
            each(seq, record);
        }
    }
    Ok(next)
}

/// The record of a line; of its document only `fields`, where they are said.
fn record_of(line: &[u8], fields: Option<&[&str]>) -> Option<Record> {
    // One that ends says it all in a few words.
    if let Some(brief) = fields.and_then(|fields| brief(line, fields)) {
        return Some(brief);
    }
    if let Line::Record(record) = Line::read(line) { Some(*record) } else { None }
}

/// Whether a line begins as that of a record does which stands: most need no more than this look.
fn may_stand(line: &[u8]) -> bool {
    Action::KNOWN.iter().any(|kind| kind.spec().index == IndexedAs::Standing && is_called(kind, line))
}

/// Whether it begins as one of this kind does, or as one that was carried on.
fn may_be_of(kind: &Action, line: &[u8]) -> bool {
    is_called(kind, line) || is_called(&Action::Carried, line)
}

fn is_called(kind: &Action, line: &[u8]) -> bool {
    let name = line.strip_prefix(OWN_START.as_bytes()).and_then(|rest| rest.strip_prefix(b"\""));
    let rest = name.and_then(|name| name.strip_prefix(kind.name().as_bytes()));
    rest.is_some_and(|rest| rest.starts_with(b"\""))
}
