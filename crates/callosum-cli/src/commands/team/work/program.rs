//! A runtime's program that does one thing, without anybody at it. It ends with this process, however that ends.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use callosum_runtimes::Runtime;
use callosum_team::work::Ran;
use rustix::process::Signal;

use crate::commands::child::{ended_within, signal};
use crate::commands::executable::on_path;
use crate::output::{Failure, long};

/// What runs the program: a shell that heads a group of processes, which ends when the pipe from here is closed. Nobody closes it but
/// whoever stops the program, and the system when this process is gone.
const KEEPER: &str = "exec 3<&0 </dev/null
(trap '' TERM; cat <&3; kill -TERM 0; sleep 1; kill -KILL 0) >/dev/null 2>&1 &
exec 3<&-
trap : TERM
\"$@\"
";
/// How long a program may take to end once it is asked to.
const ENDING: Duration = Duration::from_secs(5);
/// How long is waited for the rest of what it wrote: what it left behind may hold its output open.
const READING: Duration = Duration::from_secs(2);
/// The last bytes that are kept of what it writes.
const KEPT: usize = 16 * 1024;

/// A runtime's program, and how a person wants it run.
pub(super) struct Program {
    path: PathBuf,
    title: &'static str,
    words: Vec<OsString>,
    folder: PathBuf,
}

impl Program {
    /// The one on the PATH.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn of(runtime: Runtime, words: &[OsString], folder: PathBuf) -> Result<Self, Failure> {
        let facts = runtime.facts();
        let path = on_path(facts.program).ok_or_else(|| Failure::CantLook {
            fragment: format!("there is no `{}` on the PATH", facts.program),
            remedy: format!("install {}, or add its folder to the PATH", facts.title),
        })?;
        let [first, last] = facts.headless.map(|words| words.iter().map(OsString::from));
        let words = first.chain(words.iter().cloned()).chain(last).collect();
        Ok(Self { path: std::path::absolute(path)?, title: facts.title, words, folder })
    }

    /// Where it runs.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Why nothing of it was run.
    pub(super) fn could_not_run(&self, why: &str) -> Failure {
        let path = self.path.display().to_string();
        Failure::CantLook {
            fragment: format!("can't run `{}`: {}", long(&path), long(why.trim())),
            remedy: format!("check that {} works here; the task was let go", self.title),
        }
    }

    /// Has it do what is asked.
    ///
    /// # Errors
    /// When it can't be started.
    pub(super) fn start(&self, asked: &str) -> Result<Running, Failure> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", KEEPER, "callosum-work"]).arg(&self.path).args(&self.words).arg(asked);
        command.current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| self.could_not_run(&error.to_string()))?;
        let said = Tail::of(child.stdout.take())?;
        let errors = Tail::of(child.stderr.take())?;
        Ok(Running { child, said, errors })
    }
}

/// The program under way.
pub(super) struct Running {
    child: Child,
    said: Tail,
    errors: Tail,
}

impl Running {
    /// How it ended, once it has; what it started and left behind in its group is ended then.
    ///
    /// # Errors
    /// When the system doesn't tell.
    pub(super) fn has_ended(&mut self) -> Result<Option<Ran>, Failure> {
        let Some(status) = self.child.try_wait()? else { return Ok(None) };
        signal(&self.child, Signal::KILL);
        Ok(Some(Ran { code: status.code(), said: self.said.text(), errors: self.errors.text() }))
    }

    /// Ends it.
    pub(super) fn stop(&mut self) {
        // The shell that waits for the pipe's end is in the group as long as this lives.
        signal(&self.child, Signal::TERM);
        let _ = ended_within(&mut self.child, ENDING);
        signal(&self.child, Signal::KILL);
        // The shell has ended, or does now.
        let _ = self.child.wait();
    }
}

/// The last of what is read from a pipe.
struct Tail {
    read: Arc<Mutex<Vec<u8>>>,
    ended: mpsc::Receiver<()>,
}

impl Tail {
    fn of(pipe: Option<impl Read + Send + 'static>) -> Result<Self, Failure> {
        let (sender, ended) = mpsc::channel();
        let read = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&read);
        let Some(mut pipe) = pipe else { return Ok(Self { read, ended }) };
        thread::Builder::new().spawn(move || {
            let mut piece = [0; 4_096];
            while let Ok(length @ 1..) = pipe.read(&mut piece) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(piece.get(..length).unwrap_or_default());
                let too_many = kept.len().saturating_sub(KEPT);
                kept.drain(..too_many);
            }
            let _ = sender.send(());
        })?;
        Ok(Self { read, ended })
    }

    fn text(&self) -> String {
        let _ = self.ended.recv_timeout(READING);
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&read).into_owned()
    }
}
