//! Which closed segments may go: the window beats the size.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::model::error::StateError;
use crate::model::time::Stamp;
use crate::store::state_dir::StateDir;

use super::backward::Backward;
use super::segment_file::{ACTIVE, closed_segments};
use crate::record::Line;

/// What the journal is kept to.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// All segments together may have this many bytes.
    pub max_bytes: u64,
    /// A segment whose newest line is older than this goes, milliseconds.
    pub max_age_ms: u64,
    /// Nothing younger than this goes, whatever the size, milliseconds.
    pub keep_ms: u64,
}

/// Where the first segment begins that is to stay, when any goes: the oldest closed ones do while the journal, whose active
/// segment begins at `active`, is larger or older than `retention` wants it, but none that has a line within its `keep_ms`.
///
/// # Errors
/// When the directory can't be listed.
pub fn first_to_keep(
    directory: &StateDir,
    active: u64,
    retention: Retention,
    now: &Stamp,
) -> Result<Option<u64>, StateError> {
    let mut segments = closed_segments(directory)?;
    segments.retain(|(base, _)| *base < active);
    let size = |path: &Path| directory.disk.metadata(path).map_or(0, |metadata| metadata.size);
    let mut total: u64 =
        segments.iter().map(|(_, path)| size(path)).sum::<u64>() + size(&directory.path.join(ACTIVE));
    for (number, (base, path)) in segments.iter().enumerate() {
        let age_ms = newest_age_ms(directory, *base, path, now).unwrap_or(0);
        let unwanted = total > retention.max_bytes || age_ms > retention.max_age_ms;
        if !unwanted || age_ms <= retention.keep_ms {
            // Segments are in order: what follows is younger.
            return Ok((number > 0).then_some(*base));
        }
        total = total.saturating_sub(size(path));
    }
    Ok((!segments.is_empty()).then_some(active))
}

/// Deletes the closed segments that begin before `first`, as the journal must say by then: else they were lost. Returns how
/// many went.
///
/// # Errors
/// When the directory can't be listed or a file can't be deleted.
pub fn delete_before(directory: &StateDir, first: u64) -> Result<usize, StateError> {
    let mut gone = 0;
    for (_, path) in closed_segments(directory)?.into_iter().take_while(|(base, _)| *base < first) {
        match directory.disk.remove(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StateError::io("delete", &path, source));
            }
            _ => gone += 1,
        }
    }
    Ok(gone)
}

