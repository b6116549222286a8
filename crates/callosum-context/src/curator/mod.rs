//! The curator: makes a day's roundtable and cross signals of what lies in the folder and in the journal, and takes over into
//! `priorities.md` what agents propose. It is code of ours that runs by command; it asks no model and sends nothing. Where
//! the settings want it, it tells what a model is to be asked, and takes the answer.
//!
//! Whatever it writes is made of its inputs alone, moments too: equal inputs write nothing, and a run that was killed is finished by the
//! next one.

mod activity;
mod archive;
mod checkpoint;
mod claims;
mod day;
mod files;
mod items;
mod merge;
mod roundtable;
mod week;

pub use items::Skipped;
pub(crate) use week::candidates;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use callosum_core::model::time::Stamp;
use callosum_core::query::Source;
use callosum_core::store::disk::Disk;
use serde::Serialize;

use crate::days::{Day, Week, Zone};
use crate::error::Problem;
use crate::folder::Folder;
use crate::layout;
use crate::lock::{self, Lock};
use crate::prune::{Pruned, prune};
use crate::registry::home_of;
use crate::signals::{Answer, Document, Patterns, Question, Window};
use crate::tend::Tender;

use self::checkpoint::Checkpoint;
use self::day::{Made, Place};
use self::files::Files;
use self::items::Told;
use self::merge::Terms;

/// The lock of its runs, beside the shadows of the shared context.
const LOCK: &str = "curator.lock";
/// How long a run waits for another.
const PATIENCE: Duration = Duration::from_secs(60);
/// Days that are made up for at most, today counted.
const MOST_DAYS: u64 = 7;

/// What the curator works on.
pub struct Curator<'a> {
    /// The shared context.
    pub folder: &'a Folder,
    /// The state directory.
    pub state_dir: &'a Path,
    /// The file system that it writes to.
    pub disk: Arc<dyn Disk>,
    /// Who can be asked about the journal.
    pub journal: &'a dyn Source,
    /// Whose days are counted.
    pub zone: Zone,
    /// Agents whose proposals go under `Current`.
    pub trusted: BTreeSet<String>,
    /// About how many names of a day a model may be asked; 0 where none is asked. Whoever runs the curator asks it, and tells what it
    /// said by [`Curator::answered`].
    pub max_candidates: usize,
    /// The time.
    pub now: Stamp,
    /// Nothing is written; what would be is told all the same.
    pub is_dry: bool,
    /// Looks at the protected files, before any is written.
    pub look: &'a dyn Fn(&mut Tender) -> Result<(), Problem>,
}

impl fmt::Debug for Curator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curator")
            .field("folder", &self.folder)
            .field("state_dir", &self.state_dir)
            .finish_non_exhaustive()
    }
}

/// What a run did: of a day, or of a week with its last day.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The day.
    pub date: String,
    /// Whose day that is: a name of the IANA database, or `system`.
    pub timezone: String,
    /// Which part of the journal was read.
    pub window: Window,
    /// It is not over yet.
    pub partial: bool,
    /// The files that were changed, below the folder.
    pub changed: Vec<String>,
    /// The ids of what was taken over into the priorities.
    pub merged: Vec<String>,
    /// The files that were read, below the folder.
    pub inputs: Vec<String>,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
    /// Days before that were made up for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Report>,
    /// What a model is to be asked about these days.
    #[serde(skip)]
    pub questions: Vec<Question>,
}

