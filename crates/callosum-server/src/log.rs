//! The access log: one JSON object a line, on standard error. Whoever answers waits for no terminal and no pipe.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;

use serde::Serialize;

/// Lines that may wait to be written; more are lost, and counted.
const MAX_WAITING: usize = 4_096;

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
    lines: SyncSender<String>,
    lost: AtomicU64,
}

impl Log {
    /// Starts the thread that writes to `out`.
    pub(crate) fn start(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, waiting) = sync_channel::<String>(MAX_WAITING);
        thread::Builder::new().name("callosum-log".to_owned()).spawn(move || {
            while let Ok(line) = waiting.recv() {
                // Where nobody reads it, nothing is to be done.
                let _ = out.write_all(line.as_bytes());
            }
        })?;
        Ok(Self { lines, lost: AtomicU64::new(0) })
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
        if let Err(TrySendError::Full(_)) = self.lines.try_send(line) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines found no place.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
