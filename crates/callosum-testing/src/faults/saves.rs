//! A person saves a file meanwhile.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ends::gone;
use crate::disk::{Course, Fault, Kind, Step};

/// When a person saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A new file is made that is to take the place of theirs.
    IsMade,
    /// It was looked for the last time whether theirs is still as it was: the new one is about to be put there.
    IsPut,
}

/// A person saves a text in such a moment, so many times.
#[derive(Debug)]
pub struct Saves {
    path: PathBuf,
    text: String,
    when: When,
    times: AtomicUsize,
    is_killed: bool,
}

impl Saves {
    /// Saves `text` at `path`.
    #[must_use]
    pub fn new(path: PathBuf, text: &str, when: When, times: usize) -> Self {
        Self { path, text: text.to_owned(), when, times: times.into(), is_killed: false }
    }

    /// After the first save that comes as late as can be the thread is gone.
    #[must_use]
    pub fn and_is_killed(self) -> Self {
        Self { is_killed: true, ..self }
    }

    /// As most editors do: a new file in the place of the old one.
    fn save(&self) -> io::Result<bool> {
        let left = self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let Ok(before) = left else { return Ok(false) };
        let new = self.path.with_extension("new");
        std::fs::write(&new, format!("{}- save {}\n", self.text, before - 1))?;
        std::fs::rename(new, &self.path)?;
        Ok(true)
    }

    fn is_the_moment(&self, step: &Step<'_>) -> bool {
        match (step.kind, self.when) {
            (Kind::Open, When::IsMade) => {
                let name = format!(".cx.{}", self.path.file_name().unwrap().to_str().unwrap());
                step.path.file_name().unwrap().to_str().unwrap() == name
            }
            (Kind::Exchange, When::IsPut) => true,
            _ => false,
        }
    }
}

impl Fault for Saves {
    fn meet(&self, step: &Step<'_>) -> Course {
        if !self.is_the_moment(step) {
            return Course::Well;
        }
        match self.save() {
            Ok(true) if self.is_killed && step.kind == Kind::Exchange => Course::Ends(0, gone),
            Ok(_) => Course::Well,
            Err(error) => Course::Fails(error),
        }
    }
}
