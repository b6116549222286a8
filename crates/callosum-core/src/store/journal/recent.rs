//! What the journal says within a window, read from its end.

use std::cell::LazyCell;
use std::time::Instant;

use memchr::memmem::{self, Finder};

use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::journal::backward::Backward;

use super::order::Order;
use super::segment_file::SegmentFile;
use super::segments::Segments;
use crate::record::kind::Fold;
use crate::record::light::SeenCounts;
use crate::record::{Action, Line, OWN_START, Record};

/// Reading back goes this much further than the window, milliseconds: lines of several processes are in
/// the order they were written, not quite in that of their times.
pub const SLACK_MS: u64 = 60_000;
/// Of light lines only every so many is looked at for its time.
const LIGHT_STRIDE: u64 = 64;

/// The records of a window.
#[derive(Debug, Default)]
pub struct Recent {
    /// Sequence numbers and records, oldest first. From before the window there are only the `rules` and `pruned`
    /// records of the active segment: how far back other processes look, and how far back there are segments.
    pub records: Vec<(u64, Box<Record>)>,
    /// The hook counts of lines of tier 0 and 1, newest first.
    pub counted: Vec<SeenCounts>,
    /// Torn and foreign lines met.
    pub skipped: u64,
    /// The highest format met that is newer than ours.
    pub newer_format: Option<u32>,
    /// The offset in the active segment up to which its lines were read.
    pub read: u64,
    /// When the last of the records was written: what follows is no older.
    pub order: Order,
    /// Lines of the active segment lie elsewhere than others say: something before them is gone.
    pub is_displaced: bool,
}

/// Of another boot so many lines in a row must be older than the window before it is left: its clock may have been wrong.
const OTHER_BOOT_LINES: u32 = 64;

/// Tells, line by line and going back, when the window has been left: at the second line of this boot in a row that is older.
/// The time of one alone may be damaged, and must not hide what stands before it. A clock that was behind before the machine
/// booted again dates more of them wrong.
#[derive(Debug)]
pub(crate) struct Edge {
    edge_ms: u64,
    light: u64,
    /// How many of the last lines that say their time, in a row, are older than the window; of this boot each counts as the
    /// half of them all.
    old: u32,
    beyond: bool,
}

impl Edge {
    /// The edge of a window of so many milliseconds.
    pub(crate) fn new(window_ms: u64) -> Self {
        Self { edge_ms: window_ms.saturating_add(SLACK_MS), light: 0, old: 0, beyond: false }
    }

    /// Whether the window was left with this line or before.
    pub(crate) fn is_beyond(&mut self, line: &Line, bytes: &[u8], now: &Stamp) -> bool {
        let stamp = match line {
            Line::Record(record) => Some(record.stamp()),
            Line::Newer(_) => newer_stamp(bytes),
            Line::Light | Line::Counted(_) => {
                self.light += 1;
                (self.light % LIGHT_STRIDE == 1).then(|| Line::stamp(bytes)).flatten()
            }
            Line::Foreign | Line::Blank => None,
        };
        if let Some(stamp) = stamp {
            let is_of_this_boot = stamp.boot == now.boot;
            let counts = if is_of_this_boot { OTHER_BOOT_LINES / 2 } else { 1 };
            self.old = if self.is_old(&stamp, now) { self.old.saturating_add(counts) } else { 0 };
            self.beyond = self.beyond || self.old >= OTHER_BOOT_LINES;
        }
        self.beyond
    }

    fn is_old(&self, stamp: &Stamp, now: &Stamp) -> bool {
        stamp.age_ms(now) > self.edge_ms
    }

    /// Whether a line of a newer format counts: as long as it may be within the window.
    fn counts(&self, newer: &[u8], now: &Stamp) -> bool {
        newer_stamp(newer).is_none_or(|stamp| !self.is_old(&stamp, now))
    }
}

