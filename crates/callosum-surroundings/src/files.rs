//! Files, each read once while it stays the same.

use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

/// Longer files are not read: what says where a command goes is short, but for the configuration of many clusters.
const MAX_BYTES: u64 = 1 << 20;
/// At most this many files are remembered; then all are forgotten.
const MAX_FILES: usize = 1024;
/// For so long a file counts as unchanged without a look at it. Far below the time between two calls of a session, and above
/// what one call takes.
const UNSEEN: Duration = Duration::from_millis(5);

/// What a file is made into. It is remembered with the file, so each path must be asked for as one type only.
pub(crate) trait Parse: Sized + Send + Sync + 'static {
    /// Reads the text of a file. `None` for what can't be understood.
    fn parse(text: &str) -> Option<Self>;
}

/// The files read so far.
#[derive(Debug, Default)]
pub struct Files {
    known: Mutex<FxHashMap<PathBuf, Known>>,
}

/// Who a file was when it was read: nothing stands for none there.
type Identity = Option<(u64, u64, i64, i64, u64)>;

#[derive(Clone, Debug)]
struct Known {
    seen: Instant,
    identity: Identity,
    is_folder: bool,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    NotRead,
    /// Too long, no regular file, or not to be understood.
    Nothing,
    Read(Arc<dyn Any + Send + Sync>),
}

impl Content {
    fn get<T: Parse>(self) -> Option<Arc<T>> {
        match self {
            Self::Read(content) => content.downcast().ok(),
            Self::NotRead | Self::Nothing => None,
        }
    }
}

impl Files {
    /// What stands in a file; `None` when there is none, when it is too long, no regular file, or can't be understood.
    pub(crate) fn read<T: Parse>(&self, path: &Path) -> Option<Arc<T>> {
        if let Some(known) = self.fresh(path)
            && (known.identity.is_none() || !matches!(known.content, Content::NotRead))
        {
            return known.content.get();
        }
        let mut known = self.look(path);
        if matches!(known.content, Content::NotRead) && known.identity.is_some() && !known.is_folder {
            let content = text_of(path).and_then(|text| T::parse(&text));
            known.content = content.map_or(Content::Nothing, |content| Content::Read(Arc::new(content)));
            self.remember(path, known.clone());
        }
        known.content.get()
    }

    /// Whether something lies there, and whether it is a folder.
    pub(crate) fn kind(&self, path: &Path) -> Option<Kind> {
        let known = self.fresh(path).unwrap_or_else(|| self.look(path));
        known.identity.map(|_| if known.is_folder { Kind::Folder } else { Kind::File })
    }

    fn fresh(&self, path: &Path) -> Option<Known> {
        self.lock().get(path).filter(|known| known.seen.elapsed() < UNSEEN).cloned()
    }

    /// Looks at who the file is now. What was read of the same one still holds.
    fn look(&self, path: &Path) -> Known {
        let (identity, is_folder) = identity_of(path);
        let before = self.lock().get(path).filter(|before| before.identity == identity).cloned();
        let content = before.map_or(Content::NotRead, |before| before.content);
        let known = Known { seen: Instant::now(), identity, is_folder, content };
        self.remember(path, known.clone());
        known
    }

    fn remember(&self, path: &Path, known: Known) {
        let mut files = self.lock();
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(path.to_owned(), known);
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<PathBuf, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A folder.
    Folder,
    /// Anything else.
    File,
}

fn identity_of(path: &Path) -> (Identity, bool) {
    let Ok(facts) = std::fs::metadata(path) else { return (None, false) };
    let identity = (facts.dev(), facts.ino(), facts.mtime(), facts.mtime_nsec(), facts.size());
    (Some(identity), facts.is_dir())
}

/// The text of a regular file. A pipe or a device in its place is not waited for.
fn text_of(path: &Path) -> Option<String> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let facts = file.metadata().ok()?;
    if !facts.is_file() || facts.len() > MAX_BYTES {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    struct Text(String);

    impl Parse for Text {
        fn parse(text: &str) -> Option<Self> {
            Some(Self(text.to_owned()))
        }
    }

    fn wait() {
        std::thread::sleep(UNSEEN * 2);
    }

    #[test]
    fn a_changed_file_is_read_again_and_one_that_came_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let files = Files::default();
        assert!(files.read::<Text>(&path).is_none() && files.kind(&path).is_none());
        wait();
        std::fs::write(&path, "one").unwrap();
        assert_eq!(files.kind(&path), Some(Kind::File));
        assert_eq!(files.read::<Text>(&path).unwrap().0, "one");
        wait();
        std::fs::write(&path, "two!").unwrap();
        assert_eq!(files.read::<Text>(&path).unwrap().0, "two!");
        wait();
        std::fs::remove_file(&path).unwrap();
        assert!(files.read::<Text>(&path).is_none());
    }

    #[test]
    fn what_is_no_ordinary_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::default();
        assert!(files.read::<Text>(folder.path()).is_none());
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(files.read::<Text>(&pipe).is_none());
        let long = folder.path().join("long");
        std::fs::write(&long, vec![b'x'; usize::try_from(MAX_BYTES).unwrap() + 1]).unwrap();
        assert!(files.read::<Text>(&long).is_none());
    }
}
