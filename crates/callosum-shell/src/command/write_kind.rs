//! A path that a command writes, and how.

use std::borrow::Cow;

/// How something writes to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteKind {
    /// What stands there stays, and more comes behind it.
    Append,
    /// The file, or some of a folder's files, are written over; other files of the folder stay.
    Overwrite,
    /// It is removed, with all in it.
    Remove,
    /// It is elsewhere after that, with all in it.
    Move,
    /// What is not in another folder is removed from it.
    Mirror,
}

impl WriteKind {
    /// Whether all that lies below the path goes with it.
    #[must_use]
    pub fn takes_all_below(self) -> bool {
        matches!(self, Self::Remove | Self::Move | Self::Mirror)
    }
}

/// A path that a command writes, as the line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write<'l> {
    /// How.
    pub kind: WriteKind,
    /// The path.
    pub path: Cow<'l, str>,
}