/// When a line of a newer format was written, if it says so as this format does; a number may count anything there.
fn newer_stamp(bytes: &[u8]) -> Option<Stamp> {
    memmem::find(bytes, br#""timestamp":""#).and_then(|_| Line::stamp(bytes))
}

/// Whether records of this kind are wanted from before the window: they say how far back others look, or from where on segments are
/// kept.
fn says_what_is_kept(action: &Action) -> bool {
    match action.spec().fold {
        Fold::Window | Fold::Prune => true,
        Fold::Start
        | Fold::Outcome(_)
        | Fold::Background
        | Fold::Release
        | Fold::Renewal
        | Fold::Pause
        | Fold::Place
        | Fold::Delivery
        | Fold::Segment
        | Fold::Loss
        | Fold::Nothing => false,
    }
}

/// What stands in lines of which one may be such a record.
fn kept_kinds() -> Vec<Finder<'static>> {
    let kinds = Action::KNOWN.iter().filter(|kind| says_what_is_kept(kind));
    kinds.map(|kind| Finder::new(&format!(r#""action":"{}""#, kind.name())).into_owned()).collect()
}

/// Reads `segments` back until its lines are older than `window_ms`.
///
/// # Errors
/// [`StateError::Unread`] when that would take longer than `until`. When the system refuses to read.
pub fn read_back(
    segments: &Segments,
    window_ms: u64,
    until: Option<Instant>,
    now: &Stamp,
) -> Result<Recent, StateError> {
    let active_base = segments.active.0;
    let mut recent = Recent::default();
    let mut lines = Backward::of(segments).stopping(until);
    let mut edge = Edge::new(window_ms);
    let (mut first, mut beyond) = (true, false);
    let kept = LazyCell::new(kept_kinds);
    while let Some((seq, bytes)) = lines.next_line()? {
        if std::mem::take(&mut first) && seq >= active_base {
            if matches!(&Line::read(&bytes), Line::Record(record) if record.action == Action::Closed) {
                // A rotation was cut off here: whoever reads on must meet this line.
                recent.read = seq - active_base;
                continue;
            }
            recent.read = seq + bytes.len() as u64 + 1 - active_base;
        }
        if beyond {
            if seq < active_base {
                break;
            }
            if !kept.iter().any(|kind| kind.find(&bytes).is_some()) {
                continue;
            }
        }
        let line = Line::read_without_document(&bytes);
        beyond = edge.is_beyond(&line, &bytes, now);
        match line {
            Line::Record(record) if !beyond || says_what_is_kept(&record.action) => {
                recent.records.push((seq, record));
            }
            Line::Counted(counted) if !beyond => recent.counted.push(counted),
            Line::Foreign => recent.skipped += 1,
            Line::Newer(version) if edge.counts(&bytes, now) => {
                recent.newer_format = recent.newer_format.max(Some(version));
            }
            Line::Record(_) | Line::Light | Line::Counted(_) | Line::Newer(_) | Line::Blank => {}
        }
    }
    recent.records.reverse();
    recent.is_displaced = is_displaced(segments, &recent.records)?;
    let mut stamps: Vec<Stamp> = recent.records.iter().map(|(_, record)| record.stamp()).collect();
    recent.order.correct_all(&mut stamps, now);
    for ((_, record), stamp) in recent.records.iter_mut().zip(stamps) {
        if record.stamp() != stamp {
            record.correct_stamp(&stamp);
        }
    }
    Ok(recent)
}

/// At least this many records must name a place in the active segment where no line begins: one alone may be damaged.
const DISPLACED: usize = 2;
/// More than this number of such places is not looked at.
const MAX_LOOKS: usize = 64;

/// Whether records of the active segment name lines of it that lie elsewhere. What stands before the last `lost` line was told
/// then.
fn is_displaced(segments: &Segments, records: &[(u64, Box<Record>)]) -> Result<bool, StateError> {
    let (base, file) = &segments.active;
    let told =
        records.iter().rposition(|(_, record)| record.action == Action::Lost).map_or(0, |told| told + 1);
    let (mut displaced, mut looks) = (0, 0);
    for (seq, record) in records.get(told..).unwrap_or_default() {
        let shown = record.evidence.iter().map(|shown| shown.seq);
        let of = record.of.iter().copied().filter(|_| names_its_start(&record.action));
        for named in of.chain(shown).filter(|named| base <= named) {
            if named >= *seq {
                displaced += 1;
                break;
            }
            if let Ok(place) = records.binary_search_by_key(&named, |(seq, _)| *seq) {
                // Of lines that are equally long, another one begins there.
                if records.get(place).is_some_and(|(_, named)| !can_be_named(named)) {
                    displaced += 1;
                    break;
                }
                continue;
            }
            looks += 1;
            if looks > MAX_LOOKS {
                return Ok(false);
            }
            if !begins_line(file, named - base)? {
                displaced += 1;
                break;
            }
        }
        if displaced == DISPLACED {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether such a record names the action it is about. A pause that was lost may still be told as delivered.
fn names_its_start(action: &Action) -> bool {
    action.spec().fold.follows_a_start()
}

/// Whether other records name such a one: an action, or a pause.
fn can_be_named(record: &Record) -> bool {
    let may_be = match record.action.spec().fold {
        Fold::Start | Fold::Pause => true,
        // What a newer version writes may be an action there.
        Fold::Nothing => matches!(record.action, Action::Other(_)),
        Fold::Outcome(_)
        | Fold::Background
        | Fold::Release
        | Fold::Renewal
        | Fold::Place
        | Fold::Delivery
        | Fold::Window
        | Fold::Segment
        | Fold::Prune
        | Fold::Loss => false,
    };
    record.v == 0 || may_be
}

/// Whether a line begins at `offset`: behind a newline, or like one of ours where that is damaged.
fn begins_line(file: &SegmentFile, offset: u64) -> Result<bool, StateError> {
    let mut bytes = vec![0; OWN_START.len() + 1];
    let got = file.read_at(&mut bytes, offset.saturating_sub(1))?;
    let (before, at) = bytes.get(..got).unwrap_or_default().split_at(usize::from(offset > 0).min(got));
    Ok(offset == 0 || before == b"\n" || at == OWN_START.as_bytes())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::model::tier::Tier;
    use crate::store::disk::{Disk, OpenMode, SystemDisk};

    const WINDOW_MS: u64 = 600_000;

    fn now() -> Stamp {
        Stamp { wall_ms: 1_800_000_000_000, up_ms: 900_000_000, boot: Some(7) }
    }

    /// A moment so many milliseconds before now.
    fn ago(ms: u64) -> Stamp {
        let now = now();
        Stamp { wall_ms: now.wall_ms.checked_sub_unsigned(ms).unwrap(), up_ms: now.up_ms - ms, ..now }
    }

    fn line(action: Action, tier: Tier, age_ms: u64) -> Vec<u8> {
        let mut record = Record::new(action, "home", &ago(age_ms));
        record.tier = Some(tier);
        record.to_line().unwrap()
    }

    fn is_beyond(edge: &mut Edge, bytes: &[u8]) -> bool {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        edge.is_beyond(&Line::read(bytes), bytes, &now())
    }

    #[test]
    fn the_window_is_left_at_the_second_old_line_in_a_row() {
        let at = |age_ms| line(Action::Intercept, Tier::High, age_ms);
        let (on_edge, old) = (at(WINDOW_MS + SLACK_MS), at(WINDOW_MS + SLACK_MS + 1));
        let mut edge = Edge::new(WINDOW_MS);
        assert!(
            ![&on_edge, &on_edge, &old, &on_edge, &old].into_iter().any(|line| is_beyond(&mut edge, line))
        );
        assert!(is_beyond(&mut edge, &old));
        // It stays left, whatever comes.
        assert!(is_beyond(&mut edge, &at(0)) && is_beyond(&mut edge, b"torn"));
        let mut edge = Edge::new(WINDOW_MS);
        assert!(!is_beyond(&mut edge, &old));
        // What says no time neither leaves the window nor keeps within it.
        assert!(!is_beyond(&mut edge, b"torn") && !is_beyond(&mut edge, b"") && is_beyond(&mut edge, &old));
    }

    #[test]
    fn light_lines_are_looked_at_now_and_then_and_newer_ones_always() {
        let old = WINDOW_MS + SLACK_MS + 1;
        let light = line(Action::Intercept, Tier::Low, old);
        let mut edge = Edge::new(WINDOW_MS);
        let left = (1..=200).position(|_| is_beyond(&mut edge, &light));
        assert_eq!(left, Some(usize::try_from(LIGHT_STRIDE).unwrap()));
        // The first is one of them.
        let mut edge = Edge::new(WINDOW_MS);
        assert!(!is_beyond(&mut edge, &light));
        assert!(is_beyond(&mut edge, &line(Action::Intercept, Tier::High, old)));

        let newer = String::from_utf8(line(Action::Intercept, Tier::High, old))
            .unwrap()
            .replace("\"v\":1", "\"v\":9");
        let mut edge = Edge::new(WINDOW_MS);
        assert!(!is_beyond(&mut edge, newer.as_bytes()) && is_beyond(&mut edge, newer.as_bytes()));
    }

    /// Reads the last `WINDOW_MS` of a journal with one closed and one active segment.
    fn read(closed: &[Vec<u8>], active: &[Vec<u8>]) -> Recent {
        let directory = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        let paths = [directory.path().join("journal.0.jsonl"), directory.path().join("journal.jsonl")];
        let base = closed.concat().len() as u64;
        fs::write(&paths[0], closed.concat()).unwrap();
        fs::write(&paths[1], active.concat()).unwrap();
        let file = SegmentFile::open(&disk, paths[1].clone(), OpenMode::Read).unwrap();
        let segments =
            Segments { closed: Arc::new(vec![(0, paths[0].clone())]), active: (base, Arc::new(file)), disk };
        read_back(&segments, WINDOW_MS, None, &now()).unwrap()
    }

    fn ages(recent: &Recent) -> Vec<(u64, Action)> {
        recent
            .records
            .iter()
            .map(|(_, record)| (record.stamp().age_ms(&now()), record.action.clone()))
            .collect()
    }

    #[test]
    fn what_lies_before_the_window_is_not_read_but_the_windows_of_others() {
        let old = WINDOW_MS + SLACK_MS + 1;
        let mail = |age_ms| line(Action::Intercept, Tier::High, age_ms);
        let rules = |age_ms| line(Action::Rules, Tier::None, age_ms);
        let torn = || b"torn\n".to_vec();
        let active =
            [mail(old + 4), rules(old + 3), torn(), mail(old + 2), mail(old + 1), mail(old), mail(5)];
        let closed = [mail(old + 9), rules(old + 8)];
        let recent = read(&closed, &active);
        // The first old one is still taken: one alone may be damaged. The torn line before the window was not looked at.
        let expected = [(old + 3, Action::Rules), (old, Action::Intercept), (5, Action::Intercept)];
        assert_eq!(ages(&recent), expected);
        assert_eq!((recent.skipped, recent.newer_format), (0, None));
        assert_eq!(recent.read, active.concat().len() as u64);
        let first = recent.records.last().unwrap().0;
        assert_eq!(first, (closed.concat().len() + active[..6].concat().len()) as u64);
    }

    #[test]
    fn what_lies_in_segments_before_the_window_is_not_even_looked_at() {
        let directory = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(SystemDisk);
        // It can be opened, and not be read.
        let closed = directory.path().join("journal.0.jsonl");
        fs::create_dir(&closed).unwrap();
        let path = directory.path().join("journal.jsonl");
        let mail = |age_ms| line(Action::Intercept, Tier::High, age_ms);
        let read = |closed: &[(u64, std::path::PathBuf)], lines: &[Vec<u8>]| {
            let older = directory.path().join("journal.100.jsonl");
            fs::write(&older, [3, 2].map(|more| mail(WINDOW_MS + SLACK_MS + more)).concat()).unwrap();
            fs::write(&path, lines.concat()).unwrap();
            let file = SegmentFile::open(&disk, path.clone(), OpenMode::Read).unwrap();
            let closed = Arc::new([closed, &[(100, older)]].concat());
            let segments = Segments { closed, active: (1_000, Arc::new(file)), disk: Arc::clone(&disk) };
            read_back(&segments, WINDOW_MS, None, &now()).map(|recent| ages(&recent).len())
        };
        let old = mail(WINDOW_MS + SLACK_MS + 1);
        assert_eq!(read(&[(0, closed.clone())], &[old, mail(5)]).unwrap(), 2);
        assert!(read(&[(0, closed)], &[mail(5)]).is_err());
    }

    #[test]
    fn all_of_a_window_is_read_over_both_segments_and_newer_lines_count_within_it() {
        let mail = |age_ms| line(Action::Intercept, Tier::High, age_ms);
        let newer = |age_ms| {
            let text = String::from_utf8(mail(age_ms)).unwrap();
            text.replace("\"v\":1", "\"v\":9").into_bytes()
        };
        let recent = read(&[mail(9), b"torn\n".to_vec(), mail(8)], &[mail(7), newer(6)]);
        assert_eq!(ages(&recent).iter().map(|(age, _)| *age).collect::<Vec<_>>(), [9, 8, 7]);
        assert_eq!((recent.skipped, recent.newer_format), (1, Some(9)));
        let old = WINDOW_MS + SLACK_MS + 1;
        assert_eq!(read(&[], &[newer(old), mail(5)]).newer_format, None);
    }

    #[test]
    fn whoever_reads_on_meets_the_closing_line_of_a_rotation_that_was_cut_off() {
        let mail = line(Action::Intercept, Tier::High, 5);
        let recent = read(&[], &[mail.clone(), line(Action::Closed, Tier::None, 4)]);
        assert_eq!(recent.read, mail.len() as u64);
        let recent = read(std::slice::from_ref(&mail), &[mail.clone(), line(Action::Closed, Tier::None, 4)]);
        assert_eq!((recent.read, recent.records.len()), (mail.len() as u64, 2));
        // A closing line counts as one only at the very end of the file.
        let more = [mail.clone(), line(Action::Closed, Tier::None, 4), mail.clone()];
        assert_eq!(read(&[], &more).read, more.concat().len() as u64);
    }
}