/// How long ago the segment's last line was written; by the file's own time where no line says it. The younger of
/// the last two counts: the time of one alone may be damaged.
pub(crate) fn newest_age_ms(directory: &StateDir, base: u64, path: &Path, now: &Stamp) -> Option<u64> {
    let mut lines = Backward::new(&directory.disk, None, Arc::new(vec![(base, path.to_owned())]));
    let mut ages = Vec::new();
    while ages.len() < 2
        && let Ok(Some((_, line))) = lines.next_line()
    {
        ages.extend(Line::stamp(&line).map(|stamp| stamp.age_ms(now)));
    }
    ages.into_iter().min().or_else(|| {
        let metadata = directory.disk.metadata(path).ok()?;
        Some(Stamp { wall_ms: metadata.modified_ms, ..Stamp::default() }.age_ms(now))
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::fs;

    use super::*;
    use crate::record::{Action, Record};

    const NOW: Stamp = Stamp { wall_ms: 1_800_000_000_000, up_ms: 900_000_000, boot: Some(7) };
    const ALL: Retention = Retention { max_bytes: u64::MAX, max_age_ms: u64::MAX, keep_ms: 0 };

    fn line(age_ms: u64) -> Vec<u8> {
        let now =
            Stamp { wall_ms: NOW.wall_ms - i64::try_from(age_ms).unwrap(), up_ms: NOW.up_ms - age_ms, ..NOW };
        Record::new(Action::Seen, "home", &now).to_line().unwrap()
    }

    fn prune(directory: &StateDir, retention: Retention, now: &Stamp) -> usize {
        let first = first_to_keep(directory, u64::MAX, retention, now).unwrap();
        first.map_or(0, |first| delete_before(directory, first).unwrap())
    }

    /// The bases of the closed segments that are left; each was as old as it says, the last one is the active one.
    fn left(segments: &[&[u64]], retention: impl FnOnce(u64) -> Retention) -> (Vec<u64>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let directory = StateDir::new(folder.path().to_owned());
        for (number, ages) in segments.iter().enumerate() {
            let last = number + 1 == segments.len();
            let name = if last { ACTIVE.to_owned() } else { format!("journal.{number}.jsonl") };
            let lines: Vec<Vec<u8>> = ages.iter().map(|age_ms| line(*age_ms)).collect();
            fs::write(folder.path().join(name), lines.concat()).unwrap();
        }
        let gone = prune(&directory, retention(line(0).len() as u64), &NOW);
        (closed_segments(&directory).unwrap().into_iter().map(|(base, _)| base).collect(), gone)
    }

    #[test]
    fn the_oldest_segments_go_while_all_of_them_are_too_large() {
        let segments: [&[u64]; 4] = [&[40, 40], &[30, 30], &[20, 20], &[10]];
        for (lines, expected) in
            [(7, &[0, 1, 2][..]), (6, &[1, 2]), (5, &[1, 2]), (4, &[2]), (3, &[2]), (2, &[]), (0, &[])]
        {
            let (left, gone) = left(&segments, |line| Retention { max_bytes: lines * line, ..ALL });
            assert_eq!((left.as_slice(), gone), (expected, 3 - expected.len()), "{lines} lines");
        }
    }

    #[test]
    fn what_is_too_old_goes_and_nothing_that_is_to_be_kept() {
        let segments: [&[u64]; 4] = [&[50, 40], &[40, 30], &[30, 20], &[10]];
        for (max_age_ms, expected) in
            [(41, &[0, 1, 2][..]), (40, &[0, 1, 2]), (39, &[1, 2]), (30, &[1, 2]), (29, &[2]), (0, &[])]
        {
            let (left, _) = left(&segments, |_| Retention { max_age_ms, ..ALL });
            assert_eq!(left, expected, "older than {max_age_ms}");
        }
        for (keep_ms, expected) in [(40, &[0, 1, 2][..]), (39, &[1, 2]), (30, &[1, 2]), (29, &[2]), (19, &[])]
        {
            let (left, _) = left(&segments, |_| Retention { max_bytes: 0, max_age_ms: 0, keep_ms });
            assert_eq!(left, expected, "keeps {keep_ms}");
        }
    }

    #[test]
    fn a_segments_age_is_that_of_the_younger_of_its_last_two_lines_that_say_one() {
        let goes =
            |ages: &[u64], limit: u64| left(&[ages, &[0]], |_| Retention { max_age_ms: limit, ..ALL }).1 == 1;
        assert!(goes(&[5, 60, 50], 49) && !goes(&[5, 60, 50], 50));
        assert!(goes(&[5, 50, 60], 49) && !goes(&[5, 50, 60], 50));
        assert!(goes(&[50], 49) && !goes(&[50], 50));
        // Where no line says it, the file's own time counts: it was written just now.
        let hour = Retention { max_age_ms: 3_600_000, ..ALL };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.0.jsonl");
        fs::write(&path, "torn\n").unwrap();
        let directory = StateDir::new(folder.path().to_owned());
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        let written = written.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
        let at = |ms: u64| Stamp { wall_ms: i64::try_from(written).unwrap(), ..Stamp::default() }.plus_ms(ms);
        assert_eq!(prune(&directory, hour, &at(3_599_000)), 0);
        assert_eq!(prune(&directory, hour, &at(3_601_000)), 1);
    }
}
