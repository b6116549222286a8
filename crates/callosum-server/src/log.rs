//! The access log: one JSON object a line, on standard error. Whoever answers waits for no terminal and no pipe.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use serde::Serialize;

/// Lines that may wait to be written; more are lost, and counted.
const MAX_WAITING: usize = 4_096;

/// How long a line may wait for others to be written with.
const GATHERING: Duration = Duration::from_millis(10);

/// How long the end waits for what is not written yet.
const FAREWELL: Duration = Duration::from_millis(200);

/// One answered request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Access<'a> {
    pub(crate) at: String,
    pub(crate) request: &'a str,
    pub(crate) peer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) via: Option<&'a str>,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    pub(crate) micros: u64,
}

/// Where lines go.
#[derive(Debug)]
pub(crate) struct Log {
    /// Until the end.
    lines: Option<SyncSender<String>>,
    lost: AtomicU64,
    writing: Thread,
    /// Closed once all is written.
    written: Mutex<Receiver<()>>,
}

impl Log {
    /// Starts the thread that writes to `out`.
    pub(crate) fn start(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, waiting) = sync_channel::<String>(MAX_WAITING);
        let (at_end, written) = sync_channel(0);
        let thread = thread::Builder::new().name("callosum-log".to_owned()).spawn(move || {
            while let Ok(mut text) = waiting.recv() {
                // Who writes each line as it comes is woken by each.
                thread::park_timeout(GATHERING);
                for line in waiting.try_iter().take(MAX_WAITING) {
                    text.push_str(&line);
                }
                // Where nobody reads it, nothing is to be done.
                let _ = out.write_all(text.as_bytes());
            }
            drop(at_end);
        })?;
        let (writing, written) = (thread.thread().clone(), Mutex::new(written));
        Ok(Self { lines: Some(lines), lost: AtomicU64::new(0), writing, written })
    }

    /// Writes that a request was answered.
    pub(crate) fn access(&self, access: &Access<'_>) {
        if let Ok(line) = serde_json::to_string(access) {
            self.line(line);
        }
    }

    /// Writes something else that is to be known.
    pub(crate) fn note(&self, text: &str) {
        self.line(serde_json::json!({ "note": text }).to_string());
    }

    fn line(&self, mut line: String) {
        line.push('\n');
        let sent = self.lines.as_ref().map(|lines| lines.try_send(line));
        if let Some(Err(TrySendError::Full(_))) = sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines found no place.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.lines = None;
        self.writing.unpark();
        let written = self.written.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Nobody may read it.
        let _ = written.recv_timeout(FAREWELL);
    }
}