impl Curator<'_> {
    /// Makes the documents of `date`, without one of every day since the last run, takes over what is proposed, and puts away what is
    /// old.
    ///
    /// # Errors
    /// When the folder or the journal can't be read, or the folder can't be written. The next run finishes what was begun.
    pub fn daily(&self, date: Option<Day>) -> Result<Report, Problem> {
        let patterns = patterns()?;
        let place = self.place(&patterns);
        let today = place.today();
        self.check(date, today)?;
        let _held = self.hold()?;
        let home = home_of(self.state_dir, self.folder.root());
        let mut checkpoint = Checkpoint::read(&home)?;
        let (feedback, bad) = items::feedback(self.folder)?;
        let (mut reports, mut questions) = (Vec::new(), Vec::new());
        let days = date.map_or_else(|| due(&checkpoint, today), |date| vec![date]);
        for &day in &days {
            let mut made = day::make(&place, day, &feedback)?;
            questions.extend(made.question.take());
            let changed = self.write(&made.files)?;
            reports.push(self.report(made, changed));
        }
        let Some(mut report) = reports.pop() else { return Err(self.no_such_day(today)) };
        let weeks: BTreeSet<Week> = days.iter().map(|day| day.week()).collect();
        for week in weeks {
            if let Some(kept) = self.feedback_of(&feedback, week)? {
                report.changed.extend(self.write(&[kept])?);
            }
        }
        let mut tender = self.tend()?;
        // A dry run writes nothing there, and the folder may be missing.
        let state = if self.is_dry { self.folder.clone() } else { Folder::open(&home)? };
        let mut state = self.files(&state);
        let mut files = self.files(self.folder);
        if let Some(tender) = &mut tender {
            archive::archive(&mut files, tender, &checkpoint, self.zone, today)?;
        }
        let terms = Terms { look: self.look, trusted: &self.trusted, today, now_ms: self.now.wall_ms };
        let merged = merge::merge(&mut files, &mut state, &mut tender, &mut checkpoint, &terms)?;
        if date.is_none() {
            checkpoint.day = Some(today.to_string());
        }
        checkpoint.forget(today);
        checkpoint.write(&mut state)?;
        for (from, to) in &merged.archived {
            files.rename(from, to)?;
        }
        report.changed.append(&mut files.changed);
        if let Some(tender) = &mut tender {
            let Pruned { archived, deleted } = prune(tender, self.zone, self.now.wall_ms, false)?;
            let gone = archived.into_iter().chain(deleted);
            report.changed.extend(gone.map(|path| path.to_string_lossy().into_owned()));
        }
        done(tender)?;
        report.merged = merged.merged;
        report.inputs.extend(merged.inputs);
        report.skipped.extend(merged.skipped);
        if bad > 0 {
            report.skipped.push(no_feedback(bad));
        }
        (report.before, report.questions) = (reports, questions);
        Ok(report)
    }

    /// Makes the cross signals of `date`, without one of today; and tells what a model is to be asked about them.
    ///
    /// # Errors
    /// As [`Curator::daily`].
    pub fn signals(&self, date: Option<Day>) -> Result<(Document, Option<Question>), Problem> {
        let patterns = patterns()?;
        let place = self.place(&patterns);
        self.check(date, place.today())?;
        let _held = self.hold()?;
        let (feedback, _) = items::feedback(self.folder)?;
        let mut made = day::make(&place, date.unwrap_or_else(|| place.today()), &feedback)?;
        // The roundtable is the curator's daily work.
        made.files.retain(|(path, _)| path.starts_with(layout::SIGNALS));
        self.write(&made.files)?;
        Ok((made.document, made.question))
    }

    /// Takes what a model said about the signals of a day with these inputs. Where they are others by now, nothing is done with it.
    ///
    /// # Errors
    /// As [`Curator::daily`].
    pub fn answered(&self, date: Day, input_digest: &str, answer: &Answer) -> Result<Document, Problem> {
        let patterns = patterns()?;
        let place = Place { answer: Some((input_digest, answer)), ..self.place(&patterns) };
        self.check(Some(date), place.today())?;
        let _held = self.hold()?;
        let (feedback, _) = items::feedback(self.folder)?;
        let mut made = day::make(&place, date, &feedback)?;
        let roundtable = layout::roundtable(date);
        let is_there = self.folder.read(&roundtable).is_ok_and(|known| known.is_some());
        made.files.retain(|(path, _)| is_there || *path != roundtable);
        self.write(&made.files)?;
        Ok(made.document)
    }

    /// Makes the report of the week of `date`, without one of this week.
    ///
    /// # Errors
    /// As [`Curator::daily`].
    pub fn weekly(&self, date: Option<Day>) -> Result<Report, Problem> {
        let patterns = patterns()?;
        let place = self.place(&patterns);
        let today = place.today();
        self.check(date, today)?;
        let _held = self.hold()?;
        let week = date.unwrap_or(today).week();
        let from = week.first_day();
        let to = (0..7).fold(from, |day, _| day.next());
        let activity = place.activity(from, to)?;
        let (told, bad) = items::feedback(self.folder)?;
        let of_week = |told: &Told| told.day(self.zone).is_some_and(|day| day.week() == week);
        let told: Vec<Told> = told.into_iter().filter(of_week).collect();
        let partial = today < to;
        let text = week::weekly(week, partial, &activity, &told);
        let changed = self.write(&[(layout::weekly(week), text.into_bytes())])?;
        Ok(Report {
            date: to.before(1).to_string(),
            timezone: self.zone.name(),
            window: activity.window,
            partial,
            changed,
            merged: Vec::new(),
            inputs: if told.is_empty() { Vec::new() } else { vec![layout::FEEDBACK_INBOX.to_owned()] },
            skipped: (bad > 0).then(|| no_feedback(bad)).into_iter().collect(),
            before: Vec::new(),
            questions: Vec::new(),
        })
    }

    fn place<'p>(&'p self, patterns: &'p Patterns) -> Place<'p> {
        Place {
            folder: self.folder,
            journal: self.journal,
            patterns,
            zone: self.zone,
            now: self.now,
            max_candidates: self.max_candidates,
            answer: None,
        }
    }

    fn files<'f>(&'f self, folder: &'f Folder) -> Files<'f> {
        Files { disk: &*self.disk, folder, is_dry: self.is_dry, changed: Vec::new() }
    }

    /// Takes the folder into care and looks at it. A dry run leaves no trace.
    fn tend(&self) -> Result<Option<Tender>, Problem> {
        if self.is_dry {
            return Ok(None);
        }
        let mut tender = Tender::of(self.folder.clone(), self.state_dir, lock::PATIENCE)?;
        (self.look)(&mut tender)?;
        Ok(Some(tender))
    }

    /// Writes files of the curator's; those that were changed.
    fn write(&self, wanted: &[(PathBuf, Vec<u8>)]) -> Result<Vec<String>, Problem> {
        let mut tender = self.tend()?;
        let mut files = self.files(self.folder);
        for (path, bytes) in wanted {
            files.replace(path, bytes)?;
            // Also one that was not changed: a run that was killed may have written it.
            if let Some(tender) = &mut tender {
                tender.wrote(&path.to_string_lossy(), bytes)?;
            }
        }
        done(tender)?;
        Ok(files.changed)
    }

    /// Nobody else curates meanwhile. The folder's own lock is only taken to write: others wait for that.
    fn hold(&self) -> Result<Option<Lock>, Problem> {
        self.folder.check()?;
        if self.is_dry {
            return Ok(None);
        }
        Lock::take(&home_of(self.state_dir, self.folder.root()).join(LOCK), PATIENCE).map(Some)
    }

    fn check(&self, date: Option<Day>, today: Day) -> Result<(), Problem> {
        match date {
            Some(date) if date > today => Err(self.no_such_day(date)),
            _ => Ok(()),
        }
    }

    fn no_such_day(&self, day: Day) -> Problem {
        Problem::input(
            format!("{day} has not begun in the time zone `{}`", self.zone.name()),
            "give today's date, or an earlier one",
        )
    }

    /// The feedback of a week, once more in a file of its own: what is there already, and behind it what is new. `None` where there is
    /// none.
    fn feedback_of(&self, told: &[Told], week: Week) -> Result<Option<(PathBuf, Vec<u8>)>, Problem> {
        let path = layout::feedback(week);
        let mut text = self.folder.read_text(&path)?.unwrap_or_default();
        let known: BTreeSet<&str> = text.lines().collect();
        let new = told.iter().filter(|told| told.day(self.zone).is_some_and(|day| day.week() == week));
        let new: Vec<&str> =
            new.map(|told| told.line.as_str()).filter(|line| !known.contains(line)).collect();
        if !new.is_empty() && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        new.iter().for_each(|line| text.extend([line, "\n"]));
        Ok((!text.is_empty()).then(|| (path, text.into_bytes())))
    }

    fn report(&self, made: Made, changed: Vec<String>) -> Report {
        Report {
            date: made.day.to_string(),
            timezone: self.zone.name(),
            window: made.window,
            partial: made.is_partial,
            changed,
            merged: Vec::new(),
            inputs: made.inputs,
            skipped: made.skipped,
            before: Vec::new(),
            questions: Vec::new(),
        }
    }
}

/// The days that are to be made: from the one that was not over at the last run, or yesterday, to today.
fn due(checkpoint: &Checkpoint, today: Day) -> Vec<Day> {
    let last = checkpoint.day.as_deref().and_then(|day| Day::parse(day).ok());
    let first = last.unwrap_or_else(|| today.before(1)).clamp(today.before(MOST_DAYS - 1), today);
    std::iter::successors(Some(first), |day| (*day < today).then(|| day.next())).collect()
}

/// Writes down what the looks found.
fn done(tender: Option<Tender>) -> Result<(), Problem> {
    tender.map_or(Ok(()), |mut tender| tender.save())
}

fn no_feedback(lines: usize) -> Skipped {
    Skipped::new(layout::FEEDBACK_INBOX, format!("{lines} of its lines are no feedback"))
}

fn patterns() -> Result<Patterns, Problem> {
    Patterns::new().map_err(|error| {
        Problem::input(format!("a pattern can't be made ready: {error}"), "report this as a defect")
    })
}
